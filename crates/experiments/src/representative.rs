//! The run that stands for an experiment where one run of it is shown, as on the HTML page.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_chips::MemorySetting;
use cyclescope_records::{Record, Scalar};
use cyclescope_scope::{Rule, Time};

/// A bundled image that stands for one experiment of `records`, and how it ran there.
pub struct Representative {
    /// The image.
    pub bundled: &'static cyclescope_images::Image,
    /// The stimuli.
    pub rules: Vec<Rule>,
    /// The length of the run.
    pub window: Time,
    /// The flash settings.
    pub memory: MemorySetting,
    /// The attached devices, as `--attach` takes them.
    pub attached: Vec<String>,
}

/// The length of a representative's run in nanoseconds: from reset, or from the start of the stimuli, so that some have come.
const LOOK: u64 = 100_000_000;
const LOOK_AT_STIMULI: u64 = 300_000_000;
/// The same with devices, so that they have been talked to.
const LOOK_AT_DEVICES: u64 = 350_000_000;

/// Begins the parameters that name attached devices.
const ATTACHED: &str = "attach.";

/// For each experiment whose images are bundled, one of them: a kernel with tasks to see where there is one, on the first
/// chip that was measured.
pub fn representatives(records: &[Record]) -> Vec<Representative> {
    /// Contenders that show most on a timeline, and modes that do.
    const CONTENDERS: [&str; 3] = ["freertos", "embassy", "crates-embassy-dma"];
    const MODES: [&str; 3] = ["interrupt", "two", "i2c-400"];
    let bundled: BTreeMap<&str, &'static cyclescope_images::Image> =
        cyclescope_images::images().iter().map(|image| (image.sha256, image)).collect();
    let mut chosen: Vec<((usize, usize), &Record, &'static cyclescope_images::Image)> = Vec::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for record in records {
        let Some(image) = record.image_sha256.as_deref().and_then(|hash| bundled.get(hash).copied()) else { continue };
        if !seen.insert((&record.experiment, &record.mode)) && image.contender != CONTENDERS[0] {
            continue;
        }
        let place = |names: &[&str], name: &str| names.iter().position(|known| *known == name).unwrap_or(names.len());
        let rank = (place(&MODES, &record.mode), place(&CONTENDERS, &record.contender));
        match chosen.iter_mut().find(|(_, known, _)| known.experiment == record.experiment) {
            Some(known) if rank < known.0 => *known = (rank, record, image),
            Some(_) => {}
            None => chosen.push((rank, record, image)),
        }
    }
    chosen.into_iter().map(|(_, record, bundled)| representative(record, bundled)).collect()
}

fn representative(record: &Record, bundled: &'static cyclescope_images::Image) -> Representative {
    let rules: Vec<Rule> = match record.params.get("stimulus") {
        Some(Scalar::Text(text)) => text.parse().into_iter().collect(),
        _ => Vec::new(),
    };
    let setting = record.settings.get("memory").map(Scalar::to_string).unwrap_or_default();
    let others = [MemorySetting::Shipped, MemorySetting::Ideal];
    let memory = others.into_iter().find(|one| one.name() == setting).unwrap_or(MemorySetting::Equal);
    let attached: Vec<String> =
        record.params.iter().filter(|(name, _)| name.starts_with(ATTACHED)).map(|(_, text)| text.to_string()).collect();
    let window = match (rules.is_empty(), attached.is_empty()) {
        (true, true) => LOOK,
        (true, false) => LOOK_AT_DEVICES,
        // What is pressed is pressed from 300 ms on (experiments/button.toml).
        (false, _) => 300_000_000 + LOOK_AT_STIMULI,
    };
    Representative { bundled, rules, window: Time::nanoseconds(window), memory, attached }
}
