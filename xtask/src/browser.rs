//! The page in a real browser: what the tests need is fetched, and where it can't be they are skipped.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::steps::Ending;
use crate::{cargo, path};

/// Names under which the browser is known.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Checks the types of the page's scripts and runs the tests in a browser.
pub(crate) fn run() -> Ending {
    let folder = path("crates/web/e2e");
    if !has("node") && !install(&["nodejs", "npm"]) || !has("npm") {
        return skipped("node and npm are missing");
    }
    let Some(browser) = browser().or_else(|| install(&["chromium"]).then(browser).flatten()) else {
        return skipped("chromium is missing");
    };
    // What the lock file says and nothing else; a second run finds it there.
    let age = |name: &str| folder.join(name).metadata().and_then(|file| file.modified()).ok();
    let is_there = age("node_modules/.package-lock.json") > age("package-lock.json");
    let fetch = || did(Command::new("npm").args(["ci", "--prefer-offline"]).current_dir(&folder));
    if !is_there && !fetch() {
        return skipped("the packages of crates/web/e2e can't be fetched");
    }
    if !did(cargo().args(["build", "--package", "taquin-cli"])) {
        return Ending::Failed;
    }
    let mut test = Command::new("npm");
    test.arg("test").current_dir(&folder).env("CHROMIUM", browser);
    if did(&mut test) { Ending::Passed } else { Ending::Failed }
}

fn skipped(why: &str) -> Ending {
    eprintln!("{why}, so the page is not tested");
    Ending::Skipped
}

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let found = |name: &&str| {
        std::env::split_paths(&folders).map(|at| at.join(name)).find(|at| at.is_file())
    };
    BROWSERS.iter().find_map(found)
}

fn has(program: &str) -> bool {
    did(Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()))
}

/// Installs packages of the system, where that is possible without asking.
fn install(packages: &[&str]) -> bool {
    eprintln!("missing: apt-get install {}", packages.join(" "));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        did(&mut apt)
    };
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    // The lists of what there is may be missing or old.
    apt(&install) || apt(&["update"]) && apt(&install)
}

fn did(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
