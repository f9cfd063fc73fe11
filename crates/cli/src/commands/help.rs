//! `taquin help`.

use std::iter;

use clap::Parser;

use crate::args;
use crate::failure::CommandResult;
use crate::output::{print, usage};

/// Explain a command, or list every command with --all
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin help solve
  taquin help tables build
  taquin help --all")]
pub(crate) struct HelpArgs {
    /// Command to explain
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// List every command, with the notations and the exit codes
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

pub(crate) fn run(args: &HelpArgs) -> CommandResult {
    if !args.command.is_empty() {
        let words = iter::once("taquin").chain(args.command.iter().map(String::as_str));
        let asked = args::first_screen().try_get_matches_from(words.chain(["--help"]));
        return asked.map_or_else(|answer| usage(&args::with_tip(answer)), |_| Ok(0));
    }
    let mut program = match args.all {
        true => args::every_command(),
        false => args::first_screen(),
    };
    print(&program.render_long_help().ansi().to_string())?;
    Ok(0)
}
