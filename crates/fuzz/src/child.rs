//! A process for each target: limited, watched, and its failures kept.

use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

use anyhow::Context as _;
use rlimit::Resource;

use crate::mutate::input;
use crate::targets::Target;

/// The address space of a target's process, in bytes.
const MEMORY: u64 = 512 << 20;

/// The processor time of a target's process between two starts, in seconds, and the inputs that it is for: a hang ends, and
/// nothing else does.
const SECONDS: u64 = 300;
const INPUTS: u64 = 20_000;

/// Limits this process.
pub fn limit() -> anyhow::Result<()> {
    rlimit::setrlimit(Resource::AS, MEMORY, MEMORY).context("the address space cannot be limited")?;
    rlimit::setrlimit(Resource::CPU, SECONDS, SECONDS).context("the processor time cannot be limited")?;
    rlimit::setrlimit(Resource::CORE, 0, 0).context("core dumps cannot be turned off")
}

/// Runs the inputs with the numbers in `inputs`, and writes each number to standard output before it is run.
pub fn child(target: &Target, seed: u64, inputs: Range<u64>) -> anyhow::Result<ExitCode> {
    limit()?;
    let corpus = (target.corpus)();
    // Libraries' panics that are caught are nothing to tell.
    static SAID: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|info| {
        if let Ok(mut said) = SAID.lock() {
            *said = info.to_string();
        }
    }));
    let mut out = std::io::stdout().lock();
    for number in inputs {
        let bytes = input(&corpus, target.words, seed, number);
        writeln!(out, "{number}")?;
        if panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_err() {
            let said = SAID.lock().map(|said| said.clone()).unwrap_or_default();
            writeln!(std::io::stderr(), "{said}")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs targets, two at a time.
pub fn run_all(targets: &[&Target], seed: u64, times: u64, keep: &Path) -> anyhow::Result<ExitCode> {
    println!("seed {seed}");
    let left = Mutex::new(targets.iter());
    let failures = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(target) = left.lock().ok().and_then(|mut left| left.next().copied()) {
                let count = target.inputs.saturating_mul(times);
                match run_one(target, seed, count, keep)? {
                    None => println!("{}: {count} inputs", target.name),
                    Some(failure) => failures.push(failure),
                }
            }
            anyhow::Ok(failures)
        };
        let workers = [scope.spawn(work), scope.spawn(work)];
        let ended = workers.map(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a worker panicked")));
        ended.into_iter().collect::<anyhow::Result<Vec<_>>>()
    })?;
    let failures: Vec<PathBuf> = failures.into_iter().flatten().collect();
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one target up to its first failure, and returns the file of that input.
fn run_one(target: &Target, seed: u64, count: u64, keep: &Path) -> anyhow::Result<Option<PathBuf>> {
    let mut from = 0;
    while from < count {
        let to = count.min(from + INPUTS);
        let program = std::env::current_exe().context("this program's file")?;
        let numbers = [seed, from, to].map(|number| number.to_string());
        let mut process =
            Command::new(program).arg("child").arg(target.name).args(numbers).stdout(Stdio::piped()).spawn()?;
        let out = process.stdout.take().context("its output is piped")?;
        let last = BufReader::new(out).lines().map_while(Result::ok).last();
        let status = process.wait()?;
        if !status.success() {
            let number = last.and_then(|last| last.parse().ok()).unwrap_or(from);
            std::fs::create_dir_all(keep)?;
            let path = keep.join(format!("{}-{seed}-{number}", target.name));
            std::fs::write(&path, input(&(target.corpus)(), target.words, seed, number))?;
            let file = path.display();
            println!("{}: input {number} of seed {seed} failed ({status}); it is in {file}", target.name);
            println!("    again: cargo run -p cyclescope-fuzz -- input {} {file}", target.name);
            return Ok(Some(path));
        }
        from = to;
    }
    Ok(None)
}
