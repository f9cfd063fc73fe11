//! Searches that keep to a weight, and anytime searches, on boards whose distances are known.

use std::sync::Arc;

use taquin::{
    Board, Cost, Costs, Ending, Estimate, Method, Monitor, OwnHeuristic, Phi, Report, Session,
    Task, TaskLimits, Watch, WithHeuristic,
};

use crate::oracle::Oracle;
use crate::solve::{boards, check_claims, checked, goals, price, task};

/// The methods that refuse a weight below 1.
pub(crate) const KEEP_TO_WEIGHT: [&str; 6] = ["focal", "dps", "ees", "ios", "awa", "ara"];

const WEIGHTS: [(&str, Cost, Cost); 4] = [("1.1", 11, 10), ("1.5", 3, 2), ("2", 2, 1), ("3", 3, 1)];

const METHODS: [&str; 9] = [
    "focal:manhattan",
    "focal:manhattan,d=linear",
    "dps:manhattan",
    "ees:manhattan",
    "ees:manhattan,d=linear",
    "ios:manhattan",
    "ios:manhattan,phi=xdp",
    "awa:manhattan",
    "ara:manhattan",
];

/// Checks that a solution costs at most the weight times the optimum, and that the report proves
/// it.
fn keeps_to(report: &Report, cheapest: Cost, (above, below): (Cost, Cost)) {
    let what = format!("{} of {}", report.method, report.puzzle.start());
    let (cost, bound) = (report.cost.unwrap(), report.lower_bound.unwrap());
    assert!(bound <= cheapest && cheapest <= cost, "{what}: {bound} {cheapest} {cost}");
    let is_anytime = ["awa", "ara"].contains(&report.method.algorithm.name());
    let (above, below) = if is_anytime { (1, 1) } else { (above, below) };
    assert!(cost * below <= bound * above, "{what}: {cost} is not proven by {bound}");
}

fn check<'a>(goal: &Board, costs: &Costs, boards: impl Iterator<Item = &'a (Board, Cost)>) {
    let boards: Vec<_> = boards.collect();
    for (w, above, below) in WEIGHTS {
        for method in METHODS {
            let method = format!("{method},w={w}");
            for (start, cheapest) in &boards {
                let task = Task { cost: costs.clone(), ..task(start, goal, &method) };
                keeps_to(&checked(&task, *cheapest), *cheapest, (above, below));
            }
        }
    }
}

#[test]
fn solutions_keep_to_the_weight() {
    for (goal, stride) in goals().iter().zip([9_973, 29_989, 29_989]) {
        check(goal, &Costs::Unit, boards(goal).iter().step_by(stride));
    }
    let goal = &goals()[0];
    for costs in [Costs::Tile, Costs::List(vec![7, 2, 30, 5, 2])] {
        let boards: Vec<_> = Oracle::new(goal, price(&costs)).boards().collect();
        check(goal, &costs, boards.iter().step_by(60_013));
    }
}

#[test]
#[ignore = "all 181,440 boards with every method and weight: half an hour on two cores"]
fn solutions_keep_to_the_weight_on_every_board() {
    let goal = &goals()[0];
    let boards = boards(goal);
    std::thread::scope(|scope| {
        for half in boards.chunks(boards.len().div_ceil(2)) {
            scope.spawn(|| check(goal, &Costs::Unit, half.iter()));
        }
    });
}

/// An estimate that is a share of the distance, a different one for each board, is not consistent.
fn inconsistent(goal: &Board, boards: &[(Board, Cost)]) -> OwnHeuristic {
    let known: std::collections::HashMap<_, _> = boards.iter().cloned().collect();
    let estimate = move |board: &Board| {
        let seed = board.tiles().iter().fold(7, |sum: u32, &tile| sum * 31 % 1_009 + tile as u32);
        known[board] * (70 + seed % 31) / 100
    };
    OwnHeuristic::new(goal.size(), estimate)
}

/// Solves boards with an inconsistent estimate, and checks what the reports claim.
fn without_consistency(
    goal: &Board,
    most: Cost,
    stride: usize,
    methods: &[String],
    check: impl Fn(&Report, Cost, &str),
) {
    for costs in [Costs::Unit, Costs::Tile] {
        let boards: Vec<_> = Oracle::new(goal, price(&costs)).boards().collect();
        let heuristic = inconsistent(goal, &boards);
        let most = if costs == Costs::Unit { most } else { most.saturating_mul(4) };
        for (start, cheapest) in boards.iter().filter(|board| board.1 <= most).step_by(stride) {
            for method in methods {
                let task = &Task { cost: costs.clone(), ..task(start, goal, method) };
                let job = WithHeuristic { task, heuristic: heuristic.clone(), admissible: true };
                let report = Session::without_folder().run(job, Watch::default()).unwrap();
                check_claims(task, &report, *cheapest);
                check(&report, *cheapest, method);
            }
        }
    }
}

#[test]
fn solutions_keep_to_the_weight_with_inconsistent_estimates() {
    for (w, above, below) in WEIGHTS {
        let methods = METHODS.into_iter().filter(|method| !method.contains("d="));
        let methods: Vec<_> = methods.map(|method| format!("{method},w={w}")).collect();
        let check = |report: &Report, cheapest: Cost, _: &str| {
            keeps_to(report, cheapest, (above, below));
        };
        without_consistency(&goals()[0], Cost::MAX, 90_017, &methods, check);
    }
}

/// Searches that are optimal with any estimate that is never too high, weighted A\*, and a walk.
#[test]
fn no_search_claims_a_false_optimum_with_inconsistent_estimates() {
    let optimal = ["astar", "ida", "rbfs", "bts", "bfida", "dfbnb", "sma"];
    let weighted = "wastar:manhattan,w=3/2".to_owned();
    let mut methods: Vec<_> = optimal.map(|name| format!("{name}:manhattan")).into();
    methods.extend([weighted.clone(), "lrta:manhattan,look=20".to_owned()]);
    methods.extend(Phi::NAMES.map(|phi| format!("wastar:manhattan,phi={phi},reopen=never")));
    let own = "4 1 7/0 8 2/3 6 5".parse().unwrap();
    without_consistency(&own, 18, 499, &methods, |report, cheapest, method| {
        let cost = report.cost.unwrap_or_else(|| panic!("{method}: {report:?}"));
        if *method == weighted {
            assert!(2 * cost <= 3 * cheapest, "{method}: {cost}, not {cheapest}");
        } else if optimal.contains(&report.method.algorithm.name()) {
            assert_eq!((cost, report.optimal), (cheapest, true), "{method}");
        }
    });
}

#[test]
fn better_and_better_answers_are_reported() {
    let start = "7 15 8 2/13 6 3 12/11 4 10 9/1 14 5 0".parse().unwrap();
    let goal = "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0".parse().unwrap();
    for method in ["awa:linear,w=5", "ara:linear,w=5"] {
        let limits = TaskLimits { expanded: Some(60_000), ..TaskLimits::default() };
        let task = Task { limits, ..task(&start, &goal, method) };
        let monitor = Arc::new(Monitor::default());
        let report = Session::without_folder().run(&task, Watch::by(&monitor));
        assert_eq!(report.outcome, Ending::Solved, "{method}");
        assert_eq!(report.improvements, monitor.improvements(0), "{method}");
        assert!(report.improvements.len() > 1, "{method}: {:?}", report.improvements);
        assert!(report.improvements.is_sorted_by(|one, next| one.cost > next.cost), "{method}");
        let last = report.improvements.last().unwrap();
        assert_eq!((Some(last.cost), Some(last.depth)), (report.cost, report.depth), "{method}");
        assert!(Some(last.lower_bound) <= report.lower_bound, "{method}");
    }
}

#[test]
fn weights_below_one_are_refused_before_any_work() {
    for name in KEEP_TO_WEIGHT {
        let error = format!("{name},w=0.9").parse::<Method>().unwrap_err();
        assert_eq!(error.to_string(), format!("{name} needs a weight of at least 1"));
        assert_eq!(error.hint(), Some("write w=1 or more, or use wastar"));
        assert!(format!("{name}:linear,w=1").parse::<Method>().is_ok());
    }
}

/// The number of moves can be estimated by another heuristic than their cost.
#[test]
fn the_distance_is_estimated_by_the_named_heuristic() {
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let counts = ["ees:manhattan", "ees:manhattan,d=linear", "ees:manhattan,d=pdb=1.2.3.4/5.6.7.8"]
        .map(|method| checked(&task(&start, &goals()[0], method), 31).counts.expanded);
    assert!(counts[0] != counts[1] && counts[1] != counts[2], "{counts:?}");
    let named: Method = "focal:manhattan,d=max=linear+gaschnig".parse().unwrap();
    assert!(matches!(named.distance.as_deref(), Some(Estimate::Max(_))));
}
