//! An AVR with its bus.

use cyclescope_avr::Cpu;
use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{StackOverrun, TimingRow};

use super::joined::Joined;
use super::{LoadError, Settings};
use crate::avr::{AvrDevices, AvrPart, DataSpace};
use crate::part::Part;

/// Core and bus of a part.
pub(super) type AvrMachine = Joined<Cpu, DataSpace>;

impl AvrMachine {
    /// See [`Machine::new`](super::Machine::new). A reset goes to the boot section where the fuses say so and something is
    /// loaded there.
    pub(super) fn load<'s>(
        part: &Part,
        own: &'static AvrPart,
        settings: Settings,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        let mut memory = part.memory();
        let mut has_boot_loader = false;
        for (address, bytes) in segments {
            if !memory.load(address, bytes) {
                return Err(LoadError::outside(part, address, bytes));
            }
            let end = u64::from(address.get()) + bytes.len() as u64;
            has_boot_loader |= address.get() < own.flash_bytes && end > u64::from(own.sections.boot);
        }
        let config = own.config(has_boot_loader);
        let first = memory.flash.bytes().get(config.reset as usize..).unwrap_or_default();
        if first.iter().take(2).all(|byte| *byte == 0xFF) {
            return Err(LoadError::NothingAtReset(Address::new(config.reset)));
        }
        let crystal = part.board.hse.unwrap_or(part.clock);
        let devices = AvrDevices::new(own, crystal, &part.board.levels);
        Ok(Self::new(config, memory, devices, settings, 1, AvrDevices::start))
    }

    /// A reset; the registers go on too, and the first instruction comes after the time that the part takes to start.
    pub(super) fn reset(&mut self, cause: &'static str) {
        // The reset holds until the part has started, so that a watchdog that stays on counts from then.
        self.core.cpu_mut().now += self.bus.peripherals.part().reset_delay().get();
        self.reset_into(|devices, context| devices.reset(cause, context));
    }

    /// The part's interrupts by vector and name.
    pub(super) fn exceptions(&self, part: &Part) -> Vec<(u16, &'static str)> {
        let named = |(vector, name): &&(u8, &'static str)| *vector != 0 && !name.is_empty();
        part.interrupts.iter().filter(named).map(|(vector, name)| (u16::from(*vector), *name)).collect()
    }

    /// The rows of the core that the run has used so far.
    pub(super) fn timing_used(&self, _: &Part) -> Vec<&'static TimingRow> {
        self.used_of(self.core.cpu().config.timing.rows)
    }

    /// Deepest use of the stack, in bytes below RAM's end.
    pub(super) fn main_stack_used(&self, _: &Part) -> Bytes {
        let cpu = self.core.cpu();
        Bytes::new(u64::from(cpu.config.stack_pointer.saturating_sub(cpu.lowest_sp)))
    }

    /// Names the end of the image's variables, below which no push should go.
    pub(super) fn set_stack_floor(&mut self, end: Address) {
        self.core.cpu_mut().stack_floor = (end.get() & 0xFFFF).saturating_sub(1) as u16;
    }

    /// The first push that went below that, and how deep pushes went in all.
    pub(super) fn stack_overrun(&self) -> Option<StackOverrun> {
        let cpu = self.core.cpu();
        let overrun = cpu.overrun?;
        let below = u64::from(cpu.stack_floor.saturating_sub(overrun.deepest)) + 1;
        Some(StackOverrun { pc: overrun.pc, at: overrun.at, below: Bytes::new(below) })
    }
}
