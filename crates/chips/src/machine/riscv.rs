//! A RISC-V core with its bus.

use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{Memory, TimingRow};
use cyclescope_riscv::{Config, Cpu, INTERRUPT, Trap};

use super::joined::Joined;
use super::{LoadError, Settings};
use crate::part::Part;
use crate::riscv::{Interconnect, RiscvDevices, RiscvPart};

/// The last of the causes that the privileged architecture numbers and a core here may raise: the call from M mode.
const LAST_EXCEPTION: u16 = 11;

/// Core and bus of a part.
pub(super) type RiscvMachine = Joined<Cpu, Interconnect>;

impl RiscvMachine {
    /// See [`Machine::new`](super::Machine::new).
    pub(super) fn load<'s>(
        part: &Part,
        own: &'static RiscvPart,
        settings: Settings,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        // A ROM that nothing was put into holds zeros.
        let rom = vec![0; part.flash.bytes.get() as usize];
        let mut memory = Memory::new(part.flash.base, rom, part.ram.base, part.ram.bytes.get() as usize);
        for other in own.other_rams {
            memory.add_ram(other.base, other.bytes.get() as usize);
        }
        let mut loaded = vec![false; own.starts.len()];
        for (address, bytes) in segments {
            if !memory.load(address, bytes) {
                return Err(no_memory(part, own, address, bytes));
            }
            for (start, loaded) in own.starts.iter().zip(&mut loaded) {
                *loaded |= start.checked_sub(address.get()).is_some_and(|offset| (offset as usize) < bytes.len());
            }
        }
        let start = own.starts.iter().zip(loaded).find(|(_, loaded)| *loaded).map(|(start, _)| *start);
        let reset = start.ok_or(LoadError::NothingAtReset(Address::new(own.config.reset)))?;
        let config = Config { reset, semihosting: settings.semihosting, ..own.config };
        let devices = RiscvDevices::new(own, part.clock);
        let mut machine = Self::new(config, memory, devices, settings, 1, RiscvDevices::reset);
        machine.core.cpu_mut().halt_on_fault = settings.halt_on_fault;
        Ok(machine)
    }

    /// A reset.
    pub(super) fn reset(&mut self, _: &'static str) {
        self.reset_into(RiscvDevices::reset);
    }

    /// Exceptions by cause, then interrupts by line, as signals number them. PicoRV32 has interrupts only.
    pub(super) fn exceptions(&self, part: &Part) -> Vec<(u16, &'static str)> {
        let privileged = self.core.cpu().config.privileged().is_some();
        let last = if privileged { LAST_EXCEPTION + 1 } else { 0 };
        // 9 is the call from S mode, 10 is reserved.
        let causes = (0..last).filter(|cause| ![9, 10].contains(cause));
        let exceptions = causes.map(|cause| (cause, Trap::new(u32::from(cause), 0).words()));
        let interrupts = part.interrupts.iter().map(|(line, name)| (INTERRUPT | u16::from(*line), *name));
        exceptions.chain(interrupts).collect()
    }

    /// The rows of the core that the run has used so far.
    pub(super) fn timing_used(&self, _: &Part) -> Vec<&'static TimingRow> {
        self.used_of(self.core.cpu().config.timing.rows)
    }

    /// Deepest use of the stack that was used first, in bytes below where it was then.
    pub(super) fn main_stack_used(&self, _: &Part) -> Bytes {
        Bytes::new(u64::from(self.core.cpu().main_stack.used()))
    }
}

fn no_memory(part: &Part, own: &RiscvPart, address: Address, bytes: &[u8]) -> LoadError {
    let rom = (part.flash.bytes.get() > 0).then_some(part.flash);
    let memories = rom.into_iter().chain([part.ram]).chain(own.other_rams.iter().copied());
    let memories: Vec<String> = memories.map(|memory| format!("{} ({})", memory.base, memory.bytes)).collect();
    LoadError::NoMemory {
        address,
        length: Bytes::new(bytes.len() as u64),
        part: part.name.to_string(),
        memories: memories.join(", "),
    }
}
