//! The game as a whole: how time, moves and the solver's answers change it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use taquin::{Board, Method, Notation, Puzzle, Random, Slide, write_moves};
use taquin_lab::Draw;

use crate::advice::{Advice, Review, Solver};
use crate::game::Game;
use crate::history::History;
use crate::job::Job;
use crate::live::LiveSearch;
use crate::statistics::{Record, Statistics, timestamp, write_seconds};
use crate::theme::Theme;

/// The settings of the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The goal of every board.
    pub goal: Board,
    /// The first board, instead of a random one.
    pub first: Option<Puzzle>,
    /// Draws boards at exactly this depth, instead of uniformly.
    pub depth: Option<u64>,
    /// The first board's seed. Each later board has the next one.
    pub seed: u64,
    /// The colours.
    pub theme: Theme,
    /// How many moves solutions and ghosts make per second.
    pub speed: u32,
    /// The method for searches on the screen.
    pub method: Method,
}

/// The content of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Game,
    Help,
    Statistics,
    Search,
    /// A scramble is being entered: its text so far, and the fault in it.
    Enter(String, String),
}

/// How the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Quit,
    Interrupt,
    Suspend,
}

/// Messages from other threads.
pub type Warnings = Arc<Mutex<Vec<String>>>;

/// The state of the whole program.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) solver: Solver,
    pub(crate) history: History,
    warnings: Warnings,
    /// `None` while a random board is being made.
    pub(crate) game: Option<Game>,
    /// How the board was chosen.
    pub(crate) draw: String,
    drawing: Option<Job<Result<Puzzle, String>>>,
    /// The next board's seed, and this board's if it was drawn.
    seed: u64,
    pub(crate) drawn_with: Option<u64>,
    pub(crate) view: View,
    pub(crate) scroll: usize,
    pub(crate) note: String,
    advising: Option<Job<Advice>>,
    pub(crate) advice: Option<Advice>,
    /// Whether the next move is shown as soon as it is known.
    pub(crate) shows_hint: bool,
    pub(crate) has_meter: bool,
    /// When the next move is due, while a solution plays.
    pub(crate) demo: Option<Instant>,
    pub(crate) has_ghost: bool,
    racing: Option<Job<Advice>>,
    pub(crate) ghost: Option<Advice>,
    reviewing: Option<Job<Review>>,
    pub(crate) search: Option<LiveSearch>,
    pub(crate) pace: usize,
    /// The games solved since the start of the program.
    pub(crate) solved: Vec<Record>,
    /// The game that ended last, and when.
    last: Option<Record>,
    latest: Duration,
    pub(crate) statistics: Statistics,
}

/// Expansions per second in searches on the screen. 0 means as fast as possible.
pub(crate) const PACES: [u64; 8] = [1, 5, 20, 100, 500, 2_000, 10_000, 0];

impl App {
    pub(crate) fn new(
        options: Options,
        solver: Solver,
        history: History,
        warnings: Warnings,
    ) -> Self {
        let mut app = Self {
            seed: options.seed,
            solver,
            warnings,
            game: None,
            draw: String::new(),
            drawing: None,
            drawn_with: None,
            view: View::Game,
            scroll: 0,
            note: String::new(),
            advising: None,
            advice: None,
            shows_hint: false,
            has_meter: false,
            demo: None,
            has_ghost: false,
            racing: None,
            ghost: None,
            reviewing: None,
            search: None,
            pace: 2,
            solved: Vec::new(),
            last: None,
            latest: Duration::ZERO,
            statistics: Statistics::default(),
            options,
            history,
        };
        match app.options.first.clone() {
            Some(puzzle) => app.begin_given(puzzle),
            None => app.draw_board(),
        }
        if let (damaged @ 1.., Some(path)) = (app.history.damaged(), app.history.path()) {
            let lines = if damaged == 1 { "line is" } else { "lines are" };
            app.note = format!("{damaged} damaged {lines} skipped in {}", path.display());
        }
        app
    }

    /// Draws the next board. Finding one at a given depth may take a while.
    pub(crate) fn draw_board(&mut self) {
        self.leave();
        let seed = self.seed;
        self.seed = seed.wrapping_add(1);
        self.drawn_with = Some(seed);
        let goal = self.options.goal.clone();
        let Some(depth) = self.options.depth else {
            let start = taquin::scramble::uniform(&goal, &mut Random::new(seed));
            let puzzle = Puzzle::new(start, goal).expect("a scramble has the tiles of the goal");
            return self.begin(puzzle, "uniform".to_owned());
        };
        self.clear();
        self.note = format!("Looking for a board at depth {depth} ...");
        let Solver { session, memory, .. } = self.solver.clone();
        self.drawing = Some(Job::start(move |monitor, answers| {
            let random = Random::new(seed);
            let boards = Draw::Depth(depth).boards(&goal, 1, random, &session, memory, monitor);
            let drawn = boards.map_err(|error| error.to_string()).and_then(|mut boards| {
                let start = boards.next().ok_or("there is no such board")?;
                Puzzle::new(start, goal.clone()).map_err(|error| error.to_string())
            });
            drop(answers.send(drawn));
        }));
    }

    /// Ends everything that belongs to the game.
    fn clear(&mut self) {
        self.game = None;
        self.drawing = None;
        self.advising = None;
        self.advice = None;
        self.shows_hint = false;
        self.demo = None;
        self.racing = None;
        self.ghost = None;
        self.reviewing = None;
        self.search = None;
        self.view = View::Game;
        self.note.clear();
    }

    fn begin(&mut self, puzzle: Puzzle, draw: String) {
        self.clear();
        self.game = Some(Game::new(puzzle));
        self.draw = draw;
        self.recount();
        self.start_ghost();
        self.refresh_advice();
    }

    pub(crate) fn begin_given(&mut self, puzzle: Puzzle) {
        self.leave();
        self.drawn_with = None;
        self.begin(puzzle, "given".to_owned());
    }

    pub(crate) fn restart(&mut self) {
        self.leave();
        let Some(mut game) = self.game.take() else { return };
        game.restart();
        let ghost = self.ghost.take();
        self.clear();
        self.game = Some(game);
        self.ghost = ghost;
        if self.ghost.is_none() {
            self.start_ghost();
        }
        self.refresh_advice();
    }

    /// Requests a solution to the board if one is needed but not known.
    pub(crate) fn refresh_advice(&mut self) {
        let Some(game) = &mut self.game else { return };
        let board = game.board();
        if self.advice.as_ref().is_some_and(|advice| advice.board == *board) {
            return;
        }
        self.advice = self.advice.take().and_then(|advice| advice.follow(board));
        // A better answer for the previous board is useless.
        self.advising = None;
        let is_wanted = self.has_meter || self.shows_hint || self.demo.is_some();
        if !is_wanted || game.is_solved() {
            return;
        }
        game.assist();
        if self.advice.as_ref().is_none_or(|advice| !advice.is_optimal()) {
            let start = game.board().clone();
            let puzzle = Puzzle::new(start, game.puzzle().goal().clone()).expect("the same tiles");
            let solver = self.solver.clone();
            self.advising =
                Some(Job::start(move |monitor, answers| solver.advise(&puzzle, monitor, answers)));
        }
    }

    pub(crate) fn start_ghost(&mut self) {
        self.racing = None;
        let Some(game) = self.game.as_mut().filter(|_| self.has_ghost) else { return };
        game.assist();
        let (puzzle, solver) = (game.puzzle().clone(), self.solver.clone());
        self.racing =
            Some(Job::start(move |monitor, answers| solver.advise(&puzzle, monitor, answers)));
    }

    /// Returns the number of moves that the ghost has made.
    pub(crate) fn ghost_moves(&self, now: Instant) -> Option<(usize, usize)> {
        let (game, ghost) = (self.game.as_ref()?, self.ghost.as_ref().filter(|_| self.has_ghost)?);
        let made = game.time(now).as_secs_f64() * f64::from(self.options.speed);
        Some(((made as usize).min(ghost.moves.len()), ghost.moves.len()))
    }

    /// Returns the board of the ghost.
    pub(crate) fn ghost_board(&self, now: Instant) -> Option<Board> {
        let (made, _) = self.ghost_moves(now)?;
        let (game, ghost) = (self.game.as_ref()?, self.ghost.as_ref()?);
        taquin::replay(game.puzzle().start(), &ghost.moves[..made]).ok()
    }

    /// Updates everything that depends on the board after it has changed.
    pub(crate) fn moved(&mut self, now: Instant) {
        self.shows_hint = false;
        self.note.clear();
        self.refresh_advice();
        let Some(game) = self.game.as_ref().filter(|game| game.is_solved()) else { return };
        self.demo = None;
        if game.is_shown() {
            self.note = String::from("Solved by the solver. Press n for a new board.");
            return;
        }
        let seconds = game.time(now).as_secs_f64();
        let (puzzle, made) = (game.puzzle().clone(), game.slides().to_vec());
        self.record(Some(seconds));
        self.note = String::from("Solved! Looking for the shortest solution ...");
        let solver = self.solver.clone();
        self.reviewing = Some(Job::start(move |monitor, answers| {
            solver.review(&puzzle, &made, monitor, answers);
        }));
    }

    /// Records a game that ends. A game without a time was given up.
    fn record(&mut self, seconds: Option<f64>) {
        let Some(game) = &self.game else { return };
        let puzzle = game.puzzle();
        let made = write_moves(game.slides(), puzzle.start(), Notation::Blank);
        // Games are identified by their times.
        let clock = Duration::from_micros(taquin_lab::clock_seed());
        let since = clock.max(self.latest + Duration::from_millis(1));
        self.latest = since;
        self.save(Record {
            at: timestamp(since),
            rows: puzzle.size().rows(),
            cols: puzzle.size().cols(),
            start: puzzle.start().tiles().to_vec(),
            goal: puzzle.goal().tiles().to_vec(),
            draw: self.draw.clone(),
            // Thousandths are exact enough.
            seconds: seconds.map(|seconds| (seconds * 1_000.0).round() / 1_000.0),
            made: made.expect("the moves have been made on the board"),
            aided: game.is_assisted(),
            needed: None,
        });
    }

    fn save(&mut self, record: Record) {
        self.last = Some(record.clone());
        self.solved.retain(|known| known.key() != record.key());
        if record.seconds.is_some() {
            self.solved.push(record.clone());
        }
        if let Err(error) = self.history.add(record) {
            let warning = format!("The game could not be saved: {error}");
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
        }
        self.recount();
    }

    /// Records a game that the player leaves before it is solved.
    pub(crate) fn leave(&mut self) {
        if self.game.as_ref().is_some_and(|game| game.is_running() && !game.is_shown()) {
            self.record(None);
        }
    }

    /// Counts the games like this one.
    fn recount(&mut self) {
        let counted = self.like_this().filter(|record| !record.aided);
        let times: Vec<Option<f64>> = counted.map(|record| record.seconds).collect();
        self.statistics = Statistics::of(&times);
    }

    /// Returns the history's games like this one: with the same size and goal, drawn in the same
    /// way.
    pub(crate) fn like_this(&self) -> impl Iterator<Item = &Record> {
        let puzzle = self.game.as_ref().map(Game::puzzle);
        let goal = puzzle.map_or(&self.options.goal, Puzzle::goal);
        self.history.games().iter().filter(move |record| {
            (record.rows, record.cols) == (goal.size().rows(), goal.size().cols())
                && record.goal == goal.tiles()
                && record.draw == self.draw
        })
    }

    /// Takes answers from other threads, and makes moves that are due.
    pub(crate) fn tick(&mut self, now: Instant) {
        if let Some(drawn) = self.drawing.as_mut().and_then(Job::latest) {
            match (drawn, self.options.depth) {
                (Ok(puzzle), Some(depth)) => self.begin(puzzle, format!("depth {depth}")),
                (Ok(puzzle), None) => self.begin(puzzle, "uniform".to_owned()),
                (Err(error), _) => {
                    self.drawing = None;
                    self.note = format!("{error}. Press e to enter a board, or q to quit.");
                }
            }
        }
        if let Some(advice) = self.advising.as_mut().and_then(Job::latest) {
            self.advice = Some(advice);
        }
        if let Some(ghost) = self.racing.as_mut().and_then(Job::latest) {
            // The ghost keeps to one path while it runs.
            let is_waiting = self.game.as_ref().is_some_and(|game| !game.is_running());
            if is_waiting || self.ghost.is_none() {
                self.ghost = Some(ghost);
            }
        }
        if let Some(review) = self.reviewing.as_mut().and_then(Job::latest) {
            self.note = review.to_string();
            let last = self.last.take().filter(|last| review.is_proven() && last.needed.is_none());
            if let Some(last) = last {
                self.save(Record { needed: Some(review.best as u64), ..last });
            }
        }
        if let Some(search) = &mut self.search {
            search.poll();
        }
        if let Some(warning) = self.warnings.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            self.note = warning;
        }
        self.play_due(now);
    }

    /// Makes the solution's moves that are due.
    fn play_due(&mut self, now: Instant) {
        while let Some(due) = self.demo.filter(|&due| due <= now) {
            let first = self.advice.as_ref().and_then(|advice| advice.moves.first().copied());
            let Some(slide) = first else { return };
            self.demo = Some(due + Duration::from_secs(1) / self.options.speed);
            if !self.play(slide, now) {
                self.demo = None;
            }
        }
    }

    fn play(&mut self, slide: Slide, now: Instant) -> bool {
        let Some(game) = &mut self.game else { return false };
        let has_moved = game.play(slide, now);
        if has_moved {
            self.moved(now);
        }
        has_moved
    }

    /// Returns the time until the screen may change by itself.
    pub(crate) fn patience(&self) -> Duration {
        let is_running = self.game.as_ref().is_some_and(Game::is_running);
        let is_lively = is_running || self.demo.is_some() || self.search.is_some();
        Duration::from_millis(if is_lively { 33 } else { 100 })
    }

    /// Returns the known facts about the number of remaining moves.
    pub(crate) fn moves_left(&self) -> Option<String> {
        let advice = self.advice.as_ref().filter(|_| self.has_meter);
        if !self.has_meter {
            return None;
        }
        if self.game.as_ref().is_some_and(Game::is_solved) {
            return Some("0".to_owned());
        }
        Some(advice.map_or_else(
            || "...".to_owned(),
            |advice| match advice.is_optimal() {
                true => advice.bound.to_string(),
                false => format!("{} to {}", advice.bound, advice.moves.len()),
            },
        ))
    }

    /// Returns the message below the board.
    pub(crate) fn message(&self, now: Instant) -> String {
        let Some(game) = &self.game else { return self.note.clone() };
        if self.shows_hint {
            return match self.advice.as_ref() {
                None => "Looking for the next move ...".to_owned(),
                Some(advice) => hint(advice),
            };
        }
        if self.demo.is_some() && self.advice.is_none() {
            return "Looking for a solution ...".to_owned();
        }
        if self.note.is_empty() && game.moves() == 0 {
            return match game.is_solved() {
                true => "This board is solved. Press n for a new one.".to_owned(),
                false => "The clock starts with the first move.".to_owned(),
            };
        }
        match self.ghost_moves(now) {
            Some((made, of)) if made == of && !game.is_solved() && self.note.is_empty() => {
                let time = of as f64 / f64::from(self.options.speed);
                format!("The ghost has solved it in {} s.", write_seconds(time))
            }
            _ => self.note.clone(),
        }
    }

    /// Returns the tile that should move next, if the hint is shown.
    pub(crate) fn marked(&self) -> Option<taquin::Tile> {
        let advice = self.advice.as_ref().filter(|_| self.shows_hint)?;
        advice.next().map(|(tile, _)| tile)
    }
}

/// Returns a sentence with the next move.
fn hint(advice: &Advice) -> String {
    let Some((tile, way)) = advice.next() else { return "The board is solved.".to_owned() };
    let way = match way {
        taquin::Move::Up => "up",
        taquin::Move::Down => "down",
        taquin::Move::Left => "left",
        taquin::Move::Right => "right",
    };
    let (least, most) = (advice.bound, advice.moves.len());
    match (advice.is_optimal(), most) {
        (true, 1) => format!("Move tile {tile} {way}. It is the last move."),
        (true, _) => format!("Move tile {tile} {way}. {most} moves are left."),
        (false, _) => format!("Move tile {tile} {way}. {least} to {most} moves are left."),
    }
}
