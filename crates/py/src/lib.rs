//! The extension module of the Python package `taquin`.
//!
//! It fills in the same `Request` as the command line and shows the same reports. Python code on
//! top of it, in `python/taquin`, adds types and displays for notebooks.

mod arrow;
mod background;
mod board;
mod errors;
mod experiment;
mod hints;
mod lookahead;
mod options;
mod own;
mod picture;
mod program;
mod report;
mod search;
mod solve;
mod studies;
mod trace;

/// Everything that `python/taquin` uses.
#[pyo3::pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::arrow::arrow_stream;
    #[pymodule_export]
    use crate::background::end_calls;
    #[pymodule_export]
    use crate::board::PyBoard;
    #[pymodule_export]
    use crate::experiment::Store;
    #[pymodule_export]
    use crate::picture::render;
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::report::{PyCounts, PyReport, PyStage};
    #[pymodule_export]
    use crate::search::search;
    #[pymodule_export]
    use crate::solve::{Reports, solutions, solve, solve_in_turn, solve_many};
    #[pymodule_export]
    use crate::studies::{
        PyInstance, audit, check, compare, courses, enumerate, find_matches, generate,
        instance_sets, instances, methods, scramble,
    };
    #[pymodule_export]
    use crate::trace::{PyStep, PyTrace, trace};

    /// The version of taquin.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
