//! Tasks in Perfetto's trace format, with pins, transfers on wires, exceptions, sleep and the user's spans beside them.

use std::collections::HashMap;

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Pin, Signal};
use cyclescope_scope::{CycleOwner, TaskEvent, TaskId, Trace, Traced, transfer_text};
use prost::Message;

use crate::commands::perfetto_messages::{
    Annotation, COUNTER, CounterDescriptor, INSTANT, MACHINE, Packet, PerfettoTrace, ProcessDescriptor, SEQUENCE,
    SLICE_BEGIN, SLICE_END, TrackDescriptor, TrackEvent, described,
};
use crate::tasking::TasksOutcome;
use cyclescope_guest::formats::tasks::name;

/// A row of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Track {
    /// The work of an owner of cycles; the core of an exception or sleep.
    Owner(u8, CycleOwner),
    Pin(Pin),
    /// A peripheral or device with wires, by its place in the trace's list.
    Line(usize),
    /// A span, by its place in the list.
    Span(usize),
}

struct Writer<'a> {
    outcome: &'a TasksOutcome,
    trace: &'a Trace,
    tracks: HashMap<Track, u64>,
    descriptors: Vec<Packet>,
    events: Vec<Packet>,
}

impl Writer<'_> {
    fn track(&mut self, track: Track) -> u64 {
        let next = MACHINE + 1 + self.tracks.len() as u64;
        let uuid = *self.tracks.entry(track).or_insert(next);
        if uuid == next {
            let several = |core: u8| if self.trace.cores > 1 { format!(", core {core}") } else { String::new() };
            let text = match track {
                Track::Pin(pin) => format!("pin {pin}"),
                Track::Line(line) => {
                    let name = self.trace.lines.get(line).map(|(name, _)| name.as_str());
                    format!("transfers of {}", name.unwrap_or_default())
                }
                Track::Span(span) => {
                    let name = self.outcome.spans.get(span).map(|(name, _)| name.as_str());
                    format!("span {}", name.unwrap_or_default())
                }
                Track::Owner(_, owner @ CycleOwner::Task(_)) => format!("task {}", name(owner, self.outcome)),
                Track::Owner(core, owner) => name(owner, self.outcome) + &several(core),
            };
            let counter = matches!(track, Track::Pin(_)).then_some(CounterDescriptor {});
            self.descriptors.push(described(TrackDescriptor {
                uuid: Some(uuid),
                name: Some(text),
                process: None,
                parent_uuid: Some(MACHINE),
                counter,
            }));
        }
        uuid
    }

    /// Adds an event at the cycle `at`, which is an argument of it.
    fn event(&mut self, at: Cycles, track: Track, kind: i32, event: TrackEvent) {
        let uuid = self.track(track);
        let cycle = Annotation { name: Some("cycle".to_owned()), uint_value: Some(at.get()), string_value: None };
        let mut debug_annotations = event.debug_annotations.clone();
        debug_annotations.push(cycle);
        self.events.push(Packet {
            timestamp: Some(self.trace.time(at).get() / 1_000),
            trusted_packet_sequence_id: Some(SEQUENCE),
            track_event: Some(TrackEvent { debug_annotations, r#type: Some(kind), track_uuid: Some(uuid), ..event }),
            track_descriptor: None,
        });
    }

    fn begin(&mut self, at: Cycles, track: Track, text: String) {
        self.event(at, track, SLICE_BEGIN, TrackEvent { name: Some(text), ..TrackEvent::default() });
    }

    fn end(&mut self, at: Cycles, track: Track) {
        self.event(at, track, SLICE_END, TrackEvent::default());
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        let exception = |number| Track::Owner(core, CycleOwner::Exception(number));
        match signal {
            Signal::Pin { pin, high } => {
                let value = TrackEvent { counter_value: Some(high.into()), ..TrackEvent::default() };
                self.event(at, Track::Pin(pin), COUNTER, value);
            }
            Signal::ExceptionEntered { number } => {
                let text = name(CycleOwner::Exception(number), self.outcome);
                self.begin(at, exception(number), text);
            }
            Signal::ExceptionReturned { number } => self.end(at, exception(number)),
            Signal::Sleep => self.begin(at, Track::Owner(core, CycleOwner::Sleep), "asleep".to_owned()),
            Signal::Transfer { line, transfer } => {
                if let Some(place) = self.trace.lines.iter().position(|(_, known)| *known == line) {
                    let instant = TrackEvent { name: Some(transfer_text(transfer)), ..TrackEvent::default() };
                    self.event(at, Track::Line(place), INSTANT, instant);
                }
            }
            Signal::Wake => self.end(at, Track::Owner(core, CycleOwner::Sleep)),
            _ => {}
        }
    }

    fn task(&mut self, at: Cycles, core: u8, task: TaskId, event: TaskEvent, flow: &mut Flows) {
        let track = Track::Owner(0, CycleOwner::Task(task));
        let text = name(CycleOwner::Task(task), self.outcome);
        match event {
            TaskEvent::Spawned(by) | TaskEvent::Woken(by) => {
                let verb = if matches!(event, TaskEvent::Woken(_)) { "wakes" } else { "spawns" };
                let from = match by {
                    CycleOwner::Task(_) => Track::Owner(0, by),
                    _ => Track::Owner(core, by),
                };
                let id = flow.begin(task);
                let instant =
                    TrackEvent { name: Some(format!("{verb} {text}")), flow_ids: vec![id], ..TrackEvent::default() };
                self.event(at, from, INSTANT, instant);
            }
            TaskEvent::PollBegan => {
                let what = if self.outcome.report.polls { "poll" } else { "runs" };
                let ends = flow.end(task).into_iter().collect();
                let slice =
                    TrackEvent { name: Some(what.to_owned()), terminating_flow_ids: ends, ..TrackEvent::default() };
                self.event(at, track, SLICE_BEGIN, slice);
            }
            TaskEvent::PollEnded => self.end(at, track),
            TaskEvent::Ended => {
                let instant = TrackEvent { name: Some("ends".to_owned()), ..TrackEvent::default() };
                self.event(at, track, INSTANT, instant);
            }
        }
    }
}

/// The arrows from wakes to polls.
#[derive(Default)]
struct Flows {
    last: u64,
    open: HashMap<TaskId, u64>,
}

impl Flows {
    fn begin(&mut self, task: TaskId) -> u64 {
        self.last += 1;
        self.open.insert(task, self.last);
        self.last
    }

    fn end(&mut self, task: TaskId) -> Option<u64> {
        self.open.remove(&task)
    }
}

/// The run as a file for ui.perfetto.dev.
pub(super) fn perfetto(image: &str, outcome: &TasksOutcome, trace: &Trace) -> Vec<u8> {
    let mut writer = Writer { outcome, trace, tracks: HashMap::new(), descriptors: Vec::new(), events: Vec::new() };
    writer.descriptors.push(described(TrackDescriptor {
        uuid: Some(MACHINE),
        name: None,
        process: Some(ProcessDescriptor {
            pid: Some(1),
            process_name: Some(format!("{image} on {}", outcome.run.part)),
        }),
        parent_uuid: None,
        counter: None,
    }));
    for (pin, high) in &trace.levels {
        let moves = |(_, traced): &(Cycles, Traced)| matches!(traced, Traced::Signal(_, Signal::Pin { pin: moved, .. }) if moved == pin);
        if trace.entries.iter().any(moves) {
            writer.signal(trace.from, 0, Signal::Pin { pin: *pin, high: *high });
        }
    }
    let mut flows = Flows::default();
    let mut signals = trace.entries.iter().peekable();
    for (at, core, task, event) in &outcome.report.events {
        while let Some((at, traced)) = signals.next_if(|(signal, _)| signal <= at) {
            if let Traced::Signal(core, signal) = traced {
                writer.signal(*at, *core, *signal);
            }
        }
        writer.task(*at, *core, *task, *event, &mut flows);
    }
    for (at, traced) in signals {
        if let Traced::Signal(core, signal) = traced {
            writer.signal(*at, *core, *signal);
        }
    }
    for (place, (name, samples)) in outcome.spans.iter().enumerate() {
        for sample in samples.iter().flat_map(|samples| &samples.first) {
            writer.begin(sample.start, Track::Span(place), name.clone());
            writer.end(sample.start + sample.cycles, Track::Span(place));
        }
    }
    writer.events.sort_by_key(|packet| packet.timestamp);
    let mut packet = writer.descriptors;
    packet.append(&mut writer.events);
    PerfettoTrace { packet }.encode_to_vec()
}
