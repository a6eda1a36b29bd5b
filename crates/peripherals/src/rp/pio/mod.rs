//! Programmable I/O (RP-008371-DS, "PIO"): four state machines over a memory of 32 instructions.
//!
//! The machines themselves are [`core`]. The block runs them ahead on a copy until something happens that others may notice: a pad,
//! the level of a FIFO, a flag of IRQ or of FDEBUG changes. There it has its event, up to which nothing is called. An access, or
//! an edge at a pin that a machine may have looked at, comes before that now and then: then the machines are run up to it from
//! where they were, and ahead anew. So a step costs one or two passes through `machine.rs`, and a change that others notice one event.
//! Machines that only poll have an event every `AHEAD` steps, those that stall none at all.

pub mod core;
mod divider;
mod fifo;
pub mod instruction;
pub mod machine;

pub use self::core::ROWS;

use cyclescope_machine::Pin;
use cyclescope_machine::units::Cycles;

use self::core::{Core, MACHINES, NEVER, Shown};
use self::machine::DEPTH;
use super::registers::{bank, ones};
use crate::{Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Words, Write};

const CTRL: u32 = 0x00;
const FSTAT: u32 = 0x04;
const FDEBUG: u32 = 0x08;
const FLEVEL: u32 = 0x0C;
const TXF: u32 = 0x10;
const RXF: u32 = 0x20;
const IRQ: u32 = 0x30;
const IRQ_FORCE: u32 = 0x34;
const INPUT_SYNC_BYPASS: u32 = 0x38;
const DBG_PADOUT: u32 = 0x3C;
const DBG_PADOE: u32 = 0x40;
const DBG_CFGINFO: u32 = 0x44;
const INSTR_MEM: u32 = 0x48;
/// CLKDIV, EXECCTRL, SHIFTCTRL, ADDR, INSTR and PINCTRL of each machine.
const SM: u32 = 0xC8;
const SM_END: u32 = SM + STRIDE * MACHINES as u32;
const STRIDE: u32 = 0x18;
const INTR: u32 = 0x128;
const INTE: [u32; 2] = [0x12C, 0x138];
const INTF: [u32; 2] = [0x130, 0x13C];
const INTS: [u32; 2] = [0x134, 0x140];

/// The registers of a machine behind its CLKDIV.
const CLKDIV: u32 = 0x00;
const EXECCTRL: u32 = 0x04;
const SHIFTCTRL: u32 = 0x08;
const ADDR: u32 = 0x0C;
const INSTR: u32 = 0x10;
const PINCTRL: u32 = 0x14;
const EXEC_STALLED: u32 = 1 << 31;

/// FDEBUG of the machine 0.
const RX_UNDER: u32 = 1 << 8;
const TX_OVER: u32 = 1 << 16;

/// Steps that machines are run ahead at most.
const AHEAD: u32 = 256;

/// The event at which something changes that others may notice.
const CHANGE: u16 = 0;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The names of the signals at pins.
const SIGNALS: [&str; 30] = [
    "GPIO0", "GPIO1", "GPIO2", "GPIO3", "GPIO4", "GPIO5", "GPIO6", "GPIO7", "GPIO8", "GPIO9", "GPIO10", "GPIO11",
    "GPIO12", "GPIO13", "GPIO14", "GPIO15", "GPIO16", "GPIO17", "GPIO18", "GPIO19", "GPIO20", "GPIO21", "GPIO22",
    "GPIO23", "GPIO24", "GPIO25", "GPIO26", "GPIO27", "GPIO28", "GPIO29",
];

/// The block.
#[derive(Clone, Debug)]
pub struct Pio {
    bank: Bank,
    core: Core,
    /// The machines at the event to come.
    ahead: Option<Core>,
    /// The state that others have been told.
    shown: Shown,
    lines: Lines,
    /// The requests TX and RX of each machine.
    requests: [[DmaRequest; 2]; MACHINES],
}

impl Pio {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let core = Core::new(0, 0);
        let of = |end: &str, bits| {
            let wired = instance.interrupts.iter().find(|wired| wired.signal.ends_with(end));
            wired.map_or(("", bits), |wired| (wired.signal, bits))
        };
        let requests = ["0", "1", "2", "3"]
            .map(|number| ["TX", "RX"].map(|way| DmaRequest::new(instance, &format!("{way}{number}"))));
        Self {
            bank: bank(instance.map, PARTLY),
            core,
            ahead: None,
            shown: core.shown(),
            // The status of the first line lies below that of the second.
            lines: Lines::new(instance, &[of("IRQ_0", 0xFFF), of("IRQ_1", 0xFFF << 16)]),
            requests,
        }
    }

    /// Tells if an edge of a pin may do anything now.
    pub fn listens(&self) -> bool {
        self.core.is_on()
    }

    /// The pins of bank 0 have the levels `levels` now.
    pub fn pins_changed(&mut self, levels: u32, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        self.catch_up(env);
        self.core.set_pins(levels, now);
        match &mut self.ahead {
            // Nobody has looked: the way ahead stays as it is.
            Some(ahead) if !ahead.has_looked() => ahead.set_pins(levels, now),
            _ => self.plan(env),
        }
    }

    /// Brings the machines up to now, and tells others what has changed.
    fn catch_up(&mut self, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        match self.ahead.take_if(|ahead| ahead.now() <= now) {
            Some(ahead) => {
                self.core = ahead;
                self.core.run(now);
                self.plan(env);
            }
            None => drop(self.core.run(now)),
        }
        self.show(env);
    }

    /// Runs a copy ahead up to the next change that others may notice, and has the event there.
    fn plan(&mut self, env: &mut Env<'_, '_>) {
        let mut ahead = self.core;
        ahead.watch();
        let shown = ahead.shown();
        for step in 1..=AHEAD {
            let next = ahead.next();
            if next == NEVER {
                break;
            }
            ahead.cycle(next);
            if step == AHEAD || ahead.shown() != shown {
                self.ahead = Some(ahead);
                let at = env.clocks().at(Cycles::new(next));
                env.schedule(CHANGE, at);
                return;
            }
        }
        self.ahead = None;
        env.cancel(CHANGE);
    }

    /// Tells others what has changed since they were told.
    fn show(&mut self, env: &mut Env<'_, '_>) {
        let shown = self.core.shown();
        let before = std::mem::replace(&mut self.shown, shown);
        if shown == before {
            return;
        }
        let pins = shown.levels ^ before.levels | shown.directions ^ before.directions;
        for pin in (0..SIGNALS.len()).filter(|pin| pins >> pin & 1 != 0) {
            let drives = (before.directions | shown.directions) >> pin & 1 != 0;
            if drives {
                env.effect(Effect::Output { signal: SIGNALS[pin], level: self.level(pin) });
            }
        }
        if shown.fifos != before.fifos {
            self.request(env);
        }
        self.interrupt(env);
    }

    /// The level at which a machine drives a pin, if one does.
    fn level(&self, pin: usize) -> Option<bool> {
        (self.shown.directions >> pin & 1 != 0).then_some(self.shown.levels >> pin & 1 != 0)
    }

    /// Asks for as many transfers as the FIFOs have room and words for.
    fn request(&self, env: &mut Env<'_, '_>) {
        for (seat, requests) in self.core.seats.iter().zip(self.requests) {
            requests[0].credit(seat.machine.tx.room(), env);
            requests[1].credit(seat.machine.rx.level(), env);
        }
    }

    /// INTR.
    fn raw(&self) -> u32 {
        let fifos = self.core.seats.iter().map(|seat| {
            let (rx, tx) = (!seat.machine.rx.is_empty(), !seat.machine.tx.is_full());
            (u32::from(rx) | u32::from(tx) << 4) << seat.machine.number
        });
        fifos.fold(u32::from(self.core.flags & 15) << 8, |all, fifo| all | fifo)
    }

    /// IRQ0_INTS or IRQ1_INTS.
    fn status(&self, line: usize) -> u32 {
        self.raw() & self.bank.get(INTE[line]) | self.bank.get(INTF[line])
    }

    fn interrupt(&self, env: &mut Env<'_, '_>) {
        self.lines.drive(self.status(0) | self.status(1) << 16, env);
    }

    /// The machine and the register of its own at `offset`.
    fn machine_at(offset: u32) -> Option<(usize, u32)> {
        let inside = offset.checked_sub(SM).filter(|_| offset < SM_END)?;
        Some(((inside / STRIDE) as usize, inside % STRIDE))
    }

    /// The machine of the FIFO at `offset`, whose first is at `first`.
    fn fifo_at(offset: u32, first: u32) -> Option<usize> {
        let number = (offset.checked_sub(first)? / 4) as usize;
        (number < MACHINES).then_some(number)
    }

    /// A flag of each machine in four bits from `low` on.
    fn flags_of(&self, low: u32, is: impl Fn(&machine::Machine) -> bool) -> u32 {
        self.core
            .seats
            .iter()
            .fold(0, |all, seat| all | u32::from(is(&seat.machine)) << (low + u32::from(seat.machine.number)))
    }

    fn write_machine(&mut self, machine: usize, register: u32, value: u32) {
        let core = &mut self.core;
        match register {
            CLKDIV => core.set_clkdiv(machine, value),
            EXECCTRL => core.seats[machine].machine.execctrl = value & !EXEC_STALLED,
            SHIFTCTRL => core.seats[machine].machine.set_shiftctrl(value),
            INSTR => core.force(machine, value as u16),
            PINCTRL => core.seats[machine].machine.pinctrl = value,
            _ => {}
        }
    }

    fn control(&mut self, write: Write, value: u32) {
        let commands = write.ones();
        for machine in 0..MACHINES {
            let of = |bits: u32| bits >> machine & 1 != 0;
            self.core.seats[machine].enabled = of(value);
            if of(commands >> 4) {
                self.core.restart(machine);
            }
            if of(commands >> 8) {
                self.core.restart_divider(machine);
            }
        }
    }
}

impl Block<Words> for Pio {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.catch_up(env);
        if let Some((machine, register)) = Self::machine_at(offset) {
            let seat = &self.core.seats[machine].machine;
            return match register {
                EXECCTRL => {
                    self.bank.read(offset, env) & !EXEC_STALLED | if seat.exec_stalled() { EXEC_STALLED } else { 0 }
                }
                ADDR => u32::from(seat.pc),
                INSTR => u32::from(self.core.memory[usize::from(seat.pc)]),
                _ => self.bank.read(offset, env),
            };
        }
        if let Some(machine) = Self::fifo_at(offset, RXF) {
            let now = env.context.now.get();
            self.core.change(now);
            let word = self.core.seats[machine].machine.rx.pull();
            if word.is_none() {
                self.core.debug |= RX_UNDER << machine;
            }
            self.core.changed();
            self.plan(env);
            self.show(env);
            return word.unwrap_or(0);
        }
        match offset {
            FSTAT => {
                self.flags_of(0, |machine| machine.rx.is_full())
                    | self.flags_of(8, |machine| machine.rx.is_empty())
                    | self.flags_of(16, |machine| machine.tx.is_full())
                    | self.flags_of(24, |machine| machine.tx.is_empty())
            }
            FDEBUG => self.core.debug,
            FLEVEL => self.core.seats.iter().rev().fold(0, |all, seat| {
                all << 8 | u32::from(seat.machine.rx.level()) << 4 | u32::from(seat.machine.tx.level())
            }),
            IRQ => u32::from(self.core.flags),
            DBG_PADOUT => self.shown.levels,
            DBG_PADOE => self.shown.directions,
            DBG_CFGINFO => u32::from(DEPTH) | (MACHINES as u32) << 8 | 32 << 16,
            INTR => self.raw(),
            _ if offset == INTS[0] => self.status(0),
            _ if offset == INTS[1] => self.status(1),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        // Whatever else changes a register that is read comes with an event.
        let moves = match Self::machine_at(offset) {
            Some((_, register)) => matches!(register, EXECCTRL | ADDR | INSTR),
            None => Self::fifo_at(offset, RXF).is_some(),
        };
        if moves { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.catch_up(env);
        let now = env.context.now.get();
        self.core.change(now);
        let (_, value) = self.bank.write(offset, write, env);
        match offset {
            CTRL => {
                self.bank.set(CTRL, value & 15);
                self.control(write, value);
                ROWS.iter().for_each(|row| env.wires.note(row));
            }
            FDEBUG => self.core.debug &= !ones(write),
            IRQ => self.core.flags &= !(ones(write) as u8),
            IRQ_FORCE => self.core.flags |= write.ones() as u8,
            INPUT_SYNC_BYPASS => self.core.bypass = value,
            _ => {
                if let Some((machine, register)) = Self::machine_at(offset) {
                    self.write_machine(machine, register, value);
                } else if let Some(machine) = Self::fifo_at(offset, TXF) {
                    if !self.core.seats[machine].machine.tx.push(write.over(0)) {
                        self.core.debug |= TX_OVER << machine;
                    }
                } else if let Some(place) = offset.checked_sub(INSTR_MEM).filter(|_| offset < SM) {
                    self.core.memory[(place / 4) as usize] = write.over(0) as u16;
                }
            }
        }
        self.core.changed();
        self.plan(env);
        self.show(env);
        self.interrupt(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.catch_up(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.cancel_all();
        self.core = Core::new(env.context.now.get(), env.wires.levels[Pin::GPIO as usize]);
        self.ahead = None;
        let before = std::mem::replace(&mut self.shown, self.core.shown());
        for pin in (0..SIGNALS.len()).filter(|pin| before.directions >> pin & 1 != 0) {
            env.effect(Effect::Output { signal: SIGNALS[pin], level: None });
        }
        self.request(env);
        self.interrupt(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        self.level(SIGNALS.iter().position(|known| *known == signal)?)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
