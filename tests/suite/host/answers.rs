//! What players write to a host that is no entry as it stands is answered with what can be done.

use super::people::{Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, begun, chosen, due, from};
use postrider_home::entry::moves::{self, Options};
use postrider_home::entry::view;
use postrider_home::records;
use postrider_home::send::letters::Place;
use postrider_referee::desk::Desk;
use postrider_referee::verdict::verify;
use postrider_testing::random::Stream;
use postrider_testing::sample::rounds;

/// A game of Asalto in which the first entry was made: its id, the letter to who waits, and the one to who is due.
fn one_entry(host: &Hosted) -> (String, Letter, Letter) {
    let (id, letters) = begun(host, "asalto");
    let first = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.later(60);
    host.deliver(&host.reply(from(&first.to), &first, "place c6 e6"));
    let letters = host.letters();
    let waits = to(&letters, &first.to).clone();
    let other = ADDRESSES.iter().find(|address| **address != first.to).expect("the other");
    (id, waits, to(&letters, other).clone())
}

fn text(host: &Hosted, id: &str) -> String {
    String::from_utf8(host.record(id)).expect("text")
}

#[test]
fn who_resigns_out_of_turn_does_so_with_the_next_entry_in_place_of_what_is_due() {
    let host = Hosted::plain();
    let (id, waits, other) = one_entry(&host);
    host.deliver(&host.reply(from(&waits.to), &waits, "I resign.\r\nThanks for the game!"));
    let noted = host.letter_to(&waits.to);
    assert!(noted.text.contains("Noted: you resign") && noted.text.contains("    take it back"), "{}", noted.text);
    assert_eq!(verify(&host.record(&id)).entries, 1);
    host.deliver(&host.reply(from(&other.to), &other, "c4-c5"));
    let letters = host.letters();
    assert!(letters.len() == 2 && letters.iter().all(|one| one.text.contains("The game is over")), "{letters:?}");
    assert!(text(&host, &id).contains("3 defenders resign "), "{}", text(&host, &id));
}

#[test]
fn who_has_resigned_out_of_turn_may_take_it_back_until_the_other_has_moved() {
    let host = Hosted::plain();
    let (id, waits, other) = one_entry(&host);
    host.deliver(&host.reply(from(&waits.to), &waits, "resign"));
    let noted = host.letter_to(&waits.to);
    host.deliver(&host.reply(from(&waits.to), &noted, "take it back"));
    assert!(host.letter_to(&waits.to).text.contains("Taken back"));
    host.deliver(&host.reply(from(&other.to), &other, "c4-c5"));
    assert_eq!(host.letters().len(), 2);
    assert_eq!((verify(&host.record(&id)).entries, verify(&host.record(&id)).outcome), (2, None));
}

#[test]
fn what_people_ask_for_beside_moves_is_answered_with_what_can_be_done() {
    let host = Hosted::plain();
    let (id, waits, due) = one_entry(&host);
    for (words, answer) in [
        ("undo", "A move cannot be taken back here"),
        ("Can I take that back?", "A move cannot be taken back here"),
        ("draw", "You can offer a draw only together with a move"),
        ("quit", "To give up this game, reply \"resign\""),
        ("pause", "You may take leave, which stops your clock: 30 days"),
        ("How do I play?", "has yet to move"),
    ] {
        host.later(700);
        host.deliver(&host.reply(from(&waits.to), &waits, words));
        // Nobody else is written to.
        let letter = host.letter_to(&waits.to);
        let said = letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(answer) && said.contains("not passed on"), "{words}: {}", letter.text);
    }
    for (words, answer) in
        [("how do i play?", "Asalto in a minute"), ("draw", "\"draw?\" after it"), ("undo", "nothing to take back")]
    {
        host.later(700);
        host.deliver(&host.reply(from(&due.to), &due, words));
        let letter = host.letter_to(&due.to);
        let said = letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(answer) && said.contains("for example:"), "{words}: {}", letter.text);
    }
    assert_eq!(verify(&host.record(&id)).entries, 1);
    // What says more is for the opponent.
    host.deliver(&host.reply(from(&waits.to), &waits, "undo\r\nI hope that your mother is well again."));
    assert_eq!(host.letters().len(), 2);
}

#[test]
fn a_way_where_a_placement_is_due_is_asked_back_with_a_tap() {
    let host = Hosted::new();
    let (id, letters) = begun(&host, "asalto");
    let first = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.deliver(&host.reply(from(&first.to), &first, "e6-e5"));
    let asked = host.letter_to(&first.to);
    assert!(asked.text.contains("may mean \"place e5 e6\""), "{}", asked.text);
    assert_eq!(verify(&host.record(&id)).entries, 0);
    host.deliver(&host.tap(from(&first.to), &asked, "place e5 e6"));
    assert_eq!(verify(&host.record(&id)).entries, 1);
}

#[test]
fn the_example_of_a_letter_is_an_entry_in_every_state_of_every_game() {
    for (game, most, seed) in
        [("asalto", 12, 1), ("assideum", 14, 2), ("assassyn", 24, 3), ("subsume", 14, 4), ("mission-combat", 14, 5)]
    {
        let host = Hosted::plain();
        let (id, letters) = begun(&host, game);
        let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
        let mut stream = Stream(seed);
        for nth in 0..most {
            let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
            let record = host.record(&id);
            let office = host.office();
            let told = view::told(&office, &record, side).expect("a view");
            let what = told.seen.opened.table.standing().due.what.to_string();
            let shown =
                || (&told.choices.whole, told.choices.begun.iter().take(9).collect::<Vec<_>>(), text(&host, &id));
            let example = told
                .choices
                .example
                .clone()
                .unwrap_or_else(|| panic!("{game}: no example where {what}: {:?}", shown()));
            let seat = usize::from(last[1].text.contains("It is your turn"));
            let (letter, player) = (&last[seat], [ADA, BRAM][seat]);
            assert!(letter.text.contains("It is your turn"), "{game}: {}", letter.text);
            host.later(700);
            // What cannot be read is answered with one too.
            let (letter, example) = match nth % 3 {
                0 => {
                    host.deliver(&host.reply(player, letter, "z9-q0"));
                    let back = host.letter_to(&letter.to);
                    let shown = back.text.split("for example:").nth(1);
                    let shown = shown.and_then(|rest| rest.lines().map(str::trim).find(|line| !line.is_empty()));
                    let shown =
                        shown.unwrap_or_else(|| panic!("{game}: no example where {what}: {}", back.text)).to_owned();
                    (back, shown)
                }
                _ => (letter.clone(), example),
            };
            let by_example = nth % 3 == 0 || nth % 2 == 0;
            host.deliver(&host.reply(player, &letter, if by_example { &example } else { &entry }));
            let made = verify(&host.record(&id)).entries > verify(&record).entries;
            assert!(made || !by_example, "{game}: {what}: {example}: {:?}", host.letters());
            for letter in host.letters() {
                let seat = usize::from(letter.to == ADDRESSES[1]);
                last[seat] = letter;
            }
        }
    }
}

/// Two games of Asalto in which Bram is to begin: the id of each, and his letter about it.
fn two_games(host: &Hosted) -> [(String, Letter); 2] {
    [(); 2].map(|()| {
        let letters = host.asked(ADA, "play asalto with bram@example.net as besiegers");
        let invitation = to(&letters, "bram@example.net").clone();
        host.deliver(&host.reply(BRAM, &invitation, "accept"));
        let letters = host.letters();
        (id_of(&letters[0]), to(&letters, "bram@example.net").clone())
    })
}

#[test]
fn a_letter_about_two_games_serves_the_one_and_says_so_of_the_other() {
    let host = Hosted::plain();
    let [(one, letter), (other, _)] = two_games(&host);
    host.deliver(&host.reply(BRAM, &letter, &format!("place c6 e6\r\n{other}: place d5 e5")));
    assert_eq!((verify(&host.record(&one)).entries, verify(&host.record(&other)).entries), (1, 0));
    let letters = host.letters();
    assert_eq!(letters.len(), 3, "{letters:?}");
    let asked = letters.iter().find(|letter| letter.subject.contains(&other)).expect("a letter about the other");
    assert!(asked.to == "bram@example.net" && asked.text.contains("> place d5 e5"), "{}", asked.text);
    host.deliver(&host.reply(BRAM, asked, "place d5 e5"));
    assert_eq!(verify(&host.record(&other)).entries, 1);
}

#[test]
fn a_letter_that_names_another_game_gives_nothing_up_there() {
    let host = Hosted::plain();
    let [(_, letter), (other, _)] = two_games(&host);
    for words in [
        format!("{other}\r\nresign"),
        format!("How are you?\r\nresign {other}?"),
        format!("In {other} you should\r\nresign"),
    ] {
        host.later(700);
        host.deliver(&host.reply(BRAM, &letter, &words));
        let told = host.letters();
        assert!(!told.iter().any(|letter| letter.text.contains("Noted: you resign")), "{words}: {told:?}");
        assert_eq!(verify(&host.record(&other)).outcome, None, "{words}");
        let note = String::from_utf8(host.record(&other)).expect("text");
        assert!(!note.contains("resign"), "{words}: {note}");
    }
}

#[test]
fn a_move_below_a_sentence_that_names_another_game_is_entered_where_it_answers() {
    let host = Hosted::plain();
    let [(one, letter), (other, _)] = two_games(&host);
    host.deliver(&host.reply(BRAM, &letter, &format!("I have answered in {other} already.\r\n\r\nplace c6 e6")));
    assert_eq!((verify(&host.record(&one)).entries, verify(&host.record(&other)).entries), (1, 0));
}

#[test]
fn talk_that_names_its_own_game_is_passed_on_whole() {
    let host = Hosted::plain();
    let [(one, letter), _] = two_games(&host);
    host.deliver(&host.reply(BRAM, &letter, &format!("I like {one} a lot, and you?")));
    let passed = super::people::flat(&to(&host.letters(), "ada@example.org").text);
    assert!(passed.contains(&format!("I like {one} a lot, and you?")), "{passed}");
}

#[test]
fn a_question_out_of_turn_is_no_resignation_and_neither_is_what_is_sent_to_many() {
    let host = Hosted::plain();
    let (id, waits, other) = one_entry(&host);
    host.deliver(&host.reply(from(&waits.to), &waits, "Resign?\r\nha ha"));
    let told = host.letters();
    assert!(!told.iter().any(|letter| letter.text.contains("Noted: you resign")), "{told:?}");
    let reply = String::from_utf8(host.reply(from(&waits.to), &waits, "resign")).expect("text");
    host.deliver(format!("Precedence: list\r\n{reply}").as_bytes());
    let _ = host.letters();
    host.deliver(&host.reply(from(&other.to), &other, "c4-c5"));
    assert_eq!((verify(&host.record(&id)).entries, verify(&host.record(&id)).outcome), (2, None));
}

#[test]
fn an_entry_that_whoever_runs_the_host_makes_is_told_to_both_players() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (_, entry) = due(&host, &id, &letters, &mut Stream(2)).expect("a turn");
    let office = host.office();
    let file = host.folders.games().join(format!("{id}.pbem"));
    let options = Options { sure: true, ..Options::default() };
    let place = Place { file: &file, name: "here" };
    let (lock, source) = records::take(&office, place).expect("the record");
    assert!(moves::enter(&office, place, &entry, &options, (Some(lock), source)).is_ok());
    assert_eq!(host.run().sent, 2);
    for letter in host.letters() {
        assert!(letter.subject.contains("#1") && letter.text.contains(&entry), "{}", letter.text);
    }
    assert_eq!(host.run().sent, 0);
    assert_eq!(Desk::open(&host.record(&id)).expect("a record").opened.table.standing().entries, 1);
}

#[test]
fn a_mover_is_answered_whatever_was_written_before_in_the_same_name() {
    let host = Hosted::plain();
    let (id, _, due) = one_entry(&host);
    // Anybody can write this address: the same words, and as many others as there is room for.
    for nth in 0..60 {
        host.deliver(&host.fresh(from(&due.to), "hello", &format!("c4-c5 {}", if nth % 2 == 0 { 0 } else { nth })));
    }
    let _ = host.letters();
    host.deliver(&host.reply(from(&due.to), &due, "c4-c4"));
    assert!(host.letter_to(&due.to).text.contains("Nothing was entered") || verify(&host.record(&id)).entries == 1);
    host.deliver(&host.reply(from(&due.to), &due, "c4-c5"));
    assert_eq!((verify(&host.record(&id)).entries, host.letters().len()), (2, 2));
}

#[test]
fn a_yes_to_the_letter_before_the_last_is_not_asked_again() {
    let host = Hosted::plain();
    host.deliver(&host.fresh(ADA, "play asalto", ""));
    let first = host.letter_to("ada@example.org");
    // The host knows from now on that the address answers.
    host.deliver(&host.reply(ADA, &first, "help"));
    let _ = host.letters();
    host.deliver(&host.fresh(ADA, "my games", ""));
    let second = host.letter_to("ada@example.org");
    host.deliver(&host.reply(ADA, &first, "yes"));
    assert!(host.letter_to("ada@example.org").text.contains("You are waiting for somebody"));
    host.deliver(&host.reply(ADA, &second, "yes"));
    assert!(host.letter_to("ada@example.org").text.contains("you wait for somebody who seeks the same"));
}

#[test]
fn letters_tell_times_in_words_in_the_readers_zone_and_nothing_that_only_programs_read() {
    let host = Hosted::new();
    let (id, waits, due) = one_entry(&host);
    assert!(due.text.contains(" UTC") && !due.text.contains("2026-11-"), "{}", due.text);
    // A letter from a place that is two hours ahead.
    let reply = String::from_utf8(host.reply(from(&due.to), &due, "not yet")).expect("text");
    host.deliver(reply.replace("+0000", "+0200").as_bytes());
    let told = host.letter_to(&due.to);
    assert!(told.text.contains("your time") && !told.text.contains("2026-11-"), "{}", told.text);
    assert!(told.html.contains("your time") && !told.html.contains("2026-11-"), "{}", told.html);
    let _ = (id, waits);
    // A game with seals, played to its end: the record and the picture apart, no letter is larger than 150 KB.
    for (game, seed) in [("assassyn", 3), ("mission-combat", 5), ("subsume", 4)] {
        let (_, _, letters) = super::played_with(Hosted::new(), game, 8, seed);
        for letter in letters {
            assert!(letter.text.contains("The game is over"), "{}", letter.text);
            assert!(letter.bytes.len() <= 150_000, "{game}: {} bytes", letter.bytes.len());
            let words = format!("{} {}", letter.text, letter.html);
            assert!(!words.contains("seal:") && !words.contains("deal 1"), "{game}: {words}");
        }
    }
}

#[test]
fn no_move_stands_twice_in_the_html_of_an_answer() {
    let host = Hosted::new();
    let (_, _, due) = one_entry(&host);
    host.deliver(&host.reply(from(&due.to), &due, "z9-q0"));
    let back = host.letter_to(&due.to);
    let body = back.html.split("<body>").nth(1).expect("a body");
    let words: String =
        body.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| format!("{text}\n")).collect();
    for (_, _, said) in back.taps() {
        assert_eq!(words.lines().filter(|line| line.trim() == said).count(), 1, "{said}: {words}");
    }
}

#[test]
fn which_messages_were_taken_is_forgotten_after_months_and_older_letters_enter_nothing() {
    let host = Hosted::plain();
    let (id, _, due) = one_entry(&host);
    let seen = |host: &Hosted| {
        let files = host.memory.snapshot();
        files.into_iter().filter(|(name, _)| name.contains("/seen/")).count()
    };
    let mine = host.reply(from(&due.to), &due, "not yet");
    host.deliver(&mine);
    let _ = host.letters();
    // One that an older home has noted without a month.
    assert!(seen(&host) > 3);
    host.deliver(&mine);
    assert!(host.letters().is_empty());
    let late = host.reply(from(&due.to), &due, "c4-c5");
    host.later(61 * 86_400);
    host.run();
    let _ = host.letters();
    host.deliver(&late);
    let answer = host.letter_to(&due.to);
    let said = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("more than sixty days old"), "{}", answer.text);
    assert!(!text(&host, &id).contains("c4-c5"));
    // Each message forgets what is old where it is noted.
    for nth in 0..rounds(350, 700) {
        for _ in 0..rounds(2, 1) {
            host.later(86_400 / 4);
        }
        host.deliver(&host.fresh("Cleo <cleo@example.com>", "help", &format!("{nth}")));
    }
    let before = seen(&host);
    for nth in 0..rounds(350, 700) {
        for _ in 0..rounds(2, 1) {
            host.later(86_400 / 4);
        }
        host.deliver(&host.fresh("Cleo <cleo@example.com>", "help", &format!("more {nth}")));
    }
    assert!(seen(&host) < before + 200 && before < rounds(350, 700), "{before} and {}", seen(&host));
}

#[test]
fn the_log_of_a_host_keeps_its_newer_half_once_it_is_long() {
    let host = Hosted::plain();
    host.deliver(&host.fresh(ADA, "help", ""));
    let file = host.folders.host().join("log.jsonl");
    let long = "{\"did\":\"something\"}\n".repeat(900_000);
    host.folders.disk.put_private(&file, long.as_bytes()).expect("a log");
    host.deliver(&host.fresh(BRAM, "help", ""));
    let log = host.folders.disk.read(&file, u64::MAX).expect("a log");
    let text = String::from_utf8(log).expect("text");
    assert!(text.len() < long.len() * 6 / 10 && text.contains("bram@example.net"), "{}", text.len());
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}
