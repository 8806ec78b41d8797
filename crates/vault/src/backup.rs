//! One copy of all that the program keeps for a player: settings, keys, trust, secrets, the journals of what was signed, what was known,
//! conditions, notes, and the records in the folder of games. It is one text under a passphrase, in the container that backups of
//! secrets have too. Restoring overwrites nothing but what the copy continues.

pub mod due;
pub mod folder;
pub mod packed;
pub mod restored;
pub mod restoring;

use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::locked::{LockFault, lock_lines, open_lines};
use postrider_disk::disk::{Disk, FileError, FolderMode, Kind, Mode, Step};
use postrider_disk::folders::Folders;
use postrider_disk::found::records_in;
use postrider_disk::random::Random;
use postrider_referee::record::{is_file_name, is_game_id};

/// The first words of the text.
const HEAD: &str = "# postrider backup 1 ";
/// The first words of the text in which one game is handed over.
const HEAD_OF_GAME: &str = "# postrider game 1 ";
/// What the names of backups begin with that are made by themselves. They are not copied into others.
const BY_ITSELF: &str = "postrider-auto-";
/// The file with the digits that tell this home's backups from those of others. They are of this place, and no copy has them.
const MARK: &str = "backup-mark";
/// The note that a backup is due: it too is of this place.
const DUE: &str = "backup-due";
/// The most that is copied or restored, in bytes.
const MOST: u64 = 1 << 30;
/// The length of the lines of base64.
const LINE: usize = 76;

/// Whether this opened text is, or was meant to be, a copy of a home.
#[must_use]
pub fn is_home_copy(text: &str) -> bool {
    text.starts_with(HEAD) || text.starts_with(HEAD_OF_GAME)
}

/// A copied file.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Where it belongs: `settings.yaml`, or below `data/` or `games/`, with slashes.
    pub path: String,
    /// What it contains.
    pub bytes: Zeroizing<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct HomeCopy {
    /// When it was taken, as in `2026-11-21T12:00:00Z`.
    pub taken: String,
    /// Its files, by path.
    pub files: Vec<Copied>,
    /// Whether it is one game that is handed over, and not a copy of a home.
    pub is_game: bool,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    /// It was not locked or opened.
    #[error(transparent)]
    Lock(LockFault),
    /// It is not such a copy, but something else that was locked.
    #[error("it is no backup of games and keys")]
    Other,
    /// It is damaged or incomplete, or of a newer version.
    #[error("the backup is damaged or incomplete, or was made by a newer version")]
    Damaged,
    /// It is larger than a gibibyte.
    #[error("the backup is larger than a gibibyte")]
    TooLarge,
    /// A file or folder could not be read.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// A key or a secret of this place is another than that of the copy.
    #[error("nothing was restored: {} is here already, and is another than the one in the backup", file_name(.0))]
    There(PathBuf),
}

/// The name of a file, without its folders.
fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What becomes of a file of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// There is none: it is created.
    New,
    /// The one that is here is a beginning of it, and is replaced.
    Continued,
    /// The one that is here is the same, or continues it.
    Here,
    /// The one that is here is another, and stays.
    Differs,
}

/// A file of a copy, where it belongs here, and what becomes of it.
#[derive(Debug)]
struct Planned<'a> {
    file: &'a Copied,
    /// Where it belongs.
    to: PathBuf,
    /// What becomes of it.
    fate: Fate,
}

impl HomeCopy {
    /// Copies what is in these folders, and the records in `games`. Files that can be made again are left out: the
    /// outbox, the index of games, locks and what was being written. `taken` is the time.
    ///
    /// # Errors
    /// If something cannot be read, or it is too much.
    pub fn of(folders: &Folders, games: &Path, taken: String) -> Result<Self, BackupFault> {
        let mut files = Vec::new();
        let mut size = 0;
        let mut add = |path: String, from: &Path| {
            let io = |error| BackupFault::Io(from.to_owned(), error);
            let file = folders.disk.open(from).map_err(io)?;
            let length = file.about().map_err(io)?.length;
            size += length;
            if size > MOST {
                return Err(BackupFault::TooLarge);
            }
            let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 1));
            file.take(MOST).read_to_end(&mut bytes).map_err(io)?;
            files.push(Copied { path, bytes });
            Ok(())
        };
        if folders.disk.about(&folders.settings_file()).is_ok_and(|about| about.kind == Kind::File) {
            add("settings.yaml".to_owned(), &folders.settings_file())?;
        }
        // What stands in the list of restored games is said anew when this copy is restored.
        let out = [
            folders.outbox(),
            folders.shelf(),
            folders.restored(),
            folders.data.join(MARK),
            folders.data.join(DUE),
            games.to_owned(),
        ];
        for (below, path) in kept(&folders.disk, &folders.data, &out)? {
            // It may be taken back after the copy is made, and would lose somebody a game.
            if path.starts_with(folders.announced()) {
                continue;
            }
            add(format!("data/{below}"), &path)?;
        }
        let unread = |(path, error)| BackupFault::Io(path, error);
        for path in records_in(&folders.disk, games).map_err(unread)? {
            // What the program keeps is not a game of the folder, even if the folder is around it.
            if path.starts_with(&folders.data) && !games.starts_with(&folders.data) {
                continue;
            }
            if let Some(below) = path.strip_prefix(games).ok().and_then(slashed) {
                add(format!("games/{below}"), &path)?;
            }
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files.dedup_by(|one, other| one.path == other.path);
        Ok(Self { taken, files, is_game: false })
    }

    /// Returns the copy as a text that opens only with the passphrase. It is opened again to make sure that it can be.
    ///
    /// # Errors
    /// [`LockFault::NotLocked`].
    pub fn locked(&self, passphrase: &str, random: Random<'_>) -> Result<Zeroizing<String>, BackupFault> {
        let not = |_| BackupFault::Lock(LockFault::NotLocked);
        let mut plain = Zeroizing::new(Vec::new());
        for file in &self.files {
            plain.extend_from_slice(format!("{} {}\n", file.path, file.bytes.len()).as_bytes());
            plain.extend_from_slice(&file.bytes);
            plain.push(b'\n');
        }
        let sum = HEXLOWER.encode(&Sha256::digest(&plain[..]));
        let head = if self.is_game { HEAD_OF_GAME } else { HEAD };
        let mut text = Zeroizing::new(format!("{head}{} {} {sum}\n", self.taken, plain.len()));
        let small = Zeroizing::new(packed::pack(&plain).map_err(|_| BackupFault::TooLarge)?);
        let coded = Zeroizing::new(BASE64.encode(&small));
        for line in coded.as_bytes().chunks(LINE) {
            text.push_str(std::str::from_utf8(line).unwrap_or_default());
            text.push('\n');
        }
        let locked = lock_lines(&text, passphrase, random).map_err(not)?;
        match Self::open(&locked, passphrase) {
            Ok(there) if there.files.len() == self.files.len() => Ok(locked),
            _ => Err(BackupFault::Lock(LockFault::NotLocked)),
        }
    }

    /// Opens what [`HomeCopy::locked`] returned.
    ///
    /// # Errors
    /// If the passphrase is wrong, or it is not as it was written.
    pub fn open(text: &str, passphrase: &str) -> Result<Self, BackupFault> {
        let text = open_lines(text, passphrase).map_err(BackupFault::Lock)?;
        let (first, coded) = text.split_once('\n').ok_or(BackupFault::Other)?;
        let of_game = first.strip_prefix(HEAD_OF_GAME);
        let mut words = of_game.or_else(|| first.strip_prefix(HEAD)).ok_or(BackupFault::Other)?.split(' ');
        let (Some(taken), Some(size), Some(sum), None) = (
            words.next().filter(|taken| !taken.is_empty() && taken.bytes().all(|byte| byte.is_ascii_graphic())),
            words.next().and_then(|size| size.parse::<u64>().ok()),
            words.next(),
            words.next(),
        ) else {
            return Err(BackupFault::Damaged);
        };
        if size > MOST {
            return Err(BackupFault::TooLarge);
        }
        let coded = Zeroizing::new(coded.replace('\n', ""));
        let small = Zeroizing::new(BASE64.decode(coded.as_bytes()).map_err(|_| BackupFault::Damaged)?);
        let plain = Zeroizing::new(packed::unpack(&small, size.saturating_add(1)).map_err(|_| BackupFault::Damaged)?);
        // A container that was left out takes its part of the text with it.
        if plain.len() as u64 != size || HEXLOWER.encode(&Sha256::digest(&plain[..])) != sum {
            return Err(BackupFault::Damaged);
        }
        let mut files = Vec::new();
        let mut rest = &plain[..];
        while !rest.is_empty() {
            let (file, after) = next(rest).ok_or(BackupFault::Damaged)?;
            files.push(file);
            rest = after;
        }
        Ok(Self { taken: taken.to_owned(), files, is_game: of_game.is_some() })
    }

    #[must_use]
    pub fn settings(&self) -> Option<&[u8]> {
        self.files.iter().find(|file| file.path == "settings.yaml").map(|file| file.bytes.as_slice())
    }

    /// Puts other settings in the place of those in it.
    pub fn set_settings(&mut self, bytes: Vec<u8>) {
        if let Some(file) = self.files.iter_mut().find(|file| file.path == "settings.yaml") {
            file.bytes = Zeroizing::new(bytes);
        }
    }

    /// Says what becomes of each file in these folders, with the records in `games`. Fails if a file that is here cannot be read.
    fn planned<'a>(&'a self, folders: &Folders, games: &Path) -> Result<Vec<Planned<'a>>, BackupFault> {
        let plan = |file: &'a Copied| {
            let to = match file.path.split_once('/') {
                None => folders.settings_file(),
                Some(("data", below)) => folders.data.join(below),
                Some((_, below)) => games.join(below),
            };
            let here = match whole(&folders.disk, &to) {
                Ok(here) => Some(here),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(BackupFault::Io(to, error)),
            };
            let fate = match here {
                None => Fate::New,
                Some(here) if here == file.bytes => Fate::Here,
                Some(here) if grows(&file.path) && here.starts_with(&file.bytes) => Fate::Here,
                Some(here) if grows(&file.path) && file.bytes.starts_with(&here) => Fate::Continued,
                Some(_) => Fate::Differs,
            };
            Ok(Planned { file, to, fate })
        };
        self.files.iter().map(plan).collect()
    }
}

impl Planned<'_> {
    /// Returns the id of the game that the file is of, if it is of one in which entries are made.
    fn game(&self) -> Option<String> {
        let (folder, name) = self.file.path.rsplit_once('/')?;
        let id = match folder {
            "data/signed" | "data/secrets" | "data/known" => name.split('.').next()?.to_owned(),
            _ if folder == "games" || folder.starts_with("games/") => {
                let text = String::from_utf8_lossy(&self.file.bytes);
                let line = text.lines().take(1000).find_map(|line| line.strip_prefix("id:"))?;
                line.trim().trim_matches(['"', '\'']).to_owned()
            }
            _ => return None,
        };
        is_game_id(&id).then_some(id)
    }

    /// Writes the file, if it is to be written.
    ///
    /// # Errors
    /// The errors of the system, and if the file has changed since.
    fn restore(&self, disk: &Disk) -> Result<(), FileError> {
        let shared = self.file.path.starts_with("games/");
        match self.fate {
            Fate::Here | Fate::Differs => Ok(()),
            Fate::New => {
                if let Some(folder) = self.to.parent() {
                    let mode = if shared { FolderMode::Shared } else { FolderMode::Private };
                    disk.folder(folder, mode).map_err(|source| FileError::Io {
                        step: Step::Create,
                        path: folder.to_owned(),
                        source,
                    })?;
                }
                match self.file.path.as_str() {
                    // Nobody sweeps the folder of the settings but who writes them.
                    "settings.yaml" => disk.put_private(&self.to, &self.file.bytes),
                    _ if shared => disk.create(&self.to, &self.file.bytes, Mode::Umask),
                    _ => disk.create_private(&self.to, &self.file.bytes),
                }
            }
            Fate::Continued => {
                let mut lock = disk.lock(&self.to)?;
                let here = lock.read()?;
                if self.file.bytes.starts_with(&here) { lock.replace(&here, &self.file.bytes) } else { Ok(()) }
            }
        }
    }
}

/// Whether a file of this path only ever gets longer.
fn grows(path: &str) -> bool {
    path.starts_with("data/signed/") || path.starts_with("games/") || path.ends_with(".known")
}

/// Reads a file of a copy, and returns what is behind it.
fn next(bytes: &[u8]) -> Option<(Copied, &[u8])> {
    let end = bytes.iter().take(4096).position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let (path, length) = line.rsplit_once(' ')?;
    let length: usize = length.parse().ok()?;
    let body = bytes.get(end + 1..)?;
    let (content, after) = (body.get(..length)?, body.get(length..)?);
    let after = after.strip_prefix(b"\n")?;
    is_ours(path).then(|| (Copied { path: path.to_owned(), bytes: Zeroizing::new(content.to_vec()) }, after))
}

/// Whether a path leads to a place that is the program's own: nobody else's file is ever written.
fn is_ours(path: &str) -> bool {
    if path == "settings.yaml" {
        return true;
    }
    let Some((root, below)) = path.split_once('/') else { return false };
    if root == "data" && (below == MARK || below == DUE) {
        return false;
    }
    let plain = !below.contains(['\\', ':', '\0']) && !below.chars().any(char::is_control);
    let inside = Path::new(below).components().all(|part| matches!(part, Component::Normal(_)));
    let named = below.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    let record = root == "data" || is_file_name(below.rsplit('/').next().unwrap_or_default().as_bytes());
    matches!(root, "data" | "games") && plain && inside && named && record
}

/// The files below a folder that are copied, each with its path below it, except those in the folders and files left out.
fn kept(disk: &Disk, folder: &Path, out: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, BackupFault> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        let listed = disk.list_if_there(&at).map_err(|error| BackupFault::Io(at.clone(), error))?;
        for one in listed {
            let path = at.join(&one.name);
            let kind = one.kind.map_err(|error| BackupFault::Io(path.clone(), error))?;
            let name = one.name.as_encoded_bytes();
            let hidden = name.starts_with(b".") || name.starts_with(BY_ITSELF.as_bytes());
            if hidden || out.contains(&path) {
                continue;
            }
            if kind == Kind::Folder {
                folders.push(path);
            } else if let Some(below) = path.strip_prefix(folder).ok().and_then(slashed).filter(|_| kind == Kind::File)
            {
                found.push((below, path));
            }
        }
    }
    Ok(found)
}

/// A path with slashes, if it is one that is restored.
fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|below| is_ours(&format!("data/{below}")))
}

/// Reads a file, with room for it from the start: no copy of a secret is left behind in memory.
///
/// # Errors
/// If the system refuses.
pub fn whole(disk: &Disk, path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut file = disk.open(path)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(file.about()?.length as usize + 1));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a backup, whatever is in it.
///
/// # Errors
/// If it cannot be read, is too large, or is no text.
pub fn read_backup(disk: &Disk, path: &Path) -> Result<Zeroizing<String>, BackupFault> {
    let io = |error| BackupFault::Io(path.to_owned(), error);
    let mut text = Zeroizing::new(String::new());
    let file = disk.open(path).map_err(io)?;
    let read = file.take(2 * MOST).read_to_string(&mut text).map_err(io)?;
    if read as u64 >= 2 * MOST { Err(BackupFault::TooLarge) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::restoring::Restoring;
    use super::*;
    use postrider_disk::random::random;
    use postrider_disk::testing::homes;
    use std::collections::BTreeSet;

    fn copy() -> HomeCopy {
        let file = |path: &str, bytes: &[u8]| Copied { path: path.into(), bytes: Zeroizing::new(bytes.to_vec()) };
        HomeCopy {
            taken: "2026-11-21T12:00:00Z".into(),
            files: vec![
                file("data/signed/asalto-one.besiegers", b"1 abc place\n2 def x\n"),
                file("games/club/asalto-one.pbem", b"---\nid: asalto-one\n---\n1\n"),
                file("settings.yaml", b"email: ada@example.org\n"),
            ],
            is_game: false,
        }
    }

    #[test]
    fn a_copy_opens_with_its_passphrase_as_it_was() {
        let text = copy().locked("a phrase", &random).expect("locked");
        assert!(!text.contains("ada@") && matches!(HomeCopy::open(&text, "another"), Err(BackupFault::Lock(_))));
        let open = HomeCopy::open(&text, "a phrase").expect("a copy");
        assert_eq!(open.taken, copy().taken);
        let files =
            |copy: &HomeCopy| -> Vec<_> { copy.files.iter().map(|f| (f.path.clone(), f.bytes.to_vec())).collect() };
        assert_eq!(files(&open), files(&copy()));
        assert!(!open.is_game);
        let game = HomeCopy { is_game: true, ..copy() }.locked("a phrase", &random).expect("locked");
        assert!(HomeCopy::open(&game, "a phrase").expect("a game").is_game);
        let secrets = lock_lines("# postrider secrets: …\n", "a phrase", &random).expect("locked");
        assert!(matches!(HomeCopy::open(&secrets, "a phrase"), Err(BackupFault::Other)));
    }

    #[test]
    fn a_copy_without_one_of_its_containers_is_not_restored_in_part() {
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(600_000)
        .collect();
        let mut large = copy();
        large.files.push(Copied { path: "data/known/noise".into(), bytes: Zeroizing::new(noise) });
        let text = large.locked("a phrase", &random).expect("locked");
        let end = "-----END OPENSSH PRIVATE KEY-----\n";
        let first = text.find(end).expect("a container") + end.len();
        assert!(first < text.len(), "it takes two");
        for part in [&text[..first], &text[first..]] {
            assert!(HomeCopy::open(part, "a phrase").is_err());
        }
        assert!(HomeCopy::open(&text, "a phrase").is_ok());
    }

    #[test]
    fn nothing_is_restored_outside_the_home_and_the_games() {
        for path in [
            "data/../x",
            "../x",
            "/etc/x",
            "data//x",
            "data/.x",
            "games/x.sh",
            "x",
            "data/a\\b",
            "games/a/../b.pbem",
            "data/",
            "data/backup-mark",
            "data/backup-due",
        ] {
            assert!(!is_ours(path), "{path}");
        }
        for path in ["settings.yaml", "data/keys/own.pem", "data/received", "games/a/b c.pbem"] {
            assert!(is_ours(path), "{path}");
        }
        assert!(next(b"data/../x 1\na\n").is_none() && next(b"data/x 9\na\n").is_none());
        assert!(next(b"data/x 1\na\n").is_some());
    }

    #[test]
    fn restoring_overwrites_only_what_the_copy_continues() {
        for (_home, folders) in homes() {
            let games = folders.config.join("games");
            let copy = copy();
            let fates = || -> Vec<Fate> {
                copy.planned(&folders, &games).expect("a plan").iter().map(|one| one.fate).collect()
            };
            assert_eq!(fates(), [Fate::New; 3]);
            let restoring = Restoring::of(&copy, &folders, &games).expect("a plan");
            assert_eq!(restoring.doubtful, BTreeSet::from(["asalto-one".to_owned()]));
            restoring.write().expect("restored");
            assert_eq!(fates(), [Fate::Here; 3]);
            let journal = folders.signed().join("asalto-one.besiegers");
            for (text, fate) in [
                ("1 abc place\n", Fate::Continued),
                ("1 abc place\n2 def x\n3 a b\n", Fate::Here),
                ("1 x\n", Fate::Differs),
            ] {
                folders.disk.put_private(&journal, text.as_bytes()).expect("a file");
                assert_eq!(fates()[0], fate, "{text}");
                copy.planned(&folders, &games).expect("a plan")[0].restore(&folders.disk).expect("restored");
                let there = folders.disk.read_record(&journal).expect("a file");
                assert_eq!(there, if fate == Fate::Continued { "1 abc place\n2 def x\n" } else { text }.as_bytes());
            }
            assert!(folders.disk.has(&folders.settings_file()).expect("told"));
        }
    }
}
