//! Files that are written as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::content::forget;

/// Writes a file under a temporary name, lets `check` verify it there, and renames it to `path`:
/// whatever happens, there is either the former file or all of the new one.
///
/// # Errors
/// Fails if the operating system or `check` does. The new file is removed then.
pub fn replace_file<E: From<io::Error>>(
    path: &Path,
    parts: &[&[u8]],
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let (mut file, temporary) = temporary(path)?;
    let write = || -> Result<(), E> {
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        forget(&file, parts.iter().map(|part| part.len()).sum());
        drop(file);
        check(&temporary)?;
        Ok(fs::rename(&temporary, path)?)
    };
    write().inspect_err(|_| _ = fs::remove_file(&temporary))?;
    // The new name survives a power failure once its folder is synced, where that is possible.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).ok();
    Ok(())
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
