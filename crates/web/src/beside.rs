//! The files beside a firmware: descriptions of chips, and the bytes of devices.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use cyclescope_attached::{DeviceFileError, DeviceText};
use cyclescope_chips::{DescriptionError, Part};
use cyclescope_guest::Variant;
use cyclescope_guest::stimuli::{StimuliError, stimuli};
use cyclescope_guest::variant::{VariantError, part};
use cyclescope_scope::Rule;

/// Files by the names that options call them by.
pub type Beside = BTreeMap<String, Vec<u8>>;

/// Returns the bytes of the file called `name`.
fn find<'b>(beside: &'b Beside, name: &str) -> io::Result<&'b [u8]> {
    let lacking = || io::Error::new(ErrorKind::NotFound, "it is none of the files beside the firmware");
    beside.get(name).map(Vec::as_slice).ok_or_else(lacking)
}

/// Returns the text of the file called `name`.
fn text<'b>(beside: &'b Beside, name: &str) -> io::Result<&'b str> {
    str::from_utf8(find(beside, name)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Returns the stimuli of `option`: one, or those of a file of `beside`. Those with a file of voltages have its samples.
///
/// # Errors
/// [`StimuliError`]; a file of voltages that is wrong is told once the stimulus is applied.
pub(crate) fn rules(option: &str, beside: &Beside) -> Result<Vec<Rule>, StimuliError> {
    let read = |path: &Path| {
        let found = text(beside, path.to_str().unwrap_or_default());
        found.map(str::to_owned).map_err(|error| StimuliError::Read { path: path.to_owned(), error })
    };
    let mut rules = stimuli(option, read)?;
    for rule in &mut rules {
        if let Some(file) = rule.samples_file().cloned() {
            rule.hold_samples(text(beside, &file).map_err(|error| error.to_string()));
        }
    }
    Ok(rules)
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
    let text = text(beside, chip);
    part(chip, Some(text.map_err(unreadable)?), variant.clock)
}

/// Gives each of `devices` the bytes of its file.
///
/// # Errors
/// [`DeviceFileError`].
pub(crate) fn load(devices: &mut [DeviceText], beside: &Beside) -> Result<(), DeviceFileError> {
    devices.iter_mut().try_for_each(|device| device.load_file(|path, _| find(beside, path).map(<[u8]>::to_vec)))
}
