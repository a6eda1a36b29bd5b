//! Questions to a board that stands still. They take no time and change nothing.

use std::ops::Range;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{Attached, Channel, Gap};
use cyclescope_scope::defmt;

use super::{Board, BoardError, Place};

impl Board {
    /// Tells if `pin` is high.
    ///
    /// # Errors
    /// [`BoardError::Pin`] for one that the chip does not have.
    pub fn pin(&self, pin: &str) -> Result<bool, BoardError> {
        let machine = self.session.machine();
        Ok(machine.pin(machine.part().find_pin(pin)?))
    }

    /// Returns the attached device called `name` as it is now; `None` if there is none of that name and type.
    pub fn attached<D: Attached + 'static>(&self, name: &str) -> Option<&D> {
        let devices = self.session.machine().attached();
        devices.into_iter().find(|(known, _)| *known == name)?.1.as_any().downcast_ref()
    }

    /// Returns the number of the chip's cores.
    pub fn cores(&self) -> usize {
        self.session.machine().cores()
    }

    /// Returns the core that registers, the program counter and cycles are of: the one that ran last, or was
    /// [selected](Board::select_core).
    pub fn core(&self) -> usize {
        self.session.machine().core()
    }

    /// Has registers, the program counter and cycles be those of the core `core` until the board runs again. A number that the
    /// chip does not have changes nothing.
    pub fn select_core(&mut self, core: usize) {
        self.session.target().select_core(core);
    }

    /// Returns the value of a register of the core: `r0`, `sp`, `psp`, `a0`, `mcause`, `sreg`, `pc`, …
    ///
    /// # Errors
    /// [`BoardError::Register`] with those that there are.
    pub fn register(&self, name: &str) -> Result<u32, BoardError> {
        let machine = self.session.machine();
        machine.register(name).ok_or_else(|| no_register(machine, name, "read"))
    }

    /// Writes a register of the core.
    ///
    /// # Errors
    /// [`BoardError::Register`] with those that there are.
    pub fn set_register(&mut self, name: &str, value: u32) -> Result<(), BoardError> {
        let machine = self.session.target();
        if machine.set_register(name, value) { Ok(()) } else { Err(no_register(machine, name, "write")) }
    }

    /// The `count` bytes of memory from `place` up, a symbol's name or an address. An AVR's data lies from `0x80_0000` up.
    ///
    /// # Errors
    /// [`BoardError::Symbol`] and, for what is no memory, [`BoardError::Memory`].
    pub fn read(&self, place: impl Into<Place>, count: usize) -> Result<Vec<u8>, BoardError> {
        let (address, place) = self.locate(place.into())?;
        let mut bytes = vec![0; count];
        let read = self.session.machine().peek(address, &mut bytes);
        if read < count { Err(no_memory(place, address, read, count)) } else { Ok(bytes) }
    }

    /// The byte at `place`.
    ///
    /// # Errors
    /// As [`Board::read`].
    pub fn read_u8(&self, place: impl Into<Place>) -> Result<u8, BoardError> {
        Ok(self.read(place, 1)?[0])
    }

    /// The halfword at `place`, which is little-endian on every core.
    ///
    /// # Errors
    /// As [`Board::read`].
    pub fn read_u16(&self, place: impl Into<Place>) -> Result<u16, BoardError> {
        let bytes = self.read(place, 2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// The word at `place`.
    ///
    /// # Errors
    /// As [`Board::read`].
    pub fn read_u32(&self, place: impl Into<Place>) -> Result<u32, BoardError> {
        let bytes = self.read(place, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Writes `bytes` to memory from `place` up, flash included, as a debug probe does.
    ///
    /// # Errors
    /// As [`Board::read`]; what lay before the first address that is no memory is written then.
    pub fn write(&mut self, place: impl Into<Place>, bytes: &[u8]) -> Result<(), BoardError> {
        let (address, place) = self.locate(place.into())?;
        let written = self.session.target().poke(address, bytes);
        if written < bytes.len() { Err(no_memory(place, address, written, bytes.len())) } else { Ok(()) }
    }

    fn locate(&self, place: Place) -> Result<(Address, String), BoardError> {
        let text = place.to_string();
        Ok(match place {
            Place::At(address) => (address, text),
            Place::Symbol(name) => (self.image.symbol(&name)?.address, text),
        })
    }

    /// Returns the firmware's output to serial ports, RTT and semihosting's console, in order, as text; without RTT's first
    /// channel where that is defmt's ([`Board::log`]).
    pub fn output(&mut self) -> String {
        let defmt = self.image.uses_defmt();
        let console = &self.session.target().shared().console;
        let runs = console.runs().filter(|(channel, _)| !(defmt && *channel == Channel::Rtt(0)));
        let bytes: Vec<u8> = runs.flat_map(|(_, bytes)| bytes).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the firmware's output to one channel.
    pub fn channel(&mut self, channel: Channel) -> Vec<u8> {
        self.session.target().shared().console.bytes(channel)
    }

    /// The lines that the firmware has logged by defmt; none where it does not use it.
    ///
    /// # Errors
    /// [`BoardError::Defmt`] where they cannot be decoded.
    pub fn log(&mut self) -> Result<Vec<String>, BoardError> {
        if !self.image.uses_defmt() {
            return Ok(Vec::new());
        }
        let bytes = self.channel(Channel::Rtt(0));
        Ok(defmt::decode(self.image.file(), &bytes)?)
    }

    /// Returns the functions that the firmware used and the model lacks. A test that wants to be sure of its cycles asserts
    /// that this is empty, or knows why not.
    pub fn gaps(&self) -> &[Gap] {
        self.session.machine().gaps()
    }

    /// Returns the greatest depth of the main stack; 0 on RISC-V, whose images do not say where it begins.
    pub fn stack_used(&self) -> Bytes {
        self.session.machine().main_stack_used()
    }

    /// Returns the greatest depth of the second core's stack, if the firmware's symbols say where it lies: from `__StackOneBottom`
    /// to `__StackOneTop`, as the Pico SDK calls its ends. `None` for other firmware and for chips with one core.
    pub fn second_stack_used(&self) -> Option<Bytes> {
        self.session.machine().stacks_used().first().map(|stack| stack.used)
    }

    /// Symbols, sections, sizes and source lines of the firmware.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The machine itself.
    pub fn machine(&self) -> &Machine {
        self.session.machine()
    }
}

/// Returns the second core's stack, as the symbols of `image` have it.
pub(super) fn second_stack(machine: &Machine, image: &Image) -> Option<Range<Address>> {
    let end = |name| image.find_symbol(name).map(|symbol| symbol.address);
    let stack = end("__StackOneBottom")?..end("__StackOneTop")?;
    Some(stack).filter(|_| machine.cores() > 1)
}

fn no_register(machine: &Machine, name: &str, what: &'static str) -> BoardError {
    BoardError::Register {
        core: machine.part().core.name(),
        name: name.to_owned(),
        what,
        known: machine.registers().iter().map(|register| register.name).collect(),
    }
}

fn no_memory(place: String, address: Address, done: usize, bytes: usize) -> BoardError {
    let address = Address::new(address.get().wrapping_add(done as u32));
    BoardError::Memory { place, address, bytes }
}
