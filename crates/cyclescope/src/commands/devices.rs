//! The devices that a command attaches to a guest's chip: their bytes before the run and after it.

use std::path::Path;

use cyclescope_attached::DeviceText;

use super::counted;
use crate::backend::Devices;
use crate::device_file;
use crate::error::CliError;
use crate::output::{Console, OutFile};

/// The devices of a run, with the files that their bytes go to.
pub(super) struct Bench {
    pub(super) devices: Devices,
    saves: Vec<(String, OutFile)>,
}

/// Returns the files that the bytes of `devices` go to, each with its option, for
/// [`check_apart`](crate::output::check_apart).
pub(super) fn outputs(devices: &[DeviceText]) -> impl Iterator<Item = (&'static str, Option<&Path>)> {
    devices.iter().map(|device| ("save= of an --attach", device.save.as_deref().map(Path::new)))
}

impl Bench {
    /// Reads the files of `devices`, and prepares to write theirs.
    ///
    /// # Errors
    /// [`CliError::Device`] for a file that cannot be read or is too long, [`CliError::Write`] for one that cannot be
    /// written.
    pub(super) fn open(devices: &[DeviceText]) -> Result<Self, CliError> {
        let (mut hung, mut saves) = (Vec::new(), Vec::new());
        for device in devices {
            let mut device = device.clone();
            device_file::load(&mut device)?;
            if let Some(path) = &device.save {
                saves.push((device.attachment.name.clone(), OutFile::open(Path::new(path))?));
            }
            hung.push((device.to_string(), device.attachment));
        }
        let wanted = saves.iter().map(|(name, _)| name.clone()).collect();
        Ok(Self { devices: Devices::new(hung, wanted), saves })
    }

    /// Tells what the devices have found out, and writes the bytes of those whose run has ended.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(super) fn save(self, console: &mut Console) -> Result<(), CliError> {
        for sentence in self.devices.take_reports() {
            console.note(&sentence);
        }
        for (name, file) in self.saves {
            if let Some(bytes) = self.devices.take(&name) {
                let what = format!("the {} of {name}", counted(bytes.len() as u64, "byte", "bytes"));
                file.put(&bytes, &what, console)?;
            }
        }
        Ok(())
    }
}
