//! The tables of bundled experiments on terminals of usual widths.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use cyclescope::Simulator;
use cyclescope::backend::{Backend, MemorySetting, RunRequest, Selection};
use cyclescope::progress::Quiet;
use cyclescope::records::RecordFile;
use cyclescope::report::{Surface, Table, terminal};
use cyclescope_experiments::{Luck, claims};

const WIDTHS: [u16; 4] = [72, 80, 100, 140];

/// The tables of `experiments` on a chip that has images of each; of none, the digest.
fn tables(experiments: &[&str], chip: &str, details: bool) -> Vec<Table> {
    let request = RunRequest {
        experiments: experiments.iter().map(|name| (*name).to_owned()).collect(),
        selection: Selection {
            chips: vec![chip.to_owned()],
            contenders: ["freertos", "embassy", "kernel"].map(str::to_owned).to_vec(),
            modes: if experiments == ["button"] { vec!["interrupt".to_owned()] } else { Vec::new() },
            opts: vec!["3".to_owned()],
            memory: vec![MemorySetting::Equal],
            digest: experiments.is_empty(),
            ..Selection::default()
        },
        jobs: NonZeroUsize::MIN,
        base: None,
        details,
        trace: false,
        elf: None,
        luck: (!experiments.is_empty()).then_some(Luck { layouts: 1, seed: 1 }),
    };
    let outcome = Simulator.run(&request, &Quiet, &|| false).unwrap_or_else(|error| panic!("{error}"));
    assert!(!outcome.records.is_empty());
    outcome.tables
}

/// Checks that `table` fits all widths, breaks no word and names what it leaves out.
fn check(table: &Table) {
    for width in WIDTHS {
        let drawn = terminal(table, Surface { width: Some(width), colour: false });
        for line in drawn.lines() {
            assert!(line.chars().count() <= usize::from(width), "{width}: {line}\n{drawn}");
        }
        let words = drawn.split_whitespace().collect::<Vec<_>>().join(" ");
        let left_out: Vec<&str> = words
            .split_once("Left out for want of room: ")
            .and_then(|(_, note)| note.split_once(". A terminal of"))
            .map(|(names, _)| names.split("; ").collect())
            .unwrap_or_default();
        let seen: HashSet<&str> = drawn.split_whitespace().collect();
        for (index, column) in table.columns.iter().enumerate() {
            let heading = match &column.unit {
                Some(unit) => format!("{} ({unit})", column.name),
                None => column.name.clone(),
            };
            if left_out.contains(&heading.as_str()) || column.shortens {
                continue;
            }
            let cells = table.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.text.as_str());
            for word in cells.chain([column.name.as_str()]).flat_map(str::split_whitespace) {
                assert!(seen.contains(word), "{width}: `{word}` of {heading} is broken or missing\n{drawn}");
            }
        }
    }
}

#[test]
fn tables_of_experiments_fit_with_and_without_details() {
    for (experiment, chip, details) in [
        ("primes", "stm32c031c6", true),
        ("button", "stm32c031c6", false),
        ("switch", "mk20dx256", true),
        ("syscall", "ibex", true),
    ] {
        tables(&[experiment], chip, details).iter().for_each(check);
    }
}

/// A claim about walks has lists of six contenders on both sides, with times of seconds in nanoseconds.
#[test]
fn claims_fit_in_one_piece() {
    let file = RecordFile::from_json(include_str!("../../../docs/results/dirwalk.json")).expect("records");
    let tables = claims(&file.records);
    assert!(!tables.is_empty());
    for table in &tables {
        check(table);
        for width in &WIDTHS[1..] {
            let drawn = terminal(table, Surface { width: Some(*width), colour: false });
            assert_eq!(drawn.matches(" agree").count(), 1, "{width}:\n{drawn}");
        }
    }
}

#[test]
fn a_digest_fits_and_its_tables_are_not_told_again() {
    let all = tables(&[], "stm32f446ze", false);
    all.iter().for_each(check);
    let [tables @ .., trust] = &all[..] else { panic!("no tables") };
    assert_eq!(tables.len(), 3, "primes, button, switch");
    assert!(tables.iter().all(|table| table.foot.is_empty()), "the table is all");
    assert!(trust.columns.is_empty() && trust.foot[0].contains("was checked and right"), "{trust:?}");
}

#[test]
fn details_bring_what_is_left_out_without_them() {
    let [brief, whole] = [false, true].map(|details| tables(&["switch"], "atmega328p", details));
    let lines = |tables: &[Table]| -> usize {
        tables.iter().map(|table| terminal(table, Surface::default()).lines().count()).sum()
    };
    assert!(2 * lines(&brief) < 3 * lines(&whole), "{} of {} lines", lines(&brief), lines(&whole));
    let says = |tables: &[Table], text: &str| {
        tables.iter().any(|table| table.head.iter().chain(&table.foot).any(|line| line.contains(text)))
    };
    assert!(says(&whole, "avr-gcc") && !says(&brief, "flags "), "compilers are details");
    assert!(says(&brief, "--details") && !says(&whole, "--details"));
    // Notes on rows stand where the rows are.
    let [brief, whole] = [false, true].map(|details| tables(&["syscall"], "stm32f446ze", details));
    assert!(says(&whole, "indented rows") && !says(&brief, "indented rows"));
    assert!(says(&whole, "Text strings") && !says(&brief, "Text strings"));
}

#[test]
fn one_chip_is_shown_whole() {
    let show = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("cyclescope").expect("it is built");
        let output = command.args(arguments).assert().success().get_output().stdout.clone();
        String::from_utf8(output).expect("it is text")
    };
    let text = show(&["list", "chips", "stm32c031c6"]);
    for said in
        ["Cortex-M0+", "48 MHz", "32 KiB at 0x08000000", "usart1", "PC13", "7:EXTI4_15", "flash.MHz_with_1_wait_state"]
    {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let line = |name: &str| text.lines().find(|line| line.starts_with(&format!(" {name} "))).unwrap_or_default();
    assert!(text.contains("maximum clock") && text.contains("crystal or clock of 32,768 Hz"), "{text}");
    assert!(line("CRC").contains("modelled") && line("SYSCFG").contains("partly"), "{text}");
    for part in cyclescope::Part::all() {
        let text = show(&["list", "chips", &part.name, "--format", "markdown"]);
        assert!(text.contains("| core"), "{text}");
    }
    // A part of a name shows what it fits.
    let both = show(&["list", "chips", "F446"]);
    assert!(
        show(&["list", "chips", "stm32f446re"])
            .lines()
            .any(|line| line.contains(" sai v2 ") && line.contains("declared"))
    );
    assert!(both.contains(" stm32f446ze ") && both.contains(" stm32f446re ") && !both.contains("f103"), "{both}");
    assert!(show(&["list", "chips", "f103c8"]).starts_with("stm32f103c8: "));
    let mut other = assert_cmd::Command::cargo_bin("cyclescope").expect("it is built");
    let told = other.args(["list", "images", "stm32c031c6"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&told).contains("only `list chips` takes a name"));
}

#[test]
fn a_chip_is_listed_for_programs_with_its_blocks() {
    let json = |arguments: &[&str]| -> serde_json::Value {
        let mut command = assert_cmd::Command::cargo_bin("cyclescope").expect("it is built");
        let output = command.args(["list"]).args(arguments).args(["--format", "json"]).assert().success();
        serde_json::from_slice(&output.get_output().stdout).expect("it is JSON")
    };
    let chip = json(&["chips", "stm32c031c6"]);
    let of = |chip: &serde_json::Value, name: &str| {
        let mut blocks = chip["blocks"].as_array().expect("a list").iter();
        blocks.find(|block| block["name"] == name).unwrap_or_else(|| panic!("{name} is there")).clone()
    };
    let block = |name: &str| of(&chip, name);
    let names = |list: &serde_json::Value| list.as_array().expect("a list").len();
    assert_eq!((&chip["clock_hz"], block("CRC")["extent"].as_str()), (&48_000_000.into(), Some("modelled")));
    let syscfg = block("SYSCFG");
    let partly = syscfg["registers"]["partly"].as_array().expect("a list").clone();
    let lacks = partly.iter().find(|one| one["register"] == "CFGR1").expect("most of it is not modelled");
    assert!(names(&lacks["not_modelled"]) > 0, "{lacks}");
    let audio = of(&json(&["chips", "stm32f446re"]), "SAI1");
    assert!(names(&audio["registers"]["declared"]) > 0 && names(&audio["registers"]["modelled"]) == 0);
    let riscv = json(&["chips", "litex-vexriscv"]);
    let extents: HashSet<&str> =
        riscv["blocks"].as_array().expect("a list").iter().filter_map(|block| block["extent"].as_str()).collect();
    assert_eq!(extents, HashSet::from(["modelled", "declared"]));
    assert!(names(&json(&[])["contenders"]) > 5 && names(&json(&["images"])["images"]) > 100);
    assert_eq!(names(&json(&["chips", "stm32f4"])["chips"]), 149);
    assert_eq!(names(&json(&["chips"])["product_lines"]), 32);
}
