//! The player's own view: what is hidden is shown to its owner by default, and to nobody else.
#![cfg(unix)]

use crate::session::{Done, Session};
use crate::terminal::{drive, drive_raw, drive_with};

const NEW: [&str; 8] = [
    "--player",
    "white=Ada <ada@example.org>",
    "--player",
    "black=Bram <bram@example.net>",
    "--id",
    "subsume-own-view",
    "-o",
    "game.pbem",
];

/// Ada's session with a sealed game of Subsume, in which her first token is sealed.
fn ada() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.run(&[&["new", "subsume"][..], &NEW].concat()).ok();
    session.run(&["move", "game.pbem", "+d1A; d1-d2"]).ok();
    session
}

/// Runs a command in another home.
fn elsewhere(session: &Session, home: &str, args: &[&str]) -> Done {
    let output = session.command(args).env("POSTRIDER_HOME", session.path(home)).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("an exit code"), out: text(output.stdout), err: text(output.stderr) }
}

/// A text with a mark in the place of each seal and each commitment, which differ from run to run.
fn without_seals(text: &str) -> String {
    ["seal:", "commit "].iter().fold(text.to_owned(), |text, before| {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.map(|part| format!("{before}-{}", part.trim_start_matches(|c: char| c.is_ascii_hexdigit())));
        first + &rest.collect::<String>()
    })
}

#[test]
fn the_own_tokens_are_shown_by_default_and_it_is_said() {
    let session = ada();
    // A user who asked for a side's view knows whose it is.
    let told = session.transcripts(&["show game.pbem", "show game.pbem --as public", "show game.pbem --as white"]);
    insta::assert_snapshot!("own_tokens", without_seals(&told));
    // Nobody else sees more than the record contains.
    let theirs = elsewhere(&session, "bram", &["show", "game.pbem"]).ok();
    assert_eq!(theirs, session.run(&["show", "game.pbem", "--as", "public"]).ok());
}

#[test]
fn the_board_after_a_move_is_the_own_view_too() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.run(&[&["new", "subsume"][..], &NEW].concat()).ok();
    // A dry run raises no alarm. Seals differ from run to run.
    let told = session.transcripts(&["move -n game.pbem '+d1A; d1-d2'", "move game.pbem '+d1A; d1-d2'"]);
    insta::assert_snapshot!("after_a_move", without_seals(&told));
}

#[test]
fn nothing_hidden_goes_out_in_a_letter() {
    let session = ada();
    session.write("bram/settings.yaml", "email: ada@example.org\n");
    // The same record, with and without the secret: the letter is the same, byte for byte.
    let mine = session.run(&["send", "-n", "game.pbem"]).ok();
    let theirs = elsewhere(&session, "bram", &["send", "-n", "game.pbem"]).ok();
    assert_eq!(mine, theirs);
    // The same is true with a different secret, which says something else about what is hidden.
    session.write("cleo/settings.yaml", "email: ada@example.org\n");
    session.write("backup", format!("subsume-own-view white {}\n", "5a".repeat(32)));
    elsewhere(&session, "cleo", &["secret", "import", "backup"]).ok();
    assert_eq!(mine, elsewhere(&session, "cleo", &["send", "-n", "game.pbem"]).ok());
    // The letter that a move sends is that letter, although the board below it is the player's own view.
    session.run(&["undo", "game.pbem"]).ok();
    let sent = session.run(&["move", "game.pbem", "+d1A; d1-d2", "--send"]).ok();
    assert!(sent.contains("your view"), "{sent}");
    let letter = session.read("home/data/outbox/subsume-own-view.1.eml");
    let body = |text: &str| {
        text.lines()
            .filter(|line| line.contains("d2 ") && line.contains("token"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(body(&letter), body(&mine));
    assert!(letter.contains("1 token,  4 short of control ?") && !letter.contains("short of control a"), "{letter}");
}

#[test]
fn status_shows_the_players_own_hand_and_what_is_forced() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    session.write("bram/settings.yaml", "email: bram@example.net\ngames: ../games\n");
    let new =
        [&["new", "assassyn"][..], &NEW[..4], &["--id", "assassyn-own-view", "-o", "games/game one.pbem"]].concat();
    std::fs::create_dir(session.path("games")).expect("a folder");
    session.run(&new).ok();
    let file = "games/game one.pbem";
    session.run(&["move", file, "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2"]).ok();
    elsewhere(&session, "bram", &["move", file, "deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5"]).ok();
    session.run(&["move", file, "Ac2-b2"]).ok();
    assert!(!elsewhere(&session, "bram", &["status"]).ok().contains("is forced"));
    elsewhere(&session, "bram", &["move", file, "La6xa1"]).ok();
    // A path is quoted for the shell.
    let told = session.transcripts(&["status", "show 'games/game one.pbem'"]);
    insta::assert_snapshot!("forced", without_seals(&told));
    let json = session.run(&["status", "--json"]).ok();
    assert!(json.contains("\"forced\":true"), "{json}");
    // The opponent is told nothing about it.
    assert!(!elsewhere(&session, "bram", &["show", file]).err.contains("forced"));
    // The session offers exactly that.
    let played = session.feed(&["play", file], b"\nquit\n").ok();
    assert!(played.contains("your next entry is forced: Enter makes it"), "{played}");
    assert!(session.read(file).contains("5 white accept salt:"), "{}", session.read(file));
}

#[test]
fn the_board_is_turned_for_the_side_that_sits_at_the_top() {
    let session = Session::new();
    for (game, sides) in [
        ("asalto", ["besiegers", "defenders"]),
        ("assideum", ["white", "black"]),
        ("assassyn", ["white", "black"]),
        ("subsume", ["white", "black"]),
        ("mission-combat", ["marines", "portalists"]),
    ] {
        let file = format!("{game}.pbem");
        let players = sides.map(|side| format!("{side}={side}"));
        session.run(&["new", game, "--player", &players[0], "--player", &players[1], "-o", &file]).ok();
        let [first, second, plain] = [&["--from", sides[0]][..], &["--from", sides[1]], &[]]
            .map(|from| session.run(&[&["show", &file][..], from].concat()).ok());
        assert_eq!(first, plain, "{game}");
        assert_ne!(second, plain, "{game}");
        // If the board is turned twice, every line is as before; what is below the board never changes.
        let tail = |text: &str| text.lines().rev().take(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(tail(&second), tail(&plain), "{game}");
        assert_eq!(second.lines().count(), plain.lines().count(), "{game}");
    }
    assert!(session.run(&["show", "asalto.pbem", "--from", "white"]).fails(2).contains("no side `white`"));
}

#[test]
fn every_game_fits_small_terminals() {
    let session = Session::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut seen = 0;
    for (game, columns) in [("asalto", 40), ("assassyn", 40), ("assideum", 60), ("subsume", 60), ("mission-combat", 80)]
    {
        for entry in std::fs::read_dir(root.join(game)).expect("examples") {
            let path = entry.expect("a file").path();
            let name = path.to_string_lossy().into_owned();
            if path.extension().is_none_or(|end| end != "pbem") || name.contains("refused") {
                continue;
            }
            let entries = std::fs::read_to_string(&path)
                .expect("a record")
                .lines()
                .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
                .count();
            for at in [0, entries / 3, entries / 2, entries.saturating_sub(1), entries].map(|at| at.to_string()) {
                let sheet = session.run(&["show", &name, "--compact", "--at", &at]).ok();
                // The board: from the first empty line to the next.
                let whole: Vec<&str> = sheet.lines().collect();
                // A sheet that only just fits has no empty lines.
                let board = whole.split(|line| line.is_empty()).nth(1).unwrap_or(&whole);
                assert!(
                    !board.is_empty() && board.iter().all(|line| line.chars().count() <= columns),
                    "{name} {at}: {sheet}"
                );
                assert!(board.len() <= 22, "{name} {at}: {sheet}");
                assert!(sheet.lines().count() <= 23, "{name} {at}: {sheet}");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

/// Calls `each` with the table after every entry of every example that is legal.
fn every_position(each: &mut dyn FnMut(&str, &mut postrider_referee::verdict::Opened<'_>)) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for game in ["asalto", "assassyn", "assideum", "subsume", "mission-combat"] {
        for entry in std::fs::read_dir(root.join(game)).expect("examples") {
            let path = entry.expect("a file").path();
            let name = path.to_string_lossy().into_owned();
            if path.extension().is_none_or(|end| end != "pbem") || name.contains("refused") {
                continue;
            }
            let source = std::fs::read(&path).expect("a record");
            let entries = postrider_referee::verdict::verify(&source).entries;
            for at in 0..=entries {
                let mut opened = postrider_referee::verdict::Opened::new(&source).expect("a record");
                opened.table.set_check(postrider_referee::sealing::Check::Nothing);
                opened.replay(at);
                each(&format!("{name} after {at}"), &mut opened);
            }
        }
    }
}

#[test]
fn every_position_fits_24_rows_in_compact_form_and_60_columns_in_full() {
    use postrider_board::render::{Look, board, sheet, width};
    use postrider_kernel::Viewer;

    let mut seen = 0;
    every_position(&mut |place, opened| {
        let extras = sheet::Extras { entries: sheet::last_entries(opened, 1), now: None, local: true };
        let compact = Look { compact: true, ..Look::default() };
        let drawn = sheet::draw(opened, &opened.table.view(Viewer::Public), &extras, compact);
        assert!(drawn.lines().count() <= 23, "{place}: {} rows\n{drawn}", drawn.lines().count());
        // Nobody's entry and no clock is cut off.
        let shown = drawn.contains("due ") || drawn.contains("result ");
        assert!(
            shown && !drawn.lines().any(|line| line.starts_with("due") && line.ends_with(" ...")),
            "{place}\n{drawn}"
        );
        let narrow = Look { columns: Some(60), ..Look::default() };
        let full = board(&opened.table.view(Viewer::Public), narrow);
        assert!(width(&full) <= 60, "{place}: {} columns\n{full}", width(&full));
        let small = Look { columns: Some(40), ..compact };
        let small = board(&opened.table.view(Viewer::Public), small);
        // A unit with all that is said of it is not broken.
        assert!(width(&small) <= 46, "{place}: {} columns\n{small}", width(&small));
        seen += 1;
    });
    assert!(seen > 500, "{seen}");
}

#[test]
fn a_board_too_wide_for_the_terminal_is_drawn_small_and_it_is_said() {
    let session = Session::new();
    session.run(&["new", "assideum", "--player", "white=Ada", "--player", "black=Bram", "-o", "game.pbem"]).ok();
    let Some((_, shown)) = drive(&session, (24, 40), &["show", "game.pbem"], &[]) else { return };
    assert!(shown.contains("(drawn small: the whole board needs") && shown.contains("8 |s|"), "{shown}");
    let (_, shown) = drive(&session, (50, 60), &["show", "game.pbem"], &[]).expect("python");
    assert!(shown.contains("| s    | c    | pv(f)| rv   |") && !shown.contains("drawn small"), "{shown}");
    let (_, shown) = drive(&session, (50, 80), &["show", "game.pbem"], &[]).expect("python");
    assert!(shown.contains("| s     | c     | pv(f) | rv    |"), "{shown}");
}

#[test]
fn a_sealed_deployment_is_drawn_for_its_owner_alone() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.write("bram/settings.yaml", "email: bram@example.net\n");
    let new = ["new", "assassyn", "--option", "deployment=sealed"];
    session.run(&[&new[..], &NEW[..4], &["--id", "assassyn-sealed-view", "-o", "game.pbem"]].concat()).ok();
    session.run(&["move", "game.pbem", "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2"]).ok();
    let rank = "1 | L     | S     | P     | W     | S     | L     |";
    let mine = session.run(&["show", "game.pbem"]).ok();
    // The last entry put them there.
    assert!(mine.contains("1 |[L    ]|[S    ]|"), "{mine}");
    assert!(
        mine.replace(['[', ']'], " ").contains(rank)
            && mine.contains("only White sees them")
            && mine.contains("your view"),
        "{mine}"
    );
    let public = session.run(&["show", "game.pbem", "--as", "public"]).ok();
    assert!(!public.contains("| L ") && !public.contains("|[L "), "{public}");
    assert_eq!(elsewhere(&session, "bram", &["show", "game.pbem"]).ok(), public);
    assert!(elsewhere(&session, "bram", &["show", "game.pbem", "--as", "white"]).code != 0);
    // It is remembered, and what remembers it shows nothing of it.
    let kept = session.read("home/data/remembered/assassyn-sealed-view.white");
    assert!(!kept.contains("Pc1") && !session.read("game.pbem").contains("Pc1"), "{kept}");
    // Without the memory it is found again by the secret.
    std::fs::remove_dir_all(session.path("home/data/remembered")).expect("a folder");
    assert_eq!(session.run(&["show", "game.pbem"]).ok(), mine);
    // A letter holds nothing of it either.
    assert!(!session.run(&["send", "-n", "game.pbem"]).ok().contains("| L "));
    elsewhere(&session, "bram", &["move", "game.pbem", "deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5"]).ok();
    // Once it is open everybody sees it, and each piece stands there once.
    session.run(&["answer", "game.pbem"]).ok();
    let bare = |sheet: String| sheet.replace(['[', ']'], " ");
    let open = bare(session.run(&["show", "game.pbem"]).ok());
    assert!(open.contains(rank) && !open.contains("only White"), "{open}");
    let theirs = bare(elsewhere(&session, "bram", &["show", "game.pbem"]).ok());
    assert!(
        theirs.contains("6 | l     | s     | w     | p     | s     | l     |") && theirs.contains(rank),
        "{theirs}"
    );
}

#[test]
fn a_terminal_that_does_not_say_what_it_can_is_asked() {
    let session = ada();
    // It answers as one with sixels does; the program waits for the answer, and what is typed is not shown.
    let steps = [("\x1b[c", "\x1b[?62;4;22c")];
    let done = drive_raw(&session, (24, 80), &["show", "game.pbem", "--picture"], &steps, &[]);
    let Some((code, shown)) = done else { return };
    assert!(code == 0 && shown.contains("\x1bPq\"1;1;480;") && !shown.contains("^[[?62"), "{shown:?}");
    let kitty = [("\x1b[c", "\x1b_Gi=31;OK\x1b\\\x1b[?62;c")];
    let (_, shown) = drive_raw(&session, (24, 80), &["show", "game.pbem", "--picture"], &kitty, &[]).expect("python");
    assert!(shown.contains("\x1b_Ga=T,f=100,m="), "{shown:?}");
    // One that takes none says so, and one that says nothing is not waited for long.
    for steps in [&[("\x1b[c", "\x1b[?1;2c")][..], &[]] {
        let (code, shown) =
            drive_raw(&session, (24, 80), &["show", "game.pbem", "--picture"], steps, &[]).expect("python");
        assert!(code == 0 && shown.contains("is not known to show pictures") && shown.contains("d2"), "{shown:?}");
    }
    let dumb = [("TERM", "dumb")];
    let (_, shown) = drive_raw(&session, (24, 80), &["show", "game.pbem", "--picture"], &[], &dumb).expect("python");
    assert!(!shown.contains('\x1b'), "nothing is asked: {shown:?}");
}

#[test]
fn rules_go_through_the_pager_on_a_terminal_and_only_there() {
    let session = Session::new();
    session.write("pager", "#!/bin/sh\necho \"paged $1\"\nhead -n 3\n");
    let pager = format!("sh {} -x", session.path("pager").display());
    let pager = [("PAGER", pager.as_str())];
    let Some((code, shown)) = drive_with(&session, (24, 80), &["rules", "asalto"], &[], &pager) else { return };
    assert!(code == 0 && shown.contains("paged -x") && shown.lines().count() < 8, "{shown}");
    let (_, whole) = drive_with(&session, (24, 80), &["rules", "--no-pager", "asalto"], &[], &pager).expect("python");
    assert!(!whole.contains("paged") && whole.lines().count() > 100, "{whole}");
    // A pager that is not there, or leaves at once, loses nothing and fails nothing.
    let missing = [("PAGER", "no-such-pager")];
    let (code, shown) = drive_with(&session, (24, 80), &["rules", "asalto", "T21"], &[], &missing).expect("python");
    assert!(code == 0 && shown.contains("T21"), "{shown}");
    let hasty = [("PAGER", "true")];
    let (code, _) = drive_with(&session, (24, 80), &["rules", "asalto"], &[], &hasty).expect("python");
    assert_eq!(code, 0);
    // What is piped is not paged.
    let mut piped = session.command(&["rules", "asalto"]);
    let piped = piped.env("PAGER", pager[0].1).output().expect("the program");
    assert!(!String::from_utf8_lossy(&piped.stdout).contains("paged"));
}

#[test]
fn a_picture_is_shown_in_a_terminal_that_can_and_it_is_said_where_it_cannot() {
    let session = ada();
    for (way, begins, ends) in [
        ("kitty", "\x1b_Ga=T,f=100,m=", "\x1b\\"),
        ("iterm", "\x1b]1337;File=inline=1;size=", "\x07"),
        ("sixel", "\x1bPq\"1;1;480;", "\x1b\\"),
    ] {
        let shown = session.run(&["show", "game.pbem", &format!("--picture={way}")]).ok();
        assert!(shown.starts_with(begins) && shown.contains(&format!("{ends}\n")), "{way}");
        assert!(shown.contains("due: black (entry 2)") && shown.contains("your view"), "{way}");
    }
    // A pipe is not a terminal, so the board is drawn as text.
    let piped = session.run(&["show", "game.pbem", "--picture"]);
    assert!(piped.err.contains("not known to show pictures") && piped.err.contains("board.png"), "{}", piped.err);
    assert!(piped.out.contains("8 |"), "{}", piped.out);
    let kitty = [("TERM", "xterm-kitty")];
    let args = ["show", "game.pbem", "--picture"];
    let Some((code, shown)) = crate::terminal::drive_with(&session, (40, 100), &args, &[("due: black", "")], &kitty)
    else {
        return;
    };
    assert!(code == 0 && shown.contains("_Ga=T,f=100,m="), "{shown}");
}
