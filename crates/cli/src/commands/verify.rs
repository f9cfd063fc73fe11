//! `taquin verify`.

use std::time::Duration;

use clap::Parser;
use taquin::{
    Notation, Size, TaskLimits, Watch, free_memory, read_moves, read_moves_detect, replay,
};
use taquin_lab::Request;

use crate::args::{BoardArgs, PuzzleArgs};
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print};
use crate::tables;
use crate::watch::watched;

/// Replay moves and check whether they solve a puzzle
///
/// Exits with 0 if the moves reach the goal and with 1 if they do not.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin verify \"1 2 3/4 0 6/7 5 8\" DR
  taquin verify \"1 2 3/4 0 6/7 5 8\" UL             the same in tile notation
  taquin verify \"2 1 0/0 3 4\" \"L1 U2\" --goal first

With several blanks each move is written with its tile, as in L1.")]
pub(crate) struct VerifyArgs {
    /// Board in any notation
    board: String,
    /// Moves in blank (URDL) or tile (RU2L) notation; detected unless --notation is
    /// given
    moves: String,
    /// Goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// Board size, if the notation does not determine it
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Notation of the moves: blank (where the blank goes) or tile
    #[arg(long, value_name = "NOTATION")]
    notation: Option<Notation>,
    /// Time to search for a shorter solution
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = taquin::read_time)]
    time: Duration,
}

pub(crate) fn run(args: &VerifyArgs) -> CommandResult {
    let limits = TaskLimits {
        seconds: Some(args.time.as_secs_f64()),
        memory: free_memory().map(|bytes| bytes / 2),
        ..TaskLimits::default()
    };
    let board = BoardArgs { board: Some(args.board.clone()), file: None, size: args.size };
    let puzzle = PuzzleArgs { board, goal: Some(args.goal.clone()), goal_file: None };
    let task = puzzle.ask(Request { limits, ..Request::default() })?.task;
    let puzzle = &task.puzzle;
    let wrong = |error| Failure::moves(&error, &args.moves);
    let (slides, notation) = match args.notation {
        Some(notation) => {
            (read_moves(&args.moves, args.notation, puzzle.start()).map_err(wrong)?, notation)
        }
        None => read_moves_detect(&args.moves, puzzle.start(), puzzle.goal()).map_err(wrong)?,
    };
    let end = replay(puzzle.start(), &slides).map_err(wrong)?;
    let moves = count(slides.len() as u64, "move", "moves");
    if end != *puzzle.goal() {
        print(&format!(
            "not a solution: after {moves} ({notation} notation) the board is {end}\n"
        ))?;
        return Ok(1);
    }
    let report = watched(true, |monitor| tables::session().run(&task, Watch::by(monitor)));
    let given = slides.len() as u64;
    let bound = u64::from(report.lower_bound.unwrap_or(0));
    let verdict = match report.depth {
        _ if given <= bound => "optimal".to_owned(),
        Some(best) if report.optimal => format!("the shortest has {best}"),
        Some(best) if best < given => {
            format!("there is one with {best}; at least {bound} are needed")
        }
        _ => format!("not proven optimal; at least {bound} are needed"),
    };
    print(&format!("a solution: {moves} ({notation} notation), {verdict}\n"))?;
    Ok(0)
}
