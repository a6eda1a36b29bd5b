//! The digital-to-analog converter of STM32F4, with two channels (RM0390, "Digital-to-analog converter (DAC)").
//!
//! Its outputs are voltages at their pins from the moment on at which the data output register changes: settling times, and
//! the 6.5 us of waking up, are not modelled. An output buffer comes no closer than 0.2 V to either end of the supply
//! (DS10693, "DAC characteristics").

use cyclescope_machine::{Pin, TimingRow};

use super::analog::voltage;
use crate::bank::all;
use crate::{Bank, Block, DmaRequest, Env, Instance, Instant, Lines, Modelled, Source, Tree, Trigger, Words, Write};

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

/// Bits of a channel, from its half of CR or SR on.
const EN: u32 = 1 << 0;
const BOFF: u32 = 1 << 1;
const TEN: u32 = 1 << 2;
const DMAEN: u32 = 1 << 12;
const DMAUDRIE: u32 = 1 << 13;
const DMAUDR: u32 = 1 << 13;
/// TSEL of the software trigger.
const SOFTWARE: u32 = 7;
/// The distance of a buffered output from the ends of the supply, in microvolts.
const BUFFER: i32 = 200_000;

/// RM0390, "External triggers".
const TRIGGERS: [Option<Trigger>; 8] = [
    Some(("TIM6", "TRGO")),
    Some(("TIM8", "TRGO")),
    Some(("TIM7", "TRGO")),
    Some(("TIM5", "TRGO")),
    Some(("TIM2", "TRGO")),
    Some(("TIM4", "TRGO")),
    Some(("EXTI", "EXTI9")),
    None,
];

/// The modelled registers and fields, with the values after reset (RM0390, "DAC register map").
pub const MODEL: &[Modelled] = &[
    all("CR", 0).and(&["SWTRIGR", "SR", "DOR0", "DOR1"]),
    all("DHR12R0", 0).and(&["DHR12L0", "DHR8R0", "DHR12R1", "DHR12L1", "DHR8R1", "DHR12RD", "DHR12LD", "DHR8RD"]),
];

/// From what changes the output to the data output register.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "dac.transfer",
        "from a write of data without trigger, or a trigger by software, to the data output register, in periods of PCLK1",
        1,
        "RM0390, DAC conversion",
    ),
    TimingRow::documented(
        "dac.trigger",
        "from a hardware trigger to the data output register, in periods of PCLK1",
        3,
        "RM0390, DAC conversion, DAC trigger selection",
    ),
];

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
    lines: Lines,
    clock: Source,
    channels: [Channel; 2],
}

impl DacV2 {
    /// The converter after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            clock: instance.clock.source(),
            channels: [0, 1].map(|number| Channel::new(instance, number)),
        }
    }

    /// The half of CR that is the channel's.
    fn cr(&self, number: usize) -> u32 {
        self.bank.get(CR) >> (16 * number) & 0xFFFF
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let sr = self.bank.get(SR);
        let active = (0..2).any(|number| self.cr(number) & DMAUDRIE != 0 && sr >> (16 * number) & DMAUDR != 0);
        self.lines.drive(u32::from(active), env);
    }

    /// The channel's data output register takes its data as late as `row` says.
    fn schedule(&mut self, number: usize, row: &'static TimingRow, hardware: bool, env: &mut Env<'_, '_>) {
        if self.channels[number].due.is_none() {
            let cycles = env.cycles(row);
            let at = env.now().after(env.clocks().period_of(self.clock).times(cycles));
            self.channels[number].due = Some((at, hardware));
            env.schedule(number as u16, at);
        }
    }

    /// The pin of the channel has the voltage of the data output register.
    fn show(&self, number: usize, env: &mut Env<'_, '_>) {
        let Some(pin) = self.channels[number].pin else { return };
        let cr = self.cr(number);
        let supply = env.wires.outside.supply();
        let output = voltage(self.bank.get(DOR1 + 4 * number as u32) as u16, supply, 12);
        let output = if cr & BOFF == 0 { output.clamp(BUFFER, supply - BUFFER) } else { output };
        env.drive_voltage(pin, (cr & EN != 0).then_some(output));
    }

    /// Data for the channel's holding register.
    fn hold(&mut self, number: usize, value: u32, env: &mut Env<'_, '_>) {
        let channel = &mut self.channels[number];
        channel.holding = value as u16 & 0xFFF;
        channel.requested = false;
        channel.dma.drive(false, env);
        if self.cr(number) & (EN | TEN) == EN {
            self.schedule(number, &ROWS[0], false, env);
        }
    }

    fn listen(&self, env: &mut Env<'_, '_>) {
        for number in 0..2 {
            let cr = self.cr(number);
            let selected = TRIGGERS[(cr >> 3 & 7) as usize];
            env.hear(number as u8, selected.filter(|_| cr & (EN | TEN) == EN | TEN));
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
            if now & 0xFC0 != before & 0xFC0 {
                // RM0390, "Noise generation", "Triangle-wave generation": both are reset with their wave.
                (channel.noise, channel.triangle, channel.falls) = (0xAAA, 0, false);
            }
            if (now ^ before) & (EN | BOFF) != 0 {
                self.show(number, env);
            }
            // What was held before the converter was on.
            if now & (EN | TEN) == EN && before & (EN | TEN) != EN {
                self.schedule(number, &ROWS[0], false, env);
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
            SWTRIGR => {
                for number in (0..2).filter(|number| write.ones() & 1 << number != 0) {
                    if self.cr(number) & (EN | TEN) == EN | TEN && self.cr(number) >> 3 & 7 == SOFTWARE {
                        self.schedule(number, &ROWS[0], false, env);
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
        let value = if cr & TEN != 0 { channel.wave(cr) } else { channel.holding };
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
        if !high || self.cr(number) & (EN | TEN) != EN | TEN {
            return;
        }
        if self.channels[number].requested {
            // The data of the trigger before has not come (RM0390, "DMA underrun").
            self.bank.flag(SR, DMAUDR << (16 * number), true);
            self.channels[number].requested = false;
            self.channels[number].dma.drive(false, env);
            self.drive(env);
        }
        self.schedule(number, &ROWS[1], true, env);
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
