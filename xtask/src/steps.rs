//! Steps that cargo does, each timed, and a summary at the end.
//!
//! A step that fails does not stop the others: a broken format does not make the tests less
//! interesting.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::cargo;

/// Something that cargo does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    name: &'static str,
    /// With single spaces between them.
    pub(crate) arguments: &'static str,
    environment: &'static [(&'static str, &'static str)],
    /// The part of the toolchain that the step needs and that may be missing.
    component: Option<&'static str>,
    /// Runs the step if it is more than one cargo call.
    instead: Option<fn(&Step, Rules) -> Ending>,
}

/// The permissions for a run of steps, and the definition of a failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Missing programs are installed.
    pub(crate) install: bool,
    /// A skipped step is a failure.
    pub(crate) strict: bool,
}

const CARGO: Step =
    Step { name: "", arguments: "", environment: &[], component: None, instead: None };

/// The checks before anything is run.
pub(crate) const CHECK: [Step; 5] = [
    Step { name: "format", arguments: "fmt --all --check", component: Some("rustfmt"), ..CARGO },
    Step {
        name: "lints",
        arguments: "clippy --workspace --all-targets -- --deny warnings",
        component: Some("clippy"),
        ..CARGO
    },
    Step {
        name: "documentation",
        // Libraries only: the program and the facade have the same name.
        arguments: "doc --workspace --no-deps --lib",
        environment: &[("RUSTDOCFLAGS", "--deny warnings")],
        ..CARGO
    },
    Step {
        name: "words",
        arguments: "xtask words",
        instead: Some(|_, _| Ending::of(crate::words::check(false))),
        ..CARGO
    },
    Step {
        name: "book",
        arguments: "xtask book",
        instead: Some(|_, _| Ending::of(crate::book::run())),
        ..CARGO
    },
];

/// The tests, and the examples in the documentation.
pub(crate) const TEST: Step = Step {
    name: "tests",
    arguments: "test --workspace --no-fail-fast",
    instead: Some(hermetic),
    ..CARGO
};

/// The page, in a browser.
pub(crate) const BROWSER: Step = Step {
    name: "browser",
    // With the features of the whole workspace, as the tests: nothing is compiled twice.
    arguments: "build --workspace --bin taquin",
    instead: Some(|_, rules| crate::browser::run(rules.install)),
    ..CARGO
};

/// The Python package: its stubs, its types and its tests.
pub(crate) const PYTHON: Step = Step {
    name: "python",
    arguments: "build --package taquin-py",
    instead: Some(|_, rules| crate::python::run(rules.install)),
    ..CARGO
};

/// The kernels for CUDA devices, with a compiler that pip installs.
pub(crate) const KERNELS: Step = Step {
    name: "kernels",
    arguments: "test --workspace --test it kernels_ -- --include-ignored",
    instead: Some(|_, rules| crate::gpu::kernels(rules.install)),
    ..CARGO
};

/// The tests that need a CUDA device.
pub(crate) const DEVICE: Step = Step {
    name: "device",
    arguments: "test --package taquin-gpu",
    instead: Some(|_, _| crate::gpu::device()),
    ..CARGO
};

/// The tests that mount a small disk.
pub(crate) const FULL_DISK: Step = Step {
    name: "full disk",
    arguments: "test --workspace --test it a_full_disk -- --ignored",
    instead: Some(|step, rules| {
        step.if_succeeds("unshare --mount --map-root-user mount -t tmpfs none /tmp", rules)
    }),
    ..CARGO
};

/// The test with a real Slurm.
pub(crate) const SLURM: Step = Step {
    name: "slurm",
    arguments: "test --workspace --test it on_slurm -- --ignored",
    instead: Some(|step, rules| {
        let programs = "munged slurmctld slurmd sbatch squeue scancel";
        step.if_succeeds(&format!("test $(id -u) = 0 && which {programs}"), rules)
    }),
    ..CARGO
};

/// The tests that are ignored because they are slow.
pub(crate) const SLOW: Step = Step {
    name: "slow tests",
    // Examples that the documentation ignores are not meant to be run. Other steps have the
    // requirements of the tests that are left out.
    arguments: "test --workspace --exclude taquin-gpu --no-fail-fast --lib --bins \
                --tests -- --ignored --skip a_full_disk --skip on_slurm",
    instead: Some(hermetic),
    ..CARGO
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Passed,
    Failed,
    /// Nothing was run, for this reason.
    Skipped(String),
}

impl Ending {
    fn of(passed: anyhow::Result<bool>) -> Self {
        match passed {
            Ok(true) => Self::Passed,
            Ok(false) => Self::Failed,
            Err(error) => {
                eprintln!("{error:#}");
                Self::Failed
            }
        }
    }
}

/// Runs steps one after the other and returns whether all passed.
pub(crate) fn run(steps: &[Step], rules: Rules) -> bool {
    let mut done = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let Step { name, arguments, .. } = step;
        eprintln!("\n==> {number}/{} {name}: cargo {arguments}", steps.len());
        let started = Instant::now();
        done.push((step, step.run(rules), started.elapsed()));
    }
    eprintln!();
    for (step, ending, time) in &done {
        eprintln!("{}", step.summary(ending, *time));
    }
    let endings: Vec<Ending> = done.into_iter().map(|(_, ending, _)| ending).collect();
    let skipped = endings.iter().filter(|ending| matches!(ending, Ending::Skipped(_))).count();
    if skipped > 0 {
        let verdict = if rules.strict { ", which is a failure here" } else { "" };
        eprintln!("\n!!! {skipped} of {} steps were SKIPPED{verdict}", steps.len());
        if !rules.install {
            eprintln!("    --install installs what is missing");
        }
    }
    passed(&endings, rules)
}

pub(crate) fn passed(endings: &[Ending], rules: Rules) -> bool {
    endings.iter().all(|ending| match ending {
        Ending::Passed => true,
        Ending::Failed => false,
        Ending::Skipped(_) => !rules.strict,
    })
}

/// Runs tests with an empty folder in place of the account's cached tables, and fails if one of
/// them wrote to it: a test has a folder of its own, or none.
fn hermetic(step: &Step, _: Rules) -> Ending {
    let cache = std::env::temp_dir().join(format!("taquin-test-cache-{}", std::process::id()));
    let ending = in_empty(&cache, |cache| step.cargo(&[("TAQUIN_CACHE", cache.as_os_str())]));
    ending.unwrap_or_else(|error| {
        eprintln!("{}: {error}", cache.display());
        Ending::Failed
    })
}

/// Does something with an empty folder, which must be empty afterwards.
fn in_empty(folder: &Path, what: impl FnOnce(&Path) -> Ending) -> std::io::Result<Ending> {
    std::fs::create_dir(folder)?;
    let ending = what(folder);
    let written: Vec<_> = std::fs::read_dir(folder)?
        .map(|file| Ok(file?.file_name().display().to_string()))
        .collect::<std::io::Result<_>>()?;
    std::fs::remove_dir_all(folder)?;
    if written.is_empty() {
        return Ok(ending);
    }
    eprintln!("a test wrote to the account's cache folder: {}", written.join(", "));
    Ok(Ending::Failed)
}

impl Step {
    fn run(&self, rules: Rules) -> Ending {
        if let Some(component) = self.component
            && !self.is_there()
        {
            let add = format!("rustup component add {component}");
            if !rules.install || !self.install(component) {
                return Ending::Skipped(format!("{component} is missing: {add}"));
            }
        }
        match self.instead {
            Some(instead) => instead(self, rules),
            None => self.cargo::<&str>(&[]),
        }
    }

    /// Runs the step if a shell command shows that the machine meets its requirements.
    fn if_succeeds(&self, command: &str, rules: Rules) -> Ending {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command]).stdout(Stdio::null()).stderr(Stdio::null());
        match shell.status().is_ok_and(|status| status.success()) {
            true => hermetic(self, rules),
            false => Ending::Skipped(format!("not possible here: {command}")),
        }
    }

    fn cargo<V: AsRef<OsStr>>(&self, more: &[(&str, V)]) -> Ending {
        let mut cargo = cargo();
        cargo.args(self.arguments.split(' ')).envs(self.environment.iter().copied());
        cargo.envs(more.iter().map(|(name, value)| (name, value)));
        match cargo.status() {
            Ok(status) if status.success() => Ending::Passed,
            Ok(_) => Ending::Failed,
            Err(error) => {
                eprintln!("cargo can't be started: {error}");
                Ending::Failed
            }
        }
    }

    fn is_there(&self) -> bool {
        let mut version = cargo();
        version
            .args(self.arguments.split(' ').take(1))
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    }

    fn install(&self, component: &str) -> bool {
        let mut rustup = std::process::Command::new("rustup");
        rustup.args(["component", "add", component]);
        rustup.status().is_ok_and(|status| status.success()) && self.is_there()
    }

    fn summary(&self, ending: &Ending, time: Duration) -> String {
        let (word, reason) = match ending {
            Ending::Passed => ("passed", String::new()),
            Ending::Failed => ("FAILED", String::new()),
            Ending::Skipped(reason) => ("SKIPPED", format!("  {reason}")),
        };
        format!("{:<14} {word:<8} {:>6.1} s{reason}", self.name, time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Rules = Rules { install: false, strict: false };
    const STRICT: Rules = Rules { install: false, strict: true };

    #[test]
    fn steps_end_as_cargo_does() {
        let fine = Step { name: "fine", arguments: "--version", ..CARGO };
        let broken = Step { arguments: "no-such-command", ..fine };
        assert_eq!((fine.run(FREE), broken.run(FREE)), (Ending::Passed, Ending::Failed));
        assert!(run(&[fine], STRICT) && !run(&[broken, fine], FREE));
        let skipped = Step { instead: Some(|_, _| Ending::Skipped(String::new())), ..fine };
        assert!(run(&[skipped, fine], FREE) && !run(&[skipped, fine], STRICT));
    }

    #[test]
    fn a_missing_component_is_not_installed_without_permission() {
        let step =
            Step { arguments: "no-such-command", component: Some("no-such-component"), ..CARGO };
        let ending = step.run(FREE);
        assert!(matches!(&ending, Ending::Skipped(why) if why.contains("no-such-component")));
        assert!(step.summary(&ending, Duration::ZERO).contains("rustup component add"));
    }

    #[test]
    fn a_skip_is_a_failure_where_nothing_may_be_skipped() {
        use Ending::{Failed, Passed, Skipped};
        let skipped = || Skipped(String::new());
        assert!(passed(&[Passed, skipped(), Passed], FREE));
        assert!(!passed(&[Passed, skipped(), Passed], STRICT));
        assert!(passed(&[Passed, Passed], STRICT));
        assert!(!passed(&[Failed, Passed], FREE));
    }

    #[test]
    fn a_file_in_the_cache_folder_is_a_failure() {
        let folder = std::env::temp_dir().join(format!("taquin-steps-{}", std::process::id()));
        assert_eq!(in_empty(&folder, |_| Ending::Passed).unwrap(), Ending::Passed);
        let writes = |folder: &Path| {
            std::fs::write(folder.join("table"), "").unwrap();
            Ending::Passed
        };
        assert_eq!(in_empty(&folder, writes).unwrap(), Ending::Failed);
        assert!(!folder.exists());
    }
}
