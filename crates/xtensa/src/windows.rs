//! The windowed registers (§4.7.1): a0 to a15 lie apart from the file of all, so that instructions find them without the base.

use crate::cpu::Cpu;

impl Cpu {
    /// The windows that the register file has: its registers divided by 4.
    pub(crate) fn windows(&self) -> u8 {
        (self.config.configuration.registers / 4) as u8
    }

    /// Registers of the current window go back to the file.
    pub(crate) fn store_window(&mut self) {
        let (base, mask) = (4 * usize::from(self.window_base), self.mask());
        for (index, value) in self.a.iter().enumerate() {
            self.file[(base + index) & mask] = *value;
        }
    }

    /// The current window's registers come from the file.
    pub(crate) fn load_window(&mut self) {
        let (base, mask) = (4 * usize::from(self.window_base), self.mask());
        for (index, value) in self.a.iter_mut().enumerate() {
            *value = self.file[(base + index) & mask];
        }
        self.look_at_windows();
    }

    fn mask(&self) -> usize {
        (self.config.configuration.registers as usize - 1) & 63
    }

    /// The window begins at `base` from now on.
    pub(crate) fn turn_to(&mut self, base: u8) {
        let base = base & (self.windows() - 1);
        if base == self.window_base {
            self.look_at_windows();
            return;
        }
        self.store_window();
        self.window_base = base;
        self.load_window();
    }

    /// WINDOWSTART gets those bits of `value` that the core has windows for.
    pub(crate) fn set_window_start(&mut self, value: u32) {
        self.window_start = (u64::from(value) & ((1 << self.windows()) - 1)) as u16;
        self.look_at_windows();
    }

    /// The window moves by as many times four registers.
    pub(crate) fn rotate(&mut self, by: i32) {
        self.turn_to((i32::from(self.window_base) + by) as u8);
    }

    /// WINDOWSTART's bit of the window `by` times four registers from the current one.
    pub(crate) fn is_started(&self, by: i32) -> bool {
        let base = (i32::from(self.window_base) + by) as u8 & (self.windows() - 1);
        self.window_start & 1 << base != 0
    }

    /// WINDOWBASE, WINDOWSTART, PS.WOE or PS.EXCM has changed: finds the registers that can be used without an overflow.
    pub(crate) fn look_at_windows(&mut self) {
        let looks = self.ps.windows && !self.ps.exception && self.config.configuration.options.windows;
        let used = if looks { (1..=3).find(|by| self.is_started(*by)) } else { None };
        self.usable = used.map_or(3, |by| by as u8 - 1);
    }

    /// The sizes in registers divided by 4 of the window that begins `by` times four registers ahead: the distance to the next
    /// one that has started (figure 4–15), 1 to 3.
    pub(crate) fn size_of_window(&self, by: i32) -> u8 {
        (1..=2).find(|next| self.is_started(by + next)).map_or(3, |next| next as u8)
    }

    /// All registers by their place in the file.
    pub fn physical(&self) -> [u32; 64] {
        let mut whole = self.clone();
        whole.store_window();
        whole.file
    }
}
