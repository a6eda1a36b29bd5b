//! Cycles against literals read from the manual (DS40002198B, chapter 5, column AVRe, and each instruction's own page),
//! not from the tables in `src/timing`: a row that is changed there fails here.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_avr::decode::Extensions;
use cyclescope_avr::timing::{ATMEGA32U4, ATMEGA328P, WIDE_PC};
use cyclescope_machine::{Evidence, Stop};

/// Runs `code` followed by BREAK traced, in blocks, and cut at every cycle; each instruction must take its cycles in
/// `expected`, and all three ways the same in all. X, Y and Z point into SRAM.
fn check(name: &str, code: &[u16], expected: &[u64]) {
    let mut code = code.to_vec();
    code.push(BREAK);
    check_on(name, prepared(Machine::new(&code)), expected);
}

fn prepared(mut machine: Machine) -> Machine {
    for pointer in [26, 28, 30] {
        machine.core.cpu_mut().set_pair(pointer, 0x200);
    }
    machine
}

fn check_on(name: &str, machine: Machine, expected: &[u64]) {
    let total: u64 = expected.iter().sum();
    let (retired, stop) = machine.clone().trace(1000);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{name}: {stop:?}");
    let cycles: Vec<u64> = retired.iter().map(|retire| retire.cycles.get()).collect();
    assert_eq!(cycles, *expected, "{name}");
    assert_eq!(machine.clone().run_to_break(), total, "{name} in blocks");
    let mut cut = machine;
    let mut until = 0;
    while cut.run(until) == Stop::Horizon {
        until += 1;
    }
    assert_eq!(cut.now(), total, "{name} cut at every cycle");
}

#[test]
fn data_processing_takes_one_cycle() {
    for (name, word) in [
        ("ADD", 0x0C01),
        ("ADC", 0x1C01),
        ("SUB", 0x1801),
        ("SUBI", 0x5001),
        ("SBC", 0x0801),
        ("SBCI", 0x4001),
        ("AND", 0x2001),
        ("ANDI", 0x7001),
        ("OR", 0x2801),
        ("ORI", 0x6001),
        ("EOR", 0x2401),
        ("COM", 0x9400),
        ("NEG", 0x9401),
        ("INC", 0x9403),
        ("DEC", 0x940A),
        ("CP", 0x1401),
        ("CPC", 0x0401),
        ("CPI", 0x3001),
        ("MOV", 0x2C01),
        ("MOVW", 0x0101),
        ("LDI", 0xE001),
        ("LSR", 0x9406),
        ("ROR", 0x9407),
        ("ASR", 0x9405),
        ("SWAP", 0x9402),
        ("BSET", 0x9408),
        ("BCLR", 0x9488),
        ("SEI", SEI),
        ("CLI", CLI),
        ("BST", 0xFA01),
        ("BLD", 0xF801),
        ("NOP", NOP),
        ("WDR", WDR),
        ("IN", 0xB002),
        ("OUT", 0xB802),
        ("IN SREG", 0xB60F),
        ("OUT SREG", 0xBE0F),
        ("OUT SPL", 0xBE0D | 0x0010),
        ("IN SPH", 0xB60E),
        ("SLEEP while SE is clear", SLEEP),
    ] {
        check(name, &[word], &[1]);
        check(name, &[NOP, word, NOP], &[1, 1, 1]);
    }
}

#[test]
fn words_products_and_bits_of_io_take_two() {
    for (name, word) in [
        ("ADIW", 0x9601),
        ("SBIW", 0x9701),
        ("MUL", 0x9C01),
        ("MULS", 0x0201),
        ("MULSU", 0x0301),
        ("FMUL", 0x0309),
        ("FMULS", 0x0381),
        ("FMULSU", 0x0389),
        ("SBI", sbi(io::LATCH, 3)),
        ("CBI", cbi(io::LATCH, 3)),
    ] {
        check(name, &[NOP, word, NOP], &[1, 2, 1]);
    }
}

#[test]
fn loads_and_stores_take_two_and_program_memory_three() {
    for (name, word) in [
        ("LD X", 0x900C),
        ("LD X+", 0x900D),
        ("LD -X", 0x900E),
        ("LD Y", 0x8008),
        ("LD Y+", 0x9009),
        ("LD -Y", 0x900A),
        ("LDD Y+1", 0x8009),
        ("LD Z", 0x8000),
        ("LD Z+", 0x9001),
        ("LD -Z", 0x9002),
        ("LDD Z+63", 0xAC07),
        ("ST X", 0x920C),
        ("ST X+", 0x920D),
        ("ST -X", 0x920E),
        ("ST Y", 0x8208),
        ("ST Y+", 0x9209),
        ("ST -Y", 0x920A),
        ("STD Y+1", 0x8209),
        ("ST Z", 0x8200),
        ("ST Z+", 0x9201),
        ("ST -Z", 0x9202),
        ("STD Z+1", 0x8201),
        ("PUSH", push(0)),
        ("POP", pop(0)),
    ] {
        // POP at the end of RAM reads beyond it: nothing is there, and it takes its time all the same.
        check(name, &[NOP, word, NOP], &[1, 2, 1]);
    }
    check("LDS", &lds(0, 0x200), &[2]);
    check("STS", &sts(0x200, 0), &[2]);
    check("LDS of a register", &lds(0, 0x1F), &[2]);
    check("STS to I/O", &sts(0x22, 0), &[2]);
    for (name, word) in [("LPM", 0x95C8), ("LPM Rd, Z", 0x9004), ("LPM Rd, Z+", 0x9005)] {
        check(name, &[NOP, word, NOP], &[1, 3, 1]);
    }
    for (name, word) in [("ELPM", 0x95D8), ("ELPM Rd, Z", 0x9006), ("ELPM Rd, Z+", 0x9007)] {
        let config = cyclescope_avr::Config { extensions: Extensions::ALL, rampz: Some(0x5B), ..config() };
        check_on(name, prepared(Machine::with(config, &[(CODE, &[word, BREAK])])), &[3]);
    }
}

#[test]
fn jumps_calls_and_returns() {
    check("RJMP", &[rjmp(1), NOP], &[2]);
    let [jump, to] = jmp(CODE + 6);
    check("JMP", &[jump, to, NOP], &[3]);
    let z = [ldi(30, ((CODE + 8) >> 1) as u8), ldi(31, 0)];
    check("IJMP", &[z[0], z[1], IJMP, NOP], &[1, 1, 2]);
    let far = |target: u32| call(target);
    let [first, second] = far(CODE + 6);
    // The subroutine is the RET behind; it comes back to RJMP, which goes to BREAK.
    check("CALL and RET", &[first, second, rjmp(1), RET], &[4, 4, 2]);
    check("RCALL and RET", &[rcall(1), rjmp(1), RET], &[3, 4, 2]);
    check("ICALL and RETI", &[z[0], z[1], ICALL, rjmp(1), RETI], &[1, 1, 3, 4, 2]);
    let wide = cyclescope_avr::Config {
        timing: &WIDE_PC,
        extensions: Extensions::ALL,
        pc_bytes: 3,
        eind: Some(0x5C),
        ..config()
    };
    let on_wide = |name: &str, code: &[u16], expected: &[u64]| {
        check_on(name, Machine::with(wide, &[(CODE, &[code, &[BREAK]].concat())]), expected);
    };
    on_wide("CALL and RET, 22 bits", &[first, second, rjmp(1), RET], &[5, 5, 2]);
    on_wide("RCALL and RET, 22 bits", &[rcall(1), rjmp(1), RET], &[4, 5, 2]);
    on_wide("ICALL and RETI, 22 bits", &[z[0], z[1], ICALL, rjmp(1), RETI], &[1, 1, 4, 5, 2]);
    on_wide("EICALL, 22 bits", &[z[0], z[1], 0x9519, rjmp(1), RETI], &[1, 1, 4, 5, 2]);
    on_wide("EIJMP", &[z[0], z[1], 0x9419, NOP], &[1, 1, 2]);
}

#[test]
fn branches_take_one_or_two() {
    for bit in 0..8 {
        let set = 0x9408 | bit << 4;
        let clear = 0x9488 | bit << 4;
        check("BRBS taken", &[set, brbs(bit, 1), NOP], &[1, 2]);
        check("BRBS not taken", &[clear, brbs(bit, 1), NOP], &[1, 1, 1]);
        check("BRBC taken", &[clear, brbc(bit, 1), NOP], &[1, 2]);
        check("BRBC not taken", &[set, brbc(bit, 1), NOP], &[1, 1, 1]);
    }
}

#[test]
fn skips_take_a_cycle_more_for_each_word_skipped() {
    let [first, second] = sts(0x200, 0);
    let skips: [(&str, u16, u16); 5] = [
        ("CPSE", cpse(0, 0), cpse(0, 26 + 1)),
        ("SBRC", sbrc(0, 1), sbrc(27, 1)),
        ("SBRS", sbrs(27, 1), sbrs(0, 1)),
        ("SBIC", sbic(io::LATCH, 0), sbic(io::FLAGS, 7)),
        ("SBIS", sbis(io::FLAGS, 7), sbis(io::LATCH, 0)),
    ];
    for (name, skipping, falling) in skips {
        let on = |code: &[u16], expected: &[u64]| {
            let mut machine = prepared(Machine::new(&[code, &[BREAK]].concat()));
            machine.bus.peripherals.flags = 0x80;
            check_on(name, machine, expected);
        };
        on(&[falling, NOP, NOP], &[1, 1, 1]);
        on(&[skipping, NOP, NOP], &[2, 1]);
        on(&[skipping, first, second, NOP], &[3, 1]);
        on(&[falling, first, second, NOP], &[1, 2, 1]);
        // A skip that is skipped is one word.
        on(&[skipping, skipping, NOP], &[2, 1]);
    }
}

/// From the end of the instruction during which the line rises to the first instruction of the handler.
#[test]
fn interrupts_take_four_or_five_cycles_and_waking_as_many() {
    for (timing, response, wake) in [(&ATMEGA328P, 4, 4), (&ATMEGA32U4, 5, 5)] {
        let config = cyclescope_avr::Config { timing, ..config() };
        let code: &[u16] = &[SEI, ldi(16, 4), out(io::LATER, 16), NOP, NOP, NOP, NOP, NOP, NOP, BREAK];
        let handler: &[u16] = &[RETI];
        let machine = Machine::with(config, &[(CODE, code), (3 * 4, handler)]);
        let (retired, _) = machine.clone().trace(1000);
        let at = |pc: u32| retired.iter().find(|retire| retire.pc.get() == pc).unwrap().at.get();
        // OUT is at cycle 2, the line rises at 6.
        assert_eq!(at(12), 6 + response);
        assert_eq!(machine.clone().run_to_break(), 9 + response + 4);
        let code: &[u16] = &[SEI, ldi(16, 1), out(io::SMCR, 16), ldi(16, 20), out(io::LATER, 16), SLEEP, NOP, BREAK];
        let mut machine = Machine::with(config, &[(CODE, code), (3 * 4, handler)]);
        machine.bus.peripherals.start_up = 100;
        let (retired, _) = machine.clone().trace(1000);
        let at = |pc: u32| retired.iter().find(|retire| retire.pc.get() == pc).unwrap().at.get();
        // OUT is at cycle 4, the line rises at 24.
        assert_eq!(at(12), 24 + 100 + wake + response);
        assert_eq!(machine.run_to_break(), 24 + 100 + wake + response + 4 + 1);
    }
}

#[test]
fn what_flash_programming_halts_comes_on_top_of_spm() {
    let mut machine = Machine::new(&[ldi(30, 0), ldi(31, 4), SPM, NOP, BREAK]);
    machine.bus.peripherals.halt = 1000;
    machine.core.cpu_mut().set_pair(0, 0x1234);
    assert_eq!(machine.run_to_break(), 4 + 1000);
    assert_eq!(machine.log(), [(2, Happened::Stored(0x400, 0x1234))]);
}

#[test]
fn registers_see_the_cycle_of_their_access_in_the_middle_of_a_block() {
    // IN in its only cycle, LDS and LD in their second; SBI writes in its second.
    let [load, from] = lds(17, 0x21);
    let code =
        [NOP, input(16, io::TIME), NOP, load, from, 0x900C | 18 << 4, sbi(io::LATCH, 1), out(io::LATCH, 16), BREAK];
    let mut machine = Machine::new(&code);
    machine.core.cpu_mut().set_pair(26, 0x21);
    machine.run_to_break();
    let read: Vec<u8> = (16..19).map(|register| machine.core.cpu().get(register)).collect();
    assert_eq!(read, [1, 3 + 1, 5 + 1]);
    let bits: Vec<u64> =
        machine.log().iter().filter(|(_, what)| !matches!(what, Happened::Read(_))).map(|(at, _)| *at).collect();
    assert_eq!(bits, [7 + 1, 9]);
}

#[test]
fn only_what_the_manual_leaves_open_is_assumed() {
    let assumed = |timing: &cyclescope_avr::timing::CoreTiming| -> Vec<&str> {
        timing.rows.iter().filter(|row| row.evidence != Evidence::Documented).map(|row| row.name).collect()
    };
    let open =
        ["SPM", "reserved", "I/O phase", "bit phase", "skip phase", "interrupt delay by SREG", "interrupt recognition"];
    assert_eq!(assumed(&ATMEGA328P), open);
    assert_eq!(assumed(&ATMEGA32U4), open);
}
