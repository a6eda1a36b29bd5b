//! Stops of a run and its continuation: semihosting, budgets, breakpoints, watched addresses, snapshots.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_compile::Compiled;
use cyclescope_cortex_m::Config;
use cyclescope_engine::laws::Program;
use cyclescope_machine::units::Address;
use cyclescope_machine::{Channel, FlashTiming, Stop};

fn semihosting(code: &[u16]) -> Machine {
    Machine::configured(Config { semihosting: true, ..config() }, FlashTiming::IDEAL, code)
}

#[test]
fn semihosting_writes_and_exits() {
    // IHI 0100: SYS_WRITE0, SYS_WRITEC, SYS_WRITE, SYS_EXIT_EXTENDED.
    let text = RAM + 0x400;
    let block = RAM + 0x500;
    let code = code![
        movs(0, 4),
        bkpt(0xAB),
        movs(0, 3),
        bkpt(0xAB),
        movs(0, 5),
        mov(1, 4),
        bkpt(0xAB),
        mov(6, 0),
        movs(0, 0x20),
        mov(1, 5),
        bkpt(0xAB),
        udf(0)
    ];
    let mut machine = semihosting(&code)
        .set(1, text)
        .set(4, block)
        .set(5, block + 16)
        .word_at(text, u32::from_le_bytes(*b"abc\0"))
        .word_at(block, 2)
        .word_at(block + 4, text + 1)
        .word_at(block + 8, 2)
        .word_at(block + 16, 0x2_0026)
        .word_at(block + 20, 42);
    assert_eq!(machine.run(1000), Stop::Exit(42));
    assert_eq!(machine.bus.shared.console.bytes(Channel::Semihosting), b"abcabc");
    assert_eq!(machine.r(6), 0, "nothing is left to write");
}

#[test]
fn sys_exit_is_success_for_one_reason_only() {
    for (reason, code) in [(0x2_0026, 0), (0x2_0023, 1), (0, 1)] {
        let mut machine = semihosting(&[bkpt(0xAB)]).set(0, 0x18).set(1, reason);
        assert_eq!(machine.run(100), Stop::Exit(code), "{reason:#x}");
    }
}

#[test]
fn semihosting_opens_nothing_but_the_console() {
    let name = RAM + 0x400;
    let block = RAM + 0x500;
    for (text, len, mode, handle) in
        [(*b":tt\0", 3, 0, 1), (*b":tt\0", 3, 4, 2), (*b":tt\0", 3, 8, 3), (*b"a.c\0", 3, 0, u32::MAX)]
    {
        let mut machine = semihosting(&[bkpt(0xAB), SELF])
            .set(0, 1)
            .set(1, block)
            .word_at(name, u32::from_le_bytes(text))
            .word_at(block, name)
            .word_at(block + 4, mode)
            .word_at(block + 8, len);
        machine.run(10);
        assert_eq!(machine.r(0), handle);
    }
    // A call that is refused fails and is named, as is one that there is not.
    let mut machine = semihosting(&[bkpt(0xAB), SELF]).set(0, 0x12);
    machine.run(10);
    assert_eq!(machine.r(0), u32::MAX);
    let name = &machine.bus.shared.gaps.all()[0].name;
    assert_eq!(name, "semihosting call 0x12 (SYS_SYSTEM; the host carries out no commands)");
    let mut machine = semihosting(&[bkpt(0xAB), SELF]).set(0, 0x99);
    machine.run(10);
    assert_eq!(machine.r(0), u32::MAX);
    assert_eq!(machine.bus.shared.gaps.all()[0].name, "semihosting call 0x99");
}

#[test]
fn output_stops_at_its_budget() {
    // SYS_WRITE0 for ever; the harness gives 1000 bytes.
    let text = RAM + 0x400;
    let mut machine = semihosting(&code![movs(0, 4), bkpt(0xAB), b(-8)])
        .set(1, text)
        .word_at(text, u32::from_le_bytes(*b"abcd"))
        .word_at(text + 4, u32::from_le_bytes(*b"efg\0"));
    assert_eq!(machine.run(u64::MAX), Stop::OutputBudget);
    assert_eq!(machine.bus.shared.console.len(), 1000);
    // A text without end is bounded as well.
    let mut machine = semihosting(&[bkpt(0xAB), SELF]).set(0, 4).set(1, FLASH + 0x2100);
    assert_eq!(machine.run(10_000), Stop::OutputBudget);
}

#[test]
fn a_breakpoint_nobody_serves_stops_and_stays() {
    let mut machine = Machine::new(&[NOP, bkpt(0xAB), NOP]);
    for _ in 0..2 {
        assert_eq!(machine.run(100), Stop::Breakpoint(Address::new(CODE + 2), 0xAB));
        assert_eq!(machine.pc(), CODE + 2);
    }
    let mut machine = semihosting(&[bkpt(7)]);
    assert_eq!(machine.run(100), Stop::Breakpoint(Address::new(CODE), 7));
}

#[test]
fn a_watched_instruction_is_reported_once_each_time_before_it_executes() {
    let code = code![movs(1, 3), NOP, NOP, subs(1, 1), b_if(1, -8), bkpt(0)];
    let mut machine = Machine::new(&code);
    let free = machine.clone().run_to_breakpoint();
    machine.core.watch(Address::new(CODE + 6));
    let mut reports = Vec::new();
    while let Stop::Watch(address) = machine.run(1000) {
        assert_eq!([address.get(), machine.pc()], [CODE + 6, CODE + 6]);
        reports.push((machine.now(), machine.r(1)));
    }
    assert_eq!(reports, [(3, 3), (7, 2), (11, 1)]);
    assert_eq!(machine.now() - 1, free, "watching takes no time");
}

#[test]
fn what_the_outside_does_at_a_watch_counts_from_the_next_instruction_on() {
    let code = code![movs(0, 3), NOP, NOP, movs(1, 3), movs(2, 5), mov(4, 2), subs(0, 1), b_if(1, -14), bkpt(0)];
    let (watched, stop) = (Stop::Watch(Address::new(CODE + 6)), Stop::Breakpoint(Address::new(CODE + 16), 0));
    let at_watch = || {
        let mut machine = Machine::new(&code).handler(IRQ0, &[mov(7, 0), BX_LR]).interrupt(0, 0);
        machine.core.watch(Address::new(CODE + 6));
        // What follows was run once, in whole blocks.
        assert_eq!([machine.run(1000), machine.run(1000)], [watched; 2]);
        machine
    };
    let mut loaded = at_watch();
    assert!(loaded.bus.memory.load(Address::new(CODE + 8), &movs(2, 9).to_le_bytes()));
    assert_eq!((loaded.run(1000), loaded.r(0), loaded.r(4)), (watched, 1, 9), "other code in flash");
    let mut raised = at_watch();
    raised.bus.shared.interrupts.pulse(0);
    let began = raised.now();
    assert_eq!(raised.entries(began + 40), [(began + 15, 16)], "an interrupt line");
    assert_eq!(raised.r(7), 2);
    let mut reset = at_watch();
    reset.bus.shared.reset = Some("by the outside");
    assert_eq!((reset.run(1000), reset.r(0)), (Stop::Reset("by the outside"), 2));
    let mut free = at_watch();
    assert_eq!([free.run(1000), free.run(1000)], [watched, stop]);
}

#[test]
fn a_watch_reports_once_though_an_interrupt_comes_first_or_abandons_it() {
    // The watched LDM (20 to 28) is abandoned at 23 and restarted.
    let code = code![vec![NOP; 20], ldm(0, 0xFE), vec![NOP; 100]];
    for pended in [20, 23] {
        let mut machine = Machine::new(&code)
            .handler(IRQ0, &[NOP, BX_LR])
            .interrupt(0, 0)
            .set(0, RAM + 0x100)
            .at(pended, Action::Pulse(0));
        machine.core.watch(Address::new(CODE + 40));
        machine.core.watch(Address::new(handler_address(IRQ0)));
        let mut reports = Vec::new();
        while let Stop::Watch(address) = machine.run(100) {
            reports.push(address.get());
        }
        let expected = match pended {
            20 => [handler_address(IRQ0), CODE + 40],
            _ => [CODE + 40, handler_address(IRQ0)],
        };
        assert_eq!(reports, expected, "pended at {pended}");
    }
}

/// Interrupts, sleep, SysTick, a device, flash with everything on: a run with much going on.
fn busy() -> Machine {
    let flash = FlashTiming { wait_states: 1, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL };
    let code = code![
        str(0, 1, 0),
        ldr(5, 2, 0),
        stm(6, 0b1010_1100),
        subs(6, 16),
        ldr(4, 1, 2),
        push(0b1111_0000),
        pop(0b1111_0000),
        str(5, 2, 8),
        ldr(5, 2, 8),
        svc(1),
        add_high(3, 5),
        ldr_literal(7, 3),
        WFI,
        b(-26),
        NOP,
        NOP
    ];
    let mut machine = Machine::with_flash(flash, &code)
        .set(0, 7)
        .set(1, 0xE000_E010)
        .set(2, CLOCK)
        .set(6, RAM + 0x200)
        .handler(SYSTICK, &code![ldr(0, 2, 0), BX_LR])
        .handler(SVCALL, &code![push(0x100), NOP, NOP, pop(0x100)])
        .handler(IRQ0, &code![push(0x1F0), ldm(2, 0b11), subs(2, 8), pop(0x1F0)])
        .handler(IRQ0 + 1, &code![NOP, NOP, BX_LR])
        .interrupt(0, 0x80)
        .interrupt(1, 0);
    machine.core.cpu_mut().systick.set_reload(210, 0);
    machine.core.cpu_mut().nvic.set_priority(15, 0x40);
    let mut seed = 12_345_u64;
    for _ in 0..120 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        machine = machine.at(seed >> 33 & 0x3FFF, Action::Pulse((seed >> 63) as usize));
    }
    machine
}

const END: u64 = 0x4000;

#[test]
fn a_busy_run_obeys_the_laws() {
    let mut whole = busy();
    assert_eq!(whole.run(END), Stop::Horizon);
    assert!(whole.core.cpu().exceptions_taken > 150, "{}", whole.core.cpu().exceptions_taken);
    let make = || busy().into_parts();
    let watched = [CODE + 4, CODE + 10, handler_address(IRQ0), handler_address(IRQ0) + 2, handler_address(SYSTICK)];
    let program = Program { make: &make, outcome: &state, end: END, watched: &watched };
    program.obeys_all();
    let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(cyclescope_compile::Settings::ALL)));
    assert!(regions > 0, "compiled code ran");
}

#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let code = code![
        movs(3, 4),
        push(0b1111_0000),
        stm(6, 0b1010_1100),
        subs(6, 16),
        ldm(6, 0b1010_1100),
        subs(6, 16),
        pop(0b1111_0000),
        add_high(7, 3),
        str(7, 6, 1),
        subs(3, 1),
        b_if(1, -22),
        bkpt(0)
    ];
    interrupts_change_no_result(|| Machine::new(&code).set(6, RAM + 0x200));
}

#[test]
fn code_that_rewrites_itself_in_ram_runs_as_rewritten() {
    // r0 = 0x2000_0100: MOVS r1,#1 there becomes MOVS r1,#2 before its second turn.
    let ram = code![movs(1, 1), add_high(7, 1), strh(4, 0, 0), DSB, subs(5, 1), b_if(1, -16), bkpt(0)];
    let machine = || {
        Machine::new(&[bx(3)])
            .code_at(RAM + 0x100, &ram)
            .set(0, RAM + 0x100)
            .set(3, RAM + 0x101)
            .set(4, u32::from(movs(1, 2)))
            .set(5, 2)
            .set(7, 0)
    };
    let mut whole = machine();
    whole.run_to_breakpoint();
    assert_eq!(whole.r(7), 3);
    let make = || machine().into_parts();
    Program { make: &make, outcome: &state, end: 1000, watched: &[RAM + 0x102] }.obeys_all();
}

/// A guest that enters its code at every halfword: what is predecoded stays within bounds and right.
#[test]
fn code_entered_everywhere_is_forgotten_in_time() {
    use cyclescope_machine::units::{Address, Cycles};
    use cyclescope_machine::{AtZero, Bus, FlashTiming, Memory, WithoutPeripherals};

    const BASE: u32 = 0x0800_0000;
    let mut image = vec![0; 1 << 20];
    image[..8].copy_from_slice(&[0x00, 0x10, 0x00, 0x20, 0x09, 0x00, 0x00, 0x08]);
    for halfword in image[8..].chunks_exact_mut(2) {
        // ADDS r0, #1
        halfword.copy_from_slice(&[0x01, 0x30]);
    }
    let mut memory = Memory::new(Address::new(BASE), image, Address::new(0x2000_0000), 0x1000);
    memory.map_at_zero(AtZero::Flash);
    memory.set_flash_timing(FlashTiming::IDEAL);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let mut core = cyclescope_cortex_m::Core::new(common::config(), &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    let entries = (BASE + 8..BASE + 0x9_0000).step_by(2);
    for (index, entry) in (1u32..).zip(entries) {
        core.cpu_mut().go_to(entry);
        let until = core.now() + Cycles::new(64 + 2);
        core.run(&mut bus, until);
        assert_eq!(core.cpu().r[0], index * 66, "from {entry:#x}");
    }
}
