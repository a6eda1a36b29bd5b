//! The files of `--vcd`.

use cyclescope_scope::{DumpTime, write_vcd};

use crate::backend::Dump;
use crate::error::CliError;
use crate::output::{Console, OutFile};

/// Writes the trace `seen` to `file` in units of `time`.
pub(super) fn dump(file: OutFile, time: DumpTime, seen: &Dump, console: &mut Console) -> Result<(), CliError> {
    let Dump { trace, part, exceptions } = seen;
    let mut bytes = Vec::new();
    write_vcd(trace, part, exceptions, time, &mut bytes).map_err(CliError::unwritable(file.path()))?;
    file.put(&bytes, &format!("{} changes", trace.entries.len()), console)?;
    if trace.lost > 0 {
        console.note(&format!("warning: {} later changes are not in it; a shorter run keeps all", trace.lost));
    }
    Ok(())
}
