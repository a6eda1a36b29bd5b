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

    /// The lowest bit and the bits of each field, in their order.
    pub(crate) const LEVEL: (u32, u32) = (0, 15);
    pub(crate) const EXCEPTION: (u32, u32) = (4, 1);
    pub(crate) const USER: (u32, u32) = (5, 1);
    pub(crate) const OLD_BASE: (u32, u32) = (8, 15);
    pub(crate) const INCREMENT: (u32, u32) = (16, 3);
    pub(crate) const WINDOWS: (u32, u32) = (18, 1);

    /// The register with these fields.
    pub const fn bits(self) -> u32 {
        (self.level as u32) << Self::LEVEL.0
            | (self.exception as u32) << Self::EXCEPTION.0
            | (self.user as u32) << Self::USER.0
            | (self.old_base as u32) << Self::OLD_BASE.0
            | (self.increment as u32) << Self::INCREMENT.0
            | (self.windows as u32) << Self::WINDOWS.0
    }

    /// The fields of the register; `windows` says whether there are any of theirs.
    pub const fn from_bits(bits: u32, windows: bool) -> Self {
        let of_windows = if windows { bits } else { 0 };
        Self {
            level: field(bits, Self::LEVEL),
            exception: field(bits, Self::EXCEPTION) != 0,
            user: field(bits, Self::USER) != 0,
            old_base: field(of_windows, Self::OLD_BASE),
            increment: field(of_windows, Self::INCREMENT),
            windows: field(of_windows, Self::WINDOWS) != 0,
        }
    }
}

const fn field(register: u32, (lowest, bits): (u32, u32)) -> u8 {
    (register >> lowest & bits) as u8
}
