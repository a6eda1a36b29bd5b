//! What streams cannot hold and no other test has: both encodings of UDF, as the manual defines them.

use cyclescope_cortex_m::Core;
use cyclescope_machine::{Bus, Memory, Stop, WithoutPeripherals};
use cyclescope_units::{Address, Cycles};

/// The stop of a core that runs `code` from address 8, and the address it stands at.
fn run(code: &[u16]) -> (Stop, u32) {
    let table = [0x00, 0x10, 0x00, 0x20, 0x09, 0x00, 0x00, 0x00];
    let mut flash: Vec<u8> = table.into_iter().chain(code.iter().flat_map(|half| half.to_le_bytes())).collect();
    flash.resize(64, 0);
    let memory = Memory::new(Address::new(0), flash, Address::new(0x2000_0000), 0x1000);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let mut core = Core::new(cyclescope_oracle::config(), &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    core.halt_on_fault(true);
    let stop = core.run(&mut bus, Cycles::new(1000));
    (stop, core.cpu().pc().get())
}

/// DDI 0419E §A6.7: permanently undefined, whatever the immediate; the fault is at the instruction.
#[test]
fn udf_is_undefined_in_both_encodings() {
    for code in [&[0xBF00, 0xDE00][..], &[0xBF00, 0xDEFF], &[0xBF00, 0xF7F0, 0xA000], &[0xBF00, 0xF7FF, 0xAFFF]] {
        let (stop, pc) = run(code);
        let Stop::Fault(fault) = stop else { panic!("{stop:?}") };
        assert_eq!((fault.cause, fault.pc.get(), pc), ("undefined instruction", 10, 10), "{code:04x?}");
    }
}
