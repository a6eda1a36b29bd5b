//! SPI0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "spi",
    version: "k20",
    registers: &[
        word(
            "MCR",
            0x0,
            ReadWrite,
            &[
                Field::new("HALT", 0, 1),
                Field::new("SMPL_PT", 8, 2),
                Field::new("CLR_RXF", 10, 1),
                Field::new("CLR_TXF", 11, 1),
                Field::new("DIS_RXF", 12, 1),
                Field::new("DIS_TXF", 13, 1),
                Field::new("MDIS", 14, 1),
                Field::new("DOZE", 15, 1),
                Field::new("PCSIS", 16, 6),
                Field::new("ROOE", 24, 1),
                Field::new("PCSSE", 25, 1),
                Field::new("MTFE", 26, 1),
                Field::new("FRZ", 27, 1),
                Field::new("DCONF", 28, 2),
                Field::new("CONT_SCKE", 30, 1),
                Field::new("MSTR", 31, 1),
            ],
        ),
        word("TCR", 0x8, ReadWrite, &[Field::new("SPI_TCNT", 16, 16)]),
        word("CTAR0", 0xc, ReadWrite, OF_CTAR0),
        word("CTAR1", 0x10, ReadWrite, OF_CTAR0),
        word(
            "SR",
            0x2c,
            ReadWrite,
            &[
                Field::new("POPNXTPTR", 0, 4),
                Field::new("RXCTR", 4, 4),
                Field::new("TXNXTPTR", 8, 4),
                Field::new("TXCTR", 12, 4),
                Field::new("RFDF", 17, 1),
                Field::new("RFOF", 19, 1),
                Field::new("TFFF", 25, 1),
                Field::new("TFUF", 27, 1),
                Field::new("EOQF", 28, 1),
                Field::new("TXRXS", 30, 1),
                Field::new("TCF", 31, 1),
            ],
        ),
        word(
            "RSER",
            0x30,
            ReadWrite,
            &[
                Field::new("RFDF_DIRS", 16, 1),
                Field::new("RFDF_RE", 17, 1),
                Field::new("RFOF_RE", 19, 1),
                Field::new("TFFF_DIRS", 24, 1),
                Field::new("TFFF_RE", 25, 1),
                Field::new("TFUF_RE", 27, 1),
                Field::new("EOQF_RE", 28, 1),
                Field::new("TCF_RE", 31, 1),
            ],
        ),
        word(
            "PUSHR",
            0x34,
            ReadWrite,
            &[
                Field::new("TXDATA", 0, 16),
                Field::new("PCS", 16, 6),
                Field::new("CTCNT", 26, 1),
                Field::new("EOQ", 27, 1),
                Field::new("CTAS", 28, 3),
                Field::new("CONT", 31, 1),
            ],
        ),
        word("POPR", 0x38, ReadOnly, &[Field::new("RXDATA", 0, 32)]),
        word("TXFR0", 0x3c, ReadOnly, OF_TXFR0),
        word("TXFR1", 0x40, ReadOnly, OF_TXFR0),
        word("TXFR2", 0x44, ReadOnly, OF_TXFR0),
        word("TXFR3", 0x48, ReadOnly, OF_TXFR0),
        word("RXFR0", 0x7c, ReadOnly, &[Field::new("RXDATA", 0, 32)]),
        word("RXFR1", 0x80, ReadOnly, &[Field::new("RXDATA", 0, 32)]),
        word("RXFR2", 0x84, ReadOnly, &[Field::new("RXDATA", 0, 32)]),
        word("RXFR3", 0x88, ReadOnly, &[Field::new("RXDATA", 0, 32)]),
    ],
};

const OF_CTAR0: &[Field] = &[
    Field::new("BR", 0, 4),
    Field::new("DT", 4, 4),
    Field::new("ASC", 8, 4),
    Field::new("CSSCK", 12, 4),
    Field::new("PBR", 16, 2),
    Field::new("PDT", 18, 2),
    Field::new("PASC", 20, 2),
    Field::new("PCSSCK", 22, 2),
    Field::new("LSBFE", 24, 1),
    Field::new("CPHA", 25, 1),
    Field::new("CPOL", 26, 1),
    Field::new("FMSZ", 27, 4),
    Field::new("DBR", 31, 1),
];

const OF_TXFR0: &[Field] = &[Field::new("TXDATA", 0, 16), Field::new("TXCMD_TXDATA", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("MCR", 0x4001, &[]),
    some("CTAR0", 0x78000000, &[]),
    some("CTAR1", 0x78000000, &[]),
    some("SR", 0x2000000, &[]),
];
