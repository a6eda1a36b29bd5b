//! The hooks of an AVR core into its part, beside register accesses.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Context, Peripherals, WithoutPeripherals};

/// The request of SPM to the part's flash controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreProgram {
    /// RAMPZ:Z, a byte address.
    pub address: u32,
    /// r1:r0.
    pub word: u16,
}

/// The part's side of the core: its registers, and what instructions and interrupts do to them.
///
/// Accesses carry data addresses above [`DATA_SPACE`](crate::DATA_SPACE) and are one byte wide. Interrupt lines are
/// numbered by their vector; a line is high while the flag is set and its interrupt enabled.
pub trait AvrPeripherals: Peripherals {
    /// SBI (`high`) and CBI: `access` is the write, a cycle after the read. On this family only the bit named is written
    /// (8271H, note to the register summary), and flags beside it are left alone: a block with flags that are cleared by
    /// writing one answers by itself.
    fn write_bit(&mut self, access: Access, bit: u8, high: bool, context: &mut Context<'_>) {
        let Ok(value) = self.read(access, context) else { return };
        let mask = 1 << bit;
        let value = if high { value | mask } else { value & !mask };
        // A register that refuses a write was named when it was read.
        let _ = self.write(access, value, context);
    }

    /// The interrupt of `vector` is being served: a flag that its handler's start clears is cleared now.
    fn acknowledge(&mut self, vector: u8, context: &mut Context<'_>) {
        let _ = (vector, context);
    }

    /// WDR.
    fn watchdog_reset(&mut self, context: &mut Context<'_>) {
        let _ = context;
    }

    /// SPM: does what SPMCSR says and returns the cycles for which the core is halted.
    fn store_program(&mut self, store: StoreProgram, context: &mut Context<'_>) -> Cycles {
        let _ = store;
        context.gap(cyclescope_machine::GapKind::Instruction, "SPM");
        Cycles::ZERO
    }

    /// Returns the cycles for which the last register access halts the core before its next instruction, as an access to
    /// EEPROM does. The core asks once after each write.
    fn halted(&mut self) -> Cycles {
        Cycles::ZERO
    }

    /// Returns the byte address of the vectors: 0, or the boot section while MCUCR.IVSEL is set.
    fn vector_base(&self) -> Address {
        Address::ZERO
    }

    /// The core entered (`true`) the sleep mode numbered `mode` as in SMCR, or left it.
    fn sleep_mode(&mut self, asleep: bool, mode: u8, context: &mut Context<'_>) {
        self.sleep(asleep, mode != 0, context);
    }

    /// The start-up time from the sleep mode numbered `mode`.
    fn start_up(&self, mode: u8) -> Cycles {
        let _ = mode;
        Cycles::ZERO
    }
}

impl AvrPeripherals for WithoutPeripherals {}
