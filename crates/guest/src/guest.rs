//! A user's image on a chip: the start of its run, and the records of its end.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use cyclescope_attached::ssd1306::{Frame, Ssd1306};
use cyclescope_chips::{AttachError, LoadError, LoadPartError, Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Attachment, Placement, SemihostingFiles};
use cyclescope_records::{Record, Source};
use cyclescope_scope::{Event, GapListener, Rule, Session, Time};
use thiserror::Error;

use crate::tell::Tell;
use crate::variant::LayoutText;
use crate::{Variant, origin};

/// An image, the chip that runs it, and the limits of its run.
#[derive(Clone, Copy, Debug)]
pub struct Guest<'a> {
    /// The image.
    pub image: &'a Image,
    /// The image's name in results and messages.
    pub name: &'a str,
    /// The chip's name, or the path of a TOML file that describes one.
    pub chip: &'a str,
    /// The flash settings.
    pub memory: MemorySetting,
    /// The run ends when the guest has written more bytes than this.
    pub max_output: usize,
    /// A fault runs the guest's own handler instead of ending the run.
    pub guest_handles_faults: bool,
    /// The listener that is told of model gaps while the run goes on.
    pub gaps: Option<&'a dyn GapListener>,
    /// The folder of the host that the guest has by semihosting.
    pub files: Option<HostFolder<'a>>,
    /// The devices on the part's pins.
    pub devices: Option<&'a Devices>,
    /// Other places for its code and constants, for timing only.
    pub placement: Option<&'a Arc<Placement>>,
    /// The chip itself, where it is known already; `chip` is then its name in messages.
    pub part: Option<&'a Part>,
    /// The difference that `part` and `placement` make, for its records.
    pub variant: Variant,
}

/// A folder of the host, and the way to it.
#[derive(Clone, Copy, Debug)]
pub struct HostFolder<'a> {
    /// The folder.
    pub path: &'a Path,
    /// Opens it.
    pub open: OpenFolder,
}

/// Opens a folder of the host for a guest.
pub type OpenFolder = fn(&Path) -> Result<Box<dyn SemihostingFiles>, Box<dyn std::error::Error + Send + Sync>>;

/// The attached devices of a guest, and what they are when its run has ended.
#[derive(Debug, Default)]
pub struct Devices {
    /// Each device, with the text that a user made it from.
    pub hung: Vec<(String, Attachment)>,
    kept: RefCell<Vec<KeptDevice>>,
}

/// An attached device at the end of a run.
#[derive(Clone, Debug)]
pub struct KeptDevice {
    /// Its name.
    pub name: String,
    /// The device.
    pub device: Box<dyn Attached>,
    /// The simulated time since reset.
    pub at: Picoseconds,
}

impl KeptDevice {
    /// Returns the frames of the run if it is a display: the finished ones, and what it shows at the end.
    pub fn frames(&self) -> Option<Vec<Frame>> {
        self.device.as_any().downcast_ref::<Ssd1306>().map(|display| display.shown(self.at))
    }
}

impl Devices {
    /// The devices `hung`.
    pub fn new(hung: Vec<(String, Attachment)>) -> Self {
        Self { hung, kept: RefCell::default() }
    }

    /// Keeps the devices of `machine`, whose run has ended.
    pub fn keep(&self, machine: &Machine) {
        let at = machine.timebase().time(machine.now());
        let devices = machine.attached().into_iter();
        let kept = devices.map(|(name, device)| KeptDevice { name: name.to_owned(), device: device.copy(), at });
        self.kept.replace(kept.collect());
    }

    /// Tells what the devices have found out in the latest run.
    pub fn tell(&self, console: &mut dyn Tell) {
        for device in self.kept.borrow().iter() {
            for sentence in device.device.report() {
                console.note(&format!("{}: {sentence}", device.name));
            }
        }
    }

    /// Returns the devices at the end of the latest run; none if no run has ended.
    pub fn kept(&self) -> Vec<KeptDevice> {
        self.kept.borrow().clone()
    }
}

/// The outside of a guest: its stimuli, and the time that its run may take.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'a> {
    /// The stimuli.
    pub rules: &'a [Rule],
    /// The length of the run, from reset.
    pub window: Time,
    /// The event that ends the run before that.
    pub until: Option<&'a Event>,
    /// The run goes on to its end even where nothing can happen any more.
    pub whole: bool,
}

/// The reason why a guest cannot be started.
#[derive(Debug, Error)]
pub enum GuestError {
    /// The chip is unknown.
    #[error(transparent)]
    Part(#[from] LoadPartError),
    /// The image does not fit the chip.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A device does not fit the chip.
    #[error(transparent)]
    Attach(#[from] AttachError),
}

impl<'a> Guest<'a> {
    /// The image called `name` on `chip`, whose faults end its run.
    pub const fn new(image: &'a Image, name: &'a str, chip: &'a str, memory: MemorySetting) -> Self {
        Self {
            image,
            name,
            chip,
            memory,
            max_output: Self::MAX_OUTPUT,
            guest_handles_faults: false,
            gaps: None,
            files: None,
            devices: None,
            placement: None,
            part: None,
            variant: Variant { clock: None, layout: LayoutText { number: 0, seed: 1 } },
        }
    }

    /// The most bytes that a guest may write unless a command says otherwise.
    pub const MAX_OUTPUT: usize = 64 << 20;

    /// Returns the name and the chip, for messages.
    pub fn subject(&self) -> String {
        format!("{} on {}", self.name, self.chip)
    }

    /// Has the guest's listener told of model gaps in `session`.
    pub fn tell_gaps<'s>(&self, session: &mut Session<'s>)
    where
        'a: 's,
    {
        if let Some(listener) = self.gaps {
            session.tell_gaps(listener, self.image);
        }
    }

    /// Loads the image into its chip, which is about to execute the first instruction. A reset ends the run.
    ///
    /// # Errors
    /// [`GuestError`] for an unknown chip, and for an image or a device that does not fit it.
    pub fn load(&self) -> Result<Machine, GuestError> {
        let settings = Settings {
            memory: self.memory,
            output_budget: self.max_output,
            halt_on_fault: !self.guest_handles_faults,
            halt_on_reset: true,
            ..Settings::default()
        };
        let part = self.part.map_or_else(|| Part::load(self.chip), |part| Ok(Cow::Borrowed(part)))?;
        let mut machine = Machine::load(&part, settings, self.image)?;
        if let Some(devices) = self.devices.filter(|devices| !devices.hung.is_empty()) {
            machine.attach(devices.hung.iter().map(|(_, device)| device.clone()).collect())?;
        }
        if self.placement.is_some() {
            machine.place(self.placement.cloned());
        }
        Ok(machine)
    }

    /// Keeps the attached devices of `machine`, whose run has ended.
    pub fn keep_devices(&self, machine: &Machine) {
        if let Some(devices) = self.devices {
            devices.keep(machine);
        }
    }

    /// Returns the texts of the attached devices.
    pub fn device_texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.devices.into_iter().flat_map(|devices| devices.hung.iter().map(|(text, _)| text.as_str()))
    }

    /// Returns a record with the origin of the run on `machine`, and without a number.
    pub fn record(&self, experiment: &str, mode: &str, machine: &Machine) -> Record {
        Record {
            experiment: experiment.to_owned(),
            mode: mode.to_owned(),
            contender: self.name.to_owned(),
            compiler: self.image.compilers().join("; "),
            chip: Some(machine.part().name.to_string()),
            clock_hz: Some(machine.clock().get()),
            settings: origin::memory_settings(self.memory, machine),
            image_sha256: Some(self.image.file_sha256().to_string()),
            model: Some(origin::model(machine)),
            ..Record::empty(Source::Simulated)
        }
    }
}
