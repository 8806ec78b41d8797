//! `postrider decks`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{Failure, Refused, name};
use super::{input, print};
use crate::games::kernel::Side;
use crate::games::mission_combat::{Card, Class, Decks, Effect, Kind, decks};
use crate::record::Frame;
use crate::text::{Diagnostic, Node, Span, Value, printable, yaml};

/// Check a card list for Mission: Combat!, or print one as tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider decks show                 the default decks
  postrider decks check my-cards.yaml  what is wrong with a list, before you play with it
  postrider decks show game.pbem       the decks of a record

A list is a YAML file with the maps `marines` and `portalists`, like `decks:` in the header of a record; \
`postrider rules mission-combat M11` describes it.")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say what is wrong with a card list, and where; prints nothing if it is playable
    Check {
        /// A YAML file, or a record; `-` for standard input
        file: PathBuf,
    },
    /// Print the cards of both sides as tables
    Show {
        /// A YAML file, or a record; by default the default decks are shown
        file: Option<PathBuf>,
    },
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Check { file } => {
            let source = input::record(file)?;
            let list = read(&source, &name(file))?;
            print(match list {
                Some(_) => format!("{}: both decks are in order\n", name(file)),
                None => format!("{}: no decks are declared, so the default ones are played\n", name(file)),
            })?;
        }
        Command::Show { file } => {
            let declared = match file {
                Some(file) => read(&input::record(file)?, &name(file))?,
                None => None,
            };
            let list = match declared {
                Some(list) => list,
                None => read(decks::DEFAULT.as_bytes(), "the default decks")?.unwrap_or_default(),
            };
            print(tables(&list))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the decks from a list or a record; `None` for a record that declares none.
fn read(source: &[u8], origin: &str) -> Result<Option<Decks>, Failure> {
    let is_record = source.starts_with(b"---\n") || source.starts_with(b"---\r\n");
    let refused = |faults: Vec<Diagnostic>| {
        let hint =
            |_: &Diagnostic| vec!["`postrider rules mission-combat M11` describes the form of a list".to_owned()];
        Failure::Refused(Box::new(Refused::of(&faults, source, origin, hint)))
    };
    let span = match is_record {
        true => Frame::of(source).map_err(|fault| refused(vec![fault]))?.header,
        false => Span::new(0, source.len()),
    };
    let placed = |inner: Span| {
        let start = span.start as usize;
        Span::new(start + inner.start as usize, start + inner.end as usize)
    };
    let Ok(text) = std::str::from_utf8(span.bytes(source)) else {
        return Err(refused(vec![Diagnostic::fault(span, "the list is not UTF-8")]));
    };
    let tree = yaml::read(text).map_err(|faults| {
        refused(faults.into_iter().map(|fault| Diagnostic { span: placed(fault.span), ..fault }).collect())
    })?;
    let declared = field(&tree, "decks");
    let Some(node) = (if is_record { declared } else { Some(declared.unwrap_or(&tree)) }) else { return Ok(None) };
    let faulty = |faults: Vec<(Span, String)>| {
        refused(faults.into_iter().map(|(at, message)| Diagnostic::fault(placed(at), message)).collect())
    };
    decks::read(node).map(Some).map_err(faulty)
}

/// The value of a key of a map.
fn field<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    let Value::Map(pairs) = &node.value else { return None };
    pairs.iter().find(|(key, _)| matches!(&key.value, Value::Text(text) if text == name)).map(|(_, value)| value)
}

fn tables(decks: &Decks) -> String {
    let mut text = String::new();
    for (side, title) in Side::BOTH.into_iter().zip(["Marines", "Portalists"]) {
        if !text.is_empty() {
            text.push('\n');
        }
        let head = [title, "slug", "copies", "type", "defence", "hurts", "by", "features"].map(str::to_owned);
        let units = decks.of(side).iter().filter_map(unit_row);
        text.push_str(&table(std::iter::once(head).chain(units).collect()));
        let head = ["Events", "slug", "copies", "effect"].map(str::to_owned);
        let events: Vec<_> = decks.of(side).iter().filter_map(event_row).collect();
        if !events.is_empty() {
            text.push('\n');
            text.push_str(&table(std::iter::once(head).chain(events).collect()));
        }
    }
    text
}

fn label(card: &Card) -> String {
    printable(card.name.as_deref().unwrap_or(&card.slug)).into_owned()
}

fn word(class: Class) -> String {
    class.to_string()
}

fn unit_row(card: &Card) -> Option<[String; 8]> {
    let Kind::Unit(unit) = card.kind else { return None };
    let features = [(unit.oversized, "oversized"), (unit.speed, "speed"), (unit.ranged, "ranged")];
    let features: Vec<_> = features.iter().filter(|(has, _)| *has).map(|(_, word)| *word).collect();
    Some([
        label(card),
        card.slug.clone(),
        card.copies.to_string(),
        word(unit.class),
        unit.defence.to_string(),
        word(unit.weapon),
        unit.damage.to_string(),
        features.join(", "),
    ])
}

fn event_row(card: &Card) -> Option<[String; 4]> {
    let Kind::Event(effect) = card.kind else { return None };
    let effect = match effect {
        Effect::Damage { target, points } => format!("{points} over {target} units"),
        Effect::Trap => "takes a unit away".into(),
    };
    Some([label(card), card.slug.clone(), card.copies.to_string(), effect])
}

/// Formats rows in columns that are no wider than necessary.
fn table<const N: usize>(rows: Vec<[String; N]>) -> String {
    let width = |column: usize| rows.iter().map(|row| row.get(column).map_or(0, |cell| cell.chars().count())).max();
    let widths: Vec<_> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
