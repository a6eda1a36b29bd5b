use crate::machine::{Machine, pin};
use cyclescope_avr::{AvrPeripherals, DATA_SPACE, StoreProgram};
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::{ATMEGA32U4, ATMEGA328P};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Peripherals, Width};

/// A generator of numbers that is the same everywhere (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }
}

/// Does something random to the part at the cycle `now`; what was read, if something was.
fn act(machine: &mut Machine, numbers: &mut Numbers, now: u64) -> u32 {
    let at = Cycles::new(now);
    let address = Address::new(DATA_SPACE + 0x20 + numbers.below(0xE0) as u32);
    let access = Access { address, width: Width::Byte, at, pc: Address::new(0x7F00) };
    let (value, choice) = (numbers.next(), numbers.below(100));
    if choice == 0 {
        let pin = pin(["PB0", "PD2", "PD5", "PE6", "PC7"][value as usize % 5]);
        machine.stimulate(
            now + value % 50,
            Stimulus::Pin { pin, high: [None, Some(false), Some(true)][value as usize % 3] },
        );
        return 0;
    }
    if choice == 1 {
        let number = (value & 1) as u8;
        machine.stimulate(now, Stimulus::Uart { number, bytes: vec![value as u8; 3] });
        return 0;
    }
    let (devices, mut context) = machine.bus.with_context(at, access.pc);
    match choice {
        2 => devices.sleep_mode(true, (value & 7) as u8, &mut context),
        3..6 => devices.sleep_mode(false, (value & 7) as u8, &mut context),
        6 => devices.watchdog_reset(&mut context),
        7 => {
            let _ = devices.store_program(StoreProgram { address: value as u32, word: value as u16 }, &mut context);
        }
        8 => devices.acknowledge(value as u8 & 63, &mut context),
        9 => devices.write_bit(access, (value & 7) as u8, value & 8 != 0, &mut context),
        10 if value & 0xFF == 0 => devices.reset("pin", &mut context),
        11..40 => return devices.read(access, &mut context).expect("every register answers"),
        _ => devices.write(access, value as u32 & 0xFF, &mut context).expect("every register answers"),
    }
    0
}

#[test]
fn no_use_of_the_registers_panics_and_the_same_use_is_the_same_on_a_copy() {
    for part in [&ATMEGA328P, &ATMEGA32U4] {
        for seed in 1..=4 {
            let mut numbers = Numbers(seed * 0x9E37_79B9);
            let mut machine = Machine::of(part, &[]);
            let mut copy = Machine::of(part, &[]);
            let (mut now, mut twice) = (0, Numbers(1));
            for step in 0..20_000 {
                now += match numbers.below(20) {
                    0 => numbers.below(20_000),
                    1 => 1 << numbers.below(24),
                    _ => numbers.below(8),
                };
                let pc = Address::new(0x7F00);
                machine.bus.run_events(Cycles::new(now), pc);
                copy.bus.run_events(Cycles::new(now), pc);
                if step % 1000 == 0 {
                    // The other goes its own way for a while, and from here on does the same.
                    let mut own = Numbers(step + 1);
                    for _ in 0..200 {
                        act(&mut copy, &mut own, now);
                    }
                    copy.bus.peripherals.restore(&machine.bus.peripherals);
                    copy.bus.shared.clone_from(&machine.bus.shared);
                    copy.bus.memory.restore_from(&machine.bus.memory);
                }
                twice.0 = numbers.0;
                assert_eq!(act(&mut machine, &mut numbers, now), act(&mut copy, &mut twice, now));
                machine.bus.shared.signals.drain();
                copy.bus.shared.signals.drain();
            }
            assert_eq!(machine.bus.shared.gaps.all(), copy.bus.shared.gaps.all());
            assert_eq!(machine.bus.shared.events.next_at(), copy.bus.shared.events.next_at());
            assert_eq!(machine.sent(), copy.sent());
        }
    }
}
