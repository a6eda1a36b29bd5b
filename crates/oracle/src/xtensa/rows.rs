//! The rows of the decoder's tables by what a program must prepare for them.

use cyclescope_xtensa::Options;
use cyclescope_xtensa::decode::{NARROW, Needs, Row, WIDE};

/// Rows that programs leave out, and the reasons.
pub const NEVER: &[(&str, &str)] = &[
    ("SIMCALL", "ends QEMU"),
    ("RER", "what answers is outside the core"),
    ("WER", "what answers is outside the core"),
    ("RECIP0.S", "QEMU's has no estimates; float/tests of crates/xtensa compares with hardware's"),
    ("RSQRT0.S", "the same"),
    ("WITLB", "would change what may be accessed; the others of the translation tables execute"),
    ("WDTLB", "the same"),
];

/// The option that a row needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Nothing.
    Plain,
    /// A branch: a target forward.
    Branch,
    /// An address in field s.
    Access,
    /// An address in field s, an index in field t.
    Indexed,
    /// An address in field s that is increased or decreased before the access.
    Stepped,
    /// A step of division or square root.
    Step,
    /// Items of their own.
    Own,
    /// Nothing: it is left out.
    Never,
}

/// The option that the row with `name` needs.
pub fn group(name: &str) -> Group {
    match name {
        "BEQZ" | "BNEZ" | "BLTZ" | "BGEZ" | "BEQI" | "BNEI" | "BLTI" | "BGEI" | "BLTUI" | "BGEUI" | "BF" | "BT"
        | "BNONE" | "BEQ" | "BLT" | "BLTU" | "BALL" | "BBC" | "BBCI" | "BANY" | "BNE" | "BGE" | "BGEU" | "BNALL"
        | "BBS" | "BBSI" | "BEQZ.N" | "BNEZ.N" => Group::Branch,
        "L8UI" | "L16UI" | "L16SI" | "L32I" | "L32I.N" | "L32AI" | "S8I" | "S16I" | "S32I" | "S32I.N" | "S32RI"
        | "S32C1I" | "LSI" | "SSI" | "LSIP" | "SSIP" | "L32E" | "S32E" | "DPFR" | "DPFW" | "DPFRO" | "DPFWO"
        | "DHWB" | "DHWBI" | "DHI" | "DII" | "IPF" | "IHI" | "III" => Group::Access,
        "LSX" | "LSXP" | "SSX" | "SSXP" => Group::Indexed,
        "LDINC" | "LDDEC" => Group::Stepped,
        _ if name.ends_with(".LDINC") || name.ends_with(".LDDEC") => Group::Stepped,
        "MADDN.S" | "DIVN.S" | "DIV0.S" | "RECIP0.S" | "SQRT0.S" | "RSQRT0.S" | "NEXP01.S" | "MKSADJ.S"
        | "MKDADJ.S" | "ADDEXP.S" | "ADDEXPM.S" => Group::Step,
        "RET" | "RET.N" | "RETW" | "RETW.N" | "J" | "JX" | "CALL0" | "CALL4" | "CALL8" | "CALL12" | "CALLX0"
        | "CALLX4" | "CALLX8" | "CALLX12" | "ENTRY" | "MOVSP" | "ROTW" | "RFE" | "RFDE" | "RFWO" | "RFWU" | "RFI"
        | "L32R" | "WAITI" | "BREAK" | "BREAK.N" | "SYSCALL" | "RSIL" | "RSR" | "WSR" | "XSR" | "RUR" | "WUR"
        | "LOOP" | "LOOPNEZ" | "LOOPGTZ" | "IITLB" | "IDTLB" => Group::Own,
        _ if NEVER.iter().any(|(never, _)| *never == name) => Group::Never,
        _ => Group::Plain,
    }
}

/// All rows that a core with `options` has.
pub fn of(options: &Options) -> Vec<&'static Row> {
    WIDE.iter().chain(NARROW).filter(|row| options.have(row.needs)).collect()
}

/// The rows of `group` among those that a core with `options` has.
pub fn in_group(options: &Options, wanted: Group) -> Vec<&'static Row> {
    of(options).into_iter().filter(|row| group(row.name) == wanted).collect()
}

/// The rows that a core with `options` lacks, each of which is an illegal instruction.
pub fn lacking(options: &Options) -> Vec<&'static Row> {
    // QEMU's cores without region protection have the memory management unit, whose instructions these are too.
    let known = |row: &Row| row.needs == Needs::RegionProtection || group(row.name) == Group::Never;
    let lacks = |row: &&Row| !options.have(row.needs) && !known(row);
    WIDE.iter().chain(NARROW).filter(lacks).collect()
}
