//! Letters: how one is made of an entry and its record, and how it goes out.

mod letter;
mod post;
mod transport;

pub use letter::{AddressError, Letter, LetterError, Message, Party, message_id, parse_address};
pub use post::{PostError, Posted, post};
pub use transport::{Receipt, SendError, SmtpStep, send};
