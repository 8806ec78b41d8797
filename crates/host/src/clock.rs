//! Clocks: reminders at half and at nine tenths of the time, and the claim when it is up. When a game is looked at next is noted by the
//! hour, so that a run looks at those whose hour has come and at no others.

use std::path::{Path, PathBuf};

use super::Host;
use super::arrivals::{end_of_time, for_the_first, leeway};
use super::did::Did;
use super::jobs::{Done, said};
use super::letters::{Saying, state};
use super::notes::{Game, State};
use super::people::tap;
use super::work::Work;
use postrider_home::clocks::Running;
use postrider_home::entry::way::{NotMade, Typed, What};
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_referee::desk::Refusal;
use postrider_referee::judging::in_words;
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

const HOUR: i64 = 3_600;

/// What is to be done about the side that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Half of the time is over.
    Half,
    NineTenths,
    /// All of it.
    End,
}

/// The times of the steps; the last one comes when the time has surely run out.
fn steps(game: &Game, opened: &Opened<'_>, now: Time) -> Option<[(Step, i64); 3]> {
    let standing = opened.table.standing();
    let (begun, end, last) = match standing.entries {
        0 => {
            let begun = game.begun?;
            let begun = begun.saturating_add(game.still_since(begun));
            let end = begun.saturating_add(for_the_first(game.clock.as_deref()));
            (begun, end, end)
        }
        entries => {
            let end = end_of_time(game, opened, now)?;
            let came = game.arrived.filter(|(entry, _)| *entry == entries).map_or(i64::MIN, |(_, at)| at);
            let begun = standing.last?.0.max(came);
            (begun.saturating_add(game.still_since(begun)), end, end + leeway(&standing))
        }
    };
    let whole = end.saturating_sub(begun).max(1);
    Some([(Step::Half, begun + whole / 2), (Step::NineTenths, begun + whole / 10 * 9), (Step::End, last)])
}

pub(super) fn agenda(hour: i64, id: &str) -> PathBuf {
    Path::new("agenda").join(format!("{hour:08}")).join(id)
}

impl Work<'_, '_> {
    /// Notes when a game's clock is to be looked at next.
    pub(super) fn schedule(&mut self, game: &mut Game, opened: &Opened<'_>) {
        let standing = opened.table.standing();
        if game.reminded.0 != standing.entries {
            game.reminded = (standing.entries, 0);
        }
        if standing.entries == 0 {
            // A game that was begun before this was noted has all the time.
            game.begun.get_or_insert(self.now.0);
        }
        let next = steps(game, opened, self.now).and_then(|steps| steps.get(usize::from(game.reminded.1)).copied());
        // The hour in which the moment lies has to be over, or the moment be at its end.
        let held = game.held.as_ref().map(|held| held.due);
        let hour = next.map(|(_, at)| at).into_iter().chain(held).min().map(|at| at.div_euclid(HOUR));
        if let Some(old) = game.agenda.filter(|old| Some(*old) != hour) {
            self.remove(agenda(old, &game.id));
        }
        if let Some(hour) = hour {
            self.touch(agenda(hour, &game.id), b"");
        }
        game.agenda = hour;
    }

    /// Looks at the clock of a game.
    fn clock(&mut self, id: &str, hour: i64) -> Result<bool, Trouble> {
        let found = self.game(id)?.filter(|game| game.state == State::Running && game.agenda == Some(hour));
        let Some(mut game) = found else {
            self.remove(agenda(hour, id));
            return Ok(true);
        };
        // One that was mended is first taken up again, so that the time in which it could not be played does not count.
        if self.host.unsure(&game)?.is_some() || self.ails_still(id)? {
            return Ok(false);
        }
        let record = self.record(id)?;
        let desk = records::on_desk(&record, id)?;
        game.not_shortened(&desk.opened)?;
        if self.enter_held(&mut game, &desk)? {
            self.keep_game(&game);
            return Ok(true);
        }
        let standing = desk.opened.table.standing();
        let Some(steps) = steps(&game, &desk.opened, self.now) else {
            self.schedule(&mut game, &desk.opened);
            self.keep_game(&game);
            return Ok(true);
        };
        if game.reminded.0 != standing.entries {
            game.reminded = (standing.entries, 0);
        }
        // The last of those that have come: who was not looked after for long gets one letter and not two.
        let come = steps
            .iter()
            .enumerate()
            .rev()
            .find(|(nth, (_, at))| *at <= self.now.0 && *nth >= usize::from(game.reminded.1));
        let Some((nth, (step, at))) = come.map(|(nth, step)| (nth, *step)) else { return Ok(false) };
        // While a letter may wait that came in time, nothing ends; the next run looks again.
        if step == Step::End && !self.host.may_end(at) {
            return Ok(false);
        }
        let due = standing.due.side;
        let name = printable(&game.seats[due.index()].name).into_owned();
        let end = steps[2].1;
        let left = match standing.entries {
            0 => end.saturating_sub(self.now.0),
            _ => end.saturating_sub(leeway(&standing)).saturating_sub(self.now.0),
        };
        game.reminded.1 = u8::try_from(nth + 1).unwrap_or(u8::MAX);
        match step {
            Step::Half | Step::NineTenths => {
                let on_leave = Running::of(&standing, self.now).is_some_and(|running| running.still_until.is_some());
                if !on_leave {
                    let mut saying = Saying::of([
                        format!("A reminder: you have {} left for your entry.", in_words(left)),
                        state(&desk.opened),
                    ]);
                    saying.lists = true;
                    saying.begin = desk.opened.header.info.stepwise;
                    self.about(&mut game, due, &desk, (None, "a reminder"), saying)?;
                }
                self.schedule(&mut game, &desk.opened);
            }
            Step::End if standing.entries == 0 => self.lapse(&mut game, &desk)?,
            // Whoever has the program claims with it.
            Step::End
                if (game.forfeit || game.claimed == Some(standing.entries))
                    && hosting::is_kept(&desk.opened, due.other()) =>
            {
                let mut keys = self.keys_to_move(&game, &desk.opened)?;
                match Typed::new(What::Actions("claim time"), self.now).by_itself().make(&desk, &mut keys) {
                    Ok(signed) => {
                        self.keep_record(id, signed.entered.record);
                        drop(desk);
                        self.after_entry(&mut game, None)?;
                        self.log(&Did::Claimed, serde_json::json!({"id": id}));
                    }
                    Err(NotMade::Refused(Refusal::Entry(_, verdict))) => {
                        self.log(&Did::NoClaim, serde_json::json!({"id": id, "why": verdict.to_string()}));
                        self.schedule(&mut game, &desk.opened);
                    }
                    Err(refusal) => return Err(refusal.trouble(id)),
                }
            }
            Step::End => {
                let mut saying = Saying::of([
                    format!("The time of {name} is up. You may claim the game, or wait."),
                    state(&desk.opened),
                ]);
                let waits: Side = due.other();
                if hosting::is_kept(&desk.opened, waits) {
                    saying.taps = vec![("claim time".to_owned(), "Claim the game".to_owned()), tap("not yet")];
                }
                self.about(&mut game, waits, &desk, (None, "time is up"), saying)?;
                self.schedule(&mut game, &desk.opened);
            }
        }
        self.keep_game(&game);
        Ok(true)
    }
}

impl Host<'_> {
    /// Looks at the clocks whose hour has come. Returns how many of them something was done about.
    ///
    /// # Errors
    /// If something of the host's own cannot be read or written; what is wrong with one game does not hold up the others.
    pub(super) fn clocks(&self, done: &mut Done, stuck: &mut Vec<String>, hear: &dyn Fn(&str)) -> Result<u32, Trouble> {
        let now = self.office.now();
        let mut count = 0;
        for hour in self.waiting("agenda")? {
            let Ok(number) = hour.parse::<i64>() else { continue };
            if number > now.0.div_euclid(HOUR) {
                break;
            }
            let folder = self.root.join("agenda").join(&hour);
            let list = self.office.disk().list_if_there(&folder).map_err(|error| super::failed(&folder, error))?;
            for id in list.into_iter().filter_map(|one| one.name.into_string().ok()) {
                let text = format!("{hour} {id} {}", now.0);
                let mut work = Work::new(self, now, &Mark::of(&[b"clock", text.as_bytes()]).hex());
                match work.clock(&id, number).and_then(|did| work.renew().map(|()| did)) {
                    Ok(true) => {
                        self.finish(work.into_job(None)?, hear)?;
                        count += 1;
                    }
                    Ok(false) => {}
                    Err(trouble) => match self.diagnosed(&work) {
                        Ok(Some((id, why))) => self.ails(&id, &why, done, hear)?,
                        Ok(None) | Err(_) if stuck.contains(&id) => {}
                        Ok(None) | Err(_) => {
                            hear(&said(&Did::ClockNotRead, &id, &trouble.to_string()));
                            stuck.push(id);
                        }
                    },
                }
            }
        }
        Ok(count)
    }
}
