//! `postrider setup`: questions and answers through a pipe, in a home of its own, with mail servers on loopback.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use crate::mail_support::{self, Server};
use crate::programs;
use crate::receive_imap;
use crate::session::{Done, Session};
use crate::terminal::drive;

/// Runs it with these answers, one line each, and nothing from the real home.
fn setup(session: &Session, args: &[&str], answers: &[&str]) -> Done {
    let mut child = session
        .command(&[&["setup"], args].concat())
        .env("HOME", session.path("me"))
        .env("MAIL", "")
        .env("WORD", "pa\"ss word")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let lines: String = answers.iter().map(|line| format!("{line}\n")).collect();
    let _ = child.stdin.take().expect("a pipe").write_all(lines.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) }
}

/// A server that accepts letters, with a login.
fn smtp() -> Server {
    let login = Some(("bram".to_owned(), "pa\"ss word".to_owned()));
    let offers = vec!["AUTH PLAIN LOGIN"];
    Server::start(mail_support::Manners { login, offers, ..mail_support::Manners::default() })
}

#[test]
fn a_newcomer_is_asked_and_the_servers_are_tried_before_anything_is_written() {
    let session = Session::new();
    let (out, into) = (smtp(), receive_imap::Server::start(receive_imap::Manners::new("none", &[])));
    let (smtp_port, imap_port) = (out.port.to_string(), into.port.to_string());
    let answers = [
        "Bram Post",
        "not an address",
        "bram@example.net",
        "~/my games",
        "smtp",
        "localhost",
        "none",
        &smtp_port,
        "bram",
        "$WORD",
        "imap",
        "localhost",
        "none",
        &imap_port,
        "bram",
        "",
        "",
        "yes",
        "key.pem",
        "yes",
    ];
    let done = setup(&session, &[], &answers);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains(&format!("ok     sending   by localhost:{smtp_port}")), "{}", done.out);
    assert!(done.out.contains(&format!("ok     receiving from INBOX on localhost:{imap_port}")), "{}", done.out);
    let written = session.read("home/settings.yaml");
    assert!(written.contains("name: \"Bram Post\"") && written.contains("password-env: \"WORD\""), "{written}");
    assert!(
        written.lines().filter(|line| line.trim_start().starts_with('#')).count() > 5,
        "it has comments: {written}"
    );
    assert!(!written.contains("pa\"ss"), "no password: {written}");
    assert!(session.path("me/my games").is_dir());
    // The key, its backup, and what the servers received: a login, and no letter.
    assert!(session.run(&["key", "show"]).ok().contains("fingerprint"));
    assert!(session.read("key.pem").contains("PRIVATE KEY"));
    assert_eq!(fs::metadata(session.path("key.pem")).expect("the backup").permissions().mode() & 0o077, 0);
    let heard = out.heard();
    assert!(heard.letters.is_empty() && heard.commands.iter().any(|command| command.starts_with("AUTH")), "{heard:?}");
    assert!(into.heard().iter().any(|command| command.starts_with("EXAMINE")));
}

#[test]
fn a_second_run_keeps_what_is_there() {
    let session = Session::new();
    let first = "# mine\nname: Ada Quill\nemail: ada@example.org\ngames: games\nsign: false\nmail:\n  transport: file\n  outbox: out\n  \
                 format: maildir\n  letter: text\n  plain-replies: \"off\"\n";
    session.write("home/settings.yaml", first);
    // Enter keeps what is there; no key.
    let done = setup(&session, &[], &["", "", "", "", "files", "no", "yes"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let again = session.read("home/settings.yaml");
    for kept in [
        "\"Ada Quill\"",
        "\"ada@example.org\"",
        "sign: false",
        "format: maildir",
        "letter: text",
        "plain-replies: \"off\"",
    ] {
        assert!(again.contains(kept), "{kept} in {again}");
    }
    assert_eq!(session.read("home/settings.yaml.old"), first, "the old file is kept");
    // Doing the same again gives the same bytes.
    setup(&session, &[], &["", "", "", "", "files", "no", "yes"]).ok();
    assert_eq!(session.read("home/settings.yaml"), again);
    let changed = setup(&session, &[], &["", "-", "", "file", "../outbox", "files", "no", "yes"]);
    assert_eq!(changed.code, 0, "{}{}", changed.out, changed.err);
    assert!(!session.read("home/settings.yaml").contains("email:"));
}

#[test]
fn nothing_is_written_unless_the_last_answer_is_yes() {
    let session = Session::new();
    let refused = setup(&session, &[], &["Ada", "ada@example.org", "", "file", "", "files", "no", "no"]);
    assert_eq!((refused.code, refused.err.as_str()), (1, "nothing was written\n"));
    // The answers end too early.
    assert!(setup(&session, &[], &["Ada"]).fails(2).contains("the answers ended"));
    assert!(!session.path("home").exists());
    // Settings that cannot be read are not overwritten.
    session.write("home/settings.yaml", "name: [\n");
    assert!(setup(&session, &[], &["Ada"]).fails(2).contains("settings.yaml"));
    assert_eq!(session.read("home/settings.yaml"), "name: [\n");
}

#[test]
fn check_tries_everything_and_names_what_fails() {
    let session = Session::new();
    let good = setup(&session, &["--check"], &[]);
    assert_eq!(good.code, 0, "{}{}", good.out, good.err);
    let out = smtp();
    session.write("a-file", "");
    let smtp_settings = |word: &str| {
        format!(
            "email: a@example.org\ngames: ../a-file\nmail:\n  transport: smtp\n  host: localhost\n  tls: none\n  port: {}\n  user: bram\n  \
             password-env: {word}\nimap:\n  host: localhost\n  tls: none\n  port: 1\n  user: bram\n  password-env: WORD\n  timeout: 5\n",
            out.port
        )
    };
    session.write("home/settings.yaml", smtp_settings("WORD"));
    let done = setup(&session, &["--check"], &[]);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.out.contains("FAILS  games") && done.out.contains("ok     sending"), "{}", done.out);
    assert!(done.out.contains("FAILS  receiving localhost:1 could not be connected to"), "{}", done.out);
    session.write("home/settings.yaml", smtp_settings("HOME"));
    let wrong = setup(&session, &["--check"], &[]);
    assert!(wrong.out.contains("FAILS  sending") && wrong.out.contains("refused the login"), "{}", wrong.out);
    assert_eq!(out.heard().letters.len(), 0);
    session.write("home/settings.yaml", "mail: {transport: sendmail, command: [no-such-program]}\n");
    let program = setup(&session, &["--check"], &[]);
    assert!(program.out.contains("FAILS  sending   the program `no-such-program`"), "{}", program.out);
}

#[test]
fn a_question_is_gone_back_and_nothing_is_written_before_the_last_one() {
    let session = Session::new();
    // The name is corrected from two questions further on, and what came between is asked again.
    let answers = ["Ad", "ada@example.org", "<", "<", "Ada", "ada@example.org", "", "file", "", "files", "no", "yes"];
    let done = setup(&session, &[], &answers);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let written = session.read("home/settings.yaml");
    assert!(written.contains("name: \"Ada\"\nemail: \"ada@example.org\""), "{written}");
    assert!(done.out.contains("a single `<` goes back a question"), "{}", done.out);
    // The key too is only made after the last question.
    let session = Session::new();
    let refused = setup(&session, &[], &["Ada", "ada@example.org", "", "file", "", "files", "yes", "key.pem", "no"]);
    assert_eq!(refused.code, 1, "{}{}", refused.out, refused.err);
    assert!(!session.path("home/settings.yaml").exists() && !session.path("key.pem").exists());
    assert!(!session.run(&["key", "show"]).out.contains("fingerprint"), "no key was made");
    assert!(setup(&session, &[], &["<", "Ada"]).out.contains("this is the first question"));
}

#[test]
fn the_mail_of_a_maildir_is_found_by_setup_and_read_by_play() {
    let session = Session::new();
    for folder in ["new", "cur", "tmp"] {
        fs::create_dir_all(session.path("me/Maildir").join(folder)).expect("a Maildir");
    }
    let done = setup(&session, &[], &["Bram", "bram@example.net", "~/games", "file", "", "mailbox", "no", "yes"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let written = session.read("home/settings.yaml");
    assert!(written.contains("receive:\n  - ") && written.contains("me/Maildir\""), "{written}");
    // On a terminal, where nobody hands over a message, `receive` reads it too.
    if let Some((code, shown)) = drive(&session, (24, 100), &["receive"], &[]) {
        assert_eq!(code, 0, "{shown}");
        assert!(!shown.contains("standard input"), "{shown}");
    }
    // A letter to Bram, which is taken as soon as he plays.
    let ada = Session::new();
    ada.write("home/settings.yaml", "name: Ada\nemail: ada@example.org\ngames: games\n");
    ada.run(&["invite", "bram@example.net", "asalto", "--id", "asalto-by-maildir"]).ok();
    let letter = fs::read(ada.path("home/data/outbox/asalto-by-maildir.0.eml")).expect("the letter");
    session.write("me/Maildir/new/letter", letter);
    let played = session.feed(&["play"], b"");
    assert!(played.out.contains("asalto-by-maildir"), "{}{}", played.out, played.err);
    assert!(session.run(&["invitations"]).ok().contains("asalto-by-maildir"));
    assert!(!session.feed(&["play", "--no-mail"], b"").out.contains("read"));
}

#[test]
fn the_servers_of_a_large_provider_are_known_and_what_it_asks_for() {
    let session = Session::new();
    let answers = ["Ada", "ada@gmail.com", "", "smtp"];
    let done = setup(&session, &[], &answers);
    assert!(done.out.contains("make an app password"), "{}", done.out);
    assert!(done.out.contains("The server that takes letters [smtp.gmail.com]"), "{}", done.out);
}

#[test]
fn letters_open_as_drafts_in_the_mail_program_of_the_machine() {
    let session = Session::new();
    let opener = session.path("bin/xdg-open");
    programs::write(&opener, "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"$0.opened\"\nexit ${FAILS:-0}\n");
    let path = format!("{}:{}", session.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let with = |args: &[&str], fails: &str, input: &str| {
        let mut command = session.command(args);
        crate::letters::run(
            {
                command.env("PATH", &path).env("HOME", session.path("me")).env("MAIL", "").env("FAILS", fails);
                command
            },
            input.as_bytes(),
        )
    };
    let answers = "Ada Quill\nada@example.org\n~/games\nprogram\nfiles\nno\nyes\n";
    let done = with(&["setup"], "0", answers);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("where each opens as a draft and you press Send"), "{}", done.out);
    assert!(session.read("home/settings.yaml").contains("\n  open: true\n"), "{}", session.read("home/settings.yaml"));
    let invite = ["invite", "Bram Post <bram@example.net>", "asalto", "--id"];
    let invited = with(&[&invite[..], &["asalto-opened"]].concat(), "0", "");
    assert!(invited.err.contains("and opened in your mail program: send it there"), "{}", invited.err);
    let letter = session.path("home/data/outbox/asalto-opened.0.eml");
    assert_eq!(session.read("bin/xdg-open.opened"), format!("{}\n", letter.display()));
    let text = fs::read_to_string(letter).expect("the letter");
    assert!(
        text.starts_with("X-Unsent: 1\r\nDate: ") && text.contains("To: \"Bram Post\" <bram@example.net>"),
        "{text}"
    );
    let told = with(&["status"], "0", "").ok();
    assert!(told.contains("for you to mail: no answer yet"), "{told}");
    // If no program opens it, the letter is there, and that is said.
    let failed = with(&[&invite[..], &["asalto-closed"]].concat(), "3", "");
    assert!(failed.err.contains("for you to mail: no program opened it (xdg-open: exit status: 3)"), "{}", failed.err);
    assert!(session.path("home/data/outbox/asalto-closed.0.eml").exists());
}

#[test]
fn every_way_out_and_in_is_offered_and_a_question_mark_explains_each_question() {
    let session = Session::new();
    let maildir = session.path("me/Maildir");
    for folder in ["new", "cur", "tmp"] {
        fs::create_dir_all(maildir.join(folder)).expect("a Maildir");
    }
    let program = session.path("bin/post");
    programs::write(&program, "#!/bin/sh\ncat >/dev/null\n");
    let program = format!("{} -a home", program.display());
    let maildir = maildir.display().to_string();
    let ways: [(&[&str], &[&str], &[&str]); 4] = [
        (
            &["maildir", "?", "~/out"],
            &["mbox", "?", &maildir],
            &["transport: file", "format: maildir", "me/out\"", "me/Maildir\""],
        ),
        (&["command", "?", &program], &["files"], &["transport: sendmail", "bin/post\"", "\"-a\"", "\"home\""]),
        (&["git", "?", "shared"], &["git"], &["transport: git", "remote: \"shared\"", "\n  - git\n"]),
        (&["file", "?", "~/letters"], &["files"], &["transport: file", "me/letters\""]),
    ];
    for (out, into, written) in ways {
        let _ = fs::remove_dir_all(session.path("home"));
        let answers =
            [&["?", "Ada", "?", "ada@example.org", "?", "~/games", "?"], out, &["?"], into, &["?", "no", "?", "yes"]];
        let done = setup(&session, &[], &answers.concat());
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let settings = session.read("home/settings.yaml");
        for part in written {
            assert!(settings.contains(part), "{part}: {settings}");
        }
        let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
        for explained in [
            "Any name will do, but opponents know you by it.",
            "Without one you can play by exchanging files.",
            "you may name your games by their ids everywhere.",
            "Each entry goes to your opponent as a letter with the record in it.",
            "`postrider play` fetches your opponents' letters from there.",
            "A key is a file on this machine.",
            "the file that was there before stays as settings.yaml.old",
        ] {
            assert!(said.contains(explained), "{explained}: {}", done.out);
        }
        // A second run offers all of it again, and changes nothing.
        let again = setup(&session, &[], &["", "", "", "", "", "no", "yes"]);
        assert_eq!(again.code, 0, "{}{}", again.out, again.err);
        assert_eq!(session.read("home/settings.yaml"), settings);
    }
}

#[test]
fn what_was_typed_is_offered_again_after_going_back() {
    let session = Session::new();
    let answers = ["Ad", "ada@example.org", "~/mine", "<", "<", "<", "Ada", "", "", "file", "", "files", "no", "yes"];
    let done = setup(&session, &[], &answers);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let offered: Vec<_> = done.out.lines().filter_map(|line| line.split_once(" [")).map(|(asked, _)| asked).collect();
    assert!(done.out.contains("Your mail address [ada@example.org]: "), "{offered:?} {}", done.out);
    assert!(done.out.contains("The folder of your games [~/mine]: "), "{}", done.out);
    let written = session.read("home/settings.yaml");
    assert!(
        written.contains("name: \"Ada\"\nemail: \"ada@example.org\"") && written.contains("me/mine\""),
        "{written}"
    );
}

#[test]
fn what_was_typed_of_a_mail_server_is_offered_again_after_another_way_was_tried() {
    let session = Session::new();
    let server = ["mail.quill.example", "implicit", "4650", "quill", "$WORD"];
    let to_the_way = ["<"; 6];
    let answers = [
        &["Ada", "ada@example.org", "", "smtp"][..],
        &server,
        // A folder instead; and back again.
        &to_the_way,
        &["file", "~/letters", "<", "<", "smtp", "", "", "", "", ""],
        // The server that has the letters is asked for in the same words, and has its own answers.
        &["imap", "imap.quill.example"],
    ];
    let done = setup(&session, &[], &answers.concat());
    assert!(done.code == 2 && done.err.contains("the answers ended"), "{}{}", done.out, done.err);
    let last = done.out.rsplit("\nHow do your letters go out?\n").next().unwrap_or_default();
    for offered in [
        "Number or word [file]: ",
        "The server that takes letters [mail.quill.example]: ",
        "none? [implicit]: ",
        "port [4650]: ",
        "[quill]: ",
        "[$WORD]: ",
    ] {
        assert!(last.to_lowercase().contains(&offered.to_lowercase()), "{offered}: {last}");
    }
    assert!(last.contains("[imap.example.org]: "), "{last}");
}
