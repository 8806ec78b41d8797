//! What can be written to a host, as its letters list it. Pure.

/// What can be written, for somebody who has perhaps not asked for it.
pub(super) const BRIEF_HELP: &str = "\
games                       the games that are played here
play asalto                 play anybody who wants the same
play asalto with ADDRESS    invite somebody
my games                    your games
help                        all of it, in reply to this letter";

/// What can be written.
pub(super) const HELP: &str = "\
games                        the games that are played here
rules asalto                 a game in a minute, with a picture
rules asalto T21             the text of one rule
play asalto                  play anybody who wants the same; the sides are drawn
play asalto with ADDRESS     invite somebody; also: as defenders, captures=15, clock 5d+1d
my games                     your games and what is due in them
key KEY, key none            new games are played by your own program
name Ada Quill               your name in new games
watch ID, unwatch ID         letters about a game of others
standings                    who has won how often
withdraw                     no longer wait for a game, or for an answer
never write to me again      no letter, ever
forget me                    delete everything noted about you

In a game, reply to its last letter: a move on a line of its own, resign, draw? after a move,
draw!, claim time, leave 7d after a move; if MOVE then MOVE; a line that begins with message: is
passed on to your opponent, and so is anything else in a game in which nothing is hidden.
Also: show, record, page, again, new address.";

/// Whether a line is one of those that say what can be written, as a letter with them is sent on: nobody asks for anything by it.
pub(super) fn is_listed(line: &str) -> bool {
    let words = || line.split_whitespace();
    words().count() > 1 && HELP.lines().chain(BRIEF_HELP.lines()).any(|listed| listed.split_whitespace().eq(words()))
}
