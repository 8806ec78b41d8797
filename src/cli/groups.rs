//! The commands in groups, as `postrider --help` lists them: what is needed daily first.

use postrider_board::render::sheet::folded;

/// The groups, each with its commands.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Every day", &["play", "status", "receive", "move", "send"]),
    ("Play", &["show", "moves", "answer", "if", "undo", "log", "clock"]),
    ("Letters", &["new", "invite", "invitations", "accept", "decline", "countersign", "host"]),
    ("The games", &["games", "rules", "learn", "practice", "review", "match", "perft", "decks", "picture", "page"]),
    ("Keys, secrets and proof", &["key", "secret", "own", "backup", "restore", "audit", "stamp", "evidence"]),
    ("Records and archives", &["verify", "replay", "fmt", "lsp", "export", "table", "pack", "unpack"]),
    ("Git", &["git"]),
    ("This program", &["setup", "doctor", "completions"]),
];

/// Lists the commands below their groups; one that is in none comes last.
fn listed(program: &clap::Command, columns: usize) -> String {
    let in_none = |name: &str| GROUPS.iter().all(|(_, names)| !names.contains(&name));
    let others: Vec<&str> =
        program.get_subcommands().map(clap::Command::get_name).filter(|name| in_none(name)).collect();
    let groups = GROUPS.into_iter().chain((!others.is_empty()).then_some(("Others", &*others)));
    let mut text = String::new();
    for (group, names) in groups {
        text.push_str(&format!("{group}:\n"));
        for name in names {
            let Some(command) = program.find_subcommand(name) else { continue };
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let lines = folded(&about, columns.saturating_sub(15).max(20));
            text.push_str(&format!("  {name:<11}  {}\n", lines.join(&format!("\n{:15}", ""))));
        }
        text.push('\n');
    }
    text
}

/// Gives the program a help in which the commands stand in groups.
pub(super) fn grouped(program: clap::Command) -> clap::Command {
    let columns = terminal_size::terminal_size().map_or(100, |(columns, _)| usize::from(columns.0).min(100));
    // Braces would be the template's own.
    let list = listed(&program, columns).replace(['{', '}'], "");
    program.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let program = super::super::program::commands();
        let all: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for name in &all {
            assert_eq!(grouped.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
        grouped.retain(|name| !all.contains(name));
        assert!(grouped.is_empty(), "{grouped:?} are no commands");
    }
}
