//! How every throw of a sealed record came about, in words that a suspicious opponent can follow and repeat, and what
//! the secrets published at the end prove (Z10).

mod secrets;

pub use secrets::Only;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};

use crate::judging::Standing;
use crate::record::Item;
use crate::sealing::{Published, Seals, Thrown, seals};
use crate::verdict::{Opened, hosting};
use postrider_kernel::{Due, Outcome, Side, SideName};

/// The report on a sealed record.
#[derive(Clone, Debug)]
pub struct Report {
    /// The report in words.
    pub text: String,
    /// Whether there is no evidence against a player: each side's own secret reproduces every seal of that side.
    pub sound: bool,
    /// What is proven about the result.
    pub proof: Proof,
}

/// What is proven about the result of a sealed game (Z24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The game is in progress, or ended without a winner.
    NothingToProve,
    /// The winner's secret is published and everything that the winner sealed agrees with it; or the winner sealed
    /// nothing.
    Proven,
    /// It is won, but the winner's secret is not published, or not everything that the winner made follows from it.
    Unproven(Side),
}

/// Returns the side that resigned or ran out of time when it had to show something it had sealed, and what that was (Z9). An honest
/// player may stop there too; one who often does may be hiding a bad result.
#[must_use]
pub fn owed_at_end(standing: &Standing) -> Option<(Side, &'static str)> {
    let Some(Outcome::Win(winner, "resigned" | "time")) = standing.outcome else { return None };
    let Due { side, shows, .. } = standing.due;
    shows.filter(|_| side == winner.other()).map(|what| (side, what))
}

/// Reports on a sealed record that has been replayed; `None` for open play.
#[must_use]
pub fn report(opened: &Opened<'_>) -> Option<Report> {
    let ledger = opened.table.seals()?;
    let published = ledger.published();
    let lines = Lines::of(opened);
    let mut text = format!("{}: seals {}, throws {}", ledger.game(), published.len(), ledger.thrown().len());
    for (what, mark) in [("roots", " root:"), ("seeds", " seed:")] {
        let count: usize = lines.entries.iter().map(|actions| actions.matches(mark).count()).sum();
        if count > 0 {
            let _ = write!(text, ", {what} {count}");
        }
    }
    text.push('\n');
    let mut by_nonce = HashMap::new();
    for one in &published {
        if let Some(opening) = &one.opened {
            by_nonce.entry(opening.nonce).or_insert(one);
        }
    }
    for (nth, thrown) in ledger.thrown().iter().enumerate() {
        // Every throw comes from a seal that was opened.
        if let Some(published) = by_nonce.get(&thrown.nonce) {
            roll(&mut text, ledger, &lines, nth + 1, thrown, published);
        }
    }
    others(&mut text, ledger, &published);
    if let (Some(signs), Some(could)) = (hosting::signs_for(opened), hosting::could_know(opened)) {
        let _ = writeln!(
            text,
            "\nHost\n  {signs}\n  {could}\n  Choices that do not follow from its secrets are listed below, once the secrets are published (Z40)"
        );
    }
    let findings = secrets::check(&mut text, opened, ledger, &published, &lines.remarks);
    let proof = match opened.table.standing().outcome {
        Some(Outcome::Win(side, _)) if findings.iter().any(|found| found.side == side && found.proves) => Proof::Proven,
        Some(Outcome::Win(side, _)) => Proof::Unproven(side),
        Some(Outcome::Draw(_)) | None => Proof::NothingToProve,
    };
    conclusion(&mut text, ledger, proof, &opened.table.standing(), opened.header.info.sides);
    Some(Report { text, sound: findings.iter().all(|found| found.sound), proof })
}

/// Returns whether a sealed game that was replayed is won, but the winner's secret is not published or does not prove the
/// win (Z24).
#[must_use]
pub fn is_unproven(opened: &Opened<'_>) -> bool {
    let Some(Outcome::Win(side, _)) = opened.table.standing().outcome else { return false };
    let Some(seals) = opened.table.seals() else { return false };
    let published = format!("\n# secret {} ", seals.word(side));
    // The audit is only worth its time if there is something to check.
    if !opened.text.contains(&published) {
        return seals.commitment(side).is_some() || seals.has_seal_of(side);
    }
    report(opened).is_some_and(|report| matches!(report.proof, Proof::Unproven(_)))
}

/// States what is proven about the result, and what an old record lacks.
fn conclusion(text: &mut String, ledger: &Seals, proof: Proof, standing: &Standing, sides: [SideName; 2]) {
    let named = |side: Side| sides[side.index()].named();
    if let Some((side, what)) = owed_at_end(standing) {
        let _ = writeln!(text, "\nEnded while {} owed {what}: what was sealed there was never shown (Z9)", named(side));
    }
    let _ = match (proof, standing.outcome) {
        (Proof::Proven, Some(Outcome::Win(side, _))) => {
            writeln!(text, "\nThe win of {} is proven: everything that {0} sealed was as it should be", named(side))
        }
        (Proof::Unproven(side), _) => {
            let (named, has) = (named(side), sides[side.index()].verb("have", "has"));
            writeln!(
                text,
                "\nWon, not proven: only the secret of {named} proves that everything {named} sealed was as it should be; \
                 it does so once {named} {has} published it in the record (Z24)"
            )
        }
        _ => Ok(()),
    };
    let old: Vec<_> = Side::BOTH
        .into_iter()
        .filter(|side| ledger.commitment(*side).is_none() && ledger.has_seal_of(*side))
        .map(named)
        .collect();
    if !old.is_empty() {
        let _ = writeln!(
            text,
            "{} did not commit to a secret (Z20), as in old records: salts, deals and shuffles of {} cannot be checked",
            old.join(" and "),
            if old.len() > 1 { "both" } else { "that side" }
        );
    }
}

/// The lines of the record that the audit refers to.
struct Lines<'a> {
    /// The actions of each entry.
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

    /// Returns the number of the last entry before `before` that contains a text.
    fn entry_with(&self, text: &str, before: u32) -> u32 {
        let mut earlier = self.entries.iter().take(before.saturating_sub(1) as usize);
        let found = earlier.rposition(|actions| actions.contains(text)).map(|nth| nth + 1);
        found.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
    }
}

/// Explains one throw, from the seal to the faces.
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

/// Lists the seals that are not for a throw, and those that were never opened.
fn others(text: &mut String, ledger: &Seals, published: &[Published]) {
    let mut first = true;
    let thrown: HashSet<&str> = ledger.thrown().iter().map(|thrown| thrown.label.as_str()).collect();
    for published in published {
        if published.opened.is_some() && thrown.contains(published.label.as_str()) {
            continue;
        }
        if first {
            text.push_str("\nOther seals\n");
            first = false;
        }
        let (word, label) = (ledger.word(published.side), &published.label);
        // Writing to a `String` never fails.
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
