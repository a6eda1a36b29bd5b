//! Records for programs, whole.

use cyclescope_records::RecordFile;

use crate::ReportError;

/// The file as JSON; docs/records.md is its schema.
///
/// # Errors
/// [`ReportError::Records`] where a number is not finite.
pub fn json(file: &RecordFile) -> Result<String, ReportError> {
    Ok(file.to_json()?)
}
