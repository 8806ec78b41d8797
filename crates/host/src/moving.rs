//! Seats that move to another address, and letters with the token of a seat that may not come from who has it.

use super::ailing::Look;
use super::commands::{self, Command};
use super::did::Did;
use super::letters::{Beside, Saying};
use super::notes::{Game, Moving, State};
use super::people::tap;
use super::play::side_of;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::records;
use postrider_kernel::text::printable;
use postrider_mail::address::is_same;
use postrider_mail::incoming::Mail;
use postrider_referee::record::is_game_id;

/// How many moves of a seat are open at once, and how many may be asked for in a day.
const MOST_OPEN: usize = 8;
const MOST_A_DAY: usize = 4;
/// For how long a move stays open, in seconds.
const OPEN: i64 = 30 * 86_400;
const DAY: i64 = 86_400;

/// Who confirms a move.
#[derive(Clone, Copy)]
enum End {
    Old,
    New,
}

impl Work<'_, '_> {
    /// What confirms one move: it names the game, the side, and both addresses, and is worth nothing for another.
    fn code(&self, game: &Game, index: usize, new: &str, end: End) -> String {
        let seat = &game.seats[index];
        let (side, generation) = (index.to_string(), seat.generation.to_string());
        let end = match end {
            End::Old => "old",
            End::New => "new",
        };
        let (old, new) = (seat.address.to_lowercase(), new.to_lowercase());
        self.host.key.token(&["move", end, &game.id, &side, &generation, &old, &new])
    }

    /// A letter with the token of a seat from another address than the seat's: taken for nothing but the wish to move the seat.
    pub(super) fn elsewhere(
        &mut self,
        writer: &mut Writer,
        mut game: Game,
        index: usize,
        mail: &Mail,
        lines: &[String],
    ) -> Result<Did, Trouble> {
        let found = commands::read(lines, &mail.subject).map(|(command, _)| command);
        writer.sure = false;
        let is_wish = matches!(found, Some(Command::NewAddress | Command::MovesHere(..)));
        if !is_wish || game.state != State::Running {
            let why = match (is_wish, game.state) {
                (true, State::Invited) => {
                    "A seat moves only once the game has begun. Please answer the invitation from the address to which it went, or ask for \
                     an invitation to this one."
                }
                (true, _) => "There is no game in which a seat could move.",
                (false, _) => {
                    "Your letter answers a letter that went to another address, so nothing was entered. If you play this game, please write it \
                     once more from that address. To play from this one from now on, reply from here to that same letter with the words: \
                     new address"
                }
            };
            let mut saying = Saying::of([why.to_owned()]);
            saying.taps = vec![tap("help")];
            self.say(writer, Some(mail), "Nothing was entered", saying)?;
            return Ok(Did::TokenFromElsewhere);
        }
        if self.stands_still(writer, mail, &game)? {
            return Ok(Did::NoSeatMovesNow);
        }
        let new = writer.person.address.clone();
        if game.seat_of(&new).is_some() {
            return Ok(Did::PlaysAlready);
        }
        if !self.opened(&mut game, index, &new) {
            self.keep_game(&game);
            return Ok(Did::TooManyAddresses);
        }
        // The old one answers with the token of the seat, the new one with its own; each confirms by a code that only its letter has.
        let said = format!(
            "Your seat in {} is to move to {}. It moves once both addresses have said yes.",
            game.id,
            printable(&new)
        );
        let mut saying = Saying::of([said, "If you do not want that, do nothing.".to_owned()]);
        saying.taps = self.open_moves(&game, index);
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        self.about(&mut game, side_of(index), &desk, (None, "does your seat move?"), saying)?;
        self.keep_game(&game);
        let said =
            format!("A seat in {} is to move to this address. It moves once both addresses have said yes.", game.id);
        let mut saying = Saying::of([said, "If you do not want that, do nothing.".to_owned()]);
        let code = self.code(&game, index, &new, End::New);
        saying.taps = vec![(format!("new address {} {code}", game.id), "Yes, it moves here".to_owned())];
        self.say(writer, Some(mail), "Does a seat move here?", saying)?;
        Ok(Did::AsksForSeat)
    }

    /// Whether a game cannot be played for now, so that no seat moves in it; then it is said.
    fn stands_still(&mut self, writer: &mut Writer, mail: &Mail, game: &Game) -> Result<bool, Trouble> {
        if self.host.fault_of(&game.id, Look::Quick)?.is_none() {
            return Ok(false);
        }
        let said = format!(
            "The game {} cannot be played here for now, and no seat moves in it. Please write again when it goes on.",
            game.id
        );
        self.say(writer, Some(mail), "No seat moves", Saying::of([said]))?;
        Ok(true)
    }

    /// Notes that a seat may move to an address; `false` if that was asked for too often today.
    fn opened(&self, game: &mut Game, index: usize, new: &str) -> bool {
        let now = self.now.0;
        let moves = &mut game.seats[index].moves;
        moves.retain(|one| one.asked.saturating_add(OPEN) > now);
        if let Some(known) = moves.iter_mut().find(|one| is_same(&one.address, new)) {
            known.asked = now;
            return true;
        }
        if moves.iter().filter(|one| one.asked.saturating_add(DAY) > now).count() >= MOST_A_DAY {
            return false;
        }
        if moves.len() >= MOST_OPEN {
            moves.remove(0);
        }
        moves.push(Moving { address: new.to_owned(), asked: now, said: [false; 2] });
        true
    }

    /// The open moves of a seat that its present address may confirm, to be tapped.
    fn open_moves(&self, game: &Game, index: usize) -> Vec<(String, String)> {
        let open = game.seats[index].moves.iter().rev();
        open.filter(|one| one.asked.saturating_add(OPEN) > self.now.0 && !one.said[0])
            .map(|one| {
                let code = self.code(game, index, &one.address, End::Old);
                (format!("yes, new address {code}"), format!("Yes, it moves to {}", printable(&one.address)))
            })
            .collect()
    }

    /// The old address says whether the seat moves.
    pub(super) fn moving(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        command: &Command,
    ) -> Result<Option<Did>, Trouble> {
        let code = match command {
            Command::NewAddress | Command::MovesHere(..) => "",
            Command::Moves(code) => code,
            _ => return Ok(None),
        };
        if game.state != State::Running {
            let said = "A seat moves only while a game is played.".to_owned();
            self.say(writer, Some(mail), "No seat moves", Saying::of([said]))?;
            return Ok(Some(Did::NoSeatMoves));
        }
        let now = self.now.0;
        let is_open = |one: &Moving| one.asked.saturating_add(OPEN) > now;
        let found = game.seats[index]
            .moves
            .iter()
            .position(|one| is_open(one) && !code.is_empty() && self.code(game, index, &one.address, End::Old) == code);
        if let Some(nth) = found {
            game.seats[index].moves[nth].said[0] = true;
            let new = game.seats[index].moves[nth].address.clone();
            if self.moved(writer, game, index, nth)? {
                return Ok(Some(Did::SeatMoves));
            }
            let said =
                format!("Noted: your seat moves to {} as soon as that address has said yes too.", printable(&new));
            self.answer_about(writer, game, index, mail, Saying::of([said]))?;
            return Ok(Some(Did::OldAddressYes));
        }
        let how = "To move your seat, reply to this letter from the new address with the words: new address".to_owned();
        let mut saying = match code {
            "" => Saying::of([how]),
            _ => Saying::of(["What you say yes to is no longer open, so nothing has moved.".to_owned(), how]),
        };
        saying.taps = self.open_moves(game, index);
        self.answer_about(writer, game, index, mail, saying)?;
        Ok(Some(Did::AsksHowToMove))
    }

    fn answer_about(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        saying: Saying,
    ) -> Result<(), Trouble> {
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        if !self.silent {
            self.caused(writer);
            self.about(game, side_of(index), &desk, (mail.message_id.as_deref(), "a new address"), saying)?;
        }
        self.keep_game(game);
        Ok(())
    }

    /// The new address says yes.
    pub(super) fn moves_here(
        &mut self,
        writer: &mut Writer,
        mail: &Mail,
        id: &str,
        code: &str,
    ) -> Result<Did, Trouble> {
        let own = writer.person.address.clone();
        let game = if is_game_id(id) { self.game(id)?.filter(|game| game.state == State::Running) } else { None };
        let found = game.and_then(|game| {
            let (index, nth) = (0..game.seats.len()).find_map(|index| {
                let moves = &game.seats[index].moves;
                let nth = moves
                    .iter()
                    .position(|one| one.asked.saturating_add(OPEN) > self.now.0 && is_same(&one.address, &own))?;
                (self.code(&game, index, &own, End::New) == code).then_some((index, nth))
            })?;
            Some((game, index, nth))
        });
        let Some((mut game, index, nth)) = found else {
            let said = "What you say yes to is not open, so no seat moves here. To move yours, reply from the new address to the last letter \
                        of the game with the words: new address";
            self.say(writer, Some(mail), "No seat moves here", Saying::of([said.to_owned()]))?;
            return Ok(Did::NoSeatMovesHere);
        };
        if self.stands_still(writer, mail, &game)? {
            return Ok(Did::NoSeatMovesNow);
        }
        game.seats[index].moves[nth].said[1] = true;
        if !self.moved(writer, &mut game, index, nth)? {
            let said = "Noted: the seat moves here as soon as its old address has said yes too.".to_owned();
            self.say(writer, Some(mail), "A new address", Saying::of([said]))?;
        }
        self.keep_game(&game);
        Ok(Did::NewAddressYes)
    }

    /// Moves a seat once both addresses have said yes: the old tokens are worth nothing from then on. Returns whether it has moved.
    fn moved(&mut self, writer: &mut Writer, game: &mut Game, index: usize, nth: usize) -> Result<bool, Trouble> {
        let Some(one) = game.seats[index].moves.get(nth).filter(|one| one.said == [true, true]).cloned() else {
            return Ok(false);
        };
        if game.seat_of(&one.address).is_some() {
            return Ok(false);
        }
        let seat = &mut game.seats[index];
        let old = std::mem::replace(&mut seat.address, one.address.clone());
        seat.generation += 1;
        seat.moves.clear();
        seat.thread.clear();
        (seat.proven, seat.unreachable) = (false, false);
        for (address, plays) in [(&old, false), (&one.address, true)] {
            let is_writer = is_same(&writer.person.address, address);
            let mut person = if is_writer { writer.person.clone() } else { self.person(address)? };
            match plays {
                true => Self::remember_game(&mut person, &game.id),
                false => person.games.retain(|known| *known != game.id),
            }
            self.keep_person(&person);
            if is_writer {
                writer.person = person;
            }
        }
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        self.position(game, side_of(index), &desk, &Beside::default())?;
        Ok(true)
    }

    /// Answers a letter with the token of a seat that lacks what the seat's letters had until now, the mail system's word on who sent it:
    /// the seat gets another token, which only its own address learns. `false` if the letter is to be read as any other.
    pub(super) fn ask_for_proof(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        lines: &[String],
    ) -> Result<bool, Trouble> {
        let is_asked = game.state == State::Invited && index != game.by;
        if !(is_asked || matches!(game.state, State::Running | State::Over)) {
            return Ok(false);
        }
        let seat = &mut game.seats[index];
        seat.generation += 1;
        seat.proven = false;
        self.keep_game(game);
        let why = "Your mail system has shown until now that your letters come from you, and of this one it does not. Nothing was entered. \
                   If you wrote it, please reply to this letter, which has a new address, and say it once more.";
        self.silent = false;
        self.due_again(writer, game, index, mail, lines, why)?;
        Ok(true)
    }
}
