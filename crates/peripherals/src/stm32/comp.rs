//! A comparator (RM0444, RM0440, RM0351, RM0432, "Comparator (COMP)").
//!
//! Its output follows the voltages at its inputs at once: it has no offset, no time to settle, and no delay. Where a voltage
//! changes by itself (a ramp, a sine, samples), the next crossing is looked for; nothing ticks.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, Pin};

use super::analog::net;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Comparator, Effect, Env, Instance, Instant, Modelled, Tree, Words, Write};

const EN: u32 = 1 << 0;
const POLARITY: u32 = 1 << 15;
const BRGEN: u32 = 1 << 22;
const SCALEN: u32 = 1 << 23;
const VALUE: u32 = 1 << 30;
const LOCK: u32 = 1 << 31;

/// VREFINT, in microvolts (DS12232, DS12589, DS11453, "Embedded voltage reference", typical).
const REFERENCE: i32 = 1_212_000;

/// The event at which the inputs may cross.
const CROSSING: u16 = 0;

/// The modelled fields of STM32G0, with the value after reset: neither window mode, nor hysteresis, blanking and speed.
pub const MODEL_V1: &[Modelled] =
    &[some("CSR", 0, &["EN", "INMSEL", "INPSEL", "POLARITY", "VALUE_DO_NOT_SET", "LOCK"])];
/// The same of STM32G4 and L4.
pub const MODEL: &[Modelled] =
    &[some("CSR", 0, &["EN", "INMSEL", "INPSEL", "POLARITY", "BRGEN", "SCALEN", "VALUE", "LOCK"])];

/// An input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Pin(Pin),
    /// Quarters of VREFINT.
    Quarters(i32),
    /// A choice that the part does not have, or that is not known here.
    None,
}

const fn pin(port: u8, number: u8) -> Input {
    Input::Pin(Pin { port: port - b'A', number })
}

/// The pins of a comparator: positive inputs by INPSEL; negative ones by INMSEL, from 6 on.
type Pins = (&'static [(u8, u8)], &'static [(u8, u8)]);

/// A family's comparators.
#[derive(Debug)]
struct Kind {
    model: &'static [Modelled],
    /// The lowest bit of INPSEL, and the values of it and of INMSEL.
    inpsel: u32,
    positive: u32,
    negative: u32,
    /// The bridge and the scaler of VREFINT have switches.
    scaler: bool,
    /// By comparator, from COMP1 on.
    pins: &'static [Pins],
    /// The DAC and its channel, from 1 on, by comparator; of INMSEL 4 and 5.
    dacs: &'static [[(u8, u8); 2]],
    /// The lines of the external interrupts.
    lines: &'static [u8],
}

/// RM0444, "COMP1 and COMP2 non-inverting and inverting input assignment"; "EXTI lines".
static G0: Kind = Kind {
    model: MODEL_V1,
    inpsel: 8,
    positive: 3,
    negative: 15,
    scaler: false,
    pins: &[
        (&[(b'C', 5), (b'B', 2), (b'A', 1)], &[(b'B', 1), (b'C', 4), (b'A', 0)]),
        (&[(b'B', 4), (b'B', 6), (b'A', 3)], &[(b'B', 3), (b'B', 7), (b'A', 2)]),
    ],
    dacs: &[[(1, 1), (1, 2)]; 2],
    lines: &[17, 18],
};

/// RM0351, "COMP1 and COMP2 input assignment"; "EXTI lines".
static L4: Kind = Kind {
    model: MODEL,
    inpsel: 7,
    positive: 3,
    negative: 7,
    scaler: true,
    pins: &[(&[(b'C', 5), (b'B', 2)], &[(b'B', 1), (b'C', 4)]), (&[(b'B', 4), (b'B', 6)], &[(b'B', 3), (b'B', 7)])],
    dacs: &[[(1, 1), (1, 2)]; 2],
    lines: &[21, 22],
};

/// RM0440, "COMPx non-inverting input assignment", "COMPx inverting input assignment"; "EXTI lines" of the first two.
static G4: Kind = Kind {
    model: MODEL,
    inpsel: 8,
    positive: 1,
    negative: 7,
    scaler: true,
    pins: &[
        (&[(b'A', 1), (b'B', 1)], &[(b'A', 4), (b'A', 0)]),
        (&[(b'A', 7), (b'A', 3)], &[(b'A', 5), (b'A', 2)]),
        (&[(b'A', 0), (b'C', 1)], &[(b'F', 1), (b'C', 0)]),
        (&[(b'B', 0), (b'E', 7)], &[(b'E', 8), (b'B', 2)]),
        (&[(b'B', 13), (b'D', 12)], &[(b'B', 10), (b'D', 13)]),
        (&[(b'B', 11), (b'D', 11)], &[(b'D', 10), (b'B', 15)]),
        (&[(b'B', 14), (b'D', 14)], &[(b'D', 15), (b'B', 12)]),
    ],
    dacs: &[
        [(3, 1), (1, 1)],
        [(3, 2), (1, 2)],
        [(3, 1), (1, 1)],
        [(3, 2), (1, 1)],
        [(4, 1), (1, 2)],
        [(4, 2), (2, 1)],
        [(4, 1), (2, 1)],
    ],
    lines: &[21, 22, 29, 30, 31],
};

/// One comparator.
#[derive(Clone, Debug)]
pub struct Comp {
    bank: Bank,
    kind: &'static Kind,
    /// Its place among the comparators: 0 for COMP1.
    place: usize,
}

impl Comp {
    /// The comparator after reset.
    pub fn new(instance: &Instance) -> Self {
        let kind = match instance.map.version {
            "v1" => &G0,
            "v2" => &G4,
            _ => &L4,
        };
        let number = instance.name.trim_start_matches("COMP").parse().unwrap_or(1usize);
        Self { bank: Bank::new(instance.map, kind.model), kind, place: number.saturating_sub(1) }
    }

    /// The line of the external interrupts that hears the comparator.
    pub fn line(&self) -> Option<u8> {
        self.kind.lines.get(self.place).copied()
    }

    fn csr(&self) -> u32 {
        self.bank.get(0)
    }

    fn positive(&self) -> Input {
        let select = self.csr() >> self.kind.inpsel & self.kind.positive;
        let found = self.kind.pins.get(self.place).and_then(|pins| pins.0.get(select as usize));
        found.map_or(Input::None, |(port, number)| pin(*port, *number))
    }

    fn negative(&self) -> Input {
        let select = self.csr() >> 4 & self.kind.negative;
        let pins = |place: u32| self.kind.pins.get(self.place).and_then(|pins| pins.1.get(place as usize));
        match select {
            0..=3 => Input::Quarters(select as i32 + 1),
            4 | 5 => {
                let dac = self.kind.dacs.get(self.place).map(|dacs| dacs[select as usize - 4]);
                dac.map_or(Input::None, |(number, channel)| Input::Pin(net(number, channel)))
            }
            _ => pins(select - 6).map_or(Input::None, |(port, number)| pin(*port, *number)),
        }
    }

    /// The voltage of an input at `at`, which is now or later.
    fn voltage(&self, input: Input, at: Picoseconds, env: &Env<'_, '_>) -> Option<i32> {
        match input {
            Input::Pin(pin) => env.wires.outside.voltage(pin, at),
            Input::Quarters(count) => {
                let needed = if !self.kind.scaler { 0 } else { SCALEN | if count < 4 { BRGEN } else { 0 } };
                (self.csr() & needed == needed).then_some(REFERENCE / 4 * count)
            }
            Input::None => None,
        }
    }

    /// The output at `at`, which is now or later.
    fn compares(&self, at: Picoseconds, env: &Env<'_, '_>) -> bool {
        let [positive, negative] =
            [self.positive(), self.negative()].map(|input| self.voltage(input, at, env).unwrap_or(0));
        self.csr() & EN != 0 && (positive > negative) != (self.csr() & POLARITY != 0)
    }

    /// Names an input that has no voltage.
    fn check(&self, env: &mut Env<'_, '_>) {
        let now = env.picoseconds();
        for (sign, input) in [("positive", self.positive()), ("negative", self.negative())] {
            if self.csr() & EN != 0 && self.voltage(input, now, env).is_none() {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: its {sign} input has no voltage, which counts as 0 V"));
            }
        }
    }

    /// Has the next crossing come by itself.
    fn look_ahead(&self, now: Picoseconds, env: &mut Env<'_, '_>) {
        let output = self.csr() & VALUE != 0;
        let pins = [self.positive(), self.negative()].into_iter().filter_map(|input| match input {
            Input::Pin(pin) if self.csr() & EN != 0 => Some(pin),
            _ => None,
        });
        let at = next_crossing(pins, now, env, |at| self.compares(at, env) != output);
        env.schedule(CROSSING, at);
    }

    fn show(&mut self, output: bool, env: &mut Env<'_, '_>) {
        if output == (self.csr() & VALUE != 0) {
            return;
        }
        self.bank.flag(0, VALUE, output);
        env.effect(Effect::Output { signal: "OUT", level: self.output("OUT") });
        match self.line() {
            Some(line) => env.effect(Effect::Internal { line, high: output }),
            None => {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: its line of the external interrupts is not connected"));
            }
        }
    }
}

/// The time at which the inputs `pins` of a comparator next cross by themselves, or have to be looked at again; `crosses` says if its
/// output has changed by a time.
pub(crate) fn next_crossing(
    pins: impl Iterator<Item = Pin>,
    now: Picoseconds,
    env: &Env<'_, '_>,
    crosses: impl Fn(Picoseconds) -> bool,
) -> Instant {
    let turn = pins.filter_map(|pin| env.wires.outside.voltage_turns(pin, now)).min();
    let Some(turn) = turn else { return Instant::NEVER };
    // Between two turns of the inputs their difference crosses at most once.
    let (mut before, mut at) = (now, turn);
    if crosses(turn) {
        while at.get() - before.get() > 1 {
            let middle = Picoseconds::new(before.get() + (at.get() - before.get()) / 2);
            if crosses(middle) { at = middle } else { before = middle }
        }
    }
    env.now().after(env.clocks().span(at.saturating_sub(now)))
}

impl Comparator for Comp {
    fn compare(&mut self, env: &mut Env<'_, '_>) {
        if env.clocks().stands() {
            return;
        }
        let now = env.picoseconds();
        let output = self.compares(now, env);
        self.show(output, env);
        self.look_ahead(now, env);
    }
}

impl Block<Words> for Comp {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let locked = self.csr();
        if offset == 0 && locked & LOCK != 0 {
            return;
        }
        let (old, new) = self.bank.write(offset, write, env);
        if offset == 0 {
            self.bank.set(0, (new & !VALUE) | (old & VALUE));
            if (old ^ new) & EN != 0 {
                env.effect(Effect::Output { signal: "OUT", level: self.output("OUT") });
            }
            self.check(env);
            self.compare(env);
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.compare(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.compare(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.show(false, env);
        self.bank.reset();
        env.cancel(CROSSING);
        env.effect(Effect::Output { signal: "OUT", level: None });
    }

    fn output(&self, signal: &str) -> Option<bool> {
        (signal == "OUT" && self.csr() & EN != 0).then_some(self.csr() & VALUE != 0)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
