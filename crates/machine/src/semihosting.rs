//! Semihosting: Arm's calls (IHI 0100), which RISC-V has taken over.
//!
//! The guest gets a console and may end the run. It gets files only from a caller that gives it [`SemihostingFiles`], and never
//! a clock or a command of the host; calls for these answer with the failure that the document gives them.

mod files;

pub use self::files::{FIRST_HANDLE, FileError, HostFiles, LONGEST_NAME, OpenKind, OpenMode, SemihostingFiles, errno};

use crate::units::{Address, Cycles};

use crate::{Bus, Channel, GapKind, Peripherals, Width};

/// The most bytes that one call writes or reads: no guest makes the host copy more at a time.
const LONGEST_WRITE: u32 = 64 * 1024;

/// ADP_Stopped_ApplicationExit: the only reason that means success.
const APPLICATION_EXIT: u32 = 0x2_0026;

/// A call's result where there is nothing better to say.
const FAILED: u32 = u32::MAX;

/// A call, as a core has it in its registers.
#[derive(Clone, Copy, Debug)]
pub struct SemihostingCall {
    /// The operation: r0 or a0.
    pub number: u32,
    /// Its argument, mostly the address of a block of words: r1 or a1.
    pub argument: u32,
    /// The instruction that calls.
    pub pc: Address,
    /// The cycle of the call.
    pub at: Cycles,
}

/// The result of a [`SemihostingCall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemihostingAnswer {
    /// The guest goes on, with this in r0 or a0.
    Result(u32),
    /// The guest wants to end with this code.
    Exit(i32),
}

impl SemihostingCall {
    /// Returns a word of the block that the argument points to; 0 where no memory is.
    fn word<P>(self, bus: &Bus<P>, index: u32) -> u32 {
        bus.memory.read(self.argument.wrapping_add(4 * index), Width::Word).unwrap_or(0)
    }

    /// Carries it out.
    pub fn answer<P: Peripherals>(self, bus: &mut Bus<P>) -> SemihostingAnswer {
        let Self { number, argument, pc, at } = self;
        if let Some(result) = files::answer(self, bus) {
            return SemihostingAnswer::Result(result);
        }
        let word = |bus: &Bus<P>, index: u32| self.word(bus, index);
        let result = match number {
            // SYS_OPEN: only the console, ":tt"; the mode decides between in, out and error.
            0x01 if files::is_console(self, bus) => 1 + word(bus, 1).min(11) / 4,
            // ":semihosting-features", which C libraries look for, is none of the files.
            0x01 if text(bus, word(bus, 0)).next() == Some(b':') => FAILED,
            // SYS_CLOSE
            0x02 => 0,
            // SYS_WRITEC
            0x03 => {
                let byte = bus.memory.read(argument, Width::Byte).unwrap_or(0) as u8;
                bus.shared.console.write(Channel::Semihosting, &[byte]);
                number
            }
            // SYS_WRITE0
            0x04 => {
                let bytes: Vec<u8> = text(bus, argument).collect();
                bus.shared.console.write(Channel::Semihosting, &bytes);
                number
            }
            // SYS_WRITE: answers with the number of bytes not written.
            0x05 => {
                let (handle, from, len) = (word(bus, 0), word(bus, 1), word(bus, 2));
                if (2..=3).contains(&handle) {
                    let bytes: Vec<u8> = (0..len.min(LONGEST_WRITE))
                        .map_while(|offset| bus.memory.read(from.wrapping_add(offset), Width::Byte))
                        .map(|byte| byte as u8)
                        .collect();
                    bus.shared.console.write(Channel::Semihosting, &bytes);
                    len - bytes.len() as u32
                } else {
                    len
                }
            }
            // SYS_READ: nothing to read, all bytes are missing.
            0x06 => word(bus, 2),
            // SYS_ISERROR
            0x08 => u32::from((word(bus, 0) as i32) < 0),
            // SYS_ISTTY
            0x09 => u32::from((1..=3).contains(&word(bus, 0))),
            // SYS_FLEN, SYS_ERRNO
            0x0C | 0x13 => 0,
            // SYS_GET_CMDLINE: into the guest's buffer, with a zero behind it, if there is one and it fits.
            0x15 => {
                let (buffer, room) = (word(bus, 0), word(bus, 1));
                let line = bus.shared.command_line.clone().filter(|line| (line.len() as u64) < u64::from(room));
                match line {
                    Some(line) => {
                        let bytes = line.iter().chain(&[0]);
                        for (offset, byte) in (0u32..).zip(bytes) {
                            bus.memory.write(buffer.wrapping_add(offset), Width::Byte, u32::from(*byte));
                        }
                        bus.memory.write(argument.wrapping_add(4), Width::Word, line.len() as u32);
                        0
                    }
                    None => FAILED,
                }
            }
            // SYS_EXIT: on a 32-bit core the argument is the reason itself.
            0x18 => return SemihostingAnswer::Exit(i32::from(argument != APPLICATION_EXIT)),
            // SYS_EXIT_EXTENDED: reason and code.
            0x20 => {
                let (reason, code) = (word(bus, 0), word(bus, 1));
                return SemihostingAnswer::Exit(if reason == APPLICATION_EXIT { code as i32 } else { 1 });
            }
            // SYS_ELAPSED: cycles since reset, 64 bits.
            0x30 => {
                bus.memory.write(argument, Width::Word, at.get() as u32);
                bus.memory.write(argument.wrapping_add(4), Width::Word, (at.get() >> 32) as u32);
                0
            }
            number => {
                let name = format!("semihosting call {number:#x}{}", refused(number));
                bus.shared.meet_gap(GapKind::Instruction, &name, pc, at);
                FAILED
            }
        };
        SemihostingAnswer::Result(result)
    }
}

/// Returns the name of a call that is refused, in parentheses.
const fn refused(number: u32) -> &'static str {
    match number {
        0x01 => " (SYS_OPEN of a file; the guest has no folder)",
        0x0A => " (SYS_SEEK; the guest has no folder)",
        0x0D => " (SYS_TMPNAM; the guest has no folder)",
        0x0E => " (SYS_REMOVE; the guest has no folder)",
        0x0F => " (SYS_RENAME; the guest has no folder)",
        0x10 => " (SYS_CLOCK)",
        0x11 => " (SYS_TIME; there is no clock of the host)",
        0x12 => " (SYS_SYSTEM; the host carries out no commands)",
        0x16 => " (SYS_HEAPINFO)",
        0x31 => " (SYS_TICKFREQ)",
        _ => "",
    }
}

/// The bytes from `from` up to a zero, [`LONGEST_WRITE`] at most.
fn text<P>(bus: &Bus<P>, from: u32) -> impl Iterator<Item = u8> {
    (0..LONGEST_WRITE)
        .map_while(move |offset| bus.memory.read(from.wrapping_add(offset), Width::Byte))
        .map(|byte| byte as u8)
        .take_while(|byte| *byte != 0)
}
