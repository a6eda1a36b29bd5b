//! STM32 out of the packed metadata, with the facts of their families and the boards that people have.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use cyclescope_machine::units::{Address, Bytes, Hertz};

use super::boards;
use crate::catalogue::{self, Entry};
use crate::families::SERIES;
use crate::family::{Family, Line, Series};
use crate::part::{Board, Core, CortexM, CortexMModel, OtherRam, Part, Region, Soc};
use crate::table::TableRam;

/// The parts that somebody asked for. They stay for the rest of the program.
static BUILT: Mutex<BTreeMap<&'static str, &'static Part>> = Mutex::new(BTreeMap::new());

/// The part `name`, if it is one of these.
pub(super) fn part(name: &str) -> Option<&'static Part> {
    let entry = catalogue::entry(name)?;
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    Some(built.entry(entry.name).or_insert_with(|| Box::leak(Box::new(build(entry)))))
}

fn build(entry: Entry) -> Part {
    let series = SERIES.iter().find(|series| series.file == entry.file).expect("each file has its series");
    let line = series.line(entry.name).expect("each part has a line");
    let table = catalogue::table(entry);
    let (flash, flash_bytes, sectors) = table.flash();
    let (ram, ram_bytes) = table.ram();
    let region = |base: u32, bytes: u32| Region { base: Address::new(base), bytes: Bytes::new(u64::from(bytes)) };
    let other = |TableRam { address, bytes, of_main }: TableRam| OtherRam { region: region(address, bytes), of_main };
    Part {
        name: Cow::Borrowed(entry.name),
        description: Cow::Owned(description(entry.name, line, flash_bytes, ram_bytes)),
        core: Core::CortexM(CortexM {
            model: line.core,
            priority_bits: table.priority_bits,
            mpu_regions: line.mpu_regions,
            bit_band: true,
            // "SysTick" of each reference manual: the RCC feeds its external clock with HCLK / 8.
            systick_reference_divider: Some(8),
            systick_calibration: series.systick_calibration,
            soc: Soc {
                family: line.family,
                sectors: Cow::Owned(sectors),
                device_id: line.device_id,
                factory: Cow::Owned(factory(series, line.family, flash_bytes)),
                full_usarts: line.full_usarts,
                oscillators: series.oscillators,
                peripherals: table.peripherals,
                left_out: Cow::Borrowed(&[]),
                routes: table.routes,
                boot: None,
            },
        }),
        clock: line.clock,
        flash: region(flash, flash_bytes),
        ram: region(ram, ram_bytes),
        other_rams: table.other_rams().into_iter().chain(line.aliases.iter().copied()).map(other).collect(),
        interrupts: table.interrupts,
        bonded: table.pins,
        board: boards::of(entry.name).unwrap_or_else(|| unknown_board(series)),
        base: None,
    }
}

/// A board of which nothing is known.
fn unknown_board(series: &Series) -> Board {
    Board {
        name: Cow::Borrowed("any"),
        hse: Some(series.crystal),
        lse: Some(Hertz::new(32_768)),
        levels: Cow::Borrowed(&[]),
    }
}

fn description(name: &str, line: &Line, flash: u32, ram: u32) -> String {
    let core = match line.core {
        CortexMModel::M0Plus => "Cortex-M0+",
        CortexMModel::M3 => "Cortex-M3",
        CortexMModel::M4 => "Cortex-M4",
        CortexMModel::M4F => "Cortex-M4 with FPU",
    };
    let megahertz = line.clock.get() / 1_000_000;
    let (name, flash, ram) = (name.to_uppercase(), flash / 1024, ram / 1024);
    format!("ST {name} ({core}): {flash} KiB flash, {ram} KiB RAM, {megahertz} MHz")
}

/// The words that the factory fixed: those of the series, the size of flash, the unique id.
fn factory(series: &Series, family: &Family, flash_bytes: u32) -> Vec<(u32, u32)> {
    let mut words = series.factory.to_vec();
    if let Some((size, id)) = family.identity {
        let shift = (size & 2) * 8;
        words.push((size & !3, ((flash_bytes / 1024) << shift) | 0xFFFF << (16 - shift)));
        words.extend((id..).step_by(4).zip(series.unique_id));
    }
    words
}
