//! The share of each image's retired instructions that compiled code carries out lowered, not by calling their bodies.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use cyclescope_chips::{LoweredShare, MemorySetting, Tier, take_lowered_share};
use cyclescope_experiments::{Job, Selection, Watch};

/// The operations without a lowering that are named for an image.
const NAMED: usize = 5;

/// The columns of the summary.
const SUMMARY: &str = "| chip | experiment | images | least | median | the least of |\n|---|---|---:|---:|---:|---|";

/// Runs the images whose names contain all of `only` as their experiments do, and prints a table of all and a summary. Fails if an
/// image has less than `least` per cent.
pub fn run(only: &[String], least: f64) -> anyhow::Result<ExitCode> {
    Tier::Counted.choose().map_err(anyhow::Error::msg)?;
    let selection = Selection { memory: vec![MemorySetting::Shipped], ..Selection::default() };
    let mut summary: BTreeMap<(&str, &str), Vec<(f64, &str)>> = BTreeMap::new();
    for experiment in cyclescope_experiments::all().iter().filter(|experiment| !experiment.is_host()) {
        for job in experiment.jobs(&selection) {
            let Job::Image(own) = &job else { continue };
            let image = own.image;
            if !only.iter().all(|text| image.name.contains(text)) {
                continue;
            }
            take_lowered_share();
            experiment.run(&job, Watch::NOBODY).with_context(|| image.name)?;
            let counted = take_lowered_share();
            let instructions = counted.instructions();
            let share = if instructions == 0 { 0.0 } else { 100.0 * counted.lowered as f64 / instructions as f64 };
            let (chip, mode) = (image.chip, &own.mode);
            println!("{} {mode} {chip} {instructions} {share:.1} {}", image.name, bodies(&counted));
            if instructions > 0 {
                summary.entry((chip, image.experiment)).or_default().push((share, image.name));
            }
        }
    }
    ensure!(!summary.is_empty(), "no such image, or none that is lowered");
    println!("\n{SUMMARY}");
    let mut below = 0;
    for ((chip, experiment), mut shares) in summary {
        shares.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let ((first, name), (median, _)) = (shares[0], shares[shares.len() / 2]);
        println!("| `{chip}` | {experiment} | {} | {first:.1} % | {median:.1} % | `{name}` |", shares.len());
        below += shares.iter().filter(|(share, _)| *share < least).count();
    }
    if below > 0 {
        eprintln!("{below} runs have less than {least} %");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The operations left to bodies that retire most, with their shares in per cent.
fn bodies(counted: &LoweredShare) -> String {
    let mut bodies: Vec<_> = counted.bodies.iter().map(|(name, count)| (*count, name)).collect();
    bodies.sort_by(|a, b| b.cmp(a));
    let share = |count: u64| 100.0 * count as f64 / counted.instructions() as f64;
    bodies.iter().take(NAMED).map(|(count, name)| format!("{name} {:.1}", share(*count))).collect::<Vec<_>>().join(", ")
}
