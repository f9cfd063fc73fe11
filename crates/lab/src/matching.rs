//! Finds the courses, and the policies near theirs, that give certain counts.
//!
//! For a student whose numbers differ from the answer key. Every course's methods are tried
//! unchanged, then with one field changed, then with two. The matches with the fewest changes
//! explain the numbers. A run ends as soon as it has expanded more nodes than were reported, so
//! each attempt costs no more than the student's own search.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, Counts, Duplicates, Ending, Estimate, GoalTest, Method, Monitor, MoveOrder, NamedGoal,
    Policy, Puzzle, Reason, Reopen, Session, Task, Tie, Undo, Watch, is_reachable,
};

use crate::course::{Course, CourseError, CourseGoal, CourseMethod, FigureKind};

/// The counts to explain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetCounts {
    /// The number of expanded nodes.
    pub expanded: u64,
    /// The largest queue.
    pub queue: Option<u64>,
    /// The number of generated nodes.
    pub generated: Option<u64>,
}

/// The known facts about the search.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The start.
    pub start: &'a Board,
    /// The goal, if it is known; otherwise each course's own goal and the other named ones are
    /// tried.
    pub goal: Option<&'a Board>,
    /// The method, if it is known.
    pub method: Option<&'a str>,
    /// The course; otherwise all built-in ones are tried.
    pub course: Option<&'a Course>,
    /// The number of nodes to expand in total before giving up.
    pub budget: u64,
    /// The most bytes for a search. Policies that need more are not tried to their end.
    pub memory: Option<u64>,
    /// Other boards with the same goal, and the counts that the same program printed for them.
    pub others: &'a [(Board, TargetCounts)],
}

/// A policy that gives the counts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Match {
    /// The nearest course.
    pub course: String,
    /// The course's name for the method.
    pub name: String,
    /// The method.
    pub method: Method,
    /// The goal, row by row.
    pub goal: String,
    /// The differences from the course, each in a few words; empty if there are none.
    pub changes: Vec<Difference>,
    /// How nodes are counted.
    #[serde(skip)]
    pub counting: Counting,
    /// The counts of the search.
    pub counts: Counts,
}

/// A difference between a policy and a course's policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Another goal.
    Goal {
        /// The goal of the policy.
        ours: CourseGoal,
        /// The goal of the course.
        theirs: CourseGoal,
    },
    /// Another heuristic.
    Heuristic {
        /// The heuristic of the policy.
        ours: Estimate,
        /// The heuristic of the course.
        theirs: Estimate,
    },
    /// Another value for one of the method's fields.
    Field {
        /// The field.
        name: &'static str,
        /// The value in the policy.
        ours: String,
        /// The value in the course.
        theirs: String,
    },
    /// Another way of counting.
    Counting {
        /// The way of the policy.
        ours: &'static str,
        /// The way of the course.
        theirs: &'static str,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goal { ours, theirs } => write!(f, "the goal is {ours}, not {theirs}"),
            Self::Heuristic { ours, theirs } => write!(f, "the heuristic is {ours}, not {theirs}"),
            Self::Field { name, ours, theirs } => write!(f, "{name}={ours}, not {theirs}"),
            Self::Counting { ours, .. } => f.write_str(ours),
        }
    }
}

impl Serialize for Difference {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The explanations that were found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Matches {
    /// The explanations with the fewest changes.
    pub found: Vec<Match>,
    /// The number of policies that were tried.
    pub tried: u64,
    /// Whether all policies with up to that number of changes were tried to their end.
    pub complete: bool,
    /// Why they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// The most changes to a course.
const MAX_CHANGES: usize = 2;

/// The policies that were tried so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attempts {
    /// Their number.
    pub tried: u64,
    /// The nodes that they expanded, out of [`Question::budget`].
    pub expanded: u64,
}

/// Finds the policies that give the counts with the fewest changes to a course, and calls `report`
/// after each that was tried.
///
/// # Errors
/// Fails if no course has the named method.
pub fn matching(
    sought: TargetCounts,
    asked: &Question<'_>,
    session: &Session,
    monitor: &Arc<Monitor>,
    report: &dyn Fn(Attempts),
) -> Result<Matches, CourseError> {
    let mut search = Search {
        sought,
        asked,
        session,
        monitor,
        report,
        left: asked.budget,
        known: HashMap::new(),
        found: Vec::new(),
        reason: None,
    };
    let bases = bases(asked)?;
    for changes in 0..=MAX_CHANGES {
        for base in &bases {
            search.vary(base, &base.variant(asked), changes, 0);
        }
        let fewest = search.found.iter().map(|found| found.changes.len()).min();
        if fewest.is_some_and(|fewest| fewest <= changes)
            || (search.is_over() && search.reason.is_some())
        {
            search.found.retain(|found| Some(found.changes.len()) == fewest);
            break;
        }
    }
    search.found.sort_by_key(|found| found.changes.len());
    let tried = search.known.len() as u64;
    let Search { found, reason, .. } = search;
    Ok(Matches { found, tried, complete: reason.is_none(), reason })
}

/// A method of a course, from which variants are made.
struct Base<'a> {
    course: &'a Course,
    known: &'a CourseMethod,
    counting: Counting,
}

/// A base with some fields changed.
#[derive(Clone)]
struct Variant {
    method: Method,
    goal: Option<CourseGoal>,
}

/// How nodes are counted, where courses differ: whether the goal counts as expanded, the root and
/// duplicates as generated, and whether the queue is read after a node is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counting([bool; 4]);

/// The habits of counting, each with its opposite.
const HABITS: [(&str, &str); 4] = [
    ("the goal counts as expanded", "the goal does not count as expanded"),
    ("the root counts as generated", "the root does not count as generated"),
    ("duplicates count as generated", "duplicates do not count as generated"),
    ("the queue is read after a node is removed", "the queue is read after an expansion"),
];

fn bases<'a>(asked: &Question<'a>) -> Result<Vec<Base<'a>>, CourseError> {
    let courses: Vec<&'a Course> = match asked.course {
        Some(only) => vec![only],
        None => Course::built_in().iter().map(AsRef::as_ref).collect(),
    };
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
        // Databases are not built for a guess.
        let is_tried = |known: &&CourseMethod| match &chosen {
            Some(name) => known.names[0] == *name,
            None => {
                let estimate = known.method.estimate.as_ref();
                estimate.is_none_or(|estimate| estimate.databases().is_empty())
            }
        };
        let known = course.methods.iter().filter(is_tried);
        bases.extend(known.map(|known| Base { course, known, counting: Counting::of(course) }));
    }
    match (bases.is_empty(), refused, asked.course) {
        // No course has it, so it is not a course's fault.
        (true, Some(CourseError::Method { method, .. }), None) => {
            Err(CourseError::NoMethod { method })
        }
        (true, Some(error), _) => Err(error),
        _ => Ok(bases),
    }
}

impl Base<'_> {
    fn variant(&self, asked: &Question<'_>) -> Variant {
        let goal = asked.goal.is_none().then(|| self.course.goal.clone());
        Variant { method: self.known.method.clone(), goal }
    }
}

struct Search<'a> {
    sought: TargetCounts,
    asked: &'a Question<'a>,
    session: &'a Session,
    monitor: &'a Arc<Monitor>,
    report: &'a dyn Fn(Attempts),
    left: u64,
    /// The counts from every run so far; `None` if it did not solve the puzzle.
    known: HashMap<String, Option<Counts>>,
    found: Vec<Match>,
    /// Why a policy was not tried to its end.
    reason: Option<Reason>,
}

impl Search<'_> {
    /// Whether no more policies are tried.
    fn is_over(&self) -> bool {
        self.left == 0 || self.monitor.is_cancelled()
    }

    /// Tries every variant with exactly `changes` more changes, in fields from `first` on.
    fn vary(&mut self, base: &Base<'_>, variant: &Variant, changes: usize, first: usize) {
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
        let names: &[&str] = match field {
            "goal board" => {
                let others = NamedGoal::ALL.into_iter().map(CourseGoal::Named);
                let others = others.filter(|other| goal.as_ref().is_some_and(|goal| goal != other));
                let with_goal = |other| Variant { goal: Some(other), ..variant.clone() };
                return others.map(with_goal).collect();
            }
            "heuristic" => {
                let named = self.asked.method.is_some_and(|text| text.contains(':'));
                let is_other = |other: &Estimate| {
                    !named && method.estimate.as_ref().is_some_and(|own| own != other)
                };
                return HEURISTICS
                    .into_iter()
                    .filter(is_other)
                    .map(|other| with(Method { estimate: Some(other), ..method.clone() }))
                    .collect();
            }
            "moves" => {
                let others = MoveOrder::all().filter(|&other| other != method.moves);
                return others.map(|moves| with(Method { moves, ..method.clone() })).collect();
            }
            "tie" => &Tie::NAMES,
            // A random order is not repeated by another program.
            "order" => &["fifo", "lifo", "heap"],
            "goal" => &GoalTest::NAMES,
            "duplicates" => &Duplicates::NAMES,
            // Nothing is reopened otherwise.
            "reopen" if method.policy.duplicates == Duplicates::Cheaper => &Reopen::NAMES,
            "undo" => &Undo::NAMES,
            _ => &[],
        };
        if !method.algorithm.row().policy_fields.contains(&field) {
            return Vec::new();
        }
        let own = method.policy.get(field);
        let set = |name: &&str| {
            let mut policy: Policy = method.policy.clone();
            policy.set(field, name).ok()?;
            Some(with(Method { policy, ..method.clone() }))
        };
        names.iter().filter(|name| own.as_deref() != Some(**name)).filter_map(set).collect()
    }

    /// Runs a variant, and keeps it if some way of counting gives the counts.
    fn consider(&mut self, base: &Base<'_>, variant: &Variant) {
        let asked = self.asked;
        let Some((goal, counts)) = self.counts(base, variant, asked.start, self.sought) else {
            return;
        };
        let fits = |counting: &Counting| counting.gives(&counts, self.sought);
        let mut countings: Vec<Counting> = Counting::all().filter(fits).collect();
        for (start, sought) in asked.others {
            if countings.is_empty() {
                return;
            }
            let Some((_, counts)) = self.counts(base, variant, start, *sought) else { return };
            countings.retain(|counting| counting.gives(&counts, *sought));
        }
        let nearest = countings.iter().min_by_key(|way| way.changes(base.counting).len());
        let Some(&counting) = nearest else { return };
        let own = &base.known.method;
        let mut changes = Vec::new();
        if let (Some(goal), true) = (&variant.goal, self.asked.goal.is_none())
            && *goal != base.course.goal
        {
            let (ours, theirs) = (goal.clone(), base.course.goal.clone());
            changes.push(Difference::Goal { ours, theirs });
        }
        if let (Some(ours), Some(theirs)) = (&variant.method.estimate, &own.estimate)
            && ours != theirs
        {
            changes.push(Difference::Heuristic { ours: ours.clone(), theirs: theirs.clone() });
        }
        for (name, ours, theirs) in variant.method.differences(own) {
            changes.push(Difference::Field { name, ours, theirs });
        }
        changes.extend(counting.changes(base.counting));
        if changes.len() <= MAX_CHANGES {
            self.found.push(Match {
                course: base.course.name.clone(),
                name: base.known.names[0].clone(),
                method: variant.method.clone(),
                goal: goal.to_string(),
                changes,
                counting,
                counts,
            });
        }
    }

    /// Returns a variant's counts, if it solves the puzzle with no more expansions than were
    /// reported.
    fn counts(
        &mut self,
        base: &Base<'_>,
        variant: &Variant,
        start: &Board,
        sought: TargetCounts,
    ) -> Option<(Board, Counts)> {
        let goal = match self.asked.goal {
            Some(goal) => goal.clone(),
            None => variant.goal.as_ref()?.board(start),
        };
        let puzzle = Puzzle::new(start.clone(), goal.clone()).ok()?;
        let Course { cost, jumps, .. } = base.course;
        let key = format!("{start} {} {goal} {cost} {jumps}", variant.method);
        if let Some(known) = self.known.get(&key) {
            return known.map(|counts| (goal, counts));
        }
        if self.is_over() {
            let is_cancelled = self.monitor.is_cancelled();
            self.reason = Some(if is_cancelled { Reason::Cancelled } else { Reason::Expanded });
            return None;
        }
        if !is_reachable(&puzzle) {
            self.known.insert(key, None);
            return None;
        }
        let mut task: Task = base.course.task(puzzle, variant.method.clone());
        task.limits.seconds = None;
        let enough = sought.expanded.saturating_add(1);
        task.limits.expanded = Some(enough.min(self.left));
        task.limits.memory = self.asked.memory;
        let report = self.session.run(&task, Watch::by(self.monitor));
        self.left = self.left.saturating_sub(report.counts.expanded.max(1));
        // A search with more nodes than were reported is not a match.
        let is_cut_short =
            matches!(report.reason, Some(Reason::Expanded | Reason::Memory | Reason::Cancelled));
        if is_cut_short && report.counts.expanded < enough {
            self.reason = report.reason;
        }
        let counts = (report.outcome == Ending::Solved).then_some(report.counts);
        self.known.insert(key, counts);
        let tried = self.known.len() as u64;
        (self.report)(Attempts { tried, expanded: self.asked.budget - self.left });
        counts.map(|counts| (goal, counts))
    }
}

/// The heuristics that courses use.
const HEURISTICS: [Estimate; 4] =
    [Estimate::Misplaced, Estimate::Euclidean, Estimate::Manhattan, Estimate::Linear];

/// The fields that may be changed, each to all its values.
const FIELDS: [&str; 9] =
    ["goal board", "heuristic", "tie", "order", "goal", "duplicates", "reopen", "undo", "moves"];

impl Counting {
    /// Returns the figures of a course that count expanded and generated nodes this way, if there
    /// are any for a search that tests for the goal at `goal`.
    pub(crate) fn figures(self, test: GoalTest) -> Option<[FigureKind; 2]> {
        let Self([goal, root, duplicates, late]) = self;
        let expanded = match goal {
            true if test == GoalTest::Expansion => FigureKind::Taken,
            true => return None,
            false => FigureKind::Expanded,
        };
        let generated = match (root, duplicates) {
            (true, true) => FigureKind::Generated,
            (false, true) => FigureKind::GeneratedWithoutRoot,
            (true, false) => FigureKind::Visited,
            (false, false) => return None,
        };
        (!late).then_some([expanded, generated])
    }

    /// How a course counts.
    fn of(course: &Course) -> Self {
        let has = |what| course.figures.iter().any(|figure| figure.what == what);
        let states = has(FigureKind::Visited);
        Self([has(FigureKind::Taken), has(FigureKind::Generated) || states, !states, false])
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits| Self([1, 2, 4, 8].map(|bit| bits & bit > 0)))
    }

    fn gives(self, counts: &Counts, sought: TargetCounts) -> bool {
        let Self([goal, root, duplicates, late]) = self;
        let dropped = if duplicates { 0 } else { counts.duplicates };
        let generated = counts.generated - dropped + u64::from(root);
        let queue = counts.frontier_peak.saturating_sub(u64::from(late));
        sought.expanded == counts.expanded + u64::from(goal)
            && sought.queue.is_none_or(|sought| sought == queue)
            && sought.generated.is_none_or(|sought| sought == generated)
    }

    /// The differences from another way of counting.
    fn changes(self, from: Self) -> Vec<Difference> {
        let habits = HABITS.into_iter().zip(self.0.into_iter().zip(from.0));
        habits
            .filter(|(_, (ours, theirs))| ours != theirs)
            .map(|((yes, no), (ours, _))| match ours {
                true => Difference::Counting { ours: yes, theirs: no },
                false => Difference::Counting { ours: no, theirs: yes },
            })
            .collect()
    }
}
