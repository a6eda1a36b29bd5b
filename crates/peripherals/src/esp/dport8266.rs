//! DPORT of the ESP8266 (`eagle_soc.h`): the core's clock, and edges of interrupts.
//!
//! The clock begins as the vendor's loader leaves it: the PLL makes 160 MHz of the crystal's 26 MHz, of which the core has half until
//! a program doubles it, and the APB half always. Programs cannot set the PLL here: its registers are behind an internal bus that no
//! document describes.

use cyclescope_machine::units::Hertz;

use super::Message;
use super::registers::bank;
use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Modelled, Pll, ResetFlag, Tree, Words, Write,
};

const EDGE_INT_ENABLE: u32 = 0x04;
const CTL: u32 = 0x14;
const DOUBLE_CLOCK: u32 = 1 << 0;

/// The output of the PLL.
const PLL: Pll = Pll::unity(Hertz::new(160_000_000));

/// The registers that are modelled.
pub const MODEL: &[Modelled] = &[all("EDGE_INT_ENABLE", 0), some("CTL", 0, &["DPORT_CTL_DOUBLE_CLK"])];

/// The block.
#[derive(Clone, Debug)]
pub struct Dport8266 {
    bank: Bank,
}

impl Dport8266 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL) }
    }
}

impl Block<Words> for Dport8266 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            EDGE_INT_ENABLE => env.effect(Effect::Esp(Message::Edges { enabled: new })),
            CTL if (old ^ new) & DOUBLE_CLOCK != 0 => env.effect(Effect::ClocksChanged),
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.effect(Effect::ClocksChanged);
        env.effect(Effect::Esp(Message::Edges { enabled: 0 }));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl ClockControl for Dport8266 {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let fast = PLL.period(clocks);
        let half = fast.times(2);
        let core = if self.bank.get(CTL) & DOUBLE_CLOCK != 0 { fast } else { half };
        let oscillators = clocks.oscillators();
        Tree {
            hclk: core,
            pclk: half,
            pclk2: half,
            timer: half,
            timer2: half,
            sysclk: core,
            lsi: clocks.period(oscillators.lsi),
            hse: oscillators.hse.map_or(crate::Span::ZERO, |crystal| clocks.period(crystal)),
            ..Tree::default()
        }
    }

    fn plls(&self, _: &Clocks) -> Vec<Pll> {
        vec![PLL]
    }

    fn note_reset(&mut self, _: ResetFlag) {}

    fn settled(&mut self, _: &mut Env<'_, '_>) {}

    fn force_lsi(&mut self, _: &mut Env<'_, '_>) {}
}
