//! Letters: making one from an entry and its record, sending it, and reading what a received one carries.

pub mod address;
mod compose;
mod draft;
mod hosted;
pub mod incoming;
pub mod letter;
mod markup;
mod minute;
mod note;
mod question;
mod seat;
mod style;
mod taps;
pub mod understand;

pub use compose::{Brings, Hosting, MAX_HTML, Occasion, Words};
pub use draft::{Draft, Reread, declined, draft, mistake, notice, reread};
pub use hosted::{Attached, HostLetter, hosted_id};
pub use letter::{
    Letter, LetterError, Message, Party, is_ours, is_receipt_id, is_reminder, message_id, page_name, receipt_id,
    secrets_id, short_hex, subject,
};
pub use markup::Html;
pub use note::{Asks, Note};

pub use question::{Question, closed_game};
pub use seat::{MOST_TOKENS, Seat, is_token};
pub use style::Style;
pub use taps::{Choices, links};
