//! A report as one HTML page: without scripts or other files, for light and dark screens and paper.

use std::fmt::Write;

use taquin_draw::escaped;

use super::{Block, ReportDocument};

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
            Block::Table(table) => write!(out, "{}", table.html()),
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

fn write_facts(out: &mut String, facts: &[(String, String)]) -> std::fmt::Result {
    writeln!(out, "<dl>")?;
    for (name, what) in facts {
        writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(what))?;
    }
    writeln!(out, "</dl>")
}
