//! Settings of the whole part: MCUSR, MCUCR, CLKPR and the power reduction registers (8271H §9.12, §10.11, §11.9,
//! §12.5.2, 7766J §6.11, §7.9, §8.2 and §9).

use cyclescope_machine::{GapKind, TimingRow};

use super::{Avr, Effect, Env};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// MCUSR.
    pub const MCUSR: u8 = 0;
    /// MCUCR.
    pub const MCUCR: u8 = 1;
    /// CLKPR.
    pub const CLKPR: u8 = 2;
    /// PRR, or PRR0.
    pub const PRR0: u8 = 3;
    /// PRR1.
    pub const PRR1: u8 = 4;
}

/// The flags of MCUSR.
pub mod reset_flag {
    /// Power-on.
    pub const PORF: u8 = 1 << 0;
    /// The RESET pin.
    pub const EXTRF: u8 = 1 << 1;
    /// Brown-out.
    pub const BORF: u8 = 1 << 2;
    /// The watchdog.
    pub const WDRF: u8 = 1 << 3;
}

/// The window of the timed sequences.
pub static WINDOW: TimingRow = TimingRow::documented(
    "timed sequence",
    "cycles within which CLKPS must follow CLKPCE, IVSEL IVCE, and JTD itself",
    4,
    "8271H §9.12.2 and §12.5.2, 7766J §6.11.2, §9.3.1 and §26.5.1",
);

/// When a new division of the clock holds.
pub static DIVIDE: TimingRow = TimingRow::assumed(
    "CLKPR switch",
    "from the write of CLKPS to the new clock",
    0,
    "8271H §9.11: between T1 + T2 and T1 + 2 T2, not exactly predictable; taken as at once",
);

const IVCE: u8 = 1 << 0;
const IVSEL: u8 = 1 << 1;
const PUD: u8 = 1 << 4;
const JTD: u8 = 1 << 7;
const CLKPCE: u8 = 1 << 7;
const CLKPS: u8 = 0x0F;
/// The largest CLKPS that is not reserved: division by 256.
const MOST: u8 = 8;

/// These registers.
#[derive(Clone, Debug)]
pub struct System {
    /// CLKPS after a reset: 0, or 3 where the fuse CKDIV8 is programmed.
    shift: u8,
    mcucr: u8,
    ivce_until: Option<u64>,
    clkpce_until: Option<u64>,
    /// Until when a second write of JTD counts, and the first one's value.
    jtd: Option<(u64, u8)>,
}

impl System {
    /// Those of a part whose clock is divided by 2 to the power of `shift` after a reset.
    pub fn new(shift: u8) -> Self {
        Self { shift, mcucr: 0, ivce_until: None, clkpce_until: None, jtd: None }
    }

    fn window(env: &mut Env<'_, '_>) -> u64 {
        env.now() + env.cycles(&WINDOW)
    }

    fn write_mcucr(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let now = env.now();
        if (self.mcucr ^ value) & PUD != 0 {
            env.effect(Effect::PullUpsOff(value & PUD != 0));
        }
        let mut kept = value & PUD | self.mcucr & (IVSEL | JTD);
        if value & IVCE != 0 {
            // IVSEL in the same write is ignored.
            self.ivce_until = Some(Self::window(env));
            env.gap(GapKind::Setting, format_args!("MCUCR.IVCE does not hold interrupts off for its four cycles"));
        } else {
            if self.ivce_until.take().is_some_and(|until| now <= until) {
                kept = kept & !IVSEL | value & IVSEL;
            }
            env.wires.shared.vectors_in_boot_section = kept & IVSEL != 0;
        }
        if (self.mcucr ^ value) & JTD != 0 {
            match self.jtd.take() {
                Some((until, first)) if now <= until && first == value & JTD => kept = kept & !JTD | value & JTD,
                _ => self.jtd = Some((Self::window(env), value & JTD)),
            }
        }
        self.mcucr = kept;
    }

    fn write_clkpr(&mut self, value: u8, env: &mut Env<'_, '_>) {
        if value == CLKPCE {
            self.clkpce_until = Some(Self::window(env));
        } else if self.clkpce_until.take().is_some_and(|until| env.now() <= until)
            && value & CLKPCE == 0
            && value & CLKPS <= MOST
        {
            env.cycles(&DIVIDE);
            env.effect(Effect::Divide(value & CLKPS));
        }
    }
}

impl Block<Avr> for System {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        let open = |until: Option<u64>, bit| if until.is_some_and(|until| env.now() <= until) { bit } else { 0 };
        match register {
            register::MCUSR => env.wires.shared.reset_flags,
            register::MCUCR => self.mcucr | open(self.ivce_until, IVCE),
            register::CLKPR => env.wires.shared.clock.shift() | open(self.clkpce_until, CLKPCE),
            register::PRR0 => env.wires.shared.power_reduction[0],
            _ => env.wires.shared.power_reduction[1],
        }
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        let mut power = env.wires.shared.power_reduction;
        match register {
            // Only zeros count.
            register::MCUSR => env.wires.shared.reset_flags &= value,
            register::MCUCR => self.write_mcucr(value, env),
            register::CLKPR => self.write_clkpr(value, env),
            register::PRR0 => power[0] = value,
            _ => power[1] = value,
        }
        if power != env.wires.shared.power_reduction {
            env.effect(Effect::Power(power));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::new(self.shift);
        env.effect(Effect::PullUpsOff(false));
        env.wires.shared.vectors_in_boot_section = false;
        env.wires.shared.power_reduction = [0; 2];
        if env.wires.shared.clock.shift() != self.shift {
            env.effect(Effect::Divide(self.shift));
        }
    }
}

/// Registers that hold what is written and do nothing: GPIORn; OSCCAL, whose effect on the RC oscillator is not modelled.
#[derive(Clone, Debug)]
pub struct Storage {
    reset: &'static [u8],
    values: [u8; 8],
}

impl Storage {
    /// Registers that hold `reset` after a reset, in their order, at most eight.
    pub fn new(reset: &'static [u8]) -> Self {
        Self { reset, values: [0; 8] }
    }
}

impl Block<Avr> for Storage {
    #[inline]
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        self.values[usize::from(register & 7)]
    }

    #[inline]
    fn write(&mut self, register: u8, value: u8, _: &mut Env<'_, '_>) {
        self.values[usize::from(register & 7)] = value;
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.values = [0; 8];
        for (value, reset) in self.values.iter_mut().zip(self.reset) {
            *value = *reset;
        }
    }
}
