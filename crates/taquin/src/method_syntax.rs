//! The syntax of a method, `name:argument,field=value,..`, and its errors.

use std::fmt;
use std::ops::Range;

use strsim::osa_distance;
use taquin_search::{FieldError, Policy};

/// The parts of a method's text.
///
/// ```
/// use taquin::MethodSyntax;
///
/// let syntax = MethodSyntax::new("astar:manhattan,order=fifo")?;
/// assert_eq!((syntax.name, syntax.argument), ("astar", Some("manhattan")));
/// assert_eq!(syntax.fields, [("order", "fifo")]);
/// # Ok::<(), taquin::MethodError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodSyntax<'a> {
    text: &'a str,
    /// The part before the colon.
    pub name: &'a str,
    /// The part between the colon and the first comma.
    pub argument: Option<&'a str>,
    /// The names and values of the fields, in order.
    pub fields: Vec<(&'a str, &'a str)>,
}

/// An error in a method's text, with its position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct MethodError {
    text: String,
    at: Range<usize>,
    message: String,
    hint: Option<String>,
}

impl MethodError {
    /// Returns an error about `part`, which must be a slice of `text`.
    ///
    /// ```
    /// # use taquin::MethodError;
    /// let text = "astar:manhatan";
    /// let error = MethodError::new(text, &text[6..], "unknown heuristic", None);
    /// assert_eq!(error.column(), 6);
    /// ```
    pub fn new(text: &str, part: &str, message: impl Into<String>, hint: Option<String>) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        let at = start..(start + part.len()).min(text.len());
        Self { text: text.to_owned(), at, message: message.into(), hint }
    }

    /// Returns how to correct the error, if known.
    ///
    /// ```
    /// let error = taquin::MethodSyntax::new("bfs,fifo").unwrap_err();
    /// assert_eq!(error.hint(), Some("write field=value, as in order=fifo"));
    /// ```
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the number of characters before the error.
    ///
    /// ```
    /// let error = taquin::MethodSyntax::new("bfs,fifo").unwrap_err();
    /// assert_eq!(error.column(), 4);
    /// ```
    pub fn column(&self) -> usize {
        self.text.get(..self.at.start).map_or(0, |before| before.chars().count())
    }

    /// Returns the text and, on a second line, a mark under the error.
    ///
    /// ```
    /// let error = taquin::MethodSyntax::new("bfs,fifo").unwrap_err();
    /// assert_eq!(error.caret().to_string(), "bfs,fifo\n    ^^^^");
    /// ```
    pub fn caret(&self) -> impl fmt::Display {
        let shown: String =
            self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = self.column();
        let marked = self.text.get(self.at.clone()).map_or(1, |part| part.chars().count()).max(1);
        format!("{shown}\n{}{}", " ".repeat(before), "^".repeat(marked))
    }
}

/// The length of the longest text that is read, because errors quote it.
const MAX_LENGTH: usize = 1_000;

impl<'a> MethodSyntax<'a> {
    /// Splits a method's text into its parts.
    ///
    /// # Errors
    /// Fails if a field is not of the form `field=value`, or the text is very long.
    ///
    /// ```
    /// # use taquin::MethodSyntax;
    /// assert_eq!(MethodSyntax::new("bfs")?.name, "bfs");
    /// assert!(MethodSyntax::new("bfs,fifo").is_err());
    /// # Ok::<(), taquin::MethodError>(())
    /// ```
    pub fn new(text: &'a str) -> Result<Self, MethodError> {
        if text.len() > MAX_LENGTH {
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

    /// Returns an error about one of the parts.
    ///
    /// ```
    /// # use taquin::MethodSyntax;
    /// let syntax = MethodSyntax::new("ida:pdb=7-9")?;
    /// let error = syntax.error(syntax.argument.unwrap(), "16 tiles are too many", None);
    /// assert_eq!(error.column(), 4);
    /// # Ok::<(), taquin::MethodError>(())
    /// ```
    pub fn error(
        &self,
        part: &str,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> MethodError {
        MethodError::new(self.text, part, message, hint)
    }

    /// Returns an error about a part that is not one of the `known` names of its `kind`. The hint
    /// is the name with the same spelling apart from case and punctuation, or the name that one of
    /// the `others` stands for. Otherwise it is the most similar name.
    ///
    /// ```
    /// # use taquin::MethodSyntax;
    /// let syntax = MethodSyntax::new("asatr")?;
    /// let error = syntax.unknown(syntax.name, "method", ["bfs", "astar"].into_iter(), []);
    /// assert_eq!(error.to_string(), "unknown method 'asatr'");
    /// assert_eq!(error.hint(), Some("did you mean 'astar'?"));
    /// let error = syntax.unknown("A*", "method", ["bfs", "astar"].into_iter(), [("a", "astar")]);
    /// assert_eq!(error.hint(), Some("did you mean 'astar'?"));
    /// # Ok::<(), taquin::MethodError>(())
    /// ```
    pub fn unknown<'b>(
        &self,
        part: &str,
        kind: &str,
        known: impl Iterator<Item = &'b str> + Clone,
        others: impl IntoIterator<Item = (&'b str, &'b str)>,
    ) -> MethodError {
        let folded = folded(part);
        let lower = part.to_lowercase();
        let similar = |name: &'b str| {
            let typing_errors = osa_distance(&lower, name);
            (typing_errors <= 1 + name.len() / 4).then_some((typing_errors, name))
        };
        let meant = known.clone().map(|name| (name, name)).chain(others);
        let mut meant =
            meant.filter(|(name, _)| self::folded(name) == folded).map(|(_, name)| name);
        let nearest = || known.clone().filter_map(similar).min_by_key(|found| found.0);
        let hint = match meant.next().or_else(|| nearest().map(|(_, name)| name)) {
            Some(name) => format!("did you mean '{name}'?"),
            None => match &known.collect::<Vec<_>>()[..] {
                [only] => format!("the only {kind} is '{only}'"),
                names => format!("there are {}", names.join(", ")),
            },
        };
        self.error(part, format!("unknown {kind} '{part}'"), Some(hint))
    }

    /// Sets the fields of `policy` that are listed in `policy_fields`. Every field is first offered
    /// to `other`, which returns `None` for unknown fields; `other_fields` lists the others for
    /// hints.
    ///
    /// # Errors
    /// Fails on an unknown field, a field given twice, and an invalid value.
    ///
    /// ```
    /// # use taquin::{MethodSyntax, Order, Policy};
    /// let mut policy = Policy::bfs();
    /// MethodSyntax::new("bfs,order=lifo")?.set(&mut policy, &["order"], |_, _| None, &[])?;
    /// assert_eq!(policy.order, Order::Lifo);
    /// # Ok::<(), taquin::MethodError>(())
    /// ```
    pub fn set(
        &self,
        policy: &mut Policy,
        policy_fields: &[&str],
        mut other: impl FnMut(&str, &str) -> Option<Result<(), String>>,
        other_fields: &[&str],
    ) -> Result<(), MethodError> {
        for (at, &(field, value)) in self.fields.iter().enumerate() {
            if self.fields[..at].iter().any(|earlier| earlier.0 == field) {
                return Err(self.error(field, format!("{field} is given twice"), None));
            }
            if let Some(result) = other(field, value) {
                result.map_err(|message| self.error(value, message, None))?;
                continue;
            }
            let known = policy_fields.iter().chain(other_fields).copied();
            if !policy_fields.contains(&field) {
                let kind = format!("field of {}", self.name);
                return Err(self.unknown(field, &kind, known, []));
            }
            policy.set(field, value).map_err(|error| match error {
                FieldError::Value(expected) => {
                    let message = format!("{field} can't be '{value}'");
                    self.error(value, message, Some(format!("{field} is {expected}")))
                }
                _ => self.unknown(field, "field", known, []),
            })?;
        }
        Ok(())
    }
}

/// Returns the letters and digits of a name, in lower case, without the word "search" at its end.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let lower: String = letters.flat_map(char::to_lowercase).collect();
    lower.strip_suffix("search").unwrap_or(&lower).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_split_into_its_parts() {
        let syntax = MethodSyntax::new("ida:max=linear+walking,goal=expansion,undo=keep").unwrap();
        assert_eq!((syntax.name, syntax.argument), ("ida", Some("max=linear+walking")));
        assert_eq!(syntax.fields, [("goal", "expansion"), ("undo", "keep")]);
        assert_eq!(MethodSyntax::new("bfs").unwrap().argument, None);
    }

    #[test]
    fn errors_show_their_position() {
        let error = MethodSyntax::new("astar:manhattan,fifo").unwrap_err();
        assert_eq!(error.caret().to_string(), "astar:manhattan,fifo\n                ^^^^");
        let syntax = MethodSyntax::new("astar:linear,oder=fifo").unwrap();
        let error =
            syntax.set(&mut Policy::astar(), &["order"], |_, _| None, &["moves"]).unwrap_err();
        assert_eq!(error.to_string(), "unknown field of astar 'oder'");
        assert_eq!(error.hint(), Some("did you mean 'order'?"));
        let syntax = MethodSyntax::new("auto,time=1").unwrap();
        let error = syntax.set(&mut Policy::astar(), &[], |_, _| None, &["on"]).unwrap_err();
        assert_eq!(error.hint(), Some("the only field of auto is 'on'"));
        let syntax = MethodSyntax::new("bfs,order=fif").unwrap();
        let error = syntax.set(&mut Policy::bfs(), &["order"], |_, _| None, &[]).unwrap_err();
        assert_eq!(error.caret().to_string(), "bfs,order=fif\n          ^^^");
        assert_eq!(error.hint(), Some("order is fifo, lifo, heap, indexed, random or state"));
        let syntax = MethodSyntax::new("bfs,order=fifo,order=lifo").unwrap();
        let error = syntax.set(&mut Policy::bfs(), &["order"], |_, _| None, &[]).unwrap_err();
        assert_eq!(error.to_string(), "order is given twice");
    }
}
