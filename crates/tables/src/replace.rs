//! Files that are at their place whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::map::forget;

/// Writes a file beside its place, lets it be checked there, and puts it in its place: whatever happens,
/// there is what was there before, or all of the new.
///
/// # Errors
/// Fails if the system does, or if the check does; then nothing is left of it.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    parts: &[&[u8]],
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let (mut file, temporary) = beside(path)?;
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
    write().inspect_err(|_| {
        // What is left of it would be taken for something.
        fs::remove_file(&temporary).ok();
    })?;
    // The new name is safe when its folder is; where folders can't be synced it soon will be.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).ok();
    Ok(())
}

/// A new file beside another, that nobody else writes to.
fn beside(path: &Path) -> io::Result<(File, PathBuf)> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        match File::create_new(&temporary) {
            // A process that had the same number was killed, or is on another machine.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, temporary)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_the_former_or_all_of_the_new() {
        let folder = std::env::temp_dir().join(format!("taquin-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file.json");
        let put = |text: &str, check: fn(&Path) -> io::Result<()>| {
            replace(&path, &[text.as_bytes(), b"!"], check)
        };
        put("one", |_| Ok(())).unwrap();
        let refused = put("two", |beside| {
            assert_eq!(fs::read_to_string(beside)?, "two!");
            Err(io::Error::other("refused"))
        });
        assert_eq!(refused.unwrap_err().to_string(), "refused");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one!");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // What a killed process with the same number has left is in nobody's way.
        for number in 0..9 {
            let left = format!("{}-{number}.tmp", std::process::id());
            fs::write(path.with_extension(left), "half").unwrap();
        }
        put("three", |_| Ok(())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three!");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 10);
        assert!(replace(&folder.join("no/file"), &[], |_| io::Result::Ok(())).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
