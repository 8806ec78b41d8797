//! Card lists for Mission: Combat!, which players make themselves: read from a file or a record, and shown as tables.

use postrider_games::mission_combat::board::decks;
use postrider_games::mission_combat::{Card, Class, Decks, Effect, Kind};
use postrider_kernel::Side;
use postrider_kernel::text::{Diagnostic, Node, Span, Value, printable, yaml};
use postrider_referee::record::Frame;

/// Reads the decks from a list or a record; `None` for a record that declares none.
///
/// # Errors
/// What is wrong with the list, with places in the source.
pub fn read(source: &[u8]) -> Result<Option<Decks>, Vec<Diagnostic>> {
    let is_record = source.starts_with(b"---\n") || source.starts_with(b"---\r\n");
    let span = match is_record {
        true => Frame::of(source).map_err(|fault| vec![fault])?.header,
        false => Span::new(0, source.len()),
    };
    let placed = |inner: Span| {
        let start = span.start as usize;
        Span::new(start + inner.start as usize, start + inner.end as usize)
    };
    let Ok(text) = std::str::from_utf8(span.bytes(source)) else {
        return Err(vec![Diagnostic::fault(span, "the list is not UTF-8")]);
    };
    let tree = yaml::read(text).map_err(|faults| -> Vec<_> {
        faults.into_iter().map(|fault| Diagnostic { span: placed(fault.span), ..fault }).collect()
    })?;
    let declared = field(&tree, "decks");
    let Some(node) = (if is_record { declared } else { Some(declared.unwrap_or(&tree)) }) else { return Ok(None) };
    decks::read(node)
        .map(Some)
        .map_err(|faults| faults.into_iter().map(|(at, message)| Diagnostic::fault(placed(at), message)).collect())
}

/// The value of a key of a map.
fn field<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    let Value::Map(pairs) = &node.value else { return None };
    pairs.iter().find(|(key, _)| matches!(&key.value, Value::Text(text) if text == name)).map(|(_, value)| value)
}

/// Shows the cards of both sides as tables.
#[must_use]
pub fn tables(decks: &Decks) -> String {
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
