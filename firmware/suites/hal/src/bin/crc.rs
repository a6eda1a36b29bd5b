//! The CRC of two words.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::crc::Crc;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    #[cfg(any(feature = "stm32f103c8", feature = "stm32f411ce", feature = "stm32f446ze"))]
    let crc = {
        let mut crc = Crc::new(p.CRC);
        crc.feed_words(&[0x1234_5678, 0x9ABC_DEF0])
    };
    #[cfg(not(any(feature = "stm32f103c8", feature = "stm32f411ce", feature = "stm32f446ze")))]
    let crc = {
        use embassy_stm32::crc::{Config, InputReverseConfig, PolySize};
        let config = Config::new(InputReverseConfig::None, false, PolySize::Width32, 0xFFFF_FFFF, 0x04C1_1DB7);
        let mut crc = Crc::new(p.CRC, config.unwrap());
        crc.feed_words(&[0x1234_5678, 0x9ABC_DEF0]);
        crc.read()
    };
    // CRC-32/MPEG-2 of the bytes 12 34 56 78 9A BC DE F0.
    check("crc", crc, mpeg2(&[0x1234_5678, 0x9ABC_DEF0]));
    done()
}

fn mpeg2(words: &[u32]) -> u32 {
    words.iter().fold(!0, |crc, word| {
        (0..32).fold(crc ^ word, |crc, _| if crc >> 31 == 1 { crc << 1 ^ 0x04C1_1DB7 } else { crc << 1 })
    })
}
