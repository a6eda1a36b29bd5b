//! The choices before a board is started.

use cyclescope_attached::{AttachError, DeviceText};
use cyclescope_chips::{MemorySetting, Part, Settings};
use cyclescope_machine::{Attached, Attachment};
use cyclescope_scope::{Rule, StimulusError, Time, TimeError};

use super::{Board, BoardError, Firmware, Written};
use crate::device_file;

/// A chip and the conditions of its run.
#[derive(Clone, Debug)]
#[must_use = "a setup does nothing until a board is started from it"]
pub struct Setup {
    chip: Chip,
    memory: MemorySetting,
    output: usize,
    guest_handles_faults: bool,
    skips_loops: bool,
    limit: Result<Time, TimeError>,
    stimuli: Vec<Result<Rule, StimulusError>>,
    devices: Vec<Result<DeviceText, AttachError>>,
}

#[derive(Clone, Debug)]
enum Chip {
    Named(String),
    Described(String),
}

impl Setup {
    /// A board with `chip`: a name as `cyclescope list chips` shows them, or the path of a TOML file that describes one.
    ///
    /// Flash is as the firmware sets it up, the run ends a second after reset, a fault ends it, and so does a megabyte of
    /// output.
    pub fn new(chip: &str) -> Self {
        Self::with(Chip::Named(chip.to_owned()))
    }

    /// A board with the chip that `toml` describes.
    pub fn described(toml: &str) -> Self {
        Self::with(Chip::Described(toml.to_owned()))
    }

    fn with(chip: Chip) -> Self {
        Self {
            chip,
            memory: MemorySetting::Shipped,
            output: 1 << 20,
            guest_handles_faults: false,
            skips_loops: true,
            limit: Ok(Time::nanoseconds(1_000_000_000)),
            stimuli: Vec::new(),
            devices: Vec::new(),
        }
    }

    /// Sets the cost of flash. [`MemorySetting::Shipped`] is the default: the settings of the firmware itself.
    pub fn memory(mut self, memory: MemorySetting) -> Self {
        self.memory = memory;
        self
    }

    /// The time after reset at which every run of the board ends, whatever it waits for: `10s`, a
    /// [`Duration`](std::time::Duration), cycles.
    pub fn limit(mut self, time: impl Written<Time>) -> Self {
        self.limit = time.value();
        self
    }

    /// The most bytes that the firmware may write.
    pub fn most_output(mut self, bytes: usize) -> Self {
        self.output = bytes;
        self
    }

    /// Lets a fault run the firmware's own handler. Otherwise a fault ends the run with an error that says where it was.
    pub fn guest_handles_faults(mut self, handles: bool) -> Self {
        self.guest_handles_faults = handles;
        self
    }

    /// Skips loops in which the firmware only waits, which is the default, or (`false`) carries every turn out. Both give the same
    /// results; the second takes longer, and is for whoever wants to see that.
    pub fn skips_loops(mut self, skips: bool) -> Self {
        self.skips_loops = skips;
        self
    }

    /// Adds a stimulus: `at 3ms pin PC13 low`, `every 10ms from 1ms uart 2 "x"`, … Rules add up.
    pub fn stimulus(mut self, rule: impl Written<Rule>) -> Self {
        self.stimuli.push(rule.value());
        self
    }

    /// Hangs a device on the chip's pins, as `cyclescope list devices` shows them: `eeprom:24c32@i2c1`. The file of a
    /// memory's `file=` is read when a board starts; a board writes no files ([`Board::attached`] has the bytes).
    pub fn attach(mut self, device: impl Written<DeviceText>) -> Self {
        self.devices.push(device.value());
        self
    }

    /// Hangs a device of one's own, called `name`, on the wires of `place`: `scl=PB6,sda=PB7`, `i2c1`, `spi1,cs=PA4`.
    pub fn attach_own(mut self, name: &str, device: impl Attached + 'static, place: &str) -> Self {
        self.devices.push(DeviceText::own(name, Box::new(device), place));
        self
    }

    /// The board with `firmware` in it, about to execute its first instruction.
    ///
    /// # Errors
    /// [`BoardError`] for a chip that nobody knows, firmware that it cannot start, and what was wrong with the rest.
    pub fn start(&self, firmware: &Firmware) -> Result<Board, BoardError> {
        let part = match &self.chip {
            Chip::Named(chip) => Part::load(chip)?.into_owned(),
            Chip::Described(toml) => Part::from_toml(toml).map_err(cyclescope_chips::LoadPartError::from)?,
        };
        let settings = Settings {
            memory: self.memory,
            output_budget: self.output,
            halt_on_fault: !self.guest_handles_faults,
            halt_on_reset: true,
            skips_loops: self.skips_loops,
            ..Settings::default()
        };
        let limit = self.limit.clone()?;
        let devices = self.devices.iter().map(|device| attachment(device.clone()?)).collect::<Result<Vec<_>, _>>()?;
        let mut board = Board::start(&part, settings, (firmware.name(), firmware.shared()), limit)?;
        board.attach(devices)?;
        let rules = self.stimuli.iter().cloned().collect::<Result<Vec<_>, _>>()?;
        board.stimulate_all(&rules)?;
        Ok(board)
    }
}

/// Returns `device` with the bytes of its file.
fn attachment(mut device: DeviceText) -> Result<Attachment, BoardError> {
    if let Some(file) = device.save.take().or(device.frames.take()) {
        return Err(AttachError::File { device: device.attachment.name, file }.into());
    }
    device_file::load(&mut device)?;
    Ok(device.attachment)
}
