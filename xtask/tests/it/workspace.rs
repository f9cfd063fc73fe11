//! The crates of the workspace and their sources, as cargo and the file system have them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// A crate of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency that a crate declares.
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Only tests, examples and benchmarks use it.
    pub(crate) is_dev: bool,
}

/// The crates of the workspace.
pub(crate) fn packages() -> Vec<Package> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let dependency = |dependency: &Value| Dependency {
        name: text(&dependency["name"]),
        is_dev: dependency["kind"] == "dev",
    };
    let package = |package: &Value| {
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        Package {
            name: text(&package["name"]),
            folder: manifest.parent().unwrap().to_owned(),
            manifest: fs::read_to_string(manifest).unwrap(),
            dependencies: package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(dependency)
                .collect(),
        }
    };
    let metadata = metadata(&["--no-deps"]);
    metadata["packages"].as_array().unwrap().iter().map(package).collect()
}

/// The output of `cargo metadata`.
pub(crate) fn metadata(arguments: &[&str]) -> Value {
    let mut cargo = cargo();
    cargo.args(["metadata", "--format-version", "1", "--offline"]).args(arguments);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A path in the repository.
pub(crate) fn path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(inside)
}

/// The Rust files below a folder, with their text; none if there is no such folder.
pub(crate) fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The words of a text: names, keywords and numbers.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
