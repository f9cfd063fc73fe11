//! Sliding-tile puzzles as a game in the terminal: `taquin play`.
//!
//! The rules of the game ([`Game`]), the statistics ([`Statistics`]) and their file ([`History`])
//! know nothing of terminals. [`play`] puts them on a screen; the solver works on other threads, so
//! that the screen never waits for it.
//!
//! ```
//! use std::time::Instant;
//! use taquin::{Board, Move, Task};
//! use taquin_play::Game;
//!
//! let start: Board = "1 2 3/4 0 6/7 5 8".parse()?;
//! let mut game = Game::new(Task::from(start).puzzle);
//! game.push(Move::Up, false, Instant::now());
//! game.push(Move::Left, false, Instant::now());
//! assert!(game.is_solved());
//! assert_eq!(game.written(), "UL");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod app;
mod draw;
mod game;
mod history;
mod input;
mod job;
mod keys;
mod layout;
mod live;
mod scramble;
mod screen;
mod statistics;
mod theme;
mod view;

use std::io;
use std::time::Instant;

use ratatui::crossterm::event;
use ratatui::layout::Rect;

use crate::app::{App, Wish};

pub use advice::{Advice, Review, Solver};
pub use app::{Options, Warnings};
pub use game::Game;
pub use history::History;
pub use scramble::{ScrambleError, read_scramble};
pub use screen::Screen;
pub use statistics::{Record, Statistics, write_seconds};
pub use theme::Theme;

/// What came of a session of play.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The games that were solved.
    pub solved: Vec<Record>,
    /// Whether it was ended by Ctrl-C or by a signal.
    pub is_interrupted: bool,
    /// Whether another thread panicked; its message has been printed.
    pub has_panicked: bool,
}

/// Plays in the terminal until the player has had enough. `warnings` are messages of the session's
/// tables, which are shown below the board.
///
/// # Errors
/// Fails if the terminal cannot be used. It is given back in any case.
pub fn play(
    options: Options,
    solver: Solver,
    history: History,
    warnings: Warnings,
) -> io::Result<Played> {
    let mut screen = Screen::open()?;
    let mut app = App::new(options, solver, history, warnings);
    let mut area = Rect::default();
    let is_interrupted = loop {
        let now = Instant::now();
        app.tick(now);
        screen.draw(|frame| {
            area = frame.area();
            app.draw(frame, now);
        })?;
        if Screen::is_interrupted() {
            break true;
        }
        if Screen::has_panicked() {
            break false;
        }
        let mut wish = None;
        // Several events at once, such as a key that is held down, make one frame.
        let mut patience = app.patience();
        while wish.is_none() && event::poll(patience)? {
            wish = app.event(event::read()?, area, Instant::now());
            patience = std::time::Duration::ZERO;
        }
        match wish {
            None => {}
            Some(Wish::Quit) => break false,
            Some(Wish::Interrupt) => break true,
            Some(Wish::Suspend) => screen.suspend()?,
        }
    };
    drop(screen);
    app.leave();
    Ok(Played { solved: app.solved, is_interrupted, has_panicked: Screen::has_panicked() })
}
