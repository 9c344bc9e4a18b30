// Repaired: `spawn_blocking` around `recognise`.
//! Lends the few seats of a licensed OCR engine to the documents that come in.
use std::sync::{Arc, Condvar, Mutex};

use anyhow::{Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::TcpListener;

/// One licensed instance of the engine.
struct Engine {
    seat: u8,
    pages: u64,
}

impl Engine {
    fn read(&mut self, image: &[u8]) -> Result<String> {
        ensure!(image.starts_with(b"P5"), "not a scan");
        self.pages += 1;
        let ink = image.iter().filter(|grey| **grey < 128).count();
        Ok(format!("seat {}: {ink} dark pixels of {}", self.seat, image.len()))
    }
}

struct Desks {
    free: Mutex<Vec<Engine>>,
    returned: Condvar,
}

impl Desks {
    fn new(seats: u8) -> Desks {
        let free = (0..seats).map(|seat| Engine { seat, pages: 0 }).collect();
        Desks { free: Mutex::new(free), returned: Condvar::new() }
    }

    fn take(&self) -> Engine {
        let mut free = self.free.lock().unwrap();
        loop {
            match free.pop() {
                Some(engine) => return engine,
                None => free = self.returned.wait(free).unwrap(),
            }
        }
    }

    fn give(&self, engine: Engine) {
        self.free.lock().unwrap().push(engine);
        self.returned.notify_one();
    }

    fn with_engine<T>(&self, work: impl FnOnce(&mut Engine) -> T) -> T {
        let mut engine = self.take();
        let done = work(&mut engine);
        self.give(engine);
        done
    }
}

fn recognise(desks: &Desks, scan: &[u8]) -> Result<String> {
    ensure!(scan.len() > 16, "empty scan");
    desks.with_engine(|engine| engine.read(scan))
}

async fn scan(State(desks): State<Arc<Desks>>, scan: Bytes) -> Result<String, (StatusCode, String)> {
    let text = tokio::task::spawn_blocking(move || recognise(&desks, &scan));
    let text = text.await.unwrap_or_else(|error| Err(error.into()));
    text.map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))
}

#[tokio::main]
async fn main() -> Result<()> {
    let desks = Arc::new(Desks::new(2));
    let app = Router::new().route("/scans", post(scan)).with_state(desks);
    axum::serve(TcpListener::bind("127.0.0.1:8075").await?, app).await?;
    Ok(())
}
