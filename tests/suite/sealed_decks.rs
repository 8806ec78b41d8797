//! Sealed games of Mission: Combat!: every position, every seal, audits, and cheats.

use std::fs;
use std::path::PathBuf;

use crate::altered::Alterations;
use crate::positions::replayed;
use postrider_kernel::{Side, Viewer};
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::sealing::{Secret, seals};
use postrider_referee::verdict::{Opened, Ruling, format, verify};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/mission-combat/sealed")
}

fn json(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder().join(name)).expect("a readable file")).expect("JSON")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("a text `{name}`"))
}

/// The sealed records, each with its id.
fn records() -> Vec<(PathBuf, String, String)> {
    let mut list = Vec::new();
    for entry in fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "pbem") {
            let record = fs::read_to_string(&path).expect("a record");
            let id = record.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
            list.push((path, record, id));
        }
    }
    list.sort();
    assert!(list.len() >= 3);
    list
}

fn audited(record: &str) -> audit::Report {
    let mut opened = Opened::new(record.as_bytes()).expect("a record");
    let verdict = opened.replay(u32::MAX);
    assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors);
    audit::report(&opened).expect("a sealed record")
}

/// The record with the secrets of both sides, whether or not it already contains them.
fn with_secrets(record: &str, secrets: &[String; 2]) -> String {
    let bare: String =
        record.lines().filter(|line| !line.starts_with("# secret ")).map(|line| format!("{line}\n")).collect();
    format!("{bare}# secret marines {}\n# secret portalists {}\n", secrets[0], secrets[1])
}

#[test]
fn z1_z2_z16_the_vectors_are_reproduced() {
    for vector in json("vectors.json").as_array().expect("a list") {
        let (id, side, label) = (text(vector, "id"), text(vector, "side"), text(vector, "label"));
        let nonce = Secret::read(text(vector, "secret")).expect("a secret").nonce(id, side, label);
        assert_eq!(nonce.to_string(), text(vector, "nonce"));
        assert_eq!(seals::seal(id, side, label, text(vector, "payload"), &nonce).to_string(), text(vector, "seal"));
    }
}

#[test]
fn sealed_games_are_legal_with_the_expected_positions_and_contents() {
    let secrets = json("secrets.json");
    for (path, record, id) in records() {
        let name = path.display();
        let verdict = verify(record.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Legal, "{name}: {:?}", verdict.errors);
        let (_, found) = replayed(record.as_bytes());
        let expected = fs::read_to_string(path.with_extension("positions")).expect("positions");
        assert_eq!(found.trim_end(), expected.trim_end(), "{name}");
        let written = format(record.as_bytes()).expect("a legal record");
        assert!(String::from_utf8_lossy(&written).contains(record.lines().nth(12).expect("an entry")), "{name}");
        let own = ["marines", "portalists"].map(|side| text(&secrets[&id], side).to_owned());
        if verdict.outcome.is_none() {
            continue;
        }
        let report = audited(&with_secrets(&record, &own));
        assert!(report.sound, "{name}: {}", report.text);
        let generations = 2 + record.matches("shuffle seal:").count();
        assert_eq!(report.text.matches("held exactly what it should").count(), generations, "{name}: {}", report.text);
        let swapped = [own[1].clone(), own[0].clone()];
        // Anybody could have written these, so they prove nothing, for or against anybody.
        let report = audited(&with_secrets(&record, &swapped));
        let proves = matches!(report.proof, Proof::Proven) || report.text.contains("held exactly");
        assert!(report.sound && !proves && report.text.contains("gives none of the seals"), "{name}: {}", report.text);
    }
}

#[test]
fn hidden_cards_change_nothing_public() {
    for (path, record, _) in records() {
        let mut opened = Opened::new(record.as_bytes()).expect("a record");
        opened.replay(u32::MAX);
        let hidden: Vec<_> =
            opened.table.seals().expect("seals").published().into_iter().filter(|one| one.opened.is_none()).collect();
        assert!(hidden.len() > 3, "{}", path.display());
        let mut other = record.clone();
        for (nth, one) in hidden.iter().enumerate() {
            other = other.replace(&one.seal.to_string(), &format!("{:064x}", 0xbeef_0000 + nth));
        }
        assert_ne!(other, record);
        let entries = record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        for number in (0..=entries).step_by(5) {
            let shown = [&record, &other].map(|record| {
                let mut opened = Opened::new(record.as_bytes()).expect("a record");
                opened.replay(u32::try_from(number).expect("a number"));
                let views = [Viewer::Public, Viewer::Side(Side::First), Viewer::Side(Side::Second), Viewer::Omniscient];
                let scenes = views.map(|viewer| opened.table.view(viewer));
                // Without a secret, nobody sees more than what is public.
                assert_eq!(scenes[0], scenes[1]);
                (scenes, opened.table.position(), opened.table.moves())
            });
            assert_eq!(shown[0], shown[1], "{} {number}", path.display());
        }
    }
}

/// A game between two players who seal what they like, written by hand.
struct Table {
    id: &'static str,
    record: String,
}

const SECRETS: [&str; 2] = ["01", "02"];

impl Table {
    fn new(id: &'static str, options: &str) -> Self {
        let record = format!(
            "---\npbem: 1\ngame: mission-combat\nid: {id}\nplayers:\n  marines: {{name: Ada}}\n  portalists: {{name: Bram}}\n\
             started: 2026-11-21\noptions: {{{options}}}\nsecrecy: sealed\n---\n"
        );
        Self { id, record }
    }

    fn secret(side: usize) -> String {
        SECRETS[side].repeat(32)
    }

    fn nonce(&self, side: usize, label: &str) -> String {
        let word = ["marines", "portalists"][side];
        Secret::read(&Self::secret(side)).expect("a secret").nonce(self.id, word, label).to_string()
    }

    fn seal(&self, side: usize, label: &str, payload: &str) -> String {
        let word = ["marines", "portalists"][side];
        let nonce = Secret::read(&Self::secret(side)).expect("a secret").nonce(self.id, word, label);
        format!("seal:{}", seals::seal(self.id, word, label, payload, &nonce))
    }

    /// `deck` with the given cards first, and the rest of one kind.
    fn deck(&self, side: usize, cards: &[&str], rest: &str) -> String {
        let seal =
            |place: usize| self.seal(side, &format!("deck.1.{place}"), cards.get(place - 1).copied().unwrap_or(rest));
        format!("deck {}", (1..=30).map(seal).collect::<Vec<_>>().join(" "))
    }

    fn open(&self, side: usize, place: usize) -> String {
        format!("open:{place}:{}", self.nonce(side, &format!("deck.1.{place}")))
    }

    fn enter(&mut self, side: usize, actions: &str) {
        let number = 1 + self.record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        self.record.push_str(&format!("{number} {} {actions}\n", ["marines", "portalists"][side]));
    }

    /// The entry, and the rule that refuses it.
    fn refused(&self) -> (u32, &'static str) {
        let verdict = verify(self.record.as_bytes());
        let error = verdict.errors.first().expect("a refusal");
        (error.entry.expect("an entry"), error.rule.expect("a rule"))
    }

    fn published(&self) -> String {
        format!("{}# secret marines {}\n# secret portalists {}\n", self.record, Self::secret(0), Self::secret(1))
    }
}

fn deal() -> String {
    format!("deal {}", (1..=30).map(|place| place.to_string()).collect::<Vec<_>>().join(" "))
}

/// The opening of a game in which the marines have stacked their deck with Assault Walkers.
fn stacked(id: &'static str) -> Table {
    let mut table = Table::new(id, "start: marines");
    let walkers = ["assault-walker"; 5];
    table.enter(0, &table.deck(0, &walkers, "hellfire"));
    let honest =
        [["portal-trooper"; 5].as_slice(), &["exorcist"; 4], &["psionic-priest"; 4], &["psionic-fanatic"; 5]].concat();
    let rest =
        [["rift-stalker"; 4].as_slice(), &["gate-breaker"; 2], &["warp-colossus"; 2], &["trap-portal"; 3]].concat();
    let cards = [honest, rest].concat();
    table.enter(1, &format!("{}; {}", table.deck(1, &cards, "portal-trooper"), deal()));
    table.enter(0, &format!("{}; hand 5", deal()));
    table.enter(1, "hand 5");
    table
}

#[test]
fn z18_a_stacked_deck_is_refused_when_it_shows() {
    let mut table = stacked("mission-combat-stacked");
    for place in 1..=3 {
        table.enter(0, &format!("place assault-walker@AR {}", table.open(0, place)));
        if place < 3 {
            table.enter(1, &format!("place portal-trooper@YA {}", table.open(1, place)));
        }
    }
    assert_eq!(table.refused(), (9, "Z18"));
}

#[test]
fn m58_a_stacked_deck_that_never_shows_is_found_by_the_audit() {
    let mut table = stacked("mission-combat-stacked");
    table.enter(0, "resign");
    let report = audited(&table.published());
    assert!(
        !report.sound && report.text.contains("marines: generation 1 of the deck did not hold what it should"),
        "{}",
        report.text
    );
    assert!(
        report.text.contains("portalists: generation 1 of the deck held exactly what it should, 30 in all"),
        "{}",
        report.text
    );
}

#[test]
fn m58_a_toss_that_is_not_a_bit_is_found_by_the_audit() {
    let mut table = Table::new("mission-combat-toss", "start: toss");
    table.enter(0, &format!("toss {}; {}", table.seal(0, "toss", "2"), table.deck(0, &[], "hellfire")));
    table.enter(1, "resign");
    let report = audited(&table.published());
    assert!(
        !report.sound && report.text.contains("`toss` (entry 1), never opened, holds nothing that could be opened"),
        "{}",
        report.text
    );
}

#[test]
fn z17_nobody_chooses_a_draw_plays_a_card_twice_or_deals_one_again() {
    let mut table = stacked("mission-combat-cheats");
    // The drawn card is dealt by the other side, never by its owner, and must not have been dealt before.
    let honest = |table: &mut Table| {
        for place in 1..=2 {
            table.enter(0, &format!("place assault-walker@AR {}", table.open(0, place)));
            table.enter(1, &format!("place portal-trooper@YA {}", table.open(1, place)));
        }
    };
    honest(&mut table);
    let refused = |side: usize, actions: &str| {
        let mut table = Table { id: table.id, record: table.record.clone() };
        table.enter(side, actions);
        table.refused()
    };
    assert_eq!(refused(0, &format!("place assault-walker@AR {}", table.open(0, 2))), (9, "M53"), "a card played twice");
    assert_eq!(refused(0, &format!("place rifle-squad@AR {}", table.open(0, 20))), (9, "M53"), "a card never dealt");
    assert_eq!(
        refused(0, &format!("place rifle-squad@AR {}", table.open(0, 3))),
        (9, "Z3"),
        "not the card that was sealed"
    );
    assert_eq!(refused(0, &format!("place hellfire@AR {}", table.open(0, 4))), (9, "M17"), "an event that was kept");
    assert_eq!(refused(0, "deal 7"), (9, "M17"), "a deal that nobody asked for");
}

#[test]
fn altered_records_get_a_verdict_whatever_was_altered() {
    let mut alterations = Alterations(23);
    let mut rulings = std::collections::BTreeMap::new();
    for (_, record, _) in records() {
        let source = record.as_bytes();
        for _ in 0..120 {
            let altered = alterations.next(source, b"0123456789abcdefxARBW-@>;: \n");
            let verdict = verify(&altered);
            assert_eq!(verdict.ruling == Ruling::Legal, verdict.errors.is_empty());
            *rulings.entry(verdict.ruling.word()).or_insert(0) += 1;
        }
    }
    assert!(rulings["illegal"] > 100 && rulings["malformed"] > 30, "{rulings:?}");
}
