//! nRF52840: encryption of blocks (nRF52840 PS, ECB).

use cyclescope_machine::{GapKind, Width};

use crate::nrf_timers::{US, part, until};

const ECB: u32 = 0x4000_E000;
const STARTECB: u32 = ECB;
const STOPECB: u32 = ECB + 0x04;
const ENDECB: u32 = ECB + 0x100;
const ERRORECB: u32 = ECB + 0x104;
const INTENSET: u32 = ECB + 0x304;
const ECBDATAPTR: u32 = ECB + 0x504;
const LINE: usize = 14;
const RAM: u32 = 0x2000_0101;

#[test]
fn a_block_is_encrypted_behind_its_cleartext() {
    let mut bench = part();
    // FIPS 197, C.1; the data may lie at any address.
    for index in 0..16 {
        bench.try_write(RAM + index, Width::Byte, index).unwrap();
        bench.try_write(RAM + 16 + index, Width::Byte, index * 0x11).unwrap();
    }
    bench.write(ECBDATAPTR, RAM);
    bench.write(INTENSET, 3);
    bench.write(STARTECB, 1);
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, 100_000), Some(begun + 17 * US));
    assert_eq!((bench.read(ENDECB), bench.read(ERRORECB)), (1, 0));
    let cipher: Vec<u32> = (32..48).map(|index| bench.try_read(RAM + index, Width::Byte).unwrap()).collect();
    let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    assert!(cipher.iter().zip(expected).all(|(byte, wanted)| *byte == u32::from(wanted)), "{cipher:x?}");
}

#[test]
fn a_stop_is_an_error_and_data_may_be_nowhere() {
    let mut bench = part();
    bench.write(STOPECB, 1);
    assert_eq!(bench.read(ERRORECB), 0, "nothing was under way");
    bench.write(STARTECB, 1);
    bench.write(STOPECB, 1);
    bench.pass(1_000 * US);
    assert_eq!((bench.read(ENDECB), bench.read(ERRORECB)), (0, 1));
    bench.write(ECBDATAPTR, 0xFFFF_FFF0);
    bench.write(STARTECB, 1);
    assert_eq!(until(&mut bench, ENDECB, 1, 10_000).map(|at| at > 0), Some(true));
    assert_eq!(bench.gaps(GapKind::Setting), ["ECB: EasyDMA reaches nothing but the data RAM"]);
}
