use std::path::Path;

use super::*;
use postrider_disk::settings_error::SettingsError;

const SAMPLE: &str = include_str!("../../../examples/settings.yaml");

fn parse(text: &str) -> Result<Settings, SettingsError> {
    Settings::parse(text.as_bytes(), Folders::at(Path::new("/home/ada")))
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

fn smtp(lines: &str) -> Result<SmtpSettings, SettingsError> {
    match parse(&format!("mail:\n  transport: smtp\n{lines}"))?.mail {
        MailSettings::Smtp(smtp) => Ok(smtp),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_settings_at_all_write_into_the_outbox() {
    for text in ["", "\n", "# nothing\n", "{}", "mail: {}", "---\n"] {
        let settings = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let outbox = PathBuf::from("/home/ada/data/outbox");
        assert_eq!(
            settings.mail,
            MailSettings::File(FileSettings { outbox, format: OutboxFormat::Eml, open: false }),
            "{text:?}"
        );
        assert_eq!((settings.name, settings.email, settings.games), (None, None, None));
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::load_from(Folders::at(folder.path())).unwrap();
    assert!(matches!(settings.mail, MailSettings::File(_)));
}

/// The sample with the commented-out lines from `from` on in place of its transport.
fn sample_with(from: &str) -> String {
    let head = SAMPLE.split("\nmail:").next().unwrap();
    let block = SAMPLE.split(from).nth(1).unwrap();
    let lines = block.lines().skip_while(|line| *line != "# mail:").take_while(|line| line.starts_with('#'));
    lines.fold(format!("{head}\n"), |text, line| text + line.strip_prefix("# ").unwrap() + "\n")
}

#[test]
fn the_sample_is_read_unchanged() {
    let settings = parse(SAMPLE).unwrap();
    assert_eq!(settings.name.as_deref(), Some("Ada Quill"));
    assert_eq!(settings.email.as_deref(), Some("ada@example.org"));
    assert!(settings.games.unwrap().ends_with("games"));
    let MailSettings::File(file) = settings.mail else { panic!() };
    assert!(file.outbox.ends_with("games/outbox"));
}

#[test]
fn the_sample_is_read_with_its_other_transports() {
    let MailSettings::Sendmail(sendmail) = parse(&sample_with("# sendmail:")).unwrap().mail else { panic!() };
    assert_eq!((sendmail.program.as_str(), sendmail.arguments), ("msmtp", vec!["--account=games".to_owned()]));
    let text = sample_with("# smtp:");
    let MailSettings::Smtp(smtp) = parse(&text).unwrap().mail else { panic!() };
    assert_eq!((smtp.host.as_str(), smtp.port, smtp.tls), ("smtp.example.org", 587, Tls::Starttls));
    assert_eq!(smtp.timeout, Duration::from_secs(30));
    assert!(smtp.ca.unwrap().ends_with("our-own-ca.pem"));
    let command = ["pass", "show", "mail/ada"].map(str::to_owned).to_vec();
    assert_eq!(smtp.login.unwrap().password, PasswordSource::Command(command));
    let other = text.replace("  password-command:", "  # ").replace("  # password-env:", "  password-env:");
    let MailSettings::Smtp(smtp) = parse(&other).unwrap().mail else { panic!() };
    assert_eq!(smtp.login.unwrap().password, PasswordSource::Env("POSTRIDER_PASSWORD".to_owned()));
    let MailSettings::Git(git) = parse(&sample_with("# git:")).unwrap().mail else { panic!() };
    assert_eq!(git.remote.as_deref(), Some("origin"));
    assert_eq!(parse("mail: {transport: git}").unwrap().mail, MailSettings::Git(GitSettings { remote: None }));
    for remote in ["''", "--upload-pack=x", "../hub.git", "a b", "/tmp/hub", "'ext::sh -c x'"] {
        let error = refused(&format!("mail: {{transport: git, remote: {remote}}}"));
        assert!(error.contains("`remote` is the name of a remote"), "{error}");
    }
    assert!(refused("mail: {transport: git, host: h}").contains("`host` belongs to the transport `smtp`"));
}

#[test]
fn the_sample_is_read_with_its_mailbox_on_a_server() {
    assert!(parse(SAMPLE).unwrap().imap.is_none());
    let (_, commented) = SAMPLE.split_once("\n# imap:\n").unwrap();
    let (commented, sources) = commented.split_once("\n# receive:\n").unwrap();
    let commented = commented.rsplit_once("\n\n").unwrap().0;
    let (sources, host) = sources.split_once("\n\n").unwrap();
    let (_, host) = host.split_once("\n# host:\n").unwrap();
    let host: String = host.lines().map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect();
    let host = parse(&format!("host:\n{host}")).unwrap();
    assert!(host.hosts && host.host.is_some());
    let lines = commented.lines().map(|line| line.strip_prefix("# ").unwrap_or(line));
    let text = format!("imap:\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    let imap = parse(&text).unwrap().imap.unwrap();
    assert_eq!((imap.host.as_str(), imap.port, imap.tls), ("imap.example.org", 993, Tls::Implicit));
    assert_eq!((imap.mailbox.as_str(), imap.days, imap.timeout), ("INBOX", 60, Duration::from_secs(30)));
    // Where letters come in is listed there too, the mailbox among it.
    let sources: String =
        sources.lines().map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect();
    let listed = parse(&format!("{text}receive:\n{sources}")).unwrap().sources();
    assert!(matches!(listed.as_slice(), [Source::Path(path), Source::Imap] if path.ends_with("Maildir")), "{listed:?}");
    assert_eq!(parse(&text).unwrap().sources(), [Source::Imap]);
    assert_eq!(parse("mail: {transport: git}").unwrap().sources(), [Source::Git]);
    assert!(refused("receive: [imap]").contains("there is none"));
    let error = refused("imap: {nonsense: 1}");
    for key in ["host", "port", "tls", "user", "password-env", "password-command", "ca", "timeout", "mailbox", "days"] {
        assert!(commented.contains(&format!("  {key}:")) || commented.contains(&format!("# {key}:")), "{key}");
        assert!(error.contains(key), "{key} is not a key in {error}");
    }
}

#[test]
fn a_mailbox_on_a_server_has_a_login_and_no_password_in_the_settings() {
    for (text, says) in [
        ("imap: {user: ada, password-env: WORD}", "needs `host`"),
        ("imap: {host: a.b}", "needs `user`"),
        ("imap: {host: a.b, user: ada}", "a login needs a password"),
        ("imap: {host: a.b, user: ada, password: hidden}", "no password stands in the settings"),
        ("imap: {host: a.b, user: ada, password-env: WORD, tls: none}", "for servers on this machine alone"),
        ("imap: {host: a.b, user: ada, password-env: WORD, mailbox: ''}", "`mailbox` is a name"),
        ("imap: {host: a.b, user: ada, password-env: WORD, days: 0}", "`days` is how many days"),
        ("imap: {host: a.b, user: ada, password-env: WORD, port: 0}", "no server has port 0"),
    ] {
        let error = refused(text);
        assert!(error.contains(says) && !error.contains("hidden"), "{text}: {error}");
    }
}

#[test]
fn the_sample_explains_every_key() {
    let error = refused("mail: {nonsense: 1}");
    for key in [
        "transport",
        "outbox",
        "format",
        "command",
        "host",
        "port",
        "tls",
        "user",
        "password-env",
        "password-command",
        "ca",
        "timeout",
        "remote",
    ] {
        assert!(SAMPLE.contains(&format!("  {key}:")) || SAMPLE.contains(&format!("# {key}:")), "{key}");
        assert!(error.contains(key), "{key} is not a key in {error}");
    }
}

#[test]
fn entries_are_signed_unless_the_settings_say_no() {
    let sign = |text: &str| Settings::parse(text.as_bytes(), Folders::at(Path::new("/home/ada"))).unwrap().sign;
    assert!(sign("") && sign("sign: true") && sign("sign: yes"));
    assert!(!sign("sign: false") && !sign("sign: no"));
}

#[test]
fn a_fault_has_its_file_line_and_column() {
    let error = refused("name: Ada\nmail:\n  transport: pigeon\n");
    assert!(error.starts_with("/home/ada/settings.yaml:3:14: "), "{error}");
    assert!(error.contains("pigeon"), "{error}");
    let error = refused("name: Ada\nnick: A\n");
    assert!(error.starts_with("/home/ada/settings.yaml:2:1: ") && error.contains("nick"), "{error}");
    let error = refused("name: Ada\nname: Bram\n");
    assert!(error.starts_with("/home/ada/settings.yaml:2:1: "), "{error}");
    let error = refused("mail: [\n");
    assert!(error.starts_with("/home/ada/settings.yaml:"), "{error}");
    let error = refused("email: ada\n");
    assert!(error.starts_with("/home/ada/settings.yaml:1:8: "), "{error}");
}

#[test]
fn faults_are_reported_in_a_players_words() {
    for (text, expected) in [
        ("mail: 3", "1:7: expected keys with values, as in `key: value`"),
        ("name: [a]", "1:7: expected a text"),
        ("mail: {transport: sendmail, command: a b}", "1:38: expected a list, as in `[program, argument]`"),
        ("mail: {transport: smtp, host: h, port: smtp}", "1:40: expected a whole number, and not too large a one"),
        ("mail: {transport: smtp, host: h, timeout: -1}", "1:43: expected a whole number, and not too large a one"),
        ("mail: {tls: ssl}", "1:13: unknown variant `ssl`, expected one of starttls, implicit, none"),
        (
            "nick: A",
            "1:1: unknown field `nick`, expected one of name, email, games, sign, hosts, passphrase-command, passphrase, backup, mail, imap, receive, authserv-id, received-by, host",
        ),
        ("sign: maybe", "1:7: expected `true` or `false`"),
    ] {
        assert_eq!(refused(text), format!("/home/ada/settings.yaml:{expected}"));
    }
    assert!(refused("mail: {nonsense: 1}").contains("ca, timeout"));
}

#[test]
fn backups_by_themselves_have_a_folder_and_a_passphrase() {
    let read = |text: &str| parse(text).expect("settings").backup;
    assert_eq!(read("name: Ada"), None);
    let of_key = read("passphrase-command: [pass, key]\nbackup: {to: kept}").expect("a backup");
    assert_eq!((of_key.command.join(" "), of_key.keep), ("pass key".to_owned(), 10));
    assert_eq!(of_key.to, Path::new("/home/ada/kept"));
    let own = read("backup: {to: /kept, passphrase-command: [pass, backups], keep: 3}").expect("a backup");
    assert_eq!((own.command.join(" "), own.keep), ("pass backups".to_owned(), 3));
    for (text, expected) in [
        ("backup: {to: kept}", "needs `passphrase-command`"),
        ("backup: {passphrase-command: [x]}", "needs `to`"),
        ("backup: {to: kept, passphrase-command: [x], keep: 0}", "from 1 to 1000"),
        ("backup: {to: kept, passphrase-command: x}", "expected a list"),
    ] {
        assert!(refused(text).contains(expected), "{}", refused(text));
    }
}

#[test]
fn no_error_text_spans_lines_or_controls_a_terminal() {
    for text in [
        "\"\\e[31m\": 1\n",
        "mail:\n  transport: \"\\e[2J\"\n",
        "mail: [[[[[\n",
        "a: &b c\nd: *b\n",
        "\u{1b}[2J",
        "name: \"a\n",
    ] {
        let error = refused(text);
        assert!(!error.chars().any(char::is_control), "{error:?}");
        assert!(!error.to_lowercase().contains("invalid"), "{error}");
    }
}

#[test]
fn a_password_in_the_settings_is_refused_and_not_shown() {
    for text in ["mail:\n  password: hunter2\n", "mail: {transport: smtp, host: h, user: u, password: [hunter2]}"] {
        let error = refused(text);
        assert!(error.contains("password-env") && error.contains("password-command"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let error = smtp("  host: h\n  user: u\n  password-env: hunter2!\n").unwrap_err().to_string();
    assert!(error.contains("not the password") && !error.contains("hunter2"), "{error}");
}

#[test]
fn unencrypted_connections_are_for_this_machine_alone() {
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"] {
        assert_eq!(smtp(&format!("  host: \"{host}\"\n  tls: none\n")).unwrap().port, 25, "{host}");
    }
    for host in ["smtp.example.org", "10.0.0.1", "128.0.0.1", "::2", "localhost.example.org", "127.0.0.1.example.org"] {
        let error = smtp(&format!("  host: \"{host}\"\n  tls: none\n")).unwrap_err().to_string();
        assert!(
            error.starts_with("/home/ada/settings.yaml:4:8: `tls: none` is for servers on this machine"),
            "{error}"
        );
    }
}

#[test]
fn ports_follow_the_kind_of_encryption() {
    assert_eq!(smtp("  host: h\n").map(|s| (s.tls, s.port)).unwrap(), (Tls::Starttls, 587));
    assert_eq!(smtp("  host: h\n  tls: implicit\n").map(|s| (s.tls, s.port)).unwrap(), (Tls::Implicit, 465));
    assert_eq!(smtp("  host: h\n  port: 2525\n").unwrap().port, 2525);
    for port in ["0", "65536", "-1", "smtp"] {
        assert!(smtp(&format!("  host: h\n  port: {port}\n")).is_err(), "{port}");
    }
    for timeout in ["0", "3601", "soon"] {
        assert!(smtp(&format!("  host: h\n  timeout: {timeout}\n")).is_err(), "{timeout}");
    }
}

#[test]
fn a_login_has_a_user_and_one_source_of_its_password() {
    assert_eq!(smtp("  host: h\n").unwrap().login, None);
    for lines in ["  user: u\n", "  password-env: P\n", "  user: u\n  password-env: P\n  password-command: [p]\n"] {
        let error = smtp(&format!("  host: h\n{lines}")).unwrap_err().to_string();
        assert!(error.contains("password-env") || error.contains("`user`"), "{error}");
    }
    for command in ["[]", "[\"\"]", "pass show mail", "[p, \"a\\0b\"]"] {
        let lines = format!("  host: h\n  user: u\n  password-command: {command}\n");
        assert!(smtp(&lines).is_err(), "{command}");
    }
}

#[test]
fn a_server_has_a_name() {
    for host in ["", "  host: \"\"\n", "  host: \"a b\"\n", "  host: smtp://example.org\n"] {
        let error = smtp(host).unwrap_err().to_string();
        assert!(error.contains("`host`"), "{error}");
    }
}

#[test]
fn keys_of_another_transport_are_refused() {
    let error = refused("mail:\n  host: smtp.example.org\n");
    assert!(error.contains("settings.yaml:2:9: ") && error.contains("write `transport: smtp`"), "{error}");
    let error = refused("mail:\n  transport: smtp\n  host: h\n  outbox: x\n");
    assert!(error.contains("`outbox` belongs to the transport `file`"), "{error}");
}

#[test]
fn paths_begin_at_home_or_at_the_settings() {
    let outbox = |path: &str| match parse(&format!("mail: {{outbox: \"{path}\"}}")).unwrap().mail {
        MailSettings::File(file) => file.outbox,
        other => panic!("{other:?}"),
    };
    assert_eq!(outbox("/var/mail/out"), Path::new("/var/mail/out"));
    assert_eq!(outbox("out"), Path::new("/home/ada/out"));
    if let Ok(home) = etcetera::home_dir() {
        assert_eq!(outbox("~/out"), home.join("out"));
    }
}

#[test]
fn a_huge_or_nested_file_is_refused_at_once() {
    assert!(refused(&"#".repeat(70_000)).contains("64 KiB"));
    assert!(refused(&format!("name: {}", "[".repeat(60_000))).contains("settings.yaml"));
    assert!(refused("a: &x 1\nb: *x\n").contains("settings.yaml"));
}

#[cfg(unix)]
#[test]
fn a_file_that_anyone_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders::at(folder.path());
    let path = folders.settings_file();
    std::fs::write(&path, "name: Ada\n").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o646)).unwrap();
    let error = Settings::load_from(folders.clone()).unwrap_err().to_string();
    assert!(error.contains("chmod o-w"), "{error}");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o664)).unwrap();
    assert_eq!(Settings::load_from(folders).unwrap().name.as_deref(), Some("Ada"));
}

#[test]
fn nothing_that_is_set_is_lost_when_the_settings_are_written_again() {
    let host = "name: The Mill\nemail: games@example.com\nhosts: false\nauthserv-id: mx.example.com\nreceived-by: in.example.com\n\
                mail: {transport: sendmail, letter: text, page: first}\nreceive: [/var/mail/games]\n\
                host:\n  plus: false\n  clock: none\n  letters-a-day: 1\n  first-letters-a-day: 2\n  unproven-answers-a-day: 3\n  \
                open-invitations: 4\n  invitations-a-day: 6\n  invitations-in-vain: 7\n  invitations-to-a-domain-a-day: 8\n  \
                days-between-invitations: 9\n  invitations-in-all: 11\n  forfeit: false\n  operator: ada@example.org\n  key: abc\n  \
                secret-check: def\n  copies: /copies\n";
    let player =
        "hosts: true\nreceived-by: in.example.com\nsign: false\nmail: {transport: git, remote: origin, page: always}\n";
    let plain = "authserv-id: mx.example.com\nhost: {}\n";
    for text in [host, player, plain, SAMPLE, ""] {
        let settings = parse(text).expect("settings");
        assert_eq!(parse(&yaml(&settings)).expect("settings"), settings, "{}", yaml(&settings));
    }
    // Every key of a host that can be set is in the first of them.
    let HostSettings {
        plus,
        clock,
        letters_a_day,
        first_letters_a_day,
        limits,
        forfeit,
        operator,
        key,
        secret,
        copies,
    } = parse(host).expect("settings").host.expect("a host");
    let usual = HostSettings::default();
    assert!(plus != usual.plus && clock != usual.clock && forfeit != usual.forfeit);
    assert!(letters_a_day != usual.letters_a_day && first_letters_a_day != usual.first_letters_a_day);
    assert!(limits != usual.limits && [operator, key, secret].iter().all(Option::is_some) && copies.is_some());
}
