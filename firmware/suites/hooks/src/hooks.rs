//! The hooks of embassy-executor 0.10 (`raw/trace.rs` there). Those that are told of a task store it.

use core::cell::UnsafeCell;

/// The task that each hook was last called for: new, end, execution begins, execution ends, ready.
#[unsafe(no_mangle)]
static HOOKS: Hooks = Hooks(UnsafeCell::new([0; 5]));

struct Hooks(UnsafeCell<[u32; 5]>);

// SAFETY: it is only written, a word at a time.
unsafe impl Sync for Hooks {}

#[inline(always)]
fn store(hook: usize, task: u32) {
    // SAFETY: `hook` is the index of a word.
    unsafe { HOOKS.0.get().cast::<u32>().add(hook).write_volatile(task) };
}

#[unsafe(no_mangle)]
fn _embassy_trace_task_new(_: u32, task: u32) {
    store(0, task);
}

#[unsafe(no_mangle)]
fn _embassy_trace_task_end(_: u32, task: u32) {
    store(1, task);
}

#[unsafe(no_mangle)]
fn _embassy_trace_task_exec_begin(_: u32, task: u32) {
    store(2, task);
}

#[unsafe(no_mangle)]
fn _embassy_trace_task_exec_end(_: u32, task: u32) {
    store(3, task);
}

#[unsafe(no_mangle)]
fn _embassy_trace_task_ready_begin(_: u32, task: u32) {
    store(4, task);
}

#[unsafe(no_mangle)]
fn _embassy_trace_poll_start(_: u32) {}

#[unsafe(no_mangle)]
fn _embassy_trace_executor_idle(_: u32) {}
