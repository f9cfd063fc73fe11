//! Devices, and the facts known about them.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{CudaContext, CudaModule, CudaStream, LaunchConfig};
use cudarc::nvrtc::Ptx;

use crate::error::GpuError;
use crate::kernels::Kernel;

/// The CUDA version that the driver must support: the version of the compiler that made the PTX.
const MIN_CUDA_VERSION: u32 = 12_040;

/// The facts about a device.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its compute capability, such as (9, 0).
    pub capability: (u32, u32),
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The bytes of its memory.
    pub memory: u64,
    /// The bytes of its memory that are free.
    pub free: u64,
    /// The version of CUDA that the driver supports, such as 12040 for 12.4.
    pub cuda: u32,
}

/// Returns all devices.
///
/// # Errors
/// Fails if there is no driver, or if it is too old or does not work.
pub fn devices() -> Result<Vec<Result<Device, GpuError>>, GpuError> {
    Ok((0..device_count()?).map(Device::open).collect())
}

/// A device that is in use.
#[derive(Clone)]
pub struct Device {
    info: DeviceInfo,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// For data that has to reach the device while a kernel runs.
    control_stream: Arc<CudaStream>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.info).finish()
    }
}

impl Device {
    /// Opens the device with this number, from 0.
    ///
    /// # Errors
    /// Fails if there is no driver or no such device, or if it is too old or does not work.
    pub fn open(index: usize) -> Result<Self, GpuError> {
        let found = device_count()?;
        if index >= found {
            return Err(GpuError::NoDevice { index, found });
        }
        let context = CudaContext::new(index)?;
        let (major, minor) = context.compute_capability()?;
        let (free, memory) = context.mem_get_info()?;
        let multiprocessors =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let info = DeviceInfo {
            index,
            name: context.name()?,
            capability: (major as u32, minor as u32),
            multiprocessors: multiprocessors as u32,
            memory: memory as u64,
            free: free as u64,
            cuda: driver_version()?,
        };
        if major < 7 {
            return Err(GpuError::OldDevice { name: info.name, capability: info.capability });
        }
        #[expect(unsafe_code, reason = "a kernel must be stopped from another stream")]
        // SAFETY: all work is on one stream, in the order of the calls. The other one is only for
        // the word that asks a running kernel to end, which must not wait for it.
        unsafe {
            context.disable_event_tracking();
        }
        let (stream, control_stream) = (context.new_stream()?, context.new_stream()?);
        Ok(Self { info, context, stream, control_stream })
    }

    /// Returns the known facts. `free` is as it was when the device was opened.
    pub const fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Returns the bytes of its memory that are free.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn free_memory(&self) -> Result<u64, GpuError> {
        Ok(self.context.mem_get_info()?.0 as u64)
    }

    /// Fails if `bytes` of memory are not free.
    pub(crate) fn reserve(&self, bytes: u64) -> Result<(), GpuError> {
        let free = self.free_memory()?;
        if bytes > free {
            return Err(GpuError::Memory { needed: bytes, free });
        }
        Ok(())
    }

    pub(crate) const fn control_stream(&self) -> &Arc<CudaStream> {
        &self.control_stream
    }

    /// Returns an attribute of the device.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Result<u32, GpuError> {
        Ok(self.context.attribute(attribute)? as u32)
    }

    pub(crate) const fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Has the driver translate a kernel for this device.
    pub(crate) fn load(&self, kernel: Kernel) -> Result<Arc<CudaModule>, GpuError> {
        Ok(self.context.load_module(Ptx::from_src(kernel.ptx()))?)
    }
}

/// A launch with `blocks` thread blocks, each with `threads` threads.
pub(crate) const fn grid(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// Returns whether there is a driver, without starting it.
pub fn has_driver() -> bool {
    #[expect(unsafe_code, reason = "a library of the system is loaded")]
    // SAFETY: loading the driver runs its initialisers, which every CUDA program relies on.
    unsafe {
        sys::is_culib_present()
    }
}

/// Returns the number of devices. Every way to a device begins here, because the other calls panic
/// if there is no driver.
///
/// # Errors
/// Fails if there is no driver, or if it is too old or does not work.
pub fn device_count() -> Result<usize, GpuError> {
    if !has_driver() {
        return Err(GpuError::NoDriver);
    }
    let found = driver_version()?;
    if found < MIN_CUDA_VERSION {
        return Err(GpuError::OldDriver { found, needed: MIN_CUDA_VERSION });
    }
    match CudaContext::device_count() {
        Ok(found) => Ok(found as usize),
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => Ok(0),
        Err(error) => Err(error.into()),
    }
}

fn driver_version() -> Result<u32, GpuError> {
    let mut version = 0;
    #[expect(unsafe_code, reason = "there is no safe wrapper for this call")]
    // SAFETY: the driver writes one integer.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version as u32)
}
