//! `firmware/images.toml`: the images to build, their recipes and their settings.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::opt::Opts;

/// The list's only known layout.
const SCHEMA: u32 = 2;
/// The experiment whose program a project itself describes; those of others stand under `program`.
pub const MAIN: &str = "primes";

/// The whole list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    schema: u32,
    /// Processor cores by name.
    core: BTreeMap<String, Core>,
    /// Boards by name.
    pub board: BTreeMap<String, Board>,
    /// Settings that decide fairness and that come with an output channel, by the channel's name.
    #[serde(default)]
    channel: BTreeMap<String, BTreeMap<String, String>>,
    /// The settings that all C images share.
    pub c: CCommon,
    /// The settings that C++ images have in addition.
    pub cpp: CppCommon,
    /// Both, by family, for the cores of the other compilers.
    family: BTreeMap<Family, FamilyCommon>,
    /// The settings that all Rust images share.
    pub rust: RustCommon,
    /// Builds that are more than a level that all compilers know.
    #[serde(default)]
    pub opt: Opts,
    /// Projects by the contender they build.
    pub project: BTreeMap<String, Project>,
    /// Modes without a counterpart in some contenders.
    #[serde(default)]
    pub absent: Vec<Absent>,
    images: Vec<Group>,
    /// The images that the groups stand for.
    #[serde(skip)]
    rows: Vec<Row>,
}

/// Images of a contender that differ in mode, optimisation level and board only.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    experiment: String,
    contender: String,
    modes: Vec<String>,
    opts: Vec<String>,
    boards: Vec<String>,
}

/// The compilers' settings for a processor core.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// The compilers that build for it.
    #[serde(default)]
    pub family: Family,
    /// Flags for C and C++, compiling and linking.
    pub machine: Vec<String>,
    /// The Rust compiler's target; empty if it has none.
    #[serde(default)]
    pub rust_target: String,
    /// Flags for the Rust compiler.
    #[serde(default)]
    pub rust_flags: Vec<String>,
}

/// The family of C and C++ compilers for a core, which also decides the linker of Rust programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// GCC for Arm, with newlib.
    #[default]
    Arm,
    /// GCC for AVR, with avr-libc.
    Avr,
    /// GCC for RISC-V, with picolibc.
    Riscv,
    /// GCC for Xtensa, without a C library.
    Xtensa,
}

/// The settings that all C and C++ images for the cores of a family share.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyCommon {
    c: CCommon,
    cpp: CppCommon,
}

/// A board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The chip model that its images are measured on.
    pub chip: String,
    /// Its processor core, one of the list's.
    pub core: String,
    /// The collection of its images.
    pub images: Shelf,
    /// Settings that decide fairness and that all projects have on it, unless they say otherwise.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// The collection that holds a board's images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shelf {
    /// In the crate that the product embeds.
    Product,
    /// In the crate beside it, which holds the images for the STM32 that came later.
    Stm32,
    /// In the crate that holds the images for Nordic's parts.
    Nrf,
    /// In the crate that holds the images for Raspberry Pi's.
    Rp,
    /// In the crate that holds the images for Espressif's.
    Esp,
    /// In the checkout only, for oracles and tests.
    Oracle,
}

/// Flags, sources and linker script of every C image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CCommon {
    /// Flags for compiling, beside the machine's and the optimisation level.
    pub compile: Vec<String>,
    /// Flags for linking.
    pub link: Vec<String>,
    /// Include folders.
    pub includes: Vec<String>,
    /// Source files.
    pub sources: Vec<String>,
    /// The linker script; without one it is the compiler's for the machine.
    pub script: Option<String>,
    /// The folder of what the script includes.
    pub script_folder: Option<String>,
}

/// Flags of the C++ sources of every C++ image; its C sources have those of C.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CppCommon {
    /// Flags for compiling, beside the machine's and the optimisation level.
    pub compile: Vec<String>,
}

/// Settings of every Rust image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RustCommon {
    /// The library crates built with the program.
    pub build_std: String,
}

/// The build method of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One call of the C compiler.
    C,
    /// The same after one call of the C++ compiler for each source that ends in `.cpp`.
    Cpp,
    /// Cargo, with a package of its own.
    Rust,
    /// The recipes of Arduino's tools for a sketch.
    Arduino,
}

/// A contender's project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// The build method.
    pub kind: Kind,
    /// Its folder.
    pub folder: String,
    /// The source of its version.
    pub version: Version,
    /// Its output channel on each board.
    pub channel: BTreeMap<String, String>,
    /// C: foreign sources that come in a crate's package.
    pub package: Option<Package>,
    /// C: include folders.
    #[serde(default)]
    pub includes: Vec<String>,
    /// C: include folders whose headers' warnings are not ours.
    #[serde(default)]
    pub system_includes: Vec<String>,
    /// C: source files.
    #[serde(default)]
    pub sources: Vec<String>,
    /// C: sources that are generated before the build, into `target/firmware/generated/BOARD`.
    pub generated: Option<Generated>,
    /// Folder, flags, include folders and sources that only images for a core have, by the core's name.
    #[serde(default)]
    pub core: BTreeMap<String, OwnSources>,
    /// The same for a board, by its name.
    #[serde(default)]
    pub board: BTreeMap<String, OwnSources>,
    /// The settings that decide fairness, in words.
    pub settings: BTreeMap<String, String>,
    /// Those that differ by board.
    #[serde(default)]
    pub board_settings: BTreeMap<String, BTreeMap<String, String>>,
    /// C: the settings that decide fairness and that are read from the macros of the build.
    pub setting_macros: Option<SettingMacros>,
    /// Its programs for other experiments, by the experiment's name: the differences from the above.
    #[serde(default)]
    pub program: BTreeMap<String, Program>,
}

/// Another program of a project.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its output channels, where they are not the project's.
    #[serde(default)]
    pub channel: BTreeMap<String, String>,
    /// C: include folders before the project's.
    #[serde(default)]
    pub includes: Vec<String>,
    /// C: source files in the place of the project's.
    #[serde(default)]
    pub sources: Vec<String>,
    /// C: its sources and flags for a core in addition to these, by the core's name. Sources there replace these.
    #[serde(default)]
    pub core: BTreeMap<String, OwnSources>,
    /// C: the same for a board, by its name; its sources also replace those of the core's.
    #[serde(default)]
    pub board: BTreeMap<String, OwnSources>,
    /// Rust: features beside those of mode and board.
    #[serde(default)]
    pub features: Vec<String>,
    /// The files written for this program alone, to be counted; empty if nothing counts them.
    #[serde(default)]
    pub application: Vec<String>,
    /// The settings that decide fairness and differ from the project's.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Those that differ by board.
    #[serde(default)]
    pub board_settings: BTreeMap<String, BTreeMap<String, String>>,
    /// The project's settings that do not apply to this program.
    #[serde(default)]
    pub without_settings: Vec<String>,
    /// Rows of the experiment's table that the contender cannot fill, and why.
    #[serde(default)]
    pub absent: BTreeMap<String, String>,
    /// The same by board.
    #[serde(default)]
    pub board_absent: BTreeMap<String, BTreeMap<String, String>>,
    /// Boards that the contender does not exist for, and why.
    #[serde(default)]
    pub not_on: BTreeMap<String, String>,
}

/// The folder, flags and sources of a project for one core or one board.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnSources {
    /// Rust: the folder in the place of the project's.
    pub folder: Option<String>,
    /// Flags.
    #[serde(default)]
    pub compile: Vec<String>,
    /// Include folders before the project's.
    #[serde(default)]
    pub includes: Vec<String>,
    /// Include folders whose headers' warnings are not ours.
    #[serde(default)]
    pub system_includes: Vec<String>,
    /// Source files.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The folder of what linker scripts include, looked into before the common one.
    pub script_folder: Option<String>,
    /// Programs: true if the project's entry for the core or the board does not apply to this program.
    #[serde(default)]
    pub alone: bool,
}

/// The generator of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generated {
    /// The kit: `kit.S`, from experiments/kit.
    Kit,
}

/// The source of a contender's version.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Version {
    /// It has none of its own: the compiler's.
    Compiler {
        /// Always true.
        #[allow(dead_code, reason = "its presence is the information")]
        compiler: bool,
    },
    /// The version of a library in the lock file, or of Arduino's core.
    Library {
        /// The library's name.
        library: String,
    },
    /// The text of a C macro.
    Macro {
        /// The macro's name.
        r#macro: String,
        /// The header that defines it.
        header: String,
        /// A header wanted before that one.
        include_first: Option<String>,
    },
}

/// Sources that come in a crate's package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// The manifest that depends on the crate.
    pub manifest: String,
    /// The crate's name.
    pub name: String,
    /// The folder inside its package.
    pub folder: String,
}

/// Macros whose values are settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingMacros {
    /// The header that brings them in.
    pub header: String,
    /// The macros.
    pub names: Vec<String>,
}

/// A mode without a counterpart in some contenders.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The experiment.
    pub experiment: String,
    /// The mode.
    pub mode: String,
    /// The contenders without a counterpart.
    pub contenders: Vec<String>,
    /// The reason, as the table's readers see it.
    pub reason: String,
}

/// One image to build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The experiment it belongs to.
    pub experiment: String,
    /// The contender, which names the project.
    pub contender: String,
    /// The mode.
    pub mode: String,
    /// The optimisation level, or the name of one of the list's builds.
    pub opt: String,
    /// The board.
    pub board: String,
}

impl Row {
    /// The image's file name without ending: unique in the list.
    pub fn name(&self) -> String {
        let Self { experiment, contender, mode, opt, board } = self;
        format!("{experiment}-{contender}-{mode}-{opt}-{board}")
    }
}

impl List {
    /// Reads and checks the list under the repository's root.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join("firmware/images.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut list: Self =
            toml::from_str(&text).with_context(|| format!("{} is not a list of images", path.display()))?;
        list.expand();
        list.validate().with_context(|| format!("{} contradicts itself", path.display()))?;
        Ok(list)
    }

    /// The images, in the list's order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Fills `rows` from the groups, each by board, then optimisation level, then mode.
    fn expand(&mut self) {
        self.rows.clear();
        for group in &self.images {
            for board in &group.boards {
                for opt in &group.opts {
                    self.rows.extend(group.modes.iter().map(|mode| Row {
                        experiment: group.experiment.clone(),
                        contender: group.contender.clone(),
                        mode: mode.clone(),
                        opt: opt.clone(),
                        board: board.clone(),
                    }));
                }
            }
        }
    }

    /// The project of a row.
    pub fn project(&self, row: &Row) -> &Project {
        self.project.get(&row.contender).expect("validate found every row's project")
    }

    /// The row's program, unless it is the project's main one.
    pub fn program(&self, row: &Row) -> Option<&Program> {
        self.project(row).program.get(&row.experiment)
    }

    /// The row's output channel, if the list names one.
    fn named_channel(&self, row: &Row) -> Option<&str> {
        let own = self.program(row).and_then(|program| program.channel.get(&row.board));
        own.or_else(|| self.project(row).channel.get(&row.board)).map(String::as_str)
    }

    /// The row's output channel.
    pub fn channel(&self, row: &Row) -> &str {
        self.named_channel(row).expect("validate found every row's channel")
    }

    /// Returns the settings that decide the row's fairness, in words. The board's and the channel's come first, then the
    /// project's, the project's for the board, the program's, and the program's for the board; a later one replaces an
    /// earlier one.
    pub fn settings(&self, row: &Row) -> BTreeMap<String, String> {
        let (project, program) = (self.project(row), self.program(row));
        let mut settings = self.board(row).settings.clone();
        settings.extend(self.channel.get(self.channel(row)).cloned().unwrap_or_default());
        settings.extend(project.settings.clone());
        settings.extend(project.board_settings.get(&row.board).cloned().unwrap_or_default());
        if let Some(program) = program {
            settings.retain(|name, _| !program.without_settings.contains(name));
            settings.extend(program.settings.clone());
            settings.extend(program.board_settings.get(&row.board).cloned().unwrap_or_default());
        }
        settings
    }

    /// The rows of the experiment's table that the image cannot fill, with the reasons: the program's, the program's on
    /// the board; the later wins.
    pub fn absent_rows(&self, row: &Row) -> BTreeMap<String, String> {
        let Some(program) = self.program(row) else { return BTreeMap::new() };
        let mut absent = program.absent.clone();
        absent.extend(program.board_absent.get(&row.board).cloned().unwrap_or_default());
        absent
    }

    /// The files of the row's application, if anybody wants them counted.
    pub fn application(&self, row: &Row) -> Vec<String> {
        let files = self.program(row).map(|program| program.application.as_slice()).unwrap_or_default();
        files.iter().map(|file| file.replace("{board}", &row.board)).collect()
    }

    /// The folder of a row's Rust project.
    pub fn folder(&self, row: &Row) -> &str {
        let project = self.project(row);
        let own = [project.board.get(&row.board), project.core.get(self.core_name(row))];
        own.into_iter().flatten().find_map(|own| own.folder.as_ref()).unwrap_or(&project.folder)
    }

    /// The board of a row.
    pub fn board(&self, row: &Row) -> &Board {
        self.board.get(&row.board).expect("validate found every row's board")
    }

    /// The name of the core that a row is built for: its board's, unless the build has another in its place.
    pub fn core_name(&self, row: &Row) -> &str {
        self.opt.core(&row.opt, &self.board(row).core).expect("validate found every row's core")
    }

    /// The core that a row is built for.
    pub fn core(&self, row: &Row) -> &Core {
        self.core.get(self.core_name(row)).expect("validate found every core")
    }

    /// A core's flags for a row, with the chip's name filled in.
    pub fn for_chip(&self, row: &Row, flags: &[String]) -> Vec<String> {
        flags.iter().map(|flag| flag.replace("{chip}", &self.board(row).chip)).collect()
    }

    /// Returns the settings that C and C++ images share, for the row's core.
    pub fn common(&self, row: &Row) -> (&CCommon, &CppCommon) {
        match self.family.get(&self.core(row).family) {
            Some(FamilyCommon { c, cpp }) => (c, cpp),
            None => (&self.c, &self.cpp),
        }
    }

    fn validate(&self) -> anyhow::Result<()> {
        if self.schema != SCHEMA {
            bail!("schema {} is not {SCHEMA}", self.schema);
        }
        let cores = self.board.values().map(|board| &board.core);
        let programs = self.project.values().flat_map(|p| p.program.values()).flat_map(|p| p.core.keys());
        let named = self.project.values().flat_map(|p| p.core.keys()).chain(programs);
        if let Some(core) = cores.chain(named).chain(self.opt.cores()).find(|c| !self.core.contains_key(*c)) {
            bail!("there is no core {core}");
        }
        let programs = self.project.values().flat_map(|p| p.program.values()).flat_map(|p| p.board.keys());
        let mut named = self.project.values().flat_map(|p| p.board.keys()).chain(programs);
        if let Some(board) = named.find(|board| !self.board.contains_key(*board)) {
            bail!("a project has sources for a board {board}, which there is not");
        }
        self.opt.validate()?;
        for (name, program) in self.project.values().flat_map(|project| &project.program) {
            if let Some(board) =
                program.not_on.keys().chain(program.board_absent.keys()).find(|b| !self.board.contains_key(*b))
            {
                bail!("the program for {name} speaks of a board {board}, which there is not");
            }
        }
        let mut names: Vec<String> = self.rows().iter().map(Row::name).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("{} is listed twice", pair[0]);
        }
        for row in self.rows() {
            let Some(project) = self.project.get(&row.contender) else {
                bail!("{}: there is no project of that contender", row.name());
            };
            if !self.board.contains_key(&row.board) {
                bail!("{}: there is no board {}", row.name(), row.board);
            }
            if row.experiment != MAIN && !project.program.contains_key(&row.experiment) {
                bail!("{}: the project has no program for that experiment", row.name());
            }
            if self.program(row).is_some_and(|program| program.not_on.contains_key(&row.board)) {
                bail!("{}: the contender is also listed as not on that board", row.name());
            }
            if self.named_channel(row).is_none() {
                bail!("{}: the project names no channel on that board", row.name());
            }
            if !self.opt.knows(&row.opt) {
                bail!("{}: the list has no build {}", row.name(), row.opt);
            }
            if self.opt.core(&row.opt, &self.board(row).core).is_none() {
                bail!("{}: the build {} is not for the board's core", row.name(), row.opt);
            }
            if self
                .absent
                .iter()
                .any(|a| a.experiment == row.experiment && a.mode == row.mode && a.contenders.contains(&row.contender))
            {
                bail!("{}: the mode is also listed as absent", row.name());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
