//! Pattern databases from the smallest to the largest, and the forecast that says when the next
//! pay.
//!
//! Small ones are built in a moment, and are enough for most boards. Larger ones take seconds, and
//! save a hard board more than that. How much is forecast from the thresholds that the search has
//! finished: each takes a few times the nodes of the one before, and those up to the best known
//! answer are needed for a proof.

use std::time::Duration;

use taquin_search::{Cost, Instant, Monitor};
use taquin_tables::{Partition, PatternKind};
use taquin_tiles::Board;

use crate::heuristic::Estimate;
use crate::session::Session;

/// The databases for a goal, from the smallest to the largest.
pub(super) struct Ladder {
    pub(super) rungs: Vec<Rung>,
    /// The most bytes for the databases of a rung, and for building them.
    memory: u64,
    /// The nanoseconds that one thread takes to build an entry.
    entry_nanos: f64,
}

/// The databases of a partition.
#[derive(Clone)]
pub(super) struct Rung {
    /// The estimate that looks them up.
    pub(super) estimate: Estimate,
    /// The number of entries in all its databases.
    pub(super) entries: u64,
    /// Whether its files exist, so that they are only loaded.
    pub(super) is_stored: bool,
}

/// The numbers of tiles per pattern for a goal without named partitions.
const SPREADS: [usize; 2] = [5, 7];

/// The most tiles of the patterns that are built before there is a forecast.
const FIRST_TILES: usize = 5;

/// The estimated build time per entry before it has been measured.
const ENTRY_NANOS: f64 = 30.0;

/// The time to load and verify an entry of half a byte if the file is in memory.
const LOAD_NANOS: f64 = 0.05;

/// Databases that load faster than this count as free.
const NEGLIGIBLE_TIME: Duration = Duration::from_millis(50);

/// With n times the entries, a search takes about n to this power times fewer nodes.
const GAIN_EXPONENT: f64 = 0.9;

/// The next databases are built if they save this share of the remaining time.
const MIN_SAVING: f64 = 0.3;

impl Ladder {
    /// The databases for a goal that can be built within `memory` bytes.
    pub(super) fn new(goal: &Board, memory: u64) -> Self {
        let size = goal.size();
        let named = Partition::named().filter(|(_, of)| *of == size).map(|(named, _)| named);
        let mut partitions: Vec<Partition> = named.collect();
        let most_tiles = |partition: &Partition| sizes(partition, goal).into_iter().max();
        let spreads = if partitions.is_empty() { &SPREADS[..] } else { &SPREADS[..1] };
        if partitions.iter().all(|partition| most_tiles(partition) > Some(FIRST_TILES)) {
            partitions.extend(spreads.iter().map(|&tiles| Partition::spread(goal, tiles)));
        }
        let rung = |partition: Partition| {
            let placements = Placements::of(&partition, goal);
            let estimate = placements.affordable(best_first(partition, goal), memory)?;
            Some(Rung { estimate, entries: placements.all, is_stored: false })
        };
        let mut rungs: Vec<Rung> = partitions.into_iter().filter_map(rung).collect();
        rungs.sort_by_key(|rung| rung.entries);
        rungs.dedup_by_key(|rung| rung.entries);
        Self { rungs, memory, entry_nanos: ENTRY_NANOS }
    }

    /// The largest databases that are loaded.
    pub(super) fn held(&self, goal: &Board, session: &Session) -> Option<usize> {
        let held = |&at: &usize| session.tables.holds(&self.rungs[at].estimate, goal);
        (0..self.rungs.len()).rfind(held)
    }

    /// Finds the databases that have files. Stored databases are preferred to better ones that are
    /// not built yet.
    pub(super) fn look(&mut self, goal: &Board, session: &Session) {
        for rung in &mut self.rungs {
            let placements = Placements::of(rung.partition(), goal);
            let estimates = best_first(rung.partition().clone(), goal);
            let is_stored = |estimate: &&Estimate| {
                placements.table_bytes(estimate) <= self.memory
                    && session.tables.seems_to_have(estimate, goal)
            };
            let zero_aware = is_zero_aware(rung.partition(), goal)
                .then(|| Estimate::zpdb(rung.partition().clone()));
            let stored = estimates.iter().chain(&zero_aware).find(is_stored).cloned();
            rung.is_stored = stored.is_some();
            if let Some(estimate) = stored.or_else(|| placements.affordable(estimates, self.memory))
            {
                rung.estimate = estimate;
            }
        }
    }

    /// The first databases: the largest that load quickly, or else the first to be built.
    pub(super) fn first(&self) -> Option<usize> {
        let rungs = || 0..self.rungs.len();
        let at_once = rungs()
            .rfind(|&at| self.rungs[at].is_stored && self.build_time(at, 1) < NEGLIGIBLE_TIME);
        at_once.or_else(|| rungs().min_by_key(|&at| self.build_time(at, 1)))
    }

    /// How long the databases of a rung take to build, or to load.
    pub(super) fn build_time(&self, rung: usize, threads: usize) -> Duration {
        let Rung { entries, is_stored, .. } = self.rungs[rung];
        let each = if is_stored { LOAD_NANOS } else { self.entry_nanos };
        Duration::from_nanos((entries as f64 * each / threads as f64) as u64)
    }

    /// Learns from the time that building the databases of a rung took.
    pub(super) fn learn(&mut self, rung: usize, threads: usize, time: Duration) {
        self.entry_nanos =
            time.as_nanos() as f64 * threads as f64 / self.rungs[rung].entries.max(1) as f64;
    }

    /// The rung that pays for a search which would take `left` with the present one: with which
    /// it would be done first, and when.
    pub(super) fn next(
        &self,
        present: usize,
        left: Duration,
        threads: usize,
    ) -> Option<(usize, Duration)> {
        let left = left.as_secs_f64();
        let time = |rung: usize| {
            let more = self.rungs[rung].entries as f64 / self.rungs[present].entries.max(1) as f64;
            self.build_time(rung, threads).as_secs_f64() + left / more.powf(GAIN_EXPONENT)
        };
        let times = (present + 1..self.rungs.len()).map(|rung| (rung, time(rung)));
        let (rung, time) = times.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let end = Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX);
        (time < (1.0 - MIN_SAVING) * left).then_some((rung, end))
    }
}

impl Rung {
    pub(super) fn partition(&self) -> &Partition {
        self.estimate.partition().expect("a rung has databases")
    }
}

/// Whether the fast engine takes zero-aware databases of a partition: it does with at most four
/// patterns.
fn is_zero_aware(partition: &Partition, goal: &Board) -> bool {
    sizes(partition, goal).len() <= 4
}

/// The estimates whose databases are built for a partition, the best one first. On the 24-puzzle
/// zero-aware databases leave a third fewer nodes. On other boards they serve only if they are
/// stored.
fn best_first(partition: Partition, goal: &Board) -> Vec<Estimate> {
    let is_24 = (goal.size().rows(), goal.size().cols()) == (5, 5);
    match is_24 && is_zero_aware(&partition, goal) {
        true => vec![Estimate::zpdb(partition.clone()), Estimate::pdb(partition)],
        false => vec![Estimate::pdb(partition)],
    }
}

/// The number of placements for a partition's patterns: in total, and for the largest.
struct Placements {
    all: u64,
    largest: u64,
}

impl Placements {
    fn of(partition: &Partition, goal: &Board) -> Self {
        let each = sizes(partition, goal).into_iter().map(|tiles| placements(goal, tiles));
        let none = Self { all: 0, largest: 0 };
        each.fold(none, |Self { all, largest }, each| Self {
            all: all.saturating_add(each),
            largest: largest.max(each),
        })
    }

    /// Returns the bytes for an estimate's databases. On the 24-puzzle a placement with six tiles
    /// has 1.4 regions of the blank on average, each with a bit in a zero-aware database.
    const fn table_bytes(&self, estimate: &Estimate) -> u64 {
        match estimate {
            Estimate::Pdb { kind: PatternKind::ZeroAware, .. } => self.all / 5,
            _ => self.all / 2,
        }
    }

    /// Returns the first of some estimates whose databases can be built in `memory` bytes. Building
    /// the largest takes a byte per entry and bits for two layers. A zero-aware database takes only
    /// bits.
    fn affordable(&self, estimates: Vec<Estimate>, memory: u64) -> Option<Estimate> {
        let building = |estimate: &Estimate| match estimate {
            Estimate::Pdb { kind: PatternKind::ZeroAware, .. } => {
                self.largest.saturating_mul(3) / 5
            }
            _ => self.largest.saturating_mul(3) / 2,
        };
        let needed =
            |estimate: &Estimate| self.table_bytes(estimate).saturating_add(building(estimate));
        estimates.into_iter().find(|estimate| self.all > 0 && needed(estimate) <= memory)
    }
}

/// The numbers of tiles in a partition's patterns.
fn sizes(partition: &Partition, goal: &Board) -> Vec<usize> {
    let patterns = partition.patterns(goal).unwrap_or_default();
    patterns.iter().map(|pattern| pattern.goal_cells().len()).collect()
}

/// The number of ways to place some tiles on a board's cells.
fn placements(goal: &Board, tiles: usize) -> u64 {
    let cells = goal.size().cells() as u64;
    (0..tiles as u64).fold(1, |all, placed| all.saturating_mul(cells - placed))
}

/// How long a search has still to go until its bound meets the best known answer.
#[derive(Default)]
pub(super) struct Forecast {
    /// Each threshold, with the nodes that were generated when it was first seen.
    seen: Vec<(Cost, u64)>,
}

/// Fewer nodes do not show the growth from one threshold to the next.
const MIN_NODES: u64 = 50_000;

impl Forecast {
    /// Looks at the progress of a search that began at `started`. Returns the time that it needs to
    /// prove that nothing is better than `best`, if this can be estimated.
    pub(super) fn left(
        &mut self,
        monitor: &Monitor,
        started: Instant,
        best: Cost,
    ) -> Option<Duration> {
        let progress = monitor.progress();
        if self.seen.last().is_none_or(|last| last.0 < progress.bound) {
            self.seen.push((progress.bound, progress.generated));
        }
        let [.., first, second, current] = self.seen[..] else { return None };
        let (before, last) = (second.1 - first.1, current.1 - second.1);
        if last < MIN_NODES {
            return None;
        }
        let growth = (last as f64 / before.max(1) as f64).clamp(2.0, 8.0);
        let step = (current.0 - second.0).max(1);
        let thresholds = best.saturating_sub(current.0).div_ceil(step);
        let nodes: f64 = (1..=thresholds).map(|n| last as f64 * growth.powi(n as i32)).sum();
        let done = progress.generated.saturating_sub(current.1) as f64;
        let rate = progress.generated as f64 / started.elapsed().as_secs_f64().max(1e-9);
        let seconds = (nodes - done).max(0.0) / rate.max(1.0);
        Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_tables::{Builder, TableStore, ZeroAware};
    use taquin_tiles::{NamedGoal, Size};

    fn ladder(rows: usize, cols: usize, memory: u64) -> Vec<String> {
        let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), 1);
        let rungs = Ladder::new(&goal, memory).rungs;
        rungs.iter().map(|rung| sizes(rung.partition(), &goal)).map(|n| format!("{n:?}")).collect()
    }

    #[test]
    fn ladders_climb_as_far_as_memory_allows() {
        assert_eq!(ladder(4, 4, 4 << 30), ["[5, 5, 5]", "[6, 6, 3]", "[7, 8]"]);
        assert_eq!(ladder(4, 4, 100 << 20), ["[5, 5, 5]", "[6, 6, 3]"]);
        assert_eq!(ladder(4, 4, 1 << 20), [""; 0]);
        assert_eq!(ladder(5, 5, 4 << 30), ["[5, 5, 5, 5, 4]", "[6, 6, 6, 6]"]);
        assert_eq!(ladder(3, 5, 4 << 30), ["[5, 5, 4]", "[7, 7]"]);
        assert_eq!(ladder(2, 3, 4 << 30), ["[5]"]);
    }

    /// The databases of 6-6-6-6 take 97 MB if they are zero-aware, and 255 MB if not.
    #[test]
    fn zero_aware_databases_count_with_their_own_memory() {
        let goal = NamedGoal::Last.board(Size::new(5, 5).unwrap(), 1);
        let largest =
            |memory| Ladder::new(&goal, memory).rungs.last().unwrap().estimate.to_string();
        assert_eq!(largest(200_000_000), "zpdb=6-6-6-6");
        assert_ne!(largest(150_000_000), "zpdb=6-6-6-6");
        // The memory stated here is never less than the memory that they take.
        let mut ladder = Ladder::new(&goal, 200_000_000);
        let partition = ladder.rungs.pop().unwrap().partition().clone();
        let placements = Placements::of(&partition, &goal);
        let patterns = partition.patterns(&goal).unwrap();
        let plans = patterns
            .into_iter()
            .map(|pattern| Builder::<ZeroAware>::new(pattern, u64::MAX).unwrap().plan());
        let (mut all, mut building) = (0, 0);
        for plan in plans {
            all += plan.table_bytes;
            building = building.max(plan.build_bytes - plan.table_bytes);
        }
        let estimate = Estimate::zpdb(partition);
        let said = placements.table_bytes(&estimate);
        assert!((all..all + all / 10).contains(&said), "{said} for {all}");
        assert_eq!(placements.affordable(vec![estimate.clone()], all + building), None);
        let more = (all + building) / 10 * 11;
        assert_eq!(placements.affordable(vec![estimate.clone()], more), Some(estimate));
    }

    /// Stored databases that do not fit in the memory are not chosen because they are stored.
    #[test]
    fn stored_databases_have_to_fit_in_the_memory() {
        let goal = NamedGoal::Last.board(Size::new(5, 5).unwrap(), 1);
        let folder = std::env::temp_dir().join(format!("taquin-fits-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (session, store) = (Session::with_folder(&folder), TableStore::new(&folder));
        let mut chosen = Vec::new();
        for memory in [200_000_000, 300_000_000] {
            let mut ladder = Ladder::new(&goal, memory);
            for pattern in ladder.rungs[1].partition().patterns(&goal).unwrap() {
                std::fs::write(store.path(pattern.shape(), PatternKind::Plain), "").unwrap();
            }
            ladder.look(&goal, &session);
            chosen.push((ladder.rungs[1].estimate.to_string(), ladder.rungs[1].is_stored));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        let [zero_aware, plain] = &chosen[..] else { panic!("{chosen:?}") };
        assert_eq!((zero_aware.0.as_str(), zero_aware.1), ("zpdb=6-6-6-6", false));
        assert_eq!((plain.0.as_str(), plain.1), ("pdb=6-6-6-6", true));
    }

    #[test]
    fn the_24_puzzle_has_zero_aware_databases_unless_others_are_there() {
        let goal = NamedGoal::Last.board(Size::new(5, 5).unwrap(), 1);
        let mut ladder = Ladder::new(&goal, 4 << 30);
        let spelled = |ladder: &Ladder| ladder.rungs[1].estimate.to_string();
        assert_eq!(spelled(&ladder), "zpdb=6-6-6-6");
        let folder = std::env::temp_dir().join(format!("taquin-ladder-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (session, store) = (Session::with_folder(&folder), TableStore::new(&folder));
        ladder.look(&goal, &session);
        assert_eq!((spelled(&ladder).as_str(), ladder.rungs[1].is_stored), ("zpdb=6-6-6-6", false));
        let patterns = ladder.rungs[1].partition().patterns(&goal).unwrap();
        for (kind, expected) in
            [(PatternKind::Plain, "pdb=6-6-6-6"), (PatternKind::ZeroAware, "zpdb=6-6-6-6")]
        {
            // Loading a file shows whether it is valid.
            for pattern in &patterns {
                std::fs::write(store.path(pattern.shape(), kind), "").unwrap();
            }
            ladder.look(&goal, &session);
            assert_eq!((spelled(&ladder).as_str(), ladder.rungs[1].is_stored), (expected, true));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn larger_databases_pay_for_long_searches_only() {
        let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
        let ladder = Ladder::new(&goal, 4 << 30);
        let next =
            |seconds| ladder.next(0, Duration::from_secs_f64(seconds), 1).map(|(rung, _)| rung);
        assert_eq!([0.1, 2.0, 10.0, 1000.0].map(next), [None, Some(1), Some(1), Some(2)]);
        assert_eq!(ladder.next(2, Duration::MAX, 1), None);
    }
}
