//! The contents of the parts of a message, and limits on reading them.

/// The most bytes in the header lines of a message or a part.
pub const MAX_HEADER: usize = 128 << 10;
/// The most parts in a message, including those that contain others.
pub const MAX_PARTS: usize = 200;
/// How deep parts may be nested.
pub const MAX_DEPTH: usize = 12;
/// The longest text that is read, in bytes; many times what a person types.
pub(super) const MAX_TEXT: usize = 256 << 10;

/// The types of parts that are reports.
pub(super) const REPORTS: [&str; 6] = [
    "disposition-notification",
    "global-disposition-notification",
    "delivery-status",
    "global-delivery-status",
    "feedback-report",
    "tracking-status",
];

/// An unreadable part of a message that may contain a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// `winmail.dat`: Outlook's own format.
    Winmail,
    /// S/MIME, encrypted or with the text inside the signature.
    Smime,
    /// PGP, encrypted.
    Pgp,
    /// A compressed archive.
    Packed,
    /// A record among the words of the text.
    Pasted,
}

impl Unreadable {
    /// Says what it is, and what to ask the sender for.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Winmail => {
                "it comes as winmail.dat, which only Outlook reads: ask the sender to send plain text or HTML instead of \
                 \"Rich Text\""
            }
            Self::Smime => {
                "it is wrapped or encrypted with S/MIME: ask the sender to send it unencrypted, and signed, if at all, with a separate \
                 signature (\"clear text signed\"); or save the record in it with your mail program and compare it with yours"
            }
            Self::Pgp => {
                "it is encrypted with PGP, which is not read here: ask the sender to send it unencrypted; or decrypt it with your mail \
                 program, save the record and compare it with yours"
            }
            Self::Packed => {
                "the attachment is compressed, and nothing is decompressed here: ask the sender to attach the record as it is"
            }
            Self::Pasted => {
                "the record was pasted into the text, where mail programs change it: ask the sender to attach the file, or to reply \
                 with the entry alone"
            }
        }
    }
}

/// The text of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// The form in which it arrived.
    pub form: Form,
}

/// The forms of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines as they were typed.
    Fixed,
    /// Lines that end in a space continue on the next one (RFC 3676); with `true`, that space is removed.
    Flowed(bool),
    /// HTML, reduced to its text.
    Html,
}
