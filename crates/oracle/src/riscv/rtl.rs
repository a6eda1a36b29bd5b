//! The peer: a core's own Verilog under Verilator, in a process of its own.
//!
//! The Verilog is a PyPI package. pip fetches it into a temporary folder each time the oracle runs, and it is built
//! there with a small bench (`peer/`, which documents the protocol).

use std::path::Path;
use std::process::Command;

use cyclescope_riscv::VexRiscv;

use crate::error::OracleError;
use crate::process::{self, Folder, Process};

/// The program's path in its build folder.
const PEER: &str = "objects/peer";
const PACKAGES: &str = "verilator g++ make python3-pip";

/// The header that both benches share.
const BENCH: (&str, &str) = ("bench.h", include_str!("../../peer/bench.h"));

/// A core with available Verilog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// Ibex: two stages, fast multiplier.
    Ibex,
    /// PicoRV32: fast multiplier, barrel shifter.
    PicoRv32,
    /// VexRiscv as one of the variants that its package has.
    VexRiscv(Variant),
}

/// A variant of VexRiscv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The package's names.
pub enum Variant {
    Min,
    Lite,
    Standard,
    Full,
    Imac,
    Secure,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 6] = [Self::Min, Self::Lite, Self::Standard, Self::Full, Self::Imac, Self::Secure];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Lite => "lite",
            Self::Standard => "standard",
            Self::Full => "full",
            Self::Imac => "imac",
            Self::Secure => "secure",
        }
    }

    /// Returns our core's variant.
    pub(super) const fn of_core(self) -> VexRiscv {
        match self {
            Self::Min => VexRiscv::MIN,
            Self::Lite => VexRiscv::LITE,
            Self::Standard => VexRiscv::STANDARD,
            Self::Full => VexRiscv::FULL,
            Self::Imac => VexRiscv::IMAC,
            Self::Secure => VexRiscv::SECURE,
        }
    }

    /// Returns the file of the package that has it.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Min => "VexRiscv_Min.v",
            Self::Lite => "VexRiscv_Lite.v",
            Self::Standard => "VexRiscv.v",
            Self::Full => "VexRiscv_Full.v",
            Self::Imac => "VexRiscv_IMAC.v",
            Self::Secure => "VexRiscv_Secure.v",
        }
    }
}

impl Design {
    /// All designs.
    pub const ALL: [Self; 8] = [
        Self::PicoRv32,
        Self::Ibex,
        Self::VexRiscv(Variant::Min),
        Self::VexRiscv(Variant::Lite),
        Self::VexRiscv(Variant::Standard),
        Self::VexRiscv(Variant::Full),
        Self::VexRiscv(Variant::Imac),
        Self::VexRiscv(Variant::Secure),
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ibex => "ibex",
            Self::PicoRv32 => "picorv32",
            Self::VexRiscv(Variant::Min) => "vexriscv-min",
            Self::VexRiscv(Variant::Lite) => "vexriscv-lite",
            Self::VexRiscv(Variant::Standard) => "vexriscv-standard",
            Self::VexRiscv(Variant::Full) => "vexriscv-full",
            Self::VexRiscv(Variant::Imac) => "vexriscv-imac",
            Self::VexRiscv(Variant::Secure) => "vexriscv-secure",
        }
    }

    /// Returns the name of the Verilog's outermost module.
    const fn module(self) -> &'static str {
        match self {
            Self::VexRiscv(_) => "VexRiscv",
            _ => self.name(),
        }
    }

    /// Tells if the cycles of retirements are those of a pipeline's last stage.
    pub const fn is_pipeline(self) -> bool {
        matches!(self, Self::VexRiscv(_))
    }

    /// Returns the package, and the version that the tables were made from.
    pub const fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Ibex => ("pythondata-cpu-ibex", "0.0.post2937"),
            Self::PicoRv32 => ("pythondata-cpu-picorv32", "1.0.post218"),
            Self::VexRiscv(_) => ("pythondata-cpu-vexriscv", "1.0.1.post407"),
        }
    }

    const fn magic(self) -> u32 {
        match self {
            Self::Ibex => 0x5845_4249,
            Self::PicoRv32 => 0x3233_4350,
            Self::VexRiscv(_) => 0x5258_4556,
        }
    }

    /// Returns the bench's files.
    const fn sources(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Ibex => &[
                ("peer.cpp", include_str!("../../peer/ibex.cpp")),
                ("ibex.sv", include_str!("../../peer/ibex.sv")),
                BENCH,
            ],
            Self::PicoRv32 => &[("peer.cpp", include_str!("../../peer/picorv32.cpp")), BENCH],
            Self::VexRiscv(_) => &[("peer.cpp", include_str!("../../peer/vexriscv.cpp")), BENCH],
        }
    }

    /// Returns Verilator's arguments for Verilog unpacked in `folder`.
    fn arguments(self, folder: &Path) -> Vec<String> {
        match self {
            Self::PicoRv32 => {
                let parameters = ["COMPRESSED_ISA", "ENABLE_FAST_MUL", "ENABLE_DIV", "BARREL_SHIFTER", "ENABLE_IRQ"];
                let mut all: Vec<String> = parameters.iter().map(|parameter| format!("-G{parameter}=1")).collect();
                all.push("-GREGS_INIT_ZERO=1".to_owned());
                all.push("+define+RISCV_FORMAL".to_owned());
                all.push(folder.join("pythondata_cpu_picorv32/verilog/picorv32.v").display().to_string());
                all
            }
            Self::VexRiscv(variant) => {
                vec![folder.join("pythondata_cpu_vexriscv/verilog").join(variant.file()).display().to_string()]
            }
            Self::Ibex => {
                let root = folder.join("pythondata_cpu_ibex/system_verilog");
                let primitives = root.join("vendor/lowrisc_ip/ip/prim/rtl");
                let mut all = vec!["+define+RVFI".to_owned(), "+define+SYNTHESIS".to_owned()];
                all.push(format!("-I{}", primitives.display()));
                all.push(format!("-I{}", root.join("vendor/lowrisc_ip/dv/sv/dv_utils").display()));
                for package in ["count", "secded", "ram_1p"] {
                    all.push(primitives.join(format!("prim_{package}_pkg.sv")).display().to_string());
                }
                let parts = "pkg alu compressed_decoder controller counter csr cs_registers decoder ex_block id_stage if_stage \
                             load_store_unit multdiv_slow multdiv_fast prefetch_buffer fetch_fifo wb_stage core";
                for part in parts.split_whitespace() {
                    all.push(root.join(format!("rtl/ibex_{part}.sv")).display().to_string());
                }
                all.push(folder.join("ibex.sv").display().to_string());
                all
            }
        }
    }
}

/// One retired instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Its address.
    pub pc: u32,
    /// The cycle of its end, counted from the start of the first instruction. For PicoRV32, the cycle in which the next
    /// one began.
    pub end: u32,
    /// The register written; 0 for none.
    pub rd: u32,
    /// The value written.
    pub value: u32,
}

/// An access outside memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The word's address.
    pub address: u32,
    /// The cycle in which it was granted, counted as for [`Retired::end`].
    pub at: u32,
    /// The written bytes; none for a load.
    pub bytes: u32,
    /// The value written or read. Bytes that were not written are zero.
    pub value: u32,
    /// Tells if nothing answered. The peer gets this value and does not return it.
    pub error: bool,
}

impl Outside {
    /// Returns the mask of the bytes in `bytes`.
    pub fn mask(bytes: u32) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|byte| if bytes >> byte & 1 == 0 { 0 } else { 0xFF }))
    }
}

/// A run request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The address of the first byte of memory.
    pub base: u32,
    /// Initial memory.
    pub memory: &'a [u8],
    /// Ibex's boot_addr_i.
    pub boot: u32,
    /// The most instructions, and the most cycles.
    pub limits: (u32, u32),
    /// The cycles in which the interrupt inputs change, with their new levels.
    pub changes: &'a [(u32, u32)],
    /// The answers to accesses outside memory, as recorded on our side.
    pub outside: &'a [Outside],
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The retired instructions.
    pub retired: Vec<Retired>,
    /// Accesses outside memory. A peer's have neither the values read nor errors.
    pub outside: Vec<Outside>,
    /// Final memory.
    pub memory: Vec<u8>,
}

/// The running simulation.
#[derive(Debug)]
pub struct Peer {
    process: Process,
    design: Design,
    /// The program's folder.
    _folder: Folder,
}

impl Peer {
    /// Fetches, builds and starts `design`. The folder `keep` is kept and used again; without one, a temporary folder
    /// is used.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Verilator, a compiler or pip is not installed.
    pub fn start(design: Design, keep: Option<&Path>) -> Result<Self, OracleError> {
        let folder = match keep {
            Some(folder) => Folder::kept(folder.join(design.name()))?,
            None => Folder::temporary(design.name())?,
        };
        let program = folder.path().join(PEER);
        if !program.exists() {
            build(design, &folder)?;
        }
        let process = Process::start(&program, &[], design.magic())?;
        Ok(Self { process, design, _folder: folder })
    }

    /// Returns the simulated design.
    pub fn design(&self) -> Design {
        self.design
    }

    /// Runs `request`.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn run(&mut self, request: &Request<'_>) -> Result<Answer, OracleError> {
        let Request { base, memory, boot, limits, changes, outside } = *request;
        let counts = [memory.len(), changes.len(), outside.len()].map(|count| count as u32);
        let mut words = vec![limits.0, limits.1, boot, base];
        words.extend(counts);
        words.extend(changes.iter().flat_map(|(at, levels)| [*at, *levels]));
        words.extend(outside.iter().flat_map(|access| [access.address, access.value, access.error.into()]));
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(memory);
        let process = &mut self.process;
        process.send(&bytes)?;
        process.flush()?;
        let (mut retired, mut accesses) = (Vec::new(), Vec::new());
        for _ in 0..process.word()? {
            let [pc, end, rd, value] = process.words()?;
            retired.push(Retired { pc, end, rd, value });
        }
        for _ in 0..process.word()? {
            let [address, at, bytes, value] = process.words()?;
            accesses.push(Outside { address, at, bytes, value: value & Outside::mask(bytes), error: false });
        }
        Ok(Answer { retired, outside: accesses, memory: process.bytes(memory.len())? })
    }
}

/// Fetches the Verilog of `design` into `folder` and builds it there.
fn build(design: Design, folder: &Folder) -> Result<(), OracleError> {
    let call = |command: &mut Command| process::build(command, "Verilator and PyPI", PACKAGES);
    let (package, version) = design.package();
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "-q", "--no-deps", "--target"]).arg(folder.path());
    call(pip.arg(format!("{package}=={version}")))?;
    for (name, text) in design.sources() {
        folder.write(name, text)?;
    }
    let mut verilator = Command::new("verilator");
    verilator.args(["--cc", "--exe", "--build", "-O3", "--top-module", design.module(), "--Mdir"]);
    verilator.arg(folder.path().join("objects")).args(["-Wno-fatal", "-Wno-lint", "-Wno-style"]);
    // Both begin their first instruction three cycles after reset: a row of each table.
    verilator.args(["-CFLAGS", "-O2 -DFIRST_LAUNCH=3", "-o", "peer"]);
    call(verilator.args(design.arguments(folder.path())).arg(folder.path().join("peer.cpp")))
}
