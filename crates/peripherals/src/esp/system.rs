//! APB_CTRL of the ESP32 (TRM, "Reset and Clock"): dividers of the clocks that REF_TICK and the core come from, which DPORT carries
//! out.

use super::Message;
use super::registers::bank;
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

const SYSCLK_CONF: u32 = 0x0;
const XTAL_TICK: u32 = 0x4;
const PLL_TICK: u32 = 0x8;
const CK8M_TICK: u32 = 0xC;

/// The registers that are modelled.
pub const MODEL: &[Modelled] = &[
    some("SYSCLK_CONF", 0, &["PRE_DIV_CNT"]).unseen(&["RST_TICK_CNT", "CLK_EN"]),
    all("XTAL_TICK_CONF", 0),
    all("PLL_TICK_CONF", 0),
    all("CK8M_TICK_CONF", 0),
];

/// The block.
#[derive(Clone, Debug)]
pub struct ApbControl {
    bank: Bank,
}

impl ApbControl {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL) }
    }

    fn tell(&self, env: &mut Env<'_, '_>) {
        let of = [XTAL_TICK, PLL_TICK, CK8M_TICK].map(|offset| self.bank.get(offset) as u8);
        let divider = (self.bank.get(SYSCLK_CONF) & 0x3FF) as u16;
        env.effect(Effect::Esp(Message::Ticks { of, divider }));
    }
}

impl Block<Words> for ApbControl {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        self.tell(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.tell(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
