//! The register that a loop waits for, and the bits of it that the loop tests.
//!
//! A copy of the machine is asked: what the loop has read is changed bit by bit, and the loop left or not. Nothing here takes part
//! in a run.

use std::collections::BTreeSet;

use cyclescope_machine::units::Address;
use cyclescope_machine::{Bus, Stop, Touch};

use crate::core::Core;
use crate::instruction_set::Hooks;
use crate::register::Group;

/// The most instructions in which a loop comes to its first register, and of its turns.
const MOST: usize = 512;

/// A register that a loop reads in each turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The instruction that reads it.
    pub pc: Address,
    /// The first byte that it reads.
    pub address: Address,
    /// The bits, from that byte's lowest on, of which each alone would end the loop if it were another; 0 if that is not known.
    pub bits: u32,
}

/// A copy of a machine.
struct Copy<I: Hooks<P>, P> {
    core: Core<I, P>,
    bus: Bus<P>,
}

impl<I: Hooks<P>, P: Clone> Core<I, P> {
    /// Returns the register that the core polls where it is now, on `bus`: the first of its loop of which a bit decides, or else
    /// the first that it reads. `None` if it is in no such loop.
    pub fn waits_for(&self, bus: &Bus<P>) -> Option<Waited> {
        let mut copy = Copy { core: self.clone(), bus: bus.clone() };
        copy.core.watch_only(&[]);
        let head = copy.find_head()?;
        let (turn, reads) = copy.turn(head)?;
        let mut scratch = Copy { core: copy.core.clone(), bus: copy.bus.clone() };
        let mut first = None;
        for pc in reads {
            while copy.pc() != pc {
                copy.step()?;
            }
            let touch = copy.reads_register()?;
            let bits = scratch.tested(&copy, touch, &turn).unwrap_or(0);
            let waited = Waited { pc: Address::new(pc), address: touch.from, bits };
            if bits != 0 {
                return Some(waited);
            }
            first.get_or_insert(waited);
        }
        first
    }
}

impl<I: Hooks<P>, P: Clone> Copy<I, P> {
    fn pc(&self) -> u32 {
        self.core.cpu.pc().get()
    }

    fn step(&mut self) -> Option<()> {
        self.bus.shared.signals.drain().for_each(drop);
        matches!(self.core.step(&mut self.bus), Stop::Horizon | Stop::Signal).then_some(())
    }

    /// Becomes what `from` is.
    fn rewind(&mut self, from: &Self) {
        self.core.restore(&from.core);
        self.bus.memory.restore_from(&from.bus.memory);
        self.bus.peripherals.clone_from(&from.bus.peripherals);
        self.bus.shared.clone_from(&from.bus.shared);
    }

    /// The bytes that the next instruction reads, if they are a register's.
    fn reads_register(&self) -> Option<Touch> {
        let touch = self.core.cpu.touches(&self.bus)?;
        let is_memory = self.bus.memory.region(touch.from.get()).is_some();
        (touch.reads && !touch.writes && touch.bytes <= 4 && !is_memory).then_some(touch)
    }

    /// Goes on to the first read of a register that comes a second time.
    fn find_head(&mut self) -> Option<u32> {
        let mut met = BTreeSet::new();
        for _ in 0..MOST {
            if self.reads_register().is_some() && !met.insert(self.pc()) {
                return Some(self.pc());
            }
            self.step()?;
        }
        None
    }

    /// Goes around the loop once: all its instructions, and those of them that read registers.
    fn turn(&mut self, head: u32) -> Option<(BTreeSet<u32>, Vec<u32>)> {
        let (mut all, mut reads) = (BTreeSet::new(), Vec::new());
        for _ in 0..MOST {
            all.insert(self.pc());
            if self.reads_register().is_some() && !reads.contains(&self.pc()) {
                reads.push(self.pc());
            }
            self.step()?;
            if self.pc() == head {
                return Some((all, reads));
            }
        }
        None
    }

    /// Returns the bits of which each alone ends the loop `turn`, where `from` is about to read `touch` in it.
    fn tested(&mut self, from: &Self, touch: Touch, turn: &BTreeSet<u32>) -> Option<u32> {
        if let Some(bit) = touch.bit {
            return Some(1 << bit);
        }
        let target = self.target(from, touch)?;
        self.rewind(from);
        self.step()?;
        let read = Self { core: self.core.clone(), bus: self.bus.clone() };
        let value = read.core.cpu.register(target);
        let mut leaves = |changed: u32| {
            self.rewind(&read);
            self.core.cpu_mut().set_register(target, value ^ changed);
            for _ in 0..MOST {
                if self.pc() == from.pc() {
                    return false;
                }
                if !turn.contains(&self.pc()) || self.step().is_none() {
                    return true;
                }
            }
            false
        };
        // Something else may end the turn.
        if leaves(0) {
            return None;
        }
        let bits = (0..8 * touch.bytes).map(|bit| 1 << bit).filter(|bit| leaves(*bit));
        Some(bits.fold(0, |bits, bit| bits | bit))
    }

    /// Returns the number of the core's register that the next instruction of `from` loads, as it reads `touch`.
    fn target(&mut self, from: &Self, touch: Touch) -> Option<usize> {
        self.rewind(from);
        self.step()?;
        let (before, after) = (&from.core.cpu, self.core.cpu.clone());
        let general = |number: &usize| before.registers()[*number].group == Group::General;
        let mut numbers = (0..before.registers().len()).filter(general);
        // One that changes, or takes the same value whatever it held.
        numbers.find(|number| {
            let (old, new) = (before.register(*number), after.register(*number));
            if old != new {
                return true;
            }
            self.rewind(from);
            self.core.cpu_mut().set_register(*number, !old);
            let same = self.core.cpu.touches(&self.bus) == Some(touch);
            same && self.step().is_some() && self.core.cpu.register(*number) == new
        })
    }
}
