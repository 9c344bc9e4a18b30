//! apache/arrow-ballista#391: plans are run on the threads that also answer, and keep them. C5.
use std::thread::sleep;
use std::time::Duration;

/// What a plan does for long.
fn run_plan(tasks: u32) -> u32 {
    sleep(Duration::from_millis(u64::from(tasks))); //~ OFFENCE C5
    tasks
}

async fn poll_loop() {
    for tasks in 0..3 {
        tokio::spawn(async move { run_plan(tasks) });
    }
}

#[tokio::main]
async fn main() {
    poll_loop().await;
}
