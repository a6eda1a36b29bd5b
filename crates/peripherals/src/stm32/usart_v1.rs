//! USART of STM32F1, F2 and F4, with one status and one data register (RM0390, "Universal synchronous asynchronous
//! receiver transmitter (USART)"; RM0008, the same chapter): asynchronous mode with exact frame lengths.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.
//! Not modelled, and counted when switched on: synchronous, smartcard, IrDA, LIN and single-wire modes, hardware flow
//! control, mute mode, break characters, and the levels of the pins.

use std::collections::VecDeque;

use cyclescope_machine::{Channel, GapKind, Mark, TimingRow};

use crate::bank::{all, some};
use crate::{Bank, Block, Effect, Env, Instance, Instant, Lines, Modelled, Serial, Source, Span, Tree, Words, Write};

const SR: u32 = 0x00;
const DR: u32 = 0x04;
const BRR: u32 = 0x08;
const CR1: u32 = 0x0C;
const CR2: u32 = 0x10;
const CR3: u32 = 0x14;

const RE: u32 = 1 << 2;
const TE: u32 = 1 << 3;
const PCE: u32 = 1 << 10;
const M: u32 = 1 << 12;
const UE: u32 = 1 << 13;
const OVER8: u32 = 1 << 15;

const PE: u32 = 1 << 0;
const FE: u32 = 1 << 1;
const NE: u32 = 1 << 2;
const ORE: u32 = 1 << 3;
const IDLE: u32 = 1 << 4;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;

const EIE: u32 = 1 << 0;
const DMAR: u32 = 1 << 6;
const DMAT: u32 = 1 << 7;

/// What is modelled, with the values after reset (RM0390, "USART register map").
pub const MODEL: &[Modelled] = &[
    some("SR", TC | TXE, &["PE", "FE", "NE", "ORE", "IDLE", "RXNE", "TC", "TXE"]),
    all("DR", 0),
    all("BRR", 0),
    some(
        "CR1",
        0,
        &["RE", "TE", "IDLEIE", "RXNEIE", "TCIE", "TXEIE", "PEIE", "PS", "PCE", "WAKE", "M0", "UE", "OVER8"],
    ),
    some("CR2", 0, &["STOP", "ADD"]),
    some("CR3", 0, &["EIE", "DMAR", "DMAT", "ONEBIT"]),
];

/// What is not in the baud rate.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "usart.start",
        what: "from a write to DR with an idle transmitter to the start bit, in periods of the baud rate's clock",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0390 gives no figure; the transmitter waits for its next baud tick, less than one bit",
    },
    TimingRow {
        name: "usart.rxne",
        what: "from the end of the last stop bit to RXNE, in periods of the baud rate's clock",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0390: the frame is transferred during the stop bit; no exact point given",
    },
];

/// Events of the block.
const SENT: u16 = 0;
const ARRIVED: u16 = 1;
const LINE_IDLE: u16 = 2;

/// One serial port.
#[derive(Clone, Debug)]
pub struct UsartV1 {
    bank: Bank,
    lines: Lines,
    number: u8,
    clock: Source,
    transmit_request: Option<u8>,
    receive_request: Option<u8>,
    /// Flags that a read of SR has shown: a read or write of DR then clears them.
    seen: u32,
    /// What waits in TDR behind the shift register.
    to_send: Option<u16>,
    /// What the shift register sends, and when its frame ends; `None` in it is the idle frame after TE was set.
    sending: Option<(Option<u16>, Instant)>,
    /// Bytes on their way in, and when the first one's frame ends.
    incoming: VecDeque<u8>,
    arriving: Instant,
    idle_at: Instant,
}

impl UsartV1 {
    /// The port `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        let digits = instance.name.trim_start_matches(|c: char| !c.is_ascii_digit());
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            number: digits.parse().unwrap_or(0),
            clock: instance.clock.source(),
            transmit_request: instance.request("TX"),
            receive_request: instance.request("RX"),
            seen: 0,
            to_send: None,
            sending: None,
            incoming: VecDeque::new(),
            arriving: Instant::NEVER,
            idle_at: Instant::NEVER,
        }
    }

    /// The length of one bit (RM0390, "Fractional baud rate generation"); zero while the settings make none.
    fn bit(&self, env: &Env<'_, '_>) -> Span {
        let brr = self.bank.get(BRR);
        // By 16: sixteenths of USARTDIV are clocks. By 8: the fraction has three bits, and a bit lasts eight USARTDIV.
        let ticks = if self.bank.get(CR1) & OVER8 != 0 { (brr >> 4) * 8 + (brr & 7) } else { brr };
        env.clocks().period_of(self.clock).times(u64::from(ticks))
    }

    /// Bits between start and stop, parity included (CR1.M).
    fn word_bits(&self) -> u32 {
        if self.bank.get(CR1) & M != 0 { 9 } else { 8 }
    }

    /// A frame: start, word, stop (CR2.STOP: 1, 0.5, 2, 1.5).
    fn frame(&self, env: &Env<'_, '_>) -> Span {
        let stop = [2, 1, 4, 3][(self.bank.get(CR2) >> 12 & 3) as usize];
        self.bit(env).times(u64::from(2 + 2 * self.word_bits() + stop)).half()
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
        if self.arriving != Instant::NEVER || self.incoming.is_empty() {
            return;
        }
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

    fn arrived(&mut self, env: &mut Env<'_, '_>) {
        if env.now() < self.arriving {
            return;
        }
        self.arriving = Instant::NEVER;
        let Some(byte) = self.incoming.pop_front() else { return };
        env.cycles(&ROWS[1]);
        if self.bank.get(SR) & RXNE != 0 {
            // The shift register is overwritten, what DR holds is not lost (RM0390, "Overrun error").
            self.bank.flag(SR, ORE, true);
        } else {
            self.bank.set(DR, u32::from(u16::from(byte) & self.data_mask()));
            self.bank.flag(SR, RXNE, true);
        }
        if self.incoming.is_empty() {
            self.idle_at = env.now().after(self.frame(env));
            env.schedule(LINE_IDLE, self.idle_at);
        }
        self.start_receiving(env);
    }

    fn start_sending(&mut self, env: &mut Env<'_, '_>) {
        if self.sending.is_some() || !self.sends() || self.to_send.is_none() {
            return;
        }
        let frame = self.frame(env);
        if frame == Span::ZERO {
            env.gap(GapKind::Setting, format_args!("USART{}_BRR=0: the transmitter has no clock", self.number));
            return;
        }
        env.cycles(&ROWS[0]);
        let done = env.now().after(frame);
        self.sending = Some((self.to_send.take(), done));
        env.schedule(SENT, done);
    }

    fn sent(&mut self, env: &mut Env<'_, '_>) {
        let Some((data, done)) = self.sending else { return };
        if env.now() < done {
            return;
        }
        self.sending = None;
        if let Some(data) = data {
            env.context.console.write(Channel::Uart(self.number), &[(data & self.data_mask()) as u8]);
            if self.to_send.is_none() {
                self.bank.flag(SR, TC, true);
            }
        }
        self.start_sending(env);
    }

    /// Puts TXE as the buffer says it, then drives interrupt and DMA requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(SR, TXE, self.to_send.is_none());
        let (sr, cr1, cr3) = (self.bank.get(SR), self.bank.get(CR1), self.bank.get(CR3));
        // RM0390, "USART interrupts": enable bit and the flags it lets through; errors have theirs only with DMA.
        let wants = [
            (cr1 & 1 << 4, IDLE),
            (cr1 & 1 << 5, RXNE | ORE),
            (cr1 & 1 << 6, TC),
            (cr1 & 1 << 7, TXE),
            (cr1 & 1 << 8, PE),
            (if cr3 & DMAR != 0 { cr3 & EIE } else { 0 }, FE | NE | ORE),
        ];
        let on = cr1 & UE != 0;
        let active = on && wants.iter().any(|(enable, flags)| *enable != 0 && sr & flags != 0);
        self.lines.drive(u32::from(active), env);
        if let Some(number) = self.transmit_request {
            env.effect(Effect::Request { number, active: cr3 & DMAT != 0 && sr & TXE != 0 && self.sends() });
        }
        if let Some(number) = self.receive_request {
            env.effect(Effect::Request { number, active: on && cr3 & DMAR != 0 && sr & RXNE != 0 });
        }
    }

    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & UE == 0 && old & UE != 0 {
            // RM0390, CR1.UE: prescalers and outputs stop at the end of the current byte; here at once.
            self.to_send = None;
            self.sending = None;
            env.cancel(SENT);
            self.bank.set(SR, TC | TXE);
        } else if new & (UE | TE) == UE | TE && old & (UE | TE) != UE | TE && self.sending.is_none() {
            // RM0390, "Character transmission": setting TE sends an idle frame first.
            let frame = self.frame(env);
            if frame != Span::ZERO {
                let done = env.now().after(frame);
                self.sending = Some((None, done));
                env.schedule(SENT, done);
            }
        }
        if (old ^ new) & (UE | TE) != 0 {
            env.effect(Effect::Output { signal: "TX", level: self.output("TX") });
        }
    }
}

impl Serial<Words> for UsartV1 {
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

impl Block<Words> for UsartV1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset, env);
        match offset {
            SR => self.seen = value,
            DR => {
                // A read of SR and then of DR clears these; a read of DR alone clears RXNE (RM0390, USART_SR).
                self.bank.flag(SR, RXNE | (self.seen & (PE | FE | NE | ORE | IDLE)), false);
                self.seen = 0;
                self.settle(env);
            }
            _ => {}
        }
        value
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // RXNE, TC, LBD and CTS are cleared by writing 0; the others are read-only (RM0390, USART_SR).
            SR => self.bank.flag(SR, write.zeros() & (RXNE | TC), false),
            DR => {
                self.to_send = Some((write.ones() & 0x1FF) as u16);
                // A read of SR and then a write to DR clears TC.
                self.bank.flag(SR, self.seen & TC, false);
                self.seen &= !TC;
                self.start_sending(env);
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == CR1 {
                    self.control(old, new, env);
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
                    self.bank.flag(SR, IDLE, true);
                }
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.seen = 0;
        self.to_send = None;
        self.sending = None;
        self.incoming.clear();
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

    fn refine(&mut self, times: u64) {
        self.sending = self.sending.map(|(data, done)| (data, done.refined(times)));
        self.arriving = self.arriving.refined(times);
        self.idle_at = self.idle_at.refined(times);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        // The idle level; frames are not shown bit by bit.
        (signal == "TX" && self.sends()).then_some(true)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
