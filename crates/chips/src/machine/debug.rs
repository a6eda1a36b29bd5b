//! What a debugger and a test ask of a machine beyond running it: registers by name, bytes of memory, what the next
//! instruction moves. Looking takes no time and changes nothing; what is written takes no time either.

use cyclescope_avr::DATA_SPACE;
use cyclescope_cortex_m::{Entry, Fpscr};
use cyclescope_machine::{Memory, Touch, Width};
use cyclescope_units::Address;

use super::{Kind, Machine};

/// A Cortex-M's: those of its debug interface, and behind them those of FPv4-SP.
const CORTEX_M: [&str; 56] = [
    "r0",
    "r1",
    "r2",
    "r3",
    "r4",
    "r5",
    "r6",
    "r7",
    "r8",
    "r9",
    "r10",
    "r11",
    "r12",
    "sp",
    "lr",
    "pc",
    "xpsr",
    "msp",
    "psp",
    "primask",
    "basepri",
    "faultmask",
    "control",
    "s0",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
    "s7",
    "s8",
    "s9",
    "s10",
    "s11",
    "s12",
    "s13",
    "s14",
    "s15",
    "s16",
    "s17",
    "s18",
    "s19",
    "s20",
    "s21",
    "s22",
    "s23",
    "s24",
    "s25",
    "s26",
    "s27",
    "s28",
    "s29",
    "s30",
    "s31",
    "fpscr",
];

/// How many of them there are without floating point.
const WITHOUT_FP: usize = 23;

/// RISC-V's, as its calling convention names them, x0 first.
const RISCV: [&str; 33] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc",
];

/// An AVR's.
const AVR: [&str; 35] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17",
    "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31", "sreg", "sp",
    "pc",
];

impl Machine {
    /// The names of the registers that [`Machine::register`] knows, in the order in which debuggers show them.
    pub fn register_names(&self) -> &'static [&'static str] {
        match &self.kind {
            Kind::CortexM(machine) if machine.core.cpu().config.architecture.has_fpu() => &CORTEX_M,
            Kind::CortexM(_) => &CORTEX_M[..WITHOUT_FP],
            Kind::Riscv(_) => &RISCV,
            Kind::Avr(_) => &AVR,
        }
    }

    /// The place of a register among [`Machine::register_names`], by one of its names: in any case, `r13` to `r15` and
    /// `x0` to `x31` as well.
    fn register_index(&self, name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        let known = self.register_names().iter().position(|known| *known == name);
        let (letter, most) = match &self.kind {
            Kind::CortexM(_) => ('r', 15),
            Kind::Riscv(_) => ('x', 31),
            Kind::Avr(_) => return known,
        };
        let numbered = || name.strip_prefix(letter)?.parse().ok().filter(|number| *number <= most);
        match name.as_str() {
            "fp" if letter == 'x' => Some(8),
            _ => known.or_else(numbered),
        }
    }

    /// The names of the control and status registers of a RISC-V, by number, which [`Machine::register`] knows as well.
    pub fn control_registers(&self) -> Vec<(u16, String)> {
        match &self.kind {
            Kind::Riscv(machine) => {
                let (cpu, rows) = (machine.core.cpu(), machine.core.cpu().config.traps.csrs());
                let shown = rows.iter().flat_map(cyclescope_riscv::csr::Row::shown);
                shown.filter(|(number, _)| cpu.csr(*number, &machine.bus).is_some()).collect()
            }
            Kind::CortexM(_) | Kind::Avr(_) => Vec::new(),
        }
    }

    /// What the control and status register with `number` holds; `None` where the core has none.
    pub fn control_register(&self, number: u16) -> Option<u32> {
        let Kind::Riscv(machine) = &self.kind else { return None };
        machine.core.cpu().csr(number, &machine.bus)
    }

    /// What the register called `name` holds; an AVR's program counter in bytes. `None` for a name that is none of the
    /// core's.
    pub fn register(&self, name: &str) -> Option<u32> {
        let Some(index) = self.register_index(name) else {
            let control = self.control_registers().into_iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
            return self.control_register(control?.0);
        };
        Some(match &self.kind {
            Kind::CortexM(machine) => {
                let cpu = machine.core.cpu();
                let (main, process) = cpu.stack_pointers();
                match index {
                    0..=15 => cpu.r[index],
                    16 => cpu.xpsr(),
                    17 => main,
                    18 => process,
                    19 => u32::from(cpu.primask),
                    20 => u32::from(cpu.basepri),
                    21 => u32::from(cpu.faultmask),
                    22 => cpu.control(),
                    55 => cpu.fp.fpscr.bits(),
                    _ => cpu.fp.singles[(index - WITHOUT_FP) & 31],
                }
            }
            Kind::Riscv(machine) => {
                let cpu = machine.core.cpu();
                if index == 32 { cpu.pc } else { cpu.get(index as u8) }
            }
            Kind::Avr(machine) => {
                let cpu = machine.core.cpu();
                match index {
                    32 => u32::from(cpu.sreg()),
                    33 => u32::from(cpu.sp),
                    34 => cpu.pc,
                    _ => u32::from(cpu.get(index as u8)),
                }
            }
        })
    }

    /// Writes the register called `name`, as a debugger does between two instructions. A program counter goes to the
    /// instruction at that address, whatever was under way; bits that a register does not have are dropped. `false`
    /// for a name that is none of the core's, and for those that only look: CONTROL, RISC-V's zero and its CSRs.
    pub fn set_register(&mut self, name: &str, value: u32) -> bool {
        let Some(index) = self.register_index(name) else { return false };
        match &mut self.kind {
            Kind::CortexM(machine) => {
                let cpu = machine.core.cpu_mut();
                cpu.horizon = 0;
                match index {
                    13 => cpu.set_stack_pointer(cpu.process_stack, value),
                    15 => {
                        cpu.go_to(value & !1);
                        cpu.enter_with(Entry::PLAIN);
                    }
                    0..=15 => cpu.r[index] = value,
                    16 => cpu.set_xpsr(value),
                    17 => cpu.set_stack_pointer(false, value),
                    18 => cpu.set_stack_pointer(true, value),
                    19 => cpu.primask = value & 1 != 0,
                    20 => cpu.basepri = value as u8,
                    21 => cpu.faultmask = value & 1 != 0,
                    22 => return false,
                    55 => cpu.fp.fpscr = Fpscr::from_bits(value),
                    _ => cpu.fp.singles[(index - WITHOUT_FP) & 31] = value,
                }
            }
            Kind::Riscv(machine) => {
                let cpu = machine.core.cpu_mut();
                cpu.horizon = 0;
                match index {
                    0 => return false,
                    32 => cpu.pc = value & !1,
                    _ => cpu.set(index as u8, value),
                }
            }
            Kind::Avr(machine) => {
                let cpu = machine.core.cpu_mut();
                cpu.horizon = 0;
                match index {
                    32 => cpu.set_sreg(value as u8),
                    33 => cpu.write_sp(value as u16),
                    34 => cpu.pc = value & !1,
                    _ => cpu.set(index as u8, value as u8),
                }
            }
        }
        true
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

    /// What the instruction about to execute reads or writes; `None` where it moves no data. Exceptions that are taken
    /// before it, and what their entry stacks, are left aside.
    pub fn touches(&self) -> Option<Touch> {
        match &self.kind {
            Kind::CortexM(machine) => machine.core.cpu().touches(&machine.bus.memory),
            Kind::Riscv(machine) => machine.core.cpu().touches(&machine.bus.memory),
            Kind::Avr(machine) => machine.core.cpu().touches(&machine.bus),
        }
    }

    /// Has [`Target::run`](cyclescope_machine::Target::run) stop at these addresses and no others.
    pub fn watch_only(&mut self, addresses: &[Address]) {
        let addresses: Vec<u32> = addresses.iter().map(|address| address.get()).collect();
        match &mut self.kind {
            Kind::CortexM(machine) => machine.core.watch_only(&addresses),
            Kind::Riscv(machine) => machine.core.watch_only(&addresses),
            Kind::Avr(machine) => machine.core.watch_only(&addresses),
        }
    }

    /// Gives the guest a command line, which semihosting's SYS_GET_CMDLINE hands out. Without one that call fails.
    pub fn set_command_line(&mut self, line: &str) {
        let shared = match &mut self.kind {
            Kind::CortexM(machine) => &mut machine.bus.shared,
            Kind::Riscv(machine) => &mut machine.bus.shared,
            Kind::Avr(machine) => &mut machine.bus.shared,
        };
        shared.command_line = Some(line.as_bytes().to_vec());
    }
}

fn peek(memory: &Memory, address: u32) -> Option<u8> {
    memory.read(address, Width::Byte).map(|value| value as u8)
}

/// An address of an AVR's data space, as debuggers write it.
fn data_address(address: u32) -> Option<u16> {
    address.checked_sub(DATA_SPACE).and_then(|data| u16::try_from(data).ok())
}
