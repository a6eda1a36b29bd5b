//! A wire between two pins of the part.

use std::any::Any;

use cyclescope_machine::Attached;

use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind { name: "jumper", summary: "wire between two pins of the chip", options: &[], make };

/// The wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jumper;

fn make(_: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    Ok(Box::new(Jumper))
}

impl Attached for Jumper {
    fn pins(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(*self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn joins(&self) -> &'static [(usize, usize)] {
        &[(0, 1)]
    }
}
