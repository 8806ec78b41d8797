//! Letters: composes one from an entry and its record (`draft`), and reads a received one ([`incoming`]): the writer's own words, the
//! entry they mean, and requests. Nothing is sent or fetched here, and the home is unknown here.
//!
//! It uses the referee and what draws positions.
//!
//! Begin with [`Draft`] for what goes out. For what comes in, [`incoming`] takes a message apart, and [`understand`] says what its writer's
//! words mean as an entry.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod address;
mod compose;
mod draft;
mod hosted;
pub mod incoming;
pub mod letter;
mod markup;
mod minute;
mod note;
mod prose;
mod question;
mod seat;
mod style;
mod taps;
pub mod understand;
mod wished;
mod words;

pub use compose::{Brings, Hosting, MAX_HTML, Occasion, Words};
pub use draft::{Draft, Reread, declined, draft, mistake, notice, reread};
pub use hosted::{Attached, HostLetter, hosted_id};
pub use letter::{
    Letter, LetterError, Message, Party, invitation, is_of_host, is_ours, is_receipt_id, is_reminder, message_id,
    page_name, receipt_id, secrets_id, short_hex, subject,
};
pub use markup::Html;
pub use note::{Asks, Note, STOP};
pub use prose::in_words;
pub use question::{Question, closed_game};
pub use seat::{MOST_TOKENS, Seat, is_token};
pub use style::Style;
pub use taps::{Choices, links};
pub use wished::Wished;
