//! Nucleo-F446ZE: 180 MHz with over-drive from the 8 MHz that the ST-LINK feeds in, as all contenders there have it, and
//! USART3 on PD8, the ST-LINK's serial port.
//!
//! Sources: RM0390, "Entering Over-drive mode", "PLL configuration register", "Flash access control register", "USART
//! registers"; UM1974 for the board.

use cyclescope_kernel_drivers::Port;

pub use crate::cortex_m::protect;
use crate::register::Register;

/// All of flash, start and bytes: the process may execute and read it.
pub const CODE: (u32, u32) = (0x0800_0000, 0x8_0000);
/// The first address of RAM, where the process's own memory begins.
pub const PROCESS: u32 = 0x2000_0000;

const RCC_CR: Register = Register::at(0x4002_3800);
const RCC_PLLCFGR: Register = Register::at(0x4002_3804);
const RCC_CFGR: Register = Register::at(0x4002_3808);
const RCC_AHB1ENR: Register = Register::at(0x4002_3830);
const RCC_APB1ENR: Register = Register::at(0x4002_3840);
const PWR_CR: Register = Register::at(0x4000_7000);
const PWR_CSR: Register = Register::at(0x4000_7004);
const FLASH_ACR: Register = Register::at(0x4002_3C00);
const GPIOD_MODER: Register = Register::at(0x4002_0C00);
const GPIOD_AFRH: Register = Register::at(0x4002_0C24);
const USART3_SR: Register = Register::at(0x4000_4800);
const USART3_DR: Register = Register::at(0x4000_4804);
const USART3_BRR: Register = Register::at(0x4000_4808);
const USART3_CR1: Register = Register::at(0x4000_480C);

/// The serial port.
pub struct Serial;

impl Port for Serial {
    fn put(&self, byte: u8) {
        const TXE: u32 = 1 << 7;
        while USART3_SR.read() & TXE == 0 {}
        USART3_DR.write(byte.into());
    }
}

/// Waits until the last byte has left: TC.
pub fn drain() {
    wait(USART3_SR, 1 << 6);
}

/// The clock, then the serial port.
pub fn start() {
    raise_clock();

    set(RCC_AHB1ENR, 1 << 3);
    let _ = RCC_AHB1ENR.read();
    // PD8: alternate function 7.
    change(GPIOD_AFRH, 15, 7);
    change(GPIOD_MODER, 3 << 16, 2 << 16);
    set(RCC_APB1ENR, 1 << 18);
    let _ = RCC_APB1ENR.read();
    // 45 MHz / 115200 in sixteenths: 391.
    USART3_BRR.write(391);
    // UE and TE.
    USART3_CR1.write(1 << 13 | 1 << 3);
}

/// Over-drive while the PLL locks, as the manual orders it; five wait states, prefetch and both caches; then the PLL.
fn raise_clock() {
    // PWREN; scale 1 may be written while the PLL is off.
    set(RCC_APB1ENR, 1 << 28);
    let _ = RCC_APB1ENR.read();
    set(PWR_CR, 3 << 14);

    // HSEBYP, then HSEON until HSERDY.
    set(RCC_CR, 1 << 18);
    set(RCC_CR, 1 << 16);
    wait(RCC_CR, 1 << 17);

    // 8 MHz / 4 = 2 MHz, which jitters least; times 180; halved. Q 8 and R 2, which nothing uses.
    RCC_PLLCFGR.write(4 | 180 << 6 | 1 << 22 | 8 << 24 | 2 << 28);
    set(RCC_CR, 1 << 24);

    // ODEN until ODRDY, ODSWEN until ODSWRDY.
    set(PWR_CR, 1 << 16);
    wait(PWR_CSR, 1 << 16);
    set(PWR_CR, 1 << 17);
    wait(PWR_CSR, 1 << 17);

    // LATENCY 5, PRFTEN, ICEN, DCEN.
    FLASH_ACR.write(5 | 1 << 8 | 1 << 9 | 1 << 10);
    while FLASH_ACR.read() & 15 != 5 {}

    // APB1 takes 45 MHz at most, APB2 90 MHz: by 4 and by 2.
    change(RCC_CFGR, 7 << 10 | 7 << 13, 5 << 10 | 4 << 13);
    wait(RCC_CR, 1 << 25);
    // SW: the PLL, until SWS says so.
    change(RCC_CFGR, 3, 2);
    wait(RCC_CFGR, 2 << 2);
}

fn set(register: Register, bits: u32) {
    register.write(register.read() | bits);
}

fn change(register: Register, field: u32, value: u32) {
    register.write((register.read() & !field) | value);
}

fn wait(register: Register, bits: u32) {
    while register.read() & bits == 0 {}
}
