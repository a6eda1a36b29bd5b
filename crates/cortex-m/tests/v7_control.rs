//! Running Armv7-M programs in blocks, one by one, cut anywhere and from a snapshot must come to the same; and the unit
//! that counts cycles and events (DDI 0403E §C1.8).

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;
use cyclescope_cortex_m::decode::{Architecture, Op};
use cyclescope_engine::laws::Program;
use cyclescope_machine::{FlashTiming, Stop};

#[test]
fn encoders_and_decoder_agree() {
    let decode = |code: &[u16]| {
        let set = Architecture::Armv7EMF.instructions();
        let second = code.get(1).copied().unwrap_or(0);
        set.decode(code[0], second)
    };
    for (code, op) in [
        (&[it(NE, 5)][..], Op::It),
        (&[CPSIE_F], Op::Cps),
        (&[CPSID_F], Op::Cps),
        (&CLREX, Op::Clrex),
        (&MCR, Op::NoCoprocessor),
        (&movw(3, 0xABCD), Op::MovConst),
        (&movt(3, 0xABCD), Op::MovTop),
        (&ldr_w(8, 9, 0x123), Op::LdrImm),
        (&str_w(8, 9, 0x123), Op::StrImm),
        (&ldrh_w(8, 9, 0x123), Op::LdrhImm),
        (&strh_w(8, 9, 0x123), Op::StrhImm),
        (&ldrb_w(8, 9, 0x123), Op::LdrbImm),
        (&strb_w(8, 9, 0x123), Op::StrbImm),
        (&ldrt(8, 9), Op::LdrIndexed),
        (&strt(8, 9), Op::StrIndexed),
        (&ldrd(7, 8, 9), Op::Ldrd),
        (&strd(7, 8, 9), Op::Strd),
        (&ldrex(8, 9), Op::Ldrex),
        (&strex(7, 8, 9), Op::Strex),
        (&ldm_w(9, true, 0x1F), Op::Ldm),
        (&stm_w(9, true, 0x1F), Op::Stm),
        (&stmdb(9, 0x1F), Op::Stm),
        (&ldmdb(9, 0x1F), Op::Ldm),
        (&udiv(7, 8, 9), Op::Udiv),
        (&sdiv(7, 8, 9), Op::Sdiv),
        (&umull(6, 7, 8, 9), Op::Umull),
        (&mla(6, 7, 8, 9), Op::Mla),
        (&tbb(8, 9), Op::Tbb),
        (&tbh(8, 9), Op::Tbh),
        (&vadd(1, 2, 3), Op::Fp),
        (&vmov_from(3, 8), Op::VmovFromCore),
        (&vmov_to(8, 3), Op::VmovToCore),
        (&vldr(3, 8), Op::Vldr),
        (&vstr(3, 8), Op::Vstr),
        (&vmrs(8), Op::Vmrs),
        (&vmsr(8), Op::Vmsr),
    ] {
        assert_eq!(decode(code).op, op, "{code:x?}");
    }
    let registers = |code: &[u16]| {
        let i = decode(code);
        [i.rd as u8, i.rn as u8, i.rm as u8]
    };
    assert_eq!(registers(&strex(7, 8, 9)), [7, 9, 8]);
    assert_eq!(registers(&ldrd(7, 8, 9)), [7, 9, 8]);
    assert_eq!(registers(&udiv(7, 8, 9)), [7, 8, 9]);
    assert_eq!(decode(&movw(3, 0xABCD)).imm, 0xABCD);
    let fp = decode(&vadd(1, 18, 31)).fp().unwrap();
    assert_eq!([fp.d, fp.n, fp.m], [1, 18, 31]);
    assert_eq!(decode(&vmov_from(19, 8)).imm, 19);
}

/// IT blocks, floating point, long moves, divisions, loads from two RAMs, sleep, exclusive access, bit-bands, registers, SVC and
/// SysTick, under interrupts of three priorities whose handlers use the unit as well.
fn busy(flash: FlashTiming) -> Machine {
    let code = code![
        it(NE, 0x5),
        adds(3, 3),
        adds(3, 1),
        str(3, 1, 0),
        ldr(4, 1, 0),
        vldr(0, 1),
        vadd(1, 0, 1),
        vdiv(2, 1, 0),
        stm_w(6, true, 0x0F3C),
        ldmdb(6, 0x0F3C),
        udiv(5, 3, 4),
        push(0x1F0),
        ldrex(5, 1),
        adds(5, 1),
        strex(7, 5, 1),
        pop(0xF0),
        0xB001u16, // ADD SP, #4
        ldr(5, 1, 0),
        ldr(7, 6, 0),
        ldr(5, 2, 0),
        ldr(7, 1, 0),
        svc(1),
        it(EQ, 0x1),
        vmul(3, 2, 1),
        ldm_w(6, false, 0x03A0),
        ldr_w(5, 2, 0x10),
        vstr(3, 6),
        ldr_w(5, 0, 1),
        str_w(5, 8, 0),
        umull(4, 5, 3, 4),
        subs(3, 100),
        WFI,
        b(-98),
        NOP
    ];
    let mut machine = m4f_flash(flash, &code)
        .with(CPACR, 0xF << 20)
        .set(0, RAM + 0x300)
        .set(1, RAM + 0x140)
        .set(2, CLOCK)
        .set(6, RAM + 0x200)
        .set(8, 0x2200_0000 + 0x300 * 32)
        .handler(SYSTICK, &code![ldr(0, 2, 0), vadd(4, 4, 5), BX_LR])
        .handler(SVCALL, &code![push(0x130), udiv(4, 0, 1), it(NE, 0x8), adds(4, 1), pop(0x130)])
        .handler(IRQ0, &code![push(0x1F0), ldm(2, 0b11), subs(2, 8), vmla(0, 1, 2), vmrs(0), pop(0x1F0)])
        .handler(IRQ0 + 1, &code![stmdb(13, 0x4FF0), ldm_w(13, true, 0x8FF0)])
        .interrupt(0, 0x80)
        .interrupt(1, 0);
    // r1 points into one RAM, r6 into another.
    machine.bus.memory.split_ram(&[0x180]);
    machine.core.cpu_mut().systick.set_reload(610, 0);
    machine.core.cpu_mut().nvic.set_priority(15, 0x40);
    let systick = 0xE000_E010;
    machine = machine.with(systick + 4, 610).with(systick, 7);
    let mut seed = 12_345_u64;
    for _ in 0..140 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        machine = machine.at(seed >> 33 & 0x3FFF, Action::Pulse((seed >> 63) as usize));
    }
    machine
}

const END: u64 = 0x4000;

#[test]
fn a_busy_run_obeys_the_laws() {
    for flash in [FlashTiming::IDEAL, ART] {
        let mut whole = busy(flash);
        assert_eq!(whole.run(END), Stop::Horizon);
        assert_eq!((whole.cfsr(), whole.hfsr()), (0, 0), "nothing faults");
        assert!(whole.core.cpu().exceptions_taken > 120, "{}", whole.core.cpu().exceptions_taken);
        let make = || busy(flash).into_parts();
        let watched = [CODE, CODE + 4, CODE + 26, handler_address(IRQ0), handler_address(IRQ0 + 1) + 4];
        Program { make: &make, outcome: &state, end: END, watched: &watched }.obeys_all();
    }
}

#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let code = code![
        movs(3, 3),
        adds(4, 3),
        it(NE, 0x5),
        adds(4, 3),
        adds(4, 1),
        str(4, 1, 0),
        vldr(0, 1),
        vadd(1, 0, 1),
        vdiv(2, 1, 0),
        stm_w(6, true, 0x0F3C),
        ldmdb(6, 0x0F3C),
        udiv(5, 4, 3),
        push(0xF0),
        pop(0xF0),
        subs(3, 1),
        b_if(1, -44),
        bkpt(0)
    ];
    interrupts_change_no_result(|| {
        m4f_flash(ART, &code).with(CPACR, 0xF << 20).set(1, RAM + 0x140).set(6, RAM + 0x200)
    });
}

#[test]
fn counting_events_changes_no_cycle() {
    let mut whole = busy(ART);
    whole.run(END);
    let mut counted = busy(ART).with(DEMCR, 1 << 24).with(DWT_CTRL, 0x003E_0001);
    counted.run(END);
    assert_eq!(counted.state(), whole.state());
}

#[test]
fn an_instruction_that_turns_counting_on_does_not_count_itself_wherever_the_run_is_cut() {
    let code =
        code![movs(1, 1), movs(2, 2), movs(3, 3), str(0, 7, 0), vec![NOP; 2], ldr(4, 7, 5), ldr(5, 7, 2), bkpt(0)];
    let machine = m3(&code).with(DEMCR, 1 << 24).set(7, DWT_CTRL).set(0, 0x0013_0001);
    let mut whole = machine.clone();
    let cycles = whole.run_to_breakpoint();
    for until in 0..cycles {
        let mut cut = machine.clone();
        cut.run(until);
        cut.run_to_breakpoint();
        assert_eq!((cut.r(4), cut.r(5)), (whole.r(4), whole.r(5)), "cut at {until}");
    }
}

/// r7 = DWT_CTRL: reads CYCCNT around `body`, and the event counters after it, into r4, r5, and r0 to r3.
fn counted(body: Vec<u16>, enables: u32) -> Machine {
    let code = code![
        ldr(4, 7, 1),
        body,
        ldr(5, 7, 1),
        ldr(0, 7, 2), // CPI
        ldr(1, 7, 5), // LSU
        ldr(2, 7, 6), // fold
        ldr(3, 7, 3), // exceptions
        bkpt(0)
    ];
    let mut machine = m3(&code)
        .with(DEMCR, 1 << 24)
        .with(DWT_CTRL, enables)
        .handler(SVCALL, &[NOP, BX_LR])
        .set(7, DWT_CTRL)
        .set(6, RAM + 0x100);
    machine.run_to_breakpoint();
    machine
}

#[test]
fn the_cycle_counter_is_exact() {
    // Between two loads: the instructions between, and the second load's own two cycles less what overlaps.
    let none = counted(vec![], 1);
    let base = none.r(5).wrapping_sub(none.r(4));
    // A NOP right behind a load takes no time.
    for (body, cycles) in [
        (vec![NOP], 1),
        (vec![NOP; 10], 10),
        (code![NOP, udiv(0, 1, 2), NOP], 4),
        (code![NOP, mov32(0, 7), movs(1, 1), NOP], 5),
    ] {
        let machine = counted(body.clone(), 1);
        // Without a load right before it the last one does not overlap: one cycle more.
        assert_eq!(machine.r(5).wrapping_sub(machine.r(4)), base + cycles, "{body:x?}");
    }
    let off = counted(vec![NOP; 10], 0);
    assert_eq!(off.r(4), off.r(5), "stands still while off");
}

#[test]
fn event_counters_add_up_to_cycles() {
    // DDI 0403E §C1.8.7: CYCCNT = instructions + CPI + LSU + exceptions + sleep - folded.
    let body = code![
        movs(0, 1),
        it(NE, 0x8),
        adds(0, 1),
        udiv(1, 0, 0),
        stm(6, 0x0F),
        ldr(1, 6, 0),
        svc(0),
        adds(0, 1),
        it(EQ, 0x8),
        adds(0, 1),
        b(0),
        NOP,
        NOP
    ];
    let machine = counted(body, 0x003E_0001);
    let [cpi, lsu, fold, exceptions] = [0, 1, 2, 3].map(|register| machine.r(register));
    assert!(cpi > 0 && lsu > 0 && exceptions > 0, "{cpi} {lsu} {exceptions}");
    assert_eq!(fold, 2, "each IT stands behind a 16-bit instruction");
    let off = counted(vec![NOP, NOP], 1);
    assert_eq!([0, 1, 2, 3].map(|register| off.r(register)), [0; 4]);
    // Over a whole run the sum must come out.
    let mut machine =
        m3(&code![movs(0, 9), it(NE, 0x8), adds(0, 1), stm(6, 0x0F), subs(6, 16), udiv(1, 0, 0), svc(0), b(-18)])
            .with(DEMCR, 1 << 24)
            .with(DWT_CTRL, 0x003E_0001)
            .handler(SVCALL, &[NOP, BX_LR])
            .set(6, RAM + 0x100);
    let read = |machine: &Machine| {
        let dwt = &machine.core.cpu().dwt;
        [4, 8, 0xC, 0x10, 0x14, 0x18].map(|offset| dwt.read(offset, machine.now(), 0).unwrap())
    };
    let mut before = read(&machine);
    for until in (20..2000).step_by(20) {
        let began = machine.core.instructions().get();
        machine.run(until);
        let after = read(&machine);
        let byte = |index: usize| (after[index].wrapping_sub(before[index]) & 0xFF) as i64;
        let instructions = (machine.core.instructions().get() - began) as i64;
        let cycles = i64::from(after[0].wrapping_sub(before[0]));
        assert_eq!(cycles, instructions + byte(1) + byte(2) + byte(3) + byte(4) - byte(5), "to {until}");
        before = after;
    }
}

#[test]
fn sleep_is_counted() {
    let mut machine = m3(&[NOP, WFI, bkpt(0)])
        .with(DEMCR, 1 << 24)
        .with(DWT_CTRL, 1 << 19 | 1)
        .handler(IRQ0, &[BX_LR])
        .interrupt(0, 0)
        .at(102, Action::Pulse(0));
    machine.run_to_breakpoint();
    assert_eq!(machine.register(DWT_SLEEPCNT), 100);
}

#[test]
fn a_counter_begins_at_zero_when_it_is_enabled() {
    let machine = m3(&[NOP])
        .with(DEMCR, 1 << 24)
        .with(DWT_CPICNT, 0x55)
        .with(DWT_LSUCNT, 0x66)
        .with(DWT_FOLDCNT, 0x77)
        .with(DWT_EXCCNT, 0x44)
        .with(DWT_CTRL, 1 << 18 | 1 << 21);
    assert_eq!(
        [DWT_CPICNT, DWT_LSUCNT, DWT_FOLDCNT, DWT_EXCCNT].map(|address| machine.register(address)),
        [0x55, 0x66, 0, 0]
    );
    let machine = machine.with(DWT_CYCCNT, 0x1234_5678);
    assert_eq!(machine.register(DWT_CYCCNT), 0x1234_5678, "stands while CYCCNTENA is clear");
}
