//! The repository's own chores, run as `cargo xtask …`. One module a subcommand; this file only dispatches.

use clap::{Parser, Subcommand};

mod docs;
mod images;
mod oracle;
mod package;
mod wasm;

/// Chores of the cyclescope repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the bundled firmware images, or check that they can be built again.
    Images(images::Arguments),
    /// Write the tables of docs/timing.md from the timing rows and docs/results from runs, or check that they are so.
    Docs(docs::Arguments),
    /// Compare the cores with implementations by other hands.
    Oracle(oracle::Arguments),
    /// Pack the crates that are published, in their order, and check that a registry takes them.
    Package(package::Arguments),
    /// Build the core for browsers, and the playground, a page that runs firmware.
    Wasm(wasm::Arguments),
}

fn main() -> anyhow::Result<std::process::ExitCode> {
    match Arguments::parse().chore {
        Chore::Images(arguments) => images::run(&arguments),
        Chore::Docs(arguments) => docs::run(&arguments),
        Chore::Oracle(arguments) => oracle::run(&arguments),
        Chore::Package(arguments) => package::run(&arguments),
        Chore::Wasm(arguments) => wasm::run(&arguments),
    }
}
