//! Weighted A*, compared with expansions counted by HOG2's programs.

use taquin::{Session, Watch};

use crate::both_ends::{rows_with, task};

/// The programs do not reopen, their heap moves the entries of nodes with cheaper paths, and their
/// successors come in this order. The move back counts where it extends a priority.
fn method(w: &str, phi: &str) -> String {
    format!("wastar:manhattan,w={w},phi={phi},order=indexed,reopen=never,undo=keep,moves=RLDU")
}

fn check(instances: &[usize]) {
    for (phi, column) in [("wa", "WA"), ("pwxdp", "XDP"), ("pwxup", "XUP")] {
        for (w, weight) in [("3/2", "1.50"), ("2", "2.00"), ("3", "3.00")] {
            for row in rows_with("WA_1.50_expanded") {
                if !instances.is_empty() && !instances.contains(&row.korf) {
                    continue;
                }
                let report = Session::without_folder()
                    .run(&task(row.korf, &method(w, phi)), Watch::default());
                // The programs count the goal.
                let counted = (report.counts.expanded + 1, report.cost.map(u64::from));
                let [expanded, cost] = ["expanded", "cost"]
                    .map(|figure| row.counts[&*format!("{column}_{weight}_{figure}")]);
                assert_eq!(counted, (expanded, Some(cost)), "{phi}, w={w} of Korf {}", row.korf);
            }
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
