//! The kernels without a device, and the engines on one, if there is one.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "in a test an error is a failure")]

mod beam;
mod kernels;
mod puzzle15;
mod puzzle24;
mod space;

use taquin_gpu::{Device, GpuError};

/// Returns the first device, or `None`, with a message, on a machine without one. Where
/// `TAQUIN_GPU_REQUIRED` is set, as `cargo xtask gpu` does, a missing device is a failure.
fn device() -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error @ (GpuError::NoDriver | GpuError::NoDevice { .. }))
            if std::env::var_os("TAQUIN_GPU_REQUIRED").is_none() =>
        {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
