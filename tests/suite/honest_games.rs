//! Whole games between two honest players, random but the same each time: no entry is refused, no received record is
//! held back or causes a warning, nobody is accused, and at the end both secrets prove everything. A few run every
//! time; 200 with `POSTRIDER_GAMES=200`.

use crate::correspondence::{Keys, due, wish};
use crate::tactics;
use postrider_home::receive::decision::{Decision, Provenance, decide};
use postrider_kernel::Outcome;
use postrider_referee::desk;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::desk::{Answer, Desk};
use postrider_referee::sealing::Owner;
use postrider_referee::verdict::{Evidence, Opened, Ruling, evidence, verify};
use postrider_testing::random::Stream;

/// How many games of each kind are played by default.
const FEW: u64 = 1;
/// After this many entries the side that is due resigns, because not every random game comes to an end.
const MOST: u32 = 60;

const ADDRESSES: [&str; 2] = ["ada@example.org", "bram@example.net"];

/// A kind of sealed game: its name, and its header fields in addition to the common ones.
struct Kind {
    game: &'static str,
    sides: [&'static str; 2],
    fields: String,
}

const SMALL_DECKS: &str = "decks:
  marines:
    units:
      - {slug: guard, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, ranged: true}
    events:
      - {slug: blast, copies: 14, effect: damage, target: standard, points: 20}
      - {slug: snare, copies: 10, effect: trap}
  portalists:
    units:
      - {slug: shade, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, speed: true}
    events:
      - {slug: gust, copies: 12, effect: damage, target: standard, points: 20}
      - {slug: pit, copies: 12, effect: trap}
";

fn kinds() -> Vec<Kind> {
    let kind = |game, sides, fields: &str| Kind { game, sides, fields: fields.to_owned() };
    let (colours, cards) = (["white", "black"], ["marines", "portalists"]);
    vec![
        kind("assassyn", colours, "options: {deployment: sealed}\n"),
        kind("assassyn", colours, "setup: \"white Pa1 Lc1 Ld2 Ab2; black Pf6 Lc5 Ld4 Sb3; to play white\"\n"),
        kind("subsume", colours, ""),
        kind("subsume", colours, "setup: \"W d4 AAIDI; B d5 DDIA; B h8 I; to play white\"\n"),
        kind("mission-combat", cards, "options: {sealed-decks: 3}\n"),
        kind("mission-combat", cards, SMALL_DECKS),
        kind("mission-combat", cards, &format!("{SMALL_DECKS}options: {{sealed-decks: 4, sealed-shuffles: 3}}\n")),
    ]
}

/// Chooses an entry for the side that is due, like a player who looks at what may be entered.
fn choose(record: &[u8], keys: &mut Keys, stream: &mut Stream) -> String {
    let mut opened = Opened::with_chain(record).unwrap_or_else(|verdict| panic!("{verdict}"));
    opened.replay(u32::MAX);
    let side = opened.table.standing().due.side;
    let (info, id) = (opened.header.info, opened.header.id.clone());
    let word = info.sides[side.index()].word;
    let ground = opened.ground(side, true);
    let after = opened.table.after_opening(&mut Owner::new(&id, word, keys, ground)).expect("the secret is here");
    let position = opened.table.position();
    let text = String::from_utf8_lossy(record);
    // Of a pile shuffled as several decks one is picked only when a card is drawn from it.
    let shuffled = text.rsplit_once("shuffle root:").is_some_and(|(_, behind)| behind.contains("deck seal:"));
    let shuffled = shuffled || text.contains("shuffle seal:");
    let mut entry = String::new();
    for _ in 0..60 {
        let (list, whole) = match &after {
            Some(after) if entry.is_empty() => (after.moves(), false),
            _ if !info.stepwise => (opened.table.moves(), false),
            _ => {
                let next = desk::next(&mut opened, &entry, keys);
                let next =
                    next.unwrap_or_else(|refusal| panic!("{entry}: {refusal}\n{}", String::from_utf8_lossy(record)));
                (next.actions, next.whole)
            }
        };
        if list.is_empty() || whole && stream.below(3) == 0 {
            return entry;
        }
        // In Mission: Combat! nobody fights until a deck has run out, so that decks are reshuffled; then everybody
        // does.
        let quiet = |word: &str| list.iter().rfind(|action| action.starts_with(word)).filter(|_| !shuffled);
        let chosen = match info.name {
            "mission-combat" => match quiet("draw").filter(|_| stream.below(3) > 0).or_else(|| quiet("end")) {
                Some(action) => action.as_str(),
                None => tactics::pick(&list, &position, word, stream),
            },
            // Sealing exists for challenges, conflicts and captures.
            _ => {
                let fights: Vec<_> =
                    list.iter().filter(|entry| entry.contains('x') || entry.starts_with("accept")).collect();
                match fights.is_empty() || stream.below(4) == 0 {
                    true => list[stream.below(list.len())].as_str(),
                    false => fights[stream.below(fights.len())].as_str(),
                }
            }
        };
        let chosen = match info.samples.placeholder(chosen) {
            Some(word) if word.word != "accept" => (word.example)(side, &mut |below| stream.below(below)),
            _ => chosen.to_owned(),
        };
        entry = if entry.is_empty() { chosen } else { format!("{entry}; {chosen}") };
        if !info.stepwise {
            return entry;
        }
    }
    panic!("an entry without an end: {entry}")
}

/// Plays a game to its end, each player with a copy of the record; returns the record.
fn play(kind: &Kind, number: u64) -> String {
    let mut stream = Stream(number);
    let mut keys = [0, 1].map(|side| Keys::of(number * 2 + side + 1, number.is_multiple_of(2)));
    let players =
        [0, 1].map(|side| format!("  {}: {{name: P{side}, email: {}}}\n", kind.sides[side], ADDRESSES[side])).concat();
    let header = format!(
        "---\npbem: 1\ngame: {}\nid: {}-honest-{number}\nplayers:\n{players}started: 2026-11-21\nclock: 10d\n{}secrecy: sealed\n---\n",
        kind.game, kind.game, kind.fields
    );
    let mut copies = [header.clone().into_bytes(), header.into_bytes()];
    let mut hour = 0;
    let mut to_play = due(&copies[0]);
    while let Some(side) = to_play {
        let (own, other) = (side.index(), side.other().index());
        let here = &copies[own];
        let desk = Desk::open(here).unwrap_or_else(|refusal| panic!("{refusal}\n{}", String::from_utf8_lossy(here)));
        let enter = |actions: &str, keys: &mut Keys| desk.enter(&wish(actions, hour), keys);
        let made = match desk.answer(&wish("", hour), &mut keys[own]) {
            Ok(Answer::Forced(forced)) => {
                let appended = forced.appended(desk.opened.text, &mut keys[own]);
                appended.unwrap_or_else(|refusal| panic!("{refusal}\n{}", String::from_utf8_lossy(here)))
            }
            Err(refusal) => panic!("{refusal}\n{}", String::from_utf8_lossy(here)),
            Ok(_) => {
                let actions =
                    if hour >= MOST { "resign".to_owned() } else { choose(here, &mut keys[own], &mut stream) };
                // Now and then a draw is offered, which nobody has to accept.
                let offered = format!("{actions}; draw?");
                let offers = stream.below(12) == 0;
                let tried = offers.then(|| enter(&offered, &mut keys[own]).ok()).flatten();
                tried.unwrap_or_else(|| {
                    enter(&actions, &mut keys[own])
                        .unwrap_or_else(|refusal| panic!("{actions}: {refusal}\n{}", String::from_utf8_lossy(here)))
                })
            }
        };
        assert!(made.later.is_none());
        // The other player receives it by mail two minutes later.
        let now = wish("", hour).time;
        let letter = Provenance {
            from: Some(ADDRESSES[own]),
            date: Some(now),
            address: Some(ADDRESSES[other]),
            own: Some(side.other()),
            ..Provenance::at(postrider_referee::record::Time(now.0 + 120))
        };
        let accepted = match decide(&copies[other], &made.record, &letter) {
            Ok(Decision::Accepted(accepted)) => accepted,
            outcome => panic!("{outcome:?}\n{}", String::from_utf8_lossy(&made.record)),
        };
        assert_eq!(accepted.remarks, [""; 0], "{}", String::from_utf8_lossy(&made.record));
        let standing = made.table.standing();
        to_play = standing.outcome.is_none().then_some(standing.due.side);
        if to_play.is_none() {
            assert!(matches!(evidence(here, &made.record), Ok(Evidence::None)));
        }
        drop(desk);
        copies[other] = accepted.record;
        copies[own] = made.record;
        assert_eq!(copies[0], copies[1]);
        hour += 1;
    }
    let [record, _] = copies;
    let text = String::from_utf8(record).expect("UTF-8");
    proven(&text, kind, &keys);
    text
}

/// One honest game of each kind without signatures: its name, its record, and the secrets of both sides.
pub fn games() -> Vec<(&'static str, String, [String; 2])> {
    const UNSIGNED: u64 = 1;
    let secrets = [0, 1].map(|side| Keys::of(UNSIGNED * 2 + side + 1, false).secret.reveal().to_string());
    kinds().iter().map(|kind| (kind.game, play(kind, UNSIGNED), secrets.clone())).collect()
}

/// The audit accuses nobody: before a secret is published, with the winner's, and with both.
fn proven(record: &str, kind: &Kind, keys: &[Keys; 2]) {
    let secret = |side: usize| format!("# secret {} {}\n", kind.sides[side], *keys[side].secret.reveal());
    let audited = |text: String| {
        let mut opened = Opened::new(text.as_bytes()).expect("a record");
        let verdict = opened.replay(u32::MAX);
        assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors);
        let report = audit::report(&opened).expect("a sealed record");
        assert!(
            report.sound && !report.text.contains("noise") && !report.text.contains("chosen otherwise"),
            "{text}\n{}",
            report.text
        );
        report.proof
    };
    let winner = match verify(record.as_bytes()).outcome {
        Some(Outcome::Win(side, _)) => Some(side),
        _ => None,
    };
    audited(record.to_owned());
    if let Some(side) = winner {
        let loser = audited(format!("{record}{}", secret(side.other().index())));
        assert!(loser == Proof::Unproven(side) || loser == Proof::Proven, "{loser:?}");
        assert_eq!(audited(format!("{record}{}", secret(side.index()))), Proof::Proven, "{record}");
    }
    let both = audited(format!("{record}{}{}", secret(0), secret(1)));
    assert_eq!(both, if winner.is_some() { Proof::Proven } else { Proof::NothingToProve });
}

/// What CONTRIBUTING.md says of how many games are played where.
#[test]
fn as_many_honest_games_are_played_as_the_page_says() {
    let read = |name: &str| std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a file");
    let checks = read(".ci/run");
    let games = checks.split("POSTRIDER_GAMES=").nth(1).and_then(|rest| rest.lines().next()).expect("a number");
    let each = games.parse::<u64>().expect("a number").div_ceil(kinds().len() as u64);
    assert_eq!((FEW, each, kinds().len()), (1, 2, 7));
    let page = read("CONTRIBUTING.md");
    assert!(page.contains("one honest game of each of its seven sealed kinds; `.ci/run` plays two of each"));
}

#[test]
fn whole_honest_games_are_neither_refused_nor_warned_about_and_all_is_proven() {
    let kinds = kinds();
    let games = std::env::var("POSTRIDER_GAMES").ok().and_then(|count| count.parse::<u64>().ok());
    let each = games.map_or(FEW, |count| count.div_ceil(kinds.len() as u64));
    let mut all = String::new();
    for kind in &kinds {
        for number in 0..each {
            all.push_str(&play(kind, number));
        }
    }
    let ends = all.lines().filter(|line| line.starts_with("= ")).count() as u64;
    assert_eq!(ends, each * kinds.len() as u64, "every game has ended");
    for mark in [
        " open:",
        " reveal ",
        "shuffle seal:",
        "shuffle root:",
        " deal ",
        "; pick ",
        "draw?",
        "  ~ ",
        "commit ",
        " salt:",
    ] {
        assert!(all.contains(mark), "no game had `{}`", mark.trim());
    }
}

#[test]
fn z27_a_pile_shuffled_as_several_decks_is_fixed_by_its_roots() {
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.fields.contains("sealed-shuffles")).expect("such games");
    // Unsigned, so that only what is sealed can give a change away.
    let record = play(kind, 1);
    let (before, behind) = record.rsplit_once("shuffle root:").expect("a shuffle");
    let end = [";", " @"].iter().filter_map(|mark| behind.find(mark)).min().expect("an end");
    let (roots, after) = behind.split_at(end);
    let refused = |text: String| {
        let verdict = verify(text.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Illegal, "{text}");
        (verdict.errors[0].rule.expect("a rule"), verdict.errors[0].message.clone())
    };
    // Another root is found out when the seeds are shown, or the seals if it is the one that was picked.
    for nth in 0..3 {
        let mut other: Vec<_> = roots.split(" root:").map(str::to_owned).collect();
        other[nth] = "5e".repeat(32);
        let (rule, message) = refused(format!("{before}shuffle root:{}{after}", other.join(" root:")));
        assert!(rule == "Z27" && message.contains(&format!("deck {}", nth + 1)), "{rule}: {message}");
    }
    // So is another seal or another order of the picked deck.
    let (between, deck) = after.split_once("deck seal:").expect("the picked deck");
    let digits = deck.get(..64).expect("a seal");
    let (rule, _) =
        refused(format!("{before}shuffle root:{roots}{between}deck seal:{}{}", "5e".repeat(32), &deck[64..]));
    assert_eq!(rule, "Z27");
    let second = deck.get(70..134).expect("another seal");
    let swapped = format!("{second} seal:{digits}{}", &deck[134..]);
    assert_eq!(refused(format!("{before}shuffle root:{roots}{between}deck seal:{swapped}")).0, "Z27");
}
