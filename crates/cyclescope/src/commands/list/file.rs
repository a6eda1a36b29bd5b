//! The catalogue and single parts for programs.

use cyclescope_attached::KINDS;
use cyclescope_chips::{Core, Coverage, Extent, Part, Region};
use serde_json::{Value, json};

use super::part::ports;
use crate::TOOL;
use crate::backend::Catalogue;
use crate::cli::list::ListKind;
use crate::error::CliError;

/// The version of the form below.
const SCHEMA: u32 = 1;

/// Returns `lists` of the catalogue, each under its name.
///
/// # Errors
/// [`CliError::Json`] where it cannot be written down.
pub(super) fn catalogue(lists: &[ListKind], catalogue: &Catalogue) -> Result<String, CliError> {
    let mut file = json!({"schema": SCHEMA, "tool": TOOL});
    for list in lists {
        match list {
            ListKind::Experiments => {
                let each = catalogue.experiments.iter().map(|entry| {
                    json!({
                        "name": entry.name,
                        "question": entry.question,
                        "modes": entry.modes,
                        "on_host": entry.host,
                    })
                });
                file["experiments"] = each.collect();
            }
            ListKind::Chips => {
                let each =
                    catalogue.chips.iter().map(|entry| json!({"name": entry.name, "description": entry.description}));
                file["chips"] = each.collect();
                if !catalogue.lines.is_empty() {
                    let each = catalogue.lines.iter().map(|line| json!({"name": line.name, "chips": line.parts}));
                    file["product_lines"] = each.collect();
                }
            }
            ListKind::Contenders => {
                let each = catalogue
                    .contenders
                    .iter()
                    .map(|entry| json!({"name": entry.name, "version": entry.version, "compiler": entry.compiler}));
                file["contenders"] = each.collect();
            }
            ListKind::Devices => {
                let option = |(option, meaning): &(&str, &str)| json!({"option": option, "meaning": meaning});
                let each = KINDS.iter().map(|kind| {
                    json!({
                        "name": kind.name,
                        "summary": kind.summary,
                        "options": kind.options.iter().map(option).collect::<Vec<_>>(),
                    })
                });
                file["devices"] = each.collect();
            }
            ListKind::Images => {
                let each = catalogue.images.iter().map(|entry| {
                    json!({
                        "name": entry.name,
                        "contender": entry.contender,
                        "mode": entry.mode,
                        "chip": entry.chip,
                        "opt": entry.opt,
                        "sha256": entry.sha256,
                    })
                });
                file["images"] = each.collect();
            }
        }
    }
    text(&file)
}

/// Returns everything that is known of `part`.
///
/// # Errors
/// As [`catalogue`].
pub(super) fn part(part: &Part) -> Result<String, CliError> {
    let memory =
        |name: &str, region: Region| json!({"name": name, "address": region.base.get(), "bytes": region.bytes.get()});
    let memories: Vec<Value> = match &part.core {
        Core::Riscv(own) => own.memories().map(|region| memory("memory", region)).collect(),
        Core::Xtensa(_) => {
            let others = part.other_rams.iter().map(|ram| memory("memory", ram.region));
            [memory("ram", part.ram)].into_iter().chain(others).collect()
        }
        _ => vec![memory("flash", part.flash), memory("ram", part.ram)],
    };
    let named = part.interrupts.iter().filter(|(_, name)| !name.is_empty());
    text(&json!({
        "schema": SCHEMA,
        "tool": TOOL,
        "name": part.name,
        "description": part.description,
        "base": part.base,
        "core": part.core.name(),
        "clock_hz": part.clock.get(),
        "board": part.board.name,
        "memories": memories,
        "pins": part.pins().map(|pin| pin.to_string()).collect::<Vec<_>>(),
        "serial_ports": ports(part),
        "interrupts": named.map(|(line, name)| json!({"line": line, "name": name})).collect::<Vec<_>>(),
        "blocks": part.coverage().iter().map(block).collect::<Vec<_>>(),
    }))
}

/// Returns a peripheral with its registers, if the model declares any.
fn block(one: &Coverage) -> Value {
    let of = |extent: Extent| {
        let registers = one.registers.iter().filter(|(_, own)| *own == extent);
        registers.map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let partly = |name: &str| {
        let missing = one.missing.iter().find(|missing| missing.register == name);
        json!({"register": name, "not_modelled": missing.map(|missing| missing.fields.as_slice()).unwrap_or_default()})
    };
    let registers = (!one.registers.is_empty()).then(|| {
        json!({
            "modelled": of(Extent::Modelled),
            "partly": of(Extent::Partly).into_iter().map(partly).collect::<Vec<_>>(),
            "declared": of(Extent::Declared),
        })
    });
    json!({
        "name": one.name,
        "block": one.block,
        "address": one.address,
        "extent": one.extent.name(),
        "bits_modelled": one.bits.0,
        "bits": one.bits.1,
        "registers": registers,
    })
}

fn text(file: &Value) -> Result<String, CliError> {
    serde_json::to_string_pretty(file).map(|text| text + "\n").map_err(CliError::Json)
}
