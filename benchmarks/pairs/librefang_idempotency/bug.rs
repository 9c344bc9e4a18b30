// librefang/librefang (PR #6919): the idempotency layer looks the key up, runs the handler and stores the response afterwards; two requests with the same key both miss and both run the handler.
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

#[derive(Default)]
pub struct IdempotencyStore {
    entries: Mutex<HashMap<String, StoredResponse>>,
}

impl IdempotencyStore {
    fn lookup(&self, key: &str, ttl: Duration) -> Option<StoredResponse> {
        let entries = self.entries.lock().unwrap();
        entries.get(key).filter(|e| e.stored_at.elapsed() < ttl).cloned() //~
    }

    fn save(&self, key: String, response: StoredResponse) {
        self.entries.lock().unwrap().insert(key, response); //~
    }

    pub fn sweep(&self, ttl: Duration) {
        self.entries.lock().unwrap().retain(|_, e| e.stored_at.elapsed() < ttl);
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
    if let Some(stored) = layer.store.lookup(&key, layer.ttl) { //~
        return Ok(stored.replay());
    }
    let stored = record(next.run(request).await).await?; //~
    if !stored.status.is_server_error() {
        layer.store.save(key, stored.clone()); //~
    }
    Ok((stored.status, stored.body).into_response())
}

pub fn with_idempotency(routes: Router, layer: Idempotency) -> Router {
    routes.layer(from_fn_with_state(layer, idempotent))
}
