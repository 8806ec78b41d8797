//! Reminders: polite letters to the side that is due and has little time left.

use std::path::Path;
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::home;
use super::out::print;
use postrider_home::clocks::reminders::Reminder;
use postrider_home::send::post::Posted;
use postrider_kernel::text::printable;
use postrider_referee::record::Time;

/// Prints all reminders, or mails those that have not been mailed before.
pub fn all<'a>(
    games: impl Iterator<Item = (&'a Path, &'a Reminder)>,
    nameless: bool,
    send: bool,
    now: Time,
) -> Result<ExitCode, Failure> {
    let mut count = 0;
    let mut failed = None;
    for (path, reminder) in games {
        count += 1;
        let message = reminder.message(now)?;
        let to = printable(message.to()).into_owned();
        if !send {
            let record = name(path);
            print(format!("{record}: to {to}\n\n{}\n", indented(&reminder.text)))?;
            continue;
        }
        // One reminder that cannot be sent does not hold up the others.
        match home::office()?.post(&message, false) {
            Ok(Posted::Already { at, .. }) => errln!("{}: {to} was reminded on {at}", name(path)),
            Ok(Posted::Sent { receipt, .. }) => {
                errln!("{}: the reminder to {to} was {}", name(path), printable(&receipt.to_string()));
            }
            Err(error) => failed = Some(Failure::trouble(format!("{}: {error}", name(path)))),
        }
    }
    if count == 0 {
        errln!("nobody has to be reminded");
    }
    if nameless {
        errln!("nobody was reminded in games where your side is not known: `email:` in settings.yaml says it");
    }
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect()
}
