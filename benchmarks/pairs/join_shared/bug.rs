//! Two futures of one `join!` read and write a cell over an await.
use std::cell::Cell;
use std::time::Duration;
use tokio::time::sleep;
async fn download(bytes: &Cell<u64>, part: u64) {
    let so_far = bytes.get(); //~
    sleep(Duration::from_millis(part)).await;
    bytes.set(so_far + part); //~
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let bytes = Cell::new(0);
    tokio::join!(download(&bytes, 10), download(&bytes, 20));
    println!("{} bytes", bytes.get());
}
