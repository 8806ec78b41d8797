//! A mailbox on a server, on loopback: with TLS from the first byte, with STARTTLS, unencrypted; and servers that
//! misbehave.

use crate::letters;
#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::letters::{GAME_FILE, letter, record, run};
use crate::session::{Done, Session};
use data_encoding::BASE64;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tls/ca.pem");

#[derive(Clone)]
pub struct Manners {
    tls: &'static str,
    capabilities: &'static str,
    messages: Vec<String>,
    /// Replies to commands with these beginnings; `TAG` stands for the tag of the command.
    replies: Vec<(&'static str, String)>,
    slipped_in: &'static str,
    /// The size that it reports for messages, if not the real one.
    size: Option<u64>,
    /// When it took the messages, if it says so.
    dates: Vec<String>,
}

impl Manners {
    pub fn new(tls: &'static str, messages: &[String]) -> Self {
        let capabilities = "IMAP4rev1 AUTH=PLAIN";
        Self {
            tls,
            capabilities,
            messages: messages.to_vec(),
            replies: vec![],
            slipped_in: "",
            size: None,
            dates: vec![],
        }
    }
}

pub struct Server {
    pub port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    thread: JoinHandle<()>,
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

impl Server {
    /// Accepts one connection.
    pub fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        let thread = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            // A client that disconnects ends the conversation.
            let _ = talk(stream, &manners, &notes);
        });
        Self { port, heard, thread }
    }

    /// The port of a mailbox that is served any number of times until the tests end.
    pub fn mailbox(messages: &[String]) -> u16 {
        Self::mailbox_since(messages, &[])
    }

    /// The port of such a mailbox, whose server says when it took each message: `21-Nov-2026 12:00:00 +0000`.
    pub fn mailbox_since(messages: &[String], dates: &[String]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let manners = Manners { dates: dates.to_vec(), ..Manners::new("none", messages) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
                let _ = talk(stream, &manners, &Mutex::new(Vec::new()));
            }
        });
        port
    }

    pub fn heard(self) -> Vec<String> {
        // Avoids waiting for a client that never came.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.thread.join().unwrap();
        self.heard.lock().unwrap().clone()
    }
}

fn encrypt(tcp: TcpStream) -> Box<dyn Stream> {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../data/tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../data/tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    Box::new(rustls::StreamOwned::new(rustls::ServerConnection::new(Arc::new(config)).unwrap(), tcp))
}

fn talk(tcp: TcpStream, manners: &Manners, heard: &Mutex<Vec<String>>) -> io::Result<()> {
    let plain = tcp.try_clone()?;
    let mut stream: BufReader<Box<dyn Stream>> =
        BufReader::new(if manners.tls == "implicit" { encrypt(tcp) } else { Box::new(tcp) });
    stream.get_mut().write_all(b"* OK here\r\n")?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim_end().to_owned();
        let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
        heard.lock().unwrap().push(command.to_owned());
        if let Some((_, reply)) = manners.replies.iter().find(|(start, _)| command.starts_with(start)) {
            stream.get_mut().write_all(reply.replace("TAG", tag).as_bytes())?;
            continue;
        }
        let sizes = || {
            let size = |message: &String| manners.size.unwrap_or(message.len() as u64);
            let date =
                |n: usize| manners.dates.get(n - 1).map(|date| format!(" INTERNALDATE \"{date}\"")).unwrap_or_default();
            let lines = manners.messages.iter().zip(1..);
            lines
                .map(|(message, n)| format!("* {n} FETCH (UID {n}0{} RFC822.SIZE {})\r\n", date(n), size(message)))
                .collect::<String>()
        };
        let answer = if command == "STARTTLS" {
            stream.get_mut().write_all(format!("{tag} OK go\r\n{}", manners.slipped_in).as_bytes())?;
            stream = BufReader::new(encrypt(plain.try_clone()?));
            continue;
        } else if command == "CAPABILITY" {
            format!("* CAPABILITY {}\r\n", manners.capabilities)
        } else if command == "AUTHENTICATE PLAIN" {
            stream.get_mut().write_all(b"+ \r\n")?;
            let mut words = String::new();
            stream.read_line(&mut words)?;
            if BASE64.decode(words.trim_end().as_bytes()).unwrap() != b"\0bram\0pa\"ss word" {
                stream.get_mut().write_all(format!("{tag} NO not {words}").as_bytes())?;
                continue;
            }
            String::new()
        } else if command.starts_with("EXAMINE") {
            "* FLAGS (\\Seen)\r\n* 2 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n".to_owned()
        } else if command.starts_with("UID SEARCH") {
            let uids: Vec<_> = (1..=manners.messages.len()).map(|n| format!("{n}0")).collect();
            format!("* SEARCH {}\r\n", uids.join(" "))
        } else if command.contains("RFC822.SIZE") {
            sizes()
        } else if let Some(rest) = command.strip_prefix("UID FETCH ") {
            let uid: usize = rest.split(' ').next().unwrap().parse().unwrap();
            let message = &manners.messages[uid / 10 - 1];
            format!("* {} FETCH (UID {uid} BODY[] {{{}}}\r\n{message})\r\n", uid / 10, message.len())
        } else {
            String::new()
        };
        stream.get_mut().write_all(format!("{answer}{tag} OK done\r\n").as_bytes())?;
        if command == "LOGOUT" {
            return Ok(());
        }
    }
}

fn bram(port: u16, tls: &str) -> Session {
    let session = letters::bram(1);
    session.write(
        "home/settings.yaml",
        format!(
            "email: bram@example.net\ngames: ../games\nimap:\n  host: localhost\n  port: {port}\n  tls: {tls}\n  user: bram\n  \
             password-env: IMAP_WORD\n  ca: {AUTHORITY}\n  timeout: 10\n"
        ),
    );
    session
}

fn fetch(session: &Session) -> Done {
    let mut command = session.command(&["receive", "--imap"]);
    command.env("POSTRIDER_NOW", "2026-11-23T12:00:00Z").env("IMAP_WORD", "pa\"ss word");
    run(command, b"")
}

#[test]
fn messages_are_fetched_once_and_the_mailbox_is_only_read() {
    for tls in ["implicit", "starttls", "none"] {
        let manners = Manners::new(tls, &["Subject: other\r\n\r\nhello\r\n".to_owned(), letter(&record(2))]);
        let server = Server::start(manners.clone());
        let session = bram(server.port, tls);
        let done = fetch(&session);
        assert_eq!(done.code, 0, "{tls}: {}{}", done.out, done.err);
        assert!(done.out.contains("2 messages: 1 accepted") && done.out.contains("1 without a record"), "{}", done.out);
        assert_eq!(session.read(GAME_FILE), record(2));
        let heard = server.heard();
        assert!(heard.contains(&"EXAMINE \"INBOX\"".to_owned()), "{heard:?}");
        assert!(heard.contains(&"UID SEARCH SINCE 24-Sep-2026".to_owned()), "{heard:?}");
        let harmless = ["STARTTLS", "CAPABILITY", "AUTHENTICATE", "EXAMINE", "UID SEARCH", "UID FETCH", "LOGOUT"];
        for command in heard.iter().filter(|command| !command.is_empty()) {
            assert!(harmless.iter().any(|start| command.starts_with(start)), "{command}");
            assert!(!command.contains("BODY[") && !command.contains("pa\"ss"), "nothing is marked as seen: {command}");
        }
        // The next time nothing is fetched; on another port it is the same mailbox.
        let server = Server::start(manners);
        let text = session.read("home/settings.yaml");
        let port = text.lines().find(|line| line.contains("port:")).unwrap().to_owned();
        session.write("home/settings.yaml", text.replace(&port, &format!("  port: {}", server.port)));
        assert!(fetch(&session).ok().contains("no new messages\n"));
        assert!(!server.heard().iter().any(|command| command.contains("BODY.PEEK")));
    }
}

#[test]
fn without_login_by_plain_the_old_way_is_taken() {
    let mut manners = Manners::new("implicit", &[letter(&record(2))]);
    manners.capabilities = "IMAP4rev1";
    let server = Server::start(manners);
    let session = bram(server.port, "implicit");
    fetch(&session).ok();
    assert!(server.heard().contains(&"LOGIN \"bram\" \"pa\\\"ss word\"".to_owned()));
}

#[test]
fn misbehaving_servers_are_a_temporary_problem_and_no_password_is_shown() {
    let secret = BASE64.encode(b"\0bram\0pa\"ss word");
    let reply = |start, text: &str| vec![(start, text.to_owned())];
    let base = Manners::new("implicit", &[letter(&record(2))]);
    let huge = "9".repeat(30);
    let cases = [
        (
            "refused the login",
            Manners { replies: reply("AUTHENTICATE", &format!("TAG NO {secret} pa\"ss word\r\n")), ..base.clone() },
        ),
        ("did not open the mailbox", Manners { replies: reply("EXAMINE", "TAG NO none\r\n"), ..base.clone() }),
        (
            "it sent too much",
            Manners {
                replies: reply("UID FETCH 10 (UID BODY", "* 1 FETCH (UID 10 BODY[] {99999999}\r\n"),
                ..base.clone()
            },
        ),
        ("did not list", Manners { replies: reply("UID SEARCH", "* BYE \u{1b}[2J\r\n"), ..base.clone() }),
        ("out of turn", Manners { replies: reply("EXAMINE", "zz9 OK\r\n"), ..base.clone() }),
        ("more than was asked for", Manners { tls: "starttls", slipped_in: "p2 OK\r\n", ..base.clone() }),
        (
            "did not switch to TLS",
            Manners { tls: "starttls", replies: reply("STARTTLS", "TAG BAD no\r\n"), ..base.clone() },
        ),
        (
            "its answer cannot be read",
            Manners {
                replies: reply("UID FETCH 10 (UID BODY", &format!("* 1 FETCH (UID 10 BODY[] {{{huge}}}\r\nTAG OK\r\n")),
                ..base.clone()
            },
        ),
    ];
    for (says, manners) in cases {
        let tls = manners.tls;
        let server = Server::start(manners);
        let session = bram(server.port, tls);
        let done = fetch(&session);
        let said = format!("{}{}", done.out, done.err);
        assert!(done.code == 75 && said.contains(says), "{says}: {} {said}", done.code);
        assert!(!said.contains("pa\"ss") && !said.contains(&secret) && !said.contains('\u{1b}'), "{said}");
        assert_eq!(session.read(GAME_FILE), record(1), "{says}");
        drop(server);
    }
}

#[test]
fn a_message_that_the_server_cannot_hand_out_hides_no_later_one() {
    let chat = "Subject: other\r\n\r\nhello\r\n".to_owned();
    for refusal in ["TAG NO Some of the requested messages could not be fetched\r\n", "TAG BAD parse error\r\n"] {
        let mut manners = Manners::new("none", &[chat.clone(), chat.clone(), letter(&record(2))]);
        manners.replies = vec![("UID FETCH 20 (UID BODY", refusal.to_owned())];
        let server = Server::start(manners.clone());
        let session = bram(server.port, "none");
        let done = fetch(&session);
        assert_eq!(done.code, 75, "{}{}", done.out, done.err);
        assert!(
            done.err.contains("INBOX, message 20: localhost:")
                && done.err.contains("the next run asks for this one again"),
            "{}",
            done.err
        );
        assert_eq!(session.read(GAME_FILE), record(2));
        // That message may have been anything, so nothing is said of what had not arrived.
        let looked = session.path("home/data/arrivals/looked.at");
        assert!(!looked.exists());
        // It is asked for again, and read when it comes.
        manners.replies.clear();
        let server = Server::start(manners);
        let text = session.read("home/settings.yaml");
        let port = text.lines().find(|line| line.contains("port:")).unwrap().to_owned();
        session.write("home/settings.yaml", text.replace(&port, &format!("  port: {}", server.port)));
        fetch(&session).ok();
        assert!(looked.exists());
        assert!(server.heard().contains(&"UID FETCH 20 (UID BODY.PEEK[])".to_owned()));
    }
}

#[test]
fn a_message_that_is_too_large_is_not_even_fetched() {
    let server = Server::start(Manners { size: Some(100 << 20), ..Manners::new("implicit", &[letter(&record(2))]) });
    let session = bram(server.port, "implicit");
    let said = fetch(&session).ok();
    assert!(said.contains("1 without a record") || said.contains("no record"), "{said}");
    assert!(!server.heard().iter().any(|command| command.contains("BODY.PEEK")));
    assert_eq!(session.read(GAME_FILE), record(1));
}

#[test]
fn nothing_is_sent_unencrypted_to_another_machine_or_without_a_password() {
    let session = bram(1, "none");
    let text = session.read("home/settings.yaml").replace("localhost", "mail.example.org");
    session.write("home/settings.yaml", text);
    assert!(fetch(&session).fails(75).contains("`tls: none` is for servers on this machine alone"));
    let session = bram(1, "implicit");
    let done = run(session.command(&["receive", "--imap"]), b"");
    assert_eq!(done.code, 75);
    assert!(done.err.contains("IMAP_WORD holds no password") && done.err.contains("under `imap`"), "{}", done.err);
    session.write("home/settings.yaml", "imap: {host: localhost, user: bram, password: secret}\n");
    assert!(fetch(&session).fails(75).contains("no password stands in the settings"));
    // An authority other than the one in the settings is not trusted.
    let server = Server::start(Manners::new("implicit", &[]));
    let session = bram(server.port, "implicit");
    let text = session.read("home/settings.yaml");
    session.write(
        "home/settings.yaml",
        text.lines().filter(|line| !line.contains("ca:")).map(|line| format!("{line}\n")).collect::<String>(),
    );
    assert_eq!(fetch(&session).code, 75);
}
