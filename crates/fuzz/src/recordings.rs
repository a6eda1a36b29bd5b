//! Recordings of perf: a thread that leaves its processor and comes back.

/// A file whose code the threads run: a small program with call frames.
const PROGRAM: &[u8] = b"/bin/true";

/// Bytes in the machine's own order.
#[derive(Clone, Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn shorts(mut self, values: &[u32]) -> Self {
        values.iter().for_each(|value| self.0.extend(value.to_ne_bytes()));
        self
    }

    fn longs(mut self, values: &[u64]) -> Self {
        values.iter().for_each(|value| self.0.extend(value.to_ne_bytes()));
        self
    }

    /// Adds `text` with its end, in whole words.
    fn text(mut self, text: &[u8]) -> Self {
        self.0.extend(text);
        self.0.resize((self.0.len() + 8) / 8 * 8, 0);
        self
    }

    /// The record of this kind with these bytes, and with the thread and the time that all have but samples.
    fn record(self, kind: u32, misc: u16, at: Option<u64>) -> Vec<u8> {
        let body = match at {
            Some(at) => self.shorts(&[PROCESS, THREAD]).longs(&[at]).0,
            None => self.0,
        };
        let size = u16::try_from(body.len() + 8).expect("a short record");
        [&kind.to_ne_bytes()[..], &misc.to_ne_bytes(), &size.to_ne_bytes(), &body].concat()
    }
}

const PROCESS: u32 = 7;
const THREAD: u32 = 8;

/// The numbers of records and their bits (`enum perf_event_type`).
const MMAP: u32 = 1;
const LOST: u32 = 2;
const COMM: u32 = 3;
const EXIT: u32 = 4;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const SWITCH: u32 = 14;
const FINISHED_ROUND: u32 = 68;
const OUT: u16 = 1 << 13;

fn records(lost: bool) -> Vec<u8> {
    let new = Bytes::default;
    let address = 0x55_0000_0000;
    let map = new().shorts(&[PROCESS, PROCESS]).longs(&[address, 0x100_0000, 0x1000]);
    let map2 = map.clone().shorts(&[8, 1]).longs(&[9, 1]).shorts(&[5, 2]).text(PROGRAM).record(MMAP2, 2, Some(2));
    let stack: Vec<u64> = (0..32).map(|word| address + 0x2_0000 + 64 * word).collect();
    let sample = |at: u64| {
        let taken = new().longs(&[address + 0x2_0010]).shorts(&[PROCESS, THREAD]).longs(&[at]);
        // Two words of 64 bits, BP, SP and IP; the stack and how much of it was there.
        let registers = taken.longs(&[2, 0x7f00_0000_0040, 0x7f00_0000_0000, address + 0x2_0010]);
        registers.longs(&[256]).longs(&stack).longs(&[256]).record(SAMPLE, 2, None)
    };
    let switch = |misc: u16, at: u64| new().record(SWITCH, misc, Some(at));
    let mut all = vec![
        new().shorts(&[PROCESS, PROCESS]).text(b"program").record(COMM, OUT, Some(1)),
        map.text(PROGRAM).record(MMAP, 2, Some(1)),
        map2,
        new().shorts(&[PROCESS + 2, PROCESS, THREAD + 2, THREAD]).longs(&[3]).record(FORK, 0, Some(3)),
        sample(100),
        switch(OUT, 101),
        new().record(FINISHED_ROUND, 0, None),
        switch(0, 5_000_101),
        sample(5_000_200),
        switch(OUT, 5_000_201),
        switch(0, 9_000_000),
        new().shorts(&[PROCESS, PROCESS, THREAD, THREAD]).longs(&[9]).record(EXIT, 0, Some(9_000_001)),
        new().record(FINISHED_ROUND, 0, None),
    ];
    if lost {
        all.push(new().longs(&[1, 3]).record(LOST, 0, Some(9_000_002)));
    }
    all.concat()
}

/// A recording of a whole run.
fn recording(lost: bool) -> Vec<u8> {
    const EVENT: u64 = 128;
    // Software, the event of switches; each with IP, thread, time, registers and stack.
    let (kinds, registers) = (1 | 1 << 1 | 1 << 2 | 1 << 12 | 1 << 13, 1 << 6 | 1 << 7 | 1 << 8);
    // mmap, comm, the identity behind all records, mmap2, switches.
    let flags = 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 26;
    let event = Bytes::default().shorts(&[1, EVENT as u32]).longs(&[3, 1, kinds, 0, flags, 0, 0, 0, 0, registers]);
    let mut event = event.shorts(&[256, 0]).0;
    event.resize(EVENT as usize, 0);
    let records = records(lost);
    let described = [
        Bytes::default().shorts(&[1, EVENT as u32]).0,
        event.clone(),
        Bytes::default().shorts(&[1, 16]).text(b"switches").longs(&[77]).0,
    ]
    .concat();
    let events = 104 + 16;
    let data = events + EVENT;
    let table = data + records.len() as u64;
    let header = Bytes(b"PERFILE2".to_vec()).longs(&[104, EVENT + 16, events, EVENT, data, table - data, 0, 0]);
    let header = header.longs(&[1 << 12, 0, 0, 0]).longs(&[77, 0]).0;
    let features = Bytes::default().longs(&[table + 16, described.len() as u64]).0;
    [header, event, records, features, described].concat()
}

/// A whole run, and one of which perf has lost something.
pub fn seeds() -> Vec<Vec<u8>> {
    [false, true].map(recording).to_vec()
}

#[cfg(test)]
mod tests {
    use cyclescope_explain::waits::parse;

    #[test]
    fn a_whole_recording_is_read_to_its_end_and_one_with_losses_is_refused() {
        let [whole, lost] = super::seeds().try_into().expect("two");
        let waits = parse(std::io::Cursor::new(whole)).expect("it is whole");
        let total: u64 = waits.states.values().map(|sum| sum.times).sum();
        assert_eq!((waits.switches, total), (2, 2), "{waits:?}");
        let error = parse(std::io::Cursor::new(lost)).expect_err("it has losses").to_string();
        assert!(error.contains("perf lost 3 switches"), "{error}");
    }
}
