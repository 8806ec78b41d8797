//! The settings as a file for people: YAML with comments.

use std::path::Path;

use super::{
    AttachedPage, HostLimits, HostSettings, ImapSettings, Login, MailSettings, OutboxFormat, PasswordSource,
    PlainReplies, Settings, Source,
};
use postrider_disk::disk::{FileError, Step};
use postrider_disk::folders::Folders;
use postrider_mail::Style;

/// Returns a text in double quotes, which are the same in YAML and JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

fn login(login: &Login, text: &mut String) {
    text.push_str(&format!("  user: {}\n", quoted(&login.user)));
    text.push_str("  # The password itself is never written here.\n");
    match &login.password {
        PasswordSource::Command(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            text.push_str(&format!(
                "  # A program that prints it in its first line; no shell reads this.\n  password-command: [{}]\n",
                words.join(", ")
            ));
        }
        PasswordSource::Env(name) => {
            text.push_str(&format!("  # The environment variable that holds it.\n  password-env: {}\n", quoted(name)));
        }
    }
}

/// Prepares the folder for a settings file with this text: what the file says now, if that is something else, is kept beside it as
/// `settings.yaml.old`.
///
/// # Errors
/// The errors of the system.
pub fn keep_old(folders: &Folders, text: &str) -> Result<(), FileError> {
    let (disk, file) = (&folders.disk, folders.settings_file());
    let failed = |source| FileError::Io { step: Step::Create, path: folders.config.clone(), source };
    disk.private_folder(&folders.config).map_err(failed)?;
    match disk.read_record(&file).ok().filter(|old| *old != text.as_bytes()) {
        Some(old) => disk.put_private(&file.with_extension("yaml.old"), &old),
        None => Ok(()),
    }
}

/// Returns the settings in the form of `settings.yaml`: nothing that is set is left out.
#[must_use]
pub fn yaml(settings: &Settings) -> String {
    let mut text = match &settings.host {
        None => "# Settings of postrider, written by `postrider setup`; run it again to change them, or edit this file.\n\
                 # `postrider setup --check` tests them. The file settings.yaml among the examples explains every key.\n\n",
        Some(_) => "# A host: people play by writing to it. Written by `postrider host setup`; `postrider rules host` explains it.\n\n",
    }
    .to_owned();
    if settings.host.is_none() && (settings.name.is_some() || settings.email.is_some()) {
        text.push_str("# Your name and address, as your opponents know them: letters are sent from here.\n");
    }
    if let Some(name) = &settings.name {
        text.push_str(&format!("name: {}\n", quoted(name)));
    }
    if let Some(email) = &settings.email {
        text.push_str(&format!("email: {}\n", quoted(email)));
    }
    if let Some(games) = &settings.games {
        text.push_str(&format!("\n# The folder of your games.\ngames: {}\n", path(games)));
    }
    if !settings.passphrase_command.is_empty() {
        let words: Vec<String> = settings.passphrase_command.iter().map(|word| quoted(word)).collect();
        text.push_str(&format!(
            "\n# A program that prints the passphrase of your key in its first line; no shell reads this.\npassphrase-command: [{}]\n",
            words.join(", ")
        ));
    }
    if let Some(backup) = &settings.backup {
        let words: Vec<String> = backup.command.iter().map(|word| quoted(word)).collect();
        text.push_str(&format!(
            "\n# A backup after each command that signed or sealed something, and how many are kept.\nbackup:\n  to: {}\n  passphrase-command: \
             [{}]\n  keep: {}\n",
            path(&backup.to),
            words.join(", "),
            backup.keep
        ));
    }
    if !settings.sign {
        text.push_str("\n# Your key is not declared in new games.\nsign: false\n");
    }
    if settings.hosts != settings.host.is_some() {
        text.push_str(&format!(
            "\n# Whether this is the home of a host, who plays no side.\nhosts: {}\n",
            settings.hosts
        ));
    }
    text.push_str("\n# How letters are sent.\nmail:\n");
    match &settings.mail {
        MailSettings::File(file) => {
            text.push_str(if file.open {
                "  # Each letter becomes a file, which your mail program opens as a draft.\n  transport: file\n"
            } else {
                "  # Each letter becomes a file, which you send yourself.\n  transport: file\n"
            });
            text.push_str(&format!("  outbox: {}\n", path(&file.outbox)));
            if file.format == OutboxFormat::Maildir {
                text.push_str("  format: maildir\n");
            }
            if file.open {
                text.push_str("  open: true\n");
            }
        }
        MailSettings::Sendmail(sendmail) => {
            text.push_str("  # This program takes each letter on its standard input.\n  transport: sendmail\n");
            let words: Vec<String> =
                std::iter::once(&sendmail.program).chain(&sendmail.arguments).map(|word| quoted(word)).collect();
            text.push_str(&format!("  command: [{}]\n", words.join(", ")));
        }
        MailSettings::Git(git) => {
            text.push_str(
                "  # The record is committed and pushed into a repository that both players share.\n  transport: git\n",
            );
            if let Some(remote) = &git.remote {
                text.push_str(&format!("  remote: {}\n", quoted(remote)));
            }
        }
        MailSettings::Smtp(smtp) => {
            text.push_str("  # Each letter goes to this mail server.\n  transport: smtp\n");
            text.push_str(&format!(
                "  host: {}\n  port: {}\n  tls: {}\n",
                quoted(&smtp.host),
                smtp.port,
                smtp.tls.word()
            ));
            if let Some(of) = &smtp.login {
                login(of, &mut text);
            }
            if let Some(ca) = &smtp.ca {
                text.push_str(&format!("  ca: {}\n", path(ca)));
            }
            text.push_str(&format!("  timeout: {}\n", smtp.timeout.as_secs()));
        }
    }
    match settings.plain_replies {
        PlainReplies::Draft => text.push_str("  plain-replies: draft\n"),
        PlainReplies::Off => text.push_str("  plain-replies: \"off\"\n"),
        PlainReplies::Answer => {}
    }
    match settings.letter {
        Style::Taps => {}
        Style::Text => text.push_str("  letter: text\n"),
        Style::Picture => text.push_str("  letter: picture\n"),
        Style::Block => text.push_str("  letter: block\n"),
    }
    let usual = settings.page == AttachedPage::default();
    if !usual || settings.host.is_none() && !matches!(settings.mail, MailSettings::Git(_)) {
        page(settings.page, &mut text);
    }
    if let Some(imap) = &settings.imap {
        incoming(imap, &mut text);
    }
    if !settings.receive.is_empty() {
        receive(&settings.receive, &mut text);
    }
    if let Some(id) = &settings.authserv_id {
        text.push_str(&format!(
            "\n# The name under which your mail server says what it found out about a sender (RFC 8601).\nauthserv-id: {}\n",
            quoted(id)
        ));
    }
    if let Some(by) = settings.received_by.as_ref().filter(|by| settings.authserv_id.as_ref() != Some(by)) {
        text.push_str(&format!(
            "\n# The name under which it notes that it took a message.\nreceived-by: {}\n",
            quoted(by)
        ));
    }
    if let Some(of) = &settings.host {
        host(of, &mut text);
    }
    text
}

/// What a home does as a host; what is as usual is left out, but for what `host setup` asks.
fn host(of: &HostSettings, text: &mut String) {
    let usual = HostSettings::default();
    text.push_str(&format!(
        "\nhost:\n  # Whether games+anything@ is delivered to games@; otherwise tokens stand in subjects.\n  plus: {}\n",
        of.plus
    ));
    if of.clock != usual.clock {
        let clock = of.clock.as_deref().map_or_else(|| "none".to_owned(), quoted);
        text.push_str(&format!("  # The clock of a game for which none is asked.\n  clock: {clock}\n"));
    }
    if let Some(copies) = &of.copies {
        text.push_str(&format!("  # Where a copy of each letter is kept.\n  copies: {}\n", path(copies)));
    }
    if let Some(operator) = &of.operator {
        text.push_str(&format!("  # Who is told of games that cannot be played.\n  operator: {}\n", quoted(operator)));
    }
    if !of.forfeit {
        text.push_str("  # Time is only claimed by players.\n  forfeit: false\n");
    }
    let counts = |of: &HostSettings| {
        let HostLimits {
            unproven_answers,
            open_invitations,
            invitations_a_day,
            invitations_in_vain,
            invitations_to_a_domain,
            days_between_invitations,
            invitations_in_all,
        } = of.limits;
        [
            ("letters-a-day", of.letters_a_day),
            ("first-letters-a-day", of.first_letters_a_day),
            ("unproven-answers-a-day", unproven_answers),
            ("open-invitations", open_invitations),
            ("invitations-a-day", invitations_a_day),
            ("invitations-in-vain", invitations_in_vain),
            ("invitations-to-a-domain-a-day", invitations_to_a_domain),
            ("days-between-invitations", days_between_invitations),
            ("invitations-in-all", invitations_in_all),
        ]
    };
    for ((key, count), _) in counts(of).into_iter().zip(counts(&usual)).filter(|(of, usual)| of != usual) {
        text.push_str(&format!("  {key}: {count}\n"));
    }
    let marks = [("key", &of.key), ("secret-check", &of.secret)];
    if marks.iter().any(|(_, mark)| mark.is_some()) {
        text.push_str(
            "  # The key that signs here, and what shows whether the secret is the right one: a home that has lost them is known by these.\n",
        );
    }
    for (key, mark) in marks {
        text.extend(mark.iter().map(|mark| format!("  {key}: {}\n", quoted(mark))));
    }
}

fn receive(sources: &[Source], text: &mut String) {
    text.push_str("\n# Where your mail comes in: `postrider play` reads it all. `imap` is the mailbox above, `git` the repository of your games.\nreceive:\n");
    for source in sources {
        text.push_str(&match source {
            Source::Imap => "  - imap\n".to_owned(),
            Source::Git => "  - git\n".to_owned(),
            Source::Path(file) => format!("  - {}\n", path(file)),
        });
    }
}

fn page(page: AttachedPage, text: &mut String) {
    text.push_str(
        "  # Whether the game goes along as a page that opens in any browser, for an opponent without the program (over 1 MB a\n  \
         # letter): never, first (with the first letter of a game), always.\n",
    );
    text.push_str(match page {
        AttachedPage::Never => "  page: never\n",
        AttachedPage::First => "  page: first\n",
        AttachedPage::Always => "  page: always\n",
    });
}

fn incoming(imap: &ImapSettings, text: &mut String) {
    text.push_str("\n# The mailbox that `postrider receive --imap` reads; nothing in it is changed.\nimap:\n");
    text.push_str(&format!("  host: {}\n  port: {}\n  tls: {}\n", quoted(&imap.host), imap.port, imap.tls.word()));
    login(&imap.login, text);
    text.push_str(&format!("  mailbox: {}\n", quoted(&imap.mailbox)));
    text.push_str(&format!("  # How many days back messages are looked at.\n  days: {}\n", imap.days));
    if let Some(ca) = &imap.ca {
        text.push_str(&format!("  ca: {}\n", path(ca)));
    }
    text.push_str(&format!("  timeout: {}\n", imap.timeout.as_secs()));
}
