//! A block as a part has it.

use super::litex::Bank;

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A 16550 UART.
    Uart16550 {
        /// The port's number.
        number: u8,
        /// `true` if a frame takes its time on the line, from the core's clock and the divisor; `false` if a byte is sent at
        /// once, as by emulators.
        timed: bool,
    },
    /// A core-local interruptor.
    Clint {
        /// Cycles of the core in one period of its clock.
        divider: u32,
    },
    /// A platform-level interrupt controller with one context, for M mode.
    Plic {
        /// The highest source.
        sources: u8,
    },
    /// SiFive's test finisher.
    Finisher,
    /// The address that ends a run of PicoRV32's own test bench.
    PicoFinisher,
    /// The simulator's own registers in Ibex's Simple System.
    SimulatorControl {
        /// The number under which its characters go to the console.
        number: u8,
    },
    /// The timer of Ibex's Simple System.
    IbexTimer,
    /// An empty slot for a virtio device.
    VirtioSlot,
    /// LiteX's SoC controller.
    LiteXControl(&'static Bank),
    /// LiteX's timer.
    LiteXTimer(&'static Bank),
    /// LiteX's UART, on the simulator's console.
    LiteXUart(&'static Bank),
    /// A bank of LiteX that is not modelled.
    LiteXAbsent(&'static Bank),
}

/// The destination of an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Nowhere.
    None,
    /// To a line of the core.
    Core(u8),
    /// To a source of the PLIC.
    Plic(u8),
}

/// A block of a part: what it is, where and how it is wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its name.
    pub name: &'static str,
    /// Its first address.
    pub base: u32,
    /// The size of its address range in bytes.
    pub bytes: u32,
    /// The kind of the block.
    pub kind: Kind,
    /// The destinations of its interrupts, in the block's own order.
    pub wires: &'static [Wire],
}

impl Instance {
    /// The registers as LiteX laid them out, of one of its banks.
    pub fn bank(&self) -> Option<&'static Bank> {
        match self.kind {
            Kind::LiteXControl(bank) | Kind::LiteXTimer(bank) | Kind::LiteXUart(bank) | Kind::LiteXAbsent(bank) => {
                Some(bank)
            }
            _ => None,
        }
    }
}
