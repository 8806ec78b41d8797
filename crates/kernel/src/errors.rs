//! The wording of the errors of games.

use std::error::Error;
use std::fmt;

use super::{Illegal, Incomplete, Lost, OptionFault, SetupFault};
use crate::notation::Misfit;

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "; {help}"))
    }
}

impl Error for Illegal {}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Lost {}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomplete::Illegal(illegal) => illegal.fmt(f),
            Incomplete::Lost(lost) => lost.fmt(f),
        }
    }
}

impl Error for Incomplete {}

impl fmt::Display for SetupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupFault::Position(Misfit { offset, expected }) => {
                write!(f, "the position does not fit at character {}: expected {expected}", offset + 1)
            }
            SetupFault::Needs { option, needs } => write!(f, "this value of the option `{option}` needs `{needs}`"),
            SetupFault::Beside { option } => write!(f, "a position cannot be combined with the option `{option}`"),
        }
    }
}

impl Error for SetupFault {}

impl fmt::Display for OptionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionFault::Unknown(known) => write!(f, "there is no such option; the options are {known}"),
            OptionFault::Value(values) => write!(f, "the option has no such value; it is {values}"),
        }
    }
}

impl Error for OptionFault {}
