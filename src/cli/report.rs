//! `show --json` and `moves --json`.

use std::path::Path;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::home::office;
use super::keys;
use super::out::print;
use super::{input, refusals};
use postrider_board::report::{Listed, Shown};
use postrider_home::keys::Keys;
use postrider_kernel::scene::Scene;
use postrider_kernel::{Next, Viewer};
use postrider_referee::desk;
use postrider_referee::verdict::{Opened, Ruling, Verdict};

/// Reports on a replayed game, without anything that the viewer may not see. `foreseen`: the scene after what the viewer opens next, which
/// is not entered yet.
pub fn show(
    path: &str,
    source: &[u8],
    opened: &Opened<'_>,
    verdict: &Verdict,
    viewer: Viewer,
    foreseen: Option<&Scene>,
) -> Result<ExitCode, Failure> {
    let left = postrider_board::report::left(opened, input::now(None)?);
    let shown = Shown::of(path, source, opened, verdict, viewer, left);
    print(postrider_board::report::line(&match foreseen {
        Some(scene) => shown.foreseeing(scene),
        None => shown,
    }))?;
    Ok(ExitCode::from(hints::code_of(verdict.ruling)))
}

fn list(listed: &Listed<'_>, ruling: Ruling) -> Result<ExitCode, Failure> {
    print(postrider_board::report::line(listed))?;
    Ok(ExitCode::from(hints::code_of(ruling)))
}

/// Reports what may be entered in a record, or may follow the beginning of an entry.
pub fn moves(file: &Path, begun: Option<&str>, grain: Option<u32>) -> Result<ExitCode, Failure> {
    let source = input::record(file)?;
    let origin = name(file);
    let (mut opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    input::set_grain(opened.table.as_mut(), grain)?;
    let standing = opened.table.standing();
    let typed = begun.unwrap_or_default();
    let begun = typed;
    let (next, begun) = if standing.outcome.is_some() {
        (Next::default(), begun)
    } else if verdict.ruling != Ruling::Legal || (begun.is_empty() && !opened.header.info.stepwise) {
        (Next { actions: opened.table.moves(), whole: false, ..Next::default() }, begun)
    } else {
        let office = office()?;
        let mut keys = Keys::new(&office, &opened, standing.due.side, true);
        desk::beginning(&mut opened, begun, &mut keys).map_err(|refusal| refusals::refused(&origin, refusal))?
    };
    // Whoever can open what is due sees what may follow it.
    let after = if begun.is_empty() && verdict.ruling == Ruling::Legal { keys::after_openings(&opened)? } else { None };
    let next = match after.filter(|after| after.standing().outcome.is_none()) {
        Some(after) => Next { actions: after.moves(), whole: false, ..Next::default() },
        None => next,
    };
    let left_out = match typed.is_empty() {
        true => input::left_out(opened.table.as_mut(), grain, &next.actions),
        false => Some(next.left_out).filter(|left| *left > 0),
    };
    let state = postrider_board::report::State::of(&origin, &opened.header, &standing);
    list(&Listed::of(state, verdict.ruling, begun, next, left_out), verdict.ruling)
}

/// Reports the same for a game without a record.
pub fn moves_of_game(
    game: &str,
    options: &[String],
    position: Option<&str>,
    grain: Option<u32>,
) -> Result<ExitCode, Failure> {
    let game = input::game(game)?;
    let mut table = input::table(game, &input::options(game, options)?, position)?;
    input::set_grain(table.as_mut(), grain)?;
    let next = Next { actions: table.moves(), whole: false, ..Next::default() };
    let left_out = input::left_out(table.as_mut(), grain, &next.actions);
    let state = postrider_board::report::State::without_record(game.info(), &table.standing());
    list(&Listed::of(state, Ruling::Legal, "", next, left_out), Ruling::Legal)
}
