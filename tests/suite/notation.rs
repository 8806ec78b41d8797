//! Checks the rulebooks against the program: every heading against the rule tables, every example against the referee.

use std::fs;
use std::path::{Path, PathBuf};

use postrider_board::picture::{self, Picture};
use postrider_board::render;
use postrider_kernel::scene::Scene;
use postrider_kernel::{Options, Viewer};
use postrider_referee::judging::{Beside, Table};
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Ruling, verify};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("notation")
}

/// A fenced block of a rulebook, or a comment whose position is not meant for reading.
struct Block {
    language: String,
    text: String,
    /// Where it is, for messages.
    place: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for entry in fs::read_dir(folder()).expect("the folder of rulebooks") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a rulebook");
        let mut open: Option<(Block, &str)> = None;
        for (number, line) in text.lines().enumerate() {
            match (&mut open, opened(line)) {
                (Some((_, end)), _) if line == *end => blocks.extend(open.take().map(|(block, _)| block)),
                (Some((block, _)), _) => block.text.push_str(&format!("{line}\n")),
                (None, Some((language, end))) => {
                    let place = format!("{}:{}", path.file_name().expect("a name").display(), number + 1);
                    open = Some((Block { language: language.to_owned(), text: String::new(), place }, end));
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", path.display());
    }
    blocks
}

/// The language of the block that a line opens, and the line that closes it.
fn opened(line: &str) -> Option<(&str, &'static str)> {
    let fenced = line.strip_prefix("```").map(|language| (language, "```"));
    fenced.or_else(|| line.strip_prefix("<!-- ").map(|language| (language, "-->")))
}

fn of(language: &str) -> Vec<Block> {
    blocks().into_iter().filter(|block| block.language == language).collect()
}

/// The game of a block: that of its rulebook, or Asalto for the rulebook about records.
fn game_of(block: &Block) -> &'static dyn AnyGame {
    let book = block.place.split('.').next().unwrap_or_default();
    registry::find(book).or_else(|| registry::find("asalto")).expect("a game")
}

/// Sets up `[option=value …] POSITION`.
fn set_up(block: &Block, line: &str) -> Box<dyn Table> {
    let game = game_of(block);
    let (list, position) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((list, position)) => (list, position),
        None => ("", line),
    };
    let mut options = Options::default();
    for option in list.split_whitespace() {
        let (name, value) = option.split_once('=').expect("name=value");
        options.choose(game.info().options, name, value).unwrap_or_else(|fault| panic!("{}: {fault:?}", block.place));
    }
    match game.table(&options, Some(position)) {
        Ok(table) => table,
        Err(fault) => panic!("{}: {position}: {fault:?}", block.place),
    }
}

#[test]
fn every_rule_has_its_heading_and_every_heading_its_rule() {
    for book in rulebook::all() {
        let mut fenced = false;
        let mut headings = Vec::new();
        for line in book.text.lines() {
            fenced ^= line.starts_with("```");
            let title = line.strip_prefix("### ").filter(|_| !fenced);
            let numbered = |title: &&str| {
                title.starts_with(|c: char| c.is_ascii_uppercase())
                    && title[1..].starts_with(|c: char| c.is_ascii_digit())
            };
            headings.extend(title.filter(numbered));
        }
        let rules: Vec<_> = book.rules.iter().map(|rule| format!("{} {}", rule.code, rule.title)).collect();
        assert_eq!(headings, rules, "{}", book.name);
        for rule in book.rules {
            let section = book.section(rule.code).unwrap_or_else(|| panic!("{}", rule.code));
            assert!(section.trim().lines().count() > 1, "{}: the section is empty", rule.code);
        }
        assert_eq!(book.section("X99"), None);
    }
}

#[test]
fn every_rulebook_is_a_file_and_every_file_a_rulebook() {
    let mut files = Vec::new();
    for path in fs::read_dir(folder()).expect("the folder of rulebooks").map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_some_and(|end| end == "md") {
            files.push((path.display().to_string(), fs::read_to_string(path).expect("a rulebook")));
        }
    }
    for (name, text) in &files {
        assert!(rulebook::all().any(|book| book.text == text), "{name} is not among `rulebook::all()`");
    }
    for book in rulebook::all() {
        assert_eq!(files.iter().filter(|(_, text)| text == book.text).count(), 1, "the files of {}", book.name);
    }
}

#[test]
fn every_record_of_the_rulebooks_is_legal() {
    let records = of("pbem");
    assert!(records.len() >= 5);
    for block in records {
        let verdict = verify(block.text.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Legal, "{}: {:?}", block.place, verdict.errors);
    }
}

#[test]
fn every_refused_record_of_the_rulebooks_is_refused_as_it_says() {
    let records = of("pbem-refused");
    assert!(records.len() >= 5);
    for block in records {
        let (first, record) = block.text.split_once('\n').expect("two lines");
        let expected = first.strip_prefix("# expect: ").unwrap_or_else(|| panic!("{}: what is expected?", block.place));
        let verdict = verify(record.as_bytes());
        let error = verdict.errors.first().unwrap_or_else(|| panic!("{}: it is legal", block.place));
        let found = match (verdict.ruling, error.entry, error.rule) {
            (Ruling::Illegal, Some(entry), Some(rule)) => format!("entry {entry} {rule}"),
            (Ruling::Illegal, None, Some(rule)) => rule.to_owned(),
            _ => verdict.ruling.word().to_owned(),
        };
        assert_eq!(found, expected, "{}: {}", block.place, error.message);
    }
}

#[test]
fn every_position_of_the_rulebooks_reads_and_is_canonical() {
    let positions = of("position");
    assert!(!positions.is_empty());
    for block in positions {
        for line in block.text.lines() {
            let line = line.split("  #").next().unwrap_or_default();
            let table = set_up(&block, line);
            assert!(line.ends_with(&table.position()), "{}: {line}", block.place);
        }
    }
}

#[test]
fn every_turn_of_the_rulebooks_leads_where_it_says() {
    let tables = of("turns");
    assert!(tables.len() >= 10);
    for block in tables.into_iter().chain(of("refused")) {
        let mut lines = block.text.lines();
        let start = lines.next().expect("a position");
        for line in lines {
            let (entry, expected) = line.split_once("  ->  ").unwrap_or_else(|| panic!("{}: {line}", block.place));
            let table = set_up(&block, start);
            assert_eq!(
                outcome_of(&block, start, entry, table.as_ref(), expected),
                expected,
                "{}: {entry}",
                block.place
            );
        }
    }
}

/// The scene of a position line, with its options before it and a comment behind it; `mark` is what `show --mark` would be given.
fn scene(block: &Block, line: &str, mark: Option<&str>) -> Scene {
    let table = set_up(block, line.split("  #").next().unwrap_or_default());
    seen(block, table.as_ref(), mark)
}

fn seen(block: &Block, table: &dyn Table, mark: Option<&str>) -> Scene {
    match mark {
        None => table.view(Viewer::Omniscient),
        Some(mark) => table.marked(Viewer::Omniscient, mark).unwrap_or_else(|| panic!("{}: {mark}?", block.place)),
    }
}

/// What is drawn below an example, each with what is said of it: its positions; below `board after` what its first entry makes of its
/// position, with the marks of what it did.
fn scenes(block: &Block, language: &str) -> Vec<(Option<String>, Scene)> {
    let mark = language.split(' ').find_map(|word| word.strip_prefix("mark="));
    let lines: Vec<_> = block.text.lines().collect();
    if language.split(' ').any(|word| word == "after") {
        let entry = lines.get(1).and_then(|line| line.split("  ->  ").next()).expect("an entry");
        let before = set_up(block, lines[0]);
        let typed = before.read(entry).unwrap_or_else(|_| panic!("{}: {entry}", block.place));
        let after = typed.judge(&Beside::default()).unwrap_or_else(|_| panic!("{}: {entry}", block.place)).table;
        let mut shown = seen(block, after.as_ref(), mark);
        shown.mark_since(&before.view(Viewer::Omniscient));
        shown.blows = before.blows(entry);
        // Nobody is to think that a throw is chosen.
        let chosen = entry.split(" roll ").next().unwrap_or(entry);
        return vec![(Some(format!("after `{chosen}`")), shown)];
    }
    if block.language == "turns" {
        return vec![(None, scene(block, lines.first().copied().unwrap_or_default(), mark))];
    }
    let said = |line: &str| line.split_once("  # ").filter(|_| lines.len() > 1).map(|(_, said)| said.to_owned());
    lines.iter().map(|line| (said(line), scene(block, line, mark))).collect()
}

/// The pictures of a rulebook, each once, by the names of their files.
#[derive(Default)]
struct Pictures(Vec<(String, String)>);

impl Pictures {
    /// The name of a picture; a new one is called after the heading that it stands below.
    fn name(&mut self, heading: &str, svg: String) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, other)| *other == svg) {
            return name.clone();
        }
        let rule = heading.split(' ').next().filter(|first| first.ends_with(|c: char| c.is_ascii_digit()));
        let stem: String = rule.unwrap_or(heading).to_ascii_lowercase().replace(' ', "-");
        let free = |nth: &u32| !self.0.iter().any(|(name, _)| *name == format!("{stem}-{nth}.svg"));
        let name = format!("{stem}-{}.svg", (1..).find(free).unwrap_or(0));
        self.0.push((name.clone(), svg));
        name
    }
}

/// How wide a picture is shown: one of cards has to be read.
fn width(scene: &Scene) -> u32 {
    if matches!(scene.board, postrider_kernel::scene::Board::Bricks(_)) { 600 } else { 300 }
}

/// A rulebook with a board below each example that has a position, as text and as a picture, and those pictures.
fn with_boards(name: &str, text: &str) -> (String, Pictures) {
    let title = registry::find(name).map_or("", |game| game.info().title);
    let mut lines = text.lines().enumerate().peekable();
    let (mut written, mut pictures, mut heading) = (String::new(), Pictures::default(), "");
    let fenced = |lines: &mut dyn Iterator<Item = (usize, &str)>, end: &str| {
        lines.map(|(_, line)| line).take_while(|line| *line != end).map(|line| format!("{line}\n")).collect::<String>()
    };
    while let Some((number, line)) = lines.next() {
        written.push_str(&format!("{line}\n"));
        if line.starts_with("##") {
            heading = line.trim_start_matches(['#', ' ']);
        }
        let Some((language, end)) = opened(line) else { continue };
        let block = Block {
            language: language.to_owned(),
            text: fenced(&mut lines, end),
            place: format!("{name}.md:{}", number + 1),
        };
        written.push_str(&format!("{}{end}\n", block.text));
        if !["turns", "position"].contains(&language) {
            continue;
        }
        // What is there is replaced.
        let mut ahead = lines.clone();
        let blank = ahead.next_if(|(_, line)| line.is_empty()).is_some();
        let fence = ahead.next_if(|(_, line)| blank && line.starts_with("```board"));
        let language = fence.map_or("board", |(_, line)| line.trim_start_matches('`'));
        if fence.is_some() {
            fenced(&mut ahead, "```");
            lines = ahead;
            let mut ahead = lines.clone();
            if ahead.next_if(|(_, line)| line.is_empty()).is_some()
                && ahead.peek().is_some_and(|(_, line)| line.starts_with("<img "))
            {
                while ahead.next_if(|(_, line)| line.starts_with("<img ")).is_some() {}
                lines = ahead;
            }
        }
        let scenes = scenes(&block, language);
        let diagram = |(said, scene): &(Option<String>, Scene)| {
            let said = said.as_ref().map(|said| format!("{}:\n\n", said.replace('`', ""))).unwrap_or_default();
            said + &render::diagram(scene)
        };
        let boards = scenes.iter().map(diagram).collect::<Vec<_>>().join("\n");
        written.push_str(&format!("\n```{language}\n{boards}```\n\n"));
        for (said, scene) in &scenes {
            let svg = Picture::of(scene, &picture::Options::default()).svg(title);
            let (width, said) = (width(scene), said.as_deref().unwrap_or("the board above").replace('`', ""));
            let file = pictures.name(heading, svg);
            written
                .push_str(&format!("<img src=\"pictures/{name}/{file}\" width=\"{width}\" alt=\"{said}, drawn\">\n"));
        }
    }
    (written, pictures)
}

/// Whether the boards are to be written and not compared.
fn are_written() -> bool {
    std::env::var_os("POSTRIDER_BOARDS").is_some_and(|value| value == "write")
}

/// With `POSTRIDER_BOARDS=write` they are written into the rulebooks.
#[test]
fn every_example_of_a_position_has_its_board_below_it_as_text_and_as_a_picture() {
    let mut boards = 0;
    for game in registry::GAMES {
        let name = game.info().name;
        let path = folder().join(format!("{name}.md"));
        let text = fs::read_to_string(&path).expect("a rulebook");
        let (drawn, pictures) = with_boards(name, &text);
        boards += drawn.matches("\n```board").count();
        pictures_are_there(name, &pictures);
        if drawn == text {
            continue;
        }
        if are_written() {
            fs::write(&path, drawn).expect("the rulebook can be written");
            continue;
        }
        let differs = text.lines().zip(drawn.lines()).position(|(there, drawn)| there != drawn);
        let place = differs.map_or_else(|| "its end".to_owned(), |line| format!("line {}", line + 1));
        panic!(
            "{name}.md: the boards are not those of the positions, from {place} on; POSTRIDER_BOARDS=write draws them"
        );
    }
    assert!(boards > 150, "{boards}");
}

/// The folder of a game's pictures has these and no others, and none of them is large.
fn pictures_are_there(game: &str, Pictures(pictures): &Pictures) {
    let folder = folder().join("pictures").join(game);
    if are_written() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, svg) in pictures {
            fs::write(folder.join(name), svg).expect("the picture can be written");
        }
    }
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    assert_eq!(files.count(), pictures.len(), "{}: POSTRIDER_BOARDS=write draws the pictures", folder.display());
    for (name, svg) in pictures {
        let there = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(there == *svg, "{game}/{name} is not the picture of its position; POSTRIDER_BOARDS=write draws it");
        assert!(svg.len() < 40_000, "{game}/{name}: {} bytes", svg.len());
    }
}

/// The result of an entry in the form of `expected`: a position, `= ` and a result, or the rule it breaks.
fn outcome_of(block: &Block, start: &str, entry: &str, table: &dyn Table, expected: &str) -> String {
    let info = game_of(block).info();
    let word = info.sides[table.standing().due.side.index()].word;
    let (list, position) = match start.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((list, position)) => (list.replace('=', ": ").replace(' ', ", ").replace(":, ", ": "), position),
        None => (String::new(), start),
    };
    let [first, second] = info.sides.map(|side| side.word);
    let options = if list.is_empty() { String::new() } else { format!("options: {{{list}}}\n") };
    let record = format!(
        "---\npbem: 1\ngame: {}\nid: {}-rulebook\nplayers:\n  {first}: {{name: A}}\n  {second}: {{name: B}}\nstarted: 2026-11-21\n\
         {options}setup: \"{position}\"\n---\n1 {word} {entry}\n",
        info.name, info.name,
    );
    let verdict = verify(record.as_bytes());
    if let Some(error) = verdict.errors.first() {
        return error.rule.map_or_else(|| format!("{}: {}", verdict.ruling.word(), error.message), str::to_owned);
    }
    if let Some(outcome) = verdict.outcome.filter(|_| expected.starts_with("= ")) {
        return format!("= {}", outcome.text(&info.sides));
    }
    let mut opened = postrider_referee::verdict::Opened::new(record.as_bytes()).expect("a legal record");
    opened.replay(u32::MAX);
    opened.table.position()
}
