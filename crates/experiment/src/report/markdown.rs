//! A report as Markdown.

use std::fmt::Write;

use super::{Block, ReportDocument, Table};

pub(super) fn text(report: &ReportDocument) -> String {
    let mut out = format!("# {}\n", safe(&report.title));
    for block in &report.blocks {
        out.push('\n');
        let _ = match block {
            Block::Heading(heading) => writeln!(out, "## {heading}"),
            Block::Text(text) => writeln!(out, "{}", safe(text)),
            Block::Table(table) => write_table(&mut out, table),
            Block::Figure(chart) => {
                let (name, title) = (chart.name, safe(&chart.title));
                let about = safe(&chart.description()).replace(['[', ']'], "");
                let remarks = safe(&chart.remarks());
                writeln!(
                    out,
                    "![{about}]({name}.svg)\n\n*{title}.* {remarks} Data: [{name}.csv]({name}.csv)."
                )
            }
            Block::Facts(facts) => facts
                .iter()
                .try_for_each(|(name, what)| writeln!(out, "- **{}**: {}", safe(name), safe(what))),
            Block::Source(text) => {
                // A fence longer than any in the text.
                let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(longest.max(2) + 1);
                writeln!(out, "{fence}toml\n{}\n{fence}", text.trim_end())
            }
        };
    }
    out
}

fn write_table(out: &mut String, table: &Table) -> std::fmt::Result {
    let Table { caption, headings, rows } = table;
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| safe(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    writeln!(out, "{}\n\n{}", safe(caption), line(headings))?;
    writeln!(out, "|---|{}", "---:|".repeat(headings.len().saturating_sub(1)))?;
    rows.iter().try_for_each(|row| writeln!(out, "{}", line(row)))
}

/// A text in which nothing has a meaning of its own.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '\\' | '*' | '_' | '`' | '|' | '<' | '>' | '#' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}
