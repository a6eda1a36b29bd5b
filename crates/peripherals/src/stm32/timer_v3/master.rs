//! Signals of a timer to others: trigger outputs, references, DMA requests and bursts (RM0490, TIMx_CR2.MMS and MMS2, "DMA burst
//! mode"; RM0008 and RM0390, the same).

use super::TimerV3;
use super::registers::{CR2, DCR, DMAR};
use crate::{Effect, Env, Instance};

/// The trigger outputs.
const TRGO: [&str; 2] = ["TRGO", "TRGO2"];
/// The references that others hear.
const REFERENCES: [&str; 4] = ["CC1", "CC2", "CC3", "CC4"];

/// An event that a trigger output may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The counter was initialised.
    Reset,
    /// The counter is enabled or not.
    Enable(bool),
    /// An update event.
    Update,
    /// A capture or match of channel 1.
    Compare,
}

/// The DMA requests of a timer.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    pub update: Option<u8>,
    pub compare: [Option<u8>; 4],
    pub trigger: Option<u8>,
    pub commutation: Option<u8>,
    /// The request whose burst is under way, and the transfers of it so far.
    burst: Option<u8>,
    transfers: u32,
}

impl Requests {
    pub(super) fn new(instance: &Instance) -> Self {
        Self {
            update: instance.request("UP"),
            compare: super::output::NAMES.map(|name| instance.request(name)),
            trigger: instance.request("TRIG"),
            commutation: instance.request("COM"),
            burst: None,
            transfers: 0,
        }
    }

    /// Forgets a burst that is under way.
    pub(super) fn reset(&mut self) {
        (self.burst, self.transfers) = (None, 0);
    }
}

impl TimerV3 {
    /// The selections of the trigger outputs: MMS, MMS2.
    fn selections(&self) -> [u32; 2] {
        let cr2 = self.bank.get(CR2);
        [cr2 >> 4 & 7, cr2 >> 20 & 15]
    }

    /// Finds out anew who listens: bits 0 and 1 for the trigger outputs, from bit 2 on for the references.
    pub(super) fn find_listeners(&mut self, env: &Env<'_, '_>) {
        let names = TRGO.into_iter().chain(REFERENCES);
        self.heard = names.enumerate().fold(0, |bits, (place, name)| bits | u32::from(env.is_heard(name)) << place);
    }

    /// The level of a trigger output that shows one, by its selection.
    fn trigger_level(&self, output: usize, selection: u32) -> Option<bool> {
        match selection {
            1 => Some(self.told_enable),
            4..=7 => Some(self.outputs.reference[selection as usize - 4]),
            8 | 9 if output == 1 => Some(self.outputs.reference[selection as usize - 4]),
            _ => None,
        }
    }

    /// Tells all levels again, to those who have begun to listen.
    pub(super) fn tell_levels(&self, env: &mut Env<'_, '_>) {
        for (output, selection) in self.selections().into_iter().enumerate() {
            if let Some(level) = self.trigger_level(output, selection) {
                env.trigger(TRGO[output], level);
            }
        }
        for (channel, name) in REFERENCES.into_iter().enumerate() {
            env.trigger(name, self.outputs.reference[channel]);
        }
    }

    /// The reference of `channel` has the level `high` now.
    pub(super) fn tell_reference(&self, channel: usize, high: bool, env: &mut Env<'_, '_>) {
        if self.heard == 0 {
            return;
        }
        if let Some(name) = REFERENCES.get(channel) {
            env.trigger(name, high);
        }
        for (output, selection) in self.selections().into_iter().enumerate() {
            // Of channels 4 to 6, from 10 on: those of which a rise makes a pulse, and those of which a fall does.
            const PULSES: [(u32, u32); 6] =
                [(0b001, 0b001), (0b100, 0b100), (0b101, 0), (0b001, 0b100), (0b110, 0), (0b010, 0b100)];
            match selection {
                4..=9 if channel == selection as usize - 4 => env.trigger(TRGO[output], high),
                10.. if channel >= 3 => {
                    let (rises, falls) = PULSES[selection as usize - 10];
                    if (if high { rises } else { falls }) >> (channel - 3) & 1 != 0 {
                        env.pulse(TRGO[output]);
                    }
                }
                _ => {}
            }
        }
    }

    /// Shows `event` at the trigger outputs that have it selected.
    pub(super) fn master(&mut self, event: Event, env: &mut Env<'_, '_>) {
        let (code, level) = match event {
            Event::Reset => (0, None),
            Event::Enable(level) => {
                if self.told_enable == level {
                    return;
                }
                self.told_enable = level;
                (1, Some(level))
            }
            Event::Update => (2, None),
            Event::Compare => (3, None),
        };
        if self.heard & 3 == 0 {
            return;
        }
        for (output, selection) in self.selections().into_iter().enumerate() {
            if selection == code {
                match level {
                    Some(level) => env.trigger(TRGO[output], level),
                    None => env.pulse(TRGO[output]),
                }
            }
        }
    }

    /// True if a trigger output that is heard shows events of the number `code`.
    pub(super) fn shows(&self, code: u32) -> bool {
        let selections = self.selections();
        (0..2).any(|output| self.heard & 1 << output != 0 && selections[output] == code)
    }

    /// Asks for a transfer, or for as many as a burst has.
    pub(super) fn request(&mut self, number: Option<u8>, env: &mut Env<'_, '_>) {
        let Some(number) = number else { return };
        if self.bank.get(self.place(DCR)) >> 8 & 0x1F != 0 && self.requests.burst.is_none() {
            (self.requests.burst, self.requests.transfers) = (Some(number), 0);
        }
        env.effect(Effect::RequestOnce { number });
    }

    /// An access to DMAR; returns the offset of the register that it reaches, and goes on with the burst.
    pub(super) fn burst(&mut self, env: &mut Env<'_, '_>) -> Option<u32> {
        let dcr = self.bank.get(self.place(DCR));
        let offset = 4 * ((dcr & 0x1F) + self.requests.transfers);
        self.requests.transfers += 1;
        if self.requests.transfers > dcr >> 8 & 0x1F {
            self.requests.reset();
        } else if let Some(number) = self.requests.burst {
            env.effect(Effect::RequestOnce { number });
        }
        (offset != self.place(DMAR)).then_some(offset)
    }
}
