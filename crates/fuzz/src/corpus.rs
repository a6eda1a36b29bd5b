//! The seeds, and words of each format.

#[path = "../../cyclescope/tests/elf/mod.rs"]
#[allow(dead_code)]
mod small;
#[path = "../../image/tests/support/mod.rs"]
mod support;

use cyclescope_history::{Addition, History, Moment};
use cyclescope_records::{Record, RecordFile, Source};
use std::io::Read as _;

pub const JSON: &[&str] =
    &["{", "}", "[[[[", "null", "-1e308", "\"\\u0000\"", "1e400", "18446744073709551616", ",", "{\"a\":"];
pub const TELEMETRY: &[&str] =
    &["TRC\0\u{1}", "PollStartEvent", "WorkerParkEvent", "worker_id", "\u{5}", "\u{2}\u{1}\0", "\u{7f}\u{7f}"];
pub const SQL: &[&str] =
    &["SQLite format 3\0", "CREATE TRIGGER ", "CREATE VIEW ", "record", "entry", "\u{0}\u{0}", "{\"schema\":"];
pub const PACKETS: &[&str] = &[
    "$",
    "#00",
    "$g#67",
    "$?#3f",
    "$c#63",
    "$s#73",
    "$m0,ffffffff#",
    "$Z0,8000008,2#",
    "$X",
    "$vCont;c#a8",
    "$qXfer:",
    "}",
    "\u{3}",
    "$P",
    "$G",
    "$M20000000,4:00000000#",
    "$qRcmd,67617073#",
    "$qRcmd,6261636b7472616365#",
    "$P10=",
    "$p",
];
pub const KEYS: &[&str] = &[
    "base = ",
    "name = ",
    "[[",
    "]]",
    "stimulus = [",
    "span = [",
    "chip = ",
    "core = ",
    "memory",
    "size = 0xFFFFFFFF",
    "= -1\n",
    "flash",
    "ram",
    "0x",
    "[device]",
    "\n",
];
pub const LOGS: &[&str] =
    &["kit begin ", "kit ", "end", "cycles ", "-1", "18446744073709551615", "\n", ": ", "checksum ", "primes: "];
pub const WATCHERS: &[&str] = &[
    "\n",
    " <unfinished ...>\n",
    "<... ",
    ") = ",
    " <1e300>\n",
    " <1e19>\n",
    "clone3(",
    "futex(0, 0x80",
    "+++ exited",
    "\nf 18446744073709551615 2 1\n",
    "\no 1 2 16\n",
    "\ni 2 2\n",
    "\nw 3 3\n",
    "@stack[\n",
    "]: 18446744073709551615\n",
    "== Collected : ",
    ",,instructions:u,",
];
pub const STIMULI: &[&str] = &[
    "at ",
    "after ",
    "every ",
    "random ",
    "presses ",
    "phase ",
    "uart 2 \"",
    "pin PC13 low",
    "18446744073709551615",
    "cy",
    "ms",
    "..",
    " from ",
    " gap ",
    " seed ",
    "\\x",
    "0",
    "\"",
    ":",
    "symbol:",
    "address:0x",
    "pin:PA0:rise",
    "exception:SysTick:entered",
    "\n",
];

/// A vector table and a loop.
pub const THUMB: [u8; 12] = [0x00, 0x04, 0x00, 0x20, 0x09, 0x00, 0x00, 0x08, 0xFE, 0xE7, 0x00, 0xBF];
/// A loop.
pub const RISCV: [u8; 8] = [0x93, 0x82, 0x12, 0x00, 0x6F, 0xF0, 0xDF, 0xFF];

pub fn elf() -> Vec<Vec<u8>> {
    let same = |_: &mut [u32; 10], _| {};
    vec![
        support::tiny(),
        support::with_lines(),
        small::image(&[("main", 4), ("_ZN5scope4grow17h0123456789abcdefE", 6), ("_Z1fIiEvT_", 8)]),
        small::riscv(0x8000_0000, &[0x0000_006F], &[("start", 0, 4)]),
        support::with_headers(16, 64, &[b'x'; 400], same),
        // These would take gigabytes without their bounds.
        support::with_headers(1_200, 3_000, &[], same),
        support::with_headers(2_000, 1, &[b'x'; 50_000], |header, length| {
            (header[support::OFFSET], header[support::SIZE]) = (length - 50_000, 50_000);
        }),
    ]
}

pub fn dwarf() -> Vec<Vec<u8>> {
    vec![
        support::with_lines(),
        support::with_shared_tables(3, 4, 3, 10, "/src"),
        support::with_overlapping_abbreviations(3, 8),
        // These would take gigabytes without their bounds.
        support::with_shared_tables(3_000, 8_000, 1, 10, "/src"),
        support::with_shared_tables(3_000, 1, 1, 60_000, "/src"),
        support::with_shared_tables(10, 1, 20_000, 10, &"/folder".repeat(8_000)),
        support::with_overlapping_abbreviations(10_000, 20_000),
    ]
}

/// Programs of each runtime whose tasks are seen.
pub fn tasks() -> Vec<Vec<u8>> {
    let names = [
        "button-embassy-interrupt",
        "button-rtic-interrupt",
        "button-lilos-interrupt",
        "switch-cpp20-coroutines-plain",
    ];
    let image = |name: &str| {
        let name = format!("{name}-s-stm32c031c6");
        let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
        image.elf().expect("it unpacks")
    };
    names.into_iter().map(image).collect()
}

/// An image with defmt strings of every kind of argument.
pub fn defmt_image(encoding: &str) -> Vec<u8> {
    let strings = [
        ("println", "hello {=u8} {=i16} {=u32:#010x} {=i64} {=u128} {=f32} {=f64} {=bool}"),
        ("info", "{=str} {=istr} {=char} {=[u8]:a} {=[u8;3]} {0}"),
        ("warn", "{=?} {=[?]} {=[?;2]}"),
        ("error", "{0=0..4} {0=4..12:b} {=__internal_Debug} {=__internal_Display}"),
        ("derived", "Point {{ x: {=u8:03} }}"),
        ("derived", "None|Some({=?})"),
        ("prim", "{=u8}"),
        ("str", "interned"),
        ("write", "{=__internal_FormatSequence}"),
        ("info", "{=[u8]:cbor} {=u32:us} {=u64:iso8601ms} {=u64:tms}"),
        ("timestamp", "{=u8:us}"),
    ];
    let name = |(index, (tag, data)): (usize, &(&str, &str))| {
        format!(r#"{{"package":"p","tag":"defmt_{tag}","data":"{data}","disambiguator":"{index}","crate_name":"p"}}"#)
    };
    let names: Vec<String> = strings.iter().enumerate().map(name).collect();
    let encoding = format!("_defmt_encoding_ = {encoding}");
    let mut symbols = vec![("_defmt_version_ = 4", 0), (encoding.as_str(), 0)];
    symbols.extend((1..).zip(&names).map(|(index, name)| (name.as_str(), index)));
    small::defmt(&symbols)
}

pub fn defmt_images() -> Vec<Vec<u8>> {
    let name = format!(r#"{{"package":"p","tag":"defmt_str","data":"{}","disambiguator":"1"}}"#, "s".repeat(30_000));
    let mut shared = vec![("_defmt_version_ = 4", 0), ("_defmt_encoding_ = raw", 0)];
    shared.extend((0..5_000).map(|index| (name.as_str(), index)));
    vec![defmt_image("raw"), defmt_image("rzcobs"), small::defmt(&shared)]
}

pub fn frames() -> Vec<Vec<u8>> {
    let nested = [&[3, 0, 0][..], &[6, 0, 1].repeat(20_000)].concat();
    vec![
        [&[1, 0, 0][..], &[7; 60]].concat(),
        [&[2, 0, 0, 2, 0, 0, 0, b'a', b'b', 8, 0, b'x', 0, 0, 0, 2, 0, 0, 0, 1, 2, 1, 2, 3][..]].concat(),
        vec![3, 0, 0, 5, 0, 9, 2, 0, 0, 0, 7, 0, 1, 2, 7, 0, 3, 4],
        vec![4, 0, 0, 0x12, 0x34, b'd', 0xFF, b'e', 0xFF],
        vec![10, 0, 0, 2, 0, 0, 0, 0x81, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        vec![9, 0, 0, 5, 0, 7, 6, 0, 0, 0, 0],
        // These would end the process without their bounds.
        nested,
        vec![3, 0, 0, 5, 0, 9, 0xFF, 0xFF, 0xFF, 0xFF, 7, 0],
    ]
}

pub fn watchers() -> Vec<Vec<u8>> {
    let strace = "7   1.5 execve(0x7f, 0x7f, 0x7f) = 0 <0.000146>\n7   1.6 clone3({flags=CLONE_THREAD}, 88) = 8 <0.0001>\n\
                  8   1.7 futex(0x7f, 0x189, 0 <unfinished ...>\n7   1.8 futex(0x7f, 0x81, 1) = 1 <0.000004>\n\
                  8   1.9 <... futex resumed>) = 0 <0.1>\n8   2.0 exit(0)   = ?\n8   2.1 +++ exited with 0 +++\n";
    let bpftrace = "Attaching 9 probes...\nfirst\nlast\nf 100 2 1\ni 110 2\ne 150 2\nf 200 3 2\no 210 2 1\ni 230 3\nm 230 3\n\
                    o 300 3 0\ni 310 3\nw 400 2\ni 420 2\no 430 3 32\no 500 2 16\n\n\
                    @stack[\n    __schedule+1560\n    futex_do_wait+70\n]: 190\n";
    let counters = "==5== Events    : Ir\n==5== Collected : 229735\n229735,,instructions:u,100,100.00,,\n";
    [strace, bpftrace, counters].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// A trace that a program of tokio's wrote through dial9, whole, unpacked, and its beginning.
pub fn telemetry() -> Vec<Vec<u8>> {
    const PACKED: &[u8] = include_bytes!("../../cyclescope/tests/telemetry/trace.bin.gz");
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(PACKED).read_to_end(&mut whole).expect("a file of ours");
    let beginning = whole[..whole.len().min(4_000)].to_vec();
    vec![beginning, whole, PACKED.to_vec()]
}

pub fn records() -> Vec<Vec<u8>> {
    let mut record = Record::empty(Source::Simulated);
    (record.experiment, record.metric, record.contender) = ("primes".into(), "cycles".into(), "bare".into());
    let file = RecordFile::new("cyclescope", vec![record.clone(), Record::empty(Source::Silicon), record]);
    vec![file.to_json().expect("records").into_bytes(), b"{\"schema\":1,\"tool\":\"t\",\"records\":[]}".to_vec()]
}

/// An entry of the commit `commit`.
pub fn addition(commit: &str) -> Addition {
    let mut record = Record::empty(Source::Simulated);
    (record.experiment, record.metric) = ("primes".into(), "cycles".into());
    let time = Moment::from_unix(1_700_000_000).expect("a time");
    let records = vec![record, Record::empty(Source::Host)];
    Addition { commit: commit.into(), branch: "main".into(), time, source: "a test".into(), records }
}

pub fn histories() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("history.sqlite");
    let mut history = History::write(&path).expect("a new one");
    for commit in ["one", "two"] {
        history.add(&addition(commit)).expect("there is room for it");
    }
    // The last connection leaves all in the one file.
    drop(history);
    vec![std::fs::read(&path).expect("it was just written")]
}

/// The files of a benchmark of Criterion's.
pub const CRITERION: [(&str, &str); 3] = [
    (
        "benchmark.json",
        r#"{"group_id":"sort","function_id":"quick","value_str":"9","throughput":{"Bytes":9},"full_id":"sort"}"#,
    ),
    (
        "estimates.json",
        r#"{"mean":{"confidence_interval":{"confidence_level":0.95,"lower_bound":1.0,"upper_bound":3.0},"point_estimate":2.0,"standard_error":0.1}}"#,
    ),
    ("sample.json", r#"{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[10.0,24.0]}"#),
];

const HYPERFINE: &str = r#"{"results":[{"command":"sleep 1","mean":1.0,"stddev":0.1,"median":1.0,"user":0.1,"system":0.1,"min":0.9,"max":1.1,"times":[0.9,1.0,1.1],"exit_codes":[0,0,0],"parameters":{"n":"1"}}]}"#;

pub fn results() -> Vec<Vec<u8>> {
    let criterion = CRITERION.iter().map(|(_, text)| *text);
    criterion.chain([HYPERFINE]).map(|text| text.as_bytes().to_vec()).collect()
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn chips() -> Vec<Vec<u8>> {
    texts(&[
        include_str!("../seeds/board.toml"),
        include_str!("../seeds/soc.toml"),
        "name = 'mine'\nbase = 'stm32f446re'\n",
    ])
}

pub fn maps() -> Vec<Vec<u8>> {
    texts(&[
        include_str!("../../chips/tests/data/litex-sim.csr.json"),
        include_str!("../../chips/tests/data/litex-sim.csr.csv"),
    ])
}

pub fn logs() -> Vec<Vec<u8>> {
    texts(&[
        "kit begin chip=stm32f446ze clock=16000000 serial=PD8@115200 version=0badcafe\r\nkit load 2\r\nkit end 1\r\n",
        "??\nkit early 3\nkit begin chip=stm32c031c6 clock=48000000 version=0badcafe\nkit load 2\nkit st\n\
         kit begin chip=stm32c031c6 clock=48000000 version=0badcafe\nkit load 2\nkit store 1\nkit end 2\nbye\n",
        "boot\nfound a prime number 0 2\nfound a prime number 1 3\ndone elapsed = 2101 ms, trials=177, loops=202346\n\
         cyclescope primes contender=embassy mode=two trials=177 loops=202346 dispatches=202346 counter=202345 elapsed=2101 \
         clock_hz=1000\n",
    ])
}

pub fn measurements() -> Vec<Vec<u8>> {
    texts(&[
        "elf = 'a.elf'\nchip = 'stm32c031c6'\nmemory = 'default'\nfor = '2ms'\nuntil = 'sleep'\nspan = ['a=sleep..wake']\n\
         stimulus = ['at 1ms pin PA0 low', 'every 10ms from 5ms uart 2 \"x\"']\ntask-pointer = 'pxCurrentTCB'\n",
        "span = ['a=symbol:f..pin:PA0:rise']\nfor = '100cy'\n",
    ])
}

pub fn plans() -> Vec<Vec<u8>> {
    let mut all = texts(&[
        "chip = ['stm32c031c6']\nmemory = ['shipped', 'ideal']\nclock = [8_000_000]\nlayouts = 100\nlayout-seed = 2\n\
         seeds = {from = 1, count = 3, step = 2}\nspan = ['a=sleep..wake']\nfor = '2ms'\nuntil = 'sleep'\n\
         stimulus = ['presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1']\nchunk-cycles = 1000\n\
         [[image]]\nelf = '/no/such/a.elf'\nmap = 'a.map'\nchip = ['own.toml']\n",
        "arrivals = [1, 2]\nspan = ['a=sleep..wake']\nstimulus = ['at 1ms..2ms pin PA0 low']\n[[image]]\nelf = '/no/such/a.elf'\n",
        "{\"image\": [{\"elf\": \"/no/such/a.elf\", \"chip\": [\"a\"]}], \"seeds\": {\"from\": 1, \"count\": 3}, \"for\": \"1s\"}",
    ]);
    let head = "{\"tool\":\"cyclescope 0.1.0\",\"plan\":{\"image\":[]},\"files\":[[\"a\",1]],\"chunks\":[1]}";
    all.push([&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), b"x"].concat());
    all
}

pub fn stimuli() -> Vec<Vec<u8>> {
    let mut all = texts(&[
        "at 1ms pin PC13 low\nafter sleep 20us 3 times pin PA0 toggle\nevery 10ms from 3ms uart 1 \"x\\x00\"\n",
        "random 100 times from 1ms gap 1us..3ms seed 9 uart 3 \"?\"\nphase 15\nphase seed 7",
        "presses 5 of PC13 high from 10ms gap 50ms..250ms bounce 6 within 1ms seed 1844674407370955161",
    ]);
    // This would take gigabytes without its bound.
    all.push(format!("every 1us from 0s 900000 times uart 2 \"{}\"", "x".repeat(60_000)).into_bytes());
    all
}

pub fn events() -> Vec<Vec<u8>> {
    texts(&[
        "sleep\nwake\ntrap\npin:PA0:rise\nexception:SysTick:entered\nsymbol:scope::start\naddress:0x08000008\ntime:1.5ms",
        "a=sleep..wake\nlatency=pin:PA0:fall..symbol:counter\n1.5ms\n100cy\n1e6cy\n1 s\n18446744073709551615ps",
        "scope::*\nreturn:scope::stop\n*\n\"two words\"",
    ])
}

pub fn packets() -> Vec<Vec<u8>> {
    let packet = |text: &str| {
        let sum = text.bytes().fold(0u8, |sum, byte| sum.wrapping_add(byte));
        format!("${text}#{sum:02x}+")
    };
    let session: String = [
        "qSupported:xmlRegisters=i386",
        "QStartNoAckMode",
        "?",
        "g",
        "m8000000,10",
        "vCont?",
        "vCont;s:1",
        "Z0,8000008,2",
        "Z2,20000000,4",
        "vCont;c",
        "M20000000,4:01020304",
        "P0=01020304",
        "qXfer:features:read:target.xml:0,fff",
        "qRcmd,68656c70",
        "G00",
        "D",
    ]
    .map(packet)
    .concat();
    [0, 1, 2, 3].map(|which| [&[which], session.as_bytes()].concat()).to_vec()
}

/// A request for a measurement on `chip` with a device.
pub fn request(chip: &str) -> String {
    format!(
        r#"{{"command":"measure","name":"app","chip":"{chip}","for":"1ms","timeline":true,"attach":["eeprom:24c32,file=a.bin,save=b.bin@scl=PA0,sda=PA1"]}}"#
    )
}

/// The keys and values of requests.
pub const REQUESTS: &[&str] = &[
    "\"command\":\"exec\"",
    "\"profile\"",
    "\"tasks\"",
    "\"size\"",
    "\"clock\":\"8000000\"",
    "\"layout\":\"7:2\"",
    "\"18446744073709551615\"",
    "\"memory\":\"ideal\"",
    "\"until\":\"pin:PA5:rise\"",
    "\"span\":[\"a=sleep..wake\"]",
    "\"stimulus\":[\"at 1us pin PA0 low\"]",
    "\"port\":[\"usart1=-\"]",
    "\"input\":\"a\"",
    "ssd1306@i2c1",
    "usb-host@usb",
    "a.toml",
    "a.csv",
    "stm32f446re",
    "atmega328p",
    ",",
    ":",
    "[",
    "]",
];

/// Requests of a page: of each command, with each option.
pub fn requests() -> Vec<Vec<u8>> {
    let more = r#""clock":"12_000_000","layout":"1:2","memory":"ideal","for":"1us","until":"time:2us","stimulus":["at 1us pin PA0 low"],"span":["a=sleep..wake"],"guest_handles_faults":true"#;
    let exec =
        |chip| format!(r#"{{"command":"exec","name":"","chip":"{chip}",{more},"input":"hi","port":["usart1=-"]}}"#);
    let others = ["profile", "tasks", "size"]
        .map(|command| format!(r#"{{"command":"{command}","name":"a","chip":"stm32c031c6",{more}}}"#));
    let texts = [request("stm32c031c6"), request("a.toml"), exec("stm32f103c8"), exec("a.csv")];
    let mut all: Vec<Vec<u8>> = texts.into_iter().chain(others).map(String::into_bytes).collect();
    all.extend([b":0400000000040020D8\n:00000001FF\n".to_vec(), chips().remove(0)]);
    all
}

/// The version that cores are read for.
pub const TOOL: &str = "cyclescope 1";

/// Ends of elements, and JSON.
pub const CORES: &[&str] = &["</script>", "<b>", "\\u003c", "\\\"", "\"", "=", "{", "}", ","];

/// A core for browsers.
pub fn cores() -> Vec<Vec<u8>> {
    let core = cyclescope_report::page::Core::new(TOOL, ("let a;", b"\xfd7zXZ"), ("let b;", b"\0asm"));
    vec![core.write().expect("it is text").into_bytes()]
}
