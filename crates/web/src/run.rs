//! The commands.

use std::cell::{Cell, RefCell};

use cyclescope_attached::DeviceFileError;
use cyclescope_chips::Part;
use cyclescope_guest::chip::architecture;
use cyclescope_guest::exec_end::{Asked, tell_end};
use cyclescope_guest::gaps::{GapTeller, GapsShown, Shown};
use cyclescope_guest::lines::Lines;
use cyclescope_guest::options::{MAX_CYCLES, RESETS, console_port, reset_note, typed};
use cyclescope_guest::run_end::{tell_elsewhere, tell_measured, tell_post_mortem, tell_run_end};
use cyclescope_guest::steps::refused;
use cyclescope_guest::tell::{Kept, Tell, USUAL};
use cyclescope_guest::variant::VariantError;
use cyclescope_guest::{
    Decoded, Devices, ExecRequest, Exit, Failure, Guest, MeasureRequest, TOOL, TasksRequest, TraceRequest, exec,
    formats, measure, tasks, trace,
};
use cyclescope_image::Image;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Channel, Stop};
use cyclescope_records::{Record, RecordFile, RecordsError};
use cyclescope_scope::defmt::{DefmtError, Strings};
use cyclescope_scope::{Desk, Next};

use crate::answer::{Answer, shown};
use crate::beside::{Beside, chip, load};
use crate::inspect::{bad_file, parse};
use crate::request::{Command, Options, Request};
use crate::timeline::Timeline;

/// An onlooker of a run.
pub trait Watcher {
    /// Takes the guest's output as the command writes it.
    fn output(&self, bytes: &[u8]);

    /// Hears at which cycle the run is, and at which time since reset. `true` ends the run.
    fn progress(&self, cycle: Cycles, time: Picoseconds) -> bool;
}

/// Carries out `request` with `file` and the files `beside` it, under the eyes of `watcher`.
pub fn run(request: &Request, file: &[u8], beside: &Beside, watcher: &dyn Watcher) -> Answer {
    carried_out(request, file, beside, watcher).unwrap_or_else(|refused| *refused)
}

/// Does that.
///
/// # Errors
/// The answer to a request that cannot be carried out.
fn carried_out(request: &Request, file: &[u8], beside: &Beside, watcher: &dyn Watcher) -> Result<Answer, Box<Answer>> {
    let refused = |error: &dyn std::fmt::Display, exit| Box::new(Answer::refused(error, None, exit));
    let mut options = request.options(beside).map_err(|error| refused(&error, error.exit()))?;
    if request.command == Command::Size {
        let image = Image::parse(file).map_err(|error| bad_file(&request.name, &error))?;
        return Ok(size(request, image));
    }
    let unfit = |error: VariantError| Box::new(Answer::refused(&error, error.help().as_deref(), error.exit()));
    let part = chip(&request.chip, beside, options.variant).map_err(unfit)?;
    let image = parse(&request.name, file, architecture(&part))?;
    let strings = image.uses_defmt().then(|| Strings::read(image.file())).transpose();
    let strings = strings.map_err(|error| bad_file(&request.name, &error))?;
    load(&mut options.devices, beside).map_err(|error| {
        let exit = if matches!(error, DeviceFileError::Read { .. }) { Exit::NoInput } else { Exit::BadInput };
        refused(&error, exit)
    })?;
    let placement = options.variant.placement(&part, &image).map_err(unfit)?;
    let hung = options.devices.iter().map(|device| (device.to_string(), device.attachment.clone()));
    let devices = Devices::new(hung.collect());
    // The command calls a chip by its own name, and a file by its path.
    let name = if Part::is_file(&request.chip) { &request.chip } else { part.name.as_ref() };
    let run = Run {
        request,
        options: &options,
        image: &image,
        strings: strings.as_ref(),
        watcher,
        messages: RefCell::default(),
        devices: &devices,
    };
    let told = |line: &str| run.messages.borrow_mut().note(line);
    let gaps = GapTeller::new(Shown { image: &image, columns: USUAL }, GapsShown::Met, &told);
    let guest = Guest {
        guest_handles_faults: request.guest_handles_faults,
        gaps: Some(&gaps),
        devices: Some(&devices),
        part: Some(&part),
        placement: placement.as_ref(),
        variant: options.variant,
        ..Guest::new(&image, &request.name, name, options.memory)
    };
    let ran = match request.command {
        Command::Exec => run.exec(guest, &gaps),
        Command::Measure => run.measure(guest, &gaps),
        Command::Profile => run.profile(guest, &gaps),
        Command::Tasks | Command::Size => run.tasks(guest, &gaps),
    };
    let messages = run.messages.take().lines;
    Ok(match ran {
        Ok(Ran { exit, file, timeline, typed }) => {
            let devices = shown(&devices, &options.devices);
            Answer { timeline, typed, devices, ..Answer::new(exit, file, messages) }
        }
        Err(failure) => Answer::failed(failure, messages),
    })
}

/// Returns the answer of `size` for `image`.
fn size(request: &Request, image: Image) -> Answer {
    let mut kept = Kept::default();
    for warning in image.warnings() {
        kept.note(&format!("warning: {}: {warning}", request.name));
    }
    let records = formats::size::records(&[(request.name.clone(), image)]);
    match records_file(records) {
        Ok(file) => Answer::new(Exit::Success, Some(file), kept.lines),
        Err(error) => Answer::refused(&error, None, Exit::Internal),
    }
}

fn records_file(records: Vec<Record>) -> Result<String, RecordsError> {
    RecordFile::new(TOOL, records).to_json()
}

/// The outcome of a command.
struct Ran {
    exit: Exit,
    file: Option<String>,
    timeline: Option<Timeline>,
    typed: Vec<String>,
}

/// A command under way.
struct Run<'a> {
    request: &'a Request,
    options: &'a Options,
    image: &'a Image,
    strings: Option<&'a Strings>,
    watcher: &'a dyn Watcher,
    messages: RefCell<Kept>,
    devices: &'a Devices,
}

/// The guest's output on its way to the watcher.
struct Output<'a> {
    watcher: &'a dyn Watcher,
    decoded: Decoded<'a>,
    lines: Lines,
    failed: Option<DefmtError>,
}

impl Output<'_> {
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        match self.decoded.text(channel, bytes) {
            Ok(text) => {
                let text = self.lines.put(channel, &text);
                if !text.is_empty() {
                    self.watcher.output(&text);
                }
            }
            Err(error) => self.failed = Some(error),
        }
        self.failed.is_none()
    }

    fn flush(&mut self) {
        let text = self.lines.flush();
        if !text.is_empty() {
            self.watcher.output(&text);
        }
    }
}

impl<'a> Run<'a> {
    fn output(&self) -> Output<'a> {
        Output { watcher: self.watcher, decoded: Decoded::new(self.strings), lines: Lines::default(), failed: None }
    }

    /// Shows what is left of `output`, and tells of damage in it.
    fn finish(&self, mut output: Output<'_>, guest: &Guest<'_>) -> Result<(), Failure> {
        output.flush();
        if let Some(warning) = output.decoded.damage() {
            self.note(&warning);
        }
        output.failed.map_or(Ok(()), |error| Err(refused(guest, error)))
    }

    fn note(&self, text: &str) {
        self.messages.borrow_mut().note(text);
    }

    /// Warns of what is wrong with the image.
    fn warn(&self) {
        for warning in self.image.warnings() {
            self.note(&format!("warning: {warning}"));
        }
    }

    /// Tells what the attached devices have found out.
    fn tell_devices(&self) {
        self.devices.tell(&mut *self.messages.borrow_mut());
    }

    /// Has `tell` speak of the end of a run, while the gaps may be told of too.
    fn conclude(&self, tell: impl FnOnce(&mut Kept) -> Exit) -> Exit {
        let mut kept = Kept::default();
        let exit = tell(&mut kept);
        self.messages.borrow_mut().lines.extend(kept.lines);
        exit
    }

    fn exec(&self, guest: Guest<'_>, gaps: &GapTeller<'_>) -> Result<Ran, Failure> {
        let request = ExecRequest {
            guest,
            max_cycles: MAX_CYCLES,
            window: self.options.window,
            until: self.options.until.as_ref(),
            ends: false,
            rules: &self.options.rules,
            ports: &self.options.ports,
            debugger: None,
            command_line: None,
        };
        let ends = Cell::new(false);
        let mut desk = Typist {
            output: self.output(),
            run: self,
            input: self.request.input.bytes(),
            port: console_port(&self.options.named_ports),
            typed: Vec::new(),
            resets: 0,
            ends: &ends,
        };
        let outcome = exec::exec(&request, &mut desk, &|| ends.get());
        let typed = desk.typed;
        self.finish(desk.output, &guest)?;
        let outcome = outcome?;
        gaps.finish(&outcome.gaps);
        let asked = Asked { request: &request, output: None, came: false, interrupted: ends.get() };
        let mut failed = false;
        let exit = self.conclude(|kept| {
            let exit = tell_end(&outcome, &asked, self.image, kept);
            failed = exit != Exit::Success && !matches!(outcome.stop, Stop::Exit(_));
            if let Some(examined) = outcome.post_mortem.as_ref().filter(|_| failed) {
                tell_post_mortem(examined, Some(outcome.stop), gaps, kept);
            }
            exit
        });
        let examined = outcome.post_mortem.as_ref().filter(|_| failed);
        let file = formats::exec::json(&outcome, &asked, self.image, exit, examined);
        self.tell_devices();
        Ok(Ran { exit, file: Some(file), timeline: None, typed })
    }

    fn measure(&self, guest: Guest<'_>, gaps: &GapTeller<'_>) -> Result<Ran, Failure> {
        let scenario = self.options.scenario();
        let request = MeasureRequest {
            guest,
            scenario,
            spans: &self.options.spans,
            trace: self.request.timeline,
            task_pointer: None,
            arrival: &[],
            start: None,
        };
        let mut output = self.output();
        let mut sink = |channel, bytes: &[u8]| output.take(channel, bytes);
        let outcome = measure::measure(&request, &mut sink, &|cycle, time| self.watcher.progress(cycle, time));
        self.finish(output, &guest)?;
        let mut outcome = outcome?;
        let timeline = outcome.trace.take().map(|trace| Timeline::of(&trace, &outcome.exceptions));
        self.tell_devices();
        let exit = self.conclude(|kept| tell_measured(&outcome, &scenario, self.image, gaps, kept));
        let file = records_file(outcome.records).map_err(|error| internal(&guest, error))?;
        Ok(Ran { exit, file: Some(file), timeline, typed: Vec::new() })
    }

    fn profile(&self, guest: Guest<'_>, gaps: &GapTeller<'_>) -> Result<Ran, Failure> {
        let scenario = self.options.scenario();
        let request = TraceRequest { guest, scenario, span: None, start: None };
        let mut output = self.output();
        let mut sink = |channel, bytes: &[u8]| output.take(channel, bytes);
        let outcome = trace::trace(&request, &mut sink, &|cycle, time| self.watcher.progress(cycle, time));
        self.finish(output, &guest)?;
        let outcome = outcome?;
        let has_results = outcome.account.occurrences > 0;
        let file = has_results.then(|| formats::trace::json(&request, &outcome)).transpose();
        let file = file.map_err(|error| internal(&guest, error))?;
        self.warn();
        tell_elsewhere(&outcome, &mut *self.messages.borrow_mut());
        gaps.finish(&outcome.run.gaps);
        let exit = self.conclude(|kept| tell_run_end(&outcome.run, &scenario, self.image, has_results, gaps, kept));
        self.tell_devices();
        Ok(Ran { exit, file, timeline: None, typed: Vec::new() })
    }

    fn tasks(&self, guest: Guest<'_>, gaps: &GapTeller<'_>) -> Result<Ran, Failure> {
        let scenario = self.options.scenario();
        let spans = &self.options.spans;
        let request = TasksRequest { guest, scenario, task_pointer: None, spans, timeline: None };
        let mut output = self.output();
        let mut sink = |channel, bytes: &[u8]| output.take(channel, bytes);
        let outcome = tasks::tasks(&request, &mut sink, &|cycle, time| self.watcher.progress(cycle, time));
        self.finish(output, &guest)?;
        let outcome = outcome?;
        let file = formats::tasks::json(&request, &outcome).map_err(|error| internal(&guest, error))?;
        self.warn();
        gaps.finish(&outcome.run.gaps);
        let exit = self.conclude(|kept| tell_run_end(&outcome.run, &scenario, self.image, true, gaps, kept));
        self.tell_devices();
        Ok(Ran { exit, file: Some(file), timeline: None, typed: Vec::new() })
    }
}

fn internal(guest: &Guest<'_>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    cyclescope_guest::steps::failed(guest, error, Exit::Internal)
}

/// The desk of `exec`, at which the input of the request is typed, as from a pipe.
struct Typist<'r, 'a> {
    output: Output<'a>,
    run: &'r Run<'a>,
    input: std::str::Bytes<'a>,
    /// The port that the input goes to, once it is known.
    port: Option<Channel>,
    /// The bytes that came in, as stimuli.
    typed: Vec<String>,
    resets: u64,
    /// The watcher wants the end.
    ends: &'r Cell<bool>,
}

impl Desk for Typist<'_, '_> {
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        self.output.take(channel, bytes)
    }

    fn flush(&mut self) {
        self.output.flush();
    }

    fn has_input(&self) -> bool {
        true
    }

    fn sends_to(&mut self, port: Channel) -> bool {
        *self.port.get_or_insert(port) == port
    }

    fn next(&mut self, _: bool) -> Next {
        self.input.next().map_or(Next::End, Next::Byte)
    }

    fn sent(&mut self, at: Cycles, port: Channel, byte: u8) {
        self.typed.push(typed(at, port, byte).to_string());
    }

    fn keep_pace(&mut self, now: Cycles, time: Picoseconds) {
        if self.run.watcher.progress(now, time) {
            self.ends.set(true);
        }
    }

    fn goes_on(&mut self, at: Cycles, cause: &'static str) -> bool {
        if self.resets >= RESETS {
            return false;
        }
        self.resets += 1;
        self.run.note(&reset_note(self.resets, RESETS, at, cause));
        true
    }
}
