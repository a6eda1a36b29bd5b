//! Any configuration: the ring holds the sequence, every conversion is seen at its time, and every EOC is one.

use cyclescope_chips::MemorySetting;

use super::*;

/// A part's first converter: its address, the sampling times in half periods and the half periods behind them, the periods
/// of ADCCLK from its start, the cycles of half a period, CR2 without and with the start, and the channel of the DMA.
struct Kind {
    part: &'static str,
    adc: u32,
    sampling: [u64; 8],
    hold: u64,
    on: u32,
    start: u32,
    clocks: &'static [(u32, u32)],
}

const KINDS: [Kind; 2] = [
    Kind {
        part: "stm32f103c8",
        adc: 0x4001_2400,
        sampling: [3, 15, 27, 57, 83, 111, 143, 479],
        hold: 25,
        on: 1 | 15 << 17,
        start: 1 << 22,
        clocks: &[(0x4002_1014, u32::MAX), (0x4002_1018, u32::MAX)],
    },
    Kind {
        part: "stm32f446ze",
        adc: 0x4001_2000,
        sampling: [6, 30, 56, 112, 168, 224, 288, 960],
        hold: 24,
        on: 1 | 1 << 9,
        start: 1 << 30,
        clocks: &[(0x4002_3830, u32::MAX), (0x4002_3844, u32::MAX)],
    },
];

fn stream(bench: &mut Bench, kind: &Kind, count: u32) {
    if kind.adc == 0x4001_2400 {
        let channel = 0x4002_0008;
        bench.write(channel + 8, kind.adc + DR);
        bench.write(channel + 12, RAM);
        bench.write(channel + 4, count);
        bench.write(channel, 1 << 10 | 1 << 8 | 1 << 7 | 1 << 5 | 1);
    } else {
        let stream = 0x4002_6410;
        bench.write(stream + 8, kind.adc + DR);
        bench.write(stream + 12, RAM);
        bench.write(stream + 4, count);
        bench.write(stream, 1 << 11 | 1 << 13 | 1 << 10 | 1 << 8 | 1);
    }
}

#[test]
fn a_ring_of_the_dma_gets_exactly_the_sequence() {
    for (kind, seed) in KINDS.iter().flat_map(|kind| (1..=60u64).map(move |seed| (kind, seed))) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = Bench::of(kind.part, MemorySetting::Equal);
        for (register, value) in kind.clocks {
            bench.write(*register, *value);
        }
        steps(&mut bench);
        watch(&mut bench);
        let ranks = 1 + random.of(16) as usize;
        let channels: Vec<u32> = (0..ranks).map(|_| random.of(8) as u32).collect();
        let sampling: Vec<u32> = (0..8).map(|_| random.of(8) as u32).collect();
        for (register, ranks) in [SQR3, SQR3 - 4, SQR1].into_iter().zip(channels.chunks(6)) {
            let word = ranks.iter().zip(0..).fold(0, |word, (channel, place)| word | channel << (5 * place));
            bench.write(kind.adc + register, word);
        }
        let top = bench.read(kind.adc + SQR1);
        bench.write(kind.adc + SQR1, top | (ranks as u32 - 1) << 20);
        let smpr = sampling.iter().zip(0..).fold(0, |word, (smp, channel)| word | smp << (3 * channel));
        bench.write(kind.adc + SMPR2, smpr);
        bench.write(kind.adc + CR1, 1 << 8);
        let length = 2 * (1 + random.of(30) as u32);
        stream(&mut bench, kind, length);
        let continuous = random.of(2) == 0;
        let cr2 = kind.on | 1 << 8 | u32::from(continuous) << 1;
        bench.write(kind.adc + CR2, cr2);
        bench.pass(100);
        bench.write(kind.adc + CR2, cr2 | kind.start);
        // Half a period of ADCCLK is a cycle on both parts.
        let mut at = bench.now + 4;
        let total = if continuous { 40 } else { ranks };
        let mut expected = Vec::new();
        for count in 0..total {
            let channel = channels[count % ranks];
            at += kind.sampling[sampling[channel as usize] as usize] + kind.hold;
            expected.push((at, "ADC1", channel as u8, 100 * (channel as u16 + 1)));
        }
        bench.pass(at + 20 - bench.now);
        let mut seen = conversions(&mut bench);
        if continuous {
            seen.truncate(total);
        }
        assert_eq!(seen, expected, "{} {seed}", kind.part);
        for (place, (_, _, channel, value)) in expected.iter().enumerate().rev().take((length as usize).min(total)) {
            let at = RAM + 2 * (place as u32 % length);
            let word = bench.read(at & !3) >> (8 * (at & 2)) & 0xFFFF;
            // One more may have come since.
            let later = place as u32 % length == total as u32 % length && continuous;
            assert!(word == u32::from(*value) || later, "{} {seed}: {place} {channel}", kind.part);
        }
    }
}

#[test]
fn every_conversion_that_is_polled_for_is_one_eoc() {
    for (kind, seed) in KINDS.iter().flat_map(|kind| (1..=20u64).map(move |seed| (kind, seed))) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = Bench::of(kind.part, MemorySetting::Equal);
        for (register, value) in kind.clocks {
            bench.write(*register, *value);
        }
        steps(&mut bench);
        watch(&mut bench);
        bench.write(kind.adc + CR2, kind.on);
        bench.pass(100);
        let mut eocs = 0;
        for _ in 0..20 {
            bench.write(kind.adc + SQR3, random.of(8) as u32);
            bench.write(kind.adc + SMPR2, random.of(1 << 30) as u32);
            bench.write(kind.adc + CR2, kind.on | kind.start);
            bench.pass(random.of(60));
            for _ in 0..random.of(1_500) {
                if bench.read(kind.adc + SR) & EOC != 0 {
                    bench.read(kind.adc + DR);
                    eocs += 1;
                }
                bench.pass(1);
            }
        }
        bench.pass(2_000);
        eocs += usize::from(bench.read(kind.adc + SR) & EOC != 0);
        assert_eq!(conversions(&mut bench).len(), eocs, "{} {seed}", kind.part);
    }
}
