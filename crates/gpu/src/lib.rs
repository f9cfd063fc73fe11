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

#[cfg(not(target_arch = "wasm32"))]
mod beam;
#[cfg(not(target_arch = "wasm32"))]
mod device;
mod error;
#[cfg(not(target_arch = "wasm32"))]
mod kernels;
#[cfg(target_arch = "wasm32")]
mod no_device;
#[cfg(not(target_arch = "wasm32"))]
mod puzzle15;
#[cfg(not(target_arch = "wasm32"))]
mod puzzle24;
#[cfg(not(target_arch = "wasm32"))]
mod self_test;
#[cfg(not(target_arch = "wasm32"))]
mod space;

pub use error::GpuError;
#[cfg(target_arch = "wasm32")]
pub use no_device::{
    Check, Device, DeviceInfo, GpuBeam, Options24, Puzzle15, Puzzle24, SelfTest, Space,
    device_count, devices, fits_24, has_driver, self_test, space_extent,
};
#[cfg(not(target_arch = "wasm32"))]
pub use {
    beam::GpuBeam,
    device::{Device, DeviceInfo, device_count, devices, has_driver},
    puzzle15::Puzzle15,
    puzzle24::{Options24, Puzzle24, fits_24},
    self_test::{Check, SelfTest, self_test},
    space::{Space, space_extent},
};
#[doc(hidden)]
#[cfg(not(target_arch = "wasm32"))]
pub use {
    kernels::{Kernel, compile},
    puzzle15::plain_search_15,
    puzzle24::{Resources, plain_counts},
};
