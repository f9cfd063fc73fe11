//! A folder's files that have the shares of all processes at some depth.
//!
//! A file is complete once it has its name, and a depth counts once all its files exist. So the
//! files of the depth before are removed only after every process has reported its new one. All
//! machines may see the same folder, or each its own: processes compare their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use taquin_tables::whole::{Member, SavedSpace};
use taquin_tables::{FileError, FileFault, check_replaceable};

/// A file's depth, and the process that holds the share.
pub(crate) type SavedShare = (usize, Member);

/// Returns the path of a share.
pub(crate) fn path(folder: &Path, (depth, Member { process, processes }): SavedShare) -> PathBuf {
    folder.join(format!("depth-{depth}-{process}-of-{processes}.share"))
}

/// Returns a file's contents by its name.
fn of_name(name: &str) -> Option<SavedShare> {
    let (depth, rest) = name.strip_prefix("depth-")?.strip_suffix(".share")?.split_once('-')?;
    let (process, processes) = rest.split_once("-of-")?;
    let member = Member { process: process.parse().ok()?, processes: processes.parse().ok()? };
    Some((depth.parse().ok()?, member)).filter(|_| member.process < member.processes)
}

/// Returns the shares that are in a folder.
pub(crate) fn found(folder: &Path) -> Vec<SavedShare> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| of_name(entry.file_name().to_str()?)).collect()
}

/// Returns the greatest depth with all shares, and their number.
pub(crate) fn newest(found: impl Iterator<Item = SavedShare>) -> Option<(usize, usize)> {
    let mut sets: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (depth, Member { process, processes }) in found {
        let set = sets.entry((depth, processes)).or_default();
        if !set.contains(&process) {
            set.push(process);
        }
    }
    sets.into_iter().rev().find(|((_, processes), set)| set.len() == *processes).map(|(key, _)| key)
}

/// Returns whether a folder has shares.
pub fn has_shares(folder: &Path) -> bool {
    !found(folder).is_empty()
}

/// Returns any share in a folder; all have the same goal.
///
/// # Errors
/// Fails if there is none that can be read.
pub fn any_share(folder: &Path) -> Result<SavedSpace, FileError> {
    let newest = found(folder).into_iter().max_by_key(|(depth, _)| *depth);
    let missing = || {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "it has no shares");
        FileError { path: folder.to_owned(), fault: FileFault::Io(error) }
    };
    SavedSpace::of(&path(folder, newest.ok_or_else(missing)?))
}

/// Returns the depths of a checkpoint's shares, from any share in the folder.
pub(crate) fn depths(
    folder: &Path,
    (depth, processes): (usize, usize),
) -> Result<Vec<u64>, FileError> {
    let is_one = |saved: &SavedShare| (saved.0, saved.1.processes) == (depth, processes);
    let first = (depth, Member { process: 0, processes });
    let one = found(folder).into_iter().find(is_one).unwrap_or(first);
    SavedSpace::of(&path(folder, one)).map(|share| share.depths)
}

/// Returns why the share of a process cannot be written, if so.
pub(crate) fn trouble(folder: &Path, member: Member) -> Option<String> {
    let try_it = || {
        fs::create_dir_all(folder)?;
        check_replaceable(&path(folder, (0, member)))
    };
    try_it().err().map(|error| format!("{}: can't be written: {error}", folder.display()))
}

/// Removes the shares of other depths than this one.
pub(crate) fn remove_others(folder: &Path, depth: usize) {
    for saved in found(folder).into_iter().filter(|saved| saved.0 != depth) {
        // Another process may have removed it; a leftover file is harmless.
        let _ = fs::remove_file(path(folder, saved));
    }
}

/// Removes all shares, and the unfinished file of a killed process. The folder stays.
pub(crate) fn remove_all(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_torn = name.starts_with("depth-") && name.ends_with(".tmp");
        if is_torn || of_name(&name).is_some() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_depth_counts_if_it_is_complete() {
        let share = |depth, process, processes| (depth, Member { process, processes });
        let all = [share(4, 0, 2), share(4, 1, 2), share(9, 0, 3), share(9, 2, 3), share(9, 2, 3)];
        assert_eq!(newest(all.into_iter()), Some((4, 2)));
        assert_eq!(newest(all.into_iter().chain([share(9, 1, 3)])), Some((9, 3)));
        assert_eq!(newest(std::iter::empty()), None);
    }

    #[test]
    fn names_are_read_back() {
        let saved = (53, Member { process: 1, processes: 4 });
        let path = path(Path::new("x"), saved);
        assert_eq!(path, Path::new("x/depth-53-1-of-4.share"));
        assert_eq!(of_name("depth-53-1-of-4.share"), Some(saved));
        for name in [
            "depth-53-4-of-4.share",
            "depth-1-0-of-1",
            "depth--0-of-1.share",
            "state",
            "depth-1-0-of-1.12-0.tmp",
            "depth-1-of-1.share",
        ] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }
}
