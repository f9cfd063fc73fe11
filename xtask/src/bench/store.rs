//! What the store of an experiment costs: the share of the time that is not spent in searches.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use taquin::Session;
use taquin_experiment::{Crew, ExperimentStore, Plan, Shard};

use super::{Options, Row};

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    if options.instructions {
        return Ok(Vec::new());
    }
    let runs = if options.quick { 1_000 } else { 10_000 };
    let folder = std::env::temp_dir().join(format!("taquin-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let measured = measure(&folder, runs);
    fs::remove_dir_all(&folder)?;
    let (wall, searched) = measured?;
    Ok(vec![Row {
        name: format!("{runs} runs of about 5 ms, share of the store"),
        value: 100.0 * (wall - searched) / wall,
        unit: "%",
        must: 5.0,
        aim: 2.0,
        note: format!(
            "{wall:.2} s in all, {searched:.2} s in searches, {:.0} µs a run for the rest",
            1e6 * (wall - searched) / runs as f64
        ),
    }])
}

/// Makes `runs` runs; returns the time of all, and the time of the searches.
fn measure(folder: &Path, runs: u64) -> Result<(f64, f64)> {
    let text = format!("instances = \"random 3x3 n={runs} seed=1\"\nmethods = \"bfs\"\n");
    let plan = Plan::read(&text, folder).map_err(|errors| anyhow!("{errors:?}"))?;
    let path = folder.join("bench.sqlite");
    let started = Instant::now();
    let mut store = ExperimentStore::create(&path)?;
    store.plan(&plan, false)?;
    let crew = Crew {
        session: Session::without_folder(),
        monitor: Arc::default(),
        jobs: 1,
        shard: Shard::default(),
        memory: None,
    };
    let worked = crew.work(&mut store, &|_| ())?;
    drop(store);
    let wall = started.elapsed().as_secs_f64();
    ensure!(worked.left == 0, "{} runs are left", worked.left);
    let total = ExperimentStore::open(&path)?.state()?.total();
    ensure!(total.finished == plan.runs.len() as u64, "{} runs are finished", total.finished);
    Ok((wall, total.seconds))
}
