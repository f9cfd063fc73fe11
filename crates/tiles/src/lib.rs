//! Sliding-tile puzzles: boards, moves, goals, notations, reachability, scrambles and heuristics.
//!
//! ```
//! use taquin_tiles::{Board, BoardFormat, Notation, read_board, read_moves, replay, write_board, write_moves};
//!
//! let start = read_board("[[1, 2, 3], [4, b, 6], [7, 5, 8]]", None)?;
//! assert_eq!(start.to_string(), "1 2 3/4 0 6/7 5 8");
//!
//! let moves = read_moves("DR", Some(Notation::Blank), &start)?;
//! let end = replay(&start, &moves)?;
//! assert_eq!(write_board(&end, BoardFormat::Digits, '_')?, "12345678_");
//! assert_eq!(write_moves(&moves, &start, Notation::Tile)?, "UL");
//!
//! let error = "1 2 3/4 5 6/7 6 0".parse::<Board>().unwrap_err();
//! assert_eq!(error.to_string(), "tile 6 appears twice (first at line 1, column 11)");
//! assert_eq!(error.hint().unwrap().to_string(), "tile 8 is missing; did you mean 8 here?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reachability
//!
//! A [`Puzzle`] is a start and a goal with the same tiles. [`reachability`] proves whether moves
//! lead from one to the other, for any size, any goal and any number of blanks:
//!
//! ```
//! use taquin_tiles::{Board, NamedGoal, Puzzle, reachability};
//!
//! let start: Board = "1 2 3/4 5 6/8 7 0".parse()?;
//! let goal = NamedGoal::Last.board(start.size(), 1);
//! let answer = reachability(&Puzzle::new(start, goal)?);
//! assert!(!answer.reachable && answer.repair.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Search
//!
//! [`packed::Tiles`] is a state space for the engines of `taquin-search`, with boards packed into
//! an integer, and [`Additive`], [`Linear`] and their relatives are heuristics for it:
//!
//! ```
//! use taquin_search::{Policy, Problem, Recomputed};
//! use taquin_tiles::packed::{Nibbles, Tiles};
//! use taquin_tiles::{Board, Costs, Linear, MoveOrder, NamedGoal, Puzzle};
//!
//! let start: Board = "8 6 7/2 5 4/3 0 1".parse()?;
//! let goal = NamedGoal::Last.board(start.size(), 1);
//! let puzzle = Puzzle::new(start, goal)?;
//! let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default());
//! let linear = Linear::new(&puzzle, &Costs::Unit);
//! let start = space.place(puzzle.start());
//! let search = Problem::new(&space, &start).heuristic(&linear).best_first(&Policy::astar()).run();
//! assert_eq!(search.solution().map(|solution| solution.cost), Some(31));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`scramble`] draws boards. Pattern databases are in `taquin-tables`, and `taquin` solves a board
//! with one call.

mod board;
mod cost;
mod goal;
mod heuristic;
mod notation;
pub mod packed;
mod reach;
mod read;
pub mod scramble;
mod segments;
mod size;
mod space;
mod step;
mod text;
mod write;

pub use board::{Board, BoardError, Puzzle, PuzzleError, SlideError};
pub use cost::{Costs, CostsError};
pub use goal::NamedGoal;
pub use heuristic::*;
pub use notation::{
    MoveFault, MovesError, Notation, convert_moves, is_moves, read_moves, read_moves_detect,
    replay, write_moves,
};
pub use reach::{
    Difference, InversionRow, Inversions, Parity, ParityProof, Proof, Reachability, Repair,
    inversion_table, is_reachable, reachability,
};
pub use read::{
    ReadError, ReadFault, ReadHint, decode, read_board, read_board_bytes, read_scramble,
};
pub use size::{Cell, MAX_CELLS, Size, SizeError, Tile};
pub use step::{Move, MoveOrder, MoveOrderError, Slide};
pub use text::{Place, excerpt};
pub use write::{BoardFormat, WriteError, write_board};
