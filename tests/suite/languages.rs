//! The ten tasks of `examples/languages`: what Rust says to them, and that the page shows the programs as they are. The packages for Python and
//! npm are held to the same words by their own tests.

use std::fs;
use std::path::Path;

#[path = "../../examples/languages/tasks.rs"]
#[allow(dead_code, reason = "its `main` is that of the example")]
mod tasks;

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).expect("an example")
}

#[test]
fn ten_tasks_are_answered_in_rust_as_in_other_languages() {
    let [record, refused, long] = ["fifteen-captures", "refused-never-backwards", "open-game"]
        .map(|name| example(&format!("asalto/{name}.pbem")).into_bytes());
    assert_eq!(tasks::tasks(&record, &refused, &long).expect("answers"), example("languages/said.txt"));
}

#[test]
fn the_page_of_three_languages_shows_what_is_run() {
    let page = example("languages/README.md");
    for (language, file) in [("python", "tasks.py"), ("js", "tasks.mjs"), ("rust", "tasks.rs")] {
        let program: String =
            example(&format!("languages/{file}")).lines().map(|line| format!("{}\n", line.trim())).collect();
        let fence = format!("```{language}\n");
        let blocks: Vec<&str> = page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert_eq!(blocks.len(), 10, "{language}");
        for block in blocks {
            let block: String = block.lines().map(|line| format!("{}\n", line.trim())).collect();
            assert!(program.contains(&block), "{file} has not: {block}");
        }
    }
}
