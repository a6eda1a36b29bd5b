//! Kernels for RV32IMAC, which run for ever, as machine code.

/// `1: addi add xor srli addi sub or and mul` and `add xor srli addi sub or and mul`, then back. The first one counts, so that no
/// turn of the loop is like another.
pub const ARITHMETIC: &[u32] = &[
    0x0016_8693,
    0x00B5_0533,
    0x00A5_C5B3,
    0x0035_5613,
    0x0015_0513,
    0x40C5_8633,
    0x00C5_6533,
    0x00B6_7633,
    0x02B5_0533,
    0x00B5_0533,
    0x00A5_C5B3,
    0x0035_5613,
    0x0015_0513,
    0x40C5_8633,
    0x00C5_6533,
    0x00B6_7633,
    0x02B5_0533,
    0xFBDF_F06F,
];

/// `lui a5, 0x80001; 1: lw add sw lbu sb lhu sh bnez a5, 1b`
pub const MEMORY: &[u32] = &[
    0x8000_17B7,
    0x0007_A503,
    0x00A5_8533,
    0x00A7_A223,
    0x0087_C583,
    0x00B7_84A3,
    0x00C7_D603,
    0x00C7_9723,
    0xFE07_92E3,
];

/// `1: addi a0, a0, 1; jal ra, 2f; andi a1, a0, 1; beqz a1, 1b; j 1b; 2: addi a2, a2, 1; ret`
pub const BRANCHES: &[u32] =
    &[0x0015_0513, 0x010000EF, 0x0015_7593, 0xFE05_8AE3, 0xFF1F_F06F, 0x0016_0613, 0x0000_8067];
