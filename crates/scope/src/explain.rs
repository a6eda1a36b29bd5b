//! Why a run stopped, in words: what happened and where.

use cyclescope_image::Image;
use cyclescope_machine::{FaultReport, Stop};
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
