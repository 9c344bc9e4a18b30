// jamesmunns/postcard-rpc (PR #88), repaired: the waiter is registered before the request goes out and taken back if it cannot be sent.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub [u8; 8]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    pub key: Key,
    pub seq: u32,
}

#[derive(Clone, Debug)]
pub struct RpcFrame {
    pub header: Header,
    pub body: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum HostErr {
    Closed,
    Timeout,
    BadResponse,
}

pub trait Endpoint {
    type Request;
    type Response;
    const REQ_KEY: Key;
    const RESP_KEY: Key;

    fn encode(request: &Self::Request) -> Vec<u8>;
    fn decode(body: &[u8]) -> Option<Self::Response>;
}

#[derive(Default)]
struct WaitMap {
    waiters: Mutex<HashMap<Header, oneshot::Sender<Vec<u8>>>>,
}

impl WaitMap {
    fn register(&self, header: Header) -> oneshot::Receiver<Vec<u8>> {
        let (tx, rx) = oneshot::channel();
        self.waiters.lock().unwrap().insert(header, tx);
        rx
    }

    fn forget(&self, header: &Header) {
        self.waiters.lock().unwrap().remove(header);
    }

    fn wake(&self, header: &Header, body: Vec<u8>) -> bool {
        match self.waiters.lock().unwrap().remove(header) {
            Some(tx) => tx.send(body).is_ok(),
            None => false,
        }
    }

    fn close(&self) {
        self.waiters.lock().unwrap().clear();
    }
}

/// Takes its entry out of the map when the call ends, in whatever way.
struct Waiter {
    map: Arc<WaitMap>,
    header: Header,
    rx: oneshot::Receiver<Vec<u8>>,
}

impl Waiter {
    fn new(map: &Arc<WaitMap>, header: Header) -> Self {
        Self { map: map.clone(), header, rx: map.register(header) }
    }

    async fn wait(&mut self, limit: Duration) -> Result<Vec<u8>, HostErr> {
        match tokio::time::timeout(limit, &mut self.rx).await {
            Ok(body) => body.map_err(|_| HostErr::Closed),
            Err(_) => Err(HostErr::Timeout),
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.map.forget(&self.header);
    }
}

#[derive(Clone)]
pub struct HostClient {
    out: mpsc::Sender<RpcFrame>,
    map: Arc<WaitMap>,
    seq: Arc<AtomicU32>,
    limit: Duration,
}

/// The receiving end of the wire.
pub struct HostContext {
    map: Arc<WaitMap>,
    unsolicited: mpsc::Sender<RpcFrame>,
}

impl HostContext {
    pub async fn run(self, mut wire: mpsc::Receiver<RpcFrame>) {
        while let Some(frame) = wire.recv().await {
            if !self.map.wake(&frame.header, frame.body.clone()) {
                let _ = self.unsolicited.try_send(frame);
            }
        }
        self.map.close();
    }
}

impl HostClient {
    pub fn new(out: mpsc::Sender<RpcFrame>, unsolicited: mpsc::Sender<RpcFrame>) -> (Self, HostContext) {
        let map = Arc::<WaitMap>::default();
        let client = Self { out, map: map.clone(), seq: Arc::default(), limit: Duration::from_secs(2) };
        (client, HostContext { map, unsolicited })
    }

    pub async fn send_resp<E: Endpoint>(&self, request: &E::Request) -> Result<E::Response, HostErr> {
        let seq = self.seq.fetch_add(1, Ordering::Relaxed);
        let frame = RpcFrame { header: Header { key: E::REQ_KEY, seq }, body: E::encode(request) };
        let expected = Header { key: E::RESP_KEY, seq };
        let mut waiter = Waiter::new(&self.map, expected);
        self.out.send(frame).await.map_err(|_| HostErr::Closed)?;
        let body = waiter.wait(self.limit).await?;
        E::decode(&body).ok_or(HostErr::BadResponse)
    }
}
