//! The real process over what is bundled: a guest from its ELF to its exit code, an experiment from image to records.

use std::path::PathBuf;

use assert_cmd::Command;
use cyclescope::records::RecordFile;
use predicates::prelude::*;
use predicates::str::contains;

fn cyclescope() -> Command {
    Command::cargo_bin("cyclescope").expect("built with the tests")
}

/// The ELF of the bundled image that `wanted` chooses, written to `folder`.
fn bundled(folder: &tempfile::TempDir, wanted: impl Fn(&cyclescope_images::Image) -> bool) -> PathBuf {
    let image = cyclescope_images::images().iter().find(|image| wanted(image)).expect("there is such an image");
    let path = folder.path().join(image.name);
    std::fs::write(&path, image.elf().expect("it unpacks")).expect("the folder is ours");
    path
}

/// The same of an image for a core alone, which only the checkout holds.
fn for_a_core(folder: &tempfile::TempDir, wanted: impl Fn(&cyclescope_oracle_images::Image) -> bool) -> PathBuf {
    let image = cyclescope_oracle_images::images().iter().find(|image| wanted(image)).expect("there is such an image");
    let path = folder.path().join(image.name);
    std::fs::write(&path, image.elf().expect("it unpacks")).expect("the folder is ours");
    path
}

#[test]
fn a_guest_prints_and_ends_as_it_would_on_its_board() {
    let folder = tempfile::tempdir().unwrap();
    let semihosting = for_a_core(&folder, |image| image.chip == "cortex-m0plus" && image.mode == "plain");
    cyclescope()
        .args(["exec", "--chip", "cortex-m0plus"])
        .arg(&semihosting)
        .assert()
        .success()
        .stdout(contains("found a prime number 10 268435631\n").and(contains("cyclescope primes contender=")));
    cyclescope()
        .args(["exec", "--chip", "cortex-m0plus", "--max-cycles", "12345"])
        .arg(&semihosting)
        .assert()
        .code(82)
        .stderr(contains("budget of cycles (at cycle 12,34").and(contains("--max-cycles")));
    cyclescope()
        .args(["exec", "--chip", "cortex-m0plus", "--max-output", "100"])
        .arg(&semihosting)
        .assert()
        .code(83)
        .stderr(contains("--max-output"));
}

#[test]
fn an_image_for_another_part_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elf = for_a_core(&folder, |image| image.chip == "cortex-m0plus");
    cyclescope().args(["exec", "--chip", "stm32c031c6"]).arg(&elf).assert().code(65).stderr(contains("outside RAM"));
    cyclescope()
        .args(["exec", "--chip", "stm32c031"])
        .arg(&elf)
        .assert()
        .code(2)
        .stderr(contains("did you mean `stm32c031c6`, "));
}

#[test]
fn defmt_frames_come_out_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let elf = bundled(&folder, |image| image.channel == "defmt" && image.mode == "plain");
    // The board's program ends asleep, with its interrupts masked.
    cyclescope()
        .args(["exec", "--chip", "stm32c031c6"])
        .arg(&elf)
        .assert()
        .code(81)
        .stdout(predicates::str::starts_with("found a prime number 1 268435459\n"));
}

#[test]
fn the_same_run_gives_the_same_bytes_on_any_number_of_threads() {
    let ask = |jobs: &str| {
        let chosen = ["run", "primes", "--contender", "rust-plain", "--opt", "3", "--chip", "stm32c031c6,stm32l476rg"];
        let output = cyclescope().args(chosen).args(["--format", "json", "--jobs", jobs]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let one = ask("1");
    assert_eq!(ask("2"), one);
    let file = RecordFile::from_json(&one).unwrap();
    for mode in ["plain", "one", "two"] {
        assert!(file.records.iter().any(|record| record.mode == mode && record.metric == "elapsed"), "{mode}");
    }
}

#[test]
fn chips_without_images_are_answered_with_those_that_have_some() {
    cyclescope()
        .args(["run", "button", "--chip", "stm32g431kb,stm32f103c8"])
        .assert()
        .code(2)
        .stderr(contains("is for stm32g431kb, stm32f103c8; there are some for nrf52840, rp2040, stm32c031c6, stm32f4"));
}

#[test]
fn a_choice_that_leaves_nothing_is_told() {
    cyclescope()
        .args(["run", "primes", "--contender", "embassy", "--mode", "two-sliced"])
        .assert()
        .code(2)
        .stderr(contains("no bundled image matches"));
}
