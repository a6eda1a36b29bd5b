//! The running task: of a kernel that keeps its name, or of an executor whose functions are in the backtrace.

pub(crate) mod polled;

use cyclescope_image::{Architecture, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use crate::backtrace::Backtrace;

/// The bytes of a task's name that are read.
const LONGEST: usize = 16;

/// FreeRTOS's word for the running task, and the name's offset in the control block where lists are not checked and no MPU is
/// used: the stack's top, two list items, the priority and the stack come first (`tskTaskControlBlock` in tasks.c).
const FREERTOS: (&str, u32) = ("pxCurrentTCB", 52);

/// ThreadX's word for the running thread, and the offset of the pointer to its name (`TX_THREAD` in tx_api.h).
const THREADX: (&str, u32) = ("_tx_thread_current_ptr", 40);

/// Names the running task of `image`, if there is one.
pub(super) fn running(probe: &dyn Probe, image: &Image, backtrace: &Backtrace) -> Option<String> {
    kept(probe, image).or_else(|| polled::running(image, backtrace))
}

/// Names the running task of a kernel that keeps names.
fn kept(probe: &dyn Probe, image: &Image) -> Option<String> {
    // A pointer of an AVR takes two bytes, and its control blocks differ.
    if matches!(image.architecture(), Architecture::Avr(_)) {
        return None;
    }
    let word = |address: u32| {
        let mut bytes = [0; 4];
        (probe.peek(Address::new(address), &mut bytes) == 4).then_some(u32::from_le_bytes(bytes))
    };
    let block = |symbol| word(image.find_symbol(symbol)?.address.get()).filter(|block| *block != 0);
    let text = |at: u32| name(probe, Address::new(at));
    if let Some(block) = block(FREERTOS.0) {
        let name = image.member_offset("tskTaskControlBlock", "pcTaskName").unwrap_or(FREERTOS.1);
        return Some(told(block.checked_add(name).and_then(text), block));
    }
    let block = block(THREADX.0)?;
    Some(told(block.checked_add(THREADX.1).and_then(word).and_then(text), block))
}

fn told(name: Option<String>, block: u32) -> String {
    match name {
        Some(name) => format!("`{name}`"),
        None => format!("without a name, its control block at {block:#010x}"),
    }
}

/// The text at `at`, if it is one.
fn name(probe: &dyn Probe, at: Address) -> Option<String> {
    let mut bytes = [0; LONGEST];
    let read = probe.peek(at, &mut bytes);
    let text = bytes.get(..read)?.split(|byte| *byte == 0).next()?;
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ')).then(|| text.to_owned())
}
