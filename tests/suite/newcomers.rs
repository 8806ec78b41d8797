//! Slips made by newcomers, and how the program replies.
#![cfg(unix)]

use std::fmt::Write as _;

use crate::session::Session;

fn begun(game: &str, more: &[&str]) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    session.run(&[&["new", game][..], &players, &["-o", "game.pbem"], more].concat()).ok();
    session
}

#[test]
fn a_missing_semicolon_is_put_in_and_no_action_is_left_out() {
    let mut told = String::new();
    for more in [&[][..], &["--open"]] {
        let session = begun("subsume", more);
        let before = session.read("game.pbem");
        told.push_str(&session.run(&["move", "game.pbem", "+d1A d1-d3"]).fails(1));
        assert_eq!(session.read("game.pbem"), before, "nothing is entered with a part left out");
        let entered = session.run(&["move", "game.pbem", "+d1A d1-d2"]);
        assert!(entered.code == 0 && entered.err.contains("understood as `+d1A; d1-d2`"), "{}", entered.err);
    }
    insta::assert_snapshot!("a_missing_semicolon", told);
}

#[test]
fn d4_a_deployment_other_than_the_sealed_one_is_refused_with_the_sealed_one() {
    let session = begun("assassyn", &["--option", "deployment=sealed"]);
    session.run(&["move", "game.pbem", "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2"]).ok();
    let mut black = session.command(&["move", "--for", "black", "game.pbem", "deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5"]);
    assert!(black.env("POSTRIDER_HOME", session.path("bram")).output().expect("the program runs").status.success());
    let refused = session.run(&["move", "game.pbem", "deploy Pd1 Wc1 La1 Lf1 Sb1 Se1 Ac2"]).fails(1);
    insta::assert_snapshot!("another_deployment", refused);
}

#[test]
fn a_game_begun_unsigned_stays_unsigned() {
    let session = Session::new();
    session.run(&["key", "new"]).ok();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    let players = ["--player", "besiegers=Bram <bram@example.net>", "--player", "defenders=Ada <ada@example.org>"];
    session.run(&[&["new", "asalto", "--unsigned", "-o", "plain.pbem"][..], &players].concat()).ok();
    session.run(&["move", "plain.pbem", "place c6 e6"]).ok();
    assert!(!session.read("plain.pbem").contains("key "), "{}", session.read("plain.pbem"));
    session.run(&[&["new", "asalto", "-o", "signed.pbem"][..], &players].concat()).ok();
    session.run(&["move", "signed.pbem", "place c6 e6"]).ok();
    assert!(session.read("signed.pbem").contains("\n  ~ "));
}

#[test]
fn games_and_lists_are_found_as_people_type_them() {
    let session = begun("subsume", &["--open"]);
    assert!(session.run(&["rules", "Asalto"]).ok().contains("Asalto"));
    assert!(session.run(&["moves", "asalto"]).fails(2).contains("`postrider moves --game asalto`"));
    let first = session.run(&["moves", "game.pbem"]);
    assert!(
        first.err.contains("the entry begins with one of these; `postrider moves game.pbem '+a1A'`"),
        "{}",
        first.err
    );
    session.run(&["move", "game.pbem", "resign"]).ok();
    let over = session.run(&["moves", "game.pbem"]);
    assert!(over.out.is_empty() && over.err.contains("the game is over (black wins: resigned)"), "{}", over.err);
}

/// A game in which newcomers slip: how it is begun, what was entered before, and what they type then.
struct Slips {
    game: &'static str,
    begin: &'static [&'static str],
    before: &'static [&'static str],
    typed: &'static [&'static str],
}

const COLOURS: &[&str] = &["--player", "white=Ada", "--player", "black=Bram"];
const SLIPS: &[Slips] = &[
    Slips {
        game: "asalto",
        begin: &["--player", "besiegers=Ada", "--player", "defenders=Bram"],
        before: &[],
        typed: &["place c6", "place d5 d5", "place a1 e6", "c4-c5", "place e6 c6 d6", "pass", "accept", "c6"],
    },
    Slips {
        game: "asalto",
        begin: &["--player", "besiegers=Ada", "--player", "defenders=Bram"],
        before: &["place c6 e6"],
        typed: &[
            "c6-d6",
            "b4-b3",
            "b4-a4",
            "c4-c7",
            "c4-h9",
            "c4-",
            "c4",
            "c4xc6",
            "c5-c6",
            "place c6 e6",
            "huff c6",
            "claim",
            "draw",
            "c4-d4",
            "pass",
            "O-O",
            "e2-e4",
            "c4-c5; d4-d5",
            "c4-c5 d4-d5",
        ],
    },
    Slips {
        game: "assideum",
        begin: COLOURS,
        before: &[],
        typed: &[
            "Va2-a4",
            "Va7-a6",
            "Fc1-c9",
            "Fc1-c3; Va2-a3",
            "Kd1-d2",
            "Kd2",
            "Rd1-d3",
            "Pc1-c2",
            "turn Pc1",
            "Pc1>",
            "Pc1 right",
            "b2",
            "O-O",
            "Sa1-a3",
            "Sa1xa8",
            "pass",
            "land Fc1",
            "Va2-a3; Va3-a4",
            "e2-e5",
            "Xa1-a2",
        ],
    },
    Slips {
        game: "assassyn",
        begin: &["--player", "white=Ada", "--player", "black=Bram", "--open"],
        before: &[],
        typed: &[
            "deploy",
            "deploy Pc1",
            "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1",
            "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ad3",
            "deploy Pc1 Wc1 La1 Lf1 Sb1 Se1 Ac2",
            "deploy Pc6 Wd6 La6 Lf6 Sb6 Se6 Ac5",
            "Lc1-c2",
            "deploy Xc1 Wd1 La1 Lf1 Sb1 Se1 Ac2",
            "place Pc1",
            "accept",
        ],
    },
    Slips {
        game: "assassyn",
        begin: &["--player", "white=Ada", "--player", "black=Bram", "--open"],
        before: &["deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2", "deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5"],
        typed: &[
            "Pc1-b1",
            "Ac2-c5",
            "La1-b3",
            "La6-a5",
            "Ac2*d5",
            "a1",
            "A2",
            "accept",
            "accept 7 5",
            "escape",
            "roll",
            "Sb1-b5",
            "Pc1",
            "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2",
            "La1-a2; Lf1-f2",
            "Wd1xd1",
            "Lc1-c4",
        ],
    },
    Slips {
        game: "subsume",
        begin: COLOURS,
        before: &[],
        typed: &[
            "a1",
            "+a1",
            "d1-d2",
            "+d5A",
            "+d1A; d1-d9",
            "+d1A; d1-e5",
            "+d1A; +d1B",
            "pass",
            "+d1A; d2-d3",
            "place d1 A",
            "+d1A; attack d2",
            "split d1",
            "+d1A; d1-d2; d2-d3",
            "+d1X",
            "end",
            "reveal",
            "d1=2",
            "+d1A; d1xd2",
        ],
    },
    Slips {
        game: "mission-combat",
        begin: &["--player", "marines=Ada", "--player", "portalists=Bram"],
        before: &[],
        typed: &["draw", "draw 1", "deal", "roll", "pass", "play", "place 1", "end", "guess 0", "M1"],
    },
    Slips {
        game: "mission-combat",
        begin: &["--player", "marines=Ada", "--player", "portalists=Bram", "--open", "--option", "start=portalists"],
        before: &[
            "draw rift-stalker; draw portal-trooper; draw trap-portal; draw warp-colossus; draw psionic-fanatic; draw gate-breaker",
            "draw artillery-barrage; draw stealth-sniper; draw rifle-squad; draw stealth-sniper; draw rocket-squad; draw stealth-sniper",
        ],
        typed: &[
            "rift-stalker",
            "place rift-stalker",
            "place rift-stalker HQ",
            "place rift-stalker@HQ",
            "place rifle-squad@RP",
            "place trap-portal@RP",
            "place rift-stalker.1@RP",
            "place rift-stalker@XX",
            "draw",
            "end",
            "pass",
            "move portal-trooper.1>YA",
            "place rift-stalker@RP; end",
            "place rift-stalker@RP; place warp-colossus@YO",
            "place warp-colossus@RP",
            "toss",
            "guess 0",
            "deal",
            "attack rift-stalker.1",
            "event trap-portal",
        ],
    },
];

#[test]
fn every_slip_is_told_what_is_wrong_where_and_what_would_be_legal() {
    let (mut troubles, mut told) = (Vec::new(), String::new());
    for slips in SLIPS {
        let _ = writeln!(told, "== {} {}", slips.game, slips.before.join(" / "));
        let session = Session::new();
        session
            .run(&[&["new", slips.game][..], slips.begin, &["--id", "slips-of-newcomers", "-o", "game.pbem"]].concat())
            .ok();
        for entry in slips.before {
            session.run(&["move", "game.pbem", entry]).ok();
        }
        let before = session.read("game.pbem");
        for typed in slips.typed {
            let done = session.run(&["move", "-n", "game.pbem", typed]);
            let said = &done.err;
            let _ = write!(told, "$ postrider move -n game.pbem '{typed}'\n? {}\n{}{said}\n", done.code, done.out);
            // The part that is refused is quoted as it was typed, below it a mark, then what is legal, the rulebook and the list.
            let quotes = said.lines().any(|line| {
                let rest = line.strip_prefix("error").unwrap_or_default();
                typed.split(';').any(|part| rest.contains(&format!(": {}", part.trim())))
            });
            let rule = said.contains("error[") || said.contains("expected") || said.contains("could mean");
            let legal = said.contains("= note: ")
                && (!said.contains("explains how") || said.contains("legal") || said.contains("may begin"));
            let next = said.contains("postrider moves game.pbem") && said.contains("postrider rules");
            if done.code != 1 || !said.contains('^') || !(quotes && rule && legal && next) {
                troubles.push(format!("{} `{typed}`: {}\n{said}", slips.game, done.code));
            }
        }
        assert_eq!(session.read("game.pbem"), before);
    }
    assert!(troubles.is_empty(), "{} slips:\n{}", troubles.len(), troubles.join("\n"));
    insta::assert_snapshot!("slips", told);
}

#[test]
fn what_can_only_mean_one_entry_is_understood() {
    let session = Session::new();
    session.run(&["new", "asalto", "--player", "besiegers=Ada", "--player", "defenders=Bram", "-o", "game.pbem"]).ok();
    for typed in ["c6 e6", "c6, e6", "C6 E6", "c6-e6", "e6 c6"] {
        let done = session.run(&["move", "-n", "game.pbem", typed]);
        assert!(done.code == 0 && done.err.contains("understood as `place "), "{typed}: {}", done.err);
    }
    // The session takes it too.
    let played = session.feed(&["play", "game.pbem"], b"c6 e6\nquit\n");
    assert!(session.read("game.pbem").contains("1 defenders place c6 e6"), "{}{}", played.out, played.err);
    let session = begun("assassyn", &["--open"]);
    let done = session.run(&["move", "-n", "game.pbem", "pc1 wd1 la1 lf1 sb1 se1 ac2"]);
    assert!(done.err.contains("understood as `deploy Pc1 "), "{}", done.err);
}

#[test]
fn a_command_without_what_it_needs_says_what_to_type() {
    let session = Session::new();
    session.write("home/settings.yaml", "games: nothing-yet\n");
    for (typed, next) in [
        (&["new", "asalto"][..], "`postrider new asalto --player besiegers='Ada Quill <ada@example.org>' --player"),
        (&["new", "chess"], "`postrider games`"),
        (&["move", "game.pbem"], "for example, `postrider move game.pbem c4-c5`"),
        (&["verify"], "for example, `postrider verify "),
        (&["key", "trust"], "for example, `postrider key trust "),
    ] {
        let said = session.run(typed).fails(2);
        assert!(said.contains(next), "{typed:?}: {said}");
    }
}

#[test]
fn a_new_home_has_no_games_and_says_where_they_will_be() {
    let session = Session::new();
    let said = session.run(&["status"]);
    assert!(said.err.contains("no games yet in ") && said.err.contains("  postrider learn asalto "), "{}", said.err);
    let begins = said.err.lines().skip_while(|line| *line != "To begin:").collect::<Vec<_>>().join("\n");
    assert!(begins.lines().count() == 5, "{}", said.err);
    assert_eq!(said.ok(), "games: 0 for you, 0 for others, 0 finished\n");
    assert!(session.run(&["play"]).ok().starts_with(&format!("you have no games yet\n{begins}\nplay> ")));
    assert_eq!(session.run(&["doctor"]).ok(), format!("nothing is wrong\nyou have no games yet\n{begins}\n"));
    let bare = session.run(&[]).ok();
    assert!(bare.lines().count() <= 12 && bare.contains("postrider play ") && bare.contains("--help"), "{bare}");
}

#[test]
fn moves_lists_what_begins_with_the_characters_typed() {
    let session = begun("subsume", &["--open"]);
    let begins = session.run(&["moves", "game.pbem", "+a1"]).ok();
    assert_eq!(begins, "+a1A\n+a1D\n+a1I\n");
    session.run(&["move", "game.pbem", "+a1A"]).ok();
    session.run(&["move", "--for", "black", "game.pbem", "+h8A"]).ok();
    let begins = session.run(&["moves", "game.pbem", "+b1A; a"]).ok();
    assert!(!begins.is_empty() && begins.lines().all(|action| action.starts_with("a1")), "{begins}");
    let json = session.run(&["moves", "game.pbem", "+b1", "--json"]).ok();
    assert!(json.contains(r#""+b1A""#) && !json.contains(r#""+c1A""#), "{json}");
    // What begins nothing legal is refused as an entry.
    assert!(session.run(&["moves", "game.pbem", "+j"]).fails(1).contains("1 | +j"));
}

#[test]
fn what_messages_advise_can_be_typed_in_a_session_too() {
    let session = begun("subsume", &["--open"]);
    session.write("script", "moves +a1\n+a1A; a1-c9\npostrider rules U11\npostrider moves game.pbem '+b1\npostrider moves game.pbem '+b1'\nquit\n");
    let mut play = session.command(&["play", "game.pbem"]);
    let script = std::fs::File::open(session.path("script")).expect("the script");
    let done = play.stdin(script).output().expect("the program runs");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("what begins with `+a1`:\n  +a1A, +a1D, +a1I\n"), "{said}");
    assert!(said.contains("\nU11 "), "{said}");
    assert!(said.contains("a quotation mark in it is not closed"), "{said}");
    assert!(said.contains("+b1A\n+b1D\n+b1I\n"), "{said}");
}

#[test]
fn a_letter_says_where_the_moves_it_lists_only_begin_an_entry() {
    let session = begun("subsume", &["--open"]);
    session.run(&["move", "game.pbem", "+a1A", "--send"]).ok();
    let players = ["--player", "besiegers=Bram <bram@example.net>", "--player", "defenders=Ada <ada@example.org>"];
    session.run(&[&["new", "asalto", "-o", "steps.pbem"][..], &players].concat()).ok();
    session.run(&["move", "steps.pbem", "place c6 e6", "--send"]).ok();
    let letters = std::fs::read_dir(session.path("home/data/outbox")).expect("the outbox");
    let letters: Vec<String> =
        letters.map(|file| std::fs::read_to_string(file.expect("a letter").path()).expect("a letter")).collect();
    let with = |game: &str, text: &str| letters.iter().any(|all| all.contains(game) && all.contains(text));
    assert!(with("game of Subsume", "\nThe entry begins with  +a8A | +a8D"), "{letters:?}");
    assert!(with("game of Asalto", "\nLegal entries  b4-c5 | b5-c5"), "{letters:?}");
}

#[test]
fn d4_a_list_that_says_deploy_shows_a_whole_deployment() {
    let session = begun("assassyn", &["--open", "--id", "assassyn-whole"]);
    let mut told = session.transcripts(&["moves game.pbem"]);
    told.push_str(&session.transcript_fed("play game.pbem --both --compact", b"moves\ndeploy\nquit\n"));
    insta::assert_snapshot!("a_whole_deployment", told);
}

#[test]
fn a_folder_in_place_of_a_record_is_named_as_it_was_typed() {
    let session = Session::new();
    std::fs::create_dir(session.path("games")).expect("a folder");
    for command in [
        &["show", "games"][..],
        &["moves", "games"],
        &["move", "games", "place c6 e6"],
        &["send", "games"],
        &["undo", "games"],
        &["restore", "games"],
        &["fmt", "games"],
        &["if", "games", "c4-c5"],
        &["countersign", "games"],
    ] {
        let done = session.run(command);
        assert!(
            done.code == 2 && done.err.contains("error: games is a folder, not a record"),
            "{command:?} {}",
            done.err
        );
    }
}

#[test]
fn where_no_game_waits_everything_that_begins_one_may_be_typed() {
    let session = Session::new();
    let told = session.transcript_fed("play", b"help\nmail\nasalto\nfoo\npractice\nquit\n");
    insta::assert_snapshot!("no_game_waits", told);
    // What was set there counts at once.
    std::fs::create_dir_all(session.path("letters/new")).expect("a Maildir");
    let typed = format!(
        "setup\nAda Quill\nada@example.org\n{0}/games\nfile\n\npath\n{0}/letters\nno\nyes\nmail\nquit\n",
        session.folder.path().display()
    );
    let said = session.feed(&["play"], typed.as_bytes());
    assert!(said.out.contains("settings.yaml written"), "{}{}", said.out, said.err);
    let after = said.out.split("play> mail\n").nth(1).expect("what was said then");
    assert!(!after.contains("it is not set where your mail comes in"), "{}{}", said.out, said.err);
}
