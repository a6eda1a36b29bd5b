//! The timers as the datasheet's text has them, one period of clkI/O after the other: the oracle. It shares nothing
//! with the model but the numbers of the registers.

use super::super::register::*;

/// The kinds of timer, by what the tests ask of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub wide: bool,
    pub channels: usize,
    pub clock_pin: bool,
    pub second_prescaler: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Normal,
    Ctc,
    Fast,
    PhaseCorrect,
    PhaseAndFrequencyCorrect,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Number(u16),
    Ocra,
    Icr,
}

/// The state in one period.
#[derive(Clone, Debug)]
pub struct Naive {
    kind: Kind,
    tcnt: u16,
    counts_down: bool,
    ocr_as_written: [u16; 3],
    ocr: [u16; 3],
    icr: u16,
    tccra: u8,
    tccrb: u8,
    pub tifr: u8,
    pub timsk: u8,
    temp: u8,
    pub oc: [bool; 3],
    blocked: bool,
    prescaler: u16,
    prescaler_held: bool,
    pub powered: bool,
    /// Flip-flops behind Tn and ICPn.
    clock_chain: [bool; 3],
    capture_chain: [bool; 2],
    samples: [bool; 4],
    capture_level: bool,
    write: Option<(u8, u8)>,
    clear: u8,
    /// GTCCR's reset of this prescaler: held or not.
    reset_prescaler: Option<bool>,
    release_prescaler: bool,
    power_next: Option<bool>,
}

impl Naive {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            tcnt: 0,
            counts_down: false,
            ocr_as_written: [0; 3],
            ocr: [0; 3],
            icr: 0,
            tccra: 0,
            tccrb: 0,
            tifr: 0,
            timsk: 0,
            temp: 0,
            oc: [false; 3],
            blocked: false,
            // Zero in the first period.
            prescaler: 1023,
            prescaler_held: false,
            powered: true,
            clock_chain: [false; 3],
            capture_chain: [false; 2],
            samples: [false; 4],
            capture_level: false,
            write: None,
            clear: 0,
            reset_prescaler: None,
            release_prescaler: false,
            power_next: None,
        }
    }

    fn wgm(&self) -> u8 {
        if self.kind.wide {
            (self.tccrb & 0x18) >> 1 | self.tccra & 3
        } else {
            (self.tccrb & 0x08) >> 1 | self.tccra & 3
        }
    }

    fn mode(&self) -> (Does, Limit) {
        use Does::{Ctc, Fast, Normal, PhaseAndFrequencyCorrect, PhaseCorrect};
        use Limit::{Icr, Number, Ocra};
        if self.kind.wide {
            [
                (Normal, Number(0xFFFF)),
                (PhaseCorrect, Number(0x00FF)),
                (PhaseCorrect, Number(0x01FF)),
                (PhaseCorrect, Number(0x03FF)),
                (Ctc, Ocra),
                (Fast, Number(0x00FF)),
                (Fast, Number(0x01FF)),
                (Fast, Number(0x03FF)),
                (PhaseAndFrequencyCorrect, Icr),
                (PhaseAndFrequencyCorrect, Ocra),
                (PhaseCorrect, Icr),
                (PhaseCorrect, Ocra),
                (Ctc, Icr),
                (Normal, Number(0xFFFF)),
                (Fast, Icr),
                (Fast, Ocra),
            ][usize::from(self.wgm())]
        } else {
            [
                (Normal, Number(0xFF)),
                (PhaseCorrect, Number(0xFF)),
                (Ctc, Ocra),
                (Fast, Number(0xFF)),
                (Normal, Number(0xFF)),
                (PhaseCorrect, Ocra),
                (Normal, Number(0xFF)),
                (Fast, Ocra),
            ][usize::from(self.wgm())]
        }
    }

    fn top(&self) -> u16 {
        match self.mode().1 {
            Limit::Number(number) => number,
            Limit::Ocra => self.ocr[0],
            Limit::Icr => self.icr,
        }
    }

    fn is_pwm(&self) -> bool {
        !matches!(self.mode().0, Does::Normal | Does::Ctc)
    }

    fn is_dual(&self) -> bool {
        matches!(self.mode().0, Does::PhaseCorrect | Does::PhaseAndFrequencyCorrect)
    }

    fn com(&self, channel: usize) -> u8 {
        self.tccra >> [6, 4, 2][channel] & 3
    }

    /// Tells if COM = 1 has an effect on this channel.
    fn toggles(&self, channel: usize) -> bool {
        !self.is_pwm()
            || channel == 0
                && if self.kind.wide { [9, 11, 14, 15].contains(&self.wgm()) } else { [5, 7].contains(&self.wgm()) }
    }

    /// The level on the pin, if the timer has it.
    pub fn pin(&self, channel: usize) -> Option<bool> {
        let connected = match self.com(channel) {
            0 => false,
            1 => self.toggles(channel),
            _ => true,
        };
        connected.then_some(self.oc[channel])
    }

    fn non_pwm_match(&mut self, channel: usize) {
        match self.com(channel) {
            1 => self.oc[channel] = !self.oc[channel],
            2 => self.oc[channel] = false,
            3 => self.oc[channel] = true,
            _ => {}
        }
    }

    /// The level that a compare match makes on the way up (`false`) or down (`true`) with COM = 2 or 3.
    fn modulate(&mut self, channel: usize, as_down: bool) {
        if self.com(channel) >= 2 {
            self.oc[channel] = as_down == (self.com(channel) == 2);
        }
    }

    fn take_buffers(&mut self) {
        self.ocr = self.ocr_as_written;
    }

    /// One clkT: the flags that it sets.
    fn timer_clock(&mut self) -> u8 {
        let max = if self.kind.wide { 0xFFFF } else { 0xFF };
        let (does, limit) = self.mode();
        let top = self.top();
        let blocked = std::mem::replace(&mut self.blocked, false);
        let compares = |value: u16, with: u16| value == with && !blocked;
        let here = self.tcnt;
        let is_top = if let Limit::Number(number) = limit { here == number } else { compares(here, top) };
        let mut flags = 0;
        let matches: [bool; 3] =
            std::array::from_fn(|channel| channel < self.kind.channels && compares(here, self.ocr[channel]));
        for (channel, matched) in matches.into_iter().enumerate() {
            flags |= u8::from(matched) << (channel + 1);
        }
        if limit == Limit::Icr && compares(here, self.icr) {
            flags |= 0x20;
        }
        match does {
            Does::Normal | Does::Ctc => {
                if here == max {
                    flags |= 1;
                }
                self.tcnt = if here == max || (does == Does::Ctc && is_top) { 0 } else { here + 1 };
                for (channel, matched) in matches.into_iter().enumerate() {
                    if matched {
                        self.non_pwm_match(channel);
                    }
                }
            }
            Does::Fast => {
                if is_top {
                    flags |= 1;
                }
                let to_bottom = is_top || here == max;
                self.tcnt = if to_bottom { 0 } else { here + 1 };
                if to_bottom {
                    self.take_buffers();
                }
                for (channel, matched) in matches.into_iter().enumerate() {
                    if matched && self.com(channel) == 1 && self.toggles(channel) {
                        self.oc[channel] = !self.oc[channel];
                    } else if to_bottom {
                        self.modulate(channel, true);
                    } else if matched {
                        self.modulate(channel, false);
                    }
                }
            }
            Does::PhaseCorrect | Does::PhaseAndFrequencyCorrect => {
                let is_bottom = compares(here, 0);
                if is_bottom {
                    flags |= 1;
                }
                if is_top && is_bottom {
                    self.counts_down = false;
                } else {
                    if is_top {
                        self.counts_down = true;
                    }
                    if is_bottom {
                        self.counts_down = false;
                    }
                    self.tcnt = match (self.counts_down, here) {
                        (true, 0) => max,
                        (true, here) => here - 1,
                        (false, here) if here == max => 0,
                        (false, here) => here + 1,
                    };
                }
                if does == Does::PhaseCorrect && is_top || does == Does::PhaseAndFrequencyCorrect && is_bottom {
                    self.take_buffers();
                }
                for (channel, matched) in matches.into_iter().enumerate() {
                    if matched && self.com(channel) == 1 && self.toggles(channel) {
                        self.oc[channel] = !self.oc[channel];
                    } else if is_top {
                        let at_or_beyond = self.ocr[channel] >= self.top();
                        self.modulate(channel, at_or_beyond);
                    } else if matched {
                        self.modulate(channel, self.counts_down);
                    }
                }
            }
        }
        flags
    }

    /// Tells if the period that ends now ends with a clkT.
    fn has_timer_clock(&self) -> bool {
        let divided = |by: u16| !self.prescaler_held && self.prescaler % by == by - 1;
        let edge = self.clock_chain[1] != self.clock_chain[2];
        let rising = self.clock_chain[1];
        let shared = match self.tccrb & 7 {
            1 => !self.prescaler_held,
            2 => divided(8),
            3 => divided(64),
            4 => divided(256),
            5 => divided(1024),
            6 => self.kind.clock_pin && edge && !rising,
            7 => self.kind.clock_pin && edge && rising,
            _ => false,
        };
        let own = match self.tccrb & 7 {
            1 => !self.prescaler_held,
            2 => divided(8),
            3 => divided(32),
            4 => divided(64),
            5 => divided(128),
            6 => divided(256),
            7 => divided(1024),
            _ => false,
        };
        self.powered && if self.kind.second_prescaler { own } else { shared }
    }

    /// The level that the edge detector of ICPn sees.
    fn capture_sees(&self) -> bool {
        if self.tccrb & 0x80 == 0 {
            return self.capture_chain[1];
        }
        if self.samples.iter().all(|sample| *sample == self.samples[0]) { self.samples[0] } else { self.capture_level }
    }

    /// The clock edge at the end of a period in which the pins Tn and ICPn had these levels.
    pub fn clock_edge(&mut self, t_pin: bool, icp_pin: bool) {
        let was = self.tcnt;
        let mut set = 0;
        let write = self.write.take();
        let overridden = matches!(write, Some((TCNTL, _)));
        let timer_clock = self.has_timer_clock();
        let sees = self.capture_sees();
        let captures = self.kind.wide
            && self.powered
            && self.mode().1 != Limit::Icr
            && sees != self.capture_level
            && sees == (self.tccrb & 0x40 != 0);
        if timer_clock && !overridden {
            set |= self.timer_clock();
        }
        if captures {
            self.icr = was;
            set |= 0x20;
        }
        self.capture_level = sees;
        self.samples = [self.capture_chain[1], self.samples[0], self.samples[1], self.samples[2]];
        self.capture_chain = [icp_pin, self.capture_chain[0]];
        self.clock_chain = [t_pin, self.clock_chain[0], self.clock_chain[1]];
        self.prescaler = if self.prescaler_held { 0 } else { (self.prescaler + 1) % 1024 };
        if let Some(held) = self.reset_prescaler.take() {
            self.prescaler = 0;
            self.prescaler_held = held;
        }
        if std::mem::take(&mut self.release_prescaler) {
            self.prescaler = 0;
            self.prescaler_held = false;
        }
        self.powered = self.power_next.take().unwrap_or(self.powered);
        let cleared = std::mem::take(&mut self.clear);
        if let Some((register, value)) = write {
            self.take_write(register, value);
        }
        self.tifr = self.tifr & !cleared | set;
    }

    fn take_write(&mut self, register: u8, value: u8) {
        let word = if self.kind.wide { u16::from(self.temp) << 8 | u16::from(value) } else { u16::from(value) };
        match register {
            TCCRA => self.tccra = value,
            TCCRB if self.kind.wide => self.tccrb = value,
            TCCRB => {
                self.tccrb = value & 0x0F;
                self.force(value);
            }
            TCCRC => self.force(value),
            TCNTL => {
                self.tcnt = word;
                self.blocked = true;
            }
            OCRAL | OCRBL | OCRCL => self.ocr_as_written[usize::from(register - OCRAL) / 2] = word,
            ICRL => self.icr = word,
            TIMSK => self.timsk = value,
            _ => self.temp = value,
        }
        // Without PWM there is no double buffering; and only a dual slope has a way down.
        if !self.is_pwm() {
            self.take_buffers();
        }
        self.counts_down &= self.is_dual();
    }

    fn force(&mut self, bits: u8) {
        for channel in 0..self.kind.channels {
            if bits & [0x80, 0x40, 0x20][channel] != 0 && !self.is_pwm() {
                self.non_pwm_match(channel);
            }
        }
    }

    /// An instruction writes in this period.
    pub fn write(&mut self, register: u8, value: u8) {
        match register {
            TIFR => self.clear |= value,
            ICRL if self.mode().1 != Limit::Icr => {}
            _ => self.write = Some((register, value)),
        }
    }

    pub fn acknowledge(&mut self, flag: u8) {
        self.clear |= flag;
    }

    pub fn write_gtccr(&mut self, value: u8) {
        let bit = if self.kind.second_prescaler { 2 } else { 1 };
        if value & bit != 0 {
            self.reset_prescaler = Some(value & 0x80 != 0);
        } else {
            self.release_prescaler = self.prescaler_held;
        }
    }

    pub fn power(&mut self, on: bool) {
        self.power_next = Some(on);
    }

    /// An instruction reads in this period.
    pub fn read(&mut self, register: u8) -> u8 {
        match register {
            TCCRA => self.tccra,
            TCCRB => self.tccrb,
            TIMSK => self.timsk,
            TIFR => self.tifr,
            TCNTL => {
                self.temp = (self.tcnt >> 8) as u8;
                self.tcnt as u8
            }
            ICRL => {
                self.temp = (self.icr >> 8) as u8;
                self.icr as u8
            }
            TCNTH | ICRH => self.temp,
            OCRAL | OCRBL | OCRCL => self.ocr_as_written[usize::from(register - OCRAL) / 2] as u8,
            OCRAH | OCRBH | OCRCH => (self.ocr_as_written[usize::from(register - OCRAH) / 2] >> 8) as u8,
            _ => 0,
        }
    }
}
