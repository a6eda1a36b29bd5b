//! Bundled images as files, and sweeps over them.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use cyclescope_sweep::{Ended, Parts, Plan, Sweep, SweepError, run};
use tempfile::TempDir;

/// A program that answers a button.
pub const BUTTON: &str = "button-freertos-interrupt-s-stm32c031c6";

/// A plan over `BUTTON`: 2 memory settings, 4 layouts, 3 seeds.
pub const PLAN: &str = "
chip = ['stm32c031c6']
memory = ['shipped', 'ideal']
layouts = 3
seeds = {from = 1, count = 3}
span = ['answer=pin:PC13:edge..symbol:cyclescope_button_runs']
stimulus = ['presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1']
for = '20ms'
chunk-cycles = 1_000_000
[[image]]
elf = 'button.elf'
";

/// A folder with the bundled image `name` as `button.elf`.
pub fn folder(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    unpack(name, &folder.path().join("button.elf"));
    folder
}

/// Writes the bundled image `name` to `path`.
pub fn unpack(name: &str, path: &Path) {
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("it is bundled");
    std::fs::write(path, image.elf().expect("it unpacks")).expect("the folder is ours");
}

/// `jobs` as a number of threads.
pub fn jobs(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).expect("not zero")
}

/// The sweep of `plan` in `folder`.
pub fn sweep(folder: &Path, plan: &str) -> Result<Arc<Sweep>, SweepError> {
    Sweep::load(Plan::from_toml(plan)?.below(folder)?, jobs(2), &|| false).map(Arc::new)
}

/// Runs `sweep` on `threads` threads, and returns the bytes of its results at `out`.
pub fn whole(sweep: &Arc<Sweep>, out: &Path, threads: usize) -> Vec<u8> {
    let parts = Parts::open(out, sweep).expect("a new folder");
    assert_eq!(run(&parts, jobs(threads), &|| false, &|_, _| {}).expect("it runs"), Ended::Whole);
    parts.join(out).expect("all are there");
    parts.remove().expect("it is ours");
    std::fs::read(out).expect("it is there")
}
