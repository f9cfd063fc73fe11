//! The data that a search's kernels and the host share.

use cudarc::driver::CudaSlice;

use crate::device::Device;
use crate::error::GpuError;

/// The words of `Control` in frontier24.cu.
const WORDS: usize = 12;
const STOP: usize = 6;

/// The control block of a device.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) words: CudaSlice<u32>,
}

/// The results that the kernels wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KernelOutput {
    pub(super) left: u32,
    pub(super) count: u32,
    pub(super) dead: u32,
    /// The item that the goal was found from.
    pub(super) found: Option<u32>,
    pub(super) is_full: bool,
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

impl Control {
    pub(super) fn new(device: &Device) -> Result<Self, GpuError> {
        Ok(Self { words: device.stream().alloc_zeros(WORDS)? })
    }

    pub(super) fn clear(&mut self, device: &Device) -> Result<(), GpuError> {
        Ok(device.stream().memset_zeros(&mut self.words)?)
    }

    /// Waits for the kernels, and reads.
    pub(super) fn read(&self, device: &Device) -> Result<KernelOutput, GpuError> {
        let words = device.stream().clone_dtoh(&self.words)?;
        device.stream().synchronize()?;
        Ok(KernelOutput::of(&words))
    }

    /// Reads while a kernel runs.
    pub(super) fn peek(&self, device: &Device) -> Result<KernelOutput, GpuError> {
        let words = device.control_stream().clone_dtoh(&self.words)?;
        device.control_stream().synchronize()?;
        Ok(KernelOutput::of(&words))
    }

    /// Asks the running kernel to end.
    pub(super) fn stop(&mut self, device: &Device) -> Result<(), GpuError> {
        device.control_stream().memcpy_htod(&[1], &mut self.words.slice_mut(STOP..=STOP))?;
        Ok(device.control_stream().synchronize()?)
    }
}

impl KernelOutput {
    fn of(words: &[u32]) -> Self {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        Self {
            left: words[1],
            count: words[2],
            dead: words[3],
            found: (words[4] != 0).then_some(words[5]),
            is_full: words[7] != 0,
            expanded: long(8),
            generated: long(10),
        }
    }
}
