//! Settings that somebody else may have written, such as those in a backup: what in them runs a program, or leads out of the folders of
//! this program, is found, and left out unless the player takes it.

use std::path::{Component, Path};

use serde_json::{Map, Value};

use super::{Folders, options, resolve};
use postrider_kernel::text::printable;

/// What runs a program: the section, or none, and the key in it.
const COMMANDS: [(Option<&str>, &str); 6] = [
    (None, "passphrase-command"),
    // As a whole: it is nothing without its program.
    (None, "backup"),
    (Some("mail"), "command"),
    (Some("mail"), "password-command"),
    (Some("mail"), "open"),
    (Some("imap"), "password-command"),
];
/// What names a place that is written to.
const PLACES: [(Option<&str>, &str); 3] = [(None, "games"), (Some("mail"), "outbox"), (Some("host"), "copies")];

/// Settings of which something is to be asked about.
#[derive(Clone, Debug)]
pub struct ForeignSettings {
    all: Map<String, Value>,
    odd: Vec<(Option<&'static str>, &'static str)>,
}

impl ForeignSettings {
    /// Reads settings; `None` if they run nothing and stay in these folders.
    #[must_use]
    pub fn of(text: &[u8], folders: &Folders) -> Option<Self> {
        let text = std::str::from_utf8(text).ok().filter(|text| !text.trim().is_empty())?;
        // What cannot be looked through is left out as a whole.
        let whole = || Self { all: Map::new(), odd: vec![(None, "settings")] };
        let read: Result<Map<String, Value>, _> = serde_yaml::from_str_with_options(text, options());
        let Ok(all) = read else { return Some(whole()) };
        let at = |(section, key): (Option<&str>, &str)| match section {
            None => all.get(key),
            Some(section) => all.get(section)?.get(key),
        };
        let commands = COMMANDS.into_iter().filter(|place| !matches!(at(*place), None | Some(Value::Bool(false))));
        let leads_out = |value: &Value| value.as_str().is_none_or(|path| !is_within(&resolve(path, folders), folders));
        let places = PLACES.into_iter().filter(|place| at(*place).is_some_and(leads_out));
        let odd: Vec<_> = commands.chain(places).collect();
        (!odd.is_empty()).then_some(Self { all, odd })
    }

    /// Names what is to be asked about, as `mail.command: ["x"]`, in an order that stays.
    #[must_use]
    pub fn named(&self) -> Vec<String> {
        let shown = |(section, key): &(Option<&str>, &str)| {
            let value = match section {
                None => self.all.get(*key),
                Some(section) => self.all.get(*section).and_then(|section| section.get(*key)),
            };
            let name = section.map_or_else(|| (*key).to_owned(), |section| format!("{section}.{key}"));
            format!("{name}: {}", printable(&value.map(Value::to_string).unwrap_or_default()))
        };
        self.odd.iter().map(shown).collect()
    }

    /// Returns the settings without all of that.
    #[must_use]
    pub fn without(&self) -> Vec<u8> {
        let mut all = self.all.clone();
        for (section, key) in &self.odd {
            let map = match section {
                None => Some(&mut all),
                Some(section) => all.get_mut(*section).and_then(Value::as_object_mut),
            };
            map.and_then(|map| map.remove(*key));
        }
        // What is not set is the same as what is set to nothing.
        all.retain(|_, value| value.as_object().is_none_or(|section| !section.is_empty()));
        // A value in JSON is one in YAML.
        let lines = all.iter().map(|(key, value)| format!("{key}: {value}\n"));
        lines.collect::<String>().into_bytes()
    }
}

/// Whether a path stays within the folders of the program.
fn is_within(path: &Path, folders: &Folders) -> bool {
    let plain = !path.components().any(|part| part == Component::ParentDir);
    plain && (path.starts_with(&folders.config) || path.starts_with(&folders.data))
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn what_runs_a_program_or_leads_out_is_left_out_and_the_rest_stays() {
        for (_home, folders) in homes() {
            let text = "name: Ada Quill\nemail: ada@example.org\npassphrase-command: [sh, -c, evil]\ngames: ../elsewhere\nmail:\n  letter: text\n  \
                        transport: sendmail\n  command: [evil]\nimap: {host: x.example.org, user: ada, password-command: [evil]}\n";
            let foreign = ForeignSettings::of(text.as_bytes(), &folders).expect("odd");
            assert_eq!(
                foreign.named(),
                [
                    "passphrase-command: [\"sh\",\"-c\",\"evil\"]",
                    "mail.command: [\"evil\"]",
                    "imap.password-command: [\"evil\"]",
                    "games: \"../elsewhere\"",
                ]
            );
            let without = foreign.without();
            assert!(!String::from_utf8_lossy(&without).contains("evil"));
            assert!(ForeignSettings::of(&without, &folders).is_none());
            let plain = "name: Ada Quill\nemail: ada@example.org\nmail: {\"letter\":\"text\"}\n";
            let settings = Settings::parse(plain.as_bytes(), folders.clone()).expect("settings");
            assert_eq!(settings.name.as_deref(), Some("Ada Quill"));
        }
    }

    #[test]
    fn settings_that_stay_at_home_are_left_as_they_are() {
        for (home, folders) in homes() {
            for text in ["", "email: ada@example.org\n", "games: games\nmail: {outbox: out}\n", "mail: {open: false}\n"]
            {
                assert!(ForeignSettings::of(text.as_bytes(), &folders).is_none(), "{text}");
            }
            // A home in memory has nothing around it.
            if home.is_none() {
                continue;
            }
            for text in [
                "games: /elsewhere\n",
                "games: a/../../b\n",
                "mail: {outbox: /tmp/x}\n",
                "host: {copies: /tmp/x}\n",
                "mail: {open: true}\n",
                "backup: {to: kept, passphrase-command: [evil]}\n",
                "games: [1]\n",
            ] {
                assert!(ForeignSettings::of(text.as_bytes(), &folders).is_some(), "{text}");
            }
        }
    }
}
