//! How a caller follows a task while it runs.

use std::sync::Arc;

use taquin_search::Monitor;

use crate::tables::TableEvent;
use crate::trace::Event;

/// What a caller watches while a task runs: progress and cancellation through a monitor, every step
/// of the search, and the building of tables.
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
    /// Shows the progress and cancels the task.
    pub monitor: Arc<Monitor>,
    /// Is called with every step of the search.
    pub events: Option<&'a mut dyn FnMut(Event)>,
    /// Is called while tables are built.
    pub tables: Option<&'a mut dyn FnMut(TableEvent<'_>)>,
}

impl<'a> Watch<'a> {
    /// Watches by a monitor of the caller, through which the task can also be cancelled.
    pub fn by(monitor: &Arc<Monitor>) -> Self {
        Self { monitor: Arc::clone(monitor), ..Self::default() }
    }

    /// Reports every step of the search to `events`.
    #[must_use]
    pub fn with_events(self, events: &'a mut dyn FnMut(Event)) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Reports the building of tables to `tables`.
    #[must_use]
    pub fn with_tables(self, tables: &'a mut dyn FnMut(TableEvent<'_>)) -> Self {
        Self { tables: Some(tables), ..self }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("monitor", &self.monitor).finish_non_exhaustive()
    }
}
