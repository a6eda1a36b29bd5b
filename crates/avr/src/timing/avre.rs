//! AVR, AVRe and AVRe+, which take the same cycles: AVR Instruction Set Manual, DS40002198B, chapter 5 (columns "AVRe")
//! and chapter 6; interrupts and sleep by the parts' datasheets.

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use super::{CoreTiming, Cost};
use crate::decode::{Instruction, Op};

const MANUAL: &str = "DS40002198B §5, clock cycles AVRe";

const fn manual(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, MANUAL)
}

timing_rows! {
    Arithmetic, WordImmediate, Logic, OneOperand, Compare, Multiply,
    Rjmp, Ijmp, Eijmp, Jmp, Rcall, Icall, Eicall, Call, Ret, Reti,
    CpseFalls, CpseOne, CpseTwo, SkipFalls, SkipOne, SkipTwo, SkipIoFalls, SkipIoOne, SkipIoTwo, NotTaken, Taken,
    Move, LoadImmediate, LoadDirect, Load, LoadMoving, LoadDisplaced, StoreDirect, Store, StoreMoving, StoreDisplaced,
    LoadProgram, ExtendedLoadProgram, StoreProgram, In, Out, Push, Pop,
    Shift, SetIoBit, ClearIoBit, RegisterBit, Flags, Break, Nop, Sleep, Watchdog, Reserved,
    Response, Wake, IoPhase, DataPhase, BitPhase, SkipPhase, Delay, DelayBySreg, Recognition,
}

/// The rows that the manual and the datasheets leave to the part.
struct Part {
    calls: [TimingRow; 6],
    response: TimingRow,
    wake: TimingRow,
}

const fn rows(part: Part) -> [TimingRow; COUNT] {
    let Part { calls: [rcall, icall, eicall, call, ret, reti], response, wake } = part;
    [
        manual("add and subtract", "ADD, ADC, SUB, SUBI, SBC, SBCI", 1),
        manual("word and constant", "ADIW, SBIW", 2),
        manual("logic", "AND, ANDI, OR, ORI, EOR", 1),
        manual("one operand", "COM, NEG, INC, DEC", 1),
        manual("compare", "CP, CPC, CPI", 1),
        manual("multiply", "MUL, MULS, MULSU, FMUL, FMULS, FMULSU", 2),
        manual("RJMP", "relative jump", 2),
        manual("IJMP", "jump to Z", 2),
        manual("EIJMP", "jump to EIND:Z", 2),
        manual("JMP", "absolute jump", 3),
        rcall,
        icall,
        eicall,
        call,
        ret,
        reti,
        manual("CPSE falls through", "CPSE that does not skip", 1),
        manual("CPSE skips one word", "CPSE that skips an instruction of one word", 2),
        manual("CPSE skips two words", "CPSE that skips an instruction of two words", 3),
        manual("bit skip falls through", "SBRC, SBRS that do not skip", 1),
        manual("bit skip of one word", "SBRC, SBRS that skip an instruction of one word", 2),
        manual("bit skip of two words", "SBRC, SBRS that skip an instruction of two words", 3),
        manual("I/O skip falls through", "SBIC, SBIS that do not skip", 1),
        manual("I/O skip of one word", "SBIC, SBIS that skip an instruction of one word", 2),
        manual("I/O skip of two words", "SBIC, SBIS that skip an instruction of two words", 3),
        manual("branch not taken", "BRBS, BRBC and their aliases that fall through", 1),
        manual("branch taken", "BRBS, BRBC and their aliases that branch", 2),
        manual("move", "MOV, MOVW", 1),
        manual("load immediate", "LDI", 1),
        manual("LDS", "load from a data address", 2),
        manual("LD", "load through X, Y or Z", 2),
        manual("LD moving", "load with post-increment or pre-decrement, internal SRAM", 2),
        manual("LDD", "load with displacement", 2),
        manual("STS", "store to a data address", 2),
        manual("ST", "store through X, Y or Z", 2),
        manual("ST moving", "store with post-increment or pre-decrement, internal SRAM", 2),
        manual("STD", "store with displacement", 2),
        manual("LPM", "load from program memory, in its three forms", 3),
        manual("ELPM", "extended load from program memory, in its three forms", 3),
        TimingRow::assumed(
            "SPM",
            "the instruction itself; what flash programming halts comes on top",
            1,
            "DS40002198B §5 leaves SPM blank: it depends on the operation; taken as one cycle of issue",
        ),
        manual("IN", "read of an I/O register", 1),
        manual("OUT", "write of an I/O register", 1),
        manual("PUSH", "push", 2),
        manual("POP", "pop", 2),
        manual("shift", "LSR, ROR, ASR, SWAP; LSL and ROL are ADD and ADC", 1),
        manual("SBI", "set a bit of an I/O register", 2),
        manual("CBI", "clear a bit of an I/O register", 2),
        manual("register bit", "BST, BLD", 1),
        manual("flags", "BSET, BCLR and their aliases", 1),
        manual("BREAK", "breakpoint, the halt not counted", 1),
        manual("NOP", "no operation", 1),
        manual("SLEEP", "sleep, the time asleep not counted", 1),
        manual("WDR", "watchdog reset", 1),
        TimingRow::assumed(
            "reserved",
            "an opcode that the core does not have: the run ends before it",
            0,
            "not in DS40002198B",
        ),
        response,
        wake,
        TimingRow::assumed(
            "I/O phase",
            "cycle of IN and OUT, from 0, in which a register is read or written",
            0,
            "DS40002198B gives one cycle; 8271H figure 7-5 has operands fetched and results written back in it",
        ),
        TimingRow::documented(
            "data phase",
            "cycle of a load, store, PUSH or POP, from 0, in which data moves",
            1,
            "8271H §8.3.1 figure 8-4: the address is computed in T1, data moves in T2",
        ),
        TimingRow::assumed(
            "bit phase",
            "cycle of SBI and CBI, from 0, in which the bit is written",
            1,
            "two cycles: read, then write",
        ),
        TimingRow::assumed("skip phase", "cycle of SBIC and SBIS, from 0, in which the bit is read", 0, "as IN"),
        TimingRow::documented(
            "interrupt delay",
            "the instruction after SEI or RETI executes before an interrupt is served, in its own cycles",
            0,
            "8271H §7.7 (SEI) and §7.7.1 (RETI)",
        ),
        TimingRow::assumed(
            "interrupt delay by SREG",
            "the same after any other write to SREG that sets I",
            0,
            "8271H names SEI and RETI only; avr-gcc restores SREG before it writes SPL and relies on the delay",
        ),
        TimingRow::assumed(
            "interrupt recognition",
            "from the cycle in which a request rises until the end of an instruction can find it",
            0,
            "8271H §7.7.1 counts from the end of the instruction and gives no figure for synchronising the request",
        ),
    ]
}

/// Calls and returns with a program counter of 16 bits.
const NARROW_CALLS: [TimingRow; 6] = [
    manual("RCALL", "relative call, 16-bit program counter", 3),
    manual("ICALL", "call of Z, 16-bit program counter", 3),
    manual("EICALL", "call of EIND:Z; parts with a 16-bit program counter have none", 4),
    manual("CALL", "absolute call, 16-bit program counter", 4),
    manual("RET", "return, 16-bit program counter", 4),
    manual("RETI", "return from interrupt, 16-bit program counter", 4),
];

/// Calls and returns with a program counter of 22 bits.
const WIDE_CALLS: [TimingRow; 6] = [
    manual("RCALL", "relative call, 22-bit program counter", 4),
    manual("ICALL", "call of Z, 22-bit program counter", 4),
    manual("EICALL", "call of EIND:Z", 4),
    manual("CALL", "absolute call, 22-bit program counter", 5),
    manual("RET", "return, 22-bit program counter", 5),
    manual("RETI", "return from interrupt, 22-bit program counter", 5),
];

const RESPONSE: &str = "from the end of an instruction to the first one at the vector";
const WAKE: &str = "added to the response when the core sleeps, beside the start-up time of the sleep mode";

static ATMEGA328P_ROWS: [TimingRow; COUNT] = rows(Part {
    calls: NARROW_CALLS,
    response: TimingRow::documented("interrupt response", RESPONSE, 4, "8271H §7.7.1: four clock cycles minimum"),
    wake: TimingRow::documented("wake-up", WAKE, 4, "8271H §7.7.1 and §10.1: halted for four cycles"),
});

static ATMEGA32U4_ROWS: [TimingRow; COUNT] = rows(Part {
    calls: NARROW_CALLS,
    response: TimingRow::documented(
        "interrupt response",
        RESPONSE,
        5,
        "7766J p. 16: five clock cycles minimum; the paragraph goes \
        on to pop three bytes, which a 16-bit program counter does not have: 4 is as likely",
    ),
    wake: TimingRow::documented(
        "wake-up",
        WAKE,
        5,
        "7766J p. 16: increased by five clock cycles, in the same doubtful paragraph",
    ),
});

static WIDE_PC_ROWS: [TimingRow; COUNT] = rows(Part {
    calls: WIDE_CALLS,
    response: TimingRow::documented(
        "interrupt response",
        RESPONSE,
        5,
        "2549Q §7.8.1 (ATmega2560): five clock cycles minimum",
    ),
    wake: TimingRow::documented("wake-up", WAKE, 5, "2549Q §7.8.1 (ATmega2560): increased by five clock cycles"),
});

/// The row of `instruction`, and those of a skip of one and two words or a branch taken.
fn row(instruction: &Instruction) -> (Id, Option<[Id; 2]>) {
    use Op::*;
    let plain = |id| (id, None);
    match instruction.op {
        Add | Adc | Sub | Subi | Sbc | Sbci => plain(Id::Arithmetic),
        Adiw | Sbiw => plain(Id::WordImmediate),
        And | Andi | Or | Ori | Eor => plain(Id::Logic),
        Com | Neg | Inc | Dec => plain(Id::OneOperand),
        Cp | Cpc | Cpi => plain(Id::Compare),
        Mul | Muls | Mulsu | Fmul | Fmuls | Fmulsu => plain(Id::Multiply),
        Rjmp => plain(Id::Rjmp),
        Ijmp => plain(Id::Ijmp),
        Eijmp => plain(Id::Eijmp),
        Jmp => plain(Id::Jmp),
        Rcall => plain(Id::Rcall),
        Icall => plain(Id::Icall),
        Eicall => plain(Id::Eicall),
        Call => plain(Id::Call),
        Ret => plain(Id::Ret),
        Reti => plain(Id::Reti),
        Cpse => (Id::CpseFalls, Some([Id::CpseOne, Id::CpseTwo])),
        Sbrc | Sbrs => (Id::SkipFalls, Some([Id::SkipOne, Id::SkipTwo])),
        Sbic | Sbis => (Id::SkipIoFalls, Some([Id::SkipIoOne, Id::SkipIoTwo])),
        Brbs | Brbc => (Id::NotTaken, Some([Id::Taken, Id::Taken])),
        Mov | Movw => plain(Id::Move),
        Ldi => plain(Id::LoadImmediate),
        Lds => plain(Id::LoadDirect),
        LdX => plain(Id::Load),
        LdXInc | LdXDec | LdYInc | LdYDec | LdZInc | LdZDec => plain(Id::LoadMoving),
        // LD through Y and Z is LDD without displacement: one encoding.
        LddY | LddZ if instruction.imm == 0 => plain(Id::Load),
        LddY | LddZ => plain(Id::LoadDisplaced),
        Sts => plain(Id::StoreDirect),
        StX => plain(Id::Store),
        StXInc | StXDec | StYInc | StYDec | StZInc | StZDec => plain(Id::StoreMoving),
        StdY | StdZ if instruction.imm == 0 => plain(Id::Store),
        StdY | StdZ => plain(Id::StoreDisplaced),
        LpmR0 | Lpm | LpmInc => plain(Id::LoadProgram),
        ElpmR0 | Elpm | ElpmInc => plain(Id::ExtendedLoadProgram),
        Spm => plain(Id::StoreProgram),
        In | InSreg | InSpl | InSph => plain(Id::In),
        Out | OutSreg | OutSpl | OutSph => plain(Id::Out),
        Push => plain(Id::Push),
        Pop => plain(Id::Pop),
        Lsr | Ror | Asr | Swap => plain(Id::Shift),
        Sbi => plain(Id::SetIoBit),
        Cbi => plain(Id::ClearIoBit),
        Bst | Bld => plain(Id::RegisterBit),
        Bset | Bclr => plain(Id::Flags),
        Break => plain(Id::Break),
        Nop => plain(Id::Nop),
        Sleep => plain(Id::Sleep),
        Wdr => plain(Id::Watchdog),
        Reserved | Outside | NameUndefined => plain(Id::Reserved),
    }
}

fn cost(instruction: &Instruction, rows: &[TimingRow]) -> Cost {
    let (id, taken) = row(instruction);
    let row = id as usize;
    let cycles = rows[row].cycles;
    let taken_row = taken.map(|[one, two]| if instruction.skipped == 2 { two } else { one } as usize);
    Cost { row, cycles, taken: taken_row.map_or(0, |taken| rows[taken].cycles - cycles), taken_row }
}

const fn timing(core: &'static str, rows: &'static [TimingRow], cost: fn(&Instruction) -> Cost) -> CoreTiming {
    CoreTiming {
        core,
        rows,
        cost,
        recognition: Id::Recognition as usize,
        delay: Id::Delay as usize,
        delay_by_sreg: Id::DelayBySreg as usize,
        response: Id::Response as usize,
        wake: Id::Wake as usize,
        io_phase: Id::IoPhase as usize,
        data_phase: Id::DataPhase as usize,
        bit_phase: Id::BitPhase as usize,
        skip_phase: Id::SkipPhase as usize,
    }
}

/// The ATmega48/88/168/328 family: 16-bit program counter, interrupts in four cycles.
pub static ATMEGA328P: CoreTiming = timing("atmega328p", &ATMEGA328P_ROWS, |i| cost(i, &ATMEGA328P_ROWS));

/// The ATmega16U4 and 32U4: the same instructions, interrupts in five cycles as their datasheet says.
pub static ATMEGA32U4: CoreTiming = timing("atmega32u4", &ATMEGA32U4_ROWS, |i| cost(i, &ATMEGA32U4_ROWS));

/// Parts with a program counter of 22 bits, as the ATmega2560.
pub static WIDE_PC: CoreTiming = timing("avre+ with 22-bit pc", &WIDE_PC_ROWS, |i| cost(i, &WIDE_PC_ROWS));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_name_and_a_record_can_hold_them() {
        for timing in [&ATMEGA328P, &ATMEGA32U4, &WIDE_PC] {
            assert!(timing.rows.len() <= 64, "RowSet holds 64");
            let mut names: Vec<&str> = timing.rows.iter().map(|row| row.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), timing.rows.len());
            let at = |index: usize, name: &str| assert_eq!(timing.rows[index].name, name);
            at(timing.response, "interrupt response");
            at(timing.wake, "wake-up");
            at(timing.io_phase, "I/O phase");
            at(timing.data_phase, "data phase");
            at(timing.bit_phase, "bit phase");
            at(timing.skip_phase, "skip phase");
            at(timing.delay, "interrupt delay");
            at(timing.delay_by_sreg, "interrupt delay by SREG");
            at(timing.recognition, "interrupt recognition");
        }
    }
}
