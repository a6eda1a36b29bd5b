//! An Xtensa core with its bus.

use std::ops::Range;

use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{FaultReport, RegisterWindows, TimingRow};
use cyclescope_xtensa::{Cause, Config, Cpu, INTERRUPT, LX6, LX106, WINDOW_EXCEPTIONS, timing};

use super::joined::Joined;
use super::{LoadError, Settings};
use crate::devices::{Devices, Matrix};
use crate::family::Absent;
use crate::part::{OtherRam, Part, Xtensa, XtensaModel};

/// VECBASE after a reset: the vendor's boot ROM.
const ROM: u32 = 0x4000_0000;

/// The addresses that only words reach: ROM and RAM on the ESP8266's instruction bus.
const WORDS_8266: [Range<u32>; 2] = [0x4000_0000..0x4010_0000, 0x4010_0000..0x4020_0000];
/// The same of the ESP32 (Technical Reference Manual, "System and Memory", "Embedded Memory").
const WORDS_32: [Range<u32>; 2] = [0x4000_0000..0x4007_0000, 0x4007_0000..0x400C_2000];

/// Core and bus of a part.
pub(super) type XtensaMachine = Joined<Cpu, Matrix>;

impl XtensaMachine {
    /// See [`Machine::new`](super::Machine::new). Execution begins at `entry`, as behind the vendor's boot ROM, or where the RAM for
    /// programs begins.
    pub(super) fn load<'s>(
        part: &Part,
        own: &Xtensa,
        settings: Settings,
        entry: Option<Address>,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        let mut memory = part.memory();
        for (address, bytes) in segments {
            if !memory.load(address, bytes) {
                return Err(refused(part, own, address, bytes));
            }
        }
        let entry = entry.unwrap_or(own.code.base);
        if memory.region(entry.get()).is_none() {
            return Err(match own.soc.family.absent_at(entry.get()) {
                Some(absent) => absent_image(part, absent, entry),
                None => LoadError::NothingAtReset(entry),
            });
        }
        let devices = Devices::new(part, &own.soc, settings.memory);
        let mut machine = Self::new(config(own, entry, settings), memory, devices, settings, 1, Devices::start);
        machine.core.cpu_mut().halt_on_fault = settings.halt_on_fault;
        machine.core.reset(&mut machine.bus);
        Ok(machine)
    }

    /// A reset.
    pub(super) fn reset(&mut self, cause: &'static str) {
        self.reset_into(|devices, context| devices.reset(cause, context));
    }

    /// Exceptions by cause, those of windows, then interrupts by number, as signals number them.
    pub(super) fn exceptions(&self, part: &Part) -> Vec<(u16, &'static str)> {
        let causes = CAUSES.iter().map(|cause| (*cause as u16, cause.words()));
        let windowed = self.core.cpu().config.configuration.options.windows;
        let windows = WINDOW_EXCEPTIONS.zip(WINDOWS).filter(|_| windowed);
        let interrupts = part.interrupts.iter().map(|(line, name)| (INTERRUPT | u16::from(*line), *name));
        causes.chain(windows).chain(interrupts).collect()
    }

    /// The register windows, of a core that has the option.
    pub(super) fn windows(&self) -> Option<RegisterWindows> {
        let cpu = self.core.cpu();
        let configuration = cpu.config.configuration;
        let of_windows = cpu.active_exceptions().last().is_some_and(|number| WINDOW_EXCEPTIONS.contains(number));
        configuration.options.windows.then(|| RegisterWindows {
            file: cpu.physical()[..configuration.registers as usize].to_vec(),
            base: cpu.window_base,
            started: cpu.window_start.into(),
            increment: cpu.ps.increment,
            before: of_windows.then_some((cpu.ps.old_base, cpu.epc[1])),
        })
    }

    /// The rows of core and bus that the run has used so far.
    pub(super) fn timing_used(&self, part: &Part) -> Vec<&'static TimingRow> {
        let mut rows = self.used_of(self.core.cpu().config.timing.rows);
        rows.extend(part.bus_rows());
        rows
    }

    pub(super) fn main_stack_used(&self, _: &Part) -> Bytes {
        Bytes::new(u64::from(self.core.cpu().main_stack.used()))
    }

    /// The vector of the exception or interrupt `number`, as signals number them: VECBASE says where all are.
    pub(super) fn handler(&self, number: u16) -> Option<u32> {
        let cpu = self.core.cpu();
        let vectors = &cpu.config.configuration.vectors;
        let level = match number & INTERRUPT {
            0 => 1,
            _ => cpu.config.configuration.interrupts.get(usize::from(number & !INTERRUPT))?.level,
        };
        let offset = match level {
            // Exceptions and interrupts of level 1 have the vector of PS.UM.
            1 if cpu.ps.user => vectors.user,
            1 => vectors.kernel,
            level => *vectors.levels.get(usize::from(level).checked_sub(2)?)?,
        };
        Some(cpu.vector_base.wrapping_add(offset))
    }

    /// Describes `fault` by EXCCAUSE, with what the part has and the model lacks where the access went.
    pub(super) fn fault_status(&self, fault: FaultReport, own: &Xtensa) -> Option<String> {
        let cause = CAUSES.iter().find(|cause| cause.words() == fault.cause)?;
        let address = fault.address.map(|address| format!(", EXCVADDR {address}")).unwrap_or_default();
        let place = fault.address.unwrap_or(fault.pc).get();
        let absent = own.soc.family.absent_at(place).or_else(|| own.soc.family.absent_at(fault.pc.get()));
        let absent = absent.map(|absent| format!(": {} is not modelled", absent.name)).unwrap_or_default();
        Some(format!("EXCCAUSE {}{address}{absent}", *cause as u8))
    }
}

/// The window exceptions, by number.
const WINDOWS: [&str; 6] = [
    "window overflow 4",
    "window underflow 4",
    "window overflow 8",
    "window underflow 8",
    "window overflow 12",
    "window underflow 12",
];

/// The causes of exceptions, by number.
const CAUSES: &[Cause] = &[
    Cause::Illegal,
    Cause::Syscall,
    Cause::FetchError,
    Cause::LoadStoreError,
    Cause::Level1,
    Cause::Alloca,
    Cause::DivideByZero,
    Cause::Alignment,
    Cause::FetchAddress,
    Cause::LoadStoreAddress,
    Cause::FetchProhibited,
    Cause::LoadProhibited,
    Cause::StoreProhibited,
    Cause::Coprocessor0,
];

fn config(own: &Xtensa, entry: Address, settings: Settings) -> Config {
    let (configuration, timing, processor, word_only): (_, _, _, &'static [Range<u32>]) = match own.model {
        XtensaModel::Lx106 => (&LX106, &timing::LX106, 0, &WORDS_8266),
        // PRID of the first core (Technical Reference Manual, "DPORT").
        XtensaModel::Lx6 => (&LX6, &timing::LX6, 0xCDCD, &WORDS_32),
    };
    Config {
        configuration,
        timing,
        reset: entry.get(),
        vector_base: ROM,
        processor,
        word_only,
        semihosting: settings.semihosting,
    }
}

/// The reason why the segment `bytes` at `address` has no place.
fn refused(part: &Part, own: &Xtensa, address: Address, bytes: &[u8]) -> LoadError {
    if let Some(absent) = own.soc.family.absent_at(address.get()) {
        return absent_image(part, absent, address);
    }
    let region = |ram: &OtherRam| ram.region;
    let memories = [part.ram].into_iter().chain(part.other_rams.iter().map(region));
    let memories: Vec<String> = memories.map(|memory| format!("{} ({})", memory.base, memory.bytes)).collect();
    LoadError::NoMemory {
        address,
        length: Bytes::new(bytes.len() as u64),
        part: part.name.to_string(),
        memories: memories.join(", "),
    }
}

fn absent_image(part: &Part, absent: &Absent, address: Address) -> LoadError {
    LoadError::NotModelled { address, part: part.name.to_string(), place: absent.name }
}
