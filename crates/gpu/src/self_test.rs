//! A short test that a device computes the same results as the CPU.

use taquin_search::{Cost, Limits, Monitor};
use taquin_tables::whole::{ExploreError, Explorer, Metric};
use taquin_tiles::{Board, NamedGoal, Size, Tile};

use crate::device::Device;
use crate::error::GpuError;
use crate::puzzle24::{Options24, Puzzle24, plain_counts};
use crate::space::Space;

/// The result for one part of the self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// How many things were compared.
    pub count: u64,
    /// The compared things.
    pub what: String,
    /// Whether the device and the processor agree.
    pub agrees: bool,
}

/// The results of the self-test.
#[derive(Debug)]
pub struct SelfTest {
    /// The parts.
    pub checks: Vec<Check>,
    /// The bytes of device memory that a 24-puzzle search takes, or why there are too few.
    pub search: Result<u64, GpuError>,
}

/// Korf and Felner's instance 38, and the length of its shortest solutions.
const INSTANCE: [Tile; 25] =
    [10, 3, 24, 12, 0, 7, 8, 11, 14, 21, 22, 23, 2, 1, 9, 17, 18, 6, 20, 4, 13, 15, 5, 19, 16];
const LENGTH: Cost = 96;

/// The thresholds of the instance below this one are compared.
const END: Cost = 92;

/// Compares a device with the CPU: the whole spaces for 3x3 and 2x5 boards and, if the device has
/// enough memory, a 24-puzzle search, to the node.
///
/// # Errors
/// Fails if the driver does.
pub fn self_test(device: &Device) -> Result<SelfTest, GpuError> {
    let sizes = [(3, 3), (2, 5)].into_iter();
    let sizes = sizes.filter_map(|(rows, cols)| Size::new(rows, cols).ok());
    let mut checks =
        sizes.map(|size| compare_space(device, size)).collect::<Result<Vec<_>, _>>()?;
    let search = match compare_search(device) {
        Ok((bytes, compared)) => {
            checks.extend(compared);
            Ok(bytes)
        }
        Err(error @ GpuError::Memory { .. }) => Err(error),
        Err(error) => return Err(error),
    };
    Ok(SelfTest { checks, search })
}

/// Returns the bytes that the engine takes as well.
fn compare_search(device: &Device) -> Result<(u64, [Check; 2]), GpuError> {
    const FITS: &str = "the board has 25 cells";
    let size = Size::new(5, 5).expect(FITS);
    let start = Board::new(size, INSTANCE.to_vec()).expect(FITS);
    let goal = NamedGoal::First.board(size, 1);
    let free = device.free_memory()?;
    let mut engine = Puzzle24::new(device, &goal)?;
    let bytes = free.saturating_sub(device.free_memory()?);
    let expected = plain_counts(&mut engine, &start, &goal, END)?;
    let plain = Options24 {
        transpositions: false,
        merge: false,
        min_compared: u64::MAX,
        unit_nodes: u64::MAX,
    };
    let counts = engine.complete(&start, &goal, END, plain)?;
    let search = engine.solve(&start, &goal, Options24::default(), &Limits::default())?;
    let nodes = expected.generated;
    let checks = [
        Check {
            count: nodes,
            what: format!("nodes of a 24-puzzle below threshold {END}"),
            agrees: (counts.expanded, counts.generated) == (expected.expanded, nodes),
        },
        Check {
            count: LENGTH.into(),
            what: "moves to solve this puzzle".to_owned(),
            agrees: search.solution().is_some_and(|solution| solution.cost == LENGTH),
        },
    ];
    Ok((bytes, checks))
}

fn compare_space(device: &Device, size: Size) -> Result<Check, GpuError> {
    let goal = NamedGoal::First.board(size, 1);
    let mut space = Space::new(device, &goal)?;
    while space.advance()? {}
    let agrees = expected(&goal).is_ok_and(|(depths, farthest)| {
        depths == space.depths() && space.farthest().is_ok_and(|boards| boards == farthest)
    });
    let boards: u64 = space.depths().iter().sum();
    Ok(Check { count: boards, what: format!("boards of {size} by their depths"), agrees })
}

fn expected(goal: &Board) -> Result<(Vec<u64>, Vec<Board>), ExploreError> {
    let mut explorer = Explorer::new(goal, Metric::Single, u64::MAX)?;
    while explorer.advance(&Monitor::default())? {}
    Ok((explorer.depths().to_vec(), explorer.farthest()?))
}
