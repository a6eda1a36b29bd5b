//! DMA1 and DMAMUX (RM0490, "Direct memory access controller", "DMA request multiplexer"), CRC.

use crate::bench::Bench;

const DMA: u32 = 0x4002_0000;
const DMAMUX: u32 = 0x4002_0800;
const USART2: u32 = 0x4000_4400;
const RAM: u32 = 0x2000_0000;
const CRC: u32 = 0x4002_3000;
const DMA1_CHANNEL1_LINE: usize = 9;
const DMA1_CHANNEL2_3_LINE: usize = 10;
/// One transfer between RAM and an APB that is not divided: 2 cycles to its first access, which takes 1 or 2, 2 to the
/// second, which takes 2 or 1 and is seen in its last cycle.
const TRANSFER: u64 = 6;
/// The same inside RAM.
const IN_RAM: u64 = 5;

fn channel(bench: &mut Bench, number: u32, peripheral: u32, memory: u32, count: u32, ccr: u32) {
    let base = DMA + 0x14 * (number - 1);
    bench.write(base + 0x10, peripheral);
    bench.write(base + 0x14, memory);
    bench.write(base + 0x0C, count);
    bench.write(base + 0x08, ccr);
}

#[test]
fn memory_moves_to_memory_with_its_widths() {
    let mut bench = Bench::fast();
    for (index, word) in [0x1122_3344u32, 0x5566_7788].into_iter().enumerate() {
        bench.write(RAM + 4 * index as u32, word);
    }
    // From "peripheral" (PINC, 32 bits) to memory (MINC, 16 bits): truncated.
    let ccr = 1 << 14 | 2 << 8 | 1 << 10 | 1 << 7 | 1 << 6 | 2 | 4 | 1;
    channel(&mut bench, 1, RAM, RAM + 0x100, 2, ccr);
    let half = bench.until_line(DMA1_CHANNEL1_LINE, 1000);
    assert_eq!(half, Some(IN_RAM), "half transfer");
    assert_eq!(bench.read(DMA) & 0xF, 0b101);
    bench.pass(IN_RAM);
    assert_eq!(bench.read(DMA) & 0xF, 0b111);
    assert_eq!(bench.read(RAM + 0x100), 0x7788_3344);
    assert_eq!(bench.read(DMA + 0x0C), 0, "CNDTR");
    bench.write(DMA + 4, 1);
    assert_eq!(bench.read(DMA), 0, "CGIF clears all");
    assert!(!bench.bus.shared.interrupts.is_high(DMA1_CHANNEL1_LINE));
}

#[test]
fn a_uart_is_fed_at_its_requests() {
    let mut bench = Bench::fast();
    for (index, byte) in b"hello".iter().enumerate() {
        bench.write(RAM + index as u32, u32::from(*byte));
    }
    bench.write(USART2 + 0x0C, 100);
    bench.write(USART2 + 0x08, 1 << 7);
    bench.write(DMAMUX + 4, 53);
    channel(&mut bench, 2, USART2 + 0x28, RAM, 5, 1 << 7 | 1 << 4 | 2 | 1);
    bench.write(USART2, 1 | 8);
    assert!(bench.until_line(DMA1_CHANNEL2_3_LINE, 100_000).is_some());
    bench.pass(100 * 10 * 2);
    assert_eq!(bench.uart(2), b"hello");
}

#[test]
fn a_message_leaves_by_dma_and_the_port_tells_when_the_last_bit_is_out() {
    const USART2_LINE: usize = 28;
    let mut bench = Bench::fast();
    for (index, byte) in b"Button is 0 (8)\n".iter().enumerate() {
        bench.write(RAM + index as u32, u32::from(*byte));
    }
    bench.write(USART2 + 0x0C, 100);
    // DMAT while UE is off, as on a board; TE sends its idle frame.
    bench.write(USART2 + 0x08, 1 << 7);
    bench.write(USART2, 1 | 8);
    bench.pass(1000);
    bench.write(USART2 + 0x20, 1 << 6);
    bench.write(USART2, 1 | 8 | 1 << 6);
    bench.write(DMAMUX + 4, 53);
    let began = bench.now;
    channel(&mut bench, 2, USART2 + 0x28, RAM, 16, 1 << 7 | 1 << 4 | 2 | 1);
    let done = bench.until_line(DMA1_CHANNEL2_3_LINE, 100_000);
    assert_eq!(done, Some(began + TRANSFER + 14 * 1000 + TRANSFER), "the last byte is in TDR");
    assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE));
    assert_eq!(bench.read(DMA) & 0xF0, 0x70, "GIF, TCIF and HTIF of channel 2");
    assert_eq!(bench.until_line(USART2_LINE, 100_000), Some(began + TRANSFER + 16 * 1000), "TC: the line is quiet");
    assert_eq!(bench.uart(2), b"Button is 0 (8)\n");
    bench.write(DMA + 4, 0xF0);
    bench.write(USART2 + 0x20, 1 << 6);
    assert!(!bench.bus.shared.interrupts.is_high(DMA1_CHANNEL2_3_LINE));
    assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE));
}

#[test]
fn received_bytes_go_to_memory_as_they_come() {
    use cyclescope_chips::Stimulus;
    let mut bench = Bench::fast();
    bench.write(DMAMUX + 8, 52);
    channel(&mut bench, 3, USART2 + 0x24, RAM, 8, 1 << 7 | 1 << 5 | 1);
    bench.write(USART2 + 0x0C, 100);
    bench.write(USART2 + 0x08, 1 << 6);
    bench.write(USART2, 1 | 4);
    bench.stimulate(5, Stimulus::Uart { number: 2, bytes: b"0123456789".to_vec() });
    bench.pass(5 + 10 * 1000 + TRANSFER);
    assert_eq!(bench.read(RAM), u32::from_le_bytes(*b"8923"), "circular over eight bytes");
    assert_eq!(bench.read(USART2 + 0x1C) & 8, 0, "no overrun");
}

#[test]
fn a_request_taken_back_by_a_transfer_is_not_served_again() {
    use cyclescope_chips::Stimulus;
    let mut bench = Bench::fast();
    bench.write(DMAMUX, 53);
    bench.write(DMAMUX + 4, 52);
    channel(&mut bench, 2, USART2 + 0x24, RAM, 4, 1 << 7 | 1);
    bench.write(USART2 + 0x0C, 100);
    // The transmitter asks all the time; its channel is off.
    bench.write(USART2 + 0x08, 1 << 6 | 1 << 7);
    bench.write(USART2, 1 | 4 | 8);
    bench.stimulate(5, Stimulus::Uart { number: 2, bytes: b"ping".to_vec() });
    bench.pass(10_000);
    assert_eq!(bench.read(RAM), u32::from_le_bytes(*b"ping"));
}

#[test]
fn the_higher_priority_goes_first() {
    let mut bench = Bench::fast();
    let memory_to_memory = 1 << 14 | 2 << 8 | 2 << 10 | 1;
    channel(&mut bench, 1, RAM, RAM + 0x10, 3, memory_to_memory);
    channel(&mut bench, 2, RAM, RAM + 0x20, 1, memory_to_memory | 2 << 12);
    bench.pass(2 * IN_RAM);
    let left = [bench.read(DMA + 0x0C), bench.read(DMA + 0x20)];
    assert_eq!(left, [2, 0], "channel 1 had begun, then channel 2 went before it");
    channel(&mut bench, 3, RAM, RAM + 0x30, 2, memory_to_memory);
    bench.pass(2 * IN_RAM);
    let left = [bench.read(DMA + 0x0C), bench.read(DMA + 0x34)];
    assert_eq!(left, [0, 2], "of equal priorities the lower channel");
}

#[test]
fn half_transfer_comes_at_half() {
    let mut bench = Bench::fast();
    channel(&mut bench, 1, RAM, RAM + 0x100, 8, 1 << 14 | 4 | 1);
    assert_eq!(bench.until_line(DMA1_CHANNEL1_LINE, 1000), Some(4 * IN_RAM));
}

#[test]
fn a_circular_channel_starts_over_and_a_timer_asks_once_per_update() {
    let mut bench = Bench::fast();
    const TIM3: u32 = 0x4000_0400;
    bench.write(RAM, 0x0010_0001);
    bench.write(DMAMUX, 37);
    // Half-words to GPIOA_ODR.
    bench.write(0x5000_0000, 0xEBFF_FDFD | 0x1);
    channel(&mut bench, 1, 0x5000_0014, RAM, 2, 1 << 10 | 1 << 8 | 1 << 7 | 1 << 5 | 1 << 4 | 1);
    bench.write(TIM3 + 0x2C, 99);
    bench.write(TIM3 + 0x0C, 1 << 8);
    bench.write(TIM3, 1);
    bench.pass(1 + 100 * 5 + 50);
    assert_eq!(bench.edges(0, 0).len(), 5, "five updates: 1, 0x10, 1, 0x10, 1");
    assert_eq!(bench.read(0x5000_0014), 1);
}

#[test]
fn a_transfer_to_nowhere_is_an_error_and_disables_the_channel() {
    let mut bench = Bench::fast();
    channel(&mut bench, 1, 0x9000_0000, RAM, 2, 1 << 14 | 1 << 3 | 1);
    assert_eq!(bench.until_line(DMA1_CHANNEL1_LINE, 1000), Some(2), "where it would be read");
    assert_eq!(bench.read(DMA) & 0xF, 0b1001);
    assert_eq!(bench.read(DMA + 8) & 1, 0);
}

#[test]
fn the_crc_of_the_check_string_is_the_catalogues() {
    let mut bench = Bench::fast();
    // CRC-32/ISO-HDLC: reversed in and out, initial value and final inversion of all ones; "123456789" gives CBF43926.
    bench.write(CRC + 8, 1 << 7 | 1 << 5 | 1);
    for byte in b"123456789" {
        bench.try_write(CRC, cyclescope_machine::Width::Byte, u32::from(*byte)).unwrap();
    }
    assert_eq!(!bench.read(CRC), 0xCBF4_3926);
    // CRC-16/CCITT-FALSE (29B1): 16 bits, polynomial 1021, not reversed.
    bench.write(CRC + 0x14, 0x1021);
    bench.write(CRC + 8, 1 << 3 | 1);
    for byte in b"123456789" {
        bench.try_write(CRC, cyclescope_machine::Width::Byte, u32::from(*byte)).unwrap();
    }
    assert_eq!(bench.read(CRC), 0x29B1);
    // A word is its four bytes, the highest first.
    bench.write(CRC + 0x14, 0x04C1_1DB7);
    bench.write(CRC + 8, 1);
    bench.write(CRC, 0x3132_3334);
    assert_eq!(bench.read(CRC), 0xA695_C4AA, "CRC-32/MPEG-2 of 1234");
}
