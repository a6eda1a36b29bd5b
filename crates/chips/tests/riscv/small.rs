//! Ibex and PicoRV32 in their small systems.

use cyclescope_chips::{LoadError, Machine, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, Stop};

use crate::asm::*;
use crate::machine::*;

const IBEX: u32 = 0x0010_0080;
const VECTORS: u32 = 0x0010_0100;
const UART: u32 = 0x1000_0000;
const TIMER: u32 = 0x0003_0000;
const FINISHER: u32 = 0x0004_0000;

/// A bit of 16 cycles and FIFOs on.
fn uart_set_up() -> Vec<u32> {
    [(3, 0x83), (0, 1), (1, 0), (3, 0x03), (2, 0x01)]
        .iter()
        .flat_map(|(register, value)| store_byte(UART + register, *value))
        .collect()
}

#[test]
fn a_frame_takes_ten_bits_and_the_next_follows_at_once() {
    let code = [uart_set_up(), store_byte(UART, b'A'), vec![addi(6, 0, i32::from(b'B')), sb(6, 5, 0), HERE]].concat();
    for (part, at) in [("ibex", IBEX), ("picorv32", 0)] {
        let mut bench = Bench::new(part, &[(at, code.clone())]);
        let retired = bench.clone().trace(2_000);
        let last = at + 4 * (code.len() as u32 - 3);
        // The store to THR, and in which of its cycles the UART sees it.
        let store = retired.iter().find(|retire| retire.pc.get() == last - 4).unwrap();
        let phase = if part == "ibex" { 0 } else { 4 };
        let sent = store.at.get() + phase;
        // A run ends with the jump to itself that is under way: up to two cycles later.
        for (after, expected) in [(157, ""), (160, "A"), (317, "A"), (320, "AB")] {
            bench.finish(sent + after);
            assert_eq!(bench.printed(0), expected, "{part}: {after} cycles after the store at {sent}");
        }
        assert!(bench.0.gaps().is_empty(), "{:?}", bench.0.gaps());
        let rows = bench.0.timing_used();
        assert!(rows.iter().any(|row| row.name == "uart start"));
    }
}

#[test]
fn a_byte_before_the_divisor_goes_out_at_once_and_is_named() {
    let code = [store_byte(UART, b'!'), vec![HERE]].concat();
    let mut bench = Bench::new("ibex", &[(IBEX, code)]);
    bench.finish(100);
    assert_eq!(bench.printed(0), "!");
    assert_eq!(bench.gaps(GapKind::Setting), ["UART: byte written before the divisor: sent at once"]);
}

#[test]
fn received_bytes_come_frame_by_frame_and_what_nobody_reads_is_lost() {
    // Without FIFOs, one byte has room; the received data interrupt is fast interrupt 0.
    let code = [uart_set_up(), store_byte(UART + 2, 0), store_byte(UART + 1, 1), vec![HERE]].concat();
    let mut bench = Bench::new("ibex", &[(IBEX, code)]);
    bench.finish(500);
    bench.0.stimulate(Cycles::new(1_000), Stimulus::Uart { number: 0, bytes: b"xyz".to_vec() });
    let mut signals = Vec::new();
    bench.run(2_000, &mut signals);
    let number = cyclescope_riscv::INTERRUPT | 16;
    assert_eq!(signals, [(1_160, cyclescope_machine::Signal::ExceptionPended { number })]);
    let read = [load(10, UART + 4), load(11, UART)].concat();
    let code = [uart_set_up(), store_byte(UART + 2, 0), vec![WFI], read, vec![HERE]].concat();
    let mut bench =
        Bench::new("ibex", &[(IBEX, [store_byte(UART + 1, 1), li(7, 1 << 16), vec![csrrw(0, MIE, 7)], code].concat())]);
    bench.0.stimulate(Cycles::new(1_000), Stimulus::Uart { number: 0, bytes: b"xyz".to_vec() });
    bench.finish(3_000);
    // LSR is at +5; a load of its word gives the register at +4, and that of +0 the byte.
    assert_eq!(bench.x(11) & 0xFF, u32::from(b'x'));
}

/// Code that sets mtimecmp to `at`, lets the timer through and waits; the handler ends the run.
fn ibex_timer(at: u32) -> Vec<(u32, Vec<u32>)> {
    let code = [
        store(TIMER + 8, at),
        li(7, VECTORS),
        vec![csrrw(0, MTVEC, 7), addi(7, 0, 1 << 7), csrrw(0, MIE, 7), csrrsi(0, MSTATUS, 8), HERE],
    ];
    let handler = [vec![csrrs(10, MCAUSE, 0)], store(FINISHER, 0x0007_3333)];
    vec![(IBEX, code.concat()), (VECTORS + 4 * 7, handler.concat())]
}

#[test]
fn ibex_timer_interrupts_one_cycle_after_its_time() {
    let mut taken = Vec::new();
    for at in 200..204 {
        let mut bench = Bench::new("ibex", &ibex_timer(at));
        let mut signals = Vec::new();
        assert_eq!(bench.run(10_000, &mut signals), Stop::Exit(7));
        assert_eq!(bench.x(10), 1 << 31 | 7, "mcause");
        // It is high after a reset as well, when mtimecmp is 0.
        let later: Vec<_> = signals.iter().copied().filter(|(at, _)| *at > 100).collect();
        assert_eq!(asked_and_taken(&signals, 7).0, 2);
        let (asked, entered) = asked_and_taken(&later, 7);
        assert_eq!(asked, u64::from(at) + 1);
        taken.push(entered);
        let rows = bench.0.timing_used();
        assert!(rows.iter().any(|row| row.name == "timer interrupt"));
    }
    // A jump to itself takes two cycles, so that two neighbours are taken together.
    let steps: Vec<u64> = taken.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps == [0, 2, 0] || steps == [2, 0, 2], "{taken:?}");
}

#[test]
fn the_simulators_registers_print_and_end_the_run() {
    let code = [store_byte(0x0002_0000, b'h'), store(0x0002_0000, u32::from(b'i')), store(0x0002_0008, 1)];
    let mut bench = Bench::new("ibex", &[(IBEX, code.concat())]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.printed(1), "hi");
}

#[test]
fn ibex_has_no_atomic_instructions_and_a_trap_has_a_handler() {
    let code = [li(7, VECTORS), vec![csrrw(0, MTVEC, 7), amoadd(1, 2, 3), HERE]].concat();
    let handler = [vec![csrrs(10, MCAUSE, 0)], store(FINISHER, 0x5555)].concat();
    let mut bench = Bench::new("ibex", &[(IBEX, code), (VECTORS, handler)]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.x(10), 2);
    assert_eq!(bench.0.handled_fault().unwrap().cause, "illegal instruction");
}

#[test]
fn what_lies_nowhere_is_refused_and_so_is_nothing() {
    let part = Part::find("ibex").unwrap();
    let load = |at: u32| Machine::new(part, Settings::default(), [(Address::new(at), &[0x6F, 0, 0, 0][..])]);
    let error = load(0x8000_0000).map(|_| ()).unwrap_err();
    let text = "the image loads 4 bytes at 0x80000000, but ibex has memory only at 0x00100000 (1,048,576 bytes); was it \
                linked for another part?";
    assert_eq!(error.to_string(), text);
    assert_eq!(load(0x0010_0000).map(|_| ()), Err(LoadError::NothingAtReset(Address::new(IBEX))));
    assert!(load(IBEX).is_ok());
}

/// Jumps over the interrupt vector at 0x10 to `code` at 0x100; `handler` goes to the vector.
fn pico(handler: Vec<u32>, code: Vec<u32>) -> Bench {
    Bench::new("picorv32", &[(0, vec![jal(0, 0x100)]), (0x10, handler), (0x100, code)])
}

const CLINT: u32 = 0x3000_0000;

#[test]
fn picorv32_is_interrupted_by_the_systems_timer_and_ends_its_test_bench() {
    let handler = [vec![getq(10, 1)], store(0x2000_0000, 123_456_789)].concat();
    let code = [store(CLINT + 0x4004, 0), store(CLINT + 0x4000, 500), li(7, !(1 << 4)), vec![maskirq(0, 7), HERE]];
    let mut bench = pico(handler, code.concat());
    let mut signals = Vec::new();
    assert_eq!(bench.run(10_000, &mut signals), Stop::Exit(0));
    assert_eq!(bench.x(10), 1 << 4);
    let (asked, taken) = asked_and_taken(&signals, 4);
    assert_eq!(asked, 500);
    assert!((501..515).contains(&taken), "{taken}");
}

#[test]
fn picorv32s_own_timer_needs_no_system() {
    let handler = [vec![getq(10, 1)], store(0x2000_0000, 0x0003_3333)].concat();
    let code = [li(7, !1), vec![maskirq(0, 7), addi(7, 0, 100), timer(0, 7), HERE]].concat();
    let mut bench = pico(handler, code);
    assert_eq!(bench.finish(10_000), Stop::Exit(3));
    assert_eq!(bench.x(10), 1);
    let mut bench = pico(vec![], store(0x2000_0000, 1));
    assert_eq!(bench.finish(10_000), Stop::Exit(1), "whatever is no success is a failure");
}
