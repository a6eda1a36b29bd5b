//! The state of a stopped machine, in lines that fit 80 columns.

use cyclescope_image::Frame;

use super::PostMortem;
use crate::backtrace::{Backtrace, Call, End, Level};

/// The most levels that are shown.
pub const MOST_SHOWN: usize = 24;

/// The columns that a line takes at most.
const COLUMNS: usize = 80;

/// The registers in a line.
const IN_A_LINE: usize = 4;

impl PostMortem {
    /// The reasons, in sentences of any length.
    pub fn reasons(&self) -> Vec<String> {
        let status = self.status.as_ref().map(|status| format!("reason: {status}"));
        let task = self.task.as_ref().map(|task| format!("running task: {task}"));
        [status, self.overflow.clone(), self.unhandled.clone(), self.stray.clone(), task]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The registers, in lines that fit 80 columns.
    pub fn register_lines(&self) -> Vec<String> {
        let named: Vec<String> = self.registers.iter().map(|(name, value)| register(name, *value)).collect();
        let lines = named.chunks(IN_A_LINE).map(|some| format!("  {}", some.join("  ")));
        std::iter::once(format!("registers{}:", of_core(self.core))).chain(lines).collect()
    }
}

/// Names `core` in a heading; empty for a part with one core.
fn of_core(core: Option<usize>) -> String {
    core.map(|core| format!(" of core {core}")).unwrap_or_default()
}

fn register(name: &str, value: u32) -> String {
    format!("{name:>4} {value:#010x}")
}

impl Backtrace {
    /// The lines that tell it, with a heading. They fit 80 columns.
    pub fn lines(&self) -> Vec<String> {
        let guessed = self.calls().any(|call| call.guessed);
        let core = of_core(self.core);
        let mut lines = vec![match (self.informed, guessed) {
            (true, false) => format!("backtrace{core}:"),
            (true, true) => format!("backtrace{core} (levels with ? are guessed from the stack):"),
            (false, true) => format!("backtrace{core} (no call-frame information; levels with ? are guessed):"),
            (false, false) => format!("backtrace{core} (the image has no call-frame information):"),
        }];
        let mut levels = self.levels.as_slice();
        let mut number = 0;
        let mut shown = 0;
        while let [first, rest @ ..] = levels {
            if shown == MOST_SHOWN {
                lines.push(format!("  … {} more levels", levels.len()));
                return lines;
            }
            shown += 1;
            // Recursion is one level many times.
            let repeated = rest.iter().take_while(|level| *level == first).count();
            levels = &rest[repeated..];
            match first {
                Level::Exception { number, name } => {
                    let name = name.clone().unwrap_or_else(|| number.to_string());
                    lines.push(format!("      <exception {name}>"));
                }
                Level::Call(call) => call.lines(&mut number, &mut lines),
            }
            if repeated > 0 {
                lines.push(format!("      … the same {repeated} more times"));
                number += repeated;
            }
        }
        match self.end {
            End::Outermost => {}
            End::NoInformation => lines.push("  (nothing describes the frame of the last level)".to_owned()),
            End::Damaged => lines.push("  (the stack behind the last level is damaged)".to_owned()),
            End::TrapOverwritten => {
                lines.push("  (a trap inside the last level's handler overwrote mepc, and no".to_owned());
                lines.push("  information tells where it is kept: the levels below are not known)".to_owned());
            }
            End::TooDeep => lines.push("  (deeper levels are not followed)".to_owned()),
        }
        lines
    }
}

impl Call {
    /// Adds the level `number`, each inlined function on a line of its own.
    fn lines(&self, number: &mut usize, lines: &mut Vec<String>) {
        let mark = if self.guessed { '?' } else { ' ' };
        let pc = self.pc;
        if self.frames.is_empty() {
            lines.push(format!("{mark}{number:>3}: {pc} (no function is known there)"));
        }
        let inlined = self.frames.len().saturating_sub(1);
        for (index, frame) in self.frames.iter().enumerate() {
            let head = if index == 0 { format!("{mark}{number:>3}: {pc} ") } else { " ".repeat(17) };
            let tail = if index < inlined { " (inlined)" } else { "" };
            told(&head, frame, tail, lines);
        }
        *number += 1;
    }
}

/// Adds a function and its line, on one line if they fit.
fn told(head: &str, frame: &Frame, tail: &str, lines: &mut Vec<String>) {
    let function = frame.function.as_deref().unwrap_or("(no function is known there)");
    let room = COLUMNS.saturating_sub(head.chars().count() + tail.len());
    let first = format!("{head}{}{tail}", shortened(function, room));
    let Some(line) = &frame.line else {
        lines.push(first);
        return;
    };
    let at = format!("{}:{}", line.file, line.line);
    if first.chars().count() + at.chars().count() + 4 <= COLUMNS {
        lines.push(format!("{first} at {at}"));
    } else {
        lines.push(first);
        lines.push(format!("          at {}", ending(&at, COLUMNS - 13)));
    }
}

/// `text` with its middle left out where it takes more than `room` characters.
fn shortened(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let (head, tail) = (room.saturating_sub(1) / 2, room.saturating_sub(1).div_ceil(2));
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{start}…{end}")
}

/// The end of `text`, where it takes more than `room` characters.
fn ending(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count - room.saturating_sub(1)).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use cyclescope_image::SourceLine;
    use cyclescope_machine::units::Address;

    use super::*;

    fn call(pc: u32, function: &str, file: &str) -> Level {
        let line = Some(SourceLine { file: file.to_owned(), line: 7, column: None });
        let frame = Frame { function: Some(function.to_owned()), line };
        Level::Call(Call { pc: Address::new(pc), frames: vec![frame], guessed: false })
    }

    #[test]
    fn lines_fit_and_recursion_is_told_once() {
        let long = "a::very::long::".repeat(400);
        let mut levels = vec![call(0x100, &long, &"deep/folder/".repeat(30))];
        levels.extend(std::iter::repeat_n(call(0x200, "fib", "src/main.rs"), 30));
        levels.extend((0..40).map(|index| call(0x300 + index, "other", "src/main.rs")));
        let lines = Backtrace { core: None, levels, end: End::TooDeep, informed: true }.lines();
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        let text = lines.join("\n");
        assert!(text.contains("… the same 29 more times"), "{text}");
        assert!(text.contains("  31: 0x00000300 other at src/main.rs:7"), "{text}");
        assert!(text.contains("18 more levels"), "{text}");
    }
}
