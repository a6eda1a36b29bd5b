//! Cycles of the Cortex-M0+ against literals read from its manual (Cortex-M0+ TRM, DDI 0484C, table 3-1), not from the
//! table in `src/timing`: a row that is changed there fails here.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_cortex_m::decode::{Architecture, Instruction, Multiple, Op};
use cyclescope_machine::Stop;

/// Runs `code` followed by BKPT traced, in blocks, and cut at every cycle; each instruction must take its cycles in
/// `expected`, and all three ways the same in all. Registers r0 to r7 point into RAM.
fn check(name: &str, code: &[u16], expected: &[u64]) {
    check_on(name, prepared(code), expected);
}

fn prepared(code: &[u16]) -> Machine {
    let mut code = code.to_vec();
    code.push(bkpt(0));
    let mut machine = Machine::new(&code);
    for register in 0..8 {
        machine.core.cpu_mut().r[register] = RAM + 0x100;
    }
    machine
}

fn check_on(name: &str, machine: Machine, expected: &[u64]) {
    let total: u64 = expected.iter().sum();
    let (retired, stop) = machine.clone().trace(1000);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{name}: {stop:?}");
    let cycles: Vec<u64> = retired.iter().map(|retire| retire.cycles.get()).collect();
    // The last is the BKPT.
    assert_eq!(cycles[..cycles.len() - 1], *expected, "{name}");
    assert_eq!(machine.clone().run_to_breakpoint(), total, "{name} in blocks");
    let mut cut = machine;
    let mut until = 0;
    while cut.run(until) == Stop::Horizon {
        until += 1;
    }
    assert_eq!(cut.now() - 1, total, "{name} cut at every cycle");
}

#[test]
fn encoders_and_decoder_agree() {
    let check = |code: &[u16], op: Op| {
        let set = Architecture::Armv6M.instructions();
        let instruction = set.decode(code[0], code.get(1).copied().unwrap_or(0));
        assert_eq!(instruction.op, op, "{code:x?}");
        assert!(set.row(code[0], code.get(1).copied().unwrap_or(0)).is_some());
        instruction
    };
    check(&[NOP], Op::Nop);
    check(&[YIELD], Op::Yield);
    check(&[WFE], Op::Wfe);
    check(&[WFI], Op::Wfi);
    check(&[SEV], Op::Sev);
    assert_eq!(check(&[CPSIE], Op::Cps).imm, Instruction::CPS_PRIMASK);
    assert_eq!(check(&[CPSID], Op::Cps).imm, Instruction::CPS_PRIMASK | Instruction::CPS_DISABLE);
    assert_eq!(check(&[SELF], Op::B).imm as i32, -4);
    assert_eq!(check(&[BX_LR], Op::Bx).rm as u8, 14);
    check(&DSB, Op::Dsb);
    check(&DMB, Op::Dmb);
    check(&ISB, Op::Isb);
    let fields = |i: cyclescope_cortex_m::decode::Instruction| (i.rd as u8, i.rn as u8, i.rm as u8, i.imm);
    assert_eq!(fields(check(&[movs(3, 200)], Op::MovImm)), (3, 3, 0, 200));
    assert_eq!(fields(check(&[adds(3, 200)], Op::AddImm)), (3, 3, 0, 200));
    assert_eq!(fields(check(&[subs(3, 200)], Op::SubImm)), (3, 3, 0, 200));
    assert_eq!(fields(check(&[mov(12, 3)], Op::MovHigh)), (12, 12, 3, 0));
    assert_eq!(fields(check(&[mov(15, 14)], Op::MovPc)), (15, 15, 14, 0));
    assert_eq!(fields(check(&[add_high(9, 10)], Op::AddHigh)), (9, 9, 10, 0));
    assert_eq!(check(&[bx(3)], Op::Bx).rm as u8, 3);
    assert_eq!(check(&[blx(12)], Op::Blx).rm as u8, 12);
    assert_eq!(fields(check(&[ldr_literal(5, 7)], Op::LdrLiteral)), (5, 15, 0, 28));
    assert_eq!(fields(check(&[ldr(1, 2, 31)], Op::LdrImm)), (1, 2, 0, 124));
    assert_eq!(fields(check(&[str(1, 2, 31)], Op::StrImm)), (1, 2, 0, 124));
    assert_eq!(fields(check(&[ldrh(1, 2, 31)], Op::LdrhImm)), (1, 2, 0, 62));
    assert_eq!(fields(check(&[strh(1, 2, 31)], Op::StrhImm)), (1, 2, 0, 62));
    let multiple = |i: cyclescope_cortex_m::decode::Instruction| {
        let Multiple { list, writes_base, before, done } = Multiple::unpack(i.imm);
        assert_eq!((done, Multiple::listed(i.imm)), (0, list.count_ones()));
        (i.rn as u8, list, writes_base, before)
    };
    assert_eq!(multiple(check(&[ldm(2, 0x83)], Op::Ldm)), (2, 0x83, true, false));
    assert_eq!(multiple(check(&[ldm(2, 0x87)], Op::Ldm)), (2, 0x87, false, false));
    assert_eq!(multiple(check(&[stm(2, 0x87)], Op::Stm)), (2, 0x87, true, false));
    assert_eq!(multiple(check(&[push(0x83)], Op::Stm)), (13, 0x83, true, true));
    assert_eq!(multiple(check(&[push(WITH_LR_OR_PC)], Op::Stm)), (13, 1 << 14, true, true));
    assert_eq!(multiple(check(&[pop(0x83)], Op::Ldm)), (13, 0x83, true, false));
    assert_eq!(multiple(check(&[pop(WITH_LR_OR_PC | 1)], Op::LdmPc)), (13, 1 << 15 | 1, true, false));
    assert_eq!(check(&[b_if(1, -6)], Op::Bne).imm as i32, -6);
    assert_eq!(check(&[b(-100)], Op::B).imm as i32, -100);
    assert_eq!(check(&bl(0x234), Op::Bl).imm, 0x234);
    assert_eq!(check(&[svc(9)], Op::Svc).imm, 9);
    assert_eq!(check(&[bkpt(9)], Op::Bkpt).imm, 9);
    assert_eq!(check(&[udf(9)], Op::Udf).imm, 9);
    assert_eq!(fields(check(&mrs(3, PRIMASK), Op::Mrs)), (3, 0, 0, 16));
    assert_eq!(fields(check(&msr(CONTROL, 4), Op::Msr)), (0, 4, 0, 20 | Instruction::MSR_FLAGS));
}

#[test]
fn data_processing_takes_one_cycle() {
    let all: [(&str, u16); 43] = [
        ("MOVS Rd, #imm", movs(0, 1)),
        ("MOVS Rd, Rm", 0x0008),
        ("MOV Rd, Rm", mov(8, 1)),
        ("ADDS Rd, Rn, #imm3", 0x1C48),
        ("ADDS Rd, Rn, Rm", 0x1888),
        ("ADD Rd, Rm", add_high(8, 1)),
        ("ADDS Rd, #imm8", adds(0, 1)),
        ("ADCS", 0x4148),
        ("ADD SP, #imm", 0xB001),
        ("ADD Rd, SP, #imm", 0xA801),
        ("ADR", 0xA001),
        ("SUBS Rd, Rn, Rm", 0x1A88),
        ("SUBS Rd, Rn, #imm3", 0x1E48),
        ("SUBS Rd, #imm8", subs(0, 1)),
        ("SBCS", 0x4188),
        ("SUB SP, #imm", 0xB081),
        ("RSBS", 0x4248),
        ("MULS, single-cycle multiplier", 0x4348),
        ("CMP Rn, Rm", 0x4288),
        ("CMP high", 0x4580),
        ("CMN", 0x42C8),
        ("CMP #imm", 0x2801),
        ("ANDS", 0x4008),
        ("EORS", 0x4048),
        ("ORRS", 0x4308),
        ("BICS", 0x4388),
        ("MVNS", 0x43C8),
        ("TST", 0x4208),
        ("LSLS #", 0x0048),
        ("LSLS", 0x4088),
        ("LSRS #", 0x0848),
        ("LSRS", 0x40C8),
        ("ASRS #", 0x1048),
        ("ASRS", 0x4108),
        ("RORS", 0x41C8),
        ("SXTH", 0xB208),
        ("SXTB", 0xB248),
        ("UXTH", 0xB288),
        ("UXTB", 0xB2C8),
        ("REV", 0xBA08),
        ("REV16", 0xBA48),
        ("REVSH", 0xBAC8),
        ("MOV Rd, PC", mov(0, 15)),
    ];
    for (name, instruction) in all {
        check(name, &[instruction], &[1]);
    }
}

#[test]
fn loads_and_stores_take_two_cycles() {
    let all: [(&str, u16); 17] = [
        ("LDR imm", 0x6808),
        ("LDRH imm", 0x8808),
        ("LDRB imm", 0x7808),
        ("LDR literal", 0x4801),
        ("LDR SP", 0x9800),
        ("STR imm", 0x6008),
        ("STRH imm", 0x8008),
        ("STRB imm", 0x7008),
        ("STR SP", 0x9000),
        ("LDR reg", 0x58C8),
        ("LDRH reg", 0x5AC8),
        ("LDRSH reg", 0x5EC8),
        ("LDRB reg", 0x5CC8),
        ("LDRSB reg", 0x56C8),
        ("STR reg", 0x50C8),
        ("STRH reg", 0x52C8),
        ("STRB reg", 0x54C8),
    ];
    for (name, instruction) in all {
        // r3 is the offset register; SP-relative ones need room above the stack pointer.
        let machine = prepared(&[instruction]).set(3, 4).set(13, STACK - 0x40);
        check_on(name, machine, &[2]);
    }
}

#[test]
fn multiple_transfers_take_one_and_one_a_register() {
    for list in 1..=0xFF_u16 {
        let n = u64::from(list.count_ones());
        for (name, instruction) in
            [("LDM", ldm(0, list)), ("STM", stm(0, list)), ("PUSH", push(list)), ("POP", pop(list))]
        {
            let machine = prepared(&[instruction]).set(13, STACK - 0x40);
            check_on(&format!("{name} {list:#x}"), machine, &[1 + n]);
        }
        check_on("PUSH with lr", prepared(&[push(list | WITH_LR_OR_PC)]), &[2 + n]);
    }
    check("PUSH {lr}", &[push(WITH_LR_OR_PC)], &[2]);
}

#[test]
fn pop_with_pc_takes_three_and_one_a_register() {
    for count in 0..=8_u16 {
        let list = (1 << count) - 1;
        // The pc is the highest word.
        let machine = prepared(&[pop(list | WITH_LR_OR_PC), NOP])
            .set(13, STACK - 0x40)
            .word_at(STACK - 0x40 + 4 * u32::from(count), (CODE + 2) | 1);
        check_on(&format!("POP of {count} and pc"), machine, &[3 + u64::from(count) + 1, 1]);
    }
}

#[test]
fn conditional_branches_take_one_or_two() {
    // Flags N, Z, C, V in bits 31 to 28, and for each condition whether it holds (DDI 0419E table A6-1).
    for flags in 0..16_u32 {
        let [n, z, c, v] = [3, 2, 1, 0].map(|bit| flags >> bit & 1 != 0);
        let holds = [z, !z, c, !c, n, !n, v, !v, c && !z, !c || z, n == v, n != v, !z && n == v, z || n != v];
        for (condition, holds) in (0u16..).zip(holds) {
            // To the instruction after the next, so that the way taken shows.
            let mut machine = prepared(&[b_if(condition, 0), NOP]);
            machine.core.cpu_mut().set_apsr(flags << 28);
            let expected: &[u64] = if holds { &[2] } else { &[1, 1] };
            check_on(&format!("condition {condition} with flags {flags:04b}"), machine, expected);
        }
    }
}

#[test]
fn branches_and_writes_to_pc() {
    check("B", &[b(0), NOP], &[2]);
    check("BL", &code![bl(0)], &[3]);
    check_on("BX", prepared(&[bx(1), NOP]).set(1, (CODE + 4) | 1), &[2]);
    check_on("BLX", prepared(&[blx(1), NOP]).set(1, (CODE + 4) | 1), &[2]);
    check_on("MOV PC, Rm", prepared(&[mov(15, 1), NOP]).set(1, CODE + 4), &[2]);
    check_on("ADD PC, Rm", prepared(&[add_high(15, 1), NOP]).set(1, 0), &[2]);
}

#[test]
fn system_instructions() {
    check("CPSID", &[CPSID], &[1]);
    check("CPSIE", &[CPSIE], &[1]);
    check("MRS", &code![mrs(0, PRIMASK)], &[3]);
    check("MSR", &code![msr(APSR, 0)], &[3]);
    check("DSB", &code![DSB], &[3]);
    check("DMB", &code![DMB], &[3]);
    check("ISB", &code![ISB], &[3]);
    check("NOP", &[NOP], &[1]);
    check("YIELD", &[YIELD], &[1]);
    check("SEV", &[SEV], &[1]);
    check("WFE with the event register set", &[SEV, WFE], &[1, 2]);
    let mut machine = prepared(&[CPSID, WFI]);
    machine.core.cpu_mut().nvic.pend(14);
    machine.core.cpu_mut().primask = true;
    check_on("WFI with something pending", machine, &[1, 2]);
}

#[test]
fn a_mixed_block_is_the_sum_of_its_instructions() {
    let code = code![movs(1, 3), ldr(2, 0, 0), stm(5, 0b110), bl(0), subs(1, 1), b_if(1, -6), msr(APSR, 0), NOP];
    // Thrice SUBS; BNE is taken twice.
    check("mixed", &code, &[1, 2, 3, 3, 1, 2, 1, 2, 1, 1, 3, 1]);
}

#[test]
fn exceptions_move_the_clock() {
    // Entry: 15 cycles from the boundary at which the interrupt is pending (DDI 0484C §3.6.1). NOPs of one cycle make
    // every cycle a boundary.
    let mut machine = Machine::new(&[NOP; 200]).handler(IRQ0, &[NOP, BX_LR]).interrupt(0, 0).at(20, Action::Pulse(0));
    assert_eq!(machine.clone().entries(200)[0], (35, 16));
    let (retired, _) = machine.trace(60);
    let handler = retired.iter().position(|retire| retire.pc.get() == handler_address(IRQ0)).unwrap();
    let [before, first, second, after] = [handler - 1, handler, handler + 1, handler + 2]
        .map(|index| (retired[index].pc.get(), retired[index].at.get()));
    assert_eq!(before, (CODE + 2 * 19, 19));
    assert_eq!(first, (handler_address(IRQ0), 35));
    assert_eq!(second.1, 36);
    // BX takes 2, the return 11 on top (assumed).
    assert_eq!(after, (CODE + 2 * 20, 36 + 2 + 11));
}

#[test]
fn an_interrupt_waits_for_the_instruction_under_way() {
    // DSB of three cycles at 20: pending in its middle, taken at its end.
    let code = code![vec![NOP; 20], DSB, vec![NOP; 200]];
    for (pended, entered) in [(20, 35), (21, 38), (22, 38), (23, 38), (24, 39)] {
        let mut machine = Machine::new(&code).interrupt(0, 0).at(pended, Action::Pulse(0));
        assert_eq!(machine.entries(100), [(entered, 16)], "pending at {pended}");
    }
}

#[test]
fn tail_chaining_takes_six_cycles() {
    let mut machine = Machine::new(&[NOP; 200])
        .handler(IRQ0, &[NOP, BX_LR])
        .handler(IRQ0 + 1, &[BX_LR])
        .interrupt(0, 0)
        .interrupt(1, 0)
        .at(20, Action::Pulse(0))
        .at(30, Action::Pulse(1));
    // First handler: 35 NOP, 36 BX until 38; the next handler 6 later. It returns with 2 + 11.
    assert_eq!(machine.entries(200), [(35, 16), (44, 17)]);
    // Cycle 200: 20 NOPs before, and since the second handler's BX (44 to 46) and the return of 11 (57) 143 more.
    assert_eq!(machine.pc(), CODE + 2 * (20 + 143));
}

#[test]
fn a_more_urgent_exception_takes_over_an_entry_until_its_ninth_cycle() {
    let machine = |later| {
        Machine::new(&[NOP; 200])
            .handler(IRQ0, &[NOP, BX_LR])
            .handler(IRQ0 + 1, &[NOP, BX_LR])
            .interrupt(0, 0x40)
            .interrupt(1, 0)
            .at(20, Action::Pulse(0))
            .at(later, Action::Pulse(1))
    };
    // Late arrival: interrupt 1 first, with the frame of the first entry; interrupt 0 tail-chained.
    for later in [21, 25, 29] {
        assert_eq!(machine(later).entries(200), [(35, 17), (35 + 3 + 6, 16)], "arrived at {later}");
    }
    // Too late: interrupt 0's handler begins and is preempted before its first instruction.
    for later in [30, 34] {
        assert_eq!(machine(later).entries(200), [(35, 16), (50, 17)], "arrived at {later}");
    }
}

#[test]
fn systick_reads_the_exact_cycle_in_the_middle_of_a_block() {
    // r1 = SYST_CSR; enabled at the store's data phase, the second cycle of STR.
    let code = code![str(0, 1, 0), NOP, ldr(2, 1, 2), ldr(3, 1, 2), NOP, NOP, ldr(4, 1, 2), bkpt(0)];
    let mut machine = prepared(&code).set(0, 5).set(1, 0xE000_E010);
    machine.core.cpu_mut().systick.set_reload(1000, 0);
    for mut machine in [machine.clone(), {
        machine.core.watch(cyclescope_machine::units::Address::new(CODE + 6));
        machine
    }] {
        while matches!(machine.run(1000), Stop::Watch(_)) {}
        // STR 0-2, enabled at 1: the count loads 1000 at 2. NOP 2-3, LDR 3-5 reads at 4, LDR 5-7 at 6, LDR 9-11 at 10.
        assert_eq!([machine.r(2), machine.r(3), machine.r(4)], [998, 996, 992]);
    }
}

#[test]
fn a_device_sees_the_second_cycle_of_an_access() {
    let code = code![NOP, ldr(1, 0, 0), NOP, str(0, 0, 4), ldr(2, 0, 0), bkpt(0)];
    let mut machine = Machine::new(&code).set(0, CLOCK);
    machine.run_to_breakpoint();
    let at: Vec<u64> = machine.bus.peripherals.seen.iter().map(|seen| seen.at).collect();
    // NOP 0, LDR 1-3, NOP 3, STR 4-6, LDR 6-8.
    assert_eq!(at, [2, 5, 7]);
    assert_eq!([machine.r(1), machine.r(2)], [2, 7]);
}

#[test]
fn a_device_answers_after_all_that_was_due_by_then() {
    // LDR from 1 to 3, its data phase at 2; behind the bridge from 1 to 5, at 4.
    for (base, at) in [(0, 2), (SLOW - CLOCK, 4)] {
        for (due, value) in [(at - 1, 7), (at, 7), (at + 1, 0)] {
            let mut machine =
                Machine::new(&[NOP, ldr(1, 0, 0), bkpt(0)]).set(0, WORDS + base).at(due, Action::Store(7));
            machine.run_to_breakpoint();
            assert_eq!(machine.r(1), value, "due at {due}, read at {at}");
        }
    }
}

#[test]
fn each_transfer_of_a_multiple_access_has_its_own_cycle() {
    let code = code![NOP, ldm(0, 0b1110), NOP, stm(4, 0b1110), bkpt(0)];
    let mut machine = Machine::new(&code).set(0, WORDS).set(4, WORDS);
    assert_eq!(machine.run_to_breakpoint(), 1 + 4 + 1 + 4);
    let at: Vec<(u64, u32)> = machine.bus.peripherals.seen.iter().map(|seen| (seen.at, seen.address - WORDS)).collect();
    assert_eq!(at, [(2, 0), (3, 4), (4, 8), (7, 0), (8, 4), (9, 8)]);
}

#[test]
fn the_single_cycle_io_port_saves_one_and_a_bridge_costs() {
    // DDI 0484C table 3-1, footnote b: one cycle where the access goes to the single-cycle I/O port.
    let code = code![NOP, str(1, 0, 4), str(1, 0, 4), NOP, ldr(2, 0, 4)];
    check_on("I/O port", prepared(&code).set(0, FAST), &[1, 1, 1, 1, 1]);
    check_on("bridge", prepared(&code).set(0, SLOW), &[1, 4, 4, 1, 4]);
    let at = |base| {
        let mut machine = prepared(&code).set(0, base);
        machine.run_to_breakpoint();
        machine.bus.peripherals.seen.iter().map(|seen| seen.at).collect::<Vec<_>>()
    };
    // On the port the only cycle is the data phase; behind a bridge the device sees the last cycle.
    assert_eq!(at(FAST), [1, 2, 4]);
    assert_eq!(at(SLOW), [4, 8, 13]);
}

#[test]
fn an_svc_takes_one_cycle_and_its_entry() {
    let mut machine = Machine::new(&code![NOP, svc(3), vec![NOP; 40]]).handler(SVCALL, &[NOP, BX_LR]);
    assert_eq!(machine.entries(40), [(1 + 1 + 15, 11)]);
    let (retired, _) = Machine::new(&code![NOP, svc(3), vec![NOP; 40]]).handler(SVCALL, &[NOP, BX_LR]).trace(32);
    let starts: Vec<u64> = retired.iter().map(|retire| retire.at.get()).collect();
    assert_eq!(starts, [0, 1, 17, 18, 18 + 2 + 11]);
}

#[test]
fn a_fault_takes_its_instruction_and_an_entry() {
    // Assumed: an instruction that is none takes one cycle; a load that fails takes what it would have.
    assert_eq!(Machine::new(&[NOP, udf(0)]).entries(17), [(2 + 15, 3)]);
    assert_eq!(Machine::new(&[NOP, 0xB100]).entries(17), [(2 + 15, 3)]);
    assert_eq!(Machine::new(&[NOP, ldr(1, 0, 0)]).set(0, 0x7000_0000).entries(18), [(3 + 15, 3)]);
    // A fetch that fails takes nothing, and neither does the Arm state: BX has taken its two.
    assert_eq!(Machine::new(&[NOP, bx(1)]).set(1, 0x7000_0001).entries(18), [(3 + 15, 3)]);
    assert_eq!(Machine::new(&[NOP, bx(1)]).set(1, CODE).entries(18), [(3 + 15, 3)]);
}

#[test]
fn a_semihosting_call_takes_one_cycle() {
    let config = cyclescope_cortex_m::Config { semihosting: true, ..config() };
    let code = [NOP, bkpt(0xAB), ldr(1, 2, 0), bkpt(0)];
    let mut machine = Machine::configured(config, cyclescope_machine::FlashTiming::IDEAL, &code).set(2, CLOCK);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(1), 3, "LDR begins at 2");
}
