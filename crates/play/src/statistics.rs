//! Solved games, and what speed-solvers count of them.

use serde::{Deserialize, Serialize};
use taquin::{Board, Notation, Puzzle, Size, Tile, read_moves, replay};

/// A solved game, as it is kept in the file of statistics.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solve {
    /// When it was solved, in seconds since 1970.
    pub at: u64,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The board at the start, row by row.
    pub start: Vec<Tile>,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// How the board was drawn: `uniform`, `depth 20` or `given`.
    pub drawn: String,
    /// The moves in tile notation.
    pub moves: String,
    /// The time, a whole number, so that it is read as it was written.
    pub milliseconds: u64,
    /// Whether the player had help; such games are not counted.
    #[serde(default)]
    pub assisted: bool,
}

impl Solve {
    /// Returns the number of moves, if the moves lead from the start to the goal.
    pub fn check(&self) -> Option<usize> {
        let size = Size::new(self.rows, self.cols).ok()?;
        let board = |tiles: &[Tile]| Board::new(size, tiles.to_vec()).ok();
        let puzzle = Puzzle::new(board(&self.start)?, board(&self.goal)?).ok()?;
        let moves = read_moves(&self.moves, Some(Notation::Tile), puzzle.start()).ok()?;
        let leads = replay(puzzle.start(), &moves).as_ref() == Ok(puzzle.goal());
        leads.then_some(moves.len())
    }

    /// Returns the time in seconds.
    pub const fn seconds(&self) -> f64 {
        self.milliseconds as f64 / 1_000.0
    }
}

/// What speed-solvers count, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// The number of games.
    pub games: usize,
    /// The best time.
    pub best: Option<f64>,
    /// The mean of all.
    pub mean: Option<f64>,
    /// The last 5, without the best and the worst.
    pub of_5: Option<f64>,
    /// The last 12, without the best and the worst.
    pub of_12: Option<f64>,
    /// The best mean of 5 in a row.
    pub best_of_5: Option<f64>,
    /// The best mean of 12 in a row.
    pub best_of_12: Option<f64>,
}

impl Statistics {
    /// Counts times in the order in which they were made.
    pub fn of(times: &[f64]) -> Self {
        let least = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
        let best_mean = |count| least(&mut times.windows(count).map(trimmed_mean));
        let last_mean = |count| times.len().checked_sub(count).map(|at| trimmed_mean(&times[at..]));
        Self {
            games: times.len(),
            best: least(&mut times.iter().copied()),
            mean: (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64),
            of_5: last_mean(5),
            of_12: last_mean(12),
            best_of_5: best_mean(5),
            best_of_12: best_mean(12),
        }
    }
}

/// Returns the mean without the best and the worst, of at least three times.
fn trimmed_mean(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = &sorted[1..sorted.len() - 1];
    middle.iter().sum::<f64>() / middle.len() as f64
}

/// Writes a time as speed-solvers do: `12.34`, `1:02.34`.
pub fn write_seconds(seconds: f64) -> String {
    let hundredths = (seconds * 100.0).round() as u64;
    let (minutes, rest) = (hundredths / 6_000, hundredths % 6_000);
    let (whole, part) = (rest / 100, rest % 100);
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{whole}.{part:02}"),
        (0, minutes) => format!("{minutes}:{whole:02}.{part:02}"),
        (hours, minutes) => format!("{hours}:{minutes:02}:{whole:02}.{part:02}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn means_drop_the_best_and_the_worst() {
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} {b}");
        let few = Statistics::of(&[10.0, 12.0]);
        assert_eq!((few.games, few.best, few.of_5, few.of_12), (2, Some(10.0), None, None));
        let five = Statistics::of(&[20.0, 10.0, 11.0, 12.0, 1.0]);
        close(five.of_5, 11.0);
        close(five.mean, 10.8);
        let mut times = vec![9.0, 9.0, 9.0, 9.0, 9.0];
        times.extend([30.0; 7]);
        let twelve = Statistics::of(&times);
        close(twelve.of_5, 30.0);
        close(twelve.best_of_5, 9.0);
        close(twelve.of_12, (4.0 * 9.0 + 6.0 * 30.0) / 10.0);
        assert_eq!(Statistics::of(&[]), Statistics::default());
    }

    #[test]
    fn times_are_written_as_on_a_stopwatch() {
        let texts = [0.0, 9.999, 59.994, 62.34, 3_725.5].map(write_seconds);
        assert_eq!(texts, ["0.00", "10.00", "59.99", "1:02.34", "1:02:05.50"]);
    }
}
