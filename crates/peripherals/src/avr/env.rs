//! The framework's bus for ATmegas: registers of one byte around the clock clkI/O, and what the blocks of a part share.

use cyclescope_machine::units::{Cycles, Hertz, Picoseconds};
use cyclescope_machine::{Context, EventId, Pin, Timebase, TimingRow};

use super::{Clock, Instance, IoClock, Prescaler};
use crate::framework::{self, Bus, EVENTS_PER_BLOCK};

/// The rank of events that clkI/O brings.
const BY_IO_CLOCK: u8 = 128;
/// The rank of events that a clock brings which runs on where clkI/O stops.
const BY_CORE_CLOCK: u8 = 126;
/// The rank of events that another oscillator brings.
const BY_OSCILLATOR: u8 = 127;

/// The bus. Its time is periods of clkI/O since power-on, which stand still where a sleep mode stops that clock.
#[derive(Clone, Copy, Debug)]
pub struct Avr;

impl Bus for Avr {
    /// The register's number in its block.
    type Offset = u8;
    type Word = u8;
    /// Reserved bits come as zero.
    type Write = u8;
    type Instance = Instance;
    type Effect = Effect;
    type Change = Change;
    type Shared = Shared;
    type Time = u64;
    /// The place in [`Instance::outputs`].
    type Signal = u8;

    const OUTSIDE: Effect = Effect::Outside;
    const SUPPLY: i32 = 5_000_000;

    fn timebase(shared: &Shared) -> Timebase {
        shared.clock.timebase()
    }

    fn cycle(shared: &Shared, at: u64) -> Cycles {
        shared.io.cycle(at)
    }

    fn name(instance: &Instance) -> &'static str {
        instance.name
    }

    fn with_bit(word: u8, bit: u8, high: bool) -> u8 {
        let mask = 1 << (bit & 7);
        if high { word | mask } else { word & !mask }
    }

    #[inline]
    fn now(env: &Env<'_, '_>) -> u64 {
        env.wires.shared.io.at(env.context.now)
    }

    /// A kind is of this clock or of [`Env::schedule_tick`], never both.
    fn schedule(env: &mut Env<'_, '_>, kind: u16, at: u64) {
        for priority in [BY_IO_CLOCK, BY_OSCILLATOR, BY_CORE_CLOCK] {
            env.context.events.cancel(env.event_id(priority, kind));
        }
        let id = env.event_id(BY_IO_CLOCK, kind);
        let at = if at == u64::MAX { at } else { at.max(env.now() + 1) };
        let shared = &mut env.wires.shared;
        shared.waiting.retain(|(other, _)| other.number != id.number);
        shared.by_tick.retain(|(other, _)| other.number != id.number);
        if at == u64::MAX {
            return;
        }
        if shared.io.is_stopped() {
            let place = shared.waiting.partition_point(|(_, other)| *other <= at);
            shared.waiting.insert(place, (id, at));
        } else {
            env.context.events.schedule(shared.io.cycle(at), id);
        }
    }
}

/// A block's view of its part.
pub type Env<'a, 'c> = framework::Env<'a, 'c, Avr>;

/// The connections between the blocks of a part.
pub type Wires = framework::Wires<Avr>;

/// Something that time depends on changes: blocks are asked before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A shared prescaler begins anew, is held or let go.
    Prescaler,
    /// A power reduction register was written: see [`Env::powered`].
    Power,
    /// The clock that the PLL gives to the high-speed timer: see [`Shared::pll`].
    Pll,
    /// The flag that triggers conversions is another: see [`Shared::trigger`].
    Trigger,
}

/// An action of a block on others. The part carries it out after the block has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A peripheral takes the level of a pin from its port's PORT bit, or (`None`) gives it back.
    Level {
        /// The pin.
        pin: Pin,
        /// The level that it drives where the pin is an output.
        high: Option<bool>,
    },
    /// A peripheral decides whether a pin is an output, or (`None`) leaves that to DDR again.
    Direction {
        /// The pin.
        pin: Pin,
        /// `true` for an output.
        output: Option<bool>,
    },
    /// MCUCR.PUD: whether all pull-ups are off.
    PullUpsOff(bool),
    /// The level of a pin changes.
    PinChanged {
        /// The pin.
        pin: Pin,
        /// The new level.
        high: bool,
        /// The delay in cycles from now.
        after: u8,
    },
    /// GTCCR: the shared prescalers become these.
    Prescalers([Prescaler; 2]),
    /// The power reduction registers become these.
    Power([u8; 2]),
    /// The clock of the high-speed timer becomes this.
    Pll(Option<Hertz>),
    /// CLKPR: the system clock is divided by 2 to this power.
    Divide(u8),
    /// A pin's digital input is off, or on again.
    DigitalInput {
        /// The pin.
        pin: Pin,
        /// `true` if PINx shows 0.
        off: bool,
    },
    /// The flag of this vector triggers conversions from now on; 0 for none.
    Watch(u8),
    /// The flag that triggers conversions has risen.
    Triggered,
    /// The comparator's output has this level, which Timer 1 captures.
    Capture(bool),
    /// The comparator's inputs may be others.
    ComparatorInputs,
    /// A block takes the lines of its bus, or lets them go: see [`Instance::signals`].
    BusTaken,
    /// A block has begun a wave, or an attached device has done something.
    Outside,
}

/// The flag that triggers conversions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// The vector that it belongs to; 0 for none.
    pub vector: u8,
    /// The flag as it was last.
    pub high: bool,
}

/// The state that the blocks of a part share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The system clock.
    pub clock: Clock,
    /// clkI/O.
    pub io: IoClock,
    /// The shared prescalers: [`super::SYNCHRONOUS`] and [`super::ASYNCHRONOUS`].
    pub prescalers: [Prescaler; 2],
    /// PRR or PRR0, and PRR1: a bit that is set stops its module.
    pub power_reduction: [u8; 2],
    /// MCUSR: the causes of resets that software has not cleared.
    pub reset_flags: u8,
    /// MCUCR.IVSEL.
    pub vectors_in_boot_section: bool,
    /// The clock that the PLL gives to the high-speed timer, once it has locked.
    pub pll: Option<Hertz>,
    /// The clock that the PLL gives to USB, once it has locked.
    pub usb: Option<Hertz>,
    /// The flag that triggers conversions.
    pub trigger: Trigger,
    /// The ADC's channel in the place of the comparator's negative input, where its multiplexer is free for that.
    pub comparator_channel: Option<u8>,
    /// The comparator's output is what Timer 1 captures, in the place of ICP1.
    pub capture_by_comparator: bool,
    /// Levels of the pins, one bit each, by port from A.
    pub levels: [u8; 8],
    /// Pins that are outputs, one bit each, by port from A.
    pub outputs: [u8; 8],
    /// Pins that something drives or pulls, inside or outside, one bit each, by port from A.
    pub driven: [u8; 8],
    /// For how long the access that is being made halts the core before its next instruction.
    pub halt: Cycles,
    /// Events by clkI/O that wait until it goes on, with the count of it that they come at.
    pub waiting: Vec<(EventId, u64)>,
    /// Events by another oscillator, with their ticks.
    pub by_tick: Vec<(EventId, u64)>,
}

impl Shared {
    /// Those of a part that has just got power and runs from an oscillator of `source` hertz.
    pub fn new(source: Hertz) -> Self {
        Self {
            clock: Clock::new(source),
            io: IoClock::default(),
            prescalers: [Prescaler::default(); 2],
            power_reduction: [0; 2],
            reset_flags: 0,
            vectors_in_boot_section: false,
            pll: None,
            usb: None,
            trigger: Trigger::default(),
            comparator_channel: None,
            capture_by_comparator: false,
            levels: [0; 8],
            outputs: [0; 8],
            driven: [0; 8],
            halt: Cycles::ZERO,
            waiting: Vec::new(),
            by_tick: Vec::new(),
        }
    }

    /// The level of `pin`.
    pub fn level(&self, pin: Pin) -> bool {
        self.levels.get(usize::from(pin.port)).is_some_and(|levels| levels & 1 << (pin.number & 7) != 0)
    }

    /// Tells if `pin` is an output.
    pub fn is_output(&self, pin: Pin) -> bool {
        self.outputs.get(usize::from(pin.port)).is_some_and(|outputs| outputs & 1 << (pin.number & 7) != 0)
    }

    /// Tells if anything drives or pulls `pin`, inside or outside.
    pub fn is_driven(&self, pin: Pin) -> bool {
        self.driven.get(usize::from(pin.port)).is_some_and(|driven| driven & 1 << (pin.number & 7) != 0)
    }

    /// Tells if the module that `instance`'s power reduction bit stops is running.
    pub fn powered(&self, instance: &Instance) -> bool {
        let Some(power) = instance.power else { return true };
        self.power_reduction.get(usize::from(power.register)).is_none_or(|bits| bits & 1 << (power.bit & 7) == 0)
    }

    /// clkI/O stops at the cycle of `context`: its events wait.
    pub fn stop_io(&mut self, slots: usize, context: &mut Context<'_>) {
        let io = self.io;
        if io.is_stopped() {
            return;
        }
        self.io.stop(context.now);
        for number in 0..slots as u16 * EVENTS_PER_BLOCK {
            let id = EventId { priority: BY_IO_CLOCK, number };
            if let Some(at) = context.events.when(id) {
                self.waiting.push((id, io.at(at)));
            }
        }
        // In the order in which they would have come.
        self.waiting.sort_by_key(|(_, at)| *at);
        for (id, _) in &self.waiting {
            context.events.cancel(*id);
        }
    }

    /// clkI/O goes on at the cycle of `context`.
    pub fn resume_io(&mut self, context: &mut Context<'_>) {
        self.io.resume(context.now);
        for (id, at) in std::mem::take(&mut self.waiting) {
            context.events.schedule(self.io.cycle(at).max(context.now), id);
        }
    }

    /// The system clock is divided by 2 to the power of `shift` from now on: what other oscillators bring moves along.
    pub fn divide(&mut self, shift: u8, context: &mut Context<'_>) {
        self.clock.divide(context.now, shift);
        for (id, tick) in &self.by_tick {
            context.events.schedule(self.clock.cycle(*tick).max(context.now), *id);
        }
    }

    /// The event `id` has come: the part says so before it tells the block.
    pub fn has_come(&mut self, id: EventId) {
        if id.priority == BY_OSCILLATOR {
            self.by_tick.retain(|(other, _)| *other != id);
        }
    }
}

impl Env<'_, '_> {
    /// The time in periods of the part's oscillator since power-on. Sleep does not stop it, CLKPR does not divide it.
    pub fn tick(&self) -> u64 {
        self.wires.shared.clock.tick(self.context.now)
    }

    /// Has the block's event `kind` come at the oscillator's `tick`, at the core's next cycle at the earliest; `u64::MAX`
    /// cancels it.
    pub fn schedule_tick(&mut self, kind: u16, tick: u64) {
        self.cancel(kind);
        if tick == u64::MAX {
            return;
        }
        let id = self.event_id(BY_OSCILLATOR, kind);
        let next = self.context.now.saturating_add(Cycles::new(1));
        self.context.events.schedule(self.wires.shared.clock.cycle(tick).max(next), id);
        self.wires.shared.by_tick.push((id, tick));
    }

    /// Has the block's event `kind` come at the core's cycle `at`, at the next one at the earliest, by a clock that goes on
    /// where a sleep mode stops clkI/O.
    pub fn schedule_core(&mut self, kind: u16, at: u64) {
        self.cancel(kind);
        let id = self.event_id(BY_CORE_CLOCK, kind);
        let next = self.context.now.saturating_add(Cycles::new(1));
        self.context.events.schedule(Cycles::new(at).max(next), id);
    }

    /// Returns the periods of the oscillator that `periods` of `frequency` hertz take, rounded up.
    pub fn ticks_of(&self, periods: u64, frequency: Hertz) -> u64 {
        self.wires.shared.clock.ticks_of(periods, frequency)
    }

    /// Returns the periods of clkI/O in `span`, rounded up.
    pub fn periods_of(&self, span: Picoseconds) -> u64 {
        let periods = u128::from(span.get()) * u128::from(self.wires.shared.clock.frequency().get());
        u64::try_from(periods.div_ceil(1_000_000_000_000)).unwrap_or(u64::MAX)
    }

    /// True if the flag of the block's vector `index` triggers conversions.
    pub fn is_trigger(&self, index: usize) -> bool {
        let vector = self.wires.shared.trigger.vector;
        vector != 0 && self.instance.vectors.get(index) == Some(&vector)
    }

    /// The flag of the block's vector `index` is `high`, enabled or not: if it triggers conversions, a rise does.
    pub fn flag(&mut self, index: usize, high: bool) {
        if self.is_trigger(index) {
            let before = std::mem::replace(&mut self.wires.shared.trigger.high, high);
            if high && !before {
                self.effect(Effect::Triggered);
            }
        }
    }

    /// Drives the interrupt line of the block's vector `index` ([`Instance::vectors`]): high while its flag is set and its
    /// interrupt enabled.
    pub fn line(&mut self, index: usize, high: bool) {
        if let Some(vector) = self.instance.vectors.get(index).filter(|vector| **vector != 0) {
            self.context.interrupts.set(usize::from(*vector), high);
        }
    }

    /// Takes the level of the block's output `index` ([`Instance::outputs`]) from its port, or (`None`) gives it back. The
    /// level shows where the pin is an output.
    pub fn output(&mut self, index: usize, high: Option<bool>) {
        if let Some(Some(pin)) = self.instance.outputs.get(index) {
            self.effect(Effect::Level { pin: *pin, high });
        }
    }

    /// Decides whether the pin of the block's output `index` is an output, or (`None`) leaves that to DDR again.
    pub fn direction(&mut self, index: usize, output: Option<bool>) {
        if let Some(Some(pin)) = self.instance.outputs.get(index) {
            self.effect(Effect::Direction { pin: *pin, output });
        }
    }

    /// The level of the block's input `index` ([`Instance::inputs`]) now, ahead of any synchroniser; low where the part
    /// has no such pin.
    pub fn input(&self, index: usize) -> bool {
        matches!(self.instance.inputs.get(index), Some(Some(pin)) if self.wires.shared.level(*pin))
    }

    /// Tells if the power reduction register lets the block's clock run. The registers of a stopped block are not accessed.
    pub fn powered(&self) -> bool {
        self.wires.shared.powered(self.instance)
    }

    /// Halts the core before its next instruction for the cycles of `row`.
    pub fn halt(&mut self, row: &'static TimingRow) {
        self.wires.shared.halt = Cycles::new(self.cycles(row));
    }
}
