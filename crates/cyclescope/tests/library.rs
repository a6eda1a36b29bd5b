//! cyclescope as a library: boards of bundled firmware, driven, looked at and measured.

use crate::common;

use std::process::Command;
use std::sync::atomic::Ordering;

use cyclescope::{BoardError, Event, Firmware, MemorySetting, Setup, Time};

const BUTTON: &str = "button-c-plain-interrupt-s-stm32c031c6";

fn firmware(name: &str) -> Firmware {
    Firmware::from_elf(name, &common::elf(name)).expect("an ELF")
}

#[test]
fn a_board_measures_what_the_command_line_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("button.elf");
    common::unpack(BUTTON, &path);
    let stimulus = "presses 5 of PC13 low from 100ms gap 20ms..100ms seed 3";
    let output = Command::new(common::PROGRAM)
        .args([
            "measure",
            "--chip",
            "stm32c031c6",
            "--guest-output",
            "none",
            "--format",
            "json",
            "--stimulus",
            stimulus,
        ])
        .args(["--span", "irq=pin:PA0:rise..pin:PA0:fall", "--span", "latency=pin:PC13:edge..pin:PA1:rise"])
        .arg(&path)
        .output()
        .unwrap();
    let json = String::from_utf8(output.stdout).unwrap();
    let records = cyclescope::records::RecordFile::from_json(&json).unwrap().records;

    let mut board = Setup::new("stm32c031c6").stimulus(stimulus).start(&Firmware::read(&path).unwrap()).unwrap();
    let spans = ["irq=pin:PA0:rise..pin:PA0:fall", "latency=pin:PC13:edge..pin:PA1:rise"];
    let spans = spans.map(|span| board.watch(span).unwrap());
    board.run_for("1s").unwrap();
    for (span, name) in spans.into_iter().zip(["irq", "latency"]) {
        let record = records.iter().find(|record| record.metric == name).expect(name);
        let cycles: Vec<u64> = board.spans(span).unwrap().iter().map(|span| span.cycles()).collect();
        assert_eq!(cycles.len() as u64, record.n, "{name}");
        let most = cycles.iter().max().copied();
        assert_eq!(record.max.as_integer().map(|max| max as u64), most, "{name}");
        assert_eq!(board.longest(span).unwrap().cycles(), most.unwrap(), "{name}");
    }
}

#[test]
fn a_measured_span_is_the_one_that_is_collected() {
    let mut board = firmware(BUTTON).on("stm32c031c6").unwrap();
    board.stimulate("at 100ms pin PC13 low").unwrap();
    let collected = board.watch("irq=pin:PA0:rise..pin:PA0:fall").unwrap();
    let measured = board.measure("pin:PA0:rise", "pin:PA0:fall").unwrap();
    assert_eq!(board.spans(collected).unwrap(), [measured]);
    assert_eq!(measured.end() - measured.start(), measured.cycles());
    assert!(measured.instructions() > 0 && measured.instructions() < measured.cycles());
    assert_eq!(measured.time().as_nanos() as u64, measured.cycles() * 1_000_000_000 / 48_000_000);
    assert!(board.cycles() >= measured.end());
}

#[test]
fn looking_and_stopping_change_nothing() {
    let run = |looks: bool| {
        let mut board = firmware(BUTTON).on("stm32c031c6").unwrap();
        board.stimulate("at 20ms pin PC13 low").unwrap();
        if looks {
            for stop in ["symbol:main", "time:7ms", "sleep", "pin:PC13:fall", "exception:EXTI4_15:entered"] {
                board.run_to(stop).unwrap();
                let registers =
                    board.machine().registers().iter().map(|register| board.register(register.name).unwrap());
                assert!(registers.count() > 20);
                board.read("_estack", 0).ok();
                board.read(0x2000_0000, 1024).unwrap();
                assert!(!board.output().is_empty() || board.cycles() < 48_000_000);
            }
        }
        board.run_to("symbol:cyclescope_button_runs").unwrap();
        (board.cycles(), board.instructions(), board.register("sp").unwrap())
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn registers_and_memory_are_read_and_written() {
    let mut board = firmware(BUTTON).on("stm32c031c6").unwrap();
    board.run_to(Event::Entered("main".to_owned())).unwrap();
    let pc = board.register("pc").unwrap();
    assert_eq!(pc, board.image().symbol("main").unwrap().address.get());
    assert_eq!(board.read_u16("main").unwrap(), board.read_u16(pc).unwrap());
    board.write(0x2000_1000, &[1, 2, 3, 4]).unwrap();
    assert_eq!(board.read_u32(0x2000_1000).unwrap(), 0x0403_0201);
    board.set_register("R3", 0xDEAD_BEEF).unwrap();
    assert_eq!(board.register("r3").unwrap(), 0xDEAD_BEEF);
    // Set back to its first instruction, it gets there again at once.
    let cycles = board.cycles();
    board.run_for("1us").unwrap();
    board.set_register("pc", pc).unwrap();
    board.run_to("symbol:main").unwrap();
    assert!(board.cycles() - cycles < 200);
    assert!(board.pin("PC13").unwrap(), "the board's pull-up");
    board.drive("PC13", false).unwrap();
    board.run_for("1us").unwrap();
    assert!(!board.pin("PC13").unwrap());
}

#[test]
fn defmt_is_decoded_and_the_exit_code_told() {
    let mut board =
        Setup::new("stm32f446ze").limit("5s").start(&firmware("switch-embassy-plain-s-stm32f446ze")).unwrap();
    for _ in 0..3 {
        board.measure("symbol:cyclescope_start", "symbol:cyclescope_stop").unwrap();
    }
    board.run_for("20ms").unwrap();
    assert!(board.log().unwrap().iter().any(|line| line.contains("EmptyLoop")), "{:?}", board.log());
    assert_eq!(board.output(), "", "frames are no text");
}

#[test]
fn a_described_chip_and_a_setting_are_taken() {
    let cycles = |memory| {
        let toml = "name = \"mine\"\nbase = \"stm32c031c6\"\nflash_kib = 64\n";
        let mut board = Setup::described(toml).memory(memory).start(&firmware(BUTTON)).unwrap();
        assert_eq!(board.machine().part().name, "mine");
        board.stimulate("at 100ms pin PC13 low").unwrap();
        board.measure("pin:PA0:rise", "pin:PA0:fall").unwrap().cycles()
    };
    assert!(cycles(MemorySetting::Ideal) < cycles(MemorySetting::Shipped));
}

#[test]
fn what_goes_wrong_is_said_with_its_place() {
    let firmware = firmware(BUTTON);
    let said = |error: BoardError| error.to_string();
    assert!(
        said(firmware.on("stm32c031").err().unwrap())
            .contains("there is no chip `stm32c031`; the nearest are stm32c031c6")
    );
    assert!(
        said(firmware.on("atmega328p").err().unwrap())
            .contains("button-c-plain-interrupt-s-stm32c031c6: the image is built for")
    );
    assert!(said(Firmware::read("/nowhere/a.elf").err().unwrap()).starts_with("/nowhere/a.elf cannot be read"));
    assert!(said(Firmware::from_elf("notes", b"hello").err().unwrap()).starts_with("notes: not an ELF file"));
    assert!(
        said(Setup::new("stm32c031c6").limit("3min").start(&firmware).err().unwrap()).contains("`3min` is not a time")
    );

    let mut board = Setup::new("stm32c031c6").limit("30ms").start(&firmware).unwrap();
    assert!(said(board.run_to("symbol:mian").unwrap_err()).contains("main"));
    assert!(said(board.run_to("pin:PC13").unwrap_err()).contains("is not an event"));
    assert!(said(board.stimulate("at 1ms pin PX1 low").unwrap_err()).contains("PX1"));
    assert!(said(board.send(7, b"x").unwrap_err()).contains("it has 1, 2"));
    assert!(said(board.pin("PZ1").unwrap_err()).contains("no pin `PZ1`"));
    assert!(said(board.register("a0").unwrap_err()).contains("has no register `a0` to read; it has r0, r1"));
    assert!(said(board.read_u32(0x4000_0000).unwrap_err()).contains("there is no memory at 0x40000000"));
    assert!(said(board.read("no_such_thing", 4).unwrap_err()).contains("no_such_thing"));
    let span = board.watch("late=pin:PA0:rise..pin:PA0:fall").unwrap();
    let late = said(board.run_to("pin:PA0:rise").unwrap_err());
    assert!(
        late.starts_with(
            "pin:PA0:rise did not happen within 30ms, the limit of this board; it stands at cycle 1,437,7"
        ),
        "{late}"
    );
    assert!(late.contains(" in main ("), "{late}");
    assert!(said(board.spans(span).unwrap_err()).contains("span `late` never began"));

    // A jump to nowhere faults, and says so.
    let mut board = firmware.on("stm32c031c6").unwrap();
    board.run_to("main").unwrap();
    board.set_register("pc", 0x0100_0000).unwrap();
    let fault = board.run_to("sleep").unwrap_err();
    assert!(matches!(fault, BoardError::Stopped { .. }), "{fault}");
    assert!(said(fault).starts_with("waiting for sleep: the guest faulted: instruction fetch where no code memory is"));
}

#[test]
fn an_end_that_was_not_waited_for_shows_what_the_firmware_said() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/panic-fault.elf");
    let mut board = Firmware::read(path).unwrap().on("stm32f446re").unwrap();
    let fault = board.run_to("pin:PA5:rise").unwrap_err().to_string();
    assert!(
        fault.starts_with("waiting for pin:PA5:rise: the guest faulted: access to an address where nothing"),
        "{fault}"
    );
    assert!(fault.contains("panics::end") && fault.ends_with("ends with:\nINFO  begins"), "{fault}");
    let exits = |name: &str| {
        let path = format!("{}/tests/suites/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        Firmware::read(path).unwrap().on("stm32f446re").unwrap().run_to_exit()
    };
    assert_eq!(exits("panic-exit").unwrap(), 0);
    assert_eq!(exits("panic-semihosting").unwrap(), 1);
    assert!(matches!(exits("panic-probe"), Err(BoardError::Stopped { .. })));
}

#[test]
fn the_library_alone_needs_nothing_of_the_command_line() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "-p", "cyclescope", "--no-default-features", "-e", "normal", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("cyclescope-scope"), "{tree}");
    for dependency in ["clap", "tokio", "capstone", "indicatif", "cyclescope-images", "cyclescope-host", "gdbstub"] {
        assert!(!tree.lines().any(|line| line.split(' ').next() == Some(dependency)), "{dependency}: {tree}");
    }
}

#[test]
fn a_flag_ends_a_run_and_the_board_goes_on_to_the_same_cycle() {
    let firmware = firmware("primes-c-plain-two-s-stm32c031c6");
    let whole = {
        let mut board = firmware.on("stm32c031c6").expect("a board");
        board.run_for("900ms").expect("it runs");
        (board.cycles(), board.instructions())
    };
    let mut board = firmware.on("stm32c031c6").expect("a board");
    let flag = board.stop_flag();
    flag.store(true, Ordering::Relaxed);
    let error = board.run_for("900ms").expect_err("it was to end").to_string();
    assert!(error.contains("interrupted while waiting for the end of 900ms; it stands at cycle"), "{error}");
    assert!(board.cycles() < whole.0, "{}", board.cycles());
    flag.store(false, Ordering::Relaxed);
    let left = whole.0 - board.cycles();
    board.run_for(Time::Cycles(left)).expect("it goes on");
    assert_eq!((board.cycles(), board.instructions()), whole);
}
