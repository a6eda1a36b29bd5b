//! docs/peripherals.md: what of each peripheral is modelled, from the declarations of its registers.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use cyclescope_chips::{Core, Coverage, Extent, Part};

/// The page.
const PAGE: &str = "docs/peripherals.md";

const HEAD: &str = "\
# Peripherals: what is modelled

Made by `cargo xtask docs` from the declarations in `crates/peripherals` and `crates/chips`; do not edit. A row is a version of a
block, a column a product line of chips. `cyclescope list chips NAME` shows one chip.

- **modelled**: every field of every register does what the manual says, as far as [timing](timing.md#known-gaps) and the block\'s own
  page of `cargo doc` say nothing else.
- **partly**: as many of the declared bits, in the most complete instance. Below the tables stand the fields that are not: they keep
  what is written, and a run in which a program sets one, or reads one that hardware would change, says so as a model gap.
- **declared**: all fields are so.
";

/// Of one block in one family.
#[derive(Default)]
struct Block {
    extents: Vec<Extent>,
    bits: (u32, u32),
    /// The fields that any instance lacks, by register, in the order of registers.
    missing: Vec<(&'static str, Vec<&'static str>)>,
}

impl Block {
    fn add(&mut self, one: &Coverage) {
        self.extents.push(one.extent);
        if one.bits.1 > self.bits.1 {
            self.bits = one.bits;
        }
        for missing in &one.missing {
            match self.missing.iter_mut().find(|(register, _)| *register == missing.register) {
                Some((_, fields)) if !fields.is_empty() && !missing.fields.is_empty() => {
                    fields.extend(missing.fields.iter().filter(|field| !fields.contains(field)).collect::<Vec<_>>());
                }
                Some((_, fields)) => fields.clear(),
                None => self.missing.push((missing.register, missing.fields.clone())),
            }
        }
    }

    fn extent(&self) -> Extent {
        let all = |extent: Extent| self.extents.iter().all(|one| *one == extent);
        [Extent::Modelled, Extent::Declared].into_iter().find(|extent| all(*extent)).unwrap_or(Extent::Partly)
    }

    fn cell(&self) -> String {
        match (self.extent(), self.bits) {
            (Extent::Partly, (some, whole)) if whole > 0 => format!("partly, {some} of {whole}"),
            (extent, _) => extent.name().to_owned(),
        }
    }

    /// The fields without a model, where others have one.
    fn lacks(&self) -> Option<String> {
        let one = |(register, fields): &(&str, Vec<&str>)| match fields.as_slice() {
            [] => (*register).to_owned(),
            fields => format!("{register} ({})", fields.join(", ")),
        };
        (self.extent() == Extent::Partly).then(|| self.missing.iter().map(one).collect::<Vec<_>>().join("; "))
    }
}

/// Writes the page, or with `check` fails where it is not what the code makes it.
pub(super) fn refresh(root: &Path, check: bool) -> anyhow::Result<()> {
    let old = std::fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    let new = page();
    if old == new {
        println!("{PAGE} is up to date");
    } else if check {
        bail!("{PAGE} is stale: run `cargo xtask docs` and read the difference");
    } else {
        std::fs::write(root.join(PAGE), new).with_context(|| format!("{PAGE} cannot be written"))?;
        println!("{PAGE} written");
    }
    Ok(())
}

/// A table: its title, and the parts of each column by the column's name.
type Section = (String, Vec<(String, Vec<&'static Part>)>);

/// STM32 by family and product line, then the other parts by core.
fn sections() -> Vec<Section> {
    const FAMILY: usize = "STM32F4".len();
    let mut sections: Vec<Section> = Vec::new();
    let mut add = |title: &str, column: &str, parts: &[&'static Part]| {
        if !sections.iter().any(|(known, _)| known == title) {
            sections.push((title.to_owned(), Vec::new()));
        }
        let (_, columns) = sections.iter_mut().find(|(known, _)| known == title).expect("it was added");
        match columns.iter_mut().find(|(known, _)| known == column) {
            Some((_, known)) => known.extend(parts),
            None => columns.push((column.to_owned(), parts.to_vec())),
        }
    };
    for line in Part::product_lines() {
        let parts: Vec<&'static Part> = line.parts.iter().filter_map(|name| Part::find(name).ok()).collect();
        add(&line.name[..FAMILY], line.name.trim_start_matches("STM32"), &parts);
    }
    for part in Part::all().iter().filter(|part| !part.name.starts_with("stm32")) {
        let title = match &part.core {
            Core::CortexM(_) => "Other Cortex-M",
            Core::Avr(_) => "AVR",
            Core::Riscv(_) => "RISC-V",
            Core::Xtensa(_) => "Xtensa",
        };
        if !part.coverage().is_empty() {
            add(title, part.line(), &[part]);
        }
    }
    sections
}

fn page() -> String {
    let mut text = HEAD.to_owned();
    let mut lacks: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (title, columns) in sections() {
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut blocks: BTreeMap<String, BTreeMap<&str, Block>> = BTreeMap::new();
        for (name, parts) in &columns {
            for one in parts.iter().flat_map(|part| part.coverage()) {
                blocks.entry(one.block.clone()).or_default().entry(name).or_default().add(&one);
            }
        }
        text += &format!("\n## {title}\n\n| block | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
        for (block, by_line) in &blocks {
            let cells: Vec<String> =
                names.iter().map(|name| by_line.get(name).map(Block::cell).unwrap_or_default()).collect();
            text += &format!("| {block} | {} |\n", cells.join(" | "));
            let of = |name: &str| if title.starts_with("STM32") { format!("STM32{name}") } else { name.to_owned() };
            let said = names.iter().filter_map(|name| Some((of(name), by_line.get(name)?.lacks()?)));
            lacks.entry(block.clone()).or_default().extend(said);
        }
    }
    text += "\n## Fields without a model\n\nOf blocks that are partly modelled: registers of which no field is, and fields in parentheses.\n\n";
    for (name, all) in lacks {
        let mut said: Vec<(String, Vec<String>)> = Vec::new();
        for (line, lacks) in all {
            match said.iter_mut().find(|(known, _)| *known == lacks) {
                Some((_, lines)) => lines.push(line),
                None => said.push((lacks, vec![line])),
            }
        }
        for (lacks, lines) in said {
            text += &format!("- **{name}** ({}): {lacks}\n", lines.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_declarations_make_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(refresh(&root, true).is_ok(), "stale: run `cargo xtask docs` and read the difference");
        let stale = tempfile::tempdir().unwrap();
        assert!(refresh(stale.path(), true).is_err(), "no page is stale");
    }

    #[test]
    fn a_block_is_all_of_its_instances() {
        let one = |extent, bits, missing: Vec<(&'static str, Vec<&'static str>)>| {
            let missing = missing.into_iter().map(|(register, fields)| cyclescope_chips::Missing { register, fields });
            let (missing, registers) = (missing.collect(), Vec::new());
            Coverage { name: "T", block: "t v1".to_owned(), address: 0, extent, bits, missing, registers }
        };
        let mut block = Block::default();
        block.add(&one(Extent::Partly, (3, 4), vec![("A", vec!["X"])]));
        block.add(&one(Extent::Partly, (5, 9), vec![("A", vec!["X", "Y"]), ("B", Vec::new())]));
        assert_eq!(block.cell(), "partly, 5 of 9");
        assert_eq!(block.lacks().as_deref(), Some("A (X, Y); B"));
        let mut declared = Block::default();
        declared.add(&one(Extent::Declared, (0, 4), vec![("A", Vec::new())]));
        assert_eq!((declared.cell(), declared.lacks()), ("declared".to_owned(), None));
        declared.add(&one(Extent::Modelled, (4, 4), Vec::new()));
        assert_eq!(declared.extent(), Extent::Partly, "one instance is, another is not");
    }
}
