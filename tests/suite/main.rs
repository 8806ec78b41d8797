//! All tests of the project but those beside the code, in one program, so that they are linked once.

#[path = "../fuzz_targets/mod.rs"]
mod fuzz_targets;

#[path = "../shapes/mod.rs"]
mod shapes;

mod altered;
mod archives;
mod attacks;
mod budget;
mod cli;
mod cli_assideum;
mod cli_decks;
mod cli_subsume;
mod clocks;
mod conditions;
mod conformance;
mod envelope;
mod fair_dice;
mod faults;
mod fuzz_corpus;
mod git_check;
mod git_history;
mod git_merge;
mod git_setup;
mod hidden_tokens;
mod layers;
mod letters;
mod mail_imap;
mod mail_rounds;
mod mail_setup;
mod mail_smtp;
mod mail_support;
mod mail_transport;
mod notation;
mod pictures;
mod players;
mod positions;
mod random;
mod readme;
mod receive;
mod receive_answers;
mod receive_faults;
mod receive_imap;
mod receive_signed;
mod receive_strangers;
mod replays;
mod replies;
mod repository;
mod rules_tested;
mod samples;
mod sealed_decks;
mod sealed_samples;
mod session;
mod signatures;
mod signing;
mod signing_cli;
mod status;
mod store_kill;
mod suspended_turns;
mod tactics;
mod taps;
mod two_decks;
mod two_players;
mod typed;
mod vectors;
