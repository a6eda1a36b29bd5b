//! Requests and answers.

use std::cell::RefCell;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_web::{Answer, Beside, Request, Watcher, chips, inspect, run};
use serde_json::{Value, json};

/// Keeps output, and ends a run when asked to.
#[derive(Default)]
struct Keeper {
    output: RefCell<Vec<u8>>,
    ends: bool,
}

impl Watcher for Keeper {
    fn output(&self, bytes: &[u8]) {
        self.output.borrow_mut().extend_from_slice(bytes);
    }

    fn progress(&self, _: Cycles, _: Picoseconds) -> bool {
        self.ends
    }
}

fn elf(name: &str) -> Vec<u8> {
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("it is bundled");
    image.elf().expect("it is whole")
}

fn ask(request: Value, file: &[u8], keeper: &Keeper) -> Answer {
    run(&Request::read(&request.to_string()).expect("it is a request"), file, &Beside::new(), keeper)
}

const BUTTON: &str = "button-c-plain-interrupt-s-stm32c031c6";

fn button(command: &str) -> Value {
    json!({"command": command, "name": "button.elf", "chip": "stm32c031c6", "for": "300ms",
           "stimulus": ["at 100ms pin PC13 low"], "timeline": true})
}

#[test]
fn a_measurement_has_records_a_timeline_and_its_end() {
    let mut request = button("measure");
    request["span"] = json!(["irq=pin:PC13:fall..exception:EXTI4_15:returned"]);
    let answer = ask(request, &elf(BUTTON), &Keeper::default());
    assert_eq!((answer.exit, &answer.messages), (0, &vec![]));
    let file: Value = serde_json::from_str(&answer.file.expect("it has records")).expect("it is JSON");
    let records = file["records"].as_array().expect("they are a list");
    assert!(records.iter().any(|record| record["metric"] == "irq" && record["unit"] == "cycles"), "{records:?}");
    let timeline = answer.timeline.expect("it was asked for");
    let lane = |name: &str| timeline.lanes.iter().find(|lane| lane.name == name).unwrap_or_else(|| panic!("{name}"));
    let pin = lane("PC13");
    assert!(pin.pin && pin.high && pin.changes.len() == 1, "{pin:?}");
    let entered = lane("EXTI4_15").changes[0];
    assert!((1..100).contains(&(entered - pin.changes[0])), "{entered} after {}", pin.changes[0]);
}

#[test]
fn wrong_requests_are_told_in_the_words_of_the_command() {
    let elf = elf(BUTTON);
    let wrong = |key: &str, value: Value| {
        let mut request = button("measure");
        request[key] = value;
        let answer = ask(request, &elf, &Keeper::default());
        assert!(answer.file.is_none());
        (answer.exit, answer.messages.join("\n"))
    };
    let (exit, text) = wrong("chip", json!("stm32c031"));
    assert!(exit == 2 && text.contains("stm32c031c6"), "{text}");
    let (exit, text) = wrong("chip", json!("/etc/chip.toml"));
    let says = "error: /etc/chip.toml cannot be read: it is none of the files beside the firmware";
    assert!(exit == 66 && text == says, "a page reads no file that it was not given: {text}");
    let (exit, text) = wrong("port", json!(["usart2=out.txt"]));
    assert!(
        exit == 2 && text == "error: a page writes no file for the output of a serial port; write usart2=-",
        "{text}"
    );
    let (exit, text) = wrong("for", json!("long"));
    assert!(exit == 2 && text.starts_with("error: invalid value 'long' for '--for <TIME>': "), "{text}");
    assert!(wrong("memory", json!("fast")).1.contains("possible values: equal, shipped, ideal"));
    let (exit, text) = wrong("stimulus", json!(["at 1ms pin PE9 low"]));
    assert!(exit == 65 && text.contains("PE9"), "{text}");
    assert!(Request::read("{").is_err() && Request::read(r#"{"command":"run","name":""}"#).is_err());
}

#[test]
fn the_kinds_of_devices_are_told_of() {
    let devices = cyclescope_web::devices();
    let eeprom = devices.iter().find(|device| device.name == "eeprom").expect("it is a kind");
    assert!(!eeprom.summary.is_empty() && eeprom.options.iter().any(|(option, _)| *option == "file=IN"), "{eeprom:?}");
}

#[test]
fn files_that_are_no_images_are_refused() {
    for file in [&b""[..], b"\x7fELF", &[0xFF; 4096]] {
        let answer = ask(button("exec"), file, &Keeper::default());
        assert_eq!(answer.exit, 65);
        assert!(answer.messages[0].starts_with("error: button.elf: "), "{:?}", answer.messages);
        assert!(inspect("x", file).is_err());
    }
}

#[test]
fn a_watcher_ends_a_run() {
    let keeper = Keeper { ends: true, ..Keeper::default() };
    for command in ["exec", "measure"] {
        let mut request = button(command);
        request["for"] = json!("20s");
        let answer = ask(request, &elf(BUTTON), &keeper);
        assert_eq!(answer.exit, 130, "{command}");
        assert!(answer.messages.iter().any(|line| line.starts_with("interrupted at cycle ")), "{:?}", answer.messages);
    }
}

#[test]
fn the_chips_and_a_file_are_told_of() {
    let chips = chips();
    assert!(chips.len() > 500, "{}", chips.len());
    let one = chips.iter().find(|chip| chip.name == "stm32c031c6").expect("it is modelled");
    assert!(!one.description.is_empty());
    let facts = inspect("button", &elf(BUTTON)).expect("it is an image");
    assert_eq!(facts.sha256.len(), 64);
    assert!(facts.functions.iter().any(|name| name == "main"), "{:?}", facts.functions);
}
