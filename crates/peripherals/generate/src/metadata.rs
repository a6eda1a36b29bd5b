//! The metadata of `stm32-metapac` as far as it is used, part by part.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::read;

/// One part.
#[derive(Clone, Debug)]
pub struct Metadata {
    pub name: String,
    pub family: String,
    pub line: String,
    /// Memories, once for each way in which flash can be split into banks.
    pub memory: Vec<Vec<MemoryRegion>>,
    pub priority_bits: u8,
    pub common: Rc<Common>,
}

/// The content that parts with the same pins and peripherals share.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Common {
    pub peripherals: Vec<Peripheral>,
    pub interrupts: Vec<Interrupt>,
    pub dma_channels: Vec<DmaChannel>,
    pub pins: Vec<Pin>,
    /// Registers by the names that the peripherals use.
    #[serde(skip)]
    pub registers: HashMap<String, Rc<Ir>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct MemoryRegion {
    pub name: String,
    pub kind: MemoryRegionKind,
    pub address: u32,
    pub size: u32,
    pub settings: Option<FlashSettings>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct FlashSettings {
    pub erase_size: u32,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum MemoryRegionKind {
    Flash,
    Ram,
    Eeprom,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Interrupt {
    pub name: String,
    pub number: u8,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Pin {
    pub name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DmaChannel {
    pub name: String,
    pub dma: String,
    pub channel: u8,
    pub dmamux: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Peripheral {
    pub name: String,
    pub address: u32,
    pub registers: Option<Registers>,
    pub rcc: Option<Rcc>,
    pub pins: Vec<PeripheralPin>,
    pub dma_channels: Vec<PeripheralDmaChannel>,
    pub triggers: Vec<Trigger>,
    pub interrupts: Vec<PeripheralInterrupt>,
    pub afio: Option<Afio>,
}

impl Peripheral {
    /// The kind of its registers; empty without registers.
    pub fn kind(&self) -> &str {
        self.registers.as_ref().map_or("", |registers| &registers.kind)
    }
}

/// The version of a block, and the module that declares its registers.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
pub struct Registers {
    pub kind: String,
    pub version: String,
    pub block: String,
    pub ir: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Rcc {
    pub bus_clock: String,
    pub enable: Option<RccRegister>,
    pub reset: Option<RccRegister>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RccRegister {
    pub register: String,
    pub field: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PeripheralPin {
    pub pin: String,
    pub signal: String,
    pub af: Option<u8>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PeripheralDmaChannel {
    pub signal: String,
    pub channel: Option<String>,
    pub request: Option<u8>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Trigger {
    pub signal: String,
    pub source: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PeripheralInterrupt {
    pub signal: String,
    pub interrupt: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Afio {
    pub register: String,
    pub field: String,
    pub values: Vec<AfioValue>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AfioValue {
    pub value: u8,
    pub pins: Vec<String>,
}

/// The registers of a version of a block.
#[derive(Clone, Debug, Deserialize)]
pub struct Ir {
    pub blocks: Vec<Block>,
    pub fieldsets: Vec<FieldSet>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Block {
    pub name: String,
    pub items: Vec<BlockItem>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct BlockItem {
    pub name: String,
    pub array: Option<Array>,
    pub byte_offset: u32,
    pub inner: BlockItemInner,
}

#[derive(Clone, Debug, Deserialize)]
pub enum BlockItemInner {
    Block(BlockItemBlock),
    Register(Register),
}

#[derive(Clone, Debug, Deserialize)]
pub struct BlockItemBlock {
    pub block: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Register {
    pub access: Access,
    pub bit_size: u32,
    pub fieldset: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Access {
    ReadWrite,
    Read,
    Write,
}

#[derive(Clone, Debug, Deserialize)]
pub struct FieldSet {
    pub name: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Field {
    pub name: String,
    pub bit_offset: BitOffset,
    pub bit_size: u32,
    pub array: Option<Array>,
}

#[derive(Clone, Debug, Deserialize)]
pub enum Array {
    Regular(RegularArray),
    Cursed(CursedArray),
}

#[derive(Clone, Debug, Deserialize)]
pub struct RegularArray {
    pub len: u32,
    pub stride: u32,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CursedArray {
    pub offsets: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize)]
pub enum BitOffset {
    Regular(RegularBitOffset),
    Cursed(CursedBitOffset),
}

#[derive(Clone, Debug, Deserialize)]
pub struct RegularBitOffset {
    pub offset: u32,
}

/// Lowest and highest bit of each run.
#[derive(Clone, Debug, Deserialize)]
pub struct CursedBitOffset {
    pub ranges: Vec<(u32, u32)>,
}

/// A part's own file.
#[derive(Deserialize)]
struct Own {
    name: String,
    family: String,
    line: String,
    memory: Vec<Vec<MemoryRegion>>,
    nvic_priority_bits: Option<u8>,
}

/// Reads parts, each file of the crate once.
pub struct Reader {
    chips: PathBuf,
    common: HashMap<String, Rc<Common>>,
    registers: HashMap<String, Rc<Ir>>,
}

impl Reader {
    /// A reader of the crate in the folder `source`.
    pub fn new(source: &Path) -> Self {
        Self { chips: source.join("src/chips"), common: HashMap::new(), registers: HashMap::new() }
    }

    /// The names of the parts that begin with one of `prefixes`, in order.
    pub fn names(&self, prefixes: &[&str]) -> Vec<String> {
        let folders = std::fs::read_dir(&self.chips).expect("the crate holds its parts");
        let mut names: Vec<String> = folders
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
            .collect();
        names.sort();
        names
    }

    /// The part `name`.
    pub fn part(&mut self, name: &str) -> Metadata {
        let path = self.chips.join(name).join("metadata.rs");
        let constants = read::constants(&path);
        let own: Own = typed(constants["METADATA"].clone(), &path);
        let priority_bits = own.nvic_priority_bits.expect("the metadata says how many priority bits");
        let file = read::included(&path);
        let common = self.common(file.rsplit('/').next().expect("a path has a last element"));
        Metadata { name: own.name, family: own.family, line: own.line, memory: own.memory, priority_bits, common }
    }

    fn common(&mut self, file: &str) -> Rc<Common> {
        if let Some(known) = self.common.get(file) {
            return Rc::clone(known);
        }
        let path = self.chips.join(file);
        let mut common: Common = typed(Value::Object(read::constants(&path)), &path);
        for (module, place) in read::modules(&path) {
            let registers = self.registers(&place);
            common.registers.insert(module, registers);
        }
        let common = Rc::new(common);
        self.common.insert(file.to_owned(), Rc::clone(&common));
        common
    }

    /// The registers in `place`, a path from the folder of the parts.
    fn registers(&mut self, place: &str) -> Rc<Ir> {
        let path = self.chips.join(place);
        let read = || {
            let mut constants: Map<String, Value> = read::constants(&path);
            Rc::new(typed(constants.remove("REGISTERS").expect("a file of registers has them"), &path))
        };
        Rc::clone(self.registers.entry(place.to_owned()).or_insert_with(read))
    }
}

fn typed<T: for<'de> Deserialize<'de>>(value: Value, path: &Path) -> T {
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
