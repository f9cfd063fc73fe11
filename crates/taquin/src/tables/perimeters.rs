//! The perimeters that searches in segments look up.

use std::sync::Arc;
use std::time::Duration;

use taquin_search::Cost;
use taquin_solvers::SegmentSolver;
use taquin_tables::whole::Metric;
use taquin_tables::{BuildRequest, Packing, Perimeter, PerimeterPlan, PerimeterShape, TableEvent};
use taquin_tiles::Board;

use super::{Key, Table, TableError, TableRequest, Tables};
use crate::IS_FIRST;
use crate::units::free_memory;

/// The most sequences of a perimeter with which every search begins: it is built in a tenth of a
/// second.
const QUICK_SEQUENCES: u64 = 10_000_000;

/// The most bytes of a perimeter that cannot be stored.
const UNSTORED_BYTES: u64 = 160_000_000;

/// A larger perimeter is not built if that would take a greater share of the remaining time.
const BUILD_SHARE: f64 = 0.5;

impl Tables {
    /// The engine for segments, with a small perimeter around a goal. Returns `None` if there is
    /// none for the goal.
    pub(crate) fn segment_solver(
        &self,
        goal: &Board,
        request: &TableRequest<'_>,
    ) -> Result<Option<SegmentSolver>, TableError> {
        let packing = Packing::new(goal).filter(|_| !IS_FIRST);
        let Some(shape) = packing.map(|packing| packing.shape()) else { return Ok(None) };
        let walking = self.walking(goal, Metric::Multi, request)?;
        let held = self.cache.get(&Key::Perimeter(shape)).map(|table| self.note(table));
        let perimeter = match held {
            Some(perimeter) => perimeter,
            None => self.get_or_make(&Key::SmallPerimeter(shape), request.monitor, || {
                let allowed = request.memory.map_or(u64::MAX, |most| most / 3);
                let mut plans = shape.plans();
                let first = plans.next().filter(|plan| plan.bytes <= allowed);
                let rest =
                    plans.take_while(|it| it.sequences <= QUICK_SEQUENCES && it.bytes <= allowed);
                let most = rest.last().or(first).map_or(0, |plan| plan.moves);
                let (cancel, report) = (request.monitor, &mut |_: TableEvent<'_>| ());
                let request = &mut BuildRequest { memory: allowed, rebuild: false, cancel, report };
                Ok::<_, TableError>(sized(shape.build(most, request)?))
            })?,
        };
        Ok(SegmentSolver::new(goal, perimeter, walking))
    }

    /// A perimeter of more than `held` moves for a threshold. Returns `None` if memory or time do not
    /// suffice for one.
    pub(crate) fn larger_perimeter(
        &self,
        goal: &Board,
        (shape, held): (PerimeterShape, Cost),
        (threshold, time): (Cost, Option<Duration>),
        request: &mut TableRequest<'_>,
    ) -> Option<Arc<Perimeter>> {
        let store = self.store(goal);
        // The search itself takes little memory.
        let free = request.memory.or_else(free_memory).map_or(u64::MAX, |bytes| bytes / 8 * 7);
        let allowed = if store.is_some() { free } else { free.min(UNSTORED_BYTES) };
        let key = Key::Perimeter(shape);
        let cached = self.cache.get::<Perimeter>(&key).map_or(0, |perimeter| perimeter.moves());
        let stored = store.and_then(|store| store.perimeter_moves(shape)).unwrap_or(0);
        let share = time.map_or(f64::MAX, |left| BUILD_SHARE * left.as_secs_f64());
        let is_possible = |plan: &PerimeterPlan| {
            let exists = plan.moves <= cached.max(stored);
            plan.bytes <= allowed && (exists || plan.seconds() <= share)
        };
        let plans = shape.plans().take_while(is_possible).filter(|plan| plan.moves > held);
        let plans: Vec<PerimeterPlan> = plans.collect();
        let is_enough = |plan: &PerimeterPlan| 2 * plan.moves >= threshold;
        let least = plans.iter().position(is_enough).or(plans.len().checked_sub(1))?;
        // A small step would soon be followed by another one.
        let wanted = plans[least].moves..=plans[(least + 1).min(plans.len() - 1)].moves;
        let suffices = |found: &Perimeter| found.moves() >= *wanted.start();
        request.memory = Some(allowed);
        let monitor = request.monitor;
        let make = || {
            let path = store.map(|store| store.perimeter_path(shape));
            let perimeter = self.build(path, request, |request| match store {
                Some(store) => store.load_or_build_perimeter(shape, wanted.clone(), request),
                None => shape.build(*wanted.end(), request),
            });
            Ok::<_, TableError>(sized(perimeter?))
        };
        let made = self.cache.get_or_replace(&key, monitor, suffices, make);
        made.ok().map(|perimeter| self.note(perimeter))
    }
}

/// Returns a perimeter and its bytes for the cache.
fn sized(perimeter: Perimeter) -> (Arc<Perimeter>, u64) {
    let bytes = perimeter.bytes();
    (Arc::new(perimeter), bytes)
}

impl Table for Perimeter {
    fn is_intact(&self) -> bool {
        self.is_intact()
    }
}
