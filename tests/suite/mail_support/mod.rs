//! What the tests of mail share: a letter to send, and a small mail server on loopback that does what it is told and
//! remembers everything.

#![allow(dead_code, reason = "each test program uses its part")]

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use data_encoding::BASE64;
use postrider_mail::{Letter, Message, Party};
use postrider_settings::{SmtpSettings, Tls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub const GAME: &str = "asalto-20261121-7k3q9x";
pub const RECORD: &[u8] = b"---\npbem: 1\n---\n1 defenders place c6 e6\n";
pub const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tls/ca.pem");

/// The letter about entry 1; for a different `digest`, about a different record.
pub fn letter_with(digest: u8) -> Message<'static> {
    Letter {
        thread: None,
        from: Party { name: "Ada Quill", address: "ada@example.org" },
        to: Party { name: "Bram Post", address: "bram@example.net" },
        game: GAME,
        entry: 1,
        side: "defenders",
        actions: "place c6 e6",
        digest: [digest; 32],
        earlier: &[],
        date: chrono::DateTime::from_timestamp(1_795_600_000, 0).unwrap(),
        text: "Your move.\n.\n.. two dots\n",
        html: None,
        record: RECORD,
        attached: true,
        page: None,
        auto: false,
        seat: Default::default(),
    }
    .build()
    .unwrap()
}

pub fn letter() -> Message<'static> {
    letter_with(0xab)
}

/// Converts line ends to LF.
pub fn unix(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replace("\r\n", "\n").into_bytes()
}

/// How the server behaves.
#[derive(Clone)]
pub struct Manners {
    pub tls: Tls,
    /// What it offers in reply to EHLO.
    pub offers: Vec<&'static str>,
    /// User and password, if it requires a login.
    pub login: Option<(String, String)>,
    /// Replies to these commands in place of the usual ones: the first words of the command, and the reply. An empty
    /// reply closes the connection.
    pub replies: Vec<(&'static str, String)>,
    /// What it sends after the reply to STARTTLS, before the connection is encrypted.
    pub slipped_in: &'static str,
}

impl Default for Manners {
    fn default() -> Self {
        Self { tls: Tls::None, offers: vec!["8BITMIME"], login: None, replies: vec![], slipped_in: "" }
    }
}

/// What the server received.
#[derive(Default, Debug, Clone)]
pub struct Heard {
    pub connections: usize,
    pub commands: Vec<String>,
    pub letters: Vec<Vec<u8>>,
}

pub struct Server {
    pub port: u16,
    heard: Arc<Mutex<Heard>>,
    thread: Option<JoinHandle<()>>,
}

pub trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

impl Server {
    pub fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let notes = Arc::clone(&heard);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
                notes.lock().unwrap().connections += 1;
                let closer = stream.try_clone().unwrap();
                // A client that disconnects without a word ends its conversation, not the server.
                let stop = talk(stream, &manners, &notes).unwrap_or(false);
                let _ = closer.shutdown(Shutdown::Both);
                if stop {
                    return;
                }
            }
        });
        Self { port, heard, thread: Some(thread) }
    }

    pub fn settings(&self, tls: Tls) -> SmtpSettings {
        SmtpSettings {
            host: "localhost".to_owned(),
            port: self.port,
            tls,
            login: None,
            ca: None,
            timeout: Duration::from_secs(10),
        }
    }

    /// Returns the letters that have arrived since the last call. Conversations are served one after another, so once a short one
    /// of its own is over, everything that a client had sent before it was killed has been noted.
    pub fn take_letters(&self) -> Vec<Vec<u8>> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(b"QUIT\r\n").unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
        self.heard.lock().unwrap().connections -= 1;
        std::mem::take(&mut self.heard.lock().unwrap().letters)
    }

    /// Stops the server and returns what it received.
    pub fn heard(mut self) -> Heard {
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = stream.write_all(b"STOP\r\n");
            self.thread.take().unwrap().join().unwrap();
        }
        let mut heard = self.heard.lock().unwrap().clone();
        heard.connections -= 1;
        heard
    }
}

fn tls_config() -> Arc<rustls::ServerConfig> {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../../data/tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../../data/tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

/// The server's side of TLS.
pub fn encrypted(tcp: TcpStream) -> Box<dyn Stream> {
    Box::new(rustls::StreamOwned::new(rustls::ServerConnection::new(tls_config()).unwrap(), tcp))
}

/// Reads a line without its end.
pub fn line(stream: &mut dyn Stream) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        line.push(byte[0]);
        if line.ends_with(b"\r\n") {
            line.truncate(line.len() - 2);
            return Ok(line);
        }
    }
}

/// One connection. Returns whether the server should stop.
fn talk(tcp: TcpStream, manners: &Manners, heard: &Mutex<Heard>) -> io::Result<bool> {
    // The test that stops the server says so in plain text.
    let mut peeked = [0; 4];
    if manners.tls == Tls::Implicit && tcp.peek(&mut peeked)? == 4 && &peeked == b"STOP" {
        return Ok(true);
    }
    let mut plain = tcp.try_clone()?;
    let mut stream: Box<dyn Stream> =
        if manners.tls == Tls::Implicit { encrypted(tcp.try_clone()?) } else { Box::new(tcp.try_clone()?) };
    let mut logged_in = manners.login.is_none();
    let greeting = manners.replies.iter().find(|(start, _)| *start == "greeting");
    stream.write_all(format!("{}\r\n", greeting.map_or("220 here", |(_, reply)| reply)).as_bytes())?;
    loop {
        let command = String::from_utf8(line(&mut *stream)?).unwrap();
        if command == "STOP" {
            return Ok(true);
        }
        heard.lock().unwrap().commands.push(command.clone());
        let upper = command.to_uppercase();
        let verb = upper.split([' ', ':']).next().unwrap().to_owned();
        if let Some((_, reply)) = manners.replies.iter().find(|(start, _)| upper.starts_with(start)) {
            if reply.is_empty() {
                return Ok(false);
            }
            stream.write_all(format!("{reply}\r\n").as_bytes())?;
            continue;
        }
        let reply = match verb.as_str() {
            "EHLO" => {
                let lines: Vec<_> = manners.offers.iter().map(|offer| format!("250-{offer}\r\n")).collect();
                format!("{}250 HELP", lines.concat())
            }
            "STARTTLS" => {
                plain.write_all(format!("220 go on\r\n{}", manners.slipped_in).as_bytes())?;
                stream = encrypted(tcp.try_clone()?);
                continue;
            }
            "AUTH" => {
                logged_in = login(&mut *stream, &command, manners)?;
                if logged_in { "235 welcome".to_owned() } else { format!("535 5.7.8 no: {command}") }
            }
            "MAIL" if !logged_in => "530 log in first".to_owned(),
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                let mut letter = Vec::new();
                loop {
                    let line = line(&mut *stream)?;
                    if line == b"." {
                        break;
                    }
                    letter.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
                    letter.extend_from_slice(b"\r\n");
                }
                heard.lock().unwrap().letters.push(letter);
                match manners.replies.iter().find(|(start, _)| *start == ".") {
                    Some((_, reply)) if reply.is_empty() => return Ok(false),
                    Some((_, reply)) => reply.clone(),
                    None => "250 taken".to_owned(),
                }
            }
            "QUIT" => {
                stream.write_all(b"221 goodbye\r\n")?;
                return Ok(false);
            }
            _ => "250 well".to_owned(),
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
}

fn login(stream: &mut dyn Stream, command: &str, manners: &Manners) -> io::Result<bool> {
    let (user, password) = manners.login.clone().unwrap_or_default();
    let decode = |text: &str| String::from_utf8(BASE64.decode(text.as_bytes()).unwrap()).unwrap();
    match command.split(' ').collect::<Vec<_>>()[..] {
        ["AUTH", "PLAIN", secret] => Ok(decode(secret) == format!("\0{user}\0{password}")),
        ["AUTH", "LOGIN", ..] => {
            let mut said = Vec::new();
            for question in ["334 VXNlcm5hbWU6\r\n", "334 UGFzc3dvcmQ6\r\n"] {
                stream.write_all(question.as_bytes())?;
                said.push(decode(&String::from_utf8(line(stream)?).unwrap()));
            }
            Ok(said == [user, password])
        }
        _ => Ok(false),
    }
}

/// A server that misbehaves on its only connection.
pub struct Rogue {
    pub port: u16,
    thread: JoinHandle<u64>,
}

/// How long a client waits that is to wait in vain: everything before that has to be done within it, however busy the machine.
pub const BUSY: Duration = Duration::from_secs(15);

/// More bytes than come one by one, with a pause of 50 ms after each, until a client has noticed that it has waited that long.
pub const ENDLESS: u64 = 2400;

/// Does something with each of these at the same time, and fails if any of it does.
pub fn at_once<T: Send, const N: usize>(cases: [T; N], each: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            let each = &each;
            scope.spawn(move || each(case));
        }
    });
}

/// How it misbehaves when the time comes.
#[derive(Clone, Copy, Debug)]
pub enum Mischief {
    /// It sends these bytes endlessly.
    Flood(&'static [u8]),
    /// It sends these bytes one by one, with a pause after each, endlessly.
    Drip(&'static [u8], Duration),
}

impl Rogue {
    /// Sends `lines` (a greeting, then replies), one after each line received, and then misbehaves. Before the lines
    /// from `encrypted_from` on, it switches to TLS.
    pub fn start(lines: &'static [&'static str], encrypted_from: usize, mischief: Mischief) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            let (tcp, _) = listener.accept().unwrap();
            tcp.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            tcp.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
            let mut said = 0;
            let _ = misbehave(&tcp, lines, encrypted_from, mischief, &mut said);
            let _ = tcp.shutdown(Shutdown::Both);
            said
        });
        Self { port, thread }
    }

    /// How many bytes it could send before the connection was closed.
    pub fn said(self) -> u64 {
        self.thread.join().unwrap()
    }
}

fn misbehave(
    tcp: &TcpStream,
    lines: &[&str],
    encrypted_from: usize,
    mischief: Mischief,
    said: &mut u64,
) -> io::Result<()> {
    let mut stream: Box<dyn Stream> = Box::new(tcp.try_clone()?);
    for at in 0..=lines.len() {
        if at == encrypted_from {
            stream = encrypted(tcp.try_clone()?);
        }
        let Some(reply) = lines.get(at) else { break };
        stream.write_all(reply.as_bytes())?;
        stream.flush()?;
        // Before a handshake there are no lines.
        if at + 1 != encrypted_from {
            line(&mut *stream)?;
        }
    }
    // Enough to exhaust a reader that kept all of it.
    while *said < 100 << 20 {
        match mischief {
            Mischief::Flood(bytes) => {
                let block = bytes.repeat((64 << 10) / bytes.len());
                stream.write_all(&block)?;
                *said += block.len() as u64;
            }
            Mischief::Drip(bytes, pause) => {
                for byte in bytes {
                    stream.write_all(&[*byte])?;
                    stream.flush()?;
                    *said += 1;
                    std::thread::sleep(pause);
                }
            }
        }
    }
    Ok(())
}
