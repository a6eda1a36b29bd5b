//! `cyclescope exec`.

use cyclescope_image::Image;
use cyclescope_machine::{Channel, Stop};
use cyclescope_scope::defmt::{Decoder, DefmtError, Strings};
use cyclescope_scope::{explain, place};
use cyclescope_units::Cycles;

use crate::backend::{Backend, ExecOutcome, ExecRequest};
use crate::cli::ExecArguments;
use crate::commands::{check_chips, read_image};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Console;

/// Runs one guest with its output on standard output.
///
/// # Errors
/// [`CliError`] where the image cannot be read or does not fit the chip, and where its output cannot be written.
pub fn exec(arguments: &ExecArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let catalogue = backend.catalogue();
    check_chips(std::slice::from_ref(&arguments.chip), &catalogue)?;
    let image = read_image(&arguments.elf)?;
    let defmt_error = |error| CliError::Defmt { path: arguments.elf.clone(), error };
    let strings = if image.uses_defmt() { Some(Strings::read(image.file()).map_err(defmt_error)?) } else { None };
    let mut channels = Channels { console, defmt: strings.as_ref().map(Strings::decoder), failed: None };
    interrupt::install();
    let request = ExecRequest {
        image: &image,
        chip: &arguments.chip,
        memory: arguments.memory,
        max_cycles: Cycles::new(arguments.max_cycles),
        max_output: usize::try_from(arguments.max_output).unwrap_or(usize::MAX),
        guest_handles_faults: arguments.guest_handles_faults,
    };
    let outcome =
        backend.exec(&request, &mut |channel, bytes| channels.take(channel, bytes) && !interrupt::interrupted());
    let Channels { console, defmt, failed } = channels;
    if let Some(lost) = defmt.map(|decoder| decoder.damaged()).filter(|&count| count > 0) {
        console.note(&format!("warning: {lost} damaged defmt frames were skipped"));
    }
    match failed {
        Some(Lost::Output(error)) => return Err(error),
        Some(Lost::Defmt(error)) => return Err(defmt_error(error)),
        None => {}
    }
    Ok(conclude(&outcome?, &image, console))
}

/// Why output stopped.
enum Lost {
    Output(CliError),
    Defmt(DefmtError),
}

/// The guest's channels on their way to standard output.
struct Channels<'a, 'b> {
    console: &'a mut Console,
    defmt: Option<Decoder<'b>>,
    failed: Option<Lost>,
}

impl Channels<'_, '_> {
    /// Passes bytes on; RTT's channel 0 is defmt where the image has defmt strings.
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        let text = match (&mut self.defmt, channel) {
            (Some(decoder), Channel::Rtt(0)) => decoder.decode(bytes).map_err(Lost::Defmt).map(|lines| {
                lines.iter().flat_map(|line| line.bytes().chain(std::iter::once(b'\n'))).collect::<Vec<u8>>()
            }),
            _ => Ok(bytes.to_vec()),
        };
        let written = text.and_then(|text| self.console.write(&text).map_err(Lost::Output));
        if let Err(lost) = written {
            self.failed = Some(lost);
        }
        self.failed.is_none()
    }
}

/// Says how the guest ended, where that needs saying, and names the model gaps.
fn conclude(outcome: &ExecOutcome, image: &Image, console: &mut Console) -> Exit {
    for gap in &outcome.gaps {
        let place = place(image, gap.pc);
        console.note(&format!(
            "model gap: {} ({} times, first at cycle {}, {place})",
            gap.name,
            gap.count,
            gap.at.get()
        ));
    }
    if let Some(fault) = outcome.handled_fault.filter(|_| !matches!(outcome.stop, Stop::Fault(_) | Stop::Lockup(_))) {
        console.note(&format!("the guest handled a fault: {}, {}", fault.cause, place(image, fault.pc)));
    }
    let help = match outcome.stop {
        Stop::Exit(code) => {
            let exit = Exit::of_guest(code);
            if i32::from(exit.code()) != code {
                console.note(&format!("the guest exited with {code}, passed on as {}", exit.code()));
            }
            return exit;
        }
        Stop::Horizon if interrupt::interrupted() => {
            console.note(&format!("interrupted at cycle {}", outcome.cycles.get()));
            return Exit::Interrupted;
        }
        // Nothing was watched for, so that these two are as good as the third.
        Stop::Horizon | Stop::Watch(_) | Stop::Signal => "raise --max-cycles if it needs more",
        Stop::Fault(_) => "look at the code named above, or let the guest's handler run: --guest-handles-faults",
        Stop::Lockup(_) => "a fault inside a fault handler, or without one; look at the code named above",
        Stop::Deadlock(_) => "a program that has ended so should exit by semihosting to be told from one that hangs",
        Stop::Breakpoint(..) => "no debugger is attached; panic handlers often end so",
        Stop::Reset(_) => "exec runs from one reset to the next; on a board the program would start anew",
        Stop::OutputBudget => "raise --max-output if it needs more",
    };
    let mut message = explain(outcome.stop, image, outcome.cycles);
    if matches!(outcome.stop, Stop::Horizon | Stop::OutputBudget | Stop::Reset(_)) {
        message += &format!(", {}", place(image, outcome.pc));
    }
    console.problem(&message, Some(help));
    Exit::of_stop(outcome.stop)
}
