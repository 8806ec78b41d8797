//! What is written about the project: short enough to be read, with links that lead somewhere, and with figures and numbers that are those of
//! the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use postrider_referee::rulebook;

use crate::house::{crate_folder, crates, uses};

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The pages in a folder, as paths from the root.
fn pages_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut pages: Vec<_> = names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect();
    pages.sort();
    pages
}

/// All pages that people read.
pub(crate) fn pages() -> Vec<String> {
    let alone = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "tests/data/replies/README.md",
    ];
    let folders = [
        "docs",
        "docs/decisions",
        "notation",
        "examples",
        "examples/languages",
        "python",
        "web",
        "web/app",
        "benches",
        "fuzz",
    ];
    alone.map(str::to_owned).into_iter().chain(folders.into_iter().flat_map(pages_in)).collect()
}

/// The decisions, without their list.
pub(crate) fn decisions() -> Vec<String> {
    pages_in("docs/decisions").into_iter().filter(|page| !page.ends_with("/README.md")).collect()
}

#[test]
fn readme_and_architecture_are_short_enough_to_be_read() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 160, "README.md has {lines} lines");
    let bytes = read("ARCHITECTURE.md").len();
    assert!(bytes <= 12 * 1024, "ARCHITECTURE.md has {bytes} bytes");
}

/// A heading as GitHub links to it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The text of a page outside its fences, without what stands in backticks.
fn prose(page: &str) -> String {
    let mut is_fenced = false;
    let mut text = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            text.extend(line.split('`').step_by(2));
            text.push('\n');
        }
    }
    text
}

#[test]
fn links_between_pages_lead_to_a_file_and_a_heading() {
    let mut seen = 0;
    for page in &pages() {
        let folder = root().join(page).parent().map(Path::to_owned).expect("a folder");
        let text = prose(&read(page));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let drawn = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for link in links.chain(drawn).filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
            let there = if file.is_empty() { root().join(page) } else { folder.join(file) };
            assert!(there.exists(), "{page}: {link} leads nowhere");
            if let Some(heading) = heading {
                let other = fs::read_to_string(&there).expect("a page");
                let found = other.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
                assert!(found, "{page}: {link}: there is no such heading");
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn each_decision_is_short_and_dated_and_in_the_list() {
    let list = read("docs/decisions/README.md");
    let listed: Vec<&str> = list.lines().filter(|line| line.starts_with("* ")).collect();
    let mut expected: Vec<String> = decisions()
        .iter()
        .map(|page| {
            let text = read(page);
            let mut lines = text.lines();
            let title = lines.next().and_then(|line| line.strip_prefix("# ")).expect("a title");
            let day = lines.nth(1).and_then(|line| line.strip_prefix('*')?.strip_suffix('*')).expect("a day");
            assert!(day.parse::<chrono::NaiveDate>().is_ok(), "{page}: {day}");
            assert!(text.lines().count() <= 60, "{page} is too long");
            for part in ["**What.**", "**Why.**"] {
                assert!(text.contains(part), "{page}: {part}");
            }
            format!("* {day}: [{title}]({})", page.rsplit('/').next().expect("a name"))
        })
        .collect();
    expected.sort();
    assert_eq!(listed, expected);
    assert!(expected.len() > 30);
}

/// The lines of the figure in ARCHITECTURE.md from the highest down, each as the names on it.
fn figure() -> Vec<Vec<String>> {
    let text = read("ARCHITECTURE.md");
    let figure = text.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the figure");
    let names = |line: &str| line.split_once('|').map(|(_, names)| names.to_owned());
    // The front ends, and the line below them, are no crates in `crates/`.
    let rows = figure.lines().filter_map(names).skip(1);
    rows.map(|names| names.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn a_crate_uses_only_crates_on_lower_lines_of_the_figure() {
    let mut height: BTreeMap<String, usize> = BTreeMap::new();
    for (depth, names) in figure().into_iter().enumerate() {
        for name in names {
            assert!(height.insert(name.clone(), depth).is_none(), "{name} stands there twice");
        }
    }
    let mut names: Vec<&String> = height.keys().filter(|name| *name != "notation").collect();
    names.sort();
    assert_eq!(names, crates().iter().collect::<Vec<_>>());
    for (name, depth) in &height {
        for used in uses(&crate_folder(name)) {
            assert!(height[&used] > *depth, "{name} uses {used}, which does not stand below it");
        }
    }
}

/// The rules as the table in `notation/README.md` shows them: the letters with their first and last numbers, and how many.
fn ranges(rules: &[&str]) -> String {
    let mut letters: Vec<(char, u32, u32)> = Vec::new();
    for rule in rules {
        let (letter, number) = (rule.chars().next().expect("a letter"), rule[1..].parse().expect("a number"));
        match letters.iter_mut().find(|(other, ..)| *other == letter) {
            Some((_, first, last)) => (*first, *last) = ((*first).min(number), (*last).max(number)),
            None => letters.push((letter, number, number)),
        }
    }
    let ranges = letters.iter().map(|(letter, first, last)| format!("{letter}{first} to {letter}{last}"));
    format!("{} | {}", ranges.collect::<Vec<_>>().join(", "), rules.len())
}

#[test]
fn the_list_of_rulebooks_has_the_numbers_of_their_rules() {
    let text = read("notation/README.md");
    let mut seen = 0;
    for book in rulebook::all().filter(|book| !book.rules.is_empty()) {
        let rules: Vec<&str> = book.rules.iter().map(|rule| rule.code).collect();
        let page = format!("[{0}.md]({0}.md) |", book.name);
        if book.name == "mail" {
            assert!(text.contains("B1 to B8"), "the rules of blocks");
            assert_eq!(ranges(&rules), "B1 to B8 | 8");
            continue;
        }
        let expected = format!("| {page} {} | ", ranges(&rules));
        assert!(text.contains(&expected), "notation/README.md has not: {expected}");
        seen += 1;
    }
    assert_eq!(seen, 7);
}

/// Whatever stands in a folder of documents is a page or a picture that a page shows.
#[test]
fn no_page_of_docs_is_left_out_of_the_pages_that_lead_there() {
    let mut texts = String::new();
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions/README.md"] {
        texts.push_str(&read(page));
    }
    let all: Vec<PathBuf> = ["docs", "docs/decisions"].into_iter().flat_map(pages_in).map(PathBuf::from).collect();
    for page in all {
        let name = page.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(texts.contains(&name), "{} is linked from nowhere", page.display());
    }
}

/// What other programs use of the referee is a few functions and types, each of which its front page names. The rest is for this project.
#[test]
fn the_front_page_of_the_library_names_all_that_is_on_it() {
    let source = read("crates/referee/src/lib.rs");
    let (page, code): (Vec<&str>, Vec<&str>) = source.lines().partition(|line| line.starts_with("//!"));
    let page = page.join("\n");
    for (at, line) in code.iter().enumerate().filter(|(_, line)| line.starts_with("pub mod ")) {
        assert_eq!(code[at - 1], "#[doc(hidden)]", "{line}");
    }
    let mut names = Vec::new();
    for used in code.join("\n").split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let list = used.rsplit("::").next().unwrap_or_default().trim_matches(['{', '}']);
        names.extend(list.split(',').map(|name| name.trim().to_owned()));
    }
    assert!((12..=20).contains(&names.len()), "{names:?}");
    for name in names {
        assert!(page.contains(&format!("[`{name}`]")), "the front page has no link to {name}");
    }
    assert!(page.lines().filter(|line| *line == "//! ```").count() >= 12, "an example for each job");
}
