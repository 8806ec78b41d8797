//! Letters that are not about a running game: questions, games that are asked for, lists of those who wait, invitations, and who wants
//! letters at all.

use super::ailing::Look;
use super::commands::{self, Command, Wanted};
use super::did::Did;
use super::letters::Saying;
use super::listed::{BRIEF_HELP, HELP};
use super::notes::{Game, Person, Seat, Seek, State};
use super::work::{Work, Writer};
use postrider_home::invite::begin as beginnings;
use postrider_home::office::Trouble;
use postrider_kernel::text::{capital, printable};
use postrider_kernel::{Info, Options};
use postrider_mail::address::is_same;
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_mail::understand::{is_word_of_entry, looks_like_entry};
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::judging;
use postrider_referee::record::Clock;
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_referee::verdict;
use postrider_referee::verdict::Ruling;

/// The most people on one list, and lists on which one person waits.
const MOST_WAITING: usize = 1000;
const MOST_SEEKS: usize = 10;
/// The most games that somebody may have going, or be invited to.
pub(super) const MOST_RUNNING: usize = 50;

/// A game that can be begun.
pub(super) struct Sound {
    pub(super) game: &'static dyn AnyGame,
    pub(super) wanted: Wanted,
}

/// What is wrong with a wish, in whole sentences.
type Wrong = String;

/// What is wanted, as it could be written in a letter.
pub(super) fn in_words(wanted: &Wanted) -> String {
    let mut text = format!("play {}", wanted.game);
    if let Some(with) = &wanted.with {
        text.push_str(&format!(" with {with}"));
    }
    if let Some(side) = &wanted.side {
        text.push_str(&format!(" as {side}"));
    }
    for option in &wanted.options {
        text.push_str(&format!(" {option}"));
    }
    if let Some(clock) = &wanted.clock {
        text.push_str(&format!(" clock {clock}"));
    }
    text
}

/// The same for people to read: a game, and what is asked of it.
pub(super) fn told(sound: &Sound) -> String {
    let (info, wanted) = (sound.game.info(), &sound.wanted);
    let mut text = info.title.to_owned();
    for (before, part) in [(" with ", &wanted.with), (" as ", &wanted.side)] {
        text.extend(part.iter().flat_map(|part| [before, part]));
    }
    if !wanted.options.is_empty() {
        text.push_str(&format!(", {}", wanted.options.join(", ")));
    }
    match wanted.clock.as_deref() {
        None | Some("none") => text.push_str(", without a clock"),
        Some(clock) => text.push_str(&format!(", in which each side has {}", granted(clock))),
    }
    printable(&text).into_owned()
}

/// What a clock grants each side, in words.
pub(super) fn granted(clock: &str) -> String {
    Clock::read(clock).map_or_else(|_| clock.to_owned(), |clock| judging::granted(&clock))
}

/// What a player is called whose name is not known yet.
pub(super) fn stand_in(side: &str) -> String {
    format!("The player of {side}")
}

impl Work<'_, '_> {
    /// Deals with a letter that shows no token of a game.
    pub(super) fn letter(&mut self, writer: &mut Writer, mail: &Mail, lines: &[String]) -> Result<Did, Trouble> {
        let found = commands::read(lines, &mail.subject);
        if writer.person.never
            && let Some(did) = self.after_never(writer, mail, found.as_ref().map(|(command, _)| command))?
        {
            return Ok(did);
        }
        // A game's letter without its token is answered with the letter that is due, and never taken.
        if let Some(answered) = incoming::answered(mail)
            && let Some(game) = self.game(&answered.game)?
            && let Some(side) = game.seat_of(&writer.person.address)
        {
            let why = "Your letter does not show that you got the last one of this game: please reply to this letter, and not to the \
                       address alone. Nothing was entered.";
            self.due_again(writer, &game, side, mail, lines, why)?;
            return Ok(Did::TokenMissing);
        }
        let Some((command, _)) = found else {
            let said = if lines.is_empty() { vec![mail.subject.clone()] } else { lines.to_vec() };
            let (now, mut is_program) = (self.now, false);
            // Somebody who has perhaps written at all is told once how to write.
            let most = if self.brief { 1 } else { u32::MAX };
            self.change_mailbox(&writer.person.address, |mailbox| {
                is_program = mailbox.idle.came(&said, now) || mailbox.idle.count > most;
            })?;
            if is_program {
                return Ok(Did::LikeProgram);
            }
            let is_move = lines.iter().any(|line| looks_like_entry(line) || is_word_of_entry(line));
            let why = match (lines.is_empty(), is_move, writer.person.games.is_empty()) {
                (true, ..) => "Your letter has no words of yours that a program could read.",
                (_, true, true) => OF_NO_GAME,
                (_, true, false) => OF_A_GAME,
                _ => "This address is read by a program, which looks for one of a few words on the first line.",
            };
            self.help(writer, mail, lines, why)?;
            return Ok(Did::NotUnderstood);
        };
        self.change_mailbox(&writer.person.address, |mailbox| mailbox.idle.is_person())?;
        self.command(writer, mail, &command)
    }

    /// Does what a command says that is not about one game.
    pub(super) fn command(&mut self, writer: &mut Writer, mail: &Mail, command: &Command) -> Result<Did, Trouble> {
        match command {
            Command::Help => self.help(writer, mail, &[], ""),
            Command::Games => self.games(writer, mail),
            Command::Rules(book, rule) => self.rules(writer, mail, book, rule.as_deref()),
            Command::Play(wanted) => return self.play(writer, mail, wanted),
            Command::Yes => return self.yes(writer, mail),
            Command::Standings => self.standings(writer, mail),
            Command::Never if writer.sure || !writer.person.answered => {
                self.never(writer)?;
                Ok(())
            }
            // Who has the code got the host's letter, and who has signed it has the key.
            Command::Prove(proof) => {
                let said = self.prove(&mut writer.person, proof);
                self.say(writer, Some(mail), "Your program's key", Saying::of([said])).map(|_| ())
            }
            // What stands in it goes to somebody who has perhaps not written it.
            _ if !writer.sure => {
                let Some(words) = commands::plainly(command) else {
                    self.help(writer, mail, &[], ONE_GAME)?;
                    return Ok(Did::Asked(command.clone()));
                };
                let said = match command {
                    Command::Name(_) => "Somebody who writes as you wants another name in new games.".to_owned(),
                    _ => format!("Somebody who writes as you asks for this: {}.", printable(&words)),
                };
                self.confirm(writer, mail, words, said)?;
                return Ok(Did::ToBeConfirmed);
            }
            Command::Resign(id) => return self.resign(writer, mail, id),
            Command::ForgetMe => return self.forget_me(writer, mail),
            Command::MyGames => self.my_games(writer, mail),
            Command::No => self.withdraw(writer, mail),
            Command::Name(name) if name.is_empty() => {
                let said = "A name has letters, spaces, points, apostrophes and hyphens.".to_owned();
                self.say(writer, Some(mail), "Your name", Saying::of([said])).map(|_| ())
            }
            Command::Name(name) => {
                writer.person.name.clone_from(name);
                writer.person.chosen = true;
                let said = format!("Your name in new games is {}.", printable(&writer.person.name));
                self.say(writer, Some(mail), "Your name", Saying::of([said])).map(|_| ())
            }
            Command::Key(text) => {
                let said = self.own_program(&mut writer.person, text);
                self.say(writer, Some(mail), "Your program's key", Saying::of([said])).map(|_| ())
            }
            Command::Watch(id) => self.watch(writer, mail, id, true),
            Command::Unwatch(id) => self.watch(writer, mail, id, false),
            Command::Write => {
                self.say(writer, Some(mail), "Letters again", Saying::of(["You get letters.".to_owned()])).map(|_| ())
            }
            Command::MovesHere(id, code) => return self.moves_here(writer, mail, id, code),
            Command::Never
            | Command::Show
            | Command::Record
            | Command::Page
            | Command::NewAddress
            | Command::Moves(_)
            | Command::Again
            | Command::PassOn(_)
            | Command::If(_) => self.help(writer, mail, &[], ONE_GAME),
        }?;
        Ok(Did::Asked(command.clone()))
    }

    pub(super) fn leave_lists(&mut self, person: &mut Person) -> Result<usize, Trouble> {
        let names = std::mem::take(&mut person.seeks);
        for name in &names {
            if let Some(mut seek) = self.seek_by_name(name)? {
                seek.waiting.retain(|waiting| !is_same(waiting, &person.address));
                self.keep_seek(&seek);
            }
        }
        Ok(names.len())
    }

    fn withdraw(&mut self, writer: &mut Writer, mail: &Mail) -> Result<(), Trouble> {
        let mut left = self.leave_lists(&mut writer.person)?;
        for id in writer.person.games.clone().iter().rev().take(2 * MOST_RUNNING) {
            let Ok(Some(mut game)) = self.game_or_damage(id)? else { continue };
            if game.state == State::Invited && game.seat_of(&writer.person.address) == Some(game.by) {
                let side = game.by;
                self.declined(&mut game, side)?;
                left += 1;
            }
        }
        let said = match left {
            0 => "You are not waiting for a game, so there is nothing to take back.".to_owned(),
            _ => "You no longer wait for a game.".to_owned(),
        };
        self.say(writer, Some(mail), "No longer waiting", Saying::of([said])).map(|_| ())
    }

    /// Asks whether somebody has really written what came in this name.
    fn confirm(&mut self, writer: &mut Writer, mail: &Mail, words: String, said: String) -> Result<(), Trouble> {
        let mut saying = Saying::of([
            said,
            "If it was you, reply to this letter with \"yes\"; then it is done. If it was not, do nothing.".to_owned(),
        ]);
        // A name is words of whoever has written.
        if !words.starts_with("name ") {
            saying.taps = vec![(words.clone(), format!("Yes: {words}"))];
        }
        let subject = "Was it you? Please confirm";
        if let Some(id) = self.say(writer, Some(mail), subject, saying)? {
            writer.person.is_asked(words, id);
        }
        Ok(())
    }

    fn yes(&mut self, writer: &mut Writer, mail: &Mail) -> Result<Did, Trouble> {
        let confirmed = if writer.sure { writer.person.confirmed(&mail.answers) } else { None };
        let Some(words) = confirmed else {
            self.help(writer, mail, &[], "It is not clear what you say yes to: please write it out.")?;
            return Ok(Did::YesToNothing);
        };
        match commands::of(&words) {
            Some(command) if command != Command::Yes => {
                // Who sees the address stands in the letter that is answered.
                writer.person.told_address |= matches!(&command, Command::Play(wanted) if wanted.with.is_some());
                self.command(writer, mail, &command)
            }
            _ => Ok(Did::YesToNothing),
        }
    }

    /// A game is asked for.
    fn play(&mut self, writer: &mut Writer, mail: &Mail, wanted: &Wanted) -> Result<Did, Trouble> {
        let sound = match self.sound(wanted) {
            Ok(sound) => sound,
            Err(why) => {
                let how = || format!("That game cannot begin. Ask for one like this: play {} clock 5d", wanted.game);
                let mut saying = Saying::of([if self.brief { how() } else { why }]);
                saying.taps =
                    vec![(format!("play {}", wanted.game), format!("play {}", wanted.game)), tap("games"), tap("help")];
                self.say(writer, Some(mail), "That game cannot be begun", saying)?;
                return Ok(Did::NoSuchGame);
            }
        };
        let words = in_words(&sound.wanted);
        if !writer.sure {
            let mut said = format!("Somebody who writes as you asks for a game of {}.", told(&sound));
            if let Some(with) = &sound.wanted.with
                && self.is_stranger(&self.person(with)?)?
            {
                said.push_str(&format!(" {}", shows_address(with, &writer.person.address)));
            }
            self.confirm(writer, mail, words, said)?;
            return Ok(Did::ToBeConfirmed);
        }
        writer.person.told_address |= writer.person.was_told_by(&mail.answers);
        let mut running = 0;
        for id in writer.person.games.iter().rev().take(2 * MOST_RUNNING) {
            let state = self.game(id)?.map(|game| game.state);
            running += usize::from(matches!(state, Some(State::Running | State::Invited)));
        }
        if running >= MOST_RUNNING {
            let said = format!(
                "You have {running} games going on or about to begin, which is the most that anyone may have here."
            );
            self.say(writer, Some(mail), "Too many games", Saying::of([said]))?;
            return Ok(Did::TooManyGames);
        }
        match sound.wanted.with.clone() {
            Some(with) => self.invite(writer, mail, &sound, &with),
            None => self.seek_game(writer, mail, &sound),
        }
    }

    /// Judges what is wanted before anything is done.
    pub(super) fn sound(&self, wanted: &Wanted) -> Result<Sound, Wrong> {
        let game = commands::game_of(&wanted.game)
            .ok_or_else(|| format!("No game is called \"{}\".", printable(&wanted.game)))?;
        let info = game.info();
        if let Some(odd) = wanted.odd.first() {
            return Err(format!(
                "\"{}\" is not understood. Ask for a game like this: play {} with bram@example.net as {} clock 5d",
                printable(odd),
                info.name,
                info.sides[1].word
            ));
        }
        let options = read_options(info, &wanted.options)?;
        let record = begin(&Beginning {
            options: &options,
            sealed: info.sealable,
            ..Beginning::new(info, "a-game-to-come", ["One", "Other"], "2026-01-01")
        });
        let checked = verdict::verify(record.as_bytes());
        if checked.ruling != Ruling::Legal {
            return Err(format!("That game cannot be begun: {checked}."));
        }
        if let Some(clock) = wanted.clock.as_deref().filter(|clock| *clock != "none") {
            Clock::read(clock).map_err(|misfit| {
                format!(
                    "The clock \"{}\" does not fit at character {}: expected {}. A clock is 5d, 50d/10 or 30d+1d, followed by `leave 30d` \
                     if leave is granted.",
                    printable(clock),
                    misfit.offset + 1,
                    misfit.expected
                )
            })?;
        }
        if let Some(side) = &wanted.side
            && info.side(side).is_none()
        {
            let [one, other] = info.sides.map(|side| side.word);
            return Err(format!("{} has the sides {one} and {other}, and not \"{}\".", info.title, printable(side)));
        }
        let clock = wanted.clock.clone().or_else(|| self.host.settings.clock.clone());
        Ok(Sound { game, wanted: Wanted { clock, ..wanted.clone() } })
    }

    /// Somebody seeks whoever seeks the same.
    fn seek_game(&mut self, writer: &mut Writer, mail: &Mail, sound: &Sound) -> Result<Did, Trouble> {
        let info = sound.game.info();
        let mut seek = self.seek(&Seek::of(&sound.wanted))?;
        let own = writer.person.address.clone();
        if sound.wanted.side.is_some() {
            let said =
                "The sides are drawn if you name no opponent: please ask again without naming a side.".to_owned();
            let mut saying = Saying::of([said]);
            let without = Wanted { side: None, ..sound.wanted.clone() };
            saying.taps = vec![(in_words(&without), in_words(&without))];
            self.say(writer, Some(mail), "The sides are drawn", saying)?;
            return Ok(Did::NamesSide);
        }
        let name = self.seek_name(&seek);
        let mut found = None;
        let mut left = Vec::new();
        for waiting in &seek.waiting {
            let is_own = is_same(waiting, &own);
            if found.is_none() && !is_own {
                let person = self.person(waiting)?;
                if !person.never && !person.unreachable {
                    found = Some(person);
                }
                // Whoever wants no letters waits no more.
            } else if !is_own {
                left.push(waiting.clone());
            }
        }
        seek.waiting = left;
        writer.person.seeks.retain(|known| *known != name);
        if let Some(mut other) = found {
            other.seeks.retain(|known| *known != name);
            self.keep_seek(&seek);
            // Neither of them chooses: the host draws.
            let mine = usize::from(self.host.office.random::<1>().map_err(Trouble::of)?[0] & 1);
            let mut game = self.new_game(sound, mine, &writer.person, &other)?;
            game.seats.iter_mut().for_each(|seat| seat.agreed = true);
            Self::remember_game(&mut writer.person, &game.id);
            Self::remember_game(&mut other, &game.id);
            self.keep_person(&other);
            self.caused(writer);
            self.begin(&mut game)?;
            return Ok(Did::Paired(game.id.clone()));
        }
        if seek.waiting.len() >= MOST_WAITING || writer.person.seeks.len() >= MOST_SEEKS {
            self.keep_seek(&seek);
            let said = "You are already waiting for as many games as anyone may here.".to_owned();
            self.say(writer, Some(mail), "Too many games", Saying::of([said]))?;
            return Ok(Did::WaitsForTooMany);
        }
        seek.waiting.push(own);
        writer.person.seeks.push(name);
        self.keep_seek(&seek);
        let mut saying = Saying::of([
            format!(
                "You are waiting for somebody else who wants to play {}. The game begins as soon as there is one, and you get a letter.",
                told(sound)
            ),
            "You need do nothing meanwhile. To play with somebody you know, name the address: play GAME with \
             ADDRESS."
                .to_owned(),
        ]);
        saying.taps = vec![
            ("withdraw".to_owned(), "No longer wait".to_owned()),
            tap("my games"),
            (format!("rules {}", info.name), "The rules".to_owned()),
        ];
        self.say(writer, Some(mail), &format!("Waiting for a game of {}", info.title), saying)?;
        Ok(Did::Waits)
    }

    /// Somebody names whom to play with.
    fn invite(&mut self, writer: &mut Writer, mail: &Mail, sound: &Sound, with: &str) -> Result<Did, Trouble> {
        let info = sound.game.info();
        let own = writer.person.address.clone();
        let host = postrider_mail::address::mailbox(&self.host.address);
        if is_same(with, &own) || postrider_mail::address::mailbox(with) == host {
            let said = "Nobody plays against themselves here: name the address of somebody else.".to_owned();
            self.say(writer, Some(mail), "Nobody is invited", Saying::of([said]))?;
            return Ok(Did::InvitesNobody);
        }
        let mut other = self.person(with)?;
        if let Some(why) = self.not_invited(writer, &other)? {
            self.say(writer, Some(mail), "Nobody is invited", Saying::of([why]))?;
            return Ok(Did::Unwritable);
        }
        if !writer.person.told_address && self.is_stranger(&other)? {
            writer.person.told_address = true;
            self.confirm(writer, mail, in_words(&sound.wanted), shows_address(with, &own))?;
            return Ok(Did::ToBeConfirmed);
        }
        let mine = match sound.wanted.side.as_deref().and_then(|word| info.side(word)) {
            Some(side) => side.index(),
            None => usize::from(self.host.office.random::<1>().map_err(Trouble::of)?[0] & 1),
        };
        if other.name.is_empty() {
            other.name = stand_in(info.sides[1 - mine].word);
        }
        let mut game = self.new_game(sound, mine, &writer.person, &other)?;
        game.seats[mine].agreed = true;
        Self::remember_game(&mut writer.person, &game.id);
        Self::remember_game(&mut other, &game.id);
        self.note_invited(writer, &other, &game)?;
        other.written += 1;
        self.keep_person(&other);
        self.keep_game(&game);
        self.caused(writer);
        self.invitation(&game, sound.game, &[])?;
        let mut saying = Saying::of([format!(
            "{with} is invited to a game of {}, in which you play {} (game {}). You get a letter as soon as there is an answer; \
                 you need do nothing meanwhile.",
            info.title,
            info.sides[mine].named(),
            game.id
        )]);
        saying.taps = vec![tap("my games"), (format!("rules {}", info.name), "The rules".to_owned())];
        self.say(writer, Some(mail), &format!("An invitation to {}", info.title), saying)?;
        Ok(Did::Invited(game.id.clone()))
    }

    /// Makes the note of a new game.
    pub(super) fn new_game(&self, sound: &Sound, mine: usize, own: &Person, other: &Person) -> Result<Game, Trouble> {
        let info = sound.game.info();
        let day = self.now.utc().map(|time| time.format("%Y%m%d").to_string()).unwrap_or_default();
        let bytes = self.host.office.random::<5>().map_err(Trouble::of)?;
        let word = data_encoding::BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
        let seat =
            |person: &Person| Seat { address: person.address.clone(), name: person.name.clone(), ..Seat::default() };
        let mut seats = [seat(own), seat(other)];
        if mine == 1 {
            seats.swap(0, 1);
        }
        Ok(Game {
            id: format!("{}-{day}-{word}", info.name),
            game: info.name.to_owned(),
            seats,
            by: mine,
            options: sound.wanted.options.clone(),
            clock: sound.wanted.clock.clone().filter(|clock| clock != "none"),
            forfeit: self.host.settings.forfeit,
            ..Game::default()
        })
    }

    /// Somebody who was invited declines.
    pub(super) fn declined(&mut self, game: &mut Game, side: usize) -> Result<(), Trouble> {
        game.state = State::Declined;
        self.note_reply(game, false)?;
        self.keep_game(game);
        let seat = game.seats[1 - side].clone();
        let title = commands::game_of(&game.game).map_or("", |game| game.info().title);
        let said = match side == game.by {
            true => format!("{} has taken back the invitation to {title} ({}).", game.seats[side].name, game.id),
            false => format!("{} does not want to play {title} now ({}).", printable(&game.seats[side].name), game.id),
        };
        let mut saying = Saying::of([said]);
        saying.taps = vec![(format!("play {}", game.game), "Play anybody who wants the same".to_owned()), tap("games")];
        self.tell(&seat.address, &format!("No game of {title}"), saying)
    }

    fn games(&mut self, writer: &mut Writer, mail: &Mail) -> Result<(), Trouble> {
        let list: Vec<String> =
            GAMES.iter().map(|game| format!("{:<15} {}", game.info().name, game.info().about)).collect();
        let mut saying = Saying::of(["These games are played here. You need only letters.".to_owned()]);
        saying.block = Some(list.join("\n"));
        for game in GAMES {
            let info = game.info();
            saying.taps.push((format!("play {}", info.name), format!("Play {}", info.title)));
            if !self.brief {
                saying.taps.push((format!("rules {}", info.name), format!("Rules of {}", info.title)));
            }
        }
        self.say(writer, Some(mail), "The games", saying).map(|_| ())
    }

    fn rules(&mut self, writer: &mut Writer, mail: &Mail, words: &str, rule: Option<&str>) -> Result<(), Trouble> {
        let Some(book) = commands::rulebook_of(words) else {
            let names = GAMES.iter().map(|game| game.info().name).collect::<Vec<_>>().join(", ");
            let of = if self.brief { String::new() } else { format!(" of \"{}\"", printable(words)) };
            let said = format!("There are no rules{of}. The games are {names}.");
            return self.say(writer, Some(mail), "Which rules?", Saying::of([said])).map(|_| ());
        };
        if self.brief {
            let rule = rule.filter(|number| book.section(number).is_some()).map(|number| format!(" {number}"));
            let words = format!("rules {}{}", book.name, rule.unwrap_or_default());
            let said =
                format!("The rules of {} come with a picture: reply to this letter with \"{words}\".", book.title);
            let mut saying = Saying::of([said]);
            saying.taps = vec![tap(&words), tap("help")];
            return self.say(writer, Some(mail), &format!("Rules: {}", book.title), saying).map(|_| ());
        }
        let mut saying = Saying::default();
        match rule {
            Some(number) => match book.section(number) {
                Some(text) => saying.block = Some(text),
                None => saying.said.push(format!("{} has no rule {}.", book.title, printable(number))),
            },
            None => match commands::game_of(book.name) {
                Some(game) => {
                    saying.minute = Some(game.info());
                    saying.said.push(format!("The text of one rule: rules {} {}", book.name, first_rule(book.rules)));
                    saying.game = Some((game, Vec::new()));
                    saying.taps.push((format!("play {}", book.name), format!("Play {}", book.title)));
                }
                None => saying.block = Some(book.text.chars().take(20_000).collect()),
            },
        }
        self.say(writer, Some(mail), &format!("Rules: {}", book.title), saying).map(|_| ())
    }

    fn my_games(&mut self, writer: &mut Writer, mail: &Mail) -> Result<(), Trouble> {
        let mut lines = Vec::new();
        for id in writer.person.games.clone().iter().rev().take(2 * MOST_RUNNING) {
            let Some(game) = self.game(id)? else { continue };
            let Some(side) = game.seat_of(&writer.person.address) else {
                lines.push(format!("{id}: you watch it"));
                continue;
            };
            let other = printable(&game.seats[1 - side].name).into_owned();
            lines.push(match game.state {
                State::Invited if side == game.by => format!("{id}: {other} is invited and has not answered"),
                State::Invited => format!("{id}: {other} waits for your answer"),
                State::Declined | State::Lapsed => continue,
                State::Over => format!("{id}: over, with {other}"),
                State::Running => match self.state_in_words(&game, side) {
                    Ok(state) => format!("{id}: with {other}; {state}"),
                    Err(trouble) if self.host.fault_of(id, Look::Quick)?.is_none() => return Err(trouble),
                    Err(_) => format!("{id}: with {other}; its record cannot be used here for now, and no time runs"),
                },
            });
        }
        for name in &writer.person.seeks {
            if let Some(seek) = self.seek_by_name(name)? {
                lines.push(format!("{}: you wait for somebody who seeks the same", seek.name().trim()));
            }
        }
        let said = if lines.is_empty() { "You have no games here." } else { "Your games, the newest first:" };
        let mut saying = Saying::of([said.to_owned()]);
        saying.block = (!lines.is_empty()).then(|| lines.join("\n"));
        saying.taps = vec![tap("games"), tap("help")];
        self.say(writer, Some(mail), "Your games", saying).map(|_| ())
    }

    fn watch(&mut self, writer: &mut Writer, mail: &Mail, id: &str, begins: bool) -> Result<(), Trouble> {
        let found = self.game(id)?.filter(|game| matches!(game.state, State::Running | State::Over));
        let Some(mut game) = found else {
            let said = format!("There is no game \"{}\" here.", printable(id));
            return self.say(writer, Some(mail), "No such game", Saying::of([said])).map(|_| ());
        };
        let own = writer.person.address.clone();
        game.watchers.retain(|watcher| !is_same(watcher, &own));
        if game.seat_of(&own).is_some() {
            let said = "You play in this game, and get its letters anyway.".to_owned();
            return self.say(writer, Some(mail), "Your game", Saying::of([said])).map(|_| ());
        }
        if begins && game.watchers.len() < MOST_WAITING {
            game.watchers.push(own);
            Self::remember_game(&mut writer.person, id);
        } else {
            writer.person.games.retain(|known| known != id);
        }
        self.keep_game(&game);
        if begins {
            self.caused(writer);
            writer.person.written += 1;
            return self.watched(&game, &writer.person);
        }
        self.say(writer, Some(mail), "No longer watched", Saying::of([format!("You get no more letters about {id}.")]))
            .map(|_| ())
    }

    fn help(&mut self, writer: &mut Writer, mail: &Mail, quoted: &[String], why: &str) -> Result<(), Trouble> {
        let mut saying = Saying::default();
        if !why.is_empty() {
            saying.said.push(why.to_owned());
        }
        saying.quoted = quoted.to_vec();
        saying
            .said
            .push("A letter with one of these on its first line, or in its subject, does what it says:".to_owned());
        saying.block = Some(if self.brief { BRIEF_HELP } else { HELP }.to_owned());
        saying.taps = vec![tap("games"), ("play asalto".to_owned(), "Play Asalto".to_owned()), tap("my games")];
        self.say(writer, Some(mail), "How to play here by letters", saying).map(|_| ())
    }
}

/// What is said of a move in a letter that answers none, from an address that plays, and from one that does not.
const OF_A_GAME: &str = "Your letter seems to be a move. Nothing was entered: please reply with it to the last letter of the game that you mean.";
const OF_NO_GAME: &str = "Your letter seems to be a move, but no game is played from this address, so nothing was entered. If you play from \
                          another address, please reply from there to the last letter of the game.";
/// What is said of commands that are about one game.
const ONE_GAME: &str = "That is about one game: please reply to the last letter of the game that you mean.";

/// What somebody is told before an invitation goes to a stranger.
fn shows_address(with: &str, own: &str) -> String {
    format!("{with} has never played here, so the invitation shows your address, {own}, to {with} alone.")
}

/// The first rule of a list.
fn first_rule(rules: &[postrider_kernel::Rule]) -> &'static str {
    rules.first().map_or("", |rule| rule.code)
}

/// A tap that says what stands on it.
pub(super) fn tap(words: &str) -> (String, String) {
    (words.to_owned(), words.to_owned())
}

/// Reads rule options for people.
pub(super) fn read_options(info: &Info, list: &[String]) -> Result<Options, Wrong> {
    let mut options = beginnings::read_options(info, list).map_err(|trouble| capital(&trouble.to_string()) + ".")?;
    for (name, value) in info.sealed_options {
        if !options.iter().any(|(chosen, _)| chosen == *name) {
            // It is an option of the game with one of its values, so this succeeds.
            let _ = options.choose(info.options, name, value);
        }
    }
    Ok(options)
}
