//! LiteX's simulated SoC.

use cyclescope_chips::Stimulus;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{GapKind, Restore, Stop};

use crate::asm::*;
use crate::machine::*;

const CTRL: u32 = 0xF000_0000;
const TIMER: u32 = 0xF000_2800;
const UART: u32 = 0xF000_3000;
const SRAM: u32 = 0x1000_0000;
const MAIN: u32 = 0x4000_0000;
const HANDLER: u32 = 0x1000;

const LOAD: u32 = TIMER;
const RELOAD: u32 = TIMER + 0x4;
const EN: u32 = TIMER + 0x8;
const TIMER_PENDING: u32 = TIMER + 0x18;
const TIMER_ENABLE: u32 = TIMER + 0x1C;
const UPTIME_LATCH: u32 = TIMER + 0x20;
const UPTIME: u32 = TIMER + 0x24;

/// VexRiscv's mask and what is pending.
const MASK: u32 = 0xBC0;
const PENDING: u32 = 0xFC0;

/// A semihosting call that ends the run.
fn end() -> Vec<u32> {
    [li(10, 0x18), li(11, 0x2_0026), vec![slli(0, 0, 31), EBREAK, srai(0, 0, 7)]].concat()
}

#[test]
fn the_uart_prints_and_scratch_holds_what_litex_says() {
    let code = [load(12, CTRL + 4), store(UART, u32::from(b'L')), load(13, UART + 4), load(14, UART + 0x18), end()];
    let mut bench = Bench::new("litex-vexriscv", &[(0, code.concat())]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.printed(0), "L");
    assert_eq!([12, 13, 14].map(|register| bench.x(register)), [0x1234_5678, 0, 1]);
    assert!(bench.0.gaps().is_empty(), "{:?}", bench.0.gaps());
}

#[test]
fn the_timers_event_comes_through_the_array_when_the_counter_arrives() {
    let code = [
        store(TIMER_PENDING, 1),
        store(LOAD, 300),
        store(RELOAD, 499),
        store(TIMER_ENABLE, 1),
        li(7, HANDLER),
        vec![csrrw(0, MTVEC, 7), addi(7, 0, 1 << 1), csrrw(0, MASK, 7)],
        li(7, 1 << 11),
        vec![csrrw(0, MIE, 7), csrrsi(0, MSTATUS, 8)],
        store(EN, 1),
        vec![HERE],
    ]
    .concat();
    // Counts, acknowledges, and ends the run the third time.
    let handler = [
        vec![csrrs(12, MCAUSE, 0), csrrs(13, PENDING, 0), addi(15, 15, 1)],
        store(TIMER_PENDING, 1),
        vec![csrrs(14, PENDING, 0), addi(16, 0, 3), beq(15, 16, 8), MRET],
        end(),
    ]
    .concat();
    let enabled = 4 * (code.len() as u64 - 2);
    let mut bench = Bench::new("litex-vexriscv", &[(0, code), (HANDLER, handler)]);
    let store = bench.clone().trace(2_000).into_iter().find(|retire| u64::from(retire.pc.get()) == enabled).unwrap();
    let mut signals = Vec::new();
    assert_eq!(bench.run(10_000, &mut signals), Stop::Exit(0));
    assert_eq!([12, 13, 14].map(|register| bench.x(register)), [1 << 31 | 11, 1 << 1, 0]);
    // The line, and the interrupt that is taken for it.
    for line in [33, 11] {
        let number = cyclescope_riscv::INTERRUPT | line;
        let asked: Vec<u64> = signals
            .iter()
            .filter(|(_, signal)| *signal == cyclescope_machine::Signal::ExceptionPended { number })
            .map(|(at, _)| *at - store.at.get())
            .collect();
        let [first, second, third] = asked[..] else { panic!("{line}: {asked:?}") };
        assert_eq!([second - first, third - second], [500; 2], "{line}: every 500 cycles");
        // The store reaches the timer some cycles after it begins.
        assert!((302..330).contains(&first), "{line}: {first} cycles, the load among them");
    }
}

#[test]
fn uptime_is_cycles_the_high_word_first() {
    let code = [store(UPTIME_LATCH, 1), load(12, UPTIME), load(13, UPTIME + 4), end()].concat();
    let mut bench = Bench::new("litex-vexriscv", &[(0, code)]);
    // The third instruction latches it.
    let store = bench.clone().trace(1_000)[2];
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    let latched = u64::from(bench.x(13)) - store.at.get();
    // Sixteen of them are those of the line that is fetched meanwhile and keeps the bus.
    assert!(bench.x(12) == 0 && (17..30).contains(&latched), "{latched} cycles after it began");
}

#[test]
fn received_bytes_are_taken_by_acknowledging_them() {
    let read = [load(12, UART + 8), load(13, UART), load(14, UART), store(UART + 0x10, 2), load(15, UART)].concat();
    let mut bench = Bench::new("litex-vexriscv", &[(0, [vec![NOP; 100], read, end()].concat())]);
    bench.0.stimulate(Cycles::new(50), Stimulus::Uart { number: 0, bytes: b"ab".to_vec() });
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    let seen = [12, 13, 14, 15].map(|register| bench.x(register));
    assert_eq!(seen, [0, u32::from(b'a'), u32::from(b'a'), u32::from(b'b')]);
}

#[test]
fn banks_that_are_not_modelled_are_counted() {
    let code = [load(12, 0xF000_1804), store(0xF000_0824, 1), load(13, 0xF000_2000), store(CTRL, 2), end()].concat();
    let mut bench = Bench::new("litex-vexriscv", &[(0, code)]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.gaps(GapKind::RegisterRead), ["gpio_in", "csr"]);
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["ethmac_sram_reader_slot", "ctrl_reset.cpu_rst"]);
    assert_eq!((bench.x(12), bench.x(13)), (0, 0));
}

#[test]
fn without_anything_in_rom_main_ram_is_booted() {
    let mut bench = Bench::new("litex-vexriscv", &[(MAIN, end())]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
}

/// Goes to `at`, where `addi a2, x0, 5` stands and then the way back.
fn visit(at: u32) -> Vec<(u32, Vec<u32>)> {
    let here = [li(20, at), vec![jalr(1, 20, 0), add(13, 12, 0)]].concat();
    // The instruction there becomes `addi a2, x0, 6`.
    let change = [li(21, addi(12, 0, 6)), vec![sw(21, 20, 0), FENCE_I, jalr(1, 20, 0)]].concat();
    vec![(0, [here, change, end()].concat()), (at, vec![addi(12, 0, 5), jalr(0, 1, 0)])]
}

#[test]
fn code_runs_in_every_memory_and_is_noticed_when_it_changes() {
    for at in [SRAM, MAIN, MAIN + 0x10_0000 - 4, MAIN + 0xFFF_FF00] {
        let mut bench = Bench::new("litex-vexriscv", &visit(at));
        assert_eq!(bench.finish(1_000), Stop::Exit(0), "{at:#x}");
        assert_eq!((bench.x(13), bench.x(12)), (5, 6), "{at:#x}");
        // An instruction at a time it is the same.
        let mut single = Bench::new("litex-vexriscv", &visit(at));
        let retired = single.trace(1_000);
        assert_eq!((single.x(13), single.x(12)), (5, 6), "{at:#x}");
        assert_eq!(retired.len() as u64, bench.0.instructions().get());
    }
}

#[test]
fn a_machine_of_256_mib_goes_back_for_the_pages_that_it_wrote() {
    let top = MAIN + 0x0FFF_FFFC;
    let code = [store(SRAM, 1), store(MAIN, 2), store(top, 3), vec![HERE]].concat();
    let mut bench = Bench::new("litex-vexriscv", &[(0, code)]);
    let origin = bench.clone();
    bench.finish(1_000);
    assert_eq!([SRAM, MAIN, top].map(|at| bench.word(at)), [1, 2, 3]);
    let after = bench.clone();
    bench.0.restore(&origin.0);
    assert_eq!([SRAM, MAIN, top].map(|at| bench.word(at)), [0; 3]);
    bench.0.restore(&after.0);
    assert_eq!([SRAM, MAIN, top].map(|at| bench.word(at)), [1, 2, 3]);
    bench.0.restore(&origin.0);
    bench.finish(1_000);
    assert_eq!([SRAM, MAIN, top].map(|at| bench.word(at)), [1, 2, 3]);
}

#[test]
fn a_misaligned_load_traps() {
    let code = [li(7, HANDLER), vec![csrrw(0, MTVEC, 7)], li(5, MAIN + 1), vec![lw(6, 5, 0), HERE]].concat();
    let handler = [vec![csrrs(12, MCAUSE, 0), csrrs(13, MTVAL, 0)], end()].concat();
    let mut bench = Bench::new("litex-vexriscv", &[(0, code), (HANDLER, handler)]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!((bench.x(12), bench.x(13)), (4, MAIN + 1));
}
