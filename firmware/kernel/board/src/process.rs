//! The process: it has no privilege, and all that it touches is its stack. It calls the tally, checks every answer, prints
//! a line by the console, and gives the kernel what came out.

use crate::calls;
use crate::{CONSOLE, TALLY};

/// Rounds that count; the one before them warms up.
const ROUNDS: u32 = 8;

/// Classes of the calls that are not measured.
const WAIT: u32 = 0;
const SUBSCRIBE: u32 = 1;
const COMMAND: u32 = 2;
const ALLOW: u32 = 3;
const EXIT: u32 = 4;

/// A buffer is refused by this word.
const BAD_BUFFER: u64 = 4;

/// What the kernel answered: 0 below, the value above.
const fn done(value: u32) -> u64 {
    (value as u64) << 32
}

/// Where it begins.
pub extern "C" fn main() -> ! {
    let buffer = [0u8; 16];
    let (mut sum, mut total, mut commands, mut allows, mut subscribes) = (0u32, 0u32, 0, 0, 0);
    let mut round = 0;
    while round <= ROUNDS {
        let counts = round != 0;
        let (a, b) = (0x1234_5678u32.wrapping_mul(round + 1), round);
        total = total.wrapping_add(a).wrapping_sub(b);

        let answer = calls::command(TALLY, 0, a, b);
        commands += u32::from(counts && answer == done(total));
        sum = add(sum, answer);

        let answer = calls::allow(TALLY, 0, buffer.as_ptr() as u32, round + 1);
        allows += u32::from(counts && answer == done(round));
        sum = add(sum, answer);

        let answer = calls::subscribe(TALLY, 0, printed as *const () as u32, round + 1);
        subscribes += u32::from(counts && answer == done(round));
        sum = add(sum, answer);

        round += 1;
    }
    // Whatever went wrong outside the measured calls shows in the commands.
    if !prints() || !refused(buffer.as_ptr() as u32) {
        commands = 0;
    }
    #[cfg(feature = "fault")]
    // SAFETY: none; the chip shall not let it.
    unsafe {
        (crate::KERNEL_DATA as *mut u32).write_volatile(1);
    }
    calls::any(sum, commands, allows, subscribes, EXIT);
    loop {
        core::hint::spin_loop();
    }
}

/// An answer into the sum: by shifts, which all instruction sets have.
fn add(sum: u32, answer: u64) -> u32 {
    sum.rotate_left(5) ^ (answer as u32) ^ ((answer >> 32) as u32)
}

/// Prints a line from the stack, and waits to be told of it.
fn prints() -> bool {
    let text = *b"the process is done\n";
    let (mut told, length) = (0u32, text.len() as u32);
    let told = &raw mut told;
    calls::any(CONSOLE, 0, text.as_ptr() as u32, length, ALLOW) == done(0)
        && calls::any(CONSOLE, 0, printed as *const () as u32, told as u32, SUBSCRIBE) == done(0)
        && calls::any(CONSOLE, 1, length, 0, COMMAND) == done(length)
        && {
            calls::any(0, 0, 0, 0, WAIT);
            // SAFETY: `told` is on this stack.
            unsafe { told.read_volatile() == length }
        }
}

/// Runs when the console has printed.
extern "C" fn printed(length: u32, _: u32, told: *mut u32) {
    // SAFETY: the address is the one that `prints` subscribed with.
    unsafe { told.write_volatile(length) }
}

/// Buffers that are not the process's own must be refused, and one that is must not.
fn refused(own: u32) -> bool {
    calls::any(TALLY, 0, 0, 16, ALLOW) == BAD_BUFFER
        && calls::any(TALLY, 0, own, u32::MAX, ALLOW) == BAD_BUFFER
        && calls::any(TALLY, 0, own, 16, ALLOW) == done(ROUNDS + 1)
}
