//! The letters of a host, made of what is to be said.

use data_encoding::HEXLOWER;

use super::called;
use super::notes::{Game, Person, State};
use super::people::{self, stand_in, tap};
use super::work::{Words, Work, Writer};
use postrider_home::clocks::Running;
use postrider_home::entry::view;
use postrider_home::entry::view::Told;
use postrider_home::hosting::is_kept;
use postrider_home::office::Trouble;
use postrider_home::records;
use postrider_kernel::text::{capital, printable};
use postrider_kernel::{Info, Side, Viewer};
use postrider_mail::incoming::Mail;
use postrider_mail::{Attached, Brings, Hosting, Letter, Note, Occasion, STOP, Style};
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::desk::{Desk, parts};
use postrider_referee::registry::AnyGame;
use postrider_referee::sealing::Digest;
use postrider_referee::verdict::Opened;

/// The longest page that goes along with the last letter of a game without being asked for, in bytes.
const MOST_PAGE: usize = 40_000;
/// How many of those who watch a game are named to its players.
const MOST_NAMED: usize = 5;

/// What is to be said beside the entries.
#[derive(Default)]
pub(super) struct Saying {
    pub(super) before: Vec<String>,
    pub(super) quoted: Vec<String>,
    pub(super) said: Vec<String>,
    pub(super) taps: Vec<(String, String)>,
    pub(super) moves: Vec<String>,
    /// Whether what the reader may enter is listed.
    pub(super) lists: bool,
    pub(super) begin: bool,
    pub(super) block: Option<String>,
    /// A game to be told in a minute.
    pub(super) minute: Option<&'static Info>,
    /// A game to be shown at its start, with its options.
    pub(super) game: Option<(&'static dyn AnyGame, Vec<String>)>,
    pub(super) after: Vec<String>,
}

impl Saying {
    pub(super) fn of<const N: usize>(said: [String; N]) -> Self {
        Self { said: said.into(), ..Self::default() }
    }
}

/// What goes with a letter about a position.
#[derive(Default)]
pub(super) struct Beside<'a> {
    /// What the opponent wrote besides.
    pub(super) word: Option<&'a str>,
    /// The message that is answered, without angle brackets.
    pub(super) answers: Option<&'a str>,
    /// Whether the page of the game is attached, if it is small or was asked for.
    pub(super) page: bool,
    pub(super) asked: bool,
}

/// To whom a letter goes, and what stands over it.
struct Under<'a> {
    /// Name and address.
    to: (&'a str, &'a str),
    token: &'a str,
    /// The Content-ID of its picture.
    cid: &'a str,
    /// The Message-ID of the letter about the position that it shows.
    stem: &'a str,
    subject: &'a str,
}

/// A record that shows a game at its start.
fn start(game: &dyn AnyGame, options: &[String], names: [&str; 2], id: &str) -> String {
    let info = game.info();
    let options = super::people::read_options(info, options).unwrap_or_default();
    begin(&Beginning { options: &options, sealed: info.sealable, ..Beginning::new(info, id, names, "2026-01-01") })
}

impl Work<'_, '_> {
    /// What a person is told who has never written before.
    fn welcome(&self) -> Vec<String> {
        if self.brief {
            return vec![format!(
                "This is {} ({}), where two people play a board game by letters, and a program keeps the game: no account, no password, \
                 nothing to install.",
                printable(&self.host.name),
                self.host.address
            )];
        }
        vec![
            format!(
                "This is {} ({}): two people play a board game by letters, and a program in between keeps the game, checks every move by \
                 the rules, and writes to both. Nothing else is needed: no account, no password, nothing to install.",
                printable(&self.host.name),
                self.host.address
            ),
            "How to answer: always reply to the last letter, because its address shows that it went to you. Until you have answered once, you \
             get at most three answers a day to what is written in your name, and three invitations in all."
                .to_owned(),
        ]
    }

    /// How to stop.
    fn stop() -> String {
        STOP.to_owned()
    }

    /// Answers a writer, unless nothing may be written to this person. Returns the letter's Message-ID, without angle brackets.
    pub(super) fn say(
        &mut self,
        writer: &mut Writer,
        mail: Option<&Mail>,
        subject: &str,
        saying: Saying,
    ) -> Result<Option<String>, Trouble> {
        if self.silent || writer.person.never && !writer.sure {
            return Ok(None);
        }
        self.caused(writer);
        let answers = mail.and_then(|mail| mail.message_id.clone());
        let id = self.note(&mut writer.person, answers.as_deref(), subject, saying);
        self.keep_person(&writer.person);
        Ok(Some(id))
    }

    /// Whether letters to an address are wanted; not by somebody who was forgotten.
    pub(super) fn wants(&self, address: &str) -> Result<bool, Trouble> {
        Ok(!address.ends_with("@postrider.invalid") && !self.person(address)?.never)
    }

    /// Writes to somebody about whom it is known that letters are wanted.
    pub(super) fn tell(&mut self, address: &str, subject: &str, saying: Saying) -> Result<(), Trouble> {
        let mut person = self.person(address)?;
        if person.never || !person.answered {
            return Ok(());
        }
        self.note(&mut person, None, subject, saying);
        self.keep_person(&person);
        Ok(())
    }

    /// Writes to whoever runs the host, about it.
    pub(super) fn tell_of_host(&mut self, address: &str, subject: &str, saying: Saying) {
        // Nothing is noted of this person, who is not told how to play.
        let mut person = Person { address: address.to_owned(), written: 1, ..Person::default() };
        self.note(&mut person, None, subject, saying);
    }

    pub(super) fn note(&mut self, person: &mut Person, answers: Option<&str>, subject: &str, saying: Saying) -> String {
        let token = self.person_token(person);
        let reply_to = self.host.reply_to(&token);
        let start = saying
            .game
            .as_ref()
            .map(|(game, options)| start(*game, options, ["you", "your opponent"], "a-game-to-come"));
        let opened = start.as_ref().and_then(|text| Opened::new(text.as_bytes()).ok());
        let board = opened.as_ref().map(|opened| (opened, opened.table.view(Viewer::Public), Side::First));
        let mut after = saying.after;
        if person.written == 0 {
            after.extend(self.welcome());
        }
        after.push(Self::stop());
        let title = self.host.name.clone();
        let tapped = self.marked(&format!("Re: {subject}"), &token);
        let cid = format!("{}.board@postrider.invalid", token.get(..4).unwrap_or("host"));
        let note = Note {
            name: &person.name,
            title: &title,
            before: saying.before,
            quoted: &saying.quoted,
            said: saying.said,
            minute: saying.minute,
            taps: saying.taps,
            moves: saying.moves,
            begin: saying.begin,
            board,
            block: saying.block,
            after,
            reply_to: &reply_to,
            subject: &tapped,
            ..Note::default()
        };
        let thread: Vec<String> = answers.map(|id| format!("<{id}>")).into_iter().collect();
        let under = Under { to: (&person.name, &person.address), token: &token, cid: &cid, stem: "host", subject };
        let id = self.post_note(note, &thread, &under);
        person.written += 1;
        let now = self.host.office.now().0;
        // If the disk does not tell, an answer is only not known for a fast one.
        let _ = self.change_mailbox(&person.address, |mailbox| mailbox.idle.written = now);
        id
    }

    /// Posts a letter that says something. Returns its Message-ID, without angle brackets.
    fn post_note(&mut self, mut note: Note<'_>, thread: &[String], under: &Under<'_>) -> String {
        let mut style = self.style();
        if self.brief {
            note.moves.truncate(1);
            note = Note { name: "", quoted: &[], before: Vec::new(), minute: None, board: None, ..note };
            style = Style::Text;
        }
        let (text, html) = note.written(under.cid, style);
        let words = Words {
            text: &text,
            html: html.as_ref(),
            cid: under.cid,
            attached: &[],
            thread,
            stem: under.stem,
            subject: under.subject,
        };
        self.post((if self.brief { "" } else { under.to.0 }, under.to.1), under.token, &words)
    }

    fn style(&self) -> Style {
        self.host.office.settings().map_or(Style::Taps, |settings| settings.letter)
    }

    /// The invitation, to the side that did not ask for the game; once more, with what was written instead of an answer.
    pub(super) fn invitation(
        &mut self,
        game: &Game,
        kind: &'static dyn AnyGame,
        instead: &[String],
    ) -> Result<(), Trouble> {
        let info = kind.info();
        let side = 1 - game.by;
        let (seat, other) = (game.seats[side].clone(), &game.seats[game.by]);
        let token = self.seat_token(game, side);
        let reply_to = self.host.reply_to(&token);
        let names = [game.seats[0].name.as_str(), game.seats[1].name.as_str()];
        let text = start(kind, &game.options, names, &game.id);
        let opened = Opened::new(text.as_bytes()).ok();
        let view = if side == 0 { Side::First } else { Side::Second };
        let other_name = printable(&other.name).into_owned();
        let options = match game.options.as_slice() {
            [] => String::new(),
            list => format!(" Options: {}.", list.join(", ")),
        };
        let clock = match &game.clock {
            None => " There is no clock.".to_owned(),
            Some(clock) => format!(" Each side has {}.", people::granted(clock)),
        };
        let subject = format!("[pbem] {} #0: an invitation to a game of {}", game.id, info.title);
        let tapped = self.marked(&format!("Re: [pbem] {} #0", game.id), &token);
        let title = format!("{}: an invitation", info.title);
        let asked_again = (!instead.is_empty()).then(|| {
            "That is neither a yes nor a no, as far as a program can tell: please reply with \"accept\" or \"decline\".".to_owned()
        });
        let person = self.person(&seat.address)?;
        // Nobody is asked to trust a name alone.
        let is_stranger = self.is_stranger(&person)?;
        let asker = match is_stranger {
            true => format!("{other_name} ({})", other.address),
            false => other_name,
        };
        let if_nothing = match (is_stranger, self.host.settings.limits.days_between_invitations) {
            (false, _) | (true, 0) => "If you do nothing, you are not reminded.".to_owned(),
            (true, 1) => "If you do nothing, nobody here can invite you again for a day.".to_owned(),
            (true, days) => format!("If you do nothing, nobody here can invite you again for {days} days."),
        };
        let mut after = if person.answered { Vec::new() } else { self.welcome() };
        after.push(Self::stop());
        let note = Note {
            name: if seat.name == stand_in(info.sides[side].word) { "" } else { &seat.name },
            title: &title,
            quoted: instead,
            said: asked_again
                .into_iter()
                .chain(std::iter::once(format!(
                    "{asker} invites you to a game of {}, played by letters. You would play {}.{clock}{options}",
                    info.title,
                    info.sides[side].named()
                )))
                .chain(std::iter::once(if_nothing))
                .collect(),
            minute: Some(info),
            taps: vec![
                ("accept".to_owned(), "Accept".to_owned()),
                ("decline".to_owned(), "Decline".to_owned()),
                ("never write to me again".to_owned(), "Never write to me again".to_owned()),
            ],
            board: opened.as_ref().map(|opened| (opened, opened.table.view(Viewer::Public), view)),
            after,
            reply_to: &reply_to,
            subject: &tapped,
            ..Note::default()
        };
        let cid = format!("{}.board@postrider.invalid", game.id);
        let to = (&*seat.name, &*seat.address);
        self.post_note(note, &[], &Under { to, token: &token, cid: &cid, stem: &game.id, subject: &subject });
        Ok(())
    }

    /// The letter about the position to one of its players.
    pub(super) fn position(
        &mut self,
        game: &mut Game,
        side: Side,
        desk: &Desk<'_>,
        beside: &Beside<'_>,
    ) -> Result<(), Trouble> {
        let seat = game.seats[side.index()].clone();
        if !self.wants(&seat.address)? {
            return Ok(());
        }
        let token = self.seat_token(game, side.index());
        let standing = desk.opened.table.standing();
        let digest = desk.digests.last().copied().unwrap_or_default();
        // As this player may see it, and nobody else.
        let Told { seen, choices } = view::told(self.host.office, desk.opened.text.as_bytes(), side)?;
        let opened = &seen.opened;
        let header = &opened.header;
        let stem = postrider_mail::message_id(&header.id, standing.entries, &digest);
        let last = desk.last();
        let actions = last.map(|(_, line)| parts(line).0);
        let word = last.map_or("", |(by, _)| header.info.sides[by.index()].word);
        let subject = postrider_mail::subject(&header.id, standing.entries, word, actions.unwrap_or_default());
        let reply_to = self.host.reply_to(&token);
        let mark = self.host.subject_mark(&token);
        let short = HEXLOWER.encode(digest.first_chunk::<8>().map_or(&[], |chunk| chunk.as_slice()));
        let cid = Letter::content_id(&header.id, standing.entries, &digest);
        let html = beside.page.then(|| self.host.office.page(opened.text.as_bytes(), side)).flatten();
        let html = html.filter(|html| beside.asked || html.len() <= MOST_PAGE);
        let watched = self.watched_by(game)?;
        let occasion = Occasion {
            opened,
            scene: seen.scene,
            actions,
            message: last.and_then(|(_, line)| parts(line).2),
            by: last.map(|(by, _)| by),
            to: side,
            invites: false,
            page_at: None,
            style: self.style(),
            plain: true,
            brings: Brings::Entry,
            page: html.is_some(),
            block: None,
            word: beside.word,
            choices,
            reply_to: &reply_to,
            message_id: &stem,
            digest: &short,
            dice: None,
            hosting: Some(Hosting {
                name: &self.host.name,
                mark: &mark,
                zone: seat.zone,
                enters: is_kept(opened, side),
                watched: &watched,
            }),
        };
        let words = occasion.words(&cid);
        let (record, page) = (format!("{}.pbem", header.id), postrider_mail::page_name(&header.id));
        let mut attached = vec![Attached { name: &record, is_page: false, bytes: opened.text.as_bytes() }];
        attached.extend(html.as_ref().map(|html| Attached { name: &page, is_page: true, bytes: html.as_bytes() }));
        let mut thread = seat.thread.clone();
        thread.extend(beside.answers.map(|id| format!("<{id}>")));
        let words = Words {
            text: &words.text,
            html: words.html.as_ref(),
            cid: &cid,
            attached: &attached,
            thread: &thread,
            stem: &stem,
            subject: &subject,
        };
        let id = self.post((&seat.name, &seat.address), &token, &words);
        game.seats[side.index()].wrote(&id, self.host.office.now());
        Ok(())
    }

    /// A letter about the position that says something: a refusal, a question, a reminder, what the opponent wrote.
    pub(super) fn about(
        &mut self,
        game: &mut Game,
        side: Side,
        desk: &Desk<'_>,
        (answers, kind): (Option<&str>, &str),
        saying: Saying,
    ) -> Result<(), Trouble> {
        let seat = game.seats[side.index()].clone();
        if !self.wants(&seat.address)? {
            return Ok(());
        }
        let token = self.seat_token(game, side.index());
        let entries = desk.opened.table.standing().entries;
        let digest: Digest = desk.digests.last().copied().unwrap_or_default();
        let Told { seen, choices } = view::told(self.host.office, desk.opened.text.as_bytes(), side)?;
        let opened = &seen.opened;
        let header = &opened.header;
        let stem = postrider_mail::message_id(&header.id, entries, &digest);
        let cid = Letter::content_id(&header.id, entries, &digest);
        let reply_to = self.host.reply_to(&token);
        let tapped =
            self.marked(&format!("Re: [pbem] {} #{entries} {}", header.id, postrider_mail::short_hex(&digest)), &token);
        let subject = format!("[pbem] {} #{entries}: {kind}", header.id);
        let title = format!("{}: {}", header.info.title, header.id);
        let mut moves = saying.moves;
        let listed = choices.whole.iter().chain(&choices.begun).filter(|_| saying.lists).cloned();
        moves.extend(listed);
        let mut after = saying.after;
        after.push(Self::stop());
        let note = Note {
            name: &seat.name,
            title: &title,
            before: saying.before,
            quoted: &saying.quoted,
            said: saying.said,
            minute: saying.minute,
            taps: saying.taps,
            example: choices.shown(&moves),
            zone: Some(seat.zone.unwrap_or(0)),
            moves,
            begin: saying.begin,
            board: Some((opened, seen.scene, side)),
            block: saying.block,
            after,
            reply_to: &reply_to,
            subject: &tapped,
            ..Note::default()
        };
        let mut thread = seat.thread.clone();
        thread.extend(answers.map(|id| format!("<{id}>")));
        let to = (&*seat.name, &*seat.address);
        let under = Under { to, token: &token, cid: &cid, stem: &stem, subject: &subject };
        let id = self.post_note(note, &thread, &under);
        game.seats[side.index()].wrote(&id, self.host.office.now());
        Ok(())
    }

    /// The letters to those who watch, which show what everybody may see.
    pub(super) fn watchers(&mut self, game: &Game, desk: &Desk<'_>) -> Result<(), Trouble> {
        for address in &game.watchers {
            let person = self.person(address)?;
            if !person.never {
                self.watch_letter(game, desk, &person);
            }
        }
        Ok(())
    }

    /// Who watches a game, in words for its players; empty if nobody does.
    fn watched_by(&self, game: &Game) -> Result<String, Trouble> {
        let mut names = Vec::new();
        for address in game.watchers.iter().take(MOST_NAMED) {
            let name = called::name(&self.person(address)?.name);
            names.push(if name.is_empty() { "somebody".to_owned() } else { name });
        }
        let others = game.watchers.len() - names.len();
        if others > 0 {
            names.push(format!("{others} more"));
        }
        Ok(match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((last, _)) => last.clone(),
            None => String::new(),
        })
    }

    /// The first letter to somebody who watches.
    pub(super) fn watched(&mut self, game: &Game, person: &Person) -> Result<(), Trouble> {
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        self.watch_letter(game, &desk, person);
        Ok(())
    }

    fn watch_letter(&mut self, game: &Game, desk: &Desk<'_>, person: &Person) {
        let opened = &desk.opened;
        let header = &opened.header;
        let entries = opened.table.standing().entries;
        let digest: Digest = desk.digests.last().copied().unwrap_or_default();
        let stem = postrider_mail::message_id(&header.id, entries, &digest);
        let cid = Letter::content_id(&header.id, entries, &digest);
        let token = self.person_token(person);
        let reply_to = self.host.reply_to(&token);
        let subject = format!("A game of {} that you watch ({}), entry {entries}", header.info.title, header.id);
        let tapped = self.marked("Re: a game that you watch", &token);
        let names = game.seats.each_ref().map(|seat| printable(&seat.name).into_owned());
        let note = Note {
            name: &person.name,
            title: &subject,
            said: vec![
                format!("{} plays {} against {} ({}).", names[0], header.info.title, names[1], header.id),
                state(opened),
            ],
            taps: vec![(format!("unwatch {}", header.id), "No longer watch".to_owned())],
            board: Some((opened, desk.scene(Viewer::Public), Side::First)),
            after: vec![Self::stop()],
            reply_to: &reply_to,
            subject: &tapped,
            ..Note::default()
        };
        let to = (&*person.name, &*person.address);
        self.post_note(note, &[], &Under { to, token: &token, cid: &cid, stem: &stem, subject: &subject });
    }

    /// Sends the letter that is due once more, with what is to be said first.
    pub(super) fn due_again(
        &mut self,
        writer: &mut Writer,
        game: &Game,
        side: usize,
        mail: &Mail,
        lines: &[String],
        why: &str,
    ) -> Result<(), Trouble> {
        if self.silent {
            return Ok(());
        }
        self.caused(writer);
        let mut game = game.clone();
        if game.state == State::Invited {
            let may = writer.person.answered || side == game.by || writer.sure;
            if side != game.by
                && may
                && let Some(kind) = super::commands::game_of(&game.game)
            {
                self.invitation(&game, kind, lines)?;
            }
            return Ok(());
        }
        if matches!(game.state, State::Declined | State::Lapsed) {
            return Ok(());
        }
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        game.not_shortened(&desk.opened)?;
        let side = if side == 0 { Side::First } else { Side::Second };
        let standing = desk.opened.table.standing();
        let mut saying =
            Saying { quoted: lines.to_vec(), said: vec![why.to_owned(), state(&desk.opened)], ..Saying::default() };
        if standing.outcome.is_none() && standing.due.side == side {
            saying.lists = true;
            saying.begin = desk.opened.header.info.stepwise;
        }
        self.about(&mut game, side, &desk, (mail.message_id.as_deref(), "please reply to this letter"), saying)?;
        self.keep_game(&game);
        Ok(())
    }

    /// How a running game stands, for a list.
    pub(super) fn state_in_words(&self, game: &Game, side: usize) -> Result<String, Trouble> {
        self.state_and_turn(game, side).map(|(words, _)| words)
    }

    /// How a running game stands, and whether it is the side's turn.
    pub(super) fn state_and_turn(&self, game: &Game, side: usize) -> Result<(String, bool), Trouble> {
        let record = self.record(&game.id)?;
        let opened = records::replayed(&record, &game.id)?;
        let standing = opened.table.standing();
        let is_due = standing.due.side.index() == side;
        let due = if is_due { "your entry is due" } else { "your opponent's entry is due" };
        let left = Running::of(&standing, self.now).map(|running| format!(", {}", running.told())).unwrap_or_default();
        let left = postrider_mail::in_words(&left, game.seats[side].zone);
        Ok(match standing.outcome {
            Some(outcome) => (outcome.text(&opened.header.info.sides).to_string(), false),
            None => (format!("{due}: {}{left}", standing.due.what), is_due),
        })
    }

    /// Tells a player that letters to the opponent come back.
    pub(super) fn tell_unreachable(&mut self, game: &Game, side: usize) -> Result<(), Trouble> {
        let other = game.seats[1 - side].address.clone();
        let name = printable(&game.seats[side].name).into_owned();
        let what = match game.state {
            State::Running => "The game goes on. If it has a clock, the clock runs and decides.",
            _ => "There is no game unless an answer comes.",
        };
        let said = format!("Letters to {name} come back: the address cannot be reached ({}). {what}", game.id);
        let mut saying = Saying::of([said]);
        saying.taps = vec![tap("my games")];
        self.tell(&other, "Letters to your opponent come back", saying)
    }

    /// Tells a player that the opponent wants no more letters.
    pub(super) fn tell_gone(&mut self, game: &Game, side: usize) -> Result<(), Trouble> {
        let other = game.seats[1 - side].address.clone();
        let name = printable(&game.seats[side].name).into_owned();
        let said = format!(
            "{name} wants no more letters from here. The game goes on without them ({}): if there is a clock, it runs, and decides.",
            game.id
        );
        let mut saying = Saying::of([said]);
        saying.taps = vec![tap("my games")];
        self.tell(&other, "Your opponent has left", saying)
    }

    pub(super) fn standings(&mut self, writer: &mut Writer, mail: &Mail) -> Result<(), Trouble> {
        let rows = self.table()?.ranked();
        let said =
            if rows.is_empty() { "No game has been finished here yet." } else { "Games that were finished here:" };
        let mut saying = Saying::of([said.to_owned()]);
        let line = |row: &super::notes::Row| {
            format!("{:<24} {:>3} won  {:>3} drawn  {:>3} lost", printable(&row.name), row.won, row.drawn, row.lost)
        };
        saying.block = (!rows.is_empty()).then(|| rows.iter().take(100).map(line).collect::<Vec<_>>().join("\n"));
        saying.taps = vec![tap("games"), tap("my games")];
        self.say(writer, Some(mail), "The standings", saying).map(|_| ())
    }
}

/// Whose entry is due, or how the game ended, in a sentence.
pub(super) fn state(opened: &Opened<'_>) -> String {
    let standing = opened.table.standing();
    let sides = &opened.header.info.sides;
    match standing.outcome {
        Some(outcome) => format!("The game is over: {}.", outcome.text(sides)),
        None => {
            let due = standing.due.side;
            let name = printable(&opened.header.player(due).name).into_owned();
            capital(&format!("{name} ({}) is to enter: {}.", sides[due.index()].word, standing.due.what))
        }
    }
}
