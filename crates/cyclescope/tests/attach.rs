//! Devices on a chip's pins, by the command and by the library.

use std::path::Path;
use std::process::Output;

use cyclescope::attached::eeprom::Eeprom;
use cyclescope::{Attachment, Firmware, Setup, Wire};

use crate::common::{cyclescope, folder, json, text};
use crate::{bit_banged, common};

/// Images that print on a serial port, their chips, and the port.
const PRINTING: [(&str, &str, &str); 3] = [
    ("switch-c-loop-plain-s-stm32c031c6", "stm32c031c6", "uart2"),
    ("switch-c-loop-plain-s-stm32f446ze", "stm32f446ze", "usart3"),
    ("switch-c-loop-plain-s-mk20dx256", "mk20dx256", "uart0"),
];

/// Writes 0x5A to the place 0x010 of the EEPROM at 0x50, and 0xA5 to the same place of the one at 0x51.
fn writes() -> Vec<u8> {
    let both = [bit_banged::i2c(&[0xA0, 0x00, 0x10, 0x5A]), bit_banged::i2c(&[0xA2, 0x00, 0x10, 0xA5])];
    bit_banged::program(&both.concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("app.elf"), writes()).expect("the folder is ours");
    cyclescope(folder, arguments)
}

const PINS: &str = "scl=PB6,sda=PB7";

#[test]
fn a_memory_is_loaded_written_by_the_guest_and_saved() {
    let folder = folder();
    std::fs::write(folder.path().join("in.bin"), [1; 20]).expect("the folder is ours");
    let first = format!("eeprom:24c32,file=in.bin,save=out.bin@{PINS}");
    let second = format!("eeprom:24c32,address=0x51,name=other,save=other.bin@{PINS}");
    let commands: [&[&str]; 4] = [
        &["exec", "app.elf"],
        &["measure", "app.elf", "--span", "run=time:1us..time:9us", "--for", "10ms"],
        &["trace", "app.elf", "--from", "time:1us", "--to", "address:0x08000028"],
        &["profile", "app.elf", "--for", "10ms"],
    ];
    for command in commands {
        let more = ["--chip", "stm32f103c8", "--attach", &first, "--attach", &second];
        let output = run(folder.path(), &[command, &more].concat());
        assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
        let bytes = std::fs::read(folder.path().join("out.bin")).expect("it was written");
        let mut expected = vec![0xFF; 4096];
        expected[..20].fill(1);
        expected[0x10] = 0x5A;
        assert!(bytes == expected, "{command:?}: {:?}", &bytes[..32]);
        let other = std::fs::read(folder.path().join("other.bin")).expect("it was written");
        assert_eq!((other[0x10], other[0x11], other.len()), (0xA5, 0xFF, 4096));
        assert!(
            text(&output.stderr).contains("wrote the 4,096 bytes of eeprom to out.bin"),
            "{}",
            text(&output.stderr)
        );
        std::fs::remove_file(folder.path().join("out.bin")).expect("it is there");
    }
}

#[test]
fn a_file_of_a_measurement_has_devices_and_records_name_them() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("here")).expect("the folder is ours");
    let device = format!("eeprom:24c32,save=out.bin@{PINS}");
    let file = format!(
        "elf = '../app.elf'\nchip = 'stm32f103c8'\nspan = ['run=time:1us..time:9us']\nfor = '2ms'\nattach = ['{device}']\n"
    );
    std::fs::write(folder.path().join("here/m.toml"), file).expect("the folder is ours");
    let output = run(folder.path(), &["measure", "--file", "here/m.toml", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(json(&output)["records"][0]["params"]["attach.01"], device.as_str());
    assert_eq!(std::fs::read(folder.path().join("here/out.bin")).expect("it was written")[0x10], 0x5A);
}

#[test]
fn what_cannot_be_attached_is_told_before_the_run() {
    let folder = folder();
    std::fs::write(folder.path().join("long.bin"), [0; 4097]).expect("the folder is ours");
    for (devices, code, says) in [
        (&["eprom:24c32@i2c1"][..], 2, "did you mean `eeprom`?"),
        (&["eeprom:24c32@scl=PB6,sda=PG7"], 65, "has no pin PG7"),
        (&["eeprom:24c32@i2c7"], 65, "no I2C7 with a signal SCL at a pin; I2C1 and I2C2 have one"),
        (&["eeprom:24c32@i2c1", "eeprom:24c32@i2c1"], 65, "two devices are named eeprom"),
        (&["eeprom:24c32,file=none.bin@i2c1"], 66, "none.bin cannot be read"),
        (&["eeprom:24c32,file=long.bin@i2c1"], 65, "long.bin: eeprom keeps 4,096 bytes, but its file has more"),
        (&["eeprom:24c32,save=a.bin@i2c1", "eeprom:24c32,name=b,save=./a.bin@i2c1"], 2, "are one file: ./a.bin"),
        (&["eeprom:24c32,save=app.elf@i2c1"], 2, "the image and save= of an --attach are one file: app.elf"),
        (&["eeprom:24c32,save=no/a.bin@i2c1"], 73, "no/a.bin cannot be written"),
    ] {
        let devices = devices.iter().flat_map(|device| ["--attach", device]);
        let command: Vec<&str> = ["exec", "app.elf", "--chip", "stm32f103c8"].into_iter().chain(devices).collect();
        let output = run(folder.path(), &command);
        let error = text(&output.stderr);
        assert!(error.contains(says), "{command:?}: {error}");
        assert_eq!(output.status.code(), Some(code), "{command:?}: {error}");
    }
    let left = std::fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(left, 2, "no file was written");
}

#[test]
fn devices_are_listed() {
    let folder = folder();
    let table = text(&cyclescope(folder.path(), &["list", "devices"]).stdout);
    assert!(table.contains("eeprom") && table.contains("address=0x50") && table.contains("save=OUT"), "{table}");
    let listed = json(&cyclescope(folder.path(), &["list", "devices", "--format", "json"]));
    let of = |name| listed["devices"].as_array().expect("a list").iter().find(|one| one["name"] == name).cloned();
    assert_eq!(of("eeprom").expect("it is listed")["options"][0]["option"], "24c32");
    let table = text(&cyclescope(folder.path(), &["list", "devices", "--format", "markdown"]).stdout);
    assert!(table.contains("| eeprom"), "{table}");
}

#[test]
fn the_library_attaches_by_text_and_by_value() {
    let folder = folder();
    let firmware = Firmware::from_elf("app", &writes()).expect("an ELF");
    let path = folder.path().join("in.bin");
    std::fs::write(&path, [7, 8]).expect("the folder is ours");
    let wire = |pin: &str| Some(Wire::Pin(pin.parse().expect("a pin")));
    let other = Attachment {
        name: "other".into(),
        device: Box::new(Eeprom::new(0x51)),
        wires: vec![wire("PB6"), wire("PB7"), None],
    };
    let setup = Setup::new("stm32f103c8").attach(&format!("eeprom:24c32,file={}@{PINS}", path.display()));
    let mut board = setup.attach(other).start(&firmware).expect("it starts");
    assert_eq!(board.run_to_exit().expect("it ends"), 0);
    let bytes = |name| board.attached::<Eeprom>(name).expect("it is there").bytes();
    assert_eq!((&bytes("eeprom")[..2], bytes("eeprom")[0x10], bytes("other")[0x10]), (&[7, 8][..], 0x5A, 0xA5));
    assert!(board.attached::<Eeprom>("none").is_none());
    for (device, says) in [
        ("eeprom:24c32,save=a@i2c1", "neither read nor written"),
        ("eeprom:24c32@i2c9", "I2C9"),
        ("eeprom:24c32,file=/none/at/all@i2c1", "cannot be read"),
    ] {
        let refused = Setup::new("stm32f103c8").attach(device).start(&firmware).map(|_| ());
        let error = refused.expect_err(device).to_string();
        assert!(error.contains(says), "{device}: {error}");
    }
}

#[test]
fn voltages_and_quantities_are_stimuli() {
    let folder = folder();
    std::fs::write(folder.path().join("a.csv"), "volts\n0\n3.3\n0\n").expect("the folder is ours");
    let measure = |stimulus: &str| {
        let head = ["measure", "app.elf", "--chip", "stm32f103c8", "--attach", "eeprom:24c32@scl=PB6,sda=PB7"];
        let tail = ["--span", "high=pin:PA0:rise..pin:PA0:fall", "--format", "json", "--stimulus", stimulus];
        run(folder.path(), &[&head[..], &tail, &["--stimulus", "at 100us pin PA0 low"]].concat())
    };
    let output = measure("at 20us pin PA0 3V");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let records = json(&output);
    assert_eq!(records["records"][0]["mean"], 640, "80 us at 8 MHz");
    assert_eq!(records["records"][0]["params"]["stimulus.01"], "at 20us pin PA0 3V");
    for (stimulus, code, says) in [
        ("at 20us eeprom temperature 21", 65, "this device has no value `temperature`"),
        ("at 20us eprom temperature 21", 65, "no device `eprom` is attached, but eeprom"),
        ("at 20us pin PG9 1V", 65, "the part has no pin PG9"),
        ("at 20us pin PA0 samples b.csv every 1ms", 65, "b.csv cannot be read"),
        ("at 20us pin PA0 samples app.elf every 1ms", 65, "app.elf"),
        ("at 20us pin PA0 1.2", 2, "a voltage (1.2V, ramp, sine or samples)"),
    ] {
        let output = measure(stimulus);
        let error = text(&output.stderr);
        assert!(error.contains(says), "{stimulus}: {error}");
        assert_eq!(output.status.code(), Some(code), "{stimulus}: {error}");
    }
    let output = measure("at 20us pin PA0 samples a.csv every 10us");
    assert!(text(&output.stderr).contains("span `high` never began"), "shapes are no levels: {}", text(&output.stderr));
}

#[test]
fn transfers_are_events() {
    let folder = folder();
    let measure = |span: &str| {
        let head = ["measure", "app.elf", "--chip", "stm32f103c8", "--attach", "eeprom:24c32@scl=PB6,sda=PB7"];
        run(folder.path(), &[&head[..], &["--span", span, "--format", "json", "--vcd", "app.vcd"]].concat())
    };
    let cycles = |span: &str| {
        let output = measure(span);
        assert!(output.status.success(), "{span}: {}", text(&output.stderr));
        let record = json(&output)["records"][0].clone();
        (record["n"].as_u64().expect("a number"), record["mean"].as_u64())
    };
    // A byte has 9 bits of three levels, each of 7 cycles.
    let (count, between) = cycles("one=eeprom:start=0x50..eeprom:byte=0x00");
    assert_eq!((count, between), (1, Some(9 * 3 * 7)));
    assert_eq!(cycles("two=eeprom:byte=0x10..eeprom:byte=0x5a").1, Some(9 * 3 * 7));
    assert_eq!(cycles("all=eeprom:start..eeprom:stop").0, 1, "0x51 is nobody's");
    let dump = std::fs::read_to_string(folder.path().join("app.vcd")).expect("it was written");
    assert!(dump.contains("$var string 1 ") && dump.contains(" eeprom $end"), "{}", &dump[..400]);
    assert!(dump.contains("sstart_0x50_write ") && dump.contains("sbyte_0x5a "), "{dump}");
    for (span, says) in [
        ("x=eprom:start..eeprom:stop", "no transfers are seen on a line `eprom`; the nearest are eeprom"),
        ("x=uart9:sent..eeprom:stop", "the nearest are usart"),
        ("x=uart2:start..eeprom:stop", "does not come on that line; write sent or received"),
        ("x=eeprom:sent..eeprom:stop", "write start, byte, stop or nack"),
    ] {
        let output = measure(span);
        assert!(text(&output.stderr).contains(says), "{span}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(65), "{span}");
    }
}

#[test]
fn characters_of_serial_ports_are_events() {
    let folder = folder();
    for (image, chip, port) in PRINTING {
        common::unpack(image, &folder.path().join("app.elf"));
        let until = format!("{port}:sent=0x0a");
        let arguments = ["profile", "app.elf", "--chip", chip, "--guest-output", "stdout", "--out", "x.md"];
        let output = cyclescope(folder.path(), &[&arguments[..], &["--until", &until]].concat());
        let (printed, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{image}: {error}");
        assert!(printed.ends_with('\n') && printed.matches('\n').count() == 1, "{image}: {printed:?}");
    }
}
