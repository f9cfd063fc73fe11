//! The program `taquin`, which the package brings along.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the program with its name and its arguments, and returns its exit code; errors in the arguments
/// end the process. `program` is what starts it again.
#[pyfunction]
#[pyo3(signature = (arguments, program=None))]
pub(crate) fn run_program(
    py: Python<'_>,
    arguments: Vec<OsString>,
    program: Option<PathBuf>,
) -> u8 {
    py.detach(|| taquin_cli::run(arguments, program))
}
