//! The peer: LiteX's simulated SoC under Verilator, in a process of its own.
//!
//! LiteX and VexRiscv's Verilog are PyPI packages. pip fetches them into a temporary folder each time the oracle runs, LiteX generates
//! the SoC there, and it is built with a small bench (`peer/litex.cpp`, which documents the protocol).

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Driver, Requests, Subject, System};
use crate::error::OracleError;
use crate::process::{self, Folder, Process};

/// The generator of the SoC, and its packages: the same that the chip's map comes from.
const GENERATOR: &str = include_str!("../../../../chips/generate-litex/generate.py");
const REQUIREMENTS: &str = include_str!("../../../../chips/generate-litex/requirements.txt");

const BENCH: [(&str, &str); 2] = [
    ("peer.cpp", include_str!("../../../peer/litex.cpp")),
    ("masters.v", include_str!("../../../peer/litex_masters.v")),
];
const PUBLIC: &str = include_str!("../../../peer/litex.vlt");

const GREETING: u32 = 0x4554_494C;
const LIBRARY: &str = "Verilator and PyPI";
const PACKAGES: &str = "verilator g++ make python3-pip";
/// The packages' folder of LiteX, which says that they are there.
const LITEX: &str = "litex";
/// The banks of the simulated SDRAM, and the tags of the cache before it, for the bench.
const SDRAM: &str = "public_flat_rw -module \"sim\" -var \"mem_1\"
public_flat_rw -module \"sim\" -var \"mem_2\"
public_flat_rw -module \"sim\" -var \"mem_3\"
public_flat_rw -module \"sim\" -var \"mem_4\"
public_flat_rw -module \"sim\" -var \"tag_mem\"
";
const MAIN_RAM: &str = "public_flat_rw -module \"sim\" -var \"main_ram\"\n";
/// The packages' folder with the Verilog of the cores.
const CORES: &str = "pythondata_cpu_vexriscv/verilog";

/// LiteX, and the SoCs that it has generated.
#[derive(Debug)]
pub struct Soc {
    folder: Folder,
}

impl Soc {
    /// Fetches LiteX. The folder `keep` is kept and used again; without one, a temporary folder is used.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Python or pip is not installed.
    pub fn fetch(keep: Option<&Path>) -> Result<Self, OracleError> {
        let folder = match keep {
            Some(folder) => Folder::kept(folder.join("litex"))?,
            None => Folder::temporary("litex")?,
        };
        if !folder.path().join(LITEX).exists() {
            let requirements = folder.write("requirements.txt", REQUIREMENTS)?;
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "-q", "--no-deps", "--target"]).arg(folder.path());
            process::build(pip.arg("-r").arg(requirements), LIBRARY, PACKAGES)?;
        }
        Ok(Self { folder })
    }

    /// Generates the Verilog of `system`, if it is not there; returns its place.
    fn generate(&self, system: System) -> Result<PathBuf, OracleError> {
        let name = ["sim"].iter().chain(system.options()).copied().collect::<Vec<_>>().join("-") + ".v";
        let path = self.folder.path().join(&name);
        if !path.exists() {
            let mut generator = Command::new("python3");
            generator.arg(self.folder.write("generate.py", GENERATOR)?).arg("verilog").args(system.options());
            generator.env("PYTHONPATH", self.folder.path());
            self.folder.write(&name, process::output(&mut generator, LIBRARY, PACKAGES)?)?;
        }
        Ok(path)
    }

    /// Builds the SoC of `subject`.
    fn build(&self, subject: Subject) -> Result<(), OracleError> {
        for (name, text) in BENCH {
            self.folder.write(name, text)?;
        }
        let Subject { system, driver } = subject;
        let public = [PUBLIC, if system.has_sdram() { SDRAM } else { MAIN_RAM }].concat();
        let public = self.folder.write("public.vlt", public)?;
        let verilog = self.generate(system)?;
        let path = |name: &str| self.folder.path().join(name);
        let (module, define) = match driver {
            Driver::Masters => (path("masters.v"), " -DMASTERS"),
            Driver::Core(variant) => (path(CORES).join(variant.file()), ""),
        };
        let sdram = if system.has_sdram() { " -DSDRAM" } else { "" };
        let mut verilator = Command::new("verilator");
        verilator.args([
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "--top-module",
            "sim",
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
        ]);
        verilator.arg("-CFLAGS").arg(format!("-O2 -DGREETING={GREETING}{define}{sdram}"));
        verilator.arg("--Mdir").arg(path(subject.name())).args(["-o", "peer"]);
        let sources = [public, verilog, module, path("peer.cpp")];
        process::build(verilator.args(sources), LIBRARY, PACKAGES)
    }
}

/// A cycle of a core's program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub requests: Requests,
    pub acknowledged: [bool; 2],
    /// Instructions first.
    pub cyc: [bool; 2],
    pub err: [bool; 2],
    /// The address of the instruction that retires.
    pub retired: Option<u32>,
    /// The register that it writes, 0 for none, and the value.
    pub written: (u32, u32),
    /// The inputs of the interrupt array.
    pub interrupts: u32,
    /// The data's SEL, and the word that is read or written.
    pub sel: u32,
    pub word: u32,
}

/// The running simulation.
#[derive(Debug)]
pub struct Peer {
    process: Process,
    subject: Subject,
}

impl Peer {
    /// Builds, where that was not done before, and starts `subject` of `soc`.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Verilator or a compiler is not installed.
    pub fn start(soc: &Soc, subject: Subject) -> Result<Self, OracleError> {
        let program = soc.folder.path().join(subject.name()).join("peer");
        if !program.exists() {
            soc.build(subject)?;
        }
        Ok(Self { process: Process::start(&program, &[], GREETING)?, subject })
    }

    /// Returns the system, and what drives its bus.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    fn send(&mut self, words: &[u32]) -> Result<(), OracleError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.process.send(&bytes)?;
        self.process.flush()
    }

    fn receive(&mut self, count: usize) -> Result<Vec<u32>, OracleError> {
        let bytes = self.process.bytes(4 * count)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Goes on with masters that present `script`. Returns which are acknowledged in each cycle.
    pub(super) fn present(&mut self, script: &[Requests]) -> Result<Vec<[bool; 2]>, OracleError> {
        let mut words = vec![script.len() as u32];
        words.extend(script.iter().flat_map(|requests| requests.words()));
        self.send(&words)?;
        Ok(self.receive(script.len())?.into_iter().map(|word| pair(word, 0)).collect())
    }

    /// Runs a core for `cycles` from a reset at `entry`, with `pieces` of memory.
    pub(super) fn execute(
        &mut self,
        cycles: usize,
        entry: u32,
        pieces: &[(u32, Vec<u32>)],
    ) -> Result<Vec<Cycle>, OracleError> {
        let mut words = vec![cycles as u32, entry, pieces.len() as u32];
        for (address, piece) in pieces {
            words.extend([*address, piece.len() as u32]);
            words.extend(piece);
        }
        self.send(&words)?;
        let answer = self.receive(6 * cycles)?;
        let cycles = answer.as_chunks::<6>().0.iter().map(|&[fetch, data, others, retired, value, word]| Cycle {
            requests: Requests::from_words([fetch, data], [8, 12].map(|bit| (others >> bit & 7) as u8)),
            acknowledged: pair(others, 0),
            cyc: pair(others, 2),
            err: pair(others, 4),
            retired: (retired != 0).then_some(retired & !1),
            written: (others >> 16 & 31, value),
            interrupts: others >> 24 & 15,
            sel: others >> 28,
            word,
        });
        Ok(cycles.collect())
    }
}

/// The bits `first` and the next of `word`.
fn pair(word: u32, first: u32) -> [bool; 2] {
    [first, first + 1].map(|bit| word >> bit & 1 != 0)
}
