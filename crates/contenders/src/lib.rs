//! The contenders on the host: each process does one kind of work in one variant, prints its account and ends.
//!
//! [`run`] is the child's side of [`cyclescope_host::process`]: the `cyclescope` program calls it where its first argument says so.
//! The specifications and accounts of all work are `cyclescope_host`'s, so that what plans, judges and shows it builds without
//! the runtimes.
#![forbid(unsafe_code)]

mod count;
mod hop;
mod join;
mod processors;
mod walk;
mod yielding;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cyclescope_host::spec::{Account, Spec, Work};

pub use crate::count::{Allocated, AskAllocator};

/// The exit code if the specification cannot be read.
const BAD_SPEC: u8 = 2;

/// Does the work of `spec` (JSON), on `root` for a walk. Output goes to standard output; standard error ends with the
/// [`Account`]. Returns the exit code.
pub fn run(spec: &str, root: Option<&Path>, allocator: Option<AskAllocator>) -> u8 {
    let complain = |text: String| {
        // Nothing can be done if standard error is closed.
        let _ = writeln!(io::stderr(), "{text}");
        BAD_SPEC
    };
    let spec: Spec = match serde_json::from_str(spec) {
        Ok(spec) => spec,
        Err(error) => return complain(format!("the specification cannot be read: {error}")),
    };
    if let Some(cpus) = spec.cpus
        && let Err(error) = processors::restrict(cpus)
    {
        return complain(format!("this process cannot be restricted to {cpus} processors: {error}"));
    }
    if spec.count {
        count::on();
    }
    let mut account = Account::default();
    match &spec.work {
        Work::Walk(walk) => {
            let Some(root) = root else { return complain("a walk needs a root".to_owned()) };
            match walk::run(walk, root) {
                Ok(counts) => account.counts = spec.count.then_some(counts),
                Err(why) => account.absent = Some(why),
            }
        }
        Work::Hop(hop) => {
            let Some(root) = root else { return complain("an operation needs an entry".to_owned()) };
            match hop::run(hop, root, allocator) {
                Ok(hop) => account.hop = Some(hop),
                Err(why) => account.absent = Some(why),
            }
        }
        Work::Join(join) => account.join = Some(join::run(join, allocator)),
        Work::Yield(yielding) => account.yielding = Some(yielding::run(yielding)),
    }
    account.peak_bytes = peak();
    let text = serde_json::to_string(&account).expect("numbers and strings can be written");
    let _ = writeln!(io::stderr(), "{}{text}", Account::PREFIX);
    0
}

/// Returns the peak resident memory since this program began, from Linux's account of its address space. The peak from
/// `wait4` would include the parent's memory before this program replaced it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Does the work that `arguments` ask for: its specification, and the root of a walk. Returns the exit code of [`run`].
pub fn run_arguments(mut arguments: impl Iterator<Item = OsString>, allocator: AskAllocator) -> ExitCode {
    let spec = arguments.next().map(|spec| spec.to_string_lossy().into_owned()).unwrap_or_default();
    let root = arguments.next().map(PathBuf::from);
    ExitCode::from(run(&spec, root.as_deref(), Some(allocator)))
}
