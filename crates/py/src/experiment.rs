//! Experiments: the same plans and stores as on the command line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::prelude::*;
use taquin::{Monitor, Preparation, excerpt};
use taquin_experiment::{
    Crew, CrewEvent, CrewSummary, ExperimentStore, ExperimentStoreError, ExportFormat,
    MergeSummary, Plan, Shard,
};
use taquin_lab::TomlFault;

use crate::background::run;
use crate::errors::{self, failed};
use crate::options::{cores, read_threads, usual_memory};
use crate::own::{self, Callable};
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

/// Methods with heuristics in Python: by name, each with the method that it belongs to.
type Own<'py> = HashMap<String, (String, Bound<'py, PyAny>)>;

/// Reads a plan whose paths begin at a folder.
fn read_plan(text: &str, folder: &str, own: &Own<'_>) -> PyResult<Plan> {
    let own = own.iter().map(|(name, (method, _))| (name.clone(), method.clone())).collect();
    let plan = Plan::read_with(text, Path::new(folder), session(), own).map_err(|faults| {
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
    for run in plan.runs.iter().filter(|run| run.own.is_some()) {
        own::check(&run.task.method)?;
    }
    Ok(plan)
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
    #[pyo3(signature = (text, folder, own, retry=false))]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn plan(&self, text: &str, folder: &str, own: Own<'_>, retry: bool) -> PyResult<u64> {
        let plan = read_plan(text, folder, &own)?;
        let mut store = opened(&self.path)?;
        store.verify().map_err(|error| failed(&error, None))?;
        store.plan(&plan, retry).map_err(|error| failed(&error, None))
    }

    /// The number of runs of a plan.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn check(text: &str, folder: &str, own: Own<'_>) -> PyResult<usize> {
        Ok(read_plan(text, folder, &own)?.runs.len())
    }

    /// An example of a plan, with comments.
    #[staticmethod]
    const fn example() -> &'static str {
        Plan::EXAMPLE
    }

    /// Joins another store to this one: the finished runs that were new, were known, and were known
    /// with another result.
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn merge(&self, other: PathBuf) -> PyResult<(u64, u64, u64)> {
        let MergeSummary { added, known, different } =
            opened(&self.path)?.merge(&other).map_err(|error| failed(&error, None))?;
        Ok((added, known, different))
    }

    /// Runs what is due; returns how many runs were finished and how many are left. `progress` is
    /// called with the finished runs and the number of runs.
    #[pyo3(signature = (own, jobs=None, shard=None, progress=None))]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn run(
        &self,
        py: Python<'_>,
        own: Own<'_>,
        jobs: Option<&Bound<'_, PyAny>>,
        shard: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let jobs = jobs.map_or_else(|| Ok(cores()), |jobs| read_threads("jobs", jobs))?;
        let shard: Shard = match shard {
            Some(text) => text.parse().map_err(|error: taquin_experiment::ShardError| {
                errors::option("shard", &error.to_string(), Some("write 1/4"))
            })?,
            None => Shard::default(),
        };
        let mut store = opened(&self.path)?;
        let monitor = Arc::new(Monitor::default());
        let callable = |(name, (_, function)): (&String, &(String, Bound<'_, PyAny>))| {
            Ok((name.clone(), Arc::new(Callable::new(function, &monitor)?)))
        };
        let own: HashMap<String, Arc<Callable>> =
            own.iter().map(callable).collect::<PyResult<_>>()?;
        let planned = store.due(shard).map_err(|error| failed(&error, None))?;
        let mut names = planned.iter().filter_map(|run| run.own.as_ref());
        if let Some(name) = names.find(|name| !own.contains_key(*name)) {
            let message = format!("the runs of {name} need its function");
            let remedy = "make the Experiment with the same instances and methods again";
            return Err(errors::option("methods", &message, Some(remedy)));
        }
        let callables = own.clone();
        let (done, due) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let tick = |_| match progress {
            Some(progress) => progress.call1((done.load(Relaxed), due.load(Relaxed))).map(|_| ()),
            None => Ok(()),
        };
        let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
        let memory = usual_memory().map(|bytes| bytes / jobs as u64);
        let shared = Arc::clone(&monitor);
        let (finished, total) = (Arc::clone(&done), Arc::clone(&due));
        let work = move || -> Result<CrewSummary, ExperimentStoreError> {
            let preparation = Preparation::new(session());
            for run in planned {
                // A run whose tables are unavailable reports why.
                let _ = preparation.prepare(&run.task, &shared, &mut |_| ());
            }
            let crew = Crew { session: session().clone(), monitor: shared, jobs, shard, memory };
            let tell = |event: CrewEvent<'_>| match event {
                CrewEvent::Due(runs) => total.store(runs, Relaxed),
                CrewEvent::Finished(_) => {
                    finished.fetch_add(1, Relaxed);
                }
                _ => {}
            };
            crew.work_by(&mut store, &tell, &|run, watch| match &run.own {
                None => Ok(crew.session.run(&run.task, watch)),
                Some(name) => match callables.get(name) {
                    Some(callable) => Ok(callable.run_report(&run.task, watch)),
                    None => Err(format!("the function of {name} is missing")),
                },
            })
        };
        let show = |worked: Result<CrewSummary, ExperimentStoreError>| match worked {
            Ok(CrewSummary { finished, left }) => {
                own.values().find_map(|own| own.exception()).map_or(Ok((finished, left)), Err)
            }
            Err(error) => Err(failed(&error, None)),
        };
        run(py, &monitor, tick, "runs", show, work)
    }

    /// The finished runs of the plan, or all, as "csv" or "jsonl".
    fn export(&self, format: &str, all: bool) -> PyResult<String> {
        let format: ExportFormat = errors::parsed("format", format)?;
        let mut out = Vec::new();
        opened(&self.path)?.export(format, all, &mut out).map_err(|error| failed(&error, None))?;
        String::from_utf8(out).map_err(|error| failed(&error, None))
    }

    /// The progress as JSON.
    fn state(&self) -> PyResult<String> {
        json(&opened(&self.path)?.state().map_err(|error| failed(&error, None))?)
    }

    /// The report as "html", "markdown" or "latex", and the charts as (name, SVG).
    #[pyo3(signature = (baseline, format))]
    fn report(
        &self,
        baseline: Option<&str>,
        format: &str,
    ) -> PyResult<(String, Vec<(String, String)>)> {
        let store = opened(&self.path)?;
        let state = store.state().map_err(|error| failed(&error, None))?;
        let names: Vec<&str> = state.methods.iter().map(|method| method.name.as_str()).collect();
        if let Some(name) = baseline.filter(|name| !names.contains(name)) {
            let message = format!("the store has no method '{}'", excerpt(name));
            let remedy = format!("its methods are {}", names.join(", "));
            return Err(errors::option("baseline", &message, Some(&remedy)));
        }
        let report = store.report(baseline).map_err(|error| failed(&error, None))?;
        let text = match format {
            "html" => report.html(),
            "markdown" => report.markdown(),
            "latex" => report.latex(),
            _ => {
                let message = format!("there is no report in '{}'", excerpt(format));
                let remedy = "write html, markdown or latex";
                return Err(errors::option("format", &message, Some(remedy)));
            }
        };
        let charts = report.charts().map(|chart| (chart.name.to_owned(), chart.svg()));
        Ok((text, charts.collect()))
    }
}
