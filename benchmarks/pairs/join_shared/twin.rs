//! Each adds in one go.
use std::cell::Cell;
use std::time::Duration;
use tokio::time::sleep;
async fn download(bytes: &Cell<u64>, part: u64) {
    sleep(Duration::from_millis(part)).await;
    let so_far = bytes.get();
    bytes.set(so_far + part);
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let bytes = Cell::new(0);
    tokio::join!(download(&bytes, 10), download(&bytes, 20));
    println!("{} bytes", bytes.get());
}
