//! One type for all blocks of a RISC-V system, so that a part is plain data.

use super::clint::Clint;
use super::finisher::{Finisher, PicoFinisher};
use super::ibex::{IbexTimer, SimulatorControl};
use super::litex::{Absent, Control, Timer, Uart};
use super::plic::Plic;
use super::uart16550::Uart16550;
use super::virtio::VirtioSlot;
use super::{Instance, Kind, Riscv, clint, finisher, ibex, plic, uart16550, virtio};
use crate::Map;
use crate::framework::devices;

devices! { Riscv {
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
    /// An empty slot for a virtio device.
    VirtioSlot(VirtioSlot),
    /// LiteX's controller.
    LiteXControl(Control),
    /// LiteX's timer.
    LiteXTimer(Timer),
    /// LiteX's UART.
    LiteXUart(Uart),
    /// A LiteX bank that the model lacks.
    LiteXAbsent(Absent),
} serial: Uart16550, SimulatorControl, LiteXUart }

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
            Kind::VirtioSlot => Self::VirtioSlot(VirtioSlot),
            Kind::LiteXControl(bank) => Self::LiteXControl(Control::new(bank)),
            Kind::LiteXTimer(bank) => Self::LiteXTimer(Timer::new(bank)),
            Kind::LiteXUart(bank) => Self::LiteXUart(Uart::new(bank)),
            Kind::LiteXAbsent(bank) => Self::LiteXAbsent(Absent::new(bank)),
        }
    }
}

impl Instance {
    /// Its declared registers, of those blocks whose registers are the same on every part.
    pub fn map(&self) -> Option<&'static Map> {
        match self.kind {
            Kind::Uart16550 { .. } => Some(&uart16550::MAP),
            Kind::Clint { .. } => Some(&clint::MAP),
            Kind::Plic { .. } => Some(&plic::MAP),
            Kind::Finisher | Kind::PicoFinisher => Some(&finisher::MAP),
            Kind::SimulatorControl { .. } => Some(&ibex::CONTROL_MAP),
            Kind::IbexTimer => Some(&ibex::TIMER_MAP),
            Kind::VirtioSlot => Some(&virtio::MAP),
            Kind::LiteXControl(_) | Kind::LiteXTimer(_) | Kind::LiteXUart(_) | Kind::LiteXAbsent(_) => None,
        }
    }
}
