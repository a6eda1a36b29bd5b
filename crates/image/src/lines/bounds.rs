//! Bounds of what debug information expands to.
//!
//! Units and entries name their abbreviations, line programs, range lists and strings by offset, and any number of them may
//! name the same one. A look-up reads a table again for each of them, so that a small file can take much memory. Compilers
//! share only abbreviations and strings. A table that is read twice over is allowed; beyond that, and beyond what small
//! files are granted, none are read.

use std::collections::HashSet;

use cyclescope_machine::figures::integer;
use gimli::{AttributeValue, DW_AT_ranges, Dwarf, EntriesRaw, Reader as _, Section as _, Unit, UnitRef};

use super::Reader;

/// The tables that small files may expand to, in bytes of tables. A look-up keeps 24 bytes or less for one byte of line program, and 32
/// for an entry of a range list.
const GRANTED: u64 = 4 << 20;

/// The length of the shortest entry of a range list (DWARF 5, section 7.25).
const SHORTEST_RANGE: u64 = 3;

/// The greatest nesting depth; no compiler exceeds it. Look-ups follow entries however deep they are nested.
const DEEPEST: isize = 1_000;

/// The greatest length of a path in bytes, as operating systems have it.
pub(super) const LONGEST_PATH: usize = 4_096;

/// The rest that may be read of one kind of table, in bytes.
struct Allowance {
    table: &'static str,
    granted: u64,
    left: u64,
}

impl Allowance {
    /// Returns twice the length of the `sections` that hold the tables, and what small files are granted.
    fn new(table: &'static str, sections: &[&Reader]) -> Self {
        let bytes: u64 = sections.iter().map(|section| section.len() as u64).sum();
        let granted = bytes.saturating_mul(2).saturating_add(GRANTED);
        Self { table, granted, left: granted }
    }

    fn take(&mut self, bytes: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let granted = integer(self.granted.into());
            format!("its {} are shared so often that they expand to more than {granted} bytes", self.table)
        })?;
        Ok(())
    }
}

/// Checks that the abbreviations of all units together are not much longer than their section.
///
/// # Errors
/// The reason why they are not.
pub(super) fn check_abbreviations(dwarf: &Dwarf<Reader>) -> Result<(), String> {
    let mut allowance = Allowance::new("abbreviations", &[dwarf.debug_abbrev.reader()]);
    let mut known = HashSet::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().map_err(read)? {
        let offset = header.debug_abbrev_offset();
        if known.insert(offset) {
            let mut table = dwarf.debug_abbrev.reader().clone();
            table.skip(offset.0).map_err(read)?;
            read_abbreviations(&mut table, &mut allowance)?;
        }
    }
    Ok(())
}

/// Reads one table of abbreviations (DWARF 5, section 7.5.3). A damaged one ends where it is read in earnest.
fn read_abbreviations(table: &mut Reader, allowance: &mut Allowance) -> Result<(), String> {
    let mut before = table.len();
    while table.read_uleb128().is_ok_and(|code| code != 0) {
        let head = table.read_uleb128().and_then(|_| table.read_u8());
        let mut ended = head.is_err();
        while !ended {
            let (Ok(name), Ok(form)) = (table.read_uleb128(), table.read_uleb128()) else { break };
            if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                ended = table.read_sleb128().is_err();
            }
            ended |= (name, form) == (0, 0);
        }
        allowance.take((before - table.len()) as u64)?;
        before = table.len();
    }
    Ok(())
}

/// Reads every unit's header, abbreviations, line program header and entries once, and adds up what a look-up would
/// read. The look-up would skip damaged units, whose code would seem to have no lines.
///
/// # Errors
/// The reason why it cannot be read, or what is too much.
pub(super) fn check_units(dwarf: &Dwarf<Reader>) -> Result<(), String> {
    let lists = [dwarf.ranges.debug_ranges().reader(), dwarf.ranges.debug_rnglists().reader()];
    let mut ranges = Allowance::new("range lists", &lists);
    let mut programs = Allowance::new("line programs", &[dwarf.debug_line.reader()]);
    // A path is a folder of the unit, one of the table, and a name: some hundred bytes for each entry of the table.
    let mut paths = Allowance::new("paths of files", &[dwarf.debug_line.reader(), dwarf.debug_info.reader()]);
    paths.left = paths.left.saturating_mul(16);
    paths.granted = paths.left;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().map_err(read)? {
        let unit = dwarf.unit(header).map_err(read)?;
        check_lines(&unit.unit_ref(dwarf), &mut programs, &mut paths)?;
        let mut entries = unit.entries_raw(None).map_err(read)?;
        while !entries.is_empty() {
            if entries.next_depth() > DEEPEST {
                return Err(format!("entries are nested more than {DEEPEST} deep"));
            }
            check_entry(dwarf, &unit, &mut entries, &mut ranges)?;
        }
    }
    Ok(())
}

fn check_entry(
    dwarf: &Dwarf<Reader>,
    unit: &Unit<Reader>,
    entries: &mut EntriesRaw<'_, Reader>,
    ranges: &mut Allowance,
) -> Result<(), String> {
    let Some(abbreviation) = entries.read_abbreviation().map_err(read)? else { return Ok(()) };
    let is_ranges = |name| name == DW_AT_ranges;
    if !abbreviation.attributes().iter().any(|attribute| is_ranges(attribute.name())) {
        return entries.skip_attributes(abbreviation.attributes()).map_err(read);
    }
    for attribute in abbreviation.attributes() {
        let attribute = entries.read_attribute(*attribute).map_err(read)?;
        let Some(offset) = (match is_ranges(attribute.name()) {
            true => dwarf.attr_ranges_offset(unit, attribute.value()).map_err(read)?,
            false => None,
        }) else {
            continue;
        };
        let mut list = dwarf.raw_ranges(unit, offset).map_err(read)?;
        while list.next().map_err(read)?.is_some() {
            ranges.take(SHORTEST_RANGE)?;
        }
    }
    Ok(())
}

fn check_lines(unit: &UnitRef<'_, Reader>, programs: &mut Allowance, paths: &mut Allowance) -> Result<(), String> {
    let Some(program) = &unit.line_program else { return Ok(()) };
    let header = program.header();
    programs.take(header.raw_program_buf().len() as u64)?;
    let length = |text: AttributeValue<Reader>| unit.attr_string(text).map(|text| text.len() as u64).unwrap_or(0);
    let folder = unit.comp_dir.as_ref().map_or(0, |folder| folder.len() as u64);
    for file in header.file_names() {
        // The entry itself takes some memory in the look-up.
        let path = folder + file.directory(header).map_or(0, length) + length(file.path_name());
        paths.take(100 + path)?;
    }
    Ok(())
}

fn read(error: gimli::Error) -> String {
    error.to_string()
}
