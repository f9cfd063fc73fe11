//! What a store holds, for other programs: comma-separated values, or JSON, one object a line.

use std::io::{self, Write};
use std::str::FromStr;

use rusqlite::types::ValueRef;
use serde_json::Value;

use crate::picture::csv_field;
use crate::store::{ExperimentStore, exported_columns};

/// How to write what a store holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExportFormat {
    /// Comma-separated values, with a line of headings.
    #[default]
    Csv,
    /// JSON, one object a line.
    JsonLines,
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::JsonLines),
            _ => Err("there are csv and jsonl".to_owned()),
        }
    }
}

impl ExperimentStore {
    /// Writes every finished run: those of the plan in its order, then, if `all` are asked for, those
    /// that the plan has no more. Says how many there were.
    ///
    /// # Errors
    /// Fails if the store can't be read or the output can't be written.
    pub fn export(&self, format: ExportFormat, all: bool, out: &mut dyn Write) -> io::Result<u64> {
        let columns = exported_columns();
        let wanted = if all { "" } else { "AND place IS NOT NULL" };
        let query = format!(
            "SELECT {} FROM runs WHERE outcome IS NOT NULL {wanted} ORDER BY place IS NULL, place, key",
            columns.join(", ")
        );
        if format == ExportFormat::Csv {
            writeln!(out, "{}", columns.join(","))?;
        }
        let mut query = self.connection.prepare(&query).map_err(io::Error::other)?;
        let mut rows = query.query([]).map_err(io::Error::other)?;
        let mut written = 0;
        while let Some(row) = rows.next().map_err(io::Error::other)? {
            let mut line = Vec::with_capacity(columns.len());
            for (at, column) in columns.iter().enumerate() {
                let value = row.get_ref(at).map_err(io::Error::other)?;
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
                "figures" => serde_json::from_str(&text).unwrap_or(Value::Null),
                _ => text.into(),
            }
        }
    }
}
