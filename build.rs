//! Decides how the program is linked, so that it starts quickly.
//!
//! Most of the time a start took was spent in the dynamic loader, before `main`: relocating seventeen thousand addresses in
//! tables of the libraries (look-alike characters, mail encodings), on about ninety pages that had to be copied for it. A
//! program at a fixed address needs no relocations. Heap, stack and system libraries are still placed at random, and the C
//! library stays dynamic, so host names resolve in the system's own ways. To have the program itself placed at random too,
//! build it with `POSTRIDER_PIE=1`.

use std::env;
use std::path::Path;
use std::process::Command;

/// The variable that keeps the compiler's own way of linking.
const PIE: &str = "POSTRIDER_PIE";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={PIE}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    // On other systems and processors, with another linker or with static libraries only, the compiler's defaults hold.
    let is_known = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && (is("CARGO_CFG_TARGET_ARCH", "x86_64") || is("CARGO_CFG_TARGET_ARCH", "aarch64"))
        && env::var("HOST") == env::var("TARGET")
        && !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if !is_known || is_set("RUSTC_LINKER") || is_set(PIE) || !is_set("CARGO_FEATURE_CLI") {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    // The compiler's run-time support for unwinding, which panics need. Linked into the program, it need not be found and
    // loaded at each start. Where the static library is missing, the shared one is used as usual.
    let Ok(found) = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output() else { return };
    let found = String::from_utf8_lossy(&found.stdout);
    let found = Path::new(found.trim());
    if let (true, Some(folder)) = (found.is_absolute() && found.exists(), found.parent()) {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}
