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
    /// The guest sleeps and nothing can wake it.
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
    /// Ctrl-C; what was finished has been written.
    Interrupted,
}

impl Exit {
    /// Every way but the guest's own, by ascending code.
    pub const ALL: [Self; 15] = [
        Self::Success,
        Self::BoundBroken,
        Self::Usage,
        Self::BadInput,
        Self::NoInput,
        Self::Internal,
        Self::NoOutput,
        Self::Fault,
        Self::Deadlock,
        Self::CycleBudget,
        Self::OutputBudget,
        Self::WrongOutput,
        Self::Breakpoint,
        Self::Reset,
        Self::Interrupted,
    ];

    /// The process's exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Guest(code) => code,
            Self::BoundBroken => 1,
            Self::Usage => 2,
            Self::BadInput => 65,
            Self::NoInput => 66,
            Self::Internal => 70,
            Self::NoOutput => 73,
            Self::Fault => 80,
            Self::Deadlock => 81,
            Self::CycleBudget => 82,
            Self::OutputBudget => 83,
            Self::WrongOutput => 84,
            Self::Breakpoint => 85,
            Self::Reset => 86,
            Self::Interrupted => 130,
        }
    }

    /// Returns the meaning of the code in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Success => "all was done",
            Self::Guest(_) => "the guest's own exit code",
            Self::BoundBroken => "`compare`: a change went beyond a bound of --fail-on",
            Self::Usage => "wrong command line, or an unknown name in it",
            Self::BadInput => "an input is not what it should be (no ELF, another architecture, does not fit the chip)",
            Self::NoInput => "an input cannot be read",
            Self::Internal => "internal error",
            Self::NoOutput => "an output cannot be written",
            Self::Fault => "the guest faulted, or its core locked up",
            Self::Deadlock => "the guest sleeps and nothing can wake it",
            Self::CycleBudget => "the guest used up its cycles (--max-cycles)",
            Self::OutputBudget => "the guest used up its output (--max-output)",
            Self::WrongOutput => "a program's output is not exactly right, so its numbers are withheld",
            Self::Breakpoint => "the guest stopped at a breakpoint",
            Self::Reset => "the guest was reset, by itself or a watchdog",
            Self::Interrupted => "Ctrl-C; what was finished has been written",
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
        for exit in Self::ALL {
            text.push_str(&format!("  {:>3}  {}\n", exit.code(), exit.meaning()));
        }
        text.push_str("  `exec` also ends with the guest's own code: 1 to 63 as they are, any other as 63.");
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
        assert!(Exit::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
        let own = Exit::ALL.iter().filter(|exit| !matches!(exit, Exit::Success | Exit::BoundBroken | Exit::Usage));
        assert!(own.clone().all(|exit| exit.code() > GREATEST_GUEST_CODE));
        // A Rust panic ends with 101, and shells use 126 to 165 for themselves and signals (130 is SIGINT's).
        assert!(own.clone().all(|exit| !matches!(exit.code(), 101 | 126..=129 | 131..)));
    }

    #[test]
    fn the_written_list_is_this_one() {
        let page = include_str!("../../../docs/runner.md");
        for exit in Exit::ALL {
            let row = format!("| {} | {} |", exit.code(), exit.meaning());
            assert!(page.contains(&row), "docs/runner.md lacks: {row}");
        }
        assert_eq!(page.matches("\n| ").count(), Exit::ALL.len() + 2, "one row too many or too few");
    }

    #[test]
    fn large_and_negative_guest_codes_are_told_apart_from_success() {
        for (code, expect) in [(0, 0), (1, 1), (63, 63), (64, 63), (256, 63), (-1, 63), (i32::MIN, 63)] {
            assert_eq!(Exit::of_guest(code).code(), expect, "{code}");
        }
    }
}
