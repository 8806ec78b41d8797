//! Making an entry: judged, signed, written, noted and sent, in the order that the promises about kills and power cuts rest on
//! (`notation/mail.md`, *When something goes wrong*).

use crate::announced::Kept;
use crate::elsewhere::Elsewhere;
use crate::entry::way::{Locked, NotMade, Prepared, Signed, Typed, What};
use crate::entry::{own, turn};
use crate::keys::{Keys, trust};
use crate::office::{Notice, Office, Trouble};
use crate::own_game::OwnGame;
use crate::records::Source;
use crate::send::letters;
use crate::send::letters::{Delivered, Place, SendOptions};
use crate::{announced, conditions, hosting, known, records};
use postrider_board::render::sheet::in_brief;
use postrider_disk::disk::RecordLock;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::advice::Advice;
use postrider_kernel::text::printable;
use postrider_mail::understand::{Judge, Meant, ReplyContext, Trial, Understood, trial, understand};
use postrider_referee::desk;
use postrider_referee::desk::examples::with_examples;
use postrider_referee::desk::undo::without_last;
use postrider_referee::desk::{Desk, Entered, EntryRequest, Refusal};
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

/// How an entry is to be made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// A message to the opponent.
    pub message: Option<&'a str>,
    /// The time of the entry, if not now.
    pub time: Option<Time>,
    /// Whether it is only judged.
    pub dry_run: bool,
    /// Whether the record is mailed afterwards.
    pub send: bool,
    /// The side that it is made for, if the player has named one.
    pub side: Option<&'a str>,
    /// Whether no key is declared.
    pub unsigned: bool,
    /// Whether it is made although the record was rewritten.
    pub accept_rewritten: bool,
    /// Whether it is made although a key is another than it should be.
    pub despite_key: bool,
    /// Whether the player has made no entries elsewhere.
    pub only_here: bool,
    /// Whether the data here may be older than what the player has sent. Nothing is signed then until the player says otherwise.
    pub unsure: bool,
    /// Whether the player is sure.
    pub sure: bool,
}

/// The result of a request to make an entry.
pub enum Outcome {
    /// It was made, or would be.
    Made(Box<Made>),
    /// It was made before: it is the newest entry of this record. What became of its letter, if that is wanted.
    Stands(Vec<u8>, Result<Delivered, Trouble>),
    /// A part of it is forced, and the player chooses the rest: the record, and the game at that point.
    Choose(Vec<u8>),
}

/// An entry that was made, and what became of it.
pub struct Made {
    /// The entry, and the record with it.
    pub entered: Entered,
    /// What the opponent had announced; it follows the entry.
    pub kept: Option<Kept>,
    /// A note on a secret that was made for it.
    pub secret: Option<Advice>,
    /// What became of its letter.
    pub sent: Result<Delivered, Trouble>,
    /// Whether a secret of a side is here, now that the game is over.
    pub publishable: bool,
    /// The player's own side, if it is known.
    pub own: Option<Side>,
}

impl Made {
    /// Puts the record with the entry, and with what follows from it, on the desk, to be shown.
    ///
    /// # Errors
    /// Never for a record that was made here.
    pub fn desk(&self) -> Result<Desk<'_>, Trouble> {
        match &self.kept {
            Some(kept) => records::on_desk(&kept.record, "the record"),
            None => self.entered.desk().map_err(|refusal| Trouble::refusal("the record", refusal)),
        }
    }
}

/// How an entry came about.
enum By {
    /// The player chose it, so what was foreseen instead is void.
    Hand,
    /// It was foreseen.
    Conditions,
    /// The rules force it.
    Force,
}

/// Makes the entry that a player has typed.
///
/// # Errors
/// Why it was not made.
pub fn enter(
    office: &Office<'_>,
    place: Place<'_>,
    actions: &str,
    options: &Options<'_>,
    (lock, source): Source,
) -> Result<Outcome, Trouble> {
    let actions = &*crate::entry::session::apart(actions.trim_end());
    let mut desk = to_move(&source, place)?;
    let game = &OwnGame::new(office, &desk.opened.header.id);
    let entry = Entry { game, place, options };
    entry.guard(&desk.opened, &source)?;
    entry.own_time(&desk.opened, actions)?;
    if lock.is_some() && matches!(entry.turn(&desk, actions)?, turn::ToMake::StandsAlready) {
        drop(lock);
        let sent = entry.stands(&desk);
        return Ok(Outcome::Stands(source, sent));
    }
    let mut keys = Keys::to_move(game, &desk.opened, place.name, options.dry_run, options.unsigned)?;
    keys.only_here = options.only_here;
    keys.unsure = options.unsure;
    let mut judged = entry.typed(What::Actions(actions)).judge(&desk, &mut keys);
    // A time or a message among the actions is an oversight, unless a whole line of a record was pasted.
    let is_line = actions.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let refused = matches!(&judged, Err(NotMade::Refused(Refusal::Entry(..))))
        || (is_line && matches!(&judged, Err(NotMade::Refused(Refusal::Aside))));
    let mut meant: Option<Meant> = None;
    if refused
        && !actions.contains(['\n', '\r'])
        && let Some(found) = entry.meant(&desk, actions)?
        && says_all(&found, actions)
    {
        office.tell(Notice::note(format!("understood as `{}`", found.actions)));
        let found = meant.insert(found);
        judged = entry.typed_as(found).judge(&desk, &mut keys);
    }
    let judged = judged.map_err(|not_made| {
        let refusal = match not_made {
            NotMade::Refused(refusal) => refusal,
            other => return other.trouble(place.name),
        };
        let apart = entry.apart(&desk, actions);
        let refusal = with_examples(&mut desk.opened, refusal, &mut keys);
        match (Trouble::refusal(place.name, refusal), apart) {
            (refused @ Trouble::Entry { .. }, Some(apart)) => {
                let typed = printable(actions);
                refused
                    .advise(format!("two actions are separated by `;`: `{}` instead of `{typed}`", printable(&apart)))
            }
            (trouble, _) => trouble,
        }
    })?;
    drop(desk);
    let signed = judged.sign(source, &mut keys).map_err(|not_made| not_made.trouble(place.name))?;
    let lock = match lock {
        Some(lock) if !options.sure => Some(entry.ask(lock, &signed.entered)?),
        lock => lock,
    };
    Ok(Outcome::Made(Box::new(entry.finish(signed, lock, &keys, By::Hand)?)))
}

/// Makes the entry that was foreseen, or that the rules force; `foreseen`: whether what was foreseen counts.
///
/// # Errors
/// Why there is none, or it was not made.
pub fn answer(
    office: &Office<'_>,
    place: Place<'_>,
    foreseen: bool,
    options: &Options<'_>,
    (lock, source): Source,
) -> Result<Outcome, Trouble> {
    let desk = to_move(&source, place)?;
    let opened = &desk.opened;
    let game = &OwnGame::new(office, &opened.header.id);
    let entry = Entry { game, place, options };
    entry.guard(opened, &source)?;
    if let Some(own) = turn::waiting(opened, options.side, game)? {
        if options.send && letters::is_unsure(game, &desk)? {
            // An earlier run was interrupted between writing and sending.
            drop(lock);
            let sent = entry.stands(&desk);
            return Ok(Outcome::Stands(source, sent));
        }
        // If the drawing side's own program made the deal, it would not be the opponent's.
        return Err(turn::not_due(game, opened, (opened.table.standing().due.side, own), place.name));
    }
    let mut keys = Keys::to_move(game, opened, place.name, options.dry_run, options.unsigned)?;
    keys.only_here = options.only_here;
    keys.unsure = options.unsure;
    let typed = entry.typed(What::Forced);
    if foreseen
        && let Some(tree) = conditions::stored(office, opened)?
        && let Some(signed) = conditions::answer(office, &desk, place.name, typed, &mut keys, options.dry_run, &tree)?
    {
        return Ok(Outcome::Made(Box::new(entry.finish(signed, lock, &keys, By::Conditions)?)));
    }
    let judged = typed.judge(&desk, &mut keys);
    drop(desk);
    let failed = |not_made: NotMade| not_made.trouble(place.name);
    let judged = match judged {
        Err(NotMade::Choice) => return Ok(Outcome::Choose(source)),
        judged => judged.map_err(failed)?,
    };
    let signed = judged.sign(source, &mut keys).map_err(failed)?;
    if options.dry_run {
        let Entered { number, actions, .. } = &signed.entered;
        office.tell(Notice::note(format!("entry {number}: {}", in_brief(actions))));
    }
    Ok(Outcome::Made(Box::new(entry.finish(signed, lock, &keys, By::Force)?)))
}

/// Returns whether the next entry is entirely forced and belongs to this side.
#[must_use]
pub fn is_forced(office: &Office<'_>, opened: &Opened<'_>, own: Side) -> bool {
    let due = opened.table.standing().due.side;
    due == own && desk::is_forced(opened, &mut Keys::new(office, opened, own, true))
}

/// Puts a record on the desk to make an entry.
fn to_move<'a>(source: &'a [u8], place: Place<'_>) -> Result<Desk<'a>, Trouble> {
    Desk::open(source).map_err(|refusal| Trouble::refusal(place.name, refusal))
}

/// Returns the question to ask before an entry with these actions is made; `None` if none of them ends the game or
/// makes a claim.
#[must_use]
pub fn question(actions: &str) -> Option<&'static str> {
    actions.split(';').map(str::trim).find_map(|action| match action {
        "resign" => Some("resign the game?"),
        "draw!" => Some("accept the draw?"),
        "claim time" => Some("claim the game on time?"),
        "claim repetition" | "claim quiet" => Some("claim the draw?"),
        _ => None,
    })
}

/// Returns whether what was understood has at least as many actions as were typed: nothing that was typed may be
/// dropped, including leave and offers. Somebody who types an entry is told of a `;` that is missing, and learns where it belongs.
fn says_all(meant: &Meant, typed: &str) -> bool {
    let count = |actions: &str| actions.split(';').filter(|action| !action.trim().is_empty()).count();
    // A place that was named must be in it too: `+a1A a1-a2` is more than `+a1A`. In a pasted line there are other
    // words beside the entry.
    let is_line = typed.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let places = |actions: &str| {
        let words = actions.split(|c: char| !c.is_ascii_alphanumeric());
        let is_place = |word: &&str| word.len() > 1 && word.bytes().any(|byte| byte.is_ascii_digit());
        words.filter(is_place).filter(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic())).count()
    };
    count(&meant.actions) >= count(typed) && (is_line || places(&meant.actions) >= places(typed))
}

/// An entry that is being made.
struct Entry<'e> {
    game: &'e OwnGame<'e>,
    place: Place<'e>,
    options: &'e Options<'e>,
}

impl Entry<'_> {
    /// Prevents entries in a record that was rewritten, or whose keys differ from the known ones, unless the player
    /// accepts that; if an entry is only tried, this is a warning.
    fn guard(&self, opened: &Opened<'_>, source: &[u8]) -> Result<(), Trouble> {
        let (office, name, options) = (self.game.office, self.place.name, self.options);
        if options.dry_run {
            known::warn(office, opened, source, name);
            return Ok(());
        }
        known::guard(office, opened, source, name, options.accept_rewritten)?;
        if options.time.is_none() {
            known::guard_clock(office, opened, office.now())?;
        }
        trust::guard(office, opened, options.despite_key)
    }

    /// What is asked for, as the player wants it.
    fn typed<'a>(&'a self, what: What<'a>) -> Typed<'a> {
        let Options { message, time, .. } = *self.options;
        let now = time.unwrap_or_else(|| self.game.office.now());
        Typed { message, time_asked: time.is_some(), ..Typed::new(what, now) }
    }

    /// The same where other words were typed than what they mean, and a message may be among them.
    fn typed_as<'a>(&'a self, meant: &'a Meant) -> Typed<'a> {
        let typed = self.typed(What::Actions(&meant.actions));
        typed.saying(typed.message.or(meant.message.as_deref()))
    }

    /// Returns the request to enter these actions.
    fn request<'a>(&'a self, actions: &'a str) -> EntryRequest<'a> {
        self.typed(What::Actions(actions)).request(actions)
    }

    /// Says that players cannot claim their own time: the entry would be made for the other side, which would win by it.
    fn own_time(&self, opened: &Opened<'_>, actions: &str) -> Result<(), Trouble> {
        let standing = opened.table.standing();
        if actions.trim() != "claim time" || standing.outcome.is_some() {
            return Ok(());
        }
        let own = match self.options.side {
            Some(word) => Some(own::named(opened, word)?),
            None => self.game.find(opened)?,
        };
        let due = opened.header.info.sides[standing.due.side.index()];
        match own.filter(|own| *own == standing.due.side) {
            Some(_) => {
                let what = format!(
                    "E7: time is claimed by the side that waits, and {} {} due: that is you",
                    due.named(),
                    due.verb("are", "is")
                );
                let advice = advice![Act::Rules("record", Some("E7")), " prints the rule"];
                Err(Trouble::of(what).advise(advice).refused(Some("E7")))
            }
            None => Ok(()),
        }
    }

    /// Checks whether the entry is this player's to make, or has already been made.
    fn turn(&self, desk: &Desk<'_>, actions: &str) -> Result<turn::ToMake, Trouble> {
        let (game, side) = (self.game, self.options.side);
        if announced::ended_by(desk).is_some()
            && let Some(before) = without_last(&desk.opened)
        {
            // An earlier run has made the entry, and what was announced behind it.
            let before = records::on_desk(&before.record, self.place.name)?;
            if let Ok(turn::ToMake::StandsAlready) =
                turn::look(&before, self.place.name, &self.request(actions), side, game)
            {
                return Ok(turn::ToMake::StandsAlready);
            }
        }
        let found = turn::look(desk, self.place.name, &self.request(actions), side, game);
        if found.is_err() && self.options.send && turn::waiting(&desk.opened, side, game)?.is_some() {
            // An entry that an earlier run made and did not send comes first. It is sent if it is what was typed, in
            // whatever words; another one would never be made by sending this one.
            if letters::is_unsure(game, desk)? {
                if self.stands_in_other_words(desk, actions)? {
                    return Ok(turn::ToMake::StandsAlready);
                }
                return Err(turn::unsent(desk, actions, self.place.name));
            }
        }
        found
    }

    /// Returns whether the newest entry is what was typed, understood as it would have been before that entry was made.
    fn stands_in_other_words(&self, desk: &Desk<'_>, actions: &str) -> Result<bool, Trouble> {
        let (Some(before), Some((side, line))) = (desk.before_last(), desk.last()) else { return Ok(false) };
        let Some(meant) = self.meant(&before, actions)?.filter(|meant| says_all(meant, actions)) else {
            return Ok(false);
        };
        Ok(turn::repeats(self.game, desk, side, line, &self.typed_as(&meant).request(&meant.actions)))
    }

    /// Says that the newest entry of a record stands already, and mails the record if that is wanted and was not done.
    fn stands(&self, desk: &Desk<'_>) -> Result<Delivered, Trouble> {
        let before = announced::ended_by(desk).and_then(|_| desk.before_last());
        let line = in_brief(&printable(before.as_ref().unwrap_or(desk).last().map_or("", |(_, line)| line)));
        self.game
            .office
            .tell(Notice::note(format!("this entry is already in the record, and nothing was entered: {line}")));
        if !self.options.send {
            self.game.office.tell(Notice::hint(advice![Act::Send(self.place.name.to_owned()), " mails it"]));
        }
        self.deliver(desk, false)
    }

    /// Mails the record if that is wanted.
    fn deliver(&self, desk: &Desk<'_>, promised: bool) -> Result<Delivered, Trouble> {
        if !self.options.send {
            return Ok(Delivered::default());
        }
        let name = self.place.name;
        // What ended the game was announced by the other player, whom the letter goes to.
        let own = announced::ended_by(desk).map(Side::other);
        letters::deliver(self.game, desk, self.place, &SendOptions::of_move(promised).of_side(own)).map_err(|trouble| {
            match trouble {
                Trouble::Obstacle(what, None) => Trouble::of(what).advise(advice![
                    format!("the move is safe in {name}; "),
                    Act::Send(name.to_owned()),
                    " sends it"
                ]),
                trouble => trouble,
            }
        })
    }

    /// Returns the one legal entry that can be meant by what was typed, if it is not legal as typed.
    fn meant(&self, desk: &Desk<'_>, actions: &str) -> Result<Option<Meant>, Trouble> {
        let opened = &desk.opened;
        // Whoever types here is no newcomer.
        let turn = ReplyContext { new: false, ..ReplyContext::of(opened, opened.table.standing().due.side) };
        // Nothing is sealed, signed or noted by trying.
        let keys = Keys::to_move(self.game, opened, self.place.name, true, self.options.unsigned)?;
        let mut tries = Tries { entry: self, desk, keys };
        Ok(match understand(&[actions.to_owned()], &turn, &opened.table.moves(), &mut tries) {
            Understood::Entry(meant) => Some(meant),
            _ => None,
        })
    }

    /// Returns what was typed with a `;` inserted between two of its words, if that makes it legal: then only that was
    /// missing.
    fn apart(&self, desk: &Desk<'_>, actions: &str) -> Option<String> {
        let words: Vec<&str> = actions.split_whitespace().collect();
        // Nothing is sealed, signed or noted by trying; a long text is not a slip.
        let unsigned = self.options.unsigned;
        let mut keys = Keys::to_move(self.game, &desk.opened, self.place.name, true, unsigned).ok()?;
        let between = |place: usize| {
            let (one, other) = words.split_at_checked(place)?;
            Some(format!("{}; {}", one.join(" ").trim_end_matches(';'), other.join(" ")))
        };
        let each = (1..words.len().min(12)).filter_map(between);
        let all = (words.len() > 2)
            .then(|| words.iter().map(|word| word.trim_end_matches(';')).collect::<Vec<_>>().join("; "));
        each.chain(all).find(|apart| desk.actions(&self.request(apart), &mut keys).is_ok())
    }

    /// Asks before an entry is made that ends the game or makes a claim. The record is not locked in the meantime; the returned lock is
    /// on the bytes that were judged.
    fn ask(&self, lock: RecordLock, entered: &Entered) -> Result<RecordLock, Trouble> {
        let front = self.game.office.ports.front;
        let Some(question) = question(&entered.actions).filter(|_| front.can_ask()) else { return Ok(lock) };
        drop(lock);
        if !front.confirms(question) {
            return Err(Trouble::of("nothing was entered"));
        }
        let lock = records::lock(self.game.office, self.place.file)?;
        if lock.read().map_err(Trouble::File)? != entered.record.get(..entered.begun).unwrap_or_default() {
            return Err(Trouble::of("the record changed while you were being asked: nothing was entered"));
        }
        // It may have been handed over meanwhile, which leaves the record as it is.
        Elsewhere::new(self.game.office.folders()).guard(self.game.id())?;
        Ok(lock)
    }

    /// Writes the record with an entry that was made at the desk, if it is locked for that, and mails it if wanted.
    ///
    /// # Errors
    /// If the record was not written.
    fn finish(&self, signed: Signed, lock: Option<RecordLock>, keys: &Keys<'_>, by: By) -> Result<Made, Trouble> {
        let Signed { entered, prepared } = signed;
        let (game, options, name) = (self.game, self.options, self.place.name);
        let office = game.office;
        let made = entered.desk().map_err(|refusal| Trouble::refusal(name, refusal))?;
        let kept = announced::kept(office, &made)?;
        let desk = match &kept {
            Some(kept) => records::on_desk(&kept.record, name)?,
            None => made,
        };
        let opened = &desk.opened;
        let mut sent = Ok(Delivered::default());
        if let Some(mut lock) = lock {
            // Before the record is written: the next run sends the letter if this one is interrupted. The entry is made in any case.
            let letter = SendOptions::by_itself(false).of_side(kept.as_ref().map(|_| entered.side));
            let promised = options.send && letters::promise_of(game, &desk, &letter).unwrap_or(false);
            let source = entered.record.get(..entered.begun).unwrap_or_default();
            // Before, so that it is not lost: a run of the host that looks in between lets the note be until the entry is in the record.
            hosting::tell_of_entry(office, &opened.header.id, entered.number)?;
            let written = Locked { file: self.place.file, lock: &mut lock, source }.write(
                game,
                kept.as_ref().map_or(&entered.record, |kept| &kept.record),
                Some((opened, entered.side)),
            )?;
            announced::settle(office, opened, kept.is_some());
            match by {
                By::Hand => conditions::settle(office, opened),
                By::Conditions => prepared.iter().for_each(|Prepared { rest, .. }| conditions::keep(office, rest)),
                By::Force => {
                    let actions = in_brief(&printable(desk::parts(&entered.line).0));
                    office.tell(Notice::note(format!("entry {}: {actions}", entered.number)));
                }
            }
            drop(lock);
            sent = match written.is_safe || !options.send {
                true => self.deliver(&desk, promised),
                false => {
                    Err(records::not_flushed(name).advise(advice![Act::Send(name.to_owned()), " sends it once it is"]))
                }
            };
        }
        if let Some(kept) = &kept {
            kept.tell(office, opened);
        }
        let is_over = opened.table.standing().outcome.is_some();
        let publishable = !options.dry_run && is_over && Side::BOTH.iter().any(|side| keys.has_secret(opened, *side));
        let own = game.side(opened);
        drop(desk);
        let secret = keys.notice().filter(|_| !options.dry_run);
        Ok(Made { entered, kept, secret, sent, publishable, own })
    }
}

/// Tries what was typed as entries, with the player's keys.
struct Tries<'t, 'a> {
    entry: &'t Entry<'t>,
    desk: &'t Desk<'a>,
    keys: Keys<'t>,
}

impl Judge for Tries<'_, '_> {
    fn judge(&mut self, text: &str) -> Trial {
        // A trial seals differently each time.
        let sealed = self.desk.opened.table.seals().is_some();
        let entered = self.desk.actions(&self.entry.request(text), &mut self.keys);
        trial(entered.map(|actions| if sealed { text.to_owned() } else { actions }))
    }
}
