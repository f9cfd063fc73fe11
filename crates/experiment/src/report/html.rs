//! A report as one HTML page: without scripts or other files, for light and dark screens and paper.

use std::fmt::Write;

use super::{Block, ReportDocument, Table};
use taquin_lab::escaped;

const STYLE: &str = include_str!("page.css");

pub(super) fn page(report: &ReportDocument) -> String {
    let title = escaped(&report.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    let mut lead = true;
    for block in &report.blocks {
        let _ = match block {
            Block::Heading(heading) => {
                lead = false;
                writeln!(out, "<h2>{heading}</h2>")
            }
            Block::Text(text) => {
                let class = if lead { " class=\"lead\"" } else { "" };
                writeln!(out, "<p{class}>{}</p>", escaped(text))
            }
            Block::Table(table) => write_table(&mut out, table),
            Block::Figure(chart) => {
                writeln!(out, "<figure id=\"{}\">\n{}</figure>", chart.name, chart.svg())
            }
            Block::Facts(facts) => write_facts(&mut out, facts),
            Block::Source(text) => writeln!(out, "<pre>{}</pre>", escaped(text.trim_end())),
        };
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn write_table(out: &mut String, table: &Table) -> std::fmt::Result {
    writeln!(out, "<div class=\"scroll\"><table>\n<caption>{}</caption>", escaped(&table.caption))?;
    let headings: Vec<String> = table
        .headings
        .iter()
        .map(|cell| format!("<th scope=\"col\">{}</th>", escaped(cell)))
        .collect();
    writeln!(out, "<thead><tr>{}</tr></thead>\n<tbody>", headings.concat())?;
    for row in &table.rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            match at {
                0 => write!(out, "<th scope=\"row\">{cell}</th>")?,
                _ => write!(out, "<td>{cell}</td>")?,
            }
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody></table></div>")
}

fn write_facts(out: &mut String, facts: &[(String, String)]) -> std::fmt::Result {
    writeln!(out, "<dl>")?;
    for (name, what) in facts {
        writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(what))?;
    }
    writeln!(out, "</dl>")
}
