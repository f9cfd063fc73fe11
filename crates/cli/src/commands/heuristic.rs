//! `taquin heuristic`.

use std::fmt::Write;

use clap::Parser;
use serde::Serialize;
use taquin::{Additive, Conflict, Costs, Estimate, Linear, Measure, Puzzle, Tile};
use taquin_lab::{NamedEstimate, Request, estimates};

use crate::args::PuzzleArgs;
use crate::columns::Columns;
use crate::failure::CommandResult;
use crate::output::{print, print_json};
use crate::suggest;
use crate::tables;

/// Show each heuristic's estimate for a board
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin heuristic \"8 1 3/4 0 2/7 6 5\"
  taquin heuristic 724506831 --goal first
  taquin heuristic \"2 3 6/1 0 7/4 8 5\" --cost tile")]
pub(crate) struct HeuristicArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// Cost of a move: unit, tile (its number), another name, or a list
    #[arg(long, default_value_t, value_name = "COST")]
    cost: Costs,
    /// Use the goal of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    puzzle: &'a Puzzle,
    cost: &'a Costs,
    estimates: Vec<NamedEstimate>,
    tiles: Vec<Share>,
}

/// The part of an estimate that belongs to a tile.
#[derive(Serialize)]
struct Share {
    tile: Tile,
    misplaced: f64,
    euclidean: f64,
    manhattan: f64,
}

pub(crate) fn run(args: &HeuristicArgs) -> CommandResult {
    let (course, cost) = (args.course.clone(), Some(args.cost.clone()));
    let request = Request { course, cost, ..Request::default() };
    let puzzle = args.puzzle.ask(request)?.task.puzzle;
    let estimates = estimates(Estimate::NAMED, &puzzle, &args.cost, &tables::session());
    let tiles = shares(&puzzle, &args.cost);
    if args.json {
        print_json(&Answer { puzzle: &puzzle, cost: &args.cost, estimates, tiles })?;
        return Ok(0);
    }
    let share = |Share { tile, misplaced, euclidean, manhattan }: &Share| {
        let [tile, misplaced, manhattan] =
            [&f64::from(*tile), misplaced, manhattan].map(ToString::to_string);
        [tile, misplaced, manhattan, format!("{euclidean:.2}")]
    };
    let headings = ["tile", "misplaced", "manhattan", "euclidean"];
    let mut text =
        Columns::new("rrrr").headings(headings).rows(tiles.iter().map(share)).text() + "\n";
    let named = |NamedEstimate { heuristic, estimate, about }: &NamedEstimate| {
        [heuristic.clone(), estimate.to_string(), (*about).to_owned()]
    };
    text += &Columns::new("lrl").bold_names().rows(estimates.iter().map(named)).text();
    text.push('\n');
    text += &conflicts(&puzzle, &args.cost);
    text += &blank_note(&puzzle);
    print(&text)?;
    Ok(0)
}

fn shares(puzzle: &Puzzle, costs: &Costs) -> Vec<Share> {
    let [misplaced, euclidean, manhattan] =
        [Measure::Misplaced, Measure::Euclidean, Measure::Manhattan]
            .map(|measure| Additive::new(measure, puzzle, costs));
    let cells = puzzle.start().positions();
    let tiles = puzzle.start().tiles().iter().filter(|&&tile| tile != 0).count();
    let share = |tile: usize| {
        let (tile, cell) = (tile as Tile, cells[tile]);
        Share {
            tile,
            misplaced: misplaced.share(tile, cell),
            euclidean: euclidean.share(tile, cell),
            manhattan: manhattan.share(tile, cell),
        }
    };
    (1..=tiles).map(share).collect()
}

fn conflicts(puzzle: &Puzzle, costs: &Costs) -> String {
    let mut text = String::new();
    for Conflict { is_column, line, tiles, excess } in
        Linear::new(puzzle, costs).conflicts(puzzle.start())
    {
        let kind = if is_column { "column" } else { "row" };
        let tiles: Vec<String> = tiles.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "linear: tiles {} in {kind} {} are in conflict, which adds {excess}",
            tiles.join(" "),
            line + 1,
        );
    }
    text
}

/// Explains why a course may print another figure.
fn blank_note(puzzle: &Puzzle) -> String {
    let misplaced_blanks =
        puzzle.goal().blanks().filter(|cell| puzzle.start().tiles()[usize::from(*cell)] != 0);
    match misplaced_blanks.count() {
        0 => String::new(),
        blanks => format!(
            "Some courses count the blank as a misplaced tile ({blanks} more here) or add its\n\
             distance. Such an estimate can exceed the true cost, so that A* may miss the\n\
             optimum. It is not counted here.\n"
        ),
    }
}
