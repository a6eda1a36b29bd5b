//! The questions asked of a machine that has stopped: its last fault, its handlers, and the branch to nowhere.

use cyclescope_cortex_m::{BUS_FAULT, MEM_MANAGE, USAGE_FAULT};
use cyclescope_machine::units::Address;
use cyclescope_machine::{FaultReport, Probe, RegisterWindows, Width};
use cyclescope_riscv::{INTERRUPT, Trap};

use super::{Kind, Machine};
use crate::part::Core;

/// The last EXCEPTION code whose name the privileged architecture fixes for these cores.
const LAST_CAUSE: u32 = 8;

impl Machine {
    /// Describes `fault`, the last one of this machine, in the words and registers of its architecture, such as
    /// `BusFault (PRECISERR), forced to HardFault: CFSR 0x00008200, BFAR 0x40000000`. `None` for a core without such registers.
    pub fn fault_status(&self, fault: FaultReport) -> Option<String> {
        match &self.kind {
            Kind::CortexM(machine) => {
                let cpu = machine.core.cpu();
                let last = cpu.last_fault_status()?;
                if last.status == 0 {
                    return cpu.config.architecture.is_v7().then(|| format!("HardFault ({})", last.kind.bit_name()));
                }
                let (class, holder) = match last.exception {
                    MEM_MANAGE => ("MemManage", Some("MMFAR")),
                    BUS_FAULT => ("BusFault", Some("BFAR")),
                    USAGE_FAULT => ("UsageFault", None),
                    _ => ("HardFault", None),
                };
                let forced = if last.forced { ", forced to HardFault" } else { "" };
                let address = holder
                    .filter(|_| last.has_address)
                    .zip(fault.address)
                    .map(|(name, address)| format!(", {name} {address}"));
                let address = address.unwrap_or_default();
                Some(format!("{class} ({}){forced}: CFSR {:#010x}{address}", last.kind.bit_name(), last.status))
            }
            Kind::Riscv(machine) => {
                let cause = (0..=LAST_CAUSE).find(|cause| Trap::new(*cause, 0).words() == fault.cause)?;
                let value = fault.address.map(|address| format!(", mtval {address}")).unwrap_or_default();
                let half = |at: u32| machine.bus.peek(Address::new(fault.pc.get().wrapping_add(at)), Width::Half);
                let bits = half(0).zip(half(2)).filter(|_| cause == Trap::ILLEGAL).map(|(low, high)| high << 16 | low);
                let refusal = bits.and_then(|bits| machine.core.cpu().refusal(bits, &machine.bus));
                let refusal = refusal.map(|refusal| format!(": {refusal}")).unwrap_or_default();
                Some(format!("mcause {cause}{value}{refusal}"))
            }
            Kind::Xtensa(machine) => match &self.part.core {
                Core::Xtensa(own) => machine.fault_status(fault, own),
                _ => None,
            },
            Kind::Avr(_) => None,
        }
    }
}

impl Probe for Machine {
    fn core(&self) -> Option<usize> {
        (self.cores() > 1).then(|| Machine::core(self))
    }

    fn register(&self, name: &str) -> Option<u32> {
        Machine::register(self, name)
    }

    fn peek(&self, address: Address, bytes: &mut [u8]) -> usize {
        Machine::peek(self, address, bytes)
    }

    /// A Cortex-M knows the innermost (IPSR), a RISC-V all.
    fn active_exceptions(&self) -> Vec<u16> {
        match &self.kind {
            Kind::CortexM(machine) => Some(machine.core.cpu().ipsr).filter(|number| *number > 0).into_iter().collect(),
            Kind::Riscv(machine) => machine.core.cpu().active_traps().iter().rev().copied().collect(),
            Kind::Xtensa(machine) => machine.core.cpu().active_exceptions().iter().rev().copied().collect(),
            Kind::Avr(_) => Vec::new(),
        }
    }

    fn windows(&self) -> Option<RegisterWindows> {
        match &self.kind {
            Kind::Xtensa(machine) => machine.windows(),
            _ => None,
        }
    }

    fn exception_name(&self, number: u16) -> Option<String> {
        let known = self.exceptions().into_iter().find(|(known, _)| *known == number);
        known.map(|(_, name)| name.to_owned())
    }

    /// A Cortex-M's by its vector, 0 where there is none; a RISC-V's by mtvec.
    fn handler(&self, number: u16) -> Option<Address> {
        match &self.kind {
            Kind::CortexM(machine) => {
                let at = machine.core.cpu().scb.vector_table().checked_add(4 * u32::from(number))?;
                let vector = machine.bus.memory.read(at, Width::Word)?;
                Some(Address::new(vector & !1))
            }
            Kind::Riscv(machine) => {
                let vector = self.register("mtvec")?;
                let entry = match vector & 3 {
                    1 if number & INTERRUPT != 0 => (vector & !3).checked_add(4 * u32::from(number & 0x7FFF))?,
                    _ => vector & !3,
                };
                let code = machine.bus.memory.read(entry, Width::Word);
                Some(Address::new(code.and_then(jump).map_or(entry, |offset| entry.wrapping_add_signed(offset))))
            }
            Kind::Xtensa(machine) => machine.handler(number).map(Address::new),
            Kind::Avr(_) => None,
        }
    }

    /// See [`Core::stray`](cyclescope_engine::Core::stray) and [`Core::new_ways`](cyclescope_engine::Core::new_ways).
    fn ways(&self) -> Vec<(Address, Address)> {
        inside!(&self.kind, machine => {
            let ways = machine.core.stray().into_iter().chain(machine.core.new_ways());
            ways.map(|way| (way.from, way.to)).collect()
        })
    }
}

/// The offset of `code` if it is a plain jump (JAL with x0).
fn jump(code: u32) -> Option<i32> {
    (code & 0xFFF == 0x6F).then(|| {
        let high = (code as i32 >> 31) << 20;
        high | (code & 0xF_F000) as i32 | (code >> 9 & 0x800) as i32 | (code >> 20 & 0x7FE) as i32
    })
}
