//! Taken at once, and given back on failure.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
#[derive(Default)]
struct Budget { left: u64, log: VecDeque<String> }
type Shared = Arc<Mutex<Budget>>;
async fn answer(stream: &mut TcpStream, text: &str) -> std::io::Result<()> { stream.write_all(text.as_bytes()).await }
async fn connection(mut stream: TcpStream, budget: Shared) -> std::io::Result<()> {
    let mut request = [0u8; 64];
    let n = stream.read(&mut request).await? as u64;
    let enough = {
        let mut budget = budget.lock().unwrap();
        let enough = budget.left >= n;
        if enough { budget.left -= n; }
        enough
    };
    if !enough {
        return answer(&mut stream, "no").await;
    }
    let sent = answer(&mut stream, "yes").await;
    if sent.is_err() {
        budget.lock().unwrap().left += n;
    }
    budget.lock().unwrap().log.push_back(format!("{n}"));
    sent
}
#[tokio::main]
async fn main() -> std::io::Result<()> {
    let budget: Shared = Arc::new(Mutex::new(Budget { left: 1000, log: VecDeque::new() }));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let budget = Arc::clone(&budget);
        tokio::spawn(async move {
            if let Err(error) = connection(stream, budget).await { eprintln!("{error}"); }
        });
    }
}
