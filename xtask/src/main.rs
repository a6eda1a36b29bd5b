//! The repository's own chores, run as `cargo xtask …`. One module a subcommand; this file only dispatches.

use clap::{Parser, Subcommand};

mod images;

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
}

fn main() -> anyhow::Result<std::process::ExitCode> {
    match Arguments::parse().chore {
        Chore::Images(arguments) => images::run(&arguments),
    }
}
