//! Samples of Asalto.

use postrider_kernel::{Finished, Samples, Shorthand};

pub(in crate::asalto) const SAMPLES: Samples = Samples {
    shorthands: &[
        // T44: the huff that follows automatically, and the order of points.
        Shorthand {
            position: "D../.D./...B.../......./..BBB.B/BBB/BBB d",
            short: "c7-c6",
            canonical: "c7-c6; huff d6",
        },
        Shorthand {
            position: ".../.../BB...BB/BBBBBBB/BBBBBBB/BBB/BBB d",
            short: "place e6 c6",
            canonical: "place c6 e6",
        },
    ],
    finished: &[Finished {
        position: ".../.../..D..../.BB...B/.B.B..B/B.B/BBB d",
        entry: "c5xc3xe3",
        result: "defenders win: captured",
    }],
    ..Samples::NONE
};
