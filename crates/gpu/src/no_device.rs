//! The same names where there can be no device: all of them refuse.

use std::sync::Arc;

use taquin_fast::{Checkpointing, WideBeam, WidePath, WideSearch};
use taquin_search::{Limits, Monitor, Search};
use taquin_tables::Patterns;
use taquin_tables::whole::Extent;
use taquin_tiles::{Board, Size, Slide};

use crate::error::GpuError;

/// A device. It has no values here.
#[derive(Debug)]
pub enum Device {}

/// What is known of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
}

/// Options of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options24 {}

/// An engine. It has no values here.
#[derive(Debug)]
pub enum Puzzle24 {}

/// An engine. It has no values here.
#[derive(Debug)]
pub enum GpuBeam {}

/// A space on a device. It has no values here.
#[derive(Debug)]
pub enum Space {}

/// The result of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {}

/// The results of the self-test.
#[derive(Debug)]
#[allow(missing_docs, reason = "there are none")]
pub struct SelfTest {
    pub checks: Vec<Check>,
    pub search: Result<u64, GpuError>,
}

/// There are none.
///
/// # Errors
/// Always fails.
pub fn devices() -> Result<Vec<Result<Device, GpuError>>, GpuError> {
    Err(GpuError::NoDriver)
}

/// There is none.
pub const fn has_driver() -> bool {
    false
}

/// There are none.
///
/// # Errors
/// Always fails.
pub fn device_count() -> Result<usize, GpuError> {
    Err(GpuError::NoDriver)
}

/// There is nothing to test.
///
/// # Errors
/// Always fails.
pub fn self_test(device: &Device) -> Result<SelfTest, GpuError> {
    match *device {}
}

/// No puzzle fits.
///
/// # Errors
/// Always fails.
pub fn fits_24(_: &Board, _: &Board) -> Result<(), GpuError> {
    Err(GpuError::NoDriver)
}

/// No space fits.
///
/// # Errors
/// Always fails.
pub fn space_extent(_: &Board) -> Result<Extent, GpuError> {
    Err(GpuError::NoDriver)
}

impl Device {
    /// There is none.
    ///
    /// # Errors
    /// Always fails.
    pub fn open(_: usize) -> Result<Self, GpuError> {
        Err(GpuError::NoDriver)
    }
}

impl Puzzle24 {
    /// Needs a device.
    ///
    /// # Errors
    /// Is never called.
    pub fn new(device: &Device, _: &Board) -> Result<Self, GpuError> {
        match *device {}
    }

    /// Needs an engine.
    pub fn is_for(&self, _: &Board) -> bool {
        match *self {}
    }

    /// Needs an engine.
    pub const fn device(&self) -> &DeviceInfo {
        match *self {}
    }

    /// Needs an engine.
    ///
    /// # Errors
    /// Is never called.
    pub fn solve_with_checkpoints(
        &mut self,
        _: &Board,
        _: &Board,
        _: Options24,
        _: &Limits,
        _: Checkpointing<'_>,
    ) -> Result<Search<Slide>, GpuError> {
        match *self {}
    }
}

/// An engine. It has no values here.
#[derive(Debug)]
pub enum Puzzle15 {}

impl Puzzle15 {
    /// Needs a device.
    ///
    /// # Errors
    /// Is never called.
    pub fn new(device: &Device, _: &Arc<Patterns>) -> Result<Self, GpuError> {
        match *device {}
    }

    /// Needs an engine.
    pub const fn device(&self) -> &DeviceInfo {
        match *self {}
    }

    /// Needs an engine.
    pub fn is_for(&self, _: &Arc<Patterns>) -> bool {
        match *self {}
    }

    /// Needs an engine.
    ///
    /// # Errors
    /// Is never called.
    pub fn solve(
        &mut self,
        _: &[Board],
        _: &Monitor,
    ) -> Result<Option<Vec<Search<Slide>>>, GpuError> {
        match *self {}
    }
}

impl GpuBeam {
    /// Needs a device.
    ///
    /// # Errors
    /// Is never called.
    pub fn new(device: &Device, _: Size, _: u64) -> Result<Self, GpuError> {
        match *device {}
    }

    /// Needs an engine.
    pub const fn size(&self) -> Size {
        match *self {}
    }

    /// Needs an engine.
    pub const fn device(&self) -> &DeviceInfo {
        match *self {}
    }

    /// Needs an engine.
    pub fn take_error(&mut self) -> Option<GpuError> {
        match *self {}
    }
}

impl WideBeam for GpuBeam {
    fn widest(&self, _: u32) -> usize {
        match *self {}
    }

    fn search(&mut self, _: WideSearch<'_>, _: &mut dyn FnMut(usize) -> bool) -> Option<WidePath> {
        match *self {}
    }
}

impl Space {
    /// Needs a device.
    ///
    /// # Errors
    /// Is never called.
    pub fn new(device: &Device, _: &Board) -> Result<Self, GpuError> {
        match *device {}
    }

    /// Needs a space.
    pub fn depths(&self) -> &[u64] {
        match *self {}
    }

    /// Needs a space.
    ///
    /// # Errors
    /// Is never called.
    pub fn advance(&mut self) -> Result<bool, GpuError> {
        match *self {}
    }

    /// Needs a space.
    ///
    /// # Errors
    /// Is never called.
    pub fn farthest(&self) -> Result<Vec<Board>, GpuError> {
        match *self {}
    }
}
