//! The page without a game as an app: a few static files for any web server, which a browser keeps for use without a network and installs.
//! Pure: the same version writes the same bytes.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::{Kind, PLAYER, alone};

/// What a browser reads to install it.
const MANIFEST: &str = r##"{
  "name": "postrider: games by mail",
  "short_name": "postrider",
  "description": "Games for two, played by mail, with their referee. Nothing is sent anywhere.",
  "id": "./",
  "start_url": "./",
  "scope": "./",
  "display": "standalone",
  "background_color": "#24413a",
  "theme_color": "#24413a",
  "categories": ["games"],
  "icons": [
    {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"},
    {"src": "icon-192.png", "sizes": "192x192", "type": "image/png"},
    {"src": "icon-512.png", "sizes": "512x512", "type": "image/png"},
    {"src": "icon-maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"}
  ],
  "file_handlers": [
    {"action": "./", "accept": {"text/x-pbem": [".pbem"], "message/rfc822": [".eml"]}}
  ],
  "launch_handler": {"client_mode": "focus-existing"},
  "share_target": {
    "action": "share",
    "method": "POST",
    "enctype": "multipart/form-data",
    "params": {
      "title": "title",
      "text": "text",
      "files": [{"name": "file", "accept": ["text/plain", "text/x-pbem", "message/rfc822", ".pbem", ".eml", ".txt"]}]
    }
  }
}
"##;

const WORKER: &str = include_str!("app/worker.js");
const ICON: &[u8] = include_bytes!("app/icon.svg");
const ICON_SMALL: &[u8] = include_bytes!("app/icon-192.png");
const ICON_LARGE: &[u8] = include_bytes!("app/icon-512.png");
const ICON_MASKABLE: &[u8] = include_bytes!("app/icon-maskable.png");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppFile {
    /// Its name, without folders.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns the SHA-256 of a module, in hexadecimal digits.
#[must_use]
pub fn module_digest(module: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(module))
}

/// The name of the module's file, which changes with it, so that no page gets the module of another version.
pub(super) fn module_name() -> String {
    let digest = module_digest(PLAYER);
    format!("referee-{}.wasm.gz", digest.get(..16).unwrap_or_default())
}

/// Writes the files of the app, in the order in which they are to be put on a server: the page and its worker last, so that whatever they
/// name is there.
#[must_use]
pub fn app() -> Vec<AppFile> {
    let file = |name: &str, bytes: &[u8]| AppFile { name: name.to_owned(), bytes: bytes.to_vec() };
    let mut files = vec![
        file(&module_name(), PLAYER),
        file("icon.svg", ICON),
        file("icon-192.png", ICON_SMALL),
        file("icon-512.png", ICON_LARGE),
        file("icon-maskable.png", ICON_MASKABLE),
        file("manifest.webmanifest", MANIFEST.as_bytes()),
        file("index.html", alone(Kind::App).as_bytes()),
    ];
    let mut digest = Sha256::new();
    for AppFile { name, bytes } in &files {
        digest.update(name);
        digest.update([0]);
        digest.update(Sha256::digest(bytes));
    }
    let digest = HEXLOWER.encode(&digest.finalize());
    let names: Vec<String> = std::iter::once("./")
        .chain(files.iter().map(|file| file.name.as_str()))
        .map(|name| format!("\"{name}\""))
        .collect();
    let worker = WORKER.replace("@DIGEST@", digest.get(..16).unwrap_or_default()).replace("@FILES@", &names.join(", "));
    files.push(file("worker.js", worker.as_bytes()));
    files
}
