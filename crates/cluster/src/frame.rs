//! Short texts over a connection, each with its length before it.

use std::io::{self, Read, Write};

/// The longest text. One that claims to be longer is not read.
const MAX_LENGTH: u32 = 1 << 20;

pub(crate) fn send(stream: &mut impl Write, text: &str) -> io::Result<()> {
    let mut bytes = (text.len() as u32).to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    stream.write_all(&bytes)
}

pub(crate) fn receive(stream: &mut impl Read) -> io::Result<String> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > MAX_LENGTH {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "too long"));
    }
    let mut bytes = Vec::new();
    stream.take(length.into()).read_to_end(&mut bytes)?;
    match bytes.len() == length as usize {
        true => String::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
