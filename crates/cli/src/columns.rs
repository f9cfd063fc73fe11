//! Tables for people: aligned columns without borders, as wide as the output at most.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, presets};

use crate::output::{BOLD, DIM, PLAIN, width};

/// A table whose columns are separated by two spaces.
pub(crate) struct Columns {
    table: Table,
    /// `l` for a left-aligned column, `r` for a right-aligned one.
    layout: String,
    indent: usize,
    bold: bool,
}

impl Columns {
    /// Creates a table with one column for each letter of `layout`: `l` is left-aligned, `r` is
    /// right-aligned, as numbers are.
    pub(crate) fn new(layout: &str) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        Self { table, layout: layout.to_owned(), indent: 0, bold: false }
    }

    /// Sets the headings, which are dimmed.
    pub(crate) fn headings(mut self, headings: impl Into<Row>) -> Self {
        self.table.set_header(headings);
        self
    }

    /// Starts each line with `indent` spaces.
    pub(crate) const fn indent(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }

    /// Sets the first column in bold.
    pub(crate) const fn bold_names(mut self) -> Self {
        self.bold = true;
        self
    }

    pub(crate) fn row(&mut self, cells: impl Into<Row>) {
        self.table.add_row(cells);
    }

    pub(crate) fn rows(mut self, rows: impl IntoIterator<Item = impl Into<Row>>) -> Self {
        self.table.add_rows(rows);
        self
    }

    /// Returns the table as text. Long cells of left-aligned columns are wrapped.
    pub(crate) fn text(self) -> String {
        self.fit(Some(width())).concat()
    }

    /// Returns the headings, if there are any, and every row, one line each and never wrapped.
    pub(crate) fn lines(self) -> Vec<String> {
        self.fit(None)
    }

    fn fit(mut self, width: Option<usize>) -> Vec<String> {
        if let Some(width) = width {
            let width = width.saturating_sub(self.indent).try_into().unwrap_or(u16::MAX);
            self.table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        for (at, (column, letter)) in
            self.table.column_iter_mut().zip(self.layout.bytes()).enumerate()
        {
            column.set_padding((if at == 0 { 0 } else { 2 }, 0));
            if letter == b'r' {
                // Numbers are never broken.
                column.set_constraint(ColumnConstraint::ContentWidth);
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let headed = self.table.header().is_some();
        let names = self.table.column_max_content_widths().first().map_or(0, |&w| w.into());
        let indent = " ".repeat(self.indent);
        let line = |(at, line): (usize, String)| match line.trim_end() {
            text if at == 0 && headed => format!("{indent}{DIM}{text}{PLAIN}\n"),
            text if self.bold => {
                let end = text.char_indices().nth(names).map_or(text.len(), |(at, _)| at);
                format!("{indent}{BOLD}{}{PLAIN}{}\n", &text[..end], &text[end..])
            }
            text => format!("{indent}{text}\n"),
        };
        self.table.lines().enumerate().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths() -> Columns {
        let rows = [["3", "1,024", "##"], ["12", "7", ""]];
        Columns::new("rrl").headings(["depth", "boards", ""]).indent(2).rows(rows)
    }

    #[test]
    fn numbers_are_aligned_on_the_right() {
        let lines = depths().lines();
        let head = format!("  {DIM}depth  boards{PLAIN}\n");
        assert_eq!(lines, [head.as_str(), "      3   1,024  ##\n", "     12       7\n"]);
    }

    #[test]
    fn long_cells_are_wrapped_to_the_width() {
        let columns = Columns::new("ll").rows([["bfs", "breadth-first search, level by level"]]);
        assert_eq!(
            columns.fit(Some(26)),
            ["bfs  breadth-first search,\n", "     level by level\n"]
        );
    }
}
