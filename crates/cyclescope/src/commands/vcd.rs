//! The files of `--vcd`.

use cyclescope_scope::{DumpTime, write_vcd};

use crate::backend::Dump;
use crate::commands::counted;
use crate::error::CliError;
use crate::output::{Console, OutFile};

/// Writes the trace `seen` to `file` in units of `time`.
pub(super) fn dump(file: OutFile, time: DumpTime, seen: &Dump, console: &mut Console) -> Result<(), CliError> {
    let Dump { trace, part, exceptions } = seen;
    let mut bytes = Vec::new();
    write_vcd(trace, part, exceptions, time, &mut bytes).map_err(CliError::unwritable(file.path()))?;
    file.put(&bytes, &counted(trace.entries.len() as u64, "change", "changes"), console)?;
    if trace.lost > 0 {
        let lost = counted(trace.lost, "later change is", "later changes are");
        console.note(&format!("warning: {lost} not in the file; a shorter run keeps all"));
    }
    Ok(())
}
