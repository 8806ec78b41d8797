//! Slips made by newcomers, and how the program replies.
#![cfg(unix)]

use crate::session::Session;

fn begun(game: &str, more: &[&str]) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    session.run(&[&["new", game][..], &players, &["-o", "game.pbem"], more].concat()).ok();
    session
}

#[test]
fn a_missing_semicolon_is_named_and_no_action_is_left_out() {
    for more in [&[][..], &["--open"]] {
        let session = begun("subsume", more);
        let before = session.read("game.pbem");
        let refused = session.run(&["move", "game.pbem", "+d1A d1-d2"]).fails(1);
        assert!(
            refused.contains("hint: two actions are separated by `;`: `+d1A; d1-d2` instead of `+d1A d1-d2`"),
            "{refused}"
        );
        assert_eq!(session.read("game.pbem"), before, "nothing is entered of which a part was left out");
        session.run(&["move", "game.pbem", "+d1A; d1-d2"]).ok();
    }
}

#[test]
fn d4_another_deployment_than_the_sealed_one_is_told_which_was_sealed() {
    let session = begun("assassyn", &["--option", "deployment=sealed"]);
    session.run(&["move", "game.pbem", "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2"]).ok();
    let mut black = session.command(&["move", "--for", "black", "game.pbem", "deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5"]);
    assert!(black.env("POSTRIDER_HOME", session.path("bram")).output().expect("the program runs").status.success());
    let refused = session.run(&["move", "game.pbem", "deploy Pd1 Wc1 La1 Lf1 Sb1 Se1 Ac2"]).fails(1);
    assert!(refused.contains("D4") && refused.contains("not the deployment that was sealed"), "{refused}");
    assert!(refused.contains("what was sealed is `deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2`"), "{refused}");
    assert!(!refused.contains("secret import"), "{refused}");
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
    assert!(first.err.contains("a turn begins with one of these; `postrider moves game.pbem '+a1A'`"), "{}", first.err);
    session.run(&["move", "game.pbem", "resign"]).ok();
    let over = session.run(&["moves", "game.pbem"]);
    assert!(over.out.is_empty() && over.err.contains("the game is over (black wins: resigned)"), "{}", over.err);
}
