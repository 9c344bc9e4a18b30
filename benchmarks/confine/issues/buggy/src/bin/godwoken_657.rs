//! godwokenrises/godwoken#657: a function that waits for a transaction is called by a future. C6.
use std::time::Duration;

use tokio::runtime::Handle;

async fn poll_tx(hash: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(hash)).await;
    hash
}

fn wait_for_tx(hash: u64) -> u64 {
    Handle::current().block_on(poll_tx(hash)) //~ OFFENCE C6
}

async fn run_cli(hash: u64) {
    println!("{}", wait_for_tx(hash));
}

#[tokio::main]
async fn main() {
    run_cli(1).await;
    let _ = Handle::current();
}
