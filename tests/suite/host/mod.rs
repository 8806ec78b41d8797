//! A host: two people with nothing but mail, and one referee between them.

mod ailing;
mod aliases;
mod answers;
mod cheats;
mod confided;
mod counted;
mod damaged;
mod dating;
mod forgotten;
mod keys;
mod kills;
mod kinds;
mod line;
mod manners;
mod month;
mod outage;
mod owner;
pub mod people;
mod post;
mod program;
mod restored;
mod robots;
mod seats;
mod semicolons;
mod sent_back;
mod strangers;
mod subjects;
mod time;
mod tokens;

use people::{Hosted, Letter, flat, id_of, to};
use postrider_disk::disk::Memory;
use postrider_home::entry::view;
use postrider_kernel::Side;
use postrider_referee::desk::Desk;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::verdict::{Opened, Ruling, verify};

use postrider_testing::random::Stream;

const ADA: &str = "Ada Quill <ada@example.org>";
const BRAM: &str = "Bram Post <bram@example.net>";
const ADDRESSES: [&str; 2] = ["ada@example.org", "bram@example.net"];

fn from(address: &str) -> &'static str {
    if address == ADDRESSES[0] { ADA } else { BRAM }
}

/// A game between the two that has just begun: its id, and each one's letter.
fn begun(host: &Hosted, game: &str) -> (String, Vec<Letter>) {
    let letters = host.asked(ADA, &format!("play {game} with bram@example.net"));
    let invitation = to(&letters, "bram@example.net");
    host.deliver(&host.reply(BRAM, invitation, "accept"));
    let letters = host.letters();
    assert_eq!(letters.len(), 2, "{letters:?}");
    (id_of(&letters[0]), letters)
}

/// The address of who is due, and an entry that may be made.
fn due(host: &Hosted, id: &str, letters: &[Letter], stream: &mut Stream) -> Option<(Letter, String)> {
    let record = host.record(id);
    let desk = Desk::open(&record).expect("it is legal");
    let standing = desk.opened.table.standing();
    if standing.outcome.is_some() {
        return None;
    }
    // Who plays which side is known from the letters alone.
    let letter = letters.iter().rev().find(|letter| letter.text.contains("It is your turn")).expect("somebody's turn");
    let list = desk.opened.table.moves();
    let chosen = &list[stream.below(list.len())];
    let side: Side = standing.due.side;
    let entry = match desk.opened.header.info.samples.placeholder(chosen) {
        Some(word) if word.word != "accept" => (word.example)(side, &mut |below| stream.below(below)),
        _ => chosen.clone(),
    };
    Some((letter.clone(), entry))
}

#[test]
fn a_stranger_asks_invites_and_plays_a_whole_game_by_letters() {
    let host = Hosted::new();
    host.deliver(&host.fresh(ADA, "play asalto with bram@example.net", "Hello"));
    let question = host.letter_to("ada@example.org");
    assert!(flat(&question.text).contains("no account, no password") && !question.shows(), "{}", question.text);
    host.deliver(&host.reply(ADA, &question, "play asalto with bram@example.net clock 5d leave 30d"));
    let letters = host.letters();
    let invitation = to(&letters, "bram@example.net");
    assert!(flat(&invitation.text).contains("Ada Quill (ada@example.org) invites you"), "{}", invitation.text);
    assert!(invitation.html.contains("<img "), "{}", invitation.html);
    // Whose name is not known is not called by one.
    assert!(invitation.text.starts_with("Hello,"), "{}", invitation.text);
    assert!(to(&letters, "ada@example.org").text.contains("is invited"));
    host.deliver(&host.reply(BRAM, invitation, "Sure, I accept!\r\nAccept"));
    let mut letters = host.letters();
    let id = id_of(&letters[0]);
    let mut stream = Stream(3);
    let mut entries = 0;
    while let Some((letter, entry)) = due(&host, &id, &letters, &mut stream) {
        host.later(3600);
        let from = from(&letter.to);
        entries += 1;
        let text = if entries > 24 { "resign".to_owned() } else { entry.clone() };
        let by_tap = letter.taps().iter().any(|(_, _, body)| *body == text);
        let message = match by_tap && entries % 2 == 0 {
            true => host.tap(from, &letter, &text),
            false => host.reply(from, &letter, &text),
        };
        host.deliver(&message);
        letters = host.letters();
        assert_eq!(
            letters.len(),
            2,
            "{text}: {:?}",
            letters.iter().map(|one| (&one.subject, &one.text)).collect::<Vec<_>>()
        );
    }
    assert!(entries > 10);
    let record = host.record(&id);
    let verdict = verify(&record);
    assert_eq!(verdict.ruling, Ruling::Legal);
    assert!(verdict.outcome.is_some());
    // Players see each other's names, not addresses.
    let text = String::from_utf8_lossy(&record).into_owned();
    assert!(!text.contains("@example.org") && !text.contains("@example.net"));
    for letter in &letters {
        assert!(letter.text.contains("The game is over"), "{}", letter.text);
        let attached = postrider_mail::incoming::read(&letter.bytes);
        assert_eq!(attached.records, std::slice::from_ref(&record));
        // The page is a letter of its own, for who asks for it.
        assert!(letter.bytes.len() <= 150_000 && !String::from_utf8_lossy(&letter.bytes).contains(".html"));
        host.deliver(&host.reply(from(&letter.to), letter, "page"));
        let page = host.letter_to(&letter.to);
        assert!(String::from_utf8_lossy(&page.bytes).contains(&format!("{id}.html")));
    }
    // The standings count it.
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "standings"));
    let standings = host.letter_to("ada@example.org");
    assert!(standings.text.contains("Ada Quill") && standings.text.contains("1 won"), "{}", standings.text);
    // A game once more, with sides changed.
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "again"));
    let letters = host.letters();
    assert!(to(&letters, "ada@example.org").text.contains("Bram Post invites you"), "{letters:?}");
}

#[test]
fn two_who_seek_the_same_game_are_paired_and_others_are_not() {
    let host = Hosted::plain();
    let first = host.asked(ADA, "play asalto");
    assert!(to(&first, "ada@example.org").text.contains("You are waiting for somebody"), "{first:?}");
    let other = host.asked("Cleo <cleo@example.com>", "play subsume clock none");
    assert!(to(&other, "cleo@example.com").text.contains("You are waiting for somebody"));
    let letters = host.asked(BRAM, "I would like to play Asalto, please");
    assert_eq!(letters.len(), 2, "{letters:?}");
    for letter in &letters {
        assert!(letter.text.contains("your game of Asalto by mail with"), "{}", letter.text);
    }
    let sides = letters.iter().map(|letter| letter.text.contains("You play the besiegers")).collect::<Vec<_>>();
    assert!(sides[0] != sides[1], "{letters:?}");
    // Nobody waits any more.
    let letters = host.asked("Dora <dora@example.com>", "asalto");
    assert!(to(&letters, "dora@example.com").text.contains("You are waiting for somebody"));
}

#[test]
fn what_is_no_move_is_passed_on_and_a_refusal_says_what_was_read_and_what_may_be_done() {
    let host = Hosted::new();
    let (id, letters) = begun(&host, "asalto");
    let defender = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn");
    let (mine, other) = match defender.to.as_str() {
        "ada@example.org" => (ADA, "bram@example.net"),
        _ => (BRAM, "ada@example.org"),
    };
    host.deliver(&host.reply(mine, defender, "Nice to meet you! How is the weather?"));
    let letters = host.letters();
    assert!(to(&letters, other).text.contains("> Nice to meet you! How is the weather?"), "{letters:?}");
    assert!(to(&letters, &defender.to).text.contains("passed on"));
    host.deliver(&host.reply(mine, defender, "place a3 b3"));
    let refused = host.letter_to(&defender.to);
    assert!(refused.text.contains("> place a3 b3") && refused.text.contains("rule T"), "{}", refused.text);
    assert!(refused.taps().iter().any(|(_, _, body)| body.starts_with("place ")), "{:?}", refused.taps());
    // What is possible can be tapped at once.
    let (_, _, body) = refused.taps().remove(0);
    host.deliver(&host.tap(mine, &refused, &body));
    assert_eq!(host.letters().len(), 2);
    assert_eq!(verify(&host.record(&id)).entries, 1);
    // Who is not due learns it.
    host.deliver(&host.reply(mine, &refused, "place c6 e6"));
    let letter = host.letter_to(&defender.to);
    assert!(letter.text.contains("newest letter") || letter.text.contains("not your turn"), "{}", letter.text);
    assert_eq!(verify(&host.record(&id)).entries, 1);
}

#[test]
fn time_that_is_up_is_claimed_by_the_host_after_two_reminders() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let mut stream = Stream(9);
    let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    let letters = host.letters();
    let (letter, _) = due(&host, &id, &letters, &mut stream).expect("a turn");
    let day = 86_400;
    host.later(2 * day);
    assert_eq!(host.run().sent, 0);
    host.later(day);
    assert_eq!(host.run().sent, 1);
    assert!(host.letter_to(&letter.to).text.contains("A reminder: you have 2 days"));
    host.later(day);
    assert_eq!(host.run().sent, 0);
    host.later(day * 6 / 10);
    assert_eq!(host.run().sent, 1);
    assert!(host.letter_to(&letter.to).subject.contains("a reminder"));
    host.later(day);
    assert_eq!(host.run().sent, 2);
    let letters = host.letters();
    assert!(letters.iter().all(|letter| letter.text.contains("The game is over")), "{letters:?}");
    let record = String::from_utf8(host.record(&id)).expect("text");
    assert!(record.contains(" claim time "), "{record}");
    assert_eq!(verify(record.as_bytes()).ruling, Ruling::Legal);
    assert_eq!(host.run().sent, 0);
}

#[test]
fn others_watch_a_game_and_stop_watching() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let watched = host.asked("Cleo <cleo@example.com>", &format!("watch {id}"));
    let first = to(&watched, "cleo@example.com");
    assert!(first.text.contains("Ada Quill") && first.text.contains("Bram Post"), "{}", first.text);
    let mut stream = Stream(2);
    let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    let letters = host.letters();
    assert_eq!(letters.len(), 3);
    let cleo = to(&letters, "cleo@example.com").clone();
    host.deliver(&host.reply("Cleo <cleo@example.com>", &cleo, &format!("unwatch {id}")));
    assert!(host.letter_to("cleo@example.com").text.contains("no more letters about"));
    let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(host.letters().len(), 2);
}

#[test]
fn a_reply_that_was_foreseen_is_entered_at_once() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.deliver(&host.reply(from(&due.to), &due, "place c6 e6"));
    let letters = host.letters();
    // The defenders foresee an answer to c4-c5.
    let waits = to(&letters, &due.to).clone();
    host.deliver(&host.reply(from(&due.to), &waits, "if c4-c5 then c6xc4"));
    let answer = host.letter_to(&due.to);
    let foreseen = answer.text.contains("Noted: c4-c5");
    let moves = to(&letters, ADDRESSES.iter().find(|address| **address != due.to).expect("the other")).clone();
    host.deliver(&host.reply(from(&moves.to), &moves, "c4-c5"));
    let entries = verify(&host.record(&id)).entries;
    assert_eq!(entries, if foreseen { 3 } else { 2 }, "{}", answer.text);
    assert!(foreseen, "{}", answer.text);
}

/// An entry that the player who is due may make, as this player sees the game.
fn chosen(host: &Hosted, id: &str, stream: &mut Stream) -> Option<(Side, String)> {
    let record = host.record(id);
    let desk = Desk::open(&record).expect("it is legal");
    let standing = desk.opened.table.standing();
    if standing.outcome.is_some() {
        return None;
    }
    let side = standing.due.side;
    let office = host.office();
    let view::Told { seen, choices } = view::told(&office, &record, side).expect("a view");
    let (mut list, example) = (choices.whole, choices.example);
    if list.is_empty() || stream.below(4) == 0 {
        list.extend(choices.begun);
    }
    assert!(!list.is_empty(), "{}", String::from_utf8_lossy(&record));
    let begun = list.swap_remove(stream.below(list.len()));
    let word = desk.opened.header.info.samples.placeholder(&begun);
    let entry = match word {
        Some(word) if word.word != "accept" => (word.example)(side, &mut |below| stream.below(below)),
        _ => begun,
    };
    // A turn of several actions is put together.
    let mut entry = entry;
    for _ in 0..30 {
        let Ok(next) = seen.opened.table.read(&entry).and_then(|typed| typed.next()) else {
            // What the table alone does not take is shown by the letter.
            entry = example.unwrap_or(entry);
            break;
        };
        if next.whole {
            break;
        }
        let ends = next.actions.iter().find(|action| action.bytes().all(|byte| byte.is_ascii_lowercase()));
        let Some(action) = ends.or_else(|| next.actions.first()) else { break };
        entry = format!("{entry}; {action}");
    }
    Some((side, entry))
}

/// Plays a game with letters alone, `most` of them; returns the record and how many entries were made.
fn played(game: &str, most: u32, seed: u64) -> (Hosted, String, Vec<Letter>) {
    played_with(Hosted::plain(), game, most, seed)
}

fn played_with(host: Hosted, game: &str, most: u32, seed: u64) -> (Hosted, String, Vec<Letter>) {
    let letters = host.asked(ADA, &format!("play {game} with bram@example.net as {}", first_side(game)));
    let invitation = to(&letters, "bram@example.net").clone();
    host.deliver(&host.reply(BRAM, &invitation, "accept"));
    let mut letters = host.letters();
    let id = id_of(&letters[0]);
    let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
    let mut stream = Stream(seed);
    let mut made = 0;
    while let Some((side, entry)) = chosen(&host, &id, &mut stream) {
        let from = [ADA, BRAM][side.index()];
        made += 1;
        let text = if made > most { "resign" } else { &entry };
        let before = verify(&host.record(&id)).entries;
        host.later(600);
        host.deliver(&host.reply(from, &last[side.index()], text));
        letters = host.letters();
        for letter in &letters {
            last[usize::from(letter.to == ADDRESSES[1])] = letter.clone();
        }
        // What the rules refuse comes back with what may be done, and the game goes on.
        if verify(&host.record(&id)).entries == before {
            assert!(
                letters
                    .iter()
                    .all(|letter| letter.text.contains("Nothing was entered") || letter.text.contains("not possible")),
                "{game}: {text}: {letters:#?}"
            );
        }
        assert!(made < 4 * most, "{game} does not end");
    }
    (host, id, letters)
}

fn first_side(game: &str) -> &'static str {
    postrider_referee::registry::find(game).expect("a game").info().sides[0].word
}

#[test]
fn all_five_games_are_played_by_letters_and_what_the_host_kept_is_proven() {
    for (game, most, seed) in
        [("asalto", 16, 1), ("assideum", 16, 2), ("assassyn", 24, 3), ("subsume", 10, 4), ("mission-combat", 12, 5)]
    {
        let (host, id, letters) = played(game, most, seed);
        let record = host.record(&id);
        let verdict = verify(&record);
        assert_eq!(verdict.ruling, Ruling::Legal, "{game}");
        assert!(verdict.outcome.is_some() && verdict.entries > 5, "{game}: {}", verdict.entries);
        assert!(letters.iter().all(|letter| letter.text.contains("The game is over")), "{game}");
        let text = String::from_utf8(record.clone()).expect("text");
        assert!(
            text.contains("\nhost: {name: The Mill, email: games@example.com, key: ") && !text.contains("@example.org")
        );
        if text.contains("secrecy: sealed") {
            assert_eq!(text.matches("\n# secret ").count(), 2, "{game}: {text}");
            let mut opened = Opened::with_chain(&record).expect("a record");
            opened.replay(u32::MAX);
            let report = audit::report(&opened).expect("a sealed game");
            assert!(report.sound && !matches!(report.proof, Proof::Unproven(_)), "{game}: {}", report.text);
        }
    }
}

#[test]
fn letters_of_a_side_do_not_depend_on_the_secret_of_the_other() {
    for (game, seed) in [("assassyn", 3), ("subsume", 4), ("mission-combat", 5)] {
        let host = Hosted::plain();
        let letters = host.asked(ADA, &format!("play {game} with bram@example.net as {}", first_side(game)));
        host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
        let letters = host.letters();
        let id = id_of(&letters[0]);
        let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
        let mut stream = Stream(seed);
        for _ in 0..8 {
            let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
            host.deliver(&host.reply([ADA, BRAM][side.index()], &last[side.index()], &entry));
            for letter in host.letters() {
                let nth = usize::from(letter.to == ADDRESSES[1]);
                last[nth] = letter;
            }
        }
        let files = host.memory.snapshot();
        for side in Side::BOTH {
            let from = [ADA, BRAM][side.index()];
            let asked = host.reply(from, &last[side.index()], "show");
            let word = postrider_referee::registry::find(game).expect("a game").info().sides[side.other().index()].word;
            let mut letters = Vec::new();
            let mut changed = 0;
            for is_other in [false, true] {
                let mut files = files.clone();
                for (path, bytes) in files.iter_mut().filter(|(path, _)| is_other && path.contains("/secrets/")) {
                    if path.contains(&id) && path.contains(word) {
                        let text = String::from_utf8(bytes.clone()).expect("text");
                        let digit = |c: char| {
                            char::from_digit(c.to_digit(16).map_or(0, |digit| (digit + 5) % 16), 16).expect("a digit")
                        };
                        let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
                        *bytes = format!("{}{}", text[..end].chars().map(digit).collect::<String>(), &text[end..])
                            .into_bytes();
                        changed += 1;
                    }
                }
                let other = Hosted::at(Memory::from_snapshot(files));
                other.deliver(&asked);
                letters.push(other.letter_to(ADDRESSES[side.index()]).bytes);
            }
            assert_eq!(changed, 1, "{game}: {:?}", files.iter().map(|(path, _)| path).collect::<Vec<_>>());
            assert!(letters[0] == letters[1], "{game}: {word}");
        }
    }
}
