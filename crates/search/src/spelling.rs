//! How a method is written: `name:argument,field=value,..`, and what is wrong with it if it is not.

use std::fmt;
use std::ops::Range;

use crate::policy::{FieldError, Policy};

/// A method's text in its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled<'a> {
    text: &'a str,
    /// What stands before the colon.
    pub name: &'a str,
    /// What stands between the colon and the first comma.
    pub argument: Option<&'a str>,
    /// The fields, in their order.
    pub fields: Vec<(&'a str, &'a str)>,
}

/// What is wrong with a method's text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct MethodError {
    text: String,
    at: Range<usize>,
    message: String,
    hint: Option<String>,
}

impl MethodError {
    /// An error about a part of `text`, which is a slice of it.
    pub fn new(text: &str, part: &str, message: impl Into<String>, hint: Option<String>) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        let at = start..(start + part.len()).min(text.len());
        Self { text: text.to_owned(), at, message: message.into(), hint }
    }

    /// What would put it right.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// How many characters of the text stand before the place.
    pub fn column(&self) -> usize {
        self.text.get(..self.at.start).map_or(0, |before| before.chars().count())
    }

    /// The text with the place marked under it, in two lines.
    pub fn caret(&self) -> impl fmt::Display {
        let shown: String =
            self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = self.column();
        let marked = self.text.get(self.at.clone()).map_or(1, |part| part.chars().count()).max(1);
        format!("{shown}\n{}{}", " ".repeat(before), "^".repeat(marked))
    }
}

/// Nobody writes a longer one, and errors show the text.
const LONGEST: usize = 1_000;

impl<'a> Spelled<'a> {
    /// Takes a method's text apart.
    ///
    /// # Errors
    /// Fails on an empty name, and on fields that are not of the form `field=value`.
    pub fn new(text: &'a str) -> Result<Self, MethodError> {
        if text.len() > LONGEST {
            let message = format!("a method of {} characters is too long", text.chars().count());
            return Err(MethodError::new("", "", message, None));
        }
        let mut parts = text.split(',');
        let head = parts.next().unwrap_or("");
        let (name, argument) = match head.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (head, None),
        };
        let field = |part: &'a str| {
            let hint = || Some("write field=value, as in order=fifo".to_owned());
            part.split_once('=').ok_or_else(|| MethodError::new(text, part, "not a field", hint()))
        };
        let fields = parts.map(field).collect::<Result<_, _>>()?;
        Ok(Self { text, name, argument, fields })
    }

    /// An error about one of the parts.
    pub fn error(
        &self,
        part: &str,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> MethodError {
        MethodError::new(self.text, part, message, hint)
    }

    /// An error about a part that names none of the things it could name.
    pub fn unknown<'b>(
        &self,
        part: &str,
        kind: &str,
        known: impl Iterator<Item = &'b str> + Clone,
    ) -> MethodError {
        let hint = match known
            .clone()
            .filter(|name| is_near(part, name))
            .min_by_key(|name| distance(part, name))
        {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.error(part, format!("unknown {kind} '{part}'"), Some(hint))
    }

    /// Sets fields of a policy, for those that the method has; gives each other field to `other`.
    ///
    /// # Errors
    /// Fails on a field that neither has, a field given twice, and a value that a field does not take.
    pub fn set(
        &self,
        policy: &mut Policy,
        has: &[&str],
        mut other: impl FnMut(&str, &str) -> Option<Result<(), String>>,
        others: &[&str],
    ) -> Result<(), MethodError> {
        for (at, &(field, value)) in self.fields.iter().enumerate() {
            if self.fields[..at].iter().any(|earlier| earlier.0 == field) {
                return Err(self.error(field, format!("{field} is given twice"), None));
            }
            if let Some(result) = other(field, value) {
                result.map_err(|message| self.error(value, message, None))?;
                continue;
            }
            let known = has.iter().chain(others).copied();
            if !has.contains(&field) {
                let kind = format!("field of {}", self.name);
                return Err(self.unknown(field, &kind, known));
            }
            policy.set(field, value).map_err(|error| match error {
                FieldError::Unknown => self.unknown(field, "field", known),
                FieldError::Value(expected) => {
                    let message = format!("{field} can't be '{value}'");
                    self.error(value, message, Some(format!("{field} is {expected}")))
                }
            })?;
        }
        Ok(())
    }
}

/// Whether a word could be a slip for another.
fn is_near(word: &str, known: &str) -> bool {
    distance(word, known) <= 1 + known.len() / 4
}

/// The number of letters to insert, delete, replace or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut last = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut former = '\0';
    for (i, letter) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, &other) in b.iter().enumerate() {
            let mut best =
                (row[j] + usize::from(letter != other)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && letter == b[j - 1] && former == other {
                best = best.min(last[j - 1] + 1);
            }
            next.push(best);
        }
        (last, row, former) = (row, next, letter);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_falls_into_its_parts() {
        let spelled = Spelled::new("ida:max=linear+walking,goal=expansion,undo=keep").unwrap();
        assert_eq!((spelled.name, spelled.argument), ("ida", Some("max=linear+walking")));
        assert_eq!(spelled.fields, [("goal", "expansion"), ("undo", "keep")]);
        assert_eq!(Spelled::new("bfs").unwrap().argument, None);
    }

    #[test]
    fn errors_show_their_place() {
        let error = Spelled::new("astar:manhattan,fifo").unwrap_err();
        assert_eq!(error.caret().to_string(), "astar:manhattan,fifo\n                ^^^^");
        let spelled = Spelled::new("astar:linear,oder=fifo").unwrap();
        let error =
            spelled.set(&mut Policy::astar(), &["order"], |_, _| None, &["moves"]).unwrap_err();
        assert_eq!(error.to_string(), "unknown field of astar 'oder'");
        assert_eq!(error.hint(), Some("did you mean 'order'?"));
        let spelled = Spelled::new("bfs,order=fif").unwrap();
        let error = spelled.set(&mut Policy::bfs(), &["order"], |_, _| None, &[]).unwrap_err();
        assert_eq!(error.caret().to_string(), "bfs,order=fif\n          ^^^");
        assert_eq!(error.hint(), Some("order is fifo, lifo, heap, random"));
        let spelled = Spelled::new("bfs,order=fifo,order=lifo").unwrap();
        let error = spelled.set(&mut Policy::bfs(), &["order"], |_, _| None, &[]).unwrap_err();
        assert_eq!(error.to_string(), "order is given twice");
    }

    #[test]
    fn slips_are_counted_as_people_make_them() {
        assert_eq!(distance("manhatan", "manhattan"), 1);
        assert_eq!(distance("asatr", "astar"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
