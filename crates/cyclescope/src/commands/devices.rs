//! The devices that a command attaches to a guest's chip: their bytes before the run and after it.

use std::path::{Path, PathBuf};

use cyclescope_attached::DeviceText;
use cyclescope_attached::ssd1306::WIDTH;
use cyclescope_experiments::KeptDevice;

use super::counted;
use crate::backend::Devices;
use crate::device_file;
use crate::error::CliError;
use crate::output::{Console, OutFile};

/// The devices of a run, with the places that their bytes and pictures go to.
pub(super) struct Bench {
    pub(super) devices: Devices,
    saves: Vec<(String, OutFile)>,
    folders: Vec<(String, PathBuf)>,
}

/// Returns the files that the bytes of `devices` go to, each with its option, for
/// [`check_apart`](crate::output::check_apart).
pub(super) fn outputs(devices: &[DeviceText]) -> impl Iterator<Item = (&'static str, Option<&Path>)> {
    devices.iter().map(|device| ("save= of an --attach", device.save.as_deref().map(Path::new)))
}

/// True if `device` leaves files when its run has ended.
pub(super) fn leaves_files(device: &DeviceText) -> bool {
    device.save.is_some() || device.frames.is_some()
}

impl Bench {
    /// Reads the files of `devices`, and prepares to write theirs.
    ///
    /// # Errors
    /// [`CliError::Device`] for a file that cannot be read or is too long, [`CliError::Write`] for one that cannot be
    /// written, and for a folder that cannot be made.
    pub(super) fn open(devices: &[DeviceText]) -> Result<Self, CliError> {
        let (mut hung, mut saves, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        for device in devices {
            let mut device = device.clone();
            device_file::load(&mut device)?;
            let name = &device.attachment.name;
            if let Some(path) = &device.save {
                saves.push((name.clone(), OutFile::open(Path::new(path))?));
            }
            if let Some(path) = device.frames.as_ref().map(PathBuf::from) {
                std::fs::create_dir_all(&path).map_err(CliError::unwritable(&path))?;
                folders.push((name.clone(), path));
            }
            hung.push((device.to_string(), device.attachment));
        }
        Ok(Self { devices: Devices::new(hung), saves, folders })
    }

    /// Tells what the devices have found out, and writes the bytes and pictures of those whose run has ended.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(super) fn save(self, console: &mut Console) -> Result<(), CliError> {
        let kept = self.devices.kept();
        self.devices.tell(console);
        let named = |name: &str| kept.iter().find(|device| device.name == name);
        for (name, file) in self.saves {
            let Some(device) = named(&name) else { continue };
            match device.frames() {
                None => {
                    let bytes = device.device.memory();
                    let what = format!("the {} of {name}", counted(bytes.len() as u64, "byte", "bytes"));
                    file.put(bytes, &what, console)?;
                }
                Some(frames) => match frames.last() {
                    Some(last) => file.put(&last.png(), &format!("the picture on {name}"), console)?,
                    None => {
                        console.note(&format!("{name} has shown nothing: {} is not written", file.path().display()))
                    }
                },
            }
        }
        for (name, folder) in self.folders {
            let frames = named(&name).and_then(KeptDevice::frames).unwrap_or_default();
            for (number, frame) in (1..).zip(&frames) {
                let microseconds = frame.at.get() / 1_000_000;
                let time = format!("{}.{:03}ms", microseconds / 1_000, microseconds % 1_000);
                OutFile::open(&folder.join(format!("{name}-{number:04}-{time}.png")))?.commit(&frame.png())?;
            }
            let count = counted(frames.len() as u64, "frame", "frames");
            console.note(&format!("wrote {count} of {name} to {}", folder.display()));
        }
        Ok(())
    }

    /// Shows on standard error what the displays show at the end of the run, in blocks of two pixels where `width` columns
    /// have room, else of four.
    pub(super) fn show(&self, width: Option<u16>, console: &mut Console) {
        for device in self.devices.kept() {
            let Some(last) = device.frames().and_then(|mut frames| frames.pop()) else { continue };
            let narrow = width.is_some_and(|width| width < WIDTH as u16 + 2);
            let lines = last.blocks(narrow);
            let edge = "─".repeat(lines.first().map_or(0, |line| line.chars().count()));
            let framed: String = lines.iter().map(|line| format!("│{line}│\n")).collect();
            console.write_stderr(format!("{}:\n┌{edge}┐\n{framed}└{edge}┘\n", device.name).as_bytes());
        }
    }
}
