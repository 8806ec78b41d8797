//! Lists of cards (M11): the default ones, and those that players declare in a header.

use std::sync::{Arc, OnceLock};

use crate::mission_combat::board::cards::{CARDS, Card, Class, Decks, Effect, Kind, UNITS, Unit};
use crate::mission_combat::board::default_cards;
use crate::mission_combat::moves::tree::{Faults, NodeReader};
use postrider_kernel::text::{Node, Span};

/// The default lists, in the form in which players declare theirs.
pub const DEFAULT: &str = postrider_notation::mission_combat::DECKS;

/// The default cards, put together once, and only if the game is played.
#[must_use]
pub fn default_decks() -> Arc<Decks> {
    static DECKS: OnceLock<Arc<Decks>> = OnceLock::new();
    DECKS.get_or_init(|| Arc::new(default_cards::decks())).clone()
}

/// Calls its last argument with each fault in a declaration of decks, and its place (M11).
pub(in crate::mission_combat) fn check(_: Span, node: &Node<'_>, each: &mut dyn FnMut(Span, String)) {
    if let Err(faults) = read(node) {
        faults.into_iter().for_each(|(span, message)| each(span, message));
    }
}

/// Reads a declaration of decks: the maps `marines` and `portalists`, each with the lists `units` and `events` (M11).
///
/// # Errors
/// Every fault with its place, in the order of the places.
pub fn read(node: &Node<'_>) -> Result<Decks, Vec<(Span, String)>> {
    let mut faults = Faults::default();
    let mut reader = NodeReader::new(&mut faults);
    let mut slugs: Vec<String> = Vec::new();
    let words = ["marines", "portalists"];
    let fields = reader.fields(node, words, "a declaration of decks");
    let mut sides = [Vec::new(), Vec::new()];
    for ((word, field), cards) in words.into_iter().zip(fields).zip(&mut sides) {
        if let Some(deck) = reader.needed(field, node, word, "a declaration of decks") {
            *cards = side(&mut reader, deck, word, &mut slugs);
        }
    }
    if faults.is_empty() { Ok(Decks::new(sides)) } else { Err(faults.into_sorted()) }
}

/// Reads the deck of one side.
fn side(reader: &mut NodeReader<'_>, node: &Node<'_>, word: &str, slugs: &mut Vec<String>) -> Vec<Card> {
    let of = format!("the deck of the {word}");
    let lists = reader.fields(node, ["units", "events"], &of);
    let mut cards = Vec::new();
    // Totals are only checked if all cards could be read.
    let mut whole = true;
    for (list, name) in lists.into_iter().zip(["units", "events"]) {
        let Some(list) = reader.needed(list, node, name, &of) else {
            whole = false;
            continue;
        };
        for node in reader.list(list, name) {
            let card = if name == "units" { unit(reader, node, slugs) } else { event(reader, node, slugs) };
            whole &= card.is_some();
            cards.extend(card);
        }
    }
    let total: u32 = cards.iter().map(|card| card.copies).sum();
    let units: u32 = cards.iter().filter(|card| card.unit().is_some()).map(|card| card.copies).sum();
    if whole && total != CARDS {
        reader.fault(node.span, format!("{of} has {total} cards, not {CARDS}"));
    } else if whole && units < UNITS {
        reader.fault(node.span, format!("{of} has fewer than {UNITS} units, namely {units}"));
    }
    cards
}

/// The fields that every card has.
struct Common {
    slug: String,
    name: Option<String>,
    copies: u32,
}

fn common(
    reader: &mut NodeReader<'_>,
    node: &Node<'_>,
    [slug, name, copies]: [Option<&Node<'_>>; 3],
    of: &str,
    slugs: &mut Vec<String>,
) -> Option<Common> {
    let name = name.and_then(|name| reader.text(name, "name")).map(str::to_owned);
    let slug_node = reader.needed(slug, node, "slug", of);
    let slug = slug_node.and_then(|node| Some((node, reader.text(node, "slug")?.to_owned())));
    let copies = reader.needed(copies, node, "copies", of).and_then(|node| reader.figure(node, "copies"));
    let (at, slug) = slug?;
    let rest = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if !slug.starts_with(|c: char| c.is_ascii_lowercase()) || !slug.bytes().all(rest) {
        reader
            .fault(at.span, format!("a slug begins with a letter a-z and goes on with a-z, 0-9 and `-`, not `{slug}`"));
        return None;
    }
    if slugs.contains(&slug) {
        reader.fault(at.span, format!("the slug `{slug}` appears twice in the decks"));
        return None;
    }
    slugs.push(slug.clone());
    Some(Common { slug, name, copies: copies? })
}

fn class(reader: &mut NodeReader<'_>, node: Option<&Node<'_>>, name: &str) -> Option<Class> {
    let node = node?;
    let text = reader.text(node, name)?;
    let class = Class::of(text);
    if class.is_none() {
        reader.fault(node.span, format!("`{name}` is standard, elite or colossal, not `{text}`"));
    }
    class
}

fn unit(reader: &mut NodeReader<'_>, node: &Node<'_>, slugs: &mut Vec<String>) -> Option<Card> {
    let known = ["slug", "name", "copies", "type", "defence", "weapon", "damage", "oversized", "speed", "ranged"];
    let of = "a unit";
    let [slug, name, copies, kind, defence, weapon, damage, oversized, speed, ranged] = reader.fields(node, known, of);
    let common = common(reader, node, [slug, name, copies], of, slugs);
    let needed = [kind, defence, weapon, damage];
    for (field, name) in needed.into_iter().zip(["type", "defence", "weapon", "damage"]) {
        reader.needed(field, node, name, of);
    }
    let (kind, weapon) = (class(reader, kind, "type"), class(reader, weapon, "weapon"));
    let defence = defence.and_then(|node| reader.figure(node, "defence"));
    let damage = damage.and_then(|node| reader.figure(node, "damage"));
    let oversized = reader.flag(oversized, "oversized");
    let (speed, ranged) = (reader.flag(speed, "speed"), reader.flag(ranged, "ranged"));
    let unit = Unit { class: kind?, defence: defence?, weapon: weapon?, damage: damage?, oversized, speed, ranged };
    let Common { slug, name, copies } = common?;
    Some(Card { slug, name, copies, kind: Kind::Unit(unit) })
}

fn event(reader: &mut NodeReader<'_>, node: &Node<'_>, slugs: &mut Vec<String>) -> Option<Card> {
    let of = "an event";
    let [slug, name, copies, effect, target, points] =
        reader.fields(node, ["slug", "name", "copies", "effect", "target", "points"], of);
    let common = common(reader, node, [slug, name, copies], of, slugs);
    let effect_node = reader.needed(effect, node, "effect", of)?;
    let effect = match reader.text(effect_node, "effect")? {
        "damage" => {
            let target = reader.needed(target, node, "target", "an event with `effect: damage`");
            let points = reader.needed(points, node, "points", "an event with `effect: damage`");
            let target = class(reader, target, "target");
            let points = points.and_then(|node| reader.figure(node, "points"));
            Effect::Damage { target: target?, points: points? }
        }
        "trap" => {
            for (field, name) in [(target, "target"), (points, "points")] {
                if let Some(node) = field {
                    reader.fault(node.span, format!("an event with `effect: trap` has no `{name}`"));
                }
            }
            if target.is_some() || points.is_some() {
                return None;
            }
            Effect::Trap
        }
        other => {
            let message = format!("`effect` is damage or trap, not `{other}`");
            reader.fault(effect_node.span, message);
            return None;
        }
    };
    let Common { slug, name, copies } = common?;
    Some(Card { slug, name, copies, kind: Kind::Event(effect) })
}
