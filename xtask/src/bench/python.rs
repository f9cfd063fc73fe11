//! The Python package compared with the program, the textbook and another package.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::{Measured, Row};
use crate::browser::did;
use crate::path;
use crate::python::{pip, programs};

pub(super) const GROUP: &str = "python";

/// A package to compare with.
const OTHER: &str = "slidingpuzzle==0.1.5";

/// Another, which the tests do not need either.
const GRAPHS: &str = "rustworkx>=0.17";

/// A row as the script prints it.
#[derive(Deserialize)]
struct Line {
    name: String,
    value: f64,
    unit: String,
    must: f64,
    aim: f64,
    note: String,
}

pub(super) fn rows() -> Result<Vec<Measured>> {
    let python = programs().join("python");
    ensure!(python.is_file(), "'cargo xtask python' makes the environment that this needs");
    let mut maturin = Command::new(programs().join("maturin"));
    maturin.args(["develop", "--quiet", "--release"]).env("VIRTUAL_ENV", path("target/python"));
    ensure!(did(maturin.current_dir(path(""))), "the package can't be built");
    // It needs an old numpy, which the tests of the package cannot use.
    let other = path("target/python-other");
    if !other.join("slidingpuzzle").is_dir() {
        let mut install = pip(&python);
        ensure!(did(install.arg("--target").arg(&other).arg(OTHER)), "{OTHER} can't be installed");
    }
    ensure!(did(pip(&python).arg(GRAPHS)), "{GRAPHS} can't be installed");
    let mut bench = Command::new(&python);
    bench.arg(path("python/benchmarks/bench.py")).arg(path("target/release/taquin")).arg(other);
    let output = bench.output().context("python can't be started")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "python/benchmarks/bench.py: {errors}");
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    lines
        .map(|line| {
            let Line { name, value, unit, must, aim, note } = line?;
            let targets = format!("{must} {aim}");
            let row = Row { name, value: String::new(), unit, targets, note };
            Ok(Measured { row, value, other: None })
        })
        .collect()
}
