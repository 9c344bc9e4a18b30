// librefang/librefang (PR #6919), repaired: the key is reserved atomically before the handler runs; a duplicate gets 409, and a reservation that comes to nothing is released by its owner.
use axum::body::{to_bytes, Body};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{from_fn_with_state, Next};
use axum::response::{IntoResponse, Response};
use axum::Router;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const HEADER: &str = "idempotency-key";
const MAX_BODY: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct StoredResponse {
    status: StatusCode,
    body: Vec<u8>,
    stored_at: Instant,
}

impl StoredResponse {
    fn replay(self) -> Response {
        (self.status, [("idempotency-replayed", "true")], self.body).into_response()
    }
}

enum Entry {
    Pending,
    Done(StoredResponse),
}

enum Reservation {
    Owner(PendingKey),
    InUse,
    Replay(StoredResponse),
}

#[derive(Default)]
pub struct IdempotencyStore {
    entries: Mutex<HashMap<String, Entry>>,
}

/// The right to run the handler for a key.
struct PendingKey {
    store: Arc<IdempotencyStore>,
    key: Option<String>,
}

impl PendingKey {
    fn complete(mut self, response: StoredResponse) {
        if let Some(key) = self.key.take() {
            self.store.entries.lock().unwrap().insert(key, Entry::Done(response));
        }
    }
}

impl Drop for PendingKey {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.store.entries.lock().unwrap().remove(&key);
        }
    }
}

impl IdempotencyStore {
    fn reserve(self: &Arc<Self>, key: &str, ttl: Duration) -> Reservation {
        let mut entries = self.entries.lock().unwrap();
        match entries.get(key) {
            Some(Entry::Pending) => return Reservation::InUse,
            Some(Entry::Done(response)) if response.stored_at.elapsed() < ttl => return Reservation::Replay(response.clone()),
            _ => {}
        }
        entries.insert(key.to_owned(), Entry::Pending);
        Reservation::Owner(PendingKey { store: self.clone(), key: Some(key.to_owned()) })
    }

    pub fn sweep(&self, ttl: Duration) {
        self.entries.lock().unwrap().retain(|_, e| match e {
            Entry::Pending => true,
            Entry::Done(response) => response.stored_at.elapsed() < ttl,
        });
    }
}

#[derive(Clone)]
pub struct Idempotency {
    store: Arc<IdempotencyStore>,
    ttl: Duration,
}

impl Idempotency {
    pub fn new(ttl: Duration) -> Self {
        Self { store: Arc::default(), ttl }
    }

    pub fn store(&self) -> &Arc<IdempotencyStore> {
        &self.store
    }
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    headers.get(HEADER)?.to_str().ok().filter(|k| !k.is_empty()).map(str::to_owned)
}

async fn record(response: Response) -> Result<StoredResponse, StatusCode> {
    let status = response.status();
    let body = to_bytes(response.into_body(), MAX_BODY).await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    Ok(StoredResponse { status, body: body.to_vec(), stored_at: Instant::now() })
}

async fn idempotent(State(layer): State<Idempotency>, request: Request<Body>, next: Next) -> Result<Response, StatusCode> {
    let Some(key) = key_of(request.headers()) else {
        return Ok(next.run(request).await);
    };
    let pending = match layer.store.reserve(&key, layer.ttl) {
        Reservation::Owner(pending) => pending,
        Reservation::InUse => return Err(StatusCode::CONFLICT),
        Reservation::Replay(stored) => return Ok(stored.replay()),
    };
    let stored = record(next.run(request).await).await?;
    if !stored.status.is_server_error() {
        pending.complete(stored.clone());
    }
    Ok((stored.status, stored.body).into_response())
}

pub fn with_idempotency(routes: Router, layer: Idempotency) -> Router {
    routes.layer(from_fn_with_state(layer, idempotent))
}
