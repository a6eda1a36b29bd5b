//! Floating-point state and exceptions: lazy and eager stacking, who may use the unit (DDI 0403E §B1.5.6, §B1.5.7).

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;

const ASPEN: u32 = 1 << 31;
const LSPEN: u32 = 1 << 30;
const LSPACT: u32 = 1;
const ONE: u32 = 0x3F80_0000;
const TWO: u32 = 0x4000_0000;

/// Thread code that uses the unit, with s0 to s15 as `0x4100_0000 + n`, then runs on; interrupt 0 comes at cycle 40.
fn busy(handler: &[u16]) -> Machine {
    let code = code![vadd(16, 17, 18), vec![NOP; 60], vmov_to(8, 0), vmrs(9), bkpt(0)];
    let mut machine = m4f(&code).handler(IRQ0, handler);
    for single in 0..16 {
        machine.core.cpu_mut().fp.singles[single] = 0x4100_0000 + single as u32;
    }
    machine.interrupt(0, 0x80).at(40, Action::Pulse(0))
}

/// The word of the floating-point part of a frame at `frame`: s0 to s15, then FPSCR.
fn stacked(machine: &Machine, frame: u32, index: u32) -> u32 {
    machine.word(frame + 32 + 4 * index)
}

#[test]
fn using_the_unit_makes_a_context() {
    let mut machine = m4f(&code![mrs(1, CONTROL), vadd(0, 1, 2), mrs(2, CONTROL), bkpt(0)]);
    machine.run_to_breakpoint();
    assert_eq!([machine.r(1), machine.r(2)], [0, 4], "FPCA");
    // Without ASPEN nothing marks it, and entry leaves no room.
    let mut machine =
        m4f(&code![vadd(0, 1, 2), mrs(2, CONTROL), svc(0)]).with(FPCCR, LSPEN).handler(SVCALL, &[bkpt(0)]);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(2), 0);
    assert_eq!((machine.r(13), machine.r(14)), (STACK - 32, 0xFFFF_FFF9));
}

#[test]
fn lazy_entry_leaves_room_and_keeps_the_registers() {
    let mut machine = busy(&[SELF]);
    machine.run_to_stop(100);
    let frame = STACK - 104;
    assert_eq!((machine.r(13), machine.r(14)), (frame, 0xFFFF_FFE9), "EXC_RETURN bit 4 is clear");
    assert_eq!(machine.core.cpu().control() & 4, 0, "a new context");
    assert_eq!(machine.register(FPCAR), frame + 32);
    assert_eq!(machine.register(FPCCR) & (ASPEN | LSPEN | LSPACT), ASPEN | LSPEN | LSPACT);
    assert_eq!(machine.register(FPCCR) & 0b1010, 0b1000, "from thread mode, privileged");
    assert!((0..17).all(|index| stacked(&machine, frame, index) == 0), "nothing is written yet");
    // A handler that does not use the unit returns without reading it back.
    let mut machine = busy(&[BX_LR]);
    machine.run_to_breakpoint();
    assert!((0..17).all(|index| stacked(&machine, frame, index) == 0));
    assert_eq!(machine.register(FPCCR) & LSPACT, 0);
    assert_eq!((machine.r(8), machine.r(13)), (0x4100_0000, STACK));
    assert_eq!(machine.core.cpu().control() & 4, 4, "the thread's context again");
}

#[test]
fn a_handler_that_uses_the_unit_preserves_first() {
    let handler = code![mov32(4, TWO), vmov_from(0, 4), vadd(1, 0, 0), vmov_to(5, 1), vmrs(6), BX_LR];
    let mut machine = busy(&handler);
    machine.core.cpu_mut().fp.set_fpdscr(1 << 24);
    machine.run_to_breakpoint();
    let frame = STACK - 104;
    for single in 0..16 {
        assert_eq!(stacked(&machine, frame, single), 0x4100_0000 + single, "s{single}");
        assert_eq!(machine.core.cpu().fp.singles[single as usize], 0x4100_0000 + single, "restored");
    }
    assert_eq!(machine.r(5), 0x4080_0000, "the handler's sum");
    assert_eq!(machine.r(6) & 0x07C0_0000, 1 << 24, "a new context begins with FPDSCR's control bits");
    assert_eq!(machine.r(8), 0x4100_0000);
    assert_eq!(machine.r(14), u32::MAX);
}

#[test]
fn eager_entry_stores_at_once() {
    let frame = STACK - 104;
    let mut machine = busy(&[SELF]).with(FPCCR, ASPEN);
    machine.run_to_stop(150);
    assert_eq!(machine.register(FPCCR) & LSPACT, 0);
    assert!((0..16).all(|single| stacked(&machine, frame, single) == 0x4100_0000 + single));
    assert_eq!(machine.r(14), 0xFFFF_FFE9);
    // The handler changes s0, and the return brings it back.
    let mut machine = busy(&code![mov32(4, TWO), vmov_from(0, 4), BX_LR]).with(FPCCR, ASPEN);
    machine.run_to_breakpoint();
    assert_eq!((machine.r(8), machine.r(13)), (0x4100_0000, STACK));
}

#[test]
fn nested_handlers_that_both_use_the_unit() {
    // Each adds to s1 in its own way; interrupt 1 comes before and after the first handler's use.
    let first = code![vec![NOP; 12], vadd(1, 1, 1), vec![NOP; 30], vmov_to(10, 1), BX_LR];
    let second = code![vadd(1, 2, 2), vmov_to(11, 1), BX_LR];
    for cycle in [50, 55, 60, 80, 90, 100, 115] {
        let mut machine = busy(&first).handler(IRQ0 + 1, &second).interrupt(1, 0).at(cycle, Action::Pulse(1));
        machine.core.cpu_mut().fp.singles[1] = ONE;
        machine.core.cpu_mut().fp.singles[2] = TWO;
        machine.run_to_breakpoint();
        assert_eq!(machine.core.cpu().exceptions_taken, 2, "{cycle}");
        assert_eq!(machine.r(11), 0x4080_0000, "{cycle}: 2 + 2");
        // Preserved before the first handler's use, s1 is unknown there; after it, its own sum must survive.
        assert_eq!(machine.core.cpu().fp.singles[1], ONE, "{cycle}: the thread's");
        assert_eq!(machine.core.cpu().fp.singles[2], TWO, "{cycle}");
        if cycle >= 100 {
            assert_eq!(machine.r(10), TWO, "{cycle}: the first handler's");
        }
        assert_eq!(machine.r(13), STACK, "{cycle}");
    }
}

#[test]
fn an_interrupt_at_every_cycle_of_floating_point_code_changes_nothing() {
    let code = code![
        mov32(0, ONE),
        mov32(1, TWO),
        vmov_from(0, 0),
        vmov_from(1, 1),
        vadd(2, 0, 1),
        vmul(3, 2, 1),
        vmla(3, 2, 2),
        vdiv(4, 3, 1),
        mov32(2, RAM + 0x100),
        vstr(4, 2),
        vldr(5, 2),
        it(NE, 0x8),
        vadd(6, 5, 0),
        vmov_to(7, 6),
        vmrs(3),
        bkpt(0)
    ];
    let handler = code![mov32(0, 0x4240_0000), vmov_from(0, 0), vmov_from(15, 0), vadd(4, 0, 0), vmsr(0), BX_LR];
    for setting in [ASPEN | LSPEN, ASPEN] {
        let machine = m4f(&code).with(FPCCR, setting);
        let mut free = machine.clone();
        let end = free.run_to_breakpoint();
        // From the first use on: before it the thread has no state to keep.
        for cycle in 6..end {
            let mut machine = machine.clone().handler(IRQ0, &handler).interrupt(0, 0).at(cycle, Action::Pulse(0));
            machine.run_to_breakpoint();
            let used = |machine: &Machine| (machine.core.cpu().r, machine.core.cpu().fp.singles[..7].to_vec());
            assert_eq!(used(&machine), used(&free), "{setting:#x}: interrupt at {cycle}");
            assert_eq!(machine.core.cpu().exceptions_taken, 1);
        }
    }
}

#[test]
fn a_trace_holds_each_floating_point_instruction_once() {
    let mut machine = busy(&code![vadd(1, 0, 0), vadd(1, 1, 1), BX_LR]);
    let (retired, _) = machine.trace(10_000);
    // BKPT does not count as retired.
    assert_eq!(retired.len() as u64, machine.core.instructions().get());
    let handler = handler_address(IRQ0);
    let here: Vec<u32> =
        retired.iter().map(|retire| retire.pc.get()).filter(|pc| (handler..handler + 0x80).contains(pc)).collect();
    assert_eq!(here, [handler, handler + 4, handler + 8]);
}

#[test]
fn who_may_use_the_unit() {
    // CPACR: 0 none, 1 privileged code, 3 all.
    for (access, privileged, faults) in
        [(0, true, true), (0, false, true), (1, true, false), (1, false, true), (3, true, false), (3, false, false)]
    {
        let mut machine = m4f_off(&code![vadd(0, 1, 2), bkpt(0)])
            .with(CPACR, access << 20 | access << 22)
            .with(SHCSR, ALL_FAULTS)
            .handler(USAGE_FAULT, &[bkpt(1)]);
        machine.core.cpu_mut().unprivileged = !privileged;
        machine.run_to_breakpoint();
        assert_eq!(u32::from(machine.ipsr()) == USAGE_FAULT, faults, "{access} {privileged}");
        assert_eq!(machine.cfsr(), if faults { 1 << 19 } else { 0 });
    }
    // A handler is privileged whatever thread code is, and loses the right with its return.
    let code = code![svc(0), vadd(0, 1, 2), bkpt(0)];
    let mut machine = m4f_off(&code)
        .with(CPACR, 5 << 20)
        .with(SHCSR, ALL_FAULTS)
        .handler(SVCALL, &code![vadd(0, 1, 2), movs(7, 9), BX_LR])
        .handler(USAGE_FAULT, &[bkpt(1)]);
    machine.core.cpu_mut().unprivileged = true;
    machine.run_to_breakpoint();
    assert_eq!((machine.r(7), u32::from(machine.ipsr())), (9, USAGE_FAULT));
}

#[test]
fn turning_the_unit_off_takes_effect_at_once() {
    let code = code![vadd(0, 1, 2), poke(CPACR, 0), DSB, ISB, vadd(0, 1, 2), bkpt(0)];
    let mut machine = m4f(&code).with(SHCSR, ALL_FAULTS).handler(USAGE_FAULT, &[bkpt(1)]);
    machine.run_to_breakpoint();
    assert_eq!((u32::from(machine.ipsr()), machine.cfsr()), (USAGE_FAULT, 1 << 19));
    // The state of the thread waits to be preserved, which a faulting instruction does not do.
    assert_eq!(machine.register(FPCCR) & LSPACT, LSPACT);
}

#[test]
fn new_contexts_keep_the_flags_of_fpscr() {
    // ExecuteFPCheck() takes the control bits alone from FPDSCR.
    let code = code![mov32(0, 0xF000_009F), vmsr(0), movs(1, 0), msr(CONTROL, 1), ISB, vmrs(2), bkpt(0)];
    let mut machine = m4f(&code).with(FPDSCR, 1 << 25);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(2), 0xF200_009F);
}

#[test]
fn preserving_where_the_mpu_forbids_is_a_fault_of_its_own() {
    // The handler protects the frame's place, then uses the unit: MLSPERR.
    let frame = STACK - 104;
    let handler = code![poke(MPU_CTRL, WITH_DEFAULT), DSB, ISB, vadd(0, 1, 2), bkpt(0)];
    let mut machine = busy(&handler).region(0, frame & !0x7F, sized(7, ALL_READ)).with(SHCSR, ALL_FAULTS);
    machine = machine.handler(MEM_MANAGE, &[bkpt(1)]);
    // Handlers stack below: on another part of RAM.
    let entries = {
        machine.core.cpu_mut().other_sp = STACK;
        machine.core.cpu_mut().select_stack(true);
        machine.set(13, STACK)
    };
    let mut machine = entries;
    machine.core.cpu_mut().other_sp = RAM + 0x800;
    machine.run_to_breakpoint();
    assert_eq!(u32::from(machine.ipsr()), MEM_MANAGE);
    assert_eq!(machine.cfsr(), 1 << 5);
}
