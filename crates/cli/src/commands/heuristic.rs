//! `taquin heuristic`.

use std::fmt::Write;

use clap::Parser;
use serde::Serialize;
use taquin::{Additive, Conflict, Costs, Estimate, Linear, Measure, Puzzle, Session, Tile};

use crate::args::PuzzleArgs;
use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, print, print_json};

/// Show what each heuristic estimates, tile by tile
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin heuristic \"8 1 3/4 0 2/7 6 5\"
  taquin heuristic 724506831 --goal first
  taquin heuristic \"2 3 6/1 0 7/4 8 5\" --cost tile")]
pub(crate) struct HeuristicArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// What a move costs: unit, tile, or a list
    #[arg(long, default_value_t, value_name = "COST")]
    cost: Costs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Estimates<'a> {
    puzzle: &'a Puzzle,
    cost: &'a Costs,
    #[serde(rename = "estimates")]
    named: Vec<Named>,
    tiles: Vec<Share>,
}

#[derive(Serialize)]
struct Named {
    heuristic: String,
    estimate: u32,
    #[serde(skip)]
    about: &'static str,
}

/// What a tile contributes.
#[derive(Serialize)]
struct Share {
    tile: Tile,
    misplaced: f64,
    euclidean: f64,
    manhattan: f64,
}

pub(crate) fn run(args: &HeuristicArgs) -> CommandResult {
    let puzzle = args.puzzle.puzzle()?;
    let session = Session::new();
    // A board may be too large for the tables of one: it is then left out.
    let named = |which: &Estimate| {
        let evaluator = session.evaluator(which, &puzzle, &args.cost).ok()?;
        let (heuristic, about) = (which.to_string(), which.about());
        Some(Named { heuristic, estimate: evaluator.estimate(puzzle.start()), about })
    };
    let estimates: Vec<Named> = Estimate::NAMED.iter().filter_map(named).collect();
    let tiles = shares(&puzzle, &args.cost);
    if args.json {
        print_json(&Estimates { puzzle: &puzzle, cost: &args.cost, named: estimates, tiles })?;
        return Ok(0);
    }
    let mut text = String::from("tile  misplaced  manhattan  euclidean\n");
    for Share { tile, misplaced, euclidean, manhattan } in &tiles {
        let _ = writeln!(text, "{tile:>4}  {misplaced:>9}  {manhattan:>9}  {euclidean:>9.2}");
    }
    text.push('\n');
    for Named { heuristic, estimate, about } in &estimates {
        let _ = writeln!(text, "{BOLD}{heuristic:<10}{PLAIN} {estimate:>6}  {about}");
    }
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
            "linear: in {kind} {} the tiles {} belong there but stand in each other's way: {excess} more.",
            line + 1,
            tiles.join(" ")
        );
    }
    text
}

/// Why a course may print another figure.
fn blank_note(puzzle: &Puzzle) -> String {
    let misplaced_blanks =
        puzzle.goal().blanks().filter(|cell| puzzle.start().tiles()[usize::from(*cell)] != 0);
    match misplaced_blanks.count() {
        0 => String::new(),
        blanks => format!(
            "Some courses count the blank as a misplaced tile ({blanks} more here) or add its distance: such an\n\
             estimate can exceed the true cost, and A* with it may miss the optimum. It is left out here.\n"
        ),
    }
}
