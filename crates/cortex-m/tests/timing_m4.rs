//! Cycles of the Cortex-M4F against literals read from its manual (Cortex-M4 TRM, Arm 100166, tables 3-1 and 7-1 and
//! §3.3.3), where it differs from the Cortex-M3 (`timing_m3.rs`), and floating point.

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;
use cyclescope_cortex_m::timing::CORTEX_M4F;

fn check(name: &str, code: &[u16], expected: &[u64]) {
    takes(with_context, name, code, expected);
}

/// With the unit on and a context of its own, so that no instruction has to make one.
fn with_context(code: &[u16]) -> Machine {
    let mut machine = m4f(code);
    machine.core.cpu_mut().fp.active = true;
    machine.with(CPACR, 0xF << 20)
}

#[test]
fn multiplications_take_one_cycle() {
    for (name, code) in [
        ("MUL", [0xFB01, 0xF002]),
        ("MLA", mla(0, 1, 2, 3)),
        ("MLS", [0xFB01, 0x3012]),
        ("UMULL", umull(0, 1, 2, 3)),
        ("SMULL", [0xFB82, 0x0103]),
        ("UMLAL", [0xFBE2, 0x0103]),
        ("SMLAL", [0xFBC2, 0x0103]),
        ("UMAAL", [0xFBE2, 0x0163]),
        ("SMULBB", [0xFB11, 0xF002]),
        ("SMLABB", [0xFB11, 0x3002]),
        ("SMLALBB", [0xFBC2, 0x0183]),
        ("SMUAD", [0xFB21, 0xF002]),
        ("SMLAD", [0xFB21, 0x3002]),
        ("SMMUL", [0xFB51, 0xF002]),
        ("SMMLA", [0xFB51, 0x3002]),
        ("USAD8", [0xFB71, 0xF002]),
        ("USADA8", [0xFB71, 0x3002]),
    ] {
        check(name, &code, &[1]);
    }
}

#[test]
fn the_dsp_extension_takes_one_cycle() {
    for (name, code) in [
        ("SADD16", [0xFA91, 0xF002]),
        ("UQSUB8", [0xFAC1, 0xF052]),
        ("SHASX", [0xFAA1, 0xF022]),
        ("QADD", [0xFA81, 0xF082]),
        ("QDSUB", [0xFA81, 0xF0B2]),
        ("SEL", [0xFAA1, 0xF082]),
        ("PKHBT", [0xEAC1, 0x0002]),
        ("SXTAH", [0xFA01, 0xF082]),
        ("UXTB16", [0xFA3F, 0xF081]),
        ("SSAT16", [0xF321, 0x0007]),
    ] {
        check(name, &code, &[1]);
    }
}

#[test]
fn the_rest_is_as_on_the_m3() {
    for (name, code, expected) in [
        ("LDR; LDR", code![ldr(0, 1, 0), ldr(2, 3, 0)], vec![2, 1]),
        ("LDR; STR", code![ldr(0, 1, 0), str(0, 3, 5)], vec![2, 0]),
        ("LDR; STR with write-back", code![ldr(0, 1, 0), str_post(0, 3, 4)], vec![2, 0]),
        ("STR; LDR", code![str(0, 1, 0), ldr(0, 3, 0)], vec![1, 3]),
        ("loads with write-back, two bases", code![ldr_post(0, 1, 4), ldr_post(2, 3, 4)], vec![2, 1]),
        ("loads with write-back, one base", code![ldr_post(0, 1, 4), ldr_post(2, 1, 4)], vec![2, 2]),
        ("LDR; NOP", code![ldr(0, 1, 0), NOP], vec![2, 0]),
        ("three loads", code![ldr(0, 1, 0), ldr(2, 3, 0), ldr(4, 5, 0)], vec![2, 1, 1]),
        ("STR", code![str(0, 1, 0)], vec![1]),
        ("LDM of three", code![ldm(1, 0x1C)], vec![4]),
        ("LDRD", code![ldrd(2, 3, 1)], vec![3]),
        ("an address just computed", code![0x1D09, ldr(0, 1, 0)], vec![1, 3]),
        ("IT", code![movs(0, 1), it(NE, 0x8), adds(0, 1)], vec![1, 0, 1]),
        ("B", code![b(-2)], vec![2]),
        ("UDIV", code![udiv(0, 1, 2)], vec![5]),
    ] {
        check(name, &code, &expected);
    }
    for (dividend, cycles) in [(0, 2), (0xFFFF_FFFF, 12)] {
        let machine = m4f(&code![udiv(0, 2, 3), bkpt(0)]).set(2, dividend).set(3, 1);
        takes_from(&machine, "UDIV", &[cycles]);
    }
}

/// With two RAMs, the second from [`SECOND`] on. r1 and r4 point into the first, r3 and r5 into the second, r4 to its last word;
/// r6 into flash, r7 to a register, r2 is 8, r8 and r9 are bit-band aliases in the first and the second.
fn with_two_rams(code: &[u16]) -> Machine {
    let mut machine = with_context(&[code, &[bkpt(0)]].concat());
    machine.bus.memory.split_ram(&[0x800]);
    let alias = |address: u32| 0x2200_0000 + (address - RAM) * 32;
    machine
        .set(1, RAM + 0x100)
        .set(2, 8)
        .set(3, SECOND + 0x100)
        .set(4, SECOND - 4)
        .set(5, SECOND)
        .set(6, FLASH)
        .set(7, CLOCK)
        .set(8, alias(RAM + 0x100))
        .set(9, alias(SECOND + 0x100))
}

const SECOND: u32 = RAM + 0x800;

/// Measured on an STM32F407 (jnk0le/random): loads, and stores behind them, are pipelined only within SRAM1, SRAM2 or CCM.
#[test]
fn loads_overlap_within_one_memory() {
    let (ldr_r0_r1_r2, ldr_r0_r3_r2, str_r0_r3_r2) = (0x5888, 0x5898, 0x5098);
    let ldr_pre = |rt: u16, rn: u16, imm8: u16| [0xF850 | rn, rt << 12 | 0x0F00 | imm8];
    for (name, code, expected) in [
        ("both in the first", code![ldr(0, 1, 0), ldr(0, 4, 0)], vec![2, 1]),
        ("both in the second", code![ldr(0, 3, 0), ldr(0, 5, 0)], vec![2, 1]),
        ("the first, the second", code![ldr(0, 1, 0), ldr(0, 3, 0)], vec![2, 2]),
        ("the second, the first", code![ldr(0, 3, 0), ldr(0, 1, 0)], vec![2, 2]),
        (
            "to and fro",
            code![ldr(0, 1, 0), ldr(0, 3, 0), ldr(0, 5, 0), ldr(0, 4, 0), ldr(0, 1, 1), ldr(0, 3, 1)],
            vec![2, 2, 1, 2, 1, 2],
        ),
        ("over the border", code![ldr(0, 4, 0), ldr(0, 4, 1)], vec![2, 2]),
        ("a load of the base before it", code![ldr(1, 1, 0), ldr(0, 3, 0), ldr(0, 5, 0)], vec![2, 2, 1]),
        ("at base plus register", code![ldr_r0_r1_r2, ldr_r0_r3_r2], vec![2, 2]),
        ("from a base that moves on after", code![ldr_post(0, 4, 4), ldr(0, 1, 0)], vec![2, 1]),
        ("from a base that moves on before", code![ldr(0, 3, 0), ldr_pre(0, 4, 4)], vec![2, 1]),
        ("a store", code![ldr(0, 1, 0), str(0, 3, 0), NOP], vec![2, 1, 1]),
        ("a store into the same", code![ldr(0, 1, 0), str(0, 4, 0), NOP], vec![2, 0, 1]),
        ("a store at base plus register", code![ldr(0, 1, 0), str_r0_r3_r2], vec![2, 2]),
        ("a load without privilege", code![ldr(0, 1, 0), ldrt(0, 3)], vec![2, 2]),
        ("bytes", code![ldrb_w(0, 1, 1), ldrb_w(0, 3, 3), ldrb_w(0, 5, 2)], vec![2, 2, 1]),
        ("LDREX", code![ldr(0, 1, 0), ldrex(0, 3)], vec![2, 2]),
        ("aliases of bits", code![ldr_w(0, 8, 0), ldr_w(0, 9, 0), ldr(0, 3, 0), ldr_w(0, 8, 0)], vec![2, 2, 1, 2]),
        ("not one after the other", code![ldr(0, 1, 0), adds(0, 1), ldr(0, 3, 0)], vec![2, 1, 2]),
        ("the address depends on the load", code![ldr(1, 1, 0), ldr(0, 1, 0)], vec![2, 2]),
        // What is no RAM is not said to be a memory apart.
        ("flash", code![ldr(0, 1, 0), ldr(0, 6, 0), ldr(0, 3, 0)], vec![2, 1, 1]),
        ("a register", code![ldr(0, 1, 0), ldr(0, 7, 0), ldr(0, 3, 0)], vec![2, 1, 1]),
        // LDM and its like overlap with nothing.
        ("LDM", code![ldr(0, 1, 0), ldm(3, 0x21), ldr(0, 1, 0)], vec![2, 3, 2]),
    ] {
        let machine = with_two_rams(&code).word_at(RAM + 0x100, SECOND + 0x180);
        takes_from(&machine, name, &expected);
    }
}

/// The access itself is a cycle later, too.
#[test]
fn a_load_from_another_memory_puts_off_what_follows() {
    let code = code![ldr(0, 1, 0), ldr(0, 3, 0), ldr(0, 7, 0), bkpt(0)];
    let at = |second: u32| {
        let mut machine = with_two_rams(&code).set(3, second);
        let began = machine.now();
        machine.run_to_breakpoint();
        machine.bus.peripherals.seen[0].at - began
    };
    assert_eq!(at(SECOND), at(RAM + 0x180) + 1);
}

#[test]
fn the_row_counts_as_used_where_memories_changed() {
    let used = |second: u32| {
        let mut machine = with_two_rams(&code![ldr(0, 1, 0), ldr(0, 3, 0)]).set(3, second);
        machine.run_to_breakpoint();
        let rows = CORTEX_M4F.rows.iter().enumerate();
        rows.filter(|(index, _)| machine.core.rows_used().contains(*index)).any(|(_, row)| row.name == "memory change")
    };
    assert!(used(SECOND) && !used(RAM));
}

#[test]
fn floating_point() {
    // VSQRT, VABS, VNEG, VCMP, VCVT of s1 and s2.
    let unary = |second: u16, opc: u16| vec![0xEEB0 | opc, 0x0A41 | second];
    for (name, code, cycles) in [
        ("VADD", vadd(3, 1, 2).to_vec(), 1),
        ("VSUB", [0xEE31, 0x1AC1].to_vec(), 1),
        ("VMUL", vmul(3, 1, 2).to_vec(), 1),
        ("VABS", unary(0x80, 0), 1),
        ("VNEG", unary(0x00, 1), 1),
        ("VCMP", unary(0x00, 4), 1),
        ("VCVT to integer", unary(0x80, 13), 1),
        ("VCVT from integer", unary(0x80, 8), 1),
        ("VMOV of a constant", vec![0xEEF7, 0x0A00], 1),
        ("VMLA", vmla(3, 1, 2).to_vec(), 3),
        ("VFMA", vec![0xEEE0, 0x1A81], 3),
        ("VDIV", vdiv(3, 1, 2).to_vec(), 14),
        ("VSQRT", unary(0x80, 1), 14),
        ("VMOV to single", vmov_from(1, 0).to_vec(), 1),
        ("VMOV from single", vmov_to(0, 1).to_vec(), 1),
        ("VMOV of two", vec![0xEC41, 0x0A11], 2),
        ("VMOV of a double", vec![0xEC51, 0x0B11], 2),
        ("VMRS", vmrs(0).to_vec(), 1),
        ("VMSR", vmsr(8).to_vec(), 1),
        ("VLDR", vldr(1, 1).to_vec(), 2),
        ("VLDR of a double", vec![0xED91, 0x1B00], 3),
        ("VSTR", vstr(1, 1).to_vec(), 2),
        ("VSTR of a double", vec![0xED81, 0x1B00], 3),
        ("VLDM of four", vec![0xEC91, 0x1A04], 5),
        ("VSTM of four", vec![0xEC81, 0x1A04], 5),
        ("VPUSH of two doubles", vec![0xED2D, 0x1B04], 5),
    ] {
        check(name, &code, &[cycles]);
    }
}

#[test]
fn a_result_consumed_at_once_costs_a_cycle() {
    // 100166 §7.2.3.
    check("VADD; VADD of its result", &code![vadd(1, 2, 3), vadd(4, 1, 2)], &[1, 2]);
    check("VADD; VADD of another", &code![vadd(1, 2, 3), vadd(4, 5, 6)], &[1, 1]);
    check("VADD; NOP; VADD of its result", &code![vadd(1, 2, 3), NOP, vadd(4, 1, 2)], &[1, 1, 1]);
    check("VMUL; VSTR of its result", &code![vmul(1, 2, 3), vstr(1, 1)], &[1, 3]);
}

fn began(mut machine: Machine, until: u64) -> Vec<(u32, u64)> {
    machine.trace(until).0.iter().map(|retire| (retire.pc.get(), retire.at.get())).collect()
}

#[test]
fn exceptions_with_floating_point_state() {
    let machine =
        |code: &[u16]| with_context(&[NOP; 90]).handler(IRQ0, code).interrupt(0, 0x80).at(5, Action::Pulse(0));
    let handler = handler_address(IRQ0);
    // Lazy: the entry only leaves room, the return finds all in place.
    let times = began(machine(&[BX_LR]), 60);
    assert!(times.contains(&(handler, 17)) && times.contains(&(CODE + 10, 17 + 2 + 10)), "{times:x?}");
    // The handler's first use stores 17 words, and the return loads them.
    let times = began(machine(&code![NOP, vadd(1, 2, 3), vadd(4, 5, 6), BX_LR]), 100);
    assert!(times.contains(&(handler + 2, 18 + 17)), "{times:x?}");
    assert!(times.contains(&(handler + 6, 18 + 17 + 1)), "{times:x?}");
    assert!(times.contains(&(CODE + 10, 37 + 2 + 10 + 17)), "{times:x?}");
    // Eager: stored at entry.
    let eager = |code: &[u16]| {
        let mut machine = with_context(&[NOP; 90]).with(FPCCR, 1 << 31).handler(IRQ0, code);
        machine.core.cpu_mut().fp.active = true;
        machine.interrupt(0, 0x80).at(5, Action::Pulse(0))
    };
    let times = began(eager(&[BX_LR]), 100);
    assert!(times.contains(&(handler, 5 + 12 + 17)), "{times:x?}");
    assert!(times.contains(&(CODE + 10, 34 + 2 + 10 + 17)), "{times:x?}");
    // Without state of its own the thread costs nothing more.
    let times = began(m4f(&[NOP; 60]).handler(IRQ0, &[BX_LR]).interrupt(0, 0x80).at(5, Action::Pulse(0)), 60);
    assert!(times.contains(&(handler, 17)) && times.contains(&(CODE + 10, 29)), "{times:x?}");
}
