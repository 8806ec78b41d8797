//! Samples of assideum.

use postrider_kernel::{Finished, Samples, Shorthand};

const MIDDLE: &str = "white Kh1 Rd4=N Pc3=N Pe3=N Va2 Fd5; black Kh8; to play white";

pub(in crate::assideum) const SAMPLES: Samples = Samples {
    shorthands: &[
        Shorthand { position: MIDDLE, short: "pe3-f3", canonical: "Pe3-f3" },
        Shorthand { position: MIDDLE, short: "a2-b3", canonical: "Va2-b3" },
    ],
    finished: &[Finished {
        position: "white Kb3 Rh2=W; black Ka1; to play white",
        entry: "Rh2-h1",
        result: "white wins: siege",
    }],
    values: &["CPSRKSPC"],
    ..Samples::NONE
};
