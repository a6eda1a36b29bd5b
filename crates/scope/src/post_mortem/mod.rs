//! Everything that a stopped machine tells about why it came there.

mod handler;
pub(crate) mod task;
mod text;

use cyclescope_image::{Architecture, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use crate::backtrace::{self, Backtrace, Level};
use crate::place;

pub(crate) use self::handler::{starts_anew, stuck, vectors_without_handler};
pub use self::text::MOST_SHOWN;

/// The exceptions that answer faults on a Cortex-M: HardFault, MemManage, BusFault, UsageFault (DDI 0403E table B1-4).
const FAULTS: std::ops::RangeInclusive<u16> = 3..=6;

/// The state of a machine that stopped, and the reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostMortem {
    /// The core that stopped, of a part with several: all else is of it.
    pub core: Option<usize>,
    /// The last fault in the architecture's words and registers.
    pub status: Option<String>,
    /// The registers by name: those of the code that the innermost exception interrupted if that is a fault's, else those of
    /// the machine.
    pub registers: Vec<(String, u32)>,
    /// The calls that led here.
    pub backtrace: Backtrace,
    /// The branch that led to where no code is, in words.
    pub stray: Option<String>,
    /// The exception that went to a handler that is no one's, in words.
    pub unhandled: Option<String>,
    /// The stack that has left memory at its end, in words.
    pub overflow: Option<String>,
    /// The running task of a kernel or an executor, in words.
    pub task: Option<String>,
    /// The innermost exception is a fault's.
    pub in_fault: bool,
}

impl PostMortem {
    /// Examines the machine behind `probe`, which runs `image` and reports its last fault as `status`.
    pub fn of(probe: &dyn Probe, image: &Image, status: Option<String>) -> Self {
        let (backtrace, interrupted) = backtrace::walk(probe, image);
        let innermost = backtrace.levels.iter().find_map(|level| match level {
            Level::Exception { number, .. } => Some(*number),
            Level::Call(_) => None,
        });
        let arm = image.architecture() == Architecture::Arm;
        let in_fault = arm && innermost.is_some_and(|number| FAULTS.contains(&number));
        let registers = match interrupted.filter(|_| in_fault) {
            Some(registers) => registers.named(),
            None => {
                let mut named = backtrace::Registers::of(probe, image).named();
                named.extend(probe.register("xpsr").map(|value| ("xpsr".to_owned(), value)));
                named
            }
        };
        let stray = stray(probe, image, &backtrace);
        let unhandled = handler::unhandled(probe, image, &backtrace);
        let stack_pointer = registers.iter().find(|(name, _)| name == "sp").map(|(_, value)| *value);
        let overflow = stack_pointer
            .filter(|_| !matches!(image.architecture(), Architecture::Avr(_)))
            .and_then(|at| overflow(probe, at));
        let task = task::running(probe, image, &backtrace);
        Self { core: probe.core(), status, registers, backtrace, stray, unhandled, overflow, task, in_fault }
    }

    /// Tells if the machine stands in the handler of a fault, or in one that is no one's: a run that ends there by its budget
    /// has come there long before.
    pub fn is_lost(&self) -> bool {
        self.in_fault || self.unhandled.is_some()
    }
}

/// Tells that the stack pointer `at` is at the start of memory or a little below it. A push that fails leaves it there.
fn overflow(probe: &dyn Probe, at: u32) -> Option<String> {
    /// The greatest frame that is thought of, in words.
    const FARTHEST: u32 = 1 << 12;
    let is_memory = |address: u32| probe.peek(Address::new(address), &mut [0; 4]) == 4;
    let at = at & !3;
    if at.checked_sub(4).is_none_or(is_memory) {
        return None;
    }
    let begins = (0..=FARTHEST).filter_map(|words| at.checked_add(4 * words)).find(|address| is_memory(*address))?;
    let (at, begins) = (Address::new(at), Address::new(begins));
    Some(format!("the stack overflowed: its pointer is {at}, and memory begins at {begins}"))
}

/// The branch that led to a level of no function.
fn stray(probe: &dyn Probe, image: &Image, backtrace: &Backtrace) -> Option<String> {
    backtrace.calls().find(|call| call.frames.is_empty())?;
    let (from, to) = backtrace::stray(probe, image)?;
    Some(format!("the last branch out of a function went to {to}, from {}", place(image, from)))
}
