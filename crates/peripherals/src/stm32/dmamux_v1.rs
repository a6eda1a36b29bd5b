//! DMA request multiplexer (RM0490, RM0444, RM0440 and RM0432, "DMA request multiplexer (DMAMUX)"): which request reaches which
//! channel, at which signal it does, and requests made from signals.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::all;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, RequestMux, Trigger, Words, Write};

const CSR: u32 = 0x80;
const CFR: u32 = 0x84;
const RGCR0: u32 = 0x100;
const RGSR: u32 = 0x140;
const RGCFR: u32 = 0x144;

/// Bits of CxCR.
const SOIE: u32 = 1 << 8;
const EGE: u32 = 1 << 9;
const SE: u32 = 1 << 16;

/// Bits of RGxCR.
const OIE: u32 = 1 << 8;
const GE: u32 = 1 << 16;

/// Channels, and request generators, at most.
const CHANNELS: usize = 16;
const GENERATORS: usize = 4;

/// The modelled registers and fields, with the values after reset (RM0490, "DMAMUX register map").
pub const MODEL: &[Modelled] = &[
    all("CCR0", 0).and(&[
        "CCR1", "CCR2", "CCR3", "CCR4", "CCR5", "CCR6", "CCR7", "CCR8", "CCR9", "CCR10", "CCR11", "CCR12", "CCR13",
        "CCR14", "CCR15",
    ]),
    all("RGCR0", 0).and(&["RGCR1", "RGCR2", "RGCR3"]),
    all("CSR", 0).and(&["CFR", "RGSR", "RGCFR"]),
];

/// The time of a signal on its way.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "dmamux.signal",
    "cycles of HCLK from an edge of a trigger or synchronisation input until the request that it lets through is there",
    0,
    "RM0490, RM0444, RM0440 and RM0432 give no figure; the signals come from registers of HCLK's or PCLK's; not measured",
)];

/// The signals of the trigger and synchronisation inputs (RM0444 and RM0490, "DMAMUX: assignment of trigger inputs to resources";
/// RM0440 and RM0432, the same, whose timer input is not there).
const SIGNALS: [Trigger; 23] = [
    ("EXTI", "EXTI0"),
    ("EXTI", "EXTI1"),
    ("EXTI", "EXTI2"),
    ("EXTI", "EXTI3"),
    ("EXTI", "EXTI4"),
    ("EXTI", "EXTI5"),
    ("EXTI", "EXTI6"),
    ("EXTI", "EXTI7"),
    ("EXTI", "EXTI8"),
    ("EXTI", "EXTI9"),
    ("EXTI", "EXTI10"),
    ("EXTI", "EXTI11"),
    ("EXTI", "EXTI12"),
    ("EXTI", "EXTI13"),
    ("EXTI", "EXTI14"),
    ("EXTI", "EXTI15"),
    ("DMAMUX1", EVENTS[0]),
    ("DMAMUX1", EVENTS[1]),
    ("DMAMUX1", EVENTS[2]),
    ("DMAMUX1", EVENTS[3]),
    ("LPTIM1", "OUT"),
    ("LPTIM2", "OUT"),
    ("TIM14", "CC1"),
];

/// The events of channels that inputs can choose.
const EVENTS: [&str; 4] = ["EVT0", "EVT1", "EVT2", "EVT3"];

/// The state of a channel's synchronisation unit and of its request counter.
#[derive(Clone, Copy, Debug, Default)]
struct Synchroniser {
    /// The synchronisation input has seen an edge, which lets requests through that are there.
    came: bool,
    /// Requests pass.
    open: bool,
    /// The requests that are served before the counter reloads; 0 while it does not count.
    left: u8,
    /// A request for one transfer waits for the synchronisation input.
    once: bool,
}

/// The block.
#[derive(Clone, Debug)]
pub struct DmamuxV1 {
    bank: Bank,
    lines: Lines,
    channels: [Synchroniser; CHANNELS],
    /// The requests that each generator has still to make.
    generators: [u8; GENERATORS],
}

/// True if an edge to the level `high` is one that GPOL or SPOL, the lowest bits of `polarity`, choose: 1 rising, 2 falling.
fn is_chosen(polarity: u32, high: bool) -> bool {
    polarity & if high { 1 } else { 2 } != 0
}

/// The request counter's start of CxCR or RGxCR: NBREQ or GNBREQ, and one.
fn count(register: u32) -> u8 {
    (register >> 19 & 31) as u8 + 1
}

impl DmamuxV1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("OVR", u32::MAX)]),
            channels: [Synchroniser::default(); CHANNELS],
            generators: [0; GENERATORS],
        }
    }

    /// Overruns drive `interrupt`.
    pub fn connect(&mut self, interrupt: u8) {
        self.lines.connect(interrupt, u64::MAX);
    }

    fn channel(&self, channel: u8) -> u32 {
        self.bank.get(u32::from(channel & 15) * 4)
    }

    fn generator(&self, generator: u8) -> u32 {
        self.bank.get(RGCR0 + u32::from(generator & 3) * 4)
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let enabled = |index: u8, register: u32, enable: u32| if register & enable != 0 { 1 << index } else { 0 };
        let channels = (0..16).fold(0, |bits, index| bits | enabled(index, self.channel(index), SOIE));
        let generators = (0..4).fold(0, |bits, index| bits | enabled(index, self.generator(index), OIE));
        self.lines.drive(self.bank.get(CSR) & channels | self.bank.get(RGSR) & generators, env);
    }

    /// Has the input `input` hear the signal that `register` selects, if `enable` of it is set.
    fn listen(input: u8, register: u32, enable: u32, low: u32, env: &mut Env<'_, '_>) {
        let number = (register >> low & 31) as usize;
        let wanted = register & enable != 0;
        let signal = SIGNALS.get(number).copied().filter(|_| wanted);
        if wanted && signal.is_none() {
            env.gap(GapKind::Setting, format_args!("DMAMUX input {number} has no signal here"));
        }
        env.hear(input, signal);
    }

    /// True if the request that `channel` is connected with is there.
    fn is_asked(&self, channel: u8, requests: u128) -> bool {
        let once = self.channels[usize::from(channel & 15)].once;
        match self.selected(channel) {
            0 => false,
            number @ 1..=4 => self.generators[usize::from(number - 1)] != 0,
            number => once || requests >> (number & 127) & 1 != 0,
        }
    }

    fn write_channel(&mut self, channel: u8, before: u32, env: &mut Env<'_, '_>) {
        let register = self.channel(channel);
        Self::listen(GENERATORS as u8 + channel, register, SE, 24, env);
        // NBREQ is written while neither is enabled (RM0444, DMAMUX_CxCR.NBREQ).
        if register & (SE | EGE) == 0 {
            self.channels[usize::from(channel)] = Synchroniser::default();
        } else if before & (SE | EGE) == 0 {
            self.channels[usize::from(channel)] = Synchroniser { left: count(register), ..Synchroniser::default() };
        }
    }
}

impl RequestMux for DmamuxV1 {
    fn selected(&self, channel: u8) -> u8 {
        if channel < 16 { self.channel(channel) as u8 & 0x7F } else { 0 }
    }

    fn carries(&self, channel: u8, requests: u128) -> bool {
        let open = self.channel(channel) & SE == 0 || self.channels[usize::from(channel & 15)].open;
        open && self.is_asked(channel, requests)
    }

    /// A served request counts; at the end of the counter the channel closes, and its event comes (RM0444, "Synchronization mode").
    fn served(&mut self, channel: u8, env: &mut Env<'_, '_>) {
        if channel >= 16 {
            return;
        }
        if let number @ 1..=4 = self.selected(channel) {
            let left = &mut self.generators[usize::from(number - 1)];
            *left = left.saturating_sub(1);
        }
        let register = self.channel(channel);
        let state = &mut self.channels[usize::from(channel)];
        state.once = false;
        if register & (SE | EGE) == 0 {
            return;
        }
        state.left = state.left.saturating_sub(1);
        if state.left == 0 {
            state.left = count(register);
            state.open = false;
            if let Some(event) = EVENTS.get(usize::from(channel)).filter(|_| register & EGE != 0) {
                env.pulse(event);
            }
        }
    }

    /// An edge of the synchronisation input without a request is ignored (RM0444, "Synchronization mode").
    fn look(&mut self, requests: u128) {
        for channel in 0..CHANNELS as u8 {
            if std::mem::take(&mut self.channels[usize::from(channel)].came) && self.is_asked(channel, requests) {
                self.channels[usize::from(channel)].open = true;
            }
        }
    }

    fn keeps_once(&mut self, channel: u8) -> bool {
        let keeps = self.channel(channel) & SE != 0;
        if keeps {
            self.channels[usize::from(channel & 15)].once = true;
        }
        keeps
    }
}

impl Block<Words> for DmamuxV1 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (before, _) = self.bank.write(offset, write, env);
        match offset {
            CFR => self.bank.flag(CSR, write.ones(), false),
            RGCFR => self.bank.flag(RGSR, write.ones(), false),
            0..CSR if offset / 4 < CHANNELS as u32 => self.write_channel((offset / 4) as u8, before, env),
            RGCR0..RGSR if (offset - RGCR0) / 4 < GENERATORS as u32 => {
                let generator = ((offset - RGCR0) / 4) as u8;
                let register = self.generator(generator);
                Self::listen(generator, register, GE, 0, env);
                if register & GE == 0 {
                    self.generators[usize::from(generator)] = 0;
                }
            }
            _ => {}
        }
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    /// A trigger or synchronisation input has an edge: a new one before the last one's requests are served is an overrun.
    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        env.cycles(&ROWS[0]);
        if usize::from(input) < GENERATORS {
            let register = self.generator(input);
            if register & GE == 0 || !is_chosen(register >> 17, high) {
                return;
            }
            let left = &mut self.generators[usize::from(input)];
            if *left == 0 {
                *left = count(register);
            } else {
                self.bank.flag(RGSR, 1 << input, true);
            }
        } else {
            let channel = (input - GENERATORS as u8) & 15;
            let register = self.channel(channel);
            if register & SE == 0 || !is_chosen(register >> 17, high) {
                return;
            }
            let state = &mut self.channels[usize::from(channel)];
            if state.open {
                self.bank.flag(CSR, 1 << channel, true);
            } else {
                state.came = true;
            }
        }
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.channels = [Synchroniser::default(); CHANNELS];
        self.generators = [0; GENERATORS];
        for input in 0..(GENERATORS + CHANNELS) as u8 {
            env.hear(input, None);
        }
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
