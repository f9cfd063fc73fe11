//! Files: written files can be read, and damaged ones are refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taquin_search::{Monitor, Random};
use taquin_tables::{
    BuildError, BuildRequest, Builder, Database, FileFault, Pattern, PatternKind, Plain,
    StoredTable, TableEvent, TableStore, replace_file,
};
use taquin_tiles::NamedGoal;

use crate::{build, goal};

/// A folder of its own for each test, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("taquin-tables-{name}-{}", std::process::id()));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn pattern() -> Pattern {
    Pattern::new(&goal("3x3", NamedGoal::Last, 1), &[1, 2, 5]).unwrap()
}

fn request<'a>(
    rebuild: bool,
    cancel: &'a Monitor,
    report: &'a mut dyn FnMut(TableEvent<'_>),
) -> BuildRequest<'a> {
    BuildRequest { memory: 1 << 30, rebuild, cancel, report }
}

fn assert_same(a: &Database, b: &Database) {
    assert_eq!(a.entries(), b.entries());
    assert_eq!(a.width(), b.width());
    assert_eq!(a.histogram(), b.histogram());
}

#[test]
fn a_table_is_built_once_and_then_loaded() {
    let folder = Folder::new("once");
    let store = TableStore::new(folder.0.join("below"));
    let (pattern, cancel) = (pattern(), Monitor::default());
    assert!(store.list().unwrap().is_empty());
    assert!(
        Database::load(&store.path(pattern.shape(), PatternKind::Plain), pattern.clone(), Plain)
            .unwrap_err()
            .fault
            .is_missing()
    );
    let mut events = Vec::new();
    let mut report = |event: TableEvent<'_>| events.push(format!("{event:?}"));
    let built =
        store.load_or_build(&pattern, &Plain, &mut request(false, &cancel, &mut report)).unwrap();
    assert!(events[0].starts_with("Planned"));
    assert_eq!(events.last().unwrap(), "Progress(1.0)");
    assert_same(&built, &build(&pattern));
    let mut report = |event: TableEvent<'_>| panic!("{event:?}");
    let loaded =
        store.load_or_build(&pattern, &Plain, &mut request(false, &cancel, &mut report)).unwrap();
    assert_same(&built, &loaded);
    let path = store.path(pattern.shape(), PatternKind::Plain);
    let verified = StoredTable::verify(&path).unwrap();
    assert_eq!(verified, StoredTable::info(&path).unwrap());
    let StoredTable::Patterns(info) = verified else { panic!("{verified:?}") };
    assert_eq!((info.entries, info.bytes, info.shape), (504, 4096 + 252 + 8, pattern.shape()));
    assert_eq!(info.histogram, built.histogram());
    assert_eq!(store.list().unwrap().len(), 1);
    assert_eq!(fs::read_dir(store.folder()).unwrap().count(), 1);
    assert!(StoredTable::remove(&path).unwrap());
    assert!(!StoredTable::remove(&path).unwrap());
    assert!(store.list().unwrap().is_empty());
    // A mapped file outlives its name.
    assert_same(&built, &loaded);
}

/// A sound file's bytes, and where to put altered ones.
fn sound(folder: &Folder) -> (PathBuf, Vec<u8>) {
    let path = TableStore::new(&folder.0).path(pattern().shape(), PatternKind::Plain);
    build(&pattern()).save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

fn load_fault(path: &Path, bytes: &[u8]) -> FileFault {
    fs::write(path, bytes).unwrap();
    let fault = Database::load(path, pattern(), Plain).unwrap_err().fault;
    assert!(StoredTable::verify(path).is_err());
    fault
}

#[test]
fn every_truncation_is_refused() {
    let folder = Folder::new("cut");
    let (path, bytes) = sound(&folder);
    for length in 0..bytes.len() {
        match load_fault(&path, &bytes[..length]) {
            FileFault::Foreign => assert!(length < 4096),
            FileFault::Length { expected, found } => {
                assert_eq!((expected, found), (bytes.len() as u64, length as u64));
            }
            fault => panic!("{length}: {fault}"),
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(load_fault(&path, &longer), FileFault::Length { .. }));
}

#[test]
fn every_altered_byte_is_found() {
    let folder = Folder::new("altered");
    let (path, bytes) = sound(&folder);
    let mut random = Random::new(3);
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << random.below(8);
        let fault = load_fault(&path, &altered);
        // The header alone identifies the file.
        assert_eq!(StoredTable::info(&path).is_err(), at < 4096, "{at}: {fault}");
        assert_eq!(matches!(fault, FileFault::Entries), at >= 4096, "{at}: {fault}");
    }
    for _ in 0..500 {
        let mut altered = bytes.clone();
        for _ in 0..=random.below(20) {
            let at = random.below(4096);
            altered[at] = random.next() as u8;
        }
        if altered != bytes {
            load_fault(&path, &altered);
        }
    }
}

#[test]
fn files_say_what_is_wrong_with_them() {
    let folder = Folder::new("wrong");
    let (path, bytes) = sound(&folder);
    let altered = |at: usize, value: &[u8]| {
        let mut altered = bytes.clone();
        altered[at..at + value.len()].copy_from_slice(value);
        altered
    };
    assert!(matches!(load_fault(&path, b"GIF89a"), FileFault::Foreign));
    assert!(matches!(load_fault(&path, &altered(0, b"x")), FileFault::Foreign));
    for version in [1, 3] {
        let other = altered(8, &u32::to_ne_bytes(version));
        assert!(
            matches!(load_fault(&path, &other), FileFault::Version { found, .. } if found == version)
        );
    }
    let mut other_order = bytes.clone();
    other_order[8..12].reverse();
    other_order[12..16].reverse();
    assert!(matches!(load_fault(&path, &other_order), FileFault::ByteOrder));
    fs::write(&path, &bytes).unwrap();
    let other = Pattern::new(&goal("3x3", NamedGoal::Last, 1), &[1, 2, 6]).unwrap();
    let error = Database::load(&path, other, Plain).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: a table for xx./.x./..0, not for xx./..x/..0", path.display())
    );
}

#[test]
fn an_invalid_file_is_built_again() {
    let folder = Folder::new("replaced");
    let store = TableStore::new(&folder.0);
    let (pattern, cancel) = (pattern(), Monitor::default());
    let path = store.path(pattern.shape(), PatternKind::Plain);
    let (_, bytes) = sound(&folder);
    let mut altered = bytes.clone();
    altered[4_200] ^= 0x44;
    let other = Pattern::new(&goal("3x3", NamedGoal::Last, 1), &[1, 2, 6]).unwrap();
    build(&other).save(&path).unwrap();
    let swapped = fs::read(&path).unwrap();
    for bad in [b"something else".to_vec(), altered, swapped, bytes[..4_300].to_vec(), vec![]] {
        fs::write(&path, &bad).unwrap();
        let mut invalid = 0;
        let mut report =
            |event: TableEvent<'_>| invalid += u32::from(matches!(event, TableEvent::Invalid(_)));
        let database = store
            .load_or_build(&pattern, &Plain, &mut request(false, &cancel, &mut report))
            .unwrap();
        assert_eq!(invalid, 1);
        assert_same(&database, &build(&pattern));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // On request a valid one is built again as well.
    let mut planned = 0;
    let mut report =
        |event: TableEvent<'_>| planned += u32::from(matches!(event, TableEvent::Planned(..)));
    store.load_or_build(&pattern, &Plain, &mut request(true, &cancel, &mut report)).unwrap();
    assert_eq!(planned, 1);
}

#[test]
fn a_swapped_file_is_found() {
    let folder = Folder::new("swapped");
    let store = TableStore::new(&folder.0);
    let (_, bytes) = sound(&folder);
    let other = Pattern::new(&goal("3x3", NamedGoal::Last, 1), &[1, 2, 6]).unwrap();
    let path = store.path(other.shape(), PatternKind::Plain);
    fs::write(&path, &bytes).unwrap();
    StoredTable::info(&path).unwrap();
    let error = StoredTable::verify(&path).unwrap_err();
    let named = matches!(&error.fault, FileFault::Name(name) if path.with_file_name(name).exists());
    assert!(named, "{error}");
}

/// A table that is large enough to be mapped, in a file.
fn mapped(folder: &Folder) -> (Pattern, PathBuf) {
    let goal = goal("4x4", NamedGoal::Last, 1);
    let pattern = Pattern::new(&goal, &[1, 2, 5, 6, 9, 13]).unwrap();
    let path = TableStore::new(&folder.0).path(pattern.shape(), PatternKind::Plain);
    build(&pattern).save(&path).unwrap();
    (pattern, path)
}

#[test]
#[cfg(unix)]
fn a_mapped_file_that_is_truncated_ends_nothing() {
    let folder = Folder::new("truncated");
    let (pattern, path) = mapped(&folder);
    let database = Database::load(&path, pattern.clone(), Plain).unwrap();
    let before = database.entries().to_vec();
    assert!(before.len() > 2 << 20 && database.is_intact());
    let kept = 1 << 20;
    fs::File::options().write(true).open(&path).unwrap().set_len(4096 + kept).unwrap();
    // Lost pages read as zeros, on every thread.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let (there, lost) = database.entries().split_at(kept as usize);
                assert!(lost.iter().rev().all(|&entry| entry == 0));
                assert_eq!(there, &before[..kept as usize]);
            });
        }
    });
    assert!(!database.is_intact());
    let fault = Database::load(&path, pattern, Plain).unwrap_err().fault;
    assert!(matches!(fault, FileFault::Length { .. }), "{fault}");
}

#[test]
fn a_mapped_file_that_is_changed_is_noticed() {
    use std::io::{Seek, SeekFrom, Write};
    let folder = Folder::new("changed");
    let (pattern, path) = mapped(&folder);
    let database = Database::load(&path, pattern.clone(), Plain).unwrap();
    // Replacing or removing the file does not matter.
    let bytes = fs::read(&path).unwrap();
    replace_file(&path, &[&bytes], |_| io::Result::Ok(())).unwrap();
    assert!(database.is_intact());
    let database = Database::load(&path, pattern.clone(), Plain).unwrap();
    let write = |at: u64, bytes: &[u8]| {
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    };
    write(2 << 20, &[0x44; 100]);
    assert!(!database.is_intact());
    fs::remove_file(&path).unwrap();
    assert!(!database.is_intact());
    // Setting the time back does not hide a change.
    fs::write(&path, &bytes).unwrap();
    let database = Database::load(&path, pattern, Plain).unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    write(2 << 20, &[0x44; 100]);
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
    assert!(!database.is_intact());
}

#[test]
fn what_is_cancelled_or_too_large_leaves_nothing() {
    let folder = Folder::new("cancelled");
    let store = TableStore::new(&folder.0);
    let pattern = pattern();
    let whole = Arc::new(Monitor::default());
    // A build within a search is cancelled with it.
    let cancel = Monitor::below(&whole);
    let mut report = |event: TableEvent<'_>| {
        if matches!(event, TableEvent::Progress(fraction) if fraction > 0.2) {
            whole.cancel();
        }
    };
    let cancelled =
        store.load_or_build(&pattern, &Plain, &mut request(false, &cancel, &mut report));
    assert!(matches!(cancelled, Err(BuildError::Cancelled)));
    let needed = Builder::<Plain>::new(pattern.clone(), u64::MAX).unwrap().plan().build_bytes;
    assert!(Builder::<Plain>::new(pattern.clone(), needed).is_ok());
    for allowed in [0, needed - 1] {
        let refused = Builder::<Plain>::new(pattern.clone(), allowed).err().unwrap();
        assert!(matches!(refused, BuildError::Memory { .. }), "{refused}");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn a_table_that_cannot_be_kept_still_serves() {
    let folder = Folder::new("readonly");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    // A folder cannot be made in place of a file.
    let store = TableStore::new(file.join("below"));
    let cancel = Monitor::default();
    let mut not_saved = 0;
    let mut report =
        |event: TableEvent<'_>| not_saved += u32::from(matches!(event, TableEvent::NotSaved(_)));
    let result = store.load_or_build(&pattern(), &Plain, &mut request(true, &cancel, &mut report));
    assert_same(&result.unwrap(), &build(&pattern()));
    assert_eq!(not_saved, 1);
}

#[test]
fn two_that_write_at_once_do_not_harm_each_other() {
    let folder = Folder::new("race");
    let path = TableStore::new(&folder.0).path(pattern().shape(), PatternKind::Plain);
    let database = build(&pattern());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    database.save(&path).unwrap();
                    StoredTable::verify(&path).unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    assert_same(&Database::load(&path, pattern(), Plain).unwrap(), &database);
}

#[test]
fn there_is_the_former_or_all_of_the_new() {
    let folder = std::env::temp_dir().join(format!("taquin-replace-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("file.json");
    let put = |text: &str, check: fn(&Path) -> io::Result<()>| {
        replace_file(&path, &[text.as_bytes(), b"!"], check)
    };
    put("one", |_| Ok(())).unwrap();
    let refused = put("two", |new| {
        assert_eq!(fs::read_to_string(new)?, "two!");
        Err(io::Error::other("refused"))
    });
    assert_eq!(refused.unwrap_err().to_string(), "refused");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one!");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // Files left by a killed process with the same number do not matter.
    for number in 0..9 {
        let left = format!("{}-{number}.tmp", std::process::id());
        fs::write(path.with_extension(left), "half").unwrap();
    }
    put("three", |_| Ok(())).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "three!");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 10);
    assert!(replace_file(&folder.join("no/file"), &[], |_| io::Result::Ok(())).is_err());
    fs::remove_dir_all(&folder).unwrap();
}
