//! Subsume at the command line: what is shown and listed.

use std::path::Path;
use std::process::Command;

/// The output of a command, which must succeed.
fn printed(arguments: &[&str]) -> (String, String) {
    let home = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_postrider"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/subsume"))
        .env("POSTRIDER_HOME", home.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    (String::from_utf8(output.stdout).expect("UTF-8"), said)
}

#[test]
fn the_sheet_shows_three_sizes_owners_heights_stacks_and_control() {
    let (sheet, _) = printed(&["show", "counted-out.pbem", "--at", "2"]);
    let expected = "\
subsume-counted-out  Counted out
white Ada Quill - black Bram Post

  +-------+-------+-------+-------+-------+-------+-------+-------+
8 |       |       |       |       |       |       |       | B 1   |
  |       |       |       |       |       |       |       | D     |
  +-------+-------+-------+-------+-------+-------+-------+-------+
7 |       |       |       |       |       |       |       |       |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
6 |       |       |       |       |       |(B 10)         |       |
  |       |       |       |       |       | IDADAIDAID    |       |
  +-------+-------+-------+-------+-------+               +-------+
5 |       |       |       |       |(B 3)  |               |       |
  |       |       |       |       | IAA   |               |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
4 | W 33 *                        |[B 4]  |       |       |       |
  | IIIDIDDIDIDIDIDIDIDIDIIDIDIDID| ADAA  |       |       |       |
  + IDA                           +-------+-------+-------+-------+
3 |                               | W 19 *|       |       |       |
  |                               | ..AAAA|       |       |       |
  +                               +-------+-------+-------+-------+
2 |                               |       |       |       |       |
  |                               |       |       |       |       |
  +                               +-------+-------+-------+-------+
1 |                               |       |       |       |       |
  |                               |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
    a       b       c       d       e       f       g       h

W 5, B 5 territory of White's, Black's, with 5 tokens, * controlled,
IADI tokens bottom to top: isolationist, aggressor, advocate,
..IA more below, [ ] where the last entry went,
( ) what it left, or where it took something

white  a1/4  33 tokens, controlled         IIIDIDDIDIDIDIDIDIDIDIIDIDIDIDIDA
       e3    19 tokens, controlled         IDAAAAAAAAAAAAAAAAA
black  e4     4 tokens, 1 short of control ADAA
       e5     3 tokens, 2 short of control IAA
       f5/2  10 tokens, 2 short of control IDADAIDAID
       h8     1 token,  4 short of control D
turn   2 of 3 a side
last   2 black +f5A; f5^4; e5-e4*4; f5-e5*3 @2026-11-22T12:02:00Z {my own town is enough for me}
due    white (entry 3): a turn, which begins with a claim
";
    assert_eq!(sheet, expected);
}

#[test]
fn a_stack_is_shown_in_full_on_request() {
    let (sheet, _) = printed(&["show", "counted-out.pbem", "--at", "2", "--mark", "f6"]);
    insta::assert_snapshot!("stack", sheet);
}

#[test]
fn a_pending_reveal_is_reported() {
    let (sheet, _) = printed(&["show", "a-city-built-and-lost.pbem", "--at", "40"]);
    insta::assert_snapshot!("pending_reveal", sheet);
    let (sheet, _) = printed(&["show", "a-city-built-and-lost.pbem", "--at", "15"]);
    insta::assert_snapshot!("fought", sheet);
}

#[test]
fn single_actions_are_listed_and_counted() {
    let (list, said) = printed(&["moves", "--game", "subsume", "--position", "W d4 A; B d5 D; B h8 I; to play white"]);
    assert_eq!((list.lines().count(), said.as_str()), (27, "a turn begins with one of these\n"));
    let (count, _) = printed(&["perft", "subsume", "4"]);
    assert_eq!(count, "3744\n");
    let (divided, _) = printed(&["perft", "subsume", "2", "--divide"]);
    insta::assert_snapshot!("divided", divided);
}
