// As in PR #352 the slot is registered before the frame goes out (and taken back if it cannot), so a response always finds it; slots left over or coming late when the connection closes get an error under the same lock.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use serde_json::{json, Value};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::sync::{mpsc, oneshot};

#[derive(Debug)]
pub enum ClientError {
    Io(std::io::Error),
    ConnectionClosed,
}

/// `None` once the connection is closed.
type ResponseSlots = Arc<Mutex<Option<HashMap<u32, oneshot::Sender<Value>>>>>;

pub struct Client {
    frames: mpsc::UnboundedSender<Value>,
    slots: ResponseSlots,
    next_id: AtomicU32,
}

impl Client {
    pub async fn connect(addr: impl ToSocketAddrs) -> Result<Self, ClientError> {
        let (read, write) = TcpStream::connect(addr).await.map_err(ClientError::Io)?.into_split();
        let slots: ResponseSlots = Arc::new(Mutex::new(Some(HashMap::new())));
        let (frames, outgoing) = mpsc::unbounded_channel();
        tokio::spawn(read_frames(read, slots.clone()));
        tokio::spawn(write_frames(write, outgoing, slots.clone()));
        Ok(Self { frames, slots, next_id: AtomicU32::new(0) })
    }

    pub async fn send_request(&self, kind: &str, body: Value) -> Result<Value, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = json!({ "type": kind, "id": id, "payload": body });
        let (sender, response) = oneshot::channel();
        match self.slots.lock().unwrap().as_mut() {
            Some(slots) => slots.insert(id, sender),
            None => return Err(ClientError::ConnectionClosed),
        };
        if self.frames.send(frame).is_err() {
            self.slots.lock().unwrap().as_mut().map(|slots| slots.remove(&id));
            return Err(ClientError::ConnectionClosed);
        }
        response.await.map_err(|_| ClientError::ConnectionClosed)
    }
}

async fn read_frames(read: OwnedReadHalf, slots: ResponseSlots) {
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(mut frame) = serde_json::from_str::<Value>(&line) else {
            tracing::warn!("malformed frame {line}");
            continue;
        };
        let id = frame["id"].as_u64().unwrap_or(u64::MAX) as u32;
        let slot = slots.lock().unwrap().as_mut().and_then(|slots| slots.remove(&id));
        match slot {
            Some(sender) => drop(sender.send(frame["payload"].take())),
            None => tracing::warn!("dropping unexpected frame {id}"),
        }
    }
    slots.lock().unwrap().take();
}

async fn write_frames(mut write: OwnedWriteHalf, mut outgoing: mpsc::UnboundedReceiver<Value>, slots: ResponseSlots) {
    while let Some(frame) = outgoing.recv().await {
        if write.write_all(format!("{frame}\n").as_bytes()).await.is_err() {
            break;
        }
    }
    slots.lock().unwrap().take();
}
