//! Checks whether a solution is optimal if the search that found it could not prove it.

use std::sync::Arc;

use taquin::{
    Algorithm, Costs, Estimate, Method, Metric, Monitor, Report, Session, Task, TaskLimits, Watch,
};

/// The most nodes that the check generates: about a second, and the same on every machine.
const MAX_NODES: u64 = 30_000_000;

/// Checks with IDA* whether a solution is optimal when the search dropped cheaper paths and could
/// not prove it. Returns a note, or `None` if there is nothing to check.
pub fn second_look(
    session: &Session,
    task: &Task,
    report: &Report,
    monitor: &Arc<Monitor>,
) -> Option<String> {
    let dropped = report.counts.dropped_cheaper;
    let (Some(cost), Some(depth)) = (report.cost, report.depth) else { return None };
    if report.optimal || dropped == 0 || !task.method.aims_at_optimal(&task.cost) {
        return None;
    }
    let policy = &task.method.policy;
    let times = match dropped {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let why = format!("duplicates={} dropped a cheaper path {times}", policy.duplicates);
    let Some(best) = optimum(session, task, monitor) else {
        return Some(format!("{why}: whether the answer is optimal is not known"));
    };
    // A segment is one move, so that costs are moves.
    let in_segments = task.method.metric == Metric::Multi;
    let (best_cost, best_depth) = (best.cost?, best.depth?);
    let (best_depth, depth) = match in_segments {
        true => (best_cost.into(), cost.into()),
        false => (best_depth, depth),
    };
    Some(match (best_cost == cost, task.cost == Costs::Unit) {
        (true, _) => {
            format!("the answer is optimal, but this search did not prove it: {why}")
        }
        (false, true) => format!(
            "not optimal: the shortest solution has {best_depth} moves, this one {depth}; {why}"
        ),
        (false, false) => {
            format!("not optimal: the cheapest solution costs {best_cost}, this one {cost}; {why}")
        }
    })
}

/// Searches for an optimal solution to the same puzzle with IDA*; `None` if that takes more than a
/// second or so.
pub fn optimum(session: &Session, task: &Task, monitor: &Arc<Monitor>) -> Option<Report> {
    let mut quick =
        Task::new(task.puzzle.clone(), Method::new(Algorithm::Ida, Some(Estimate::Linear)));
    if task.method.metric == Metric::Multi {
        quick.method = "ida:walking,metric=multi".parse().ok()?;
    }
    quick.cost = task.cost.clone();
    quick.limits = TaskLimits { generated: Some(MAX_NODES), ..TaskLimits::default() };
    Some(session.run(&quick, Watch::by(monitor))).filter(|report| report.optimal)
}
