//! A report as a part of a LaTeX document.

use std::fmt::Write;

use super::{Block, ReportDocument, Table};

pub(super) fn text(report: &ReportDocument) -> String {
    let mut out = format!(
        "% {}\n% Needs \\usepackage{{booktabs}} and \\usepackage{{graphicx}}.\n",
        report.title.replace(['\n', '\r'], " ")
    );
    for block in &report.blocks {
        let _ = match block {
            Block::Heading(heading) => writeln!(out, "\n\\section*{{{heading}}}"),
            Block::Text(text) => writeln!(out, "\n{}", latex_escaped(text)),
            Block::Table(Table { caption, headings, rows }) => {
                let caption = latex_escaped(caption);
                let table = latex_table(headings, rows, 1);
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

/// Returns a table in LaTeX (`booktabs`), without a float. The first `left` columns are aligned on
/// the left, the others on the right.
pub fn latex_table(headings: &[String], rows: &[Vec<String>], left: usize) -> String {
    let right = "r".repeat(headings.len().saturating_sub(left));
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| latex_escaped(cell)).collect();
        format!("{} \\\\\n", cells.join(" & "))
    };
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!(
        "\\begin{{tabular}}{{{}{right}}}\n\\toprule\n{}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n",
        "l".repeat(left),
        line(headings)
    )
}

/// Escapes a text for LaTeX.
pub fn latex_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', letter]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' => out.extend(['$', letter, '$']),
            '–' => out.push_str("--"),
            'µ' => out.push_str("$\\mu$"),
            '\n' | '\r' => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}
