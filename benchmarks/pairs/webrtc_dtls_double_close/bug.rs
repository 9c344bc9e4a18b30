// webrtc-rs/webrtc PR #611, commit 7d5ee0a9: closed loaded, then stored: two closes send the alert and close the inner connection twice.
use async_trait::async_trait;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};

#[async_trait]
pub trait Conn: Send + Sync {
    async fn send(&self, buf: &[u8]) -> io::Result<usize>;
    async fn close(&self) -> io::Result<()>;
}

#[derive(Clone, Copy)]
enum AlertLevel {
    Warning = 1,
}

#[derive(Clone, Copy)]
enum AlertDescription {
    CloseNotify = 0,
}

struct Packet {
    content: Vec<u8>,
    should_encrypt: bool,
}

type PacketSendRequest = (Vec<Packet>, mpsc::Sender<io::Result<()>>);

pub struct DTLSConn {
    conn: Arc<dyn Conn>,
    closed: AtomicBool,
    handshake_completed_successfully: Arc<AtomicBool>,
    reader_close_tx: Mutex<Option<mpsc::Sender<()>>>,
    packet_tx: Arc<mpsc::Sender<PacketSendRequest>>,
}

impl DTLSConn {
    pub fn new(conn: Arc<dyn Conn>) -> (Self, mpsc::Receiver<()>) {
        let (packet_tx, mut packet_rx) = mpsc::channel::<PacketSendRequest>(1);
        let (reader_close_tx, reader_close_rx) = mpsc::channel(1);
        let next_conn = Arc::clone(&conn);
        tokio::spawn(async move {
            while let Some((pkts, result_tx)) = packet_rx.recv().await {
                let result = Self::handle_outgoing_packets(&next_conn, pkts).await;
                let _ = result_tx.send(result).await;
            }
        });
        let dtls_conn = DTLSConn {
            conn,
            closed: AtomicBool::new(false),
            handshake_completed_successfully: Arc::new(AtomicBool::new(true)),
            reader_close_tx: Mutex::new(Some(reader_close_tx)),
            packet_tx: Arc::new(packet_tx),
        };
        (dtls_conn, reader_close_rx)
    }

    async fn handle_outgoing_packets(next_conn: &Arc<dyn Conn>, pkts: Vec<Packet>) -> io::Result<()> {
        for p in pkts {
            let mut raw_packet = vec![u8::from(p.should_encrypt)];
            raw_packet.extend_from_slice(&p.content);
            next_conn.send(&raw_packet).await?;
        }
        Ok(())
    }

    async fn write_packets(&self, pkts: Vec<Packet>) -> io::Result<()> {
        let (tx, mut rx) = mpsc::channel(1);
        self.packet_tx
            .send((pkts, tx))
            .await
            .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        rx.recv().await.unwrap_or(Ok(()))
    }

    async fn notify(&self, level: AlertLevel, desc: AlertDescription) -> io::Result<()> {
        let should_encrypt = self.handshake_completed_successfully.load(Ordering::SeqCst);
        let content = vec![level as u8, desc as u8];
        self.write_packets(vec![Packet { content, should_encrypt }]).await
    }

    pub async fn close(&self) -> io::Result<()> {
        if !self.closed.load(Ordering::SeqCst) {
            self.closed.store(true, Ordering::SeqCst);

            self.notify(AlertLevel::Warning, AlertDescription::CloseNotify)
                .await?;
            {
                let mut reader_close_tx = self.reader_close_tx.lock().await;
                reader_close_tx.take();
            }
            self.conn.close().await?;
        }
        Ok(())
    }

    pub fn is_connection_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}
