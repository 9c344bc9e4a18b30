//! The notes themselves.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::App;

/// A note.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    title: String,
    text: String,
    version: u64,
}

/// What a request says of a note.
#[derive(Debug, Deserialize)]
pub struct Draft {
    title: String,
    text: String,
}

/// All notes.
#[derive(Debug, Default)]
pub struct Notes {
    by_id: Mutex<BTreeMap<u64, Note>>,
    next: AtomicU64,
}

/// Lists the titles.
pub async fn list(State(app): State<App>) -> Result<Json<Vec<String>>, StatusCode> {
    app.limits.count()?;
    let notes = app.notes.by_id.lock().expect("no panic");
    Ok(Json(notes.values().map(|note| note.title.clone()).collect()))
}

/// Adds a note.
pub async fn create(State(app): State<App>, Json(draft): Json<Draft>) -> Result<Json<u64>, StatusCode> {
    app.limits.count()?;
    let id = app.notes.next.fetch_add(1, Ordering::Relaxed);
    let note = Note { title: draft.title, text: draft.text, version: 0 };
    app.notes.by_id.lock().expect("no panic").insert(id, note);
    Ok(Json(id))
}

/// One note.
pub async fn show(State(app): State<App>, Path(id): Path<u64>) -> Result<Json<Note>, StatusCode> {
    app.limits.count()?;
    let notes = app.notes.by_id.lock().expect("no panic");
    notes.get(&id).cloned().map(Json).ok_or(StatusCode::NOT_FOUND)
}

/// Changes a note.
pub async fn update(
    State(app): State<App>,
    Path(id): Path<u64>,
    Json(draft): Json<Draft>,
) -> Result<Json<u64>, StatusCode> {
    app.limits.count()?;
    let mut notes = app.notes.by_id.lock().expect("no panic");
    let note = notes.get_mut(&id).ok_or(StatusCode::NOT_FOUND)?;
    note.title = draft.title;
    note.text = draft.text;
    note.version += 1;
    Ok(Json(note.version))
}

/// Takes a note away.
pub async fn remove(State(app): State<App>, Path(id): Path<u64>) -> StatusCode {
    match app.notes.by_id.lock().expect("no panic").remove(&id) {
        Some(_) => StatusCode::NO_CONTENT,
        None => StatusCode::NOT_FOUND,
    }
}
