//! Real-time clocks: the counter of STM32F103, the calendars of STM32F446 and STM32C031.

mod calendar;
mod counter;
mod hostile;

use cyclescope_chips::MemorySetting;

use crate::bench::Bench;

pub const RTC: u32 = 0x4000_2800;
pub const PWR_CR: u32 = 0x4000_7000;

/// STM32F103 at 8 MHz with the RTC over LSI: a period is 200 cycles. Its periods begin where the time is now.
pub fn f103() -> Bench {
    let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
    bench.write(0x4002_1014, u32::MAX);
    bench.write(0x4002_1018, u32::MAX);
    bench.write(0x4002_101C, u32::MAX);
    bench.write(PWR_CR, 1 << 8);
    bench.write(0x4002_1024, 1);
    bench.pass(680);
    bench.write(0x4002_1020, 2 << 8 | 1 << 15);
    bench
}

/// STM32F446 at 16 MHz with the RTC over LSI: a period is 500 cycles.
pub fn f446() -> Bench {
    let mut bench = Bench::of("stm32f446ze", MemorySetting::Equal);
    bench.write(0x4002_3830, 0xFF);
    bench.write(0x4002_3840, u32::MAX);
    bench.write(0x4002_3844, u32::MAX);
    bench.write(PWR_CR, 0xC000 | 1 << 8);
    bench.write(0x4002_3874, 1);
    bench.pass(240);
    bench.write(0x4002_3870, 2 << 8 | 1 << 15);
    bench
}

/// STM32C031 at 48 MHz with the RTC over LSI: a period is 1,500 cycles.
pub fn c031() -> Bench {
    let mut bench = Bench::fast();
    bench.write(0x4002_1060, 1);
    bench.pass(3_840);
    bench.write(0x4002_105C, 2 << 8 | 1 << 15);
    bench
}
