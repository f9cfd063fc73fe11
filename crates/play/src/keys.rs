//! The keys' effects. The help screen is made from the same table.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use taquin::Move;

/// The action of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Move a tile this way, or all tiles on that side of the blank if `all`.
    Push {
        /// The tile's direction.
        towards: Move,
        /// Whether all of them move.
        all: bool,
    },
    /// Take the last turn back.
    Undo,
    /// Redo it.
    Redo,
    /// The same board again.
    Restart,
    /// Another board.
    New,
    /// Show the next move.
    Hint,
    /// Show how many moves are left, or stop showing it.
    Meter,
    /// Play the solution, or stop.
    Solve,
    /// Show a search, or leave it.
    Search,
    /// Race against the solver, or stop.
    Ghost,
    /// The next theme.
    Theme,
    /// Enter a board or moves.
    Enter,
    /// Show the statistics.
    Statistics,
    /// Show the keys.
    Help,
    /// Faster solutions, ghosts and searches.
    Faster,
    /// Slower ones.
    Slower,
    /// Close a screen, or the game.
    Close,
    /// End the game.
    Quit,
    /// End the game as an interrupted program.
    Interrupt,
    /// Return to the shell until it resumes the game.
    Suspend,
}

/// The keys and their effects.
pub(crate) const HELP: [(&str, &str); 18] = [
    ("arrows wasd hjkl", "move a tile that way"),
    ("Shift and these", "move all tiles up to the blank"),
    ("mouse", "move a tile and those before it"),
    ("u, Backspace", "undo"),
    ("y", "redo"),
    ("r", "the same board again"),
    ("n", "a new board"),
    ("e", "enter a board, or moves like R2DL2"),
    ("i", "hint: the next move"),
    ("m", "meter: moves left"),
    ("p", "play the solution, or stop"),
    ("v", "view a search"),
    ("g", "race a ghost: the solver"),
    ("+ -", "speed of solution, ghost, search"),
    ("t", "times and statistics"),
    ("c", "colours"),
    ("?", "this list"),
    ("q, Esc", "close, quit"),
];

/// Returns a key's meaning in the game.
pub(crate) fn action(key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Action::Interrupt),
            KeyCode::Char('z') => Some(Action::Suspend),
            _ => None,
        };
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let push = |towards, all| Some(Action::Push { towards, all });
    match key.code {
        KeyCode::Up => push(Move::Up, shift),
        KeyCode::Down => push(Move::Down, shift),
        KeyCode::Left => push(Move::Left, shift),
        KeyCode::Right => push(Move::Right, shift),
        KeyCode::Backspace => Some(Action::Undo),
        KeyCode::Esc => Some(Action::Close),
        KeyCode::F(1) => Some(Action::Help),
        KeyCode::Char(letter) => {
            let all = shift || letter.is_ascii_uppercase();
            match letter.to_ascii_lowercase() {
                'w' | 'k' => push(Move::Up, all),
                's' | 'j' => push(Move::Down, all),
                'a' | 'h' => push(Move::Left, all),
                'd' | 'l' => push(Move::Right, all),
                'u' => Some(Action::Undo),
                'y' => Some(Action::Redo),
                'r' => Some(Action::Restart),
                'n' => Some(Action::New),
                'i' => Some(Action::Hint),
                'm' => Some(Action::Meter),
                'p' => Some(Action::Solve),
                'v' => Some(Action::Search),
                'g' => Some(Action::Ghost),
                'c' => Some(Action::Theme),
                'e' => Some(Action::Enter),
                't' => Some(Action::Statistics),
                '?' => Some(Action::Help),
                '+' | '=' => Some(Action::Faster),
                '-' | '_' => Some(Action::Slower),
                'q' => Some(Action::Quit),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn typed(letter: char) -> Option<Action> {
        action(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE))
    }

    #[test]
    fn the_help_lists_every_key() {
        let listed: String = HELP.iter().map(|(keys, _)| *keys).collect::<Vec<_>>().join(" ");
        let words: Vec<&str> = listed.split([' ', ',']).collect();
        for letter in ('a'..='z').chain("?+-".chars()) {
            let is_listed = words.contains(&letter.to_string().as_str())
                || words
                    .iter()
                    .any(|word| ["wasd", "hjkl"].contains(word) && word.contains(letter));
            assert_eq!(typed(letter).is_some(), is_listed, "{letter}");
        }
        let longest = HELP.iter().map(|(_, does)| 18 + does.len()).max();
        assert!(longest <= Some(54), "it fits: {longest:?}");
    }

    #[test]
    fn keys_that_are_released_do_nothing() {
        let mut key = KeyEvent::new(KeyCode::Left, KeyModifiers::SHIFT);
        assert_eq!(action(key), Some(Action::Push { towards: Move::Left, all: true }));
        key.kind = KeyEventKind::Release;
        assert_eq!(action(key), None);
    }
}
