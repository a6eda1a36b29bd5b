//! The files of bytes of attached devices.

use std::fs::File;
use std::io::{self, Read};

use cyclescope_attached::{AttachError, DeviceText};
use thiserror::Error;

/// A file of bytes that does not serve a device.
#[derive(Debug, Error)]
pub enum DeviceFileError {
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// It has more bytes than the device keeps.
    #[error("{path}: {error}")]
    Size {
        /// The file.
        path: String,
        /// The defect.
        #[source]
        error: Box<AttachError>,
    },
}

/// Reads the file of `device`, if it has one, and no more of it than the device keeps.
///
/// # Errors
/// [`DeviceFileError`] for a file that cannot be read or is too long.
pub(crate) fn load(device: &mut DeviceText) -> Result<(), DeviceFileError> {
    let Some(path) = device.file.clone() else { return Ok(()) };
    let room = device.attachment.device.room() as u64;
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(room + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => device.load(&bytes).map_err(|error| DeviceFileError::Size { path, error: error.into() }),
        Err(error) => Err(DeviceFileError::Read { path, error }),
    }
}
