//! Tables for documents: Markdown, LaTeX and HTML.

use std::fmt::Write;

use taquin_draw::escaped;

/// A table of texts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The text above it.
    pub caption: String,
    /// How many columns are aligned on the left; the others hold numbers.
    pub left: usize,
    /// The columns that hold code.
    pub code: Vec<usize>,
    /// The headings of the columns.
    pub headings: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns the table in Markdown, without its caption.
    pub fn markdown(&self) -> String {
        let cell = |(at, cell): (usize, &String)| match self.code.contains(&at) {
            true => format!("`{}`", cell.replace(['`', '|', '\n', '\r'], " ")),
            false => markdown_escaped(cell),
        };
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.headings.iter().map(|cell| markdown_escaped(cell)).collect());
        let right = self.headings.len().saturating_sub(self.left);
        let _ = writeln!(text, "|{}{}", "---|".repeat(self.left), "---:|".repeat(right));
        text.extend(self.rows.iter().map(|row| line(row.iter().enumerate().map(cell).collect())));
        text
    }

    /// Returns the table in LaTeX (`booktabs`), without its caption and without a float.
    pub fn latex(&self) -> String {
        let right = self.headings.len().saturating_sub(self.left);
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| latex_escaped(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        let body: String = self.rows.iter().map(line).collect();
        format!(
            "\\begin{{tabular}}{{{}{}}}\n\\toprule\n{}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n",
            "l".repeat(self.left),
            "r".repeat(right),
            line(&self.headings)
        )
    }

    /// Returns the table in HTML, with its caption.
    pub fn html(&self) -> String {
        let heading = |cell: &String| format!("<th scope=\"col\">{}</th>", escaped(cell));
        let cell = |(at, cell): (usize, &String)| match (at, escaped(cell)) {
            (0, cell) => format!("<th scope=\"row\">{cell}</th>"),
            (_, cell) => format!("<td>{cell}</td>"),
        };
        let row = |row: &Vec<String>| {
            format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>())
        };
        format!(
            "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n\
             <tbody>\n{}</tbody></table></div>\n",
            escaped(&self.caption),
            self.headings.iter().map(heading).collect::<String>(),
            self.rows.iter().map(row).collect::<String>()
        )
    }
}

/// Escapes a text for Markdown.
pub(crate) fn markdown_escaped(text: &str) -> String {
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

/// Escapes a text for LaTeX.
pub(crate) fn latex_escaped(text: &str) -> String {
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
