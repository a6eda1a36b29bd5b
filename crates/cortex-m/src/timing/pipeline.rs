//! The pipeline that Cortex-M3 and M4 share: rows, costs, and the timing made of them. Each core adds its own rows.

/// Makes the rows of a core and their costs, from the `manual` of the core, the `board` on which others measured it, and its own rows,
/// by the row that they stand behind. The core has `own`, `waits_besides`, `steps_besides` and `LONG_MULTIPLY`.
macro_rules! pipeline {
    (
        manual: $manual:literal,
        board: $board:literal,
        first: { $($data:tt)* },
        behind_multiply: { $($multiplies:tt)* },
        behind_store: { $($hidden:tt)* },
        behind_fault: { $($float:tt)* },
        behind_entry: { $($entry:tt)* },
        behind_return: { $($return:tt)* },
    ) => {
        use cyclescope_engine::timing_rows;
        use cyclescope_machine::{RowSet, TimingRow};
        use $crate::decode::{Instruction, Op};
        use $crate::timing::neighbour::{
            folds, is_hidden, overlaps, waits_for_address, waits_for_link, waits_for_store,
        };
        use $crate::decode::shape::{Shape, shape};
        use $crate::timing::{Context, CoreTiming, Cost, is_forwarded};

        const TABLE: &str = concat!($manual, " table 3-1");
        const PAIRS: &str = concat!($manual, " §3.3.3");

        /// A row of the instruction table.
        const fn table(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
            TimingRow::documented(name, what, cycles, TABLE)
        }

        timing_rows! {
            $($data)*
            Multiply = table("multiply", "MUL", 1),
            $($multiplies)*
            Divide = table("divide", "UDIV, SDIV: the least of 2 to 12", 2),
            DivideStep = TimingRow::assumed("divide, quotient bits", "bits of the quotient that a further cycle yields, after two more to begin", 4,
                concat!($manual, " table 3-1 says 2 to 12, ended early by leading ones and zeros of the operands; the rate is not documented")),
            Load = table("load", "LDR and its narrower, unprivileged and exclusive forms", 2),
            LoadOverlapped = TimingRow::documented("load or store after a load", "LDR, or STR at base plus register, right after a load whose result is not in its address", 1, PAIRS),
            Store = TimingRow::documented("store", "STR and its narrower forms at base plus constant: the data is stored beside the next instruction", 1, PAIRS),
            $($hidden)*
            LoadAfterStore = TimingRow::measured("load after a store", "more, when a load of one or several registers stands right after a store of one", 1,
                concat!("measured on an ", $board, " (the repository jnk0le/random, notes on M3 and M4)")),
            NopHidden = TimingRow::measured("hint, hidden", "NOP right after a load, or after a store at base plus register", 0,
                concat!("measured on an ", $board, " (the repository jnk0le/random, notes on M3 and M4)")),
            StoreIndexed = table("store, register offset", "STR and its narrower forms at base plus register, STREX", 2),
            AddressWait = TimingRow::documented("address wait", "more, when the address is a result of the data processing right before", 1, PAIRS),
            LoadMultiple = table("load multiple", "LDRD, LDM and POP without PC: plus one a register", 1),
            StoreMultiple = table("store multiple", "STRD, STM and PUSH: plus one a register", 1),
            Unaligned = TimingRow::documented("unaligned access", "each further piece of an access that is not aligned", 1, PAIRS),
            LoadPc = TimingRow::documented("load to PC", "LDR PC: two cycles for the load, three for the pipeline to refill", 5, PAIRS),
            LoadMultiplePc = TimingRow::assumed("load multiple with PC", "LDM and POP with PC: plus one a register", 4,
                concat!($manual, " table 3-1: 1+N+P; P taken as 3, as ", $manual, " §3.3.3 says of LDR PC")),
            Table = TimingRow::documented("table branch", "TBB and TBH: two for the load, one to add, three to refill", 6, PAIRS),
            NotTaken = table("branch not taken", "B<cond>, CBZ and CBNZ that fall through", 1),
            Taken = TimingRow::assumed("branch taken", "B, BL and B<cond> that are taken: 1+P", 2,
                concat!($manual, " table 3-1: P is 1 to 3; taken as 1, since fetch turns to the target while the branch is decoded (DDI 0337G table 15-3)")),
            CompareTaken = TimingRow::assumed("compare and branch taken", "CBZ and CBNZ that are taken: 1+P", 3,
                concat!($manual, " table 3-1: P is 1 to 3; taken as 2, since fetch turns to the target while the branch is executed (DDI 0337G table 15-3)")),
            Forwarded = TimingRow::assumed("branch to the link register", "BX LR, BLX LR and MOV PC, LR unless the instruction before writes LR: 1+P", 2,
                concat!($manual, " table 3-1: P is 1 to 3; taken as 1, since LR is forwarded while the branch is decoded (DDI 0337G §1.5, table 15-3)")),
            Indirect = TimingRow::assumed("indirect branch", "BX, BLX and data processing that writes PC: 1+P", 3,
                concat!($manual, " table 3-1: P is 1 to 3; taken as 2, since fetch turns to the target while the branch is executed (DDI 0337G table 15-3)")),
            UnalignedTarget = TimingRow::assumed("unaligned target", "more, when a branch goes to a 32-bit instruction across a word boundary", 1,
                concat!($manual, " table 3-1: P depends on the alignment and width of the target; taken as one more fetch")),
            SystemFetch = TimingRow::measured("target on the system bus", "more, when a branch, an exception or a return goes to code at 0x20000000 or above", 1,
                "measured on an STM32F103 (blaatschaap's delay loops: SUBS and BHI in RAM take four cycles a turn) and on STM32F4 (modm's); DDI 0337G §1.4: fetches over the system bus are registered"),
            It = table("if-then", "IT", 1),
            ItFolded = TimingRow::documented("if-then, folded", "IT right after a 16-bit instruction", 0,
                concat!($manual, " table 3-1, note: IT can be folded onto a preceding 16-bit instruction and takes no cycle")),
            Skipped = TimingRow::assumed("skipped", "an instruction that its condition skips", 1, concat!("not in ", $manual, " table 3-1; one cycle of issue")),
            Hint = table("hint", "NOP, SEV, YIELD, CLREX and hints that do nothing", 1),
            Wait = TimingRow::assumed("wait", "WFE and WFI, the time asleep not counted", 1, concat!($manual, " table 3-1: 1+W; W taken as the time asleep alone")),
            State = TimingRow::assumed("state change", "CPS", 2, concat!($manual, " table 3-1: 1 or 2")),
            Special = TimingRow::assumed("special register", "MRS and MSR", 2, concat!($manual, " table 3-1: 1 or 2")),
            InstructionBarrier = TimingRow::assumed("instruction barrier", "ISB", 4, concat!($manual, " table 3-1: 1+B; B taken as the refill of an empty pipeline")),
            DataBarrier = TimingRow::assumed("data barrier", "DMB and DSB with nothing in the write buffer", 2, concat!($manual, " table 3-1: 1+B; B taken as 1")),
            Call = TimingRow::assumed("supervisor call", "SVC before its exception entry", 1, concat!($manual, " table 3-1 leaves SVC blank; one cycle of issue")),
            Breakpoint = TimingRow::assumed("breakpoint", "BKPT, the halt not counted", 1, concat!($manual, " table 3-1 leaves BKPT blank")),
            Fault = TimingRow::assumed("undefined", "an instruction that faults, before its exception entry", 1, concat!("not in ", $manual, " table 3-1")),
            $($float)*
            Entry = TimingRow::documented("exception entry", "from the instruction boundary to the handler's first instruction", 12,
                concat!($manual, " §3.9 and Arm's knowledge base (interrupt latency of Cortex-M): 12 cycles at zero wait states")),
            $($entry)*
            Return = TimingRow::documented("exception return", "after the instruction that returns, to the first instruction returned to", 10,
                "Arm's knowledge base 103489845, which calls the 12 of DDI 0439 §3.9.1 a typographical error"),
            $($return)*
            TailChain = TimingRow::documented("tail-chain", "from the returning instruction to the next handler's first instruction", 6,
                concat!($manual, " §3.9: six cycles at zero wait states")),
            LateArrival = TimingRow::assumed("late arrival", "cycles into an entry during which a more urgent exception replaces it", 10,
                concat!($manual, " §3.9: until the first instruction of the handler enters the execute stage; taken as two cycles before it runs")),
            Wake = TimingRow::assumed("wake-up", "from the waking event to the next instruction or exception entry", 0,
                "no figure for sleep without clock stopping; the part adds its own where it stops clocks"),
            DataPhase = TimingRow::assumed("data phase", "cycle of a load or store, from 0, in which a device sees it", 1,
                "AHB-Lite: address phase in the first cycle, data phase in the second"),
            FetchLatency = TimingRow::assumed("fetch latency", "from the address phase of its fetch to an instruction's execution, at the least", 3,
                "DDI 0337G §1.4: fetch, decode, execute; address and data phase make the fetch two cycles"),
            FetchBuffer = TimingRow::documented("fetch buffer", "words that the fetch unit has room for", 3,
                "DDI 0337G §1.4; Arm's knowledge base 103488664: a word a cycle is fetched while there is room"),
        }

        fn cost(i: &Instruction, context: &Context) -> Cost {
            let (row, more) = own(i).unwrap_or_else(|| match shape(i) {
                Shape::Data => (Id::Data, 0),
                Shape::Multiply => (Id::Multiply, 0),
                Shape::MultiplyAccumulate | Shape::DspMultiply => (Id::MultiplyAccumulate, 0),
                Shape::LongMultiply => (Id::LongMultiply, 0),
                Shape::Divide => (Id::Divide, 0),
                Shape::Load if overlaps(i, context) => (Id::LoadOverlapped, 0),
                Shape::Load => (Id::Load, 0),
                Shape::Store if overlaps(i, context) => (Id::StoreHidden, 0),
                Shape::Store => (Id::Store, 0),
                Shape::StoreIndexed | Shape::StoreExclusive if overlaps(i, context) => (Id::LoadOverlapped, 0),
                Shape::StoreIndexed | Shape::StoreExclusive => (Id::StoreIndexed, 0),
                Shape::LoadDouble => (Id::LoadMultiple, 2),
                Shape::StoreDouble => (Id::StoreMultiple, 2),
                Shape::LoadMultiple(n) => (Id::LoadMultiple, n),
                Shape::StoreMultiple(n) => (Id::StoreMultiple, n),
                Shape::LoadPc => (Id::LoadPc, 0),
                Shape::LoadMultiplePc(n) => (Id::LoadMultiplePc, n),
                Shape::Table => (Id::Table, 0),
                Shape::Branch => (Id::Taken, 0),
                Shape::BranchIf => (Id::NotTaken, 0),
                Shape::BranchIndirect if is_forwarded(i) && !waits_for_link(context) => (Id::Forwarded, 0),
                Shape::BranchIndirect => (Id::Indirect, 0),
                Shape::It if folds(i, context) => (Id::ItFolded, 0),
                Shape::It => (Id::It, 0),
                Shape::Hint if is_hidden(i, context) => (Id::NopHidden, 0),
                Shape::Hint => (Id::Hint, 0),
                Shape::Wait => (Id::Wait, 0),
                Shape::State => (Id::State, 0),
                Shape::Special => (Id::Special, 0),
                Shape::InstructionBarrier => (Id::InstructionBarrier, 0),
                Shape::DataBarrier => (Id::DataBarrier, 0),
                Shape::Call => (Id::Call, 0),
                Shape::Breakpoint => (Id::Breakpoint, 0),
                Shape::Fault => (Id::Fault, 0),
                // Rows of one core only ([`own`]). Without a floating-point unit the others fault.
                Shape::LongMultiplyAccumulate => (Id::LongMultiply, 0),
                Shape::Fp | Shape::FpAccumulate | Shape::FpDivide | Shape::FpRoot | Shape::FpPair => (Id::Fault, 0),
                Shape::FpLoad(_) | Shape::FpStore(_) | Shape::FpLoadMultiple(_) | Shape::FpStoreMultiple(_) => (Id::Fault, 0),
            });
            let cycles = |id: Id| ROWS[id as usize].cycles;
            let mut least = cycles(row) + more;
            let mut taken = 0;
            if waits_for_address(i, context) {
                least += cycles(Id::AddressWait);
            }
            if waits_for_store(i, context) {
                least += cycles(Id::LoadAfterStore);
            }
            if let Some(wait) = waits_besides(i, context) {
                least += cycles(wait);
            }
            let mut target = if context.target_unaligned { cycles(Id::UnalignedTarget) } else { 0 };
            if context.target_on_system_bus {
                target += cycles(Id::SystemFetch);
            }
            match shape(i) {
                Shape::Branch => least += target,
                Shape::BranchIf => taken = cycles(taken_row(i)) - cycles(Id::NotTaken) + target,
                _ => {}
            }
            // A division's steps; an unaligned access's pieces; an indirect target's fetch.
            let indirect = cycles(Id::UnalignedTarget) + cycles(Id::SystemFetch);
            let most_extra = match shape(i) {
                Shape::Divide => division(u32::MAX, 1, false),
                Shape::LongMultiply | Shape::LongMultiplyAccumulate => LONG_MULTIPLY.map_or(0, |extra| extra(1 << 31, 1 << 31)),
                _ if i.moves_data() || i.loads_pc() => 2 * cycles(Id::Unaligned) + indirect,
                Shape::BranchIndirect | Shape::Table => indirect,
                _ => 0,
            };
            Cost { row: row as usize, cycles: least, taken, most_extra }
        }

        /// The row of a branch under a condition that is taken: CBZ and CBNZ compare, so their target is asked for later.
        fn taken_row(i: &Instruction) -> Id {
            if matches!(i.op, Op::Cbz | Op::Cbnz) { Id::CompareTaken } else { Id::Taken }
        }

        /// Rows that apply beside the instruction's own.
        fn also(i: &Instruction, context: &Context, rows: &mut RowSet) {
            let conditions = [
                (waits_for_address(i, context), Id::AddressWait),
                (context.target_unaligned, Id::UnalignedTarget),
                (context.target_on_system_bus, Id::SystemFetch),
                (waits_for_store(i, context), Id::LoadAfterStore),
                (shape(i) == Shape::BranchIf, taken_row(i)),
                (shape(i) == Shape::Divide, Id::DivideStep),
            ];
            let conditions = conditions.into_iter().filter_map(|(applies, row)| applies.then_some(row));
            for row in conditions.chain(waits_besides(i, context)).chain(steps_besides(i)) {
                rows.insert(row as usize);
            }
        }

        /// Ends early: so many bits of the quotient a cycle, once two cycles have begun it.
        fn division(dividend: u32, divisor: u32, signed: bool) -> u32 {
            let (dividend, divisor) =
                if signed { ((dividend as i32).unsigned_abs(), (divisor as i32).unsigned_abs()) } else { (dividend, divisor) };
            if divisor == 0 || dividend < divisor {
                return 0;
            }
            let bits = divisor.leading_zeros() - dividend.leading_zeros() + 1;
            2 + bits.div_ceil(ROWS[Id::DivideStep as usize].cycles)
        }

        /// The core's timing.
        const CORE: CoreTiming = CoreTiming {
            core: "",
            rows: ROWS,
            cost,
            also,
            division,
            division_bits: Some(ROWS[Id::DivideStep as usize].cycles),
            long_multiply: LONG_MULTIPLY,
            unaligned_target: ROWS[Id::UnalignedTarget as usize].cycles,
            system_fetch: Some(Id::SystemFetch as usize),
            memory_change: None,
            skipped: ROWS[Id::Skipped as usize].cycles,
            unaligned: Id::Unaligned as usize,
            exception_entry: Id::Entry as usize,
            entry_with_fp: Id::Entry as usize,
            exception_return: Id::Return as usize,
            return_with_fp: Id::Return as usize,
            lazy_preservation: Id::Entry as usize,
            tail_chain: Id::TailChain as usize,
            late_arrival: Id::LateArrival as usize,
            wake: Id::Wake as usize,
            data_phase: Id::DataPhase as usize,
            fetch_latency: Id::FetchLatency as usize,
            fetch_buffer: Id::FetchBuffer as usize,
            fetches_aside: true,
        };
    };
}
pub(super) use pipeline;
