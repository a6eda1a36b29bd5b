//! Armv7-M: the process's registers, what an exception means, and the process's protection by the MPU.
//!
//! Sources: Armv7-M Architecture Reference Manual, DDI 0403E, sections B1.5 (exceptions) and B3.2, B3.5 (registers).

pub mod calls;

use core::arch::{asm, global_asm};
use core::fmt;

use cyclescope_kernel::{Cause, Fault, RawCall, Region, Upcall};

use crate::register::Register;

global_asm!(include_str!("trap.s"), options(raw));

const SCB_SHCSR: Register = Register::at(0xE000_ED24);
const SCB_CFSR: Register = Register::at(0xE000_ED28);
const SCB_MMFAR: Register = Register::at(0xE000_ED34);
const MPU_CTRL: Register = Register::at(0xE000_ED94);
const MPU_RBAR: Register = Register::at(0xE000_ED9C);
const MPU_RASR: Register = Register::at(0xE000_EDA0);

/// The process's registers: those that `trap.s` stores, and where the processor stored the others.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct State {
    r4_to_r11: [u32; 8],
    psp: u32,
}

/// What the processor puts on the process's stack.
#[repr(C)]
#[derive(Clone, Copy)]
struct Frame {
    r0_to_r3: [u32; 4],
    r12: u32,
    lr: u32,
    pc: u32,
    xpsr: u32,
}

impl State {
    /// Before the process starts.
    pub const fn new() -> Self {
        Self { r4_to_r11: [0; 8], psp: 0 }
    }

    /// The frame on the process's stack.
    fn frame(&mut self) -> &mut Frame {
        // SAFETY: the processor wrote it there with the process's own rights, or there would have been a fault that
        // `cause` tells first; the process does not run meanwhile.
        unsafe { &mut *(self.psp as usize as *mut Frame) }
    }

    /// Why the process stopped; the processor itself let it go on behind an SVC.
    pub fn cause(&mut self) -> Cause {
        let status = SCB_CFSR.read();
        if status != 0 {
            return Cause::Fault(Fault { cause: status, address: SCB_MMFAR.read() });
        }
        let Frame { r0_to_r3, r12, pc, .. } = *self.frame();
        Cause::Call(RawCall { back: pc, class: r12, arguments: r0_to_r3 })
    }

    /// The answer, as a function's result of two words.
    pub fn answer(&mut self, words: [u32; 2]) {
        let frame = self.frame();
        [frame.r0_to_r3[0], frame.r0_to_r3[1]] = words;
    }

    /// A call of the callback from where the process stands.
    pub fn upcall(&mut self, upcall: &Upcall) {
        let frame = self.frame();
        [frame.r0_to_r3[0], frame.r0_to_r3[1], frame.r0_to_r3[2]] = [upcall.value, upcall.number, upcall.callback.data];
        // Bit 0 says Thumb to who branches there, and is no part of an address on the stack.
        frame.lr = frame.pc | 1;
        frame.pc = upcall.callback.entry & !1;
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, register) in self.r4_to_r11.iter().enumerate() {
            let (number, separator) = (index + 4, if index % 4 == 3 { '\n' } else { ' ' });
            write!(f, "r{number:<2} {register:08x}{separator}")?;
        }
        write!(f, "psp {:08x}", self.psp)
    }
}

/// Starts the process.
///
/// # Safety
/// `entry` is a function without end, and below `stack` is room for it; the kernel goes on in handler mode only.
pub unsafe fn start(_: *mut State, entry: u32, stack: u32) -> ! {
    // CONTROL: thread mode without privilege, on the process's stack.
    const UNPRIVILEGED_ON_PSP: u32 = 3;
    unsafe extern "C" {
        static kernel_stack_top: u32;
    }
    // SAFETY: nothing of this function's own stack is wanted any more.
    unsafe {
        asm!(
            "msr msp, {main}",
            "msr psp, {stack}",
            "msr control, {control}",
            "isb",
            "bx {entry}",
            main = in(reg) &raw const kernel_stack_top,
            stack = in(reg) stack,
            control = in(reg) UNPRIVILEGED_ON_PSP,
            entry = in(reg) entry | 1,
            options(noreturn)
        )
    }
}

/// Sets the memory protection unit: what its regions do not name, only code with privilege may touch. Faults of memory,
/// bus and usage get handlers of their own.
pub fn protect(regions: &[Region; 2]) {
    const FAULTS: u32 = 7 << 16;
    const ENABLE_WITH_DEFAULTS_FOR_PRIVILEGED: u32 = 0b101;
    for (number, region) in (0..).zip(regions) {
        let (base, attributes) = region.mpu(number);
        MPU_RBAR.write(base);
        MPU_RASR.write(attributes);
    }
    MPU_CTRL.write(ENABLE_WITH_DEFAULTS_FOR_PRIVILEGED);
    SCB_SHCSR.write(SCB_SHCSR.read() | FAULTS);
    // SAFETY: barriers change nothing.
    unsafe { asm!("dsb", "isb") };
}

/// Ends the program as all do on this board: interrupts masked, asleep for ever.
pub fn exit(_: bool) -> ! {
    // SAFETY: nothing wants an interrupt any more.
    unsafe { asm!("cpsid i", "1:", "wfi", "b 1b", options(noreturn)) }
}

/// The kernel itself faulted.
#[unsafe(no_mangle)]
extern "C" fn kernel_fault(stack: u32) -> ! {
    panic!("the kernel stumbled: CFSR {:#010x}, stack {stack:#010x}", SCB_CFSR.read())
}
