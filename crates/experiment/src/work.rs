//! Running the due runs of a store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use taquin::{Monitor, Reason, Report, Session, Watch, excerpt, panic_message};

use crate::ExperimentRun;
use crate::cpu_time::CpuClock;
use crate::store::{Claim, ExperimentStore, ExperimentStoreError, FinishedRun};

/// A part of a plan, for one of several machines: every `of`th run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The number of the part, from 1.
    pub number: u32,
    /// The number of parts.
    pub of: u32,
}

/// An invalid part of a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a part of a plan: write 3/8 for the third of eight")]
pub struct ShardError(String);

impl Default for Shard {
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let error = || ShardError(excerpt(text));
        let (number, of) = text.split_once('/').ok_or_else(error)?;
        let shard = Self {
            number: number.trim().parse().map_err(|_| error())?,
            of: of.trim().parse().map_err(|_| error())?,
        };
        (1..=shard.of).contains(&shard.number).then_some(shard).ok_or_else(error)
    }
}

/// This process's threads, which run all due runs.
#[derive(Clone, Debug)]
pub struct Crew {
    /// Runs the tasks, and keeps tables from one run to the next.
    pub session: Session,
    /// Cancels the runs.
    pub monitor: Arc<Monitor>,
    /// The number of simultaneous searches.
    pub jobs: usize,
    /// The part of the plan.
    pub shard: Shard,
    /// The memory limit of runs whose plan sets none.
    pub memory: Option<u64>,
}

/// Makes a run, or says why it cannot be made.
pub type RunSearch<'a> = dyn Fn(&ExperimentRun, Watch<'_>) -> Result<Report, String> + Sync + 'a;

/// The events that a crew reports while it works.
#[derive(Clone, PartialEq, Debug)]
pub enum CrewEvent<'a> {
    /// This many runs are due.
    Due(u64),
    /// A run starts.
    Started(&'a ExperimentRun),
    /// The result of a run is in the store.
    Finished(&'a ExperimentRun),
    /// A run was cancelled, and is due again.
    Cancelled(&'a ExperimentRun, &'a Report),
}

/// The work of a crew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CrewSummary {
    /// Runs that were finished.
    pub finished: u64,
    /// Runs that are still due: other processes are running them, or the crew was cancelled.
    pub left: u64,
}

impl Crew {
    /// Runs everything that is due, or until the monitor is cancelled. A cancelled run is due
    /// again.
    ///
    /// The tables that a run needs are made before its clock starts.
    ///
    /// # Errors
    /// Fails if the store cannot be written; the results written before are safe.
    pub fn work(
        &self,
        store: &mut ExperimentStore,
        report: &(dyn Fn(CrewEvent<'_>) + Sync),
    ) -> Result<CrewSummary, ExperimentStoreError> {
        self.work_by(store, report, &|run, watch| match &run.own {
            None => Ok(self.session.run(&run.task, watch)),
            Some(own) => Err(format!("{own} needs the function that it is named after")),
        })
    }

    /// Runs everything that is due as [`Crew::work`] does, each by `search`. If it returns an
    /// error, the run has failed.
    ///
    /// # Errors
    /// Fails if the store cannot be written; the results written before are safe.
    pub fn work_by(
        &self,
        store: &mut ExperimentStore,
        report: &(dyn Fn(CrewEvent<'_>) + Sync),
        search: &RunSearch<'_>,
    ) -> Result<CrewSummary, ExperimentStoreError> {
        store.enlist()?;
        report(CrewEvent::Due(store.remaining(self.shard)?));
        let shared = Mutex::new(&mut *store);
        let failure = Mutex::new(None);
        let job = || {
            let (finished, result) = self.job(&shared, report, search);
            if let Err(error) = result {
                // The other jobs end as well: their results could not be written.
                self.monitor.cancel();
                locked(&failure).get_or_insert(error);
            }
            finished
        };
        let finished = std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(job)).collect();
            jobs.into_iter().map(|job| job.join().unwrap_or(0)).sum()
        });
        store.leave();
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(CrewSummary { finished, left: store.remaining(self.shard)? }),
        }
    }

    /// Runs one claim after the other; returns the number of finished runs.
    fn job(
        &self,
        store: &Mutex<&mut ExperimentStore>,
        report: &(dyn Fn(CrewEvent<'_>) + Sync),
        search: &RunSearch<'_>,
    ) -> (u64, Result<(), ExperimentStoreError>) {
        let processor = processor();
        let mut count = 0;
        let mut next = self.first(store);
        loop {
            let Claim { key, run } = match next {
                Ok(Some(claim)) => claim,
                Ok(None) => return (count, Ok(())),
                Err(error) => return (count, Err(error)),
            };
            if self.monitor.is_cancelled() {
                return (count, locked(store).give_back(&key));
            }
            report(CrewEvent::Started(&run));
            let finished = self.run(key, &run, &processor, search);
            if let Ok(cancelled) = &finished.result
                && cancelled.reason == Some(Reason::Cancelled)
            {
                report(CrewEvent::Cancelled(&run, cancelled));
                return (count, locked(store).give_back(&finished.key));
            }
            // A cancelled crew writes its results, and claims nothing more.
            let shard = (!self.monitor.is_cancelled()).then_some(self.shard);
            next = locked(store).turn(Some(&finished), shard);
            if next.is_ok() {
                count += 1;
                report(CrewEvent::Finished(&run));
            }
            if matches!(next, Ok(None)) {
                next = self.first(store);
            }
        }
    }

    /// Claims a run that no process has, or whose process has died.
    fn first(
        &self,
        store: &Mutex<&mut ExperimentStore>,
    ) -> Result<Option<Claim>, ExperimentStoreError> {
        if self.monitor.is_cancelled() {
            return Ok(None);
        }
        let mut store = locked(store);
        match store.turn(None, Some(self.shard))? {
            None if store.release_dead()? > 0 => store.turn(None, Some(self.shard)),
            claim => Ok(claim),
        }
    }

    fn run(
        &self,
        key: String,
        run: &ExperimentRun,
        processor: &str,
        search: &RunSearch<'_>,
    ) -> FinishedRun {
        let mut run = run.clone();
        let task = &mut run.task;
        task.limits.memory = task.limits.memory.or(self.memory);
        let mut cpu_seconds = None;
        // A search that panics is a result too: the other runs continue.
        let searched = catch_unwind(AssertUnwindSafe(|| {
            // If this fails, the run fails too, and reports why.
            let _ = self.session.prepare(&run.task, &self.monitor, &mut |_| ());
            let clock = CpuClock::start(run.task.threads, self.jobs);
            let report = search(&run, Watch::by(&self.monitor));
            cpu_seconds = clock.and_then(CpuClock::seconds);
            report
        }));
        let result = searched.unwrap_or_else(|panic| Err(panic_message(&*panic)));
        let course = run.course.as_ref().zip(result.as_ref().ok());
        FinishedRun {
            key,
            memory_limit: run.task.limits.memory,
            figures: course.map(|(course, report)| course.figures(report)),
            result,
            cpu_seconds,
            processor: processor.to_owned(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the processor's name if the system knows it, and otherwise its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}
