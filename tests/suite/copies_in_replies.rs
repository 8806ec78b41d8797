//! Where a reply stands to the letter that it answers: above, below and within a copy of it, marked or not, in all games. One move on its own
//! line is entered, or asked back where nothing shows whose it is; nothing that the letter says is entered, and nothing ends in silence.

use std::fs;
use std::sync::LazyLock;

use postrider_disk::disk::Memory;
use postrider_disk::folders::Folders;
use postrider_home::receive::own_words;
use postrider_home::send::letters::lines_to;
use postrider_kernel::Side;
use postrider_mail::incoming;
use postrider_referee::desk::Desk;
use postrider_settings::Settings;

use crate::letters::{self, record};
use crate::session::Session;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Entered,
    Asked,
    Nothing,
}

/// The form of a reply: `WORDS` is what was typed, `LETTER` the letter as it was, `QUOTED` with marks, `FIRST` and `REST` its parts, `LAST`
/// its last paragraph. Beside it: what becomes of a move there.
const FORMS: &[(&str, Fate)] = &[
    ("WORDS\n", Fate::Entered),
    ("WORDS\n\nOn Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:\nQUOTED", Fate::Entered),
    ("Hi Bram,\n\nWORDS\n\nAda\n\n-- \nAda Quill\n\nAm 21.11.26 um 11:15 schrieb Bram Post:\nQUOTED", Fate::Entered),
    ("On Sat, 21 Nov 2026 at 11:15, Bram Post\n<bram@example.net> wrote:\nQUOTED\nWORDS\n\nAda\n", Fate::Entered),
    ("QUOTED\n\nWORDS\n", Fate::Entered),
    ("Bram Post schrieb am 21.11.2026 um 11:15:\nMARKED FIRST\n\nWORDS\n\nMARKED REST\n-- \nAda\n", Fate::Entered),
    (
        "WORDS\n\nSent from my iPhone\n\nOn 21 Nov 2026, at 11:15, Bram Post <bram@example.net> wrote:\n\nLETTER",
        Fate::Entered,
    ),
    (
        "WORDS\n\n-----Original Message-----\nFrom: Bram Post\nSent: Saturday, November 21, 2026 11:15 AM\nTo: Ada Quill\n\nLETTER",
        Fate::Entered,
    ),
    ("WORDS\n\nLETTER", Fate::Entered),
    ("LETTER\n\nWORDS\n", Fate::Entered),
    ("LETTER\nHi Bram,\nWORDS\nAda\n\nSent from my iPhone\n", Fate::Entered),
    ("On Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:\n\nLETTER\n\nWORDS\n", Fate::Entered),
    ("FIRST\n\nWORDS\n\nREST", Fate::Asked),
    ("On Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:\n\nFIRST\n\nWORDS\n\nREST", Fate::Asked),
];

fn settings() -> Settings {
    let folders = Folders::in_memory(&Memory::new());
    Settings::parse(b"email: bram@example.net\nmail: {plain-replies: draft}\n", folders).expect("settings")
}

fn marked(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

/// A home of Bram's with a game in which Ada is due, what its letter says, its id, and a move.
fn homes() -> Vec<(Session, String, String, String, String)> {
    let mut homes = Vec::new();
    for name in ["asalto", "assideum", "subsume", "assassyn", "mission-combat"] {
        let text = fs::read_to_string(format!("tests/data/replies/{name}.txt")).expect("the replies");
        for section in text.split("\n== ").skip(1) {
            let (record, cases) = section.split_once('\n').expect("a name").1.split_once("\n--\n").expect("cases");
            let record = format!("{record}\n");
            let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("{record}") };
            let due = desk.opened.table.standing().due.side;
            if desk.opened.header.player(due).email.as_deref() != Some("ada@example.org") {
                continue;
            }
            let id = postrider_mail::message_id(
                &desk.opened.header.id,
                desk.opened.table.standing().entries,
                desk.digests.last().expect("a digest"),
            );
            let chosen =
                cases.lines().find_map(|line| line.strip_prefix("entry ")?.split(" | ").next()).expect("a move");
            let session = Session::new();
            session.write(
                "home/settings.yaml",
                "name: Bram Post\nemail: bram@example.net\ngames: ../games\nmail: {plain-replies: draft}\n",
            );
            session.write("games/game.pbem", &record);
            let letter = lines_to(&desk, due, &settings()).join("\n") + "\n";
            homes.push((session, record, letter, id, chosen.to_owned()));
            break;
        }
    }
    assert_eq!(homes.len(), 5);
    homes
}

#[test]
fn a_move_is_entered_or_asked_back_wherever_it_stands_to_a_copy_of_the_letter_and_nothing_of_the_letter_is_entered() {
    let mut wrong = Vec::new();
    for (home, record, letter, id, chosen) in homes() {
        let lines: Vec<&str> = letter.lines().collect();
        let half = lines.len() / 2;
        let (first, rest) = (lines[..half].join("\n"), lines[half..].join("\n") + "\n");
        for (form, fate) in FORMS {
            for (words, fate) in [(chosen.as_str(), *fate), ("Thank you for the game!", Fate::Nothing)] {
                let body = form
                    .replace("MARKED FIRST", &marked(&first))
                    .replace("MARKED REST", &marked(&rest))
                    .replace("QUOTED", &marked(&letter))
                    .replace("LETTER", &letter)
                    .replace("FIRST", &first)
                    .replace("REST", &rest)
                    .replace("WORDS", words);
                let message = format!(
                    "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: Re: our game\nDate: Mon, 23 Nov 2026 08:02:11 +0000\n\
                     Message-ID: <m@example.org>\nIn-Reply-To: {id}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{body}"
                );
                home.write("games/game.pbem", &record);
                for kept in ["home/data/known", "home/data/outbox", "home/data/received"] {
                    let _ = fs::remove_dir_all(home.path(kept));
                }
                let done = letters::receive(&home, &[], message.as_bytes());
                let said = format!("{}{}", done.out, done.err);
                let now = home.read("games/game.pbem");
                let new = now.strip_prefix(&record).expect("what was there").lines().next().unwrap_or_default();
                let is_it = new.contains(&format!(" {chosen}"));
                let drafts = fs::read_dir(home.path("home/data/outbox/drafts")).map_or(0, Iterator::count);
                let is = match fate {
                    Fate::Entered => is_it,
                    Fate::Asked => new.is_empty() && drafts == 1 && said.contains("refused"),
                    // What was written is shown.
                    Fate::Nothing => new.is_empty() && (said.contains(words) || drafts == 1),
                };
                if !is {
                    wrong.push(format!("{form:?} {words:?}: {fate:?}: {new:?}, {drafts} drafts: {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lines_that_stood_together_in_any_earlier_letter_of_the_game_are_a_quotation() {
    static SOURCE: LazyLock<String> = LazyLock::new(|| record(3));
    let newest = Desk::open(SOURCE.as_bytes()).expect("a record");
    let settings = settings();
    let side = newest.opened.table.standing().due.side;
    assert_eq!(side, Side::First);
    let first = record(1);
    let old: Vec<String> = lines_to(&Desk::open(first.as_bytes()).expect("a record"), side, &settings)
        .into_iter()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let newest_lines = lines_to(&newest, side, &settings).join("\n");
    let at =
        old.iter().position(|line| line.contains("place c6 e6") && !newest_lines.contains(line)).expect("its entry");
    let read = |text: String| {
        let mail = incoming::read(format!("From: ada@example.org\nContent-Type: text/plain\n\n{text}\n").as_bytes());
        own_words(&newest, &mail, side, &settings)
    };
    let (one, two) = (old[at].trim(), old[at + 1].trim());
    let words = read(format!("b4-c5\n\n{one}\n{two}"));
    assert_eq!((words.lines, words.unsure), (vec!["b4-c5".to_owned()], false));
    // A single line is none, and so are two that did not stand together.
    for text in [format!("b4-c5\n\n{one}"), format!("b4-c5\n\n{two}\n{one}")] {
        assert!(read(text.clone()).lines.iter().any(|line| line == one), "{text}");
    }
}
