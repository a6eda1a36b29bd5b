//! Serial flash on the interface of the XIP block: Winbond W25Q16JV, as on the Raspberry Pi Pico (its data sheet, "Instructions").
//!
//! The part's flash memory holds the contents. Protection bits, security registers and the power-down's current are not modelled.

use cyclescope_machine::TimingRow;

use crate::{Env, Instant};

/// The times of operations, in microseconds.
pub const ROWS: &[TimingRow] = &[
    time("nor.write_status", "microseconds to write the status registers", 10_000),
    time("nor.program", "microseconds to program a page", 400),
    time("nor.erase_sector", "microseconds to erase 4 KiB", 45_000),
    time("nor.erase_half_block", "microseconds to erase 32 KiB", 120_000),
    time("nor.erase_block", "microseconds to erase 64 KiB", 150_000),
    time("nor.erase_chip", "microseconds to erase everything", 5_000_000),
];

const fn time(name: &'static str, about: &'static str, microseconds: u32) -> TimingRow {
    TimingRow::assumed(
        name,
        about,
        microseconds,
        "W25Q16JV data sheet, AC Electrical Characteristics, typical; the figure is from memory and was not read in the document",
    )
}

const WRITE_STATUS: usize = 0;
const PROGRAM: usize = 1;
const SECTOR: usize = 2;
const HALF_BLOCK: usize = 3;
const BLOCK: usize = 4;
const CHIP: usize = 5;

/// Manufacturer, memory type, capacity.
const JEDEC: [u8; 3] = [0xEF, 0x40, 0x15];
/// The identity of no real chip.
const UNIQUE: [u8; 8] = [0xE4, 0x43, 0x59, 0x43, 0x53, 0x43, 0x4F, 0x50];

/// Status register 1: BUSY, WEL. Register 2: QE.
const BUSY: u8 = 1 << 0;
const WRITABLE: u8 = 1 << 1;
const QUAD_ENABLED: u8 = 1 << 1;

/// Bytes of a page.
const PAGE: u32 = 256;
/// The bits of the mode byte that keep the chip in continuous reading, and their value.
const MODE: u8 = 0x30;
const CONTINUOUS: u8 = 0x20;

/// The chip.
#[derive(Clone, Debug, Default)]
pub struct Nor {
    selected: bool,
    /// The bytes of the transaction so far, at most those that instruction and address have.
    command: Vec<u8>,
    /// The place of the next byte of data.
    data: u32,
    status: [u8; 3],
    /// The data of a page that is being sent.
    page: Vec<u8>,
    /// The operation under way ends then.
    busy: Instant,
    /// Reads come without an instruction.
    continuous: bool,
    /// The enable of a software reset came last.
    resets: bool,
    asleep: bool,
}

impl Nor {
    /// Tells if it reads without an instruction, quad output included.
    pub fn is_continuous(&self) -> bool {
        self.continuous
    }

    /// Tells if instructions over four lines are taken.
    pub fn takes_quad(&self) -> bool {
        self.status[1] & QUAD_ENABLED != 0
    }

    /// The select line falls (`true`) or rises.
    pub fn select(&mut self, selected: bool, env: &mut Env<'_, '_>) {
        let before = std::mem::replace(&mut self.selected, selected);
        if before && !selected {
            self.end(env);
        }
        if selected && !before {
            self.command.clear();
            self.page.clear();
            self.data = 0;
        }
    }

    fn is_busy(&self, env: &Env<'_, '_>) -> bool {
        env.now() < self.busy
    }

    fn address(&self) -> u32 {
        let byte = |index: usize| u32::from(self.command.get(index).copied().unwrap_or(0));
        byte(1) << 16 | byte(2) << 8 | byte(3)
    }

    /// The bytes of the instruction `code` with its address and dummies.
    fn header(code: u8) -> usize {
        match code {
            0x03 | 0x02 | 0x32 | 0x20 | 0x52 | 0xD8 | 0x90 | 0xAB => 4,
            0x0B | 0x3B | 0x6B | 0x5A | 0x4B | 0xBB => 5,
            // Address, mode byte and two dummies.
            0xEB => 7,
            _ => 1,
        }
    }

    /// A byte goes out and one comes in.
    pub fn exchange(&mut self, byte: u8, env: &mut Env<'_, '_>) -> u8 {
        if !self.selected {
            return 0xFF;
        }
        let Some(&code) = self.command.first() else {
            self.command.push(byte);
            // Ones instead of an address and a mode byte end continuous reading.
            if self.continuous {
                self.continuous = byte >> 4 != 0xF;
            }
            return 0xFF;
        };
        if self.command.len() < Self::header(code) {
            self.command.push(byte);
            return 0xFF;
        }
        let place = self.data;
        self.data = self.data.wrapping_add(1);
        let busy = self.is_busy(env);
        if busy && code != 0x05 || self.asleep && code != 0xAB {
            return 0xFF;
        }
        match code {
            0x05 => self.status[0] | if busy { BUSY } else { 0 },
            0x35 => self.status[1],
            0x15 => self.status[2],
            0x9F => JEDEC[place as usize % 3],
            0x90 => [JEDEC[0], 0x14][place as usize & 1],
            0xAB => 0x14,
            0x4B => UNIQUE[place as usize % 8],
            0x03 | 0x0B | 0x3B | 0x6B | 0xBB | 0xEB => Self::read(self.address().wrapping_add(place), env),
            0x02 | 0x32 => {
                // Beyond its end a page begins again.
                if self.page.len() == PAGE as usize {
                    self.page.remove(0);
                }
                self.page.push(byte);
                0xFF
            }
            0x01 | 0x31 | 0x11 => {
                if self.page.len() < 2 {
                    self.page.push(byte);
                }
                0xFF
            }
            _ => 0xFF,
        }
    }

    /// The byte at `address`, which wraps at the chip's end.
    pub fn read(address: u32, env: &Env<'_, '_>) -> u8 {
        let bytes = env.context.memory.flash.bytes();
        if bytes.is_empty() { 0xFF } else { bytes[address as usize % bytes.len()] }
    }

    /// A read over four lines begins: the mode byte says whether more come without an instruction.
    pub fn begin_quad(&mut self, mode: u8) {
        self.continuous = mode & MODE == CONTINUOUS;
    }

    fn take(&mut self, row: usize, env: &mut Env<'_, '_>) {
        let span = env.cycles(&ROWS[row]);
        self.busy = env.now().after(env.clocks().microseconds(span));
        self.status[0] &= !WRITABLE;
    }

    /// The select line rises: what was asked for begins.
    fn end(&mut self, env: &mut Env<'_, '_>) {
        let Some(&code) = self.command.first() else { return };
        let whole = self.command.len() >= Self::header(code);
        let resets = std::mem::replace(&mut self.resets, code == 0x66);
        if code == 0x99 && resets {
            *self = Self { status: [0, self.status[1], self.status[2]], ..Self::default() };
            return;
        }
        if !whole || self.is_busy(env) {
            return;
        }
        if code == 0xAB || code == 0xB9 {
            self.asleep = code == 0xB9;
        }
        if self.asleep {
            return;
        }
        match code {
            0x06 => self.status[0] |= WRITABLE,
            0x04 => self.status[0] &= !WRITABLE,
            _ if self.status[0] & WRITABLE == 0 => {}
            0x01 | 0x31 | 0x11 => {
                let first = [0x01, 0x31, 0x11].iter().position(|known| *known == code).unwrap_or(0);
                for (register, value) in (first..3).zip(std::mem::take(&mut self.page)) {
                    self.status[register] = if register == 0 { value & !(BUSY | WRITABLE) } else { value };
                }
                self.take(WRITE_STATUS, env);
            }
            0x02 | 0x32 if !self.page.is_empty() => {
                let (address, page) = (self.address(), std::mem::take(&mut self.page));
                for (index, byte) in (self.data.saturating_sub(page.len() as u32)..).zip(page) {
                    let place = address & !(PAGE - 1) | address.wrapping_add(index) & (PAGE - 1);
                    Self::change(place, 1, env, |memory, offset| memory.program_flash(offset, &[byte]));
                }
                self.take(PROGRAM, env);
            }
            0x20 => self.erase(4 << 10, SECTOR, env),
            0x52 => self.erase(32 << 10, HALF_BLOCK, env),
            0xD8 => self.erase(64 << 10, BLOCK, env),
            0xC7 | 0x60 => {
                let bytes = env.context.memory.flash.bytes().len();
                env.context.memory.erase_flash(0, bytes);
                self.take(CHIP, env);
            }
            _ => {}
        }
    }

    fn erase(&mut self, bytes: u32, row: usize, env: &mut Env<'_, '_>) {
        let from = self.address() & !(bytes - 1);
        Self::change(from, bytes as usize, env, |memory, offset| memory.erase_flash(offset, bytes as usize));
        self.take(row, env);
    }

    /// Does something to the `bytes` bytes at `address`, which wraps at the chip's end.
    fn change(
        address: u32,
        bytes: usize,
        env: &mut Env<'_, '_>,
        make: impl Fn(&mut cyclescope_machine::Memory, usize),
    ) {
        let size = env.context.memory.flash.bytes().len();
        if size >= bytes {
            make(env.context.memory, address as usize % size / bytes.max(1) * bytes.max(1));
        }
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        self.busy = self.busy.refined(times);
    }
}
