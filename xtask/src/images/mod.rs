//! `cargo xtask images build|check`: makes the bundled firmware images, or says which of them no longer come out.

use std::process::ExitCode;

use clap::Subcommand;

mod application;
mod arduino;
mod build;
mod built;
mod c;
mod check;
mod elf;
mod list;
mod lowered;
mod luck;
mod manifest;
mod opt;
mod places;
mod relink;
mod rust;
mod store;
mod toolchain;
mod types;
mod windowed;

use list::List;
use places::Places;

/// Arguments of `cargo xtask images`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Build every image of firmware/images.toml and write images and manifests.
    Build {
        /// Build only images whose name contains this text, or all of several; the others stay as the manifest has them.
        #[arg(long)]
        only: Vec<String>,
    },
    /// Build images again in a scratch folder, and say which differ from the committed ones.
    Check {
        /// Check only images whose name contains this text, or all of several.
        #[arg(long)]
        only: Vec<String>,
        /// Check this many images, spread over the list, instead of all.
        #[arg(long)]
        sample: Option<usize>,
        /// Fail, too, when images could not be compared because a compiler is missing or another one.
        #[arg(long)]
        strict: bool,
    },
    /// Link programs in other orders, and check that the first one, placed as each of them for timing only, takes its cycles.
    Relink {
        /// Take only programs whose name contains this text, or all of several.
        #[arg(long)]
        only: Vec<String>,
        /// The number of orders of each program.
        #[arg(long, default_value_t = 50)]
        count: u64,
    },
    /// Link programs in other orders, and once more with 2 % more work: of two orders the difference must be luck, of more work a
    /// regression.
    Luck {
        /// The number of orders of each program, which are compared in pairs.
        #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(2..))]
        orders: u64,
        /// The number of layouts of each.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(2..))]
        layouts: u64,
    },
    /// Run images as their experiments do, and print for each the chip, the instructions that blocks retired, the per cent of them
    /// that compiled code carries out lowered, and the operations that it leaves to the interpreter most often.
    Lowered {
        /// Run only images whose name contains this text, or all of several.
        #[arg(long)]
        only: Vec<String>,
        /// Fail if an image has less than so many per cent.
        #[arg(long, default_value_t = 0.0)]
        least: f64,
    },
}

/// Runs the chore.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let places = Places::new()?;
    let list = List::read(&places.root)?;
    match &arguments.action {
        Action::Build { only } => build::build(&places, &list, only),
        Action::Check { only, sample, strict } => check::run(&places, &list, only, *sample, *strict),
        Action::Relink { only, count } => relink::run(&places, &list, only, *count),
        Action::Lowered { only, least } => lowered::run(only, *least),
        Action::Luck { orders, layouts } => luck::run(&places, &list, *orders, *layouts),
    }
}
