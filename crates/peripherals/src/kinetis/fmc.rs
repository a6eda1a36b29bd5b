//! Flash memory controller (K20P64M72SF1RM, "Flash Memory Controller (FMC)"): what stands between core and flash.
//!
//! Wait states follow from the clocks alone: a read takes as many core cycles as one flash cycle lasts. The cache has
//! four ways of eight sets of 64-bit lines for instructions and data together; here it is two caches with the least
//! recently used line replaced. That a read may wait for the flash clock's next edge, way locks, and the cache's
//! contents seen through its registers are not modelled.

use cyclescope_machine::units::Address;
use cyclescope_machine::{BusFault, FlashTiming, GapKind, TimingRow, Width};

use crate::bank::some;
use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, MemorySetting, Modelled, Source, Tree, Words, Write,
};

use super::registers::bank;

const PFB0CR: u32 = 0x04;
const B0SEBE: u32 = 1 << 0;
const B0IPE: u32 = 1 << 1;
const B0ICE: u32 = 1 << 3;
const B0DCE: u32 = 1 << 4;
const B0RWSC: u32 = 15 << 28;

/// The modelled registers and fields, with the values after reset ("FMC memory map"): prefetch and caches are on.
pub const MODEL: &[Modelled] = &[
    some("PFAPR", 0x00F8_003F, &[]),
    some("PFB0CR", 0x3002_001F, &["B0SEBE", "B0IPE", "B0ICE", "B0DCE", "B0MW", "S_B_INV", "CINV_WAY", "B0RWSC"]),
    some("PFB1CR", 0x3002_001F, &[]),
];

/// The sizes and times of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "fmc.line_bytes",
        "bytes of a line of the cache and of the speculation buffer",
        8,
        "K20P64M72SF1RM, FMC: 64-bit entries (DATAWxSyU, DATAWxSyL)",
    ),
    TimingRow::documented(
        "fmc.wait_per_flash_cycle",
        "flash cycles of a read; in core cycles the ratio of the clocks, whose first the core's timing charges",
        1,
        "K20P64M72SF1RM, FMC, Wait states: B0RWSC + 1 is the ratio; a read takes one flash clock",
    ),
    TimingRow::assumed(
        "fmc.synchronisation",
        "core cycles that a read waits for the flash clock's edge",
        0,
        "the manual gives 0 to ratio - 1; the best case is taken, since the phase is not tracked",
    ),
    TimingRow::assumed(
        "fmc.instruction_lines",
        "lines of the cache taken for instructions",
        24,
        "K20P64M72SF1RM, FMC: 4 ways of 8 sets for instructions and data; split here by three to one",
    ),
    TimingRow::assumed(
        "fmc.data_lines",
        "lines of the cache taken for data",
        8,
        "K20P64M72SF1RM, FMC: 4 ways of 8 sets for instructions and data; split here by three to one",
    ),
    TimingRow::assumed(
        "fmc.prefetched_lines_cached",
        "whether a line of the speculation buffer enters the cache when it is wanted: 1 if so",
        1,
        "K20P64M72SF1RM, FMC: the cache and the speculation buffer are told apart, what moves between them is not said",
    ),
];

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] = &[
    "fmc.line_bytes",
    "fmc.wait_per_flash_cycle",
    "fmc.synchronisation",
    "fmc.instruction_lines",
    "fmc.data_lines",
    "fmc.prefetched_lines_cached",
];

/// The block.
#[derive(Clone, Debug)]
pub struct Fmc {
    bank: Bank,
    setting: MemorySetting,
}

impl Fmc {
    /// The block after reset; `setting` decides what its settings mean.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self { bank: bank(instance.map, MODEL), setting }
    }

    /// Returns the timing that PFB0CR selects at these clocks.
    pub fn written(&self, clocks: &Clocks) -> FlashTiming {
        let control = self.bank.get(PFB0CR);
        let when = |bit: u32, row: usize| if control & bit != 0 { ROWS[row].cycles as usize } else { 0 };
        FlashTiming {
            line_bytes: ROWS[0].cycles,
            wait_states: wait_states(clocks),
            prefetch: control & B0IPE != 0,
            instruction_lines: when(B0ICE, 3),
            data_lines: when(B0DCE, 4),
            caches_prefetched: ROWS[5].cycles != 0,
            ..FlashTiming::IDEAL
        }
    }

    /// Returns the timing of flash reads at these clocks, by the run's [`MemorySetting`].
    pub fn timing(&self, clocks: &Clocks) -> FlashTiming {
        match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Shipped => self.written(clocks),
            // As it comes out of reset, which the manual recommends to keep.
            MemorySetting::Equal => FlashTiming {
                line_bytes: ROWS[0].cycles,
                wait_states: wait_states(clocks),
                prefetch: true,
                instruction_lines: ROWS[3].cycles as usize,
                data_lines: ROWS[4].cycles as usize,
                caches_prefetched: ROWS[5].cycles != 0,
                ..FlashTiming::IDEAL
            },
        }
    }
}

/// Core cycles of a flash cycle, less the one that the core's timing charges.
fn wait_states(clocks: &Clocks) -> u32 {
    let (core, flash) = (clocks.period_of(Source::Hclk), clocks.period_of(Source::Pclk2));
    let (ratio, rest) = flash.times(u64::from(ROWS[1].cycles)).divide(core);
    let ratio = ratio + u64::from(rest != crate::Span::ZERO);
    (ratio.clamp(1, 16) - 1) as u32
}

impl FlashControl for Fmc {
    fn setting(&self) -> MemorySetting {
        self.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        let control = self.bank.get(PFB0CR) & !B0RWSC;
        self.bank.set(PFB0CR, control | wait_states(env.clocks()) << 28);
        env.context.memory.set_flash_timing(self.timing(env.clocks()));
    }

    /// Flash takes no stores: it is programmed by commands (K20P64M72SF1RM, "Flash Memory Module (FTFL)").
    fn store(&mut self, offset: u32, _: Width, _: u32, env: &mut Env<'_, '_>) {
        env.wires.fault = Some(BusFault::ReadOnly(Address::new(offset)));
    }

    fn settings_written(&self, clocks: &Clocks) -> String {
        let written = self.written(clocks);
        let plural = if written.wait_states == 1 { "" } else { "s" };
        let on = |on: bool| if on { "on" } else { "off" };
        format!(
            "{} wait state{plural}, speculation {}, instruction cache {}, data cache {} at {}",
            written.wait_states,
            on(written.prefetch),
            on(written.instruction_lines > 0),
            on(written.data_lines > 0),
            clocks.frequency(Source::Hclk)
        )
    }
}

impl Block<Words> for Fmc {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset == PFB0CR {
            // Invalidations read 0; the ratio and the width are the hardware's.
            const COMMANDS: u32 = 0x1F << 19;
            const FIXED: u32 = B0RWSC | 3 << 17;
            self.bank.set(PFB0CR, (new & !(COMMANDS | FIXED)) | (old & FIXED));
            if new & B0SEBE == 0 && self.setting == MemorySetting::Shipped {
                env.gap(GapKind::Setting, format_args!("FMC_PFB0CR.B0SEBE=0: the single-entry buffer stays on here"));
            }
            env.effect(Effect::FlashChanged);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.effect(Effect::FlashChanged);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.apply(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
