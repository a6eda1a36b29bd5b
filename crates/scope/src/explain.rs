//! Describes why and where a run stopped.

use cyclescope_image::Image;
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{FaultReport, Gap, GapKind, Stop};

/// Describes the stop of a run of `image` at the cycle `now`.
pub fn explain(stop: Stop, image: &Image, now: Cycles) -> String {
    let what = match stop {
        Stop::Exit(code) => format!("the guest exited with code {code}"),
        Stop::Horizon | Stop::Watch(_) | Stop::Signal => "the guest used up its budget of cycles".to_owned(),
        Stop::Fault(fault) => format!("the guest faulted: {}", faulted(image, fault)),
        Stop::Lockup(fault) => format!("the core locked up: {}", faulted(image, fault)),
        Stop::Deadlock(pc) => format!("the guest sleeps and nothing can wake it, {}", place(image, pc)),
        Stop::Breakpoint(pc, number) => format!("the guest stopped at breakpoint {number:#04x}, {}", place(image, pc)),
        Stop::Reset(cause) => format!("the guest was reset by {cause}"),
        Stop::OutputBudget => "the guest used up its budget of output".to_owned(),
    };
    format!("{what} (at cycle {})", now.grouped())
}

/// Returns `text`, which describes the end `stop` of a run, with the core to which it happened, of a part with several. Other ends
/// are no core's.
pub fn named(core: Option<usize>, stop: Stop, text: String) -> String {
    match (core, stop) {
        (Some(core), Stop::Fault(_) | Stop::Lockup(_) | Stop::Breakpoint(..)) => format!("core {core}: {text}"),
        _ => text,
    }
}

/// Describes the end of a run of `image` in a loop of `core` at `pc` that nothing can end, at the cycle `now`.
pub fn explain_spin(core: Option<usize>, image: &Image, pc: Address, now: Cycles) -> String {
    let core = core.map(|core| format!("core {core}: ")).unwrap_or_default();
    format!("{core}the guest spins at {}, and nothing can end its loop (at cycle {})", place(image, pc), now.grouped())
}

/// Reads of one unmodelled register from which the program seems to wait for it.
const A_WAIT: u64 = 1_000;

/// Describes the register that a run without end seems to wait for: an unmodelled one that it reads again and again.
pub fn waits_for(gaps: &[Gap], image: &Image) -> Option<String> {
    let reads = gaps.iter().filter(|gap| gap.kind == GapKind::RegisterRead && gap.count >= A_WAIT);
    let gap = reads.max_by_key(|gap| gap.count)?;
    let first = place(image, gap.driver);
    let count = integer(gap.count.into());
    Some(format!("it read {} {count} times, first at {first}; the model lacks this register", gap.name))
}

fn faulted(image: &Image, fault: FaultReport) -> String {
    let address = fault.address.map(|address| format!(" at {address}")).unwrap_or_default();
    format!("{}{address}, {}", fault.cause, place(image, fault.pc))
}

/// Describes an address by function and source line, as far as the image has them.
pub fn place(image: &Image, pc: Address) -> String {
    let function = image.function_at(pc).map(|symbol| format!(" in {}", symbol.display_name())).unwrap_or_default();
    let line = image.source_line(pc).map(|line| format!(" ({line})")).unwrap_or_default();
    format!("pc {pc}{function}{line}")
}
