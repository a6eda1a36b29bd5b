//! DWARF expressions in call-frame information (DWARF 5, sections 2.5 and 6.4.2).

use gimli::{Encoding, EndianSlice, Evaluation, EvaluationResult, Expression, Format, LittleEndian, UnitOffset, Value};

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The most operations of an evaluation. Compilers write less than twenty.
const MOST_STEPS: u32 = 1_000;

/// The encoding of expressions in call-frame information of a 32-bit ELF.
const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 4 };

/// The bits of an address.
const MASK: u64 = u32::MAX as u64;

/// A machine's state where a frame is looked at. Looking changes nothing.
pub trait FrameState {
    /// The register with this DWARF number.
    fn register(&self, number: u16) -> Option<u32>;

    /// Fills `bytes` from `address` up, or returns `None` where that is no memory.
    fn read(&self, address: u32, bytes: &mut [u8]) -> Option<()>;
}

/// An expression, not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameExpression<'a>(&'a [u8]);

impl<'a> FrameExpression<'a> {
    pub(crate) fn new(expression: Expression<Reader<'a>>) -> Self {
        Self(expression.0.slice())
    }

    /// Evaluates the expression, which has `first` on its stack if that is given. `None` if it is damaged, takes more than 1,000
    /// operations, reads a register or memory that is not known, or asks for what no frame has, such as a thread's storage.
    pub fn value(self, first: Option<u32>, state: &dyn FrameState) -> Option<u32> {
        let mut evaluation = Evaluation::new(EndianSlice::new(self.0, LittleEndian), ENCODING);
        evaluation.set_max_iterations(MOST_STEPS);
        if let Some(first) = first {
            evaluation.set_initial_value(first.into());
        }
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => {
                    return evaluation.value_result()?.to_u64(MASK).ok().map(|value| value as u32);
                }
                EvaluationResult::RequiresRegister { register, base_type: UnitOffset(0) } => {
                    let value = state.register(register.0)?;
                    evaluation.resume_with_register(Value::Generic(value.into()))
                }
                EvaluationResult::RequiresMemory { address, size, space: None, base_type: UnitOffset(0) } => {
                    let mut bytes = [0; 4];
                    state.read(u32::try_from(address).ok()?, bytes.get_mut(..usize::from(size))?)?;
                    evaluation.resume_with_memory(Value::Generic(u32::from_le_bytes(bytes).into()))
                }
                _ => return None,
            }
            .ok()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Registers hold 0x100 times their number; a byte of memory holds its address, up to 0xFFFF.
    struct State;

    impl FrameState for State {
        fn register(&self, number: u16) -> Option<u32> {
            (number < 16).then_some(0x100 * u32::from(number))
        }

        fn read(&self, address: u32, bytes: &mut [u8]) -> Option<()> {
            bytes.iter_mut().zip(address..).for_each(|(byte, address)| *byte = address as u8);
            (address < 0x1_0000).then_some(())
        }
    }

    fn value(bytes: &[u8], first: Option<u32>) -> Option<u32> {
        FrameExpression(bytes).value(first, &State)
    }

    #[test]
    fn expressions_have_the_values_of_the_standard() {
        // DW_OP_breg13 8; DW_OP_plus_uconst 4
        assert_eq!(value(&[0x7D, 8, 0x23, 4], None), Some(0xD0C));
        // DW_OP_breg2 4; DW_OP_deref
        assert_eq!(value(&[0x72, 4, 0x06], None), Some(0x0706_0504));
        // DW_OP_deref_size 2
        assert_eq!(value(&[0x94, 2], Some(0x10)), Some(0x1110));
        // x86's frames of procedure linkage tables: breg7 8; breg8 0; lit15; and; lit11; ge; lit2; shl; plus
        assert_eq!(value(&[0x77, 8, 0x78, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x32, 0x24, 0x22], None), Some(0x708));
        // DW_OP_const4u 1; DW_OP_minus: addresses wrap.
        assert_eq!(value(&[0x0C, 1, 0, 0, 0, 0x1C], Some(0)), Some(u32::MAX));
    }

    #[test]
    fn what_no_frame_has_is_no_value() {
        // An empty one, an unknown register, no memory, an unknown operation, a division by 0, an entry value, a thread's storage.
        let hostile: [&[u8]; 7] =
            [&[], &[0x80, 0], &[0x0C, 0, 0, 1, 0, 6], &[0xFF], &[0x31, 0x30, 0x1B], &[0xA3, 1, 0x50], &[0x31, 0x9B]];
        for bytes in hostile {
            assert_eq!(value(bytes, None), None, "{bytes:x?}");
        }
    }

    #[test]
    fn an_expression_without_an_end_ends() {
        // DW_OP_skip -3, and the same with a stack that grows and with reads of memory.
        for bytes in [&[0x2F, 0xFD, 0xFF][..], &[0x12, 0x2F, 0xFC, 0xFF], &[0x12, 0x06, 0x13, 0x2F, 0xFA, 0xFF]] {
            assert_eq!(value(bytes, Some(4)), None, "{bytes:x?}");
        }
    }

    proptest! {
        #[test]
        fn no_expression_makes_the_reader_fail(
            bytes in prop::collection::vec(any::<u8>(), 0..64), first in prop::option::of(any::<u32>())
        ) {
            value(&bytes, first);
        }
    }
}
