//! General registers.

operations! {
    /// A general register. As an enum, indexing the register file with it needs no bounds check. `Sp` is the stack pointer in use.
    Reg { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Sp, Lr, Pc }
}

impl Reg {
    /// The register with the number in the low four bits of `number`.
    pub const fn new(number: u32) -> Self {
        Self::from_bits(number)
    }
}
