//! Prints what a process allowed it to read, and tells the process when that is done.

use core::cell::Cell;

use cyclescope_kernel::{Answer, Buffer, Callback, Driver, Refusal, Upcall, Upcalls};

/// A serial port.
pub trait Port {
    /// Sends a byte; waits while there is no room for it.
    fn put(&self, byte: u8);
}

/// The console: `allow(0, text)`, `subscribe(0, printed)`, `command(1, length, 0)`, and `printed(length, 0, data)` runs once
/// the process waits.
pub struct Console<'a, P> {
    port: P,
    upcalls: &'a Upcalls,
    text: Cell<Buffer>,
    printed: Cell<Callback>,
}

/// The command that prints the first bytes of the buffer.
const PRINT: u32 = 1;

impl<'a, P: Port> Console<'a, P> {
    /// A console on a port.
    pub const fn new(port: P, upcalls: &'a Upcalls) -> Self {
        const NOTHING: Callback = Callback { entry: 0, data: 0 };
        Self { port, upcalls, text: Cell::new(Buffer::EMPTY), printed: Cell::new(NOTHING) }
    }
}

impl<P: Port> Driver for Console<'_, P> {
    fn command(&self, number: u32, a: u32, _: u32) -> Answer {
        let text = self.text.get();
        match number {
            PRINT if a > text.length() => Answer::Refused(Refusal::NotReady),
            PRINT => {
                for byte in (0..a).map_while(|index| text.byte(index)) {
                    self.port.put(byte);
                }
                match self.upcalls.push(Upcall { callback: self.printed.get(), value: a, number: 0 }) {
                    true => Answer::Done(a),
                    false => Answer::Refused(Refusal::NotReady),
                }
            }
            _ => Answer::Refused(Refusal::UnknownNumber),
        }
    }

    fn allow(&self, number: u32, buffer: Buffer) -> Answer {
        match number {
            0 => Answer::Done(self.text.replace(buffer).length()),
            _ => Answer::Refused(Refusal::UnknownNumber),
        }
    }

    fn subscribe(&self, number: u32, callback: Callback) -> Answer {
        match number {
            0 => Answer::Done(self.printed.replace(callback).data),
            _ => Answer::Refused(Refusal::UnknownNumber),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting<'a>(&'a Cell<u32>);

    impl Port for Counting<'_> {
        fn put(&self, _: u8) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn nothing_is_printed_that_was_not_allowed_and_each_print_is_told_of() {
        let (bytes, upcalls) = (Cell::new(0), Upcalls::new());
        let console = Console::new(Counting(&bytes), &upcalls);
        assert_eq!(console.command(PRINT, 1, 0), Answer::Refused(Refusal::NotReady));
        assert_eq!(console.command(PRINT, 0, 0), Answer::Refused(Refusal::NotReady), "nobody to tell");
        let callback = Callback { entry: 0x10, data: 3 };
        assert_eq!(console.subscribe(0, callback), Answer::Done(0));
        assert_eq!(console.command(PRINT, 0, 0), Answer::Done(0));
        assert_eq!(upcalls.pop(), Some(Upcall { callback, value: 0, number: 0 }));
        assert_eq!((bytes.get(), upcalls.pop()), (0, None));
        for answer in [console.command(0, 0, 0), console.allow(1, Buffer::EMPTY), console.subscribe(1, callback)] {
            assert_eq!(answer, Answer::Refused(Refusal::UnknownNumber));
        }
    }
}
