//! Experiments: a plan, a store that loses no finished run, and reports with charts.
//!
//! A [`Plan`] is read as a whole, reports every error at once, and becomes a list of
//! [`ExperimentRun`]s. The [`ExperimentStore`] keeps them in one SQLite file: the runs that are
//! due, the process that is running each, and the results. A [`Crew`] takes due runs from the store
//! and writes each result back in one transaction, so that the store alone knows which runs remain.
//! Tables and charts are made from it, never from memory.

mod compare;
mod cpu_time;
mod export;
mod plan;
mod records;
mod report;
mod run;
mod samples;
mod store;
mod table;
mod work;

pub use compare::{Comparison, ComparisonRow, Verdict};
pub use export::{ExportError, ExportFormat};
pub use plan::Plan;
pub use report::ReportDocument;
pub use run::{ExperimentRun, NamedSetting, USUAL_METHODS};
pub use samples::{Sample, Samples};
pub use store::{
    ExperimentState, ExperimentStore, ExperimentStoreError, MergeSummary, MethodState, is_store,
};
pub use table::Table;
pub use work::{Crew, CrewEvent, CrewSummary, RunSearch, Shard, ShardError};
