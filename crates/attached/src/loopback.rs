//! A wire from one pin to another: a serial port's TX to an RX, MOSI to MISO, or any output to any input.

use std::any::Any;

use cyclescope_machine::{Attached, Contact};

use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind =
    Kind { name: "loopback", summary: "wire from pin a, which drives it, to pin b", options: &[], make };

const A: usize = 0;
const B: usize = 1;

/// The wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loopback;

// All kinds are made alike.
#[allow(clippy::unnecessary_wraps)]
fn make(_: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    Ok(Box::new(Loopback))
}

impl Attached for Loopback {
    fn pins(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(*self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn joins(&self) -> Option<(usize, usize)> {
        Some((A, B))
    }

    fn pin(&mut self, pin: usize, high: bool, contact: &mut Contact<'_>) {
        if pin == A {
            contact.drive(B, Some(high));
        }
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;
    use cyclescope_machine::units::Picoseconds;

    use super::*;

    #[test]
    fn levels_go_one_way() {
        let mut requests = Requests::default();
        let mut contact = Contact::new(Picoseconds::ZERO, &mut requests);
        Loopback.pin(B, true, &mut contact);
        Loopback.pin(A, true, &mut contact);
        Loopback.pin(A, false, &mut contact);
        assert_eq!(requests.levels, [(B, Some(true)), (B, Some(false))]);
    }
}
