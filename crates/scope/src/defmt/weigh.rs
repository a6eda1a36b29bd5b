//! Bounds of a frame, checked before the decoder reads it.
//!
//! The decoder follows formats inside formats by recursion, makes room for as many elements as a frame says, and writes
//! whatever that comes to: a few bytes could overflow the stack or take all memory, which ends the process. [`weigh`] reads a
//! frame in the same order and adds up what the decoder would do.

use std::collections::BTreeMap;

use defmt_parser::{DisplayHint, Fragment, ParserMode, Type};

use super::formats::Formats;

/// The deepest nesting of formats.
const DEEPEST: usize = 64;
/// The longest message in bytes.
const LONGEST_MESSAGE: u64 = 1 << 20;
/// The most arguments of one format string.
const MOST_ARGUMENTS: usize = 1_000;
/// The widest number.
const WIDEST: usize = 1_024;
/// The most bytes in CBOR that may begin an array, a map or a tag, and so nest.
const MOST_CBOR: usize = 256;
/// The most work for a frame: characters of format strings that are read, and comparisons of arguments.
const MOST_WORK: u64 = 1 << 24;
/// The memory of an element of a slice, in bytes.
const ELEMENT: u64 = 64;
/// The most memory for elements.
const MOST_ELEMENTS: u64 = 1 << 22;

/// A reason to leave a frame alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// The bytes end before the frame.
    End,
    /// The bytes are no frame.
    Malformed,
    /// The frame is too much.
    TooMuch(&'static str),
}

/// Reads one frame at the start of `bytes`.
///
/// # Errors
/// The reason to leave it alone. The decoder may still find others.
pub(super) fn weigh(formats: &Formats, bytes: &[u8]) -> Result<(), Unfit> {
    let mut frame = Frame { formats, bytes, work: MOST_WORK, elements: MOST_ELEMENTS };
    let index = frame.number(2)? as u16;
    if let Some(timestamp) = &formats.timestamp {
        frame.format(timestamp, Outer::default())?;
    }
    let format = formats.get(index).ok_or(Unfit::Malformed)?;
    frame.format(format, Outer::default())?;
    Ok(())
}

/// The demands of the formats around a format.
#[derive(Clone, Copy, Debug, Default)]
struct Outer {
    depth: usize,
    /// The width of numbers.
    width: usize,
    flags: bool,
    cbor: bool,
}

struct Frame<'f> {
    formats: &'f Formats,
    bytes: &'f [u8],
    work: u64,
    elements: u64,
}

impl<'f> Frame<'f> {
    fn take(&mut self, length: usize) -> Result<&'f [u8], Unfit> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Unfit::End)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<u64, Unfit> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn named(&mut self) -> Result<&'f str, Unfit> {
        let index = self.number(2)? as u16;
        self.formats.get(index).ok_or(Unfit::Malformed)
    }

    fn works(&mut self, amount: usize) -> Result<(), Unfit> {
        let too_much = Unfit::TooMuch("a frame's formats are read more often than any log does");
        self.work = self.work.checked_sub(amount as u64).ok_or(too_much)?;
        Ok(())
    }

    /// Reads the arguments of `format`, and returns the greatest length of its text.
    fn format(&mut self, format: &str, outer: Outer) -> Result<u64, Unfit> {
        if outer.depth > DEEPEST {
            return Err(Unfit::TooMuch("a frame nests more than 64 formats"));
        }
        self.works(format.len() + 1)?;
        check_indices(format)?;
        let fragments = defmt_parser::parse(format, ParserMode::ForwardsCompatible).map_err(|_| Unfit::Malformed)?;
        let mut inner = Outer { depth: outer.depth + 1, ..outer };
        let mut types: BTreeMap<usize, Type> = BTreeMap::new();
        for fragment in &fragments {
            let Fragment::Parameter(parameter) = fragment else { continue };
            inner.heed(parameter.hint.as_ref())?;
            match (types.get_mut(&parameter.index), &parameter.ty) {
                (Some(Type::BitField(known)), Type::BitField(own)) => {
                    *known = known.start.min(own.start)..known.end.max(own.end);
                }
                (Some(_), _) => {}
                (None, own) => {
                    types.insert(parameter.index, own.clone());
                }
            }
        }
        self.works(types.len() * fragments.len())?;
        let mut lengths = BTreeMap::new();
        for (index, kind) in types {
            lengths.insert(index, self.argument(&kind, inner)?);
        }
        let text = fragments.iter().fold(0u64, |text, fragment| {
            text.saturating_add(match fragment {
                Fragment::Literal(literal) => literal.len() as u64,
                Fragment::Parameter(parameter) => lengths.get(&parameter.index).copied().unwrap_or(0),
            })
        });
        bounded(text)
    }

    fn argument(&mut self, kind: &Type, inner: Outer) -> Result<u64, Unfit> {
        let number = inner.number(self.formats);
        let mut of = |bytes| self.take(bytes).map(|_| number);
        match kind {
            Type::I8 | Type::U8 | Type::Bool => of(1),
            Type::I16 | Type::U16 => of(2),
            Type::I32 | Type::Isize | Type::U32 | Type::Usize | Type::F32 | Type::Char => of(4),
            Type::I64 | Type::U64 | Type::F64 => of(8),
            Type::I128 | Type::U128 => of(16),
            Type::BitField(range) => {
                let bytes = (range.end.max(1) - 1) / 8 - range.start / 8 + 1;
                of(usize::from(bytes).next_power_of_two())
            }
            Type::Str => {
                let length = self.number(4)? as usize;
                check_length(length)?;
                escaped(self.take(length)?)
            }
            Type::IStr => escaped(self.named()?.as_bytes()),
            Type::U8Slice => {
                let length = self.number(4)? as usize;
                self.slice(length, inner)
            }
            Type::U8Array(length) => self.slice(*length, inner),
            Type::Debug | Type::Display => {
                let end = self.bytes.iter().position(|byte| *byte == 0xFF).ok_or(Unfit::End)?;
                escaped(&self.take(end + 1)?[..end])
            }
            Type::Format => {
                let format = self.named()?;
                let format = if format.contains('|') { self.variant(format)? } else { format };
                self.format(format, inner)
            }
            Type::FormatSlice => {
                let elements = self.number(4)?;
                self.list(elements, inner)
            }
            Type::FormatArray(elements) => self.list(*elements as u64, inner),
            Type::FormatSequence => {
                let mut text = 0u64;
                loop {
                    let index = self.number(2)? as u16;
                    if index == 0 {
                        return bounded(text);
                    }
                    self.element()?;
                    let format = self.formats.get(index).ok_or(Unfit::Malformed)?;
                    text = bounded(text.saturating_add(self.format(format, inner)?))?;
                }
            }
        }
    }

    fn slice(&mut self, length: usize, inner: Outer) -> Result<u64, Unfit> {
        check_length(length)?;
        let bytes = self.take(length)?;
        // Major types 4, 5 and 6 (RFC 8949, section 3.1).
        if inner.cbor && bytes.iter().filter(|byte| (0x80..0xE0).contains(*byte)).count() > MOST_CBOR {
            return Err(Unfit::TooMuch("bytes in CBOR have more than 256 arrays, maps and tags"));
        }
        escaped(bytes)
    }

    fn list(&mut self, elements: u64, inner: Outer) -> Result<u64, Unfit> {
        let format = self.named()?;
        // The decoder makes room for all of them first.
        if elements.saturating_mul(ELEMENT) > self.elements {
            return Err(Unfit::TooMuch("a frame's slices have more than 65,536 elements"));
        }
        let is_enum = format.contains('|');
        let mut text = 2u64;
        for _ in 0..elements {
            self.element()?;
            let format = if is_enum { self.variant(format)? } else { format };
            text = bounded(text.saturating_add(2 + self.format(format, inner)?))?;
        }
        Ok(text)
    }

    fn element(&mut self) -> Result<(), Unfit> {
        let too_much = Unfit::TooMuch("a frame's slices have more than 65,536 elements");
        self.elements = self.elements.checked_sub(ELEMENT).ok_or(too_much)?;
        Ok(())
    }

    fn variant(&mut self, format: &'f str) -> Result<&'f str, Unfit> {
        self.works(2 * format.len())?;
        let variants = format.bytes().filter(|byte| *byte == b'|').count();
        let bytes = match variants {
            ..=0xFF => 1,
            0x100..=0xFFFF => 2,
            _ => 4,
        };
        let variant = self.number(bytes)? as usize;
        format.split('|').nth(variant).ok_or(Unfit::Malformed)
    }
}

impl Outer {
    /// Adds what `hint` asks for. Hints of outer formats are handed down.
    fn heed(&mut self, hint: Option<&DisplayHint>) -> Result<(), Unfit> {
        match hint {
            Some(
                DisplayHint::NoHint { zero_pad }
                | DisplayHint::Hexadecimal { zero_pad, .. }
                | DisplayHint::Octal { zero_pad, .. }
                | DisplayHint::Binary { zero_pad, .. },
            ) => self.width = self.width.max(*zero_pad),
            Some(DisplayHint::Bitflags { .. }) => self.flags = true,
            Some(DisplayHint::Cbor) => self.cbor = true,
            _ => {}
        }
        if self.width > WIDEST {
            Err(Unfit::TooMuch("a format pads numbers to more than 1,024 digits"))
        } else {
            Ok(())
        }
    }

    /// Returns the greatest length of a number: 128 binary digits with a prefix, or flags by name.
    fn number(self, formats: &Formats) -> u64 {
        let flags = if self.flags { formats.flags } else { 0 };
        130.max(self.width as u64) + flags
    }
}

/// Checks the numbers of arguments, up to which the parser makes a table.
fn check_indices(format: &str) -> Result<(), Unfit> {
    let mut rest = format.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'{' || rest.next_if_eq(&b'{').is_some() {
            continue;
        }
        let mut number = 0usize;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        }
        if number > MOST_ARGUMENTS {
            return Err(Unfit::TooMuch("a format string has more than 1,000 arguments"));
        }
    }
    Ok(())
}

/// Checks the length of text or bytes, for which a decoder without end marks would wait.
fn check_length(length: usize) -> Result<(), Unfit> {
    if length as u64 > LONGEST_MESSAGE { Err(Unfit::TooMuch(MESSAGE)) } else { Ok(()) }
}

/// Returns the greatest length of text with all its escapes.
fn escaped(text: &[u8]) -> Result<u64, Unfit> {
    bounded(2 + 10 * text.len() as u64)
}

const MESSAGE: &str = "a message is longer than 1 MiB";

fn bounded(text: u64) -> Result<u64, Unfit> {
    if text > LONGEST_MESSAGE { Err(Unfit::TooMuch(MESSAGE)) } else { Ok(text) }
}
