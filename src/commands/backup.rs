//! `postrider backup`, and the half of `postrider restore` that brings a backup back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::cli::hints::{Failure, TROUBLE, arg, name, shell};
use crate::cli::out::print;
use crate::cli::passphrase::{Lock, Unlock};
use crate::cli::{confirm, home, input, keys, passphrase};
use postrider_disk::disk::Disk;
use postrider_disk::folders::Folders;
use postrider_git::{Author, Repository};
use postrider_home::elsewhere::carried::{self, Doubts, Said};
use postrider_home::send::letters::Place;
use postrider_kernel::text::entries;
use postrider_settings::{ForeignSettings, Settings};
use postrider_vault::backup::due::Due;
use postrider_vault::backup::folder::{self, END, NoBackup, OwnBackups};
use postrider_vault::backup::restoring::Restoring;
use postrider_vault::backup::{BackupFault, Fate, HomeCopy};
use postrider_vault::locked::OwnKey;

/// Copy all you need to play on elsewhere into one locked file
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/backup.txt"))]
pub(crate) struct Args {
    /// A new file, or a folder
    to: PathBuf,
    /// Hand this game over to another machine: its record, or its id
    #[arg(long, value_name = "GAME")]
    pub(crate) hand_over: Option<PathBuf>,
    /// Nothing of this game was signed elsewhere, although it was handed over before, or came from a backup
    #[arg(long, requires = "hand_over")]
    only_here: bool,
    /// Take the passphrase from the first line that this program prints; by default from `passphrase-command` in the settings, or you
    /// are asked. The program is run without a shell, its arguments separated by spaces
    #[arg(long, value_name = "PROGRAM")]
    passphrase_from: Option<String>,
}

/// What a backup is called in a repository, where git keeps the older ones.
const NAME: &str = "postrider.backup";

impl From<BackupFault> for Failure {
    fn from(fault: BackupFault) -> Self {
        Failure::trouble(fault.to_string())
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(game) = &args.hand_over {
        return hand_over(game, &args.to, &Lock::by(args.passphrase_from.as_deref()), args.only_here);
    }
    let settings = Settings::load()?;
    let folders = &settings.folders;
    let now = input::now(None)?.to_string();
    let repository = args.to.is_dir().then(|| Repository::at(&args.to)).filter(|there| there.top().is_ok());
    let file = match &repository {
        Some(_) => args.to.join(NAME),
        None if args.to.is_dir() => args.to.join(format!("postrider-{}.{END}", now.replace(':', ""))),
        None if postrider_archive::sources::is_stdin(&args.to) => {
            return Err(Failure::trouble("a backup is not printed").hint("name a new file, or a folder"));
        }
        None => args.to.clone(),
    };
    if repository.is_none() && fs::symlink_metadata(&file).is_ok() {
        return Err(Failure::trouble(format!("{} exists, and is not overwritten", name(&file)))
            .hint("name a new file, or a folder: each backup in it is a file of its own"));
    }
    // What must not be used must not be copied as if it could.
    let own = keys::keyring()?.own()?;
    keys::keyring()?.trusted()?;
    let secrets = keys::store()?.all()?.len();
    let copy = HomeCopy::of(folders, &settings.games_folder(), now)?;
    if copy.files.is_empty() {
        return Err(Failure::trouble("there is nothing to copy: no settings, no keys and no games"));
    }
    let lock = Lock::by(args.passphrase_from.as_deref());
    let passphrase = lock.passphrase("the backup")?;
    let passphrase = passphrase.ok_or_else(|| Failure::trouble("a backup has a passphrase"))?;
    let text = copy.locked(&passphrase, &postrider_disk::random::random)?;
    match &repository {
        Some(there) => {
            postrider_disk::files::put_private(&file, text.as_bytes()).map_err(|error| Failure::writing(&error))?;
            let author = Author { name: "postrider", email: settings.email.as_deref().unwrap_or_default() };
            let what = format!("backup of {}\n", copy.taken);
            there.commit_file(NAME.as_ref(), &what, author)?;
        }
        None => {
            postrider_disk::files::create_private(&file, text.as_bytes()).map_err(|error| Failure::writing(&error))?
        }
    }
    let key = own.map(|own| format!("key {}, ", own.public().fingerprint())).unwrap_or_default();
    let count = copy.files.iter().filter(|file| file.path.starts_with("games/")).count();
    let committed = if repository.is_some() { " and committed; `git push` is yours" } else { "" };
    print(format!("{key}secrets: {secrets}, records: {count}, all in {}{committed}\n", name(&file)))?;
    errln!("it can only be opened with its passphrase: `postrider restore {}` brings everything back", shell(&file));
    Ok(ExitCode::SUCCESS)
}

/// Backs up, as the settings say, what this run has signed or sealed, or one before it that was killed. If that fails, the player is told; what
/// was entered stands.
pub(crate) fn by_itself() {
    let is_due = || Folders::find().is_ok_and(|folders| Due::new(&folders).read().is_some());
    let (signed, opened) = (home::take_signed(), home::take_opened());
    if (signed || opened && is_due())
        && let Err(failure) = backed_up()
    {
        err!("warning: no backup was made by itself: {failure}");
    }
}

fn backed_up() -> Result<(), Failure> {
    let office = home::office()?;
    let settings = office.settings()?;
    let due = Due::new(&settings.folders);
    // Before anything is copied: what is signed meanwhile is still due.
    let seen = due.read();
    let has_all = || match &seen {
        Some(seen) => due.done(seen).map_err(|error| Failure::writing(&error)),
        None => Ok(()),
    };
    let Some(backup) = &settings.backup else { return has_all() };
    let now = input::now(None)?.to_string();
    let copy = HomeCopy::of(&settings.folders, &settings.games_folder(), now)?;
    let text = copy.locked(&passphrase::from(&backup.command)?, &postrider_disk::random::random)?;
    let own = OwnBackups::of(&settings.folders, &backup.to, &postrider_disk::random::random)?;
    own.sweep();
    let written = own
        .write(&copy, &text)
        .map_err(|error| Failure::writing(&error))?
        .ok_or_else(|| Failure::trouble(format!("there are a hundred of this second in {}", name(&backup.to))))?;
    if let Err(failure) = has_all() {
        err!("warning: the backup {written} was made, and the next run makes it again: {failure}");
    }
    // Only once the new one is there.
    if let Err(failure) = pruned(&own, &backup.to, &written, usize::from(backup.keep)) {
        err!("warning: the backup {written} was made, but an older one was not removed: {failure}");
    }
    Ok(())
}

/// Removes the older ones of the backups that this home has made by itself.
fn pruned(own: &OwnBackups<'_>, folder: &Path, written: &str, keep: usize) -> Result<(), Failure> {
    let older = own.older(written, keep).map_err(|error| Failure::reading(folder, &error))?;
    if let Some(later) = &older.ahead {
        err!(
            "warning: {later} is named after a time that is still to come: it counts as the newest one until you remove it"
        );
    }
    own.remove(&older).map_err(|error| Failure::writing(&error))
}

/// Hands a game over: writes it into a file, from which another machine goes on.
fn hand_over(game: &Path, to: &Path, lock: &Lock, only_here: bool) -> Result<ExitCode, Failure> {
    let origin = name(game);
    let stem = game.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = if to.is_dir() { to.join(format!("{stem}.game")) } else { to.to_owned() };
    if postrider_archive::sources::is_stdin(to) {
        return Err(Failure::trouble("a game that is handed over is not printed").hint("name a new file, or a folder"));
    }
    if fs::symlink_metadata(&file).is_ok() {
        return Err(Failure::trouble(format!("{} exists, and is not overwritten", name(&file))).hint("name a new file"));
    }
    let passphrase = lock.passphrase("the game")?;
    let passphrase = passphrase.ok_or_else(|| Failure::trouble("a game that is handed over has a passphrase"))?;
    postrider_disk::no_core::no_core();
    let office = &*home::office()?;
    let (copy, before) =
        carried::hand_over(office, Place { file: game, name: &origin }, Doubts { only_here, unsure: false })?;
    let back = |failure: Failure| match before.back() {
        Ok(()) => failure,
        Err(trouble) => trouble.into(),
    };
    let text = copy.locked(&passphrase, &postrider_disk::random::random).map_err(|fault| back(fault.into()))?;
    match postrider_disk::files::create_private(&file, text.as_bytes()) {
        Err(error) if !error.was_written() => return Err(back(Failure::writing(&error))),
        done => done.map_err(|error| Failure::writing(&error))?,
    }
    office.note_signed();
    print(format!("{origin} is handed over: {}\n", name(&file)))?;
    errln!(
        "nothing of it is entered or signed here until it is taken back; on the other machine `postrider restore {}`, or “Restore” in the page, \
         takes it",
        shell(&file)
    );
    Ok(ExitCode::SUCCESS)
}

/// Whether this is a backup, or a folder with backups, and no record.
pub(crate) fn is_backup(path: &Path) -> bool {
    path.is_dir() || folder::is_backup(&Disk::real(), path)
}

/// The newest backup in a folder.
fn newest(folder: &Path) -> Result<PathBuf, Failure> {
    folder::newest(&Disk::real(), folder).map_err(|none| match none {
        NoBackup::Unreadable(error) => Failure::reading(folder, &error),
        NoBackup::Homes(count) => Failure::trouble(format!("{} has backups of {count} homes", name(folder)))
            .hint("name the file that is to be restored"),
        NoBackup::None => {
            Failure::trouble(format!("{} is a folder, not a record, and has no backup (*.{END})", name(folder)))
                .hint(format!("`postrider backup {}` makes one there", shell(folder)))
        }
    })
}

/// Takes out of a backup's settings what runs a program or leads out of the program's folders, unless the player takes it. Returns what
/// was left out.
fn leave_out(copy: &mut HomeCopy, folders: &Folders, here: bool) -> Result<Vec<String>, Failure> {
    let Some(foreign) = copy.settings().and_then(|bytes| ForeignSettings::of(bytes, folders)) else {
        return Ok(Vec::new());
    };
    let named = foreign.named();
    if here {
        // Those that are here stay. An earlier run may have left something out of them.
        let there =
            fs::read(folders.settings_file()).map_err(|error| Failure::reading(&folders.settings_file(), &error))?;
        if there == foreign.without() {
            copy.set_settings(there);
        }
        return Ok(Vec::new());
    }
    if confirm::can_ask() {
        errln!(
            "the settings in the backup run programs, or lead out of this program's folders:\n  {}",
            named.join("\n  ")
        );
        if confirm::asks("Take that too? Only if the backup is your own") {
            return Ok(Vec::new());
        }
    }
    copy.set_settings(foreign.without());
    Ok(named)
}

/// Brings back what a backup has.
pub(crate) fn restore(path: &Path, unlock: &Unlock, with_commands: bool, said: Said) -> Result<ExitCode, Failure> {
    let file = if path.is_dir() { newest(path)? } else { path.to_owned() };
    let origin = name(&file);
    postrider_disk::no_core::no_core();
    let text = postrider_vault::backup::read_backup(&Disk::real(), &file)?;
    if OwnKey::read(&text).is_ok() {
        return Err(Failure::trouble(format!("{origin} is a key alone, not a backup of everything"))
            .hint(format!("`postrider key import {}` restores it", arg(&origin))));
    }
    let opened =
        unlock.open(&format!("the backup {origin}"), |passphrase| match HomeCopy::open(&text, passphrase) {
            Err(BackupFault::Lock(fault)) => Err(fault),
            opened => Ok(opened),
        })?;
    let mut copy = match opened {
        Err(BackupFault::Other) => {
            return Err(Failure::trouble(format!("{origin} is a backup of secrets alone, not one of everything"))
                .hint(format!("`postrider secret import {}` restores it", arg(&origin))));
        }
        opened => opened?,
    };
    if copy.is_game {
        let came = carried::take(&*home::office()?, &copy, said)?;
        print(format!("{} is here with {}: {}\n", came.id, entries(came.entries), name(&came.file)))?;
        errln!(
            "it goes on here, and nowhere else; {} is of no more use, and has your key in it: delete it",
            shell(&file)
        );
        return Ok(ExitCode::SUCCESS);
    }
    let folders = Folders::find()?;
    let here = folders.settings_file().exists();
    if !with_commands {
        let left_out = leave_out(&mut copy, &folders, here)?;
        if !left_out.is_empty() {
            errln!(
                "left out of the settings, because a backup may be anybody's and this runs programs or leads out of this program's \
                 folders: {}; put it into {} yourself if it is yours (or restore into an empty home with `--with-commands`)",
                left_out.join(", "),
                name(&folders.settings_file())
            );
        }
    }
    let settings = match copy.settings().filter(|_| !here) {
        Some(bytes) => Settings::parse(bytes, folders.clone()),
        None => Settings::load(),
    };
    let games = settings?.games_folder();
    let restoring = Restoring::of(&copy, &folders, &games).map_err(|fault| match fault {
        BackupFault::There(_) => {
            Failure::from(fault).hint("`POSTRIDER_HOME=FOLDER postrider restore …` restores into a home of its own")
        }
        fault => fault.into(),
    })?;
    restoring.write().map_err(|error| {
        let failure = Failure::writing(&error);
        errln!("not everything was restored; the same command goes on where this one stopped");
        failure
    })?;
    let doubtful = &restoring.doubtful;
    print(format!(
        "the backup of {}: {} files restored, {} were here already; records are in {}\n",
        copy.taken,
        restoring.written(),
        restoring.count(Fate::Here),
        name(&games)
    ))?;
    if !doubtful.is_empty() {
        let plural = if doubtful.len() == 1 { "game" } else { "games" };
        errln!(
            "entries made since then are not in it: before you sign one in {} {plural}, bring the record up to date, say by \
             `postrider receive`; the first one asks whether you have made any elsewhere",
            doubtful.len()
        );
        if Settings::load().is_ok_and(|settings| settings.host.is_some()) {
            errln!(
                "this is the home of a host: both players of each game that is going on are asked whether they have anything newer, and until \
                 then nothing is entered in it; `postrider host restore` lists these games, and reads back what was sent since (--mail)"
            );
        }
    }
    // Notes of what was sent and received go their own way on each machine.
    let matters = |path: &str| {
        ["settings.yaml", "games/", "data/keys/", "data/signed/", "data/conditions/"]
            .iter()
            .any(|own| path.starts_with(own))
            || path.ends_with(".known")
    };
    let differing: Vec<_> = restoring.differing().filter(|(path, _)| matters(path)).collect();
    for (_, here) in &differing {
        errln!("warning: {} stays as it is here; the backup has another", name(here));
    }
    Ok(ExitCode::from(if differing.is_empty() { 0 } else { TROUBLE }))
}
