//! All tests of the project except those beside the code, in one program, so that they are linked only once.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "../fuzz_targets/mod.rs"]
mod fuzz_targets;

#[path = "../shapes/mod.rs"]
mod shapes;

mod altered;
mod announced;
mod archives;
mod attacks;
mod attacks_on_clocks;
mod backups;
mod blocks;
mod budget;
mod circles;
mod cli;
mod cli_assideum;
mod cli_decks;
mod cli_subsume;
mod clocks;
mod completion;
mod conditions;
mod conformance;
mod copies_in_replies;
mod correspondence;
mod countersigned;
mod declared_keys;
mod dice_by_mail;
mod doctor;
mod documents;
mod due_views;
mod editors;
mod envelope;
mod faces;
mod fair_dice;
mod faults;
mod files_written;
mod first_game;
mod forges;
mod fuzz_corpus;
mod git_check;
#[cfg(target_os = "linux")]
mod git_cuts;
mod git_history;
mod git_kills;
mod git_merge;
mod git_play;
mod git_setup;
mod handed_over;
mod hidden_tokens;
mod hints;
mod homes_in_requests;
mod honest_games;
mod host;
mod hosted;
mod house;
mod invitations;
mod languages;
mod letters;
mod letters_shown;
mod mail_imap;
mod mail_rounds;
mod mail_setup;
mod mail_smtp;
mod mail_support;
mod mail_transport;
mod named;
mod newcomers;
mod notation;
mod odd_letters;
mod office;
mod office_homes;
mod own_view;
mod packing;
mod pages;
mod pages_by_mail;
mod passphrases;
mod pictures;
mod play;
mod players;
mod positions;
#[cfg(target_os = "linux")]
mod power;
mod practice;
#[cfg(unix)]
mod programs;
mod readme;
mod receive;
mod receive_answers;
mod receive_faults;
mod receive_imap;
mod receive_signed;
mod receive_strangers;
// What it counts is counted in builds with debug assertions alone.
#[cfg(debug_assertions)]
mod replays;
mod replies;
mod replies_in_words;
mod repository;
mod restored;
mod rules_tested;
mod samples;
mod schema;
mod sealed_decks;
mod sealed_samples;
mod seats;
mod session;
mod setup;
mod several_decks;
mod signature_script;
mod signatures;
mod signing;
mod signing_cli;
mod status;
mod store_kill;
mod suspended_turns;
mod tactics;
mod taps;
mod terminal;
mod time_stamps;
mod times_in_letters;
mod two_decks;
mod two_players;
mod typed;
mod undo;
mod unseen;
mod vectors;
mod way;
mod web_module;
mod withdrawn_keys;
