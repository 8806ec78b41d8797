//! What a letter to a host asks for: a word on the first line or in the subject, in any letter case. Pure.

use super::{called, listed};
use postrider_kernel::Info;
use postrider_referee::record::{Clock, is_game_id};
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_referee::rulebook::Rulebook;
use postrider_referee::sealing::{PublicKey, SeatProof};

/// How many lines may stand before the one that asks for something.
const FIRST_LINES: usize = 4;
/// Among how many words of a wish the game's name is looked for.
const FIRST_WORDS: usize = 12;

/// Words around what is asked for that ask for nothing.
const FILLERS: &[&str] = &[
    "", "a", "an", "and", "game", "hello", "here", "hi", "i", "if", "in", "me", "my", "of", "option", "options",
    "possible", "some", "thank", "thanks", "the", "then", "today", "us", "you",
];

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// What the host is and what may be written.
    Help,
    /// The list of games.
    Games,
    /// A game in a minute, or the text of one rule.
    Rules(String, Option<String>),
    /// A game.
    Play(Wanted),
    /// Yes: to a question, or to an invitation.
    Yes,
    /// No to an invitation; out of the lists of those who wait.
    No,
    /// No letter ever again.
    Never,
    /// Letters again.
    Write,
    /// Everything about the writer is forgotten.
    ForgetMe,
    /// This game is given up, by somebody who has no letter of it at hand.
    Resign(String),
    /// The game as it stands.
    Show,
    Record,
    /// The game as a page.
    Page,
    /// The writer's games.
    MyGames,
    /// Letters about a game of others.
    Watch(String),
    /// No more of them.
    Unwatch(String),
    /// The table of those who played.
    Standings,
    /// A seat moves to another address.
    NewAddress,
    /// The old address agrees to the move that has this code.
    Moves(String),
    /// The new address agrees to the move in this game that has this code; without one it has yet to get it.
    MovesHere(String, String),
    /// How the writer wants to be called.
    Name(String),
    /// The key with which the writer's own program signs in new games, or `none`.
    Key(String),
    /// The statement by which that key shows whose it is (Z41).
    Prove(Box<SeatProof>),
    /// The same game once more, with sides changed.
    Again,
    /// Words that were kept back are for the opponent: those with this code.
    PassOn(String),
    /// Replies that are foreseen.
    If(String),
}

/// A game that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The words that were read as the game's name.
    pub game: String,
    /// The opponent's address; whoever seeks the same if there is none.
    pub with: Option<String>,
    /// The side that the writer wants.
    pub side: Option<String>,
    /// Options, each `name=value`.
    pub options: Vec<String>,
    /// The clock; `none` for none.
    pub clock: Option<String>,
    /// Words that mean nothing here.
    pub odd: Vec<String>,
}

/// A command, and the words from which it was read.
pub(crate) type Found = (Command, String);

/// Reads what a letter asks for: on one of its first lines, or otherwise in its subject, which counts only if it is no answer's.
#[must_use]
pub(crate) fn read(lines: &[String], subject: &str) -> Option<Found> {
    let written = || lines.iter().filter(|line| !line.is_empty() && !listed::is_listed(line));
    // Its two parts may be on two lines.
    if let Some(proof) = SeatProof::find(&written().map(String::as_str).collect::<Vec<_>>().join("\n")) {
        let words = proof.line();
        return Some((Command::Prove(Box::new(proof)), words));
    }
    let first = written().take(FIRST_LINES).find_map(|line| of(line).map(|command| (command, line.clone())));
    let is_answer =
        subject.contains("[pbem]") || subject.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("re:"));
    let subject = if is_answer { "" } else { subject };
    first.or_else(|| of(subject).map(|command| (command, subject.to_owned())))
}

/// What is asked for that is about no single game, in words that hold nothing else of what somebody wrote; `None` if there is nothing such.
#[must_use]
pub(crate) fn plainly(command: &Command) -> Option<String> {
    let id = |word: &str, id: &str| is_game_id(id).then(|| format!("{word} {id}"));
    match command {
        Command::MyGames => Some("my games".to_owned()),
        Command::No => Some("withdraw".to_owned()),
        Command::Write => Some("write to me again".to_owned()),
        Command::ForgetMe => Some("forget me".to_owned()),
        Command::Name(name) => (!name.is_empty()).then(|| format!("name {name}")),
        Command::Key(key) if key.eq_ignore_ascii_case("none") => Some("key none".to_owned()),
        Command::Key(key) => PublicKey::read(key.as_bytes()).is_ok().then(|| format!("key {key}")),
        Command::Watch(game) => id("watch", game),
        Command::Unwatch(game) => id("unwatch", game),
        Command::Resign(game) => id("resign", game),
        Command::MovesHere(game, code) => {
            let fits = code.len() <= 16 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
            id("new address", game).filter(|_| fits).map(|words| format!("{words} {code}").trim_end().to_owned())
        }
        _ => None,
    }
}

/// Returns whether a line says that its writer wants no letters any more, and nothing else: "never write to me again such long letters" is
/// said to a person.
#[must_use]
pub(crate) fn says_only_never(line: &str) -> bool {
    const OTHERS: [&str; 12] =
        ["again", "any", "more", "anymore", "ever", "please", "pls", "thanks", "thank", "you", "and", "unsubscribe"];
    let lower = line.to_lowercase();
    let rest = lower.replacen("never write to me", "", 1);
    let rest = if rest == lower { lower.replacen("never write again", "", 1) } else { rest };
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| OTHERS.contains(&word))
}

/// Reads one line.
#[must_use]
pub(crate) fn of(line: &str) -> Option<Command> {
    let plain = line.trim().trim_matches(|c: char| c.is_whitespace() || "\"'`*_.,;:!()".contains(c));
    let lower = plain.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower.split_whitespace().filter(|word| !matches!(*word, "please" | "pls")).collect();
    let all = words.join(" ");
    let is = |list: &[&str]| list.contains(&all.as_str());
    if is(&["help", "?", "info", "hilfe"]) {
        return Some(Command::Help);
    }
    if is(&["games", "list games", "list"]) {
        return Some(Command::Games);
    }
    if is(&["yes", "y", "ok", "okay", "accept", "i accept", "confirm", "yes please", "sure", "ja"]) {
        return Some(Command::Yes);
    }
    if is(&["no", "decline", "i decline", "no thanks", "no thank you", "withdraw", "cancel", "nein"]) {
        return Some(Command::No);
    }
    if all.starts_with("never write to me") || is(&["unsubscribe", "never write again"]) {
        return Some(Command::Never);
    }
    if is(&["write to me again", "write to me", "resubscribe"]) {
        return Some(Command::Write);
    }
    if is(&["forget me"]) {
        return Some(Command::ForgetMe);
    }
    if is(&["show", "board", "show board", "show the board", "position"]) {
        return Some(Command::Show);
    }
    if is(&["record", "show record", "send record"]) {
        return Some(Command::Record);
    }
    if is(&["page", "send page"]) {
        return Some(Command::Page);
    }
    if is(&["my games", "mygames", "status"]) {
        return Some(Command::MyGames);
    }
    if is(&["standings", "ranking", "table"]) {
        return Some(Command::Standings);
    }
    if is(&["new address", "yes, new address", "yes new address"]) {
        return Some(Command::NewAddress);
    }
    if is(&["again", "rematch", "play again"]) {
        return Some(Command::Again);
    }
    match *words.as_slice() {
        ["rules", ref rest @ ..] if !rest.is_empty() => {
            let (last, game) = rest.split_last()?;
            let is_number = |word: &str| {
                word.bytes().any(|byte| byte.is_ascii_digit())
                    && word.len() <= 5
                    && word.starts_with(|c: char| c.is_alphabetic())
            };
            return match is_number(last) && game_of(last).is_none() {
                true => Some(Command::Rules(game.join(" "), Some(last.to_uppercase()))),
                false => Some(Command::Rules(rest.join(" "), None)),
            };
        }
        // Letter case matters in a key.
        ["key", _] | ["my", "key", _] => {
            let key = line.split_whitespace().last()?.trim_matches(|c: char| "\"'`.,;".contains(c));
            return Some(Command::Key(key.to_owned()));
        }
        ["yes," | "yes", "new", "address", code] => return Some(Command::Moves(code.to_owned())),
        ["pass", "it", "on"] => return Some(Command::PassOn(String::new())),
        ["pass", "it", "on", code] => return Some(Command::PassOn(code.to_owned())),
        ["new", "address", id] => return Some(Command::MovesHere(id.to_owned(), String::new())),
        ["new", "address", id, code] => return Some(Command::MovesHere(id.to_owned(), code.to_owned())),
        ["resign", id] if id.contains('-') && is_game_id(id) => return Some(Command::Resign(id.to_owned())),
        ["watch", id] => return Some(Command::Watch(id.to_owned())),
        ["unwatch", id] => return Some(Command::Unwatch(id.to_owned())),
        ["if", ..] if words.contains(&"then") => return Some(Command::If(plain.to_owned())),
        ["name", ref rest @ ..] if !rest.is_empty() => {
            return Some(Command::Name(called::name(&plain.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))));
        }
        _ => {}
    }
    let place = words.iter().position(|word| *word == "play").filter(|place| *place <= 4);
    let rest = match place {
        Some(place) => words.get(place + 1..)?,
        // A game's name alone.
        None if game_of(&all).is_some() => &words,
        None => return None,
    };
    wanted(rest).map(Command::Play)
}

/// Reads what kind of game is wanted: `asalto with bram@example.net as defenders captures=15 clock 5d+1d`.
fn wanted(words: &[&str]) -> Option<Wanted> {
    let spans = (0..words.len().min(FIRST_WORDS)).flat_map(|from| (1..=3).rev().map(move |length| from..from + length));
    let (span, game) =
        spans.into_iter().find_map(|span| Some((span.clone(), game_of(&words.get(span)?.join(" "))?)))?;
    let mut wanted = Wanted { game: game.info().name.to_owned(), ..Wanted::default() };
    let words: Vec<&str> = words.get(..span.start)?.iter().chain(words.get(span.end..)?).copied().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let next = words.get(at).copied();
        match (word.trim_end_matches([',', '.', ';', '?', '!']), next) {
            ("with" | "against" | "vs" | "vs.", Some(_)) => {}
            ("as" | "playing", Some(side)) => {
                wanted.side = Some(side.trim_end_matches([',', '.', ';', '?', '!']).to_owned());
                at += 1;
            }
            ("clock" | "time", Some(_)) => {
                let rest: Vec<&str> = words.get(at..).unwrap_or_default().to_vec();
                let fits = |count: &usize| Clock::read(&rest.get(..*count).unwrap_or_default().join(" ")).is_ok();
                let count = (1..=rest.len().min(6)).rev().find(fits).unwrap_or(1);
                wanted.clock = Some(rest.get(..count).unwrap_or_default().join(" "));
                at += count;
            }
            (word, _) if word.contains('@') => match address(word) {
                Some(found) if wanted.with.is_none() => wanted.with = Some(found),
                // Whoever is asked for is never dropped in silence.
                _ => wanted.odd.push(word.to_owned()),
            },
            (word, _) if word.contains('=') => wanted.options.push(word.trim_matches(',').to_owned()),
            (word, _) if FILLERS.contains(&word) => {}
            (word, _) => wanted.odd.push(word.to_owned()),
        }
    }
    Some(wanted)
}

/// The address in a word, as people and mail programs write it: `<bram@example.net>`, `bram@example.net<mailto:…>`.
fn address(word: &str) -> Option<String> {
    let odd = |c: char| "<>()[],;\"'".contains(c);
    let part = word.split(odd).find(|part| part.contains('@'))?;
    let part = part.strip_prefix("mailto:").unwrap_or(part).trim_matches(|c: char| ".:?!".contains(c));
    postrider_mail::address::parse_address(part).ok().map(|address| address.to_string())
}

/// Finds a game by what people write: its name or title, with or without signs and spaces.
#[must_use]
pub(crate) fn game_of(words: &str) -> Option<&'static dyn AnyGame> {
    let bare =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let typed = bare(words);
    let is = |info: &Info| bare(info.name) == typed || bare(info.title) == typed;
    GAMES.iter().copied().find(|game| !typed.is_empty() && is(game.info()))
}

/// Finds a rulebook by what people write.
#[must_use]
pub(crate) fn rulebook_of(words: &str) -> Option<Rulebook> {
    match game_of(words) {
        Some(game) => postrider_referee::rulebook::find(game.info().name),
        None => postrider_referee::rulebook::find(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_any_letter_case_on_the_first_lines_or_in_the_subject() {
        let read = |lines: &[&str], subject: &str| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            read(&lines, subject).map(|(command, _)| command)
        };
        assert_eq!(read(&["Hello!", "HELP"], ""), Some(Command::Help));
        assert_eq!(read(&[], "Help"), Some(Command::Help));
        assert_eq!(read(&[], "Re: help"), None);
        assert_eq!(read(&["I'm fine, and you?"], ""), None);
        assert_eq!(of("rules asalto t21"), Some(Command::Rules("asalto".into(), Some("T21".into()))));
        assert_eq!(of("Rules Mission: Combat!"), Some(Command::Rules("mission: combat".into(), None)));
        assert_eq!(of("Never write to me again."), Some(Command::Never));
        assert_eq!(of("name Ada Lovelace"), Some(Command::Name("Ada Lovelace".into())));
    }

    #[test]
    fn who_wants_no_letters_says_nothing_else() {
        for line in [
            "Never write to me again.",
            "please never write to me again, thank you!",
            "never write to me",
            "unsubscribe",
            "never write again",
        ] {
            assert!(says_only_never(line), "{line}");
        }
        for line in ["Please never write to me again such long things!", "never write to me in French", "never again"] {
            assert!(!says_only_never(line) || of(line) != Some(Command::Never), "{line}");
        }
    }

    #[test]
    fn a_game_is_asked_for_as_people_write() {
        let play = |line: &str| match of(line) {
            Some(Command::Play(wanted)) => wanted,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(play("asalto").game, "asalto");
        assert_eq!(play("I'd like to play Assassyn's Dagger, please").game, "assassyn");
        let whole = play("Play Asalto with <Bram@Example.net> as defenders captures=15 clock 30d+1d leave 30d");
        assert_eq!(whole.with.as_deref(), Some("bram@example.net"));
        assert_eq!((whole.side.as_deref(), whole.clock.as_deref()), (Some("defenders"), Some("30d+1d leave 30d")));
        assert_eq!(whole.options, ["captures=15"]);
        assert_eq!(
            play("play mission combat with bram@example.net<mailto:bram@example.net>").with.as_deref(),
            Some("bram@example.net")
        );
        let friend = play("Hi, can I play a game of Subsume with bram@example.net? Thank you!");
        assert_eq!((friend.game.as_str(), friend.with.as_deref()), ("subsume", Some("bram@example.net")));
        assert!(friend.odd.is_empty(), "{:?}", friend.odd);
        let before = play("I want to play with bram@example.net a game of Mission: Combat!");
        assert_eq!((before.game.as_str(), before.with.as_deref()), ("mission-combat", Some("bram@example.net")));
        // Whoever is asked for is not dropped.
        assert_eq!(play("play asalto with bram@").odd, ["bram@"]);
        assert_eq!(play("play asalto with bram@example.net and cleo@example.org").odd, ["cleo@example.org"]);
        assert_eq!(of("play chess"), None);
    }
}
