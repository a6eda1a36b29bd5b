//! Plans that strangers write.

use cyclescope_sweep::{Axes, Numbers, Plan, Sweep};

use crate::common::{BUTTON, PLAN, folder, sweep};

#[test]
fn what_is_wrong_with_a_plan_is_said_with_the_name_that_was_meant() {
    let folder = folder(BUTTON);
    for (name, text) in [("bad.csv", "volts\n1.5\nx\n"), ("bad.txt", "at 1ms write 0x42 01\nat 2ms wrte\n")] {
        std::fs::write(folder.path().join(name), text).expect("the folder is ours");
    }
    std::fs::write(folder.path().join("long.bin"), [0; 4097]).expect("the folder is ours");
    let image = "[[image]]\nelf = 'button.elf'\n";
    let valid = "chip = ['stm32c031c6']\n";
    for (text, expect) in [
        (format!("chp = []\n{image}"), "line 1: there is no key `chp`; did you mean `chip`?"),
        (
            format!("{valid}layout_seed = 2\n{image}"),
            "line 2: there is no key `layout_seed`; did you mean `layout-seed`",
        ),
        (format!("{valid}[[image]]\nelff = 'a'"), "there is no key `elff` of an image; did you mean `elf`?"),
        (
            format!("{valid}seeds = {{from = 1, cont = 2}}\n{image}"),
            "there is no key `cont` of numbers; did you mean `count`",
        ),
        (format!("{valid}seeds = 'all'\n{image}"), "expected a list of numbers such as [1, 2, 3]"),
        (format!("{valid}seeds = [-1]\n{image}"), "invalid value"),
        ("chip = []".to_owned(), "missing field `image`"),
        ("image = []\nchip = ['stm32c031c6']".to_owned(), "`image`: a sweep needs an image"),
        (image.to_owned(), "`chip`: "),
        (format!("{valid}memory = ['idael']\n{image}"), "there is no memory setting `idael`; did you mean `ideal`?"),
        (format!("{valid}memory = []\n{image}"), "`memory`: the list is empty"),
        (format!("{valid}span = ['a=b']\n{image}"), "`span`: `a=b` is not a span"),
        (format!("{valid}span = ['a=sleep..wake', 'a=wake..sleep']\n{image}"), "two spans are called `a`"),
        (format!("{valid}stimulus = ['at 1ms pn PA0 low']\n{image}"), "`stimulus`: "),
        (format!("{valid}stimulus = ['at 0s pin PA0 samples a.csv every 1ms']\n{image}"), "a.csv cannot be read"),
        (
            format!("{valid}stimulus = ['at 0s pin PA0 samples bad.csv every 1ms']\n{image}"),
            "bad.csv: line 3 is no voltage: `x`",
        ),
        (format!("{valid}attach = ['eprom:24c32@i2c1']\n{image}"), "`attach`: "),
        (format!("{valid}attach = ['eeprom:24c32@i2c9']\n{image}"), "no I2C9"),
        (format!("{valid}attach = ['eeprom:24c32,save=a.bin@i2c1']\n{image}"), "leave save= and frames= out"),
        (format!("{valid}attach = ['ssd1306:frames=a@i2c1']\n{image}"), "leave save= and frames= out"),
        (format!("{valid}attach = ['eeprom:24c32,file=no.bin@i2c1']\n{image}"), "no.bin cannot be read"),
        (format!("{valid}attach = ['eeprom:24c32,file=long.bin@i2c1']\n{image}"), "long.bin: eeprom keeps 4,096 bytes"),
        (format!("{valid}attach = ['i2c-controller:file=bad.txt@i2c1']\n{image}"), "line 2, `at 2ms wrte`"),
        (format!("{valid}for = '1h'\n{image}"), "`for`: `1h` is not a time"),
        (format!("{valid}until = 'x:y'\n{image}"), "`until`: `x:y` is not an event"),
        (format!("{valid}seeds = [1]\n{image}"), "`seeds`: no stimulus is drawn by a seed"),
        (format!("{valid}arrivals = [1]\n{image}"), "`arrivals`: no stimulus has a window"),
        (format!("{valid}stimulus = ['at 1ms..2ms pin PC13 low']\n{image}"), "`arrivals`: a stimulus has a window"),
        (format!("{valid}chunk-cycles = 0\n{image}"), "`chunk-cycles`: "),
        (format!("{valid}layouts = 18446744073709551615\n{image}"), "more than 10,000,000,000 layouts"),
        (format!("{valid}layouts = 9223372036854775807\n{image}"), "more than 10,000,000,000 layouts"),
        (
            format!("{valid}layouts = 100000000\nclock = {{from = 8000000, count = 1000}}\n{image}"),
            "10,000,000,000 points",
        ),
        (
            format!("{valid}clock = {{from = 1, count = 9000000000000000000}}\n{image}"),
            "more than 100,000 images, chips",
        ),
        (
            format!("{valid}clock = {{from = 9000000000000000000, count = 9, step = 9000000000000000000}}\n{image}"),
            "`clock`: number 9",
        ),
        ("chip = ['stm32c031c7']\n[[image]]\nelf = 'button.elf'".to_owned(), "stm32c031c7"),
        ("chip = ['no.toml']\n[[image]]\nelf = 'button.elf'".to_owned(), "no.toml cannot be read"),
        (format!("{valid}clock = [3]\n{image}"), "`clock`: stm32c031c6: "),
        (format!("{valid}[[image]]\nelf = 'no.elf'"), "no.elf cannot be read"),
        (format!("{valid}[[image]]\nelf = 'button.elf'\nmap = 'no.map'"), "no.map cannot be read"),
        ("chip = ['atmega328p']\n[[image]]\nelf = 'button.elf'".to_owned(), "the image is built for"),
        (format!("{valid}span = ['a=symbol:nothing..sleep']\n{image}"), "span `a`: "),
    ] {
        let error = sweep(folder.path(), &text).expect_err(&text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    }
}

#[test]
fn a_plan_in_toml_and_in_json_is_the_same_and_a_number_alone_is_a_list_of_one() {
    let plan = Plan::from_toml(PLAN).expect("a plan");
    assert_eq!(Plan::from_json(&plan.to_json()).expect("the same"), plan);
    let error = Plan::from_json("{\"image\": [], \"chips\": []}").expect_err("no such key").to_string();
    assert!(error.contains("there is no key `chips`; did you mean `chip`?"), "{error}");
    let one = Plan::from_toml("clock = 8_000_000\n[[image]]\nelf = 'a'").expect("a plan");
    assert_eq!(one.clock, Numbers::List(vec![8_000_000]));
    assert_eq!(Axes::of(&plan).expect("few").points(), 2 * 4 * 3);
}

#[test]
fn chunks_have_each_point_once_and_the_cycles_that_were_asked_for() {
    let folder = folder(BUTTON);
    let few = sweep(folder.path(), PLAN).expect("a sweep");
    let mut next = 0;
    for chunk in 0..few.chunks() {
        let points = few.points_of(chunk);
        assert!(points.start == next && points.end > next, "{points:?}");
        // A run counts for 200,000 cycles at least, so that five are enough.
        assert!(points.end - points.start <= 5, "{points:?}");
        next = points.end;
    }
    assert_eq!(next, few.axes().points());
    assert_eq!(few.points_of(few.chunks()), 0..0);
    let one = sweep(folder.path(), &PLAN.replace("1_000_000", "1_000_000_000")).expect("a sweep");
    let each = sweep(folder.path(), &PLAN.replace("1_000_000", "1")).expect("a sweep");
    assert_eq!((one.chunks(), each.chunks()), (1, 24));
    assert!((2..24).contains(&few.chunks()), "{}", few.chunks());
}

#[test]
fn a_wrong_value_in_a_file_is_told_with_file_and_line() {
    let folder = folder(BUTTON);
    let path = folder.path().join("plan.toml");
    let text =
        "chip = ['stm32c031c6']\n# attach = []\n  attach = [\n  'eprom:24c32@i2c1']\n[[image]]\nelf = 'button.elf'\n";
    std::fs::write(&path, text).expect("the folder is ours");
    let error = Plan::read(&path).expect_err("there is no such device").to_string();
    assert!(error.contains("plan.toml: line 3: `attach`: "), "{error}");
    assert!(error.contains("did you mean `eeprom`?"), "{error}");
}

#[test]
fn a_packed_sweep_is_the_same_elsewhere_and_damage_is_told() {
    let folder = folder(BUTTON);
    let here = sweep(folder.path(), PLAN).expect("a sweep");
    let bytes = here.pack();
    let there = Sweep::unpack(&bytes).expect("it was packed");
    assert_eq!((there.identity(), there.chunks(), there.plan()), (here.identity(), here.chunks(), here.plan()));
    assert_eq!(there.run_chunk(1, &|| false).expect("it runs"), here.run_chunk(1, &|| false).expect("it runs"));
    for length in (0..bytes.len()).step_by(97).chain(0..40) {
        assert!(Sweep::unpack(&bytes[..length]).is_err(), "{length}");
    }
    let other = String::from_utf8_lossy(&bytes[8..60]).replace("cyclescope 0", "cyclescope 9");
    let other = [&bytes[..8], other.as_bytes(), &bytes[60..]].concat();
    let error = Sweep::unpack(&other).expect_err("of another version").to_string();
    assert!(error.contains("it was made by cyclescope 9") && error.contains("one version"), "{error}");
}
