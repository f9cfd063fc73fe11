//! Shares of a space, exchanged in one thread: together they are the space.

use std::fs;
use std::path::PathBuf;

use taquin_search::Monitor;
use taquin_tables::whole::{ExploreError, Explorer, Member, Metric, SavedSpace, SharePlan, extent};
use taquin_tiles::{Board, NamedGoal};

fn plan(goal: &Board, process: usize, processes: usize) -> SharePlan {
    plan_of(goal, Metric::Single, process, processes)
}

fn plan_of(goal: &Board, metric: Metric, process: usize, processes: usize) -> SharePlan {
    SharePlan::new(goal, metric, Member { process, processes }, u64::MAX).unwrap()
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Exchanges the last layer and computes the next one. Returns the number of its boards.
fn advance(shares: &mut [Explorer]) -> u64 {
    let depth = shares[0].depths().len() - 1;
    for from in 0..shares.len() {
        // The first layers in more pieces than there are blocks.
        let pieces = if depth < 9 { 2 * depth + 1 } else { shares[from].pieces(depth) };
        for piece in 0..pieces {
            for to in 0..shares.len() {
                let mut words = Vec::new();
                let mut departures = shares[from].departures(depth, (piece, pieces), to);
                let mut parcels = Vec::new();
                while departures.write(&mut words, 1000) {
                    parcels.push(std::mem::take(&mut words));
                }
                for words in parcels.into_iter().chain([words]) {
                    assert!(to != from || words.is_empty());
                    assert!(shares[to].receive(depth, &bytes(&words)), "{from} to {to}");
                }
            }
        }
    }
    let boards = shares.iter_mut().map(|share| share.compute(&Monitor::default()).unwrap()).sum();
    if boards > 0 {
        for share in shares {
            share.complete(boards).unwrap();
        }
    }
    boards
}

fn goals() -> Vec<Board> {
    let named = |size: &str, blanks| NamedGoal::Last.board(size.parse().unwrap(), blanks);
    vec![
        named("3x3", 1),
        named("2x5", 1),
        named("2x4", 2),
        named("2x2", 1),
        named("1x5", 1),
        "1 2 3/8 0 4/7 6 5".parse().unwrap(),
        "0 1 2/3 4 5/6 7 0/8 0 9".parse().unwrap(),
    ]
}

#[test]
fn shares_are_the_space() {
    let metrics = [Metric::Single, Metric::Multi];
    for (goal, metric) in goals().iter().flat_map(|goal| metrics.map(|metric| (goal, metric))) {
        // Segments of the largest space take too long here.
        let is_small = extent(goal, metric).states < 10_000_000;
        if metric == Metric::Multi && !is_small {
            continue;
        }
        let mut explorer = Explorer::new(goal, metric, u64::MAX).unwrap();
        while explorer.advance(&Monitor::default()).unwrap() {}
        for processes in [1, 2, 3, 5, 40] {
            let plans = (0..processes).map(|process| plan_of(goal, metric, process, processes));
            let mut shares: Vec<_> = plans.map(Explorer::of_share).collect();
            while advance(&mut shares) > 0 {}
            assert_eq!(shares[0].depths(), explorer.depths(), "{goal}, {metric}, {processes}");
            let boards: u64 =
                shares.iter().map(|share| share.boards(share.depths().len() - 1)).sum();
            assert_eq!(Some(&boards), explorer.depths().last());
            let slots: Vec<u64> = shares.iter().flat_map(Explorer::farthest_slots).collect();
            assert_eq!(shares[0].farthest_of_all(&slots), explorer.farthest().ok());
        }
    }
}

#[test]
fn a_share_is_a_part_of_the_memory() {
    let goal = NamedGoal::Last.board("3x4".parse().unwrap(), 1);
    let whole = extent(&goal, Metric::Single).bytes as f64;
    for (processes, most) in [(1, 1.01), (2, 0.57), (4, 0.33)] {
        for process in 0..processes {
            let bytes = plan(&goal, process, processes).extent().bytes as f64;
            assert!(bytes < most * whole, "{process} of {processes}: {bytes} of {whole}");
        }
    }
    let member = Member { process: 0, processes: 2 };
    let refused = SharePlan::new(&goal, Metric::Single, member, 10_000_000).map(drop);
    assert!(matches!(refused, Err(ExploreError::Memory { allowed: 10_000_000, .. })));
    let huge = NamedGoal::Last.board("9x9".parse().unwrap(), 1);
    assert!(SharePlan::new(&huge, Metric::Multi, member, u64::MAX).is_err());
}

#[test]
fn other_blocks_are_not_received() {
    let goal = NamedGoal::Last.board("2x5".parse().unwrap(), 1);
    let mut share = Explorer::of_share(plan(&goal, 0, 2));
    assert!(share.receive(0, &[]));
    // Its own first block, one that does not exist, and none that is complete.
    assert!(!share.receive(0, &bytes(&[0, 0])));
    assert!(!share.receive(0, &bytes(&[u64::MAX, 0])));
    assert!(!share.receive(0, &[1]));
    assert_eq!(share.farthest_of_all(&[u64::MAX]), None);
    assert_eq!(share.farthest_of_all(&[63]), None);
}

#[test]
fn saved_shares_are_resumed_by_another_number_of_processes() {
    let folder = std::env::temp_dir().join(format!("taquin-shares-{}", std::process::id()));
    for goal in goals() {
        let mut explorer = Explorer::new(&goal, Metric::Single, u64::MAX).unwrap();
        while explorer.advance(&Monitor::default()).unwrap() {}
        let path = |process: usize| -> PathBuf { folder.join(format!("{process}")) };
        let mut shares: Vec<_> = (0..3).map(|p| Explorer::of_share(plan(&goal, p, 3))).collect();
        for _ in 0..3 {
            advance(&mut shares);
        }
        for (process, share) in shares.iter().enumerate() {
            share.save(&path(process)).unwrap();
        }
        let SavedSpace { goal: saved, depths, member } = SavedSpace::of(&path(1)).unwrap();
        assert_eq!((&saved, member), (&goal, Member { process: 1, processes: 3 }));
        assert_eq!(depths, shares[0].depths());
        for processes in [1, 2, 3, 5] {
            let resumed = (0..processes).map(|process| {
                let plan = plan(&goal, process, processes);
                Explorer::resume_share(plan, depths.clone(), 3, path).unwrap()
            });
            let mut resumed: Vec<_> = resumed.collect();
            while advance(&mut resumed) > 0 {}
            assert_eq!(resumed[0].depths(), explorer.depths(), "{goal}, {processes}");
        }
        // One file in the place of another, other depths, and a damaged file.
        let resume = |depths: &[u64]| {
            Explorer::resume_share(plan(&goal, 0, 1), depths.to_vec(), 3, path).map(drop)
        };
        assert!(resume(&depths[1..]).is_err());
        let mut bytes = fs::read(path(0)).unwrap();
        // A small space has empty shares, which are not read.
        if bytes.len() == 4096 {
            continue;
        }
        bytes[4096] ^= 1;
        fs::write(path(0), &bytes).unwrap();
        assert!(resume(&depths).is_err());
        fs::copy(path(1), path(0)).unwrap();
        assert!(resume(&depths).is_err());
        fs::remove_file(path(0)).unwrap();
        assert!(resume(&depths).is_err());
    }
    fs::remove_dir_all(folder).unwrap();
    // Moves of segments are not saved.
    let share = Explorer::of_share(plan_of(&goals()[0], Metric::Multi, 0, 1));
    assert!(share.save(&std::env::temp_dir().join("taquin-shares-none")).is_err());
}
