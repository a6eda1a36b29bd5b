//! What every block does, and one type for all blocks, so that a part is plain data.

use super::clint::Clint;
use super::finisher::{Finisher, PicoFinisher};
use super::ibex::{IbexTimer, SimulatorControl};
use super::litex::{Absent, Control, Timer, Uart};
use super::plic::Plic;
use super::uart16550::Uart16550;
use super::{Env, Instance, Kind};
use crate::Write;

/// What every block does. Offsets are those of words, from the block's base; a UART 16550's are those of bytes.
pub trait Block {
    /// A read at `offset`.
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32;

    /// A write at `offset`.
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>);

    /// The block's event `kind` is due.
    fn event(&mut self, _kind: u16, _env: &mut Env<'_, '_>) {}

    /// Back to the state after a reset of the part, at power-on too. Its events are cancelled already and its lines low.
    fn reset(&mut self, env: &mut Env<'_, '_>);

    /// Bytes arrive from the outside, one frame after the other.
    fn receive(&mut self, _bytes: &[u8], _env: &mut Env<'_, '_>) {}
}

macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident($block:ty)),* $(,)?) => {
        /// A block of a part.
        #[derive(Clone, Debug)]
        pub enum Device {
            $($(#[$doc])* $name($block),)*
        }

        impl Block for Device {
            #[inline]
            fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
                match self { $(Self::$name(block) => block.read(offset, env),)* }
            }

            #[inline]
            fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.write(offset, write, env),)* }
            }

            fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.event(kind, env),)* }
            }

            fn reset(&mut self, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.reset(env),)* }
            }

            fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.receive(bytes, env),)* }
            }
        }
    };
}

devices! {
    /// A UART.
    Uart16550(Uart16550),
    /// Timer and software interrupt.
    Clint(Clint),
    /// Interrupts of devices.
    Plic(Plic),
    /// The end of a run.
    Finisher(Finisher),
    /// The same in PicoRV32's test bench.
    PicoFinisher(PicoFinisher),
    /// The same in Ibex's Simple System, and characters.
    SimulatorControl(SimulatorControl),
    /// The timer of that.
    IbexTimer(IbexTimer),
    /// LiteX's controller.
    LiteXControl(Control),
    /// LiteX's timer.
    LiteXTimer(Timer),
    /// LiteX's UART.
    LiteXUart(Uart),
    /// What of LiteX is not there.
    LiteXAbsent(Absent),
}

impl Device {
    /// The block that `instance` is, yet to be reset.
    pub fn new(instance: &Instance) -> Self {
        match instance.kind {
            Kind::Uart16550 { number, timed } => Self::Uart16550(Uart16550::new(number, timed)),
            Kind::Clint { divider } => Self::Clint(Clint::new(divider)),
            Kind::Plic { sources } => Self::Plic(Plic::new(sources)),
            Kind::Finisher => Self::Finisher(Finisher),
            Kind::PicoFinisher => Self::PicoFinisher(PicoFinisher),
            Kind::SimulatorControl { number } => Self::SimulatorControl(SimulatorControl::new(number)),
            Kind::IbexTimer => Self::IbexTimer(IbexTimer::default()),
            Kind::LiteXControl(bank) => Self::LiteXControl(Control::new(bank)),
            Kind::LiteXTimer(bank) => Self::LiteXTimer(Timer::new(bank)),
            Kind::LiteXUart(bank) => Self::LiteXUart(Uart::new(bank)),
            Kind::LiteXAbsent(bank) => Self::LiteXAbsent(Absent::new(bank)),
        }
    }
}
