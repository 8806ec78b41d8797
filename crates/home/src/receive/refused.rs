//! What can be done about a record that is not accepted, and what the player has said of two keys that claim one seat.

use std::path::Path;

use super::event::{Event, Fate};
use super::receiving::Receiving;
use super::refusal::{Becomes, OfRecord, Refusal, Settled};
use crate::entry::own;
use crate::known::copies::KnownGames;
use crate::office::{Trouble, name};
use crate::receive::decision::{Refused, Rivals};
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_referee::record::{Header, Time};
use postrider_referee::verdict::{Difference, Opened, Relation, Verdict};

/// By what way to ask an opponent.
const ELSEWHERE: &str = "ask your opponent by some way other than mail whether";

impl Receiving<'_> {
    /// Tells of a record that is refused by the rules.
    pub(super) fn illegal(&self, about: String, record: &[u8], verdict: Box<Verdict>) -> Fate {
        self.hear(Event::Illegal { about, record: record.to_vec(), verdict });
        Fate::Refused
    }

    /// Keeps a copy of a record that is about to be replaced.
    pub(super) fn set_aside(&self, id: &str, record: &[u8]) -> Result<(), Trouble> {
        let aside = KnownGames::new(self.office.folders()).set_aside(id, record).map_err(Trouble::File)?;
        self.note(format!("{id}: the record as it was is kept in {}", name(&aside)));
        Ok(())
    }
}

/// Why the keys of a record are not those expected, and what may be done, said in the same sentence.
#[derive(Debug)]
pub(super) struct KeyFault {
    pub(super) what: String,
    pub(super) then: Advice,
}

/// What the player has said of two keys that claim one seat, in the order in which it is done.
pub(super) struct Between {
    /// That they do.
    pub(super) refusal: Refusal,
    /// The fingerprint that is trusted from now on.
    pub(super) trusts: Option<String>,
    /// What is told once it is.
    pub(super) then: Option<Event>,
    /// Whether the letter is held back until the player agrees.
    pub(super) waits: bool,
    /// What becomes of the letter; nothing if its entry is to replace the one here.
    pub(super) fate: Option<Fate>,
}

/// Settles which of two keys is the opponent's, as far as the player has chosen one.
pub(super) fn between(from: &str, id: &str, rivals: &Rivals, header: &Header<'_>, chosen: Option<&str>) -> Between {
    let (side, player) = (header.info.sides[rivals.side.index()].word, header.player(rivals.side));
    let (who, entry) = (printable(&player.name).into_owned(), rivals.entry);
    let (here, there) = (rivals.here.fingerprint(), rivals.there.fingerprint());
    let is_chosen = |key: &str| chosen == Some(key);
    let why = OfRecord::TwoKeys { who: who.clone(), side, entry };
    let differs = Some(Difference { place: entry, here: here.clone(), there: there.clone() });
    let refusal = Refusal { differs, ..Refusal::new(from, Some(id), Becomes::Open, why) };
    if !is_chosen(&here) && !is_chosen(&there) {
        let ask = format!(
            "one of the two was written by somebody who has seen the record; ask {who} by some way other than mail which fingerprint is \
             right, then "
        );
        let advice = advice![ask, Act::Seat, "; until then this letter is held back"];
        let refusal = Refusal { advice, ..refusal };
        return Between { refusal, trusts: None, then: None, waits: true, fate: Some(Fate::HeldBack) };
    }
    let (how, then, fate) = if is_chosen(&here) {
        (Settled::Stays { who, key: here }, Advice::default(), Some(Fate::Refused))
    } else if rivals.answered {
        let then = advice![
            format!(": begin a new game with {who} ("),
            Act::BeginAnother,
            format!(" with the key {there} declared for {side}), and tell a director both")
        ];
        (Settled::Answered { entry }, then, Some(Fate::Refused))
    } else {
        (Settled::Replaced { who, key: there, entry }, Advice::default(), None)
    };
    let then = Some(Event::Settled { id: id.to_owned(), how, then });
    Between { refusal, trusts: chosen.map(str::to_owned), then, waits: false, fate }
}

/// What can be done about a record that was refused, if anything; `digits` name it if it is held back.
pub(super) fn hint(id: &str, path: &Path, record: &[u8], (refused, digits): (&Refused, String)) -> Advice {
    let agree = || Act::Agree(id.to_owned(), digits);
    match refused {
        Refused::WhoseSide { .. } => match Opened::new(record) {
            Ok(opened) => own::hint(&opened.header, &name(path)).and("; then receive this message again".into()),
            Err(_) => Advice::default(),
        },
        Refused::Doubtful { .. } => advice![
            "the game goes on here: enter your move, and tell your opponent or a director both times (",
            Act::Rules("mail", None),
            " says what counts as evidence); ",
            agree(),
            " takes the claim"
        ],
        Refused::Uncommitted(_) => advice![
            "ask your opponent to enter it once more with one, as every current program does; ",
            agree(),
            " plays on without"
        ],
        Refused::Seat(_) => advice![format!("{ELSEWHERE} that key is theirs; "), agree(), " takes it"],
        Refused::Withdrawn(_) => {
            advice![format!("{ELSEWHERE} they have made this entry; "), agree(), " takes it, and the game goes on"]
        }
        _ => Advice::default(),
    }
}

/// Whether what came claims time without the entry that the player's letter, sent at this time, was about.
pub(super) fn left_out(relation: &Relation, (about, _): (u32, Time)) -> bool {
    let Relation::Fork(difference) = relation else { return false };
    let claims = difference.there.split(" @").next().is_some_and(|line| line.ends_with(" claim time"));
    claims && difference.place <= about
}
