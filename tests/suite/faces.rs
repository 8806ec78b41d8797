//! The faces of throws as remarks, written by `fmt --faces` and compared with what was thrown (Z8).

use postrider_referee::record::{LINE_LIMIT, RECORD_LIMIT};

use crate::session::Session;

const RECORD: &str = "---
pbem: 1
game: assassyn
id: assassyn-20261121-7k3q9x
players:
  white: {name: Ada Quill}
  black: {name: Bram Post}
started: 2026-11-21
secrecy: sealed
setup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"
---
1 white Lc1xc5 seal:c86457b54e5e673d7cdb2b2c8ba605a2add47e1d1d55fd431ddf366e509e69d4
2 black accept salt:0217f7a3ec02ae16bcebb0859ee192aa
3 white open:6f5d69734efc02c6da5f8dd537d5a9fd; Pa1-a2
# a good throw
";

#[test]
fn of_many_remarks_that_are_wrong_some_are_named_and_the_rest_counted() {
    let session = Session::new();
    let wrong: Vec<String> = (0..33).map(|nth| format!("# throw roll.{nth}: d4 1")).collect();
    session.write("game.pbem", with(&wrong.join("\n")));
    for command in ["verify", "audit"] {
        let told = session.run(&[command, "game.pbem"]);
        let told = told.out + &told.err;
        assert_eq!(told.matches("warning: line ").count(), 20, "{told}");
        assert!(told.contains("13 more remarks on throws are wrong"), "{told}");
    }
}

/// The record with a line added after the third entry.
fn with(line: &str) -> String {
    RECORD.replace("Pa1-a2\n", &format!("Pa1-a2\n{line}\n"))
}

#[test]
fn a_record_stays_as_it_is_if_its_form_would_exceed_the_size_of_a_record() {
    let session = Session::new();
    let mut full = RECORD.to_owned();
    let line = format!("# {}\n", "x".repeat(LINE_LIMIT - 2));
    while full.len() + line.len() <= RECORD_LIMIT {
        full.push_str(&line);
    }
    full.push_str(&"\n".repeat(RECORD_LIMIT - full.len()));
    session.write("game.pbem", &full);
    // With the remark it could not be read any more.
    session.run(&["fmt", "--faces", "game.pbem"]).ok();
    assert!(session.read("game.pbem") == full);
    session.run(&["fmt", "--faces", "--check", "game.pbem"]).ok();
    assert!(session.feed(&["fmt", "--faces", "-"], full.as_bytes()).ok() == full);
    // With as much room as the remark needs it is written.
    let room = "# throw roll.1: d12 11, d12 12\n".len();
    let less = full.get(..full.len() - room).expect("blank lines").to_owned();
    session.write("game.pbem", &less);
    session.run(&["fmt", "--faces", "game.pbem"]).ok();
    assert!(session.read("game.pbem") == less.replace("Pa1-a2\n", "Pa1-a2\n# throw roll.1: d12 11, d12 12\n"));
    let names: Vec<_> = std::fs::read_dir(session.path(".")).expect("the folder").flatten().collect();
    assert!(names.iter().all(|one| !one.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn z8_the_faces_of_a_throw_are_written_below_its_opening_and_checked() {
    let session = Session::new();
    let right = with("# throw roll.1: d12 11, d12 12");
    session.write("game.pbem", RECORD);
    session.run(&["fmt", "--faces", "game.pbem"]).ok();
    assert_eq!(session.read("game.pbem"), right);
    // Once written they stay, with and without the option, and there is no warning.
    for arguments in
        [&["fmt", "--faces", "game.pbem"][..], &["fmt", "game.pbem"], &["fmt", "--check", "--faces", "game.pbem"]]
    {
        session.run(arguments).ok();
        assert_eq!(session.read("game.pbem"), right);
    }
    let verified = session.run(&["verify", "game.pbem"]);
    assert!(!verified.ok().contains("warning"));
    session.write("game.pbem", RECORD);
    assert!(session.run(&["fmt", "--check", "--faces", "game.pbem"]).code == 1);
    session.run(&["fmt", "--check", "game.pbem"]).ok();
    // A remark that is not true causes a warning, and is corrected.
    for wrong in [
        "# throw roll.1: d12 12, d12 12",
        "# throw roll.1: d12 11, d12 12, d12 1",
        "# throw roll.1",
        "# throw roll.2: d12 11, d12 12",
        "# throw roll.1: d12 11, d12 12 and more",
    ] {
        session.write("game.pbem", with(wrong));
        let verified = session.run(&["verify", "game.pbem"]).ok();
        assert!(verified.contains("warning: line 15: `# throw roll."), "{verified}");
        let audited = session.run(&["audit", "game.pbem"]).err;
        assert!(audited.contains("line 15"), "{audited}");
        session.run(&["fmt", "--faces", "game.pbem"]).ok();
        assert_eq!(session.read("game.pbem"), right);
    }
    // Before the opening nothing is thrown.
    session.write("game.pbem", RECORD.replace("2 black", "# throw roll.1: d12 11, d12 12\n2 black"));
    let verified = session.run(&["verify", "game.pbem"]).ok();
    assert!(verified.contains("warning: line 13") && verified.contains("nothing of the kind was thrown"), "{verified}");
}
