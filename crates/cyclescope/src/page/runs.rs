//! A run for the page: the same run twice, once for what happened when, and once for where the cycles went, and once more for
//! its tasks where they are asked for. All are the
//! same to the cycle, since a run depends on nothing but its image and its stimuli.

use std::collections::BTreeMap;

use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, Signal, Stop};
use cyclescope_report::format::integer;
use cyclescope_report::page::{Again, Flame, Lane, LaneEvents, Picture, Run, Segments, Strip, Timeline};
use cyclescope_scope::{Account, PathCost, Rule, SpanText, Trace, Traced, explain};

use super::tasks::{self, MOST_EVENTS};
use super::transfers::Transfers;
use crate::backend::{Backend, Devices, Failure, Guest, MeasureRequest, RunEnd, Scenario};
use crate::commands::times;
use crate::interrupt::interrupted;
use crate::status::Window;
use crate::tasking::TasksRequest;
use crate::tracing::TraceRequest;

/// The most entries of a timeline: more would make a page slow, and nobody could look at them.
const MOST_ENTRIES: usize = 20_000;
/// The most paths and functions of a flame graph.
const MOST_PATHS: usize = 4_000;
const MOST_FUNCTIONS: usize = 50;
/// The most pictures of a display.
const MOST_PICTURES: usize = 60;

/// A run to look at.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// The image and its chip.
    pub(crate) guest: Guest<'a>,
    /// The stimuli and the length of the run.
    pub(crate) scenario: Scenario<'a>,
    /// The name in the page's contents.
    pub(crate) label: &'a str,
    /// Its heading.
    pub(crate) title: &'a str,
    /// The symbol of the word that names the running task.
    pub(crate) task_pointer: Option<&'a str>,
    /// Show the tasks of its runtime.
    pub(crate) tasks: bool,
    /// The spans that the page measures when it makes the run again.
    pub(crate) spans: &'a [SpanText],
    /// Why the page cannot make the run again, if it cannot.
    pub(crate) cannot: Option<&'static str>,
    /// The firmware's file, which the page runs then.
    pub(crate) firmware: &'a [u8],
    /// The files that the page needs for that beside the firmware, by the names that they are called by.
    pub(crate) files: &'a BTreeMap<String, Vec<u8>>,
}

/// A run for the page, and how it ended where that was before its time.
pub(crate) struct Seen {
    /// The run.
    pub(crate) run: Run,
    /// Why it stopped, and in words.
    pub(crate) end: Option<(Stop, String)>,
}

/// Runs it.
///
/// # Errors
/// If the image does not fit the chip, or a stimulus cannot be carried out.
pub(crate) fn run(asked: &Asked<'_>, backend: &dyn Backend) -> Result<Seen, Failure> {
    let Asked { guest, scenario, label, title, task_pointer, tasks, spans, cannot, firmware, files } = *asked;
    let Guest { image, name, .. } = guest;
    let Scenario { rules, window, .. } = scenario;
    // The word alone is for runs whose tasks are not seen otherwise.
    let word = task_pointer.filter(|_| !tasks);
    let request =
        MeasureRequest { guest, scenario, spans: &[], trace: true, task_pointer: word, arrival: &[], start: None };
    // It runs twice: for what happens when, and for whose the cycles are.
    let status = Window::new(window);
    let measured = backend.measure(&request, &mut |_, _| !interrupted(), &|cycle, time| status.pulse(cycle, time))?;
    let request = TraceRequest { guest, scenario, span: None, start: None };
    let traced = backend.trace(&request, None, &mut |_, _| !interrupted(), &|cycle, time| status.pulse(cycle, time))?;
    let request = TasksRequest { guest, scenario, task_pointer, spans: &[], timeline: Some(MOST_EVENTS) };
    let seen = tasks
        .then(|| backend.tasks(&request, &mut |_, _| !interrupted(), &|cycle, time| status.pulse(cycle, time)))
        .transpose()?;
    drop(status);
    let ran = &measured.run;
    let mut timeline = measured.trace.as_ref().map(|trace| timeline(trace, &measured.exceptions, image, rules));
    if let (Some(timeline), Some(seen)) = (&mut timeline, &seen) {
        tasks::add(timeline, &seen.report, &measured.exceptions);
    }
    let memory = guest.memory.name();
    let (cycles, instructions) = (ran.cycles.get(), ran.instructions.get());
    let mut facts = vec![
        ("chip".to_owned(), ran.part.clone()),
        ("clock".to_owned(), ran.clock.to_string()),
        ("memory".to_owned(), memory.to_owned()),
        ("image SHA-256".to_owned(), image.file_sha256().to_string()),
        ("cycles".to_owned(), integer(cycles.into())),
        ("instructions".to_owned(), integer(instructions.into())),
        ("asleep".to_owned(), measured.sleep.asleep.to_string()),
    ];
    facts.extend(rules.iter().map(|rule| ("stimulus".to_owned(), rule.to_string())));
    facts
        .push(("flash settings written".to_owned(), traced.flash_written.clone().unwrap_or_else(|| "none".to_owned())));
    let gaps: Vec<String> = ran.gaps.iter().map(|gap| format!("{} ({})", gap.name, times(gap.count))).collect();
    facts.push(("model gaps met".to_owned(), if gaps.is_empty() { "none".to_owned() } else { gaps.join(", ") }));
    let rows = &traced.model.timing_rows;
    for (mark, names) in [("documented", &rows.documented), ("measured", &rows.measured), ("assumed", &rows.assumed)] {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if !names.is_empty() {
            facts.push((format!("timings, {mark}"), names.join(", ")));
        }
    }
    let end = match ran.end {
        RunEnd::Stopped(stop) => Some((stop, explain(stop, image, ran.cycles))),
        _ => None,
    };
    let ended = end.as_ref().map(|(_, why)| format!(" The run ended there: {why}.")).unwrap_or_default();
    let run = Run {
        name: format!("run-{}", super::slug(name)),
        label: label.to_owned(),
        title: title.to_owned(),
        caption: format!(
            "{name}, the first {window} after reset on {}: {}, {}.{ended}",
            ran.part, ran.cycles, ran.instructions
        ),
        facts,
        timeline,
        flame: Some(flame(&traced.account)),
        strips: guest.devices.map(strips).unwrap_or_default(),
        again: match cannot {
            Some(why) => Err(why.to_owned()),
            None => Ok(Again {
                part: ran.part.clone(),
                image: firmware.to_vec(),
                files: files.clone(),
                ..again(&guest, &scenario, spans)
            }),
        },
    };
    Ok(Seen { run, end })
}

/// The parts by which a page makes the run again.
fn again(guest: &Guest<'_>, scenario: &Scenario<'_>, spans: &[SpanText]) -> Again {
    Again {
        name: guest.name.to_owned(),
        sha256: guest.image.file_sha256().to_string(),
        chip: guest.chip.to_owned(),
        memory: guest.memory.name().to_owned(),
        window: scenario.window.to_string(),
        stimulus: scenario.rules.iter().map(ToString::to_string).collect(),
        span: spans.iter().map(ToString::to_string).collect(),
        attach: guest.device_texts().map(str::to_owned).collect(),
        ..Again::default()
    }
}

/// The pictures on the displays among `devices`.
fn strips(devices: &Devices) -> Vec<Strip> {
    let strip = |device: cyclescope_experiments::KeptDevice| {
        let frames = device.frames().filter(|frames| !frames.is_empty())?;
        let count = integer(frames.len() as i128);
        let caption = match frames.len() {
            1 => "One picture.".to_owned(),
            2..=MOST_PICTURES => format!("{count} pictures, each with the time since reset at which it was finished."),
            _ => format!("The first {MOST_PICTURES} of {count} pictures, each with the time since reset."),
        };
        let picture = |frame: &cyclescope_attached::ssd1306::Frame| {
            let microseconds = frame.at.get() / 1_000_000;
            let time = format!("{}.{:03} ms", integer((microseconds / 1_000).into()), microseconds % 1_000);
            Picture { time, png: frame.png() }
        };
        let pictures = frames.iter().take(MOST_PICTURES).map(picture).collect();
        Some(Strip { name: device.name, caption, pictures })
    };
    devices.kept().into_iter().filter_map(strip).collect()
}

/// Takes the pins out of `entries` whose edges are more than a page has room for, the busiest first, where transfers on lines
/// have a lane of their own. The pins that are left out.
fn leave_out_wires(entries: &mut Vec<(Cycles, Traced)>) -> Vec<Pin> {
    let transfers = entries.iter().any(|(_, traced)| matches!(traced, Traced::Signal(_, Signal::Transfer { .. })));
    let mut left_out = Vec::new();
    while transfers && entries.len() > MOST_ENTRIES {
        let mut edges: BTreeMap<Pin, usize> = BTreeMap::new();
        for (_, traced) in entries.iter() {
            if let Traced::Signal(_, Signal::Pin { pin, .. }) = traced {
                *edges.entry(*pin).or_default() += 1;
            }
        }
        let busiest = edges.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > MOST_ENTRIES / 10);
        let Some((busiest, _)) = busiest else { break };
        entries.retain(|(_, traced)| !matches!(traced, Traced::Signal(_, Signal::Pin { pin, .. }) if *pin == busiest));
        left_out.push(busiest);
    }
    left_out
}

/// A trace as lanes: pins, transfers, exceptions by name, tasks, sleep; what never happened has none.
fn timeline(trace: &Trace, exceptions: &[(u16, &'static str)], image: &Image, rules: &[Rule]) -> Timeline {
    let mut entries = trace.entries.clone();
    entries.sort_by_key(|(at, _)| *at);
    let left_out = leave_out_wires(&mut entries);
    let cut = entries.len().saturating_sub(MOST_ENTRIES);
    entries.truncate(MOST_ENTRIES);
    // What is cut off leaves no emptiness that looks like rest.
    let to = if cut == 0 && trace.lost == 0 { trace.to } else { entries.last().map_or(trace.to, |(at, _)| *at) };
    let mut lanes = Lanes::new(trace.from);
    for (at, traced) in &entries {
        lanes.saw(*at, *traced, trace);
    }
    let clocks = trace.timebases.iter().map(|timebase| {
        let since = timebase.since();
        (since.get(), timebase.time(since).get(), timebase.clock().get())
    });
    Timeline {
        clocks: clocks.collect(),
        from: trace.from.get(),
        to: to.get(),
        end: trace.to.get(),
        kept: entries.len() as u64,
        focus: focus(trace, &entries, rules),
        lost: trace.lost + cut as u64,
        left_out: left_out.iter().map(ToString::to_string).collect(),
        lanes: lanes.finish(trace, to, exceptions, image),
        wakes: Vec::new(),
    }
}

/// Returns the cycles around the first change of a pin that a stimulus changes, so that its effects are seen.
fn focus(trace: &Trace, entries: &[(Cycles, Traced)], rules: &[Rule]) -> Option<(u64, u64)> {
    let pins: Vec<Pin> = rules.iter().filter_map(Rule::pin).collect();
    let is_change =
        |traced: &Traced| matches!(traced, Traced::Signal(_, Signal::Pin { pin, .. }) if pins.contains(pin));
    let (at, _) = entries.iter().find(|(_, traced)| is_change(traced))?;
    let timebase = trace.timebases.iter().rfind(|timebase| timebase.since() <= *at)?;
    let millisecond = timebase.clock().get() / 1_000;
    Some((at.get().saturating_sub(millisecond / 10), at.get().saturating_add(millisecond / 2)))
}

/// A core, and the number of an exception there.
type OfCore = (u8, u16);

/// Stretches of a lane: from, to and text.
type Stretches = Vec<(u64, u64, String)>;

/// Lanes under way.
struct Lanes {
    pins: BTreeMap<Pin, Vec<(u64, bool)>>,
    /// By core and number.
    exceptions: BTreeMap<OfCore, Stretches>,
    open: Vec<(OfCore, u64)>,
    /// By core.
    sleeps: BTreeMap<u8, Stretches>,
    asleep: BTreeMap<u8, u64>,
    tasks: Vec<(u64, u32)>,
    transfers: Transfers,
    begin: u64,
}

/// A stretch of time whose lane names its subject.
fn segment(from: u64, to: u64) -> (u64, u64, String) {
    (from, to, String::new())
}

impl Lanes {
    fn new(from: Cycles) -> Self {
        Self {
            pins: BTreeMap::new(),
            exceptions: BTreeMap::new(),
            open: Vec::new(),
            sleeps: BTreeMap::new(),
            asleep: BTreeMap::new(),
            tasks: Vec::new(),
            transfers: Transfers::default(),
            begin: from.get(),
        }
    }

    fn saw(&mut self, at: Cycles, traced: Traced, trace: &Trace) {
        let at = at.get();
        match traced {
            Traced::Signal(_, Signal::Pin { pin, high }) => self.pins.entry(pin).or_default().push((at, high)),
            Traced::Signal(core, Signal::ExceptionEntered { number }) => self.open.push(((core, number), at)),
            Traced::Signal(core, Signal::ExceptionReturned { number }) => {
                if let Some(place) = self.open.iter().rposition(|(open, _)| *open == (core, number)) {
                    let (_, since) = self.open.remove(place);
                    self.exceptions.entry((core, number)).or_default().push(segment(since, at));
                }
            }
            Traced::Signal(core, Signal::Sleep) => {
                self.asleep.entry(core).or_insert(at);
            }
            Traced::Signal(core, Signal::Wake) => {
                if let Some(since) = self.asleep.remove(&core) {
                    self.sleeps.entry(core).or_default().push(segment(since, at));
                }
            }
            Traced::Signal(_, Signal::Transfer { line, transfer }) => {
                if let Some(place) = trace.lines.iter().position(|(_, known)| *known == line) {
                    self.transfers.saw(at, place, transfer);
                }
            }
            Traced::Signal(
                _,
                Signal::ExceptionPended { .. } | Signal::Store { .. } | Signal::Listens { .. } | Signal::Gap,
            ) => {}
            Traced::Task(task) => self.tasks.push((at, task)),
        }
    }

    fn finish(mut self, trace: &Trace, to: Cycles, names: &[(u16, &'static str)], image: &Image) -> Vec<Lane> {
        let to = to.get();
        for (open, since) in std::mem::take(&mut self.open) {
            self.exceptions.entry(open).or_default().push(segment(since, to));
        }
        for (core, since) in std::mem::take(&mut self.asleep) {
            self.sleeps.entry(core).or_default().push(segment(since, to));
        }
        let of = |core: u8, name: String| if trace.cores > 1 { format!("core {core}: {name}") } else { name };
        let mut lanes: Vec<Lane> = self.pins.iter().map(|(pin, seen)| wire(*pin, seen, trace)).collect();
        lanes.extend(self.transfers.finish(&trace.lines));
        for ((core, number), mut segments) in self.exceptions {
            segments.sort_by_key(|(from, ..)| *from);
            let name = names.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
            let name = name.unwrap_or_else(|| format!("exception {number}"));
            let name = of(core, name);
            lanes.push(Lane { name, events: LaneEvents::Exception(Segments { segments }) });
        }
        if let Some(first) = trace.task {
            let mut segments = Stretches::new();
            let (mut since, mut task) = (self.begin, first);
            for (at, next) in self.tasks.into_iter().chain([(to, 0)]) {
                // Before its scheduler runs, a kernel names no task.
                if task != 0 && at > since {
                    segments.push((since, at, task_name(task, image)));
                }
                (since, task) = (at, next);
            }
            lanes.push(Lane { name: "task".to_owned(), events: LaneEvents::Task(Segments { segments }) });
        }
        for (core, segments) in self.sleeps {
            let events = LaneEvents::Sleep(Segments { segments });
            lanes.push(Lane { name: of(core, "asleep".to_owned()), events });
        }
        lanes
    }
}

/// A task by the symbol of its control block, or by its address.
fn task_name(task: u32, image: &Image) -> String {
    let symbol = image.symbols().iter().find(|symbol| symbol.address == Address::new(task));
    symbol.map_or_else(|| format!("0x{task:08x}"), |symbol| symbol.display_name().to_string())
}

/// A pin's lane: repeated levels are no changes.
fn wire(pin: Pin, seen: &[(u64, bool)], trace: &Trace) -> Lane {
    let begin = trace.levels.iter().find(|(known, _)| *known == pin).map(|(_, high)| *high);
    let mut level = begin;
    let mut changes = Vec::new();
    for (at, high) in seen {
        if level == Some(*high) {
            continue;
        }
        // An unknown level turns high; one that turns low was high.
        if level.is_none() && !high {
            changes.push(*at);
        }
        changes.push(*at);
        level = Some(*high);
    }
    Lane { name: pin.to_string(), events: LaneEvents::Wire { begin: begin.map(u8::from), changes } }
}

/// Paths and functions without sleep, beside which nothing else would be seen.
fn flame(account: &Account) -> Flame {
    const ASLEEP: &str = "(asleep)";
    let is_sleep = |path: &&PathCost| path.functions.last().is_some_and(|name| **name == *ASLEEP);
    let asleep: u64 = account.paths.iter().filter(is_sleep).map(|path| path.own.cycles.get()).sum();
    let taken = account.paths.iter().filter(|path| path.own.cycles.get() > 0 && !is_sleep(path)).take(MOST_PATHS);
    let functions = account.functions.iter().filter(|function| function.name != ASLEEP).take(MOST_FUNCTIONS);
    Flame {
        total: account.total.cycles.get().saturating_sub(asleep),
        asleep,
        paths: taken
            .map(|path| (path.names().iter().map(|name| name.to_string()).collect(), path.own.cycles.get()))
            .collect(),
        functions: functions
            .map(|one| (one.name.clone(), one.calls, one.own.cycles.get(), one.total.cycles.get()))
            .collect(),
    }
}
