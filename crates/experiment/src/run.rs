//! One search of an experiment, and what it is called in a store.

use std::fmt::Write;

use taquin::{Costs, Method, Puzzle, Task, TaskLimits};
use taquin_lab::instances::Instance;
use xxhash_rust::xxh3::xxh3_128;

/// One search that is to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// What is to be solved.
    pub instance: Instance,
    /// What the method is called in tables and charts.
    pub name: String,
    /// How.
    pub method: Method,
    /// The course or paper whose rules are followed.
    pub course: Option<String>,
    /// What a move costs.
    pub costs: Costs,
    /// Whether a blank may step onto another.
    pub jumps: bool,
    /// How many threads the search may use.
    pub threads: usize,
    /// Which repetition it is, from 1.
    pub repeat: u32,
    /// How far it may go.
    pub limits: TaskLimits,
}

impl Run {
    /// What it is called in a store: a number made of all that determines what comes of it.
    ///
    /// The limits are no part of it. They decide how far a search goes, not what it does, so that a
    /// limit can be raised and the searches that it ended repeated. Only a method that divides its
    /// time, such as `auto`, does something else under another limit.
    pub fn key(&self) -> String {
        let Self { instance, costs, course, jumps, threads, repeat, .. } = self;
        let mut text = format!(
            "start={}\ngoal={}\nmethod={}\ncosts={costs}\njumps={jumps}\ncourse={}\nthreads={threads}\nrepeat={repeat}\n",
            instance.puzzle.start(),
            instance.puzzle.goal(),
            in_full(&self.method),
            course.as_deref().unwrap_or(""),
        );
        if matches!(self.method.algorithm.name(), "auto" | "anytime") {
            let _ =
                writeln!(text, "time={:?}\nmemory={:?}", self.limits.seconds, self.limits.memory);
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// The same as the facade takes it.
    pub fn task(&self) -> Task {
        Task {
            cost: self.costs.clone(),
            limits: self.limits.clone(),
            threads: self.threads,
            jumps: self.jumps,
            ..Task::new(self.instance.puzzle.clone(), self.method.clone())
        }
    }

    /// The seed of a method that has one.
    pub(crate) fn seed(&self) -> Option<u64> {
        let random = self.method.policy.get("order").is_some_and(|order| order == "random");
        random.then_some(self.method.policy.seed)
    }
}

/// A method with every field, those that it has by default too: what is the default may change.
pub fn in_full(method: &Method) -> String {
    let mut text = method.algorithm.to_string();
    if let Some(estimate) = &method.estimate {
        let _ = write!(text, ":{estimate}");
    }
    let fields = method.algorithm.fields();
    for field in &fields {
        if let Some(value) = method.policy.get(field) {
            let _ = write!(text, ",{field}={value}");
        }
    }
    let _ = write!(text, ",moves={}", method.moves);
    // Some algorithms have no order of moves, or less to be set than a policy has.
    match text.parse::<Method>() {
        Ok(read) if read == *method => text,
        _ => method.to_string(),
    }
}

/// A puzzle from two texts of a store.
pub(crate) fn puzzle(start: &str, goal: &str) -> Option<Puzzle> {
    Puzzle::new(start.parse().ok()?, goal.parse().ok()?).ok()
}
