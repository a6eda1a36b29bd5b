//! Interrupts without a handler of their own.

use cyclescope_image::{Architecture, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use crate::backtrace::{Backtrace, Level};

/// The beginnings of the names, in small letters and without underlines, that start-up files and frameworks give the handler
/// of all interrupts that have none: CMSIS and cortex-m-rt, TivaWare, libopencm3, avr-libc, riscv-rt, Embassy's generated tables.
const NAMES: &[&str] = &[
    "defaulthandler",
    "defaultinterrupthandler",
    "defaultisr",
    "intdefaulthandler",
    "blockinghandler",
    "nullhandler",
    "badinterrupt",
    "dummyhandler",
    "unhandled",
    "unusedisr",
];

/// The first interrupt's number on a Cortex-M; faults and system calls are below it.
const FIRST_INTERRUPT: u16 = 16;

/// Says which exception went to a handler that is no one's; `None` if none of those under way did.
pub(super) fn unhandled(probe: &dyn Probe, image: &Image, backtrace: &Backtrace) -> Option<String> {
    let met = backtrace.levels.iter().filter_map(|level| match level {
        Level::Exception { number, .. } => Some(*number),
        Level::Call(_) => None,
    });
    let numbers: Vec<u16> = probe.active_exceptions().into_iter().chain(met).collect();
    let name = |number: u16| {
        probe.exception_name(number).unwrap_or_else(|| match number.checked_sub(FIRST_INTERRUPT) {
            Some(line) => format!("interrupt {line}"),
            None => format!("exception {number}"),
        })
    };
    let stand_in = numbers.iter().find_map(|number| {
        let function = default_handler(image, probe.handler(*number)?)?;
        Some(format!("{} has no handler: its vector goes to {function}", name(*number)))
    });
    // The outermost: the others are the faults that come of it.
    let empty = || {
        let vector = |number: &&u16| probe.handler(**number) == Some(Address::new(0));
        let number = numbers.iter().rev().find(vector).filter(|_| image.architecture() == Architecture::Arm)?;
        Some(format!("{} has no handler: its vector is 0", name(*number)))
    };
    stand_in.or_else(empty)
}

/// The name of the handler at `address` if it is one that stands in for many.
fn default_handler(image: &Image, address: Address) -> Option<&str> {
    let here = image.symbols().iter().filter(|symbol| symbol.address == address);
    here.map(|symbol| symbol.display_name()).find(|name| is_default(name))
}

fn is_default(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name);
    let plain: String = last.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|known| plain.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_handlers_are_known_by_name() {
        for name in ["DefaultHandler_", "Default_Handler", "IntDefaultHandler", "blocking_handler", "__bad_interrupt"] {
            assert!(is_default(name), "{name}");
        }
        for name in ["TIM3_IRQHandler", "HardFault_Handler", "isr_wrapper", "handle_default"] {
            assert!(!is_default(name), "{name}");
        }
    }
}
