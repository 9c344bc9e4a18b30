// calcit, PR #504: `request_shutdown` sets the flag and notifies without the wake mutex; if that falls between the waiter's look at the flag and its sleep, the notification is lost and main waits for ever after Ctrl-C (or `quit`).
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static TASK_COUNT: AtomicUsize = AtomicUsize::new(0);
static SHUTDOWN_REQUESTED: AtomicBool = AtomicBool::new(false);
static SHUTDOWN_LOCK: Mutex<()> = Mutex::new(());
static SHUTDOWN_WAKE: Condvar = Condvar::new();

mod track {
    use super::*;

    pub struct TaskGuard(());

    impl TaskGuard {
        pub fn new() -> Self {
            TASK_COUNT.fetch_add(1, Ordering::SeqCst);
            TaskGuard(())
        }
    }

    impl Drop for TaskGuard {
        fn drop(&mut self) {
            TASK_COUNT.fetch_sub(1, Ordering::SeqCst);
        }
    }

    pub fn request_shutdown() {
        SHUTDOWN_REQUESTED.store(true, Ordering::Release); //~
        SHUTDOWN_WAKE.notify_all();
    }

    pub fn is_shutdown_requested() -> bool {
        SHUTDOWN_REQUESTED.load(Ordering::Acquire)
    }

    pub fn wait_for_shutdown() {
        let mut guard = SHUTDOWN_LOCK.lock().unwrap_or_else(|e| e.into_inner());
        while !is_shutdown_requested() {
            guard = SHUTDOWN_WAKE.wait(guard).unwrap_or_else(|e| e.into_inner()); //~
        }
    }
}

/// A native function that runs until the program is asked to end.
fn spawn_interval(name: &'static str, period: Duration, callback: fn(&str, u64)) -> thread::JoinHandle<()> {
    let task = track::TaskGuard::new();
    thread::spawn(move || {
        let _task = task;
        let mut tick = 0;
        while !track::is_shutdown_requested() {
            callback(name, tick);
            tick += 1;
            thread::sleep(period);
        }
    })
}

fn watch_console() {
    for line in io::stdin().lock().lines() {
        match line.as_deref() {
            Ok("quit") | Err(_) => break,
            Ok(other) => eprintln!("unknown command: {}", other),
        }
    }
    track::request_shutdown();
}

fn main() {
    thread::spawn(watch_console);
    let intervals = [
        spawn_interval("clock", Duration::from_millis(200), |name, tick| println!("{} {}", name, tick)),
        spawn_interval("heartbeat", Duration::from_millis(500), |name, _| println!("{}", name)),
    ];
    println!("{} native tasks running", TASK_COUNT.load(Ordering::SeqCst));
    track::wait_for_shutdown();
    println!("shutting down the native runtime");
    for interval in intervals {
        let _ = interval.join();
    }
}
