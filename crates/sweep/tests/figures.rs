//! Figures of sweeps are those of the commands that look at one thing.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{ArrayAccessor, RecordBatch, StringArray};
use cyclescope_chips::{MemorySetting, Part};
use cyclescope_guest::{Guest, MeasureRequest, Scenario, measure, units};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{Rule, SpanText};
use cyclescope_sweep::{Plan, Summary, Sweep};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::common::{BUTTON, PLAN, folder, sweep, unpack, whole};

/// The results at `path` as one batch.
fn read(path: &Path) -> RecordBatch {
    let file = std::fs::File::open(path).expect("it is there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").with_batch_size(10_000);
    let mut all = reader.build().expect("Parquet");
    let batch = all.next().expect("rows").expect("Parquet");
    assert!(all.next().is_none());
    batch
}

fn counts(batch: &RecordBatch, name: &str) -> Vec<Option<u64>> {
    batch.column_by_name(name).expect("a column").as_primitive::<UInt64Type>().iter().collect()
}

fn means(batch: &RecordBatch) -> Vec<Option<f64>> {
    batch.column_by_name("mean").expect("a column").as_primitive::<Float64Type>().iter().collect()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).expect("a column").as_dictionary::<Int32Type>();
    let values = column.downcast_dict::<StringArray>().expect("texts");
    (0..batch.num_rows())
        .map(|row| arrow_array::Array::is_valid(column, row).then(|| values.value(row).to_owned()))
        .collect()
}

/// The mean of the first span of a measurement by itself.
fn alone(image: &Image, memory: MemorySetting, layout: u64, stimulus: &str, arrival: &[Cycles]) -> f64 {
    let part = Part::find("stm32c031c6").expect("a part");
    let units = units(part, image, None).expect("symbols").expect("flash waits");
    let placement = (layout > 0).then(|| units.placement(&units.layout(1, layout).expect("there is room")));
    let guest = Guest { placement: placement.as_ref(), ..Guest::new(image, "button.elf", "stm32c031c6", memory) };
    let rules: Vec<Rule> = vec![stimulus.parse().expect("a stimulus")];
    let span: SpanText = "answer=pin:PC13:edge..symbol:cyclescope_button_runs".parse().expect("a span");
    let window = "20ms".parse().expect("a time");
    let scenario = Scenario { rules: &rules, window, until: None, whole: true };
    let request =
        MeasureRequest { guest, scenario, spans: &[span], trace: false, task_pointer: None, arrival, start: None };
    let outcome = measure::measure(&request, &mut |_, _| true, &|_, _| false).expect("it runs");
    outcome.records.first().expect("a figure").mean.as_f64()
}

fn button(folder: &Path) -> Image {
    Image::parse(&std::fs::read(folder.join("button.elf")).expect("ours")).expect("an image")
}

#[test]
fn each_point_has_the_figure_of_a_measurement_by_itself() {
    let folder = folder(BUTTON);
    let out = folder.path().join("out.parquet");
    whole(&sweep(folder.path(), PLAN).expect("a sweep"), &out, 2);
    let (batch, image) = (read(&out), button(folder.path()));
    let (points, layouts, seeds) = (counts(&batch, "point"), counts(&batch, "layout"), counts(&batch, "seed"));
    assert_eq!(points, (0..24).map(Some).collect::<Vec<_>>(), "in the order of the plan");
    assert!(texts(&batch, "problem").iter().all(Option::is_none));
    let means = means(&batch);
    for (row, memory) in texts(&batch, "memory").iter().enumerate() {
        let memory = if memory.as_deref() == Some("ideal") { MemorySetting::Ideal } else { MemorySetting::Shipped };
        let (layout, seed) = (layouts[row].expect("a layout"), seeds[row].expect("a seed"));
        let stimulus = format!("presses 1 of PC13 low from 5ms gap 2ms..3ms seed {seed}");
        assert_eq!(means[row], Some(alone(&image, memory, layout, &stimulus, &[])), "row {row}");
    }
    let shipped: Vec<_> = means[..12].iter().step_by(3).collect();
    assert!(shipped.iter().any(|mean| *mean != shipped[0]), "layouts differ where flash waits: {shipped:?}");
    let summary = Summary::read(&out).expect("results");
    let [shipped, ideal] = &summary.groups[..] else { panic!("{summary:?}") };
    assert_eq!((shipped.points, shipped.problems, ideal.points), (12, 0, 12));
    let mut sorted: Vec<f64> = means[..12].iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    assert_eq!((shipped.min, shipped.median, shipped.max), (Some(sorted[0]), Some(sorted[6]), Some(sorted[11])));
    assert!(summary.gaps.is_empty() && !summary.assumed.is_empty(), "a figure says what it rests on: {summary:?}");
}

#[test]
fn an_arrival_has_the_figure_of_that_arrival_alone() {
    let folder = folder(BUTTON);
    let plan = PLAN
        .replace("presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1", "at 5ms..6ms pin PC13 low")
        .replace("seeds = {from = 1, count = 3}", "arrivals = {from = 240_000, count = 4, step = 7}")
        .replace("layouts = 3", "layouts = 1");
    let out = folder.path().join("out.parquet");
    whole(&sweep(folder.path(), &plan).expect("a sweep"), &out, 2);
    let (batch, image) = (read(&out), button(folder.path()));
    let arrivals = counts(&batch, "arrival");
    assert_eq!(arrivals[..4], [240_000, 240_007, 240_014, 240_021].map(Some));
    for (row, (arrival, layout)) in arrivals.iter().zip(counts(&batch, "layout")).enumerate().take(8) {
        let (arrival, layout) = ([Cycles::new(arrival.expect("an arrival"))], layout.expect("a layout"));
        let by_itself = alone(&image, MemorySetting::Shipped, layout, "at 5ms..6ms pin PC13 low", &arrival);
        assert_eq!(means(&batch)[row], Some(by_itself), "row {row}");
    }
}

#[test]
fn a_run_that_fails_has_a_reason_and_no_figure() {
    let folder = folder(BUTTON);
    let out = folder.path().join("out.parquet");
    let plan = PLAN.replace("for = '20ms'", "for = '20ms'\nuntil = 'pin:PC13:rise'");
    // The second press of some seeds ends after the window.
    let late = plan.replace("gap 2ms..3ms", "gap 2ms..13ms").replace("count = 3", "count = 12");
    whole(&sweep(folder.path(), &late).expect("a sweep"), &out, 2);
    let batch = read(&out);
    let (problems, means) = (texts(&batch, "problem"), means(&batch));
    assert!(problems.iter().zip(&means).all(|(problem, mean)| problem.is_some() == mean.is_none()));
    let told = problems.iter().flatten().next().expect("one that is late");
    assert!(told.contains("pin:PC13:rise did not happen within 20ms"), "{told}");
    assert!(means.iter().any(Option::is_some), "one that is not");
    let summary = Summary::read(&out).expect("results");
    assert_eq!(summary.groups[0].problems + summary.groups[0].points, 48);
    assert_eq!(summary.groups[0].problem.as_deref(), Some(told.as_str()));
}

#[test]
fn a_crystal_of_another_frequency_gives_another_clock_and_images_have_chips_of_their_own() {
    let folder = folder(BUTTON);
    unpack("button-freertos-interrupt-s-stm32f446ze", &folder.path().join("f446.elf"));
    let plan = "
span = ['answer=pin:PC13:edge..symbol:cyclescope_button_runs']
stimulus = ['at 30ms pin PC13 low']
for = '40ms'
clock = [8_000_000, 6_000_000]
[[image]]
elf = 'f446.elf'
chip = ['stm32f446ze', 'own.toml']
";
    std::fs::write(folder.path().join("own.toml"), "name = 'own'\nbase = 'stm32f446ze'\nlse_hz = 0\n").expect("ours");
    let out = folder.path().join("out.parquet");
    whole(&sweep(folder.path(), plan).expect("a sweep"), &out, 2);
    let batch = read(&out);
    let chips: Vec<_> = texts(&batch, "chip").into_iter().flatten().collect();
    assert_eq!(chips, ["stm32f446ze", "stm32f446ze", "own.toml", "own.toml"]);
    assert_eq!(counts(&batch, "clock"), [8_000_000, 6_000_000, 8_000_000, 6_000_000].map(Some));
    let hertz: Vec<u64> = counts(&batch, "core_hz").into_iter().flatten().collect();
    assert_eq!(hertz, [180_000_000, 135_000_000, 180_000_000, 135_000_000]);
}

#[test]
fn files_of_devices_and_voltages_lie_beside_the_plan_and_go_with_the_sweep() {
    let folder = folder(BUTTON);
    let here = folder.path().join("here");
    std::fs::create_dir(&here).expect("the folder is ours");
    let plan = here.join("plan.toml");
    let text = "
chip = ['stm32c031c6']
attach = ['spi-controller:name=host,file=../host.txt@sck=PA5,mosi=PA7,miso=PA6,cs=PA4', 'eeprom:24c32,file=a b.bin,address=0x51@i2c1']
stimulus = ['at 0s pin PA0 samples \"a b.csv\" every 10us repeat']
span = ['wait=time:1ms..pin:PA4:fall']
for = '20ms'
[[image]]
elf = '../button.elf'
";
    std::fs::write(&plan, text).expect("the folder is ours");
    let script = |ms: u32| {
        std::fs::write(folder.path().join("host.txt"), format!("at {ms}ms send 01 02")).expect("the folder is ours");
    };
    let bytes = |byte: u8| std::fs::write(here.join("a b.bin"), [byte; 9]).expect("the folder is ours");
    let volts = |text: &str| std::fs::write(here.join("a b.csv"), text).expect("the folder is ours");
    let load = || Sweep::load(Plan::read(&plan).expect("a plan"), crate::common::jobs(1), &|| false).expect("a sweep");
    script(5);
    bytes(1);
    volts("1\n2\n");
    let first = load();
    assert_eq!(load().identity(), first.identity(), "the same files");
    bytes(2);
    assert_ne!(load().identity(), first.identity(), "other bytes of a device");
    bytes(1);
    volts("1\n3\n");
    assert_ne!(load().identity(), first.identity(), "other voltages");
    volts("1\n2\n");
    script(6);
    let later = load();
    // The sweep has its files with it.
    std::fs::remove_dir_all(&here).expect("ours");
    let unpacked = Sweep::unpack(&first.pack()).expect("it was packed");
    assert_eq!(unpacked.identity(), first.identity());
    let out = folder.path().join("out.parquet");
    let wait = |sweep: Sweep| {
        whole(&Arc::new(sweep), &out, 1);
        means(&read(&out))[0].expect("a figure")
    };
    let (first, unpacked, later) = (wait(first), wait(unpacked), wait(later));
    assert_eq!(first, unpacked);
    assert_eq!(later - first, 48_000.0, "a millisecond at 48 MHz");
}
