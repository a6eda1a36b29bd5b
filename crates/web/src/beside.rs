//! The files beside a firmware: descriptions of chips, and the bytes of devices.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use cyclescope_attached::{DeviceFileError, DeviceText};
use cyclescope_chips::{DescriptionError, Part};
use cyclescope_guest::Variant;
use cyclescope_guest::variant::{VariantError, part};

/// Files by the names that options call them by.
pub type Beside = BTreeMap<String, Vec<u8>>;

fn find<'b>(beside: &'b Beside, name: &str) -> io::Result<&'b [u8]> {
    let lacking = || io::Error::new(ErrorKind::NotFound, "it is none of the files beside the firmware");
    beside.get(name).map(Vec::as_slice).ok_or_else(lacking)
}

/// Returns the part that `chip` means, a name or a file of `beside`, at the clock of `variant`.
///
/// # Errors
/// [`VariantError`].
pub(crate) fn chip(chip: &str, beside: &Beside, variant: Variant) -> Result<Cow<'static, Part>, VariantError> {
    if !Part::is_file(chip) {
        return part(chip, None, variant.clock);
    }
    let unreadable = |error| DescriptionError::Read { path: Path::new(chip).to_owned(), error };
    let text = find(beside, chip).and_then(|bytes| {
        str::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
    });
    part(chip, Some(text.map_err(unreadable)?), variant.clock)
}

/// Gives each of `devices` the bytes of its file.
///
/// # Errors
/// [`DeviceFileError`].
pub(crate) fn load(devices: &mut [DeviceText], beside: &Beside) -> Result<(), DeviceFileError> {
    devices.iter_mut().try_for_each(|device| device.load_file(|path, _| find(beside, path).map(<[u8]>::to_vec)))
}
