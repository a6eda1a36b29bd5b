//! Runs one machine and watches it.

mod arriving;
mod foresight;
mod functions;
mod snapshot;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::{Address, Cycles, Instructions, Picoseconds};
use cyclescope_machine::{Channel, Console, Moment, Position, Signal, SignalKind, Stop, Timebase};
use thiserror::Error;

pub(crate) use self::foresight::FORESIGHT;
use self::functions::Function;
pub use self::functions::FunctionTime;
pub use self::snapshot::Snapshot;
use crate::drive::{Drive, Inputs, Waiting};
use crate::event::{CoreEvent, Edge, Event, EventError, ExceptionPhase, Names, Resolved};
use crate::exceptions::{Exceptions, RunningTask};
use crate::gaps::{GapListener, Listening};
use crate::limits::{End, Limits};
use crate::maybe_owned::MaybeOwned;
use crate::observer::{Observer, Unobserved};
use crate::rtt::Rtt;
use crate::sleep::SleepTime;
use crate::span::{Again, MOST_SAMPLES, Sample, Samples, Span, SpanError, SpanTracker};
use crate::stimulus::{Plan, StimulusError};
use crate::time::Time;
use crate::trace::{Trace, Tracer};
use crate::traps::traps;

/// More events were to be recorded than a session keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the recorded events happened more often than the {} times that are kept; shorten the run", integer(MOST_SAMPLES as i128))]
pub struct RecordError;

/// Watches one machine while it runs.
pub struct Session<'t> {
    target: MaybeOwned<'t, Machine>,
    rtt: Option<Rtt>,
    /// The cycle of the next reading of RTT, if that does not depend on where runs are cut.
    next_poll: Option<Cycles>,
    events: Vec<Resolved>,
    spans: Vec<SpanTracker>,
    /// The spans whose ends the run waits for, each with the cycle behind which they lie.
    awaited: Vec<(usize, Cycles)>,
    functions: Vec<Function>,
    exceptions: Option<Exceptions>,
    /// Signals taken from the machine and not passed on yet.
    signals: Vec<(Cycles, Signal)>,
    /// The core of each.
    signal_cores: Vec<u8>,
    /// The watched times that are yet to come, with the index of each one's event.
    times: Vec<(usize, Moment)>,
    /// The cycle of the first of them.
    next_time: Cycles,
    /// The relation of cycles to real time at the latest signal or stop.
    timebase: Timebase,
    /// The span that must be open for functions to be timed.
    gate: Option<usize>,
    /// For each span: the exception counts at its last start, and those counted inside it.
    within: Vec<(Exceptions, Exceptions)>,
    drive: Drive,
    /// The recorded events: index and cycles.
    recorded: Vec<(usize, Vec<Cycles>)>,
    /// The number of samples and recorded events that may still be kept.
    room: usize,
    /// An event to be recorded found no room.
    unrecorded: bool,
    sleep: Option<SleepTime>,
    tracer: Option<Tracer>,
    /// The addresses of trap instructions, in order, if they are watched.
    traps: Vec<Address>,
    /// The event that ends the run, and if it has happened.
    until: Option<(usize, bool)>,
    gaps: Option<Listening<'t>>,
    /// The serial ports that began to listen and were not reported yet.
    listening: Vec<Channel>,
    /// The latest look at RTT found something to read.
    drained: bool,
}

impl<'t> Session<'t> {
    /// Returns a session that borrows the machine. It reads RTT if `image` has a control block.
    pub fn new(target: &'t mut Machine, image: &Image) -> Self {
        Self::over(MaybeOwned::Borrowed(target), image)
    }

    /// Returns a session that owns the machine.
    pub fn owning(target: Machine, image: &Image) -> Self {
        Self::over(MaybeOwned::Owned(target), image)
    }

    fn over(mut target: MaybeOwned<'t, Machine>, image: &Image) -> Self {
        target.shared().signals.want(SignalKind::Clock);
        let timebase = target.timebase();
        let rtt = image.find_symbol("_SEGGER_RTT").map(|symbol| Rtt::at(symbol.address));
        Self { rtt, ..Self::bare(target, timebase) }
    }

    /// A session that watches nothing.
    fn bare(target: MaybeOwned<'t, Machine>, timebase: Timebase) -> Self {
        Self {
            target,
            rtt: None,
            next_poll: None,
            events: Vec::new(),
            spans: Vec::new(),
            awaited: Vec::new(),
            functions: Vec::new(),
            exceptions: None,
            signals: Vec::new(),
            signal_cores: Vec::new(),
            times: Vec::new(),
            next_time: Cycles::MAX,
            timebase,
            gate: None,
            within: Vec::new(),
            drive: Drive::default(),
            recorded: Vec::new(),
            room: MOST_SAMPLES,
            unrecorded: false,
            sleep: None,
            tracer: None,
            traps: Vec::new(),
            until: None,
            gaps: None,
            listening: Vec::new(),
            drained: false,
        }
    }

    /// Tells `listener` of the model gaps of `image`, as they are met.
    pub fn tell_gaps(&mut self, listener: &'t dyn GapListener, image: &'t Image) {
        self.target.shared().signals.want(SignalKind::Gap);
        self.gaps = Some(Listening::new(listener, image, &mut self.target));
    }

    /// Tells the listener of [`Session::tell_gaps`] if the guest stands in a handler that is no one's.
    pub(crate) fn look_for_handler(&mut self) {
        if let Some(listening) = &mut self.gaps {
            listening.look(&self.target);
        }
    }

    /// Returns the machine.
    pub fn target(&mut self) -> &mut Machine {
        &mut self.target
    }

    /// Returns the machine for reading.
    pub fn machine(&self) -> &Machine {
        &self.target
    }

    /// Watches for `event` and returns its index, for use in [`Span`]s.
    ///
    /// The same event always has the same index, so a span from an event to itself is the event's period.
    pub fn watch(&mut self, event: Resolved) -> usize {
        let event = self.located(event);
        if let Some(known) = self.events.iter().position(|other| *other == event) {
            return known;
        }
        match event.of_any_core() {
            Resolved::At(address) => self.target.watch(address),
            Resolved::Left(entry) => {
                self.time_entry(entry);
            }
            Resolved::Pin(pin, _) => self.target.shared().signals.want_pin(pin),
            Resolved::Exception(..) => self.target.shared().signals.want(SignalKind::Exception),
            Resolved::Sleep | Resolved::Wake => self.target.shared().signals.want(SignalKind::Sleep),
            Resolved::Time(at) => {
                self.times.push((self.events.len(), at));
                self.set_next_time();
            }
            Resolved::Transfer(..) | Resolved::Transferred(..) => {
                self.target.shared().signals.want(SignalKind::Transfer);
            }
            Resolved::Trap | Resolved::OfCore(..) => {}
        }
        self.events.push(event);
        self.events.len() - 1
    }

    /// Returns `event` with the machine's line in the place of a line's name.
    fn located(&self, event: Resolved) -> Resolved {
        match event {
            Resolved::Transfer(name, part) => {
                name.find(&self.target.lines()).map_or(event, |line| Resolved::Transferred(line, part))
            }
            _ => event,
        }
    }

    /// Resolves, checks and watches an event of `image`. For [`Event::Trap`] it watches every address of the image that
    /// may have a trap instruction.
    ///
    /// # Errors
    /// [`EventError`] as for [`Event::resolve`] and [`Session::check`].
    pub fn watch_event(&mut self, event: &Event, image: &Image, names: Names<'_>) -> Result<usize, EventError> {
        let resolved = event.resolve(image, names)?;
        self.check(resolved)?;
        if resolved.of_any_core() == Resolved::Trap && self.traps.is_empty() {
            self.traps = traps(image);
            self.traps.iter().for_each(|trap| self.target.watch(*trap));
        }
        Ok(self.watch(resolved))
    }

    /// Makes the machine record signals of `kind`, for an [`Observer`].
    pub fn want(&mut self, kind: SignalKind) {
        self.target.shared().signals.want(kind);
    }

    /// Checks that the machine has the pin or the line of `event`. Symbols and exceptions were checked when it was resolved.
    ///
    /// # Errors
    /// [`EventError::NoPin`] with the nearest pins, [`EventError::NoLine`] with the nearest lines,
    /// [`EventError::NoPart`] for a transfer that does not come there, and [`EventError::NoCore`].
    pub fn check(&self, event: Resolved) -> Result<(), EventError> {
        match event {
            Resolved::Pin(pin, _) => match Inputs::of(&self.target).lacks_pin(pin) {
                Some(nearest) => Err(EventError::NoPin(pin, nearest)),
                None => Ok(()),
            },
            Resolved::Transfer(name, part) => {
                let text = || format!("{}:{part}", name.as_str());
                match name.find(&self.target.lines()) {
                    Ok(line) => part.misses(line).map_or(Ok(()), |known| Err(EventError::NoPart(text(), known))),
                    Err(reason) => Err(EventError::NoLine(text(), reason)),
                }
            }
            Resolved::OfCore(core, _) => match self.target.cores() {
                1 => Err(EventError::OneCore(core)),
                cores if usize::from(core) >= cores => Err(EventError::NoCore(core, cores - 1)),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Applies `plan` in addition to earlier plans. After an error, no part of it is applied.
    ///
    /// A stimulus that an event sets off comes at the event's cycle plus its delay. The machine stops at the
    /// instruction boundary after an event; if it has passed the stimulus's cycle by then, the stimulus comes before
    /// the next instruction.
    ///
    /// # Errors
    /// [`StimulusError::NoPin`] and [`StimulusError::NoUart`] for a pin or port that the machine lacks,
    /// [`StimulusError::Past`] for a cycle that has passed.
    pub fn apply(&mut self, plan: &Plan) -> Result<(), StimulusError> {
        let (inputs, now) = (Inputs::of(&self.target), self.target.now());
        let set_off = plan.after().iter().map(|after| &after.action);
        let endless = plan.endless().iter().map(|endless| &endless.action);
        let arriving = plan.arriving().iter().map(|arriving| &arriving.action);
        for action in set_off.chain(endless).chain(arriving).chain(plan.fixed().iter().map(|(_, action)| action)) {
            inputs.check(action, &self.target)?;
        }
        for after in plan.after() {
            self.check(after.event).map_err(|error| StimulusError::Event { text: after.action.to_string(), error })?;
        }
        let timebase = self.target.timebase();
        let endless = plan.endless().iter().map(|endless| (&endless.from, &endless.action));
        let mut fixed = plan.fixed().iter().map(|(at, action)| (at, action)).chain(endless);
        if let Some((at, action)) = fixed.find(|(at, _)| timebase.cycle(**at) < now) {
            let at = Time::from(*at);
            return Err(StimulusError::Past { action: action.to_string(), at, now: now.get() });
        }
        let in_cycles = |(at, _): &&(Moment, _)| matches!(at, Moment::Cycle(_));
        for (at, action) in plan.fixed().iter().take_while(in_cycles) {
            self.drive.give(*at, action, &mut self.target);
        }
        for arriving in plan.arriving() {
            self.drive.keep(&arriving.action, &mut self.target);
        }
        for (at, action) in plan.fixed().iter().skip_while(in_cycles) {
            self.drive.give(*at, action, &mut self.target);
        }
        for endless in plan.endless() {
            self.drive.give_endless(endless, &mut self.target);
        }
        for after in plan.after() {
            let event = self.watch(after.event);
            let (delay, times, action) = (after.delay, after.times, after.action.clone());
            self.drive.wait(Waiting { event, delay, times, action });
        }
        Ok(())
    }

    /// Returns the number of stimuli that have happened, and of those to come whose cycle is known.
    pub fn stimuli(&self) -> (u64, u64) {
        self.drive.given(&self.target)
    }

    /// Records the cycles of the event of index `event`, for [`Session::recorded`].
    pub fn record(&mut self, event: usize) {
        if self.recorded.iter().all(|(known, _)| *known != event) {
            self.recorded.push((event, Vec::new()));
        }
    }

    /// Returns the cycles at which the event of index `event` has happened since [`Session::record`], in order.
    ///
    /// # Errors
    /// [`RecordError`] if an event of this session was not recorded for lack of room.
    pub fn recorded(&self, event: usize) -> Result<&[Cycles], RecordError> {
        if self.unrecorded {
            return Err(RecordError);
        }
        let found = self.recorded.iter().find(|(known, _)| *known == event);
        Ok(found.map(|(_, cycles)| cycles.as_slice()).unwrap_or_default())
    }

    /// Keeps at most `most` further samples and recorded events, of all spans and events together; [`MOST_SAMPLES`] without
    /// this call.
    pub fn keep_at_most(&mut self, most: usize) {
        self.room = most;
    }

    /// Counts sleep and wake-ups from now on, for [`Session::sleep_time`]. The core must be awake.
    pub fn count_sleep(&mut self) {
        self.target.shared().signals.collect(SignalKind::Sleep);
        let cores = self.target.cores();
        self.sleep.get_or_insert_with(|| SleepTime::of(cores));
    }

    /// Returns the sleep since [`Session::count_sleep`]; none if that was not called.
    pub fn sleep_time(&self) -> SleepTime {
        self.sleep.unwrap_or_default().until(self.target.now())
    }

    /// Ends [`Session::run`] with [`End::Satisfied`] the next time the event of index `event` happens; with `None`, at none.
    pub fn end_at(&mut self, event: impl Into<Option<usize>>) {
        self.until = event.into().map(|event| (event, false));
    }

    /// Has all spans begin anew: those that are over, and those under way, count for nothing.
    pub fn forget_spans(&mut self) {
        self.spans.iter_mut().for_each(SpanTracker::forget);
    }

    /// Adds a span and returns its index, for [`Session::finish`].
    pub fn span(&mut self, span: Span) -> usize {
        self.spans.push(SpanTracker::new(span));
        self.within.push(Default::default());
        self.spans.len() - 1
    }

    /// Sets the rule for a second start of this span before its end. The default is an error.
    pub fn begins_again(&mut self, span: usize, again: Again) {
        if let Some(span) = self.spans.get_mut(span) {
            span.begins_again(again);
        }
    }

    /// Keeps the first `most` pin edges, transfers, exceptions, sleeps and wake-ups from now on, for [`Session::take_trace`]. With
    /// `task`, the word that names the running task, it also keeps the word's changes.
    pub fn trace(&mut self, most: usize, task: Option<Address>) {
        for kind in [SignalKind::Pin, SignalKind::Transfer, SignalKind::Exception, SignalKind::Sleep] {
            self.target.shared().signals.want(kind);
        }
        let levels = self.target.pins().into_iter().map(|pin| (pin, self.target.pin(pin))).collect();
        let (from, timebase, lines) = (self.target.now(), self.target.timebase(), self.target.lines());
        let cores = self.target.cores();
        self.tracer = Some(Tracer::new(from, timebase, levels, (cores, lines), task, self.target.memory(), most));
    }

    /// Ends and returns the trace; `None` if there is none.
    pub fn take_trace(&mut self) -> Option<Trace> {
        let now = self.target.now();
        self.tracer.take().map(|tracer| tracer.finish(now))
    }

    /// Counts and times exceptions from now on. With `running`, it also counts the task switches that a tick forces.
    pub fn count_exceptions(&mut self, running: Option<RunningTask>) {
        self.exceptions = Some(Exceptions::new(running));
        let signals = &mut self.target.shared().signals;
        // The word that names the running task is read when an exception happens.
        if running.is_some() {
            signals.want(SignalKind::Exception);
        } else {
            signals.collect(SignalKind::Exception);
        }
    }

    /// Returns the exceptions counted since [`Session::count_exceptions`]; `None` if that was not called.
    pub fn exceptions(&self) -> Option<&Exceptions> {
        self.exceptions.as_ref()
    }

    /// Returns the exceptions counted inside the span of this index.
    pub fn exceptions_within(&self, span: usize) -> Exceptions {
        self.within.get(span).map(|(_, within)| within.clone()).unwrap_or_default()
    }

    /// Runs until `done` returns `true` for the guest's output, the machine stops, or the budget is used up.
    pub fn run(&mut self, limits: Limits, done: impl FnMut(&Console) -> bool) -> End {
        self.run_observed(limits, &mut Unobserved, done)
    }

    /// Runs in the same way with an observer. The observer receives signals that were asked for ([`Session::want`]) at the boundary
    /// after each, and what is counted ([`Session::count_sleep`], [`Session::count_exceptions`]) at a later stop.
    pub fn run_observed(
        &mut self,
        limits: Limits,
        observer: &mut dyn Observer,
        mut done: impl FnMut(&Console) -> bool,
    ) -> End {
        self.run_until(limits, observer, &mut done)
    }

    fn run_until(
        &mut self,
        limits: Limits,
        observer: &mut dyn Observer,
        done: &mut dyn FnMut(&Console) -> bool,
    ) -> End {
        let mut next_poll = self.next_poll.unwrap_or_else(|| self.target.now().saturating_add(limits.poll));
        let mut seen = 0;
        loop {
            let until = next_poll.min(limits.pause).min(self.timebase.cycle(limits.until)).min(self.next_time);
            let stop = observer.step(&mut self.target, until);
            let now = self.target.now();
            self.signalled(observer);
            self.report_times(now, observer);
            if let Stop::Watch(address) = stop {
                self.reached(address, observer);
            }
            for core in 0..self.target.cores() {
                let Position { pc, stack_pointer, .. } = self.target.position(core);
                observer.stopped(core as u8, pc, stack_pointer);
            }
            if let Some(listening) = &mut self.gaps {
                listening.listen(&mut self.target);
            }
            match stop {
                Stop::Watch(_) | Stop::Signal | Stop::Horizon => {}
                _ => {
                    self.drain_rtt();
                    let satisfied = done(&self.target.shared().console);
                    return if satisfied { End::Satisfied } else { End::Stopped(stop) };
                }
            }
            if self.until.is_some_and(|(_, happened)| happened) || observer.is_done() {
                self.drain_rtt();
                self.until = None;
                return End::Satisfied;
            }
            if !self.awaited.is_empty() && self.awaited.iter().all(|(span, at)| self.has_ended(*span, *at)) {
                return End::Satisfied;
            }
            if let Some(port) = self.listening.pop() {
                return End::Listens(port);
            }
            let end = self.timebase.cycle(limits.until);
            if now >= next_poll || now >= limits.pause || now >= end {
                if self.next_poll.is_none() || now >= next_poll {
                    next_poll = now.saturating_add(limits.poll);
                    self.next_poll = self.next_poll.map(|_| next_poll);
                    self.drain_rtt();
                }
                let console = &self.target.shared().console;
                if console.len() != seen {
                    seen = console.len();
                    if done(console) {
                        return End::Satisfied;
                    }
                }
                if now >= end {
                    return End::Limit;
                }
                if now >= limits.pause {
                    return End::Paused;
                }
            }
        }
    }

    fn drain_rtt(&mut self) {
        let Some(rtt) = self.rtt else { return };
        // The machine lends its console or its memory, not both at once.
        let mut console = std::mem::replace(&mut self.target.shared().console, Console::new(0));
        let before = console.len();
        rtt.drain(self.target.memory(), &mut console);
        self.drained = console.len() != before;
        self.target.shared().console = console;
    }

    /// Finds the cycle of the next watched time.
    fn set_next_time(&mut self) {
        let coming = self.times.iter().map(|(_, at)| self.timebase.cycle(*at));
        self.next_time = coming.min().unwrap_or(Cycles::MAX);
    }

    /// Returns the time since reset.
    pub fn time(&self) -> Picoseconds {
        self.target.timebase().time(self.target.now())
    }

    /// Handles a stop before the instruction at `address`.
    fn reached(&mut self, address: Address, observer: &mut dyn Observer) {
        let (now, instructions) = (self.target.now(), self.target.instructions());
        let traps = self.traps.binary_search(&address).is_ok();
        let core = self.target.core() as u8;
        let is = |event| event == Resolved::At(address) || traps && event == Resolved::Trap;
        self.happened(now, instructions, observer, |event| event.on(core).is_some_and(is));
        self.returned(address, now, observer);
        if self.functions.iter().any(|function| function.entry == address) {
            self.entered(address, now);
        }
    }

    fn signalled(&mut self, observer: &mut dyn Observer) {
        let recorded = &mut self.target.shared().signals;
        if recorded.is_empty() {
            return;
        }
        // The buffers are reused, because a kernel that switches often stops here often.
        let (mut signals, mut cores) = (std::mem::take(&mut self.signals), std::mem::take(&mut self.signal_cores));
        let clocks = recorded.clock_changes().to_vec();
        let mut clocks = clocks.into_iter().peekable();
        recorded.take(&mut signals, &mut cores);
        let instructions = self.target.instructions();
        if !signals.is_sorted_by_key(|(at, _)| *at) {
            let mut both: Vec<_> = signals.drain(..).zip(cores.drain(..)).collect();
            both.sort_by_key(|((at, _), _)| *at);
            (signals, cores) = both.into_iter().unzip();
        }
        for ((at, signal), core) in signals.drain(..).zip(cores.drain(..)) {
            while let Some(timebase) = clocks.next_if(|timebase| timebase.since() <= at) {
                self.clock_changed(timebase, observer);
            }
            self.report_times(at, observer);
            // It only made the machine stop.
            if signal == Signal::Gap {
                continue;
            }
            observer.signal(at, core, signal);
            if let Signal::Listens { port } = signal {
                self.listening.push(port);
            }
            if let Some(exceptions) = &mut self.exceptions {
                exceptions.saw(at, core, signal, self.target.memory());
            }
            if let Some(sleep) = &mut self.sleep {
                sleep.saw(at, core, signal);
            }
            if let Some(tracer) = &mut self.tracer {
                tracer.saw(at, core, signal, self.target.memory());
            }
            self.happened(at, instructions, observer, |event| matches(event, core, signal));
        }
        (self.signals, self.signal_cores) = (signals, cores);
        clocks.for_each(|timebase| self.clock_changed(timebase, observer));
    }

    /// The core's clock has changed: later cycles have other times.
    fn clock_changed(&mut self, timebase: Timebase, observer: &mut dyn Observer) {
        self.report_times(timebase.since(), observer);
        self.timebase = timebase;
        self.set_next_time();
        if let Some(tracer) = &mut self.tracer {
            tracer.clock_changed(timebase);
        }
    }

    /// Reports the watched times up to `now`. Each comes once, at its own cycle.
    fn report_times(&mut self, now: Cycles, observer: &mut dyn Observer) {
        while self.next_time <= now {
            let coming = self.times.iter().map(|(event, moment)| (self.timebase.cycle(*moment), *event));
            let Some((at, event)) = coming.min() else { return };
            self.times.retain(|(other, _)| *other != event);
            self.set_next_time();
            let (instructions, time) = (self.target.instructions(), self.events[event]);
            self.happened(at, instructions, observer, |event| *event == time);
        }
    }

    fn happened(
        &mut self,
        at: Cycles,
        instructions: Instructions,
        observer: &mut dyn Observer,
        is: impl Fn(&Resolved) -> bool,
    ) {
        for (index, event) in self.events.iter().enumerate() {
            if !is(event) {
                continue;
            }
            let time = self.timebase.time(at);
            observer.happened(index, at, time);
            for (span, (began, within)) in self.spans.iter_mut().zip(&mut self.within) {
                if let Some(counted) = &self.exceptions {
                    if span.ends_with(index) && span.is_open() {
                        within.add_since(counted, began);
                    }
                    if span.begins_with(index) {
                        *began = counted.clone();
                    }
                }
                span.happened(index, at, time, instructions, &mut self.room);
            }
            if let Some((_, cycles)) = self.recorded.iter_mut().find(|(recorded, _)| *recorded == index) {
                match self.room.checked_sub(1) {
                    Some(room) => {
                        self.room = room;
                        cycles.push(at);
                    }
                    None => self.unrecorded = true,
                }
            }
            if let Some((until, happened)) = &mut self.until {
                *happened |= *until == index;
            }
            if self.drive.waits_for(index) {
                self.drive.happened(index, at, &self.timebase, &mut self.target);
            }
        }
    }

    /// Returns the samples so far of the span of this index.
    ///
    /// # Errors
    /// The span's [`SpanError`] so far; [`SpanError::NeverBegan`] for an unknown index.
    pub fn samples(&self, span: usize) -> Result<&[Sample], SpanError> {
        self.spans.get(span).ok_or_else(|| SpanError::NeverBegan(span.to_string()))?.samples()
    }

    /// Returns the samples of every span, in the order in which the spans were added.
    ///
    /// # Errors
    /// The [`SpanError`] of each span; [`SpanError::TooMany`] for a span of which not all samples were kept.
    pub fn finish(self) -> Vec<Result<Vec<Sample>, SpanError>> {
        self.spans.into_iter().map(SpanTracker::finish).collect()
    }

    /// Returns for every span the samples that were kept and the sums of the others, in the order of [`Session::finish`].
    ///
    /// # Errors
    /// The [`SpanError`] of each span.
    pub fn finish_counted(mut self) -> Vec<Result<Samples, SpanError>> {
        self.take_counted()
    }

    /// Takes what [`Session::finish_counted`] returns. The session has no spans then, until it is restored.
    pub fn take_counted(&mut self) -> Vec<Result<Samples, SpanError>> {
        std::mem::take(&mut self.spans).into_iter().map(SpanTracker::counted).collect()
    }
}

/// Tells whether `signal` of the core `core` is `event`.
fn matches(event: &Resolved, core: u8, signal: Signal) -> bool {
    match *event {
        Resolved::OfCore(wanted, event) => wanted == core && is_of_core(event, signal),
        Resolved::Exception(number, phase) => is_of_core(CoreEvent::Exception(number, phase), signal),
        Resolved::Sleep => is_of_core(CoreEvent::Sleep, signal),
        Resolved::Wake => is_of_core(CoreEvent::Wake, signal),
        Resolved::Pin(wanted, edge) => {
            let is_edge = |high| edge == Edge::Any || (edge == Edge::Rise) == high;
            matches!(signal, Signal::Pin { pin, high } if pin == wanted && is_edge(high))
        }
        Resolved::Transferred(wanted, part) => {
            matches!(signal, Signal::Transfer { line, transfer } if line == wanted && part.is(transfer))
        }
        Resolved::At(_) | Resolved::Left(_) | Resolved::Trap | Resolved::Time(_) | Resolved::Transfer(..) => false,
    }
}

/// Tells whether `signal` of a core is its `event`.
fn is_of_core(event: CoreEvent, signal: Signal) -> bool {
    match (event, signal) {
        (CoreEvent::Exception(wanted, ExceptionPhase::Pended), Signal::ExceptionPended { number })
        | (CoreEvent::Exception(wanted, ExceptionPhase::Entered), Signal::ExceptionEntered { number })
        | (CoreEvent::Exception(wanted, ExceptionPhase::Returned), Signal::ExceptionReturned { number }) => {
            wanted == number
        }
        (CoreEvent::Sleep, Signal::Sleep) | (CoreEvent::Wake, Signal::Wake) => true,
        _ => false,
    }
}
