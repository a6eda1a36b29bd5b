//! Tasks, events, shortcuts and interrupts of a peripheral (nRF52840 PS, "Peripheral interface").
//!
//! A one written to a task's register starts the task. An event sets its register, starts the tasks that enabled shortcuts
//! connect it with, and drives the interrupt line while its bit of INTEN is set; software clears it by writing zero. Shortcuts
//! take no time.

use crate::{Bank, Effect, Env, Instance, Modelled, Write};

use super::registers::{bank, write_view};

/// The first register that is no task.
const EVENTS: u32 = 0x100;
const SHORTS: u32 = 0x200;
const INTEN: u32 = 0x300;
const INTENSET: u32 = 0x304;
const INTENCLR: u32 = 0x308;

/// A shortcut: its bit of SHORTS, the event, the task.
pub type Short = (u8, u32, u32);

/// The kind of register that a write has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A task's, which starts it.
    Task(u32),
    /// An event, shortcuts or interrupts: all is done.
    Signal,
    /// Another one, with its value before and after.
    Register(u32, u32),
}

/// The registers of a peripheral with the signals among them.
#[derive(Clone, Debug)]
pub struct Signals {
    /// The registers.
    pub bank: Bank,
    line: Option<u8>,
    shorts: &'static [Short],
}

impl Signals {
    /// Returns the registers of `instance` after reset. All are modelled, but of those in `partly` only what they say.
    pub fn new(instance: &Instance, partly: &[Modelled], shorts: &'static [Short]) -> Self {
        Self { bank: bank(instance.map, partly), line: instance.line("GLOBAL"), shorts }
    }

    /// Returns the value of the register at `offset`.
    #[inline]
    pub fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// True if the interrupt of `event` is enabled.
    pub fn interrupts(&self, event: u32) -> bool {
        self.get(INTENSET) >> (event.wrapping_sub(EVENTS) / 4 % 32) & 1 != 0
    }

    /// Carries out a write as far as the signals go.
    pub fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) -> Written {
        match offset {
            0..EVENTS if self.bank.at(offset).is_some() => {
                if write.ones() & 1 != 0 {
                    // The bank names a task that is not modelled.
                    self.bank.write(offset, write, env);
                    return Written::Task(offset);
                }
                Written::Signal
            }
            EVENTS..SHORTS => {
                self.bank.write(offset, write, env);
                self.drive(env);
                Written::Signal
            }
            INTEN | INTENSET | INTENCLR if self.bank.at(offset).is_some() => {
                write_view(&mut self.bank, INTEN, offset, write, env);
                self.drive(env);
                Written::Signal
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == SHORTS { Written::Signal } else { Written::Register(old, new) }
            }
        }
    }

    /// Sets the register of `event` and tells the interconnect. Gives the tasks that shortcuts start.
    pub fn raise(&mut self, event: u32, env: &mut Env<'_, '_>) -> impl Iterator<Item = u32> + use<> {
        self.bank.set(event, 1);
        self.drive(env);
        env.publish(event);
        let enabled = if self.shorts.is_empty() { 0 } else { self.get(SHORTS) };
        let started = self.shorts.iter().filter(move |(bit, from, _)| *from == event && enabled >> bit & 1 != 0);
        started.map(|(.., task)| *task)
    }

    /// Returns to the values after reset.
    pub fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.drive(env);
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let Some(line) = self.line else { return };
        let (mut enabled, mut active) = (self.get(INTENSET), false);
        while enabled != 0 && !active {
            active = self.get(EVENTS + 4 * enabled.trailing_zeros()) & 1 != 0;
            enabled &= enabled - 1;
        }
        env.drive_line(line, active);
    }
}

/// A peripheral with tasks and events.
pub trait Tasked {
    /// Its registers.
    fn signals(&mut self) -> &mut Signals;

    /// The task whose register is at `task` starts.
    fn task(&mut self, task: u32, env: &mut Env<'_, '_>);

    /// The event whose register is at `event` happens, and with it the tasks of its shortcuts.
    fn raise(&mut self, event: u32, env: &mut Env<'_, '_>) {
        let tasks = self.signals().raise(event, env);
        tasks.for_each(|task| self.task(task, env));
    }

    /// A write, of which tasks, events, shortcuts and interrupts are carried out. Gives the value of any other register before
    /// and after.
    fn access(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) -> Option<(u32, u32)> {
        match self.signals().write(offset, write, env) {
            Written::Task(task) => self.task(task, env),
            Written::Signal => {}
            Written::Register(old, new) => return Some((old, new)),
        }
        None
    }
}

impl Env<'_, '_> {
    /// The block's event at `event` happens: the interconnect gets it, if a channel of it hears it.
    pub fn publish(&mut self, event: u32) {
        let address = self.instance.address.wrapping_add(event);
        if self.wires.heard_events.contains(&address) {
            self.effect(Effect::Event { address });
        }
    }
}
