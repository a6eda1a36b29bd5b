//! DMA1 and DMA2 of STM32F446 (RM0390, "Direct memory access controller").

use cyclescope_chips::Stimulus;
use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::f446_clocks::enabled;

const DMA1: u32 = 0x4002_6000;
const DMA2: u32 = 0x4002_6400;
const USART2: u32 = 0x4000_4400;
const USART3: u32 = 0x4000_4800;
const USART3_LINE: usize = 39;
const RAM: u32 = 0x2000_0000;
/// The Assumed time of one transfer.
const TRANSFER: u64 = 7;
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
    assert_eq!(bench.until_line(56, 1000), Some(4 * TRANSFER), "half");
    bench.pass(4 * TRANSFER);
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
    assert_eq!(edges, [(101 + TRANSFER, true), (201 + TRANSFER, false), (301 + TRANSFER, true)]);
}
