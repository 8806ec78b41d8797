//! Judging records for whoever keeps many: the verdict, what speaks against a legal record all the same, and whether it is as was asked.

use std::path::{Path, PathBuf};

use super::stamps::{self, Checked, StampReport};
use postrider_kernel::Info;
use postrider_kernel::text::{LineIndex, printable};
use postrider_referee::desk::Desk;
use postrider_referee::record::Header;
use postrider_referee::sealing::{Check, PublicKey};
use postrider_referee::verdict::faces;
use postrider_referee::verdict::faces::WrongFaces;
use postrider_referee::verdict::{Opened, Ruling, Verdict, receipts, verify, verify_newest, with_digests};

/// How many remarks of one kind are warned of, one by one; a record has room for half a million.
const WARNED: usize = 20;

/// Who signs a record, as a verdict tells it.
#[derive(Clone, Copy, Debug)]
pub struct Signers<'a> {
    /// The record's header.
    pub header: &'a Header<'a>,
    /// The sides' keys.
    pub keys: [Option<PublicKey>; 2],
    /// How many entries each side has made.
    pub made: [u32; 2],
    /// Whether the keys have signed anything in it.
    pub signed: [bool; 2],
}

/// What a player knows apart from the records.
pub trait Knows: Sync {
    /// Returns whether a file is one of the player's games.
    fn is_game(&self, file: &Path) -> bool;

    /// Returns whether anything is known of keys.
    fn knows_keys(&self) -> bool;

    /// Returns what speaks against a record, one line each. `is_game`: it is one of the player's games.
    fn doubts(&self, is_game: bool, record: &[u8], signers: &Signers<'_>) -> Vec<String>;

    /// Returns why a record does not count as signed with trusted keys on both sides, one line each.
    fn untrusted(&self, signers: &Signers<'_>) -> Vec<String>;
}

/// How records are judged.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
    /// Whether only the newest signature of each side is checked (Z34).
    pub newest: bool,
    /// Whether both sides are to sign with trusted keys.
    pub trusted: bool,
    /// The authorities by which each record is to be stamped, if it is.
    pub stamps: Option<&'a PathBuf>,
    /// What the player knows.
    pub knows: &'a dyn Knows,
}

/// What speaks against a legal record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// In words.
    Text(String),
    /// A remark on a throw is not true: its line, what it says, and what would be right if anything was thrown.
    Faces(usize, String, Option<String>),
}

/// Whether a legal record is as was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// It is, or nothing was asked.
    #[default]
    Fulfilled,
    /// It is not.
    Unfulfilled,
    /// That could not be found out.
    Unknown,
}

/// A record that was judged.
#[derive(Debug)]
pub struct JudgedRecord {
    pub verdict: Verdict,
    /// What speaks against it, if it is legal.
    pub warnings: Vec<Warning>,
    /// Whether it is as was asked.
    pub asked: Asked,
    /// How many of the warnings, from the last, say that it is not.
    pub against: usize,
    /// Whether it may hold receipts.
    pub has_receipts: bool,
    /// Its time stamps, if they were checked.
    pub stamps: Vec<Checked>,
}

impl Judging<'_> {
    /// Judges a record, which is in this file or has this name in an archive.
    #[must_use]
    pub fn judge(&self, file: &Path, record: &[u8]) -> JudgedRecord {
        let verdict = if self.newest { verify_newest(record) } else { verify(record) };
        // Most records have no remarks at all, and preparing a search takes longer than seeing that.
        let has = |head: &str| verdict.has_remarks && memchr::memmem::find(record, head.as_bytes()).is_some();
        let (has_faces, has_receipts) = (has(faces::HEAD), has(receipts::HEAD));
        let mut judged = JudgedRecord {
            verdict,
            warnings: Vec::new(),
            asked: Asked::default(),
            against: 0,
            has_receipts,
            stamps: Vec::new(),
        };
        if judged.verdict.ruling == Ruling::Legal {
            self.warn(file, record, has_faces, &mut judged);
        }
        judged
    }

    /// Adds what speaks against a legal record: remarks that are not true, keys that differ from the known ones, a past that differs from
    /// the known one, and that it is not as was asked.
    fn warn(&self, file: &Path, record: &[u8], has_faces: bool, judged: &mut JudgedRecord) {
        let is_game = self.knows.is_game(file);
        let keys = judged.verdict.signers.as_ref().map_or([None; 2], |signers| signers.keys);
        let by_one_key = keys[0].is_some() && keys[0] == keys[1];
        let looks_at_keys = by_one_key || self.trusted || self.knows.knows_keys();
        if self.stamps.is_none() && !is_game && !has_faces && !judged.has_receipts && !looks_at_keys {
            return;
        }
        let Ok(mut opened) = Opened::new(record) else { return };
        let warnings = &mut judged.warnings;
        if has_faces {
            opened.table.set_check(Check::Nothing);
            opened.replay(u32::MAX);
            warnings.extend(wrong_faces(&opened));
        }
        if judged.has_receipts {
            warnings.extend(faulty_receipts(record).into_iter().map(Warning::Text));
        }
        let signed = judged.verdict.signers.as_ref().map_or([false; 2], |signers| signers.signed);
        let signers = Signers { header: &opened.header, keys, made: judged.verdict.made, signed };
        warnings.extend(self.knows.doubts(is_game, record, &signers).into_iter().map(Warning::Text));
        let lacks = if self.trusted { self.knows.untrusted(&signers) } else { Vec::new() };
        judged.against = lacks.len();
        judged.asked = if lacks.is_empty() { Asked::Fulfilled } else { Asked::Unfulfilled };
        if let Some(authorities) = self.stamps
            && let Ok(desk) = Desk::open(record)
        {
            match stamps::report(&desk, authorities) {
                Ok(StampReport { sound, lines, stamps }) => {
                    judged.stamps = stamps;
                    if !sound {
                        judged.asked = Asked::Unfulfilled;
                        judged.against += lines.len();
                    }
                    let what = if sound { "stamped" } else { "not as --stamps asks" };
                    warnings.extend(lines.into_iter().map(|line| Warning::Text(format!("{what}: {line}"))));
                }
                Err(error) => {
                    judged.asked = Asked::Unknown;
                    judged.against += 1;
                    let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                    warnings.push(Warning::Text(format!("error: {error}{hint}")));
                }
            }
        }
        warnings.extend(lacks.into_iter().map(|lack| Warning::Text(format!("not as --trusted asks: {lack}"))));
    }
}

/// Describes the remarks on throws that are not true in a record that was replayed.
#[must_use]
pub fn wrong_faces(opened: &Opened<'_>) -> Vec<Warning> {
    let (mut described, mut more) = (Vec::new(), 0);
    let index = LineIndex::new(opened.text.as_bytes());
    faces::wrong_faces(opened, &mut |WrongFaces { span, right }: WrongFaces| match described.len() {
        WARNED.. => more += 1,
        _ => {
            let line = index.place(span.start as usize).line;
            described.push(Warning::Faces(line, printable(span.text(opened.text)).into_owned(), right));
        }
    });
    described.extend((more > 0).then(|| Warning::Text(format!("{more} more remarks on throws are wrong"))));
    described
}

/// Returns the entry of the newest valid receipt of each side in a legal record.
#[must_use]
pub fn newest_receipts(record: &[u8]) -> Option<(&'static Info, [Option<u32>; 2])> {
    let (opened, digests) = with_digests(record)?;
    let mut newest = [None; 2];
    receipts::each(&opened, &digests, &mut |(_, read)| {
        if let Ok(one) = read
            && let Some(place) = newest.get_mut(one.side.index())
        {
            *place = (*place).max(Some(one.entry));
        }
    });
    Some((opened.header.info, newest))
}

/// Describes the receipts in a legal record that are not valid.
fn faulty_receipts(record: &[u8]) -> Vec<String> {
    let Some((opened, digests)) = with_digests(record) else { return Vec::new() };
    let (mut faulty, mut more) = (Vec::new(), 0);
    receipts::each(&opened, &digests, &mut |(line, read)| match read {
        Ok(_) => {}
        Err(_) if faulty.len() >= WARNED => more += 1,
        Err(fault) => {
            let start: String = line.chars().take(40).collect();
            faulty.push(format!("`{}…` {}; it counts against nobody", printable(&start), fault.text()));
        }
    });
    faulty.extend((more > 0).then(|| format!("{more} more receipts are not valid either")));
    faulty
}
