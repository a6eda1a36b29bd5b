use crate::asm::*;
use crate::machine::{CODE, HANDLER, Machine, nops, set};
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::ATMEGA328P;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Hertz;

const CLKPR: u16 = 0x61;
const SMCR: u8 = 0x33;
const UBRRL: u16 = 0xC4;
const UCSRB: u16 = 0xC1;
const UDR: u16 = 0xC6;

#[test]
fn the_clock_is_divided_within_four_cycles_of_clkpce() {
    let attempt = |wait: usize| {
        let mut machine = Machine::new(&[&set(CLKPR, 0x80), &nops(wait), &set(CLKPR, 3), &[BREAK]]);
        machine.run_to_break();
        machine.bus.peripherals.hclk()
    };
    // The second write comes three cycles and the wait after the first.
    assert_eq!(attempt(0), Hertz::new(2_000_000));
    assert_eq!(attempt(1), Hertz::new(2_000_000));
    assert_eq!(attempt(2), Hertz::new(16_000_000));
}

#[test]
fn dividing_the_clock_moves_what_another_oscillator_brings() {
    // An EEPROM write of 52,736 periods of the crystal, at 2 MHz: 6,592 cycles.
    let mut machine = Machine::new(&[
        &set(CLKPR, 0x80),
        &set(CLKPR, 3),
        &[sbi(0x1F, 2), sbi(0x1F, 1), sbic(0x1F, 1), rjmp(-2), BREAK],
    ]);
    machine.run_to_break();
    assert!((6_592..6_620).contains(&machine.now()), "{}", machine.now());
    // And divided in its middle.
    let mut machine = Machine::new(&[
        &[sbi(0x1F, 2), sbi(0x1F, 1)],
        &nops(1000),
        &set(CLKPR, 0x80),
        &set(CLKPR, 3),
        &[sbic(0x1F, 1), rjmp(-2), BREAK],
    ]);
    machine.run_to_break();
    let expected = 1009 + (52_736 - 1006) / 8;
    assert!((expected..expected + 8).contains(&machine.now()), "{} for {expected}", machine.now());
}

#[test]
fn a_module_without_a_clock_has_no_registers() {
    let [load, address] = lds(17, UCSRB);
    let mut machine =
        Machine::new(&[&set(UCSRB, 8), &set(0x64, 0x02), &[load, address], &set(0x64, 0), &lds(18, UCSRB), &[BREAK]]);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18)), (0, 8));
    assert_eq!(machine.gaps(), ["power reduction has stopped USART0"]);
}

#[test]
fn ivsel_needs_ivce_within_four_cycles() {
    let attempt = |wait: usize| {
        let mut machine = Machine::of(
            &ATMEGA328P,
            &[
                (HANDLER, &[ldi(21, 1), BREAK]),
                (ATMEGA328P.sections.boot + 4, &[ldi(21, 2), BREAK]),
                (
                    CODE,
                    &[
                        set(0x69, 3),
                        vec![sbi(0x1D, 0), ldi(17, 2)],
                        set(0x55, 1),
                        nops(wait),
                        vec![out(0x35, 17), SEI],
                        nops(100),
                        vec![BREAK],
                    ]
                    .concat(),
                ),
            ],
        );
        machine.apply(60, "PD2", true);
        machine.run_to_break();
        machine.r(21)
    };
    assert_eq!([0, 3, 4].map(attempt), [2, 2, 1]);
}

/// The address of an endless loop.
const LOOP: u32 = 0x800;

/// Sleeps in `mode` with INT0 on its low level and a frame of the USART on its way; PD2 falls at 5000.
fn sleeper(mode: u8, int0: u8) -> Machine {
    let code = [
        set(UBRRL, 8),
        set(UCSRB, 8),
        set(UDR, b'z'),
        set(0x69, int0),
        vec![sbi(0x1D, 0), ldi(16, mode << 1 | 1), out(SMCR, 16), SEI, SLEEP, BREAK],
    ]
    .concat();
    // The handler masks INT0, for its level would ask again.
    let mut machine = Machine::of(&ATMEGA328P, &[(CODE, &code), (HANDLER, &[cbi(0x1D, 0), RETI]), (LOOP, &[HERE])]);
    machine.apply(0, "PD2", true);
    machine.apply(5000, "PD2", false);
    machine
}

#[test]
fn idle_leaves_the_modules_their_clock() {
    let mut machine = sleeper(0, 2);
    machine.run_to_break();
    assert_eq!(machine.sent(), b"z");
    assert!((5000..5050).contains(&machine.now()), "{}", machine.now());
}

#[test]
fn power_down_stops_the_modules_and_the_crystal_takes_16k_cycles() {
    let mut machine = sleeper(2, 0);
    machine.run_to_break();
    assert_eq!(machine.sent(), b"", "the frame has stood still");
    let expected = 5000 + 16_384;
    assert!((expected..expected + 50).contains(&machine.now()), "{}", machine.now());
    let rows: Vec<&str> = machine.bus.peripherals.rows_used().iter().map(|row| row.name).collect();
    assert!(rows.contains(&"wake-up of the crystal"), "{rows:?}");
    // Standby keeps the oscillator running.
    let mut machine = sleeper(6, 0);
    machine.run_to_break();
    assert!((5006..5056).contains(&machine.now()), "{}", machine.now());
}

#[test]
fn a_frame_goes_on_after_power_down() {
    let mut machine = sleeper(2, 0);
    let (_, stop) = machine.run(4000);
    assert_eq!((stop, machine.sent().len()), (Stop::Horizon, 0));
    machine.run_to_break();
    let woken = machine.now();
    machine.core.cpu_mut().pc = LOOP;
    let done = machine.run_until(100_000, |machine| !machine.sent().is_empty());
    // UBRR 8: 1440 cycles, of which some went by before SLEEP.
    assert!(done - woken > 1300 && done - woken < 1600, "{}", done - woken);
}

#[test]
fn an_edge_does_not_wake_from_power_down_where_it_needs_a_clock() {
    let (_, stop) = sleeper(2, 2).run(100_000);
    assert!(matches!(stop, Stop::Deadlock(_)), "{stop:?}");
    // The level that it leaves is not asked for; a pin change is (8271H §13).
    let code = [set(0x6D, 4), set(0x68, 4), vec![ldi(16, 5), out(SMCR, 16), SEI, SLEEP, BREAK]].concat();
    let mut machine = Machine::of(&ATMEGA328P, &[(CODE, &code)]);
    machine.apply(5000, "PD2", true);
    machine.run_to_break();
    assert_eq!(machine.r(20), 1);
}

#[test]
fn a_reset_leaves_its_cause_and_nothing_else() {
    let mut machine = Machine::new(&[
        &set(0x54, 0),
        &set(0xC5, 7),
        &[sbi(0x04, 5), sbi(0x05, 5), sbi(0x1F, 2), sbi(0x1F, 1)],
        &nops(5),
        &[BREAK],
    ]);
    machine.stimulate(1, Stimulus::Uart { number: 0, bytes: vec![1, 2] });
    machine.run_to_break();
    assert!(machine.bus.peripherals.pin(crate::machine::pin("PB5")));
    let now = machine.core.now();
    for (cause, flags) in [("watchdog", 0x08), ("pin", 0x0A)] {
        let (devices, mut context) = machine.bus.with_context(now, cyclescope_machine::units::Address::ZERO);
        devices.reset(cause, &mut context);
        machine.core.reset(&mut machine.bus);
        machine.core.cpu_mut().pc = 0x600;
        machine.bus.memory.program_flash(
            0x600,
            &[lds(17, 0x54), lds(18, 0xC5)]
                .concat()
                .iter()
                .chain(&[input(19, 0x04), input(21, 0x1F), BREAK])
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>(),
        );
        machine.run_to_break();
        assert_eq!([17, 18, 19, 21].map(|register| machine.r(register)), [flags, 0, 0, 0], "{cause}");
    }
    assert!(!machine.bus.peripherals.pin(crate::machine::pin("PB5")));
}

#[test]
fn the_watchdog_resets_unless_it_is_fed() {
    // 16 ms of 128 kHz are 2048 periods of it, 256,000 of 16 MHz; started by the timed sequence, fed once.
    let mut machine = Machine::new(&[&set(0x60, 0x18), &set(0x60, 0x08), &nops(1000), &[WDR, HERE]]);
    let (_, stop) = machine.run(1_000_000);
    assert!(matches!(stop, Stop::Reset(_)), "{stop:?}");
    assert!((257_000..257_020).contains(&machine.now()), "{}", machine.now());
}

#[test]
fn the_pll_of_the_32u4_locks() {
    let mut machine = Machine::u4(&[&[ldi(16, 0x12), out(0x29, 16), input(17, 0x29), sbrs(17, 0), rjmp(-3), BREAK]]);
    machine.run_to_break();
    assert!((1600..1620).contains(&machine.now()), "{}", machine.now());
    assert_eq!(machine.gaps(), Vec::<String>::new());
}
