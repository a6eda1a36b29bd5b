//! Source lines, read from DWARF at their first use.

mod bounds;

use std::sync::Arc;

use addr2line::Context;
use cyclescope_machine::units::{Address, Bytes};
use gimli::{AbbreviationsCacheStrategy, Dwarf, EndianArcSlice, LittleEndian, Reader as _, SectionId};

use crate::{Image, ImageWarning};

type Reader = EndianArcSlice<LittleEndian>;

/// A position in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// The file's path as recorded by the compiler.
    pub file: String,
    /// The line, from 1; 0 if the compiler gives none.
    pub line: u32,
    /// The column, from 1, if the compiler gives one.
    pub column: Option<u32>,
}

impl std::fmt::Display for SourceLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// One function in a chain of inlined calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function's name, demangled if possible; `None` if the debug information has none.
    pub function: Option<String>,
    /// The position in the function.
    pub line: Option<SourceLine>,
}

/// The line tables of one image.
pub(crate) struct Lines {
    context: Option<Context<Reader>>,
    warnings: Vec<ImageWarning>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("present", &self.context.is_some()).field("warnings", &self.warnings).finish()
    }
}

impl Lines {
    pub(crate) fn new(image: &Image) -> Self {
        let mut warnings = Vec::new();
        if image.section(".debug_line").is_none_or(|section| section.size == Bytes::ZERO) {
            return Self { context: None, warnings };
        }
        let mut compressed = None;
        let load = |id: SectionId| -> Result<Reader, gimli::Error> {
            let section = image.section(id.name());
            if let Some(section) = section.filter(|section| section.compressed) {
                compressed.get_or_insert_with(|| section.name.clone());
            }
            let bytes = section.map(|section| image.section_bytes(section)).unwrap_or_default();
            Ok(EndianArcSlice::new(Arc::from(bytes), LittleEndian))
        };
        let context = Dwarf::load(load).map_err(|error| error.to_string()).and_then(context_of);
        if let Some(name) = compressed {
            warnings.push(ImageWarning::CompressedDebug(name));
            return Self { context: None, warnings };
        }
        let context = context.map_err(|error| warnings.push(ImageWarning::Lines(error))).ok();
        Self { context, warnings }
    }

    pub(crate) fn warnings(&self) -> &[ImageWarning] {
        &self.warnings
    }

    pub(crate) fn source_line(&mut self, address: Address) -> Option<SourceLine> {
        let context = self.context.as_ref()?;
        match context.find_location(address.get().into()) {
            Ok(location) => location.and_then(|location| source_line(&location)),
            Err(error) => {
                self.drop_tables(error);
                None
            }
        }
    }

    pub(crate) fn frames(&mut self, address: Address) -> Vec<Frame> {
        let Some(context) = self.context.as_ref() else { return Vec::new() };
        match collect_frames(context, address) {
            Ok(frames) => frames,
            Err(error) => {
                self.drop_tables(error);
                Vec::new()
            }
        }
    }

    pub(crate) fn unit_name(&mut self, address: Address) -> Option<String> {
        let unit = self.context.as_ref()?.find_dwarf_and_unit(address.get().into()).skip_all_loads()?;
        let name = unit.name.as_ref()?.to_string_lossy().ok()?;
        (name.len() <= bounds::LONGEST_PATH).then(|| name.into_owned())
    }

    /// Drops all tables after an error, because the rest cannot be trusted.
    fn drop_tables(&mut self, error: gimli::Error) {
        self.context = None;
        self.warnings.push(ImageWarning::Lines(error.to_string()));
    }
}

/// Returns the tables, if all of them can be read.
fn context_of(mut dwarf: Dwarf<Reader>) -> Result<Context<Reader>, String> {
    bounds::check_abbreviations(&dwarf)?;
    // Units may share abbreviations, which must not be read again for each unit.
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    bounds::check_units(&dwarf)?;
    Context::from_dwarf(dwarf).map_err(|error| error.to_string())
}

fn collect_frames(context: &Context<Reader>, address: Address) -> Result<Vec<Frame>, gimli::Error> {
    /// The greatest inlining depth; no compiler exceeds it. The limit protects against hostile tables.
    const DEEPEST: usize = 256;
    let mut frames = Vec::new();
    let mut found = context.find_frames(address.get().into()).skip_all_loads()?;
    while let Some(frame) = found.next()? {
        let function = frame.function.as_ref().and_then(|function| {
            // Any number of functions may share one long name.
            let raw = function.raw_name().ok().filter(|name| name.len() <= crate::demangle::LONGEST_NAME)?;
            Some(crate::demangle(&raw).unwrap_or_else(|| raw.into_owned()))
        });
        frames.push(Frame { function, line: frame.location.as_ref().and_then(source_line) });
        if frames.len() == DEEPEST {
            break;
        }
    }
    Ok(frames)
}

fn source_line(location: &addr2line::Location<'_>) -> Option<SourceLine> {
    Some(SourceLine {
        file: location.file.filter(|path| path.len() <= bounds::LONGEST_PATH)?.to_owned(),
        line: location.line.unwrap_or(0),
        column: location.column.filter(|&column| column > 0),
    })
}
