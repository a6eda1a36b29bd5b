//! Peripherals that talk to devices on their wires (firmware/suites/wires), and their edges as another decoder reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::tools::wanted;
use crate::common::{cyclescope, folder, suite, text};

/// The devices that the program talks to.
const DEVICES: [&str; 4] =
    ["--attach", "eeprom:24c32,save=e.bin@scl=PB6,sda=PB7", "--attach", "flash:w25q32@spi1,cs=PA4"];

fn firmware() -> PathBuf {
    suite("wires.elf")
}

#[test]
fn an_eeprom_keeps_what_is_written_and_a_flash_says_who_it_is() {
    let folder = folder();
    let elf = firmware();
    let elf = elf.to_str().expect("a path of text");
    let output = cyclescope(folder.path(), &[&["exec", elf, "--chip", "stm32f103c8"], &DEVICES[..]].concat());
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "cafe ef4016\n"),
        "{}",
        text(&output.stderr)
    );
    let kept = std::fs::read(folder.path().join("e.bin")).expect("it was saved");
    assert_eq!((kept.len(), &kept[0x122..0x126]), (4096, &[0xFF, 0xCA, 0xFE, 0xFF][..]));
    // Without the EEPROM nobody acknowledges, which the user is told.
    let alone = cyclescope(folder.path(), &["exec", elf, "--chip", "stm32f103c8"]);
    let said = text(&alone.stderr);
    assert_eq!((alone.status.code(), text(&alone.stdout).as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("I2C1: nothing is attached to its bus, so that nobody answers"), "{said}");
}

#[test]
fn frames_go_to_a_node_on_can_and_come_back() {
    let folder = folder();
    let elf = suite("can.elf");
    let base = ["exec", elf.to_str().expect("a path of text"), "--chip", "stm32f103c8"];
    let output =
        cyclescope(folder.path(), &[&base[..], &["--attach", "can:echo,send=321#55,save=out.log@can1"]].concat());
    let frames = "321#55\n123#DEADBEEF\n00000001#00000000FFFFFFFF\n7FF#R\n";
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), frames), "{}", text(&output.stderr));
    let log = std::fs::read_to_string(folder.path().join("out.log")).expect("it was saved");
    let frame = |line: &str| line.split_once(") can0 ").map(|(_, frame)| frame.to_owned()).expect(line);
    let kept: Vec<String> = log.lines().map(frame).collect();
    let twice = |frame: &'static str| [frame, frame];
    let others = ["123#DEADBEEF", "00000001#00000000FFFFFFFF", "7FF#R"].into_iter().flat_map(twice);
    assert_eq!(kept, ["321#55"].into_iter().chain(others).collect::<Vec<_>>());
    // The same frames from the log, by a node that does not echo.
    std::fs::write(folder.path().join("in.log"), frames.replace('\n', "\n(0.0) can0 ").trim_end_matches("(0.0) can0 "))
        .expect("the folder is ours");
    let broken = cyclescope(folder.path(), &[&base[..], &["--attach", "can:file=in.log@can1"]].concat());
    let said = text(&broken.stderr);
    assert!(!broken.status.success() && said.contains("line 1") && said.contains("candump"), "{said}");
    std::fs::write(folder.path().join("in.log"), log).expect("the folder is ours");
    let replay = cyclescope(folder.path(), &[&base[..], &["--attach", "can:file=in.log@can1"]].concat());
    assert_eq!(
        (replay.status.code(), text(&replay.stdout).as_str()),
        (Some(0), "321#55\n123#DEADBEEF\n123#DEADBEEF\n00000001#00000000FFFFFFFF\n"),
        "{}",
        text(&replay.stderr)
    );
    // Without another node, and with one at another rate, the user is told why nothing goes.
    for (more, says) in [
        (&[][..], "no other node on its bus acknowledges"),
        (&["--attach", "can:bitrate=250k@can1"][..], "it runs at 250000 bit/s"),
    ] {
        let output = cyclescope(folder.path(), &[&base[..], more].concat());
        let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.status.code() == Some(1) && said.contains(says), "{said}");
    }
}

#[test]
fn the_edges_of_can_are_what_another_decoder_expects() {
    if !wanted("sigrok-cli") {
        return;
    }
    let folder = folder();
    let elf = suite("can.elf");
    let arguments = [
        "measure",
        elf.to_str().expect("a path of text"),
        "--chip",
        "stm32f103c8",
        "--for",
        "20ms",
        "--attach",
        "can:echo,send=321#55@can_tx=PA12,can_rx=PA11",
        "--vcd",
        "all.vcd",
        "--span",
        "x=first can1:frame=0x123..can1:frame=0x1",
    ];
    let output = cyclescope(folder.path(), &arguments);
    assert!(text(&output.stderr).contains("to all.vcd"), "{}", text(&output.stderr));
    let vcd = folder.path().join("all.vcd");
    let can = |row| decoded(&vcd, "can:can_rx=PA11:nominal_bitrate=500000:sample_point=87.5", row);
    let ids = ["801 (0x321)", "291 (0x123)", "291 (0x123)"].map(|id| format!("Identifier: {id}"));
    let seen = can("can=id");
    assert_eq!(seen[..3], ids, "{seen:?}");
    let full = can("can=full-id");
    assert_eq!(full, ["Full Identifier: 1 (0x1)"; 2]);
    let bytes = |data: &[&str]| -> Vec<String> {
        data.iter().enumerate().map(|(index, byte)| format!("Data byte {index}: 0x{byte}")).collect()
    };
    let word = bytes(&["de", "ad", "be", "ef"]);
    let long = bytes(&["00", "00", "00", "00", "ff", "ff", "ff", "ff"]);
    assert_eq!(can("can=data"), [bytes(&["55"]), word.clone(), word, long.clone(), long].concat());
    assert_eq!(can("can=eof").len(), 7);
    assert_eq!(can("can=ack-slot"), ["ACK slot: ACK"; 7]);
    // It has doubts about one thing only: an identifier of all ones, as old controllers did not like it.
    assert!(can("can=warnings").iter().all(|doubt| doubt.starts_with("Identifier bits 10..4")));
}

/// Returns the decoder's lines for the edges in `vcd`.
fn decoded(vcd: &Path, decoder: &str, rows: &str) -> Vec<String> {
    let output = Command::new("sigrok-cli")
        .args(["-I", "vcd:downsample=100", "-P", decoder, "-A", rows, "-i"])
        .arg(vcd)
        .output()
        .expect("sigrok-cli runs");
    let lines = text(&output.stdout);
    lines.lines().map(|line| line.split_once(": ").map_or(line, |(_, said)| said).to_owned()).collect()
}

#[test]
fn the_edges_of_i2c_spi_and_a_serial_port_are_what_another_decoder_expects() {
    if !wanted("sigrok-cli") {
        return;
    }
    let folder = folder();
    let elf = firmware();
    let elf = elf.to_str().expect("a path of text");
    let arguments = [
        "measure",
        elf,
        "--chip",
        "stm32f103c8",
        "--for",
        "100ms",
        "--vcd",
        "all.vcd",
        "--span",
        "x=first i2c1:start=0x50..i2c1:stop",
    ];
    let output = cyclescope(folder.path(), &[&arguments, &DEVICES[..]].concat());
    assert!(text(&output.stderr).contains("to all.vcd"), "{}", text(&output.stderr));
    let vcd = folder.path().join("all.vcd");

    let i2c = decoded(&vcd, "i2c:scl=PB6:sda=PB7", "i2c=addr-data");
    let begin = ["Start", "Write", "Address write: 50", "ACK", "Data write: 01", "ACK", "Data write: 23", "ACK"];
    let written = [&begin[..], &["Data write: CA", "ACK", "Data write: FE", "ACK", "Stop"]].concat();
    assert_eq!(i2c[..written.len()], written, "{i2c:?}");
    // Ten milliseconds of refused addresses.
    let refused = ["Start", "Write", "Address write: 50", "NACK", "Stop"];
    let read =
        ["Start repeat", "Read", "Address read: 50", "ACK", "Data read: CA", "ACK", "Data read: FE", "NACK", "Stop"];
    let end = [&begin[..], &read].concat();
    let polls = &i2c[written.len()..i2c.len() - end.len()];
    assert!(polls.len() > 50 * refused.len() && polls.chunks(refused.len()).all(|poll| poll == refused), "{polls:?}");
    assert_eq!(i2c[i2c.len() - end.len()..], end);

    let spi = |row| decoded(&vcd, "spi:clk=PA5:mosi=PA7:miso=PA6:cs=PA4", row);
    assert_eq!(spi("spi=mosi-data"), ["9F", "00", "00", "00"]);
    assert_eq!(spi("spi=miso-data")[1..], ["EF", "40", "16"]);
    let sent = decoded(&vcd, "uart:tx=PA9:baudrate=115200:format=ascii", "uart=tx-data");
    assert_eq!(sent.concat(), "cafe ef4016[0A]");
}

/// The controllers of the program that answers.
const CONTROLLERS: [&str; 4] = [
    "--attach",
    "i2c-controller:name=host,file=host.txt,save=host.log@i2c1",
    "--attach",
    "spi-controller:name=other,clock=100kHz,file=other.txt,save=other.log@spi1,cs=PA4",
];

/// Their scripts.
fn scripts(folder: &Path) {
    let host = "at 1ms write 0x42 02 ca fe 77\nat 3ms ask 0x42 2 03\nat 4ms write 0x43 01\nat 5ms write 0x42 00 11\n";
    std::fs::write(folder.join("host.txt"), host).expect("the folder is ours");
    std::fs::write(folder.join("other.txt"), "at 2ms send 9f 01 80\nat 2.5ms send 00\n").expect("the folder is ours");
}

#[test]
fn a_program_answers_controllers_on_i2c_and_spi() {
    let folder = folder();
    scripts(folder.path());
    let elf = suite("targets.elf");
    let elf = elf.to_str().expect("a path of text");
    let output = cyclescope(folder.path(), &[&["exec", elf, "--chip", "stm32f103c8"], &CONTROLLERS[..]].concat());
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "1100cafe77000000\n"), "{said}");
    let log = |name: &str| {
        let log = std::fs::read_to_string(folder.path().join(name)).expect("it was saved");
        log.lines().map(|line| line.split_once("ms ").expect("a time").1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        log("host.log"),
        [
            "write 0x42 02 ca fe 77: 84+ 02+ ca+ fe+ 77+",
            "ask 0x42 2 03: 84+ 03+ 85+ fe+ 77-",
            "write 0x43 01: 86-",
            "write 0x42 00 11: 84+ 00+ 11+"
        ]
    );
    assert_eq!(log("other.log"), ["send: 9f>5a 01>60 80>fe", "send: 00>7f"]);
    std::fs::write(folder.path().join("host.txt"), "at 1ms write 0x42 02\nat 2ms wrte 0x42\n").expect("it is ours");
    let refused = cyclescope(folder.path(), &[&["exec", elf, "--chip", "stm32f103c8"], &CONTROLLERS[..]].concat());
    assert_eq!(refused.status.code(), Some(65));
    assert!(text(&refused.stderr).contains("line 2"), "{}", text(&refused.stderr));
}

#[test]
fn the_edges_of_targets_are_what_another_decoder_expects() {
    if !wanted("sigrok-cli") {
        return;
    }
    let folder = folder();
    scripts(folder.path());
    let elf = suite("targets.elf");
    let elf = elf.to_str().expect("a path of text");
    let arguments = ["measure", elf, "--chip", "stm32f103c8", "--for", "6ms", "--vcd", "all.vcd"];
    let span = ["--span", "x=first host:start=0x42..host:stop"];
    let output = cyclescope(folder.path(), &[&arguments[..], &span, &CONTROLLERS].concat());
    assert!(text(&output.stderr).contains("to all.vcd"), "{}", text(&output.stderr));
    let vcd = folder.path().join("all.vcd");
    let i2c = decoded(&vcd, "i2c:scl=PB6:sda=PB7", "i2c=addr-data").join(" ");
    assert_eq!(
        i2c,
        "Start Write Address write: 42 ACK Data write: 02 ACK Data write: CA ACK Data write: FE ACK Data write: 77 ACK Stop \
         Start Write Address write: 42 ACK Data write: 03 ACK Start repeat Read Address read: 42 ACK Data read: FE ACK \
         Data read: 77 NACK Stop Start Write Address write: 43 NACK Stop \
         Start Write Address write: 42 ACK Data write: 00 ACK Data write: 11 ACK Stop"
    );
    let spi = |row| decoded(&vcd, "spi:clk=PA5:mosi=PA7:miso=PA6:cs=PA4", row);
    assert_eq!(spi("spi=mosi-data"), ["9F", "01", "80", "00"]);
    assert_eq!(spi("spi=miso-data"), ["5A", "60", "FE", "7F"]);
}
