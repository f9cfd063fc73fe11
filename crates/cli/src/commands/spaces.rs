//! `taquin spaces`.

use clap::Parser;
use serde_json::json;
use taquin::{Board, Enumeration, Metric, Size};
use taquin_draw::metric_words;
use taquin_lab::{KnownSpace, SpaceGroup, known_groups, known_space, known_spaces};

use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{print, print_json, thousands};
use crate::space::describe;

/// Print whole spaces that have been enumerated, at once
///
/// The program has the number of boards at each depth for every goal of the small
/// boards with one to three blanks, and for some larger ones.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin spaces                          sizes, metrics and diameters
  taquin spaces 3x4                      every goal of the 3x4 boards
  taquin spaces 3x4 --blanks 2 --metric multi
  taquin spaces 3x5 --goal last          the boards at each depth
  taquin spaces 2x4 --goal \"7 6 5 4/3 2 1 0\" --chart
  taquin spaces 3x3 --json

Goals that are turned, reflected or renumbered images have the same space, so
that one of them stands for all. The diameter is the greatest distance of any
two boards. 'taquin enumerate' computes a space again.")]
pub(crate) struct SpacesArgs {
    /// Size of the boards
    #[arg(value_name = "RxC")]
    size: Option<Size>,
    /// Number of blanks [default: any; with --goal: 1]
    #[arg(long, value_name = "N")]
    blanks: Option<usize>,
    /// Print the space of one goal: last, first, spiral, a board, or @FILE
    #[arg(long, short, value_name = "GOAL", requires = "size")]
    goal: Option<String>,
    /// Metric: single (a move slides one tile) or multi (several tiles in a line)
    /// [default: either; with --goal: single]
    #[arg(long, value_name = "METRIC")]
    metric: Option<Metric>,
    /// Draw the distribution of the goal as bars
    #[arg(long, requires = "goal")]
    chart: bool,
    /// Print one JSON object for the goal, or an array
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SpacesArgs) -> CommandResult {
    match (&args.goal, args.size) {
        (Some(goal), Some(size)) => {
            let goal = goal_of_size(goal, size, args.blanks.unwrap_or(1))?;
            one(args, &goal, args.metric.unwrap_or_default())?;
        }
        (_, Some(_)) => each(args)?,
        (_, None) => groups(args)?,
    }
    Ok(0)
}

impl SpacesArgs {
    fn admits(&self, size: Size, blanks: usize, metric: Metric) -> bool {
        self.size.is_none_or(|only| only == size)
            && self.blanks.is_none_or(|only| only == blanks)
            && self.metric.is_none_or(|only| only == metric)
    }
}

/// Prints the space of one goal.
fn one(args: &SpacesArgs, goal: &Board, metric: Metric) -> Result<(), Failure> {
    let Some(KnownSpace { space, .. }) = known_space(goal, metric) else {
        return Err(Failure::input(format!(
            "the space of {goal} is not known, {}",
            metric_words(metric)
        ))
        .hint("'taquin spaces' lists the known ones, and 'taquin enumerate' computes others"));
    };
    match args.json {
        true => print_json(&space)?,
        false => print(&describe(&space, goal, args.chart))?,
    }
    Ok(())
}

/// Prints a line for each goal.
fn each(args: &SpacesArgs) -> Result<(), Failure> {
    let admitted = |known: &KnownSpace| {
        let Enumeration { rows, cols, goal, metric, .. } = &known.space;
        let blanks = goal.iter().filter(|&&tile| tile == 0).count();
        Size::new(*rows, *cols).is_ok_and(|size| args.admits(size, blanks, *metric))
    };
    let found: Vec<KnownSpace> = known_spaces().filter(admitted).collect();
    if args.json {
        return Ok(print_json(&found.iter().map(|known| &known.space).collect::<Vec<_>>())?);
    }
    let row = |KnownSpace { command, space }: &KnownSpace| {
        let goal = command.split('"').nth(1).unwrap_or_default();
        [
            goal.to_owned(),
            space.metric.to_string(),
            thousands(space.states),
            space.max_depth.to_string(),
            thousands(space.depths[space.depths.len() - 1]),
            format!("{:.6}", space.mean_depth),
        ]
    };
    if found.is_empty() {
        return Err(Failure::input("no such space is known").hint("'taquin spaces' lists them"));
    }
    let headings = ["goal", "metric", "boards", "farthest", "of these", "mean depth"];
    Ok(print(&Columns::new("llrrrr").headings(headings).rows(found.iter().map(row)).text())?)
}

/// Prints a line for each size, number of blanks and metric.
fn groups(args: &SpacesArgs) -> Result<(), Failure> {
    let admitted = |group: &SpaceGroup| args.admits(group.size, group.blanks, group.metric);
    let found: Vec<SpaceGroup> = known_groups().into_iter().filter(admitted).collect();
    if args.json {
        let group = |group: &SpaceGroup| {
            json!({
                "rows": group.size.rows(), "cols": group.size.cols(), "blanks": group.blanks,
                "metric": group.metric, "known": group.known, "goals": group.goals,
                "diameter": group.diameter,
            })
        };
        return Ok(print_json(&found.iter().map(group).collect::<Vec<_>>())?);
    }
    let row = |group: &SpaceGroup| {
        [
            group.size.to_string(),
            group.blanks.to_string(),
            group.metric.to_string(),
            format!("{} of {}", group.known, group.goals),
            group.diameter.map_or_else(|| "-".to_owned(), |diameter| diameter.to_string()),
        ]
    };
    let headings = ["size", "blanks", "metric", "goals", "diameter"];
    Ok(print(&Columns::new("lrlrr").headings(headings).rows(found.iter().map(row)).text())?)
}
