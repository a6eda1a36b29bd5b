//! The configurable faults of Armv7-M: which bits each sets, who answers, when it escalates (DDI 0403E §B1.5.14).

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;
use cyclescope_machine::Stop;

const NOWHERE: u32 = 0x7000_0000;

/// A fault: the machine about to meet it, its bits of CFSR, its own exception, the stacked return address, and the
/// address register that holds `address`.
struct Case {
    name: &'static str,
    machine: Machine,
    cfsr: u32,
    number: u32,
    at: u32,
    address: Option<(u32, u32)>,
}

fn case(name: &'static str, machine: Machine, cfsr: u32, number: u32) -> Case {
    Case { name, machine, cfsr, number, at: CODE + 2, address: None }
}

impl Case {
    fn at(self, at: u32) -> Self {
        Self { at, ..self }
    }

    fn address(self, register: u32, value: u32) -> Self {
        Self { address: Some((register, value)), ..self }
    }
}

fn one<const N: usize>(instruction: [u16; N]) -> Vec<u16> {
    [vec![NOP], instruction.to_vec(), vec![SELF]].concat()
}

/// Every synchronous fault an instruction can cause.
fn cases() -> Vec<Case> {
    let unaligned = 1 << 24;
    let guarded = |code: &[u16], rasr| m3(code).region(0, RAM + 0x400, sized(8, rasr)).with(MPU_CTRL, WITH_DEFAULT);
    let mut cases = vec![
        case("UNDEFINSTR", m3(&one([udf(0)])), 1 << 16, USAGE_FAULT),
        case("INVSTATE", m3(&one([bx(1)])).set(1, CODE + 8), 1 << 17, USAGE_FAULT).at(CODE + 8),
        case("NOCP, absent", m4f(&one(MCR)), 1 << 19, USAGE_FAULT),
        case("NOCP, no FPU", m3(&one(vadd(0, 1, 2))), 1 << 19, USAGE_FAULT),
        case("NOCP, off", m4f_off(&one(vadd(0, 1, 2))), 1 << 19, USAGE_FAULT),
        case("DIVBYZERO, UDIV", m3(&one(udiv(0, 1, 2))).with(CCR, STKALIGN | DIV_0_TRP), 1 << 25, USAGE_FAULT),
        case("DIVBYZERO, SDIV", m3(&one(sdiv(0, 1, 2))).with(CCR, STKALIGN | DIV_0_TRP), 1 << 25, USAGE_FAULT),
        case("IACCVIOL, default map", m3(&one([bx(1)])).set(1, CLOCK | 1), 1, MEM_MANAGE).at(CLOCK),
        case("IACCVIOL, XN", guarded(&one([bx(1)]), ALL | XN).set(1, RAM + 0x401), 1, MEM_MANAGE).at(RAM + 0x400),
        case("IBUSERR", m3(&one([bx(1)])).set(1, NOWHERE | 1), 1 << 8, BUS_FAULT).at(NOWHERE),
        case("DACCVIOL, read", guarded(&one([ldr(0, 1, 0)]), NO_ACCESS).set(1, RAM + 0x404), 2 | MMARVALID, MEM_MANAGE)
            .address(MMFAR, RAM + 0x404),
        case("DACCVIOL, write", guarded(&one([str(0, 1, 0)]), ALL_READ).set(1, RAM + 0x4FC), 2 | MMARVALID, MEM_MANAGE)
            .address(MMFAR, RAM + 0x4FC),
        case("PRECISERR", m3(&one([ldr(0, 1, 0)])).set(1, NOWHERE), 1 << 9 | BFARVALID, BUS_FAULT)
            .address(BFAR, NOWHERE),
        case(
            "PRECISERR, unbuffered",
            m3(&one([str(0, 1, 0)])).with(ACTLR, 2).set(1, NOWHERE),
            1 << 9 | BFARVALID,
            BUS_FAULT,
        )
        .address(BFAR, NOWHERE),
        case("unprivileged", unprivileged(m3(&one([ldr(0, 1, 0)]))).set(1, CCR), 1 << 9 | BFARVALID, BUS_FAULT)
            .address(BFAR, CCR),
        case("unprivileged STIR", unprivileged(m3(&one([str(0, 1, 0)]))).set(1, STIR), 1 << 9 | BFARVALID, BUS_FAULT)
            .address(BFAR, STIR),
    ];
    for (name, code) in [
        ("UNALIGNED, LDR", one([ldr(2, 1, 0)])),
        ("UNALIGNED, STRH", one([strh(2, 1, 0)])),
        ("UNALIGNED, LDRH.W", one(ldrh_w(2, 1, 0))),
    ] {
        let machine = m3(&code).with(CCR, STKALIGN | UNALIGN_TRP).set(1, RAM + 0x101);
        cases.push(case(name, machine, unaligned, USAGE_FAULT));
    }
    // These trap whatever CCR says.
    for (name, code) in [
        ("UNALIGNED, LDM", one([ldm(1, 6)])),
        ("UNALIGNED, STM", one([stm(1, 0xC)])),
        ("UNALIGNED, LDM.W", one(ldm_w(1, true, 0x1C))),
        ("UNALIGNED, LDRD", one(ldrd(2, 3, 1))),
        ("UNALIGNED, STRD", one(strd(2, 3, 1))),
        ("UNALIGNED, LDREX", one(ldrex(2, 1))),
        ("UNALIGNED, STREX", one(strex(3, 2, 1))),
        ("UNALIGNED, VLDR", one(vldr(2, 1))),
        ("UNALIGNED, VSTR", one(vstr(2, 1))),
    ] {
        cases.push(case(name, m4f(&code).set(1, RAM + 0x102), unaligned, USAGE_FAULT));
    }
    cases
}

fn unprivileged(mut machine: Machine) -> Machine {
    machine.core.cpu_mut().unprivileged = true;
    machine
}

fn first_entry(machine: &mut Machine) -> Option<u32> {
    machine.entries(200).first().map(|(_, number)| u32::from(*number))
}

#[test]
fn every_fault_sets_its_bits_and_goes_to_its_own_handler_when_enabled() {
    for Case { name, machine, cfsr, number, at, address } in cases() {
        let mut machine = privileged_with(machine, SHCSR, ALL_FAULTS);
        assert_eq!(first_entry(&mut machine), Some(number), "{name}");
        assert_eq!((machine.cfsr(), machine.hfsr()), (cfsr, 0), "{name}");
        assert_eq!(machine.frame()[6], at, "{name}: return address");
        if let Some((register, value)) = address {
            assert_eq!(machine.register(register), value, "{name}");
        }
    }
}

/// [`Machine::with`] from code that may be without privilege.
fn privileged_with(mut machine: Machine, address: u32, value: u32) -> Machine {
    let was = std::mem::take(&mut machine.core.cpu_mut().unprivileged);
    let mut machine = machine.with(address, value);
    machine.core.cpu_mut().unprivileged = was;
    machine
}

#[test]
fn a_fault_that_is_disabled_or_masked_escalates() {
    for Case { name, machine, cfsr, at, number, .. } in cases() {
        let enabled = privileged_with(machine.clone(), SHCSR, ALL_FAULTS);
        let enabled = privileged_with(enabled, SHPR1, 0x0080_8080);
        let mut primask = enabled.clone();
        primask.core.cpu_mut().primask = true;
        let mut basepri = enabled.clone();
        basepri.core.cpu_mut().basepri = 0x80;
        for (why, mut machine) in [("disabled", machine.clone()), ("PRIMASK", primask), ("BASEPRI", basepri)] {
            assert_eq!(first_entry(&mut machine), Some(HARD_FAULT), "{name}: {why}");
            assert_eq!((machine.cfsr(), machine.hfsr()), (cfsr, FORCED), "{name}: {why}");
            assert_eq!(machine.frame()[6], at, "{name}: {why}");
        }
        let mut below = enabled.clone();
        below.core.cpu_mut().basepri = 0x90;
        assert_eq!(first_entry(&mut below), Some(number), "{name}: BASEPRI below it");
        let mut faultmask = enabled.clone();
        faultmask.core.cpu_mut().faultmask = true;
        // HFNMIENA is clear: the MPU does not look, so what only it forbids goes on.
        let unseen = name.contains("ACCVIOL, XN") || name.contains("DACCVIOL");
        let stop = faultmask.run_to_stop(200);
        assert_eq!(matches!(stop, Stop::Lockup(_)), !unseen, "{name}: FAULTMASK {stop:?}");
    }
}

#[test]
fn a_fault_in_a_handler_of_its_own_priority_or_above_escalates() {
    for (priority, answered_by) in [(0x40, HARD_FAULT), (0x80, HARD_FAULT), (0xC0, USAGE_FAULT)] {
        let mut machine = m3(&[NOP; 60])
            .with(SHCSR, ALL_FAULTS)
            .with(SHPR1, 0x0080_0000)
            .handler(IRQ0, &[NOP, udf(0)])
            .interrupt(0, priority)
            .at(5, Action::Pulse(0));
        let entries: Vec<u32> = machine.entries(200).into_iter().map(|(_, number)| number.into()).collect();
        assert_eq!(entries, [IRQ0, answered_by], "{priority:#x}");
        assert_eq!(machine.frame()[6], handler_address(IRQ0) + 2);
        assert_eq!(machine.frame()[7] & 0x1FF, IRQ0);
    }
}

#[test]
fn in_hard_fault_and_nmi_every_fault_locks_up() {
    for Case { name, mut machine, .. } in cases() {
        // HardFault's handler is the faulting code.
        let handler = machine.pc();
        machine = machine.word_at(FLASH + 4 * HARD_FAULT, handler | 1);
        machine.core.cpu_mut().nvic.pend(3);
        machine.core.cpu_mut().unprivileged = false;
        // Without privilege there is nothing to try, and without HFNMIENA the MPU does not look.
        if name.contains("unprivileged") || name.contains("ACCVIOL, XN") || name.contains("DACCVIOL") {
            continue;
        }
        let stop = machine.run_to_stop(200);
        assert!(matches!(stop, Stop::Lockup(_)), "{name}: {stop:?}");
    }
}

#[test]
fn halting_reports_the_pc_the_cause_and_the_address() {
    for Case { name, mut machine, at, address, .. } in cases() {
        machine.core.cpu_mut().halt_on_fault = true;
        let Stop::Fault(report) = machine.run_to_stop(200) else { panic!("{name}: no fault") };
        assert_eq!(report.pc.get(), at, "{name}");
        assert!(!report.cause.is_empty());
        if let Some((_, value)) = address {
            assert_eq!(report.address.map(|address| address.get()), Some(value), "{name}");
        }
        assert_eq!(machine.ipsr(), 0, "{name}");
    }
}

#[test]
fn unaligned_accesses_are_allowed_unless_trapped() {
    // r1 = RAM + 0x101: stores and loads of a word and a halfword.
    let code = code![str(0, 1, 0), strh(0, 1, 3), ldr(2, 1, 0), ldrh(3, 1, 3), ldr_w(4, 1, 5), bkpt(0)];
    let mut machine = m3(&code).set(0, 0x8765_4321).set(1, RAM + 0x101).word_at(RAM + 0x108, 0xAABB_CCDD);
    machine.run_to_breakpoint();
    assert_eq!(machine.word(RAM + 0x100), 0x6543_2100);
    assert_eq!(machine.word(RAM + 0x104), 0x2100_0087, "the halfword's low byte is its last");
    assert_eq!(machine.word(RAM + 0x108), 0xAABB_CC43);
    assert_eq!([machine.r(2), machine.r(3)], [0x8765_4321, 0x4321]);
    assert_eq!(machine.r(4), 0xCC43_2100, "bytes 6 to 9");
}

#[test]
fn a_store_behind_the_write_buffer_is_heard_of_later() {
    let code = &[NOP, str(0, 1, 0), NOP, NOP, NOP, SELF];
    let mut machine = m3(code).with(SHCSR, ALL_FAULTS).set(1, NOWHERE);
    assert_eq!(first_entry(&mut machine), Some(BUS_FAULT));
    assert_eq!((machine.cfsr(), machine.hfsr()), (1 << 10, 0), "no BFARVALID");
    assert!(machine.frame()[6] > CODE + 2, "past the store: {:#x}", machine.frame()[6]);
    let mut machine = m3(code).set(1, NOWHERE);
    assert_eq!(first_entry(&mut machine), Some(HARD_FAULT));
    assert_eq!((machine.cfsr(), machine.hfsr()), (1 << 10, FORCED));
    let mut machine = m3(code).set(1, NOWHERE);
    machine.core.cpu_mut().halt_on_fault = true;
    let Stop::Fault(report) = machine.run_to_stop(100) else { panic!("no fault") };
    assert_eq!((report.pc.get(), report.address.map(|address| address.get())), (CODE + 2, Some(NOWHERE)));
}

#[test]
fn an_imprecise_fault_waits_while_its_handler_is_masked() {
    // Asynchronous: it stays pending until the priority allows it, instead of escalating (Cortex-M3 devices generic user
    // guide DUI 0552A §2.4.2, note to table 2-18).
    let code = code![NOP, str(0, 1, 0), NOP, NOP, CPSIE, NOP, SELF];
    let mut machine = m3(&code).with(SHCSR, ALL_FAULTS).set(1, NOWHERE);
    machine.core.cpu_mut().primask = true;
    assert_eq!(first_entry(&mut machine), Some(BUS_FAULT));
    assert_eq!((machine.cfsr(), machine.hfsr()), (1 << 10, 0));
    assert_eq!(machine.frame()[6], CODE + 10, "right after CPSIE");
}

#[test]
fn a_bus_fault_on_the_vector_is_a_hard_fault() {
    let mut machine = m3(&[NOP; 40]).with(VTOR, NOWHERE).interrupt(0, 0).at(5, Action::Pulse(0));
    // HardFault's own vector cannot be read either.
    assert!(matches!(machine.run_to_stop(100), Stop::Lockup(_)));
    assert_eq!(machine.hfsr(), 2, "VECTTBL");
    // A table at the end of RAM that is cut off before interrupt 16 (vector 32).
    let table = RAM + RAM_BYTES as u32 - 0x80;
    let mut machine = m3(&[NOP; 40])
        .word_at(table + 4 * HARD_FAULT, handler_address(HARD_FAULT) | 1)
        .set(13, RAM + 0x800)
        .with(VTOR, table)
        .interrupt(16, 0)
        .at(5, Action::Pulse(16));
    assert_eq!(first_entry(&mut machine), Some(HARD_FAULT));
    assert_eq!((machine.cfsr(), machine.hfsr()), (0, 2));
    assert!(!machine.core.cpu().nvic.is_active(32));
}

#[test]
fn stacking_and_unstacking_faults() {
    // On the process stack, so that the handlers have a stack: into nothing, or where the MPU forbids it.
    let on_process_stack = |machine: Machine, sp| {
        let mut machine = machine.with(SHCSR, ALL_FAULTS).set(13, RAM + 0x800);
        machine.core.cpu_mut().select_stack(true);
        machine.set(13, sp).interrupt(0, 0x80).at(5, Action::Pulse(0))
    };
    let guarded = || m3(&[NOP; 60]).region(0, RAM + 0x400, sized(8, NO_ACCESS)).with(MPU_CTRL, WITH_DEFAULT);
    for (name, mut machine, number, cfsr) in [
        ("STKERR", on_process_stack(m3(&[NOP; 60]), NOWHERE + 0x100), BUS_FAULT, 1 << 12),
        ("MSTKERR", on_process_stack(guarded(), RAM + 0x500), MEM_MANAGE, 1 << 4),
    ] {
        let entries = machine.entries(200);
        assert_eq!(entries.iter().map(|(_, number)| u32::from(*number)).collect::<Vec<_>>(), [number], "{name}");
        assert_eq!((machine.cfsr(), machine.hfsr()), (cfsr, 0), "{name}: no address register");
        assert!(machine.core.cpu().nvic.is_pending(16), "{name}: the interrupt waits");
        assert_eq!(machine.r(14), 0xFFFF_FFFD, "{name}");
    }
    // The handler moves the process stack pointer.
    let handler = code![msr(PSP, 4), BX_LR];
    for (name, machine, sp, number, cfsr) in [
        ("UNSTKERR", m3(&[NOP; 60]), NOWHERE, BUS_FAULT, 1 << 11),
        ("MUNSTKERR", guarded(), RAM + 0x400, MEM_MANAGE, 1 << 3),
    ] {
        let mut machine = on_process_stack(machine, RAM + 0x300).handler(IRQ0, &handler).set(4, sp);
        let entries = machine.entries(200);
        assert_eq!(entries.iter().map(|(_, number)| u32::from(*number)).collect::<Vec<_>>(), [IRQ0, number], "{name}");
        assert_eq!((machine.cfsr(), machine.hfsr()), (cfsr, 0), "{name}");
        assert_eq!(machine.r(14), 0xFFFF_FFFD, "{name}: chained with the same EXC_RETURN");
    }
}

#[test]
fn an_exc_return_that_fits_nothing_is_an_invalid_pc() {
    for value in [0xFFFF_FFF1_u32, 0xFFFF_FFF0, 0xFFFF_FFFB, 0xF000_0000] {
        let mut machine = m3(&[NOP; 60])
            .with(SHCSR, ALL_FAULTS)
            .handler(IRQ0, &[bx(4)])
            .interrupt(0, 0x80)
            .at(5, Action::Pulse(0))
            .set(4, value);
        let entries: Vec<u32> = machine.entries(200).into_iter().map(|(_, number)| number.into()).collect();
        assert_eq!(entries, [IRQ0, USAGE_FAULT], "{value:#x}");
        assert_eq!((machine.cfsr(), machine.hfsr()), (1 << 18, 0), "{value:#x}");
    }
    // From an exception that is not active any more: the handler clears its own active bit.
    let handler = code![ldr(0, 4, 0), movs(1, 0), str(1, 4, 0), BX_LR];
    let mut machine = m3(&[svc(0), NOP, NOP]).handler(SVCALL, &handler).set(4, SHCSR);
    assert_eq!(first_entry(&mut machine), Some(SVCALL));
    assert_eq!(machine.cfsr(), 1 << 18, "INVPC");
}

#[test]
fn pushing_into_a_guard_region_is_a_fault_with_its_address() {
    // The stack grows down into a region of 32 bytes.
    let guard = RAM + 0x400;
    let code = code![push(0xF), b(-6)];
    let mut machine = m3(&code).region(7, guard, sized(5, NO_ACCESS)).with(MPU_CTRL, WITH_DEFAULT);
    machine = machine.with(SHCSR, ALL_FAULTS);
    machine.core.cpu_mut().other_sp = guard + 0x40;
    machine.core.cpu_mut().select_stack(true);
    assert_eq!(first_entry(&mut machine), Some(MEM_MANAGE));
    // The frame itself does not fit either: it would reach into the region from 0x420.
    assert_eq!(machine.cfsr(), 2 | 1 << 4 | MMARVALID);
    assert_eq!(machine.register(MMFAR), guard + 0x10);
    assert_eq!(machine.core.cpu().last_fault.map(|fault| fault.pc.get()), Some(CODE));
    // On the main stack with the handler disabled: HardFault runs though its frame cannot be written (DDI 0337E §5.12.1).
    let mut machine =
        m3(&code).region(7, guard, sized(5, NO_ACCESS)).with(MPU_CTRL, WITH_DEFAULT).set(13, guard + 0x40);
    assert_eq!(first_entry(&mut machine), Some(HARD_FAULT));
    assert_eq!((machine.cfsr(), machine.hfsr()), (2 | 1 << 4 | MMARVALID, FORCED));
    assert_eq!(machine.core.cpu().lowest_sp[0], guard, "where the second frame would have been");
    // And an interrupt that stacks into it.
    let mut machine = m3(&[NOP; 60])
        .region(7, guard, sized(5, NO_ACCESS))
        .with(MPU_CTRL, WITH_DEFAULT)
        .with(SHCSR, ALL_FAULTS)
        .set(13, guard + 0x30)
        .interrupt(0, 0x80)
        .at(5, Action::Pulse(0));
    assert_eq!(first_entry(&mut machine), Some(MEM_MANAGE));
    assert_eq!(machine.cfsr(), 1 << 4);
}

#[test]
fn ignoring_bus_faults_in_hard_fault_lets_a_probe_go_on() {
    // CCR.BFHFNMIGN: a handler at priority -1 or -2 tries an address (DDI 0403E §B3.2.8).
    let handler = code![ldr(2, 1, 0), bkpt(0)];
    let machine = || m3(&[udf(0)]).handler(HARD_FAULT, &handler).set(1, NOWHERE);
    assert!(matches!(machine().run_to_stop(100), Stop::Lockup(_)));
    let mut machine = machine().with(CCR, STKALIGN | BFHFNMIGN);
    assert!(matches!(machine.run_to_stop(100), Stop::Breakpoint(..)));
    assert_eq!(machine.cfsr(), 1 << 16 | 1 << 9 | BFARVALID);
    assert_eq!(machine.register(BFAR), NOWHERE);
}

/// FAULTMASK turns the MPU off (DDI 0403E §B1.5.13). What may run meanwhile is
/// checked again afterwards, wherever a run is cut.
#[test]
fn code_that_ran_while_the_mpu_was_off_is_forbidden_again() {
    const CPSIE_F: u16 = 0xB661;
    // A division by 0, so that the block before takes less time than it might.
    let code = code![vec![NOP; 12], udiv(3, 3, 7), NOP, CPSID_F, bx(6), vec![NOP; 15], adds(4, 1), CPSIE_F, bx(5)];
    let machine = m3(&code)
        .region(0, CODE + 0x20, sized(5, ALL_READ | XN))
        .with(MPU_CTRL, WITH_DEFAULT)
        .set(5, CODE + 0x21)
        .set(6, CODE + 0x41)
        .handler(HARD_FAULT, &[SELF]);
    // One run before the others: a core forgets its blocks when it meets rows of the timing table that are new to it.
    let mut once = machine.clone();
    once.run(200);
    for cut in 0..50 {
        let mut again = once.clone();
        again.core.restore(&machine.core);
        again.run(cut);
        again.run(200);
        assert_eq!((again.r(4), again.ipsr(), again.cfsr()), (1, HARD_FAULT as u16, 1), "cut at {cut}");
    }
}

#[test]
fn status_bits_are_cleared_by_writing_ones_byte_by_byte() {
    // DDI 0403E §B3.2.15: MMFSR, BFSR and UFSR are bytes and a halfword of CFSR.
    let handler = code![movs(2, 0xFF), strb_w(2, 4, 1), ldr(5, 4, 0), strh_w(2, 4, 2), ldr(6, 4, 0), bkpt(0)];
    let mut machine = m3(&[NOP, ldr(0, 1, 0)]).handler(HARD_FAULT, &handler).set(1, NOWHERE).set(4, CFSR);
    machine.core.cpu_mut().nvic.pend(3);
    let mut machine = m3(&[NOP, ldr(0, 1, 0)]).handler(BUS_FAULT, &[udf(0)]).handler(HARD_FAULT, &handler);
    machine = machine.with(SHCSR, 1 << 17).set(1, NOWHERE).set(4, CFSR);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(5), 1 << 16, "only BFSR was cleared");
    assert_eq!(machine.r(6), 0);
}
