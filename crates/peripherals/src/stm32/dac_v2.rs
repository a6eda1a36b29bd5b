//! The digital-to-analog converter of ST's families, with up to two channels (RM0008, RM0390, RM0351, RM0432, RM0444, RM0440,
//! "Digital-to-analog converter (DAC)").
//!
//! Its outputs are voltages at their pins from the moment on at which the data output register changes: settling times, and
//! the time of waking up, are not modelled. An output buffer comes no closer than 0.2 V to either end of the supply
//! (DS5792, DS10693, DS11453, DS12232, DS12589, "DAC characteristics").

use cyclescope_machine::{GapKind, Pin, TimingRow};

use super::analog::{net, trigger, voltage};
use crate::bank::{all, but};
use crate::{
    Bank, Block, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Tree, Trigger, Words, Write,
};

const CR: u32 = 0x00;
const SWTRIGR: u32 = 0x04;
/// Those of the first channel: right-aligned, left-aligned, eight bits; the second one's follow.
const DHR12R1: u32 = 0x08;
const DHR8R2: u32 = 0x1C;
const DHR12RD: u32 = 0x20;
const DHR12LD: u32 = 0x24;
const DHR8RD: u32 = 0x28;
const DOR1: u32 = 0x2C;
const SR: u32 = 0x34;
const MCR: u32 = 0x3C;

/// Bits of a channel, from its half of CR or SR on.
const EN: u32 = 1 << 0;
const BOFF: u32 = 1 << 1;
const DMAEN: u32 = 1 << 12;
const DMAUDRIE: u32 = 1 << 13;
const DMAUDR: u32 = 1 << 13;
/// The distance of a buffered output from the ends of the supply, in microvolts.
const BUFFER: i32 = 200_000;

/// A family's converter.
#[derive(Debug)]
struct Kind {
    model: &'static [Modelled],
    rows: &'static [TimingRow],
    /// TEN, the lowest bit of TSEL and its values, and the value that is the trigger by software.
    ten: u32,
    tsel: u32,
    selections: u32,
    software: u32,
    /// The triggers by number; the metadata's, if empty.
    triggers: &'static [Option<Trigger>],
    /// MCR.MODE connects channels with buffers and pins, instead of CR.BOFF.
    modes: bool,
    /// WAVE 3 is a sawtooth, instead of a triangle like 2.
    sawtooth: bool,
}

const V1: Kind = Kind {
    model: MODEL_V1,
    rows: ROWS_V1,
    ten: 1 << 2,
    tsel: 3,
    selections: 8,
    software: 7,
    triggers: &[],
    modes: false,
    sawtooth: false,
};

const V2: Kind = Kind {
    model: MODEL,
    rows: ROWS,
    // RM0390, "External triggers".
    triggers: &[
        Some(("TIM6", "TRGO")),
        Some(("TIM8", "TRGO")),
        Some(("TIM7", "TRGO")),
        Some(("TIM5", "TRGO")),
        Some(("TIM2", "TRGO")),
        Some(("TIM4", "TRGO")),
        Some(("EXTI", "EXTI9")),
    ],
    ..V1
};

const V3: Kind = Kind { model: MODEL_V3, rows: ROWS_V3, modes: true, ..V1 };

const V4: Kind =
    Kind { model: MODEL_V4, rows: ROWS_V4, ten: 1 << 1, tsel: 2, selections: 16, software: 0, modes: true, ..V1 };

const V5: Kind = Kind {
    model: MODEL_V5,
    rows: ROWS_V3,
    // RM0432, "DAC trigger selection". The metadata has those of STM32L4.
    triggers: &[
        None,
        Some(("TIM1", "TRGO")),
        Some(("TIM2", "TRGO")),
        Some(("TIM4", "TRGO")),
        Some(("TIM5", "TRGO")),
        Some(("TIM6", "TRGO")),
        Some(("TIM7", "TRGO")),
        Some(("TIM8", "TRGO")),
        Some(("TIM15", "TRGO")),
        None,
        None,
        None,
        None,
        Some(("EXTI", "EXTI9")),
    ],
    ..V4
};

const V7: Kind = Kind { model: MODEL_V7, rows: ROWS_V7, sawtooth: true, ..V4 };

/// The data of all versions.
const DATA: Modelled =
    all("DHR12R0", 0).and(&["DHR12L0", "DHR8R0", "DHR12R1", "DHR12L1", "DHR8R1", "DHR12RD", "DHR12LD", "DHR8RD"]);

/// The modelled registers and fields of STM32F1, with the values after reset (RM0008, "DAC register map").
pub const MODEL_V1: &[Modelled] = &[all("CR", 0).and(&["SWTRIGR", "DOR0", "DOR1"]), DATA];

/// The modelled registers and fields, with the values after reset (RM0390, "DAC register map").
pub const MODEL: &[Modelled] = &[all("CR", 0).and(&["SWTRIGR", "SR", "DOR0", "DOR1"]), DATA];

/// Trimming of the output buffers.
const TRIMMING: &[&str] = &["CEN0", "CEN1"];

/// The same of STM32L4 (RM0351). Sample-and-hold mode and trimming are left out.
pub const MODEL_V3: &[Modelled] = &[
    but("CR", 0, TRIMMING),
    but("SR", 0, &["CAL_FLAG0", "CAL_FLAG1", "BWST0", "BWST1"]),
    all("SWTRIGR", 0).and(&["DOR0", "DOR1", "MCR"]),
    DATA,
];

/// The same of STM32G0 (RM0444).
pub const MODEL_V4: &[Modelled] = MODEL_V3;

/// The same of STM32L4+ (RM0432). The speed of its bus is for the analog side alone.
pub const MODEL_V5: &[Modelled] = &[
    but("CR", 0, &["CEN0", "CEN1", "HFSEL"]).unseen(&["HFSEL"]),
    but("SR", 0, &["CAL_FLAG0", "CAL_FLAG1", "BWST0", "BWST1"]),
    all("SWTRIGR", 0).and(&["DOR0", "DOR1", "MCR"]),
    DATA,
];

/// The same of STM32G4 (RM0440). Sawtooth and double data are left out.
pub const MODEL_V7: &[Modelled] = &[
    but("CR", 0, TRIMMING),
    but("SR", 0, &["CAL_FLAG0", "CAL_FLAG1", "BWST0", "BWST1", "DACRDY0", "DACRDY1", "DORSTAT0", "DORSTAT1"]),
    but("SWTRIGR", 0, &["SWTRIGB0", "SWTRIGB1"]),
    but("MCR", 0, &["DMADOUBLE0", "DMADOUBLE1", "SINFORMAT0", "SINFORMAT1", "HFSEL"]).unseen(&["HFSEL"]),
    but("DOR0", 0, &["DORB"]).and(&["DOR1"]),
    but("DHR12R0", 0, &["DHRB"]).and(&["DHR12L0", "DHR8R0", "DHR12R1", "DHR12L1", "DHR8R1"]),
    all("DHR12RD", 0).and(&["DHR12LD", "DHR8RD"]),
];

/// From what changes the output to the data output register, on STM32F4.
pub const ROWS: &[TimingRow] = &rows("RM0390, DAC conversion", "RM0390, DAC conversion, DAC trigger selection");
/// The same of STM32F1.
pub const ROWS_V1: &[TimingRow] = &rows("RM0008, DAC conversion", "RM0008, DAC conversion, DAC trigger selection");
/// The same of STM32L4 and L4+.
pub const ROWS_V3: &[TimingRow] =
    &rows("RM0351, RM0432, DAC conversion", "RM0351, RM0432, DAC conversion, DAC trigger selection");
/// The same of STM32G0.
pub const ROWS_V4: &[TimingRow] = &rows("RM0444, DAC conversion", "RM0444, DAC conversion, DAC trigger selection");
/// The same of STM32G4.
pub const ROWS_V7: &[TimingRow] = &rows("RM0440, DAC conversion", "RM0440, DAC conversion, DAC trigger selection");

const fn rows(transfer: &'static str, trigger: &'static str) -> [TimingRow; 2] {
    [
        TimingRow::documented(
            "dac.transfer",
            "from a write of data without trigger, or a trigger by software, to the data output register, in periods of its bus",
            1,
            transfer,
        ),
        TimingRow::documented(
            "dac.trigger",
            "from a hardware trigger to the data output register, in periods of its bus",
            3,
            trigger,
        ),
    ]
}

/// One channel.
#[derive(Clone, Debug)]
struct Channel {
    pin: Option<Pin>,
    dma: DmaRequest,
    /// The data holding register.
    holding: u16,
    /// When the data output register takes it, and whether a hardware trigger is the reason.
    due: Option<(Instant, bool)>,
    /// A request to the DMA is open.
    requested: bool,
    noise: u16,
    triangle: u16,
    falls: bool,
}

impl Channel {
    fn new(instance: &Instance, number: usize) -> Self {
        Self {
            pin: instance.analog(["OUT1", "OUT2"][number]),
            dma: DmaRequest::new(instance, ["CH1", "CH2"][number]),
            holding: 0,
            due: None,
            requested: false,
            noise: 0xAAA,
            triangle: 0,
            falls: false,
        }
    }

    /// Back to the state after reset.
    fn reset(&mut self) {
        *self = Self {
            holding: 0,
            due: None,
            requested: false,
            noise: 0xAAA,
            triangle: 0,
            falls: false,
            pin: self.pin,
            dma: self.dma,
        };
    }

    /// The sum of the data and the wave, which moves on (RM0390, "Noise generation", "Triangle-wave generation").
    fn wave(&mut self, cr: u32) -> u16 {
        let top = (2u16 << (cr >> 8 & 15).min(11)) - 1;
        let added = match cr >> 6 & 3 {
            0 => 0,
            1 => {
                let bit = self.noise ^ self.noise >> 1 ^ self.noise >> 4 ^ self.noise >> 6;
                // A register of zeros would stay so.
                let bit = if self.noise == 0 { 1 } else { bit & 1 };
                self.noise = self.noise >> 1 | bit << 11;
                self.noise & top
            }
            _ => {
                self.falls = if self.falls { self.triangle > 0 } else { self.triangle >= top };
                self.triangle = if self.falls { self.triangle.min(top) - 1 } else { self.triangle + 1 };
                self.triangle
            }
        };
        (self.holding + added).min(0xFFF)
    }
}

/// The converter.
#[derive(Clone, Debug)]
pub struct DacV2 {
    bank: Bank,
    kind: &'static Kind,
    /// Its number: 1 for DAC1.
    number: u8,
    triggers: [Option<Trigger>; 16],
    lines: Lines,
    clock: Source,
    channels: [Channel; 2],
}

impl DacV2 {
    /// The converter after reset.
    pub fn new(instance: &'static Instance) -> Self {
        let kind: &Kind = match instance.map.version {
            "v1" => &V1,
            "v3" => &V3,
            "v4" => &V4,
            "v5" => &V5,
            "v7" => &V7,
            _ => &V2,
        };
        let own = |number: usize| trigger(instance, "DAC_CHX_TRG", number);
        let listed = |number: usize| kind.triggers.get(number).copied().flatten();
        Self {
            bank: Bank::new(instance.map, kind.model),
            kind,
            number: instance.name.trim_start_matches("DAC").parse().unwrap_or(1),
            triggers: std::array::from_fn(|number| if kind.triggers.is_empty() { own(number) } else { listed(number) }),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            clock: instance.clock.source(),
            channels: [0, 1].map(|number| Channel::new(instance, number)),
        }
    }

    /// The half of CR that is the channel's.
    fn cr(&self, number: usize) -> u32 {
        self.bank.get(CR) >> (16 * number) & 0xFFFF
    }

    /// CR.TSEL of a channel.
    fn selected(&self, number: usize) -> u32 {
        self.cr(number) >> self.kind.tsel & (self.kind.selections - 1)
    }

    /// EN of the channel alone, or with its trigger.
    fn is_on(&self, number: usize, triggered: bool) -> bool {
        let cr = self.cr(number);
        cr & EN != 0 && (cr & self.kind.ten != 0) == triggered
    }

    /// MCR.MODE of a channel: with a buffer, and to its pin.
    fn connections(&self, number: usize) -> (bool, bool) {
        if !self.kind.modes {
            return (self.cr(number) & BOFF == 0, true);
        }
        let mode = self.bank.get(MCR) >> (16 * number) & 7;
        // RM0351, RM0440, DAC_MCR.MODE: in normal mode 0 and 1 have a buffer, 3 has no pin.
        (mode & 2 == 0, mode & 3 != 3)
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let sr = self.bank.get(SR);
        let active = (0..2).any(|number| self.cr(number) & DMAUDRIE != 0 && sr >> (16 * number) & DMAUDR != 0);
        self.lines.drive(u32::from(active), env);
    }

    /// The channel's data output register takes its data, later after a trigger by `hardware`.
    fn schedule(&mut self, number: usize, hardware: bool, env: &mut Env<'_, '_>) {
        if self.channels[number].due.is_none() {
            let cycles = env.cycles(&self.kind.rows[usize::from(hardware)]);
            let at = env.now().after(env.clocks().period_of(self.clock).times(cycles));
            self.channels[number].due = Some((at, hardware));
            env.schedule(number as u16, at);
        }
    }

    /// The channel's wire inside the part, and its pin, have the voltage of the data output register.
    fn show(&self, number: usize, env: &mut Env<'_, '_>) {
        let cr = self.cr(number);
        let supply = env.wires.outside.supply();
        let reference = env.wires.outside.reference();
        let output = voltage(self.bank.get(DOR1 + 4 * number as u32) as u16, reference, 12);
        let (buffered, connected) = self.connections(number);
        let output = if buffered { output.clamp(BUFFER, (supply - BUFFER).max(BUFFER)) } else { output };
        let output = (cr & EN != 0).then_some(output);
        env.drive_voltage(net(self.number, number as u8 + 1), output);
        if let Some(pin) = self.channels[number].pin {
            env.drive_voltage(pin, output.filter(|_| connected));
        }
        env.effect(Effect::Voltages);
    }

    /// Data for the channel's holding register.
    fn hold(&mut self, number: usize, value: u32, env: &mut Env<'_, '_>) {
        let channel = &mut self.channels[number];
        channel.holding = value as u16 & 0xFFF;
        channel.requested = false;
        channel.dma.drive(false, env);
        if self.is_on(number, false) {
            self.schedule(number, false, env);
        }
    }

    fn listen(&self, env: &mut Env<'_, '_>) {
        for number in 0..2 {
            let selected = self.triggers[self.selected(number) as usize & 15];
            let selected = selected.filter(|_| self.selected(number) != self.kind.software);
            env.hear(number as u8, selected.filter(|_| self.is_on(number, true)));
        }
    }

    fn controlled(&mut self, old: u32, env: &mut Env<'_, '_>) {
        for number in 0..2 {
            let (before, now) = (old >> (16 * number) & 0xFFFF, self.cr(number));
            let channel = &mut self.channels[number];
            if now & EN == 0 && before & EN != 0 {
                channel.due = None;
                env.cancel(number as u16);
            }
            if now & DMAEN == 0 {
                channel.requested = false;
                channel.dma.drive(false, env);
            }
            if self.kind.sawtooth && now & 0xC0 == 0xC0 && before & 0xC0 != 0xC0 {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: a sawtooth, which is a triangle here"));
            }
            if now & 0xFC0 != before & 0xFC0 {
                // RM0390, "Noise generation", "Triangle-wave generation": both are reset with their wave.
                (channel.noise, channel.triangle, channel.falls) = (0xAAA, 0, false);
            }
            if (now ^ before) & (EN | BOFF) != 0 {
                self.show(number, env);
            }
            // What was held before the converter was on.
            let ten = self.kind.ten;
            if now & (EN | ten) == EN && before & (EN | ten) != EN {
                self.schedule(number, false, env);
            }
        }
        self.listen(env);
        self.drive(env);
    }
}

impl Block<Words> for DacV2 {
    fn still(&self, offset: u32, _: Instant, _: &crate::Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == SR {
            self.bank.flag(SR, write.ones(), false);
            return self.drive(env);
        }
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR => self.controlled(old, env),
            MCR => {
                for number in 0..2 {
                    if new >> (16 * number) & 4 != 0 && old >> (16 * number) & 4 == 0 {
                        let name = env.name();
                        env.gap(
                            GapKind::Setting,
                            format_args!("{name}: sample-and-hold mode, which is normal mode here"),
                        );
                    }
                    self.show(number, env);
                }
            }
            SWTRIGR => {
                for number in (0..2).filter(|number| write.ones() & 1 << number != 0) {
                    if self.is_on(number, true) && self.selected(number) == self.kind.software {
                        self.schedule(number, false, env);
                    }
                }
            }
            DHR12R1..=DHR8R2 => {
                let place = (offset - DHR12R1) / 4;
                let value = [new, new >> 4, new << 4][(place % 3) as usize];
                self.hold((place / 3) as usize, value, env);
            }
            DHR12RD | DHR12LD | DHR8RD => {
                let values = match offset {
                    DHR12RD => [new, new >> 16],
                    DHR12LD => [new >> 4, new >> 20],
                    _ => [(new & 0xFF) << 4, (new >> 8 & 0xFF) << 4],
                };
                self.hold(0, values[0], env);
                self.hold(1, values[1], env);
            }
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let number = usize::from(kind & 1);
        let Some((_, hardware)) = self.channels[number].due.take_if(|(at, _)| env.now() >= *at) else { return };
        let cr = self.cr(number);
        let channel = &mut self.channels[number];
        let value = if cr & self.kind.ten != 0 { channel.wave(cr) } else { channel.holding };
        self.bank.set(DOR1 + 4 * number as u32, value.into());
        // Only hardware triggers ask the DMA for more; after an underrun nothing does (RM0390, "DMA request").
        if hardware && cr & DMAEN != 0 && self.bank.get(SR) >> (16 * number) & DMAUDR == 0 {
            channel.requested = true;
            channel.dma.drive(true, env);
        }
        self.show(number, env);
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        let number = usize::from(input & 1);
        if !high || !self.is_on(number, true) {
            return;
        }
        if self.channels[number].requested {
            // The data of the trigger before has not come (RM0390, "DMA underrun").
            self.bank.flag(SR, DMAUDR << (16 * number), true);
            self.channels[number].requested = false;
            self.channels[number].dma.drive(false, env);
            self.drive(env);
        }
        self.schedule(number, true, env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after) = (old.period_of(self.clock), env.clocks().period_of(self.clock));
        for (number, channel) in self.channels.iter_mut().enumerate() {
            if let Some((at, _)) = &mut channel.due {
                *at = at.rescaled(env.now(), before, after);
                env.schedule(number as u16, *at);
            }
        }
    }

    fn refine(&mut self, times: u64) {
        for (at, _) in self.channels.iter_mut().filter_map(|channel| channel.due.as_mut()) {
            *at = at.refined(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        for number in 0..2 {
            self.channels[number].reset();
            self.channels[number].dma.drive(false, env);
            env.cancel(number as u16);
            self.show(number, env);
        }
        self.listen(env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
