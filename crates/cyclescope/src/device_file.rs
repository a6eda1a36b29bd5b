//! The files of bytes of attached devices.

use std::fs::File;
use std::io::Read;

use cyclescope_attached::{DeviceFileError, DeviceText};

/// Reads the file of `device`, if it has one, and no more of it than the device keeps.
///
/// # Errors
/// [`DeviceFileError`] for a file that cannot be read or is too long.
pub(crate) fn load(device: &mut DeviceText) -> Result<(), DeviceFileError> {
    device.load_file(|path, most| {
        let mut bytes = Vec::new();
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}
