//! Finds answers in program output.

/// The gradable parts of an answer for a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An output.
    Output {
        /// The text.
        text: String,
        /// The fault of the program, if it had one.
        problem: Option<String>,
    },
    /// No output, and why.
    None(String),
}

impl Answer {
    /// An output without problems.
    pub const fn of(text: String) -> Self {
        Self::Output { text, problem: None }
    }
}

/// The words that announce the answer for a board.
const HEADINGS: [&str; 11] = [
    "board", "puzzle", "problem", "question", "instance", "case", "test", "task", "exercise",
    "answer", "solution",
];

/// Divides an output into the answers for `boards` boards: below headings such as `Board 2:`, or a
/// line for each. One board takes the whole text.
pub fn answers(text: &str, boards: usize) -> Vec<Answer> {
    if boards == 1 {
        return vec![Answer::of(text.to_owned())];
    }
    let mut parts: Vec<Option<String>> = vec![None; boards];
    let mut current = None;
    for line in text.lines() {
        let heading = heading(line).filter(|(number, _)| (1..=boards).contains(number));
        let rest = match heading {
            Some((number, rest)) => {
                current = Some(number - 1);
                rest
            }
            None => line,
        };
        if let Some(at) = current {
            let part = parts[at].get_or_insert_default();
            part.push_str(rest);
            part.push('\n');
        }
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if current.is_none() && lines.len() == boards {
        return lines.into_iter().map(|line| Answer::of(line.to_owned())).collect();
    }
    let missing = |at: usize| match current {
        Some(_) => format!("There is no answer below a heading 'Board {}'.", at + 1),
        None => format!(
            "Which answer is for which board? Write 'Board 1', 'Board 2', .. above the answers, or \
             give {boards} lines."
        ),
    };
    let answer = |(at, part): (usize, Option<String>)| match part {
        Some(text) => Answer::of(text),
        None => Answer::None(missing(at)),
    };
    parts.into_iter().enumerate().map(answer).collect()
}

/// Reads a line such as `## Board 2: LDDR`: the number and the rest.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#*=-[(".contains(c));
    let letters = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (word, rest) = line.split_at(letters);
    HEADINGS.iter().find(|heading| word.eq_ignore_ascii_case(heading))?;
    let rest = rest.trim_start_matches([' ', '#', '_']);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    let is_end = rest.is_empty() || rest.starts_with([':', '.', ')', ']', ' ', '*', '=', '-']);
    let rest = rest.trim_start_matches([':', '.', ')', ']', ' ', '*', '=']);
    is_end.then_some((number, rest))
}

/// Returns whether an output says that there is no solution.
pub(super) fn says_unsolvable(text: &str, failed: &str) -> bool {
    const PHRASES: [&str; 12] = [
        "unsolvable",
        "not solvable",
        "no solution",
        "insolvable",
        "cannot be solved",
        "can't be solved",
        "cannot find solution",
        "cannot find a solution",
        "not reachable",
        "unreachable",
        "impossible",
        "not possible",
    ];
    let text = words(text).join(" ");
    let failed = words(failed).join(" ");
    let says = |phrase: &str| text.contains(phrase);
    PHRASES.into_iter().any(says) || (!failed.is_empty() && says(&failed))
}

/// Finds the number that a pattern such as `expanded {} nodes` stands for: the first pattern that
/// fits a line, on the last such line. A line that is the whole pattern counts more than one that
/// begins with its words, which counts more than one that contains them. After `{}`, each line feed
/// stands for a number below: the number and those below each have their own line.
pub(super) fn figure(text: &str, patterns: &[String]) -> Option<u64> {
    let lines: Vec<Vec<String>> = text.lines().map(words).collect();
    let by_words = |pattern: &String| {
        let (before, after) = pattern.split_once("{}")?;
        let (before, after) = (words(before), words(after));
        let is_any = before.is_empty() && after.is_empty();
        let found = |begins: bool| {
            lines.iter().rev().find_map(|line| {
                let last = if begins { before.len() + 1 } else { line.len() };
                (before.len()..last.min(line.len())).rev().find_map(|at| {
                    let fits = line[..at].ends_with(&before) && line[at + 1..].starts_with(&after);
                    fits.then(|| number(&line[at])).flatten()
                })
            })
        };
        if is_any || pattern.contains(ANYTHING) {
            return None;
        }
        found(true).or_else(|| found(false))
    };
    let whole = |pattern: &String| match pattern.strip_prefix("{}") {
        Some(below) if below.bytes().all(|byte| byte == b'\n') => {
            text.lines().rev().filter_map(|line| number(line.trim())).nth(below.len())
        }
        _ => text.lines().rev().find_map(|line| whole_line(line, pattern)),
    };
    patterns.iter().find_map(|pattern| whole(pattern).or_else(|| by_words(pattern)))
}

/// The placeholder for any text in a pattern.
pub(super) const ANYTHING: &str = "{*}";

/// Returns the number in a line that is all of a pattern.
fn whole_line(line: &str, pattern: &str) -> Option<u64> {
    let mut line = line.trim();
    let mut found = None;
    let mut parts = pattern.trim().split('{');
    line = line.strip_prefix(parts.next()?)?;
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let (hole, literal) = part.split_once('}')?;
        let end = match (literal, parts.peek()) {
            ("", None) => line.len(),
            // The pattern's last words are at the end of the line.
            (literal, None) => line.len().checked_sub(literal.len())?,
            (literal, Some(_)) => line.find(literal)?,
        };
        let value = line.get(..end)?;
        line = line.get(end..)?.strip_prefix(literal)?;
        if hole.is_empty() {
            found = number(value.trim());
        }
    }
    found.filter(|_| line.is_empty())
}

/// Reads a number, with or without commas between groups of three digits.
fn number(word: &str) -> Option<u64> {
    let mut groups = word.split(',');
    let is_grouped = groups.next().is_some_and(|first| (1..=3).contains(&first.len()))
        && groups.all(|group| group.len() == 3);
    match word.contains(',') {
        true if is_grouped => word.replace(',', "").parse().ok(),
        true => None,
        false => word.strip_suffix(".0").unwrap_or(word).parse().ok(),
    }
}

/// Divides a text into words and numbers, in lower case: punctuation in them and around them does
/// not count.
fn words(text: &str) -> Vec<String> {
    let is_gap = |c: char| c.is_whitespace() || "_-:;=\"`*|()[]{}<>!?".contains(c);
    let trimmed = |word: &str| word.trim_matches(['.', ',', '\'']).to_lowercase();
    text.split(is_gap).map(trimmed).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_sentences() {
        let found = |text: &str, pattern: &str| figure(text, &[pattern.to_owned()]);
        for (text, pattern, number) in [
            ("nodes_expanded: 1,757\n", "nodes expanded {}", Some(1_757)),
            ("Nodes expanded = 12.", "nodes expanded {}", Some(12)),
            ("expanded a total of 3 nodes.", "expanded a total of {} nodes", Some(3)),
            ("expanded 3\nexpanded 4\n", "expanded {}", Some(4)),
            ("expanded 3, 4, 5", "expanded {}", Some(3)),
            ("\"expanded\": 17,", "expanded {}", Some(17)),
            ("12 nodes expanded", "{} nodes expanded", Some(12)),
            ("expanded -3", "expanded {}", Some(3)),
            ("expanded 1,2,3", "expanded {}", None),
            ("expanded 99999999999999999999999", "expanded {}", None),
            ("expanded", "expanded {}", None),
            ("search_depth: 5\nmax_search_depth: 6\n", "search depth {}", Some(5)),
            ("my search depth 6\n", "search depth {}", Some(6)),
            ("835,22,0.0013\n", "{*},{},{*}", Some(22)),
            ("835,22,0.0013\n", "{},{*},{*}", Some(835)),
            ("a: 17\n181440\nb: 3\n", "{}", Some(181_440)),
            ("15\nDRUL\n\n15\n68\n42\n16\n0.5\n", "{}\n\n", Some(68)),
            ("68\n42\n", "{}\n\n", None),
            ("", "{}", None),
        ] {
            assert_eq!(found(text, pattern), number, "{text:?}");
        }
    }

    #[test]
    fn an_output_is_divided_into_answers() {
        let texts = |output: &str| -> Vec<Option<String>> {
            let text = |answer| match answer {
                Answer::Output { text, .. } => Some(text.trim().to_owned()),
                Answer::None(_) => None,
            };
            answers(output, 2).into_iter().map(text).collect()
        };
        let both = |first: &str, second: &str| [first, second].map(|text| Some(text.to_owned()));
        assert_eq!(texts("Board 1\nDR\nBoard 2: LU\n"), both("DR", "LU"));
        assert_eq!(texts("name: Lu\n## Puzzle #2\nLU\n## Puzzle #1\nDR\n"), both("DR", "LU"));
        assert_eq!(texts("DR\n\nLU\n"), both("DR", "LU"));
        assert_eq!(texts("board 2\nLU"), [None, Some("LU".to_owned())]);
        assert_eq!(texts("a\nb\nc\n"), [None, None]);
        assert_eq!(texts(""), [None, None]);
    }
}
