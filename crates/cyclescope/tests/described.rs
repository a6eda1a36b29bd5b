//! Chips that a user describes in a file.

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
    let program = env!("CARGO_BIN_EXE_cyclescope");
    Command::new(program).args(arguments).arg("--chip").arg(&chip.0).output().expect("the program runs")
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
    let output = run(&ONE_IMAGE, &Description::new("clockless", text));
    assert!(!output.status.success());
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
