//! The Python package compared with the program, the textbook and another package.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{Options, Row};
use crate::browser::did;
use crate::path;
use crate::python::{pip, programs};

/// The package to compare with.
const OTHER: &str = "slidingpuzzle==0.1.5";

pub(super) fn rows(_: &Options) -> Result<Vec<Row>> {
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
    let mut bench = Command::new(&python);
    bench.arg(path("python/benchmarks/bench.py")).arg(path("target/release/taquin")).arg(other);
    let output = bench.output().context("python can't be started")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "python/benchmarks/bench.py: {errors}");
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(row).collect()
}

fn row(line: &str) -> Result<Row> {
    let facts: Value = serde_json::from_str(line)?;
    let text = |key: &str| facts[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| facts[key].as_f64().with_context(|| format!("no {key} in {line}"));
    Ok(Row {
        name: text("name"),
        value: number("value")?,
        unit: match text("unit").as_str() {
            "ms" => "ms",
            "us" => "us",
            _ => "",
        },
        must: number("must")?,
        aim: number("aim")?,
        note: text("note"),
    })
}
