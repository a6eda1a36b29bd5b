//! flash version f1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of flash version f1 (FLASH).
pub const MAP: Map = Map {
    kind: "flash",
    version: "f1",
    registers: &[
        Register {
            name: "ACR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("LATENCY", 0, 3),
                Field::new("HLFCYA", 3, 1),
                Field::new("PRFTBE", 4, 1),
                Field::new("PRFTBS", 5, 1),
            ],
        },
        Register {
            name: "KEYR",
            offset: 0x4,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("KEYR", 0, 32)],
        },
        Register {
            name: "OPTKEYR",
            offset: 0x8,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("OPTKEYR", 0, 32)],
        },
        Register {
            name: "SR",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("BSY", 0, 1),
                Field::new("PGERR", 2, 1),
                Field::new("WRPRTERR", 4, 1),
                Field::new("EOP", 5, 1),
            ],
        },
        Register {
            name: "CR",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("PG", 0, 1),
                Field::new("PER", 1, 1),
                Field::new("MER", 2, 1),
                Field::new("OPTPG", 4, 1),
                Field::new("OPTER", 5, 1),
                Field::new("STRT", 6, 1),
                Field::new("LOCK", 7, 1),
                Field::new("OPTWRE", 9, 1),
                Field::new("ERRIE", 10, 1),
                Field::new("EOPIE", 12, 1),
            ],
        },
        Register {
            name: "AR",
            offset: 0x14,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("FAR", 0, 32)],
        },
        Register {
            name: "OBR",
            offset: 0x1c,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[
                Field::new("OPTERR", 0, 1),
                Field::new("RDPRT", 1, 1),
                Field::new("WDG_SW", 2, 1),
                Field::new("N_RST_STOP", 3, 1),
                Field::new("N_RST_STDBY", 4, 1),
                Field::new("DATA0", 10, 8),
                Field::new("DATA1", 18, 8),
            ],
        },
        Register {
            name: "WRPR",
            offset: 0x20,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("WRP", 0, 32)],
        },
    ],
};
