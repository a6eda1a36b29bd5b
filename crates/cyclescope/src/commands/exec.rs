//! `cyclescope exec`.

use std::net::{Ipv4Addr, TcpListener};

use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{PostMortem, explain, place, waits_for};

use crate::backend::{Backend, ExecOutcome, ExecRequest, Parting};
use crate::cli::exec::ExecArguments;
use crate::cli::shared::{ChipArguments, GuestOutput};
use crate::commands::channels::{Channels, strings};
use crate::commands::guest::Opened;
use crate::commands::note_gaps;
use crate::commands::run_end::tell_post_mortem;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Console;
use crate::suite;

/// Runs one guest with its output on standard output.
///
/// # Errors
/// [`CliError`] where the image cannot be read or does not fit the chip, and where its output cannot be written.
pub fn exec(arguments: &ExecArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let ChipArguments { chip, load, memory } = &arguments.chip;
    let opened = Opened::read(&arguments.elf, chip.as_deref(), load, &backend.catalogue(), console)?;
    let image = &opened.image;
    let strings = strings(image, &arguments.elf)?;
    let listener = arguments.gdb.map(|port| listen(port, console)).transpose()?;
    interrupt::install();
    let request = ExecRequest {
        guest: opened.guest(*memory, arguments.limits),
        max_cycles: Cycles::new(arguments.max_cycles),
        timeout: None,
        debugger: listener.as_ref(),
        command_line: None,
    };
    let tests = suite::tests(image).map_err(CliError::bad_file(&arguments.elf))?;
    if let Some(tests) = tests.filter(|_| listener.is_none()) {
        return super::suite::run(arguments, request, &tests, strings.as_ref(), backend, console);
    }
    let mut channels = Channels::new(console, strings.as_ref(), GuestOutput::Stdout);
    let outcome = backend.exec(&request, &mut |channel, bytes| channels.take(channel, bytes), &interrupt::interrupted);
    channels.finish(&arguments.elf)?;
    Ok(conclude(&outcome?, image, console))
}

/// A socket for a debugger on this machine.
fn listen(port: u16, console: &mut Console) -> Result<TcpListener, CliError> {
    let refused = |error| CliError::Listen { port, error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    console.note(&format!("waiting for gdb: target remote {address}"));
    Ok(listener)
}

/// Says how the guest ended, where that needs saying, and names the model gaps.
fn conclude(outcome: &ExecOutcome, image: &Image, console: &mut Console) -> Exit {
    let exit = tell_end(outcome, image, console);
    if let Some(examined) = outcome.post_mortem.as_ref().filter(|_| !matches!(outcome.stop, Stop::Exit(_))) {
        tell_post_mortem(examined, Some(outcome.stop), console);
    }
    exit
}

fn tell_end(outcome: &ExecOutcome, image: &Image, console: &mut Console) -> Exit {
    note_gaps(&outcome.gaps, image, console);
    if let Some(fault) = outcome.handled_fault.filter(|_| !matches!(outcome.stop, Stop::Fault(_) | Stop::Lockup(_))) {
        console.note(&format!("the guest handled a fault: {}, {}", fault.cause, place(image, fault.pc)));
    }
    if let Some(overrun) = outcome.stack_overrun {
        let (at, below) = (overrun.at.get(), overrun.below.get());
        console.note(&format!(
            "the stack ran into the program's variables, {below} bytes deep: first at cycle {at}, {}",
            place(image, overrun.pc)
        ));
    }
    match &outcome.debugger {
        Some(Parting::Killed) => {
            console.note(&format!("the debugger ended the run at cycle {}", outcome.cycles.get()));
            return Exit::Interrupted;
        }
        Some(Parting::Lost(why)) => {
            console.problem(&format!("the debugger is gone at cycle {}: {why}", outcome.cycles.get()), None);
            return Exit::Interrupted;
        }
        None => {}
    }
    let lost = outcome.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
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
        Stop::Horizon if lost => "it stands in a handler that does not return, see below",
        // Nothing was watched for, so that these two are as good as the third.
        Stop::Horizon | Stop::Watch(_) | Stop::Signal => "raise --max-cycles if it needs more",
        Stop::Fault(_) => "look at the code named above, or let the guest's handler run: --guest-handles-faults",
        Stop::Lockup(_) => "a fault inside a fault handler, or without one; look at the code named above",
        Stop::Deadlock(_) => {
            "if the program is done, end it with a semihosting exit, so that it does not look like one that hangs"
        }
        Stop::Breakpoint(..) => "no debugger is attached; panic handlers often end so",
        Stop::Reset(_) => "exec runs from one reset to the next; on a board the program would start anew",
        Stop::OutputBudget => "raise --max-output if it needs more",
    };
    let mut message = explain(outcome.stop, image, outcome.cycles);
    if matches!(outcome.stop, Stop::Horizon | Stop::OutputBudget | Stop::Reset(_)) {
        message += &format!(", {}", place(image, outcome.pc));
    }
    let waits = waits_for(&outcome.gaps, image).filter(|_| outcome.stop == Stop::Horizon);
    let help = if let Some(waits) = waits {
        message += &format!("; {waits}");
        "the program waits for a function of the chip that the model lacks"
    } else {
        help
    };
    console.problem(&message, Some(help));
    Exit::of_stop(outcome.stop)
}
