//! ESP8266 and ESP32 as machines: programs in internal RAM, images that cannot run here, random programs.

use cyclescope_chips::{LoadError, Machine, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Channel, Restore, Stop};

use crate::robustness::Random;

/// `movi at, value`
fn movi(t: u8, value: u8) -> [u8; 3] {
    [t << 4 | 2, 0xA0, value]
}

/// `slli at, at, 28`
fn to_top(t: u8) -> [u8; 3] {
    [0x40, t << 4 | t, 0x01]
}

/// `s32i a3, a2, offset`
fn store(offset: u8) -> [u8; 3] {
    [0x32, 0x62, offset / 4]
}

/// `j` to itself.
const STAY: [u8; 3] = [0x06, 0xFF, 0xFF];

fn program(parts: &[[u8; 3]]) -> Vec<u8> {
    parts.concat()
}

/// Has a register of UART0 hold `value`, with its address in a2.
fn put(offset: u8, value: u8) -> [[u8; 3]; 2] {
    [movi(3, value), store(offset)]
}

fn machine(part: &str, at: u32, code: &[u8], settings: Settings) -> Result<Machine, LoadError> {
    Machine::new(Part::find(part).unwrap(), settings, [(Address::new(at), code)])
}

#[test]
fn a_program_in_ram_prints_by_uart0() {
    let code = [
        vec![movi(2, 6), to_top(2)],
        [put(0x14, 20), put(0x20, 0x1C), put(0x00, b'O'), put(0x00, b'K')].concat(),
        vec![STAY],
    ];
    let mut machine = machine("esp8266", 0x4010_0000, &program(&code.concat()), Settings::default()).unwrap();
    assert_eq!(machine.run(Cycles::new(10_000)), Stop::Horizon);
    assert_eq!(machine.shared().console.bytes(Channel::Uart(0)), b"OK");
    assert_eq!(machine.pc(), Address::new(0x4010_0000 + 3 * 10));
}

#[test]
fn images_for_flash_are_refused_in_words() {
    for (part, at, place) in [
        ("esp8266", 0x4020_1010, "serial flash through the cache"),
        ("esp32", 0x400D_0020, "serial flash through the cache"),
        ("esp32", 0x3F40_0020, "serial flash and external RAM through the cache"),
        ("esp8266", 0x4000_0000, "the vendor's boot ROM"),
    ] {
        let error = machine(part, at, &program(&[STAY]), Settings::default()).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains("not modelled"), "{error}");
    }
    let error = machine("esp32", 0x7000_0000, &program(&[STAY]), Settings::default()).unwrap_err();
    assert!(matches!(error, LoadError::NoMemory { .. }), "{error}");
}

#[test]
fn a_call_into_the_boot_rom_is_told_by_its_fault() {
    // callx0 a2
    let code = program(&[movi(2, 4), to_top(2), [0xC0, 0x02, 0x00], STAY]);
    for (part, at) in [("esp8266", 0x4010_0000), ("esp32", 0x4008_0000)] {
        let settings = Settings { halt_on_fault: true, ..Settings::default() };
        let mut machine = machine(part, at, &code, settings).unwrap();
        let Stop::Fault(fault) = machine.run(Cycles::new(10_000)) else { panic!("it runs on") };
        let status = machine.fault_status(fault).unwrap();
        assert!(status.ends_with("the vendor's boot ROM is not modelled"), "{status}");
    }
}

#[test]
fn random_programs_neither_panic_nor_hang_and_copies_go_on_alike() {
    for seed in 1..=24u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (part, base) = [("esp8266", 0x4010_0000), ("esp32", 0x4008_0000)][seed as usize % 2];
        let mut code: Vec<u8> = (0..0x4000).map(|_| random.next() as u8).collect();
        // Stores and loads that reach registers of devices, among all else.
        let high = if part == "esp8266" { 6 } else { 3 };
        let start = program(&[movi(2, high), to_top(2)]);
        code[..start.len()].copy_from_slice(&start);
        for _ in 0..200 {
            let at = random.of(0x3F00) as usize + 6;
            let access = [[0x32, 0x62, random.next() as u8], [0x32, 0x22, random.next() as u8]][random.of(2) as usize];
            code[at..at + 3].copy_from_slice(&access);
        }
        let mut machine = machine(part, base, &code, Settings::default()).unwrap();
        machine.run(Cycles::new(5_000));
        let mut copy = machine.clone();
        let ends = |machine: &mut Machine| {
            let stop = machine.run(Cycles::new(40_000));
            (format!("{stop:?}"), machine.now(), machine.pc(), machine.instructions(), machine.register("a2"))
        };
        let kept = machine.clone();
        let end = ends(&mut machine);
        assert_eq!(ends(&mut copy), end, "seed {seed}: a clone");
        machine.restore(&kept);
        assert_eq!(ends(&mut machine), end, "seed {seed}: restored");
    }
}
