//! Cycles of the Cortex-M3 against literals read from its manual (Cortex-M3 TRM, DDI 0337I, table 3-1 and §3.3.3), not
//! from the table in `src/timing`: a row that is changed there fails here. Where the manual gives a range, the literal is
//! the value that the row assumes, and a test holds it within the range.

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;

fn check(name: &str, code: &[u16], expected: &[u64]) {
    takes(m3, name, code, expected);
}

#[test]
fn data_processing_takes_one_cycle() {
    for (name, code) in [
        ("MOVS", code![movs(0, 1)]),
        ("MOVW", code![movw(8, 0x1234)]),
        ("MOVT", code![movt(8, 0x1234)]),
        ("MOV high", code![mov(8, 1)]),
        ("ADDS", code![adds(0, 1)]),
        ("ADD.W shifted", vec![0xEB01, 0x0282]),
        ("ADC.W", vec![0xEB41, 0x0202]),
        ("SUBW", vec![0xF2A1, 0x0005]),
        ("RSB.W", vec![0xF1C1, 0x0005]),
        ("ADR.W", vec![0xF20F, 0x0004]),
        ("CMP", vec![0x2801]),
        ("CMN.W", vec![0xF111, 0x0F01]),
        ("AND.W", vec![0xF001, 0x000F]),
        ("EOR.W", vec![0xEA81, 0x0002]),
        ("ORN", vec![0xEA61, 0x0002]),
        ("BIC.W", vec![0xF021, 0x000F]),
        ("TST.W", vec![0xF011, 0x0F01]),
        ("TEQ", vec![0xF091, 0x0F01]),
        ("LSL.W", vec![0xFA01, 0xF002]),
        ("ROR by a constant", vec![0xEA4F, 0x1031]),
        ("CLZ", vec![0xFAB1, 0xF081]),
        ("RBIT", vec![0xFA91, 0xF0A1]),
        ("REV.W", vec![0xFA91, 0xF081]),
        ("SXTH.W", vec![0xFA0F, 0xF081]),
        ("UXTB", vec![0xB2C8]),
        ("BFI", vec![0xF361, 0x0007]),
        ("BFC", vec![0xF36F, 0x0007]),
        ("UBFX", vec![0xF3C1, 0x0007]),
        ("SBFX", vec![0xF341, 0x0007]),
        ("SSAT", vec![0xF301, 0x0007]),
        ("USAT", vec![0xF381, 0x0007]),
        ("MUL", vec![0xFB01, 0xF002]),
        ("MULS", vec![0x4348]),
        ("NOP", code![NOP]),
        ("NOP.W", vec![0xF3AF, 0x8000]),
        ("SEV", code![SEV]),
        ("CLREX", code![CLREX]),
    ] {
        check(name, &code, &[1]);
    }
}

#[test]
fn multiplications_that_accumulate_or_are_long() {
    check("MLA", &mla(0, 1, 2, 3), &[2]);
    check("MLS", &[0xFB01, 0x3012], &[2]);
    // 3 to 5 and 4 to 7, ended early by small operands.
    let smlal = [0xFBC2, 0x0103];
    for (n, m, long, accumulate) in [(5, 7, 3, 4), (5, 0x1_0000, 4, 5), (0x12_3456, 0x7FFF_FFFF, 5, 6)] {
        for (name, code, expected) in [("UMULL", umull(0, 1, 2, 3), long), ("SMLAL", smlal, accumulate)] {
            let machine = m3(&[&code[..], &[bkpt(0)]].concat()).set(2, n).set(3, m);
            takes_from(&machine, name, &[expected]);
        }
    }
}

#[test]
fn a_division_takes_two_to_twelve() {
    for (dividend, divisor, cycles) in
        [(0, 5, 2), (4, 5, 2), (7, 0, 2), (15, 15, 5), (0xFF, 1, 6), (0xFFFF, 1, 8), (0x7FFF_FFFF, 1, 12)]
    {
        for (name, code) in [("UDIV", udiv(0, 2, 3)), ("SDIV", sdiv(0, 2, 3))] {
            let machine = m3(&[&code[..], &[bkpt(0)]].concat()).set(2, dividend).set(3, divisor);
            takes_from(&machine, name, &[cycles]);
        }
    }
    let negative = m3(&[&sdiv(0, 2, 3)[..], &[bkpt(0)]].concat()).set(2, -7_i32 as u32).set(3, -9_i32 as u32);
    takes_from(&negative, "SDIV of small negative numbers", &[2]);
}

#[test]
fn loads_and_stores_alone() {
    for (name, code, cycles) in [
        ("LDR", code![ldr(0, 1, 0)], 2),
        ("LDR.W", code![ldr_w(8, 1, 8)], 2),
        ("LDRH", code![ldrh(0, 1, 0)], 2),
        ("LDRB.W", code![ldrb_w(0, 1, 0)], 2),
        ("LDRT", code![ldrt(0, 1)], 2),
        ("LDREX", code![ldrex(0, 1)], 2),
        ("LDR post-indexed", vec![0xF851, 0x0B04], 2),
        ("STR", code![str(0, 1, 0)], 1),
        ("STRH", code![strh(0, 1, 0)], 1),
        ("STR pre-indexed", vec![0xF841, 0x0F04], 1),
        ("STRT", code![strt(0, 1)], 1),
        ("STREX", code![strex(3, 0, 1)], 2),
        ("LDRD", code![ldrd(2, 3, 1)], 3),
        ("STRD", code![strd(2, 3, 1)], 3),
        ("LDM of one", code![ldm_w(1, false, 4)], 2),
        ("LDM of three", code![ldm(1, 0x1C)], 4),
        ("STM of three", code![stm(1, 0x1C)], 4),
        ("LDM.W of eight", code![ldm_w(1, true, 0x1F1C)], 9),
        ("PUSH of five", code![push(0x10F)], 6),
        ("MRS", code![mrs(0, PRIMASK)], 2),
        ("MSR", code![msr(APSR, 8)], 2),
        ("CPS", code![CPSIE], 2),
    ] {
        check(name, &code, &[cycles]);
    }
    let register = m3(&[0x5088, bkpt(0)]).set(1, RAM + 0x100).set(2, 4);
    takes_from(&register, "STR at base plus register", &[2]);
    let popped = m3(&[pop(0xF), bkpt(0)]).set(13, RAM + 0x100);
    takes_from(&popped, "POP of four", &[5]);
}

#[test]
fn the_pairs_of_the_manual() {
    // DDI 0337I §3.3.3, its own examples. r2 and r5 are small offsets. A store at base plus constant is pipelined behind a
    // load, and nothing behind a store, it says; boards show what that takes (jnk0le/random).
    let (ldr_r0_r1_r2, ldr_r0_r1_r5) = (0x5888, 0x5948);
    for (name, code, expected) in [
        ("LDR R0,[R1]; LDR R1,[R2]", code![ldr(0, 1, 0), ldr(1, 4, 0)], vec![2, 1]),
        ("LDR R0,[R1,R2]; STR R0,[R3,#20]", code![ldr_r0_r1_r2, str(0, 3, 5)], vec![2, 0]),
        ("the store's address depends on the load", code![ldr(4, 1, 0), str(0, 4, 0)], vec![2, 1]),
        ("a store with write-back", code![ldr(0, 1, 0), str_post(0, 3, 4)], vec![2, 1]),
        ("a load with write-back first", code![ldr_post(0, 1, 4), ldr(6, 3, 0)], vec![2, 1]),
        ("its base in the next address", code![ldr_post(0, 1, 4), ldr(6, 1, 0)], vec![2, 2]),
        ("loads with write-back", code![ldr_post(0, 1, 4), ldr_post(6, 3, 4)], vec![2, 2]),
        ("stores with write-back, one base", code![str_post(0, 1, 4), str_post(6, 1, 4)], vec![1, 2]),
        ("stores with write-back, two bases", code![str_post(0, 1, 4), str_post(6, 3, 4)], vec![1, 1]),
        ("LDM behind a store", code![str(0, 1, 0), ldm(3, 0x41)], vec![1, 4]),
        ("STM behind a store", code![str(0, 1, 0), stm(3, 0x41)], vec![1, 3]),
        ("NOP behind a load", code![ldr(0, 1, 0), NOP, NOP], vec![2, 0, 1]),
        ("NOP behind a store at base plus register", code![0x5099, NOP], vec![2, 0]),
        ("NOP behind a store", code![str(0, 1, 0), NOP], vec![1, 1]),
        ("CMP behind a load", code![ldr(0, 1, 0), 0x2E00], vec![2, 1]),
        ("LDR R0,[R1,R2]; STR R1,[R3,R2]", code![ldr_r0_r1_r2, 0x5099], vec![2, 1]),
        ("LDR R0,[R1,R5]; LDR R1,[R2]; LDR R2,[R3,#4]", code![ldr_r0_r1_r5, ldr(1, 4, 0), ldr(4, 3, 1)], vec![2, 1, 1]),
        ("the address depends on the load", code![ldr(4, 1, 0), ldr(0, 4, 0)], vec![2, 2]),
        ("nothing follows a store at base plus register", code![0x5099, ldr(0, 1, 0)], vec![2, 3]),
        ("nothing follows a store", code![str(0, 1, 0), ldr(0, 1, 0)], vec![1, 3]),
        ("LDREX; STREX", code![ldrex(0, 1), strex(6, 0, 3)], vec![2, 1]),
        ("LDRD is not paired", code![ldrd(6, 7, 1), ldr(0, 1, 0), ldrd(6, 7, 3)], vec![3, 2, 3]),
        ("LDM is not paired", code![ldr(0, 1, 0), ldm(1, 0x81), ldr(0, 3, 0)], vec![2, 3, 2]),
        ("an address just computed", code![0x1D09, ldr(0, 1, 0)], vec![1, 3]),
        ("an address computed earlier", code![0x1D09, NOP, ldr(0, 1, 0)], vec![1, 1, 2]),
    ] {
        let mut code = code;
        code.push(bkpt(0));
        let mut machine = m3(&code).set(1, RAM + 0x100).set(3, RAM + 0x180).set(4, RAM + 0x140).set(2, 8).set(5, 12);
        for word in 0..128 {
            machine = machine.word_at(RAM + 0x80 + 4 * word, RAM + 0x200);
        }
        takes_from(&machine, name, &expected);
    }
}

#[test]
fn unaligned_accesses_take_a_cycle_for_each_further_piece() {
    for (name, code, offset, cycles) in [
        ("halfword at a byte", code![ldrh(0, 1, 0)], 1, 3),
        ("word at a halfword", code![ldr(0, 1, 0)], 2, 3),
        ("word at a byte", code![ldr(0, 1, 0)], 1, 4),
        ("word at a byte", code![ldr(0, 1, 0)], 3, 4),
        ("store of a word at a halfword", code![str(0, 1, 0)], 2, 2),
        ("store of a word at a byte", code![str(0, 1, 0)], 1, 3),
    ] {
        let machine = m3(&[code, vec![bkpt(0)]].concat()).set(1, RAM + 0x100 + offset);
        takes_from(&machine, name, &[cycles]);
    }
}

#[test]
fn branches_and_what_they_refill() {
    // 1+P; P of 1 where fetch turns to the target while the branch is decoded and of 2 where it is while that is executed
    // (DDI 0337G table 15-3) is assumed within the manual's 1 to 3.
    check("B", &code![b(-2)], &[2]);
    check("B.W", &code![0xF000u16, 0xB800u16], &[2]);
    check("BL", &code![bl(0)], &[2]);
    check("B<cond> not taken", &code![movs(0, 1), b_if(EQ, 0)], &[1, 1]);
    check("B<cond> taken", &code![movs(0, 1), b_if(NE, -2)], &[1, 2]);
    check("CBZ not taken", &code![0xB108u16, NOP], &[1, 1]);
    let taken = m3(&code![0xB100u16, NOP, bkpt(0)]).set(0, 0);
    takes_from(&taken, "CBZ taken, over the next", &[3]);
    let to = |register: usize, target: u32| move |machine: Machine| machine.set(register, target);
    takes_from(&to(1, CODE | 5)(m3(&code![bx(1), NOP, bkpt(0)])), "BX", &[3]);
    takes_from(&to(14, CODE | 5)(m3(&code![bx(14), NOP, bkpt(0)])), "BX LR", &[2]);
    takes_from(&to(14, CODE | 5)(m3(&code![mov(15, 14), NOP, bkpt(0)])), "MOV PC, LR", &[2]);
    takes_from(&to(1, CODE | 7)(m3(&code![mov(14, 1), bx(14), NOP, bkpt(0)])), "BX LR, just written", &[1, 3]);
    takes_from(&to(1, CODE | 9)(m3(&code![mov(14, 1), NOP, bx(14), NOP, bkpt(0)])), "a moment ago", &[1, 1, 2]);
    takes_from(&to(1, CODE | 5)(m3(&code![blx(1), NOP, bkpt(0)])), "BLX", &[3]);
    takes_from(&to(1, CODE | 5)(m3(&code![mov(15, 1), NOP, bkpt(0)])), "MOV PC", &[3]);
    let loaded = m3(&code![ldr_w(15, 1, 0), bkpt(0)]).set(1, RAM + 0x100).word_at(RAM + 0x100, CODE | 5);
    takes_from(&loaded, "LDR PC", &[5]);
    let popped = m3(&code![pop(0x103), bkpt(0)]).set(13, RAM + 0x100).word_at(RAM + 0x108, CODE | 3);
    takes_from(&popped, "POP of three with PC", &[7]);
    takes_from(&m3(&code![tbb(15, 0), 0x0001u16, bkpt(0)]).set(0, 0), "TBB", &[6]);
    takes_from(&m3(&code![tbh(15, 0), 0x0001u16, bkpt(0)]).set(0, 0), "TBH", &[6]);
    // A target of 32 bits across a word boundary takes one fetch more; across none it does not.
    check("B to a wide target", &code![b(0), NOP, movw(0, 1)], &[2, 1]);
    check("B to a wide target across words", &code![b(-2), movw(0, 1)], &[3, 1]);
    let computed = m3(&code![bx(1), movw(0, 1), bkpt(0)]).set(1, CODE | 3);
    takes_from(&computed, "BX to a wide target across words", &[4, 1]);
}

#[test]
fn it_folds_into_a_narrow_instruction_before_it() {
    check("behind a narrow one", &code![movs(0, 1), it(NE, 0x8), adds(0, 1)], &[1, 0, 1]);
    check("behind a wide one", &code![movw(0, 1), it(AL, 0x8), adds(0, 1)], &[1, 1, 1]);
    check("first", &code![it(AL, 0x8), adds(0, 1)], &[1, 1]);
    check("skipped", &code![movs(0, 1), it(EQ, 0x4), ldr(0, 1, 0), ldr(2, 1, 0)], &[1, 0, 1, 1]);
}

#[test]
fn barriers_and_waits() {
    check("ISB", &ISB, &[4]);
    check("DSB", &DSB, &[2]);
    check("DMB", &DMB, &[2]);
}

/// When each instruction of `machine` began, by its address.
fn began(mut machine: Machine, until: u64) -> Vec<(u32, u64)> {
    machine.trace(until).0.iter().map(|retire| (retire.pc.get(), retire.at.get())).collect()
}

#[test]
fn exceptions_move_the_clock() {
    // Pended at 5: twelve cycles; BX LR takes two and the return ten (by Arm's knowledge base).
    let machine = || m3(&[NOP; 80]).handler(IRQ0, &[BX_LR]).interrupt(0, 0x80).at(5, Action::Pulse(0));
    let times = began(machine(), 60);
    assert!(times.contains(&(handler_address(IRQ0), 17)), "{times:x?}");
    assert!(times.contains(&(CODE + 10, 29)), "{times:x?}");
    // Tail-chained: six cycles after the BX.
    let tail = machine().handler(IRQ0 + 1, &[BX_LR]).interrupt(1, 0x80).at(6, Action::Pulse(1));
    let times = began(tail, 60);
    assert!(times.contains(&(handler_address(IRQ0 + 1), 17 + 2 + 6)), "{times:x?}");
    assert!(times.contains(&(CODE + 10, 25 + 2 + 10)), "{times:x?}");
    // A more urgent one that arrives up to ten cycles into the entry takes it over; later it preempts.
    for (at, first, at_first) in [(6, 1, 17), (15, 1, 17), (16, 0, 17)] {
        let late = machine().handler(IRQ0 + 1, &[BX_LR]).interrupt(1, 0).at(at, Action::Pulse(1));
        assert_eq!(late.clone().entries(17 + 1)[0], (at_first, 16 + first), "{at}");
    }
    // SVC: its own cycle, then the entry.
    let times = began(m3(&[NOP, svc(0), NOP]).handler(SVCALL, &[BX_LR]), 40);
    assert!(times.contains(&(handler_address(SVCALL), 1 + 1 + 12)), "{times:x?}");
}

#[test]
fn a_continued_load_takes_what_is_left() {
    // LDM of ten takes eleven cycles. Interrupted, the registers moved by then are not moved again.
    for cycle in 1..11 {
        let mut machine = m3(&code![ldm_w(7, false, 0x1F1F), bkpt(0)])
            .set(7, RAM + 0x100)
            .handler(IRQ0, &[BX_LR])
            .interrupt(0, 0)
            .at(cycle, Action::Pulse(0));
        let moved = cycle.saturating_sub(1);
        let rest = 1 + 10 - moved;
        assert_eq!(machine.run_to_breakpoint(), cycle + 12 + 2 + 10 + rest, "interrupted at {cycle}");
    }
    // Behind the instruction that computes its address the first access to RAM comes a cycle later. Registers have no such wait.
    for (cycle, base, wait) in (2..12).flat_map(|cycle| [(cycle, RAM + 0x100, 1), (cycle, WORDS, 0)]) {
        let mut machine = m3(&code![adds(7, 4), ldm_w(7, false, 0x1F1F), bkpt(0)])
            .set(7, base)
            .handler(IRQ0, &[BX_LR])
            .interrupt(0, 0)
            .at(cycle, Action::Pulse(0));
        let moved = (cycle - 1).saturating_sub(1 + wait).min(9);
        let rest = 1 + 10 - moved;
        assert_eq!(machine.run_to_breakpoint(), cycle + 12 + 2 + 10 + rest, "at {base:#x}, interrupted at {cycle}");
    }
}
