//! Processors that something else keeps busy.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads that do nothing but keep a processor each busy, until this is dropped.
#[derive(Debug)]
pub struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Keeps so many processors busy.
    pub fn new(processors: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = |over: Arc<AtomicBool>| {
            move || {
                while !over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            }
        };
        let threads = (0..processors).map(|_| std::thread::spawn(busy(over.clone()))).collect();
        Self { over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It cannot panic.
            let _ = thread.join();
        }
    }
}
