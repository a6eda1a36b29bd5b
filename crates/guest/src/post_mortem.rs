//! The examination of a machine at the end of a run.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::{FaultReport, Stop};
use cyclescope_scope::{PostMortem, RunEnd};

/// Examines `machine`, which runs `image` and came to `stop`. `None` for ends at which nothing went wrong.
pub fn post_mortem(machine: &Machine, image: &Image, stop: Stop) -> Option<PostMortem> {
    let own: Option<FaultReport> = match stop {
        Stop::Fault(fault) | Stop::Lockup(fault) => Some(fault),
        Stop::Exit(0) | Stop::Reset(_) => return None,
        _ => None,
    };
    let status = |fault| machine.fault_status(fault);
    let examined = PostMortem::of(machine, image, own.and_then(status));
    match stop {
        // Where the budget ended, there is something to tell only if it was wasted.
        Stop::Horizon | Stop::Watch(_) | Stop::Signal | Stop::OutputBudget if !examined.is_lost() => None,
        _ if examined.in_fault && own.is_none() => {
            Some(PostMortem { status: machine.handled_fault().and_then(status), ..examined })
        }
        _ => Some(examined),
    }
}

/// The same for the end of a run in a window of time.
pub fn at_end(machine: &Machine, image: &Image, end: RunEnd) -> Option<PostMortem> {
    match end {
        RunEnd::Stopped(stop) => post_mortem(machine, image, stop),
        RunEnd::Window | RunEnd::Interrupted => post_mortem(machine, image, Stop::Horizon),
        // It is as much of an end as sleep for ever.
        RunEnd::Spins(_) => post_mortem(machine, image, Stop::Deadlock(machine.pc())),
        RunEnd::Reached => None,
    }
}
