// Repaired: the delivery is given to `spawn_blocking` instead of `spawn`.
//! Streams the export of a customer as one text archive while it is being written.
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use bytes::Bytes;
use futures::stream;
use tokio::sync::mpsc;

#[derive(Clone)]
pub struct Document {
    pub title: String,
    pub text: String,
}

#[derive(Default)]
pub struct Customers {
    pub documents: BTreeMap<u64, Vec<Document>>,
}

/// The writing end of a response body; a slow client slows the writer down.
struct BodyWriter {
    chunks: mpsc::Sender<Bytes>,
}

impl Write for BodyWriter {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let sent = self.chunks.blocking_send(Bytes::copy_from_slice(data));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_document(out: &mut dyn Write, document: &Document) -> io::Result<()> {
    writeln!(out, "== {} ({} bytes)", document.title, document.text.len())?;
    out.write_all(document.text.as_bytes())?;
    writeln!(out)
}

fn write_archive(out: &mut dyn Write, documents: &[Document]) -> io::Result<()> {
    writeln!(out, "documents: {}", documents.len())?;
    documents.iter().try_for_each(|document| write_document(out, document))?;
    out.flush()
}

fn deliver(documents: &[Document], chunks: mpsc::Sender<Bytes>) {
    let mut out = BodyWriter { chunks };
    if let Err(error) = write_archive(&mut out, documents) {
        tracing::info!("export broken off: {error}");
    }
}

fn body(chunks: mpsc::Receiver<Bytes>) -> Body {
    Body::from_stream(stream::unfold(chunks, |mut chunks| async move {
        let chunk = chunks.recv().await?;
        Some((Ok::<_, Infallible>(chunk), chunks))
    }))
}

async fn export(State(customers): State<Arc<Customers>>, Path(id): Path<u64>) -> Result<Body, StatusCode> {
    let documents = customers.documents.get(&id).cloned().ok_or(StatusCode::NOT_FOUND)?;
    let (sender, chunks) = mpsc::channel(16);
    tokio::task::spawn_blocking(move || deliver(&documents, sender));
    Ok(body(chunks))
}

pub fn routes(customers: Arc<Customers>) -> Router {
    Router::new().route("/customers/{id}/export", get(export)).with_state(customers)
}
