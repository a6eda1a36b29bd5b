//! References and outputs, worked out anew at each tick.

use super::Model;

impl Model {
    /// References, outputs and pins after anything.
    pub fn settle(&mut self) {
        let dts = [1, 2, 4, 4][self.cr1 as usize >> 8 & 3];
        if self.broken() {
            self.sr |= 0x80;
            self.moe_off(false);
        }
        self.clear();
        for channel in 0..6 {
            let (cnt, compare) = (self.cnt, self.compare[channel]);
            let pwm_1 = if self.down { cnt <= compare } else { cnt < compare };
            self.own[channel] = match self.ocm(channel) {
                4 => false,
                5 => true,
                6 if self.fast[channel] => self.down,
                7 if self.fast[channel] => !self.down,
                6 | 12 | 14 => pwm_1,
                7 | 13 | 15 => !pwm_1,
                8 if !self.triggered => !self.down,
                8 => pwm_1,
                9 if !self.triggered => self.down,
                9 if self.down => pwm_1 || !self.triggered,
                9 => !pwm_1,
                _ => self.own[channel],
            };
        }
        for channel in 0..6 {
            let (own, other) = (self.own[channel], self.own[channel ^ 1]);
            let mut reference = match self.ocm(channel) {
                12 => own | other,
                13 => own & other,
                14 | 15 if self.down => other,
                _ => own,
            };
            if channel < 3 && self.group >> (29 + channel) & 1 != 0 {
                reference &= self.own[4];
            }
            reference &= !self.cleared[channel] || matches!(self.ocm(channel), 4 | 5);
            reference &= self.output(channel);
            if reference != self.reference[channel] {
                self.reference[channel] = reference;
                if channel < 3 {
                    self.age[channel] = 0;
                }
            }
        }
        let dtg = u64::from(self.bdtr & 0xFF);
        let dead = dts
            * match dtg {
                0..=0x7F => dtg,
                0x80..=0xBF => (64 + (dtg & 0x3F)) * 2,
                0xC0..=0xDF => (32 + (dtg & 0x1F)) * 8,
                _ => (32 + (dtg & 0x1F)) * 16,
            };
        for channel in 0..4 {
            let [main, complement] = self.levels(channel, dead);
            self.pins[channel] = main.unwrap_or(self.outside[channel]);
            if channel < 3 {
                self.pins[4 + channel] = complement.unwrap_or(false);
            }
        }
        self.connect();
    }

    /// The levels of a channel and its complement (RM0490, "Output control bits for complementary OCx and OCxN channels").
    fn levels(&self, channel: usize, dead: u64) -> [Option<bool>; 2] {
        let (enables, bits) = (self.active_ccer >> (channel * 4), self.ccer >> (channel * 4));
        let enabled = [enables & 1 != 0, channel < 3 && enables & 4 != 0];
        let inactive = [bits & 2 != 0, bits & 8 != 0];
        if !self.output(channel) || enabled == [false; 2] {
            return [None; 2];
        }
        let reference = self.reference[channel];
        let paired = channel < 3;
        if self.bdtr & 1 << 15 != 0 {
            if enabled == [true; 2] {
                let quiet = self.age[channel] < dead;
                return [Some((reference && !quiet) != inactive[0]), Some((!reference && !quiet) != inactive[1])];
            }
            return [0, 1].map(|which| {
                if enabled[which] {
                    Some(reference != inactive[which])
                } else {
                    (paired && self.bdtr & 1 << 11 != 0).then_some(inactive[which])
                }
            });
        }
        if self.bdtr & 1 << 10 == 0 {
            return [None; 2];
        }
        let idle = [8, 9].map(|bit| self.cr2 >> (bit + 2 * channel) & 1 != 0);
        let both = paired && idle[0] != inactive[0] && idle[1] != inactive[1];
        let idles = !both && !self.second && (!paired || self.off >= dead);
        [0, 1].map(|which| Some(if idles { idle[which] } else { inactive[which] }))
    }

    pub fn moe_off(&mut self, second: bool) {
        if self.bdtr & 1 << 15 != 0 {
            self.bdtr &= !(1 << 15);
            self.off = 0;
            self.second = second;
        }
    }

    pub fn connect(&mut self) {
        let pins = self.pins;
        self.ti[0].raw = if self.cr2 & 0x80 != 0 { pins[0] ^ pins[1] ^ pins[2] } else { pins[0] };
        for (input, level) in self.ti.iter_mut().zip(pins).skip(1) {
            input.raw = level;
        }
        let etr = self.outside[4] != (self.smcr & 1 << 15 != 0);
        self.divider = (etr, self.divider.1.wrapping_add(u32::from(etr && !self.divider.0)));
        self.etr.raw = match self.smcr >> 12 & 3 {
            0 => etr,
            shift => self.divider.1 >> (shift - 1) & 1 != 0,
        };
        self.brk.raw = self.outside[5] == (self.bdtr & 1 << 13 != 0);
        let dts = [1, 2, 4, 4][self.cr1 as usize >> 8 & 3];
        for channel in 0..4 {
            let mode = self.mode(channel);
            self.ti[channel].filter(if mode & 3 != 0 { mode >> 4 } else { 0 }, dts);
        }
        self.etr.filter(self.smcr >> 8, dts);
        self.brk.filter(self.bdtr >> 16, dts);
        if self.broken() {
            self.sr |= 0x80;
            self.moe_off(false);
        }
    }
}
