//! The child's side: does what it is asked and says what it took.

use std::io::{self, Write};
use std::path::Path;

use crate::spec::{Account, Spec, Work};
use crate::{count, join, walk, yielding};

/// Allocations so far, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// How many blocks were asked for, growing ones included.
    pub blocks: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Asks a counting allocator, in programs that have one.
pub type AskAllocator = fn() -> Allocated;

/// How a child ends whose specification cannot be read.
const BAD_SPEC: u8 = 2;

/// Does what `spec` (JSON) asks, on `root` for a walk. Output goes to standard output; standard error ends with the
/// [`Account`]. Returns the code to exit with.
pub fn run(spec: &str, root: Option<&Path>, allocator: Option<AskAllocator>) -> u8 {
    let complain = |text: String| {
        // Nobody can be told that standard error is closed.
        let _ = writeln!(io::stderr(), "{text}");
        BAD_SPEC
    };
    let spec: Spec = match serde_json::from_str(spec) {
        Ok(spec) => spec,
        Err(error) => return complain(format!("this is no work for a contender: {error}")),
    };
    if let Some(cpus) = spec.cpus
        && let Err(error) = crate::process::restrict(cpus)
    {
        return complain(format!("this process cannot be kept to {cpus} processors: {error}"));
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
    let _ = writeln!(io::stderr(), "{}{text}", Account::MARK);
    0
}

/// The most memory that was resident since this program began, as Linux says it of its address space. What `wait4` says
/// is the most of the process, in which its parent's memory counts from before it became this program.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
