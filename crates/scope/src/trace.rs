//! Records the signals of a run in order of time.

use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Line, Memory, Pin, Signal, Timebase, Width};

/// One entry of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// A pin, a transfer, an exception, sleep or wake-up; the core of the latter three.
    Signal(u8, Signal),
    /// A new value of the word that names the running task. The word is read each time an exception handler returns,
    /// because preemptive kernels switch tasks there.
    Task(u32),
}

/// The signals between two cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The first cycle that the trace covers.
    pub from: Cycles,
    /// The cycle at which it ends.
    pub to: Cycles,
    /// The relation of cycles to real time at `from`, then after each change of the core's clock.
    pub timebases: Vec<Timebase>,
    /// The number of the machine's cores.
    pub cores: usize,
    /// The pins' levels at `from`.
    pub levels: Vec<(Pin, bool)>,
    /// The names of the lines whose transfers are seen.
    pub lines: Vec<(String, Line)>,
    /// The value at `from` of the word that names the running task; `None` if it is not traced.
    pub task: Option<u32>,
    /// The entries, in order of time.
    pub entries: Vec<(Cycles, Traced)>,
    /// The number of entries dropped because the trace was full.
    pub lost: u64,
}

impl Trace {
    /// Returns the time since reset at which the cycle `at` begins.
    pub fn time(&self, at: Cycles) -> Picoseconds {
        let known = self.timebases.partition_point(|timebase| timebase.since() <= at);
        let timebase = self.timebases.get(known.saturating_sub(1));
        timebase.map(|timebase| timebase.time(at)).unwrap_or_default()
    }
}

/// A trace that is being recorded.
#[derive(Debug)]
pub(crate) struct Tracer {
    trace: Trace,
    most: usize,
    /// The address of the word that names the running task, and its latest value.
    task: Option<(Address, u32)>,
}

impl Tracer {
    pub(crate) fn new(
        from: Cycles,
        timebase: Timebase,
        levels: Vec<(Pin, bool)>,
        (cores, lines): (usize, Vec<(String, Line)>),
        task: Option<Address>,
        memory: &Memory,
        most: usize,
    ) -> Self {
        let task = task.map(|pointer| (pointer, word(memory, pointer)));
        let timebases = vec![timebase];
        let trace =
            Trace { from, timebases, cores, levels, lines, task: task.map(|(_, value)| value), ..Trace::default() };
        Self { trace, most, task }
    }

    pub(crate) fn saw(&mut self, at: Cycles, core: u8, signal: Signal, memory: &Memory) {
        self.keep(at, Traced::Signal(core, signal));
        if let (Some((pointer, known)), Signal::ExceptionReturned { .. }) = (&mut self.task, signal) {
            let value = word(memory, *pointer);
            if std::mem::replace(known, value) != value {
                self.keep(at, Traced::Task(value));
            }
        }
    }

    /// Later cycles have other times. The guest decides how often that happens: too many changes end the trace.
    pub(crate) fn clock_changed(&mut self, timebase: Timebase) {
        if self.trace.timebases.len() <= self.most {
            self.trace.timebases.push(timebase);
        } else {
            self.most = self.most.min(self.trace.entries.len());
        }
    }

    pub(crate) fn finish(mut self, to: Cycles) -> Trace {
        self.trace.to = to;
        self.trace
    }

    fn keep(&mut self, at: Cycles, traced: Traced) {
        if self.trace.entries.len() < self.most {
            self.trace.entries.push((at, traced));
        } else {
            self.trace.lost += 1;
        }
    }
}

fn word(memory: &Memory, address: Address) -> u32 {
    memory.read(address.get(), Width::Word).unwrap_or(0)
}
