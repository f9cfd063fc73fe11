//! The finished runs of a store for other programs: comma-separated values, or JSON lines.

use std::io::{self, Write};

use rusqlite::types::ValueRef;
use serde_json::Value;
use taquin_draw::csv_field;
use taquin_search::named_enum;

use crate::store::{ExperimentStore, ExperimentStoreError, exported_columns};

/// Why the runs were not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] ExperimentStoreError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

named_enum! {
    /// A format of the finished runs.
    pub enum ExportFormat: "format" {
        /// Comma-separated values, with a line of headings.
        Csv = "csv",
        /// One JSON object a line.
        JsonLines = "jsonl",
    }
}

impl ExperimentStore {
    /// Writes every finished run of the plan in its order and, with `all`, runs that the plan no
    /// longer has. Returns the number of runs.
    ///
    /// # Errors
    /// Fails if the store cannot be read or the output cannot be written.
    pub fn export(
        &self,
        format: ExportFormat,
        all: bool,
        out: &mut dyn Write,
    ) -> Result<u64, ExportError> {
        self.read_where("outcome IS NOT NULL", |_| ())?;
        let columns = exported_columns();
        let wanted = if all { "" } else { "AND place IS NOT NULL" };
        // In the store notes are separated by line breaks.
        let selected: Vec<String> = columns
            .iter()
            .map(|column| match column.as_str() {
                "notes" => "replace(notes, char(10), '; ')".to_owned(),
                column => column.to_owned(),
            })
            .collect();
        let query = format!(
            "SELECT {} FROM runs WHERE outcome IS NOT NULL {wanted} ORDER BY place IS NULL, place, key",
            selected.join(", ")
        );
        if format == ExportFormat::Csv {
            writeln!(out, "{}", columns.join(","))?;
        }
        let mut query = self.check(|_| self.connection.prepare(&query))?;
        let mut rows = self.check(|_| query.query([]))?;
        let mut written = 0;
        while let Some(row) = self.check(|_| rows.next())? {
            let mut line = Vec::with_capacity(columns.len());
            for (at, column) in columns.iter().enumerate() {
                let value = self.check(|_| row.get_ref(at))?;
                line.push(match format {
                    ExportFormat::Csv => field(value),
                    // The columns keep their order, which a map of JSON would not.
                    ExportFormat::JsonLines => format!("\"{column}\":{}", json(column, value)),
                });
            }
            match format {
                ExportFormat::Csv => writeln!(out, "{}", line.join(","))?,
                ExportFormat::JsonLines => writeln!(out, "{{{}}}", line.join(","))?,
            }
            written += 1;
        }
        out.flush()?;
        Ok(written)
    }
}

fn field(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => csv_field(&String::from_utf8_lossy(text)),
    }
}

fn json(column: &str, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) if ["optimal", "jumps"].contains(&column) => (number != 0).into(),
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            match column {
                "figures" | "stages" | "hints" | "improvements" => {
                    serde_json::from_str(&text).unwrap_or(Value::Null)
                }
                _ => text.into(),
            }
        }
    }
}
