//! Enums whose values have names that users write.

/// Defines an enum without fields whose values have names that users write.
///
/// After the enum's name comes, in quotation marks, the term for its values in error messages. The
/// enum gets `Clone`, `Copy`, `PartialEq`, `Eq`, `Hash` and `Debug`, `ALL` (every value, in order),
/// `NAMES` (their names), `name()`, `Display` (the name) and `FromStr` (which ignores case and
/// fails with [`NameError`](crate::NameError)), and serde's traits (as the name). Attributes are
/// passed on.
///
/// ```
/// taquin_search::named_enum! {
///     /// Where a file goes.
///     pub enum Target: "target" {
///         /// To standard output.
///         Screen = "screen",
///         /// To a folder.
///         Folder = "folder",
///     }
/// }
/// assert_eq!("folder".parse(), Ok(Target::Folder));
/// assert_eq!(Target::Screen.to_string(), "screen");
/// let error = "floder".parse::<Target>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown target 'floder': expected screen or folder");
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident: $kind:literal {
            $($(#[$value_attribute:meta])* $value:ident = $text:literal $(| $other:literal)*,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $visibility enum $name { $($(#[$value_attribute])* $value,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$value),+];

            /// The names of all values, in the same order.
            pub const NAMES: [&'static str; [$($text),+].len()] = [$($text),+];

            /// Returns the name that users write.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $text,)+ }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::NameError;

            fn from_str(text: &str) -> ::std::result::Result<Self, $crate::NameError> {
                let is_named = |value: &Self| value.name().eq_ignore_ascii_case(text);
                $($(if text.eq_ignore_ascii_case($other) {
                    return Ok(Self::$value);
                })*)+
                let error = || $crate::NameError::new($kind, text, &Self::NAMES);
                Self::ALL.into_iter().find(is_named).ok_or_else(error)
            }
        }

        $crate::serde_as_text!($name);
    };
}

/// Implements serde's traits for a type as the text that it prints and parses.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty) => {
        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as $crate::serde::Deserialize>::deserialize(from)?;
                text.parse().map_err($crate::serde::de::Error::custom)
            }
        }
    };
}

/// Without serde there is nothing to implement.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty) => {};
}

/// A text that names no value of an enum, such as [`Order`](crate::Order).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown {kind} '{text}': expected {}", list(names))]
pub struct NameError {
    kind: &'static str,
    text: String,
    names: &'static [&'static str],
}

impl NameError {
    /// Returns the error that `text` is not the name of a `kind`. Long texts are truncated.
    ///
    /// ```
    /// let error = taquin_search::NameError::new("colour", "bleu", &["red", "green", "blue"]);
    /// assert_eq!(error.to_string(), "unknown colour 'bleu': expected red, green or blue");
    /// ```
    pub fn new(kind: &'static str, text: &str, names: &'static [&'static str]) -> Self {
        Self { kind, text: excerpt(text), names }
    }

    /// Returns the names that are known.
    ///
    /// ```
    /// let error = "best".parse::<taquin_search::Order>().unwrap_err();
    /// assert_eq!(error.known(), ["fifo", "lifo", "heap", "indexed", "random", "state"]);
    /// ```
    pub const fn known(&self) -> &'static [&'static str] {
        self.names
    }
}

/// Returns `text` as error messages quote it: at most 40 characters, unprintable ones escaped.
///
/// ```
/// assert_eq!(taquin_search::excerpt("a\tb"), "a\\tb");
/// assert_eq!(taquin_search::excerpt(&"x".repeat(50)), "x".repeat(40) + "...");
/// ```
pub fn excerpt(text: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let mut quoted = String::new();
    for (count, character) in text.chars().enumerate() {
        match character {
            _ if count == MAX_LENGTH => return quoted + "...",
            '\'' | '"' | '\\' => quoted.push(character),
            _ => quoted.extend(character.escape_debug()),
        }
    }
    quoted
}

/// Returns the names as a list: `a, b or c`.
pub(crate) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("it's\u{1b}[31m\u{202e}"), "it's\\u{1b}[31m\\u{202e}");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), "é".repeat(40) + "...");
    }
}
