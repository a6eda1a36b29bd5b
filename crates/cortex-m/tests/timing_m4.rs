//! Cycles of the Cortex-M4F against literals read from its manual (Cortex-M4 TRM, Arm 100166, tables 3-1 and 7-1 and
//! §3.3.3), where it differs from the Cortex-M3 (`timing_m3.rs`), and floating point.

mod common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;

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
