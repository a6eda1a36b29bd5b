//! Firmware, and whole measurements of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use cyclescope::{DeviceText, Event, MemorySetting, Rule, Setup, SpanText, Time, Written};
use cyclescope_guest::{Exit, Failure, Guest, MeasureRequest, Scenario, hint, measure};
use cyclescope_image::SymbolKind;
use cyclescope_scope::RunEnd;
use pyo3::prelude::*;

use crate::board::Board;
use crate::error::{Raise, Said};
use crate::records::Records;
use crate::watched::watched;

/// An ELF file, read once; boards are started from it as often as wanted.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Firmware {
    firmware: cyclescope::Firmware,
}

/// Parses the text of the argument `name`.
pub(crate) fn parsed<T>(py: Python<'_>, name: &str, text: &str) -> PyResult<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    text.parse().map_err(|error| Said(format!("{name}: {error}"), Exit::Usage).raise(py))
}

fn all<T>(py: Python<'_>, name: &str, texts: &[String]) -> PyResult<Vec<T>>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    texts.iter().map(|text| parsed(py, name, text)).collect()
}

/// The memory setting called `name`.
fn memory(py: Python<'_>, name: &str) -> PyResult<MemorySetting> {
    let all = [MemorySetting::Equal, MemorySetting::Shipped, MemorySetting::Ideal];
    all.into_iter().find(|setting| setting.name() == name).ok_or_else(|| {
        let known = all.map(MemorySetting::name).join(", ");
        Said(format!("there is no memory setting `{name}`; there are {known}"), Exit::Usage).raise(py)
    })
}

#[pymethods]
impl Firmware {
    /// Reads the ELF file at `path`.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let firmware = cyclescope::Firmware::read(path).map_err(|error| error.raise(py))?;
        Ok(Self { firmware })
    }

    /// The ELF file in `elf`, which messages call `name`.
    #[staticmethod]
    fn from_elf(py: Python<'_>, name: &str, elf: &[u8]) -> PyResult<Self> {
        let firmware = cyclescope::Firmware::from_elf(name, elf).map_err(|error| error.raise(py))?;
        Ok(Self { firmware })
    }

    /// A bundled image, by its name in `bundled()`.
    #[staticmethod]
    fn bundled(py: Python<'_>, name: &str) -> PyResult<Self> {
        let image = cyclescope_images::images().iter().find(|image| image.name == name);
        let unknown = || Said(format!("there is no image `{name}`; cyclescope.bundled() has all"), Exit::Usage);
        let image = image.ok_or_else(|| unknown().raise(py))?;
        let elf = image.elf().map_err(|error| Said(error.to_string(), Exit::Internal).raise(py))?;
        Self::from_elf(py, name, &elf)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.firmware.name()
    }

    /// The bytes of its file.
    #[getter]
    fn elf(&self) -> &[u8] {
        self.firmware.image().file()
    }

    /// The SHA-256 of its file.
    #[getter]
    fn sha256(&self) -> String {
        self.firmware.image().file_sha256().to_string()
    }

    /// The chip that it names, if it names one that is modelled.
    #[getter]
    fn chip(&self) -> Option<&'static str> {
        let hints = hint::hints(self.firmware.image());
        hints.into_iter().find_map(|hint| hint.name.candidates().first().copied())
    }

    /// The functions of its symbol table, for events.
    fn functions(&self) -> Vec<String> {
        let symbols = self.firmware.image().symbols().iter();
        let functions = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
        functions.map(|symbol| symbol.display_name().to_owned()).collect()
    }

    /// A board with `chip` and this firmware in it, about to execute its first instruction.
    ///
    /// `chip` is a name of `chips()` or the path of a TOML file that describes one. Every run of the board ends at `limit` after
    /// reset. Stimuli and devices are written as for `cyclescope measure`.
    // Each is a keyword of Python's.
    #[expect(clippy::too_many_arguments)]
    #[pyo3(signature = (chip, *, memory="shipped", limit="1s", stimulus=Vec::new(), attach=Vec::new(), guest_handles_faults=false))]
    fn on(
        &self,
        py: Python<'_>,
        chip: &str,
        memory: &str,
        limit: &str,
        stimulus: Vec<String>,
        attach: Vec<String>,
        guest_handles_faults: bool,
    ) -> PyResult<Board> {
        let mut setup = Setup::new(chip).memory(self::memory(py, memory)?).guest_handles_faults(guest_handles_faults);
        setup = setup.limit(parsed::<Time>(py, "limit", limit)?);
        for rule in all::<Rule>(py, "stimulus", &stimulus)? {
            setup = setup.stimulus(rule);
        }
        for device in all::<DeviceText>(py, "attach", &attach)? {
            setup = setup.attach(device);
        }
        Board::start(py, setup, self.firmware.clone())
    }

    /// Runs the firmware on `chip` for the time `window`, as `cyclescope measure` does, and returns the records of its `spans` and of
    /// the run.
    ///
    /// A span that does not happen as described is an error, and so is an event `until` that does not happen in time.
    // Each is a keyword of Python's.
    #[expect(clippy::too_many_arguments)]
    #[pyo3(signature = (chip, spans=Vec::new(), *, stimulus=Vec::new(), window="1s", until=None, memory="shipped", guest_handles_faults=false))]
    fn measure(
        &self,
        py: Python<'_>,
        chip: &str,
        spans: Vec<String>,
        stimulus: Vec<String>,
        window: &str,
        until: Option<&str>,
        memory: &str,
        guest_handles_faults: bool,
    ) -> PyResult<Records> {
        let (spans, rules) = (all::<SpanText>(py, "spans", &spans)?, all::<Rule>(py, "stimulus", &stimulus)?);
        let window: Time = parsed(py, "window", window)?;
        let until = until.map(|until| parsed::<Event>(py, "until", until)).transpose()?;
        let memory = self::memory(py, memory)?;
        let stop = AtomicBool::new(false);
        let outcome = watched(py, &stop, || -> Result<_, Failure> {
            let image = self.firmware.image();
            let guest = Guest { guest_handles_faults, ..Guest::new(image, self.firmware.name(), chip, memory) };
            let scenario = Scenario { rules: &rules, window, until: until.as_ref(), whole: false };
            let (trace, task_pointer, arrival, start) = (false, None, &[][..], None);
            let request = MeasureRequest { guest, scenario, spans: &spans, trace, task_pointer, arrival, start };
            measure::measure(&request, &mut |_, _| true, &|_, _| stop.load(Ordering::Relaxed))
        })?;
        let said =
            |text: String, exit| Err(Said(format!("{} on {chip}: {text}", self.firmware.name()), exit).raise(py));
        if let Some(error) = outcome.spans.iter().find_map(|(_, samples)| samples.as_ref().err()) {
            return said(error.to_string(), Exit::WrongOutput);
        }
        if let (Some(until), false) = (&until, outcome.run.end == RunEnd::Reached) {
            return said(format!("{until} did not happen within {window}"), Exit::CycleBudget);
        }
        if let Some(stop) = outcome.run.stop() {
            let exit = Exit::of_stop(stop);
            if !matches!(exit, Exit::Success | Exit::Deadlock) {
                return said(cyclescope_scope::explain(stop, self.firmware.image(), outcome.run.cycles), exit);
            }
        }
        Ok(Records { records: outcome.records })
    }

    fn __repr__(&self) -> String {
        format!("<cyclescope.Firmware {}>", self.firmware.name())
    }
}

/// Returns the event that `text` is.
pub(crate) fn event(py: Python<'_>, text: &str) -> PyResult<Event> {
    Written::<Event>::value(text).map_err(|error| Said(error.to_string(), Exit::Usage).raise(py))
}
