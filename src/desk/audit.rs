//! How every throw of a sealed record came about, in words that a suspicious opponent can follow and repeat, and what the
//! secrets published at the end prove (Z10).

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::games::kernel::{Holding, Side};
use crate::record::Item;
use crate::sealing::{Published, Seals, Secret, Thrown, recall, seals};
use crate::text::printable;
use crate::verdict::Opened;

/// The report on a sealed record.
#[derive(Clone, Debug)]
pub struct Report {
    /// The report, for a person.
    pub text: String,
    /// Whether every published secret gives every seal of its side.
    pub sound: bool,
}

/// Reports on a sealed record that was replayed; nothing for one of open play.
#[must_use]
pub fn report(opened: &Opened<'_>) -> Option<Report> {
    let ledger = opened.table.seals()?;
    let lines = Lines::of(opened);
    let mut text = format!("{}: seals {}, throws {}\n", ledger.game(), ledger.published().len(), ledger.thrown().len());
    for (nth, thrown) in ledger.thrown().iter().enumerate() {
        let published =
            ledger.published().iter().find(|one| one.opened.as_ref().is_some_and(|by| by.nonce == thrown.nonce));
        // Every throw comes from a seal that was opened.
        if let Some(published) = published {
            roll(&mut text, ledger, &lines, nth + 1, thrown, published);
        }
    }
    others(&mut text, ledger);
    let sound = secrets(&mut text, opened, ledger, &lines);
    Some(Report { text, sound })
}

/// The lines of the record that an audit looks into.
struct Lines<'a> {
    /// Actions of each entry.
    entries: Vec<&'a str>,
    remarks: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    fn of(opened: &Opened<'a>) -> Self {
        let mut lines = Self { entries: Vec::new(), remarks: Vec::new() };
        let mut body = opened.body();
        while let Some(item) = body.next_item() {
            match item {
                Item::Entry(entry) => lines.entries.push(entry.actions.text(opened.text)),
                Item::Remark(span) => lines.remarks.push(span.text(opened.text)),
                _ => {}
            }
        }
        lines
    }

    /// The number of the last entry before `before` that holds a text.
    fn entry_with(&self, text: &str, before: u32) -> u32 {
        let mut earlier = self.entries.iter().take(before.saturating_sub(1) as usize);
        let found = earlier.rposition(|actions| actions.contains(text)).map(|nth| nth + 1);
        found.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
    }
}

/// One throw, from the seal to the faces.
fn roll(text: &mut String, ledger: &Seals, lines: &Lines<'_>, nth: usize, thrown: &Thrown, published: &Published) {
    let (game, label) = (ledger.game(), thrown.label.as_str());
    let (sealer, other) = (ledger.word(published.side), ledger.word(published.side.other()));
    let payload = published.opened.as_ref().map_or("", |opened| opened.payload.as_str());
    let salted = lines.entry_with(&format!("salt:{}", thrown.salt), thrown.entry);
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    say(format!("\nThrow {nth}, `{label}`"));
    say(format!("  entry {}: {sealer} fixed its part by the seal {}", published.entry, published.seal));
    say(format!("  entry {salted}: {other}, who could not know that part, added the salt {}", thrown.salt));
    say(format!("  entry {}: {sealer} opened the seal with the nonce {}", thrown.entry, thrown.nonce));
    say("  The seal is the SHA-256 of this text, so the nonce is the one that was sealed:".into());
    say(format!("    {}", seals::seal_text(game, sealer, label, payload, &thrown.nonce)));
    say("  The dice are the SHA-256 of these texts, cut into words of eight digits:".into());
    let mut words = seals::words(game, label, &thrown.nonce, &thrown.salt);
    let mut shown = None;
    let mut taken = 0;
    for die in &thrown.dice {
        for (digest, word) in words.by_ref() {
            if shown != Some(digest) {
                shown = Some(digest);
                let hashed = seals::dice_text(game, label, &thrown.nonce, &thrown.salt, digest);
                say(format!("    {hashed}"));
                say(format!("    = {}", data_encoding::HEXLOWER.encode(&Sha256::digest(&hashed))));
            }
            taken += 1;
            match seals::face(word, *die) {
                None => say(format!(
                    "  word {taken}, {word:08x} = {word}: above the last whole round of {die}, passed over"
                )),
                Some(face) => {
                    say(format!("  word {taken}, {word:08x} = {word}: modulo {die}, plus 1: the d{die} shows {face}"));
                    break;
                }
            }
        }
    }
}

/// The seals over something else than a throw, and those that were never opened.
fn others(text: &mut String, ledger: &Seals) {
    let mut first = true;
    for published in ledger.published() {
        let is_thrown = ledger.thrown().iter().any(|thrown| thrown.label == published.label);
        if is_thrown && published.opened.is_some() {
            continue;
        }
        if first {
            text.push_str("\nOther seals\n");
            first = false;
        }
        let (word, label) = (ledger.word(published.side), &published.label);
        // Writing to a text never fails.
        let _ = match &published.opened {
            Some(opened) => writeln!(
                text,
                "  entry {}, `{label}` of {word}: opened in entry {}; SHA-256 of\n    {}\n    = {}",
                published.entry,
                opened.entry,
                seals::seal_text(ledger.game(), word, label, &opened.payload, &opened.nonce),
                published.seal
            ),
            None => {
                writeln!(text, "  entry {}, `{label}` of {word}: never opened ({})", published.entry, published.seal)
            }
        };
    }
}

/// How many secrets of a side are looked at: one is enough, and each may take a while.
const MOST: usize = 3;

/// Checks the secrets in remarks `# secret <side> <64 hex>` against every seal of their side. Returns whether they hold.
fn secrets(text: &mut String, opened: &Opened<'_>, ledger: &Seals, lines: &Lines<'_>) -> bool {
    let mut sound = true;
    text.push_str("\nSecrets\n");
    for side in Side::BOTH {
        let word = ledger.word(side);
        let remark = format!("# secret {word} ");
        let mut found = lines.remarks.iter().filter_map(|line| line.strip_prefix(&remark)).peekable();
        let own: Vec<_> = ledger.published().iter().filter(|one| one.side == side).collect();
        if found.peek().is_none() {
            let unopened = own.iter().filter(|one| one.opened.is_none()).count();
            let _ = writeln!(text, "  {word}: not published; seals that stay unchecked: {unopened} of {}", own.len());
        }
        for (nth, hex) in found.enumerate() {
            if nth == MOST {
                let _ =
                    writeln!(text, "  {word}: more than {MOST} secrets are published; the others are not looked at");
                break;
            }
            if opened.table.standing().outcome.is_none() {
                let _ =
                    writeln!(text, "  {word}: published before the end of the game: its seals are open to everybody");
            }
            let Some(secret) = Secret::read(hex) else {
                let _ = writeln!(text, "  {word}: `{}` is not 64 hexadecimal digits", printable(hex));
                sound = false;
                continue;
            };
            for published in &own {
                let (fits, line) = check(opened, ledger, &secret, published);
                sound &= fits;
                let _ = writeln!(text, "  {word}: {line}");
            }
            if own.is_empty() {
                let _ = writeln!(text, "  {word}: published, and it has sealed nothing");
            }
            for holding in opened.table.holdings(side) {
                let (fits, line) = check_holding(opened, ledger, &secret, side, &holding);
                sound &= fits;
                let _ = writeln!(text, "  {word}: {line}");
            }
        }
    }
    sound
}

/// Whether the seals under some labels hold together what they must, and a line on it.
fn check_holding(
    opened: &Opened<'_>,
    ledger: &Seals,
    secret: &Secret,
    side: Side,
    holding: &Holding,
) -> (bool, String) {
    let (game, word) = (ledger.game(), ledger.word(side));
    let own = |label: &String| ledger.published().iter().find(|one| one.side == side && one.label == *label);
    let mut found = Vec::new();
    for label in &holding.labels {
        let payloads = |each: &mut dyn FnMut(&str) -> bool| opened.table.payloads(side, label, each);
        let nonce = secret.nonce(game, word, label);
        found.extend(own(label).and_then(|one| recall(game, word, label, &one.seal, &nonce, &payloads)));
    }
    found.sort_unstable();
    let what = &holding.what;
    if found == holding.payloads {
        return (true, format!("{what} held exactly what it should, {} in all", found.len()));
    }
    let lacking = holding.payloads.iter().filter(|one| count(&found, one) < count(&holding.payloads, one));
    let lacking: std::collections::BTreeSet<_> = lacking.map(String::as_str).collect();
    let names = lacking.into_iter().collect::<Vec<_>>().join(", ");
    (false, format!("{what} did not hold what it should: there was too little of {names}"))
}

fn count(list: &[String], one: &str) -> usize {
    list.iter().filter(|other| *other == one).count()
}

/// Whether a secret gives a seal, and a line on it.
fn check(opened: &Opened<'_>, ledger: &Seals, secret: &Secret, published: &Published) -> (bool, String) {
    let (game, word, label) = (ledger.game(), ledger.word(published.side), published.label.as_str());
    let nonce = secret.nonce(game, word, label);
    if let Some(opening) = &published.opened {
        return if opening.nonce == nonce {
            (true, format!("`{label}` (entry {}) was opened with the nonce that the secret gives", published.entry))
        } else {
            (
                false,
                format!("`{label}` (entry {}) was opened with another nonce than the secret gives", published.entry),
            )
        };
    }
    let payloads = |each: &mut dyn FnMut(&str) -> bool| opened.table.payloads(published.side, label, each);
    match recall(game, word, label, &published.seal, &nonce, &payloads) {
        Some(payload) => (true, format!("`{label}` (entry {}), never opened, held `{payload}`", published.entry)),
        None => {
            (false, format!("`{label}` (entry {}), never opened, holds nothing that could be opened", published.entry))
        }
    }
}
