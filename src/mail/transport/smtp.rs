//! A mail server: one connection a letter, step by step, so that an error says which step it was and whether the letter
//! may be out.

use std::env;
use std::error::Error as _;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::time::Duration;

use data_encoding::BASE64;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Certificate, SmtpConnection, TlsParameters, TlsParametersBuilder};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::transport::smtp::response::Response;

use super::{Receipt, SendError, said};
use crate::mail::letter::Message;
use crate::store::{Login, PasswordSource, SmtpSettings, Tls, is_loopback, read_record};
use crate::text::printable;

/// How long a server may take to say goodbye. It has the letter by then.
const FAREWELL: Duration = Duration::from_secs(5);
/// The reply to a login that succeeded (RFC 4954).
const LOGGED_IN: u16 = 235;
/// The reply to most commands that succeeded (RFC 5321).
const DONE: u16 = 250;
/// As [`DONE`], for a recipient whose letter will be handed on.
const FORWARDED: u16 = 251;
/// The reply that asks for the letter itself.
const GO_AHEAD: u16 = 354;

/// What was being done when it failed. Displayed, it follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStep {
    /// Find the server's address.
    Find,
    /// Connect and greet, with implicit TLS also encrypt.
    Connect,
    /// Turn to TLS.
    Encrypt,
    /// Log in.
    Login,
    /// Name the sender.
    Sender,
    /// Name the recipient.
    Recipient,
    /// Hand the letter over.
    Content,
}

impl fmt::Display for SmtpStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Find => "was not found",
            Self::Connect => "could not be connected to",
            Self::Encrypt => "did not turn to TLS, and nothing was sent",
            Self::Login => "refused the login",
            Self::Sender => "refused the sender",
            Self::Recipient => "refused the recipient",
            Self::Content => "did not take the letter",
        })
    }
}

/// One letter's talk with a server.
struct Talk<'a> {
    settings: &'a SmtpSettings,
    password: Option<String>,
}

pub(super) fn send(message: &Message, settings: &SmtpSettings) -> Result<Receipt, SendError> {
    // Settings read from the file are of that kind already; this is for those made elsewhere.
    if settings.tls == Tls::None && !is_loopback(&settings.host) {
        return Err(SendError::PlainText { host: settings.host.clone() });
    }
    // Before anything is said to the server, so that a password that is missing costs no connection.
    let tls = match settings.tls {
        Tls::None => None,
        Tls::Starttls | Tls::Implicit => Some(tls(settings)?),
    };
    let password = settings.login.as_ref().map(password).transpose()?;
    let talk = Talk { settings, password };
    let addresses = talk.addresses()?;
    let mut connection = talk.connect(&addresses, tls.as_ref())?;
    match talk.hand_over(&mut connection, message) {
        Ok(()) => {
            // It has the letter; whether it says goodbye does not matter.
            let _ = connection.set_timeout(Some(FAREWELL.min(settings.timeout)));
            let _ = connection.quit();
            Ok(Receipt::Server(settings.host.clone(), settings.port))
        }
        Err(error) => {
            let _ = connection.set_timeout(Some(FAREWELL.min(settings.timeout)));
            connection.abort();
            Err(error)
        }
    }
}

impl Talk<'_> {
    fn addresses(&self) -> Result<Vec<SocketAddr>, SendError> {
        let SmtpSettings { host, port, tls, .. } = self.settings;
        let found = (host.as_str(), *port).to_socket_addrs();
        let addresses: Vec<SocketAddr> =
            found.map_err(|error| self.failed(SmtpStep::Find, error.to_string()))?.collect();
        // `localhost` leads wherever the system's tables say.
        if *tls == Tls::None && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
            return Err(SendError::PlainText { host: host.clone() });
        }
        if addresses.is_empty() {
            return Err(self.failed(SmtpStep::Find, "it has no address".to_owned()));
        }
        Ok(addresses)
    }

    fn connect(&self, addresses: &[SocketAddr], tls: Option<&TlsParameters>) -> Result<SmtpConnection, SendError> {
        // Not this machine's name, which is nobody's business.
        let hello = ClientId::Ipv4(Ipv4Addr::LOCALHOST);
        let timeout = Some(self.settings.timeout);
        let at_once = tls.filter(|_| self.settings.tls == Tls::Implicit);
        let mut connection = SmtpConnection::connect(addresses, timeout, &hello, at_once, None)
            .map_err(|error| self.refused(SmtpStep::Connect, &error))?;
        if let Some(tls) = tls.filter(|_| self.settings.tls == Tls::Starttls) {
            connection.starttls(tls, &hello).map_err(|error| self.refused(SmtpStep::Encrypt, &error))?;
        }
        Ok(connection)
    }

    /// Says everything up to the letter. Each reply must be the one that belongs to its command: bytes that somebody
    /// slipped in before the connection was encrypted would otherwise pass for the replies to what follows.
    fn hand_over(&self, connection: &mut SmtpConnection, message: &Message) -> Result<(), SendError> {
        if let (Some(login), Some(password)) = (&self.settings.login, &self.password) {
            let credentials = Credentials::new(login.user.clone(), password.clone());
            let reply = connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials);
            self.expect(SmtpStep::Login, reply, &[LOGGED_IN])?;
        }
        let envelope = message.envelope();
        let mut parameters = Vec::new();
        let addresses = envelope.from().into_iter().chain(envelope.to());
        if !addresses.map(AsRef::<str>::as_ref).all(str::is_ascii) {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                let said = "it takes addresses of plain ASCII alone".to_owned();
                return Err(self.failed(SmtpStep::Recipient, said));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        let reply = connection.command(Mail::new(envelope.from().cloned(), parameters));
        self.expect(SmtpStep::Sender, reply, &[DONE])?;
        for to in envelope.to() {
            let reply = connection.command(Rcpt::new(to.clone(), Vec::new()));
            self.expect(SmtpStep::Recipient, reply, &[DONE, FORWARDED])?;
        }
        self.expect(SmtpStep::Content, connection.command(Data), &[GO_AHEAD])?;
        let letter = message.bytes();
        // The library ends the last line itself.
        match connection.message(letter.strip_suffix(b"\r\n").unwrap_or(&letter)) {
            Ok(reply) => self.expect(SmtpStep::Content, Ok(reply), &[DONE]),
            // Without a refusal nobody knows how far the letter got.
            Err(error) => Err(self.refused_at(SmtpStep::Content, &error, error.status().is_none())),
        }
    }

    fn expect(&self, step: SmtpStep, reply: Result<Response, Error>, codes: &[u16]) -> Result<(), SendError> {
        let reply = reply.map_err(|error| self.refused(step, &error))?;
        if codes.iter().any(|code| reply.has_code(*code)) {
            return Ok(());
        }
        let text: Vec<&str> = reply.message().collect();
        let said = format!("it answered out of turn: {} {}", reply.code(), text.join(" "));
        Err(self.failed(step, said))
    }

    fn failed(&self, step: SmtpStep, text: String) -> SendError {
        let SmtpSettings { host, port, .. } = self.settings;
        let said = said(self.without_password(text).as_bytes());
        SendError::Smtp { host: host.clone(), port: *port, step, said, hint: "", unsure: false }
    }

    fn refused(&self, step: SmtpStep, error: &Error) -> SendError {
        self.refused_at(step, error, false)
    }

    fn refused_at(&self, step: SmtpStep, error: &Error, unsure: bool) -> SendError {
        let SmtpSettings { host, port, .. } = self.settings;
        let (reason, hint) = self.reason(step, error);
        let said = said(self.without_password(reason).as_bytes());
        SendError::Smtp { host: host.clone(), port: *port, step, said, hint, unsure }
    }

    /// What happened, and what could be set or typed next.
    fn reason(&self, step: SmtpStep, error: &Error) -> (String, &'static str) {
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        if let Some(code) = error.status() {
            let hint = match (step, error.is_transient()) {
                (SmtpStep::Login, false) => "look at `user` and the password's source under `mail` in the settings",
                (_, true) => "that may pass: try again later",
                _ => "",
            };
            return (format!("{code} {text}"), hint);
        }
        let knows = |words: &str| text.contains(words);
        if knows("UnknownIssuer") {
            let hint = "if the server has its own authority, name its file by `ca` under `mail` in the settings";
            return ("its certificate comes from an authority unknown here".to_owned(), hint);
        }
        if knows("NotValidForName") || knows("not valid for name") {
            let hint = "set `host` under `mail` in the settings to the name in the certificate";
            return ("its certificate is for another name".to_owned(), hint);
        }
        if knows("certificate expired") || knows("Expired") {
            return ("its certificate has run out, or the clock here is wrong".to_owned(), "");
        }
        if knows("STARTTLS is not supported") {
            let hint =
                "set `tls` under `mail` in the settings to `implicit` (usually port 465), if the server has that";
            return ("it does not offer STARTTLS".to_owned(), hint);
        }
        if knows("No compatible authentication") {
            let hint = "leave `user` and the password's source out, if the server needs no login";
            return ("it offers no login by PLAIN or LOGIN".to_owned(), hint);
        }
        let hint = match step {
            SmtpStep::Connect => "look at `host`, `port` and `tls` under `mail` in the settings, or try again later",
            _ => "",
        };
        (text.replace("invalid", "unfit"), hint)
    }

    /// A server may repeat what it was told.
    fn without_password(&self, text: String) -> String {
        let (Some(login), Some(password)) = (&self.settings.login, &self.password) else { return text };
        let plain = BASE64.encode(format!("\0{}\0{password}", login.user).as_bytes());
        [plain, BASE64.encode(password.as_bytes()), password.clone()]
            .iter()
            .fold(text, |text, secret| text.replace(secret.as_str(), "(password)"))
    }
}

/// The system's authorities, and those of the file `ca`.
fn tls(settings: &SmtpSettings) -> Result<TlsParameters, SendError> {
    let mut builder = TlsParametersBuilder::new(settings.host.clone());
    if let Some(path) = &settings.ca {
        let refused = |message: String| SendError::Authorities { path: path.clone(), message };
        let pem = read_record(path).map_err(|error| refused(error.to_string()))?;
        // A file without any would be taken for one that adds nothing.
        if !pem.windows(27).any(|window| window == b"-----BEGIN CERTIFICATE-----") {
            return Err(refused("it holds no certificate in PEM form".to_owned()));
        }
        let certificate =
            Certificate::from_pem(&pem).map_err(|_| refused("its certificates cannot be read".to_owned()))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| SendError::Authorities {
        path: settings.ca.clone().unwrap_or_default(),
        message: printable(&error.to_string()).into_owned(),
    })
}

/// Gets the password from where the settings say. No error holds any part of it.
pub(in crate::mail) fn password(login: &Login) -> Result<String, SendError> {
    let missing = |message: String| SendError::Password { message };
    match &login.password {
        PasswordSource::Env(name) => match env::var(name) {
            Ok(password) if !password.is_empty() => Ok(password),
            Ok(_) | Err(env::VarError::NotPresent) => Err(missing(format!(
                "the environment variable {name} holds no password: set it, or name another by `password-env` under \
                 `mail` in the settings"
            ))),
            Err(env::VarError::NotUnicode(_)) => Err(missing(format!("the environment variable {name} is not UTF-8"))),
        },
        PasswordSource::Command(words) => {
            let mut words = words.iter();
            let program = words.next().map_or("", String::as_str);
            // What it has to say, and to ask, it says to the player.
            let output =
                Command::new(program).args(words).stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(
                    |source| SendError::Start { key: "password-command", program: program.to_owned(), source },
                )?;
            let shown = printable(program);
            if !output.status.success() {
                let status = output.status;
                return Err(missing(format!("the `password-command` `{shown}` gave no password ({status})")));
            }
            let line = output.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match std::str::from_utf8(line) {
                Ok(password) if !password.is_empty() => Ok(password.to_owned()),
                Ok(_) => Err(missing(format!("the first line that the `password-command` `{shown}` printed is empty"))),
                Err(_) => Err(missing(format!("what the `password-command` `{shown}` printed is not UTF-8"))),
            }
        }
    }
}
