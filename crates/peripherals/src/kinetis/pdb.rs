//! Programmable delay block (K20P64M72SF1RM, "Programmable Delay Block (PDB)"): a counter that triggers converters after delays.
//!
//! Times are computed from the trigger that started the counter. A channel's pre-trigger waits for its delay, passes the trigger
//! on at once, or follows the conversion before it (back to back).
//!
//! Not modelled, and named when used: triggers other than software and PIT, whose blocks are only declared; the intervals of the
//! DAC; pulses for comparators.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

use super::registers::bank;

const SC: u32 = 0x00;
const MOD: u32 = 0x04;
const CNT: u32 = 0x08;
const IDLY: u32 = 0x0C;
/// CHnC1 and CHnS, and a channel's distance from the next.
const C1: u32 = 0x10;
const S: u32 = 0x14;
const STEP: u32 = 0x28;

const DACINTC: u32 = 0x150;
const POEN: u32 = 0x190;
const TOE: u32 = 1 << 0;

const LDOK: u32 = 1 << 0;
const CONT: u32 = 1 << 1;
const PDBIE: u32 = 1 << 5;
const PDBIF: u32 = 1 << 6;
const PDBEN: u32 = 1 << 7;
const DMAEN: u32 = 1 << 15;
const SWTRIG: u32 = 1 << 16;
const PDBEIE: u32 = 1 << 17;

/// TRGSEL of the software trigger, and those of PIT.
const SOFTWARE: u32 = 15;
const TIMERS: [&str; 4] = ["0", "1", "2", "3"];

/// The pre-triggers of both channels, and the conversions that each follows back to back ("Back-to-back acknowledgement
/// connections").
pub(super) const PRETRIGGERS: [&str; 4] = ["CH0_0", "CH0_1", "CH1_0", "CH1_1"];
const FOLLOWS: [(&str, &str); 4] = [("ADC1", DONE[1]), ("ADC0", DONE[0]), ("ADC0", DONE[1]), ("ADC1", DONE[0])];
/// The conversion that acknowledges each.
const ENDS: [(&str, &str); 4] = [("ADC0", DONE[0]), ("ADC0", DONE[1]), ("ADC1", DONE[0]), ("ADC1", DONE[1])];
/// A converter's triggers: COCO of SC1A and of SC1B rises.
pub(super) const DONE: [&str; 2] = ["COCOA", "COCOB"];

/// The modelled registers, with the values after reset ("PDB memory map").
pub const MODEL: &[Modelled] = &[
    all("SC", 0).and(&["CNT", "CH0C1", "CH0S", "CH0DLY0", "CH0DLY1", "CH1C1", "CH1S", "CH1DLY0", "CH1DLY1"]),
    all("MOD", 0xFFFF).and(&["IDLY"]),
    // Named in words.
    some("DACINTC", 0, &[]).unseen(&["TOE", "EXT"]),
    some("DACINT", 0, &[]).unseen(&["INT"]),
    some("POEN", 0, &[]).unseen(&["POEN"]),
    some("PO0DLY", 0, &[]).and(&["PO1DLY", "PO2DLY"]).unseen(&["DLY1", "DLY2"]),
];

/// The delays beside the counter's.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "pdb.pretrigger",
        "periods of the bus clock from the counter's value, or from a trigger that is passed on, to a pre-trigger",
        1,
        "K20P64M72SF1RM, PDBx_CHnC1.TOS",
    ),
    TimingRow::documented(
        "pdb.back_to_back",
        "periods of the bus clock from the conversion before to a pre-trigger back to back",
        2,
        "K20P64M72SF1RM, PDB, \"PDB pre-trigger and trigger outputs\"",
    ),
];

/// Events: those of the pre-triggers have their numbers; IDLY; the counter is over MOD.
const INTERRUPT: u16 = 4;
const OVER: u16 = 5;

/// The trigger input; behind it those of the conversions that end.
const TRIGGER: u8 = 0;
const ENDED: u8 = 1;

/// The values of the buffered registers in force: MOD, IDLY, and the delays of the pre-triggers.
type Loaded = [u32; 6];

/// The block.
#[derive(Clone, Debug)]
pub struct Pdb {
    bank: Bank,
    lines: Lines,
    request: Option<u8>,
    /// When the counter was 0; `None` while it stands.
    begun: Option<Instant>,
    loaded: Loaded,
    /// Pre-triggers whose conversion has not ended, one bit each.
    waits: u8,
}

impl Pdb {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let mut block = Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            request: instance.request("GLOBAL"),
            begun: None,
            loaded: [0; 6],
            waits: 0,
        };
        block.load();
        block
    }

    fn sc(&self) -> u32 {
        self.bank.get(SC)
    }

    fn load(&mut self) {
        self.loaded = [MOD, IDLY, C1 + 8, C1 + 12, C1 + STEP + 8, C1 + STEP + 12].map(|at| self.bank.get(at));
        self.bank.flag(SC, LDOK, false);
    }

    /// A period of the counter.
    fn tick(&self, env: &Env<'_, '_>) -> Span {
        let sc = self.sc();
        let factor = [1, 10, 20, 40][(sc >> 2 & 3) as usize];
        env.clocks().period_of(Source::Pclk).times(factor << (sc >> 12 & 7))
    }

    /// The field of CHnC1 from bit `low` on, of the pre-trigger `index`.
    fn chooses(&self, index: usize, low: u32) -> bool {
        self.bank.get(C1 + STEP * (index as u32 / 2)) >> (low + index as u32 % 2) & 1 != 0
    }

    /// Has all come that the counter still makes, if it runs.
    fn schedule(&self, env: &mut Env<'_, '_>) {
        let (tick, now) = (self.tick(env), env.now());
        let [limit, interrupt, delays @ ..] = self.loaded;
        let later = env.clocks().period_of(Source::Pclk).times(ROWS[0].cycles.into());
        let at = |count: u32, more: Span| match self.begun {
            Some(begun) if count <= limit && tick != Span::ZERO => {
                Some(begun.after(tick.times(count.into())).after(more)).filter(|at| *at > now || begun == now)
            }
            _ => None,
        };
        for (index, delay) in delays.into_iter().enumerate() {
            let waits = self.chooses(index, 0) && !self.chooses(index, 16);
            let count = if self.chooses(index, 8) { delay } else { 0 };
            let at = at(count, later).filter(|_| waits);
            if waits || self.begun.is_none() {
                env.schedule(index as u16, at.unwrap_or(Instant::NEVER));
            }
        }
        env.schedule(INTERRUPT, at(interrupt, Span::ZERO).unwrap_or(Instant::NEVER));
        let over = self.begun.filter(|_| tick != Span::ZERO).map(|begun| begun.after(tick.times(u64::from(limit) + 1)));
        env.schedule(OVER, over.unwrap_or(Instant::NEVER));
    }

    /// LDMOD: what is loaded by a trigger (2), or at MOD (1).
    fn load_if(&mut self, reason: u32) {
        if self.sc() & LDOK != 0 && self.sc() >> 18 & reason != 0 {
            self.load();
        }
    }

    /// A trigger starts the counter anew.
    fn start(&mut self, env: &mut Env<'_, '_>) {
        env.wires.note(&ROWS[0]);
        self.load_if(2);
        self.begun = Some(env.now());
        self.schedule(env);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        self.begun = None;
        self.waits = 0;
        self.schedule(env);
    }

    /// The pre-trigger `index` comes.
    fn fire(&mut self, index: usize, env: &mut Env<'_, '_>) {
        if self.sc() & PDBEN == 0 || !self.chooses(index, 0) {
            return;
        }
        let (status, flag) = (S + STEP * (index as u32 / 2), 1 << (index % 2));
        if self.chooses(index, 8) && !self.chooses(index, 16) {
            self.bank.flag(status, flag << 16, true);
        }
        // "Sequence errors": a conversion of the channel has not ended, so that no other begins.
        let channel = 3 << (index & 2);
        if self.waits & channel != 0 {
            return self.bank.flag(status, flag, true);
        }
        self.waits |= 1 << index;
        env.pulse(PRETRIGGERS[index]);
    }

    /// Hears the trigger that TRGSEL chooses, and the conversions.
    fn listen(&self, env: &mut Env<'_, '_>) {
        let on = self.sc() & PDBEN != 0;
        let source = self.sc() >> 8 & 15;
        let timer = source.checked_sub(4).and_then(|timer| TIMERS.get(timer as usize));
        env.hear(TRIGGER, timer.filter(|_| on).map(|timer| ("PIT", *timer)));
        if on && timer.is_none() && source != SOFTWARE {
            env.gap(GapKind::Setting, format_args!("{}: nothing makes the trigger of TRGSEL = {source}", env.name()));
        }
        for (input, end) in (ENDED..).zip(ENDS) {
            env.hear(input, on.then_some(end));
        }
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let sc = self.sc();
        let failed = [S, S + STEP].iter().any(|status| self.bank.get(*status) & 0xFF != 0);
        let counted = sc & (PDBIF | PDBIE | DMAEN) == PDBIF | PDBIE;
        self.lines.drive(u32::from(counted || failed && sc & PDBEIE != 0), env);
    }

    fn control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.sc();
        let (_, new) = self.bank.write(SC, write, env);
        // PDBIF is cleared by writing zero; SWTRIG reads 0.
        self.bank.flag(SC, PDBIF, old & new & PDBIF != 0);
        self.bank.flag(SC, SWTRIG, false);
        if new & PDBEN == 0 {
            self.bank.flag(SC, LDOK, false);
            self.stop(env);
        } else if new & LDOK != 0 && new >> 18 & 3 == 0 {
            self.load();
        }
        self.listen(env);
        if new & PDBEN == 0 {
            return;
        }
        if new & SWTRIG != 0 && new >> 8 & 15 == SOFTWARE {
            self.start(env);
        } else if self.begun.is_some() {
            self.schedule(env);
        }
    }
}

impl Block<Words> for Pdb {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset & !3 != CNT {
            return self.bank.read(offset & !3, env);
        }
        let tick = self.tick(env);
        self.begun.map_or(0, |begun| env.now().since(begun).divide(tick).0 as u32 & 0xFFFF)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset & !3 == CNT { None } else { self.bank.still(offset & !3) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == SC {
            self.control(write, env);
        } else if offset == S || offset == S + STEP {
            // Flags are cleared by zeros.
            self.bank.flag(offset, write.zeros(), false);
        } else {
            let (old, new) = self.bank.write(offset, write, env);
            let name = env.name();
            if offset == DACINTC && !old & new & TOE != 0 {
                env.gap(
                    GapKind::Setting,
                    format_args!("{name}_DACINTC.TOE: the DAC is not modelled, and gets no interval triggers"),
                );
            }
            if offset == POEN && old == 0 && new != 0 {
                env.gap(
                    GapKind::Setting,
                    format_args!("{name}_POEN: the comparators are not modelled, and get no pulses"),
                );
            }
            if self.begun.is_some() {
                self.schedule(env);
            }
        }
        self.settle(env);
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        if !high || self.sc() & PDBEN == 0 {
            return;
        }
        if input == TRIGGER {
            self.start(env);
        } else if let Some(end) = ENDS.get(usize::from(input - ENDED)) {
            self.waits &= !(1 << (input - ENDED));
            for index in (0..4).filter(|index| FOLLOWS[*index] == *end) {
                if self.chooses(index, 16) && self.chooses(index, 0) {
                    let cycles = env.cycles(&ROWS[1]);
                    let at = env.now().after(env.clocks().period_of(Source::Pclk).times(cycles));
                    env.schedule(index as u16, at);
                }
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            0..INTERRUPT => self.fire(usize::from(kind), env),
            INTERRUPT => {
                self.bank.flag(SC, PDBIF, true);
                if let Some(number) = self.request.filter(|_| self.sc() & DMAEN != 0) {
                    env.effect(Effect::RequestOnce { number });
                }
            }
            OVER => {
                let over = self.tick(env).times(u64::from(self.loaded[0]) + 1);
                self.load_if(1);
                self.begun = self.begun.filter(|_| self.sc() & CONT != 0).map(|begun| begun.after(over));
                self.schedule(env);
            }
            _ => {}
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.load();
        self.stop(env);
        self.listen(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.pclk, env.clocks().tree().pclk, env.now());
        self.begun = self.begun.map(|begun| now.before(now.since(begun).rescaled(before, after)));
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.begun = self.begun.map(|begun| begun.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
