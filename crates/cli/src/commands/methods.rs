//! `taquin methods`.

use std::fmt::Write;

use taquin::{Algorithm, Duplicates, Estimate, GoalTest, Metric, Order, Rank, Reopen, Tie, Undo};

use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, print};

pub(crate) fn run() -> CommandResult {
    let mut text = format!("{BOLD}Methods{PLAIN} (solve -m METHOD)\n");
    for algorithm in Algorithm::ALL {
        let name = match algorithm.takes_heuristic() {
            true => format!("{algorithm}:HEURISTIC"),
            false => algorithm.to_string(),
        };
        let _ = writeln!(text, "  {name:<18} {}", algorithm.about());
    }
    let _ = writeln!(text, "\n{BOLD}Heuristics{PLAIN}");
    for estimate in Estimate::NAMED {
        let _ = writeln!(text, "  {:<18} {}", estimate.to_string(), estimate.about());
    }
    let pdb =
        "pattern databases: 5-5-5, 6-6-3, 7-8 (4x4), 6-6-6-6 (5x5), or tiles as in 1.2.3/4.5.6";
    let _ = writeln!(text, "  {:<18} {pdb}", "pdb=PARTITION");
    let _ = writeln!(text, "  {:<18} the greatest of several", "max=A+B");
    let _ = writeln!(
        text,
        "\n{BOLD}Fields{PLAIN}, set as in astar:manhattan,tie=low-g,order=fifo,moves=LRUD"
    );
    let values = |names: Vec<&str>| names.join(", ");
    for (field, values, about) in [
        ("rank", values(Rank::ALL.iter().map(|v| v.name()).collect()), "the lowest is taken first"),
        ("tie", values(Tie::ALL.iter().map(|v| v.name()).collect()), "among equal ranks"),
        ("order", values(Order::ALL.iter().map(|v| v.name()).collect()), "among those still equal"),
        ("goal", values(GoalTest::ALL.iter().map(|v| v.name()).collect()), "when a node is tested"),
        (
            "duplicates",
            values(Duplicates::ALL.iter().map(|v| v.name()).collect()),
            "what is dropped",
        ),
        (
            "reopen",
            values(Reopen::ALL.iter().map(|v| v.name()).collect()),
            "an expanded node reached more cheaply",
        ),
        (
            "undo",
            values(Undo::ALL.iter().map(|v| v.name()).collect()),
            "the move back to the parent",
        ),
        ("moves", "an order of U, D, L, R".to_owned(), "in which successors are generated"),
        (
            "metric",
            values(Metric::ALL.iter().map(|v| v.name()).collect()),
            "what table counts as a move",
        ),
        (
            "prune",
            "a number of moves from 2 to 12".to_owned(),
            "of sequences so long that lead to one board, ida tries one",
        ),
        ("w", "2, 3/2, 1.5".to_owned(), "the weight of wastar"),
        ("k", "a number".to_owned(), "the width of beam"),
        ("depth", "a number".to_owned(), "the depth limit"),
        ("seed", "a number".to_owned(), "of random, order=random and anytime"),
    ] {
        let _ = writeln!(text, "  {field:<11} {values:<37} {about}");
    }
    print(&text)?;
    Ok(0)
}
