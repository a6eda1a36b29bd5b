//! Programmable peripheral interconnect (nRF52840 PS, "PPI — Programmable peripheral interconnect"): channels that start a task,
//! or two, when an event happens, by the addresses of their registers.
//!
//! A channel is synchronised to PCLK16M: its tasks start with the next edge of that clock behind the event.

use std::collections::VecDeque;

use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

use super::registers::write_view;
use super::signals::{Signals, Tasked};

/// TASKS_CHG[n].EN and DIS, 8 bytes each.
const GROUP_TASKS: u32 = 0x00;
const CHEN: u32 = 0x500;
const CHENSET: u32 = 0x504;
const CHENCLR: u32 = 0x508;
/// CH[n].EEP and TEP, 8 bytes each.
const CH: u32 = 0x510;
const CHG: u32 = 0x800;
const FORK: u32 = 0x910;
const PROGRAMMABLE: u32 = 20;
const CHANNELS: u32 = 32;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The event and the task of the channels from 20 on ("Pre-programmed channels").
const FIXED: [(u32, u32); (CHANNELS - PROGRAMMABLE) as usize] = {
    const RADIO: u32 = 0x4000_1000;
    const TIMER0: u32 = 0x4000_8000;
    const RTC0_COMPARE0: u32 = 0x4000_B140;
    const CCM_AAR: u32 = 0x4000_F000;
    [
        (TIMER0 + 0x140, RADIO),
        (TIMER0 + 0x140, RADIO + 0x04),
        (TIMER0 + 0x144, RADIO + 0x10),
        (RADIO + 0x128, CCM_AAR),
        (RADIO + 0x100, CCM_AAR),
        (RADIO + 0x104, CCM_AAR + 0x04),
        (RADIO + 0x104, TIMER0 + 0x44),
        (RADIO + 0x10C, TIMER0 + 0x48),
        (RTC0_COMPARE0, RADIO),
        (RTC0_COMPARE0, RADIO + 0x04),
        (RTC0_COMPARE0, TIMER0 + 0x0C),
        (RTC0_COMPARE0, TIMER0),
    ]
};

/// The block.
#[derive(Clone, Debug)]
pub struct Ppi {
    signals: Signals,
    /// Channels on their way, one bit each, in the order of the times at which their tasks start.
    under_way: VecDeque<(Instant, u32)>,
}

impl Ppi {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, &[]), under_way: VecDeque::new() }
    }

    fn enabled(&self) -> u32 {
        self.signals.get(CHENSET)
    }

    /// The addresses of the event and the first task of `channel`.
    fn ends(&self, channel: u32) -> (u32, u32) {
        match channel.checked_sub(PROGRAMMABLE) {
            Some(fixed) => FIXED[(fixed as usize).min(FIXED.len() - 1)],
            None => (self.signals.get(CH + 8 * channel), self.signals.get(CH + 8 * channel + 4)),
        }
    }

    /// The enabled channels, by number.
    fn channels(&self) -> impl Iterator<Item = u32> {
        let enabled = self.enabled();
        (0..CHANNELS).filter(move |channel| enabled >> channel & 1 != 0)
    }

    /// The event whose register is at `address` happens now.
    pub fn hear(&mut self, address: u32, env: &mut Env<'_, '_>) {
        let hearing = self.channels().filter(|channel| self.ends(*channel).0 == address);
        let hearing = hearing.fold(0u32, |bits, channel| bits | 1 << channel);
        if hearing == 0 {
            return;
        }
        let at = env.clocks().edge_after(Source::Pclk, env.now(), 1);
        match self.under_way.back_mut().filter(|(last, _)| *last == at) {
            Some((_, channels)) => *channels |= hearing,
            None => self.under_way.push_back((at, hearing)),
        }
        self.schedule(env);
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        env.schedule(0, self.under_way.front().map_or(Instant::NEVER, |(at, _)| *at));
    }

    /// Says which events it hears, once a setting has changed.
    fn listen(&self, env: &mut Env<'_, '_>) {
        env.wires.heard_events = self.channels().map(|channel| self.ends(channel).0).collect();
    }

    fn enable(&mut self, offset: u32, channels: u32, env: &mut Env<'_, '_>) {
        write_view(&mut self.signals.bank, CHEN, offset, Write::word(channels), env);
    }
}

impl Tasked for Ppi {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        let group = self.signals.get(CHG + 4 * ((task - GROUP_TASKS) / 8));
        self.enable(if task & 4 == 0 { CHENSET } else { CHENCLR }, group, env);
    }
}

impl Block<Words> for Ppi {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CHEN | CHENSET | CHENCLR => {
                write_view(&mut self.signals.bank, CHEN, offset, write, env);
            }
            _ => {
                self.access(offset, write, env);
            }
        }
        self.listen(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        while let Some((_, channels)) = self.under_way.pop_front_if(|(at, _)| *at <= env.now()) {
            for channel in (0..CHANNELS).filter(|channel| channels >> channel & 1 != 0) {
                for address in [self.ends(channel).1, self.signals.get(FORK + 4 * channel)] {
                    if address != 0 {
                        env.effect(Effect::Task { address });
                    }
                }
            }
        }
        self.schedule(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.under_way.iter_mut().for_each(|(at, _)| *at = at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.under_way.clear();
        self.schedule(env);
        self.listen(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
