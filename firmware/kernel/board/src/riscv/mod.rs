//! RISC-V with M and U mode: the process's registers, what a trap means, and the process's protection by PMP.

pub mod calls;

use core::arch::{asm, global_asm};
use core::fmt;

#[cfg(feature = "board-litex-vexriscv")]
use cyclescope_kernel::Region;
use cyclescope_kernel::{Cause, Fault, RawCall, Upcall};

global_asm!(include_str!("trap.s"), options(raw));

unsafe extern "C" {
    /// Gives the processor to the process.
    fn cyclescope_trap_return(state: *mut State) -> !;
}

/// The process's registers, as `trap.s` stores them: the program counter in the place of x0, which is always 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct State {
    pc: u32,
    x: [u32; 31],
    mcause: u32,
    mtval: u32,
}

/// Places in `x`, which begins with register 1.
const RA: usize = 1 - 1;
const SP: usize = 2 - 1;
const A0: usize = 10 - 1;

/// `mcause` of an ECALL in U mode. The RISC-V Instruction Set Manual, Volume II, 20211203, table 3.6.
const ECALL_FROM_USER: u32 = 8;

impl State {
    /// Before the process starts.
    pub const fn new() -> Self {
        Self { pc: 0, x: [0; 31], mcause: 0, mtval: 0 }
    }

    /// Why the process stopped; behind an ECALL it goes on with the next instruction.
    pub fn cause(&mut self) -> Cause {
        if self.mcause != ECALL_FROM_USER {
            return Cause::Fault(Fault { cause: self.mcause, address: self.mtval });
        }
        self.pc += 4;
        let [a, b, c, d, class] = [self.x[A0], self.x[A0 + 1], self.x[A0 + 2], self.x[A0 + 3], self.x[A0 + 4]];
        Cause::Call(RawCall { back: self.pc, class, arguments: [a, b, c, d] })
    }

    /// The answer, as a function's result of two words.
    pub fn answer(&mut self, words: [u32; 2]) {
        [self.x[A0], self.x[A0 + 1]] = words;
    }

    /// A call of the callback from where the process stands.
    pub fn upcall(&mut self, upcall: &Upcall) {
        [self.x[A0], self.x[A0 + 1], self.x[A0 + 2]] = [upcall.value, upcall.number, upcall.callback.data];
        self.x[RA] = self.pc;
        self.pc = upcall.callback.entry;
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pc  {:08x}", self.pc)?;
        for (index, register) in self.x.iter().enumerate() {
            let (number, separator) = (index + 1, if index % 4 == 3 { '\n' } else { ' ' });
            write!(f, "{separator}x{number:<2} {register:08x}")?;
        }
        write!(f, "\nmcause {}, mtval {:08x}", self.mcause, self.mtval)
    }
}

/// Starts the process.
///
/// # Safety
/// `state` is the one that the trap vector shall use from now on, `entry` a function without end, and below `stack` is room
/// for it.
pub unsafe fn start(state: *mut State, entry: u32, stack: u32) -> ! {
    // `mstatus.MPP`, 0 for user mode.
    const MPP: u32 = 3 << 11;
    // SAFETY: nobody else knows of it yet; user mode is what `mret` shall go to.
    unsafe {
        (*state).pc = entry;
        (*state).x[SP] = stack;
        asm!("csrc mstatus, {}", in(reg) MPP);
        cyclescope_trap_return(state)
    }
}

/// Sets the first entries of the physical memory protection: what they do not name, U mode may not touch.
#[cfg(feature = "board-litex-vexriscv")]
pub fn protect(regions: &[Region; 2]) {
    let [(first, first_config), (second, second_config)] = [regions[0].pmp(), regions[1].pmp()];
    let config = u32::from(first_config) | u32::from(second_config) << 8;
    // SAFETY: no entry is locked, so that they say nothing of M mode.
    unsafe {
        asm!("csrw pmpaddr0, {}", "csrw pmpaddr1, {}", "csrw pmpcfg0, {}", in(reg) first, in(reg) second, in(reg) config);
    }
}

/// Ends the program: semihosting's SYS_EXIT with "application exit" or "run-time error".
pub fn exit(success: bool) -> ! {
    const SYS_EXIT: u32 = 0x18;
    let reason: u32 = if success { 0x2_0026 } else { 0x2_0023 };
    // SAFETY: nothing comes back.
    unsafe {
        asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli x0, x0, 31",
            "ebreak",
            "srai x0, x0, 7",
            ".option pop",
            "1: j 1b",
            in("a0") SYS_EXIT,
            in("a1") reason,
            options(noreturn)
        )
    }
}

/// The kernel itself trapped: a fault in it.
#[unsafe(no_mangle)]
extern "C" fn kernel_fault(cause: u32, pc: u32) -> ! {
    panic!("the kernel trapped at {pc:#010x}: cause {cause}")
}
