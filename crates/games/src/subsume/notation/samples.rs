//! Samples of Subsume.

use postrider_kernel::{Finished, Samples, Shorthand};

/// No legal entry in the tests repeats an action more often.
const MOST: usize = 400;

pub(in crate::subsume) const SAMPLES: Samples = Samples {
    shorthands: &[Shorthand {
        position: "W c3/2 IADIADIADIAD; B h8 I; to play white",
        short: "+d4A; d3-e3; d3-e3*2; d3-e3*1",
        canonical: "+c3A; d3-e3*4",
    }],
    finished: &[Finished {
        position: "W a1 I; B a2 AAAAAAA; to play white",
        entry: "+a1I; a1xa2",
        result: "black wins: territory",
    }],
    no_setups: &["game over"],
    // `d1-d2*3` is three times `d1-d2`.
    singly: |action| match action.split_once('*').map(|(one, times)| (one, times.parse())) {
        Some((one, Ok(times))) => vec![one.to_owned(); usize::min(times, MOST)],
        _ => vec![action.to_owned()],
    },
    // One token alone, then the others.
    respelled: |action| match action.split_once('*').map(|(one, times)| (one, times.parse::<u32>())) {
        Some((one, Ok(times))) if times > 1 => format!("{one}; {one}*{}", times - 1),
        None if action.contains('-') => format!("{action}*1"),
        _ => action.to_owned(),
    },
    ..Samples::NONE
};
