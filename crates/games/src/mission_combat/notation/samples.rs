//! Samples of Mission: Combat!.

use postrider_kernel::{Finished, Samples, Shorthand};

const FIGHT: &str = "RP exorcist.1; YA psionic-fanatic.1 psionic-priest.1; AR stealth-special-force.1; ap 1; to play marines; \
                     hand marines -; hand portalists -; discard marines -; discard portalists -";
const CHOICE: &str = "YA exorcist.1; AR rifle-squad.1; ap 1; to play marines; hand marines -; hand portalists -; \
                      discard marines -; discard portalists -";

pub(in crate::mission_combat) const SAMPLES: Samples = Samples {
    shorthands: &[
        Shorthand {
            position: FIGHT,
            short: "move stealth-special-force>YA; attack stealth-special-force psionic-priest:10 psionic-fanatic:10; end",
            canonical: "move stealth-special-force.1>YA; \
                        attack stealth-special-force.1 psionic-fanatic.1:10 psionic-priest.1:10; end",
        },
        Shorthand {
            position: CHOICE,
            short: "draw rocket-squad hellfire; keep hellfire; end",
            canonical: "draw hellfire rocket-squad; keep hellfire; end",
        },
    ],
    finished: &[Finished {
        position: "YA exorcist.1; AR rifle-squad.1; ap 2; to play marines; hand marines missile-strike; hand portalists -; \
                   discard marines -; discard portalists -",
        entry: "event missile-strike exorcist.1:10",
        result: "marines win: units",
    }],
    // Points can be split in more ways than are listed; any way counts as a listed one with the same unit or card.
    stands_for: |action, listed| {
        let who = |action: &str| action.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
        action == listed || action.contains(':') && listed.contains(':') && who(action) == who(listed)
    },
    ..Samples::NONE
};
