//! The finished runs of a store, as reports and charts need them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use taquin::{Cost, Costs, Ending, Metric, Report, write_bytes};

use crate::ExperimentRun;
use crate::samples::{Sample, Samples};
use crate::store::{ExperimentStore, ExperimentStoreError, Record, RunResult};

/// The finished runs of a plan, grouped by puzzle and method.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Records {
    pub(crate) title: String,
    pub(crate) plan: String,
    /// The methods with every field, in the order of their names in `samples`.
    pub(crate) methods: Vec<String>,
    /// One sample for each puzzle and method: the first repetition, with the median time of all
    /// repetitions.
    pub(crate) samples: Samples,
    /// The number of puzzles that the plan has for each method.
    pub(crate) planned: Vec<u64>,
    /// The number of runs that are not finished.
    pub(crate) unfinished: u64,
    pub(crate) puzzles: Vec<Puzzle>,
    pub(crate) repeats: u32,
    pub(crate) facts: Facts,
}

/// The combined proofs of all runs on a puzzle.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Puzzle {
    /// One of the runs.
    pub(crate) run: ExperimentRun,
    pub(crate) known: Option<Cost>,
    /// The cost of the cheapest solution that was found.
    pub(crate) cheapest: Option<Cost>,
    bound: Cost,
}

impl Puzzle {
    /// Returns the cost of the cheapest solution, if it is known.
    pub(crate) fn optimum(&self) -> Option<Cost> {
        self.known.or_else(|| self.cheapest.filter(|cost| *cost == self.bound))
    }
}

/// How and when the runs were made.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) versions: BTreeSet<String>,
    pub(crate) processors: BTreeSet<String>,
    pub(crate) limits: BTreeSet<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) runs: u64,
    pub(crate) seconds: f64,
}

/// Records that are still being collected.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) records: Records,
    puzzles: HashMap<[String; 3], usize>,
    /// The reports on each puzzle by each method; None for a search that panicked.
    groups: BTreeMap<(usize, usize), Vec<Option<Report>>>,
}

impl Collector {
    /// Adds a planned run, and returns the numbers of its puzzle and its method.
    pub(crate) fn plan(&mut self, run: &ExperimentRun) -> (usize, usize) {
        let (records, task) = (&mut self.records, &run.task);
        let method = records.method(run);
        let place = [
            task.puzzle.start().to_string(),
            task.puzzle.goal().to_string(),
            format!("{} {}", task.cost, task.method.metric),
        ];
        let puzzle = *self.puzzles.entry(place).or_insert(records.puzzles.len());
        if puzzle == records.puzzles.len() {
            // Instance sets count moves of single tiles.
            let known = run.known.filter(|_| task.method.metric == Metric::Single);
            records.puzzles.push(Puzzle { run: run.clone(), known, cheapest: None, bound: 0 });
        }
        records.samples.weighted |= task.cost != Costs::Unit;
        records.repeats = records.repeats.max(run.repeat);
        records.planned[method] += u64::from(run.repeat == 1);
        if !records.facts.sources.contains(&run.source) {
            records.facts.sources.push(run.source.clone());
        }
        (puzzle, method)
    }

    /// Adds the report of a run.
    pub(crate) fn finish(&mut self, (puzzle, method): (usize, usize), report: Option<Report>) {
        let known = &mut self.records.puzzles[puzzle];
        if let Some(report) = &report {
            known.cheapest = [known.cheapest, report.cost].into_iter().flatten().min();
            known.bound = known.bound.max(report.lower_bound.unwrap_or(0));
        }
        self.groups.entry((puzzle, method)).or_default().push(report);
    }

    /// Returns the records with a sample for each puzzle and method.
    pub(crate) fn records(self) -> Records {
        let Self { mut records, groups, .. } = self;
        records.samples.time_note = time_note(&records.samples.methods, &groups);
        for ((puzzle, method), reports) in groups {
            let optimum = records.puzzles[puzzle].optimum();
            records.samples.runs.push(sample(puzzle, method, optimum, &reports));
        }
        records
    }
}

/// Returns why times cannot be compared, if some methods ran in an engine specialised for their
/// heuristic and others in the general engine.
fn time_note(methods: &[String], groups: &BTreeMap<(usize, usize), Vec<Option<Report>>>) -> String {
    let mut engines: [BTreeSet<usize>; 2] = Default::default();
    for ((_, method), reports) in groups {
        for report in reports.iter().flatten() {
            // A method with several stages, or a table lookup, has no single engine to compare.
            let is_general = report.method.algorithm.row().has_steps;
            if let [stage] = &report.stages[..]
                && (stage.specialised || is_general)
            {
                engines[usize::from(stage.specialised)].insert(*method);
            }
        }
    }
    let [general, special] = engines.map(|engine| {
        let names: Vec<&str> = engine.into_iter().map(|method| methods[method].as_str()).collect();
        match &names[..] {
            [before @ .., last] if !before.is_empty() => {
                format!("{} and {last}", before.join(", "))
            }
            _ => names.concat(),
        }
    });
    if general.is_empty() || special.is_empty() {
        return String::new();
    }
    format!(
        "Compare nodes, not times: a specialised engine ran {special} and needs far less time per \
         node than the general engine, which ran {general}."
    )
}

impl Records {
    pub(crate) fn read(store: &ExperimentStore) -> Result<Self, ExperimentStoreError> {
        let mut collector = Collector::default();
        store.for_each(|Record { run, result }| {
            let place = collector.plan(&run);
            match result {
                None => collector.records.unfinished += 1,
                Some(result) => {
                    collector.records.facts.add(&run, &result);
                    collector.finish(place, result.report);
                }
            }
        })?;
        let (title, plan) = (store.fact("title")?, store.fact("plan")?);
        Ok(Self { title, plan, ..collector.records() })
    }

    /// Returns the number of a run's method.
    fn method(&mut self, run: &ExperimentRun) -> usize {
        let names = &mut self.samples.methods;
        let known = names.iter().position(|name| *name == run.name);
        known.unwrap_or_else(|| {
            names.push(run.name.clone());
            self.methods.push(run.task.method.in_full());
            self.planned.push(0);
            names.len() - 1
        })
    }

    /// Returns the puzzles that every method has solved.
    pub(crate) fn common(&self) -> BTreeSet<usize> {
        let mut solved: BTreeMap<usize, usize> = BTreeMap::new();
        for run in self.samples.runs.iter().filter(|run| run.solved) {
            *solved.entry(run.instance).or_default() += 1;
        }
        let all = self.samples.methods.len();
        solved.into_iter().filter(|(_, count)| *count == all).map(|(puzzle, _)| puzzle).collect()
    }
}

/// Makes a sample from a run's repetitions.
fn sample(
    instance: usize,
    method: usize,
    optimum: Option<Cost>,
    reports: &[Option<Report>],
) -> Sample {
    let first = reports[0].as_ref();
    let counts = first.map(|report| report.counts).unwrap_or_default();
    let seconds = reports.iter().flatten().map(|report| report.seconds).collect();
    Sample {
        instance,
        method,
        optimum,
        solved: first.is_some_and(|report| report.outcome == Ending::Solved),
        reason: first.and_then(|report| report.reason),
        cost: first.and_then(|report| report.cost),
        optimal: first.is_some_and(|report| report.optimal),
        expanded: counts.expanded,
        generated: counts.generated,
        frontier: counts.frontier_peak,
        seconds: median(seconds),
    }
}

/// Returns the median: for an even number of values, the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        count if count % 2 == 0 => f64::midpoint(values[count / 2 - 1], values[count / 2]),
        count => values[count / 2],
    }
}

impl Facts {
    fn add(&mut self, run: &ExperimentRun, result: &RunResult) {
        self.versions.insert(result.version.clone());
        self.processors.insert(result.processor.clone());
        if self.first.is_empty() || result.finished < self.first {
            self.first.clone_from(&result.finished);
        }
        if result.finished > self.last {
            self.last.clone_from(&result.finished);
        }
        let limits = &run.task.limits;
        let limits = [
            limits.seconds.map(|seconds| format!("{seconds} s")),
            limits.expanded.map(|nodes| format!("{nodes} nodes")),
            limits.memory.map(write_bytes),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        self.limits.insert(if limits.is_empty() { "none".to_owned() } else { limits.join(", ") });
        self.runs += 1;
        self.seconds += result.report.as_ref().map_or(0.0, |report| report.seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert!(median(vec![3.0, 1.0, 2.0]).total_cmp(&2.0).is_eq());
        assert!(median(vec![4.0, 1.0, 2.0, 10.0]).total_cmp(&3.0).is_eq());
        assert!(median(Vec::new()).total_cmp(&0.0).is_eq());
    }
}
