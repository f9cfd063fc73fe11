//! Experiments: the same plans and stores as those of the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::prelude::*;
use taquin::Monitor;
use taquin_experiment::{
    Crew, CrewEvent, CrewSummary, ExperimentStore, ExperimentStoreError, ExportFormat, Plan, Shard,
};
use taquin_lab::{Preparation, TomlFault};

use crate::background::run;
use crate::errors::{self, failed};
use crate::options::{cores, usual_memory};
use crate::report::json;
use crate::solve::session;

/// The store of an experiment: one SQLite file.
#[pyclass(module = "taquin", frozen)]
pub(crate) struct Store {
    path: PathBuf,
}

fn opened(path: &Path) -> PyResult<ExperimentStore> {
    ExperimentStore::open(path).map_err(|error| failed(&error, None))
}

#[pymethods]
impl Store {
    /// Opens a store, or makes it if it does not exist.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        ExperimentStore::create(&path).map_err(|error| failed(&error, None))?;
        Ok(Self { path })
    }

    /// Enters the runs of a plan. Returns the number of finished runs that a limit had ended which
    /// is higher now.
    #[pyo3(signature = (text, folder, retry=false))]
    fn plan(&self, text: &str, folder: &str, retry: bool) -> PyResult<u64> {
        let plan = Plan::read(text, Path::new(folder)).map_err(|faults| {
            let line = |fault: &TomlFault| {
                format!("{}:{}: {}", fault.place.line, fault.place.column, fault.message)
            };
            let message = faults.iter().map(line).collect::<Vec<_>>().join("\n");
            let first = faults.first();
            errors::raise(
                "PlanError",
                &message,
                Some("plan"),
                first.map(|fault| fault.place),
                first.and_then(|fault| fault.hint.as_deref()),
            )
        })?;
        opened(&self.path)?.plan(&plan, retry).map_err(|error| failed(&error, None))
    }

    /// Runs what is due; returns how many runs were finished and how many are left. `progress` is
    /// called with the finished runs and the number of runs.
    #[pyo3(signature = (jobs=None, shard=None, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        jobs: Option<usize>,
        shard: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let jobs = jobs.unwrap_or_else(cores).clamp(1, 1024);
        let shard: Shard = match shard {
            Some(text) => text.parse().map_err(|error: taquin_experiment::ShardError| {
                errors::option("shard", &error.to_string(), Some("write 1/4"))
            })?,
            None => Shard::default(),
        };
        let mut store = opened(&self.path)?;
        let monitor = Arc::new(Monitor::default());
        let (done, due) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let tick = |_| match progress {
            Some(progress) => progress.call1((done.load(Relaxed), due.load(Relaxed))).map(|_| ()),
            None => Ok(()),
        };
        let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
        let memory = usual_memory().map(|bytes| bytes / jobs as u64);
        let shared = Arc::clone(&monitor);
        let (finished, planned) = (Arc::clone(&done), Arc::clone(&due));
        let work = move || -> Result<CrewSummary, ExperimentStoreError> {
            let preparation = Preparation::new(session());
            for run in store.due(shard)? {
                // A run whose tables cannot be had reports why.
                let _ = preparation.prepare(&run.task, &shared, &mut |_| ());
            }
            let crew = Crew { session: session().clone(), monitor: shared, jobs, shard, memory };
            crew.work(&mut store, &|event| match event {
                CrewEvent::Due(runs) => planned.store(runs, Relaxed),
                CrewEvent::Finished(_) => {
                    finished.fetch_add(1, Relaxed);
                }
                _ => {}
            })
        };
        let show = |worked: Result<CrewSummary, ExperimentStoreError>| match worked {
            Ok(CrewSummary { finished, left }) => Ok((finished, left)),
            Err(error) => Err(failed(&error, None)),
        };
        run(py, &monitor, tick, "runs", show, work)
    }

    /// The finished runs of the plan as lines of JSON.
    fn records(&self) -> PyResult<String> {
        let mut out = Vec::new();
        opened(&self.path)?
            .export(ExportFormat::JsonLines, false, &mut out)
            .map_err(|error| failed(&error, None))?;
        String::from_utf8(out).map_err(|error| failed(&error, None))
    }

    /// The progress as JSON.
    fn state(&self) -> PyResult<String> {
        json(&opened(&self.path)?.state().map_err(|error| failed(&error, None))?)
    }

    /// The report as a page, and the charts as (name, SVG).
    #[pyo3(signature = (baseline=None))]
    fn report(&self, baseline: Option<&str>) -> PyResult<(String, Vec<(String, String)>)> {
        let report = opened(&self.path)?.report(baseline).map_err(|error| failed(&error, None))?;
        let charts = report.charts().map(|chart| (chart.name.to_owned(), chart.svg()));
        Ok((report.html(), charts.collect()))
    }
}
