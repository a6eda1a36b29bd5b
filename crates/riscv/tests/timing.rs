//! Cycles against literals of the manuals and of the cores' Verilog, and the clock inside instructions.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_riscv::timing::{CoreTiming, IBEX, PICORV32};
use cyclescope_riscv::{Config, Privileged, Traps};

fn ibex() -> Config {
    Config { timing: &IBEX, traps: Traps::Privileged(Privileged::ibex(RAM + 0x1000)), ..config() }
}

fn picorv32() -> Config {
    Config { timing: &PICORV32, ..pico() }
}

/// The cycles of the first instruction of `code`, which goes on at what follows it or where it jumps.
fn first(config: Config, code: &[u32]) -> u64 {
    let mut machine = Machine::with(config, &[(RAM, code)]);
    machine.set(5, 7);
    machine.set(6, RAM + 8);
    let (retired, _) = machine.trace(200);
    retired[0].cycles.get()
}

fn check(config: Config, expected: &[(u32, u64)]) {
    for (word, cycles) in expected {
        assert_eq!(first(config, &[*word, NOP, NOP, NOP]), *cycles, "{word:08x}");
    }
}

#[test]
fn picorv32_takes_what_its_readme_says() {
    let expected = [
        (addi(1, 5, 1), 3),
        (add(1, 5, 5), 3),
        (slli(1, 5, 31), 3),
        (lui(1, 0x1000), 3),
        (beq(5, 0, 8), 3),
        (bne(5, 0, 8), 5),
        (jal(1, 8), 3),
        (jalr(1, 6, 0), 6),
        (lw(1, 31, 0), 5),
        (sw(1, 31, 0), 5),
        (mul(1, 5, 5), 6),
        (div(1, 5, 5), 40),
        (csrrs(1, 0xC00, 0), 4),
        (getq(1, 0), 4),
    ];
    check(picorv32(), &expected);
}

#[test]
fn ibex_takes_what_its_guide_says() {
    let expected = [
        (addi(1, 5, 1), 1),
        (beq(5, 0, 8), 1),
        (bne(5, 0, 8), 3),
        (jal(1, 8), 2),
        (jalr(1, 6, 0), 2),
        (lw(1, 31, 0), 2),
        (lw(1, 31, 2), 3),
        (lh(1, 31, 1), 2),
        (sw(1, 31, 0), 2),
        (mul(1, 5, 5), 3),
        (mulhu(1, 5, 5), 4),
        (div(1, 5, 5), 37),
        (div(1, 5, 0), 2),
        (csrrs(1, MSCRATCH, 5), 1),
        (csrrw(0, MIE, 0), 3),
        (csrrci(0, MSTATUS, 8), 1),
        (FENCE_I, 2),
    ];
    check(ibex(), &expected);
}

#[test]
fn an_instruction_across_a_word_boundary_costs_its_second_fetch() {
    // A compressed jump over a halfword to one of 32 bits at an address that is not a word's: C.J .+6.
    let split = |jump: u32| [jump | 0x0001_0000, 0x0013_0001, 0x0013_0000, 0x0000_0000];
    let jump = 0xA019;
    assert_eq!([first(picorv32(), &split(jump)), first(ibex(), &split(jump))], [4, 3]);
    // Straight on: PicoRV32 waits for it, Ibex has it in its buffer.
    let straight = [0x0013_0001, 0x0001_0000];
    assert_eq!([first(picorv32(), &straight), first(ibex(), &straight)], [4, 1]);
}

#[test]
fn counters_and_registers_see_the_cycle_inside_an_instruction() {
    let at = |config: Config, timing: &CoreTiming| {
        let mut machine = Machine::with(config, &[(RAM, &ending(&[NOP, csrrs(10, 0xB00, 0), lw(11, 30, io::TIME)]))]);
        machine.finish();
        let reset = u64::from(timing.cycles(timing.reset));
        [10, 11].map(|register| u64::from(machine.x(register)) - reset)
    };
    assert_eq!(at(ibex(), &IBEX), [1, 2]);
    let mut pico = Machine::with(picorv32(), &[(RAM, &ending(&[NOP, csrrs(10, 0xC00, 0), lw(11, 30, io::TIME)]))]);
    pico.finish();
    // Three cycles of reset, three of NOP, the second of RDCYCLE; RDCYCLE takes four, data moves in the load's last.
    assert_eq!([pico.x(10), pico.x(11)], [3 + 3 + 1, 3 + 3 + 4 + 4]);
}

#[test]
fn blocks_and_single_steps_agree_on_time() {
    for config in [ibex(), picorv32()] {
        let code =
            [addi(8, 0, 9), div(9, 5, 8), mul(9, 9, 9), sw(9, 31, 0), lw(10, 31, 0), addi(8, 8, -1), bne(8, 0, -20)];
        let mut whole = Machine::with(config, &[(RAM, &ending(&code))]);
        whole.finish();
        let mut stepped = Machine::with(config, &[(RAM, &ending(&code))]);
        stepped.trace(100_000);
        assert_eq!(stepped.outcome(), whole.outcome());
    }
}

/// Returns the cycle, counted from the reset's end, at which the handler's first instruction begins on an Ibex. The interrupt
/// comes at the cycle `at` while `code` runs.
fn entered(code: &[u32], at: u64) -> u64 {
    let handler = RAM + 0x1000;
    let mut machine = Machine::with(ibex(), &[(RAM, code), (handler + 4 * 7, &[HERE])]);
    let cpu = machine.core.cpu_mut();
    (cpu.csrs.mtvec, cpu.csrs.mie, cpu.csrs.mie_enabled) = (handler | 1, 0x80, true);
    machine.set(5, 7);
    let reset = machine.now();
    let event = cyclescope_machine::EventId::new(0);
    machine.bus.shared.events.schedule(cyclescope_machine::units::Cycles::new(reset + at), event);
    let (retired, _) = machine.trace(reset + 100);
    let first = retired.iter().find(|retire| retire.pc.get() == handler + 4 * 7).expect("it is taken");
    first.at.get() - reset
}

#[test]
fn ibex_takes_interrupts_while_no_instruction_is_in_its_stage() {
    // As its Verilog does (cargo xtask oracle rtl). Behind an instruction the stage is empty for a cycle, and the handler
    // begins three later.
    let straight = [NOP; 40];
    assert_eq!([0, 1, 2, 9].map(|at| entered(&straight, at)), [4, 5, 6, 13]);
    // A division is waited for.
    assert_eq!([0, 20, 36, 37].map(|at| entered(&[div(9, 5, 5), NOP, NOP, NOP], at)), [40, 40, 40, 41]);
    // The third cycle of a taken branch is empty.
    let branch = [bne(5, 0, 8), NOP, NOP, NOP, NOP, NOP, NOP];
    assert_eq!([0, 1, 2, 3].map(|at| entered(&branch, at)), [5, 5, 5, 7]);
    // So is the first behind sleep, which begins in the fourth cycle of WFI.
    let sleep = [WFI, NOP, NOP, NOP, NOP, NOP, NOP];
    assert_eq!([0, 2, 3, 4, 20].map(|at| entered(&sleep, at)), [7, 7, 7, 8, 24]);
    // So is the third of a write of mie.
    assert_eq!(entered(&[addi(6, 0, 0x80), csrrw(0, MIE, 6), NOP, NOP, NOP], 2), 6);
}
