//! Cortex-M: exception frames, and the instructions that call.

use cyclescope_machine::Probe;

use super::registers::{Registers, half, word};

/// The lowest EXC_RETURN (DDI 0403E table B1-8); 0xFFFF_FFFF is the link register's value at reset.
const EXC_RETURN: std::ops::Range<u32> = 0xFFFF_FFE1..0xFFFF_FFFF;
/// EXC_RETURN: the frame has no floating-point state.
const WITHOUT_FP: u32 = 1 << 4;
/// EXC_RETURN: to thread mode.
const TO_THREAD: u32 = 1 << 3;
/// EXC_RETURN: the frame is on the process stack.
const PROCESS_STACK: u32 = 1 << 2;
/// Bytes of a frame: r0 to r3, r12, lr, return address, xPSR.
const FRAME: u32 = 32;
/// The same with s0 to s15, FPSCR and a reserved word.
const FP_FRAME: u32 = 104;
/// xPSR: a word of padding is above the frame.
const PADDED: u32 = 1 << 9;
/// xPSR: the number of the exception whose handler was interrupted.
const NUMBER: u32 = 0x1FF;
/// xPSR: Thumb state.
const THUMB: u32 = 1 << 24;

/// Tells if a return to `address` is one from an exception.
pub(super) fn is_exception_return(address: u32) -> bool {
    EXC_RETURN.contains(&address)
}

/// Returns the registers that the exception returning by `exc_return` interrupted, and the exception whose handler that was, 0
/// for none. The frame is at the stack pointer of `handler`, or at PSP.
pub(super) fn interrupted(probe: &dyn Probe, handler: &Registers, exc_return: u32) -> Option<(Registers, u16)> {
    let process = exc_return & PROCESS_STACK != 0 && exc_return & TO_THREAD != 0;
    let frame = if process { probe.register("psp")? } else { handler.stack_pointer()? };
    let at = |index: u32| word(probe, frame.checked_add(4 * index)?);
    let (pc, xpsr) = (at(6)?, at(7)?);
    if xpsr & THUMB == 0 && pc & 1 != 0 {
        return None;
    }
    let mut registers = handler.clone();
    for (index, number) in [0, 1, 2, 3, 12, 14].into_iter().enumerate() {
        registers.set(number, Some(at(index as u32)?));
    }
    let bytes = if exc_return & WITHOUT_FP == 0 { FP_FRAME } else { FRAME };
    let padding = if xpsr & PADDED == 0 { 0 } else { 4 };
    registers.set(13, frame.checked_add(bytes + padding));
    registers.pc = pc & !1;
    Some((registers, (xpsr & NUMBER) as u16))
}

/// Tells if the instruction before `address` is a call: BL, or BLX with a register.
pub(super) fn follows_call(probe: &dyn Probe, address: u32) -> bool {
    let before = |bytes| address.checked_sub(bytes).and_then(|at| half(probe, at));
    let indirect = before(2).is_some_and(|code| code & 0xFF87 == 0x4780);
    let direct =
        before(4).is_some_and(|code| code & 0xF800 == 0xF000) && before(2).is_some_and(|code| code & 0xD000 == 0xD000);
    indirect || direct
}
