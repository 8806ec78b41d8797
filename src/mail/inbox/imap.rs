//! A mailbox on a server (IMAP4rev1, RFC 3501), opened for reading only: no flag is set, nothing is moved. The responses are
//! read by `imap-proto`; the talk itself is here, so that a server cannot make this program keep more than one message.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;

use chrono::{DateTime, Days, Utc};
use data_encoding::BASE64;
use imap_proto::{AttributeValue, Capability, MailboxDatum, Response, ResponseCode, Status};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::{InboxError, MAX_MESSAGE, Taker};
use crate::mail::transport::{password, said};
use crate::store::{ImapSettings, Mark, Tls, is_loopback, read_record};
use crate::text::printable;

/// The most bytes of one response: a message and what stands around it.
const MAX_RESPONSE: usize = MAX_MESSAGE + (1 << 16);
/// Of how many messages the sizes are asked for at once.
const BATCH: usize = 200;
/// The most brackets that one response opens outside of its counted bytes. What is asked for opens two; the parser goes down a
/// level at each, and the stack has an end.
const MAX_BRACKETS: usize = 32;

/// What was being done when it failed. Displayed, it follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImapStep {
    /// Find the server's address.
    Find,
    /// Connect and be greeted.
    Connect,
    /// Turn to TLS.
    Encrypt,
    /// Log in.
    Login,
    /// Open the mailbox.
    Mailbox,
    /// List its messages.
    List,
    /// Fetch a message.
    Fetch,
}

impl fmt::Display for ImapStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Find => "was not found",
            Self::Connect => "could not be connected to",
            Self::Encrypt => "did not turn to TLS, and nothing was said",
            Self::Login => "refused the login",
            Self::Mailbox => "did not open the mailbox",
            Self::List => "did not list the messages",
            Self::Fetch => "did not hand out a message",
        })
    }
}

/// Why a mailbox on a server could not be read. Holds no part of a password.
#[derive(Debug)]
pub enum ImapError {
    /// The settings name none.
    NotSet,
    /// There is no password, and why.
    Password(String),
    /// A server elsewhere would be spoken to in plain text.
    PlainText(String),
    /// The certificate authorities cannot be used, and why.
    Authorities(String),
    /// The server could not be talked to, or refused.
    Server {
        /// The server and its port.
        server: String,
        /// What was being done.
        step: ImapStep,
        /// What the server or the system said.
        said: String,
    },
}

impl fmt::Display for ImapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSet => f.write_str("the settings name no mailbox on a server: set `imap:` with `host` and `user`"),
            Self::Password(message) => f.write_str(message),
            Self::PlainText(host) => write!(
                f,
                "{host} is not this machine, and would be spoken to in plain text: set `tls` under `imap` in the \
                 settings to `implicit` or `starttls`"
            ),
            Self::Authorities(why) => {
                write!(
                    f,
                    "the certificate authorities cannot be used: {why}; look at `ca` under `imap` in the settings"
                )
            }
            Self::Server { server, step, said } => write!(f, "{server} {step}: {said}"),
        }
    }
}

impl std::error::Error for ImapError {}

/// Hands on each message of the mailbox that came in the last days, up to `now`, and is not known.
///
/// # Errors
/// What the taker or the server says.
pub fn imap<T: Taker>(settings: &ImapSettings, now: DateTime<Utc>, taker: &mut T) -> Result<(), T::Stop> {
    let stop = |error: ImapError| T::Stop::from(InboxError::Imap(error));
    let mut session = Session::open(settings).map_err(stop)?;
    let validity = session.examine().map_err(stop)?;
    let since = now.checked_sub_days(Days::new(u64::from(settings.days))).unwrap_or(now);
    let ImapSettings { host, login, mailbox, .. } = settings;
    let mark = |uid: u32| {
        let parts = [host.as_bytes(), login.user.as_bytes(), mailbox.as_bytes()];
        Mark::of(&[b"imap", parts[0], parts[1], parts[2], &validity.to_be_bytes(), &uid.to_be_bytes()])
    };
    let uids = session.list(since).map_err(stop)?;
    let uids: Vec<u32> = uids.into_iter().filter(|uid| !taker.knows(&mark(*uid))).collect();
    for batch in uids.chunks(BATCH) {
        for (uid, size) in session.sizes(batch).map_err(stop)? {
            let message = if size as usize > MAX_MESSAGE {
                // Not worth fetching: what is too large is refused unread.
                Some(vec![0; MAX_MESSAGE + 1])
            } else {
                session.fetch(uid).map_err(stop)?
            };
            // One that was removed meanwhile is none.
            let Some(message) = message else { continue };
            taker.take(&format!("{}, message {uid}", printable(mailbox)), Some(mark(uid)), &message)?;
        }
    }
    session.close();
    Ok(())
}

/// The two kinds of connection.
trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

struct Session<'a> {
    settings: &'a ImapSettings,
    stream: BufReader<Box<dyn Stream>>,
    tag: u32,
    step: ImapStep,
    /// What is never repeated, though the server may repeat what it was told.
    hidden: Vec<String>,
}

/// What came of a command: the untagged responses before its end.
type Answer = Vec<Vec<u8>>;

impl<'a> Session<'a> {
    fn open(settings: &'a ImapSettings) -> Result<Self, ImapError> {
        if settings.tls == Tls::None && !is_loopback(&settings.host) {
            return Err(ImapError::PlainText(printable(&settings.host).into_owned()));
        }
        let tls = if settings.tls == Tls::None { None } else { Some(tls_config(settings)?) };
        // Before anything is said to the server, so that a password that is missing costs no connection.
        let secret = password(&settings.login)
            .map_err(|error| ImapError::Password(error.to_string().replace("under `mail`", "under `imap`")))?;
        let failed = |step, said: String| failed(settings, step, &said);
        let tcp = connect(settings)?;
        let plain = tcp.try_clone().map_err(|error| failed(ImapStep::Connect, error.to_string()))?;
        let encrypted = |tcp: TcpStream| -> Result<Box<dyn Stream>, ImapError> {
            let Some(tls) = tls.clone() else { return Ok(Box::new(tcp)) };
            let name = ServerName::try_from(settings.host.clone())
                .map_err(|error| failed(ImapStep::Encrypt, error.to_string()))?;
            let connection = ClientConnection::new(tls, name);
            let mut connection = connection.map_err(|error| failed(ImapStep::Encrypt, error.to_string()))?;
            let mut tcp = tcp;
            // Here, so that a certificate that is refused does not look like a refused login.
            let step = if settings.tls == Tls::Implicit { ImapStep::Connect } else { ImapStep::Encrypt };
            connection.complete_io(&mut tcp).map_err(|error| failed(step, reason(settings, &error)))?;
            Ok(Box::new(StreamOwned::new(connection, tcp)))
        };
        let at_once = settings.tls == Tls::Implicit;
        let stream = if at_once { encrypted(tcp)? } else { Box::new(tcp) };
        let mut session =
            Self { settings, stream: BufReader::new(stream), tag: 0, step: ImapStep::Connect, hidden: Vec::new() };
        session.greeting()?;
        if settings.tls == Tls::Starttls {
            session.step = ImapStep::Encrypt;
            session.command("STARTTLS")?;
            // What somebody slipped in before the connection was encrypted would pass for what comes after.
            if !session.stream.buffer().is_empty() {
                return Err(session.failed("it said more than it was asked"));
            }
            session.stream = BufReader::new(encrypted(plain)?);
        }
        session.log_in(&secret)?;
        Ok(session)
    }

    fn greeting(&mut self) -> Result<(), ImapError> {
        let line = self.response()?;
        match Response::parse(&line) {
            Ok((_, Response::Data { status: Status::Ok, .. })) => Ok(()),
            _ => Err(self.failed(&String::from_utf8_lossy(&line))),
        }
    }

    fn log_in(&mut self, secret: &str) -> Result<(), ImapError> {
        self.step = ImapStep::Login;
        let answer = self.command("CAPABILITY")?;
        let knows_plain = answer.iter().any(|line| match Response::parse(line) {
            Ok((_, Response::Capabilities(list))) => {
                list.iter().any(|one| matches!(one, Capability::Auth(name) if name.eq_ignore_ascii_case("PLAIN")))
            }
            _ => false,
        });
        let user = &self.settings.login.user;
        self.hidden.push(secret.to_owned());
        if knows_plain {
            let words = BASE64.encode(format!("\0{user}\0{secret}").as_bytes());
            self.hidden.insert(0, words.clone());
            return self.command_with("AUTHENTICATE PLAIN", Some(&words)).map(|_| ());
        }
        let command = format!("LOGIN {} {}", self.quoted(user)?, self.quoted(secret)?);
        self.command(&command).map(|_| ())
    }

    /// Opens the mailbox for reading and returns what its numbers belong to.
    fn examine(&mut self) -> Result<u32, ImapError> {
        self.step = ImapStep::Mailbox;
        let command = format!("EXAMINE {}", self.quoted(&self.settings.mailbox)?);
        let answer = self.command(&command)?;
        let validity = answer.iter().find_map(|line| match Response::parse(line) {
            Ok((_, Response::Data { outcome, .. })) => match outcome.code {
                Some(ResponseCode::UidValidity(number)) => Some(number),
                _ => None,
            },
            _ => None,
        });
        Ok(validity.unwrap_or_default())
    }

    /// The numbers of the messages that came since a day.
    fn list(&mut self, since: DateTime<Utc>) -> Result<Vec<u32>, ImapError> {
        self.step = ImapStep::List;
        let answer = self.command(&format!("UID SEARCH SINCE {}", since.format("%-d-%b-%Y")))?;
        let mut uids: Vec<u32> = answer
            .iter()
            .filter_map(|line| match Response::parse(line) {
                Ok((_, Response::MailboxData(MailboxDatum::Search(uids)))) => Some(uids),
                _ => None,
            })
            .flatten()
            .collect();
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    fn sizes(&mut self, uids: &[u32]) -> Result<Vec<(u32, u32)>, ImapError> {
        self.step = ImapStep::List;
        let list: Vec<String> = uids.iter().map(u32::to_string).collect();
        let answer = self.command(&format!("UID FETCH {} (UID RFC822.SIZE)", list.join(",")))?;
        let mut sizes = Vec::new();
        for line in &answer {
            let Ok((_, Response::Fetch(_, values))) = Response::parse(line) else { continue };
            let uid =
                values.iter().find_map(|value| if let AttributeValue::Uid(uid) = value { Some(*uid) } else { None });
            let size = values
                .iter()
                .find_map(|value| if let AttributeValue::Rfc822Size(size) = value { Some(*size) } else { None });
            // A server may say more than it was asked.
            sizes.extend(uid.zip(size).filter(|(uid, _)| uids.contains(uid)));
        }
        sizes.sort_unstable();
        sizes.dedup_by_key(|(uid, _)| *uid);
        Ok(sizes)
    }

    fn fetch(&mut self, uid: u32) -> Result<Option<Vec<u8>>, ImapError> {
        self.step = ImapStep::Fetch;
        let answer = self.command(&format!("UID FETCH {uid} (UID BODY.PEEK[])"))?;
        Ok(answer.iter().find_map(|line| {
            let Ok((_, Response::Fetch(_, values))) = Response::parse(line) else { return None };
            values.into_iter().find_map(|value| match value {
                AttributeValue::BodySection { section: None, data: Some(data), .. } => Some(data.into_owned()),
                _ => None,
            })
        }))
    }

    /// Says goodbye. Whether the server answers does not matter.
    fn close(mut self) {
        let _ = self.stream.get_mut().write_all(b"bye LOGOUT\r\n");
        let _ = self.stream.get_mut().flush();
    }

    fn command(&mut self, command: &str) -> Result<Answer, ImapError> {
        self.command_with(command, None)
    }

    /// Says a command, and `more` when the server asks for it; collects what it answers up to the command's end.
    fn command_with(&mut self, command: &str, mut more: Option<&str>) -> Result<Answer, ImapError> {
        self.tag += 1;
        let tag = format!("p{}", self.tag);
        self.say(&format!("{tag} {command}"))?;
        let (mut answer, mut size, mut questions) = (Vec::new(), 0, 0);
        loop {
            let line = self.response()?;
            size += line.len();
            if size > 2 * MAX_RESPONSE {
                return Err(self.failed("it said more than a message could hold"));
            }
            match Response::parse(&line) {
                Ok((_, Response::Done { tag: found, status, outcome })) => {
                    let outcome = outcome.information.map(|text| text.into_owned()).unwrap_or_default();
                    return match status {
                        Status::Ok if found.0 == tag => Ok(answer),
                        Status::Ok => Err(self.failed("it answered out of turn")),
                        _ => Err(self.refused(&outcome)),
                    };
                }
                Ok((_, Response::Continue(_))) => {
                    questions += 1;
                    match more.take() {
                        Some(words) => self.say(words)?,
                        // An empty line ends what it wants to hear.
                        None if questions <= 2 => self.say("")?,
                        None => return Err(self.failed("it answered out of turn")),
                    }
                }
                Ok((_, Response::Data { status: Status::Bye, .. })) => {
                    return Err(self.failed(&String::from_utf8_lossy(&line)));
                }
                _ => answer.push(line),
            }
        }
    }

    fn say(&mut self, line: &str) -> Result<(), ImapError> {
        let stream = self.stream.get_mut();
        let done = stream.write_all(format!("{line}\r\n").as_bytes()).and_then(|()| stream.flush());
        done.map_err(|error| self.failed(&reason(self.settings, &error)))
    }

    /// One response: a line, with the blocks of counted bytes that stand in it.
    fn response(&mut self) -> Result<Vec<u8>, ImapError> {
        let mut response = Vec::new();
        let mut brackets = 0;
        loop {
            let start = response.len();
            let room = (MAX_RESPONSE - start.min(MAX_RESPONSE)) as u64;
            let read = self.stream.by_ref().take(room).read_until(b'\n', &mut response);
            read.map_err(|error| self.failed(&reason(self.settings, &error)))?;
            let line = response.get(start..).unwrap_or_default();
            if !line.ends_with(b"\n") {
                let why =
                    if start + line.len() >= MAX_RESPONSE { "it said too much" } else { "it closed the connection" };
                return Err(self.failed(why));
            }
            brackets += line.iter().filter(|&&byte| byte == b'(').count();
            if brackets > MAX_BRACKETS {
                return Err(self.failed("it opened more brackets than any answer has"));
            }
            let Some(length) = counted(line) else { return Ok(response) };
            if length > MAX_RESPONSE.saturating_sub(response.len()) {
                return Err(self.failed("it said too much"));
            }
            let before = response.len();
            let read = self.stream.by_ref().take(length as u64).read_to_end(&mut response);
            read.map_err(|error| self.failed(&reason(self.settings, &error)))?;
            if response.len() - before < length {
                return Err(self.failed("it closed the connection"));
            }
        }
    }

    /// A text in double quotes, as commands take it.
    fn quoted(&self, text: &str) -> Result<String, ImapError> {
        if !text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
            return Err(self.failed("it offers no login by PLAIN, and by LOGIN it takes ASCII only"));
        }
        Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
    }

    /// That the server said no, and what could be set then.
    fn refused(&self, text: &str) -> ImapError {
        let hint = match self.step {
            ImapStep::Encrypt => {
                "set `tls` under `imap` in the settings to `implicit` (usually port 993), if the server has that"
            }
            ImapStep::Login => "look at `user` and the password's source under `imap` in the settings",
            ImapStep::Mailbox => "look at `mailbox` under `imap` in the settings",
            _ => return self.failed(text),
        };
        match self.failed(text) {
            ImapError::Server { server, step, said } => {
                ImapError::Server { server, step, said: format!("{said}; {hint}") }
            }
            other => other,
        }
    }

    fn failed(&self, text: &str) -> ImapError {
        let text = self.hidden.iter().fold(text.to_owned(), |text, word| text.replace(word, "(password)"));
        failed(self.settings, self.step, &text)
    }
}

fn failed(settings: &ImapSettings, step: ImapStep, text: &str) -> ImapError {
    let server = format!("{}:{}", printable(&settings.host), settings.port);
    ImapError::Server { server, step, said: said(text.replace("invalid", "unfit").as_bytes()) }
}

/// Why a connection failed, and what could be set then.
fn reason(settings: &ImapSettings, error: &io::Error) -> String {
    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
        return format!("there was no answer for {:?}", settings.timeout);
    }
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return "it closed the connection".to_owned();
    }
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let known = match tls {
        Some(rustls::Error::InvalidCertificate(fault)) => match fault {
            CertificateError::UnknownIssuer => {
                "its certificate comes from an authority unknown here; if the server has its own authority, name its file \
                 by `ca` under `imap` in the settings"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name; set `host` under `imap` in the settings to the name in the certificate"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has run out, or the clock here is wrong"
            }
            _ => return error.to_string(),
        },
        Some(rustls::Error::InvalidMessage(_)) => {
            "what it speaks is not TLS; look at `port` and `tls` under `imap` in the settings"
        }
        _ => return error.to_string(),
    };
    known.to_owned()
}

/// The number of bytes that follow a line that ends in `{number}`.
fn counted(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\r\n")?.strip_suffix(b"}")?;
    let at = line.iter().rposition(|&byte| byte == b'{')?;
    std::str::from_utf8(line.get(at + 1..)?).ok()?.parse().ok()
}

fn connect(settings: &ImapSettings) -> Result<TcpStream, ImapError> {
    let ImapSettings { host, port, tls, timeout, .. } = settings;
    let found = (host.as_str(), *port).to_socket_addrs();
    let addresses: Vec<SocketAddr> =
        found.map_err(|error| failed(settings, ImapStep::Find, &error.to_string()))?.collect();
    // `localhost` leads wherever the system's tables say.
    if *tls == Tls::None && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
        return Err(ImapError::PlainText(printable(host).into_owned()));
    }
    let mut last = failed(settings, ImapStep::Find, "it has no address");
    for address in addresses {
        let tried = TcpStream::connect_timeout(&address, *timeout).and_then(|tcp| {
            tcp.set_read_timeout(Some(*timeout))?;
            tcp.set_write_timeout(Some(*timeout))?;
            Ok(tcp)
        });
        match tried {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = failed(settings, ImapStep::Connect, &error.to_string()),
        }
    }
    Err(last)
}

/// The system's authorities, and those of the file `ca`.
fn tls_config(settings: &ImapSettings) -> Result<Arc<ClientConfig>, ImapError> {
    let refused = |why: String| ImapError::Authorities(printable(&why).into_owned());
    let mut roots = RootCertStore::empty();
    // One odd certificate among the system's does not matter.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &settings.ca {
        let pem = read_record(path).map_err(|error: io::Error| refused(format!("{}: {error}", path.display())))?;
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| refused(format!("{}: {error:?}", path.display())))?;
            roots.add(certificate).map_err(|error| refused(format!("{}: {error}", path.display())))?;
        }
        if roots.len() == before {
            return Err(refused(format!("{} holds no certificate in PEM form", path.display())));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}
