//! An audit, for programs.

use serde::Serialize;

use super::state::{Host, State, Throw, host};
use super::verdict::{Fault, faults};
use postrider_kernel::Side;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::sealing::{Published, Seals};
use postrider_referee::verdict::{Opened, Verdict};

/// An audit of a record.
#[derive(Clone, Debug, Serialize)]
pub struct Audited<'a> {
    #[serde(flatten)]
    state: State<'a>,
    verdict: &'static str,
    sound: bool,
    proof: &'static str,
    unproven: Option<&'static str>,
    owed_by: Option<&'static str>,
    owed: Option<&'static str>,
    seals: Vec<SealRow>,
    throws: Vec<Throw<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Host>,
    text: &'a str,
    errors: Vec<Fault>,
}

#[derive(Clone, Debug, Serialize)]
struct SealRow {
    label: String,
    side: &'static str,
    entry: u32,
    opened: Option<u32>,
    payload: Option<String>,
}

impl<'a> Audited<'a> {
    /// Describes the report on a record that was replayed.
    #[must_use]
    pub fn of(
        path: &'a str,
        source: &[u8],
        opened: &'a Opened<'_>,
        verdict: &Verdict,
        report: &'a audit::Report,
    ) -> Self {
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        let ledger = opened.table.seals();
        let published = ledger.map(Seals::published).unwrap_or_default();
        Self {
            state: State::of(path, &opened.header, &standing),
            verdict: verdict.ruling.word(),
            sound: report.sound,
            proof: match report.proof {
                Proof::NothingToProve => "nothing to prove",
                Proof::Proven => "proven",
                Proof::Unproven(_) => "not proven",
            },
            owed_by: audit::owed_at_end(&standing).map(|(side, _)| word(side)),
            owed: audit::owed_at_end(&standing).map(|(_, what)| what),
            unproven: if let Proof::Unproven(side) = report.proof { Some(word(side)) } else { None },
            seals: published.into_iter().map(|one| seal(one, opened)).collect(),
            throws: ledger.map(|ledger| ledger.thrown().iter().map(Throw::of).collect()).unwrap_or_default(),
            host: host(opened),
            text: &report.text,
            errors: faults(source, verdict),
        }
    }
}

fn seal(one: Published, opened: &Opened<'_>) -> SealRow {
    let (opened_by, payload) = one.opened.map_or((None, None), |by| (Some(by.entry), Some(by.payload)));
    SealRow {
        label: one.label,
        side: opened.header.info.sides[one.side.index()].word,
        entry: one.entry,
        opened: opened_by,
        payload,
    }
}
