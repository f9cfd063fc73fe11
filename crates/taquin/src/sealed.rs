//! Files with a checksum: one JSON object with the format's version, the checksum of the content as
//! it is written, and the content.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use taquin_tiles::excerpt;
use xxhash_rust::xxh3::xxh3_64;

/// A format of files.
#[derive(PartialEq, Eq)]
pub(crate) struct Seal {
    /// The name of the format, which a file begins with.
    pub(crate) name: &'static str,
    pub(crate) version: u64,
}

/// A fault in the bytes of a file.
#[derive(Debug)]
pub(crate) enum SealFault {
    Foreign,
    Version(u64),
    Damaged(String),
}

const CHECKSUM: &[u8] = b",\"checksum\":\"";
const CONTENT: &[u8] = b"\",\"content\":";
const END: &[u8] = b"}";

const NO_CHECKSUM: &str = "it has no checksum";

impl Seal {
    /// Returns the bytes of a file with this content.
    pub(crate) fn write(&self, content: &impl Serialize) -> serde_json::Result<Vec<u8>> {
        Ok(self.wrap(&serde_json::to_vec(content)?))
    }

    pub(crate) fn wrap(&self, content: &[u8]) -> Vec<u8> {
        let (head, checksum) = (format!("{}{}", self.head(), self.version), checksum(content));
        [head.as_bytes(), CHECKSUM, checksum.as_bytes(), CONTENT, content, END].concat()
    }

    /// Returns the content of a file and its checksum.
    pub(crate) fn read<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<(T, String), SealFault> {
        let damaged = |fact: &str| SealFault::Damaged(fact.to_owned());
        let rest = bytes.strip_prefix(self.head().as_bytes()).ok_or(SealFault::Foreign)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let version = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse().ok());
        let version: u64 = version.ok_or(SealFault::Foreign)?;
        if version != self.version {
            return Err(SealFault::Version(version));
        }
        let rest = rest[digits..].strip_prefix(CHECKSUM).ok_or_else(|| damaged(NO_CHECKSUM))?;
        let (written, rest) = rest.split_at_checked(16).ok_or_else(|| damaged(NO_CHECKSUM))?;
        let content = rest.strip_prefix(CONTENT).and_then(|rest| rest.strip_suffix(END));
        let content = content.ok_or_else(|| damaged("it is incomplete"))?;
        let checksum = checksum(content);
        if checksum.as_bytes() != written {
            return Err(damaged("its checksum is wrong"));
        }
        let content = serde_json::from_slice(content)
            .map_err(|error| SealFault::Damaged(excerpt(&error.to_string())))?;
        Ok((content, checksum))
    }

    /// Reads at most `max_bytes` of a file, or just the first bytes if it is not a regular file: a
    /// device may have no end.
    pub(crate) fn load(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        let head = self.head();
        let (file, mut bytes) = (File::open(path)?, Vec::new());
        (&file).take(head.len() as u64).read_to_end(&mut bytes)?;
        if bytes == head.as_bytes() {
            (&file).take(max_bytes).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    fn head(&self) -> String {
        format!("{{\"{}\":", self.name)
    }
}

fn checksum(content: &[u8]) -> String {
    format!("{:016x}", xxh3_64(content))
}
