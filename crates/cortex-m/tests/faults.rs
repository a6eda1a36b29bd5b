//! The causes of HardFault and of lockup, and the frames that locate them: DDI 0419E §B1.5.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::Stop;

/// Runs to HardFault's handler; checks the return address and the cause.
fn faults(name: &str, mut machine: Machine, at: u32, cause: &str) -> Machine {
    assert_eq!(machine.entries(60).first().map(|(_, number)| *number), Some(3), "{name}");
    assert_eq!(machine.frame()[6], at, "{name}: return address");
    let fault = machine.core.cpu().last_fault.expect("a fault was noted");
    assert_eq!(fault.pc.get(), at, "{name}");
    assert!(fault.cause.contains(cause), "{name}: {}", fault.cause);
    machine
}

#[test]
fn what_an_instruction_cannot_do_is_a_hard_fault_that_returns_to_it() {
    let after_nop = CODE + 2;
    let one = |instruction: u16| Machine::new(&[NOP, instruction, SELF]);
    faults("UDF", one(udf(7)), after_nop, "undefined");
    faults("unallocated", one(0xB100), after_nop, "undefined");
    faults("undefined 32-bit", Machine::new(&[NOP, 0xE800, 0x0000]), after_nop, "undefined");
    // DDI 0419E §A3.2: every unaligned access faults.
    for (name, instruction) in [("LDR", ldr(1, 0, 0)), ("STR", str(1, 0, 0)), ("LDM", ldm(0, 6)), ("STM", stm(0, 6))] {
        for offset in 1..4 {
            faults(name, one(instruction).set(0, RAM + offset), after_nop, "unaligned");
        }
    }
    faults("LDRH", one(ldrh(1, 0, 0)).set(0, RAM + 1), after_nop, "unaligned");
    faults("STRH", one(strh(1, 0, 0)).set(0, RAM + 1), after_nop, "unaligned");
    faults("unaligned device", one(ldr(1, 0, 0)).set(0, CLOCK + 2), after_nop, "unaligned");
    faults("unmapped read", one(ldr(1, 0, 0)).set(0, 0x7000_0000), after_nop, "nothing answers");
    faults("unmapped write", one(str(1, 0, 0)).set(0, 0x7000_0000), after_nop, "nothing answers");
    faults("end of RAM", one(ldm(0, 6)).set(0, STACK - 4), after_nop, "nothing answers");
    faults("store to flash", one(str(1, 0, 0)).set(0, FLASH), after_nop, "");
    faults("width", one(ldrh(1, 0, 0)).set(0, CLOCK), after_nop, "width");
}

#[test]
fn a_faulting_load_changes_no_register() {
    let machine = faults(
        "LDM",
        Machine::new(&[ldm(0, 0b1110), SELF]).set(0, STACK - 4).set(1, 1).set(2, 2).set(3, 3),
        CODE,
        "nothing answers",
    );
    assert_eq!(machine.frame()[..4], [STACK - 4, 1, 2, 3], "the base is not written back");
}

#[test]
fn fetching_where_nothing_is_faults_at_that_address() {
    faults("BX", Machine::new(&[NOP, bx(1)]).set(1, 0x7000_0001), 0x7000_0000, "fetch");
    faults("device memory", Machine::new(&[NOP, bx(1)]).set(1, CLOCK | 1), CLOCK, "fetch");
    // In thread mode EXC_RETURN values are plain addresses, which no memory has.
    faults("EXC_RETURN in thread mode", Machine::new(&[NOP, bx(1)]).set(1, 0xFFFF_FFF9), 0xFFFF_FFF8, "fetch");
    let machine = Machine::new(&[NOP, b(0)]).code_at(FLASH + 0x3FFE, &[NOP]).set(1, FLASH + 0x3FFF);
    faults("end of flash", machine.code_at(CODE + 2, &[bx(1)]), FLASH + 0x4000, "fetch");
}

#[test]
fn branching_to_an_even_address_faults_there_in_arm_state() {
    // EPSR.T becomes bit 0 of the target; the next instruction faults (DDI 0419E §B1.4.2).
    for (name, code) in [("BX", code![NOP, bx(1)]), ("BLX", code![NOP, blx(1)]), ("POP", code![pop(0x100)])] {
        let machine = Machine::new(&code).set(1, CODE + 8).set(13, STACK - 4).word_at(STACK - 4, CODE + 8);
        let machine = faults(name, machine, CODE + 8, "Arm state");
        assert_eq!(machine.frame()[7] >> 24 & 1, 0, "{name}: the stacked T bit is zero");
        assert!(machine.core.cpu().thumb, "the handler runs");
    }
    // MOV PC ignores bit 0.
    let mut machine = Machine::new(&[mov(15, 1), NOP, bkpt(0)]).set(1, CODE + 4);
    machine.run_to_breakpoint();
}

#[test]
fn an_illegal_exc_return_is_a_hard_fault() {
    // UNPREDICTABLE in DDI 0419E §B1.5.8; taken as a fault, as Armv7-M defines it.
    for value in [0xFFFF_FFF1_u32, 0xFFFF_FFF0, 0xFFFF_FFFB, 0xF000_0000] {
        let mut machine =
            Machine::new(&[NOP; 60]).handler(IRQ0, &[bx(4)]).interrupt(0, 0).at(5, Action::Pulse(0)).set(4, value);
        assert_eq!(machine.entries(80), [(20, 16), (28, 3)], "{value:#x}");
        assert!(!machine.core.cpu().nvic.is_active(16), "{value:#x}");
    }
    // From a nested handler straight to thread mode.
    let mut machine = Machine::new(&[NOP; 60])
        .handler(IRQ0, &[NOP; 60])
        .handler(IRQ0 + 1, &[bx(4)])
        .interrupt(0, 0x40)
        .interrupt(1, 0)
        .at(5, Action::Pulse(0))
        .at(25, Action::Pulse(1))
        .set(4, 0xFFFF_FFF9);
    assert_eq!(machine.entries(80), [(20, 16), (40, 17), (48, 3)]);
}

#[test]
fn a_frame_that_does_not_fit_is_a_hard_fault() {
    // The handler overwrites the stacked xPSR: a handler's number for thread mode, and a clear T bit.
    let machine = |xpsr| {
        Machine::new(&[NOP; 60])
            .handler(IRQ0, &[str(5, 4, 0), BX_LR])
            .interrupt(0, 0)
            .at(5, Action::Pulse(0))
            .set(4, STACK - 4)
            .set(5, xpsr)
    };
    // Entry to 20, STR, BX and the return to 35, entry to 50.
    assert_eq!(machine(0x0100_0010).entries(50), [(20, 16), (50, 3)]);
    let mut arm = machine(0);
    assert_eq!(arm.entries(50), [(20, 16), (50, 3)]);
    assert_eq!(arm.frame()[6..], [CODE + 10, 0], "at the instruction returned to, in Arm state");
    // A frame that cannot be read: HardFault is chained, with the same EXC_RETURN.
    let mut machine = Machine::new(&[NOP; 60])
        .handler(IRQ0, &[mov(13, 4), BX_LR])
        .interrupt(0, 0)
        .at(5, Action::Pulse(0))
        .set(4, 0x7000_0000);
    assert_eq!(machine.entries(50), [(20, 16), (20 + 3 + 6, 3)]);
    assert_eq!(machine.r(14), 0xFFFF_FFF9);
}

#[test]
fn without_privilege_the_private_peripheral_bus_faults() {
    for address in [0xE000_E010, 0xE000_E100, 0xE000_ED00, 0xE000_ED04] {
        for instruction in [ldr(1, 0, 0), str(1, 0, 0)] {
            let mut machine = Machine::new(&[NOP, instruction, SELF]).set(0, address);
            machine.core.cpu_mut().unprivileged = true;
            faults("unprivileged", machine, CODE + 2, "unprivileged");
        }
    }
}

#[test]
fn a_fault_in_hard_fault_or_nmi_locks_up() {
    // DDI 0419E §B1.5.15.
    let mut machine = Machine::new(&[udf(0)]).handler(HARD_FAULT, &[NOP, udf(1)]);
    let Stop::Lockup(report) = machine.run(100) else { panic!("no lockup") };
    assert_eq!((report.pc.get(), report.cause), (handler_address(HARD_FAULT) + 2, "undefined instruction"));
    let mut machine = Machine::new(&[NOP; 60]).handler(2, &[ldr(1, 0, 0)]).set(0, 0x7000_0000);
    machine.core.cpu_mut().nvic.pend(2);
    let Stop::Lockup(report) = machine.run(100) else { panic!("no lockup") };
    assert_eq!(report.address.map(|address| address.get()), Some(0x7000_0000));
    let mut machine = Machine::new(&[udf(0)]).handler(HARD_FAULT, &[svc(1)]);
    assert!(matches!(machine.run(100), Stop::Lockup(_)), "SVC in HardFault");
    let mut machine = Machine::new(&[udf(0)]).word_at(FLASH + 12, handler_address(HARD_FAULT));
    assert!(matches!(machine.run(100), Stop::Lockup(_)), "HardFault's vector without bit 0");
}

#[test]
fn a_stack_that_cannot_be_written_turns_an_entry_into_hard_fault_or_lockup() {
    // On the process stack: the derived HardFault runs on the main stack (DDI 0419E §B1.5.14).
    let mut machine = Machine::new(&code![msr(PSP, 0), msr(CONTROL, 1), ISB, vec![NOP; 60]])
        .set(0, 0x7000_0100)
        .set(1, 2)
        .interrupt(0, 0)
        .at(20, Action::Pulse(0));
    assert_eq!(machine.entries(40), [(35, 3)]);
    assert!(machine.core.cpu().nvic.is_pending(16), "the interrupt is still waiting");
    assert!(machine.core.cpu().last_fault.unwrap().cause.contains("frame"));
    // A fault whose own frame cannot be written.
    let mut machine = Machine::new(&[udf(0)]).set(13, 0x7000_0100);
    assert!(matches!(machine.run(100), Stop::Lockup(_)));
}

#[test]
fn halting_at_faults_reports_instead_of_running_the_handler() {
    let mut machine = Machine::new(&[NOP, ldr(1, 0, 0)]).set(0, 0x7000_0000);
    machine.core.cpu_mut().halt_on_fault = true;
    let Stop::Fault(report) = machine.run(100) else { panic!("no fault") };
    assert_eq!((report.pc.get(), report.address.map(|address| address.get())), (CODE + 2, Some(0x7000_0000)));
    assert_eq!(machine.ipsr(), 0);
}

#[test]
fn reset_takes_stack_and_entry_from_the_table_and_keeps_the_clock() {
    let mut machine = Machine::new(&[NOP; 60]).interrupt(0, 0);
    machine.core.cpu_mut().primask = true;
    machine.run(10);
    machine.core.reset(&mut machine.bus).unwrap();
    assert_eq!([machine.r(13), machine.r(14), machine.pc()], [STACK, u32::MAX, CODE]);
    assert!(!machine.core.cpu().primask);
    assert_eq!(machine.core.cpu().nvic.enabled_word(0), 0);
    assert_eq!(machine.now(), 10);
}
