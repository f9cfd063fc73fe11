//! The solver's knowledge about a board: a solution, a bound, and a player's wasted moves.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use taquin::{Board, Monitor, Puzzle, Session, Slide, Task, Watch, replay};
use taquin_lab::amounts::count;

/// The solver, with its resources.
#[derive(Clone, Debug)]
pub struct Solver {
    /// Holds the tables.
    pub session: Session,
    /// The number of threads.
    pub threads: usize,
    /// The most bytes of memory.
    pub memory: Option<u64>,
}

/// The seconds for the first answer, and for the last one if the first is not proven optimal.
const TIMES: [f64; 2] = [0.5, 10.0];

/// A solution of a board, and how short a solution can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// The board.
    pub board: Board,
    /// The moves of the shortest known solution.
    pub moves: Vec<Slide>,
    /// No solution has fewer moves.
    pub bound: usize,
}

impl Advice {
    /// Returns whether no solution is shorter.
    pub const fn is_optimal(&self) -> bool {
        self.moves.len() == self.bound
    }

    /// Returns the advice after the next move of the solution, if that leads to `board`.
    pub fn follow(&self, board: &Board) -> Option<Self> {
        let (first, rest) = self.moves.split_first()?;
        let next = replay(&self.board, &[*first]).ok().filter(|next| next == board)?;
        Some(Self { board: next, moves: rest.to_vec(), bound: self.bound.saturating_sub(1) })
    }

    /// Returns the tile that moves next, and its direction.
    pub fn next(&self) -> Option<(taquin::Tile, taquin::Move)> {
        let slide = self.moves.first()?;
        let cell = slide.target(self.board.size());
        Some((self.board.tiles()[usize::from(cell)], slide.step.opposite()))
    }
}

impl Solver {
    /// Sends an answer for a board soon, and a better one later unless the first is optimal.
    pub fn advise(&self, puzzle: &Puzzle, monitor: &Arc<Monitor>, answers: &Sender<Advice>) {
        for seconds in TIMES {
            let Some(advice) = self.advice(puzzle, seconds, monitor) else { return };
            let is_optimal = advice.is_optimal();
            if answers.send(advice).is_err() || is_optimal {
                return;
            }
        }
    }

    /// Sends the known facts about a player's moves, more each time.
    pub fn review(
        &self,
        puzzle: &Puzzle,
        made: &[Slide],
        monitor: &Arc<Monitor>,
        answers: &Sender<Review>,
    ) {
        for seconds in TIMES {
            let Some(advice) = self.advice(puzzle, seconds, monitor) else { return };
            let is_optimal = advice.is_optimal();
            let known = Review {
                made: made.len(),
                best: advice.moves.len().min(made.len()),
                bound: advice.bound,
                wasted: None,
            };
            if answers.send(known).is_err() {
                return;
            }
            if is_optimal {
                let distance = |board: &Board| {
                    let rest = Puzzle::new(board.clone(), puzzle.goal().clone()).ok()?;
                    let advice = self.advice(&rest, TIMES[1], monitor)?;
                    advice.is_optimal().then_some(advice.bound)
                };
                let wasted = first_wasted(puzzle.start(), made, advice.bound, distance);
                let _ = answers.send(Review { wasted, ..known });
                return;
            }
        }
    }

    /// Returns an answer within a time; nothing if it was cancelled.
    fn advice(&self, puzzle: &Puzzle, seconds: f64, monitor: &Arc<Monitor>) -> Option<Advice> {
        let mut task = Task::from(puzzle.clone());
        task.limits.seconds = Some(seconds);
        task.limits.memory = self.memory;
        task.threads = self.threads;
        let report = self.session.run(&task, Watch::by(monitor));
        if monitor.is_cancelled() {
            return None;
        }
        let bound = report.lower_bound.unwrap_or(0) as usize;
        Some(Advice { board: puzzle.start().clone(), moves: report.moves?, bound })
    }
}

/// The verdict on a player's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Review {
    /// The number of moves that the player made.
    pub made: usize,
    /// The length of the shortest known solution, which may be the player's.
    pub best: usize,
    /// No solution has fewer moves.
    pub bound: usize,
    /// The number of the first move, from 1, after which no solution was as short as before.
    pub wasted: Option<usize>,
}

impl Review {
    /// Returns whether the number of moves needed is proven.
    pub const fn is_proven(&self) -> bool {
        self.best == self.bound
    }
}

impl std::fmt::Display for Review {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { made, best, bound, wasted } = *self;
        write!(f, "You took {}", count(made as u64, "move", "moves"))?;
        let were = if best == 1 { "was" } else { "were" };
        match (self.is_proven(), wasted) {
            (true, _) if made == best => write!(f, ": optimal!"),
            (true, None) => write!(f, ", {best} {were} needed."),
            (true, Some(at)) => {
                write!(f, ", {best} {were} needed; the first wasteful one was move {at}.")
            }
            (false, _) if made == best => {
                write!(f, "; no shorter solution was found, at least {bound} are needed.")
            }
            (false, _) => {
                write!(f, "; a solution of {best} is known, at least {bound} are needed.")
            }
        }
    }
}

/// Returns the number of the first of the `made` moves that does not lead nearer to the goal, if
/// the distances are known.
///
/// Moves made plus moves left never decreases on the way, so a binary search finds where it first
/// exceeds the `optimum`, with few distances.
fn first_wasted(
    start: &Board,
    made: &[Slide],
    optimum: usize,
    mut distance: impl FnMut(&Board) -> Option<usize>,
) -> Option<usize> {
    if made.len() == optimum {
        return None;
    }
    // After `good` moves a shortest solution is still possible, after `bad` ones it is not.
    let (mut good, mut bad) = (0, made.len());
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        let board = replay(start, &made[..middle]).ok()?;
        match middle + distance(&board)? > optimum {
            true => bad = middle,
            false => good = middle,
        }
    }
    Some(bad)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::mpsc::channel;

    use taquin::{Notation, read_moves};

    use super::*;

    fn solver() -> Solver {
        Solver { session: Session::without_folder(), threads: 1, memory: None }
    }

    fn puzzle(start: &str) -> Puzzle {
        Task::from(start.parse::<Board>().unwrap()).puzzle
    }

    #[test]
    fn advice_is_followed_move_by_move() {
        let (sender, answers) = channel();
        let puzzle = puzzle("8 6 7/2 5 4/3 0 1");
        solver().advise(&puzzle, &Arc::default(), &sender);
        let mut advice = answers.recv().unwrap();
        assert!(advice.is_optimal() && advice.bound == 31);
        assert!(advice.follow(puzzle.goal()).is_none());
        while let Some((tile, way)) = advice.next() {
            let cell = advice.board.positions()[usize::from(tile)];
            let to = way.target(advice.board.size(), cell).unwrap();
            let board = advice.board.swapped(cell, to);
            advice = advice.follow(&board).unwrap();
            assert!(advice.is_optimal());
        }
        assert_eq!(&advice.board, puzzle.goal());
    }

    #[test]
    fn the_first_wasteful_move_is_found() {
        let session = solver();
        let puzzle = puzzle("1 2 3/4 0 6/7 5 8");
        let cases = [
            ("UL", None),
            // Down first, which leads away, and back again.
            ("DUUL", Some(1)),
            // The right move first, then back and forth.
            ("UDUL", Some(2)),
        ];
        for (text, expected) in cases {
            let made = read_moves(text, Some(Notation::Tile), puzzle.start()).unwrap();
            let (sender, answers) = channel();
            session.review(&puzzle, &made, &Arc::default(), &sender);
            drop(sender);
            let reviews: Vec<Review> = answers.iter().collect();
            let last = reviews.last().unwrap();
            assert_eq!((last.made, last.best, last.bound), (made.len(), 2, 2), "{text}");
            assert_eq!(last.wasted, expected, "{text}");
        }
    }

    /// The binary search finds the same as checking every board.
    #[test]
    fn wasteful_moves_agree_with_all_distances() {
        use taquin::{Move, NamedGoal, Random, Size, scramble};
        let mut random = Random::new(3);
        let goal = NamedGoal::Last.board(Size::new(2, 3).unwrap(), 1);
        let solver = solver();
        let distance = |board: &Board| {
            let puzzle = Puzzle::new(board.clone(), goal.clone()).unwrap();
            let advice = solver.advice(&puzzle, 10.0, &Arc::default()).unwrap();
            advice.is_optimal().then_some(advice.bound)
        };
        for _ in 0..20 {
            let start = scramble::uniform(&goal, &mut random);
            let mut board = start.clone();
            let mut made = Vec::new();
            while board != goal && made.len() < 60 {
                let blank = board.blanks().next().unwrap();
                // Mostly towards the goal, sometimes anywhere.
                let puzzle = Puzzle::new(board.clone(), goal.clone()).unwrap();
                let advice = solver.advice(&puzzle, 10.0, &Arc::default()).unwrap();
                let slide = match random.below(5) {
                    0 => Slide { blank, step: Move::ALL[random.below(4)] },
                    _ => advice.moves[0],
                };
                if board.slide(slide).is_ok() {
                    made.push(slide);
                }
            }
            if board != goal {
                continue;
            }
            let optimum = distance(&start).unwrap();
            let slow = (1..=made.len()).find(|&count| {
                count + distance(&replay(&start, &made[..count]).unwrap()).unwrap() > optimum
            });
            assert_eq!(first_wasted(&start, &made, optimum, distance), slow);
        }
    }

    #[test]
    fn nothing_unproven_is_called_needed() {
        let review = Review { made: 92, best: 46, bound: 46, wasted: Some(7) };
        let text = |review: Review| review.to_string();
        assert_eq!(
            text(review),
            "You took 92 moves, 46 were needed; the first wasteful one was move 7."
        );
        assert_eq!(
            text(Review { best: 50, wasted: None, ..review }),
            "You took 92 moves; a solution of 50 is known, at least 46 are needed."
        );
        assert_eq!(
            text(Review { best: 92, wasted: None, ..review }),
            "You took 92 moves; no shorter solution was found, at least 46 are needed."
        );
        assert_eq!(
            text(Review { made: 46, wasted: None, ..review }),
            "You took 46 moves: optimal!"
        );
        assert_eq!(
            text(Review { made: 3, best: 1, bound: 1, wasted: Some(1) }),
            "You took 3 moves, 1 was needed; the first wasteful one was move 1."
        );
        assert_eq!(
            text(Review { made: 1, best: 1, bound: 1, wasted: None }),
            "You took 1 move: optimal!"
        );
    }
}
