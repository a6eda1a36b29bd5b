//! A program of the programmable I/O: a square wave of 20 cycles at GPIO8, and words that come back inverted.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::pio::program::pio_asm;
use embassy_rp::pio::{Config, InterruptHandler, Pio};
use embassy_rp::{bind_interrupts, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, mut sm0, mut sm1, .. } = Pio::new(p.PIO0, Irqs);
    let square = pio_asm!(".wrap_target", "set pins, 1 [9]", "set pins, 0 [9]", ".wrap");
    let pin = common.make_pio_pin(p.PIN_8);
    let mut config = Config::default();
    config.use_program(&common.load_program(&square.program), &[]);
    config.set_set_pins(&[&pin]);
    sm0.set_config(&config);
    sm0.set_pin_dirs(embassy_rp::pio::Direction::Out, &[&pin]);
    sm0.set_enable(true);

    let invert = pio_asm!(".wrap_target", "pull block", "mov isr, ~osr", "push block", ".wrap");
    let mut config = Config::default();
    config.use_program(&common.load_program(&invert.program), &[]);
    sm1.set_config(&config);
    sm1.set_enable(true);
    for word in [0, 0x1234_5678, u32::MAX] {
        sm1.tx().wait_push(word).await;
        check("inverted", sm1.rx().wait_pull().await, !word);
    }
    Timer::after_micros(20).await;
    done()
}
