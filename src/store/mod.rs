//! What the desk keeps on the disk: records that are never half written, the player's settings, and notes of what
//! was sent.

mod conditions;
mod files;
mod folders;
mod secrets;
mod sent;
mod settings;

pub use conditions::{ConditionsError, Plans};
pub(crate) use files::rename_private;
pub use files::{
    FileError, MAX_RECORD, RecordLock, Step, create, create_private, private_folder, put_private, read_record, replace,
};
pub use folders::Folders;
pub use secrets::{Kept, Secrets, SecretsError, random_secret};
pub use sent::{Ledger, LedgerError, Note, Standing, State};
pub use settings::{
    FileSettings, Login, MailSettings, OutboxFormat, PasswordSource, SendmailSettings, Settings, SettingsError,
    SmtpSettings, Tls, is_loopback,
};
