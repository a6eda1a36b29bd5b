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
use object::{Object as _, ObjectSection as _};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

use super::c::{self, Objects};
use super::list::{Kind, List, Row, Shelf};
use super::places::Places;

/// The script that all boards' scripts include, which has the sections.
const SECTIONS: &str = "firmware/boards/common/sections.ld";

/// The contenders whose programs are taken.
const CONTENDERS: [&str; 3] = ["c-plain", "c-loop", "freertos"];

/// The end of the work that a program does.
const STOP: &str = "cyclescope_stop";

/// A run that has not come to its end by then never will.
const LONGEST: Cycles = Cycles::new(2_000_000_000);

/// Links each program in `count` orders and compares.
pub fn run(places: &Places, list: &List, only: &[String], count: u64) -> anyhow::Result<ExitCode> {
    let chosen = |row: &&Row| {
        let program = CONTENDERS.contains(&row.contender.as_str()) && row.mode == "two" && row.experiment == "primes";
        let moves = Part::find(&list.board(row).chip).is_ok_and(|part| part.soc().is_some());
        program
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
    let script = std::fs::read_to_string(root.join(SECTIONS))?;
    let folder = tempfile::tempdir()?;
    let objects = c::objects(root, list, row, folder.path())?;
    let part = Part::find(&list.board(row).chip)?;
    let first = Linked::new(&objects, folder.path(), &script)?;
    let names = input_sections(&first.map);
    // A board with sections of its own does not ask for the shared ones.
    let (mut text, mut constants): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.contains("(.text"));
    let units = first.units(part)?;
    let mut different = BTreeSet::from([run_to_stop(part, &first.image, None)?]);
    for number in 1..=count {
        let mut random = Pcg64Mcg::seed_from_u64(number);
        text.shuffle(&mut random);
        constants.shuffle(&mut random);
        let ordered = script
            .replace("*(.text .text.*)", &listed(&text, "*(.text .text.*)", &mut random))
            .replace("*(.rodata .rodata.*)", &listed(&constants, "*(.rodata .rodata.*)", &mut random));
        let other = Linked::new(&objects, folder.path(), &ordered)?;
        if number == 1 && other.image.file_sha256() == first.image.file_sha256() {
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

/// Returns lines of a script that place `names` in this order with gaps between them, and `rest` behind.
fn listed(names: &[String], rest: &str, random: &mut Pcg64Mcg) -> String {
    let mut lines = String::new();
    for name in names {
        let _ = writeln!(lines, "    . += {}; {name}", 2 * random.random_range(0..8));
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
struct Linked {
    image: Image,
    map: String,
    /// The addresses of bytes that the linker wrote.
    relocated: BTreeSet<u32>,
}

impl Linked {
    fn new(objects: &Objects<'_>, folder: &Path, script: &str) -> anyhow::Result<Self> {
        std::fs::write(folder.join("sections.ld"), script)?;
        let (elf, map) = (folder.join("linked.elf"), folder.join("linked.map"));
        objects.link(folder, &elf, &map)?;
        let bytes = std::fs::read(&elf)?;
        let file = object::File::parse(&*bytes)?;
        let mut relocated = BTreeSet::new();
        for section in file.sections() {
            for (address, _) in section.relocations() {
                relocated.extend((address as u32)..(address as u32 + 4));
            }
        }
        Ok(Self { image: Image::parse(&bytes)?, map: std::fs::read_to_string(map)?, relocated })
    }

    fn units(&self, part: &Part) -> anyhow::Result<Units> {
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
fn run_to_stop(part: &Part, image: &Image, placement: Option<Arc<Placement>>) -> anyhow::Result<u64> {
    let settings = Settings { memory: MemorySetting::Shipped, halt_on_fault: true, ..Settings::default() };
    let mut machine = Machine::load(part, settings, image)?;
    machine.place(placement);
    let stop = image.symbol(STOP)?.address;
    machine.watch(stop);
    match machine.run(LONGEST) {
        Stop::Watch(at) if at == stop => Ok(machine.now().get()),
        end => bail!("the program ended by {end:?} at cycle {}", machine.now()),
    }
}
