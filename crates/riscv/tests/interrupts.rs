//! Traps, modes, protection and sleep.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Signal, SignalKind, Stop};
use cyclescope_riscv::timing::IBEX;
use cyclescope_riscv::{Config, INTERRUPT, Privilege, Privileged, Traps};

const HANDLER: u32 = RAM + 0x1000;

/// Runs `code` with traps to a handler that ends the run; mcause, mtval, mepc, mstatus in x10 to x13.
fn trapped(config: Config, code: &[u32]) -> Machine {
    let handler = ending(&[csrrs(10, MCAUSE, 0), csrrs(11, MTVAL, 0), csrrs(12, MEPC, 0), csrrs(13, MSTATUS, 0)]);
    let mut machine = Machine::with(config, &[(RAM, &ending(code)), (HANDLER, &handler)]);
    machine.core.cpu_mut().csrs.mtvec = HANDLER;
    machine.finish();
    machine
}

fn causes(machine: &Machine) -> [u32; 3] {
    [10, 11, 12].map(|register| machine.x(register))
}

/// Goes on in user mode behind this.
fn to_user() -> [u32; 4] {
    [auipc(5, 0), addi(5, 5, 16), csrrw(0, MEPC, 5), MRET]
}

#[test]
fn each_exception_has_its_cause_and_value() {
    let compressed = 0x0000_0001; // C.NOP, then an illegal halfword of zeros.
    for (word, cause, value, at) in [
        (ECALL, 11, 0, RAM),
        (EBREAK, 3, 0, RAM),
        (lw(1, 0, 4), 5, 4, RAM),
        (sw(1, 0, 8), 7, 8, RAM),
        (0x0000_007F, 2, 0x7F, RAM),
        (compressed, 2, 0, RAM + 2),
        (jal(0, -0x1000), 1, RAM - 0x1000, RAM - 0x1000),
    ] {
        let machine = trapped(config(), &[word]);
        assert_eq!(causes(&machine), [cause, value, at], "{word:08x}");
        assert_eq!(machine.x(13), 3 << 11, "from M mode, interrupts were off");
    }
}

#[test]
fn code_that_runs_over_the_end_of_memory_faults_where_nothing_is() {
    let mut machine = Machine::with(config(), &[(RAM + 0x3FFC, &[0x0003_0001])]);
    machine.core.cpu_mut().pc = RAM + 0x3FFC;
    machine.core.cpu_mut().halt_on_fault = true;
    let Stop::Fault(report) = machine.run(10) else { panic!() };
    assert_eq!((report.pc.get(), report.address.unwrap().get()), (RAM + 0x3FFE, RAM + 0x4000));
}

#[test]
fn user_mode_may_do_less_and_traps_say_where_they_came_from() {
    let open = [addi(6, 0, -1), csrrw(0, PMPADDR0, 6), addi(6, 0, 0x1F), csrrw(0, PMPCFG0, 6)];
    let at = RAM + 32;
    for (word, cause, value) in [
        (ECALL, 8, 0),
        (csrrs(1, MSTATUS, 0), 2, csrrs(1, MSTATUS, 0)),
        (csrrs(1, 0xC00, 0), 2, csrrs(1, 0xC00, 0)),
        (MRET, 2, MRET),
        (EBREAK, 3, 0),
    ] {
        let machine = trapped(config(), &[&open[..], &to_user(), &[word]].concat());
        assert_eq!(causes(&machine), [cause, value, at], "{word:08x}");
        assert_eq!(machine.x(13), 0, "MPP is U");
    }
    // TW makes WFI illegal there.
    let tw = [lui(6, 1 << 21), csrrs(0, MSTATUS, 6)];
    let machine = trapped(config(), &[&open[..], &tw, &to_user(), &[WFI]].concat());
    assert_eq!(causes(&machine), [2, WFI, RAM + 40]);
}

#[test]
fn protection_stops_loads_stores_and_fetches_of_user_mode() {
    // All but the last page of RAM may be executed and read; the device may be written.
    let code = |what: &[u32]| {
        let entries = [
            lui(6, (RAM >> 2) + 0x1000),
            addi(6, 6, -0x400),
            csrrw(0, PMPADDR0, 6),
            lui(6, DEVICE >> 2),
            csrrw(0, PMPADDR0 + 1, 6),
            addi(6, 6, 8),
            csrrw(0, PMPADDR0 + 2, 6),
            lui(6, 0x000B_0000),
            addi(6, 6, 0x0D),
            csrrw(0, PMPCFG0, 6),
        ];
        [&entries[..], &to_user(), what].concat()
    };
    let at = RAM + 56;
    let last = RAM + 0x3000;
    for (what, expected) in [
        (&[sw(1, 31, 0)][..], [7, DATA, at]),
        (&[lui(7, last), lw(1, 7, 0)], [5, last, at + 4]),
        (&[lui(7, last), lw(1, 7, -2)], [5, last, at + 4]),
        (&[lui(7, last), jalr(0, 7, 0)], [1, last, last]),
        (&[amoadd(1, 2, 31)], [7, DATA, at]),
        (&[lw(1, 31, 0), sw(1, 30, 4), lw(1, 31, 4), ECALL], [8, 0, at + 12]),
    ] {
        let machine = trapped(config(), &code(what));
        assert_eq!(causes(&machine), expected, "{what:08x?}");
    }
    // An instruction whose second half may not be executed: its address is that half's.
    let mut machine =
        Machine::with(config(), &[(RAM, &code(&[lui(7, last), jalr(0, 7, -2)])), (last - 4, &[0x0013_0001, 0])]);
    machine.core.cpu_mut().halt_on_fault = true;
    let Stop::Fault(report) = machine.run(100) else { panic!() };
    assert_eq!((report.pc.get(), report.address.unwrap().get()), (last - 2, last));
}

#[test]
fn machine_mode_can_load_with_the_rights_of_user_mode() {
    // MPRV with MPP = U: nothing may be read.
    let machine = trapped(config(), &[lui(6, 1 << 17), csrrs(0, MSTATUS, 6), lw(1, 31, 0)]);
    assert_eq!(causes(&machine), [5, DATA, RAM + 8]);
    let machine = trapped(config(), &[lui(6, 1 << 17), addi(6, 6, -0x800), csrrs(0, MSTATUS, 6), lw(1, 31, 0), ECALL]);
    assert_eq!(causes(&machine)[0], 11, "MPP = M");
}

#[test]
fn interrupts_come_when_enabled_the_most_urgent_first() {
    let raise = |line: i32| [addi(7, 0, line), sw(7, 30, io::RAISE)];
    let enable = [lui(6, 0x1000), addi(6, 6, -0x778), csrrw(0, MIE, 6)]; // 0x888
    let code =
        [&raise(7)[..], &raise(3), &raise(11), &enable, &[csrrs(14, MIP, 0), csrrsi(0, MSTATUS, 8), NOP]].concat();
    let machine = trapped(config(), &code);
    assert_eq!(causes(&machine), [1 << 31 | 11, 0, RAM + 4 * (code.len() as u32 - 1)]);
    assert_eq!((machine.x(14), machine.x(13)), (0x888, 3 << 11 | 1 << 7), "MIE became MPIE");
    // Vectored, for interrupts only.
    let mut machine = Machine::with(config(), &[(RAM, &code), (HANDLER + 44, &end()), (HANDLER, &[HERE])]);
    machine.core.cpu_mut().csrs.mtvec = HANDLER | 1;
    machine.finish();
    assert_eq!(machine.core.cpu().csrs.mcause, 1 << 31 | 11);
}

#[test]
fn ibex_has_fast_interrupts_and_an_nmi_that_masks_do_not_stop() {
    let ibex = Config { traps: Traps::Privileged(Privileged::ibex(HANDLER)), ..config() };
    let raise = |line: i32| [addi(7, 0, line), sw(7, 30, io::RAISE)];
    let all = [lui(6, 0x7FFF_0000), csrrw(0, MIE, 6)];
    let code = [&raise(30)[..], &raise(18), &all, &[csrrsi(0, MSTATUS, 8), HERE]].concat();
    let mut machine = Machine::with(ibex, &[(RAM, &code), (HANDLER + 4 * 18, &end())]);
    machine.finish();
    assert_eq!(machine.core.cpu().csrs.mcause, 1 << 31 | 18);
    // The NMI does not nest, and MRET gives back what was before it.
    let code = [&[csrrw(0, MEPC, 31)][..], &raise(31), &[NOP], &end()].concat();
    let nmi = [csrrs(10, MEPC, 0), addi(7, 0, 31), sw(7, 30, io::LOWER), MRET];
    let mut machine = Machine::with(ibex, &[(RAM, &code), (HANDLER + 4 * 31, &nmi)]);
    machine.finish();
    assert_eq!((machine.x(10), machine.core.cpu().csrs.mepc), (RAM + 12, DATA));
    assert_eq!(machine.core.cpu().traps_taken, 1);
}

#[test]
fn vexriscv_gathers_an_array_of_interrupts() {
    let vex = Config { traps: Traps::Privileged(Privileged::vexriscv(0)), ..config() };
    let raise = |line: i32| [addi(7, 0, line), sw(7, 30, io::RAISE)];
    let enable = [lui(6, 0x1000), addi(6, 6, -0x800), csrrw(0, MIE, 6), csrrsi(0, MSTATUS, 8)];
    let code = [&raise(34)[..], &raise(33), &enable, &[csrrs(14, 0xFC0, 0), csrrsi(0, 0xBC0, 2), NOP]].concat();
    let machine = trapped(vex, &code);
    assert_eq!(causes(&machine), [1 << 31 | 11, 0, RAM + 4 * (code.len() as u32 - 1)]);
    assert_eq!((machine.x(14), machine.core.cpu().csrs.array_mask), (0, 2));
}

#[test]
fn wfi_sleeps_until_something_enabled_is_pending_whatever_mie_says() {
    let code = [addi(6, 0, 0x80), csrrw(0, MIE, 6), addi(7, 0, 50), sw(7, 30, io::LATER), WFI, csrrs(10, MCYCLE, 0)];
    let mut machine = Machine::new(&ending(&code));
    machine.bus.shared.signals.want(SignalKind::Sleep);
    let mut seen = Vec::new();
    while machine.run(1000) == Stop::Signal {
        seen.extend(machine.bus.shared.signals.drain().map(|(at, signal)| (at.get(), signal)));
    }
    assert_eq!(seen, [(5, Signal::Sleep), (53, Signal::Wake)]);
    assert_eq!(machine.x(10), 53, "the store was in cycle 3");
    let mut machine = Machine::new(&ending(&code));
    machine.finish();
    assert_eq!(machine.x(10), 53);
    let mut machine = Machine::new(&[WFI]);
    assert!(matches!(machine.run(1000), Stop::Deadlock(_)));
}

#[test]
fn a_run_ends_at_its_limit_asleep_and_awake_with_what_is_under_way() {
    // Asleep from 5 to 53; Ibex is awake a cycle later, and divides in 37.
    let code =
        [addi(6, 0, 0x80), csrrw(0, MIE, 6), addi(7, 0, 50), sw(7, 30, io::LATER), WFI, div(10, 7, 6), NOP, HERE];
    let ibex = Traps::Privileged(Privileged::ibex(HANDLER));
    for config in [config(), Config { timing: &IBEX, traps: ibex, ..config() }] {
        let machine = Machine::with(config, &[(RAM, &code)]);
        let mut traced = machine.clone();
        traced.bus.shared.signals.want(SignalKind::Sleep);
        let (mut retired, mut sleep) = (Vec::new(), Vec::new());
        while traced.core.run_into(&mut traced.bus, Cycles::new(200), &mut |retire| retired.push(retire))
            == Stop::Signal
        {
            sleep.extend(traced.bus.shared.signals.drain().map(|(at, _)| at.get()));
        }
        let [slept, woken] = sleep[..] else { panic!("{sleep:?}") };
        for until in 1..200 {
            let mut machine = machine.clone();
            assert_eq!(machine.run(until), Stop::Horizon);
            let ends = retired.iter().flat_map(|retire| [retire.at, retire.at + retire.cycles]).map(Cycles::get);
            let asleep = (slept..woken).contains(&until);
            let expected = if asleep { Some(until) } else { ends.chain([woken]).filter(|at| *at >= until).min() };
            assert_eq!(Some(machine.now()), expected, "limit {until}");
        }
    }
}

#[test]
fn traps_are_told_as_signals() {
    let code = [
        &[addi(6, 0, 0x80), csrrw(0, MIE, 6), csrrsi(0, MSTATUS, 8)][..],
        &[addi(7, 0, 7), sw(7, 30, io::RAISE), ECALL],
    ]
    .concat();
    let handler = [
        sw(7, 30, io::LOWER),
        csrrs(5, MCAUSE, 0),
        blt(5, 0, 16),
        csrrs(5, MEPC, 0),
        addi(5, 5, 4),
        csrrw(0, MEPC, 5),
        MRET,
    ];
    let mut machine = Machine::with(config(), &[(RAM, &ending(&code)), (HANDLER, &handler)]);
    machine.core.cpu_mut().csrs.mtvec = HANDLER;
    machine.bus.shared.signals.want(SignalKind::Exception);
    let mut seen = Vec::new();
    while machine.run(1000) == Stop::Signal {
        seen.extend(machine.bus.shared.signals.drain().map(|(at, signal)| (at.get(), signal)));
    }
    let timer = INTERRUPT | 7;
    let expected = [
        (4, Signal::ExceptionPended { number: timer }),
        (6, Signal::ExceptionEntered { number: timer }),
        (10, Signal::ExceptionReturned { number: timer }),
        (11, Signal::ExceptionEntered { number: 11 }),
        (18, Signal::ExceptionReturned { number: 11 }),
    ];
    assert_eq!(seen, expected);
    assert_eq!(machine.core.cpu().active_traps(), []);
}

#[test]
fn an_interrupt_in_every_cycle_changes_no_result() {
    let code =
        [addi(8, 0, 20), add(9, 9, 8), lw(10, 31, 0), amoadd(10, 8, 31), sw(9, 31, 4), addi(8, 8, -1), bne(8, 0, -20)];
    let handler = [csrrw(20, MSCRATCH, 20), addi(20, 0, 7), sw(20, 30, io::LOWER), csrrw(20, MSCRATCH, 20), MRET];
    let run = |at: u64| {
        let mut machine = Machine::with(config(), &[(RAM, &ending(&code)), (HANDLER, &handler)]);
        let cpu = machine.core.cpu_mut();
        cpu.csrs.mtvec = HANDLER;
        cpu.csrs.mie = 0x80;
        cpu.csrs.mie_enabled = true;
        let event = cyclescope_machine::EventId::new(0);
        machine.bus.shared.events.schedule(cyclescope_machine::units::Cycles::new(at), event);
        machine.finish();
        let cpu = machine.core.cpu();
        (cpu.x[..32].to_vec(), cpu.instructions, cpu.traps_taken, machine.word(DATA), machine.word(DATA + 4))
    };
    let without = run(10_000);
    for at in 0..120 {
        let with = run(at);
        assert_eq!((&with.0, with.3, with.4), (&without.0, without.3, without.4), "{at}");
        assert_eq!((with.1, with.2), (without.1 + 5, 1), "{at}");
    }
}

#[test]
fn a_reset_goes_back_to_the_vector_and_machine_mode_but_not_in_time() {
    let mut machine = trapped(config(), &[ECALL]);
    let now = machine.now();
    machine.core.reset(&mut machine.bus);
    let cpu = machine.core.cpu();
    assert_eq!((cpu.pc, cpu.now, cpu.privilege, cpu.csrs.mtvec), (RAM, now, Privilege::Machine, 0));
}

mod picorv32 {
    use super::*;

    const VECTOR: u32 = RAM + 0x1000;

    fn machine(code: &[u32], handler: &[u32]) -> Machine {
        Machine::with(pico(), &[(RAM, &ending(code)), (VECTOR, handler)])
    }

    #[test]
    fn its_timer_interrupts_and_retirq_goes_back() {
        let code = [addi(5, 0, 6), timer(0, 5), maskirq(10, 0), NOP, NOP, NOP, NOP, NOP, NOP, NOP];
        let mut machine = machine(&code, &[getq(11, 0), getq(12, 1), addi(13, 13, 1), RETIRQ]);
        machine.finish();
        // Written in cycle 1, 0 in cycle 7, pending from cycle 8 on.
        assert_eq!([10, 11, 12, 13].map(|register| machine.x(register)), [u32::MAX, RAM + 32, 1, 1]);
    }

    #[test]
    fn ebreak_is_an_interrupt_if_it_may_be_and_halts_the_core_if_not() {
        let mut open = machine(&[maskirq(0, 0), EBREAK, NOPS], &[getq(12, 1), getq(11, 0), RETIRQ]);
        open.finish();
        assert_eq!([11, 12].map(|register| open.x(register)), [RAM + 8, 2]);
        let mut closed = machine(&[NOP, EBREAK], &[]);
        let Stop::Lockup(report) = closed.run(1000) else { panic!() };
        assert_eq!((report.pc.get(), report.cause), (RAM + 4, "breakpoint"));
        assert!(matches!(closed.run(2000), Stop::Lockup(_)), "for good");
        let mut nested = machine(&[maskirq(0, 0), EBREAK], &[EBREAK]);
        assert!(matches!(nested.run(1000), Stop::Lockup(report) if report.pc.get() == VECTOR));
        let mut misaligned = machine(&[maskirq(0, 0), lw(1, 31, 1), NOP], &[getq(12, 1), RETIRQ]);
        misaligned.finish();
        assert_eq!(misaligned.x(12), 4);
    }

    #[test]
    fn pulses_are_latched_and_waitirq_hands_them_over_masked_or_not() {
        let code =
            [addi(5, 0, 9), sw(5, 30, io::RAISE), sw(5, 30, io::LOWER), waitirq(10), addi(6, 0, 3), timer(0, 6), NOP];
        let mut machine = machine(&code, &[]);
        machine.finish();
        assert_eq!(machine.x(10), 1 << 9);
        // While interrupts are masked nothing takes it away.
        assert_eq!(machine.core.cpu().traps_taken, 0);
        let code = [addi(6, 0, 30), timer(0, 6), waitirq(10), csrrs(11, 0xC00, 0)];
        let mut sleeping = super::picorv32::machine(&code, &[]);
        sleeping.finish();
        assert_eq!((sleeping.x(10), sleeping.x(11)), (1, 33));
    }

    #[test]
    fn the_instruction_behind_retirq_goes_before_the_next_interrupt() {
        // A level that stays: each return lets one instruction through.
        let code =
            [addi(5, 0, 9), maskirq(0, 0), sw(5, 30, io::RAISE), addi(14, 14, 1), addi(14, 14, 1), addi(14, 14, 1)];
        let mut machine = machine(&code, &[addi(13, 13, 1), RETIRQ]);
        machine.finish();
        assert_eq!((machine.x(14), machine.x(13)), (3, 4));
    }

    #[test]
    fn q_registers_and_counters_are_its_own_and_privileged_registers_are_not() {
        let mut machine =
            machine(&[addi(5, 0, 77), setq(2, 5), getq(10, 2), csrrs(11, 0xC02, 0), csrrs(12, 0xC01, 0)], &[]);
        machine.finish();
        assert_eq!([10, 11, 12].map(|register| machine.x(register)), [77, 4, 4]);
        for word in [csrrs(1, MSTATUS, 0), csrrw(1, 0xC00, 0), MRET, ECALL] {
            let mut machine = super::picorv32::machine(&[word], &[]);
            assert!(matches!(machine.run(100), Stop::Lockup(report) if report.pc.get() == RAM), "{word:08x}");
        }
    }
}
