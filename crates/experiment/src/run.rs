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
            self.method.in_full(),
            course.as_deref().unwrap_or(""),
        );
        if self.method.algorithm.divides_limits() {
            let TaskLimits { seconds, memory, expanded, .. } = self.limits;
            let _ = writeln!(text, "time={seconds:?}\nmemory={memory:?}");
            if let Some(nodes) = expanded {
                let _ = writeln!(text, "nodes={nodes}");
            }
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
}

/// A puzzle from two texts of a store.
pub(crate) fn puzzle(start: &str, goal: &str) -> Option<Puzzle> {
    Puzzle::new(start.parse().ok()?, goal.parse().ok()?).ok()
}
