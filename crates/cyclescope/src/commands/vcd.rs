//! What `--vcd` writes.

use std::path::Path;

use cyclescope_scope::{DumpTime, write_vcd};

use crate::backend::Dump;
use crate::cli::VcdTime;
use crate::error::CliError;
use crate::output::{Console, OutFile};

/// Writes what happened to `file`, which is to be at `path`.
pub(super) fn dump(
    file: OutFile,
    path: &Path,
    time: VcdTime,
    seen: &Dump,
    console: &mut Console,
) -> Result<(), CliError> {
    let time = match time {
        VcdTime::Cycles => DumpTime::Cycles,
        VcdTime::Femtoseconds => DumpTime::Femtoseconds,
    };
    let Dump { trace, part, clock, exceptions } = seen;
    let mut bytes = Vec::new();
    write_vcd(trace, part, *clock, exceptions, time, &mut bytes)
        .map_err(|error| CliError::Write { path: path.to_owned(), error })?;
    file.commit(&bytes)?;
    let (kept, lost) = (trace.entries.len(), trace.lost);
    console.note(&format!("wrote {kept} changes to {}", path.display()));
    if lost > 0 {
        console.note(&format!("warning: {lost} later changes are not in it; a shorter run keeps all"));
    }
    Ok(())
}
