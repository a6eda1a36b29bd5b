//! I2S as a target: it follows CK and WS, edge by edge.

use super::i2s::{FRE, I2s, Settings, Standard, UDR};
use crate::{Bank, Effect, Env};

const SR: u32 = 0x08;

/// The place of a target in its frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Follower {
    ck: bool,
    ws: bool,
    /// WS at the last bit that was taken.
    sampled: bool,
    /// WS has been heard.
    known: bool,
    /// The channel begins with the next bit.
    begins: bool,
    /// Bits of the channel that are still to come.
    left: u32,
    /// The bits of the half-word under way.
    taken: u32,
    /// A frame has begun since the block was switched on.
    on: bool,
    /// The bits that go out, with their number, and the level of SD.
    out: (u32, u32),
    level: bool,
}

impl Follower {
    /// The level that it puts on SD.
    pub(super) const fn level(&self) -> bool {
        self.level
    }

    /// True inside a channel.
    pub(super) const fn is_busy(&self) -> bool {
        self.left > 0
    }
}

impl I2s {
    /// A line of a target has another level.
    pub(super) fn follow(
        &mut self,
        signal: &str,
        high: bool,
        settings: Settings,
        bank: &mut Bank,
        env: &mut Env<'_, '_>,
    ) {
        match signal {
            "I2S_SD" => self.sd = high,
            "I2S_WS" => {
                if !std::mem::replace(&mut self.follower.known, true) {
                    self.follower.sampled = !high;
                }
                self.follower.ws = high;
                // Without a bit ahead the first bit of data goes out with WS.
                let at_once = matches!(settings.standard(), Standard::Msb | Standard::Lsb | Standard::Pcm(true));
                if settings.is_on() && at_once && self.starts(settings) && self.follower.left == 0 {
                    self.load(settings, bank);
                    self.send(settings, env);
                }
            }
            "I2S_CK" if high != self.follower.ck => {
                self.follower.ck = high;
                if !settings.is_on() {
                    return;
                }
                if high != settings.rests_high() {
                    self.take(settings, bank);
                } else {
                    self.change(settings, bank, env);
                }
            }
            _ => {}
        }
    }

    /// True if WS says that a channel begins: with this bit, or the next one.
    fn starts(&self, settings: Settings) -> bool {
        let Follower { ws, sampled, on, .. } = self.follower;
        let left = if settings.standard() == Standard::Philips { !ws } else { ws };
        match settings.standard() {
            Standard::Pcm(_) => ws && !sampled,
            // The first channel is a left one.
            _ => ws != sampled && (on || left),
        }
    }

    /// CK's edge at which bits are taken.
    fn take(&mut self, settings: Settings, bank: &mut Bank) {
        let ahead = matches!(settings.standard(), Standard::Philips | Standard::Pcm(false));
        let starts = self.starts(settings);
        if starts && !ahead {
            self.frame(settings, bank);
        }
        if std::mem::take(&mut self.follower.begins) {
            self.frame(settings, bank);
        }
        if self.follower.left > 0 {
            self.follower.taken = self.follower.taken << 1 | u32::from(self.sd);
            self.follower.left -= 1;
            if self.follower.left.is_multiple_of(settings.bits()) {
                let bits = std::mem::take(&mut self.follower.taken);
                if settings.receives() {
                    self.arrive(settings.back(bits, self.second), bank);
                }
                self.next_half(settings);
            }
        }
        self.follower.begins = starts && ahead;
        self.follower.sampled = self.follower.ws;
    }

    /// A channel begins; one that has bits left is broken off.
    fn frame(&mut self, settings: Settings, bank: &mut Bank) {
        if self.follower.left > 0 {
            bank.flag(SR, FRE, true);
            self.second = false;
        }
        (self.follower.left, self.follower.taken, self.follower.on) = (settings.channel(), 0, true);
        let right_is_high = settings.standard() == Standard::Philips;
        self.right = !settings.is_pcm() && self.follower.ws == right_is_high;
    }

    /// CK's edge at which bits change.
    fn change(&mut self, settings: Settings, bank: &mut Bank, env: &mut Env<'_, '_>) {
        if settings.receives() {
            return;
        }
        if self.follower.begins || self.follower.out.1 == 0 && self.follower.left > 0 {
            self.load(settings, bank);
        }
        self.send(settings, env);
    }

    /// The next half-word goes into the shift register.
    fn load(&mut self, settings: Settings, bank: &mut Bank) {
        if settings.receives() || self.follower.out.1 > 0 {
            return;
        }
        let data = self.waiting.pop_front();
        if data.is_none() {
            bank.flag(SR, UDR, true);
        }
        self.follower.out = (settings.out(data.unwrap_or(0), self.second), settings.bits());
    }

    /// The next bit goes out.
    fn send(&mut self, settings: Settings, env: &mut Env<'_, '_>) {
        let (bits, count) = self.follower.out;
        if settings.receives() || count == 0 {
            return;
        }
        self.follower.out.1 = count - 1;
        let level = bits >> (count - 1) & 1 != 0;
        if level != std::mem::replace(&mut self.follower.level, level) {
            env.effect(Effect::Output { signal: "I2S_SD", level: Some(level) });
        }
    }
}
