//! Call-frame information: how a caller's registers are found from its callee's (DWARF 5, section 6.4).

use std::collections::HashMap;

use cyclescope_machine::units::Address;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, CommonInformationEntry, DebugFrame, EhFrame, EndianSlice, FrameDescriptionEntry,
    LittleEndian, RegisterRule, UnwindContext, UnwindSection,
};

use crate::{FrameExpression, Image};

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = FrameDescriptionEntry<Reader<'a>>;

/// The size of an address in these sections: that of a 32-bit ELF, an AVR's included.
const ADDRESS_BYTES: u8 = 4;

/// The most functions whose entries are read. Firmware has some thousands.
const MOST_ENTRIES: usize = 1 << 18;

/// The place of a register's value in the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved<'a> {
    /// It is unchanged.
    Same,
    /// It is lost. For the return address: there is no caller.
    Undefined,
    /// In memory, so far from the canonical frame address.
    At(i64),
    /// It is the canonical frame address with this offset.
    Is(i64),
    /// In another register, by its DWARF number.
    In(u16),
    /// In memory, at the address that the expression gives for the canonical frame address.
    AtExpression(FrameExpression<'a>),
    /// It is the expression's value for the canonical frame address.
    IsExpression(FrameExpression<'a>),
    /// A rule that DWARF does not define.
    Unknown,
}

/// The canonical frame address of a frame: the stack pointer of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBase<'a> {
    /// A register by its DWARF number, and an offset.
    Register(u16, i64),
    /// An expression.
    Expression(FrameExpression<'a>),
}

/// The frame of a function at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFrameRow<'a> {
    /// The canonical frame address.
    pub base: FrameBase<'a>,
    /// The DWARF number of the column that holds the return address.
    pub return_column: u16,
    /// The registers that the row speaks of, by DWARF number.
    pub saved: Vec<(u16, Saved<'a>)>,
}

impl<'a> CallFrameRow<'a> {
    /// Returns the place of `register`, or `None` if the row does not speak of it.
    pub fn saved(&self, register: u16) -> Option<Saved<'a>> {
        self.saved.iter().find(|(number, _)| *number == register).map(|(_, saved)| *saved)
    }
}

/// The call-frame information of an image: `.debug_frame` and `.eh_frame`.
pub struct CallFrames<'a> {
    debug: Option<Table<'a, DebugFrame<Reader<'a>>>>,
    eh: Option<Table<'a, EhFrame<Reader<'a>>>>,
}

impl std::fmt::Debug for CallFrames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallFrames").field("present", &self.is_present()).finish()
    }
}

impl<'a> CallFrames<'a> {
    /// Reads the information of `image` up to its first damaged entry.
    pub fn of(image: &'a Image) -> Self {
        let section = |name| image.section(name).filter(|section| !section.compressed);
        let debug = section(".debug_frame").map(|section| {
            let mut frames = DebugFrame::new(image.section_bytes(section), LittleEndian);
            frames.set_address_size(ADDRESS_BYTES);
            Table::new(frames, BaseAddresses::default())
        });
        let eh = section(".eh_frame").map(|section| {
            let mut frames = EhFrame::new(image.section_bytes(section), LittleEndian);
            frames.set_address_size(ADDRESS_BYTES);
            Table::new(frames, BaseAddresses::default().set_eh_frame(section.address.get().into()))
        });
        Self { debug, eh }
    }

    /// Tells if there is any.
    pub fn is_present(&self) -> bool {
        let debug = self.debug.as_ref().is_some_and(|table| !table.entries.is_empty());
        debug || self.eh.as_ref().is_some_and(|table| !table.entries.is_empty())
    }

    /// Returns the row for the instruction at `address`, or `None` if nothing describes it or its entry is damaged.
    pub fn row(&self, address: Address) -> Option<CallFrameRow<'a>> {
        let address = u64::from(address.get());
        let debug = self.debug.as_ref().and_then(|table| table.row(address));
        debug.or_else(|| self.eh.as_ref().and_then(|table| table.row(address)))
    }
}

/// One section with its functions.
struct Table<'a, S> {
    section: S,
    bases: BaseAddresses,
    /// By ascending address.
    entries: Vec<Entry<'a>>,
}

impl<'a, S: UnwindSection<Reader<'a>>> Table<'a, S> {
    fn new(section: S, bases: BaseAddresses) -> Self {
        let mut entries = Vec::new();
        // Functions share the entry with what they have in common, which is read once.
        let mut common: HashMap<usize, CommonInformationEntry<Reader<'a>>> = HashMap::new();
        let mut all = section.entries(&bases);
        while let Ok(Some(entry)) = all.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let parsed = partial.parse(|section, bases, offset| {
                let key = gimli::UnwindOffset::into(offset);
                if let Some(known) = common.get(&key) {
                    return Ok(known.clone());
                }
                let read = section.cie_from_offset(bases, offset)?;
                common.insert(key, read.clone());
                Ok(read)
            });
            let Ok(entry) = parsed else { break };
            // A function that the linker has dropped is left at address 0, where vectors are.
            if entry.initial_address() != 0 {
                entries.push(entry);
            }
            if entries.len() == MOST_ENTRIES {
                break;
            }
        }
        entries.sort_by_key(FrameDescriptionEntry::initial_address);
        Self { section, bases, entries }
    }

    fn row(&self, address: u64) -> Option<CallFrameRow<'a>> {
        let after = self.entries.partition_point(|entry| entry.initial_address() <= address);
        let entry = self.entries[..after].last().filter(|entry| entry.contains(address))?;
        let mut context = UnwindContext::new();
        let row = entry.unwind_info_for_address(&self.section, &self.bases, &mut context, address).ok()?;
        let base = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => FrameBase::Register(register.0, *offset),
            CfaRule::Expression(place) => FrameBase::Expression(FrameExpression::new(place.get(&self.section).ok()?)),
        };
        let saved = row.registers().map(|(register, rule)| (register.0, self.saved(rule)));
        Some(CallFrameRow { base, return_column: entry.cie().return_address_register().0, saved: saved.collect() })
    }

    fn saved(&self, rule: &RegisterRule<usize>) -> Saved<'a> {
        match rule {
            RegisterRule::Undefined => Saved::Undefined,
            RegisterRule::SameValue => Saved::Same,
            RegisterRule::Offset(offset) => Saved::At(*offset),
            RegisterRule::ValOffset(offset) => Saved::Is(*offset),
            RegisterRule::Register(register) => Saved::In(register.0),
            RegisterRule::Expression(place) => {
                place.get(&self.section).map_or(Saved::Unknown, |read| Saved::AtExpression(FrameExpression::new(read)))
            }
            RegisterRule::ValExpression(place) => {
                place.get(&self.section).map_or(Saved::Unknown, |read| Saved::IsExpression(FrameExpression::new(read)))
            }
            _ => Saved::Unknown,
        }
    }
}
