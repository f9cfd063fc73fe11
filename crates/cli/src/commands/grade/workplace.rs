//! A folder with a copy of a submission, so that programs change nothing that was handed in and
//! start each board from the same files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder for one run, removed with it.
pub(super) struct Workplace {
    folder: PathBuf,
    /// The submission in the folder.
    pub(super) submission: PathBuf,
}

/// The most bytes of a submission.
const MAX_BYTES: u64 = 256 << 20;

/// The most files of a submission.
const MAX_FILES: usize = 10_000;

impl Workplace {
    /// Copies a submission, a file or a folder, to a new folder.
    pub(super) fn new(submission: &Path) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("taquin-grade-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // A folder that another process has made there is not used.
        private_folder(&folder)?;
        let folder = fs::canonicalize(folder)?;
        let mut place = Self { submission: folder.join("submission"), folder };
        let mut left = (MAX_BYTES, MAX_FILES);
        if submission.is_dir() {
            copy_folder(submission, &place.submission, &mut left)?;
        } else {
            fs::create_dir(&place.submission)?;
            let name = submission.file_name().unwrap_or_default();
            let copy = place.submission.join(name);
            copy_file(submission, &copy, &mut left)?;
            place.submission = copy;
        }
        Ok(place)
    }

    /// The folder in which a program runs.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.join("submission")
    }

    /// Writes the board to a file, and returns its path.
    pub(super) fn write_board(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.join("board.txt");
        fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // A program may have taken away the right to remove its files; they stay then.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Creates a folder that other accounts can't enter.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn copy_folder(from: &Path, to: &Path, left: &mut (u64, usize)) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, copy) = (entry.file_type()?, to.join(entry.file_name()));
        // A link could lead anywhere.
        if kind.is_dir() {
            copy_folder(&entry.path(), &copy, left)?;
        } else if kind.is_file() {
            copy_file(&entry.path(), &copy, left)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, (bytes, files): &mut (u64, usize)) -> io::Result<()> {
    let about = fs::metadata(from)?;
    let length = about.len();
    if !about.is_file() {
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    if length > *bytes || *files == 0 {
        let most = taquin::write_bytes(MAX_BYTES);
        let message = format!("it has more than {most} or {MAX_FILES} files");
        return Err(io::Error::other(message));
    }
    (*bytes, *files) = (*bytes - length, *files - 1);
    fs::copy(from, to).map(drop)
}
