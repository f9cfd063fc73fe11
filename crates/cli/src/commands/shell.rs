//! `taquin completions` and `taquin man`.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::{CommandResult, Failure};
use crate::output::print;

pub(crate) fn completions(shell: Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "taquin", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(crate) fn man(dir: Option<&Path>) -> CommandResult {
    if let Some(dir) = dir {
        let fail = |error| Failure::input(format!("{}: {error}", dir.display()));
        std::fs::create_dir_all(dir).map_err(fail)?;
        clap_mangen::generate_to(Cli::command(), dir).map_err(fail)?;
        return Ok(0);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(0)
}
