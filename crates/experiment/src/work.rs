//! Making the runs of a store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use taquin::{Monitor, Reason, Report, Session, Task, Watch, excerpt};
use taquin_lab::Course;

use crate::Run;
use crate::store::{Claim, ExperimentStore, ExperimentStoreError, Finished};

/// A part of a plan, for one machine of several: every `of`th run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from 1.
    pub number: u32,
    /// How many parts there are.
    pub of: u32,
}

/// A text that names no part.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is no part of a plan: write 3/8 for the third of eight")]
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

/// Those who make the runs of a store, in this process.
#[derive(Clone, Debug)]
pub struct Crew {
    /// What searches with, and keeps tables between runs.
    pub session: Session,
    /// What cancels them.
    pub monitor: Arc<Monitor>,
    /// How many searches at a time.
    pub jobs: usize,
    /// Which runs.
    pub shard: Shard,
    /// The memory of a run whose plan sets no limit.
    pub memory: Option<u64>,
}

/// What is told while runs are made.
#[derive(Clone, PartialEq, Debug)]
pub enum Told<'a> {
    /// So many runs are due.
    Due(u64),
    /// A run begins.
    Begun(&'a Run),
    /// A run is in the store.
    Finished(&'a Run),
}

/// What a crew did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Worked {
    /// Runs that were made.
    pub finished: u64,
    /// Runs that are still due: other processes are at them, or the crew was cancelled.
    pub left: u64,
}

impl Crew {
    /// Makes what is due, until nothing is or the monitor is cancelled. A run that is cancelled is
    /// due again.
    ///
    /// # Errors
    /// Fails if the store can't be written; what was written before is safe.
    pub fn work(
        &self,
        mut store: ExperimentStore,
        tell: &(dyn Fn(Told<'_>) + Sync),
    ) -> Result<Worked, ExperimentStoreError> {
        store.enlist()?;
        tell(Told::Due(store.remaining(self.shard)?));
        let store = Mutex::new(store);
        let failure = Mutex::new(None);
        let finished = std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let (made, result) = self.job(&store, tell);
                        if let Err(error) = result {
                            // The others end as well: nothing that they find could be kept.
                            self.monitor.cancel();
                            locked(&failure).get_or_insert(error);
                        }
                        made
                    })
                })
                .collect();
            jobs.into_iter().map(|job| job.join().unwrap_or(0)).sum()
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        let store = store.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(error) => Err(error),
            None => Ok(Worked { finished, left: store.remaining(self.shard)? }),
        }
    }

    /// One search after the other; how many, and how it ended.
    fn job(
        &self,
        store: &Mutex<ExperimentStore>,
        tell: &(dyn Fn(Told<'_>) + Sync),
    ) -> (u64, Result<(), ExperimentStoreError>) {
        let processor = processor();
        let mut made = 0;
        let mut next = match self.first(store) {
            Ok(next) => next,
            Err(error) => return (made, Err(error)),
        };
        while let Some(Claim { key, run }) = next {
            if self.monitor.is_cancelled() {
                return (made, locked(store).give_back(&key));
            }
            tell(Told::Begun(&run));
            let finished = self.make(key, &run, &processor);
            if finished.report.as_ref().is_some_and(|r| r.reason == Some(Reason::Cancelled)) {
                return (made, locked(store).give_back(&finished.key));
            }
            // A cancelled crew writes what it has, and takes nothing more.
            let shard = (!self.monitor.is_cancelled()).then_some(self.shard);
            next = match locked(store).turn(Some(&finished), shard) {
                Ok(next) => next,
                Err(error) => return (made, Err(error)),
            };
            made += 1;
            tell(Told::Finished(&run));
            if next.is_none() {
                next = match self.first(store) {
                    Ok(next) => next,
                    Err(error) => return (made, Err(error)),
                };
            }
        }
        (made, Ok(()))
    }

    /// A run that nobody is at, or whose process has died.
    fn first(&self, store: &Mutex<ExperimentStore>) -> Result<Option<Claim>, ExperimentStoreError> {
        if self.monitor.is_cancelled() {
            return Ok(None);
        }
        let mut store = locked(store);
        match store.turn(None, Some(self.shard))? {
            None if store.release_dead()? > 0 => store.turn(None, Some(self.shard)),
            claim => Ok(claim),
        }
    }

    fn make(&self, key: String, run: &Run, processor: &str) -> Finished {
        let mut task = run.task();
        task.limits.memory = task.limits.memory.or(self.memory);
        let clock = self.clock(&task);
        let before = clock.map(seconds);
        // A search that breaks down is a result too: the others go on.
        let searched =
            catch_unwind(AssertUnwindSafe(|| self.session.run(&task, Watch::by(&self.monitor))));
        let cpu_seconds = clock.zip(before).map(|(clock, before)| seconds(clock) - before);
        let (report, broken) = match searched {
            Ok(report) => (Some(report), None),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().map(String::as_str);
                let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
                (None, Some(words.unwrap_or("the search broke down").to_owned()))
            }
        };
        let figures = |report: &Report| {
            let course = Course::find(run.course.as_deref()?).ok()?;
            Some(course.figures(report))
        };
        Finished {
            key,
            memory_limit: task.limits.memory,
            figures: report.as_ref().and_then(figures),
            report,
            cpu_seconds,
            broken,
            processor: processor.to_owned(),
        }
    }

    /// The clock that counts the processor's time for a run alone, if there is one.
    fn clock(&self, task: &Task) -> Option<ClockId> {
        match (task.threads, self.jobs) {
            (1, _) => Some(ClockId::ThreadCPUTime),
            (_, 1) => Some(ClockId::ProcessCPUTime),
            _ => None,
        }
    }
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}
