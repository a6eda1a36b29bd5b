//! The `cyclescope` command. All of it is in the library; this file ends the process.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use cyclescope::Simulator;

fn main() -> ExitCode {
    cyclescope::run(std::env::args_os(), &Simulator).into()
}
