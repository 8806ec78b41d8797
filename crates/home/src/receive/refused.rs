//! What is said about a record that is not accepted, and what can be done about it.

use std::path::Path;

use super::event::{Event, Fate};
use super::likeness;
use super::plan::Said;
use super::receiving::Receiving;
use crate::entry::own;
use crate::keys::statements;
use crate::known::copies::KnownGames;
use crate::office::{Notice, Trouble, name};
use crate::receive::decision as receive;
use crate::receive::decision::{Refused, Rivals};
use postrider_board::render::sheet::in_brief;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_referee::judging::in_words;
use postrider_referee::record::{Header, Time};
use postrider_referee::sealing::Statement;
use postrider_referee::verdict::{Opened, Relation, Verdict};

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

/// What the player has said of two keys that claim one seat, in the order in which it is done.
pub(super) struct Between {
    pub(super) says: Vec<Said>,
    /// The fingerprint that is trusted from now on.
    pub(super) trusts: Option<String>,
    /// What is said once it is.
    pub(super) then: Option<Said>,
    /// Whether the letter is held back until the player agrees.
    pub(super) waits: bool,
    /// What becomes of the letter; nothing if its entry is to replace the one here.
    pub(super) fate: Option<Fate>,
}

/// Settles which of two keys is the opponent's, as far as the player has chosen one.
pub(super) fn between(from: &str, id: &str, rivals: &Rivals, header: &Header<'_>, chosen: Option<&str>) -> Between {
    let (word, player) = (header.info.sides[rivals.side.index()].word, header.player(rivals.side));
    let (who, entry) = (printable(&player.name).into_owned(), rivals.entry);
    let (here, there) = (rivals.here.fingerprint(), rivals.there.fingerprint());
    let note = |text: Advice| Said::Notice(Notice::note(text));
    let what = format!("{from}: {id}: two keys claim to be {who} ({word}), each with an entry {entry} of its own");
    let mut says = vec![
        note(what.into()),
        note(format!("  here:     {here}").into()),
        note(format!("  received: {there}").into()),
    ];
    let is_chosen = |key: &str| chosen == Some(key);
    if !is_chosen(&here) && !is_chosen(&there) {
        says.push(Said::Notice(Notice::hint(advice![
            format!(
                "one of the two was written by somebody who has seen the record; ask {who} by some way other than mail which fingerprint is \
                 right, then "
            ),
            Act::Seat,
            "; until then this letter is held back"
        ])));
        return Between { says, trusts: None, then: None, waits: true, fate: Some(Fate::HeldBack) };
    }
    let (then, fate) = if is_chosen(&here) {
        let told =
            format!("{id}: {who} is trusted to sign by {here}: the record here stays, and the letter is dropped");
        (told.into(), Some(Fate::Refused))
    } else if rivals.answered {
        let told = advice![
            format!(
                "{id}: you have made entries after entry {entry} of the other key, and a second one in the same place would speak against \
                 you: begin a new game with {who} ("
            ),
            Act::BeginAnother,
            format!(" with the key {there} declared for {word}), and tell a director both")
        ];
        (told, Some(Fate::Refused))
    } else {
        let told =
            format!("{id}: {who} is trusted to sign by {there}: entry {entry} is replaced by the one in the letter");
        (told.into(), None)
    };
    Between { says, trusts: chosen.map(str::to_owned), then: Some(note(then)), waits: false, fate }
}

/// Whether what is refused is held back, and why; nothing if there is nothing to say. `statements`: what was said of keys.
pub(super) fn why(refused: &Refused, now: Time, statements: &[Statement]) -> Option<(bool, Advice)> {
    let (is_held_back, why) = match refused {
        Refused::Verdict(_) | Refused::Here(_) => return None,
        Refused::Parted(relation) => {
            let (why, _) = receive::parted_in_words(relation)?;
            (false, printable(&why).into_owned())
        }
        Refused::Stranger { from, players } => {
            let who = from.as_deref().map_or_else(|| "no one address".to_owned(), likeness::in_letters);
            let players = players.join(" or ");
            let players = printable(&players);
            (false, format!("it comes from {who}, and its entries can only come from {players}"))
        }
        Refused::Large(why) => (false, why.clone()),
        Refused::OwnSide { entry, line } => (
            false,
            format!(
                "entry {entry} is of your own side, and is not in your record: {}",
                in_brief(&printable(line))
            ),
        ),
        Refused::WhoseSide { entry, line } => (
            false,
            format!(
                "it is not known which side of this game is yours, so that entry {entry} could be made for you by somebody else: {}",
                in_brief(&printable(line))
            ),
        ),
        Refused::Early { entry, time } => {
            let what = format!(
                "entry {entry} is of {time}, more than ten minutes ahead of the clock here ({}); the next ",
                now
            );
            let until = Time(time.0.saturating_sub(postrider_referee::desk::AHEAD));
            return Some((true, advice![what, Act::Receive, format!(" from {until} on takes it")]));
        }
        Refused::Doubtful { claim, since, arrival, left } => (
            true,
            format!(
                "entry {claim} claims that your time ran out, counted from {since}, but entry {} {}: counted from then you had {} left",
                arrival.entry,
                arrival.in_words(),
                in_words(*left)
            ),
        ),
        Refused::Uncommitted(_) => (
            true,
            "the first entry of your opponent has no commitment (Z20), so that less of what that side seals and draws could be proven \
             at the end"
                .to_owned(),
        ),
        Refused::Seat(seat) => (
            true,
            format!(
                "it brings the first entry of your opponent with a new key, {}, and does not show that its writer got a letter of \
                 yours: whoever has seen the record could have written it",
                seat.key.fingerprint()
            ),
        ),
        Refused::Withdrawn(signer) => {
            let key = signer.key.fingerprint();
            let since = statements::since(statements, &key).unwrap_or_default();
            let else_ = "whoever else has that key could have written it";
            (true, format!("it is signed by the key {key}, {since}: {else_}"))
        }
        Refused::Claim { since, sent: (about, sent) } => (
            false,
            format!(
                "it claims that your time ran out, counted from {since}, but your letter about entry {about} was only sent on {sent}: an \
                 answer to it cannot be older"
            ),
        ),
    };
    Some((is_held_back, why.into()))
}

/// What can be done about a record that was refused; `digits` name it if it is held back.
pub(super) fn hint(id: &str, path: &Path, record: &[u8], (refused, digits): (&Refused, String)) -> Option<Advice> {
    let agree = || Act::Agree(id.to_owned(), digits);
    Some(match refused {
        Refused::WhoseSide { .. } => {
            let opened = Opened::new(record).ok()?;
            own::hint(&opened.header, &name(path)).and("; then receive this message again".into())
        }
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
        _ => return None,
    })
}

/// Says that a claim of time conflicts with an entry that was sent before it.
pub(super) fn claim_beside(relation: &Relation, (about, sent): (u32, Time)) -> Option<String> {
    let Relation::Fork(difference) = relation else { return None };
    let claims = difference.there.split(" @").next().is_some_and(|line| line.ends_with(" claim time"));
    (claims && difference.place <= about)
        .then(|| format!("your letter about entry {about} was sent on {sent}; the claim leaves that entry out"))
}
