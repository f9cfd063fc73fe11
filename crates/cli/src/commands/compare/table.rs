//! A comparison as a table: for people, for Markdown and for spreadsheets.

use std::fmt::Write;

use serde_json::Value;
use taquin::{Counts, Reason, Report};
use taquin_experiment::{Comparison, ComparisonRow, Verdict, csv_field, latex_table};

use crate::columns::Columns;
use crate::output::{BOLD, DIM, PLAIN, seconds, thousands, visible, width, wrapped};

/// Returns the headings. The cost of a solution is shown if it is not the number of its moves.
fn headings(rows: &[ComparisonRow]) -> Vec<&'static str> {
    let all = ["expanded", "generated", "frontier", "depth", "cost", "optimal", "time"];
    let is_weighted = |row: &ComparisonRow| row.report.cost.map(u64::from) != row.report.depth;
    let shown = |&&heading: &&&str| heading != "cost" || rows.iter().any(is_weighted);
    all.iter().filter(shown).copied().collect()
}

/// Returns the table for people: every puzzle, with the methods below it.
pub(super) fn text(comparison: &Comparison) -> String {
    let rows = &comparison.rows;
    let headings = headings(rows);
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    let groups: Vec<&[ComparisonRow]> = rows.chunk_by(|a, b| a.label == b.label).collect();
    let all: Vec<&ComparisonRow> = rows.iter().collect();
    // The puzzles on which the methods can be compared if a run has no answer.
    let is_solved =
        |group: &&&[ComparisonRow]| group.len() >= names.len() && group.iter().all(is_solved);
    let shared: Vec<&[ComparisonRow]> = groups.iter().filter(is_solved).copied().collect();
    let solved: Vec<&ComparisonRow> = shared.iter().copied().flatten().collect();
    let number = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0) + 1;
    let lines = |numbered: bool| {
        let line = |name: &str, cells: Vec<String>| {
            let shown = if numbered { format!("({})", number(name)) } else { name.to_owned() };
            [vec![shown], cells].concat()
        };
        Columns::new(&format!("l{}", "r".repeat(headings.len())))
            .indent(2)
            .headings([&[""], &headings[..]].concat())
            .rows(rows.iter().map(|row| line(&row.name, cells(row, &headings))))
            .rows(names.iter().map(|name| line(name, total(&all, name, &headings))))
            .rows(names.iter().map(|name| line(name, total(&solved, name, &headings))))
            .lines()
    };
    // Numbers stand for names that leave no room.
    let by_name = lines(false);
    let is_long = by_name.iter().any(|line| visible(line.trim_end()) > width());
    let lines = if is_long { lines(true) } else { by_name };
    let mut text = String::new();
    if is_long {
        for name in &names {
            text += &wrapped(&format!("({}) {name}\n", number(name)), 4);
        }
        text.push('\n');
    }
    text += &lines[0];
    let mut lines = lines[1..].iter().map(String::as_str);
    for group in &groups {
        let ComparisonRow { label, report, .. } = &group[0];
        text += &wrapped(&format!("{BOLD}{label}{PLAIN}  {}\n", report.puzzle.start()), 2);
        text.extend(lines.by_ref().take(group.len()));
    }
    if groups.len() == 1 {
        return text;
    }
    let usual = "sums; the largest frontier; means of depth and cost";
    let is_stopped = rows.iter().any(|row| row.verdict == Verdict::Stopped);
    let what = match is_stopped {
        true => "sums with the stopped runs; means of what each method solved",
        false => usual,
    };
    let _ = writeln!(text, "{BOLD}all {}{PLAIN}  {DIM}{what}{PLAIN}", groups.len());
    text.extend(lines.by_ref().take(names.len()));
    match shared.len() {
        _ if !is_stopped => {}
        0 => text += "no puzzle was solved by all methods\n",
        count => {
            let _ = writeln!(text, "{BOLD}{count} solved by all{PLAIN}  {DIM}{usual}{PLAIN}");
            text.extend(lines);
        }
    }
    text
}

/// Returns whether a run found a solution.
fn is_solved(row: &ComparisonRow) -> bool {
    matches!(row.verdict, Verdict::Optimal | Verdict::Longer | Verdict::Unknown)
}

/// Returns the cells of a run.
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

/// Returns the cells of a method for several puzzles together.
fn total(rows: &[&ComparisonRow], name: &str, headings: &[&str]) -> Vec<String> {
    let rows: Vec<&ComparisonRow> = rows.iter().filter(|row| row.name == name).copied().collect();
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

/// Returns how good the solution is, in a word or two.
fn answer(row: &ComparisonRow) -> String {
    let excess = row.report.cost.zip(row.optimum).map_or(0, |(a, b)| a.saturating_sub(b));
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

/// Returns the table in Markdown.
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

/// Returns the table in LaTeX.
pub(super) fn latex(comparison: &Comparison) -> String {
    let shown = headings(&comparison.rows);
    let headings = ["puzzle", "method"].iter().chain(&shown).map(|&heading| heading.to_owned());
    let row = |row: &ComparisonRow| {
        [vec![row.label.clone(), row.name.clone()], cells(row, &shown)].concat()
    };
    let rows: Vec<Vec<String>> = comparison.rows.iter().map(row).collect();
    let table = latex_table(&headings.collect::<Vec<_>>(), &rows, 2);
    format!("% Needs \\usepackage{{booktabs}}.\n{table}")
}

/// The columns of CSV, and their places in the JSON of a row.
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

/// Returns the table as CSV, with every count.
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
