//! The commands in groups, as `postrider --help` lists them: what is needed daily first. What is seldom needed stands behind one word
//! (`families`) or is not listed.

use postrider_board::render::sheet::folded;

/// The groups, each with its commands.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Every day", &["play", "status", "receive", "move", "send"]),
    ("In a game", &["show", "moves", "answer", "if", "undo", "log", "clock", "own"]),
    ("To begin and to learn", &["new", "invite", "games", "rules", "learn", "practice", "review", "host"]),
    ("Records", &["picture", "page", "verify", "archive", "proof", "git", "backup", "restore"]),
    ("You and this program", &["setup", "key", "secret", "doctor", "completions"]),
];

/// Commands that few people need, which the rulebooks explain.
pub(super) const UNLISTED: [&str; 4] = ["perft", "match", "decks", "lsp"];

/// Lists the commands below their groups.
fn listed(program: &clap::Command, columns: usize) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        text.push_str(&format!("{group}:\n"));
        for name in names {
            let Some(command) = program.find_subcommand(name) else { continue };
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let lines = folded(&about, columns.saturating_sub(15).max(20));
            text.push_str(&format!("  {name:<11}  {}\n", lines.join(&format!("\n{:15}", ""))));
        }
    }
    text
}

/// Gives the program a help in which the commands stand in groups.
pub(super) fn grouped(program: clap::Command) -> clap::Command {
    let columns = terminal_size::terminal_size().map_or(100, |(columns, _)| usize::from(columns.0).min(100));
    // Braces would be the template's own.
    let list = listed(&program, columns).replace(['{', '}'], "");
    program.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}{{after-help}}", list.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::super::{families, program};
    use super::*;

    #[test]
    fn every_command_is_in_one_group_or_behind_a_word_or_unlisted() {
        let all = program::commands();
        let all: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for name in &all {
            let listed = grouped.iter().filter(|other| *other == name).count();
            let hidden = usize::from(families::is_behind(name)) + usize::from(UNLISTED.contains(name));
            assert_eq!(listed + hidden, 1, "{name}");
        }
        grouped.retain(|name| !all.contains(name));
        assert!(grouped.is_empty(), "{grouped:?} are no commands");
    }

    #[test]
    fn the_help_fits_two_screens() {
        let program = program::commands();
        let help = program.clone().render_long_help().to_string();
        // The columns of whoever runs the tests do not count.
        let list = listed(&program, 80);
        let around = help.lines().count() - listed(&program, 100).lines().count();
        assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
        assert_eq!(list.lines().count(), GROUPS.iter().map(|(_, names)| names.len() + 1).sum::<usize>(), "{list}");
        // A line is left for the prompt.
        assert!(list.lines().count() + around < 48, "{help}");
    }
}
