//! What a report needs to know of the runs in a store.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use taquin::Cost;

use crate::picture::{Sample, Samples};
use crate::store::ExperimentStore;

/// The finished runs of a plan, put together puzzle by puzzle and method by method.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Records {
    pub(super) title: String,
    pub(super) plan: String,
    /// The methods in full, in the order of their names in `samples`.
    pub(super) in_full: Vec<String>,
    /// One for each puzzle and method; of several repetitions the counts of the first and the median
    /// time.
    pub(super) samples: Samples,
    /// How each of them ended, in the same order.
    pub(super) endings: Vec<Ending>,
    /// The puzzles that the plan has for each method.
    pub(super) planned: Vec<u64>,
    /// Runs that are not finished.
    pub(super) unfinished: u64,
    /// Puzzles whose optimum nobody knows.
    pub(super) unknown: usize,
    pub(super) puzzles: usize,
    pub(super) repeats: u64,
    pub(super) facts: Facts,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ending {
    pub(super) limit: Option<Limit>,
    /// Whether the run itself has proven that its answer is optimal.
    pub(super) optimal: bool,
    /// How much more than the cheapest the answer costs, where that is known.
    pub(super) excess: Option<Cost>,
}

/// Why there is no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    Time,
    Memory,
    Nodes,
    Other,
}

/// Under which circumstances the runs were made.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Facts {
    pub(super) versions: BTreeSet<String>,
    pub(super) processors: BTreeSet<String>,
    pub(super) limits: BTreeSet<String>,
    pub(super) sources: Vec<String>,
    pub(super) first: String,
    pub(super) last: String,
    pub(super) runs: u64,
    pub(super) seconds: f64,
}

/// One finished run.
struct Finished {
    puzzle: usize,
    method: usize,
    solved: bool,
    reason: String,
    cost: Option<Cost>,
    optimal: bool,
    lower_bound: Option<Cost>,
    counts: [u64; 3],
    seconds: f64,
}

impl Records {
    pub(super) fn read(store: &ExperimentStore) -> rusqlite::Result<Self> {
        let mut records =
            Self { title: store.fact("title")?, plan: store.fact("plan")?, ..Self::default() };
        let mut methods: HashMap<String, usize> = HashMap::new();
        let mut puzzles: HashMap<(String, String, String), usize> = HashMap::new();
        let mut known: HashMap<usize, Cost> = HashMap::new();
        let mut found: Vec<Finished> = Vec::new();
        let mut query = store.connection.prepare(
            "SELECT name, method_full, start, goal, costs, known_cost, repeat, outcome, reason, cost, \
             optimal, lower_bound, expanded, generated, frontier_peak, seconds, version, processor, \
             finished, limit_seconds, limit_expanded, limit_memory, source \
             FROM runs WHERE place IS NOT NULL ORDER BY place",
        )?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            let method = methods.get(&name).copied().unwrap_or(methods.len());
            if method == methods.len() {
                methods.insert(name.clone(), method);
                records.samples.methods.push(name);
                records.in_full.push(row.get(1)?);
                records.planned.push(0);
            }
            let place = (row.get(2)?, row.get(3)?, row.get::<_, String>(4)?);
            records.samples.priced |= place.2 != "unit";
            let next = puzzles.len();
            let puzzle = *puzzles.entry(place).or_insert(next);
            if let Some(cost) = row.get(5)? {
                known.insert(puzzle, cost);
            }
            let repeat: u64 = row.get::<_, i64>(6)? as u64;
            records.repeats = records.repeats.max(repeat);
            records.planned[method] += u64::from(repeat == 1);
            let source: String = row.get(22)?;
            if !records.facts.sources.contains(&source) {
                records.facts.sources.push(source);
            }
            let Some(outcome) = row.get::<_, Option<String>>(7)? else {
                records.unfinished += 1;
                continue;
            };
            let count =
                |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.unwrap_or(0) as u64);
            found.push(Finished {
                puzzle,
                method,
                solved: outcome == "solved",
                reason: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
                cost: row.get(9)?,
                optimal: row.get::<_, Option<bool>>(10)?.unwrap_or(false),
                lower_bound: row.get(11)?,
                counts: [count(12)?, count(13)?, count(14)?],
                seconds: row.get::<_, Option<f64>>(15)?.unwrap_or(0.0),
            });
            records.facts.add(row)?;
        }
        records.puzzles = puzzles.len();
        records.put_together(&found, &known);
        Ok(records)
    }

    fn put_together(&mut self, found: &[Finished], known: &HashMap<usize, Cost>) {
        let mut groups: BTreeMap<(usize, usize), Vec<&Finished>> = BTreeMap::new();
        let mut bounds: HashMap<usize, (Option<Cost>, Cost)> = HashMap::new();
        for run in found {
            groups.entry((run.puzzle, run.method)).or_default().push(run);
            let (cheapest, bound) = bounds.entry(run.puzzle).or_default();
            *cheapest = [*cheapest, run.cost].into_iter().flatten().min();
            *bound = (*bound).max(run.lower_bound.unwrap_or(0));
        }
        // What all runs on a puzzle have proven together.
        let optimum = |puzzle: usize| {
            let proven = bounds
                .get(&puzzle)
                .and_then(|(cheapest, bound)| cheapest.filter(|cost| cost == bound));
            known.get(&puzzle).copied().or(proven)
        };
        self.unknown = (0..self.puzzles).filter(|puzzle| optimum(*puzzle).is_none()).count();
        for ((puzzle, method), runs) in groups {
            let first = runs[0];
            let [expanded, generated, frontier] = first.counts;
            let mut seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
            seconds.sort_by(f64::total_cmp);
            self.samples.runs.push(Sample {
                instance: puzzle,
                method,
                optimum: optimum(puzzle),
                solved: first.solved,
                expanded,
                generated,
                frontier,
                seconds: seconds[seconds.len() / 2],
            });
            self.endings.push(Ending {
                limit: match first.reason.as_str() {
                    _ if first.solved => None,
                    "time" => Some(Limit::Time),
                    "memory" => Some(Limit::Memory),
                    "expanded" | "generated" => Some(Limit::Nodes),
                    _ => Some(Limit::Other),
                },
                optimal: first.optimal,
                excess: first
                    .cost
                    .zip(optimum(puzzle))
                    .map(|(cost, optimum)| cost.saturating_sub(optimum)),
            });
        }
    }

    /// The puzzles that every method has solved.
    pub(super) fn common(&self) -> BTreeSet<usize> {
        let mut solved: BTreeMap<usize, usize> = BTreeMap::new();
        for run in self.samples.runs.iter().filter(|run| run.solved) {
            *solved.entry(run.instance).or_default() += 1;
        }
        let all = self.samples.methods.len();
        solved.into_iter().filter(|(_, count)| *count == all).map(|(puzzle, _)| puzzle).collect()
    }
}

impl Facts {
    fn add(&mut self, row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
        let text = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        self.versions.insert(text(16)?);
        self.processors.insert(text(17)?);
        let finished = text(18)?;
        if self.first.is_empty() || finished < self.first {
            self.first.clone_from(&finished);
        }
        self.last = self.last.clone().max(finished);
        let mut limits = Vec::new();
        if let Some(seconds) = row.get::<_, Option<f64>>(19)? {
            limits.push(format!("{seconds} s"));
        }
        if let Some(nodes) = row.get::<_, Option<i64>>(20)? {
            limits.push(format!("{nodes} nodes"));
        }
        if let Some(memory) = row.get::<_, Option<i64>>(21)? {
            limits.push(taquin::write_bytes(memory as u64));
        }
        self.limits.insert(if limits.is_empty() { "none".to_owned() } else { limits.join(", ") });
        self.runs += 1;
        self.seconds += row.get::<_, Option<f64>>(15)?.unwrap_or(0.0);
        Ok(())
    }
}
