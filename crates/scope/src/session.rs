//! One run of a machine, watched.

use cyclescope_image::{Image, SymbolError};
use cyclescope_machine::{CallFrame, Console, Signal, SignalKind, Stop, Target};
use cyclescope_units::{Address, Cycles, Instructions};

use crate::event::{Edge, ExceptionPhase, Resolved};
use crate::exceptions::{Exceptions, RunningTask};
use crate::rtt::Rtt;
use crate::span::{Sample, Span, SpanError, SpanTracker};

/// How long a run may go on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cycles after reset at which a run that has not ended is given up.
    pub cycles: Cycles,
    /// Every so many cycles the probe reads RTT and the caller's end condition is asked.
    pub poll: Cycles,
}

/// Why a session's run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The caller's condition held.
    Satisfied,
    /// The machine stopped.
    Stopped(Stop),
    /// The cycle budget was used up.
    CycleBudget,
}

/// Time spent in a function and what it called, summed over its calls; interrupts taken meanwhile count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionTime {
    /// Completed calls.
    pub calls: u64,
    /// Cycles from first instruction to return.
    pub cycles: Cycles,
    /// Instructions retired meanwhile.
    pub instructions: Instructions,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
struct Call {
    frame: CallFrame,
    since: Cycles,
    instructions: Instructions,
}

#[derive(Clone, Debug)]
struct Function {
    entry: Address,
    calls: Vec<Call>,
    time: FunctionTime,
}

/// Watches one machine while it runs.
pub struct Session<'t, T> {
    target: &'t mut T,
    rtt: Option<Rtt>,
    events: Vec<Resolved>,
    spans: Vec<SpanTracker>,
    functions: Vec<Function>,
    exceptions: Option<Exceptions>,
    /// The latest of the watched times that has come.
    struck: Option<Cycles>,
    /// Functions are timed only while this span is open.
    gate: Option<usize>,
    /// For each span: the exceptions counted when it last began, and those counted within it.
    within: Vec<(Exceptions, Exceptions)>,
}

/// Recursion deeper than this is not followed.
const MAX_CALLS: usize = 4096;

impl<'t, T: Target> Session<'t, T> {
    /// A session that reads RTT if `image` has a control block.
    pub fn new(target: &'t mut T, image: &Image) -> Self {
        let rtt = image.symbol("_SEGGER_RTT").ok().map(|symbol| Rtt::at(symbol.address));
        let (events, spans, functions, within) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { target, rtt, events, spans, functions, exceptions: None, struck: None, gate: None, within }
    }

    /// The machine.
    pub fn target(&mut self) -> &mut T {
        self.target
    }

    /// Watches for `event`; the index names it in [`Span`]s.
    ///
    /// The same event has the same index, so that a span from an event to itself is its period.
    pub fn watch(&mut self, event: Resolved) -> usize {
        if let Some(known) = self.events.iter().position(|other| *other == event) {
            return known;
        }
        match event {
            Resolved::At(address) => self.target.watch(address),
            Resolved::Left(entry) => {
                self.time_entry(entry);
            }
            Resolved::Pin(..) => self.target.shared().signals.want(SignalKind::Pin),
            Resolved::Exception(..) => self.target.shared().signals.want(SignalKind::Exception),
            Resolved::Sleep | Resolved::Wake => self.target.shared().signals.want(SignalKind::Sleep),
            Resolved::Time(_) => {}
        }
        self.events.push(event);
        self.events.len() - 1
    }

    /// Collects the span's samples; the index names it in [`Session::finish`].
    pub fn span(&mut self, span: Span) -> usize {
        self.spans.push(SpanTracker::new(span));
        self.within.push(Default::default());
        self.spans.len() - 1
    }

    /// Sums up the time spent in the function `name`.
    ///
    /// # Errors
    /// [`SymbolError`] if the image has no such function.
    pub fn time_function(&mut self, image: &Image, name: &str) -> Result<usize, SymbolError> {
        let entry = image.symbol(name)?.address;
        Ok(self.time_entry(entry))
    }

    /// The index of the function that begins at `entry`, watched from now on.
    fn time_entry(&mut self, entry: Address) -> usize {
        if let Some(known) = self.functions.iter().position(|function| function.entry == entry) {
            return known;
        }
        self.functions.push(Function { entry, calls: Vec::new(), time: FunctionTime::default() });
        self.target.watch(entry);
        self.functions.len() - 1
    }

    /// Counts and times exceptions from now on; with `running`, the word that names the running task, also the switches
    /// that a tick forces.
    pub fn count_exceptions(&mut self, running: Option<RunningTask>) {
        self.exceptions = Some(Exceptions::new(running));
        self.target.shared().signals.want(SignalKind::Exception);
    }

    /// Times functions only for calls that begin inside the span of this index.
    pub fn time_functions_within(&mut self, span: usize) {
        self.gate = Some(span);
    }

    /// The exceptions counted inside the span of this index.
    pub fn exceptions_within(&self, span: usize) -> Exceptions {
        self.within.get(span).map(|(_, within)| within.clone()).unwrap_or_default()
    }

    /// The time spent so far in the function of this index.
    pub fn function_time(&self, index: usize) -> FunctionTime {
        self.functions.get(index).map(|function| function.time).unwrap_or_default()
    }

    /// Runs until `done` says so of the guest's output, the machine stops, or the budget is used up.
    pub fn run(&mut self, limits: Limits, mut done: impl FnMut(&Console) -> bool) -> End {
        let mut next_poll = self.target.now().saturating_add(limits.poll);
        let mut seen = 0;
        loop {
            let until = next_poll.min(limits.cycles).min(self.next_time());
            let stop = self.target.run(until);
            match stop {
                Stop::Watch(address) => self.reached(address),
                Stop::Signal => self.signalled(),
                Stop::Horizon => {}
                _ => {
                    self.drain_rtt();
                    let satisfied = done(&self.target.shared().console);
                    return if satisfied { End::Satisfied } else { End::Stopped(stop) };
                }
            }
            let now = self.target.now();
            self.clock_struck(now);
            if now >= next_poll || now >= limits.cycles {
                next_poll = now.saturating_add(limits.poll);
                self.drain_rtt();
                let console = &self.target.shared().console;
                if console.len() != seen {
                    seen = console.len();
                    if done(console) {
                        return End::Satisfied;
                    }
                }
                if now >= limits.cycles {
                    return End::CycleBudget;
                }
            }
        }
    }

    fn drain_rtt(&mut self) {
        let Some(rtt) = self.rtt else { return };
        // The console and memory are apart in every machine, but the trait lends one at a time.
        let mut console = std::mem::replace(&mut self.target.shared().console, Console::new(0));
        rtt.drain(self.target.memory(), &mut console);
        self.target.shared().console = console;
    }

    fn next_time(&self) -> Cycles {
        self.times().min().unwrap_or(Cycles::MAX)
    }

    /// The instruction at `address` is about to execute.
    fn reached(&mut self, address: Address) {
        let (now, instructions) = (self.target.now(), self.target.instructions());
        self.happened(now, instructions, |event| event == Resolved::At(address));
        self.returned(address, now, instructions);
        if self.functions.iter().any(|function| function.entry == address) {
            self.entered(address, now, instructions);
        }
    }

    fn entered(&mut self, entry: Address, since: Cycles, instructions: Instructions) {
        if let Some(span) = self.gate.and_then(|gate| self.spans.get(gate))
            && !span.is_open()
        {
            return;
        }
        let frame = self.target.call_frame();
        self.target.watch(frame.return_address);
        let call = Call { frame, since, instructions };
        for function in self.functions.iter_mut().filter(|function| function.entry == entry) {
            if function.calls.len() < MAX_CALLS {
                function.calls.push(call);
            }
        }
    }

    fn returned(&mut self, address: Address, now: Cycles, instructions: Instructions) {
        let stack_pointer = self.target.call_frame().stack_pointer;
        let here = CallFrame { return_address: address, stack_pointer };
        let mut left = Vec::new();
        for function in &mut self.functions {
            let Some(place) = function.calls.iter().rposition(|call| call.frame == here) else { continue };
            let call = function.calls.remove(place);
            function.time.calls += 1;
            // A call inside a call of the same function is already counted by the outer one.
            if function.calls.iter().all(|outer| outer.frame.stack_pointer < call.frame.stack_pointer) {
                function.time.cycles += now - call.since;
                function.time.instructions += instructions - call.instructions;
            }
            left.push(function.entry);
        }
        for entry in left {
            self.happened(now, instructions, |event| event == Resolved::Left(entry));
        }
    }

    fn signalled(&mut self) {
        let instructions = self.target.instructions();
        let recorded: Vec<(Cycles, Signal)> = self.target.shared().signals.drain().collect();
        for (at, signal) in recorded {
            if let Some(exceptions) = &mut self.exceptions {
                exceptions.saw(at, signal, self.target.memory());
            }
            self.happened(at, instructions, |event| matches(event, signal));
        }
    }

    /// The times up to `now` that have not come yet; each comes once, at its own cycle.
    fn clock_struck(&mut self, now: Cycles) {
        while let Some(at) = self.times().filter(|at| *at <= now).min() {
            let instructions = self.target.instructions();
            self.happened(at, instructions, |event| event == Resolved::Time(at));
            self.struck = Some(at);
        }
    }

    /// The times that are yet to come.
    fn times(&self) -> impl Iterator<Item = Cycles> {
        self.events.iter().filter_map(|event| match event {
            Resolved::Time(at) if self.struck.is_none_or(|struck| *at > struck) => Some(*at),
            _ => None,
        })
    }

    fn happened(&mut self, at: Cycles, instructions: Instructions, is: impl Fn(Resolved) -> bool) {
        for (index, event) in self.events.iter().enumerate() {
            if is(*event) {
                for (span, (began, within)) in self.spans.iter_mut().zip(&mut self.within) {
                    if let Some(counted) = &self.exceptions {
                        if span.ends_with(index) && span.is_open() {
                            within.add_since(counted, began);
                        }
                        if span.begins_with(index) {
                            *began = counted.clone();
                        }
                    }
                    span.happened(index, at, instructions);
                }
            }
        }
    }

    /// The samples of every span, in the order they were added.
    ///
    /// # Errors
    /// Each span's own [`SpanError`].
    pub fn finish(self) -> Vec<Result<Vec<Sample>, SpanError>> {
        self.spans.into_iter().map(SpanTracker::finish).collect()
    }
}

fn matches(event: Resolved, signal: Signal) -> bool {
    match (event, signal) {
        (Resolved::Pin(wanted, edge), Signal::Pin { pin, high }) => {
            wanted == pin && (edge == Edge::Any || (edge == Edge::Rise) == high)
        }
        (Resolved::Exception(wanted, phase), signal) => {
            let (number, happened) = match signal {
                Signal::ExceptionPended { number } => (number, ExceptionPhase::Pended),
                Signal::ExceptionEntered { number } => (number, ExceptionPhase::Entered),
                Signal::ExceptionReturned { number } => (number, ExceptionPhase::Returned),
                _ => return false,
            };
            wanted == number && phase == happened
        }
        (Resolved::Sleep, Signal::Sleep) | (Resolved::Wake, Signal::Wake) => true,
        _ => false,
    }
}
