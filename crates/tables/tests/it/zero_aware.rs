//! Zero-aware databases against exhaustive searches.

use std::fs;
use std::sync::Arc;

use taquin_search::{Heuristic, Incremental, Monitor, Random};
use taquin_tables::{
    BuildError, BuildRequest, Builder, Database, Encoding, FileFault, Partition, Pattern,
    PatternKind, Patterns, Plain, Reflection, StoredTable, TableEvent, TableStore, ZeroAware,
};
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Board, Move, NamedGoal, Slide, scramble};

use crate::{distances, goal, unpack};

fn build(pattern: &Pattern) -> Database<ZeroAware> {
    let builder = Builder::new(pattern.clone(), u64::MAX).unwrap();
    builder.build(&Monitor::default(), &mut |_| ()).unwrap()
}

#[test]
fn building_keeps_to_its_own_memory() {
    let pattern = Pattern::new(&goal("4x4", NamedGoal::Last, 1), &[1, 2, 3, 4, 5]).unwrap();
    let new = Builder::<ZeroAware>::new;
    let needed = new(pattern.clone(), u64::MAX).unwrap().plan().build_bytes;
    let plain = Builder::<Plain>::new(pattern.clone(), u64::MAX).unwrap();
    assert!(needed < plain.plan().build_bytes);
    assert!(new(pattern.clone(), needed).is_ok());
    for allowed in [0, needed - 1] {
        let refused = new(pattern.clone(), allowed).err().unwrap();
        assert!(matches!(refused, BuildError::Memory { .. }), "{refused}");
    }
}

#[test]
fn values_are_those_of_an_exhaustive_search() {
    for (size, tiles) in [
        ("2x3", &[1, 4][..]),
        ("3x2", &[2, 3, 5]),
        ("3x3", &[1, 2, 3]),
        ("3x3", &[2, 4, 6, 8]),
        ("2x4", &[1, 2, 5, 6]),
        ("3x4", &[1, 2, 4, 5]),
    ] {
        for named in NamedGoal::ALL {
            let goal = goal(size, named, 1);
            let pattern = Pattern::new(&goal, tiles).unwrap();
            let table = build(&pattern);
            // The other tiles are alike.
            let other = goal.tiles().len() as u16;
            let alike = |&tile: &u16| match tile {
                0 => 0,
                tile if tiles.contains(&tile) => tile,
                _ => other,
            };
            let start: Vec<u16> = goal.tiles().iter().map(alike).collect();
            let known = distances(goal.size(), &start, |tile| tiles.contains(&tile));
            let mut counted = vec![0; table.histogram().len()];
            for (&state, &distance) in &known {
                let state = unpack(state, goal.tiles().len());
                let cell = |tile: u16| state.iter().position(|&at| at == tile).unwrap() as u8;
                let cells: Vec<u8> = pattern.tiles().iter().map(|&tile| cell(tile)).collect();
                assert_eq!(table.value(&cells, cell(0)), distance, "{state:?} of {goal}");
                counted[distance as usize] += 1;
            }
            // A region counts once, however many cells it has.
            assert!(counted.iter().zip(table.histogram()).all(|(all, of)| all >= of), "{goal}");
        }
    }
}

#[test]
fn estimates_change_by_one_and_are_never_less_than_without_the_region() {
    let goal = goal("4x4", NamedGoal::First, 1);
    let patterns = "1.2.4.5/3.6.7/8.9.12".parse::<Partition>().unwrap().patterns(&goal).unwrap();
    let reflection = Reflection::of(&goal);
    let aware = patterns.iter().map(|pattern| Arc::new(build(pattern))).collect();
    let aware = Patterns::<ZeroAware>::new(&goal, aware, reflection.as_ref()).unwrap();
    let plain = patterns.iter().map(|pattern| Arc::new(crate::build(pattern))).collect();
    let plain = Patterns::<Plain>::new(&goal, plain, reflection.as_ref()).unwrap();
    let mut random = Random::new(5);
    let mut greater = 0;
    for _ in 0..20 {
        let mut board: Board = scramble::uniform(&goal, &mut random);
        let mut memo = Incremental::<Tiles<Wide>>::memo(&aware, &Wide::state(board.tiles()));
        for _ in 0..50 {
            let before = Incremental::<Tiles<Wide>>::value(&aware, memo);
            let blank = board.blanks().next().unwrap();
            let slide = Slide { blank, step: Move::ALL[random.below(4)] };
            if board.slide(slide).is_err() {
                continue;
            }
            let state = Wide::state(board.tiles());
            memo = Incremental::<Tiles<Wide>>::step(&aware, memo, &state, slide);
            let after = Incremental::<Tiles<Wide>>::value(&aware, memo);
            assert_eq!(after.abs_diff(before), 1, "{board}");
            assert_eq!(after, Heuristic::<Tiles<Wide>>::estimate(&aware, &state), "{board}");
            let without = Heuristic::<Tiles<Wide>>::estimate(&plain, &state);
            assert!(after >= without, "{board}");
            greater += usize::from(after > without);
        }
    }
    assert!(greater > 0, "the region made no difference");
}

#[test]
fn a_table_is_kept_and_a_damaged_one_is_built_again() {
    let folder = std::env::temp_dir().join(format!("taquin-zero-aware-{}", std::process::id()));
    let store = TableStore::new(&folder);
    let pattern = Pattern::new(&goal("3x3", NamedGoal::Last, 1), &[1, 2, 3, 5]).unwrap();
    let encoding = ZeroAware::of(&pattern, &[]).unwrap();
    let cancel = Monitor::default();
    let load = || {
        let (mut planned, mut invalid) = (0, 0);
        let report = &mut |event: TableEvent<'_>| match event {
            TableEvent::Planned(..) => planned += 1,
            TableEvent::Invalid(_) => invalid += 1,
            _ => {}
        };
        let mut request = BuildRequest { memory: 1 << 30, rebuild: false, cancel: &cancel, report };
        let table = store.load_or_build(&pattern, &encoding, &mut request).unwrap();
        (table.entries().to_vec(), planned, invalid)
    };
    let (bytes, planned, _) = load();
    assert_eq!(planned, 1);
    assert_eq!(load(), (bytes.clone(), 0, 0));
    let path = store.path(pattern.shape(), PatternKind::ZeroAware);
    let listed = store.list().unwrap();
    assert!(matches!(&listed[..], [Ok(StoredTable::Patterns(info))] if info.path == path));
    StoredTable::verify(&path).unwrap();
    // It is no table without regions.
    let error = Database::load(&path, pattern.clone(), Plain).unwrap_err();
    assert!(matches!(error.fault, FileFault::Header), "{error}");
    let mut damaged = fs::read(&path).unwrap();
    damaged[5000] ^= 4;
    fs::write(&path, &damaged).unwrap();
    assert_eq!(load(), (bytes, 1, 1));
    fs::remove_dir_all(&folder).unwrap();
}
