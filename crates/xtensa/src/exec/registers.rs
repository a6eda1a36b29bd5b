//! RSR, WSR, XSR, RUR and WUR (§5.3), and the instructions for the translation tables.

use cyclescope_machine::Bus;

use crate::cpu::Cpu;
use crate::decode::Op;
use crate::ps::Ps;
use crate::special::{Special, User};

impl Cpu {
    /// Reads the special register with `number`, if the core has it.
    pub fn special(&self, number: u8) -> Option<u32> {
        Special::find(number, self.config.configuration).map(|_| self.read_special(number.into(), self.now))
    }

    /// Reads the user register with `number`, if the core has it.
    pub fn user(&self, number: u8) -> Option<u32> {
        User::find(number, self.config.configuration).map(|_| self.read_user(number.into()))
    }

    /// The special register with `number` in the cycle `at`. A block holds only numbers of registers that there are.
    pub(super) fn read_special(&self, number: u32, at: u64) -> u32 {
        let configuration = self.config.configuration;
        let Some(register) = Special::find(number as u8, configuration) else { return 0 };
        match register {
            Special::Lbeg => self.loop_begin,
            Special::Lend => self.loop_end,
            Special::Lcount => self.loop_count,
            Special::Sar => self.sar,
            Special::Br => self.booleans.into(),
            Special::Litbase => self.literal_base,
            Special::Scompare1 => self.compare,
            Special::Acclo => self.accumulator as u32,
            Special::Acchi => (self.accumulator >> 32) as u32,
            Special::M(index) => self.m[usize::from(index)],
            Special::WindowBase => self.window_base.into(),
            Special::WindowStart => self.window_start.into(),
            Special::IbreakEnable => self.debug.ibreak_enable,
            Special::Memctl => self.memory_control,
            Special::Atomctl => self.atomic_control,
            Special::Ddr => self.debug.ddr,
            Special::Ibreaka(index) => self.debug.ibreaka[usize::from(index)],
            Special::Dbreaka(index) => self.debug.dbreaka[usize::from(index)],
            Special::Dbreakc(index) => self.debug.dbreakc[usize::from(index)],
            Special::ConfigId(index) => configuration.id[usize::from(index)],
            Special::Epc(level) => self.epc[usize::from(level)],
            Special::Depc => self.epc[0],
            Special::Eps(level) => self.eps[usize::from(level)],
            Special::Excsave(level) => self.excsave[usize::from(level)],
            Special::Cpenable => self.coprocessors.into(),
            Special::Interrupt => self.raised(),
            Special::Intclear => 0,
            Special::Intenable => self.enabled,
            Special::Ps => self.ps.bits(),
            Special::Vecbase => self.vector_base,
            Special::Exccause => self.cause,
            Special::Debugcause => self.debug.cause,
            Special::Ccount => self.count_at(at),
            Special::Prid => self.config.processor,
            Special::Icount => self.debug.icount,
            Special::IcountLevel => self.debug.icount_level,
            Special::Excvaddr => self.address,
            Special::Ccompare(index) => self.compares[usize::from(index)],
            Special::Misc(index) => self.misc[usize::from(index)],
        }
    }

    /// Writes `value` to the special register with `number` in the cycle `at`. The block ends behind it.
    pub(super) fn write_special<P>(&mut self, bus: &Bus<P>, number: u32, value: u32, at: u64) {
        let configuration = self.config.configuration;
        let Some(register) = Special::find(number as u8, configuration) else { return };
        match register {
            Special::Lbeg => self.loop_begin = value,
            Special::Lend => self.set_loop_end(bus, value),
            Special::Lcount => self.loop_count = value,
            Special::Sar => self.sar = value & 63,
            Special::Br => self.booleans = value as u16,
            Special::Litbase => self.literal_base = value & 0xFFFF_F001,
            Special::Scompare1 => self.compare = value,
            Special::Acclo => self.accumulator = self.accumulator & !0xFFFF_FFFF | i64::from(value),
            Special::Acchi => {
                let high = i64::from(value as u8 as i8);
                self.accumulator = high << 32 | self.accumulator & 0xFFFF_FFFF;
            }
            Special::M(index) => self.m[usize::from(index)] = value,
            Special::WindowBase => self.turn_to(value as u8),
            Special::WindowStart => self.set_window_start(value),
            Special::IbreakEnable => self.debug.ibreak_enable = value & ((1 << configuration.breakpoints) - 1),
            Special::Memctl => self.memory_control = value,
            Special::Atomctl => self.atomic_control = value & 0x3F,
            Special::Ddr => self.debug.ddr = value,
            Special::Ibreaka(index) => self.debug.ibreaka[usize::from(index)] = value,
            Special::Dbreaka(index) => self.debug.dbreaka[usize::from(index)] = value,
            Special::Dbreakc(index) => self.debug.dbreakc[usize::from(index)] = value & 0xC000_003F,
            Special::Epc(level) => self.epc[usize::from(level)] = value,
            Special::Depc => self.epc[0] = value,
            Special::Eps(level) => self.eps[usize::from(level)] = value,
            Special::Excsave(level) => self.excsave[usize::from(level)] = value,
            Special::Cpenable => self.coprocessors = value as u8,
            Special::Interrupt => self.set_interrupts(value),
            Special::Intclear => self.clear_interrupts(value),
            Special::Intenable => self.enabled = value & self.existing(),
            Special::Ps => self.set_ps(Ps::from_bits(value, configuration.options.windows)),
            Special::Vecbase => self.vector_base = value & !0x3FF,
            Special::Exccause => self.cause = value & 0x3F,
            Special::Ccount => self.set_count(value, at),
            Special::Icount => self.debug.icount = value,
            Special::IcountLevel => self.debug.icount_level = value & 15,
            Special::Excvaddr => self.address = value,
            Special::Ccompare(index) => self.write_compare(index, value, at),
            Special::Misc(index) => self.misc[usize::from(index)] = value,
            Special::ConfigId(_) | Special::Debugcause | Special::Prid => {}
        }
        match register {
            Special::Litbase | Special::Dbreakc(_) | Special::Dbreaka(_) => self.look_at_guards(),
            Special::Interrupt | Special::Intclear | Special::Intenable => self.look_at_interrupts(),
            // Instructions may have to run by themselves.
            Special::Lcount | Special::IbreakEnable | Special::Ibreaka(_) | Special::Icount | Special::IcountLevel => {
                self.horizon = 0;
            }
            _ => {}
        }
    }

    /// RUR.
    pub(super) fn read_user(&self, number: u32) -> u32 {
        match User::find(number as u8, self.config.configuration) {
            Some(User::Expstate) => self.extra[0],
            Some(User::ThreadPointer) => self.thread_pointer,
            Some(User::Fcr) => self.fcsr.fcr(),
            Some(User::Fsr) => self.fcsr.fsr(),
            Some(User::Double(index)) => self.extra[usize::from(index) + 1],
            None => 0,
        }
    }

    /// WUR.
    pub(super) fn write_user(&mut self, number: u32, value: u32) {
        match User::find(number as u8, self.config.configuration) {
            Some(User::Expstate) => self.extra[0] = value,
            Some(User::ThreadPointer) => self.thread_pointer = value,
            Some(User::Fcr) => self.fcsr.set_fcr(value),
            Some(User::Fsr) => self.fcsr.set_fsr(value),
            Some(User::Double(index)) => self.extra[usize::from(index) + 1] = value,
            None => {}
        }
    }

    /// The instructions for the translation tables that read: the attribute, the region, or whether there is one.
    pub(super) fn read_region(&self, op: Op, address: u32) -> u32 {
        let region = address & 0xE000_0000;
        match op {
            Op::Ritlb1 | Op::Rdtlb1 => region | self.regions.attribute(address, op == Op::Ritlb1),
            // The entry is there.
            Op::Pitlb | Op::Pdtlb => region | 1,
            _ => region,
        }
    }

    /// WITLB and WDTLB.
    pub(super) fn write_region(&mut self, op: Op, address: u32, value: u32) {
        self.regions.set(address, op == Op::Witlb, value);
        self.look_at_guards();
    }
}
