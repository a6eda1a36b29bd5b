//! DPORT of the ESP32 (TRM, "System Registers", "Interrupt Matrix" and "Reset and Clock"): the interrupt matrix of the first core,
//! the core's clock, the clocks and resets of peripherals. The second core, caches and protection are not modelled.
//!
//! The core begins with the crystal, as the boot ROM leaves it. The PLL runs at the frequency that the core's clock needs: what a
//! program does to it over its internal bus, which no manual describes, is not asked for.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use super::registers::bank;
use super::{Matrix, Message};
use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Pll, ResetFlag, Span, Tree,
    Words, Write,
};

const CPU_PER_CONF: u32 = 0x3C;
const PERIP_RST_EN: u32 = 0xC4;
const FROM_CPU: u32 = 0xDC;
const FROM_CPU_END: u32 = 0xEC;
const STATUS: u32 = 0xEC;
const STATUS_END: u32 = 0xF8;
const MAP: u32 = 0x104;
const MAP_END: u32 = 0x218;

/// The PLL's clock for 80 and 160 MHz, and for 240.
const PLL_320: Pll = Pll::unity(Hertz::new(320_000_000));
const PLL_480: Pll = Pll::unity(Hertz::new(480_000_000));

/// SOC_CLK_SEL.
const XTAL: u8 = 0;
const FROM_PLL: u8 = 1;
const CK8M: u8 = 2;

/// The registers that are modelled, beside those of the matrix.
pub const MODEL: &[Modelled] = &[
    some("CPU_PER_CONF", 0, &["CPUPERIOD_SEL"]),
    all("PERIP_CLK_EN", 0),
    all("PERIP_RST_EN", 0),
    all("CPU_INTR_FROM_CPU0", 0).and(&["CPU_INTR_FROM_CPU1", "CPU_INTR_FROM_CPU2", "CPU_INTR_FROM_CPU3"]),
    all("CORE_0_INTR_STATUS0", 0).and(&["CORE_0_INTR_STATUS1", "CORE_0_INTR_STATUS2"]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Dport32 {
    bank: Bank,
    from_cpu: [Lines; 4],
    /// The source of the core's clock, as in SOC_CLK_SEL.
    source: u8,
    ticks: [u8; 3],
    divider: u16,
}

impl Dport32 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let map = instance.map.registers.iter().filter(|register| register.name.starts_with("CORE_0_INTR_MAP"));
        let map = map.map(|register| all(register.name, Matrix::UNCONNECTED.into()));
        let model: Vec<Modelled> = MODEL.iter().copied().chain(map).collect();
        Self {
            bank: bank(instance.map, &model),
            from_cpu: ["CPU_0", "CPU_1", "CPU_2", "CPU_3"].map(|signal| Lines::new(instance, &[(signal, 1)])),
            source: XTAL,
            ticks: [39, 79, 11],
            divider: 0,
        }
    }

    /// Takes `message` if it is for the clocks, and tells if it is.
    pub fn take(&mut self, message: Message, env: &mut Env<'_, '_>) -> bool {
        match message {
            Message::SocClock { source } => self.source = source,
            Message::Ticks { of, divider } => (self.ticks, self.divider) = (of, divider),
            _ => return false,
        }
        env.effect(Effect::ClocksChanged);
        true
    }

    /// The interrupts of the core follow a change of the matrix.
    fn drive(changed: impl IntoIterator<Item = (u8, bool)>, env: &mut Env<'_, '_>) {
        for (interrupt, high) in changed {
            env.context.interrupts.set(usize::from(interrupt), high);
        }
    }

    fn connect(&self, offset: u32, env: &mut Env<'_, '_>) {
        let (source, interrupt) = (((offset - MAP) / 4) as u8, (self.bank.get(offset) & 31) as u8);
        let changed = env.wires.matrix.get_or_insert_default().connect(source, interrupt);
        Self::drive(changed.into_iter().flatten(), env);
    }
}

impl Block<Words> for Dport32 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if let STATUS..STATUS_END = offset {
            return env.wires.matrix.as_ref().map_or(0, |matrix| matrix.status((offset - STATUS) / 4));
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if let STATUS..STATUS_END = offset { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CPU_PER_CONF if (old ^ new) & 3 != 0 => env.effect(Effect::ClocksChanged),
            PERIP_RST_EN => env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: new & !old }),
            FROM_CPU..FROM_CPU_END => self.from_cpu[((offset - FROM_CPU) / 4) as usize].drive(new & 1, env),
            MAP..MAP_END => self.connect(offset, env),
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.wires.matrix.get_or_insert_default();
        (MAP..MAP_END).step_by(4).for_each(|offset| self.connect(offset, env));
        self.from_cpu.iter().for_each(|lines| lines.drive(0, env));
        env.effect(Effect::ClocksChanged);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl ClockControl for Dport32 {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let crystal = oscillators.hse.map_or(Span::ZERO, |crystal| clocks.period(crystal));
        let (core, apb, tick) = match self.source {
            FROM_PLL => {
                let core = match self.bank.get(CPU_PER_CONF) & 3 {
                    0 => PLL_320.period(clocks).times(4),
                    1 => PLL_320.period(clocks).times(2),
                    _ => PLL_480.period(clocks).times(2),
                };
                (core, PLL_320.period(clocks).times(4), self.ticks[1])
            }
            CK8M => {
                let period = clocks.period(oscillators.hsi);
                (period, period, self.ticks[2])
            }
            // The crystal, and here the audio PLL's place, too, which is named.
            _ => {
                let period = crystal.times(u64::from(self.divider) + 1);
                (period, period, self.ticks[0])
            }
        };
        let tick = apb.times(u64::from(tick) + 1);
        Tree {
            hclk: core,
            pclk: apb,
            pclk2: apb,
            timer: tick,
            timer2: tick,
            sysclk: core,
            lsi: clocks.period(oscillators.lsi),
            rtc: clocks.period(oscillators.lsi),
            hse: crystal,
            ..Tree::default()
        }
    }

    fn plls(&self, _: &Clocks) -> Vec<Pll> {
        vec![PLL_320, PLL_480]
    }

    fn note_reset(&mut self, _: ResetFlag) {}

    /// Settings that no clock belongs to are named.
    fn settled(&mut self, env: &mut Env<'_, '_>) {
        if self.source > CK8M {
            env.gap(
                GapKind::Setting,
                format_args!("RTC_CNTL_CLK_CONF.SOC_CLK_SEL=3, the audio PLL: the crystal counts"),
            );
        } else if self.source == FROM_PLL && self.bank.get(CPU_PER_CONF) & 3 == 3 {
            env.gap(GapKind::Setting, format_args!("DPORT_CPU_PER_CONF.CPUPERIOD_SEL=3"));
        }
    }

    fn force_lsi(&mut self, _: &mut Env<'_, '_>) {}
}
