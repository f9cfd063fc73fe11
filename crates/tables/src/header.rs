//! The first page of a file: what every kind of table has there, and how it is checked.
//!
//! A header begins with its magic, the version of the form and the byte order, and ends with a
//! checksum of all that is before it. What is in between is each kind's own.

use std::fs::File;
use std::io::{self, Read};

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::file::FileFault;

pub(crate) const VERSION: u32 = 1;

/// Reads as another number on a machine with the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;

/// How a header begins.
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Beginning {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
}

impl Beginning {
    pub(crate) const fn new(magic: [u8; 8]) -> Self {
        Self { magic, version: VERSION, byte_order: BYTE_ORDER }
    }
}

/// The bytes of the checksum at the end.
const SEAL: usize = size_of::<u64>();

/// Reads a header, in the byte order of this machine, and checks that it is one of this kind.
pub(crate) fn read<H: Pod>(mut file: &File, magic: [u8; 8]) -> Result<H, FileFault> {
    let mut header = H::zeroed();
    let short = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => FileFault::Foreign,
        _ => error.into(),
    };
    file.read_exact(bytemuck::bytes_of_mut(&mut header)).map_err(short)?;
    let bytes = bytemuck::bytes_of(&header);
    let beginning: Beginning = bytemuck::pod_read_unaligned(&bytes[..size_of::<Beginning>()]);
    match beginning {
        Beginning { magic: found, .. } if found != magic => Err(FileFault::Foreign),
        Beginning { byte_order, .. } if byte_order == BYTE_ORDER.swap_bytes() => {
            Err(FileFault::ByteOrder)
        }
        Beginning { version: found, .. } if found != VERSION => Err(FileFault::Version { found }),
        _ if bytes[bytes.len() - SEAL..] != checksum(bytes) => Err(FileFault::Header),
        _ => Ok(header),
    }
}

/// Puts the checksum at the end of a header.
pub(crate) fn seal<H: Pod>(header: &mut H) {
    let bytes = bytemuck::bytes_of_mut(header);
    let checksum = checksum(bytes);
    let at = bytes.len() - SEAL;
    bytes[at..].copy_from_slice(&checksum);
}

fn checksum(header: &[u8]) -> [u8; SEAL] {
    xxh3_64(&header[..header.len() - SEAL]).to_ne_bytes()
}
