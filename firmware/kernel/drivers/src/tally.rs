//! A driver that does next to nothing. Its methods are symbols of their own, so that a trace can say: here the driver begins.

use core::cell::Cell;

use cyclescope_kernel::{Answer, Buffer, Callback, Driver, Refusal};

/// Keeps a running total, one buffer and one callback, and answers with what it had before.
#[derive(Debug)]
pub struct Tally {
    total: Cell<u32>,
    buffer: Cell<Buffer>,
    callback: Cell<Callback>,
}

impl Tally {
    /// A total of 0.
    pub const fn new() -> Self {
        const NOTHING: Callback = Callback { entry: 0, data: 0 };
        Self { total: Cell::new(0), buffer: Cell::new(Buffer::EMPTY), callback: Cell::new(NOTHING) }
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl Driver for Tally {
    /// Number 0 adds `a` and takes `b` away; the new total.
    #[unsafe(export_name = "cyclescope_driver_command")]
    #[inline(never)]
    fn command(&self, number: u32, a: u32, b: u32) -> Answer {
        if number != 0 {
            return Answer::Refused(Refusal::UnknownNumber);
        }
        let total = self.total.get().wrapping_add(a).wrapping_sub(b);
        self.total.set(total);
        Answer::Done(total)
    }

    /// Number 0 is the only buffer; the length of the one before.
    #[unsafe(export_name = "cyclescope_driver_allow")]
    #[inline(never)]
    fn allow(&self, number: u32, buffer: Buffer) -> Answer {
        if number != 0 {
            return Answer::Refused(Refusal::UnknownNumber);
        }
        Answer::Done(self.buffer.replace(buffer).length())
    }

    /// Number 0 is the only callback; the data of the one before.
    #[unsafe(export_name = "cyclescope_driver_subscribe")]
    #[inline(never)]
    fn subscribe(&self, number: u32, callback: Callback) -> Answer {
        if number != 0 {
            return Answer::Refused(Refusal::UnknownNumber);
        }
        Answer::Done(self.callback.replace(callback).data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_answers_what_it_says() {
        let tally = Tally::new();
        assert_eq!(tally.command(0, 5, 2), Answer::Done(3));
        assert_eq!(tally.command(0, 0, 4), Answer::Done(u32::MAX));
        assert_eq!(tally.allow(0, Buffer::EMPTY), Answer::Done(0));
        assert_eq!(tally.subscribe(0, Callback { entry: 1, data: 7 }), Answer::Done(0));
        assert_eq!(tally.subscribe(0, Callback::default()), Answer::Done(7));
        assert_eq!(tally.command(1, 5, 2), Answer::Refused(Refusal::UnknownNumber));
    }
}
