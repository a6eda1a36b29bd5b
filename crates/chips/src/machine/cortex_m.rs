//! A Cortex-M with its bus.

use std::ops::Range;

use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4, CORTEX_M4F, CoreTiming};
use cyclescope_cortex_m::{Config, Core, Cpu};
use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{AtZero, Memory, TimingRow, Width};

use super::joined::Joined;
use super::{LoadError, Settings, StackUse};
use crate::devices::{Devices, Matrix};
use crate::part::{BootRom, CortexM, CortexMModel, Part};

/// Exceptions that every core of the family has, by number and name.
const SYSTEM_EXCEPTIONS: &[(u16, &str)] =
    &[(2, "NMI"), (3, "HardFault"), (11, "SVCall"), (14, "PendSV"), (15, "SysTick")];

/// The first interrupt's number among the exceptions.
const FIRST_INTERRUPT: u16 = 16;

/// Core and bus of a part.
pub(super) type CortexMachine = Joined<Cpu, Matrix>;

impl CortexMachine {
    /// See [`Machine::new`](super::Machine::new).
    pub(super) fn load<'s>(
        part: &Part,
        own: &CortexM,
        settings: Settings,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        let mut memory = part.memory();
        memory.map_at_zero(if own.soc.boot.is_some() { AtZero::Nothing } else { AtZero::Flash });
        memory.split_ram(own.soc.family.ram_slaves);
        let mut devices = Devices::new(part, &own.soc, settings.memory);
        for (address, bytes) in segments {
            if !memory.load(address, bytes) && !devices.load_options(address, bytes) {
                return Err(LoadError::outside(part, address, bytes));
            }
        }
        if let Some(boot) = own.soc.boot {
            check_second_stage(&memory, part, boot)?;
        }
        check_vectors(&memory, part.vectors())?;
        let mut machine =
            Self::new(config(part, own, settings), memory, devices, settings, own.soc.family.cores, Devices::start);
        for core in machine.core.all_mut() {
            core.cpu_mut().halt_on_fault = settings.halt_on_fault;
            if own.soc.boot.is_some() {
                core.cpu_mut().starts_by_boot_program();
            }
        }
        // The vectors were checked.
        machine.core.reset(&mut machine.bus).map_err(|_| LoadError::NoVectorTable(part.flash.base))?;
        Ok(machine)
    }

    /// A system reset.
    pub(super) fn reset(&mut self, cause: &'static str) {
        // The table was readable at power-on; if the guest has erased it since, the core locks up at its first fetch.
        let _ = self.reset_into(|devices, context| devices.reset(cause, context));
    }

    /// Exceptions by number and name: the system's, then the part's interrupts.
    pub(super) fn exceptions(&self, part: &Part) -> Vec<(u16, &'static str)> {
        let interrupts = part.interrupts.iter().map(|(line, name)| (u16::from(*line) + FIRST_INTERRUPT, *name));
        SYSTEM_EXCEPTIONS.iter().copied().chain(interrupts).collect()
    }

    /// The rows of core, bus and flash that the run has used so far.
    pub(super) fn timing_used(&self, part: &Part) -> Vec<&'static TimingRow> {
        let timing = self.core.cpu().config.timing;
        let mut rows = self.used_of(timing.rows);
        if self.core.rows_used().contains(timing.data_phase) {
            rows.extend(part.bus_rows());
        }
        if self.bus.memory.flash.interface().timing().wait_states > 0 {
            rows.extend(part.flash_rows());
        }
        rows
    }

    /// Deepest use of the main stack, in bytes below its initial top.
    pub(super) fn main_stack_used(&self, part: &Part) -> Bytes {
        let top = self.bus.memory.read(part.vectors().get(), Width::Word).unwrap_or(0);
        Bytes::new(u64::from(top.saturating_sub(self.core.all()[0].cpu().lowest_main_sp())))
    }

    /// See [`Machine::watch_stacks`](super::Machine::watch_stacks).
    pub(super) fn watch_stacks(&mut self, stacks: &[Range<Address>]) {
        for core in self.core.all_mut() {
            core.cpu_mut().watch_stacks(stacks.iter().map(|stack| stack.start.get()..stack.end.get()));
        }
    }

    /// See [`Machine::watch_stack`](super::Machine::watch_stack).
    pub(super) fn watch_stack(&mut self, stack: &Range<Address>) {
        for core in self.core.all_mut() {
            core.cpu_mut().watch_stack(stack.start.get()..stack.end.get());
        }
    }

    /// See [`Machine::stacks_used`](super::Machine::stacks_used).
    pub(super) fn stacks_used(&self) -> Vec<StackUse> {
        let of = |core: &Core<Devices>| -> Vec<StackUse> {
            let used = core.cpu().lowest_in_stacks().map(|(range, lowest)| StackUse {
                size: Bytes::new(u64::from(range.end.saturating_sub(range.start))),
                used: Bytes::new(u64::from(range.end.saturating_sub(lowest))),
            });
            used.collect()
        };
        let mut cores = self.core.all().iter().map(of);
        let first = cores.next().unwrap_or_default();
        cores.fold(first, |deepest, other| {
            let both = deepest.into_iter().zip(other);
            both.map(|(one, other)| StackUse { used: one.used.max(other.used), ..one }).collect()
        })
    }
}

/// Returns timing and CPUID of a core, of the revision to which the timing belongs (DDI 0484C §4.1, DDI 0337I §4.1, Arm 100166
/// §4.1).
const fn model(core: CortexMModel) -> (&'static CoreTiming, u32) {
    match core {
        CortexMModel::M0Plus => (&CORTEX_M0PLUS, 0x410C_C601),
        CortexMModel::M3 => (&CORTEX_M3, 0x412F_C231),
        CortexMModel::M4 => (&CORTEX_M4, 0x410F_C241),
        CortexMModel::M4F => (&CORTEX_M4F, 0x410F_C241),
    }
}

fn config(part: &Part, own: &CortexM, settings: Settings) -> Config {
    let architecture = own.model.architecture();
    let (timing, cpuid) = model(own.model);
    let interrupts = part.interrupts.iter().map(|(line, _)| u16::from(*line) + 1).max().unwrap_or(32);
    let reference = own.systick_reference_divider;
    Config {
        architecture,
        // The M0+ has no bit-band.
        bit_band: architecture.is_v7() && own.bit_band,
        timing,
        priority_bits: own.priority_bits,
        interrupts: interrupts.max(32),
        mpu_regions: own.mpu_regions,
        systick_reference: reference,
        // NOREF where there is no reference clock.
        systick_calibration: u32::from(reference.is_none()) << 31 | own.systick_calibration,
        cpuid,
        semihosting: settings.semihosting,
    }
}

/// Checks the second stage that flash begins with: a checksum of the bytes before it (RP-008371-DS, "Flash Second Stage").
fn check_second_stage(memory: &Memory, part: &Part, boot: &BootRom) -> Result<(), LoadError> {
    let bytes = memory.flash.bytes();
    let (stage, expected) = bytes
        .get(..boot.second_stage as usize)
        .and_then(<[u8]>::split_last_chunk)
        .ok_or(LoadError::NoVectorTable(part.flash.base))?;
    let crc = stage.iter().fold(u32::MAX, |crc, byte| {
        (0..8)
            .fold(crc ^ u32::from(*byte) << 24, |crc, _| if crc >> 31 != 0 { crc << 1 ^ 0x04C1_1DB7 } else { crc << 1 })
    });
    if crc == u32::from_le_bytes(*expected) { Ok(()) } else { Err(LoadError::NoSecondStage(part.flash.base)) }
}

fn check_vectors(memory: &Memory, table: Address) -> Result<(), LoadError> {
    let word = |offset| memory.read(table.get() + offset, Width::Word).unwrap_or(0);
    let (sp, entry) = (word(0), word(4));
    if [0, u32::MAX].contains(&sp) || [0, u32::MAX].contains(&entry) {
        return Err(LoadError::NoVectorTable(table));
    }
    let (from, to) = (memory.ram.base(), memory.ram.end());
    // RAM's very end is the usual choice: the first push goes below it. Another RAM will do, or an alias.
    if sp != from.get() && !memory.is_ram(sp.wrapping_sub(1)) {
        return Err(LoadError::StackPointer { sp: Address::new(sp), from, to });
    }
    if entry & 1 == 0 || memory.region(entry & !1).is_none() {
        return Err(LoadError::ResetVector(entry));
    }
    Ok(())
}
