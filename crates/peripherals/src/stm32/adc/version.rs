//! Decisions of the versions of a converter's registers, and converters that work together.

use std::fmt::Debug;

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::super::analog::Internal;
use super::{Adc, DR};
use crate::{Env, Message, Modelled, Trigger};

/// The selected trigger of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// Its number.
    pub number: u8,
    /// The edges at which it counts.
    pub rising: bool,
    /// The same.
    pub falling: bool,
}

/// The order in which converters begin that work in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// The first one after `delay` half periods, and the second at once. Both begin anew every `repeat` half periods, if not 0.
    SecondFirst {
        /// The delay.
        delay: u32,
        /// The time between two conversions of one of them.
        repeat: u32,
    },
    /// The first one at once, each further one `delay` half periods after the one before.
    InOrder {
        /// The delay.
        delay: u32,
    },
}

/// The regular groups of converters that work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Regular {
    /// Each by itself.
    #[default]
    Alone,
    /// All at the same time.
    Same,
    /// One after the other.
    Turns(Turns),
}

/// The injected groups of converters that work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Injected {
    /// Each by itself.
    #[default]
    Alone,
    /// All at the same time.
    Same,
    /// At each trigger the next converter.
    Alternate,
}

/// The way in which converters work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Together {
    /// The number of converters; 0 or 1 if they do not.
    pub count: u8,
    /// Their regular groups.
    pub regular: Regular,
    /// Their injected groups.
    pub injected: Injected,
}

/// A version of the registers.
pub trait Version: Clone + Debug + Default {
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
    /// From a trigger to the sampling of a regular and of an injected group, in periods of the converter's clock; what an
    /// external trigger takes more, in periods of the bus; from ADON to a stable converter, in microseconds.
    const ROWS: &'static [TimingRow];
    /// Sampling times by SMP, in half periods.
    const SAMPLING: [u32; 8];
    /// The triggers of the regular and of the injected group by their numbers.
    const TRIGGERS: [[Option<Trigger>; 16]; 2];
    /// The fastest clock, and how the user is told of a faster one.
    const FASTEST: Hertz;
    /// True if EOC means an injected group, too.
    const EOC_INJECTED: bool;

    /// The bits of a result.
    fn bits(_cr1: u32) -> u8 {
        12
    }

    /// The half periods of a conversion behind its sampling time.
    fn hold(bits: u8) -> u32;

    /// The bus's periods in one of the converter's clock, by the common field or register.
    fn divider(common: u32) -> u64;

    /// The trigger of a group that CR2 selects, if it hears any.
    fn select(cr2: u32, injected: bool) -> Option<Select>;

    /// True if EOC is set after each conversion instead of after a sequence.
    fn each(_cr2: u32) -> bool {
        false
    }

    /// True if a result that nobody has read is kept and an overrun.
    fn keeps_unread(_adc: &Adc<Self>) -> bool {
        false
    }

    /// True if DMA requests end with the last transfer of the DMA.
    fn ends_with_dma(_adc: &Adc<Self>) -> bool {
        false
    }

    /// The internal voltage at `channel`, with a sentence for the user if its switch is off.
    fn internal(adc: &Adc<Self>, channel: u8) -> (Option<Internal>, Option<&'static str>);

    /// The way in which converters work together.
    fn together(adc: &Adc<Self>) -> Together;

    /// CR2 was written.
    fn control(adc: &mut Adc<Self>, old: u32, new: u32, env: &mut Env<'_, '_>);

    /// CR1 was written.
    fn configured(_adc: &mut Adc<Self>, _old: u32, _new: u32, _env: &mut Env<'_, '_>) {}

    /// A regular result goes to those who work together with the converter.
    fn pass_on(_adc: &Adc<Self>, _value: u16, _env: &mut Env<'_, '_>) {}

    /// The flags have changed.
    fn flagged(_adc: &Adc<Self>, _flags: u32, _env: &mut Env<'_, '_>) {}

    /// A message that is the version's own.
    fn told(_adc: &mut Adc<Self>, _message: Message, _env: &mut Env<'_, '_>) {}

    /// The value of DR.
    fn data(adc: &Adc<Self>) -> u32 {
        adc.bank.get(DR)
    }

    /// The event `OWN` is due.
    fn event(_adc: &mut Adc<Self>, _env: &mut Env<'_, '_>) {}
}

/// The rows of a converter: see [`Version::ROWS`].
pub(in super::super) const fn rows(stabilisation: u32, source: [&'static str; 3]) -> [TimingRow; 4] {
    [
        TimingRow::documented(
            "adc.regular_latency",
            "from the start of a regular group, by software or a trigger, to its sampling, in periods of the converter's clock",
            2,
            source[0],
        ),
        TimingRow::documented("adc.injected_latency", "the same of an injected group", 3, source[0]),
        TimingRow::documented(
            "adc.trigger",
            "the additional latency of a trigger from outside the converter, in periods of its bus",
            1,
            source[1],
        ),
        TimingRow::documented(
            "adc.stabilisation",
            "from ADON until conversions are exact, in microseconds; an earlier one is named",
            stabilisation,
            source[2],
        ),
    ]
}
