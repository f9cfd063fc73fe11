//! Searches from both ends, compared with expansions counted by the programs of their authors.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use taquin::{
    Board, Costs, Estimate, Event, Puzzle, Report, Session, Task, TraceNode, Verdict, Watch,
};
use taquin_lab::instances::read;
use taquin_search::{ImplicitGraph, Limits, Policy, Problem, Random};

/// A row of the file: the counts of an instance by the names of the columns.
pub(crate) struct Row {
    pub(crate) korf: usize,
    pub(crate) counts: HashMap<&'static str, u64>,
    /// The cost at (t + 2) / (t + 1), if the file has it.
    fraction: f64,
}

/// All rows with counts of BAE*.
fn rows() -> Vec<Row> {
    let all = rows_with("bae_pohl_expanded");
    assert_eq!(all.len(), 34);
    all
}

/// All rows that have a value in a column.
pub(crate) fn rows_with(column: &str) -> Vec<Row> {
    let file = include_str!("../../data/bihs_korf.csv");
    let mut lines = file.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &'static str| {
        let values = names.iter().copied().zip(line.split(','));
        let mut fractions = values.clone().filter(|(name, _)| *name == "bts_frac_cost");
        let fraction = fractions.next().and_then(|(_, value)| value.parse().ok()).unwrap_or(0.0);
        let counts: HashMap<&str, u64> =
            values.filter_map(|(name, value)| Some((name, value.parse().ok()?))).collect();
        Row { korf: counts["korf"] as usize, counts, fraction }
    };
    lines.map(row).filter(|row| row.counts.contains_key(column)).collect()
}

pub(crate) fn task(korf: usize, method: &str) -> Task {
    let instances =
        read(&format!("korf100 {korf}"), None, Path::new(""), &Session::without_folder()).unwrap();
    Task::new(instances[0].puzzle.clone(), method.parse().unwrap())
}

fn run(korf: usize, method: &str) -> Report {
    let report = Session::without_folder().run(&task(korf, method), Watch::default());
    assert!(report.optimal, "{method} of Korf {korf}");
    report
}

/// The file's BAE*: ties come from a heap, and successors in this order.
const SIDES: [(&str, &str, &str); 2] = [
    ("bae,order=heap,moves=RLDU", "bae_alternating_expanded", "bae_alternating_necessary"),
    ("bae,order=heap,side=pohl,moves=RLDU", "bae_pohl_expanded", "bae_pohl_necessary"),
];

/// The file has counts that prove nothing for this side of this instance, as another test shows. The
/// other 67 pairs of counts are the same here.
fn is_wrong(row: &Row, expanded: &str) -> bool {
    row.korf == 7 && expanded == "bae_pohl_expanded"
}

fn check_bae(row: &Row) {
    for (method, expanded, necessary) in SIDES {
        let report = run(row.korf, method);
        let what = format!("{method} of Korf {}", row.korf);
        assert_eq!(report.cost.map(u64::from), Some(row.counts["cost"]), "{what}");
        if !is_wrong(row, expanded) {
            assert_eq!(report.counts.expanded, row.counts[expanded], "{what}");
            // The file leaves out the roots and the last nodes of the least b.
            let before = report.before_last_bound.unwrap().expanded;
            let left_out = before - row.counts[necessary];
            assert!((2..=12).contains(&left_out), "{what}: {before}, {left_out} more");
        }
    }
}

/// The bound that BAE\* can prove if each of its searches expands so many states: the mean of their least
/// b. Of a search, b = 2g + h - h' is the cost of a path if each move costs 2 and what it changes about
/// h - h', so that uniform-cost search finds the least b of the states that are left.
fn provable(puzzle: &Puzzle, expansions: u64) -> u64 {
    let session = Session::without_folder();
    let least = |puzzle: &Puzzle| {
        let [ahead, back] = [puzzle, &puzzle.reversed()]
            .map(|puzzle| session.evaluator(&Estimate::Manhattan, puzzle, &Costs::Unit).unwrap());
        let difference =
            |board: &Board| i64::from(ahead.estimate(board)) - i64::from(back.estimate(board));
        let successors = |board: &Board| {
            let (size, blank) = (board.size(), board.blanks().next().unwrap());
            let near = (0..16).filter(|&cell| size.distance(blank, cell) == 1);
            let next = near.map(|cell| board.swapped(blank, cell));
            let cost = |next: &Board| 2 + difference(next) - difference(board);
            next.map(|next| (next.clone(), cost(&next) as u32)).collect::<Vec<_>>()
        };
        let graph = ImplicitGraph::new(successors, |_: &Board| false);
        let limits = Limits { expanded: Some(expansions), ..Limits::default() };
        let policy = Policy::ucs();
        let search = Problem::new(&graph, puzzle.start()).limits(&limits).best_first(&policy).run();
        u64::from(search.lower_bound) + difference(puzzle.start()) as u64
    };
    (least(puzzle) + least(&puzzle.reversed())).div_ceil(2)
}

/// With 84,493 expansions the length of Korf 7 cannot be proven, not even if each search had as many.
/// The counts of other instances are enough.
#[test]
fn a_count_of_the_file_is_too_low_for_a_proof() {
    for row in rows().iter().filter(|row| [7, 19, 55].contains(&row.korf)) {
        for (_, expanded, _) in SIDES {
            // A million would take seconds.
            if row.counts[expanded] < 100_000 {
                let bound = provable(&task(row.korf, "bae").puzzle, row.counts[expanded]);
                let proves = bound >= row.counts["cost"];
                assert_eq!(proves, !is_wrong(row, expanded), "{expanded} of Korf {}", row.korf);
            }
        }
    }
}

#[test]
fn bae_expands_what_the_file_has() {
    for row in rows().iter().filter(|row| [12, 19, 55, 79].contains(&row.korf)) {
        check_bae(row);
    }
}

#[test]
#[ignore = "the whole file: some minutes, and 1 GB of memory"]
fn bae_expands_what_the_whole_file_has() {
    rows().iter().for_each(check_bae);
}

/// The file has costs of (t + 2) / (t + 1), in decimals, and the costs from IDA* and from budgeted
/// tree search.
fn check_bts(row: &Row, costs: &str) {
    let unit_costs = costs == "unit";
    let expanded = if unit_costs { "bts_2_8_expanded" } else { "bts_frac_expanded" };
    let Some(&expected) = row.counts.get(expanded) else { return };
    let mut task = task(row.korf, "bts:manhattan,moves=RLDU");
    task.cost = costs.parse().unwrap();
    let report = Session::without_folder().run(&task, Watch::default());
    let what = format!("Korf {} at {costs}", row.korf);
    assert!(report.optimal, "{what}");
    if unit_costs {
        assert_eq!(report.cost.map(u64::from), Some(row.counts["cost"]), "{what}");
    } else {
        let cost = f64::from(report.cost.unwrap()) / 720_720.0;
        assert!((cost - row.fraction).abs() < 1e-4, "{what}: {cost}");
    }
    assert_eq!(report.counts.expanded, expected, "{what}");
}

#[test]
fn bts_expands_what_the_file_has() {
    for row in rows().iter().filter(|row| [55, 79].contains(&row.korf)) {
        check_bts(row, "unit");
        check_bts(row, "hog2");
    }
}

#[test]
#[ignore = "the whole file: some minutes"]
fn bts_expands_what_the_whole_file_has() {
    for row in rows() {
        check_bts(&row, "unit");
        check_bts(&row, "hog2");
    }
}

#[test]
fn other_searches_find_the_lengths_of_the_file() {
    for row in rows().iter().filter(|row| [12, 19, 55, 79].contains(&row.korf)) {
        for algorithm in ["bae", "bae,side=pohl", "nbs", "mm", "dvcbs"] {
            let report = run(row.korf, algorithm);
            assert_eq!(report.cost.map(u64::from), Some(row.counts["cost"]), "{algorithm}");
            if algorithm == "nbs" {
                // Which of two equal pairs comes first decides about a few nodes.
                let necessary = report.before_last_bound.unwrap().expanded;
                let difference = necessary.abs_diff(row.counts["nbs_necessary"]);
                assert!(difference <= 2, "Korf {}: {difference}", row.korf);
            }
        }
    }
}

/// The counts of BAE* depend on ties, because a path that is found earlier drops more nodes.
#[test]
fn ties_decide_about_what_bae_expands() {
    let counts = ["heap", "lifo", "fifo"]
        .map(|order| run(79, &format!("bae,side=pohl,order={order}")).before_last_bound.unwrap());
    assert!(counts[0].expanded != counts[1].expanded && counts[1].expanded != counts[2].expanded);
}

/// The b of all open nodes of both searches, rebuilt from the steps of a search.
struct OpenLists {
    /// How many open nodes of each search have each b.
    counts: [BTreeMap<u64, u64>; 2],
    /// The b of each open node.
    nodes: HashMap<u64, u64>,
    estimates: [taquin::Evaluator; 2],
}

impl OpenLists {
    fn b(&self, node: &TraceNode) -> u64 {
        let size = taquin::Size::new(4, 4).unwrap();
        let board = Board::new(size, node.board.clone()).unwrap();
        let estimate = |side: u64| u64::from(self.estimates[side as usize].estimate(&board));
        let side = node.id % 2;
        assert_eq!(u64::from(node.h), estimate(side));
        2 * u64::from(node.g) + estimate(side) - estimate(1 - side)
    }

    fn add(&mut self, id: u64, b: u64) {
        self.nodes.insert(id, b);
        *self.counts[id as usize % 2].entry(b).or_default() += 1;
    }

    fn remove(&mut self, id: u64) {
        let Some(b) = self.nodes.remove(&id) else { return };
        let count = self.counts[id as usize % 2].get_mut(&b).unwrap();
        *count -= 1;
        if *count == 0 {
            self.counts[id as usize % 2].remove(&b);
        }
    }

    /// The bound of all pairs, unless one of the lists is empty.
    fn bound(&self) -> Option<u64> {
        let [forth, back] = self.counts.each_ref().map(|list| list.keys().next());
        Some((forth? + back?).div_ceil(2))
    }
}

/// The file counts an expansion as necessary if the bound of the remaining open nodes, without the
/// expanded one and its successors, is below the length of the solution. That leaves out both roots
/// and the last nodes with the least b, although the proven bound is too low while they are open.
fn check_necessary(row: &Row) {
    for (method, expanded, necessary) in SIDES.into_iter().filter(|side| !is_wrong(row, side.1)) {
        let task = task(row.korf, method);
        let session = Session::without_folder();
        let estimate =
            |puzzle| session.evaluator(&Estimate::Manhattan, puzzle, &Costs::Unit).unwrap();
        let estimates = [estimate(&task.puzzle), estimate(&task.puzzle.reversed())];
        let root = estimates[0].estimate(task.puzzle.start()).into();
        let mut open = OpenLists { counts: Default::default(), nodes: HashMap::new(), estimates };
        open.add(0, root);
        open.add(1, root);
        let mut counted = 0;
        let mut listen = |event: Event| match event {
            Event::Expand(node) => {
                open.remove(node.id);
                counted += u64::from(open.bound().is_some_and(|bound| bound < row.counts["cost"]));
            }
            Event::Discard(node) => open.remove(node.id),
            Event::Generate { verdict: Verdict::Kept | Verdict::Cheaper, node } => {
                open.remove(node.id);
                open.add(node.id, open.b(&node));
            }
            _ => {}
        };
        let watch = Watch { events: Some(&mut listen), ..Watch::default() };
        let report = session.run(&task, watch);
        let what = format!("{method} of Korf {}", row.korf);
        assert_eq!(counted, row.counts[necessary], "{what}");
        assert_eq!(report.counts.expanded, row.counts[expanded], "{what}");
    }
}

/// Two of the instances with up to 150,000 expansions on either side.
#[test]
fn necessary_expansions_of_a_sample_of_the_file_leave_out_the_node_in_hand() {
    let is_short = |row: &Row| SIDES.iter().all(|side| row.counts[side.1] < 150_000);
    let mut short: Vec<Row> = rows().into_iter().filter(is_short).collect();
    assert_eq!(short.len(), 8);
    Random::new(34).shuffle(&mut short);
    short[..2].iter().for_each(check_necessary);
}

#[test]
#[ignore = "the whole file: minutes, and 2 GB of memory"]
fn necessary_expansions_of_the_whole_file_leave_out_the_node_in_hand() {
    rows().iter().for_each(check_necessary);
}
