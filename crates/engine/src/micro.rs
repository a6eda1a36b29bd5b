//! Micro-operations: a step in words that a compiler of blocks understands.
//!
//! An instruction set lowers a step to a [`Lowering`]: operations on values of 1, 2, 4 or 8 bytes and on the slots of its state,
//! and the way in which control goes on. What it does not lower is carried out by the step's body. A lowered step reads memory, and
//! gives up where it has to, before it writes a slot or memory; so what gives up has done nothing, and the body does the step. An entry of
//! a table is written at once ([`Micro::SetEntry`]): with what the body would write or find there.

/// A field of the state that lowered steps read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Its place in the state, in bytes.
    pub offset: usize,
    /// Its size: 1, 2, 4 or 8 bytes.
    pub bytes: u8,
    /// The places where compiled code writes it to the state.
    pub due: Due,
}

/// The places where compiled code writes a slot to the state: there, and at those of the kinds behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Due {
    /// Before a region looks at the horizon.
    AtLooks,
    /// Before an observer is told of what has run, and sees the state.
    WhereSeen,
    /// Before a region is left, or calls a body.
    WhereLeft,
}

impl Slot {
    /// The slot of `bytes` at the place `offset`.
    pub const fn new(offset: usize, bytes: u8) -> Self {
        Self { offset, bytes, due: Due::AtLooks }
    }

    /// The same, of a register that an observer sees: a loop sets it far more often than compiled code is left.
    pub const fn register(offset: usize, bytes: u8) -> Self {
        Self { offset, bytes, due: Due::WhereSeen }
    }

    /// The same, of a flag or what else is set far more often than read.
    pub const fn deferred(offset: usize, bytes: u8) -> Self {
        Self { offset, bytes, due: Due::WhereLeft }
    }
}

/// The fields of a state that compiled code knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// The clock, of 8 bytes.
    pub now: usize,
    /// The instructions retired, of 8 bytes.
    pub instructions: usize,
    /// The horizon, of 8 bytes.
    pub horizon: usize,
    /// The program counter, of 4 bytes.
    pub pc: usize,
    /// The others, by their numbers.
    pub slots: &'static [Slot],
    /// Tables that lowered steps look up, by their numbers.
    pub tables: &'static [Table],
}

/// A table in a state, of numbers of 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Its place in the state, in bytes.
    pub offset: usize,
    /// Its length, a power of two.
    pub length: u32,
}

/// The result of an operation of the same step, by the operation's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub u32);

/// An operation on two values of the same size, which it gives. Distances of shifts count modulo the size in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in any processor's manual.
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    RotateRight,
    MinUnsigned,
    /// The quotient towards 0, and 0 of a division by 0.
    Divide,
    /// The same of signed numbers. The one that has no negative divided by -1 gives itself.
    DivideSigned,
    /// The remainder that [`Binary::Divide`] leaves: the dividend, of a division by 0.
    Remainder,
    /// The same of signed numbers.
    RemainderSigned,
}

/// An operation on one value, which gives one of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in any processor's manual.
pub enum Unary {
    Not,
    Negate,
    SwapBytes,
    ReverseBits,
    LeadingZeros,
}

/// A comparison of two values of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in any processor's manual.
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    LessSigned,
    LessOrEqualSigned,
}

impl Compare {
    /// The comparison that holds where this one of `a` and `b` does not, and what it compares.
    const fn opposite(self, a: Value, b: Value) -> (Self, Value, Value) {
        match self {
            Self::Equal => (Self::NotEqual, a, b),
            Self::NotEqual => (Self::Equal, a, b),
            Self::Less => (Self::LessOrEqual, b, a),
            Self::LessOrEqual => (Self::Less, b, a),
            Self::LessSigned => (Self::LessOrEqualSigned, b, a),
            Self::LessOrEqualSigned => (Self::LessSigned, b, a),
        }
    }
}

/// One operation. A truth is a value of one byte, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Micro {
    /// A constant of so many bytes.
    Constant(u64, u8),
    /// Reads a slot.
    Get(u8),
    /// Writes a slot of the value's size. Gives nothing.
    Set(u8, Value),
    /// See [`Binary`].
    Binary(Binary, Value, Value),
    /// See [`Unary`].
    Unary(Unary, Value),
    /// Gives a truth.
    Compare(Compare, Value, Value),
    /// The second value if the first, a truth, holds, else the third.
    Select(Value, Value, Value),
    /// The value in so many bytes, more than it has, as a signed number if so.
    Widen(Value, u8, bool),
    /// The lowest so many bytes of the value.
    Narrow(Value, u8),
    /// The clock, of 8 bytes, at the step's beginning but for static cycles of its block.
    Now,
    /// The number of 4 bytes at a place of 4 bytes, modulo its length, in the table with this number.
    Entry(u8, Value),
    /// Writes the number of 4 bytes at such a place, at once: if the step gives up later, nobody may see that it was written. Gives nothing.
    SetEntry(u8, Value, Value),
    /// The program counter: the address at which the block goes straight on.
    Pc,
    /// The place of `count` elements of `bytes` from the address in `address` up, in main RAM. Gives up unless they are there and
    /// aligned, and if they are to be written, unless their pages need no note of it.
    Ram {
        /// The address, of 4 bytes.
        address: Value,
        /// Bytes of an element.
        bytes: u8,
        /// Their number: all are within 512 bytes.
        count: u8,
        /// They are to be written.
        writes: bool,
    },
    /// Reads so many bytes at a place that [`Micro::Ram`] gave, so many bytes behind it.
    Load(Value, u16, u8),
    /// Writes a value there. Gives nothing.
    Store(Value, u16, Value),
    /// Reads so many bytes at a byte offset of 4 bytes in flash. Gives up beyond its end.
    Flash(Value, u8),
    /// Gives up if the truth holds. Gives nothing.
    Unless(Value),
    /// The [mark](crate::Marks) of this counter is passed. It stands alone in its step. Gives nothing.
    Mark(u32),
    /// Lets so many cycles of 8 bytes pass, in two's complement. Gives nothing.
    Pass(Value),
    /// The stall, of 8 bytes, of the fetches with this number ([`recall`](cyclescope_machine::FlashInterface::recall)), which
    /// begin anew if the truth holds. Gives up where they were never made in this state.
    Fetches(u32, Value),
    /// The stall, of 8 bytes, of a data read at this byte offset in flash, where it is [placed](cyclescope_machine::Flash::placed), asked for so
    /// many cycles of 8 bytes after the block began ([`read_data`](cyclescope_machine::FlashInterface::read_data)).
    ReadFlash(u32, Value),
}

/// The way in which control goes on behind a lowered step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum After {
    /// To the next step.
    Next,
    /// The same, and the step is to be carried out by its body.
    Body,
    /// To the next step if the truth holds, else to the one behind it, by so many cycles earlier.
    Guard(Value, u32),
    /// The block is left behind the instruction if the truth holds: for an address, so many cycles later. Only then does the step
    /// write slots.
    LeavesIf(Value, u32, u32),
    /// The block ends: at an address.
    Ends(u32),
    /// The block ends: at the address, so many cycles later, if the truth holds, else straight on. Only if it holds does the step
    /// write slots.
    EndsIf(Value, u32, u32),
    /// The block ends straight on, and compiled code is left behind it for the run loop.
    Stops,
    /// The block ends: at the address of 4 bytes that the value gives. It gives up where
    /// [`InstructionSet::computed`](crate::InstructionSet::computed) does not know the way.
    EndsAt(Value),
}

/// A step that is being lowered.
#[derive(Clone, Debug, Default)]
pub struct Lowering {
    operations: Vec<Micro>,
}

impl Lowering {
    /// Its operations so far, whose places are their numbers.
    pub fn operations(&self) -> &[Micro] {
        &self.operations
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.operations.clear();
    }

    /// Adds an operation.
    pub fn add(&mut self, operation: Micro) -> Value {
        self.operations.push(operation);
        Value(self.operations.len() as u32 - 1)
    }

    /// A constant of 4 bytes.
    pub fn word(&mut self, value: u32) -> Value {
        self.add(Micro::Constant(value.into(), 4))
    }

    /// A truth.
    pub fn truth(&mut self, value: bool) -> Value {
        self.add(Micro::Constant(value.into(), 1))
    }

    /// Reads the slot `slot`.
    pub fn get(&mut self, slot: u8) -> Value {
        self.add(Micro::Get(slot))
    }

    /// Writes the slot `slot`.
    pub fn set(&mut self, slot: u8, value: Value) {
        self.add(Micro::Set(slot, value));
    }

    /// See [`Binary`].
    pub fn binary(&mut self, operation: Binary, a: Value, b: Value) -> Value {
        self.add(Micro::Binary(operation, a, b))
    }

    /// See [`Unary`].
    pub fn unary(&mut self, operation: Unary, a: Value) -> Value {
        self.add(Micro::Unary(operation, a))
    }

    /// See [`Compare`].
    pub fn compare(&mut self, comparison: Compare, a: Value, b: Value) -> Value {
        self.add(Micro::Compare(comparison, a, b))
    }

    /// Tells whether a value of 4 bytes is this number.
    pub fn is(&mut self, a: Value, number: u32) -> Value {
        let b = self.word(number);
        self.compare(Compare::Equal, a, b)
    }

    /// The opposite of a truth.
    pub fn not(&mut self, truth: Value) -> Value {
        if let Some(Micro::Compare(comparison, a, b)) = self.operations.get(truth.0 as usize) {
            let (opposite, a, b) = comparison.opposite(*a, *b);
            return self.compare(opposite, a, b);
        }
        let one = self.truth(true);
        self.binary(Binary::Xor, truth, one)
    }

    /// One of two values.
    pub fn select(&mut self, truth: Value, a: Value, b: Value) -> Value {
        self.add(Micro::Select(truth, a, b))
    }

    /// A value in more bytes.
    pub fn widen(&mut self, value: Value, bytes: u8, signed: bool) -> Value {
        self.add(Micro::Widen(value, bytes, signed))
    }

    /// The lowest bytes of a value.
    pub fn narrow(&mut self, value: Value, bytes: u8) -> Value {
        self.add(Micro::Narrow(value, bytes))
    }

    /// Reads `bytes` from main RAM, where they must be aligned, or gives up.
    pub fn load(&mut self, address: Value, bytes: u8) -> Value {
        let place = self.add(Micro::Ram { address, bytes, count: 1, writes: false });
        self.add(Micro::Load(place, 0, bytes))
    }

    /// Writes a value of `bytes` to main RAM, where they must be aligned, or gives up.
    pub fn store(&mut self, address: Value, bytes: u8, value: Value) {
        let place = self.add(Micro::Ram { address, bytes, count: 1, writes: true });
        self.add(Micro::Store(place, 0, value));
    }

    /// Lets constant cycles pass.
    pub fn pass(&mut self, cycles: u32) {
        if cycles > 0 {
            let cycles = self.add(Micro::Constant(cycles.into(), 8));
            self.add(Micro::Pass(cycles));
        }
    }
}
