//! Compares whole programs here and under QEMU: the bundled images for boards that QEMU has too, and those of
//! [`boards`](crate::boards).
//!
//! QEMU's machines are a Cortex-M0 (`microbit`), an M3 (`lm3s6965evb`) and an M4 with floating point (`mps2-an386`).
//! Here the same programs run on the generic chip models that the images name. Output and exit code must be equal. QEMU
//! does not model cycles, so values that depend on time are left out: the program's own times, and in sliced modes the
//! second task's counter, because the clock ends time slices.
//!
//! Here each program runs twice, with loops skipped and without: end, output, gaps, cycles and instructions must be equal.

use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

use cyclescope_chips::{Settings, Stimulus};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Gap, Stop};
use cyclescope_oracle_images::Image;
use wait_timeout::ChildExt;

use crate::error::OracleError;
use crate::process::Folder;
use crate::qemu;

/// A limit above the cycles of any bundled program.
pub(crate) const CYCLES: Cycles = Cycles::new(20_000_000_000);
/// A limit above the output of any bundled program in bytes.
const OUTPUT: usize = 64 * 1024;
/// The time limit for QEMU on a busy host.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) const QEMU: &str = "qemu-system-arm";
pub(crate) const PACKAGES: &str = "qemu-system-arm";

/// The text after which a program takes its input.
const PROMPT: &[u8] = b"ready\n";
/// The cycles after which our run looks for the prompt.
const STEP: Cycles = Cycles::new(10_000);

/// A program for both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guest<'a> {
    /// Its name.
    pub(crate) name: &'static str,
    pub(crate) elf: &'a [u8],
    /// The chip model here.
    pub(crate) chip: &'static str,
    /// QEMU's machine.
    pub(crate) board: &'static str,
    /// The bytes that the first serial port gets behind the prompt.
    pub(crate) input: &'static [u8],
}

/// The end and output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The exit code, or a description if the program did not exit.
    pub end: Result<i32, String>,
    /// The output lines, with times replaced by `*`.
    pub lines: Vec<String>,
}

/// The runs of one program on both sides.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The image's name.
    pub name: &'static str,
    /// The run here.
    pub ours: Run,
    /// The run under QEMU.
    pub qemu: Run,
    /// The difference between our runs with loops skipped and without; `None` if there is none.
    pub skipping: Option<String>,
    /// The number of instructions executed here.
    pub instructions: u64,
}

impl Comparison {
    /// Tells if both exited with the same code and printed the same lines, at least one, and ours did so with loops skipped as
    /// without.
    pub fn passed(&self) -> bool {
        self.skipping.is_none() && self.ours == self.qemu && self.ours.end.is_ok() && !self.ours.lines.is_empty()
    }

    /// Describes the first difference; `None` if there is none.
    pub fn difference(&self) -> Option<String> {
        if self.passed() {
            return None;
        }
        if let Some(skipping) = &self.skipping {
            return Some(skipping.clone());
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

/// Returns all images that run on both sides.
pub fn images() -> impl Iterator<Item = &'static Image> {
    cyclescope_oracle_images::images().iter()
}

/// Runs `image` here and under QEMU at the same time.
///
/// # Errors
/// QEMU is not installed or the checkout lacks the image.
pub fn compare(image: &'static Image) -> Result<Comparison, OracleError> {
    let elf = image.elf()?;
    let guest = Guest { name: image.name, elf: &elf, chip: image.chip, board: image.board, input: &[] };
    compare_guest(&guest, image.mode.ends_with("sliced"))
}

/// Runs `guest` here and under QEMU at the same time; `sliced` if the clock ends time slices.
pub(crate) fn compare_guest(guest: &Guest<'_>, sliced: bool) -> Result<Comparison, OracleError> {
    thread::scope(|scope| {
        let qemu = scope.spawn(|| under_qemu(guest));
        let ours = here(guest, true)?;
        let skipping = ours.difference(&here(guest, false)?);
        let qemu = qemu.join().expect("the thread that waits for QEMU does not panic")?;
        Ok(Comparison {
            name: guest.name,
            ours: ours.run(sliced),
            qemu: qemu.run(sliced),
            skipping,
            instructions: ours.instructions,
        })
    })
}

/// The end of a program and its raw output.
#[derive(Clone, Debug)]
struct Ended {
    end: Result<i32, String>,
    output: Vec<u8>,
    /// The number of instructions; 0 if not counted.
    instructions: u64,
    /// The number of cycles; 0 if not counted.
    cycles: u64,
    /// The model gaps with their counts.
    gaps: Vec<Gap>,
}

impl Ended {
    fn uncounted(end: Result<i32, String>, output: Vec<u8>) -> Self {
        Self { end, output, instructions: 0, cycles: 0, gaps: Vec::new() }
    }

    fn run(&self, sliced: bool) -> Run {
        Run { end: self.end.clone(), lines: lines(&self.output, sliced) }
    }

    /// Describes the difference of this run, in which loops were skipped, from `other`, in which they were not.
    fn difference(&self, other: &Self) -> Option<String> {
        let differ = |what, skipped: &dyn Debug, carried_out: &dyn Debug| {
            let (skipped, carried_out) = (format!("{skipped:?}"), format!("{carried_out:?}"));
            let text = || format!("{what}: {skipped} with loops skipped, {carried_out} without");
            (skipped != carried_out).then(text)
        };
        differ("end", &self.end, &other.end)
            .or_else(|| differ("cycles", &self.cycles, &other.cycles))
            .or_else(|| differ("instructions", &self.instructions, &other.instructions))
            .or_else(|| differ("model gaps", &self.gaps, &other.gaps))
            .or_else(|| (self.output != other.output).then(|| "the output differs with loops skipped".to_owned()))
    }
}

fn here(guest: &Guest<'_>, skips_loops: bool) -> Result<Ended, OracleError> {
    let settings = Settings {
        output_budget: OUTPUT,
        halt_on_fault: true,
        halt_on_reset: true,
        skips_loops,
        ..Settings::default()
    };
    let mut machine = match qemu::load(guest.name, guest.elf, guest.chip, settings)? {
        Ok(machine) => machine,
        Err(why) => return Ok(Ended::uncounted(Err(why), Vec::new())),
    };
    if !guest.input.is_empty() {
        while machine.run(machine.now().saturating_add(STEP)) == Stop::Horizon && machine.now() < CYCLES {
            if contains(&machine.shared().console.bytes(Channel::Uart(1)), PROMPT) {
                let now = machine.now();
                machine.stimulate(now, Stimulus::Uart { number: 1, bytes: guest.input.to_vec() });
                break;
            }
        }
    }
    let end = qemu::end(machine.run(CYCLES));
    // QEMU shows semihosting and its first serial port on its output.
    let console = &machine.shared().console;
    let shown = [Channel::Semihosting, Channel::Uart(0), Channel::Uart(1)];
    let output = shown.map(|channel| console.bytes(channel)).concat();
    let (instructions, cycles) = (machine.instructions().get(), machine.now().get());
    Ok(Ended { end, output, instructions, cycles, gaps: machine.gaps().to_vec() })
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

fn under_qemu(guest: &Guest<'_>) -> Result<Ended, OracleError> {
    let folder = Folder::temporary(guest.name)?;
    run_qemu(guest.board, &folder.write("image.elf", guest.elf)?, guest.input)
}

/// Reads all that the program prints. Behind the prompt it gets `input`.
fn converse(mut out: impl Read, mut into: ChildStdin, input: &[u8]) -> io::Result<Vec<u8>> {
    let (mut said, mut chunk, mut left) = (Vec::new(), [0; 256], !input.is_empty());
    loop {
        let count = out.read(&mut chunk)?;
        if count == 0 {
            return Ok(said);
        }
        said.extend_from_slice(&chunk[..count]);
        if left && contains(&said, PROMPT) {
            left = false;
            into.write_all(input)?;
            into.flush()?;
        }
    }
}

fn run_qemu(board: &str, path: &Path, input: &'static [u8]) -> Result<Ended, OracleError> {
    let mut child = Command::new(QEMU)
        .args(["-M", board, "-display", "none", "-serial", "stdio", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(OracleError::start(QEMU, PACKAGES))?;
    // The guest's output comes on either stream, depending on its call and QEMU's version. It is far shorter than a
    // pipe's buffer.
    let (pipes, mut error) = (child.stdout.take().zip(child.stdin.take()), child.stderr.take());
    let said = pipes.map(|(out, into)| thread::spawn(move || converse(out, into, input)));
    let status = child.wait_timeout(PATIENCE).map_err(OracleError::io("cannot wait for QEMU"))?;
    if status.is_none() {
        child.kill().map_err(OracleError::io("cannot stop QEMU"))?;
        child.wait().map_err(OracleError::io("cannot wait for QEMU"))?;
    }
    let mut output = Vec::new();
    let what = "cannot read what QEMU printed";
    if let Some(said) = said {
        let said = said.join().expect("the thread that reads what QEMU prints does not panic");
        output.extend(said.map_err(OracleError::io(what))?);
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
    Ok(Ended::uncounted(end, output))
}

/// A message of QEMU itself among a guest's output: its lm3s6965evb resets a timer without a period.
const REMARK: &[u8] = b"Timer with period zero, disabling";

fn without_remarks(said: &[u8]) -> Vec<u8> {
    said.split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.trim_ascii_end() != REMARK)
        .flatten()
        .copied()
        .collect()
}

/// Returns the lines of `output` with time-dependent values replaced: `elapsed`, and `counter` for sliced tasks.
fn lines(output: &[u8], sliced: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| without_time(line, sliced)).collect()
}

fn without_time(line: &str, sliced: bool) -> String {
    let line = without_figure(line, "elapsed=");
    let line = without_figure(&line, "elapsed = ");
    if sliced { without_figure(&line, "counter=") } else { line }
}

/// Replaces the digits after `label` in `line` by `*`.
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
        let comparison = |ours: Run, qemu: Run| Comparison { name: "x", ours, qemu, skipping: None, instructions: 0 };
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

    #[test]
    fn a_run_that_differs_without_skipping_does_not_pass() {
        let run = Ended { end: Ok(0), output: b"a".to_vec(), instructions: 7, cycles: 9, gaps: Vec::new() };
        assert_eq!(run.difference(&run), None);
        for (other, what) in [
            (Ended { cycles: 10, ..run.clone() }, "cycles: 9 with loops skipped, 10 without"),
            (Ended { instructions: 8, ..run.clone() }, "instructions: 7 with loops skipped, 8 without"),
            (Ended { end: Ok(1), ..run.clone() }, "end: Ok(0) with loops skipped, Ok(1) without"),
            (Ended { output: b"b".to_vec(), ..run.clone() }, "the output differs with loops skipped"),
        ] {
            let skipping = run.difference(&other);
            assert_eq!(skipping.as_deref(), Some(what));
            let (ours, qemu) = (run.run(false), run.run(false));
            let comparison = Comparison { name: "x", ours, qemu, skipping, instructions: 7 };
            assert_eq!((comparison.passed(), comparison.difference().as_deref()), (false, Some(what)));
        }
    }

    #[test]
    fn bundled_programs_take_the_same_with_loops_skipped() {
        let image = images().next().expect("an image");
        let elf = image.elf().expect("the checkout has it");
        let guest = Guest { name: image.name, elf: &elf, chip: image.chip, board: image.board, input: &[] };
        let [skipped, carried_out] = [true, false].map(|skips| here(&guest, skips).expect("it starts"));
        assert!(skipped.end.is_ok() && skipped.cycles > 0, "{skipped:?}");
        assert_eq!(skipped.difference(&carried_out), None);
    }
}
