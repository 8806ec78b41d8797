//! Making files of the records in an archive. Its paths were chosen by its maker, who may be a stranger.

#![expect(
    clippy::disallowed_methods,
    reason = "a path in the archive may lead through a link that stands in the folder"
)]

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::held::id;
use super::lines::Line;
use super::paths::{os_string, path_bytes};
use super::sources::{self, Next};
use super::stream::each_line;
use postrider_disk::disk::FileError;
use postrider_disk::files::NewFiles;
use postrider_referee::record::{RECORD_LIMIT, is_file_name};

/// What is told while records are unpacked.
#[derive(Debug)]
pub enum UnpackEvent<'a> {
    /// A record was read, whatever became of it.
    Read,
    /// It may take a while until more comes.
    Rests,
    /// A path in the archive, where nothing is to be written.
    Path(&'a Path),
    /// A file was written.
    Written(&'a Path),
    /// The path does not lie inside the folder, and is refused.
    LeadsOut(&'a Path),
    /// A file cannot be written, and why.
    Failed(&'a Path, io::Error),
    /// A line cannot be read, and why.
    Unread(String),
    /// Something is missing in the archive.
    Missing(String),
    /// Another file is at this path, and stays as it is.
    Another(&'a Path),
}

/// Takes what is told, and may end the work.
pub type Tell<'a, E> = dyn FnMut(UnpackEvent<'_>) -> Result<(), E> + 'a;

/// Unpacks an archive into a folder, or only tells its paths without one. What is there already is never replaced, but by a newer version
/// of a game that this run has written. Returns how the files were finished.
///
/// # Errors
/// If the archive cannot be read, or the work was ended.
pub fn unpack<E: From<io::Error>>(
    archive: &Path,
    folder: Option<&Path>,
    tell: &mut Tell<'_, E>,
) -> Result<Result<(), FileError>, E> {
    let mut unpacking = Unpacking { folder, files: NewFiles::default(), own: HashSet::new(), others: BTreeSet::new() };
    let done = unpacking.all(archive, tell);
    // What is there is made to last even if there was trouble with the rest.
    let flushed = unpacking.files.finish();
    for path in &unpacking.others {
        tell(UnpackEvent::Another(path))?;
    }
    done.map(|()| flushed)
}

/// Files that are made of an archive.
struct Unpacking<'a> {
    folder: Option<&'a Path>,
    files: NewFiles,
    /// The digests of the paths of files that this run has written: a newer version of the same game may replace them.
    own: HashSet<[u8; 32]>,
    /// Where something else was before. A later version in the archive may turn out to be just that.
    others: BTreeSet<PathBuf>,
}

enum Put {
    Written,
    Same,
    Another,
    LeadsOut,
}

impl Unpacking<'_> {
    fn all<E: From<io::Error>>(&mut self, archive: &Path, tell: &mut Tell<'_, E>) -> Result<(), E> {
        let mut source = sources::open(archive)?;
        let only_paths = self.folder.is_none();
        // Read on all processors, and written in their order: of several versions of a game the last one stays.
        let read = |line: Result<&[u8], String>| {
            let line = line.and_then(Line::read)?;
            Ok((line.path_bytes().to_vec(), if only_paths { Vec::new() } else { line.record.into_owned() }))
        };
        while let Some(next) = sources::next(&mut source) {
            match next {
                Next::Missing(what) => tell(UnpackEvent::Missing(what))?,
                Next::Chunk(chunk) => {
                    let done = each_line(&chunk, read, |line| {
                        self.one(line, tell)?;
                        tell(UnpackEvent::Read)
                    });
                    tell(UnpackEvent::Rests)?;
                    done?;
                }
            }
        }
        Ok(())
    }

    /// Makes a file of a line.
    fn one<E>(&mut self, line: Result<(Vec<u8>, Vec<u8>), String>, tell: &mut Tell<'_, E>) -> Result<(), E> {
        let (path, record) = match line {
            Ok(line) => line,
            Err(why) => return tell(UnpackEvent::Unread(why)),
        };
        let path = os_string(path);
        let path = Path::new(&path);
        let Some(folder) = self.folder else { return tell(UnpackEvent::Path(path)) };
        let at = folder.join(path);
        match self.put(folder, path, &record) {
            Ok(Put::Written) => {
                self.others.remove(&at);
                tell(UnpackEvent::Written(&at))
            }
            Ok(Put::Same) => {
                self.others.remove(&at);
                Ok(())
            }
            Ok(Put::Another) => {
                self.others.insert(at);
                Ok(())
            }
            Ok(Put::LeadsOut) => tell(UnpackEvent::LeadsOut(path)),
            Err(error) => tell(UnpackEvent::Failed(&at, error)),
        }
    }

    /// Places a record below the folder: only plain names are followed, no links, and no file is overwritten that was there before.
    fn put(&mut self, folder: &Path, path: &Path, record: &[u8]) -> io::Result<Put> {
        // `./game.pbem` is `game.pbem`.
        let parts: Vec<Component<'_>> = path.components().filter(|part| *part != Component::CurDir).collect();
        let plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
        let nul = path_bytes(path).contains(&0);
        let named = is_file_name(path.as_os_str().as_encoded_bytes());
        let Some((last, folders)) = parts.split_last().filter(|_| plain && !nul && named) else {
            return Ok(Put::LeadsOut);
        };
        postrider_disk::files::folder(folder)?;
        let mut at = folder.to_owned();
        for part in folders {
            at.push(part);
            if !postrider_disk::files::new_folder(&at)? && !fs::symlink_metadata(&at)?.is_dir() {
                return Ok(Put::LeadsOut);
            }
        }
        at.push(last);
        let digest = Sha256::digest(path_bytes(&at)).into();
        if let Ok(there) = fs::symlink_metadata(&at) {
            let file = if there.is_file() && there.len() <= RECORD_LIMIT as u64 { Some(fs::read(&at)?) } else { None };
            return match file {
                Some(file) if file == record => Ok(Put::Same),
                Some(file) if self.own.contains(&digest) && id(&file).is_some_and(|game| id(record) == Some(game)) => {
                    written(self.files.put(&at, record))
                }
                _ => Ok(Put::Another),
            };
        }
        let put = written(self.files.create(&at, record))?;
        if matches!(put, Put::Written) {
            self.own.insert(digest);
        }
        Ok(put)
    }
}

fn written(done: Result<(), FileError>) -> io::Result<Put> {
    match done {
        Ok(()) => Ok(Put::Written),
        Err(FileError::Exists { .. }) => Ok(Put::Another),
        Err(FileError::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}
