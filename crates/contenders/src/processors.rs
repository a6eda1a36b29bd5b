//! The processors that this process may use.

use std::io;

/// Restricts this process to the first `cpus` of its processors.
///
/// # Errors
/// There are fewer, or the system cannot do it.
#[cfg(target_os = "linux")]
pub(crate) fn restrict(cpus: usize) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    let this = nix::unistd::Pid::from_raw(0);
    let allowed = sched_getaffinity(this)?;
    let mut chosen = CpuSet::new();
    let mut left = cpus;
    for cpu in 0..CpuSet::count() {
        if left > 0 && allowed.is_set(cpu)? {
            chosen.set(cpu)?;
            left -= 1;
        }
    }
    if cpus == 0 || left > 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("only {} are available", cpus - left)));
    }
    Ok(sched_setaffinity(this, &chosen)?)
}

/// Fails: this system cannot restrict processors.
#[cfg(not(target_os = "linux"))]
pub(crate) fn restrict(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
