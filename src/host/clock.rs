//! Clocks: reminders at half and at nine tenths of the time, and the claim when it is up. When a game is looked at next is noted by the
//! hour, so that a run looks at those whose hour has come and at no others.

use std::path::{Path, PathBuf};

use super::Host;
use super::jobs::{Done, said};
use super::letters::{Saying, state};
use super::notes::{Game, State};
use super::people::tap;
use super::work::Work;
use crate::desk::understand::Meant;
use crate::desk::{EntryRequest, Refusal};
use crate::games::kernel::Side;
use crate::office::clocks::Running;
use crate::office::{Trouble, hosting, records};
use crate::record::Time;
use crate::referee::{Standing, in_words};
use crate::store::Mark;
use crate::text::printable;
use crate::verdict::Opened;

const HOUR: i64 = 3_600;

/// What is to be done about the side that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Half of the time is over.
    Half,
    /// Nine tenths are.
    NineTenths,
    /// All of it.
    End,
}

/// The times of the steps, the last second that the side has being the end of its time.
fn steps(game: &Game, standing: &Standing, now: Time) -> Option<[(Step, i64); 3]> {
    let running = Running::of(standing, now)?;
    let still = game.still_in(standing.entries);
    let (begun, end) = (standing.last?.0 + still, running.deadline.0 + still);
    let whole = end.saturating_sub(begun).max(1);
    Some([(Step::Half, begun + whole / 2), (Step::NineTenths, begun + whole / 10 * 9), (Step::End, end + 1)])
}

fn agenda(hour: i64, id: &str) -> PathBuf {
    Path::new("agenda").join(format!("{hour:08}")).join(id)
}

impl Work<'_, '_> {
    /// Notes when a game's clock is to be looked at next.
    pub(super) fn schedule(&mut self, game: &mut Game, opened: &Opened<'_>) {
        let standing = opened.table.standing();
        if game.reminded.0 != standing.entries {
            game.reminded = (standing.entries, 0);
        }
        let next = steps(game, &standing, self.now).and_then(|steps| steps.get(usize::from(game.reminded.1)).copied());
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
        if self.host.unsure(&game)?.is_some() {
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
        let Some(steps) = steps(&game, &standing, self.now) else {
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
        let Some((nth, (step, _))) = come.map(|(nth, step)| (nth, *step)) else { return Ok(false) };
        let due = standing.due.side;
        let name = printable(&game.seats[due.index()].name).into_owned();
        let still = game.still_in(standing.entries);
        let left = Running::of(&standing, self.now).map_or(0, |running| running.left + still);
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
            // Whoever has the program claims with it.
            Step::End if game.forfeit && hosting::is_kept(&desk.opened, due.other()) => {
                let claim = "claim time".to_owned();
                let meant = Meant { words: claim.clone(), actions: claim, message: None, more: false };
                let mut keys = self.keys_to_move(&game, &desk.opened)?;
                let request =
                    EntryRequest { actions: &meant.actions, message: None, time: self.now, time_asked: false };
                let entered = desk.enter(&request, &mut keys);
                match entered {
                    Ok(entered) => {
                        self.keep_record(id, entered.record);
                        drop(desk);
                        self.after_entry(&mut game, None)?;
                        self.log("time was up: claimed", serde_json::json!({"id": id}));
                    }
                    Err(Refusal::Entry(_, verdict)) => {
                        self.log("time cannot be claimed", serde_json::json!({"id": id, "why": verdict.to_string()}));
                        self.schedule(&mut game, &desk.opened);
                    }
                    Err(refusal) => return Err(Trouble::refusal(id, refusal)),
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
                match work.clock(&id, number) {
                    Ok(true) => {
                        self.finish(work.into_job(None), hear)?;
                        count += 1;
                    }
                    Ok(false) => {}
                    Err(trouble) => match self.diagnosed(&work) {
                        Ok(Some((id, why))) => self.ails(&id, &why, done, hear)?,
                        Ok(None) | Err(_) if stuck.contains(&id) => {}
                        Ok(None) | Err(_) => {
                            hear(&said("a clock is not looked at for now", &id, &trouble.to_string()));
                            stuck.push(id);
                        }
                    },
                }
            }
        }
        Ok(count)
    }
}
