//! `exec --gdb` under real debuggers, on a core of each family, and under peers that are none. Tests with a debugger run
//! where `CYCLESCOPE_TEST_TOOLS=all` is set, and need `gdb-multiarch` and `avr-gdb` (apt: gdb-multiarch gdb-avr).

use crate::common;
use crate::elf;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use cyclescope::Firmware;
use wait_timeout::ChildExt;

use common::{PROGRAM, text, tools};

/// Longer than any of these takes on a busy host.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that ends in an endless loop, on the stm32f446re.
const SPINNING: &str = "panic-rtt";

/// The output before that.
const SPINS: &str = "panicked at";

const C_LOOP: &str = "switch-c-loop-plain-s-stm32f446ze";

/// `cyclescope exec --gdb 0` with its ELF, and where it listens.
struct Server {
    process: Child,
    address: String,
    elf: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start(image: &str, chip: &str) -> Self {
        if image == SPINNING {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/panic-rtt.elf");
            Self::of(&std::fs::read(path).expect("the test has what it needs"), chip)
        } else {
            Self::of(&common::elf(image), chip)
        }
    }

    /// With the ELF `bytes`.
    fn of(bytes: &[u8], chip: &str) -> Self {
        let folder = common::folder();
        let elf = folder.path().join("app.elf");
        std::fs::write(&elf, bytes).expect("the test has what it needs");
        let mut process = Command::new(PROGRAM)
            .args(["exec", "--chip", chip, "--gdb", "0"])
            .arg(&elf)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let mut stderr = BufReader::new(process.stderr.take().expect("the test has what it needs"));
        stderr.read_line(&mut line).expect("the test has what it needs");
        let address = line.trim().strip_prefix("waiting for gdb: target remote ").expect(&line).to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        process.stderr = Some(stderr.into_inner());
        Self { process, address, elf: elf.display().to_string(), _folder: folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("the test has what it needs");
        stream
    }

    /// Returns when the guest has said `what`.
    fn until_said(&mut self, what: &str) {
        let mut stdout = BufReader::new(self.process.stdout.take().expect("it is a pipe"));
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert!(stdout.read_line(&mut line).expect("it is text") > 0, "it never said {what}");
        }
        self.process.stdout = Some(stdout.into_inner());
    }

    /// Its end, which has to come by itself.
    fn end(mut self) -> Output {
        if self.process.wait_timeout(PATIENCE).expect("it is a child").is_none() {
            self.process.kill().expect("the test has what it needs");
            panic!("it still runs");
        }
        let output = self.process.wait_with_output().expect("the test has what it needs");
        assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
        output
    }
}

/// Returns the output of `debugger` to the commands, and the end of the server.
fn debug(debugger: &str, image: &str, chip: &str, commands: &[&str]) -> (String, Output) {
    debug_on(debugger, Server::start(image, chip), commands)
}

fn debug_on(debugger: &str, server: Server, commands: &[&str]) -> (String, Output) {
    let mut gdb = Command::new(debugger);
    gdb.args(["-nx", "-batch", "-ex", "set pagination off", "-ex", &format!("target remote {}", server.address)]);
    for command in commands {
        gdb.args(["-ex", command]);
    }
    let output = gdb.arg(&server.elf).output().unwrap_or_else(|error| panic!("{debugger} is needed: {error}"));
    let said = text(&output.stdout) + &text(&output.stderr);
    (said, server.end())
}

/// The same of the ELF `bytes`.
pub fn debug_bytes(bytes: &[u8], chip: &str, commands: &[&str]) -> (String, Output) {
    debug_on("gdb-multiarch", Server::of(bytes, chip), commands)
}

/// The lines that are nothing but a number.
fn numbers(said: &str) -> Vec<u64> {
    said.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// The cycles at which a run without a debugger reaches the symbols, one after the other: the first and the last.
fn cycles(image: &str, chip: &str, symbols: &[&str]) -> Vec<u64> {
    let firmware = Firmware::from_elf(image, &cyclescope::example_image(image).expect("the test has what it needs"))
        .expect("the test has what it needs");
    let mut board = firmware.on(chip).expect("the test has what it needs");
    let mut at = |symbol: &str| {
        board.run_to(format!("symbol:{symbol}").as_str()).expect("the test has what it needs");
        board.cycles()
    };
    let cycles: Vec<u64> = symbols.iter().map(|symbol| at(symbol)).collect();
    vec![cycles[0], cycles[cycles.len() - 1]]
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn a_cortex_m_is_debugged_and_takes_the_cycles_that_it_takes_alone() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    let (said, end) = debug(
        "gdb-multiarch",
        C_LOOP,
        "stm32f446ze",
        &[
            "break cyclescope_start",
            "continue",
            "monitor cycles",
            "info registers",
            "x/8xw $sp",
            "stepi",
            "stepi",
            "delete",
            "watch *(unsigned*)&milliseconds",
            "continue",
            "delete",
            "rwatch *(unsigned*)&milliseconds",
            "continue",
            "delete",
            "hbreak cyclescope_stop",
            "continue",
            "monitor cycles",
            "x/xw 0x40000000",
            "set $r4 = 0x1234abcd",
            "print/x $r4",
            "set *(unsigned*)&ping = 0xfeed",
            "print/x *(unsigned*)&ping",
            "set $s5 = 1.5",
            "print $s5",
            "kill",
        ],
    );
    contains(&said, &["Breakpoint 1, cyclescope_start", "Hardware watchpoint 2", "Old value = 0", "New value = 1"]);
    contains(&said, &["Hardware read watchpoint 3", "Value = 1", "Breakpoint 4, cyclescope_stop", "primask"]);
    contains(&said, &["0x1234abcd", "0xfeed", "= 1.5", "Cannot access memory at address 0x40000000"]);
    // The counter is read behind the first stop.
    let alone = cycles(C_LOOP, "stm32f446ze", &["cyclescope_start", "cyclescope_stop", "cyclescope_stop"]);
    assert_eq!(numbers(&said), alone, "{said}");
    assert_eq!(end.status.code(), Some(130));
}

#[test]
fn a_riscv_is_debugged_and_takes_the_cycles_that_it_takes_alone() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    let image = "syscall-freertos-yield-2-ibex";
    let (said, _) = debug(
        "gdb-multiarch",
        image,
        "ibex",
        &[
            "break *main",
            "continue",
            "monitor cycles",
            "info registers",
            "stepi 20",
            "delete",
            "watch *(unsigned*)&xSchedulerRunning",
            "continue",
            "delete",
            "awatch *(unsigned*)&pxCurrentTCB",
            "continue",
            "delete",
            "break *cyclescope_trap_yield",
            "continue",
            "monitor cycles",
            "set $t0 = 0x1234abcd",
            "print/x $t0",
            "set *(unsigned*)&xTickCount = 0xfeed",
            "print/x *(unsigned*)&xTickCount",
            // A call of the environment from machine mode; gdb shows the fields of mstatus by itself.
            "set $call = $pc",
            "tbreak *(unsigned)($mtvec & ~3)",
            "continue",
            "printf \"cause %d, at the call %d\\n\", $mcause, $mepc == $call",
            "info registers mstatus pmpaddr15",
            "set $mepc = 2",
            "kill",
        ],
    );
    contains(&said, &["Hardware watchpoint 2", "New value = 1", "Hardware access (read/write) watchpoint 3"]);
    contains(&said, &["Breakpoint 4", "0x1234abcd", "0xfeed"]);
    contains(&said, &["cause 11, at the call 1", "mstatus", "pmpaddr15", "Could not write register"]);
    assert_eq!(numbers(&said), cycles(image, "ibex", &["main", "cyclescope_trap_yield"]), "{said}");
}

#[test]
fn an_avr_is_debugged_and_takes_the_cycles_that_it_takes_alone() {
    if !tools::wanted("avr-gdb") {
        return;
    }
    let image = "switch-c-loop-plain-s-atmega328p";
    let (said, _) = debug(
        "avr-gdb",
        image,
        "atmega328p",
        &[
            "break cyclescope_start",
            "continue",
            "monitor cycles",
            "info registers",
            "stepi 2",
            "delete",
            "watch *(unsigned char*)&overflows",
            "continue",
            "delete",
            "rwatch *(unsigned char*)&overflows",
            "continue",
            "delete",
            "break cyclescope_stop",
            "continue",
            "monitor cycles",
            "set $r4 = 0x5a",
            "print/x $r4",
            "print/x *(unsigned char*)4",
            "set *(unsigned char*)&ping = 0xab",
            "print/x *(unsigned char*)&ping",
            "kill",
        ],
    );
    contains(&said, &["Breakpoint 1, cyclescope_start", "Hardware watchpoint 2", "New value = 1"]);
    contains(&said, &["Hardware read watchpoint 3", "Breakpoint 4, cyclescope_stop", "0xab"]);
    // r4 as a register and at its address in the data space.
    assert_eq!(said.matches("0x5a").count(), 2, "{said}");
    assert_eq!(numbers(&said), cycles(image, "atmega328p", &["cyclescope_start", "cyclescope_stop"]), "{said}");
}

/// gdb takes the stop of a watchpoint of these cores to come before the access, and goes one instruction on by itself: into
/// what is called behind a store, if it is not told the store's own place.
#[test]
fn a_watched_store_stops_behind_itself_and_not_behind_the_call_after_it() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    // r0 = 7; r1 = 0x20000000; *r1 = r0; callee(); and again; and what is called.
    let code = [0x2000_1000, 0x0800_0009, 0x4902_2007, 0xF000_6008, 0xE7F9_F803, 0x2000_0000, 0x4770_3001];
    let arm = elf::arm(0x0800_0000, &code, &[("caller", 9, 12), ("callee", 0x19, 4)]);
    // The same with a0, a1 and 0x80001000.
    let call = [0x0000_1517, 0x0070_0593, 0x00B5_2023, 0x0080_00EF, 0xFF1F_F06F, 0x0016_0613, 0x0000_8067];
    let riscv = elf::riscv(0x8000_0000, &call, &[("caller", 0, 20), ("callee", 20, 8)]);
    for (image, chip, data, behind) in [
        (arm, "stm32f446re", "0x20000000", "0x0800000e in caller ()"),
        (riscv, "virt", "0x80001000", "0x8000000c in caller ()"),
    ] {
        let run = |first: &[&str]| {
            let then = ["continue", "monitor cycles", "break *callee", "continue", "monitor cycles", "kill"];
            debug_on("gdb-multiarch", Server::of(&image, chip), &[first, &then].concat()).0
        };
        let stop = format!("break *{}", &behind[..10]);
        let alone = numbers(&run(&[&stop]));
        assert_eq!(alone.len(), 2);
        for kind in ["watch", "awatch"] {
            let watch = format!("{kind} *(unsigned*){data}");
            // Of two reasons to stop gdb names the one that was asked for first.
            for first in [&[&*watch][..], &[&*watch, &*stop]] {
                let said = run(first);
                contains(&said, &["Old value = 0", "New value = 7", behind, "callee ()"]);
                assert_eq!(numbers(&said), alone, "{said}");
            }
        }
    }
}

/// Addresses may have their highest bit set: gdb's own constants must not be signed.
#[test]
fn a_trap_vector_can_be_stopped_at_wherever_it_lies() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    // mtvec = pc + 64; ECALL.
    let mut code = [0x0000_0297, 0x0402_8293, 0x3052_9073, 0x0000_0073].to_vec();
    code.resize(16, 0x0000_006F);
    code.push(0x0000_006F);
    let image = elf::riscv(0x8000_0000, &code, &[("caller", 0, 64), ("handler", 64, 4)]);
    let vector = "tbreak *(unsigned)($mtvec & ~3)";
    let commands = ["stepi 3", "set language rust", "set language c", vector, "continue", "kill"];
    let (said, _) = debug_on("gdb-multiarch", Server::of(&image, "virt"), &commands);
    contains(&said, &["Temporary breakpoint 1, 0x80000040 in handler ()"]);
}

#[test]
fn the_guests_output_and_exit_code_come_out_meanwhile() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    let (said, end) = debug("gdb-multiarch", C_LOOP, "stm32f446ze", &["continue", "monitor why", "detach"]);
    contains(&said, &["SIGSTOP", "the guest sleeps and nothing can wake it"]);
    assert!(text(&end.stdout).contains("cyclescope switch contender=c-loop"), "{end:?}");
    // Detached, it runs on without a debugger, to the end that it has without one.
    assert_eq!(end.status.code(), Some(81));
}

/// A packet of gdb's protocol.
fn packet(body: &str) -> Vec<u8> {
    let sum = body.bytes().fold(0u8, |sum, byte| sum.wrapping_add(byte));
    format!("${body}#{sum:02x}").into_bytes()
}

/// Reads up to the end of the next packet.
fn reply(stream: &mut TcpStream) -> String {
    let (mut text, mut byte) = (String::new(), [0]);
    while !text.contains('#') {
        stream.read_exact(&mut byte).expect("an answer");
        text.push(byte[0] as char);
    }
    stream.read_exact(&mut [0; 2]).expect("its sum");
    text
}

#[test]
fn ctrl_c_interrupts_a_running_guest() {
    let mut server = Server::start(SPINNING, "stm32f446re");
    let mut stream = server.connect();
    stream.write_all(&packet("vCont;c")).unwrap();
    server.until_said(SPINS);
    stream.write_all(&[3]).unwrap();
    let said = reply(&mut stream);
    assert!(said.contains("$T02") || said.contains("$S02"), "{said}");
    stream.write_all(b"+").unwrap();
    stream.write_all(&packet("k")).unwrap();
    assert_eq!(server.end().status.code(), Some(130));
}

#[test]
fn peers_that_vanish_or_talk_nonsense_end_the_run_and_nothing_else() {
    // Gone while the guest stands, and while it runs.
    let server = Server::start(C_LOOP, "stm32f446ze");
    drop(server.connect());
    let end = server.end();
    assert_eq!(end.status.code(), Some(130), "{end:?}");
    assert!(text(&end.stderr).contains("the debugger is gone at cycle 0"), "{end:?}");
    let mut server = Server::start(SPINNING, "stm32f446re");
    let mut stream = server.connect();
    stream.write_all(&packet("vCont;c")).unwrap();
    server.until_said(SPINS);
    drop(stream);
    assert!(matches!(server.end().status.code(), Some(130)));

    let long = [b"$m".as_slice(), &[b'0'; 9000], b"#00"].concat();
    let nonsense: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        &[0xFF; 300],
        b"$#00$$$$####",
        &long,
        &[packet("m0,ffffffff"), packet("Mffffffff,4:01020304"), packet("P9999=00"), packet("G00")].concat(),
        &[
            packet("Z0,0,99999999"),
            packet("Z2,ffffffff,ffffffff"),
            packet("vCont;s"),
            packet("qXfer:features:read:x:ffffffffffffffff,ffff"),
        ]
        .concat(),
    ];
    for bytes in nonsense {
        let server = Server::start(C_LOOP, "stm32f446ze");
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        assert!(server.end().status.code().is_some(), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_port_in_use_is_told() {
    let server = Server::start(C_LOOP, "stm32f446ze");
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let second =
        Command::new(PROGRAM).args(["exec", &server.elf, "--chip", "stm32f446ze", "--gdb", &port]).output().unwrap();
    assert_eq!(second.status.code(), Some(66));
    assert!(text(&second.stderr).contains("cannot be listened on"), "{second:?}");
    drop(server.connect());
    server.end();
}
