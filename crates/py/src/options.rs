//! Keyword arguments, which fill in a request like flags of the command line.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use taquin::{Costs, TaskLimits, free_memory, read_bytes, read_count, read_time};
use taquin_lab::{Courses, Request, Setting};

use crate::board::{read_size, text_of};
use crate::errors::{self, internal, shown};

/// The keywords of every search.
pub(crate) const SEARCH: [&str; 10] =
    ["goal", "size", "as_", "cost", "time", "nodes", "memory", "threads", "jumps", "search_anyway"];

/// The keywords of comparisons: their runs have one thread each.
pub(crate) const COMPARE: [&str; 7] = ["goal", "size", "as_", "cost", "time", "nodes", "memory"];

/// The limits of a search, from the keywords `time`, `nodes` and `memory`.
pub(crate) fn limits(options: Option<&Bound<'_, PyDict>>) -> PyResult<TaskLimits> {
    request(None, options, &["time", "nodes", "memory"]).map(|request| request.limits)
}

/// Fills in a request from the keywords in `known`. `None` as a value is the same as no keyword.
pub(crate) fn request(
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    known: &[&str],
) -> PyResult<Request> {
    let mut request = Request { method, ..Request::default() };
    request.limits.memory = usual_memory();
    for (key, value) in options.into_iter().flat_map(PyDictMethods::iter) {
        if value.is_none() {
            continue;
        }
        let key: String = key.extract()?;
        match key.as_str() {
            key if !known.contains(&key) => {
                return Err(PyTypeError::new_err(format!(
                    "unknown keyword '{key}'; there are {}",
                    known.join(", ")
                )));
            }
            "goal" => request.goal = Some(text_of(&value)?),
            "size" => request.size = Some(read_size(&value)?.to_string()),
            "as_" => request.course = Some(read_path(&value)?),
            "cost" => request.cost = Some(read_cost(&value)?),
            "time" => request.limits.seconds = Some(read_seconds("time", &value)?),
            "nodes" => request.limits.expanded = Some(read_number("nodes", &value)?),
            "memory" => request.limits.memory = Some(read_number("memory", &value)?),
            "threads" => request.threads = Some(read_threads("threads", &value)?),
            "jumps" => request.jumps = read_bool("jumps", &value)?,
            "search_anyway" => request.search_anyway = read_bool("search_anyway", &value)?,
            _ => return Err(internal(&format!("the keyword {key}"))),
        }
    }
    if request.threads.is_none() && request.course.is_none() {
        request.threads = Some(cores());
    }
    Ok(request)
}

/// A request's setting, which is everything but the board.
pub(crate) fn setting(request: &Request) -> PyResult<Setting> {
    request.setting(Courses::Files).map_err(|error| errors::request(&error))
}

/// The number of cores. It is asked for once, since asking reads files.
pub(crate) fn cores() -> usize {
    static CORES: Mutex<Option<usize>> = Mutex::new(None);
    *CORES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_with(|| std::thread::available_parallelism().map_or(1, Into::into))
}

/// Three quarters of the memory that was free less than a second ago.
pub(crate) fn usual_memory() -> Option<u64> {
    static KNOWN: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match *known {
        Some((since, memory)) if since.elapsed() < Duration::from_secs(1) => memory,
        _ => {
            let memory = free_memory().map(|bytes| bytes / 4 * 3);
            *known = Some((Instant::now(), memory));
            memory
        }
    }
}

/// Reads a course's name or the path of its file.
fn read_path(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let path = value.extract::<PathBuf>();
    let wrong = |_| errors::option("as_", "a course is a name or the path of a file", None);
    path.map(|path| path.to_string_lossy().into_owned()).map_err(wrong)
}

pub(crate) fn read_seconds(field: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong =
        |message: &str| errors::option(field, message, Some("write 5, 0.2, \"200ms\" or \"5m\""));
    if let Ok(text) = value.cast::<PyString>() {
        let time = read_time(text.to_str()?).map_err(|error| wrong(&error.to_string()))?;
        return Ok(time.as_secs_f64());
    }
    let seconds = match value.getattr_opt("total_seconds")? {
        Some(method) => method.call0()?.extract::<f64>()?,
        None => {
            value.extract::<f64>().map_err(|_| wrong("a time is a number of seconds or a text"))?
        }
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(_) => Ok(seconds),
        Err(_) => Err(wrong(&format!("{seconds} is not a time"))),
    }
}

/// Reads a count of nodes or bytes, as a number or with a unit.
pub(crate) fn read_number(field: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(text) = value.cast::<PyString>() {
        let read = if field == "memory" { read_bytes } else { read_count };
        return read(text.to_str()?).map_err(|error| errors::unit(field, &error));
    }
    if let Ok(count) = value.extract::<u64>() {
        return Ok(count);
    }
    // 1e6 is a float in Python.
    match value.extract::<f64>() {
        Ok(number) if number >= 0.0 && number.fract() == 0.0 && number < 1e18 => Ok(number as u64),
        _ => {
            let message = format!("{} is not a whole number from 0 to 2^64 - 1", shown(value));
            let remedy = (field == "memory").then_some("write a number of bytes, or \"2G\"");
            Err(errors::option(field, &message, remedy))
        }
    }
}

pub(crate) fn read_threads(field: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    match value.extract::<usize>() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err(errors::option(
            field,
            &format!("{} is not a number from 1 to 1024", shown(value)),
            None,
        )),
    }
}

fn read_bool(field: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.cast::<PyBool>() {
        Ok(value) => Ok(value.is_true()),
        Err(_) => {
            Err(errors::option(field, &format!("{} is neither True nor False", shown(value)), None))
        }
    }
}

/// Reads "unit", "tile", a list as text, or a list of numbers.
pub(crate) fn read_cost(value: &Bound<'_, PyAny>) -> PyResult<Costs> {
    let text = match value.cast::<PyString>() {
        Ok(text) => text.to_str()?.to_owned(),
        Err(_) => {
            let wrong =
                |_| errors::option("cost", "a cost is unit, tile, or a list of numbers", None);
            let costs: Vec<u32> = value.extract().map_err(wrong)?;
            costs.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
        }
    };
    text.parse()
        .map_err(|error: taquin::CostsError| errors::option("cost", &error.to_string(), None))
}
