//! A debugger's view of the data space, and the data that the next instruction reads or writes. Nothing here takes part in a
//! run.

use cyclescope_machine::{Bus, Touch, Width};

use crate::cpu::{Cpu, DATA_SPACE};
use crate::decode::{self, Op, X, Y, Z};

/// The data address of the first I/O register.
const IO: u16 = 0x20;

impl Cpu {
    /// The byte at a data address: of SRAM, of the registers r0 to r31, or of the core's own I/O registers (SREG, SP, …).
    /// `None` for devices' registers, whose reading may have effects.
    pub fn peek_data<P>(&self, bus: &Bus<P>, address: u16) -> Option<u8> {
        match self.load_ram(bus, address) {
            Some(value) => Some(value),
            None if address < IO => Some(self.get(address as u8)),
            None => self.own(address),
        }
    }

    /// Writes such a byte, SREG and SP included; `false` for devices' registers.
    pub fn poke_data<P>(&mut self, bus: &mut Bus<P>, address: u16, value: u8) -> bool {
        if bus.memory.write(DATA_SPACE | u32::from(address), Width::Byte, value.into()) {
            return true;
        }
        if address < IO {
            self.set(address as u8, value);
            return true;
        }
        self.set_own(address, value)
    }

    /// The bytes of the data space that the instruction about to execute reads or writes, by addresses from [`DATA_SPACE`] up.
    pub(crate) fn touched<P>(&self, bus: &Bus<P>) -> Option<Touch> {
        let word = |address: u32| {
            let bytes = bus.memory.flash.bytes().get(address as usize..)?.first_chunk::<2>()?;
            Some(u16::from_le_bytes(*bytes))
        };
        let i = decode::decode(word(self.pc)?, word(self.pc + 2).unwrap_or(0), self.config.extensions);
        let at = |address: u16| DATA_SPACE | u32::from(address);
        let (x, y, z) = (self.pair(X), self.pair(Y), self.pair(Z));
        let io = at((i.imm as u16).wrapping_add(IO));
        let frame = u32::from(self.config.pc_bytes);
        Some(match i.op {
            Op::Lds => Touch::read(at(i.imm as u16), 1),
            Op::Sts => Touch::write(at(i.imm as u16), 1),
            Op::LdX | Op::LdXInc => Touch::read(at(x), 1),
            Op::LdXDec => Touch::read(at(x.wrapping_sub(1)), 1),
            Op::LddY => Touch::read(at(y.wrapping_add(i.imm as u16)), 1),
            Op::LdYInc => Touch::read(at(y), 1),
            Op::LdYDec => Touch::read(at(y.wrapping_sub(1)), 1),
            Op::LddZ => Touch::read(at(z.wrapping_add(i.imm as u16)), 1),
            Op::LdZInc => Touch::read(at(z), 1),
            Op::LdZDec => Touch::read(at(z.wrapping_sub(1)), 1),
            Op::StX | Op::StXInc => Touch::write(at(x), 1),
            Op::StXDec => Touch::write(at(x.wrapping_sub(1)), 1),
            Op::StdY => Touch::write(at(y.wrapping_add(i.imm as u16)), 1),
            Op::StYInc => Touch::write(at(y), 1),
            Op::StYDec => Touch::write(at(y.wrapping_sub(1)), 1),
            Op::StdZ => Touch::write(at(z.wrapping_add(i.imm as u16)), 1),
            Op::StZInc => Touch::write(at(z), 1),
            Op::StZDec => Touch::write(at(z.wrapping_sub(1)), 1),
            Op::Push => Touch::write(at(self.sp), 1),
            Op::Pop => Touch::read(at(self.sp.wrapping_add(1)), 1),
            Op::Rcall | Op::Icall | Op::Eicall | Op::Call => {
                Touch::write(at(self.sp.wrapping_sub(frame as u16).wrapping_add(1)), frame)
            }
            Op::Ret | Op::Reti => Touch::read(at(self.sp.wrapping_add(1)), frame),
            Op::In => Touch::read(io, 1),
            Op::Sbic | Op::Sbis => Touch::read(io, 1).of_bit(i.rr & 7),
            Op::Out => Touch::write(io, 1),
            Op::Sbi | Op::Cbi => Touch::both(io, 1),
            _ => return None,
        })
    }
}
