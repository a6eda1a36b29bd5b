//! Four state machines with what they share, cycle by cycle and without a part around them.
//!
//! Time is counted in cycles of `clk_sys`. Cycle `n` here is the clock's edge at which registers take what was worked out before it:
//! a machine that steps at `n` has executed its instruction in the cycle up to `n`, and sees neither a write by the system at `n` nor
//! what another machine does there. Between the pulses of dividers nothing happens, so that a machine costs a step a pulse while it
//! runs or counts a delay, and nothing while it stalls or is off.

use cyclescope_machine::TimingRow;

use super::divider::Divider;
use super::machine::{Machine, Outcome, PinWrite, View};

/// State machines of a block.
pub const MACHINES: usize = 4;

/// A cycle that never comes.
pub const NEVER: u64 = u64::MAX;

/// The pins that a block drives at pads: GPIO0 to GPIO29.
pub const PINS: u32 = 0x3FFF_FFFF;

/// The rows.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "pio.step",
        "cycles of an instruction without delay at a divisor of 1",
        1,
        "RP-008371-DS, PIO, Figure \"State machine operation with a clock divisor of 1\"",
    ),
    TimingRow::documented(
        "pio.synchroniser",
        "cycles by which the synchroniser of an input delays it",
        2,
        "RP-008371-DS, PIO, Input Synchronisers",
    ),
    TimingRow::assumed(
        "pio.output",
        "cycles from the end of an instruction's cycle to the pins that it writes",
        1,
        "raspberrypi/pico-feedback#280: outputs pass two cycles of clk_sys, of which one is taken for the instruction's own",
    ),
    TimingRow::assumed(
        "pio.enable",
        "cycles from a write of CTRL or INSTR to the first instruction at a divisor of 1",
        1,
        "derived: registers that are written take effect in the cycle after",
    ),
];

const SYNCHRONISER: u64 = ROWS[1].cycles as u64;
const OUTPUT: u64 = ROWS[2].cycles as u64;
const ENABLE: u64 = ROWS[3].cycles as u64;

/// The levels of pins in the latest cycles, for synchronisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The levels in the cycle `at`, and in the three before.
    levels: [u32; 4],
    at: u64,
}

impl Input {
    fn new(levels: u32, at: u64) -> Self {
        Self { levels: [levels; 4], at }
    }

    /// The pins have the levels `levels` from the cycle `at` on, which is not before that of the latest change.
    fn set(&mut self, levels: u32, at: u64) {
        let passed = at.saturating_sub(self.at).min(4) as usize;
        let before = self.levels;
        for (age, level) in self.levels.iter_mut().enumerate() {
            *level = before[age.saturating_sub(passed)];
        }
        self.levels[0] = levels;
        self.at = self.at.max(at);
    }

    /// The levels in the cycle `cycle`.
    fn in_cycle(&self, cycle: u64) -> u32 {
        self.levels[self.at.saturating_sub(cycle).min(3) as usize]
    }

    /// The levels that a machine sees at `at`: two flip-flops behind the pads, but of the pins `bypass` at once.
    fn seen(&self, at: u64, bypass: u32) -> u32 {
        self.in_cycle(at.saturating_sub(1)) & bypass | self.in_cycle(at.saturating_sub(1 + SYNCHRONISER)) & !bypass
    }

    /// Tells if machines at `at` see the levels as they are.
    fn is_settled(&self, at: u64) -> bool {
        let levels = self.levels[0];
        (1..=1 + SYNCHRONISER).all(|ago| self.in_cycle(at.saturating_sub(ago)) == levels)
    }
}

/// A machine in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The machine.
    pub machine: Machine,
    /// CLKDIV.
    pub clkdiv: u32,
    divider: Divider,
    /// CTRL.SM_ENABLE.
    pub enabled: bool,
    /// An instruction written to INSTR, executed in the cycle after.
    forced: Option<u16>,
    /// It stalls, and nothing has changed since that could end that.
    asleep: bool,
}

/// A block without its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// The instruction memory.
    pub memory: [u16; 32],
    /// The state machines.
    pub seats: [Seat; MACHINES],
    /// The flags of IRQ.
    pub flags: u8,
    /// FDEBUG.
    pub debug: u32,
    /// INPUT_SYNC_BYPASS.
    pub bypass: u32,
    /// Levels and directions as the machines write them.
    out: [u32; 2],
    /// Levels and directions at the pads.
    pads: [u32; 2],
    /// The cycle at which pads follow, or OUT_STICKY asserts anew.
    follow: u64,
    input: Input,
    /// All that happens up to this cycle has happened.
    now: u64,
    /// A machine has looked at pins.
    looked: bool,
}

/// All that others than the machines can notice, but for registers that only software looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Levels at the pads.
    pub levels: u32,
    /// Directions at the pads.
    pub directions: u32,
    /// The words in the FIFOs, TX and RX of each machine.
    pub fifos: [[u8; 2]; MACHINES],
    /// The flags of IRQ.
    pub flags: u8,
    /// FDEBUG.
    pub debug: u32,
}

impl Core {
    /// A block that was reset at the cycle `now`, while its pins have the levels `levels`.
    pub fn new(now: u64, levels: u32) -> Self {
        let seat = |number| Seat {
            machine: Machine::new(number),
            clkdiv: 1 << 16,
            divider: Divider::restarted(now + ENABLE),
            enabled: false,
            forced: None,
            asleep: false,
        };
        Self {
            memory: [0; 32],
            seats: [0, 1, 2, 3].map(seat),
            flags: 0,
            debug: 0,
            bypass: 0,
            out: [0; 2],
            pads: [0; 2],
            follow: NEVER,
            input: Input::new(levels, now),
            now,
            looked: false,
        }
    }

    /// The cycle up to which all has happened.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Returns all that others can notice.
    pub fn shown(&self) -> Shown {
        Shown {
            levels: self.pads[0] & PINS,
            directions: self.pads[1] & PINS,
            fifos: self.seats.map(|seat| [seat.machine.tx.level(), seat.machine.rx.level()]),
            flags: self.flags,
            debug: self.debug,
        }
    }

    /// Levels and directions as the machines have written them, which the pads follow.
    pub const fn written(&self) -> [u32; 2] {
        self.out
    }

    /// Tells if a machine has looked at pins since [`Self::watch`], or waits for what may be one.
    pub const fn has_looked(&self) -> bool {
        self.looked
    }

    /// Begins to note whether a machine looks at pins.
    pub fn watch(&mut self) {
        self.looked = self.seats.iter().any(|seat| seat.asleep);
    }

    /// Tells if a machine is on, or executes an instruction that software has written.
    pub fn is_on(&self) -> bool {
        self.seats.iter().any(|seat| seat.enabled || seat.forced.is_some() || seat.machine.is_forced())
    }

    /// The next cycle at which anything happens by itself; [`NEVER`] if nothing does before something changes.
    pub fn next(&self) -> u64 {
        let steps = self.seats.iter().map(|seat| {
            if seat.forced.is_some() || seat.machine.is_forced() && !seat.asleep {
                return self.now + 1;
            }
            if seat.enabled && !seat.asleep { seat.divider.next } else { NEVER }
        });
        steps.min().unwrap_or(NEVER).min(self.follow)
    }

    /// Lets all happen up to the cycle `to`; returns the number of cycles at which anything did.
    pub fn run(&mut self, to: u64) -> u64 {
        let mut cycles = 0;
        loop {
            let next = self.next();
            if next > to {
                break;
            }
            self.cycle(next);
            cycles += 1;
        }
        self.now = self.now.max(to);
        cycles
    }

    /// Lets happen what does at the cycle `at`, the [next](Self::next).
    pub fn cycle(&mut self, at: u64) {
        self.now = at;
        let (pins, flags, memory) = (self.input.seen(at, self.bypass), self.flags, self.memory);
        let view = View { memory: &memory, pins, flags };
        let settled = self.input.is_settled(at);
        self.pads = self.out;
        let slept = self.seats.map(|seat| seat.asleep);
        let mut outcomes = self.seats.each_mut().map(|seat| seat.cycle(at, &view, settled));
        self.rouse(at, &view, slept, &mut outcomes);
        let (mut set, mut clear, mut write) = (0, 0, PinWrite::default());
        for (seat, outcome) in self.seats.iter().zip(outcomes) {
            self.debug |= outcome.debug << seat.machine.number;
            self.looked |= outcome.looked;
            (set, clear) = (set | outcome.set, clear | outcome.clear);
            // Of two machines the one of the higher number has the pin; what is asserted anew lies below what is written.
            write = write.under(seat.machine.asserted()).under(outcome.write);
        }
        // Of a flag that one sets and another clears the data sheet says nothing: it is set here.
        self.flags = flags & !clear | set;
        if self.flags != flags {
            self.wake();
        }
        self.drive(write);
        self.settle(at);
    }

    /// A machine that stalls asserts its side-set in each of its steps, which tells where another writes the same pins: it has its
    /// step at `at`, if it has one, and goes on with the next. `slept` says which had none at `at` yet.
    fn rouse(&mut self, at: u64, view: &View<'_>, slept: [bool; MACHINES], outcomes: &mut [Outcome; MACHINES]) {
        let written = self.seats.map(|seat| seat.machine.asserted());
        let writes = [0, 1, 2, 3].map(|number: usize| written[number].under(outcomes[number].write));
        for ((seat, outcome), slept) in self.seats.iter_mut().zip(outcomes).zip(slept) {
            if !seat.asleep || !writes.iter().any(|write| seat.machine.side(view).differs(write)) {
                continue;
            }
            seat.asleep = false;
            if slept {
                seat.divider.catch_up(seat.clkdiv, at);
                *outcome = seat.cycle(at, view, true);
                seat.asleep = false;
                seat.divider.catch_up(seat.clkdiv, at + 1);
            }
        }
    }

    fn drive(&mut self, write: PinWrite) {
        let over = |old: u32, new: u32, mask: u32| old & !mask | new;
        self.out = [
            over(self.out[0], write.levels, write.level_mask),
            over(self.out[1], write.directions, write.direction_mask),
        ];
    }

    /// Pads follow in the cycle after `at`, and so does what is asserted all the time.
    fn settle(&mut self, at: u64) {
        let asserted = self.seats.iter().fold(PinWrite::default(), |all, seat| all.under(seat.machine.asserted()));
        let other = |out: u32, new: u32, mask: u32| (out ^ new) & mask != 0;
        let asserts = other(self.out[0], asserted.levels, asserted.level_mask)
            || other(self.out[1], asserted.directions, asserted.direction_mask);
        self.follow = if asserts || self.pads != self.out { at + OUTPUT } else { NEVER };
    }

    /// Something has changed that may end a stall.
    fn wake(&mut self) {
        let now = self.now;
        for seat in self.seats.iter_mut().filter(|seat| seat.asleep) {
            seat.asleep = false;
            seat.divider.catch_up(seat.clkdiv, now + 1);
        }
    }

    /// Lets all happen up to `now`, at which software is going to change something. [`Self::changed`] follows.
    pub fn change(&mut self, now: u64) {
        self.run(now);
        for seat in &mut self.seats {
            seat.divider.catch_up(seat.clkdiv, now + 1);
        }
    }

    /// Software has changed something, which nothing before the next cycle notices.
    pub fn changed(&mut self) {
        self.wake();
        self.settle(self.now);
    }

    /// The pins have the levels `levels` from `now` on.
    pub fn set_pins(&mut self, levels: u32, now: u64) {
        self.input.set(levels, now);
        self.wake();
    }

    /// CLKDIV of a machine is written: it counts from the next period on.
    pub fn set_clkdiv(&mut self, machine: usize, clkdiv: u32) {
        self.seats[machine].clkdiv = clkdiv;
    }

    /// CTRL.CLKDIV_RESTART of a machine: its next pulse comes in the next cycle.
    pub fn restart_divider(&mut self, machine: usize) {
        self.seats[machine].divider = Divider::restarted(self.now + ENABLE);
    }

    /// SM_RESTART of a machine.
    pub fn restart(&mut self, machine: usize) {
        let seat = &mut self.seats[machine];
        seat.machine.restart();
        seat.forced = None;
    }

    /// INSTR of a machine is written.
    pub fn force(&mut self, machine: usize, word: u16) {
        self.seats[machine].forced = Some(word);
    }
}

impl Seat {
    /// Has the machine do its part at `at`. `settled` says if pins will look the same from now on.
    fn cycle(&mut self, at: u64, view: &View<'_>, settled: bool) -> Outcome {
        let pulse = self.enabled && !self.asleep && self.divider.next == at;
        if pulse {
            self.divider.advance(self.clkdiv);
        }
        let outcome = match self.forced.take() {
            Some(word) => self.machine.force(word, view),
            // What stalls of these does not wait for the divider.
            None if self.machine.is_forced() && !self.asleep => self.machine.step(view),
            None if pulse => self.machine.step(view),
            None => return Outcome::default(),
        };
        self.asleep = outcome.stalled && (settled || !outcome.looked) && !self.machine.would_go_on();
        outcome
    }
}
