//! Whole programs: the bundled images for boards that QEMU has too, here and under QEMU.
//!
//! QEMU's machines are a Cortex-M0 (`microbit`), an M3 (`lm3s6965evb`) and an M4 with floating point (`mps2-an386`); here
//! the same programs run on the chip models without vendor's parts that the images name. What a program prints must be
//! the same on both, and so must its exit code. QEMU has no notion of cycles, so what depends on time is left out of the
//! comparison: the figures of the program's own clock, and in sliced modes the second task's counter, since time slices
//! end where the clock says.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_machine::{Channel, Stop, Target};
use cyclescope_oracle_images::Image;
use cyclescope_units::Cycles;
use wait_timeout::ChildExt;

use crate::error::OracleError;

/// More cycles than any bundled program takes.
pub(crate) const CYCLES: Cycles = Cycles::new(20_000_000_000);
/// More bytes than any of them prints.
const OUTPUT: usize = 64 * 1024;
/// What a run under QEMU may take on a busy host.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) const QEMU: &str = "qemu-system-arm";
pub(crate) const PACKAGES: &str = "qemu-system-arm";

/// How a program ended and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its exit code; in words where it did not exit.
    pub end: Result<i32, String>,
    /// Its lines, with figures of time replaced by `*`.
    pub lines: Vec<String>,
}

/// One program on both sides.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The image's name.
    pub name: &'static str,
    /// Here.
    pub ours: Run,
    /// Under QEMU.
    pub qemu: Run,
    /// Instructions that it took here.
    pub instructions: u64,
}

impl Comparison {
    /// Whether both exited with the same code and printed the same lines, at least one.
    pub fn passed(&self) -> bool {
        self.ours == self.qemu && self.ours.end.is_ok() && !self.ours.lines.is_empty()
    }

    /// The first line that differs, or what else does; `None` where nothing does.
    pub fn difference(&self) -> Option<String> {
        if self.passed() {
            return None;
        }
        if self.ours.end != self.qemu.end {
            return Some(format!("ours ended with {:?}, QEMU with {:?}", self.ours.end, self.qemu.end));
        }
        let count = self.ours.lines.len().max(self.qemu.lines.len());
        let line = (0..count).find(|&index| self.ours.lines.get(index) != self.qemu.lines.get(index));
        Some(match line {
            Some(index) => format!(
                "line {}: ours {:?}, QEMU {:?}",
                index + 1,
                self.ours.lines.get(index),
                self.qemu.lines.get(index)
            ),
            None => format!("both ended with {:?} and {} lines", self.ours.end, self.ours.lines.len()),
        })
    }
}

/// The images that run on both sides: all.
pub fn images() -> impl Iterator<Item = &'static Image> {
    cyclescope_oracle_images::images().iter()
}

/// Runs `image` here and under QEMU, both at once.
///
/// # Errors
/// When QEMU is not installed or the checkout lacks the image.
pub fn compare(image: &'static Image) -> Result<Comparison, OracleError> {
    let elf = image.elf()?;
    let sliced = image.mode.ends_with("sliced");
    thread::scope(|scope| {
        let qemu = scope.spawn(|| under_qemu(image, &elf));
        let ours = here(image, &elf)?;
        let qemu = qemu.join().expect("the thread that waits for QEMU does not panic")?;
        Ok(Comparison {
            name: image.name,
            ours: ours.run(sliced),
            qemu: qemu.run(sliced),
            instructions: ours.instructions,
        })
    })
}

/// How a program ended, with all it printed.
struct Ended {
    end: Result<i32, String>,
    output: Vec<u8>,
    /// 0 where nobody counts.
    instructions: u64,
}

impl Ended {
    fn run(&self, sliced: bool) -> Run {
        Run { end: self.end.clone(), lines: lines(&self.output, sliced) }
    }

    /// A program that could not begin.
    fn early(why: String) -> Self {
        Self { end: Err(why), output: Vec::new(), instructions: 0 }
    }
}

fn here(image: &'static Image, elf: &[u8]) -> Result<Ended, OracleError> {
    let name = image.name;
    let parsed = cyclescope_image::Image::parse(elf).map_err(|source| OracleError::Image { name, source })?;
    let part = Part::find(image.chip).map_err(|source| OracleError::Part { name, source })?;
    let settings = Settings { output_budget: OUTPUT, halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let mut machine = match Machine::load(part, settings, &parsed) {
        Ok(machine) => machine,
        Err(error) => return Ok(Ended::early(error.to_string())),
    };
    let end = match machine.run(CYCLES) {
        Stop::Exit(code) => Ok(code),
        other => Err(format!("{other:?}")),
    };
    // QEMU shows both on its output.
    let console = &machine.shared().console;
    let output = [Channel::Semihosting, Channel::Uart(0)].map(|channel| console.bytes(channel)).concat();
    Ok(Ended { end, output, instructions: machine.instructions().get() })
}

fn under_qemu(image: &Image, elf: &[u8]) -> Result<Ended, OracleError> {
    let path = std::env::temp_dir().join(format!("cyclescope-oracle-{}-{}.elf", std::process::id(), image.name));
    fs::write(&path, elf).map_err(|source| OracleError::Write { path: path.clone(), source })?;
    let ended = run_qemu(image.board, &path);
    // Nobody needs it any more; what QEMU said is worth more than an error here.
    let _ = fs::remove_file(&path);
    ended
}

fn run_qemu(board: &str, path: &Path) -> Result<Ended, OracleError> {
    let mut child = Command::new(QEMU)
        .args(["-M", board, "-display", "none", "-serial", "stdio", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(OracleError::start(QEMU, PACKAGES))?;
    // The guest's output comes on either, depending on the call it uses and the version; it is far below a pipe's size.
    let (mut out, mut error) = (child.stdout.take(), child.stderr.take());
    let status = child.wait_timeout(PATIENCE).map_err(OracleError::io("cannot wait for QEMU"))?;
    if status.is_none() {
        child.kill().map_err(OracleError::io("cannot stop QEMU"))?;
        child.wait().map_err(OracleError::io("cannot wait for QEMU"))?;
    }
    let mut output = Vec::new();
    let what = "cannot read what QEMU printed";
    if let Some(pipe) = &mut out {
        pipe.read_to_end(&mut output).map_err(OracleError::io(what))?;
    }
    if let Some(pipe) = &mut error {
        let mut said = Vec::new();
        pipe.read_to_end(&mut said).map_err(OracleError::io(what))?;
        output.extend(without_remarks(&said));
    }
    let end = match status {
        None => Err(format!("no end after {} s", PATIENCE.as_secs())),
        Some(status) => status.code().ok_or_else(|| "killed by a signal".to_owned()),
    };
    Ok(Ended { end, output, instructions: 0 })
}

/// What QEMU itself remarks among a guest's output: its lm3s6965evb resets a timer without a period.
const REMARK: &[u8] = b"Timer with period zero, disabling";

fn without_remarks(said: &[u8]) -> Vec<u8> {
    said.split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.trim_ascii_end() != REMARK)
        .flatten()
        .copied()
        .collect()
}

/// The lines of `output` with what depends on time replaced: `elapsed`, and `counter` where tasks are sliced.
fn lines(output: &[u8], sliced: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| without_time(line, sliced)).collect()
}

fn without_time(line: &str, sliced: bool) -> String {
    let line = without_figure(line, "elapsed=");
    let line = without_figure(&line, "elapsed = ");
    if sliced { without_figure(&line, "counter=") } else { line }
}

/// `line` with the digits after `label` replaced by `*`.
fn without_figure(line: &str, label: &str) -> String {
    let Some(at) = line.find(label) else { return line.to_owned() };
    let (before, after) = line.split_at(at + label.len());
    let rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
    if rest.len() == after.len() { line.to_owned() } else { format!("{before}*{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_figures_of_time_are_replaced() {
        let line = "cyclescope primes trials=177 loops=202346 dispatches=202346 counter=77 elapsed=2101 clock_hz=1000";
        assert_eq!(
            without_time(line, false),
            "cyclescope primes trials=177 loops=202346 dispatches=202346 counter=77 elapsed=* clock_hz=1000"
        );
        assert!(without_time(line, true).contains("counter=* "));
        assert_eq!(without_time("done elapsed = 12 ms, trials=177", false), "done elapsed = * ms, trials=177");
        assert_eq!(without_time("elapsed=", false), "elapsed=", "a missing figure stays visible");
    }

    #[test]
    fn remarks_are_whole_lines() {
        let said = b"Timer with period zero, disabling\nfound Timer with period zero, disabling\nlast";
        assert_eq!(without_remarks(said), b"found Timer with period zero, disabling\nlast");
    }

    #[test]
    fn a_run_that_printed_nothing_or_did_not_exit_does_not_pass() {
        let run = |end, lines: &[&str]| Run { end, lines: lines.iter().map(|line| (*line).to_owned()).collect() };
        let comparison = |ours: Run, qemu: Run| Comparison { name: "x", ours, qemu, instructions: 0 };
        assert!(comparison(run(Ok(0), &["a"]), run(Ok(0), &["a"])).passed());
        for (ours, qemu) in [
            (run(Ok(0), &[]), run(Ok(0), &[])),
            (run(Err("stuck".into()), &["a"]), run(Err("stuck".into()), &["a"])),
            (run(Ok(0), &["a"]), run(Ok(1), &["a"])),
            (run(Ok(0), &["a", "b"]), run(Ok(0), &["a"])),
        ] {
            assert!(comparison(ours, qemu).difference().is_some());
        }
    }
}
