//! Why a run stopped, in words: what happened and where.

use cyclescope_image::Image;
use cyclescope_machine::{FaultReport, Gap, GapKind, Stop};
use cyclescope_units::{Address, Cycles};

/// Why the run of `image` stopped at the cycle `now`.
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
    format!("{what} (at cycle {})", now.get())
}

/// So many reads of one register that the model lacks look like a program that waits for it.
const A_WAIT: u64 = 1_000;

/// The register that a run which does not end seems to wait for, in words: the one of those that the model lacks which it
/// reads over and over.
pub fn waits_for(gaps: &[Gap], image: &Image) -> Option<String> {
    let reads = gaps.iter().filter(|gap| gap.kind == GapKind::RegisterRead && gap.count >= A_WAIT);
    let gap = reads.max_by_key(|gap| gap.count)?;
    let first = place(image, gap.pc);
    Some(format!("it has read {}, which is not modelled, {} times, first at {first}", gap.name, gap.count))
}

fn faulted(image: &Image, fault: FaultReport) -> String {
    let address = fault.address.map(|address| format!(" on {address}")).unwrap_or_default();
    format!("{}{address}, {}", fault.cause, place(image, fault.pc))
}

/// An address with its function and source line, as far as the image knows them.
pub fn place(image: &Image, pc: Address) -> String {
    let function = image.function_at(pc).map(|symbol| format!(" in {}", symbol.display_name())).unwrap_or_default();
    let line = image.source_line(pc).map(|line| format!(" ({line})")).unwrap_or_default();
    format!("pc {pc}{function}{line}")
}
