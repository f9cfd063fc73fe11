//! Sliding-tile puzzles as a game in the terminal: `taquin play`.
//!
//! The game's rules ([`Game`]), the statistics ([`Statistics`]) and their file ([`History`]) are
//! independent of terminals. [`play`] puts them on a screen. The solver works on other threads, so
//! the screen never waits for it.
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

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;
use std::{io, thread};

use ratatui::crossterm::event::{self, Event};
use ratatui::layout::Rect;

use crate::app::{App, Exit};

pub use advice::{Advice, Review, Solver};
pub use app::{Options, Warnings};
pub use game::Game;
pub use history::History;
pub use scramble::{ScrambleError, read_scramble};
pub use screen::Screen;
pub use statistics::{Record, Statistics, write_seconds};
pub use theme::Theme;

/// The result of a playing session.
#[derive(Clone, PartialEq, Debug)]
pub struct PlaySummary {
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
) -> io::Result<PlaySummary> {
    let mut screen = Screen::open()?;
    let mut app = App::new(options, solver, history, warnings);
    let ended = follow(&mut app, &mut screen);
    // Nothing can be drawn on a terminal that has been closed.
    let ended = ended.or_else(|error| Screen::is_interrupted().then_some(true).ok_or(error));
    drop(screen);
    app.leave();
    Ok(PlaySummary {
        solved: app.solved,
        is_interrupted: ended?,
        has_panicked: Screen::has_panicked(),
    })
}

/// Follows the events of the terminal, and returns whether the game was interrupted.
fn follow(app: &mut App, screen: &mut Screen) -> io::Result<bool> {
    let events = events();
    let mut area = Rect::default();
    loop {
        let now = Instant::now();
        app.tick(now);
        if Screen::is_interrupted() {
            return Ok(true);
        }
        if Screen::has_panicked() {
            return Ok(false);
        }
        screen.draw(|frame| {
            area = frame.area();
            app.draw(frame, now);
        })?;
        // Several events together, such as a key that is held down, make one frame.
        let mut event = match events.recv_timeout(app.patience()) {
            Ok(event) => Some(event?),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(true),
        };
        while let Some(next) = event {
            match app.event(next, area, Instant::now()) {
                None => {}
                Some(Exit::Quit) => return Ok(false),
                Some(Exit::Interrupt) => return Ok(true),
                Some(Exit::Suspend) => screen.suspend()?,
            }
            event = events.try_recv().ok().transpose()?;
        }
    }
}

/// Returns the terminal's events. A separate thread reads them: if the terminal has been closed,
/// reading never returns.
fn events() -> Receiver<io::Result<Event>> {
    let (sender, events) = mpsc::channel();
    thread::spawn(move || while sender.send(event::read()).is_ok() {});
    events
}
