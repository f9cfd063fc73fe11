//! The program `taquin`.

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
mod report;
mod scheduler;
mod suggest;
mod tables;
mod watch;

use std::io::{IsTerminal, stderr, stdin};
use std::panic;
use std::process::{ExitCode, exit};

use clap::{FromArgMatches, Parser};

use crate::args::Cli;
use crate::failure::Failure;

fn main() -> ExitCode {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| match Failure::without_threads(panic) {
        Some(failure) => exit(failure.report().into()),
        None => usual(panic),
    }));
    let cli = match is_alone() {
        true => Cli::parse_from(["taquin", "ask"]),
        false => args::command()
            .try_get_matches()
            .and_then(|matches| Cli::from_arg_matches(&matches))
            .unwrap_or_else(|error| output::usage(&args::with_tip(error))),
    };
    output::set_color(cli.common.color);
    match config::CONFIG.check().and_then(|()| commands::run(cli.command)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(failure.report()),
    }
}

/// Returns whether the program was started on a terminal without arguments.
fn is_alone() -> bool {
    std::env::args_os().len() == 1 && stdin().is_terminal() && stderr().is_terminal()
}
