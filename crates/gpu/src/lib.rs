//! Engines on a CUDA device.
//!
//! The driver is loaded at run time. A program that uses this crate builds and starts without any
//! CUDA software; [`devices`] and [`Device::open`] return an error there.
//!
//! ```
//! use taquin_gpu::{Device, Space};
//! use taquin_tiles::NamedGoal;
//!
//! let goal = NamedGoal::First.board("3x3".parse()?, 1);
//! match Device::open(0) {
//!     Ok(device) => {
//!         let mut space = Space::new(&device, &goal)?;
//!         while space.advance()? {}
//!         assert_eq!(space.depths().len(), 32);
//!     }
//!     Err(error) => println!("{error}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The kernels are written in CUDA C, in `kernels/`. They are compiled ahead of time to PTX, which
//! the driver translates for its device, so that no compiler is needed at run time.

mod device;
mod error;
mod kernels;
mod puzzle24;
mod self_test;
mod space;

pub use device::{Device, DeviceInfo, devices};
pub use error::GpuError;
#[doc(hidden)]
pub use kernels::{Kernel, compile};
pub use puzzle24::{Options24, Puzzle24, fits_24};
#[doc(hidden)]
pub use puzzle24::{Resources, plain_counts};
pub use self_test::{Check, self_test};
pub use space::{Space, space_extent};
