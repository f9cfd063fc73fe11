//! `taquin route --scen`: the problems of movingai.com.

use std::path::{Path, PathBuf};

use serde::Serialize;
use taquin::{Algorithm, Ending, Method, decode};
use taquin_lab::route::{Map, OctileError, OctileMap, OctilePath, Scenario};

use super::RouteArgs;
use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::input::file_bytes;
use crate::output::{count, print, print_json, thousands};
use crate::watch::watched;

/// Published lengths are rounded, and lengths of long paths come from sums in single precision.
const TOLERANCE: f64 = 0.01;

/// A problem and its result.
#[derive(Serialize)]
struct Record {
    line: usize,
    /// The published length.
    published: f64,
    /// Whether the path has that length.
    equal: bool,
    #[serde(flatten)]
    path: OctilePath,
}

pub(super) fn run(args: &RouteArgs, path: &Path) -> CommandResult {
    let method = Map::method(&args.method)?;
    if method.algorithm != Algorithm::Astar {
        return Err(Failure::input("--scen solves with A* in eight directions")
            .hint("give fields of its policy only, as in -m astar:manhattan,tie=low-g"));
    }
    let text = text(path, "scenarios")?;
    let scenarios = Scenario::read(&text).map_err(|error| failure(path, &error).hint(FORMAT))?;
    let Some(first) = scenarios.first() else {
        return Err(Failure::input(format!("{}: no scenarios", path.display())).hint(FORMAT));
    };
    let named = args.file.clone().or_else(|| args.map.as_ref().map(PathBuf::from));
    let map_path = named.unwrap_or_else(|| path.with_file_name(file_name(&first.map)));
    let map = self::text(&map_path, "a map of movingai.com")?;
    let map = OctileMap::read(&map).map_err(|error| failure(&map_path, &error).hint(FORMAT))?;
    for scenario in &scenarios {
        scenario.check(&map).map_err(|error| failure(path, &error))?;
    }
    let records = watched(true, |monitor| {
        let solved = scenarios.iter().map(|scenario| solve(args, &map, scenario, &method, monitor));
        let solved: Vec<Record> = solved.collect();
        if monitor.is_cancelled() { Err(Failure::interrupted()) } else { Ok(solved) }
    })?;
    match args.json {
        true => print_json(&records)?,
        false => print(&describe(&records))?,
    }
    Ok(u8::from(records.iter().any(|record| !record.equal)))
}

/// The contents of the files.
const FORMAT: &str = "movingai.com's scenarios are 'version 1' and a line for each problem, and its \
                      maps are 'type octile', the height, the width, 'map' and the rows";

fn solve(
    args: &RouteArgs,
    map: &OctileMap,
    scenario: &Scenario,
    method: &Method,
    monitor: &std::sync::Arc<taquin::Monitor>,
) -> Record {
    let path = map.solve(scenario, method, &args.limits.limits(), monitor);
    let published = scenario.length;
    let equal = path.length.is_some_and(|length| (length - published).abs() < TOLERANCE);
    Record { line: scenario.line, published, equal, path }
}

/// The last part of a path on any system: a scenario may name a folder.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn text(path: &Path, what: &str) -> Result<String, Failure> {
    let bytes = file_bytes(path, what)?;
    let text =
        decode(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    Ok(text.into_owned())
}

fn failure(path: &Path, OctileError { line, fault }: &OctileError) -> Failure {
    Failure::input(format!("{}:{line}: {fault}", path.display()))
}

fn describe(records: &[Record]) -> String {
    let wrong: Vec<&Record> = records.iter().filter(|record| !record.equal).collect();
    let expanded: u64 = records.iter().map(|record| record.path.counts.expanded).sum();
    let all = count(records.len() as u64, "problem", "problems");
    let equal = records.len() - wrong.len();
    let expanded = thousands(expanded);
    let mut text = format!("{all}: {equal} with the published length; expanded {expanded}\n");
    if !wrong.is_empty() {
        let row = |record: &&Record| {
            let found = match (record.path.outcome, record.path.length) {
                (_, Some(length)) => format!("{length:.4}"),
                (Ending::Stopped, None) => "stopped".to_owned(),
                _ => "no path".to_owned(),
            };
            [record.line.to_string(), format!("{:.4}", record.published), found]
        };
        let table = Columns::new("rrr").headings(["line", "published", "found"]);
        text += &table.rows(wrong.iter().map(row)).text();
    }
    text
}
