//! The NVIC's and the system control block's registers: DDI 0419E §B3.2 and §B3.4.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::{Signal, Stop};

const ISER: u32 = 0xE000_E100;
const ICER: u32 = 0xE000_E180;
const ISPR: u32 = 0xE000_E200;
const ICPR: u32 = 0xE000_E280;
const IPR0: u32 = 0xE000_E400;
const ICSR: u32 = 0xE000_ED04;
const AIRCR: u32 = 0xE000_ED0C;
const SHPR2: u32 = 0xE000_ED1C;
const SHPR3: u32 = 0xE000_ED20;

/// Carries out `accesses` (address, and what to write, if anything) with the core's own loads and stores; returns what
/// was read.
fn registers(machine: &mut Machine, accesses: &[(u32, Option<u32>)]) -> Vec<u32> {
    let mut read = Vec::new();
    for (address, value) in accesses {
        let core = machine.core.cpu_mut();
        core.r[0] = *address;
        core.r[1] = value.unwrap_or(0);
        core.go_to(CODE + if value.is_some() { 0 } else { 4 });
        assert_eq!(machine.run(machine.now() + 1), Stop::Horizon);
        if value.is_none() {
            read.push(machine.r(1));
        }
    }
    read
}

/// A machine whose code is one store and one load.
fn machine() -> Machine {
    let mut machine = Machine::new(&code![str(1, 0, 0), SELF, ldr(1, 0, 0), SELF]);
    machine.core.cpu_mut().primask = true;
    machine
}

#[test]
fn enable_and_pending_bits_are_set_and_cleared_by_ones() {
    let mut machine = machine();
    let read = registers(
        &mut machine,
        &[
            (ISER, Some(0x8000_0005)),
            (ISER, None),
            (ICER, Some(0x0000_0004)),
            (ISER, None),
            (ICER, None),
            (ISPR, Some(0x0000_0101)),
            (ISPR, Some(0)),
            (ISPR, None),
            (ICPR, Some(0x0000_0100)),
            (ICPR, None),
        ],
    );
    assert_eq!(read, [0x8000_0005, 0x8000_0001, 0x8000_0001, 0x101, 1]);
}

#[test]
fn priorities_keep_their_two_bits() {
    let mut machine = machine();
    let writes = [(IPR0 + 28, Some(u32::MAX)), (IPR0 + 28, None), (IPR0, Some(0x8040_C000)), (IPR0, None)];
    assert_eq!(registers(&mut machine, &writes), [0xC0C0_C0C0, 0x8040_C000]);
    assert_eq!(machine.core.cpu().nvic.priority(16 + 2), 0x40);
    let system = [(SHPR2, Some(u32::MAX)), (SHPR2, None), (SHPR3, Some(u32::MAX)), (SHPR3, None)];
    assert_eq!(registers(&mut machine, &system), [0xC000_0000, 0xC0C0_0000]);
}

#[test]
fn interrupts_the_part_lacks_have_no_bits() {
    let config = cyclescope_cortex_m::Config { interrupts: 8, ..config() };
    let mut machine = Machine::configured(
        config,
        cyclescope_machine::FlashTiming::IDEAL,
        &code![str(1, 0, 0), SELF, ldr(1, 0, 0), SELF],
    );
    let accesses = [(ISER, Some(u32::MAX)), (ISER, None), (ISPR, Some(0xFF00)), (ISPR, None)];
    assert_eq!(registers(&mut machine, &accesses), [0xFF, 0]);
}

#[test]
fn icsr_shows_what_is_pending_and_active() {
    let mut machine = machine();
    let read = registers(
        &mut machine,
        &[
            (ISER, Some(1 << 3)),
            (ISPR, Some(1 << 3)),
            (ICSR, None),
            (ICSR, Some(1 << 28 | 1 << 26)),
            (ICSR, None),
            (ICSR, Some(1 << 27 | 1 << 25)),
            (ICSR, None),
        ],
    );
    // ISRPENDING 22, VECTPENDING from 12; all priorities are equal, so the lowest number counts.
    assert_eq!(read, [1 << 22 | 19 << 12, 1 << 28 | 1 << 26 | 1 << 22 | 14 << 12, 1 << 22 | 19 << 12]);
    // VECTACTIVE, read by a handler.
    let mut machine = Machine::new(&[NOP; 60])
        .handler(IRQ0 + 4, &[ldr(1, 0, 0), bkpt(0)])
        .interrupt(4, 0)
        .at(5, Action::Pulse(4))
        .set(0, ICSR);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(1), 20);
}

#[test]
fn setting_nmi_pending_takes_it_at_once() {
    let mut machine = Machine::new(&code![str(1, 0, 0), vec![NOP; 60]]).set(0, ICSR).set(1, 1 << 31);
    assert_eq!(machine.entries(40), [(2 + 15, 2)]);
}

#[test]
fn a_line_that_drives_nmi_is_not_masked_and_interrupts_as_long_as_it_is_high() {
    // The handler lowers the line the third time; BNE skips the store. The line is not enabled, and PRIMASK is set.
    let code = code![subs(2, 1), b_if(1, 0), str(1, 0, 1), BX_LR];
    let mut machine = Machine::new(&code![CPSID, vec![NOP; 200]])
        .handler(NMI, &code)
        .at(5, Action::Raise(3))
        .set(0, PULSE)
        .set(1, 3)
        .set(2, 3);
    machine.bus.shared.interrupts.route_to_nmi(0, 1 << 3);
    let entered: Vec<u16> = machine.entries(190).into_iter().map(|(_, number)| number).collect();
    assert_eq!(entered, [2, 2, 2]);
}

#[test]
fn a_line_that_stays_high_interrupts_again_until_it_falls() {
    // DDI 0419E §B3.4.1. The handler lowers it the third time.
    let code = code![subs(2, 1), b_if(1, 0), str(1, 0, 1), BX_LR];
    // BNE skips the store.
    let machine = Machine::new(&[NOP; 200])
        .handler(IRQ0, &code)
        .interrupt(0, 0)
        .at(5, Action::Raise(0))
        .set(0, PULSE)
        .set(1, 0)
        .set(2, 3);
    let signals = machine.recording().signals(190);
    let count = |wanted| signals.iter().filter(|(_, signal)| *signal == wanted).count();
    assert_eq!(count(Signal::ExceptionEntered { number: 16 }), 3);
    assert_eq!(count(Signal::ExceptionPended { number: 16 }), 3, "pending again is pending");
    // A line that falls before its handler runs has been latched; one interrupt.
    let masked = Machine::new(&code![CPSID, vec![NOP; 60], CPSIE, vec![NOP; 100]]).handler(IRQ0, &[BX_LR]);
    let masked = masked.interrupt(0, 0).at(5, Action::Raise(0)).at(9, Action::Lower(0));
    assert_eq!(masked.clone().entries(150), [(62 + 15, 16)]);
}

#[test]
fn a_pulse_during_its_own_handler_is_not_lost() {
    let mut machine = Machine::new(&[NOP; 200])
        .handler(IRQ0, &code![vec![NOP; 10], BX_LR])
        .interrupt(0, 0)
        .at(5, Action::Pulse(0))
        .at(25, Action::Pulse(0));
    assert_eq!(machine.entries(150), [(20, 16), (20 + 12 + 6, 16)]);
}

#[test]
fn a_device_that_raises_its_line_on_a_write_is_served_at_the_next_boundary() {
    let mut machine = Machine::new(&code![NOP, str(1, 0, 0), NOP, NOP, vec![NOP; 50]])
        .interrupt(6, 0)
        .set(0, PULSE)
        .set(1, 6)
        .recording();
    let signals = machine.signals(18);
    // Seen in the store's second cycle, 2; the store ends at 3.
    let expected = [(2, Signal::ExceptionPended { number: 22 }), (18, Signal::ExceptionEntered { number: 22 })];
    assert_eq!(signals, expected);
    assert_eq!(machine.frame()[6], CODE + 4);
}

#[test]
fn pending_is_signalled_at_the_cycle_it_happens() {
    // In the middle of a DSB (5 to 8).
    let mut machine =
        Machine::new(&code![vec![NOP; 5], DSB, vec![NOP; 50]]).interrupt(0, 0).at(6, Action::Pulse(0)).recording();
    let expected = [(6, Signal::ExceptionPended { number: 16 }), (23, Signal::ExceptionEntered { number: 16 })];
    assert_eq!(machine.signals(23), expected);
    // Two in one instruction, each at its own.
    let mut machine = Machine::new(&code![vec![NOP; 5], DSB, vec![NOP; 50]])
        .at(6, Action::Pulse(1))
        .at(7, Action::Pulse(0))
        .recording();
    let expected = [(6, Signal::ExceptionPended { number: 17 }), (7, Signal::ExceptionPended { number: 16 })];
    assert_eq!(machine.signals(23), expected);
    // By software, through ISPR.
    let mut machine =
        Machine::new(&code![str(1, 0, 0), vec![NOP; 50]]).interrupt(0, 0).set(0, ISPR).set(1, 1).recording();
    let expected = [(1, Signal::ExceptionPended { number: 16 }), (17, Signal::ExceptionEntered { number: 16 })];
    assert_eq!(machine.signals(17), expected);
}

#[test]
fn aircr_resets_only_with_its_key() {
    let mut machine = machine();
    registers(&mut machine, &[(AIRCR, Some(0x0000_0004)), (AIRCR, Some(0x05FA_0000))]);
    machine.core.cpu_mut().r[0] = AIRCR;
    machine.core.cpu_mut().r[1] = 0x05FA_0004;
    machine.core.cpu_mut().go_to(CODE);
    assert!(matches!(machine.run(machine.now() + 50), Stop::Reset(cause) if cause.contains("SYSRESETREQ")));
}

#[test]
fn an_unknown_register_is_a_named_gap_and_reads_as_zero() {
    let mut machine = machine().set(1, 7);
    assert_eq!(registers(&mut machine, &[(0xE000_EF00, None), (0xE000_EF00, Some(1))]), [0]);
    let gaps = machine.bus.shared.gaps.all();
    assert_eq!(gaps.len(), 2);
    assert!(gaps[0].name.contains("0xe000ef00"), "{}", gaps[0].name);
}
