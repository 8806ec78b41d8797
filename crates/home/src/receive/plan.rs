//! Plans what to do with a received record of a known game, as one value, before anything is done.
//!
//! A plan is made from a decision and the facts here, without reading or writing. `Receiving::carry_out` does what it says, in the order
//! of its fields.

use super::agreed::shown;
use super::event::{Event, Fate, Here};
use super::held::Standing;
use super::likeness;
use super::likeness::Known;
use super::refusal::{Becomes, OfRecord, Refusal, Why};
use super::refused::{KeyFault, hint, left_out};
use crate::invite::invitations;
use crate::keys::statements;
use crate::receive::decision as receive;
use crate::receive::decision::{Accepted, Decision, Invitation, Refused};
use crate::receive::held_back::HeldBack;
use postrider_board::render::sheet::in_brief;
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_referee::desk::AHEAD;
use postrider_referee::record::{Header, Time};
use postrider_referee::sealing::Statement;
use postrider_referee::verdict::Opened;
use std::path::Path;

/// The steps for a record, in order. The lock of the record here is held until it is written.
#[derive(Debug)]
pub(super) struct Plan {
    /// Whether the letter's token and its host's address are noted: the next letter of this game goes out with them.
    pub(super) notes_seat: bool,
    /// Events to report at once.
    pub(super) says: Vec<Event>,
    /// Until when the message is held back, in seconds since 1970.
    pub(super) held_back: Option<i64>,
    /// The newest entry of a record that is refused only because nobody knows who sent it.
    pub(super) stranger: Option<Option<String>>,
    /// Whether both records are kept if they prove something against a player.
    pub(super) keeps_evidence: bool,
    /// The accepted record: its arrival is noted, then the record grows, then the known copy.
    pub(super) takes: Option<(Box<Accepted>, Standing)>,
    /// The record of an invitation, which is stored before anything is reported.
    pub(super) keeps: Option<Vec<u8>>,
    /// Events to report once the record is written.
    pub(super) tells: Vec<Event>,
    /// Warnings about an invitation; those about an accepted record are in its standing.
    pub(super) remarks: Vec<String>,
    /// Its fate. An accepted record may be answered, and so may one without news, because an earlier run may have stopped before it
    /// answered.
    pub(super) fate: Fate,
}

/// The facts for a plan, besides the decision.
#[derive(Clone, Copy)]
pub(super) struct Facts<'f> {
    /// The message, for people.
    pub(super) about: &'f str,
    /// The game.
    pub(super) id: &'f str,
    /// The file here, or what the game is called.
    pub(super) path: &'f Path,
    /// Whether it is one of the player's games rather than an invitation.
    pub(super) is_game: bool,
    /// Whether it is here at all.
    pub(super) is_here: bool,
    /// How many entries there are here.
    pub(super) made: u32,
    /// The record that came.
    pub(super) record: &'f [u8],
    /// The whole of it, while only its beginning is decided on.
    pub(super) whole: &'f [u8],
    /// Whether everything about it is reported.
    pub(super) alone: bool,
    /// The entry that the player's newest letter was about, and when that letter was sent.
    pub(super) sent: Option<(u32, Time)>,
    /// Until when the message is held back already, because of another record in it.
    pub(super) held_back: Option<i64>,
    pub(super) now: Time,
    /// What was said of keys.
    pub(super) statements: &'f [Statement],
}

/// The further facts for an invitation. They are looked up only for a record that passes the checks.
pub(super) struct BesideInvitation<'b> {
    pub(super) header: &'b Header<'b>,
    /// Why its keys are not those expected.
    pub(super) fault: Option<KeyFault>,
    /// Whether the player has declined the game before.
    pub(super) is_declined: bool,
    /// The people whom the player plays, or has a trusted key of.
    pub(super) opponents: &'b [Known],
    /// The player's own address.
    pub(super) own: Option<&'b str>,
}

impl Plan {
    /// Nothing is done, and this is what has become of it.
    fn new(fate: Fate, facts: &Facts<'_>) -> Self {
        Self {
            notes_seat: false,
            says: Vec::new(),
            held_back: facts.held_back,
            stranger: None,
            keeps_evidence: false,
            takes: None,
            keeps: None,
            tells: Vec::new(),
            remarks: Vec::new(),
            fate,
        }
    }

    /// Plans what to do with a record. The decision comes with the standing of the game, or with the fault of its keys.
    pub(super) fn of(decided: Result<(Decision, Result<Standing, KeyFault>), Refused>, facts: &Facts<'_>) -> Self {
        match decided {
            Ok((Decision::Nothing { entries, older, remarks }, _)) => {
                let here = match (older, remarks) {
                    (true, _) => Here::Further,
                    (false, false) => Here::Same,
                    (false, true) => Here::SameButRemarks,
                };
                let told = Event::NothingNew { id: facts.id.to_owned(), entries, here };
                // An invitation waits for an answer, however often it comes.
                let waits = (!facts.is_game).then(|| Event::Invited { id: facts.id.to_owned(), new: None });
                // It is what is expected of a mailbox.
                let tells = Some(told).into_iter().chain(waits).filter(|_| facts.alone).collect();
                Self { notes_seat: true, tells, ..Self::new(Fate::Known, facts) }
            }
            Ok((Decision::Accepted(accepted), Ok(standing))) => {
                let fate = if facts.is_game { Fate::Accepted } else { Fate::Invitation };
                Self { notes_seat: true, takes: Some((accepted, standing)), ..Self::new(fate, facts) }
            }
            Ok((Decision::Accepted(_), Err(why))) => Self { notes_seat: true, ..Self::of_fault(why, facts) },
            Err(refused) => Self::of_refused(refused, facts),
        }
    }

    /// Plans what to do with a record of an unknown game. An invitation that was declined once is not stored again.
    pub(super) fn of_invitation(
        decided: Result<Invitation, Refused>,
        here: BesideInvitation<'_>,
        facts: &Facts<'_>,
    ) -> Self {
        let BesideInvitation { header, fault, is_declined, opponents, own } = here;
        let id = || facts.id.to_owned();
        let invited = match (decided, fault) {
            (Err(refused), _) => return Self::of_refused(refused, facts),
            (Ok(_), Some(fault)) => return Self::of_fault(fault, facts),
            (Ok(_), None) if is_declined => {
                return Self { tells: vec![Event::DeclinedBefore { id: id() }], ..Self::new(Fate::Known, facts) };
            }
            (Ok(invited), None) => invited,
        };
        let names = Side::BOTH.map(|side| invitations::player(header.player(side)));
        let info = format!("{}, {} against {}", header.info.title, names[0], names[1]);
        let strangers = header.players.iter().filter(|player| player.email.as_deref() != own);
        let look_alikes = strangers.filter_map(|player| likeness::look_alike(player, opponents));
        Self {
            notes_seat: true,
            keeps: Some(invited.record),
            tells: vec![Event::Invited { id: id(), new: Some((info, invited.entries)) }],
            remarks: look_alikes.chain(invited.remarks).collect(),
            ..Self::new(Fate::Invitation, facts)
        }
    }

    /// Plans what to do with a record with unexpected keys.
    pub(super) fn of_fault(fault: KeyFault, facts: &Facts<'_>) -> Self {
        let refusal = Refusal::new(facts.about, Some(facts.id), Becomes::Refused, Why::Keys(fault.what));
        let refusal = Refusal { then: fault.then, ..refusal };
        Self { says: vec![Event::Refused(Box::new(refusal))], ..Self::new(Fate::Refused, facts) }
    }

    /// Plans what to do with a refused record: the file here stays as it is. An entry that waits until the player agrees is shown, because
    /// nobody should agree to what they have not seen.
    pub(super) fn of_refused(refused: Refused, facts: &Facts<'_>) -> Self {
        let Facts { about, id, record, .. } = *facts;
        let refused = match refused {
            Refused::Verdict(verdict) | Refused::Here(verdict) => {
                let told = Event::Illegal { about: format!("{about}: {id}"), record: record.to_vec(), verdict };
                return Self { says: vec![told], ..Self::new(Fate::Refused, facts) };
            }
            other => other,
        };
        let held_back = held_back(&refused, facts.held_back);
        let stranger = matches!(refused, Refused::Stranger { .. }).then(|| {
            let newest = Opened::new(record).ok().and_then(|opened| receive::newest(&opened));
            newest.map(|(_, line)| in_brief(&printable(&line)))
        });
        let keeps_evidence = facts.is_here && matches!(refused, Refused::Parted(_) | Refused::Stranger { .. });
        let (fate, becomes) = match waits(&refused) {
            true => (Fate::HeldBack, Becomes::HeldBack),
            false => (Fate::Refused, Becomes::Refused),
        };
        let is_asked = held_back == Some(HeldBack::UNTIL_AGREED);
        let (digits, held) = shown(facts.whole, facts.made).filter(|_| is_asked).unwrap_or_default();
        let advice = hint(id, facts.path, record, (&refused, digits));
        let (differs, left_out) = match &refused {
            Refused::Parted(relation) => {
                let differs = receive::parted_in_words(relation).and_then(|(_, difference)| difference.cloned());
                (differs, facts.sent.filter(|sent| left_out(relation, *sent)))
            }
            _ => (None, None),
        };
        let withdrawn = match &refused {
            Refused::Withdrawn(signer) => statements::since(facts.statements, &signer.key.fingerprint()),
            _ => None,
        };
        let why = OfRecord::Checked { refused, now: facts.now, withdrawn };
        let refusal = Refusal { differs, held, advice, left_out, ..Refusal::new(about, Some(id), becomes, why) };
        let says = vec![Event::Refused(Box::new(refusal))];
        Self { says, held_back, stranger, keeps_evidence, ..Self::new(fate, facts) }
    }
}

/// Whether what is refused waits: for its time, or until the player agrees.
const fn waits(refused: &Refused) -> bool {
    matches!(
        refused,
        Refused::Early { .. }
            | Refused::Doubtful { .. }
            | Refused::Uncommitted(_)
            | Refused::Seat(_)
            | Refused::Withdrawn(_)
    )
}

/// Until when a message is held back because of what is refused in it, or was before.
fn held_back(refused: &Refused, before: Option<i64>) -> Option<i64> {
    match refused {
        Refused::Early { time, .. } => {
            let until = time.0.saturating_sub(AHEAD);
            Some(before.map_or(until, |other| other.max(until)))
        }
        refused if waits(refused) => Some(HeldBack::UNTIL_AGREED),
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::advice::{Act, Advice};
    use postrider_referee::verdict::{Difference, Relation, verify};

    const RECORD: &[u8] =
        b"---\npbem: 1\ngame: asalto\nid: asalto-plan\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
                            started: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";

    fn facts() -> Facts<'static> {
        Facts {
            about: "a letter",
            id: "asalto-plan",
            path: Path::new("games/asalto-plan.pbem"),
            is_game: true,
            is_here: true,
            made: 0,
            record: RECORD,
            whole: RECORD,
            alone: true,
            sent: None,
            held_back: None,
            now: Time(1_000),
            statements: &[],
        }
    }

    fn accepted() -> Decision {
        Decision::Accepted(Box::new(Accepted {
            record: RECORD.to_vec(),
            first: 1,
            last: 1,
            lines: Vec::new(),
            remarks: Vec::new(),
        }))
    }

    /// The one thing that a plan says is not taken.
    fn refusal(plan: &Plan) -> &Refusal {
        match &plan.says[..] {
            [Event::Refused(refusal)] => refusal,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_taken_is_noted_first_and_written_and_an_invitation_only_grows() {
        for (is_game, fate) in [(true, Fate::Accepted), (false, Fate::Invitation)] {
            let plan = Plan::of(Ok((accepted(), Ok(Standing::default()))), &Facts { is_game, ..facts() });
            assert!(plan.notes_seat && plan.takes.is_some() && plan.says.is_empty() && !plan.keeps_evidence);
            assert_eq!((plan.fate, plan.held_back), (fate, None));
        }
    }

    #[test]
    fn what_its_keys_speak_against_is_not_taken() {
        let fault = KeyFault { what: "it declares another key".to_owned(), then: "; ask".into() };
        let plan = Plan::of(Ok((accepted(), Err(fault))), &facts());
        assert!(plan.notes_seat && plan.takes.is_none());
        let Refusal { about, id, becomes, why, then, .. } = refusal(&plan);
        assert_eq!((&**about, id.as_deref(), *becomes), ("a letter", Some("asalto-plan"), Becomes::Refused));
        assert!(matches!(why, Why::Keys(what) if what == "it declares another key"), "{why:?}");
        assert_eq!((then, plan.fate), (&"; ask".into(), Fate::Refused));
    }

    #[test]
    fn nothing_new_in_a_mailbox_is_not_told() {
        let nothing = || Ok((Decision::Nothing { entries: 3, older: true, remarks: false }, Ok(Standing::default())));
        let plan = Plan::of(nothing(), &facts());
        assert!(matches!(&plan.tells[..], [Event::NothingNew { entries: 3, here: Here::Further, .. }]));
        assert!(plan.notes_seat && plan.fate == Fate::Known);
        assert!(Plan::of(nothing(), &Facts { alone: false, ..facts() }).tells.is_empty());
        let invited = Plan::of(nothing(), &Facts { is_game: false, ..facts() });
        assert!(matches!(&invited.tells[..], [Event::NothingNew { .. }, Event::Invited { new: None, .. }]));
    }

    #[test]
    fn e3_what_is_ahead_of_the_clock_waits_until_the_last_of_its_times() {
        let refused = || Refused::Early { entry: 1, time: Time(9_000) };
        for (before, until) in [(None, 9_000 - AHEAD), (Some(100_000), 100_000), (Some(1), 9_000 - AHEAD)] {
            let plan = Plan::of_refused(refused(), &Facts { held_back: before, ..facts() });
            assert_eq!((plan.held_back, plan.fate), (Some(until), Fate::HeldBack));
            let refusal = refusal(&plan);
            assert_eq!((refusal.becomes, refusal.why.rule()), (Becomes::HeldBack, Some("E3")));
            assert!(refusal.then.acts().eq([&Act::Receive]), "{:?}", refusal.then);
            assert!(!plan.notes_seat && !plan.keeps_evidence && plan.stranger.is_none());
        }
    }

    #[test]
    fn what_waits_for_the_player_shows_what_the_player_would_agree_to() {
        let plan = Plan::of_refused(Refused::Uncommitted(Side::Second), &facts());
        assert_eq!((plan.held_back, plan.fate), (Some(HeldBack::UNTIL_AGREED), Fate::HeldBack));
        let Refusal { becomes, why, held, advice, .. } = refusal(&plan);
        assert_eq!((*becomes, why.rule()), (Becomes::HeldBack, Some("Z20")));
        assert_eq!(held[..], ["1 defenders place c6 e6 @2026-11-21T10:15:00Z"]);
        assert!(
            advice.acts().any(|act| matches!(act, Act::Agree(id, digits) if id == "asalto-plan" && digits.len() == 16))
        );
    }

    #[test]
    fn what_may_prove_something_is_kept_and_only_of_a_game_that_is_here() {
        let stranger = || Refused::Stranger { from: None, players: vec!["ada@example.org".to_owned()] };
        let plan = Plan::of_refused(stranger(), &facts());
        assert!(plan.keeps_evidence && plan.fate == Fate::Refused);
        assert_eq!(plan.stranger, Some(Some("1 defenders place c6 e6 @2026-11-21T10:15:00Z".to_owned())));
        assert!(!Plan::of_refused(stranger(), &Facts { is_here: false, ..facts() }).keeps_evidence);
    }

    /// The plan for the record as an invitation, with these beside it.
    fn invited(fault: Option<KeyFault>, is_declined: bool, opponents: &[Known]) -> Plan {
        let opened = Opened::new(RECORD).unwrap();
        let remarks = vec!["its clock is odd".to_owned()];
        let invited = Invitation { id: "asalto-plan".to_owned(), record: RECORD.to_vec(), entries: 1, remarks };
        let own = Some("me@example.org");
        let beside = BesideInvitation { header: &opened.header, fault, is_declined, opponents, own };
        Plan::of_invitation(Ok(invited), beside, &Facts { is_game: false, is_here: false, ..facts() })
    }

    #[test]
    fn an_invitation_is_kept_and_then_told_with_whom_its_players_look_like() {
        let lookalike = Known { name: "Br\u{430}m".to_owned(), address: None };
        let plan = invited(None, false, &[lookalike]);
        assert_eq!((plan.keeps.as_deref(), plan.fate), (Some(RECORD), Fate::Invitation));
        assert!(plan.notes_seat && plan.says.is_empty() && plan.takes.is_none());
        let [Event::Invited { new: Some((info, 1)), .. }] = &plan.tells[..] else { panic!("{plan:?}") };
        assert_eq!(info, "Asalto, Ada against Bram");
        let [lookalike, odd] = &plan.remarks[..] else { panic!("{plan:?}") };
        assert!(lookalike.contains("looks like") && odd == "its clock is odd", "{lookalike}");
    }

    #[test]
    fn nothing_is_kept_of_an_invitation_that_was_declined_or_whose_keys_speak_against_it() {
        let declined = invited(None, true, &[]);
        assert!(matches!(&declined.tells[..], [Event::DeclinedBefore { .. }]) && declined.says.is_empty());
        assert_eq!((declined.keeps.is_some(), declined.notes_seat, declined.fate), (false, false, Fate::Known));
        let fault = || Some(KeyFault { what: "it declares another key".to_owned(), then: Advice::default() });
        for plan in [invited(fault(), false, &[]), invited(fault(), true, &[])] {
            assert!(matches!(refusal(&plan).why, Why::Keys(_)) && plan.keeps.is_none() && plan.tells.is_empty());
            assert_eq!(plan.fate, Fate::Refused);
        }
    }

    #[test]
    fn a_record_that_parts_from_the_one_here_is_shown_beside_it_and_beside_what_was_sent() {
        let here = "2 besiegers c4-c5".to_owned();
        let there = "2 defenders claim time @2026-11-30T00:00:00Z".to_owned();
        let fork = Refused::Parted(Relation::Fork(Difference { place: 2, here, there }));
        let plan = Plan::of_refused(fork, &Facts { sent: Some((2, Time(0))), ..facts() });
        let Refusal { differs: Some(differs), left_out, .. } = refusal(&plan) else { panic!("{plan:?}") };
        assert_eq!(
            (&*differs.here, &*differs.there),
            ("2 besiegers c4-c5", "2 defenders claim time @2026-11-30T00:00:00Z")
        );
        assert_eq!(*left_out, Some((2, Time(0))));
    }

    #[test]
    fn a_record_that_the_rules_refuse_is_told_with_its_verdict_and_holds_nothing_back() {
        let refused = Refused::Verdict(Box::new(verify(b"no record")));
        let plan = Plan::of(Err(refused), &facts());
        assert!(matches!(&plan.says[..], [Event::Illegal { about, .. }] if about == "a letter: asalto-plan"));
        assert_eq!((plan.held_back, plan.fate), (None, Fate::Refused));
    }
}
