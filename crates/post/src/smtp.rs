//! A mail server: one connection per letter, step by step, so that an error says which step failed and whether the
//! letter may have been sent. `lettre` writes the commands and parses the replies; the connection is handled here,
//! because that of `lettre` reads lines of any length and waits as long as something trickles in.

mod offers;

use std::env;
use std::fmt;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Quit, Rcpt, Starttls};
use lettre::transport::smtp::extension::{ClientId, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};
use rustls::ClientConfig;

use crate::local::{PIECE, said};
use crate::printed::{PrintedFault, printed};
use crate::wire;
use crate::wire::Wire;
use offers::{Offers, answered, replied};
use postrider_home::send::transport::{Receipt, SendError, SmtpStep};
use postrider_kernel::text::printable;
use postrider_mail::letter::Message;
use postrider_settings::{Login, PasswordSource, SmtpSettings, Tls, is_loopback};

/// How long a server may take to answer the farewell. It has the letter by then.
const FAREWELL: Duration = Duration::from_secs(5);
/// The longest line of a reply, in bytes. The standard says 512.
const MAX_LINE: usize = 4 << 10;
/// The most lines of a reply.
const MAX_LINES: usize = 200;
/// The most bytes of a reply.
const MAX_REPLY: usize = 64 << 10;
/// The most questions that a login may ask.
const MAX_QUESTIONS: usize = 10;
/// The reply of a server that is ready.
const READY: u16 = 220;
/// The reply that continues a login.
const GO_ON: u16 = 334;
/// The reply to a successful login (RFC 4954).
const LOGGED_IN: u16 = 235;
/// The reply to most successful commands (RFC 5321).
const DONE: u16 = 250;
/// Like [`DONE`], for a recipient whose letter will be forwarded.
const FORWARDED: u16 = 251;
/// The reply that asks for the letter itself.
const GO_AHEAD: u16 = 354;
/// The replies of a server that does not know a command.
const UNKNOWN: [u16; 2] = [500, 502];
/// The reply to a login in a way that the server has not.
const NO_SUCH_LOGIN: u16 = 504;

/// The exchange with a server about one letter.
struct Talk<'a> {
    settings: &'a SmtpSettings,
    password: Option<String>,
}

/// Why there was no reply, or not the expected one.
enum Fault {
    /// The connection failed, or its deadline passed.
    Connection(io::Error),
    /// The server refused.
    Refused(Response),
    /// The answer is not a reply, or not a reply to this command.
    Odd(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

/// The connection, and what the server offers.
struct Server<'a> {
    wire: Wire,
    offers: Offers,
    timeout: Duration,
    talk: &'a Talk<'a>,
}

pub(crate) fn send(message: &Message<'_>, settings: &SmtpSettings) -> Result<Receipt, SendError> {
    with_server(settings, |server| server.hand_over(message))?;
    Ok(Receipt::Server(settings.host.clone(), settings.port))
}

/// Connects to a mail server as if to send a letter, and logs in, but sends nothing.
///
/// # Errors
/// What would prevent a letter from being sent, as far as that can be known without one.
pub(crate) fn probe(settings: &SmtpSettings) -> Result<(), SendError> {
    with_server(settings, |server| server.log_in())
}

/// Connects to a server, runs an action, and says goodbye.
fn with_server(
    settings: &SmtpSettings,
    act: impl FnOnce(&mut Server<'_>) -> Result<(), SendError>,
) -> Result<(), SendError> {
    // Settings that were read from the file are safe already; this is for settings made in other ways.
    if settings.tls == Tls::None && !is_loopback(&settings.host) {
        return Err(SendError::PlainText { host: settings.host.clone() });
    }
    // Before anything is sent to the server, so that a missing password costs no connection.
    let tls = match settings.tls {
        Tls::None => None,
        Tls::Starttls | Tls::Implicit => Some(authorities(settings)?),
    };
    let password = settings.login.as_ref().map(password).transpose()?;
    let talk = Talk { settings, password };
    let addresses = talk.addresses()?;
    let mut server = talk.connect(&addresses, tls.as_ref())?;
    let done = act(&mut server);
    // Whether the letter was sent or not, it does not matter if the server answers the farewell.
    server.timeout = FAREWELL.min(settings.timeout);
    let _ = if done.is_ok() { server.command(Quit).map(|_| ()) } else { server.say(Quit) };
    done
}

impl<'a> Talk<'a> {
    fn addresses(&self) -> Result<Vec<SocketAddr>, SendError> {
        let SmtpSettings { host, port, tls, .. } = self.settings;
        let found = (host.as_str(), *port).to_socket_addrs();
        let addresses: Vec<SocketAddr> =
            found.map_err(|error| self.failed(SmtpStep::Find, error.to_string()))?.collect();
        // `localhost` may lead anywhere, depending on the system's host table.
        if *tls == Tls::None && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
            return Err(SendError::PlainText { host: host.clone() });
        }
        if addresses.is_empty() {
            return Err(self.failed(SmtpStep::Find, "it has no address".to_owned()));
        }
        Ok(addresses)
    }

    fn connect(&'a self, addresses: &[SocketAddr], tls: Option<&Arc<ClientConfig>>) -> Result<Server<'a>, SendError> {
        let SmtpSettings { host, timeout, .. } = self.settings;
        let failed = |step: SmtpStep| move |error: io::Error| self.refused(step, Fault::Connection(error));
        let mut wire = Wire::connect(addresses, *timeout).map_err(failed(SmtpStep::Connect))?;
        if let Some(tls) = tls.filter(|_| self.settings.tls == Tls::Implicit) {
            wire = wire.encrypt(tls, host).map_err(failed(SmtpStep::Connect))?;
        }
        let mut server = Server { wire, offers: Offers::default(), timeout: *timeout, talk: self };
        server.wire.begin(*timeout, 0);
        server
            .reply()
            .and_then(|reply| expected(reply, &[READY]))
            .map_err(|fault| self.refused(SmtpStep::Connect, fault))?;
        server.hello(SmtpStep::Connect)?;
        let Some(tls) = tls.filter(|_| self.settings.tls == Tls::Starttls) else { return Ok(server) };
        if !server.offers.has("STARTTLS") {
            let _ = server.say(Quit);
            let hint =
                "set `tls` under `mail` in the settings to `implicit` (usually port 465), if the server has that";
            return Err(self.told(SmtpStep::Encrypt, "it does not offer STARTTLS", hint, false));
        }
        server.ask(SmtpStep::Encrypt, Starttls, &[READY])?;
        // What someone injected before the connection was encrypted would pass for what comes after.
        if server.wire.is_ahead() {
            return Err(self.failed(SmtpStep::Encrypt, "it sent more than was asked for".to_owned()));
        }
        server.wire = server.wire.encrypt(tls, host).map_err(failed(SmtpStep::Encrypt))?;
        server.hello(SmtpStep::Encrypt)?;
        Ok(server)
    }
}

impl Server<'_> {
    fn hello(&mut self, step: SmtpStep) -> Result<(), SendError> {
        // Not the name of this machine, which is nobody's business.
        let name = ClientId::Ipv4(Ipv4Addr::LOCALHOST);
        let reply = match self.command(Ehlo::new(name.clone())) {
            // An old server is greeted in the old way, and offers nothing (RFC 5321, 3.2).
            Ok(reply) if UNKNOWN.iter().any(|code| reply.has_code(*code)) => {
                self.ask(step, format!("HELO {name}\r\n"), &[DONE])?;
                self.offers = Offers::default();
                return Ok(());
            }
            reply => reply.and_then(|reply| expected(reply, &[DONE])),
        };
        let reply = reply.map_err(|fault| self.talk.refused(step, fault))?;
        self.offers = Offers::find(&reply);
        Ok(())
    }

    /// Sends everything up to the letter, and the letter. Each reply must be the expected one.
    fn hand_over(&mut self, message: &Message<'_>) -> Result<(), SendError> {
        self.log_in()?;
        let envelope = message.envelope();
        let mut parameters = Vec::new();
        let addresses = envelope.from().into_iter().chain(envelope.to());
        if !addresses.map(AsRef::<str>::as_ref).all(str::is_ascii) {
            if !self.offers.has("SMTPUTF8") {
                let said = "it accepts only plain ASCII addresses".to_owned();
                return Err(self.talk.failed(SmtpStep::Recipient, said));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        self.ask(SmtpStep::Sender, Mail::new(envelope.from().cloned(), parameters), &[DONE])?;
        for to in envelope.to() {
            self.ask(SmtpStep::Recipient, Rcpt::new(to.clone(), Vec::new()), &[DONE, FORWARDED])?;
        }
        self.ask(SmtpStep::Content, Data, &[GO_AHEAD])?;
        self.wire.begin(self.timeout, message.length());
        let mut dotted = Dotted::new(|piece: &[u8]| self.wire.say(piece));
        let said = message.write_to(&mut dotted).and_then(|()| dotted.end());
        let taken = said.map_err(Fault::from).and_then(|()| self.reply());
        // Without a refusal, nobody knows how far the letter got.
        taken.and_then(|reply| expected(reply, &[DONE])).map(|_| ()).map_err(|fault| {
            let unsure = !matches!(fault, Fault::Refused(_));
            self.talk.refused_at(SmtpStep::Content, fault, unsure)
        })
    }

    fn log_in(&mut self) -> Result<(), SendError> {
        let (Some(login), Some(password)) = (&self.talk.settings.login, &self.talk.password) else { return Ok(()) };
        let mut ways = self.offers.logins().into_iter().peekable();
        if ways.peek().is_none() {
            let (why, hint) = match self.offers.tokens() {
                Some(name) => (format!("it {}", wire::only_tokens(name)), ""),
                None => (
                    "it offers no login by PLAIN or LOGIN".to_owned(),
                    "leave `user` and the password's source out, if the server needs no login",
                ),
            };
            return Err(self.talk.told(SmtpStep::Login, &why, hint, false));
        }
        while let Some(how) = ways.next() {
            let refused = |fault| self.talk.refused(SmtpStep::Login, fault);
            let mut reply = self.command(how.begins(&login.user, password)).map_err(refused)?;
            if reply.has_code(NO_SUCH_LOGIN) && ways.peek().is_some() {
                continue;
            }
            for question in 0..MAX_QUESTIONS {
                reply =
                    expected(reply, &[LOGGED_IN, GO_ON]).map_err(|fault| self.talk.refused(SmtpStep::Login, fault))?;
                if !reply.has_code(GO_ON) {
                    return Ok(());
                }
                let words = answered(how, &reply, question, &login.user, password);
                reply = self.command(words).map_err(|fault| self.talk.refused(SmtpStep::Login, fault))?;
            }
            break;
        }
        Err(self.talk.refused(SmtpStep::Login, Fault::Odd("it asked without end".to_owned())))
    }

    /// Sends a command and reads the reply, which must have one of these codes.
    fn ask(&mut self, step: SmtpStep, command: impl fmt::Display, codes: &[u16]) -> Result<Response, SendError> {
        let reply = self.command(command).and_then(|reply| expected(reply, codes));
        reply.map_err(|fault| self.talk.refused(step, fault))
    }

    fn command(&mut self, command: impl fmt::Display) -> Result<Response, Fault> {
        self.say(command)?;
        self.reply()
    }

    fn say(&mut self, command: impl fmt::Display) -> Result<(), Fault> {
        self.wire.begin(self.timeout, 0);
        Ok(self.wire.say(command.to_string().as_bytes())?)
    }

    /// Reads a reply: lines with a code and a dash, and a last line with a space.
    fn reply(&mut self) -> Result<Response, Fault> {
        let too_much = || Fault::Odd("it sent too much".to_owned());
        let mut reply = Vec::new();
        for _ in 0..MAX_LINES {
            let start = reply.len();
            self.wire.line(&mut reply, MAX_LINE)?;
            let line = reply.get(start..).unwrap_or_default();
            if !line.ends_with(b"\n") {
                let closed = line.len() < MAX_LINE;
                return Err(if closed { io::Error::from(io::ErrorKind::UnexpectedEof).into() } else { too_much() });
            }
            if reply.len() > MAX_REPLY {
                return Err(too_much());
            }
            let line = reply.get(start..).unwrap_or_default();
            if line.get(3) != Some(&b'-') {
                let text = String::from_utf8_lossy(&reply);
                return replied(&text)
                    .ok_or_else(|| Fault::Odd(format!("it sent something that is not a reply: {}", text.trim_end())));
            }
        }
        Err(too_much())
    }
}

/// Checks that a reply has one of these codes.
fn expected(reply: Response, codes: &[u16]) -> Result<Response, Fault> {
    if codes.iter().any(|code| reply.has_code(*code)) {
        return Ok(reply);
    }
    if !reply.is_positive() {
        return Err(Fault::Refused(reply));
    }
    Err(Fault::Odd(format!("it answered out of turn: {}", in_words(&reply))))
}

/// Returns a reply on one line, with its code, and only once the status code that may begin each line (RFC 2034).
fn in_words(reply: &Response) -> String {
    let mut lines = reply.message();
    let first = lines.next().unwrap_or_default();
    let status = first.split(' ').next().filter(|word| word.matches('.').count() == 2).unwrap_or("\0");
    let rest = lines.map(|line| line.strip_prefix(status).unwrap_or(line).trim());
    let text: Vec<&str> = std::iter::once(first).chain(rest).collect();
    format!("{} {}", reply.code(), text.join(" ")).trim_end().to_owned()
}

/// Passes a letter on as the content of a message (RFC 5321, 4.5.2), piece by piece: a dot at the beginning of a line is doubled, and a
/// dot alone ends it.
struct Dotted<S> {
    say: S,
    piece: Vec<u8>,
    begins_line: bool,
}

impl<S: FnMut(&[u8]) -> io::Result<()>> Dotted<S> {
    fn new(say: S) -> Self {
        Self { say, piece: Vec::with_capacity(PIECE + 64), begins_line: true }
    }

    /// Passes on what is there, except for the last line end: it says how the letter ends.
    fn pass(&mut self) -> io::Result<()> {
        let kept = self.piece.len().saturating_sub(2);
        (self.say)(self.piece.get(..kept).unwrap_or_default())?;
        self.piece.drain(..kept);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if !self.piece.ends_with(b"\r\n") {
            self.piece.extend_from_slice(b"\r\n");
        }
        self.piece.extend_from_slice(b".\r\n");
        (self.say)(&self.piece)
    }
}

impl<S: FnMut(&[u8]) -> io::Result<()>> Write for Dotted<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.begins_line && line.starts_with(b".") {
                self.piece.push(b'.');
            }
            self.piece.extend_from_slice(line);
            self.begins_line = line.ends_with(b"\n");
            if self.piece.len() >= PIECE {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Talk<'_> {
    fn failed(&self, step: SmtpStep, text: String) -> SendError {
        self.told(step, &text, "", false)
    }

    fn refused(&self, step: SmtpStep, fault: Fault) -> SendError {
        self.refused_at(step, fault, false)
    }

    fn told(&self, step: SmtpStep, text: &str, hint: &str, unsure: bool) -> SendError {
        let SmtpSettings { host, port, .. } = self.settings;
        let said = said(self.without_password(text.to_owned()).as_bytes());
        SendError::Smtp { host: host.clone(), port: *port, step, said, hint: hint.to_owned(), unsure }
    }

    /// Says what happened, and what could be set or typed next.
    fn refused_at(&self, step: SmtpStep, fault: Fault, unsure: bool) -> SendError {
        match fault {
            Fault::Refused(reply) => {
                let hint = match (step, reply.code().severity) {
                    (SmtpStep::Login, Severity::PermanentNegativeCompletion) => {
                        "look at `user` and the password's source under `mail` in the settings"
                    }
                    (_, Severity::TransientNegativeCompletion) => "this may be temporary: try again later",
                    _ => "",
                };
                self.told(step, &in_words(&reply), hint, unsure)
            }
            Fault::Odd(text) => self.told(step, &text.replace("invalid", "unfit"), "", unsure),
            Fault::Connection(error) => {
                let (text, advice) = wire::reason(&error, "mail", self.settings.timeout);
                let advice = match step {
                    SmtpStep::Connect if advice.is_empty() => {
                        "look at `host`, `port` and `tls` under `mail` in the settings, or try again later"
                    }
                    _ => &advice,
                };
                self.told(step, &text.replace("invalid", "unfit"), advice, unsure)
            }
        }
    }

    /// Removes the password from a text: a server may repeat what it was sent.
    fn without_password(&self, text: String) -> String {
        let (Some(login), Some(password)) = (&self.settings.login, &self.password) else { return text };
        let plain = BASE64.encode(format!("\0{}\0{password}", login.user).as_bytes());
        [plain, BASE64.encode(password.as_bytes()), password.clone()]
            .iter()
            .fold(text, |text, secret| text.replace(secret.as_str(), "(password)"))
    }
}

/// The system's certificate authorities and those in the file `ca`.
fn authorities(settings: &SmtpSettings) -> Result<Arc<ClientConfig>, SendError> {
    wire::authorities(settings.ca.as_deref()).map_err(|why| SendError::Authorities {
        path: settings.ca.clone().unwrap_or_default(),
        message: printable(&why).into_owned(),
    })
}

/// Gets the password as the settings say. No error contains any part of it.
pub(crate) fn password(login: &Login) -> Result<String, SendError> {
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
            let program = words.first().map_or("", String::as_str);
            let shown = printable(program);
            printed(words).map(|password| password.to_string()).map_err(|fault| match fault {
                PrintedFault::Start(source) => {
                    SendError::Start { key: "password-command", program: program.to_owned(), source }
                }
                PrintedFault::Failed(status) => {
                    missing(format!("the `password-command` `{shown}` gave no password ({status})"))
                }
                PrintedFault::Read(error) => {
                    missing(format!("what the `password-command` `{shown}` printed cannot be read: {error}"))
                }
                PrintedFault::Empty => {
                    missing(format!("the first line that the `password-command` `{shown}` printed is empty"))
                }
                PrintedFault::NotText => missing(format!("what the `password-command` `{shown}` printed is not UTF-8")),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_at_the_beginning_of_lines_are_doubled_however_a_letter_comes_in_pieces() {
        let long = ".".repeat(3 * PIECE);
        for (letter, expected) in [
            ("a\r\n", "a\r\n.\r\n"),
            ("a", "a\r\n.\r\n"),
            ("a\n", "a\n\r\n.\r\n"),
            ("", "\r\n.\r\n"),
            (".\r\n..b.\r\n.c", "..\r\n...b.\r\n..c\r\n.\r\n"),
            (long.as_str(), &format!(".{long}\r\n.\r\n")),
            (&".d\r\n".repeat(PIECE), &("..d\r\n".repeat(PIECE) + ".\r\n")),
        ] {
            for size in [1, 2, 3, 1000, usize::MAX] {
                let (mut said, mut most) = (Vec::new(), 0);
                let mut dotted = Dotted::new(|piece: &[u8]| {
                    said.extend_from_slice(piece);
                    most = most.max(piece.len());
                    Ok(())
                });
                for piece in letter.as_bytes().chunks(size) {
                    dotted.write_all(piece).expect("a piece");
                }
                dotted.end().expect("an end");
                assert!(said == expected.as_bytes(), "{:.20} in pieces of {size}", letter);
                assert!(size > 1000 || most < 2 * PIECE, "nothing is collected");
            }
        }
    }
}
