//! Automata as files: the states, with the numbers of those after each move.

use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::{Move, MoveOrder, Size};

use super::build::NO_CELL;
use super::{Automaton, AutomatonShape, NO_MOVE, NO_STATE, State};
use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct AutomatonDescription {
    rows: u16,
    cols: u16,
    /// The order of the moves, by their letters.
    order: [u8; 4],
    longest: u32,
    states: u32,
    unused: [u64; 506],
}

const _: () = assert!(size_of::<AutomatonDescription>() == DESCRIPTION);

impl AutomatonDescription {
    fn shape(&self) -> Option<AutomatonShape> {
        let size = Size::new(self.rows.into(), self.cols.into()).ok()?;
        let order: MoveOrder = str::from_utf8(&self.order).ok()?.parse().ok()?;
        AutomatonShape::new(size, order, self.longest as usize)
    }
}

impl Description for AutomatonDescription {
    const MAGIC: [u8; 8] = *b"taquinPA";
    const VERSION: u32 = 1;

    fn content_length(&self) -> Option<usize> {
        self.shape()?;
        (self.states as usize).checked_mul(size_of::<[u32; 4]>())
    }
}

/// The header of an automaton's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonInfo {
    /// The file.
    pub path: PathBuf,
    /// The properties that determine an automaton.
    pub shape: AutomatonShape,
    /// The number of states.
    pub states: u64,
    /// The length of the file.
    pub bytes: u64,
}

impl AutomatonInfo {
    pub(crate) fn new(
        path: &Path,
        file: &TableFile<AutomatonDescription>,
    ) -> Result<Self, FileFault> {
        let shape = file.description.shape().ok_or(FileFault::Header)?;
        let states = file.description.states.into();
        Ok(Self { path: path.to_owned(), shape, states, bytes: file.bytes })
    }
}

impl Automaton {
    /// Loads an automaton.
    ///
    /// # Errors
    /// Fails unless the file is the automaton of this shape and every byte is as it was written.
    pub fn load(path: &Path, shape: AutomatonShape) -> Result<Self, FileError> {
        let load = || {
            let file: TableFile<AutomatonDescription> = TableFile::open(path)?;
            let found = AutomatonInfo::new(path, &file)?.shape;
            if found != shape {
                return Err(FileFault::Automaton { found, wanted: shape });
            }
            let content = file.content()?;
            let nexts = content.chunks_exact(size_of::<[u32; 4]>());
            let nexts = nexts.map(bytemuck::pod_read_unaligned).collect();
            // The content may be a map. The states are a copy.
            let automaton = Self::from_nexts(shape, nexts).filter(|_| content.is_intact());
            automaton.ok_or(FileFault::Entries)
        };
        load().map_err(|fault| fault.at(path))
    }

    /// Writes the automaton to a file. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written. An existing file
    /// is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let AutomatonShape { size, order, longest } = self.shape;
        let description = AutomatonDescription {
            rows: size.rows() as u16,
            cols: size.cols() as u16,
            order: order.moves().map(|step: Move| step.letter() as u8),
            longest: longest as u32,
            states: self.states.len() as u32,
            ..Zeroable::zeroed()
        };
        let nexts: Vec<[u32; 4]> = self.states.iter().map(|state| state.nexts).collect();
        TableFile::save(path, &description, bytemuck::cast_slice(&nexts))
    }

    /// Makes an automaton from the states after each move. A state's blank and last move follow
    /// from its predecessors. Returns `None` if they contradict each other, if a move leaves the
    /// board, or if a state is unreachable.
    pub(super) fn from_nexts(shape: AutomatonShape, nexts: Vec<[u32; 4]>) -> Option<Self> {
        let targets = shape.targets();
        let unknown = |nexts| State { nexts, blank: NO_CELL, last: NO_MOVE };
        let mut states: Vec<State> = nexts.into_iter().map(unknown).collect();
        let mut open = Vec::new();
        for cell in 0..targets.len() {
            states.get_mut(cell)?.blank = cell as u8;
            open.push(cell);
        }
        while let Some(at) = open.pop() {
            let State { nexts, blank, .. } = states[at];
            let places = (0..).zip(nexts).zip(targets[usize::from(blank)]);
            for ((last, next), target) in places.filter(|((_, next), _)| *next != NO_STATE) {
                let state = states.get_mut(next as usize).filter(|_| target != NO_CELL)?;
                match (state.blank, state.last) {
                    (NO_CELL, _) => {
                        (state.blank, state.last) = (target, last);
                        open.push(next as usize);
                    }
                    known if known != (target, last) => return None,
                    _ => {}
                }
            }
        }
        let is_reached = states.iter().all(|state| state.blank != NO_CELL);
        is_reached.then_some(Self { shape, states })
    }
}
