//! Priorities, masks, and the system control block of Armv7-M: DDI 0403E §B1.5.4, §B3.2, §B5.2.

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;

fn order(machine: &mut Machine, until: u64) -> Vec<u32> {
    machine.entries(until).into_iter().map(|(_, number)| number.into()).collect()
}

#[test]
fn grouping_splits_priorities_into_preemption_and_order() {
    // Interrupt 0 runs at 0x50; 2 (0x60) and then 1 (0x40) come inside it. Bits 7:4 decide: 1 preempts. Bits 7:5 and
    // fewer: it waits, but goes before 2.
    for (prigroup, nests) in [(3, true), (4, false), (5, false), (7, false)] {
        let machine = m3(&[NOP; 100])
            .with(AIRCR, 0x05FA_0000 | prigroup << 8)
            .handler(IRQ0, &[vec![NOP; 60], vec![BX_LR]].concat())
            .interrupt(0, 0x50)
            .interrupt(1, 0x40)
            .interrupt(2, 0x60)
            .at(5, Action::Pulse(0))
            .at(30, Action::Pulse(2))
            .at(31, Action::Pulse(1));
        assert_eq!(machine.register(AIRCR), 0xFA05_0000 | prigroup << 8);
        let mut stays = machine.clone();
        assert_eq!(order(&mut stays, 250), [IRQ0, IRQ0 + 1], "{prigroup}: 1 does not return");
        assert_eq!(stays.core.cpu().nvic.active_count() == 2, nests, "{prigroup}");
        let mut returns = machine.handler(IRQ0 + 1, &[BX_LR]);
        assert_eq!(order(&mut returns, 250), [IRQ0, IRQ0 + 1, IRQ0 + 2], "{prigroup}");
    }
}

#[test]
fn without_its_key_aircr_is_not_written() {
    let machine = m3(&[NOP]).with(AIRCR, 0x0000_0500);
    assert_eq!(machine.register(AIRCR), 0xFA05_0000);
}

#[test]
fn basepri_masks_its_priority_and_below() {
    let machine = |basepri: u16| {
        m3(&code![movs(0, basepri), msr(BASEPRI, 0), vec![NOP; 60]])
            .interrupt(0, 0x40)
            .interrupt(1, 0x80)
            .at(20, Action::Pulse(1))
            .at(20, Action::Pulse(0))
    };
    assert_eq!(order(&mut machine(0), 60), [IRQ0]);
    assert_eq!(order(&mut machine(0x90), 60), [IRQ0]);
    assert_eq!(order(&mut machine(0x80), 60), [IRQ0]);
    assert_eq!(order(&mut machine(0x40), 60), [0; 0]);
    // Four bits are there: 0x4F is 0x40.
    assert_eq!(order(&mut machine(0x4F), 60), [0; 0]);
    // SVC below it escalates; NMI does not care.
    let code = code![movs(0, 0x40), msr(BASEPRI, 0), svc(0), SELF];
    let mut machine = m3(&code).with(SHPR1 + 4, 0x4000_0000);
    assert_eq!(order(&mut machine, 60), [HARD_FAULT]);
    assert_eq!(machine.hfsr(), FORCED);
}

#[test]
fn basepri_max_only_raises_the_priority() {
    // (BASEPRI before, written, after)
    for (before, written, after) in
        [(0, 0x40, 0x40), (0x80, 0x40, 0x40), (0x40, 0x80, 0x40), (0x40, 0, 0x40), (0, 0, 0), (0x40, 0x0F, 0x40)]
    {
        let code = code![msr(BASEPRI, 0), msr(BASEPRI_MAX, 1), mrs(2, BASEPRI), mrs(3, BASEPRI_MAX), bkpt(0)];
        let mut machine = m3(&code).set(0, before).set(1, written);
        machine.run_to_breakpoint();
        assert_eq!([machine.r(2), machine.r(3)], [after; 2], "{before:#x} {written:#x}");
    }
}

#[test]
fn faultmask_masks_all_but_nmi_and_ends_with_the_handler() {
    let code = code![CPSID_F, mrs(5, FAULTMASK), vec![NOP; 10], CPSIE_F, vec![NOP; 40]];
    let mut machine = m3(&code).interrupt(0, 0).at(5, Action::Pulse(0));
    machine.run(14);
    assert_eq!((machine.ipsr(), machine.r(5)), (0, 1));
    assert_eq!(order(&mut machine, 80), [IRQ0]);
    // Set inside a handler, it is clear after the return, and the second interrupt comes only then.
    let mut machine = m3(&[NOP; 60])
        .handler(IRQ0, &code![CPSID_F, vec![NOP; 30], BX_LR])
        .handler(IRQ0 + 1, &[SELF])
        .interrupt(0, 0x80)
        .interrupt(1, 0)
        .at(5, Action::Pulse(0))
        .at(25, Action::Pulse(1));
    let entries = machine.entries(200);
    assert_eq!(entries.iter().map(|(_, number)| u32::from(*number)).collect::<Vec<_>>(), [IRQ0, IRQ0 + 1]);
    assert!(entries[1].0 > 50, "{entries:?}");
    assert!(!machine.core.cpu().faultmask);
    // NMI's return leaves it (DDI 0403E §B1.5.8, DeActivate()); in HardFault it cannot be set.
    let mut machine = m3(&code![CPSID_F, vec![NOP; 4], poke(ICSR, 1 << 31), NOP, NOP, bkpt(0)]).handler(2, &[BX_LR]);
    machine.run_to_breakpoint();
    assert!(machine.core.cpu().faultmask);
    let mut machine = m3(&[udf(0)]).handler(HARD_FAULT, &code![CPSID_F, mrs(5, FAULTMASK), bkpt(0)]);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(5), 0);
}

#[test]
fn stir_pends_and_unprivileged_code_may_use_it_when_allowed() {
    let code = code![movs(0, 3), str(0, 4, 0), NOP, NOP, NOP, SELF];
    let mut machine = m3(&code).interrupt(3, 0).set(4, STIR);
    assert_eq!(order(&mut machine, 60), [IRQ0 + 3]);
    let mut machine = m3(&code).with(CCR, STKALIGN | USERSETMPEND).interrupt(3, 0).set(4, STIR);
    machine.core.cpu_mut().unprivileged = true;
    assert_eq!(order(&mut machine, 60), [IRQ0 + 3]);
    let mut machine = m3(&code).interrupt(3, 0).set(4, STIR);
    machine.core.cpu_mut().unprivileged = true;
    assert_eq!(order(&mut machine, 60), [HARD_FAULT]);
}

#[test]
fn shcsr_tells_and_sets_what_is_enabled_pending_and_active() {
    let mut machine = m3(&[svc(0)]).handler(SVCALL, &[NOP, NOP, bkpt(0)]);
    machine.run_to_breakpoint();
    assert_eq!(machine.register(SHCSR), 1 << 7, "SVCALLACT");
    let mut machine = m3(&[NOP, NOP, NOP, SELF]).with(SHCSR, ALL_FAULTS | 1 << 12);
    machine.core.cpu_mut().primask = false;
    assert_eq!(order(&mut machine, 60), [USAGE_FAULT], "pended by software");
    assert_eq!(machine.cfsr(), 0);
    assert_eq!(machine.register(SHCSR), ALL_FAULTS | 1 << 3);
    // Pending while disabled waits.
    let mut machine = m3(&[NOP, NOP, NOP, SELF]).with(SHCSR, 1 << 14);
    assert_eq!(order(&mut machine, 60), [0; 0]);
    assert_eq!(machine.register(SHCSR), 1 << 14);
}

#[test]
fn priorities_of_system_handlers_and_of_lines_that_are_not_there() {
    let machine = m3(&[NOP]).with(SHPR1, 0xFFFF_FFFF).with(SHPR1 + 4, 0xFFFF_FFFF).with(SHPR3, 0xFFFF_FFFF);
    assert_eq!(machine.register(SHPR1), 0x00F0_F0F0, "four bits; no field for exception 7");
    assert_eq!(machine.register(SHPR1 + 4), 0xF000_0000);
    assert_eq!(machine.register(SHPR3), 0xF0F0_00F0);
    let ipr = 0xE000_E400;
    let machine = machine.with(ipr + 28, 0x1234_5678).with(ipr + 32, 0x1234_5678);
    assert_eq!(machine.register(ipr + 28), 0x1030_5070, "lines 28 to 31");
    assert_eq!(machine.register(ipr + 32), 0, "line 32 is not there");
}

#[test]
fn byte_writes_to_set_and_clear_registers_touch_their_lines_only() {
    let iser = 0xE000_E100;
    let code = code![movs(1, 0x01), strb_w(1, 0, 1), strb_w(1, 2, 0), bkpt(0)];
    let mut machine = m3(&code).with(iser, 0x8001_0001).set(0, iser).set(2, 0xE000_E180);
    machine.run_to_breakpoint();
    assert_eq!(machine.register(iser), 0x8001_0100);
}

#[test]
fn active_interrupts_are_told() {
    let mut machine = m3(&[NOP; 40]).handler(IRQ0 + 5, &[SELF]).interrupt(5, 0).at(5, Action::Pulse(5));
    machine.run_to_stop(100);
    assert_eq!(machine.register(0xE000_E300), 1 << 5, "NVIC_IABR0");
}

#[test]
fn icsr_tells_what_is_pending_and_active() {
    let mut machine = m3(&[NOP; 60])
        .handler(IRQ0, &[vec![NOP; 60], vec![SELF]].concat())
        .interrupt(0, 0x80)
        .interrupt(1, 0x40)
        .interrupt(2, 0xC0)
        .at(5, Action::Pulse(0))
        .at(30, Action::Pulse(2));
    machine.run_to_stop(60);
    let vectpending = |number: u32| number << 12;
    assert_eq!(machine.register(ICSR) & 0x01FF_FFFF, 1 << 22 | vectpending(IRQ0 + 2) | 1 << 11 | IRQ0, "RETTOBASE");
    let mut machine = machine.at(61, Action::Pulse(1));
    machine.run_to_stop(100);
    assert_eq!(machine.register(ICSR) & 0x01FF_FFFF, 1 << 22 | vectpending(IRQ0 + 2) | (IRQ0 + 1), "not the only one");
}

#[test]
fn a_nested_handler_may_leave_for_thread_mode_when_allowed() {
    // NONBASETHRDENA (DDI 0403E §B1.5.8): the outer exception stays active.
    let machine = |ccr: u32| {
        m3(&[NOP; 60])
            .with(CCR, ccr)
            .handler(IRQ0, &[NOP; 60])
            .handler(IRQ0 + 1, &code![ldr(5, 13 & 7, 0), bx(4)])
            .interrupt(0, 0x80)
            .interrupt(1, 0)
            .at(5, Action::Pulse(0))
            .at(25, Action::Pulse(1))
            .set(4, 0xFFFF_FFF9)
    };
    let mut refused = machine(STKALIGN);
    assert_eq!(order(&mut refused, 60), [IRQ0, IRQ0 + 1, HARD_FAULT]);
    // The inner frame was made in handler mode: its IPSR does not fit thread mode, so the handler clears it.
    let handler = code![mov(6, 13), ldr(5, 6, 7), movs(7, 0), movt(7, 0x0100), str(7, 6, 7), bx(4)];
    let mut allowed = machine(STKALIGN | NONBASETHRDENA).handler(IRQ0 + 1, &handler);
    assert_eq!(order(&mut allowed, 60), [IRQ0, IRQ0 + 1]);
    assert_eq!(allowed.ipsr(), 0);
    assert!(allowed.core.cpu().nvic.is_active(16));
    assert!(allowed.pc() >= handler_address(IRQ0), "back in the code of the outer handler, in thread mode");
}

#[test]
fn the_vector_table_moves() {
    let table = RAM + 0x800;
    let mut machine = m3(&[NOP; 40])
        .code_at(RAM + 0x700, &[movs(7, 42), SELF])
        .word_at(table + 4 * IRQ0, (RAM + 0x700) | 1)
        .with(VTOR, table)
        .interrupt(0, 0)
        .at(5, Action::Pulse(0));
    machine.run_to_stop(60);
    assert_eq!(machine.r(7), 42);
    assert_eq!(machine.register(VTOR), table);
}

#[test]
fn frames_are_aligned_to_eight_bytes_unless_told_not_to() {
    for (ccr, sp, frame) in [
        (STKALIGN, RAM + 0x804, RAM + 0x7E0),
        (STKALIGN, RAM + 0x800, RAM + 0x7E0),
        (0, RAM + 0x804, RAM + 0x7E4),
        (0, RAM + 0x800, RAM + 0x7E0),
    ] {
        let mut machine = m3(&[NOP; 40])
            .with(CCR, ccr)
            .set(13, sp)
            .handler(IRQ0, &[mov(7, 13), BX_LR])
            .interrupt(0, 0)
            .at(5, Action::Pulse(0));
        machine.run_to_stop(60);
        assert_eq!(machine.r(7), frame, "{ccr:#x} {sp:#x}");
        assert_eq!(machine.r(13), sp, "restored");
        assert_eq!(machine.word(frame + 28) >> 9 & 1, u32::from(ccr != 0 && sp & 4 != 0));
    }
}

#[test]
fn without_privilege_special_registers_read_zero_and_keep() {
    let code = code![
        movs(0, 0xFF),
        msr(PRIMASK, 0),
        msr(BASEPRI, 0),
        msr(FAULTMASK, 0),
        msr(CONTROL, 0),
        msr(MSP, 0),
        CPSID,
        CPSID_F,
        mrs(1, PRIMASK),
        mrs(2, BASEPRI),
        mrs(3, FAULTMASK),
        mrs(4, CONTROL),
        mrs(5, MSP),
        bkpt(0)
    ];
    let mut machine = m3(&code);
    machine.core.cpu_mut().unprivileged = true;
    machine.core.cpu_mut().basepri = 0x80;
    machine.run_to_breakpoint();
    assert_eq!([1, 2, 3, 4, 5].map(|register| machine.r(register)), [0, 0, 0, 1, 0]);
    let cpu = machine.core.cpu();
    assert_eq!((cpu.primask, cpu.faultmask, cpu.basepri, cpu.r[13]), (false, false, 0x80, STACK));
}

#[test]
fn systick_counts_and_interrupts() {
    let csr = 0xE000_E010;
    let code = [poke(csr + 4, 99), poke(csr + 8, 0), poke(csr, 7), vec![NOP; 100], vec![b(-204)]].concat();
    let mut machine = m3(&code).handler(SYSTICK, &[BX_LR]).with(SHPR3, 0x8000_0000);
    let entries = machine.entries(1000);
    assert!(entries.len() >= 9 && entries.iter().all(|(_, number)| u32::from(*number) == SYSTICK), "{entries:?}");
    let gaps: Vec<u64> = entries.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| gap.abs_diff(100) <= 5), "{gaps:?}");
}
