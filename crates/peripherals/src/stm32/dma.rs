//! The movement of data in a DMA controller of any version: one transfer at a time, from its request to its end.

use cyclescope_machine::{TimingRow, Width};

use crate::{Env, Instant, Tree};

/// The event at which a transfer's first access begins.
const BEGIN: u16 = 0;

/// PSIZE and MSIZE: 8, 16 or 32 bits.
pub(super) const fn width(code: u32) -> Width {
    match code & 3 {
        0 => Width::Byte,
        1 => Width::Half,
        _ => Width::Word,
    }
}

/// A channel's state that its registers do not show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channel {
    /// The transfers of a round, as the registers had them when the channel was enabled.
    pub(super) count: u32,
    /// The addresses of the next transfer.
    pub(super) peripheral: u32,
    pub(super) memory: u32,
    /// A request for one transfer that came while the controller was busy.
    pub(super) pending: bool,
}

impl Channel {
    /// The addresses of a transfer, aligned to their widths; where `increments` says so, they move on.
    pub(super) fn next(&mut self, widths: (Width, Width), increments: (bool, bool)) -> (u32, u32) {
        let step = |address: &mut u32, width: Width, increments: bool| {
            let aligned = *address & !(width.bytes() - 1);
            if increments {
                *address = address.wrapping_add(width.bytes());
            }
            aligned
        };
        (step(&mut self.peripheral, widths.0, increments.0), step(&mut self.memory, widths.1, increments.1))
    }
}

/// The channel that moves data, and when its first access begins; never again once it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Running(Option<(u8, Instant)>);

impl Running {
    /// The channel that moves data.
    pub(super) fn channel(self) -> Option<u8> {
        self.0.map(|(channel, _)| channel)
    }

    /// Begins a transfer of `channel`, whose first access comes as many periods of HCLK later as `row` says.
    pub(super) fn begin(&mut self, channel: u8, row: &'static TimingRow, env: &mut Env<'_, '_>) {
        let cycles = env.cycles(row);
        let at = env.now().after(env.clocks().tree().hclk.times(cycles));
        self.0 = Some((channel, at));
        env.schedule(BEGIN, at);
    }

    /// The channel whose first access is due; it is no longer running unless [`Self::go_on`] says so.
    pub(super) fn due(&mut self, env: &Env<'_, '_>) -> Option<u8> {
        self.0.take_if(|(_, at)| env.now() >= *at).map(|(channel, _)| channel)
    }

    /// The first access of `channel` has begun.
    pub(super) fn go_on(&mut self, channel: u8) {
        self.0 = Some((channel, Instant::NEVER));
    }

    /// The transfer has ended.
    pub(super) fn end(&mut self) {
        self.0 = None;
    }

    /// Back to the state after reset.
    pub(super) fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.end();
        env.cancel(BEGIN);
    }

    /// The clocks have changed from `old`: what is left stretches with HCLK.
    pub(super) fn rescale(&mut self, old: &Tree, env: &mut Env<'_, '_>) {
        if let Some((_, at)) = self.0.as_mut().filter(|(_, at)| *at != Instant::NEVER) {
            *at = env.now().after(at.since(env.now()).rescaled(old.hclk, env.clocks().tree().hclk));
            env.schedule(BEGIN, *at);
        }
    }

    /// The unit of time has become `times` smaller.
    pub(super) fn refine(&mut self, times: u64) {
        self.0 = self.0.map(|(channel, at)| (channel, at.refined(times)));
    }
}
