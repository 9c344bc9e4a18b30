//! Tasks that do little but be tasks. Prints how long they took, the processor's time, and how much memory there was for them, in nanoseconds
//! and bytes.
use std::future::Future;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tokio::task::{JoinHandle, yield_now};
use tokio::time::sleep;

/// The processor's time of all threads so far, in nanoseconds.
fn processor() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux");
    let used = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0)
    };
    tasks.flatten().map(|task| used(task.path())).sum()
}

/// Bytes of memory of this process.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    text.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok()).expect("a number") * 4096
}

/// Ten microseconds of work, as far as it does not depend on the clock.
fn work() {
    (0..30_000_u64).for_each(|number| _ = black_box(number.wrapping_mul(number)));
}

async fn all<F>(count: usize, task: impl Fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let all: Vec<JoinHandle<()>> = (0..count).map(|_| tokio::spawn(task())).collect();
    for one in all {
        one.await.expect("it does not panic");
    }
}

async fn pieces() {
    for _ in 0..10 {
        work();
        yield_now().await;
    }
}

async fn yields() {
    for _ in 0..100 {
        yield_now().await;
    }
}

#[tokio::main]
async fn main() {
    let workload = std::env::args().nth(1).unwrap_or_default();
    // Whatever is made once is made.
    all(10, yields).await;
    let (memory, used, start) = (resident(), processor(), Instant::now());
    let mut most = memory;
    match workload.as_str() {
        "one" => all(1, || sleep(Duration::from_secs(1))).await,
        "sleeping" => all(1000, || sleep(Duration::from_secs(1))).await,
        "working" => all(1000, pieces).await,
        "yielding" => all(1000, yields).await,
        "living" => {
            let all: Vec<JoinHandle<()>> =
                (0..100_000).map(|_| tokio::spawn(sleep(Duration::from_secs(5)))).collect();
            sleep(Duration::from_secs(2)).await;
            most = resident();
            all.iter().for_each(JoinHandle::abort);
        }
        other => panic!("no workload is called `{other}`"),
    }
    println!("{} {} {}", start.elapsed().as_nanos(), processor() - used, most - memory);
}
