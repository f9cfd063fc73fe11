//! The state of a game: a board, the moves made on it, and a clock.
//!
//! Nothing here looks at the time or at a terminal: callers pass the time, so that tests can choose
//! it.

use std::time::{Duration, Instant};

use taquin::{Board, Cell, Move, Notation, Puzzle, Slide, write_moves};

/// A game, from a scrambled board to the goal.
#[derive(Clone, Debug)]
pub struct Game {
    puzzle: Puzzle,
    board: Board,
    /// All moves in order, including those that undo others.
    made: Vec<Slide>,
    /// The moves that lead to the board, grouped by key press or click.
    turns: Vec<Vec<Slide>>,
    undone: Vec<Vec<Slide>>,
    /// The cell of the blank that moved last. With several blanks, keys move that one if they can.
    blank: Cell,
    clock: Clock,
    is_assisted: bool,
    is_shown: bool,
}

/// A clock that starts with the first move and stops with the last one.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    started: Option<Instant>,
    stopped: Option<Duration>,
}

impl Game {
    /// Starts a game; the clock waits for the first move.
    pub fn new(puzzle: Puzzle) -> Self {
        let board = puzzle.start().clone();
        let blank = board.blanks().next().unwrap_or_default();
        Self {
            puzzle,
            board,
            made: Vec::new(),
            turns: Vec::new(),
            undone: Vec::new(),
            blank,
            clock: Clock::default(),
            is_assisted: false,
            is_shown: false,
        }
    }

    /// Returns the board as it is now.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the board at the start, and the goal.
    pub const fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// Returns the moves made so far, including those that undo others.
    pub fn slides(&self) -> &[Slide] {
        &self.made
    }

    /// Returns the number of moves: each tile counts, even if several slide together or a tile
    /// moves back.
    pub const fn moves(&self) -> usize {
        self.made.len()
    }

    /// Returns the moves as puzzle solvers write them: directions of tiles, with counts.
    pub fn written(&self) -> String {
        write_moves(&self.made, self.puzzle.start(), Notation::Tile)
            .expect("the moves have been made on the board")
    }

    /// Returns whether the goal is reached.
    pub fn is_solved(&self) -> bool {
        self.board == *self.puzzle.goal()
    }

    /// Returns whether the player had help, such as a hint or a second attempt at the same board.
    pub const fn is_assisted(&self) -> bool {
        self.is_assisted
    }

    /// Records that the player had help. After the goal is reached, help makes no difference.
    pub fn assist(&mut self) {
        self.is_assisted |= !self.is_solved();
    }

    /// Returns whether the clock is running.
    pub const fn is_running(&self) -> bool {
        self.clock.started.is_some() && self.clock.stopped.is_none()
    }

    /// Returns the time on the clock.
    pub fn time(&self, now: Instant) -> Duration {
        let Clock { started, stopped } = self.clock;
        let running = started.map_or(Duration::ZERO, |started| now.duration_since(started));
        stopped.unwrap_or(running)
    }

    /// Returns the tiles moved per second.
    pub fn speed(&self, now: Instant) -> f64 {
        speed(self.moves(), self.time(now).as_secs_f64())
    }

    /// Moves the tile next to the blank in the direction `towards`, or all tiles on that side of
    /// the blank. Returns whether any could move.
    pub fn push(&mut self, towards: Move, all: bool, now: Instant) -> bool {
        let step = towards.opposite();
        let tile_at = |cell: Cell| self.board.tiles()[usize::from(cell)] != 0;
        let source = |blank: Cell| step.target(self.board.size(), blank).filter(|&c| tile_at(c));
        let others = self.board.blanks().filter(|&cell| cell != self.blank);
        let Some(blank) = std::iter::once(self.blank).chain(others).find(|&b| source(b).is_some())
        else {
            return false;
        };
        let mut slides = Vec::new();
        let mut at = blank;
        while let Some(next) = source(at).filter(|_| all || slides.is_empty()) {
            slides.push(Slide { blank: at, step });
            at = next;
        }
        self.turn(slides, now)
    }

    /// Moves the tile on `cell`, with those between it and a blank in its row or column; returns
    /// whether it could move.
    pub fn click(&mut self, cell: Cell, now: Instant) -> bool {
        if self.board.tiles().get(usize::from(cell)).is_none_or(|&tile| tile == 0) {
            return false;
        }
        let lines = Move::ALL.into_iter().filter_map(|way| self.line(cell, way));
        let nearest = lines.min_by_key(Vec::len);
        nearest.is_some_and(|slides| self.turn(slides, now))
    }

    /// Returns the moves that bring the tile on `cell` one cell towards the next blank that way.
    fn line(&self, cell: Cell, way: Move) -> Option<Vec<Slide>> {
        let mut cells = vec![cell];
        loop {
            let next = way.target(self.board.size(), *cells.last()?)?;
            cells.push(next);
            if self.board.tiles()[usize::from(next)] == 0 {
                break;
            }
        }
        let blanks = cells.into_iter().rev();
        let mut slides: Vec<Slide> =
            blanks.map(|blank| Slide { blank, step: way.opposite() }).collect();
        slides.pop();
        Some(slides)
    }

    /// Makes a move for the player; returns whether the board allows it.
    pub fn play(&mut self, slide: Slide, now: Instant) -> bool {
        self.is_shown = true;
        self.turn(vec![slide], now)
    }

    /// Returns whether any move was made for the player.
    pub const fn is_shown(&self) -> bool {
        self.is_shown
    }

    fn turn(&mut self, slides: Vec<Slide>, now: Instant) -> bool {
        if self.is_solved() || !self.make(&slides) {
            return false;
        }
        self.undone.clear();
        self.turns.push(slides);
        self.clock.started.get_or_insert(now);
        if self.is_solved() {
            self.clock.stopped = Some(self.time(now));
        }
        true
    }

    /// Makes moves on the board; it stays as it is if it does not allow them.
    fn make(&mut self, slides: &[Slide]) -> bool {
        let Ok(board) = taquin::replay(&self.board, slides) else { return false };
        let Some(last) = slides.last() else { return false };
        self.blank = last.target(board.size());
        self.board = board;
        self.made.extend_from_slice(slides);
        true
    }

    /// Moves the last turn's tiles back; returns whether there was one. These count as moves too,
    /// as on a wooden puzzle. A solved game stays solved.
    pub fn undo(&mut self) -> bool {
        if self.is_solved() {
            return false;
        }
        let Some(turn) = self.turns.pop() else { return false };
        let size = self.board.size();
        let back = |s: &Slide| Slide { blank: s.target(size), step: s.step.opposite() };
        let made = self.make(&turn.iter().rev().map(back).collect::<Vec<_>>());
        debug_assert!(made, "moves can be undone");
        self.undone.push(turn);
        true
    }

    /// Makes the turn again that was undone last; returns whether there was one.
    pub fn redo(&mut self, now: Instant) -> bool {
        let Some(turn) = self.undone.pop() else { return false };
        let rest = std::mem::take(&mut self.undone);
        let made = self.turn(turn, now);
        self.undone = rest;
        made
    }

    /// Returns to the start. If a move was made, this counts as a second attempt.
    pub fn restart(&mut self) {
        let is_known = self.is_assisted || self.clock.started.is_some();
        *self = Self { is_assisted: is_known, ..Self::new(self.puzzle.clone()) };
    }
}

/// Returns the tiles moved per second, 0 for a time that is too short to be measured.
pub(crate) fn speed(moves: usize, seconds: f64) -> f64 {
    if seconds >= 0.01 { moves as f64 / seconds } else { 0.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use taquin::{NamedGoal, Random, Size, replay, scramble};

    use super::*;

    fn game(start: &str) -> Game {
        let start: Board = start.parse().unwrap();
        let goal = NamedGoal::Last.board(start.size(), start.blanks().count());
        Game::new(Puzzle::new(start, goal).unwrap())
    }

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_direction_is_that_of_the_tile() {
        let now = Instant::now();
        let mut game = game("1 2 3/4 0 6/7 5 8");
        assert!(game.push(Move::Up, false, now));
        assert_eq!(game.board().to_string(), "1 2 3/4 5 6/7 0 8");
        assert!(game.push(Move::Left, false, now));
        assert!(game.is_solved());
        assert_eq!(game.written(), "UL");
    }

    #[test]
    fn the_clock_runs_from_the_first_move_to_the_last() {
        let now = Instant::now();
        let mut game = game("1 2 3/4 0 6/7 5 8");
        assert_eq!(game.time(after(now, 900)), Duration::ZERO);
        // The blank is not in a corner, but no tile can come from outside.
        game.push(Move::Up, false, after(now, 1_000));
        assert!(game.is_running());
        assert_eq!(game.time(after(now, 1_500)), Duration::from_millis(500));
        game.push(Move::Left, false, after(now, 3_000));
        assert!(!game.is_running());
        assert_eq!(game.time(after(now, 9_000)), Duration::from_secs(2));
        assert!((game.speed(after(now, 9_000)) - 1.0).abs() < 1e-9);
        // A solved game stays as it is.
        assert!(!game.push(Move::Right, false, now) && !game.undo());
    }

    #[test]
    fn several_tiles_slide_at_once() {
        let now = Instant::now();
        let mut game = game("0 1 2 3/5 6 7 4/9 10 11 8/13 14 15 12");
        assert!(game.click(3, now), "three tiles to the left");
        assert_eq!((game.moves(), game.written().as_str()), (3, "L3"));
        assert!(!game.click(5, now), "neither its row nor its column has the blank");
        assert!(!game.click(3, now) && !game.click(99, now));
        assert!(game.push(Move::Up, true, now));
        assert!(game.is_solved());
        assert_eq!(game.written(), "L3U3");
    }

    #[test]
    fn undo_and_redo_take_whole_turns() {
        let now = Instant::now();
        let mut game = game("0 1 2 3/5 6 7 4/9 10 11 8/13 14 15 12");
        let start = game.board().clone();
        game.click(3, now);
        let then = game.board().clone();
        assert!(game.undo() && *game.board() == start);
        assert!(!game.undo());
        assert!(game.redo(now) && *game.board() == then);
        assert_eq!((game.moves(), game.written().as_str()), (9, "L3R3L3"), "all were made");
        assert!(!game.redo(now));
        game.undo();
        game.push(Move::Up, false, now);
        assert!(!game.redo(now), "another move was made instead");
    }

    #[test]
    fn a_second_attempt_is_not_the_first() {
        let now = Instant::now();
        let mut game = game("1 2 3/4 0 6/7 5 8");
        game.restart();
        assert!(!game.is_assisted());
        game.push(Move::Up, false, now);
        game.restart();
        assert!(game.is_assisted());
        assert_eq!((game.moves(), game.time(now)), (0, Duration::ZERO));
    }

    #[test]
    fn with_several_blanks_every_tile_next_to_one_can_move() {
        let now = Instant::now();
        let mut game = game("1 2 0/0 3 4");
        assert!(game.click(4, now), "3 goes left");
        assert_eq!(game.board().to_string(), "1 2 0/3 0 4");
        assert!(game.push(Move::Up, false, now), "the blank that moved last has no tile below");
        assert_eq!(game.board().to_string(), "1 2 4/3 0 0");
    }

    /// Any keys and clicks make moves that can be replayed, written and undone.
    #[test]
    fn the_moves_are_those_of_the_board() {
        let now = Instant::now();
        let mut random = Random::new(5);
        for (rows, cols, blanks) in [(1, 5, 1), (3, 3, 1), (4, 5, 1), (3, 4, 3), (1, 1, 1)] {
            let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks);
            let start = scramble::uniform(&goal, &mut random);
            let mut game = Game::new(Puzzle::new(start.clone(), goal).unwrap());
            for _ in 0..500 {
                match random.below(4) {
                    0 => drop(game.click(random.below(rows * cols + 2) as Cell, now)),
                    1 => drop(game.push(Move::ALL[random.below(4)], true, now)),
                    2 => drop(game.push(Move::ALL[random.below(4)], false, now)),
                    _ if random.below(2) == 0 => drop(game.undo()),
                    _ => drop(game.redo(now)),
                }
                assert_eq!(replay(&start, game.slides()).unwrap(), *game.board());
            }
            let read = taquin::read_moves(&game.written(), Some(Notation::Tile), &start).unwrap();
            assert_eq!(read, game.slides());
            while game.undo() {}
            assert!(game.is_solved() || *game.board() == start);
        }
    }
}
