//! Who asks whether there is a runtime, and blocks only if there is none.

use std::process::Command;
use std::thread;

use tokio::runtime::Handle;

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.unwrap(),
        Err(_) => work(),
    }
}

async fn turned_round<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    match Handle::try_current() {
        Ok(_) => Some(work()),
        Err(_) => None,
    }
}

fn sync() -> bool {
    Command::new("sync").status().is_ok()
}

fn list() -> bool {
    Command::new("ls").status().is_ok() //~ blocking-in-async
}

fn sync_beside() {
    if Handle::try_current().is_err() {
        Command::new("sync").status().ok();
    } else {
        thread::spawn(|| println!("{}", sync()));
    }
}

#[tokio::main]
async fn main() {
    println!("{}", tokio::spawn(aside(sync)).await.unwrap());
    println!("{:?}", tokio::spawn(turned_round(list)).await.unwrap());
    tokio::spawn(async { sync_beside() }).await.unwrap();
}
