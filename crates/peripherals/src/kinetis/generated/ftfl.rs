//! FTFL of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "ftfl",
    version: "k20",
    registers: &[
        word(
            "FSTAT_FCNFG_FSEC_FOPT",
            0x0,
            ReadWrite,
            &[
                Field::new("FSTAT.MGSTAT0", 0, 1),
                Field::new("FSTAT.FPVIOL", 4, 1),
                Field::new("FSTAT.ACCERR", 5, 1),
                Field::new("FSTAT.RDCOLERR", 6, 1),
                Field::new("FSTAT.CCIF", 7, 1),
                Field::new("FCNFG.EEERDY", 8, 1),
                Field::new("FCNFG.RAMRDY", 9, 1),
                Field::new("FCNFG.PFLSH", 10, 1),
                Field::new("FCNFG.SWAP", 11, 1),
                Field::new("FCNFG.ERSSUSP", 12, 1),
                Field::new("FCNFG.ERSAREQ", 13, 1),
                Field::new("FCNFG.RDCOLLIE", 14, 1),
                Field::new("FCNFG.CCIE", 15, 1),
                Field::new("FSEC.SEC", 16, 2),
                Field::new("FSEC.FSLACC", 18, 2),
                Field::new("FSEC.MEEN", 20, 2),
                Field::new("FSEC.KEYEN", 22, 2),
                Field::new("FOPT.OPT", 24, 8),
            ],
        ),
        word(
            "FCCOB3_FCCOB2_FCCOB1_FCCOB0",
            0x4,
            ReadWrite,
            &[
                Field::new("FCCOB3.CCOBn", 0, 8),
                Field::new("FCCOB2.CCOBn", 8, 8),
                Field::new("FCCOB1.CCOBn", 16, 8),
                Field::new("FCCOB0.CCOBn", 24, 8),
            ],
        ),
        word(
            "FCCOB7_FCCOB6_FCCOB5_FCCOB4",
            0x8,
            ReadWrite,
            &[
                Field::new("FCCOB7.CCOBn", 0, 8),
                Field::new("FCCOB6.CCOBn", 8, 8),
                Field::new("FCCOB5.CCOBn", 16, 8),
                Field::new("FCCOB4.CCOBn", 24, 8),
            ],
        ),
        word(
            "FCCOBB_FCCOBA_FCCOB9_FCCOB8",
            0xc,
            ReadWrite,
            &[
                Field::new("FCCOBB.CCOBn", 0, 8),
                Field::new("FCCOBA.CCOBn", 8, 8),
                Field::new("FCCOB9.CCOBn", 16, 8),
                Field::new("FCCOB8.CCOBn", 24, 8),
            ],
        ),
        word(
            "FPROT3_FPROT2_FPROT1_FPROT0",
            0x10,
            ReadWrite,
            &[
                Field::new("FPROT3.PROT", 0, 8),
                Field::new("FPROT2.PROT", 8, 8),
                Field::new("FPROT1.PROT", 16, 8),
                Field::new("FPROT0.PROT", 24, 8),
            ],
        ),
        word("FEPROT_FDPROT", 0x14, ReadWrite, &[Field::new("FEPROT.EPROT", 16, 8), Field::new("FDPROT.DPROT", 24, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
