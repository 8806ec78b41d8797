//! How many instructions things take, counted by valgrind: the same on a busy machine. `benches/README.md` tells what has to
//! be installed.

// What the macros write has no documentation.
#![allow(missing_docs)]

mod support;

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use support::Record;

#[library_benchmark]
#[bench::long(support::long())]
#[bench::timed(support::timed())]
#[bench::short(support::short())]
fn verify(record: Record) -> u32 {
    support::verify(black_box(&record))
}

#[library_benchmark]
#[bench::by_the_short_way(support::short())]
#[bench::by_the_library(support::read_by_library(&support::short()))]
fn header(record: Record) -> usize {
    support::header(black_box(&record))
}

#[library_benchmark]
fn perft() {
    let (depth, nodes) = support::PERFT;
    assert_eq!(support::perft(black_box(depth)), nodes);
}

library_benchmark_group!(name = judging; benchmarks = verify, header, perft);
main!(library_benchmark_groups = judging);
