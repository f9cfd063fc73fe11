//! Reports: the results of a store in tables and charts.
//!
//! A report is first a list of blocks, which is then written as a page and as Markdown, so that
//! both say the same.

mod html;
mod json;
mod latex;
mod markdown;

use std::collections::BTreeSet;
use std::fmt::Write;

use taquin::Reason;
use taquin_draw::Chart;
use taquin_lab::amounts::{count, seconds, thousands};

use crate::records::Records;
use crate::samples::{Measure, Sample, geometric_mean, quartiles};
use crate::store::{ExperimentStore, ExperimentStoreError};
use crate::table::Table;

/// A report on the results in a store.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportDocument {
    title: String,
    blocks: Vec<Block>,
}

/// A part of a report.
#[derive(Clone, PartialEq, Debug)]
enum Block {
    Heading(&'static str),
    Text(String),
    Table(Table),
    Figure(Box<Chart>),
    /// Names, each with a text.
    Facts(Vec<(String, String)>),
    /// The text of a file.
    Source(String),
}

const NONE: &str = "–";

impl ExperimentStore {
    /// Returns the report on a store. One chart compares every method with `baseline`, or else with
    /// the first.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn report(&self, baseline: Option<&str>) -> Result<ReportDocument, ExperimentStoreError> {
        Ok(ReportDocument::new(&Records::read(self)?, baseline))
    }
}

impl ReportDocument {
    fn new(records: &Records, baseline: Option<&str>) -> Self {
        let title = match records.title.as_str() {
            "" => "Experiment",
            title => title,
        };
        let samples = &records.samples;
        let mut blocks = vec![Block::Text(records.overview())];
        if records.unfinished > 0 {
            let left = thousands(records.unfinished);
            blocks.push(Block::Text(format!("Not finished: {left} runs are still due.")));
        }
        if samples.runs.is_empty() {
            return Self { title: title.to_owned(), blocks };
        }
        blocks.push(Block::Heading("Summary"));
        blocks.push(Block::Table(records.solved()));
        blocks.push(Block::Table(records.work()));
        if !samples.time_note.is_empty() {
            blocks.push(Block::Text(samples.time_note.clone()));
        }
        blocks.push(Block::Heading("Charts"));
        let mut charts = samples.against_depth();
        charts.retain(|chart| chart.series.iter().any(|series| !series.points.is_empty()));
        charts.push(samples.cactus());
        let place = |name: &str| samples.methods.iter().position(|method| method == name);
        charts.extend(samples.scatter(baseline.and_then(place).unwrap_or(0)));
        blocks.extend(charts.into_iter().map(|chart| Block::Figure(Box::new(chart))));
        let tables = records.by_depth();
        if !tables.is_empty() {
            blocks.push(Block::Heading("By depth"));
            blocks.push(Block::Text(records.depth_words()));
            blocks.extend(tables.into_iter().map(Block::Table));
        }
        blocks.push(Block::Heading("Circumstances"));
        blocks.push(Block::Facts(records.circumstances()));
        if !records.plan.is_empty() {
            blocks.push(Block::Source(records.plan.clone()));
        }
        blocks.push(Block::Heading("Counts"));
        blocks.push(Block::Facts(
            COUNTED.map(|(name, what)| (name.to_owned(), what.to_owned())).to_vec(),
        ));
        Self { title: title.to_owned(), blocks }
    }

    /// Returns the charts, which have separate files.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(chart) => Some(&**chart),
            _ => None,
        })
    }

    /// Returns the report as one HTML page that needs no other file.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Returns the report as part of a LaTeX document; its charts are PDF files in the same folder.
    pub fn latex(&self) -> String {
        latex::text(self)
    }

    /// Returns the report as JSON: its tables as texts, its charts as numbers.
    pub fn json(&self) -> serde_json::Value {
        json::value(self)
    }

    /// Returns the report as Markdown; its charts are SVG files in the same folder.
    pub fn markdown(&self) -> String {
        markdown::text(self)
    }
}

const COUNTED: [(&str, &str); 7] = [
    (
        "expanded",
        "nodes whose successors were generated; a goal that is recognised is not expanded",
    ),
    ("generated", "successors produced, without the root, including discarded duplicates"),
    (
        "largest frontier",
        "the most live nodes in the frontier, read after each expansion; for iterative deepening, the longest path held",
    ),
    ("proven optimal", "the run itself has proven that no solution is cheaper"),
    ("time", "wall-clock time of the search; tables are built before the clock starts"),
    (
        "geometric mean",
        "the n-th root of the product, so that a factor weighs the same for easy and hard puzzles; 0 counts as 1 node",
    ),
    (
        "quartiles",
        "in parentheses after a mean: a quarter of the values are below the first, a quarter above the second",
    ),
];

/// How a value is formatted.
type Format = fn(f64) -> String;

/// The tables by depth: the caption, the quantity and its format.
const MEASURES: [(&str, Measure, Format); 4] = [
    ("Nodes expanded", |run: &Sample| run.expanded as f64, mean),
    ("Nodes generated", |run: &Sample| run.generated as f64, mean),
    ("Largest frontier, in nodes", |run: &Sample| run.frontier as f64, mean),
    ("Time", |run: &Sample| run.seconds, seconds),
];

impl Records {
    fn overview(&self) -> String {
        let puzzles = count(self.puzzles.len() as u64, "puzzle", "puzzles");
        let methods = count(self.samples.methods.len() as u64, "method", "methods");
        let repeats = match self.repeats {
            0 | 1 => String::new(),
            repeats => format!(", {repeats} runs each (times are medians)"),
        };
        let time = seconds(self.facts.seconds);
        format!(
            "{puzzles} by {methods}{repeats}: {} runs, {time} of search.",
            thousands(self.facts.runs)
        )
    }

    fn solved(&self) -> Table {
        let headings = "method, solved, of, coverage, proven optimal, longer than optimal, \
                        time limit, memory limit, node limit, other";
        let row = |method: usize| {
            let runs = self.samples.runs.iter().filter(|run| run.method == method);
            let count = |test: &dyn Fn(&Sample) -> bool| {
                runs.clone().filter(|run| test(run)).count() as u64
            };
            let ended_by = |reasons: &[Reason]| {
                count(&|run| run.reason.is_some_and(|why| reasons.contains(&why)))
            };
            let (solved, planned) = (count(&|run| run.solved), self.planned[method]);
            let optimal = count(&|run| run.optimal);
            let longer = count(&|run| run.cost.zip(run.optimum).is_some_and(|(a, b)| a > b));
            let [time, memory] = [Reason::Time, Reason::Memory].map(|why| ended_by(&[why]));
            let nodes = ended_by(&[Reason::Expanded, Reason::Generated]);
            let others = count(&|_| true) - solved - time - memory - nodes;
            let coverage = format!("{:.0} %", 100.0 * solved as f64 / planned.max(1) as f64);
            let cells = [optimal, longer, time, memory, nodes, others].map(|count| match count {
                0 => NONE.to_owned(),
                count => thousands(count),
            });
            [&[thousands(solved), thousands(planned), coverage][..], &cells].concat()
        };
        self.table("Solved puzzles, and what ended the other runs.".to_owned(), headings, row)
    }

    fn work(&self) -> Table {
        let common = self.common();
        let headings =
            "method, expanded, generated, time, total expanded, total generated, total time";
        let measures: [(Measure, Format, Format); 3] = [
            (|run| run.expanded as f64, mean, whole),
            (|run| run.generated as f64, mean, whole),
            (|run| run.seconds, seconds, seconds),
        ];
        let row = |method: usize| {
            let is_common = |run: &&Sample| run.method == method && common.contains(&run.instance);
            let runs: Vec<&Sample> = self.samples.runs.iter().filter(is_common).collect();
            let values =
                |measure: Measure| runs.iter().map(|run| measure(run)).collect::<Vec<f64>>();
            let means = measures.map(|(measure, write, _)| summary(&values(measure), write));
            let totals = measures.map(|(measure, _, write)| match runs.is_empty() {
                true => NONE.to_owned(),
                false => write(values(measure).iter().sum()),
            });
            [means, totals].concat()
        };
        let caption = match common.len() {
            0 => "No puzzle was solved by all methods.".to_owned(),
            1 => "The work for the one puzzle that all methods solved.".to_owned(),
            count => format!(
                "The work for the {} puzzles that all methods solved: geometric means with quartiles, and totals.",
                thousands(count as u64)
            ),
        };
        self.table(caption, headings, row)
    }

    /// Returns a table with a row for each method, whose name is the first cell.
    fn table(&self, caption: String, headings: &str, row: impl Fn(usize) -> Vec<String>) -> Table {
        let rows = self.samples.methods.iter().enumerate();
        Table {
            caption,
            left: 1,
            headings: headings.split(", ").map(str::to_owned).collect(),
            rows: rows.map(|(method, name)| [vec![name.clone()], row(method)].concat()).collect(),
            ..Table::default()
        }
    }

    fn depth_words(&self) -> String {
        let what = if self.samples.weighted {
            "cost of the cheapest solution"
        } else {
            "length of the shortest solution"
        };
        let mut text =
            format!("Geometric means over the solved puzzles, with quartiles, by the {what}.");
        let partly = self.samples.runs.iter().any(|run| !run.solved && run.optimum.is_some());
        if partly {
            text += " If some were not solved, the number of solved ones follows.";
        }
        let unknown = self.puzzles.iter().filter(|puzzle| puzzle.optimum().is_none()).count();
        if unknown > 0 {
            let count = thousands(unknown as u64);
            let _ = write!(text, " Puzzles without a proven optimum are left out: {count}.");
        }
        text
    }

    fn by_depth(&self) -> Vec<Table> {
        let methods = &self.samples.methods;
        let by_method: Vec<_> =
            (0..methods.len()).map(|method| self.samples.by_depth(method)).collect();
        let depths: BTreeSet<u32> =
            by_method.iter().flat_map(|depths| depths.keys().copied()).collect();
        if depths.is_empty() {
            return Vec::new();
        }
        let first = if self.samples.weighted { "cost" } else { "depth" };
        let table = |(caption, measure, write): (&str, Measure, Format)| {
            let row = |&depth: &u32| {
                let runs = by_method
                    .iter()
                    .map(|depths| depths.get(&depth).map_or(&[][..], Vec::as_slice));
                let puzzles = runs.clone().map(<[_]>::len).max().unwrap_or(0);
                let cell = |runs: &[&Sample]| {
                    let solved: Vec<f64> =
                        runs.iter().filter(|run| run.solved).map(|run| measure(run)).collect();
                    let text = summary(&solved, write);
                    match solved.len() {
                        some if 0 < some && some < runs.len() => {
                            format!("{text}, {some} of {}", runs.len())
                        }
                        _ => text,
                    }
                };
                let mut cells = vec![depth.to_string(), puzzles.to_string()];
                cells.extend(runs.map(cell));
                cells
            };
            let mut headings = vec![first.to_owned(), "puzzles".to_owned()];
            headings.extend(methods.iter().cloned());
            Table {
                caption: format!("{caption}."),
                left: 1,
                headings,
                rows: depths.iter().map(row).collect(),
                ..Table::default()
            }
        };
        MEASURES.into_iter().map(table).collect()
    }

    fn circumstances(&self) -> Vec<(String, String)> {
        let facts = &self.facts;
        let list =
            |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join("; ");
        let mut found = vec![
            ("Instance sets".to_owned(), facts.sources.join("; ")),
            ("Limits of a run".to_owned(), list(&facts.limits)),
            ("Program".to_owned(), format!("taquin {}", list(&facts.versions))),
            ("Processor".to_owned(), list(&facts.processors)),
            (
                "Time".to_owned(),
                match facts.first == facts.last {
                    true => facts.first.clone(),
                    false => format!("{} to {}", facts.first, facts.last),
                },
            ),
        ];
        let methods = self.samples.methods.iter().zip(&self.methods);
        found.extend(methods.map(|(name, full)| (name.clone(), full.clone())));
        found
    }
}

/// Formats the geometric mean of values, with their quartiles if there are several.
fn summary(values: &[f64], write: Format) -> String {
    let mean = geometric_mean(values).map_or_else(|| NONE.to_owned(), write);
    match quartiles(values) {
        Some((lower, upper)) => format!("{mean} ({}–{})", write(lower), write(upper)),
        None => mean,
    }
}

/// Formats a mean of counts, to a tenth if it is small.
fn mean(value: f64) -> String {
    if value > 0.0 && value < 100.0 { format!("{value:.1}") } else { whole(value) }
}

/// Formats a whole number.
fn whole(value: f64) -> String {
    thousands(value.round() as u64)
}
