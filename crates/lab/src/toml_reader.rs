//! Reads TOML files that people write by hand.
//!
//! A file is read to its end, and every fault is reported with its line, column and field, so that
//! one attempt shows all of them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use taquin::{MethodSyntax, Place, excerpt};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and the bytes of the file that hold it.
pub type TomlValue<'a> = Spanned<DeValue<'a>>;

/// Something wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TomlFault {
    /// The line and column.
    pub place: Place,
    /// The field, as in `methods[2].names`; empty if the fault is in no field.
    pub field: String,
    /// The fault.
    pub message: String,
    /// A correction.
    pub hint: Option<String>,
}

impl fmt::Display for TomlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => f.write_str(&self.message),
            field => write!(f, "{field}: {}", self.message),
        }
    }
}

/// A string in the file, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TomlText {
    /// The string.
    pub text: String,
    /// The byte at which its first character is.
    pub at: usize,
    /// Whether the file has the string's characters unchanged, so that each one's place is known.
    verbatim: bool,
}

impl TomlText {
    /// The byte at which the character after the first `characters` is.
    pub fn inside(&self, characters: usize) -> usize {
        let inside = self.text.char_indices().nth(characters).map_or(self.text.len(), |(at, _)| at);
        if self.verbatim { self.at + inside } else { self.at }
    }
}

/// The text of a file, and the faults found so far.
#[derive(Debug)]
pub struct TomlReader<'a> {
    text: &'a str,
    /// The fields around the value that is being read, the outermost first.
    path: Vec<String>,
    faults: Vec<TomlFault>,
    /// Whether the text could not be parsed.
    broken: bool,
}

/// A table in the file, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct TomlTable<'t, 'a> {
    at: usize,
    entries: &'t DeTable<'a>,
}

impl<'t, 'a> TomlTable<'t, 'a> {
    /// The table of the whole file.
    pub const fn whole(entries: &'t DeTable<'a>) -> Self {
        Self { at: 0, entries }
    }

    /// The keys and values, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = (&'t Spanned<Cow<'a, str>>, &'t TomlValue<'a>)> {
        self.entries.iter()
    }

    /// Whether the table has this key.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }
}

/// More faults are not reported: a long list helps no user, and a file of faults would take a long
/// time.
const MAX_FAULTS: usize = 100;

impl<'a> TomlReader<'a> {
    /// Parses a file. The table holds everything that could be parsed, even if there are faults.
    pub fn new(text: &'a str) -> (Self, Spanned<DeTable<'a>>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let broken = !errors.is_empty();
        let mut reader = Self { text, path: Vec::new(), faults: Vec::new(), broken };
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            reader.fault(at, error.message(), None);
        }
        (reader, table)
    }

    /// Returns whether a fault was found.
    pub const fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Returns the faults in the order of the text, each once.
    pub fn into_faults(self) -> Vec<TomlFault> {
        let mut faults = self.faults;
        faults.sort_by_key(|fault| (fault.place.line, fault.place.column));
        faults.dedup();
        faults
    }

    /// Reports a fault at a byte of the file, unless there are very many.
    pub fn fault(&mut self, at: usize, message: impl Into<String>, hint: Option<String>) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let place = Place { line: line as u32, column: column as u32 };
        let field = self.path.concat();
        self.faults.push(TomlFault { place, field, message: message.into(), hint });
    }

    /// Reports a name that is not in `known`; `kind` is what it should name.
    pub fn unknown(&mut self, at: usize, name: &str, kind: &str, known: &[&str]) {
        let nearest = MethodSyntax::new(name)
            .ok()
            .map(|syntax| syntax.unknown(name, kind, known.iter().copied(), []))
            .and_then(|error| error.hint().map(str::to_owned));
        let hint = nearest.unwrap_or_else(|| format!("there are {}", known.join(", ")));
        let hint = Some(hint).filter(|_| !known.is_empty());
        self.fault(at, format!("unknown {kind} '{}'", excerpt(name)), hint);
    }

    /// Reports a value that is not `expected`.
    pub fn expected(&mut self, value: &TomlValue<'_>, expected: &str) {
        let found = value.get_ref().type_str();
        self.fault(value.span().start, format!("expected {expected}, not {found}"), None);
    }

    /// Reads the contents of a field, so that faults name it.
    pub fn within<T>(&mut self, field: impl Into<String>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(field.into());
        let read = read(self);
        self.path.pop();
        read
    }

    /// Reports each key in a table that is not in `known`.
    pub fn check_keys(&mut self, table: TomlTable<'_, '_>, known: &[&str]) {
        for key in table.entries.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                self.unknown(key.span().start, name, "key", known);
            }
        }
    }

    /// Reads the value of a key, if the table has the key.
    pub fn optional<T>(
        &mut self,
        table: TomlTable<'_, '_>,
        key: &str,
        read: impl FnOnce(&mut Self, &TomlValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = table.entries.get(key)?;
        let dot = if self.path.is_empty() { "" } else { "." };
        self.within(format!("{dot}{key}"), |reader| read(reader, value))
    }

    /// Reads the value of a key, and reports it if the table does not have the key.
    pub fn required<T>(
        &mut self,
        table: TomlTable<'_, '_>,
        key: &str,
        read: impl FnOnce(&mut Self, &TomlValue<'_>) -> Option<T>,
    ) -> Option<T> {
        // In a text that could not be parsed it may be there all the same.
        if !table.entries.contains_key(key) && !self.broken {
            self.fault(table.at, format!("the key '{key}' is missing"), None);
        }
        self.optional(table, key, read)
    }

    /// Reads a table.
    pub fn table<'t, 'v>(&mut self, value: &'t TomlValue<'v>) -> Option<TomlTable<'t, 'v>> {
        let found = value.get_ref().as_table();
        if found.is_none() {
            self.expected(value, "a table");
        }
        found.map(|entries| TomlTable { at: value.span().start, entries })
    }

    /// Reads the items of a list, each with its number in the field.
    pub fn items<T>(
        &mut self,
        value: &TomlValue<'_>,
        expected: &str,
        mut read: impl FnMut(&mut Self, &TomlValue<'_>) -> Option<T>,
    ) -> Vec<T> {
        let Some(list) = value.get_ref().as_array() else {
            self.expected(value, expected);
            return Vec::new();
        };
        (1..)
            .zip(list.iter())
            .filter_map(|(number, item)| {
                self.within(format!("[{number}]"), |reader| read(reader, item))
            })
            .collect()
    }

    /// Reads a string.
    pub fn text(&mut self, value: &TomlValue<'_>) -> Option<TomlText> {
        let Some(text) = value.get_ref().as_str() else {
            self.expected(value, "a string");
            return None;
        };
        let span = value.span();
        let raw = self.text.get(span.clone()).unwrap_or("");
        let verbatim = raw.len() >= 2 && raw.get(1..raw.len() - 1) == Some(text);
        let at = if verbatim { span.start + 1 } else { span.start };
        Some(TomlText { text: text.to_owned(), at, verbatim })
    }

    /// Reads a list of strings.
    pub fn texts(&mut self, value: &TomlValue<'_>) -> Vec<TomlText> {
        self.items(value, "a list of strings", Self::text)
    }

    /// Reads a string that stands for something else.
    pub fn parsed<T: FromStr<Err: ToString>>(&mut self, value: &TomlValue<'_>) -> Option<T> {
        let text = self.text(value)?;
        text.text.parse().map_err(|error: T::Err| self.fault(text.at, error.to_string(), None)).ok()
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self, value: &TomlValue<'_>) -> Option<bool> {
        let found = value.get_ref().as_bool();
        if found.is_none() {
            self.expected(value, "true or false");
        }
        found
    }

    /// Reads a whole number from `least` to `most`.
    pub fn number(&mut self, value: &TomlValue<'_>, least: u64, most: u64) -> Option<u64> {
        let Some(number) = value.get_ref().as_integer() else {
            self.expected(value, "a whole number");
            return None;
        };
        let number = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let message = format!("expected a number from {least} to {most}");
            self.fault(value.span().start, message, None);
        }
        number
    }

    /// Finds a part of a value as the file has it, and returns the byte at which the part begins.
    pub fn find(&self, value: &TomlValue<'_>, part: &str) -> usize {
        let span = value.span();
        let inside = self.text.get(span.clone()).and_then(|raw| raw.find(part));
        span.start + inside.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_faults_has_some_of_them() {
        let text = format!("{}\n", "cost = \"unit\"\nthread\"\n".repeat(3_000));
        let (reader, _) = TomlReader::new(&text);
        let faults = reader.into_faults();
        assert!((1..=MAX_FAULTS).contains(&faults.len()), "{}", faults.len());
        assert_eq!(faults[0].place.line, 2);
    }
}
