//! The address is read when the task that serves has said that it is bound.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::sync::Notify;

#[derive(Default)]
struct Server {
    address: Mutex<Option<SocketAddr>>,
    bound: Notify,
}

impl Server {
    async fn run(self: Arc<Self>) -> std::io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        *self.address.lock().unwrap() = Some(listener.local_addr()?);
        self.bound.notify_one();
        while let Ok((stream, _)) = listener.accept().await {
            drop(stream);
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Arc::new(Server::default());
    let run = tokio::spawn(server.clone().run());
    server.bound.notified().await;
    let address = *server.address.lock().unwrap();
    println!("listening on {address:?}");
    if let Err(error) = run.await.unwrap() {
        eprintln!("{error}");
    }
}
