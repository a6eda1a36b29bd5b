//! The measurement of a plan, read and checked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cyclescope_attached::DeviceText;
use cyclescope_chips::MemorySetting;
use cyclescope_guest::Devices;
use cyclescope_scope::{Event, Rule, SpanText, Time};
use cyclescope_text::nearest::clause;

use crate::plan::at_most;
use crate::{Plan, SweepError};

/// The most spans of a sweep.
const MOST_SPANS: u64 = 100;

/// The most devices on the pins of a chip.
const MOST_DEVICES: u64 = 100;

/// The memory settings that have a name.
const MEMORIES: [MemorySetting; 3] = [MemorySetting::Equal, MemorySetting::Shipped, MemorySetting::Ideal];

/// The measurement that each point makes.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) memories: Vec<MemorySetting>,
    pub(crate) spans: Vec<SpanText>,
    pub(crate) rules: Vec<Rule>,
    devices: Vec<DeviceText>,
    pub(crate) window: Time,
    pub(crate) until: Option<Event>,
}

impl Question {
    /// Reads the texts of `plan`.
    ///
    /// # Errors
    /// [`SweepError::Value`] with the key, [`SweepError::TooMany`].
    pub(crate) fn of(plan: &Plan) -> Result<Self, SweepError> {
        if plan.image.is_empty() {
            return Err(SweepError::value("image", "a sweep needs an image: [[image]] with elf = \"FILE\""));
        }
        if let Some(image) = plan.image.iter().find(|image| plan.chips(image).is_empty()) {
            let why = format!("{} has no chip, and the plan names none for all images", image.elf);
            return Err(SweepError::value("chip", why));
        }
        if plan.memory.is_empty() {
            return Err(SweepError::value("memory", "the list is empty; leave the key out for `shipped`"));
        }
        if plan.chunk_cycles == 0 {
            return Err(SweepError::value("chunk-cycles", "a chunk needs at least one cycle"));
        }
        let series = [("clock", &plan.clock), ("arrivals", &plan.arrivals), ("seeds", &plan.seeds)];
        for (key, numbers) in series {
            if let Some(last) = numbers.count().checked_sub(1).filter(|last| numbers.get(*last).is_none()) {
                return Err(SweepError::value(key, format!("number {} of them has more than 64 bits", last + 1)));
            }
        }
        let memories = plan.memory.iter().map(|name| memory(name)).collect::<Result<_, _>>()?;
        let spans = plan.span.iter().map(|text| text.parse::<SpanText>());
        let spans = spans.collect::<Result<Vec<_>, _>>().map_err(|error| SweepError::value("span", error))?;
        at_most("spans", Some(spans.len() as u64), MOST_SPANS)?;
        let mut names = BTreeSet::new();
        if let Some(twice) = spans.iter().find(|span| !names.insert(span.name.as_str())) {
            return Err(SweepError::value("span", format!("two spans are called `{}`", twice.name)));
        }
        let rules = plan.stimulus.iter().map(|text| text.parse::<Rule>());
        let rules = rules.collect::<Result<Vec<_>, _>>().map_err(|error| SweepError::value("stimulus", error))?;
        let devices = plan.attach.iter().map(|text| text.parse::<DeviceText>());
        let devices = devices.collect::<Result<Vec<_>, _>>().map_err(|error| SweepError::value("attach", error))?;
        at_most("attached devices", Some(devices.len() as u64), MOST_DEVICES)?;
        if let Some(device) = devices.iter().find(|device| device.save.is_some() || device.frames.is_some()) {
            let why = format!("each point would write the files of `{device}`; leave save= and frames= out");
            return Err(SweepError::value("attach", why));
        }
        let window = plan.window.parse().map_err(|error| SweepError::value("for", error))?;
        let until = plan.until.as_deref().map(str::parse::<Event>).transpose();
        let until = until.map_err(|error| SweepError::value("until", error))?;
        let question = Self { memories, spans, rules, devices, window, until };
        question.check_axes(plan)?;
        Ok(question)
    }

    /// Returns the files that texts name, as they are written: of each device and each stimulus with one, its name among the files of
    /// the sweep, and its path.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let devices = self.devices.iter().enumerate();
        let devices = devices.filter_map(|(place, device)| Some((of_device(place), device.file.clone()?)));
        let mut rules = self.rules.clone();
        let rules = rules.iter_mut().enumerate();
        let rules = rules.filter_map(|(place, rule)| Some((of_stimulus(place), rule.samples_file()?.clone())));
        devices.chain(rules).collect()
    }

    /// Puts the files that texts name into devices and stimuli. `file` returns each by its name among the files of the sweep; `folder`
    /// is where their paths begin, for messages.
    ///
    /// # Errors
    /// [`SweepError::File`] with the file, and with the line where it has lines.
    pub(crate) fn fill<'f>(
        &mut self,
        folder: &Path,
        file: impl Fn(&str) -> Result<&'f [u8], SweepError>,
    ) -> Result<(), SweepError> {
        for (place, device) in self.devices.iter_mut().enumerate() {
            let Some(path) = device.file.clone() else { continue };
            let loaded = device.load(file(&of_device(place))?);
            let name = shown(folder, &path);
            loaded.map_err(|error| SweepError::File { name, error: Box::new(error) })?;
        }
        for (place, rule) in self.rules.iter_mut().enumerate() {
            let Some(path) = rule.samples_file() else { continue };
            // Its own messages name it.
            *path = shown(folder, path);
            let text = String::from_utf8_lossy(file(&of_stimulus(place))?);
            rule.resolve_samples(&text).map_err(|error| SweepError::value("stimulus", error))?;
        }
        Ok(())
    }

    /// Returns the devices of a run.
    pub(crate) fn devices(&self) -> Devices {
        let hung = self.devices.iter().map(|device| (device.to_string(), device.attachment.clone()));
        Devices::new(hung.collect())
    }

    /// Checks that the axes of `plan` vary something.
    fn check_axes(&self, plan: &Plan) -> Result<(), SweepError> {
        let windows = self.rules.iter().filter(|rule| matches!(rule, Rule::Arrives { .. })).count();
        match (windows, plan.arrivals.is_empty()) {
            (0, true) | (1, false) => {}
            (0, false) => {
                let why = "no stimulus has a window in which it could arrive: `at FROM..TO ACTION`";
                return Err(SweepError::value("arrivals", why));
            }
            (_, true) => {
                let why = "a stimulus has a window; `arrivals` says at which cycles of it, as in {from = 100000, count = 500}";
                return Err(SweepError::value("arrivals", why));
            }
            (_, false) => return Err(SweepError::value("arrivals", "more than one stimulus has a window")),
        }
        if !plan.arrivals.is_empty() && self.until.is_some() {
            return Err(SweepError::value("until", "a run with an arrival ends with its spans; leave the key out"));
        }
        if !plan.arrivals.is_empty() && self.spans.is_empty() {
            return Err(SweepError::value("span", "a run with an arrival ends with its spans, and there are none"));
        }
        let drawn = self.rules.clone().iter_mut().any(|rule| rule.seed().is_some());
        if !plan.seeds.is_empty() && !drawn {
            return Err(SweepError::value("seeds", "no stimulus is drawn by a seed"));
        }
        Ok(())
    }

    /// Returns the stimuli, those that are drawn by a seed by `seed`.
    pub(crate) fn rules(&self, seed: Option<u64>) -> Vec<Rule> {
        let mut rules = self.rules.clone();
        if let Some(seed) = seed {
            rules.iter_mut().filter_map(Rule::seed).for_each(|own| *own = seed);
        }
        rules
    }
}

/// Returns the name of the file of the device at `place`; no path of a file ends like this.
fn of_device(place: usize) -> String {
    format!("attach/{place}/")
}

/// Returns the name of the file of the stimulus at `place`.
fn of_stimulus(place: usize) -> String {
    format!("stimulus/{place}/")
}

fn shown(folder: &Path, path: &str) -> String {
    let whole: PathBuf = folder.join(path);
    whole.to_string_lossy().into_owned()
}

/// Returns the memory setting called `name`.
fn memory(name: &str) -> Result<MemorySetting, SweepError> {
    let found = MEMORIES.into_iter().find(|setting| setting.name() == name);
    found.ok_or_else(|| {
        let nearest = clause(name, MEMORIES.map(MemorySetting::name));
        SweepError::value("memory", format!("there is no memory setting `{name}`{nearest}"))
    })
}
