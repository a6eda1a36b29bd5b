//! The questions of a debugger and a test to a machine beyond running it: registers by name, bytes of memory, what the next
//! instruction moves. Looking takes no time and changes nothing; what is written takes no time either.

use cyclescope_avr::DATA_SPACE;
use cyclescope_engine::{InstructionSet as _, Register};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Memory, SemihostingFiles, Touch, Width};

use super::{Kind, Machine};

impl Machine {
    /// The registers that [`Machine::register`] knows, in the order in which debuggers show them.
    pub fn registers(&self) -> &'static [Register] {
        inside!(&self.kind, machine => machine.core.cpu().registers())
    }

    /// The number of a register, by one of its names in any case.
    fn register_number(&self, name: &str) -> Option<usize> {
        self.registers().iter().position(|register| register.is_called(name))
    }

    /// The names of the control and status registers of a RISC-V, by number, which [`Machine::register`] knows as well.
    pub fn control_registers(&self) -> Vec<(u16, String)> {
        match &self.kind {
            Kind::Riscv(machine) => {
                let (cpu, rows) = (machine.core.cpu(), machine.core.cpu().config.traps.csrs());
                let shown = rows.iter().flat_map(cyclescope_riscv::csr::Row::shown);
                shown.filter(|(number, _)| cpu.csr(*number, &machine.bus).is_some()).collect()
            }
            Kind::CortexM(_) | Kind::Avr(_) | Kind::Xtensa(_) => Vec::new(),
        }
    }

    /// The value of the control and status register with `number`; `None` where the core has none.
    pub fn control_register(&self, number: u16) -> Option<u32> {
        let Kind::Riscv(machine) = &self.kind else { return None };
        machine.core.cpu().csr(number, &machine.bus)
    }

    /// The value of the register called `name`; an AVR's program counter in bytes. `None` for a name that the core does not have.
    pub fn register(&self, name: &str) -> Option<u32> {
        match self.register_number(name) {
            Some(number) => Some(inside!(&self.kind, machine => machine.core.cpu().register(number))),
            None => {
                let control = self.control_registers().into_iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
                self.control_register(control?.0)
            }
        }
    }

    /// Writes the register called `name`, as a debugger does between two instructions. A program counter goes to the
    /// instruction at that address, whatever was under way; bits that a register does not have are dropped. Returns `false`
    /// for a name that the core does not have, and for read-only registers: CONTROL, RISC-V's zero and its CSRs.
    pub fn set_register(&mut self, name: &str, value: u32) -> bool {
        let Some(number) = self.register_number(name) else { return false };
        inside!(&mut self.kind, machine => machine.core.cpu_mut().set_register(number, value))
    }

    /// Copies memory from `address` up into `bytes`, as a debug probe reads it: no time, no side effect. How many bytes
    /// there were: it ends before the first that is no memory, and registers of devices are none, since reading them may
    /// change them. An AVR's data space lies from 0x80_0000 up, its own registers included.
    pub fn peek(&self, address: Address, bytes: &mut [u8]) -> usize {
        for (offset, byte) in (0u32..).zip(bytes.iter_mut()) {
            let Some(at) = address.get().checked_add(offset) else { return offset as usize };
            let read = match &self.kind {
                Kind::CortexM(machine) => peek(&machine.bus.memory, at),
                Kind::Riscv(machine) => peek(&machine.bus.memory, at),
                Kind::Xtensa(machine) => peek(&machine.bus.memory, at),
                Kind::Avr(machine) => match data_address(at) {
                    Some(data) => machine.core.cpu().peek_data(&machine.bus, data),
                    None => peek(&machine.bus.memory, at),
                },
            };
            match read {
                Some(value) => *byte = value,
                None => return offset as usize,
            }
        }
        bytes.len()
    }

    /// Writes `bytes` to memory from `address` up, flash included, as a debug probe does. How many were written: it ends
    /// before the first that is no memory. What was decoded from there is decoded anew.
    pub fn poke(&mut self, address: Address, bytes: &[u8]) -> usize {
        for (offset, byte) in (0u32..).zip(bytes) {
            let Some(at) = address.get().checked_add(offset) else { return offset as usize };
            let written = match &mut self.kind {
                Kind::CortexM(machine) => machine.bus.memory.load(Address::new(at), &[*byte]),
                Kind::Riscv(machine) => machine.bus.memory.load(Address::new(at), &[*byte]),
                Kind::Xtensa(machine) => machine.bus.memory.load(Address::new(at), &[*byte]),
                Kind::Avr(machine) => match data_address(at) {
                    Some(data) => machine.core.cpu_mut().poke_data(&mut machine.bus, data, *byte),
                    None => machine.bus.memory.load(Address::new(at), &[*byte]),
                },
            };
            if !written {
                return offset as usize;
            }
        }
        bytes.len()
    }

    /// The bytes that the instruction about to execute reads or writes; `None` where it moves no data. Exceptions that are taken
    /// before it, and what their entry stacks, are left aside.
    pub fn touches(&self) -> Option<Touch> {
        self.touches_on(self.core())
    }

    /// The same of the core `core`; `None` for a core that it does not have.
    pub fn touches_on(&self, core: usize) -> Option<Touch> {
        inside!(&self.kind, machine => machine.core.all().get(core)?.touches(&machine.bus))
    }

    /// Has [`Machine::run`](super::Machine::run) stop at these addresses and no others.
    pub fn watch_only(&mut self, addresses: &[Address]) {
        let addresses: Vec<u32> = addresses.iter().map(|address| address.get()).collect();
        inside!(&mut self.kind, machine => machine.core.watch_only(&addresses));
    }

    /// Gives the guest a command line, which semihosting's SYS_GET_CMDLINE hands out. Without one that call fails.
    pub fn set_command_line(&mut self, line: &str) {
        let shared = inside!(&mut self.kind, machine => &mut machine.bus.shared);
        shared.command_line = Some(line.as_bytes().to_vec());
    }

    /// Gives the guest `files` by semihosting. Without them it has none. A reset closes them, and a clone has none.
    pub fn give_files(&mut self, files: Box<dyn SemihostingFiles>) {
        let shared = inside!(&mut self.kind, machine => &mut machine.bus.shared);
        shared.files.give(files);
    }
}

fn peek(memory: &Memory, address: u32) -> Option<u8> {
    memory.read(address, Width::Byte).map(|value| value as u8)
}

/// An address of an AVR's data space, as debuggers write it.
fn data_address(address: u32) -> Option<u16> {
    address.checked_sub(DATA_SPACE).and_then(|data| u16::try_from(data).ok())
}
