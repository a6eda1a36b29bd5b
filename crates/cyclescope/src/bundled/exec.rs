//! One guest on one chip.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_machine::{Console, Stop, Target};
use cyclescope_scope::{End, Limits, Session};
use cyclescope_units::Cycles;

use crate::backend::{ExecOutcome, ExecRequest, Failure, Sink};
use crate::exit::Exit;

/// How often the probe reads RTT and output is passed on: a millisecond at 48 MHz.
const POLL: Cycles = Cycles::new(48_000);

/// Runs the guest of `request`.
pub(super) fn exec(request: &ExecRequest<'_>, sink: &mut Sink<'_>) -> Result<ExecOutcome, Failure> {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| Failure {
        subject: format!("the image on {}", request.chip),
        error,
        help: None,
        exit: Exit::BadInput,
    };
    let part = Part::load(request.chip).map_err(|error| refused(error.into()))?;
    let settings = Settings {
        memory: request.memory.into(),
        output_budget: request.max_output,
        halt_on_fault: !request.guest_handles_faults,
        halt_on_reset: true,
        ..Settings::default()
    };
    let segments = request.image.segments().map(|segment| (segment.address, segment.bytes));
    let mut machine = Machine::new(&part, settings, segments).map_err(|error| refused(error.into()))?;
    let limits = Limits { cycles: request.max_cycles, poll: POLL };
    let mut passed = Passed::default();
    let end = Session::new(&mut machine, request.image).run(limits, |console| !passed.pass(console, sink));
    passed.pass(&machine.shared().console, sink);
    let stop = match end {
        End::Stopped(stop) => stop,
        End::Satisfied | End::CycleBudget => Stop::Horizon,
    };
    let gaps = machine.gaps().to_vec();
    Ok(ExecOutcome {
        stop,
        pc: machine.pc(),
        handled_fault: machine.core().cpu().last_fault,
        cycles: machine.now(),
        instructions: machine.instructions(),
        gaps,
    })
}

/// How much of a console was passed on.
#[derive(Default)]
struct Passed {
    /// Runs of one channel that are passed on as far as they went; only the last of them can have grown since.
    runs: usize,
    /// Bytes of the last one.
    bytes: usize,
    refused: bool,
}

impl Passed {
    /// Passes on what is new; `false` once the sink has had enough.
    fn pass(&mut self, console: &Console, sink: &mut Sink<'_>) -> bool {
        for (index, (channel, bytes)) in console.runs().enumerate().skip(self.runs.saturating_sub(1)) {
            let known = if index + 1 == self.runs { self.bytes } else { 0 };
            let new = bytes.get(known..).unwrap_or_default();
            if !new.is_empty() && !self.refused {
                self.refused = !sink(channel, new);
            }
            (self.runs, self.bytes) = (index + 1, bytes.len());
        }
        !self.refused
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Channel;

    use super::*;

    #[test]
    fn every_byte_is_passed_on_once_and_in_order() {
        let mut console = Console::new(100);
        let mut passed = Passed::default();
        let mut seen = Vec::new();
        let writes: [(Channel, &[u8]); 5] = [
            (Channel::Uart(2), b"ab"),
            (Channel::Uart(2), b"c"),
            (Channel::Rtt(0), b"d"),
            (Channel::Uart(2), b"e"),
            (Channel::Uart(2), b"fg"),
        ];
        for (index, (channel, bytes)) in writes.into_iter().enumerate() {
            console.write(channel, bytes);
            if index != 1 && index != 3 {
                assert!(passed.pass(&console, &mut |_, new| {
                    seen.extend_from_slice(new);
                    true
                }));
            }
        }
        assert_eq!(seen, b"abcdefg");
        console.write(Channel::Uart(2), b"h");
        assert!(!passed.pass(&console, &mut |_, _| false));
    }
}
