//! The games that were played, and the statistics that speed-solvers use.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin::{
    Board, MovesError, Notation, Puzzle, Size, Slide, Tile, read_moves, replay, write_moves,
};

/// A game that was played. In JSON it has the fields of the games that the page exports.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// When it ended, as in `2026-11-16T12:00:00.000Z`.
    pub at: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The board at the start, row by row.
    pub start: Vec<Tile>,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// How the board was drawn: `uniform`, `depth 20` or `given`.
    pub draw: String,
    /// The time; none if the game was given up.
    pub seconds: Option<f64>,
    /// The moves, in blank notation.
    pub made: String,
    /// Whether the player had help; such games are not counted.
    #[serde(default)]
    pub aided: bool,
    /// The length of a shortest solution, if it is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
}

/// Longer texts are not times.
const MAX_TIME_CHARS: usize = 40;

impl Record {
    /// Returns the number of moves if this is a game: the board allows its moves, and if it was
    /// solved, they lead to the goal.
    pub fn check(&self) -> Option<usize> {
        let (puzzle, moves) = self.replayed()?;
        let end = replay(puzzle.start(), &moves).ok()?;
        let is_time = |&seconds: &f64| seconds.is_finite() && seconds >= 0.0;
        let is_end = self.seconds.is_none_or(|time| is_time(&time) && end == *puzzle.goal());
        let depth = self.draw.strip_prefix("depth ");
        let is_drawn = ["uniform", "given"].contains(&self.draw.as_str())
            || depth.is_some_and(|depth| depth.parse::<u32>().is_ok());
        let is_at =
            self.at.len() <= MAX_TIME_CHARS && self.at.chars().all(|c| c.is_ascii_graphic());
        let is_needed = self.needed.is_none_or(|needed| needed <= moves.len() as u64);
        (is_end && is_drawn && is_at && is_needed).then_some(moves.len())
    }

    fn replayed(&self) -> Option<(Puzzle, Vec<Slide>)> {
        let size = Size::new(self.rows, self.cols).ok()?;
        let board = |tiles: &[Tile]| Board::new(size, tiles.to_vec()).ok();
        let puzzle = Puzzle::new(board(&self.start)?, board(&self.goal)?).ok()?;
        let moves = read_moves(&self.made, Some(Notation::Blank), puzzle.start()).ok()?;
        Some((puzzle, moves))
    }

    /// Returns the board at the start, and the moves in tile notation.
    pub fn written(&self) -> Option<(Board, String)> {
        let (puzzle, moves) = self.replayed()?;
        let text: Result<String, MovesError> = write_moves(&moves, puzzle.start(), Notation::Tile);
        Some((puzzle.start().clone(), text.ok()?))
    }

    /// Returns what distinguishes games: when and where they were played.
    pub(crate) fn key(&self) -> (String, Vec<Tile>) {
        (self.at.clone(), self.start.clone())
    }
}

/// Writes a time since 1970 as in `2026-11-16T12:00:00.000Z`.
pub(crate) fn timestamp(since: Duration) -> String {
    let (seconds, thousandths) = (since.as_secs(), since.subsec_millis());
    let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let day = days + 1;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandths:03}Z")
}

/// The figures that speed-solvers count, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// The number of games.
    pub games: usize,
    /// The best time.
    pub best: Option<f64>,
    /// The mean of all that were solved.
    pub mean: Option<f64>,
    /// The last 5, without the best and the worst.
    pub of_5: Option<f64>,
    /// The last 12, without the best and the worst.
    pub of_12: Option<f64>,
    /// The best average of 5 in a row.
    pub best_of_5: Option<f64>,
    /// The best average of 12 in a row.
    pub best_of_12: Option<f64>,
}

impl Statistics {
    /// Counts times in the order in which they were made. A game that was given up is worse than
    /// any other; an average with two of them is infinite.
    pub fn of(results: &[Option<f64>]) -> Self {
        let times: Vec<f64> = results.iter().map(|time| time.unwrap_or(f64::INFINITY)).collect();
        let solved: Vec<f64> = results.iter().flatten().copied().collect();
        let least = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
        let best_average = |count| least(&mut times.windows(count).map(average));
        let last_average = |count| times.len().checked_sub(count).map(|at| average(&times[at..]));
        Self {
            games: times.len(),
            best: least(&mut solved.iter().copied()),
            mean: (!solved.is_empty()).then(|| solved.iter().sum::<f64>() / solved.len() as f64),
            of_5: last_average(5),
            of_12: last_average(12),
            best_of_5: best_average(5),
            best_of_12: best_average(12),
        }
    }
}

/// Returns the average of at least three times as speed-solvers take it: the mean without the best
/// and the worst. Times are cut to hundredths, and the mean is rounded to hundredths.
fn average(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = &sorted[1..sorted.len() - 1];
    let sum: f64 = middle.iter().copied().map(hundredths).sum();
    (sum / middle.len() as f64).round() / 100.0
}

/// Returns the complete hundredths of a second, as a stopwatch shows them.
fn hundredths(seconds: f64) -> f64 {
    // 0.29 * 100 is less than 29.
    (seconds * 100.0 + 1e-6).floor()
}

/// Writes a time as speed-solvers do: `12.34`, `1:02.34`, `DNF` (did not finish).
pub fn write_seconds(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "DNF".to_owned();
    }
    let hundredths = hundredths(seconds) as u64;
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
        let of =
            |times: &[f64]| Statistics::of(&times.iter().copied().map(Some).collect::<Vec<_>>());
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} {b}");
        let few = of(&[10.0, 12.0]);
        assert_eq!((few.games, few.best, few.of_5, few.of_12), (2, Some(10.0), None, None));
        let five = of(&[20.0, 10.0, 11.0, 12.0, 1.0]);
        close(five.of_5, 11.0);
        close(five.mean, 10.8);
        let mut times = vec![9.0, 9.0, 9.0, 9.0, 9.0];
        times.extend([30.0; 7]);
        let twelve = of(&times);
        close(twelve.of_5, 30.0);
        close(twelve.best_of_5, 9.0);
        close(twelve.of_12, (4.0 * 9.0 + 6.0 * 30.0) / 10.0);
        // 10.01, 10.02 and 10.02 after they are cut; the page has the same (unit.test.mjs).
        close(of(&[10.019, 10.029, 10.029, 1.0, 99.0]).of_5, 10.02);
        close(of(&[10.019, 10.019, 10.029, 1.0, 99.0]).of_5, 10.01);
        assert_eq!(of(&[]), Statistics::default());
    }

    #[test]
    fn a_game_that_was_given_up_is_the_worst() {
        let one = Statistics::of(&[Some(9.0), None, Some(10.0), Some(11.0), Some(12.0)]);
        assert_eq!((one.games, one.of_5, one.best), (5, Some(11.0), Some(9.0)));
        let two = Statistics::of(&[Some(9.0), None, Some(10.0), None, Some(12.0)]);
        assert_eq!(two.of_5.map(write_seconds).as_deref(), Some("DNF"));
        assert_eq!(Statistics::of(&[None]).best, None);
    }

    #[test]
    fn times_are_written_as_on_a_stopwatch() {
        // The page writes the same (unit.test.mjs).
        let texts = [0.0, 9.999, 59.994, 62.34, 3_725.5].map(write_seconds);
        assert_eq!(texts, ["0.00", "9.99", "59.99", "1:02.34", "1:02:05.50"]);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let of = |seconds: u64| timestamp(Duration::from_millis(seconds * 1_000 + 7));
        // As `date -u -d @SECONDS` prints them.
        assert_eq!(of(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(of(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(of(1_798_761_599), "2026-12-31T23:59:59.007Z");
        assert_eq!(of(4_107_542_400), "2100-03-01T00:00:00.007Z");
    }
}
