//! NVMC of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "nvmc",
    version: "nrf52",
    registers: &[
        word("READY", 0x400, ReadOnly, &[Field::new("READY", 0, 1)]),
        word("READYNEXT", 0x408, ReadOnly, &[Field::new("READYNEXT", 0, 1)]),
        word("CONFIG", 0x504, ReadWrite, &[Field::new("WEN", 0, 2)]),
        word("ERASEPAGE", 0x508, WriteOnly, &[Field::new("ERASEPAGE", 0, 32)]),
        word("ERASEALL", 0x50c, WriteOnly, &[Field::new("ERASEALL", 0, 1)]),
        word("ERASEUICR", 0x514, WriteOnly, &[Field::new("ERASEUICR", 0, 1)]),
        word("ERASEPAGEPARTIAL", 0x518, WriteOnly, &[Field::new("ERASEPAGEPARTIAL", 0, 32)]),
        word("ERASEPAGEPARTIALCFG", 0x51c, ReadWrite, &[Field::new("DURATION", 0, 7)]),
        word("ICACHECNF", 0x540, ReadWrite, &[Field::new("CACHEEN", 0, 1), Field::new("CACHEPROFEN", 8, 1)]),
        word("IHIT", 0x548, ReadWrite, &[Field::new("HITS", 0, 32)]),
        word("IMISS", 0x54c, ReadWrite, &[Field::new("MISSES", 0, 32)]),
        word("ACL[0].ADDR", 0x800, ReadWrite, &[Field::new("ACL[0].ADDR", 0, 32)]),
        word("ACL[0].SIZE", 0x804, ReadWrite, &[Field::new("ACL[0].SIZE", 0, 32)]),
        word("ACL[0].PERM", 0x808, ReadWrite, OF_ACL_0_PERM),
        word("ACL[1].ADDR", 0x810, ReadWrite, &[Field::new("ACL[1].ADDR", 0, 32)]),
        word("ACL[1].SIZE", 0x814, ReadWrite, &[Field::new("ACL[1].SIZE", 0, 32)]),
        word("ACL[1].PERM", 0x818, ReadWrite, OF_ACL_0_PERM),
        word("ACL[2].ADDR", 0x820, ReadWrite, &[Field::new("ACL[2].ADDR", 0, 32)]),
        word("ACL[2].SIZE", 0x824, ReadWrite, &[Field::new("ACL[2].SIZE", 0, 32)]),
        word("ACL[2].PERM", 0x828, ReadWrite, OF_ACL_0_PERM),
        word("ACL[3].ADDR", 0x830, ReadWrite, &[Field::new("ACL[3].ADDR", 0, 32)]),
        word("ACL[3].SIZE", 0x834, ReadWrite, &[Field::new("ACL[3].SIZE", 0, 32)]),
        word("ACL[3].PERM", 0x838, ReadWrite, OF_ACL_0_PERM),
        word("ACL[4].ADDR", 0x840, ReadWrite, &[Field::new("ACL[4].ADDR", 0, 32)]),
        word("ACL[4].SIZE", 0x844, ReadWrite, &[Field::new("ACL[4].SIZE", 0, 32)]),
        word("ACL[4].PERM", 0x848, ReadWrite, OF_ACL_0_PERM),
        word("ACL[5].ADDR", 0x850, ReadWrite, &[Field::new("ACL[5].ADDR", 0, 32)]),
        word("ACL[5].SIZE", 0x854, ReadWrite, &[Field::new("ACL[5].SIZE", 0, 32)]),
        word("ACL[5].PERM", 0x858, ReadWrite, OF_ACL_0_PERM),
        word("ACL[6].ADDR", 0x860, ReadWrite, &[Field::new("ACL[6].ADDR", 0, 32)]),
        word("ACL[6].SIZE", 0x864, ReadWrite, &[Field::new("ACL[6].SIZE", 0, 32)]),
        word("ACL[6].PERM", 0x868, ReadWrite, OF_ACL_0_PERM),
        word("ACL[7].ADDR", 0x870, ReadWrite, &[Field::new("ACL[7].ADDR", 0, 32)]),
        word("ACL[7].SIZE", 0x874, ReadWrite, &[Field::new("ACL[7].SIZE", 0, 32)]),
        word("ACL[7].PERM", 0x878, ReadWrite, OF_ACL_0_PERM),
    ],
};

const OF_ACL_0_PERM: &[Field] = &[Field::new("WRITE", 1, 1), Field::new("READ", 2, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] =
    &[some("READY", 0x1, &[]), some("READYNEXT", 0x1, &[]), some("ERASEPAGEPARTIALCFG", 0xa, &[])];
