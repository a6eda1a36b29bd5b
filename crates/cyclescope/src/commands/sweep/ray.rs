//! Chunks on Ray, by the Python package of the same version.

use std::path::PathBuf;
use std::process::Command;

use crate::cli::sweep::SweepArguments;
use crate::error::CliError;
use crate::exit::Exit;

/// The variable that names another Python.
const PYTHON: &str = "CYCLESCOPE_PYTHON";

/// Has Python run the sweep on the cluster at `address`. Returns how it ended.
///
/// # Errors
/// [`CliError::Python`] if there is none, [`CliError::NoPackage`] if it lacks the package of this version.
pub(super) fn run(arguments: &SweepArguments, address: &str) -> Result<Exit, CliError> {
    let program = PathBuf::from(std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into()));
    let started = |error| CliError::Python { program: program.clone(), error };
    let version = "import cyclescope; print(cyclescope.__version__)";
    let found = Command::new(&program).args(["-c", version]).output().map_err(started)?;
    if !found.status.success() || found.stdout.trim_ascii() != env!("CARGO_PKG_VERSION").as_bytes() {
        return Err(CliError::NoPackage(program));
    }
    let mut python = Command::new(&program);
    python.args(["-m", "cyclescope", "sweep"]).arg(&arguments.plan).arg("--out").arg(&arguments.out);
    python.arg("--address").arg(address);
    if arguments.keep_parts {
        python.arg("--keep-parts");
    }
    // Ctrl-C goes to both: this process waits until the other has kept what was done.
    let status = python.status().map_err(started)?;
    Ok(status.code().map_or(Exit::Internal, of_code))
}

/// Returns the exit that has the code `code`.
fn of_code(code: i32) -> Exit {
    let known = [
        Exit::Success,
        Exit::Usage,
        Exit::BadInput,
        Exit::NoInput,
        Exit::NoOutput,
        Exit::WrongOutput,
        Exit::Interrupted,
    ];
    known.into_iter().find(|exit| i32::from(exit.code()) == code).unwrap_or(Exit::Internal)
}
