//! Programs for the programmable I/O that come with the HAL: a serial port at GPIO10 and GPIO11, which are joined, SPI that hears
//! itself, as GPIO19 is joined to GPIO16, pulses at GPIO6, a clock at GPIO7, and a chain of lights at GPIO8 by DMA.
#![no_std]
#![no_main]

use core::time::Duration;

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::pio::{InterruptHandler, Pio};
use embassy_rp::pio_programs::clk::{PioClk, PioClkProgram};
use embassy_rp::pio_programs::pwm::{PioPwm, PioPwmProgram};
use embassy_rp::pio_programs::spi::Spi;
use embassy_rp::pio_programs::uart::{PioUartRx, PioUartRxProgram, PioUartTx, PioUartTxProgram};
use embassy_rp::pio_programs::ws2812::{Grb, PioWs2812, PioWs2812Program};
use embassy_rp::spi::Config as SpiConfig;
use embassy_rp::{bind_interrupts, dma, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
    PIO1_IRQ_0 => InterruptHandler<peripherals::PIO1>;
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, sm0, sm1, .. } = Pio::new(p.PIO0, Irqs);
    let sends = PioUartTxProgram::new(&mut common);
    let receives = PioUartRxProgram::new(&mut common);
    let mut to = PioUartTx::new(115_200, &mut common, sm0, p.PIN_10, &sends);
    let mut from = PioUartRx::new(115_200, &mut common, sm1, p.PIN_11, &receives);
    for byte in *b"pio" {
        to.write_u8(byte).await;
        check("received", from.read_u8().await, byte);
    }

    let Pio { mut common, sm0, sm1, sm2, sm3, .. } = Pio::new(p.PIO1, Irqs);
    let pulses = PioPwmProgram::new(&mut common);
    let mut pwm = PioPwm::new(&mut common, sm0, p.PIN_6, &pulses);
    pwm.set_period(Duration::from_micros(100));
    pwm.write(Duration::from_micros(25));
    pwm.start();
    let square = PioClkProgram::new(&mut common);
    let mut clock = PioClk::new(&mut common, sm1, p.PIN_7, &square, 1_000_000);
    clock.start();
    Timer::after_millis(2).await;
    pwm.stop();
    clock.stop();

    let lights = PioWs2812Program::new(&mut common);
    let mut chain = PioWs2812::<_, 2, 2, Grb>::with_color_order(&mut common, sm2, p.DMA_CH0, Irqs, p.PIN_8, &lights);
    chain.write(&[(1, 2, 3).into(), (0xFF, 0, 0x80).into()]).await;

    let mut config = SpiConfig::default();
    config.frequency = 1_000_000;
    let mut spi = Spi::new_blocking(&mut common, sm3, p.PIN_18, p.PIN_19, p.PIN_16, config);
    let mut answer = [0; 4];
    check("transfer", spi.blocking_transfer(&mut answer, &[0x9F, 1, 0x80, 0xFE]), Ok(()));
    check("heard", answer, [0x9F, 1, 0x80, 0xFE]);
    done()
}
