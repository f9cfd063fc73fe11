//! Steps that cargo does, each timed, and a summary at the end.
//!
//! A step that fails does not stop the others: who broke the format also wants to know about the
//! tests.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::cargo;

/// Something that cargo does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// The part of the toolchain that it needs and that may be missing.
    component: Option<&'static str>,
    /// What is done where it is more than a call of cargo.
    instead: Option<fn() -> Ending>,
}

/// What must hold before anything is run.
pub(crate) const CHECK: [Step; 3] = [
    Step {
        name: "format",
        arguments: &["fmt", "--all", "--check"],
        environment: &[],
        component: Some("rustfmt"),
        instead: None,
    },
    Step {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"],
        environment: &[],
        component: Some("clippy"),
        instead: None,
    },
    Step {
        name: "documentation",
        // Of libraries alone: the program and the facade have the same name.
        arguments: &["doc", "--workspace", "--no-deps", "--lib"],
        environment: &[("RUSTDOCFLAGS", "--deny warnings")],
        component: None,
        instead: None,
    },
];

/// The tests, and the examples in the documentation.
pub(crate) const TEST: Step = Step {
    name: "tests",
    arguments: &["test", "--workspace", "--no-fail-fast"],
    environment: &[],
    component: None,
    instead: None,
};

/// The page, in a browser.
pub(crate) const BROWSER: Step = Step {
    name: "browser",
    arguments: &["build", "--package", "taquin-cli"],
    environment: &[],
    component: None,
    instead: Some(crate::browser::run),
};

/// The tests that are ignored because they are slow.
pub(crate) const SLOW: Step = Step {
    name: "slow tests",
    // Examples in the documentation that are ignored are not meant to be run.
    arguments: &[
        "test",
        "--workspace",
        "--no-fail-fast",
        "--lib",
        "--bins",
        "--tests",
        "--",
        "--ignored",
    ],
    environment: &[],
    component: None,
    instead: None,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Passed,
    Failed,
    Skipped,
}

/// Runs steps one after the other and says whether all passed; where `strict`, none may be skipped.
pub(crate) fn run(steps: &[Step], strict: bool) -> bool {
    let mut done = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let command = step.arguments.join(" ");
        eprintln!("\n==> {number}/{} {}: cargo {command}", steps.len(), step.name);
        let started = Instant::now();
        done.push((step, step.run(), started.elapsed()));
    }
    eprintln!();
    for (step, ending, time) in &done {
        eprintln!("{}", step.summary(*ending, *time));
    }
    let endings: Vec<Ending> = done.into_iter().map(|(_, ending, _)| ending).collect();
    let skipped = endings.iter().filter(|ending| **ending == Ending::Skipped).count();
    if skipped > 0 {
        let verdict = if strict { "and none may be" } else { "so nobody knows whether they pass" };
        eprintln!("\n!!! {skipped} of {} steps were SKIPPED, {verdict}", steps.len());
    }
    passed(&endings, strict)
}

fn passed(endings: &[Ending], strict: bool) -> bool {
    endings.iter().all(|ending| match ending {
        Ending::Passed => true,
        Ending::Failed => false,
        Ending::Skipped => !strict,
    })
}

impl Step {
    fn run(&self) -> Ending {
        if self.component.is_some_and(|component| !self.is_there() && !self.install(component)) {
            return Ending::Skipped;
        }
        if let Some(instead) = self.instead {
            return instead();
        }
        let environment = self.environment.iter().copied();
        match cargo().args(self.arguments).envs(environment).status() {
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
        version.args([self.arguments[0], "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    }

    fn install(&self, component: &str) -> bool {
        eprintln!("{component} is missing: rustup component add {component}");
        let mut rustup = std::process::Command::new("rustup");
        rustup.args(["component", "add", component]);
        rustup.status().is_ok_and(|status| status.success()) && self.is_there()
    }

    fn summary(&self, ending: Ending, time: Duration) -> String {
        let word = match ending {
            Ending::Passed => "passed",
            Ending::Failed => "FAILED",
            Ending::Skipped => "SKIPPED",
        };
        format!("{:<14} {word:<8} {:>6.1} s", self.name, time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_as_cargo_does() {
        let fine = Step {
            name: "fine",
            arguments: &["--version"],
            environment: &[],
            component: None,
            instead: None,
        };
        let broken = Step { arguments: &["no-such-command"], ..fine };
        assert_eq!((fine.run(), broken.run()), (Ending::Passed, Ending::Failed));
        assert!(run(&[fine], true) && !run(&[broken, fine], false));
        let skipped = Step { instead: Some(|| Ending::Skipped), ..fine };
        assert!(run(&[skipped, fine], false) && !run(&[skipped, fine], true));
    }

    #[test]
    fn a_skip_is_a_failure_where_nothing_may_be_skipped() {
        use Ending::{Failed, Passed, Skipped};
        assert!(passed(&[Passed, Skipped, Passed], false));
        assert!(!passed(&[Passed, Skipped, Passed], true));
        assert!(passed(&[Passed, Passed], true));
        assert!(!passed(&[Failed, Passed], false));
    }
}
