//! WFI, WFE, SEV, SEVONPEND and SLEEPONEXIT: DDI 0419E §B1.5.17 to §B1.5.19 and §B3.2.7. The clock jumps to the very
//! cycle of what wakes the core.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::Stop;

const SCR: u32 = 0xE000_ED10;
const SEVONPEND: u32 = 1 << 4;
const SLEEPDEEP: u32 = 1 << 2;
const SLEEPONEXIT: u32 = 1 << 1;

fn sleeping(code: &[u16]) -> Machine {
    Machine::new(code).handler(IRQ0, &[NOP, BX_LR]).interrupt(0, 0)
}

#[test]
fn wfi_resumes_at_the_exact_cycle_of_the_interrupt() {
    for at in [10, 99, 100, 12_345] {
        let mut machine = sleeping(&code![NOP, WFI, vec![NOP; 50]]).at(at, Action::Pulse(0));
        assert_eq!(machine.entries(at + 15), [(at + 15, 16)]);
        assert_eq!(machine.frame()[6], CODE + 4, "the WFI is done");
        assert_eq!(machine.bus.peripherals.slept, [(3, true), (at, false)]);
    }
}

#[test]
fn sleep_is_the_same_however_the_run_is_cut() {
    let code = code![NOP, WFI, ldr(1, 0, 0), WFE, ldr(2, 0, 0), WFI, ldr(3, 0, 0), SELF];
    let machine = sleeping(&code)
        .set(0, CLOCK)
        .at(50, Action::Pulse(0))
        .at(51, Action::Nothing)
        .at(120, Action::Pulse(0))
        .at(170, Action::Nothing)
        .at(200, Action::Pulse(0));
    let mut whole = machine.clone();
    whole.run(300);
    let (mut cut, mut traced) = (machine.clone(), machine);
    for until in 0..=300 {
        cut.run(until);
    }
    traced.trace(300);
    assert_eq!(cut.state(), whole.state());
    assert_eq!(traced.state(), whole.state());
    // Woken at 50, entry to 65, NOP and BX to 68, return to 79, LDR's data phase at 80. The return set the event
    // register: WFE (81 to 83) does not sleep. LDR reads at 84. WFI sleeps from 87 to 120.
    assert_eq!([1, 2, 3].map(|register| whole.r(register)), [80, 84, 120 + 15 + 3 + 11 + 1]);
}

#[test]
fn a_run_ends_at_its_limit_asleep_and_awake_with_what_is_under_way() {
    // Asleep from 3 to 60, entry to 75, NOP, a load of four registers, BX and the return to 94, a jump to itself.
    let machine = sleeping(&code![NOP, WFI, SELF])
        .handler(IRQ0, &code![NOP, ldm(2, 0xF0), BX_LR])
        .set(2, RAM)
        .at(60, Action::Pulse(0))
        .at(500, Action::Nothing);
    let (retired, _) = machine.clone().trace(200);
    for until in 1..190 {
        let mut machine = machine.clone();
        assert_eq!(machine.run(until), Stop::Horizon);
        let begins = retired.iter().map(|retire| retire.at.get()).chain([3]);
        let expected = if (3..=60).contains(&until) { Some(until) } else { begins.filter(|at| *at >= until).min() };
        assert_eq!(Some(machine.now()), expected, "limit {until}");
    }
}

#[test]
fn wfi_wakes_without_a_handler_while_primask_is_set() {
    // DDI 0419E §B1.5.19.
    let mut machine = sleeping(&code![CPSID, WFI, ldr(1, 0, 0), SELF]).set(0, CLOCK).at(70, Action::Pulse(0));
    assert_eq!(machine.entries(100), []);
    assert_eq!(machine.r(1), 71);
    assert!(machine.core.cpu().nvic.is_pending(16));
}

#[test]
fn wfe_does_not_wake_for_an_interrupt_that_primask_holds_back() {
    // DDI 0419E §B1.5.18: only what preempts, or SEVONPEND.
    let code = code![CPSID, str(3, 2, 0), WFE, ldr(1, 0, 0), SELF];
    let machine =
        |scr| sleeping(&code).set(0, CLOCK).set(2, SCR).set(3, scr).at(70, Action::Pulse(0)).at(90, Action::Nothing);
    let mut held = machine(0);
    assert!(matches!(held.run(1000), Stop::Deadlock(_)));
    assert_eq!(held.now(), 90, "nothing is scheduled after that");
    let mut woken = machine(SEVONPEND);
    assert_eq!(woken.entries(100), []);
    assert_eq!(woken.r(1), 71);
    // A second pending while pending is no event.
    let code = code![CPSID, str(3, 2, 0), WFE, WFE, ldr(1, 0, 0), SELF];
    let mut machine =
        sleeping(&code).set(0, CLOCK).set(2, SCR).set(3, SEVONPEND).at(70, Action::Pulse(0)).at(90, Action::Pulse(0));
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
}

#[test]
fn sevonpend_counts_disabled_interrupts() {
    let code = code![str(3, 2, 0), WFE, ldr(1, 0, 0), SELF];
    let mut machine = Machine::new(&code).set(0, CLOCK).set(2, SCR).set(3, SEVONPEND).at(70, Action::Pulse(5));
    assert_eq!(machine.entries(100), []);
    assert_eq!(machine.r(1), 71);
}

#[test]
fn sev_makes_the_next_wfe_return_at_once_and_only_that() {
    let mut machine = Machine::new(&code![SEV, WFE, ldr(1, 0, 0), WFE, SELF]).set(0, CLOCK).at(100, Action::Nothing);
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
    assert_eq!(machine.r(1), 4);
    assert_eq!(machine.bus.peripherals.slept, [(7, true)]);
}

#[test]
fn wfi_takes_no_notice_of_the_event_register() {
    let mut machine = Machine::new(&[SEV, WFI, SELF]);
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
}

#[test]
fn wfe_wakes_for_an_interrupt_and_goes_on_behind_itself() {
    let mut machine = sleeping(&code![WFE, ldr(1, 0, 0), SELF]).set(0, CLOCK).at(40, Action::Pulse(0));
    assert_eq!(machine.entries(100), [(55, 16)]);
    assert_eq!(machine.r(1), 55 + 3 + 11 + 1);
}

#[test]
fn a_disabled_interrupt_does_not_wake_wfi() {
    let mut machine = Machine::new(&[WFI, SELF]).at(40, Action::Pulse(0)).at(60, Action::Nothing);
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
    assert_eq!(machine.now(), 60);
}

#[test]
fn sleep_on_exit_sleeps_between_handlers_without_touching_the_stack() {
    // DDI 0419E §B3.2.7. The frame stays where it is: the next handler is tail-chained, and thread mode waits.
    let mut machine = sleeping(&code![str(3, 2, 0), WFI, movs(7, 1), SELF])
        .set(2, SCR)
        .set(3, SLEEPONEXIT)
        .at(50, Action::Pulse(0))
        .at(100, Action::Pulse(0));
    assert_eq!(machine.entries(120), [(65, 16), (106, 16)]);
    // Return at 68, asleep until 100, chained in 6.
    assert_eq!(machine.bus.peripherals.slept, [(4, true), (50, false), (68, true), (100, false), (109, true)]);
    assert_eq!([machine.r(7), machine.r(13)], [0, STACK - 32]);
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
}

#[test]
fn a_handler_that_clears_sleep_on_exit_returns_to_thread_mode() {
    let mut machine = Machine::new(&code![str(3, 2, 0), WFI, movs(7, 1), SELF])
        .handler(IRQ0, &[BX_LR])
        .handler(IRQ0 + 1, &[str(3, 2, 0), BX_LR])
        .interrupt(0, 0)
        .interrupt(1, 0)
        .set(2, SCR)
        .set(3, SLEEPONEXIT)
        .at(50, Action::Pulse(0))
        .at(100, Action::Pulse(1));
    machine.run(80);
    machine.core.cpu_mut().r[3] = 0;
    machine.run(150);
    assert_eq!([machine.r(7), machine.r(13), u32::from(machine.ipsr())], [1, STACK, 0]);
}

#[test]
fn sleep_on_exit_woken_by_what_primask_holds_back_returns_to_thread_mode() {
    let mut machine = Machine::new(&code![str(3, 2, 0), WFI, ldr(1, 0, 0), SELF])
        .handler(IRQ0, &[CPSID, BX_LR])
        .interrupt(0, 0)
        .interrupt(1, 0)
        .set(0, CLOCK)
        .set(2, SCR)
        .set(3, SLEEPONEXIT)
        .at(50, Action::Pulse(0))
        .at(100, Action::Pulse(1));
    assert_eq!(machine.entries(150), [(65, 16)]);
    // Awake at 100, the frame read by 111, LDR's data phase at 112.
    assert_eq!([machine.r(1), machine.r(13)], [112, STACK]);
}

#[test]
fn deep_sleep_is_told_to_the_part() {
    let mut machine = sleeping(&code![str(3, 2, 0), WFI]).set(2, SCR).set(3, SLEEPDEEP).at(50, Action::Nothing);
    machine.run(40);
    assert!(machine.bus.peripherals.deep);
    assert_eq!(machine.now(), 40, "asleep up to the horizon");
}

#[test]
fn a_clock_that_stands_stops_what_the_core_counts_and_runs_late() {
    // SysTick would interrupt at 1 + 1,000; its clock stands from WFI on, at 4.
    let code = code![str(3, 2, 0), WFI, ldr(1, 0, 0), SELF];
    let machine = |stands| {
        let mut machine = sleeping(&code).set(0, CLOCK).set(2, SCR).set(3, SLEEPDEEP).at(5_000, Action::Pulse(0));
        machine.bus.peripherals.stands = stands;
        machine.core.cpu_mut().systick.set_reload(999, 0);
        machine.core.cpu_mut().systick.set_control(7, 0);
        machine
    };
    let mut awake = machine(None);
    awake.run(2_000);
    assert!(awake.bus.peripherals.slept.len() > 1, "SysTick wakes a core whose clock runs");
    let mut stands = machine(Some(100));
    assert_eq!(stands.entries(6_000).first(), Some(&(5_115, 16)), "100 cycles later, then the handler's entry");
    assert_eq!(stands.bus.peripherals.slept, [(4, true), (5_100, false)]);
    let counted = stands.core.cpu().systick.value(5_200);
    assert_eq!(counted, 1_000 - 4 - 100);
    // What is pending already keeps the clock running.
    let mut held = sleeping(&code![CPSID, str(3, 2, 0), WFI, ldr(1, 0, 0), SELF])
        .set(0, CLOCK)
        .set(2, SCR)
        .set(3, SLEEPDEEP)
        .at(1, Action::Pulse(0));
    held.bus.peripherals.stands = Some(100);
    held.run(40);
    assert!(held.r(1) < 20);
}

#[test]
fn nothing_to_wake_it_is_a_deadlock() {
    let mut machine = Machine::new(&[NOP, WFI]);
    assert_eq!(machine.run(1_000_000), Stop::Deadlock(cyclescope_machine::units::Address::new(CODE + 4)));
    assert_eq!(machine.now(), 3);
    // A SysTick that counts but never interrupts wakes nothing.
    let mut machine = Machine::new(&code![str(0, 1, 0), WFI]).set(0, 5).set(1, 0xE000_E010);
    machine.core.cpu_mut().systick.set_reload(9, 0);
    assert!(matches!(machine.run(u64::MAX), Stop::Deadlock(_)));
    // One that interrupts does.
    let mut machine = Machine::new(&code![str(0, 1, 0), WFI]).set(0, 7).set(1, 0xE000_E010).handler(SYSTICK, &[BX_LR]);
    machine.core.cpu_mut().systick.set_reload(99, 0);
    assert_eq!(machine.entries(120), [(116, 15)]);
}
