//! A serial port over USB by `embassy-usb`: greets who opens it, then answers in capitals.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::{Config, bind_interrupts, peripherals, usb};
use embassy_usb::class::cdc_acm::{CdcAcmClass, State};
use embassy_usb::driver::EndpointError;
use panic_halt as _;

#[cfg(feature = "stm32f103c8")]
bind_interrupts!(struct Interrupts {
    USB_LP_CAN1_RX0 => usb::InterruptHandler<peripherals::USB>;
});

#[cfg(feature = "stm32f446re")]
bind_interrupts!(struct Interrupts {
    OTG_FS => usb::InterruptHandler<peripherals::USB_OTG_FS>;
});

/// 72 MHz from the crystal of 8 MHz, two thirds of it for USB.
#[cfg(feature = "stm32f103c8")]
fn clocks() -> Config {
    use embassy_stm32::rcc::{APBPrescaler, Hse, HseMode, Pll, PllMul, PllPreDiv, PllSource, Sysclk};
    let mut config = Config::default();
    config.rcc.hse = Some(Hse { freq: embassy_stm32::time::Hertz(8_000_000), mode: HseMode::Oscillator });
    config.rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL9 });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.apb1_pre = APBPrescaler::DIV2;
    config
}

/// 168 MHz from HSI, and 48 MHz for USB.
#[cfg(feature = "stm32f446re")]
fn clocks() -> Config {
    use embassy_stm32::rcc::{APBPrescaler, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllSource, Sysclk, mux};
    let mut config = Config::default();
    config.rcc.pll_src = PllSource::HSI;
    config.rcc.pll = Some(Pll {
        prediv: PllPreDiv::DIV8,
        mul: PllMul::MUL168,
        divp: Some(PllPDiv::DIV2),
        divq: Some(PllQDiv::DIV7),
        divr: None,
    });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.apb1_pre = APBPrescaler::DIV4;
    config.rcc.apb2_pre = APBPrescaler::DIV2;
    config.rcc.mux.clk48sel = mux::Clk48sel::PLL1_Q;
    config
}

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
    let chip = embassy_stm32::init(clocks());
    #[cfg(feature = "stm32f103c8")]
    let (driver, ()) = {
        // D+ is held low for 10 ms, so that the host sees a new device.
        let mut dp = chip.PA12;
        {
            use embassy_stm32::gpio::{Level, Output, Speed};
            let _low = Output::new(dp.reborrow(), Level::Low, Speed::Low);
            embassy_time::Timer::after_millis(10).await;
        }
        (usb::Driver::new(chip.USB, Interrupts, dp, chip.PA11), ())
    };
    #[cfg(feature = "stm32f446re")]
    let mut buffer = [0; 256];
    #[cfg(feature = "stm32f446re")]
    let driver = {
        let mut config = usb::Config::default();
        config.vbus_detection = false;
        usb::Driver::new_fs(chip.USB_OTG_FS, Interrupts, chip.PA12, chip.PA11, &mut buffer, config)
    };
    let mut config = embassy_usb::Config::new(0x1209, 1);
    config.manufacturer = Some("suite");
    config.product = Some("embassy");
    config.serial_number = Some("42");
    let (mut descriptor, mut bos, mut control) = ([0; 256], [0; 256], [0; 64]);
    let mut state = State::new();
    let mut builder =
        embassy_usb::Builder::new(driver, config, &mut descriptor, &mut bos, &mut [], &mut control);
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
