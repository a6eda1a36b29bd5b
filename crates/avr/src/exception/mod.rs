//! Interrupts and sleep: the parts' datasheets (8271H §7.7 and chapter 10 for the ATmega328P).
//!
//! A line of [`InterruptLines`](cyclescope_machine::InterruptLines) is a vector: high while its flag is set and its
//! interrupt enabled. The lowest vector goes first. Flags live in the part's blocks; the one whose handler begins is told
//! to them ([`AvrPeripherals::acknowledge`]).

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Signal};

use crate::cpu::Cpu;
use crate::hooks::AvrPeripherals;

/// The most handlers remembered that have not returned.
const MOST_ACTIVE: usize = 64;

impl Cpu {
    /// Hands every event due at or before `now` to the peripherals; lines that rose thereby pend when they do.
    pub(crate) fn run_events<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, now: u64) {
        loop {
            let due = bus.shared.events.next_at().get();
            if due > now {
                return;
            }
            self.still_until = 0;
            bus.run_events(Cycles::new(due), self.pc());
            if bus.shared.interrupts.changed() {
                self.note_lines(bus, due);
            }
        }
    }

    /// Takes note of lines that moved by the cycle `at`.
    pub(crate) fn note_lines<P>(&mut self, bus: &mut Bus<P>, at: u64) {
        let [mut rose, ..] = bus.shared.interrupts.take_rose();
        self.horizon = 0;
        while rose != 0 {
            let number = rose.trailing_zeros() as u16;
            bus.shared.signals.record(Cycles::new(at), Signal::ExceptionPended { number });
            rose &= rose - 1;
        }
    }

    /// The interrupt to be served next: of those requested the lowest vector. Reset is none.
    pub(crate) fn pending<P>(&self, bus: &Bus<P>) -> Option<u8> {
        let requested = bus.shared.interrupts.levels(0) & !1;
        let vector = requested.trailing_zeros() as u8;
        (self.i && vector < self.config.vectors.min(64)).then_some(vector)
    }

    /// Serves the interrupt of `vector`.
    pub(crate) fn interrupt<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, vector: u8) {
        let (pc, at) = (self.pc, self.now);
        self.now += self.charge(self.config.timing.recognition) + self.charge(self.config.timing.response);
        self.push_pc(bus, pc, at, pc);
        self.i = false;
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(Cycles::new(at), self.pc());
        peripherals.acknowledge(vector, &mut context);
        self.pc = peripherals.vector_base().get() + u32::from(vector) * u32::from(self.config.vector_bytes);
        self.interrupts_taken += 1;
        if self.active.len() == MOST_ACTIVE {
            self.active.remove(0);
        }
        self.active.push(vector);
        let entered = Signal::ExceptionEntered { number: u16::from(vector) };
        bus.shared.signals.record(Cycles::new(self.now), entered);
        if bus.shared.interrupts.changed() {
            self.note_lines(bus, at);
        }
    }

    /// SLEEP: enters the mode that SMCR selects, or does nothing while SE is clear.
    pub(crate) fn fall_asleep<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>) {
        self.horizon = 0;
        if let Some(mode) = self.sleep_mode() {
            self.asleep = Some(mode);
            self.tell_sleep(bus, true, mode);
        }
    }

    /// The cycle at which the core wakes, if an interrupt has come that wakes it. The start-up of its clock begins with
    /// that interrupt and ends in a later call, since a run may end in the middle of it.
    pub(crate) fn wakes_at<P: AvrPeripherals>(&mut self, bus: &Bus<P>, mode: u8) -> Option<u64> {
        if self.wakes_at.is_none() && self.pending(bus).is_some() {
            self.wakes_at = Some(self.now + bus.peripherals.start_up(mode).get());
        }
        self.wakes_at
    }

    /// Wakes the core.
    pub(crate) fn wake<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, mode: u8) {
        self.now += self.charge(self.config.timing.wake);
        self.asleep = None;
        self.wakes_at = None;
        self.tell_sleep(bus, false, mode);
    }

    fn tell_sleep<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, asleep: bool, mode: u8) {
        self.still_until = 0;
        let now = Cycles::new(self.now);
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context(now, self.pc());
        peripherals.sleep_mode(asleep, mode, &mut context);
    }
}
