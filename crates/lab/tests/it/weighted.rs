//! Weighted A*, compared with expansions counted by HOG2's program.

use taquin::{Session, Watch};

use crate::both_ends::{rows_with, task};

/// The program does not reopen, its heap moves the entries of nodes with cheaper paths, and its
/// successors come in this order.
fn method(w: &str) -> String {
    format!("wastar:manhattan,w={w},reopen=never,order=indexed,moves=RLDU")
}

fn check(instances: &[usize]) {
    for (w, column) in [("3/2", "WA_1.50"), ("2", "WA_2.00"), ("3", "WA_3.00")] {
        for row in rows_with("WA_1.50_expanded") {
            if !instances.is_empty() && !instances.contains(&row.korf) {
                continue;
            }
            let report =
                Session::without_folder().run(&task(row.korf, &method(w)), Watch::default());
            // The program counts the goal.
            let counted = (report.counts.expanded + 1, report.cost.map(u64::from));
            let expanded = row.counts[&*format!("{column}_expanded")];
            let expected = (expanded, Some(row.counts[&*format!("{column}_cost")]));
            assert_eq!(counted, expected, "w={w} of Korf {}", row.korf);
        }
    }
}

#[test]
fn weighted_astar_expands_what_the_file_has() {
    check(&[19, 55, 79]);
}

#[test]
#[ignore = "the whole file: a few seconds of search, and more on a busy machine"]
fn weighted_astar_expands_what_the_whole_file_has() {
    check(&[]);
}
