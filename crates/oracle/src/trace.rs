//! Compares bundled images instruction by instruction: our trace against QEMU's log.
//!
//! QEMU translates one instruction at a time and logs the address of each. On our side, every retired instruction is
//! listed as `trace` lists it. Both begin at reset and must be equal, for the requested number of instructions or to
//! the end. Interrupts depend on the clock, and QEMU has another clock: handlers are left out on both sides, and only
//! images of plain loops are compared, whose path does not depend on time until they print it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use cyclescope_chips::{Retire, Settings};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Signal, SignalKind, Stop};
use cyclescope_oracle_images::Image;

use crate::error::OracleError;
use crate::process::Folder;
use crate::programs::{CYCLES, PACKAGES, QEMU};
use crate::qemu::{self, Compared};

/// The cycles to run between two checks for enough instructions.
const SLICE: u64 = 1_000_000;

/// The contenders whose path does not depend on a clock.
const CONTENDERS: [&str; 2] = ["c-plain", "rust-plain"];

/// Returns the images to compare: plain loops without interrupts.
pub fn images() -> impl Iterator<Item = &'static Image> {
    let images = cyclescope_oracle_images::images().iter();
    images.filter(|image| image.mode == "plain" && CONTENDERS.contains(&image.contender))
}

/// Compares the first `count` instructions of `image` here and under QEMU.
///
/// # Errors
/// QEMU is not installed or the checkout lacks the image.
pub fn compare(image: &'static Image, count: usize) -> Result<Compared, OracleError> {
    let elf = image.elf()?;
    let ours = here(image, &elf, count)?;
    let folder = Folder::temporary(image.name)?;
    let (instructions, difference) = follow(image.board, &folder.write("image.elf", &elf)?, &ours)?;
    Ok(Compared { instructions, difference })
}

/// Returns the addresses of the first `count` instructions here.
fn here(image: &'static Image, elf: &[u8], count: usize) -> Result<Vec<u32>, OracleError> {
    let settings = Settings { halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let mut way = Vec::with_capacity(count);
    let Ok(mut machine) = qemu::load(image.name, elf, image.chip, settings)? else { return Ok(way) };
    machine.shared().signals.want(SignalKind::Exception);
    let mut handlers = 0u32;
    while way.len() < count && machine.now() < CYCLES {
        let until = Cycles::new(machine.now().get() + SLICE);
        let stop = machine.run_into(until, &mut |retire: Retire| {
            if handlers == 0 && way.len() < count {
                way.push(retire.pc.get());
            }
        });
        match stop {
            Stop::Horizon => {}
            Stop::Signal => {
                for (_, signal) in machine.shared().signals.drain() {
                    match signal {
                        Signal::ExceptionEntered { .. } => handlers += 1,
                        Signal::ExceptionReturned { .. } => handlers = handlers.saturating_sub(1),
                        _ => {}
                    }
                }
            }
            _ => break,
        }
    }
    Ok(way)
}

/// Returns the number of QEMU's instructions equal to `ours`, and a description of the first difference.
fn follow(board: &str, elf: &std::path::Path, ours: &[u32]) -> Result<(usize, Option<String>), OracleError> {
    let mut child = Command::new(QEMU)
        .args(["-M", board, "-display", "none", "-serial", "null", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native"])
        .args(["-singlestep", "-d", "exec,nochain,int", "-kernel"])
        .arg(elf)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(OracleError::start(QEMU, PACKAGES))?;
    let log = child.stderr.take().map(BufReader::new);
    let compared = log.map_or(Ok((0, None)), |log| Follower::new(ours).follow(log));
    // All requested output has arrived.
    let _ = child.kill();
    child.wait().map_err(OracleError::io("cannot wait for QEMU"))?;
    compared
}

/// Compares a log with our addresses.
struct Follower<'a> {
    ours: &'a [u32],
    /// The latest instruction of the log. Only the next entry confirms that it executed.
    latest: Option<u32>,
    same: usize,
    /// Tells if the log is inside a handler.
    handles: bool,
}

impl<'a> Follower<'a> {
    fn new(ours: &'a [u32]) -> Self {
        Self { ours, latest: None, same: 0, handles: false }
    }

    fn follow(mut self, mut log: impl BufRead) -> Result<(usize, Option<String>), OracleError> {
        let mut line = Vec::new();
        while self.same < self.ours.len() {
            line.clear();
            let read = log.read_until(b'\n', &mut line).map_err(OracleError::io("cannot read QEMU's log"))?;
            let text = String::from_utf8_lossy(&line);
            let differs = if read == 0 {
                self.certain()
                    .or_else(|| (self.same < self.ours.len()).then(|| qemu::parting(self.same, self.ours, None)))
            } else if qemu::takes_back(&text) {
                self.latest = None;
                None
            } else if text.starts_with("...taking pending") {
                self.handles = true;
                None
            } else if text.starts_with("...successful exception return") {
                self.handles = false;
                None
            } else {
                qemu::address(&text).filter(|_| !self.handles).and_then(|at| {
                    let differs = self.certain();
                    self.latest = Some(at);
                    differs
                })
            };
            if differs.is_some() || read == 0 {
                return Ok((self.same, differs));
            }
        }
        Ok((self.same, None))
    }

    /// Confirms the latest instruction.
    fn certain(&mut self) -> Option<String> {
        let at = self.latest.take()?;
        if self.ours.get(self.same) == Some(&at) {
            self.same += 1;
            return None;
        }
        Some(qemu::parting(self.same, self.ours, Some(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "Trace 0: 0x7f0000000100 [00000000/00000100/00000003/ff000201] reset\n\
                       primes: 3Trace 0: 0x7f0000000200 [00000000/00000102/00000003/ff000201] reset\n\
                       Stopped execution of TB chain before 0x7f0000000200 [00000102] reset\n\
                       Taking exception 5 [IRQ] on CPU 0\n\
                       ...taking pending nonsecure exception 15\n\
                       Trace 0: 0x7f0000000400 [00000000/00000200/00000003/ff000201] SysTick\n\
                       ...successful exception return\n\
                       Trace 0: 0x7f0000000200 [00000000/00000102/00000003/ff000201] reset\n\
                       Trace 0: 0x7f0000000300 [00000000/00000106/00000003/ff000201] reset\n";

    fn follow(ours: &[u32]) -> (usize, Option<String>) {
        Follower::new(ours).follow(LOG.as_bytes()).expect("a log in memory can be read")
    }

    #[test]
    fn a_log_is_followed_to_the_first_difference() {
        assert_eq!(follow(&[0x100, 0x102, 0x106]), (3, None));
        assert_eq!(follow(&[0x100, 0x102]), (2, None));
        let (same, differs) = follow(&[0x100, 0x104, 0x106]);
        assert_eq!(same, 1);
        assert!(differs.is_some_and(|text| text.contains("ours at 00000104, QEMU at 00000102")));
        let (same, differs) = follow(&[0x100, 0x102, 0x106, 0x108]);
        assert_eq!(same, 3);
        assert!(differs.is_some_and(|text| text.contains("ours at 00000108, QEMU ended")));
    }
}
