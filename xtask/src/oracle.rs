//! `cargo xtask oracle`: the cores against implementations by other hands.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Subcommand;
use cyclescope_oracle::{KNOWN, Peer, lockstep, programs};

/// What to compare.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run random instruction streams here and on QEMU's Cortex-M0 (libunicorn), and compare all state.
    #[command(alias = "unicorn")]
    Qemu {
        /// Instructions to compare, at least.
        #[arg(long, default_value_t = 10_000_000)]
        count: u64,
        /// What the streams follow from.
        #[arg(long, default_value_t = lockstep::DEFAULT_SEED)]
        seed: u64,
        /// Print how often each encoding was executed, and what is left out and why.
        #[arg(long)]
        coverage: bool,
    },
    /// Run every bundled image for the micro:bit here and under QEMU, and compare what they print.
    Programs {
        /// Only images whose name contains this text.
        #[arg(long)]
        only: Option<String>,
    },
}

/// Runs the chore; fails when anything differs.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let passed = match &arguments.action {
        Action::Qemu { count, seed, coverage } => streams(*count, *seed, *coverage)?,
        Action::Programs { only } => whole_programs(only.as_deref().unwrap_or(""))?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn streams(count: u64, seed: u64, coverage: bool) -> anyhow::Result<bool> {
    let mut peer = Peer::start()?;
    let (major, minor, patch) = peer.version();
    let started = Instant::now();
    let mut shown = 0;
    let report = lockstep::run(&mut peer, seed, count, |done| {
        let percent = done * 100 / count.max(1);
        if percent > shown && std::io::stderr().is_terminal() {
            shown = percent;
            eprint!("\r{:>3} %", percent.min(100));
        }
    })?;
    if shown > 0 {
        eprint!("\r     \r");
    }
    if coverage {
        print!("{}", report.coverage);
    }
    if let Some(difference) = &report.difference {
        println!("{difference}");
    }
    for name in report.coverage.missing() {
        println!("never executed: {name} (a larger --count may reach it)");
    }
    for name in report.coverage.idle_excuses() {
        println!("excused from the streams without need: {name}; take it off the list in stream/rows.rs");
    }
    for known in &report.healed {
        println!("known difference that is none any more: {}; take it off the list in known.rs", known.what);
    }
    for known in KNOWN {
        println!("known: {}: {}", known.what, known.why);
    }
    println!(
        "{}: {} instructions in {} batches against libunicorn {major}.{minor}.{patch}, seed {seed}, {} of {} encodings \
         executed, {} excused, {:.0} s",
        if report.passed() { "no difference" } else { "FAILED" },
        report.instructions,
        report.batches,
        report.coverage.rows_executed(),
        report.coverage.rows(),
        report.coverage.rows_excused(),
        started.elapsed().as_secs_f64()
    );
    Ok(report.passed())
}

fn whole_programs(only: &str) -> anyhow::Result<bool> {
    let mut compared = 0;
    let mut failed = 0;
    for image in programs::images().filter(|image| image.name.contains(only)) {
        let comparison = programs::compare(image)?;
        compared += 1;
        match comparison.difference() {
            None => println!("same       {:<44} {:>11} instructions", comparison.name, comparison.instructions),
            Some(difference) => {
                failed += 1;
                println!("DIFFERENT  {:<44} {difference}", comparison.name);
            }
        }
        std::io::stdout().flush().context("cannot write to the terminal")?;
    }
    anyhow::ensure!(compared > 0, "no bundled image for the micro:bit has {only:?} in its name");
    println!("{} of {compared} programs print and exit the same here and under QEMU", compared - failed);
    Ok(failed == 0)
}
