//! Direct memory access controller with streams, as on STM32F2, F4 and F7 (RM0390, "Direct memory access controller
//! (DMA)").
//!
//! The FIFO holds nothing back: each item passes through at once, in the peripheral's width,
//! which leaves the same bytes in memory as packing does. Not modelled, and counted when asked for: bursts, the
//! peripheral as flow controller, PINCOS, FIFO errors, and memory that stands still while widths differ.

use cyclescope_machine::{GapKind, TimingRow};

use super::dma::{CR, Channel, Dma, EN, Flag, MEMORY, Version, width};
use crate::bank::{all, but, some};
use crate::{Bank, Env, Modelled, Side, Transfer, Write};

const LISR: u32 = 0x00;
const LIFCR: u32 = 0x08;
const HIFCR: u32 = 0x0C;

/// A stream's further registers, from its base on.
const M1AR: u32 = 0x10;
const FCR: u32 = 0x14;

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

/// The version.
#[derive(Clone, Debug)]
pub struct V2;

/// The controller.
pub type DmaV2 = Dma<V2>;

/// Returns the place of the flags of `stream`: the register's offset from LISR or LIFCR, and the lowest bit.
fn flags(stream: u8) -> (u32, u32) {
    (u32::from(stream) / 4 * 4, [0, 6, 16, 22][usize::from(stream & 3)])
}

const fn direction(cr: u32) -> u32 {
    cr >> 6 & 3
}

impl Version for V2 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const SIGNALS: &'static [(&'static str, u32)] = &[
        ("CH0", 1 << 0),
        ("CH1", 1 << 1),
        ("CH2", 1 << 2),
        ("CH3", 1 << 3),
        ("CH4", 1 << 4),
        ("CH5", 1 << 5),
        ("CH6", 1 << 6),
        ("CH7", 1 << 7),
    ];
    const CHANNELS: (u32, u32) = (0x10, 0x18);
    const ENDS_DISABLED: bool = true;

    fn priority(cr: u32) -> u32 {
        cr >> 16 & 3
    }

    fn runs_by_itself(cr: u32) -> bool {
        direction(cr) == MEMORY_TO_MEMORY
    }

    fn selector(dma: &DmaV2, channel: u8) -> u8 {
        (dma.cr(channel) >> 25 & 7) as u8
    }

    fn hears(dma: &DmaV2, channel: u8, selector: u8) -> bool {
        dma.cr(channel) & EN != 0 && Self::selector(dma, channel) == selector
    }

    /// In double-buffer mode CT chooses the memory.
    fn memory(cr: u32) -> u32 {
        if cr & (DBM | CT) == DBM | CT { M1AR } else { MEMORY }
    }

    /// Without the FIFO, MSIZE is forced to PSIZE (RM0390, "Direct mode"); with it, see the top of this file.
    fn transfer(cr: u32, state: &mut Channel) -> Transfer {
        let width = width(cr >> 11 & 3);
        let (peripheral, memory) = state.next((width, width), (cr & PINC != 0, cr & MINC != 0));
        let (from, to) = if direction(cr) == FROM_MEMORY { (memory, peripheral) } else { (peripheral, memory) };
        Transfer { from: Side::one(from, width), to: Side::one(to, width) }
    }

    fn raise(bank: &mut Bank, stream: u8, flag: Flag) {
        let (register, shift) = flags(stream);
        let flag = match flag {
            Flag::Complete => TCIF,
            Flag::Half => HTIF,
            Flag::Error => TEIF,
        };
        bank.flag(LISR + register, flag << shift, true);
    }

    fn active(dma: &DmaV2) -> u32 {
        let interrupts = |stream: &u8| {
            let (register, shift) = flags(*stream);
            let (flags, cr) = (dma.bank.get(LISR + register) >> shift, dma.cr(*stream));
            let wants = [(cr & DMEIE, DMEIF), (cr & TEIE, TEIF), (cr & HTIE, HTIF), (cr & TCIE, TCIF)];
            wants.iter().any(|(enable, flag)| *enable != 0 && flags & flag != 0)
        };
        (0..8).filter(interrupts).fold(0, |bits, stream| bits | 1 << stream)
    }

    fn round_ended(cr: u32) -> (u32, bool) {
        let cr = if cr & DBM != 0 { cr ^ CT } else { cr };
        (cr, cr & (CIRC | DBM) != 0 && direction(cr) != MEMORY_TO_MEMORY)
    }

    /// Only the second controller reaches memory from both ports (RM0390, "DMA transfers").
    fn may_begin(dma: &mut DmaV2, stream: u8, env: &mut Env<'_, '_>) -> bool {
        let (cr, name) = (dma.cr(stream), env.instance.name);
        let forbidden = direction(cr) == 3 || (direction(cr) == MEMORY_TO_MEMORY && name != "DMA2");
        let (register, shift) = flags(stream);
        let pending = dma.bank.get(LISR + register) >> shift & FLAGS;
        if forbidden || pending != 0 {
            // RM0390, "Stream configuration procedure": flags of an earlier use must be cleared first.
            let why = if forbidden { "DIR is not possible" } else { "enabled with flags set" };
            env.gap(GapKind::Setting, format_args!("{name} stream {stream}: {why}"));
        }
        let fifo = dma.get(stream, FCR) & DMDIS != 0 || direction(cr) == MEMORY_TO_MEMORY;
        if !forbidden && fifo && cr & MINC == 0 && cr >> 11 & 3 != cr >> 13 & 3 {
            env.gap(GapKind::Setting, format_args!("{name} stream {stream}: packing without MINC"));
        }
        !forbidden
    }

    /// Of an enabled stream only some bits of CR are written, and the memory that is not in use (RM0390, DMA_SxCR,
    /// DMA_SxM0AR).
    fn is_closed(cr: u32, which: u32) -> bool {
        let idle_memory = if cr & CT != 0 { MEMORY } else { M1AR };
        which != CR && !(cr & DBM != 0 && which == idle_memory)
    }

    fn written(dma: &mut DmaV2, stream: u8, which: u32, (old, new): (u32, u32)) {
        let offset = DmaV2::register(stream, which);
        if which == FCR {
            // FS is the FIFO's fill, which is always none.
            dma.bank.set(offset, (new & !0x38) | 4 << 3);
        }
        if which == CR && old & EN != 0 {
            const FREE: u32 = EN | DMEIE | TEIE | HTIE | TCIE;
            dma.bank.set(offset, (old & !FREE) | (new & FREE));
            if new & EN == 0 {
                // RM0390, "DMA transfer suspension": TCIF tells that the stream has ended.
                Self::raise(&mut dma.bank, stream, Flag::Complete);
            }
        }
    }

    fn write(bank: &mut Bank, offset: u32, write: Write) -> bool {
        let clears = matches!(offset, LIFCR | HIFCR);
        if clears {
            bank.flag(offset - LIFCR, write.ones(), false);
        }
        clears
    }
}
