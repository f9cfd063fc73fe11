//! Why a device cannot do something.

use taquin::DeviceError;

/// Why a device, or an engine on it, cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no CUDA driver.
    #[error("no CUDA driver was found")]
    NoDriver,
    /// The driver is older than the kernels.
    #[error("the driver supports CUDA {}.{}, and {}.{} is needed", found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10)]
    OldDriver {
        /// The version of CUDA that the driver supports, such as 12040 for 12.4.
        found: u32,
        /// The version that is needed.
        needed: u32,
    },
    /// There is no such device.
    #[error("there is no device {index}: the driver has found {found}")]
    NoDevice {
        /// The number of the device, from 0.
        index: usize,
        /// How many there are.
        found: usize,
    },
    /// A variable does not name devices.
    #[error("{variable} is '{text}': name devices by their numbers, such as 0,1")]
    Chosen {
        /// The variable.
        variable: &'static str,
        /// Its text.
        text: String,
    },
    /// The device is older than the kernels.
    #[error("{name} has the compute capability {}.{}, and 7.0 is needed", capability.0, capability.1)]
    OldDevice {
        /// The name of the device.
        name: String,
        /// Its compute capability.
        capability: (u32, u32),
    },
    /// The device has too little free memory.
    #[error(
        "{} MB of device memory are needed, and {} MB are free", needed.div_ceil(1_000_000),
        free / 1_000_000
    )]
    Memory {
        /// The bytes needed.
        needed: u64,
        /// The bytes free.
        free: u64,
    },
    /// No engine for a device fits.
    #[error("{0}")]
    Unsupported(&'static str),
    /// A result of the device is wrong, which should never happen.
    #[error("the search on the device failed: {0}")]
    Wrong(&'static str),
    /// A call of the driver failed.
    #[error("the CUDA driver failed: {0}")]
    Driver(String),
}

impl From<cudarc::driver::DriverError> for GpuError {
    fn from(error: cudarc::driver::DriverError) -> Self {
        let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        Self::Driver(match (name, text) {
            (Ok(name), Ok(text)) => format!("{text} ({name})"),
            _ => format!("error {}", error.0 as u32),
        })
    }
}

impl From<GpuError> for DeviceError {
    fn from(error: GpuError) -> Self {
        let message = error.to_string();
        match error {
            GpuError::NoDriver | GpuError::NoDevice { .. } => Self::Missing(message),
            GpuError::Chosen { .. } => Self::Choice(message),
            GpuError::OldDriver { .. } => Self::OldDriver(message),
            GpuError::Memory { needed, free } => Self::Memory { needed, free },
            GpuError::Unsupported(why) => Self::Unsupported(why),
            GpuError::OldDevice { .. } | GpuError::Wrong(_) | GpuError::Driver(_) => {
                Self::Failed(message)
            }
        }
    }
}
