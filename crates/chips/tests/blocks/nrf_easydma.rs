//! nRF52840: EasyDMA as a master of the bus (nRF52840 PS, EasyDMA, AHB multilayer): who has a slave of the RAM in which cycle.

use std::collections::BTreeSet;
use std::ops::Range;

use cyclescope_chips::{Machine, MemorySetting, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, Pin, RamSlave, Restore, Retire, Signal, SignalKind, Stop};
use proptest::prelude::*;

use crate::bench::Bench;
use crate::cortex_asm::*;
use crate::nrf_timers::{US, part};
use crate::nrf_uarte::{bytes, fill};

const UARTE0: u32 = 0x4000_2000;
const UARTE1: u32 = 0x4002_8000;
const SPIM0: u32 = 0x4000_3000;
const SPIM3: u32 = 0x4002_F000;
const SAADC: u32 = 0x4000_7000;
const ENDRX: u32 = 0x110;
const ENDTX: u32 = 0x120;
const ENABLE: u32 = 0x500;
const RAM: u32 = 0x2000_0000;
/// The bytes of each of the first eight slaves.
const SLAVE: u32 = 0x2000;
/// A frame of ten bits at 1 Mbaud.
const FRAME: u64 = 10 * US;
/// Cycles from the end of a frame until its byte is in RAM: the address, and the data.
const STORED: u64 = 2;

/// TXD at P0.06 and RXD at P1.08 of one port or the other, 1 Mbaud, and a reception of `most` bytes to `pointer`.
fn receiver(bench: &mut Bench, base: u32, pointer: u32, most: u32) {
    for (register, value) in
        [(0x514, 32 + 8), (0x524, 0x1000_0000), (ENABLE, 8), (0x534, pointer), (0x538, most), (0x00, 1)]
    {
        bench.write(base + register, value);
    }
}

/// The slave `number` of the first eight.
pub fn slave(number: u32) -> RamSlave {
    RamSlave { from: number * SLAVE, to: (number + 1) * SLAVE, ..RamSlave::default() }
}

/// Lets `cycles` pass in which the core has the slave `number`.
pub fn hold(bench: &mut Bench, number: u32, cycles: u64) {
    for _ in 0..cycles {
        bench.bus.memory.claim_ram(0, slave(number), bench.now, [true; 2]);
        bench.pass(1);
    }
}

/// The cycle at which `event` has come, from a copy that looks at each.
fn cycle_of(bench: &Bench, event: u32) -> u64 {
    let mut bench = bench.clone();
    while bench.read(event) == 0 {
        bench.pass(1);
    }
    bench.now
}

#[test]
fn a_byte_waits_for_the_core_in_its_slave_and_for_none_in_another() {
    for (number, waits) in [(2, 3), (1, 0), (3, 0)] {
        let mut bench = part();
        receiver(&mut bench, UARTE0, RAM + 2 * SLAVE + 5, 1);
        bench.stimulate(1, Stimulus::Uart { number: 0, bytes: b"x".to_vec() });
        let end = bench.now + 1 + FRAME;
        bench.pass(1 + FRAME);
        assert!(bench.bus.memory.ram.is_closed(), "the core's accesses are looked at");
        // The core has the slave in the three cycles from the one on in which the byte could go there.
        for cycle in end + 1..end + 4 {
            bench.bus.memory.claim_ram(0, slave(number), cycle, [true; 2]);
        }
        assert_eq!(cycle_of(&bench, UARTE0 + ENDRX), end + STORED + waits, "{number}");
        bench.pass(10);
        assert_eq!((bytes(&bench, RAM + 2 * SLAVE + 5, 1), bench.bus.memory.ram.is_closed()), (b"x".to_vec(), false));
    }
}

#[test]
fn a_byte_behind_a_read_that_is_given_up_asks_for_its_slave_then() {
    let mut bench = part();
    for (register, value) in [(0x50C, 6), (0x544, RAM + 8), (0x548, 3)] {
        bench.write(UARTE0 + register, value);
    }
    receiver(&mut bench, UARTE0, RAM, 1);
    bench.stimulate(1, Stimulus::Uart { number: 0, bytes: b"x".to_vec() });
    let end = bench.now + 1 + FRAME;
    bench.pass(FRAME - 2);
    bench.bus.memory.claim_ram(0, slave(0), bench.now, [true; 2]);
    bench.write(UARTE0 + 0x08, 1);
    hold(&mut bench, 0, 15);
    // STOPTX. The core has the slave for five cycles more.
    bench.write(UARTE0 + 0x0C, 1);
    hold(&mut bench, 0, 5);
    assert_eq!(bench.now, end + 17);
    assert_eq!(cycle_of(&bench, UARTE0 + ENDRX), bench.now + 1);
}

#[test]
fn of_two_masters_in_one_slave_the_higher_goes_first() {
    // Both ports hear the same byte at the same time; UARTE0 stands before UARTE1.
    for (other, late) in [(RAM + 8, 1), (RAM + SLAVE, 0)] {
        let mut bench = part();
        receiver(&mut bench, UARTE1, other, 1);
        receiver(&mut bench, UARTE0, RAM, 1);
        for number in [1, 0] {
            bench.stimulate(1, Stimulus::Uart { number, bytes: b"x".to_vec() });
        }
        let end = bench.now + 1 + FRAME;
        bench.pass(FRAME);
        let ends = [UARTE0, UARTE1].map(|base| cycle_of(&bench, base + ENDRX));
        assert_eq!(ends, [end + STORED, end + STORED + late]);
    }
}

#[test]
fn a_transmission_begins_with_its_first_byte_and_reads_each_next_one_meanwhile() {
    let mut bench = part();
    for (register, value) in [(0x50C, 6), (0x524, 0x1000_0000), (ENABLE, 8), (0x544, RAM), (0x548, 3)] {
        bench.write(UARTE0 + register, value);
    }
    fill(&mut bench, RAM, b"abc");
    bench.write(UARTE0 + 0x08, 1);
    let begun = bench.now;
    // 'b' has been read, 'c' has not.
    bench.pass(FRAME / 2);
    fill(&mut bench, RAM, b"xyz");
    bench.pass(3 * FRAME);
    assert_eq!(bench.uart(0), b"abz");
    assert_eq!(bench.read(UARTE0 + ENDTX), 1);
    // A slave that the core has all the time holds the first byte back.
    for cycle in bench.now..bench.now + 4 {
        bench.bus.memory.claim_ram(0, slave(0), cycle, [true; 2]);
    }
    bench.write(UARTE0 + ENDTX, 0);
    bench.write(UARTE0 + 0x08, 1);
    let started = bench.now;
    assert_eq!(cycle_of(&bench, UARTE0 + ENDTX), started + 4 + 1 + 3 * FRAME);
    assert!(begun < started && bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn a_read_of_spim3_that_is_put_off_names_its_erratum() {
    for (base, named) in [(SPIM0, false), (SPIM3, true)] {
        let mut bench = part();
        for (register, value) in [(0x508, 2), (0x50C, 3), (0x524, 0x8000_0000), (ENABLE, 7), (0x544, RAM), (0x548, 1)] {
            bench.write(base + register, value);
        }
        bench.bus.memory.claim_ram(0, slave(0), bench.now, [true; 2]);
        bench.write(base + 0x10, 1);
        bench.pass(100);
        let gaps = bench.gaps(GapKind::Setting);
        assert_eq!(gaps.iter().any(|gap| gap.contains("erratum 198")), named, "{gaps:?}");
    }
}

#[test]
fn results_of_conversions_go_to_ram_before_they_are_told_of() {
    let mut bench = part();
    for (register, value) in [(ENABLE, 1), (0x510, 9), (0x518, 0), (0x62C, RAM), (0x630, 1), (0x00, 1), (0x04, 1)] {
        bench.write(SAADC + register, value);
    }
    // TACQ of 3 us and the conversion.
    let end = bench.now + 5 * US;
    for cycle in end + 1..end + 4 {
        bench.bus.memory.claim_ram(0, slave(0), cycle, [true; 2]);
    }
    // DONE, END.
    assert_eq!([0x108, 0x104].map(|event| cycle_of(&bench, SAADC + event)), [end, end + STORED + 3]);
}

/// The place of the table of registers, and of the program.
const TABLE: u32 = 0x800;
const BODY: u32 = 0x400;
/// The handler of SysTick, BX LR.
const HANDLER: u32 = 0x200;

/// A program that writes `registers`, then repeats `body` with `base` in r0 and `base` + 0x40 in r4. Its stack ends with the slave
/// that begins at `base`.
fn machine(registers: &[(u32, u32)], base: u32, body: &[u16]) -> Machine {
    let mut words = vec![BODY | 1; 0x40];
    words[0] = base + SLAVE;
    words[15] = HANDLER | 1;
    let mut flash: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.resize(HANDLER as usize, 0xFF);
    flash.extend(bx(14).to_le_bytes());
    flash.resize(BODY as usize, 0xFF);
    // The literal, and CMP r0, #0 at the end of the table.
    let mut code: Vec<u16> = vec![ldr_literal(2, 4), ldm(2, 0b11), 0x2800, b_if(0, 2), str(1, 0, 0), b(-12)];
    code.extend([ldm(2, 0b1_0001), b(6), NOP, NOP, TABLE as u16, (TABLE >> 16) as u16]);
    code.extend(body);
    code.push(b(-2 * body.len() as i16 - 4));
    flash.extend(code.iter().flat_map(|halfword| halfword.to_le_bytes()));
    flash.resize(TABLE as usize, 0xFF);
    let pairs = registers.iter().flat_map(|(address, value)| [*address, *value]);
    // LDM takes r0 before r4.
    let table = pairs.chain([0, 0, base, base + 0x40]);
    flash.extend(table.flat_map(u32::to_le_bytes));
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    Machine::new(Part::find("nrf52840").unwrap(), settings, [(Address::new(0), &flash[..])]).unwrap()
}

/// SPIM0 as a controller at 8 MHz in mode 1, whose transfers of a byte each start the next.
fn chained(pointer: u32) -> Vec<(u32, u32)> {
    let registers = [
        (0x508, 2),
        (0x50C, 3),
        (0x510, 4),
        (0x554, 2),
        (0x524, 0x8000_0000),
        (ENABLE, 7),
        (0x534, pointer),
        (0x538, 1),
        (0x544, pointer + 1),
        (0x548, 1),
        (0x200, 1 << 17),
        (0x10, 1),
    ];
    registers.iter().map(|(register, value)| (SPIM0 + register, *value)).collect()
}

/// SysTick interrupts every `period` cycles.
fn ticks(period: u32) -> [(u32, u32); 3] {
    [(0xE000_E014, period - 1), (0xE000_E018, 0), (0xE000_E010, 7)]
}

/// The cycles at which frames begin, and those in which a load or store of `body`, or of an exception with a frame of `stacked` words,
/// has its data phase.
fn frames(mut machine: Machine, until: u64, stacked_words: u64) -> (Vec<u64>, BTreeSet<u64>) {
    machine.shared().signals.want(SignalKind::Pin);
    let (mut edges, mut loads, mut stacked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut note = |retire: Retire| {
        let offset = retire.pc.get() as usize;
        // The data phases are the last cycles, whether a load overlaps with the one before or not.
        if offset >= BODY as usize + 24 {
            loads.insert((offset, retire.at.get(), retire.at.get() + retire.cycles.get()));
        }
        // Exception entry takes 12 cycles, and 17 more with floating-point state. It writes eight words from its second one on, or 26 of
        // which the last one stays empty, and the return reads them.
        if offset == HANDLER as usize {
            let (from, to) = (retire.at.get() - 12 - (stacked_words - 8), retire.at.get() + retire.cycles.get());
            stacked.extend((from + 1..from + 1 + stacked_words).chain(to + 1..to + 1 + stacked_words));
        }
    };
    loop {
        let stop = machine.run_into(Cycles::new(until), &mut note);
        edges.extend(machine.shared().signals.drain().filter_map(|(at, signal)| match signal {
            Signal::Pin { pin, .. } if pin == Pin::numbered(0, 2) => Some(at.get()),
            _ => None,
        }));
        if stop == Stop::Horizon {
            break;
        }
    }
    let accesses = loads.into_iter().flat_map(|(offset, from, to)| accesses(&mut machine, offset, from..to));
    (edges.chunks(16).map(|frame| frame[0]).collect(), accesses.chain(stacked).collect())
}

/// LDM and STM of r1, r3 and r5 to r7 at r4, and SUBS r4, #20 behind them, for whose result the address of the next one waits.
const SEVERAL: [u16; 2] = [0xCCEA, 0xC4EA];
const BACK: u16 = 0x3C14;
/// LDRD and STRD of r1 and r3 at r0, VLDR and VSTR of d0 there.
const TWO: [[u16; 2]; 4] = [[0xE9D0, 0x1302], [0xE9C0, 0x1302], [0xED90, 0x0B02], [0xED80, 0x0B02]];
/// VLDM and VSTM of s0 to s4 at r4, which they move, VPUSH and VPOP of s0 to s4.
const SINGLES: [[u16; 2]; 4] = [[0xECB4, 0x0A05], [0xECA4, 0x0A05], [0xED2D, 0x0A05], [0xECBD, 0x0A05]];
/// MOV r2, pc; ADDS r2, #5; PUSH {r2}; POP {pc}: to what stands behind them.
const BRANCH: [u16; 4] = [0x467A, 0x3205, 0xB404, 0xBD00];

/// The cycles in which the instruction at `offset`, which takes the cycles `taken`, reads or writes RAM.
fn accesses(machine: &mut Machine, offset: usize, taken: Range<u64>) -> Range<u64> {
    let mut half =
        |offset: usize| machine.memory().read(offset as u32, cyclescope_machine::Width::Half).unwrap() as u16;
    let wide = [half(offset), half(offset + 2)];
    let Range { start, end } = taken;
    match wide[0] {
        _ if TWO.contains(&wide) => end - 2..end,
        _ if SINGLES.contains(&wide) => end - 5..end,
        code if SEVERAL.contains(&code) => end - 5..end,
        code if code == ldr(1, 0, 0) || code == ldr(1, 4, 0) || code == BRANCH[2] => end - 1..end,
        // The data is stored beside the next instruction.
        code if code == str(1, 0, 0) || code == str(1, 4, 0) => end..end + 1,
        // The pipeline is filled anew behind the load.
        code if code == BRANCH[3] => start + 1..start + 2,
        _ => end..end,
    }
}

/// The cycles for which the programs below run.
const UNTIL: u64 = 6_000;

/// The first frame that does not begin when it may, with the cycle at which it may: the byte of the frame before is stored and its own
/// is read, each in the first cycle in which the core, if it wants the `same` slave, makes none of its `accesses`.
fn of_free_cycles(begins: &[u64], accesses: &BTreeSet<u64>, same: bool) -> Option<(u64, u64)> {
    let free = |from: u64| (from..).find(|cycle| !same || !accesses.contains(cycle)).unwrap();
    let pairs = begins.windows(2).take_while(|pair| pair[0] + 64 + 40 <= UNTIL);
    let mut frames = pairs.map(|pair| {
        let stored = free(pair[0] + 64 + 1) + 1;
        (pair[1], free(stored + 1) + 1)
    });
    frames.find(|(begun, free)| begun != free)
}

/// Loads and stores, and instructions that leave the RAM alone.
fn bodies() -> impl Strategy<Value = Vec<Vec<u16>>> {
    let two = proptest::sample::select(TWO.as_slice()).prop_map(|two| two.to_vec());
    let instruction = prop_oneof![
        3 => Just(vec![ldr(1, 0, 0)]),
        1 => Just(vec![SEVERAL[0], BACK]),
        1 => Just(vec![SEVERAL[1], BACK]),
        // No store overlaps with a load.
        1 => Just(vec![adds(3, 1), str(1, 0, 0)]),
        1 => Just(vec![adds(4, 4), ldr(1, 4, 0), subs(4, 4)]),
        1 => Just(vec![adds(4, 4), str(1, 4, 0), subs(4, 4)]),
        2 => two,
        1 => Just([SINGLES[0].as_slice(), &[BACK]].concat()),
        1 => Just([SINGLES[1].as_slice(), &[BACK]].concat()),
        1 => Just([SINGLES[2], SINGLES[3]].concat()),
        1 => Just(BRANCH.to_vec()),
        2 => Just(vec![NOP]),
        1 => Just(vec![adds(3, 1)]),
    ];
    proptest::collection::vec(instruction, 1..16)
}

/// Each of them by itself.
fn kinds() -> Vec<Vec<u16>> {
    let mut kinds: Vec<Vec<u16>> = TWO.iter().map(|two| two.to_vec()).collect();
    kinds.extend(SEVERAL.map(|code| vec![code, BACK]));
    kinds.extend([SINGLES[0], SINGLES[1]].map(|code| [&code[..], &[BACK]].concat()));
    kinds.push([SINGLES[2], SINGLES[3]].concat());
    kinds.extend([ldr(1, 4, 0), str(1, 4, 0)].map(|code| vec![adds(4, 4), code, subs(4, 4)]));
    kinds.push(BRANCH.to_vec());
    kinds
}

#[test]
fn each_kind_of_access_goes_before_easydma_in_any_of_its_cycles() {
    let pointer = RAM + 3 * SLAVE + 0x100;
    let registers = [&WITH_FLOATS[..], &chained(pointer)].concat();
    let mut wrong = Vec::new();
    for kind in kinds() {
        // Loops of various lengths, so that frames begin in all cycles of one.
        for (turns, idle) in [(2, 0), (2, 1), (2, 2), (1, 3), (1, 4), (1, 5)] {
            let body = [kind.repeat(turns), vec![adds(3, 1); idle]].concat();
            let (begins, accesses) = frames(machine(&registers, RAM + 3 * SLAVE, &body), UNTIL, 8);
            assert!(begins.len() > 20, "{begins:?}");
            if let Some(found) = of_free_cycles(&begins, &accesses, true) {
                wrong.push((kind.clone(), idle, found));
            }
        }
    }
    assert_eq!(wrong, []);
}

/// Registers that turn the floating-point unit on, with frames that are written at once.
const WITH_FLOATS: [(u32, u32); 2] = [(0xE000_ED88, 0xF << 20), (0xE000_EF34, 1 << 31)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same with interrupts, in the way of which nothing comes that they cut short.
    #[test]
    fn easydma_has_the_cycles_that_exceptions_leave(body in bodies(), same: bool, floats: bool, period in 120u32..250) {
        let is_cut = |piece: &Vec<u16>| piece.iter().any(|code| *code == BACK || *code == BRANCH[3] || *code == SINGLES[2][0]);
        let is_float = |piece: &Vec<u16>| piece[0] >> 8 == 0xED;
        let mut body = body;
        body.retain(|piece| !is_cut(piece) && (floats || !is_float(piece)));
        let mut registers = Vec::new();
        if floats {
            registers.extend(WITH_FLOATS);
            body.push(TWO[2].to_vec());
        }
        let pointer = RAM + 3 * SLAVE + 0x100;
        let base = if same { RAM + 3 * SLAVE } else { RAM + 4 * SLAVE };
        registers.extend(chained(pointer));
        registers.extend(ticks(period));
        let stacked = if floats { 25 } else { 8 };
        let (begins, accesses) = frames(machine(&registers, base, &body.concat()), UNTIL, stacked);
        prop_assert!(begins.len() > 20, "{:?}", begins);
        // The first exceptions may find no floating-point state.
        let begins: Vec<u64> = begins.into_iter().skip_while(|begun| *begun < 1_500).collect();
        prop_assert_eq!(of_free_cycles(&begins, &accesses, same), None);
    }

    /// Of a transfer that starts the next, the byte that came in is stored and the first one to go out is read: each in the first cycle
    /// in which the core does not want the slave. The core's own time is the same wherever it loads from.
    #[test]
    fn easydma_has_the_cycles_that_the_core_leaves(body in bodies(), same: bool) {
        let body = body.concat();
        let pointer = RAM + 3 * SLAVE + 0x100;
        let base = if same { RAM + 3 * SLAVE } else { RAM + 4 * SLAVE };
        let with_transfers = [&WITH_FLOATS[..], &chained(pointer)].concat();
        let (begins, loads) = frames(machine(&with_transfers, base, &body), UNTIL, 8);
        let (_, alone) = frames(machine(&WITH_FLOATS, base, &body), UNTIL, 8);
        prop_assert!(begins.len() > 20, "{begins:?}");
        prop_assert_eq!(of_free_cycles(&begins, &loads, same), None);
        // The core waits for nobody: its loads come as often as without transfers.
        let distances = |loads: &BTreeSet<u64>| -> Vec<u64> {
            let loads: Vec<u64> = loads.iter().copied().collect();
            loads.windows(2).skip(8).take(200).map(|pair| pair[1] - pair[0]).collect()
        };
        let count = distances(&loads).len().min(distances(&alone).len());
        prop_assert_eq!(&distances(&loads)[..count], &distances(&alone)[..count]);
    }
}

/// Transfers that compete: a port that sends to another, and SPI.
#[derive(Clone, Debug)]
struct Case {
    count: u32,
    places: [u32; 4],
    rates: [u32; 2],
    spi: u32,
    base: u32,
    body: Vec<u16>,
    cuts: Vec<u64>,
}

fn cases() -> impl Strategy<Value = Case> {
    // Any slave, and not at its begin: places of their own, which may share a slave.
    let place = || (0u32..4, 0u32..64);
    let places = [place(), place(), place(), place()].prop_map(|places| {
        let mut number = 0;
        places.map(|(slave, offset)| {
            number += 1;
            RAM + 0x100 + slave * SLAVE + 0x400 * number + offset
        })
    });
    let instruction = prop_oneof![
        3 => Just(ldr(1, 0, 0)),
        2 => Just(str(3, 0, 1)),
        1 => Just(ldm(4, 0b1010)),
        1 => Just(0x3C08u16),
        2 => Just(NOP),
        1 => Just(adds(3, 1)),
    ];
    // Two registers are taken by LDM, and r4 goes back: SUBS r4, #8 follows each.
    let body = proptest::collection::vec(instruction, 1..16).prop_map(|body| {
        let mut code = Vec::new();
        for halfword in body.into_iter().filter(|halfword| *halfword != 0x3C08) {
            code.push(halfword);
            if halfword == ldm(4, 0b1010) {
                code.push(0x3C08);
            }
        }
        if code.is_empty() { vec![NOP] } else { code }
    });
    let rate = || prop_oneof![Just(0x1000_0000u32), Just(0x0400_0000)];
    let spi = prop_oneof![Just(SPIM0), Just(SPIM3)];
    let cuts = proptest::collection::vec(1u64..200, 20..200);
    (1u32..40, places, [rate(), rate()], spi, 0u32..4, body, cuts).prop_map(
        |(count, places, [rate, _], spi, slave, body, cuts)| Case {
            count,
            places,
            rates: [rate; 2],
            spi,
            base: RAM + slave * SLAVE,
            body,
            cuts,
        },
    )
}

impl Case {
    fn machine(&self) -> Machine {
        let [from, to, spi_from, spi_to] = self.places;
        let mut registers = Vec::new();
        for (base, psel, pin, pointer, place) in [(UARTE1, 0x514, 32 + 8, 0x534, to), (UARTE0, 0x50C, 6, 0x544, from)] {
            let rate = self.rates[usize::from(base == UARTE0)];
            for (register, value) in
                [(psel, pin), (0x524, rate), (ENABLE, 8), (pointer, place), (pointer + 4, self.count)]
            {
                registers.push((base + register, value));
            }
        }
        registers.extend([(UARTE1, 1), (UARTE0 + 0x08, 1)]);
        for (register, value) in [
            (0x508, 2),
            (0x50C, 3),
            (0x510, 4),
            (0x524, 0x8000_0000),
            (ENABLE, 7),
            (0x534, spi_to),
            (0x538, self.count),
            (0x544, spi_from),
            (0x548, self.count),
            (0x10, 1),
        ] {
            registers.push((self.spi + register, value));
        }
        let mut machine = machine(&registers, self.base, &self.body);
        let wires = ["loopback:name=serial@a=P0.06,b=P1.08", "loopback:name=spi@a=P0.03,b=P0.04"];
        let wires = wires.map(|text| cyclescope_attached::attach(text).unwrap());
        machine.attach(wires.into()).unwrap();
        for (place, seed) in [(from, 7u32), (spi_from, 91)] {
            let bytes: Vec<u8> = (0..self.count).map(|index| (index * 37 + seed) as u8).collect();
            assert!(machine.memory().load(Address::new(place), &bytes));
        }
        machine
    }
}

/// All that can be told of a machine.
fn state(machine: &mut Machine) -> impl PartialEq + std::fmt::Debug + use<> {
    let ram: Vec<u8> = machine.memory().ram.bytes().to_vec();
    let registers: Vec<Option<u32>> =
        ["r0", "r1", "r3", "r4", "pc", "xpsr"].iter().map(|name| machine.register(name)).collect();
    (machine.now(), machine.instructions(), registers, machine.gaps().len(), ram)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bytes_arrive_and_no_cut_or_restore_changes_a_cycle(case in cases()) {
        let mut whole = case.machine();
        let mut cut = case.machine();
        let mut other = case.machine();
        let (mut at, mut number) = (0, 0);
        for step in &case.cuts {
            at += step;
            number += 1;
            cut.run(Cycles::new(at));
            match number % 5 {
                0 => cut = cut.clone(),
                1 => {
                    other.restore(&cut);
                    std::mem::swap(&mut cut, &mut other);
                }
                _ => {}
            }
            if number % 16 == 0 {
                whole.run(Cycles::new(at));
                prop_assert_eq!(state(&mut whole), state(&mut cut), "at {}", at);
            }
        }
        // The slowest frame of a byte takes 40 us.
        let end = Cycles::new(at + u64::from(case.count + 2) * 40 * US);
        for machine in [&mut whole, &mut cut] {
            machine.run(end);
        }
        prop_assert_eq!(state(&mut whole), state(&mut cut));
        let [from, to, spi_from, spi_to] = case.places;
        let mut read = |place: u32| -> Vec<Option<u32>> {
            (0..case.count).map(|index| whole.memory().read(place + index, cyclescope_machine::Width::Byte)).collect()
        };
        prop_assert_eq!(read(from), read(to));
        prop_assert_eq!(read(spi_from), read(spi_to));
    }
}
