//! In a game with hidden things the opponent gets nothing but what was marked, whatever the writer holds and however it was spelled.

use postrider_disk::disk::Memory;
use postrider_home::entry::view;
use postrider_referee::verdict::verify;

use super::people::{Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side, from};
use postrider_testing::random::Stream;
use postrider_testing::sample::rounds;

/// A game in which a player is due who holds something that only this player knows.
struct Begun {
    host: Hosted,
    id: String,
    /// The last letter to who is due, and the address of the other.
    letter: Letter,
    other: &'static str,
    /// What may be entered.
    moves: Vec<String>,
}

/// Plays until an entry that begins with one of these may be made.
fn until(game: &str, words: &[&str], options: &str) -> Begun {
    until_with(game, words, options, 5)
}

/// The same with secrets that are drawn in another way.
fn until_with(game: &str, words: &[&str], options: &str, seed: u64) -> Begun {
    let host = Hosted::plain();
    host.draw(seed);
    let asked = format!("play {game} with bram@example.net as {} {options}", first_side(game));
    let letters = host.asked(ADA, &asked);
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
    let mut stream = Stream(7);
    for _ in 0..40 {
        let record = host.record(&id);
        let side = postrider_referee::desk::Desk::open(&record).expect("legal").opened.table.standing().due.side;
        let choices = view::told(&host.office(), &record, side).expect("a view").choices;
        let moves: Vec<String> = choices.whole.iter().chain(&choices.begun).cloned().collect();
        if moves.iter().any(|one| words.iter().any(|word| one.starts_with(word))) {
            let (letter, other) = (last[side.index()].clone(), ADDRESSES[1 - side.index()]);
            return Begun { host, id, letter, other, moves };
        }
        let (_, entry) = chosen(&host, &id, &mut stream).expect("it goes on");
        host.deliver(&host.reply([ADA, BRAM][side.index()], &last[side.index()], &entry));
        for letter in host.letters() {
            let nth = usize::from(letter.to == ADDRESSES[1]);
            last[nth] = letter;
        }
    }
    panic!("{game}: nothing begins with {words:?}");
}

impl Begun {
    /// What becomes of a reply: the letters, and whether the record is longer.
    fn answered(&self, text: &str) -> (Hosted, Vec<Letter>, bool) {
        let twin = Hosted::at(Memory::from_snapshot(self.host.memory.snapshot()));
        let before = verify(&self.host.record(&self.id)).entries;
        // Numbers of messages begin anew in a twin.
        twin.fresh(ADA, "", "");
        let reply = String::from_utf8(twin.reply(from(&self.letter.to), &self.letter, text)).expect("text");
        twin.deliver(reply.replace("@mail.example.org", "@twin.example.org").as_bytes());
        let letters = twin.letters();
        let grown = verify(&twin.record(&self.id)).entries > before;
        (twin, letters, grown)
    }

    fn others(&self, letters: &[Letter]) -> Vec<Letter> {
        letters.iter().filter(|letter| letter.to == self.other).cloned().collect()
    }
}

/// A text with some letters changed.
fn mutated(text: &str, stream: &mut Stream) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..=stream.below(3) {
        let at = stream.below(signs.len());
        let wide = char::from_u32(u32::from(signs[at]) + 0xfee0).filter(|_| signs[at].is_ascii_alphanumeric());
        match stream.below(7) {
            0 => signs[at] = char::from(b'a' + u8::try_from(stream.below(26)).expect("a letter")),
            1 if signs.len() > 4 => drop(signs.remove(at)),
            2 => signs.insert(at, ' '),
            3 => signs.swap(at, 0),
            4 => signs[at] = wide.unwrap_or('-'),
            5 => signs[at] = signs[at].to_ascii_uppercase(),
            _ => signs.insert(at, '\u{ad}'),
        }
    }
    signs.into_iter().collect()
}

/// The ways in which a card is named.
const SPELLINGS: [&str; 12] = [
    "play CARD",
    "put the CARD on the Blue Portal",
    "I place my CARD now",
    "place CARD wherever you like",
    "CARD to RP, I think",
    "My move: CARD@QQ",
    "plase CARD@QQ",
    "TITLE at the red portal",
    "discard CARD",
    "Hi! I'd love to have CARD somewhere good.",
    "event CARD on everything you have",
    "WIDE@QQ",
];
/// Cards that are named.
const ALL: [&str; 6] =
    ["rifle-squad", "stealth-sniper", "portal-trooper", "exorcist", "warp-colossus", "armored-gauss-tank"];

/// A card named in one of the ways; from the second time on with some letters changed.
fn spelled(spelling: &str, nth: usize, round: usize, stream: &mut Stream) -> String {
    let card = ALL[(nth + round) % ALL.len()];
    let wide = card.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).expect("a wide sign"));
    let text = spelling.replace("CARD", card).replace("TITLE", &card.replace('-', " ").to_uppercase());
    let text = text.replace("WIDE", &wide.collect::<String>());
    if round < ALL.len() { text } else { mutated(&text, stream) }
}

#[test]
fn what_is_not_marked_goes_to_nobody_whatever_the_writer_holds() {
    let begun = until("mission-combat", &["place "], "sealed-decks=1 sealed-shuffles=1 clock none");
    // Cards that the writer holds and cards that the writer does not.
    let held: Vec<&str> = begun.moves.iter().filter_map(|one| one.strip_prefix("place ")?.split('@').next()).collect();
    assert!(held.iter().any(|card| ALL.contains(card)) && ALL.iter().any(|card| !held.contains(card)), "{held:?}");
    // The letter says so.
    let said = begun.letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("begin a line with `message:`") && !said.contains("can read anything else that you write"),
        "{said}"
    );
    let mut stream = Stream(11);
    let (mut kept, mut entered) = (0, 0);
    for (nth, spelling) in SPELLINGS.iter().enumerate() {
        for round in 0..rounds(30, 500) {
            let text = spelled(spelling, nth, round, &mut stream);
            let (_, letters, grown) = begun.answered(&text);
            let others = begun.others(&letters);
            if grown {
                // An entry shows what it shows, and nothing beside it.
                entered += 1;
                assert!(others.iter().all(|letter| !letter.text.contains("writes")), "{text}");
            } else {
                kept += 1;
                assert!(others.is_empty(), "{text}: {others:?}");
                assert!(!letters.is_empty(), "{text}");
            }
        }
    }
    assert!(kept >= 300, "{kept} {entered}");
    // Claims of tokens in Subsume.
    let begun = until("subsume", &["+"], "clock none");
    for text in ["+z9A", "claim d1 with an A", "+d1 AB", "my A goes to z9", "an advocate on d1, please?"] {
        for round in 0..12 {
            let text = if round == 0 { text.to_owned() } else { mutated(text, &mut stream) };
            let (_, letters, grown) = begun.answered(&text);
            assert!(grown || begun.others(&letters).is_empty(), "{text}: {letters:?}");
        }
    }
}

#[test]
fn what_is_marked_is_passed_on_and_asked_about_once_if_it_names_what_is_hidden() {
    let begun = until("mission-combat", &["place "], "sealed-decks=1 sealed-shuffles=1 clock none");
    let passed = |letters: &[Letter], words: &str| begun.others(letters).iter().any(|one| one.text.contains(words));
    let tapped = |letter: &Letter| {
        let line = letter.text.lines().map(str::trim).find(|line| line.starts_with("pass it on ")).expect("a tap");
        line.to_owned()
    };
    // Marked, and harmless.
    let (_, letters, _) = begun.answered("message: Nice to meet you!\r\nMy zeppelin is not for you.");
    assert!(passed(&letters, "> Nice to meet you!") && !passed(&letters, "zeppelin"), "{letters:?}");
    // Marked, and not.
    let entry = begun.moves.iter().find(|one| one.starts_with("place ")).expect("a placement");
    let card = entry["place ".len()..].split('@').next().expect("a card");
    let title = card.replace('-', " ").to_uppercase();
    let wide: String = card.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).expect("a wide sign")).collect();
    let wrong = format!("{}{}", &card[..3], &card[4..]);
    for named in [card, &title, &wide, &wrong] {
        let (twin, letters, _) = begun.answered(&format!("message: my {named} waits for you"));
        assert!(begun.others(&letters).is_empty(), "{named}: {letters:?}");
        let asked = to(&letters, &begun.letter.to);
        twin.deliver(&twin.reply(from(&begun.letter.to), asked, &tapped(asked)));
        assert!(passed(&twin.letters(), "waits for you"), "{named}");
    }
    // Not marked: the tap passes it on, once, and that of another letter does not.
    let (twin, letters, _) = begun.answered("What a nice evening, Bram.");
    assert!(begun.others(&letters).is_empty());
    let first = to(&letters, &begun.letter.to).clone();
    let who = from(&begun.letter.to);
    twin.later(600);
    twin.deliver(&twin.reply(who, &first, "And a nice morning it will be."));
    let second = twin.letter_to(&begun.letter.to);
    assert_ne!(tapped(&first), tapped(&second));
    twin.deliver(&twin.reply(who, &second, &tapped(&first)));
    let again = twin.letter_to(&begun.letter.to);
    assert!(again.text.contains("> And a nice morning"), "{}", again.text);
    twin.deliver(&twin.reply(who, &again, &tapped(&again)));
    let letters = twin.letters();
    assert!(passed(&letters, "> And a nice morning it will be."), "{letters:?}");
    twin.deliver(&twin.reply(who, to(&letters, &begun.letter.to), &tapped(&again)));
    assert!(begun.others(&twin.letters()).is_empty());
    // Beside a move, and behind it.
    let (twin, letters, grown) =
        begun.answered(&format!("{entry} {{Good luck!}}\r\n\r\nWhat a nice evening here by the lake."));
    assert!(grown && passed(&letters, "Good luck!") && !passed(&letters, "nice evening here"), "{letters:?}");
    let asked = letters.iter().rfind(|letter| letter.to == begun.letter.to).expect("a letter");
    twin.deliver(&twin.reply(who, asked, &tapped(asked)));
    assert!(passed(&twin.letters(), "> What a nice evening here by the lake."));
    let (twin, letters, grown) = begun.answered(&format!("{entry} {{and next my {wrong}}}"));
    assert!(grown && !passed(&letters, &wrong), "{card}: {letters:?}");
    assert!(!String::from_utf8(twin.record(&begun.id)).expect("text").contains(&wrong));
}

/// What a letter says, without what each game draws and signs anew, and without what its reader holds.
fn said(letter: &Letter) -> String {
    let is_drawn = |word: &str| word.len() >= 8 && word.bytes().any(|byte| byte.is_ascii_digit());
    let line =
        |line: &str| line.split(' ').map(|word| if is_drawn(word) { "…" } else { word }).collect::<Vec<_>>().join(" ");
    // The list of hands, decks and the last entries ends with the line about the host.
    let mut is_listed = false;
    let lines = letter.text.lines().filter(|line| {
        is_listed = line.starts_with("hands ") || is_listed && !line.starts_with("host ");
        !is_listed
    });
    format!("{}\n{}", line(&letter.subject), lines.map(line).collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_the_opponent_reads_is_the_same_whatever_the_writer_holds() {
    let options = "sealed-decks=1 sealed-shuffles=1 clock none";
    let [one, other] = [5, 77].map(|seed| until_with("mission-combat", &["place "], options, seed));
    let hands = [&one, &other].map(|begun| {
        let places = begun.moves.iter().filter_map(|one| one.strip_prefix("place ")?.split('@').next());
        places.collect::<std::collections::BTreeSet<_>>()
    });
    assert_ne!(hands[0], hands[1]);
    assert_eq!(one.letter.to, other.letter.to);
    let mut stream = Stream(31);
    let (mut same, mut read) = (0, 0);
    for (nth, spelling) in SPELLINGS.iter().enumerate() {
        for round in 0..rounds(8, 500) {
            let text = spelled(spelling, nth, round, &mut stream);
            // Marked or not, and with something harmless beside it.
            let text = match round % 4 {
                0 => text,
                1 => format!("message: {text}"),
                2 => format!("message: Good evening!\r\n{text}"),
                _ => format!("message: Good evening!\r\nmessage: {text}"),
            };
            let [(_, first, grown), (_, second, grew)] = [one.answered(&text), other.answered(&text)];
            if grown || grew {
                continue;
            }
            let [first, second] = [one.others(&first), other.others(&second)];
            assert_eq!(
                first.iter().map(said).collect::<Vec<_>>(),
                second.iter().map(said).collect::<Vec<_>>(),
                "{text}"
            );
            same += 1;
            read += first.len();
        }
    }
    assert!(same >= 80 && read >= 20, "{same} {read}");
}
