//! The peer: a core's own Verilog under Verilator, in a process of its own.
//!
//! The Verilog is a PyPI package. pip fetches it into a temporary folder each time the oracle runs, and it is built
//! there with a small bench (`peer/`, which documents the protocol).

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::error::OracleError;

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
}

impl Design {
    /// All designs.
    pub const ALL: [Self; 2] = [Self::PicoRv32, Self::Ibex];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ibex => "ibex",
            Self::PicoRv32 => "picorv32",
        }
    }

    /// Returns the package, and the version that the tables were made from.
    pub const fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::Ibex => ("pythondata-cpu-ibex", "0.0.post2937"),
            Self::PicoRv32 => ("pythondata-cpu-picorv32", "1.0.post218"),
        }
    }

    const fn magic(self) -> u32 {
        match self {
            Self::Ibex => 0x5845_4249,
            Self::PicoRv32 => 0x3233_4350,
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
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
    keep: bool,
    design: Design,
}

impl Peer {
    /// Fetches, builds and starts `design`. The folder `keep` is kept and used again; without one, a temporary folder
    /// is used.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Verilator, a compiler or pip is not installed.
    pub fn start(design: Design, keep: Option<&Path>) -> Result<Self, OracleError> {
        let folder = match keep {
            Some(folder) => folder.join(design.name()),
            None => std::env::temp_dir().join(format!("cyclescope-oracle-{}-{}", std::process::id(), design.name())),
        };
        let keep = keep.is_some();
        fs::create_dir_all(&folder).map_err(OracleError::io("cannot create the peer's folder"))?;
        let built = folder.join(PEER);
        let built = if keep && built.exists() { Ok(built) } else { build(design, &folder) };
        let started = built.and_then(|program| Self::start_program(design, (&folder, keep), &program));
        if started.is_err() && !keep {
            // The folder is no longer needed; the first error is the one to report.
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    fn start_program(design: Design, (folder, keep): (&Path, bool), program: &Path) -> Result<Self, OracleError> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(OracleError::io("cannot start the peer"))?;
        let to = child.stdin.take().expect("stdin was asked for as a pipe");
        let from = BufReader::new(child.stdout.take().expect("stdout was asked for as a pipe"));
        let mut peer = Self { child, to: Some(to), from, folder: folder.to_owned(), keep, design };
        if peer.word()? != design.magic() {
            return Err(OracleError::Peer("sent no greeting"));
        }
        Ok(peer)
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
        let to = self.to.as_mut().expect("the pipe is closed only when the peer is dropped");
        to.write_all(&bytes).and_then(|()| to.flush()).map_err(|_| OracleError::Peer("has ended"))?;
        let count = self.word()?;
        let mut retired = Vec::with_capacity(count as usize);
        for _ in 0..count {
            retired.push(Retired { pc: self.word()?, end: self.word()?, rd: self.word()?, value: self.word()? });
        }
        let count = self.word()?;
        let mut outside = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let [address, at, bytes, value] = [self.word()?, self.word()?, self.word()?, self.word()?];
            outside.push(Outside { address, at, bytes, value: value & Outside::mask(bytes), error: false });
        }
        let mut memory = vec![0; memory.len()];
        self.from.read_exact(&mut memory).map_err(|_| OracleError::Peer("has ended"))?;
        Ok(Answer { retired, outside, memory })
    }

    fn word(&mut self) -> Result<u32, OracleError> {
        let mut bytes = [0; 4];
        self.from.read_exact(&mut bytes).map_err(|_| OracleError::Peer("has ended"))?;
        Ok(u32::from_le_bytes(bytes))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The peer ends when its input does.
        drop(self.to.take());
        let _ = self.child.wait();
        if !self.keep {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Fetches the Verilog of `design` into `folder`, builds it and returns the program's path.
fn build(design: Design, folder: &Path) -> Result<PathBuf, OracleError> {
    let (package, version) = design.package();
    let path = folder.display().to_string();
    let requirement = format!("{package}=={version}");
    call("python3", &["-m", "pip", "install", "-q", "--no-deps", "--target", &path, &requirement])?;
    for (name, text) in design.sources() {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| OracleError::Write { path: path.clone(), source: error })?;
    }
    let objects = folder.join("objects").display().to_string();
    let peer = folder.join("peer.cpp").display().to_string();
    // Both begin their first instruction three cycles after reset: a row of each table.
    let flags = ["-O2 -DFIRST_LAUNCH=3"];
    let quiet = ["-Wno-fatal", "-Wno-lint", "-Wno-style"];
    let mut arguments = vec!["--cc", "--exe", "--build", "-O3", "--top-module", design.name(), "--Mdir", &objects];
    arguments.extend(quiet);
    arguments.extend(["-CFLAGS", flags[0], "-o", "peer"]);
    let sources = design.arguments(folder);
    arguments.extend(sources.iter().map(String::as_str));
    arguments.push(&peer);
    call("verilator", &arguments)?;
    Ok(folder.join(PEER))
}

fn call(program: &str, arguments: &[&str]) -> Result<(), OracleError> {
    let output = Command::new(program).args(arguments).output().map_err(OracleError::start(program, PACKAGES))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(OracleError::Compile { library: "Verilator and PyPI", packages: PACKAGES, messages })
}
