//! The outcome of `exec` for programs: `--outcome FILE.json`. docs/runner.md has the schema.

use std::collections::BTreeMap;

use cyclescope_image::{Frame, Image};
use cyclescope_machine::units::Address;
use cyclescope_machine::{FaultReport, Stop};
use cyclescope_records::GapNote;
use cyclescope_scope::{BacktraceEnd, BacktraceLevel, DeskEnd, PostMortem, explain, named};
use serde::Serialize;

use crate::exec_end::Asked;
use crate::exit::Exit;
use crate::{ExecOutcome, TOOL};

/// The version of the schema. It grows with each change that a reader of the version before would misunderstand.
const SCHEMA: u32 = 1;

/// Returns the outcome of the run that `asked` describes as JSON. The process exits with `exit`; `failed` are the reasons of a
/// run that went wrong.
pub fn json(
    outcome: &ExecOutcome,
    asked: &Asked<'_>,
    image: &Image,
    exit: Exit,
    failed: Option<&PostMortem>,
) -> String {
    let guest = &asked.request.guest;
    let stopped = matches!(outcome.end, DeskEnd::Stopped(_));
    let file = File {
        schema: SCHEMA,
        tool: TOOL,
        firmware: guest.name,
        image_sha256: image.file_sha256().to_string(),
        chip: &outcome.part,
        memory: guest.memory.name(),
        variant: guest.variant.params().collect(),
        exit_code: exit.code(),
        end: end(outcome, asked),
        message: stopped.then(|| named(outcome.core, outcome.stop, explain(outcome.stop, image, outcome.cycles))),
        guest_code: match outcome.stop {
            Stop::Exit(code) => Some(code),
            _ => None,
        },
        core: outcome.core,
        at: place(image, outcome.pc),
        cycles: outcome.cycles.get(),
        instructions: outcome.instructions.get(),
        time_ps: outcome.time.get(),
        gaps: outcome.gaps.iter().map(GapNote::from).collect(),
        fault: match outcome.stop {
            Stop::Fault(fault) | Stop::Lockup(fault) => Some(fault),
            _ => outcome.handled_fault,
        }
        .map(|fault| Fault::of(fault, image)),
        report: failed.map(Report::of),
    };
    serde_json::to_string_pretty(&file).expect("its keys are text") + "\n"
}

/// The reason for the end in a word.
fn end(outcome: &ExecOutcome, asked: &Asked<'_>) -> &'static str {
    match outcome.end {
        _ if outcome.debugger.is_some() => "debugger",
        _ if asked.interrupted => "interrupted",
        _ if asked.came => "output",
        DeskEnd::Window => "window",
        DeskEnd::Reached => "event",
        DeskEnd::Interrupted => "interrupted",
        DeskEnd::InputEnded => "input_ended",
        DeskEnd::Spins(_) => "spins",
        DeskEnd::Budget => "cycle_budget",
        DeskEnd::Stopped(stop) => match stop {
            Stop::Horizon | Stop::Watch(_) | Stop::Signal => "cycle_budget",
            Stop::Exit(_) => "exit",
            Stop::Fault(_) => "fault",
            Stop::Lockup(_) => "lockup",
            Stop::Deadlock(_) => "sleeps",
            Stop::Breakpoint(..) => "breakpoint",
            Stop::Reset(_) => "reset",
            Stop::OutputBudget => "output_budget",
        },
    }
}

#[derive(Serialize)]
struct File<'a> {
    schema: u32,
    tool: &'a str,
    firmware: &'a str,
    image_sha256: String,
    chip: &'a str,
    memory: &'a str,
    /// The clock and the layout, where they are not the chip's and the image's own.
    #[serde(flatten)]
    variant: BTreeMap<&'static str, String>,
    exit_code: u8,
    end: &'static str,
    message: Option<String>,
    guest_code: Option<i32>,
    /// The core that `at`, `fault` and `report` are of, of a part with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<usize>,
    at: Place,
    cycles: u64,
    instructions: u64,
    time_ps: u64,
    gaps: Vec<GapNote>,
    fault: Option<Fault>,
    report: Option<Report<'a>>,
}

/// An instruction, with the function of the symbol table and the line.
#[derive(Serialize)]
struct Place {
    pc: u32,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

fn place(image: &Image, pc: Address) -> Place {
    let line = image.source_line(pc);
    Place {
        pc: pc.get(),
        function: image.function_at(pc).map(|symbol| symbol.display_name().to_owned()),
        file: line.as_ref().map(|line| line.file.clone()),
        line: line.map(|line| line.line),
    }
}

#[derive(Serialize)]
struct Fault {
    cause: &'static str,
    address: Option<u32>,
    at: Place,
}

impl Fault {
    fn of(fault: FaultReport, image: &Image) -> Self {
        Self { cause: fault.cause, address: fault.address.map(Address::get), at: place(image, fault.pc) }
    }
}

/// The texts are those of the messages.
#[derive(Serialize)]
struct Report<'a> {
    reason: Option<&'a str>,
    stack: Option<&'a str>,
    handler: Option<&'a str>,
    last_branch: Option<&'a str>,
    task: Option<&'a str>,
    registers: BTreeMap<&'a str, u32>,
    backtrace: Vec<LevelNote<'a>>,
    backtrace_end: &'static str,
}

impl<'a> Report<'a> {
    fn of(examined: &'a PostMortem) -> Self {
        Self {
            reason: examined.status.as_deref(),
            stack: examined.overflow.as_deref(),
            handler: examined.unhandled.as_deref(),
            last_branch: examined.stray.as_deref(),
            task: examined.task.as_deref(),
            registers: examined.registers.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            backtrace: examined.backtrace.levels.iter().map(LevelNote::of).collect(),
            backtrace_end: match examined.backtrace.end {
                BacktraceEnd::Outermost => "outermost",
                BacktraceEnd::NoInformation => "no_information",
                BacktraceEnd::Damaged => "damaged",
                BacktraceEnd::TrapOverwritten => "trap_overwritten",
                BacktraceEnd::TooDeep => "too_deep",
            },
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum LevelNote<'a> {
    Call { pc: u32, guessed: bool, frames: Vec<FrameNote<'a>> },
    Exception { number: u16, name: Option<&'a str> },
}

impl<'a> LevelNote<'a> {
    fn of(level: &'a BacktraceLevel) -> Self {
        match level {
            BacktraceLevel::Exception { number, name } => Self::Exception { number: *number, name: name.as_deref() },
            BacktraceLevel::Call(call) => {
                // The last one is the function that the others are inlined into.
                let inlined = |index| index + 1 < call.frames.len();
                let frames = call.frames.iter().enumerate();
                let frames = frames.map(|(index, frame)| FrameNote::of(frame, inlined(index))).collect();
                Self::Call { pc: call.pc.get(), guessed: call.guessed, frames }
            }
        }
    }
}

#[derive(Serialize)]
struct FrameNote<'a> {
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    inlined: bool,
}

impl<'a> FrameNote<'a> {
    fn of(frame: &'a Frame, inlined: bool) -> Self {
        let line = frame.line.as_ref();
        Self {
            function: frame.function.as_deref(),
            file: line.map(|line| line.file.as_str()),
            line: line.map(|line| line.line),
            inlined,
        }
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_image::SourceLine;
    use cyclescope_scope::Call;
    use serde_json::json;

    use super::*;

    #[test]
    fn frames_have_lines_and_all_but_the_last_are_inlined() {
        let frame = |function: &str, line| Frame {
            function: Some(function.to_owned()),
            line: Some(SourceLine { file: "main.rs".to_owned(), line, column: None }),
        };
        let frames = vec![frame("read", 3), frame("main", 9)];
        let level = BacktraceLevel::Call(Call { pc: Address::new(0x100), frames, guessed: true });
        let written = serde_json::to_value(LevelNote::of(&level)).expect("JSON");
        let expect = json!({"kind": "call", "pc": 256, "guessed": true, "frames": [
            {"function": "read", "file": "main.rs", "line": 3, "inlined": true},
            {"function": "main", "file": "main.rs", "line": 9, "inlined": false},
        ]});
        assert_eq!(written, expect);
    }
}
