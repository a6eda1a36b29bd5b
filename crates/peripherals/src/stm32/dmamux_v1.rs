//! DMA request multiplexer (RM0490, "DMA request multiplexer (DMAMUX)"): which request reaches which channel.
//!
//! Synchronisation and the request generators are not modelled; the events that EGE makes go nowhere else on this part.

use crate::bank::{all, some};
use crate::{Bank, Block, Effect, Env, Instance, Modelled, RequestMux, Words, Write};

/// The modelled registers and fields, with the values after reset (RM0490, "DMAMUX register map").
pub const MODEL: &[Modelled] = &[
    some("CCR0", 0, &["DMAREQ_ID", "EGE"]).and(&["CCR1", "CCR2", "CCR3", "CCR4", "CCR5", "CCR6"]),
    all("CSR", 0).and(&["CFR", "RGSR", "RGCFR"]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct DmamuxV1 {
    bank: Bank,
}

impl DmamuxV1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL) }
    }
}

impl RequestMux for DmamuxV1 {
    fn selected(&self, channel: u8) -> u8 {
        self.bank.get(u32::from(channel) * 4) as u8 & 0x7F
    }
}

impl Block<Words> for DmamuxV1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.bank.reset();
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
