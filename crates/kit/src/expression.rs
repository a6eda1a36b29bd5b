//! Evaluates expected cycles, written as a sum of rows: `ldr + 3*alu`, `div + 2 + ceil(bits, divbits)`.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = value { "*" value }
//! value   = number | name | "(" sum ")" | ("max" | "ceil") "(" sum "," sum ")"
//! ```
//!
//! `ceil(a, b)` is a divided by b, rounded up. A difference below zero is zero: the wait is over already.

use thiserror::Error;

/// An error in an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// An unknown name.
    #[error("`{0}` is neither a row's short name nor a value of the sequence")]
    Name(String),
    /// Text that the grammar does not allow.
    #[error("unexpected `{found}` in `{text}`")]
    Syntax {
        /// The whole expression.
        text: String,
        /// The unexpected text; empty at the end.
        found: String,
    },
}

/// Evaluates `text`. `value_of` returns the value of a name.
///
/// # Errors
/// [`ExpressionError`] for a name without a value, or text that is no expression.
pub fn evaluate(text: &str, value_of: &mut dyn FnMut(&str) -> Option<u64>) -> Result<u64, ExpressionError> {
    let mut reader = Reader { text, rest: text, value_of };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected()),
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    value_of: &'a mut dyn FnMut(&str) -> Option<u64>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let taken = self.peek() == Some(wanted);
        if taken {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        taken
    }

    fn wants(&mut self, wanted: char) -> Result<(), ExpressionError> {
        if self.takes(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> ExpressionError {
        let found = self.rest.trim_start().chars().take(12).collect();
        ExpressionError::Syntax { text: self.text.to_owned(), found }
    }

    fn word(&mut self) -> &str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Result<u64, ExpressionError> {
        let mut value = self.product()?;
        loop {
            if self.takes('+') {
                value += self.product()?;
            } else if self.takes('-') {
                value = value.saturating_sub(self.product()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<u64, ExpressionError> {
        let mut value = self.value()?;
        while self.takes('*') {
            value *= self.value()?;
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<u64, ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.wants('(')?;
                let value = self.sum()?;
                self.wants(')')?;
                Ok(value)
            }
            Some(first) if first.is_ascii_digit() => {
                let digits = self.word().to_owned();
                digits.parse().map_err(|_| ExpressionError::Syntax { text: self.text.to_owned(), found: digits })
            }
            Some(first) if first.is_ascii_alphabetic() => {
                let name = self.word().to_owned();
                if !matches!(name.as_str(), "max" | "ceil") {
                    return (self.value_of)(&name).ok_or(ExpressionError::Name(name));
                }
                self.wants('(')?;
                let first = self.sum()?;
                self.wants(',')?;
                let second = self.sum()?;
                self.wants(')')?;
                Ok(if name == "max" { first.max(second) } else { first.div_ceil(second.max(1)) })
            }
            _ => Err(self.unexpected()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<u64, ExpressionError> {
        evaluate(text, &mut |name| match name {
            "ldr" => Some(2),
            "alu" => Some(1),
            "wait" => Some(5),
            _ => None,
        })
    }

    #[test]
    fn sums_products_and_waits_that_are_over() {
        for (text, expect) in [
            ("ldr + 3*alu", 5),
            ("3 * (wait + 1) + 4*alu", 22),
            ("wait + 1 - 4", 2),
            ("wait - 8 + alu", 1),
            ("max(wait, 7) + ceil(9, 4)", 10),
            ("ceil(1, 0)", 1),
        ] {
            assert_eq!(value(text), Ok(expect), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_named() {
        assert_eq!(value("ldr + lrd"), Err(ExpressionError::Name("lrd".into())));
        for (text, found) in [("ldr +", ""), ("ldr alu", "alu"), ("(ldr", ""), ("max(1)", ")"), ("2x", "2x")] {
            assert_eq!(value(text), Err(ExpressionError::Syntax { text: text.into(), found: found.into() }), "{text}");
        }
    }
}
