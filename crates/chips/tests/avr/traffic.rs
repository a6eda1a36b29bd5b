//! Random traffic: bytes arrive once and in order, whatever the rates, and a random use of all registers with devices attached
//! neither panics nor hangs.

use cyclescope_avr::DATA_SPACE;
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::{ATMEGA32U4, ATMEGA328P};
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Access, SignalKind, Voltage, Width};
use proptest::prelude::*;

use crate::asm::*;
use crate::machine::{Machine, nops, pin, set};
use crate::probe::{Probe, attach, heard, watch};

const TWDR: u16 = 0xBB;
const TWCR: u16 = 0xBC;

/// A transfer on I2C: bytes to the target, or their number from it.
#[derive(Clone, Debug)]
enum Transfer {
    Writes(Vec<u8>),
    Reads(u8),
}

fn transfers() -> impl Strategy<Value = Vec<Transfer>> {
    // 0xEE is refused.
    let byte = any::<u8>().prop_map(|byte| if byte == 0xEE { 0 } else { byte });
    let writes = prop::collection::vec(byte, 0..5).prop_map(Transfer::Writes);
    prop::collection::vec(prop_oneof![writes, (1..5u8).prop_map(Transfer::Reads)], 1..6)
}

/// Writes TWCR and waits for TWINT.
fn go(control: u8) -> Vec<u16> {
    [&set(TWCR, control), &lds(17, TWCR)[..], &[sbrs(17, 7), rjmp(-4)]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn bytes_on_i2c_arrive_once_and_in_order(
        all in transfers(), twbr in 0..40u8, stretch in 0..20_000_000u64, repeated in any::<bool>(), watched in any::<bool>(),
    ) {
        let (mut code, mut expected, mut sends, mut received) = (vec![set(0xB8, twbr)], Vec::new(), Vec::new(), 0);
        for transfer in &all {
            code.push(go(0xA4));
            let read = matches!(transfer, Transfer::Reads(_));
            code.extend([set(TWDR, 0x78 | u8::from(read)), go(0x84)]);
            expected.push(if read { "from" } else { "to" }.to_string());
            match transfer {
                Transfer::Writes(bytes) => for byte in bytes {
                    code.extend([set(TWDR, *byte), go(0x84)]);
                    expected.push(format!("{byte:02x}"));
                },
                Transfer::Reads(count) => for index in 0..*count {
                    code.push(go(if index + 1 < *count { 0xC4 } else { 0x84 }));
                    // Into RAM from 0x200 on.
                    code.push([&lds(18, TWDR)[..], &sts(0x200 + received, 18)].concat());
                    received += 1;
                    sends.push((received * 37) as u8);
                },
            }
            if !repeated {
                code.push([&set(TWCR, 0x94), &lds(17, TWCR)[..], &[sbrc(17, 4), rjmp(-4)]].concat());
                expected.push("stop".into());
            }
        }
        code.push(vec![BREAK]);
        let mut machine = Machine::new(&[&code.concat()]);
        if !watched {
            machine.bus.shared.signals = Default::default();
        }
        let mut probe = Probe::i2c(&sends);
        probe.stretch = Picoseconds::new(stretch);
        attach(&mut machine, probe, "TWI", &[]);
        watch(&mut machine);
        prop_assert_eq!(heard(&machine), expected);
        let ram = machine.bus.memory.ram.bytes();
        prop_assert_eq!(&ram[0x100..0x100 + usize::from(received)], &sends[..]);
        prop_assert!(machine.gaps().is_empty(), "{:?}", machine.gaps());
    }

    #[test]
    fn bytes_on_spi_arrive_once_and_in_order(
        bytes in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12), mode in 0..4u8, rate in 0..4u8, double in 0..2u8,
        waits in 0..30usize,
    ) {
        let (sent, sends): (Vec<u8>, Vec<u8>) = bytes.into_iter().unzip();
        let mut code = vec![set(0x25, 4), set(0x24, 0x2C), set(0x4D, double), set(0x4C, 0x50 | mode << 2 | rate), set(0x25, 0)];
        for (index, byte) in (0..).zip(&sent) {
            code.push([&set(0x4E, *byte), &[input(17, 0x2D), sbrs(17, 7), rjmp(-3), input(18, 0x2E)][..]].concat());
            code.push([&sts(0x200 + index, 18)[..], &nops(waits)].concat());
        }
        code.push(vec![BREAK]);
        let mut machine = Machine::new(&[&code.concat()]);
        attach(&mut machine, Probe::spi(mode == 1 || mode == 2, &sends), "SPI", &[("cs", "PB2")]);
        watch(&mut machine);
        prop_assert_eq!(heard(&machine), sent.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>());
        prop_assert_eq!(&machine.bus.memory.ram.bytes()[0x100..0x100 + sends.len()], &sends[..]);
    }

    #[test]
    fn no_use_of_the_analog_and_bus_registers_panics_or_hangs(
        steps in prop::collection::vec((any::<u8>(), any::<u16>(), 0..3000u64), 50..400), usb_part in any::<bool>(),
    ) {
        const REGISTERS: [u8; 25] = [
            0x4C, 0x4D, 0x4E, 0x50, 0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0xB8, 0xB9, 0xBA, 0xBB, 0xBC, 0xBC, 0xBC,
            0xBD, 0x64, 0x24, 0x25, 0x27, 0x28,
        ];
        let mut machine = Machine::of(if usb_part { &ATMEGA32U4 } else { &ATMEGA328P }, &[]);
        attach(&mut machine, Probe::i2c(&[1, 2, 3]), "I2C", &[]);
        machine.bus.shared.signals.want(SignalKind::Transfer);
        let mut now = 0;
        for (choice, value, wait) in steps {
            now += wait;
            let (at, pc) = (Cycles::new(now), Address::new(0x200));
            machine.bus.run_events(at, pc);
            machine.bus.shared.signals.drain();
            let (register, low) = (REGISTERS[usize::from(choice) % REGISTERS.len()], value as u8);
            let access = Access { address: Address::new(DATA_SPACE + u32::from(register)), width: Width::Byte, at, pc };
            let name = ["PB2", "PC0", "PC4", "PC5", "PD6", "PD7", "PF0", "PD0"][usize::from(value >> 8 & 7)];
            match choice >> 5 {
                0 => machine.apply(now + 1, name, low & 1 != 0),
                1 => {
                    let over = Picoseconds::new(u64::from(value) * 10_000);
                    let voltage = match low & 3 {
                        0 => None,
                        1 => Some(Voltage::Constant(i32::from(value) * 100)),
                        2 => Some(Voltage::Ramp { from: 0, to: i32::from(value) * 100, over }),
                        _ => Some(Voltage::Sine { mean: 1_000_000, amplitude: 2_000_000, period: over }),
                    };
                    machine.stimulate(now + 1, Stimulus::Voltage { pin: pin(name), voltage });
                }
                2 => drop(machine.bus.read(access)),
                _ => drop(machine.bus.write(access, low.into())),
            }
        }
        let (devices, mut context) = machine.bus.with_context(Cycles::new(now), Address::ZERO);
        devices.reset("pin", &mut context);
        prop_assert!(machine.bus.shared.gaps.all().iter().all(|gap| !gap.name.contains("without end")));
    }
}
