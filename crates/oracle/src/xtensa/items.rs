//! The items of programs: an instruction with random fields, or one with the registers that it needs prepared.

use cyclescope_xtensa::InterruptKind;
use cyclescope_xtensa::decode::Row;

use super::assembly::special as number;
use super::assembly::*;
use super::program::{CODE, EXCEPTION, Generator};

/// The registers of a sequence of steps.
type Floats = [u32; 10];

impl Generator {
    /// Adds an item.
    pub fn item(&mut self, code: &mut Code) {
        let options = self.machine.configuration.options;
        match self.random.below(40) {
            0..=3 => self.branch(code),
            4 => self.backward(code),
            5..=9 => self.access(code),
            10 if options.float => self.indexed(code),
            11 if options.mac16 => self.stepped(code),
            12 if options.conditional_store => self.conditional_store(code),
            13 | 14 if options.loops => self.looping(code),
            15..=17 => self.special(code),
            18 => self.exception(code),
            19 => self.interrupt(code),
            20 if !self.inside => self.in_exception(code),
            21 if options.windows && !self.inside => self.turn(code),
            22 | 23 if options.windows && !self.inside => {
                let stack = self.stack();
                self.load(code, 1, stack);
                let function = self.random.below(3) as usize;
                self.call(code, function);
            }
            24 if options.windows => {
                let registers = [self.register(), self.register()];
                // MOVSP.
                if registers[0] != 1 || !self.inside {
                    code.put(0x1000 | registers[0] << 4 | registers[1] << 8);
                }
            }
            25 if !self.inside => self.subroutine(code),
            26 => {
                let register = self.register();
                let value = self.random.operand();
                self.load(code, register, value);
            }
            27 if options.float => self.quotient(code),
            28 if options.float => self.root(code),
            29 => self.user(code),
            30 => {
                // An encoding of another core, which is illegal here.
                if !self.rows.lacking.is_empty() {
                    let row = self.pick_lacking();
                    let bits = self.fields(row);
                    code.put(bits);
                }
            }
            31 if options.region_protection => {
                // IITLB and IDTLB, of ways that are not there.
                let s = self.register();
                code.put(0x0050_4000 | s << 8 | if self.random.one_in(2) { 0x8000 } else { 0 });
            }
            32 if options.float => self.mode(code),
            36 if options.float => {
                // UTRUNC.S, with FSR cleared before.
                let register = self.register();
                code.put(movi(register, 0));
                code.put(wur(register, 233));
                self.operands(code);
                let bits = self.random.bits() & 0x0F00;
                code.put(0x00EA_0000 | register << 12 | bits);
                code.put(0x00E3_0000 | register << 12 | 233 << 4);
            }
            37 if options.float => {
                // ROUND.S, TRUNC.S, FLOOR.S, CEIL.S or UTRUNC.S with a scale, and FSR cleared behind it.
                self.operands(code);
                let register = self.register();
                let op2 = self.random.pick(&[8, 9, 10, 11, 14]);
                let bits = self.random.bits() & 0x0FF0;
                code.put(0x000A_0000 | op2 << 20 | register << 12 | bits);
                let register = self.register();
                code.put(movi(register, 0));
                code.put(wur(register, 233));
            }
            33..=35 if options.float => {
                // Before and after: the flags, RUR of FSR.
                let register = self.register();
                code.put(wur(register, 233));
                for _ in 0..2 {
                    self.operands(code);
                    self.plain(code);
                }
                code.put(0x00E3_0000 | register << 12 | 233 << 4);
            }
            _ => {
                self.operands(code);
                self.plain(code);
            }
        }
    }

    /// A register that code at this place may write.
    pub fn register(&mut self) -> u32 {
        if self.inside { 2 + self.random.below(14) } else { self.random.below(16) }
    }

    fn pick_lacking(&mut self) -> &'static Row {
        let index = self.random.below(self.rows.lacking.len() as u32) as usize;
        self.rows.lacking[index]
    }

    /// The row with random fields. In functions no field names a0 or a1.
    fn fields(&mut self, row: &Row) -> u32 {
        loop {
            let bits = row.value | self.random.bits() & 0x00FF_FFFF & !row.mask;
            let bits = if bits & 8 != 0 { bits & 0xFFFF } else { bits };
            // Conversions with a scale have an item of their own.
            let converts = matches!(row.name, "ROUND.S" | "TRUNC.S" | "FLOOR.S" | "CEIL.S");
            let bits = if converts { bits & !0xF0 } else { bits };
            let is_constant = |from: u32| converts && from == 4;
            let named = |from: u32| row.mask >> from & 15 == 0 && (bits >> from & 15) < 2 && !is_constant(from);
            // No instruction shifts to the left by 32.
            if row.name == "SLLI" && bits & 0x0010_00F0 == 0 {
                continue;
            }
            if !self.inside || ![4, 8, 12].into_iter().any(named) {
                return bits;
            }
        }
    }

    fn row(&mut self, rows: impl Fn(&super::program::Rows) -> &Vec<&'static Row>) -> &'static Row {
        let count = rows(&self.rows).len() as u32;
        let index = self.random.below(count) as usize;
        rows(&self.rows)[index]
    }

    /// An instruction that needs nothing.
    pub fn plain(&mut self, code: &mut Code) {
        let row = self.row(|rows| &rows.plain);
        let bits = self.fields(row);
        code.put(bits);
    }

    /// Values at the edges in some registers, sometimes.
    fn operands(&mut self, code: &mut Code) {
        for _ in 0..self.random.below(3) {
            let register = self.register();
            let value = self.random.operand();
            if self.machine.configuration.options.float && self.random.one_in(3) {
                let float = self.random.below(16);
                let value = self.float();
                self.load(code, register, value);
                code.put(wfr(float, register));
            } else {
                self.load(code, register, value);
            }
        }
    }

    /// A number of single precision at which something changes, or any.
    fn float(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            1,
            0x0040_0000,
            0x007F_FFFF,
            0x0080_0000,
            0x0080_0001,
            0x3F00_0000,
            0x3F80_0000,
            0x3F80_0001,
            0x4000_0000,
            0x4EFF_FFFF,
            0x4F00_0000,
            0x7F7F_FFFF,
            0x7F80_0000,
            0x7FC0_1234,
            0x7F80_4321,
        ];
        let sign = self.random.bits() & 1 << 31;
        match self.random.below(4) {
            0 => self.random.bits(),
            1 => sign | (0x3F00_0000 + self.random.below(0x0180_0000)),
            2 => sign | (0x4900_0000 + self.random.below(0x0700_0000)),
            _ => sign | self.random.pick(&SPECIAL),
        }
    }

    fn branch(&mut self, code: &mut Code) {
        let row = self.row(|rows| &rows.branches);
        let bits = self.fields(row);
        let at = code.pc();
        code.put(bits);
        for _ in 0..1 + self.random.below(3) {
            self.plain(code);
        }
        let target = code.pc();
        code.patch(at, displaced(row, bits, target.wrapping_sub(at + 4)));
    }

    /// A branch back, and at most once.
    fn backward(&mut self, code: &mut Code) {
        let over = code.pc();
        code.put(j(over, over));
        let back = code.pc();
        self.plain(code);
        let out = code.pc();
        code.put(j(out, out));
        code.patch(over, j(over, code.pc()));
        let row = self.row(|rows| &rows.branches);
        let bits = self.fields(row);
        let at = code.pc();
        if bits & 8 == 0 {
            code.put(displaced(row, bits, back.wrapping_sub(at + 4)));
        }
        code.patch(out, j(out, code.pc()));
    }

    fn access(&mut self, code: &mut Code) {
        let row = self.row(|rows| &rows.accesses);
        let mut bits = self.fields(row);
        let base = bits >> 8 & 15;
        // Most are aligned as a word.
        let alignment = if self.random.one_in(4) { 1 } else { 4 };
        let target = self.data(alignment);
        if row.name == "L32E" || row.name == "S32E" {
            let offset = (bits >> 12 & 15) * 4;
            self.load(code, base, target.wrapping_add(64 - offset));
        } else if bits & 8 != 0 {
            self.load(code, base, target.wrapping_sub((bits >> 12 & 15) * 4));
        } else {
            // Cache instructions that lock have a smaller offset.
            let shift = match row.name {
                "L8UI" | "S8I" => 0,
                "L16UI" | "L16SI" | "S16I" => 1,
                _ => 2,
            };
            if self.random.one_in(2) {
                bits &= 0x0007_FFFF;
            }
            let shift = if matches!(row.name, "LSIP" | "SSIP") { 32 } else { shift };
            self.load(code, base, target.wrapping_sub((bits >> 16 & 0xFF).checked_shl(shift).unwrap_or(0)));
        }
        code.put(bits);
    }

    fn indexed(&mut self, code: &mut Code) {
        let row = self.row(|rows| &rows.indexed);
        let bits = self.fields(row);
        let (base, index) = (bits >> 8 & 15, bits >> 4 & 15);
        let offset = self.random.bits() & !3;
        let alignment = if self.random.one_in(4) { 1 } else { 4 };
        let target = self.data(alignment);
        self.load(code, index, offset);
        // With one register for both it is twice the value.
        let value = match row.name {
            "LSXP" | "SSXP" => target,
            _ if base == index => target >> 1,
            _ => target.wrapping_sub(offset),
        };
        self.load(code, base, value);
        code.put(bits);
    }

    fn stepped(&mut self, code: &mut Code) {
        let row = self.row(|rows| &rows.stepped);
        let bits = self.fields(row);
        let alignment = if self.random.one_in(8) { 1 } else { 4 };
        let target = self.data(alignment);
        self.load(code, bits >> 8 & 15, target);
        code.put(bits);
    }

    fn conditional_store(&mut self, code: &mut Code) {
        let (base, value) = (self.register(), self.register());
        let target = self.data(4);
        self.load(code, base, target);
        if base != value {
            // The word itself, or something else.
            if self.random.one_in(2) {
                code.put(l32i(value, base, 0));
            }
            code.put(wsr(value, number::SCOMPARE1));
            let other = self.random.bits();
            self.load(code, value, other);
        }
        code.put(0xE002 | base << 8 | value << 4);
    }

    fn looping(&mut self, code: &mut Code) {
        let register = self.register();
        let kind = self.random.below(3);
        if self.random.one_in(4) {
            // By the registers, without an instruction of its own.
            let at = self.literals.len();
            self.load(code, register, 0);
            code.put(wsr(register, number::LBEG));
            self.load(code, register, 0);
            code.put(wsr(register, number::LEND));
            code.put(movi(register, self.random.below(3) as i32));
            code.all(&[wsr(register, number::LCOUNT), 0x2000]);
            self.literals[at] = code.pc();
            self.body(code);
            self.literals[at + 1] = code.pc();
            return;
        }
        let count = match kind {
            0 => 1 + self.random.below(3) as i32,
            1 => self.random.below(4) as i32,
            _ => self.random.below(5) as i32 - 1,
        };
        code.put(movi(register, count));
        let at = code.pc();
        code.put(loop_(kind, register, at, at));
        self.body(code);
        code.patch(at, loop_(kind, register, at, code.pc()));
    }

    /// The body of a loop: perhaps with a branch to its end, or out of it.
    fn body(&mut self, code: &mut Code) {
        for _ in 0..self.random.below(3) {
            self.plain(code);
        }
        if self.random.one_in(2) {
            self.branch(code);
        }
        self.plain(code);
    }

    /// A literal behind LITBASE, then LITBASE as it was.
    fn absolute_literal(&mut self, code: &mut Code) {
        let (base, literal) = (self.register(), self.register());
        let address = self.machine.base + CODE;
        self.load(code, base, address | 1);
        code.all(&[wsr(base, number::LITBASE), RSYNC]);
        // As many words before it.
        let words = 1 + self.random.below(0x1BFF);
        code.put(1 | literal << 4 | (0x1_0000 - words) << 8);
        code.all(&[movi(base, 0), wsr(base, number::LITBASE), RSYNC]);
    }

    fn special(&mut self, code: &mut Code) {
        let register = self.register();
        match self.random.below(5) {
            4 if self.moves_literals => self.absolute_literal(code),
            0 => {
                let index = self.random.below(self.readable.len() as u32) as usize;
                code.put(rsr(register, self.readable[index]));
            }
            1 => {
                // A register that does not exist, or must not be written so.
                let special = self.random.below(256);
                let exists = |number: u32| {
                    cyclescope_xtensa::special::Special::find(number as u8, self.machine.configuration).is_some()
                };
                if !exists(special) && self.readable.contains(&special) {
                    code.put(if self.random.one_in(2) { wsr(register, special) } else { xsr(register, special) });
                }
            }
            _ => {
                let index = self.random.below(self.writable.len() as u32) as usize;
                let special = self.writable[index];
                let value = if self.random.one_in(2) { self.random.bits() } else { self.random.operand() };
                // EPS and EXCCAUSE keep to bits that exist.
                let value = if (194..200).contains(&special) { value & 0x2F } else { value };
                let value = if special == number::EXCCAUSE { value & 0x3F } else { value };
                // The manual leaves shifts by more than 32 open.
                let value = if special == number::SAR { value % 33 } else { value };
                // No loop ends in code.
                let value = if special == number::LEND { value & 0xFFF } else { value };
                self.load(code, register, value);
                code.put(if self.random.one_in(2) { wsr(register, special) } else { xsr(register, special) });
            }
        }
    }

    fn user(&mut self, code: &mut Code) {
        // EXPSTATE and THREADPTR.
        let register = self.register();
        if self.random.one_in(2) {
            code.put(wur(register, 230 + self.random.below(2)));
        }
        // RUR, of any number but those of QEMU's other options.
        let user = [230, 231, 232, 233, 0, 17, 255][self.random.below(7) as usize];
        code.put(0x00E3_0000 | register << 12 | user << 4);
    }

    /// The rounding mode, the flags, or the enable bit of the floating-point unit change.
    fn mode(&mut self, code: &mut Code) {
        let register = self.register();
        match self.random.below(4) {
            0 | 1 => {
                code.put(movi(register, self.random.below(4) as i32));
                code.put(wur(register, 232));
            }
            2 => {
                let value = self.random.bits() & 0xF80;
                self.load(code, register, value);
                code.put(wur(register, 233));
            }
            _ => {
                let float = self.row(|rows| &rows.plain);
                code.put(movi(register, 0));
                code.all(&[wsr(register, number::CPENABLE), RSYNC]);
                let bits = self.fields(float);
                code.put(bits);
                self.plain(code);
                code.put(movi(register, 0xFF));
                code.all(&[wsr(register, number::CPENABLE), RSYNC]);
            }
        }
    }

    fn exception(&mut self, code: &mut Code) {
        match self.random.below(6) {
            0 => code.put(0),
            1 => code.put(0xF06D),
            2 => code.put(SYSCALL),
            3 => code.put(break_(self.random.below(16), self.random.below(16))),
            4 => code.put(0xF02D | self.random.below(16) << 8),
            _ if !self.inside && self.machine.configuration.options.windows => {
                // A return to no window.
                let value = self.random.bits() & 0x3FFF_FFFF;
                self.load(code, 0, value);
                code.put(RETW);
            }
            // Where QEMU's core has double precision.
            _ if self.machine.configuration.options.float => code.put(0),
            _ => code.put(0x00FF_0000 | self.random.bits() & 0xFFF0),
        }
    }

    /// Interrupts of software, taken at once or when the level falls.
    fn interrupt(&mut self, code: &mut Code) {
        let interrupts = self.machine.configuration.interrupts;
        let software: Vec<u32> = (0..interrupts.len())
            .filter(|index| interrupts[*index].kind == InterruptKind::Software)
            .map(|index| index as u32)
            .collect();
        let register = self.register();
        let mut mask = 1 << self.random.pick(&software);
        if self.random.one_in(3) {
            mask |= 1 << self.random.pick(&software);
        }
        let level = if self.random.one_in(2) { 0 } else { self.random.below(6) };
        self.load(code, register, mask);
        if self.random.one_in(8) {
            // Not enabled, and cleared by the program.
            code.all(&[wsr(register, number::INTSET), RSYNC]);
            self.plain(code);
            self.load(code, register, mask);
            code.all(&[wsr(register, number::INTCLEAR), RSYNC]);
            return;
        }
        self.load(code, register, mask | self.inputs());
        code.put(wsr(register, number::INTENABLE));
        let other = self.register();
        code.put(rsil(other, level));
        self.load(code, register, mask);
        code.all(&[wsr(register, number::INTSET), RSYNC]);
        self.plain(code);
        // All of them wait.
        if self.random.one_in(2) && level >= 3 {
            code.put(waiti(0));
        } else {
            code.put(rsil(other, 0));
        }
        self.plain(code);
        self.load(code, register, self.inputs());
        code.all(&[wsr(register, number::INTENABLE), RSYNC]);
    }

    /// Instructions while PS.EXCM is set, whose exceptions are double ones.
    fn in_exception(&mut self, code: &mut Code) {
        let register = self.register();
        let ps = self.ps();
        self.load(code, register, ps | EXCEPTION);
        code.all(&[wsr(register, number::PS), RSYNC]);
        for _ in 0..1 + self.random.below(2) {
            self.plain(code);
        }
        if self.random.one_in(2) {
            code.put(if self.random.one_in(2) { 0 } else { SYSCALL });
        }
        self.load(code, register, ps);
        code.all(&[wsr(register, number::PS), RSYNC]);
    }

    /// The window moves, with nothing in use but itself.
    fn turn(&mut self, code: &mut Code) {
        use super::program::WINDOWS;
        let ps = self.ps();
        self.load(code, 2, ps & !WINDOWS);
        code.all(&[wsr(2, number::PS), RSYNC, rotw(self.random.below(16) as i32 - 8)]);
        code.all(&[rsr(2, number::WINDOWBASE), ssl(2), movi(3, 1), sll(3, 3), wsr(3, number::WINDOWSTART)]);
        self.load(code, 2, ps);
        code.all(&[wsr(2, number::PS), RSYNC]);
    }

    /// A subroutine without windows, which returns behind its call.
    fn subroutine(&mut self, code: &mut Code) {
        let over = code.pc();
        code.put(j(over, over));
        code.align(4);
        let at = code.pc();
        self.plain(code);
        // a0 may have changed.
        let literal = self.literals.len();
        self.load(code, 0, 0);
        code.put(if self.random.one_in(2) { RET } else { 0xF00D });
        code.patch(over, j(over, code.pc()));
        let pc = code.pc();
        code.put(call(0, pc, at));
        self.literals[literal] = code.pc();
    }

    /// A finite number, an infinity or a zero.
    fn no_nan(&mut self) -> u32 {
        let value = self.float();
        if value << 1 > 0xFF00_0000 { value & 0xFF80_0000 } else { value }
    }

    /// Ten different registers of the floating-point unit.
    fn floats(&mut self) -> Floats {
        let mut all: Vec<u32> = (0..16).collect();
        std::array::from_fn(|_| all.swap_remove(self.random.below(all.len() as u32) as usize))
    }

    /// The operands of a sequence into `into`, and the sequence's start.
    fn begin(&mut self, code: &mut Code, into: &[u32]) -> u32 {
        let register = self.register();
        for float in into {
            let value = self.no_nan();
            self.load(code, register, value);
            code.put(wfr(*float, register));
        }
        code.pc()
    }

    /// All registers of a sequence but its result get values again.
    fn finish(&mut self, code: &mut Code, start: u32, temporary: &[u32]) {
        let register = self.register();
        for float in temporary {
            code.put(wfr(*float, register));
        }
        self.loose.push(start + 1..code.pc());
    }

    /// The division of the compiler's library.
    fn quotient(&mut self, code: &mut Code) {
        let [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = self.floats();
        let start = self.begin(code, &[f1, f2]);
        code.all(&[div0(f3, f2), nexp01(f4, f2), constant(f5, 1), maddn(f5, f4, f3), mov(f6, f3), mov(f7, f2)]);
        code.all(&[
            nexp01(f2, f1),
            maddn(f6, f5, f6),
            constant(f5, 1),
            constant(f0, 0),
            neg(f8, f2),
            maddn(f5, f4, f6),
        ]);
        code.all(&[maddn(f0, f8, f3), mkdadj(f7, f1), maddn(f6, f5, f6), maddn(f8, f4, f0), constant(f3, 1)]);
        code.all(&[maddn(f3, f4, f6), maddn(f0, f8, f6), neg(f2, f2), maddn(f6, f3, f6), maddn(f2, f4, f0)]);
        code.all(&[addexpm(f0, f7), addexp(f6, f7), divn(f0, f2, f6)]);
        self.finish(code, start, &[f1, f2, f3, f4, f5, f6, f7, f8, f9]);
    }

    /// The square root of the compiler's library.
    fn root(&mut self, code: &mut Code) {
        let [f0, f1, f2, f3, f4, f5, f6, f7, ..] = self.floats();
        let start = self.begin(code, &[f1]);
        code.all(&[sqrt0(f2, f1), constant(f3, 0), maddn(f3, f2, f2), nexp01(f4, f1), constant(f0, 3), addexp(f4, f0)]);
        code.all(&[
            maddn(f0, f3, f4),
            nexp01(f3, f1),
            neg(f5, f3),
            maddn(f2, f0, f2),
            constant(f0, 0),
            constant(f6, 0),
        ]);
        code.all(&[constant(f7, 0), maddn(f0, f5, f2), maddn(f6, f2, f4), constant(f4, 3), maddn(f7, f4, f2)]);
        code.all(&[maddn(f3, f0, f0), maddn(f4, f6, f2), neg(f2, f7), maddn(f0, f3, f2), maddn(f7, f4, f7)]);
        code.all(&[mksadj(f2, f1), nexp01(f1, f1), maddn(f1, f0, f0), neg(f3, f7), addexpm(f0, f2), addexp(f3, f2)]);
        code.put(divn(f0, f1, f3));
        self.finish(code, start, &[f1, f2, f3, f4, f5, f6, f7]);
    }
}

/// `bits` of `row` with the displacement of a branch.
fn displaced(row: &Row, bits: u32, by: u32) -> u32 {
    if bits & 8 != 0 {
        bits & !0xF030 | (by & 15) << 12 | (by >> 4 & 3) << 4
    } else if matches!(row.name, "BEQZ" | "BNEZ" | "BLTZ" | "BGEZ") {
        bits & 0xFFF | (by & 0xFFF) << 12
    } else {
        bits & 0xFFFF | (by & 0xFF) << 16
    }
}

const fn unary(t: u32, r: u32, s: u32) -> u32 {
    0x00FA_0000 | r << 12 | s << 8 | t << 4
}

const fn div0(r: u32, s: u32) -> u32 {
    unary(7, r, s)
}

const fn mov(r: u32, s: u32) -> u32 {
    unary(0, r, s)
}

const fn neg(r: u32, s: u32) -> u32 {
    unary(6, r, s)
}

const fn constant(r: u32, index: u32) -> u32 {
    unary(3, r, index)
}

const fn sqrt0(r: u32, s: u32) -> u32 {
    unary(9, r, s)
}

const fn nexp01(r: u32, s: u32) -> u32 {
    unary(11, r, s)
}

const fn mksadj(r: u32, s: u32) -> u32 {
    unary(12, r, s)
}

const fn mkdadj(r: u32, s: u32) -> u32 {
    unary(13, r, s)
}

const fn addexp(r: u32, s: u32) -> u32 {
    unary(14, r, s)
}

const fn addexpm(r: u32, s: u32) -> u32 {
    unary(15, r, s)
}

const fn maddn(r: u32, s: u32, t: u32) -> u32 {
    0x006A_0000 | r << 12 | s << 8 | t << 4
}

const fn divn(r: u32, s: u32, t: u32) -> u32 {
    0x007A_0000 | r << 12 | s << 8 | t << 4
}
