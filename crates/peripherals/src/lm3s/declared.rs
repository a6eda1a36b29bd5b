//! Blocks of the LM3S6965 that start-up code touches and that have no behaviour here (LM3S6965 data sheet, "System
//! Control", "General-Purpose Input/Outputs (GPIOs)").

use crate::bank::{all, some};
use crate::register::Access::{ReadOnly, ReadWrite};
use crate::register::word;
use crate::{Field, Map, Modelled, Register};

const fn whole(name: &'static str, offset: u32, access: crate::Access) -> Register {
    // The fields' names are not needed: nothing of these registers has an effect here.
    const WHOLE: &[Field] = &[Field::new("VALUE", 0, 32)];
    word(name, offset, access, WHOLE)
}

/// The registers of system control that start-up code touches.
pub const SYSCTL_MAP: Map = Map {
    kind: "lm3s_sysctl",
    version: "v1",
    registers: &[
        whole("DID0", 0x000, ReadOnly),
        whole("DID1", 0x004, ReadOnly),
        whole("DC0", 0x008, ReadOnly),
        whole("DC1", 0x010, ReadOnly),
        whole("DC2", 0x014, ReadOnly),
        whole("DC3", 0x018, ReadOnly),
        whole("DC4", 0x01C, ReadOnly),
        whole("PBORCTL", 0x030, ReadWrite),
        whole("LDOPCTL", 0x034, ReadWrite),
        whole("SRCR0", 0x040, ReadWrite),
        whole("SRCR1", 0x044, ReadWrite),
        whole("SRCR2", 0x048, ReadWrite),
        whole("RIS", 0x050, ReadOnly),
        whole("IMC", 0x054, ReadWrite),
        whole("MISC", 0x058, ReadWrite),
        whole("RESC", 0x05C, ReadWrite),
        whole("RCC", 0x060, ReadWrite),
        whole("PLLCFG", 0x064, ReadOnly),
        whole("RCC2", 0x070, ReadWrite),
        whole("RCGC0", 0x100, ReadWrite),
        whole("RCGC1", 0x104, ReadWrite),
        whole("RCGC2", 0x108, ReadWrite),
        whole("SCGC0", 0x110, ReadWrite),
        whole("SCGC1", 0x114, ReadWrite),
        whole("SCGC2", 0x118, ReadWrite),
        whole("DCGC0", 0x120, ReadWrite),
        whole("DCGC1", 0x124, ReadWrite),
        whole("DCGC2", 0x128, ReadWrite),
        whole("DSLPCLKCFG", 0x144, ReadWrite),
    ],
};

/// The modelled registers and fields of system control (data sheet, "System Control Register Map"). Clock enables have no
/// effect, because UART0 always has its clock here. RIS says that the PLL has locked, so that start-up code goes on.
pub const SYSCTL: &[Modelled] = &[
    some("PBORCTL", 0x0000_7FFD, &[]),
    all("RIS", 1 << 6),
    all("MISC", 0),
    some("RCC", 0x078E_3AD1, &[]),
    some("RCC2", 0x0780_2800, &[]),
    all("RCGC0", 0x0000_0040),
    all("RCGC1", 0),
    all("RCGC2", 0),
    some("SCGC0", 0x0000_0040, &[]),
    some("DCGC0", 0x0000_0040, &[]),
    some("DSLPCLKCFG", 0x0780_0000, &[]),
];

/// The registers of a port that start-up code touches to hand pins to the UART; the pins are not modelled.
pub const GPIO_MAP: Map = Map {
    kind: "lm3s_gpio",
    version: "v1",
    registers: &[
        word("DIR", 0x400, ReadWrite, &[Field::new("DIR", 0, 8)]),
        word("AFSEL", 0x420, ReadWrite, &[Field::new("AFSEL", 0, 8)]),
        word("DR2R", 0x500, ReadWrite, &[Field::new("DRV2", 0, 8)]),
        word("DR4R", 0x504, ReadWrite, &[Field::new("DRV4", 0, 8)]),
        word("DR8R", 0x508, ReadWrite, &[Field::new("DRV8", 0, 8)]),
        word("ODR", 0x50C, ReadWrite, &[Field::new("ODE", 0, 8)]),
        word("PUR", 0x510, ReadWrite, &[Field::new("PUE", 0, 8)]),
        word("PDR", 0x514, ReadWrite, &[Field::new("PDE", 0, 8)]),
        word("SLR", 0x518, ReadWrite, &[Field::new("SRL", 0, 8)]),
        word("DEN", 0x51C, ReadWrite, &[Field::new("DEN", 0, 8)]),
    ],
};

/// The modelled registers of a port. AFSEL and DEN are only stored, because the UART always has its pins here.
pub const GPIO: &[Modelled] = &[all("AFSEL", 0), some("DR2R", 0xFF, &[]), some("PUR", 0xFF, &[]), all("DEN", 0xFF)];
