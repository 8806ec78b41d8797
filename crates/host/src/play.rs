//! Letters about one game from those who play in it: an invitation is answered, a game begins, entries are made, and what is no entry is
//! passed on.

use super::ailing::Look;
use super::arrivals::after;
use super::called;
use super::commands::{self, Command};
use super::course::{self, Course, Written};
use super::did::Did;
use super::elsewhere::apart;
use super::letters::{Beside, Saying, state};
use super::notes::{Game, State};
use super::passing::{Why, hides, names_any_hidden, names_hidden};
use super::people::{Sound, read_options, stand_in, tap, told};
use super::program;
use super::reading::Trying;
use super::work::{Work, Writer};
use postrider_home::conditions::decision as conditions;
use postrider_home::entry::view;
use postrider_home::entry::way::{NotMade, Typed, What};
use postrider_home::keys::Keys;
use postrider_home::office::Trouble;
use postrider_home::own_game::OwnGame;
use postrider_home::receive;
use postrider_home::receive::Back;
use postrider_home::{hosting, records, secrets};
use postrider_kernel::text::printable;
use postrider_kernel::{Outcome, Side};
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_mail::is_ours;
use postrider_mail::understand::{Meant, Understood, agrees, beside, declines, looks_like_entry};
use postrider_referee::desk::AHEAD;
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::desk::examples::nearest_first;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::verdict;
use postrider_referee::verdict::Ruling;
use serde_json::json;

/// The most entries that are made at once where the rules force them.
const MOST_FORCED: usize = 16;
/// How much of what somebody writes beside a move is passed on, in characters.
const MOST_BESIDE: usize = 2_000;

pub(super) fn side_of(index: usize) -> Side {
    if index == 0 { Side::First } else { Side::Second }
}

/// What became of an attempt to enter something.
pub(super) enum Entered {
    /// It is in the record.
    Made,
    /// It is refused: what is said about it.
    Refused(Box<Back>),
}

impl Work<'_, '_> {
    /// A letter from somebody who plays in a game, with the token of the side.
    pub(super) fn seat_letter(
        &mut self,
        writer: &mut Writer,
        mut game: Game,
        index: usize,
        mail: &Mail,
        lines: &[String],
    ) -> Result<Did, Trouble> {
        game.seats[index].unreachable = false;
        game.seats[index].zone = mail.zone.or(game.seats[index].zone);
        writer.person.unreachable = false;
        // What a program writes around its entries asks for nothing.
        let by_program = mail.auto || mail.message_id.as_deref().is_some_and(is_ours);
        if mail.auto && !matches!(game.state, State::Running | State::Over | State::Lapsed) {
            return Ok(Did::ByProgram);
        }
        let found = if by_program { None } else { commands::read(lines, &mail.subject) };
        // A move on another line comes first, whatever is said of other games beside it.
        let moves_too = |words: &str| lines.iter().any(|line| line != words && looks_like_entry(line));
        let found = found.filter(|(command, words)| {
            // What is said to the opponent ends no letters.
            let is_talk = *command == Command::Never && !commands::says_only_never(words);
            game.state != State::Running || !is_talk && (*command == Command::Never || !moves_too(words))
        });
        if writer.person.never && !matches!(&found, Some((Command::Never, _))) {
            // What it is not certain who asked for ends with the first letter that shows who writes.
            if writer.person.never_until.is_some() || matches!(&found, Some((Command::Write, _))) {
                self.lift(writer);
            } else {
                // Whoever wants no letters may still move.
                (self.silent, self.capped) = (true, true);
            }
        }
        let stays = matches!(&found, Some((Command::Yes | Command::No | Command::Never | Command::ForgetMe, _)) | None);
        if self.capped && !stays {
            return Ok(Did::TooMuch);
        }
        match &found {
            Some((Command::Never, _)) => {
                self.keep_game(&game);
                self.never(writer)?;
                return Ok(Did::NeverAgain);
            }
            Some((command, _)) => {
                if let Some(did) = self.moving(writer, &mut game, index, mail, command)? {
                    return Ok(did);
                }
                let general = matches!(
                    command,
                    Command::Help
                        | Command::Games
                        | Command::Rules(..)
                        | Command::Play(_)
                        | Command::MyGames
                        | Command::Standings
                        | Command::Name(_)
                        | Command::Prove(_)
                        | Command::Resign(_)
                        | Command::ForgetMe
                        | Command::Watch(_)
                        | Command::Unwatch(_)
                );
                if general {
                    self.keep_game(&game);
                    return self.command(writer, mail, command);
                }
            }
            None => {}
        }
        if self.is_like_program(&mut game, index, mail, lines, found.is_some()) {
            self.keep_game(&game);
            return Ok(Did::LikeProgram);
        }
        let did = match game.state {
            State::Invited => self.answered(writer, &mut game, index, mail, lines, found.map(|(command, _)| command)),
            State::Declined => {
                let said = "There is no game: the invitation was declined or taken back.".to_owned();
                let mut saying = Saying::of([said]);
                saying.taps =
                    vec![(format!("play {}", game.game), "Play anybody who wants the same".to_owned()), tap("games")];
                self.say(writer, Some(mail), "No game", saying)?;
                Ok(Did::DeclinedBefore)
            }
            State::Lapsed => self.after_lapse(writer, &mut game, index, mail, lines, found),
            State::Running | State::Over => {
                match self.unsure_letter(writer, &mut game, index, mail, found.as_ref().map(|(command, _)| command))? {
                    Some(did) => Ok(did),
                    None => self.in_game(writer, &mut game, index, mail, found),
                }
            }
        }?;
        if matches!(did, Did::Entered(_) | Did::Taken(_)) {
            game.seats[index].idle.is_person();
        }
        self.keep_game(&game);
        Ok(did)
    }

    /// Whether a letter is not to be read because it is like a program's that does not say so. While a game is played it is read for an entry,
    /// and not answered without one.
    fn is_like_program(&mut self, game: &mut Game, index: usize, mail: &Mail, lines: &[String], asks: bool) -> bool {
        // Of what may be cut off nothing is known.
        if mail.fault.is_some() {
            return false;
        }
        let is_invited = game.state == State::Invited;
        let answers = is_invited && (agrees(lines) || declines(lines));
        if asks || answers || mail.brings_entries() || lines.iter().any(|line| looks_like_entry(line)) {
            game.seats[index].idle.is_person();
            return false;
        }
        let subject = [mail.subject.clone()];
        let said = if lines.is_empty() { &subject } else { lines };
        self.robot = game.seats[index].idle.came(said, self.now);
        match game.state {
            State::Running | State::Over => false,
            // An invitation is shown once more, and not again.
            _ => self.robot || is_invited && game.seats[index].odd > 0,
        }
    }

    /// An answer to an invitation.
    fn answered(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        lines: &[String],
        command: Option<Command>,
    ) -> Result<Did, Trouble> {
        let is_no = command == Some(Command::No) || declines(lines);
        if is_no {
            self.declined(game, index)?;
            let said = match index == game.by {
                true => "The invitation is taken back.",
                false => "You have declined. Nothing more is asked of you.",
            };
            self.say(writer, Some(mail), "No game", Saying::of([said.to_owned()]))?;
            return Ok(Did::Declined);
        }
        if index == game.by {
            let said = format!("{} has not answered your invitation yet.", printable(&game.seats[1 - index].name));
            let mut saying = Saying::of([said]);
            saying.taps = vec![("decline".to_owned(), "Take the invitation back".to_owned()), tap("my games")];
            self.say(writer, Some(mail), "An invitation that waits", saying)?;
            return Ok(Did::WaitsForOther);
        }
        if command == Some(Command::Yes) || agrees(lines) {
            game.seats[index].agreed = true;
            game.seats[index].name.clone_from(&writer.person.name);
            self.note_reply(game, true)?;
            self.caused(writer);
            self.begin(game)?;
            return Ok(Did::Agreed);
        }
        if let Some(kind) = commands::game_of(&game.game).filter(|_| !self.silent) {
            self.caused(writer);
            self.invitation(game, kind, lines)?;
            game.seats[index].odd += 1;
        }
        Ok(Did::NeitherYesNorNo)
    }

    /// Begins a game: its record is written, and both players get its first letter.
    pub(super) fn begin(&mut self, game: &mut Game) -> Result<(), Trouble> {
        let Some(kind) = commands::game_of(&game.game) else {
            return Err(Trouble::of(format!("there is no game `{}`", game.game)));
        };
        let info = kind.info();
        let options = read_options(info, &game.options).map_err(Trouble::of)?;
        let started = self.now.utc().map(|time| time.format("%Y-%m-%d").to_string()).unwrap_or_default();
        for (seat, side) in game.seats.iter_mut().zip(&info.sides) {
            // A name may have been noted before such names were refused.
            seat.name =
                Some(called::name(&seat.name)).filter(|name| !name.is_empty()).unwrap_or_else(|| stand_in(side.word));
        }
        let names = game.seats.each_ref().map(|seat| self.without_tokens(&seat.name));
        let host = hosting::of_new_game(self.host.office)?;
        let keys = self.keys_of(game)?;
        let [first, second] = [0, 1].map(|nth| (names[nth].as_str(), None, keys[nth].clone()));
        let record = begin(&Beginning {
            clock: game.clock.as_deref(),
            options: &options,
            sealed: info.sealable,
            players: [first, second],
            host: Some((&host.name, host.email.as_deref(), host.key)),
            ..Beginning::new(info, &game.id, [&names[0], &names[1]], &started)
        });
        let checked = verdict::verify(record.as_bytes());
        if checked.ruling != Ruling::Legal {
            return Err(Trouble::of(format!("the record of {} would be {checked}", game.id)));
        }
        game.state = State::Running;
        game.begun = Some(self.now.0);
        self.keep_record(&game.id, record.clone().into_bytes());
        let record = self.forced(game, record.into_bytes())?;
        let desk = records::on_desk(&record, &game.id)?;
        for side in Side::BOTH {
            self.position(game, side, &desk, &Beside::default())?;
        }
        self.schedule(game, &desk.opened);
        self.keep_game(game);
        Ok(())
    }

    /// Makes the entries that the rules force, of sides whose entries the host makes.
    fn forced(&mut self, game: &Game, mut record: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        for _ in 0..MOST_FORCED {
            let desk = records::on_desk(&record, &game.id)?;
            let standing = desk.opened.table.standing();
            let is_kept = hosting::is_kept(&desk.opened, standing.due.side);
            if standing.outcome.is_some() || desk.opened.table.seals().is_none() || !is_kept {
                break;
            }
            let mut keys = self.keys_to_move(game, &desk.opened)?;
            match Typed::new(What::Forced, after(&standing, self.now)).by_itself().make(&desk, &mut keys) {
                Ok(signed) => {
                    let longer = signed.entered.record;
                    drop(desk);
                    record = longer;
                    self.keep_record(&game.id, record.clone());
                }
                Err(NotMade::Choice | NotMade::NotForced(_) | NotMade::NotPrepared(_)) => break,
                Err(refusal) if keys.passing || matches!(refusal, NotMade::Refused(Refusal::Lost(_))) => {
                    return Err(refusal.trouble(&game.id));
                }
                Err(refusal) => {
                    self.log(&Did::NotForced, json!({"id": game.id, "why": refusal.to_string()}));
                    break;
                }
            }
        }
        Ok(record)
    }

    /// A letter about a game that is played, or over.
    pub(super) fn in_game(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        found: Option<(Command, String)>,
    ) -> Result<Did, Trouble> {
        let side = side_of(index);
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        game.not_shortened(&desk.opened)?;
        if let Some(did) = self.brought(writer, game, side, mail, &desk)? {
            return Ok(did);
        }
        if mail.auto {
            return Ok(Did::ByProgram);
        }
        if let Some((command, _)) = &found
            && let Some(did) = self.asked_in_game(writer, game, index, (mail, &desk), command)?
        {
            return Ok(did);
        }
        let receive::Words { mut lines, unsure } = receive::own_words(&desk, mail, side, self.host.office.settings()?);
        self.clean_lines(&mut lines);
        // What is perhaps not the writer's, or not whole, is asked about in its own game alone.
        let unsure = unsure || mail.fault.is_some();
        let games = if unsure { Vec::new() } else { writer.person.games.clone() };
        let others = apart(&mut lines, &game.id, &games);
        if !others.is_empty() && !self.capped {
            let own = game.id.clone();
            self.about_others(writer, &own, mail, &others)?;
            if lines.is_empty() {
                return Ok(Did::OfAnotherGame);
            }
        }
        let referred = incoming::answered(mail).filter(|answered| answered.game == game.id);
        let other = game.seats[1 - index].name.clone();
        let written =
            Written { mail, desk: &desk, side, other: &other, lines: &lines, unsure, referred: referred.as_ref() };
        if lines.is_empty() {
            self.caused(writer);
            let why = match mail.unreadable {
                Some(unreadable) => format!("Your letter could not be read: {}.", unreadable.in_words()),
                None => "Your letter has no words of yours that a program could read. Nothing was entered.".to_owned(),
            };
            self.nothing_entered(writer, game, &written, Back::of(why))?;
            return Ok(Did::NoWords);
        }
        match course::of(&written) {
            Some(Course::Talk) => self.talk(writer, game, (side, written.unsure), mail, &desk, &lines),
            Some(Course::Wished(wish)) => self.wished(writer, game, (side, mail), &desk, wish),
            Some(Course::ResignsNext) => self.resigns_next(writer, game, (side, mail), &desk),
            Some(Course::Refused(back, did)) => {
                self.nothing_entered(writer, game, &written, *back)?;
                Ok(did)
            }
            None => self.understood(writer, game, &written),
        }
    }

    /// Does what a command says that is about one game; `None` if the letter is to be read for its words.
    fn asked_in_game(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        (mail, desk): (&Mail, &Desk<'_>),
        command: &Command,
    ) -> Result<Option<Did>, Trouble> {
        let side = side_of(index);
        let answers = mail.message_id.as_deref();
        Ok(Some(match command {
            Command::Show | Command::Record | Command::Write => {
                self.caused(writer);
                self.position(game, side, desk, &Beside { answers, ..Beside::default() })?;
                Did::Asked(Command::Show)
            }
            Command::Page => {
                self.caused(writer);
                self.position(game, side, desk, &Beside { answers, page: true, asked: true, ..Beside::default() })?;
                Did::Asked(Command::Page)
            }
            Command::PassOn(code) => self.pass_it_on(writer, game, (side, mail), desk, code)?,
            Command::Again if desk.opened.table.standing().outcome.is_some() => {
                self.again(writer, game, index, mail)?
            }
            Command::If(_) if !hosting::is_kept(&desk.opened, side) => {
                self.caused(writer);
                let saying = Saying::of([program::enters(&desk.opened)]);
                self.about(game, side, desk, (answers, "your prepared replies"), saying)?;
                Did::AskedIfOfProgram
            }
            Command::If(words) => {
                let saying = self.foresee(game, side, desk.opened.text.as_bytes(), words)?;
                self.caused(writer);
                self.about(game, side, desk, (answers, "your prepared replies"), saying)?;
                Did::Asked(command.clone())
            }
            _ => return Ok(None),
        }))
    }

    /// Tells somebody why nothing was entered from a letter.
    fn nothing_entered(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        written: &Written<'_>,
        mut back: Back,
    ) -> Result<(), Trouble> {
        if self.silent || self.robot {
            return Ok(());
        }
        let (mail, opened, is_due) = (written.mail, &written.desk.opened, written.is_due());
        if written.unsure {
            back.why = format!("{} {}", receive::doubt(mail), back.why);
        }
        self.caused(writer);
        let saying = Saying {
            before: vec!["Your letter was read:".to_owned()],
            quoted: written.lines.to_vec(),
            said: vec![back.why, state(opened)],
            lists: is_due && back.moves.is_empty() && back.taps.is_empty(),
            taps: back.taps,
            moves: back.moves,
            begin: is_due && opened.header.info.stepwise,
            ..Saying::default()
        };
        self.about(game, written.side, written.desk, (mail.message_id.as_deref(), "nothing was entered"), saying)
    }

    /// Understands words of the side that may write now, and enters what they mean, or says why not.
    fn understood(&mut self, writer: &mut Writer, game: &mut Game, written: &Written<'_>) -> Result<Did, Trouble> {
        let Written { mail, desk, side, lines, unsure, referred, .. } = *written;
        let (answers, standing) = (mail.message_id.as_deref(), desk.opened.table.standing());
        let is_due = written.is_due();
        // Whoever claims as soon as the time is up is noted, and need not write again.
        if !is_due
            && !unsure
            && let Some(did) = self.claims_early(writer, game, side, answers, desk)?
        {
            return Ok(did);
        }
        let mut trying = Trying::new(self.host.office, desk, &game.id, after(&standing, self.now))?;
        // What only this player sees may be entered too.
        let own = match is_due && hides(desk, side) {
            true => {
                let choices = view::told(self.host.office, desk.opened.text.as_bytes(), side)?.choices;
                Some(choices.whole.into_iter().chain(choices.begun).collect::<Vec<_>>())
            }
            false => None,
        };
        let understood = receive::understood(
            &receive::Written {
                desk,
                sender: side,
                lines,
                referred,
                corrects: false,
                moves: own.as_deref(),
                damaged: unsure,
            },
            &mut trying,
        );
        // What could not be tried is no fault of the letter.
        if let Some((trouble, passing)) = trying.ended()
            && (passing || self.host.fault_of(&game.id, Look::Quick)?.is_some())
        {
            return Err(trouble);
        }
        match understood {
            Understood::Entry(meant) => match self.enter_clean(game, desk, side, &meant)? {
                Entered::Made => {
                    let rest = beside(lines, &meant);
                    self.caused(writer);
                    if hides(desk, side) {
                        self.after_entry(game, Some((side, answers, "")))?;
                        self.kept_beside(writer, game, (side, mail), &meant, rest)?;
                    } else {
                        let said: String = rest.join("\n").chars().take(MOST_BESIDE).collect();
                        self.after_entry(game, Some((side, answers, &said)))?;
                    }
                    Ok(Did::Entered(game.id.clone()))
                }
                Entered::Refused(back) => {
                    self.nothing_entered(writer, game, written, *back)?;
                    Ok(Did::Illegal)
                }
            },
            Understood::NotYet => {
                let mut saying = Saying::of(["Understood: no move yet.".to_owned(), state(&desk.opened)]);
                saying.lists = true;
                saying.begin = desk.opened.header.info.stepwise;
                if !self.silent && !self.robot {
                    self.caused(writer);
                    self.about(game, side, desk, (answers, "no move yet"), saying)?;
                }
                Ok(Did::NotYet)
            }
            Understood::Nothing { nearest: None } => self.talk(writer, game, (side, unsure), mail, desk, lines),
            Understood::Declined => {
                let why = "Your letter says that you do not want to play. A game that has begun ends by `resign`."
                    .replace('`', "\"");
                let back = Back { taps: vec![tap("resign"), tap("not yet")], ..Back::of(why) };
                self.nothing_entered(writer, game, written, back)?;
                Ok(Did::WantsNoGame)
            }
            other => {
                let refusal = |actions: &str| {
                    let mut keys =
                        Keys::to_move(&OwnGame::new(self.host.office, &game.id), &desk.opened, &game.id, true, false)
                            .ok()?;
                    let typed = Typed::new(What::Actions(actions), after(&standing, self.now));
                    match typed.judge(desk, &mut keys) {
                        Err(NotMade::Refused(Refusal::Entry(_, verdict))) => Some(*verdict),
                        _ => None,
                    }
                };
                let (_, back) = receive::asked(&other, own.unwrap_or_else(|| desk.opened.table.moves()), &refusal);
                self.nothing_entered(writer, game, written, back)?;
                Ok(Did::NotOneEntry)
            }
        }
    }

    /// Enters what was meant, without a message that names something hidden.
    fn enter_clean(&mut self, game: &Game, desk: &Desk<'_>, side: Side, meant: &Meant) -> Result<Entered, Trouble> {
        match meant.message.as_deref().is_some_and(|said| names_hidden(desk, side, said)) {
            true => self.enter(game, desk, &Meant { message: None, ..meant.clone() }),
            false => self.enter(game, desk, meant),
        }
    }

    /// Gives back what was written beside an entry and is not passed on: words without a mark, and a message that was left out.
    fn kept_beside(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        by: (Side, &Mail),
        meant: &Meant,
        mut rest: Vec<String>,
    ) -> Result<(), Trouble> {
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        let message = meant.message.as_deref().filter(|said| names_any_hidden(&desk, by.0, said));
        if let Some(said) = message
            && !rest.iter().any(|line| line.contains(said))
        {
            rest.push(said.to_owned());
        }
        if !rest.is_empty() {
            let why = if message.is_some() { Why::Names } else { Why::Beside };
            self.keep_back(writer, game, by, &desk, &rest, why)?;
        }
        Ok(())
    }

    /// Enters what was meant.
    pub(super) fn enter(&mut self, game: &Game, desk: &Desk<'_>, meant: &Meant) -> Result<Entered, Trouble> {
        let mut keys = self.keys_to_move(game, &desk.opened)?;
        let time = after(&desk.opened.table.standing(), self.now);
        let typed = Typed::new(What::Actions(&meant.actions), time).saying(meant.message.as_deref()).by_itself();
        match typed.make(desk, &mut keys) {
            Ok(signed) => {
                self.keep_record(&game.id, signed.entered.record);
                Ok(Entered::Made)
            }
            Err(NotMade::Refused(Refusal::Entry(_, verdict))) => {
                let moves = nearest_first(desk.opened.table.moves(), &meant.actions);
                Ok(Entered::Refused(Box::new(Back { moves, ..Back::of(receive::in_words(&meant.actions, &verdict)) })))
            }
            Err(refusal) => Err(refusal.trouble(&game.id)),
        }
    }

    /// What follows an entry: what is forced or foreseen, the letters to all, the clock, and the count when the game is over. `by`: who made
    /// it, the letter that it came by, and what was written besides.
    pub(super) fn after_entry(
        &mut self,
        game: &mut Game,
        by: Option<(Side, Option<&str>, &str)>,
    ) -> Result<(), Trouble> {
        // A letter that waited here before it was read costs nobody time: its answer counts from now.
        let now = self.host.office.now();
        if now.0.saturating_sub(self.now.0) > AHEAD {
            game.stood_still(self.now.0, now.0);
        }
        let mut record = self.record(&game.id)?;
        for _ in 0..MOST_FORCED {
            let before = record.len();
            record = self.resigned(game, record)?;
            record = self.forced(game, record)?;
            record = self.foreseen(game, record)?;
            if record.len() == before {
                break;
            }
        }
        record = self.shown(game, record)?;
        let desk = records::on_desk(&record, &game.id)?;
        let standing = desk.opened.table.standing();
        for side in Side::BOTH {
            let (answers, word) = match by {
                Some((mover, answers, _)) if mover == side => (answers, None),
                Some((_, _, said)) => (None, Some(said).filter(|said| !said.is_empty())),
                None => (None, None),
            };
            // A program knows what it has entered, unless something has followed.
            let is_newest = desk.last().is_some_and(|(mover, _)| mover == side) && standing.outcome.is_none();
            let is_own = by.is_some_and(|(mover, ..)| mover == side) && !hosting::is_kept(&desk.opened, side);
            if answers.is_some() && self.silent && !is_own || is_own && is_newest {
                continue;
            }
            let page = standing.outcome.is_some();
            self.position(game, side, &desk, &Beside { word, answers, page, asked: false })?;
        }
        self.watchers(game, &desk)?;
        self.schedule(game, &desk.opened);
        game.told = Some(standing.entries);
        if let Some(outcome) = standing.outcome
            && game.state == State::Running
        {
            game.state = State::Over;
            let won = match outcome {
                Outcome::Win(side, _) => Some(side.index()),
                Outcome::Draw(_) => None,
            };
            self.count(game, won)?;
        }
        Ok(())
    }

    /// Publishes the secrets that the host keeps once a game is over (Z10, Z40).
    fn shown(&mut self, game: &Game, record: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        let desk = records::on_desk(&record, &game.id)?;
        if desk.opened.table.standing().outcome.is_none() || desk.opened.table.seals().is_none() {
            return Ok(record);
        }
        let mut text = verdict::format(&record)
            .map_err(|verdict| Trouble::of(format!("the record of {} is {verdict}", game.id)))?;
        secrets::append(self.host.office, &desk.opened, &mut text)?;
        self.keep_record(&game.id, text.clone());
        Ok(text)
    }

    /// Makes the reply that the side which is due has foreseen.
    fn foreseen(&mut self, game: &mut Game, record: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        let desk = records::on_desk(&record, &game.id)?;
        let standing = desk.opened.table.standing();
        let index = standing.due.side.index();
        let may = standing.outcome.is_none() && hosting::is_kept(&desk.opened, standing.due.side);
        let Some(tree) = game.foreseen[index].clone().filter(|_| may) else { return Ok(record) };
        let mut keys = self.keys_to_move(game, &desk.opened)?;
        let typed = Typed::new(What::Prepared(&tree), after(&standing, self.now)).by_itself();
        let longer = match typed.make(&desk, &mut keys) {
            Ok(signed) => {
                let rest = signed.prepared.map(|prepared| prepared.rest);
                game.foreseen[index] = rest.filter(|rest| !rest.branches.is_empty());
                Some(signed.entered.record)
            }
            Err(refusal) if keys.passing || matches!(refusal, NotMade::Refused(Refusal::Lost(_))) => {
                return Err(refusal.trouble(&game.id));
            }
            Err(NotMade::NotPrepared(conditions::State::Void { .. }) | NotMade::Refused(_)) => {
                game.foreseen[index] = None;
                None
            }
            Err(NotMade::NotPrepared(_) | NotMade::Choice | NotMade::NotForced(_)) => None,
        };
        drop(desk);
        Ok(match longer {
            Some(longer) => {
                self.keep_record(&game.id, longer.clone());
                longer
            }
            None => record,
        })
    }

    /// Notes a reply that somebody foresees: `if c4-c5 then b4-c4`.
    fn foresee(&mut self, game: &mut Game, side: Side, record: &[u8], words: &str) -> Result<Saying, Trouble> {
        let desk = records::on_desk(record, &game.id)?;
        if desk.opened.table.standing().due.side == side {
            let why = "It is your turn: you can prepare a reply only while your opponent is to move.";
            return Ok(Saying::of([why.to_owned()]));
        }
        let lower = words.to_ascii_lowercase();
        let mut typed = Vec::new();
        let mut rest = words.get(lower.find("if ").map_or(0, |at| at + 3)..).unwrap_or_default();
        while let Some((theirs, behind)) = split_word(rest, " then ") {
            let (mine, next) = match split_word(behind, " if ") {
                Some((mine, next)) => (mine, next),
                None => (behind, ""),
            };
            let clean = |text: &str| text.trim().trim_matches(|c: char| ".,;".contains(c)).trim().to_owned();
            typed.push(clean(theirs));
            typed.push(clean(mine));
            rest = next;
        }
        let mut keys = Keys::new(self.host.office, &desk.opened, side, true);
        let old = game.foreseen[side.index()].clone();
        Ok(match conditions::add(desk, old, &typed, self.now, &mut keys) {
            Ok(added) => {
                game.foreseen[side.index()] = Some(added.conditions);
                let pairs = added.path.chunks(2).map(|pair| pair.join(" -> ")).collect::<Vec<_>>().join(", then ");
                Saying::of([format!(
                    "Noted: {pairs}. Your reply is entered as soon as that move is made; anything else voids it."
                )])
            }
            Err(conditions::Unfit::Refused(refusal)) if keys.passing => {
                return Err(Trouble::refusal(&game.id, refusal));
            }
            Err(unfit) => Saying::of([format!(
                "That reply cannot be prepared: {}. Nothing was noted.",
                printable(&unfit.to_string())
            )]),
        })
    }

    /// The same game once more, with sides changed: an invitation to the same opponent.
    pub(super) fn again(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
    ) -> Result<Did, Trouble> {
        let wanted = commands::Wanted {
            game: game.game.clone(),
            options: game.options.clone(),
            clock: Some(game.clock.clone().unwrap_or_else(|| "none".to_owned())),
            ..commands::Wanted::default()
        };
        let sound: Sound = self.sound(&wanted).map_err(Trouble::of)?;
        let other = &game.seats[1 - index];
        let (name, is_there) = (printable(&other.name).into_owned(), self.wants(&other.address)?);
        let mut other = self.person(&other.address)?;
        if !is_there || other.unreachable || self.not_invited(writer, &other)?.is_some() {
            let said = format!("{name} cannot be invited now.");
            self.say(writer, Some(mail), "No game", Saying::of([said]))?;
            return Ok(Did::Unwritable);
        }
        let mut new = self.new_game(&sound, 1 - index, &writer.person, &other)?;
        new.seats[1 - index].agreed = true;
        Self::remember_game(&mut writer.person, &new.id);
        Self::remember_game(&mut other, &new.id);
        self.note_invited(writer, &other, &new)?;
        self.keep_person(&other);
        self.keep_game(&new);
        self.caused(writer);
        self.invitation(&new, sound.game, &[])?;
        let said = format!("{} is invited once more ({}), to {}.", printable(&other.name), new.id, told(&sound));
        self.say(writer, Some(mail), "An invitation", Saying::of([said]))?;
        Ok(Did::Invited(new.id.clone()))
    }
}

/// Splits a text at a word, in any letter case.
fn split_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = text.to_ascii_lowercase().find(word)?;
    Some((text.get(..at)?, text.get(at + word.len()..)?))
}
