//! The miscellaneous program state, PS (§4.4.1.3).

/// PS, by its fields. PS.RING belongs to the MMU option, which no core here has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ps {
    /// Bits 3 to 0: the interrupt level.
    pub level: u8,
    /// Bit 4: exceptions go to the double exception vector, and windows and loops rest.
    pub exception: bool,
    /// Bit 5: exceptions go to the user vector.
    pub user: bool,
    /// Bits 11 to 8: the window base before a window exception.
    pub old_base: u8,
    /// Bits 17 to 16: the registers by which the last call rotates the window, divided by 4.
    pub increment: u8,
    /// Bit 18: window overflows are looked for.
    pub windows: bool,
}

impl Ps {
    /// PS after a reset: level 15, in an exception.
    pub const RESET: Self = Self { level: 15, exception: true, user: false, old_base: 0, increment: 0, windows: false };

    /// The register with these fields.
    pub const fn bits(self) -> u32 {
        self.level as u32
            | (self.exception as u32) << 4
            | (self.user as u32) << 5
            | (self.old_base as u32) << 8
            | (self.increment as u32) << 16
            | (self.windows as u32) << 18
    }

    /// The fields of the register; `windows` says whether there are any of theirs.
    pub const fn from_bits(bits: u32, windows: bool) -> Self {
        Self {
            level: (bits & 15) as u8,
            exception: bits & 1 << 4 != 0,
            user: bits & 1 << 5 != 0,
            old_base: if windows { (bits >> 8 & 15) as u8 } else { 0 },
            increment: if windows { (bits >> 16 & 3) as u8 } else { 0 },
            windows: windows && bits & 1 << 18 != 0,
        }
    }
}
