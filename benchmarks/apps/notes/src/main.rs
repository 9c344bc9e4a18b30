//! A service that keeps notes: the axum application whose analysis is timed.

mod limits;
mod notes;
mod sessions;

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post};

use limits::Limits;
use notes::Notes;
use sessions::Sessions;

/// What all requests share.
#[derive(Clone, Default)]
pub struct App {
    notes: Arc<Notes>,
    sessions: Arc<Sessions>,
    limits: Arc<Limits>,
}

#[tokio::main]
async fn main() {
    let app = App::default();
    let sweeper = app.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
            sweeper.sessions.sweep().await;
            sweeper.limits.reset();
        }
    });
    let router = Router::new()
        .route("/login", post(sessions::login))
        .route("/logout", post(sessions::logout))
        .route("/notes", get(notes::list).post(notes::create))
        .route("/notes/{id}", get(notes::show).put(notes::update))
        .route("/notes/{id}", delete(notes::remove))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.expect("a free port");
    axum::serve(listener, router).await.expect("a server");
}
