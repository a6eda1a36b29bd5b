//! Machines of Armv7-M: a Cortex-M3 and a Cortex-M4F over the same memory, and the registers the tests name.

use cyclescope_cortex_m::Config;
use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::{CORTEX_M3, CORTEX_M4F};
use cyclescope_machine::{FlashTiming, Stop};

use super::{FLASH, Machine, asm, config};

pub const MEM_MANAGE: u32 = 4;
pub const BUS_FAULT: u32 = 5;
pub const USAGE_FAULT: u32 = 6;

pub const DWT_CTRL: u32 = 0xE000_1000;
pub const DWT_CYCCNT: u32 = 0xE000_1004;
pub const DWT_CPICNT: u32 = 0xE000_1008;
pub const DWT_EXCCNT: u32 = 0xE000_100C;
pub const DWT_SLEEPCNT: u32 = 0xE000_1010;
pub const DWT_LSUCNT: u32 = 0xE000_1014;
pub const DWT_FOLDCNT: u32 = 0xE000_1018;
pub const ACTLR: u32 = 0xE000_E008;
pub const ICSR: u32 = 0xE000_ED04;
pub const VTOR: u32 = 0xE000_ED08;
pub const AIRCR: u32 = 0xE000_ED0C;
pub const CCR: u32 = 0xE000_ED14;
pub const SHPR1: u32 = 0xE000_ED18;
pub const SHPR3: u32 = 0xE000_ED20;
pub const SHCSR: u32 = 0xE000_ED24;
pub const CFSR: u32 = 0xE000_ED28;
pub const MMFAR: u32 = 0xE000_ED34;
pub const BFAR: u32 = 0xE000_ED38;
pub const CPACR: u32 = 0xE000_ED88;
pub const MPU_TYPE: u32 = 0xE000_ED90;
pub const MPU_CTRL: u32 = 0xE000_ED94;
pub const MPU_RNR: u32 = 0xE000_ED98;
pub const MPU_RBAR: u32 = 0xE000_ED9C;
pub const MPU_RASR: u32 = 0xE000_EDA0;
pub const DEMCR: u32 = 0xE000_EDFC;
pub const STIR: u32 = 0xE000_EF00;
pub const FPCCR: u32 = 0xE000_EF34;
pub const FPCAR: u32 = 0xE000_EF38;
pub const FPDSCR: u32 = 0xE000_EF3C;

/// The F4's flash at 180 MHz: five wait states, lines of 16 bytes, 64 and 8 of them kept.
pub const ART: FlashTiming = FlashTiming {
    line_bytes: 16,
    wait_states: 5,
    prefetch: true,
    instruction_lines: 64,
    data_lines: 8,
    ..FlashTiming::IDEAL
};

/// CCR bits.
pub const NONBASETHRDENA: u32 = 1;
pub const USERSETMPEND: u32 = 1 << 1;
pub const UNALIGN_TRP: u32 = 1 << 3;
pub const DIV_0_TRP: u32 = 1 << 4;
pub const BFHFNMIGN: u32 = 1 << 8;
pub const STKALIGN: u32 = 1 << 9;
/// SHCSR with all three configurable faults enabled.
pub const ALL_FAULTS: u32 = 7 << 16;
/// HFSR.FORCED.
pub const FORCED: u32 = 1 << 30;
/// CFSR bits.
pub const MMARVALID: u32 = 1 << 7;
pub const BFARVALID: u32 = 1 << 15;

/// MPU_RASR access permissions.
pub const NO_ACCESS: u32 = 0;
pub const PRIVILEGED: u32 = 1 << 24;
pub const ALL: u32 = 3 << 24;
pub const PRIVILEGED_READS: u32 = 5 << 24;
pub const ALL_READ: u32 = 6 << 24;
/// MPU_RASR.XN.
pub const XN: u32 = 1 << 28;
/// MPU_CTRL: on, with the default map for privileged code.
pub const WITH_DEFAULT: u32 = 5;

/// The address of the stubs of [`Machine::with`] and [`Machine::register`].
const STUBS: u32 = FLASH + 0x3F00;

pub fn configured(architecture: Architecture) -> Config {
    Config {
        architecture,
        bit_band: true,
        timing: if architecture == Architecture::Armv7EMF { &CORTEX_M4F } else { &CORTEX_M3 },
        priority_bits: 4,
        mpu_regions: 8,
        cpuid: 0x410F_C241,
        ..config()
    }
}

/// A Cortex-M3 with `code` at [`super::CODE`].
pub fn m3(code: &[u16]) -> Machine {
    Machine::configured(configured(Architecture::Armv7M), FlashTiming::IDEAL, code).with_stubs()
}

/// A Cortex-M4F with `code` at [`super::CODE`], its floating-point unit on.
pub fn m4f(code: &[u16]) -> Machine {
    m4f_off(code).with(CPACR, 0xF << 20)
}

/// A Cortex-M4F as out of reset: its floating-point unit is off.
pub fn m4f_off(code: &[u16]) -> Machine {
    m4f_flash(FlashTiming::IDEAL, code)
}

/// The same on flash with that timing.
pub fn m4f_flash(flash: FlashTiming, code: &[u16]) -> Machine {
    Machine::configured(configured(Architecture::Armv7EMF), flash, code).with_stubs()
}

/// Returns MPU_RASR for an enabled region of 2^`bits` bytes.
pub fn sized(bits: u32, attributes: u32) -> u32 {
    attributes | (bits - 1) << 1 | 1
}

impl Machine {
    fn with_stubs(self) -> Self {
        self.code_at(STUBS, &[asm::str(1, 0, 0), asm::bkpt(0)]).code_at(STUBS + 8, &[asm::ldr(1, 0, 0), asm::bkpt(0)])
    }

    /// Writes a word as privileged code would, at no cost in time. Call it before events are scheduled.
    pub fn with(mut self, address: u32, value: u32) -> Self {
        let cpu = self.core.cpu();
        let (r, now, instructions, primask) = (cpu.r, cpu.now, cpu.instructions, cpu.primask);
        // The flash interface remembers nothing of it.
        let timing = self.bus.memory.flash.interface().timing();
        self.bus.memory.set_flash_timing(FlashTiming::IDEAL);
        self.run_stub(STUBS, address, value);
        self.bus.memory.set_flash_timing(timing);
        let cpu = self.core.cpu_mut();
        (cpu.r, cpu.now, cpu.instructions, cpu.primask) = (r, now, instructions, primask);
        self
    }

    /// MPU region `number`.
    pub fn region(self, number: u32, base: u32, rasr: u32) -> Self {
        self.with(MPU_RBAR, base | 0x10 | number).with(MPU_RASR, rasr)
    }

    /// Returns the word that privileged code would read at `address` now.
    pub fn register(&self, address: u32) -> u32 {
        let mut other = self.clone();
        let cpu = other.core.cpu_mut();
        (cpu.unprivileged, cpu.faultmask, cpu.thumb) = (false, true, true);
        cpu.entry = cyclescope_cortex_m::Entry::PLAIN;
        other.run_stub(STUBS + 8, address, 0);
        other.r(1)
    }

    fn run_stub(&mut self, stub: u32, address: u32, value: u32) {
        let cpu = self.core.cpu_mut();
        cpu.primask = true;
        (cpu.r[0], cpu.r[1]) = (address, value);
        cpu.go_to(stub);
        let until = cpu.now + 1000;
        loop {
            match self.run(until) {
                Stop::Breakpoint(..) => break,
                Stop::Signal | Stop::Watch(_) => self.bus.shared.signals.drain().for_each(drop),
                stop => panic!("{stop:?} at {:#x} for {address:#x}", self.pc()),
            }
        }
    }

    pub fn cfsr(&self) -> u32 {
        self.core.cpu().scb.fault_status()
    }

    pub fn hfsr(&self) -> u32 {
        self.core.cpu().scb.hard_fault_status()
    }

    /// Runs until BKPT or lockup, at most to the cycle `until`, and hands back the stop.
    pub fn run_to_stop(&mut self, until: u64) -> Stop {
        loop {
            match self.run(until) {
                Stop::Signal => self.bus.shared.signals.drain().for_each(drop),
                stop => return stop,
            }
        }
    }
}

/// Runs `code` followed by BKPT with r0 to r7 in RAM; each instruction must take its cycles in `expected`, traced, in
/// blocks, and cut at every cycle.
pub fn takes(make: fn(&[u16]) -> Machine, name: &str, code: &[u16], expected: &[u64]) {
    let mut machine = make(&[code, &[asm::bkpt(0)]].concat());
    for register in 0..8 {
        machine = machine.set(register, super::RAM + 0x100);
    }
    takes_from(&machine, name, expected);
}

/// The same of a machine that stands before its code.
pub fn takes_from(machine: &Machine, name: &str, expected: &[u64]) {
    let total: u64 = expected.iter().sum();
    let (retired, stop) = machine.clone().trace(1000);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{name}: {stop:?}");
    let cycles: Vec<u64> = retired.iter().map(|retire| retire.cycles.get()).collect();
    // The last is the BKPT.
    assert_eq!(cycles[..cycles.len() - 1], *expected, "{name}");
    assert_eq!(machine.clone().run_to_breakpoint(), total, "{name} in blocks");
    let mut cut = machine.clone();
    let mut until = 0;
    while cut.run(until) == Stop::Horizon {
        until += 1;
    }
    assert_eq!(cut.now() - 1, total, "{name} cut at every cycle");
}
