//! Request multiplexer of the DMA (K20P64M72SF1RM, "Direct Memory Access Multiplexer (DMAMUX)"): the request that each of the
//! sixteen channels hears. The first four can wait for a timer of PIT, too.

use crate::bank::all;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, RequestMux, Words, Write};

use super::registers::bank;

const SOURCE: u8 = 0x3F;
const TRIG: u8 = 1 << 6;
const ENBL: u8 = 1 << 7;

/// Inputs from this one on are always active ("DMA MUX request sources").
const ALWAYS: u8 = 54;

/// The timers that trigger channels: those of PIT with their numbers.
const TIMERS: [&str; 4] = ["0", "1", "2", "3"];

/// The modelled registers, with the values after reset ("DMAMUX memory map").
pub const MODEL: &[Modelled] = &[all("CHCFG0_CHCFG1_CHCFG2_CHCFG3", 0).and(&[
    "CHCFG4_CHCFG5_CHCFG6_CHCFG7",
    "CHCFG8_CHCFG9_CHCFG10_CHCFG11",
    "CHCFG12_CHCFG13_CHCFG14_CHCFG15",
])];

/// The block.
#[derive(Clone, Debug)]
pub struct Dmamux {
    bank: Bank,
    /// Channels whose timer has expired since they were last served, one bit each.
    triggered: u8,
}

impl Dmamux {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), triggered: 0 }
    }

    fn channel(&self, channel: u8) -> u8 {
        (self.bank.get(u32::from(channel & 15) & !3) >> (u32::from(channel & 3) * 8)) as u8
    }

    /// Tells if `channel` waits for its timer.
    fn waits(&self, channel: u8) -> bool {
        usize::from(channel) < TIMERS.len() && self.channel(channel) & (ENBL | TRIG) == ENBL | TRIG
    }

    fn is_active(&self, channel: u8, requests: u128) -> bool {
        let source = self.selected(channel);
        source >= ALWAYS || source != 0 && requests >> source & 1 != 0
    }
}

impl RequestMux for Dmamux {
    fn selected(&self, channel: u8) -> u8 {
        let setting = self.channel(channel);
        if channel < 16 && setting & ENBL != 0 { setting & SOURCE } else { 0 }
    }

    fn carries(&self, channel: u8, requests: u128) -> bool {
        self.is_active(channel, requests) && (!self.waits(channel) || self.triggered >> channel & 1 != 0)
    }

    fn served(&mut self, channel: u8, _: &mut Env<'_, '_>) {
        if usize::from(channel) < TIMERS.len() {
            self.triggered &= !(1 << channel);
        }
    }

    /// "DMA channels with periodic triggering capability": a trigger without a request is ignored.
    fn look(&mut self, requests: u128) {
        if self.triggered != 0 {
            let asked = (0..4).filter(|channel| self.is_active(*channel, requests));
            self.triggered &= asked.fold(0, |bits, channel| bits | 1 << channel);
        }
    }
}

impl Block<Words> for Dmamux {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset & !3, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        for (channel, timer) in (0u8..).zip(TIMERS) {
            env.hear(channel, self.waits(channel).then_some(("PIT", timer)));
            if !self.waits(channel) {
                self.triggered &= !(1 << channel);
            }
        }
        env.effect(Effect::DmaChanged);
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        if high && usize::from(input) < TIMERS.len() {
            self.triggered |= 1 << input;
            env.effect(Effect::DmaChanged);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.triggered = 0;
        (0..4).for_each(|channel| env.hear(channel, None));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
