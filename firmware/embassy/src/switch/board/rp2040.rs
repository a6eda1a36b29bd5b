//! Raspberry Pi Pico: the HAL brings it up for its crystal of 12 MHz, embassy-time is the clock, defmt over RTT the channel.

use cyclescope_switch::{ITERATIONS, Report};
use defmt_rtt as _;
use embassy_time::{Instant, TICK_HZ};
use panic_probe as _;

/// The board, started.
pub struct Board {}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = TICK_HZ as u32;

    /// Starts the HAL; all that it sets is its own choice.
    pub fn start() -> Self {
        let _ = embassy_rp::init(Default::default());
        Self {}
    }

    /// The clock, in its ticks; it wraps after 71 minutes.
    pub fn ticks(&self) -> u32 {
        Instant::now().as_ticks() as u32
    }

    /// Reports, masks interrupts and sleeps for ever.
    ///
    /// The lines are those of [`Report::write_to`], written where defmt finds them and formatted by its host.
    pub fn finish(self, report: &Report<'_>) -> ! {
        for &(name, row) in report.rows {
            defmt::println!("{=str}: {=u32} iterations in {=u32} us", name, row.counter, report.microseconds(row));
        }
        for &(object, bytes) in report.sizes {
            defmt::println!("{=str}: {=usize} bytes", object, bytes);
        }
        let [(_, empty), (_, direct), (_, scheduled)] = report.rows else { unreachable!("the program has three rows") };
        let [(_, task), (_, scheduler), (_, channel)] = report.sizes else { unreachable!("and gives three sizes") };
        defmt::println!(
            "cyclescope switch contender={=str} mode=plain iterations={=u32} clock_hz={=u32} resolution=1 \
             EmptyLoop={=u32}/{=u32} DirectScheduling={=u32}/{=u32} CoroutineScheduling={=u32}/{=u32} \
             size.task={=usize} size.scheduler={=usize} size.channel={=usize}",
            report.contender,
            ITERATIONS,
            report.clock_hz,
            empty.counter,
            empty.elapsed_ticks,
            direct.counter,
            direct.elapsed_ticks,
            scheduled.counter,
            scheduled.elapsed_ticks,
            task,
            scheduler,
            channel
        );
        cortex_m::interrupt::disable();
        // The clock's interrupts go on becoming pending, and WFI falls through a pending interrupt that is enabled.
        // SAFETY: ICER is write-one-to-clear and nothing runs any more that would want an interrupt.
        unsafe { (*cortex_m::peripheral::NVIC::PTR).icer[0].write(u32::MAX) };
        loop {
            cortex_m::asm::wfi();
        }
    }
}
