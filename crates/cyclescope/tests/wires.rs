//! Peripherals that talk to devices on their wires (firmware/suites/wires), and their edges as another decoder reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::tools::wanted;
use crate::common::{cyclescope, folder, text};

/// The devices that the program talks to.
const DEVICES: [&str; 4] =
    ["--attach", "eeprom:24c32,save=e.bin@scl=PB6,sda=PB7", "--attach", "flash:w25q32@spi1,cs=PA4"];

fn firmware() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/wires.elf")
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
    // The decoder's reader takes wires of one bit only.
    let all = std::fs::read_to_string(folder.path().join("all.vcd")).expect("it was written");
    let wires = |line: &&str| {
        !line.starts_with('b')
            && !line.starts_with('s')
            && !line.contains("$var wire 16")
            && !line.contains("$var string")
    };
    let vcd = folder.path().join("wires.vcd");
    std::fs::write(&vcd, all.lines().filter(wires).collect::<Vec<_>>().join("\n")).expect("the folder is ours");

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
