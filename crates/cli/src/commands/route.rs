//! `taquin route`.

mod scenarios;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Parser;
use taquin::{Ending, excerpt};
use taquin_lab::route::{Map, MapError, Route};

use crate::args::LimitArgs;
use crate::failure::{CommandResult, Failure, is_file_name};
use crate::input::{Source, named_bytes};
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, thousands};
use crate::report::{exit_code, stopped, tally};
use crate::watch::watched;

/// Find a path through a grid map
///
/// It uses the same search engine as the puzzles. Exits with 11 if no path exists.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin route \"S..#../.#.#.#/.#9..G\"     the cheapest path
  taquin route --file maze.txt -m bfs      the fewest steps
  taquin route maze.txt -m greedy --json
  taquin route - -m astar:manhattan,tie=low-g < maze.txt
  taquin route --scen arena.map.scen       movingai.com: check every length

A map has rows of equal length, on lines or separated by slashes. # is a wall,
. is free, S is the start, G is the goal, and a digit from 1 to 9 is the cost
of entering the cell (. and G cost 1). A step goes up, down, left or right. The
heuristic 'manhattan' is the distance times the cost of the cheapest cell. A
file may also be one of COS30019: [rows,cols], the start (x,y), the goals with |
between them, and the walls (x,y,w,h); its order is -m bfs,moves=ULDR. Or a
layout of CS188 with a wall of %, Pac-Man P and one dot, whose counts come from
-m dfs,goal=expansion,duplicates=expanded,moves=UDRL, and likewise for bfs, ucs
and astar with tie=none,order=fifo.")]
pub(crate) struct RouteArgs {
    /// Map, or a file with a map; - reads standard input
    #[arg(value_name = "MAP", required_unless_present_any = ["file", "scen"])]
    map: Option<String>,
    /// Read the map from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "map")]
    file: Option<PathBuf>,
    /// Method: bfs, dfs, ucs, greedy or astar, with policy fields
    #[arg(long, short, default_value = "astar", value_name = "METHOD")]
    method: String,
    /// Solve the problems of a .scen file of movingai.com in eight directions, and compare the
    /// lengths; MAP or --file names the map, or else the scenarios do
    #[arg(long, value_name = "FILE")]
    scen: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RouteArgs) -> CommandResult {
    if let Some(path) = &args.scen {
        return scenarios::run(args, path);
    }
    let method = Map::method(&args.method)?;
    let map = read(args)?;
    let limits = args.limits.limits();
    let route = watched(true, |monitor| map.solve(&method, &limits, monitor));
    match args.json {
        true => print_json(&route)?,
        false => print(&describe(&route))?,
    }
    Ok(exit_code(route.outcome, route.reason))
}

fn read(args: &RouteArgs) -> Result<Map, Failure> {
    let file = match (&args.file, &args.map) {
        (Some(path), _) => path.clone(),
        (None, Some(text)) if text == "-" || PathBuf::from(text).exists() => text.into(),
        (None, text) => {
            let text = text.as_deref().unwrap_or("");
            return Map::read(text).map_err(|error| match is_file_name(text) {
                true => Failure::input(format!("{}: no such file", excerpt(text)))
                    .hint("check the path, or give a map of the cells # . 1 to 9 S G"),
                false => failure(&error, &Source::argument(text)),
            });
        }
    };
    let (bytes, name) = named_bytes(&file, "a map")?;
    let source = Source { name: Some(name), ..Source::default() };
    let is_octile = bytes.starts_with(b"type octile");
    Map::read(bytes).map_err(|error| match is_octile {
        true => failure(&error, &source).hint(format!(
            "this is a map of movingai.com: give its scenarios as well, as in \
             --scen {0}.scen {0}",
            file.display()
        )),
        false => failure(&error, &source),
    })
}

fn failure(error: &MapError, source: &Source) -> Failure {
    Failure::placed(&error.to_string(), error.place(), "map", source).hint(error.hint())
}

fn describe(route: &Route) -> String {
    let mut text = String::new();
    for row in &route.drawing {
        let _ = writeln!(text, "{}", row.chars().map(drawn).collect::<String>());
    }
    text.push('\n');
    let bound = route.lower_bound.unwrap_or(0);
    let ending = match (route.outcome, route.cost, route.steps) {
        (Ending::Solved, Some(cost), Some(steps)) => {
            let steps = count(steps as u64, "step", "steps");
            let cost = thousands(cost.into());
            let verdict = match route.optimal {
                true => "optimal, no path is cheaper".to_owned(),
                false => format!("not proven optimal; the cost is at least {bound}"),
            };
            format!("{BOLD}{steps}, cost {cost}{PLAIN}: {verdict}.\n")
        }
        (Ending::Stopped, ..) => format!(
            "{BOLD}No path found{PLAIN}: {}. The cost is at least {bound}.\n",
            stopped(route.reason)
        ),
        _ => format!("{BOLD}No path{PLAIN}: walls separate the goal from the start.\n"),
    };
    let _ = write!(text, "{ending}");
    if let Some(moves) = &route.moves {
        let _ = writeln!(text, "{moves}");
    }
    text + &tally(&route.method, &route.counts, route.seconds)
}

fn drawn(cell: char) -> String {
    match cell {
        'S' | 'G' | '^' | '<' | '>' | 'v' => format!("{BOLD}{cell}{PLAIN}"),
        '.' => format!("{DIM}.{PLAIN}"),
        _ => cell.to_string(),
    }
}
