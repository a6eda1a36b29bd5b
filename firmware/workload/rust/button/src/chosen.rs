//! One way of sending is chosen.

const SENDERS_CHOSEN: usize =
    cfg!(feature = "interrupt") as usize + cfg!(feature = "dma") as usize + cfg!(feature = "blocking") as usize;
const _: () = assert!(SENDERS_CHOSEN == 1, "choose exactly one way of sending");
