//! A host of which nothing ran for two days, by each way in which its letters wait: what came in time is entered with its time.
#![cfg(unix)]

use std::fs;

use chrono::{TimeZone as _, Utc};
use postrider_disk::folders::Folders;
use postrider_referee::record::Time;
use postrider_referee::verdict::{Ruling, verify};

use super::people::Hosted;
use super::time::{now, received, twenty};
use super::{begun, due, from};
use crate::letters::run;
use crate::receive_imap::Server;
use crate::session::{Done, Session};
use postrider_testing::random::Stream;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

type Files = Vec<(String, Vec<u8>)>;

/// A letter that waits: the id of its game, how many entries there are with it, when it came, and the message.
struct Waiting {
    id: String,
    entries: u32,
    at: i64,
    message: Vec<u8>,
}

/// A host before an outage, as files, and what came in its time during it, in order.
fn before() -> (Files, Vec<Waiting>, i64) {
    let settings = "received-by: mx.example.com\nmail:\n  letter: text\n";
    let host = Hosted::with_lines(settings, "  letters-a-day: 1000\n  clock: 1d\n");
    let mut games: Vec<_> = twenty(&host).into_iter().map(|game| (game, 2)).collect();
    // And one in which the first entry is on its way.
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    games.push(((id, letter, entry), 1));
    let files = host.memory.snapshot();
    let mut waiting = Vec::new();
    for ((id, letter, entry), entries) in games {
        host.away(600);
        let at = now(&host);
        let message = received(&host.reply(from(&letter.to), &letter, &entry), at);
        waiting.push(Waiting { id, entries, at, message });
    }
    host.away(2 * DAY);
    (files, waiting, now(&host))
}

/// The host's home on the disk, with further lines in its settings.
fn home(files: &[(String, Vec<u8>)], change: impl Fn(&str) -> String) -> Session {
    let session = Session::new();
    let folders = Folders::at(&session.path("home"));
    for (path, bytes) in files {
        let file = session.path("home").join(path.trim_start_matches('/'));
        folders.disk.private_folder(file.parent().expect("a folder")).expect("a folder");
        folders.disk.create_private(&file, bytes).expect("a file");
    }
    let settings = session.read("home/settings.yaml");
    session.write("home/settings.yaml", change(&settings.replacen("mail:\n", "mail:\n  transport: file\n", 1)));
    session
}

fn at(session: &Session, time: i64, args: &[&str], input: &[u8]) -> Done {
    let mut command = session.command(args);
    let now = Utc.timestamp_opt(time, 0).single().expect("a time").format("%Y-%m-%dT%H:%M:%SZ").to_string();
    command.env("POSTRIDER_NOW", now).env("IMAP_WORD", "pa\"ss word");
    run(command, input)
}

/// Fails unless each letter was entered with its time, once, and no game is over. `is_read`: otherwise none was entered.
fn each_is_entered(session: &Session, waiting: &[Waiting], is_read: bool) {
    for Waiting { id, entries, at, .. } in waiting {
        let text = session.read(&format!("home/data/games/{id}.pbem"));
        let verdict = verify(text.as_bytes());
        let is_over = verdict.outcome.is_some();
        let there = if is_read { *entries } else { entries - 1 };
        assert_eq!((verdict.ruling, verdict.entries, is_over), (Ruling::Legal, there, false), "{text}");
        assert_eq!(text.contains(&format!("@{}", Time(*at))), is_read, "{}: {text}", Time(*at));
    }
}

/// What is true after all were read, whatever way they came: they are not read twice, and whoever is to answer has a day from the end of
/// the outage.
fn goes_on(session: &Session, waiting: &[Waiting], time: i64, args: &[&str]) {
    each_is_entered(session, waiting, true);
    for later in [300, DAY, 2 * DAY - HOUR] {
        let done = at(session, time + later, args, b"");
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        each_is_entered(session, waiting, true);
    }
}

fn runs(session: &Session, time: i64, args: &[&str], input: &[u8]) {
    let done = at(session, time, args, input);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

const RECEIVE: &[&str] = &["host", "receive"];
const ONLY_DUE: &[&str] = &["host", "receive", "--only-due"];

#[test]
fn z39_after_two_days_without_a_run_what_waited_in_a_maildir_an_mbox_or_a_mailbox_is_entered_with_its_time() {
    let (files, waiting, time) = before();
    let text = |one: &Waiting| String::from_utf8(one.message.clone()).expect("text");
    let messages: Vec<String> = waiting.iter().rev().map(text).collect();
    let date = |one: &Waiting| {
        let date = Utc.timestamp_opt(one.at, 0).single().expect("a time");
        date.format("%d-%b-%Y %H:%M:%S +0000").to_string()
    };
    let dates: Vec<String> = waiting.iter().rev().map(date).collect();
    let port = Server::mailbox_since(&messages, &dates);
    for way in ["maildir", "mbox", "imap"] {
        let session = home(&files, |text| match way {
            "imap" => {
                text.replacen("received-by: mx.example.com\n", "", 1)
                    + &format!(
                        "imap:\n  host: localhost\n  port: {port}\n  tls: none\n  user: bram\n  password-env: IMAP_WORD\n  timeout: 10\n"
                    )
            }
            _ => format!("{text}receive: [../inbox]\n"),
        });
        match way {
            "maildir" => {
                for folder in ["tmp", "cur", "new"] {
                    fs::create_dir_all(session.path("inbox").join(folder)).expect("a folder");
                }
                for (nth, message) in messages.iter().enumerate() {
                    session.write(&format!("inbox/new/{nth:02}.x"), message);
                }
            }
            "mbox" => {
                let mbox = messages.iter().map(|message| {
                    format!("From x@example.org Sat Nov 28 12:00:00 2026\n{}\n", message.replace("\r\n", "\n"))
                });
                session.write("inbox", mbox.collect::<String>());
            }
            _ => {}
        }
        // Somebody looks at the clocks first.
        runs(&session, time, ONLY_DUE, b"");
        each_is_entered(&session, &waiting, false);
        runs(&session, time + 60, RECEIVE, b"");
        goes_on(&session, &waiting, time, RECEIVE);
    }
}

#[test]
fn z39_letters_that_a_pipe_returned_for_two_days_are_entered_with_the_time_at_which_the_mail_server_took_them() {
    let (files, waiting, time) = before();
    let session = home(&files, str::to_owned);
    let (settings, away) = (session.path("home/settings.yaml"), session.path("home/settings.away"));
    fs::rename(&settings, &away).expect("it is there");
    for one in &waiting {
        for later in [0, HOUR, DAY] {
            assert_eq!(at(&session, one.at + later, RECEIVE, &one.message).code, 75);
        }
    }
    fs::rename(&away, &settings).expect("it is there");
    runs(&session, time - 60, ONLY_DUE, b"");
    each_is_entered(&session, &waiting, false);
    // The mail server tries them again, in no order, and one of them twice.
    for (nth, one) in waiting.iter().rev().chain(waiting.last()).enumerate() {
        runs(&session, time + 60 * i64::try_from(nth).expect("few"), RECEIVE, &one.message);
    }
    goes_on(&session, &waiting, time, ONLY_DUE);
}
