//! `cyclescope exec`.

use std::net::{Ipv4Addr, TcpListener};

use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{explain, place, waits_for};

use crate::backend::{Backend, ExecOutcome, ExecRequest, Parting};
use crate::cli::exec::ExecArguments;
use crate::cli::shared::GuestOutput;
use crate::commands::channels::{Channels, strings};
use crate::commands::gaps::{GapTeller, awaited};
use crate::commands::{check_chips, file_name, read_image};
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
    let catalogue = backend.catalogue();
    check_chips(std::slice::from_ref(&arguments.chip.chip), &catalogue)?;
    let image = read_image(&arguments.elf)?;
    let strings = strings(&image, &arguments.elf)?;
    let listener = arguments.gdb.map(|port| listen(port, console)).transpose()?;
    interrupt::install();
    let name = file_name(&arguments.elf);
    let gaps = GapTeller::new(&image, arguments.limits.gaps);
    let request = ExecRequest {
        guest: arguments.chip.guest(&image, &name, arguments.limits, &gaps),
        max_cycles: Cycles::new(arguments.max_cycles),
        timeout: None,
        debugger: listener.as_ref(),
        command_line: None,
    };
    let tests = suite::tests(&image).map_err(CliError::bad_file(&arguments.elf))?;
    if let Some(tests) = tests.filter(|_| listener.is_none()) {
        return super::suite::run(arguments, request, &tests, strings.as_ref(), backend, console);
    }
    let mut channels = Channels::new(console, strings.as_ref(), GuestOutput::Stdout);
    let outcome = backend.exec(&request, &mut |channel, bytes| channels.take(channel, bytes), &interrupt::interrupted);
    channels.finish(&arguments.elf)?;
    let outcome = outcome?;
    gaps.finish(&outcome.gaps);
    Ok(conclude(&outcome, &image, console))
}

/// A socket for a debugger on this machine.
fn listen(port: u16, console: &mut Console) -> Result<TcpListener, CliError> {
    let refused = |error| CliError::Listen { port, error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    console.note(&format!("waiting for gdb: target remote {address}"));
    Ok(listener)
}

/// Says how the guest ended, where that needs saying.
fn conclude(outcome: &ExecOutcome, image: &Image, console: &mut Console) -> Exit {
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
    if let Some(awaited) = awaited(&outcome.gaps, image).filter(|_| matches!(outcome.stop, Stop::Deadlock(_))) {
        message += &format!("; {awaited}");
    }
    console.problem(&message, Some(help));
    Exit::of_stop(outcome.stop)
}
