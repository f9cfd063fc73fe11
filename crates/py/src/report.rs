//! Reports.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use taquin::{Counts, Notation, Stage, excerpt};
use taquin_draw::{apng, draw_solution, escaped, gif};
use taquin_lab::CourseReport;
use taquin_lab::amounts::thousands;

use crate::board::PyBoard;
use crate::errors::{self, internal};
use crate::hints::Outcome;
use crate::picture::{unknown, unmade};

/// The result of a search.
///
/// >>> report = taquin.solve("1 2 3/4 0 6/7 5 8", "astar:manhattan")
/// >>> report.moves, report.cost, report.optimal, report.boards[-1]
/// ('DR', 2, True, Board('1 2 3/4 5 6/7 8 0'))
#[pyclass(name = "Report", module = "taquin", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyReport {
    pub(crate) report: Arc<CourseReport>,
    /// The method with the name of a heuristic that was written in Python.
    pub(crate) method: Option<String>,
}

impl PyReport {
    pub(crate) fn new(report: CourseReport) -> Self {
        Self { report: Arc::new(report), method: None }
    }
}

#[pymethods]
impl PyReport {
    /// Makes a report from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let method = value["method"].as_str().filter(|name| name.contains("()")).map(str::to_owned);
        let report: taquin::Report = match &method {
            None => read_json(text, "report")?,
            Some(method) => {
                // The method without the heuristic in Python is its search's method.
                let searched = value["stages"][0]["method"].as_str();
                let algorithm = method.split(':').next().unwrap_or_default();
                value["method"] = searched.unwrap_or(algorithm).into();
                read_json(&value.to_string(), "report")?
            }
        };
        // The course's additions are derived from the report, by its name.
        let course = value["as"].as_str().and_then(|name| taquin_lab::Course::find(name).ok());
        Ok(Self { method, ..Self::new(CourseReport::new(report, course.as_deref())) })
    }

    /// The board at the start.
    #[getter]
    fn board(&self) -> PyBoard {
        PyBoard(self.report.report.puzzle.start().clone())
    }

    /// The goal.
    #[getter]
    fn goal(&self) -> PyBoard {
        PyBoard(self.report.report.puzzle.goal().clone())
    }

    /// The method, in full.
    #[getter]
    fn method(&self) -> String {
        self.method.clone().unwrap_or_else(|| self.report.report.method.to_string())
    }

    /// How it ended: "solved", "unsolvable", "exhausted" or "stopped".
    #[getter]
    fn outcome(&self) -> PyResult<Outcome> {
        word(&self.report.report.outcome).map(Outcome)
    }

    /// Why there is no solution, such as "parity", "time" or "memory".
    #[getter]
    fn reason(&self) -> PyResult<Option<String>> {
        self.report.report.reason.as_ref().map(word).transpose()
    }

    /// Whether there is a solution.
    #[getter]
    fn solved(&self) -> bool {
        self.report.report.moves.is_some()
    }

    /// The moves of the solution, named after where the blank goes; `None` if there is none.
    #[getter]
    fn moves(&self) -> Option<String> {
        self.report.report.write_moves(Notation::Blank)
    }

    /// The moves in a notation: "blank" or "tile", or another that `taquin solve --help` lists.
    #[pyo3(signature = (notation="blank"))]
    fn write_moves(&self, notation: &str) -> PyResult<Option<String>> {
        let notation: Notation = errors::parsed("notation", notation)?;
        Ok(self.report.report.write_moves(notation))
    }

    /// The cost of the solution.
    #[getter]
    fn cost(&self) -> Option<u32> {
        self.report.report.cost
    }

    /// The number of moves.
    #[getter]
    fn depth(&self) -> Option<u64> {
        self.report.report.depth
    }

    /// No solution costs less: this is proven.
    #[getter]
    fn lower_bound(&self) -> Option<u32> {
        self.report.report.lower_bound
    }

    /// Whether the solution is proven to be optimal.
    #[getter]
    fn optimal(&self) -> bool {
        self.report.report.optimal
    }

    /// The boards of the solution, the start and the goal included; empty if there is none.
    #[getter]
    fn boards(&self) -> Vec<PyBoard> {
        let report = &self.report.report;
        let Some(slides) = &report.moves else { return Vec::new() };
        let mut board = report.puzzle.start().clone();
        let mut boards = vec![PyBoard(board.clone())];
        for &slide in slides {
            // The solution was replayed before it was reported.
            let _ = board.slide(slide);
            boards.push(PyBoard(board.clone()));
        }
        boards
    }

    /// The counts of the search.
    #[getter]
    fn counts(&self) -> PyCounts {
        PyCounts(self.report.report.counts)
    }

    /// The time it took, in seconds, without the building of tables.
    #[getter]
    fn seconds(&self) -> f64 {
        self.report.report.seconds
    }

    /// The searches that were run.
    #[getter]
    fn stages(&self) -> Vec<PyStage> {
        self.report.report.stages.iter().cloned().map(PyStage).collect()
    }

    /// Remarks for a reader.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.report.report.notes.clone()
    }

    /// The report as JSON, as `taquin solve --json` prints it.
    fn to_json(&self) -> PyResult<String> {
        let text = json(&*self.report)?;
        let Some(method) = &self.method else { return Ok(text) };
        let mut value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| internal(&error))?;
        value["method"] = method.as_str().into();
        json(&value)
    }

    /// The report as a dictionary.
    #[pyo3(signature = () -> "dict[str, Any]")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        loaded(py, &self.to_json()?)
    }

    /// The solution as an animated SVG picture; the board if there is none.
    fn svg(&self) -> String {
        let report = &self.report.report;
        draw_solution(&report.puzzle, report.moves.as_deref().unwrap_or_default())
    }

    /// Writes the solution as an animation: an SVG, GIF or (animated) PNG file.
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn animate(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let report = &self.report.report;
        let Some(moves) = report.moves.as_deref() else {
            return Err(errors::failed(&"there is no solution to show", None));
        };
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let bytes = py.detach(|| match ending.as_str() {
            "svg" => Ok(self.svg().into_bytes()),
            "gif" => gif(&report.puzzle, moves).map_err(|error| unmade(&error)),
            "png" | "apng" => apng(&report.puzzle, moves).map_err(|error| unmade(&error)),
            _ => Err(unknown(&ending, ".svg, .gif or .png")),
        })?;
        std::fs::write(&path, bytes).map_err(|error| errors::file(&path, &error))
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let report = &self.report.report;
        let mut rows = vec![("result", self.__str__()?), ("method", self.method())];
        rows.extend(self.moves().map(|moves| ("moves", moves)));
        let Counts { expanded, generated, frontier_peak, .. } = report.counts;
        let counts = [expanded, generated, frontier_peak].map(thousands);
        let counts =
            format!("{} expanded, {} generated, {} open at most", counts[0], counts[1], counts[2]);
        rows.extend([("nodes", counts), ("time", format!("{:.3} s", report.seconds))]);
        rows.extend(report.notes.iter().map(|note| ("note", note.clone())));
        let row = |(name, value): (&str, String)| {
            format!(
                "<tr><th style=\"text-align:left\">{name}</th><td style=\"text-align:left;word-break:break-all\">{}</td></tr>",
                escaped(&value)
            )
        };
        let rows: String = rows.into_iter().map(row).collect();
        let style = "display:flex;gap:1.5em;align-items:center;flex-wrap:wrap";
        Ok(format!("<div style=\"{style}\">{}<table>{rows}</table></div>", picture(&self.svg())))
    }

    fn __repr__(&self) -> PyResult<String> {
        let board = self.report.report.puzzle.start().to_string();
        Ok(format!("<Report of {}: {}>", excerpt(&board), self.__str__()?))
    }

    fn __str__(&self) -> PyResult<String> {
        let report = &self.report.report;
        let text = match (report.depth, self.reason()?) {
            (Some(depth), _) => {
                let proven = match (report.optimal, report.lower_bound) {
                    (true, _) => "optimal".to_owned(),
                    (false, Some(bound)) => format!("not proven optimal, at least {bound}"),
                    (false, None) => "not proven optimal".to_owned(),
                };
                let moves = if depth == 1 { "move" } else { "moves" };
                format!("solved in {depth} {moves}: {proven}")
            }
            (None, Some(reason)) => format!("{} ({reason})", self.outcome()?.0),
            (None, None) => self.outcome()?.0,
        };
        Ok(format!("{text}; {} nodes expanded", thousands(report.counts.expanded)))
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?.unbind();
        Ok((make, (slf.get().to_json()?,)))
    }
}

/// The counts of a search. 'taquin list methods' explains them.
///
/// >>> counts = taquin.solve("1 2 3/4 0 6/7 5 8", "bfs").counts
/// >>> counts.expanded, counts.generated, counts.duplicates
/// (5, 12, 0)
#[pyclass(name = "Counts", module = "taquin", frozen, eq)]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PyCounts(Counts);

#[pymethods]
impl PyCounts {
    /// Nodes that were expanded.
    #[getter]
    const fn expanded(&self) -> u64 {
        self.0.expanded
    }

    /// Nodes that were generated.
    #[getter]
    const fn generated(&self) -> u64 {
        self.0.generated
    }

    /// The largest number of open nodes.
    #[getter]
    const fn frontier_peak(&self) -> u64 {
        self.0.frontier_peak
    }

    /// The largest number of nodes in memory.
    #[getter]
    const fn stored_peak(&self) -> u64 {
        self.0.stored_peak
    }

    /// The largest memory of the search's own tables, in bytes.
    #[getter]
    const fn memory_peak(&self) -> u64 {
        self.0.memory_peak
    }

    /// Nodes that were generated although a node with the same state was known.
    #[getter]
    const fn duplicates(&self) -> u64 {
        self.0.duplicates
    }

    /// Nodes that were expanded again after a cheaper path to them was found.
    #[getter]
    const fn reopened(&self) -> u64 {
        self.0.reopened
    }

    /// Nodes that were dropped although their path was cheaper.
    #[getter]
    const fn dropped_cheaper(&self) -> u64 {
        self.0.dropped_cheaper
    }

    /// The largest depth of a node.
    #[getter]
    const fn depth_peak(&self) -> u64 {
        self.0.depth_peak
    }

    /// All counts as a dictionary.
    #[pyo3(signature = () -> "dict[str, int]")]
    #[expect(clippy::wrong_self_convention, reason = "methods of Python classes take references")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        loaded(py, &json(&self.0)?)
    }

    #[new]
    #[pyo3(signature = (counts: "dict[str, int]"))]
    fn make(py: Python<'_>, counts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let text: String = py.import("json")?.call_method1("dumps", (counts,))?.extract()?;
        read_json(&text, "dictionary of counts").map(Self)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let counts = slf.get().to_dict(slf.py())?;
        Ok((slf.get_type().into_any(), (counts.into_any(),)))
    }

    fn __repr__(&self) -> String {
        let Counts { expanded, generated, frontier_peak, stored_peak, .. } = self.0;
        let counts = [expanded, generated, frontier_peak, stored_peak].map(thousands);
        format!(
            "<Counts: {} expanded, {} generated, {} open, {} stored>",
            counts[0], counts[1], counts[2], counts[3]
        )
    }
}

impl PyCounts {
    pub(crate) const fn new(counts: Counts) -> Self {
        Self(counts)
    }
}

/// One of the searches of a method.
///
/// >>> taquin.solve("1 2 3/4 0 6/7 5 8", "astar:linear").stages[0].method
/// 'astar:linear'
#[pyclass(name = "Stage", module = "taquin", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyStage(Stage);

#[pymethods]
impl PyStage {
    /// The method.
    #[getter]
    fn method(&self) -> String {
        self.0.method.to_string()
    }

    /// Its counts.
    #[getter]
    const fn counts(&self) -> PyCounts {
        PyCounts(self.0.counts)
    }

    /// The time it took, in seconds.
    #[getter]
    const fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// How it ended.
    #[getter]
    fn outcome(&self) -> PyResult<Outcome> {
        word(&self.0.outcome).map(Outcome)
    }

    /// Makes a stage from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        read_json(text, "stage").map(Self)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?.unbind();
        Ok((make, (json(&slf.get().0)?,)))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Stage {}>", self.__str__()?))
    }

    fn __str__(&self) -> PyResult<String> {
        Ok(format!(
            "{}: {}, {} expanded, {:.3} s",
            self.0.method,
            self.outcome()?.0,
            thousands(self.0.counts.expanded),
            self.0.seconds
        ))
    }
}

/// JSON as a dictionary.
pub(crate) fn loaded<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    Ok(py.import("json")?.call_method1("loads", (text,))?.cast_into::<PyDict>()?)
}

/// Data as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| internal(&error))
}

/// Data from JSON.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> PyResult<T> {
    serde_json::from_str(text)
        .map_err(|error| errors::failed(&format!("this is no {what}: {error}"), None))
}

/// The word that JSON has for a value.
pub(crate) fn word(value: &impl serde::Serialize) -> PyResult<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        _ => Err(internal(&"no word")),
    }
}

/// A picture as an image of its own: the styles of two pictures on one page would mix.
fn picture(svg: &str) -> String {
    let mut address = String::from("data:image/svg+xml,");
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/' | b' ' => {
                address.push(byte.into());
            }
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    format!("<img alt=\"the solution, move by move\" src=\"{address}\">")
}

/// A text as a Python literal.
pub(crate) fn python_string(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
