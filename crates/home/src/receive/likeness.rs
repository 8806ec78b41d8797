//! Finds players who look like a known opponent but are someone else: the same name with another address, or an address
//! that looks alike.

use unicode_security::skeleton;

use postrider_kernel::text::printable;
use postrider_referee::record::Player;

/// An opponent in a game that is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub name: String,
    pub address: Option<String>,
}

/// Warns about a player who could be taken for one that is known.
pub(super) fn look_alike(player: &Player<'_>, known: &[Known]) -> Option<String> {
    let address = player.email.as_deref().unwrap_or_default();
    // A player with exactly this address is the known one.
    if known.iter().any(|one| one.address.as_deref().is_some_and(|it| postrider_mail::address::is_same(it, address))) {
        return None;
    }
    let same_name = |one: &&Known| !one.name.trim().is_empty() && looks(&one.name) == looks(&player.name);
    let near = |one: &&Known| one.address.as_deref().is_some_and(|it| !address.is_empty() && is_near(it, address));
    let one = known.iter().find(near).or_else(|| known.iter().find(same_name))?;
    let whose = one.address.as_deref().map(|it| format!(" <{}>", printable(it))).unwrap_or_default();
    Some(format!(
        "{}{} looks like {}{whose}, whom you play already, and is another: make sure who it is",
        printable(&player.name),
        if address.is_empty() { " (no address)".to_owned() } else { format!(" <{}>", in_letters(address)) },
        printable(&one.name),
    ))
}

/// Returns an address; letters beyond ASCII are followed by their code points, because some look like others.
pub(super) fn in_letters(address: &str) -> String {
    if address.is_ascii() {
        return printable(address).into_owned();
    }
    let spelled: String =
        address.chars().flat_map(|c| if c.is_ascii() { vec![c] } else { c.escape_unicode().collect() }).collect();
    format!("{} ({})", printable(address), printable(&spelled))
}

/// Returns what a text looks like: only letters and digits, with lookalikes made equal (Unicode Technical Standard 39).
fn looks(text: &str) -> String {
    let lower = text.to_lowercase().replace('0', "o").replace(['1', 'i', '|'], "l");
    skeleton(&lower).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether two addresses look alike, or differ in only one letter that is missing, added, changed or swapped.
fn is_near(one: &str, other: &str) -> bool {
    if looks(one) == looks(other) {
        return true;
    }
    // The skeleton of one letter may be several.
    let bare = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (one, other) = (bare(one), bare(other));
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // In a short address, one letter makes a real difference.
    if a.len() < 8 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(..a.len() - end).unwrap_or_default(), b.get(..b.len() - end).unwrap_or_default());
    match (a, b) {
        ([_] | [], [_] | []) => true,
        ([x, y], [v, w]) => x == w && y == v,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, email: Option<&str>) -> Player<'static> {
        Player { name: name.to_owned().into(), email: email.map(|email| email.to_owned().into()), ..Player::default() }
    }

    #[test]
    fn lookalikes_of_a_known_opponent_cause_a_warning() {
        let known = [Known { name: "Ada Quill".into(), address: Some("ada.quill@example.org".into()) }];
        for (name, email) in [
            ("Ada Quill", Some("ada@elsewhere.example")),
            ("\u{410}da Quill", Some("x@y.example")),
            ("ADA QUILL", None),
            ("Nobody", Some("\u{430}da.quill@example.org")),
            ("Nobody", Some("ada.qui11@example.org")),
            ("Nobody", Some("adaquill@example.org")),
            ("Nobody", Some("ada.quill@exmaple.org")),
            ("Nobody", Some("ada.quill@exampl.org")),
        ] {
            assert!(look_alike(&player(name, email), &known).is_some(), "{name} {email:?}");
        }
        for (name, email) in [
            ("Ada Quill", Some("Ada.Quill@example.org")),
            ("Bram Post", Some("bram@example.net")),
            ("Bram Post", Some("quill@example.org")),
            ("", None),
        ] {
            assert_eq!(look_alike(&player(name, email), &known), None, "{name} {email:?}");
        }
    }
}
