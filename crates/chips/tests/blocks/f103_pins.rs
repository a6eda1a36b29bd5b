//! STM32F103: ports and AFIO (RM0008, "General-purpose and alternate-function I/Os").

use cyclescope_chips::MemorySetting;

use crate::bench::Bench;
use crate::f103_clocks;

const GPIOA: u32 = 0x4001_0800;
const GPIOB: u32 = 0x4001_0C00;
const GPIOC: u32 = 0x4001_1000;
const AFIO: u32 = 0x4001_0000;
const MAPR: u32 = AFIO + 4;
/// Of each port.
const CRL: u32 = 0x00;
const CRH: u32 = 0x04;
const IDR: u32 = 0x08;
const ODR: u32 = 0x0C;
const BSRR: u32 = 0x10;
const BRR: u32 = 0x14;
const LCKR: u32 = 0x18;

fn fast() -> Bench {
    f103_clocks::fast(MemorySetting::Equal)
}

#[test]
fn the_led_shows_its_level_at_the_cycle_of_the_store() {
    let mut bench = fast();
    // PC13: general-purpose output, push-pull, 2 MHz.
    bench.write(GPIOC + CRH, 0x4424_4444);
    let begin = bench.now;
    bench.pass(7);
    bench.write(GPIOC + BSRR, 1 << 13 | 1 << 29);
    bench.pass(3);
    bench.write(GPIOC + BRR, 1 << 13);
    assert_eq!(bench.edges(2, 13), [(begin + 7, true), (begin + 10, false)], "setting wins over resetting in BSRR");
    assert_eq!(bench.read(GPIOC + ODR), 0);
}

#[test]
fn inputs_read_what_is_applied_else_their_pull() {
    let mut bench = fast();
    assert_eq!(bench.read(GPIOA + IDR) & 0xFF, 0, "floating");
    bench.write(GPIOA + CRL, 0x4444_4448);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 0, "ODR 0 pulls down");
    bench.write(GPIOA + ODR, 1);
    bench.pass(1);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 1, "ODR 1 pulls up");
    bench.set_pin(1, 0, 0, Some(false));
    bench.pass(1);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 1, "sampled at the next edge of PCLK2");
    bench.pass(1);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 0);
    bench.write(GPIOA + CRL, 0x4444_4440);
    bench.set_pin(1, 0, 0, Some(true));
    bench.pass(2);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 0, "an analog pin reads 0");
}

#[test]
fn open_drain_pulls_low_only() {
    let mut bench = fast();
    bench.write(GPIOA + CRL, 0x4444_4445);
    bench.set_pin(1, 0, 0, Some(true));
    bench.pass(2);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 0, "driven low");
    bench.write(GPIOA + BSRR, 1);
    bench.pass(1);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 1, "let go: the outside decides");
    bench.set_pin(1, 0, 0, Some(false));
    bench.pass(2);
    assert_eq!(bench.read(GPIOA + IDR) & 1, 0);
}

#[test]
fn a_locked_pin_keeps_its_configuration() {
    let mut bench = fast();
    for value in [1 << 16 | 1 << 9, 1 << 9, 1 << 16 | 1 << 9] {
        bench.write(GPIOA + LCKR, value);
    }
    assert_eq!(bench.read(GPIOA + LCKR), 1 << 16 | 1 << 9);
    bench.write(GPIOA + CRH, 0x2222_2222);
    assert_eq!(bench.read(GPIOA + CRH), 0x2222_2242);
}

#[test]
fn the_debug_ports_pins_are_no_outputs_until_afio_gives_them_up() {
    let mut bench = fast();
    assert_eq!(bench.read(GPIOA + IDR), 0xA000, "JTDI and JTMS are pulled up, JTCK down");
    assert_eq!(bench.read(GPIOB + IDR), 0x0010, "NJTRST");
    // PB3 and PB4: outputs.
    bench.write(GPIOB + CRL, 0x4442_2444);
    bench.write(GPIOB + BSRR, 1 << 3 | 1 << 20);
    bench.pass(1);
    assert_eq!(bench.read(GPIOB + IDR), 0x0010, "JTDO is the debug port's");
    bench.write(MAPR, 2 << 24);
    bench.pass(1);
    assert_eq!(bench.read(GPIOB + IDR), 0x0008, "SWD only: both are GPIO");
    assert_eq!(bench.read(GPIOA + IDR), 0x2000, "SWDIO");
    assert_eq!(bench.read(MAPR), 0, "SWJ_CFG cannot be read back");
}
