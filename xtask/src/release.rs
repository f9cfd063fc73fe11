//! Checks a release as far as possible without a network and without an account. RELEASING.md
//! describes the manual steps, and .github/workflows/release.yml does the rest.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::browser::did;
use crate::steps::Ending;
use crate::{cargo, npm, path, python};

/// The result of a check: nothing, or how else it ended.
type Checked = Result<(), Ending>;

/// The name of a check, whether it is slow, and the check.
type Check = (&'static str, bool, fn() -> Checked);

/// The checks. The ones with `true` compile everything in release mode.
const CHECKS: [Check; 7] = [
    ("versions are the same everywhere", false, versions),
    ("manifests can be rendered", false, || manifests("")),
    ("workflows ask for no more than they need", false, workflows),
    ("files have the form that others read", false, forms),
    ("every crate can be packaged", false, crates),
    ("a wheel works in an empty environment", true, wheel),
    ("the package for JavaScript works in an empty project", true, javascript),
];

/// Runs the checks, without the slow ones if `quick`, and returns whether none failed.
pub(crate) fn dry_run(quick: bool) -> bool {
    let mut failed = false;
    for (name, _, check) in CHECKS.iter().filter(|(_, is_slow, _)| !(quick && *is_slow)) {
        let started = Instant::now();
        let ending = check().err().unwrap_or(Ending::Passed);
        println!("{:>6.1} s  {name}: {ending:?}", started.elapsed().as_secs_f64());
        failed |= ending == Ending::Failed;
    }
    if repository().is_none_or(|address| address.contains(".invalid")) {
        println!("left for a person: the address of the repository in Cargo.toml");
    }
    !failed
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

fn repository() -> Option<String> {
    field("repository")
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
    let template = read("packaging/manifests.txt")?;
    let zeros = "0".repeat(64);
    for part in template.split("\n==> ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut text = text.to_owned();
        let facts = ["version", "repository", "license"].map(|name| (name, field(name)));
        let about = "Solve, check, generate and study sliding-tile puzzles".to_owned();
        for (name, value) in facts.into_iter().chain([("description", Some(about))]) {
            let Some(value) = value else { return Err(failed(&format!("Cargo.toml: no {name}"))) };
            text = text.replace(&format!("{{{name}}}"), &value);
        }
        while let Some((before, rest)) = text.split_once("{sha256 ") {
            let (archive, after) = rest.split_once('}').unwrap_or((rest, ""));
            let line = sums.lines().find(|line| line.ends_with(archive));
            let sum = line.and_then(|line| line.split_whitespace().next());
            must(sum.is_some() || sums.is_empty(), &format!("no checksum of {archive}"))?;
            text = format!("{before}{}{after}", sum.unwrap_or(&zeros));
        }
        let unknown = ["{version", "{repository", "{license", "{description", "{sha256"];
        must(!unknown.iter().any(|mark| text.contains(mark)), &format!("{name}: a mark is left"))?;
        if name == "scoop/taquin.json" {
            let json: Result<serde_json::Value, _> = serde_json::from_str(&text);
            must(json.is_ok(), &format!("{name}: not JSON"))?;
        }
        let file = path("target/manifests").join(name);
        let written = file.parent().map(fs::create_dir_all).and_then(Result::ok);
        must(written.is_some() && fs::write(&file, text).is_ok(), &file.display().to_string())?;
    }
    Ok(())
}

fn workflows() -> Checked {
    let zizmor = python::programs().join("zizmor");
    if !zizmor.is_file() {
        return Err(Ending::Skipped("cargo xtask python installs zizmor".to_owned()));
    }
    let mut zizmor = Command::new(zizmor);
    zizmor.args(["--offline", "--quiet", "--min-severity", "medium", "--config"]);
    zizmor.arg(path(".github/zizmor.yml")).arg(path(".github/workflows"));
    must(did(&mut zizmor), "the workflows")
}

/// Checks files against their readers' schemas, which come with the checker.
fn forms() -> Checked {
    let checker = python::programs().join("check-jsonschema");
    if !checker.is_file() {
        return Err(Ending::Skipped("cargo xtask python installs check-jsonschema".to_owned()));
    }
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
fn wheel() -> Checked {
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

fn javascript() -> Checked {
    match npm::run(false, false) {
        Ending::Passed => Ok(()),
        ending => Err(ending),
    }
}
