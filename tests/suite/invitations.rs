//! Invitations from the letter to the first entry, and declined ones, with two homes.
#![cfg(unix)]

use std::fs;

use crate::session::Session;

/// Two players whose letters go into a folder `box` each, and all that is said to them.
struct Two {
    ada: Session,
    bram: Session,
    told: String,
}

/// Who types a command.
#[derive(Clone, Copy)]
enum Who {
    Ada,
    Bram,
}
use Who::{Ada, Bram};

fn player(name: &str, email: &str) -> Session {
    let session = Session::new();
    let settings = format!("name: {name}\nemail: {email}\ngames: ../games\nmail: {{outbox: ../box}}\n");
    session.write("home/settings.yaml", &settings);
    session
}

impl Two {
    fn new() -> Self {
        let (ada, bram) = (player("Ada Quill", "ada@example.org"), player("Bram Post", "bram@example.net"));
        Self { ada, bram, told: String::new() }
    }

    fn of(&self, who: Who) -> (&'static str, &Session) {
        match who {
            Ada => ("ada", &self.ada),
            Bram => ("bram", &self.bram),
        }
    }

    /// Runs commands of one of them, and notes what they print.
    fn run(&mut self, who: Who, lines: &[&str]) {
        for line in lines {
            self.feed(who, line, b"");
        }
    }

    fn feed(&mut self, who: Who, line: &str, input: &[u8]) {
        let (name, session) = self.of(who);
        let words = shlex::split(line).expect("words");
        let done = session.feed(&words.iter().map(String::as_str).collect::<Vec<_>>(), input);
        let code = if done.code == 0 { String::new() } else { format!("? {}\n", done.code) };
        let text = format!("{name}$ postrider {line}\n{code}{}{}\n", done.out, done.err);
        self.told += &self.plain(&text);
    }

    /// The letters that one of them has written, oldest first.
    fn letters(&self, who: Who) -> Vec<std::path::PathBuf> {
        let letters = fs::read_dir(self.of(who).1.path("box")).into_iter().flatten().flatten();
        let mut letters: Vec<_> = letters.map(|one| one.path()).filter(|path| path.is_file()).collect();
        letters.sort();
        letters
    }

    /// The other player reads all letters that one has written and that were not read yet.
    fn carry(&mut self, from: Who) {
        let letters = self.letters(from);
        let to = if let Ada = from { Bram } else { Ada };
        let files: Vec<_> = letters.iter().map(|letter| letter.to_string_lossy().into_owned()).collect();
        self.run(to, &[&format!("receive {}", files.join(" "))]);
        letters.iter().for_each(|letter| fs::remove_file(letter).expect("removed"));
    }

    /// The text of the only letter that one of them has written, with its subject.
    fn letter(&self, who: Who) -> String {
        let [letter] = &self.letters(who)[..] else { panic!("one letter") };
        let message = mail_parser::MessageParser::default()
            .parse(&fs::read(letter).expect("a letter"))
            .expect("a message")
            .into_owned();
        let text = message.body_text(0).expect("a text").replace("\r\n", "\n");
        self.plain(&format!("Subject: {}\n\n{text}", message.subject().expect("a subject")))
    }

    /// A text with names instead of what differs from run to run.
    fn plain(&self, text: &str) -> String {
        let folders = [(&self.ada, "ADA"), (&self.bram, "BRAM")];
        folders.into_iter().fold(text.to_owned(), |text, (session, name)| {
            text.replace(&session.folder.path().display().to_string(), name)
        })
    }
}

#[test]
fn an_invitation_that_came_with_the_first_entry_is_named_as_one_until_it_is_accepted() {
    let mut two = Two::new();
    two.run(
        Ada,
        &[
            "invite 'Bram Post <bram@example.net>' assideum --as white --id assideum-invited",
            "move assideum-invited Fc1-b2 --send",
        ],
    );
    two.carry(Ada);
    two.run(Bram, &["status"]);
    two.feed(Bram, "play --no-mail", b"quit\n");
    // It may be looked at, but nothing is entered in it, whoever names it and however.
    let file = two.bram.path("home/data/invitations/assideum-invited.pbem");
    let before = fs::read(&file).expect("the invitation");
    two.run(Bram, &["show assideum-invited --compact", "move assideum-invited e7-e6", "move e7-e6"]);
    let named = file.to_string_lossy().into_owned();
    for words in [
        &["move", &named, "e7-e6"][..],
        &["move", "-n", &named, "e7-e6"],
        &["answer", &named],
        &["undo", &named],
        &["send", &named],
        &["if", &named, "e7-e6", "e2-e3"],
        &["countersign", &named],
        &["fmt", &named],
        &["secret", "publish", &named],
        &["play", &named],
    ] {
        let refused = two.bram.run(words).fails(2);
        assert_eq!(
            refused,
            "error: assideum-invited is an invitation that you have not accepted: nothing is entered in it\nhint: `postrider invite accept \
             assideum-invited` makes it one of your games, `postrider invite decline assideum-invited` declines it\n",
            "{words:?}"
        );
    }
    assert_eq!(fs::read(&file).expect("the invitation"), before);
    // The only one needs no id.
    two.run(Bram, &["accept", "status", "move assideum-invited Ve7-e6", "accept"]);
    insta::assert_snapshot!("with_the_first_entry", two.told);
}

#[test]
fn an_invitation_looks_like_one_and_tells_the_game_with_a_move_on_each_board() {
    let mut two = Two::new();
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' asalto --by-mail --id asalto-looks-like"]);
    let invitation = two.letter(Ada);
    insta::assert_snapshot!("letter", format!("{}{invitation}", two.told));
    // So does one that brings the first entry, and the letters behind it do not.
    let mut two = Two::new();
    two.run(
        Ada,
        &[
            "new asalto --against 'Bram Post <bram@example.net>' --as defenders --by-mail --id asalto-looks-like",
            "move asalto-looks-like 'place c6 e6' --send",
        ],
    );
    let subject = |letter: String| letter.lines().next().map(str::to_owned);
    let with_entry = "Subject: Ada Quill invites you to a game of Asalto [pbem] asalto-looks-like #1";
    assert_eq!(subject(two.letter(Ada)).as_deref(), Some(with_entry));
    two.carry(Ada);
    two.run(Bram, &["accept asalto-looks-like", "move asalto-looks-like c4-c5 --send"]);
    assert_eq!(subject(two.letter(Bram)).as_deref(), Some("Subject: [pbem] asalto-looks-like #2 besiegers: c4-c5"));
}

#[test]
fn an_invitation_to_a_sealed_game_says_what_it_takes_and_the_inviter_is_told_before() {
    let mut two = Two::new();
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' subsume --id subsume-needs-it"]);
    let letter = two.letter(Ada);
    insta::assert_snapshot!("letter_of_a_sealed_game", format!("{}{letter}", two.told));
}

#[test]
fn an_invitation_that_comes_again_still_waits_and_says_so() {
    let mut two = Two::new();
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' assideum --as white --id assideum-invited"]);
    let letter = two.letters(Ada).remove(0).to_string_lossy().into_owned();
    let receive = format!("receive {letter}");
    two.run(Bram, &[&receive, &receive, "accept assideum-invited", &receive]);
    insta::assert_snapshot!("again", two.told);
}

#[test]
fn who_was_invited_sends_no_invitation_back() {
    let mut two = Two::new();
    // The defenders begin, and they are the inviter's.
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' asalto --as defenders --id asalto-invited-2"]);
    two.carry(Ada);
    two.run(
        Bram,
        &[
            "accept asalto-invited-2",
            "send asalto-invited-2",
            "send asalto-invited-2 --force",
            "send -n asalto-invited-2",
            "status",
            "move asalto-invited-2 c4-c5",
            "show asalto-invited-2 --compact",
        ],
    );
    assert!(two.letters(Bram).is_empty());
    // Where the invited side begins, its entry goes out.
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' asalto --as besiegers --id asalto-invited-3"]);
    two.carry(Ada);
    two.run(
        Bram,
        &["accept asalto-invited-3", "send asalto-invited-3", "move asalto-invited-3 'place c6 e6' --compact --send"],
    );
    two.carry(Bram);
    insta::assert_snapshot!("nothing_back", two.told);
}

/// Bram has two invitations of Ada, and no games.
fn invited_to_two_games() -> Two {
    let mut two = Two::new();
    for id in ["asalto-invited-1", "asalto-invited-2"] {
        two.run(Ada, &[&format!("invite 'Bram Post <bram@example.net>' asalto --id {id}")]);
    }
    two.carry(Ada);
    two
}

#[test]
fn a_session_of_somebody_without_games_lists_invitations_with_what_is_typed_in_it() {
    let mut two = invited_to_two_games();
    two.told.clear();
    two.feed(Bram, "play --no-mail", b"accept\ndecline\naccept asalto-invited-2\nquit\n");
    // At the board of a game its own entries are typed, so that the whole command is named.
    two.feed(Bram, "play --no-mail", b"quit\n");
    insta::assert_snapshot!("in_a_session", two.told);
}

#[test]
fn of_several_invitations_none_is_taken_without_its_id() {
    let mut two = invited_to_two_games();
    two.run(Bram, &["accept", "accept nope", "decline nope", "accept asalto-"]);
    assert!(!two.bram.path("games/asalto-invited-1.pbem").exists());
    insta::assert_snapshot!("several", two.told);
}

#[test]
fn who_declines_may_say_so_and_the_game_no_longer_counts_as_running() {
    let mut two = Two::new();
    // Signed, so that a reply in words could enter nothing.
    two.ada.run(&["key", "new"]).ok();
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' asalto --id asalto-declined"]);
    two.carry(Ada);
    // A second time it is not sent again.
    two.run(
        Bram,
        &["decline asalto-declined --send --message 'Not this month, sorry!'", "decline asalto-declined --send"],
    );
    two.carry(Bram);
    two.run(Ada, &["status", "status --all"]);
    let json = two.ada.run(&["status", "--all", "--json"]).ok();
    assert!(json.contains("\"state\":\"declined\""), "{json}");
    // Whoever is invited again, or makes an entry after all, plays.
    two.run(Ada, &["send asalto-declined --force", "status"]);
    two.bram.write(
        "box/own.eml",
        "From: bram@example.net\nTo: ada@example.org\nSubject: Re: [pbem] asalto-declined #0\nMessage-ID: <own@example.net>\nDate: Mon, 23 \
         Nov 2026 10:00:00 +0000\n\nHi Ada,\nno thanks, I\u{2019}m too busy.\n",
    );
    two.carry(Bram);
    two.run(Bram, &["accept asalto-declined", "move asalto-declined 'place c6 e6' --compact --send"]);
    two.carry(Bram);
    two.run(Ada, &["status"]);
    // Without a letter nobody is told.
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' asalto --id asalto-silent"]);
    two.carry(Ada);
    two.run(Bram, &["decline asalto-silent"]);
    insta::assert_snapshot!("declined", without_fingerprints(&two.told));
}

/// A text with a mark in the place of each fingerprint, which differs from run to run.
fn without_fingerprints(text: &str) -> String {
    let is_one = |word: &&str| {
        word.len() > 18 && word.split('-').all(|part| part.len() == 4 && part.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let found: Vec<_> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(is_one).collect();
    found.into_iter().fold(text.to_owned(), |text, one| text.replace(one, "FINGERPRINT"))
}

#[test]
fn a_game_without_entries_is_called_off_by_either_and_the_other_is_told() {
    let mut two = Two::new();
    two.run(Ada, &["invite 'Bram Post <bram@example.net>' assideum --as white --id assideum-called-off"]);
    two.carry(Ada);
    two.run(Bram, &["accept assideum-called-off"]);
    let file = two.ada.path("games/assideum-called-off.pbem");
    let record = fs::read(&file).expect("a record");
    // Whoever began it takes it back, and the other hears of it.
    two.run(Ada, &["decline assideum-called-off --send"]);
    assert!(!file.exists());
    two.carry(Ada);
    // It may still be accepted, and is the same record.
    two.run(Ada, &["accept assideum-called-off"]);
    assert_eq!(fs::read(&file).expect("a record"), record);
    // So does whoever has accepted it.
    two.run(Bram, &["decline assideum-called-off --send"]);
    assert!(!two.bram.path("games/assideum-called-off.pbem").exists());
    two.carry(Bram);
    // Not once there is an entry, and nothing that is no record of a game is moved.
    two.run(Ada, &["move assideum-called-off Fc1-b2 --compact", "decline assideum-called-off"]);
    let before = fs::read(&file).expect("a record");
    fs::write(&file, [&before[..before.len() - 4], b"xyz\n"].concat()).expect("a damaged one");
    two.run(Ada, &["decline assideum-called-off"]);
    assert!(file.exists());
    insta::assert_snapshot!("called_off", two.told);
}
