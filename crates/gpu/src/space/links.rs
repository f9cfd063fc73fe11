//! The tables of the links between slabs that the kernels look up.
//!
//! A vertical move changes `cols` adjacent digits of a board's number. The link of class k is the
//! one whose first digit has the radix k. For each value of these digits, the tables have the value
//! that the board comes from.

use cudarc::driver::CudaSlice;
use taquin_tables::whole::Rotation;

use crate::device::Device;
use crate::error::GpuError;

/// The number of classes in the kernels' layout. The classes themselves are at most 15.
const CLASSES: usize = 16;

/// The digits with greater radices belong to a block's number.
const BLOCK_RADIX: usize = 8;

/// The links up to this class permute bits within one word or six words, by separate code, unless
/// two digits change.
const WORD_CLASS: usize = 6;

/// The greatest number of blocks that a block can come from.
const MAX_SOURCES: usize = 12;

/// The tables in the memory of a device.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) links: CudaSlice<u32>,
    pub(super) sources: CudaSlice<u16>,
    pub(super) maps: CudaSlice<u16>,
    pub(super) chunks: CudaSlice<u64>,
}

impl Tables {
    pub(super) fn new(device: &Device, cols: usize, cells: usize) -> Result<Self, GpuError> {
        let Links { classes, sources, maps, chunks } = Links::new(cols, cells);
        let stream = device.stream();
        Ok(Self {
            links: stream.clone_htod(&classes)?,
            sources: stream.clone_htod(&sources)?,
            maps: stream.clone_htod(&maps)?,
            chunks: stream.clone_htod(&chunks)?,
        })
    }
}

/// The tables, in the layout of the kernels.
struct Links {
    /// Four numbers for each class (stride, rows, first row of `sources` in both directions), then
    /// where the maps of each class begin, in both directions, and where the chunks begin.
    classes: Vec<u32>,
    /// Rows of a count and the values that blocks come from.
    sources: Vec<u16>,
    maps: Vec<u16>,
    chunks: Vec<u64>,
}

impl Links {
    fn new(cols: usize, cells: usize) -> Self {
        let mut this = Self {
            classes: vec![0; CLASSES * 6 + 2],
            // Never empty, because a device has no empty buffers.
            sources: vec![0],
            maps: vec![0],
            chunks: Vec::new(),
        };
        for k in WORD_CLASS..cells {
            // The blank comes from below, or from above.
            for (at, to_front) in [true, false].into_iter().enumerate() {
                let link = Rotation { radix: k, length: cols, to_front };
                let origins: Vec<usize> =
                    (0..link.values()).map(|value| link.apply(value)).collect();
                if k == cols + 4 {
                    this.classes[CLASSES * 6 + at] = this.chunks.len() as u32;
                    this.chunks.extend(origins.chunks(5).map(|origins| chunk(cols, origins)));
                } else if k > WORD_CLASS && k <= cols + 7 {
                    this.classes[CLASSES * (4 + at) + k] = this.maps.len() as u32;
                    this.maps.extend(origins.iter().map(|&origin| origin as u16));
                }
                if k > BLOCK_RADIX {
                    this.add_sources(k, cols, at, &origins);
                }
            }
        }
        this
    }

    /// Adds the blocks that blocks come from.
    fn add_sources(&mut self, k: usize, cols: usize, direction: usize, origins: &[usize]) {
        // The values of the digits inside a block.
        let inside: usize = (k - cols + 1..=k).filter(|&radix| radix <= BLOCK_RADIX).product();
        let stride: usize = (BLOCK_RADIX + 1..=k - cols).product();
        let rows = origins.len() / inside;
        self.classes[4 * k] = stride as u32;
        self.classes[4 * k + 1] = rows as u32;
        self.classes[4 * k + 2 + direction] = self.sources.len() as u32;
        for origins in origins.chunks(inside) {
            let blocks = origins.iter().map(|&origin| (origin / inside) as u16);
            let mut blocks: Vec<u16> = blocks.collect();
            blocks.sort_unstable();
            blocks.dedup();
            assert!(blocks.len() <= MAX_SOURCES, "two to four digits change");
            self.sources.push(blocks.len() as u16);
            blocks.resize(MAX_SOURCES, 0);
            self.sources.extend(blocks);
        }
    }
}

/// Five values of twelve bits each: the word that a chunk comes from, and its shift or, with four
/// columns, which of the word's chunks it is.
fn chunk(cols: usize, origins: &[usize]) -> u64 {
    let part = |origin: &usize| match cols {
        4 => (origin / 5) | (origin % 5) << 9,
        _ => (origin / 5) | (origin % 5 * 12) << 6,
    };
    let parts = origins.iter().map(|origin| part(origin) as u64);
    parts.rev().fold(0, |all, part| (all << 12) | part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_blocks_come_from_one_block() {
        for (cols, cells) in [(2, 10), (2, 14), (2, 16), (3, 9), (3, 15), (4, 12), (4, 16)] {
            let links = Links::new(cols, cells);
            for k in cols + BLOCK_RADIX..cells {
                for direction in 0..2 {
                    let first = links.classes[4 * k + 2 + direction] as usize;
                    let rows = links.classes[4 * k + 1] as usize;
                    let counts = links.sources[first..].iter().step_by(1 + MAX_SOURCES).take(rows);
                    assert!(counts.copied().all(|count| count == 1), "{cols} {k}");
                }
            }
        }
    }
}
