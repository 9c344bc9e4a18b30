// hydro-project/hydro issue 1458: A client's sink is taken out of the map over `send().await` and put back: another sender does not find it and drops the frame; the reader's removal at disconnect misses it, and it is put back dead.
//! Binds a TCP endpoint whose connections are addressed by the peer's socket address: what is fed
//! to the returned sender goes to the connection of that address, if there is one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use parking_lot::Mutex;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec, LinesCodecError};

pub type TcpFramedSink = FramedWrite<OwnedWriteHalf, LinesCodec>;
type Clients = Arc<Mutex<HashMap<SocketAddr, TcpFramedSink>>>;

/// Sends one frame to the client of this address. Unknown addresses are dropped silently.
async fn send_to(clients: &Clients, addr: SocketAddr, payload: String) {
    let Some(mut sink) = clients.lock().remove(&addr) else { //~
        return;
    };
    if sink.send(payload).await.is_ok() {
        clients.lock().insert(addr, sink); //~
    }
}

async fn read_client(
    mut stream: FramedRead<OwnedReadHalf, LinesCodec>,
    addr: SocketAddr,
    ingress: Sender<Result<(String, SocketAddr), LinesCodecError>>,
    clients: Clients,
) {
    while let Some(frame) = stream.next().await {
        let failed = frame.is_err();
        if ingress.send(frame.map(|line| (line, addr))).await.is_err() || failed {
            break;
        }
    }
    clients.lock().remove(&addr); //~
}

pub async fn bind_tcp_lines(
    endpoint: SocketAddr,
) -> std::io::Result<(
    Sender<(String, SocketAddr)>,
    Receiver<Result<(String, SocketAddr), LinesCodecError>>,
    SocketAddr,
)> {
    let listener = TcpListener::bind(endpoint).await?;
    let bound_endpoint = listener.local_addr()?;

    let (tx_egress, mut rx_egress) = mpsc::channel::<(String, SocketAddr)>(128);
    let (tx_ingress, rx_ingress) = mpsc::channel(128);
    let clients: Clients = Arc::new(Mutex::new(HashMap::new()));

    // Egress: looks the address up and writes.
    tokio::spawn({
        let clients = clients.clone();
        async move {
            while let Some((payload, addr)) = rx_egress.recv().await {
                send_to(&clients, addr, payload).await;
            }
        }
    });

    // Keeps the connections alive through middleboxes.
    tokio::spawn({
        let clients = clients.clone();
        async move {
            let mut interval = tokio::time::interval(Duration::from_secs(15));
            loop {
                interval.tick().await;
                let addrs: Vec<SocketAddr> = clients.lock().keys().copied().collect();
                for addr in addrs {
                    send_to(&clients, addr, String::new()).await;
                }
            }
        }
    });

    // Accepts, and starts a reader for each connection.
    tokio::spawn(async move {
        loop {
            let (stream, peer_addr) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(e) => {
                    tracing::warn!("accept failed: {e}");
                    continue;
                }
            };
            let (read, write) = stream.into_split();
            let sink = FramedWrite::new(write, LinesCodec::new());
            clients.lock().insert(peer_addr, sink);
            tokio::spawn(read_client(
                FramedRead::new(read, LinesCodec::new()),
                peer_addr,
                tx_ingress.clone(),
                clients.clone(),
            ));
        }
    });

    Ok((tx_egress, rx_ingress, bound_endpoint))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let (outbound, mut inbound, addr) = bind_tcp_lines(([127, 0, 0, 1], 3001).into()).await?;
    println!("listening on {addr}");
    while let Some(message) = inbound.recv().await {
        match message {
            Ok((line, from)) if !line.is_empty() => {
                if outbound.send((line, from)).await.is_err() {
                    break;
                }
            }
            Ok(_) => {}
            Err(e) => tracing::warn!("bad frame: {e}"),
        }
    }
    Ok(())
}
