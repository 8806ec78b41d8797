//! The calls for who learns a game: a game in a minute, and lessons.

use serde_json::{Value, json};

use super::game::refused_entry;
use super::machine::added;
use postrider_board::picture;
use postrider_board::picture::Picture;
use postrider_kernel::text::printable;
use postrider_kernel::{Options, Side, Viewer};
use postrider_machine::lessons::{Answer, Lesson, lessons};
use postrider_machine::practice;
use postrider_referee::facade::open;
use postrider_referee::judging::Beside;
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;
use postrider_referee::rulebook;
use postrider_referee::rulebook::Example;
use postrider_referee::verdict::Verdict;

fn game(name: &str) -> Result<&'static dyn AnyGame, String> {
    registry::find(name).ok_or_else(|| format!("there is no game `{}`", printable(name)))
}

/// A game in a minute: three paragraphs, and a picture for each.
pub(super) fn minute(name: &str) -> Result<Value, String> {
    let game = game(name)?;
    let minute = rulebook::in_a_minute(name).ok_or_else(|| format!("{name} is not told in a minute"))?;
    let pictures = minute.examples.iter().map(|example| pictured(game, example));
    Ok(json!({ "paragraphs": minute.paragraphs, "pictures": pictures.collect::<Option<Vec<_>>>() }))
}

/// The picture of an example of a rulebook: the position, or what an entry makes of it.
fn pictured(game: &dyn AnyGame, example: &Example) -> Option<Value> {
    let table = game.table(&Options::default(), Some(example.position)).ok()?;
    let mut scene = table.view(Viewer::Omniscient);
    if let Some(entry) = example.entry {
        let judged = table.read(entry).and_then(|typed| typed.judge(&Beside::default())).ok()?;
        let mut after = judged.table.view(Viewer::Omniscient);
        after.mark_since(&scene);
        scene = after;
    }
    let options = picture::Options { from: Side::First, look: picture::Look::Colour, marks: true };
    let picture = Picture::of(&scene, &options);
    Some(json!({ "entry": example.entry, "svg": picture.svg_in_classes(game.info().title), "words": picture.words() }))
}

/// The lessons of a game, each with the record in which it is played.
pub(super) fn list(name: &str) -> Result<Value, String> {
    let game = game(name)?;
    let told = |(lesson, number): (&Lesson, u32)| {
        Ok(json!({
            "number": number, "title": lesson.title, "rules": lesson.rules, "text": lesson.text, "task": lesson.task,
            "solution": lesson.solution, "done": lesson.done, "record": lesson.record(game)?,
        }))
    };
    let list = lessons(name)?.iter().zip(1..).map(told).collect::<Result<Vec<_>, String>>()?;
    Ok(json!({ "title": game.info().title, "lessons": list }))
}

/// Judges what was typed in a lesson.
pub(super) fn lesson(name: &str, number: u32, typed: &str) -> Result<Value, String> {
    let game = game(name)?;
    let all = lessons(name)?;
    let lesson = (number as usize).checked_sub(1).and_then(|at| all.get(at));
    let lesson = lesson.ok_or_else(|| format!("{name} has no lesson {number}; its lessons are 1 to {}", all.len()))?;
    let record = lesson.record(game)?;
    let referee = open(record.as_bytes()).map_err(|verdict| verdict.to_string())?;
    let table = referee.record().table.as_ref();
    let seed = referee.record().header.machine.map_or(0, |machine| machine.seed);
    // As the player saw them when the entry was tried.
    let filled = practice::filled(table, seed, "", typed).unwrap_or_else(|_| typed.to_owned());
    let (judged, said, solved) = match lesson.answer(&referee, &filled, seed) {
        Answer::Solved(judged) => (judged, lesson.done.clone(), true),
        Answer::Other(judged, said) => (judged, said, false),
        Answer::Refused(stop, filled) => {
            return Ok(refused_entry(Some(game.info()), &filled, &Verdict::stopped(game.info(), table, stop)));
        }
    };
    let mut answer = added(&referee, &judged, true)?;
    answer["solved"] = solved.into();
    answer["says"] = said.into();
    Ok(answer)
}
