//! Writes of what the program consists: a list of its crates for other programs (CycloneDX 1.5), and the licences of all of them as a text.
//!
//!     cargo run --example parts -- TARGET FOLDER
//!     cargo run --example parts -- --licences MANIFEST TARGET FILE
//!
//! The second writes the licences of another package of the workspace alone; `TARGET` may be `all` there. `TARGET` is the machine for which the program is built; `SOURCE_DATE_EPOCH` is the time that stands in the list. The same sources
//! give the same bytes.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The list for other programs.
const LIST: &str = "postrider.cdx.json";
/// The licences.
const LICENCES: &str = "LICENSES-OF-CRATES.txt";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--licences", manifest, machine, file] => write_licences(manifest, machine, Path::new(file)),
        [machine, folder] => write(machine, Path::new(folder)),
        _ => {
            eprintln!("usage: parts TARGET FOLDER, or parts --licences MANIFEST TARGET FILE");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parts: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A crate that is part of the program.
struct Part {
    name: String,
    version: String,
    licence: String,
    from: Option<String>,
    checksum: Option<String>,
    /// File names and their texts.
    texts: Vec<String>,
    /// The parts that it uses, by name and version.
    uses: BTreeSet<(String, String)>,
}

impl Part {
    fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

fn write(machine: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let metadata: Value = serde_json::from_str(&said(&metadata_of("Cargo.toml", machine))?)?;
    let (root, parts) = parts(&metadata)?;
    let list = list(&root, &parts)?;
    let licences = licences(&root, &parts);
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(LIST), list)?;
    std::fs::write(folder.join(LICENCES), licences)?;
    Ok(())
}

/// Writes the licences of the crates in a package that is handed out by itself, and of no others.
fn write_licences(manifest: &str, machine: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let metadata: Value = serde_json::from_str(&said(&metadata_of(manifest, machine))?)?;
    let (root, mut parts) = parts(&metadata)?;
    // What `cargo metadata` lists has the features that anything in the workspace asks for.
    let tree = ["tree", "--locked", "--quiet", "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = said(&[&tree[..], &["--manifest-path", manifest, "--target", machine]].concat())?;
    let mut linked = BTreeSet::new();
    for line in tree.lines() {
        let mut words = line.split(' ');
        linked.extend(words.next().zip(words.next().and_then(|version| version.strip_prefix('v'))));
    }
    parts.retain(|part| linked.contains(&(part.name.as_str(), part.version.as_str())));
    std::fs::write(file, licences(&root, &parts))?;
    Ok(())
}

fn metadata_of<'a>(manifest: &'a str, machine: &'a str) -> Vec<&'a str> {
    let mut words = vec!["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest];
    if machine != "all" {
        words.extend(["--filter-platform", machine]);
    }
    words
}

/// What cargo says to some words.
fn said(words: &[&str]) -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let said = Command::new(cargo).args(words).output()?;
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into());
    }
    Ok(String::from_utf8(said.stdout)?)
}

fn text<'a>(of: &'a Value, name: &str) -> Result<&'a str, String> {
    of[name].as_str().ok_or_else(|| format!("`cargo metadata` names no {name}"))
}

fn entries<'a>(of: &'a Value, name: &str) -> Result<&'a [Value], String> {
    of[name].as_array().map(Vec::as_slice).ok_or_else(|| format!("`cargo metadata` has no {name}"))
}

/// The program itself, and the crates that are linked into it: neither those that only tests and the build need, nor those that write code.
fn parts(metadata: &Value) -> Result<(Part, Vec<Part>), Box<dyn Error>> {
    let mut packages = BTreeMap::new();
    for package in entries(metadata, "packages")? {
        packages.insert(text(package, "id")?, package);
    }
    let mut uses = BTreeMap::new();
    for node in entries(&metadata["resolve"], "nodes")? {
        let mut linked = Vec::new();
        for one in entries(node, "deps")? {
            let id = text(one, "pkg")?;
            let writes_code = |package: &&Value| {
                let targets = package["targets"].as_array().into_iter().flatten();
                targets.flat_map(|target| target["kind"].as_array()).flatten().any(|kind| kind == "proc-macro")
            };
            let is_needed = entries(one, "dep_kinds")?.iter().any(|kind| kind["kind"].is_null());
            if is_needed && !packages.get(id).is_some_and(writes_code) {
                linked.push(id);
            }
        }
        uses.insert(text(node, "id")?, linked);
    }
    let root = text(&metadata["resolve"], "root")?;
    let mut reached = BTreeSet::from([root]);
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        next.extend(uses.get(id).into_iter().flatten().filter(|id| reached.insert(id)));
    }
    let checksums =
        checksums(&std::fs::read_to_string(Path::new(text(metadata, "workspace_root")?).join("Cargo.lock"))?);
    let called = |id: &str| -> Result<(String, String), String> {
        let package = packages.get(id).ok_or_else(|| format!("`cargo metadata` does not describe {id}"))?;
        Ok((text(package, "name")?.to_owned(), text(package, "version")?.to_owned()))
    };
    let mut found = Vec::new();
    let mut own = None;
    for id in reached {
        let package = packages.get(id).ok_or_else(|| format!("`cargo metadata` does not describe {id}"))?;
        let (name, version) = called(id)?;
        let place = Path::new(text(package, "manifest_path")?).parent().unwrap_or(Path::new("."));
        let licence = text(package, "license").map_err(|_| format!("{name} has no licence"))?;
        let mut texts = if id == root { Vec::new() } else { texts(place)? };
        if id != root && texts.is_empty() {
            texts.extend(stated(package, licence)?);
        }
        let part = Part {
            // The slash is how it was written once.
            licence: licence.replace('/', " OR "),
            from: package["repository"].as_str().map(str::to_owned),
            checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
            texts,
            uses: uses.get(id).into_iter().flatten().map(|id| called(id)).collect::<Result<_, _>>()?,
            name,
            version,
        };
        if id == root {
            own = Some(part);
        } else {
            found.push(part);
        }
    }
    found.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok((own.ok_or("`cargo metadata` does not describe the program")?, found))
}

/// The text of a licence that a crate names and does not bring, if one has to be beside a program.
fn stated(package: &Value, licence: &str) -> Result<Option<String>, Box<dyn Error>> {
    let mut words = licence.split([' ', '/']);
    // These ask for none, or for one that is there anyway.
    if words.clone().any(|word| ["BSL-1.0", "0BSD", "Unlicense", "CC0-1.0", "Apache-2.0"].contains(&word)) {
        return Ok(None);
    }
    let authors: Vec<&str> = entries(package, "authors")?.iter().filter_map(Value::as_str).collect();
    if !words.any(|word| word == "MIT") || authors.is_empty() {
        return Err(format!("{} has no text of its licence, {licence}", text(package, "name")?).into());
    }
    let own = std::fs::read_to_string("LICENSE-MIT")?;
    let lines = own.lines().map(|line| match line.starts_with("Copyright") {
        true => format!("Copyright (c) {}", authors.join(", ")),
        false => line.to_owned(),
    });
    Ok(Some(lines.collect::<Vec<_>>().join("\n")))
}

/// The checksums that the lock file has, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
        line.map(|rest| rest.trim_end_matches('"').to_owned())
    };
    lock.split("[[package]]")
        .filter_map(|block| Some(((field(block, "name")?, field(block, "version")?), field(block, "checksum")?)))
        .collect()
}

/// The texts of the licences that lie in the folder of a crate, and in folders for them and for what it brings in another language.
fn texts(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
    let mut found = BTreeMap::new();
    let mut folders = vec![(folder.to_owned(), false, 0)];
    while let Some((folder, of_licences, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            let named = NAMES.iter().any(|begin| name.starts_with(begin));
            if path.is_dir() {
                if depth < 3 && name != "TARGET" && !name.starts_with('.') {
                    folders.push((path, named, depth + 1));
                }
            } else if (named || of_licences) && !name.ends_with(".RS") {
                found.insert(path.clone(), String::from_utf8_lossy(&std::fs::read(&path)?).replace("\r\n", "\n"));
            }
        }
    }
    Ok(found.into_values().collect())
}

fn list(root: &Part, parts: &[Part]) -> Result<String, Box<dyn Error>> {
    let seconds = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let time = chrono::DateTime::from_timestamp(seconds, 0).ok_or("SOURCE_DATE_EPOCH is no time")?;
    let component = |part: &Part, kind: &str| {
        let mut one = json!({
            "type": kind,
            "bom-ref": part.url(),
            "name": part.name,
            "version": part.version,
            "licenses": [{ "expression": part.licence }],
            "purl": part.url(),
        });
        if let Some(sum) = &part.checksum {
            one["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        if let Some(from) = &part.from {
            one["externalReferences"] = json!([{ "type": "vcs", "url": from }]);
        }
        one
    };
    let uses = |part: &Part| {
        let used: Vec<_> = part.uses.iter().map(|(name, version)| format!("pkg:cargo/{name}@{version}")).collect();
        json!({ "ref": part.url(), "dependsOn": used })
    };
    let mut whole = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": "",
        "version": 1,
        "metadata": {
            "timestamp": time.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "component": component(root, "application"),
        },
        "components": parts.iter().map(|part| component(part, "library")).collect::<Vec<_>>(),
        "dependencies": std::iter::once(root).chain(parts).map(uses).collect::<Vec<_>>(),
    });
    // A number that is this list's alone, made of what is in it, with the marks of such a number (RFC 9562, version 8).
    let mut id = <[u8; 32]>::from(Sha256::digest(serde_json::to_vec(&whole)?));
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    let digits = id.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    let [a, b, c, d, e] = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..32]];
    whole["serialNumber"] = format!("urn:uuid:{a}-{b}-{c}-{d}-{e}").into();
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

fn licences(root: &Part, parts: &[Part]) -> String {
    let mut whole = format!(
        "{} {} is licensed under {}; its texts are LICENSE-MIT and LICENSE-APACHE. It contains the standard library of Rust \
         (MIT OR Apache-2.0, by the Rust project) and these crates:\n\n",
        root.name, root.version, root.licence
    );
    for part in parts {
        let _ = writeln!(whole, "{} {}: {}", part.name, part.version, part.licence);
    }
    // Each text once, with the crates that it comes with.
    let mut by_text: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for part in parts {
        for text in &part.texts {
            by_text.entry(text.trim()).or_default().insert(&part.name);
        }
    }
    let mut by_name: Vec<_> = by_text.into_iter().filter(|(text, _)| !text.is_empty()).collect();
    by_name.sort_by(|(text, names), (other_text, other_names)| (names, text).cmp(&(other_names, other_text)));
    for (text, names) in by_name {
        let names: Vec<_> = names.into_iter().collect();
        let _ = write!(whole, "\n{}\n{}\n\n{text}\n", "=".repeat(72), names.join(", "));
    }
    whole
}
