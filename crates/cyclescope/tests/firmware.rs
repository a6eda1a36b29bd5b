//! Firmware as strangers have it: without a chip's name on the command line, without symbols, and in several files.

use crate::common;
use crate::elf;

use std::path::Path;

use common::contents::{intel_hex, loaded};
use common::{cyclescope, folder, text, unpack};

const EMBASSY: &str = "primes-embassy-one-s-stm32f446ze";
const C: &str = "primes-c-plain-plain-s-stm32c031c6";

/// Writes `text` to `path`, whose folders are made.
fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is ours");
    std::fs::write(path, text).expect("the folder is ours");
}

/// `runs`, each an address and bytes, as UF2 of blocks of 256 bytes.
pub fn uf2(runs: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let pieces = runs.iter().flat_map(|(address, bytes)| (*address..).step_by(256).zip(bytes.chunks(256)));
    let pieces: Vec<(u32, &[u8])> = pieces.collect();
    let mut file = Vec::new();
    for (number, (address, bytes)) in pieces.iter().enumerate() {
        let words = [0x0A32_4655, 0x9E5D_5157, 0, *address, bytes.len() as u32, number as u32, pieces.len() as u32, 0];
        let begin = file.len();
        file.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
        file.extend(*bytes);
        file.resize(begin + 508, 0);
        file.extend(0x0AB1_6F30_u32.to_le_bytes());
    }
    file
}

#[test]
fn a_firmware_without_an_elf_runs_the_same_cycles() {
    let folder = folder();
    unpack(C, &folder.path().join("a.elf"));
    let runs = loaded(&common::elf(C));
    write(&folder.path().join("a.hex"), intel_hex(&runs));
    let measured = |file: &str| {
        let arguments = ["profile", file, "--chip", "STM32C031C6T6", "--until", "time:2ms", "--format", "json"];
        let run = cyclescope(folder.path(), &arguments);
        assert!(run.status.success(), "{}", text(&run.stderr));
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let code = json["instructions"].as_array().expect("a list").clone();
        code.into_iter().map(|one| (one["address"].as_u64(), one["own"].to_string())).collect::<Vec<_>>()
    };
    let elf = measured("a.elf");
    assert!(elf.len() > 100 && elf == measured("a.hex"), "{} instructions", elf.len());
}

#[test]
fn a_file_beside_the_firmware_is_in_memory_and_needs_an_address_or_has_one() {
    let folder = folder();
    let bytes = common::elf(C);
    let runs = loaded(&bytes);
    // The firmware in two files: its beginning, and the rest as a binary.
    let (head, tail) = runs[0].1.split_at(0x200);
    write(&folder.path().join("head.hex"), intel_hex(&[vec![(runs[0].0, head.to_vec())], runs[1..].to_vec()].concat()));
    write(&folder.path().join("tail.bin"), tail);
    let place = format!("tail.bin@{:#x}", runs[0].0 + 0x200);
    let run = |arguments: &[&str]| {
        cyclescope(folder.path(), &[&["exec", "head.hex", "--chip", "stm32c031c6"], arguments].concat())
    };
    let whole = run(&["--load", &place]);
    unpack(C, &folder.path().join("a.elf"));
    let elf = cyclescope(folder.path(), &["exec", "a.elf", "--chip", "stm32c031c6"]);
    assert_eq!((whole.status.code(), text(&whole.stdout)), (elf.status.code(), text(&elf.stdout)));
    assert!(!elf.stdout.is_empty(), "{}", text(&elf.stderr));

    let nowhere = run(&["--load", "tail.bin"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(text(&nowhere.stderr).contains("--load tail.bin@0x08020000"), "{}", text(&nowhere.stderr));
    let over = run(&["--load", "tail.bin@0x08000100"]);
    assert_eq!(over.status.code(), Some(65));
    assert!(
        text(&over.stderr).contains("head.hex and tail.bin both have bytes for 0x08000100 to 0x080001ff"),
        "{}",
        text(&over.stderr)
    );
    let outside = run(&["--load", "tail.bin@0x0A000000"]);
    assert_eq!(outside.status.code(), Some(65));
    let wrong = run(&["--load", "tail.bin@0x08000x"]);
    assert_eq!(wrong.status.code(), Some(2));
    let word = run(&["--load", "tail.bin@flash"]);
    assert_eq!(word.status.code(), Some(2));
    for part in ["there is no file tail.bin@flash, and `flash` is no address", "--load tail.bin@0x08020000"] {
        assert!(text(&word.stderr).contains(part), "{}", text(&word.stderr));
    }
}

#[test]
fn the_chip_comes_from_the_project_around_the_firmware() {
    let cases = [
        (".cargo/config.toml", "[target.thumbv7em-none-eabihf]\nrunner = 'probe-rs run --chip STM32F446ZETx'\n"),
        ("Embed.toml", "[default.general]\nchip = 'STM32F446ZE'\n"),
        ("Cargo.toml", "[dependencies]\nembassy-stm32 = { version = '0.4', features = ['stm32f446ze'] }\n"),
    ];
    for (file, content) in cases {
        let folder = folder();
        // Without its debug information, which names the register crate.
        let runs = intel_hex(&loaded(&common::elf(EMBASSY)));
        write(&folder.path().join("app/target/thumbv7em-none-eabihf/release/app.hex"), runs);
        write(&folder.path().join("app").join(file), content);
        let run = cyclescope(
            &folder.path().join("app"),
            &["profile", "target/thumbv7em-none-eabihf/release/app.hex", "--for", "1ms"],
        );
        let said = text(&run.stderr);
        assert!(run.status.success(), "{file}: {said}");
        assert!(said.contains("chip stm32f446ze, ") && said.contains(file), "{file}: {said}");
    }
}

#[test]
fn memories_name_a_chip_where_they_fit_one_line_alone() {
    let folder = folder();
    write(&folder.path().join("app/a.elf"), elf::image(&[("main", 4)]));
    let said = |flash: u32, ram: u32| {
        let memories = format!(
            "MEMORY {{\n FLASH : ORIGIN = 0x08000000, LENGTH = {flash}K\n RAM : ORIGIN = 0x20000000, LENGTH = {ram}K\n}}\n"
        );
        write(&folder.path().join("app/memory.x"), memories);
        text(&cyclescope(&folder.path().join("app"), &["exec", "a.elf", "--for", "1us"]).stderr)
    };
    let one = said(32, 12);
    assert!(one.contains("chip stm32c031c6, taken from memory.x, which fits"), "{one}");
    let several = said(512, 128);
    assert!(several.contains("the chip is not named, and memory.x fits"), "{several}");
}

#[test]
fn the_chip_comes_from_the_image_and_the_command_line_wins() {
    let folder = folder();
    unpack(EMBASSY, &folder.path().join("a.elf"));
    write(&folder.path().join("Embed.toml"), "[default.general]\nchip = 'STM32C031C6'\n");
    let run = cyclescope(folder.path(), &["profile", "a.elf", "--for", "1ms"]);
    let said = text(&run.stderr);
    assert!(said.contains(&format!("chip stm32f446ze, for which the bundled image {EMBASSY} was built")), "{said}");
    // A byte behind its end makes it an image of one's own.
    let own = [common::elf(EMBASSY), vec![0]].concat();
    write(&folder.path().join("a.elf"), own);
    let run = cyclescope(folder.path(), &["profile", "a.elf", "--for", "1ms"]);
    let said = text(&run.stderr);
    assert!(
        run.status.success() && said.contains("chip stm32f446ze, named by the register crate that the image"),
        "{said}"
    );
    let run = cyclescope(folder.path(), &["profile", "a.elf", "--for", "1ms", "--chip", "stm32f446ze"]);
    assert!(run.status.success() && !text(&run.stderr).contains("chip stm32f446ze, "), "{}", text(&run.stderr));
}

#[test]
fn a_chip_that_is_not_modelled_is_answered_with_one_that_would_do() {
    let folder = folder();
    write(&folder.path().join("a.elf"), elf::image(&[("main", 4)]));
    let run = |arguments: &[&str]| {
        let run = cyclescope(folder.path(), &[&["exec", "a.elf"], arguments].concat());
        assert_eq!(run.status.code(), Some(2));
        text(&run.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(run(&[]).contains("neither the firmware nor its project names it"), "{}", run(&[]));
    let answer = run(&["--chip", "STM32F205RGTx"]);
    assert!(answer.contains("`cortex-m3` has the same core and no peripherals"), "{answer}");
    let answer = run(&["--chip", "stm32h743zi"]);
    assert!(answer.contains("a Cortex-M7, which is not modelled"), "{answer}");
    let answer = run(&["--chip", "stm32f446er"]);
    assert!(answer.contains("did you mean `stm32f446"), "{answer}");
    write(&folder.path().join("Embed.toml"), "[default.general]\nchip = 'nRF52832_xxAA'\n");
    let answer = run(&[]);
    assert!(answer.contains("Embed.toml names one that does not serve"), "{answer}");
    assert!(answer.contains("`nrf52840` is the nearest"), "{answer}");
}

#[test]
fn a_name_of_several_chips_or_of_a_board_is_answered_with_chips() {
    let folder = folder();
    write(&folder.path().join("a.elf"), elf::image(&[("main", 4)]));
    let run = |chip: &str| {
        let run = cyclescope(folder.path(), &["exec", "a.elf", "--chip", chip]);
        assert_eq!(run.status.code(), Some(2), "{chip}");
        text(&run.stderr)
    };
    for (chip, parts) in [
        ("stm32f4xx", ["`stm32f4xx` fits ", "help: `cyclescope list chips stm32f4xx` shows what they have"]),
        ("stm32g4", ["did you mean `stm32g4", "help: `cyclescope list chips stm32g4` shows those that fit"]),
        ("Nucleo-G431KB", ["the chip of that Nucleo board is `stm32g431kb`", "help: write stm32g431kb"]),
        ("blue pill", ["the chip of a Blue Pill is `stm32f103c8`", "help: write stm32f103c8"]),
        ("cortex-m7", ["of cores alone there are `cortex-m0plus`", "help: `cyclescope list chips` shows"]),
        ("cortex-m0", ["did you mean `cortex-m0plus`?", "help: `cyclescope list chips` shows"]),
    ] {
        let said = run(chip);
        assert!(parts.iter().all(|part| said.contains(part)), "{chip}: {said}");
    }
    let listed = cyclescope(folder.path(), &["list", "chips", "f4xx"]);
    let listed = text(&listed.stdout);
    assert!(listed.contains("stm32f407vg") && !listed.contains("stm32f103c8"), "{listed}");
}
