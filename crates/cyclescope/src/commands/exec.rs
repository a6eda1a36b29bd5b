//! `cyclescope exec`.

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, TcpListener};

use cyclescope_image::Image;
use cyclescope_machine::figures::time;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Stop};
use cyclescope_scope::{PostMortem, explain, named, place, waits_for};

use crate::backend::{Backend, ExecOutcome, ExecRequest, Parting};
use crate::cli::exec::{ExecArguments, MAX_CYCLES, PictureWhen, PortEnd, PortText};
use crate::cli::shared::{ChipArguments, GuestOutput};
use crate::commands::channels::{Channels, strings};
use crate::commands::counted;
use crate::commands::devices::{self, Bench};
use crate::commands::exec_desk::{ExecDesk, Source};
use crate::commands::exec_end::{Asked, LOST, NO_HANDLER};
use crate::commands::exec_outcome;
use crate::commands::gaps::{GapTeller, awaited};
use crate::commands::guest::Opened;
use crate::commands::run_end::tell_post_mortem;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, width_of_stderr};
use crate::suite;
use crate::terminal;

/// Runs one guest with its output on standard output.
///
/// # Errors
/// [`CliError`] where the image cannot be read or does not fit the chip, and where its output cannot be written.
pub fn exec(arguments: &ExecArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let ChipArguments { chip, load, attach, memory } = &arguments.guest.chip;
    let opened = Opened::read(&arguments.guest.elf, chip.as_deref(), load, &backend.catalogue(), console)?;
    let image = &opened.image;
    let strings = strings(image, &arguments.guest.elf)?;
    let rules = arguments.guest.outside.rules();
    let ports = ports(&arguments.port)?;
    let (record, outcome_path) = (arguments.record.as_deref(), arguments.outcome.as_deref());
    exec_outcome::check_extension(outcome_path)?;
    let files = arguments.port.iter().filter_map(PortText::file).map(|file| ("--port", Some(file)));
    let files = files.chain([("--record", record), ("--outcome", outcome_path)]).chain(devices::outputs(attach));
    check_apart(Some(&arguments.guest.elf), &files.collect::<Vec<_>>())?;
    let bench = Bench::open(attach)?;
    let record = record.map(OutFile::open).transpose()?;
    let outcome_file = outcome_path.map(OutFile::open).transpose()?;
    let listener = arguments.gdb.map(|port| listen(port, console)).transpose()?;
    interrupt::install();
    let source = if listener.is_some() { Source::None } else { Source::detect() };
    let most = arguments.max_cycles.unwrap_or(if source == Source::Keys { u64::MAX } else { MAX_CYCLES });
    let gaps = GapTeller::new(image, arguments.limits.gaps);
    let request = ExecRequest {
        guest: opened.guest(*memory, arguments.limits, &arguments.files, &bench.devices, &gaps),
        max_cycles: Cycles::new(most),
        window: arguments.guest.outside.window,
        until: arguments.guest.until.until.as_ref(),
        ends: arguments.until_output.is_some(),
        rules: &rules,
        ports: &ports,
        debugger: listener.as_ref(),
        command_line: None,
    };
    let tests = suite::tests(image).map_err(CliError::bad_file(&arguments.guest.elf))?;
    if let Some(tests) = tests.filter(|_| listener.is_none()) {
        if asks_for_a_board(arguments) {
            return Err(CliError::Usage(
                "the ELF is a suite of embedded-test, whose tests take no stimuli, no ends of their runs, no ports, \
                 no --outcome and no save= and frames= of devices",
            ));
        }
        let request = ExecRequest { max_cycles: Cycles::new(arguments.max_cycles.unwrap_or(MAX_CYCLES)), ..request };
        return super::suite::run(arguments, request, &tests, strings.as_ref(), backend, console);
    }
    let mut channels = Channels::new(console, strings.as_ref(), GuestOutput::Stdout);
    for port in &arguments.port {
        if let PortEnd::File(path) = &port.end {
            channels.write_to(port.port, path)?;
        }
    }
    if let Some(text) = &arguments.until_output {
        channels.wait_for(text);
    }
    let keys = (source == Source::Keys).then(terminal::Keys::new);
    let port = arguments.port.iter().find(|port| port.end == PortEnd::Console).map(|port| port.port);
    let mut desk = ExecDesk::new(channels, source, port, arguments.resets);
    let outcome = backend.exec(&request, &mut desk, &interrupt::interrupted);
    drop(keys);
    let (recorded, count) = desk.take_record();
    let channels = desk.into_channels();
    let asked = Asked { request: &request, output: arguments.until_output.as_deref(), came: channels.has_come() };
    channels.finish(&arguments.guest.elf)?;
    let outcome = outcome?;
    if let Some(file) = record {
        file.put(recorded.as_bytes(), &format!("the input ({})", counted(count, "byte", "bytes")), console)?;
    }
    gaps.finish(&outcome.gaps);
    let exit = tell_end(&outcome, &asked, image, console);
    let failed = exit != Exit::Success && !matches!(outcome.stop, Stop::Exit(_));
    let examined = outcome.post_mortem.as_ref().filter(|_| failed);
    if let Some(examined) = examined {
        tell_post_mortem(examined, Some(outcome.stop), &gaps, console);
    }
    if let Some(file) = outcome_file {
        let json = exec_outcome::json(&outcome, &asked, image, exit, examined);
        file.put(json.as_bytes(), "the outcome", console)?;
    }
    let seen = io::stderr().is_terminal();
    if arguments.picture == PictureWhen::Always || arguments.picture == PictureWhen::Auto && seen {
        bench.show(width_of_stderr(), console);
    }
    bench.save(console)?;
    Ok(exit)
}

/// Returns the numbers of the ports named.
///
/// # Errors
/// [`CliError::Usage`] for a port that is named twice, and for two consoles.
fn ports(named: &[PortText]) -> Result<Vec<Channel>, CliError> {
    let numbers: Vec<Channel> = named.iter().map(|port| port.port).collect();
    if (1..numbers.len()).any(|index| numbers[..index].contains(&numbers[index])) {
        return Err(CliError::Usage("--port names a serial port twice; give each port one --port"));
    }
    if named.iter().filter(|port| port.end == PortEnd::Console).count() > 1 {
        return Err(CliError::Usage(
            "--port gives standard input to two serial ports; give `-` to one and files to the others",
        ));
    }
    Ok(numbers)
}

/// True if an option is given that suites do not take.
fn asks_for_a_board(arguments: &ExecArguments) -> bool {
    !arguments.guest.outside.stimulus.is_empty()
        || arguments.guest.outside.window.is_some()
        || arguments.guest.until.until.is_some()
        || arguments.until_output.is_some()
        || !arguments.port.is_empty()
        || arguments.record.is_some()
        || arguments.outcome.is_some()
        || arguments.guest.chip.attach.iter().any(devices::leaves_files)
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
fn tell_end(outcome: &ExecOutcome, asked: &Asked<'_>, image: &Image, console: &mut Console) -> Exit {
    if let Some(fault) = outcome.handled_fault.filter(|_| !matches!(outcome.stop, Stop::Fault(_) | Stop::Lockup(_))) {
        console.note(&format!("the guest handled a fault: {}, {}", fault.cause, place(image, fault.pc)));
    }
    if let Some(overrun) = outcome.stack_overrun {
        let (at, below) = (overrun.at.grouped(), overrun.below.grouped());
        console.note(&format!(
            "the stack ran into the program's variables, {below} bytes deep: first at cycle {at}, {}",
            place(image, overrun.pc)
        ));
    }
    match &outcome.debugger {
        Some(Parting::Killed) => {
            console.note(&format!("the debugger ended the run at cycle {}", outcome.cycles.grouped()));
            return Exit::Interrupted;
        }
        Some(Parting::Lost(why)) => {
            console.problem(&format!("the debugger is gone at cycle {}: {why}", outcome.cycles.grouped()), None);
            return Exit::Interrupted;
        }
        None => {}
    }
    if let Some(exit) = asked.conclude(outcome, image, console) {
        return exit;
    }
    let lost = outcome.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
    let unhandled = outcome.post_mortem.as_ref().is_some_and(|examined| examined.unhandled.is_some());
    let help = match outcome.stop {
        Stop::Exit(code) => {
            let exit = Exit::of_guest(code);
            if i32::from(exit.code()) != code {
                console.note(&format!("the guest exited with {code}, passed on as {}", exit.code()));
            }
            return exit;
        }
        Stop::Horizon if interrupt::interrupted() => {
            let (time, here) = (time(outcome.time), place(image, outcome.pc));
            console.note(&format!("interrupted at cycle {} ({time}), {here}", outcome.cycles.grouped()));
            return Exit::Interrupted;
        }
        Stop::Horizon if lost => LOST,
        // Nothing was watched for, so that these two are as good as the third.
        Stop::Horizon | Stop::Watch(_) | Stop::Signal => "raise --max-cycles if it needs more",
        Stop::Fault(_) | Stop::Lockup(_) if unhandled => NO_HANDLER,
        Stop::Fault(_) => "look at the code named above, or let the guest's handler run: --guest-handles-faults",
        Stop::Lockup(_) => "a fault inside a fault handler, or without one; look at the code named above",
        Stop::Deadlock(_) => {
            "if the program is done, end it with a semihosting exit, or say with --for how long it runs"
        }
        Stop::Breakpoint(..) => "no debugger is attached; panic handlers often end so",
        Stop::Reset(_) => "a board would start the program anew for ever; raise --resets if it needs more",
        Stop::OutputBudget => "raise --max-output if it needs more",
    };
    let mut message = named(outcome.core, outcome.stop, explain(outcome.stop, image, outcome.cycles));
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
    if let Some(what) = asked.awaited().filter(|_| matches!(outcome.stop, Stop::Deadlock(_))) {
        message += &format!("; {what} did not come");
    }
    console.problem(&message, Some(help));
    Exit::of_stop(outcome.stop)
}
