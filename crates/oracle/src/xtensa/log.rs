//! QEMU's states: its log, read as it comes.
//!
//! Before each instruction QEMU writes a line with the word "Trace" and then all registers, `NAME=` with eight digits,
//! in an order and at places that are always the same but for the floating-point registers, which come last with their
//! values in decimal.

use std::io::{self, BufRead};

/// The place of a register's digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    at: usize,
    index: usize,
}

/// The registers of a log, by name.
#[derive(Debug)]
pub struct Log<R> {
    from: R,
    /// The names of the registers of a state.
    names: Vec<String>,
    /// Places in the part of a state whose layout is fixed.
    layout: Vec<Field>,
    fixed: usize,
    /// A state that has been read and may yet be taken back.
    text: Vec<u8>,
    line: Vec<u8>,
    /// The last line read begins the next state.
    begun: bool,
}

/// One register: the name and where its eight digits begin.
fn fields(text: &[u8]) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'=') {
        let is_digits = |bytes: &[u8]| bytes.len() == 8 && bytes.iter().all(u8::is_ascii_hexdigit);
        let ends = text.get(at + 9).is_none_or(|byte| !byte.is_ascii_hexdigit());
        let begin = text[..at].iter().rposition(|byte| byte.is_ascii_whitespace()).map_or(0, |place| place + 1);
        if text.get(at + 1..at + 9).is_some_and(is_digits) && ends && begin < at {
            all.push((String::from_utf8_lossy(&text[begin..at]).into_owned(), at + 1));
        }
    }
    all
}

fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            _ => (digit | 0x20).wrapping_sub(b'a').wrapping_add(10),
        };
        value << 4 | u32::from(digit & 15)
    })
}

impl<R: BufRead> Log<R> {
    /// A log that comes from `from`.
    pub fn new(from: R) -> Self {
        Self { from, names: Vec::new(), layout: Vec::new(), fixed: 0, text: Vec::new(), line: Vec::new(), begun: false }
    }

    /// The names of the registers, once a state has been read.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the next state into `values`, in the order of [`Self::names`]; false at the end. A state before an
    /// instruction that QEMU stopped, which it logs again, is left out.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn next(&mut self, values: &mut Vec<u32>) -> io::Result<bool> {
        loop {
            // To the first line of a state.
            while !self.begun {
                if !self.read_line()? {
                    return Ok(false);
                }
                self.begun = self.line.starts_with(b"Trace");
            }
            self.text.clear();
            self.begun = false;
            let mut again = false;
            while self.read_line()? {
                if self.line.starts_with(b"Trace") {
                    self.begun = true;
                    break;
                }
                if self.line.starts_with(b"Stopped") {
                    again = true;
                    break;
                }
                self.text.extend_from_slice(&self.line);
            }
            if again {
                continue;
            }
            self.values(values);
            return Ok(true);
        }
    }

    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        Ok(self.from.read_until(b'\n', &mut self.line)? > 0)
    }

    fn values(&mut self, values: &mut Vec<u32>) {
        // The floating-point registers: F00 to F15.
        let floats = self.text.windows(5).position(|window| window == b"\nF00=").map_or(self.text.len(), |at| at + 1);
        if self.names.is_empty() || self.fixed != floats {
            self.fixed = floats;
            self.names.clear();
            self.layout.clear();
            for (name, at) in fields(&self.text[..floats]) {
                self.layout.push(Field { at, index: self.names.len() });
                self.names.push(name);
            }
            for (name, _) in fields(&self.text[floats..]) {
                if !self.names.contains(&name) {
                    self.names.push(name);
                }
            }
        }
        values.clear();
        values.resize(self.names.len(), 0);
        for field in &self.layout {
            values[field.index] = hex(&self.text[field.at..field.at + 8]);
        }
        let mut index = self.layout.len();
        let rest = &self.text[floats..];
        let mut at = 0;
        while index < self.names.len() {
            let Some(next) = rest[at..].iter().position(|byte| *byte == b'=') else { break };
            at += next + 1;
            if let Some(digits) = rest.get(at..at + 8) {
                values[index] = hex(digits);
            }
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "guest text\nTrace 0: 0x7f [0/60000000/0/0] \nPC=60000000\n\n   SAR=0000001f\n\n\
        AR00=00000001 AR01=00000002  =\nF00=3f800000 (+1.0e+00) F01=7fc00000 (nan)\n\nF00=000000003f800000 (+1.0 )\n\
        Trace 0: 0x7f [0/60000003/0/0] \nPC=60000003\n\n   SAR=00000020\n\nAR00=00000001 AR01=00000002  =\n\
        F00=bf800000 (-1.00000e+00) F01=7fc00001 (nan)\n\nF00=00000000bf800000 (-1.0 )\n\
        Stopped execution of TB chain before 0x7f\n\
        Trace 0: 0x7f [0/60000003/0/0] \nPC=60000003\n\n   SAR=00000021\n\nAR00=00000001 AR01=00000002  =\n\
        F00=00000000 (0) F01=7fc00001 (nan)\n\nF00=0000000000000000 (0 )\n";

    #[test]
    fn a_log_gives_states_by_name() {
        let mut log = Log::new(TEXT.as_bytes());
        let mut values = Vec::new();
        assert!(log.next(&mut values).unwrap());
        assert_eq!(log.names(), ["PC", "SAR", "AR00", "AR01", "F00", "F01"]);
        assert_eq!(values, [0x6000_0000, 0x1F, 1, 2, 0x3F80_0000, 0x7FC0_0000]);
        // The second is taken back.
        assert!(log.next(&mut values).unwrap());
        assert_eq!(values, [0x6000_0003, 0x21, 1, 2, 0, 0x7FC0_0001]);
        assert!(!log.next(&mut values).unwrap());
    }
}
