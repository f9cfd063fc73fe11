//! The view of the game.

use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use taquin::Size;
use taquin_lab::amounts::{count, thousands};

use crate::app::{App, PACES, View};
use crate::draw::{bar, draw_board, paragraph, text, text_right, wrap};
use crate::game::{Game, speed};
use crate::keys::HELP;
use crate::layout::{BoardPlace, Layout, MinimumWindow};
use crate::live::Live;
use crate::statistics::write_seconds;
use crate::theme::{Theme, digits};

/// The keys that a player needs first.
const KEYS: &str =
    "arrows move  u undo  n new  i hint  p solve  v search  g ghost  t times  ? help";

/// The kinds of input.
const EXAMPLES: [&str; 2] = [
    "such as 1 2 3/4 5 6/7 0 8, or R2DL2: moves from the goal",
    "a board, or moves from the goal: R2DL2",
];

/// Panels at least this wide have bars and the moves.
const WIDE: u16 = 28;

impl App {
    /// Draws everything.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>, now: Instant) {
        let area = frame.area();
        let buffer = frame.buffer_mut();
        let goal = self.game.as_ref().map_or(&self.options.goal, |game| game.puzzle().goal());
        match &self.view {
            View::Help => self.draw_list(buffer, area, "Keys", &help(area.width)),
            View::Statistics => self.draw_list(buffer, area, "Times", &self.times_list()),
            View::Game | View::Search | View::Enter(..) => {
                match Layout::new(area, goal.size(), digits(goal)) {
                    Ok(layout) => self.draw_game(buffer, &layout, now),
                    Err(least) => draw_too_small(buffer, area, goal.size(), least),
                }
            }
        }
    }

    fn theme(&self) -> Theme {
        self.options.theme
    }

    fn draw_game(&self, buffer: &mut Buffer, layout: &Layout, now: Instant) {
        let theme = self.theme();
        let goal = self.game.as_ref().map_or(&self.options.goal, |game| game.puzzle().goal());
        self.draw_header(buffer, layout, goal.size(), now);
        let live = self.search.as_ref().map(crate::live::LiveSearch::look);
        match (&self.game, &live) {
            (_, Some(live)) => {
                draw_board(buffer, &layout.board, &live.board, goal, theme, None);
            }
            (Some(game), None) => {
                let tiles = game.board().tiles();
                draw_board(buffer, &layout.board, tiles, goal, theme, self.marked());
            }
            (None, None) => {}
        }
        if let Some(panel) = layout.panel {
            match (&self.game, &live) {
                (_, Some(live)) => self.draw_search(buffer, panel, live),
                (Some(game), None) => self.draw_panel(buffer, panel, game, now),
                (None, None) => {}
            }
        }
        self.draw_note(buffer, layout.note, live.as_ref(), now);
        if let Some(area) = layout.keys {
            let keys = match self.view {
                View::Enter(..) => "Enter start  Esc back",
                View::Search => "+ faster  - slower  v back to the game",
                _ => KEYS,
            };
            text(buffer, area, keys, theme.quiet());
        }
    }

    fn draw_header(&self, buffer: &mut Buffer, layout: &Layout, size: Size, now: Instant) {
        let theme = self.theme();
        let title = match (&self.game, layout.panel) {
            // Without a panel, this is the place for the most important numbers.
            (Some(game), None) => {
                let time = write_seconds(game.time(now).as_secs_f64());
                format!("{time} s, {}", count(game.moves() as u64, "move", "moves"))
            }
            _ => format!("taquin {size}"),
        };
        text(buffer, layout.header, &title, theme.heading());
        let drawn = match self.game.as_ref().is_some_and(Game::is_assisted) {
            true => format!("{}, with help", self.draw),
            false => self.draw.clone(),
        };
        let right = match (layout.keys, layout.panel) {
            (Some(_), _) => match self.drawn_with {
                Some(seed) => format!("{drawn}  seed {seed}  theme {}", theme.name()),
                None => format!("{drawn}  theme {}", theme.name()),
            },
            (None, Some(_)) => format!("{drawn}  ? help"),
            (None, None) => "? help".to_owned(),
        };
        text_right(buffer, layout.header, &right, theme.quiet());
    }

    /// Draws times and counts.
    fn draw_panel(&self, buffer: &mut Buffer, area: Rect, game: &Game, now: Instant) {
        let theme = self.theme();
        let statistics = self.statistics;
        let seconds = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), write_seconds);
        let mut lines: Vec<(&str, String)> = vec![
            ("Time", write_seconds(game.time(now).as_secs_f64())),
            ("Moves", game.moves().to_string()),
            ("Tiles/s", format!("{:.2}", game.speed(now))),
        ];
        lines.extend(self.moves_left().map(|left| ("Left", left)));
        if self.has_ghost {
            let race = match self.ghost_moves(now) {
                None => "...".to_owned(),
                Some((made, of)) if game.is_solved() => {
                    if made < of { "you won" } else { "it won" }.to_owned()
                }
                Some((made, of)) if area.width >= WIDE => {
                    let part = made as f64 / of.max(1) as f64;
                    let left = usize::from(area.width).saturating_sub(24).min(20);
                    format!("{} {made} of {of}", bar(part, left))
                }
                Some((made, of)) => format!("{made} of {of}"),
            };
            lines.push(("Ghost", race));
        }
        lines.push(("", String::new()));
        lines.extend([
            ("Games", statistics.games.to_string()),
            ("Best", seconds(statistics.best)),
            ("ao5", seconds(statistics.of_5)),
            ("ao12", seconds(statistics.of_12)),
        ]);
        let used = draw_pairs(buffer, area, theme, &lines);
        let mut rest = below(area, used + 1);
        if let Some(ghost) = self.ghost_board(now) {
            let goal = game.puzzle().goal();
            if let Some(place) = BoardPlace::small(rest, goal.size(), digits(goal)) {
                draw_board(buffer, &place, ghost.tiles(), goal, theme, None);
                rest = below(rest, place.area.height + 1);
            }
        }
        if area.width >= WIDE && game.moves() > 0 && rest.height > 1 {
            let moves = wrap(&game.written(), usize::from(rest.width));
            // The last moves are the ones to see.
            let skipped = moves.len().saturating_sub(usize::from(rest.height));
            for (line, row) in moves[skipped..].iter().zip(rest.rows()) {
                text(buffer, row, line, theme.quiet());
            }
        }
    }

    /// Draws the counts and the layers of a search.
    fn draw_search(&self, buffer: &mut Buffer, area: Rect, live: &Live) {
        let theme = self.theme();
        let pace = match PACES[self.pace] {
            0 => "all".to_owned(),
            pace => thousands(pace),
        };
        let (g, h) = (live.g, live.h);
        let sums = [format!("{g} + {h} = {}", g + h), format!("{g}+{h}={}", g + h)];
        let lines = [
            ("Expanded", thousands(live.expanded)),
            ("Open", thousands(live.open)),
            ("Closed", thousands(live.closed)),
            ("g + h", fitting(area.width.saturating_sub(label(area)), sums)),
            ("Nodes/s", pace),
            ("", String::new()),
        ];
        let used = draw_pairs(buffer, area, theme, &lines);
        let rest = below(area, used);
        let most = live.layers.values().copied().max().unwrap_or(1);
        // The last layers are the ones that grow.
        let skipped = live.layers.len().saturating_sub(usize::from(rest.height));
        let digits = thousands(most).len();
        let width = usize::from(area.width).saturating_sub(6 + digits + 1).min(40);
        for ((f, &count), row) in live.layers.iter().skip(skipped).zip(rest.rows()) {
            let full = (count as f64 / most as f64 * width as f64).ceil() as usize;
            text(buffer, row, &format!("f {f:<3} "), theme.quiet());
            let from = |x| Rect { x: row.x + x, width: row.width.saturating_sub(x), ..row };
            text(buffer, from(6), &"█".repeat(full), theme.accent());
            text(buffer, from(6 + full as u16 + 1), &thousands(count), Style::new());
        }
    }

    fn draw_note(&self, buffer: &mut Buffer, area: Rect, live: Option<&Live>, now: Instant) {
        let theme = self.theme();
        match (&self.view, &self.search, live) {
            (View::Enter(typed, error), ..) => {
                let width = usize::from(area.width);
                let prompt = "Board or moves: ";
                // The end of a long text is the part to see.
                let shown = width.saturating_sub(prompt.len() + 1);
                let skipped = typed.chars().count().saturating_sub(shown);
                let typed: String = typed.chars().skip(skipped).collect();
                text(buffer, area, &format!("{prompt}{typed}▏"), theme.accent());
                let below = Rect { y: area.y + 1, height: 1, ..area };
                let example = fitting(area.width, EXAMPLES.map(str::to_owned));
                match error.is_empty() {
                    true => text(buffer, below, &example, theme.quiet()),
                    false => text(buffer, below, error, theme.heading()),
                }
            }
            (_, Some(search), Some(live)) => {
                let state = match search.finished {
                    None => format!("Searching with {}.", search.method),
                    Some(end) => match (end.depth, end.optimal) {
                        (Some(depth), true) => format!("{depth} moves, which is optimal."),
                        (Some(depth), false) => format!("{depth} moves, not proven optimal."),
                        (None, _) => "The search ended without a solution: a limit.".to_owned(),
                    },
                };
                let expanded = thousands(live.expanded);
                let words = match search.finished {
                    Some(_) => format!("{state} {} expanded {expanded} nodes.", search.method),
                    None => state,
                };
                paragraph(buffer, area, &words, theme.accent());
            }
            _ => paragraph(buffer, area, &self.message(now), theme.accent()),
        }
    }

    /// Draws a list that can be scrolled.
    fn draw_list(&self, buffer: &mut Buffer, area: Rect, title: &str, lines: &[String]) {
        let theme = self.theme();
        text(buffer, area, title, theme.heading());
        text_right(buffer, area, "Esc back", theme.quiet());
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let lines: Vec<String> =
            lines.iter().flat_map(|line| fold(line, usize::from(area.width))).collect();
        let hidden = lines.len().saturating_sub(usize::from(body.height));
        let skipped = self.scroll.min(hidden);
        for (line, row) in lines[skipped..].iter().zip(body.rows()) {
            text(buffer, row, line, Style::new());
        }
        if skipped < hidden {
            let last = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
            text_right(buffer, last, "↓ more", theme.quiet());
        }
    }

    /// Returns the lines of the statistics: means, then games, the latest first.
    fn times_list(&self) -> Vec<String> {
        let statistics = self.statistics;
        let seconds = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), write_seconds);
        let goal = self.game.as_ref().map_or(&self.options.goal, |game| game.puzzle().goal());
        let mut lines = vec![
            format!("{}, {}: {} counted", goal.size(), self.draw, statistics.games),
            String::new(),
            format!("{:<12}{:>11}{:>11}", "", "now", "best"),
            format!("{:<12}{:>11}{:>11}", "Single", "", seconds(statistics.best)),
            mean_line("ao5", statistics.of_5, statistics.best_of_5),
            mean_line("ao12", statistics.of_12, statistics.best_of_12),
            format!("{:<12}{:>11}", "Mean of all", seconds(statistics.mean)),
            String::new(),
        ];
        let games: Vec<_> = self.like_this().collect();
        for (number, game) in games.iter().enumerate().rev().take(MAX_GAMES_SHOWN) {
            let moves = game.check().unwrap_or_default();
            let help = if game.aided { "  with help" } else { "" };
            let needed =
                game.needed.map_or_else(String::new, |needed| format!(", {needed} needed"));
            let time = game.seconds.unwrap_or(f64::INFINITY);
            lines.push(format!(
                "{:>4}{:>11}{:>6.2}/s{moves:>5} {}{needed}{help}",
                number + 1,
                write_seconds(time),
                speed(moves, time),
                if moves == 1 { "move" } else { "moves" },
            ));
        }
        lines.push(String::new());
        let file = self.history.path().map_or_else(
            || "There is no file for statistics.".to_owned(),
            |path| format!("File: {}", path.display()),
        );
        lines.push(file);
        if self.history.damaged() > 0 {
            lines.push(format!("Damaged lines, skipped: {}", self.history.damaged()));
        }
        lines
    }
}

/// The most games that are listed.
const MAX_GAMES_SHOWN: usize = 100;

fn mean_line(name: &str, now: Option<f64>, best: Option<f64>) -> String {
    let seconds = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), write_seconds);
    format!("{name:<12}{:>11}{:>11}", seconds(now), seconds(best))
}

fn help(width: u16) -> Vec<String> {
    // In a narrow window, a key's effect is below it.
    let pad = 18;
    let is_narrow = HELP.iter().any(|(_, does)| pad + does.len() > width.into());
    let line = |(keys, does): &(&str, &str)| match is_narrow {
        true => vec![(*keys).to_owned(), format!("  {does}")],
        false => vec![format!("{keys:<pad$}{does}")],
    };
    HELP.iter().flat_map(line).collect()
}

/// Returns the rest of an area below `lines` lines.
fn below(area: Rect, lines: u16) -> Rect {
    let lines = lines.min(area.height);
    Rect { y: area.y + lines, height: area.height - lines, ..area }
}

/// Returns the first text that fits into `width` columns, or the last one.
fn fitting(width: u16, texts: [String; 2]) -> String {
    let [long, short] = texts;
    if long.chars().count() <= usize::from(width) { long } else { short }
}

/// Breaks a line that is too long for a window, at a space if there is one; its rest is indented.
fn fold(line: &str, width: usize) -> Vec<String> {
    const INDENT: usize = 4;
    let mut lines = Vec::new();
    let mut rest: Vec<char> = line.chars().collect();
    while rest.len() > width && width > INDENT {
        let space = rest[..=width].iter().rposition(|&letter| letter == ' ');
        let at = space.filter(|&at| at > INDENT).unwrap_or(width);
        lines.push(rest[..at].iter().collect::<String>().trim_end().to_owned());
        let tail: String = rest[at..].iter().collect();
        rest = format!("{:INDENT$}{}", "", tail.trim_start()).chars().collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// The columns for a label in a panel.
const fn label(area: Rect) -> u16 {
    if area.width >= WIDE { 12 } else { 11 }
}

/// Draws labels with values, and returns the number of lines.
fn draw_pairs(buffer: &mut Buffer, area: Rect, theme: Theme, lines: &[(&str, String)]) -> u16 {
    let label = label(area);
    for ((name, value), row) in lines.iter().zip(area.rows()) {
        text(buffer, row, name, theme.quiet());
        let right = Rect { x: row.x + label, width: row.width.saturating_sub(label), ..row };
        text(buffer, right, value, theme.heading());
    }
    (lines.len() as u16).min(area.height)
}

fn draw_too_small(buffer: &mut Buffer, area: Rect, size: Size, least: MinimumWindow) {
    let words = format!(
        "This window has {} columns and {} lines. A {size} board needs {} columns and {} lines. \
         Enlarge the window, use a smaller font, or press q.",
        area.width, area.height, least.width, least.height
    );
    paragraph(buffer, area, &words, Style::new());
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
    use taquin::{Board, NamedGoal, Session};

    use super::*;
    use crate::advice::Solver;
    use crate::app::{Options, Warnings};
    use crate::history::History;
    use crate::statistics::Record;

    fn app(size: (usize, usize)) -> App {
        let options = Options {
            goal: NamedGoal::Last.board(Size::new(size.0, size.1).unwrap(), 1),
            first: None,
            depth: None,
            seed: 7,
            theme: Theme::Rows,
            speed: 3,
            method: "astar:manhattan".parse().unwrap(),
        };
        let solver = Solver { session: Session::without_folder(), threads: 1, memory: None };
        App::new(options, solver, History::unsaved(), Warnings::default())
    }

    fn typed(app: &mut App, keys: &str, now: Instant) {
        for key in keys.chars() {
            let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
            let event = Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
            app.event(event, Rect::new(0, 0, 80, 24), now);
        }
    }

    fn drawn(app: &App, width: u16, height: u16, now: Instant) -> Terminal<TestBackend> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| app.draw(frame, now)).unwrap();
        terminal
    }

    /// Every screen can be drawn in a window of every size.
    #[test]
    fn no_window_is_too_small_to_be_drawn() {
        let now = Instant::now();
        for size in [(2, 2), (4, 4), (1, 7), (20, 20)] {
            for keys in ["", "?", "t", "v", "e12", "mgi", "wasd"] {
                let mut app = app(size);
                typed(&mut app, keys, now);
                for width in [0, 1, 2, 11, 23, 24, 40, 80, 200] {
                    for height in [0, 1, 2, 3, 6, 7, 15, 24, 60] {
                        drawn(&app, width, height, now);
                    }
                }
            }
        }
    }

    /// A narrow window shows the ends of lines, too.
    #[test]
    fn nothing_is_cut_in_a_narrow_window() {
        let now = Instant::now();
        let mut app = app((3, 3));
        typed(&mut app, "e1 2 3/4 0 6/7 5 8\n", now);
        typed(&mut app, "mwr", now);
        let screen = |app: &App| drawn(app, 40, 12, now).backend().to_string();
        typed(&mut app, "t", now);
        assert!(screen(&app).contains("1 move ") && screen(&app).contains("    help"));
        typed(&mut app, "qe", now);
        assert!(screen(&app).contains("moves from the goal: R2DL2"));
        assert_eq!(fold("a path/without/spaces", 10), ["a path/wit", "    hout/s", "    paces"]);
        assert_eq!(fold("   1  with help", 12), ["   1  with", "    help"]);
        let sums = || ["10 + 14 = 24".to_owned(), "10+14=24".to_owned()];
        assert_eq!(
            (fitting(12, sums()), fitting(9, sums())),
            ("10 + 14 = 24".into(), "10+14=24".into())
        );
    }

    /// Leaving a game that runs gives it up; a second attempt is marked.
    #[test]
    fn games_that_are_left_are_given_up() {
        let now = Instant::now();
        let mut app = app((3, 3));
        typed(&mut app, "e1 2 3/4 0 6/7 5 8\n", now);
        typed(&mut app, "w", now);
        typed(&mut app, "r", now);
        typed(&mut app, "wa", now);
        let games: Vec<&Record> = app.history.games().iter().collect();
        let summary: Vec<(bool, bool)> =
            games.iter().map(|game| (game.seconds.is_some(), game.aided)).collect();
        assert_eq!(summary, [(false, false), (true, true)]);
        let text = drawn(&app, 80, 24, now).backend().to_string();
        assert!(text.contains("given, with help"), "{text}");
        // The next board has not been played yet.
        typed(&mut app, "n", now);
        assert_eq!(app.history.games().len(), 2);
    }

    /// An answer for one board is never shown with another.
    #[test]
    fn answers_belong_to_their_boards() {
        let now = Instant::now();
        let mut app = app((3, 3));
        typed(&mut app, "m", now);
        for round in 0..40 {
            typed(&mut app, ["w", "a", "s", "d", "n"][round % 5], now);
            let mut looks = 0;
            while looks < round % 7 * 50 {
                looks += 1;
                app.tick(now);
                if let (Some(advice), Some(game)) = (&app.advice, &app.game) {
                    assert_eq!(advice.board, *game.board());
                    let board: &Board = game.puzzle().goal();
                    let end = taquin::replay(game.board(), &advice.moves);
                    assert_eq!(end.as_ref(), Ok(board));
                }
            }
        }
    }
}
