//! sai version v2, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of sai version v2 (SAI).
pub const MAP: Map = Map {
    kind: "sai",
    version: "v2",
    registers: &[
        Register {
            name: "GCR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("SYNCIN", 0, 2), Field::new("SYNCOUT", 4, 2)],
        },
        Register { name: "CR10", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_CR10 },
        Register { name: "CR20", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_CR20 },
        Register { name: "FRCR0", offset: 0xc, bits: 32, access: ReadWrite, alternate: false, fields: OF_FRCR0 },
        Register { name: "SLOTR0", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_SLOTR0 },
        Register { name: "IM0", offset: 0x14, bits: 32, access: ReadWrite, alternate: false, fields: OF_IM0 },
        Register { name: "SR0", offset: 0x18, bits: 32, access: ReadOnly, alternate: false, fields: OF_SR0 },
        Register { name: "CLRFR0", offset: 0x1c, bits: 32, access: WriteOnly, alternate: false, fields: OF_CLRFR0 },
        Register {
            name: "DR0",
            offset: 0x20,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DATA", 0, 32)],
        },
        Register { name: "CR11", offset: 0x24, bits: 32, access: ReadWrite, alternate: false, fields: OF_CR10 },
        Register { name: "CR21", offset: 0x28, bits: 32, access: ReadWrite, alternate: false, fields: OF_CR20 },
        Register { name: "FRCR1", offset: 0x2c, bits: 32, access: ReadWrite, alternate: false, fields: OF_FRCR0 },
        Register { name: "SLOTR1", offset: 0x30, bits: 32, access: ReadWrite, alternate: false, fields: OF_SLOTR0 },
        Register { name: "IM1", offset: 0x34, bits: 32, access: ReadWrite, alternate: false, fields: OF_IM0 },
        Register { name: "SR1", offset: 0x38, bits: 32, access: ReadOnly, alternate: false, fields: OF_SR0 },
        Register { name: "CLRFR1", offset: 0x3c, bits: 32, access: WriteOnly, alternate: false, fields: OF_CLRFR0 },
        Register {
            name: "DR1",
            offset: 0x40,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DATA", 0, 32)],
        },
    ],
};

const OF_CR10: &[Field] = &[
    Field::new("MODE", 0, 2),
    Field::new("PRTCFG", 2, 2),
    Field::new("DS", 5, 3),
    Field::new("LSBFIRST", 8, 1),
    Field::new("CKSTR", 9, 1),
    Field::new("SYNCEN", 10, 2),
    Field::new("MONO", 12, 1),
    Field::new("OUTDRIV", 13, 1),
    Field::new("SAIEN", 16, 1),
    Field::new("DMAEN", 17, 1),
    Field::new("NODIV", 19, 1),
    Field::new("MCKDIV", 20, 4),
];

const OF_CR20: &[Field] = &[
    Field::new("FTH", 0, 3),
    Field::new("FFLUSH", 3, 1),
    Field::new("TRIS", 4, 1),
    Field::new("MUTE", 5, 1),
    Field::new("MUTEVAL", 6, 1),
    Field::new("MUTECNT", 7, 6),
    Field::new("CPL", 13, 1),
    Field::new("COMP", 14, 2),
];

const OF_FRCR0: &[Field] = &[
    Field::new("FRL", 0, 8),
    Field::new("FSALL", 8, 7),
    Field::new("FSDEF", 16, 1),
    Field::new("FSPOL", 17, 1),
    Field::new("FSOFF", 18, 1),
];

const OF_SLOTR0: &[Field] =
    &[Field::new("FBOFF", 0, 5), Field::new("SLOTSZ", 6, 2), Field::new("NBSLOT", 8, 4), Field::new("SLOTEN", 16, 16)];

const OF_IM0: &[Field] = &[
    Field::new("OVRUDRIE", 0, 1),
    Field::new("MUTEDETIE", 1, 1),
    Field::new("WCKCFGIE", 2, 1),
    Field::new("FREQIE", 3, 1),
    Field::new("CNRDYIE", 4, 1),
    Field::new("AFSDETIE", 5, 1),
    Field::new("LFSDETIE", 6, 1),
];

const OF_SR0: &[Field] = &[
    Field::new("OVRUDR", 0, 1),
    Field::new("MUTEDET", 1, 1),
    Field::new("WCKCFG", 2, 1),
    Field::new("FREQ", 3, 1),
    Field::new("CNRDY", 4, 1),
    Field::new("AFSDET", 5, 1),
    Field::new("LFSDET", 6, 1),
    Field::new("FLVL", 16, 3),
];

const OF_CLRFR0: &[Field] = &[
    Field::new("COVRUDR", 0, 1),
    Field::new("CMUTEDET", 1, 1),
    Field::new("CWCKCFG", 2, 1),
    Field::new("CCNRDY", 4, 1),
    Field::new("CAFSDET", 5, 1),
    Field::new("CLFSDET", 6, 1),
];
