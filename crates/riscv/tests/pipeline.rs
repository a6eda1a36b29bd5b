//! A core whose pipeline decides when each instruction begins: the laws of the run loop, and its stalls.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_compile::{Compiled, Settings};
use cyclescope_engine::laws::Program;
use cyclescope_machine::{Bus, EventId, Stop};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::litedram;
use cyclescope_riscv::timing::litex::{MEMORY, REGISTERED, REGISTERS, Region, Sdram, Slave, Wishbone, wishbone};
use cyclescope_riscv::timing::{
    CoreBus, CoreTiming, VEXRISCV_FULL, VEXRISCV_IMAC, VEXRISCV_LITE, VEXRISCV_MIN, VEXRISCV_SECURE, VEXRISCV_STANDARD,
    vexriscv_on,
};
use cyclescope_riscv::{Config, Core, Misaligned, Privileged, TrapVector, Traps};

const HANDLER: u32 = RAM + 0x1000;

/// All memory of these tests on one bus, and the device's registers.
static BUS: Wishbone = wishbone(&[
    Region { name: "ram", base: 0x1000_0000, bytes: 0x1000_0000, slave: Slave::Fixed(MEMORY) },
    Region { name: "device", base: 0x4000_0000, bytes: 0x4000_0000, slave: Slave::Fixed(REGISTERS) },
]);
static SDRAM: Sdram = litedram::mt48lc16m16(litedram::L2_BYTES);
/// The same with SDRAM, and registers as they are then.
static SDRAM_BUS: Wishbone = wishbone(&[
    Region { name: "ram", base: 0x1000_0000, bytes: 0x1000_0000, slave: Slave::Sdram(&SDRAM) },
    Region { name: "device", base: 0x4000_0000, bytes: 0x4000_0000, slave: Slave::Fixed(REGISTERED) },
]);
static ON_SDRAM: CoreTiming = vexriscv_on(&SDRAM_BUS);
static ON_BUS: CoreTiming = vexriscv_on(&BUS);
static MIN_ON_BUS: CoreTiming = CoreTiming { bus: Some(CoreBus { wishbone: &BUS, rows: &[] }), ..VEXRISCV_MIN };

/// Every variant.
const ALL: [&CoreTiming; 9] = [
    &VEXRISCV_LITE,
    &VEXRISCV_MIN,
    &VEXRISCV_STANDARD,
    &VEXRISCV_FULL,
    &VEXRISCV_IMAC,
    &VEXRISCV_SECURE,
    &ON_BUS,
    &ON_SDRAM,
    &MIN_ON_BUS,
];

fn with(timing: &'static CoreTiming) -> Config {
    let traps = Privileged { user_mode: false, vector: TrapVector::Direct, ..Privileged::plain(0) };
    Config {
        timing,
        extensions: Extensions { c: false, ..Extensions::IMC },
        misaligned: Misaligned::Trap,
        traps: Traps::Privileged(traps),
        ..config()
    }
}

fn lite() -> Config {
    with(&VEXRISCV_LITE)
}

/// Sets the handler's address and lets the timer's interrupt through.
fn start() -> [u32; 6] {
    [lui(5, HANDLER), csrrw(0, MTVEC, 5), addi(6, 0, 0x80), csrrw(0, MIE, 6), csrrsi(0, MSTATUS, 8), addi(17, 0, 40)]
}

/// A loop with a call, hazards, a division, shifts, an exception and registers of the device.
fn busy() -> Vec<u32> {
    let work = [
        addi(6, 0, 7),
        sw(6, 30, io::LATER),
        // The loop.
        jal(1, 44),
        lw(8, 30, io::TIME),
        sw(8, 31, 0),
        lw(9, 31, 0),
        add(10, 9, 8),
        ECALL,
        addi(17, 17, -1),
        bne(17, 0, -28),
        NOP,
        sw(0, 30, io::RESET),
        HERE,
        // The subroutine.
        div(11, 8, 17),
        mul(12, 11, 17),
        slli(13, 12, 9),
        csrrs(14, MSCRATCH, 13),
        FENCE_I,
        jalr(0, 1, 0),
    ];
    [&start()[..], &work].concat()
}

/// The store that ends a run, and a load: a core without a cache fetches without a pause behind the store, which waits for the bus then.
fn last_store() -> [u32; 3] {
    [sw(0, 30, io::RESET), lw(22, 30, io::TIME), HERE]
}

/// A call returns behind itself; the timer starts anew.
fn handler() -> [u32; 9] {
    [
        csrrs(20, MCAUSE, 0),
        blt(20, 0, 20),
        csrrs(22, MEPC, 0),
        addi(22, 22, 4),
        csrrw(0, MEPC, 22),
        MRET,
        addi(22, 0, 7),
        sw(22, 30, io::LOWER),
        MRET,
    ]
}

#[test]
fn a_busy_run_obeys_the_laws() {
    let code = busy();
    // An interrupt may come before an instruction that was met: these are those that none can precede, for exceptions and interrupts.
    let watched = [HANDLER, HANDLER + 8, HANDLER + 24];
    for timing in ALL {
        let make = || Machine::with(with(timing), &[(RAM, &code), (HANDLER, &handler())]).into_parts();
        let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &watched };
        program.obeys_all();
        program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
    }
}

/// A loop of loads, stores, hazards, a call, and branches that are predicted rightly and wrongly, one of them to where it goes anyway.
fn remembered() -> Vec<u32> {
    let work = [
        addi(17, 0, 400),
        // The loop. Every other load is of the word that was just stored, and another one of another line each time.
        jal(1, 72),
        slli(14, 17, 24),
        srli(14, 14, 20),
        add(14, 14, 31),
        lw(15, 14, 0),
        slli(16, 17, 31),
        srli(16, 16, 29),
        add(16, 16, 31),
        sw(8, 16, 4),
        lw(9, 31, 4),
        lw(10, 31, 8),
        add(10, 10, 9),
        bne(10, 9, 8),
        addi(11, 11, 1),
        beq(9, 10, 4),
        addi(17, 17, -1),
        bne(17, 0, -64),
        jal(0, 24),
        // The subroutine.
        addi(8, 8, 3),
        mul(12, 8, 17),
        add(13, 12, 8),
        blt(13, 12, 8),
        jalr(0, 1, 0),
    ];
    [&start()[..], &work, &last_store()].concat()
}

#[test]
fn cycles_that_are_known_pass_as_they_did() {
    let code = remembered();
    for timing in ALL {
        let make = || Machine::with(with(timing), &[(RAM, &code), (HANDLER, &handler())]).into_parts();
        let program = Program { make: &make, outcome: &outcome, end: 20_000, watched: &[RAM + 100] };
        program.obeys_all();
        let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
        assert!(regions > 0, "{}", timing.core);
    }
}

#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let work = [
        div(11, 5, 17),
        mul(12, 11, 17),
        sw(12, 31, 0),
        lw(13, 31, 0),
        add(14, 13, 14),
        addi(17, 17, -8),
        bne(17, 0, -24),
    ];
    let code = ending(&[&start()[..], &work].concat());
    let raise = |bus: &mut Bus<Device>, at| bus.shared.events.schedule(at, EventId::new(0));
    let result =
        |core: &Core<Device>, bus: &Bus<Device>| format!("{:?} {:?}", &core.cpu().x[..20], bus.memory.ram.bytes());
    // Without a cache on a shared bus the last store waits for what is fetched behind it, and no interrupt is taken any more.
    for timing in ALL.into_iter().filter(|timing| !std::ptr::eq(*timing, &MIN_ON_BUS)) {
        let make = || Machine::with(with(timing), &[(RAM, &code), (HANDLER, &handler())]).into_parts();
        let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[] };
        program.has_its_result_whenever_interrupted(&raise, &result);
    }
}

#[test]
fn waiting_for_a_flag_is_skipped_exactly() {
    let wait = [lui(7, 0x4000), sw(7, 30, io::LATER), lw(8, 31, 0), beq(8, 0, -4), HERE];
    let code = [&start()[..], &wait].concat();
    let flag = [addi(22, 0, 7), sw(22, 30, io::LOWER), sw(22, 31, 0), MRET];
    for timing in ALL {
        let make = || Machine::with(with(timing), &[(RAM, &code), (HANDLER, &flag)]).into_parts();
        let most =
            Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] }.is_the_same_where_loops_are_skipped();
        assert!(most > 10_000, "{}: {most} cycles skipped", timing.core);
    }
}

#[test]
fn a_loop_that_loads_lines_from_sdram_is_not_skipped() {
    // Both words share a line of each cache: refreshes fall differently in each turn.
    let wait = [lui(9, RAM), lw(8, 31, 0x7F0), lw(10, 9, 0x7F0), beq(8, 0, -8), HERE];
    let code = [&start()[..], &[lui(7, 0x4000), sw(7, 30, io::LATER)], &wait].concat();
    let flag = [addi(22, 0, 7), sw(22, 30, io::LOWER), sw(22, 31, 0x7F0), MRET];
    let make = || Machine::with(with(&ON_SDRAM), &[(RAM, &code), (HANDLER, &flag)]).into_parts();
    Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] }.is_the_same_where_loops_are_skipped();
}

/// Cycles of each instruction of `code` but the first, all in one line of the cache: those in which it waits in the decode stage, and
/// the one in which it leaves it.
fn cycles(code: &[u32]) -> Vec<u64> {
    cycles_with(&VEXRISCV_LITE, code)
}

fn cycles_with(timing: &'static CoreTiming, code: &[u32]) -> Vec<u64> {
    let code = [&[NOP], code, &[HERE]].concat();
    let (retired, _) = Machine::with(with(timing), &[(RAM, &code)]).trace(1000);
    retired[1..code.len() - 1].iter().map(|retire| retire.cycles.get()).collect()
}

#[test]
fn hazards_and_units_halt_the_decode_stage() {
    assert_eq!(cycles(&[addi(5, 0, 1), add(6, 5, 5), NOP]), [1, 1, 1]);
    // A load waits for its answer in the memory stage, and is passed on from the last one.
    assert_eq!(cycles(&[lw(5, 31, 0), NOP, NOP, NOP]), [1, 1, 2, 1]);
    assert_eq!(cycles(&[lw(5, 31, 0), add(6, 5, 5), NOP]), [1, 4, 1]);
    assert_eq!(cycles(&[mul(5, 6, 6), NOP, NOP, NOP]), [1, 1, 33, 1]);
    assert_eq!(cycles(&[div(5, 6, 6), NOP, NOP, NOP]), [1, 1, 34, 1]);
    // A shift moves a bit in each cycle in the execute stage.
    assert_eq!(cycles(&[slli(5, 6, 9), NOP, NOP]), [1, 9, 1]);
    // A jump that is predicted, and a branch that is predicted not to be taken.
    assert_eq!(cycles(&[jal(0, 4), NOP, NOP]), [1, 2, 1]);
    assert_eq!(cycles(&[beq(0, 0, 4), NOP, NOP]), [1, 4, 1]);
    // One to the instruction behind it counts as taken all the same, and a JALR is never predicted.
    assert_eq!(cycles(&[bne(0, 0, 4), NOP, NOP]), [1, 1, 1]);
    assert_eq!(cycles(&[jal(1, 4), jalr(0, 1, 4), NOP, NOP]), [1, 3, 4, 1]);
}

#[test]
fn a_line_that_comes_while_the_cache_is_flushed_is_lost() {
    // FENCE.I invalidates 64 lines, then its own is loaded anew.
    assert_eq!(cycles(&[FENCE_I, NOP, NOP]), [1, 1, 88]);
    // FENCE.I is fetched behind a branch that is taken; the next line, where that goes, is asked for and comes too early.
    let over = [&[NOP; 5][..], &[beq(0, 0, 12), FENCE_I, NOP, NOP, NOP]].concat();
    assert_eq!(cycles(&over)[..8], [1, 1, 1, 1, 1, 1, 90, 1]);
}

#[test]
fn a_core_goes_on_where_a_debugger_moves_it() {
    let code = [&start()[..], &[NOP; 40], &end()].concat();
    let last = RAM + 4 * (code.len() as u32 - 2);
    // Before the first instruction, and behind any.
    for at in (0..1).chain(100..200) {
        let mut machine = Machine::with(lite(), &[(RAM, &code), (HANDLER, &[HERE])]);
        machine.run(at);
        machine.core.cpu_mut().pc = last;
        let moved = machine.now();
        assert!(machine.finish() - moved < 120, "moved in cycle {at}");
    }
}

#[test]
fn a_core_goes_on_behind_an_exception_that_no_handler_answers() {
    for word in [EBREAK, 0, lw(5, 31, 1)] {
        let code = ending(&[&start()[..], &[word]].concat());
        let mut machine = Machine::with(lite(), &[(RAM, &code), (HANDLER, &[HERE])]);
        machine.core.cpu_mut().halt_on_fault = true;
        assert!(matches!(machine.run(1000), Stop::Fault(_) | Stop::Breakpoint(..)), "{word:x}");
        let mut corrected = machine.clone();
        machine.core.cpu_mut().pc += 4;
        machine.finish();
        let at = corrected.core.cpu().pc();
        assert!(corrected.bus.memory.load(at, &NOP.to_le_bytes()));
        corrected.finish();
    }
}

#[test]
fn a_load_that_misses_is_fetched_again_when_its_line_begins_to_come() {
    let code = [lw(5, 31, 0), NOP, NOP, lw(6, 31, 4), NOP, lw(7, 31, 32), NOP];
    // It leaves the decode stage for good, then waits in the execute stage, and what is behind it in the decode stage.
    let pairs = |timing| {
        let cycles = cycles_with(timing, &code);
        [0, 3, 5].map(|at| cycles[at] + cycles[at + 1])
    };
    let [miss, hit, other] = pairs(&VEXRISCV_STANDARD);
    assert_eq!(hit, 2, "the line is there");
    assert!(miss.min(other) > 17, "{miss} and {other} cycles, eight words of two among them");
    // Where instructions and data share a bus, the line waits for theirs.
    let [shared, hit, _] = pairs(&ON_BUS);
    assert!(hit == 2 && shared > miss, "{shared} cycles on a bus for both, {miss} otherwise");
}

#[test]
fn a_load_behind_a_store_to_its_bytes_is_fetched_again() {
    let behind =
        |store: u32| cycles_with(&VEXRISCV_STANDARD, &[lw(5, 31, 0), NOP, NOP, NOP, store, lw(6, 31, 0), NOP])[5];
    let (same, beside) = (behind(sw(0, 31, 0)), behind(sw(0, 31, 4)));
    assert!(same > beside + 3, "{same} cycles, {beside} beside it");
}

#[test]
fn without_a_cache_each_instruction_waits_for_the_bus() {
    assert_eq!(cycles_with(&VEXRISCV_MIN, &[NOP; 4]), [2, 2, 2, 2]);
    // A result is read two cycles after it was written: nothing passes it on.
    assert_eq!(cycles_with(&VEXRISCV_MIN, &[addi(5, 0, 1), add(6, 5, 5), NOP, NOP])[1], 5);
}

#[test]
fn a_core_that_sleeps_fetches_on() {
    // WFI is the last word of a line; the next line comes meanwhile.
    let set = [lui(7, 0x4000), addi(6, 0, 0x80), csrrw(0, MIE, 6), sw(7, 30, io::LATER), NOP, NOP, NOP, WFI];
    let code = [&set[..], &[NOP, NOP, HERE]].concat();
    let (retired, _) = Machine::with(with(&VEXRISCV_FULL), &[(RAM, &code)]).trace(40_000);
    let slept = retired.iter().position(|retire| retire.pc.get() == RAM + 28).expect("it slept");
    let [wait, next] = [0, 1].map(|behind| &retired[slept + behind]);
    assert!((next.at + next.cycles - wait.at).get() > 10_000, "the timer ends it");
    // The interrupt passes its registers; a line alone takes 17 cycles.
    assert!(next.cycles.get() < 17, "{}", next.cycles);
}

/// The cycles in which the device's register at `offset` was written.
fn written(bus: &Bus<Device>, offset: i32) -> Vec<u64> {
    let writes = bus.peripherals.log.iter().filter(|(_, at, value)| *at == offset as u32 && value.is_some());
    writes.map(|(at, ..)| *at).collect()
}

#[test]
fn a_store_to_a_register_happens_when_a_shared_bus_carries_it_out() {
    // A store behind a loop of branches, on the bus of instructions: what comes behind it decides when it is carried out.
    let work = [sw(17, 30, io::LATCH), addi(17, 17, -1), bne(17, 0, -8), NOP];
    let code = [&[addi(17, 0, 20)][..], &work, &last_store()].concat();
    for timing in [&ON_BUS, &MIN_ON_BUS] {
        let mut machine = Machine::with(with(timing), &[(RAM, &code)]);
        let mut waited = 0;
        while machine.run(machine.now() + 1) == Stop::Horizon {
            let stores = written(&machine.bus, io::LATCH);
            // None is in the future, and none is lost: of those that are on their way there are three at most.
            assert!(stores.iter().all(|at| *at <= machine.now()), "{}: {stores:?}", timing.core);
            let begun = 20 - machine.core.cpu().get(17) as usize;
            assert!(begun <= stores.len() + 3, "{}: {begun} and {stores:?}", timing.core);
            waited += usize::from(stores.len() < begun);
        }
        assert!(waited >= 20, "{}: {waited}", timing.core);
        let stores = written(&machine.bus, io::LATCH);
        assert!(stores.len() == 20 && stores.is_sorted(), "{}: {stores:?}", timing.core);
        // Latches before it ends: in order.
        assert_eq!(machine.bus.peripherals.latch, 1);
    }
}

#[test]
fn stores_to_registers_reach_them_before_sleep_and_before_a_counter_of_interrupts_is_read() {
    // The timer is set by a store that waits while the core begins to sleep: it wakes it.
    let sleeps =
        [&start()[..5], &[addi(7, 0, 900), sw(7, 30, io::LATER), WFI, NOP, sw(0, 30, io::RESET), HERE]].concat();
    let mut machine = Machine::with(with(&ON_BUS), &[(RAM, &sleeps), (HANDLER, &handler()[6..])]);
    let end = machine.finish();
    let set = written(&machine.bus, io::LATER)[0];
    assert!((set + 900..set + 1000).contains(&end), "set in {set}, ended in {end}");
    // A line that a store has lowered is low in a register that is read behind the store's cycle.
    let lowers = [addi(7, 0, 7), sw(7, 30, io::RAISE), lw(8, 30, io::TIME), csrrs(20, MIP, 0)];
    let lowers =
        [&lowers[..], &[sw(7, 30, io::LOWER), lw(8, 30, io::TIME), csrrs(21, MIP, 0), sw(0, 30, io::RESET), HERE]];
    let mut machine = Machine::with(with(&ON_BUS), &[(RAM, &lowers.concat())]);
    machine.finish();
    assert_eq!([20, 21].map(|register| machine.core.cpu().get(register)), [0x80, 0]);
}

#[test]
fn a_core_that_stops_at_an_exception_loses_no_store() {
    for timing in [&ON_BUS, &MIN_ON_BUS] {
        let code = [&start()[..], &[sw(17, 30, io::LATCH), EBREAK], &[NOP; 40], &last_store()].concat();
        let mut machine = Machine::with(with(timing), &[(RAM, &code), (HANDLER, &[HERE])]);
        machine.core.cpu_mut().halt_on_fault = true;
        assert!(matches!(machine.run(1000), Stop::Breakpoint(..)));
        let before = written(&machine.bus, io::LATCH).len();
        machine.core.cpu_mut().pc += 4;
        machine.finish();
        assert_eq!((before, written(&machine.bus, io::LATCH).len()), (0, 1), "{}", timing.core);
    }
}
