//! The program `taquin` as a library, for packages that bring it along.

mod args;
mod columns;
mod commands;
mod config;
mod failure;
mod folders;
mod follow;
mod input;
mod instances;
mod output;
mod pictures;
mod posthoc;
mod report;
mod scheduler;
mod space;
mod suggest;
mod tables;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::exit;
use std::sync::OnceLock;
use std::{env, panic};

use clap::FromArgMatches;

use crate::args::Cli;
use crate::failure::Failure;

/// How the program was started.
struct Invocation {
    arguments: Vec<OsString>,
    /// The program to start for other processes.
    program: Option<PathBuf>,
}

static INVOCATION: OnceLock<Invocation> = OnceLock::new();

/// The name of the program, and the arguments after it.
fn arguments() -> &'static [OsString] {
    INVOCATION.get().map_or(&[], |invocation| &invocation.arguments)
}

/// Returns the path of this program, for other processes.
fn program() -> std::io::Result<PathBuf> {
    match INVOCATION.get().and_then(|invocation| invocation.program.clone()) {
        Some(program) => Ok(program),
        None => env::current_exe(),
    }
}

/// Runs the program with its name and its arguments, and returns its exit code. `program` starts it
/// again, if the executable of this process does not. Errors in the arguments end the process.
pub fn run(arguments: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    let arguments = &INVOCATION.get_or_init(|| Invocation { arguments, program }).arguments;
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| match Failure::without_threads(panic) {
        Some(failure) => exit(failure.report().into()),
        None => usual(panic),
    }));
    let cli = args::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .unwrap_or_else(|error| output::usage(&args::with_tip(error)));
    output::set_color(cli.common.color);
    match config::CONFIG.check().and_then(|()| commands::run(cli.command)) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
