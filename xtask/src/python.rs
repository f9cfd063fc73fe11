//! Tests the Python package. The tests need Python 3.10 or later with pip and venv, and are skipped
//! if these are missing and may not be installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::{did, has, install};
use crate::path;
use crate::steps::Ending;

/// Builds the package in a virtual environment below target/, and checks its stubs, its types and
/// its tests there.
pub(crate) fn run(may_install: bool) -> Ending {
    if let Err(ending) = tools(may_install) {
        return ending;
    }
    let checked = [
        ("the package is built", build as fn(&Path, &Path) -> bool),
        ("the types are right", types),
        ("the tests pass", tests),
    ];
    let (folder, programs) = (path(FOLDER), programs());
    let failed = checked.iter().find(|(_, check)| !check(&folder, &programs));
    match failed {
        None => Ending::Passed,
        Some((what, _)) => {
            eprintln!("this does not hold: {what}");
            Ending::Failed
        }
    }
}

/// The virtual environment.
const FOLDER: &str = "target/python";

/// Installs what the tests need.
pub(crate) fn tools(may_install: bool) -> Result<(), Ending> {
    let packages = ["python3", "python3-venv"];
    if !(has("python3") || may_install && install(&packages)) {
        return skipped("python3 is missing");
    }
    let folder = path(FOLDER);
    let python = programs().join("python");
    let make = || did(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    if !(has_pip(&python) || make() || may_install && install(&packages) && make()) {
        return skipped("a virtual environment cannot be made");
    }
    let wanted = path("python/requirements-test.txt");
    // A second run finds everything installed.
    let stamp = folder.join("installed");
    let is_there = std::fs::read(&stamp).ok() == std::fs::read(&wanted).ok();
    let fetch = || did(pip(&python).arg("--requirement").arg(&wanted));
    match is_there || fetch() && std::fs::copy(&wanted, &stamp).is_ok() {
        true => Ok(()),
        false => skipped("the packages of python/requirements-test.txt can't be fetched"),
    }
}

/// The location of the virtual environment's programs.
pub(crate) fn programs() -> PathBuf {
    path(FOLDER).join(if cfg!(windows) { "Scripts" } else { "bin" })
}

fn skipped(why: &str) -> Result<(), Ending> {
    Err(Ending::Skipped(format!("{why}; not run: the tests of the Python package (python/tests)")))
}

fn has_pip(python: &Path) -> bool {
    python.is_file() && did(Command::new(python).args(["-m", "pip", "--quiet", "--version"]))
}

pub(crate) fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// Builds the package with its stub, which must be the one in the repository.
fn build(folder: &Path, programs: &Path) -> bool {
    let stub = path("python/taquin/_core.pyi");
    let before = std::fs::read(&stub).ok();
    let mut maturin = Command::new(programs.join("maturin"));
    maturin.args(["develop", "--quiet", "--generate-stubs"]);
    if !did(maturin.env("VIRTUAL_ENV", folder).current_dir(path(""))) {
        return false;
    }
    if before.is_some() && std::fs::read(&stub).ok() != before {
        eprintln!("python/taquin/_core.pyi was out of date and has been written again: commit it");
        return false;
    }
    true
}

fn types(_: &Path, programs: &Path) -> bool {
    let mut mypy = Command::new(programs.join("mypy"));
    mypy.args(["--strict", "python/taquin", "python/tests"]);
    did(mypy.current_dir(path("")))
}

fn tests(folder: &Path, programs: &Path) -> bool {
    let mut pytest = Command::new(programs.join("python"));
    // Tables are built once for all tests, and never in the account's folder.
    pytest.args(["-m", "pytest", "--quiet"]).env("TAQUIN_CACHE", folder.join("cache"));
    did(pytest.current_dir(path("")))
}
