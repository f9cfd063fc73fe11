//! Courses and papers, as `--as` names them.

use std::sync::Arc;

use taquin::Place;
use taquin_lab::{Course, CourseError, CourseFileError};

use crate::failure::Failure;
use crate::output;

/// Returns the course that `text` names, which is built in or a file.
pub(crate) fn resolve(text: &str) -> Result<Arc<Course>, Failure> {
    Course::resolve(text).map_err(|error| {
        let CourseError::File { path, error: CourseFileError { faults } } = &error else {
            return Failure::course(&error);
        };
        for fault in faults {
            let Place { line, column } = fault.place;
            let message = format!("{}:{line}:{column}: {fault}", path.display());
            output::error(&message, fault.hint.as_deref());
        }
        Failure::told()
    })
}
