//! Turns a repository into one for games: attributes, drivers and hooks, all planned first and then all written.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{GitError, Repository};
use postrider_archive::paths::{os_string, path_bytes};
use postrider_disk::programs;

/// The line of attributes, and the lines that mark it as this program's.
const ATTRIBUTES: &str = "# postrider: game records (`postrider git setup --remove` removes this)\n\
                          *.pbem text eol=lf -whitespace diff=pbem merge=pbem\n";
/// A line that identifies a hook as this program's.
const MARK: &str = "# Written by `postrider git setup`; `postrider git setup --remove` removes it.";
/// What is appended to the name of a hook that was there before.
const BEFORE: &str = ".before-postrider";
/// The part of a hook that calls the one that was there before. Many of those ask for their own name, to call the script of that name
/// in some other folder, or for the folder in which they lie (husky, overcommit, `hooks.d`): a script for a shell is read with the name
/// that it had, any other program is called by a link of that name.
const EARLIER: &str = r#"# The hook that was there before is called under its own name, by which it may look for what it does.
earlier() {
    [ -x "$before" ] || return 0
    first=
    IFS= read -r first < "$before" || :
    case "$first " in
    '#!'*[/\ ]sh\ * | '#!'*[/\ ]bash\ * | '#!'*[/\ ]dash\ * | '#!'*[/\ ]ash\ * | '#!'*[/\ ]ksh\ *)
        (
            set -f
            export POSTRIDER_BEFORE="$before"
            exec ${first#??} -c 'export POSTRIDER_HOOK=$$; . "$POSTRIDER_BEFORE"' "$0" "$@"
        )
        ;;
    *)
        case $before in
        /* | [A-Za-z]:*) ;;
        *) before=$PWD/$before ;;
        esac
        links=$(mktemp -d 2>/dev/null) && ln -s "$before" "$links/NAME" 2>/dev/null || {
            "$before" "$@"
            return
        }
        code=0
        "$links/NAME" "$@" || code=$?
        rm -rf "$links"
        return $code
        ;;
    esac
}
# A copy that another program has set aside has nothing to do while this hook itself runs: each would call the other for ever.
case ${0##*/} in
NAME) ;;
*) [ "${POSTRIDER_RUNS-}" != NAME ] || exit 0 ;;
esac
export POSTRIDER_RUNS=NAME
# One that starts itself again by its name does not begin with this one.
case " $$ $PPID " in
*" ${POSTRIDER_HOOK-none} "*)
    earlier "$@"
    exit $?
    ;;
esac
"#;
/// Where git keeps the boards that it has drawn for `git diff`.
const BOARDS: &str = "refs/notes/textconv/pbem";
/// The heading of a hunk: the entry's number and side.
const HEADING: &str = "^([1-9][0-9]* [a-z]+) ";

/// How a repository for games is to be set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// This program, as hooks and drivers should call it.
    pub program: PathBuf,
    /// Whether `git diff` shows boards.
    pub boards: bool,
    /// Whether to remove everything instead.
    pub remove: bool,
}

/// What was planned, and whether it is already in place.
#[derive(Debug)]
pub struct Installed {
    /// Each part, in the order in which it is written.
    pub pieces: Vec<Piece>,
    /// The folder of the hooks, if `core.hooksPath` names one other than the repository's own.
    pub shared_hooks: Option<PathBuf>,
    /// What has another effect on records than what is written for them.
    pub overruled: Vec<Overruled>,
    /// The repository, if the boards that `git diff` has drawn are to be taken away.
    boards: Option<Repository>,
}

/// An attribute or a setting that does not have the effect that it should have, because something else says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overruled {
    /// The record that it concerns, as bytes from git; `None` for a setting.
    pub path: Option<Vec<u8>>,
    /// The name of the attribute or setting.
    pub name: String,
    /// The value that it should have.
    pub wanted: String,
    /// The value that it has.
    pub found: String,
}

/// One part of the setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is, in words.
    pub what: String,
    pub file: PathBuf,
    /// Whether it is the file of settings.
    is_config: bool,
    /// What to do to it; `None` if it is already as it should be.
    change: Option<Step>,
}

impl Piece {
    /// Returns whether it is as it should be.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.change.is_none()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Write { bytes: Vec<u8>, executable: bool },
    Rename { from: PathBuf },
    Delete,
}

/// Why a repository was not set up. Nothing has been changed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file cannot be read or written.
    #[error("{}: {}", postrider_kernel::text::printable(&.0.to_string_lossy()), .1)]
    File(PathBuf, io::Error),
}

impl Setup {
    /// Works out what has to be written, without writing it.
    ///
    /// # Errors
    /// If git or a file is in the way.
    pub fn plan(&self, repository: &Repository) -> Result<Installed, SetupError> {
        let place = Place::of(repository)?;
        let mut pieces = Vec::new();
        let overruled = if self.remove { Vec::new() } else { self.overruled(repository)? };
        if self.remove {
            // The drivers come first, because a hook does nothing without them.
            pieces.push(self.config(repository, &place)?);
            self.hooks(&place, &mut pieces)?;
            pieces.push(self.attributes(&place, false)?);
        } else {
            pieces.push(self.attributes(&place, overruled.iter().any(|one| one.path.is_some()))?);
            self.hooks(&place, &mut pieces)?;
            pieces.push(self.config(repository, &place)?);
        }
        let drawn = self.remove && repository.resolve(OsStr::new(BOARDS))?.is_some();
        let boards = drawn.then(|| repository.clone());
        Ok(Installed { pieces, shared_hooks: place.shared_hooks, overruled, boards })
    }

    /// Asks git which attributes records really have, and which settings are in force: lines further down, in other files and in
    /// other folders may say otherwise.
    ///
    /// # Errors
    /// The error from git.
    pub fn overruled(&self, repository: &Repository) -> Result<Vec<Overruled>, GitError> {
        let bare = repository.line(["rev-parse", "--is-bare-repository"])? == "true";
        let (at, mut paths) = if bare {
            (repository.clone(), Vec::new())
        } else {
            let top = Repository::at(PathBuf::from(repository.line(["rev-parse", "--show-toplevel"])?));
            let paths = top.output(["ls-files", "-z", "--", ":(glob)**/*.pbem"])?;
            (top, paths)
        };
        // And one that is not there yet.
        paths.extend_from_slice(b"game.pbem\0");
        let output = at.output_with(
            ["check-attr", "--stdin", "-z", "merge", "diff", "eol", "text", "filter", "working-tree-encoding", "ident"],
            &paths,
        )?;
        let mut words = output.split(|&byte| byte == 0).map(<[u8]>::to_vec);
        let mut overruled = Vec::new();
        while let (Some(path), Some(name), Some(found)) = (words.next(), words.next(), words.next()) {
            let wanted = match name.as_slice() {
                b"eol" => "lf",
                b"text" => "set",
                b"merge" | b"diff" => "pbem",
                // Those change the bytes on their way into the working tree or out of it.
                _ => "unspecified",
            };
            if found != wanted.as_bytes() && !(wanted == "unspecified" && found == b"unset") {
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                let (name, found) = (text(name), text(found));
                overruled.push(Overruled { path: Some(path), name, wanted: wanted.to_owned(), found });
            }
        }
        let driver = self.settings().into_iter().find(|(key, _)| *key == "merge.pbem.driver");
        if let Some((key, Some(wanted))) = driver
            && let Some(found) = repository.config(key)?
            && found.to_string_lossy() != wanted
        {
            let found = found.to_string_lossy().into_owned();
            overruled.push(Overruled { path: None, name: key.to_owned(), wanted, found });
        }
        Ok(overruled)
    }

    /// The lines of attributes; `last`: they have to be the last ones in their file.
    fn attributes(&self, place: &Place, last: bool) -> Result<Piece, SetupError> {
        let file = place.attributes.clone();
        let before = read(&file)?;
        let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default()).into_owned();
        let has = text.contains(ATTRIBUTES) && (!last || text.ends_with(ATTRIBUTES));
        let what =
            "attributes of *.pbem: text, LF, its own diff and merge drivers, no warnings of white space".to_owned();
        let change = match (self.remove, has) {
            (false, true) | (true, false) => None,
            (false, false) => {
                // The existing bytes, unchanged, with ours after them: in this file the last line wins.
                let mut bytes = without(&before.unwrap_or_default(), ATTRIBUTES.as_bytes());
                if !bytes.is_empty() && !bytes.ends_with(b"\n") {
                    bytes.push(b'\n');
                }
                bytes.extend_from_slice(ATTRIBUTES.as_bytes());
                Some(Step::Write { bytes, executable: false })
            }
            (true, true) => {
                let bytes = without(&before.unwrap_or_default(), ATTRIBUTES.as_bytes());
                Some(if bytes.is_empty() { Step::Delete } else { Step::Write { bytes, executable: false } })
            }
        };
        Ok(Piece { what, file, is_config: false, change })
    }

    fn hooks(&self, place: &Place, pieces: &mut Vec<Piece>) -> Result<(), SetupError> {
        let names: &[&str] =
            if place.bare { &["pre-receive"] } else { &["pre-commit", "pre-merge-commit", "pre-push"] };
        for name in names {
            let file = place.hooks.join(name);
            let mut aside = file.clone().into_os_string();
            aside.push(BEFORE);
            let aside = PathBuf::from(aside);
            let there = read(&file)?;
            let ours = there.as_deref().is_some_and(|bytes| contains(bytes, MARK.as_bytes()));
            let script = self.script(name).into_bytes();
            let what = format!("hook {name}: no commit or push with a record that breaks a rule or its past");
            if self.remove {
                if ours {
                    let back = aside.symlink_metadata().is_ok();
                    let change = Some(if back { Step::Rename { from: aside } } else { Step::Delete });
                    pieces.push(Piece { what, file, is_config: false, change });
                } else {
                    pieces.push(Piece { what, file, is_config: false, change: None });
                }
                continue;
            }
            if there.is_some() && !ours {
                let what = format!("the hook {name} that was there before, which the new one calls first");
                pieces.push(Piece {
                    what,
                    file: aside,
                    is_config: false,
                    change: Some(Step::Rename { from: file.clone() }),
                });
            }
            let same = there.as_ref() == Some(&script) && is_executable(&file);
            let change = (!same).then_some(Step::Write { bytes: script, executable: true });
            pieces.push(Piece { what, file, is_config: false, change });
        }
        Ok(())
    }

    /// A hook: it calls the one that was there before, then this program.
    fn script(&self, name: &str) -> String {
        let program = called(&self.program);
        let earlier = EARLIER.replace("NAME", name);
        let head = format!(
            "#!/bin/sh\n{MARK}\nbefore=\"$(dirname -- \"$0\")/{name}{BEFORE}\"\npostrider={program}\n{earlier}\
             [ -x \"$postrider\" ] || postrider=$(command -v postrider) || {{\n    \
             echo 'postrider is no longer on the path: install it, or call `git` with --no-verify once' >&2\n    exit 1\n}}\n\
             # A folder of hooks may serve other repositories too.\nours() {{ git config --get merge.pbem.driver >/dev/null; }}\n"
        );
        match name {
            "pre-receive" | "pre-push" => {
                let to = if name == "pre-push" { " --to=\"$1\" >&2" } else { "" };
                format!(
                    "{head}lines=$(cat)\n\
                     # Where nothing is pushed there is no line, and no empty one either.\n\
                     said() {{ [ -z \"$lines\" ] || printf '%s\\n' \"$lines\"; }}\n\
                     said | earlier \"$@\" || exit $?\nours || exit 0\nsaid | \"$postrider\" git check --stdin{to}\n"
                )
            }
            _ => format!(
                "{head}earlier \"$@\" || exit $?\nours || exit 0\n\
                 exec \"$postrider\" git check --staged\n"
            ),
        }
    }

    /// The drivers' settings with their wanted values; `None` for a setting that should be absent.
    fn settings(&self) -> Vec<(&'static str, Option<String>)> {
        let path = called(&self.program);
        // As the hooks do: a program that was moved is looked for on the path.
        let program = format!("p={path}; [ -x \"$p\" ] || p=postrider; \"$p\"");
        // In the call of a merge driver, `%` begins what git fills in.
        let driver = program.replace('%', "%%");
        let boards = |value: String| self.boards.then_some(value);
        let wanted = [
            ("merge.pbem.name", Some("a game record that grows".to_owned())),
            ("merge.pbem.driver", Some(format!("{driver} git merge %O %A %B %P"))),
            ("merge.pbem.recursive", Some("binary".to_owned())),
            ("diff.pbem.xfuncname", Some(HEADING.to_owned())),
            ("diff.pbem.textconv", boards(format!("{program} git textconv"))),
            ("diff.pbem.cachetextconv", boards("true".to_owned())),
        ];
        wanted.into_iter().map(|(key, value)| (key, value.filter(|_| !self.remove))).collect()
    }

    fn config(&self, repository: &Repository, place: &Place) -> Result<Piece, SetupError> {
        let file = place.config.clone();
        let before = read(&file)?.unwrap_or_default();
        let boards = if self.boards { ", boards in `git diff`" } else { "" };
        let what = format!("drivers of *.pbem: merges of records, hunks named by entry and side{boards}");
        // Git itself writes the new settings, to a copy.
        let copy =
            NamedTempFile::new_in(&place.scratch).map_err(|error| SetupError::File(place.scratch.clone(), error))?;
        fs::write(copy.path(), &before).map_err(|error| SetupError::File(copy.path().to_owned(), error))?;
        let call = |args: &[&OsStr]| {
            let mut all: Vec<&OsStr> = vec![OsStr::new("config"), OsStr::new("--file"), copy.path().as_os_str()];
            all.extend(args);
            let done = programs::output(&mut repository.command(all)).map_err(GitError::start)?;
            // That a setting is not there git says with a code. One that was killed has said nothing.
            match done.status.code() {
                Some(_) => Ok(done),
                None => Err(GitError::said(done.status, &done.stderr, repository.folder())),
            }
        };
        let mut changed = false;
        // A hub can leave out files that are too large for records.
        let filter = place.bare.then(|| ("uploadpack.allowFilter", (!self.remove).then(|| "true".to_owned())));
        for (key, wanted) in self.settings().into_iter().chain(filter) {
            let found = call(&[OsStr::new("--get-all"), OsStr::new(key)])?;
            let mut text = found.stdout;
            if text.ends_with(b"\n") {
                text.pop();
            }
            let is = (found.status.code() == Some(0)).then(|| os_string(text));
            if is.as_deref() == wanted.as_deref().map(OsStr::new) {
                continue;
            }
            changed = true;
            let done = match &wanted {
                Some(value) => call(&[OsStr::new("--replace-all"), OsStr::new(key), OsStr::new(value)])?,
                None => call(&[OsStr::new("--unset-all"), OsStr::new(key)])?,
            };
            if !done.status.success() {
                return Err(GitError::said(done.status, &done.stderr, repository.folder()).into());
            }
        }
        if self.remove {
            for section in ["merge.pbem", "diff.pbem"] {
                // Git leaves an empty section heading behind. If there is none, it reports an error, which is just as
                // good.
                call(&[OsStr::new("--remove-section"), OsStr::new(section)])?;
            }
        }
        let bytes = fs::read(copy.path()).map_err(|error| SetupError::File(copy.path().to_owned(), error))?;
        let change = changed.then_some(Step::Write { bytes, executable: false });
        Ok(Piece { what, file, is_config: true, change })
    }
}

impl Installed {
    /// Whether boards that `git diff` has drawn are to be taken away.
    #[must_use]
    pub fn takes_boards(&self) -> bool {
        self.boards.is_some()
    }

    /// Writes what is not in place yet: all of it or, if something is in the way, nothing.
    ///
    /// # Errors
    /// What is in the way.
    pub fn apply(&self) -> Result<(), SetupError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| SetupError::File(path, error)
        };
        // As git itself does: whoever changes the settings holds this file meanwhile.
        let _lock = match self.pieces.iter().find(|piece| piece.is_config && !piece.stands()) {
            Some(piece) => Some(Lock::of(&piece.file)?),
            None => None,
        };
        // Everything that needs disk space is first written beside its place.
        let mut ready = Vec::new();
        for piece in &self.pieces {
            let Some(step) = &piece.change else { continue };
            let staged = match step {
                Step::Write { bytes, executable } => {
                    let folder = piece.file.parent().unwrap_or(Path::new("."));
                    fs::create_dir_all(folder).map_err(at(folder))?;
                    Some(stage(&piece.file, folder, bytes, *executable).map_err(at(&piece.file))?)
                }
                Step::Rename { .. } | Step::Delete => None,
            };
            ready.push((piece, step, staged));
        }
        let mut undo: Vec<Undo> = Vec::new();
        for (piece, step, staged) in ready {
            match replace(&piece.file, step, staged) {
                Ok(done) => undo.push(done),
                Err(error) => {
                    undo.into_iter().rev().for_each(Undo::run);
                    return Err(SetupError::File(piece.file.clone(), error));
                }
            }
        }
        if let Some(repository) = &self.boards {
            repository.output(["update-ref", "-d", BOARDS])?;
        }
        Ok(())
    }
}

/// The lock of a file of settings, as git knows it.
struct Lock(PathBuf);

impl Lock {
    fn of(file: &Path) -> Result<Self, SetupError> {
        let mut name = file.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => Ok(Self(path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(GitError::Locked(format!("{} is there", path.display())).into())
            }
            Err(error) => Err(SetupError::File(path, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// How a step is undone.
enum Undo {
    Restore(PathBuf, Vec<u8>, fs::Permissions),
    Rename { from: PathBuf, to: PathBuf },
    Delete(PathBuf),
}

impl Undo {
    /// Undoes the step as far as possible; whatever was in the way may still be.
    fn run(self) {
        let _ = match self {
            Undo::Restore(path, bytes, mode) => fs::write(&path, bytes).and_then(|()| fs::set_permissions(&path, mode)),
            Undo::Rename { from, to } => fs::rename(from, to),
            Undo::Delete(path) => fs::remove_file(path),
        };
    }
}

fn replace(file: &Path, step: &Step, staged: Option<NamedTempFile>) -> io::Result<Undo> {
    let before = match fs::symlink_metadata(file) {
        Ok(found) if found.is_file() => Some((fs::read(file)?, found.permissions())),
        _ => None,
    };
    let restore = match before {
        Some((bytes, mode)) => Undo::Restore(file.to_owned(), bytes, mode),
        None => Undo::Delete(file.to_owned()),
    };
    match (step, staged) {
        (Step::Rename { from }, _) => {
            // What this program wrote is replaced by what was there before.
            fs::rename(from, file)?;
            return Ok(match restore {
                Undo::Delete(_) => Undo::Rename { from: file.to_owned(), to: from.clone() },
                other => other,
            });
        }
        (Step::Delete, _) => fs::remove_file(file)?,
        (Step::Write { .. }, Some(staged)) => {
            staged.persist(file).map_err(|error| error.error)?;
        }
        (Step::Write { .. }, None) => {}
    }
    Ok(restore)
}

/// Writes a file beside its place, with the mode of the existing file.
fn stage(file: &Path, folder: &Path, bytes: &[u8], executable: bool) -> io::Result<NamedTempFile> {
    let mut staged = NamedTempFile::new_in(folder)?;
    staged.write_all(bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = match (fs::metadata(file), executable) {
            (Ok(found), false) => found.permissions().mode() & 0o7777,
            (_, true) => 0o755,
            (Err(_), false) => 0o644,
        };
        staged.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (file, executable);
    staged.as_file().sync_all()?;
    Ok(staged)
}

/// Where a repository keeps what is written here.
struct Place {
    bare: bool,
    attributes: PathBuf,
    config: PathBuf,
    hooks: PathBuf,
    scratch: PathBuf,
    shared_hooks: Option<PathBuf>,
}

impl Place {
    fn of(repository: &Repository) -> Result<Self, SetupError> {
        repository.check_version()?;
        let bare = repository.line(["rev-parse", "--is-bare-repository"])? == "true";
        let common = absolute(repository, &repository.line(["rev-parse", "--git-common-dir"])?);
        let path = |name: &str| -> Result<PathBuf, GitError> {
            Ok(absolute(repository, &repository.line(["rev-parse", "--git-path", name])?))
        };
        let hooks = path("hooks")?;
        let own = common.join("hooks");
        let same = |a: &Path, b: &Path| {
            a == b || dunce::canonicalize(a).is_ok_and(|a| dunce::canonicalize(b).is_ok_and(|b| a == b))
        };
        let attributes = if bare {
            path("info/attributes")?
        } else {
            PathBuf::from(repository.line(["rev-parse", "--show-toplevel"])?).join(".gitattributes")
        };
        let shared_hooks = (!same(&hooks, &own)).then(|| hooks.clone());
        Ok(Self { bare, attributes, config: common.join("config"), hooks, scratch: common, shared_hooks })
    }
}

/// Resolves a path printed by git, which may be relative to where it was called.
fn absolute(repository: &Repository, path: &OsStr) -> PathBuf {
    let joined = repository.folder().join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, SetupError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SetupError::File(path.to_owned(), error)),
    }
}

fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 == 0o111)
    }
    #[cfg(not(unix))]
    {
        path.exists()
    }
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(bytes, what).is_some()
}

fn without(bytes: &[u8], what: &[u8]) -> Vec<u8> {
    match memchr::memmem::find(bytes, what) {
        Some(at) => [&bytes[..at], &bytes[at + what.len()..]].concat(),
        None => bytes.to_vec(),
    }
}

/// A program as the shell is to call it. That of git for Windows takes `/` in paths too, and nobody reads it as a sign to be escaped.
fn called(program: &Path) -> String {
    quoted(&String::from_utf8_lossy(&path_bytes(program)))
}

/// Quotes a word for the shell, whatever it contains.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_to_the_shell() {
        for word in ["/usr/bin/postrider", "/a b/it's $HOME/`x`/\"y\"/post\nrider"] {
            let echoed = std::process::Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(word))).output();
            assert_eq!(echoed.unwrap().stdout, word.as_bytes());
        }
    }

    #[test]
    fn a_hook_is_a_script_for_any_shell() {
        let setup = Setup { program: "C:/Users/Ada Quill/it's/postrider.exe".into(), boards: true, remove: false };
        for name in ["pre-commit", "pre-push", "pre-receive", "pre-merge-commit"] {
            let script = setup.script(name);
            assert!(script.contains(r"postrider='C:/Users/Ada Quill/it'\''s/postrider.exe'"), "{script}");
            // What shells other than bash do not have, among them that of a git without it.
            for word in ["[[", "function ", "<<<", "<(", "${!", "local ", "source ", "echo -e", "\r", "\\\\"] {
                assert!(!script.contains(word), "{word:?} in {script}");
            }
            let mut shell = std::process::Command::new("sh");
            let parsed = shell.args(["-n", "-c", &script]).output().unwrap();
            assert!(parsed.status.success(), "{}", String::from_utf8_lossy(&parsed.stderr));
        }
    }
}
