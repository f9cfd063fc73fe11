//! `taquin completions` and `taquin man`.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Cli, OTHERS, TASKS};
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print, replace_file, say};

pub(crate) fn completions(shell: Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "taquin", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(crate) fn man(dir: Option<&Path>) -> CommandResult {
    if let Some(dir) = dir {
        std::fs::create_dir_all(dir).map_err(|error| Failure::unwritable(dir, &error))?;
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let pages = write_pages(dir, &command)?;
        say(&format!("wrote {} to {}", count(pages, "page", "pages"), dir.display()));
        return Ok(0);
    }
    let mut page = Vec::new();
    render_program(&Cli::command(), &mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(0)
}

/// Writes the program's page, with its commands grouped by task.
fn render_program(program: &clap::Command, out: &mut dyn Write) -> io::Result<()> {
    let page = clap_mangen::Man::new(program.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    for (title, names) in TASKS.into_iter().chain([OTHERS]) {
        writeln!(out, ".SH {}", title.to_uppercase())?;
        for name in names {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default().replace('-', "\\-");
            writeln!(out, ".TP\n\\fBtaquin\\-{name}\\fR(1)\n{about}")?;
        }
    }
    page.render_options_section(out)?;
    page.render_extra_section(out)?;
    page.render_version_section(out)
}

/// Writes a command's page and its subcommands' pages, and returns their number.
fn write_pages(dir: &Path, command: &clap::Command) -> Result<u64, Failure> {
    let page = clap_mangen::Man::new(command.clone());
    replace_file(&dir.join(page.get_filename()), |out| match command.get_name() {
        "taquin" => render_program(command, out),
        _ => page.render(out),
    })?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    below.map(|below| write_pages(dir, below)).try_fold(1, |pages, more| Ok(pages + more?))
}
