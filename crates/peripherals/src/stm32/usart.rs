//! The parts that all versions of ST's USART have in common: flags, baud rate clock, interrupt and DMA requests.

use cyclescope_machine::{Mark, TimingRow};

use crate::serial::{Format, Port};
use crate::{Bank, DmaRequest, Env, Instance, Instant, Lines, Modelled, Source, Span};

/// Flags of SR and ISR.
pub(super) const PE: u32 = 1 << 0;
pub(super) const FE: u32 = 1 << 1;
pub(super) const NE: u32 = 1 << 2;
pub(super) const ORE: u32 = 1 << 3;
pub(super) const IDLE: u32 = 1 << 4;
pub(super) const RXNE: u32 = 1 << 5;
pub(super) const TC: u32 = 1 << 6;
pub(super) const TXE: u32 = 1 << 7;

/// Bits of CR1.
pub(super) const RE: u32 = 1 << 2;
pub(super) const TE: u32 = 1 << 3;
pub(super) const PCE: u32 = 1 << 10;
pub(super) const OVER8: u32 = 1 << 15;

/// Bits of CR3.
pub(super) const EIE: u32 = 1 << 0;
pub(super) const DMAR: u32 = 1 << 6;
pub(super) const DMAT: u32 = 1 << 7;

/// The row for the wait of an idle transmitter.
pub(super) const fn start(what: &'static str, source: &'static str) -> TimingRow {
    TimingRow { name: "usart.start", what, cycles: 0, mark: Mark::Assumed, source }
}

/// The row for the flag of a received character.
pub(super) const fn received(source: &'static str) -> TimingRow {
    let what = "from the end of the last stop bit to RXNE, in periods of the baud rate's clock";
    TimingRow { name: "usart.rxne", what, cycles: 0, mark: Mark::Assumed, source }
}

/// A port behind its registers.
#[derive(Clone, Debug)]
pub(super) struct Usart {
    pub(super) bank: Bank,
    pub(super) port: Port<Instant>,
    pub(super) clock: Source,
    lines: Lines,
    transmit: DmaRequest,
    receive: DmaRequest,
}

impl Usart {
    /// The port `instance`, clocked by its bus.
    pub(super) fn new(instance: &Instance, model: &[Modelled]) -> Self {
        Self {
            bank: Bank::new(instance.map, model),
            port: Port::named(instance.name),
            clock: instance.clock.source(),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
        }
    }

    /// A character of `word` bits, parity included, as CR1 (PCE) and CR2 (STOP: 1, 0.5, 2, 1.5) have it.
    pub(super) fn format(&self, word: u32, cr1: u32, cr2: u32) -> Format {
        let parity = cr1 & PCE != 0;
        let stop_halves = [2, 1, 4, 3][(cr2 >> 12 & 3) as usize];
        Format { data: word - u32::from(parity), parity, stop_halves }
    }

    /// The end of a frame that begins now, with bits of `ticks` periods of the clock; `None` where that is none.
    pub(super) fn frame_end(&self, format: Format, ticks: u64, env: &Env<'_, '_>) -> Option<Instant> {
        let frame = env.clocks().period_of(self.clock).times(ticks).times(format.half_bits()).half();
        (frame != Span::ZERO).then(|| env.now().after(frame))
    }

    /// Shows `character` on the console.
    pub(super) fn print(&self, character: u16, format: Format, env: &mut Env<'_, '_>) {
        self.port.print((character & format.mask()) as u8, env);
    }

    /// Drives the interrupt, high if `on` and one of `wants` (an enable bit and the flags it lets through) has a flag in
    /// `status`, and the DMA requests.
    pub(super) fn drive(
        &self,
        on: bool,
        wants: &[(u32, u32)],
        status: u32,
        (transmit, receive): (bool, bool),
        env: &mut Env<'_, '_>,
    ) {
        let active = on && wants.iter().any(|(enable, flags)| *enable != 0 && status & flags != 0);
        self.lines.drive(u32::from(active), env);
        self.transmit.drive(transmit, env);
        self.receive.drive(receive, env);
    }
}
