//! The address is read before the server task has bound.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::Notify;
#[derive(Default)]
struct Server { address: Mutex<Option<SocketAddr>>, bound: Notify }
impl Server {
    async fn run(self: Arc<Self>) -> std::io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        *self.address.lock().unwrap() = Some(listener.local_addr()?); //~
        self.bound.notify_one();
        while let Ok((stream, _)) = listener.accept().await { drop(stream); }
        Ok(())
    }
}
#[tokio::main]
async fn main() {
    let server = Arc::new(Server::default());
    let run = tokio::spawn(server.clone().run());
    match *server.address.lock().unwrap() { //~
        Some(address) => println!("listening on {address}"),
        None => println!("not bound"),
    }
    if let Err(error) = run.await.unwrap() { eprintln!("{error}"); }
}
