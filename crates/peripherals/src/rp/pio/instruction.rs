//! Decoding of PIO instructions (RP-008371-DS, PIO, "Instruction Set").

/// A condition of JMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// X is 0.
    XZero,
    /// X is not 0; X is decremented either way.
    XDecrement,
    /// Y is 0.
    YZero,
    /// Y is not 0; Y is decremented either way.
    YDecrement,
    /// X and Y differ.
    XNotY,
    /// The pin that EXECCTRL.JMP_PIN names is high.
    Pin,
    /// The output shift counter is below its threshold.
    OsrNotEmpty,
}

/// A source of WAIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// A pin by its number.
    Gpio(u8),
    /// A pin counted from PINCTRL.IN_BASE.
    Pin(u8),
    /// A flag, by the instruction's five bits.
    Irq(u8),
    /// The reserved encoding, which waits for nothing here.
    Reserved,
}

/// A source of IN and MOV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Pins from PINCTRL.IN_BASE on.
    Pins,
    /// Scratch register X.
    X,
    /// Scratch register Y.
    Y,
    /// Zeros.
    Null,
    /// All ones or zeros, by EXECCTRL.STATUS_SEL.
    Status,
    /// The input shift register.
    Isr,
    /// The output shift register.
    Osr,
    /// A reserved encoding, which reads as zeros here.
    Reserved,
}

/// A destination of OUT, MOV and SET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Levels of pins.
    Pins,
    /// Scratch register X.
    X,
    /// Scratch register Y.
    Y,
    /// Nothing.
    Null,
    /// Directions of pins.
    PinDirs,
    /// The program counter.
    Pc,
    /// The input shift register.
    Isr,
    /// The output shift register.
    Osr,
    /// The next instruction.
    Exec,
    /// A reserved encoding, which writes nothing here.
    Reserved,
}

/// The operation of MOV on its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// None; the reserved encoding too.
    Plain,
    /// Bitwise complement.
    Invert,
    /// Bits in reverse order.
    Reverse,
}

impl Operation {
    /// The result of the operation on `value`.
    pub const fn of(self, value: u32) -> u32 {
        match self {
            Self::Plain => value,
            Self::Invert => !value,
            Self::Reverse => value.reverse_bits(),
        }
    }
}

/// An instruction without its delay and side-set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// JMP.
    Jmp(Condition, u8),
    /// WAIT for the level.
    Wait(bool, WaitFor),
    /// IN of so many bits, 1 to 32.
    In(Source, u8),
    /// OUT of so many bits, 1 to 32.
    Out(Destination, u8),
    /// PUSH.
    Push {
        /// Only if the input shift counter has reached its threshold.
        if_full: bool,
        /// Stalls while the FIFO is full.
        block: bool,
    },
    /// PULL.
    Pull {
        /// Only if the output shift counter has reached its threshold.
        if_empty: bool,
        /// Stalls while the FIFO is empty.
        block: bool,
    },
    /// MOV.
    Mov(Destination, Operation, Source),
    /// IRQ.
    Irq {
        /// Clears the flag instead.
        clear: bool,
        /// Waits until somebody clears it.
        wait: bool,
        /// The flag, by the instruction's five bits.
        index: u8,
    },
    /// SET.
    Set(Destination, u8),
}

/// Returns the number of bits that a field of five encodes: 0 stands for 32.
pub const fn count(field: u32) -> u8 {
    if field & 31 == 0 { 32 } else { (field & 31) as u8 }
}

/// Returns the number of the flag that the five bits `index` name for the state machine `machine`: with the highest bit set the
/// machine's number is added to the lowest two, modulo 4.
pub const fn flag(index: u8, machine: u8) -> u8 {
    if index & 0x10 != 0 { (index & 4) | (index.wrapping_add(machine) & 3) } else { index & 7 }
}

/// Decodes `word`, whatever its delay and side-set.
pub fn decode(word: u16) -> Instruction {
    use Destination as D;
    use Source as S;
    let word = u32::from(word);
    let (upper, lower) = ((word >> 5 & 7) as usize, (word & 31) as u8);
    match word >> 13 {
        0 => {
            use Condition::{Always, OsrNotEmpty, Pin, XDecrement, XNotY, XZero, YDecrement, YZero};
            let conditions = [Always, XZero, XDecrement, YZero, YDecrement, XNotY, Pin, OsrNotEmpty];
            Instruction::Jmp(conditions[upper], lower)
        }
        1 => {
            let source = match upper & 3 {
                0 => WaitFor::Gpio(lower),
                1 => WaitFor::Pin(lower),
                2 => WaitFor::Irq(lower),
                _ => WaitFor::Reserved,
            };
            Instruction::Wait(upper & 4 != 0, source)
        }
        2 => {
            let sources = [S::Pins, S::X, S::Y, S::Null, S::Reserved, S::Reserved, S::Isr, S::Osr];
            Instruction::In(sources[upper], count(word))
        }
        3 => {
            let destinations = [D::Pins, D::X, D::Y, D::Null, D::PinDirs, D::Pc, D::Isr, D::Exec];
            Instruction::Out(destinations[upper], count(word))
        }
        4 if upper & 4 == 0 => Instruction::Push { if_full: upper & 2 != 0, block: upper & 1 != 0 },
        4 => Instruction::Pull { if_empty: upper & 2 != 0, block: upper & 1 != 0 },
        5 => {
            let destinations = [D::Pins, D::X, D::Y, D::Reserved, D::Exec, D::Pc, D::Isr, D::Osr];
            let operation = match word >> 3 & 3 {
                1 => Operation::Invert,
                2 => Operation::Reverse,
                _ => Operation::Plain,
            };
            let sources = [S::Pins, S::X, S::Y, S::Null, S::Reserved, S::Status, S::Isr, S::Osr];
            Instruction::Mov(destinations[upper], operation, sources[(word & 7) as usize])
        }
        6 => Instruction::Irq { clear: upper & 2 != 0, wait: upper & 1 != 0, index: lower },
        _ => {
            let reserved = D::Reserved;
            let destinations = [D::Pins, D::X, D::Y, reserved, D::PinDirs, reserved, reserved, reserved];
            Instruction::Set(destinations[upper], lower)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_what_the_assembler_makes_of_their_text() {
        use Instruction::{In, Irq, Jmp, Mov, Out, Pull, Push, Set, Wait};
        let known = [
            (0x0043, Jmp(Condition::XDecrement, 3)),
            (0x00E1, Jmp(Condition::OsrNotEmpty, 1)),
            (0x20A0, Wait(true, WaitFor::Pin(0))),
            (0x2047, Wait(false, WaitFor::Irq(7))),
            (0x4001, In(Source::Pins, 1)),
            (0x40E0, In(Source::Osr, 32)),
            (0x6001, Out(Destination::Pins, 1)),
            (0x60F0, Out(Destination::Exec, 16)),
            (0x8020, Push { if_full: false, block: true }),
            (0x80A0, Pull { if_empty: false, block: true }),
            (0x80C0, Pull { if_empty: true, block: false }),
            (0xA042, Mov(Destination::Y, Operation::Plain, Source::Y)),
            (0xA0CF, Mov(Destination::Isr, Operation::Invert, Source::Osr)),
            (0xC030, Irq { clear: false, wait: true, index: 0x10 }),
            (0xE081, Set(Destination::PinDirs, 1)),
        ];
        for (word, instruction) in known {
            assert_eq!(decode(word), instruction, "{word:#06x}");
            assert_eq!(decode(word | 0x1F00), instruction, "delay and side-set are no part of it");
        }
    }

    #[test]
    fn a_relative_flag_keeps_its_third_bit() {
        assert_eq!([flag(0x13, 2), flag(0x15, 3), flag(0x17, 1), flag(0x07, 3)], [1, 4, 4, 7]);
    }
}
