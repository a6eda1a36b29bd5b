//! `cyclescope exec`.

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;

use crate::backend::{Backend, Debugger, ExecRequest};
use crate::cli::exec::{ExecArguments, PictureWhen};
use crate::cli::shared::{ChipArguments, GuestOutput, extension};
use crate::commands::channels::{Channels, strings};
use crate::commands::counted;
use crate::commands::devices::{self, Bench};
use crate::commands::exec_desk::{ExecDesk, Source};
use crate::commands::guest::Opened;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, shown, tell, width_of_stderr};
use crate::suite;
use crate::terminal;
use crate::{formats, gdb};
use cyclescope_guest::exec_end::{Asked, tell_end};
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::{MAX_CYCLES, PortEnd, PortText, console_port, ports};
use cyclescope_guest::run_end::tell_post_mortem;

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
    check_extension(outcome_path)?;
    let files = arguments.port.iter().filter_map(PortText::file).map(|file| ("--port", Some(file)));
    let files = files.chain([("--record", record), ("--outcome", outcome_path)]).chain(devices::outputs(attach));
    check_apart(Some(&arguments.guest.elf), &files.collect::<Vec<_>>())?;
    let bench = Bench::open(attach)?;
    let record = record.map(OutFile::open).transpose()?;
    let outcome_file = outcome_path.map(OutFile::open).transpose()?;
    let listener = arguments.gdb.map(|port| listen(port, console)).transpose()?;
    interrupt::install();
    let source = if listener.is_some() { Source::None } else { Source::detect() };
    let most = arguments.max_cycles.unwrap_or(if source == Source::Keys { u64::MAX } else { MAX_CYCLES.get() });
    let gaps = GapTeller::new(shown(image), arguments.limits.gaps, &tell);
    let varied = opened.varied(arguments.variant.variant())?;
    let request = ExecRequest {
        guest: varied.over(opened.guest(*memory, arguments.limits, &arguments.files, &bench.devices, &gaps)),
        max_cycles: Cycles::new(most),
        window: arguments.guest.outside.window,
        until: arguments.guest.until.until.as_ref(),
        ends: arguments.until_output.is_some(),
        rules: &rules,
        ports: &ports,
        debugger: listener.as_ref().map(|listener| Debugger { listener, serve: gdb::serve_to_the_end }),
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
        let request = ExecRequest { max_cycles: arguments.max_cycles.map_or(MAX_CYCLES, Cycles::new), ..request };
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
    let mut desk = ExecDesk::new(channels, source, console_port(&arguments.port), arguments.resets);
    let outcome = backend.exec(&request, &mut desk, &interrupt::interrupted);
    drop(keys);
    let (recorded, count) = desk.take_record();
    let channels = desk.into_channels();
    let asked = Asked {
        request: &request,
        output: arguments.until_output.as_deref(),
        came: channels.has_come(),
        interrupted: interrupt::interrupted(),
    };
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
        let json = formats::exec::json(&outcome, &asked, image, exit, examined);
        file.put(json.as_bytes(), "the outcome", console)?;
    }
    let seen = io::stderr().is_terminal();
    if arguments.picture == PictureWhen::Always || arguments.picture == PictureWhen::Auto && seen {
        bench.show(width_of_stderr(), console);
    }
    bench.save(console)?;
    Ok(exit)
}

/// Checks that `path` is named as JSON.
///
/// # Errors
/// [`CliError::Usage`] for another extension, or none.
fn check_extension(path: Option<&Path>) -> Result<(), CliError> {
    match (path, extension(path)) {
        (None, _) => Ok(()),
        (_, Some(name)) if name.eq_ignore_ascii_case("json") => Ok(()),
        _ => Err(CliError::Usage("--outcome writes JSON; give it a file whose name ends in .json")),
    }
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
