//! Which policy a student implemented, in words.

use std::fmt::Write;

use taquin::{Board, Method};

use super::{BoardKey, Criterion, Grader, Reading, RubricBoard};
use crate::matching::{Difference, Match, Question, TargetCounts, matching};

/// The policy that explains a method's counts.
pub(super) struct Explained {
    /// The method.
    pub(super) method: Method,
    /// Whether a policy was found.
    pub(super) is_found: bool,
    /// The explanation, for the student.
    pub(super) remark: String,
}

/// More explanations are not given.
const SHOWN: usize = 3;

impl Grader<'_> {
    /// Looks for policies that give the counts, for each method with a count that differs.
    pub(super) fn explain(&self, readings: &[Option<Reading>]) -> Vec<Explained> {
        let rows: Vec<(&RubricBoard, &BoardKey, &Reading)> = (self.rubric.boards.iter())
            .zip(&self.key.boards)
            .zip(readings)
            .filter_map(|((board, key), reading)| Some((board, key, reading.as_ref()?)))
            .filter(|(_, key, _)| key.is_solvable)
            .collect();
        let mut methods: Vec<&Method> = Vec::new();
        for (board, ..) in &rows {
            if !methods.contains(&&board.method) {
                methods.push(&board.method);
            }
        }
        let explain = |method: &Method| {
            let rows = rows.iter().filter(|row| row.0.method == *method).copied();
            self.explain_method(&rows.collect::<Vec<_>>())
        };
        methods.into_iter().filter_map(explain).collect()
    }

    fn explain_method(&self, rows: &[(&RubricBoard, &BoardKey, &Reading)]) -> Option<Explained> {
        let counts = [Criterion::Expanded, Criterion::Generated, Criterion::Queue];
        let differs = |(board, key, reading): &&(&RubricBoard, &BoardKey, &Reading)| {
            counts.into_iter().any(|count| {
                let printed = reading.figure(count);
                board.points(count, key) > 0 && printed.is_some() && printed != key.figure(count)
            })
        };
        rows.iter().find(differs)?;
        let mut examples = rows.iter().filter_map(|(board, _, reading)| {
            let sought = TargetCounts {
                expanded: reading.figure(Criterion::Expanded)?,
                queue: reading.figure(Criterion::Queue),
                generated: reading.figure(Criterion::Generated),
            };
            Some((board.board.clone(), sought))
        });
        let (start, sought) = examples.next()?;
        let is_like = |(board, _): &(Board, TargetCounts)| board.size() == start.size();
        let others: Vec<(Board, TargetCounts)> = examples.filter(is_like).collect();
        let (board, key, _) = *rows.iter().find(|(board, ..)| board.board == start)?;
        // A solution that was replayed has the right goal; another program may have another goal.
        let is_goal_known = self.rubric.goal.is_some()
            || rows.iter().any(|(_, key, reading)| match &reading.solution {
                Some(Ok(solution)) => key.replay(&solution.slides).0 == *key.puzzle.goal(),
                _ => false,
            });
        let question = Question {
            start: &start,
            goal: is_goal_known.then(|| key.puzzle.goal()),
            method: Some(&board.name),
            course: Some(self.rubric.course()),
            budget: self.budget,
            memory: self.memory,
            others: &others,
        };
        let matches = matching(sought, &question, self.session, self.monitor, &|_| {}).ok()?;
        let name = board.method_text.clone().unwrap_or_else(|| board.name.clone());
        let remark = match (&matches.found[..], matches.complete) {
            ([], true) => format!(
                "{name}: no policy that differs in one or two things from the one asked for gives \
                 your counts."
            ),
            ([], false) => {
                format!("{name}: your counts are not explained: too many policies remain.")
            }
            (found, _) => explanation(&name, found),
        };
        let is_found = !matches.found.is_empty();
        Some(Explained { method: board.method.clone(), is_found, remark })
    }
}

/// Describes the policies that give a student's counts.
fn explanation(name: &str, found: &[Match]) -> String {
    let mut remark = match found.len() {
        1 => format!("{name}: one change to the program that was asked for gives your counts."),
        _ => format!("{name}: each of these changes gives your counts."),
    };
    for (number, found) in (1..).zip(found.iter().take(SHOWN)) {
        if found.changes.is_empty() {
            return format!("{name}: your program prints the expected counts.");
        }
        let pairs: Vec<(String, String)> = found.changes.iter().map(sentence).collect();
        let join = |side: Vec<String>| side.join(", and ");
        let (ours, theirs): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
        let label = if number > 1 || remark.contains("each of") {
            format!(" ({number})")
        } else {
            String::new()
        };
        let (ours, theirs) = (join(ours), join(theirs));
        let _ = write!(remark, "{label} Your program {ours}. The one asked for {theirs}.");
    }
    if let Some(more) = found.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let _ = write!(remark, " There are {more} more.");
    }
    remark
}

/// Describes a difference between the student's program and the course's.
fn sentence(difference: &Difference) -> (String, String) {
    match difference {
        Difference::Goal { ours, theirs } => {
            let goal = |goal| format!("searches for the goal {goal}");
            (goal(ours), goal(theirs))
        }
        Difference::Heuristic { ours, theirs } => {
            let uses = |heuristic| format!("uses the heuristic {heuristic}");
            (uses(ours), uses(theirs))
        }
        Difference::Field { name, ours, theirs } => (does(name, ours), does(name, theirs)),
        Difference::Counting { ours, theirs } => {
            let counts = |way: &str| format!("counts differently: {way}");
            (counts(ours), format!("does not: {theirs}"))
        }
    }
}

/// Describes a program with this value of a field.
fn does(field: &str, value: &str) -> String {
    match (field, value) {
        ("tie", "none") => "does not look at g among nodes of equal f",
        ("tie", "low-g") => "prefers the lower g among nodes of equal f",
        ("tie", "high-g") => "prefers the higher g among nodes of equal f",
        ("order", "fifo") => "takes the oldest of equally good nodes first",
        ("order", "lifo") => "takes the newest of equally good nodes first",
        ("order", "heap") => "leaves equally good nodes in the order of a binary heap",
        ("goal", "generation") => "tests for the goal when it generates a node",
        ("goal", "expansion") => "tests for the goal when it takes a node from the queue",
        ("duplicates", "keep") => "keeps every duplicate",
        ("duplicates", "generated") => "drops a board that it has generated before",
        ("duplicates", "expanded") => {
            "queues a board again unless it has expanded it, and skips it later"
        }
        ("duplicates", "cheaper") => "keeps a duplicate only if its path is cheaper",
        ("reopen", "never") => "never expands a board again",
        ("reopen", "always") => "expands a board again if it finds a cheaper path",
        ("undo", "skip") => "does not generate the move back to the parent",
        ("undo", "keep") => "also generates the move back to the parent",
        ("moves", order) => return format!("tries the moves in the order {order}"),
        _ => return format!("has {field}={value}"),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use taquin::{Duplicates, GoalTest, Reopen, Tie, Undo};

    use super::*;

    #[test]
    fn every_value_of_a_policy_has_a_sentence() {
        for (field, names) in [
            ("tie", &Tie::NAMES[..]),
            ("goal", &GoalTest::NAMES),
            ("duplicates", &Duplicates::NAMES),
            ("reopen", &Reopen::NAMES),
            ("undo", &Undo::NAMES),
            ("order", &["fifo", "lifo", "heap"]),
        ] {
            for name in names {
                assert!(!does(field, name).starts_with("has "), "{field}={name}");
            }
        }
    }
}
