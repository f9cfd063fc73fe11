//! Choosing a method for the user.
//!
//! Where the whole space is small, A* answers at once. Elsewhere a quick search that need not be
//! optimal comes first, so that there is an answer, and then IDA* until it has proven the shortest
//! or the time is up; every threshold that it finishes raises the bound.

use std::time::{Duration, Instant};

use taquin_search::{Limits, Outcome, Search, Stop};
use taquin_tiles::{Board, Slide};

use crate::estimate::Estimate;
use crate::method::Method;
use crate::run::run;
use crate::tables::Guide;
use crate::task::Task;

/// The time that `auto` takes when none is given.
pub const AUTO_TIME: Duration = Duration::from_secs(10);

/// Spaces of up to this many states are searched by A* whole.
const SMALL: u128 = 4_000_000;

/// Runs the methods that suit the puzzle, and says in plain words what was done.
pub(crate) fn auto(task: &Task, limits: &Limits) -> (Search<Slide>, Vec<String>) {
    let until = Instant::now() + limits.time.unwrap_or(AUTO_TIME);
    if arrangements(task.puzzle.start()) <= SMALL {
        let search = stage(task, "astar:linear", limits, until, 1.0);
        return (search, vec!["chose astar:linear, since the board is small".to_owned()]);
    }
    // A quick answer, by methods that are ever less particular.
    let mut best: Option<Search<Slide>> = None;
    for (text, share) in [("wastar:linear,w=3", 0.1), ("beam:linear,k=300", 0.3)] {
        let found = stage(task, text, limits, until, share);
        let done = found.solution().is_some() || is_cancelled(&found);
        best = Some(join(best, found));
        if done {
            break;
        }
    }
    if best.as_ref().is_none_or(|best| !best.is_optimal() && !is_cancelled(best)) {
        best = Some(join(best, stage(task, "ida:linear", limits, until, 1.0)));
    }
    let search = best.unwrap_or_else(|| stage(task, "ida:linear", limits, until, 1.0));
    let note = "looked for a quick answer first, then for a shortest one with ida:linear";
    (search, vec![note.to_owned()])
}

/// One method, within a share of the time that is left and of the other limits.
fn stage(task: &Task, method: &str, limits: &Limits, until: Instant, share: f64) -> Search<Slide> {
    let method: Method = method.parse().expect("the stages are methods");
    let left = until.saturating_duration_since(Instant::now());
    let limits = Limits { time: Some(left.mul_f64(share)), ..limits.clone() };
    let guide = Guide::Plain(method.estimate.clone().unwrap_or(Estimate::Zero));
    run(task, &method, &guide, &limits, None)
}

/// What two searches for the same puzzle know together.
fn join(first: Option<Search<Slide>>, second: Search<Slide>) -> Search<Slide> {
    let Some(first) = first else { return second };
    let cost = |search: &Search<Slide>| search.solution().map_or(u32::MAX, |found| found.cost);
    let outcome = match cost(&first) < cost(&second) {
        true => first.outcome,
        false => second.outcome,
    };
    Search {
        outcome,
        lower_bound: first.lower_bound.max(second.lower_bound),
        counts: first.counts.then(second.counts),
        before_last_bound: second.before_last_bound,
    }
}

fn is_cancelled(search: &Search<Slide>) -> bool {
    search.outcome == Outcome::Stopped(Stop::Cancelled)
}

/// The number of arrangements of a board's tiles: N! / k! for k blanks.
fn arrangements(board: &Board) -> u128 {
    let blanks = board.blanks().count() as u128;
    (blanks + 1..=board.size().cells() as u128).fold(1, u128::saturating_mul)
}
