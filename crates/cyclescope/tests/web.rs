//! The core of the page that runs firmware says what the command says: the same file, the same messages, the same exit.

use std::cell::RefCell;
use std::path::Path;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_web::{Answer, Beside, Request, Watcher, run};
use serde_json::{Value, json};

use crate::common::contents::{intel_hex, loaded};
use crate::common::{self, suite, text};
use crate::firmware::uf2;

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

/// A run to make in both.
#[derive(Clone, Default)]
struct Both<'a> {
    command: &'a str,
    /// The firmware's name and bytes.
    name: &'a str,
    file: Vec<u8>,
    /// Options by their names, in the order of the command line.
    options: Vec<(&'a str, &'a str)>,
    /// Standard input of `exec`.
    input: &'a str,
    /// Files beside the firmware.
    beside: Vec<(&'a str, Vec<u8>)>,
}

/// Options of which a request has a list.
const LISTS: [&str; 4] = ["stimulus", "span", "attach", "port"];

impl<'a> Both<'a> {
    fn of(command: &'a str, file: Vec<u8>, options: &[(&'a str, &'a str)]) -> Self {
        Self { command, name: "fw.elf", file, options: options.to_vec(), ..Self::default() }
    }

    /// Returns the answer of the core, and the guest's output.
    fn answer(&self) -> (Answer, Vec<u8>) {
        let mut request = json!({"command": self.command, "name": self.name, "input": self.input, "timeline": self.command == "measure"});
        for (option, value) in &self.options {
            if LISTS.contains(option) {
                let texts = request[option].as_array().cloned().unwrap_or_default();
                request[option] = Value::from([texts, vec![json!(value)]].concat());
            } else {
                request[option] = json!(value);
            }
        }
        let beside: Beside = self.beside.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone())).collect();
        let keeper = Keeper::default();
        let request = Request::read(&request.to_string()).expect("it is a request");
        let answer = run(&request, &self.file, &beside, &keeper);
        (answer, keeper.0.into_inner())
    }

    /// Runs it in both and compares all that they say. Returns the answer of the core.
    #[track_caller]
    fn check(&self, folder: &Path) -> Answer {
        let (answer, output) = self.answer();
        for (name, bytes) in self.beside.iter().chain([&(self.name, self.file.clone())]) {
            std::fs::write(folder.join(name), bytes).expect("the folder is ours");
        }
        std::fs::write(folder.join("input"), self.input).expect("the folder is ours");
        let mut process = common::command(folder);
        process.args([self.command, self.name]);
        process.stdin(std::fs::File::open(folder.join("input")).expect("it was written"));
        if self.command != "size" {
            process.args(self.options.iter().flat_map(|(option, value)| [format!("--{option}"), (*value).to_owned()]));
        }
        match self.command {
            "exec" => process.args(["--outcome", "out.json", "--record", "typed.txt"]),
            "measure" => process.args(["--format", "json", "--vcd", "out.vcd", "--out", "out.json"]),
            "size" => process.args(["--format", "json"]),
            _ => process.args(["--format", "json", "--out", "out.json"]),
        };
        for written in ["out.json", "typed.txt"] {
            let _ = std::fs::remove_file(folder.join(written));
        }
        let told = process.output().expect("it runs");
        let what = format!("{} with {:?}", self.command, self.options);
        assert_eq!(
            told.status.code(),
            Some(answer.exit.into()),
            "{what}: {}\n{:?}",
            text(&told.stderr),
            answer.messages
        );
        let file = match self.command {
            "size" => Some(text(&told.stdout)).filter(|file| !file.is_empty()),
            _ => std::fs::read_to_string(folder.join("out.json")).ok(),
        };
        assert!(answer.file == file, "the files of {what} differ: {:?}\n{file:?}", answer.file);
        let said = text(&told.stderr);
        let own = |line: &&str| !line.starts_with("wrote ") && !line.starts_with("For more information");
        let said: Vec<&str> = said.lines().filter(own).filter(|line| !line.is_empty()).collect();
        match self.command {
            "exec" => {
                assert_eq!(text(&output), text(&told.stdout), "{what}");
                assert_eq!(answer.messages, said, "{what}");
                let typed = std::fs::read_to_string(folder.join("typed.txt")).unwrap_or_default();
                assert_eq!(answer.typed, typed.lines().collect::<Vec<_>>(), "{what}");
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
        answer
    }
}

/// An image of each instruction set, with its chip and the time.
const IMAGES: [(&str, (&str, &str)); 5] = [
    (BUTTON, ("stm32c031c6", "200ms")),
    (PRIMES, ("stm32f446ze", "20ms")),
    ("switch-freertos-plain-s-atmega328p", ("atmega328p", "20ms")),
    ("syscall-freertos-yield-s-litex-vexriscv", ("litex-vexriscv", "20ms")),
    ("switch-freertos-plain-s-esp32", ("esp32", "10ms")),
];

const BUTTON: &str = "button-c-plain-interrupt-s-stm32c031c6";
const PRIMES: &str = "primes-c-plain-plain-s-stm32f446ze";
const SPAN: &str = "irq=pin:PC13:fall..exception:EXTI4_15:returned";

#[test]
fn the_core_of_the_page_says_what_the_command_says() {
    let folder = common::folder();
    for (image, (chip, time)) in IMAGES {
        for command in ["exec", "measure", "profile", "tasks", "size"] {
            Both::of(command, common::elf(image), &[("chip", chip), ("for", time)]).check(folder.path());
        }
    }
}

#[test]
fn it_says_the_same_of_stimuli_that_do_nothing_come_late_or_are_wrong() {
    let folder = common::folder();
    let rules =
        [&["at 1ms pin PC13 high", "at 900ms pin PC13 low"][..], &["at 50ms pin PC13 low"], &["at 1ms pin PZ1 low"]];
    for stimuli in rules {
        for command in ["measure", "profile"] {
            let mut both = Both::of(command, common::elf(BUTTON), &[("chip", "stm32c031c6"), ("for", "200ms")]);
            both.options.extend(stimuli.iter().map(|rule| ("stimulus", *rule)));
            both.check(folder.path());
        }
    }
}

#[test]
fn other_clocks_and_layouts_give_the_records_of_the_command() {
    let folder = common::folder();
    let plain = [("chip", "stm32f446ze"), ("for", "20ms")];
    let of = |more: &[(&'static str, &'static str)]| {
        let answer = Both::of("measure", common::elf(PRIMES), &[&plain[..], more].concat()).check(folder.path());
        assert_eq!(answer.exit, 0, "{:?}", answer.messages);
        let file: Value = serde_json::from_str(&answer.file.expect("it has records")).expect("it is JSON");
        file["records"].clone()
    };
    let figures = |records: &Value| -> Vec<Value> {
        records.as_array().expect("a list").iter().map(|record| record["mean"].clone()).collect()
    };
    let own = of(&[]);
    let (clock, layout, both) =
        (of(&[("clock", "4_000_000")]), of(&[("layout", "3:2")]), of(&[("layout", "3"), ("clock", "4000000")]));
    assert_eq!((&clock[0]["params"]["clock"], &clock[0]["chip"]), (&json!("4000000"), &json!("stm32f446ze")));
    assert_eq!((&layout[0]["params"]["layout"], &both[0]["params"]["layout"]), (&json!("3:2"), &json!("3")));
    assert!(own[0]["params"]["layout"].is_null() && own[0]["params"]["clock"].is_null());
    let all = [&own, &clock, &layout, &both].map(figures);
    for (index, one) in all.iter().enumerate() {
        assert!(all[..index].iter().all(|other| other != one), "run {index} is that of another variant");
    }
    assert_eq!(figures(&of(&[("layout", "0")])), all[0], "the image's own layout");

    for command in ["exec", "profile"] {
        let varied = [&plain[..], &[("clock", "4_000_000"), ("layout", "3:2")]].concat();
        let answer = Both::of(command, common::elf(PRIMES), &varied).check(folder.path());
        let file: Value = serde_json::from_str(&answer.file.expect("it has results")).expect("it is JSON");
        assert_eq!((&file["clock"], &file["layout"]), (&json!("4000000"), &json!("3:2")), "{command}");
        let own = Both::of(command, common::elf(PRIMES), &plain).check(folder.path());
        let own: Value = serde_json::from_str(&own.file.expect("it has results")).expect("it is JSON");
        assert!(own["clock"].is_null() && own["layout"].is_null(), "{command}");
    }

    // Variants that there are not.
    for (chip, option, value, code, says) in [
        ("stm32f446ze", "clock", "3", 2, "error: the clock 3: stm32f446ze: hse_hz must be"),
        ("stm32f446ze", "clock", "8MHz", 2, "error: invalid value '8MHz' for '--clock <HZ>': it is no number of hertz"),
        ("stm32f446ze", "layout", "x", 2, "error: invalid value 'x' for '--layout <N[:SEED]>': it is no layout"),
        ("atmega328p", "layout", "1", 2, "error: the layout 1: the time of code on atmega328p depends on no address"),
    ] {
        let image = if chip == "atmega328p" { IMAGES[2].0 } else { PRIMES };
        let both = Both::of("measure", common::elf(image), &[("chip", chip), ("for", "1ms"), (option, value)]);
        let answer = both.check(folder.path());
        assert!(answer.exit == code && answer.messages[0].starts_with(says), "{:?}", answer.messages);
    }
}

#[test]
fn attached_devices_and_their_files_are_those_of_the_command() {
    let folder = common::folder();
    let image = common::elf("display-c-registers-spi-3-stm32c031c6");
    let device = "ssd1306:spi,name=oled@sck=PA5,mosi=PA7,cs=PA4,dc=PA3";
    let memory = "eeprom:24c32,file=in.bin,save=out.bin@i2c1";
    for command in ["exec", "measure", "profile"] {
        let options = [("chip", "stm32c031c6"), ("for", "10ms"), ("attach", device), ("attach", memory)];
        let both = Both { beside: vec![("in.bin", vec![7; 20])], ..Both::of(command, image.clone(), &options) };
        let answer = both.check(folder.path());
        let [oled, eeprom] = answer.devices.as_slice() else { panic!("{:?}", answer.devices) };
        assert!(oled.name == "oled" && oled.pictures.len() > 1 && oled.left_out == 0, "{command}: {oled:?}");
        let (name, bytes) = eeprom.saved.clone().expect("it is asked for");
        let kept = std::fs::read(folder.path().join("out.bin")).expect("the command has written it");
        // Base64 of three bytes of 7 each.
        assert!(name == "out.bin" && bytes.starts_with("BwcHBwcH") && kept.starts_with(&[7; 20]), "{name}");
    }
    let wrong = |options: &[(&'static str, &'static str)], beside: Vec<(&'static str, Vec<u8>)>| {
        let options = [&[("chip", "stm32c031c6"), ("for", "1ms")], options].concat();
        Both { beside, ..Both::of("measure", image.clone(), &options) }.check(folder.path())
    };
    assert_eq!(wrong(&[("attach", "eprom:24c32@i2c1")], Vec::new()).exit, 2);
    assert_eq!(wrong(&[("attach", "eeprom:24c32@i2c7")], Vec::new()).exit, 65);
    assert_eq!(wrong(&[("attach", "eeprom:24c32,file=long.bin@i2c1")], vec![("long.bin", vec![0; 5000])]).exit, 65);
    // Another reason than that of a disk.
    let lacking = Both::of("measure", image, &[("chip", "stm32c031c6"), ("attach", "eeprom:24c32,file=no.bin@i2c1")]);
    let (answer, _) = lacking.answer();
    assert_eq!((answer.exit, answer.messages.len()), (66, 1));
    assert_eq!(answer.messages[0], "error: no.bin cannot be read: it is none of the files beside the firmware");
}

#[test]
fn files_of_voltages_and_of_stimuli_are_those_of_the_command() {
    let folder = common::folder();
    let image = common::elf(BUTTON);
    let run = |command: &'static str, stimulus: &'static str, beside: &[(&'static str, &[u8])]| {
        let press = "at 100ms pin PC13 low";
        let mut options = vec![("chip", "stm32c031c6"), ("for", "200ms"), ("stimulus", stimulus), ("stimulus", press)];
        options.extend((command == "measure").then_some(("span", SPAN)));
        let beside = beside.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect();
        Both { beside, ..Both::of(command, image.clone(), &options) }
    };
    let samples: &[u8] = b"time,volts\n0,300mV\n1,3.3\n";
    let pressed = "at 90ms pin PA0 samples volts.csv every 10ms";
    for command in ["exec", "measure", "profile"] {
        let answer = run(command, pressed, &[("volts.csv", samples)]).check(folder.path());
        assert_eq!(answer.exit, 0, "{:?}", answer.messages);
        if command == "measure" {
            let file: Value = serde_json::from_str(&answer.file.expect("it has records")).expect("it is JSON");
            let record = &file["records"][0];
            assert_eq!((&record["metric"], &record["params"]["stimulus.01"]), (&json!("irq"), &json!(pressed)));
        }
    }
    let list: &[u8] = b"# two\n\nat 90ms pin PA0 samples volts.csv every 10ms\nat 150ms pin PC13 high\n";
    let both = [("list.txt", list), ("volts.csv", samples)];
    assert_eq!(run("measure", "@list.txt", &both).check(folder.path()).exit, 0);
    // What is wrong with them, in the same words.
    for (stimulus, name, bytes, code) in [
        (pressed, "volts.csv", &b"1\nx\n"[..], 65),
        (pressed, "volts.csv", b"", 65),
        (pressed, "volts.csv", b"\xff", 65),
        ("@list.txt", "list.txt", b"at 1ms pin\n", 65),
    ] {
        let answer = run("measure", stimulus, &[(name, bytes)]).check(folder.path());
        assert_eq!((answer.exit, answer.messages.len()), (code, 1), "{:?}", answer.messages);
    }
    // Another reason than that of a disk.
    for (stimulus, code, says) in [
        (pressed, 65, "volts.csv cannot be read: it is none of the files beside the firmware"),
        ("@list.txt", 66, "list.txt cannot be read: it is none of the files beside the firmware"),
    ] {
        let (answer, _) = run("measure", stimulus, &[]).answer();
        assert!(answer.exit == code && answer.messages[0].ends_with(says), "{:?}", answer.messages);
    }
}

#[test]
fn a_suite_of_tests_is_known() {
    let facts =
        |name| cyclescope_web::inspect(name, &std::fs::read(suite(name)).expect("it is there")).expect("an ELF");
    assert!(facts("embedded-passing").suite && !facts("desk-arm").suite);
}

#[test]
fn a_chip_that_a_file_describes_runs_as_in_the_command() {
    let folder = common::folder();
    let text = b"name = \"mine\"\nbase = \"stm32c031c6\"\nflash_kib = 64\n".to_vec();
    let options = [("chip", "mine.toml"), ("for", "200ms"), ("stimulus", "at 100ms pin PC13 low"), ("span", SPAN)];
    let mine = Both { beside: vec![("mine.toml", text)], ..Both::of("measure", common::elf(BUTTON), &options) };
    let answer = mine.check(folder.path());
    assert_eq!(answer.exit, 0, "{:?}", answer.messages);
    let file: Value = serde_json::from_str(&answer.file.expect("it has records")).expect("it is JSON");
    assert_eq!(file["records"][0]["chip"], "mine");
    let at_clock = Both { options: [&options[..], &[("clock", "8000000")]].concat(), ..mine.clone() };
    let answer = at_clock.check(folder.path());
    assert!(answer.exit != 2, "{:?}", answer.messages);
    for (wrong, code) in [(&b"name = 3"[..], 65), (b"name = \"mine\"\nbase = \"stm32c031c7\"\n", 65), (b"\xff", 66)] {
        let answer = Both { beside: vec![("mine.toml", wrong.to_vec())], ..mine.clone() }.check(folder.path());
        assert_eq!(answer.exit, code, "{:?}", answer.messages);
    }
}

#[test]
fn files_without_symbols_run_as_in_the_command() {
    let folder = common::folder();
    let runs = loaded(&common::elf(BUTTON));
    for (name, file) in [("fw.hex", intel_hex(&runs).into_bytes()), ("fw.uf2", uf2(&runs))] {
        for command in ["exec", "measure", "profile", "tasks", "size"] {
            let options = [("chip", "stm32c031c6"), ("for", "200ms"), ("stimulus", "at 100ms pin PC13 low")];
            let both = Both { name, ..Both::of(command, file.clone(), &options) };
            let answer = both.check(folder.path());
            assert!(answer.exit == 0 || ["tasks", "size"].contains(&command), "{name}: {:?}", answer.messages);
        }
        let facts = cyclescope_web::inspect(name, &file).expect("it is read");
        assert!(facts.chip.is_none() && facts.functions.is_empty() && facts.sha256.len() == 64);
    }
    let options = [("chip", "stm32c031c6"), ("for", "1ms")];
    let damaged = intel_hex(&runs).replacen(":10", ":11", 1).into_bytes();
    let answer = Both { name: "fw.hex", ..Both::of("exec", damaged, &options) }.check(folder.path());
    assert!(answer.exit == 65 && answer.messages[0].starts_with("error: fw.hex: line "), "{:?}", answer.messages);
}

#[test]
fn what_is_typed_is_heard_as_from_a_pipe() {
    let folder = common::folder();
    for (name, chip, port) in [
        ("desk-arm", "stm32f446re", "usart2=-"),
        ("desk-avr", "atmega328p", "usart0=-"),
        ("desk-riscv", "virt", "uart0=-"),
    ] {
        let file = std::fs::read(suite(name)).expect("it is there");
        for options in [&[("chip", chip)][..], &[("chip", chip), ("for", "100ms")], &[("chip", chip), ("port", port)]] {
            let typed = Both { input: "hello é\n", ..Both::of("exec", file.clone(), options) };
            let answer = typed.check(folder.path());
            assert_eq!(answer.typed.len(), "hello é\n".len(), "{name}: {:?}", answer.typed);
        }
        // The bytes that came, as stimuli of a measurement, make the same run.
        let typed = Both { input: "hell", ..Both::of("exec", file.clone(), &[("chip", chip), ("for", "100ms")]) };
        let (answer, output) = typed.answer();
        let mut measured = Both::of("measure", file, &[("chip", chip), ("for", "100ms")]);
        measured.options.extend(answer.typed.iter().map(|rule| ("stimulus", rule.as_str())));
        let (_, again) = measured.answer();
        assert!(text(&output).ends_with(">hell"), "{}", text(&output));
        assert_eq!(text(&output), text(&again), "{name}");
    }
    let file = std::fs::read(suite("desk-arm")).expect("it is there");
    let wrong = |options: &[(&'static str, &'static str)]| {
        let options = [&[("chip", "stm32f446re")], options].concat();
        Both { input: "a", ..Both::of("exec", file.clone(), &options) }.check(folder.path()).exit
    };
    assert_eq!(wrong(&[("port", "usart9=-")]), 65);
    assert_eq!(wrong(&[("port", "usart2")]), 2);
}

#[test]
fn what_is_wrong_is_told_in_the_words_of_the_command() {
    let folder = common::folder();
    let elf = common::elf(BUTTON);
    for chip in ["stm32c031", "bluepill", "nucleo-c031c6", "stm32f4xx", "stm32h743zi", "cortex-m7", "x", "", "no/such"]
    {
        let answer = Both::of("measure", elf.clone(), &[("chip", chip), ("for", "1ms")]).check(folder.path());
        assert_eq!(answer.exit, 2, "{chip}: {:?}", answer.messages);
    }
    let board = Both::of("measure", elf.clone(), &[("chip", "bluepill")]).answer().0.messages;
    assert_eq!(board[0], "error: there is no chip `bluepill`; the chip of a Blue Pill is `stm32f103c8`");
    for (option, value, code) in [
        ("for", "long", 2),
        ("until", "pin", 2),
        ("span", "a", 2),
        ("stimulus", "at 1ms pin", 2),
        ("until", "symbol:nothing", 65),
    ] {
        let options = [("chip", "stm32c031c6"), (option, value)];
        assert_eq!(Both::of("measure", elf.clone(), &options).check(folder.path()).exit, code, "{option}");
    }
    let twice = [("chip", "stm32c031c6"), ("span", SPAN), ("span", SPAN)];
    assert_eq!(Both::of("measure", elf, &twice).check(folder.path()).messages, ["error: two spans are called `irq`"]);
    for file in [&b""[..], b"no image", b"\x7fELF", b":"] {
        let answer = Both::of("exec", file.to_vec(), &[("chip", "stm32c031c6")]).check(folder.path());
        assert_eq!(answer.exit, 65, "{:?}", answer.messages);
    }
}
