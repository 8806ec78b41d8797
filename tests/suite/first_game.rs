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
    let new = session.run(&["new", "asalto", "--against", BRAM, "--id", "asalto-first"]);
    let said = new.err.clone();
    new.ok();
    assert!(said.contains("games/asalto-first.pbem written; the defenders are to begin; "), "{said}");
    assert!(said.contains("asalto-first.pbem` invites bram@example.net;"), "{said}");
    let record = session.read("games/asalto-first.pbem");
    assert!(record.contains("besiegers: {name: Ada Quill, email: ada@example.org}"), "{record}");
    assert!(record.contains("defenders: {name: Bram Post, email: bram@example.net}"), "{record}");
    // The other side, an address without a name, and one of the two players named as before.
    session.run(&["new", "asalto", "--against", "bram@example.net", "--as", "defenders", "--id", "asalto-other"]).ok();
    let record = session.read("games/asalto-other.pbem");
    assert!(record.contains("besiegers: {name: bram, email: bram@example.net}"), "{record}");
    let one = ["new", "asalto", "--player", "defenders=Bram", "-o", "one.pbem"];
    session.run(&one).ok();
    assert!(session.read("one.pbem").contains("besiegers: {name: Ada Quill, email: ada@example.org}"));
    // Redirected with --player it is printed, as ever.
    let printed = session.run(&["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B"]).ok();
    assert!(printed.starts_with("---\npbem: 1\ngame: asalto\n"), "{printed}");
    // Whoever begins sends the invitation with the first entry.
    let said = session.run(&["new", "assideum", "--against", BRAM]).err;
    assert!(said.contains("you are to begin; ") && said.contains("'ENTRY' --send` with your first entry"), "{said}");
}

#[test]
fn without_settings_it_is_asked_who_plays() {
    let session = Session::new();
    let refused = session.run(&["new", "asalto", "--against", BRAM]).fails(2);
    assert!(refused.contains("who are you?") && refused.contains("`postrider setup`"), "{refused}");
    let refused = session.run(&["new", "asalto"]).fails(2);
    assert!(refused.contains("who plays?") && refused.contains("--against"), "{refused}");
    let refused = session.run(&["invite", "bram@example.net", "asalto"]).fails(2);
    assert!(refused.contains("`postrider setup`"), "{refused}");
    assert!(!session.path("home/games").exists(), "nothing was begun");
}

#[test]
fn an_invitation_is_one_command() {
    let session = ada();
    for (typed, id) in [([BRAM, "asalto"], "asalto-one"), (["asalto", BRAM], "asalto-two")] {
        let invited = session.run(&["invite", typed[0], typed[1], "--id", id]);
        assert!(invited.err.contains("you are besiegers; the defenders are to begin"), "{}", invited.err);
        assert!(
            invited.err.contains("the invitation to bram@example.net: the letter was written to"),
            "{}",
            invited.err
        );
        invited.ok();
        assert!(session.path(&format!("games/{id}.pbem")).exists());
        assert!(session.run(&["status"]).ok().contains("the invitation to bram@example.net was written to"));
    }
    let nameless = session.run(&["invite", "Bram", "asalto"]).fails(2);
    assert!(nameless.contains("two addresses"), "{nameless}");
    // What cannot be sent is safe, and sent later.
    session.write(
        "home/settings.yaml",
        "name: Ada\nemail: ada@example.org\ngames: ../games\nmail: {transport: sendmail, command: [/none]}\n",
    );
    let failed = session.run(&["invite", BRAM, "asalto", "--id", "asalto-three"]).fails(2);
    assert!(failed.contains("the record is safe in"), "{failed}");
    assert!(session.path("games/asalto-three.pbem").exists());
}

#[test]
fn what_was_not_sent_is_said_in_the_first_game_too() {
    let session = ada();
    let status = |session: &Session| {
        let told = session.run(&["status"]).ok();
        let json = session.run(&["status", "--json"]).ok();
        let row: Value = serde_json::from_str(json.lines().next().expect("a game")).expect("JSON");
        (told, row["letter"].clone())
    };
    session.run(&["new", "asalto", "--against", BRAM, "--id", "asalto-first"]).ok();
    let (told, letter) = status(&session);
    assert!(told.contains("the invitation was not sent: `postrider send "), "{told}");
    assert_eq!(letter, "owed");
    let played = session.feed(&["play", "games/asalto-first.pbem"], b"");
    assert!(played.out.contains("the invitation has not been sent: `send` mails it"), "{}", played.out);
    assert!(played.err.contains("the invitation has not been sent: `postrider send"), "{}", played.err);
    session.run(&["send", "games/asalto-first.pbem"]).ok();
    let (told, letter) = status(&session);
    assert!(told.contains("the invitation to bram@example.net was written to"), "{told}");
    assert!(told.contains("ago, for you to mail: no answer yet"), "{told}");
    assert_eq!(letter, "written");

    // The first entry of the side that begins.
    session.run(&["new", "assideum", "--against", BRAM, "--id", "assideum-first"]).ok();
    let moves = session.run(&["moves", "games/assideum-first.pbem"]).ok();
    session.run(&["move", "games/assideum-first.pbem", moves.lines().next().expect("a move")]).ok();
    let told = session.run(&["status", "games/assideum-first.pbem"]).ok();
    assert!(told.contains("entry 1 was not sent: `postrider send games/assideum-first.pbem`"), "{told}");
    let played = session.feed(&["play", "games/assideum-first.pbem"], b"");
    assert!(played.out.contains("entry 1 has not been sent: `send` mails it"), "{}", played.out);
    // A game of two at one table, without addresses, has no letters.
    session
        .run(&["new", "asalto", "--player", "besiegers=Ada Quill", "--player", "defenders=Bram", "-o", "table.pbem"])
        .ok();
    session.run(&["own", "table.pbem", "besiegers"]).ok();
    assert!(!session.run(&["status", "table.pbem"]).ok().contains("not sent"));
}

#[test]
fn a_game_is_named_by_its_id_or_not_at_all() {
    let session = ada();
    session.run(&["invite", BRAM, "assideum", "--id", "nc-assideum"]).ok();
    let show = session.run(&["show", "nc-assideum"]).ok();
    assert!(show.starts_with("nc-assideum  assideum\n"), "{show}");
    // The only one.
    assert_eq!(session.run(&["show"]).ok(), show);
    assert!(session.run(&["show"]).err.contains("the game is nc-assideum"));
    session.run(&["move", "Fc1-b2"]).ok();
    assert!(session.read("games/nc-assideum.pbem").contains("1 white Fc1-b2 @"));
    assert!(session.run(&["log"]).ok().contains("1  white  2026-11-21T12:00:00Z  Fc1-b2\n"));
    assert!(session.run(&["log", "--words"]).ok().contains("On the board: from c1; to b2."));
    assert!(session.run(&["undo"]).ok().contains("taken back: 1 white Fc1-b2"));
    session.run(&["move", "nc-assideum", "Fc1-b2", "--send"]).ok();
    // Of several, the one that waits; for sending, the one that does not.
    session.run(&["new", "assideum", "--against", BRAM, "--id", "nc-second"]).ok();
    assert!(session.run(&["show"]).err.contains("the game is nc-second"));
    assert!(session.run(&["send"]).err.contains("the game is nc-assideum"));
    session.run(&["new", "asalto", "--against", BRAM, "--as", "defenders", "--id", "nc-third-one"]).ok();
    let which = session.run(&["move", "place c6 e6"]).fails(2);
    assert!(which.contains("which game? several are running: nc-second, nc-third-one"), "{which}");
    // A file is taken before an id, and a forgotten entry is no entry.
    assert!(session.run(&["move", "nc-second"]).fails(2).contains("which entry"));
    assert!(
        session.run(&["show", "no-such-game"]).fails(2).contains("no file and no game of yours called no-such-game")
    );
    // So do the commands that judge, stamp, compare and format; what is mistyped is named.
    let judged = session.run(&["verify", "nc-assideum"]).ok();
    assert!(judged.ends_with("nc-assideum.pbem: legal, 1 entry, black due\n"), "{judged}");
    session.run(&["fmt", "--check", "nc-assideum", "nc-second"]).ok();
    let compared = session.run(&["evidence", "nc-assideum", "nc-second"]);
    assert!(compared.err.contains("the same game"), "{}{}", compared.out, compared.err);
    let stamped = session.run(&["stamp", "nc-assideum", "--authorities", "none.pem", "--", "false"]).fails(2);
    assert!(stamped.contains("false has ended with"), "the record was found: {stamped}");
    let said = session.run(&["show", "nc-asideum"]).fails(2);
    assert!(said.contains("nc-asideum") && said.contains("did you mean nc-assideum?"), "{said}");
    // What is like none is said to be none.
    for command in ["show", "replay", "clock"] {
        let said = session.run(&[command, "somebody-elses"]).fails(2);
        assert!(said.contains("there is no file and no game of yours called somebody-elses"), "{said}");
        assert_eq!(
            said,
            "error: there is no file and no game of yours called somebody-elses\nhint: `postrider status` lists your games\n"
        );
    }
    let done = session.command(&["--", "postrider", "show", "nc-s"]).env("COMPLETE", "zsh").output();
    let found = String::from_utf8(done.expect("it runs").stdout).expect("UTF-8");
    assert!(found.contains("nc-second"), "{found}");
}

#[test]
fn a_word_that_is_no_command_is_answered_with_the_command_that_is_meant() {
    let session = Session::new();
    for (typed, meant) in [
        ("list", "postrider status"),
        ("init", "postrider invite"),
        ("resign", "resign` resigns"),
        ("draw", "draw?"),
        ("Board", "show"),
    ] {
        let said = session.run(&[typed]).fails(2);
        assert!(said.contains(&format!("there is no command `{typed}`")) && said.contains(meant), "{said}");
    }
    assert!(session.run(&["shwo"]).fails(2).contains("show"), "a slip is corrected as before");
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
    session.run(&["move", "nc-ass", "Fc1-b2"]).ok();
    assert!(session.read("games/nc-assideum.pbem").contains("1 white Fc1-b2 @"));
    // Of several none is taken.
    for args in [&["show", "nc-"][..], &["move", "nc-", "Fc1-b2"], &["archive", "export", "nc-"], &["restore", "nc-"]] {
        let said = session.run(args).fails(2);
        assert_eq!(
            said, "error: several games begin with nc-: nc-asalto-one, nc-assideum\nhint: type more of the id\n",
            "{args:?}"
        );
    }
    let exported = session.run(&["archive", "export", "nc-assideum", "mine"]).ok();
    assert!(exported.contains("\"id\":\"nc-assideum\"") && exported.contains("\"id\":\"mine-by-mail\""), "{exported}");
    let table = session.run(&["archive", "table", "nc-assideum", "mine"]).ok();
    for id in ["nc-assideum", "mine-by-mail"] {
        assert!(table.contains(&format!("{id}.pbem: the game is not over\n")), "{table}");
    }
    session.run(&["archive", "pack", "nc-asa", "-o", "some.zst"]).ok();
    assert!(session.run(&["archive", "unpack", "some.zst", "--list"]).ok().ends_with("nc-asalto-one.pbem\n"));
    let listed = session.run(&["status", "mine"]).ok();
    assert!(listed.contains("mine-by-mail") && !listed.contains("nc-"), "{listed}");
    let published = session.run(&["secret", "publish", "mine"]).fails(2);
    assert!(!published.contains("no file"), "{published}");
    // A record that is gone too.
    std::fs::remove_file(session.path("games/nc-assideum.pbem")).expect("removed");
    let back = session.run(&["restore", "nc-ass"]).ok();
    assert!(back.ends_with("nc-assideum.pbem is back as it was last known\n"), "{back}");
}

#[test]
fn who_names_a_game_that_is_not_played_yet_is_told_how_to_begin_it() {
    let session = ada();
    let said = session.run(&["play", "asalto"]).fails(2);
    assert_eq!(
        said,
        "error: you have no game of Asalto yet\nhint: `postrider practice asalto` plays against the machine, `postrider invite 'Bram Post \
         <bram@example.net>' asalto` invites somebody\n"
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
    assert!(invited.err.contains("; you are besiegers; the defenders are to begin\n"), "{}", invited.err);
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
