// rusty-kaspa, PR #296 (review): subscribe takes the entry under the write lock and launches a handler only if it is vacant, so the earlier look under the read lock is merely a fast path and at most one handler exists per op.
use parking_lot::RwLock;
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc::{self, Sender};
use tracing::{debug, trace};
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KaspadPayloadOps { GetInfo, SubmitBlock, NotifyUtxosChanged, Ping }

#[derive(Debug)]
pub struct KaspadRequest { pub id: u64, pub payload: Option<KaspadPayloadOps> }

#[derive(Debug)]
pub struct KaspadResponse { pub id: u64, pub body: String }

#[derive(Debug)]
pub enum GrpcServerError { InvalidRequestPayload, ClosedHandler(KaspadPayloadOps), ConnectionClosed }

pub trait RpcService: Send + Sync + 'static {
    fn call(&self, op: KaspadPayloadOps) -> String;
}

struct Inner {
    connection_id: Uuid,
    net_address: String,
    outgoing_route: Sender<KaspadResponse>,
    /// One handler per op: requests of one op are processed in their order.
    routing_map: RwLock<HashMap<KaspadPayloadOps, Sender<KaspadRequest>>>,
}

#[derive(Clone)]
pub struct Connection { inner: Arc<Inner> }

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.inner.connection_id, self.inner.net_address)
    }
}

impl Connection {
    pub fn new(net_address: String, outgoing_route: Sender<KaspadResponse>) -> Self {
        let inner = Inner { connection_id: Uuid::new_v4(), net_address, outgoing_route, routing_map: Default::default() };
        Self { inner: Arc::new(inner) }
    }

    fn request_channel_size() -> usize { 256 }

    fn subscribe(&self, core_service: &Arc<dyn RpcService>, rpc_op: KaspadPayloadOps) -> Sender<KaspadRequest> {
        match self.inner.routing_map.write().entry(rpc_op) {
            Entry::Vacant(entry) => {
                let (sender, mut receiver) = mpsc::channel::<KaspadRequest>(Self::request_channel_size());
                let (service, connection) = (core_service.clone(), self.clone());
                tokio::spawn(async move {
                    while let Some(request) = receiver.recv().await {
                        let body = service.call(rpc_op);
                        if connection.enqueue(KaspadResponse { id: request.id, body }).await.is_err() {
                            break;
                        }
                    }
                    debug!("GRPC, handler of {:?} ended", rpc_op);
                });
                entry.insert(sender.clone());
                trace!("GRPC, Connection::subscribe - {:?} route is registered, client: {}", rpc_op, self);
                sender
            }
            Entry::Occupied(entry) => entry.get().clone(),
        }
    }

    pub async fn route_to_handler(&self, core_service: &Arc<dyn RpcService>, request: KaspadRequest) -> Result<(), GrpcServerError> {
        let Some(rpc_op) = request.payload else {
            debug!("GRPC, Route to handler got empty payload, client: {}", self);
            return Err(GrpcServerError::InvalidRequestPayload);
        };
        let sender = self.inner.routing_map.read().get(&rpc_op).cloned();
        let sender = sender.unwrap_or_else(|| self.subscribe(core_service, rpc_op));
        sender.send(request).await.map_err(|_| GrpcServerError::ClosedHandler(rpc_op))
    }

    /// Enqueues a response to be sent to the client
    pub async fn enqueue(&self, response: KaspadResponse) -> Result<(), GrpcServerError> {
        self.inner.outgoing_route.send(response).await.map_err(|_| GrpcServerError::ConnectionClosed)
    }

    /// Called when the receive loop has ended. Drops the routes; the handlers end once they have drained their requests.
    pub fn close(&self) {
        self.inner.routing_map.write().clear();
    }
}
