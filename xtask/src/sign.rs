//! One number that changes when any node count does.
//!
//! Every method in a list searches every puzzle in another, and all machine-independent counts go
//! into a hash. Two versions with the same number search alike. The commit that means a change
//! accepts the new number.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use taquin::{
    Board, Costs, Counts, Ending, Method, NamedGoal, Puzzle, Report, Session, Task, Watch,
};

/// The file with the number that the tests expect.
const ACCEPTED: &str = "xtask/signature.txt";

/// Searches are cut off here: a count at a limit is as telling as one at a goal.
const MAX_GENERATED: u64 = 50_000;

/// A start, a named goal, the costs.
const PUZZLES: &[(&str, NamedGoal, &str)] = &[
    // Two of 14 and 5 moves, and the farthest from two goals.
    ("8 1 3/4 0 2/7 6 5", NamedGoal::Last, "unit"),
    ("8 6 7/2 5 4/3 0 1", NamedGoal::Last, "unit"),
    ("8 7 6/0 4 1/2 5 3", NamedGoal::First, "unit"),
    ("2 8 3/1 6 4/7 0 5", NamedGoal::Snail, "unit"),
    // Prices, with which a path that comes later can be cheaper.
    ("2 3 6/1 0 7/4 8 5", NamedGoal::Last, "tile"),
    ("4 3 6/8 7 1/0 5 2", NamedGoal::First, "9,1,4,4,2,7,1,3"),
    // Several blanks.
    ("7 6 5/4 0 3/2 1 0", NamedGoal::Last, "unit"),
    ("0 5 0/4 3 6/2 0 1", NamedGoal::First, "tile"),
    // A rectangle, a line, and what can't be reached.
    ("5 1 2 4/9 6 3 8/10 0 7 11", NamedGoal::Last, "unit"),
    ("1 0 2 0 3 0/", NamedGoal::Last, "unit"),
    ("2 1 3/4 5 0", NamedGoal::Last, "unit"),
    // One for every layout of larger boards.
    ("1 8 3 0/5 7 4 12/14 6 2 15/9 13 10 11", NamedGoal::Last, "unit"),
    ("5 1 4 8/2 6 3 12/9 10 7 0/13 14 11 15", NamedGoal::Last, "tile"),
    ("1 7 2 3 5/6 8 4 9 10/11 12 0 13 15/16 17 18 14 19/21 22 23 24 20", NamedGoal::Last, "unit"),
    (
        "1 2 3 4 5 6/7 8 9 16 11 12/13 14 10 15 17 18/19 20 21 22 23 24/25 26 27 28 0 30/31 32 33 34 29 35",
        NamedGoal::Last,
        "unit",
    ),
];

const METHODS: &[&str] = &[
    "bfs",
    "bfs,goal=expansion,undo=keep",
    "bfs,duplicates=keep,moves=RDLU",
    "dfs",
    "dfs,depth=20,duplicates=cheaper,reopen=always",
    "ucs",
    "ucs,duplicates=expanded",
    "greedy:manhattan",
    "greedy:misplaced,order=lifo",
    "astar:zero",
    "astar:misplaced",
    "astar:euclidean",
    "astar:manhattan",
    "astar:manhattan,tie=low-g,order=fifo",
    "astar:manhattan,tie=none,order=heap",
    "astar:manhattan,order=random,seed=3",
    "astar:manhattan,duplicates=generated,goal=generation",
    "astar:manhattan,reopen=never,undo=keep,moves=LRUD",
    "astar:linear",
    "astar:gaschnig",
    "astar:max=linear+gaschnig,duplicates=expanded",
    "wastar:manhattan,w=3/2",
    "wastar:linear,w=5,reopen=never",
    "beam:linear,k=20",
    "random,seed=7",
    "bidirectional",
    "ids",
    "ids,goal=expansion,undo=keep",
    "ida:manhattan",
    "ida:linear,moves=DRLU",
    "ida:max=manhattan+gaschnig,goal=expansion",
];

/// Prints the signature, and makes it the expected one if asked to; `false` if another is expected.
pub(crate) fn sign(verbose: bool, accept: bool) -> Result<bool> {
    let signature = signature(|line| {
        if verbose {
            println!("{line}");
        }
    })?;
    println!("{signature}");
    if accept {
        let path = crate::path(ACCEPTED);
        std::fs::write(&path, format!("{signature}\n"))
            .with_context(|| format!("can't write {}", path.display()))?;
        return Ok(true);
    }
    let accepted = accepted()?;
    if accepted != signature {
        eprintln!("the tests expect {accepted}; if counts were meant to change, add --accept");
    }
    Ok(accepted == signature)
}

fn accepted() -> Result<String> {
    let path = crate::path(ACCEPTED);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("can't read {}: write it with --accept", path.display()))?;
    Ok(text.trim().to_owned())
}

/// Runs every search, prints a line for each, and returns the hash of all counts.
fn signature(mut tell: impl FnMut(&str)) -> Result<String> {
    let session = Session::without_folder();
    let mut hash = Hash::new();
    for (start, goal, cost) in PUZZLES {
        let start: Board = start.parse().with_context(|| format!("the board {start}"))?;
        let goal = goal.board(start.size(), start.blanks().count());
        let puzzle = Puzzle::new(start, goal)?;
        let cost: Costs = cost.parse()?;
        tell(&format!("{} -> {}, cost {cost}", puzzle.start(), puzzle.goal()));
        for method in METHODS {
            let method: Method = method.parse().with_context(|| format!("the method {method}"))?;
            let mut task = Task::new(puzzle.clone(), method);
            task.cost = cost.clone();
            task.search_anyway = true;
            task.limits.generated = Some(MAX_GENERATED);
            let report = session.run(&task, Watch::default());
            hash.add(&numbers(&report.counts));
            hash.add(&numbers(&report.before_last_bound.unwrap_or_default()));
            tell(&line(&report));
        }
    }
    Ok(format!("{:016x}", hash.0))
}

/// The counts that are the same on every machine.
fn numbers(counts: &Counts) -> [u64; 8] {
    let &Counts {
        expanded,
        generated,
        duplicates,
        reopened,
        dropped_cheaper,
        frontier_peak,
        depth_peak,
        stored_peak,
        // Bytes depend on the width of a pointer and on how the allocator rounds.
        memory_peak: _,
    } = counts;
    [
        expanded,
        generated,
        duplicates,
        reopened,
        dropped_cheaper,
        frontier_peak,
        depth_peak,
        stored_peak,
    ]
}

fn line(report: &Report) -> String {
    let end = match (report.outcome, report.cost) {
        (Ending::Solved, Some(cost)) => format!("cost {cost}"),
        (Ending::Exhausted, _) => "exhausted".to_owned(),
        _ => "stopped".to_owned(),
    };
    let mut line = format!("  {:<56} {end:<10}", report.method.to_string());
    for number in numbers(&report.counts) {
        let _ = write!(line, " {number:>6}");
    }
    line
}

/// FNV-1a of the numbers' bytes, lowest first.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, numbers: &[u64]) {
        for byte in numbers.iter().flat_map(|number| number.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_counts_are_the_accepted_ones() {
        let signature = signature(|_| ()).unwrap();
        assert_eq!(
            signature,
            accepted().unwrap(),
            "node counts have changed; if that is meant, run `cargo xtask sign --accept` and say so \
             in the commit"
        );
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // FNV-1a for the letter a and seven zeros, worked out from the definition; and for nothing.
        let mut hash = Hash::new();
        assert_eq!(hash.0, 14_695_981_039_346_656_037);
        hash.add(&[u64::from(b'a')]);
        let prime = 1_099_511_628_211u64;
        let after_a = 0xaf63_dc4c_8601_ec8c_u64;
        assert_eq!(hash.0, (0..7).fold(after_a, |hash, _| hash.wrapping_mul(prime)));
    }
}
