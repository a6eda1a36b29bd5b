//! Measures millions of instructions a second with the counters of `trace` and `profile`, against the same run without
//! a sink and with a sink for each instruction, and the same of programs that run for ever, interpreted and compiled:
//! `cargo bench -p cyclescope-scope --bench attribution`.

#[path = "../../cortex-m/benches/programs/mod.rs"]
mod programs;

use cyclescope_chips::{Machine, Part, Settings, Tier};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Retire, Sink, State};
use cyclescope_scope::Attribution;
use divan::Bencher;
use divan::counter::ItemsCount;
use object::build::elf::{Builder, SectionData};
use object::{Endianness, elf};

/// Images that compute all the time: chip, image name, and length of the run in cycles.
const RUNS: &[(&str, &str, u64)] = &[
    ("primes-freertos-plain-s-stm32c031c6", "stm32c031c6", 20_000_000),
    ("primes-freertos-two-s-stm32f446ze", "stm32f446ze", 20_000_000),
    ("primes-c-plain-plain-3-stm32f446ze", "stm32f446ze", 20_000_000),
    ("switch-c-loop-plain-s-atmega328p", "atmega328p", 5_000_000),
];

/// A sink for the run.
#[derive(Clone, Copy, Debug)]
enum Who {
    Nobody,
    Blocks,
    Each,
}

/// Counts single instructions instead of blocks.
struct Each<'a, 'i>(&'a mut Attribution<'i>);

impl Sink for Each<'_, '_> {
    const OBSERVES: bool = true;
    fn retire(&mut self, retire: Retire) {
        self.0.retire(retire);
    }
    fn state(&mut self, state: State<'_>) {
        self.0.state(state);
    }
}

/// Runs for `cycles` with the sink that `who` names, and returns the number of instructions.
fn run(mut machine: Machine, image: &Image, cycles: u64, who: Who) -> u64 {
    let mut attribution = Attribution::new(image);
    attribution.open(machine.now());
    let until = machine.now() + Cycles::new(cycles);
    // Up to `until`, or to where the program ends.
    match who {
        Who::Nobody => machine.run(until),
        Who::Blocks => machine.run_into(until, &mut attribution),
        Who::Each => machine.run_into(until, &mut Each(&mut attribution)),
    };
    machine.instructions().get()
}

#[divan::bench(args = [Who::Nobody, Who::Blocks, Who::Each], consts = [0, 1, 2, 3], sample_count = 5, sample_size = 1)]
fn counters<const RUN: usize>(bencher: Bencher, who: &Who) {
    let (name, chip, cycles) = RUNS[RUN];
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    let image = Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF");
    let part = Part::find(chip).expect("a part of ours");
    let machine = Machine::load(part, Settings::default(), &image).expect("it starts");
    let instructions = run(machine.clone(), &image, cycles, Who::Nobody);
    bencher
        .counter(ItemsCount::new(instructions))
        .with_inputs(|| machine.clone())
        .bench_values(|machine| run(machine, &image, cycles, *who));
}

/// Programs that run for ever. The last one calls a function every ten instructions.
const KERNELS: [(&str, &[u16]); 3] =
    [("arithmetic", programs::ARITHMETIC), ("memory", programs::MEMORY), ("branches", programs::BRANCHES)];

/// Cycles that a sample of them runs.
const SAMPLE: Cycles = Cycles::new(100_000_000);

/// An image of `program` at the beginning of flash, as the function `kernel`.
fn image(program: &[u16]) -> Image {
    const FLASH: u64 = 0x0800_0000;
    const TEXT: u64 = 0x40;
    let vectors = [0x2000_1000_u32, FLASH as u32 + 9];
    let code = program.iter().flat_map(|halfword| halfword.to_le_bytes());
    let text: Vec<u8> = vectors.into_iter().flat_map(u32::to_le_bytes).chain(code).collect();
    let bytes = text.len() as u64;
    let mut builder = Builder::new(Endianness::Little, false);
    builder.header.e_type = elf::ET_EXEC;
    builder.header.e_machine = elf::EM_ARM;
    builder.header.e_entry = FLASH + 9;
    builder.header.e_phoff = 0x34;
    let section = builder.sections.add();
    section.name = ".text".into();
    section.sh_type = elf::SHT_PROGBITS;
    section.sh_flags = elf::SHF_ALLOC.with(elf::SHF_EXECINSTR);
    (section.sh_addr, section.sh_addralign, section.sh_size) = (FLASH, 4, bytes);
    section.data = SectionData::Data(text.into());
    let id = section.id();
    for (name, value, size, kind) in
        [("$t", FLASH + 8, 0, elf::STT_NOTYPE), ("kernel", FLASH + 9, bytes - 8, elf::STT_FUNC)]
    {
        let symbol = builder.symbols.add();
        symbol.name = name.into();
        symbol.section = Some(id);
        (symbol.st_value, symbol.st_size) = (value, size);
        symbol.set_st_info(elf::STB_GLOBAL, kind);
    }
    for (name, kind, data) in [
        (".symtab", elf::SHT_SYMTAB, SectionData::Symbol),
        (".strtab", elf::SHT_STRTAB, SectionData::String),
        (".shstrtab", elf::SHT_STRTAB, SectionData::SectionString),
    ] {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = kind;
        section.sh_addralign = 4;
        section.data = data;
    }
    builder.set_section_sizes();
    builder.sections.get_mut(id).sh_offset = TEXT + 0x20;
    let segment = builder.segments.add();
    segment.p_type = elf::PT_LOAD;
    segment.p_flags = elf::PF_R;
    (segment.p_offset, segment.p_align) = (TEXT + 0x20, 4);
    (segment.p_vaddr, segment.p_paddr) = (FLASH, FLASH);
    (segment.p_filesz, segment.p_memsz) = (bytes, bytes);
    segment.sections.push(id);
    let mut file = Vec::new();
    builder.write(&mut file).expect("the parts fit together");
    Image::parse(&file).expect("it is an ELF")
}

#[divan::bench(args = [Tier::Interpreter, Tier::Compiled], consts = [0, 1, 2], sample_count = 5, sample_size = 1)]
fn silent<const KERNEL: usize>(bencher: Bencher, tier: &Tier) {
    kernel(bencher, KERNELS[KERNEL].1, *tier, |machine, _| machine.run(machine.now() + SAMPLE));
}

#[divan::bench(args = [Tier::Interpreter, Tier::Compiled], consts = [0, 1, 2], sample_count = 5, sample_size = 1)]
fn counted<const KERNEL: usize>(bencher: Bencher, tier: &Tier) {
    kernel(bencher, KERNELS[KERNEL].1, *tier, |machine, attribution| {
        machine.run_into(machine.now() + SAMPLE, attribution)
    });
}

fn kernel(
    bencher: Bencher,
    program: &[u16],
    tier: Tier,
    run: impl Fn(&mut Machine, &mut Attribution<'_>) -> cyclescope_machine::Stop,
) {
    let image = image(program);
    let part = Part::find("stm32f446ze").expect("a part of ours");
    let settings = Settings { tier, skips_loops: false, ..Settings::default() };
    let mut machine = Machine::load(part, settings, &image).expect("it starts");
    let mut attribution = Attribution::new(&image);
    attribution.open(machine.now());
    // What is compiled is compiled here.
    run(&mut machine, &mut attribution);
    let before = machine.instructions().get();
    run(&mut machine, &mut attribution);
    let instructions = machine.instructions().get() - before;
    bencher.counter(ItemsCount::new(instructions)).bench_local(|| run(&mut machine, &mut attribution));
}

fn main() {
    println!("silent<N> and counted<N> run: {}", KERNELS.map(|(name, _)| name).join(", "));
    println!("counters<N> runs:");
    for (number, (name, chip, cycles)) in RUNS.iter().enumerate() {
        println!("  {number}: {name} on {chip}, {cycles} cycles");
    }
    divan::main();
}
