//! QEMU's machine.

use cyclescope_chips::{Part, Settings, Stimulus};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, GapKind, Stop};

use crate::asm::*;
use crate::machine::*;

const RAM: u32 = 0x8000_0000;
const HANDLER: u32 = RAM + 0x1000;
const TEST: u32 = 0x0010_0000;
const CLINT: u32 = 0x0200_0000;
const PLIC: u32 = 0x0C00_0000;
const UART: u32 = 0x1000_0000;

/// Lets the interrupts in `mask` through to the handler.
fn interrupts(mask: u32) -> Vec<u32> {
    [li(7, HANDLER), vec![csrrw(0, MTVEC, 7)], li(7, mask), vec![csrrw(0, MIE, 7), csrrsi(0, MSTATUS, 8)]].concat()
}

#[test]
fn the_uart_sends_at_once_and_is_always_empty() {
    let code = [store_byte(UART, b'o'), store_byte(UART, b'k'), li(10, UART), vec![0x0055_4583]].concat();
    let mut bench = Bench::new("virt", &[(RAM, [code, store(TEST, 0x5555)].concat())]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.printed(0), "ok");
    // lbu a1, 5(a0)
    assert_eq!(bench.x(11), 0x60);
    assert!(bench.0.gaps().is_empty(), "{:?}", bench.0.gaps());
}

#[test]
fn the_finisher_gives_codes_and_resets() {
    for (value, stop) in [
        (0x5555, Stop::Exit(0)),
        (0x002A_3333, Stop::Exit(42)),
        (0x7777, Stop::Reset("the test finisher")),
        (0x1234, Stop::Horizon),
    ] {
        let mut bench = Bench::new("virt", &[(RAM, [store(TEST, value), vec![HERE]].concat())]);
        assert_eq!(bench.finish(1_000), stop, "{value:#x}");
        assert_eq!(bench.0.gaps().len(), usize::from(value == 0x1234));
    }
    let mut bench = Bench::with("virt", Settings::default(), &[(RAM, store(TEST, 0x7777))]);
    assert_eq!(bench.finish(1_000), Stop::Horizon);
    assert!(bench.0.resets() > 10, "it begins anew, again and again");
}

#[test]
fn a_reset_takes_back_what_asked_for_an_interrupt() {
    // The software interrupt straight to the core, and by way of the PLIC.
    let described = "name = \"by-plic\"\ncore = \"generic\"\n\
        [[memory]]\nname = \"ram\"\nbase = 0x8000_0000\nbytes = 0x1_0000\n\
        [[device]]\nname = \"clint\"\nkind = \"clint\"\nbase = 0x0200_0000\nplic = 1\n\
        [[device]]\nname = \"plic\"\nkind = \"plic\"\nbase = 0x0C00_0000\n\
        [[device]]\nname = \"test\"\nkind = \"finisher\"\nbase = 0x0010_0000\n";
    let by_plic = Part::from_toml(described).unwrap();
    let asked = RAM + 0x2000;
    for (part, expected) in [(Part::find("virt").unwrap(), [1 << 3, 0]), (&by_plic, [0, 1 << 1])] {
        let look = |mip, pending| [vec![csrrs(mip, MIP, 0)], load(pending, PLIC + 0x1000)].concat();
        let end = store(TEST, 0x5555);
        let code = [
            look(12, 13),
            load(7, asked),
            vec![beq(7, 0, 4 + 4 * end.len() as i32)],
            end,
            store(asked, 1),
            store(CLINT, 1),
            look(14, 15),
            store(TEST, 0x7777),
        ];
        let mut bench = Bench::of(part, Settings::default(), &[(RAM, code.concat())]);
        assert_eq!(bench.finish(1_000), Stop::Exit(0));
        assert_eq!(bench.0.resets(), 1);
        assert_eq!([14, 15].map(|register| bench.x(register)), expected, "asked for");
        assert_eq!([12, 13].map(|register| bench.x(register)), [0, 0], "after the reset");
    }
}

#[test]
fn the_timer_interrupts_in_the_very_cycle() {
    for at in [30, 31] {
        let code = [store(CLINT + 0x4004, 0), store(CLINT + 0x4000, at), interrupts(1 << 7), vec![HERE]].concat();
        let handler = [load(10, CLINT + 0xBFF8), vec![csrrs(11, MCAUSE, 0)], store(TEST, 0x5555)].concat();
        let mut bench = Bench::new("virt", &[(RAM, code), (HANDLER, handler)]);
        let mut signals = Vec::new();
        assert_eq!(bench.run(10_000, &mut signals), Stop::Exit(0));
        let cycle = u64::from(at) * 10;
        // An instruction takes one cycle, and so does a trap.
        assert_eq!(asked_and_taken(&signals, 7), (cycle, cycle + 1));
        assert_eq!((bench.x(10), bench.x(11)), (at, 1 << 31 | 7));
    }
}

#[test]
fn a_software_interrupt_comes_with_its_store() {
    let code = [interrupts(1 << 3), store(CLINT, 1), vec![NOP, HERE]].concat();
    let handler = [vec![csrrs(10, MEPC, 0)], store(CLINT, 0), vec![csrrs(11, MIP, 0)], store(TEST, 0x5555)].concat();
    let behind = RAM + 4 * (code.len() as u32 - 2);
    let mut bench = Bench::new("virt", &[(RAM, code), (HANDLER, handler)]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!((bench.x(10), bench.x(11)), (behind, 0));
}

#[test]
fn the_plic_hands_out_the_uarts_interrupt_once() {
    let set_up = [
        store(PLIC + 4 * 10, 3),
        store(PLIC + 0x2000, 1 << 10),
        store(PLIC + 0x20_0000, 2),
        store_byte(UART + 1, 1),
        interrupts(1 << 11),
        vec![HERE],
    ]
    .concat();
    let claim = PLIC + 0x20_0004;
    let handler = [
        load(10, PLIC + 0x1000),
        load(11, claim),
        // While it is in service it is not pending.
        load(12, claim),
        vec![csrrs(13, MIP, 0)],
        load(14, UART),
        store(claim, 10),
        vec![csrrs(15, MIP, 0)],
        store(TEST, 0x5555),
    ]
    .concat();
    let mut bench = Bench::new("virt", &[(RAM, set_up), (HANDLER, handler)]);
    bench.0.stimulate(Cycles::new(500), Stimulus::Uart { number: 0, bytes: vec![b'q'] });
    assert_eq!(bench.finish(10_000), Stop::Exit(0));
    let seen: Vec<u32> = (10..16).map(|register| bench.x(register)).collect();
    assert_eq!(seen, [1 << 10, 10, 0, 0, u32::from(b'q'), 0]);
}

#[test]
fn a_priority_at_the_threshold_is_too_low() {
    let set_up = [
        store(PLIC + 4 * 10, 2),
        store(PLIC + 0x2000, 1 << 10),
        store(PLIC + 0x20_0000, 2),
        store_byte(UART + 1, 2),
        vec![csrrs(10, MIP, 0)],
        store(PLIC + 4 * 10, 3),
        vec![csrrs(11, MIP, 0)],
        // Reading IIR takes the transmitter's interrupt.
        li(12, UART),
        vec![0x0026_4603, csrrs(13, MIP, 0)],
        store(TEST, 0x5555),
    ]
    .concat();
    let mut bench = Bench::new("virt", &[(RAM, set_up)]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    let seen: Vec<u32> = (10..14).map(|register| bench.x(register)).collect();
    assert_eq!(seen, [0, 1 << 11, 2, 0]);
}

#[test]
fn what_is_not_there_reads_zero_and_is_named_and_nowhere_is_a_fault() {
    let code = [load(10, 0x0010_1000), load(11, 0x0500_0000)].concat();
    let settings = Settings { halt_on_fault: true, ..Settings::default() };
    let mut bench = Bench::with("virt", settings, &[(RAM, code)]);
    let Stop::Fault(report) = bench.finish(100) else { panic!("nothing is at 0x05000000") };
    assert_eq!((report.cause, report.address.unwrap().get()), ("load access fault", 0x0500_0000));
    assert_eq!(bench.gaps(GapKind::RegisterRead), ["RTC"]);
}

#[test]
fn a_virtio_slot_says_that_it_is_empty() {
    for slot in [0x1000_1000, 0x1000_8000] {
        let code = [load(10, slot), load(11, slot + 4), load(12, slot + 8), load(13, slot + 12)].concat();
        let mut bench = Bench::new("virt", &[(RAM, code)]);
        bench.finish(100);
        let seen: Vec<u32> = (10..14).map(|register| bench.x(register)).collect();
        assert_eq!(seen, [u32::from_le_bytes(*b"virt"), 1, 0, u32::from_le_bytes(*b"QEMU")]);
        assert!(bench.gaps(GapKind::RegisterRead).is_empty());
    }
}

#[test]
fn semihosting_prints_and_ends_the_run() {
    let call = [slli(0, 0, 31), EBREAK, srai(0, 0, 7)];
    let text = RAM + 0x200;
    let code = [li(10, 4), li(11, text), call.to_vec(), li(10, 0x18), li(11, 0x2_0026), call.to_vec()].concat();
    let mut bench = Bench::new("virt", &[(RAM, code), (text, vec![u32::from_le_bytes(*b"hey\0")])]);
    assert_eq!(bench.finish(1_000), Stop::Exit(0));
    assert_eq!(bench.0.shared().console.bytes(Channel::Semihosting), b"hey");
}
