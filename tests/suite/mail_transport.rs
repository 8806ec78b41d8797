//! Letters into folders and through programs, and the notes about them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::mail_support::{GAME, Manners, Server, letter, letter_with, unix};
use chrono::{DateTime, Utc};
use postrider_disk::folders::Folders;
use postrider_home::send::post::{PostError, Posted, Wish};
use postrider_home::send::sent::{Delivery, SentNotes, State};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_mail::Message;
use postrider_post::local::send;
use postrider_settings::{FileSettings, MailSettings, OutboxFormat, SendmailSettings, Tls};
use tempfile::TempDir;

const NAME: &str = "asalto-20261121-7k3q9x.1.abababababababab";

/// Sends a letter as the settings say, with notes.
fn post(
    letter: &Message<'_>,
    settings: &MailSettings,
    folders: &Folders,
    force: bool,
    now: DateTime<Utc>,
) -> Result<Posted, PostError> {
    let wish = Wish { force, promised: false };
    let mut ledger = SentNotes::open(folders, letter.game()).map_err(PostError::SentNotes)?;
    postrider_home::send::post::post(letter, |letter| send(letter, settings), &mut ledger, wish, now)
}

fn outbox(folder: &TempDir, format: OutboxFormat) -> (PathBuf, MailSettings) {
    let outbox = folder.path().join("mail/outbox");
    (outbox.clone(), MailSettings::File(FileSettings { outbox, format, open: false }))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_eml_file_holds_the_letter_for_the_player_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (outbox, settings) = outbox(&folder, OutboxFormat::Eml);
    let receipt = send(&letter(), &settings).unwrap();
    let path = outbox.join("asalto-20261121-7k3q9x.1.eml");
    assert_eq!(receipt, Receipt::File(path.clone()));
    assert_eq!(receipt.to_string(), format!("written to {}", path.display()));
    assert_eq!(fs::read(&path).unwrap(), letter().bytes());
    assert_eq!((mode(&path), mode(&outbox), mode(outbox.parent().unwrap())), (0o600, 0o700, 0o700));
}

#[test]
fn an_eml_file_sent_again_takes_the_place_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (outbox, settings) = outbox(&folder, OutboxFormat::Eml);
    send(&letter(), &settings).unwrap();
    send(&letter_with(0xcd), &settings).unwrap();
    assert_eq!(names(&outbox), ["asalto-20261121-7k3q9x.1.eml"]);
    assert_eq!(fs::read(outbox.join("asalto-20261121-7k3q9x.1.eml")).unwrap(), letter_with(0xcd).bytes());
}

#[test]
fn an_outbox_that_is_a_link_out_of_it_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (outbox, settings) = outbox(&folder, OutboxFormat::Eml);
    fs::create_dir_all(&outbox).unwrap();
    let precious = folder.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    std::os::unix::fs::symlink(&precious, outbox.join("asalto-20261121-7k3q9x.1.eml")).unwrap();
    send(&letter(), &settings).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
}

#[test]
fn a_maildir_gets_the_letter_as_new() {
    let folder = tempfile::tempdir().unwrap();
    let (outbox, settings) = outbox(&folder, OutboxFormat::Maildir);
    let receipt = send(&letter(), &settings).unwrap();
    assert_eq!(receipt, Receipt::File(outbox.join("new").join(NAME)));
    assert_eq!(names(&outbox), ["cur", "new", "tmp"]);
    assert_eq!(names(&outbox.join("new")), [NAME]);
    assert_eq!(names(&outbox.join("tmp")), [""; 0]);
    let path = outbox.join("new").join(NAME);
    assert_eq!(fs::read(&path).unwrap(), unix(&letter().bytes()));
    assert_eq!((mode(&path), mode(&outbox.join("new"))), (0o600, 0o700));
}

#[test]
fn a_maildir_never_holds_the_same_letter_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (outbox, settings) = outbox(&folder, OutboxFormat::Maildir);
    send(&letter(), &settings).unwrap();
    send(&letter(), &settings).unwrap();
    assert_eq!(names(&outbox.join("new")), [NAME]);
    // A mail program has shown it.
    let seen = outbox.join("cur").join(format!("{NAME}:2,S"));
    fs::rename(outbox.join("new").join(NAME), &seen).unwrap();
    assert_eq!(send(&letter(), &settings).unwrap(), Receipt::File(seen));
    assert_eq!(names(&outbox.join("new")), [""; 0]);
    // A letter with a different record is a different letter.
    send(&letter_with(0xcd), &settings).unwrap();
    assert_eq!(names(&outbox.join("new")), ["asalto-20261121-7k3q9x.1.cdcdcdcdcdcdcdcd"]);
}

#[test]
fn an_outbox_that_cannot_be_made_says_what_to_set() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for format in [OutboxFormat::Eml, OutboxFormat::Maildir] {
        let settings = MailSettings::File(FileSettings { outbox: file.join("outbox"), format, open: false });
        let error = send(&letter(), &settings).unwrap_err();
        assert!(error.to_string().contains("set `outbox` under `mail` in the settings"), "{error}");
        assert!(!error.may_have_arrived());
    }
}

/// A program in place of `sendmail`, and what it does after storing its arguments. The shell reads it, because a file
/// just written cannot always be executed while other tests start programs.
fn fake_sendmail(folder: &TempDir, then: &str) -> MailSettings {
    let path = folder.path().join("fake sendmail");
    let at = folder.path().display();
    fs::write(&path, format!("printf '%s\\n' \"$@\" > '{at}/arguments'\n{then}\n")).unwrap();
    let arguments = vec![path.to_str().unwrap().to_owned(), "--account=$(touch x) games".to_owned()];
    MailSettings::Sendmail(SendmailSettings { program: "sh".to_owned(), arguments })
}

#[test]
fn a_program_gets_the_letter_and_its_envelope() {
    let folder = tempfile::tempdir().unwrap();
    let settings = fake_sendmail(&folder, &format!("cat > '{}/letter'", folder.path().display()));
    let receipt = send(&letter(), &settings).unwrap();
    assert_eq!(receipt.to_string(), "handed to sh");
    let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
    let expected = ["--account=$(touch x) games", "-i", "-f", "ada@example.org", "--", "bram@example.net"];
    assert_eq!(arguments.lines().collect::<Vec<_>>(), expected);
    assert_eq!(fs::read(folder.path().join("letter")).unwrap(), unix(&letter().bytes()));
}

#[test]
fn a_program_that_refuses_is_reported_in_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let then = "cat > /dev/null; printf 'no such\\n\\033[2Jaccount\\n' >&2; exit 67";
    let error = send(&letter(), &fake_sendmail(&folder, then)).unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with("did not accept the letter (exit status: 67): no such \\u{1b}[2Jaccount"), "{text}");
    assert!(!error.may_have_arrived());
}

#[test]
fn a_program_that_does_not_read_the_letter_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let large = postrider_mail::Letter {
        thread: None,
        from: postrider_mail::Party { name: "", address: "ada@example.org" },
        to: postrider_mail::Party { name: "", address: "bram@example.net" },
        game: GAME,
        entry: 1,
        side: "",
        actions: "",
        digest: [0; 32],
        earlier: &[],
        date: now(0),
        text: "",
        html: None,
        record: &vec![b'x'; 1 << 20],
        attached: true,
        page: None,
        auto: false,
        seat: Default::default(),
    };
    let error = send(&large.build().unwrap(), &fake_sendmail(&folder, "exit 0")).unwrap_err();
    assert!(error.to_string().contains("ended before reading all of it"), "{error}");
    // A program that prints a lot before it reads does not block the letter either.
    let then = format!("head -c 300000 /dev/zero >&2; cat > '{}/letter'", folder.path().display());
    send(&large.build().unwrap(), &fake_sendmail(&folder, &then)).unwrap();
    assert_eq!(fs::read(folder.path().join("letter")).unwrap(), unix(&large.build().unwrap().bytes()));
}

#[test]
fn a_program_that_is_not_there_says_what_to_set() {
    let settings = SendmailSettings { program: "/no/such/sendmail".to_owned(), arguments: vec![] };
    let error = send(&letter(), &MailSettings::Sendmail(settings)).unwrap_err();
    assert!(matches!(error, SendError::Start { .. }));
    assert!(error.to_string().starts_with("cannot start `/no/such/sendmail`: "), "{error}");
    assert!(error.to_string().contains("set `command` under `mail`"), "{error}");
}

fn now(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_600_000 + second, 0).unwrap()
}

/// The state of the letter according to the notes.
fn standing(folders: &Folders) -> Delivery {
    SentNotes::open(folders, GAME).unwrap().standing("bram@example.net", &letter().message_id())
}

#[test]
fn an_owed_letter_is_posted_once_and_again_by_force() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::at(home.path());
    let (outbox, settings) = outbox(&home, OutboxFormat::Eml);
    let posted = post(&letter(), &settings, &folders, false, now(0)).unwrap();
    assert!(matches!(posted, Posted::Sent { before: Delivery::Owed, .. }), "{posted:?}");
    fs::remove_dir_all(&outbox).unwrap();
    let posted = post(&letter(), &settings, &folders, false, now(1)).unwrap();
    assert!(matches!(posted, Posted::Already { at, file: Some(_) } if at == now(0)), "{posted:?}");
    assert!(!outbox.exists());
    let posted = post(&letter(), &settings, &folders, true, now(2)).unwrap();
    assert!(matches!(posted, Posted::Sent { before: Delivery::Sent(at), .. } if at == now(0)), "{posted:?}");
    assert_eq!(names(&outbox).len(), 1);
    // A different record with the same number is a different letter.
    let posted = post(&letter_with(0xcd), &settings, &folders, false, now(3)).unwrap();
    assert!(matches!(posted, Posted::Sent { before: Delivery::Owed, .. }), "{posted:?}");
    let states: Vec<_> = SentNotes::read(&folders, GAME).unwrap().iter().map(|note| (note.entry, note.state)).collect();
    assert_eq!(states, [(1, State::Sent), (1, State::Sent)]);
}

#[test]
fn a_letter_refused_stays_owed_and_goes_out_later() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::at(home.path());
    let failing = fake_sendmail(&home, "cat > /dev/null; exit 1");
    let error = post(&letter(), &failing, &folders, false, now(0)).unwrap_err();
    assert!(matches!(error, PostError::Send(_)), "{error}");
    assert_eq!(standing(&folders), Delivery::Owed);
    let (_, working) = outbox(&home, OutboxFormat::Eml);
    post(&letter(), &working, &folders, false, now(1)).unwrap();
    // A letter that was sent stays so if sending it again fails.
    post(&letter(), &failing, &folders, true, now(2)).unwrap_err();
    assert_eq!(standing(&folders), Delivery::Sent(now(1)));
}

#[test]
fn a_letter_whose_fate_is_open_is_sent_again_with_the_same_message_id() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::at(home.path());
    let replies = vec![(".", String::new())];
    let server = Server::start(Manners { replies, ..Manners::default() });
    let settings = MailSettings::Smtp(server.settings(Tls::None));
    let error = post(&letter(), &settings, &folders, false, now(0)).unwrap_err();
    assert!(matches!(&error, PostError::Send(error) if error.may_have_arrived()), "{error}");
    assert_eq!(standing(&folders), Delivery::Unsure(now(0)));
    let lost = server.heard().letters;
    // A definite refusal afterwards says nothing about the first time.
    let failing = fake_sendmail(&home, "cat > /dev/null; exit 1");
    post(&letter(), &failing, &folders, false, now(1)).unwrap_err();
    assert!(matches!(standing(&folders), Delivery::Unsure(_)));
    let server = Server::start(Manners::default());
    let settings = MailSettings::Smtp(server.settings(Tls::None));
    let posted = post(&letter(), &settings, &folders, false, now(2)).unwrap();
    assert!(matches!(posted, Posted::Sent { before: Delivery::Unsure(_), .. }), "{posted:?}");
    assert_eq!(server.heard().letters, lost);
    assert_eq!(standing(&folders), Delivery::Sent(now(2)));
}

#[test]
fn a_program_killed_while_sending_sends_again() {
    const TEST: &str = "mail_transport::a_program_killed_while_sending_sends_again";
    if let Some(home) = std::env::var_os("POSTRIDER_TEST_HOME") {
        // The child process: its transport ends the whole program while it has the letter.
        let home = PathBuf::from(home);
        let arguments = vec![home.join("fake sendmail").to_str().unwrap().to_owned()];
        let settings = MailSettings::Sendmail(SendmailSettings { program: "sh".to_owned(), arguments });
        let _ = post(&letter(), &settings, &Folders::at(&home), false, now(0));
        panic!("the transport returned");
    }
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::at(home.path());
    fake_sendmail(&home, &format!("cat > '{}/letter'; kill -9 $PPID", home.path().display()));
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture", "--test-threads=1"])
        .env("POSTRIDER_TEST_HOME", home.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    assert_eq!(fs::read(home.path().join("letter")).unwrap(), unix(&letter().bytes()));
    assert_eq!(standing(&folders), Delivery::Unsure(now(0)));
    let (outbox, settings) = outbox(&home, OutboxFormat::Eml);
    let posted = post(&letter(), &settings, &folders, false, now(1)).unwrap();
    assert!(matches!(posted, Posted::Sent { before: Delivery::Unsure(at), .. } if at == now(0)), "{posted:?}");
    assert_eq!(names(&outbox).len(), 1);
}

#[test]
fn nothing_is_sent_when_it_cannot_be_noted() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::at(home.path());
    fs::create_dir_all(folders.sent()).unwrap();
    fs::write(folders.sent().join(format!("{GAME}.json")), "garbage").unwrap();
    let (outbox, settings) = outbox(&home, OutboxFormat::Eml);
    let error = post(&letter(), &settings, &folders, false, now(0)).unwrap_err();
    assert!(matches!(error, PostError::SentNotes(_)), "{error}");
    assert!(!outbox.exists());
}
