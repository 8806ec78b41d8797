//! What the host did about a letter, a clock or a game, and the words that its log has for it.

use std::fmt;

use super::commands::Command;
use postrider_home::receive::decision::Refused;
use postrider_kernel::text::capital;

/// What the host did. What somebody wrote is in none of the words for it, and no token.
#[derive(Debug)]
pub(super) enum Did {
    // The letter is not read.
    NoMessage,
    NotFromOne,
    ByProgram,
    Forged,
    Unproven,
    TokenMissing,
    TokenFromElsewhere,
    TooMuch,
    Waiting,
    LikeProgram,
    // What a person asks of the host.
    NotUnderstood,
    ToBeConfirmed,
    YesToNothing,
    KeyWithdrawn,
    NoLettersWanted,
    AskedIfWanted,
    NeverAgain,
    LettersAgain,
    PlaysStill,
    Forgotten,
    DeliveryReport,
    /// A command was done.
    Asked(Command),
    // Games begin, or do not.
    NoSuchGame,
    TooManyGames,
    NamesSide,
    Waits,
    WaitsForTooMany,
    InvitesNobody,
    Unwritable,
    WaitsForOther,
    Agreed,
    Declined,
    DeclinedBefore,
    NeitherYesNorNo,
    Invited(String),
    Paired(String),
    // A seat moves to another address, or does not.
    AsksHowToMove,
    AsksForSeat,
    TooManyAddresses,
    PlaysAlready,
    OldAddressYes,
    NewAddressYes,
    SeatMoves,
    NoSeatMoves,
    NoSeatMovesHere,
    NoSeatMovesNow,
    AddressSeen,
    AddressSeenNoteDamaged,
    // An entry is made in words, or is not.
    NoWords,
    NotYet,
    Wished,
    ResignsNext,
    OfAnotherGame,
    MadeHere,
    LongAgo,
    WantsNoGame,
    NotOneEntry,
    Illegal,
    NotDue,
    Outdated,
    GameOver,
    EntersByProgram,
    Unplayable,
    AskedIfOfProgram,
    NotForced,
    /// In this game.
    Entered(String),
    // What a program sends is taken, or is not.
    BlockRefused,
    NothingNew,
    AskedBack,
    /// Entries were taken in this game.
    Taken(String),
    /// What stands behind the last entry of this game was taken.
    TakenAsides(String),
    Refused(Box<Refused>),
    // Words are passed on, or are not.
    PassedOn,
    NotPassedOn,
    AskedToPassOn,
    NothingToPassOn,
    TooMuchToPassOn,
    Uncertain,
    // Time.
    ClaimWaits,
    ClaimEntered,
    Claimed,
    NoClaim,
    Lapsed,
    LapsedBefore,
    // A game that was restored, or cannot be played.
    Unsure,
    NothingNewer,
    BothNothingNewer,
    LongerRecord,
    Sure,
    Ailing,
    AilingKept,
    AilingNotTaken,
    Mended,
    // The post, and the disk.
    LetterOwed,
    NoLetterMade,
    Sent,
    NotSent,
    RefusedForGood,
    NotRead,
    ClockNotRead,
    SetAside,
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked(command) => return write!(f, "asked: {}", word(command)),
            Self::Invited(id) => return write!(f, "invited: {id}"),
            Self::Paired(id) => return write!(f, "paired: {id}"),
            Self::Entered(id) => return write!(f, "entered: {id}"),
            Self::Taken(id) => return write!(f, "taken: {id}"),
            Self::TakenAsides(id) => return write!(f, "taken: what stands behind the last entry of {id}"),
            Self::Refused(why) => return write!(f, "refused: {}", capital(&why.to_string())),
            Self::NoMessage => "no message",
            Self::NotFromOne => "not from one address",
            Self::ByProgram => "written by a program: not answered",
            Self::Forged => "refused: the sender is forged (DMARC)",
            Self::Unproven => "without the proof of its sender that letters of this seat had: not taken",
            Self::TokenMissing => "without a token: not taken",
            Self::TokenFromElsewhere => "a token from elsewhere: not taken",
            Self::TooMuch => "too much for a day: not answered",
            Self::Waiting => "waits until others have got their first letters",
            Self::LikeProgram => "the same words again, or faster than a person, as from a program: not answered",
            Self::NotUnderstood => "not understood",
            Self::ToBeConfirmed => "to be confirmed",
            Self::YesToNothing => "yes to nothing",
            Self::KeyWithdrawn => "a withdrawn key",
            Self::NoLettersWanted => "wants no letters: not answered",
            Self::AskedIfWanted => "asked whether letters are wanted",
            Self::NeverAgain => "never again",
            Self::LettersAgain => "gets letters again",
            Self::PlaysStill => "wants to be forgotten, and plays still",
            Self::Forgotten => "forgotten",
            Self::DeliveryReport => "a report of what was not delivered",
            Self::NoSuchGame => "no such game",
            Self::TooManyGames => "too many games",
            Self::NamesSide => "names a side",
            Self::Waits => "waits",
            Self::WaitsForTooMany => "waits for too many games",
            Self::InvitesNobody => "invites nobody",
            Self::Unwritable => "the opponent cannot be written to",
            Self::WaitsForOther => "waits for the other",
            Self::Agreed => "accepted",
            Self::Declined => "declined",
            Self::DeclinedBefore => "declined before",
            Self::NeitherYesNorNo => "neither yes nor no",
            Self::AsksHowToMove => "asks how to move",
            Self::AsksForSeat => "asks for a new address",
            Self::TooManyAddresses => "too many new addresses for a day: not asked",
            Self::PlaysAlready => "plays in it already",
            Self::OldAddressYes => "the old address says yes",
            Self::NewAddressYes => "the new address says yes",
            Self::SeatMoves => "the old address says yes: the seat moves",
            Self::NoSeatMoves => "no seat moves",
            Self::NoSeatMovesHere => "no seat moves here",
            Self::NoSeatMovesNow => "no seat moves in a game that cannot be played for now",
            Self::AddressSeen => "a reply address was seen by others: it is void, and there is another",
            Self::AddressSeenNoteDamaged => {
                "a reply address was seen by others, and what is noted of its game is damaged"
            }
            Self::NoWords => "no words",
            Self::NotYet => "not yet",
            Self::Wished => "told what can be done",
            Self::ResignsNext => "resigns with the next entry",
            Self::LongAgo => "a letter of long ago: nothing was entered",
            Self::MadeHere => "an entry was made here: both are told",
            Self::OfAnotherGame => "about another game: not entered",
            Self::WantsNoGame => "wants no game",
            Self::NotOneEntry => "refused",
            Self::Illegal => "refused by the rules",
            Self::NotDue => "refused: not due",
            Self::Outdated => "refused: it answers an earlier letter",
            Self::GameOver => "refused: the game is over (E4)",
            Self::EntersByProgram => "refused: that side enters by its own program",
            Self::Unplayable => "refused: the game cannot be played for now",
            Self::AskedIfOfProgram => "asked: if, of a program",
            Self::NotForced => "what is forced cannot be entered",
            Self::BlockRefused => "refused: a block of entries",
            Self::NothingNew => "nothing new",
            Self::AskedBack => "asked back: its time",
            Self::PassedOn => "passed on",
            Self::NotPassedOn => "not passed on",
            Self::AskedToPassOn => "asked whether to pass it on",
            Self::NothingToPassOn => "nothing to pass on",
            Self::TooMuchToPassOn => "too much for a day: not passed on",
            Self::Uncertain => "not certain: asked back",
            Self::ClaimWaits => "a claim that waits",
            Self::ClaimEntered => "time was up: a claim was entered",
            Self::Claimed => "time was up: claimed",
            Self::NoClaim => "time cannot be claimed",
            Self::Lapsed => "lapsed: the first entry was never made",
            Self::LapsedBefore => "lapsed before",
            Self::Unsure => "unsure since a restore: both are asked",
            Self::NothingNewer => "has nothing newer",
            Self::BothNothingNewer => "both have nothing newer: the game goes on",
            Self::LongerRecord => "a longer record: the game goes on",
            Self::Sure => "a game is no longer unsure",
            Self::Ailing => "a game cannot be played",
            Self::AilingKept => "kept until its game is mended",
            Self::AilingNotTaken => "not taken: its game cannot be played",
            Self::Mended => "a game can be played again",
            Self::LetterOwed => "a letter is owed",
            Self::NoLetterMade => "no letter can be made",
            Self::Sent => "sent",
            Self::NotSent => "not sent",
            Self::RefusedForGood => "refused for good",
            Self::NotRead => "not read for now",
            Self::ClockNotRead => "a clock is not looked at for now",
            Self::SetAside => "set aside: the record was changed by somebody else",
        })
    }
}

/// The word for a command.
fn word(command: &Command) -> &'static str {
    match command {
        Command::Help => "help",
        Command::Games => "games",
        Command::Rules(..) => "rules",
        Command::Play(_) => "play",
        Command::Yes => "yes",
        Command::No => "no",
        Command::Never => "never",
        Command::ForgetMe => "forget me",
        Command::Write => "letters again",
        Command::Resign(_) => "resign",
        Command::PassOn(_) => "pass on",
        Command::Show => "show",
        Command::Record => "record",
        Command::Page => "page",
        Command::MyGames => "my games",
        Command::Watch(_) => "watch",
        Command::Unwatch(_) => "unwatch",
        Command::Standings => "standings",
        Command::NewAddress | Command::Moves(_) | Command::MovesHere(..) => "new address",
        Command::Name(_) => "name",
        Command::Key(_) | Command::Prove(_) => "key",
        Command::Again => "again",
        Command::If(_) => "if",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_log_name_the_game_and_nothing_that_was_written() {
        let secret = "if c4-c5 then b4-c4";
        let id = || "asalto-x-1".to_owned();
        for (did, words) in [
            (Did::Asked(Command::If(secret.to_owned())), "asked: if"),
            (Did::Asked(Command::Name(secret.to_owned())), "asked: name"),
            (Did::Entered(id()), "entered: asalto-x-1"),
            (Did::TakenAsides(id()), "taken: what stands behind the last entry of asalto-x-1"),
            (Did::Refused(Box::new(Refused::Large("it is too long".to_owned()))), "refused: It is too long"),
            (Did::ByProgram, "written by a program: not answered"),
        ] {
            assert_eq!(did.to_string(), words);
        }
    }
}
