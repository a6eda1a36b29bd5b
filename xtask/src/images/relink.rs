//! Layouts are right if a program that a linker placed elsewhere takes the cycles that the first one takes when it is placed there
//! for timing only.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_layout::{LinkerMap, Units};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Placement, Stop};
use object::elf::{R_RISCV_CALL, R_RISCV_CALL_PLT};
use object::{Object as _, ObjectSection as _, RelocationFlags};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

use super::c::{self, Objects};
use super::list::{Family, Kind, List, Row, Shelf};
use super::places::Places;

/// The folder of the scripts that boards' scripts include, which have the sections.
const SCRIPTS: &str = "firmware/boards/common";

/// The contenders whose programs are taken.
const CONTENDERS: [&str; 3] = ["c-plain", "c-loop", "freertos"];

/// The end of the work that a program does; one without it exits.
const STOP: &str = "cyclescope_stop";

/// The pattern of code in those scripts.
const TEXT: &str = "*(.text .text.*)";

/// The pattern of constants in those scripts.
const RODATA: &str = "*(.rodata .rodata.*";

/// A run that has not come to its end by then never will.
const LONGEST: Cycles = Cycles::new(2_000_000_000);

/// Links each program in `count` orders and compares.
pub fn run(places: &Places, list: &List, only: &[String], count: u64) -> anyhow::Result<ExitCode> {
    let chosen = |row: &&Row| {
        let program = [("primes", "two"), ("syscall", "yield")].contains(&(&row.experiment, &row.mode));
        let moves = Part::find(&list.board(row).chip).is_ok_and(|part| part.reach([0, 0], 0).is_some());
        program
            && CONTENDERS.contains(&row.contender.as_str())
            && moves
            && list.board(row).images != Shelf::Oracle
            && only.iter().all(|text| row.name().contains(text))
            && list.project(row).kind == Kind::C
    };
    let rows: Vec<&Row> = list.rows().iter().filter(chosen).collect();
    ensure!(!rows.is_empty(), "no such program");
    let mut all = 0;
    for row in rows {
        let name = row.name();
        match relink(&places.root, list, row, count).with_context(|| name.clone())? {
            None => println!("{name}: no script of sections that all boards share; left out"),
            Some(Compared { linked, units, different }) => {
                all += linked;
                println!("{name}: {linked} orders of {units} units, {different} different times, all as placed");
            }
        }
    }
    ensure!(all > 0, "nothing was linked");
    Ok(ExitCode::SUCCESS)
}

/// The result of a comparison in which nothing differed.
struct Compared {
    linked: u64,
    units: usize,
    /// The number of different times that the orders gave.
    different: usize,
}

fn relink(root: &Path, list: &List, row: &Row, count: u64) -> anyhow::Result<Option<Compared>> {
    let program = Program::new(root, list, row)?;
    let (part, first) = (program.part, &program.first);
    let units = first.units(part)?;
    let mut different = BTreeSet::from([run_to_stop(part, &first.image, None)?]);
    for number in 1..=count {
        let other = program.order(number, 8)?;
        if number == 1 && other.image.file_sha256() == first.image.file_sha256() {
            // A board with sections of its own does not ask for the shared ones.
            return Ok(None);
        }
        let others = other.units(part)?;
        let layout = units
            .as_in(&others)
            .with_context(|| format!("order {number} has other units: {units:#x?}, {others:#x?}"))?;
        first.check_contents(&units, &layout.places, &other).with_context(|| format!("order {number}"))?;
        let placement = units.placement(&layout);
        let linked = run_to_stop(part, &other.image, None)?;
        let placed = run_to_stop(part, &first.image, Some(placement))?;
        if linked != placed {
            std::fs::write("relinked.elf", other.image.file())?;
            bail!("order {number}: linked so it takes {linked} cycles, placed so {placed}; relinked.elf is the former");
        }
        different.insert(linked);
    }
    Ok(Some(Compared { linked: count, units: units.all().len(), different: different.len() }))
}

/// A program to be linked in several orders.
pub(super) struct Program<'a> {
    pub(super) part: &'static Part,
    /// The program as its board's script has it.
    pub(super) first: Linked,
    objects: Objects<'a>,
    folder: tempfile::TempDir,
    /// The script of sections: a name and a text.
    script: (&'static str, String),
    /// The patterns of the input sections of code and of constants.
    text: Vec<String>,
    constants: Vec<String>,
}

impl<'a> Program<'a> {
    /// Compiles the program of `row` and links it.
    pub(super) fn new(root: &'a Path, list: &List, row: &Row) -> anyhow::Result<Self> {
        // What a linker relaxes is another code.
        let (name, fixed): (_, &[&str]) = match list.core(row).family {
            Family::Riscv => ("riscv_sections.ld", &["-mno-relax"]),
            Family::Arm | Family::Avr | Family::Xtensa => ("sections.ld", &[]),
        };
        let script = std::fs::read_to_string(root.join(SCRIPTS).join(name))?;
        let folder = tempfile::tempdir()?;
        let objects = c::objects(root, list, row, fixed, folder.path())?;
        let first = Linked::new(&objects, folder.path(), (name, &script))?;
        let names = input_sections(&first.map);
        let (text, constants) = names.into_iter().partition(|name| name.contains("(.text"));
        let part = Part::find(&list.board(row).chip)?;
        Ok(Self { part, first, objects, folder, script: (name, script), text, constants })
    }

    /// Links the program in the order of the number `number`, with gaps of fewer than `gaps` halfwords.
    pub(super) fn order(&self, number: u64, gaps: u32) -> anyhow::Result<Linked> {
        let mut random = Pcg64Mcg::seed_from_u64(number);
        let (mut text, mut constants) = (self.text.clone(), self.constants.clone());
        text.shuffle(&mut random);
        constants.shuffle(&mut random);
        let (name, script) = &self.script;
        let ordered = script
            .replace(TEXT, &listed(&text, TEXT, gaps, &mut random))
            .replace(RODATA, &listed(&constants, RODATA, gaps, &mut random));
        Linked::new(&self.objects, self.folder.path(), (name, &ordered))
    }

    /// Links the program anew, with the assembly `source` before each call of `function`.
    pub(super) fn wrap(&mut self, function: &str, source: &str) -> anyhow::Result<()> {
        let path = self.folder.path().join("wrapped.S");
        std::fs::write(&path, source)?;
        self.objects.wrap(function, &path)?;
        let (name, script) = &self.script;
        self.first = Linked::new(&self.objects, self.folder.path(), (name, script))?;
        Ok(())
    }
}

/// Returns lines of a script that place `names` in this order with gaps of fewer than `gaps` halfwords between them, and `rest` behind.
fn listed(names: &[String], rest: &str, gaps: u32, random: &mut Pcg64Mcg) -> String {
    let mut lines = String::new();
    for name in names {
        let _ = writeln!(lines, "    . += {}; {name}", 2 * random.random_range(0..gaps));
    }
    lines + "    " + rest
}

/// Returns the patterns of a script for the input sections of code and constants in a map, each with its file.
fn input_sections(map: &str) -> Vec<String> {
    let behind = map.split("Linker script and memory map").nth(1).unwrap_or_default();
    let words: Vec<&str> = behind.split_whitespace().collect();
    let mut patterns = Vec::new();
    for found in words.windows(4) {
        let [name, address, size, file] = found else { continue };
        let known = name.starts_with(".text.") || *name == ".text" || name.starts_with(".rodata.");
        // The output section has a pattern behind it; strings that the linker merges belong to no file.
        if !known
            || !address.starts_with("0x")
            || !size.starts_with("0x")
            || *size == "0x0"
            || name.contains(".str")
            || file.starts_with('*')
        {
            continue;
        }
        let file = file.rsplit('/').next().unwrap_or(file);
        let file = match file.strip_suffix(')').and_then(|file| file.split_once('(')) {
            Some((archive, member)) => format!("*{archive}:{member}"),
            None => format!("*{file}"),
        };
        let pattern = format!("{file}({name})");
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns
}

/// A linked program.
pub(super) struct Linked {
    pub(super) image: Image,
    map: String,
    /// The addresses of bytes that the linker wrote.
    relocated: BTreeSet<u32>,
}

impl Linked {
    /// Links `objects` with the script of sections `script`, a name and a text.
    fn new(objects: &Objects<'_>, folder: &Path, script: (&str, &str)) -> anyhow::Result<Self> {
        std::fs::write(folder.join(script.0), script.1)?;
        let (elf, map) = (folder.join("linked.elf"), folder.join("linked.map"));
        objects.link(folder, &elf, &map)?;
        let bytes = std::fs::read(&elf)?;
        let file = object::File::parse(&*bytes)?;
        let mut relocated = BTreeSet::new();
        for section in file.sections() {
            for (address, relocation) in section.relocations() {
                let pair = file.architecture() == object::Architecture::Riscv32
                    && matches!(relocation.flags(), RelocationFlags::Elf { r_type: R_RISCV_CALL | R_RISCV_CALL_PLT });
                relocated.extend((address as u32)..(address as u32 + if pair { 8 } else { 4 }));
            }
        }
        Ok(Self { image: Image::parse(&bytes)?, map: std::fs::read_to_string(map)?, relocated })
    }

    pub(super) fn units(&self, part: &Part) -> anyhow::Result<Units> {
        let map = LinkerMap::parse(&self.map)?;
        let ties = |halfwords, pc| part.reach(halfwords, pc);
        Ok(Units::of(&self.image, part.code_memory(), &part.fixed(), &ties, Some(&map))?)
    }

    /// Checks that `units`, which lie at `places` in `other`, have the same bytes there but for what the linker wrote.
    fn check_contents(&self, units: &Units, places: &[u32], other: &Self) -> anyhow::Result<()> {
        let byte = |image: &Image, address: u32| {
            image
                .segments()
                .find_map(|segment| segment.bytes.get(address.checked_sub(segment.address.get())? as usize).copied())
        };
        for (unit, place) in units.all().iter().zip(places) {
            for offset in (0..unit.bytes()).filter(|offset| !self.relocated.contains(&(unit.from + offset))) {
                let (ours, theirs) = (byte(&self.image, unit.from + offset), byte(&other.image, place + offset));
                let name = unit.names.first().map_or("", String::as_str);
                ensure!(ours == theirs, "{name}, {:#x}: {ours:x?} became {theirs:x?}", unit.from + offset);
            }
        }
        Ok(())
    }
}

/// Returns the cycle at which the program of `image` comes to the end of its work.
pub(super) fn run_to_stop(part: &Part, image: &Image, placement: Option<Arc<Placement>>) -> anyhow::Result<u64> {
    let settings = Settings { memory: MemorySetting::Shipped, halt_on_fault: true, ..Settings::default() };
    let mut machine = Machine::load(part, settings, image)?;
    machine.place(placement);
    let stop = image.symbol(STOP).ok().map(|symbol| symbol.address);
    stop.into_iter().for_each(|stop| machine.watch(stop));
    match machine.run(LONGEST) {
        Stop::Watch(at) if Some(at) == stop => Ok(machine.now().get()),
        Stop::Exit(0) if stop.is_none() => Ok(machine.now().get()),
        end => bail!("the program ended by {end:?} at cycle {}", machine.now()),
    }
}
