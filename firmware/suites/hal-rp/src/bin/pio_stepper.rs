//! A stepper motor with four coils at GPIO2 to GPIO5 by PIO: whole steps with one coil and with two, and half steps, both ways.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::done;
use embassy_executor::Spawner;
use embassy_rp::pio::{InterruptHandler, Pio};
use embassy_rp::pio_programs::stepper::{PioStepper, PioStepperProgram};
use embassy_rp::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, sm0, irq0, .. } = Pio::new(p.PIO0, Irqs);
    let program = PioStepperProgram::new(&mut common);
    let mut motor = PioStepper::new(&mut common, sm0, irq0, p.PIN_2, p.PIN_3, p.PIN_4, p.PIN_5, &program);
    motor.set_frequency(500);
    motor.step(7).await;
    motor.step(-3).await;
    motor.set_frequency(250);
    motor.step2(4).await;
    motor.step_half(-7).await;
    done()
}
