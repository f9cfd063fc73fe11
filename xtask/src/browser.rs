//! Tests the page in a real browser. The tests need Node and Chromium, and are skipped if these are
//! missing and may not be installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::steps::Ending;
use crate::{cargo, npm, page, path};

/// Names under which the browser is known.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Checks the types of the page's scripts and runs the tests in a browser.
pub(crate) fn run(may_install: bool) -> Ending {
    match prepare(may_install) {
        Ok(browser) => test_all(&browser, may_install),
        Err(ending) => ending,
    }
}

/// Writes the pictures of README.md: the page in a browser, and the game as its test draws it.
pub(crate) fn pictures(may_install: bool) -> bool {
    let Ok(browser) = prepare(may_install).inspect_err(|ending| eprintln!("{ending:?}")) else {
        return false;
    };
    let mut page = Command::new("node");
    page.args(["--test", "pictures.mjs"]).current_dir(path(TESTS)).env("CHROMIUM", &browser);
    let mut game = cargo();
    game.args(["test", "--package", "taquin-cli", "--test", "it", "--", "play::picture"]);
    did(&mut page) && did(game.env("SNAPSHOTS", "overwrite"))
}

/// The folder of the tests.
const TESTS: &str = "crates/web/e2e";

/// Installs the tests' requirements, builds the program, and returns the browser.
pub(crate) fn prepare(may_install: bool) -> Result<PathBuf, Ending> {
    let browser = tools(may_install)?;
    match did(cargo().args(crate::steps::BROWSER.arguments.split(' '))) {
        true => Ok(browser),
        false => Err(Ending::Failed),
    }
}

/// Installs what the tests need from elsewhere, and returns the browser.
pub(crate) fn tools(may_install: bool) -> Result<PathBuf, Ending> {
    let folder = path(TESTS);
    let install = |packages: &[&str]| may_install && install(packages);
    let has_node = || has("node") && has("npm");
    if !(has_node() || install(&["nodejs", "npm"]) && has_node()) {
        return Err(skipped("node and npm are missing"));
    }
    let Some(browser) = browser().or_else(|| install(&["chromium"]).then(browser).flatten()) else {
        return Err(skipped("chromium is missing"));
    };
    // Exactly the versions in the lock file; a second run finds them installed.
    let age = |name: &str| folder.join(name).metadata().and_then(|file| file.modified()).ok();
    let is_there = age("node_modules/.package-lock.json") > age("package-lock.json");
    let fetch = || did(Command::new("npm").args(["ci", "--prefer-offline"]).current_dir(&folder));
    match is_there || fetch() {
        true => Ok(browser),
        false => Err(skipped("the npm packages of crates/web/e2e can't be fetched")),
    }
}

/// A program among the npm packages that [`tools`] installs.
pub(crate) fn tool(name: &str) -> Command {
    Command::new(path(TESTS).join("node_modules/.bin").join(name))
}

/// Tests the page of the server, the one without a server, and the package for JavaScript.
fn test_all(browser: &Path, may_install: bool) -> Ending {
    let test = |site: Option<&Path>| {
        let mut test = Command::new("npm");
        test.arg("test").current_dir(path(TESTS)).env("CHROMIUM", browser);
        if site.is_some() {
            test.arg("--").args(tests_of_engine());
        }
        did(test.envs(site.map(|site| ("SITE", site))))
    };
    if !test(None) {
        return Ending::Failed;
    }
    // The tests of its engine for the page without a server.
    let [whole, first] = match page::modules(may_install) {
        Ok(modules) => modules,
        Err(Ending::Skipped(why)) => {
            return Ending::Skipped(format!("only the page of 'taquin serve' was tested: {why}"));
        }
        Err(ending) => return ending,
    };
    let site = path("target/site");
    let mut write = Command::new(path("target/debug/taquin"));
    write.args(["page", "--out"]).arg(&site).arg("--module").arg(&whole).arg("--first").arg(first);
    // The package for JavaScript has the whole module.
    let package = || npm::pack(&whole).is_some_and(|package| npm::test(&package, browser));
    if did(&mut write) && test(Some(&site)) && package() { Ending::Passed } else { Ending::Failed }
}

/// The files of tests that depend on where the engine runs. The other ones test scripts and layout,
/// which are the same without a server.
fn tests_of_engine() -> Vec<String> {
    const SAME: [&str; 9] =
        ["access", "board", "keyboard", "older", "phone", "present", "print", "qr", "unit"];
    let names = path(TESTS).read_dir().into_iter().flatten().flatten();
    let names = names.filter_map(|file| file.file_name().into_string().ok());
    let is_engine =
        |name: &String| name.strip_suffix(".test.mjs").is_some_and(|name| !SAME.contains(&name));
    names.filter(is_engine).collect()
}

fn skipped(why: &str) -> Ending {
    Ending::Skipped(format!("{why}; not run: the tests of the page (crates/web/e2e)"))
}

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let found = |name: &&str| {
        std::env::split_paths(&folders).map(|at| at.join(name)).find(|at| at.is_file())
    };
    BROWSERS.iter().find_map(found)
}

pub(crate) fn has(program: &str) -> bool {
    did(Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()))
}

/// Installs system packages, if that is possible without asking.
pub(crate) fn install(packages: &[&str]) -> bool {
    eprintln!("apt-get install {}", packages.join(" "));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        did(&mut apt)
    };
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    // The package lists may be missing or old.
    apt(&install) || apt(&["update"]) && apt(&install)
}

pub(crate) fn did(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
