//! Three kinds of tasks: many that sleep, one that computes too long, one that blocks its worker.
use std::time::{Duration, Instant};

use dial9::{AttachedRuntime, Dial9HandleTokioExt, DiskBuffer, TokioAttachOptions};

fn recorded() -> std::io::Result<AttachedRuntime> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "traces".into());
    let writer = DiskBuffer::builder().base_path(folder).max_total_size(64 << 20).max_file_size(32 << 20).build()?;
    let recorder = dial9::recorder(writer).build();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().worker_threads(2);
    let options = TokioAttachOptions::builder().runtime_name("main").task_tracking_enabled(true).build();
    let runtime = recorder.handle().attach_tokio_runtime(builder, options)?;
    Ok((recorder, runtime))
}

async fn ticks(count: u32) {
    for _ in 0..count {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn computes() {
    for _ in 0..5 {
        let until = Instant::now() + Duration::from_millis(8);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        tokio::task::yield_now().await;
    }
}

async fn blocks() {
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(25));
        tokio::task::yield_now().await;
    }
}

#[dial9::main(config = recorded)]
async fn main() {
    let mut tasks = Vec::new();
    for _ in 0..10 {
        tasks.push(dial9::spawn(ticks(30)));
    }
    tasks.push(dial9::spawn(computes()));
    tasks.push(dial9::spawn(blocks()));
    for task in tasks {
        task.await.unwrap();
    }
}
