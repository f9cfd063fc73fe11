//! `taquin config`.

use clap::Parser;

use crate::columns::Columns;
use crate::config::CONFIG;
use crate::failure::CommandResult;
use crate::output::{print, print_json, say};

/// Show the settings and where each comes from
#[derive(Parser, Debug)]
#[command(after_help = "\
Example:
  taquin config

The settings are read from config.toml in the folder 'taquin' of the platform's
configuration folder, or from the file that TAQUIN_CONFIG names:

  notation = \"tile\"       # of moves: blank or tile
  goal = \"first\"          # unless a course or a set has its own
  threads = 4             # for methods that can use several
  cache = \"/big/taquin\"   # the folder for tables

The variables TAQUIN_NOTATION, TAQUIN_GOAL, TAQUIN_THREADS and TAQUIN_CACHE
override the file, and flags override both.")]
pub(crate) struct ConfigArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ConfigArgs) -> CommandResult {
    if args.json {
        let setting = |[name, value, source]: [String; 3]| {
            (name, serde_json::json!({ "value": value, "source": source }))
        };
        let settings: serde_json::Map<_, _> = CONFIG.rows().into_iter().map(setting).collect();
        print_json(&settings)?;
        return Ok(0);
    }
    match &CONFIG.path {
        Some(path) if path.exists() => say(&format!("file: {}", path.display())),
        Some(path) => say(&format!("file: {}, which does not exist", path.display())),
        None => say("file: none"),
    }
    print(&Columns::new("lll").bold_names().rows(CONFIG.rows()).text())?;
    Ok(0)
}
