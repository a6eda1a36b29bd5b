//! Direct memory access controller with independent channels (RM0490, "Direct memory access controller (DMA)"). That of STM32L4
//! chooses each channel's request (RM0351, DMA_CSELR); elsewhere a multiplexer does, or every request has its channel.

use cyclescope_machine::TimingRow;

use super::dma::{Channel, Dma, Flag, Version, width};
use crate::bank::{all, but};
use crate::{Bank, DmaController, Modelled, Side, Transfer, Write};

const ISR: u32 = 0x00;
const IFCR: u32 = 0x04;
const CSELR: u32 = 0xA8;

const TCIE: u32 = 1 << 1;
const HTIE: u32 = 1 << 2;
const TEIE: u32 = 1 << 3;
const DIR: u32 = 1 << 4;
const CIRC: u32 = 1 << 5;
const PINC: u32 = 1 << 6;
const MINC: u32 = 1 << 7;
const MEM2MEM: u32 = 1 << 14;

const GIF: u32 = 1;
const TCIF: u32 = 2;
const HTIF: u32 = 4;
const TEIF: u32 = 8;

/// The modelled registers and fields, with the values after reset (RM0490, "DMA register map").
pub const MODEL: &[Modelled] = &[
    all("ISR", 0).and(&["IFCR"]),
    all("CCR1", 0).and(&["CCR2", "CCR3", "CCR4", "CCR5", "CCR6", "CCR7"]),
    all("CNDTR1", 0).and(&["CNDTR2", "CNDTR3", "CNDTR4", "CNDTR5", "CNDTR6", "CNDTR7"]),
    all("CPAR1", 0).and(&["CPAR2", "CPAR3", "CPAR4", "CPAR5", "CPAR6", "CPAR7"]),
    all("CMAR1", 0).and(&["CMAR2", "CMAR3", "CMAR4", "CMAR5", "CMAR6", "CMAR7"]),
    // Seven channels (RM0351, DMA_CSELR).
    but("CSELR", 0, &["CS8"]),
];

/// The time of one transfer, but for what its accesses take.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "dma.request",
        "cycles of HCLK from a DMA request to the data phase of the transfer's first access",
        2,
        "a cycle each for arbitration and the address; AN2548 gives similar sums on older parts",
    ),
    TimingRow::assumed(
        "dma.turn",
        "cycles of HCLK between the data phases of a DMA transfer's two accesses",
        2,
        "a cycle each for the acknowledgement and the next address; AN2548 gives similar sums on older parts",
    ),
    TimingRow::assumed(
        "dma.contention",
        "cycles that the core waits for a RAM which a DMA transfer has in the cycle of its own access",
        1,
        "RM0008 and RM0490, System architecture: the bus matrix grants in turn (round robin); the core has had the RAM last, and \
                 the transfer takes a cycle of it",
    ),
];

/// The version.
#[derive(Clone, Debug)]
pub struct V1;

/// The controller.
pub type DmaV1 = Dma<V1>;

impl Version for V1 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const SIGNALS: &'static [(&'static str, u32)] = &[
        ("CH1", 0xF),
        ("CH2", 0xF0),
        ("CH3", 0xF00),
        ("CH4", 0xF000),
        ("CH5", 0xF_0000),
        ("CH6", 0xF0_0000),
        ("CH7", 0xF00_0000),
        ("CH8", 0xF000_0000),
    ];
    const CHANNELS: (u32, u32) = (0x08, 0x14);
    const ENDS_DISABLED: bool = false;

    fn selector(dma: &DmaV1, channel: u8) -> u8 {
        (dma.bank.get(CSELR) >> (4 * (channel & 7)) & 15) as u8
    }

    fn priority(cr: u32) -> u32 {
        cr >> 12 & 3
    }

    fn runs_by_itself(cr: u32) -> bool {
        cr & MEM2MEM != 0
    }

    fn transfer(cr: u32, state: &mut Channel) -> Transfer {
        let (peripheral_width, memory_width) = (width(cr >> 8 & 3), width(cr >> 10 & 3));
        // Addresses are aligned to their widths (RM0490, DMA_CPARx, DMA_CMARx).
        let (peripheral, memory) = state.next((peripheral_width, memory_width), (cr & PINC != 0, cr & MINC != 0));
        if cr & DIR != 0 {
            Transfer { from: Side::one(memory, memory_width), to: Side::one(peripheral, peripheral_width) }
        } else {
            Transfer { from: Side::one(peripheral, peripheral_width), to: Side::one(memory, memory_width) }
        }
    }

    fn raise(bank: &mut Bank, channel: u8, flag: Flag) {
        let flag = match flag {
            Flag::Complete => TCIF,
            Flag::Half => HTIF,
            Flag::Error => TEIF,
        };
        bank.flag(ISR, (flag | GIF) << (4 * channel), true);
    }

    fn active(dma: &DmaV1) -> u32 {
        let enables = |channel: u8| (dma.cr(channel) & (TCIE | HTIE | TEIE)) << (4 * channel);
        dma.bank.get(ISR) & (0..dma.channels()).fold(0, |bits, channel| bits | enables(channel))
    }

    fn round_ended(cr: u32) -> (u32, bool) {
        (cr, cr & (CIRC | MEM2MEM) == CIRC)
    }

    /// Of an enabled channel only CCR is written (RM0490, DMA_CNDTRx, DMA_CPARx, DMA_CMARx).
    fn is_closed(_: u32, which: u32) -> bool {
        which != 0
    }

    fn write(bank: &mut Bank, offset: u32, write: Write) -> bool {
        if offset == IFCR {
            let mut ones = write.ones();
            for channel in 0..8 {
                // CGIF clears all flags of its channel (RM0490, DMA_IFCR).
                if ones & GIF << (4 * channel) != 0 {
                    ones |= 0xF << (4 * channel);
                }
            }
            let mut isr = bank.get(ISR) & !ones;
            for channel in 0..8 {
                if isr >> (4 * channel) & (TCIF | HTIF | TEIF) == 0 {
                    isr &= !(GIF << (4 * channel));
                }
            }
            bank.set(ISR, isr);
        }
        offset == IFCR
    }
}
