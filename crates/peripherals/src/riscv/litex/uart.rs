//! The UART with the model of a serial line that LiteX's simulator has: a byte goes out in the cycle after its store, and one
//! comes in as soon as there is room, so that no line's rate plays a part.
//!
//! Its events: `tx`, when the way out stops being full, and `rx`, when the first byte arrives. Out of the reset the way out is
//! not full, so that `tx` is pending then; here it never fills again. Acknowledging `rx` takes the byte that was read.

use cyclescope_machine::GapKind;

use crate::riscv::{Env, Riscv, Shared};
use crate::serial::Port;
use crate::{Block, Serial, Write};

use super::{Bank, Events};

const TX: u32 = 1 << 0;
const RX: u32 = 1 << 1;

/// Entries of the FIFO of received bytes.
const FIFO: usize = 16;

/// The block. Its wire: both events.
#[derive(Clone, Debug)]
pub struct Uart {
    bank: &'static Bank,
    port: Port<u64>,
    events: Events,
    /// The guest has looked for data or asked for their event. The receiver cannot be switched off, so this is how the outside
    /// knows that somebody listens.
    attended: bool,
}

impl Uart {
    /// With the registers of `bank`.
    pub fn new(bank: &'static Bank) -> Self {
        Self { bank, port: Port::new(0), events: Events::default(), attended: false }
    }

    fn take_in(&mut self) {
        let was_empty = self.port.received.is_empty();
        self.port.fill(FIFO);
        if was_empty && !self.port.received.is_empty() {
            self.events.pending |= RX;
        }
    }

    /// Drives the interrupt, and tells observers if the port begins to listen.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.events.drive(env);
        self.port.tell(self.attended && self.port.received.is_empty(), env);
    }
}

impl Block<Riscv> for Uart {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match self.bank.name_at(offset).0 {
            "rxtx" => u32::from(self.port.received.front().copied().unwrap_or(0)),
            "txfull" => 0,
            "txempty" => 1,
            "rxempty" => {
                self.attended = true;
                self.settle(env);
                u32::from(self.port.received.is_empty())
            }
            "rxfull" => u32::from(self.port.received.len() == FIFO),
            "ev_status" => TX | if self.port.received.is_empty() { 0 } else { RX },
            "ev_pending" => self.events.pending,
            "ev_enable" => self.events.enabled,
            _ => self.bank.read_absent(offset, env),
        }
    }

    fn still(&self, offset: u32, _: u64, _: &Shared) -> Option<u64> {
        let name = self.bank.name_at(offset).0;
        let still = match name {
            // A read tells that somebody listens.
            "rxempty" => self.attended,
            _ => matches!(name, "txfull" | "txempty" | "rxfull" | "ev_status" | "ev_pending" | "ev_enable"),
        };
        still.then_some(u64::MAX)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match self.bank.name_at(offset).0 {
            "rxtx" => self.port.print(write.ones() as u8, env),
            "ev_pending" => {
                self.events.pending &= !write.ones();
                if write.ones() & RX != 0 {
                    self.port.received.pop_front();
                    self.take_in();
                }
            }
            "ev_enable" => {
                self.events.enabled = write.over(self.events.enabled) & (TX | RX);
                self.attended |= self.events.enabled & RX != 0;
            }
            "txfull" | "txempty" | "rxempty" | "rxfull" | "ev_status" => {}
            _ => self.bank.absent(GapKind::RegisterWrite, offset, env),
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::new(self.bank);
        self.events.pending = TX;
        self.settle(env);
    }
}

impl Serial<Riscv> for Uart {
    fn number(&self) -> u8 {
        self.port.number
    }

    fn listens(&self) -> bool {
        self.port.listens()
    }

    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
        self.port.push(bytes, env);
        self.take_in();
        self.settle(env);
    }
}
