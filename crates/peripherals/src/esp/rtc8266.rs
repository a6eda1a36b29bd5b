//! Real-time clock of the ESP8266 (`eagle_soc.h`, `gpio_register.h`): its counter, a reset by software, words that outlive resets,
//! and GPIO16. Sleep is not modelled.

use cyclescope_machine::Pin;

use super::Message;
use super::registers::bank;
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Span, Tree, Words, Write};

const CTL: u32 = 0x00;
const COUNT: u32 = 0x1C;
const STORE0: u32 = 0x30;
const STORE_END: u32 = 0x40;
const OUT: u32 = 0x68;
const ENABLE: u32 = 0x74;
const IN: u32 = 0x8C;

/// CTL: resets the part.
const RESET: u32 = 1 << 31;

/// GPIO16.
const PIN: u8 = 16;

/// The registers that are modelled. The pad of GPIO16 is always the port's.
pub const MODEL: &[Modelled] = &[
    all("SLP_CNT_VAL", 0).and(&["STORE0", "STORE1", "STORE2", "STORE3", "GPIO_OUT", "GPIO_ENABLE", "GPIO_IN_DATA"]),
    some("GPIO_CONF", 0, &[]).unseen(&["GPIO_CONF"]),
    some("PAD_XPD_DCDC_CONF", 0, &[]).unseen(&["PAD_XPD_DCDC_CONF"]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Rtc8266 {
    bank: Bank,
    /// Power-on in the time that never stands, from which the counter counts.
    since: Instant,
    begun: bool,
}

impl Rtc8266 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), since: Instant::default(), begun: false }
    }

    fn show_pin(&self, env: &mut Env<'_, '_>) {
        let driven = self.bank.get(ENABLE) & 1 != 0;
        let level = driven.then(|| self.bank.get(OUT) & 1 != 0);
        env.effect(Effect::Esp(Message::RtcPin { level }));
    }
}

impl Block<Words> for Rtc8266 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            COUNT => {
                let period = env.clocks().period_of(Source::Lsi);
                if period == Span::ZERO { 0 } else { env.always_now().since(self.since).divide(period).0 as u32 }
            }
            IN => env.wires.levels[usize::from(Pin::GPIO)] >> PIN & 1,
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == COUNT { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == CTL && write.ones() & RESET != 0 {
            return env.reset_part("RTC_CTL");
        }
        self.bank.write(offset, write, env);
        if [OUT, ENABLE].contains(&offset) {
            self.show_pin(env);
        }
    }

    fn after_change(&mut self, _: Tree, _: &mut Env<'_, '_>) {}

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let stored: Vec<u32> = (STORE0..STORE_END).step_by(4).map(|offset| self.bank.get(offset)).collect();
        self.bank.reset();
        (STORE0..STORE_END).step_by(4).zip(stored).for_each(|(offset, value)| self.bank.set(offset, value));
        if !std::mem::replace(&mut self.begun, true) {
            self.since = env.always_now();
        }
        self.show_pin(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
