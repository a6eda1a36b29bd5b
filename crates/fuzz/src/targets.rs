//! The targets: one function of bytes for each format.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::LazyLock;

use cyclescope::Simulator;
use cyclescope::backend::{Backend as _, BoardLog};
use cyclescope::cli::measure::Measurement;
use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_history::{History, Reference, import};
use cyclescope_image::{Image, size};
use cyclescope_kit::Log;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_records::{RecordFile, Statistic, compare};
use cyclescope_report::page::Core;
use cyclescope_scope::{Event, Limits, Plan, Rule, Session, SpanText, TaskScope, TasksError, Time, defmt};
use cyclescope_sweep::{self as sweep, Axes, Sweep};
use cyclescope_telemetry::{BLOCKING, Events, view};
use cyclescope_web::{Request, Watcher};

use crate::{corpus, recordings};

/// A reader of a format that strangers hand in.
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// The number of inputs in a short run: some seconds of an unoptimised build.
    pub inputs: u64,
    /// Words that mutations insert.
    pub words: &'static [&'static str],
    /// The seeds.
    pub corpus: fn() -> Vec<Vec<u8>>,
    /// Reads one input.
    pub run: fn(&[u8]),
}

/// All targets. The slowest come first.
pub const TARGETS: &[Target] = &[
    Target { name: "dwarf", inputs: 200, words: &[], corpus: corpus::dwarf, run: dwarf },
    Target { name: "tasks", inputs: 60, words: &[], corpus: corpus::tasks, run: tasks },
    Target { name: "records", inputs: 20_000, words: corpus::JSON, corpus: corpus::records, run: records },
    Target { name: "history", inputs: 300, words: corpus::SQL, corpus: corpus::histories, run: history },
    Target { name: "results", inputs: 1_000, words: corpus::JSON, corpus: corpus::results, run: results },
    Target { name: "defmt", inputs: 400, words: corpus::JSON, corpus: corpus::defmt_images, run: defmt_image },
    Target { name: "elf", inputs: 5_000, words: &[], corpus: corpus::elf, run: elf },
    Target { name: "gdb", inputs: 3_000, words: corpus::PACKETS, corpus: corpus::packets, run: debugger },
    Target { name: "chips", inputs: 10_000, words: corpus::KEYS, corpus: corpus::chips, run: chips },
    Target { name: "maps", inputs: 20_000, words: corpus::JSON, corpus: corpus::maps, run: maps },
    Target { name: "logs", inputs: 600, words: corpus::LOGS, corpus: corpus::logs, run: logs },
    Target { name: "measure", inputs: 20_000, words: corpus::KEYS, corpus: corpus::measurements, run: measurement },
    Target { name: "plans", inputs: 10_000, words: corpus::KEYS, corpus: corpus::plans, run: plan },
    Target { name: "stimuli", inputs: 600, words: corpus::STIMULI, corpus: corpus::stimuli, run: stimuli },
    Target { name: "watchers", inputs: 10_000, words: corpus::WATCHERS, corpus: corpus::watchers, run: watchers },
    Target { name: "recordings", inputs: 5_000, words: &[], corpus: recordings::seeds, run: recording },
    Target { name: "telemetry", inputs: 5_000, words: corpus::TELEMETRY, corpus: corpus::telemetry, run: telemetry },
    Target { name: "frames", inputs: 3_000, words: &[], corpus: corpus::frames, run: frames },
    Target { name: "requests", inputs: 1_500, words: corpus::REQUESTS, corpus: corpus::requests, run: request },
    Target { name: "cores", inputs: 3_000, words: corpus::CORES, corpus: corpus::cores, run: core },
    Target { name: "events", inputs: 3_000, words: corpus::STIMULI, corpus: corpus::events, run: events },
];

/// Addresses in flash and RAM of the seeds, and around the ends of all memory.
fn addresses() -> impl Iterator<Item = Address> {
    let near = |start: u32| (0..32).map(move |word| start.wrapping_add(2 * word));
    [0, 0x0800_0000, 0x2000_0000, u32::MAX - 31].into_iter().flat_map(near).map(Address::new)
}

/// An ELF: segments, symbols, sizes.
fn elf(bytes: &[u8]) {
    let Ok(image) = Image::parse(bytes) else { return };
    addresses().for_each(|address| {
        image.function_at(address);
        image.loaded_word(address);
    });
    let _ = image.symbol("scope::strat");
    let _ = image.symbol("*o*");
    let (owners, symbols) = (size::by_owner(&image), size::by_symbol(&image));
    size::difference(&owners, &symbols);
    size::by_section(&image);
    size::strings(&image);
    let _ = (image.file_sha256(), image.loaded_sha256(), image.device(), image.compilers(), image.warnings());
}

/// Debug information: lines and inlined functions.
fn dwarf(bytes: &[u8]) {
    let Ok(image) = Image::parse(bytes) else { return };
    addresses().for_each(|address| {
        image.source_line(address);
        image.frames(address);
    });
    image.inlined_into("*a*");
    if let Ok(types) = image.types() {
        for (id, _) in types.structures() {
            let _ = (types.path(id), types.size(id), types.member(id, "__awaitee"));
        }
        types.statics().iter().for_each(|variable| drop(types.static_path(variable)));
    }
    image.warnings();
}

/// A program with tasks, and the X-ray of its beginning.
fn tasks(bytes: &[u8]) {
    const LENGTH: Cycles = Cycles::new(20_000);
    let Ok(image) = Image::parse(bytes) else { return };
    let types = image.types();
    let part = Part::find("stm32c031c6").expect("a part of ours");
    let Ok(mut machine) = Machine::load(part, Settings::default(), &image) else { return };
    let mut session = Session::new(&mut machine, &image);
    let Ok(mut scope) = TaskScope::new(&image, types.as_ref().ok(), None, &mut session) else { return };
    scope.keep(100);
    session.run_observed(Limits::until(LENGTH, LENGTH), &mut scope, |_| false);
    drop(session);
    if let Err(error @ TasksError::Sum { .. }) = scope.finish(&machine) {
        panic!("{error}");
    }
}

/// defmt's strings in an ELF, and a frame for each of the first ones.
fn defmt_image(bytes: &[u8]) {
    let Ok(strings) = defmt::Strings::read(bytes) else { return };
    for index in 0..16 {
        for rest in [&[0; 12][..], &[1; 12], &[0xFF; 12]] {
            let _ = strings.decoder().decode(&[&[index, 0], rest].concat());
        }
    }
}

/// defmt's frames: of an image with every kind of argument, raw and in rzCOBS.
fn frames(bytes: &[u8]) {
    static STRINGS: LazyLock<[defmt::Strings; 2]> = LazyLock::new(|| {
        ["raw", "rzcobs"].map(|encoding| defmt::Strings::read(&corpus::defmt_image(encoding)).expect("an image"))
    });
    for strings in &*STRINGS {
        let mut decoder = strings.decoder();
        let _ = bytes.chunks(64).try_for_each(|piece| decoder.decode(piece).map(|_| ()));
    }
}

/// Records, as `compare` and `report` read them.
fn records(bytes: &[u8]) {
    let Ok(file) = RecordFile::from_json(&String::from_utf8_lossy(bytes)) else { return };
    let _ = (file.to_json(), cyclescope_report::csv(&file));
    cyclescope_report::boards(&file.records);
    let old = RecordFile::from_json(&String::from_utf8_lossy(&corpus::records()[0])).expect("a seed");
    for (old, new) in [(&old.records, &file.records), (&file.records, &file.records)] {
        let comparison = compare(old, new);
        comparison.chances();
        for change in comparison.pairs.iter().flat_map(|pair| pair.estimates()) {
            let _ = (change.difference(), change.ratio(), change.is_change());
        }
    }
}

/// The output of strace, bpftrace, callgrind and perf.
fn watchers(bytes: &[u8]) {
    let calls = cyclescope_explain::strace::parse(bytes);
    let _ = (calls.total(), calls.time());
    if let Ok(schedule) = cyclescope_explain::scheduler::parse(bytes) {
        let _ = schedule.shares.total();
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let _ = cyclescope_explain::instructions::parse_perf(&text);
    let _ = cyclescope_explain::instructions::parse_callgrind(&[text]);
}

/// perf's recording of waits.
fn recording(bytes: &[u8]) {
    if let Ok(waits) = cyclescope_explain::waits::parse(std::io::Cursor::new(bytes)) {
        let _ = waits.of(cyclescope_explain::waits::State::Blocked);
    }
}

/// Traces of a runtime on the host, alone and behind a whole one: each nanosecond has one owner.
fn telemetry(bytes: &[u8]) {
    for files in [&[bytes.to_vec()][..], &[corpus::telemetry().remove(0), bytes.to_vec()]] {
        let mut events = Events::default();
        if files.iter().try_for_each(|file| events.read(file)).is_err() {
            continue;
        }
        let Ok(events) = events.checked() else { continue };
        let seen = view(events, BLOCKING, 100);
        let report = &seen.report;
        let sum = report.owners.iter().fold(0u128, |sum, (_, time)| sum + u128::from(time.get()));
        assert_eq!(sum, u128::from(report.cycles.get()) * report.cores as u128);
    }
}

/// A folder of an input's own.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("there is room for a folder");
    fs::write(path, bytes).expect("there is room for a file");
}

/// A history: what its commands read, and an entry more.
fn history(bytes: &[u8]) {
    let folder = folder();
    let path = folder.path().join("history.sqlite");
    write(&path, bytes);
    if let Ok(history) = History::read(&path) {
        let entries = history.entries(None).unwrap_or_default();
        for entry in entries.iter().take(4) {
            let _ = (history.records(entry.id), entry.short());
        }
        for name in history.metrics(None).unwrap_or_default().iter().take(4) {
            let _ = history.series(name, &entries, Statistic::Mean);
        }
        let branch = history.last_branch().ok().flatten().unwrap_or_default();
        let _ = "main~1".parse::<Reference>().map(|reference| reference.find(&history, &branch));
    }
    if let Ok(mut history) = History::write(&path) {
        let _ = (history.add(&corpus::addition("another")), history.remove(1));
    }
}

/// Results of hyperfine, and those of Criterion with each of its files in the place of a good one.
fn results(bytes: &[u8]) {
    let folder = folder();
    let file = folder.path().join("results.json");
    write(&file, bytes);
    let _ = import(&file);
    for strange in corpus::CRITERION {
        let benchmark = folder.path().join("criterion/new");
        for (name, good) in corpus::CRITERION {
            write(&benchmark.join(name), if name == strange.0 { bytes } else { good.as_bytes() });
        }
        if let Ok(imported) = import(&folder.path().join("criterion")) {
            let _ = RecordFile::new("criterion", imported.records).to_json();
        }
    }
}

/// Boards' logs, as `import` reads them.
fn logs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = Log::read(&text);
    for chip in ["stm32c031c6", "atmega328p"] {
        let _ = Simulator.import("log", BoardLog { text: &text, chip, board: "mine", opt: None });
    }
}

/// Descriptions of chips in TOML.
fn chips(bytes: &[u8]) {
    let Ok(part) = Part::from_toml(&String::from_utf8_lossy(bytes)) else { return };
    let code = [0x00, 0x04, 0x00, 0x20, 0x09, 0x00, 0x00, 0x08, 0xFE, 0xE7, 0x00, 0xBF];
    for address in [0, 0x0800_0000, 0x8000_0000] {
        let _ = Machine::new(&part, Settings::default(), [(Address::new(address), &code[..])]);
    }
}

/// Maps of LiteX in JSON and CSV.
fn maps(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for csv in [false, true] {
        let _ = Part::from_litex("soc", &text, csv);
    }
}

/// Measurements in TOML.
fn measurement(bytes: &[u8]) {
    let _ = toml::from_str::<Measurement>(&String::from_utf8_lossy(bytes));
}

/// Plans of sweeps in TOML and as JSON, up to their points, and packed sweeps.
fn plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = Sweep::unpack(bytes);
    for plan in [sweep::Plan::from_toml(&text), sweep::Plan::from_json(&text)].into_iter().flatten() {
        assert_eq!(sweep::Plan::from_json(&plan.to_json()).expect("a plan reads back"), plan);
        if let Ok(axes) = Axes::of(&plan) {
            let last = axes.points().saturating_sub(1);
            let _ = (axes.points() > 0).then(|| axes.point(last));
        }
        // The files of these plans are not there.
        let _ = Sweep::load(plan, NonZeroUsize::MIN, &|| true);
    }
}

/// Ends each run at its first news.
struct Impatient;

impl Watcher for Impatient {
    fn output(&self, _: &[u8]) {}

    fn progress(&self, _: Cycles, _: Picoseconds) -> bool {
        true
    }
}

/// A page's request for a run, in which the input is the request, the firmware, and each file beside it.
fn request(bytes: &[u8]) {
    let elf = corpus::elf().remove(0);
    let _ = cyclescope_web::inspect("app", bytes);
    if let Ok(request) = Request::read(&String::from_utf8_lossy(bytes)) {
        let files = ["a.toml", "a.csv", "a.bin"].map(|name| (name.to_owned(), corpus::chips().remove(0)));
        let _ = cyclescope_web::run(&request, &elf, &files.into(), &Impatient).json();
    }
    for (file, chip) in [(bytes, "stm32c031c6"), (&elf, "a.toml"), (&elf, "a.csv")] {
        let asked = corpus::request(chip);
        let request = Request::read(&asked).expect("a seed");
        let files = ["a.toml", "a.csv", "a.bin"].map(|name| (name.to_owned(), bytes.to_vec()));
        let _ = cyclescope_web::run(&request, file, &files.into(), &Impatient).json();
    }
}

/// A core for browsers, as `report --core` reads it.
fn core(bytes: &[u8]) {
    let tags = |core: &[u8]| {
        let core = Core::read(core, corpus::TOOL).ok()?;
        let page = cyclescope_report::page::playground(&core).expect("a core makes a page");
        Some(page.matches('<').count())
    };
    if let Some(tags_here) = tags(bytes) {
        assert_eq!(Some(tags_here), tags(&corpus::cores()[0]), "nothing of a core is more than text");
    }
}

static IMAGE: LazyLock<Image> = LazyLock::new(|| Image::parse(&corpus::elf()[0]).expect("a seed"));

/// Stimuli, up to a plan.
fn stimuli(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rules: Vec<Rule> = text.lines().filter_map(|line| line.parse().ok()).collect();
    for rule in &rules {
        let again: Rule = rule.to_string().parse().expect("a rule reads back");
        assert_eq!(again, *rule);
    }
    let _ = Plan::resolve(&rules, &IMAGE, &[(15, "SysTick")]);
}

/// Events, spans and times.
fn events(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Ok(event) = line.parse::<Event>() {
            let again: Event = event.to_string().parse().expect("an event reads back");
            assert_eq!(again, event);
            let _ = event.resolve(&IMAGE, &[(15, "SysTick")]);
        }
        if let Ok(time) = line.parse::<Time>() {
            assert_eq!(time.to_string().parse::<Time>().ok(), Some(time));
        }
        let _ = line.parse::<SpanText>();
    }
}

/// Returns packets with the checksums that fit what they hold: with others none of them goes further than that.
fn with_checksums(packets: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(packets.len() + 16);
    for (number, piece) in packets.split(|byte| *byte == b'$').enumerate() {
        whole.extend((number > 0).then_some(b'$'));
        match piece.iter().position(|byte| *byte == b'#') {
            Some(end) if number > 0 => {
                let sum = piece[..end].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
                whole.extend(&piece[..end]);
                whole.extend(format!("#{sum:02x}").bytes());
                whole.extend(piece.get(end + 3..).unwrap_or_default());
            }
            _ => whole.extend(piece),
        }
    }
    whole
}

/// A debugger's packets, over a machine of each instruction set. The second bit of the first byte leaves checksums as they are.
fn debugger(bytes: &[u8]) {
    let (which, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let (chip, code) = [("stm32c031c6", &corpus::THUMB[..]), ("virt", &corpus::RISCV[..])][usize::from(which & 1)];
    let part = Part::find(chip).expect("a chip");
    let base = if *which & 1 == 0 { 0x0800_0000 } else { 0x8000_0000 };
    let machine = Machine::new(part, Settings::default(), [(Address::new(base), code)]);
    let packets = if *which & 2 == 0 { with_checksums(bytes) } else { bytes.to_vec() };
    cyclescope::feed_debugger(&mut machine.expect("it starts"), &IMAGE, &packets);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_get_the_checksums_that_fit() {
        assert_eq!(with_checksums(b"+$g#00+$m0,4#fd$?#"), b"+$g#67+$m0,4#fd$?#3f");
        assert_eq!(with_checksums(b"$g#0$#$"), b"$g#67$#00$");
        corpus::packets().iter().for_each(|seed| assert_eq!(&with_checksums(seed), seed));
    }
}
