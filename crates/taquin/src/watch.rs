//! How a caller follows a job while it runs.

use std::sync::Arc;

use taquin_search::Monitor;
use taquin_tables::whole::Extent;

use crate::on::Device;
use crate::tables::TableEvent;
use crate::trace::Event;

/// Observes a job while it runs: progress and cancellation through a monitor, every step of a
/// search, tables being built, an enumeration's start, and warnings.
///
/// ```
/// use std::sync::Arc;
/// use taquin::{Monitor, Session, Task, Watch};
///
/// let task: Task = "1 2 3/4 0 6/7 5 8".parse::<taquin::Board>()?.into();
/// let monitor = Arc::new(Monitor::default()); // another thread may call monitor.cancel()
/// let mut steps = 0;
/// let mut count = |_| steps += 1;
/// let report = Session::without_folder().run(&task, Watch::by(&monitor).with_events(&mut count));
/// assert!(report.optimal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Watch<'a> {
    /// Shows the progress and cancels the job.
    pub monitor: Arc<Monitor>,
    /// Is called with every step of the search.
    pub events: Option<&'a mut dyn FnMut(Event)>,
    /// Is called while tables are built.
    pub tables: Option<&'a mut (dyn FnMut(TableEvent<'_>) + Send)>,
    /// Is called when an enumeration starts, with the device and the size of the space there.
    pub spaces: Option<&'a mut dyn FnMut(Device, Extent)>,
    /// Called with problems that do not end the job.
    pub warnings: Option<&'a (dyn Fn(&str) + Sync)>,
}

impl<'a> Watch<'a> {
    /// Watches by a monitor of the caller, through which the job can also be cancelled.
    pub fn by(monitor: &Arc<Monitor>) -> Self {
        Self { monitor: Arc::clone(monitor), ..Self::default() }
    }

    /// Reports every step of the search to `events`.
    #[must_use]
    pub fn with_events(self, events: &'a mut dyn FnMut(Event)) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Reports the building of tables to `tables`.
    ///
    /// ```
    /// # use taquin::{Board, Session, Task, Watch};
    /// let task = Task { method: "ida:pdb=1.2.3/4.5.6/7.8".parse()?, ..Board::into("867254301".parse()?) };
    /// let mut events = 0;
    /// let mut count = |_: taquin::TableEvent<'_>| events += 1;
    /// Session::without_folder().run(&task, Watch::default().with_tables(&mut count));
    /// assert!(events > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_tables(self, tables: &'a mut (dyn FnMut(TableEvent<'_>) + Send)) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// Reports problems that do not end the job to `warnings`.
    #[must_use]
    pub fn with_warnings(self, warnings: &'a (dyn Fn(&str) + Sync)) -> Self {
        Self { warnings: Some(warnings), ..self }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("monitor", &self.monitor).finish_non_exhaustive()
    }
}
