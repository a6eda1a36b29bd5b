//! The CORDIC co-processor (RM0440, "CORDIC co-processor (CORDIC)") against the host's own functions.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::GapKind;
use cyclescope_machine::units::{Address, Cycles};

use crate::alone::Alone;
use crate::bench::Bench;

const CSR: u32 = 0x00;
const WDATA: u32 = 0x04;
const RDATA: u32 = 0x08;

const IEN: u32 = 1 << 16;
const NRES: u32 = 1 << 19;
const NARGS: u32 = 1 << 20;
const NARROW: u32 = 3 << 21;
const RRDY: u32 = 1 << 31;

fn new() -> Alone {
    Alone::new("stm32g431kb", "CORDIC", 16_000_000, |_, tree| tree)
}

fn q31(value: f64) -> u32 {
    (value * 2f64.powi(31)).round().clamp(-2_147_483_648.0, 2_147_483_647.0) as i32 as u32
}

fn real(value: u32) -> f64 {
    f64::from(value as i32) / 2f64.powi(31)
}

/// The results of the function `csr` of `arguments`.
fn calculate(cordic: &mut Alone, csr: u32, arguments: [f64; 2]) -> [f64; 2] {
    cordic.write(CSR, csr | NRES | NARGS);
    arguments.into_iter().for_each(|argument| cordic.write(WDATA, q31(argument)));
    [RDATA; 2].map(|offset| real(cordic.read(offset)))
}

/// The residual errors of 1 to 6 cycles (RM0440, "Precision vs. number of iterations"), as powers of two.
const CIRCULAR: [i32; 6] = [-3, -7, -11, -15, -18, -19];
const HYPERBOLIC: [i32; 6] = [-2, -6, -10, -14, -18, -18];
const ROOT: [i32; 3] = [-7, -14, -18];

/// Checks the function at many arguments of `range`, with each precision.
fn check(
    (function, scale): (u32, u32),
    range: (f64, f64),
    second: f64,
    errors: &[i32],
    expected: impl Fn(f64, f64) -> [Option<f64>; 2],
) {
    let mut cordic = new();
    for (precision, error) in (1..).zip(errors) {
        let mut worst = 0f64;
        for step in 0..=400 {
            let first = range.0 + (range.1 - range.0) * f64::from(step) / 400.0;
            let results = calculate(&mut cordic, function | precision << 4 | scale << 8, [first, second]);
            for (result, expected) in results.into_iter().zip(expected(first, second)) {
                let off = expected.map_or(0.0, |expected| (result - expected).abs());
                assert!(off <= 2f64.powi(*error), "{function} of {first}, {second} at {precision}: {result}, {off}");
                worst = worst.max(off);
            }
        }
        // The iterations that are left out are missing; a scale makes their part smaller.
        assert!(precision > 4 || scale > 2 || worst > 2f64.powi(*error - 7), "{function} at {precision}: {worst}");
    }
    assert!(cordic.gaps(GapKind::Setting).is_empty(), "{function}: {:?}", cordic.gaps(GapKind::Setting));
}

#[test]
fn circular_functions_are_as_near_as_the_manual_says() {
    use std::f64::consts::PI;
    for modulus in [0.999, 0.5] {
        check((0, 0), (-1.0, 0.999), modulus, &CIRCULAR, |x, m| [Some(m * (PI * x).cos()), Some(m * (PI * x).sin())]);
        check((1, 0), (-1.0, 0.999), modulus, &CIRCULAR, |x, m| [Some(m * (PI * x).sin()), Some(m * (PI * x).cos())]);
    }
    for y in [0.6, -0.6] {
        check((2, 0), (-0.7, 0.7), y, &CIRCULAR, |x, y| [Some(y.atan2(x) / PI), Some(x.hypot(y))]);
        check((3, 0), (-0.7, 0.7), y, &CIRCULAR, |x, y| [Some(x.hypot(y)), Some(y.atan2(x) / PI)]);
    }
    for scale in [0, 3, 7] {
        let times = f64::from(1 << scale);
        check((4, scale), (-1.0, 0.999), 0.0, &CIRCULAR, |x, _| [Some((x * times).atan() / PI / times), None]);
    }
}

#[test]
fn hyperbolic_functions_are_as_near_as_the_manual_says() {
    let both = |x: f64| [Some((2.0 * x).cosh() / 2.0), Some((2.0 * x).sinh() / 2.0)];
    check((5, 1), (-0.558, 0.558), 0.0, &HYPERBOLIC, |x, _| both(x));
    check((6, 1), (-0.558, 0.558), 0.0, &HYPERBOLIC, |x, _| [both(x)[1], both(x)[0]]);
    check((7, 1), (-0.402, 0.402), 0.0, &HYPERBOLIC, |x, _| [Some((2.0 * x).atanh() / 2.0), None]);
    for (scale, range) in [(1, (0.0545, 0.499)), (2, (0.25, 0.749)), (3, (0.375, 0.874)), (4, (0.4375, 0.583))] {
        let times = f64::from(1 << scale);
        check((8, scale), range, 0.0, &HYPERBOLIC, |x, _| [Some((x * times).ln() / 2.0 / times), None]);
    }
    for (scale, range) in [(0, (0.027, 0.749)), (1, (0.375, 0.874)), (2, (0.4375, 0.584))] {
        let times = f64::from(1 << scale);
        check((9, scale), range, 0.0, &ROOT, |x, _| [Some((x * times).sqrt() / times), None]);
    }
}

#[test]
fn a_result_is_ready_after_as_many_cycles_as_the_precision_has() {
    let mut cordic = new();
    assert_eq!(cordic.read(CSR), 0x50);
    for precision in [1, 5, 6] {
        cordic.write(CSR, 1 | precision << 4 | IEN);
        cordic.write(WDATA, q31(0.25));
        let begun = cordic.now;
        assert_eq!(cordic.until(CSR, RRDY, RRDY, 20), Some(begun + u64::from(precision)));
        assert!(cordic.line("GLOBAL"));
        // The second argument is 1 until it is written.
        assert!((real(cordic.read(RDATA)) - 0.5f64.sqrt()).abs() < 0.25);
        assert!(!cordic.line("GLOBAL") && cordic.read(CSR) & RRDY == 0);
    }
    // Arguments that come early wait until the result before them has been read.
    cordic.write(CSR, 0x61);
    cordic.write(WDATA, q31(0.0));
    cordic.write(WDATA, q31(0.5));
    cordic.pass(20);
    assert!(real(cordic.read(RDATA)).abs() < 1e-4);
    let begun = cordic.now;
    assert_eq!(cordic.until(CSR, RRDY, RRDY, 20), Some(begun + 6));
    assert!((real(cordic.read(RDATA)) - 1.0).abs() < 1e-4);
    assert!(cordic.gaps(GapKind::Setting).is_empty());
}

#[test]
fn narrow_arguments_and_results_share_a_word() {
    let mut cordic = new();
    cordic.write(CSR, 0x60 | NARROW);
    // The angle pi / 3, the modulus 0.5.
    cordic.write(WDATA, 0x4000_0000 | 0x2AAB);
    let word = cordic.read(RDATA);
    let [cosine, sine] = [word as i16, (word >> 16) as i16].map(|half| f64::from(half) / 32_768.0);
    assert!((cosine - 0.25).abs() < 1e-4 && (sine - 0.433_01).abs() < 1e-4, "{cosine} {sine}");
}

#[test]
fn arguments_out_of_range_are_named() {
    for (csr, argument) in [(0x66, 0.1), (0x165, 0.6), (0x168, 0.05), (0x69, 0.02)] {
        let mut cordic = new();
        cordic.write(CSR, csr);
        cordic.write(WDATA, q31(argument));
        assert_eq!(cordic.gaps(GapKind::Setting).len(), 1, "{csr:#x}");
    }
    let mut cordic = new();
    cordic.write(CSR, 0x5A);
    cordic.write(WDATA, 1);
    assert_eq!(cordic.gaps(GapKind::Setting), ["CORDIC_CSR.FUNC=10 is reserved"]);
}

#[test]
fn the_dma_feeds_it_and_takes_its_results() {
    const RCC: u32 = 0x4002_1000;
    const DMA1: u32 = 0x4002_0000;
    const DMAMUX: u32 = 0x4002_0800;
    const CORDIC: u32 = 0x4002_0C00;
    let mut bench = Bench::of("stm32g431kb", MemorySetting::Equal);
    // CORDICEN, DMAMUX1EN, DMA1EN.
    bench.write(RCC + 0x48, 1 << 3 | 1 << 2 | 1);
    for index in 0..8 {
        bench.write(0x2000_0000 + 4 * index, q31(f64::from(index) / 16.0));
    }
    // Channel 1 writes, channel 2 reads: words, memory counted up.
    bench.write(DMAMUX, 113);
    bench.write(DMAMUX + 4, 112);
    for (channel, place, bits) in [(0, WDATA, 1 << 4), (1, RDATA, 0)] {
        let at = DMA1 + 8 + 20 * channel;
        bench.write(at + 4, 8);
        bench.write(at + 8, CORDIC + place);
        bench.write(at + 12, 0x2000_0000 + 0x100 * channel);
        bench.write(at, 2 << 10 | 2 << 8 | 1 << 7 | bits | 1);
    }
    bench.write(CORDIC + CSR, 0x61 | 1 << 17 | 1 << 18);
    bench.pass(1_000);
    for index in 0..8 {
        let result = real(bench.read(0x2000_0100 + 4 * index));
        assert!((result - (std::f64::consts::PI * f64::from(index) / 16.0).sin()).abs() < 1e-5, "{index}: {result}");
    }
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

/// Enables the clock, writes CSR and an argument, and reads the result at once into r3, then branches to itself.
fn program(precision: u32) -> Vec<u8> {
    let code: [u16; 12] = [
        0x4805, 0x2108, 0x6001, // ldr r0, AHB1ENR; movs r1, #8; str r1, [r0]
        0x4805, 0x4905, 0x6001, // ldr r0, CORDIC; ldr r1, CSR; str r1, [r0]
        0x4A05, 0x6042, 0x6883, // ldr r2, argument; str r2, [r0, #4]; ldr r3, [r0, #8]
        0xE7FE, 0xBF00, 0xBF00, // b .
    ];
    let mut bytes: Vec<u8> = [0x2000_1000u32, 0x0800_0009].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    let literals = [0x4002_1048u32, 0x4002_0C00, 1 | precision << 4, 0x2000_0000];
    bytes.extend(literals.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

#[test]
fn the_core_waits_for_a_result_that_it_reads_at_once() {
    let time = |precision: u32| {
        let part = Part::find("stm32g431kb").unwrap();
        let image = program(precision);
        let segments = [(Address::new(0x0800_0000), image.as_slice())];
        let mut machine = Machine::new(part, Settings::default(), segments).unwrap();
        // A run that is cut ends with the instruction under way.
        (1..200).find(|cycle| {
            machine.run(Cycles::new(*cycle));
            machine.cortex_m().unwrap().cpu().r[3] != 0
        });
        let result = real(machine.cortex_m().unwrap().cpu().r[3]);
        assert!((result - 0.5f64.sqrt()).abs() < 0.1, "{result}");
        machine.now().get()
    };
    assert_eq!((time(6) - time(4), time(5) - time(4)), (2, 1));
}
