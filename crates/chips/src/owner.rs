//! The owner of a part's devices, one for all buses.
//!
//! Devices answer one at a time; what one does to another (a pin's edge, a DMA request, a new clock) it leaves as an
//! effect, carried out here after it has answered. Events that are due come before an access at the same or a later
//! cycle, so that everything happens in the order of time even inside an instruction.

use std::fmt::Debug;
use std::sync::Arc;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, BusFault, Context, EventId, EventQueue, GapKind, Moment, Peripherals, Pin, Port, RamSlave, RegionKind,
    SignalKind, Signals, Still, Stimulus, Timebase, TimingRow, Wire,
};
use cyclescope_peripherals::framework::{AnyDevice, Bus, Env};
use cyclescope_peripherals::wires::{Route, WAVE};
use cyclescope_peripherals::{EVENTS_PER_BLOCK, Field, Serial, Slots};

use crate::outside::ALARM;
use crate::stimuli::{STIMULUS, Stimuli};

/// More effects than this after one access or event would be a loop in the wiring; the rest is dropped and counted.
const LIMIT: usize = 10_000;

/// A register that is there for its name.
pub struct Named {
    /// The register's name behind its block's.
    pub(crate) name: String,
    /// The bits that are called something.
    pub(crate) fields: &'static [Field],
    /// The register's bit that is the lowest of the byte at the address.
    pub(crate) shift: u32,
}

impl Named {
    /// Returns the name with the fields that any of `bits` belongs to, from the lowest bit at the address on.
    pub(crate) fn with_bits(self, bits: u32) -> String {
        let bits = bits << self.shift;
        let named: Vec<&str> =
            self.fields.iter().filter(|field| field.mask() & bits != 0).map(|field| field.name).collect();
        let own = |field: &&str| self.name.ends_with(*field) || field.contains('.');
        if named.is_empty() || named.len() > MOST_FIELDS || named.iter().any(own) {
            return self.name;
        }
        format!("{}.{}", self.name, named.join("/"))
    }
}

/// A register of which more fields decide is named without them.
const MOST_FIELDS: usize = 2;

/// The wiring of a part's devices: their addresses, and the connections between them.
pub trait Wiring: Clone + Debug + Send {
    /// The bus that the devices lie on.
    type Bus: Bus<Effect: Send, Shared: Send, Instance: Sync>;
    /// The devices.
    type Device: AnyDevice<Self::Bus> + Send;

    /// Answers a read; see [`Peripherals::read`].
    fn read(owner: &mut Owner<Self>, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault>;

    /// Takes a write; see [`Peripherals::write`].
    fn write(owner: &mut Owner<Self>, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault>;

    /// Carries out `effect`, which the device in `slot` asked for.
    fn effect(owner: &mut Owner<Self>, slot: usize, effect: <Self::Bus as Bus>::Effect, context: &mut Context<'_>);

    /// Returns the relation of cycles to real time, as it has been since the last change of the core's clock.
    fn timebase(owner: &Owner<Self>) -> Timebase;

    /// Takes an event that is the wiring's own; returns `false` for all others.
    fn event(_owner: &mut Owner<Self>, _id: EventId, _context: &mut Context<'_>) -> bool {
        false
    }

    /// The outside applies a level to `pin`, or (`None`) lets it go.
    fn apply(_owner: &mut Owner<Self>, _pin: Pin, _high: Option<bool>, _context: &mut Context<'_>) {}

    /// The edges of divided bus clocks move by `cycles` of the core.
    fn set_phase(_owner: &mut Owner<Self>, _cycles: u8) {}

    /// The signal `signal` of the block in `slot` has the level `high` now, in a wave.
    fn show(
        _owner: &mut Owner<Self>,
        _slot: usize,
        _signal: <Self::Bus as Bus>::Signal,
        _high: bool,
        _context: &mut Context<'_>,
    ) {
    }

    /// Tells if a signal of the block in `slot` reaches a pin at the moment.
    fn reaches(_owner: &Owner<Self>, _slot: usize, _signal: <Self::Bus as Bus>::Signal) -> bool {
        true
    }

    /// Tells if the part would hear an edge of a signal of the block in `slot`: an input that listens, or an attached device.
    fn hears(_owner: &Owner<Self>, _slot: usize, _signal: <Self::Bus as Bus>::Signal) -> bool {
        false
    }

    /// Tells if observers want the edges of a signal of the block in `slot`; a part that does not know its pins says so if they
    /// want any.
    fn is_seen(_owner: &Owner<Self>, _slot: usize, _signal: <Self::Bus as Bus>::Signal, signals: &Signals) -> bool {
        signals.wants(SignalKind::Pin)
    }

    /// The block's signal that has the wire to a device's pin `name` at the moment; of several the one of that name.
    fn route(_owner: &Owner<Self>, _wire: &Wire, _name: &str) -> Option<Route> {
        None
    }

    /// A stimulus has put a voltage on a pin, or has let one go.
    fn voltage_applied(_owner: &mut Owner<Self>, _context: &mut Context<'_>) {}

    /// The pin that the program gives to the signal at the other end of a wire.
    fn pin_of(_owner: &Owner<Self>, _wire: &Wire) -> Option<Pin> {
        None
    }

    /// The blocks that have `pin` or read it, by slot.
    fn blocks_on(_owner: &Owner<Self>, _pin: Pin) -> Vec<u16> {
        Vec::new()
    }

    /// The level to which the part drives `pin`, if it does.
    fn driven(_owner: &Owner<Self>, _pin: Pin) -> Option<bool> {
        None
    }

    /// True if a resistor of the part pulls `pin` up, and the part does not drive it.
    fn pulls_up(_owner: &Owner<Self>, _pin: Pin) -> bool {
        false
    }

    /// The pin of `signal` of the block `peripheral`, where programs cannot move it.
    fn fixed_pin(_owner: &Owner<Self>, _peripheral: &str, _signal: &str) -> Option<Pin> {
        None
    }

    /// The level of `pin` now.
    fn level(_owner: &Owner<Self>, _pin: Pin) -> bool {
        false
    }

    /// See [`Peripherals::extra_cycles`].
    #[inline]
    fn extra_cycles(_owner: &mut Owner<Self>, _address: Address, _write: bool, _at: Cycles) -> i32 {
        0
    }

    /// See [`Peripherals::still`].
    fn still(_owner: &Owner<Self>, _access: Access) -> Option<Still> {
        None
    }

    /// The register at `address`: its name with its block's, its fields, and the number of its first bit in the byte there.
    fn register(_owner: &Owner<Self>, _address: Address) -> Option<Named> {
        None
    }

    /// See [`Peripherals::rest`].
    fn rest(_owner: &mut Owner<Self>, _deep: bool, _context: &mut Context<'_>) -> bool {
        false
    }

    /// The core goes to sleep (`asleep`) or wakes.
    fn sleep(_owner: &mut Owner<Self>, _asleep: bool, _context: &mut Context<'_>) {}

    /// See [`Peripherals::wake`].
    fn wake(_owner: &mut Owner<Self>, _context: &mut Context<'_>) -> Cycles {
        Cycles::ZERO
    }

    /// See [`Peripherals::ram_slave`].
    fn ram_slave(_owner: &Owner<Self>, _offset: u32) -> RamSlave {
        RamSlave { to: u32::MAX, ..RamSlave::default() }
    }

    /// See [`Peripherals::port`].
    fn port(_owner: &Owner<Self>, _address: Address, _region: Option<RegionKind>) -> Option<Port> {
        None
    }

    /// See [`Peripherals::outranks`].
    fn outranks(_owner: &Owner<Self>, _core: usize) -> [bool; 2] {
        [false; 2]
    }

    /// See [`Peripherals::is_outranked`].
    fn is_outranked(_owner: &Owner<Self>, _core: usize) -> bool {
        false
    }

    /// The core that goes first where both want a port of the bus; `None` if none does always.
    fn first_core(_owner: &Owner<Self>) -> Option<usize> {
        None
    }

    /// See [`Peripherals::machine_time`].
    fn machine_time(_owner: &Owner<Self>, _now: Cycles) -> Option<u64> {
        None
    }
}

/// The peripherals of a part.
#[derive(Clone, Debug)]
pub struct Owner<W: Wiring> {
    pub(crate) slots: Slots<W::Bus, W::Device>,
    pub(crate) wiring: W,
    stimuli: Stimuli,
    /// The levels that the board itself puts on pins.
    board: Arc<[(Pin, bool)]>,
    /// Not started yet: the board's own levels are still to be applied.
    fresh: bool,
    /// A wave is being played; its edges reach only observers if `Some(false)`.
    pub(crate) playing: Option<bool>,
}

impl<W: Wiring> Owner<W> {
    /// The devices in `slots`, on a board that puts the levels `board` on pins until a stimulus says otherwise.
    pub(crate) fn of(slots: Slots<W::Bus, W::Device>, wiring: W, board: &[(Pin, bool)]) -> Self {
        Self { slots, wiring, stimuli: Stimuli::default(), board: board.into(), fresh: true, playing: None }
    }

    /// Takes the state of `from`, the peripherals of the same part.
    pub fn restore(&mut self, from: &Self) {
        self.slots.restore(&from.slots);
        self.wiring.clone_from(&from.wiring);
        self.stimuli.clone_from(&from.stimuli);
        self.fresh = from.fresh;
    }

    /// Has the outside do `stimulus` at the moment `at`.
    pub fn stimulate(&mut self, at: impl Into<Moment>, stimulus: Stimulus, events: &mut EventQueue) {
        self.stimuli.add(at.into(), stimulus);
        self.stimuli.schedule(&self.timebase(), events);
    }

    /// See [`Machine::keep_place`](crate::Machine::keep_place).
    pub fn keep_place(&mut self) -> u64 {
        self.stimuli.keep_place()
    }

    /// See [`Machine::stimulate_at_place`](crate::Machine::stimulate_at_place).
    pub fn stimulate_at_place(&mut self, at: Moment, place: u64, stimulus: Stimulus, events: &mut EventQueue) {
        self.stimuli.withdraw(place);
        self.stimuli.add_at_place(at, place, stimulus);
        self.stimuli.schedule(&self.timebase(), events);
    }

    /// The stimuli so far that put a pin to the level that it had: the pin, the level, their number.
    pub fn idle_stimuli(&self) -> &[(Pin, bool, u64)] {
        self.stimuli.idle()
    }

    /// Returns the relation of cycles to real time, as it has been since the last change of the core's clock.
    pub fn timebase(&self) -> Timebase {
        W::timebase(self)
    }

    /// The core's clock has changed: stimuli at times of their own move to other cycles, and observers are told.
    pub(crate) fn clock_changed(&self, context: &mut Context<'_>) {
        let timebase = self.timebase();
        self.stimuli.schedule(&timebase, context.events);
        self.schedule_alarm(&timebase, context.events);
        context.signals.record_clock(timebase);
    }

    /// The timing rows of the part's devices that have decided anything so far, in the order of their first use.
    pub fn rows_used(&self) -> &[&'static TimingRow] {
        &self.slots.wires.rows
    }

    /// The level of `pin` now; low where the part has no such pin.
    pub fn pin(&self, pin: Pin) -> bool {
        W::level(self, pin)
    }

    /// The numbers of the serial ports, in order.
    pub fn serial_ports(&self) -> Vec<u8> {
        let mut numbers: Vec<u8> =
            self.slots.iter().filter_map(|(_, device)| device.serial().map(Serial::number)).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Tells if the serial port `number` listens; see [`Serial::listens`].
    pub fn listens(&self, number: u8) -> bool {
        let mut ports = self.slots.iter().filter_map(|(_, device)| device.serial());
        ports.any(|serial| serial.number() == number && serial.listens())
    }

    /// The devices with the instances they are, for tests and tools.
    pub fn blocks(&self) -> impl Iterator<Item = (&'static <W::Bus as Bus>::Instance, &W::Device)> {
        self.slots.iter()
    }

    /// The core `core` goes on.
    pub(crate) fn turn_to(&mut self, core: u8) {
        self.slots.wires.core = core;
    }

    /// The board's own levels reach the pins, once.
    pub(crate) fn apply_board(&mut self, context: &mut Context<'_>) {
        if std::mem::take(&mut self.fresh) {
            for (pin, high) in Arc::clone(&self.board).iter() {
                W::apply(self, *pin, Some(*high), context);
                self.carry_out(context);
            }
        }
    }

    /// Carries out all effects in order, those of effects included.
    #[inline]
    pub(crate) fn carry_out(&mut self, context: &mut Context<'_>) {
        // Who hears a clock may change with every access.
        if !self.slots.wires.effects.is_empty() || !self.slots.wires.squares.is_empty() {
            self.carry_out_all(context);
        }
    }

    /// The same where there are any.
    fn carry_out_all(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(&(slot, effect)) = self.slots.wires.effects.get(next) {
            next += 1;
            if next >= LIMIT {
                context.gap(GapKind::Setting, "peripherals set each other off in an endless circle, which is cut here");
                break;
            }
            W::effect(self, usize::from(slot), effect, context);
        }
        self.slots.wires.effects.clear();
        self.attend(context);
    }

    /// Handles the events due before an access; afterwards the context's time is the access's again.
    #[inline]
    pub(crate) fn catch_up(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        while context.events.next_at() <= now {
            let Some((at, id)) = context.events.pop_due(now) else { break };
            context.now = at;
            self.event(id, context);
        }
        context.now = now;
    }

    /// Lets the device in `slot` do something, if there is one.
    pub(crate) fn at(
        &mut self,
        slot: Option<usize>,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut W::Device, &mut Env<'_, '_, W::Bus>),
    ) {
        if let Some(slot) = slot {
            self.slots.with(slot, context, act);
        }
    }

    fn receive(&mut self, stimulus: &Stimulus, context: &mut Context<'_>) {
        match stimulus {
            Stimulus::Pin { pin, high } => {
                if let Some(high) = high {
                    // A level from reset on is no change but the board's.
                    let changes = context.now > Cycles::ZERO || self.stimuli.applied(*pin).is_some();
                    if changes && W::level(self, *pin) == *high {
                        self.stimuli.note_idle(*pin, *high);
                    }
                    self.stimuli.apply(*pin, *high);
                }
                W::apply(self, *pin, *high, context);
            }
            Stimulus::Toggle { pin } => {
                let high = !self.stimuli.applied(*pin).unwrap_or_else(|| W::level(self, *pin));
                self.stimuli.apply(*pin, high);
                W::apply(self, *pin, Some(high), context);
            }
            Stimulus::Uart { number, bytes } => self.slots.each(context, |device, env| {
                if let Some(serial) = device.serial_mut().filter(|serial| serial.number() == *number) {
                    serial.receive(bytes, env);
                }
            }),
            Stimulus::Usb { number, bytes } => self.receive_console(*number, bytes, context),
            Stimulus::Voltage { pin, voltage } => self.apply_voltage(*pin, voltage.clone(), context),
            Stimulus::Device { device, name, value } => self.set_outside(device, name, value, context),
            Stimulus::Phase { cycles } => W::set_phase(self, *cycles),
            Stimulus::Every { stimulus, .. } => self.receive(stimulus, context),
        }
    }
}

impl<W: Wiring> Peripherals for Owner<W> {
    #[inline]
    fn read(&mut self, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        self.catch_up(context);
        let value = W::read(self, access, context);
        self.carry_out(context);
        value
    }

    #[inline]
    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        self.catch_up(context);
        let done = W::write(self, access, value, context);
        self.carry_out(context);
        done
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        if id == STIMULUS {
            while let Some(stimulus) = self.stimuli.due(context.now, &self.timebase()) {
                self.receive(&stimulus, context);
                self.carry_out(context);
            }
            self.stimuli.schedule(&self.timebase(), context.events);
        } else {
            if id == ALARM {
                self.wake_outside(context);
            } else if !W::event(self, id, context) {
                if id.number % EVENTS_PER_BLOCK == WAVE {
                    self.attend(context);
                } else {
                    self.slots.event(id, context);
                }
            }
            self.carry_out(context);
        }
    }

    #[inline]
    fn extra_cycles(&mut self, address: Address, write: bool, at: Cycles) -> i32 {
        W::extra_cycles(self, address, write, at)
    }

    fn still(&self, access: Access) -> Option<Still> {
        W::still(self, access)
    }

    fn sleep(&mut self, asleep: bool, _: bool, context: &mut Context<'_>) {
        W::sleep(self, asleep, context);
    }

    fn rest(&mut self, deep: bool, context: &mut Context<'_>) -> bool {
        W::rest(self, deep, context)
    }

    fn wake(&mut self, context: &mut Context<'_>) -> Cycles {
        W::wake(self, context)
    }

    fn ram_slave(&self, offset: u32) -> RamSlave {
        W::ram_slave(self, offset)
    }

    fn port(&self, address: Address, region: Option<RegionKind>) -> Option<Port> {
        W::port(self, address, region)
    }

    fn outranks(&self, core: usize) -> [bool; 2] {
        W::outranks(self, core)
    }

    fn is_outranked(&self, core: usize) -> bool {
        W::is_outranked(self, core)
    }

    fn machine_time(&self, now: Cycles) -> Option<u64> {
        W::machine_time(self, now)
    }
}
