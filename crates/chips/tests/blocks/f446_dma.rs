//! DMA1 and DMA2 of STM32F446 (RM0390, "Direct memory access controller").

use cyclescope_chips::{Machine, MemorySetting, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, Peripherals, Stop};

use crate::bench::Bench;
use crate::f446_clocks::{enabled, fast};

const DMA1: u32 = 0x4002_6000;
const DMA2: u32 = 0x4002_6400;
const GPIOB: u32 = 0x4002_0400;
const USART2: u32 = 0x4000_4400;
const USART3: u32 = 0x4000_4800;
const USART3_LINE: usize = 39;
const RAM: u32 = 0x2000_0000;
/// One transfer between RAM and an APB that is not divided: 3 cycles to its first access, which takes 1 or 2, 2 to the
/// second, which takes 2 or 1 and is seen in its last cycle.
const TRANSFER: u64 = 7;
/// The same inside RAM.
const IN_RAM: u64 = 6;
const TCIE: u32 = 1 << 4;
const HTIE: u32 = 1 << 3;
const MINC: u32 = 1 << 10;

fn stream(bench: &mut Bench, dma: u32, number: u32, peripheral: u32, memory: u32, count: u32, cr: u32) {
    let base = dma + 0x10 + 0x18 * number;
    bench.write(base + 0x08, peripheral);
    bench.write(base + 0x0C, memory);
    bench.write(base + 0x04, count);
    bench.write(base, cr);
    bench.write(base, cr | 1);
}

#[test]
fn only_dma2_moves_memory_to_memory() {
    let mut bench = enabled();
    bench.write(RAM, 0x1122_3344);
    bench.write(RAM + 4, 0x5566_7788);
    // PSIZE bytes, MSIZE words, both pointers grow: the same bytes, packed.
    let cr = 2 << 6 | 1 << 9 | MINC | 2 << 13 | TCIE | HTIE;
    stream(&mut bench, DMA2, 0, RAM, RAM + 0x100, 8, cr);
    assert_eq!(bench.until_line(56, 1000), Some(4 * IN_RAM), "half");
    bench.pass(4 * IN_RAM);
    assert_eq!(bench.read(DMA2), 0x30, "HTIF0 and TCIF0");
    assert_eq!([bench.read(RAM + 0x100), bench.read(RAM + 0x104)], [0x1122_3344, 0x5566_7788]);
    assert_eq!(bench.read(DMA2 + 0x10) & 1, 0, "EN falls at the end");
    bench.write(DMA2 + 8, 0x30);
    assert!(!bench.bus.shared.interrupts.is_high(56));
    stream(&mut bench, DMA1, 0, RAM, RAM + 0x200, 8, cr);
    assert_eq!(bench.gaps(GapKind::Setting), ["DMA1 stream 0: DIR is not possible"]);
    assert_eq!(bench.read(DMA1), 1 << 3, "TEIF0");
}

#[test]
fn a_uart_is_fed_by_the_stream_that_selects_it() {
    let mut bench = enabled();
    for (index, byte) in b"hello".iter().enumerate() {
        bench.write(RAM + index as u32, u32::from(*byte));
    }
    bench.write(USART2 + 0x08, 100);
    bench.write(USART2 + 0x14, 1 << 7);
    bench.write(USART2 + 0x0C, 1 << 13 | 1 << 3);
    // USART2_TX is channel 4 of stream 6; channel 3 is not.
    stream(&mut bench, DMA1, 6, USART2 + 4, RAM, 5, 3 << 25 | 1 << 6 | MINC | TCIE);
    assert_eq!(bench.until_line(17, 100_000), None);
    bench.write(DMA1 + 0x10 + 0x18 * 6, 0);
    bench.write(DMA1 + 0x0C, 0x3D << 16);
    stream(&mut bench, DMA1, 6, USART2 + 4, RAM, 5, 4 << 25 | 1 << 6 | MINC | TCIE);
    assert!(bench.until_line(17, 100_000).is_some());
    bench.pass(100 * 10 * 2);
    assert_eq!(bench.uart(2), b"hello");
}

#[test]
fn a_message_leaves_by_dma_and_the_port_tells_when_the_last_bit_is_out() {
    // USART3_TX is channel 4 of stream 3 and channel 7 of stream 4 (RM0390, "DMA1 request mapping").
    for (number, channel, line) in [(3, 4, 14), (4, 7, 15)] {
        let mut bench = enabled();
        for (index, byte) in b"Button is 1 (7)\n".iter().enumerate() {
            bench.write(RAM + index as u32, u32::from(*byte));
        }
        // PB10 is its TX (DS10693, AF7).
        bench.write(GPIOB, 0x0020_0280);
        bench.write(GPIOB + 0x24, 0x700);
        bench.write(USART3 + 0x08, 100);
        bench.write(USART3 + 0x0C, 1 << 13 | 1 << 3);
        bench.pass(1000);
        // RM0390, "Transmission using DMA": TC is cleared before the stream runs.
        bench.write(USART3, !(1 << 6));
        bench.write(USART3 + 0x0C, 1 << 13 | 1 << 3 | 1 << 6);
        stream(&mut bench, DMA1, number, USART3 + 4, RAM, 16, channel << 25 | 1 << 6 | MINC | TCIE);
        let began = bench.now;
        bench.write(USART3 + 0x14, 1 << 7);
        // The first byte goes straight on to the shift register, the second waits in DR, each further one comes as the
        // one before it starts.
        let done = bench.until_line(line, 100_000);
        assert_eq!(done, Some(began + TRANSFER + 14 * 1000 + TRANSFER), "the last byte is in DR");
        assert!(!bench.bus.shared.interrupts.is_high(USART3_LINE));
        let (low, high) = (bench.read(DMA1), bench.read(DMA1 + 4));
        assert_eq!(if number == 3 { low >> 22 } else { high } & 1 << 5, 1 << 5, "TCIF");
        assert_eq!(bench.read(DMA1 + 0x10 + 0x18 * number) & 1, 0, "the stream is off");
        assert_eq!(bench.until_line(USART3_LINE, 100_000), Some(began + TRANSFER + 16 * 1000), "TC: the line is quiet");
        assert_eq!(bench.uart(3), b"Button is 1 (7)\n");
        assert!(bench.gaps(GapKind::Setting).is_empty());
        // Again, as a driver does for its next message.
        bench.write(DMA1 + 8, 0x3D << 22);
        bench.write(DMA1 + 0x0C, 0x3D);
        bench.write(USART3, !(1 << 6));
        assert!(!bench.bus.shared.interrupts.is_high(USART3_LINE) && !bench.bus.shared.interrupts.is_high(line));
        stream(&mut bench, DMA1, number, USART3 + 4, RAM, 6, channel << 25 | 1 << 6 | MINC | TCIE);
        assert!(bench.until_line(USART3_LINE, 100_000).is_some());
        assert_eq!(bench.uart(3), b"Button is 1 (7)\nButton");
    }
}

#[test]
fn circular_and_double_buffered_streams_go_on() {
    let mut bench = enabled();
    bench.write(USART2 + 0x08, 100);
    bench.write(USART2 + 0x14, 1 << 6);
    bench.write(USART2 + 0x0C, 1 << 13 | 1 << 2);
    let base = DMA1 + 0x10 + 0x18 * 5;
    bench.write(base + 0x10, RAM + 0x80);
    stream(&mut bench, DMA1, 5, USART2 + 4, RAM, 2, 4 << 25 | 1 << 18 | MINC);
    bench.stimulate(0, Stimulus::Uart { number: 2, bytes: b"abcdef".to_vec() });
    bench.pass(6 * 1000 + 100);
    assert_eq!(bench.read(RAM) & 0xFFFF, u32::from(u16::from_le_bytes(*b"ef")), "the third round is in M0 again");
    assert_eq!(bench.read(RAM + 0x80) & 0xFFFF, u32::from(u16::from_le_bytes(*b"cd")));
    assert_eq!(bench.read(base) & (1 << 19 | 1), 1 << 19 | 1, "CT: M1 is next");
    assert_eq!(bench.read(base + 4), 2, "NDTR is loaded again");
    bench.write(base + 0x0C, RAM + 0x40);
    assert_eq!(bench.read(base + 0x0C), RAM + 0x40, "the memory not in use takes a new address");
    bench.write(base + 0x10, RAM);
    assert_eq!(bench.read(base + 0x10), RAM + 0x80, "the one in use does not");
    bench.write(base, 0);
    assert_ne!(bench.read(DMA1 + 4) & 1 << 11, 0, "TCIF5 when a stream is switched off");
}

#[test]
fn a_timer_asks_once_an_update() {
    let mut bench = enabled();
    const TIM3: u32 = 0x4000_0400;
    const GPIOA_ODR: u32 = 0x4002_0014;
    for (index, value) in [1u32, 0, 1].into_iter().enumerate() {
        bench.write(RAM + 4 * index as u32, value);
    }
    bench.write(0x4002_0000, 0xA800_0001);
    // TIM3_UP is channel 5 of stream 2.
    stream(&mut bench, DMA1, 2, GPIOA_ODR, RAM, 3, 5 << 25 | 2 << 13 | 2 << 11 | 1 << 6 | MINC);
    bench.write(TIM3 + 0x2C, 99);
    bench.write(TIM3 + 0x0C, 1 << 8);
    bench.write(TIM3, 1);
    bench.pass(1000);
    let edges = bench.edges(0, 0);
    assert_eq!(edges, [(101 + IN_RAM, true), (201 + IN_RAM, false), (301 + IN_RAM, true)], "ports are on the AHB");
}

const TIM2_CNT: u32 = 0x4000_0024;
const TIM2_ARR: u32 = 0x4000_002C;
/// Between memories: 32 bits, the source stands still.
const WORDS: u32 = 2 << 6 | 2 << 11 | 2 << 13;

/// Returns the cycles, beyond one, that the core waits for a register of TIM2 if it asks `after` cycles from now.
fn core_asks(bench: &mut Bench, after: u64) -> i32 {
    let at = bench.now + after;
    let first = bench.bus.peripherals.extra_cycles(Address::new(TIM2_CNT), false, Cycles::new(at));
    assert!(first > 0);
    bench.pass(after);
    bench.bus.peripherals.extra_cycles(Address::new(TIM2_CNT), false, Cycles::new(at))
}

#[test]
fn whoever_finds_a_bridge_taken_waits_for_its_end() {
    // A transfer that is asked for at 0 has the bridge in 3 and 4.
    for (asks, waits, read_in) in [(1, 1, 4), (2, 1, 5), (3, 3, 4), (4, 2, 4), (5, 1, 4)] {
        let mut bench = enabled();
        bench.bus.peripherals.extra_cycles(Address::new(TIM2_CNT), false, Cycles::new(bench.now));
        bench.pass(10);
        stream(&mut bench, DMA2, 0, TIM2_ARR, RAM, 1, WORDS);
        let began = bench.now;
        assert_eq!(core_asks(&mut bench, asks), waits, "the core asks {asks} cycles after the request");
        // Two cycles on, the word is written.
        while bench.bus.memory.ram.bytes()[..4] == [0; 4] {
            bench.pass(1);
        }
        assert_eq!(bench.now - began, read_in + 3, "the core asks {asks} cycles after the request");
    }
}

/// Round robin: of two who ask in the same cycle, the one that has had the bridge last waits.
#[test]
fn of_two_who_ask_together_the_one_goes_first_who_did_not_go_last() {
    let mut bench = enabled();
    let all = |bench: &mut Bench| stream(bench, DMA2, 0, TIM2_ARR, RAM, 1, WORDS);
    all(&mut bench);
    assert_eq!(core_asks(&mut bench, 3), 3, "nobody has had it: the transfer");
    bench.pass(20);
    bench.write(DMA2 + 8, 0x3D);
    all(&mut bench);
    assert_eq!(core_asks(&mut bench, 3), 3, "the core has had it last");
    bench.pass(20);
    bench.write(DMA2 + 8, 0x3D);
    all(&mut bench);
    bench.pass(20);
    bench.write(DMA2 + 8, 0x3D);
    all(&mut bench);
    assert_eq!(core_asks(&mut bench, 3), 1, "the transfer has had it last");
}

/// The APB1 at a quarter of HCLK: the read begins at one of its edges and takes eight cycles.
#[test]
fn a_transfer_waits_for_a_divided_bus_as_the_core_does() {
    let mut waits = Vec::new();
    for offset in 0..4 {
        let mut bench = fast();
        bench.pass(100 + offset);
        let core =
            bench.clone().bus.peripherals.extra_cycles(Address::new(TIM2_CNT), false, Cycles::new(bench.now + 3));
        let wait = u64::try_from(core - 7).unwrap();
        stream(&mut bench, DMA2, 0, TIM2_ARR, RAM, 1, WORDS);
        let began = bench.now;
        while bench.bus.memory.ram.bytes()[..4] == [0; 4] {
            bench.pass(1);
        }
        assert_eq!(bench.now - began, 3 + wait + 7 + 3, "after a wait of {wait}");
        waits.push(wait);
    }
    waits.sort_unstable();
    assert_eq!(waits, [0, 1, 2, 3]);
}

/// Starts stream 0 of DMA2 with `count` words inside SRAM1 (none if 0), loads 60 words from `address`, one a cycle, and
/// stays there. Gives the cycles from the start of the stream to the end of the loads.
fn loads_beside(count: u32, address: u32, single: bool) -> u64 {
    const FLASH: u32 = 0x0800_0000;
    const CODE: u32 = FLASH + 0x200;
    let cr = if count > 0 { WORDS | 1 << 10 | 1 } else { WORDS };
    // LDR r0..r6 of literals; RCC_AHB1ENR, PAR, M0AR, NDTR; then STR r5, [r1] starts it.
    let mut code: Vec<u16> = vec![
        0x4827, 0x4928, 0x4A28, 0x4B29, 0x4C29, 0x4D2A, 0x4E2A, // LDR rN, [pc, #…]
        0x6002, 0x608B, 0x3B80, 0x3380, 0x60CB, 0x604C, 0xBF00, 0x600D, // the registers, and off it goes
    ];
    let started = CODE + 2 * (code.len() as u32 - 1);
    code.extend([0x6837; 60]);
    let end = CODE + 2 * code.len() as u32;
    code.push(0xE7FE);
    code.extend([0xBF00].repeat(code.len() % 2));
    let literals = [0x4002_3830, DMA2 + 0x10, 1 << 22, RAM, count.max(1), cr, address];
    let base = CODE + 2 * code.len() as u32;
    assert_eq!(base % 4, 0);
    for (index, halfword) in code.iter_mut().take(7).enumerate() {
        let from = (CODE + 2 * index as u32 + 4) & !3;
        *halfword = *halfword & 0xFF00 | ((base + 4 * index as u32 - from) / 4) as u16;
    }
    let mut flash: Vec<u8> =
        [0x2001_0000, CODE | 1].iter().cycle().take(0x80).flat_map(|word: &u32| word.to_le_bytes()).collect();
    flash.extend(code.iter().flat_map(|halfword| halfword.to_le_bytes()));
    flash.extend(literals.iter().flat_map(|word: &u32| word.to_le_bytes()));
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    let part = Part::find("stm32f446ze").unwrap();
    let mut machine = Machine::new(part, settings, [(Address::new(FLASH), &flash[..])]).unwrap();
    let mut began = None;
    machine.watch(Address::new(started));
    machine.watch(Address::new(end));
    loop {
        let until = if single { machine.now().saturating_add(Cycles::new(1)) } else { Cycles::new(10_000) };
        match machine.run(until) {
            Stop::Watch(address) if address.get() == started => began = Some(machine.now().get()),
            Stop::Watch(_) => return machine.now().get() - began.unwrap(),
            Stop::Horizon if single => {}
            stop => panic!("{stop:?}"),
        }
    }
}

/// RM0390, "System architecture": SRAM1 and SRAM2 are slaves of their own.
#[test]
fn a_transfer_takes_a_cycle_of_its_ram_from_the_core_for_each_access() {
    // STR 1, LDR behind it 3 and 59 more that overlap.
    assert_eq!(loads_beside(0, RAM, false), 1 + 3 + 59);
    for single in [false, true] {
        // Each word is read from SRAM1 and written there while the core loads in every cycle.
        for count in 1..=6 {
            assert_eq!(loads_beside(count, RAM + 0x400, single), 63 + 2 * u64::from(count), "{count} words");
            assert_eq!(loads_beside(count, 0x2001_C000, single), 63, "SRAM2 is another slave");
        }
    }
}

#[test]
fn flash_is_read_through_its_interface() {
    let mut bench = Bench::of("stm32f446ze", MemorySetting::Shipped);
    bench.write(0x4002_3830, u32::MAX);
    // FLASH_ACR: 5 wait states, no caches.
    bench.write(0x4002_3C00, 5);
    let stall = u64::from(bench.bus.memory.flash.interface().timing().wait_states);
    assert_eq!(stall, 5);
    stream(&mut bench, DMA2, 0, 0x0800_0100, RAM, 1, WORDS);
    let began = bench.now;
    while bench.bus.memory.ram.bytes()[..4] == [0; 4] {
        bench.pass(1);
    }
    assert_eq!(bench.now - began, IN_RAM + stall);
}
