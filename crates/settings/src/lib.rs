//! The player's settings: `settings.yaml`, which need not exist. `examples/settings.yaml` explains every key.
//!
//! It uses the disk, which finds the folders, and letters, whose style is a setting. Nothing of a game is in it, and no key.
//!
//! Begin with [`Settings::load_from`] (one reading of the file, with the place of a mistake), then [`yaml`] (the file as `setup` writes it)
//! and [`ForeignSettings`] (settings that somebody else may have written).

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_yaml::{Error as YamlError, Location, Options, Spanned, UserMessageFormatter};

use postrider_disk::disk::About;
use postrider_disk::folders::Folders;
use postrider_kernel::text::printable;
use postrider_mail::Style;
use postrider_mail::address::parse_address;

mod backups;
mod foreign;
mod host;
mod servers;
#[cfg(test)]
mod tests;
mod written;

pub use backups::BackupSettings;
use backups::WrittenBackup;
pub use foreign::ForeignSettings;
use host::WrittenHost;
pub use host::{HostLimits, HostSettings};
use postrider_disk::settings_error::SettingsError;
pub use servers::is_loopback;
use servers::{TIMEOUT, settle_host, settle_login, settle_port, settle_timeout, words};
pub use written::{keep_old, yaml};

/// The largest settings file, in bytes.
const MAX_SETTINGS: usize = 64 << 10;
/// How many days back to read a mailbox on a server by default.
const DAYS: u16 = 60;

/// The player's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The player's name.
    pub name: Option<String>,
    /// The player's own address, which letters are sent from.
    pub email: Option<String>,
    /// The folder of the player's games.
    pub games: Option<PathBuf>,
    /// Whether the player's key is declared in new games and entries are signed by it, once there is one; true if nothing is set.
    pub sign: bool,
    /// Whether this is the home of a host, who plays no side and enters for players without the program (Z38).
    pub hosts: bool,
    /// The program that prints the passphrase of the player's key, and its arguments; empty if it is asked for on the terminal.
    pub passphrase_command: Vec<String>,
    /// Backups that are made by themselves, if any are.
    pub backup: Option<BackupSettings>,
    /// How letters are sent.
    pub mail: MailSettings,
    /// What letters consist of.
    pub letter: Style,
    /// Which letters have the game attached as a page.
    pub page: AttachedPage,
    /// What to do with replies that contain no record.
    pub plain_replies: PlainReplies,
    /// The mailbox on a server to fetch messages from, if there is one.
    pub imap: Option<ImapSettings>,
    /// Where letters come in; empty if it is not said, so that it follows from the rest.
    pub receive: Vec<Source>,
    /// The name under which the player's own mail server says what it found out about a sender (RFC 8601); nobody else's word counts.
    pub authserv_id: Option<String>,
    /// The name under which it notes that it took a message (`Received: … by NAME`); the other name unless it is set.
    pub received_by: Option<String>,
    /// What this home does as a host; `None` if it is a player's.
    pub host: Option<HostSettings>,
    /// The folders for settings and data.
    pub folders: Folders,
}

/// Where letters come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The mailbox on a server that is set.
    Imap,
    /// The repository of the player's games.
    Git,
    /// A Maildir, or a file of the mbox format.
    Path(PathBuf),
}

/// Which letters have the game, as a page with the referee in it, attached as a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachedPage {
    /// None. A page adds over a megabyte to a letter, and some mail systems hold back every letter with a page that
    /// contains a script.
    #[default]
    Never,
    /// The first letter of a game, to an opponent who may have nothing yet.
    First,
    /// Every letter.
    Always,
}

/// What to do with replies that contain no record, in open games without keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlainReplies {
    /// They are not read.
    Off,
    /// They are read; what is to be said about one is drafted for the player to send.
    Draft,
    /// They are read, and what is to be said about one is sent.
    #[default]
    Answer,
}

/// How letters are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailSettings {
    /// Written to a folder.
    File(FileSettings),
    /// Through the command of a mail system on this machine.
    Sendmail(SendmailSettings),
    /// To a mail server.
    Smtp(SmtpSettings),
    /// Not at all: the record is committed and pushed.
    Git(GitSettings),
}

/// A folder that letters are written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSettings {
    /// The folder.
    pub outbox: PathBuf,
    /// What is written there.
    pub format: OutboxFormat,
    /// Whether each letter is opened as a draft in the mail program that the system knows for such files.
    pub open: bool,
}

/// What an outbox contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutboxFormat {
    /// One file `<id>.<n>.eml` per letter.
    #[default]
    Eml,
    Maildir,
}

/// A command that reads a letter from standard input, with `-i -f FROM -- TO` as its last arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendmailSettings {
    pub program: String,
    /// Its first arguments.
    pub arguments: Vec<String>,
}

/// A repository that both players share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitSettings {
    /// The name of the remote; `None` for that of the branch that is checked out.
    pub remote: Option<String>,
}

/// A mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpSettings {
    /// Its name or address.
    pub host: String,
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: Tls,
    /// The login, if any.
    pub login: Option<Login>,
    /// A file of certificate authorities (PEM) that are trusted in addition to the system's.
    pub ca: Option<PathBuf>,
    /// How long each step may take.
    pub timeout: Duration,
}

impl SmtpSettings {
    /// A server that takes letters without a login.
    #[must_use]
    pub fn open(host: String, tls: Tls, port: Option<u16>) -> Self {
        Self { host, port: port.unwrap_or_else(|| tls.smtp_port()), tls, login: None, ca: None, timeout: TIMEOUT }
    }
}

/// A mailbox on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImapSettings {
    /// The server's name or address.
    pub host: String,
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: Tls,
    pub login: Login,
    /// A file of certificate authorities (PEM) that are trusted in addition to the system's.
    pub ca: Option<PathBuf>,
    /// How long each step may take.
    pub timeout: Duration,
    pub mailbox: String,
    /// How many days back messages are read.
    pub days: u16,
}

/// How a connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// It begins unencrypted, and must switch to TLS before anything is sent.
    #[default]
    Starttls,
    /// It is TLS from the first byte.
    Implicit,
    /// Not at all; only allowed to this machine.
    None,
}

impl Tls {
    /// Its word in the settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Starttls => "starttls",
            Self::Implicit => "implicit",
            Self::None => "none",
        }
    }

    /// What the word stands for.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        [Self::Starttls, Self::Implicit, Self::None].into_iter().find(|one| one.word() == word)
    }

    /// The usual port of a server that takes letters.
    #[must_use]
    pub fn smtp_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Implicit => 465,
            Self::None => 25,
        }
    }

    /// The usual port of a server with mailboxes.
    #[must_use]
    pub fn imap_port(self) -> u16 {
        match self {
            Self::Implicit => 993,
            Self::Starttls | Self::None => 143,
        }
    }
}

/// A login at a mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The user name.
    pub user: String,
    /// Where the password comes from.
    pub password: PasswordSource,
}

/// Where a password comes from. It is never in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordSource {
    /// The environment variable with this name.
    Env(String),
    /// The first line that this program prints, called with its arguments. Never empty.
    Command(Vec<String>),
}

/// The settings file as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Option<String>,
    email: Option<Spanned<String>>,
    games: Option<String>,
    sign: Option<bool>,
    hosts: Option<bool>,
    #[serde(rename = "passphrase-command")]
    passphrase_command: Option<Spanned<Vec<String>>>,
    // Known only to be refused with a hint.
    passphrase: Option<Spanned<IgnoredAny>>,
    backup: Option<Spanned<WrittenBackup>>,
    mail: Option<Spanned<WrittenMail>>,
    imap: Option<Spanned<WrittenImap>>,
    receive: Option<Vec<Spanned<String>>>,
    #[serde(rename = "authserv-id")]
    authserv_id: Option<String>,
    #[serde(rename = "received-by")]
    received_by: Option<String>,
    host: Option<WrittenHost>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenImap {
    host: Option<Spanned<String>>,
    port: Option<Spanned<u16>>,
    tls: Option<Spanned<Tls>>,
    user: Option<Spanned<String>>,
    password_env: Option<Spanned<String>>,
    password_command: Option<Spanned<Vec<String>>>,
    ca: Option<Spanned<String>>,
    timeout: Option<Spanned<u64>>,
    mailbox: Option<Spanned<String>>,
    days: Option<Spanned<u16>>,
    // Only accepted in order to be refused with a hint.
    password: Option<Spanned<IgnoredAny>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenMail {
    letter: Option<Style>,
    page: Option<AttachedPage>,
    plain_replies: Option<PlainReplies>,
    transport: Option<Spanned<Transport>>,
    outbox: Option<Spanned<String>>,
    format: Option<Spanned<OutboxFormat>>,
    open: Option<Spanned<bool>>,
    command: Option<Spanned<Vec<String>>>,
    host: Option<Spanned<String>>,
    port: Option<Spanned<u16>>,
    tls: Option<Spanned<Tls>>,
    user: Option<Spanned<String>>,
    password_env: Option<Spanned<String>>,
    password_command: Option<Spanned<Vec<String>>>,
    ca: Option<Spanned<String>>,
    timeout: Option<Spanned<u64>>,
    remote: Option<Spanned<String>>,
    // Only accepted in order to be refused with a hint.
    password: Option<Spanned<IgnoredAny>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Transport {
    #[default]
    File,
    Sendmail,
    Smtp,
    Git,
}

impl Transport {
    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Sendmail => "sendmail",
            Self::Smtp => "smtp",
            Self::Git => "git",
        }
    }
}

/// A fault and its place.
struct Fault(Location, String);

impl Settings {
    /// Returns the folder of the player's games: the one in the settings, or one beside the program's data.
    #[must_use]
    pub fn games_folder(&self) -> PathBuf {
        self.games.clone().unwrap_or_else(|| self.folders.games())
    }

    /// Returns where letters come in: what the settings say, or otherwise the mailbox on a server and the repository, if they are set.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        if !self.receive.is_empty() {
            return self.receive.clone();
        }
        let imap = self.imap.is_some().then_some(Source::Imap);
        let git = matches!(self.mail, MailSettings::Git(_)).then_some(Source::Git);
        imap.into_iter().chain(git).collect()
    }

    /// Finds the folders and reads the settings in them.
    ///
    /// # Errors
    ///
    /// The errors of [`Folders::find`] and [`Settings::load_from`].
    #[cfg(any(unix, windows))]
    pub fn load() -> Result<Self, SettingsError> {
        Self::load_from(Folders::find()?)
    }

    /// Reads the settings in `folders`. Without a file the defaults apply: letters are written to the outbox.
    ///
    /// # Errors
    ///
    /// If the file exists but cannot be read, may be written by everyone, or is not valid.
    pub fn load_from(folders: Folders) -> Result<Self, SettingsError> {
        let path = folders.settings_file();
        let bytes = match folders.disk.read_record(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(SettingsError::Read { path, source }),
            Ok(bytes) => {
                let about = folders.disk.about(&path).ok();
                if about.as_ref().is_some_and(About::is_writable_by_all) {
                    return Err(SettingsError::Writable { path });
                }
                if about.is_some_and(|about| !about.is_own()) {
                    return Err(SettingsError::Foreign { path });
                }
                bytes
            }
        };
        Self::parse(&bytes, folders)
    }

    /// Parses settings from the bytes of the settings file of `folders`. Reads no file.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Fault`], with line and column if they are known.
    pub fn parse(bytes: &[u8], folders: Folders) -> Result<Self, SettingsError> {
        let path = folders.settings_file();
        let fault = |place, message: &str| SettingsError::Fault {
            path: path.clone(),
            place,
            message: printable(message).into_owned(),
        };
        if bytes.len() > MAX_SETTINGS {
            return Err(fault(None, "the file is over 64 KiB"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| fault(None, "the file is not UTF-8"))?;
        // An empty or missing file has no settings. Parsing it with the library would take longer than judging a game.
        let written = match text {
            "" => None,
            text => written(text).map_err(|error| fault(error.location().and_then(place), &message(&error)))?,
        };
        settle(written.unwrap_or_default(), folders)
            .map_err(|Fault(location, message)| fault(place(location), &message))
    }
}

/// Reads what is written in a settings file. By itself, because the library's reader takes five pages of stack, which a start
/// without settings would otherwise touch too.
#[inline(never)]
fn written(text: &str) -> Result<Option<Written>, YamlError> {
    serde_yaml::from_str_with_options(text, options())
}

/// Little depth and few nodes: more than settings need, and too few for anything that grows.
fn options() -> Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: 16,
            max_nodes: 1000,
            max_aliases: 0,
            max_anchors: 0,
        },
        with_snippet: false,
    }
}

/// The parser's message alone, in our words where its own would not help a player. The place has already been printed.
fn message(error: &YamlError) -> String {
    let text = error.without_snippet().render_with_formatter(&UserMessageFormatter);
    let line = text.lines().next().unwrap_or_default();
    let line = line.rsplit_once(" at line ").map_or(line, |(message, _)| message);
    match line {
        "expected mapping start" => "expected keys with values, as in `key: value`".to_owned(),
        "expected sequence start" => "expected a list, as in `[program, argument]`".to_owned(),
        "invalid boolean" => "expected `true` or `false`".to_owned(),
        "expected string scalar" => "expected a text".to_owned(),
        "invalid u16" | "invalid u64" => "expected a whole number, and not too large a one".to_owned(),
        // The last key only exists to be refused.
        other => other.strip_suffix(", password").unwrap_or(other).replace("invalid", "unfit"),
    }
}

fn place(location: Location) -> Option<(u64, u64)> {
    (location != Location::UNKNOWN).then(|| (location.line(), location.column()))
}

fn settle(written: Written, folders: Folders) -> Result<Settings, Fault> {
    let email = match written.email {
        Some(email) => {
            let location = email.referenced;
            parse_address(&email.value).map_err(|error| Fault(location, error.to_string()))?;
            Some(email.value)
        }
        None => None,
    };
    let letter = written.mail.as_ref().and_then(|mail| mail.value.letter).unwrap_or_default();
    let page = written.mail.as_ref().and_then(|mail| mail.value.page).unwrap_or_default();
    let plain_replies = written.mail.as_ref().and_then(|mail| mail.value.plain_replies).unwrap_or_default();
    let mail = match written.mail {
        Some(mail) => settle_mail(mail.value, mail.referenced, &folders)?,
        None => settle_mail(WrittenMail::default(), Location::UNKNOWN, &folders)?,
    };
    let games = written.games.map(|games| resolve(&games, &folders));
    let imap = match written.imap {
        Some(imap) => Some(settle_imap(imap.value, imap.referenced, &folders)?),
        None => None,
    };
    let sign = written.sign.unwrap_or(true);
    if let Some(passphrase) = written.passphrase {
        return Err(Fault(
            passphrase.referenced,
            "no passphrase stands in the settings: name a program that prints it with `passphrase-command`, or leave it out to be \
             asked"
                .to_owned(),
        ));
    }
    let passphrase_command = match written.passphrase_command {
        Some(command) => words(command, "passphrase-command")?,
        None => Vec::new(),
    };
    let backup = written.backup.map(|all| WrittenBackup::settled(all, &passphrase_command, &folders)).transpose()?;
    let receive = written.receive.unwrap_or_default();
    let receive =
        receive.iter().map(|source| settle_source(source, imap.is_some(), &folders)).collect::<Result<_, _>>()?;
    let authserv_id = written.authserv_id;
    let received_by = written.received_by.or_else(|| authserv_id.clone());
    let host = written.host.map(WrittenHost::settled).transpose()?;
    Ok(Settings {
        name: written.name,
        email,
        games,
        sign,
        hosts: written.hosts.unwrap_or(host.is_some()),
        passphrase_command,
        backup,
        mail,
        letter,
        page,
        plain_replies,
        imap,
        receive,
        authserv_id,
        received_by,
        host,
        folders,
    })
}

fn settle_source(source: &Spanned<String>, imap: bool, folders: &Folders) -> Result<Source, Fault> {
    match source.value.as_str() {
        "imap" if imap => Ok(Source::Imap),
        "imap" => {
            Err(Fault(source.referenced, "`imap` here is the mailbox under `imap:`, and there is none".to_owned()))
        }
        "git" => Ok(Source::Git),
        "" => Err(Fault(source.referenced, "expected `imap`, `git`, or the path of a Maildir or an mbox".to_owned())),
        path => Ok(Source::Path(resolve(path, folders))),
    }
}

/// `~/` is the home folder, and a relative path is relative to the folder of the settings file.
fn resolve(path: &str, folders: &Folders) -> PathBuf {
    match path.strip_prefix("~/").zip(home_of_the_user()) {
        Some((rest, home)) => home.join(rest),
        None => folders.config.join(path),
    }
}

/// The home folder of the user, on a machine that has one.
fn home_of_the_user() -> Option<PathBuf> {
    #[cfg(any(unix, windows))]
    return etcetera::home_dir().ok();
    #[cfg(not(any(unix, windows)))]
    return None;
}

/// A password in the settings is refused, because files are copied and shown.
fn refuse_password(password: Option<&Spanned<IgnoredAny>>) -> Result<(), Fault> {
    let Some(password) = password else { return Ok(()) };
    Err(Fault(
        password.referenced,
        "no password stands in the settings: name an environment variable with `password-env`, or a program that \
         prints it with `password-command`"
            .to_owned(),
    ))
}

fn settle_mail(mail: WrittenMail, location: Location, folders: &Folders) -> Result<MailSettings, Fault> {
    refuse_password(mail.password.as_ref())?;
    let transport = mail.transport.as_ref().map_or_else(Transport::default, |transport| transport.value);
    mail.refuse_other(transport)?;
    match transport {
        Transport::File => Ok(MailSettings::File(FileSettings {
            outbox: mail.outbox.map_or_else(|| folders.outbox(), |outbox| resolve(&outbox.value, folders)),
            format: mail.format.map(|format| format.value).unwrap_or_default(),
            open: mail.open.is_some_and(|open| open.value),
        })),
        Transport::Sendmail => {
            let command = match mail.command {
                Some(command) => words(command, "command")?,
                None => vec!["sendmail".to_owned()],
            };
            let mut words = command.into_iter();
            let program = words.next().unwrap_or_default();
            Ok(MailSettings::Sendmail(SendmailSettings { program, arguments: words.collect() }))
        }
        Transport::Smtp => settle_smtp(mail, location, folders).map(MailSettings::Smtp),
        Transport::Git => {
            let remote = mail.remote.map(settle_remote).transpose()?;
            Ok(MailSettings::Git(GitSettings { remote }))
        }
    }
}

impl WrittenMail {
    /// A key that the transport does not know must not be ignored silently: a letter meant for a server would end up in
    /// a folder.
    fn refuse_other(&self, transport: Transport) -> Result<(), Fault> {
        use Transport::{File, Git, Sendmail, Smtp};
        fn at<T>(value: Option<&Spanned<T>>) -> Option<Location> {
            value.map(|value| value.referenced)
        }
        let keys = [
            ("outbox", File, at(self.outbox.as_ref())),
            ("format", File, at(self.format.as_ref())),
            ("open", File, at(self.open.as_ref())),
            ("command", Sendmail, at(self.command.as_ref())),
            ("host", Smtp, at(self.host.as_ref())),
            ("port", Smtp, at(self.port.as_ref())),
            ("tls", Smtp, at(self.tls.as_ref())),
            ("user", Smtp, at(self.user.as_ref())),
            ("password-env", Smtp, at(self.password_env.as_ref())),
            ("password-command", Smtp, at(self.password_command.as_ref())),
            ("ca", Smtp, at(self.ca.as_ref())),
            ("timeout", Smtp, at(self.timeout.as_ref())),
            ("remote", Git, at(self.remote.as_ref())),
        ];
        for (key, owner, location) in keys {
            if let Some(location) = location.filter(|_| owner != transport) {
                let (owner, transport) = (owner.word(), transport.word());
                return Err(Fault(
                    location,
                    format!(
                        "`{key}` belongs to the transport `{owner}`, and the transport here is `{transport}`: write \
                         `transport: {owner}`, or leave `{key}` out"
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// The name of a remote, as listed by `git remote`.
fn settle_remote(remote: Spanned<String>) -> Result<String, Fault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if remote.value.is_empty() || remote.value.starts_with(['-', '.', '/']) || !remote.value.chars().all(plain) {
        let message = "`remote` is the name of a remote as `git remote` lists it, as in `origin`";
        return Err(Fault(remote.referenced, message.to_owned()));
    }
    Ok(remote.value)
}

fn settle_smtp(mail: WrittenMail, location: Location, folders: &Folders) -> Result<SmtpSettings, Fault> {
    let tls = mail.tls.as_ref().map(|tls| tls.value).unwrap_or_default();
    let Some(host) = mail.host else {
        return Err(Fault(location, "the transport `smtp` needs `host`, the name of a mail server".to_owned()));
    };
    Ok(SmtpSettings {
        host: settle_host(host, "smtp.example.org", mail.tls.as_ref())?,
        port: settle_port(mail.port, tls.smtp_port())?,
        tls,
        login: settle_login(mail.user, mail.password_env, mail.password_command)?,
        ca: mail.ca.map(|ca| resolve(&ca.value, folders)),
        timeout: settle_timeout(mail.timeout)?,
    })
}

fn settle_imap(imap: WrittenImap, location: Location, folders: &Folders) -> Result<ImapSettings, Fault> {
    refuse_password(imap.password.as_ref())?;
    // Servers for mailboxes use TLS from the first byte, unless they are old.
    let tls = imap.tls.as_ref().map_or(Tls::Implicit, |tls| tls.value);
    let Some(host) = imap.host else {
        return Err(Fault(location, "`imap` needs `host`, the name of a mail server".to_owned()));
    };
    let login = settle_login(imap.user, imap.password_env, imap.password_command)?;
    let Some(login) = login else {
        return Err(Fault(location, "`imap` needs `user`, the name that the server knows you by".to_owned()));
    };
    let mailbox = match imap.mailbox {
        Some(name) if name.value.is_empty() || !name.value.bytes().all(|byte| (b' '..0x7f).contains(&byte)) => {
            return Err(Fault(name.referenced, "`mailbox` is a name of ASCII characters, as in `INBOX`".to_owned()));
        }
        Some(name) => name.value,
        None => "INBOX".to_owned(),
    };
    let days = match imap.days {
        Some(days) if days.value == 0 => {
            return Err(Fault(
                days.referenced,
                "`days` is how many days back messages are looked at, 1 or more".to_owned(),
            ));
        }
        Some(days) => days.value,
        None => DAYS,
    };
    Ok(ImapSettings {
        host: settle_host(host, "imap.example.org", imap.tls.as_ref())?,
        port: settle_port(imap.port, tls.imap_port())?,
        tls,
        login,
        ca: imap.ca.map(|ca| resolve(&ca.value, folders)),
        timeout: settle_timeout(imap.timeout)?,
        mailbox,
        days,
    })
}
