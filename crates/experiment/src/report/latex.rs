//! A report as a part of a LaTeX document.

use std::fmt::Write;

use super::{Block, ReportDocument};
use crate::table::latex_escaped;

pub(super) fn text(report: &ReportDocument) -> String {
    let mut out = format!(
        "% {}\n% Needs \\usepackage{{booktabs}} and \\usepackage{{graphicx}}.\n",
        report.title.replace(['\n', '\r'], " ")
    );
    for block in &report.blocks {
        let _ = match block {
            Block::Heading(heading) => writeln!(out, "\n\\section*{{{heading}}}"),
            Block::Text(text) => writeln!(out, "\n{}", latex_escaped(text)),
            Block::Table(table) => {
                let (caption, table) = (latex_escaped(&table.caption), table.latex());
                writeln!(
                    out,
                    "\n\\begin{{table}}[htbp]\n\\centering\n\\caption{{{caption}}}\n{table}\\end{{table}}"
                )
            }
            Block::Figure(chart) => writeln!(
                out,
                "\n\\begin{{figure}}[htbp]\n\\centering\n\
                 \\includegraphics[width=\\linewidth]{{{}.pdf}}\n\
                 \\caption{{{}. {}}}\n\\end{{figure}}",
                chart.name,
                latex_escaped(&chart.title),
                latex_escaped(&chart.remarks())
            ),
            Block::Facts(facts) => {
                let _ = writeln!(out, "\n\\begin{{description}}");
                for (name, what) in facts {
                    let (name, what) = (latex_escaped(name), latex_escaped(what));
                    let _ = writeln!(out, "\\item[{{{name}}}] {what}");
                }
                writeln!(out, "\\end{{description}}")
            }
            // The plan is in the store.
            Block::Source(_) => Ok(()),
        };
    }
    out
}
