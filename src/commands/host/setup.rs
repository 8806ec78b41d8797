//! `postrider host setup`: writes the settings of a host, makes its key and secret, and prints how mail gets to it.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::out::print;
use postrider_disk::files::put_private;
use postrider_disk::folders::Folders;
use postrider_host::Host;
use postrider_mail::address::parse_address;
use postrider_settings::{
    FileSettings, MailSettings, OutboxFormat, SendmailSettings, Settings, SmtpSettings, Source, Tls, keep_old, yaml,
};

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

/// A path that means the same from everywhere.
fn whole(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::trouble(format!("{}: {error}", name(path))))
}

/// How letters go out: as the arguments say, as it was set, or as the player says.
fn outgoing(args: &Args, before: Option<&Settings>) -> Result<MailSettings, Failure> {
    if let Some(before) = before.filter(|_| args.smtp.is_none() && args.outbox.is_none() && !args.sendmail) {
        return Ok(before.mail.clone());
    }
    if let Some(server) = &args.smtp {
        let tls = args.tls.as_deref().and_then(Tls::named).unwrap_or_default();
        return Ok(MailSettings::Smtp(SmtpSettings::open(server.clone(), tls, args.port)));
    }
    let outbox = match &args.outbox {
        None if !args.sendmail && !args.yes => {
            let answer = ask("letters go out by: sendmail, or the path of a folder", "sendmail")?;
            Some(PathBuf::from(answer)).filter(|answer| answer != Path::new("sendmail"))
        }
        outbox => outbox.clone(),
    };
    Ok(match outbox {
        Some(outbox) => {
            let (outbox, format) = (whole(&outbox)?, OutboxFormat::Eml);
            MailSettings::File(FileSettings { outbox, format, open: false })
        }
        None => MailSettings::Sendmail(SendmailSettings { program: "sendmail".into(), arguments: Vec::new() }),
    })
}

/// The settings of a host as the arguments say, or the player. What neither says is as it was, if this was a host's home before.
fn wanted(args: &Args, folders: &Folders) -> Result<Settings, Failure> {
    let before = Settings::load_from(folders.clone()).ok().filter(|before| before.host.is_some());
    let needed = |what: &str, given: &Option<String>, usual: &str| match given {
        Some(given) => Ok(given.clone()),
        None if args.yes => Err(Failure::trouble(format!("with --yes, --{what} is needed"))),
        None => ask(&format!("{what} of the host"), usual),
    };
    let known = |of: fn(&Settings) -> &Option<String>| before.as_ref().and_then(|before| of(before).clone());
    let host_name = needed("name", &args.name, known(|before| &before.name).as_deref().unwrap_or("Games by mail"))?;
    let email = needed("email", &args.email, known(|before| &before.email).as_deref().unwrap_or_default())?;
    parse_address(&email)?;
    let mail = outgoing(args, before.as_ref())?;
    let mut wanted = match before {
        Some(before) => before,
        None => Settings::parse(b"", folders.clone())?,
    };
    (wanted.name, wanted.email, wanted.mail, wanted.hosts) = (Some(host_name), Some(email), mail, true);
    if let Some(inbox) = &args.inbox {
        wanted.receive = vec![Source::Path(whole(inbox)?)];
    }
    if let Some(id) = &args.authserv_id {
        (wanted.authserv_id, wanted.received_by) = (Some(id.clone()), Some(id.clone()));
    }
    let host = wanted.host.get_or_insert_default();
    host.plus &= !args.no_plus;
    if let Some(clock) = &args.clock {
        host.clock = Some(clock.clone()).filter(|clock| clock != "none");
    }
    if let Some(copies) = &args.copies {
        host.copies = Some(whole(copies)?);
    }
    Ok(wanted)
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let folders = Folders::find()?;
    let file = folders.settings_file();
    let mut wanted = wanted(args, &folders)?;
    let text = yaml(&wanted);
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
    keep_old(&folders, &text)?;
    // A home that has lost its key or its secret is not taken for a new one: what its settings say of them is looked at first.
    let marks = match Settings::load().is_ok() && file.exists() {
        true => Host::set_up(&*office()?, args.anew)?,
        false => {
            put_private(&file, text.as_bytes())?;
            crate::cli::home::leave();
            Host::set_up(&*office()?, args.anew)?
        }
    };
    if let Some(host) = &mut wanted.host {
        (host.key, host.secret) = (Some(marks.key), Some(marks.secret));
    }
    put_private(&file, yaml(&wanted).as_bytes())?;
    crate::cli::home::leave();
    Host::open(&*office()?)?;
    print(format!(
        "{} written\n\n{}",
        name(&file),
        how_mail_comes(wanted.email.as_deref().unwrap_or_default(), args.inbox.is_some())
    ))?;
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
