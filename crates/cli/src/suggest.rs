//! Values that shells complete, without being the only ones that are accepted.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use taquin_lab::{Course, Listing};

/// Accepts every text, and suggests some.
#[derive(Clone)]
pub(crate) struct SuggestingParser(fn() -> &'static [String]);

/// Suggests methods.
pub(crate) fn methods() -> SuggestingParser {
    static METHODS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Listing { algorithms, heuristics, .. } = Listing::new();
        let name = |entry: &&taquin::AlgorithmRow| match entry.needs_databases {
            true => format!("{}:zpdb=small", entry.name),
            false => entry.name.to_owned(),
        };
        let mut names: Vec<String> = algorithms.iter().map(name).collect();
        let takes_any =
            |entry: &&&taquin::AlgorithmRow| entry.takes_heuristic && !entry.needs_databases;
        for algorithm in algorithms.iter().filter(takes_any) {
            let with =
                |entry: &taquin_lab::HeuristicEntry| format!("{}:{}", algorithm.name, entry.name);
            names.extend(heuristics.iter().map(with));
        }
        names
    });
    SuggestingParser(|| &METHODS)
}

/// Suggests courses.
pub(crate) fn courses() -> SuggestingParser {
    static COURSES: LazyLock<Vec<String>> =
        LazyLock::new(|| Course::built_in().iter().map(|course| course.name.clone()).collect());
    SuggestingParser(|| &COURSES)
}

impl TypedValueParser for SuggestingParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().iter().map(|name| PossibleValue::new(name.as_str()))))
    }
}
