//! What the fuzzers try, one function a target: it takes any bytes and panics where a property is broken. The fuzz crate calls
//! them with what libFuzzer makes up, `tests/suite/fuzz_corpus.rs` with what is kept, `tests/conformance.rs` with dice of its own.

#![allow(dead_code, unused_imports, reason = "each of those that include this uses a part of it")]

mod envelope;
mod game;
mod header;
mod message;
mod steps;

pub use envelope::envelope;
pub use game::{Tally, position, record};
pub use header::header;
pub use message::message;

use postrider::games::asalto::Asalto;
use postrider::games::assassyn::Assassyn;
use postrider::games::assideum::Assideum;
use postrider::games::kernel::Game;
use postrider::games::mission_combat::MissionCombat;
use postrider::games::subsume::Subsume;

/// A target: any bytes in, a panic where a property is broken.
pub type Target = fn(&[u8]);

/// The targets by name; each has a folder of this name in `fuzz/corpus`.
pub const TARGETS: &[(&str, Target)] = &[
    ("envelope", envelope),
    ("header", header),
    ("message", message),
    ("asalto_notation", asalto_notation),
    ("asalto_position", asalto_position),
    ("asalto_record", asalto_record),
    ("assideum_notation", assideum_notation),
    ("assideum_position", assideum_position),
    ("assideum_record", assideum_record),
    ("assassyn_notation", assassyn_notation),
    ("assassyn_position", assassyn_position),
    ("assassyn_record", assassyn_record),
    ("subsume_notation", subsume_notation),
    ("subsume_position", subsume_position),
    ("subsume_record", subsume_record),
    ("mission-combat_notation", mission_combat_notation),
    ("mission-combat_position", mission_combat_position),
    ("mission-combat_record", mission_combat_record),
];

macro_rules! targets_of {
    ($game:literal, $type:ty, $notation:ident, $position:ident, $record:ident) => {
        #[doc = concat!("Any text as an action of ", $game, ".")]
        pub fn $notation(data: &[u8]) {
            notation::<$type>(data);
        }

        #[doc = concat!("Any text as a position of ", $game, ".")]
        pub fn $position(data: &[u8]) {
            position($game, data);
        }

        #[doc = concat!("Any bytes as a game of ", $game, ".")]
        pub fn $record(data: &[u8]) {
            record($game, data);
        }
    };
}

targets_of!("asalto", Asalto, asalto_notation, asalto_position, asalto_record);
targets_of!("assideum", Assideum, assideum_notation, assideum_position, assideum_record);
targets_of!("mission-combat", MissionCombat, mission_combat_notation, mission_combat_position, mission_combat_record);
targets_of!("assassyn", Assassyn, assassyn_notation, assassyn_position, assassyn_record);
targets_of!("subsume", Subsume, subsume_notation, subsume_position, subsume_record);

/// An action that reads is written, and what was written reads as the same action; a fault lies within the text.
fn notation<G: Game>(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match G::read_action(text) {
        Ok(action) => {
            let mut written = String::new();
            G::write_action(&action, &mut written);
            assert_eq!(G::read_action(&written).as_ref(), Ok(&action), "{text:?} is written as {written:?}");
            // What reads as a line of a record must not be cut in two there.
            let cuts = ["; ", " @", "\n", "{"];
            assert!(!cuts.iter().any(|cut| written.contains(cut)), "{written:?}");
        }
        Err(misfit) => assert!(misfit.offset <= text.len() && !misfit.expected.is_empty(), "{text:?}: {misfit:?}"),
    }
    let _ = G::lenient(text);
}
