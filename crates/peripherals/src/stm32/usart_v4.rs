//! USART with optional FIFOs, as on STM32C0 and STM32G0 (RM0490, "Universal synchronous receiver transmitter
//! (USART)"): asynchronous mode with exact frame lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! Not modelled, and counted when switched on: synchronous, smartcard, IrDA, LIN and single-wire modes, auto baud
//! rate, hardware flow control, receiver timeout, mute mode, break characters, and the levels of the pins.

use std::collections::VecDeque;

use cyclescope_machine::{Channel, GapKind, Mark, TimingRow};

use crate::bank::{all, some};
use crate::{Bank, Block, Effect, Env, Instance, Instant, Lines, Modelled, Serial, Source, Span, Tree, Words, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const CR3: u32 = 0x08;
const BRR: u32 = 0x0C;
const RQR: u32 = 0x18;
const ISR: u32 = 0x1C;
const ICR: u32 = 0x20;
const RDR: u32 = 0x24;
const TDR: u32 = 0x28;
const PRESC: u32 = 0x2C;

const UE: u32 = 1 << 0;
const RE: u32 = 1 << 2;
const TE: u32 = 1 << 3;
const PCE: u32 = 1 << 10;
const OVER8: u32 = 1 << 15;
const FIFOEN: u32 = 1 << 29;
/// RXFFIE, TXFEIE and FIFOEN.
const FIFO_BITS: u32 = 7 << 29;

const PE: u32 = 1 << 0;
const FE: u32 = 1 << 1;
const NE: u32 = 1 << 2;
const ORE: u32 = 1 << 3;
const IDLE: u32 = 1 << 4;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const BUSY: u32 = 1 << 16;
const CMF: u32 = 1 << 17;
const TEACK: u32 = 1 << 21;
const REACK: u32 = 1 << 22;
const TXFE: u32 = 1 << 23;
const RXFF: u32 = 1 << 24;
const RXFT: u32 = 1 << 26;
const TXFT: u32 = 1 << 27;

const DMAR: u32 = 1 << 6;
const DMAT: u32 = 1 << 7;
const OVRDIS: u32 = 1 << 12;
const EIE: u32 = 1 << 0;

/// Entries of each FIFO (RM0490, "USART implementation").
const FIFO: usize = 8;

/// What is modelled, with the values after reset (RM0490, "USART register map").
pub const MODEL: &[Modelled] = &[
    some(
        "CR1",
        0,
        &[
            "UE", "RE", "TE", "IDLEIE", "RXNEIE", "TCIE", "TXEIE", "PEIE", "PS", "PCE", "M0", "CMIE", "OVER8", "M1",
            "FIFOEN", "TXFEIE", "RXFFIE",
        ],
    ),
    some("CR2", 0, &["STOP", "ADD", "ADDM"]),
    some("CR3", 0, &["EIE", "DMAR", "DMAT", "OVRDIS", "DDRE", "ONEBIT", "TXFTIE", "RXFTCFG", "RXFTIE", "TXFTCFG"]),
    all("BRR", 0),
    some("RQR", 0, &["RXFRQ", "TXFRQ"]),
    all("ISR", 0x0000_00C0),
    all("ICR", 0),
    all("RDR", 0),
    all("TDR", 0),
    all("PRESC", 0),
];

/// What is not in the baud rate.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "usart.start",
        what: "from a write to TDR with an idle transmitter to the start bit, in periods of the baud rate's clock",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0490 gives no figure; the transmitter waits for its next baud tick, less than one bit",
    },
    TimingRow {
        name: "usart.rxne",
        what: "from the end of the last stop bit to RXNE, in periods of the baud rate's clock",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0490: the frame is transferred during the stop bit; no exact point given",
    },
];

/// Events of the block.
const SENT: u16 = 0;
const ARRIVED: u16 = 1;
const LINE_IDLE: u16 = 2;

/// One serial port.
#[derive(Clone, Debug)]
pub struct UsartV4 {
    bank: Bank,
    lines: Lines,
    number: u8,
    /// Whether it has FIFOs (RM0490, "USART implementation": full and basic features).
    full: bool,
    clock: Source,
    transmit_request: Option<u8>,
    receive_request: Option<u8>,
    /// What waits behind the shift register, oldest first: one entry without FIFO, eight with.
    to_send: VecDeque<u16>,
    /// What the shift register sends, and when its frame ends; `None` in it is the idle frame after TE was set.
    sending: Option<(Option<u16>, Instant)>,
    received: VecDeque<u16>,
    /// Bytes on their way in, and when the first one's frame ends.
    incoming: VecDeque<u8>,
    arriving: Instant,
    idle_at: Instant,
}

impl UsartV4 {
    /// The port `instance`, clocked by PCLK; `full` says whether it has FIFOs.
    pub fn new(instance: &Instance, full: bool) -> Self {
        let digits = instance.name.trim_start_matches(|c: char| !c.is_ascii_digit());
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            number: digits.parse().unwrap_or(0),
            full,
            clock: Source::Pclk,
            transmit_request: instance.request("TX"),
            receive_request: instance.request("RX"),
            to_send: VecDeque::new(),
            sending: None,
            received: VecDeque::new(),
            incoming: VecDeque::new(),
            arriving: Instant::NEVER,
            idle_at: Instant::NEVER,
        }
    }

    fn fifo(&self) -> bool {
        self.full && self.bank.get(CR1) & FIFOEN != 0
    }

    fn depth(&self) -> usize {
        if self.fifo() { FIFO } else { 1 }
    }

    /// The length of one bit (RM0490, "USART baud rate generation"); zero while the settings make none.
    fn bit(&self, env: &Env<'_, '_>) -> Span {
        const PRESCALERS: [u64; 16] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256, 256, 256, 256, 256];
        let brr = self.bank.get(BRR);
        let ticks = if self.bank.get(CR1) & OVER8 != 0 {
            // BRR[2:0] holds USARTDIV[3:0] shifted right; a bit lasts USARTDIV / 2.
            ((brr & 0xFFF0) | (brr & 7) << 1) / 2
        } else {
            brr
        };
        let clock = env.clocks().period_of(self.clock);
        clock.times(PRESCALERS[(self.bank.get(PRESC) & 15) as usize]).times(u64::from(ticks))
    }

    /// Bits between start and stop, parity included (CR1.M).
    fn word_bits(&self) -> u32 {
        match self.bank.get(CR1) & (1 << 28 | 1 << 12) {
            0 => 8,
            0x1000 => 9,
            _ => 7,
        }
    }

    /// A frame in halves of a bit: start, word, stop (CR2.STOP: 1, 0.5, 2, 1.5).
    fn frame_half_bits(&self) -> u64 {
        let stop = [2, 1, 4, 3][(self.bank.get(CR2) >> 12 & 3) as usize];
        u64::from(2 + 2 * self.word_bits() + stop)
    }

    fn frame(&self, env: &Env<'_, '_>) -> Span {
        self.bit(env).times(self.frame_half_bits()).half()
    }

    /// The bits of a frame that are data.
    fn data_mask(&self) -> u16 {
        let parity = u32::from(self.bank.get(CR1) & PCE != 0);
        (1 << (self.word_bits() - parity)) - 1
    }

    fn sends(&self) -> bool {
        self.bank.get(CR1) & (UE | TE) == UE | TE
    }

    fn receives(&self) -> bool {
        self.bank.get(CR1) & (UE | RE) == UE | RE
    }

    fn start_receiving(&mut self, env: &mut Env<'_, '_>) {
        if self.arriving == Instant::NEVER && !self.incoming.is_empty() {
            let frame = self.frame(env);
            if frame == Span::ZERO || !self.receives() {
                // Nobody listens: the bytes are lost, as on the wire.
                self.incoming.clear();
                env.gap(GapKind::Setting, format_args!("USART{}: bytes sent to a receiver that is off", self.number));
                return;
            }
            self.arriving = env.now().after(frame);
            self.idle_at = Instant::NEVER;
            env.schedule(ARRIVED, self.arriving);
            env.cancel(LINE_IDLE);
        }
    }

    fn arrived(&mut self, env: &mut Env<'_, '_>) {
        if env.now() < self.arriving {
            return;
        }
        self.arriving = Instant::NEVER;
        let Some(byte) = self.incoming.pop_front() else { return };
        env.cycles(&ROWS[1]);
        let cr3 = self.bank.get(CR3);
        if self.received.len() < self.depth() {
            self.received.push_back(u16::from(byte) & self.data_mask());
        } else if cr3 & OVRDIS != 0 {
            // Overrun disabled: the new data takes the old one's place.
            self.received.pop_back();
            self.received.push_back(u16::from(byte) & self.data_mask());
        } else {
            self.bank.flag(ISR, ORE, true);
        }
        if u32::from(byte) == self.bank.get(CR2) >> 24 {
            self.bank.flag(ISR, CMF, true);
        }
        if self.incoming.is_empty() {
            self.idle_at = env.now().after(self.frame(env));
            env.schedule(LINE_IDLE, self.idle_at);
        }
        self.start_receiving(env);
    }

    fn start_sending(&mut self, env: &mut Env<'_, '_>) {
        if self.sending.is_some() || !self.sends() {
            return;
        }
        let frame = self.frame(env);
        if frame == Span::ZERO {
            if !self.to_send.is_empty() {
                env.gap(GapKind::Setting, format_args!("USART{}_BRR=0: the transmitter has no clock", self.number));
            }
            return;
        }
        if let Some(data) = self.to_send.pop_front() {
            env.cycles(&ROWS[0]);
            let done = env.now().after(frame);
            self.sending = Some((Some(data), done));
            env.schedule(SENT, done);
        }
    }

    fn sent(&mut self, env: &mut Env<'_, '_>) {
        let Some((data, done)) = self.sending else { return };
        if env.now() < done {
            return;
        }
        self.sending = None;
        if let Some(data) = data {
            env.context.console.write(Channel::Uart(self.number), &[(data & self.data_mask()) as u8]);
            if self.to_send.is_empty() {
                self.bank.flag(ISR, TC, true);
            }
        }
        self.start_sending(env);
    }

    /// Puts the flags that follow from the buffers into ISR, then drives interrupt and DMA requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (cr1, cr3) = (self.bank.get(CR1), self.bank.get(CR3));
        let depth = self.depth();
        let mut set = 0;
        if self.to_send.len() < depth {
            set |= TXE;
        }
        if !self.received.is_empty() {
            set |= RXNE;
        }
        if self.sends() {
            set |= TEACK;
        }
        if self.receives() {
            set |= REACK;
        }
        if self.arriving != Instant::NEVER {
            set |= BUSY;
        }
        if self.fifo() {
            if self.to_send.is_empty() {
                set |= TXFE;
            }
            if self.received.len() == depth {
                set |= RXFF;
            }
            if self.received.len() >= threshold(cr3 >> 25) {
                set |= RXFT;
            }
            if depth - self.to_send.len().min(depth) >= threshold(cr3 >> 29) {
                set |= TXFT;
            }
        }
        let follows = TXE | RXNE | TEACK | REACK | BUSY | TXFE | RXFF | RXFT | TXFT;
        let isr = (self.bank.get(ISR) & !follows) | set;
        self.bank.set(ISR, isr);

        // RM0490, "USART interrupts": enable bit and the flags it lets through.
        let wants = [
            (cr1 & 1 << 4, IDLE),
            (cr1 & 1 << 5, RXNE | ORE),
            (cr1 & 1 << 6, TC),
            (cr1 & 1 << 7, TXE),
            (cr1 & 1 << 8, PE),
            (cr1 & 1 << 14, CMF),
            (cr1 & 1 << 30, TXFE),
            (cr1 & 1 << 31, RXFF),
            (cr3 & EIE, FE | NE | ORE),
            (cr3 & 1 << 28, RXFT),
            (cr3 & 1 << 23, TXFT),
        ];
        let active = cr1 & UE != 0 && wants.iter().any(|(enable, flags)| *enable != 0 && isr & flags != 0);
        self.lines.drive(u32::from(active), env);

        let on = cr1 & UE != 0;
        if let Some(number) = self.transmit_request {
            let active = on && cr3 & DMAT != 0 && isr & TXE != 0 && self.sends();
            env.effect(Effect::Request { number, active });
        }
        if let Some(number) = self.receive_request {
            let active = on && cr3 & DMAR != 0 && isr & RXNE != 0;
            env.effect(Effect::Request { number, active });
        }
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & UE == 0 {
            // RM0490, CR1.UE: transmission and reception stop at once, the flags go to their reset values.
            self.to_send.clear();
            self.received.clear();
            self.sending = None;
            env.cancel(SENT);
            self.bank.set(ISR, TC | TXE);
        } else if new & TE != 0 && old & (UE | TE) != UE | TE && self.sending.is_none() {
            // RM0490, "Character transmission procedure": setting TE sends an idle frame first.
            let frame = self.frame(env);
            if frame != Span::ZERO {
                let done = env.now().after(frame);
                self.sending = Some((None, done));
                env.schedule(SENT, done);
            }
        }
        if new & RE == 0 {
            self.received.clear();
        }
    }
}

/// The fill that TXFTCFG or RXFTCFG means, of eight (RM0490, CR3: 1/8, 1/4, 1/2, 3/4, 7/8, all).
fn threshold(code: u32) -> usize {
    [1, 2, 4, 6, 7, 8, 8, 8][(code & 7) as usize]
}

impl Serial<Words> for UsartV4 {
    fn number(&self) -> u8 {
        self.number
    }

    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
        self.incoming.extend(bytes);
        self.start_receiving(env);
    }

    fn set_clock(&mut self, clock: Source) -> bool {
        std::mem::replace(&mut self.clock, clock) != clock
    }
}

impl Block<Words> for UsartV4 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != RDR {
            return self.bank.read(offset, env);
        }
        if let Some(data) = self.received.pop_front() {
            self.bank.set(RDR, u32::from(data));
            self.settle(env);
        }
        self.bank.get(RDR)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            TDR => {
                let data = (write.ones() & 0x1FF) as u16;
                if self.to_send.len() == self.depth() {
                    // Written while full: without FIFO the data is overwritten.
                    self.to_send.pop_back();
                }
                self.to_send.push_back(data);
                self.bank.flag(ISR, TC, false);
                self.start_sending(env);
            }
            ICR => self.bank.flag(ISR, write.ones() & (PE | FE | NE | ORE | IDLE | TC | CMF | 1 << 8 | 1 << 9), false),
            RQR => {
                self.bank.write(RQR, write, env);
                if write.ones() & 1 << 3 != 0 {
                    self.received.clear();
                }
                if write.ones() & 1 << 4 != 0 {
                    self.to_send.clear();
                }
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == CR1 && !self.full {
                    // Reserved where there is no FIFO (RM0490, "USART implementation").
                    self.bank.flag(CR1, FIFO_BITS, false);
                }
                if offset == CR1 {
                    self.control(old, new, env);
                    if (old ^ new) & (UE | TE) != 0 {
                        env.effect(Effect::Output { signal: "TX", level: self.output("TX") });
                    }
                }
                self.start_sending(env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            SENT => self.sent(env),
            ARRIVED => self.arrived(env),
            _ => {
                if env.now() >= self.idle_at {
                    self.idle_at = Instant::NEVER;
                    self.bank.flag(ISR, IDLE, true);
                }
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.to_send.clear();
        self.received.clear();
        self.incoming.clear();
        self.sending = None;
        (self.arriving, self.idle_at) = (Instant::NEVER, Instant::NEVER);
        for kind in [SENT, ARRIVED, LINE_IDLE] {
            env.cancel(kind);
        }
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let before = old.period_of(self.clock);
        let (now, after) = (env.now(), env.clocks().period_of(self.clock));
        let moved = |at: Instant| {
            if at == Instant::NEVER { at } else { now.after(at.since(now).rescaled(before, after)) }
        };
        self.sending = self.sending.map(|(data, done)| (data, moved(done)));
        self.arriving = moved(self.arriving);
        self.idle_at = moved(self.idle_at);
        env.schedule(SENT, self.sending.map_or(Instant::NEVER, |(_, done)| done));
        env.schedule(ARRIVED, self.arriving);
        env.schedule(LINE_IDLE, self.idle_at);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        // The idle level; frames are not shown bit by bit.
        (signal == "TX" && self.sends()).then_some(true)
    }

    fn refine(&mut self, times: u64) {
        self.sending = self.sending.map(|(data, done)| (data, done.refined(times)));
        self.arriving = self.arriving.refined(times);
        self.idle_at = self.idle_at.refined(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
