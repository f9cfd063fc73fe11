//! A comparison as a table: for people, for Markdown and for spreadsheets.

use std::fmt::Write;

use serde_json::Value;
use taquin::{Counts, Reason, Report};
use taquin_experiment::{Comparison, ComparisonRow, Verdict, csv_field};

use crate::output::{BOLD, DIM, PLAIN, seconds, thousands};

/// Names of methods that are longer than this are replaced by letters, and explained.
const LONGEST: usize = 34;

/// The headings; what a solution costs is shown where it is not the number of its moves.
fn headings(rows: &[ComparisonRow]) -> Vec<&'static str> {
    let all = ["expanded", "generated", "frontier", "depth", "cost", "optimal", "time"];
    let priced = |row: &ComparisonRow| row.report.cost.map(u64::from) != row.report.depth;
    let shown = |&&heading: &&&str| heading != "cost" || rows.iter().any(priced);
    all.iter().filter(shown).copied().collect()
}

/// For people: the puzzles one below the other, the methods below each.
pub(super) fn text(comparison: &Comparison) -> String {
    let rows = &comparison.rows;
    let (names, headings) = (Names::new(rows), headings(rows));
    let lines: Vec<Vec<String>> = rows.iter().map(|row| cells(row, &headings)).collect();
    let totals: Vec<Vec<String>> =
        names.all.iter().map(|name| total(rows, name, &headings)).collect();
    let width = |at: usize| {
        let cells = lines.iter().chain(&totals).map(|line| line[at].chars().count());
        cells.max().unwrap_or(0).max(headings[at].len())
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let first = names.width();
    let line = |name: &str, cells: &[String]| {
        let mut line = format!("  {name:<first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(line, "  {cell:>width$}");
        }
        line
    };
    let mut text = names.legend();
    let headings: Vec<String> = headings.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "{DIM}{}{PLAIN}", line("", &headings));
    let mut last = None;
    for (row, cells) in rows.iter().zip(&lines) {
        if last != Some(&row.label) {
            let _ = writeln!(text, "{BOLD}{}{PLAIN}  {}", row.label, row.report.puzzle.start());
            last = Some(&row.label);
        }
        let _ = writeln!(text, "{}", line(names.short(&row.name), cells));
    }
    let puzzles = rows.chunk_by(|a, b| a.label == b.label).count();
    if puzzles > 1 {
        let what = "sums, but the largest frontier and the mean depth";
        let _ = writeln!(text, "{BOLD}all {puzzles}{PLAIN}  {DIM}{what}{PLAIN}");
        for (name, cells) in names.all.iter().zip(&totals) {
            let _ = writeln!(text, "{}", line(names.short(name), cells));
        }
    }
    text
}

/// What a run has under each heading.
fn cells(row: &ComparisonRow, headings: &[&str]) -> Vec<String> {
    let Report { depth, cost, counts, seconds: time, .. } = &row.report;
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), thousands);
    let cell = |heading: &&str| match *heading {
        "expanded" => thousands(counts.expanded),
        "generated" => thousands(counts.generated),
        "frontier" => thousands(counts.frontier_peak),
        "depth" => number(*depth),
        "cost" => number(cost.map(u64::from)),
        "optimal" => answer(row),
        _ => seconds(*time),
    };
    headings.iter().map(cell).collect()
}

/// What a method has under each heading for all puzzles together.
fn total(rows: &[ComparisonRow], name: &str, headings: &[&str]) -> Vec<String> {
    let rows: Vec<&ComparisonRow> = rows.iter().filter(|row| row.name == name).collect();
    let sum = |count: fn(&Counts) -> u64| {
        thousands(rows.iter().map(|row| count(&row.report.counts)).sum())
    };
    let mean = |value: fn(&Report) -> Option<u64>| {
        let values: Vec<u64> = rows.iter().filter_map(|row| value(&row.report)).collect();
        let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
        if values.is_empty() { "-".to_owned() } else { format!("{mean:.1}") }
    };
    let optimal = rows.iter().filter(|row| row.verdict == Verdict::Optimal).count();
    let cell = |heading: &&str| match *heading {
        "expanded" => sum(|counts| counts.expanded),
        "generated" => sum(|counts| counts.generated),
        "frontier" => {
            thousands(rows.iter().map(|row| row.report.counts.frontier_peak).max().unwrap_or(0))
        }
        "depth" => mean(|report| report.depth),
        "cost" => mean(|report| report.cost.map(u64::from)),
        "optimal" => format!("{optimal} of {}", rows.len()),
        _ => seconds(rows.iter().map(|row| row.report.seconds).sum()),
    };
    headings.iter().map(cell).collect()
}

/// How good the answer is, in a word or two.
fn answer(row: &ComparisonRow) -> String {
    let excess = row.report.cost.zip(row.optimum).map_or(0, |(cost, optimum)| cost - optimum);
    match (row.verdict, row.report.reason) {
        (Verdict::Optimal, _) => "yes".to_owned(),
        (Verdict::Longer, _) => format!("+{}", thousands(excess.into())),
        (Verdict::Unknown, _) => "?".to_owned(),
        (Verdict::Unsolvable, _) => "unsolvable".to_owned(),
        (Verdict::Stopped, reason) => match reason {
            Some(Reason::Expanded | Reason::Generated) => "node limit",
            Some(Reason::Memory) => "memory limit",
            Some(Reason::Time) => "time limit",
            Some(Reason::Cancelled) => "interrupted",
            Some(Reason::Depth) => "depth limit",
            Some(Reason::Beam) => "beam ended",
            _ => "stopped",
        }
        .to_owned(),
    }
}

/// The methods' names, and the letters that stand for them where they are too long.
struct Names {
    all: Vec<String>,
    letters: Option<Vec<String>>,
}

impl Names {
    fn new(rows: &[ComparisonRow]) -> Self {
        let mut all: Vec<String> = Vec::new();
        for row in rows {
            if !all.contains(&row.name) {
                all.push(row.name.clone());
            }
        }
        let long = all.iter().any(|name| name.chars().count() > LONGEST);
        let letters = (1..=all.len()).map(|number| format!("({number})")).collect();
        Self { letters: long.then_some(letters), all }
    }

    fn short<'a>(&'a self, name: &'a str) -> &'a str {
        let at = self.all.iter().position(|known| known == name);
        self.letters.as_ref().zip(at).map_or(name, |(letters, at)| &letters[at])
    }

    fn width(&self) -> usize {
        self.all.iter().map(|name| self.short(name).chars().count()).max().unwrap_or(0)
    }

    fn legend(&self) -> String {
        let mut text = String::new();
        for (letter, name) in self.letters.iter().flatten().zip(&self.all) {
            let _ = writeln!(text, "{letter} {name}");
        }
        text + if self.letters.is_some() { "\n" } else { "" }
    }
}

/// A table in Markdown.
pub(super) fn markdown(comparison: &Comparison) -> String {
    let headings = headings(&comparison.rows);
    let mut text = format!("| puzzle | start | method | {} |\n", headings.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---:|".repeat(headings.len()));
    for row in &comparison.rows {
        let (start, cells) = (row.report.puzzle.start(), cells(row, &headings).join(" | "));
        let _ = writeln!(text, "| {} | `{start}` | `{}` | {cells} |", row.label, row.name);
    }
    text
}

/// The columns of comma-separated values, and where the JSON of a row has them.
const COLUMNS: [(&str, &str); 20] = [
    ("puzzle", "/label"),
    ("name", "/name"),
    ("method", "/method"),
    ("verdict", "/verdict"),
    ("outcome", "/outcome"),
    ("reason", "/reason"),
    ("cost", "/cost"),
    ("depth", "/depth"),
    ("optimum", "/optimum"),
    ("lower_bound", "/lower_bound"),
    ("expanded", "/counts/expanded"),
    ("generated", "/counts/generated"),
    ("duplicates", "/counts/duplicates"),
    ("reopened", "/counts/reopened"),
    ("dropped_cheaper", "/counts/dropped_cheaper"),
    ("frontier_peak", "/counts/frontier_peak"),
    ("depth_peak", "/counts/depth_peak"),
    ("stored_peak", "/counts/stored_peak"),
    ("memory_peak", "/counts/memory_peak"),
    ("seconds", "/seconds"),
];

/// Comma-separated values, with every count.
pub(super) fn csv(comparison: &Comparison) -> Result<String, serde_json::Error> {
    let headings: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
    let mut text = format!("start,goal,{}\n", headings.join(","));
    for row in &comparison.rows {
        let puzzle = &row.report.puzzle;
        let _ = write!(text, "{},{}", puzzle.start(), puzzle.goal());
        let value = serde_json::to_value(row)?;
        for (_, place) in COLUMNS {
            let field = match value.pointer(place) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(word)) => csv_field(word),
                Some(other) => other.to_string(),
            };
            let _ = write!(text, ",{field}");
        }
        text.push('\n');
    }
    Ok(text)
}
