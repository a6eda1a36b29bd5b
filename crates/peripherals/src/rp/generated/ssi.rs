//! SSI of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "ssi",
    version: "rp2040",
    registers: &[
        word(
            "CTRLR0",
            0x0,
            ReadWrite,
            &[
                Field::new("DFS", 0, 4),
                Field::new("FRF", 4, 2),
                Field::new("SCPH", 6, 1),
                Field::new("SCPOL", 7, 1),
                Field::new("TMOD", 8, 2),
                Field::new("SLV_OE", 10, 1),
                Field::new("SRL", 11, 1),
                Field::new("CFS", 12, 4),
                Field::new("DFS_32", 16, 5),
                Field::new("SPI_FRF", 21, 2),
                Field::new("SSTE", 24, 1),
            ],
        ),
        word("CTRLR1", 0x4, ReadWrite, &[Field::new("NDF", 0, 16)]),
        word("SSIENR", 0x8, ReadWrite, &[Field::new("SSI_EN", 0, 1)]),
        word("MWCR", 0xc, ReadWrite, &[Field::new("MWMOD", 0, 1), Field::new("MDD", 1, 1), Field::new("MHS", 2, 1)]),
        word("SER", 0x10, ReadWrite, &[Field::new("SER", 0, 1)]),
        word("BAUDR", 0x14, ReadWrite, &[Field::new("SCKDV", 0, 16)]),
        word("TXFTLR", 0x18, ReadWrite, &[Field::new("TFT", 0, 8)]),
        word("RXFTLR", 0x1c, ReadWrite, &[Field::new("RFT", 0, 8)]),
        word("TXFLR", 0x20, ReadOnly, &[Field::new("TFTFL", 0, 8)]),
        word("RXFLR", 0x24, ReadOnly, &[Field::new("RXTFL", 0, 8)]),
        word(
            "SR",
            0x28,
            ReadOnly,
            &[
                Field::new("BUSY", 0, 1),
                Field::new("TFNF", 1, 1),
                Field::new("TFE", 2, 1),
                Field::new("RFNE", 3, 1),
                Field::new("RFF", 4, 1),
                Field::new("TXE", 5, 1),
                Field::new("DCOL", 6, 1),
            ],
        ),
        word(
            "IMR",
            0x2c,
            ReadWrite,
            &[
                Field::new("TXEIM", 0, 1),
                Field::new("TXOIM", 1, 1),
                Field::new("RXUIM", 2, 1),
                Field::new("RXOIM", 3, 1),
                Field::new("RXFIM", 4, 1),
                Field::new("MSTIM", 5, 1),
            ],
        ),
        word(
            "ISR",
            0x30,
            ReadOnly,
            &[
                Field::new("TXEIS", 0, 1),
                Field::new("TXOIS", 1, 1),
                Field::new("RXUIS", 2, 1),
                Field::new("RXOIS", 3, 1),
                Field::new("RXFIS", 4, 1),
                Field::new("MSTIS", 5, 1),
            ],
        ),
        word(
            "RISR",
            0x34,
            ReadOnly,
            &[
                Field::new("TXEIR", 0, 1),
                Field::new("TXOIR", 1, 1),
                Field::new("RXUIR", 2, 1),
                Field::new("RXOIR", 3, 1),
                Field::new("RXFIR", 4, 1),
                Field::new("MSTIR", 5, 1),
            ],
        ),
        word("TXOICR", 0x38, ReadOnly, &[Field::new("TXOICR", 0, 1)]),
        word("RXOICR", 0x3c, ReadOnly, &[Field::new("RXOICR", 0, 1)]),
        word("RXUICR", 0x40, ReadOnly, &[Field::new("RXUICR", 0, 1)]),
        word("MSTICR", 0x44, ReadOnly, &[Field::new("MSTICR", 0, 1)]),
        word("ICR", 0x48, ReadOnly, &[Field::new("ICR", 0, 1)]),
        word("DMACR", 0x4c, ReadWrite, &[Field::new("RDMAE", 0, 1), Field::new("TDMAE", 1, 1)]),
        word("DMATDLR", 0x50, ReadWrite, &[Field::new("DMATDL", 0, 8)]),
        word("DMARDLR", 0x54, ReadWrite, &[Field::new("DMARDL", 0, 8)]),
        word("IDR", 0x58, ReadOnly, &[Field::new("IDCODE", 0, 32)]),
        word("SSI_VERSION_ID", 0x5c, ReadOnly, &[Field::new("SSI_COMP_VERSION", 0, 32)]),
        word("DR0", 0x60, ReadWrite, &[Field::new("DR", 0, 32)]),
        word("RX_SAMPLE_DLY", 0xf0, ReadWrite, &[Field::new("RSD", 0, 8)]),
        word(
            "SPI_CTRLR0",
            0xf4,
            ReadWrite,
            &[
                Field::new("TRANS_TYPE", 0, 2),
                Field::new("ADDR_L", 2, 4),
                Field::new("INST_L", 8, 2),
                Field::new("WAIT_CYCLES", 11, 5),
                Field::new("SPI_DDR_EN", 16, 1),
                Field::new("INST_DDR_EN", 17, 1),
                Field::new("SPI_RXDS_EN", 18, 1),
                Field::new("XIP_CMD", 24, 8),
            ],
        ),
        word("TXD_DRIVE_EDGE", 0xf8, ReadWrite, &[Field::new("TDE", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] =
    &[some("IDR", 0x51535049, &[]), some("SSI_VERSION_ID", 0x3430312a, &[]), some("SPI_CTRLR0", 0x3000000, &[])];
