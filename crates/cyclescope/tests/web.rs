//! The core of the page that runs firmware says what the command says: the same file, the same messages, the same exit.

use std::cell::RefCell;
use std::path::Path;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_web::{Answer, Request, Watcher, run};
use serde_json::{Value, json};

use crate::common::{self, text};

/// Keeps the guest's output.
#[derive(Default)]
struct Keeper(RefCell<Vec<u8>>);

impl Watcher for Keeper {
    fn output(&self, bytes: &[u8]) {
        self.0.borrow_mut().extend_from_slice(bytes);
    }

    fn progress(&self, _: Cycles, _: Picoseconds) -> bool {
        false
    }
}

/// The name of the image's file.
const NAME: &str = "fw.elf";

/// Returns the answer of the core to `request`, and the guest's output.
fn answer(request: &Value, elf: &[u8]) -> (Answer, Vec<u8>) {
    let keeper = Keeper::default();
    let answer = run(&Request::read(&request.to_string()).expect("it is a request"), elf, &keeper);
    (answer, keeper.0.into_inner())
}

/// Runs `command` of the image in both and compares all that they say.
fn check(folder: &Path, command: &str, image: &str, (chip, time): (&str, &str), stimulus: &[&str]) {
    let elf = cyclescope::example_image(image).expect("it is bundled");
    std::fs::write(folder.join(NAME), &elf).expect("the folder is ours");
    let request =
        json!({"command": command, "name": NAME, "chip": chip, "for": time, "stimulus": stimulus, "timeline": true});
    let (answer, output) = answer(&request, &elf);
    let mut process = common::command(folder);
    process.args([command, NAME]);
    if command != "size" {
        process.args(["--chip", chip, "--for", time]);
        process.args(stimulus.iter().flat_map(|rule| ["--stimulus", *rule]));
    }
    match command {
        "exec" => process.args(["--outcome", "out.json"]),
        "measure" => process.args(["--format", "json", "--vcd", "out.vcd", "--out", "out.json"]),
        "size" => process.args(["--format", "json"]),
        _ => process.args(["--format", "json", "--out", "out.json"]),
    };
    let _ = std::fs::remove_file(folder.join("out.json"));
    let told = process.output().expect("it runs");
    let what = format!("{command} of {image}");
    assert_eq!(told.status.code(), Some(answer.exit.into()), "{what}");
    let file = match command {
        "size" => Some(text(&told.stdout)),
        _ => std::fs::read_to_string(folder.join("out.json")).ok(),
    };
    assert!(answer.file == file, "the files of {what} differ");
    let said = text(&told.stderr);
    let own = |line: &&str| !line.starts_with("wrote ");
    let said: Vec<&str> = said.lines().filter(own).collect();
    match command {
        "exec" => {
            assert_eq!(text(&output), text(&told.stdout), "{what}");
            assert_eq!(answer.messages, said, "{what}");
        }
        // The guest's output goes there too.
        _ => {
            let both = text(&output) + &answer.messages.iter().map(|line| format!("{line}\n")).collect::<String>();
            let mut both: Vec<&str> = both.lines().collect();
            let mut said = said;
            both.sort_unstable();
            said.sort_unstable();
            assert_eq!(both, said, "{what}");
        }
    }
}

/// An image of each instruction set, with its chip and the time.
const IMAGES: [(&str, (&str, &str)); 5] = [
    ("button-c-plain-interrupt-s-stm32c031c6", ("stm32c031c6", "200ms")),
    ("primes-c-plain-plain-s-stm32f446ze", ("stm32f446ze", "20ms")),
    ("switch-freertos-plain-s-atmega328p", ("atmega328p", "20ms")),
    ("syscall-freertos-yield-s-litex-vexriscv", ("litex-vexriscv", "20ms")),
    ("switch-freertos-plain-s-esp32", ("esp32", "10ms")),
];

#[test]
fn the_core_of_the_page_says_what_the_command_says() {
    let folder = common::folder();
    for (image, run) in IMAGES {
        for command in ["exec", "measure", "profile", "tasks", "size"] {
            check(folder.path(), command, image, run, &[]);
        }
    }
}

#[test]
fn it_says_the_same_of_stimuli_that_do_nothing_come_late_or_are_wrong() {
    let folder = common::folder();
    let (image, run) = IMAGES[0];
    let rules =
        [&["at 1ms pin PC13 high", "at 900ms pin PC13 low"][..], &["at 50ms pin PC13 low"], &["at 1ms pin PZ1 low"]];
    for stimulus in rules {
        check(folder.path(), "measure", image, run, stimulus);
        check(folder.path(), "profile", image, run, stimulus);
    }
}
