//! A mailbox on a server (IMAP4rev1, RFC 3501), opened read-only: no flag is set and nothing is moved. `imap-proto`
//! parses the responses; the protocol is handled here, so that a server cannot make this program hold more than one
//! message.

mod answers;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Days, Utc};
use data_encoding::BASE64;
use imap_proto::{MailboxDatum, Response, ResponseCode, Status};
use rustls::ClientConfig;

use crate::local::said;
use crate::smtp::password;
use crate::wire;
use crate::wire::Wire;
use answers::{Offers, about_message, counted, ending, searched};
use postrider_home::receive::inbox::fault::{ImapError, ImapStep};
use postrider_home::receive::inbox::taker::{InboxError, Taker};
use postrider_home::receive::received::Mark;
use postrider_kernel::text::printable;
use postrider_mail::incoming::MAX_MESSAGE;
use postrider_referee::record::Time;
use postrider_settings::{ImapSettings, Tls, is_loopback};

/// The most bytes of one response: a message and what surrounds it.
const MAX_RESPONSE: usize = MAX_MESSAGE + (1 << 16);
/// The most bytes of all responses to a command that asks for neither a message nor a list.
const MAX_ANSWER: usize = 256 << 10;
/// The most bytes of a list of messages: some hundred thousand numbers.
const MAX_LIST: usize = 4 << 20;
/// The most responses to one command, including those that a server sends unasked, such as flags set by others.
const MAX_RESPONSES: usize = 10_000;
/// How many messages the sizes are requested for at once.
const BATCH: usize = 200;
/// How often the connection is made anew in one reading because it broke at a message.
const MAX_REPAIRS: u32 = 4;
/// The most brackets that one response may open outside its literals. What is asked for opens two; the parser recurses
/// at each, and the stack is limited.
const MAX_BRACKETS: usize = 32;

/// Passes on each message of the mailbox that arrived in the last days, up to `now`, and is not known yet.
///
/// # Errors
/// The errors of the taker or of the server.
pub fn imap<T: Taker>(settings: &ImapSettings, now: DateTime<Utc>, taker: &mut T) -> Result<(), T::Stop> {
    let mut mailbox = Mailbox::open(settings).map_err(stop::<T>)?;
    mailbox.read(now, taker)?;
    mailbox.close();
    Ok(())
}

fn stop<T: Taker>(error: ImapError) -> T::Stop {
    T::Stop::from(InboxError::Imap(error))
}

/// A mailbox that stays open, so that the server can say when something comes (RFC 2177).
pub struct Mailbox {
    session: Session,
    validity: u32,
    /// Whether the server can say when something comes; not asked yet if there is none.
    tells: Option<bool>,
}

impl Mailbox {
    /// Connects to the server, logs in, and opens the mailbox read-only.
    ///
    /// # Errors
    /// What prevents it from being read.
    pub fn open(settings: &ImapSettings) -> Result<Self, ImapError> {
        let mut session = Session::open(settings)?;
        let validity = session.examine()?;
        Ok(Self { session, validity, tells: None })
    }

    /// Whether this is that mailbox, and its server still answers.
    pub fn is_open(&mut self, settings: &ImapSettings) -> bool {
        self.session.settings == *settings && self.session.command("NOOP", MAX_ANSWER).is_ok()
    }

    /// Passes on each message that arrived in the last days, up to `now`, and is not known yet.
    ///
    /// # Errors
    /// The errors of the taker or of the server.
    pub fn read<T: Taker>(&mut self, now: DateTime<Utc>, taker: &mut T) -> Result<(), T::Stop> {
        let Self { session, validity, .. } = self;
        let ImapSettings { host, login, mailbox, days, .. } = session.settings.clone();
        let since = now.checked_sub_days(Days::new(u64::from(days))).unwrap_or(now);
        let mark = |uid: u32| {
            let parts = [host.as_bytes(), login.user.as_bytes(), mailbox.as_bytes()];
            Mark::of(&[b"imap", parts[0], parts[1], parts[2], &validity.to_be_bytes(), &uid.to_be_bytes()])
        };
        let uids = session.list(since).map_err(stop::<T>)?;
        let uids: Vec<u32> = uids.into_iter().filter(|uid| !taker.knows(&mark(*uid))).collect();
        let place = |uid: u32| format!("{}, message {uid}", printable(&mailbox));
        let mut repairs = 0;
        for batch in uids.chunks(BATCH) {
            for (uid, known) in session.sizes(batch).map_err(stop::<T>)? {
                let (size, at) = match known {
                    Ok(known) => known,
                    Err(error) => {
                        taker.pass(&InboxError::Message(place(uid), error));
                        continue;
                    }
                };
                let message = if size as usize > MAX_MESSAGE {
                    // Not worth fetching, because a message that is too large is refused unread.
                    Ok(Some(vec![0; MAX_MESSAGE + 1]))
                } else {
                    session.fetch_or_repair(uid, size, *validity, &mut repairs).map_err(stop::<T>)?
                };
                match message {
                    Ok(Some(message)) => {
                        taker.arrived(at);
                        taker.take(&place(uid), Some(mark(uid)), &message)?;
                    }
                    // It was removed in the meantime.
                    Ok(None) => {}
                    // One message that the server cannot hand out does not hide the others.
                    Err(error) => taker.pass(&InboxError::Message(place(uid), error)),
                }
            }
        }
        Ok(())
    }

    /// Waits until a message comes, at most this long. Returns `false` at once if the server cannot say when.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn wait(&mut self, most: Duration) -> Result<bool, ImapError> {
        let tells = match self.tells {
            Some(tells) => tells,
            None => *self.tells.insert(self.session.tells()?),
        };
        if tells {
            self.session.idle(most)?;
        }
        Ok(tells)
    }

    /// Logs out.
    pub fn close(self) {
        self.session.close();
    }
}

/// Connects to the server as if to read, logs in, and opens the mailbox, but reads no message.
///
/// # Errors
/// What would prevent the mailbox from being read.
pub(crate) fn probe(settings: &ImapSettings) -> Result<(), ImapError> {
    let mut session = Session::open(settings)?;
    session.examine()?;
    session.close();
    Ok(())
}

struct Session {
    settings: ImapSettings,
    wire: Wire,
    tag: u32,
    step: ImapStep,
    /// Texts that no message of ours repeats, even if the server sends them back.
    hidden: Vec<String>,
}

/// The result of a command: the untagged responses before its end.
type Answer = Vec<Vec<u8>>;
/// The size of a message in bytes, and when the server took it.
type Size = (u32, Option<Time>);
/// The sizes of messages, each by its number.
type Listed = Vec<(u32, Result<Size, ImapError>)>;
/// The same, and why it may not be all.
type Sizes = (Listed, Option<String>);
/// A message, `None` if it is gone, or why the server cannot hand it out.
type Fetched = Result<Option<Vec<u8>>, ImapError>;

/// What is said of an answer that has another form than the standard wants.
const UNREADABLE: &str = "its answer cannot be read";

impl Session {
    fn open(settings: &ImapSettings) -> Result<Self, ImapError> {
        if settings.tls == Tls::None && !is_loopback(&settings.host) {
            return Err(ImapError::PlainText(printable(&settings.host).into_owned()));
        }
        let tls = if settings.tls == Tls::None { None } else { Some(authorities(settings)?) };
        // Before anything is sent to the server, so that a missing password costs no connection.
        let secret = password(&settings.login)
            .map_err(|error| ImapError::Password(error.to_string().replace("under `mail`", "under `imap`")))?;
        let mut wire = connect(settings)?;
        let encrypted = |wire: Wire, step: ImapStep| match &tls {
            Some(tls) => {
                wire.encrypt(tls, &settings.host).map_err(|error| failed(settings, step, &reason(settings, &error)))
            }
            None => Ok(wire),
        };
        if settings.tls == Tls::Implicit {
            wire = encrypted(wire, ImapStep::Connect)?;
        }
        let mut session =
            Self { settings: settings.clone(), wire, tag: 0, step: ImapStep::Connect, hidden: Vec::new() };
        let known = session.greeting()?;
        if settings.tls == Tls::Starttls {
            if known {
                return Err(ImapError::NoLogin(
                    named(settings),
                    "has logged somebody in by itself, and then allows no encryption: set `tls` under `imap` in the settings to \
                     `implicit` (usually port 993)"
                        .to_owned(),
                ));
            }
            session.step = ImapStep::Encrypt;
            session.command("STARTTLS", MAX_ANSWER)?;
            // What someone injected before the connection was encrypted would pass for what comes after.
            if session.wire.is_ahead() {
                return Err(session.failed("it sent more than was asked for"));
            }
            session.wire = encrypted(session.wire, ImapStep::Encrypt)?;
        }
        session.hidden.push(secret.clone());
        if !known {
            session.log_in(&secret)?;
        }
        Ok(session)
    }

    /// Reads the greeting. Returns whether the server knows already who is there (`PREAUTH`), as one does that was started for its user.
    fn greeting(&mut self) -> Result<bool, ImapError> {
        self.wire.begin(self.settings.timeout, 0);
        let line = self.response(MAX_ANSWER)?;
        match Response::parse(&line) {
            Ok((_, Response::Data { status: Status::Ok, .. })) => Ok(false),
            Ok((_, Response::Data { status: Status::PreAuth, .. })) => Ok(true),
            _ => Err(self.failed(&String::from_utf8_lossy(&line))),
        }
    }

    fn log_in(&mut self, secret: &str) -> Result<(), ImapError> {
        self.step = ImapStep::Login;
        let offers = Offers::find(&self.command("CAPABILITY", MAX_ANSWER)?);
        let user = self.settings.login.user.clone();
        if offers.has("AUTH=PLAIN") {
            let words = BASE64.encode(format!("\0{user}\0{secret}").as_bytes());
            self.hidden.insert(0, words.clone());
            return self.command_with("AUTHENTICATE PLAIN", Some(&words), MAX_ANSWER, 0).map(|_| ());
        }
        if offers.has("LOGINDISABLED") {
            let why = match offers.tokens() {
                Some(name) => wire::only_tokens(name),
                None if self.settings.tls == Tls::None => {
                    "takes no password over a connection in plain text: set `tls` under `imap` in the settings to `starttls` or \
                     `implicit`"
                        .to_owned()
                }
                None => "takes no password here (LOGINDISABLED), so none was sent: ask your provider how programs log in".to_owned(),
            };
            return Err(ImapError::NoLogin(named(&self.settings), why));
        }
        let command = format!("LOGIN {} {}", self.quoted(&user)?, self.quoted(secret)?);
        self.command(&command, MAX_ANSWER).map(|_| ())
    }

    /// Opens the mailbox read-only and returns its UIDVALIDITY, which its message numbers belong to.
    fn examine(&mut self) -> Result<u32, ImapError> {
        self.step = ImapStep::Mailbox;
        let command = format!("EXAMINE {}", self.quoted(&self.settings.mailbox)?);
        let answer = self.command(&command, MAX_ANSWER)?;
        let validity = answer.iter().find_map(|line| match Response::parse(line) {
            Ok((_, Response::Data { outcome, .. })) => match outcome.code {
                Some(ResponseCode::UidValidity(number)) => Some(number),
                _ => None,
            },
            _ => None,
        });
        Ok(validity.unwrap_or_default())
    }

    /// Returns the numbers of the messages that arrived since a given day.
    fn list(&mut self, since: DateTime<Utc>) -> Result<Vec<u32>, ImapError> {
        self.step = ImapStep::List;
        let answer = self.command(&format!("UID SEARCH SINCE {}", since.format("%-d-%b-%Y")), MAX_LIST)?;
        let mut uids = searched(&answer).ok_or_else(|| self.failed("its list cannot be read"))?;
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// Returns the size of each message, and when the server took it. If the server does not say so for all of them at once, each is
    /// asked for alone; the error is that of one message.
    fn sizes(&mut self, uids: &[u32]) -> Result<Listed, ImapError> {
        self.step = ImapStep::List;
        let list: Vec<String> = uids.iter().map(u32::to_string).collect();
        let (mut sizes, fault) = self.sizes_of(&list.join(","), "UID INTERNALDATE RFC822.SIZE", uids)?;
        if fault.is_some() {
            let missing: Vec<u32> =
                uids.iter().copied().filter(|uid| !sizes.iter().any(|(known, _)| known == uid)).collect();
            for uid in missing {
                let (mut one, fault) = self.sizes_of(&uid.to_string(), "UID RFC822.SIZE", &[uid])?;
                // Without either, it was removed in the meantime.
                sizes.extend(one.pop().or_else(|| fault.map(|fault| (uid, Err(self.failed(&fault))))));
            }
        }
        sizes.sort_by_key(|(uid, _)| *uid);
        sizes.dedup_by_key(|(uid, _)| *uid);
        Ok(sizes)
    }

    /// Asks for the sizes of the messages in a list; says why it may not be all, if the server refused or could not be understood.
    fn sizes_of(&mut self, list: &str, items: &str, uids: &[u32]) -> Result<Sizes, ImapError> {
        let (answer, mut fault) = self.exchange(&format!("UID FETCH {list} ({items})"), None, MAX_ANSWER, 0)?;
        let mut sizes = Vec::new();
        for said in answer.iter().filter_map(|line| about_message(line)) {
            let Ok(said) = said else {
                fault.get_or_insert_with(|| UNREADABLE.to_owned());
                continue;
            };
            if said.size.is_none() && said.uid.is_some_and(|uid| uids.contains(&uid)) {
                fault.get_or_insert_with(|| UNREADABLE.to_owned());
            }
            // A server may send more than it was asked for.
            let known = said.uid.zip(said.size).filter(|(uid, _)| uids.contains(uid));
            sizes.extend(known.map(|(uid, size)| (uid, Ok((size, said.at)))));
        }
        Ok((sizes, fault))
    }

    /// Fetches a message, once more over a new connection if this one broke: the message itself may be what broke it. The inner error is
    /// that of this message; after it the session is of use for the next one.
    fn fetch_or_repair(&mut self, uid: u32, size: u32, validity: u32, repairs: &mut u32) -> Result<Fetched, ImapError> {
        let mut again = true;
        loop {
            let error = match self.fetch(uid, size) {
                Ok(fetched) => return Ok(fetched),
                Err(error) => error,
            };
            if *repairs >= MAX_REPAIRS {
                return Err(error);
            }
            *repairs += 1;
            self.wire.hang_up();
            let settings = self.settings.clone();
            let repaired = Self::open(&settings).and_then(|mut session| Ok((session.examine()?, session)));
            match repaired {
                Ok((found, session)) if found == validity => *self = session,
                _ => return Err(error),
            }
            if !std::mem::take(&mut again) {
                return Ok(Err(error));
            }
        }
    }

    /// Fetches a message; the larger it is said to be, the longer it may take.
    fn fetch(&mut self, uid: u32, size: u32) -> Result<Fetched, ImapError> {
        self.step = ImapStep::Fetch;
        let command = format!("UID FETCH {uid} (UID BODY.PEEK[])");
        let (answer, refused) = self.exchange(&command, None, MAX_RESPONSE, (size as usize).saturating_mul(2))?;
        if let Some(said) = refused {
            return Ok(Err(self.failed(&said)));
        }
        let mut fault = None;
        for said in answer.iter().filter_map(|line| about_message(line)) {
            match said {
                Ok(said) if said.uid.is_some_and(|its| its != uid) => {}
                Ok(said) => match said.body {
                    Some(Some(message)) if !message.is_empty() || size == 0 => return Ok(Ok(Some(message))),
                    Some(_) => fault = Some("it has nothing of it"),
                    None if said.uid.is_some() => fault = fault.or(Some(UNREADABLE)),
                    // What was changed about some message, for instance, which nobody asked for.
                    None => {}
                },
                Err(()) => fault = Some(UNREADABLE),
            }
        }
        Ok(match fault {
            Some(fault) => Err(self.failed(fault)),
            None => Ok(None),
        })
    }

    /// Whether the server can say when a message comes.
    fn tells(&mut self) -> Result<bool, ImapError> {
        self.step = ImapStep::Wait;
        Ok(Offers::find(&self.command("CAPABILITY", MAX_ANSWER)?).has("IDLE"))
    }

    /// Waits until a message comes, at most this long.
    fn idle(&mut self, most: Duration) -> Result<(), ImapError> {
        self.step = ImapStep::Wait;
        self.tag += 1;
        let tag = format!("p{}", self.tag);
        self.wire.begin(self.settings.timeout, 0);
        self.say(&format!("{tag} IDLE"))?;
        let begun = Instant::now();
        let (mut waits, mut comes, mut done) = (false, false, false);
        for _ in 0..MAX_RESPONSES {
            let left = most.saturating_sub(begun.elapsed());
            if waits && !done {
                let says = match comes || left < Duration::from_millis(1) {
                    true => false,
                    false => self.wire.wait(left).map_err(|error| self.failed(&reason(&self.settings, &error)))?,
                };
                self.wire.begin(self.settings.timeout, 0);
                if !says {
                    self.say("DONE")?;
                    done = true;
                }
            }
            let line = self.response(MAX_ANSWER)?;
            match Response::parse(&line) {
                Ok((_, Response::Done { tag: found, status: Status::Ok, .. })) if done && found.0 == tag => {
                    return Ok(());
                }
                Ok((_, Response::Done { .. } | Response::Data { status: Status::Bye, .. })) => {
                    return Err(self.failed(&String::from_utf8_lossy(&line)));
                }
                Ok((_, Response::Continue(_))) => waits = true,
                Ok((_, Response::MailboxData(MailboxDatum::Exists(_) | MailboxDatum::Recent(_)))) => comes = true,
                _ => {}
            }
        }
        Err(self.failed("it sent too much"))
    }

    /// Logs out. Whether the server answers does not matter.
    fn close(mut self) {
        self.wire.begin(self.settings.timeout, 0);
        let _ = self.wire.say(b"bye LOGOUT\r\n");
    }

    fn command(&mut self, command: &str, limit: usize) -> Result<Answer, ImapError> {
        self.command_with(command, None, limit, 0)
    }

    /// As [`Self::exchange`]; a refusal is an error.
    fn command_with(
        &mut self,
        command: &str,
        more: Option<&str>,
        limit: usize,
        bulk: usize,
    ) -> Result<Answer, ImapError> {
        match self.exchange(command, more, limit, bulk)? {
            (answer, None) => Ok(answer),
            (_, Some(said)) => Err(self.refused(&said)),
        }
    }

    /// Sends a command, and `more` when the server asks for it; collects the responses up to the end of the command, at
    /// most `limit` bytes. All of it shares the time of one exchange, and `bulk` bytes get extra time. If the server refused, the second
    /// value is what it said; the connection is of use for the next command.
    fn exchange(
        &mut self,
        command: &str,
        mut more: Option<&str>,
        limit: usize,
        bulk: usize,
    ) -> Result<(Answer, Option<String>), ImapError> {
        self.tag += 1;
        let tag = format!("p{}", self.tag);
        self.wire.begin(self.settings.timeout, bulk);
        self.say(&format!("{tag} {command}"))?;
        let (mut answer, mut size, mut questions) = (Vec::new(), 0, 0);
        loop {
            let line = self.response(limit.saturating_sub(size))?;
            size += line.len();
            match Response::parse(&line) {
                Ok((_, Response::Done { tag: found, status, outcome })) => {
                    let outcome = outcome.information.map(|text| text.into_owned()).unwrap_or_default();
                    return match status {
                        _ if found.0 != tag => Err(self.failed("it answered out of turn")),
                        Status::Ok => Ok((answer, None)),
                        _ => Ok((answer, Some(outcome))),
                    };
                }
                Ok((_, Response::Continue(_))) => {
                    questions += 1;
                    match more.take() {
                        Some(words) => self.say(words)?,
                        // An empty line ends the server's questions.
                        None if questions <= 2 => self.say("")?,
                        None => return Err(self.failed("it answered out of turn")),
                    }
                }
                Ok((_, Response::Data { status: Status::Bye, .. })) => {
                    return Err(self.failed(&String::from_utf8_lossy(&line)));
                }
                _ => match ending(&line, &tag) {
                    Some((done, said)) => return Ok((answer, (!done).then_some(said))),
                    None => answer.push(line),
                },
            }
            if answer.len() > MAX_RESPONSES {
                return Err(self.failed("it sent too much"));
            }
        }
    }

    fn say(&mut self, line: &str) -> Result<(), ImapError> {
        let done = self.wire.say(format!("{line}\r\n").as_bytes());
        done.map_err(|error| self.failed(&reason(&self.settings, &error)))
    }

    /// Reads one response of at most `limit` bytes: a line with the literals in it.
    fn response(&mut self, limit: usize) -> Result<Vec<u8>, ImapError> {
        let mut response = Vec::new();
        let mut brackets = 0;
        loop {
            let start = response.len();
            let room = limit.saturating_sub(start);
            let read = self.wire.line(&mut response, room);
            read.map_err(|error| self.failed(&reason(&self.settings, &error)))?;
            let line = response.get(start..).unwrap_or_default();
            if !line.ends_with(b"\n") {
                let why = if line.len() >= room { "it sent too much" } else { "it closed the connection" };
                return Err(self.failed(why));
            }
            brackets += line.iter().filter(|&&byte| byte == b'(').count();
            if brackets > MAX_BRACKETS {
                return Err(self.failed("it opened more brackets than any answer has"));
            }
            let Some(length) = counted(line) else { return Ok(response) };
            if length > limit.saturating_sub(response.len()) {
                return Err(self.failed("it sent too much"));
            }
            let before = response.len();
            let read = self.wire.bytes(&mut response, length);
            read.map_err(|error| self.failed(&reason(&self.settings, &error)))?;
            if response.len() - before < length {
                return Err(self.failed("it closed the connection"));
            }
        }
    }

    /// Quotes a text for a command.
    fn quoted(&self, text: &str) -> Result<String, ImapError> {
        if !text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
            return Err(self.failed("it offers no login by PLAIN, and by LOGIN it takes ASCII only"));
        }
        Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
    }

    /// The error if the server refused, with what could be set.
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
        let text = if text.trim().is_empty() { "it gave no reason" } else { text };
        let text = self.hidden.iter().fold(text.to_owned(), |text, word| text.replace(word, "(password)"));
        failed(&self.settings, self.step, &text)
    }
}

/// The server and its port.
fn named(settings: &ImapSettings) -> String {
    format!("{}:{}", printable(&settings.host), settings.port)
}

fn failed(settings: &ImapSettings, step: ImapStep, text: &str) -> ImapError {
    ImapError::Server { server: named(settings), step, said: said(text.replace("invalid", "unfit").as_bytes()) }
}

/// Says why a connection failed, and what could be set.
fn reason(settings: &ImapSettings, error: &io::Error) -> String {
    let (why, advice) = wire::reason(error, "imap", settings.timeout);
    if advice.is_empty() { why } else { format!("{why}; {advice}") }
}

fn connect(settings: &ImapSettings) -> Result<Wire, ImapError> {
    let ImapSettings { host, port, tls, timeout, .. } = settings;
    let found = (host.as_str(), *port).to_socket_addrs();
    let addresses: Vec<SocketAddr> =
        found.map_err(|error| failed(settings, ImapStep::Find, &error.to_string()))?.collect();
    // `localhost` may lead anywhere, depending on the system's host table.
    if *tls == Tls::None && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
        return Err(ImapError::PlainText(printable(host).into_owned()));
    }
    if addresses.is_empty() {
        return Err(failed(settings, ImapStep::Find, "it has no address"));
    }
    Wire::connect(&addresses, *timeout).map_err(|error| failed(settings, ImapStep::Connect, &reason(settings, &error)))
}

/// The system's certificate authorities and those in the file `ca`.
fn authorities(settings: &ImapSettings) -> Result<Arc<ClientConfig>, ImapError> {
    let ca = settings.ca.as_deref();
    wire::authorities(ca).map_err(|why| {
        let file = ca.map(|path| format!("{}: ", path.display())).unwrap_or_default();
        ImapError::Authorities(printable(&format!("{file}{why}")).into_owned())
    })
}
