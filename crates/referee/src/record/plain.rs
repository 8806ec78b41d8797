//! Reads a header in the form in which this program writes it straight into its fields, without the YAML library: of a folder
//! of records, most are of that form, and the library costs more than judging sixty entries. It answers only for a header without
//! faults, in which the fields needed stand first and in order; the library reads every other.

mod texts;

use super::header::{FORMAT, Header, Host, Player, Rare, Secrecy, Setup, calendar_day, is_edition, is_game_id};
use super::{Clock, LINE_LIMIT};
use crate::sealing::PublicKey;
use postrider_kernel::text::Span;
use postrider_kernel::{Info, Options, SideName};
use texts::{Plain, Scalar};

/// Reads the header at the start of `text`, which begins at `base` in its record, up to a line `---` or the end. Returns also its
/// length in bytes. `find` looks up games.
pub(super) fn read<'a>(
    text: &'a str,
    base: usize,
    find: impl Fn(&str) -> Option<&'static Info>,
) -> Option<(Box<Header<'a>>, usize)> {
    let mut input = Plain::new(text);
    let place = |span: Span| Span::new(base + span.start as usize, base + span.end as usize);
    input.take("pbem: ")?;
    is_edition(input.value()?.text, FORMAT).then_some(())?;
    input.take("game: ")?;
    let info = find(input.value()?.text)?;
    input.take("id: ")?;
    let id = input.value()?.text;
    is_game_id(id).then_some(())?;
    input.take("players:\n")?;
    let [first, second] = &info.sides;
    let players = [player(&mut input, first)?, player(&mut input, second)?];
    input.take("started: ")?;
    let started = calendar_day(input.value()?.text.as_bytes())?;
    let (mut title, mut clock, mut setup, mut secrecy) = (None, None, None, None);
    let mut options: Option<Options> = None;
    let (mut rules, mut host) = (None, None);
    let mut rare = Rare::default();
    // The rest may be absent, and each may stand once.
    let once = |input: &mut Plain<'a>, taken: bool| if taken { None } else { input.value() };
    while !input.is_done() && input.clone().take("---\n").is_none() {
        let start = input.offset();
        if input.take("options:").is_some() && options.is_none() {
            let mut chosen = Options::default();
            input.map(|Scalar { text: name, .. }, value| {
                if chosen.iter().any(|(other, _)| other == name) {
                    return None;
                }
                chosen.choose(info.options, name, value.text).ok()
            })?;
            options = Some(chosen);
        } else if input.take("secrecy: ").is_some() {
            secrecy = Some(match once(&mut input, secrecy.is_some())?.text {
                "sealed" if info.sealable => Secrecy::Sealed,
                "open" => Secrecy::Open,
                _ => return None,
            });
        } else if input.take("setup: ").is_some() {
            let value = once(&mut input, setup.is_some())?;
            let key = Span::new(start, start + "setup".len());
            setup = Some(Setup { position: value.text.into(), key: place(key), span: place(value.span) });
        } else if input.take("clock: ").is_some() {
            clock = Some(Clock::read(once(&mut input, clock.is_some())?.text).ok()?);
        } else if input.take("title: ").is_some() {
            title = Some(once(&mut input, title.is_some())?.text.into());
        } else if input.take("host: {").is_some() {
            host = Some(host.is_none().then(|| Host::of(person(&mut input)?, &players)).flatten()?);
        } else if input.take("rules: ").is_some() {
            let edition = once(&mut input, rules.is_some())?.text;
            rules = Some(is_edition(edition, info.edition).then_some(())?);
        } else {
            let key = input.key()?.node();
            rare.take(key, input.below(0)?, info)?;
        }
    }
    let (fields, machine) = (rare.fields, rare.machine);
    let secrecy = secrecy.unwrap_or(Secrecy::Open);
    // A practice game has none of these (E12).
    let is_mailed = clock.is_some() || host.is_some() || players.iter().any(Player::is_mailed);
    (machine.is_none() || !is_mailed && secrecy == Secrecy::Open).then_some(())?;
    let length = input.offset();
    (length <= LINE_LIMIT).then_some(())?;
    let header = Header {
        info,
        id: id.into(),
        players,
        started,
        title,
        clock,
        options: options.unwrap_or_default(),
        setup,
        secrecy,
        fields,
        machine,
        host,
    };
    Some((Box::new(header), length))
}

/// Reads the line of a player.
fn player<'a>(input: &mut Plain<'a>, side: &SideName) -> Option<Player<'a>> {
    input.take("  ")?;
    input.take(side.word)?;
    input.take(": {")?;
    person(input)
}

/// Reads what stands in the braces of a player or of the host, and the end of their line.
fn person<'a>(input: &mut Plain<'a>) -> Option<Player<'a>> {
    input.take("name: ")?;
    let name = input.unquoted()?.text.into();
    let email = match input.take(", email: ") {
        Some(()) => Some(input.unquoted()?.text.into()),
        None => None,
    };
    let key = match input.take(", key: ") {
        Some(()) => Some(Box::new(PublicKey::read(input.unquoted()?.text.as_bytes()).ok()?)),
        None => None,
    };
    input.take("}\n")?;
    Some(Player { name, email, key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Faults, Frame, HeaderReading};
    use crate::registry;
    use proptest::prelude::*;

    fn find(name: &str) -> Option<&'static Info> {
        Some(registry::find(name)?.info())
    }

    /// Reads a record's header both ways; if this one answers, they must agree. Returns whether it answered.
    fn agree(record: &str) -> bool {
        let Some((frame, header)) = Header::read_plain(record, find) else { return false };
        assert_eq!(Frame::of(record.as_bytes()), Ok(frame), "{record}");
        let mut faults = Faults::default();
        match Header::read_tree(record.as_bytes(), frame.header, find, &mut faults) {
            HeaderReading::Read(by_tree) => assert_eq!(format!("{header:?}"), format!("{by_tree:?}"), "{record}"),
            other => panic!("{record}: {other:?}, {faults:?}"),
        }
        true
    }

    const DECKS: &str = "\
---
pbem: 1
game: mission-combat
id: mission-combat-1
players:
  marines: {name: Ada}
  portalists: {name: Bram}
started: 2026-01-01
decks:
  marines:
    units:
      - {slug: guard, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, ranged: true}
    events:
      - {slug: blast, copies: 14, effect: damage, target: standard, points: 20}
      - {slug: snare, copies: 10, effect: trap}
  portalists:
    units:
      - {slug: shade, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, speed: true}
    events:
      - {slug: gust, copies: 12, effect: damage, target: standard, points: 20}
      - {slug: pit, copies: 12, effect: trap}
---
";
    const HEADERS: [&str; 7] = [
        "---\npbem: 1\ngame: asalto\nid: asalto-20261121-7k3q9x\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\nclock: 30d+1d leave 30d\n---\n",
        "---\npbem: 1\ngame: asalto\nid: asalto-1\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\nstarted: 2026-11-21\noptions: {huff: claim, captures: 15}\nsetup: \"BBB/BBB/BBBBBBB/BBBBBBB/BB...BB/.D./..D d -\"\n---\n",
        "---\npbem: 1\ngame: subsume\nid: subsume-1\nplayers:\n  white: {name: Ada, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}\n  black: {name: Bram, email: a@b.c}\nstarted: 2026-11-21\ntitle: A game's title\nrules: 1\nsecrecy: sealed\noptions:\n  turn-limit: 100\n---\n",
        "---\npbem: 1\ngame: assassyn\nid: assassyn-1\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\nstarted: 2026-11-21\nsecrecy: open\n---\n1 white Pc1\n",
        "---\npbem: 1\ngame: asalto\nid: asalto-1\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\nstarted: 2026-11-21\nhost: {name: The Mill, email: games@example.com, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}\nclock: 5d\n---\n",
        "---\npbem: 1\ngame: asalto\nid: asalto-1\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\nstarted: 2026-11-21\nmachine: {side: defenders, level: 2, seed: 7}\ntags:\n  event: A long winter\n  round: 3\n---\n",
        DECKS,
    ];

    #[test]
    fn headers_as_the_program_writes_them_are_read_without_a_tree() {
        for header in HEADERS {
            assert!(agree(header), "{header}");
        }
    }

    #[test]
    fn what_is_not_certain_is_left_to_the_tree() {
        for (part, other) in [
            ("pbem: 1", "pbem: 2"),
            ("pbem: 1", "pbem: 01"),
            ("id: asalto-2", "id: Asalto-2"),
            ("game: asalto", "game: nothing"),
            ("2026-11-21\n", "2026-11-31\n"),
            ("2026-11-21\n", "2026-11-21\nstarted: 2026-11-21\n"),
            ("2026-11-21\n", "2026-11-21\nclock: 5d\n"),
            ("2026-11-21\n", "2026-11-21\nsecrecy: sealed\n"),
            ("2026-11-21\n", "2026-11-21\ntags: {a: b, a: c}\n"),
            ("2026-11-21\n", "2026-11-21\ntags: {a: b}\ntags: {a: b}\n"),
            ("2026-11-21\n", "2026-11-21\ntags: b\n"),
            ("2026-11-21\n", "2026-11-21\nmachine: {side: defenders, level: 2, seed: 7}\n"),
            ("2026-11-21\n", "2026-11-21\ndecks:\n  a: b\n"),
            ("2026-11-21\n", "2026-11-21\npbem: 1\n"),
            ("2026-11-21\n", "2026-11-21\nrules: 2\n"),
            ("2026-11-21\n", "2026-11-21\nrules: 1\nrules: 1\n"),
            ("2026-11-21\n", "2026-11-21\noptions: {huff: never}\n"),
            ("2026-11-21\n", "2026-11-21\noptions: {huff: auto, huff: auto}\n"),
            ("2026-11-21\n", "2026-11-21\n# a remark\n"),
            ("Ada Quill", "Ada: Quill"),
            ("name: Ada Quill, ", ""),
            ("name: Ada Quill, ", "name: Ada, name: Ada, "),
            ("ada@example.org}", "ada@example.org, key: AAAA}"),
            ("besiegers:", "besieger:"),
            ("\n---\n", "\n----\n---\n"),
            ("2026-11-21\n", "2026-11-21\nhost: {name: The Mill}\n"),
            (
                "2026-11-21\n",
                "2026-11-21\nhost: {name: M, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}\nhost: {name: M, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}\n",
            ),
        ] {
            let header = HEADERS[0].replacen(part, other, 1);
            assert_ne!(header, HEADERS[0]);
            assert!(!agree(&header), "{header}");
        }
    }

    #[test]
    fn a_practice_game_with_what_it_may_not_have_is_left_to_the_tree() {
        for (part, other) in [
            ("level: 2", "level: 6"),
            ("2026-11-21\n", "2026-11-21\nclock: 5d\n"),
            ("name: Ada", "name: Ada, email: ada@example.org"),
            ("machine:", "machine: {side: defenders, level: 2, seed: 7}\nmachine:"),
            ("machine:", "host: {name: M, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}\nmachine:"),
        ] {
            let header = HEADERS[5].replacen(part, other, 1);
            assert_ne!(header, HEADERS[5]);
            assert!(!agree(&header), "{header}");
        }
        let decks = DECKS.replacen("copies: 6", "copies: 5", 1);
        assert!(!agree(&decks), "{decks}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn both_ways_agree_on_spoiled_headers(
            which in 0..HEADERS.len(), at in 0usize..900, cut in 0usize..3, with in "[ a-z0-9{}:,\"\\-#\n]{0,3}"
        ) {
            let header = HEADERS[which];
            let start = at.min(header.len());
            let end = (start + cut).min(header.len());
            agree(&format!("{}{with}{}", &header[..start], &header[end..]));
        }
    }
}
