//! Exit codes of the process.
//!
//! `exec` passes the guest's own code on, so the tool's own codes begin where small guest codes have ended. 65, 66, 70
//! and 73 mean what BSD's `sysexits.h` means by them; 2 is what command-line parsers use for a wrong command line.

use std::process::ExitCode;

use cyclescope_machine::Stop;

/// The greatest guest code that `exec` passes on unchanged.
pub const GREATEST_GUEST_CODE: u8 = 63;

/// The exit of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// All was done.
    Success,
    /// The guest's own code, at most [`GREATEST_GUEST_CODE`].
    Guest(u8),
    /// A change went beyond what `compare` was told to allow.
    BoundBroken,
    /// The command line is wrong, or names something unknown.
    Usage,
    /// An input is not what it should be.
    BadInput,
    /// An input cannot be read.
    NoInput,
    /// Something that should not happen.
    Internal,
    /// An output cannot be written.
    NoOutput,
    /// The guest faulted, or its core locked up.
    Fault,
    /// The guest sleeps or spins, and nothing can end that.
    Deadlock,
    /// The guest used up its budget of cycles.
    CycleBudget,
    /// The guest used up its budget of output.
    OutputBudget,
    /// A program's output is not what its work should have given.
    WrongOutput,
    /// The guest stopped at a breakpoint.
    Breakpoint,
    /// The guest was reset.
    Reset,
    /// Standard input has ended, and the guest waits for more.
    InputEnded,
    /// A command that `explain` runs failed, ran late or left processes running.
    CommandFailed,
    /// Ctrl-C; what was finished has been written.
    Interrupted,
}

/// Every exit but the guest's own with its code and its meaning, by ascending code.
const CODES: [(Exit, u8, &str); 17] = [
    (Exit::Success, 0, "all was done"),
    (Exit::BoundBroken, 1, "`compare`: a change went beyond a bound of --fail-on"),
    (Exit::Usage, 2, "wrong command line, or an unknown name in it"),
    (Exit::BadInput, 65, "an input is wrong: no ELF, another architecture, too large for the chip"),
    (Exit::NoInput, 66, "an input cannot be read"),
    (Exit::Internal, 70, "internal error"),
    (Exit::NoOutput, 73, "an output cannot be written"),
    (Exit::Fault, 80, "the guest faulted, or its core locked up"),
    (Exit::Deadlock, 81, "the guest sleeps or spins in a loop, and nothing can end that"),
    (Exit::CycleBudget, 82, "the guest used up its cycles (--max-cycles)"),
    (Exit::OutputBudget, 83, "the guest used up its output (--max-output)"),
    (Exit::WrongOutput, 84, "a program's output is not exactly right, so its numbers are withheld"),
    (Exit::Breakpoint, 85, "the guest stopped at a breakpoint"),
    (Exit::Reset, 86, "the guest was reset more often than --resets, by itself or a watchdog"),
    (Exit::InputEnded, 87, "`exec`: standard input has ended, and the guest waits for more"),
    (Exit::CommandFailed, 88, "`explain`: a command failed, ran late or left processes running"),
    (Exit::Interrupted, 130, "Ctrl-C; what was finished has been written"),
];

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Guest(code) => code,
            own => CODES.iter().find(|(exit, ..)| *exit == own).expect("each exit has its code").1,
        }
    }

    /// The end for a guest that exited with `code`: small codes as they are, all others as the greatest that passes.
    pub fn of_guest(code: i32) -> Self {
        match u8::try_from(code) {
            Ok(0) => Self::Success,
            Ok(code @ 1..=GREATEST_GUEST_CODE) => Self::Guest(code),
            _ => Self::Guest(GREATEST_GUEST_CODE),
        }
    }

    /// Returns the exit of the process for a run that ended with `stop`.
    pub fn of_stop(stop: Stop) -> Self {
        match stop {
            Stop::Exit(code) => Self::of_guest(code),
            Stop::Horizon | Stop::Watch(_) | Stop::Signal => Self::CycleBudget,
            Stop::Fault(_) | Stop::Lockup(_) => Self::Fault,
            Stop::Deadlock(_) => Self::Deadlock,
            Stop::Breakpoint(..) => Self::Breakpoint,
            Stop::Reset(_) => Self::Reset,
            Stop::OutputBudget => Self::OutputBudget,
        }
    }

    /// The list for `--help`.
    pub fn help() -> String {
        let mut text = String::from("Exit codes:\n");
        for (_, code, meaning) in CODES {
            text.push_str(&format!("  {code:>3}  {meaning}\n"));
        }
        text.push_str("\n`exec` also ends with the guest's own code: 1 to 63 as they are, any other as 63.");
        text
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_codes_are_distinct_and_leave_the_guests_alone() {
        assert!(CODES.windows(2).all(|pair| pair[0].1 < pair[1].1));
        let all = CODES.iter().map(|(exit, ..)| exit);
        let own = all.filter(|exit| !matches!(exit, Exit::Success | Exit::BoundBroken | Exit::Usage));
        assert!(own.clone().all(|exit| exit.code() > GREATEST_GUEST_CODE));
        // A Rust panic ends with 101, and shells use 126 to 165 for themselves and signals (130 is SIGINT's).
        assert!(own.clone().all(|exit| !matches!(exit.code(), 101 | 126..=129 | 131..)));
    }

    #[test]
    fn the_written_list_is_this_one() {
        let page = include_str!("../../../docs/runner.md");
        for (_, code, meaning) in CODES {
            let row = format!("| {code} | {meaning} |");
            assert!(page.contains(&row), "docs/runner.md lacks: {row}");
        }
        let is_code =
            |line: &&str| line.strip_prefix("| ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(page.lines().filter(is_code).count(), CODES.len(), "one row too many or too few");
    }

    #[test]
    fn large_and_negative_guest_codes_are_told_apart_from_success() {
        for (code, expect) in [(0, 0), (1, 1), (63, 63), (64, 63), (256, 63), (-1, 63), (i32::MIN, 63)] {
            assert_eq!(Exit::of_guest(code).code(), expect, "{code}");
        }
    }
}
