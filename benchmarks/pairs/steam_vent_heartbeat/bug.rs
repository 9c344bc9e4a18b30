// Modelled on icewind1991/steam-vent issue #16 (repaired in PR #17, "Stop heartbeat task on connection drop").
// The heartbeat is a naked `spawn` without a way out: the loop goes on for ever after the
// connection has been dropped, and keeps the writer (so the socket) open.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use thiserror::Error;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

#[derive(Debug, Error)]
pub enum NetworkError {
    #[error("i/o: {0}")]
    Io(#[from] std::io::Error),
    #[error("the server did not take the message in time")]
    Timeout,
}

#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub enum MessageKind {
    ClientHeartBeat = 703,
    ServiceMethodCall = 151,
}

#[derive(Debug, Clone)]
pub struct Session {
    pub steam_id: u64,
    pub heartbeat: Duration,
    last_job: Arc<AtomicI32>,
}

impl Session {
    pub fn new(steam_id: u64, heartbeat: Duration) -> Self {
        Self { steam_id, heartbeat, last_job: Arc::default() }
    }

    fn next_job(&self) -> i32 {
        self.last_job.fetch_add(1, Ordering::Relaxed) + 1
    }
}

fn frame(session: &Session, kind: MessageKind, body: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(16 + body.len());
    out.put_u32_le(kind as u32);
    out.put_u64_le(session.steam_id);
    out.put_i32_le(session.next_job());
    out.put_slice(body);
    out.freeze()
}

pub struct MessageSender<W> {
    write: Arc<Mutex<W>>,
}

impl<W> Clone for MessageSender<W> {
    fn clone(&self) -> Self {
        Self { write: Arc::clone(&self.write) }
    }
}

impl<W: AsyncWrite + Unpin> MessageSender<W> {
    async fn send_raw(&self, data: Bytes) -> Result<(), NetworkError> {
        let mut write = self.write.lock().await;
        write.write_all(&data).await?;
        write.flush().await?;
        Ok(())
    }
}

pub struct Connection<W> {
    session: Session,
    sender: MessageSender<W>,
    timeout: Duration,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Connection<W> {
    pub fn new(write: W, session: Session) -> Self {
        let connection = Self {
            session,
            sender: MessageSender { write: Arc::new(Mutex::new(write)) },
            timeout: Duration::from_secs(10),
        };
        connection.setup_heartbeat();
        connection
    }

    fn setup_heartbeat(&self) {
        let sender = self.sender.clone();
        let session = self.session.clone();
        tokio::spawn(async move { //~
            loop { //~
                sleep(session.heartbeat).await;
                let beat = frame(&session, MessageKind::ClientHeartBeat, &[]);
                if let Err(e) = sender.send_raw(beat).await {
                    tracing::error!(error = %e, "failed to send heartbeat");
                }
            }
        });
    }

    pub async fn send(&self, body: &[u8]) -> Result<(), NetworkError> {
        let message = frame(&self.session, MessageKind::ServiceMethodCall, body);
        timeout(self.timeout, self.sender.send_raw(message))
            .await
            .map_err(|_| NetworkError::Timeout)?
    }
}
