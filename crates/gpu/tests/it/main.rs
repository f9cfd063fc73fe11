//! The kernels without a device, and the engines on one, if there is one.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "in a test an error is a failure")]

mod beam;
mod kernels;
mod puzzle15;
mod puzzle24;
mod space;

use taquin_gpu::Device;

/// Returns the first device.
fn device() -> Device {
    Device::open(0).unwrap()
}
