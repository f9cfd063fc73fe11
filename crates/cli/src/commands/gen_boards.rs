//! `taquin gen`.

use std::io::Write;

use clap::Parser;
use serde_json::json;
use taquin::{
    Board, BoardFormat, DepthError, Metric, Notation, Progress, Puzzle, Random, Session, Size,
    Tile, free_memory, read_bytes, read_count, space, write_board, write_bytes, write_moves,
};
use taquin_lab::{Draw, clock_seed, known_depths, scramble};

use crate::args::read_number;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{count, print_json, say, thousands};
use crate::tables;
use crate::watch::{Seen, watched_by};

/// Generate random boards
///
/// A seed gives the same boards on every machine.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gen --size 4x4 --count 5 --seed 7    uniformly random, all solvable
  taquin gen --size 3 --depth 20 --count 10   exactly 20 moves from the goal
  taquin gen --size 4 --depth 45              the same for a 15-puzzle
  taquin gen --size 6 --walk 50               50 random moves from the goal
  taquin gen --size 4 --scramble              the moves from the solved board
  taquin gen --size 3x5 --blanks 2 --format rows

With --depth, boards are uniform among all of that depth where they can be
enumerated: sizes of up to 12 cells, and larger ones up to depth 20. Deeper
boards of up to 16 cells, to depth 62, lie on shortest solutions of random
boards: their depth is exact, but they are not uniform.")]
pub(crate) struct GenArgs {
    /// Size of the boards
    #[arg(long, default_value = "3x3", value_name = "RxC")]
    size: Size,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = read_number)]
    blanks: usize,
    /// Goal that the boards can reach: last, first, snail, or a board
    #[arg(long, short, default_value_t = CONFIG.usual_goal().to_string(), value_name = "GOAL")]
    goal: String,
    /// Number of boards
    #[arg(long, short = 'n', default_value = "1", value_name = "N", value_parser = read_count)]
    count: u64,
    /// Random seed [default: from the clock; printed to stderr]
    #[arg(long, value_name = "SEED", value_parser = read_count)]
    seed: Option<u64>,
    /// Make this many random moves from the goal
    #[arg(long, value_name = "MOVES", conflicts_with = "depth", value_parser = read_count)]
    walk: Option<u64>,
    /// Only boards whose shortest solution has exactly this many moves
    #[arg(long, value_name = "MOVES", value_parser = read_count)]
    depth: Option<u64>,
    /// Print the moves that lead from the goal to each board, instead of the board
    #[arg(long, conflicts_with = "format")]
    scramble: bool,
    /// With --scramble: name moves by the direction of the blank or of the tile
    #[arg(long, default_value_t = CONFIG.notation(), value_name = "NOTATION", requires = "scramble")]
    notation: Notation,
    /// Notation: slashes, rows, nested, flat, digits or sized
    #[arg(long, default_value_t, value_name = "FORMAT")]
    format: BoardFormat,
    /// Print one JSON object with all boards
    #[arg(long, conflicts_with_all = ["format", "scramble"])]
    json: bool,
    /// With --depth: memory limit, such as 200M or 2G [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes, requires = "depth", conflicts_with = "walk")]
    memory: Option<u64>,
}

pub(crate) fn run(args: &GenArgs) -> CommandResult {
    let goal = goal_of_size(&args.goal, args.size, args.blanks)?;
    if args.walk.is_some_and(|moves| moves > Draw::LONGEST_WALK) {
        let most = thousands(Draw::LONGEST_WALK);
        return Err(Failure::input(format!("a walk of more than {most} moves takes too long"))
            .hint("boards without --walk are uniformly random, as after an endless walk"));
    }
    let seed = args.seed.unwrap_or_else(|| {
        let seed = clock_seed();
        say(&format!("seed {seed}"));
        seed
    });
    let draw = match (args.depth, args.walk) {
        (Some(depth), _) => Draw::Depth(depth),
        (None, Some(moves)) => Draw::Walk(moves as usize),
        (None, None) => Draw::Uniform,
    };
    let memory = args.memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3));
    if let Some(depth) = args.depth {
        announce(&goal, depth, memory)?;
    }
    let wanted = usize::try_from(args.count).unwrap_or(usize::MAX);
    let words = |Seen { progress: Progress { expanded, frontier, .. }, elapsed, .. }: Seen| {
        let boards = thousands(expanded.max(frontier));
        format!("{:.0} s: {boards} boards searched", elapsed.as_secs_f64())
    };
    let session = tables::session();
    let mut listed: Vec<Vec<Tile>> = Vec::new();
    let written = watched_by(true, words, |monitor| {
        let random = Random::new(seed);
        let boards = draw
            .boards(&goal, wanted, random, &session, memory, monitor)
            .map_err(|error| failure(&error, args, &goal))?;
        let mut written = 0;
        for board in boards {
            if args.json {
                listed.push(board.tiles().to_vec());
                written += 1;
                continue;
            }
            let text = match args.scramble {
                true => scrambled(&session, &goal, &board, args.notation)?,
                false => write_board(&board, args.format, '0').map_err(|error| {
                    Failure::input(error.to_string())
                        .hint("choose another --format, such as slashes")
                })?,
            };
            // Boards of several lines have an empty line between them.
            let lines = !args.scramble && args.format.takes_lines();
            let between = if written > 0 && lines { "\n" } else { "" };
            writeln!(std::io::stdout().lock(), "{between}{text}")?;
            written += 1;
            if monitor.is_cancelled() {
                return Err(Failure::interrupted());
            }
        }
        Ok::<u64, Failure>(written)
    })?;
    if args.json {
        let (rows, cols) = (args.size.rows(), args.size.cols());
        let goal = goal.tiles();
        let all =
            json!({ "rows": rows, "cols": cols, "goal": goal, "seed": seed, "boards": listed });
        print_json(&all)?;
    }
    if let (Some(depth), true) = (args.depth, written < args.count) {
        let all = count(written, "board is", "boards are");
        say(&format!("only {all} exactly {depth} moves from the goal; {} asked for", args.count));
    }
    Ok(0)
}

/// Says how many boards are searched, if they are many, and whether those that come are uniform.
fn announce(goal: &Board, depth: u64, memory: Option<u64>) -> Result<(), Failure> {
    if !Session::is_uniform(goal, depth) {
        say(
            "these boards lie on shortest solutions of random boards: their depth is exact, but they \
             are not uniform among the boards of that depth",
        );
        return Ok(());
    }
    let Some(known) = known_depths(goal) else { return Ok(()) };
    let boards: u64 = known.boards.iter().take(depth as usize + 1).sum();
    // Sizes of up to twelve cells are enumerated if a search takes too long.
    let bytes = (boards.saturating_mul(BOARD_BYTES)).min(space::extent(goal, Metric::Single).bytes);
    let allowed = memory.unwrap_or(u64::MAX);
    if (depth as usize) < known.boards.len() && bytes >= ANNOUNCED {
        let boards = count(boards, "board", "boards");
        say(&format!("searching {boards}, about {} of memory", write_bytes(bytes)));
    }
    match bytes > allowed {
        true => Err(Failure::memory(format!(
            "the boards up to depth {depth} need {} of memory; the limit is {}",
            write_bytes(bytes),
            write_bytes(allowed)
        ))
        .hint("choose a smaller depth or board, or increase --memory; --walk needs no memory")),
        false => Ok(()),
    }
}

/// What a search stores of a board, in bytes.
const BOARD_BYTES: u64 = 40;

/// Less memory is not announced.
const ANNOUNCED: u64 = 100 << 20;

/// Returns the moves that lead from the goal to the board: a solution, backwards.
fn scrambled(
    session: &Session,
    goal: &Board,
    board: &Board,
    notation: Notation,
) -> Result<String, Failure> {
    let puzzle = Puzzle::new(board.clone(), goal.clone())
        .map_err(|error| Failure::input(error.to_string()))?;
    let Some(moves) = scramble(session, &puzzle) else { return Err(Failure::interrupted()) };
    write_moves(&moves, goal, notation).map_err(|error| Failure::input(error.to_string()))
}

fn failure(error: &DepthError, args: &GenArgs, goal: &Board) -> Failure {
    let depth = args.depth.unwrap_or(0);
    match error {
        DepthError::None { deepest } => {
            let known =
                known_depths(goal).filter(|_| space::extent(goal, Metric::Single).states > 1 << 31);
            let source = known.map_or_else(String::new, |known| format!(" ({})", known.source));
            Failure::input(format!(
                "no board is {depth} moves from the goal; the farthest boards are {deepest} moves \
                 away{source}"
            ))
        }
        DepthError::Memory { reached } => Failure::memory(format!(
            "too many boards up to depth {depth}: out of memory at depth {reached}"
        ))
        .hint("choose a smaller depth or board, or increase --memory"),
        DepthError::TooDeep { most } => Failure::input(format!(
            "{} boards deeper than {most} moves take too long to find",
            args.size
        ))
        .hint("the set hard15 has 15-puzzles of 80 moves: taquin solve --batch hard15"),
        _ => Failure::interrupted(),
    }
}
