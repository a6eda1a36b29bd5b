//! Direct memory access controller with independent channels (RM0490, "Direct memory access controller (DMA)").
//!
//! One transfer is under way at a time: its request, an access that reads, one that writes, and rows for what lies
//! between. What an access takes, and who waits for whom, is the part's.

use cyclescope_machine::TimingRow;

use super::dma::{Channel, Running, width};
use crate::bank::all;
use crate::{Bank, Block, DmaController, Effect, Env, Instance, Lines, Modelled, Transfer, Tree, Words, Write};

const ISR: u32 = 0x00;
const IFCR: u32 = 0x04;

const EN: u32 = 1 << 0;
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

/// The controller.
#[derive(Clone, Debug)]
pub struct DmaV1 {
    bank: Bank,
    lines: Lines,
    channels: Vec<Channel>,
    running: Running,
}

impl DmaV1 {
    /// The controller after reset.
    pub fn new(instance: &Instance) -> Self {
        let count = instance.map.registers.iter().filter(|register| register.name.starts_with("CNDTR")).count();
        const SIGNALS: [(&str, u32); 8] = [
            ("CH1", 0xF),
            ("CH2", 0xF0),
            ("CH3", 0xF00),
            ("CH4", 0xF000),
            ("CH5", 0xF_0000),
            ("CH6", 0xF0_0000),
            ("CH7", 0xF00_0000),
            ("CH8", 0xF000_0000),
        ];
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &SIGNALS),
            channels: vec![Channel::default(); count],
            running: Running::default(),
        }
    }

    fn register(channel: u8, which: u32) -> u32 {
        0x08 + 0x14 * u32::from(channel) + which
    }

    fn ccr(&self, channel: u8) -> u32 {
        self.bank.get(Self::register(channel, 0))
    }

    fn remaining(&self, channel: u8) -> u32 {
        self.bank.get(Self::register(channel, 4))
    }

    fn load(&mut self, channel: u8) {
        let (peripheral, memory) =
            (self.bank.get(Self::register(channel, 8)), self.bank.get(Self::register(channel, 12)));
        let state = &mut self.channels[usize::from(channel)];
        (state.peripheral, state.memory) = (peripheral, memory);
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let isr = self.bank.get(ISR);
        let mut active = 0;
        for channel in 0..self.channels() {
            let enabled = self.ccr(channel) & (TCIE | HTIE | TEIE);
            active |= (isr >> (4 * u32::from(channel)) & enabled) << (4 * u32::from(channel));
        }
        self.lines.drive(active, env);
    }
}

impl DmaController for DmaV1 {
    fn channels(&self) -> u8 {
        self.channels.len() as u8
    }

    fn request_once(&mut self, channel: u8, _: u8) {
        if let Some(state) = self.channels.get_mut(usize::from(channel)) {
            state.pending = true;
        }
    }

    fn arbitrate(&mut self, requested: &dyn Fn(u8, u8) -> bool, env: &mut Env<'_, '_>) {
        if self.running.channel().is_some() {
            return;
        }
        let ready = |channel: &u8| {
            let ccr = self.ccr(*channel);
            let asked = ccr & MEM2MEM != 0 || self.channels[usize::from(*channel)].pending || requested(*channel, 0);
            ccr & EN != 0 && self.remaining(*channel) != 0 && asked
        };
        // The higher PL wins, then the lower number (RM0490, "DMA channel priorities").
        let next = (0..self.channels())
            .filter(ready)
            .max_by_key(|channel| (self.ccr(*channel) >> 12 & 3, std::cmp::Reverse(*channel)));
        if let Some(channel) = next {
            self.channels[usize::from(channel)].pending = false;
            self.running.begin(channel, &ROWS[0], env);
        }
    }

    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<(u8, Transfer)> {
        let channel = self.running.due(env)?;
        let ccr = self.ccr(channel);
        if ccr & EN == 0 || self.remaining(channel) == 0 {
            return None;
        }
        let state = &mut self.channels[usize::from(channel)];
        let (peripheral_width, memory_width) = (width(ccr >> 8 & 3), width(ccr >> 10 & 3));
        // Addresses are aligned to their widths (RM0490, DMA_CPARx, DMA_CMARx).
        let (peripheral, memory) = state.next((peripheral_width, memory_width), (ccr & PINC != 0, ccr & MINC != 0));
        self.running.go_on(channel);
        let transfer = if ccr & DIR != 0 {
            Transfer { from: memory, from_width: memory_width, to: peripheral, to_width: peripheral_width }
        } else {
            Transfer { from: peripheral, from_width: peripheral_width, to: memory, to_width: memory_width }
        };
        Some((channel, transfer))
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

    fn finish(&mut self, channel: u8, well: bool, env: &mut Env<'_, '_>) {
        self.running.end();
        // A channel that was disabled meanwhile keeps what its registers show.
        if self.ccr(channel) & EN == 0 {
            return;
        }
        let shift = 4 * u32::from(channel);
        if !well {
            // RM0490, "DMA error management": the channel is disabled.
            self.bank.flag(ISR, (TEIF | GIF) << shift, true);
            self.bank.flag(Self::register(channel, 0), EN, false);
            self.drive(env);
            return;
        }
        let count = self.channels[usize::from(channel)].count;
        let left = self.remaining(channel).saturating_sub(1);
        let mut flags = 0;
        if left == 0 {
            flags |= TCIF | GIF;
        }
        if count > 1 && left == count / 2 {
            flags |= HTIF | GIF;
        }
        self.bank.flag(ISR, flags << shift, true);
        self.bank.set(Self::register(channel, 4), left);
        if left == 0 && self.ccr(channel) & (CIRC | MEM2MEM) == CIRC {
            self.load(channel);
            self.bank.set(Self::register(channel, 4), count);
        }
        self.drive(env);
    }
}

impl Block<Words> for DmaV1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == IFCR {
            let mut ones = write.ones();
            for channel in 0..u32::from(self.channels()) {
                // CGIF clears all flags of its channel (RM0490, DMA_IFCR).
                if ones & GIF << (4 * channel) != 0 {
                    ones |= 0xF << (4 * channel);
                }
            }
            let mut isr = self.bank.get(ISR) & !ones;
            for channel in 0..u32::from(self.channels()) {
                if isr >> (4 * channel) & (TCIF | HTIF | TEIF) == 0 {
                    isr &= !(GIF << (4 * channel));
                }
            }
            self.bank.set(ISR, isr);
            self.drive(env);
            return;
        }
        let place = offset.wrapping_sub(8);
        let (channel, which) = ((place / 0x14) as u8, place % 0x14);
        let is_channel = offset >= 8 && channel < self.channels();
        // Of an enabled channel only CCR is written (RM0490, DMA_CNDTRx, DMA_CPARx, DMA_CMARx).
        if is_channel && which != 0 && self.ccr(channel) & EN != 0 {
            return;
        }
        let (old, new) = self.bank.write(offset, write, env);
        if is_channel && which == 0 && new & EN != 0 && old & EN == 0 {
            self.load(channel);
            self.channels[usize::from(channel)].count = self.remaining(channel);
            self.channels[usize::from(channel)].pending = false;
        }
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.channels.fill(Channel::default());
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
