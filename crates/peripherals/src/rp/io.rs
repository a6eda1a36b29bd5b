//! User bank of I/O (RP-008371-DS, "GPIO"): the function of each pin, overrides, and the interrupts of edges and levels.
//!
//! The port joins what others know: the pads' pulls and enables ([`Message::Pad`]), and the outputs of the processors'
//! single-cycle I/O ([`Message::SioOutputs`]). Drive strength, slew rate and the Schmitt trigger take no time.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{Pin, TimingRow};

use super::Message;
use super::oscillators::{Made, Output};
use super::registers::{bank, ones};
use crate::pins::{Pins, Roles};
use crate::synchroniser::Edges;
use crate::{
    Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Pll, Port, Source, Tree, Words, Write,
};

/// Pins of the bank.
pub const PINS: u8 = 30;
/// The pins that exist, one bit each.
pub(super) const EXISTING: u32 = (1 << PINS) - 1;

/// Registers of eight pins each, four bits a pin: raw interrupts, and enables, forces and status of the first processor.
const INTR: u32 = 0xF0;
const INTR_END: u32 = 0x100;
const PROC0_INTE: u32 = 0x100;
const PROC0_INTF: u32 = 0x110;
const PROC0_INTS: u32 = 0x120;
const PROC1_INTE: u32 = 0x130;
const PROC1_INTF: u32 = 0x140;
const PROC1_INTS: u32 = 0x150;
const PROC1_END: u32 = 0x160;
/// The same for what wakes dormant oscillators.
const DORMANT_INTE: u32 = 0x160;
const DORMANT_INTF: u32 = 0x170;
const DORMANT_INTS: u32 = 0x180;
const DORMANT_END: u32 = 0x190;

/// The functions of FUNCSEL whose pins are open drains.
const I2C: u32 = 3;
/// The functions of FUNCSEL that are not a peripheral's.
const SIO: u32 = 5;
const NULL: u32 = 31;

/// The function of clock inputs, and their pins.
const CLOCK: u32 = 8;
const CLOCK_INPUTS: [(u8, Made); 2] = [(20, Made::Gpin0), (22, Made::Gpin1)];

/// Bits of a pin in INTR.
const LEVEL_LOW: u32 = 1;
const LEVEL_HIGH: u32 = 2;
const EDGE_LOW: u32 = 4;
const EDGE_HIGH: u32 = 8;
/// The edges of eight pins.
const EDGES: u32 = 0xCCCC_CCCC;

/// Pads: PUE, IE, OD.
const PULL_UP: u32 = 1 << 3;
const INPUT_ENABLE: u32 = 1 << 6;
const OUTPUT_DISABLE: u32 = 1 << 7;
/// A pad after reset.
const PAD: u32 = 0x56;

/// The event at which edges of pins have passed the synchroniser.
const ARRIVED: u16 = 0;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of an input's way.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "io.synchroniser",
    "flip-flops of the system clock between a pin and the processors' view of it, interrupts included",
    2,
    "RP-008371-DS names the synchronisers of GPIO inputs (SYSCFG_PROC_IN_SYNC_BYPASS) without their depth; two as in PIO",
)];

/// The row of the synchroniser.
pub(super) static SYNCHRONISER: &TimingRow = &ROWS[0];

/// The port.
#[derive(Clone, Debug)]
pub struct IoBank {
    bank: Bank,
    pins: Pins,
    pads: [u32; PINS as usize],
    /// The processors' outputs and output enables.
    sio: (u32, u32),
    /// Pins that peripherals drive, and those that they drive high.
    driven: (u32, u32),
    edges: Edges,
    lines: [Lines; 2],
    /// An oscillator is dormant.
    dormant: bool,
    /// The clocks that clock inputs have from outside.
    clocks: [Option<Hertz>; 2],
}

impl IoBank {
    /// The bank after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            pins: Pins::of(Pin::GPIO),
            pads: [PAD; PINS as usize],
            sio: (0, 0),
            driven: (0, 0),
            edges: Edges::new(Source::Hclk, SYNCHRONISER, ARRIVED),
            lines: [0, 1].map(|core| Lines::new(instance, &[("IO_IRQ_BANK0", 1)]).to_core(core)),
            dormant: false,
            clocks: [None; 2],
        }
    }

    /// The pad of `pin` has the settings `value`.
    pub fn set_pad(&mut self, pin: u8, value: u32, env: &mut Env<'_, '_>) {
        if let Some(pad) = self.pads.get_mut(usize::from(pin)) {
            *pad = value;
            self.settle(env);
            self.take_clocks(env);
        }
    }

    /// The processors drive `out` where `enabled` has bits.
    pub fn set_sio(&mut self, out: u32, enabled: u32, env: &mut Env<'_, '_>) {
        self.sio = (out, enabled);
        self.settle(env);
    }

    /// GPIOx_CTRL of `pin`.
    fn control(&self, pin: u8) -> u32 {
        self.bank.get(8 * u32::from(pin) + 4)
    }

    fn function(&self, pin: u8) -> u32 {
        self.control(pin) & 31
    }

    /// The pins, one bit each, of which `is` says so.
    fn those(&self, is: impl Fn(u8) -> bool) -> u32 {
        (0..PINS).filter(|pin| is(*pin)).fold(0, |bits, pin| bits | 1 << pin)
    }

    /// The level and the enable that reach the pad of `pin` from its function, and those after the overrides.
    fn output(&self, pin: u8) -> [(bool, bool); 2] {
        let bit = |(high, enabled): (u32, u32)| (high >> pin & 1 != 0, enabled >> pin & 1 != 0);
        let from = match self.function(pin) {
            SIO => bit(self.sio),
            NULL => (false, false),
            // It pulls its lines low, and lets them go for a one.
            I2C => (false, self.driven.0 & !self.driven.1 & 1 << pin != 0),
            _ => bit((self.driven.1, self.driven.0)),
        };
        let over = |value: bool, low: u32| match self.control(pin) >> low & 3 {
            0 => value,
            1 => !value,
            forced => forced == 3,
        };
        [from, (over(from.0, 8), over(from.1, 12))]
    }

    /// The level of `pin` as its pad's input has it.
    fn at_pad(&self, pin: u8) -> bool {
        self.pads[usize::from(pin)] & INPUT_ENABLE != 0 && self.pins.level >> pin & 1 != 0
    }

    /// The levels as peripherals see them, INOVER included.
    fn inputs(&self) -> u32 {
        self.those(|pin| match self.control(pin) >> 16 & 3 {
            0 => self.at_pad(pin),
            1 => !self.at_pad(pin),
            forced => forced == 3,
        })
    }

    /// The levels as the interrupts see them, IRQOVER included.
    fn interrupting(&self) -> u32 {
        self.those(|pin| match self.control(pin) >> 28 & 3 {
            0 => self.at_pad(pin),
            1 => !self.at_pad(pin),
            forced => forced == 3,
        })
    }

    /// Works out the levels and tells who listens.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let before = (self.inputs(), self.interrupting());
        let outputs: Vec<(bool, bool)> = (0..PINS).map(|pin| self.output(pin)[1]).collect();
        let of = |pin: u8| outputs[usize::from(pin)];
        let pad = |pin: u8| self.pads[usize::from(pin)];
        let roles = Roles {
            output: self.those(|pin| of(pin).1 && pad(pin) & OUTPUT_DISABLE == 0),
            alternate: 0,
            open_drain: 0,
            analog: self.those(|pin| pad(pin) & INPUT_ENABLE == 0),
            pulled: self.those(|pin| pad(pin) & PULL_UP != 0),
        };
        let data = self.those(|pin| of(pin).0);
        self.pins.settle(data, &roles, env);
        let (inputs, interrupting) = (self.inputs(), self.interrupting());
        if inputs != before.0 {
            env.effect(Effect::Rp(Message::SioInputs { levels: inputs }));
        }
        let changed = interrupting ^ before.1;
        self.edges.push((changed & interrupting).into(), (changed & !interrupting).into(), env);
        self.look_for_wake(changed & interrupting, changed & !interrupting, env);
    }

    /// An oscillator is dormant from now on, unless what wakes it is there already.
    pub fn await_wake(&mut self, env: &mut Env<'_, '_>) {
        self.dormant = true;
        let (rose, fell) = self.edges.on_their_way();
        self.look_for_wake(rose as u32, fell as u32, env);
    }

    /// While an oscillator is dormant, the levels and the edges of the pins that `rose` and `fell` may wake it, without any clock.
    fn look_for_wake(&mut self, rose: u32, fell: u32, env: &mut Env<'_, '_>) {
        let flags = |index: u32| {
            let of = |place: u32| {
                let has = |edges: u32| edges >> ((8 * index + place) & 31) & 1 != 0;
                u32::from(has(rose)) * EDGE_HIGH + u32::from(has(fell)) * EDGE_LOW
            };
            (0..8).fold(0, |flags, place| flags | of(place) << (4 * place))
        };
        let enabled = |index: u32| self.bank.get(DORMANT_INTE + 4 * index) & flags(index);
        let wakes = |index: u32| self.status(DORMANT_INTE, DORMANT_INTF, index) | enabled(index) != 0;
        if self.dormant && (0..4).any(wakes) {
            self.dormant = false;
            env.effect(Effect::Rp(Message::DormantWake));
        }
    }

    /// Clocks from outside reach the clock inputs that pins with an enabled input are switched to, or no longer.
    fn take_clocks(&mut self, env: &mut Env<'_, '_>) {
        for (index, (pin, made)) in CLOCK_INPUTS.into_iter().enumerate() {
            let switched = self.function(pin) == CLOCK && self.pads[usize::from(pin)] & INPUT_ENABLE != 0;
            let clock = env.take_clock(Pin { port: Pin::GPIO, number: pin }, switched);
            if self.clocks[index] != clock {
                self.clocks[index] = clock;
                let output = clock.map(|clock| Output { pll: Pll::unity(clock), divider: 1 });
                env.effect(Effect::Rp(Message::Oscillator { made, output }));
            }
        }
    }

    /// Raw interrupts of the eight pins of the register `index`.
    fn raw(&self, index: u32) -> u32 {
        let levels = self.interrupting();
        (0..8).fold(self.bank.get(INTR + 4 * index) & EDGES, |raw, place| {
            let pin = 8 * index + place;
            let level = if levels >> (pin & 31) & 1 != 0 { LEVEL_HIGH } else { LEVEL_LOW };
            if pin < u32::from(PINS) { raw | level << (4 * place) } else { raw }
        })
    }

    /// INTS of a processor from the registers at `enable` and `force`.
    fn status(&self, enable: u32, force: u32, index: u32) -> u32 {
        self.raw(index) & self.bank.get(enable + 4 * index) | self.bank.get(force + 4 * index)
    }

    /// Drives the interrupt lines of both processors.
    fn drive(&mut self, env: &mut Env<'_, '_>) {
        for (lines, (enable, force)) in self.lines.iter().zip([(PROC0_INTE, PROC0_INTF), (PROC1_INTE, PROC1_INTF)]) {
            let raised = (0..4).any(|index| self.status(enable, force, index) != 0);
            lines.drive(raised.into(), env);
        }
    }
}

impl Port for IoBank {
    fn port(&self) -> u8 {
        Pin::GPIO
    }

    fn levels(&self) -> u32 {
        self.pins.level
    }

    fn held(&self, pin: u8) -> Option<bool> {
        let bit = 1 << (pin & 31);
        (self.pins.held & bit != 0).then_some(self.pins.level & bit != 0)
    }

    fn pins(&self) -> u8 {
        PINS
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        pin < PINS && self.function(pin) == u32::from(function)
    }

    fn senses(&self, pin: u8) -> bool {
        let (index, low) = (u32::from(pin) / 8 * 4, u32::from(pin) % 8 * 4);
        [PROC0_INTE, PROC1_INTE, DORMANT_INTE].iter().any(|enable| self.bank.get(enable + index) >> low & 15 != 0)
    }

    fn driven(&self, pin: u8) -> Option<bool> {
        self.pins.driven(pin)
    }

    fn pulls_up(&self, pin: u8) -> bool {
        self.pins.pulls_up(pin)
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.apply(pin, high);
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        let bit = 1 << (pin & 31);
        let (pins, levels) = self.driven;
        let driven = (
            if high.is_some() { pins | bit } else { pins & !bit },
            if high == Some(true) { levels | bit } else { levels & !bit },
        );
        if self.driven != driven {
            self.driven = driven;
            self.settle(env);
        }
    }
}

impl Block<Words> for IoBank {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            0..INTR if offset & 4 == 0 => {
                let pin = (offset / 8) as u8;
                let [(from, enabled), (to, drives)] = self.output(pin);
                let flag = |level: bool, bit: u32| u32::from(level) << bit;
                let (input, pad) = (self.inputs() >> pin & 1 != 0, self.at_pad(pin));
                let (raw, shift) = (self.raw(u32::from(pin) / 8), u32::from(pin) % 8 * 4);
                let asks = raw & self.bank.get(PROC0_INTE + u32::from(pin) / 8 * 4);
                let raised = |bits: u32| bits >> shift & 15 != 0;
                flag(from, 8)
                    | flag(to, 9)
                    | flag(enabled, 12)
                    | flag(drives, 13)
                    | flag(pad, 17)
                    | flag(input, 19)
                    | flag(raised(raw & EDGES), 24)
                    | flag(raised(asks), 26)
            }
            INTR..INTR_END => self.raw((offset - INTR) / 4),
            PROC0_INTS..PROC1_INTE => self.status(PROC0_INTE, PROC0_INTF, (offset - PROC0_INTS) / 4),
            DORMANT_INTS..DORMANT_END => self.status(DORMANT_INTE, DORMANT_INTF, (offset - DORMANT_INTS) / 4),
            PROC1_INTS..PROC1_END => self.status(PROC1_INTE, PROC1_INTF, (offset - PROC1_INTS) / 4),
            _ => self.bank.read(offset, env),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let INTR..INTR_END = offset {
            self.bank.flag(offset, ones(write) & EDGES, false);
            return self.drive(env);
        }
        let (old, new) = self.bank.write(offset, write, env);
        if offset < INTR {
            self.settle(env);
            if (old ^ new) & 31 != 0 {
                self.take_clocks(env);
                env.effect(Effect::PinsSwitched { port: Pin::GPIO });
            }
        }
        self.look_for_wake(0, 0, env);
        self.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        for pin in 0..u32::from(PINS) {
            let (rises, falls) = (rose >> pin & 1 != 0, fell >> pin & 1 != 0);
            let flags = if rises { EDGE_HIGH } else { 0 } | if falls { EDGE_LOW } else { 0 };
            self.bank.flag(INTR + pin / 8 * 4, flags << (pin % 8 * 4), true);
        }
        self.look_for_wake(0, 0, env);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.edges.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.edges.refine(times);
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        // Status and raw interrupts change with pins alone, which are events.
        self.bank.still(offset)
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.driven = (0, 0);
        self.take_clocks(env);
        self.edges.reset(env);
        self.settle(env);
        self.edges.reset(env);
        self.drive(env);
        env.effect(Effect::PinsSwitched { port: Pin::GPIO });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
