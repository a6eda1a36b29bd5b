//! A machine that stands still, for the scope to examine.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Address;
use cyclescope_machine::{FaultReport, Stop, Target};
use cyclescope_scope::{PostMortem, Probe, RunEnd};

/// A machine between two instructions.
pub(crate) struct Stopped<'a>(pub(crate) &'a Machine);

impl Probe for Stopped<'_> {
    fn register(&self, name: &str) -> Option<u32> {
        self.0.register(name)
    }

    fn peek(&self, address: Address, bytes: &mut [u8]) -> usize {
        self.0.peek(address, bytes)
    }

    fn active_exceptions(&self) -> Vec<u16> {
        self.0.active_exceptions()
    }

    fn exception_name(&self, number: u16) -> Option<String> {
        let known = self.0.exceptions().into_iter().find(|(known, _)| *known == number);
        known.map(|(_, name)| name.to_owned())
    }

    fn handler(&self, number: u16) -> Option<Address> {
        self.0.handler(number)
    }

    fn ways(&self) -> Vec<(Address, Address)> {
        self.0.ways().map(|way| (way.from, way.to)).collect()
    }
}

/// Examines `machine`, which runs `image` and came to `stop`. `None` for ends at which nothing went wrong.
pub(super) fn post_mortem(machine: &Machine, image: &Image, stop: Stop) -> Option<PostMortem> {
    let own: Option<FaultReport> = match stop {
        Stop::Fault(fault) | Stop::Lockup(fault) => Some(fault),
        Stop::Exit(0) | Stop::Reset(_) => return None,
        _ => None,
    };
    let status = |fault| machine.fault_status(fault);
    let examined = PostMortem::of(&Stopped(machine), image, own.and_then(status));
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
pub(super) fn at_end(machine: &Machine, image: &Image, end: RunEnd) -> Option<PostMortem> {
    match end {
        RunEnd::Stopped(stop) => post_mortem(machine, image, stop),
        RunEnd::Window | RunEnd::Interrupted => post_mortem(machine, image, Stop::Horizon),
        // It is as much of an end as sleep for ever.
        RunEnd::Spins(_) => post_mortem(machine, image, Stop::Deadlock(machine.pc())),
        RunEnd::Reached => None,
    }
}
