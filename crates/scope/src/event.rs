//! Events that a session can watch, as a user writes them and as a run needs them.
//!
//! | written | happens when |
//! |---|---|
//! | `symbol:NAME` or just `NAME` | the first instruction of NAME is about to execute |
//! | `symbol:NAME:left` | NAME has returned to its caller |
//! | `address:0x08000100` | the instruction there is about to execute |
//! | `pin:PA5:rise`, `:fall`, `:edge` | the pin's level changed |
//! | `exception:SysTick:entered`, `:returned`, `:pended` | also with an interrupt's name or a number |
//! | `trap` | a supervisor call (SVC, ECALL) is about to execute |
//! | `sleep`, `wake` | the core goes to sleep, wakes |
//! | `i2c1:start`, `i2c1:start=0x3c`, `:byte`, `:byte=0x9f`, `:stop`, `:nack` | a part of a transfer, also by an attached device's name |
//! | `spi1:byte`, `can1:frame=0x123`, `can1:error`, `uart2:sent`, `uart2:sent=0x41`, `uart2:received` | the same |
//! | `core1:EVENT` | an event of one core: any of a function, an address, an exception, `trap`, `sleep` and `wake` |
//! | `time:1ms`, `time:4800cy` | that time after reset, in s, ms, us, ns, ps or cycles |

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use cyclescope_image::{Image, SymbolError};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Line, Moment, Pin};
use thiserror::Error;

use crate::nearest::nearest;
use crate::time::{Time, TimeError};
use crate::transfer::{LineName, TransferPart};
use crate::traps;

/// The lines of VexRiscv's external interrupt array, by signal number. They have no handlers of their own: together
/// they raise one interrupt.
const ARRAY: RangeInclusive<u16> = 0x8000 + 32..=0x8000 + 63;
/// The interrupt that these lines raise.
const EXTERNAL: u16 = 0x8000 + 11;

/// A change of a pin's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Low to high.
    Rise,
    /// High to low.
    Fall,
    /// Either.
    Any,
}

/// A moment of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceptionPhase {
    /// It became pending.
    Pended,
    /// Its handler's first instruction is about to execute.
    Entered,
    /// Its handler has returned.
    Returned,
}

/// An event as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A function is entered.
    Entered(String),
    /// A function has returned.
    Left(String),
    /// The instruction at this address executes.
    At(Address),
    /// A pin changed.
    Pin(Pin, Edge),
    /// A moment of an exception, by name or number.
    Exception(String, ExceptionPhase),
    /// A supervisor call executes.
    Trap,
    /// The core goes to sleep.
    Sleep,
    /// The core wakes.
    Wake,
    /// A time after reset.
    Time(Time),
    /// A part of a transfer on a line.
    Transfer(LineName, TransferPart),
    /// An event on one core of a part with several; without it, it is any core's.
    OfCore(u8, Box<Event>),
}

/// An event resolved for a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The instruction at this address is about to execute.
    At(Address),
    /// The function that begins at this address has returned.
    Left(Address),
    /// A pin changed.
    Pin(Pin, Edge),
    /// A moment of the exception of this number.
    Exception(u16, ExceptionPhase),
    /// A trap instruction is about to execute.
    Trap,
    /// The core goes to sleep.
    Sleep,
    /// The core wakes.
    Wake,
    /// A moment after reset.
    Time(Moment),
    /// A part of a transfer on a line of this name.
    Transfer(LineName, TransferPart),
    /// The same on a line of the machine.
    Transferred(Line, TransferPart),
    /// An event of the core of this number.
    OfCore(u8, CoreEvent),
}

/// An event of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreEvent {
    /// See [`Resolved::At`].
    At(Address),
    /// See [`Resolved::Left`].
    Left(Address),
    /// See [`Resolved::Exception`].
    Exception(u16, ExceptionPhase),
    /// See [`Resolved::Trap`].
    Trap,
    /// See [`Resolved::Sleep`].
    Sleep,
    /// See [`Resolved::Wake`].
    Wake,
}

impl Resolved {
    /// Returns the same event of the core `core` alone; `None` for one that is no core's.
    fn of_core(self, core: u8) -> Option<Self> {
        let event = match self {
            Self::At(address) => CoreEvent::At(address),
            Self::Left(entry) => CoreEvent::Left(entry),
            Self::Exception(number, phase) => CoreEvent::Exception(number, phase),
            Self::Trap => CoreEvent::Trap,
            Self::Sleep => CoreEvent::Sleep,
            Self::Wake => CoreEvent::Wake,
            Self::Pin(..) | Self::Time(_) | Self::Transfer(..) | Self::Transferred(..) | Self::OfCore(..) => {
                return None;
            }
        };
        Some(Self::OfCore(core, event))
    }

    /// Returns the same event of any core.
    #[must_use]
    pub fn of_any_core(self) -> Self {
        let Self::OfCore(_, event) = self else { return self };
        match event {
            CoreEvent::At(address) => Self::At(address),
            CoreEvent::Left(entry) => Self::Left(entry),
            CoreEvent::Exception(number, phase) => Self::Exception(number, phase),
            CoreEvent::Trap => Self::Trap,
            CoreEvent::Sleep => Self::Sleep,
            CoreEvent::Wake => Self::Wake,
        }
    }

    /// Returns the same event of any core, if something on the core `core` can be it.
    pub(crate) fn on(self, core: u8) -> Option<Self> {
        match self {
            Self::OfCore(wanted, _) if wanted != core => None,
            _ => Some(self.of_any_core()),
        }
    }
}

/// The numbers of a part's exceptions by name, system exceptions included.
pub type Names<'a> = &'a [(u16, &'a str)];

/// An error in an event.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventError {
    /// Text in no form of an event.
    #[error(
        "`{0}` is not an event; write symbol:NAME, symbol:NAME:left, address:0x…, pin:PA5:rise, \
         exception:NAME:entered, i2c1:start, spi1:byte, uart2:sent, trap, sleep, wake or time:1ms"
    )]
    Form(String),
    /// An event without the word before its first colon, and the events that it may be.
    #[error("`{0}` is not an event; did you mean {1}?")]
    Meant(String, String),
    /// Text that is no pin's name.
    #[error("`{0}` is not a pin; write it like PA5, P0.11 or GPIO15")]
    Pin(String),
    /// A time without a known unit.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A symbol that the image does not have.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// An exception that the part does not have, and the nearest names.
    #[error("the part has no exception `{0}`; the nearest are {1}")]
    Exception(String, String),
    /// A line without a handler of its own, and the interrupt that it raises.
    #[error(
        "`{0}` is one of the lines of the interrupt `{1}` and has no handler of its own; write exception:{1}:entered or \
         :returned, or exception:{0}:pended"
    )]
    Line(String, String),
    /// An architecture without a trap instruction.
    #[error("{0} has no trap instruction; give the function that handles the call as the event")]
    NoTrap(String),
    /// A line whose transfers nobody sees, with the reason and the nearest names.
    #[error("`{0}`: {1}")]
    NoLine(String, String),
    /// A part of a transfer that does not come on the line, and those that do.
    #[error("`{0}` does not come on that line; write {1}")]
    NoPart(String, &'static str),
    /// An event of a core that is none: a pin's edge, a transfer, a time.
    #[error("`{0}` is no core's; leave out `core…:`")]
    NoOwner(String),
    /// A core of a part that has one.
    #[error("the part has one core; leave out `core{0}:`")]
    OneCore(u8),
    /// A core that the part does not have, and the last one.
    #[error("the part has no core {0}; its last is core {1}")]
    NoCore(u8, usize),
    /// A pin that the part does not have, and the nearest pins.
    #[error("the part has no pin {0}{1}")]
    NoPin(Pin, String),
}

impl FromStr for Event {
    type Err = EventError;

    fn from_str(text: &str) -> Result<Self, EventError> {
        let form = || meant(text).unwrap_or_else(|| EventError::Form(text.to_owned()));
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("", _) => Err(form()),
            (core, event) if let Some(core) = core_of(core, event) => match event.parse::<Self>()? {
                event @ (Self::Pin(..) | Self::Time(_) | Self::Transfer(..) | Self::OfCore(..)) => {
                    Err(EventError::NoOwner(event.to_string()))
                }
                event => Ok(Self::OfCore(core, Box::new(event))),
            },
            ("trap", "") => Ok(Self::Trap),
            ("sleep", "") => Ok(Self::Sleep),
            ("wake", "") => Ok(Self::Wake),
            ("symbol", name) => Ok(match name.strip_suffix(":left") {
                Some(name) => Self::Left(name.to_owned()),
                None => Self::Entered(name.strip_suffix(":entered").unwrap_or(name).to_owned()),
            }),
            ("address", number) => parse_address(number).map(Self::At).ok_or_else(form),
            ("pin", rest) => {
                let (pin, edge) = rest.split_once(':').ok_or_else(form)?;
                let edge = match edge {
                    "rise" => Edge::Rise,
                    "fall" => Edge::Fall,
                    "edge" => Edge::Any,
                    _ => return Err(form()),
                };
                Ok(Self::Pin(pin.parse().map_err(|_| EventError::Pin(pin.to_owned()))?, edge))
            }
            ("exception" | "interrupt", rest) => {
                let (name, phase) = rest.split_once(':').unwrap_or((rest, "entered"));
                let phase = match phase {
                    "pended" => ExceptionPhase::Pended,
                    "entered" => ExceptionPhase::Entered,
                    "returned" => ExceptionPhase::Returned,
                    _ => return Err(form()),
                };
                Ok(Self::Exception(name.to_owned(), phase))
            }
            ("time", rest) => Ok(Self::Time(rest.parse()?)),
            (line, rest) if let Some((line, part)) = LineName::new(line).zip(TransferPart::parse(rest)) => {
                Ok(Self::Transfer(line, part))
            }
            _ if meant(text).is_some() => Err(form()),
            // A plain name, including demangled paths with their colons.
            _ if rest.is_empty() || rest.starts_with(':') => Ok(Self::Entered(text.to_owned())),
            _ => Err(form()),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A name that ends like an event needs its own end.
            Self::Entered(name) if name.ends_with(":entered") || name.ends_with(":left") => {
                write!(f, "symbol:{name}:entered")
            }
            Self::Entered(name) => write!(f, "symbol:{name}"),
            Self::Left(name) => write!(f, "symbol:{name}:left"),
            Self::At(address) => write!(f, "address:{address}"),
            Self::Pin(pin, edge) => {
                let edge = match edge {
                    Edge::Rise => "rise",
                    Edge::Fall => "fall",
                    Edge::Any => "edge",
                };
                write!(f, "pin:{pin}:{edge}")
            }
            Self::Exception(name, phase) => {
                let phase = match phase {
                    ExceptionPhase::Pended => "pended",
                    ExceptionPhase::Entered => "entered",
                    ExceptionPhase::Returned => "returned",
                };
                write!(f, "exception:{name}:{phase}")
            }
            Self::Trap => f.write_str("trap"),
            Self::Sleep => f.write_str("sleep"),
            Self::Wake => f.write_str("wake"),
            Self::Time(time) => write!(f, "time:{time}"),
            Self::Transfer(line, part) => write!(f, "{}:{part}", line.as_str()),
            Self::OfCore(core, event) => write!(f, "core{core}:{event}"),
        }
    }
}

impl Event {
    /// Tells if it may happen while an instruction is under way.
    pub fn comes_inside(&self) -> bool {
        match self {
            Self::Entered(_) | Self::Left(_) | Self::At(_) | Self::Trap | Self::Wake => false,
            Self::Exception(_, phase) => *phase == ExceptionPhase::Pended,
            Self::Pin(..) | Self::Sleep | Self::Time(_) | Self::Transfer(..) => true,
            Self::OfCore(_, event) => event.comes_inside(),
        }
    }

    /// Returns the same event of any core.
    pub fn of_any_core(&self) -> &Self {
        match self {
            Self::OfCore(_, event) => event,
            event => event,
        }
    }

    /// Resolves the event's symbol, exception or time.
    ///
    /// # Errors
    /// [`EventError::Symbol`] or [`EventError::Exception`] if the image or the part lacks the name;
    /// [`EventError::Line`] or [`EventError::NoTrap`] if the event could never happen, and [`EventError::NoOwner`].
    pub fn resolve(&self, image: &Image, names: Names<'_>) -> Result<Resolved, EventError> {
        Ok(match self {
            Self::Entered(name) => Resolved::At(image.symbol(name)?.address),
            Self::Left(name) => Resolved::Left(image.symbol(name)?.address),
            Self::At(address) => Resolved::At(*address),
            Self::Pin(pin, edge) => Resolved::Pin(*pin, *edge),
            Self::Exception(name, phase) => {
                let number = exception(name, names)?;
                if *phase != ExceptionPhase::Pended && ARRAY.contains(&number) {
                    let known = names.iter().find(|(known, _)| *known == EXTERNAL);
                    let external = known.map_or(EXTERNAL.to_string(), |(_, known)| (*known).to_owned());
                    return Err(EventError::Line(name.clone(), external));
                }
                Resolved::Exception(number, *phase)
            }
            Self::Trap if traps::instruction(image.architecture()).is_none() => {
                return Err(EventError::NoTrap(image.architecture().to_string()));
            }
            Self::Trap => Resolved::Trap,
            Self::Sleep => Resolved::Sleep,
            Self::Wake => Resolved::Wake,
            Self::Time(time) => Resolved::Time(time.after_reset()),
            Self::Transfer(line, part) => Resolved::Transfer(*line, *part),
            Self::OfCore(core, event) => {
                let resolved = event.resolve(image, names)?;
                resolved.of_core(*core).ok_or_else(|| EventError::NoOwner(event.to_string()))?
            }
        })
    }
}

/// Returns the number in `core1`, if it is the first word of an event of that core, whose rest is `event`. A device may be called
/// so too, and a module of a program.
fn core_of(word: &str, event: &str) -> Option<u8> {
    let digits = word.strip_prefix("core").filter(|_| !event.is_empty() && !event.starts_with(':'))?;
    let transfer = TransferPart::parse(event).is_some();
    digits.parse().ok().filter(|_| !transfer && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Returns the error for `text` that lacks its first word, if its end or its beginning tells which, or in which a word is misspelt.
fn meant(text: &str) -> Option<EventError> {
    if let Some(event) = respelt(text) {
        return Some(EventError::Meant(text.to_owned(), format!("`{event}`")));
    }
    let (kinds, text): (&[&str], _) = match text.rsplit_once(':') {
        None if text.parse::<Time>().is_ok() => (&["time"], text),
        Some((pin, "rise" | "fall" | "edge")) if pin.parse::<Pin>().is_ok() => (&["pin"], text),
        Some((name, "left")) if is_name(name) => (&["symbol"], text),
        Some((name, "entered")) if is_name(name) => (&["symbol", "exception"], text),
        Some((name, "returned" | "pended")) if is_name(name) => (&["exception"], text),
        _ => return None,
    };
    let events: Vec<String> = kinds.iter().map(|kind| format!("`{kind}:{text}`")).collect();
    Some(EventError::Meant(text.to_owned(), events.join(" or ")))
}

/// Returns `text` with another last word, where that is a slip of an edge or a phase.
fn respelt(text: &str) -> Option<String> {
    let (start, word) = text.rsplit_once(':')?;
    let words: &[&str] = match start.split_once(':')?.0 {
        "pin" => &["rise", "fall", "edge"],
        "exception" | "interrupt" => &["pended", "entered", "returned"],
        _ => return None,
    };
    let near = words.iter().min_by_key(|known| strsim::osa_distance(word, known))?;
    let slip = 1..=near.len() / 2;
    slip.contains(&strsim::osa_distance(word, near)).then(|| format!("{start}:{near}"))
}

/// Tells if `name` may be that of a function or an interrupt, and begins with no kind of event.
fn is_name(name: &str) -> bool {
    const KINDS: [&str; 6] = ["symbol", "address", "pin", "exception", "interrupt", "time"];
    let first = name.split(':').next().unwrap_or_default();
    // `a::left` is a function.
    !first.is_empty() && !KINDS.contains(&first) && !name.ends_with(':')
}

fn exception(name: &str, names: Names<'_>) -> Result<u16, EventError> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let found = names.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
    found.map(|(number, _)| *number).ok_or_else(|| {
        let known = nearest(name, names.iter().map(|(_, known)| *known));
        EventError::Exception(name.to_owned(), known.join(", "))
    })
}

fn parse_address(text: &str) -> Option<Address> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(&hex.replace('_', ""), 16).ok()?,
        None => text.parse().ok()?,
    };
    Some(Address::new(number & !1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back_as_they_are_written() {
        for text in [
            "symbol:main",
            "symbol:core::fmt::write:left",
            "time:3ms",
            "address:0x08000100",
            "pin:PC13:fall",
            "pin:PA0:edge",
            "exception:SysTick:returned",
            "exception:17:entered",
            "sleep",
            "trap",
            "time:4800cy",
            "i2c1:start",
            "i2c1:start=0x3c",
            "spi1:byte=0x9f",
            "can1:frame",
            "can1:frame=0x123",
            "can1:error",
            "my-eeprom:stop",
            "i2c2:nack",
            "uart2:sent=0x41",
            "uart2:received",
        ] {
            assert_eq!(text.parse::<Event>().map(|event| event.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("main".parse(), Ok(Event::Entered("main".into())));
        assert_eq!("app::left".parse(), Ok(Event::Entered("app::left".into())));
        assert_eq!("app::task".parse(), Ok(Event::Entered("app::task".into())));
        assert_eq!("time:3ms".parse(), Ok(Event::Time(Time::nanoseconds(3_000_000))));
    }

    #[test]
    fn an_event_of_one_core_is_no_other_core_s() {
        let work: Event = "core1:symbol:core::work:left".parse().expect("an event");
        assert_eq!(work, Event::OfCore(1, Box::new(Event::Left("core::work".into()))));
        assert_eq!(work.to_string().parse(), Ok(work));
        assert_eq!("core1::work".parse(), Ok(Event::Entered("core1::work".into())), "a module");
        assert!(matches!("core1:byte".parse(), Ok(Event::Transfer(..))), "a device of this name");
        for text in ["core1:time:1ms", "core1:pin:PA0:rise", "core0:core1:sleep", "core0:i2c1:start"] {
            let refused = text.parse::<Event>().expect_err(text);
            assert!(matches!(refused, EventError::NoOwner(_)), "{text}: {refused}");
        }
        for text in ["core:sleep", "core300:sleep", "core+1:sleep"] {
            assert!(text.parse::<Event>().is_err(), "{text}");
        }
        let sleep = Resolved::Sleep.of_core(1).expect("a core sleeps");
        assert_eq!((sleep.on(0), sleep.on(1)), (None, Some(Resolved::Sleep)));
        assert_eq!((Resolved::Sleep.on(0), Resolved::Sleep.on(1)), (Some(Resolved::Sleep), Some(Resolved::Sleep)));
    }

    #[test]
    fn a_line_without_a_handler_can_only_pend() {
        let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
        let image = Image::parse(&elf).expect("a bundled image");
        let part = cyclescope_chips::Part::find("litex-vexriscv").expect("a bundled chip");
        let lines: Vec<(u16, &str)> =
            part.interrupts.iter().map(|(line, name)| (0x8000 | u16::from(*line), *name)).collect();
        let resolve = |text: &str| text.parse::<Event>().expect(text).resolve(&image, &lines);
        for (text, line) in
            [("uart:entered", "uart"), ("timer0:returned", "timer0"), ("timer0", "timer0"), ("32801:entered", "32801")]
        {
            let error = resolve(&format!("exception:{text}")).expect_err(text);
            assert_eq!(error, EventError::Line(line.into(), "external".into()));
            assert!(error.to_string().contains("write exception:external:entered"), "{error}");
        }
        for (text, number, phase) in [
            ("uart:pended", 0x8020, ExceptionPhase::Pended),
            ("external:pended", 0x800B, ExceptionPhase::Pended),
            ("external:entered", 0x800B, ExceptionPhase::Entered),
        ] {
            assert_eq!(resolve(&format!("exception:{text}")), Ok(Resolved::Exception(number, phase)));
        }
    }

    #[test]
    fn an_event_without_its_first_word_gets_it() {
        let error = |text: &str| text.parse::<Event>().expect_err(text).to_string();
        for (text, meant) in [
            ("xQueueGenericSend:left", "`symbol:xQueueGenericSend:left`"),
            ("core::fmt::write:left", "`symbol:core::fmt::write:left`"),
            ("SysTick:entered", "`symbol:SysTick:entered` or `exception:SysTick:entered`"),
            ("EXTI15_10:pended", "`exception:EXTI15_10:pended`"),
            ("PA5:rise", "`pin:PA5:rise`"),
            ("1ms", "`time:1ms`"),
            ("pin:PG0:rize", "`pin:PG0:rise`"),
            ("exception:SysTick:enterd", "`exception:SysTick:entered`"),
        ] {
            assert_eq!(error(text), format!("`{text}` is not an event; did you mean {meant}?"));
        }
        for text in ["pin:PA5:left", "exception:X:left", ":left", "X5:rise"] {
            assert!(error(text).contains("write symbol:NAME"), "{text}");
        }
    }

    #[test]
    fn what_is_not_an_event_says_what_would_be() {
        for text in [
            "",
            "pin:PA5",
            "pin:PA5:up",
            "pin:X5:rise",
            "pin:PA99:rise",
            "time:3min",
            "address:zz",
            "x:y",
            "i2c1:stop=1",
            "i2c1:start=",
            "i2c1:byte=+1",
            "7:sent",
            "a b:sent",
        ] {
            assert!(text.parse::<Event>().is_err(), "{text}");
        }
    }
}
