//! Clocks that come out at pins, and one that comes in: the crystal's at GPIO21, the system's at GPIO23 and those of ADC and the loop for
//! USB at GPIO24 and GPIO25; a megahertz that comes in at GPIO20 is counted, and feeds the clock of peripherals.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::clocks::{Gpin, Gpout, GpoutSrc};
use embassy_rp::pac;
use embassy_time::Timer;

/// The kilohertz that the frequency counter finds for its source `number`.
fn counted(number: u8) -> u32 {
    let counter = pac::CLOCKS;
    counter.fc0_ref_khz().write(|w| w.set_fc0_ref_khz(12_000));
    counter.fc0_interval().write(|w| w.set_fc0_interval(10));
    counter.fc0_min_khz().write(|w| w.set_fc0_min_khz(0));
    counter.fc0_max_khz().write(|w| w.set_fc0_max_khz(0x1FF_FFFF));
    counter.fc0_src().write(|w| w.set_fc0_src(pac::clocks::vals::Fc0src::from_bits(number)));
    while !counter.fc0_status().read().done() {}
    counter.fc0_result().read().khz()
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let crystal = Gpout::new(p.PIN_21);
    crystal.set_src(GpoutSrc::Xosc);
    crystal.set_div(12, 0);
    crystal.enable();
    check("crystal by 12", crystal.get_freq(), 1_000_000);
    let system = Gpout::new(p.PIN_23);
    system.set_src(GpoutSrc::Sys);
    system.set_div(50, 0);
    system.enable();
    check("system by 50", system.get_freq(), 2_500_000);
    let adc = Gpout::new(p.PIN_24);
    adc.set_src(GpoutSrc::Adc);
    adc.set_div(1_000, 0);
    adc.enable();
    check("ADC by 1000", adc.get_freq(), 48_000);
    let usb = Gpout::new(p.PIN_25);
    usb.set_src(GpoutSrc::PllUsb);
    usb.set_div(3, 0);
    usb.enable();
    check("loop for USB by 3", usb.get_freq(), 16_000_000);
    Timer::after_millis(2).await;
    usb.disable();

    let _input = Gpin::new(p.PIN_20);
    check("kilohertz at the pin", counted(6), 1_000);
    pac::CLOCKS.clk_peri_ctrl().write(|w| {
        w.set_auxsrc(pac::clocks::vals::ClkPeriCtrlAuxsrc::CLKSRC_GPIN0);
        w.set_enable(true);
    });
    check("kilohertz of peripherals", counted(10), 1_000);
    done()
}
