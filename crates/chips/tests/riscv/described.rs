//! Parts as files describe them.

use cyclescope_chips::{LoadError, Machine, Part, Settings};
use cyclescope_machine::Stop;
use cyclescope_machine::units::Address;

use crate::asm::*;
use crate::machine::*;

const ROM: u32 = 0x2000_0000;
const RAM: u32 = 0x8000_0000;
const HANDLER: u32 = ROM + 0x1000;

const MISA: u32 = 0x301;
const MCYCLE: u32 = 0xB00;
const MCOUNTEREN: u32 = 0x306;
const MENVCFG: u32 = 0x30A;
const MENVCFGH: u32 = 0x31A;
const TIME: u32 = 0xC01;
const TIMEH: u32 = 0xC81;
const HPMCOUNTER3: u32 = 0xC03;
const HPMCOUNTER31H: u32 = 0xC9F;

/// A part with a ROM of 64 MiB, a RAM, and whatever else `rest` describes.
fn part(rest: &str) -> String {
    format!(
        "name = \"mine\"\ncore = \"generic\"\n\
         [[memory]]\nname = \"rom\"\nbase = {ROM:#x}\nbytes = 0x400_0000\nrom = true\n\
         [[memory]]\nname = \"ram\"\nbase = {RAM:#x}\nbytes = 0x1_0000\n{rest}"
    )
}

/// Runs `code` at the part's beginning, on past it to a jump to itself.
fn run(part: &str, code: Vec<u32>) -> Bench {
    let handler = vec![csrrs(10, MCAUSE, 0), HERE];
    let code = [li(7, HANDLER), vec![csrrw(0, MTVEC, 7)], code, vec![HERE]].concat();
    let mut bench = Bench::described(part, &[(ROM, code), (HANDLER, handler)]);
    assert_eq!(bench.finish(1_000), Stop::Horizon);
    bench
}

#[test]
fn a_rom_is_where_it_is_and_nowhere_else() {
    // Where it would reach if it were at 0 as well.
    let clint = "[[device]]\nname = \"clint\"\nkind = \"clint\"\nbase = 0x0200_0000\n";
    let time = run(&part(clint), load(11, 0x0200_BFF8)).x(11);
    assert!((1..10).contains(&time), "{time}");

    let low = "[[memory]]\nname = \"low\"\nbase = 0\nbytes = 0x1000\n";
    let mut bench = run(&part(low), [store(8, 7), load(11, 8)].concat());
    assert_eq!((bench.x(11), bench.x(10), bench.word(8)), (7, 0, 7));
    // And code runs there.
    let bench = run(&part(low), [store(8, addi(11, 0, 5)), store(12, HERE), vec![jalr(0, 0, 8)]].concat());
    assert_eq!((bench.x(11), bench.x(10)), (5, 0));

    let bench = run(&part(""), vec![addi(11, 0, 1), lw(11, 0, 0)]);
    assert_eq!((bench.x(11), bench.x(10)), (1, 5), "load access fault");
    let bench = run(&part(""), vec![jalr(0, 0, 0)]);
    assert_eq!(bench.x(10), 1, "instruction access fault");

    let part = Part::from_toml(&part("")).unwrap();
    let linked_low = Machine::new(&part, Settings::default(), [(Address::ZERO, &[0x6F, 0, 0, 0][..])]);
    assert!(matches!(linked_low.map(|_| ()), Err(LoadError::NoMemory { .. })));
}

#[test]
fn misa_says_what_the_core_is_built_with() {
    for (core, misa) in [
        ("core = \"generic\"", 0x4010_1105),
        ("core = \"generic\"\nextensions = \"im\"\nuser_mode = false", 0x4000_1100),
        ("core = \"generic\"\nextensions = \"ia\"", 0x4010_0101),
        ("core = \"vexriscv\"", 0x4010_1104),
        ("core = \"vexriscv\"\nextensions = \"imac\"\nuser_mode = false", 0x4000_1105),
    ] {
        let text = part("").replace("core = \"generic\"", core);
        let bench = run(&text, vec![csrrs(11, MISA, 0)]);
        assert_eq!((bench.x(11), bench.x(10)), (misa, 0), "{core}");
    }
    for (name, start, misa) in
        [("virt", RAM, 0x4010_1105), ("litex-vexriscv", 0, 0x4010_1104), ("ibex", 0x0010_0080, 0x4010_1104)]
    {
        let bench = Bench::new(name, &[(start, vec![HERE])]);
        assert_eq!(bench.0.register("misa"), Some(misa), "{name}");
    }
}

#[test]
fn time_is_that_of_the_machine_timer_where_there_is_one() {
    let clint = part("[[device]]\nname = \"clint\"\nkind = \"clint\"\nbase = 0x0200_0000\ndivider = 2\n");
    // mtime is 2^32 + 50, then ten instructions pass until time is read.
    let set = [store(0x0200_BFF8, 50), store(0x0200_BFFC, 1)].concat();
    let bench = run(&clint, [set, vec![NOP; 9], vec![csrrs(11, TIME, 0), csrrs(12, TIMEH, 0)]].concat());
    assert!((55..60).contains(&bench.x(11)), "{}", bench.x(11));
    assert_eq!((bench.x(12), bench.x(10)), (1, 0));
    assert!(bench.0.register("time") > Some(bench.x(11)), "a debugger sees it go on");

    for read in [TIME, TIMEH] {
        let bench = run(&part(""), vec![csrrs(11, read, 0)]);
        assert_eq!(bench.x(10), 2, "illegal instruction");
        assert_eq!(bench.0.register("time"), None);
    }
    // mcounteren.TM is there with it.
    let enable = vec![addi(5, 0, -1), csrrw(0, MCOUNTEREN, 5), csrrs(11, MCOUNTEREN, 0)];
    assert_eq!(run(&clint, enable.clone()).x(11), u32::MAX);
    assert_eq!(run(&part(""), enable).x(11), !2);
}

#[test]
fn registers_that_the_architecture_asks_for_are_there_and_user_mode_reads_counters_it_may() {
    for number in [MENVCFG, MENVCFGH, HPMCOUNTER3, HPMCOUNTER31H] {
        let bench = run(&part(""), vec![addi(11, 0, 1), csrrs(11, number, 0)]);
        assert_eq!((bench.x(11), bench.x(10)), (0, 0), "{number:#x}");
    }
    // To user mode, where all may be executed, behind MRET.
    let all = [vec![addi(5, 0, -1), csrrw(0, PMPADDR0, 5)], vec![addi(5, 0, 0x1F), csrrw(0, PMPCFG0, 5)]].concat();
    let to_user = vec![auipc(5, 0), addi(5, 5, 16), csrrw(0, MEPC, 5), MRET];
    let open = part("").replace("core = \"generic\"", "core = \"generic\"\npmp_regions = 4");
    for (enabled, cause) in [(8, 0), (0, 2), (16, 2)] {
        let enable = vec![addi(5, 0, enabled), csrrw(0, MCOUNTEREN, 5)];
        let read = vec![addi(11, 0, 1), csrrs(11, HPMCOUNTER3, 0)];
        let bench = run(&open, [all.clone(), enable, to_user.clone(), read].concat());
        assert_eq!((bench.x(10), bench.x(11)), (cause, u32::from(cause != 0)), "{enabled}");
    }
}

/// A VexRiscv of the variant `imac` on LiteX's bus, with `head` beside; `ram` is said of its main RAM.
fn litex(head: &str, ram: &str) -> String {
    format!(
        "name = \"mine\"\ncore = \"vexriscv\"\nvariant = \"imac\"\nbus = \"litex\"\n{head}\n\
         [[memory]]\nname = \"rom\"\nbase = {ROM:#x}\nbytes = 0x400_0000\nrom = true\n\
         [[memory]]\nname = \"ram\"\nbase = 0x4000_0000\nbytes = 0x400_0000\n{ram}\n\
         [[device]]\nname = \"clint\"\nkind = \"clint\"\nbase = 0xF000_0000\n"
    )
}

#[test]
fn memory_on_litexs_bus_takes_the_time_that_its_options_say() {
    // Loads from lines of main RAM, each behind the other: the cycles from the first to the last.
    let loads: Vec<u32> = (0..16).flat_map(|line| [lw(10, 20, 32 * line), add(11, 10, 10)]).collect();
    let timed = [vec![csrrs(12, MCYCLE, 0)], loads, vec![csrrs(13, MCYCLE, 0)]].concat();
    let cycles = |head: &str, ram: &str| {
        let mut bench =
            Bench::described(&litex(head, ram), &[(ROM, [li(20, 0x4000_0000), timed.clone(), vec![HERE]].concat())]);
        bench.finish(20_000);
        bench.x(13) - bench.x(12)
    };
    let [words, bursts, sdram, small] = [
        cycles("", ""),
        cycles("bus_bursting = true", ""),
        cycles("", "sdram = true"),
        cycles("l2_bytes = 64", "sdram = true"),
    ];
    // Sixteen lines of data and five or six of code, of eight words each: seven of them in a cycle less.
    assert!((16 * 7..=22 * 7 + 7).contains(&(words - bursts)), "{words} and {bursts}");
    // Two lines of the L2 cache for each: fifteen cycles more at least.
    assert!(sdram - words > 16 * 2 * 13, "{sdram} and {words}");
    assert_eq!(small, sdram, "each is loaded once");
}
