//! A state machine, step by step (RP-008371-DS, PIO, "Instruction Set" and "Functional Details").
//!
//! A step reads everything as it was before, and nothing that it writes reaches its own reads. An IN that would push into a full
//! FIFO shifts nothing before there is room, so that it takes its data when it completes, and an instruction that stalls asserts its
//! side-set in each of its steps; the data sheet does not say.

use super::fifo::Fifo;
use super::instruction::{Condition, Destination, Instruction, Source, WaitFor, count, decode, flag};

/// Bits of EXECCTRL.
const STATUS_SEL: u32 = 1 << 4;
const OUT_STICKY: u32 = 1 << 17;
const INLINE_OUT_EN: u32 = 1 << 18;
const SIDE_PINDIR: u32 = 1 << 29;
const SIDE_EN: u32 = 1 << 30;
/// Bits of SHIFTCTRL.
const AUTOPUSH: u32 = 1 << 16;
const AUTOPULL: u32 = 1 << 17;
const IN_RIGHT: u32 = 1 << 18;
const OUT_RIGHT: u32 = 1 << 19;
const FJOIN_TX: u32 = 1 << 30;
const FJOIN_RX: u32 = 1 << 31;

/// FDEBUG of the machine 0.
pub const RX_STALL: u32 = 1 << 0;
/// See [`RX_STALL`].
pub const TX_STALL: u32 = 1 << 24;

/// Words of a FIFO that has not taken its neighbour's storage.
pub const DEPTH: u8 = 4;

/// Levels and directions of pins that are written, one bit a pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinWrite {
    /// The levels.
    pub levels: u32,
    /// The pins whose level is written.
    pub level_mask: u32,
    /// The directions, 1 for outputs.
    pub directions: u32,
    /// The pins whose direction is written.
    pub direction_mask: u32,
}

impl PinWrite {
    /// A write of the `count` lowest bits of `value` to the pins from `base` on, of directions or levels.
    fn new(directions: bool, value: u32, base: u32, count: u32) -> Self {
        let mask = low(count).rotate_left(base);
        let value = (value & low(count)).rotate_left(base);
        if directions {
            Self { directions: value, direction_mask: mask, ..Self::default() }
        } else {
            Self { levels: value, level_mask: mask, ..Self::default() }
        }
    }

    /// Tells if `other` writes to any of these pins something else.
    pub const fn differs(&self, other: &Self) -> bool {
        (self.levels ^ other.levels) & self.level_mask & other.level_mask != 0
            || (self.directions ^ other.directions) & self.direction_mask & other.direction_mask != 0
    }

    /// This write with `other` over it.
    #[must_use]
    pub const fn under(self, other: Self) -> Self {
        Self {
            levels: self.levels & !other.level_mask | other.levels,
            level_mask: self.level_mask | other.level_mask,
            directions: self.directions & !other.direction_mask | other.directions,
            direction_mask: self.direction_mask | other.direction_mask,
        }
    }
}

/// Returns the `count` lowest bits set; all for 32 and more.
const fn low(count: u32) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

/// The view of a machine in a step.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The instruction memory.
    pub memory: &'a [u16; 32],
    /// The levels of pins that the synchronisers show.
    pub pins: u32,
    /// The flags of IRQ.
    pub flags: u8,
}

/// The result of a step, beside the machine's own state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The pins written.
    pub write: PinWrite,
    /// Flags that are set.
    pub set: u8,
    /// Flags that are cleared.
    pub clear: u8,
    /// FDEBUG of the machine 0.
    pub debug: u32,
    /// The instruction stalls.
    pub stalled: bool,
    /// Pins were looked at.
    pub looked: bool,
}

/// An instruction that comes from elsewhere than the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latched {
    /// The instruction.
    pub word: u16,
    /// It was written to INSTR: it has no delay and does not wait for the divider.
    pub forced: bool,
    /// It has begun and stalls.
    pub stalled: bool,
}

/// A state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its number in its block.
    pub number: u8,
    /// EXECCTRL.
    pub execctrl: u32,
    /// SHIFTCTRL.
    pub shiftctrl: u32,
    /// PINCTRL.
    pub pinctrl: u32,
    /// The program counter.
    pub pc: u8,
    /// The scratch registers.
    pub x: u32,
    /// See [`Self::x`].
    pub y: u32,
    /// The input shift register, and the bits shifted into it.
    pub isr: u32,
    /// See [`Self::isr`].
    pub isr_count: u8,
    /// The output shift register, and the bits shifted out of it.
    pub osr: u32,
    /// See [`Self::osr`].
    pub osr_count: u8,
    /// The FIFO from the system.
    pub tx: Fifo,
    /// The FIFO to the system.
    pub rx: Fifo,
    /// Cycles of delay that are left.
    pub delay: u8,
    /// The instruction that comes next instead of the memory's.
    pub latched: Option<Latched>,
    /// The present instruction has begun in an earlier step.
    begun: bool,
    /// The latest write of OUT or SET, for OUT_STICKY.
    sticky: PinWrite,
    /// See [`Self::would_go_on`].
    goes_on: bool,
}

/// The way on behind an instruction.
enum Next {
    /// The instruction behind it, or the wrap's.
    Follow,
    /// The instruction at this address.
    Jump(u8),
    /// The same again: it stalls.
    Stall,
}

impl Machine {
    /// The machine of this number after reset.
    pub fn new(number: u8) -> Self {
        Self {
            number,
            execctrl: 0x1F << 12,
            shiftctrl: IN_RIGHT | OUT_RIGHT,
            pinctrl: 5 << 26,
            pc: 0,
            x: 0,
            y: 0,
            isr: 0,
            isr_count: 0,
            osr: 0,
            osr_count: 32,
            tx: Fifo::new(DEPTH),
            rx: Fifo::new(DEPTH),
            delay: 0,
            latched: None,
            begun: false,
            sticky: PinWrite::default(),
            goes_on: false,
        }
    }

    /// CTRL.SM_RESTART: forgets what is under way.
    pub fn restart(&mut self) {
        (self.isr, self.isr_count, self.osr_count, self.delay) = (0, 0, 32, 0);
        (self.latched, self.begun, self.sticky) = (None, false, PinWrite::default());
    }

    /// SHIFTCTRL is written: FIFOs whose storage moves are emptied.
    pub fn set_shiftctrl(&mut self, value: u32) {
        let joins = FJOIN_TX | FJOIN_RX;
        if (value ^ self.shiftctrl) & joins != 0 {
            let depths = match value & joins {
                0 => [DEPTH, DEPTH],
                FJOIN_TX => [2 * DEPTH, 0],
                FJOIN_RX => [0, 2 * DEPTH],
                _ => [0, 0],
            };
            [self.tx, self.rx] = depths.map(Fifo::new);
        }
        self.shiftctrl = value;
    }

    /// INSTR is written: `word` comes next. An instruction that stalls there is given up, and an executee that has not begun comes
    /// after it.
    pub fn force(&mut self, word: u16, view: &View<'_>) -> Outcome {
        let waiting = self.latched.take().filter(|latched| !latched.stalled);
        let (begun, pc) = (std::mem::take(&mut self.begun), self.pc);
        self.latched = Some(Latched { word, forced: true, stalled: false });
        let outcome = self.execute(view);
        if self.latched.is_none() {
            (self.latched, self.begun) = (waiting, begun && self.pc == pc);
        }
        outcome
    }

    /// Tells if an instruction that was written to INSTR stalls.
    pub fn is_forced(&self) -> bool {
        self.latched.is_some_and(|latched| latched.forced)
    }

    /// EXECCTRL.EXEC_STALLED.
    pub fn exec_stalled(&self) -> bool {
        self.latched.is_some_and(|latched| latched.stalled)
    }

    /// The pins that OUT_STICKY asserts now.
    pub fn asserted(&self) -> PinWrite {
        if self.execctrl & OUT_STICKY != 0 { self.sticky } else { PinWrite::default() }
    }

    fn pull_threshold(&self) -> u8 {
        count(self.shiftctrl >> 25)
    }

    fn push_threshold(&self) -> u8 {
        count(self.shiftctrl >> 20)
    }

    fn pulls_by_itself(&self) -> bool {
        self.shiftctrl & AUTOPULL != 0
    }

    fn is_osr_empty(&self) -> bool {
        self.osr_count >= self.pull_threshold()
    }

    /// Tells if the machine, which stalls, may go on at its next step without anything else happening: behind a refill, and with a
    /// flag that it sees in the next cycle only.
    pub fn would_go_on(&self) -> bool {
        self.goes_on
    }

    /// Bits of the delay and side-set field that are side-set, with the enable bit.
    fn side_bits(&self) -> u32 {
        (self.pinctrl >> 29).min(5)
    }

    /// A cycle of the machine's clock.
    pub fn step(&mut self, view: &View<'_>) -> Outcome {
        if self.delay > 0 && self.latched.is_none_or(|latched| !latched.forced) {
            self.delay -= 1;
            self.refill();
            return Outcome::default();
        }
        self.execute(view)
    }

    /// "On non-OUT cycles": an empty output shift register is refilled.
    fn refill(&mut self) {
        if self.pulls_by_itself()
            && self.is_osr_empty()
            && let Some(word) = self.tx.pull()
        {
            (self.osr, self.osr_count) = (word, 0);
        }
    }

    fn execute(&mut self, view: &View<'_>) -> Outcome {
        let word = self.word(view);
        let instruction = decode(word);
        let mut outcome = Outcome::default();
        let executee = self.latched;
        self.goes_on = false;
        let next = self.run(instruction, view, &mut outcome);
        self.begun = matches!(next, Next::Stall);
        outcome.write = outcome.write.under(self.side_set(word));
        // OUT and the refill that goes with it have been seen to.
        if !matches!(instruction, Instruction::Out(..)) {
            self.refill();
        }
        let jumped = match next {
            Next::Stall => {
                if let Some(latched) = &mut self.latched {
                    latched.stalled = true;
                }
                outcome.stalled = true;
                return outcome;
            }
            Next::Follow => None,
            Next::Jump(target) => Some(target),
        };
        let executes =
            matches!(instruction, Instruction::Out(Destination::Exec, _) | Instruction::Mov(Destination::Exec, ..));
        // An executee that has just been latched stays.
        if !executes {
            self.latched = None;
        }
        match (jumped, executee) {
            (Some(target), _) => self.pc = target & 31,
            (None, Some(_)) => {}
            (None, None) => {
                let (bottom, top) = (self.execctrl >> 7 & 31, self.execctrl >> 12 & 31);
                self.pc = if u32::from(self.pc) == top { bottom as u8 } else { (self.pc + 1) & 31 };
            }
        }
        if !executes && executee.is_none_or(|latched| !latched.forced) {
            self.delay = (u32::from(word) >> 8 & low(5 - self.side_bits())) as u8;
        }
        outcome
    }

    /// The instruction that comes next.
    fn word(&self, view: &View<'_>) -> u16 {
        self.latched.map_or(view.memory[usize::from(self.pc & 31)], |latched| latched.word)
    }

    /// The side-set of the instruction that comes next, which it asserts in each step while it stalls.
    pub fn side(&self, view: &View<'_>) -> PinWrite {
        self.side_set(self.word(view))
    }

    /// The side-set of the instruction `word`.
    fn side_set(&self, word: u16) -> PinWrite {
        let bits = self.side_bits();
        let field = (u32::from(word) >> 8 & 31) >> (5 - bits);
        let optional = self.execctrl & SIDE_EN != 0 && bits > 0;
        if bits == 0 || optional && field >> (bits - 1) & 1 == 0 {
            return PinWrite::default();
        }
        let data = bits - u32::from(optional);
        PinWrite::new(self.execctrl & SIDE_PINDIR != 0, field, self.pinctrl >> 10 & 31, data)
    }

    /// Has `instruction` do all but its side-set, delay and way on.
    fn run(&mut self, instruction: Instruction, view: &View<'_>, outcome: &mut Outcome) -> Next {
        match instruction {
            Instruction::Jmp(condition, target) => {
                if self.holds(condition, view, outcome) {
                    return Next::Jump(target);
                }
            }
            Instruction::Wait(high, source) => {
                let level = match source {
                    WaitFor::Gpio(pin) => {
                        outcome.looked = true;
                        view.pins >> pin & 1 != 0
                    }
                    WaitFor::Pin(pin) => {
                        outcome.looked = true;
                        self.inputs(view) >> pin & 1 != 0
                    }
                    WaitFor::Irq(index) => view.flags >> flag(index, self.number) & 1 != 0,
                    WaitFor::Reserved => high,
                };
                if level != high {
                    return Next::Stall;
                }
                if let WaitFor::Irq(index) = source
                    && high
                {
                    outcome.clear |= 1 << flag(index, self.number);
                }
            }
            Instruction::In(source, bits) => return self.shift_in(source, bits, view, outcome),
            Instruction::Out(destination, bits) => return self.shift_out(destination, bits, outcome),
            Instruction::Push { if_full, block } => {
                if if_full && self.isr_count < self.push_threshold() {
                    return Next::Follow;
                }
                if !self.rx.push(self.isr) {
                    outcome.debug |= RX_STALL;
                    if block {
                        return Next::Stall;
                    }
                }
                (self.isr, self.isr_count) = (0, 0);
            }
            Instruction::Pull { if_empty, block } => {
                // With autopull a PULL of a full register does nothing, too.
                if (if_empty || self.pulls_by_itself()) && !self.is_osr_empty() {
                    return Next::Follow;
                }
                match self.tx.pull() {
                    Some(word) => self.osr = word,
                    None if block => {
                        outcome.debug |= TX_STALL;
                        return Next::Stall;
                    }
                    None => self.osr = self.x,
                }
                self.osr_count = 0;
            }
            Instruction::Mov(destination, operation, source) => {
                let value = operation.of(self.read(source, view, outcome));
                return self.write(destination, value, outcome);
            }
            Instruction::Irq { clear: true, index, .. } => outcome.clear |= 1 << flag(index, self.number),
            Instruction::Irq { clear: false, wait, index } => {
                let bit = 1 << flag(index, self.number);
                if !self.begun {
                    outcome.set |= bit;
                }
                if wait && (!self.begun || view.flags & bit != 0) {
                    self.goes_on = !self.begun;
                    return Next::Stall;
                }
            }
            Instruction::Set(destination, data) => match destination {
                Destination::Pins | Destination::PinDirs => {
                    let directions = destination == Destination::PinDirs;
                    let counted = (self.pinctrl >> 26 & 7).min(5);
                    self.drive(PinWrite::new(directions, data.into(), self.pinctrl >> 5 & 31, counted), outcome);
                }
                _ => return self.write(destination, data.into(), outcome),
            },
        }
        Next::Follow
    }

    fn holds(&mut self, condition: Condition, view: &View<'_>, outcome: &mut Outcome) -> bool {
        match condition {
            Condition::Always => true,
            Condition::XZero => self.x == 0,
            Condition::YZero => self.y == 0,
            Condition::XDecrement => {
                self.x = self.x.wrapping_sub(1);
                self.x != u32::MAX
            }
            Condition::YDecrement => {
                self.y = self.y.wrapping_sub(1);
                self.y != u32::MAX
            }
            Condition::XNotY => self.x != self.y,
            Condition::Pin => {
                outcome.looked = true;
                view.pins >> (self.execctrl >> 24 & 31) & 1 != 0
            }
            Condition::OsrNotEmpty => !self.is_osr_empty(),
        }
    }

    /// The pins from IN_BASE on.
    fn inputs(&self, view: &View<'_>) -> u32 {
        view.pins.rotate_right(self.pinctrl >> 15 & 31)
    }

    fn read(&self, source: Source, view: &View<'_>, outcome: &mut Outcome) -> u32 {
        match source {
            Source::Pins => {
                outcome.looked = true;
                self.inputs(view)
            }
            Source::X => self.x,
            Source::Y => self.y,
            Source::Null | Source::Reserved => 0,
            Source::Status => {
                let fifo = if self.execctrl & STATUS_SEL == 0 { &self.tx } else { &self.rx };
                if u32::from(fifo.level()) < self.execctrl & 15 { u32::MAX } else { 0 }
            }
            Source::Isr => self.isr,
            Source::Osr => self.osr,
        }
    }

    /// Writes `value`, the data of a MOV, SET or OUT.
    fn write(&mut self, destination: Destination, value: u32, outcome: &mut Outcome) -> Next {
        match destination {
            Destination::Pins | Destination::PinDirs => {
                let directions = destination == Destination::PinDirs;
                let counted = self.pinctrl >> 20 & 63;
                self.drive(PinWrite::new(directions, value, self.pinctrl & 31, counted), outcome);
            }
            Destination::X => self.x = value,
            Destination::Y => self.y = value,
            Destination::Null | Destination::Reserved => {}
            Destination::Pc => return Next::Jump(value as u8 & 31),
            Destination::Isr => (self.isr, self.isr_count) = (value, 0),
            Destination::Osr => (self.osr, self.osr_count) = (value, 0),
            Destination::Exec => {
                self.latched = Some(Latched { word: value as u16, forced: false, stalled: false });
            }
        }
        Next::Follow
    }

    /// OUT, SET or MOV writes pins.
    fn drive(&mut self, write: PinWrite, outcome: &mut Outcome) {
        outcome.write = write;
        self.sticky = write;
    }

    fn shift_in(&mut self, source: Source, bits: u8, view: &View<'_>, outcome: &mut Outcome) -> Next {
        let counted = (self.isr_count + bits).min(32);
        let pushes = self.shiftctrl & AUTOPUSH != 0 && counted >= self.push_threshold();
        let data = self.read(source, view, outcome) & low(bits.into());
        if pushes && self.rx.is_full() {
            outcome.debug |= RX_STALL;
            return Next::Stall;
        }
        let shifted = |by: u32, left: bool| match (by, left) {
            (32.., _) => 0,
            (_, true) => self.isr << by,
            (_, false) => self.isr >> by,
        };
        let bits = u32::from(bits);
        self.isr = if self.shiftctrl & IN_RIGHT != 0 {
            shifted(bits, false) | data << (32 - bits)
        } else {
            shifted(bits, true) | data
        };
        self.isr_count = counted;
        if pushes {
            self.rx.push(self.isr);
            (self.isr, self.isr_count) = (0, 0);
        }
        Next::Follow
    }

    fn shift_out(&mut self, destination: Destination, bits: u8, outcome: &mut Outcome) -> Next {
        if self.pulls_by_itself() && self.is_osr_empty() {
            match self.tx.pull() {
                Some(word) => {
                    (self.osr, self.osr_count) = (word, 0);
                    self.goes_on = true;
                }
                None => outcome.debug |= TX_STALL,
            }
            return Next::Stall;
        }
        let by = u32::from(bits);
        let data = if self.shiftctrl & OUT_RIGHT != 0 {
            let data = self.osr & low(by);
            self.osr = self.osr.checked_shr(by).unwrap_or(0);
            data
        } else {
            let data = self.osr.checked_shr(32 - by).unwrap_or(0);
            self.osr = self.osr.checked_shl(by).unwrap_or(0);
            data
        };
        self.osr_count = (self.osr_count + bits).min(32);
        self.refill();
        match destination {
            Destination::Pins | Destination::PinDirs if self.execctrl & INLINE_OUT_EN != 0 => {
                if data >> (self.execctrl >> 19 & 31) & 1 != 0 {
                    return self.write(destination, data, outcome);
                }
                // Deasserts the latest write.
                self.sticky = PinWrite::default();
                Next::Follow
            }
            Destination::Isr => {
                (self.isr, self.isr_count) = (data, bits);
                Next::Follow
            }
            _ => self.write(destination, data, outcome),
        }
    }
}
