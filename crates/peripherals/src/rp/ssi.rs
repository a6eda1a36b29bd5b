//! Serial interface of the XIP block (RP-008371-DS, "SSI": Synopsys DW_apb_ssi), with the flash chip on its wires.
//!
//! A transaction lasts while there are frames to send, as the select line does unless the pin's override holds it. A read through
//! the XIP window takes the clocks that the registers say: [`Ssi::read_cycles`].

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow};

use super::Message;
use super::nor::Nor;
use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

const CTRLR0: u32 = 0x00;
const CTRLR1: u32 = 0x04;
const SSIENR: u32 = 0x08;
const SER: u32 = 0x10;
const BAUDR: u32 = 0x14;
const TXFLR: u32 = 0x20;
const RXFLR: u32 = 0x24;
const SR: u32 = 0x28;
const IMR: u32 = 0x2C;
const ISR: u32 = 0x30;
const RISR: u32 = 0x34;
const TXOICR: u32 = 0x38;
const RXOICR: u32 = 0x3C;
const RXUICR: u32 = 0x40;
const ICR: u32 = 0x48;
const TXFTLR: u32 = 0x18;
const RXFTLR: u32 = 0x1C;
const DMACR: u32 = 0x4C;
const DMATDLR: u32 = 0x50;
const DMARDLR: u32 = 0x54;
const DR0: u32 = 0x60;
const DR_END: u32 = 0xF0;
const SPI_CTRLR0: u32 = 0xF4;

/// SR.
const BUSY: u32 = 1 << 0;
const TFNF: u32 = 1 << 1;
const TFE: u32 = 1 << 2;
const RFNE: u32 = 1 << 3;
const RFF: u32 = 1 << 4;
/// Interrupts.
const TXEI: u32 = 1 << 0;
const TXOI: u32 = 1 << 1;
const RXUI: u32 = 1 << 2;
const RXOI: u32 = 1 << 3;
const RXFI: u32 = 1 << 4;

/// CTRLR0.TMOD.
const TX_ONLY: u32 = 1;
const RX_ONLY: u32 = 2;
const EEPROM_READ: u32 = 3;

/// Words of each FIFO.
const DEPTH: usize = 16;

/// The event at which a frame, or what precedes the first received one, ends.
const FRAME: u16 = 0;

/// The registers that are modelled in part: delays of sampling change no number here.
pub const PARTLY: &[Modelled] = &[
    some("CTRLR0", 0, &["SPI_FRF", "DFS_32", "TMOD"]).unseen(&["SSTE", "SLV_OE", "SCPOL", "SCPH"]),
    some("MWCR", 0, &[]),
    some("RX_SAMPLE_DLY", 0, &[]).unseen(&["RSD"]),
    some("SPI_CTRLR0", 0, &["XIP_CMD", "WAIT_CYCLES", "INST_L", "ADDR_L", "TRANS_TYPE"]),
    some("TXD_DRIVE_EDGE", 0, &[]).unseen(&["TDE"]),
];

/// The time that a transaction takes beyond its clocks.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "xip.overhead",
    "cycles of a read through the XIP window beyond its serial clocks",
    0,
    "RP-008371-DS gives none; 40 cycles a read of 20 clocks with a divider of 2 were measured (klipper#6464: 320 ns at 125 MHz)",
)];

/// The transaction under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    /// A frame is exchanged.
    Exchange(u32),
    /// Instruction and address go out before data comes in; the number of frames to come.
    Control(u32),
    /// Frames come in, so many with this one.
    Receive(u32),
}

/// The block.
#[derive(Clone, Debug)]
pub struct Ssi {
    bank: Bank,
    sent: VecDeque<u32>,
    received: VecDeque<u32>,
    phase: Phase,
    due: Instant,
    /// Sticky interrupts.
    raised: u32,
    /// The pin's override holds the select line low (`true`) or high.
    forced: Option<bool>,
    nor: Nor,
    /// The address of the next byte that an enhanced read delivers.
    address: u32,
    requests: [(DmaRequest, bool); 2],
}

impl Ssi {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            sent: VecDeque::new(),
            received: VecDeque::new(),
            phase: Phase::Idle,
            due: Instant::NEVER,
            raised: 0,
            forced: None,
            nor: Nor::default(),
            address: 0,
            requests: ["TX", "RX"].map(|signal| (DmaRequest::new(instance, signal), false)),
        }
    }

    /// The pin's override holds the select line low, high, or (`None`) leaves it to the block.
    pub fn force_select(&mut self, low: Option<bool>, env: &mut Env<'_, '_>) {
        self.forced = low;
        self.select(env);
    }

    fn select(&mut self, env: &mut Env<'_, '_>) {
        let selected = self.forced.unwrap_or(self.phase != Phase::Idle);
        self.nor.select(selected, env);
    }

    fn is_enabled(&self) -> bool {
        self.bank.get(SSIENR) & 1 != 0
    }

    fn mode(&self) -> u32 {
        self.bank.get(CTRLR0) >> 8 & 3
    }

    /// Data lines: 1, 2 or 4.
    fn lanes(&self) -> u32 {
        1 << (self.bank.get(CTRLR0) >> 21 & 3).min(2)
    }

    fn frame_bits(&self) -> u32 {
        (self.bank.get(CTRLR0) >> 16 & 31) + 1
    }

    /// Bits of instruction and address of an enhanced transaction.
    fn header_bits(&self) -> (u32, u32) {
        let control = self.bank.get(SPI_CTRLR0);
        ([0, 4, 8, 16][(control >> 8 & 3) as usize], (control >> 2 & 15) * 4)
    }

    /// Serial clocks of instruction, address and waiting.
    fn header_clocks(&self) -> u32 {
        let control = self.bank.get(SPI_CTRLR0);
        let (instruction, address) = self.header_bits();
        let kind = control & 3;
        let lanes = |wide: bool| if wide { self.lanes() } else { 1 };
        instruction.div_ceil(lanes(kind >= 2)) + address.div_ceil(lanes(kind >= 1)) + (control >> 11 & 31)
    }

    /// Cycles of a serial clock; 0 while there is none.
    fn divider(&self) -> u32 {
        self.bank.get(BAUDR) & 0xFFFE
    }

    /// The cycles that a read of a word through the XIP window takes; `None` if the registers or the chip do not allow any.
    pub fn read_cycles(&self) -> Option<u32> {
        let fits = self.is_enabled() && self.divider() != 0 && self.mode() == EEPROM_READ && self.frame_bits() == 32;
        // Without a command that is sent or appended, the registers are those of a transaction by hand.
        let fits = fits && self.bank.get(SPI_CTRLR0) >> 24 != 0;
        let clocks = self.header_clocks() + 32 / self.lanes();
        fits.then(|| clocks * self.divider() + ROWS[0].cycles)
    }

    /// Tells if the chip takes reads as the registers make them.
    fn is_understood(&self) -> bool {
        let (instruction, address) = self.header_bits();
        let command = self.bank.get(SPI_CTRLR0) >> 24;
        match (self.lanes(), instruction) {
            (_, 0) => self.nor.is_continuous() && address == 32,
            (1, 8) => command == 0x03 && address == 24 || command == 0x0B,
            (2, 8) => matches!(command, 0x3B | 0xBB),
            (4, 8) => matches!(command, 0x6B | 0xEB) && self.nor.takes_quad(),
            _ => false,
        }
    }

    /// The interface of reads through the window has changed.
    fn announce(&self, env: &mut Env<'_, '_>) {
        env.wires.note(&ROWS[0]);
        let cycles = self.read_cycles();
        if cycles.is_some() && !self.is_understood() {
            env.gap(GapKind::Setting, format_args!("SSI: the flash chip does not take XIP reads with these settings"));
        }
        env.effect(Effect::Rp(Message::XipRead { cycles }));
    }

    fn expect(&mut self, clocks: u32, env: &mut Env<'_, '_>) {
        let cycles = u64::from(clocks.max(1)) * u64::from(self.divider());
        self.due = env.clocks().edge_after(Source::Hclk, env.now(), cycles.max(1));
        env.schedule(FRAME, self.due);
    }

    /// Begins what can be begun.
    fn pump(&mut self, env: &mut Env<'_, '_>) {
        let ready = self.is_enabled() && self.bank.get(SER) & 1 != 0 && self.divider() != 0;
        if self.phase != Phase::Idle || !ready {
            return;
        }
        let frames = (self.bank.get(CTRLR1) & 0xFFFF) + 1;
        let enhanced = self.lanes() > 1;
        match self.mode() {
            mode if enhanced && mode != TX_ONLY => {
                let (instruction, address) = self.header_bits();
                let words = usize::from(instruction > 0) + usize::from(address > 0);
                if self.sent.len() < words.max(1) {
                    return;
                }
                self.begin(Phase::Control(frames), self.header_clocks(), env);
            }
            RX_ONLY if !self.sent.is_empty() => {
                self.sent.clear();
                self.begin(Phase::Receive(frames), self.frame_bits(), env);
            }
            EEPROM_READ if !self.sent.is_empty() => {
                let clocks = self.sent.len() as u32 * self.frame_bits();
                self.begin(Phase::Control(frames), clocks, env);
            }
            RX_ONLY | EEPROM_READ => {}
            _ => {
                if let Some(word) = self.sent.pop_front() {
                    self.begin(Phase::Exchange(word), self.frame_bits().div_ceil(self.lanes()), env);
                }
            }
        }
    }

    fn begin(&mut self, phase: Phase, clocks: u32, env: &mut Env<'_, '_>) {
        self.phase = phase;
        self.select(env);
        self.expect(clocks, env);
    }

    /// A frame of the chip's answer to `word`, its first bit first.
    fn exchange(&mut self, word: u32, env: &mut Env<'_, '_>) -> u32 {
        let bytes = self.frame_bits().div_ceil(8);
        (0..bytes)
            .rev()
            .fold(0, |answer, byte| answer << 8 | u32::from(self.nor.exchange((word >> (8 * byte)) as u8, env)))
    }

    /// The instruction and the address of an enhanced read go out.
    fn send_header(&mut self, env: &mut Env<'_, '_>) {
        let (instruction, address) = self.header_bits();
        let command = if instruction > 0 { self.sent.pop_front() } else { Some(0xEB) };
        let word = if address > 0 { self.sent.pop_front().unwrap_or(0) } else { 0 };
        let quad = self.lanes() == 4 && command == Some(0xEB) && address == 32;
        if quad && (instruction == 0) == self.nor.is_continuous() && self.nor.takes_quad() {
            self.nor.begin_quad(word as u8);
            self.address = word >> 8;
        } else {
            env.gap(GapKind::Setting, format_args!("SSI: the flash chip does not take this enhanced transaction"));
        }
    }

    fn receive(&mut self, word: u32) {
        if self.received.len() < DEPTH {
            self.received.push_back(word);
        } else {
            self.raised |= RXOI;
        }
    }

    /// Goes to the next phase, or ends the transaction.
    fn advance(&mut self, env: &mut Env<'_, '_>) {
        let next = match self.phase {
            Phase::Idle => return,
            Phase::Exchange(word) => {
                let answer = self.exchange(word, env);
                if self.mode() != TX_ONLY {
                    self.receive(answer);
                }
                match self.sent.pop_front() {
                    Some(word) => Phase::Exchange(word),
                    None => Phase::Idle,
                }
            }
            Phase::Control(frames) => {
                if self.lanes() > 1 {
                    self.send_header(env);
                } else {
                    while let Some(word) = self.sent.pop_front() {
                        self.exchange(word, env);
                    }
                }
                Phase::Receive(frames)
            }
            Phase::Receive(frames) => {
                let word = if self.lanes() > 1 {
                    (0..self.frame_bits().div_ceil(8)).fold(0, |word, _| {
                        let byte = Nor::read(self.address, env);
                        self.address = self.address.wrapping_add(1);
                        word << 8 | u32::from(byte)
                    })
                } else {
                    self.exchange(0, env)
                };
                self.receive(word);
                if frames > 1 { Phase::Receive(frames - 1) } else { Phase::Idle }
            }
        };
        self.phase = next;
        match next {
            Phase::Idle => self.select(env),
            _ => self.expect(self.frame_bits().div_ceil(self.lanes()), env),
        }
        self.pump(env);
        self.ask(env);
    }

    /// DMA requests by the levels of the FIFOs.
    fn ask(&mut self, env: &mut Env<'_, '_>) {
        let control = self.bank.get(DMACR);
        let level = |offset: u32| self.bank.get(offset) as usize;
        let wanted = [
            control & 2 != 0 && self.sent.len() <= level(DMATDLR),
            control & 1 != 0 && self.received.len() > level(DMARDLR),
        ];
        let enabled = self.is_enabled();
        for ((request, asked), wanted) in self.requests.iter_mut().zip(wanted) {
            if std::mem::replace(asked, wanted && enabled) != (wanted && enabled) {
                request.drive(wanted && enabled, env);
            }
        }
    }

    fn raw(&self) -> u32 {
        let empty = self.sent.len() <= self.bank.get(TXFTLR) as usize;
        let full = self.received.len() > self.bank.get(RXFTLR) as usize;
        self.raised | if empty { TXEI } else { 0 } | if full { RXFI } else { 0 }
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        self.sent.clear();
        self.received.clear();
        (self.phase, self.due) = (Phase::Idle, Instant::NEVER);
        env.cancel(FRAME);
        self.select(env);
    }
}

impl Block<Words> for Ssi {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            TXFLR => self.sent.len() as u32,
            RXFLR => self.received.len() as u32,
            SR => {
                let flag = |is: bool, bit: u32| if is { bit } else { 0 };
                flag(self.phase != Phase::Idle, BUSY)
                    | flag(self.sent.len() < DEPTH, TFNF)
                    | flag(self.sent.is_empty(), TFE)
                    | flag(!self.received.is_empty(), RFNE)
                    | flag(self.received.len() == DEPTH, RFF)
            }
            RISR => self.raw(),
            ISR => self.raw() & self.bank.get(IMR),
            TXOICR | RXOICR | RXUICR | ICR => {
                let bits = match offset {
                    TXOICR => TXOI,
                    RXOICR => RXOI,
                    RXUICR => RXUI,
                    _ => TXOI | RXOI | RXUI,
                };
                let was = u32::from(self.raised & bits != 0);
                self.raised &= !bits;
                was
            }
            DR0..DR_END => {
                let word = self.received.pop_front();
                if word.is_none() {
                    self.raised |= RXUI;
                }
                self.ask(env);
                word.unwrap_or(0)
            }
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        match offset {
            TXOICR..=ICR | DR0..DR_END => None,
            _ => self.bank.still(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let DR0..DR_END = offset {
            if self.sent.len() < DEPTH {
                self.sent.push_back(write.value);
            } else {
                self.raised |= TXOI;
            }
            self.pump(env);
            return self.ask(env);
        }
        // Settings take effect while the block is off.
        if self.is_enabled() && matches!(offset, CTRLR0 | CTRLR1 | BAUDR | SPI_CTRLR0) {
            return;
        }
        self.bank.write(offset, write, env);
        match offset {
            SSIENR if !self.is_enabled() => {
                self.stop(env);
                self.announce(env);
            }
            SSIENR => self.announce(env),
            _ => {}
        }
        self.pump(env);
        self.ask(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() >= self.due {
            self.due = Instant::NEVER;
            self.advance(env);
        }
    }

    fn after_change(&mut self, before: Tree, env: &mut Env<'_, '_>) {
        self.due = self.due.rescaled(env.now(), before.hclk, env.clocks().tree().hclk);
        env.schedule(FRAME, self.due);
    }

    fn refine(&mut self, times: u64) {
        self.due = self.due.refined(times);
        self.nor.refine(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.raised = 0;
        self.forced = None;
        self.stop(env);
        self.ask(env);
        self.announce(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
