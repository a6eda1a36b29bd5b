//! Options of `explain` where it cannot run: all are taken, and none is looked at.

use std::ffi::OsString;

use clap::Args;

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// Nothing can be asked on this system
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub arguments: Vec<OsString>,
}
