//! A serial port over USB by `embassy-usb`: greets who opens it, then answers in capitals.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp as _;
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_rp::usb::{Driver, InterruptHandler};
use embassy_rp::{bind_interrupts, peripherals};
use embassy_usb::class::cdc_acm::{CdcAcmClass, State};
use embassy_usb::driver::EndpointError;

bind_interrupts!(struct Irqs {
    USBCTRL_IRQ => InterruptHandler<peripherals::USB>;
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
    let p = embassy_rp::init(Default::default());
    let driver = Driver::new(p.USB, Irqs);
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
