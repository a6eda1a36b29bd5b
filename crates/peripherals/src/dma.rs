//! A DMA controller's transfer under way, below the registers of STM32 and Kinetis.

use cyclescope_machine::TimingRow;

use crate::{Env, Instant, Tree};

/// The event at which a transfer's first access begins.
pub(crate) const BEGIN: u16 = 0;

/// The channel that moves data, and when its first access begins; never again once it has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Running(Option<(u8, Instant)>);

impl Running {
    /// The channel that moves data.
    pub(crate) fn channel(self) -> Option<u8> {
        self.0.map(|(channel, _)| channel)
    }

    /// Begins a transfer of `channel`, whose first access comes as many periods of HCLK later as `row` says.
    pub(crate) fn begin(&mut self, channel: u8, row: &'static TimingRow, env: &mut Env<'_, '_>) {
        self.begin_later(channel, row, 0, env);
    }

    /// The same with `more` periods.
    pub(crate) fn begin_later(&mut self, channel: u8, row: &'static TimingRow, more: u64, env: &mut Env<'_, '_>) {
        let cycles = env.cycles(row) + more;
        let at = env.now().after(env.clocks().tree().hclk.times(cycles));
        self.0 = Some((channel, at));
        env.schedule(BEGIN, at);
    }

    /// The channel whose first access is due; it is no longer running unless [`Self::go_on`] says so.
    pub(crate) fn due(&mut self, env: &Env<'_, '_>) -> Option<u8> {
        self.0.take_if(|(_, at)| env.now() >= *at).map(|(channel, _)| channel)
    }

    /// The first access of `channel` has begun.
    pub(crate) fn go_on(&mut self, channel: u8) {
        self.0 = Some((channel, Instant::NEVER));
    }

    /// The transfer has ended.
    pub(crate) fn end(&mut self) {
        self.0 = None;
    }

    /// Back to the state after reset.
    pub(crate) fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.end();
        env.cancel(BEGIN);
    }

    /// The clocks have changed from `old`: what is left stretches with HCLK.
    pub(crate) fn rescale(&mut self, old: &Tree, env: &mut Env<'_, '_>) {
        if let Some((_, at)) = self.0.as_mut().filter(|(_, at)| *at != Instant::NEVER) {
            *at = at.rescaled(env.now(), old.hclk, env.clocks().tree().hclk);
            env.schedule(BEGIN, *at);
        }
    }

    /// The unit of time has become `times` smaller.
    pub(crate) fn refine(&mut self, times: u64) {
        self.0 = self.0.map(|(channel, at)| (channel, at.refined(times)));
    }
}
