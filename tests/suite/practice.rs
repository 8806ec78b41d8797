//! Learning and playing alone: lessons, practice games, matches, the look back at a game that is over.

use crate::cli::with;
use crate::session::Session;

#[test]
fn a_look_back_is_for_games_that_are_over_and_is_always_the_same() {
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n");
    let refused = session.run(&["review", "game.pbem"]).fails(1);
    assert!(refused.contains("help that the opponent has not"), "{refused}");
    // A slip that gives up half the game, and a resignation out of the blue.
    let session = with("1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6xc4\n4 besiegers resign\n");
    let looked = |seed: &str| session.run(&["review", "game.pbem", "--level", "2", "--seed", seed]).ok();
    let said = looked("1");
    assert_eq!(said, looked("1"));
    assert!(said.contains("4 besiegers resign: ") && said.contains("the besiegers had "), "{said}");
    // What is proposed instead is legal, and not what was played.
    let rows = session.run(&["review", "game.pbem", "--level", "2", "--json"]).ok();
    let rows: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let missed: Vec<_> = rows.iter().filter(|row| row["turned"] == "missed").collect();
    for row in &missed {
        let before = session.read("game.pbem");
        let cut = before.lines().take_while(|line| !line.starts_with(&format!("{} ", row["number"])));
        session.write("cut.pbem", cut.fold(String::new(), |text, line| text + line + "\n"));
        let better = row["better"]["actions"].as_str().unwrap();
        assert_ne!(better, row["actions"]);
        session.run(&["move", "cut.pbem", better, "--dry-run"]).ok();
    }
    assert_eq!(session.run(&["review", "no.pbem"]).code, 2);
    session.write("bad.pbem", session.read("game.pbem").replace("c4-c5", "c4-c3"));
    let bad = session.run(&["review", "bad.pbem"]);
    assert!(bad.code == 1 && bad.err.contains("T21"), "{}", bad.err);
}

#[test]
fn a_sealed_game_is_looked_back_at_with_what_each_side_knew() {
    let session = Session::new();
    let rows = |record: &str| -> Vec<serde_json::Value> {
        session.write("sealed.pbem", record);
        let rows = session.run(&["review", "sealed.pbem", "--level", "1", "--json"]).ok();
        rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
    };
    let without = |record: &str, side: &str| -> String {
        record
            .lines()
            .filter(|line| !line.starts_with(&format!("# secret {side}")))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let judged = |rows: &[serde_json::Value], side: &str| -> Vec<(u64, i64)> {
        let of_side = rows.iter().filter(|row| row["side"] == side && row["before"].is_i64());
        of_side.map(|row| (row["number"].as_u64().unwrap(), row["before"].as_i64().unwrap())).collect()
    };
    let tokens = include_str!("../../examples/subsume/a-city-built-and-lost.pbem");
    let whole = rows(tokens);
    assert!(judged(&whole, "white").len() > 15 && judged(&whole, "black").len() > 15);
    // What the other side holds changes nothing in what a side expects.
    let alone = rows(&without(tokens, "white"));
    assert_eq!(judged(&alone, "black"), judged(&whole, "black"));
    assert_ne!(judged(&alone, "white"), judged(&whole, "white"), "its own tokens are guessed");
    let said = session.run(&["review", "sealed.pbem", "--level", "1"]).ok();
    assert!(said.contains("the secret of white is not published"), "{said}");
    // A wrong secret is none.
    let wrong = tokens.replace("# secret white 5b5b", "# secret white 5b5c");
    assert_eq!(judged(&rows(&wrong), "white"), judged(&alone, "white"));
    // The dice of Assassyn's Dagger are sealed, its board is not.
    let dice = rows(include_str!("../../examples/assassyn/sealed-game.pbem"));
    assert!(dice.iter().filter(|row| row["before"].is_i64()).count() > 5);
}

#[test]
fn only_the_end_of_a_very_long_game_is_looked_back_at() {
    let session = Session::new();
    let mut record = String::from(
        "---\npbem: 1\ngame: subsume\nid: subsume-long-one\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
         started: 2026-11-21\noptions: {turn-limit: none}\n---\n",
    );
    for number in (1..1003).step_by(2) {
        record.push_str(&format!("{number} white +a1A\n{} black +a8A\n", number + 1));
    }
    session.write("long.pbem", record + "1003 white resign\n");
    let rows = session.run(&["review", "long.pbem", "--level", "1", "--json"]);
    let first: serde_json::Value = serde_json::from_str(rows.out.lines().next().unwrap_or_default()).expect("a row");
    assert_eq!((rows.out.lines().count(), &first["number"]), (1000, &4.into()));
}

#[test]
fn a_practice_game_that_is_kept_goes_on_where_it_was_and_is_no_game_against_a_person() {
    let session = Session::new();
    let begin = ["practice", "asalto", "--as", "defenders", "--level", "1", "--seed", "5"];
    let kept = [&begin[..], &["-o", "evening.pbem"]].concat();
    let whole = session.feed(&begin, b"place c6 e6\nhint\n").ok();
    session.feed(&kept, b"place c6 e6\n").ok();
    let first = session.read("evening.pbem");
    assert!(first.contains("machine: {side: besiegers, level: 1, seed: 5}\n"), "{first}");
    assert_eq!(first.lines().filter(|line| line.starts_with(['1', '2', '3'])).count(), 2, "{first}");
    // The same suggestion, as if the session had gone on.
    let resumed = session.feed(&["practice", "evening.pbem"], b"hint\n").ok();
    let hint = |text: &str| text.lines().find(|line| line.contains("(expected ")).map(str::to_owned);
    assert!(hint(&resumed).is_some() && hint(&resumed) == hint(&whole), "{resumed}");
    // What is taken back is taken back in the file too, and what follows is the same again.
    session.feed(&["practice", "evening.pbem"], b"undo\n").ok();
    assert_eq!(session.read("evening.pbem").lines().last(), Some("---"));
    session.feed(&["practice", "evening.pbem"], b"place c6 e6\n").ok();
    assert_eq!(session.read("evening.pbem"), first);
    assert!(session.feed(&kept, b"").fails(2).contains("goes on with it"));
    assert_eq!(session.read("evening.pbem"), first);
    // It can be looked at and reviewed while it runs.
    session.run(&["verify", "evening.pbem"]).ok();
    session.run(&["review", "evening.pbem", "--level", "1"]).ok();
    // Nothing else enters in it or mails it.
    for args in [&["move", "evening.pbem", "c6-c7"][..], &["send", "evening.pbem"], &["undo", "evening.pbem"]] {
        let refused = session.run(args).fails(1);
        assert!(refused.contains("practice game") && refused.contains("postrider practice evening.pbem"), "{refused}");
    }
    assert_eq!(session.read("evening.pbem"), first);
    // Nor does a letter bring one.
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let letter = format!("From: Bram Post <bram@example.net>\nTo: ada@example.org\nSubject: a game\n\n{first}");
    let refused = session.feed(&["receive", "--strict"], letter.as_bytes());
    assert!(refused.code == 1 && refused.err.contains("which is not mailed (E12)"), "{}{}", refused.out, refused.err);
    assert!(!session.path("games").exists() && !session.run(&["invitations"]).ok().contains("practice"));
    // Lists leave it out unless they are asked.
    let game = with("1 defenders place c6 e6\n").read("game.pbem");
    session.write("game.pbem", &game);
    let files = ["evening.pbem", "game.pbem"];
    for (command, words) in [("export", &["--csv"][..]), ("pack", &["-o", "some.zst"])] {
        let some = session.run(&[&[command], words, &files].concat());
        assert!(some.err.contains("1 practice game is left out; `--practice` includes it"), "{}", some.err);
    }
    session.run(&[&["pack", "--practice", "-o", "all.zst"], &files[..]].concat()).ok();
    let listed = |archive: &str| session.run(&["unpack", archive, "--list"]).ok();
    assert_eq!((listed("some.zst").as_str(), listed("all.zst").as_str()), ("game.pbem\n", "evening.pbem\ngame.pbem\n"));
    // From an archive too.
    for (words, rows) in [(&[][..], 1), (&["--practice"], 2)] {
        assert_eq!(session.run(&[&["export", "all.zst"], words].concat()).ok().lines().count(), rows);
    }
    let table = |args: &[&str]| session.run(&[&["table", "evening.pbem", "--json"], args].concat()).ok();
    assert!(table(&[]).contains("\"left_out\":[]") && table(&["--practice"]).contains("evening.pbem"));
    let status = |args: &[&str]| session.run(&[&["status", "evening.pbem", "game.pbem", "--json"], args].concat()).ok();
    assert_eq!((status(&[]).lines().count(), status(&["--practice"]).lines().count()), (1, 2));
    // The machine has no part in a game against a person, whatever it is called.
    let refused = session.feed(&["practice", "game.pbem"], b"hint\n").fails(1);
    assert!(refused.contains("E12") && refused.contains("against a person"), "{refused}");
    assert!(
        session.feed(&["practice", "evening.pbem", "--seed", "3"], b"").fails(2).contains("the file of a practice")
    );
    assert!(session.feed(&["practice", "missing.pbem"], b"").fails(2).contains("missing.pbem"));
}

#[test]
fn practice_is_a_game_with_hints_and_undo_that_leaves_no_file() {
    let session = Session::new();
    let asalto = ["practice", "asalto", "--as", "defenders", "--level", "1", "--seed", "5"];
    let played = session.feed(&asalto, b"undo\nhint\nplace c6 e6\nwhy\nundo\nplace c5 e5\nlevel 3\nlevel 9\n").ok();
    let of = |entry: &str| played.lines().filter(|line| line.starts_with(entry)).count();
    assert_eq!(
        (of("1 defenders place c6 e6"), of("1 defenders place c5 e5"), of("2 besiegers ")),
        (1, 1, 2),
        "{played}"
    );
    for said in [
        "there is no entry of yours to take back",
        "(expected ",
        "the machine expects ",
        "level 3, club",
        "the levels are 1 to 5",
    ] {
        assert!(played.contains(said), "{said}: {played}");
    }
    assert_eq!(session.feed(&asalto, b"place c6 e6\n").ok(), session.feed(&asalto, b"place c6 e6\n").ok());
    let refused = session.feed(&asalto, b"place c6 c6\n");
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("T10") && refused.err.contains("two defenders cannot stand on one point"),
        "{}",
        refused.err
    );
    // The program throws and draws, for both sides.
    let fight = ["practice", "assassyn", "--seed", "2", "--as", "black", "--setup"];
    let fight = [&fight[..], &["white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5"]].concat();
    let thrown = session.feed(&fight, b"hint\naccept\n");
    assert!(thrown.out.contains("1 black accept roll "), "{}{}", thrown.out, thrown.err);
    let drawn = session.feed(&["practice", "mission-combat", "--seed", "2", "--level", "1"], b"hint\n").ok();
    assert!(
        drawn.contains("1 marines draw ") && drawn.contains("2 portalists draw; draw;") && drawn.contains("\nplace "),
        "{drawn}"
    );
    assert!(session.run(&["practice", "asalto", "--as", "white"]).fails(2).contains("besiegers and defenders"));
    let files: Vec<_> =
        std::fs::read_dir(session.path("")).expect("a folder").flatten().map(|file| file.file_name()).collect();
    assert!(files.iter().all(|name| name == "home"), "{files:?}");
}

#[test]
fn no_command_of_a_practice_game_shows_what_the_machine_holds() {
    let session = Session::new();
    let said = session.feed(&["practice", "subsume", "--seed", "3"], b"position\nclock\n;\npostrider rules subsume\n");
    for word in ["position", "clock"] {
        let told = format!("`{word}` is for games against a person; `help` lists what may be typed here");
        assert!(said.err.contains(&told), "{}", said.err);
    }
    assert!(!said.out.contains("W 1,") && !said.out.contains("begun: \n"), "{}", said.out);
    assert!(said.out.contains("commands of the program may be typed"), "{}", said.out);
    // Where the game is over no command is named that there is not.
    let over = "resign\n";
    let said = session.feed(&["practice", "asalto", "--seed", "3", "--as", "defenders"], over.as_bytes());
    assert!(
        said.out.ends_with("\nthe game is over; `undo` takes your last entry back, `quit` ends\nover> \n"),
        "{}",
        said.out
    );
}

#[test]
fn a_lesson_and_a_practice_game_take_what_a_game_against_a_person_takes() {
    let session = Session::new();
    let learned =
        session.feed(&["learn", "asalto", "1"], b"words\nboard\nturn\ncompact\nRULES t20\nsend\nrules nothing\nq\n");
    assert_eq!(learned.code, 0, "{}", learned.err);
    assert!(learned.err.contains("`send` is for games against a person"), "{}", learned.err);
    assert!(learned.err.contains("there is no game `nothing`"), "{}", learned.err);
    assert!(learned.out.contains("T20") && learned.out.contains("lesson 1 of"), "{}", learned.out);
    let rows = |after: &str| -> Vec<String> {
        let shown = learned.out.split(&format!("> {after}\n")).nth(1).expect("what was typed");
        shown.lines().take_while(|line| !line.contains("> ")).map(str::to_owned).collect()
    };
    let (board, turned, compact) = (rows("board"), rows("turn"), rows("compact"));
    assert!(board != turned && board.len() == turned.len(), "{}", learned.out);
    assert!(compact.len() < turned.len(), "{}", learned.out);
    // A turn that was begun is not dropped in silence.
    let begun = session.feed(&["practice", "subsume", "--seed", "3", "--level", "1"], b"+d1A\n");
    assert!(begun.err.contains("the turn that was begun is dropped: +d1A"), "{}{}", begun.out, begun.err);
}

#[test]
fn status_lists_the_games_wherever_somebody_sits_at_a_board() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session
        .run(&[
            "new",
            "asalto",
            "--player",
            "besiegers=Ada",
            "--player",
            "defenders=Bram",
            "--id",
            "asalto-at-a-board",
            "-o",
            "game.pbem",
        ])
        .ok();
    let mut told = String::new();
    for line in ["play game.pbem --both --compact", "practice asalto --seed 3 --as defenders", "learn asalto 1"] {
        told.push_str(&session.transcript_fed(line, b"status\nlearn asalto\nquit\n"));
    }
    insta::assert_snapshot!("status_at_a_board", told);
}

#[test]
fn in_a_lesson_a_turn_goes_on_with_the_card_that_was_drawn() {
    let session = Session::new();
    let said = session.feed(&["learn", "mission-combat", "3"], b"draw\nkeep rocket-squad\nend\nquit\n");
    assert!(said.out.contains("begun: draw ") && said.out.contains("Right. "), "{}{}", said.out, said.err);
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn in_practice_chance_gives_the_cards_before_the_turn_goes_on_and_the_machine_shows_none() {
    let session = Session::new();
    let typed = "place stealth-sniper@BW\nplace armored-gauss-tank@AR\nplace stealth-special-force@AR\nplace stealth-special-force@AR\n\
                 place rifle-squad@HQ\nmoves\ndraw rifle-squad\ndraw rocket-squad missile-strike\ndraw\nmoves\nhint\nundo\ndraw\nboard\nsend\nlog\n";
    let said = session.feed(&["practice", "mission-combat", "--seed", "4", "--level", "1"], typed.as_bytes());
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    for named in ["`draw rifle-squad`", "`draw rocket-squad missile-strike`"] {
        let refused = format!("error: {named}: chance decides this, and the program throws and draws: type `draw`");
        assert!(said.err.replace('\n', " ").contains(&refused), "{}", said.err);
    }
    assert!(said.err.contains("`send` is for games against a person"), "{}", said.err);
    let (placed, turn) = said.out.split_once("13 marines> moves\n").expect("the first turn");
    // Kinds come first, and no card is named that might be drawn.
    assert!(turn.starts_with("your turn may begin with:\n  draw\n  end\n  move     "), "{turn}");
    let drawn = turn.split("begun: ").nth(1).expect("a draw").lines().collect::<Vec<_>>();
    let [cards, points, ..] = drawn[..] else { panic!("{turn}") };
    let cards: Vec<_> = cards.strip_prefix("draw ").expect("a draw").split(' ').collect();
    let [one, other] = cards[..] else { panic!("the HQ gives two: {turn}") };
    assert_eq!(points.trim_start(), "turn       marines, 1 action point left");
    assert!(turn.contains(&format!("it must continue:\n  keep {one}, keep {other}\n")), "{turn}");
    let hint = turn.split("13 marines ...; hint\nkeep ").nth(1).expect("a hint that goes on from there");
    assert!(hint.starts_with(one) || hint.starts_with(other), "{hint}");
    // The same draw again, and the board with what was drawn.
    assert_eq!(turn.matches(&format!("begun: draw {one} {other}\n")).count(), 2, "{turn}");
    assert!(turn.contains(&format!("drawn       {one}, {other}\n")) && turn.contains("free moves  "), "{turn}");
    // Of the machine's hand only the size is told, and of what it draws that it does.
    assert!(placed.contains("\n           portalists 5 cards\n"), "{placed}");
    assert!(turn.contains("\n2 portalists draw; draw; draw; draw; draw\n"), "{turn}");
    let fight = ["practice", "assassyn", "--seed", "2", "--as", "black", "--setup"];
    let fight = [&fight[..], &["white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5"]].concat();
    let thrown = session.feed(&fight, b"moves\naccept roll 1 12\naccept\n");
    assert_eq!(thrown.code, 1);
    assert!(thrown.err.contains("error: `accept roll 1 12`: chance decides this"), "{}", thrown.err);
    assert!(thrown.out.contains("accept") && !thrown.out.contains("accept roll 1 12,"), "{}", thrown.out);
}

#[test]
fn the_machines_tokens_are_hidden_until_they_have_fought() {
    let session = Session::new();
    let said = session.feed(&["practice", "subsume", "--seed", "3", "--level", "1"], b"+d1A\n\nboard\nlog\n").ok();
    let row = |of: &str| said.lines().rev().find_map(|line| line.strip_prefix(of)).expect("a row").to_owned();
    let black = row("black ");
    assert!(black.contains('?') && !black.contains(['I', 'A', 'D']), "{said}");
    let entry = said.lines().find(|line| line.starts_with("2 black +")).expect("the machine's entry");
    assert!(!entry.contains(['I', 'A', 'D']), "{entry}");
    // Its own player sees all, and so does everybody in a position that was set up.
    assert!(row("white ").contains('A'), "{said}");
    let set_up = ["practice", "subsume", "--setup", "W d4 I; B d5 A; B h8 I; to play white"];
    let shown = session.feed(&set_up, b"board\n").ok();
    assert!(
        shown.lines().any(|line| line.starts_with("black ") && line.contains("d5") && line.contains('A')),
        "{shown}"
    );
}

#[test]
fn the_games_of_a_match_are_kept_as_legal_records() {
    let session = Session::new();
    for (game, entries) in
        [("asalto", "40"), ("mission-combat", "30"), ("subsume", "12"), ("assassyn", "20"), ("assideum", "20")]
    {
        let play = ["match", game, "1", "random", "--games", "2", "--seed", "4", "--longest", entries, "--keep", game];
        session.run(&play).ok();
        let verified = session.run(&["verify", game]).ok();
        assert_eq!(verified.matches(": legal, ").count(), 2, "{verified}");
        let first = session.read(&format!("{game}/match-{game}-4-1.pbem"));
        assert!(first.contains("{name: \"Machine, level 1\"}") && first.contains("{name: Random play}"), "{first}");
        assert!(first.contains("\n1 ") && first.contains("\n5 "), "{first}");
        // Nothing is overwritten.
        assert!(session.run(&play).fails(2).contains("match-"), "{game}");
    }
}

#[test]
fn a_review_finds_men_that_were_given_away() {
    let session = Session::new();
    session.write(
        "given.pbem",
        "---\npbem: 1\ngame: assideum\nid: assideum-given-away\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\nstarted: 2026-11-21\n---\n\
         1 white Vg2-f3\n2 black Vh7-h6\n3 white Cg1-g6\n4 black Vf7xg6\n5 white Va2-a3\n6 black Va7-a6\n7 white Vb2-b3\n8 black Cg8-f7\n\
         9 white Cb1-b2\n10 black Cf7xf3\n11 white Ve2xf3\n12 black resign\n= white wins: resigned\n",
    );
    for level in ["2", "3"] {
        let review = session.run(&["review", "given.pbem", "--level", level]).ok();
        let turns: Vec<_> = review.lines().filter(|line| line.contains("% -> ")).collect();
        assert!(turns.iter().any(|line| line.starts_with("3 white Cg1-g6: ")), "{level}: {review}");
        // It takes a Ved'rin and is taken for it.
        assert!(turns.iter().any(|line| line.starts_with("10 black Cf7xf3: ")), "{level}: {review}");
        // The answers that take them, and quiet entries, are no mistakes.
        assert!(
            turns.iter().all(|line| ["3 ", "10 ", "12 "].iter().any(|entry| line.starts_with(entry))),
            "{level}: {review}"
        );
    }
}

#[test]
fn lessons_are_judged_by_the_referee_and_go_on_where_they_were_left() {
    let session = Session::new();
    assert!(session.run(&["learn"]).ok().contains("asalto          12 lessons, 0 done\n"));
    let learned = session.feed(&["learn", "asalto"], b"b4-b3\nb4-b5\nhint\nsolution\nb4-c5\n");
    assert_eq!(learned.code, 1, "something was refused");
    assert!(learned.err.contains("error[T21]: b4-b3"), "{}", learned.err);
    for said in [
        "Asalto, lesson 1 of 12: A besieger steps\n",
        "A legal step, but c5 is the point",
        "It begins with b4; `rules T20` says more.\n",
        "for instance b4-c5\n",
        "Right. The fortress is",
        "Asalto, lesson 2 of 12: In from the side\n",
    ] {
        assert!(learned.out.contains(said), "{said}: {}", learned.out);
    }
    // The next time the first lesson is done, and nothing else was written.
    let again = session.feed(&["learn", "asalto"], b"next\nback\nback\nquit\n").ok();
    let heads: Vec<_> = again.lines().filter_map(|line| line.strip_prefix("Asalto, lesson ")?.get(..1)).collect();
    assert_eq!(heads, ["2", "3", "2", "1"]);
    assert!(session.run(&["learn", "asalto", "--list"]).ok().starts_with("asalto  1  done  A besieger steps\n"));
    let last = session.feed(&["learn", "subsume", "12"], b"+d4A; d4xd5\n").ok();
    assert!(
        last.contains("That was the last lesson") && last.contains("postrider practice subsume --level 1"),
        "{last}"
    );
    assert!(session.run(&["learn", "asalto", "13"]).fails(2).contains("its lessons are 1 to 12"));
    assert_eq!(session.read("home/data/lessons"), "asalto 1\nsubsume 12\n");
    // Where nothing can be kept the lesson is held all the same.
    std::fs::remove_file(session.path("home/data/lessons")).expect("removed");
    std::fs::create_dir(session.path("home/data/lessons")).expect("a folder in its place");
    let unkept = session.feed(&["learn", "asalto"], b"b4-c5\nquit\n");
    assert_eq!(unkept.code, 0);
    assert!(unkept.err.contains("warning: that you have done this lesson is not kept: "), "{}", unkept.err);
}

#[test]
fn a_match_prints_the_same_line_for_the_same_seed() {
    let session = Session::new();
    let play = ["match", "asalto", "1", "random", "--games", "3", "--seed", "4", "--json"];
    let line = session.run(&play).ok();
    assert!(line.starts_with("{\"a\":") && line.contains("\"games\":3,"), "{line}");
    assert_eq!(session.run(&play).ok(), line);
    let drawn = session.run(&["match", "asalto", "random", "random", "--games", "2", "--longest", "3", "--json"]).ok();
    assert_eq!(drawn, "{\"a\":0,\"b\":0,\"draws\":2,\"games\":2,\"entries\":6}\n");
    assert!(session.run(&["match", "asalto", "6", "random"]).fails(2).contains("`6` is no player"));
    assert!(
        session.run(&["match", "assassyn", "1", "random", "--option", "dice=stated"]).fails(2).contains("open play")
    );
}

#[test]
fn lessons_are_written_as_a_page_for_print() {
    let session = Session::new();
    let done = session.run(&["learn", "subsume", "--print", "-o", "lessons.html"]);
    assert!(done.code == 0 && done.err.starts_with("lessons.html written, "), "{}", done.err);
    let page = session.read("lessons.html");
    assert_eq!(page.matches("<section class=lesson>").count(), 12);
    assert!(!page.contains("<script"));
    let shown = session.run(&["learn", "subsume", "--print", "-o", "-"]).ok();
    assert_eq!(shown, page);
    for args in [
        &["learn", "--print", "-o", "all.html"][..],
        &["learn", "subsume", "--print"],
        &["learn", "subsume", "-o", "one.html"],
    ] {
        assert_eq!(session.run(args).code, 2, "{args:?}");
    }
    assert_eq!(session.run(&["learn", "subsume", "--print", "-o", "no/such/folder.html"]).code, 2);
}

#[test]
fn e12_no_copy_of_a_game_in_progress_gets_help_whatever_it_says_of_itself() {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let header = |id: &str, machine: &str, mail: bool| {
        let mail = |address| if mail { format!(", email: {address}") } else { String::new() };
        format!(
            "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: Ada Quill{}}}\n  defenders: {{name: Bram Post{}}}\n\
             started: 2026-11-20\n{machine}---\n",
            mail("ada@example.org"),
            mail("bram@example.net")
        )
    };
    let lines = "1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6xc4\n";
    session.write("games/ours.pbem", header("asalto-in-progress", "", true) + lines);
    let machine = "machine: {side: defenders, level: 2, seed: 1}\n";
    // With its id, and with another one.
    for id in ["asalto-in-progress", "asalto-just-practice"] {
        session.write("copy.pbem", header(id, machine, false) + lines);
        session.run(&["verify", "copy.pbem"]).ok();
        let refused = session.feed(&["practice", "copy.pbem"], b"hint\n");
        assert!(refused.code == 1 && refused.err.contains("(E12)"), "{} {}", refused.out, refused.err);
        assert!(refused.err.contains("has the same position as asalto-in-progress"), "{}", refused.err);
        session.write("copy.pbem", header(id, "", false) + lines + "4 besiegers resign\n= defenders win: resigned\n");
        session.run(&["verify", "copy.pbem"]).ok();
        assert!(session.run(&["review", "copy.pbem"]).fails(1).contains("has the same position as asalto-in-progress"));
    }
    // Set up as a position, or come to by playing the same.
    let position = session.run(&["replay", "games/ours.pbem"]).ok();
    let position = position.lines().last().and_then(|line| line.split_once('\t')).expect("a position").1;
    let set_up = session.feed(&["practice", "asalto", "--setup", position], b"hint\n");
    assert!(
        set_up.code == 1 && set_up.err.contains("this game has the same position as asalto-in-progress"),
        "{} {}",
        set_up.out,
        set_up.err
    );
    // Once it goes on or is over, everything may be asked about the copy.
    session.write("copy.pbem", header("asalto-just-practice", machine, false) + lines);
    session.write("games/ours.pbem", header("asalto-in-progress", "", true) + lines + "4 besiegers resign\n");
    let helped = session.feed(&["practice", "copy.pbem"], b"hint\n").ok();
    assert!(helped.contains("(expected "), "{helped}");
}

#[test]
fn a_draw_that_is_not_due_is_refused_with_what_is() {
    let session = Session::new();
    let typed = "draw\ndraw rifle-squad\nplace stealth-sniper@BW\nplace armored-gauss-tank@AR\nplace stealth-special-force@AR\n\
                 place stealth-special-force@AR\nplace rifle-squad@HQ\ndraw 2\nmove rifle-squad@HQ\n";
    let said = session.feed(&["practice", "mission-combat", "--seed", "4", "--level", "1"], typed.as_bytes());
    let placing = "error[Z5]: draw: in open play the card drawn is named, and none can be drawn now: the units of the opening hands are being \
                   placed\n --> your entry:1:1\n  |\n1 | draw\n  | ^^^^\n  |\n  \
                   = note: `place CARD@AREA`, one unit per entry\n";
    assert_eq!(said.err.matches(placing).count(), 2, "{}", said.err);
    let named = "error: `draw 2`: chance decides this, and the program throws and draws: type `draw`\n";
    assert_eq!(said.err.replace('\n', " ").matches(&named.replace('\n', " ")).count(), 1, "{}", said.err);
    let setup = "YA exorcist.1; AR rifle-squad.1; ap 0; to play marines; hand marines -; hand portalists -; discard marines -; \
                 discard portalists -";
    let said = session.feed(&["practice", "mission-combat", "--setup", setup], b"draw\ndraw hellfire\n");
    let spent = "error[Z5]: draw: in open play the card drawn is named, and none can be drawn now: no action points are left\n --> your \
                 entry:1:1\n  |\n1 | draw\n  | ^^^^\n  |\n  = note: free actions, or `end`\n";
    assert_eq!(said.err.matches(spent).count(), 2, "{}", said.err);
}

#[test]
fn a_practice_game_that_cannot_begin_leaves_no_file_and_one_that_goes_on_takes_its_level() {
    let session = Session::new();
    let missing = session.feed(&["practice", "missing.pbem"], b"");
    let said = "error: there is no file missing.pbem\nhint: `postrider practice asalto -o missing.pbem` begins a game that is kept in it; \
                `postrider games` lists the games\n";
    assert_eq!((missing.code, missing.err.as_str()), (2, said));
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let lines = "1 defenders place c6 e6\n2 besiegers c4-c5\n";
    session.write("games/ours.pbem", with(lines).read("game.pbem"));
    let position = session.run(&["replay", "games/ours.pbem"]).ok();
    let position = position.lines().last().and_then(|line| line.split_once('\t')).expect("a position").1;
    let unfair = session.feed(&["practice", "asalto", "--setup", position, "-o", "evening.pbem"], b"hint\n");
    assert!(unfair.code == 1 && unfair.err.contains("(E12)"), "{}", unfair.err);
    assert!(!session.path("evening.pbem").exists());
    session.feed(&["practice", "asalto", "--as", "defenders", "--level", "1", "-o", "evening.pbem"], b"").ok();
    let on = session.feed(&["practice", "evening.pbem", "--level", "4"], b"level\n").ok();
    assert!(
        on.starts_with("Asalto: you go on as the defenders, against level 4 (") && on.contains("\nlevel 4, "),
        "{on}"
    );
    let on = session.feed(&["practice", "evening.pbem"], b"").ok();
    assert!(on.starts_with("Asalto: you go on as the defenders, against level 1 ("), "{on}");
}

#[test]
fn practice_without_a_game_lists_the_games_and_a_mistyped_name_is_recognised() {
    let session = Session::new();
    assert_eq!(
        session.run(&["practice"]).ok(),
        "asalto          Asalto\nassideum        assideum\nassassyn        Assassyn's Dagger\nmission-combat  Mission: Combat!\n\
         subsume         Subsume\n`postrider practice GAME` plays one against the machine\n"
    );
    for (typed, meant) in [
        ("asalot", "asalto"),
        ("subsum", "subsume"),
        ("mission", "mission-combat"),
        ("Assassyn's Dagger", "assassyn"),
        ("asideum", "assideum"),
    ] {
        for command in ["practice", "learn", "games"] {
            let said = session.run(&[command, typed]).fails(2);
            assert_eq!(said, format!("error: there is no game `{typed}`\nhint: did you mean {meant}?\n"));
        }
    }
    for typed in ["chess", "as", "", "-"] {
        let said = session.run(&["learn", "--", typed]).fails(2);
        assert_eq!(said, format!("error: there is no game `{typed}`\nhint: `postrider games` lists the games\n"));
    }
    assert_eq!(
        session.run(&["rules", "T999"]).fails(2),
        "error: no rulebook has a rule `T999`\nhint: `postrider rules GAME` prints the rules of a game, `postrider rules` lists the \
         rulebooks\n"
    );
}

#[test]
fn a_refusal_in_a_session_names_what_is_typed_there_and_says_what_follows_a_word() {
    let session = Session::new();
    let said = session.feed(
        &["practice", "mission-combat", "--seed", "3", "--level", "1"],
        b"place\nplace rifle-squad\nmove\nattack\nrules M999\n",
    );
    assert_eq!(said.code, 1);
    let refused = |typed: &str, expected: &str| {
        let caret = " ".repeat(typed.len()) + "^";
        format!(
            "error: {typed}: expected {expected}\n --> your entry:1:{}\n  |\n1 | {typed}\n  | {caret}\n  |\n  = help: `rules` explains how \
             actions are written\n",
            typed.len() + 1
        )
    };
    assert_eq!(
        said.err,
        refused("place", "a space, a card, `@` and an area, as in `place rifle-squad@HQ`")
            + &refused("place rifle-squad", "`@` and an area")
            + &refused("move", "a space, a unit, `>` and an area, as in `move rifle-squad>HQ`")
            + &refused(
                "attack",
                "a space, a unit and its targets with their damage, as in `attack rifle-squad exorcist:10`"
            )
            + "error: no rulebook has a rule `M999`\nhint: `postrider rules GAME` prints the rules of a game, `postrider rules` lists the \
               rulebooks\n"
    );
}

#[cfg(unix)]
#[test]
fn in_a_terminal_refusals_and_entries_are_folded_once_and_between_words() {
    let session = Session::new();
    let practice = ["practice", "mission-combat", "--seed", "3", "--level", "1"];
    let Some((code, shown)) =
        crate::terminal::drive(&session, (24, 80), &practice, &[("3 marines> ", "zzz\r"), ("3 marines> ", "quit\r")])
    else {
        return;
    };
    assert_eq!(code, 0, "{shown}");
    for told in [
        "1 marines draw stealth-special-force; draw stealth-sniper; draw\nstealth-special-force; draw stealth-special-force; draw \
         armored-gauss-tank\n2 portalists draw; draw; draw; draw; draw\n",
        "error: zzz: expected `draw`, `keep`, `place`, `play`, `event`, `move`,\n       `attack`, `end`, or an action of sealed play\n",
        "  = help: `rules` explains how actions are written\n",
    ] {
        assert!(shown.replace('\r', "").contains(told), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn a_solved_lesson_is_shown_on_a_board_as_large_as_its_task() {
    let session = Session::new();
    let steps = [("1 black> ", "Wc5xf5\r"), ("Enter goes on> ", "what now\r"), ("Enter goes on> ", "quit\r")];
    let learn = ["learn", "assassyn", "5"];
    let Some((code, shown)) = crate::terminal::drive(&session, (24, 80), &learn, &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    let shown = shown.replace('\r', "");
    assert!(shown.contains("\n5 |    |    |w(L)|    |    |L   |\n"), "{shown}");
    assert!(shown.contains("\n5 |   |   [L  ]   |   [L(w)]\n") || shown.contains("L(w)]\n4 |"), "{shown}");
    assert!(!shown.contains("+-------+"), "{shown}");
    let asked = "this lesson is done: Enter shows the next one, `back` the one before, `quit` ends\nEnter goes on> ";
    assert!(shown.contains(asked), "{shown}");
}
