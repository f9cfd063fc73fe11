//! Files of the boards near a goal: they are read as they were written, damaged ones are refused,
//! and a larger one is never replaced by a smaller one.

use std::fs;
use std::path::Path;

use taquin_search::{Cost, Monitor, Random};
use taquin_tables::{
    BuildError, BuildRequest, FileFault, Packing, Perimeter, PerimeterShape, StoredTable,
    TableEvent, TableStore,
};
use taquin_tiles::{Board, NamedGoal};

use crate::files::Folder;
use crate::goal;

fn shape(goal: &Board) -> PerimeterShape {
    Packing::new(goal).unwrap().shape()
}

fn of_3x4() -> PerimeterShape {
    shape(&goal("3x4", NamedGoal::Last, 1))
}

fn build(shape: PerimeterShape, moves: Cost) -> Perimeter {
    Perimeter::build(shape, moves, &Monitor::default(), &mut |_| ()).unwrap()
}

fn bytes_of(shape: PerimeterShape, moves: Cost) -> u64 {
    shape.plans().find(|plan| plan.moves == moves).unwrap().bytes
}

/// Packed boards of 12 cells.
fn boards() -> Vec<u64> {
    let packing = Packing::new(&goal("3x4", NamedGoal::Last, 1)).unwrap();
    let mut random = Random::new(2);
    let goal = goal("3x4", NamedGoal::Last, 1);
    let board = |_| packing.pack(&taquin_tiles::scramble::uniform(&goal, &mut random));
    (0..2_000).map(board).collect()
}

#[test]
fn a_perimeter_is_read_as_it_was_written() {
    let (folder, shape) = (Folder::new("near"), of_3x4());
    let store = TableStore::new(folder.0.join("below"));
    let path = store.perimeter_path(shape);
    assert_eq!(path.file_name().unwrap(), "3x4-blank-11.near");
    assert_eq!(store.perimeter_moves(shape), None);
    assert!(Perimeter::load(&path, shape, 0..=99).unwrap_err().fault.is_missing());
    // A copied one and, with more than a megabyte, a mapped one.
    for moves in [9, 16] {
        let built = build(shape, moves);
        assert_eq!(built.bytes(), bytes_of(shape, moves));
        assert_eq!(built.bytes() > 1 << 20, moves == 16);
        built.save(&path).unwrap();
        assert_eq!(store.perimeter_moves(shape), Some(moves));
        let loaded = Perimeter::load(&path, shape, moves..=moves).unwrap().unwrap();
        assert_eq!((loaded.moves(), loaded.shape()), (moves, shape));
        assert_eq!(loaded.bytes(), built.bytes());
        let known: Vec<Cost> = boards().iter().map(|&board| built.least(board)).collect();
        assert!(boards().iter().zip(&known).all(|(&board, &least)| loaded.least(board) == least));
        assert!(known.iter().any(|&least| least > moves));
        assert!(loaded.is_intact());
        for other in [0..=moves - 1, moves + 1..=99] {
            assert!(Perimeter::load(&path, shape, other).unwrap().is_none());
        }
        let verified = StoredTable::verify(&path).unwrap();
        assert_eq!(verified, StoredTable::info(&path).unwrap());
        let StoredTable::Perimeter(info) = verified else { panic!("{verified:?}") };
        assert_eq!((info.moves, info.shape), (moves, shape));
        assert_eq!(info.bytes, fs::metadata(&path).unwrap().len());
        assert_eq!(store.list().unwrap().len(), 1);
    }
    let other = PerimeterShape::new("3x4".parse().unwrap(), 5).unwrap();
    let wrong = store.perimeter_path(other);
    fs::copy(&path, &wrong).unwrap();
    let fault = Perimeter::load(&wrong, other, 0..=99).unwrap_err().fault;
    assert!(matches!(fault, FileFault::Goal), "{fault}");
    let fault = StoredTable::verify(&wrong).unwrap_err().fault;
    assert!(matches!(fault, FileFault::Name(_)), "{fault}");
}

#[test]
fn a_damaged_perimeter_is_refused() {
    let (folder, shape) = (Folder::new("near-damaged"), of_3x4());
    let path = TableStore::new(&folder.0).perimeter_path(shape);
    build(shape, 6).save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        assert!(StoredTable::verify(&path).is_err());
        Perimeter::load(&path, shape, 0..=99).unwrap_err().fault
    };
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        let fault = refused(&altered);
        assert_eq!(matches!(fault, FileFault::Entries), at >= 4096, "{at}: {fault}");
    }
    for length in (0..bytes.len()).step_by(7) {
        let fault = refused(&bytes[..length]);
        assert!(matches!(fault, FileFault::Length { .. }) == (length >= 4096), "{length}: {fault}");
    }
    assert!(matches!(refused(&[&bytes[..], &[0]].concat()), FileFault::Length { .. }));
}

/// Loads or builds, and returns the moves of what it gets and of what is stored then.
fn get(store: &TableStore, moves: Cost, memory: u64, invalid: &mut u32) -> (Cost, Option<Cost>) {
    let cancel = Monitor::default();
    let mut report =
        |event: TableEvent<'_>| *invalid += u32::from(matches!(event, TableEvent::Invalid(_)));
    let request =
        &mut BuildRequest { memory, rebuild: false, cancel: &cancel, report: &mut report };
    let found = store.load_or_build_perimeter(of_3x4(), moves..=moves, request).unwrap();
    (found.moves(), store.perimeter_moves(of_3x4()))
}

#[test]
fn a_stored_perimeter_is_used_and_only_replaced_by_a_larger_one() {
    let (folder, shape) = (Folder::new("near-policy"), of_3x4());
    let store = TableStore::new(&folder.0);
    let path = store.perimeter_path(shape);
    let (mut invalid, most) = (0, u64::MAX);
    // A perimeter that is built in a moment is not worth a file.
    assert_eq!(get(&store, 8, most, &mut invalid), (8, None));
    build(shape, 10).save(&path).unwrap();
    assert_eq!(get(&store, 8, most, &mut invalid), (10, Some(10)));
    assert_eq!(get(&store, 12, most, &mut invalid), (12, Some(12)));
    // One that takes more memory than allowed stays as it is.
    let allowed = bytes_of(shape, 11);
    assert_eq!(get(&store, 9, allowed, &mut invalid), (9, Some(12)));
    assert_eq!(invalid, 0);
    let valid = fs::read(&path).unwrap();
    let damaged = [&valid[..5_000], b"damaged", &valid[5_007..]].concat();
    for bad in [&damaged[..], &valid[..5_000], b"something else"] {
        fs::write(&path, bad).unwrap();
        assert_eq!(get(&store, 12, most, &mut invalid), (12, Some(12)));
        assert_eq!(fs::read(&path).unwrap(), valid);
    }
    assert_eq!(invalid, 3);
}

#[test]
fn a_perimeter_that_does_not_fit_is_refused_with_numbers() {
    let (folder, shape) = (Folder::new("near-memory"), of_3x4());
    let store = TableStore::new(&folder.0);
    let (cancel, report) = (Monitor::default(), &mut |_: TableEvent<'_>| ());
    let needed = bytes_of(shape, 9);
    let mut request = BuildRequest { memory: needed - 1, rebuild: false, cancel: &cancel, report };
    let refused = store.load_or_build_perimeter(shape, 7..=9, &mut request).unwrap_err();
    assert_eq!(
        refused,
        BuildError::Perimeter { moves: 9, needed, allowed: needed - 1 },
        "{refused}"
    );
    assert!(refused.to_string().contains(&needed.to_string()));
    // The largest one that fits is made on request, and kept however small it is.
    store.make_perimeter(shape, &mut request).unwrap();
    assert_eq!(store.perimeter_moves(shape), Some(8));
    request.memory = 10;
    let fresh = TableStore::new(folder.0.join("fresh"));
    let refused = fresh.make_perimeter(shape, &mut request).unwrap_err();
    assert!(matches!(refused, BuildError::Perimeter { moves: 0, allowed: 10, .. }), "{refused}");
    assert!(!Path::new(fresh.folder()).exists());
}

/// The plans that a machine with 2 GB can build.
#[test]
fn the_largest_perimeters_fit_into_two_gigabytes() {
    for (size, moves) in [("4x4", 19), ("3x5", 20), ("2x8", 19), ("3x4", 20)] {
        let largest = shape(&goal(size, NamedGoal::Last, 1)).plans().last().unwrap();
        assert!(largest.moves >= moves && largest.bytes < 1_700_000_000, "{size}: {largest:?}");
    }
}
