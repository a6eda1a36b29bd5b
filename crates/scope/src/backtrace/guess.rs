//! Return addresses found by a search, where nothing describes a frame.

use cyclescope_image::{Architecture, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use super::registers::{Registers, word};
use super::{avr, cortex_m, riscv, xtensa};

/// The bytes of stack that are searched for one return address.
const MOST_SEARCHED: u32 = 4096;

/// Tells if `address` lies behind a call in a known function.
pub(super) fn is_return_address(probe: &dyn Probe, image: &Image, address: u32) -> bool {
    if image.function_at(Address::new(address.saturating_sub(1))).is_none() {
        return false;
    }
    match image.architecture() {
        Architecture::Arm => cortex_m::follows_call(probe, address),
        Architecture::Riscv => riscv::follows_call(probe, address),
        Architecture::Xtensa => xtensa::follows_call(probe, address),
        _ => avr::follows_call(probe, address),
    }
}

/// A word of the stack that looks like a return address.
pub(super) enum Found {
    /// A caller, with the stack as it is after the return.
    Caller(Registers),
    /// The return from an exception, with the stack as it is at its frame.
    Exception(Registers, u32),
}

/// Searches the stack of `callee` from its stack pointer up for the first word that looks like a return address.
pub(super) fn search(probe: &dyn Probe, image: &Image, callee: &Registers) -> Option<Found> {
    let bottom = callee.stack_pointer()?;
    let returned = |pc: u32, stack_pointer: u32| {
        let mut caller = callee.clone();
        caller.set(callee.stack_pointer_number(), Some(stack_pointer));
        caller.pc = pc;
        caller
    };
    if let Architecture::Avr(generation) = image.architecture() {
        // The stack pointer names the next free byte.
        let bytes = avr::return_bytes(generation);
        return (0..MOST_SEARCHED).find_map(|offset| {
            let at = bottom.checked_add(1 + offset)?;
            let address = avr::return_address(probe, generation, at)?;
            is_return_address(probe, image, address).then(|| Found::Caller(returned(address, at + bytes - 1)))
        });
    }
    let arm = image.architecture() == Architecture::Arm;
    for at in (bottom & !3..).step_by(4).take(MOST_SEARCHED as usize / 4) {
        let value = word(probe, at)?;
        let above = at.checked_add(4)?;
        if arm && cortex_m::is_exception_return(value) {
            return Some(Found::Exception(returned(callee.pc, above), value));
        }
        let address = if arm { value & !1 } else { value };
        if value & 1 == u32::from(arm) && is_return_address(probe, image, address) {
            return Some(Found::Caller(returned(address, above)));
        }
    }
    None
}
