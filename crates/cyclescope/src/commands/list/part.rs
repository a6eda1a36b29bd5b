//! One part: `cyclescope list chips NAME`.

use cyclescope_chips::{Core, CortexMModel, Coverage, Part, Region};
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::Hertz;
use cyclescope_report::{Cell, Column, Table, Tone};

use crate::backend::MemorySetting;

/// Everything that is known of `part`.
pub(super) fn tables(part: &Part) -> Vec<Table> {
    let mut tables = vec![facts(part)];
    let coverage = part.coverage();
    if !coverage.is_empty() {
        tables.push(peripherals(&coverage));
    }
    tables.push(wires(part));
    tables
}

fn facts(part: &Part) -> Table {
    let mut table = Table::new(format!("{}: {}", part.name, part.description), ["", ""].map(Column::text));
    let mut row = |name: &str, value: String| {
        table.row([Cell::toned(name, Tone::Strong), Cell::from(value)]);
    };
    row("core", core(part));
    row("maximum clock", part.clock.to_string());
    if let Some(soc) = part.soc() {
        let (fast, slow) = soc.oscillators;
        if fast != Hertz::new(0) {
            row("oscillators", format!("{fast} and {slow} inside"));
        }
        row("family", soc.family.name.to_owned());
    }
    let board = &part.board;
    let crystals = [("", board.hse), ("slow ", board.lse)];
    let crystals: Vec<String> =
        crystals.iter().filter_map(|(what, hz)| hz.map(|hz| format!("{what}crystal or clock of {hz}"))).collect();
    row("board", [vec![board.name.to_string()], crystals].concat().join(", "));
    match &part.core {
        Core::Riscv(own) => row("memories", own.memories().map(region).collect::<Vec<_>>().join("; ")),
        _ => {
            if part.flash.bytes.get() > 0 {
                row("flash", region(part.flash));
            }
            let others = part.other_rams.iter().map(|ram| match ram.of_main {
                Some(_) => format!("the same RAM again at {}", ram.region.base),
                None => region(ram.region),
            });
            row("RAM", [region(part.ram)].into_iter().chain(others).collect::<Vec<_>>().join("; "));
        }
    }
    let rows: Vec<&str> = part.flash_rows().map(|row| row.name).collect();
    let settings = [MemorySetting::Shipped, MemorySetting::Equal, MemorySetting::Ideal].map(MemorySetting::name);
    let settings = match rows.is_empty() {
        true => "flash without wait states: all settings are the same".to_owned(),
        false => format!("{}; timed by {}", settings.join(", "), some_of(&rows)),
    };
    row("--memory", settings);
    if let Some(base) = &part.base {
        row("described as", format!("a variant of {base}"));
    }
    table
}

/// At most four of the rows, and where the others are.
fn some_of(rows: &[&str]) -> String {
    match rows.get(..MOST) {
        Some(first) if rows.len() > MOST => {
            format!("{} and {} more (docs/timing.md)", first.join(", "), rows.len() - MOST)
        }
        _ => rows.join(", "),
    }
}

fn core(part: &Part) -> String {
    let name = part.core.name();
    let name = name.split_once(' ').map_or(name, |(_, name)| name);
    match &part.core {
        Core::CortexM(core) => {
            let float = if core.model == CortexMModel::M4F { " with FPU" } else { "" };
            let regions = match core.mpu_regions {
                0 => "no MPU".to_owned(),
                count => format!("an MPU of {count} regions"),
            };
            format!("{name}{float}, {} bits of interrupt priority, {regions}", core.priority_bits)
        }
        Core::Avr(_) => format!("{name} (AVRe+)"),
        Core::Riscv(own) => format!("{name} at {}", own.clock),
        Core::Xtensa(_) => format!("{name} at {}", part.clock),
    }
}

fn region(region: Region) -> String {
    let bytes = region.bytes.get();
    let size = if bytes.is_multiple_of(1024) { format!("{} KiB", bytes / 1024) } else { format!("{bytes} bytes") };
    format!("{size} at {}", region.base)
}

fn peripherals(all: &[Coverage]) -> Table {
    let columns = [
        Column::text("name"),
        Column::text("block"),
        Column::text("address").rank(2),
        Column::text("extent"),
        Column::number("bits modelled").rank(1),
        Column::text("without a model"),
    ];
    let mut table = Table::new("Peripherals", columns);
    for one in all {
        let tone = if one.missing.is_empty() { Tone::Good } else { Tone::Plain };
        let bits = match one.bits.1 {
            0 => String::new(),
            whole => format!("{} of {}", integer(one.bits.0.into()), integer(whole.into())),
        };
        table.row([
            Cell::toned(one.name, Tone::Strong),
            Cell::from(one.block.as_str()),
            Cell::from(format!("0x{:x}", one.address)),
            Cell::toned(one.extent.name(), tone),
            Cell::from(bits),
            Cell::from(missing(one)),
        ]);
    }
    table.note(
        "Modelled: every field of every register. Partly: the fields named are stored, and a program that sets one is told of \
         a model gap. Declared: all of it is so. docs/peripherals.md has all parts beside each other.",
    );
    table
}

/// The most rows or registers that are named in a cell.
const MOST: usize = 4;

fn missing(one: &Coverage) -> String {
    let all = one.missing.iter().filter(|_| one.bits.0 > 0).map(|missing| match missing.fields.as_slice() {
        [field] => format!("{}.{field}", missing.register),
        _ => missing.register.to_owned(),
    });
    let mut names: Vec<String> = all.collect();
    if names.len() > MOST {
        let more = names.len() - MOST + 1;
        names.truncate(MOST - 1);
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

fn wires(part: &Part) -> Table {
    let mut table = Table::new("Pins and interrupts", ["", ""].map(Column::text));
    let mut row = |name: &str, values: Vec<String>| {
        let text = if values.is_empty() { "none".to_owned() } else { values.join(" ") };
        table.row([Cell::toned(name, Tone::Strong), Cell::from(text)]);
    };
    row("pins", part.pins().map(|pin| pin.to_string()).collect());
    row("serial ports", ports(part));
    let named = part.interrupts.iter().filter(|(_, name)| !name.is_empty());
    row("interrupts", named.map(|(line, name)| format!("{line}:{name}")).collect());
    table
}

/// The names of the part's serial ports.
pub(super) fn ports(part: &Part) -> Vec<String> {
    let is_port = |block: &str| ["usart", "uart", "16550", "simulator control"].iter().any(|kind| block.contains(kind));
    let of =
        part.coverage().into_iter().filter(|one| is_port(&one.block) && one.bits.0 + u32::from(one.bits.1 == 0) > 0);
    of.map(|one| one.name.to_ascii_lowercase()).collect()
}
