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
    let arm = image.architecture() == Architecture::Arm;
    let stand_in = numbers.iter().find_map(|number| {
        let function = default_handler(image, probe.handler(*number)?)?;
        Some(told(probe, image, *number, &format!("its vector goes to {function}")))
    });
    // The outermost: the others are the faults that come of it.
    let nowhere = || {
        numbers.iter().rev().filter(|_| arm).find_map(|number| match probe.handler(*number)? {
            at if at == Address::new(0) => Some(told(probe, image, *number, "its vector is 0")),
            at if at == ERASED => Some(told(probe, image, *number, "its vector is erased flash")),
            at if probe.peek(at, &mut [0; 2]) < 2 => {
                let why =
                    format!("its vector leads to {at}, where no memory is; the table of vectors may be too short");
                Some(told(probe, image, *number, &why))
            }
            _ => None,
        })
    };
    stand_in.or_else(nowhere)
}

/// Thumb's branch to itself (Arm v7-M Architecture Reference Manual, A7.7.12, encoding T2 with an offset of -4).
const BRANCH_TO_ITSELF: u16 = 0xE7FE;

/// Says which exception's handler, one that stands in for many, has come to a branch to itself; `None` elsewhere.
pub(crate) fn stuck(probe: &dyn Probe, image: &Image) -> Option<String> {
    let number = *probe.active_exceptions().first()?;
    let pc = Address::new(probe.register("pc")? & !1);
    let mut here = [0; 2];
    let still = probe.peek(pc, &mut here) == 2 && u16::from_le_bytes(here) == BRANCH_TO_ITSELF;
    if image.architecture() != Architecture::Arm || !still {
        return None;
    }
    let handler = probe.handler(number)?;
    let function = default_handler(image, handler)?;
    // A handler may have called another function to wait in.
    let inside = image.function_at(pc).is_some_and(|symbol| symbol.address == handler);
    inside.then(|| told(probe, image, number, &format!("its vector goes to {function}, which never returns")))
}

/// AVR's JMP to the first 128 KiB of flash (AVR Instruction Set Manual, DS40002198, "JMP"); a word's address follows.
const JMP: u16 = 0x940C;

/// The most vectors that are looked at.
const MOST_VECTORS: u16 = 64;

/// Returns the numbers and the places of an AVR's vectors that lead to avr-libc's `__bad_interrupt`, if that starts the program
/// anew, as it does unless the program defines `ISR(BADISR_vect)`.
pub(crate) fn vectors_without_handler(probe: &dyn Probe, image: &Image) -> Vec<(u16, Address)> {
    let at = |name: &str| image.find_symbol(name).map(|symbol| symbol.address);
    let (Architecture::Avr(_), Some(vectors), Some(bad)) =
        (image.architecture(), at("__vectors"), at("__bad_interrupt"))
    else {
        return Vec::new();
    };
    if at("__vector_default").is_some_and(|to| to != vectors) {
        return Vec::new();
    }
    let jump = |at: Address| {
        let mut code = [0; 4];
        let read = probe.peek(at, &mut code) == 4;
        let [first, second] = [[code[0], code[1]], [code[2], code[3]]].map(u16::from_le_bytes);
        (read && first == JMP).then(|| Address::new(2 * u32::from(second)))
    };
    let place = |number: u16| vectors.get().checked_add(4 * u32::from(number)).map(Address::new);
    let places = (1..MOST_VECTORS).map_while(|number| Some((number, place(number)?)));
    let jumps = places.map_while(|(number, at)| Some((number, at, jump(at)?)));
    jumps.filter(|(.., to)| *to == bad).map(|(number, at, _)| (number, at)).collect()
}

/// Says that the interrupt `number` of an AVR has no handler, and what avr-libc does then.
pub(crate) fn starts_anew(probe: &dyn Probe, number: u16) -> String {
    let Some(name) = probe.exception_name(number) else {
        return format!("interrupt {number} has no handler: avr-libc starts the program anew each time that it comes");
    };
    format!(
        "{name} has no handler: avr-libc starts the program anew each time that it comes; one is written `ISR({name}_vect)`"
    )
}

/// Says that the exception `number` has no handler, and `why`.
fn told(probe: &dyn Probe, image: &Image, number: u16, why: &str) -> String {
    let arm = image.architecture() == Architecture::Arm;
    let known = probe.exception_name(number);
    let written = known.as_ref().filter(|_| arm).map(|name| format!("; {}", written(image, number, name)));
    let name = known.unwrap_or_else(|| match number.checked_sub(FIRST_INTERRUPT) {
        Some(line) => format!("interrupt {line}"),
        None => format!("exception {number}"),
    });
    format!("{name} has no handler: {why}{}", written.unwrap_or_default())
}

/// The address that a vector in erased flash leads to.
const ERASED: Address = Address::new(0xFFFF_FFFE);

/// The names of the system's exceptions in CMSIS and in cortex-m-rt, where they differ from each other.
const SYSTEM: [(u16, &str, &str); 4] = [
    (2, "NMI", "NonMaskableInt"),
    (4, "MemManage", "MemoryManagement"),
    (11, "SVC", "SVCall"),
    (12, "DebugMon", "DebugMonitor"),
];

/// Says how the handler of the exception `number`, called `name`, is written in the image's language.
fn written(image: &Image, number: u16, name: &str) -> String {
    let system = SYSTEM.iter().find(|(known, ..)| *known == number);
    let (c, rust) = system.map_or((name, name), |(_, c, rust)| (*c, *rust));
    let is_rust = image.compilers().iter().any(|compiler| compiler.starts_with("rustc"));
    match (is_rust, number < FIRST_INTERRUPT) {
        (true, true) => format!("one is written `#[exception] fn {rust}()`"),
        (true, false) => format!("one is written `#[interrupt] fn {rust}()`, or bound by Embassy's `bind_interrupts!`"),
        (false, true) => format!("start-up files call it `{c}_Handler`"),
        (false, false) => format!("start-up files call it `{c}_IRQHandler`"),
    }
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
