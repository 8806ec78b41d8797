//! Conditional entries: judged when they are entered, played only in the position for which they were judged, and seen
//! by nobody else.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::session::Session;
use postrider_home::conditions::decision::{Added, Conditions, State, Unfit, add, follow, remove};
use postrider_home::entry::way::{NotMade, Signed, Typed, What};
use postrider_kernel::Lost;
use postrider_referee::desk::{Desk, EntryRequest, NoKeyStore, Refusal};
use postrider_referee::record::Time;
use postrider_referee::sealing::{KeyStore, Secret};
use postrider_referee::verdict::{Opened, verify};
use proptest::prelude::*;

const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-conditions\nplayers:\n  besiegers: {name: Ada Quill, email: \
     ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const OPENING: &str = "1 defenders place c6 e6 @2026-11-20T10:15:00Z\n2 besiegers c4-c5 @2026-11-20T11:00:00Z\n";
const NOW: Time = Time(1_795_262_400);

fn opening() -> String {
    format!("{HEADER}{OPENING}")
}

/// The keys of a player without secrets, as in a game without seals.
struct Keys;

impl KeyStore for Keys {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(None)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Ok([7; 16])
    }
}

fn foreseen(record: &str, entries: &[&str]) -> Result<Conditions, Unfit> {
    foreseen_beside(record, None, entries)
}

fn foreseen_beside(record: &str, old: Option<Conditions>, entries: &[&str]) -> Result<Conditions, Unfit> {
    let typed: Vec<_> = entries.iter().map(|entry| (*entry).to_owned()).collect();
    added(record, old, &typed).map(|added| added.conditions)
}

fn added(record: &str, old: Option<Conditions>, typed: &[String]) -> Result<Added, Unfit> {
    add(Desk::open(record.as_bytes()).map_err(Unfit::Refused)?, old, typed, NOW, &mut Keys)
}

fn reply(record: &str, conditions: &Conditions) -> Result<Signed, NotMade> {
    Typed::new(What::Prepared(conditions), NOW).make(&Desk::open(record.as_bytes())?, &mut Keys)
}

#[track_caller]
fn tree(record: &str, entries: &[&str]) -> Conditions {
    foreseen(record, entries).unwrap_or_else(|unfit| panic!("{unfit:?}"))
}

fn wish(actions: &str) -> EntryRequest<'_> {
    EntryRequest { actions, message: None, time: NOW, time_asked: false }
}

/// The record with one more entry.
#[track_caller]
fn then(record: &str, actions: &str) -> String {
    let entered = Desk::open(record.as_bytes()).and_then(|desk| desk.enter(&wish(actions), &mut NoKeyStore));
    let entered = entered.unwrap_or_else(|refusal| panic!("{actions}: {refusal:?}"));
    String::from_utf8(entered.record).expect("UTF-8")
}

#[track_caller]
fn state(record: &str, conditions: &Conditions) -> State {
    follow(record.as_bytes(), conditions).expect("a record").0
}

#[track_caller]
fn replied(record: &str, conditions: &Conditions) -> (String, Conditions) {
    match reply(record, conditions) {
        Ok(Signed { entered, prepared }) => {
            (String::from_utf8(entered.record).expect("UTF-8"), prepared.expect("conditions").rest)
        }
        Err(not_made) => panic!("{not_made:?}"),
    }
}

/// The rule that keeps an entry out of a tree.
fn rule_of(record: &str, entries: &[&str]) -> &'static str {
    match foreseen(record, entries) {
        Err(Unfit::Refused(Refusal::Entry(_, verdict))) => verdict.errors[0].rule.unwrap_or("malformed"),
        Err(Unfit::Refused(_)) => "refused",
        Err(Unfit::Ahead(..)) => "ahead",
        Ok(_) => "legal",
    }
}

#[test]
fn every_entry_of_a_condition_is_judged_where_it_would_be_made() {
    for (entries, rule) in [
        (&["c6-d6", "e4-e5"][..], "legal"),
        (&["c6-c4", "e4-e5"], "T2"),
        (&["c6-d6", "b4-b3"], "T21"),
        (&["c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"], "legal"),
        (&["c6-d6", "e4-e5", "e6xe4xc4xc6", "b4-b3"], "T21"),
        (&["c6-d6", "nonsense"], "malformed"),
        (&["c6-d6", ""], "malformed"),
        (&["c6-d6"], "ahead"),
        (&["c6-d6", "e4-e5", "e6xe4xc4xc6"], "ahead"),
        (&["c6-d6", "e4-e5 {oh}"], "refused"),
        (&["c6-d6", "e4-e5 @2026-11-22T00:00:00Z"], "refused"),
        (&["c6-d6", "e4-e5\n5 defenders resign"], "malformed"),
    ] {
        assert_eq!(rule_of(&opening(), entries), rule, "{entries:?}");
    }
}

#[test]
fn conditions_are_kept_in_canonical_spelling() {
    let kept = tree(&opening(), &["  c6-d6 ;", " E4-e5"]);
    assert_eq!((&*kept.branches[0].theirs, &*kept.branches[0].mine), ("c6-d6; huff d6", "e4-e5"));
    assert_eq!((&*kept.side, kept.entries), ("besiegers", 2));
}

#[test]
fn a_foreseen_entry_is_answered_and_the_rest_of_its_branch_kept() {
    let conditions = tree(&opening(), &["c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]);
    assert_eq!(state(&opening(), &conditions), State::Waiting);
    let (record, rest) = replied(&then(&opening(), "c6-d6"), &conditions);
    assert!(
        record.ends_with("3 defenders c6-d6; huff d6 @2026-11-21T12:00:00Z\n4 besiegers e4-e5 @2026-11-21T12:00:00Z\n")
    );
    assert_eq!(state(&record, &rest), State::Waiting);
    let (record, rest) = replied(&then(&record, "e6xe4xc4xc6"), &rest);
    assert!(record.ends_with("6 besiegers c3-c4 @2026-11-21T12:00:00Z\n"));
    assert!(rest.branches.is_empty());
}

#[test]
fn conditions_are_void_if_the_game_takes_another_course() {
    let conditions = tree(&opening(), &["c6-d6", "e4-e5"]);
    let other = then(&opening(), "e6-d6");
    assert_eq!(state(&other, &conditions), State::Void { entry: 3, actions: "e6-d6; huff c6".into() });
    assert!(matches!(reply(&other, &conditions), Err(NotMade::NotPrepared(State::Void { .. }))));
    // The same happens if their owner answers differently, or the opponent ends the game.
    let otherwise = then(&then(&opening(), "c6-d6"), "d4-d5");
    assert_eq!(state(&otherwise, &conditions), State::Void { entry: 4, actions: "d4-d5".into() });
    assert!(matches!(state(&then(&opening(), "resign"), &conditions), State::Void { entry: 3, .. }));
}

#[test]
fn a_reply_that_was_made_by_hand_leads_on() {
    let conditions = tree(&opening(), &["c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]);
    let by_hand = then(&then(&opening(), "c6-d6"), "e4-e5");
    let (state, rest) = follow(by_hand.as_bytes(), &conditions).expect("a record");
    assert_eq!((state, rest.entries), (State::Waiting, 4));
    let (record, _) = replied(&then(&by_hand, "e6xe4xc4xc6"), &conditions);
    assert!(record.contains("\n6 besiegers c3-c4 "));
}

#[test]
fn a_reply_is_never_made_in_another_record_even_in_the_same_position() {
    let conditions = tree(&opening(), &["c6-d6", "e4-e5"]);
    for other in [
        opening().replace("10:15:00", "10:15:01"),
        opening().replace("Ada Quill", "Ada Quell"),
        opening().replace("started: 2026-11-21", "started: 2026-11-20"),
        opening().replace("11:00:00Z", "11:00:00Z {the gate!}"),
        opening().replace("c4-c5", "d4-d5"),
        format!("{HEADER}{}", OPENING.split_inclusive('\n').next().expect("a line")),
    ] {
        assert_eq!(state(&other, &conditions), State::Elsewhere, "{other}");
    }
    let played = then(&opening().replace("10:15:00", "10:15:01"), "c6-d6");
    assert!(matches!(reply(&played, &conditions), Err(NotMade::NotPrepared(State::Elsewhere))));
}

#[test]
fn e5_draw_accepted_ahead_needs_the_offer() {
    assert_eq!(rule_of(&opening(), &["c6-d6", "draw!"]), "E5");
    let conditions = tree(&opening(), &["c6-d6; draw?", "draw!"]);
    assert!(matches!(state(&then(&opening(), "c6-d6"), &conditions), State::Void { .. }));
    let (record, _) = replied(&then(&opening(), "c6-d6; draw?"), &conditions);
    assert!(record.ends_with("4 besiegers draw! @2026-11-21T12:00:00Z\n= draw: agreed\n"));
}

#[test]
fn e5_an_offer_that_was_not_foreseen_is_left_to_the_player() {
    let conditions = tree(&opening(), &["c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]);
    let offered = then(&opening(), "c6-d6; draw?");
    let asked = State::Asked { theirs: "c6-d6; huff d6".into(), mine: "e4-e5".into() };
    assert_eq!(state(&offered, &conditions), asked);
    assert!(matches!(reply(&offered, &conditions), Err(NotMade::NotPrepared(State::Asked { .. }))));
    // A player who declines the offer with the foreseen reply stays in the tree.
    assert_eq!(state(&then(&offered, "e4-e5"), &conditions), State::Waiting);
}

#[test]
fn e11_leave_is_never_foreseen_and_hinders_nothing() {
    let timed = opening().replace("---\n1", "clock: 5d leave 10d\n---\n1");
    assert_eq!(rule_of(&timed, &["c6-d6; leave 2d", "e4-e5"]), "ahead");
    assert_eq!(rule_of(&timed, &["c6-d6", "e4-e5; leave 2d"]), "ahead");
    let conditions = tree(&timed, &["c6-d6", "e4-e5"]);
    let (record, _) = replied(&then(&timed, "c6-d6; leave 2d"), &conditions);
    assert!(record.contains("\n4 besiegers e4-e5 "));
}

#[test]
fn an_entry_that_ends_the_game_gets_no_reply() {
    assert_eq!(rule_of(&opening(), &["resign", "e4-e5"]), "ahead");
    assert_eq!(rule_of(&opening(), &["c6-d6", "resign", "e6-d6", "e4-e5"]), "ahead");
    assert_eq!(rule_of(&opening(), &["c6-d6", "claim time"]), "E7");
    assert_eq!(rule_of(&then(&opening(), "resign"), &["c6-d6", "e4-e5"]), "refused");
    let (record, rest) = replied(&then(&opening(), "c6-d6"), &tree(&opening(), &["c6-d6", "resign"]));
    assert!(record.ends_with("= defenders win: resigned\n") && rest.branches.is_empty());
}

#[test]
fn branches_coexist_and_a_later_reply_replaces_an_earlier_one() {
    let mut conditions = tree(&opening(), &["c6xc4", "b5-c5", "c4xc6", "d4-d5"]);
    for entries in [&["e6-d6", "d4-d5"][..], &["c6xc4", "b5-c5", "e6-e7", "d4-d5"]] {
        conditions = foreseen_beside(&opening(), Some(conditions), entries).expect("legal");
    }
    assert_eq!((conditions.branches.len(), conditions.branches[0].next.len()), (2, 2));
    let path = |path: &[&str]| path.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
    // What the program adds to an entry (`huff c4`) may be left out.
    assert!(!remove(&mut conditions, &path(&["c6xc4", "e6-e5"])));
    assert!(remove(&mut conditions, &path(&["c6xc4", "E6-e7"])));
    assert_eq!((conditions.branches.len(), conditions.branches[0].next.len()), (2, 1));
    let typed = path(&["c6xc4", "d4-d5"]);
    let added = added(&opening(), Some(conditions), &typed).expect("legal");
    assert_eq!((added.replaced.len(), &*added.replaced[0].mine), (1, "b5-c5"));
    let conditions = added.conditions;
    assert_eq!((conditions.branches.len(), conditions.branches[0].next.len()), (2, 0));
    // A tree rooted elsewhere is not extended.
    let later = then(&then(&opening(), "c6-d6"), "e4-e5");
    let fresh = foreseen_beside(&later, Some(conditions), &["e6xe4xc4xc6", "c3-c4"]).expect("legal");
    assert_eq!((fresh.entries, fresh.branches.len()), (4, 1));
}

#[test]
fn games_whose_entries_tell_throws_are_not_foreseen_in_open_play() {
    let header = "---\npbem: 1\ngame: assassyn\nid: assassyn-open\nplayers:\n  white: {name: A}\n  black: {name: B}\nstarted: \
                  2026-11-21\nsecrecy: open\n---\n";
    assert_eq!(rule_of(header, &["deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1", "deploy Pa6 Wb6 Lc6 Ld6 Sa5 Sb5 Af6"]), "ahead");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is foreseen and whatever is played, what is entered is the reply to exactly that, or nothing.
    #[test]
    fn a_reply_is_entered_after_its_own_condition_only(picks in prop::collection::vec(any::<prop::sample::Index>(), 4..14)) {
        let mut record = opening();
        let moves = |record: &str| {
            let mut opened = Opened::new(record.as_bytes()).expect("a record");
            opened.replay(u32::MAX);
            opened.table.moves()
        };
        for pick in picks.chunks_exact(4) {
            let list = moves(&record);
            let (first, second, played) = (pick[0].get(&list), pick[1].get(&list), pick[2].get(&list));
            let mut conditions = None;
            let mut expected = None;
            for theirs in [first, second] {
                let answers = moves(&then(&record, theirs));
                // The other side's entry may have ended the game.
                let Some(mine) = answers.get(pick[3].index(answers.len().max(1))) else { continue };
                conditions = Some(foreseen_beside(&record, conditions.take(), &[theirs, mine]).expect("legal"));
                if theirs == played {
                    expected = Some(mine.clone());
                }
            }
            let Some(conditions) = conditions else { return Ok(()) };
            let after = then(&record, played);
            if verify(after.as_bytes()).outcome.is_some() {
                let is_void = matches!(state(&after, &conditions), State::Void { .. });
                prop_assert!(is_void, "{after}");
                return Ok(());
            }
            match (reply(&after, &conditions), expected) {
                (Ok(Signed { entered, .. }), Some(expected)) => {
                    prop_assert_eq!(&entered.actions, &expected);
                    record = then(&after, &expected);
                    prop_assert_eq!(String::from_utf8_lossy(&entered.record), record.as_str());
                }
                (Err(NotMade::NotPrepared(State::Void { .. })), None) => return Ok(()),
                (_, expected) => prop_assert!(false, "{expected:?} after {played}\n{after}"),
            }
            if verify(record.as_bytes()).outcome.is_some() {
                return Ok(());
            }
        }
    }
}

/// The output of a command, formatted for a snapshot.
fn transcript(session: &Session, args: &[&str]) -> String {
    let done = session.run(args);
    format!("$ postrider {}\n? {}\n{}{}", args.join(" "), done.code, done.out, done.err)
}

#[test]
fn the_output_of_if_is_as_reviewed() {
    let session = Session::new();
    session.write("game.pbem", opening());
    let mut told = String::new();
    for args in [
        &["if", "game.pbem"][..],
        &["if", "game.pbem", "c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"],
        &["if", "game.pbem", "e6-d6", "d4-d5"],
        &["if", "game.pbem", "c6-d6", "b4-b3"],
        &["if", "game.pbem", "c6-d6; draw?", "draw!"],
        &["if", "game.pbem", "c6-d6"],
        &["if", "game.pbem", "c6-d6", "d4-d5"],
        &["if", "game.pbem", "--remove", "e6-e7"],
        &["if", "game.pbem", "--remove", "e6-d6"],
        &["if", "game.pbem", "--clear"],
        &["if", "game.pbem", "--clear"],
    ] {
        told.push_str(&transcript(&session, args));
    }
    insta::assert_snapshot!("if", told);
}

#[test]
fn answer_makes_the_foreseen_reply_and_says_so() {
    let session = Session::new();
    session.write("game.pbem", opening());
    session.run(&["if", "game.pbem", "c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]).ok();
    session.run(&["move", "game.pbem", "c6-d6"]).ok();
    let before = session.read("game.pbem");
    let tried = session.run(&["answer", "-n", "game.pbem"]);
    assert!(tried.err.contains("as you foresaw: to `c6-d6; huff d6` you answer `e4-e5`"), "{}", tried.err);
    assert_eq!(session.read("game.pbem"), before, "-n writes nothing");
    let asked = session.run(&["answer", "game.pbem", "--no-conditions"]).fails(2);
    assert!(asked.contains("nothing is forced; due is: "), "{asked}");
    let done = session.run(&["answer", "game.pbem", "--send"]);
    assert_eq!(done.code, 0);
    assert!(done.out.contains("last      4 besiegers e4-e5 "), "{}", done.out);
    assert!(session.read("home/data/outbox/asalto-conditions.4.eml").contains("besiegers: e4-e5"));
    let left = session.run(&["if", "game.pbem"]).ok();
    assert_eq!(left, "conditions of the besiegers, from entry 5 on\n    if    e6xe4xc4xc6\n    then  c3-c4\n");
    session.run(&["move", "game.pbem", "c6-c7", "--for", "defenders"]).fails(1);
    let void = session.run(&["move", "game.pbem", "e6-e7", "--for", "defenders"]);
    assert!(void.err.contains("void: entry 5, `e6-e7; huff e7`, was not foreseen"), "{}", void.err);
    assert_eq!(session.run(&["if", "game.pbem"]).ok(), "there are no conditions\n");
}

#[test]
fn a_reply_made_by_hand_keeps_the_tree_or_makes_it_void_at_once() {
    for (by_hand, left) in [("e4-e5", true), ("d4-d5", false)] {
        let session = Session::new();
        session.write("game.pbem", opening());
        session.run(&["if", "game.pbem", "c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]).ok();
        session.run(&["move", "game.pbem", "c6-d6"]).ok();
        let tried = session.run(&["move", "-n", "game.pbem", by_hand]);
        assert!(!tried.err.contains("void"), "{}", tried.err);
        let done = session.run(&["move", "game.pbem", by_hand]);
        assert_eq!(done.err.contains("void: entry 4, `d4-d5`, was not foreseen"), !left, "{}", done.err);
        assert_eq!(session.path("home/data/conditions/asalto-conditions.besiegers.json").exists(), left);
    }
}

#[test]
fn conditions_are_seen_by_their_player_alone() {
    let session = Session::new();
    session.write("game.pbem", opening());
    session.run(&["if", "game.pbem", "c6-d6", "e4-e5"]).ok();
    assert_eq!(session.read("game.pbem"), opening(), "none of them is in the record");
    assert!(!session.run(&["send", "-n", "game.pbem"]).ok().contains("e4-e5 "), "nor in a letter");
    let path = session.path("home/data/conditions/asalto-conditions.besiegers.json");
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    assert!(session.run(&["if", "game.pbem"]).fails(2).contains("chmod go="));
    session.run(&["move", "game.pbem", "c6-d6"]).ok();
    assert!(session.run(&["answer", "game.pbem"]).fails(2).contains("chmod go="), "nor used if others could write it");
}

#[test]
fn conditions_wait_for_the_opponent_and_not_for_oneself() {
    let session = Session::new();
    session.write("game.pbem", opening());
    session.write("home/settings.yaml", "email: bram@example.net\n");
    let refused = session.run(&["if", "game.pbem", "c6-d6", "e4-e5"]).fails(2);
    assert!(
        refused.contains("your own entry that is due") && refused.contains("postrider move game.pbem"),
        "{refused}"
    );
}

#[test]
fn in_sealed_play_only_entries_without_hidden_parts_are_foreseen() {
    let session = Session::new();
    let player = |home: &str, args: &[&str]| {
        let mut command = session.command(args);
        let output = command.env("POSTRIDER_HOME", session.path(home)).output().expect("the program");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let mut new = vec!["new", "assassyn", "-o", "game.pbem"];
    new.extend(players);
    player("ada", &new);
    player("ada", &["move", "game.pbem", "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"]);
    player("bram", &["move", "game.pbem", "deploy Pa6 Wb6 Lc6 Ld6 Sa5 Sb5 Af6"]);
    // The other side's challenge carries a seal, and its result is thrown.
    for theirs in ["Lc1xc6", &format!("Lc1xc6 seal:{}", "0".repeat(64))] {
        let (code, _, err) = player("bram", &["if", "game.pbem", theirs, "accept"]);
        assert!(code == Some(1) && err.contains("depends on something hidden or thrown"), "{err}");
    }
    let (code, out, err) = player("bram", &["if", "game.pbem", "Sa2-b3", "Ld6xd1"]);
    assert!(code == Some(0) && out.contains("then  Ld6xd1\n"), "the seal is made with the entry: {out}{err}");
    // The one secret is that of the first entry, which committed to it (Z20).
    let secrets = std::fs::read_dir(session.path("bram/data/secrets")).expect("the secrets").count();
    assert_eq!(secrets, 1, "judging creates no secret");
    let (code, _, err) = player("bram", &["if", "game.pbem", "Sa2-b3", "Ld6xd1", "accept", "Lc6-c5"]);
    assert!(code == Some(1) && err.contains("depends on something hidden or thrown"), "{err}");
    player("ada", &["move", "game.pbem", "Sa2-b3"]);
    let (code, out, err) = player("bram", &["answer", "game.pbem"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(session.read("game.pbem").contains("\n4 black Ld6xd1 seal:"), "{out}");
    assert!(session.path("bram/data/secrets").exists());
}

#[test]
fn replies_that_can_no_longer_be_used_are_told_of_where_that_happens() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let opening = opening();
    let (first, _) = opening.split_once("2 besiegers").expect("two entries");
    session.write("games/ours.pbem", first);
    session.run(&["move", "asalto-conditions", "c4-c5"]).ok();
    // The game is the only one that waits for the opponent.
    let kept = session.run(&["if", "c6-d6", "e4-e5"]);
    assert_eq!(kept.err, "the game is asalto-conditions\n");
    assert_eq!(kept.ok(), "conditions of the besiegers, from entry 3 on\n    if    c6-d6; huff d6\n    then  e4-e5\n");
    let odd = session.run(&["if", "c6-d6", "e4-e5", "e6xe4xc4xc6"]).fails(2);
    assert!(odd.contains("there is no file c6-d6") || odd.contains("no game of yours called c6-d6"), "{odd}");
    let follow = "the conditions of the besiegers follow entry 2, and are not used without it: `postrider if ";
    for args in [&["undo", "-n", "asalto-conditions"][..], &["undo", "asalto-conditions"]] {
        let undone = session.run(args);
        assert!(
            undone.err.starts_with(follow) && undone.err.ends_with("games/ours.pbem` shows them\n"),
            "{}",
            undone.err
        );
    }
    let unfit = "the replies that you prepared do not fit the game any more: `postrider if ";
    assert!(session.run(&["status"]).ok().contains(unfit));
    // Another entry in its place: what followed it is void.
    let moved = session.run(&["move", "asalto-conditions", "d4-d5"]);
    assert!(
        moved
            .err
            .contains("the conditions of the besiegers are void: they followed another entry 2; they were removed\n"),
        "{}",
        moved.err
    );
    assert!(!session.run(&["status"]).ok().contains(unfit));
    assert_eq!(session.run(&["if"]).ok(), "there are no conditions\n");
    // What the opponent played instead, and no letter brought.
    session.run(&["if", "c6-d6", "e4-e5"]).ok();
    let record = session.read("games/ours.pbem");
    session.write("games/ours.pbem", then(&record, "e6-d6"));
    let status = session.run(&["status"]).ok();
    assert!(status.contains(unfit), "{status}");
}
