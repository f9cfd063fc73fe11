//! A report as Markdown.

use std::fmt::Write;

use super::{Block, ReportDocument};
use crate::table::markdown_escaped as escaped;

pub(super) fn text(report: &ReportDocument) -> String {
    let mut out = format!("# {}\n", escaped(&report.title));
    for block in &report.blocks {
        out.push('\n');
        let _ = match block {
            Block::Heading(heading) => writeln!(out, "## {heading}"),
            Block::Text(text) => writeln!(out, "{}", escaped(text)),
            Block::Table(table) => {
                write!(out, "{}\n\n{}", escaped(&table.caption), table.markdown())
            }
            Block::Figure(chart) => {
                let (name, title) = (chart.name, escaped(&chart.title));
                let about = escaped(&chart.description()).replace(['[', ']'], "");
                let remarks = escaped(&chart.remarks());
                writeln!(
                    out,
                    "![{about}]({name}.svg)\n\n*{title}.* {remarks} Data: [{name}.csv]({name}.csv)."
                )
            }
            Block::Facts(facts) => facts.iter().try_for_each(|(name, what)| {
                writeln!(out, "- **{}**: {}", escaped(name), escaped(what))
            }),
            Block::Source(text) => {
                // The fence must be longer than any in the text.
                let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(longest.max(2) + 1);
                writeln!(out, "{fence}toml\n{}\n{fence}", text.trim_end())
            }
        };
    }
    out
}
