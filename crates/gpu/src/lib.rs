//! Engines on a CUDA device, and [`Cuda`], which lets a session of taquin use them.
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

mod beam;
mod cuda;
mod device;
mod error;
mod improvers;
mod kernels;
mod pool;
mod puzzle15;
mod puzzle24;
mod self_test;
mod space;

pub use beam::GpuBeam;
pub use cuda::{Cuda, chosen_devices};
pub use device::{Device, DeviceInfo, device_count, devices, has_driver};
pub use error::GpuError;
pub use puzzle15::Puzzle15;
pub use puzzle24::{Options24, Puzzle24, fits_24};
pub use self_test::{Check, SelfTest, self_test};
pub use space::{Space, space_extent};
#[doc(hidden)]
pub use {
    kernels::{Kernel, compile},
    puzzle15::plain_search_15,
    puzzle24::{Resources, patterns as patterns_24, plain_counts},
};
