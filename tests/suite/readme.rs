//! Every console block of the README and of the pages for players, run in order in one folder, and the tour.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_postrider");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A command in a console block, with the exit code and the lines expected.
struct Step {
    command: String,
    code: i32,
    expected: Vec<String>,
    line: usize,
}

/// The commands in the ```console blocks: `$ command`, then `? CODE` if it is not 0, then the output. A line `...`
/// stands for any lines, and `[..]` within a line for any text.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.into(), code: 0, expected: Vec::new(), line: number + 1 });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("? ") {
                Some(code) => step.code = code.parse().expect("an exit code"),
                None => step.expected.push(line.into()),
            }
        }
    }
    steps
}

fn line_fits(found: &str, expected: &str) -> bool {
    match expected.split_once("[..]") {
        None => found == expected,
        Some((head, tail)) => found.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail)),
    }
}

fn fits(found: &[String], expected: &[String]) -> bool {
    match expected {
        [] => found.is_empty(),
        // Nothing that went wrong hides behind it.
        [first, rest @ ..] if first == "..." => {
            let skippable = found.iter().position(|line| is_alarm(line)).unwrap_or(found.len());
            (0..=skippable).any(|skipped| fits(&found[skipped..], rest))
        }
        [first, rest @ ..] => {
            found.split_first().is_some_and(|(line, more)| line_fits(line, first) && fits(more, rest))
        }
    }
}

/// Returns whether a line says that something went wrong.
fn is_alarm(line: &str) -> bool {
    ["error", "warning"].iter().any(|word| line.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', '['])))
}

#[test]
fn no_error_and_no_warning_hides_behind_an_ellipsis() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for alarm in ["error[T20]: no", "error: no", "warning: look"] {
        let found = lines(&format!("one\n{alarm}\ntwo"));
        assert!(!fits(&found, &lines("...")) && !fits(&found, &lines("...\ntwo")), "{alarm}");
        assert!(fits(&found, &lines(&format!("...\n{alarm}\n..."))), "{alarm}");
    }
    assert!(fits(&lines("one\nerrors are made\ntwo"), &lines("...\ntwo")));
}

/// Runs the console blocks of a page in a folder, one after another.
fn run_blocks(page: &str, folder: &Path, home: &Path, now: Option<&str>) {
    let path = format!(
        "{}:{}",
        Path::new(BINARY).parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let steps = steps(&fs::read_to_string(root().join(page)).expect("the page"));
    assert!(steps.len() > 1);
    for step in steps {
        // Standard error is read after standard output: what the program says about something comes after it.
        let output = Command::new("sh")
            .args(["-c", &step.command])
            .current_dir(folder)
            .env("PATH", &path)
            .env("POSTRIDER_HOME", home)
            .env_remove("POSTRIDER_NOW")
            .envs(now.map(|now| ("POSTRIDER_NOW", now)))
            .env("NO_COLOR", "1")
            .output()
            .expect("a shell");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
        let found: Vec<_> = text.lines().map(str::to_owned).collect();
        assert_eq!(output.status.code(), Some(step.code), "{page}:{}: {}\n{text}", step.line, step.command);
        assert!(fits(&found, &step.expected), "{page}:{}: {}\n{text}", step.line, step.command);
    }
}

/// The game of `docs/first-game.md`.
const FIRST: &str = "---\npbem: 1\ngame: asalto\nid: asalto-first-game\nplayers:\n  besiegers: {name: Ada Quill}\n  defenders: {name: Bram \
                Post}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n4 besiegers \
                e4-e5\n5 defenders e6xe4xc4xc6\n6 besiegers c3-c4\n7 defenders c6-c5\n8 besiegers e3-d4\n9 defenders c5xc3; huff c3\n";

#[test]
fn every_console_block_of_the_readme_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    run_blocks("README.md", folder.path(), &folder.path().join("home"), None);
}

#[test]
fn every_console_block_of_the_first_game_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    run_blocks("docs/first-game.md", folder.path(), &folder.path().join("home"), None);
}

#[test]
fn every_console_block_of_the_page_on_mail_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = root().join("examples/mail-setup");
    for entry in fs::read_dir(&examples).expect("the examples") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    // The game up to the entry before the letter's.
    let letter = fs::read_to_string(examples.join("letter.eml")).expect("the letter");
    let start = letter.find("---\npbem").expect("a record");
    let end = letter.find("2 besiegers c4-c5 @").expect("an entry");
    fs::create_dir(folder.path().join("games")).expect("a folder");
    fs::write(folder.path().join("games/bram.pbem"), &letter[start..end]).expect("a file");
    run_blocks("notation/mail.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn every_console_block_of_the_page_on_pages_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("game.pbem"), FIRST).expect("a record");
    run_blocks("notation/page.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn every_console_block_of_the_page_on_git_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    run_blocks("notation/git.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn every_console_block_of_the_page_on_playing_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    run_blocks("notation/playing.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn every_console_block_of_the_page_on_practice_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("first.pbem"), FIRST).expect("a record");
    fs::copy(root().join("examples/asalto/open-game.pbem"), folder.path().join("running.pbem")).expect("a record");
    run_blocks("notation/practice.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn every_console_block_of_the_page_on_keys_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    run_blocks("notation/keys.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn the_tour_verifies_moves_and_mails() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new("sh")
        .arg(root().join("examples/tour.sh"))
        .env("POSTRIDER", BINARY)
        .env("TMPDIR", folder.path())
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{text}");
    for line in ["game.pbem: legal, 7 entries, besiegers due", "error[T20]", "the letter was written to"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn the_test_command_of_the_readme_is_the_one_that_ci_runs() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    assert!(readme.contains("```sh\ncargo test --locked\n```"));
    let ci = fs::read_to_string(root().join(".ci/run")).expect("the CI script");
    assert!(ci.lines().any(|line| line.trim() == "cargo test --locked"));
}

#[test]
fn the_rust_of_the_readme_is_the_oldest_that_ci_checks() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a file");
    let manifest = read("Cargo.toml");
    let oldest = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let oldest = oldest.expect("a rust-version");
    assert!(read("README.md").contains(&format!("`cargo` ({oldest} or later)")), "the README names Rust {oldest}");
    let ci = read(".ci/run");
    for check in ["check --locked", "check --locked --no-default-features"] {
        assert!(ci.lines().any(|line| line.ends_with(&format!("cargo \"+$oldest\" {check}"))), "{check}");
    }
}

#[test]
fn every_console_block_of_the_page_on_archives_does_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("first.pbem"), FIRST).expect("a record");
    run_blocks("notation/archive.md", folder.path(), folder.path(), Some("2026-11-24T12:00:00Z"));
}

#[test]
fn the_readme_has_a_picture_of_each_game_drawn_by_the_program() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let mut drawn = Vec::new();
    for picture in readme.split("<img src=\"").skip(1) {
        let (file, rest) = picture.split_once('"').expect("its file");
        let Some((_, rest)) = rest.split_once("title=\"postrider picture ").filter(|(before, _)| !before.contains('>'))
        else {
            continue;
        };
        let (arguments, _) = rest.split_once('"').expect("its command");
        let made = Command::new(BINARY).arg("picture").args(arguments.split(' ')).current_dir(root()).output();
        let made = made.expect("it runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        if std::env::var("POSTRIDER_BOARDS").is_ok_and(|wish| wish == "write") {
            fs::write(root().join(file), &made.stdout).expect("the picture is written");
        }
        assert!(made.stdout == fs::read(root().join(file)).expect("the picture"), "`{arguments}` draws another one");
        drawn.push(arguments.split('/').nth(1).unwrap_or_default().to_owned());
    }
    drawn.sort();
    drawn.dedup();
    let mut games: Vec<_> = postrider_referee::registry::GAMES.iter().map(|game| game.info().name.to_owned()).collect();
    games.sort();
    assert_eq!(drawn, games, "the README has a picture of each game, with the command that draws it");
    assert!(readme.contains("begin with this one") && readme.contains("GB of disk"));
}

#[test]
fn the_picture_of_the_readme_is_what_its_command_draws() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, rest) = readme.split_once("<img src=\"").expect("a picture");
    let (file, _) = rest.split_once('"').expect("its file");
    let (_, rest) = rest.split_once("`postrider picture ").expect("its command");
    let (arguments, _) = rest.split_once('`').expect("the end of its command");
    let drawn =
        Command::new(BINARY).arg("picture").args(arguments.split(' ')).current_dir(root()).output().expect("it runs");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    assert!(
        drawn.stdout == fs::read(root().join(file)).expect("the picture"),
        "`{arguments}` draws another picture than {file}"
    );
}
