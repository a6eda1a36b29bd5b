//! Compiled code leaves the same behind as the interpreter, wherever it is cut.

use cyclescope_compile::{Compiled, Settings};
use cyclescope_riscv::timing::{CoreTiming, IBEX, INSTRUCTIONS, PICORV32};
use cyclescope_riscv::{Config, Misaligned, Privileged, Traps};

use crate::common::asm::*;
use crate::common::{DATA, Machine, RAM, config, io, pico};

/// Counts x10 up for ever: a call makes room on the stack, one to an instruction across a word boundary does not, and a
/// branch is taken every other time.
fn code() -> Vec<u32> {
    vec![
        lui(2, DATA + 0x1000),
        addi(9, 0, -16),
        // 8: the loop.
        addi(10, 10, 1),
        jal(1, 40),
        and(11, 10, 1),
        beq(11, 0, 8),
        div(12, 10, 9),
        jalr(1, 8, 0),
        blt(9, 10, -24),
        addi(9, 9, -1),
        jal(0, -32),
        0,
        0,
        // 52: a function with a frame, which lies deeper after every 32 calls.
        and(15, 10, 0x3E0),
        sub(2, 2, 15),
        addi(2, 2, -32),
        sw(10, 2, 4),
        lh(13, 2, 4),
        add(13, 13, 11),
        addi(2, 2, 32),
        add(2, 2, 15),
        jalr(0, 1, 0),
    ]
}

fn sub(rd: u32, rs1: u32, rs2: u32) -> u32 {
    0x4000_0033 | rs2 << 20 | rs1 << 15 | rd << 7
}

/// ANDI.
fn and(rd: u32, rs1: u32, imm: u32) -> u32 {
    imm << 20 | rs1 << 15 | 7 << 12 | rd << 7 | 0x13
}

fn machine(config: Config) -> Machine {
    let mut machine = Machine::with(config, &[(RAM, &code())]);
    // C.NOP, ADDI x14, x14, 1 across a word boundary, and C.JR ra.
    let function = [1u16, 0x0713, 0x0017, 0x8082].map(u16::to_le_bytes).concat();
    let at = cyclescope_machine::units::Address::new(RAM + 0x400);
    assert!(machine.bus.memory.load(at, &function));
    machine.set(8, RAM + 0x402);
    machine
}

#[test]
fn compiled_code_can_be_cut_anywhere() {
    let on = |timing: &'static CoreTiming, config: Config| Config { timing, ..config };
    let ibex = Config { misaligned: Misaligned::Hardware, ..on(&IBEX, config()) };
    for config in [on(&INSTRUCTIONS, config()), ibex, on(&PICORV32, pico())] {
        let (mut plain, mut compiled) = (machine(config), machine(config));
        let tier = Compiled::new(Settings { period: 2, ..Settings::ALL });
        compiled.core.set_tier(Some(Box::new(tier)));
        let mut until = 0;
        for number in 0..3000 {
            until += 1 + number * 7 % 61;
            plain.run(until);
            compiled.run(until);
            let look = |machine: &Machine| (machine.outcome(), machine.core.cpu().inherited());
            assert_eq!(look(&compiled), look(&plain), "{}, up to {until}", config.timing.core);
        }
        assert!(plain.core.cpu().main_stack.used() > 0);
        let regions = format!("{:?}", compiled.core.tier());
        assert!(!regions.contains("regions: 0,"), "{}: {regions}", config.timing.core);
    }
}

/// Sleeps until a line wakes the core, which takes no interrupt, and lowers it, for ever; every other time it is awake already.
fn sleeper() -> Vec<u32> {
    vec![
        addi(6, 0, 0x80),
        csrrw(0, MIE, 6),
        addi(8, 0, 7),
        // 12: the loop.
        addi(10, 10, 1),
        and(7, 10, 1),
        slli(7, 7, 4),
        addi(7, 7, 2),
        sw(7, 30, io::LATER),
        addi(11, 11, 1),
        addi(12, 11, 1),
        WFI,
        sw(8, 30, io::LOWER),
        addi(13, 10, 5),
        jal(0, -40),
    ]
}

/// SLLI.
fn slli(rd: u32, rs1: u32, shift: u32) -> u32 {
    shift << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x13
}

#[test]
fn compiled_code_falls_asleep_and_wakes_up_in_the_same_cycles() {
    let ibex = Traps::Privileged(Privileged::ibex(RAM + 0x1000));
    for config in [config(), Config { timing: &IBEX, traps: ibex, ..config() }] {
        let mut plain = Machine::with(config, &[(RAM, &sleeper())]);
        let mut compiled = plain.clone();
        let tier = Compiled::new(Settings { period: 2, ..Settings::ALL });
        compiled.core.set_tier(Some(Box::new(tier)));
        let mut until = 0;
        for number in 0..600 {
            until += 1 + number * 7 % 61;
            plain.run(until);
            compiled.run(until);
            assert_eq!(compiled.outcome(), plain.outcome(), "{}, up to {until}", config.timing.core);
        }
        assert!(plain.x(10) > 300 && plain.bus.peripherals.log.len() > 1500, "{} turns", plain.x(10));
        let regions = format!("{:?}", compiled.core.tier());
        assert!(!regions.contains("regions: 0,"), "{}: {regions}", config.timing.core);
    }
}

/// The number of regions that are made by the cycle `until`, as `settings` say.
fn regions(settings: Settings, until: u64) -> u32 {
    let mut machine = machine(config());
    machine.core.set_tier(Some(Box::new(Compiled::new(settings))));
    machine.run(until);
    let tier = format!("{:?}", machine.core.tier().expect("it was set"));
    let (_, count) = tier.split_once("regions: ").expect("it tells their number");
    count.split(',').next().and_then(|count| count.parse().ok()).expect("a number")
}

#[test]
fn a_region_is_made_once_the_interpreter_has_taken_as_long() {
    let settings = Settings { cost: 1_000, period: 4, patience: u32::MAX, ..Settings::default() };
    // Twenty-one instructions are compiled, a cycle each interpreted; a part of them are in no loop of their own.
    assert_eq!(regions(settings, 8_000), 0);
    let early = regions(settings, 60_000);
    assert!(early > 0);
    // All that runs is in them by then: nobody asks for more.
    let later = regions(settings, 400_000);
    assert_eq!(regions(settings, 4_000_000), later, "{early} of them early");
    assert_eq!(regions(Settings { cost: u32::MAX, ..settings }, 400_000), 0);
}

#[test]
fn a_region_that_runs_long_is_compiled_well_once() {
    let quick = Settings { cost: 1_000, period: 4, patience: u32::MAX, ..Settings::default() };
    let settings = Settings { patience: 10_000, ..quick };
    // Twenty-one instructions: it would take some 210,000 of them, a cycle each.
    assert_eq!(regions(settings, 100_000), regions(quick, 100_000), "too early");
    let later = regions(settings, 4_000_000);
    assert!(later > regions(quick, 4_000_000), "none was compiled well");
    assert_eq!(regions(settings, 8_000_000), later, "that is done once");
}
