//! The options of a run: their defaults, and the checks that they have together.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use cyclescope_chips::MemorySetting;
use cyclescope_machine::Channel;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{Action, Rule, SpanText, Time};
use thiserror::Error;

/// The cycles after which `exec` ends a run in which nobody types.
pub const MAX_CYCLES: Cycles = Cycles::new(10_000_000_000);

/// The times that a guest of `exec` may reset its part.
pub const RESETS: u64 = 10;

/// The length of a run that measures: a second.
pub const WINDOW: Time = Time::nanoseconds(1_000_000_000);

/// The memory settings in the order in which results show them.
pub const MEMORIES: [MemorySetting; 3] = [MemorySetting::Equal, MemorySetting::Shipped, MemorySetting::Ideal];

/// Returns the memory setting called `name`.
pub fn memory(name: &str) -> Option<MemorySetting> {
    MEMORIES.into_iter().find(|setting| setting.name() == name)
}

/// Two spans of one name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("two spans are called `{0}`")]
pub struct SpanTwice(pub String);

/// Checks that no two of `spans` have one name.
///
/// # Errors
/// [`SpanTwice`].
pub fn check_spans(spans: &[SpanText]) -> Result<(), SpanTwice> {
    let twice = spans.iter().enumerate().find(|(at, span)| spans[..*at].iter().any(|before| before.name == span.name));
    twice.map_or(Ok(()), |(_, span)| Err(SpanTwice(span.name.clone())))
}

/// The other end of a serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortEnd {
    /// Standard input and output.
    Console,
    /// A file for the port's output.
    File(PathBuf),
}

/// A serial port, and its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortText {
    /// The port.
    pub port: Channel,
    /// The other end.
    pub end: PortEnd,
}

impl PortText {
    /// Returns the file that the port's output goes to.
    pub fn file(&self) -> Option<&Path> {
        match &self.end {
            PortEnd::Console => None,
            PortEnd::File(path) => Some(path),
        }
    }
}

/// Text that names no serial port with an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("write a port's name and its other end, as in usart2=- or uart0=FILE")]
pub struct NoPort;

impl FromStr for PortText {
    type Err = NoPort;

    fn from_str(text: &str) -> Result<Self, NoPort> {
        let (name, end) = text.split_once('=').ok_or(NoPort)?;
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is = |known: &str| known.eq_ignore_ascii_case(kind);
        let number = &name[kind.len()..];
        let port = match (is("usart") || is("uart"), is("usb")) {
            (true, _) => number.parse().ok().map(Channel::Uart),
            (_, true) if number.is_empty() => Some(Channel::Usb(0)),
            (_, true) => number.parse().ok().map(Channel::Usb),
            _ => None,
        };
        let port = port.ok_or(NoPort)?;
        match end {
            "" => Err(NoPort),
            "-" => Ok(Self { port, end: PortEnd::Console }),
            file => Ok(Self { port, end: PortEnd::File(file.into()) }),
        }
    }
}

/// Serial ports that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PortsError {
    /// One has two ends.
    #[error("--port names a serial port twice; give each port one --port")]
    Twice,
    /// Two have the same one.
    #[error("--port gives standard input to two serial ports; give `-` to one and files to the others")]
    Consoles,
}

/// Returns the numbers of the ports `named`.
///
/// # Errors
/// [`PortsError`] for a port that is named twice, and for two consoles.
pub fn ports(named: &[PortText]) -> Result<Vec<Channel>, PortsError> {
    let numbers: Vec<Channel> = named.iter().map(|port| port.port).collect();
    if (1..numbers.len()).any(|index| numbers[..index].contains(&numbers[index])) {
        return Err(PortsError::Twice);
    }
    if named.iter().filter(|port| port.end == PortEnd::Console).count() > 1 {
        return Err(PortsError::Consoles);
    }
    Ok(numbers)
}

/// Returns the port of `named` that standard input goes to.
pub fn console_port(named: &[PortText]) -> Option<Channel> {
    named.iter().find(|port| port.end == PortEnd::Console).map(|port| port.port)
}

/// Returns the stimulus that stands for `byte`, which came to `port` at the cycle `at`.
pub fn typed(at: Cycles, port: Channel, byte: u8) -> Rule {
    Rule::At { time: Time::Cycles(at.get()), action: Action::Serial(port, vec![byte]) }
}

/// Returns the news that the part was reset for the `count`th time, of at most `most`.
pub fn reset_note(count: u64, most: u64, at: Cycles, cause: &str) -> String {
    format!("reset {count} of at most {most} (--resets) at cycle {}: {cause}", at.grouped())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_has_a_number_and_an_end() {
        assert_eq!("usart2=-".parse(), Ok(PortText { port: Channel::Uart(2), end: PortEnd::Console }));
        assert_eq!("UART0=a=b".parse(), Ok(PortText { port: Channel::Uart(0), end: PortEnd::File("a=b".into()) }));
        assert_eq!("usb=-".parse(), Ok(PortText { port: Channel::Usb(0), end: PortEnd::Console }));
        assert_eq!("usb1=x".parse(), Ok(PortText { port: Channel::Usb(1), end: PortEnd::File("x".into()) }));
        for wrong in ["usart2", "usart2=", "usart=-", "spi1=-", "2=-", "usart256=-", "=-", "é2=-"] {
            assert!(wrong.parse::<PortText>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn spans_and_ports_are_named_once() {
        let spans = |names: &[&str]| names.iter().map(|name| format!("{name}=sleep..wake").parse().unwrap()).collect();
        let (one, two): (Vec<SpanText>, Vec<SpanText>) = (spans(&["a", "b"]), spans(&["a", "b", "a"]));
        assert_eq!((check_spans(&one), check_spans(&two)), (Ok(()), Err(SpanTwice("a".to_owned()))));
        let all = |texts: &[&str]| ports(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>());
        assert_eq!(all(&["usart1=-", "usart2=x"]), Ok(vec![Channel::Uart(1), Channel::Uart(2)]));
        assert_eq!(all(&["usart1=-", "uart1=x"]), Err(PortsError::Twice));
        assert_eq!(all(&["usart1=-", "usart2=-"]), Err(PortsError::Consoles));
    }
}
