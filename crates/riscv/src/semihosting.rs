//! Semihosting: "RISC-V Semihosting" 0.4, which takes Arm's calls (IHI 0100): console and exit only.
//!
//! The guest gets a console and may end the run. It gets no file and no clock of the host; calls for
//! these answer with the failure that the document gives them.

use cyclescope_machine::{Bus, Channel, GapKind, Peripherals, Width};
use cyclescope_units::Cycles;

use crate::cpu::Cpu;

/// SLLI x0, x0, 31, which stands before the EBREAK of a call.
const BEFORE: u32 = 0x01F0_1013;
/// SRAI x0, x0, 7, which stands behind it.
const BEHIND: u32 = 0x4070_5013;

/// The most bytes one call may write: no guest makes the host copy more at a time.
const LONGEST_WRITE: u32 = 64 * 1024;

/// ADP_Stopped_ApplicationExit: the only reason that means success.
const APPLICATION_EXIT: u32 = 0x2_0026;

/// A call's result where there is nothing better to say.
const FAILED: u32 = u32::MAX;

/// Whether the EBREAK of 32 bits at `pc` is a call.
pub fn is_call<P>(bus: &Bus<P>, pc: u32) -> bool {
    let word = |at: u32| {
        let [low, high] = [0, 2].map(|offset| bus.memory.read(at.wrapping_add(offset), Width::Half));
        Some(high? << 16 | low?)
    };
    word(pc.wrapping_sub(4)) == Some(BEFORE) && word(pc.wrapping_add(4)) == Some(BEHIND)
}

/// Carries out the call whose number is in a0 and whose argument is in a1; the result goes to a0.
pub fn call<P: Peripherals>(cpu: &mut Cpu, bus: &mut Bus<P>) {
    let (number, argument) = (cpu.get(10), cpu.get(11));
    let word = |bus: &Bus<P>, index: u32| bus.memory.read(argument.wrapping_add(4 * index), Width::Word).unwrap_or(0);
    let result = match number {
        // SYS_OPEN: only the console, ":tt"; the mode decides between in, out and error.
        0x01 => {
            let name: Vec<u8> = text(bus, word(bus, 0)).take(3).collect();
            if name == b":tt" && word(bus, 2) == 3 { 1 + word(bus, 1).min(11) / 4 } else { FAILED }
        }
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
        // SYS_FLEN, SYS_TIME, SYS_ERRNO
        0x0C | 0x11 | 0x13 => 0,
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
        // SYS_EXIT: on a 32-bit core a1 is the reason itself.
        0x18 => {
            cpu.exit = Some(i32::from(argument != APPLICATION_EXIT));
            0
        }
        // SYS_EXIT_EXTENDED: reason and code.
        0x20 => {
            let (reason, code) = (word(bus, 0), word(bus, 1));
            cpu.exit = Some(if reason == APPLICATION_EXIT { code as i32 } else { 1 });
            0
        }
        // SYS_ELAPSED: cycles since reset, 64 bits.
        0x30 => {
            bus.memory.write(argument, Width::Word, cpu.now as u32);
            bus.memory.write(argument.wrapping_add(4), Width::Word, (cpu.now >> 32) as u32);
            0
        }
        number => {
            let name = format!("semihosting call {number:#x}");
            bus.shared.gaps.meet(GapKind::Instruction, &name, cpu.pc(), Cycles::new(cpu.now));
            FAILED
        }
    };
    cpu.set(10, result);
}

/// The bytes from `from` up to a zero, [`LONGEST_WRITE`] at most.
fn text<P>(bus: &Bus<P>, from: u32) -> impl Iterator<Item = u8> {
    (0..LONGEST_WRITE)
        .map_while(move |offset| bus.memory.read(from.wrapping_add(offset), Width::Byte))
        .map(|byte| byte as u8)
        .take_while(|byte| *byte != 0)
}
