//! What a process may touch, and how two protection units are told.

/// What a process may do in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and execute.
    Code,
    /// Read and write.
    Data,
}

/// Memory that a process may touch: a power of two bytes, at least 32, at a multiple of its size, as both units want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    start: u32,
    bytes: u32,
    access: Access,
}

impl Region {
    /// A region, if the units can have it.
    pub const fn new(start: u32, bytes: u32, access: Access) -> Option<Self> {
        if bytes < 32 || !bytes.is_power_of_two() || !start.is_multiple_of(bytes) {
            return None;
        }
        Some(Self { start, bytes, access })
    }

    /// RISC-V: `pmpaddr` of a naturally aligned power of two, and the configuration byte of `pmpcfg`, not locked.
    /// Source: The RISC-V Instruction Set Manual, Volume II, 20211203, section 3.7.1.
    pub fn pmp(self) -> (u32, u8) {
        const NAPOT: u8 = 3 << 3;
        const READ: u8 = 1;
        const WRITE: u8 = 2;
        const EXECUTE: u8 = 4;
        let access = match self.access {
            Access::Code => READ | EXECUTE,
            Access::Data => READ | WRITE,
        };
        ((self.start >> 2) | ((self.bytes >> 3) - 1), NAPOT | access)
    }

    /// Arm: `MPU_RBAR` for region `number`, and `MPU_RASR`, as normal memory.
    /// Source: Armv7-M Architecture Reference Manual, DDI 0403E, sections B3.5.8 and B3.5.9.
    pub fn mpu(self, number: u8) -> (u32, u32) {
        const VALID: u32 = 1 << 4;
        const ENABLE: u32 = 1;
        const NEVER_EXECUTE: u32 = 1 << 28;
        // Who has privilege may do all; who has none may read (2), or read and write (3).
        let access = match self.access {
            Access::Code => 2 << 24,
            Access::Data => (3 << 24) | NEVER_EXECUTE,
        };
        // Normal memory, write-through, not shareable: what on-chip flash and RAM are.
        let kind = 1 << 17;
        let size = (self.bytes.ilog2() - 1) << 1;
        (self.start | VALID | u32::from(number), access | kind | size | ENABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_aligned_powers_of_two() {
        assert!(Region::new(0x2000_0800, 0x800, Access::Data).is_some());
        assert!(Region::new(0x2000_0400, 0x800, Access::Data).is_none());
        assert!(Region::new(0x2000_0000, 0x900, Access::Data).is_none());
        assert!(Region::new(0, 16, Access::Data).is_none());
    }

    #[test]
    fn pmp_as_the_manual_has_it() {
        // 1 MiB from 0: pmpaddr ends in seventeen ones below a zero.
        assert_eq!(Region::new(0, 0x10_0000, Access::Code).unwrap().pmp(), (0x1_FFFF, 0b11101));
        // 2 KiB: addresses y...y0_1111_1111.
        assert_eq!(Region::new(0x1000_0800, 0x800, Access::Data).unwrap().pmp(), (0x0400_0200 | 0xFF, 0b11011));
    }

    #[test]
    fn mpu_as_the_manual_has_it() {
        // 512 KiB is 2^19: SIZE 18.
        let (base, attributes) = Region::new(0x0800_0000, 0x8_0000, Access::Code).unwrap().mpu(0);
        assert_eq!((base, attributes), (0x0800_0010, 0x0202_0000 | 18 << 1 | 1));
        // 2 KiB is 2^11: SIZE 10.
        let (base, attributes) = Region::new(0x2000_0800, 0x800, Access::Data).unwrap().mpu(1);
        assert_eq!((base, attributes), (0x2000_0811, 0x1302_0000 | 10 << 1 | 1));
    }
}
