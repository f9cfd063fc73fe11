//! A short test that a device computes what the processor does.

use taquin_search::Monitor;
use taquin_tables::whole::{ExploreError, Explorer, Metric};
use taquin_tiles::{Board, NamedGoal, Size};

use crate::device::Device;
use crate::error::GpuError;
use crate::space::Space;

/// The result of one part of the self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// What was compared.
    pub what: String,
    /// Whether the device and the processor agree.
    pub agrees: bool,
}

/// Compares a device with the processor: the whole spaces of the 3x3 and of the 2x5 boards.
///
/// # Errors
/// Fails if the driver does, or if the device has too little memory.
pub fn self_test(device: &Device) -> Result<Vec<Check>, GpuError> {
    let sizes = [(3, 3), (2, 5)].into_iter();
    let sizes = sizes.filter_map(|(rows, cols)| Size::new(rows, cols).ok());
    sizes.map(|size| compare_space(device, size)).collect()
}

fn compare_space(device: &Device, size: Size) -> Result<Check, GpuError> {
    let goal = NamedGoal::First.board(size, 1);
    let mut space = Space::new(device, &goal)?;
    while space.advance()? {}
    let agrees = expected(&goal).is_ok_and(|(depths, farthest)| {
        depths == space.depths() && space.farthest().is_ok_and(|boards| boards == farthest)
    });
    let boards: u64 = space.depths().iter().sum();
    Ok(Check { what: format!("the depths of {boards} boards of {size}"), agrees })
}

fn expected(goal: &Board) -> Result<(Vec<u64>, Vec<Board>), ExploreError> {
    let mut explorer = Explorer::new(goal, Metric::Single, u64::MAX)?;
    while explorer.advance(&Monitor::default())? {}
    Ok((explorer.depths().to_vec(), explorer.farthest().collect()))
}
