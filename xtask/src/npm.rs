//! The package for JavaScript: packed from npm/, the scripts that it shares with the page, and the
//! page's module. It is tested as it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::{self, did};
use crate::steps::Ending;
use crate::{page, path, release};

/// Files in npm/ that are part of the package.
const OWN: [&str; 9] = [
    "README.md",
    "board.d.ts",
    "board.js",
    "browser.js",
    "client.js",
    "node-worker.js",
    "node.js",
    "package.json",
    "taquin.d.ts",
];

/// Files of the page that are part of the package.
const SHARED: [&str; 3] = ["program.js", "storage.js", "worker.js"];

/// Packs the package and, unless `only_pack`, tests it.
pub(crate) fn run(only_pack: bool, may_install: bool) -> Ending {
    let [module, _] = match page::modules(may_install) {
        Ok(modules) => modules,
        Err(ending) => return ending,
    };
    let Some(package) = pack(&module) else { return Ending::Failed };
    if only_pack {
        println!("{}", package.display());
        return Ending::Passed;
    }
    match browser::prepare(may_install) {
        Ok(chromium) if test(&package, &chromium) => Ending::Passed,
        Ok(_) => Ending::Failed,
        Err(ending) => ending,
    }
}

/// Writes the package to target/npm, and returns its file.
pub(crate) fn pack(module: &Path) -> Option<PathBuf> {
    let (out, stage) = (path("target/npm"), path("target/npm/taquin"));
    let _ = fs::remove_dir_all(&out);
    let staged = fs::create_dir_all(&stage).and_then(|()| {
        let copy = |from: PathBuf, name: &str| fs::copy(from, stage.join(name)).map(drop);
        OWN.iter().try_for_each(|name| copy(path("npm").join(name), name))?;
        SHARED.iter().try_for_each(|name| copy(path("crates/web/page").join(name), name))?;
        ["LICENSE-MIT", "LICENSE-APACHE"].iter().try_for_each(|name| copy(path(name), name))?;
        copy(module.to_owned(), "taquin.wasm")?;
        let manifest = fs::read_to_string(path("npm/package.json"))?;
        fs::write(stage.join("package.json"), stamped(&manifest))
    });
    if let Err(error) = staged {
        eprintln!("{}: {error}", stage.display());
        return None;
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(&out).current_dir(&stage);
    let name = format!("taquin-{}.tgz", release::field("version")?);
    (did(&mut npm) && out.join(&name).is_file()).then(|| out.join(name))
}

/// The manifest with the version and the addresses that Cargo.toml has.
fn stamped(manifest: &str) -> String {
    let field = |name| release::field(name).unwrap_or_default();
    let version = format!("\"version\": \"{}\"", field("version"));
    let address = format!("\"url\": \"git+{}.git\"", field("repository"));
    let homepage = format!("\"homepage\": \"{}\"", field("homepage"));
    let manifest = manifest.replace("\"version\": \"0.0.0\"", &version);
    manifest.replace("\"url\": \"\"", &address).replace("\"homepage\": \"\"", &homepage)
}

/// Installs the package in an empty project and tests it there: types, rules of packages, Node, a
/// browser.
pub(crate) fn test(package: &Path, chromium: &Path) -> bool {
    let (project, tools) = (path("target/npm/project"), path("crates/web/e2e/node_modules"));
    let written = fs::create_dir_all(&project).and_then(|()| {
        fs::write(project.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
        for file in fs::read_dir(path("npm/tests"))? {
            let file = file?;
            fs::copy(file.path(), project.join(file.file_name()))?;
        }
        Ok(())
    });
    if let Err(error) = written {
        eprintln!("{}: {error}", project.display());
        return false;
    }
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--offline", "--no-audit", "--no-fund"]).arg(package);
    let [mut types, mut rules, mut exports] = ["tsc", "publint", "attw"].map(browser::tool);
    types.arg("--project").arg(project.join("tsconfig.json"));
    types.arg("--typeRoots").arg(tools.join("@types"));
    rules.args(["run", "--strict"]).arg(package);
    // A package of modules has nothing for `require`, and the program has no types.
    exports.arg(package).args(["--profile", "esm-only", "--exclude-entrypoints", "./taquin.wasm"]);
    let mut node = Command::new("node");
    node.args(["--test", "--test-timeout=300000", "node.test.mjs", "browser.test.mjs"]);
    node.env("CHROMIUM", chromium).env("TOOLS", tools.join("x"));
    [&mut install, &mut types, &mut rules, &mut exports, &mut node]
        .into_iter()
        .all(|command| did(command.current_dir(&project)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_has_every_file_of_its_folder() {
        let mut files: Vec<String> = fs::read_dir(path("npm"))
            .unwrap()
            .map(|file| file.unwrap())
            .filter(|file| file.file_type().unwrap().is_file())
            .map(|file| file.file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, OWN);
    }

    #[test]
    fn the_manifest_gets_version_and_address() {
        let text = stamped(&fs::read_to_string(path("npm/package.json")).unwrap());
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert!(manifest["repository"]["url"].as_str().unwrap().starts_with("git+https://"));
        assert_eq!(manifest["homepage"], release::field("homepage").unwrap());
        assert!(manifest.get("dependencies").is_none());
    }
}
