//! Records that are legal and as expensive to judge as a stranger can make them, of any size: their cost must not grow
//! faster than their size. The tests count steps, the benchmarks instructions.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// A kind of record.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// A size at which what grows outweighs what does not; roughly the number of entries or tokens.
    pub size: usize,
    /// Writes a record of a given size.
    pub write: fn(usize) -> String,
    /// Whether its cost is at most proportional to its size, however large. Two stacks that fight in every entry cost a
    /// 64th of their size each time, and a header has room for stacks of 60,000; beyond that the record grows, and the
    /// cost of an entry does not.
    pub linear: bool,
}

/// All of them.
pub const SHAPES: &[Shape] = &[
    Shape { name: "subsume: tall stacks that fight", size: 250, write: tall_stacks, linear: false },
    Shape { name: "subsume: a tall stack reordered", size: 500, write: reordered, linear: true },
    Shape { name: "subsume: two stacks that only grow", size: 500, write: growing, linear: true },
    Shape { name: "subsume: sealed, each entry with an offer", size: 250, write: sealed_offers, linear: true },
    Shape { name: "subsume: one token fights a tall stack", size: 500, write: one_against_many, linear: true },
    Shape { name: "subsume: sealed, only claims", size: 250, write: sealed_claims, linear: true },
    Shape { name: "assassyn: nobody dies, each entry with an offer", size: 500, write: nobody_dies, linear: true },
    Shape { name: "assassyn: an escape by a challenge, again and again", size: 500, write: chases, linear: true },
    Shape { name: "asalto: to and fro on rank 5", size: 500, write: sideways, linear: true },
    Shape { name: "assideum: nothing taken, each entry with an offer", size: 250, write: quiet_offers, linear: true },
    Shape { name: "assideum: nothing taken", size: 500, write: quiet, linear: true },
    Shape { name: "asalto: remarks and blank lines", size: 1000, write: remarks, linear: true },
    Shape { name: "subsume: a stack that marches to and fro", size: 500, write: marches, linear: false },
    Shape { name: "subsume: re-ordering with a shared border", size: 250, write: shared_border, linear: true },
    Shape { name: "mission-combat: sealed, a card shuffled again and again", size: 250, write: shuffles, linear: true },
    Shape { name: "mission-combat: attacks split over many units", size: 60, write: splits, linear: true },
    Shape { name: "mission-combat: to and fro, each entry with an offer", size: 250, write: card_offers, linear: true },
    Shape { name: "asalto: leave again and again", size: 500, write: leaves, linear: true },
    Shape { name: "asalto: only blank lines", size: 20_000, write: blank_lines, linear: true },
    Shape { name: "a header of many tags", size: 250, write: tags, linear: true },
    Shape {
        name: "mission-combat: attacks by names without numbers, out of order",
        size: 60,
        write: unnumbered,
        linear: true,
    },
    Shape { name: "mission-combat: turns that only end", size: 500, write: ends, linear: true },
    Shape { name: "assassyn: sealed, an escape by a challenge", size: 500, write: sealed_chases, linear: true },
    Shape {
        name: "asalto: a clock, and a message in other scripts in each entry",
        size: 250,
        write: messages,
        linear: true,
    },
    Shape { name: "subsume: entries of many actions", size: 30, write: long_entries, linear: true },
];

fn header(game: &str, sides: [&str; 2], more: &str) -> String {
    let [first, second] = sides;
    format!(
        "---\npbem: 1\ngame: {game}\nid: {game}-of-a-size\nplayers:\n  {first}: {{name: Ada Quill}}\n  {second}: {{name: Bram \
         Post}}\nstarted: 2026-11-21\n{more}---\n"
    )
}

const COLOURS: [&str; 2] = ["white", "black"];

/// `count` entries, each made from its number, starting at 0.
fn entries(mut record: String, sides: [&str; 2], count: usize, entry: impl Fn(usize) -> String) -> String {
    for nth in 0..count {
        // Writing to a `String` never fails.
        let _ = writeln!(record, "{} {} {}", nth + 1, sides[nth % 2], entry(nth));
    }
    record
}

fn subsume(setup: &str) -> String {
    header("subsume", COLOURS, &format!("options: {{turn-limit: none}}\n{setup}"))
}

fn tall_stacks(size: usize) -> String {
    let tokens = "I".repeat(size);
    let setup = format!("setup: \"W a1 {tokens}; B a2 {tokens}; B h8 I; to play white\"\n");
    entries(subsume(&setup), COLOURS, size, |nth| ["+a1I; a1xa2", "+h8A"][nth % 2].into())
}

fn reordered(size: usize) -> String {
    let setup = format!("setup: \"W a1/2 {}; B h8 I; to play white\"\n", "I".repeat(size));
    entries(subsume(&setup), COLOURS, size, |nth| ["+a1I; a1^1; a1^1; a1^1; a1^1", "+h8A"][nth % 2].into())
}

fn growing(size: usize) -> String {
    entries(subsume(""), COLOURS, size, |nth| ["+a1A", "+a8A"][nth % 2].into())
}

fn sealed_offers(size: usize) -> String {
    let entry = |nth: usize| {
        let offer = if nth < 2 { "" } else { "; draw?" };
        format!("+a{} seal:{:064x}{offer}", [1, 8][nth % 2], nth + 1)
    };
    entries(subsume("secrecy: sealed\n"), COLOURS, size, entry)
}

fn one_against_many(size: usize) -> String {
    let setup = format!("setup: \"W a1 I; B a2 {}; B h8 I; to play white\"\n", "I".repeat(size));
    entries(subsume(&setup), COLOURS, size, |nth| ["+h1I; a1xa2", "+h8A"][nth % 2].into())
}

fn sealed_claims(size: usize) -> String {
    entries(subsume("secrecy: sealed\n"), COLOURS, size, |nth| format!("+a{} seal:{:064x}", [1, 8][nth % 2], nth + 1))
}

fn assassyn(setup: &str, size: usize, entry: impl Fn(usize) -> String) -> String {
    let setup = format!("options: {{quiet-turns: none}}\nsetup: \"{setup}\"\n");
    entries(header("assassyn", COLOURS, &setup), COLOURS, size, entry)
}

fn nobody_dies(size: usize) -> String {
    let turns = ["Pa1-a2", "Pf6-f5", "Pa2-a1", "Pf5-f6"];
    assassyn("white Pa1; black Pf6; to play white", size, |nth| {
        format!("{}{}", turns[nth % 4], if nth < 2 { "" } else { "; draw?" })
    })
}

fn chases(size: usize) -> String {
    // Both Warriors chase and are chased; a challenge is answered by moving on.
    let turns = ["Wa3xd3", "Wd3-d4", "Wd3-a3", "Wd4-d3"];
    assassyn("white Pa1 Wa3; black Pf6 Wd3; to play white", size, |nth| turns[nth % 4].into())
}

fn sealed_chases(size: usize) -> String {
    let setup =
        "secrecy: sealed\noptions: {quiet-turns: none}\nsetup: \"white Pa1 Wa3; black Pf6 Wd3; to play white\"\n";
    entries(header("assassyn", COLOURS, setup), COLOURS, size, |nth| match nth % 4 {
        0 => format!("Wa3xd3 seal:{:064x}", nth + 1),
        other => ["", "Wd3-d4", "Wd3-a3", "Wd4-d3"][other].into(),
    })
}

fn messages(size: usize) -> String {
    let setup =
        "options: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\nclock: 30d+1d leave 14d\n";
    let turns = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"];
    let sides = ["besiegers", "defenders"];
    // Letters of several scripts, characters that are put together, and some that change the direction of writing.
    let words =
        "\u{645}\u{631} \u{5e9}\u{5dc} \u{4f60} \u{1f468}\u{200d}\u{1f469} e\u{301}\u{302} \u{202e}abc\u{202c} <&\">";
    entries(header("asalto", sides, setup), sides, size, |nth| {
        let (hour, minute, second) = (nth / 3600, nth / 60 % 60, nth % 60);
        let day = format!("{}-{:02}-{:02}", 2027 + hour / 8064, 1 + hour / 672 % 12, 1 + hour / 24 % 28);
        format!("{} @{day}T{:02}:{minute:02}:{second:02}Z {{{words}}}", turns[nth % 4], hour % 24)
    })
}

fn long_entries(size: usize) -> String {
    let setup = format!("setup: \"W a1/2 {}; B h8 I; to play white\"\n", "I".repeat(400));
    let long = "+a1I".to_owned() + &"; a1^1".repeat(400);
    entries(subsume(&setup), COLOURS, size, |nth| if nth % 2 == 0 { long.clone() } else { "+h8A".into() })
}

fn sideways(size: usize) -> String {
    let setup = "options: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\n";
    let turns = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"];
    let sides = ["besiegers", "defenders"];
    entries(header("asalto", sides, setup), sides, size, |nth| turns[nth % 4].into())
}

fn assideum(size: usize, offer: &str) -> String {
    let turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"];
    let entry = |nth: usize| format!("{}{}", turns[nth % 4], if nth < 2 { "" } else { offer });
    entries(header("assideum", COLOURS, ""), COLOURS, size, entry)
}

fn quiet_offers(size: usize) -> String {
    assideum(size, "; draw?")
}

fn quiet(size: usize) -> String {
    assideum(size, "")
}

fn remarks(size: usize) -> String {
    let mut record = header("asalto", ["besiegers", "defenders"], "");
    for nth in 0..size {
        record.push_str(["\n", "# {\n", "#   ~ @\n"][nth % 3]);
    }
    record.push_str("1 defenders place c6 e6\n");
    record
}

fn tags(size: usize) -> String {
    let tags: Vec<_> = (0..size).map(|nth| format!("t{nth}: x")).collect();
    header("asalto", ["besiegers", "defenders"], &format!("tags: {{{}}}\n", tags.join(", ")))
}

fn marches(size: usize) -> String {
    let setup = format!("setup: \"W a1 {}; W c1 I; B h8 I; to play white\"\n", "I".repeat(size));
    entries(subsume(&setup), COLOURS, size, |nth| match nth % 4 {
        0 => format!("+c1I; a1-a2*{size}"),
        2 => format!("+c1I; a2-a1*{size}"),
        _ => "+h8A".into(),
    })
}

fn shared_border(size: usize) -> String {
    // A row of territories each of which is controlled once its neighbour on the right is.
    let row: String = "bcdefgh".chars().map(|file| format!("W {file}8 IIII; ")).collect();
    let setup = format!("setup: \"W a1/2 IIIIIIIIIIII; {row}W h7 IIIII; B h1 I; to play white\"\n");
    let record = header("subsume", COLOURS, &format!("options: {{turn-limit: none, border: shared}}\n{setup}"));
    entries(record, COLOURS, size, |nth| ["+a1I; a1^1; a1^1; a1^1; a1^1", "+h1A"][nth % 2].into())
}

const CARD_SIDES: [&str; 2] = ["portalists", "marines"];

/// A list of cards for both sides: these units, and events that hurt standard units.
fn card_lists(units: usize, unit: &str, points: u32) -> String {
    let list = |side: &str, name: &str, event: &str| {
        format!(
            "  {side}:\n    units:\n      - {{slug: {name}, copies: {units}, type: standard, defence: 999, weapon: standard, {unit}}}\n    \
             events:\n      - {{slug: {event}, copies: {}, effect: damage, target: standard, points: {points}}}\n",
            30 - units
        )
    };
    format!("decks:\n{}{}", list("marines", "guard", "blast"), list("portalists", "shade", "gust"))
}

fn cards(more: &str) -> String {
    header("mission-combat", ["marines", "portalists"], more)
}

/// A set-up with these units in two areas that are next to each other.
fn two_areas(shades: &str, guards: &str) -> String {
    format!(
        "setup: \"RP{shades}; HQ{guards}; ap 4; to play portalists; hand marines blast blast; hand portalists gust gust; discard marines -; \
         discard portalists -\"\nlayout: {{BP: [], RP: [HQ], DP: [], YA: [], YO: [], BW: [], AR: [], BE: [], AE: [], HQ: [RP]}}\n"
    )
}

fn numbered(name: &str) -> String {
    (1..=28).map(|nth| format!(" {name}.{nth}")).collect()
}

fn splits(size: usize) -> String {
    let setup = two_areas(&numbered("shade"), &numbered("guard"));
    let record = cards(&format!("{}{setup}", card_lists(28, "damage: 999, ranged: true", 999)));
    entries(record, CARD_SIDES, size, |nth| {
        let [own, other] = [["shade", "guard"], ["guard", "shade"]][nth % 2];
        let shares: String = (1..=28).map(|nth| format!(" {other}.{nth}:1")).collect();
        let attacks: String = (1..=4).map(|nth| format!("attack {own}.{nth}{shares}; ")).collect();
        attacks + "end"
    })
}

fn unnumbered(size: usize) -> String {
    let all = |name: &str| (0..28).map(|nth| format!(" {name}{nth:02}")).collect::<String>();
    let list = |side: &str, name: &str, event: &str| {
        let unit = |nth: usize| {
            format!(
                "      - {{slug: {name}{nth:02}, copies: 1, type: standard, defence: 999, weapon: standard, damage: 999, ranged: true}}\n"
            )
        };
        let units: String = (0..28).map(unit).collect();
        let events = format!("      - {{slug: {event}, copies: 2, effect: damage, target: standard, points: 999}}\n");
        format!("  {side}:\n    units:\n{units}    events:\n{events}")
    };
    let lists = list("marines", "guard", "blast") + &list("portalists", "shade", "gust");
    let record = cards(&format!("decks:\n{lists}{}", two_areas(&all("shade"), &all("guard"))));
    entries(record, CARD_SIDES, size, |nth| {
        let [own, other] = [["shade", "guard"], ["guard", "shade"]][nth % 2];
        let shares: String = (0..28).rev().map(|nth| format!(" {other}{nth:02}:1")).collect();
        (0..4).map(|nth| format!("attack {own}{nth:02}{shares}; ")).collect::<String>() + "end"
    })
}

fn ends(size: usize) -> String {
    let setup = two_areas(&numbered("shade"), &numbered("guard"));
    let lists = card_lists(28, "damage: 999, ranged: true", 999);
    entries(cards(&format!("{lists}options: {{quiet-turns: none}}\n{setup}")), CARD_SIDES, size, |_| "end".into())
}

fn card_offers(size: usize) -> String {
    let setup = "setup: \"RP portal-trooper.1; YA exorcist.1; AE rifle-squad.2; HQ rifle-squad.1; ap 4; to play portalists; hand marines -; hand \
                 portalists -; discard marines -; discard portalists -\"\noptions: {quiet-turns: none}\n";
    entries(cards(setup), CARD_SIDES, size, |nth| {
        let moves = [
            "move portal-trooper.1>DP; move portal-trooper.1>RP; end",
            "move rifle-squad.2>HQ; move rifle-squad.2>AE; end",
        ];
        format!("{}{}", moves[nth % 2], if nth < 2 { "" } else { "; draw?" })
    })
}

/// A card of a sealed deck: whose, which generation, which place.
type Card = (&'static str, usize, usize);

fn nonce((side, generation, place): Card) -> String {
    HEXLOWER.encode(&Sha256::digest(format!("{side} {generation} {place}")))[..32].to_owned()
}

fn sealed_card(card: Card, slug: &str) -> String {
    let (side, generation, place) = card;
    let text = format!("pbem1|mission-combat-of-a-size|{side}|deck.{generation}.{place}|{slug}|{}", nonce(card));
    format!("seal:{}", HEXLOWER.encode(&Sha256::digest(text)))
}

fn opened_card(card: Card) -> String {
    let (_, generation, place) = card;
    let generation = if generation == 1 { String::new() } else { format!("{generation}.") };
    format!("open:{generation}{place}:{}", nonce(card))
}

fn shuffles(size: usize) -> String {
    let fields = "secrecy: sealed\noptions: {start: portalists, quiet-turns: none}\n";
    let mut record = cards(&format!("{}{fields}", card_lists(6, "damage: 10", 20)));
    let mut number = 0;
    let mut enter = |side: &str, actions: &str| {
        number += 1;
        // Writing to a `String` never fails.
        let _ = writeln!(record, "{number} {side} {actions}");
    };
    let deck = |side: &'static str, unit: &str, event: &str| {
        let seal = |place: usize| sealed_card((side, 1, place), if place <= 6 { unit } else { event });
        format!("deck {}", (1..=30).map(seal).collect::<Vec<_>>().join(" "))
    };
    let all = (1..=30).map(|place| place.to_string()).collect::<Vec<_>>().join(" ");
    enter("marines", &deck("marines", "guard", "blast"));
    enter("portalists", &format!("{}; deal {all}", deck("portalists", "shade", "gust")));
    enter("marines", &format!("deal {all}; hand 5"));
    for place in 1..=5 {
        let begins = if place == 1 { "hand 5; " } else { "" };
        enter("portalists", &format!("{begins}place shade@RP {}", opened_card(("portalists", 1, place))));
        enter("marines", &format!("place guard@AE {}", opened_card(("marines", 1, place))));
    }
    // All cards are drawn and one event is played, so that each shuffled deck is one card.
    let mut left: Vec<usize> = (6..=30).collect();
    let mut points = 2;
    while !left.is_empty() {
        let drawn: Vec<_> = left.drain(..points.min(left.len())).map(|place| place.to_string()).collect();
        enter("portalists", &if drawn.len() > 1 { format!("draw {}", drawn.len()) } else { "draw".into() });
        enter("marines", &format!("deal {}", drawn.join(" ")));
        enter("portalists", "end");
        enter("marines", "end");
        points = 4;
    }
    let event = |generation: usize| {
        let place = if generation == 1 { 7 } else { 1 };
        format!("event gust guard.1:1 {}", opened_card(("portalists", generation, place)))
    };
    let mut played = event(1) + "; ";
    points = 4;
    for generation in 2..size + 2 {
        if points == 0 {
            enter("portalists", &format!("{played}end"));
            enter("marines", "end");
            (points, played) = (4, String::new());
        }
        let seal = sealed_card(("portalists", generation, 1), "gust");
        enter("portalists", &format!("{played}draw; shuffle {seal}"));
        enter("marines", &format!("deal {generation}.1"));
        points -= 1;
        played = event(generation) + "; ";
    }
    record
}

fn leaves(size: usize) -> String {
    let setup =
        "options: {sideways: both}\nsetup: \".../.D./.B...../......./B..BBBB/BBB/BBB b\"\nclock: 5d leave 9999999d\n";
    let turns = ["b5-a5", "d6-d7", "a5-b5", "d7-d6"];
    let sides = ["besiegers", "defenders"];
    entries(header("asalto", sides, setup), sides, size, |nth| {
        let (year, day) = (2026 + nth / 336, nth % 336);
        let leave = if nth < 2 { "" } else { "; leave 1d" };
        format!("{}{leave} @{year}-{:02}-{:02}T10:15:00Z", turns[nth % 4], 1 + day / 28, 1 + day % 28)
    })
}

fn blank_lines(size: usize) -> String {
    header("asalto", ["besiegers", "defenders"], "") + "1 defenders place c6 e6\n" + &"\n".repeat(size)
}
