//! Functions of the boot ROM by the HAL: bits, memory, and the floating-point operations that it puts in the compiler's place.
#![no_std]
#![no_main]

use core::hint::black_box;

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::rom_data;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let _p = embassy_rp::init(Default::default());
    check("ones", rom_data::popcount32(0xF0F0_0001), 9);
    check("reversed", rom_data::reverse32(0x8000_0001), 0x8000_0001);
    check("leading zeros", rom_data::clz32(0x0001_0000), 15);
    check("trailing zeros", rom_data::ctz32(0x0001_0000), 16);
    let (mut bytes, from) = ([0_u8; 9], *b"cyclescop");
    // SAFETY: both are as long as that.
    unsafe { rom_data::memcpy(bytes.as_mut_ptr(), from.as_ptr(), 9) };
    check("copied", bytes, from);
    // SAFETY: as above.
    unsafe { rom_data::memset(bytes.as_mut_ptr(), 0x5A, 4) };
    check("set", &bytes[..5], &[0x5A, 0x5A, 0x5A, 0x5A, b'e']);

    let (a, b) = (black_box(1.5_f32), black_box(-0.25_f32));
    check("single", [a + b, a - b, a * b, a / b].map(f32::to_bits), [1.25_f32, 1.75, -0.375, -6.0].map(f32::to_bits));
    check("converted", [a as i32, (black_box(-7) as f32 * a) as i32], [1, -10]);
    check("compared", (a > b, a < b), (true, false));
    let (c, d) = (black_box(1.5_f64), black_box(-0.25_f64));
    check("double", [c + d, c - d, c * d, c / d].map(f64::to_bits), [1.25_f64, 1.75, -0.375, -6.0].map(f64::to_bits));
    check("wider", f64::from(a).to_bits(), 1.5_f64.to_bits());
    done()
}
