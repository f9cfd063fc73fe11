//! Courses and papers, as `--as` names them.

use taquin_lab::Convention;

use crate::failure::Failure;

/// The convention with this name.
pub(crate) fn convention(name: Option<&str>) -> Result<Option<&'static Convention>, Failure> {
    name.map(Convention::find).transpose().map_err(|error| Failure::course(&error))
}
