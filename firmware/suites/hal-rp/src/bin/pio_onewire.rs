//! Two thermometers DS18B20 on one wire at GPIO5 by PIO: their addresses are searched, one converts with external power, and each is asked
//! for what it has.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::peripherals::PIO0;
use embassy_rp::pio::{InterruptHandler, Pio};
use embassy_rp::pio_programs::onewire::{PioOneWire, PioOneWireProgram, PioOneWireSearch};
use embassy_rp::{bind_interrupts, peripherals};
use embassy_time::{Duration, Instant};

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
});

const MATCH_ROM: u8 = 0x55;
const SKIP_ROM: u8 = 0xCC;
const CONVERT: u8 = 0x44;
const WRITE_SCRATCHPAD: u8 = 0x4E;
const READ_SCRATCHPAD: u8 = 0xBE;

/// The check of the manual's polynomial over `bytes`, lowest bits first.
fn crc(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc: u8, byte| {
        (0..8).fold(crc, |crc, bit| {
            let mixed = (crc ^ byte >> bit) & 1;
            crc >> 1 ^ if mixed != 0 { 0x8C } else { 0 }
        })
    })
}

async fn select(wire: &mut PioOneWire<'_, PIO0, 0>, address: u64) {
    check("present", wire.reset().await, true);
    wire.write_bytes(&[MATCH_ROM]).await;
    wire.write_bytes(&address.to_le_bytes()).await;
}

/// The temperature, the limits and the configuration.
async fn scratchpad(wire: &mut PioOneWire<'_, PIO0, 0>, address: u64) -> [u8; 5] {
    select(wire, address).await;
    wire.write_bytes(&[READ_SCRATCHPAD]).await;
    let mut bytes = [0; 9];
    wire.read_bytes(&mut bytes).await;
    check("check of the scratchpad", crc(&bytes), 0);
    bytes.first_chunk().copied().unwrap()
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, sm0, .. } = Pio::new(p.PIO0, Irqs);
    let program = PioOneWireProgram::new(&mut common);
    let mut wire = PioOneWire::new(&mut common, sm0, p.PIN_5, &program);

    let mut search = PioOneWireSearch::new();
    let mut found = [0; 2];
    for place in &mut found {
        *place = search.next(&mut wire).await.unwrap();
        check("check of an address", crc(&place.to_le_bytes()), 0);
        check("family", *place as u8, 0x28);
    }
    check("all found", search.is_finished(), true);
    // By serial numbers: the check lies above them.
    found.sort_unstable_by_key(|address| address << 8);
    check("serial numbers", found.map(|address| address << 8 >> 16), [0x0000_0A0B_0C0D, 0xFEDC_BA98_7654]);

    // Power-on leaves 85 °C, and 12 bits.
    check("before a conversion", scratchpad(&mut wire, found[0]).await, [0x50, 0x05, 0x4B, 0x46, 0x7F]);
    select(&mut wire, found[0]).await;
    // 9 bits: a conversion takes an eighth of the time.
    wire.write_bytes(&[WRITE_SCRATCHPAD, 30, 10, 0x1F]).await;
    for address in found {
        select(&mut wire, address).await;
        wire.write_bytes(&[CONVERT]).await;
        let begun = Instant::now();
        let mut ready = [0];
        while ready[0] == 0 {
            wire.read_bytes(&mut ready).await;
        }
        let took = begun.elapsed().as_millis();
        within("milliseconds", took, if address == found[0] { 93..=95 } else { 749..=752 });
    }
    check("21.4375 °C in halves", scratchpad(&mut wire, found[0]).await, [0x50, 0x01, 30, 10, 0x1F]);
    check("-10.125 °C", scratchpad(&mut wire, found[1]).await, [0x5E, 0xFF, 0x4B, 0x46, 0x7F]);

    // With the wire held high for the time, as those need it that have no other power.
    check("present", wire.reset().await, true);
    wire.write_bytes_pullup(&[SKIP_ROM, CONVERT], Duration::from_millis(750)).await;
    check("again", scratchpad(&mut wire, found[1]).await, [0x5E, 0xFF, 0x4B, 0x46, 0x7F]);
    done()
}
