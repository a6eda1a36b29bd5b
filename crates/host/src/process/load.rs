//! Background load on processors.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads that each keep a processor busy until they are dropped.
#[derive(Debug)]
pub struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Keeps this number of processors busy.
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
            // The thread cannot panic.
            let _ = thread.join();
        }
    }
}
