//! Many 15-puzzles at once, on a device.

use std::sync::Arc;

use taquin_search::Monitor;
use taquin_tiles::{Board, Costs};

use crate::accelerator::{DeviceBatch, DeviceError};
use crate::algorithm::Algorithm;
use crate::heuristic::{AnyHeuristic, Estimate};
use crate::method::Method;
use crate::on::On;
use crate::report::{Ending, Reason, Report};
use crate::session::{Session, refuse, timed};
use crate::task::{Task, TaskLimits};
use crate::watch::Watch;

/// How many tasks a device should get at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// With fewer it does not pay.
    pub least: usize,
    /// With more it is not faster.
    pub most: usize,
}

/// The number of boards that keep a device busy.
const MOST: usize = 1 << 14;

/// The number of boards from which `auto` uses a device: it takes a while to start, in which the
/// processor solves thousands.
const LEAST_FOR_AUTO: usize = 1 << 12;

impl Session {
    /// Returns how many tasks like this one [`run_together`](Self::run_together) should get at once.
    /// It is `None` if such tasks are run alone: if there is no driver of a device, or if the method is
    /// neither `ida:pdb=..,on=gpu` without other fields nor `auto` or `auto,on=gpu`, on 15-puzzles with
    /// the usual moves and costs and without limits on nodes and time.
    pub fn group_of(&self, task: &Task) -> Option<Group> {
        let least = if task.method == Method::default() { LEAST_FOR_AUTO } else { 1 };
        let fits = is_usual(task) && is_for_many(&task.method);
        (fits && self.device().is_ok()).then_some(Group { least, most: MOST })
    }

    /// Solves tasks together on a device. There is no report of a task that does not fit the first
    /// one: it has another goal or method, or [`group_of`](Self::group_of) refuses it.
    ///
    /// # Errors
    /// Fails if the device does, or has too little memory: then no task has a report.
    pub fn run_together(
        &self,
        tasks: &[&Task],
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Option<Report>>, DeviceError> {
        let fits = |task: &&&Task| is_usual(task) && is_for_many(&task.method);
        let Some(&first) = tasks.iter().find(fits) else { return Ok(vec![None; tasks.len()]) };
        let method = match self.method_for_many(first) {
            Some(method) => Method { on: Some(On::Gpu), ..method },
            None => first.method.clone(),
        };
        let is_like = |task: &Task| {
            is_usual(task)
                && task.method == first.method
                && task.puzzle.goal() == first.puzzle.goal()
        };
        let searched = Task { method: method.clone(), ..first.clone() };
        let session = self.for_search();
        let Ok(AnyHeuristic::Pdb(patterns)) = session.heuristic_of(&searched, monitor, None) else {
            return Err(DeviceError::Unsupported("the databases cannot be had"));
        };
        let mut reports: Vec<Option<Report>> =
            tasks.iter().map(|task| is_like(task).then(|| refuse(task)).flatten()).collect();
        let left: Vec<usize> =
            (0..tasks.len()).filter(|&at| is_like(tasks[at]) && reports[at].is_none()).collect();
        let starts: Vec<Board> = left.iter().map(|&at| tasks[at].puzzle.start().clone()).collect();
        let DeviceBatch { searches, seconds, device } =
            self.device()?.solve_many(&patterns, &starts, monitor)?;
        let Some(searches) = searches else {
            for at in left {
                let stopped = Report::unsearched(tasks[at], Ending::Stopped, Reason::Cancelled);
                reports[at] = Some(stopped);
            }
            return Ok(reports);
        };
        let seconds = seconds / starts.len() as f64;
        let note = match first.method.algorithm {
            Algorithm::Auto => format!("chose {method}: there is a device, {device}"),
            _ => format!("searched on {device}"),
        };
        let note = format!("{note}; boards were solved together, the time is an equal share");
        for (at, search) in left.into_iter().zip(searches) {
            let mut report = timed(tasks[at], search, seconds);
            report.stages[0].method = method.clone();
            report.notes.push(note.clone());
            reports[at] = Some(session.without_contradiction(tasks[at], report));
        }
        Ok(reports)
    }

    /// Runs a task on the processor, and reports why it was not done on a device.
    pub fn run_without_device(&self, task: &Task, why: &DeviceError, watch: Watch<'_>) -> Report {
        let on = (task.method.algorithm == Algorithm::Auto).then_some(On::Cpu);
        let method = Method { on, ..task.method.clone() };
        let mut report = self.run(&Task { method, ..task.clone() }, watch);
        report.method = task.method.clone();
        // `auto` chooses, and most machines have no device.
        let is_usual = task.method == Method::default() && matches!(why, DeviceError::Missing(_));
        if report.outcome != Ending::Unsolvable && !is_usual {
            report.notes.insert(0, format!("searched on the processor: {why}"));
        }
        report
    }

    /// Returns the method whose databases are worth building for many tasks of `auto`, if it is not
    /// `auto` itself: those of 6, 6 and 3 tiles, or larger ones that are there.
    pub fn method_for_many(&self, task: &Task) -> Option<Method> {
        let goal = task.puzzle.goal();
        let fits = is_fifteen(goal) && task.cost == Costs::Unit && !task.jumps;
        if task.method.algorithm != Algorithm::Auto || !fits {
            return None;
        }
        let named = |name: &str| Estimate::Pdb(name.parse().expect("a partition"));
        let largest = Some(named("7-8")).filter(|largest| self.has_tables(goal, largest));
        Some(Method::new(Algorithm::Ida, largest.or_else(|| Some(named("6-6-3")))))
    }
}

fn is_fifteen(goal: &Board) -> bool {
    (goal.size().rows(), goal.size().cols()) == (4, 4) && goal.blanks().count() == 1
}

/// Returns whether a device solves many 15-puzzles with a method.
fn is_for_many(method: &Method) -> bool {
    let on_device = match &method.estimate {
        None => Method::default(),
        Some(estimate @ Estimate::Pdb(_)) => Method::new(Algorithm::Ida, Some(estimate.clone())),
        Some(_) => return false,
    };
    *method == Method::default() || *method == Method { on: Some(On::Gpu), ..on_device }
}

/// Returns whether the kernels know all that a task asks for besides its method.
fn is_usual(task: &Task) -> bool {
    let TaskLimits { expanded, generated, seconds, traced, .. } = task.limits;
    is_fifteen(task.puzzle.goal())
        && task.cost == Costs::Unit
        && !task.jumps
        && !task.search_anyway
        && (expanded, generated, seconds, traced) == (None, None, None, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accelerator::tests::{Batch, TestDevice, failure};
    use taquin_fast::{Solver, SolverHeuristic, SolverOptions};
    use taquin_search::Limits;

    const SOLVABLE: &str = "1 2 3 4/5 6 0 8/9 10 7 12/13 14 11 15";
    const UNSOLVABLE: &str = "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0";
    const SMALL: &str = "1 2 3/4 0 6/7 5 8";
    const METHOD: &str = "ida:pdb=1.2.5.6/3.4.7.8,on=gpu";

    fn task(board: &str, method: &str) -> Task {
        let start: Board = board.parse().unwrap();
        Task { method: method.parse().unwrap(), ..Task::from(start) }
    }

    fn session(batch: Batch) -> Session {
        let device = TestDevice { batch, ..TestDevice::failing(|_| ()) };
        Session::without_folder().with_accelerator(device)
    }

    /// A device that solves boards.
    const WORKING: Batch = |patterns, starts| {
        let heuristic = SolverHeuristic::Patterns(Arc::clone(patterns));
        let options = SolverOptions::default();
        let solver = Solver::new(patterns.goal(), &heuristic, options).unwrap();
        let solve = |start| solver.solve(start, 1, &Limits::default()).unwrap();
        let searches = Some(starts.iter().map(solve).collect());
        Ok(DeviceBatch { searches, seconds: 1.0, device: "a test".to_owned() })
    };

    const FAILING: Batch = |_, _| Err(failure());

    #[test]
    fn boards_are_grouped_only_where_a_device_solves_them_together() {
        let with = session(WORKING);
        let without = Session::without_folder();
        let some = Some(Group { least: 1, most: MOST });
        assert_eq!(with.group_of(&task(SOLVABLE, METHOD)), some);
        assert_eq!(with.group_of(&task(UNSOLVABLE, "ida:pdb=7-8,on=gpu")), some);
        assert_eq!(with.group_of(&task(SOLVABLE, "auto,on=gpu")), some);
        let auto = Some(Group { least: LEAST_FOR_AUTO, most: MOST });
        assert_eq!(with.group_of(&task(SOLVABLE, "auto")), auto);
        for method in [METHOD, "auto"] {
            assert_eq!(without.group_of(&task(SOLVABLE, method)), None, "there is no device");
            assert_eq!(with.group_of(&task(SMALL, method)), None, "{method}");
        }
        let mut others = Vec::new();
        for method in [
            "ida:manhattan,on=gpu",
            "auto,on=cpu",
            "ida:pdb=5-5-5",
            "ida:pdb=5-5-5,on=gpu,prune=8",
            "astar:pdb=5-5-5",
            "anytime",
        ] {
            others.push(task(SOLVABLE, method));
        }
        let limits = TaskLimits { seconds: Some(1.0), ..TaskLimits::default() };
        for method in [METHOD, "auto"] {
            others.push(Task { limits: limits.clone(), ..task(SOLVABLE, method) });
            others.push(Task { cost: Costs::Tile, ..task(SOLVABLE, method) });
        }
        let rows: Vec<String> = (0..5)
            .map(|row| {
                (1..6).map(|col| ((5 * row + col) % 25).to_string()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        others.push(task(&rows.join("/"), "ida:pdb=6-6-6-6,on=gpu"));
        for other in others {
            assert_eq!(with.group_of(&other), None, "{other:?}");
        }
    }

    #[test]
    fn a_device_answers_for_the_boards_that_fit() {
        let session = session(WORKING);
        let other_goal: Board = "0 1 2 3/4 5 6 7/8 9 10 11/12 13 14 15".parse().unwrap();
        let tasks = [
            task(SMALL, METHOD),
            task(SOLVABLE, METHOD),
            task(UNSOLVABLE, METHOD),
            Task::new(
                taquin_tiles::Puzzle::new(other_goal.clone(), other_goal).unwrap(),
                METHOD.parse().unwrap(),
            ),
            task("1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15", METHOD),
        ];
        let all: Vec<&Task> = tasks.iter().collect();
        let reports = session.run_together(&all, &Arc::default()).unwrap();
        assert!(reports[0].is_none() && reports[3].is_none());
        let solved = reports[1].as_ref().unwrap();
        assert_eq!((solved.depth, solved.optimal, solved.seconds), (Some(3), true, 0.5));
        assert_eq!(solved.stages[0].method.to_string(), METHOD);
        let note = "searched on a test; boards were solved together, the time is an equal share";
        assert_eq!(solved.notes, [note]);
        assert_eq!(reports[2].as_ref().unwrap().outcome, Ending::Unsolvable);
        assert_eq!(reports[4].as_ref().unwrap().depth, Some(1));
    }

    #[test]
    fn the_processor_solves_what_a_device_failed_to() {
        let session = session(FAILING);
        let task = task(SOLVABLE, METHOD);
        let error = session.run_together(&[&task], &Arc::default()).unwrap_err();
        let report = session.run_without_device(&task, &error, Watch::default());
        assert_eq!((report.depth, report.optimal), (Some(3), true));
        assert_eq!(report.method, task.method);
        assert_eq!(report.stages[0].method.to_string(), METHOD.trim_end_matches(",on=gpu"));
        assert_eq!(report.notes, ["searched on the processor: a test"]);
    }

    #[test]
    fn a_cancelled_group_claims_nothing() {
        let none: Batch =
            |_, _| Ok(DeviceBatch { searches: None, seconds: 0.0, device: String::new() });
        let task = task(SOLVABLE, METHOD);
        let reports = session(none).run_together(&[&task], &Arc::default()).unwrap();
        let report = reports[0].as_ref().unwrap();
        assert_eq!((report.reason, report.optimal), (Some(Reason::Cancelled), false));
    }
}
