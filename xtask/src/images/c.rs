//! Builds C and C++ images: one call of the C compiler each, after one for each source in C++ or assembly, with
//! relative paths and a path map, so that nothing of this machine stands in the ELF.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use cyclescope_kit::Kit;

use super::built::Built;
use super::list::{Family, Generated, Kind, List, MAIN, OwnSources, Project, Row, Version};
use super::toolchain::{self, CPP_HEADERS, PICOLIBC, PICOLIBC_HEADERS};
use super::windowed;

/// A C or C++ row with all its placeholders filled in. Its flags stand in the manifest: no path of this machine is
/// among them.
struct Recipe<'a> {
    root: &'a Path,
    family: Family,
    package: Option<PathBuf>,
    machine: Vec<String>,
    compile: Vec<String>,
    /// In the place of `compile`, for C++ sources.
    compile_cpp: Vec<String>,
    /// Optimisation level and what the sources must know of their build.
    choices: Vec<String>,
    includes: Vec<String>,
    system_includes: Vec<String>,
    sources: Vec<String>,
    link: Vec<String>,
}

/// Builds the row's image into `elf`.
pub fn build(root: &Path, list: &List, row: &Row, elf: &Path) -> anyhow::Result<Built> {
    let project = list.project(row);
    let recipe = prepare(root, list, row)?;

    // Of assembly nothing names the source but the object, so that gets a name of its own, too.
    let apart = |path: &&String| path.ends_with(".cpp") || path.ends_with(".S");
    let (apart, c_sources): (Vec<_>, Vec<_>) = recipe.sources.iter().partition(apart);
    let mut objects = Vec::new();
    for (index, source) in apart.into_iter().enumerate() {
        let object = elf.with_extension(format!("{index}.o"));
        let mut compiler = if source.ends_with(".cpp") { recipe.command_cpp() } else { recipe.command() };
        toolchain::run(compiler.arg("-c").arg(source).arg("-o").arg(&object))?;
        objects.push(object);
    }

    let mut compile = recipe.command();
    let libraries = recipe.libraries_without_lines(&elf.with_file_name("libraries"))?;
    compile.args(&c_sources).args(&objects).arg(format!("-L{}", libraries.display()));
    compile.args(&recipe.link).arg("-o").arg(elf);
    toolchain::run(&mut compile)?;
    if recipe.is_windowed() {
        windowed::finish(elf, &recipe.family.tool("objcopy"))?;
    }

    let libc = match recipe.family {
        Family::Arm => Some(("newlib-nano", "_newlib_version.h", "_NEWLIB_VERSION")),
        Family::Avr => Some(("avr-libc", "avr/version.h", "__AVR_LIBC_VERSION_STRING__")),
        Family::Riscv => Some(("picolibc", "picolibc.h", "__PICOLIBC_VERSION__")),
        Family::Xtensa => None,
    };
    let mut libraries = Vec::new();
    if let Some((libc, header, version)) = libc {
        libraries.push((libc.to_owned(), recipe.macro_value(&[header], version)?));
        libraries.push(("libgcc".to_owned(), recipe.macro_value(&[], "__VERSION__")?));
    }
    let version = match &project.version {
        Version::Compiler { .. } => None,
        Version::Library { .. } => bail!("a C project has no libraries in a lock file"),
        Version::Macro { r#macro, header, include_first } => {
            let headers: Vec<&str> = include_first.iter().map(String::as_str).chain([header.as_str()]).collect();
            Some(recipe.macro_value(&headers, r#macro)?)
        }
    };
    if let (Some(package), Some(version)) = (&project.package, &version) {
        libraries.push((format!("{} (from crate {})", package.folder, package.name), version.clone()));
    }
    let mut settings = Vec::new();
    if let Some(macros) = &project.setting_macros {
        for name in &macros.names {
            settings.push((name.clone(), recipe.macro_value(&[&macros.header], name)?));
        }
    }
    let flags = recipe.flags(project.kind).chain(&recipe.link).cloned().collect();
    Ok(Built { version, libraries, flags, settings })
}

/// Returns the recipe of the row's image; what it generates has been written.
fn prepare<'a>(root: &'a Path, list: &List, row: &Row) -> anyhow::Result<Recipe<'a>> {
    let project = list.project(row);
    let package = project.package.as_ref().map(|package| {
        let manifest = root.join(&package.manifest);
        package_folder(&manifest, &package.name).map(|folder| folder.join(&package.folder))
    });
    let recipe = Recipe::new(root, list, row, package.transpose()?);
    if let Some(generated) = project.generated {
        generate(generated, root, list, row)?;
    }
    Ok(recipe)
}

/// The objects of a row's program, each source compiled by itself, to be linked in several ways.
pub struct Objects<'a> {
    recipe: Recipe<'a>,
    objects: Vec<PathBuf>,
    libraries: PathBuf,
}

/// Compiles the row's sources into `folder`, with the flags `more` as well, which the linker gets too.
pub fn objects<'a>(
    root: &'a Path,
    list: &List,
    row: &Row,
    more: &[&str],
    folder: &Path,
) -> anyhow::Result<Objects<'a>> {
    let mut recipe = prepare(root, list, row)?;
    recipe.machine.extend(more.iter().map(|flag| (*flag).to_owned()));
    let mut objects = Vec::new();
    for (index, source) in recipe.sources.iter().enumerate() {
        let object = folder.join(format!("{index}.o"));
        let mut compiler = if source.ends_with(".cpp") { recipe.command_cpp() } else { recipe.command() };
        toolchain::run(compiler.arg("-c").arg(source).arg("-o").arg(&object))?;
        objects.push(object);
    }
    let libraries = recipe.libraries_without_lines(&folder.join("libraries"))?;
    Ok(Objects { recipe, objects, libraries })
}

impl Objects<'_> {
    /// Compiles `source` as well, whose calls of `function` reach it under the name that it had: `__real_` and its name.
    pub fn wrap(&mut self, function: &str, source: &Path) -> anyhow::Result<()> {
        let object = source.with_extension("o");
        toolchain::run(self.recipe.command().arg("-c").arg(source).arg("-o").arg(&object))?;
        self.objects.push(object);
        self.recipe.link.push(format!("-Wl,--wrap={function}"));
        Ok(())
    }

    /// Links them into `elf`, with linker scripts taken from `scripts` before all other folders, and writes the linker's map.
    pub fn link(&self, scripts: &Path, elf: &Path, map: &Path) -> anyhow::Result<()> {
        let mut link = self.recipe.command();
        link.args(&self.objects).arg(format!("-L{}", scripts.display())).arg(format!("-L{}", self.libraries.display()));
        link.args(&self.recipe.link).arg(format!("-Wl,-q,-Map={}", map.display())).arg("-o").arg(elf);
        toolchain::run(&mut link).map(drop)
    }
}

/// The folder of generated sources, as a path from the root, so that it holds no folder of the machine.
const GENERATED: &str = "target/firmware/generated";

/// Writes the sources that are generated for the row's board.
fn generate(generated: Generated, root: &Path, list: &List, row: &Row) -> anyhow::Result<()> {
    let folder = root.join(GENERATED).join(&row.board);
    std::fs::create_dir_all(&folder)?;
    match generated {
        Generated::Kit => std::fs::write(folder.join("kit.S"), Kit::of(&list.board(row).chip)?.assembly())?,
    }
    Ok(())
}

impl<'a> Recipe<'a> {
    fn new<'l>(root: &'a Path, list: &'l List, row: &Row, package: Option<PathBuf>) -> Self {
        let project: &'l Project = list.project(row);
        let inside = package.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let fill = |text: &String| {
            text.replace("{generated}", GENERATED).replace("{board}", &row.board).replace("{package}", &inside)
        };
        let upper = |text: &str| text.to_uppercase().replace('-', "_");
        let channel = list.channel(row).split(':').next().unwrap_or_default();
        let program = list.program(row);

        let mut choices = vec![
            format!("-O{}", list.opt.level(&row.opt)),
            format!("-DBOARD_{}", upper(&row.board)),
            format!("-DCHANNEL_{}", upper(channel)),
            format!("-DMODE_{}", upper(&row.mode)),
        ];
        // The main program has always been the one without a name.
        if row.experiment != MAIN {
            choices.push(format!("-DPROGRAM_{}", upper(&row.experiment)));
        }
        // The program's own parts for the board and the core, then the project's.
        let core = list.core_name(row);
        let parts = |board: Option<&'l OwnSources>, core: Option<&'l OwnSources>| {
            board.into_iter().chain(core).collect::<Vec<_>>()
        };
        let own = program.map_or_else(Vec::new, |p| parts(p.board.get(&row.board), p.core.get(core)));
        let alone = own.iter().any(|own| own.alone);
        let common = if alone { Vec::new() } else { parts(project.board.get(&row.board), project.core.get(core)) };
        let of_parts = |part: fn(&OwnSources) -> &Vec<String>| own.iter().chain(&common).copied().flat_map(part);
        choices.extend(of_parts(|own| &own.compile).cloned());
        let (c, cpp) = list.common(row);
        let mut link = c.link.clone();
        let folders = own.iter().chain(&common).filter_map(|own| own.script_folder.as_ref());
        link.extend(folders.chain(&c.script_folder).map(|folder| format!("-L{folder}")));
        link.extend(c.script.iter().map(|script| format!("-T{}", fill(script))));
        let sources = match (program, own.iter().find(|own| !own.sources.is_empty())) {
            (_, Some(own)) => &own.sources,
            (Some(program), _) => &program.sources,
            (None, _) => &project.sources,
        };
        let includes = [
            c.includes.iter().collect::<Vec<_>>(),
            program.into_iter().flat_map(|program| &program.includes).collect(),
            of_parts(|own| &own.includes).collect(),
            project.includes.iter().collect(),
        ];
        Self {
            root,
            family: list.core(row).family,
            package,
            machine: list.for_chip(row, &list.core(row).machine),
            compile: c.compile.clone(),
            compile_cpp: cpp.compile.clone(),
            choices,
            includes: includes.into_iter().flatten().map(fill).collect(),
            system_includes: project
                .system_includes
                .iter()
                .chain(of_parts(|own| &own.system_includes))
                .map(fill)
                .collect(),
            sources: c
                .sources
                .iter()
                .chain(sources)
                .chain(common.iter().flat_map(|own| &own.sources))
                .map(fill)
                .collect(),
            link,
        }
    }

    /// The flags of the program's own language.
    fn flags(&self, kind: Kind) -> impl Iterator<Item = &String> {
        let compile = if kind == Kind::Cpp { &self.compile_cpp } else { &self.compile };
        self.machine.iter().chain(compile).chain(&self.choices)
    }

    /// Tells whether functions are called by windows of registers.
    fn is_windowed(&self) -> bool {
        self.machine.iter().any(|flag| flag == "-mabi=windowed")
    }

    /// The C compiler with everything but sources and link flags, started at the root.
    fn command(&self) -> Command {
        self.compiler(self.family.gcc(), Kind::C)
    }

    /// The C++ compiler in the same way.
    fn command_cpp(&self) -> Command {
        self.compiler(self.family.gxx(), Kind::Cpp)
    }

    fn compiler(&self, program: &str, kind: Kind) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root).env("LC_ALL", "C").args(self.flags(kind));
        for map in self.path_maps() {
            command.arg(format!("{map}={}=.", self.root.display()));
            command.arg(format!("{map}=/usr/lib/=toolchain/"));
            if let Some(package) = &self.package {
                let name = package.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
                let above = package.parent().unwrap_or(package);
                command.arg(format!("{map}={}={name}", above.display()));
            }
        }
        for folder in &self.includes {
            command.arg(format!("-I{folder}"));
        }
        for folder in &self.system_includes {
            command.arg("-isystem").arg(folder);
        }
        if self.family == Family::Riscv {
            command.args(["-isystem", PICOLIBC_HEADERS]);
        }
        if self.family == Family::Xtensa && kind == Kind::Cpp {
            for folder in CPP_HEADERS {
                command.args(["-isystem", folder]);
            }
            for map in self.path_maps() {
                command.arg(format!("{map}=/usr/include/=toolchain/"));
            }
        }
        command
    }

    /// The options that replace folders of this machine. GCC 5 knows the one for line tables only; the sources there
    /// have no use of `__FILE__`, or `elf::facts` would say so. That one is also the only one that reaches the assembler,
    /// which RISC-V images and the kit have sources for.
    fn path_maps(&self) -> &'static [&'static str] {
        match self.family {
            Family::Arm | Family::Riscv | Family::Xtensa => &["-ffile-prefix-map", "-fdebug-prefix-map"],
            Family::Avr => &["-fdebug-prefix-map"],
        }
    }

    /// Returns a folder below `folder` with copies of the C library and libgcc for the core, without debug sections: the
    /// packaged ones name folders of the machine that they were built on. Code and data are the same. Builds of one run
    /// share the copies.
    fn libraries_without_lines(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        static FILLED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
        // The only one of a compiler without variants is called `.`, which is no folder to be made.
        let folder = folder.join(self.family.gcc()).join(self.ask("-print-multi-directory")?);
        let folder: PathBuf = folder.components().collect();
        let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
        if filled.contains(&folder) {
            return Ok(folder);
        }
        // With -g the compiler asks for the second name, which is the same library as the first.
        let names: &[&str] = match self.family {
            Family::Arm => &["libc_nano.a", "libg_nano.a", "libgcc.a"],
            Family::Avr => &["libc.a", "libm.a", "libgcc.a"],
            Family::Riscv => &["libc.a", "libg.a", "libgcc.a"],
            Family::Xtensa => &[],
        };
        std::fs::create_dir_all(&folder)?;
        for &name in names {
            let found = match self.family {
                // The compiler knows nothing of picolibc; its folders have the names of the compiler's own.
                Family::Riscv if name != "libgcc.a" => {
                    format!("{PICOLIBC}/lib/{}/{name}", self.ask("-print-multi-directory")?)
                }
                _ => self.ask(&format!("-print-file-name={name}"))?,
            };
            let mut strip = Command::new(self.family.tool("objcopy"));
            toolchain::run(strip.arg("--strip-debug").arg(found).arg(folder.join(name)))?;
        }
        filled.insert(folder.clone());
        Ok(folder)
    }

    /// Returns the C compiler's answer to a question about itself.
    fn ask(&self, question: &str) -> anyhow::Result<String> {
        let mut ask = Command::new(self.family.gcc());
        Ok(toolchain::run(ask.args(self.flags(Kind::C)).arg(question))?.trim().to_owned())
    }

    /// Returns the value of a macro without parameters after the headers, without quotes.
    fn macro_value(&self, headers: &[&str], name: &str) -> anyhow::Result<String> {
        let mut command = self.command();
        for header in headers {
            command.arg("-include").arg(header);
        }
        let text = toolchain::run(command.args(["-dM", "-E", "-x", "c", "/dev/null"]))?;
        macro_in(&text, name).with_context(|| format!("the build does not see a macro {name}"))
    }
}

/// Finds `#define NAME value` in the preprocessor's dump.
fn macro_in(dump: &str, name: &str) -> Option<String> {
    dump.lines().find_map(|line| {
        let value = line.strip_prefix("#define ")?.strip_prefix(name)?.strip_prefix(' ')?;
        Some(value.trim().trim_matches('"').to_owned())
    })
}

/// Returns the folder in which cargo keeps the package that a manifest depends on; fetches the package if it is not there
/// yet.
fn package_folder(manifest: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let folder = manifest.parent().context("a manifest stands in a folder")?;
    // The cargo that runs this program, or else the one on PATH: nothing is compiled, so any will do.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(folder).args(["metadata", "--locked", "--format-version", "1"]);
    let text = toolchain::run(&mut command)?;
    let metadata: serde_json::Value = serde_json::from_str(&text).context("cargo metadata did not answer in JSON")?;
    metadata["packages"]
        .as_array()
        .and_then(|packages| packages.iter().find(|package| package["name"] == name))
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .map(Path::to_owned)
        .with_context(|| format!("{} does not depend on {name}", manifest.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_alone_for_its_core_has_no_port_of_the_project() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let list = List::read(&root).unwrap();
        let recipe = |name: &str| {
            let row = list.rows().iter().find(|row| row.name() == name).unwrap();
            Recipe::new(&root, &list, row, Some("kernel".into()))
        };
        let ports = |recipe: &Recipe| {
            let of_arm = |path: &&String| path.contains("GCC/ARM") && path.ends_with("/port.c");
            recipe.sources.iter().filter(of_arm).cloned().collect::<Vec<_>>()
        };
        let protected = recipe("syscall-freertos-queue-s-cortex-m3");
        assert_eq!(ports(&protected), ["kernel/portable/GCC/ARM_CM3_MPU/port.c"]);
        assert!(!protected.system_includes.contains(&"kernel/portable/GCC/ARM_CM3".to_owned()));
        let folders: Vec<_> = protected.link.iter().filter(|flag| flag.starts_with("-L")).collect();
        assert_eq!(folders, ["-Lfirmware/freertos/syscall", "-Lfirmware/boards/common"]);
        assert_eq!(ports(&recipe("switch-freertos-plain-s-stm32f103c8")), ["kernel/portable/GCC/ARM_CM3/port.c"]);
    }

    #[test]
    fn a_board_has_sources_of_its_own_beside_the_port_of_its_core() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let list = List::read(&root).unwrap();
        let sources = |name: &str| {
            let row = list.rows().iter().find(|row| row.name() == name).unwrap();
            let known = ["/port.c", "button_board.c", "tick_nrf52840.c", "/queue.c", "boot2.S"];
            let recipe = Recipe::new(&root, &list, row, Some("kernel".into()));
            let named = |path: &String| known.iter().any(|end| path.ends_with(end));
            recipe.sources.into_iter().filter(named).collect::<Vec<_>>()
        };
        let port = "kernel/portable/GCC/ARM_CM4F/port.c";
        assert_eq!(
            sources("button-freertos-dma-3-nrf52840"),
            [
                "firmware/freertos/src/tick_nrf52840.c",
                "firmware/boards/nrf52840/button_board.c",
                "kernel/queue.c",
                port
            ]
        );
        assert_eq!(
            sources("button-freertos-dma-3-stm32l476rg"),
            ["firmware/boards/common/button_board.c", "kernel/queue.c", port]
        );
        assert_eq!(
            sources("button-freertos-dma-3-rp2040"),
            [
                "firmware/boards/rp2040/button_board.c",
                "kernel/queue.c",
                "firmware/boards/rp2040/boot2.S",
                "kernel/portable/GCC/ARM_CM0/port.c"
            ]
        );
    }

    #[test]
    fn macros_are_found_by_their_whole_name() {
        let dump =
            "#define RATE_MAX 9\n#define RATE 1000\n#define VERSION \"V11.2.0\"\n#define EMPTY \n#define F(x) x\n";
        assert_eq!(macro_in(dump, "RATE").as_deref(), Some("1000"));
        assert_eq!(macro_in(dump, "VERSION").as_deref(), Some("V11.2.0"));
        assert_eq!(macro_in(dump, "EMPTY").as_deref(), Some(""));
        assert_eq!(macro_in(dump, "F"), None);
        assert_eq!(macro_in(dump, "RAT"), None);
    }
}
