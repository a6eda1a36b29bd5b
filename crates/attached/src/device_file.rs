//! The files of bytes of devices.

use std::io;

use thiserror::Error;

use crate::{AttachError, DeviceText};

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

impl DeviceText {
    /// Has `read` read its file, if it has one. `read` is given the path, and the number of bytes behind which nothing is needed: one
    /// more than the device keeps.
    ///
    /// # Errors
    /// [`DeviceFileError`] for a file that cannot be read or is too long.
    pub fn load_file(&mut self, read: impl FnOnce(&str, u64) -> io::Result<Vec<u8>>) -> Result<(), DeviceFileError> {
        let Some(path) = self.file.clone() else { return Ok(()) };
        let most = (self.attachment.device.room() as u64).saturating_add(1);
        match read(&path, most) {
            Ok(bytes) => self.load(&bytes).map_err(|error| DeviceFileError::Size { path, error: error.into() }),
            Err(error) => Err(DeviceFileError::Read { path, error }),
        }
    }
}
