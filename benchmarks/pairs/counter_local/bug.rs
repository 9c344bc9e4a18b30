//! A cell is read, the task suspended, and the cell written: another handler's count is lost.
use std::cell::Cell;
use std::collections::HashMap;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;
#[derive(Default)]
struct Stats { bytes: Cell<usize>, peers: RefCell<HashMap<String, usize>> }
async fn serve(stats: Rc<Stats>, mut stream: TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 1024];
    let so_far = stats.bytes.get(); //~
    let n = stream.read(&mut buffer).await?;
    stats.bytes.set(so_far + n); //~
    stats.peers.borrow_mut().insert(stream.peer_addr()?.to_string(), n);
    println!("{} bytes", stats.bytes.get());
    Ok(())
}
#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let stats = Rc::new(Stats::default());
    let local = LocalSet::new();
    local.run_until(async move {
        loop {
            let (stream, _) = listener.accept().await?;
            let stats = stats.clone();
            tokio::task::spawn_local(async move { if let Err(e) = serve(stats, stream).await { eprintln!("{e}"); } });
        }
    }).await
}
