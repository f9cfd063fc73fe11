//! The program `taquin`.

mod args;
mod commands;
mod failure;
mod input;
mod output;
mod watch;

use std::io::{IsTerminal, stderr, stdin};
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match is_alone() {
        true => Cli::parse_from(["taquin", "ask"]),
        false => Cli::try_parse().unwrap_or_else(|error| output::usage(&error)),
    };
    output::set_color(cli.color);
    let result = match cli.command {
        Command::Solve(args) => commands::solve::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Gen(args) => commands::gen_boards::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Heuristic(args) => commands::heuristic::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Pdb(args) => commands::pdb::run(&args),
        Command::Methods => commands::methods::run(),
        Command::Show(args) => commands::show::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Experiment(args) => commands::experiment::run(&args),
        Command::Courses(args) => commands::courses::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Match(args) => commands::match_counts::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Ask(args) => commands::ask::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Enumerate(args) => commands::enumerate::run(&args),
        Command::Queens(args) => commands::queens::run(&args),
        Command::Route(args) => commands::route::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man { dir } => commands::shell::man(dir.as_deref()),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(failure.report()),
    }
}

/// Whether somebody typed the program's name and nothing else.
fn is_alone() -> bool {
    std::env::args_os().len() == 1 && stdin().is_terminal() && stderr().is_terminal()
}
