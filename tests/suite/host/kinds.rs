//! Letters of every kind in all five games, as people see them: the first link within a telephone's screen, nothing that only programs
//! read, times and clocks in words, each move once, and small.

use std::collections::BTreeMap;

use super::people::{Hosted, Letter, id_of, to};
use super::program::{Ada, of_ada};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side};
use postrider_testing::random::Stream;

const GAMES: [&str; 5] = ["asalto", "assideum", "assassyn", "subsume", "mission-combat"];
/// What a telephone shows of a letter without scrolling, in pixels.
const SCREEN: usize = 640;
/// What letters are called that a player's own program writes.
const OF_PROGRAM: &str = "of a program";
/// The largest letter, in bytes.
const LARGEST: usize = 150_000;

/// What is written in HTML, a line for each element.
fn written(html: &str) -> String {
    let body = html.split("<body>").nth(1).unwrap_or_default();
    let pieces = body.split('<').filter_map(|piece| piece.split_once('>'));
    pieces.map(|(_, text)| text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&") + "\n").collect()
}

/// How high a letter is on a narrow telephone up to its first link, in pixels; `None` without one.
fn before_first_link(html: &str) -> Option<usize> {
    const LETTERS: usize = 36;
    let body = html.split("<body>").nth(1)?;
    let (head, _) = body.split_once("<a ")?;
    let mut high = head.matches("<img").count() * 400 + head.matches("<h2").count() * 28;
    for block in ["<p", "<blockquote", "<pre", "<h2", "<li", "<tr"] {
        for part in head.split(&format!("{block}>")).skip(1).chain(head.split(&format!("{block} ")).skip(1)) {
            let end = format!("</{}>", &block[1..]);
            let text = written(&format!("<body><x>{}", part.split(&end).next().unwrap_or_default()));
            let lines: usize = text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(|line| line.trim().len().div_ceil(LETTERS))
                .sum();
            high += lines * 24 + if block == "<tr" { 8 } else { 16 };
        }
    }
    Some(high)
}

/// The first part of a text that only programs read.
fn for_programs(text: &str) -> Option<String> {
    // What somebody wrote, and what is to be typed, stands by itself.
    let is_typed = |line: &&str| ["> ", "leave ", "play "].iter().any(|begun| line.trim_start().starts_with(begun));
    let own = text.lines().filter(|line| !is_typed(line));
    for line in own {
        let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || ";,()".contains(c)).collect();
        for (nth, word) in words.iter().enumerate() {
            let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_hex = bare.len() >= 16 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_seal = ["seal:", "salt:", "root:", "open:"].iter().any(|label| word.starts_with(label))
                && word.rsplit(':').next().is_some_and(|digits| digits.len() >= 8);
            let is_time = bare.len() >= 10
                && bare.starts_with("20")
                && bare.as_bytes().get(4) == Some(&b'-')
                && bare.as_bytes().get(7) == Some(&b'-');
            let is_clock = nth > 0
                && ["clock", "leave"].contains(&words[nth - 1])
                && bare.len() >= 2
                && bare.split(['d', 'h', '/', '+']).all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
                && bare.starts_with(|c: char| c.is_ascii_digit())
                && bare.ends_with(['d', 'h']);
            let is_number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u8>().is_ok());
            let is_deal = *word == "deal" && is_number(nth + 1) && is_number(nth + 2);
            if is_hex || is_seal || is_time || is_clock || is_deal {
                return Some(line.to_owned());
            }
        }
    }
    None
}

/// What is wrong with a letter.
fn faults(letter: &Letter, kind: &str) -> Vec<String> {
    let may_be_large = kind.contains("page");
    let mut list = Vec::new();
    if let Some(high) = before_first_link(&letter.html).filter(|high| *high > SCREEN) {
        list.push(format!("the first link stands {high} pixels down"));
    }
    let shown = written(&letter.html);
    for text in [&letter.text, &shown] {
        list.extend(for_programs(text).map(|line| format!("for programs: {line}")));
    }
    let mut taps: Vec<String> = letter.taps().into_iter().map(|(_, _, said)| said).collect();
    taps.sort();
    list.extend(taps.windows(2).filter(|two| two[0] == two[1]).map(|two| format!("twice: {}", two[0])));
    if letter.bytes.len() > LARGEST && !may_be_large {
        list.push(format!("{} bytes", letter.bytes.len()));
    }
    list
}

/// Letters, by what they are.
#[derive(Default)]
struct Kinds(Vec<(String, Letter)>);

impl Kinds {
    fn add(&mut self, kind: &str, letters: &[Letter]) {
        assert!(!letters.is_empty(), "no letter: {kind}");
        self.0.extend(letters.iter().map(|letter| (kind.to_owned(), letter.clone())));
    }
}

/// A whole game, with whatever else is written.
fn of_a_game(game: &str, seed: u64, kinds: &mut Kinds) {
    let host = Hosted::new();
    let letters =
        host.asked(ADA, &format!("play {game} with bram@example.net as {} clock 7d leave 30d", first_side(game)));
    kinds.add(&format!("{game}: invitation"), &letters);
    let invitation = to(&letters, ADDRESSES[1]).clone();
    host.deliver(&host.reply(BRAM, &invitation, "Who are you?"));
    kinds.add(&format!("{game}: invitation again"), &host.letters());
    host.deliver(&host.reply(BRAM, &invitation, "accept"));
    let letters = host.letters();
    kinds.add(&format!("{game}: begun"), &letters);
    let id = id_of(&letters[0]);
    let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
    let mut stream = Stream(seed);
    let beside = [
        "z9-q0",
        "how do I play?",
        "undo",
        "Nice to meet you! Shall we play another one next week?",
        "draw",
        "show",
        "quit",
        "leave 3d",
        "record",
        "my games",
        "if z9-q0 then z9-q0",
        "resign or not?",
        "message: Good luck!",
        "clock",
        "moves",
        "rules",
        "standings",
        "page",
    ];
    for nth in 0..6 {
        let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
        let (who, word) = ([ADA, BRAM][side.index()], beside[nth % beside.len()]);
        host.later(4 * 3_600);
        if nth % 2 == 0 {
            host.deliver(&host.reply(who, &last[side.index()], word));
        }
        kinds.0.extend(host.letters().into_iter().map(|letter| (format!("{game}: {word}"), letter)));
        host.later(3_600);
        // Who is not due asks for something too.
        let waits = side.other().index();
        if nth % 2 == 1 {
            host.deliver(&host.reply([ADA, BRAM][waits], &last[waits], beside[(nth + 5) % beside.len()]));
        }
        let of_who_waits = format!("{game}: {} of who waits", beside[(nth + 5) % beside.len()]);
        kinds.0.extend(host.letters().into_iter().map(|letter| (of_who_waits.clone(), letter)));
        host.later(3_600);
        let text = match nth {
            4.. => "resign".to_owned(),
            _ if nth % 7 == 4 => format!("{entry}\r\ndraw?"),
            _ => entry,
        };
        host.deliver(&host.reply(who, &last[side.index()], &text));
        let letters = host.letters();
        kinds.add(&format!("{game}: move {text}"), &letters);
        for letter in letters {
            let seat = usize::from(letter.to == ADDRESSES[1]);
            last[seat] = letter;
        }
        if nth == 2 {
            host.later(4 * 86_400);
            host.run();
            kinds.add(&format!("{game}: reminder"), &host.letters());
        }
    }
    assert!(chosen(&host, &id, &mut stream).is_none(), "{game} does not end");
    for letter in &last {
        assert!(letter.text.contains("The game is over"), "{}", letter.text);
    }
    host.deliver(&host.reply(BRAM, &last[1], "again"));
    kinds.add(&format!("{game}: again"), &host.letters());
}

/// Letters about no game.
fn of_no_game(kinds: &mut Kinds) {
    for words in [
        "help",
        "games",
        "rules asalto",
        "rules subsume",
        "rules asalto T21",
        "standings",
        "my games",
        "play asalto",
        "play chess",
        "hello?",
        "name Ada Q.",
        "play mission-combat with cleo@example.com clock 50d/10",
        "never write to me again",
        "forget me",
        "watch asalto-1",
    ] {
        let host = Hosted::new();
        host.deliver(&host.fresh(ADA, words, ""));
        kinds.0.extend(host.letters().into_iter().map(|letter| (words.to_owned(), letter)));
        kinds.0.extend(host.asked(BRAM, words).into_iter().map(|letter| (words.to_owned(), letter)));
    }
}

/// Letters of a player's program about an entry, in open play, sealed, and signed.
fn of_programs(kinds: &mut Kinds) {
    for game in GAMES {
        for (form, more) in [("open", &["--open", "--unsigned"][..]), ("signed", &[])] {
            let sealable = postrider_referee::registry::find(game).expect("a game").info().sealable;
            let more: Vec<&str> = more.iter().copied().filter(|word| sealable || *word != "--open").collect();
            let mut ada = Ada::new();
            ada.session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
            let [first, second] =
                postrider_referee::registry::find(game).expect("a game").info().sides.map(|side| side.word);
            let players = [
                "--player".to_owned(),
                format!("{first}=Ada Quill <ada@example.org>"),
                "--player".to_owned(),
                format!("{second}=Bram Post <bram@example.net>"),
                "--clock".to_owned(),
                "7d leave 30d".to_owned(),
            ];
            let players: Vec<&str> = players.iter().map(String::as_str).collect();
            ada.session.run(&[&["new", game, "-o", "game.pbem"][..], &players, &more].concat()).ok();
            let mut stream = Stream(3);
            for nth in 0..12 {
                let entry = match nth {
                    0 => String::new(),
                    _ => of_ada(ada.session.read("game.pbem").as_bytes(), &mut stream),
                };
                let _ = match entry.as_str() {
                    "" => ada.session.run(&["send", "game.pbem"]),
                    entry => ada.session.run(&["move", "game.pbem", entry, "--send"]),
                };
                let _ = ada.session.run(&["answer", "game.pbem", "--send"]);
                let letters: Vec<Letter> = ada.written().into_iter().map(Letter::read).collect();
                if !letters.is_empty() {
                    kinds.add(&format!("{game}: {form}: {OF_PROGRAM}"), &letters);
                    break;
                }
            }
        }
    }
}

#[test]
fn letters_of_every_kind_in_every_game_are_made_for_people_and_for_small_screens() {
    let mut kinds = Kinds::default();
    for (game, seed) in GAMES.into_iter().zip(1..) {
        of_a_game(game, seed, &mut kinds);
    }
    of_no_game(&mut kinds);
    of_programs(&mut kinds);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (kind, letter) in &kinds.0 {
        for fault in faults(letter, kind) {
            *found.entry(format!("{kind} to {}: {fault}", letter.to)).or_default() += 1;
        }
    }
    assert!(kinds.0.len() > 110, "{}", kinds.0.len());
    assert!(kinds.0.iter().any(|(kind, _)| kind.contains(OF_PROGRAM)));
    assert!(found.is_empty(), "{} letters, {} faults: {found:#?}", kinds.0.len(), found.len());
}
