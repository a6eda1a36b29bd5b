//! Whatever software does to the registers, nothing panics, and it is the same in blocks and an instruction at a time.

use cyclescope_chips::riscv::RiscvPart;
use cyclescope_chips::{Core, Part, Settings};
use cyclescope_machine::Stop;
use cyclescope_riscv::Traps;

use crate::asm::*;
use crate::machine::*;

/// A generator of numbers (Knuth, MMIX).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(below)) as u32
    }
}

fn part(name: &str) -> &'static RiscvPart {
    match Part::find(name).map(|part| &part.core) {
        Ok(Core::Riscv(own)) => own,
        _ => panic!("{name} is RISC-V"),
    }
}

/// Random accesses to the blocks of the part `name`, all but those that end the run.
fn accesses(name: &str, numbers: &mut Numbers) -> Vec<u32> {
    let own = part(name);
    let blocks: Vec<_> =
        own.instances.iter().filter(|block| !["FINISHER", "TEST", "SIM_CTRL"].contains(&block.name)).collect();
    let mut code = Vec::new();
    for _ in 0..200 {
        let block = blocks[numbers.next(blocks.len() as u32) as usize];
        // Most registers are near the beginning of a block or of a page of it.
        let offset = match numbers.next(4) {
            0 => numbers.next(block.bytes),
            1 => [0x4000, 0xBFF8, 0x1000, 0x2000, 0x20_0000][numbers.next(5) as usize] + numbers.next(8),
            _ => numbers.next(0x40),
        };
        let size = numbers.next(3);
        let address = block.base + ((offset % block.bytes) & !((1 << size) - 1));
        let value = if numbers.next(2) == 0 { numbers.next(300) } else { numbers.next(u32::MAX) };
        code.extend(li(5, address));
        code.extend(li(6, value));
        code.push(match (size, numbers.next(2)) {
            (0, 0) => sb(6, 5, 0),
            (1, 0) => sh(6, 5, 0),
            (_, 0) => sw(6, 5, 0),
            (0, _) => lb(7, 5, 0),
            (1, _) => lh(7, 5, 0),
            _ => lw(7, 5, 0),
        });
        if numbers.next(8) == 0 {
            code.extend(vec![NOP; numbers.next(60) as usize]);
        }
    }
    code.push(HERE);
    code
}

#[test]
fn no_use_of_the_registers_panics_and_blocks_are_single_steps() {
    let mut numbers = Numbers(1);
    let mut interrupted = 0;
    for round in 0..60 {
        for name in ["ibex", "picorv32", "virt", "litex-vexriscv"] {
            let own = part(name);
            let body = accesses(name, &mut numbers);
            // Interrupts go to a handler that does nothing but turn the rest of them away.
            let start = own.starts[0];
            let handler = (start & !0xFF) + 0x8000;
            let code = match own.config.traps {
                Traps::Pico(_) => vec![
                    (0, vec![jal(0, 0x100)]),
                    (0x10, vec![addi(28, 28, 1), RETIRQ]),
                    (0x100, [vec![addi(7, 0, 7), maskirq(0, 7)], body].concat()),
                ],
                Traps::Privileged(_) => {
                    let enable = [li(7, handler), vec![csrrw(0, MTVEC, 7), addi(7, 0, -1), csrrw(0, MIE, 7)]].concat();
                    let enable = [enable, vec![csrrsi(0, MSTATUS, 8)], body].concat();
                    // Every vector goes to the handler behind them, which goes on behind an exception's instruction.
                    let vectors = (0..32).map(|entry| jal(0, 0x100 - 4 * entry)).collect();
                    let count = [addi(28, 28, 1), csrrs(29, MCAUSE, 0), csrrw(0, MIE, 0), blt(29, 0, 16)];
                    let skip = [csrrs(30, MEPC, 0), addi(30, 30, 4), csrrw(0, MEPC, 30), MRET];
                    vec![(start, enable), (handler, vectors), (handler + 0x100, [count, skip].concat())]
                }
            };
            let settings = Settings { halt_on_reset: true, ..Settings::default() };
            let mut whole = Bench::with(name, settings, &code);
            let mut single = whole.clone();
            let stop = whole.finish(20_000);
            single.trace(20_000);
            assert!(stop != Stop::OutputBudget, "round {round}");
            let end = |bench: &Bench| (bench.0.now(), bench.0.instructions(), bench.0.pc(), bench.x(7), bench.x(28));
            assert_eq!(end(&whole), end(&single), "{name}, round {round}");
            assert_eq!(whole.0.gaps(), single.0.gaps(), "{name}, round {round}");
            assert_eq!(whole.printed_bytes(), single.printed_bytes());
            interrupted += u32::from(whole.x(28) > 0);
        }
    }
    assert!(interrupted > 60, "of 240 programs only {interrupted} were interrupted");
}
