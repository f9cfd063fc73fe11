//! Whole spaces against the depth tables, and against plain searches.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use taquin_search::{Monitor, Random};
use taquin_tables::whole::{self, ExploreError, Explorer, Files, Metric, SpaceTable};
use taquin_tables::{FileFault, StoredTable, TableStore};
use taquin_tiles::{Board, MoveOrder, NamedGoal, Size, is_reachable, replay, scramble};

use crate::{distances, goal, pack, unpack};

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn explored(goal: &Board, metric: Metric) -> Explorer {
    finished(Explorer::new(goal, metric, whole::extent(goal, metric).bytes).unwrap())
}

fn finished(mut explorer: Explorer) -> Explorer {
    let extent = whole::extent(explorer.goal(), Metric::Single);
    while explorer.advance(&Monitor::default()).unwrap() {}
    assert_eq!(explorer.depths().iter().sum::<u64>(), extent.states);
    assert!(!explorer.advance(&Monitor::default()).unwrap(), "it stays finished");
    explorer
}

fn tabled(goal: &Board, metric: Metric) -> SpaceTable {
    let memory = whole::table_extent(goal, metric).bytes;
    finished(Explorer::for_table(goal, metric, memory).unwrap()).into_table().unwrap()
}

/// A goal of this size with the blank in this cell, and its tiles in an order of their own.
fn goal_with_blank(size: Size, cell: usize) -> Board {
    let mut tiles: Vec<u16> = (1..size.cells() as u16).rev().collect();
    tiles.insert(cell, 0);
    Board::new(size, tiles).unwrap()
}

/// Compares with the lines of the data whose number of states is accepted. Returns their number.
fn assert_published(accept: impl Fn(u64) -> bool) -> usize {
    let mut compared = 0;
    for line in data("statespace_depths.txt").lines() {
        let Some((facts, counts)) = line.strip_prefix("BOARD ").and_then(|l| l.split_once(" : "))
        else {
            continue;
        };
        let facts: Vec<&str> = facts.split(' ').collect();
        if facts[6] == "-" || !accept(facts[6].parse().unwrap()) {
            continue;
        }
        let size = Size::new(facts[0].parse().unwrap(), facts[1].parse().unwrap()).unwrap();
        let metric = if facts[4] == "MTM" { Metric::Multi } else { Metric::Single };
        let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
        let goal = goal_with_blank(size, facts[3].parse().unwrap());
        let explorer = explored(&goal, metric);
        assert_eq!(explorer.depths(), counts, "{line:.40}");
        assert_eq!(explorer.farthest().unwrap().len() as u64, *counts.last().unwrap());
        compared += 1;
    }
    compared
}

/// The same for several blanks.
fn assert_computed(accept: impl Fn(u64) -> bool) -> usize {
    let text = data("multi_blank_depths.txt");
    let mut lines = text.lines().peekable();
    let mut compared = 0;
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("MB ") else { continue };
        let parts: Vec<&str> = line.split(" | ").collect();
        let facts: Vec<&str> = parts[0].split(' ').collect();
        if !accept(facts[4].parse().unwrap()) {
            continue;
        }
        let size = Size::new(facts[0].parse().unwrap(), facts[1].parse().unwrap()).unwrap();
        let numbers =
            |text: &str| text.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<u64>>();
        let board = |text: &str| {
            Board::new(size, numbers(text).iter().map(|&tile| tile as u16).collect()).unwrap()
        };
        let explorer = explored(&board(parts[1]), Metric::Single);
        assert_eq!(explorer.depths(), numbers(parts[2]), "{}", parts[0]);
        let farthest = explorer.farthest().unwrap();
        assert_eq!(farthest.len() as u64, *explorer.depths().last().unwrap());
        while let Some(far) = lines.next_if(|line| line.starts_with("FAR ")) {
            assert!(farthest.contains(&board(&far[4..])), "{far} of {}", parts[0]);
        }
        compared += 1;
    }
    compared
}

#[test]
fn published_depths_are_met() {
    assert!(assert_published(|states| states <= 2_000_000) >= 12);
}

#[test]
fn computed_depths_of_several_blanks_are_met() {
    assert!(assert_computed(|states| states <= 2_000_000) >= 20);
}

#[test]
#[ignore = "3x4 and 2x6: some seconds"]
fn published_depths_of_large_boards_are_met() {
    assert_eq!(assert_published(|states| (2_000_000..1 << 32).contains(&states)), 2);
}

#[test]
#[ignore = "2x7: two minutes and 6 GB"]
fn published_depths_of_the_largest_board_are_met() {
    assert_eq!(assert_published(|states| states == 43_589_145_600), 1);
}

#[test]
#[ignore = "up to 239,500,800 boards: some seconds"]
fn computed_depths_of_large_boards_are_met() {
    assert!(assert_computed(|states| states > 2_000_000) >= 5);
}

/// Every layer of every small size and goal cell has exactly the boards that a plain search meets
/// at that depth.
#[test]
fn layers_are_those_of_a_plain_search() {
    for (size, blanks) in [
        ("2x2", 1),
        ("2x3", 1),
        ("3x2", 1),
        ("2x4", 1),
        ("4x2", 1),
        ("3x3", 1),
        ("3x3", 2),
        ("2x4", 3),
        ("3x4", 7),
        ("1x5", 2),
    ] {
        let size: Size = size.parse().unwrap();
        for cell in 0..size.cells() {
            let mut tiles = goal_with_blank(size, cell).tiles().to_vec();
            for tile in &mut tiles {
                *tile = tile.saturating_sub(blanks - 1);
            }
            let goal = Board::new(size, tiles).unwrap();
            let mut layers: Vec<Vec<Board>> = Vec::new();
            for (&state, &depth) in &distances(size, goal.tiles(), |_| true) {
                layers.resize(layers.len().max(depth as usize + 1), Vec::new());
                layers[depth as usize].push(Board::new(size, unpack(state, size.cells())).unwrap());
            }
            let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 24).unwrap();
            for (depth, boards) in layers.iter().enumerate() {
                let layer = explorer.layer();
                assert_eq!((layer.depth(), layer.count()), (depth as u64, boards.len() as u64));
                assert!(boards.iter().all(|board| layer.contains(board)), "{goal}: {depth}");
                assert_eq!(layer.slots().count(), boards.len());
                let is_next = depth + 1 < layers.len();
                assert_eq!(
                    explorer.advance(&Monitor::default()).unwrap(),
                    is_next,
                    "{goal}: {depth}"
                );
            }
            let mut farthest = explorer.farthest().unwrap();
            assert!(farthest.iter().all(|board| layers[layers.len() - 1].contains(board)));
            farthest.dedup();
            assert_eq!(farthest.len(), layers[layers.len() - 1].len().min(1_000));
        }
    }
}

/// Every board that a plain search meets has the depth that the search met it at.
#[test]
fn every_depth_is_exact() {
    let tiles = |text: &str| text.parse::<Board>().unwrap();
    for goal in [
        goal("3x2", NamedGoal::Snail, 1),
        goal("2x4", NamedGoal::Last, 1),
        goal("4x2", NamedGoal::First, 2),
        goal("1x6", NamedGoal::Last, 3),
        goal("5x1", NamedGoal::First, 1),
        goal("2x2", NamedGoal::Last, 4),
        goal("2x3", NamedGoal::Last, 5),
        tiles("3 0 1/0 4 0/2 5 6"),
    ] {
        let table = tabled(&goal, Metric::Single);
        let known = distances(goal.size(), goal.tiles(), |_| true);
        assert_eq!(known.len() as u64, table.depths().iter().sum::<u64>());
        let ranked: HashMap<usize, Board> = table.index().boards().collect();
        assert!(ranked.len() == known.len() && ranked.keys().all(|rank| *rank < 2 * known.len()));
        for (&state, &depth) in known.iter().step_by(1 + known.len() / 3_000) {
            let board = Board::new(goal.size(), unpack(state, goal.tiles().len())).unwrap();
            assert_eq!(pack(board.tiles()), state);
            let slot = table.index().slot(&board).unwrap();
            assert_eq!(table.index().board(slot), board);
            let rank = table.index().rank(&board).unwrap();
            assert_eq!(ranked[&rank], board);
            assert_eq!(table.depth(&board), Some(depth.into()), "{board} of {goal}");
        }
    }
}

/// A tour goes to every board once, at its distance, and meets the moves to boards that are farther
/// by one.
#[test]
fn a_tour_meets_every_board() {
    for (goal, metric) in [
        (goal("2x4", NamedGoal::Last, 1), Metric::Single),
        (goal("3x2", NamedGoal::First, 2), Metric::Multi),
        (goal("1x6", NamedGoal::Last, 3), Metric::Single),
    ] {
        let table = tabled(&goal, metric);
        let mut met = std::collections::HashSet::new();
        let mut depths = vec![0; table.depths().len()];
        let flow = table.tour(|board, depth, farther| {
            assert!(met.insert(board.clone()), "{board} twice");
            assert_eq!(table.depth(board), Some(depth));
            assert!(farther.iter().all(|next| table.depth(next) == Some(depth + 1)));
            depths[depth as usize] += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((flow, &depths[..]), (ControlFlow::Continue(()), table.depths()));
        let mut left = 10;
        let flow = table.tour(|_, _, _| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((flow, left), (ControlFlow::Break(()), 0));
    }
}

/// With segments that slide as one, every layer consists of the new successors of the layer before.
#[test]
fn segments_slide_as_one() {
    for goal in [
        goal("2x4", NamedGoal::Snail, 1),
        goal("4x2", NamedGoal::Last, 1),
        goal("3x3", NamedGoal::First, 4),
        goal("4x2", NamedGoal::Last, 2),
        goal("1x5", NamedGoal::Last, 2),
    ] {
        let table = tabled(&goal, Metric::Multi);
        let mut layer = vec![goal.clone()];
        let mut seen = std::collections::HashSet::from([goal.clone()]);
        for (depth, &states) in table.depths().iter().enumerate() {
            assert_eq!(layer.len() as u64, states, "depth {depth} of {goal}");
            let mut next = Vec::new();
            for board in &layer {
                for blank in board.blanks() {
                    for step in taquin_tiles::Move::ALL {
                        let (mut board, mut blank) = (board.clone(), blank);
                        while board.slide(taquin_tiles::Slide { blank, step }).is_ok() {
                            blank = step.target(board.size(), blank).unwrap();
                            if seen.insert(board.clone()) {
                                next.push(board.clone());
                            }
                        }
                    }
                }
            }
            layer = next;
        }
        for board in seen.iter().step_by(50) {
            let moves = table.solve(board, MoveOrder::default()).unwrap();
            let slides: Vec<_> = moves.iter().flatten().copied().collect();
            assert_eq!(replay(board, &slides).unwrap(), goal);
        }
    }
}

#[test]
fn what_cannot_be_reached_has_no_depth() {
    let goal = goal("3x3", NamedGoal::Last, 1);
    let table = tabled(&goal, Metric::Single);
    let mut random = Random::new(3);
    for _ in 0..100 {
        let board = scramble::uniform(&goal, &mut random);
        assert!(table.depth(&board).is_some());
        let swapped = board.swapped(
            board.tiles().iter().position(|&tile| tile == 1).unwrap() as u16,
            board.tiles().iter().position(|&tile| tile == 2).unwrap() as u16,
        );
        let puzzle = taquin_tiles::Puzzle::new(swapped.clone(), goal.clone()).unwrap();
        assert!(!is_reachable(&puzzle));
        assert_eq!(table.depth(&swapped), None);
    }
    for other in ["1 2 3/4 5 6/7 0 0", "1 2/3 0", "0 1 2 3 4/5 6 7 8 9"] {
        assert_eq!(table.depth(&other.parse().unwrap()), None);
    }
}

#[test]
fn spaces_are_announced_and_refused() {
    let extent = |goal: &Board| whole::extent(goal, Metric::Single);
    let of_3x4 = extent(&goal("3x4", NamedGoal::First, 1));
    assert_eq!(of_3x4.states, 239_500_800);
    assert!((31_900_000..33_000_000).contains(&of_3x4.bytes), "{of_3x4:?}");
    assert_eq!(extent(&goal("1x5", NamedGoal::First, 2)).states, 10);
    assert_eq!(extent(&goal("100x100", NamedGoal::First, 1)).bytes, u64::MAX);
    for (size, blanks) in [("4x4", 1), ("8x8", 30), ("5x5", 1), ("9x9", 1), ("1x64", 32)] {
        let refused = Explorer::new(&goal(size, NamedGoal::Last, blanks), Metric::Single, 1 << 34);
        assert!(matches!(refused, Err(ExploreError::Memory { allowed, .. }) if allowed == 1 << 34));
    }
    let monitor = Monitor::default();
    monitor.cancel();
    let goal = goal("2x2", NamedGoal::Last, 1);
    let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 20).unwrap();
    assert!(matches!(explorer.advance(&monitor), Err(ExploreError::Cancelled)));
}

#[test]
fn files_serve_their_goal_alone_and_whole() {
    let folder = std::env::temp_dir().join(format!("taquin-spaces-{}", std::process::id()));
    let store = TableStore::new(&folder);
    let goal = goal("2x4", NamedGoal::Snail, 1);
    let table = tabled(&goal, Metric::Multi);
    let path = store.space_path(&goal, Metric::Multi);
    table.save(&path).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

    let loaded = SpaceTable::load(&path, &goal, Metric::Multi).unwrap();
    assert_eq!(loaded.depths(), table.depths());
    let mut random = Random::new(1);
    for _ in 0..50 {
        let board = scramble::uniform(&goal, &mut random);
        let way = |table: &SpaceTable| table.solve(&board, "DRLU".parse().unwrap());
        assert_eq!(way(&loaded), way(&table));
    }
    // The names of the tiles do not matter.
    let renamed = goal.swapped(0, 1);
    assert_eq!(store.space_path(&renamed, Metric::Multi), path);
    let other = SpaceTable::load(&path, &renamed, Metric::Multi).unwrap();
    assert_eq!(other.depth(&renamed), Some(0));

    // A file describes its content.
    let verified = StoredTable::verify(&path).unwrap();
    assert_eq!(store.list().unwrap().pop().unwrap().unwrap(), verified);
    let StoredTable::Space(info) = verified else { panic!("{verified:?}") };
    assert_eq!((info.metric, &info.depths[..]), (Metric::Multi, table.depths()));
    assert_eq!(store.space_path(&info.goal, Metric::Multi), path);
    assert_eq!(info.bytes, fs::metadata(&path).unwrap().len());

    let fault = |goal: &Board, metric| SpaceTable::load(&path, goal, metric).unwrap_err().fault;
    assert!(matches!(fault(&goal, Metric::Single), FileFault::Goal));
    assert!(matches!(fault(&goal_with_blank(goal.size(), 0), Metric::Multi), FileFault::Goal));
    let bytes = fs::read(&path).unwrap();
    for (at, expected) in
        [(0, "not a table"), (20, "header"), (3_000, "header"), (9_000, "entries")]
    {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        fs::write(&path, &damaged).unwrap();
        let verified = StoredTable::verify(&path).unwrap_err().fault.to_string();
        let fault = fault(&goal, Metric::Multi).to_string();
        assert!(fault.contains(expected) && verified == fault, "{at}: {fault}, {verified}");
    }
    fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    assert!(matches!(fault(&goal, Metric::Multi), FileFault::Length { .. }));
    fs::remove_dir_all(&folder).unwrap();
}

/// A folder of its own for a test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("taquin-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_saved_space_is_resumed_and_a_changed_one_is_not() {
    let folder = folder("saved");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("saved");
    let monitor = Monitor::default();
    for goal in [goal("3x3", NamedGoal::Snail, 1), goal("2x4", NamedGoal::Last, 2)] {
        let expected = explored(&goal, Metric::Single);
        let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 24).unwrap();
        loop {
            explorer.save(&path).unwrap();
            explorer = Explorer::resume(&path, 1 << 24).unwrap();
            if !explorer.advance(&monitor).unwrap() {
                break;
            }
        }
        assert_eq!(explorer.depths(), expected.depths());
        assert_eq!(explorer.farthest().unwrap(), expected.farthest().unwrap());
    }
    let refused = |path: &Path, memory| match Explorer::resume(path, memory).err() {
        Some(ExploreError::File(error)) => error.fault.to_string(),
        Some(error) => error.to_string(),
        None => String::new(),
    };
    let bytes = fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(97).chain([0, 8, 12, 20, 4_095]) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert_ne!(refused(&path, 1 << 24), "", "{at}");
    }
    fs::write(&path, &bytes).unwrap();
    assert_eq!(refused(&path, 1 << 24), "");
    assert!(refused(&path, 1 << 10).contains("1024 are allowed"));
    let mut newer = bytes.clone();
    newer[8] = 9;
    fs::write(&path, &newer).unwrap();
    assert!(refused(&path, 1 << 24).contains("format 9"));
    tabled(&goal("2x3", NamedGoal::Last, 1), Metric::Single).save(&path).unwrap();
    assert!(refused(&path, 1 << 24).contains("not a table"));
    let multi = Explorer::new(&goal("2x3", NamedGoal::Last, 1), Metric::Multi, 1 << 20).unwrap();
    assert!(multi.save(&path).is_err());
    fs::remove_dir_all(&folder).unwrap();
}

/// Explores in files; every `rest` layers it ends and is resumed.
fn on_disk(goal: &Board, folder: &Path, memory: u64, rest: usize) -> Explorer<Files> {
    let mut disk = Explorer::in_files(goal, folder, memory).unwrap();
    while disk.advance(&Monitor::default()).unwrap() {
        if disk.depths().len().is_multiple_of(rest) {
            drop(disk);
            disk = Explorer::resume_files(folder, memory).unwrap();
        }
    }
    disk
}

#[test]
fn layers_in_files_are_those_in_memory() {
    let folder = folder("disk");
    for (size, blanks) in [("2x5", 1), ("5x2", 1), ("3x3", 2), ("2x2", 1), ("1x5", 2), ("4x3", 8)] {
        let goal = goal(size, NamedGoal::Last, blanks);
        let expected = explored(&goal, Metric::Single);
        let memory = whole::disk_extent(&goal).0.bytes;
        let disk = on_disk(&goal, &folder, memory, 5);
        assert_eq!(disk.depths(), expected.depths(), "{size}");
        assert_eq!(disk.farthest().unwrap(), expected.farthest().unwrap(), "{size}");
        // It stays finished.
        drop(disk);
        let mut disk = Explorer::resume_files(&folder, memory).unwrap();
        assert!(!disk.advance(&Monitor::default()).unwrap());
        whole::remove_files(&folder);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
        assert!(matches!(
            Explorer::in_files(&goal, &folder, memory - 1),
            Err(ExploreError::Memory { .. })
        ));
    }
}

#[test]
fn a_large_space_is_explored_with_little_memory() {
    let folder = folder("disk-3x4");
    let goal = goal("3x4", NamedGoal::First, 1);
    let mut disk = Explorer::in_files(&goal, &folder, 16 << 20).unwrap();
    // The first and the last layers are small.
    while disk.depths().len() < 20 {
        disk.advance(&Monitor::default()).unwrap();
    }
    let expected = data("statespace_depths.txt");
    let line = expected.lines().find(|line| line.starts_with("BOARD 3 4 corner 0 STM")).unwrap();
    let counts = line.split_once(" : ").unwrap().1.split(' ').map(|count| count.parse().unwrap());
    let counts: Vec<u64> = counts.collect();
    assert_eq!(disk.depths(), &counts[..20]);
    let monitor = Monitor::default();
    monitor.cancel();
    let cancelled = disk.advance(&monitor);
    assert!(matches!(cancelled, Err(ExploreError::Cancelled)));
    let mut disk = Explorer::resume_files(&folder, 16 << 20).unwrap();
    while disk.advance(&Monitor::default()).unwrap() {}
    assert_eq!(disk.depths(), counts);
    assert_eq!(disk.farthest().unwrap().len(), 18);
    whole::remove_files(&folder);
}

#[test]
fn changed_files_are_not_resumed() {
    let folder = folder("disk-changed");
    let goal = goal("3x3", NamedGoal::Last, 1);
    let mut disk = Explorer::in_files(&goal, &folder, 1 << 20).unwrap();
    for _ in 0..15 {
        disk.advance(&Monitor::default()).unwrap();
    }
    let again = Explorer::in_files(&goal, &folder, 1 << 20);
    assert!(again.err().unwrap().to_string().contains("state of a space"));
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 16;
            fs::write(&path, &changed).unwrap();
            assert!(Explorer::resume_files(&folder, 1 << 20).is_err(), "{}", path.display());
        }
        fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
        assert!(Explorer::resume_files(&folder, 1 << 20).is_err(), "{}", path.display());
        fs::write(&path, &bytes).unwrap();
    }
    assert!(Explorer::resume_files(&folder, 1 << 20).is_ok());
    whole::remove_files(&folder);
}
