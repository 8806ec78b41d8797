//! Samples of Assassyn's Dagger.

use postrider_kernel::{Finished, Placeholder, Samples, Side};

pub(in crate::assassyn) const SAMPLES: Samples = Samples {
    // Nothing has a second spelling.
    shorthands: &[],
    placeholders: &[
        // Every die has at least ten sides (D3).
        Placeholder {
            word: "accept",
            begins: "accept roll ",
            example: |_, below| format!("accept roll {} {}", 1 + below(10), 1 + below(10)),
            squares: |_| Vec::new(),
            pieces: &[],
        },
        Placeholder {
            word: "deploy",
            begins: "deploy ",
            example: |side, _| match side {
                Side::First => "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1".into(),
                Side::Second => "deploy Pa6 Wb6 Lc6 Ld6 Sa5 Sb5 Af6".into(),
            },
            squares: |side| {
                let ranks = match side {
                    Side::First => ['1', '2'],
                    Side::Second => ['6', '5'],
                };
                ranks.iter().flat_map(|rank| ('a'..='f').map(move |file| format!("{file}{rank}"))).collect()
            },
            pieces: &[
                ('P', "Prince"),
                ('W', "Warrior"),
                ('L', "Longswordsman"),
                ('S', "Shortswordsman"),
                ('A', "Assassin"),
            ],
        },
    ],
    finished: &[Finished {
        position: "white Pc3; black Pc3; to play black; challenge c2xc3",
        entry: "accept roll 5 9",
        result: "black wins: prince",
    }],
    no_setups: &["; deploying"],
    ..Samples::NONE
};
