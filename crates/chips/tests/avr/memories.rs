use crate::asm::*;
use crate::machine::{CODE, Machine, nops};
use cyclescope_chips::avr::ATMEGA328P;
use cyclescope_machine::Width;
use cyclescope_peripherals::avr::Device;

const EECR: u8 = 0x1F;
const EEDR: u8 = 0x20;
const EEARL: u8 = 0x21;
const SPMCSR: u8 = 0x37;

/// Writes `value` to the EEPROM's byte `address` as the datasheet's example does (8271H §8.6.3).
fn write(address: u8, value: u8) -> Vec<u16> {
    vec![ldi(16, address), out(EEARL, 16), ldi(16, value), out(EEDR, 16), sbi(EECR, 2), sbi(EECR, 1)]
}

fn eeprom(machine: &Machine) -> &[u8] {
    let found = machine.bus.peripherals.blocks().find_map(|(_, device)| match device {
        Device::Eeprom(eeprom) => Some(eeprom.contents()),
        _ => None,
    });
    found.expect("the part has an EEPROM")
}

#[test]
fn a_byte_is_written_in_3_3_ms_and_read_back() {
    let mut machine = Machine::new(&[
        &write(5, 0xA5),
        &[sbic(EECR, 1), rjmp(-2), input(21, EECR)],
        &[ldi(16, 0), out(EEDR, 16), sbi(EECR, 0), input(17, EEDR), BREAK],
    ]);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(21)), (0xA5, 0));
    assert_eq!((eeprom(&machine)[5], eeprom(&machine)[4]), (0xA5, 0xFF));
    // 26,368 cycles of the RC oscillator of 8 MHz are 52,736 of 16 MHz; EEPE is set in cycle 7.
    let expected = 7 + 52_736;
    assert!((expected..expected + 15).contains(&machine.now()), "{}", machine.now());
    assert!(machine.gaps().is_empty(), "{:?}", machine.gaps());
}

#[test]
fn the_core_is_halted_for_four_cycles_by_a_read_and_for_two_by_the_beginning_of_a_write() {
    const GPIOR0: u8 = 0x1E;
    let taken = |first: u16, second: u16| {
        let mut machine = Machine::new(&[&[first, second, BREAK]]);
        machine.run_to_break();
        machine.now()
    };
    let plain = taken(sbi(GPIOR0, 0), sbi(GPIOR0, 1));
    assert_eq!(taken(sbi(GPIOR0, 0), sbi(EECR, 0)) - plain, 4);
    assert_eq!(taken(sbi(EECR, 2), sbi(EECR, 1)) - plain, 2);
    // Without EEMPE nothing is written and nothing halts.
    assert_eq!(taken(sbi(GPIOR0, 0), sbi(EECR, 1)), plain);
}

#[test]
fn eempe_opens_the_window_for_four_cycles() {
    let attempt = |wait: usize| {
        let mut machine = Machine::new(&[
            &[ldi(16, 1), out(EEDR, 16), sbi(EECR, 2)],
            &nops(wait),
            &[sbi(EECR, 1), input(17, EECR), BREAK],
        ]);
        machine.run_to_break();
        machine.r(17) & 2 != 0
    };
    // SBI writes two cycles after the one before it.
    assert_eq!([0, 1, 2, 3, 4].map(attempt), [true, true, true, false, false]);
}

#[test]
fn the_eeprom_erases_and_writes_apart() {
    let mode = |mode: u8, value: u8| [vec![ldi(16, mode << 4), out(EECR, 16)], write(0, value)].concat();
    let wait = [sbic(EECR, 1), rjmp(-2)];
    let mut machine = Machine::new(&[&mode(0, 0x3C), &wait, &mode(2, 0x0F), &wait, &[BREAK]]);
    machine.run_to_break();
    assert_eq!(eeprom(&machine)[0], 0x0C);
    // 3.3 ms and 1.8 ms.
    assert!((81_536..81_600).contains(&machine.now()), "{}", machine.now());
    let mut machine = Machine::new(&[&mode(0, 0x3C), &wait, &mode(1, 0x0F), &wait, &[BREAK]]);
    machine.run_to_break();
    assert_eq!(eeprom(&machine)[0], 0xFF);
}

#[test]
fn the_eeprom_asks_while_it_is_ready() {
    let mut machine = Machine::of(
        &ATMEGA328P,
        &[
            (4 * 22, &jmp(0x1100)),
            // The handler switches itself off.
            (0x1100, &[cbi(EECR, 3), inc(21), RETI]),
            (CODE, &[write(1, 2), vec![sbi(EECR, 3), SEI], nops(100), vec![mov(22, 21), HERE]].concat()),
        ],
    );
    machine.run(52_000);
    assert_eq!(machine.r(21), 0, "busy");
    machine.run(53_000);
    assert_eq!((machine.r(21), machine.r(22)), (1, 0));
}

/// SPM with Z = `z`, r1:r0 = `word` and the command `command`.
fn spm(z: u16, word: u16, command: u8) -> Vec<u16> {
    let [low, high] = z.to_le_bytes();
    let [data_low, data_high] = word.to_le_bytes();
    vec![
        ldi(30, low),
        ldi(31, high),
        ldi(17, data_low),
        mov(0, 17),
        ldi(17, data_high),
        mov(1, 17),
        ldi(16, command),
        out(SPMCSR, 16),
        SPM,
    ]
}

/// Runs the boot loader `code`, at the beginning of the boot section.
fn boot(code: &[u16]) -> Machine {
    let section = ATMEGA328P.sections.boot;
    let mut machine = Machine::of(&ATMEGA328P, &[(section, code), (0x3000, &[0x1234, 0x5678])]);
    machine.core.cpu_mut().pc = section;
    machine.run_to_break();
    machine
}

fn word(machine: &Machine, at: u32) -> u32 {
    machine.bus.memory.read(at, Width::Half).expect("it is flash")
}

#[test]
fn a_boot_loader_erases_and_writes_a_page() {
    let wait = [input(16, SPMCSR), sbrc(16, 0), rjmp(-3)];
    let machine = boot(
        &[
            spm(0x3000, 0, 0x03),
            wait.to_vec(),
            spm(0x3002, 0xBEEF, 0x01),
            spm(0x307E, 0xCAFE, 0x01),
            spm(0x3000, 0, 0x05),
            vec![input(21, SPMCSR)],
            wait.to_vec(),
            vec![input(22, SPMCSR)],
            spm(0, 0, 0x11),
            vec![input(23, SPMCSR), BREAK],
        ]
        .concat(),
    );
    assert_eq!([0x3000, 0x3002, 0x3004, 0x307E].map(|at| word(&machine, at)), [0xFFFF, 0xBEEF, 0xFFFF, 0xCAFE]);
    assert_eq!((machine.r(21), machine.r(22), machine.r(23)), (0x45, 0x40, 0x00));
    // Two operations of 4.5 ms; the core runs on meanwhile.
    assert!((144_000..144_100).contains(&machine.now()), "{}", machine.now());
}

#[test]
fn the_core_waits_while_its_own_section_is_programmed() {
    let machine = boot(&[spm(0x7000, 0, 0x03), vec![input(21, SPMCSR), BREAK]].concat());
    assert_eq!(machine.r(21), 0);
    assert!((72_000..72_020).contains(&machine.now()), "{}", machine.now());
}

#[test]
fn spm_must_follow_within_four_cycles_and_from_the_boot_section() {
    let late = |wait: usize| {
        let mut code = spm(0x3000, 0, 0x03);
        code.splice(8..8, nops(wait));
        code.push(BREAK);
        word(&boot(&code), 0x3000) == 0xFFFF
    };
    assert_eq!([2, 3, 4].map(late), [true, true, false]);
    let mut machine = Machine::new(&[&spm(0x3000, 0, 0x03), &[BREAK]]);
    machine.run_to_break();
    assert_eq!(machine.gaps(), ["SPM outside the boot section does nothing"]);
}
