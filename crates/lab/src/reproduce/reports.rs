//! Figures from reports, as they are printed there.

use taquin::{InversionRow, Watch, inversion_table};

use super::{Agreement, Bench, board};

const DEPTH_24: &str = "072461358";

pub(super) fn ucr_list(bench: &mut Bench<'_>) -> Option<()> {
    let keys = ["nodes_expanded", "max_queue_size"];
    for (what, method, start, published) in [
        ("depth 2, uniform cost: expanded/queue", "1", "123456078", "3/4"),
        ("depth 24, misplaced: expanded/queue", "2", DEPTH_24, "17768/8717"),
        ("depth 24, Manhattan: expanded/queue", "3", DEPTH_24, "1757/967"),
    ] {
        let report = bench.run(method, board(start))?;
        let ours = bench.printed(&report, &keys);
        bench.compare(what, published, ours);
    }
    let report = bench.run("1", board(DEPTH_24))?;
    let nearer = report.before_last_bound.map_or(0, |counts| counts.expanded);
    bench.explain(
        "depth 24, uniform cost: expanded/queue",
        "38294/18321",
        Some(bench.printed(&report, &keys)),
        Agreement::Misprint,
        format!(
            "that program can't print it: uniform cost search expands every board nearer than the goal \
             first, which are {nearer} here in any order of moves"
        ),
    );
    let fifteen = bench.course.puzzle(board("13 7 4 8/10 0 12 1/15 2 5 9/14 3 6 11"));
    let task = bench.course.task(fifteen, "ida:linear".parse().ok()?);
    let report = bench.session.run(&task, Watch::by(bench.monitor));
    let depth = report.depth.filter(|_| report.optimal)?;
    bench.compare("the 15-puzzle that took 23 min 37 s: fewest moves", 48, depth);
    Some(())
}

pub(super) fn ucr_heap(bench: &mut Bench<'_>) -> Option<()> {
    let keys = ["node_expand_number", "max_queue_size"];
    for (what, method, start, published) in [
        ("depth 4, uniform cost: expanded/queue", "1", "123506478", "27/22"),
        ("depth 20, misplaced: expanded/queue", "2", "712485630", "2532/1504"),
        ("depth 20, Manhattan: expanded/queue", "3", "712485630", "338/218"),
    ] {
        let report = bench.run(method, board(start))?;
        let ours = bench.printed(&report, &keys);
        bench.compare(what, published, ours);
    }
    Some(())
}

pub(super) fn cse5aif(bench: &mut Bench<'_>) -> Option<()> {
    let report = bench.run("bfs", board("6 7 5/4 3 0/2 1 8"))?;
    let ours = bench.printed(&report, &["visited_states", "steps"]);
    bench.compare("6 7 5/4 3 0/2 1 8: visited states/steps", "162680/25", ours);
    let puzzle = bench.course.puzzle(board("5 2 8/4 1 7/0 3 6"));
    let rows: Vec<InversionRow> = inversion_table(&puzzle).collect();
    let of_seven = rows.iter().find(|row| row.tile == 7)?;
    let list: Vec<String> = of_seven.precedes.iter().map(ToString::to_string).collect();
    let total: usize = rows.iter().map(|row| row.precedes.len()).sum();
    bench.explain(
        "5 2 8/4 1 7/0 3 6: smaller tiles after 7",
        "3 4",
        Some(list.join(" ")),
        Agreement::Misprint,
        format!("4 stands before 7, and 6 after it; in all there are {total} inversions"),
    );
    Some(())
}

pub(super) fn nxm(bench: &mut Bench<'_>) -> Option<()> {
    let one = "1 2 3 4 5/6 7 8 9 0/11 12 13 0 10";
    let both = "1 2 3 4 5/6 7 8 0 0/11 12 13 9 10";
    for (what, method, start, published) in [
        ("one blank up", "BFS", one, 4),
        ("one blank up", "DFS", one, 4),
        ("one blank up", "GBFS", one, 7),
        ("one blank up", "AS", one, 7),
        ("one blank up", "CUS2", one, 7),
        ("both blanks up", "BFS", both, 24),
        ("both blanks up", "GBFS", both, 14),
        ("both blanks up", "AS", both, 14),
        ("both blanks up", "CUS2", both, 20),
    ] {
        let report = bench.run(method, board(start))?;
        let ours = bench.printed(&report, &["nodes"]);
        bench.compare(format!("3x5, {what}, {method}: generated"), published, ours);
    }
    bench.explain(
        "3x5, 60 moves from the goal: generated",
        3558,
        None,
        Agreement::Open,
        "the report does not print its start, so it can't be reproduced",
    );
    Some(())
}
