//! Letters to a mail server: a small one on loopback, which does what the test requires.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::mail_support::{AUTHORITY, BUSY, ENDLESS, Manners, Mischief, Rogue, Server, at_once, letter};
use postrider_home::send::transport::{Receipt, SendError, SmtpStep};
use postrider_post::local::send;
use postrider_settings::{Login, MailSettings, PasswordSource, SmtpSettings, Tls};

fn deliver(settings: SmtpSettings) -> Result<Receipt, SendError> {
    send(&letter(), &MailSettings::Smtp(settings))
}

fn step(error: &SendError) -> SmtpStep {
    match error {
        SendError::Smtp { step, .. } => *step,
        other => panic!("{other}"),
    }
}

fn login(password: PasswordSource) -> Option<Login> {
    Some(Login { user: "ada".to_owned(), password })
}

fn printing(text: &str) -> PasswordSource {
    PasswordSource::Command(vec!["printf".to_owned(), "%b".to_owned(), text.to_owned()])
}

fn wants_login(password: &str) -> Manners {
    Manners {
        offers: vec!["AUTH PLAIN LOGIN"],
        login: Some(("ada".to_owned(), password.to_owned())),
        ..Manners::default()
    }
}

#[test]
fn a_letter_is_delivered_byte_for_byte() {
    let server = Server::start(Manners::default());
    let receipt = deliver(server.settings(Tls::None)).unwrap();
    assert_eq!(receipt.to_string(), format!("accepted by localhost:{}", server.port));
    let heard = server.heard();
    assert_eq!(heard.letters, [letter().bytes()]);
    assert_eq!(
        heard.commands,
        ["EHLO [127.0.0.1]", "MAIL FROM:<ada@example.org>", "RCPT TO:<bram@example.net>", "DATA", "QUIT"]
    );
}

#[test]
fn a_refused_recipient_is_reported_in_the_servers_words() {
    let replies = vec![("RCPT", "550-5.1.1 no such\r\n550 5.1.1 \x1b[2Jmailbox".to_owned())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    let error = deliver(server.settings(Tls::None)).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Recipient);
    assert!(!error.may_have_arrived());
    let text = error.to_string();
    assert!(text.contains("refused the recipient: 550 5.1.1 no such \\u{1b}[2Jmailbox"), "{text}");
    let heard = server.heard();
    assert_eq!(heard.letters.len(), 0);
    assert!(!heard.commands.iter().any(|command| command == "DATA"), "{heard:?}");
}

#[test]
fn a_refusal_that_may_pass_says_to_try_again() {
    for (command, expected) in [("MAIL", SmtpStep::Sender), ("RCPT", SmtpStep::Recipient), (".", SmtpStep::Content)] {
        let replies = vec![(command, "451 4.3.0 busy".to_owned())];
        let server = Server::start(Manners { replies, ..Manners::default() });
        let error = deliver(server.settings(Tls::None)).unwrap_err();
        assert_eq!(step(&error), expected);
        assert!(error.to_string().ends_with(": 451 4.3.0 busy; this may be temporary: try again later"), "{error}");
        assert!(!error.may_have_arrived());
    }
}

#[test]
fn a_connection_lost_after_the_letter_leaves_its_delivery_uncertain() {
    let replies = vec![(".", String::new())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    let error = deliver(server.settings(Tls::None)).unwrap_err();
    assert!(error.may_have_arrived(), "{error}");
    assert!(error.to_string().contains("it may have accepted the letter anyway"), "{error}");
    assert_eq!(server.heard().letters.len(), 1);
    // Before the letter itself nothing is in doubt.
    let replies = vec![("DATA", String::new())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    let error = deliver(server.settings(Tls::None)).unwrap_err();
    assert!(!error.may_have_arrived(), "{error}");
}

#[test]
fn an_accepted_letter_counts_as_sent_although_the_farewell_fails() {
    let replies = vec![("QUIT", String::new())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    deliver(server.settings(Tls::None)).unwrap();
    assert_eq!(server.heard().letters.len(), 1);
}

#[test]
fn a_login_takes_the_first_line_of_a_command() {
    for (printed, password) in [("pass word\\nuser: ada\\n", "pass word"), ("p\\r\\n", "p"), ("ü", "ü")] {
        for offers in [vec!["AUTH PLAIN"], vec!["AUTH LOGIN"]] {
            let server = Server::start(Manners { offers, ..wants_login(password) });
            deliver(SmtpSettings { login: login(printing(printed)), ..server.settings(Tls::None) }).unwrap();
            assert_eq!(server.heard().letters.len(), 1);
        }
    }
}

#[test]
fn a_login_takes_an_environment_variable() {
    let server = Server::start(wants_login(&std::env::var("PATH").unwrap()));
    deliver(SmtpSettings { login: login(PasswordSource::Env("PATH".to_owned())), ..server.settings(Tls::None) })
        .unwrap();
    assert_eq!(server.heard().letters.len(), 1);
}

#[test]
fn a_wrong_password_is_refused_and_never_shown() {
    for offers in [vec!["AUTH PLAIN"], vec!["AUTH LOGIN"]] {
        let server = Server::start(Manners { offers, ..wants_login("right") });
        let error =
            deliver(SmtpSettings { login: login(printing("hunter2")), ..server.settings(Tls::None) }).unwrap_err();
        assert_eq!(step(&error), SmtpStep::Login);
        let text = format!("{error} {error:?}");
        assert!(text.contains("refused the login: 535 5.7.8 no: AUTH"), "{text}");
        assert!(text.contains("look at `user` and the password's source"), "{text}");
        // The server repeats what it was sent: neither the password nor its encoded form is shown.
        let encoded = data_encoding::BASE64.encode(b"\0ada\0hunter2");
        for secret in ["hunter2", encoded.as_str(), "aHVudGVyMg=="] {
            assert!(!text.contains(secret), "{text}");
        }
        let heard = server.heard();
        assert!(!heard.commands.iter().any(|command| command.starts_with("MAIL")), "{heard:?}");
    }
}

#[test]
fn a_password_that_is_missing_costs_no_connection() {
    let server = Server::start(wants_login("right"));
    let command = |words: &[&str]| PasswordSource::Command(words.iter().map(|word| (*word).to_owned()).collect());
    for (source, expected) in [
        (PasswordSource::Env("POSTRIDER_NOT_SET".to_owned()), "POSTRIDER_NOT_SET holds no password: set it"),
        (command(&["false"]), "`password-command` `false` gave no password"),
        (command(&["true"]), "printed is empty"),
        (printing("\\nsecond line"), "printed is empty"),
        (printing("\\xff"), "is not UTF-8"),
        (command(&["/no/such/program"]), "cannot start `/no/such/program`"),
        // The words are not passed to a shell.
        (command(&["echo hunter2"]), "cannot start `echo hunter2`"),
    ] {
        let error = deliver(SmtpSettings { login: login(source), ..server.settings(Tls::None) }).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.may_have_arrived());
    }
    assert_eq!(server.heard().connections, 0);
}

#[test]
fn a_server_without_logins_is_not_sent_a_password() {
    let server = Server::start(Manners::default());
    let error = deliver(SmtpSettings { login: login(printing("p")), ..server.settings(Tls::None) }).unwrap_err();
    assert!(error.to_string().contains("it offers no login by PLAIN or LOGIN"), "{error}");
    assert!(!server.heard().commands.iter().any(|command| command.starts_with("AUTH")));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server::start(Manners::default());
    let error = deliver(SmtpSettings { port, ..server.settings(Tls::None) }).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Connect);
    let text = error.to_string();
    assert!(text.starts_with(&format!("localhost:{port} could not be connected to: ")), "{text}");
    assert!(text.contains("refused") && text.contains("look at `host`, `port` and `tls`"), "{text}");
    // Longer than a name can be, so no lookup is made.
    let host = "a".repeat(300);
    let error = deliver(SmtpSettings { host, ..server.settings(Tls::Starttls) }).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Find);
    assert!(error.to_string().starts_with("aaa") && error.to_string().contains(" was not found: "), "{error}");
}

#[test]
fn a_silent_server_is_not_waited_for_without_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let server = Server::start(Manners::default());
    let timeout = Duration::from_millis(200);
    // It never says anything: without a deadline this would not end.
    let error = deliver(SmtpSettings { port, timeout, ..server.settings(Tls::None) }).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Connect);
    assert!(!error.may_have_arrived());
}

#[test]
fn plain_text_to_another_machine_is_refused_before_any_connection() {
    // Addresses reserved for documentation (RFC 5737, RFC 3849): a connection would run into the timeout.
    for host in ["192.0.2.1", "2001:db8::1", "smtp.example.org", "localhost.example.org"] {
        let settings = SmtpSettings {
            host: host.to_owned(),
            port: 25,
            tls: Tls::None,
            login: login(PasswordSource::Env("POSTRIDER_NOT_SET".to_owned())),
            ca: None,
            timeout: Duration::from_secs(30),
        };
        let (started, timeout) = (Instant::now(), settings.timeout);
        let error = deliver(settings).unwrap_err();
        assert!(matches!(error, SendError::PlainText { .. }), "{error}");
        assert!(started.elapsed() < timeout);
        assert!(!error.may_have_arrived());
    }
}

#[test]
fn starttls_that_is_not_offered_sends_nothing() {
    let server = Server::start(wants_login("right"));
    let settings = SmtpSettings { login: login(printing("right")), ..server.settings(Tls::Starttls) };
    let error = deliver(settings).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Encrypt);
    let text = error.to_string();
    assert!(text.contains("nothing was sent: it does not offer STARTTLS; set `tls`"), "{text}");
    let heard = server.heard();
    assert!(heard.letters.is_empty());
    assert!(heard.commands.iter().all(|command| command.starts_with("EHLO") || command == "QUIT"), "{heard:?}");
}

#[test]
fn starttls_that_is_offered_and_refused_sends_nothing() {
    let replies = vec![("STARTTLS", "454 not now".to_owned())];
    let server = Server::start(Manners { offers: vec!["STARTTLS"], replies, ..Manners::default() });
    let error = deliver(server.settings(Tls::Starttls)).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Encrypt);
    assert!(!server.heard().commands.iter().any(|command| command.starts_with("MAIL")));
}

fn trusting(server: &Server, tls: Tls) -> SmtpSettings {
    SmtpSettings { ca: Some(PathBuf::from(AUTHORITY)), ..server.settings(tls) }
}

#[test]
fn starttls_and_implicit_tls_deliver_with_an_authority_of_our_own() {
    for tls in [Tls::Starttls, Tls::Implicit] {
        let offers = vec!["STARTTLS", "AUTH PLAIN"];
        let server = Server::start(Manners { tls, offers, ..wants_login("right") });
        let settings = SmtpSettings { login: login(printing("right")), ..trusting(&server, tls) };
        deliver(settings).unwrap_or_else(|error| panic!("{tls:?}: {error}"));
        let heard = server.heard();
        assert_eq!(heard.letters, [letter().bytes()], "{tls:?}");
        assert_eq!(heard.commands.contains(&"STARTTLS".to_owned()), tls == Tls::Starttls);
    }
}

#[test]
fn an_unknown_authority_is_not_trusted() {
    for tls in [Tls::Starttls, Tls::Implicit] {
        let server = Server::start(Manners { tls, offers: vec!["STARTTLS"], ..Manners::default() });
        let error = deliver(server.settings(tls)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("authority unknown here") && text.contains("name its file by `ca`"), "{text}");
        assert!(!text.to_lowercase().contains("invalid"), "{text}");
        assert!(server.heard().letters.is_empty());
    }
}

#[test]
fn a_certificate_for_another_name_is_not_trusted() {
    for tls in [Tls::Starttls, Tls::Implicit] {
        let server = Server::start(Manners { tls, offers: vec!["STARTTLS"], ..Manners::default() });
        let error = deliver(SmtpSettings { host: "127.0.0.1".to_owned(), ..trusting(&server, tls) }).unwrap_err();
        assert!(error.to_string().contains("its certificate is for another name"), "{error}");
        assert!(server.heard().letters.is_empty());
    }
}

#[test]
fn replies_slipped_in_before_tls_do_not_pass_for_the_servers_own() {
    // Without the check, the last reply would be taken for acceptance of the letter, which the server refuses.
    for slipped_in in ["250 AUTH PLAIN\r\n", "250 HELP\r\n250 fine\r\n", "250 HELP\r\n250 fine\r\n250 fine\r\n"] {
        let replies = vec![(".", "554 no".to_owned())];
        let manners =
            Manners { tls: Tls::Starttls, offers: vec!["STARTTLS"], replies, slipped_in, ..Manners::default() };
        let server = Server::start(manners);
        let error = deliver(trusting(&server, Tls::Starttls)).unwrap_err();
        assert!(
            error.to_string().contains("out of turn") || step(&error) == SmtpStep::Encrypt,
            "{slipped_in:?}: {error}"
        );
        drop(server);
    }
}

#[test]
fn a_file_without_authorities_is_refused_before_any_connection() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let server = Server::start(Manners { tls: Tls::Implicit, ..Manners::default() });
    for ca in [
        Path::new("/no/such/file").to_owned(),
        file("empty", ""),
        file("text", "no certificate"),
        file("broken", "-----BEGIN CERTIFICATE-----\n####\n-----END CERTIFICATE-----\n"),
        file("garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    ] {
        let error = deliver(SmtpSettings { ca: Some(ca.clone()), ..server.settings(Tls::Implicit) }).unwrap_err();
        assert!(matches!(error, SendError::Authorities { .. }), "{ca:?}: {error}");
        assert!(error.to_string().contains("set `ca` under `mail`"), "{error}");
    }
    assert_eq!(server.heard().connections, 0);
}

/// The lines of the conversation at which a server misbehaves.
const ASTRAY: [(&[&str], usize, SmtpStep); 5] = [
    (&[], usize::MAX, SmtpStep::Connect),
    (&["220 here\r\n"], usize::MAX, SmtpStep::Connect),
    (&["220 here\r\n", "250-x\r\n250 STARTTLS\r\n"], usize::MAX, SmtpStep::Encrypt),
    (&["220 here\r\n", "250-x\r\n250 STARTTLS\r\n", "220 go\r\n"], 3, SmtpStep::Encrypt),
    (&["220 here\r\n", "250-x\r\n250 STARTTLS\r\n", "220 go\r\n", "250 x\r\n"], 3, SmtpStep::Sender),
];

fn rogue(server: &Rogue, timeout: Duration) -> SmtpSettings {
    SmtpSettings {
        host: "localhost".to_owned(),
        port: server.port,
        tls: Tls::Starttls,
        login: None,
        ca: Some(PathBuf::from(AUTHORITY)),
        timeout,
    }
}

#[test]
fn a_flood_is_cut_off_wherever_it_comes() {
    for (lines, encrypted_from, doing) in ASTRAY {
        for flood in [&b"\r\n"[..], b"220-and more\r\n", b"x", b"250-", b"250-\r\n"] {
            let server = Rogue::start(lines, encrypted_from, Mischief::Flood(flood));
            let error = deliver(rogue(&server, Duration::from_secs(20))).unwrap_err();
            assert_eq!(step(&error), doing, "{flood:?}: {error}");
            let said = server.said();
            assert!(said < 16 << 20, "{doing:?}, {flood:?}: {said} bytes were read");
        }
    }
}

#[test]
fn trickling_bytes_do_not_postpone_the_deadline() {
    // All at once, as with the other protocol.
    at_once(ASTRAY, |(lines, encrypted_from, doing)| {
        let drip = Mischief::Drip(b"250-and so on, and so on\r\n", Duration::from_millis(50));
        let server = Rogue::start(lines, encrypted_from, drip);
        let error = deliver(rogue(&server, BUSY)).unwrap_err();
        assert_eq!(step(&error), doing, "{error}");
        assert!(error.to_string().contains("no whole answer came within 15s"), "{error}");
        let said = server.said();
        assert!(said < ENDLESS, "{doing:?}: {said} bytes came one by one");
    });
}

#[test]
fn a_server_that_does_not_read_the_letter_is_not_waited_for_without_end() {
    // Its replies are right, but its last words arrive byte by byte.
    let lines = &["220 here\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n", "354 go on\r\n"];
    let server = Rogue::start(lines, usize::MAX, Mischief::Drip(b"250-x\r\n", Duration::from_millis(50)));
    let settings = SmtpSettings { tls: Tls::None, ca: None, ..rogue(&server, BUSY) };
    let error = deliver(settings).unwrap_err();
    assert_eq!(step(&error), SmtpStep::Content);
    // It may have the letter.
    assert!(error.may_have_arrived(), "{error}");
}

/// What a server gets and says if its replies to these commands are others than the usual ones.
fn replying(replies: &[(&'static str, &str)], login: Option<&str>) -> (Result<Receipt, SendError>, Vec<String>) {
    let replies = replies.iter().map(|(command, reply)| (*command, (*reply).to_owned())).collect();
    let user = login.map(|password| ("ada".to_owned(), password.to_owned()));
    let server = Server::start(Manners { replies, login: user, ..Manners::default() });
    let login = login.and_then(|password| self::login(printing(password)));
    let done = deliver(SmtpSettings { login, ..server.settings(Tls::None) });
    (done, server.heard().commands)
}

#[test]
fn a_reply_may_be_a_code_alone() {
    let codes = [("greeting", "220"), ("EHLO", "250"), ("MAIL", "250"), ("RCPT", "250"), (".", "250"), ("QUIT", "221")];
    replying(&codes, None).0.unwrap();
    let (done, _) = replying(&[("RCPT", "550")], None);
    assert!(done.unwrap_err().to_string().ends_with("refused the recipient: 550"));
}

#[test]
fn a_server_that_does_not_know_ehlo_is_greeted_as_before() {
    for reply in ["500 what?", "502 5.5.1 not here"] {
        let (done, commands) = replying(&[("EHLO", reply)], None);
        done.unwrap();
        assert_eq!(commands[..2], ["EHLO [127.0.0.1]", "HELO [127.0.0.1]"]);
    }
    let (done, commands) = replying(&[("EHLO", "554 go away")], None);
    assert!(done.is_err() && !commands.iter().any(|command| command.starts_with("HELO")));
}

#[test]
fn logins_are_found_in_any_letter_case_and_in_the_old_form() {
    for offers in ["250-x\r\n250 auth plain login", "250-x\r\n250 AUTH=PLAIN", "250-x\r\n250 Auth Login"] {
        replying(&[("EHLO", offers)], Some("secret")).0.unwrap();
    }
}

#[test]
fn login_follows_where_the_server_has_no_plain() {
    let (done, commands) =
        replying(&[("EHLO", "250-x\r\n250 AUTH PLAIN LOGIN"), ("AUTH PLAIN", "504 not that")], Some("secret"));
    done.unwrap();
    assert!(commands.contains(&"AUTH LOGIN".to_owned()), "{commands:?}");
    let (done, commands) =
        replying(&[("EHLO", "250-x\r\n250 AUTH PLAIN LOGIN"), ("AUTH PLAIN", "535 wrong")], Some("secret"));
    assert_eq!(step(&done.unwrap_err()), SmtpStep::Login);
    assert!(!commands.contains(&"AUTH LOGIN".to_owned()), "a wrong password is not tried again");
}

#[test]
fn a_login_by_tokens_alone_is_said_as_what_it_is() {
    let (done, commands) = replying(&[("EHLO", "250-x\r\n250 AUTH XOAUTH2")], Some("secret"));
    let text = done.unwrap_err().to_string();
    assert!(text.contains("it takes no password but only XOAUTH2") && text.contains("an app password"), "{text}");
    assert!(!commands.iter().any(|command| command.starts_with("AUTH")));
}

#[test]
fn an_unclear_answer_to_the_letter_leaves_its_delivery_uncertain() {
    for reply in ["what?", "354 go on", "220 hello", "250-x\r\n220 y", "2"] {
        let error = replying(&[(".", reply)], None).0.unwrap_err();
        assert!(
            error.may_have_arrived() && error.to_string().contains("it may have accepted the letter anyway"),
            "{reply}: {error}"
        );
    }
    assert!(!replying(&[(".", "554 no")], None).0.unwrap_err().may_have_arrived());
}

#[test]
fn a_domain_beyond_ascii_is_written_in_ascii() {
    let server = Server::start(Manners::default());
    let letter = postrider_mail::Letter {
        thread: None,
        from: postrider_mail::Party { name: "Ada", address: "ada@ex\u{e4}mple.org" },
        to: postrider_mail::Party { name: "Bram", address: "bram@example.net" },
        game: crate::mail_support::GAME,
        entry: 1,
        side: "defenders",
        actions: "place c6 e6",
        digest: [0xab; 32],
        earlier: &[],
        date: chrono::DateTime::from_timestamp(1_795_600_000, 0).unwrap(),
        text: "Your move.\n",
        html: None,
        record: crate::mail_support::RECORD,
        attached: true,
        page: None,
        auto: false,
        seat: Default::default(),
    };
    send(&letter.build().unwrap(), &MailSettings::Smtp(server.settings(Tls::None))).unwrap();
    let heard = server.heard();
    assert!(heard.commands.contains(&"MAIL FROM:<ada@xn--exmple-cua.org>".to_owned()), "{:?}", heard.commands);
    assert!(heard.letters[0].is_ascii());
}
