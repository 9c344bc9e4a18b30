//! The address is read before the task that serves has bound it: it is looked at up to where it waits for the outside.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;

#[derive(Default)]
struct Server {
    address: Mutex<Option<SocketAddr>>,
}

impl Server {
    async fn run(self: Arc<Self>) -> std::io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        *self.address.lock().unwrap() = Some(listener.local_addr()?); //~
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
    let address = *server.address.lock().unwrap(); //~
    println!("listening on {address:?}");
    if let Err(error) = run.await.unwrap() {
        eprintln!("{error}");
    }
}
