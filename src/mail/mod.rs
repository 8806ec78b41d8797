//! Letters: how one is made of an entry and its record, how it goes out, and what one that comes in carries.

mod compose;
mod draft;
pub mod inbox;
pub mod incoming;
mod letter;
mod post;
mod taps;
mod transport;
mod wire;

pub use compose::{Brings, Html, MAX_HTML, Occasion, Words};
pub use draft::{draft, notice};
pub use letter::{
    Letter, LetterError, Message, Party, is_receipt_id, message_id, receipt_id, secrets_id, short_hex, subject,
};
pub use post::{PostError, Posted, post};
pub use taps::{Choices, links};
pub use transport::{Receipt, SendError, SmtpStep, probe, send};
