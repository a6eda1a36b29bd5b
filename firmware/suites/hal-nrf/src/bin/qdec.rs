//! An encoder at P0.30 and P0.31, turned twelve steps forward.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::qdec::{Config, InterruptHandler, Qdec};
use embassy_nrf::{bind_interrupts, pac, peripherals};
use embassy_time::{Duration, Instant, with_deadline};

bind_interrupts!(struct Irqs {
    QDEC => InterruptHandler<peripherals::QDEC>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut encoder = Qdec::new(p.QDEC, Irqs, p.P0_31, p.P0_30, Config::default());
    let (mut steps, end) = (0, Instant::now() + Duration::from_millis(100));
    while let Ok(more) = with_deadline(end, encoder.read()).await {
        steps += more;
    }
    // Steps reach ACCREAD when a read begins, and the program with the next report.
    steps += pac::QDEC.accread().read() as i16;
    check("steps", steps, 12);
    done()
}
