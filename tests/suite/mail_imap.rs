//! A mailbox on a server: a small one on loopback, which answers as the test requires, and what the user is told.

use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::mail_support::{AUTHORITY, BUSY, ENDLESS, Mischief, Rogue, Stream, at_once, encrypted, line};
use data_encoding::BASE64;
use postrider_home::receive::inbox::{InboxError, Taker};
use postrider_home::receive::received::Mark;
use postrider_mail::incoming::MAX_MESSAGE;
use postrider_post::imap::{Mailbox, imap};
use postrider_settings::{ImapSettings, Login, PasswordSource, Tls};

const SECRET: &str = "hunter2";
/// In an answer, this closes the connection.
const HANG_UP: &str = "<hangs up>";

/// How the server behaves.
#[derive(Clone, Default)]
struct Manners {
    tls: Tls,
    /// Replies to commands with these beginnings, in place of the usual ones. `TAG` stands for the tag of the command.
    replies: Vec<(&'static str, String)>,
    /// What it sends after the reply to STARTTLS, before the connection is encrypted.
    slipped_in: &'static str,
}

impl Manners {
    fn to(command: &'static str, reply: impl Into<String>) -> Self {
        Self { tls: Tls::Implicit, replies: vec![(command, reply.into())], slipped_in: "" }
    }
}

/// The usual replies: one message of five bytes, with the number 10.
const CONSENT: [(&str, &str); 8] = [
    ("greeting", "* OK here\r\n"),
    ("CAPABILITY", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nTAG OK done\r\n"),
    ("AUTHENTICATE", "+ \r\n"),
    ("EXAMINE", "* FLAGS (\\Seen)\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\nTAG OK [READ-ONLY] done\r\n"),
    ("UID SEARCH", "* SEARCH 10\r\nTAG OK done\r\n"),
    ("UID FETCH 10 (UID INTERNALDATE RFC822.SIZE)", "* 1 FETCH (UID 10 RFC822.SIZE 5)\r\nTAG OK done\r\n"),
    ("UID FETCH 10 (UID BODY.PEEK[])", "* 1 FETCH (UID 10 BODY[] {5}\r\nhello)\r\nTAG OK done\r\n"),
    ("", "TAG OK done\r\n"),
];

/// Serves one connection.
struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    thread: JoinHandle<()>,
}

impl Server {
    fn start(manners: Manners) -> Self {
        Self::start_often(manners, 1)
    }

    /// Serves so many connections, one after another.
    fn start_often(manners: Manners, connections: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        let thread = std::thread::spawn(move || {
            for _ in 0..connections {
                let (tcp, _) = listener.accept().unwrap();
                tcp.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                // A client that disconnects ends the conversation.
                let _ = talk(&tcp, &manners, &notes);
                let _ = tcp.shutdown(Shutdown::Both);
            }
        });
        Self { port, heard, thread }
    }

    fn settings(&self, tls: Tls) -> ImapSettings {
        let words = ["printf", "%s", SECRET].map(str::to_owned);
        ImapSettings {
            host: "localhost".to_owned(),
            port: self.port,
            tls,
            login: Login { user: "bram".to_owned(), password: PasswordSource::Command(words.into()) },
            ca: Some(PathBuf::from(AUTHORITY)),
            timeout: Duration::from_secs(60),
            mailbox: "INBOX".to_owned(),
            days: 60,
        }
    }

    fn heard(self) -> Vec<String> {
        self.thread.join().unwrap();
        self.heard.lock().unwrap().clone()
    }
}

fn talk(tcp: &TcpStream, manners: &Manners, heard: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut stream: Box<dyn Stream> =
        if manners.tls == Tls::Implicit { encrypted(tcp.try_clone()?) } else { Box::new(tcp.try_clone()?) };
    let answer = |command: &str| {
        let own = manners.replies.iter().find(|(start, _)| command.starts_with(start)).map(|(_, reply)| reply.clone());
        own.or_else(|| {
            CONSENT.iter().find(|(start, _)| command.starts_with(start)).map(|(_, reply)| (*reply).to_owned())
        })
    };
    let greeting = answer("greeting").unwrap_or_default();
    stream.write_all(greeting.trim_end_matches(HANG_UP).as_bytes())?;
    if greeting.ends_with(HANG_UP) {
        return Ok(());
    }
    let mut tag = String::new();
    loop {
        let said = String::from_utf8(line(&mut *stream)?).unwrap();
        // The words of a login have no tag of their own.
        let command = match said.split_once(' ') {
            Some((its, command)) => {
                tag = its.to_owned();
                command.to_owned()
            }
            None => format!("words {said}"),
        };
        heard.lock().unwrap().push(command.clone());
        let reply = answer(&command).unwrap_or_default().replace("TAG", &tag);
        if command == "STARTTLS" && !reply.contains("BAD") {
            stream.write_all(format!("{reply}{}", manners.slipped_in).as_bytes())?;
            stream = encrypted(tcp.try_clone()?);
            continue;
        }
        if let Some(last) = reply.strip_suffix(HANG_UP) {
            stream.write_all(last.as_bytes())?;
            return stream.flush();
        }
        stream.write_all(reply.as_bytes())?;
        if command == "LOGOUT" {
            return Ok(());
        }
    }
}

#[derive(Default)]
struct Pile(Vec<(String, Vec<u8>)>, Vec<String>);

impl Taker for Pile {
    type Stop = InboxError;

    fn knows(&self, _: &Mark) -> bool {
        false
    }

    fn take(&mut self, place: &str, _: Option<Mark>, message: &[u8]) -> Result<(), InboxError> {
        self.0.push((place.to_owned(), message.to_vec()));
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        self.1.push(fault.to_string());
    }
}

/// Messages, each behind the place where it was.
type Messages = Vec<(String, Vec<u8>)>;

fn fetch(settings: &ImapSettings) -> Result<Messages, InboxError> {
    let (taken, passed) = fetch_all(settings)?;
    assert!(passed.is_empty(), "{passed:?}");
    Ok(taken)
}

/// The messages, and what is said of those that could not be read.
fn fetch_all(settings: &ImapSettings) -> Result<(Messages, Vec<String>), InboxError> {
    let mut pile = Pile::default();
    let now = chrono::DateTime::from_timestamp(1_795_600_000, 0).unwrap();
    imap(settings, now, &mut pile).map(|()| (pile.0, pile.1))
}

/// The message to the user after the server's name; no message was passed on.
fn told(settings: &ImapSettings) -> String {
    let error = fetch(settings).unwrap_err();
    let text = error.to_string();
    let words = BASE64.encode(format!("\0bram\0{SECRET}").as_bytes());
    for hidden in [SECRET, &words] {
        assert!(!text.contains(hidden) && !format!("{error:?}").contains(hidden), "{error:?}");
    }
    let server = format!("{}:{} ", settings.host, settings.port);
    text.strip_prefix(&server).unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// The message to the user if the server replies like this to such a command.
fn told_after(command: &'static str, reply: impl Into<String>) -> String {
    // Unencrypted, because some tests send a lot.
    let server = Server::start(Manners { tls: Tls::None, ..Manners::to(command, reply) });
    told(&server.settings(Tls::None))
}

#[test]
fn a_mailbox_is_opened_for_reading_and_each_message_fetched_unmarked() {
    for tls in [Tls::Implicit, Tls::Starttls, Tls::None] {
        let server = Server::start(Manners { tls, ..Manners::default() });
        assert_eq!(fetch(&server.settings(tls)).unwrap(), [("INBOX, message 10".to_owned(), b"hello".to_vec())]);
        let words = format!("words {}", BASE64.encode(format!("\0bram\0{SECRET}").as_bytes()));
        let mut expected = vec![
            "CAPABILITY",
            "AUTHENTICATE PLAIN",
            &words,
            "EXAMINE \"INBOX\"",
            "UID SEARCH SINCE 26-Sep-2026",
            "UID FETCH 10 (UID INTERNALDATE RFC822.SIZE)",
            "UID FETCH 10 (UID BODY.PEEK[])",
            "LOGOUT",
        ];
        if tls == Tls::Starttls {
            expected.insert(0, "STARTTLS");
        }
        assert_eq!(server.heard(), expected, "{tls:?}");
    }
}

/// Waits in a mailbox whose server replies like this to IDLE; returns what came of it, and what the server heard after the mailbox was
/// opened.
fn waited(idle: &str, most: Duration) -> (Result<bool, String>, Vec<String>) {
    let knows = "* CAPABILITY IMAP4rev1 AUTH=PLAIN IDLE\r\nTAG OK done\r\n".to_owned();
    let replies = vec![("CAPABILITY", knows), ("IDLE", idle.to_owned())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    let mut mailbox = Mailbox::open(&server.settings(Tls::None)).unwrap();
    let came = mailbox.wait(most).map_err(|error| error.to_string());
    mailbox.close();
    (came, server.heard().split_off(4))
}

#[test]
fn a_server_that_says_when_a_letter_comes_is_believed_at_once() {
    // Within the hour that it may take, the connection would have ended by its own limits.
    for says in ["+ idling\r\n* 2 EXISTS\r\n", "* 2 EXISTS\r\n+ idling\r\n", "+ \r\n* OK still here\r\n* 1 RECENT\r\n"]
    {
        let (came, heard) = waited(says, Duration::from_secs(3600));
        assert_eq!(came, Ok(true), "{says}");
        assert_eq!(heard, ["CAPABILITY", "IDLE", "words DONE", "LOGOUT"], "{says}");
    }
}

#[test]
fn waiting_for_a_letter_ends_when_none_comes() {
    let (came, heard) = waited("+ idling\r\n* OK still here\r\n", Duration::from_millis(50));
    assert_eq!(
        (came, heard.as_slice()),
        (Ok(true), ["CAPABILITY", "IDLE", "words DONE", "LOGOUT"].map(str::to_owned).as_slice())
    );
}

#[test]
fn a_server_that_cannot_say_when_a_letter_comes_is_not_waited_for() {
    let server = Server::start(Manners::default());
    let mut mailbox = Mailbox::open(&server.settings(Tls::None)).unwrap();
    assert!(matches!(mailbox.wait(Duration::from_secs(3600)), Ok(false)));
    // It is not asked twice, and can still be read.
    assert!(matches!(mailbox.wait(Duration::from_secs(3600)), Ok(false)));
    assert!(mailbox.is_open(&server.settings(Tls::None)));
    let mut pile = Pile::default();
    mailbox.read(chrono::DateTime::from_timestamp(1_795_600_000, 0).unwrap(), &mut pile).unwrap();
    assert_eq!(pile.0.len(), 1);
    mailbox.close();
    assert_eq!(server.heard().iter().filter(|said| *said == "CAPABILITY").count(), 2);
}

#[test]
fn a_server_that_misbehaves_while_it_is_waited_for_is_left() {
    let noise = "* OK noise\r\n".repeat(20_000);
    let mischief = [
        "TAG BAD no\r\n",
        "* BYE\r\n",
        HANG_UP,
        "+ idling\r\n* BYE\r\n",
        &format!("+ idling\r\n{HANG_UP}"),
        &format!("+ idling\r\n{noise}"),
    ];
    for says in mischief {
        let (came, heard) = waited(says, Duration::from_secs(3600));
        let told = came.expect_err("it is trouble");
        assert!(told.contains("did not say what comes") && !told.contains(SECRET), "{told}");
        assert!(!heard.contains(&"words DONE".to_owned()), "{heard:?}");
    }
}

#[test]
fn a_wrong_password_is_reported_in_the_servers_words_without_it() {
    assert_eq!(
        told_after("words", "TAG NO [AUTHENTICATIONFAILED] wrong: hunter2\x1b[2J\r\n"),
        "refused the login: [AUTHENTICATIONFAILED] wrong: (password)\\u{1b}[2J; look at `user` and the password's source under \
         `imap` in the settings"
    );
    let words = BASE64.encode(format!("\0bram\0{SECRET}").as_bytes());
    let said = told_after("words", format!("TAG NO {words}\r\n"));
    assert!(said.starts_with("refused the login: (password); look at"), "{said}");
    assert_eq!(told_after("words", format!("* BYE {words}\r\n")), "refused the login: * BYE (password)");
}

#[test]
fn nothing_is_sent_to_a_server_without_starttls() {
    let server = Server::start(Manners { tls: Tls::Starttls, ..Manners::to("STARTTLS", "TAG BAD what is that?\r\n") });
    assert_eq!(
        told(&server.settings(Tls::Starttls)),
        "did not switch to TLS, and nothing was said: what is that?; set `tls` under `imap` in the settings to \
         `implicit` (usually port 993), if the server has that"
    );
    assert_eq!(server.heard(), ["STARTTLS"]);
}

#[test]
fn plain_text_injected_after_starttls_is_not_trusted() {
    for slipped_in in ["p2 OK logged in\r\n", "* CAPABILITY IMAP4rev1\r\n", "half a line"] {
        let server = Server::start(Manners { tls: Tls::Starttls, slipped_in, ..Manners::default() });
        assert_eq!(
            told(&server.settings(Tls::Starttls)),
            "did not switch to TLS, and nothing was said: it sent more than was asked for",
            "{slipped_in:?}"
        );
        assert_eq!(server.heard(), ["STARTTLS"]);
    }
}

#[test]
fn a_missing_mailbox_is_reported_in_the_servers_words() {
    assert_eq!(
        told_after("EXAMINE", "TAG NO [NONEXISTENT] no such mailbox\r\n"),
        "did not open the mailbox: [NONEXISTENT] no such mailbox; look at `mailbox` under `imap` in the settings"
    );
}

#[test]
fn a_message_that_is_too_large_is_not_fetched() {
    let size = MAX_MESSAGE + 1;
    let server = Server::start(Manners::to(
        "UID FETCH 10 (UID INTERNALDATE RFC822.SIZE)",
        format!("* 1 FETCH (UID 10 RFC822.SIZE {size})\r\nTAG OK done\r\n"),
    ));
    // The receiver can see that it is too large.
    assert_eq!(fetch(&server.settings(Tls::Implicit)).unwrap()[0].1.len(), size);
    assert!(!server.heard().iter().any(|command| command.contains("BODY")));
}

#[test]
fn a_server_that_says_more_than_it_announced_is_not_kept_in_memory() {
    let fetch = "UID FETCH 10 (UID BODY.PEEK[])";
    for reply in ["* 1 FETCH (UID 10 BODY[] {4000000000}\r\n".to_owned(), "x".repeat(MAX_MESSAGE + (1 << 17))] {
        assert_eq!(told_after(fetch, reply), "did not hand out a message: it sent too much");
    }
    let untagged = format!("* 1 FETCH (UID 10 FLAGS ({}))\r\n", "x".repeat(1 << 20)).repeat(80);
    assert_eq!(told_after(fetch, untagged), "did not hand out a message: it sent too much");
    assert_eq!(told_after("EXAMINE", "+ well?\r\n".repeat(9)), "did not open the mailbox: it answered out of turn");
}

#[test]
fn brackets_without_end_do_not_exhaust_the_stack() {
    for start in
        ["* 1 FETCH (BODYSTRUCTURE ", "* 1 FETCH (BODYSTRUCTURE (\"a\" \"b\" NIL NIL NIL \"7bit\" 1 NIL NIL NIL NIL "]
    {
        for brackets in [40, 1_000_000] {
            let reply = format!("{start}{}\r\nTAG OK done\r\n", "(".repeat(brackets));
            // With this many, the line alone is too long.
            let why = if brackets > 1000 { "it sent too much" } else { "it opened more brackets than any answer has" };
            assert_eq!(told_after("UID FETCH", reply), format!("did not list the messages: {why}"));
        }
    }
    // As many as are allowed cause no problem, and unrequested responses are ignored.
    let reply = format!("* 1 FETCH (BODYSTRUCTURE {}\r\nTAG OK done\r\n", "(".repeat(31));
    let server = Server::start(Manners::to("UID FETCH", reply));
    let (taken, passed) = fetch_all(&server.settings(Tls::Implicit)).unwrap();
    assert!(taken.is_empty() && passed.len() == 1 && passed[0].contains("its answer cannot be read"), "{passed:?}");
    // Those inside a message do not count.
    let message = "(".repeat(1000);
    let server = Server::start(Manners::to(
        "UID FETCH 10 (UID BODY",
        format!("* 1 FETCH (UID 10 BODY[] {{1000}}\r\n{message})\r\nTAG OK done\r\n"),
    ));
    assert_eq!(fetch(&server.settings(Tls::Implicit)).unwrap()[0].1, message.as_bytes());
}

/// Three messages, of which the second is answered for like this.
fn three(sizes: &str, second: &str) -> Manners {
    let fetched = |uid: u32| format!("* 1 FETCH (UID {uid} BODY[] {{5}}\r\nhello)\r\nTAG OK done\r\n");
    let replies = vec![
        ("UID SEARCH", "* SEARCH 1 2 3\r\nTAG OK done\r\n".to_owned()),
        ("UID FETCH 1,2,3 (UID INTERNALDATE RFC822.SIZE)", sizes.to_owned()),
        ("UID FETCH 1 (UID RFC822.SIZE)", "* 1 FETCH (UID 1 RFC822.SIZE 5)\r\nTAG OK done\r\n".to_owned()),
        ("UID FETCH 2 (UID RFC822.SIZE)", "TAG NO not this one\r\n".to_owned()),
        ("UID FETCH 3 (UID RFC822.SIZE)", "* 3 FETCH (UID 3 RFC822.SIZE 5)\r\nTAG OK done\r\n".to_owned()),
        ("UID FETCH 1 (UID BODY", fetched(1)),
        ("UID FETCH 2 (UID BODY", second.to_owned()),
        ("UID FETCH 3 (UID BODY", fetched(3)),
    ];
    Manners { replies, ..Manners::default() }
}

#[test]
fn a_message_that_the_server_cannot_hand_out_is_passed_over_and_told() {
    let sizes = "* 1 FETCH (UID 1 RFC822.SIZE 5)\r\n* 2 FETCH (UID 2 RFC822.SIZE 5)\r\n* 3 FETCH (UID 3 RFC822.SIZE 5)\r\nTAG OK done\r\n";
    let two = "* 1 FETCH (UID 1 RFC822.SIZE 5)\r\n* 3 FETCH (UID 3 RFC822.SIZE 5)\r\n";
    for (sizes, second, says) in [
        (sizes, "TAG NO [SERVERBUG] not now\r\n", "did not hand out a message: [SERVERBUG] not now"),
        (sizes, "TAG BAD parse error\r\n", "did not hand out a message: parse error"),
        (sizes, "TAG no\r\n", "did not hand out a message: it gave no reason"),
        (sizes, "* 2 FETCH (UID 2 BODY[] NIL)\r\nTAG OK done\r\n", "did not hand out a message: it has nothing of it"),
        (
            sizes,
            "* 2 FETCH (UID 2 BODY[] {0}\r\n)\r\nTAG OK done\r\n",
            "did not hand out a message: it has nothing of it",
        ),
        (
            sizes,
            "* 2 FETCH (UID 2 BODY[ \"\r\nTAG OK done\r\n",
            "did not hand out a message: its answer cannot be read",
        ),
        ("TAG NO broken\r\n", "", "did not list the messages: not this one"),
        (&format!("{two}TAG NO broken\r\n"), "", "did not list the messages: not this one"),
        (
            &format!("{two}* 2 FETCH (UID 2 RFC822.SIZE x)\r\nTAG OK done\r\n"),
            "",
            "did not list the messages: not this one",
        ),
    ] {
        let server = Server::start(three(sizes, second));
        let (taken, passed) = fetch_all(&server.settings(Tls::None)).unwrap();
        assert_eq!(
            taken.iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>(),
            ["INBOX, message 1", "INBOX, message 3"],
            "{says}"
        );
        assert!(
            passed.len() == 1 && passed[0].starts_with("INBOX, message 2: localhost:") && passed[0].contains(says),
            "{passed:?}"
        );
        assert!(passed[0].ends_with("the others are read, and the next run asks for this one again"), "{passed:?}");
    }
    // What is gone is nothing to tell, and what is said of other messages is none of it.
    for gone in [
        "TAG OK done\r\n",
        "* 1 FETCH (UID 1 BODY[] {2}\r\nhi)\r\nTAG OK done\r\n",
        "* 3 FETCH (FLAGS ())\r\nTAG OK done\r\n",
    ] {
        let server = Server::start(three(sizes, gone));
        assert_eq!(fetch(&server.settings(Tls::None)).unwrap().len(), 2, "{gone}");
    }
}

#[test]
fn a_message_at_which_the_connection_breaks_hides_no_later_one() {
    let sizes = "* 1 FETCH (UID 1 RFC822.SIZE 5)\r\n* 2 FETCH (UID 2 RFC822.SIZE 5)\r\n* 3 FETCH (UID 3 RFC822.SIZE 5)\r\nTAG OK done\r\n";
    for second in
        [format!("* 2 FETCH (UID 2 BODY[] {{500}}\r\nhalf a {HANG_UP}"), format!("* BYE crashed\r\n{HANG_UP}")]
    {
        let server = Server::start_often(three(sizes, &second), 3);
        let (taken, passed) = fetch_all(&server.settings(Tls::None)).unwrap();
        assert_eq!((taken.len(), passed.len()), (2, 1), "{passed:?}");
        let heard = server.heard();
        assert_eq!(
            heard.iter().filter(|command| command.starts_with("UID FETCH 2 (UID BODY")).count(),
            2,
            "once more at most"
        );
        assert_eq!(heard.iter().filter(|command| command.starts_with("UID FETCH 1 (UID BODY")).count(), 1);
    }
}

#[test]
fn a_list_that_cannot_be_read_is_no_empty_mailbox() {
    for reply in
        ["* SEARCH 1,2\r\n", "* SEARCH 99999999999\r\n", "* ESEARCH (TAG \"p4\") UID ALL 1:3\r\n", "* SEARCH 1 x\r\n"]
    {
        assert_eq!(
            told_after("UID SEARCH", format!("{reply}TAG OK done\r\n")),
            "did not list the messages: its list cannot be read"
        );
    }
    let server = Server::start(Manners { tls: Tls::None, ..Manners::to("UID SEARCH", "* search 10 \r\nTAG ok\r\n") });
    assert_eq!(fetch(&server.settings(Tls::None)).unwrap().len(), 1);
}

#[test]
fn a_server_that_takes_no_password_gets_none() {
    for (offers, says) in [
        ("IMAP4rev1 LOGINDISABLED", "takes no password here (LOGINDISABLED), so none was sent"),
        ("imap4rev1 logindisabled auth=xoauth2", "takes no password but only XOAUTH2"),
        ("IMAP4rev1 LOGINDISABLED AUTH=OAUTHBEARER", "What helps: an app password"),
    ] {
        let server = Server::start(Manners::to("CAPABILITY", format!("* CAPABILITY {offers}\r\nTAG OK done\r\n")));
        let said = told(&server.settings(Tls::Implicit));
        assert!(said.contains(says), "{said}");
        assert!(server.heard().iter().all(|command| command == "CAPABILITY"), "{offers}");
    }
    let server = Server::start(Manners {
        tls: Tls::None,
        ..Manners::to("CAPABILITY", "* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\nTAG OK done\r\n")
    });
    assert!(told(&server.settings(Tls::None)).contains("set `tls` under `imap` in the settings to `starttls`"));
}

#[test]
fn a_server_that_knows_its_user_is_sent_no_password() {
    let server = Server::start(Manners { tls: Tls::None, ..Manners::to("greeting", "* PREAUTH hello bram\r\n") });
    assert_eq!(fetch(&server.settings(Tls::None)).unwrap().len(), 1);
    assert!(server.heard().first().is_some_and(|command| command.starts_with("EXAMINE")));
    // Nobody encrypts the connection any more then, so what the settings want is not done.
    let server = Server::start(Manners { tls: Tls::Starttls, ..Manners::to("greeting", "* PREAUTH hello eve\r\n") });
    assert!(told(&server.settings(Tls::Starttls)).contains("has logged somebody in by itself"));
    assert!(server.heard().is_empty());
}

#[test]
fn a_server_that_hangs_up_is_reported_with_the_step_that_failed() {
    for (command, reply, doing) in [
        ("greeting", "", "could not be connected to"),
        ("CAPABILITY", "* CAPABILITY IMAP4rev1", "refused the login"),
        ("EXAMINE", "* OK [UIDVALID", "did not open the mailbox"),
        ("UID SEARCH", "* SEARCH 10\r\n", "did not list the messages"),
        ("UID FETCH 10 (UID INTERNALDATE RFC822.SIZE)", "", "did not list the messages"),
        ("UID FETCH 10 (UID BODY", "* 1 FETCH (UID 10 BODY[] {500}\r\nhalf a ", "did not hand out a message"),
    ] {
        for tls in [Tls::Implicit, Tls::None] {
            let server = Server::start(Manners { tls, ..Manners::to(command, format!("{reply}{HANG_UP}")) });
            assert_eq!(told(&server.settings(tls)), format!("{doing}: it closed the connection"), "{command} {tls:?}");
        }
    }
}

#[test]
fn a_server_that_falls_silent_is_not_waited_for_without_end() {
    at_once([("EXAMINE", "did not open the mailbox"), ("words", "refused the login")], |(command, doing)| {
        let server = Server::start(Manners::to(command, ""));
        let settings = ImapSettings { timeout: BUSY, ..server.settings(Tls::Implicit) };
        assert_eq!(told(&settings), format!("{doing}: no whole answer came within 15s"));
    });
}

#[test]
fn a_certificate_that_is_not_vouched_for_costs_no_password() {
    for (tls, doing) in
        [(Tls::Implicit, "could not be connected to"), (Tls::Starttls, "did not switch to TLS, and nothing was said")]
    {
        let server = Server::start(Manners { tls, ..Manners::default() });
        assert_eq!(
            told(&ImapSettings { ca: None, ..server.settings(tls) }),
            format!(
                "{doing}: its certificate comes from an authority unknown here; if the server has its own authority, \
                 name its file by `ca` under `imap` in the settings"
            )
        );
        assert!(server.heard().iter().all(|command| command == "STARTTLS"));
        let server = Server::start(Manners { tls, ..Manners::default() });
        assert_eq!(
            told(&ImapSettings { host: "127.0.0.1".to_owned(), ..server.settings(tls) }),
            format!(
                "{doing}: its certificate is for another name, so this may not be your server, and no password was sent; \
                 look up with your provider which name belongs under `imap`, `host` in the settings"
            )
        );
        assert!(server.heard().iter().all(|command| command == "STARTTLS"));
    }
    let server = Server::start(Manners { tls: Tls::None, ..Manners::default() });
    assert_eq!(
        told(&server.settings(Tls::Implicit)),
        "could not be connected to: it does not speak TLS; look at `port` and `tls` under `imap` in the settings"
    );
}

#[test]
fn plain_text_to_another_machine_is_refused_before_any_connection() {
    let server = Server::start(Manners::default());
    let settings = ImapSettings { host: "mail.example.org".to_owned(), ..server.settings(Tls::None) };
    assert_eq!(
        fetch(&settings).unwrap_err().to_string(),
        "mail.example.org is not this machine, and would be contacted in plain text: set `tls` under `imap` in the \
         settings to `implicit` or `starttls`"
    );
}

/// The lines of the conversation at which a server misbehaves: before TLS, in the answer to STARTTLS, after it, in the
/// list, in a message.
const ASTRAY: [(&[&str], usize, &str); 6] = [
    (&[], usize::MAX, "could not be connected to"),
    (&["* OK here\r\n"], usize::MAX, "did not switch to TLS, and nothing was said"),
    (&["* OK here\r\n", "p1 OK go\r\n"], 2, "refused the login"),
    (
        &["* OK here\r\n", "p1 OK go\r\n", "* CAPABILITY IMAP4rev1\r\np2 OK\r\n", "p3 OK in\r\n"],
        2,
        "did not open the mailbox",
    ),
    (
        &["* OK here\r\n", "p1 OK go\r\n", "* CAPABILITY IMAP4rev1\r\np2 OK\r\n", "p3 OK in\r\n", "p4 OK open\r\n"],
        2,
        "did not list the messages",
    ),
    (
        &[
            "* OK here\r\n",
            "p1 OK go\r\n",
            "* CAPABILITY IMAP4rev1\r\np2 OK\r\n",
            "p3 OK in\r\n",
            "p4 OK open\r\n",
            "* SEARCH 10\r\np5 OK\r\n",
            "* 1 FETCH (UID 10 RFC822.SIZE 5)\r\np6 OK\r\n",
        ],
        2,
        "did not hand out a message",
    ),
];

fn rogue(server: &Rogue, timeout: Duration) -> ImapSettings {
    let words = ["printf", "%s", SECRET].map(str::to_owned);
    ImapSettings {
        host: "localhost".to_owned(),
        port: server.port,
        tls: Tls::Starttls,
        login: Login { user: "bram".to_owned(), password: PasswordSource::Command(words.into()) },
        ca: Some(PathBuf::from(AUTHORITY)),
        timeout,
        mailbox: "INBOX".to_owned(),
        days: 60,
    }
}

#[test]
fn a_flood_is_cut_off_wherever_it_comes() {
    for (lines, encrypted_from, doing) in ASTRAY {
        for flood in [&b"\r\n"[..], b"* 1 FETCH (FLAGS ())\r\n", b"x", b"* OK\r\n", b"* SEARCH 1\r\n"] {
            let server = Rogue::start(lines, encrypted_from, Mischief::Flood(flood));
            let error = told(&rogue(&server, Duration::from_secs(20)));
            // What begins like a greeting is accepted as one, and the flood comes one step later.
            let greeted = lines.is_empty() && flood.starts_with(b"* OK") && error.starts_with("did not switch to TLS");
            assert!(error.starts_with(doing) || greeted, "{flood:?}: {error}");
            // An endless line in place of a message may be as long as a message.
            let bound = if doing.contains("hand out") && flood == b"x" { 50 << 20 } else { 16 << 20 };
            let said = server.said();
            assert!(said < bound, "{doing}, {flood:?}: {said} bytes were read");
        }
    }
}

#[test]
fn trickling_bytes_do_not_postpone_the_deadline() {
    // All at once: each takes as long as a client waits, which on a busy machine has to be long enough for what comes before.
    at_once(ASTRAY, |(lines, encrypted_from, doing)| {
        let drip = Mischief::Drip(b"* 1 FETCH (FLAGS ())\r\n", Duration::from_millis(50));
        let server = Rogue::start(lines, encrypted_from, drip);
        let error = told(&rogue(&server, BUSY));
        // A greeting is a complete answer, though not the expected one.
        let expected = if lines.is_empty() { "* 1 FETCH" } else { "no whole answer came within 15s" };
        assert!(error.starts_with(doing) && error.contains(expected), "{error}");
        let said = server.said();
        assert!(said < ENDLESS, "{doing}: {said} bytes came one by one");
    });
    // In the handshake: a TLS record of 16 KiB that arrives byte by byte.
    let drip = Mischief::Drip(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc", Duration::from_millis(50));
    let server = Rogue::start(&["* OK here\r\n", "p1 OK go\r\n"], usize::MAX, drip);
    // The server reads the beginning of the handshake as a line if it happens to contain a line end; otherwise it is
    // silent.
    let error = told(&rogue(&server, Duration::from_millis(800)));
    assert!(error.starts_with("did not switch to TLS"), "{error}");
}
