//! A player with the program and a key of her own in a hosted game, against somebody with nothing but mail.

use std::collections::BTreeSet;
use std::fs;

use data_encoding::BASE64;

use postrider_home::office::Clock as _;
use postrider_referee::desk::Desk;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::record::Time;
use postrider_referee::verdict::{Opened, Ruling, hosting, verify};
use serde_json::json;

use super::people::{Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side};
use crate::homes_in_requests::Home;
use crate::session::{Done, Session};
use postrider_testing::random::{Stream, Xorshift};

/// The code that a host asks a key to sign (Z41).
pub(super) fn code_in(letter: &Letter) -> String {
    let code = letter.text.split_whitespace().find(|word| word.contains("=:"));
    code.unwrap_or_else(|| panic!("{}", letter.text)).to_owned()
}

/// A host, and the page of Ada, whose key it knows.
pub(super) fn page_with_a_proven_key() -> (Hosted, Home) {
    let host = Hosted::plain();
    let mut page = Home::new("Ada Quill", ADDRESSES[0], 3);
    // Both clocks show ten on the twenty-fifth.
    host.later(800);
    page.hour = 24 * 15 + 10;
    let made = page.done(json!({ "do": "key", "what": "make", "passphrase": null }));
    let key = made["key"].as_str().unwrap_or_else(|| panic!("a key: {made}"));
    let asked = host.asked(ADA, &format!("key {key}"));
    let asked = to(&asked, ADDRESSES[0]);
    let proven = page.done(json!({ "do": "key", "what": "prove", "code": code_in(asked) }));
    host.deliver(&host.reply(ADA, asked, proven["line"].as_str().expect("a line")));
    host.letters();
    (host, page)
}

/// Ada at her machine, and what of her outbox has gone.
pub(super) struct Ada {
    pub(super) session: Session,
    gone: BTreeSet<String>,
    /// By how many seconds her clock is behind.
    pub(super) behind: i64,
}

impl Ada {
    pub(super) fn new() -> Self {
        let session = Session::new();
        session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\nmail:\n  letter: text\n");
        session.run(&["key", "new"]).ok();
        Self { session, gone: BTreeSet::new(), behind: 0 }
    }

    pub(super) fn key(&self) -> String {
        let shown = self.session.run(&["key", "show"]).ok();
        let key = shown.lines().find_map(|line| line.strip_prefix("key ")).expect("a key");
        key.trim().to_owned()
    }

    /// Lets her key sign for the host that it is hers (Z41), and returns what the host says.
    pub(super) fn proves(&self, host: &Hosted) -> Letter {
        let asked = host.asked(ADA, &format!("key {}", self.key()));
        let letter = to(&asked, ADDRESSES[0]);
        let line = self.session.run(&["key", "prove", &code_in(letter)]).ok();
        host.deliver(&host.reply(ADA, letter, &line));
        to(&host.letters(), ADDRESSES[0]).clone()
    }

    pub(super) fn at(&self, host: &Hosted, args: &[&str], input: &[u8]) -> Done {
        let mut command = self.session.command(args);
        let now =
            Time(host.world.now().0 - self.behind).utc().expect("a date").format("%Y-%m-%dT%H:%M:%SZ").to_string();
        command.env("POSTRIDER_NOW", now);
        crate::letters::run(command, input)
    }

    /// The letters that she has written since the last call.
    pub(super) fn written(&mut self) -> Vec<Vec<u8>> {
        let outbox = self.session.path("home/data/outbox");
        let Ok(files) = fs::read_dir(outbox) else { return Vec::new() };
        let mut names: Vec<_> = files
            .filter_map(|file| file.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".eml"))
            .collect();
        names.sort();
        let fresh = names.into_iter().filter(|name| self.gone.insert(name.clone())).collect::<Vec<_>>();
        fresh
            .iter()
            .map(|name| fs::read(self.session.path(&format!("home/data/outbox/{name}"))).expect("a letter"))
            .collect()
    }

    /// Empties her outbox, in which a letter about the same entry would have the same name.
    pub(super) fn sent(&mut self) {
        self.gone.clear();
        fs::remove_dir_all(self.session.path("home/data/outbox")).expect("it is there");
    }

    pub(super) fn file(&self, id: &str) -> String {
        format!("home/data/games/{id}.pbem")
    }
}

/// Carries letters to and fro until there are none; returns the last one to Bram.
pub(super) fn carried(host: &Hosted, ada: &mut Ada, letters: Vec<Letter>, accepted: bool) -> Option<Letter> {
    let mut waiting = letters;
    let mut last = None;
    for _ in 0..60 {
        for letter in std::mem::take(&mut waiting) {
            if letter.to == ADDRESSES[1] {
                last = Some(letter);
                continue;
            }
            assert!(
                !letter.text.contains("Nothing was entered") && !letter.text.contains("not accepted"),
                "{}",
                letter.text
            );
            let args: &[&str] = if accepted { &["receive", "-", "--answer"] } else { &["receive", "-"] };
            let done = ada.at(host, args, &letter.bytes);
            assert_eq!(done.code, 0, "{}{}\n{}", done.out, done.err, letter.text);
        }
        let written = ada.written();
        if written.is_empty() {
            return last;
        }
        for message in written {
            host.deliver(&message);
            waiting.extend(host.letters());
        }
    }
    panic!("letters go to and fro without end");
}

/// A game that Ada plays with her program as the first side: its id, Ada, and the last letter to Bram.
pub(super) fn begun(host: &Hosted, game: &str) -> (String, Ada, Letter) {
    let mut ada = Ada::new();
    let told = ada.proves(host);
    assert!(told.text.contains("New games begin with your key"), "{told:?}");
    let letters = host.asked(ADA, &format!("play {game} with bram@example.net as {}", first_side(game)));
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    let to_ada = to(&letters, ADDRESSES[0]);
    assert!(
        to_ada.text.contains("postrider receive LETTER") && !to_ada.text.contains("just your move"),
        "{}",
        to_ada.text
    );
    let last = carried(host, &mut ada, letters.clone(), false).expect("a letter to Bram");
    let accepted = ada.at(host, &["accept", &id], b"");
    assert_eq!(accepted.code, 0, "{}{}", accepted.out, accepted.err);
    (id, ada, last)
}

/// An entry that Ada may make; the first of its game is any of its kind.
pub(super) fn of_ada(record: &[u8], stream: &mut Stream) -> String {
    let desk = Desk::open(record).expect("it is legal");
    let list = desk.opened.table.moves();
    if list.is_empty() {
        return String::new();
    }
    let chosen = &list[stream.below(list.len())];
    match desk.opened.header.info.samples.placeholder(chosen) {
        Some(word) if word.word != "accept" => {
            (word.example)(desk.opened.table.standing().due.side, &mut |below| stream.below(below))
        }
        _ => chosen.clone(),
    }
}

#[test]
fn z38_a_program_plays_against_letters_to_the_end_and_each_secret_is_where_it_belongs() {
    for (game, most, seed) in
        [("asalto", 12, 1), ("assideum", 8, 2), ("assassyn", 24, 3), ("subsume", 8, 4), ("mission-combat", 8, 5)]
    {
        let host = Hosted::plain();
        let (id, mut ada, mut last) = begun(&host, game);
        let mut stream = Stream(seed);
        let mut made = 0;
        loop {
            let record = host.record(&id);
            let verdict = verify(&record);
            assert_eq!(verdict.ruling, Ruling::Legal);
            if verdict.outcome.is_some() {
                break;
            }
            host.later(600);
            made += 1;
            assert!(made < 6 * most, "{game} does not end");
            let desk = Desk::open(&record).expect("it is legal");
            let letters = if desk.opened.table.standing().due.side.index() == 0 {
                // What she sees beside what all see is not looked at here, so some entries are not hers to make.
                let entries =
                    (0..40).map(|_| if made > most { "resign".to_owned() } else { of_ada(&record, &mut stream) });
                let file = ada.file(&id);
                let mut nth = 0;
                let made = entries.map(|entry| {
                    if !entry.is_empty() {
                        return ada.at(&host, &["move", &file, &entry, "--send"], b"");
                    }
                    // What all see leaves nothing to choose: what is forced, or what she sees herself.
                    nth += 1;
                    let seen = ada.at(&host, &["moves", &file], b"").out;
                    match seen.lines().nth(nth / 2) {
                        Some(line) if nth % 2 == 0 => ada.at(&host, &["move", &file, line, "--send"], b""),
                        Some(line) if nth > 1 => {
                            ada.at(&host, &["move", &file, &format!("{line}; end"), "--send"], b"")
                        }
                        _ => ada.at(&host, &["answer", &file, "--send"], b""),
                    }
                });
                let refused: Vec<_> = made.take_while(|done| done.code != 0).map(|done| done.err).collect();
                assert!(refused.len() < 40, "{game}: {refused:?}");
                Vec::new()
            } else {
                let (_, entry) = chosen(&host, &id, &mut stream).expect("an entry");
                host.deliver(&host.reply(BRAM, &last, if made > most { "resign" } else { &entry }));
                host.letters()
            };
            last = carried(&host, &mut ada, letters, true).unwrap_or(last);
        }
        // Ada publishes what is hers.
        let record = host.record(&id);
        let text = String::from_utf8(record.clone()).expect("text");
        if text.contains("secrecy: sealed") {
            if !text.contains("\n# secret white ") {
                let published = ada.at(&host, &["secret", "publish", &ada.file(&id), "--send"], b"");
                assert_eq!(published.code, 0, "{}{}", published.out, published.err);
                carried(&host, &mut ada, Vec::new(), true);
            }
            let record = host.record(&id);
            assert_eq!(String::from_utf8_lossy(&record).matches("\n# secret ").count(), 2, "{game}");
            let mut opened = Opened::with_chain(&record).expect("a record");
            opened.replay(u32::MAX);
            let report = audit::report(&opened).expect("a sealed game");
            assert!(report.sound && !matches!(report.proof, Proof::Unproven(_)), "{}", report.text);
            assert!(report.text.contains("the host holds the secret of"), "{}", report.text);
        }
        let mut opened = Opened::new(&record).expect("a record");
        opened.replay(u32::MAX);
        assert_eq!(hosting::kept(&opened), [false, true]);
        // The host never had her secret, and her machine never had the other.
        let host_has = |word: &str| {
            host.memory
                .snapshot()
                .iter()
                .any(|(path, _)| path.contains("/secrets/") && path.contains(&id) && path.ends_with(word))
        };
        assert!(!host_has(first_side(game)), "{game}");
        // Both homes have the same game.
        let hers = ada.session.read(&ada.file(&id));
        assert_eq!(verify(hers.as_bytes()).entries, verify(&host.record(&id)).entries, "{game}");
        assert_eq!(verify(hers.as_bytes()).outcome, verify(&host.record(&id)).outcome, "{game}");
    }
}

#[test]
fn z38_a_key_may_come_with_a_sides_first_entry_where_nothing_was_entered_for_it() {
    let host = Hosted::plain();
    let mut ada = Ada::new();
    let letters = host.asked(ADA, "play asalto with bram@example.net as defenders");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    carried(&host, &mut ada, letters, false);
    assert_eq!(ada.at(&host, &["accept", &id, "--as", "defenders"], b"").code, 0);
    let done = ada.at(&host, &["move", &ada.file(&id), "place c6 e6", "--send"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let last = carried(&host, &mut ada, Vec::new(), true).expect("a letter to Bram");
    assert!(last.text.contains("It is your turn"), "{}", last.text);
    let record = host.record(&id);
    let mut opened = Opened::new(&record).expect("a record");
    assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal);
    assert_eq!(hosting::kept(&opened), [true, false]);
    // With the next entry it would be too late: the host has entered for the other.
    host.deliver(&host.reply(BRAM, &last, "c4-c5"));
    carried(&host, &mut ada, host.letters(), true);
    assert_eq!(verify(ada.session.read(&ada.file(&id)).as_bytes()).entries, 2);
}

#[test]
fn a_token_in_a_record_that_a_program_has_signed_is_void_at_once_and_its_owner_gets_another() {
    let host = Hosted::plain();
    let (id, mut ada, last) = begun(&host, "assideum");
    let file = ada.file(&id);
    let old = ada.session.read(&format!("home/data/seats/{id}.host")).trim().to_owned();
    // Her mail program put the address into her message.
    let entry = of_ada(&host.record(&id), &mut Stream(5));
    let broken = old.replace('@', " @");
    let words = format!("Shall I write to <{broken}>?");
    let done = ada.at(&host, &["move", &file, &entry, "--message", &words, "--send"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let written = ada.written();
    assert_eq!(written.len(), 1);
    host.deliver(&written[0]);
    let letters = host.letters();
    let record = String::from_utf8(host.record(&id)).expect("text");
    let token = old.split('+').nth(1).and_then(|rest| rest.split('@').next()).expect("a token");
    assert!(record.contains(token), "nothing that she signed is changed: {record}");
    let bram = to(&letters, ADDRESSES[1]).clone();
    assert!(String::from_utf8_lossy(&bram.bytes).contains(&format!("{id}.pbem")));
    // Whoever reads it there can do nothing with it.
    let forged = host.fresh(ADA, &format!("Re: [pbem] {id} #1"), "resign");
    let forged = String::from_utf8(forged).expect("text").replace("To: games@example.com", &format!("To: {old}"));
    host.deliver(forged.as_bytes());
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let told = host.letters();
    assert!(told.iter().all(|letter| letter.to == ADDRESSES[0]), "{told:?}");
    // Her program goes on with the address that she got, and Bram with his.
    let _ = last;
    carried(&host, &mut ada, letters, true);
    assert_ne!(ada.session.read(&format!("home/data/seats/{id}.host")).trim(), old);
    let (_, entry) = chosen(&host, &id, &mut Stream(6)).expect("an entry");
    host.deliver(&host.reply(BRAM, &bram, &entry));
    carried(&host, &mut ada, host.letters(), true);
    let entry = of_ada(&host.record(&id), &mut Stream(8));
    let done = ada.at(&host, &["move", &ada.file(&id), &entry, "--send"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    carried(&host, &mut ada, Vec::new(), true);
    assert_eq!(verify(&host.record(&id)).entries, 3);
}

#[test]
fn b7_a_block_of_entries_is_taken_from_a_letter_and_a_changed_one_is_not() {
    let host = Hosted::plain();
    let (id, mut ada, last) = begun(&host, "assassyn");
    let entry = of_ada(&host.record(&id), &mut Stream(5));
    assert_eq!(ada.at(&host, &["move", &ada.file(&id), &entry, "--send"], b"").code, 0);
    let last = carried(&host, &mut ada, Vec::new(), true).unwrap_or(last);
    let (_, entry) = chosen(&host, &id, &mut Stream(6)).expect("an entry");
    host.deliver(&host.reply(BRAM, &last, &entry));
    carried(&host, &mut ada, host.letters(), true);
    assert_eq!(verify(&host.record(&id)).entries, 2);
    // Her next entry goes as text in a letter that her mail program writes, as a page's link makes it.
    let written = (0..20u64).find_map(|nth| {
        let entry = of_ada(&host.record(&id), &mut Stream(50 + nth));
        let done = ada.at(&host, &["move", &ada.file(&id), &entry], b"");
        (done.code == 0).then(|| ada.at(&host, &["send", &ada.file(&id), "--block"], b""))
    });
    assert_eq!(written.expect("an entry").code, 0);
    let letter = String::from_utf8(ada.written().pop().expect("a letter")).expect("text");
    let begin = letter.find("-----BEGIN PBEM ENTRIES").expect("a block");
    let end = letter.find("-----END PBEM ENTRIES").expect("its end");
    let block =
        letter[begin..end].replace("=\r\n", "").replace("=3D", "=") + letter[end..].lines().next().expect("a line");
    let address = ada.session.read(&format!("home/data/seats/{id}.host"));
    let message = |text: &str, nth: u32| {
        format!(
            "From: {ADA}\r\nTo: {}\r\nSubject: my entry\r\nMessage-ID: <block{nth}@mail.example.org>\r\nContent-Type: \
             text/plain\r\n\r\nHello\r\n\r\n{text}\r\n",
            address.trim()
        )
    };
    let at = block.find("\r\n").expect("a line") + 12;
    let other = if block[at..].starts_with('A') { "B" } else { "A" };
    let changed = format!("{}{other}{}", &block[..at], &block[at + 1..]);
    host.deliver(message(&changed, 1).as_bytes());
    assert!(host.letter_to(ADDRESSES[0]).text.contains("was not accepted: "), "it says why");
    assert_eq!(verify(&host.record(&id)).entries, 2);
    host.deliver(message(&block, 2).as_bytes());
    assert!(verify(&host.record(&id)).entries >= 3);
}

#[test]
fn z38_a_page_plays_against_letters() {
    let (host, mut page) = page_with_a_proven_key();
    let letters = host.asked(ADA, "play subsume with bram@example.net as white");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    let encoded = |letter: &Letter| BASE64.encode(&letter.bytes);
    page.receive(&encoded(to(&letters, ADDRESSES[0])));
    page.done(json!({ "do": "accept", "game": id }));
    let mut last = to(&letters, ADDRESSES[1]).clone();
    let mut stream = Stream(4);
    let mut choices = Xorshift(7);
    for _ in 0..6 {
        let before = verify(&host.record(&id)).entries;
        host.later(3600);
        page.hour += 1;
        if page.game(&id)["is_mine"] == json!(true) {
            page.play(&id, &mut choices);
            let message = BASE64.decode(page.letter(&id).as_bytes()).expect("base64");
            host.deliver(&message);
        } else {
            let (_, entry) = chosen(&host, &id, &mut stream).expect("an entry");
            host.deliver(&host.reply(BRAM, &last, &entry));
        }
        for letter in host.letters() {
            match letter.to == ADDRESSES[0] {
                true => drop(page.receive(&encoded(&letter))),
                false => last = letter,
            }
        }
        assert!(verify(&host.record(&id)).entries > before, "{}", last.text);
        let hers = page.game(&id)["record"].as_str().expect("a record").to_owned();
        assert_eq!(verify(hers.as_bytes()).entries, verify(&host.record(&id)).entries);
    }
    let record = host.record(&id);
    let mut opened = Opened::new(&record).expect("a record");
    assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal);
    assert_eq!(hosting::kept(&opened), [false, true]);
}

#[test]
fn e7_a_program_that_dates_an_entry_back_wins_no_time_by_it() {
    let host = Hosted::plain();
    let (id, mut ada, last) = begun(&host, "asalto");
    host.deliver(&host.reply(BRAM, &last, "place c6 e6"));
    carried(&host, &mut ada, host.letters(), true);
    let day = 86_400;
    // An entry that says it is of three quarters of an hour ago.
    host.later(day);
    ada.behind = 45 * 60;
    assert_eq!(ada.at(&host, &["move", &ada.file(&id), "c4-c5", "--send"], b"").code, 0);
    ada.behind = 0;
    carried(&host, &mut ada, Vec::new(), true);
    assert_eq!(verify(&host.record(&id)).entries, 2);
    host.later(5 * day - 30 * 60);
    // By that date the five days are over; by when it was here, Bram has half an hour left.
    let claimed = ada.at(&host, &["move", &ada.file(&id), "claim time", "--send"], b"");
    assert_eq!(claimed.code, 0, "{}{}", claimed.out, claimed.err);
    for message in ada.written() {
        host.deliver(&message);
    }
    let letters = host.letters();
    assert!(letters.iter().any(|letter| letter.text.contains("Your claim is kept")), "{letters:?}");
    assert_eq!(verify(&host.record(&id)).entries, 2);
    // It waits for what is true: by then Bram has had his five days, and an hour that clocks and mail may differ by.
    host.later(40 * 60);
    host.run();
    assert_eq!(verify(&host.record(&id)).entries, 2);
    let reminders = host.letters();
    host.later(3600);
    host.run();
    let letters = host.letters();
    assert_eq!(
        letters.iter().filter(|letter| letter.text.contains("The game is over")).count(),
        2,
        "{reminders:?} {letters:?}"
    );
    let verdict = verify(&host.record(&id));
    assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, 3));
}

#[test]
fn e7_an_entry_that_was_dated_back_is_asked_back_although_a_claim_came_along_with_it() {
    let host = Hosted::with("mail:\n  letter: text\n");
    let (id, mut ada, last) = begun(&host, "asalto");
    host.deliver(&host.reply(BRAM, &last, "place c6 e6"));
    carried(&host, &mut ada, host.letters(), true);
    let day = 86_400;
    // Within the hour after her own time is up, before the host looks at the clock: an entry of the first minute, and a claim.
    host.later(5 * day + 300);
    ada.behind = 5 * day + 240;
    assert_eq!(ada.at(&host, &["move", &ada.file(&id), "c4-c5"], b"").code, 0);
    ada.behind = 0;
    assert_eq!(ada.at(&host, &["move", &ada.file(&id), "claim time"], b"").code, 0);
    let record = ada.session.read(&ada.file(&id));
    let address = ada.session.read(&format!("home/data/seats/{id}.host"));
    let message = crate::attacks::letter(ADDRESSES[0], &record).replacen(
        "Subject:",
        &format!("To: {}\nMessage-ID: <both@mail.example.org>\nSubject:", address.trim()),
        1,
    );
    host.deliver(message.as_bytes());
    let letters = host.letters();
    assert_eq!(verify(&host.record(&id)).entries, 1, "Bram had no time at all");
    let asked = letters.iter().find(|letter| letter.text.contains("Your entry 2 is dated")).expect("it is asked back");
    // Made again, the entry counts from now, and the claim is gone.
    assert_eq!(ada.at(&host, &["receive", "-"], &asked.bytes).code, 0);
    let done = ada.at(&host, &["send", &ada.file(&id), "--date-anew"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for message in ada.written() {
        host.deliver(&message);
    }
    let letters = host.letters();
    assert_eq!(verify(&host.record(&id)).entries, 2);
    // Bram answers, and now it is Ada who has to move, and whose time the host claims for him.
    let bram = letters.iter().find(|letter| letter.to == ADDRESSES[1]).expect("a letter to Bram");
    host.deliver(&host.reply(BRAM, bram, "c6xc4"));
    host.later(6 * day);
    host.run();
    let text = String::from_utf8(host.record(&id)).expect("text");
    assert!(text.contains("3 defenders c6xc4") && text.contains("4 defenders claim time"), "{text}");
    assert_eq!(verify(text.as_bytes()).ruling, Ruling::Legal);
}

#[test]
fn z38_nothing_is_entered_by_a_letter_for_a_side_that_signs_itself() {
    let host = Hosted::plain();
    let (id, ada, _) = begun(&host, "assassyn");
    let before = host.record(&id);
    // A bare move from her address, with her token: it could be anybody's who reads her mail.
    let letter = shown(&host, &id, &ada);
    host.deliver(&host.reply(ADA, &letter, "resign"));
    let refused = host.letter_to(ADDRESSES[0]);
    assert!(
        refused.text.contains("you sign with your own key") && refused.text.contains("postrider receive LETTER"),
        "{}",
        refused.text
    );
    assert_eq!(host.record(&id), before);
}

/// The newest letter about the position to Ada, which has the token of her seat.
fn shown(host: &Hosted, id: &str, ada: &Ada) -> Letter {
    let address = ada.session.read(&format!("home/data/seats/{id}.host"));
    let subject = format!("Re: [pbem] {id} #0");
    let message = format!(
        "From: {ADA}\r\nTo: {}\r\nSubject: {subject}\r\nMessage-ID: <show@mail.example.org>\r\nContent-Type: text/plain\r\n\r\nshow\r\n",
        address.trim()
    );
    host.deliver(message.as_bytes());
    host.letter_to(ADDRESSES[0])
}
