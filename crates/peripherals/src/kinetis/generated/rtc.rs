//! RTC of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtc",
    version: "k20",
    registers: &[
        word("TSR", 0x0, ReadWrite, &[Field::new("TSR", 0, 32)]),
        word("TPR", 0x4, ReadWrite, &[Field::new("TPR", 0, 16)]),
        word("TAR", 0x8, ReadWrite, &[Field::new("TAR", 0, 32)]),
        word(
            "TCR",
            0xc,
            ReadWrite,
            &[Field::new("TCR", 0, 8), Field::new("CIR", 8, 8), Field::new("TCV", 16, 8), Field::new("CIC", 24, 8)],
        ),
        word(
            "CR",
            0x10,
            ReadWrite,
            &[
                Field::new("SWR", 0, 1),
                Field::new("WPE", 1, 1),
                Field::new("SUP", 2, 1),
                Field::new("UM", 3, 1),
                Field::new("OSCE", 8, 1),
                Field::new("CLKO", 9, 1),
                Field::new("SC16P", 10, 1),
                Field::new("SC8P", 11, 1),
                Field::new("SC4P", 12, 1),
                Field::new("SC2P", 13, 1),
            ],
        ),
        word(
            "SR",
            0x14,
            ReadWrite,
            &[Field::new("TIF", 0, 1), Field::new("TOF", 1, 1), Field::new("TAF", 2, 1), Field::new("TCE", 4, 1)],
        ),
        word(
            "LR",
            0x18,
            ReadWrite,
            &[Field::new("TCL", 3, 1), Field::new("CRL", 4, 1), Field::new("SRL", 5, 1), Field::new("LRL", 6, 1)],
        ),
        word(
            "IER",
            0x1c,
            ReadWrite,
            &[Field::new("TIIE", 0, 1), Field::new("TOIE", 1, 1), Field::new("TAIE", 2, 1), Field::new("TSIE", 4, 1)],
        ),
        word(
            "WAR",
            0x800,
            ReadWrite,
            &[
                Field::new("TSRW", 0, 1),
                Field::new("TPRW", 1, 1),
                Field::new("TARW", 2, 1),
                Field::new("TCRW", 3, 1),
                Field::new("CRW", 4, 1),
                Field::new("SRW", 5, 1),
                Field::new("LRW", 6, 1),
                Field::new("IERW", 7, 1),
            ],
        ),
        word(
            "RAR",
            0x804,
            ReadWrite,
            &[
                Field::new("TSRR", 0, 1),
                Field::new("TPRR", 1, 1),
                Field::new("TARR", 2, 1),
                Field::new("TCRR", 3, 1),
                Field::new("CRR", 4, 1),
                Field::new("SRR", 5, 1),
                Field::new("LRR", 6, 1),
                Field::new("IERR", 7, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("SR", 0x1, &[]),
    some("LR", 0xff, &[]),
    some("IER", 0x7, &[]),
    some("WAR", 0xff, &[]),
    some("RAR", 0xff, &[]),
];
