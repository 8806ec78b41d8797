//! What is not taken of a letter, as data: which letter and game, why and by which rule, what stands there instead, and what may be done.
//! What is wrong says itself; whoever hears of it ([`Event::Refused`](super::Event::Refused)) puts the rest into words.

use super::decision::Refused;
use super::held_back::FAR;
use super::likeness;
use crate::invite::kept::InvitationError;
use postrider_board::render::sheet::in_brief;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::{entries, printable};
use postrider_mail::incoming::Unreadable;
use postrider_referee::desk::AHEAD;
use postrider_referee::desk::block::{Fault, Gap};
use postrider_referee::judging::in_words;
use postrider_referee::record::Time;
use postrider_referee::verdict::Difference;

/// Something in a letter that is not taken, or not yet.
#[derive(Debug)]
pub struct Refusal {
    /// The message, for people.
    pub about: String,
    /// The game, if it is known which.
    pub id: Option<String>,
    /// What becomes of it.
    pub becomes: Becomes,
    pub why: Why,
    /// What may be done, said in the same sentence.
    pub then: Advice,
    /// Where it differs from what is here, if that is why.
    pub differs: Option<Difference>,
    /// The entries that the player would agree to, in brief.
    pub held: Vec<String>,
    /// What may be done, said by itself.
    pub advice: Advice,
    /// The entry that a letter of the player's was about which a claim of time leaves out, and when that letter was sent.
    pub left_out: Option<(u32, Time)>,
}

impl Refusal {
    /// What is refused or held back, with nothing beside it.
    pub(super) fn new(about: impl Into<String>, id: Option<&str>, becomes: Becomes, why: impl Into<Why>) -> Self {
        let why = why.into();
        Self {
            about: about.into(),
            id: id.map(str::to_owned),
            becomes,
            then: why.then(),
            why,
            differs: None,
            held: Vec::new(),
            advice: Advice::default(),
            left_out: None,
        }
    }

    /// What is not taken, in the order in which it is read: why, what stands there instead, and what may be done, in the words of `written`.
    #[must_use]
    pub fn told(&self, written: impl Fn(&Advice) -> String) -> Vec<Told> {
        let Self { about, id, becomes, why, then, differs, held, advice, left_out } = self;
        let game = id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
        let why = written(&why.to_string().into());
        let mut told = vec![Told::Why(format!("{about}: {game}{}{why}{}", becomes.in_words(), written(then)))];
        if let Some(Difference { here, there, .. }) = differs {
            let text = |text: &str| if text.is_empty() { "(nothing)".into() } else { printable(text).into_owned() };
            told.push(Told::Beside(format!("  here:     {}", text(here))));
            told.push(Told::Beside(format!("  received: {}", text(there))));
        }
        told.extend(held.iter().map(|line| Told::Beside(format!("  held:     {line}"))));
        told.extend((!advice.0.is_empty()).then(|| Told::Advice(written(advice))));
        told.extend(left_out.map(|(about, sent)| {
            let note = format!("your letter about entry {about} was sent on {sent}; the claim leaves that entry out");
            Told::Beside(format!("{game}note: {}", written(&note.into())))
        }));
        told
    }
}

/// A part of what is said of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Which letter, which game, what becomes of it, and why.
    Why(String),
    /// What stands beside that.
    Beside(String),
    /// What may be done.
    Advice(String),
}

/// What becomes of what is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Nothing comes of it.
    Refused,
    /// It is read again when there is room.
    ReadAgain,
    /// It waits for its time, or until the player agrees.
    HeldBack,
    /// The player is to say what it means.
    Open,
}

impl Becomes {
    fn in_words(self) -> &'static str {
        match self {
            Self::Refused => "refused: ",
            Self::ReadAgain => "refused for now: ",
            Self::HeldBack => "held back: ",
            Self::Open => "",
        }
    }
}

/// Why something is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// The message as a whole.
    #[error(transparent)]
    Message(#[from] OfMessage),
    #[error("{}", of_record(.0))]
    Record(Box<OfRecord>),
    /// Its keys are not those expected.
    #[error("{0}")]
    Keys(String),
    /// A block of entries.
    #[error(transparent)]
    Block(#[from] OfBlock),
    /// A reply without a record.
    #[error(transparent)]
    Reply(#[from] OfReply),
}

/// Why nothing of a message is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfMessage {
    /// It did not arrive whole.
    #[error("{0}")]
    Damaged(String),
    /// What is named like a record does not begin like one, but like this.
    #[error(
        "its attachment is named like a record but does not begin like one{}: a record is UTF-8 text that begins with a line `---`",
        .0.as_ref().map(|what| format!(": {what}")).unwrap_or_default()
    )]
    Unlike(Option<String>),
    /// This server says that its sender is forged.
    #[error("{} says that its sender is forged (dmarc=fail)", printable(.0))]
    Forged(String),
    /// A program may have answered by itself; what it says.
    #[error(
        "it is marked `Precedence: bulk`, as some programs mark their answers, so nothing is entered from it: if a person wrote it, ask for \
         the move once more or enter it yourself; it says: {0}"
    )]
    PerhapsAuto(String),
    /// What may hold a record cannot be read.
    #[error("{}", .0.in_words())]
    Unreadable(Unreadable),
    /// It is to be held back, and there is no room for it.
    #[error(
        "there is no room to hold it back, because too many messages are held back already: ask its sender for it again later"
    )]
    NoRoom,
}

/// Why a record is not taken.
#[derive(Debug)]
pub enum OfRecord {
    /// What a check found; the time at which it was read, and what is said of the key that has signed it.
    Checked {
        /// What it found.
        refused: Refused,
        /// The time at which it was read.
        now: Time,
        /// Since when the key counts as withdrawn by which it is signed.
        withdrawn: Option<String>,
    },
    /// It is a practice game against the machine (E12).
    Practice,
    /// There is no room for an invitation.
    NoRoom(InvitationError),
    /// Two keys claim one seat.
    TwoKeys {
        /// The player, safe to show.
        who: String,
        /// The word for the side.
        side: &'static str,
        /// The number of the first entry of each key.
        entry: u32,
    },
}

/// Why a block of entries is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfBlock {
    /// Its game is not here.
    #[error("it brings {} of a game that is not here; ask for its record, as an attachment", brings(*.first, *.last))]
    NotHere {
        /// Its first entry.
        first: u32,
        last: u32,
    },
    /// It does not continue the record here.
    #[error("it brings {}, {}", brings(*.first, *.last), lacking(*.first, .gap))]
    Apart {
        /// Its first entry.
        first: u32,
        last: u32,
        /// Why.
        gap: Gap,
    },
    /// It cannot be read, not even which it is.
    #[error("a block of entries in it cannot be read: {0}")]
    Nameless(Fault),
    #[error(
        "its {} cannot be read: {fault}; ask for it again, or for the record as an attachment",
        if .first > .last { "block with the game".to_owned() } else { format!("block of entries {first}-{last}") }
    )]
    Damaged {
        /// Its first entry; behind its last, if it brings a whole game.
        first: u32,
        last: u32,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// Why nothing is entered from a reply without a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfReply {
    /// Its writer plays more than one game here.
    #[error("it seems to be a move, and does not say in which of these games: {}", .0.join(", "))]
    WhichGame(Vec<String>),
    /// Nobody knows which side is the player's.
    #[error("your side of this game is not known")]
    WhoseSide,
    /// Its writer is not the opponent.
    #[error(
        "it comes from {who}, and {}",
        match players.as_slice() {
            [] => "the record gives no address from which a reply could come".to_owned(),
            players => format!("replies in this game can only come from {}", players.join(" or ")),
        }
    )]
    NotOpponent {
        who: String,
        /// The addresses from which one may come.
        players: Vec<String>,
    },
    /// It may decline the game.
    #[error("it seems to decline, and that is not certain")]
    PerhapsDeclines,
    /// This player has a record, and sent a move alone.
    #[error(
        "ask {0} for the block or the record: a move alone is read only in an open game whose opponent has nothing but a mail program, by the \
         one who keeps its record"
    )]
    NeedsRecord(String),
    /// Nobody can enter anything for another in this game.
    #[error(
        "it is a reply without a record, and in a {} nobody can enter anything for another",
        if *.sealed { "sealed or signed game" } else { "signed game" }
    )]
    Closed {
        /// Whether the game is sealed.
        sealed: bool,
    },
    /// The game is over (E4).
    #[error("the game is over (E4)")]
    Over,
    /// It answers an entry that is not here.
    #[error(
        "it is about entry {about}, but the record here has {}, and no record is attached: ask its sender to attach it",
        entries(*.here)
    )]
    Ahead {
        /// The entry that it answers.
        about: u32,
        /// How many are here.
        here: u32,
    },
    #[error(
        "it answers the letter about entry {about}, which is not the newest: the record has {}",
        entries(*.here)
    )]
    Outdated {
        /// The entry that the letter was about.
        about: u32,
        /// How many are here.
        here: u32,
    },
    /// It answers another course of the game.
    #[error(
        "its subject names the digest {} of the record up to entry {entry}, and the one here is {here}: the game here took \
         another course",
        printable(.there)
    )]
    OtherCourse {
        entry: u32,
        /// The digest in its subject.
        there: String,
        /// The digest here.
        here: String,
    },
    /// It asks for what no entry says.
    #[error("it asks for what no entry says: {0}")]
    Wish(String),
    /// Its writer is not due (E7).
    #[error("its sender is not due")]
    OutOfTurn,
    /// It names these entries, and is not certainly one of them.
    #[error("it mentions {0} without saying that this is the entry")]
    Mentions(String),
    /// It can be read in more than one way.
    #[error("it can be read as different entries: {0}")]
    Ambiguous(String),
    /// It offers a draw alone (E5).
    #[error("it offers a draw without an entry, or before it may be offered (E5)")]
    OfferAlone,
    /// Its writer does not want to play.
    #[error("its writer does not want to play")]
    Declines,
    /// Its entry is not possible now.
    #[error("{0}")]
    Impossible(String),
    /// The rules refuse its entry, as its writer is told.
    #[error("the entry in it is refused")]
    Illegal,
    /// No entry is like it; this line is the nearest.
    #[error("no legal entry was found in it; the nearest is `{}`", printable(.0))]
    NoEntry(String),
    /// It says nothing.
    #[error("it has no text of its own")]
    Empty,
}

impl From<OfRecord> for Why {
    fn from(why: OfRecord) -> Self {
        Self::Record(Box::new(why))
    }
}

impl Why {
    /// The rule by which it is refused, if there is one.
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Record(record) => match &**record {
                OfRecord::Practice => Some("E12"),
                OfRecord::Checked { refused: Refused::Early { .. }, .. } => Some("E3"),
                OfRecord::Checked { refused: Refused::Uncommitted(_), .. } => Some("Z20"),
                OfRecord::Checked { refused: Refused::Withdrawn(_), .. } => Some("Z36"),
                OfRecord::Checked { .. } | OfRecord::NoRoom(_) | OfRecord::TwoKeys { .. } => None,
            },
            Self::Reply(OfReply::Over) => Some("E4"),
            Self::Reply(OfReply::OfferAlone) => Some("E5"),
            Self::Reply(OfReply::OutOfTurn) => Some("E7"),
            Self::Message(_) | Self::Keys(_) | Self::Block(_) | Self::Reply(_) => None,
        }
    }

    /// What may be done, as the end of the sentence that says why.
    fn then(&self) -> Advice {
        match self {
            Self::Record(record) => match &**record {
                OfRecord::Checked { refused: Refused::Early { time, .. }, now, .. } => {
                    let until = Time(time.0.saturating_sub(AHEAD));
                    let is_far = time.0 > now.0.saturating_add(FAR);
                    let asks = if is_far {
                        "; if its sender's clock is wrong, ask for the entry with the right time"
                    } else {
                        ""
                    };
                    advice!["; the next ", Act::Receive, format!(" from {until} on takes it{asks}")]
                }
                OfRecord::NoRoom(InvitationError::Full) => "; this letter will be read again when there is room".into(),
                _ => Advice::default(),
            },
            Self::Reply(OfReply::Closed { sealed }) => {
                let open = if *sealed { "an open game" } else { "an open game without keys" };
                advice![format!(": play {open} with this opponent ("), Act::NewByMail, ")"]
            }
            _ => Advice::default(),
        }
    }
}

/// Which entries a block brings.
fn brings(first: u32, last: u32) -> String {
    if first == last { format!("entry {first}") } else { format!("entries {first} to {last}") }
}

/// Why a block with this first entry does not continue the record here, and what to ask for.
fn lacking(first: u32, gap: &Gap) -> String {
    match gap {
        Gap::Here => "and your own record is not legal".to_owned(),
        Gap::Missing { have } => {
            let lacking = match (have.saturating_add(1), first.saturating_sub(1)) {
                (one, other) if one == other => format!("entry {one} is"),
                (one, other) => format!("entries {one} to {other} are"),
            };
            format!("and {lacking} missing here; ask for those, or for the whole record as an attachment")
        }
        Gap::Parted => {
            "and what comes before differs from the record here; ask for the whole record, as an attachment, which shows where".to_owned()
        }
    }
}

/// Why a record is not taken.
fn of_record(why: &OfRecord) -> String {
    match why {
        OfRecord::Checked { refused, now, withdrawn } => of_checked(refused, *now, withdrawn.as_deref()),
        OfRecord::Practice => "it is a practice game against the machine, which is not mailed (E12)".to_owned(),
        OfRecord::NoRoom(error) => error.to_string(),
        OfRecord::TwoKeys { who, side, entry } => {
            format!("two keys claim to be {who} ({side}), each with an entry {entry} of its own")
        }
    }
}

/// What a check has found, for the player whose game it is.
fn of_checked(refused: &Refused, now: Time, withdrawn: Option<&str>) -> String {
    match refused {
        Refused::Verdict(_) | Refused::Here(_) | Refused::Large(_) => refused.to_string(),
        Refused::Parted(_) => printable(&refused.to_string()).into_owned(),
        Refused::Stranger { from, players } => {
            let who = from.as_deref().map_or_else(|| "no one address".to_owned(), likeness::in_letters);
            let players = players.join(" or ");
            let players = printable(&players);
            format!("it comes from {who}, and its entries can only come from {players}")
        }
        Refused::OwnSide { entry, line } => {
            format!("entry {entry} is of your own side, and is not in your record: {}", in_brief(&printable(line)))
        }
        Refused::WhoseSide { entry, line } => format!(
            "your side of this game is not known, so that entry {entry} could be made for you by somebody else: {}",
            in_brief(&printable(line))
        ),
        Refused::Early { entry, time } => {
            format!("entry {entry} is of {time}, more than ten minutes ahead of the clock here ({now})")
        }
        Refused::Doubtful { claim, since, arrival, left } => format!(
            "entry {claim} claims that your time ran out, counted from {since}, but entry {} {}: counted from then you had {} left",
            arrival.entry,
            arrival.in_words(),
            in_words(*left)
        ),
        Refused::Uncommitted(_) => {
            "the first entry of your opponent has no commitment (Z20), so that less of what that side seals and draws could be proven at the \
             end"
                .to_owned()
        }
        Refused::Seat(seat) => format!(
            "it brings the first entry of your opponent with a new key, {}, and does not show that its writer got a letter of yours: anybody \
             who has seen the record could have written it",
            seat.key.fingerprint()
        ),
        Refused::Withdrawn(signer) => format!(
            "it is signed by the key {}, {}: anybody else who has that key could have written it",
            signer.key.fingerprint(),
            withdrawn.unwrap_or_default()
        ),
        Refused::Claim { since, sent: (about, sent) } => format!(
            "it claims that your time ran out, counted from {since}, but your letter about entry {about} was only sent on {sent}: an answer to \
             it cannot be older"
        ),
    }
}

/// How two keys that claim one seat were settled by the player's word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Settled {
    /// The key here is the right one.
    #[error("{who} is trusted to sign by {key}: the record here stays, and the letter is dropped")]
    Stays {
        /// The player, safe to show.
        who: String,
        /// The fingerprint of the right key.
        key: String,
    },
    /// The other key is the right one, and the player has gone on from the entry here.
    #[error(
        "you have made entries after entry {entry} of the other key, and a second one in the same place would speak against you"
    )]
    Answered {
        /// The number of that entry.
        entry: u32,
    },
    /// The other key is the right one, and its entry takes the place of the one here.
    #[error("{who} is trusted to sign by {key}: entry {entry} is replaced by the one in the letter")]
    Replaced {
        /// The player, safe to show.
        who: String,
        /// The fingerprint of the right key.
        key: String,
        /// The number of the entry.
        entry: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_in_one_order_and_in_the_words_of_who_tells_it() {
        let mut refusal = Refusal::new("letter 1", Some("asalto-1"), Becomes::HeldBack, OfReply::Over);
        refusal.held = vec!["3 besiegers c4-c5".to_owned()];
        refusal.advice = advice![Act::Receive, " takes it"];
        refusal.left_out = Some((2, Time(0)));
        let told = refusal.told(|advice| advice.in_words(|_| "it".into()).replace("entry", "move"));
        assert_eq!(
            told,
            [
                Told::Why("letter 1: asalto-1: held back: the game is over (E4)".into()),
                Told::Beside("  held:     3 besiegers c4-c5".into()),
                Told::Advice("it takes it".into()),
                Told::Beside(format!(
                    "asalto-1: note: your letter about move 2 was sent on {}; the claim leaves that move out",
                    Time(0)
                )),
            ]
        );
    }
}
