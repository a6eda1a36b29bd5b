//! The child's side: does the requested work and prints its account.

use std::io::{self, Write};
use std::path::Path;

pub use crate::count::{Allocated, AskAllocator};
use crate::spec::{Account, Spec, Work};
use crate::{count, join, walk, yielding};

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
        && let Err(error) = crate::process::restrict(cpus)
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
            let counts = walk::run(walk, root);
            account.counts = spec.count.then_some(counts);
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
