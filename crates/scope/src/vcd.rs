//! Writes a trace as a Value Change Dump (IEEE 1364-2005 §18) for GTKWave, PulseView and other viewers.
//!
//! The dump has four scopes below the part's name. `pins` has a wire for each pin, `transfers` a text for each line that had
//! any: the latest part of a transfer. `exceptions` has a wire for each
//! exception, high from its handler's first instruction to its return, and `active`, the number of the running one (0
//! in thread mode). `core` has `sleeping` and, if the trace has it, `task`. Pins and exceptions that never changed are
//! left out. Of a part with several cores each has a scope of its own, `core0` and `core1`, with `sleeping`, and one with its
//! exceptions, `core0_exceptions`; `task` stands in the first.
//!
//! No variable is a vector of several bits, at the first of which libsigrok 0.5 ends: `active` is a `real`, which viewers show as
//! a decimal number, and `task` a text.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ::vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Writer};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Line, Pin, Signal};

use crate::trace::{Trace, Traced};
use crate::transfer::transfer_text;

/// The time unit of a dump. The period of a clock is no multiple of a unit of the format, so a unit is either a rounded
/// real time or exactly a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DumpTime {
    /// Real time in nanoseconds, rounded down. Cycles can be told apart below 1 GHz.
    #[default]
    Nanoseconds,
    /// Real time in picoseconds, rounded down.
    Picoseconds,
    /// One unit is exactly one cycle of the core's clock, however fast it runs. The format requires a unit, so the file
    /// says 1 ns.
    Cycles,
}

impl DumpTime {
    /// Converts the cycle `at` of `trace` to the dump's time.
    pub fn of(self, at: Cycles, trace: &Trace) -> u64 {
        match self {
            Self::Cycles => at.get(),
            Self::Nanoseconds => trace.time(at).get() / 1_000,
            Self::Picoseconds => trace.time(at).get(),
        }
    }
}

/// The wires of a dump.
struct Wires {
    pins: BTreeMap<Pin, IdCode>,
    transfers: Vec<(Line, IdCode)>,
    cores: Vec<CoreWires>,
    task: Option<IdCode>,
}

/// The wires of one core.
struct CoreWires {
    sleeping: IdCode,
    exceptions: BTreeMap<u16, IdCode>,
    active: IdCode,
}

/// Writes `trace` of the part `part`. `exceptions` has exceptions by number and name.
///
/// # Errors
/// Errors of `out`.
pub fn write_vcd(
    trace: &Trace,
    part: &str,
    exceptions: &[(u16, &str)],
    time: DumpTime,
    out: impl io::Write,
) -> io::Result<()> {
    let mut out = Writer::new(out);
    let (unit, meaning) = match time {
        DumpTime::Cycles => {
            (TimescaleUnit::NS, "one unit of time is one cycle of the core's clock; 1 ns stands for it")
        }
        DumpTime::Nanoseconds => (TimescaleUnit::NS, "times are real, rounded down to nanoseconds"),
        DumpTime::Picoseconds => (TimescaleUnit::PS, "times are real, rounded down to picoseconds"),
    };
    out.comment(meaning)?;
    out.timescale(1, unit)?;
    let wires = Wires::declare(trace, part, exceptions, &mut out)?;
    wires.begin(trace, time, &mut out)?;
    let mut entries: Vec<&(Cycles, Traced)> = trace.entries.iter().collect();
    entries.sort_by_key(|(at, _)| *at);
    let (mut now, mut nested) = (trace.from, vec![Vec::new(); wires.cores.len()]);
    for (at, traced) in entries {
        if *at > now {
            now = *at;
            out.timestamp(time.of(now, trace))?;
        }
        wires.change(*traced, &mut nested, &mut out)?;
    }
    if trace.to > now {
        out.timestamp(time.of(trace.to, trace))?;
    }
    out.flush()
}

impl Wires {
    fn declare<W: io::Write>(
        trace: &Trace,
        part: &str,
        names: &[(u16, &str)],
        out: &mut Writer<W>,
    ) -> io::Result<Self> {
        let mut pins = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        let mut seen = Vec::new();
        for (_, traced) in &trace.entries {
            match traced {
                Traced::Signal(_, Signal::Pin { pin, .. }) => {
                    pins.insert(*pin);
                }
                Traced::Signal(_, Signal::Transfer { line, .. }) if !seen.contains(line) => seen.push(*line),
                Traced::Signal(core, Signal::ExceptionEntered { number }) => {
                    numbers.insert((*core, *number));
                }
                _ => {}
            }
        }
        out.add_module(&identifier(part))?;
        // Texts first: libsigrok 0.5 reads their codes as words, and only the first codes mean nothing else to it.
        out.add_module("transfers")?;
        // The order is the part's, whatever came first.
        let lines = trace.lines.iter().filter(|(_, line)| seen.contains(line));
        let transfers = lines
            .map(|(name, line)| Ok((*line, out.add_var(VarType::String, 1, &identifier(&name.to_lowercase()), None)?)));
        let transfers = transfers.collect::<io::Result<_>>()?;
        out.upscope()?;
        let count = trace.cores.max(1) as u8;
        let (mut sleeping, mut task) = (Vec::new(), None);
        for core in 0..count {
            let module = if count == 1 { "core".to_owned() } else { format!("core{core}") };
            out.add_module(&module)?;
            sleeping.push(out.add_wire(1, "sleeping")?);
            if core == 0 {
                task = trace.task.map(|_| out.add_var(VarType::String, 1, "task", None)).transpose()?;
            }
            out.upscope()?;
        }
        out.add_module("pins")?;
        let pins = pins.into_iter().map(|pin| Ok((pin, out.add_wire(1, &pin.to_string())?)));
        let pins = pins.collect::<io::Result<_>>()?;
        out.upscope()?;
        let mut cores = Vec::new();
        for (core, sleeping) in (0..).zip(sleeping) {
            let module = if count == 1 { "exceptions".to_owned() } else { format!("core{core}_exceptions") };
            out.add_module(&module)?;
            let active = out.add_var(VarType::Real, 64, "active", None)?;
            let own = numbers.iter().filter(|(owner, _)| *owner == core || count == 1);
            let exceptions = own.map(|(_, number)| {
                let name = names.iter().find(|(known, _)| known == number).map(|(_, name)| identifier(name));
                Ok((*number, out.add_wire(1, &name.unwrap_or_else(|| format!("exception_{number}")))?))
            });
            let exceptions = exceptions.collect::<io::Result<_>>()?;
            cores.push(CoreWires { sleeping, exceptions, active });
            out.upscope()?;
        }
        out.upscope()?;
        out.enddefinitions()?;
        Ok(Self { pins, transfers, cores, task })
    }

    /// Writes the initial values.
    fn begin<W: io::Write>(&self, trace: &Trace, time: DumpTime, out: &mut Writer<W>) -> io::Result<()> {
        out.timestamp(time.of(trace.from, trace))?;
        out.begin(SimulationCommand::Dumpvars)?;
        for (pin, wire) in &self.pins {
            let level = trace.levels.iter().find(|(known, _)| known == pin).map(|(_, high)| *high);
            out.change_scalar(*wire, level.map_or(Value::X, Value::from))?;
        }
        for core in &self.cores {
            for wire in core.exceptions.values().chain([&core.sleeping]) {
                out.change_scalar(*wire, false)?;
            }
            out.change_real(core.active, 0.0)?;
        }
        if let (Some(wire), Some(task)) = (self.task, trace.task) {
            out.change_string(wire, &task_text(task))?;
        }
        out.end()
    }

    /// Writes one change. `nested` has by core the exceptions whose handlers are active, the running one last.
    fn change<W: io::Write>(&self, traced: Traced, nested: &mut [Vec<u16>], out: &mut Writer<W>) -> io::Result<()> {
        // The core of a signal that is no core's means nothing.
        let core = match traced {
            Traced::Signal(core, _) => usize::from(core).min(self.cores.len() - 1),
            Traced::Task(_) => 0,
        };
        let (own, nested) = (&self.cores[core], &mut nested[core]);
        match traced {
            Traced::Signal(_, Signal::Pin { pin, high }) => match self.pins.get(&pin) {
                Some(wire) => out.change_scalar(*wire, high),
                None => Ok(()),
            },
            Traced::Signal(_, Signal::ExceptionEntered { number }) => {
                nested.push(number);
                own.exception(number, true, nested, out)
            }
            Traced::Signal(_, Signal::ExceptionReturned { number }) => {
                if let Some(place) = nested.iter().rposition(|open| *open == number) {
                    nested.remove(place);
                }
                own.exception(number, false, nested, out)
            }
            Traced::Signal(_, Signal::Sleep) => out.change_scalar(own.sleeping, true),
            Traced::Signal(_, Signal::Wake) => out.change_scalar(own.sleeping, false),
            Traced::Signal(
                _,
                Signal::ExceptionPended { .. } | Signal::Store { .. } | Signal::Listens { .. } | Signal::Gap,
            ) => Ok(()),
            Traced::Signal(_, Signal::Transfer { line, transfer }) => {
                match self.transfers.iter().find(|(known, _)| *known == line) {
                    // A text of the format ends at a space.
                    Some((_, lane)) => out.change_string(*lane, &transfer_text(transfer).replace(' ', "_")),
                    None => Ok(()),
                }
            }
            Traced::Task(task) => match self.task {
                Some(wire) => out.change_string(wire, &task_text(task)),
                None => Ok(()),
            },
        }
    }
}

impl CoreWires {
    fn exception<W: io::Write>(&self, number: u16, on: bool, nested: &[u16], out: &mut Writer<W>) -> io::Result<()> {
        if let Some(wire) = self.exceptions.get(&number) {
            out.change_scalar(*wire, on)?;
        }
        out.change_real(self.active, nested.last().copied().unwrap_or(0).into())
    }
}

/// The address `task` of a task's control block.
fn task_text(task: u32) -> String {
    format!("{task:#010x}")
}

/// Replaces characters in `name` that would end a word of the format.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_graphic() && c != '$' { c } else { '_' }).collect()
}
