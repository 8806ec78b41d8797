//! Reads lessons from their data, with the reader that headers use.

use super::{Goal, Lesson, Near, Tempting};
use postrider_kernel::text::{Node, Value, yaml};

/// Reads all lessons of a file.
///
/// # Errors
/// What is missing, or does not belong there.
pub(super) fn read(text: &str) -> Result<Vec<Lesson>, String> {
    let node = yaml::read(text)
        .map_err(|faults| faults.first().map_or_else(|| "no lessons".to_owned(), |fault| fault.line()))?;
    list(&node)?.iter().map(lesson).collect()
}

fn lesson(node: &Node<'_>) -> Result<Lesson, String> {
    const NAMES: &[&str] =
        &["title", "rules", "text", "task", "position", "options", "goal", "solution", "done", "tempting", "near"];
    let fields = Fields::of(node, NAMES)?;
    Ok(Lesson {
        title: fields.text("title")?,
        rules: fields.texts("rules")?,
        text: fields.text("text")?,
        task: fields.text("task")?,
        position: fields.text("position")?,
        options: fields.texts("options")?,
        goal: goal(fields.node("goal").ok_or("a lesson without a goal")?)?,
        solution: fields.text("solution")?,
        done: fields.text("done")?,
        tempting: fields.each("tempting", |node| {
            let fields = Fields::of(node, &["entry", "rule"])?;
            Ok(Tempting { entry: fields.text("entry")?, rule: fields.text("rule")? })
        })?,
        near: fields.each("near", |node| {
            let fields = Fields::of(node, &["entry", "say"])?;
            Ok(Near { entry: fields.text("entry")?, say: fields.text("say")? })
        })?,
    })
}

fn goal(node: &Node<'_>) -> Result<Goal, String> {
    let fields = Fields::of(node, &["entries", "begins", "takes", "wins", "leaves"])?;
    let scalar = |name| if fields.node(name).is_some() { fields.text(name) } else { Ok(String::new()) };
    Ok(Goal {
        entries: fields.texts("entries")?,
        begins: scalar("begins")?,
        takes: match scalar("takes")?.as_str() {
            "" => 0,
            number => number.parse().map_err(|_| format!("`takes` is a number, not {number}"))?,
        },
        wins: match scalar("wins")?.as_str() {
            "" | "false" => false,
            "true" => true,
            other => return Err(format!("`wins` is true or false, not {other}")),
        },
        leaves: fields.texts("leaves")?,
    })
}

/// The fields of a map.
struct Fields<'n, 'a>(&'n [(Node<'a>, Node<'a>)]);

impl<'n, 'a> Fields<'n, 'a> {
    fn of(node: &'n Node<'a>, known: &[&str]) -> Result<Self, String> {
        let Value::Map(pairs) = &node.value else { return Err("a map is missing".to_owned()) };
        for (key, _) in pairs {
            let name = scalar(key)?;
            if !known.contains(&name) {
                return Err(format!("`{name}` does not belong in a lesson"));
            }
        }
        Ok(Self(pairs))
    }

    fn node(&self, name: &str) -> Option<&'n Node<'a>> {
        self.0.iter().find(|(key, _)| scalar(key) == Ok(name)).map(|(_, node)| node)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let node = self.node(name).ok_or_else(|| format!("a lesson lacks `{name}`"))?;
        scalar(node).map(str::to_owned)
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        self.each(name, |node| scalar(node).map(str::to_owned))
    }

    /// Reads each node of a list; an absent field is an empty list.
    fn each<T>(&self, name: &str, read: impl Fn(&Node<'a>) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.node(name).map_or(Ok(&[][..]), list)?.iter().map(read).collect()
    }
}

fn list<'n, 'a>(node: &'n Node<'a>) -> Result<&'n [Node<'a>], String> {
    match &node.value {
        Value::List(nodes) => Ok(nodes),
        _ => Err("a list is missing".to_owned()),
    }
}

fn scalar<'n>(node: &'n Node<'_>) -> Result<&'n str, String> {
    match &node.value {
        Value::Text(text) => Ok(text),
        _ => Err("a text is missing".to_owned()),
    }
}
