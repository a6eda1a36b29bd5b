//! UART of the ESP8266 (ESP8266 Technical Reference 1.7, "UART"; `uart_register.h`) and of the ESP32 (TRM, "UART Controller").
//!
//! The registers of both are the same up to UART_RXD_CNT; the ESP32 has more interrupts and a fraction of its divider. A byte sent
//! goes to the console when its last stop bit ends. Frames of what is outside have the port's format, so that none is in error.
//! Breaks, the measurement of bit rates, inverted signals, RS-485, IrDA, flow control by characters, and memory beyond 128
//! bytes a FIFO are not modelled.

use cyclescope_machine::TimingRow;

use super::REF_TICK;
use super::registers::bank;
use crate::bank::{all, some};
use crate::serial::{Format, Port, Registers};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words,
    Write,
};

const FIFO: u32 = 0x00;
const INT_RAW: u32 = 0x04;
const INT_ST: u32 = 0x08;
const INT_ENA: u32 = 0x0C;
const INT_CLR: u32 = 0x10;
const CLKDIV: u32 = 0x14;
const STATUS: u32 = 0x1C;
const CONF0: u32 = 0x20;
const CONF1: u32 = 0x24;

const RXFIFO_FULL: u32 = 1 << 0;
const TXFIFO_EMPTY: u32 = 1 << 1;
const RXFIFO_OVF: u32 = 1 << 4;
const CTS_CHG: u32 = 1 << 6;
const RXFIFO_TOUT: u32 = 1 << 8;
/// Of the ESP32 alone.
const TX_DONE: u32 = 1 << 14;

const PARITY_ODD: u32 = 1 << 0;
const PARITY_EN: u32 = 1 << 1;
const SW_RTS: u32 = 1 << 6;
const LOOPBACK: u32 = 1 << 14;
const TX_FLOW_EN: u32 = 1 << 15;
const RXFIFO_RST: u32 = 1 << 17;
const TXFIFO_RST: u32 = 1 << 18;
const TICK_REF_ALWAYS_ON: u32 = 1 << 27;

const RX_FLOW_EN: u32 = 1 << 23;
const RX_TOUT_EN: u32 = 1 << 31;

/// Bits of STATUS: RXD, CTSN, RTSN and TXD.
const RXD: u32 = 1 << 15;
const CTSN: u32 = 1 << 14;
const RTSN: u32 = 1 << 30;
const TXD: u32 = 1 << 31;

/// ST_UTX_OUT of the ESP32, 0 while the transmitter is idle. Here a data bit stands for all of a frame.
const TRANSMITS: u32 = 2 << 24;

/// Bytes of each FIFO.
const DEPTH: usize = 128;

/// The times that no rate decides.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "uart.start",
        "periods of the UART's clock from a byte in an idle transmitter to its start bit",
        0,
        "neither manual says",
    ),
    TimingRow::assumed(
        "uart.timeout",
        "bits in one unit of RX_TOUT_THRHD",
        8,
        "esp-idf and ESP8266_RTOS_SDK, uart drivers: the threshold counts the time of a byte, 8 bits without start and stop; no \
         manual says",
    ),
];

/// The ESP8266's, of which the vendor gives no values after reset.
pub const UART_8266: &[Modelled] = &[
    all("FIFO", 0).and(&["INT_RAW", "INT_ST", "INT_ENA", "INT_CLR", "CLKDIV", "STATUS", "CONF1"]),
    some(
        "CONF0",
        0,
        &[
            "PARITY",
            "PARITY_EN",
            "BIT_NUM",
            "STOP_BIT_NUM",
            "SW_RTS",
            "UART_LOOPBACK",
            "TX_FLOW_EN",
            "RXFIFO_RST",
            "TXFIFO_RST",
        ],
    ),
];

/// The ESP32's.
pub const UART_32: &[Modelled] = &[
    all("FIFO", 0).and(&["INT_RAW", "INT_ST", "INT_ENA", "INT_CLR", "CLKDIV", "STATUS", "CONF1"]),
    some(
        "CONF0",
        0,
        &[
            "PARITY",
            "PARITY_EN",
            "BIT_NUM",
            "STOP_BIT_NUM",
            "SW_RTS",
            "LOOPBACK",
            "TX_FLOW_EN",
            "RXFIFO_RST",
            "TXFIFO_RST",
            "TICK_REF_ALWAYS_ON",
        ],
    )
    .unseen(&["CLK_EN", "ERR_WR_MASK"]),
];

/// One port.
#[derive(Clone, Debug)]
pub struct Uart {
    bank: Bank,
    lines: Lines,
    port: Port<Instant>,
    pins: &'static [AlternateFunction],
    is_esp32: bool,
    /// The level of CTS, where a pin has it.
    cts: Option<bool>,
    /// The level of RTS, as the pin knows it.
    rts: Option<bool>,
    timed_out: bool,
}

impl Uart {
    /// The port after reset.
    pub fn new(instance: &Instance) -> Self {
        let is_esp32 = instance.map.version == "esp32";
        Self {
            bank: bank(instance.map, if is_esp32 { UART_32 } else { UART_8266 }),
            lines: Lines::new(instance, &[("UART", u32::MAX)]),
            port: Port::named(instance.name),
            pins: instance.pins,
            is_esp32,
            cts: None,
            rts: None,
            timed_out: false,
        }
    }

    /// The level of CTS, as the port knows it.
    pub fn seen(&self) -> Option<bool> {
        self.cts
    }

    fn has(&self, offset: u32, bits: u32) -> bool {
        self.bank.get(offset) & bits != 0
    }

    /// The clock that the divider counts: the APB's, or REF_TICK where the program asks the ESP32 for it.
    fn clock(&self) -> Source {
        if self.is_esp32 && !self.has(CONF0, TICK_REF_ALWAYS_ON) { REF_TICK } else { Source::Pclk }
    }

    /// `halves` of a bit: a bit is CLKDIV periods of the clock, and on the ESP32 FRAG sixteenths.
    fn halves(&self, halves: u64, env: &Env<'_, '_>) -> Span {
        let divider = self.bank.get(CLKDIV);
        let sixteenths = u64::from(divider & 0xF_FFFF) << 4 | u64::from(divider >> 20 & 0xF);
        let clock = env.clocks().period_of(self.clock());
        clock.times(sixteenths * halves).rescaled(clock.times(32), clock)
    }

    /// The form of frames: BIT_NUM counts from 5; STOP_BIT_NUM 1 to 3 are 1, 1.5 and 2.
    fn format(&self) -> Format {
        let conf = self.bank.get(CONF0);
        let stop_halves = [2, 2, 3, 4][(conf >> 4 & 3) as usize];
        Format { data: 5 + (conf >> 2 & 3), parity: conf & PARITY_EN != 0, stop_halves }
    }

    fn threshold(&self, low: u32) -> usize {
        (self.bank.get(CONF1) >> low & 0x7F) as usize
    }

    /// True if the port asks the other end to send.
    fn asks_to_send(&self) -> bool {
        if self.has(CONF1, RX_FLOW_EN) {
            self.port.received.len() < self.threshold(16)
        } else {
            self.has(CONF0, SW_RTS)
        }
    }

    fn write_data(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        // A byte for a full FIFO is lost; programs look at TXFIFO_CNT first.
        if self.port.to_send.len() < DEPTH && !self.has(CONF0, TXFIFO_RST) {
            self.port.to_send.push_back(byte.into());
            self.transmit(env);
        }
    }

    fn read_data(&mut self, env: &mut Env<'_, '_>) -> u32 {
        let byte = self.port.received.pop_front();
        if self.port.received.is_empty() {
            self.port.quiet_at(Instant::NEVER, env);
        }
        self.settle(env);
        byte.map_or(0, u32::from)
    }

    /// Flags whose condition holds now. They come again as often as a program clears them.
    fn conditions(&self) -> u32 {
        let received = self.port.received.len();
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        flag(received > 0 && received >= self.threshold(0), RXFIFO_FULL)
            | flag(self.port.to_send.len() < self.threshold(8), TXFIFO_EMPTY)
            | flag(self.timed_out && received > 0, RXFIFO_TOUT)
    }

    fn apply_resets(&mut self, env: &mut Env<'_, '_>) {
        if self.has(CONF0, RXFIFO_RST) {
            self.port.received.clear();
            self.port.quiet_at(Instant::NEVER, env);
            self.timed_out = false;
        }
        if self.has(CONF0, TXFIFO_RST) {
            self.port.to_send.clear();
        }
    }
}

impl Registers<Words> for Uart {
    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let frame = self.halves(self.format().half_bits(), env);
        (frame != Span::ZERO).then(|| env.now().after(frame))
    }

    fn sends(&self) -> bool {
        true
    }

    fn receives(&self) -> bool {
        true
    }

    fn may_send(&self) -> bool {
        !self.has(CONF0, TX_FLOW_EN) || self.cts != Some(true)
    }

    fn may_receive(&self) -> bool {
        !self.has(CONF1, RX_FLOW_EN) || self.asks_to_send()
    }

    fn is_looped(&self) -> bool {
        self.has(CONF0, LOOPBACK)
    }

    fn started(&mut self, character: u16, env: &mut Env<'_, '_>) {
        env.cycles(&ROWS[0]);
        if !self.pins.is_empty() {
            let (levels, count) = self.format().levels(character, self.has(CONF0, PARITY_ODD));
            let half = self.halves(1, env);
            let steps = [half, self.halves(2, env).minus(half)];
            env.wave(Wave { signal: "TX", start: env.now(), steps, levels, count });
        }
        if self.is_looped() {
            self.port.push(&[character as u8], env);
            self.listen(env);
        }
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.port.print(character & self.format().mask(), env);
        if self.is_esp32 && self.port.to_send.is_empty() {
            self.bank.flag(INT_RAW, TX_DONE, true);
        }
    }

    fn arrived(&mut self, byte: u8, _: &mut Env<'_, '_>) {
        let byte = byte & self.format().mask() as u8;
        self.timed_out = false;
        if self.has(CONF0, RXFIFO_RST) {
            return;
        }
        if !self.port.take(byte, DEPTH) {
            self.bank.flag(INT_RAW, RXFIFO_OVF, true);
        }
    }

    fn quiet_from(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let units = self.threshold(24) as u64;
        let bits = units * u64::from(ROWS[1].cycles);
        (self.has(CONF1, RX_TOUT_EN) && units > 0 && !self.port.received.is_empty())
            .then(|| env.now().after(self.halves(2 * bits, env)))
    }

    fn quiet(&mut self) {
        self.timed_out = true;
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        if self.port.received.is_empty() {
            self.timed_out = false;
        }
        if self.timed_out {
            env.wires.note(&ROWS[1]);
        }
        self.bank.flag(INT_RAW, self.conditions(), true);
        let (waiting, received) = (self.port.to_send.len() as u32, self.port.received.len() as u32);
        let asks = self.asks_to_send();
        let lines = [(CTSN, self.cts == Some(true)), (RTSN, !asks), (RXD, true), (TXD, !self.port.is_sending())];
        let lines = lines.iter().fold(0, |bits, (bit, high)| if *high { bits | bit } else { bits });
        let state = if self.is_esp32 && self.port.is_sending() { TRANSMITS } else { 0 };
        self.bank.set(STATUS, lines | state | waiting << 16 | received);
        let raised = self.bank.get(INT_RAW) & self.bank.get(INT_ENA);
        self.bank.set(INT_ST, raised);
        self.lines.drive(raised, env);
        let level = Some(!asks);
        if level != std::mem::replace(&mut self.rts, level) {
            env.effect(Effect::Output { signal: "RTS", level });
            self.listen(env);
        }
        self.tell(env);
    }
}

impl Block<Words> for Uart {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == FIFO { self.read_data(env) } else { self.bank.read(offset, env) }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == FIFO { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            FIFO => self.write_data(write.value as u8, env),
            INT_CLR => self.bank.flag(INT_RAW, write.ones(), false),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        if offset == INT_CLR && write.ones() & RXFIFO_TOUT != 0 {
            self.timed_out = false;
        }
        self.apply_resets(env);
        self.transmit(env);
        self.settle(env);
        self.listen(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.line_event(kind, env);
    }

    fn hears(&self, index: usize) -> bool {
        self.pins.get(index).is_some_and(|wired| wired.signal == "CTS")
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if self.hears(index) && self.cts.replace(high) != Some(high) {
            self.bank.flag(INT_RAW, CTS_CHG, true);
            self.transmit(env);
            self.settle(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.port.reset(env);
        env.end_waves();
        (self.cts, self.timed_out) = (None, false);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(self.clock(), &old, env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        match signal {
            "TX" => Some(true),
            "RTS" => Some(!self.asks_to_send()),
            _ => None,
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
