//! Settles how the program is linked, for it should start as fast as one that does nothing.
//!
//! Most of what starting took was the loader's work, before `main`: moving seventeen thousand addresses in tables of the
//! libraries (characters that look alike, alphabets of mail), on some ninety pages that must be copied for it. A program at a fixed
//! address needs none of that. Heap, stack and the system's libraries stay where chance puts them, and the system's C library
//! stays dynamic, so that names of hosts resolve by the system's own ways. Who wants the program itself at a random address too
//! builds it with `POSTRIDER_PIE=1`.

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
    // Another system, another processor, another linker or all libraries static: the compiler knows best.
    let known = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && (is("CARGO_CFG_TARGET_ARCH", "x86_64") || is("CARGO_CFG_TARGET_ARCH", "aarch64"))
        && env::var("HOST") == env::var("TARGET")
        && !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if !known || is_set("RUSTC_LINKER") || is_set(PIE) || !is_set("CARGO_FEATURE_CLI") {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    // The part of the compiler's runtime that panics unwind the stack by: within the program it is no library to be found and loaded.
    // Where it is not to be had, the program loads it as any other does.
    let Ok(found) = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output() else { return };
    let found = String::from_utf8_lossy(&found.stdout);
    let found = Path::new(found.trim());
    if let (true, Some(folder)) = (found.is_absolute() && found.exists(), found.parent()) {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}
