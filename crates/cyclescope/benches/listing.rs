//! Millions of instructions a second into a listing, beside the counters alone over the same run:
//! `cargo bench -p cyclescope --bench listing`.

use std::ffi::OsString;
use std::path::Path;

use cyclescope::{Simulator, example_image};
use divan::Bencher;
use divan::counter::ItemsCount;

/// An image that computes all the time, its chip, and how long it runs.
const RUN: (&str, &str, &str) = ("primes-embassy-one-3-stm32f446ze", "stm32f446ze", "1s");

/// The use of the instructions.
#[derive(Clone, Copy, Debug)]
enum To {
    Counters,
    Nowhere,
    File,
}

/// `profile` of the image at `elf`, its results in the same folder.
fn profile(elf: &Path, to: To) {
    let (_, chip, time) = RUN;
    let beside = |name: &str| elf.with_file_name(name).into_os_string();
    let mut words: Vec<OsString> = ["cyclescope", "profile"].map(OsString::from).to_vec();
    words.push(elf.as_os_str().to_owned());
    words.extend(
        ["--chip", chip, "--for", time, "--guest-output", "none", "--format", "json", "--out"].map(OsString::from),
    );
    words.push(beside("out.json"));
    match to {
        To::Counters => {}
        To::Nowhere => words.extend(["--listing", "/dev/null"].map(OsString::from)),
        To::File => words.extend(["--listing".into(), beside("listing.txt")]),
    }
    let exit = cyclescope::run(words, &Simulator);
    assert_eq!(exit, cyclescope::exit::Exit::Success);
}

#[divan::bench(args = [To::Counters, To::Nowhere, To::File], sample_count = 5, sample_size = 1)]
fn listing(bencher: Bencher, to: &To) {
    let folder = tempfile::tempdir().expect("there is room");
    let elf = folder.path().join("image.elf");
    std::fs::write(&elf, example_image(RUN.0).expect("a bundled image")).expect("the folder is ours");
    profile(&elf, To::Counters);
    let text = std::fs::read_to_string(folder.path().join("out.json")).expect("it is written");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let instructions = file["total"]["instructions"].as_u64().expect("it is a number");
    bencher.counter(ItemsCount::new(instructions)).bench(|| profile(&elf, *to));
}

fn main() {
    divan::main();
}
