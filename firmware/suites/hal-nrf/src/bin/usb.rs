//! A serial port over USB by `embassy-usb`, on the crystal: greets who opens it, then answers in capitals.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf as _;
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_nrf::config::{Config, HfclkSource};
use embassy_nrf::usb::vbus_detect::{self, HardwareVbusDetect};
use embassy_nrf::usb::{Driver, InterruptHandler};
use embassy_nrf::{bind_interrupts, peripherals};
use embassy_usb::class::cdc_acm::{CdcAcmClass, State};
use embassy_usb::driver::EndpointError;

bind_interrupts!(struct Irqs {
    USBD => InterruptHandler<peripherals::USBD>;
    CLOCK_POWER => vbus_detect::InterruptHandler;
});

async fn serve<'d, D: embassy_usb::driver::Driver<'d>>(port: &mut CdcAcmClass<'d, D>) -> Result<(), EndpointError> {
    while !port.dtr() {
        embassy_time::Timer::after_millis(1).await;
    }
    port.write_packet(b"ready\n").await?;
    let mut bytes = [0; 64];
    loop {
        let count = port.read_packet(&mut bytes).await?;
        bytes[..count].make_ascii_uppercase();
        port.write_packet(&bytes[..count]).await?;
    }
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut clocks = Config::default();
    clocks.hfclk_source = HfclkSource::ExternalXtal;
    let p = embassy_nrf::init(clocks);
    let driver = Driver::new(p.USBD, Irqs, HardwareVbusDetect::new(Irqs));
    let mut config = embassy_usb::Config::new(0x1209, 1);
    config.manufacturer = Some("suite");
    config.product = Some("embassy");
    config.serial_number = Some("42");
    let (mut descriptor, mut bos, mut control) = ([0; 256], [0; 256], [0; 64]);
    let mut state = State::new();
    let mut builder = embassy_usb::Builder::new(driver, config, &mut descriptor, &mut bos, &mut [], &mut control);
    let mut port = CdcAcmClass::new(&mut builder, &mut state, 64);
    let mut device = builder.build();
    join(device.run(), async {
        loop {
            port.wait_connection().await;
            let _ = serve(&mut port).await;
        }
    })
    .await;
}
