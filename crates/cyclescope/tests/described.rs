//! Chips that a user describes in a file.

use crate::common;

use std::path::PathBuf;
use std::process::{Command, Output};

/// A file of this test's own, gone with it.
struct Description(PathBuf);

impl Description {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cyclescope-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).expect("the temporary folder takes files");
        Self(path)
    }
}

impl Drop for Description {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn run(arguments: &[&str], chip: &Description) -> Output {
    Command::new(common::PROGRAM).args(arguments).arg("--chip").arg(&chip.0).output().expect("the program runs")
}

const ONE_IMAGE: [&str; 8] = ["run", "primes", "--contender", "c-loop", "--mode", "one", "--opt", "s"];

#[test]
fn images_of_the_base_part_run_on_a_described_one() {
    let text = "name = \"mine\"\nbase = \"stm32c031c6\"\nflash_kib = 64\nwithout = [\"TIM17\"]\n";
    let output = run(&[&ONE_IMAGE[..], &["--format", "csv"]].concat(), &Description::new("runs", text));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(table.contains("mine") && !table.contains("stm32c031c6,"), "{table}");
}

#[test]
fn a_program_that_misses_its_timer_gives_no_number() {
    // Its own clock is TIM3, which stands still here: what it says cannot agree with the simulator.
    let text = "name = \"mine\"\nbase = \"stm32c031c6\"\nwithout = [\"TIM3\"]\n";
    let description = Description::new("clockless", text);
    let output = run(&["run", "primes", "--contender", "c-loop", "--mode", "one"], &description);
    assert!(!output.status.success());
    // Both runs meet the gap, which is told once.
    let error = String::from_utf8(output.stderr).unwrap();
    let told = "model gap: no peripheral at 0x40000400";
    assert_eq!((error.matches("error: ").count(), error.matches(told).count()), (2, 1), "{error}");
}

#[test]
fn a_mistake_is_told_with_file_line_and_what_was_meant() {
    let text = "name = \"mine\"\nbase = \"stm32c031c6\"\nflash = 64\n";
    let description = Description::new("mistake", text);
    let output = run(&ONE_IMAGE, &description);
    assert_eq!(output.status.code(), Some(65));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("mistake.toml: line 3: there is no key `flash`; the nearest are flash_kib"), "{error}");
}

/// The first block of TOML in docs/riscv.md.
fn documented() -> &'static str {
    let page = include_str!("../../../docs/riscv.md");
    let (_, rest) = page.split_once("```toml\n").expect("the page has an example");
    rest.split_once("```").expect("the example ends").0
}

/// Runs the image of FreeRTOS for `image_of` on the chip at `chip`: exit code, output, errors.
fn exec(image_of: &str, chip: &std::path::Path) -> (Option<i32>, String, String) {
    let mut images = cyclescope_images::images().iter();
    let image = images.find(|image| image.chip == image_of && image.contender == "freertos").expect("there is one");
    let name = chip.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let path = std::env::temp_dir().join(format!("cyclescope-{}-{image_of}-{name}.elf", std::process::id()));
    std::fs::write(&path, image.elf().expect("it unpacks")).expect("the folder is ours");
    let output = Command::new(common::PROGRAM).arg("exec").arg(&path).arg("--chip").arg(chip).output();
    let output = output.expect("the program runs");
    let _ = std::fs::remove_file(&path);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    (output.status.code(), out, err)
}

#[test]
fn the_riscv_system_of_the_documentation_runs_images_of_ibex_as_that_does() {
    let described = Description::new("riscv", documented());
    let (known, own) = (exec("ibex", "ibex".as_ref()), exec("ibex", &described.0));
    assert!(!known.1.is_empty(), "{known:?}");
    assert_eq!((&own.0, &own.1), (&known.0, &known.1), "{own:?}");
}

#[test]
fn a_map_of_litex_is_a_chip_and_its_mistakes_are_told_with_their_line() {
    let map = include_str!("../../chips/tests/data/litex-sim.csr.json");
    let path = std::env::temp_dir().join(format!("cyclescope-{}-csr.json", std::process::id()));
    let run = |text: &str| {
        std::fs::write(&path, text).unwrap();
        exec("litex-vexriscv", &path)
    };
    let [good, bad] = [map.to_owned(), map.replace("\"sram\"", "\"sram")].map(|text| run(&text));
    let _ = std::fs::remove_file(&path);
    let known = exec("litex-vexriscv", "litex-vexriscv".as_ref());
    assert!(!known.1.is_empty(), "{known:?}");
    assert_eq!((&good.0, &good.1), (&known.0, &known.1), "{good:?}");
    assert!(bad.2.contains("csr.json: line "), "{bad:?}");
}
