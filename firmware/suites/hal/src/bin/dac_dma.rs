//! The DAC, whose values come by DMA, one each millisecond of a timer.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::{DacDma, Irqs};
use cyclescope_suites_hal::{board, check, done, within};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::dac::{DacChannel, ValueArray};
use embassy_stm32::pac;
use embassy_stm32::pac::timer::vals::Mms;
use embassy_stm32::peripherals::DAC1;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::low_level::{RoundTo, Timer as Counter};
use embassy_stm32::triggers::TIM6_TRGO;
use embassy_time::{Instant, Timer};

const VALUES: [u16; 8] = [100, 1_000, 500, 2_000, 1_500, 3_000, 4_000, 50];

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let timer = Counter::new(p.TIM6);
    timer.set_frequency(Hertz(1_000), RoundTo::Slower);
    // The prescaler is in force from an update on.
    timer.generate_update_event();
    timer.regs_basic().cr2().modify(|w| w.set_mms(Mms::UPDATE));
    let dma = unsafe { DacDma::steal() };
    let mut dac = DacChannel::new_triggered::<DAC1, _, _>(p.DAC1, dma, TIM6_TRGO, Irqs, p.PA4);
    // HAL 0.6.0 selects the trigger and leaves it off.
    dac.set_triggering(true);
    let mut seen = [0; VALUES.len()];
    let look = async {
        // Each value is out at the trigger behind the one that fetched it.
        for seen in &mut seen {
            *seen = pac::DAC1.dor(0).read().dor();
            Timer::after_millis(1).await;
        }
    };
    timer.start();
    let begun = Instant::now();
    let write = async {
        dac.write(ValueArray::Bit12Right(&VALUES), false).await;
        begun.elapsed().as_micros()
    };
    let (took, ()) = join(write, async {
        Timer::after_micros(2_500).await;
        look.await;
    })
    .await;
    // The last value is fetched at the eighth trigger, and goes out at none, for the driver is done with the channel.
    within("microseconds", took, 7_900..=8_100);
    check("values", &seen[..6], &VALUES[..6]);
    done()
}
