//! Power control (nRF52840 PS, "POWER — Power supply"), a part of [`ClockPower`]: System OFF, causes of resets, retained
//! registers, power of RAM.
//!
//! The supply never falls, and regulators make no difference to a program.

use crate::bank::{all, some};
use crate::{Effect, Env, Modelled, ResetFlag, Write};

use super::ClockPower;
use super::signals::Tasked;

const USBDETECTED: u32 = 0x11C;
const USBREMOVED: u32 = 0x120;
const USBPWRRDY: u32 = 0x124;
const SLEEPENTER: u32 = 0x114;
const SLEEPEXIT: u32 = 0x118;
const RESETREAS: u32 = 0x400;
const USBREGSTATUS: u32 = 0x438;
const SYSTEMOFF: u32 = 0x500;
const GPREGRET: u32 = 0x51C;
const GPREGRET2: u32 = 0x520;
/// RAM[n].POWER, POWERSET and POWERCLR, 16 bytes each.
const RAM: u32 = 0x900;
const RAM_END: u32 = RAM + 16 * RAMS;
const RAMS: u32 = 9;

/// RESETREAS.
const RESETPIN: u32 = 1 << 0;
const DOG: u32 = 1 << 1;
const SREQ: u32 = 1 << 2;
const OFF: u32 = 1 << 16;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[
    some("DCDCEN", 0, &[]).unseen(&["DCDCEN"]),
    some("DCDCEN0", 0, &[]).unseen(&["DCDCEN"]),
    // All blocks are on.
    all("RAMSTATUS", 0xF),
];

/// The registers that a reset leaves as they are.
pub(super) type Kept = [(u32, u32); 3];

impl ClockPower {
    /// Carries out a write to a register with rules of its own; tells if it is one.
    pub(super) fn write_power(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) -> bool {
        match offset {
            RESETREAS => self.signals.bank.flag(RESETREAS, write.ones(), false),
            SYSTEMOFF if write.ones() & 1 != 0 => env.effect(Effect::SystemOff),
            RAM..RAM_END if offset & 8 != 0 || offset & 4 != 0 => {
                let (power, set) = (offset & !15, offset & 4 != 0);
                self.signals.bank.flag(power, write.ones(), set);
                for view in [power + 4, power + 8] {
                    let value = self.get(power);
                    self.signals.bank.set(view, value);
                }
            }
            _ => return false,
        }
        true
    }

    /// A cable with power is plugged in (`true`) or pulled.
    pub fn set_vbus(&mut self, present: bool, env: &mut Env<'_, '_>) {
        let before = self.get(USBREGSTATUS) != 0;
        if before == present {
            return;
        }
        self.signals.bank.set(USBREGSTATUS, if present { 3 } else { 0 });
        self.raise(if present { USBDETECTED } else { USBREMOVED }, env);
        if present {
            self.raise(USBPWRRDY, env);
        }
    }

    /// The core goes to sleep (`true`) or wakes.
    pub fn sleeps(&mut self, asleep: bool, env: &mut Env<'_, '_>) {
        self.raise(if asleep { SLEEPENTER } else { SLEEPEXIT }, env);
    }

    /// The bytes of the main RAM that keep their contents in System OFF: eight blocks of two sections of 4 KiB, one of six of 32
    /// ("`RAM[n].POWER`": SnRETENTION).
    pub fn retained(&self) -> Vec<std::ops::Range<u32>> {
        let sections = (0..RAMS).flat_map(|block| {
            let (count, bytes) = if block < 8 { (2, 4 << 10) } else { (6, 32 << 10) };
            let first = block * (8 << 10);
            let retention = self.get(RAM + 16 * block) >> 16;
            (0..count).filter_map(move |section| {
                let from = first + section * bytes;
                (retention >> section & 1 != 0).then_some(from..from + bytes)
            })
        });
        sections.collect()
    }

    /// Returns the values that outlive the reset that has just happened ("Reset behavior").
    pub(super) fn kept(&mut self) -> Kept {
        let Some(cause) = self.cause.take() else { return [(RESETREAS, 0), (GPREGRET, 0), (GPREGRET2, 0)] };
        let flag = match cause {
            ResetFlag::Pin => RESETPIN,
            ResetFlag::Software => SREQ,
            ResetFlag::Standby => OFF,
            ResetFlag::IndependentWatchdog | ResetFlag::WindowWatchdog => DOG,
        };
        let retained = matches!(cause, ResetFlag::Software | ResetFlag::Standby);
        let keep = |offset| (offset, if retained { self.get(offset) } else { 0 });
        [(RESETREAS, self.get(RESETREAS) | flag), keep(GPREGRET), keep(GPREGRET2)]
    }

    pub(super) fn restore(&mut self, kept: Kept) {
        for (offset, value) in kept {
            self.signals.bank.set(offset, value);
        }
    }
}
