//! A timer ticked one clock after the other, as plainly as the manuals describe it (RM0490, "Advanced-control timer (TIM1)"):
//! the reference that the computed one must agree with. What the two share are the delays of `timer_v3::ROWS`.

mod input;
mod outputs;

use self::input::Input;

#[derive(Clone, Copy, PartialEq)]
enum Act {
    Trigger,
    Gate(bool),
    Count(Option<bool>),
    Commutate,
}

/// The timer.
#[derive(Clone)]
pub struct Model {
    pub tick: u64,
    pub cr1: u32,
    pub cr2: u32,
    pub smcr: u32,
    pub sr: u32,
    pub ccmr: [u32; 3],
    pub ccer: u32,
    pub cnt: u32,
    pub bdtr: u32,
    pub ccr: [u32; 6],
    group: u32,
    /// PSC, ARR, RCR as written, and in force.
    psc: [u32; 2],
    arr: [u32; 2],
    rcr: u32,
    repetitions: u32,
    compare: [u32; 6],
    active_ccmr: [u32; 3],
    active_ccer: u32,
    prescaler: u32,
    /// The counter counts from this tick on.
    from: u64,
    down: bool,
    gate: bool,
    acts: Vec<(u64, Act)>,
    ti: [Input; 4],
    etr: Input,
    brk: Input,
    divider: (bool, u32),
    /// Levels from outside: CH1 to CH4, ETR, BKIN.
    outside: [bool; 6],
    events: [u32; 4],
    own: [bool; 6],
    reference: [bool; 6],
    cleared: [bool; 6],
    fast: [bool; 6],
    triggered: bool,
    /// Ticks since each reference changed, and since MOE fell.
    age: [u64; 3],
    off: u64,
    /// The second break made MOE fall, which has no idle states.
    second: bool,
    /// The pins of CH1 to CH4 and CH1N to CH3N.
    pub pins: [bool; 7],
}

impl Model {
    pub fn new() -> Self {
        let input = Input::new();
        Self {
            tick: 0,
            cr1: 0,
            cr2: 0,
            smcr: 0,
            sr: 0,
            ccmr: [0; 3],
            ccer: 0,
            cnt: 0,
            bdtr: 0,
            ccr: [0; 6],
            group: 0,
            psc: [0; 2],
            arr: [0xFFFF; 2],
            rcr: 0,
            repetitions: 0,
            compare: [0; 6],
            active_ccmr: [0; 3],
            active_ccer: 0,
            prescaler: 0,
            from: 0,
            down: false,
            gate: true,
            acts: Vec::new(),
            ti: [(); 4].map(|()| input.clone()),
            etr: input.clone(),
            brk: input,
            divider: (false, 0),
            outside: [false; 6],
            events: [0; 4],
            own: [false; 6],
            reference: [false; 6],
            cleared: [false; 6],
            fast: [false; 6],
            triggered: false,
            age: [u64::MAX / 2; 3],
            off: u64::MAX / 2,
            second: false,
            pins: [false; 7],
        }
    }

    fn sms(&self) -> u32 {
        self.smcr & 7 | self.smcr >> 13 & 8
    }

    fn ts(&self) -> u32 {
        self.smcr >> 4 & 7 | self.smcr >> 17 & 0x18
    }

    fn mode(&self, channel: usize) -> u32 {
        self.ccmr[channel / 2] >> (channel % 2 * 8)
    }

    fn output(&self, channel: usize) -> bool {
        self.mode(channel) & 3 == 0
    }

    fn ocm(&self, channel: usize) -> u32 {
        let ccmr = self.active_ccmr[channel / 2] >> (channel % 2 * 8);
        ccmr >> 4 & 7 | ccmr >> 13 & 8
    }

    fn encodes(&self) -> bool {
        (1..=3).contains(&self.sms())
    }

    fn centred(&self) -> bool {
        self.cr1 & 0x60 != 0 && !self.encodes()
    }

    /// CR1 as it is read.
    pub fn shown_cr1(&self) -> u32 {
        self.cr1 & !0x10 | u32::from(self.down) << 4
    }

    /// One edge of the clock.
    pub fn step(&mut self) {
        self.tick += 1;
        for age in &mut self.age {
            *age += 1;
        }
        self.off += 1;
        let external = self.smcr & 1 << 14 != 0 || self.encodes() || self.sms() == 7;
        if self.cr1 & 1 != 0 && self.gate && !external && self.tick > self.from {
            self.clock();
        }
        let due: Vec<Act> = self.acts.iter().filter(|(at, _)| *at == self.tick).map(|(_, act)| *act).collect();
        self.acts.retain(|(at, _)| *at > self.tick);
        for act in due {
            self.act(act);
        }
        for channel in 0..4 {
            if self.ti[channel].tick(self.tick) {
                self.edge(channel);
            }
        }
        if self.etr.tick(self.tick) {
            self.etr_edge();
        }
        self.brk.tick(self.tick);
        self.settle();
    }

    /// One clock of the prescaler.
    fn clock(&mut self) {
        self.prescaler += 1;
        if self.prescaler > self.psc[1] {
            self.prescaler = 0;
            self.count();
        }
    }

    fn count(&mut self) {
        let arr = self.arr[1];
        if arr == 0 {
            return;
        }
        let (was_down, before) = (self.down, self.cnt);
        let mut end = false;
        if self.centred() {
            if was_down {
                self.cnt = self.cnt.saturating_sub(1);
                end = self.cnt == 0;
                self.down = !end;
            } else if self.cnt == 0xFFFF {
                self.cnt = 0;
            } else {
                self.cnt += 1;
                end = self.cnt == arr;
                self.down = end;
            }
        } else if was_down {
            end = self.cnt == 0;
            self.cnt = if end { arr } else { self.cnt - 1 };
        } else {
            end = self.cnt == arr;
            self.cnt = if end || self.cnt == 0xFFFF { 0 } else { self.cnt + 1 };
        }
        let flagged = if self.centred() { self.cr1 >> 5 & if was_down { 1 } else { 2 } != 0 } else { true };
        let over = end && (!self.centred() || !was_down);
        for channel in 0..6 {
            let compare = self.compare[channel];
            if self.output(channel)
                && flagged
                && ((self.cnt == compare && self.cnt != before) || (over && compare > arr))
            {
                self.sr |= if channel < 4 { 2 << channel } else { 1 << (12 + channel) };
                self.fast[channel] = false;
                match self.ocm(channel) {
                    1 => self.own[channel] = true,
                    2 => self.own[channel] = false,
                    3 => self.own[channel] = !self.own[channel],
                    _ => {}
                }
            }
        }
        if end {
            if self.repetitions > 0 {
                self.repetitions -= 1;
            } else if self.update(true) && self.cr1 & 8 != 0 {
                self.cr1 &= !1;
            }
        }
    }

    /// An update event; false if UDIS holds it back.
    fn update(&mut self, flagged: bool) -> bool {
        if self.cr1 & 2 != 0 {
            return false;
        }
        self.psc[1] = self.psc[0];
        self.arr[1] = self.arr[0];
        self.compare = self.ccr;
        self.repetitions = self.rcr;
        if !self.centred() && self.down && self.cnt != 0 {
            self.cnt = self.arr[1];
        }
        self.sr |= u32::from(flagged);
        (self.cleared, self.fast, self.triggered) = ([false; 6], [false; 6], false);
        self.clear();
        if self.bdtr & 1 << 14 != 0 && !self.broken() {
            self.bdtr |= 1 << 15;
        }
        true
    }

    /// OCREF_CLR, while it is high.
    fn clear(&mut self) {
        if self.etr.level {
            for channel in (0..6).filter(|channel| self.mode(*channel) & 0x83 == 0x80).collect::<Vec<_>>() {
                self.cleared[channel] = true;
                self.own[channel] &= self.ocm(channel) > 3;
            }
        }
    }

    fn initialise(&mut self) {
        self.cnt = 0;
        self.prescaler = 0;
        let flagged = self.cr1 & 4 == 0;
        self.update(flagged);
        if self.centred() {
            self.down = false;
        } else if self.down {
            self.cnt = self.arr[1];
        }
    }

    fn plan(&mut self, at: u64, act: Act) {
        if !self.acts.contains(&(at, act)) {
            self.acts.push((at, act));
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Gate(open) if self.sms() == 5 => {
                self.gate = open;
                self.sr |= 0x40;
            }
            Act::Gate(_) => {}
            Act::Count(direction) => {
                if let Some(down) = direction {
                    self.down = down;
                }
                if self.cr1 & 1 != 0 && self.gate {
                    self.clock();
                }
            }
            Act::Commutate => {
                (self.active_ccmr, self.active_ccer) = (self.ccmr, self.ccer);
                self.sr |= 0x20;
            }
            Act::Trigger => {
                let sms = self.sms();
                if matches!(sms, 4 | 8) {
                    self.initialise();
                }
                if matches!(sms, 6 | 8) && self.cr1 & 1 == 0 {
                    self.cr1 |= 1;
                    self.from = self.tick + 1;
                }
                if sms == 7 && self.smcr & 1 << 14 == 0 && self.cr1 & 1 != 0 && self.gate {
                    self.clock();
                }
                if sms != 0 {
                    self.sr |= 0x40;
                    self.triggered = true;
                    for channel in 0..6 {
                        self.fast[channel] |= self.mode(channel) & 7 == 4 && matches!(self.ocm(channel), 6 | 7);
                    }
                }
            }
        }
    }

    fn is_edge(&self, channel: usize, level: bool) -> bool {
        match self.ccer >> (channel * 4) & 0xA {
            0xA => true,
            bits => level != (bits & 2 != 0),
        }
    }

    fn polarised(&self, channel: usize) -> bool {
        self.ti[channel].level != (self.ccer >> (channel * 4) & 2 != 0)
    }

    fn edge(&mut self, input: usize) {
        let level = self.ti[input].level;
        for channel in 0..4 {
            let selected = [usize::MAX, channel, channel ^ 1, usize::MAX][self.mode(channel) as usize & 3];
            if selected == input && self.is_edge(channel, level) {
                self.capture_event(channel);
            }
        }
        let counted = match self.sms() {
            1 => input == 0,
            2 => input == 1,
            3 => input < 2,
            _ => false,
        };
        if counted {
            // RM0490, "Counting direction versus encoder signals", read row by row.
            let (rising, other) = (self.polarised(input), self.polarised(1 - input));
            const DOWN: [(usize, bool, bool); 4] =
                [(0, true, true), (0, false, false), (1, true, false), (1, false, true)];
            let down = DOWN.contains(&(input, rising, other));
            self.plan(self.tick + 1, Act::Count(Some(down)));
        }
        match (self.ts(), input) {
            (4, 0) => {
                for channel in (0..4).filter(|channel| self.mode(*channel) & 3 == 3).collect::<Vec<_>>() {
                    self.capture_event(channel);
                }
                self.trigger(true, None);
            }
            (5, 0) | (6, 1) => self.trigger(self.is_edge(input, level), Some(self.polarised(input))),
            _ => {}
        }
    }

    fn etr_edge(&mut self) {
        let level = self.etr.level;
        if level && self.smcr & 1 << 14 != 0 {
            self.plan(self.tick + 1, Act::Count(None));
        }
        if self.ts() == 7 {
            self.trigger(level, Some(level));
        }
    }

    fn trigger(&mut self, rises: bool, level: Option<bool>) {
        let at = self.tick + 1 + u64::from(self.smcr >> 7 & 1);
        if rises && self.cr2 & 5 == 5 {
            self.plan(self.tick + 1, Act::Commutate);
        }
        match (self.sms(), level) {
            (5, Some(level)) => self.plan(at, Act::Gate(level)),
            (0 | 5, _) => {}
            _ if rises => self.plan(at, Act::Trigger),
            _ => {}
        }
    }

    fn capture_event(&mut self, channel: usize) {
        if self.ccer >> (channel * 4) & 1 == 0 {
            return;
        }
        self.events[channel] += 1;
        if self.events[channel] >> (self.mode(channel) >> 2 & 3) != 0 {
            self.events[channel] = 0;
            self.capture(channel);
        }
    }

    fn capture(&mut self, channel: usize) {
        self.sr |= (self.sr & 2 << channel) << 8 | 2 << channel;
        (self.ccr[channel], self.compare[channel]) = (self.cnt, self.cnt);
    }

    fn broken(&self) -> bool {
        self.bdtr & 1 << 12 != 0 && if self.bdtr >> 16 & 15 != 0 { self.brk.level } else { self.brk.raw }
    }

    /// The outside puts a level on CH1 to CH4 (0 to 3), ETR (4) or BKIN (5).
    pub fn pin(&mut self, which: usize, high: bool) {
        self.outside[which] = high;
        self.settle();
        self.settle();
    }

    fn activate(&mut self) {
        for channel in 0..6 {
            if self.cr2 & 1 != 0 && channel < 3 {
                continue;
            }
            let modes = 0x1_0070 << (channel % 2 * 8);
            let ccmr = &mut self.active_ccmr[channel / 2];
            *ccmr = *ccmr & !modes | self.ccmr[channel / 2] & modes;
            let enables = 5 << (channel * 4);
            self.active_ccer = self.active_ccer & !enables | self.ccer & enables;
        }
    }

    /// A read of CCR1 to CCR4, which takes a capture's flag.
    pub fn read_ccr(&mut self, channel: usize) -> u32 {
        if !self.output(channel) {
            self.sr &= !(2 << channel);
        }
        self.ccr[channel]
    }

    /// A write of the register at `offset`, of its declared bits.
    pub fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0x00 => self.write_cr1(value),
            0x04 => {
                self.cr2 = value;
                self.activate();
            }
            0x08 => {
                let encoded = self.encodes();
                self.smcr = value;
                if encoded && !self.encodes() {
                    self.cr1 = self.cr1 & !0x10 | u32::from(self.down) << 4;
                }
                self.connect();
                self.gate = self.sms() != 5
                    || match self.ts() {
                        5 => self.polarised(0),
                        6 => self.polarised(1),
                        7 => self.etr.level,
                        _ => false,
                    };
            }
            0x10 => self.sr &= value,
            0x14 => self.generate(value),
            0x18 | 0x1C | 0x54 => {
                self.ccmr[if offset == 0x54 { 2 } else { (offset as usize - 0x18) / 4 }] = value;
                self.activate();
                for channel in 0..6 {
                    if self.output(channel) && self.mode(channel) & 8 == 0 {
                        self.compare[channel] = self.ccr[channel];
                    }
                }
            }
            0x20 => {
                self.ccer = value;
                self.activate();
                for channel in 0..4 {
                    if value >> (channel * 4) & 1 == 0 {
                        self.events[channel] = 0;
                    }
                }
            }
            0x24 => self.cnt = value,
            0x28 => self.psc[0] = value,
            0x2C => {
                self.arr[0] = value;
                if self.cr1 & 0x80 == 0 {
                    self.arr[1] = value;
                }
            }
            0x30 => self.rcr = value,
            0x34..=0x40 => self.write_ccr((offset as usize - 0x34) / 4, value),
            0x58 => {
                self.group = value;
                self.write_ccr(4, value & 0xFFFF);
            }
            0x5C => self.write_ccr(5, value),
            _ => self.write_bdtr(value),
        }
        self.settle();
        self.settle();
    }

    fn write_cr1(&mut self, value: u32) {
        let hardware = value & 0x60 != 0 || self.encodes();
        let dir = if hardware { u32::from(self.down) << 4 } else { value & 0x10 };
        if value & !self.cr1 & 1 != 0 {
            self.from = self.tick + 1;
        }
        self.cr1 = value & !0x10 | dir;
        if !hardware {
            self.down = dir != 0;
        }
        if value & 0x80 == 0 {
            self.arr[1] = self.arr[0];
        }
    }

    fn write_ccr(&mut self, channel: usize, value: u32) {
        if self.output(channel) {
            self.ccr[channel] = value;
            if self.mode(channel) & 8 == 0 {
                self.compare[channel] = value;
            }
        }
    }

    fn generate(&mut self, value: u32) {
        if value & 1 != 0 {
            self.initialise();
        }
        for channel in (0..4).filter(|channel| value & 2 << channel != 0) {
            if self.output(channel) {
                self.sr |= 2 << channel;
            } else {
                self.capture(channel);
            }
        }
        if value & 0x20 != 0 {
            self.act(Act::Commutate);
        }
        self.sr |= value & 0x1C0;
        if value & 0x180 != 0 {
            self.moe_off(value & 0x80 == 0);
        }
    }

    fn write_bdtr(&mut self, value: u32) {
        let before = self.bdtr;
        self.bdtr = value;
        if before & !value & 1 << 15 != 0 {
            self.off = 0;
            self.second = false;
        }
        self.connect();
    }
}
