//! Port control and interrupts of one port (K20P64M72SF1RM, "Port control and interrupts (PORT)"): what each pin is
//! used for, its pull resistor, and which edges or levels interrupt.
//!
//! DMA requests by pins, filters, slew rate and drive strength are stored; the first is named when used.

use cyclescope_machine::GapKind;

use crate::bank::{all, some};
use crate::pins::port_of;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Words, Write};

use super::PinRoles;
use super::registers::bank;

const GPCLR: u32 = 0x80;
const GPCHR: u32 = 0x84;
const ISFR: u32 = 0xA0;

/// The functions (MUX) of a pin that is off or analog, and of one that is GPIO.
const OFF: u32 = 0;
const GPIO: u32 = 1;

const PS: u32 = 1 << 0;
const PE: u32 = 1 << 1;
const ODE: u32 = 1 << 5;
const LK: u32 = 1 << 15;
const ISF: u32 = 1 << 24;

/// The modelled registers: those of the pins and the flags. The values after reset are the description's. The pins of
/// the debug port on port A are set on top ("Signal Multiplexing and Pin Assignments": JTAG and NMI on PTA0 to PTA4).
pub const MODEL: &[Modelled] = &[all("ISFR", 0), all("GPCLR", 0), all("GPCHR", 0), some("DFER", 0, &[])];

/// PCR of the debug port's pins after reset: MUX 7 with a pull resistor, up but for the clock's.
const DEBUG_PINS: [u32; 5] = [0x0702, 0x0703, 0x0700, 0x0703, 0x0703];

/// One port's control.
#[derive(Clone, Debug)]
pub struct PortControl {
    bank: Bank,
    lines: Lines,
    port: u8,
    /// The pins' levels as they were last told.
    level: u32,
}

impl PortControl {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        const PINS: [&str; 32] = [
            "PCR0", "PCR1", "PCR2", "PCR3", "PCR4", "PCR5", "PCR6", "PCR7", "PCR8", "PCR9", "PCR10", "PCR11", "PCR12",
            "PCR13", "PCR14", "PCR15", "PCR16", "PCR17", "PCR18", "PCR19", "PCR20", "PCR21", "PCR22", "PCR23", "PCR24",
            "PCR25", "PCR26", "PCR27", "PCR28", "PCR29", "PCR30", "PCR31",
        ];
        let port = port_of(instance);
        let pins = PINS.iter().enumerate().map(|(pin, name)| {
            let reset = if port == 0 { DEBUG_PINS.get(pin).copied().unwrap_or(0) } else { 0 };
            all(name, reset)
        });
        let model: Vec<Modelled> = pins.chain(MODEL.iter().copied()).collect();
        Self { bank: bank(instance.map, &model), lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]), port, level: 0 }
    }

    /// The port: 0 for A.
    pub fn port(&self) -> u8 {
        self.port
    }

    fn pcr(&self, pin: u32) -> u32 {
        self.bank.get(pin * 4)
    }

    /// Returns the pin settings that the registers hold.
    pub fn roles(&self) -> PinRoles {
        let mut settings = PinRoles::default();
        for pin in 0..32 {
            let pcr = self.pcr(pin);
            let (function, roles) = (pcr >> 8 & 7, &mut settings.roles);
            settings.functions |= u128::from(function) << (pin * 4);
            let used = match function {
                OFF => &mut roles.analog,
                GPIO => &mut roles.output,
                _ => &mut roles.alternate,
            };
            *used |= 1 << pin;
            let bit = |set: u32| u32::from(pcr & set == set) << pin;
            roles.pulled |= bit(PE | PS);
            roles.open_drain |= bit(ODE);
        }
        settings
    }

    /// True if an edge or a level of `pin` interrupts.
    pub fn listens(&self, pin: u8) -> bool {
        self.pcr(u32::from(pin & 31)) >> 16 & 15 != 0
    }

    /// A pin's level changed.
    pub fn edge(&mut self, pin: u8, high: bool, env: &mut Env<'_, '_>) {
        let (pin, bit) = (u32::from(pin & 31), 1 << (pin & 31));
        self.level = if high { self.level | bit } else { self.level & !bit };
        // PCR.IRQC: 1001 rising, 1010 falling, 1011 both; the levels are looked at in `settle`.
        let caught = match self.pcr(pin) >> 16 & 15 {
            1..=3 => {
                env.gap(GapKind::Setting, format_args!("PORT_PCR.IRQC: DMA requests by pins are not modelled"));
                false
            }
            9 => high,
            10 => !high,
            11 => true,
            _ => false,
        };
        if caught {
            self.bank.flag(ISFR, bit, true);
        }
        self.settle(env);
    }

    /// Sets the flags of pins that interrupt while at a level, mirrors the flags into PCR and drives the line.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        for pin in 0..32 {
            let high = self.level & 1 << pin != 0;
            if matches!((self.pcr(pin) >> 16 & 15, high), (8, false) | (12, true)) {
                self.bank.flag(ISFR, 1 << pin, true);
            }
            let pending = self.bank.get(ISFR) & 1 << pin != 0;
            self.bank.flag(pin * 4, ISF, pending);
        }
        self.lines.drive(self.bank.get(ISFR), env);
    }

    fn control(&mut self, pin: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(pin * 4, write, env);
        if write.ones() & ISF != 0 {
            self.bank.flag(ISFR, 1 << pin, false);
        }
        // A locked pin keeps the lower half until reset ("Pin Control Register n", LK).
        let kept = if old & LK != 0 { 0xFFFF } else { 0 };
        self.bank.set(pin * 4, (old & (kept | ISF)) | (new & !(kept | ISF)));
    }

    /// "Global Pin Control": the lower half of all pins that the upper half selects, from pin `first` on.
    fn control_many(&mut self, first: u32, write: Write, env: &mut Env<'_, '_>) {
        let (data, pins) = (write.value & 0xFFFF, write.ones() >> 16);
        for pin in (0..16).filter(|pin| pins & 1 << pin != 0) {
            self.control(first + pin, Write { value: data, lanes: 0xFFFF }, env);
        }
    }
}

impl Block<Words> for PortControl {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset & !3, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset & !3)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            0..0x80 => self.control(offset / 4, write, env),
            GPCLR => self.control_many(0, write, env),
            GPCHR => self.control_many(16, write, env),
            ISFR => self.bank.flag(ISFR, write.ones(), false),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
        if offset <= GPCHR {
            env.effect(Effect::PinRoles { port: self.port });
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.settle(env);
        env.effect(Effect::PinRoles { port: self.port });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
