//! The directions of dependencies: lower modules never use higher ones, and the pure half does no input or output.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the lowest up; those in the same row may use each other.
const LAYERS: &[&[&str]] = &[
    &["text", "advice"],
    &["threads"],
    &["notation"],
    &["games::kernel", "scene"],
    &["games"],
    &["engine"],
    &["record", "sealing"],
    &["referee"],
    &["registry"],
    &["verdict", "rulebook"],
    &["facade", "address"],
    &["desk", "render", "picture"],
    &["report"],
    &["page", "interface", "lessons"],
    &["store"],
    &["mail", "archive", "git", "editor"],
    &["office"],
    &["host", "player"],
    &["cli"],
];

/// The modules that use no file, no system clock, no network and no source of randomness.
const PURE: &[&str] = &[
    "text",
    "notation",
    "games",
    "engine",
    "scene",
    "record",
    "sealing",
    "referee",
    "registry",
    "verdict",
    "rulebook",
    "facade",
    "desk",
    "report",
    "picture",
    "page",
    "interface",
    "lessons",
    "mail::incoming",
];

const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::io",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "Utc::now",
    "Local::now",
    "chrono::Local",
    "getrandom",
    "lettre",
    "println!",
    "print!",
    "dbg!",
];

fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(&root)
                    .expect("below src")
                    .with_extension("")
                    .to_string_lossy()
                    .replace('/', "::");
                sources.push((name, fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    sources
}

fn layer(module: &str) -> Option<usize> {
    let level = |name: &str| LAYERS.iter().position(|row| row.contains(&name));
    let mut parts = module.split("::");
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    level(&format!("{first}::{second}")).or_else(|| level(first))
}

/// The code of a source file without its tests and comments.
fn code(source: &str) -> String {
    let code = source.split("\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test(name: &str) -> bool {
    name.split("::").any(|part| part == "tests" || part == "agreement")
}

#[test]
fn lower_modules_never_use_higher_ones() {
    let mut uses = 0;
    for (name, source) in sources().iter().filter(|(name, _)| !is_test(name) && name != "lib" && name != "main") {
        let own = layer(name).unwrap_or_else(|| panic!("{name}: in no layer"));
        for part in code(source).split("crate::").skip(1) {
            let module: String = part.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            let Some(used) = layer(&module) else { continue };
            assert!(used <= own, "{name} uses crate::{module}, which is in a higher layer");
            uses += 1;
        }
    }
    assert!(uses > 50);
}

#[test]
fn the_pure_half_touches_nothing() {
    for (name, source) in sources() {
        let first = name.split("::").next().unwrap_or_default();
        let is_pure = PURE.contains(&first) || PURE.iter().any(|pure| name.starts_with(&format!("{pure}::")));
        if !is_pure || is_test(&name) {
            continue;
        }
        for word in IMPURE {
            assert!(!code(&source).contains(word), "{name} holds {word}");
        }
    }
}

/// What creates, replaces or removes a file.
const WRITES: &[&str] = &[
    "fs::write(",
    "fs::rename",
    "fs::remove_file",
    "fs::remove_dir",
    "fs::create_dir",
    "fs::hard_link",
    "fs::copy",
    "fs::set_permissions",
    "set_permissions(",
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "NamedTempFile",
    "tempfile_in(",
    "tempdir",
    ".persist",
    "set_len(",
];

/// Where else files may be written than in `store`'s own files, and why.
const MAY_WRITE: &[(&str, &[&str])] = &[
    // A line is added to the list of messages that were read; one that is lost is read again.
    // Frames are added to an archive in its place.
    ("archive::packing", &["OpenOptions", "set_len("]),
    // The terminal itself.
    ("cli::terminal", &["File::options"]),
    // `openssl` reads the reply from a file, which holds nothing that is kept or secret.
    ("archive::stamps", &["NamedTempFile"]),
    // A file without a name, to see whether the folder can be written.
    ("cli::setup::check", &["tempfile_in("]),
    // An index for git that is thrown away.
    ("git::exchange", &["tempdir"]),
    // Git's own index, which takes its place in the way in which git itself locks it, and what a killed run left.
    (
        "git::hold",
        &[
            "fs::write(",
            "fs::rename",
            "fs::remove_file",
            "fs::remove_dir",
            "fs::create_dir",
            "fs::hard_link",
            "File::create",
            "OpenOptions",
            "tempdir",
        ],
    ),
    // A message and an index for git that are thrown away.
    ("git::exchange::commit", &["fs::write(", "fs::remove_file"]),
    // The settings of a repository, which are put back if a later step fails.
    (
        "git::setup",
        &[
            "fs::write(",
            "fs::rename",
            "fs::remove_file",
            "fs::create_dir",
            "OpenOptions",
            "NamedTempFile",
            "set_permissions(",
            "fs::set_permissions",
            ".persist",
        ],
    ),
];

/// Flushing, modes, names that are never half written: there is one place for all of them.
#[test]
fn files_are_written_by_the_store_alone() {
    let (mut found, mut used) = (Vec::new(), 0);
    for (name, source) in sources().iter().filter(|(name, _)| !is_test(name)) {
        if name.starts_with("store::files") || name.starts_with("store::system") || name == "store::lockfile" {
            continue;
        }
        let code = code(source);
        let may = MAY_WRITE.iter().find(|(module, _)| module == name).map_or(&[][..], |(_, words)| words);
        for word in WRITES.iter().filter(|word| code.contains(**word)) {
            if may.contains(word) {
                used += 1;
            } else {
                found.push(format!("{name} holds {word}"));
            }
        }
    }
    assert!(found.is_empty(), "`store` has a function for it:\n{}", found.join("\n"));
    assert!(used > 5, "{used}");
}

/// What touches a file, or shows that the machine's own are meant.
const FILES: &[&str] = &[
    "std::fs",
    "fs::",
    "File::open",
    ".exists()",
    ".try_exists()",
    ".is_file()",
    ".is_dir()",
    ".is_symlink()",
    ".canonicalize()",
    ".metadata()",
    "dunce::",
    "RecordLock::take",
    "Disk::real",
    "system::",
    "files::",
    "lockfile::",
    "getrandom",
];

/// Everything is kept through [`disk::disk::Disk`], so that it is kept in memory as well as on the disk.
#[test]
fn what_is_kept_goes_through_one_interface_of_files() {
    let mut seen = 0;
    for (name, source) in sources().iter().filter(|(name, _)| name.starts_with("store::") && !is_test(name)) {
        let below = ["store::disk", "store::files", "store::system", "store::lockfile"];
        let is_below = below.iter().any(|module| name == module || name.starts_with(&format!("{module}::")));
        // The folders of this machine are found here, and its random numbers and limits are asked for there.
        if is_below || ["store::folders", "store::random", "store::no_core", "store::mod"].contains(&name.as_str()) {
            continue;
        }
        for word in FILES {
            assert!(!code(source).contains(word), "{name} holds {word}; `Disk` is for that");
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

/// `Utc::now` panics where the clock stands before 1970.
#[test]
fn the_clock_is_read_in_one_place() {
    for (name, source) in sources().iter().filter(|(name, _)| !is_test(name) && name != "store::clock") {
        for word in ["Utc::now", "SystemTime::now", "Local::now"] {
            assert!(!code(source).contains(word), "{name} holds {word}; `store::now` is for that");
        }
    }
}

#[test]
fn every_game_of_the_folder_is_registered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    let names = fs::read_dir(folder).expect("the games").map(|entry| entry.expect("an entry").path());
    let folders = names.filter(|path| path.is_dir() && !path.ends_with("kernel")).count();
    assert_eq!(folders, referee::registry::GAMES.len());
}

/// Cargo packs nothing of a folder that is a package of its own, and nothing outside this one.
#[test]
fn what_is_included_in_the_program_is_in_its_package_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for (name, source) in sources() {
        let folder = root.join("src").join(name.replace("::", "/"));
        let folder = folder.parent().expect("a folder");
        let code = code(&source);
        for part in ["include_str!(\"", "include_bytes!(\""].iter().flat_map(|begin| code.split(begin).skip(1)) {
            let file = part.split('"').next().expect("a path");
            let path = folder.join(file).canonicalize().unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            let within =
                path.strip_prefix(root.canonicalize().expect("a folder")).unwrap_or_else(|_| panic!("{name}: {file}"));
            let own = within.ancestors().skip(1).find(|folder| root.join(folder).join("Cargo.toml").exists());
            assert_eq!(own, Some(Path::new("")), "{name}: {file}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    text.match_indices(word)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}

/// Whether a path such as `kernel::Facts`, `cli::receive` or `Game::play` names something: a module, what a module or one below it
/// defines or hands on, or a member of a type. Of each source its code is given.
fn is_there(sources: &[(String, String)], path: &str) -> bool {
    let (before, last) = path.rsplit_once("::").expect("a path");
    if before.starts_with(char::is_uppercase) {
        let of_type = |code: &str| {
            ["struct", "enum", "trait"].iter().any(|kind| has_word(code, &format!("{kind} {before}")))
                || code.lines().any(|line| line.starts_with("impl") && has_word(line, before))
        };
        return sources.iter().any(|(_, code)| of_type(code) && has_word(code, last));
    }
    let (within, below) = (format!("::{before}::"), format!("::{path}::"));
    let in_module = |name: &str, path: &str| format!("::{name}::").replace("::mod::", "::").contains(path);
    sources.iter().any(|(name, code)| {
        let defines = |kind: &&str| has_word(code, &format!("{kind} {last}"));
        in_module(name, &below)
            || in_module(name, &within)
                && (["fn", "struct", "enum", "trait", "type", "const", "static"].iter().any(defines)
                    || code
                        .split("pub use ")
                        .skip(1)
                        .any(|list| has_word(list.split(';').next().unwrap_or_default(), last)))
    })
}

/// What is renamed or removed in the code leaves no name behind in the text about it.
#[test]
fn what_the_design_names_is_in_the_sources() {
    let design = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md")).expect("the design");
    let sources: Vec<_> = sources().into_iter().map(|(name, source)| (name, code(&source))).collect();
    let is_path = |span: &&str| {
        let mut parts = span.split("::");
        span.contains("::")
            && parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    // Spans in backticks are every second piece; blocks of code are in none.
    let named: Vec<_> = design.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(is_path).collect();
    let missing: Vec<_> = named.iter().filter(|path| !is_there(&sources, path)).collect();
    assert!(missing.is_empty(), "DESIGN.md names what is not there: {missing:?}");
    assert!(named.len() > 40, "{}", named.len());
    for no_more in ["Game::confide", "kernel::Unheard", "cli::nowhere"] {
        assert!(!is_there(&sources, no_more), "{no_more}");
    }
}
