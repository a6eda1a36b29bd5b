//! A clock for an input of the part, as an oscillator on the board makes it: a square wave of an exact frequency, low at first.
//!
//! A clock input that takes it by its frequency needs no edges: they are not made meanwhile, and the pin stays as it was.

use std::any::Any;

use cyclescope_machine::units::{Hertz, Picoseconds};
use cyclescope_machine::{Attached, Contact};

use crate::script::hertz;
use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "clock",
    summary: "square wave for an input of the chip",
    options: &[("frequency=1MHz", "its frequency, 1Hz to 50MHz")],
    places: &["out=PB0"],
    make,
};

/// Half a second.
const HALF: u128 = 500_000_000_000;

/// The clock.
#[derive(Clone, Debug)]
pub struct Clock {
    frequency: Hertz,
    /// The number of its next edge, of which odd ones rise.
    edge: u64,
    /// Its edges are not made.
    taken: bool,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut device = Clock::new(Hertz::new(1_000_000));
    if let Some(text) = options.take("frequency") {
        let frequency = hertz(&text).filter(|frequency| (1..=50_000_000).contains(frequency));
        device.frequency = Hertz::new(frequency.ok_or_else(|| options.wrong("frequency", &text, "1Hz to 50MHz"))?);
    }
    Ok(Box::new(device))
}

impl Clock {
    /// A clock of this frequency, at least a hertz.
    pub const fn new(frequency: Hertz) -> Self {
        Self { frequency, edge: 1, taken: false }
    }

    /// The time of the next edge, rounded down.
    fn next(&self) -> Picoseconds {
        let time = u128::from(self.edge) * HALF / u128::from(self.frequency.get().max(1));
        Picoseconds::new(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// The next edge comes behind the present.
    fn go_on(&mut self, contact: &mut Contact<'_>) {
        let passed = u128::from(contact.now().get()) * u128::from(self.frequency.get()) / HALF;
        self.edge = u64::try_from(passed).unwrap_or(u64::MAX).saturating_add(1);
        contact.drive(0, Some(self.edge.is_multiple_of(2)));
        contact.wake_at(self.next());
    }
}

impl Attached for Clock {
    fn pins(&self) -> &'static [&'static str] {
        &["out"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn frequency(&self) -> Option<Hertz> {
        Some(self.frequency)
    }

    fn clock_taken(&mut self, taken: bool, contact: &mut Contact<'_>) {
        if std::mem::replace(&mut self.taken, taken) == taken {
            return;
        }
        if taken {
            contact.sleep();
        } else {
            self.go_on(contact);
        }
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        self.go_on(contact);
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        contact.drive(0, Some(!self.edge.is_multiple_of(2)));
        self.edge = self.edge.saturating_add(1);
        contact.wake_at(self.next());
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;

    use super::*;

    #[test]
    fn edges_come_at_their_times_unless_an_input_takes_the_clock() {
        // Three edges lie in 1.5 periods of a third of a microsecond each.
        let mut device = Clock::new(Hertz::new(3_000_000));
        let mut requests = Requests::default();
        device.start(&mut Contact::new(Picoseconds::ZERO, &mut requests));
        let mut edges = Vec::new();
        for _ in 0..3 {
            let at = requests.alarm.take().expect("an edge");
            device.wake(&mut Contact::new(at, &mut requests));
            edges.push((at.get(), requests.levels.pop().expect("a level").1));
        }
        assert_eq!(edges, [(166_666, Some(true)), (333_333, Some(false)), (500_000, Some(true))]);
        device.clock_taken(true, &mut Contact::new(Picoseconds::new(510_000), &mut requests));
        assert_eq!(requests.alarm, None);
        device.clock_taken(false, &mut Contact::new(Picoseconds::new(1_200_000), &mut requests));
        let alarm = requests.alarm.map(Picoseconds::get);
        assert_eq!((alarm, requests.levels.pop()), (Some(1_333_333), Some((0, Some(true)))));
    }
}
