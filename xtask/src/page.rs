//! The page without a server: its module, and the program that writes it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::browser::did;
use crate::steps::Ending;
use crate::{cargo, path};

const TARGET: &str = "wasm32-unknown-unknown";

/// The modules: the profile, the compiler flags, and the file's name. All recent browsers have
/// 128-bit vectors.
const MODULES: [(&str, &str, &str); 2] = [
    ("page", "-C target-feature=+simd128", "taquin.wasm"),
    ("first", "-C target-feature=+simd128 --cfg taquin_first", "first.wasm"),
];
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// The target is fetched within this time, or not at all.
const DOWNLOAD_TIME: Duration = Duration::from_secs(180);

/// Builds the modules and the program with them, and writes the page to `out`.
pub(crate) fn run(out: Option<PathBuf>, may_install: bool) -> bool {
    let built = match modules(may_install) {
        Ok(built) => built,
        Err(Ending::Skipped(why)) => {
            eprintln!("{why}");
            return false;
        }
        Err(_) => return false,
    };
    for ((.., name), built) in MODULES.iter().zip(&built) {
        let embedded = path("crates/web/module").join(name);
        // An unchanged module does not cause the program to be built again.
        let is_new = fs::read(built).ok() != fs::read(&embedded).ok();
        if is_new && fs::copy(built, &embedded).is_err() {
            eprintln!("can't write {}", embedded.display());
            return false;
        }
    }
    let Some(out) = out else {
        println!("crates/web/module is part of the program that is built next");
        return true;
    };
    let mut page = cargo();
    page.args(["run", "--release", "--package", "taquin-cli", "--", "page", "--out"]).arg(out);
    did(&mut page)
}

/// Builds the modules and returns their paths: the whole one, and the one that is loaded first.
pub(crate) fn modules(may_install: bool) -> Result<[PathBuf; 2], Ending> {
    let is_built = has_target() || may_install && fetch() && has_target();
    if !is_built && !has_sources() {
        let what = format!("the target {TARGET} is missing: rustup target add {TARGET}");
        return Err(Ending::Skipped(format!("{what}; not built: the page without a server")));
    }
    let built = MODULES
        .map(|(profile, ..)| path("target").join(TARGET).join(profile).join("taquin_wasm.wasm"));
    for (profile, flags, _) in MODULES {
        let mut build = cargo();
        build.args(["build", "--package", "taquin-wasm", "--profile", profile, "--target", TARGET]);
        if !is_built {
            eprintln!("the standard library of {TARGET} is built from its sources");
            // Options of cargo that are not stable, and the features that the standard library
            // uses.
            build.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
        }
        if !did(build.env(FLAGS, flags)) {
            return Err(Ending::Failed);
        }
    }
    Ok(built)
}

/// Whether the target's standard library is installed.
fn has_target() -> bool {
    let folder = printed(&["target-libdir", "--target", TARGET]);
    folder.is_some_and(|folder| fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
}

/// Whether the standard library's sources for this very compiler are installed.
fn has_sources() -> bool {
    let library = "lib/rustlib/src/rust/library/Cargo.lock";
    printed(&["sysroot"]).is_some_and(|sysroot| sysroot.join(library).is_file())
}

/// The path that the compiler prints.
fn printed(what: &[&str]) -> Option<PathBuf> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let found = rustc.arg("--print").args(what).current_dir(path(".")).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()))
}

fn fetch() -> bool {
    eprintln!("rustup target add {TARGET}");
    let rustup =
        Command::new("rustup").args(["target", "add", TARGET]).current_dir(path(".")).spawn();
    rustup.is_ok_and(|mut child| within(&mut child, DOWNLOAD_TIME))
}

/// Whether a program ends well within some time; it is ended then.
fn within(child: &mut Child, time: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < time {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(100)),
            Err(_) => return false,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}
