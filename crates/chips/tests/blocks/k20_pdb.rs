//! MK20DX256: the delay block and the conversions that it triggers (K20P64M72SF1RM, "Programmable Delay Block (PDB)").

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Pin, Voltage};

use crate::bench::Bench;
use crate::k20_clocks::byte;
use crate::k20_dma::{self, Tcd, get};

const PDB: u32 = 0x4003_6000;
const SC: u32 = PDB;
const MOD: u32 = PDB + 0x04;
const CNT: u32 = PDB + 0x08;
const IDLY: u32 = PDB + 0x0C;
const C1: u32 = PDB + 0x10;
const S: u32 = PDB + 0x14;
const DLY0: u32 = PDB + 0x18;
const DLY1: u32 = PDB + 0x1C;
const PIT: u32 = 0x4003_7000;
const ADC0: u32 = 0x4003_B000;
const SC1B: u32 = ADC0 + 0x04;
const CFG1: u32 = ADC0 + 0x08;
const RA: u32 = ADC0 + 0x10;
const RB: u32 = ADC0 + 0x14;
const SC2: u32 = ADC0 + 0x20;
const RAM: u32 = 0x2000_0000;
const ADC_LINE: usize = 57;
const LINE: usize = 72;
/// Core cycles in one of the bus clock.
const BUS: u64 = 2;
/// Periods of the bus clock of a conversion with 12 bits.
const CONVERSION: u64 = 5 + 5 + 20;

const LDOK: u32 = 1;
const CONT: u32 = 1 << 1;
const PDBIE: u32 = 1 << 5;
const PDBIF: u32 = 1 << 6;
const PDBEN: u32 = 1 << 7;
const SOFTWARE: u32 = 15 << 8;
const DMAEN: u32 = 1 << 15;
const SWTRIG: u32 = 1 << 16;
const PDBEIE: u32 = 1 << 17;

/// ADC0 by hardware with interrupts: PTC0 as SC1A says, PTB2 as SC1B.
fn bench() -> Bench {
    let mut bench = k20_dma::bench();
    for (port, number, voltage) in [(2, 0, 1_650_000), (1, 2, 825_000)] {
        let voltage = Some(Voltage::Constant(voltage));
        bench.stimulate(0, Stimulus::Voltage { pin: Pin { port, number }, voltage });
    }
    bench.pass(1);
    bench.write(CFG1, 0x04);
    bench.write(SC2, 1 << 6);
    bench.write(ADC0, 1 << 6 | 14);
    bench.write(SC1B, 1 << 6 | 12);
    bench
}

/// The pre-triggers after `delays` within `limit`; `c1` is BB, TOS and EN.
fn set(bench: &mut Bench, sc: u32, limit: u32, c1: u32, delays: [u32; 2]) {
    bench.write(MOD, limit);
    bench.write(DLY0, delays[0]);
    bench.write(DLY1, delays[1]);
    bench.write(C1, c1);
    bench.write(SC, sc | PDBEN | LDOK | SOFTWARE);
    assert_eq!(bench.read(SC) & LDOK, 0, "loaded at once");
}

/// Waits for a conversion; the cycles since `begun`, and both results.
fn converted(bench: &mut Bench, begun: u64, from: u32) -> (u64, u32) {
    let at = bench.until_line(ADC_LINE, 100_000).expect("a conversion ends");
    (at - begun, bench.read(from))
}

#[test]
fn pretriggers_convert_after_their_delays() {
    // Prescaler 2 to the n, times MULT.
    for (prescaler, multiplier, tick) in [(0, 0, 1), (3, 0, 8), (1, 1, 20), (0, 3, 40)] {
        let mut bench = bench();
        let sc = prescaler << 12 | multiplier << 2;
        set(&mut bench, sc, 1000, 0x0303, [100, 500]);
        let begun = bench.now;
        bench.write(SC, sc | PDBEN | SOFTWARE | SWTRIG);
        assert_eq!(bench.read(SC) & SWTRIG, 0);
        assert_eq!(converted(&mut bench, begun, RA), (BUS * (100 * tick + 1 + CONVERSION), 2048), "{tick}");
        assert_eq!(bench.read(CNT) as u64, 100 + (1 + CONVERSION) / tick);
        assert_eq!(converted(&mut bench, begun, RB), (BUS * (500 * tick + 1 + CONVERSION), 1024), "{tick}");
        assert_eq!(bench.read(S), 3 << 16, "CF");
        bench.write(S, 0);
        assert_eq!(bench.read(S), 0);
        // Once: the counter stands behind MOD.
        bench.pass(BUS * tick * 2_000);
        assert_eq!((bench.read(CNT), bench.until_line(ADC_LINE, 100_000)), (0, None));
        assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
        assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
    }
}

#[test]
fn a_trigger_is_passed_on_and_conversions_follow_each_other() {
    // The first pre-trigger at once, the second behind the first's conversion.
    let mut bench = bench();
    set(&mut bench, 0, 1000, 1 << 17 | 3, [700, 800]);
    let begun = bench.now;
    bench.write(SC, PDBEN | SOFTWARE | SWTRIG);
    assert_eq!(converted(&mut bench, begun, RA), (BUS * (1 + CONVERSION), 2048));
    assert_eq!(converted(&mut bench, begun, RB), (BUS * (1 + CONVERSION + 2 + CONVERSION), 1024));
    assert_eq!(bench.read(S), 0);
}

#[test]
fn a_pretrigger_within_a_conversion_is_an_error() {
    let mut bench = bench();
    set(&mut bench, PDBEIE, 1000, 0x0303, [100, 110]);
    bench.write(SC, PDBEN | SOFTWARE | PDBEIE | SWTRIG);
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + BUS * 111));
    assert_eq!(bench.read(S), 3 << 16 | 2);
    bench.write(S, 0);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!(converted(&mut bench, begun, RA), (BUS * (101 + CONVERSION), 2048));
    assert_eq!(bench.until_line(ADC_LINE, 100_000), None);
}

#[test]
fn the_counter_goes_on_and_takes_new_values_when_it_is_told() {
    let mut bench = bench();
    bench.write(IDLY, 30);
    set(&mut bench, CONT | PDBIE, 99, 0, [0, 0]);
    let wait = |bench: &mut Bench| {
        let at = bench.until_line(LINE, 100_000).expect("it interrupts");
        bench.write(SC, CONT | PDBIE | PDBEN | SOFTWARE | 1 << 18);
        assert_eq!(bench.read(SC) & PDBIF, 0);
        at
    };
    // LDMOD 1: at MOD.
    let begun = bench.now;
    bench.write(SC, CONT | PDBIE | PDBEN | SOFTWARE | 1 << 18 | SWTRIG);
    assert_eq!([0; 3].map(|_: u32| wait(&mut bench) - begun), [30, 130, 230].map(|count| count * BUS));
    bench.write(MOD, 49);
    assert_eq!(wait(&mut bench) - begun, 330 * BUS, "not told to");
    bench.write(SC, CONT | PDBIE | PDBEN | SOFTWARE | 1 << 18 | LDOK);
    assert_eq!(bench.read(SC) & LDOK, LDOK);
    assert_eq!([0; 3].map(|_: u32| wait(&mut bench) - begun), [430, 480, 530].map(|count| count * BUS));
    assert_eq!(bench.read(SC) & LDOK, 0);
}

#[test]
fn timers_trigger_it_and_the_dma_takes_results() {
    let mut bench = bench();
    // PIT's third timer each 1000 periods of the bus clock.
    bench.write(PIT, 0);
    bench.write(PIT + 0x120, 999);
    bench.write(MOD, 500);
    bench.write(C1, 0x0101);
    bench.write(DLY0, 10);
    bench.write(IDLY, 20);
    let sc = PDBEN | 6 << 8 | DMAEN | PDBIE;
    bench.write(SC, sc | LDOK);
    bench.write(SC2, 1 << 6 | 1 << 2);
    bench.write(ADC0, 14);
    let tcd = Tcd {
        source: RA,
        source_offset: 0,
        form: 0x0101,
        bytes: 2,
        source_last: 0,
        destination: RAM,
        destination_offset: 2,
        count: 3,
        destination_last: 0,
        control: 1 << 3 | 1 << 1,
    };
    tcd.set(&mut bench, 0);
    // The delay block's own request counts in words of its counter.
    Tcd { source: CNT, form: 0x0202, bytes: 4, destination: RAM + 64, destination_offset: 4, ..tcd }.set(&mut bench, 1);
    byte(&mut bench, k20_dma::MUX, 0x80 | 40);
    byte(&mut bench, k20_dma::MUX + 1, 0x80 | 48);
    bench.write(k20_dma::ERQ, 3);
    let begun = bench.now;
    bench.write(PIT + 0x128, 1);
    let end = bench.until_line(0, 100_000).expect("the DMA ends");
    let conversion = BUS * (3 * 1000 + 10 + 1 + CONVERSION);
    // A request, a read over the bridge, a write and the end.
    assert!((conversion + 11..conversion + 18).contains(&(end - begun)), "{} {conversion}", end - begun);
    assert_eq!(get(&mut bench, RAM, 6), [0, 8, 0, 8, 0, 8]);
    let counts: Vec<u8> = get(&mut bench, RAM + 64, 12).into_iter().step_by(4).collect();
    assert!(counts.iter().all(|count| (23..28).contains(count)), "{counts:?}");
    assert_eq!(bench.until_line(LINE, 10_000), None, "a request, no interrupt");
}

#[test]
fn what_no_other_block_hears_is_said_in_words() {
    let mut bench = bench();
    for _ in 0..2 {
        for (offset, value) in [(0x150, 1), (0x154, 100), (0x190, 3), (0x194, 5 << 16 | 1)] {
            bench.write(PDB + offset, value);
            assert_eq!(bench.read(PDB + offset), value);
            bench.write(PDB + offset, 0);
        }
    }
    let said = [
        "PDB0_DACINTC.TOE: the DAC is not modelled, and gets no interval triggers",
        "PDB0_POEN: the comparators are not modelled, and get no pulses",
    ];
    assert_eq!(bench.gaps(GapKind::Setting), said);
}
