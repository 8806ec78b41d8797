//! What happens to a record that arrives by mail: it is compared with the one here, and accepted, ignored or refused.
//! Pure: bytes in, a decision out. The verdict on a record never depends on who sent it or when.

mod case;
mod claims;
mod join;
mod receipts;
mod seat;

use case::{FAR, LETTER_ASIDES, MESSAGES, RECORD_ASIDES, count, entries_from};
use join::{behind_last_entry, ended, has_new_asides, is_aside, joined};
use postrider_kernel::Side;
pub use postrider_referee::desk::{AHEAD, Answer, Desk, Entered, EntryRequest, MESSAGE, Refusal};
use postrider_referee::record::{Entry, Header};
use postrider_referee::sealing::KeyStore;
use postrider_referee::verdict::{Opened, Relation, Ruling, Verdict, compare, compare_alike};
use receipts::with_receipts;

pub use case::{Accepted, Decision, Invitation, Provenance, Refused, parted_in_words};
pub use claims::{Arrival, before_claim, claim_against_new, is_won, is_won_for_certain, odd_clock};
pub use join::unix;
pub use seat::{Rivals, Taken, rivals, taken};

/// Decides on a record of a game that is here.
///
/// # Errors
/// Why it is refused.
pub fn decide(here: &[u8], there: &[u8], letter: &Provenance<'_>) -> Result<Decision, Refused> {
    let own = legal(here).map_err(Refused::Here)?;
    decide_on(&own, there, letter, |_| ()).map(|(decision, _)| decision)
}

/// Like [`decide`], for a record that was replayed already and is legal. If entries are accepted, `look` sees the game as it will
/// stand, so that it need not be replayed again for that.
///
/// # Errors
/// Why it is refused.
pub fn decide_on<T>(
    own: &Opened<'_>,
    there: &[u8],
    letter: &Provenance<'_>,
    look: impl FnOnce(&Opened<'_>) -> T,
) -> Result<(Decision, Option<T>), Refused> {
    let there = unix(there);
    decide_between(own, Opened::new(&there).map_err(Refused::Verdict)?, letter, look)
}

/// Like [`decide_on`], for a record of which the header was read already, with LF line ends ([`unix`]).
///
/// # Errors
/// Why it is refused.
pub fn decide_between<T>(
    own: &Opened<'_>,
    received: Opened<'_>,
    letter: &Provenance<'_>,
    look: impl FnOnce(&Opened<'_>) -> T,
) -> Result<(Decision, Option<T>), Refused> {
    let (here, there) = (own.text.as_bytes(), received.text.as_bytes());
    let mut received = received.of_stranger();
    let verdict = received.replay(u32::MAX);
    // If a text is not a record, or judging it is too much work, its entries cannot be compared.
    if verdict.ruling == Ruling::Unjudged {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    if verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none()) {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    // A header with a different address could make a stranger a player, so the header of the record here says who
    // plays.
    let players = addresses(&own.header);
    let relation = match compare_alike(own, &received) {
        Some(relation) => relation,
        // Another spelling of the same entry is recognised by playing along.
        None => compare(&mut Opened::new(here).map_err(Refused::Here)?, &received),
    };
    // The same entries with a result that they do not have are not the same record (E8).
    let claims_otherwise = || verdict.errors.iter().any(|error| error.rule == Some("E8"));
    if matches!(relation, Relation::Same | Relation::Older { .. }) && claims_otherwise() {
        known(&players, letter)?;
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    let (first, tail) = match relation {
        Relation::Older { entries } => {
            let nothing = Decision::Nothing { entries, older: true, remarks: false };
            return Ok((with_receipts(here, &received).unwrap_or(nothing), None));
        }
        Relation::Same => (verdict.entries + 1, None),
        Relation::Newer { first, tail } => (first, Some(tail)),
        parted => {
            known(&players, letter)?;
            return Err(Refused::Parted(parted));
        }
    };
    let is_over = verdict.outcome.is_some();
    let nothing = |remarks| Decision::Nothing { entries: verdict.entries, older: false, remarks };
    let tail = match tail {
        Some(tail) => tail,
        // In that case only what follows the last entry can be new: a published secret, or a missing result line. While
        // the game runs it is not accepted, because remarks are not signed and do not prove who wrote them.
        None => match behind_last_entry(&received) {
            Some(tail) if is_over => tail,
            Some(tail) => {
                let asides = || nothing(has_new_asides(here, there, tail));
                return Ok((with_receipts(here, &received).unwrap_or_else(asides), None));
            }
            None => return Ok((nothing(false), None)),
        },
    };
    let (record, left_out) = joined(here, there, tail, is_over);
    if record.len() <= ended(here).len() {
        return Ok((nothing(left_out > 0), None));
    }
    let fresh = entries_from(&received, first);
    // The received record may have lost spaces at the ends of its header lines on the way, and its signatures depend on
    // them. What counts is whether its entries continue the record here.
    // Mostly it is what was received, to the byte, and that was judged just now.
    let mut joined = None;
    let whole = if record == there {
        verdict.clone()
    } else {
        let opened = joined.insert(Opened::new(&record).map_err(Refused::Verdict)?);
        opened.replay(u32::MAX)
    };
    if whole.ruling != Ruling::Legal || whole.entries != first.saturating_sub(1) + count(&fresh) {
        return Err(Refused::Verdict(Box::new(if verdict.ruling == Ruling::Legal { whole } else { verdict })));
    }
    // A key that the record here does not know could have been put there by anyone (E10).
    // Where the host signs, a side may still declare a key of its own, which is such a key too.
    let key = |opened: &Opened<'_>, side: Side| opened.table.signatures().and_then(|signatures| signatures.key(side));
    let keys = Side::BOTH.map(|side| key(own, side).is_some_and(|known| key(&received, side) == Some(known)));
    check_sender(&received, &fresh, &players, keys, letter)?;
    // What is signed with the receiver's own key only the receiver can have made: on another machine, or before
    // restoring a backup.
    let vouched = |entry: &Entry| entry.signature.is_some() && keys.get(entry.side.index()) == Some(&true);
    let forged = |entry: &Entry| Some(entry.side) == letter.own && !vouched(entry);
    if let Some((entry, at)) = fresh.iter().zip(first..).find(|(entry, _)| forged(entry)) {
        return Err(Refused::OwnSide { entry: at, line: entry.span.text(received.text).to_owned() });
    }
    if let (None, false, Some(entry)) = (letter.own, letter.looks_on, fresh.first()) {
        return Err(Refused::WhoseSide { entry: first, line: entry.span.text(received.text).to_owned() });
    }
    early(&fresh, first, letter)?;
    too_long(&received, &fresh, letter)?;
    let claim = claims::unfounded(&received, &fresh, letter);
    if let Some(claim) = claim.or_else(|| claims::doubtful(own, &received, &fresh, letter)) {
        return Err(claim);
    }
    if let Some(signer) = seat::withdrawn(&received, &fresh, letter) {
        return Err(signer);
    }
    if let Some(seat) = seat::unproven(own, &received, letter) {
        return Err(seat);
    }
    if let Some(side) = unprotected(own, &received, letter) {
        return Err(Refused::Uncommitted(side));
    }
    let lines = lines_from(&received, first);
    let mut remarks = remarks_on(&fresh, first, letter);
    remarks.extend(claims::in_one_letter(&received, &fresh, first, letter));
    remarks.extend(claims::ages(&received, &fresh, first, letter));
    // With a side's first entry it is said once.
    let begins = |side: &Side| {
        let made = |opened: &Opened<'_>| opened.table.standing().made.get(side.index()).copied();
        made(own) == Some(0) && made(&received) != Some(0)
    };
    if verdict.outcome.is_none() {
        remarks
            .extend(Side::BOTH.into_iter().filter(begins).filter_map(|side| uncommitted(&received, side, letter.own)));
    }
    remarks.extend(nobody_known(&received.header, &fresh));
    if left_out > 0 {
        remarks.push(format!(
            "{left_out} of its remarks were left out: a letter brings {} KiB of them at most, a record keeps {} KiB, and no secret is \
             taken before the end",
            LETTER_ASIDES >> 10,
            RECORD_ASIDES >> 10
        ));
    }
    let seen = look(joined.as_ref().unwrap_or(&received));
    drop(joined);
    Ok((Decision::Accepted(Box::new(Accepted { record, first, last: verdict.entries, lines, remarks })), Some(seen)))
}

/// Decides on a record of a game that is not here.
///
/// # Errors
/// Why it is refused.
pub fn invite(there: &[u8], letter: &Provenance<'_>) -> Result<Invitation, Refused> {
    let there = unix(there);
    let mut received = Opened::new(&there).map_err(Refused::Verdict)?.of_stranger();
    let verdict = received.replay(u32::MAX);
    invite_to(&received, verdict, letter)
}

/// Like [`invite`], for a record that was replayed as a stranger's, with LF line ends ([`unix`]).
///
/// # Errors
/// Why it is refused.
pub fn invite_to(received: &Opened<'_>, verdict: Verdict, letter: &Provenance<'_>) -> Result<Invitation, Refused> {
    if verdict.ruling != Ruling::Legal {
        return Err(Refused::Verdict(Box::new(verdict)));
    }
    let record = received.text.as_bytes();
    let fresh = entries_from(received, 1);
    let asides: usize =
        record.split_inclusive(|&byte| byte == b'\n').filter(|line| is_aside(line)).map(<[u8]>::len).sum();
    if asides > RECORD_ASIDES {
        let most = RECORD_ASIDES >> 10;
        return Err(Refused::Large(format!("it holds over {most} KiB of remarks, which leaves less room for entries")));
    }
    let players = addresses(&received.header);
    // No key is known in a game that is not here: a stranger could have made those in its header.
    check_makers(&received.header, &fresh, &players, letter)?;
    early(&fresh, 1, letter)?;
    too_long(received, &fresh, letter)?;
    let mut remarks = remarks_on(&fresh, 1, letter);
    remarks.extend(lacks(received, letter.own));
    if let Some(own) = letter.address
        && letter.own.is_none()
        && players.iter().flatten().next().is_some()
        && !players.iter().flatten().any(|address| (letter.same)(address, own))
    {
        remarks.push(format!("{own} is not the address of either player"));
    }
    let entries = count(&fresh);
    Ok(Invitation { id: received.header.id.to_string(), entries, remarks, record: record.to_vec() })
}

/// Makes the next entry if the rules let the program enter it automatically for the side `own` after a record was
/// accepted. An entry that is entirely forced is made; if there is any choice, it is left to the player, who may have
/// foreseen it.
///
/// # Errors
/// If the entry is forced but cannot be made, for instance because its secret is missing.
pub fn next_answer(
    desk: &Desk<'_>,
    own: Side,
    request: &EntryRequest<'_>,
    keys: &mut dyn KeyStore,
) -> Result<Option<Box<Entered>>, Refusal> {
    let standing = desk.opened.table.standing();
    // Nobody answers for the opponent.
    if standing.outcome.is_some() || standing.due.side != own {
        return Ok(None);
    }
    match desk.answer(request, keys)? {
        Answer::Forced(tried) => Ok(Some(Box::new(tried.appended(desk.opened.text, keys)?))),
        Answer::Choose(_) | Answer::Nothing(_) => Ok(None),
    }
}

/// Opens a legal record and replays it.
fn legal(source: &[u8]) -> Result<Opened<'_>, Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling == Ruling::Legal { Ok(opened) } else { Err(Box::new(verdict)) }
}

fn addresses(header: &Header<'_>) -> [Option<String>; 2] {
    Side::BOTH.map(|side| header.player(side).email.as_deref().map(str::to_owned))
}

/// The newest entry of a record: its side and its line.
#[must_use]
pub fn newest(opened: &Opened<'_>) -> Option<(Side, String)> {
    let entry = entries_from(opened, 1).pop()?;
    Some((entry.side, entry.span.text(opened.text).to_owned()))
}

/// The lines of the entries of a record from a place on.
#[must_use]
pub fn lines_from(opened: &Opened<'_>, first: u32) -> Vec<String> {
    entries_from(opened, first).iter().map(|entry| entry.span.text(opened.text).to_owned()).collect()
}

/// Checks that the sender is one of the players, as far as their addresses are known.
fn known(players: &[Option<String>; 2], letter: &Provenance<'_>) -> Result<(), Refused> {
    let is_known = |address: &String| letter.from.is_some_and(|from| (letter.same)(from, address));
    let addresses: Vec<_> = players.iter().flatten().cloned().collect();
    if letter.vouched || addresses.iter().any(is_known) || addresses.is_empty() {
        return Ok(());
    }
    Err(Refused::Stranger { from: letter.from.map(str::to_owned), players: addresses })
}

/// Checks that the sender of entries made some of them, unless they are signed with keys that are already known; `keys`
/// says which sides have one.
fn check_sender(
    opened: &Opened<'_>,
    fresh: &[Entry],
    players: &[Option<String>; 2],
    keys: [bool; 2],
    letter: &Provenance<'_>,
) -> Result<(), Refused> {
    let vouched = |entry: &Entry| entry.signature.is_some() && keys.get(entry.side.index()) == Some(&true);
    if !fresh.is_empty() && fresh.iter().all(vouched) {
        return Ok(());
    }
    check_makers(&opened.header, fresh, players, letter)
}

/// Checks that the sender of entries made some of them, as far as addresses are known.
fn check_makers(
    header: &Header<'_>,
    fresh: &[Entry],
    players: &[Option<String>; 2],
    letter: &Provenance<'_>,
) -> Result<(), Refused> {
    if header.players.iter().all(|player| player.email.is_none()) {
        return Ok(());
    }
    if fresh.is_empty() {
        return known(players, letter);
    }
    let makers = Side::BOTH.map(|side| {
        let made = fresh.iter().any(|entry| entry.side == side);
        players.get(side.index()).cloned().flatten().filter(|_| made)
    });
    // If the makers have no address, any sender is accepted, with a warning.
    if makers.iter().all(Option::is_none) { Ok(()) } else { known(&makers, letter) }
}

/// Warns that nobody can tell who sent an entry.
fn nobody_known(header: &Header<'_>, fresh: &[Entry]) -> Option<String> {
    let entry = fresh.iter().find(|entry| entry.signature.is_none() && header.player(entry.side).email.is_none())?;
    let named = header.info.sides[entry.side.index()].named();
    Some(format!("the header has no mail address for {named}: anybody could have sent this"))
}

/// Refuses messages of the opponent that would fill the record, in which there must be room for entries up to the end: a side whose
/// entry has no room loses on time. Whatever the receiver's own key has signed is the receiver's.
fn too_long(received: &Opened<'_>, fresh: &[Entry], letter: &Provenance<'_>) -> Result<(), Refused> {
    let length = |entry: &Entry| entry.message.map_or(0, |message| message.text(received.text).len());
    let others = |entry: &&Entry| Some(entry.side) != letter.own;
    if let Some(entry) = fresh.iter().filter(others).find(|entry| length(entry) > MESSAGE) {
        let (found, most) = (length(entry), MESSAGE >> 10);
        return Err(Refused::Large(format!(
            "the message of an entry has {found} bytes, and {most} KiB at most are taken"
        )));
    }
    for side in Side::BOTH {
        let is_new = fresh.iter().any(|entry| entry.side == side && others(&entry) && length(entry) > 0);
        let all = || entries_from(received, 1).iter().filter(|entry| entry.side == side).map(length).sum::<usize>();
        if is_new && all() > MESSAGES {
            let (word, most) = (received.header.info.sides[side.index()].word, MESSAGES >> 10);
            return Err(Refused::Large(format!(
                "the messages of {word} are over {most} KiB, which leaves less room for entries"
            )));
        }
    }
    Ok(())
}

/// Refuses entries that are ahead of this machine's clock by more than clocks differ: a claim of time could be dated so
/// that it comes true, and an answer to an entry from the future would have to be dated there too (E3).
fn early(fresh: &[Entry], first: u32, letter: &Provenance<'_>) -> Result<(), Refused> {
    let timed = fresh.iter().zip(first..).filter_map(|(entry, place)| Some((entry.time?, place)));
    match timed.max_by_key(|(time, _)| time.0) {
        Some((time, entry)) if time.0 > letter.now.0.saturating_add(AHEAD) => Err(Refused::Early { entry, time }),
        _ => Ok(()),
    }
}

/// Returns what a sealed game lacks that protects the player `own` in a game that `postrider new` begins: the opponent's
/// commitment (Z20), if the opponent has made an entry, and options such as the number of decks. The record was
/// replayed.
#[must_use]
pub fn lacks(opened: &Opened<'_>, own: Option<Side>) -> Vec<String> {
    let (header, standing) = (&opened.header, opened.table.standing());
    if opened.table.seals().is_none() || standing.outcome.is_some() {
        return Vec::new();
    }
    let made = |side: &Side| standing.made.get(side.index()).is_some_and(|made| *made > 0);
    let mut lacks: Vec<String> =
        Side::BOTH.into_iter().filter(made).filter_map(|side| uncommitted(opened, side, own)).collect();
    let number = |text: &str| text.parse::<u32>().ok();
    for (name, usual) in header.info.sealed_options {
        let spec = header.info.options.iter().find(|spec| spec.name == *name);
        let value = header.options.iter().find(|(other, _)| other == name).map(|(_, value)| value.to_string());
        let value = value.or_else(|| spec.map(|spec| spec.default.to_owned())).unwrap_or_default();
        if number(&value) < number(usual) {
            lacks.push(format!(
                "`{name}` is {value} in this game; `postrider new` writes {usual}, which protects you better: see `postrider rules {}`",
                header.info.name
            ));
        }
    }
    lacks
}

/// Finds a first entry of the opponent without a commitment, in a game in which the receiver has not played without one either.
fn unprotected(own: &Opened<'_>, received: &Opened<'_>, letter: &Provenance<'_>) -> Option<Side> {
    let mine = letter.own.filter(|_| !letter.agreed)?;
    let made = |opened: &Opened<'_>, side: Side| opened.table.standing().made.get(side.index()).copied().unwrap_or(0);
    let theirs = mine.other();
    let begins = made(own, theirs) == 0 && made(received, theirs) > 0 && received.table.standing().outcome.is_none();
    let commitment = |side: Side| received.table.seals().and_then(|seals| seals.commitment(side));
    let is_protected = made(received, mine) == 0 || commitment(mine).is_some();
    (begins && is_protected && received.table.seals().is_some() && commitment(theirs).is_none()).then_some(theirs)
}

/// Reports that an opponent's first entry has no commitment.
fn uncommitted(opened: &Opened<'_>, side: Side, own: Option<Side>) -> Option<String> {
    let seals = opened.table.seals()?;
    if Some(side) == own || seals.commitment(side).is_some() {
        return None;
    }
    let name = opened.header.info.sides[side.index()];
    Some(format!(
        "{} {} not committed to a secret (Z20): less of what that side seals and draws can be proven at the end",
        name.named(),
        name.verb("have", "has")
    ))
}

/// Warns about times that look wrong. It is only a warning, because the verdict is the same everywhere and at any time.
fn remarks_on(fresh: &[Entry], first: u32, letter: &Provenance<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(time), Some((about, sent))) = (fresh.first().and_then(|entry| entry.time), letter.sent)
        && about < first
        && time.0 < sent.0.saturating_sub(AHEAD)
    {
        remarks.push(format!("entry {first} is of {time}, before your letter about entry {about} was sent ({sent})"));
    }
    // Of several entries, only the last has to be from about the date of the letter.
    if let (Some(time), Some(date)) = (fresh.last().and_then(|entry| entry.time), letter.date)
        && time.0.abs_diff(date.0) > FAR.unsigned_abs()
    {
        let place = first + u32::try_from(fresh.len()).unwrap_or(u32::MAX).saturating_sub(1);
        remarks.push(format!("entry {place} is of {time}, and its letter of {date}"));
    }
    remarks
}

#[cfg(test)]
mod tests;
