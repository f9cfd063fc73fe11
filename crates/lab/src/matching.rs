//! Which conventions, and which policies near them, give these counts?
//!
//! For the student whose numbers differ from the answer key. Every convention is tried as it is, then
//! with one field changed, then with two; what fits with the fewest changes explains the numbers. A
//! run ends as soon as it has expanded more nodes than were reported, so that a try costs no more
//! than the student's own search.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, Counts, Duplicates, Ending, Estimate, GoalTest, Method, Monitor, Move, MoveOrder,
    NamedGoal, Order, Policy, Puzzle, Reopen, Session, Task, Tie, Undo, Watch, is_reachable,
};

use crate::convention::{COURSES, Convention, CourseError, CourseMethod, What, differences};

/// Counts to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sought {
    /// The number of expanded nodes.
    pub expanded: u64,
    /// The largest queue.
    pub queue: Option<u64>,
    /// The number of generated nodes.
    pub generated: Option<u64>,
}

/// Where to look for them.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The board that was searched.
    pub start: &'a Board,
    /// The goal, if it is known; otherwise each course's own, and the other named ones.
    pub goal: Option<&'a Board>,
    /// The method, if it is known.
    pub method: Option<&'a str>,
    /// The course that the counts are compared with; otherwise all.
    pub course: Option<&'static Convention>,
    /// The nodes to expand in all before giving up.
    pub budget: u64,
}

/// A policy that gives the counts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Match {
    /// The nearest convention.
    pub course: &'static str,
    /// What it calls the method.
    pub name: &'static str,
    /// The method in full.
    pub method: Method,
    /// The goal, row by row.
    pub goal: String,
    /// What differs from the convention, in plain words; nothing if it is the convention itself.
    pub changes: Vec<String>,
    /// What the search counted.
    pub counts: Counts,
}

/// What came of the search for an explanation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Matches {
    /// What fits, all with the fewest changes.
    pub found: Vec<Match>,
    /// The number of policies that were tried.
    pub tried: u64,
    /// Whether the budget sufficed for all that could be tried up to that number of changes.
    pub complete: bool,
}

/// The most changes to a convention.
const MOST: usize = 2;

/// Finds what explains the counts with the fewest changes.
///
/// # Errors
/// Fails if a method was named that no course in question has.
pub fn matching(
    sought: Sought,
    asked: &Question<'_>,
    session: &Session,
    monitor: &Arc<Monitor>,
) -> Result<Matches, CourseError> {
    let mut search = Search {
        sought,
        asked,
        session,
        monitor,
        left: asked.budget,
        known: HashMap::new(),
        found: Vec::new(),
        complete: true,
    };
    let bases = bases(asked)?;
    for changes in 0..=MOST {
        for base in &bases {
            search.vary(base, &base.variant(asked), changes, 0);
        }
        let fewest = search.found.iter().map(|found| found.changes.len()).min();
        if fewest.is_some_and(|fewest| fewest <= changes) || !search.complete {
            search.found.retain(|found| Some(found.changes.len()) == fewest);
            break;
        }
    }
    search.found.sort_by_key(|found| found.changes.len());
    let tried = search.known.len() as u64;
    Ok(Matches { found: search.found, tried, complete: search.complete })
}

/// A method of a course, which others are compared with.
struct Base {
    course: &'static Convention,
    known: &'static CourseMethod,
    counting: Counting,
}

/// A base with some fields changed.
#[derive(Clone)]
struct Variant {
    method: Method,
    goal: Option<NamedGoal>,
}

/// What is counted, where courses differ: whether each of [`HABITS`] holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counting([bool; 4]);

/// The habits of counting, and their opposites.
const HABITS: [(&str, &str); 4] = [
    ("the goal counts as expanded", "the goal does not count as expanded"),
    ("the root counts as generated", "the root does not count as generated"),
    ("duplicates count as generated", "duplicates do not count as generated"),
    ("the queue is read after a node is taken out", "the queue is read after an expansion"),
];

fn bases(asked: &Question<'_>) -> Result<Vec<Base>, CourseError> {
    let courses =
        COURSES.iter().filter(|course| asked.course.is_none_or(|only| only.name == course.name));
    let mut bases = Vec::new();
    let mut refused = None;
    for course in courses {
        let chosen = match asked.method.map(|text| course.method(Some(text))) {
            None => None,
            Some(Ok(choice)) => Some(choice.name),
            Some(Err(error)) => {
                refused = Some(error);
                continue;
            }
        };
        let known =
            course.methods.iter().filter(|known| chosen.is_none_or(|name| known.names[0] == name));
        bases.extend(known.map(|known| Base { course, known, counting: Counting::of(course) }));
    }
    match (bases.is_empty(), refused) {
        (true, Some(error)) => Err(error),
        _ => Ok(bases),
    }
}

impl Base {
    fn variant(&self, asked: &Question<'_>) -> Variant {
        let goal = asked.goal.is_none().then_some(self.course.goal);
        Variant { method: self.known.method(), goal }
    }
}

struct Search<'a> {
    sought: Sought,
    asked: &'a Question<'a>,
    session: &'a Session,
    monitor: &'a Arc<Monitor>,
    left: u64,
    /// What was counted by what was run, if it was solved in time.
    known: HashMap<String, Option<Counts>>,
    found: Vec<Match>,
    complete: bool,
}

impl Search<'_> {
    /// Tries every variant with exactly so many more changes, in fields from `first` on.
    fn vary(&mut self, base: &Base, variant: &Variant, changes: usize, first: usize) {
        if changes == 0 {
            return self.consider(base, variant);
        }
        for (at, field) in FIELDS.into_iter().enumerate().skip(first) {
            for changed in self.values(field, variant) {
                self.vary(base, &changed, changes - 1, at + 1);
            }
        }
    }

    /// The variants that differ in one field.
    fn values(&self, field: &str, variant: &Variant) -> Vec<Variant> {
        let Variant { method, goal } = variant;
        let with = |method: Method| Variant { method, ..variant.clone() };
        let names: Vec<&str> = match field {
            "goal board" => {
                let others = NamedGoal::ALL
                    .into_iter()
                    .filter(|&other| goal.is_some_and(|goal| goal != other));
                return others
                    .map(|other| Variant { goal: Some(other), ..variant.clone() })
                    .collect();
            }
            "heuristic" => {
                let named = self.asked.method.is_some_and(|text| text.contains(':'));
                let others = [
                    Estimate::Misplaced,
                    Estimate::Euclidean,
                    Estimate::Manhattan,
                    Estimate::Linear,
                ]
                .into_iter()
                .filter(|other| method.estimate.as_ref().is_some_and(|own| own != other) && !named);
                return others
                    .map(|other| with(Method { estimate: Some(other), ..method.clone() }))
                    .collect();
            }
            "moves" => {
                let others = orders().into_iter().filter(|&other| other != method.moves);
                return others.map(|moves| with(Method { moves, ..method.clone() })).collect();
            }
            "tie" => Tie::ALL.iter().map(|value| value.name()).collect(),
            "order" => [Order::Fifo, Order::Lifo, Order::Heap].map(Order::name).to_vec(),
            "goal" => GoalTest::ALL.iter().map(|value| value.name()).collect(),
            "duplicates" => Duplicates::ALL.iter().map(|value| value.name()).collect(),
            // Elsewhere nothing is reopened anyway.
            "reopen" if method.policy.duplicates == Duplicates::Cheaper => {
                Reopen::ALL.iter().map(|value| value.name()).collect()
            }
            "undo" => Undo::ALL.iter().map(|value| value.name()).collect(),
            _ => Vec::new(),
        };
        if !method.algorithm.policy_fields().contains(&field) {
            return Vec::new();
        }
        let own = method.policy.get(field);
        let set = |name: &str| {
            let mut policy: Policy = method.policy.clone();
            policy.set(field, name).ok()?;
            Some(with(Method { policy, ..method.clone() }))
        };
        names.into_iter().filter(|name| own.as_deref() != Some(*name)).filter_map(set).collect()
    }

    /// Runs a variant, and keeps it if some way of counting explains the counts.
    fn consider(&mut self, base: &Base, variant: &Variant) {
        let Some((goal, counts)) = self.counts(base, variant) else { return };
        let fits = |counting: &Counting| counting.gives(&counts, self.sought);
        let Some(counting) = Counting::all()
            .filter(fits)
            .min_by_key(|counting| counting.changes(base.counting).len())
        else {
            return;
        };
        let own = base.known.method();
        let mut changes = Vec::new();
        if let (Some(goal), true) = (variant.goal, self.asked.goal.is_none())
            && goal != base.course.goal
        {
            changes.push(format!("the goal is {goal}, not {}", base.course.goal));
        }
        if let (Some(ours), Some(theirs)) = (&variant.method.estimate, &own.estimate)
            && ours != theirs
        {
            changes.push(format!("the heuristic is {ours}, not {theirs}"));
        }
        for (field, ours, theirs) in differences(&variant.method, &own) {
            changes.push(format!("{field}={ours}, not {theirs}"));
        }
        changes.extend(counting.changes(base.counting).into_iter().map(str::to_owned));
        if changes.len() <= MOST {
            self.found.push(Match {
                course: base.course.name,
                name: base.known.names[0],
                method: variant.method.clone(),
                goal: goal.to_string(),
                changes,
                counts,
            });
        }
    }

    /// What a variant counts, if it solves the puzzle with as many expansions as were reported.
    fn counts(&mut self, base: &Base, variant: &Variant) -> Option<(Board, Counts)> {
        let Question { start, goal, .. } = *self.asked;
        let goal = match (goal, variant.goal) {
            (Some(goal), _) => goal.clone(),
            (None, named) => named?.board(start.size(), start.blanks().count()),
        };
        let puzzle = Puzzle::new(start.clone(), goal.clone()).ok()?;
        let Convention { cost, jumps, .. } = base.course;
        let key = format!("{} {goal} {cost} {jumps}", variant.method);
        if let Some(known) = self.known.get(&key) {
            return known.map(|counts| (goal, counts));
        }
        if self.left == 0 || self.monitor.is_cancelled() {
            self.complete = false;
            return None;
        }
        if !is_reachable(&puzzle) {
            self.known.insert(key, None);
            return None;
        }
        let mut task: Task = base.course.task(puzzle, variant.method.clone());
        task.limits.seconds = None;
        task.limits.expanded = Some(self.sought.expanded + 1);
        let report = self.session.run(&task, Watch::by(self.monitor));
        self.left = self.left.saturating_sub(report.counts.expanded.max(1));
        let counts = (report.outcome == Ending::Solved).then_some(report.counts);
        self.known.insert(key, counts);
        counts.map(|counts| (goal, counts))
    }
}

/// The fields that may be changed, each in all its values.
const FIELDS: [&str; 9] =
    ["goal board", "heuristic", "tie", "order", "goal", "duplicates", "reopen", "undo", "moves"];

/// Every order of the four moves.
fn orders() -> Vec<MoveOrder> {
    let mut orders = Vec::new();
    for a in Move::ALL {
        for b in Move::ALL {
            for c in Move::ALL {
                for d in Move::ALL {
                    // Anything but four different moves is refused.
                    orders.extend(format!("{a}{b}{c}{d}").parse::<MoveOrder>());
                }
            }
        }
    }
    orders
}

impl Counting {
    /// How a course counts.
    fn of(course: &Convention) -> Self {
        let has = |what| course.figures.iter().any(|figure| figure.what == what);
        let states = has(What::Visited);
        Self([has(What::Taken), has(What::Generated) || states, !states, false])
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits| Self([1, 2, 4, 8].map(|bit| bits & bit > 0)))
    }

    fn gives(self, counts: &Counts, sought: Sought) -> bool {
        let Self([goal, root, duplicates, late]) = self;
        let dropped = if duplicates { 0 } else { counts.duplicates };
        let generated = counts.generated - dropped + u64::from(root);
        let queue = counts.frontier_peak.saturating_sub(u64::from(late));
        sought.expanded == counts.expanded + u64::from(goal)
            && sought.queue.is_none_or(|sought| sought == queue)
            && sought.generated.is_none_or(|sought| sought == generated)
    }

    /// What differs from another way of counting.
    fn changes(self, from: Self) -> Vec<&'static str> {
        let habits = HABITS.into_iter().zip(self.0.into_iter().zip(from.0));
        habits
            .filter(|(_, (ours, theirs))| ours != theirs)
            .map(|((yes, no), (ours, _))| if ours { yes } else { no })
            .collect()
    }
}
