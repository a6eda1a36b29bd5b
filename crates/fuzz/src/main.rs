//! Feeds damaged inputs to everything that reads what strangers hand in.
//!
//! A target is a plain function of bytes (`targets.rs`). Its inputs are seeds (`corpus.rs`) with mutations (`mutate.rs`); input
//! number N of a seed is always the same. Each target runs in a process of its own with 512 MB of address space (`child.rs`). A
//! panic, an abort, or minutes for one input is a failure: the input is written to a file and its path is told.

mod child;
mod corpus;
mod mutate;
mod recordings;
mod targets;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};

use self::targets::{TARGETS, Target};

/// Feeds damaged inputs to everything that reads what strangers hand in.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs targets, two at a time
    Run {
        /// Only these targets
        targets: Vec<String>,
        /// Multiplies each target's number of inputs
        #[arg(long, default_value_t = 1)]
        times: u64,
        /// The seed of the mutations; `random` draws one and prints it
        #[arg(long, default_value = "1")]
        seed: String,
        /// The folder for inputs that fail
        #[arg(long, default_value = "target/fuzz")]
        keep: PathBuf,
    },
    /// Runs one target on files
    Input {
        /// The target
        target: String,
        /// Files, as a failure leaves them
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Writes the seeds of a target to a folder
    Seeds {
        /// The target
        target: String,
        /// The folder
        folder: PathBuf,
    },
    /// Runs inputs of one target in this process and writes the number of each to standard output
    #[command(hide = true)]
    Child { target: String, seed: u64, from: u64, to: u64 },
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Run { targets, times, seed, keep } => {
            let seed = if seed == "random" { fastrand::u64(..) } else { seed.parse().context("--seed is a number")? };
            let chosen: Vec<&Target> = match targets.as_slice() {
                [] => TARGETS.iter().collect(),
                names => names.iter().map(|name| target(name)).collect::<anyhow::Result<_>>()?,
            };
            child::run_all(&chosen, seed, times, &keep)
        }
        Command::Input { target: name, files } => {
            let target = target(&name)?;
            child::limit()?;
            for path in files {
                (target.run)(&std::fs::read(&path).with_context(|| path.display().to_string())?);
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Seeds { target: name, folder } => {
            std::fs::create_dir_all(&folder)?;
            for (number, seed) in (target(&name)?.corpus)().iter().enumerate() {
                std::fs::write(folder.join(number.to_string()), seed)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Child { target: name, seed, from, to } => child::child(target(&name)?, seed, from..to),
    }
}

fn target(name: &str) -> anyhow::Result<&'static Target> {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("there is no target `{name}`; there are {}", names.join(", "));
    };
    Ok(target)
}
