//! Mission: Combat! at the command line: lists of cards, counts, steps, hands.

use crate::session;

use std::fs;
use std::path::Path;

use crate::session::Session;

const PLAYERS: [&str; 4] = ["--player", "marines=Ada", "--player", "portalists=Bram"];
const SETUP: &str = "YA exorcist.1 psionic-priest.1; AR rifle-squad.1 stealth-special-force.1; HQ rifle-squad.2; ap 4; to play marines; \
                     hand marines hellfire; hand portalists -; discard marines -; discard portalists -";

fn from_position() -> Session {
    let session = Session::new();
    let new = ["new", "mission-combat", "--open", "--setup", SETUP, "--id", "mission-combat-cards", "-o", "game.pbem"];
    session.run(&[&new[..], &PLAYERS].concat()).ok();
    session
}

#[test]
fn decks_are_shown_as_tables_and_checked_with_places() {
    let session = Session::new();
    let shown = session.run(&["decks", "show"]).ok();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("notation/mission-combat.md");
    assert!(
        fs::read_to_string(book).expect("the rulebook").contains(&shown),
        "the rulebook shows other decks\n{shown}"
    );
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("notation/mission-combat/decks.yaml"))
        .expect("a list");
    session.write("cards.yaml", &list);
    assert_eq!(session.run(&["decks", "check", "cards.yaml"]).ok(), "cards.yaml: both decks are in order\n");
    assert_eq!(session.run(&["decks", "show", "cards.yaml"]).ok(), shown);
    session.write(
        "wrong.yaml",
        list.replace("defence: 50, weapon: colossal", "defence: 5000, weapon: laser").replace("copies: 6", "copies: 7"),
    );
    session.write("not.yaml", "[1, 2");
    let commands = ["decks check wrong.yaml", "decks check not.yaml", "decks check nothing.yaml"];
    insta::assert_snapshot!("check", session.transcripts(&commands));
}

#[test]
fn decks_of_a_record_are_read_from_its_header() {
    let session = from_position();
    let mut told = session.transcripts(&["decks check game.pbem"]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mission-combat/legal/odd-1.pbem");
    let record = fs::read_to_string(sample).expect("a record");
    session.write("odd.pbem", &record);
    session.write("few.pbem", record.replace("slug: medic, copies: 1", "slug: medic, copies: 2"));
    // In another game it is malformed, and so is a second one.
    session.write("other.pbem", record.replace("game: mission-combat", "game: asalto"));
    session.write("two.pbem", record.replace("started:", "decks: {}\nstarted:"));
    let commands =
        ["decks show odd.pbem", "decks check few.pbem", "verify -v few.pbem", "verify other.pbem", "verify two.pbem"];
    told.push_str(&session.transcripts(&commands));
    insta::assert_snapshot!("of_records", told);
}

#[test]
fn m11_a_game_is_begun_with_the_players_own_cards() {
    let session = Session::new();
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("notation/mission-combat/decks.yaml"))
        .expect("a list");
    session.write("cards.yaml", list.replace("slug: exorcist,", "slug: banisher,"));
    let new = ["new", "mission-combat", "--decks", "cards.yaml", "-o", "game.pbem"];
    session.run(&[&new[..], &PLAYERS].concat()).ok();
    session.run(&["verify", "game.pbem"]).ok();
    let shown = session.run(&["decks", "show", "game.pbem"]).ok();
    assert_eq!(shown, session.run(&["decks", "show", "cards.yaml"]).ok());
    assert!(shown.contains("banisher") && !shown.contains("exorcist"), "{shown}");
    session.write("wrong.yaml", list.replace("copies: 6", "copies: 7"));
    let wrong = ["new", "mission-combat", "--decks", "wrong.yaml"];
    let mut said = session.run(&[&wrong[..], &PLAYERS].concat()).fails(1);
    session.write("two.yaml", format!("{list}---\n"));
    let two = ["new", "mission-combat", "--decks", "two.yaml"];
    said.push_str(&session.run(&[&two[..], &PLAYERS].concat()).fails(2));
    let other = ["new", "assassyn", "--decks", "cards.yaml", "--player", "white=Ada", "--player", "black=Bram"];
    said.push_str(&session.run(&other).fails(2));
    insta::assert_snapshot!("new_refused", said);
}

#[test]
fn sequences_of_actions_are_counted() {
    let session = Session::new();
    assert_eq!(session.run(&["perft", "mission-combat", "4"]).ok().trim(), "9849");
    let other = session.run(&["perft", "mission-combat", "4", "--option", "start=portalists"]).ok();
    assert_eq!(other.trim(), "4037");
}

#[test]
fn a_turn_is_listed_step_by_step() {
    let session = from_position();
    let begun = "move stealth-special-force>YA";
    let first = session.run(&["moves", "game.pbem"]).ok();
    assert!(
        first.lines().any(|line| line == "move stealth-special-force.1>YA") && first.lines().any(|line| line == "end"),
        "{first}"
    );
    let done = session.run(&["moves", "game.pbem", begun]);
    assert!(done.err.contains("the entry must continue"), "{}", done.err);
    let list: Vec<_> = done.out.lines().collect();
    assert!(
        list.iter().all(|line| line.starts_with("attack stealth-special-force.1 ")),
        "only the attack that is owed: {list:?}"
    );
    assert!(list.contains(&"attack stealth-special-force.1 exorcist.1:10 psionic-priest.1:10"));
    let said = session.run(&["moves", "game.pbem", &format!("{begun}; end")]).fails(1);
    assert!(said.contains("error[M27]"), "{said}");
    let entry = format!("{begun}; attack stealth-special-force psionic-priest:10 exorcist:10");
    let shown = session.run(&["move", "game.pbem", &entry]).ok();
    assert!(shown.contains("marines win: units"), "{shown}");
    assert!(session.read("game.pbem").contains(
        "1 marines move stealth-special-force.1>YA; attack stealth-special-force.1 exorcist.1:10 psionic-priest.1:10"
    ));
}

#[test]
fn the_table_is_drawn_in_plain_ascii() {
    let session = from_position();
    let shown = session.run(&["show", "game.pbem"]).ok();
    assert!(shown.is_ascii(), "{shown}");
    insta::assert_snapshot!("table", shown);
    assert!(shown.lines().all(|line| line.len() <= 76), "{shown}");
}

/// Two players, each with a home; both copies of the record are kept identical.
struct Pair([Session; 2]);

impl Pair {
    /// Runs a command for a side, and gives the resulting record to the other.
    fn run(&self, side: usize, args: &[&str]) -> session::Done {
        let done = self.0[side].run(args);
        self.0[1 - side].write("game.pbem", self.0[side].read("game.pbem"));
        done
    }
}

#[test]
fn forced_steps_are_answered_and_choices_are_typed_in_brief() {
    let pair = Pair([Session::new(), Session::new()]);
    let new =
        ["new", "mission-combat", "--option", "start=marines", "--id", "mission-combat-forced", "-o", "game.pbem"];
    pair.run(0, &[&new[..], &PLAYERS].concat()).ok();
    for side in [0, 1, 0, 1] {
        pair.run(side, &["answer", "game.pbem"]).ok();
    }
    let record = pair.0[0].read("game.pbem");
    assert!(
        record.contains("\n3 marines seeds ") && record.contains("; hand ") && record.contains("\n4 portalists seeds "),
        "{record}"
    );
    let said = pair.run(0, &["answer", "game.pbem"]);
    assert!(said.code != 0 && said.err.contains("a unit to be placed"), "{}", said.err);
    for number in 0..10 {
        let side = number % 2;
        let word = ["marines", "portalists"][side];
        let shown = pair.run(side, &["show", "game.pbem", "--as", word]).ok();
        let hand =
            shown.lines().find(|line| line.contains(&format!("{word} ")) && line.contains(" card")).expect("a hand");
        assert!(hand.contains(": "), "{hand}");
        let list = pair.run(side, &["moves", "game.pbem"]).ok();
        // Away from the HQ, which then belongs to the marines alone.
        let place = list.lines().find(|line| line.ends_with("@AR") || line.ends_with("@YA")).expect("a placement");
        assert!(place.starts_with("place ") && !place.contains("open:"), "{place}");
        pair.run(side, &["move", "game.pbem", place]).ok();
    }
    assert!(pair.run(0, &["moves", "game.pbem"]).ok().contains("draw 2\n"));
    pair.run(0, &["move", "game.pbem", "draw"]).ok();
    // `answer` makes the deal, and so does the word alone.
    let answered = pair.run(1, &["move", "game.pbem", "deal"]);
    assert!(answered.code == 0, "{}", answered.err);
    assert!(pair.0[0].read("game.pbem").lines().last().expect("an entry").contains(" portalists deal "));
    let list = pair.run(0, &["moves", "game.pbem"]).ok();
    if !list.starts_with("discard ") {
        // The two cards are the same, so there is nothing to choose, and the turn may continue.
        pair.run(0, &["move", "game.pbem", "end"]).ok();
        assert!(pair.0[0].read("game.pbem").contains(" marines discard "));
        return;
    }
    assert!(list.lines().all(|line| line.starts_with("discard ") && !line.contains("open:")), "{list}");
    let said = pair.run(0, &["move", "game.pbem", "discard trap-portal; end"]).fails(1);
    assert!(said.contains("error[M56]") && said.contains("`discard "), "{said}");
    let said = pair.run(0, &["move", "game.pbem", "end"]).fails(1);
    assert!(said.contains("error[M56]"), "{said}");
    let discard = list.lines().next().expect("a discard");
    pair.run(0, &["move", "game.pbem", &format!("{discard}; end")]).ok();
    assert!(pair.0[0].read("game.pbem").contains(&format!("{discard} open:")));
}
