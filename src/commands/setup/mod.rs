//! `postrider setup`: asks how you play and send mail, tries it out, and writes the settings.

mod ask;
mod check;
mod questions;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::keys;
use crate::commands::key;
use ask::{Asked, Asker, say};
use postrider_disk::files::put_private;
use postrider_disk::folders::Folders;
use postrider_mail::address::parse_address;
use postrider_post::found::{self, Found, Server};
use postrider_post::providers::Provider;
use postrider_settings::{
    FileSettings, GitSettings, ImapSettings, Login, MailSettings, OutboxFormat, PasswordSource, SendmailSettings,
    Settings, SmtpSettings, Source, Tls, keep_old, yaml,
};
use questions::*;

/// Ask for your name and your mail, try it out, write the settings
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/setup.txt"))]
pub(crate) struct Args {
    /// Test what the settings say: folders, programs, servers with their logins, the key
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let folders = Folders::find()?;
    if args.check {
        let settings = Settings::load_from(folders)
            .map_err(|error| Failure::trouble(error.to_string()).hint("`examples/settings.yaml` explains every key"))?;
        return check::all(&settings);
    }
    let file = folders.settings_file();
    let before = Settings::load_from(folders).map_err(|error| {
        let hint = format!("correct {}, or move it away to start afresh", name(&file));
        Failure::trouble(error.to_string()).hint(hint)
    })?;
    let mut asker = Asker::new();
    let answered = loop {
        match whole(&mut asker, &before) {
            Err(_) if asker.goes_back() => {}
            Ok(None) => match asker.again() {
                Ok(true) => {}
                Ok(false) => break None,
                Err(_) if asker.goes_back() => {}
                Err(failure) => return Err(failure),
            },
            answered => break answered?,
        }
    };
    let Some((settings, text, key)) = answered else {
        errln!("nothing was written");
        return Ok(ExitCode::from(hints::REFUSED));
    };
    keep_old(&settings.folders, &text)?;
    put_private(&file, text.as_bytes())?;
    if let Some(games) = &settings.games {
        postrider_disk::files::folder(games).map_err(|error| Failure::writing_plain(games, &error))?;
    }
    say(format!("{} written\n", name(&file)))?;
    match key {
        KeyWish::Make { backup, locked } => key::make_with_backup(&backup, locked)?,
        KeyWish::None => say("No key: `postrider key new` makes one later.\n")?,
        KeyWish::Has => {}
    }
    say(
        "\nWhat next: `postrider invite 'NAME <MAIL>' GAME` begins a game, `postrider play` fetches mail and goes on with your games, \
         `postrider status` lists what is to be done.\n",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// What is to become of a key.
enum KeyWish {
    /// There is one already.
    Has,
    /// None is wanted.
    None,
    /// One is made, with a backup in this file, and with a passphrase if it is to be locked.
    Make { backup: PathBuf, locked: bool },
}

/// Asks everything, tries it out, and asks last of all whether it is to be written; `None` if it is not.
fn whole(asker: &mut Asker, before: &Settings) -> Result<Option<(Settings, String, KeyWish)>, Failure> {
    let wanted = questions(asker, before)?;
    let text = yaml(&wanted);
    // What is written is what will be read.
    let folders = Folders::find()?;
    let settings = Settings::parse(text.as_bytes(), folders).map_err(|error| asker.misfit(&error.to_string()))?;
    let key = a_key(asker)?;
    say("\n")?;
    let well = check::settings(&settings)?;
    let question = if well { "Write the settings?" } else { "Write the settings although something fails?" };
    let question = Asked(
        question,
        "The settings go into settings.yaml, and the file that was there before stays as settings.yaml.old. `postrider setup --check` \
         tests them at any time.",
    );
    Ok(asker.yes(question, well)?.then_some((settings, text, key)))
}

/// Offers to create a key, with a backup, if the player has none.
fn a_key(asker: &mut Asker) -> Result<KeyWish, Failure> {
    if keys::keyring()?.own()?.is_some() {
        return Ok(KeyWish::Has);
    }
    if !asker.is_again() {
        say(
            "\nWith a key your entries are signed, so that nobody can make or change one in your name. If you lose the key of a game you \
             cannot make another entry in it, so keep the backup elsewhere.\n",
        )?;
    }
    let read = |text: &str| match text.to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Some(false)),
        "locked" => Some(Some(true)),
        "n" | "no" => Some(None),
        _ => None,
    };
    const MAKE: Asked = Asked(
        "Make a key? `locked` makes one with a passphrase",
        "A key is a file on this machine. With `yes` nothing is asked when you enter a move; with `locked` the passphrase is, so that \
         nobody can sign in your name who only has the file. `postrider key new` makes one later.",
    );
    const BACKUP: Asked = Asked(
        "A file for the backup",
        "A copy of the key. Move it to another machine or a stick: whoever has it can sign in your name.",
    );
    let answer =
        asker.text(MAKE, Some("no"), &|text| read(text).map(|_| ()).ok_or_else(|| "type yes, no or locked".into()))?;
    let Some(locked) = read(&answer).flatten() else { return Ok(KeyWish::None) };
    let backup = asker.text(BACKUP, Some("postrider-key-backup.pem"), &|text| {
        if PathBuf::from(text).exists() { Err("that file exists already".into()) } else { Ok(()) }
    })?;
    Ok(KeyWish::Make { backup: PathBuf::from(backup), locked })
}

/// Asks everything.
fn questions(asker: &mut Asker, before: &Settings) -> Result<Settings, Failure> {
    let found = Found::look();
    let mut wanted = before.clone();
    if !asker.is_again() {
        say(
            "Press Enter to take what is in brackets. A single `-` leaves an answer empty, a single `<` goes back a question, a single `?` explains it.\n\n",
        )?;
    }
    let known = before.name.clone().or_else(|| found.name.clone());
    wanted.name = asker.optional(NAME, known.as_deref(), &plain)?;
    let known = before.email.clone().or_else(|| found.email.clone());
    wanted.email = asker.optional(EMAIL, known.as_deref(), &|text| {
        parse_address(text).map(|_| ()).map_err(|error| error.to_string())
    })?;
    let games = before.games.clone().or_else(|| Some(std::env::home_dir()?.join("games")));
    let games = games.map(|games| games.to_string_lossy().into_owned());
    wanted.games = asker.optional(GAMES, games.as_deref(), &plain)?.map(|games| absolute(&games));
    wanted.mail = outgoing(asker, &found, &wanted)?;
    incoming(asker, &found, &mut wanted)?;
    Ok(wanted)
}

/// Checks that a text fits on one line of the settings.
fn plain(text: &str) -> Result<(), String> {
    if text.chars().any(postrider_kernel::text::is_forbidden) {
        Err("that holds a control character".into())
    } else {
        Ok(())
    }
}

fn absolute(path: &str) -> PathBuf {
    let path = match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    };
    std::path::absolute(&path).unwrap_or(path)
}

/// Asks how letters are sent.
fn outgoing(asker: &mut Asker, found: &Found, wanted: &Settings) -> Result<MailSettings, Failure> {
    let is_set = wanted.folders.settings_file().exists();
    let mut ways: Vec<(String, &'static str)> = Vec::new();
    if is_set {
        ways.push((format!("as it is set: {}", check::in_words(&wanted.mail)), "keep"));
    }
    if let Some(path) = &found.msmtp {
        ways.push((format!("by msmtp, which is set up here ({})", path.display()), "msmtp"));
    }
    if let Some(path) = &found.sendmail {
        ways.push((format!("by the mail system of this machine ({})", path.display()), "sendmail"));
    }
    let server = match &found.smtp {
        Some(server) => format!("by a mail server, such as {}, which Thunderbird uses", server.host),
        None => "by a mail server (SMTP)".to_owned(),
    };
    ways.push((server, "smtp"));
    if let Some(opener) = &found.opener {
        ways.push((format!("in your mail program, where each opens as a draft and you press Send{opener}"), "program"));
    }
    ways.push(("into a folder, as files that you send yourself".into(), "file"));
    ways.push(("into a Maildir, from which another program sends them".into(), "maildir"));
    ways.push(("by another program, which takes letters as sendmail does".into(), "command"));
    ways.push(("not by mail: each entry is pushed into a git repository that you share".into(), "git"));
    let folder = |asker: &mut Asker, question, format| {
        let outbox = match &wanted.mail {
            MailSettings::File(file) if file.format == format => file.outbox.clone(),
            _ => wanted.folders.outbox(),
        };
        let outbox = asker.text(question, Some(&outbox.to_string_lossy()), &plain)?;
        Ok::<_, Failure>(MailSettings::File(FileSettings { outbox: absolute(&outbox), format, open: false }))
    };
    Ok(match asker.choice(OUT, &ways)? {
        "keep" => wanted.mail.clone(),
        "msmtp" => MailSettings::Sendmail(SendmailSettings { program: "msmtp".into(), arguments: Vec::new() }),
        "sendmail" => MailSettings::Sendmail(SendmailSettings { program: "sendmail".into(), arguments: Vec::new() }),
        "smtp" => MailSettings::Smtp(smtp(asker, found, wanted)?),
        "program" => {
            let outbox = match &wanted.mail {
                MailSettings::File(file) if file.format == OutboxFormat::Eml => file.outbox.clone(),
                _ => wanted.folders.outbox(),
            };
            MailSettings::File(FileSettings { outbox, format: OutboxFormat::Eml, open: true })
        }
        "maildir" => folder(asker, OUT_MAILDIR, OutboxFormat::Maildir)?,
        "command" => MailSettings::Sendmail(command(asker, wanted)?),
        "git" => {
            let before = if let MailSettings::Git(git) = &wanted.mail { git.remote.clone() } else { None };
            MailSettings::Git(GitSettings { remote: asker.optional(REMOTE, before.as_deref(), &plain)? })
        }
        _ => folder(asker, OUT_FOLDER, OutboxFormat::Eml)?,
    })
}

/// Asks for a program that takes letters.
fn command(asker: &mut Asker, wanted: &Settings) -> Result<SendmailSettings, Failure> {
    let before = if let MailSettings::Sendmail(before) = &wanted.mail { Some(before) } else { None };
    let known = before.map(|before| {
        let words = std::iter::once(&before.program).chain(&before.arguments);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    });
    let answer = asker.text(COMMAND, known.as_deref(), &|text| match text.split_whitespace().next() {
        Some(program) if found::program(program).is_some() => plain(text),
        Some(program) => Err(format!("there is no program {program}")),
        None => Err("a program is needed".into()),
    })?;
    if let Some(before) = before.filter(|_| known.as_ref() == Some(&answer)) {
        // A word that contains a space stays one word.
        return Ok(before.clone());
    }
    let mut words = answer.split_whitespace().map(str::to_owned);
    Ok(SendmailSettings { program: words.next().unwrap_or_default(), arguments: words.collect() })
}

fn domain(wanted: &Settings) -> Option<&str> {
    wanted.email.as_deref()?.rsplit_once('@').map(|(_, domain)| domain)
}

/// The server of the provider of the player's address, or one by the usual name at its domain.
fn guessed(wanted: &Settings, of: fn(Provider) -> Server, usual: (&str, Tls)) -> Option<Server> {
    if let Some(provider) = Provider::of(wanted.email.as_deref()) {
        return Some(of(provider));
    }
    let (first, tls) = usual;
    Some(Server { host: format!("{first}.{}", domain(wanted)?), port: None, tls, user: None })
}

/// Says what the provider of the player's address asks for.
fn asks(asker: &Asker, wanted: &Settings) -> Result<(), Failure> {
    match Provider::of(wanted.email.as_deref()) {
        Some(provider) if !asker.is_again() => say(format!("  {}\n", provider.asks)),
        _ => Ok(()),
    }
}

fn smtp(asker: &mut Asker, found: &Found, wanted: &Settings) -> Result<SmtpSettings, Failure> {
    let before = if let MailSettings::Smtp(smtp) = &wanted.mail { Some(smtp.clone()) } else { None };
    let guess = Server::of(
        before.as_ref().map(|smtp| {
            (smtp.host.as_str(), smtp.port, smtp.tls, smtp.login.as_ref().map(|login| login.user.as_str()))
        }),
        found.smtp.as_ref(),
        guessed(wanted, |provider| provider.smtp, ("smtp", Tls::Starttls)),
    );
    asks(asker, wanted)?;
    let (host, tls, port) = server(asker, TAKES, &guess, Tls::smtp_port)?;
    let user = guess.user.clone().or_else(|| wanted.email.clone());
    let user = asker.optional(USER, user.as_deref(), &plain)?;
    let known = before.as_ref().and_then(|smtp| smtp.login.as_ref()).map(|login| login.password.clone());
    let login = match user {
        None => None,
        Some(user) => Some(Login { user, password: password(asker, known.as_ref(), "POSTRIDER_PASSWORD")? }),
    };
    let (ca, timeout) = before.map_or((None, Duration::from_secs(60)), |smtp| (smtp.ca, smtp.timeout));
    Ok(SmtpSettings { host, port, tls, login, ca, timeout })
}

/// Asks for a server: its name, how the connection is kept private, and its port.
fn server(
    asker: &mut Asker,
    what: Asked,
    guess: &Server,
    usual: fn(Tls) -> u16,
) -> Result<(String, Tls, u16), Failure> {
    let host = asker.text(what, Some(guess.host.as_str()).filter(|host| !host.is_empty()), &|text| {
        let fits = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || ".-:[]".contains(c));
        if fits { Ok(()) } else { Err("that is not the name of a server".into()) }
    })?;
    let tls = asker.word(ENCRYPTED, guess.tls, &host)?;
    let usual = usual(tls);
    let port = if guess.tls == tls { guess.port.unwrap_or(usual) } else { usual };
    let port = asker.text(PORT, Some(&port.to_string()), &|text| {
        text.parse::<u16>().map(|_| ()).map_err(|_| "a port is a number".into())
    })?;
    Ok((host, tls, port.parse().unwrap_or(usual)))
}

/// Asks where the password comes from; it is never in the settings.
fn password(asker: &mut Asker, before: Option<&PasswordSource>, variable: &str) -> Result<PasswordSource, Failure> {
    let known = match before {
        Some(PasswordSource::Command(words)) => words.join(" "),
        Some(PasswordSource::Env(name)) => format!("${name}"),
        None => format!("${variable}"),
    };
    let answer = asker.text(PASSWORD, Some(&known), &|text| {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match text.strip_prefix('$') {
            Some(name) if !is_name(name) => Err("that is not the name of a variable".into()),
            None if text.trim().is_empty() => Err("a command is needed, or $NAME".into()),
            _ => plain(text),
        }
    })?;
    if let Some(before @ PasswordSource::Command(_)) = before
        && answer == known
    {
        // A word that contains a space stays one word.
        return Ok(before.clone());
    }
    Ok(match answer.strip_prefix('$') {
        Some(name) => PasswordSource::Env(name.to_owned()),
        None => PasswordSource::Command(answer.split_whitespace().map(str::to_owned).collect()),
    })
}

/// Asks how letters are received.
fn incoming(asker: &mut Asker, found: &Found, wanted: &mut Settings) -> Result<(), Failure> {
    let mut ways: Vec<(String, &'static str)> = Vec::new();
    let sources = wanted.sources();
    if !sources.is_empty() {
        let named: Vec<_> = sources
            .iter()
            .map(|source| match source {
                Source::Imap => {
                    wanted.imap.as_ref().map_or_else(String::new, |imap| format!("the mailbox on {}", imap.host))
                }
                Source::Git => "the repository of your games".to_owned(),
                Source::Path(path) => name(path),
            })
            .collect();
        ways.push((format!("from {}, as it is set", named.join(", ")), "keep"));
    } else if wanted.folders.settings_file().exists() {
        ways.push(("as it is set: I save each as a file".to_owned(), "keep"));
    }
    for path in &found.mailboxes {
        ways.push((format!("they are in {}, which `postrider play` then reads", path.display()), "mailbox"));
    }
    if found::is_in_repository(&wanted.games_folder()) || matches!(wanted.mail, MailSettings::Git(_)) {
        ways.push(("from the git repository that your games are in".to_owned(), "git"));
    }
    if let Some(mutt) = &found.mutt {
        ways.push((
            format!("I read them with {mutt}, and pipe them into `postrider receive` (examples/mail-setup/mutt.rc)"),
            "mutt",
        ));
    }
    let server = match &found.imap {
        Some(server) => format!("from a mail server, such as {}, which Thunderbird uses", server.host),
        None => "from a mail server (IMAP), which is only read".to_owned(),
    };
    ways.push((server, "imap"));
    ways.push(("from another Maildir or mbox file".into(), "path"));
    ways.push(("I save each as a file: `postrider receive letter.eml`".into(), "files"));
    match asker.choice(IN, &ways)? {
        "keep" => return Ok(()),
        "imap" => {
            wanted.imap = Some(imap(asker, found, wanted)?);
            wanted.receive = vec![Source::Imap];
        }
        "git" => wanted.receive = vec![Source::Git],
        "mailbox" => wanted.receive = found.mailboxes.iter().cloned().map(Source::Path).collect(),
        "path" => {
            let path = asker.text(IN_PATH, None, &|text| {
                if absolute(text).exists() { plain(text) } else { Err(format!("{text} is not there")) }
            })?;
            wanted.receive = vec![Source::Path(absolute(&path))];
        }
        _ => (wanted.imap, wanted.receive) = (None, Vec::new()),
    }
    if !wanted.receive.contains(&Source::Imap) {
        wanted.imap = None;
    }
    Ok(())
}

fn imap(asker: &mut Asker, found: &Found, wanted: &Settings) -> Result<ImapSettings, Failure> {
    let before = wanted.imap.clone();
    let guess = Server::of(
        before.as_ref().map(|imap| (imap.host.as_str(), imap.port, imap.tls, Some(imap.login.user.as_str()))),
        found.imap.as_ref(),
        guessed(wanted, |provider| provider.imap, ("imap", Tls::Implicit)),
    );
    if !matches!(wanted.mail, MailSettings::Smtp(_)) {
        asks(asker, wanted)?;
    }
    let (host, tls, port) = server(asker, MAILBOX_AT, &guess, Tls::imap_port)?;
    let user = guess.user.clone().or_else(|| wanted.email.clone());
    let user = asker.text(USER, user.as_deref(), &plain)?;
    // Usually it is the same password as for the other server.
    let known = before.as_ref().map(|imap| imap.login.password.clone()).or_else(|| match &wanted.mail {
        MailSettings::Smtp(smtp) => smtp.login.as_ref().map(|login| login.password.clone()),
        _ => None,
    });
    let login = Login { user, password: password(asker, known.as_ref(), "POSTRIDER_PASSWORD")? };
    let mailbox = before.as_ref().map_or("INBOX", |imap| imap.mailbox.as_str());
    let mailbox = asker.text(MAILBOX, Some(mailbox), &plain)?;
    let (ca, timeout, days) =
        before.map_or((None, Duration::from_secs(60), 60), |imap| (imap.ca, imap.timeout, imap.days));
    Ok(ImapSettings { host, port, tls, login, ca, timeout, mailbox, days })
}
