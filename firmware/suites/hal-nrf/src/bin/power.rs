//! System OFF: the part switches itself off, and a low level at P0.11 wakes it by a reset, whose cause it then knows.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Input, Pull};
use embassy_nrf::{pac, power};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    if pac::POWER.resetreas().read().off() {
        check("woken by the pin", true, true);
        done()
    }
    let _button = Input::new(p.P0_11, Pull::Up);
    pac::P0.pin_cnf(11).modify(|w| w.set_sense(pac::gpio::vals::Sense::Low));
    check("off", true, true);
    power::set_system_off();
    loop {
        cortex_m::asm::wfe();
    }
}
