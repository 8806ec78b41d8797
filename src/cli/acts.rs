//! What a player may do, as commands to type: the one place where advice becomes `postrider …`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::words::{arg, quoted};
use postrider_kernel::advice::{Act, Advice, Again, Insist};
use postrider_referee::registry::GAMES;

/// Whether somebody types in a session, which has commands of its own.
static IN_SESSION: AtomicBool = AtomicBool::new(false);

/// From here on advice names what is typed in a session.
pub fn in_session() {
    IN_SESSION.store(true, Ordering::Relaxed);
}

/// Returns a message as it is said here: in a session `rules` is enough to read the rules of its game.
pub fn as_typed_here(message: &str) -> String {
    const COMMAND: &str = "`postrider rules ";
    if !IN_SESSION.load(Ordering::Relaxed) {
        return message.to_owned();
    }
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once(COMMAND) {
        let (arguments, after) = behind.split_once('`').unwrap_or((behind, ""));
        let (book, rule) = arguments.split_once(' ').unwrap_or((arguments, ""));
        let wanted = match GAMES.iter().any(|game| game.info().name == book) {
            true => format!("rules {rule}"),
            false => format!("rules {arguments}"),
        };
        text.push_str(&format!("{before}`{}`", wanted.trim_end()));
        rest = after;
    }
    text + rest
}

/// Does something that a session does not speak for, such as a command for another game: its advice names whole commands.
pub fn outside<T>(done: impl FnOnce() -> T) -> T {
    let before = IN_SESSION.swap(false, Ordering::Relaxed);
    let outcome = done();
    IN_SESSION.store(before, Ordering::Relaxed);
    outcome
}

/// The command of a session that does what an act says; `None` if there is none, or no session.
fn inside(act: &Act) -> Option<String> {
    if !IN_SESSION.load(Ordering::Relaxed) {
        return None;
    }
    Some(match act {
        Act::Show(_) => "board".into(),
        Act::Moves(_) => "moves".into(),
        Act::Answer(_) => "answer".into(),
        Act::Send(_) => "send".into(),
        Act::Rules(_, Some(rule)) => format!("rules {rule}"),
        Act::Rules(_, None) => "rules".into(),
        _ => return None,
    })
}

/// Writes advice with the commands in it.
pub fn written(advice: &Advice) -> String {
    advice.in_words(|act| match act {
        Act::Name(name) => arg(name),
        // As they stand in the help: a word among others.
        Act::Insist(
            insist @ (Insist::Open | Insist::Output | Insist::To | Insist::Id | Insist::Message | Insist::OfTime),
        ) => option(insist),
        act => format!("`{}`", command(act)),
    })
}

/// The command that does what an act says.
pub fn command(act: &Act) -> String {
    if let Some(command) = inside(act) {
        return command;
    }
    match act {
        Act::Name(name) => arg(name),
        Act::Accept(id, None) => format!("postrider invite accept {id}"),
        Act::Accept(id, Some(side)) => format!("postrider invite accept {id} --as {side}"),
        Act::AcceptEntries(id) => format!("postrider invite accept {id} --despite-entries"),
        Act::Invitations => "postrider invite list".into(),
        Act::Decline(id) => format!("postrider invite decline {id}"),
        Act::DeclineFrom(mailbox) => format!("postrider invite decline --from {}", arg(mailbox)),
        Act::Own(game, side) => format!("postrider own {} {side}", arg(game)),
        Act::Show(game) => format!("postrider show {}", arg(game)),
        Act::Moves(game) => format!("postrider moves {}", arg(game)),
        Act::Move(game, None) => format!("postrider move {} 'YOUR ENTRY'", arg(game)),
        Act::Move(game, Some(Again { actions, time, message })) => {
            let time = time.as_deref().map(|time| format!(" --time {time}")).unwrap_or_default();
            let message = message.as_deref().map(|text| format!(" --message {}", quoted(text))).unwrap_or_default();
            format!("postrider move {} {}{time}{message}", arg(game), quoted(actions))
        }
        Act::MoveAndSend => "postrider move FILE 'YOUR ENTRY' --send".into(),
        Act::Turn(game) => format!("postrider move {} 'YOUR TURN'", arg(game)),
        Act::Answer(game) => format!("postrider answer {}", arg(game)),
        Act::Undo(game) => format!("postrider undo {} --unsent", arg(game)),
        Act::Send(game) => format!("postrider send {}", arg(game)),
        Act::DateAnew(game) => format!("postrider send {} --date-anew", arg(game)),
        Act::SendDraft(game) => format!("postrider send --draft {game}"),
        Act::Conditions(game) => format!("postrider if {}", arg(game)),
        Act::Verify(game) => format!("postrider verify -v {}", arg(game)),
        Act::Judge => "postrider verify".into(),
        Act::Restore(game) => format!("postrider restore {}", arg(game)),
        Act::Audit(game) => format!("postrider proof audit {}", arg(game)),
        Act::PublishSecret(game) => format!("postrider secret publish {}", arg(game)),
        Act::ImportSecret => "postrider secret import BACKUP".into(),
        Act::ExportSecret => "postrider secret export BACKUP".into(),
        Act::ShowKey => "postrider key show".into(),
        Act::NewKey => "postrider key new".into(),
        Act::RotateKey => "postrider key rotate".into(),
        Act::ImportKey => "postrider key import BACKUP".into(),
        Act::TrustKey(who, fingerprint, false) => format!("postrider key trust {} {fingerprint}", arg(who)),
        Act::TrustKey(who, fingerprint, true) => format!("postrider key trust {} {fingerprint} --instead", arg(who)),
        Act::TrustAKey => "postrider key trust".into(),
        Act::Evidence(files) => {
            format!("postrider proof evidence {}", files.iter().map(|file| arg(file)).collect::<Vec<_>>().join(" "))
        }
        Act::New(None) => "postrider new --help".into(),
        Act::New(Some(game)) => format!("postrider new {game}"),
        Act::BeginAnother => "postrider new".into(),
        Act::NewByMail => "postrider new --by-mail".into(),
        Act::Invite(game) => format!("postrider invite 'Bram Post <bram@example.net>' {game}"),
        Act::Receive => "postrider receive".into(),
        Act::Agree(game, digits) => format!("postrider receive --agree {game} {digits}"),
        Act::Seat => "postrider receive --seat FINGERPRINT".into(),
        Act::Setup => "postrider setup".into(),
        Act::Rules(book, None) => format!("postrider rules {book}"),
        Act::Rules(book, Some(rule)) => format!("postrider rules {book} {rule}"),
        Act::GitSetup => "postrider git setup".into(),
        Act::Games => "postrider games".into(),
        Act::Practice(file) => format!("postrider practice {}", arg(file)),
        Act::CheckDecks(file) => format!("postrider decks check {}", arg(file)),
        Act::Stay(id) => format!("postrider restore {id} --only-here"),
        Act::Insist(insist) => option(insist),
    }
}

/// The option by which one insists.
fn option(insist: &Insist) -> String {
    match insist {
        Insist::Rewritten => "--accept-rewritten".into(),
        Insist::DespiteKey => "--despite-key".into(),
        Insist::OnlyHere(game) => format!("postrider move {} ENTRY --only-here", arg(game)),
        Insist::For(side) => format!("--for {side}"),
        Insist::As(side) => format!("--as {side}"),
        Insist::Time => "--time TIME".into(),
        Insist::OfTime => "--time".into(),
        Insist::ThisTime => "--time 2026-11-21T10:15:00Z".into(),
        Insist::Message => "--message".into(),
        Insist::Unsigned => "--unsigned".into(),
        Insist::To => "--to ADDRESS".into(),
        Insist::Force => "--force".into(),
        Insist::Output => "-o".into(),
        Insist::Open => "--open".into(),
        Insist::Id => "--id".into(),
        Insist::NowhereElse | Insist::Untaken => "--only-here".into(),
        Insist::Passphrase => "--passphrase-from PROGRAM".into(),
    }
}
