//! The words of the text that describes a set, each with its place.

use taquin::{Size, excerpt};

use super::InstanceError;

/// The words of a text, read one by one.
pub(super) struct Words<'a> {
    text: &'a str,
    /// The place after the last word that was read, in bytes.
    at: usize,
}

/// A word, and its place in characters.
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    column: usize,
}

impl Word<'_> {
    /// Returns an error at this word.
    pub(super) fn error(&self, message: String, hint: String) -> InstanceError {
        InstanceError { column: self.column, message, hint: Some(hint) }
    }

    /// Reads a range such as `0..31`, or a single number; `what` it counts and `examples` are for
    /// the errors.
    pub(super) fn range(&self, what: &str, examples: &str) -> Result<(u64, u64), InstanceError> {
        let (low, high) = self.text.split_once("..").unwrap_or((self.text, self.text));
        let (Ok(low), Ok(high)) = (low.parse(), high.parse()) else {
            let message = format!("'{}' is not a range of {what}", excerpt(self.text));
            return Err(self.error(message, format!("write {examples}")));
        };
        match low <= high {
            true => Ok((low, high)),
            false => {
                let message = format!("the range {low}..{high} is empty");
                Err(self.error(message, format!("write {high}..{low}")))
            }
        }
    }
}

impl<'a> Words<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn next(&mut self) -> Word<'a> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let length = self.text[start..].find(char::is_whitespace);
        self.at = length.map_or(self.text.len(), |length| start + length);
        Word { text: &self.text[start..self.at], column: self.text[..start].chars().count() }
    }

    /// Returns the whole text.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the words that were not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text[self.at..].trim()
    }

    /// Returns an error at the next word or, if all were read, at the first.
    pub(super) fn error(&self, message: String, hint: Option<String>) -> InstanceError {
        let rest = &self.text[self.at..];
        let start = match rest.trim().is_empty() {
            true => 0,
            false => self.at + (rest.len() - rest.trim_start().len()),
        };
        InstanceError { column: self.text[..start].chars().count(), message, hint }
    }

    pub(super) fn size(&mut self) -> Result<Size, InstanceError> {
        let word = self.next();
        word.text.parse().map_err(|error| {
            word.error(
                format!("'{}' is not a size: {error}", excerpt(word.text)),
                "write 4x4".to_owned(),
            )
        })
    }

    /// Reads options such as `n=20`; `known` has each option's name, default and maximum.
    pub(super) fn options<const N: usize>(
        &mut self,
        known: [(&str, u64, u64); N],
    ) -> Result<[u64; N], InstanceError> {
        let mut values = known.map(|(_, value, _)| value);
        loop {
            let word = self.next();
            if word.text.is_empty() {
                return Ok(values);
            }
            let (name, value) = word.text.split_once('=').unwrap_or((word.text, ""));
            let Some(at) = known.iter().position(|(known, ..)| *known == name) else {
                let names = known.map(|(name, ..)| format!("{name}=.."));
                return Err(word.error(
                    format!("unknown option '{}'", excerpt(word.text)),
                    format!("the options are {}", names.join(", ")),
                ));
            };
            let least = u64::from(name != "seed");
            let most = known[at].2;
            values[at] =
                value.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(
                    || {
                        word.error(
                            format!("'{}' is not a valid value of {name}", excerpt(value)),
                            format!("write a number from {least} to {most}"),
                        )
                    },
                )?;
        }
    }

    /// Fails if there are more words.
    pub(super) fn end(&mut self) -> Result<(), InstanceError> {
        let word = self.next();
        match word.text {
            "" => Ok(()),
            text => {
                Err(word.error(format!("unexpected '{}'", excerpt(text)), "omit it".to_owned()))
            }
        }
    }
}
