//! Two channels at 1.2 V and at half of it, then one of them 10,000 times a second, by a timer and the interconnect.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done, within};
use embassy_executor::Spawner;
use embassy_nrf::bind_interrupts;
use embassy_nrf::saadc::{CallbackResult, ChannelConfig, Config, InterruptHandler, Saadc};
use embassy_nrf::timer::Frequency;

bind_interrupts!(struct Irqs {
    SAADC => InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_nrf::init(Default::default());
    {
        let channels =
            [ChannelConfig::single_ended(p.P0_02.reborrow()), ChannelConfig::single_ended(p.P0_03.reborrow())];
        let mut saadc = Saadc::new(p.SAADC.reborrow(), Irqs, Config::default(), channels);
        saadc.calibrate().await;
        let mut both = [0; 2];
        saadc.sample(&mut both).await;
        // 12 bits of 3.6 V: the reference of 0.6 V, a gain of 1/6.
        within("1.2 V", both[0], 1_363..=1_367);
        within("0.6 V", both[1], 681..=685);
    }
    let channels = [ChannelConfig::single_ended(p.P0_02)];
    let mut saadc = Saadc::new(p.SAADC, Irqs, Config::default(), channels);
    let mut buffers = [[[0; 1]; 50]; 2];
    let mut count = 0;
    let begin = embassy_time::Instant::now();
    saadc
        .run_task_sampler(p.TIMER0, p.PPI_CH0, p.PPI_CH1, Frequency::F1MHz, 100, &mut buffers, |samples| {
            count += samples.len();
            if samples.iter().any(|sample| !(1_363..=1_367).contains(&sample[0])) || count >= 200 {
                CallbackResult::Stop
            } else {
                CallbackResult::Continue
            }
        })
        .await;
    check("samples", count, 200);
    within("ms", begin.elapsed().as_millis(), 19..=26);
    done()
}
