//! Single-cycle I/O (RP-008371-DS, "SIO"): pins, the mailboxes between the processors, spinlocks, dividers and interpolators.
//!
//! Each processor has its own view of the mailboxes, the divider and the interpolators ([`Env::wires`] says which one asks).

use std::collections::VecDeque;

use super::Message;
use super::divider::{self, Divider};
use super::interpolator::{self, Interpolator};
use super::io::{EXISTING, SYNCHRONISER};
use super::registers::bank;
use crate::bank::some;
use crate::synchroniser::Sampled;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Words, Write};

const CPUID: u32 = 0x00;
const GPIO_IN: u32 = 0x04;
const GPIO_HI_IN: u32 = 0x08;
const GPIO_OUT: u32 = 0x10;
const GPIO_OE: u32 = 0x20;
const GPIO_HI_OUT: u32 = 0x30;
const GPIO_HI_OE: u32 = 0x40;
const FIFO_ST: u32 = 0x50;
const FIFO_WR: u32 = 0x54;
const FIFO_RD: u32 = 0x58;
const SPINLOCK_ST: u32 = 0x5C;
const INTERP: u32 = 0x80;
const INTERP_END: u32 = INTERP + 2 * interpolator::BYTES;
const SPINLOCKS: u32 = 0x100;
const SPINLOCKS_END: u32 = 0x180;

/// FIFO_ST.
const VLD: u32 = 1 << 0;
const RDY: u32 = 1 << 1;
const WOF: u32 = 1 << 2;
const ROE: u32 = 1 << 3;
/// The bit of SIO in PSM's registers.
const PSM_SIO: u32 = 1 << 14;

/// Words that a mailbox holds.
const DEPTH: usize = 8;

/// GPIO_HI_IN: the select line of the flash is pulled up, unless somebody presses BOOTSEL.
const NOT_BOOTSEL: u32 = 1 << 1;

/// The registers that are modelled in part: the pins of the flash are the flash's.
pub const PARTLY: &[Modelled] = &[
    some("GPIO_HI_OUT", 0, &[]).and(&["GPIO_HI_OUT_SET", "GPIO_HI_OUT_CLR", "GPIO_HI_OUT_XOR"]),
    some("GPIO_HI_OE", 0, &[]).and(&["GPIO_HI_OE_SET", "GPIO_HI_OE_CLR", "GPIO_HI_OE_XOR"]),
];

/// State of one processor alone.
#[derive(Clone, Debug)]
struct Own {
    /// Words for this processor.
    mailbox: VecDeque<u32>,
    /// FIFO_ST's sticky flags.
    flags: u32,
    divider: Divider,
    interpolators: [Interpolator; 2],
    lines: Lines,
}

impl Own {
    fn new(lines: Lines) -> Self {
        let interpolators = [false, true].map(Interpolator::new);
        Self { mailbox: VecDeque::new(), flags: 0, divider: Divider::default(), interpolators, lines }
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct Sio {
    bank: Bank,
    inputs: Sampled,
    spinlocks: u32,
    own: [Own; 2],
}

impl Sio {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        let lines = |signal| Lines::new(instance, &[(signal, VLD | WOF | ROE)]);
        Self {
            bank: bank(instance.map, PARTLY),
            inputs: Sampled::new(Source::Hclk, SYNCHRONISER),
            spinlocks: 0,
            own: [Own::new(lines("SIO_IRQ_PROC0")), Own::new(lines("SIO_IRQ_PROC1"))],
        }
    }

    /// The pins have these levels now.
    pub fn set_inputs(&mut self, levels: u32, env: &Env<'_, '_>) {
        self.inputs.change(levels, env);
    }

    /// The power-on state machine holds these blocks off, one bit each.
    pub fn force_off(&mut self, off: u32, env: &mut Env<'_, '_>) {
        if off & PSM_SIO != 0 {
            self.reset(env);
        }
    }

    /// FIFO_ST of the processor `core`.
    fn status(&self, core: usize) -> u32 {
        let valid = if self.own[core].mailbox.is_empty() { 0 } else { VLD };
        let ready = if self.own[1 - core].mailbox.len() < DEPTH { RDY } else { 0 };
        valid | ready | self.own[core].flags
    }

    /// Drives the processors' interrupts: a word that waits, or a flag.
    fn drive(&mut self, env: &mut Env<'_, '_>) {
        for core in [0, 1] {
            let raised = self.status(core) & (VLD | WOF | ROE);
            self.own[core].lines.drive(raised, env);
        }
    }

    /// A write to GPIO_OUT or GPIO_OE, `first`, or one of the three behind it that set, clear or invert bits.
    fn write_pins(&mut self, first: u32, offset: u32, value: u32, env: &mut Env<'_, '_>) {
        let old = self.bank.get(first);
        let new = match offset - first {
            0 => value,
            4 => old | value,
            8 => old & !value,
            _ => old ^ value,
        };
        self.bank.set(first, new & EXISTING);
        env.effect(Effect::Rp(Message::SioOutputs { out: self.bank.get(GPIO_OUT), enabled: self.bank.get(GPIO_OE) }));
    }
}

impl Block<Words> for Sio {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let core = usize::from(env.wires.core & 1);
        match offset {
            CPUID => core as u32,
            GPIO_IN => self.inputs.read(env),
            GPIO_HI_IN => NOT_BOOTSEL,
            FIFO_ST => self.status(core),
            FIFO_RD => {
                let word = self.own[core].mailbox.pop_front();
                if word.is_none() {
                    self.own[core].flags |= ROE;
                }
                self.drive(env);
                word.unwrap_or(0)
            }
            SPINLOCK_ST => self.spinlocks,
            divider::UDIVIDEND..=divider::CSR => {
                env.cycles(&divider::ROWS[0]);
                self.own[core].divider.read(offset, env.context.now.get())
            }
            INTERP..INTERP_END => {
                let (unit, offset) = ((offset - INTERP) / interpolator::BYTES, (offset - INTERP) % interpolator::BYTES);
                self.own[core].interpolators[unit as usize & 1].read(offset)
            }
            SPINLOCKS..SPINLOCKS_END => {
                let lock = 1 << ((offset - SPINLOCKS) / 4);
                let claimed = if self.spinlocks & lock == 0 { lock } else { 0 };
                self.spinlocks |= lock;
                claimed
            }
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, now: Instant, _: &Clocks) -> Option<Instant> {
        match offset {
            GPIO_IN => Some(self.inputs.still(now)),
            CPUID | GPIO_OUT | GPIO_OE => Some(Instant::NEVER),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let core = usize::from(env.wires.core & 1);
        match offset {
            GPIO_OUT..GPIO_OE => self.write_pins(GPIO_OUT, offset, write.value, env),
            GPIO_OE..GPIO_HI_OUT => self.write_pins(GPIO_OE, offset, write.value, env),
            GPIO_HI_OUT..GPIO_HI_OE | GPIO_HI_OE..FIFO_ST => {
                self.bank.write(offset, write, env);
            }
            FIFO_ST => {
                // Any value clears both.
                self.own[core].flags = 0;
                self.drive(env);
            }
            FIFO_WR => {
                if self.own[1 - core].mailbox.len() < DEPTH {
                    self.own[1 - core].mailbox.push_back(write.value);
                } else {
                    self.own[core].flags |= WOF;
                }
                self.drive(env);
            }
            divider::UDIVIDEND..=divider::CSR => {
                self.own[core].divider.write(offset, write.value, env.context.now.get());
            }
            INTERP..INTERP_END => {
                let (unit, offset) = ((offset - INTERP) / interpolator::BYTES, (offset - INTERP) % interpolator::BYTES);
                self.own[core].interpolators[unit as usize & 1].write(offset, write.value);
            }
            SPINLOCKS..SPINLOCKS_END => self.spinlocks &= !(1 << ((offset - SPINLOCKS) / 4)),
            _ => {}
        }
    }

    fn refine(&mut self, times: u64) {
        self.inputs.refine(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.spinlocks = 0;
        self.own = self.own.clone().map(|own| Own::new(own.lines));
        self.drive(env);
        env.effect(Effect::Rp(Message::SioOutputs { out: 0, enabled: 0 }));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
