//! The commands.

use std::cell::{Cell, RefCell};

use cyclescope_chips::Part;
use cyclescope_guest::exec_end::{Asked, tell_end};
use cyclescope_guest::gaps::{GapTeller, GapsShown, Shown};
use cyclescope_guest::lines::Lines;
use cyclescope_guest::run_end::{tell_measured, tell_post_mortem, tell_run_end};
use cyclescope_guest::steps::refused;
use cyclescope_guest::tell::{Kept, Tell, USUAL};
use cyclescope_guest::{
    ExecRequest, Exit, Failure, Guest, MeasureRequest, TOOL, TasksRequest, TraceRequest, exec, formats, measure, tasks,
    trace,
};
use cyclescope_image::Image;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Channel, Stop};
use cyclescope_records::{Record, RecordFile, RecordsError};
use cyclescope_scope::Desk;
use cyclescope_scope::defmt::{Decoder, DefmtError, Strings};

use crate::answer::Answer;
use crate::inspect::parse;
use crate::request::{Command, Options, Request};
use crate::timeline::Timeline;

/// The cycles after which `exec` ends a run, as in the command.
const MAX_CYCLES: Cycles = Cycles::new(10_000_000_000);

/// The times that a guest may reset its part, as in the command.
const RESETS: u64 = 10;

/// An onlooker of a run.
pub trait Watcher {
    /// Takes the guest's output as the command writes it.
    fn output(&self, bytes: &[u8]);

    /// Hears at which cycle the run is, and at which time since reset. `true` ends the run.
    fn progress(&self, cycle: Cycles, time: Picoseconds) -> bool;
}

/// Carries out `request` with `file`, under the eyes of `watcher`.
pub fn run(request: &Request, file: &[u8], watcher: &dyn Watcher) -> Answer {
    let options = match request.options() {
        Ok(options) => options,
        Err(error) => return Answer::refused(&error, None, Exit::Usage),
    };
    let image = match parse(&request.name, file) {
        Ok(image) => image,
        Err(answer) => return *answer,
    };
    if request.command == Command::Size {
        return size(request, image);
    }
    if let Err(error) = Part::find(&request.chip) {
        return Answer::refused(&error, None, Exit::Usage);
    }
    let strings = match image.uses_defmt().then(|| Strings::read(image.file())).transpose() {
        Ok(strings) => strings,
        Err(error) => return Answer::refused(&format!("{}: {error}", request.name), None, Exit::BadInput),
    };
    let run = Run {
        request,
        options: &options,
        image: &image,
        strings: strings.as_ref(),
        watcher,
        messages: RefCell::default(),
    };
    let told = |line: &str| run.messages.borrow_mut().note(line);
    let gaps = GapTeller::new(Shown { image: &image, columns: USUAL }, GapsShown::Met, &told);
    let guest = Guest { gaps: Some(&gaps), ..options.guest(request, &image) };
    let ran = match request.command {
        Command::Exec => run.exec(guest, &gaps),
        Command::Measure => run.measure(guest, &gaps),
        Command::Profile => run.profile(guest, &gaps),
        Command::Tasks | Command::Size => run.tasks(guest, &gaps),
    };
    let messages = run.messages.take().lines;
    match ran {
        Ok(Ran { exit, file, timeline }) => Answer { timeline, ..Answer::new(exit, file, messages) },
        Err(failure) => Answer::failed(failure, messages),
    }
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
}

/// A command under way.
struct Run<'a> {
    request: &'a Request,
    options: &'a Options,
    image: &'a Image,
    strings: Option<&'a Strings>,
    watcher: &'a dyn Watcher,
    messages: RefCell<Kept>,
}

/// The guest's output on its way to the watcher.
struct Output<'a> {
    watcher: &'a dyn Watcher,
    defmt: Option<Decoder<'a>>,
    lines: Lines,
    failed: Option<DefmtError>,
}

impl Output<'_> {
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        let text = match (&mut self.defmt, channel) {
            (Some(decoder), Channel::Rtt(0)) => decoder.decode(bytes).map(|lines| {
                lines.iter().flat_map(|line| line.bytes().chain(std::iter::once(b'\n'))).collect::<Vec<u8>>()
            }),
            _ => Ok(bytes.to_vec()),
        };
        match text {
            Ok(text) => self.show(channel, &text),
            Err(error) => self.failed = Some(error),
        }
        self.failed.is_none()
    }

    fn show(&mut self, channel: Channel, text: &[u8]) {
        let text = self.lines.put(channel, text);
        if !text.is_empty() {
            self.watcher.output(&text);
        }
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
        Output {
            watcher: self.watcher,
            defmt: self.strings.map(Strings::decoder),
            lines: Lines::default(),
            failed: None,
        }
    }

    /// Shows what is left of `output`, and tells of damage in it.
    fn finish(&self, mut output: Output<'_>, guest: &Guest<'_>) -> Result<(), Failure> {
        output.flush();
        match output.defmt.map(|decoder| decoder.damaged()) {
            None | Some(0) => {}
            Some(1) => self.note("warning: 1 damaged defmt frame was skipped"),
            Some(count) => self.note(&format!("warning: {count} damaged defmt frames were skipped")),
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
            ports: &[],
            debugger: None,
            command_line: None,
        };
        let ends = Cell::new(false);
        let mut desk = Onlooker { output: self.output(), run: self, resets: 0, ends: &ends };
        let outcome = exec::exec(&request, &mut desk, &|| ends.get());
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
        Ok(Ran { exit, file: Some(file), timeline: None })
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
        let exit = self.conclude(|kept| tell_measured(&outcome, &scenario, self.image, gaps, kept));
        let file = records_file(outcome.records).map_err(|error| internal(&guest, error))?;
        Ok(Ran { exit, file: Some(file), timeline })
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
        gaps.finish(&outcome.run.gaps);
        let exit = self.conclude(|kept| tell_run_end(&outcome.run, &scenario, self.image, has_results, gaps, kept));
        Ok(Ran { exit, file, timeline: None })
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
        Ok(Ran { exit, file: Some(file), timeline: None })
    }
}

fn internal(guest: &Guest<'_>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    cyclescope_guest::steps::failed(guest, error, Exit::Internal)
}

/// The desk of `exec`, at which nobody types: its input has ended, as that of `exec < /dev/null`.
struct Onlooker<'r, 'a> {
    output: Output<'a>,
    run: &'r Run<'a>,
    resets: u64,
    /// The watcher wants the end.
    ends: &'r Cell<bool>,
}

impl Desk for Onlooker<'_, '_> {
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        self.output.take(channel, bytes)
    }

    fn flush(&mut self) {
        self.output.flush();
    }

    fn has_input(&self) -> bool {
        true
    }

    fn sends_to(&mut self, _: Channel) -> bool {
        true
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
        let (at, count) = (at.grouped(), self.resets);
        self.run.note(&format!("reset {count} of at most {RESETS} (--resets) at cycle {at}: {cause}"));
        true
    }
}
