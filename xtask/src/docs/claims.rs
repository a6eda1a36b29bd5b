//! `docs/claims.md`: common claims about concurrency runtimes, tested with the records.
//!
//! The experiments on chips have run for their pages. Those on the host take a machine's time for themselves and never give the same
//! twice: their records are kept beside the results, as one run made them.

use std::path::Path;

use super::results::{cyclescope, experiments, records, settle};

const PAGE: &str = "docs/claims.md";

/// The records of runs on the host; how to make them anew stands in the page.
const HOST: [&str; 2] = ["docs/results/dirwalk.json", "docs/results/dirwalk-operation.json"];

const HEAD: &str = "# Common claims, tested with the records\n\n\
    Written by `cargo xtask docs`; do not edit. Each claim is a relation between figures of an experiment \
    (`experiments/claims.toml`): every two figures that differ only in what \
    the claim is about are compared. `cyclescope claims RESULTS.json` does the same with your own records. Figures on chips are exact for these \
    images on these models, and for no others. Figures on the host come from one machine \
    (`cyclescope run dirwalk --thorough --mode walk --format json --out docs/results/dirwalk.json`, and \
    `--mode operation` for `dirwalk-operation.json`) and count only where they differ by more than noise.\n\n";

/// Writes the page from the records of the pages of results, or with `check` fails where it is not what a run gives.
pub fn refresh(root: &Path, check: bool) -> anyhow::Result<()> {
    let files: Vec<String> = experiments(root)?.keys().map(|name| records(root, name)).collect::<Result<_, _>>()?;
    let files = files.iter().map(String::as_str);
    let arguments: Vec<&str> =
        ["claims"].into_iter().chain(files).chain(HOST).chain(["--format", "markdown"]).collect();
    let new = HEAD.to_owned() + &cyclescope(root, &arguments)?;
    settle(&root.join(PAGE), &new, check)
}
