//! A comparison as a table: for people, for documents and for spreadsheets.

use std::fmt::Write;

use serde_json::Value as Json;
use taquin::Reason;
use taquin_draw::csv_field;
use taquin_experiment::{Comparison, ComparisonRow, Table, Verdict};
use taquin_lab::{Figure, FigureKind, Value};

use crate::columns::Columns;
use crate::output::{BOLD, DIM, PLAIN, seconds, thousands, visible, width, wrapped};

/// The columns of counts without a course.
const COUNTS: [(&str, FigureKind); 5] = [
    ("expanded", FigureKind::Expanded),
    ("generated", FigureKind::GeneratedWithoutRoot),
    ("frontier", FigureKind::Queue),
    ("depth", FigureKind::Depth),
    ("cost", FigureKind::Cost),
];

/// Returns the columns with counts. If a course counts in another way, its own figure is shown, by
/// its own name. The cost of a solution is shown if it differs from the number of moves.
fn figures(comparison: &Comparison) -> Vec<Figure> {
    let is_weighted = |row: &ComparisonRow| row.report.cost.map(u64::from) != row.report.depth;
    let is_weighted = comparison.rows.iter().any(is_weighted);
    let own = comparison.figures.iter().filter(|own| own.what.is_number());
    let kinds = COUNTS.iter().filter(|(_, what)| *what != FigureKind::Cost || is_weighted);
    let mut columns: Vec<Figure> = Vec::new();
    for &(key, what) in kinds {
        let named = |own: &Figure| match own.what == what {
            true => Figure { key: key.to_owned(), what },
            false => own.clone(),
        };
        let same = own.clone().filter(|own| kind(own.what) == what);
        columns.extend(same.clone().map(named));
        if same.count() == 0 {
            columns.push(Figure { key: key.to_owned(), what });
        }
    }
    columns
}

/// Returns the count in [`COUNTS`] that a figure is a variant of.
const fn kind(what: FigureKind) -> FigureKind {
    match what {
        FigureKind::Taken | FigureKind::Popped => FigureKind::Expanded,
        FigureKind::Generated | FigureKind::Visited => FigureKind::GeneratedWithoutRoot,
        FigureKind::Stored | FigureKind::DepthPeak | FigureKind::Megabytes => FigureKind::Queue,
        other => other,
    }
}

/// Returns the table for people: every puzzle, with the methods below it.
pub(super) fn text(comparison: &Comparison) -> String {
    let rows = &comparison.rows;
    let figures = figures(comparison);
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
            let is_numbered = numbered && !name.is_empty();
            let shown = if is_numbered { format!("({})", number(name)) } else { name.to_owned() };
            [vec![shown], cells].concat()
        };
        Columns::new(&format!("l{}", "r".repeat(figures.len() + 2)))
            .indent(2)
            .headings(line("", headings(&figures)))
            .rows(rows.iter().map(|row| line(&row.name, cells(row, &figures))))
            .rows(names.iter().map(|name| line(name, total(&all, name, &figures))))
            .rows(names.iter().map(|name| line(name, total(&solved, name, &figures))))
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

fn headings(figures: &[Figure]) -> Vec<String> {
    let last = ["optimal", "time"].map(str::to_owned);
    figures.iter().map(|figure| figure.key.clone()).chain(last).collect()
}

/// Returns the cells of a run.
fn cells(row: &ComparisonRow, figures: &[Figure]) -> Vec<String> {
    let cell = |figure: &Figure| match figure.what.value(&row.report) {
        Value::Number(number) => thousands(number),
        Value::Real(number) | Value::Thousandths(number) => format!("{number:.1}"),
        _ => "-".to_owned(),
    };
    let last = [answer(row), seconds(row.report.seconds)];
    figures.iter().map(cell).chain(last).collect()
}

/// Returns the cells of a method for several puzzles together.
fn total(rows: &[&ComparisonRow], name: &str, figures: &[Figure]) -> Vec<String> {
    let rows: Vec<&ComparisonRow> = rows.iter().filter(|row| row.name == name).copied().collect();
    let cell = |figure: &Figure| {
        let values: Vec<f64> = rows
            .iter()
            .filter_map(|row| match figure.what.value(&row.report) {
                Value::Number(number) => Some(number as f64),
                Value::Real(number) | Value::Thousandths(number) => Some(number),
                _ => None,
            })
            .collect();
        let (sum, most) = (values.iter().sum::<f64>(), values.iter().copied().fold(0.0, f64::max));
        match kind(figure.what) {
            FigureKind::Depth | FigureKind::Cost if values.is_empty() => "-".to_owned(),
            FigureKind::Depth | FigureKind::Cost => format!("{:.1}", sum / values.len() as f64),
            _ if figure.what == FigureKind::Megabytes => format!("{most:.1}"),
            FigureKind::Queue => thousands(most as u64),
            _ => thousands(sum as u64),
        }
    };
    let optimal = rows.iter().filter(|row| row.verdict == Verdict::Optimal).count();
    let time = rows.iter().map(|row| row.report.seconds).sum();
    let last = [format!("{optimal} of {}", rows.len()), seconds(time)];
    figures.iter().map(cell).chain(last).collect()
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

/// Returns the table for a document: with the puzzles, if it has room for them.
pub(super) fn document(comparison: &Comparison, with_puzzles: bool) -> Table {
    let figures = figures(comparison);
    let first = |label: String, start: String, name: String| match with_puzzles {
        true => vec![label, start, name],
        false => vec![label, name],
    };
    let titles = first("puzzle".to_owned(), "start".to_owned(), "method".to_owned());
    let row = |row: &ComparisonRow| {
        let start = row.report.puzzle.start().to_string();
        [first(row.label.clone(), start, row.name.clone()), cells(row, &figures)].concat()
    };
    Table {
        left: titles.len(),
        code: (1..titles.len()).collect(),
        headings: [titles, headings(&figures)].concat(),
        rows: comparison.rows.iter().map(row).collect(),
        ..Table::default()
    }
}

/// The CSV columns, and their places in a row's JSON.
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

/// Returns the table as CSV, with every count, and then the numbers that a course prints.
pub(super) fn csv(comparison: &Comparison) -> Result<String, serde_json::Error> {
    let own = comparison.figures.iter().filter(|figure| figure.what.is_number());
    let own = own.map(|own| (format!("course_{}", own.key), format!("/course/{}", own.key)));
    let counts = COLUMNS.iter().map(|&(name, place)| (name.to_owned(), place.to_owned()));
    let columns: Vec<(String, String)> = counts.chain(own).collect();
    let headings: Vec<String> = columns.iter().map(|column| csv_field(&column.0)).collect();
    let mut text = format!("start,goal,{}\n", headings.join(","));
    for row in &comparison.rows {
        let puzzle = &row.report.puzzle;
        let _ = write!(text, "{},{}", puzzle.start(), puzzle.goal());
        let value = serde_json::to_value(row)?;
        for (_, place) in &columns {
            let field = match value.pointer(place) {
                None | Some(Json::Null) => String::new(),
                Some(Json::String(word)) => csv_field(word),
                Some(other) => other.to_string(),
            };
            let _ = write!(text, ",{field}");
        }
        text.push('\n');
    }
    Ok(text)
}
