//! `postrider host setup`: writes the settings of a host, makes its key and secret, and prints how mail gets to it.

use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::out::print;
use postrider_disk::files::{private_folder, put_private, read_record};
use postrider_disk::folders::Folders;
use postrider_host::Host;
use postrider_mail::address::parse_address;
use postrider_settings::Settings;

/// Make this home a host's: ask, write the settings, make its secret, and print how mail gets to it
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/host-setup.txt"))]
pub(super) struct Args {
    /// Ask nothing
    #[arg(long)]
    yes: bool,
    /// The name that letters come from
    #[arg(long)]
    name: Option<String>,
    /// The address that people write to
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Write letters into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sendmail", "smtp"])]
    outbox: Option<PathBuf>,
    /// Hand letters to the sendmail of this machine
    #[arg(long, conflicts_with = "smtp")]
    sendmail: bool,
    /// Send letters to this mail server, without a login
    #[arg(long, value_name = "HOST")]
    smtp: Option<String>,
    /// The port of that server
    #[arg(long, requires = "smtp")]
    port: Option<u16>,
    /// How the connection to it is encrypted: starttls, implicit, none
    #[arg(long, requires = "smtp", value_parser = ["starttls", "implicit", "none"])]
    tls: Option<String>,
    /// A Maildir or an mbox with incoming letters; by default they come on standard input
    #[arg(long, value_name = "PATH")]
    inbox: Option<PathBuf>,
    /// The name under which your mail system vouches for senders (Authentication-Results)
    #[arg(long, value_name = "NAME")]
    authserv_id: Option<String>,
    /// The mail system does not deliver games+anything@ to games@: put tokens in subjects
    #[arg(long)]
    no_plus: bool,
    /// The default clock of a game, or `none`
    #[arg(long)]
    clock: Option<String>,
    /// Keep a copy of each sent letter in this folder, to read after a restore
    #[arg(long, value_name = "DIR")]
    copies: Option<PathBuf>,
    /// Make a new key and a new secret if the home has lost them; running games then cannot go on
    #[arg(long)]
    anew: bool,
}

/// Asks one question, with an answer for who just presses Enter.
fn ask(question: &str, usual: &str) -> Result<String, Failure> {
    let shown = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    print(format!("{question}{shown}: "))?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).map_err(|error| Failure::trouble(error.to_string()))?;
    if read == 0 {
        return Err(Failure::trouble("there is no answer on standard input")
            .hint("`--yes` with --name and --email asks nothing"));
    }
    let line = line.trim();
    Ok(if line.is_empty() { usual.to_owned() } else { line.to_owned() })
}

/// A text in double quotes, which are the same in YAML and JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// A path that means the same from everywhere.
fn whole(path: &std::path::Path) -> Result<String, Failure> {
    let path = std::path::absolute(path).map_err(|error| Failure::trouble(format!("{}: {error}", path.display())))?;
    Ok(quoted(&path.to_string_lossy()))
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let folders = Folders::find()?;
    let file = folders.settings_file();
    let needed = |what: &str, given: &Option<String>, usual: &str| match given {
        Some(given) => Ok(given.clone()),
        None if args.yes => Err(Failure::trouble(format!("with --yes, --{what} is needed"))),
        None => ask(&format!("{what} of the host"), usual),
    };
    let host_name = needed("name", &args.name, "Games by mail")?;
    let email = needed("email", &args.email, "")?;
    parse_address(&email)?;
    let mut outbox = args.outbox.clone();
    let mut sendmail = args.sendmail;
    if outbox.is_none() && !sendmail && args.smtp.is_none() {
        if args.yes {
            sendmail = true;
        } else {
            match ask("letters go out by: sendmail, or the path of a folder", "sendmail")?.as_str() {
                "sendmail" => sendmail = true,
                path => outbox = Some(path.into()),
            }
        }
    }
    let mut text = format!(
        "# A host: people play by writing to it. Written by `postrider host setup`; `postrider rules host` explains it.\nname: {}\nemail: {}\n",
        quoted(&host_name),
        quoted(&email)
    );
    text.push_str("\n# How letters are sent.\nmail:\n");
    match (&outbox, &args.smtp) {
        (Some(outbox), _) => text.push_str(&format!("  transport: file\n  outbox: {}\n", whole(outbox)?)),
        (None, Some(smtp)) => {
            text.push_str(&format!("  transport: smtp\n  host: {}\n", quoted(smtp)));
            if let Some(port) = args.port {
                text.push_str(&format!("  port: {port}\n"));
            }
            if let Some(tls) = &args.tls {
                text.push_str(&format!("  tls: {tls}\n"));
            }
        }
        (None, None) => text.push_str("  transport: sendmail\n"),
    }
    let _ = sendmail;
    if let Some(inbox) = &args.inbox {
        text.push_str(&format!("\n# Where letters come in.\nreceive:\n  - {}\n", whole(inbox)?));
    }
    if let Some(id) = &args.authserv_id {
        text.push_str(&format!("\n# Whose word on senders counts (RFC 8601).\nauthserv-id: {}\n", quoted(id)));
    }
    text.push_str("\nhost:\n  # Whether games+anything@ is delivered to games@; otherwise tokens stand in subjects.\n");
    text.push_str(&format!("  plus: {}\n", !args.no_plus));
    if let Some(clock) = &args.clock {
        text.push_str(&format!("  # The clock of a game for which none is asked.\n  clock: {}\n", quoted(clock)));
    }
    if let Some(copies) = &args.copies {
        text.push_str(&format!("  # Where a copy of each letter is kept.\n  copies: {}\n", whole(copies)?));
    }
    // What is written is what will be read.
    Settings::parse(text.as_bytes(), folders.clone())
        .map_err(|error| Failure::trouble(format!("these do not fit: {error}")))?;
    if !args.yes {
        print(format!("\n{text}\n"))?;
        if !io::stdin().is_terminal() || !ask("write these settings? yes or no", "yes")?.to_lowercase().starts_with('y')
        {
            errln!("nothing was written");
            return Ok(ExitCode::from(hints::REFUSED));
        }
    }
    if let Some(folder) = file.parent() {
        private_folder(folder).map_err(|error| Failure::writing_plain(folder, &error))?;
    }
    if let Some(old) = read_record(&file).ok().filter(|old| *old != text.as_bytes()) {
        put_private(&file.with_extension("yaml.old"), &old).map_err(|error| Failure::writing(&error))?;
    }
    // A home that has lost its key or its secret is not taken for a new one: what its settings say of them is looked at first.
    let marks = match Settings::load().is_ok() && file.exists() {
        true => Host::set_up(&*office()?, args.anew)?,
        false => {
            put_private(&file, text.as_bytes()).map_err(|error| Failure::writing(&error))?;
            crate::cli::home::leave();
            Host::set_up(&*office()?, args.anew)?
        }
    };
    text.push_str(&format!(
        "  # The key that signs here, and what shows whether the secret is the right one: a home that has lost them is known by these.\n  \
         key: {}\n  secret-check: {}\n",
        quoted(&marks.key),
        quoted(&marks.secret)
    ));
    put_private(&file, text.as_bytes()).map_err(|error| Failure::writing(&error))?;
    crate::cli::home::leave();
    Host::open(&*office()?)?;
    print(format!("{} written\n\n{}", name(&file), how_mail_comes(&email, args.inbox.is_some())))?;
    Ok(ExitCode::SUCCESS)
}

/// How mail gets to the host, and what runs beside it.
fn how_mail_comes(email: &str, inbox: bool) -> String {
    let local = email.split('@').next().unwrap_or_default();
    let reads = match inbox {
        true => "`postrider host receive` reads the mailbox that the settings name.".to_owned(),
        false => format!(
            "Mail for {email}, and for {local}+anything, is handed to `postrider host receive -` on standard input. In Postfix, a line in \
             /etc/aliases and `recipient_delimiter = +` in main.cf:\n\n    {local}: \"|postrider host receive -\"\n\n\
             In procmail:\n\n    :0 w\n    | postrider host receive -\n\n\
             In sieve, with Dovecot's plugin for programs:\n\n    pipe \"postrider-host\";"
        ),
    };
    format!(
        "{reads}\n\nEvery quarter of an hour, for clocks and letters that could not be sent:\n\n    postrider host receive --only-due\n\n\
         examples/host has these as files, with a systemd unit and timer.\n"
    )
}
