//! Newtypes for the quantities that cross cyclescope's crates.
//!
//! A bare integer says neither what it counts nor in what unit; these do. All are exact integers: no float takes part
//! in the simulator. Arithmetic is what the quantity allows (a time plus a time, never a time plus a size) and panics
//! on overflow in debug builds like the integers beneath.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

use crate::figures::integer;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name($int);

        impl $name {
            /// Zero of this quantity.
            pub const ZERO: Self = Self(0);
            /// The largest value.
            pub const MAX: Self = Self(<$int>::MAX);

            /// Wraps a bare count.
            pub const fn new(value: $int) -> Self {
                Self(value)
            }

            /// The bare count.
            pub const fn get(self) -> $int {
                self.0
            }

            /// The bare count for people, with a comma between thousands.
            pub fn grouped(self) -> String {
                integer(self.0.into())
            }

            /// The difference, or zero where `other` is larger.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// The sum, or the largest value where it does not fit.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                values.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity! {
    /// Periods of a core's clock: a point in simulated time (counted from reset) or a span of it.
    Cycles(u64)
}
quantity! {
    /// Picoseconds: a point in real time (counted from reset) or a span of it.
    Picoseconds(u64)
}
quantity! {
    /// Retired instructions.
    Instructions(u64)
}
quantity! {
    /// A frequency in hertz.
    Hertz(u64)
}
quantity! {
    /// A guest address in bytes.
    Address(u32)
}
quantity! {
    /// A size in bytes.
    Bytes(u64)
}

impl Cycles {
    /// This span in nanoseconds at `clock`, rounded half up; `None` at 0 Hz.
    pub const fn nanoseconds_at(self, clock: Hertz) -> Option<u64> {
        let hz = clock.get() as u128;
        if hz == 0 {
            return None;
        }
        Some(((self.0 as u128 * 1_000_000_000 + hz / 2) / hz) as u64)
    }
}

macro_rules! plain_display {
    ($($name:ident $unit:literal),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{} ", $unit, "{}"), self.grouped(), if self.0 == 1 { "" } else { "s" })
            }
        }
    )*};
}
plain_display!(Cycles "cycle", Instructions "instruction", Bytes "byte");

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            hz if hz >= 1_000_000 && hz % 1_000_000 == 0 => write!(f, "{} MHz", hz / 1_000_000),
            hz if hz >= 1_000 && hz % 1_000 == 0 => write!(f, "{} kHz", hz / 1_000),
            _ => write!(f, "{} Hz", self.grouped()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl fmt::LowerHex for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_convert_to_nanoseconds_with_rounding() {
        let at = |cycles, hz| Cycles::new(cycles).nanoseconds_at(Hertz::new(hz));
        assert_eq!(at(48, 48_000_000), Some(1000));
        assert_eq!(at(1, 48_000_000), Some(21));
        assert_eq!(at(1, 0), None);
        assert_eq!(at(u64::MAX / 2, 1_000_000_000), Some(u64::MAX / 2));
    }

    #[test]
    fn quantities_print_with_their_units() {
        assert_eq!(Hertz::new(48_000_000).to_string(), "48 MHz");
        assert_eq!(Hertz::new(32_768).to_string(), "32,768 Hz");
        assert_eq!(Address::new(0x0800_0000).to_string(), "0x08000000");
        assert_eq!(Cycles::new(7).to_string(), "7 cycles");
        assert_eq!(Cycles::new(10_000_000).to_string(), "10,000,000 cycles");
    }
}
