//! What a letter costs beside many games, counted in system calls.

use super::{Later, injector};
use crate::letters::{GAME, HEADER, ID, letter};
use crate::session::Session;

/// Bram's home with `count` games.
fn home(count: usize) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "email: bram@example.net\ngames: ../games\n");
    for nth in 0..count {
        session.write(&format!("games/{nth}.pbem"), game(nth, 1));
    }
    session
}

fn game(nth: usize, entries: usize) -> String {
    HEADER.replace(ID, &format!("asalto-among-{nth}")) + &GAME[..entries].concat()
}

#[test]
fn a_letter_takes_no_more_calls_with_five_thousand_games_than_with_two_hundred() {
    if !injector::available() {
        return;
    }
    let [few, many] = [200, 5000].map(|count| {
        let session = home(count);
        // The first letter finds out where the games are.
        session.feed_later(&["receive"], letter(&game(7, 2)).as_bytes()).ok();
        let (calls, ran) = injector::calls(&session, &["receive"], letter(&game(9, 2)).as_bytes());
        assert!(ran.out.contains("asalto-among-9: accepted"), "{}{}", ran.out, ran.err);
        assert!(session.read("games/9.pbem").contains("2 besiegers"));
        calls.len()
    });
    // A few more halvings in the notes of where the games are; nothing for each game.
    assert!(many <= few + 30, "{few} and {many}");
}
