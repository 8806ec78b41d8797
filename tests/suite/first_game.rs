//! The first game of somebody new: how it is begun, how the opponent learns of it, and what is said until then.
#![cfg(unix)]

use serde_json::Value;

use crate::session::Session;

const BRAM: &str = "Bram Post <bram@example.net>";

/// Ada, with her settings.
fn ada() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    session
}

#[test]
fn who_is_not_named_is_the_player_and_the_record_goes_into_the_folder_of_games() {
    let session = ada();
    let mut told = session.transcripts(&["new asalto --against 'Bram Post <bram@example.net>' --id asalto-first"]);
    told += &session.read("games/asalto-first.pbem");
    // The other side, an address without a name, and one of the two players named as before.
    told += &session.transcripts(&["new asalto --against bram@example.net --as defenders --id asalto-other"]);
    told += &session.read("games/asalto-other.pbem");
    told += &session.transcripts(&[
        "new asalto --player defenders=Bram -o one.pbem --id asalto-the-one",
        // Redirected with --player it is printed, as ever.
        "new asalto --player besiegers=A --player defenders=B --id asalto-printed",
        // Whoever begins sends the invitation with the first entry.
        "new assideum --against 'Bram Post <bram@example.net>' --id assideum-first",
    ]);
    assert!(session.read("one.pbem").contains("besiegers: {name: Ada Quill, email: ada@example.org}"));
    insta::assert_snapshot!("begun", told);
}

#[test]
fn without_settings_it_is_asked_who_plays() {
    let session = Session::new();
    insta::assert_snapshot!(
        "who",
        session.transcripts(&[
            "new asalto --against 'Bram Post <bram@example.net>'",
            "new asalto",
            "invite bram@example.net asalto",
            "play asalto",
            "setup",
        ])
    );
    assert!(!session.path("home/games").exists(), "nothing was begun");
}

#[test]
fn an_invitation_is_one_command() {
    let session = ada();
    let mut told = session.transcripts(&[
        "invite 'Bram Post <bram@example.net>' asalto --id asalto-one",
        "invite asalto 'Bram Post <bram@example.net>' --id asalto-two",
        "status",
        "invite Bram asalto",
    ]);
    // What cannot be sent is safe, and sent later.
    session.write(
        "home/settings.yaml",
        "name: Ada\nemail: ada@example.org\ngames: ../games\nmail: {transport: sendmail, command: [/none]}\n",
    );
    told += &session.transcripts(&["invite 'Bram Post <bram@example.net>' asalto --id asalto-three"]);
    assert!(["one", "two", "three"].iter().all(|id| session.path(&format!("games/asalto-{id}.pbem")).exists()));
    insta::assert_snapshot!("invited", told);
}

#[test]
fn what_was_not_sent_is_said_in_the_first_game_too() {
    let session = ada();
    let letter = |session: &Session| {
        let json = session.run(&["status", "--json"]).ok();
        let row: Value = serde_json::from_str(json.lines().next().expect("a game")).expect("JSON");
        row["letter"].clone()
    };
    let mut told =
        session.transcripts(&["new asalto --against 'Bram Post <bram@example.net>' --id asalto-first", "status"]);
    assert_eq!(letter(&session), "owed");
    told += &session.transcript_fed("play games/asalto-first.pbem --compact", b"");
    told += &session.transcripts(&["send games/asalto-first.pbem", "status"]);
    assert_eq!(letter(&session), "written");
    // The first entry of the side that begins.
    told += &session.transcripts(&[
        "new assideum --against 'Bram Post <bram@example.net>' --id assideum-first",
        "move games/assideum-first.pbem Fc1-b2 --compact",
        "status games/assideum-first.pbem",
    ]);
    told += &session.transcript_fed("play games/assideum-first.pbem --compact", b"");
    // A game of two at one table, without addresses, has no letters.
    told += &session.transcripts(&[
        "new asalto --player 'besiegers=Ada Quill' --player defenders=Bram -o table.pbem --id asalto-at-a-table",
        "own table.pbem besiegers",
        "status table.pbem",
    ]);
    insta::assert_snapshot!("not_sent", told);
}

#[test]
fn a_game_is_named_by_its_id_or_not_at_all() {
    let session = ada();
    session.run(&["invite", BRAM, "assideum", "--id", "nc-assideum"]).ok();
    let show = session.run(&["show", "nc-assideum"]).ok();
    // The only one.
    assert_eq!(session.run(&["show"]).ok(), show);
    let mut told = session.transcripts(&[
        "show --compact",
        "move Fc1-b2 --compact",
        "log",
        "log --words",
        "undo",
        "move nc-assideum Fc1-b2 --compact --send",
        "new assideum --against 'Bram Post <bram@example.net>' --id nc-second",
        // Of several, the one that waits; for sending, the one that does not.
        "show --compact",
        "send",
        "new asalto --against 'Bram Post <bram@example.net>' --as defenders --id nc-third-one",
        "move 'place c6 e6'",
        // A file is taken before an id, and a forgotten entry is no entry.
        "move nc-second",
        // So do the commands that judge, stamp, compare and format; what is mistyped is named.
        "verify nc-assideum",
        "fmt --check nc-assideum nc-second",
        "evidence nc-assideum nc-second",
        "stamp nc-assideum --authorities none.pem -- false",
        "show nc-asideum",
    ]);
    // What is like none is said to be none.
    for command in ["show", "replay", "clock", "review", "audit"] {
        for name in ["no-such-game", "nope"] {
            told += &session.transcripts(&[&format!("{command} {name}")]);
        }
    }
    insta::assert_snapshot!("named", told);
    let done = session.command(&["--", "postrider", "show", "nc-s"]).env("COMPLETE", "zsh").output();
    let found = String::from_utf8(done.expect("it runs").stdout).expect("UTF-8");
    assert!(found.contains("nc-second"), "{found}");
}

#[test]
fn a_word_that_is_no_command_is_answered_with_the_command_that_is_meant() {
    let session = Session::new();
    let words = ["list", "init", "resign", "draw", "Board", "shwo", "hint", "chess", "asalto"];
    insta::assert_snapshot!("no_commands", session.transcripts(&words));
}

#[test]
fn an_offer_is_understood_without_its_semicolon_and_seals_are_short() {
    let session = ada();
    let begun = ["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B", "-o", "offers.pbem"];
    session.run(&begun).ok();
    for entry in ["place c6 e6", "c4-c5", "c6-d6 draw?"] {
        session.run(&["move", "offers.pbem", entry]).ok();
    }
    assert!(
        session.read("offers.pbem").contains("3 defenders c6-d6; huff d6; draw? @"),
        "{}",
        session.read("offers.pbem")
    );
    session.run(&["new", "subsume", "--against", BRAM, "--id", "nc-sealed"]).ok();
    let made = session.run(&["move", "nc-sealed", "+d1A; d1-d2"]);
    let record = session.read("games/nc-sealed.pbem");
    let long = |text: &str| text.split(|c: char| !c.is_ascii_hexdigit()).any(|run| run.len() >= 64);
    assert!(long(&record), "{record}");
    let letter = session.run(&["send", "-n", "nc-sealed"]).ok();
    let before_record = letter.split("pbem: 1").next().unwrap_or_default();
    for said in [
        &*made.out,
        &session.run(&["show", "nc-sealed"]).ok(),
        &session.run(&["log", "nc-sealed"]).ok(),
        &session.run(&["status"]).ok(),
        before_record,
    ] {
        assert!(!long(said), "{said}");
    }
    made.ok();
}

#[test]
fn the_beginning_of_an_id_names_a_game_wherever_a_record_is_taken() {
    let session = ada();
    for (game, id) in [("assideum", "nc-assideum"), ("asalto", "nc-asalto-one"), ("subsume", "mine-by-mail")] {
        session.run(&["invite", BRAM, game, "--id", id, "--clock", "5d"]).ok();
    }
    assert_eq!(session.run(&["show", "nc-ass"]).ok(), session.run(&["show", "nc-assideum"]).ok());
    let mut told = session.transcripts(&[
        "move nc-ass Fc1-b2 --compact",
        // Of several none is taken.
        "show nc-",
        "move nc- Fc1-b2",
        "archive export nc-",
        "restore nc-",
        "archive export nc-assideum mine --csv",
        "archive table nc-assideum mine",
        "archive pack nc-asa -o some.zst",
        "archive unpack some.zst --list",
        "status mine",
        "secret publish mine",
    ]);
    // A record that is gone too.
    std::fs::remove_file(session.path("games/nc-assideum.pbem")).expect("removed");
    told += &session.transcripts(&["restore nc-ass"]);
    insta::assert_snapshot!("beginnings", told);
}

#[test]
fn who_names_a_game_that_is_not_played_yet_is_told_how_to_begin_it() {
    let session = ada();
    let said = session.run(&["play", "asalto"]).fails(2);
    assert_eq!(
        said,
        "error: you have no game of Asalto yet\nhint: `postrider practice asalto` plays against the machine, `postrider invite 'Bram Post \
         <bram@example.net>' asalto` invites somebody, `postrider play` fetches mail\n"
    );
    assert_eq!(
        session.run(&["show", "no.pbem"]).fails(2),
        "error: there is no file no.pbem\nhint: `postrider status` lists your games; each may be named by its id, or by how that begins\n"
    );
    let lobby = session.feed(&["play"], b"Asalto\nquit\n");
    assert!(lobby.code == 1 && lobby.err.starts_with("error: you have no game of Asalto yet\n"), "{}", lobby.err);
    // Once there is one, its name is how its id begins.
    session.run(&["invite", BRAM, "asalto", "--as", "defenders", "--id", "asalto-the-first"]).ok();
    assert!(session.run(&["show", "asalto"]).ok().starts_with("asalto-the-first  Asalto\n"));
}

#[test]
fn whoever_is_due_is_told_the_next_step_after_an_invitation() {
    let (ada, bram) = (ada(), Session::new());
    bram.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    let last = |said: &str| said.lines().last().map(str::to_owned);
    let invited = ada.run(&["invite", BRAM, "asalto", "--id", "asalto-the-first", "--unsigned"]);
    assert!(invited.err.contains("; you are the besiegers; the defenders are to begin\n"), "{}", invited.err);
    assert!(!invited.err.contains("postrider play"), "{}", invited.err);
    let own = ada.run(&["invite", BRAM, "assideum", "--id", "assideum-the-first", "--unsigned"]);
    assert_eq!(
        last(&own.err).as_deref(),
        Some("you are due: `postrider play assideum-the-first` shows the board and takes your entry")
    );
    for letter in std::fs::read_dir(ada.path("home/data/outbox")).expect("an outbox").flatten() {
        bram.feed(&["receive"], &std::fs::read(letter.path()).expect("a letter")).ok();
    }
    let accepted = bram.run(&["invite", "accept", "asalto"]);
    assert_eq!(
        last(&accepted.err).as_deref(),
        Some("you are due: `postrider play asalto-the-first` shows the board and takes your entry")
    );
    // The only one that is left needs no id, and one that was declined is not counted as finished.
    let declined = bram.run(&["invite", "decline"]);
    assert!(declined.err.starts_with("the invitation is assideum-the-first  assideum, "), "{}", declined.err);
    assert_eq!(declined.ok(), "assideum-the-first declined; nothing was sent: tell your opponent yourself\n");
    assert_eq!(bram.run(&["invite", "decline"]).ok(), "no invitations\n");
}
