//! Direct memory access controller with streams, as on STM32F2, F4 and F7 (RM0390, "Direct memory access controller
//! (DMA)").
//!
//! One transfer of a controller is under way at a time: its request, an access that reads, one that writes, and rows for
//! what lies between. What an access takes, and who waits for whom, is the part's. The FIFO holds nothing back: each item passes through at once, in the peripheral's width,
//! which leaves the same bytes in memory as packing does. Not modelled, and counted when asked for: bursts, the
//! peripheral as flow controller, PINCOS, FIFO errors, and memory that stands still while widths differ.

use cyclescope_machine::{GapKind, TimingRow};

use super::dma::{Channel, Running, width};
use crate::Transfer;
use crate::bank::{all, but, some};
use crate::{Bank, Block, DmaController, Effect, Env, Instance, Lines, Modelled, Tree, Words, Write};

const LISR: u32 = 0x00;
const LIFCR: u32 = 0x08;
const HIFCR: u32 = 0x0C;

/// A stream's registers, from its base on.
const CR: u32 = 0x00;
const NDTR: u32 = 0x04;
const PAR: u32 = 0x08;
const M0AR: u32 = 0x0C;
const M1AR: u32 = 0x10;
const FCR: u32 = 0x14;

const EN: u32 = 1 << 0;
const DMEIE: u32 = 1 << 1;
const TEIE: u32 = 1 << 2;
const HTIE: u32 = 1 << 3;
const TCIE: u32 = 1 << 4;
const CIRC: u32 = 1 << 8;
const PINC: u32 = 1 << 9;
const MINC: u32 = 1 << 10;
const DBM: u32 = 1 << 18;
const CT: u32 = 1 << 19;
/// DMDIS of FCR: the FIFO is in use.
const DMDIS: u32 = 1 << 2;

const DMEIF: u32 = 1 << 2;
const TEIF: u32 = 1 << 3;
const HTIF: u32 = 1 << 4;
const TCIF: u32 = 1 << 5;
/// All flags of a stream, FEIF included.
const FLAGS: u32 = 0x3D;

/// Directions (CR.DIR).
const FROM_MEMORY: u32 = 1;
const MEMORY_TO_MEMORY: u32 = 2;

const STREAMS: u8 = 8;

/// The modelled registers and fields, with the values after reset (RM0390, "DMA register map").
pub const MODEL: &[Modelled] = &[
    all("LISR", 0).and(&["HISR", "LIFCR", "HIFCR"]),
    but("S0CR", 0, &["PFCTRL", "PINCOS", "PBURST", "MBURST"])
        .and(&["S1CR", "S2CR", "S3CR", "S4CR", "S5CR", "S6CR", "S7CR"]),
    all("S0NDTR", 0).and(&["S1NDTR", "S2NDTR", "S3NDTR", "S4NDTR", "S5NDTR", "S6NDTR", "S7NDTR"]),
    all("S0PAR", 0).and(&["S1PAR", "S2PAR", "S3PAR", "S4PAR", "S5PAR", "S6PAR", "S7PAR"]),
    all("S0M0AR", 0).and(&["S1M0AR", "S2M0AR", "S3M0AR", "S4M0AR", "S5M0AR", "S6M0AR", "S7M0AR"]),
    all("S0M1AR", 0).and(&["S1M1AR", "S2M1AR", "S3M1AR", "S4M1AR", "S5M1AR", "S6M1AR", "S7M1AR"]),
    some("S0FCR", 0x21, &["FTH", "DMDIS", "FS"]).and(&["S1FCR", "S2FCR", "S3FCR", "S4FCR", "S5FCR", "S6FCR", "S7FCR"]),
];

/// The time of one transfer, but for what its accesses take.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "dma.request",
        "cycles of HCLK from a DMA request to the data phase of the transfer's first access",
        3,
        "AN4031, DMA transfer time: a cycle each for the port's arbitration, the address and the bus matrix",
    ),
    TimingRow::assumed(
        "dma.turn",
        "cycles of HCLK between the data phases of a DMA transfer's two accesses",
        2,
        "AN4031, DMA transfer time: a cycle each for the memory port's arbitration, its address and the bus matrix, of \
                 which one is taken to overlap with the first access; not measured",
    ),
    TimingRow::assumed(
        "dma.contention",
        "cycles that the core waits for a RAM which a DMA transfer has in the cycle of its own access",
        1,
        "RM0390, System architecture: the bus matrix grants in turn (round robin); the core has had the RAM last, and \
                 the transfer takes a cycle of it",
    ),
];

/// The controller.
#[derive(Clone, Debug)]
pub struct DmaV2 {
    bank: Bank,
    lines: Lines,
    streams: [Channel; STREAMS as usize],
    /// Only the second controller reaches memory from both ports (RM0390, "DMA transfers").
    memory_to_memory: bool,
    running: Running,
}

impl DmaV2 {
    /// The controller after reset.
    pub fn new(instance: &Instance) -> Self {
        const SIGNALS: [(&str, u32); STREAMS as usize] = [
            ("CH0", 1 << 0),
            ("CH1", 1 << 1),
            ("CH2", 1 << 2),
            ("CH3", 1 << 3),
            ("CH4", 1 << 4),
            ("CH5", 1 << 5),
            ("CH6", 1 << 6),
            ("CH7", 1 << 7),
        ];
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &SIGNALS),
            streams: [Channel::default(); STREAMS as usize],
            memory_to_memory: instance.name == "DMA2",
            running: Running::default(),
        }
    }

    fn register(stream: u8, which: u32) -> u32 {
        0x10 + 0x18 * u32::from(stream) + which
    }

    fn cr(&self, stream: u8) -> u32 {
        self.bank.get(Self::register(stream, CR))
    }

    fn remaining(&self, stream: u8) -> u32 {
        self.bank.get(Self::register(stream, NDTR))
    }

    /// Returns the place of the flags of `stream`: the register's offset from LISR or LIFCR, and the lowest bit.
    fn flags(stream: u8) -> (u32, u32) {
        (u32::from(stream) / 4 * 4, [0, 6, 16, 22][usize::from(stream & 3)])
    }

    fn raise(&mut self, stream: u8, flags: u32) {
        let (register, shift) = Self::flags(stream);
        self.bank.flag(LISR + register, flags << shift, true);
    }

    /// Loads the addresses for a round of transfers; in double-buffer mode CT chooses the memory.
    fn load(&mut self, stream: u8) {
        let cr = self.cr(stream);
        let memory = if cr & (DBM | CT) == DBM | CT { M1AR } else { M0AR };
        let state = &mut self.streams[usize::from(stream)];
        state.peripheral = self.bank.get(Self::register(stream, PAR));
        state.memory = self.bank.get(Self::register(stream, memory));
    }

    fn enable(&mut self, stream: u8, env: &mut Env<'_, '_>) {
        let cr = self.cr(stream);
        let direction = cr >> 6 & 3;
        let forbidden = direction == 3 || (direction == MEMORY_TO_MEMORY && !self.memory_to_memory);
        let (register, shift) = Self::flags(stream);
        let pending = self.bank.get(LISR + register) >> shift & FLAGS;
        if forbidden || pending != 0 {
            // RM0390, "Stream configuration procedure": flags of an earlier use must be cleared first.
            let why = if forbidden { "DIR is not possible" } else { "enabled with flags set" };
            env.gap(GapKind::Setting, format_args!("{} stream {stream}: {why}", env.instance.name));
        }
        if forbidden {
            self.raise(stream, TEIF);
            self.bank.flag(Self::register(stream, CR), EN, false);
            return;
        }
        let fifo = self.bank.get(Self::register(stream, FCR)) & DMDIS != 0 || direction == MEMORY_TO_MEMORY;
        if fifo && cr & MINC == 0 && cr >> 11 & 3 != cr >> 13 & 3 {
            env.gap(GapKind::Setting, format_args!("{} stream {stream}: packing without MINC", env.instance.name));
        }
        self.load(stream);
        let count = self.remaining(stream);
        let state = &mut self.streams[usize::from(stream)];
        state.count = count;
        state.pending = false;
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let mut active = 0;
        for stream in 0..STREAMS {
            let (register, shift) = Self::flags(stream);
            let flags = self.bank.get(LISR + register) >> shift;
            let cr = self.cr(stream);
            let wants = [(cr & DMEIE, DMEIF), (cr & TEIE, TEIF), (cr & HTIE, HTIF), (cr & TCIE, TCIF)];
            if wants.iter().any(|(enable, flag)| *enable != 0 && flags & flag != 0) {
                active |= 1 << stream;
            }
        }
        self.lines.drive(active, env);
    }
}

impl DmaController for DmaV2 {
    fn arbitrate(&mut self, requested: &dyn Fn(u8, u8) -> bool, env: &mut Env<'_, '_>) {
        if self.running.channel().is_some() {
            return;
        }
        let ready = |stream: &u8| {
            let cr = self.cr(*stream);
            cr & EN != 0
                && self.remaining(*stream) != 0
                && (cr >> 6 & 3 == MEMORY_TO_MEMORY
                    || self.streams[usize::from(*stream)].pending
                    || requested(*stream, (cr >> 25 & 7) as u8))
        };
        // The higher PL wins, then the lower number (RM0390, "Arbiter").
        let next =
            (0..STREAMS).filter(ready).max_by_key(|stream| (self.cr(*stream) >> 16 & 3, std::cmp::Reverse(*stream)));
        if let Some(stream) = next {
            self.streams[usize::from(stream)].pending = false;
            self.running.begin(stream, &ROWS[0], env);
        }
    }

    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<(u8, Transfer)> {
        let stream = self.running.due(env)?;
        let cr = self.cr(stream);
        if cr & EN == 0 || self.remaining(stream) == 0 {
            return None;
        }
        let state = &mut self.streams[usize::from(stream)];
        // Without the FIFO, MSIZE is forced to PSIZE (RM0390, "Direct mode"); with it, see the top of this file.
        let width = width(cr >> 11 & 3);
        let (peripheral, memory) = state.next((width, width), (cr & PINC != 0, cr & MINC != 0));
        self.running.go_on(stream);
        let (from, to) = if cr >> 6 & 3 == FROM_MEMORY { (memory, peripheral) } else { (peripheral, memory) };
        Some((stream, Transfer { from, from_width: width, to, to_width: width }))
    }

    fn under_way(&self) -> Option<u8> {
        self.running.channel()
    }

    fn turn(&self) -> &'static TimingRow {
        &ROWS[1]
    }

    fn contention(&self) -> &'static TimingRow {
        &ROWS[2]
    }

    fn finish(&mut self, stream: u8, well: bool, env: &mut Env<'_, '_>) {
        self.running.end();
        // A stream that was disabled meanwhile keeps what its registers show.
        if self.cr(stream) & EN == 0 {
            return;
        }
        let cr_offset = Self::register(stream, CR);
        if !well {
            // RM0390, "Error management": the stream is disabled.
            self.raise(stream, TEIF);
            self.bank.flag(cr_offset, EN, false);
            self.drive(env);
            return;
        }
        let count = self.streams[usize::from(stream)].count;
        let left = self.remaining(stream).saturating_sub(1);
        self.bank.set(Self::register(stream, NDTR), left);
        if count > 1 && left == count / 2 {
            self.raise(stream, HTIF);
        }
        if left == 0 {
            self.raise(stream, TCIF);
            let cr = self.cr(stream);
            if cr & DBM != 0 {
                self.bank.set(cr_offset, cr ^ CT);
            }
            if cr & (CIRC | DBM) != 0 && cr >> 6 & 3 != MEMORY_TO_MEMORY {
                self.load(stream);
                self.bank.set(Self::register(stream, NDTR), count);
            } else {
                self.bank.flag(cr_offset, EN, false);
            }
        }
        self.drive(env);
    }

    fn request_once(&mut self, stream: u8, selector: u8) {
        if stream < STREAMS && self.cr(stream) & EN != 0 && (self.cr(stream) >> 25 & 7) as u8 == selector {
            self.streams[usize::from(stream)].pending = true;
        }
    }

    fn channels(&self) -> u8 {
        STREAMS
    }
}

impl Block<Words> for DmaV2 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if matches!(offset, LIFCR | HIFCR) {
            self.bank.flag(offset - LIFCR, write.ones(), false);
            self.drive(env);
            return;
        }
        let place = offset.wrapping_sub(0x10);
        let (stream, which) = ((place / 0x18) as u8, place % 0x18);
        if offset < 0x10 || stream >= STREAMS {
            self.bank.write(offset, write, env);
            return;
        }
        let cr = self.cr(stream);
        let running = cr & EN != 0;
        // Of an enabled stream only some bits of CR are written, and the memory that is not in use (RM0390, DMA_SxCR,
        // DMA_SxM0AR).
        let idle_memory = if cr & CT != 0 { M0AR } else { M1AR };
        if running && which != CR && !(cr & DBM != 0 && which == idle_memory) {
            return;
        }
        let (old, new) = self.bank.write(offset, write, env);
        if which == FCR {
            // FS is the FIFO's fill, which is always none.
            self.bank.set(offset, (new & !0x38) | 4 << 3);
        }
        if which == CR {
            if running {
                const FREE: u32 = EN | DMEIE | TEIE | HTIE | TCIE;
                self.bank.set(offset, (old & !FREE) | (new & FREE));
            }
            if new & EN != 0 && !running {
                self.enable(stream, env);
            } else if new & EN == 0 && running {
                // RM0390, "DMA transfer suspension": TCIF tells that the stream has ended.
                self.raise(stream, TCIF);
            }
        }
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.streams = [Channel::default(); STREAMS as usize];
        self.running.reset(env);
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.running.rescale(&old, env);
    }

    fn refine(&mut self, times: u64) {
        self.running.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
