//! Reports: what a store says, in tables and charts.
//!
//! A report is first a list of blocks, and then written twice, as a page and as Markdown: what the one
//! says, the other says too.

mod html;
mod markdown;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::picture::{Chart, Measure, Sample, geometric_mean, plain};
use crate::records::{Limit, Records};
use crate::store::{ExperimentStore, ExperimentStoreError};

/// What is made of a store.
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
    /// Names, and what there is to say of each.
    Facts(Vec<(String, String)>),
    /// A text as it stands in a file.
    Source(String),
}

/// A table; all columns but the first hold numbers.
#[derive(Clone, PartialEq, Debug, Default)]
struct Table {
    caption: String,
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

const NONE: &str = "–";

impl ExperimentStore {
    /// The report of a store. The scatter sets the other methods beside `baseline`, or beside the first.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub fn report(&self, baseline: Option<&str>) -> Result<ReportDocument, ExperimentStoreError> {
        let records = Records::read(self).map_err(|error| self.wrong(&error))?;
        Ok(ReportDocument::new(&records, baseline))
    }
}

impl ReportDocument {
    fn new(records: &Records, baseline: Option<&str>) -> Self {
        let title = match records.title.as_str() {
            "" => "An experiment",
            title => title,
        };
        let samples = &records.samples;
        let mut blocks = vec![Block::Text(records.overview())];
        if records.unfinished > 0 {
            let left = plain(records.unfinished as f64);
            blocks.push(Block::Text(format!("Not finished: {left} runs are still to be made.")));
        }
        if samples.runs.is_empty() {
            return Self { title: title.to_owned(), blocks };
        }
        blocks.push(Block::Heading("Summary"));
        blocks.push(Block::Table(records.solved()));
        blocks.push(Block::Table(records.work()));
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
        blocks.push(Block::Heading("How it was made"));
        blocks.push(Block::Facts(records.circumstances()));
        if !records.plan.is_empty() {
            blocks.push(Block::Source(records.plan.clone()));
        }
        blocks.push(Block::Heading("What is counted"));
        blocks.push(Block::Facts(
            COUNTED.map(|(name, what)| (name.to_owned(), what.to_owned())).to_vec(),
        ));
        Self { title: title.to_owned(), blocks }
    }

    /// The charts, each to be written to files of its own.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(chart) => Some(&**chart),
            _ => None,
        })
    }

    /// The report as one page that needs nothing else.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The report as Markdown; its charts are beside it, as SVG.
    pub fn markdown(&self) -> String {
        markdown::text(self)
    }
}

const COUNTED: [(&str, &str); 6] = [
    (
        "expanded",
        "nodes whose successors were generated; a goal that is recognised is not expanded",
    ),
    ("generated", "successors produced, the root left out, discarded duplicates included"),
    (
        "largest frontier",
        "the most live nodes in the frontier, read after each expansion; for iterative deepening, the longest path held",
    ),
    ("proven optimal", "the run itself has proven that no solution is cheaper"),
    ("time", "wall time of the search alone; tables are built before the clock runs"),
    (
        "geometric mean",
        "the root of the product, so that a factor counts the same for easy and for hard puzzles; 0 counts as 1 node",
    ),
];

/// How a value is written.
type Written = fn(f64) -> String;

/// What is shown by depth: a caption, what is measured, and how it is written.
const MEASURES: [(&str, Measure, Written); 4] = [
    ("Nodes expanded", |run: &Sample| run.expanded as f64, mean),
    ("Nodes generated", |run: &Sample| run.generated as f64, mean),
    ("Largest frontier, in nodes", |run: &Sample| run.frontier as f64, mean),
    ("Time", |run: &Sample| run.seconds, time),
];

impl Records {
    fn overview(&self) -> String {
        let number = |count: usize, one: &str, many: &str| {
            format!("{} {}", plain(count as f64), if count == 1 { one } else { many })
        };
        let puzzles = number(self.puzzles, "puzzle", "puzzles");
        let methods = number(self.samples.methods.len(), "method", "methods");
        let repeats = match self.repeats {
            0 | 1 => String::new(),
            repeats => format!(", each run {repeats} times (the median time counts)"),
        };
        let time = time(self.facts.seconds);
        format!(
            "{puzzles} by {methods}{repeats}: {} runs, {time} of search.",
            plain(self.facts.runs as f64)
        )
    }

    fn solved(&self) -> Table {
        let headings = [
            "method",
            "solved",
            "of",
            "coverage",
            "proven optimal",
            "longer than optimal",
            "time limit",
            "memory limit",
            "node limit",
            "other",
        ];
        let row = |(method, name): (usize, &String)| {
            let runs = self.samples.runs.iter().zip(&self.endings);
            let runs: Vec<_> = runs.filter(|(run, _)| run.method == method).collect();
            let count = |test: &dyn Fn(&crate::records::Ending) -> bool| {
                runs.iter().filter(|(_, ending)| test(ending)).count()
            };
            let solved = count(&|ending| ending.limit.is_none());
            let planned = self.planned[method];
            let limits = [Limit::Time, Limit::Memory, Limit::Nodes, Limit::Other]
                .map(|limit| some(count(&|ending| ending.limit == Some(limit))));
            let coverage = 100.0 * solved as f64 / planned.max(1) as f64;
            let mut cells = vec![
                name.clone(),
                plain(solved as f64),
                plain(planned as f64),
                format!("{coverage:.0} %"),
            ];
            cells.push(some(count(&|ending| ending.optimal)));
            cells.push(some(count(&|ending| ending.excess.is_some_and(|excess| excess > 0))));
            cells.extend(limits);
            cells
        };
        Table {
            caption: "What was solved, and what ended the rest.".to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: self.samples.methods.iter().enumerate().map(row).collect(),
        }
    }

    fn work(&self) -> Table {
        let common = self.common();
        let headings = [
            "method",
            "expanded",
            "generated",
            "time",
            "total expanded",
            "total generated",
            "total time",
        ];
        let row = |(method, name): (usize, &String)| {
            let runs: Vec<&Sample> = self
                .samples
                .runs
                .iter()
                .filter(|run| run.method == method && common.contains(&run.instance))
                .collect();
            let values =
                |measure: Measure| runs.iter().map(|run| measure(run)).collect::<Vec<f64>>();
            let measures: [(Measure, Written, Written); 3] = [
                (|run| run.expanded as f64, mean, plain),
                (|run| run.generated as f64, mean, plain),
                (|run| run.seconds, time, time),
            ];
            let means = measures.map(|(measure, write, _)| {
                geometric_mean(&values(measure)).map_or_else(|| NONE.to_owned(), write)
            });
            let totals = measures.map(|(measure, _, write)| match runs.is_empty() {
                true => NONE.to_owned(),
                false => write(values(measure).iter().sum()),
            });
            [vec![name.clone()], means.to_vec(), totals.to_vec()].concat()
        };
        let caption = match common.len() {
            0 => "No puzzle was solved by all methods.".to_owned(),
            1 => "The work for the one puzzle that all methods have solved.".to_owned(),
            count => format!(
                "The work for the {} puzzles that all methods have solved: geometric means, and totals.",
                plain(count as f64)
            ),
        };
        Table {
            caption,
            headings: headings.map(str::to_owned).to_vec(),
            rows: self.samples.methods.iter().enumerate().map(row).collect(),
        }
    }

    fn depth_words(&self) -> String {
        let what = if self.samples.priced {
            "cost of the cheapest solution"
        } else {
            "length of the shortest solution"
        };
        let mut text = format!("Geometric means over the puzzles that were solved, by the {what}.");
        let partly = self.samples.runs.iter().any(|run| !run.solved && run.optimum.is_some());
        if partly {
            text += " Where not all were, it is said how many.";
        }
        if self.unknown > 0 {
            let left = plain(self.unknown as f64);
            let _ = write!(text, " Left out, because nobody has proven their optimum: {left}.");
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
        let first = if self.samples.priced { "cost" } else { "depth" };
        let table = |(caption, measure, write): (&str, Measure, Written)| {
            let row = |&depth: &u32| {
                let runs = by_method
                    .iter()
                    .map(|depths| depths.get(&depth).map_or(&[][..], Vec::as_slice));
                let puzzles = runs.clone().map(<[_]>::len).max().unwrap_or(0);
                let cell = |runs: &[&Sample]| {
                    let solved: Vec<f64> =
                        runs.iter().filter(|run| run.solved).map(|run| measure(run)).collect();
                    match geometric_mean(&solved) {
                        None => NONE.to_owned(),
                        Some(mean) if solved.len() < runs.len() => {
                            format!("{} ({} of {})", write(mean), solved.len(), runs.len())
                        }
                        Some(mean) => write(mean),
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
                headings,
                rows: depths.iter().map(row).collect(),
            }
        };
        MEASURES.into_iter().map(table).collect()
    }

    fn circumstances(&self) -> Vec<(String, String)> {
        let facts = &self.facts;
        let list =
            |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join("; ");
        let mut found = vec![
            ("Puzzles".to_owned(), facts.sources.join("; ")),
            ("Limits of a run".to_owned(), list(&facts.limits)),
            ("Program".to_owned(), format!("taquin {}", list(&facts.versions))),
            ("Processor".to_owned(), list(&facts.processors)),
            (
                "Made".to_owned(),
                match facts.first == facts.last {
                    true => facts.first.clone(),
                    false => format!("{} to {}", facts.first, facts.last),
                },
            ),
        ];
        let methods = self.samples.methods.iter().zip(&self.in_full);
        found.extend(methods.map(|(name, full)| (name.clone(), full.clone())));
        found
    }
}

/// A mean of counts, to a tenth where it is small.
fn mean(value: f64) -> String {
    if value > 0.0 && value < 100.0 { format!("{value:.1}") } else { plain(value.round()) }
}

/// A count, or a dash for none.
fn some(count: usize) -> String {
    if count == 0 { NONE.to_owned() } else { plain(count as f64) }
}

/// A time as people read it.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{} µs", plain((s * 1e6).round())),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s if s < 7200.0 => format!("{} s", plain(s.round())),
        s => format!("{:.1} h", s / 3600.0),
    }
}
