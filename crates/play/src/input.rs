//! The effects of keys, clicks and pasted texts.

use std::time::Instant;

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;
use taquin::{Move, Puzzle, Task};

use crate::app::{App, Exit, PACES, View};
use crate::keys::{Action, action};
use crate::layout::Layout;
use crate::live::LiveSearch;
use crate::scramble::read_scramble;
use crate::theme::digits;

/// Moves per second of solutions and ghosts.
const SPEEDS: [u32; 10] = [1, 2, 3, 5, 8, 12, 20, 30, 50, 100];

/// The longest text of a scramble that can be entered, in bytes.
const MAX_TYPED: usize = 1 << 16;

impl App {
    /// Takes an event of the terminal.
    pub(crate) fn event(&mut self, event: Event, area: Rect, now: Instant) -> Option<Exit> {
        match event {
            Event::Key(key) => return self.key(key, now),
            Event::Mouse(mouse) => self.mouse(mouse, area, now),
            Event::Paste(pasted) => {
                if let View::Enter(text, _) = &mut self.view {
                    text.extend(pasted.chars().take(MAX_TYPED.saturating_sub(text.len())));
                }
            }
            _ => {}
        }
        None
    }

    fn mouse(&mut self, mouse: MouseEvent, area: Rect, now: Instant) {
        let Some(game) = self.game.as_mut().filter(|_| self.view == View::Game) else { return };
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
            return;
        }
        let board = game.board();
        let Ok(layout) = Layout::new(area, board.size(), digits(board)) else { return };
        let cell = layout.board.cell_at(mouse.column, mouse.row);
        if cell.is_some_and(|cell| game.click(cell, now)) {
            self.demo = None;
            self.moved(now);
        }
    }

    fn key(&mut self, key: KeyEvent, now: Instant) -> Option<Exit> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if matches!(self.view, View::Enter(..)) && !is_control {
            if key.kind != KeyEventKind::Release {
                self.edit(key.code);
            }
            return None;
        }
        let action = action(key)?;
        match action {
            Action::Interrupt => return Some(Exit::Interrupt),
            Action::Suspend => return Some(Exit::Suspend),
            Action::Quit | Action::Close if self.view == View::Game => return Some(Exit::Quit),
            Action::Quit | Action::Close => self.close(),
            Action::Theme => self.options.theme = self.options.theme.next(),
            Action::Faster => self.hurry(true),
            Action::Slower => self.hurry(false),
            Action::Help => self.toggle(View::Help),
            Action::Statistics => self.toggle(View::Statistics),
            Action::Search => self.toggle_search(),
            Action::Push { towards, .. } if self.view != View::Game => match towards {
                Move::Down => self.scroll += 1,
                Move::Up => self.scroll = self.scroll.saturating_sub(1),
                _ => {}
            },
            _ => {
                self.close();
                self.play_action(action, now);
            }
        }
        None
    }

    /// Actions that belong to the board.
    fn play_action(&mut self, action: Action, now: Instant) {
        match action {
            Action::New => return self.draw_board(),
            Action::Enter => {
                self.view = View::Enter(String::new(), String::new());
                return;
            }
            Action::Meter => {
                self.has_meter = !self.has_meter;
                return self.want_advice();
            }
            Action::Ghost => {
                self.has_ghost = !self.has_ghost;
                return self.start_ghost();
            }
            _ => {}
        }
        let Some(game) = &mut self.game else { return };
        match action {
            Action::Push { towards, all } => {
                if game.push(towards, all, now) {
                    self.demo = None;
                    self.moved(now);
                } else if !game.is_solved() {
                    self.note = String::from("No tile can go that way.");
                }
            }
            Action::Undo | Action::Redo => {
                let has_changed = if action == Action::Undo { game.undo() } else { game.redo(now) };
                if has_changed {
                    self.demo = None;
                    self.moved(now);
                }
            }
            Action::Restart => self.restart(),
            Action::Hint => {
                self.shows_hint = !game.is_solved();
                self.want_advice();
            }
            Action::Solve => {
                self.demo = match self.demo {
                    None if !game.is_solved() => Some(now),
                    _ => None,
                };
                self.note.clear();
                self.want_advice();
            }
            _ => {}
        }
    }

    /// Asks for advice that is shown, and records it as help.
    fn want_advice(&mut self) {
        let is_wanted = self.has_meter || self.shows_hint || self.demo.is_some();
        if let Some(game) = self.game.as_mut().filter(|_| is_wanted) {
            game.assist();
        }
        let is_known = self.advice.as_ref().zip(self.game.as_ref());
        if is_known.is_none_or(|(advice, game)| advice.board != *game.board()) {
            self.refresh_advice();
        }
    }

    fn close(&mut self) {
        self.view = View::Game;
        self.scroll = 0;
        self.search = None;
    }

    fn toggle(&mut self, view: View) {
        let is_open = self.view == view;
        self.close();
        if !is_open {
            self.view = view;
        }
    }

    fn toggle_search(&mut self) {
        let is_open = self.view == View::Search;
        self.close();
        let Some(game) = self.game.as_mut().filter(|_| !is_open) else { return };
        game.assist();
        let start = game.board().clone();
        let puzzle = Puzzle::new(start, game.puzzle().goal().clone()).expect("the same tiles");
        let mut task = Task::new(puzzle, self.options.method.clone());
        task.limits.memory = self.solver.memory;
        self.search = Some(LiveSearch::start(&self.solver.session, task, PACES[self.pace]));
        self.view = View::Search;
    }

    /// Makes moving things faster or slower.
    fn hurry(&mut self, is_faster: bool) {
        if let Some(search) = &self.search {
            self.pace = match is_faster {
                true => (self.pace + 1).min(PACES.len() - 1),
                false => self.pace.saturating_sub(1),
            };
            search.set_pace(PACES[self.pace]);
            return;
        }
        let speed = self.options.speed;
        let other = match is_faster {
            true => SPEEDS.into_iter().find(|&known| known > speed),
            false => SPEEDS.into_iter().rfind(|&known| known < speed),
        };
        self.options.speed = other.unwrap_or(speed);
        self.note = format!("Solutions and ghosts: {} moves per second.", self.options.speed);
    }

    /// Takes a key while a scramble is entered.
    fn edit(&mut self, key: KeyCode) {
        let View::Enter(text, error) = &mut self.view else { return };
        match key {
            KeyCode::Esc => self.view = View::Game,
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(letter) if text.len() < MAX_TYPED => text.push(letter),
            KeyCode::Enter if text.trim().is_empty() => self.view = View::Game,
            KeyCode::Enter => match read_scramble(text, &self.options.goal) {
                Ok(puzzle) => self.begin_given(puzzle),
                Err(wrong) => *error = wrong.to_string(),
            },
            _ => {}
        }
    }
}
