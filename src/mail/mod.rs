//! Letters: how one is made of an entry and its record, how it goes out, and what one that comes in carries.

mod draft;
pub mod inbox;
pub mod incoming;
mod letter;
mod post;
mod transport;

pub use draft::draft;
pub use letter::{Letter, LetterError, Message, Party, message_id};
pub use post::{PostError, Posted, post};
pub use transport::{Receipt, SendError, SmtpStep, send};
