//! Files that are written as a whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::content::forget;

/// Writes a file under a temporary name, lets `check` verify it there, and renames it to `path`. At
/// any time the path has either the former file or the whole new one.
///
/// # Errors
/// Fails if the operating system or `check` does. The new file is removed then.
pub fn replace_file<E: From<io::Error>>(
    path: &Path,
    parts: &[&[u8]],
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let write = |file: &mut File| parts.iter().try_for_each(|part| file.write_all(part));
    replace_file_with(path, |file| Ok(write(file)?), check)
}

/// Does the same with the data that `write` writes, and returns its result.
///
/// # Errors
/// Fails if the operating system, `write` or `check` does. The new file is removed then.
pub fn replace_file_with<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<T, E> {
    let (mut file, temporary) = temporary(path)?;
    let replace = || -> Result<T, E> {
        let written = write(&mut file)?;
        file.sync_all()?;
        forget(&file, file.metadata().map_or(0, |about| about.len() as usize));
        drop(file);
        check(&temporary)?;
        fs::rename(&temporary, path)?;
        Ok(written)
    };
    let written = replace().inspect_err(|_| _ = fs::remove_file(&temporary))?;
    // The new name survives a power failure once its folder is synced, if the system can do that.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).ok();
    Ok(written)
}

/// Does the same for a file that can be made again at once, without waiting for the disk. After a
/// power failure it may be torn, so every reader has to verify it.
pub(crate) fn replace_quickly(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let (mut file, temporary) = temporary(path)?;
    let written = parts.iter().try_for_each(|part| file.write_all(part));
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    replaced.inspect_err(|_| _ = fs::remove_file(&temporary))
}

/// Returns whether [`replace_file`] can write `path`, by creating its temporary file and removing
/// it.
///
/// # Errors
/// Fails as `replace_file` would.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    let (_, temporary) = temporary(path)?;
    fs::remove_file(temporary)
}

/// Removes the temporary files of `path` that killed processes on this machine left behind, if the
/// system lists its processes. Only one process may write to `path`.
pub(crate) fn remove_abandoned(path: &Path) {
    let processes = Path::new("/proc");
    let stem = path.file_stem().and_then(OsStr::to_str);
    let (Some(stem), true) = (stem, processes.join("self").exists()) else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    for entry in fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| {
            let numbers = name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(".tmp")?;
            let (process, number) = numbers.split_once('-')?;
            number.parse::<u64>().ok()?;
            process.parse::<u32>().ok()
        });
        if process.is_some_and(|process| !processes.join(process.to_string()).exists()) {
            // A leftover file is harmless.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Creates a file with a unique temporary name in the folder of `path`.
fn temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        match File::create_new(&temporary) {
            // A file of a process that was killed, or that runs on another machine.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, temporary)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_killed_processes_left_behind_is_removed() {
        let folder = std::env::temp_dir().join(format!("taquin-fs-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let own = format!("saved.{}-7.tmp", std::process::id());
        // No process has a number beyond the greatest that the system gives.
        let kept = [&own, "saved.json", "saved.tmp", "saved.x-1.tmp", "other.4294967295-0.tmp"];
        let left = ["saved.4294967295-0.tmp", "saved.4294967294-12.tmp"];
        for name in kept.iter().chain(&left) {
            fs::write(folder.join(name), "").unwrap();
        }
        remove_abandoned(&folder.join("saved.json"));
        assert!(kept.iter().all(|name| folder.join(name).exists()));
        let has_processes = Path::new("/proc/self").exists();
        assert!(left.iter().all(|name| folder.join(name).exists() != has_processes));
        fs::remove_dir_all(folder).unwrap();
    }
}
