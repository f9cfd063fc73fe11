//! Choosing a method for the user.
//!
//! Where the whole space is small, A* answers at once. Elsewhere a quick search that need not be
//! optimal comes first, so that there is an answer, and then IDA* until it has proven the shortest
//! or the time is up; every threshold that it finishes raises the bound.

use std::time::{Duration, Instant};

use taquin_search::{Counts, Limits, Outcome, Search, Stop};
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
    let started = Instant::now();
    let stage = |text: &str, share, before: Option<&Search<Slide>>| {
        let spent = before.map_or(Counts::default(), |search| search.counts);
        let limits = left(limits, started, share, spent);
        let method: Method = text.parse().expect("the stages are methods");
        let guide = Guide::Plain(method.estimate.clone().unwrap_or(Estimate::Zero));
        run(task, &method, &guide, &limits, None)
    };
    if arrangements(task.puzzle.start()) <= SMALL {
        let search = stage("astar:linear", 1.0, None);
        return (search, vec!["chose astar:linear, since the board is small".to_owned()]);
    }
    // A quick answer, by methods that are ever less particular.
    let mut best: Option<Search<Slide>> = None;
    for (text, share) in [("wastar:linear,w=3", 0.1), ("beam:linear,k=300", 0.3)] {
        let found = stage(text, share, best.as_ref());
        let done = found.solution().is_some() || is_cancelled(&found);
        best = Some(join(best, found));
        if done {
            break;
        }
    }
    if best.as_ref().is_none_or(|best| !best.is_optimal() && !is_cancelled(best)) {
        let found = stage("ida:linear", 1.0, best.as_ref());
        best = Some(join(best, found));
    }
    let search = best.unwrap_or_else(|| stage("ida:linear", 1.0, None));
    let note = "looked for a quick answer first, then for a shortest one with ida:linear";
    (search, vec![note.to_owned()])
}

/// A share of the time that is left, and all that is left of the other limits.
fn left(limits: &Limits, started: Instant, share: f64, spent: Counts) -> Limits {
    let time = limits.time.unwrap_or(AUTO_TIME).saturating_sub(started.elapsed());
    Limits {
        expanded: limits.expanded.map(|most| most.saturating_sub(spent.expanded)),
        generated: limits.generated.map(|most| most.saturating_sub(spent.generated)),
        time: Some(time.mul_f64(share)),
        ..limits.clone()
    }
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
