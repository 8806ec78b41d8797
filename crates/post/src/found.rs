//! What is available on this machine: mail programs, mailboxes, and what Thunderbird and git know. Everything is only
//! read.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postrider_disk::files::read_record;
use postrider_disk::programs;
use postrider_disk::system::OPENER;
use postrider_settings::Tls;

/// Where mail systems install `sendmail` outside the `PATH`.
const BESIDE_PATH: [&str; 2] = ["/usr/sbin", "/usr/lib"];

/// A server that another program uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    pub host: String,
    pub port: Option<u16>,
    pub tls: Tls,
    pub user: Option<String>,
}

impl Server {
    /// Returns the server to suggest: the one in the settings, otherwise the one that was found, otherwise a guess.
    pub fn of(set: Option<(&str, u16, Tls, Option<&str>)>, found: Option<&Self>, guess: Option<Self>) -> Self {
        match (set, found, guess) {
            (Some((host, port, tls, user)), _, _) => {
                Self { host: host.to_owned(), port: Some(port), tls, user: user.map(str::to_owned) }
            }
            (None, Some(found), _) => found.clone(),
            (None, None, guess) => guess.unwrap_or_default(),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub name: Option<String>,
    pub email: Option<String>,
    pub msmtp: Option<PathBuf>,
    pub sendmail: Option<PathBuf>,
    /// What to say of the program that opens a letter in the user's mail program; `None` if there is none.
    pub opener: Option<String>,
    pub mutt: Option<&'static str>,
    pub mailboxes: Vec<PathBuf>,
    pub smtp: Option<Server>,
    pub imap: Option<Server>,
}

impl Found {
    pub fn look() -> Self {
        let home = std::env::home_dir().unwrap_or_default();
        // Without its own settings, msmtp sends nothing.
        let msmtp_set = [home.join(".msmtprc"), home.join(".config/msmtp/config")].iter().any(|path| path.is_file());
        let (smtp, imap) = thunderbird(&home);
        let mailboxes = [home.join("Maildir"), home.join("Mail"), home.join(".mail")];
        let spool = std::env::var_os("MAIL").map(PathBuf::from);
        Self {
            name: git("user.name"),
            email: git("user.email").or_else(|| std::env::var("EMAIL").ok().filter(|email| email.contains('@'))),
            msmtp: program("msmtp").filter(|_| msmtp_set),
            sendmail: program("sendmail"),
            opener: match OPENER {
                None => Some(String::new()),
                Some(name) => program(name).map(|path| format!(" ({})", path.display())),
            },
            mutt: ["neomutt", "mutt"].into_iter().find(|name| program(name).is_some()),
            mailboxes: mailboxes
                .into_iter()
                .filter(|path| path.join("new").is_dir() && path.join("cur").is_dir())
                .chain(spool.filter(|path| path.is_file()))
                .collect(),
            smtp,
            imap,
        }
    }
}

/// Returns whether a folder is in a git repository.
pub fn is_in_repository(folder: &Path) -> bool {
    folder.ancestors().any(|above| above.join(".git").exists())
}

/// Returns the program with this name on the `PATH`, or where mail systems install theirs.
pub fn program(name: &str) -> Option<PathBuf> {
    if name.contains(std::path::is_separator) {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    // On Windows a program has an ending that nobody types.
    let name = &format!("{}{}", name.strip_suffix(EXE_SUFFIX).unwrap_or(name), EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = BESIDE_PATH.iter().map(PathBuf::from).filter(|_| name == "sendmail");
    std::env::split_paths(&path).chain(beside).map(|folder| folder.join(name)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn git(key: &str) -> Option<String> {
    let output =
        programs::output(Command::new("git").args(["config", "--global", "--get", key]).stdin(Stdio::null())).ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty() && output.status.success())
}

/// The servers of the first account in Thunderbird.
fn thunderbird(home: &Path) -> (Option<Server>, Option<Server>) {
    // On Linux, macOS and Windows.
    let places = [".thunderbird", "Library/Thunderbird/Profiles", "AppData/Roaming/Thunderbird/Profiles"];
    let profiles = places.iter().filter_map(|place| fs::read_dir(home.join(place)).ok()).flatten().flatten();
    let mut files: Vec<PathBuf> =
        profiles.map(|entry| entry.path().join("prefs.js")).filter(|path| path.is_file()).collect();
    files.sort();
    let texts = files.iter().filter_map(|path| String::from_utf8(read_record(path).ok()?).ok());
    let found = texts.map(|text| (server(&text, "mail.smtpserver.smtp"), server(&text, "mail.server.server")));
    found.into_iter().find(|(smtp, imap)| smtp.is_some() || imap.is_some()).unwrap_or_default()
}

/// The first server in Thunderbird's preferences whose keys begin with `prefix`.
fn server(preferences: &str, prefix: &str) -> Option<Server> {
    let values: Vec<(&str, &str)> = preferences.lines().filter_map(preference).collect();
    let mut numbers: Vec<u32> = values
        .iter()
        .filter_map(|(key, _)| key.strip_prefix(prefix)?.strip_suffix(".hostname")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers.into_iter().find_map(|number| {
        let value = |name: &str| {
            let key = format!("{prefix}{number}.{name}");
            values.iter().find(|(found, _)| *found == key).map(|(_, value)| *value)
        };
        if prefix == "mail.server.server" && value("type") != Some("imap") {
            return None;
        }
        Some(Server {
            host: value("hostname")?.to_owned(),
            port: value("port").and_then(|port| port.parse().ok()),
            // 2 is STARTTLS, and 3 is TLS from the first byte.
            tls: if value("try_ssl").or_else(|| value("socketType")) == Some("2") {
                Tls::Starttls
            } else {
                Tls::Implicit
            },
            user: value("username").or_else(|| value("userName")).map(str::to_owned),
        })
    })
}

/// Parses a line `user_pref("key", value);`.
fn preference(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().strip_prefix("user_pref(\"")?.strip_suffix(");")?.split_once("\", ")?;
    Some((key, value.trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_thunderbird_are_found_where_each_system_has_them() {
        let told = "user_pref(\"mail.server.server2.hostname\", \"imap.example.org\");\n\
                    user_pref(\"mail.server.server2.type\", \"imap\");\n";
        for place in [".thunderbird/x", "Library/Thunderbird/Profiles/x", "AppData/Roaming/Thunderbird/Profiles/x"] {
            let home = tempfile::tempdir().unwrap();
            let profile = home.path().join(place);
            fs::create_dir_all(&profile).unwrap();
            fs::write(profile.join("prefs.js"), told).unwrap();
            let (smtp, imap) = thunderbird(home.path());
            assert_eq!((smtp, imap.map(|imap| imap.host)), (None, Some("imap.example.org".into())), "{place}");
        }
    }

    #[test]
    fn the_servers_of_thunderbird_are_found() {
        let text = "// Mozilla User Preferences\nuser_pref(\"mail.server.server1.type\", \"none\");\n\
                    user_pref(\"mail.server.server1.hostname\", \"Local Folders\");\n\
                    user_pref(\"mail.server.server2.hostname\", \"imap.example.org\");\n\
                    user_pref(\"mail.server.server2.type\", \"imap\");\nuser_pref(\"mail.server.server2.port\", 993);\n\
                    user_pref(\"mail.server.server2.socketType\", 3);\nuser_pref(\"mail.server.server2.userName\", \"ada\");\n\
                    user_pref(\"mail.smtpserver.smtp1.hostname\", \"smtp.example.org\");\n\
                    user_pref(\"mail.smtpserver.smtp1.try_ssl\", 2);\nuser_pref(\"mail.smtpserver.smtp1.username\", \"ada@example.org\");\n";
        let smtp = server(text, "mail.smtpserver.smtp").unwrap();
        assert_eq!((smtp.host.as_str(), smtp.port, smtp.tls), ("smtp.example.org", None, Tls::Starttls));
        assert_eq!(smtp.user.as_deref(), Some("ada@example.org"));
        let imap = server(text, "mail.server.server").unwrap();
        assert_eq!((imap.host.as_str(), imap.port, imap.tls), ("imap.example.org", Some(993), Tls::Implicit));
    }
}
