//! Who is there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use tokio::sync::RwLock;

use crate::App;

const LIFE: Duration = Duration::from_secs(3600);

/// All sessions.
#[derive(Debug, Default)]
pub struct Sessions {
    by_user: RwLock<HashMap<String, Instant>>,
}

/// Who comes or goes.
#[derive(Debug, Deserialize)]
pub struct User {
    name: String,
}

impl Sessions {
    /// Ends what is too old.
    pub async fn sweep(&self) {
        let now = Instant::now();
        self.by_user.write().await.retain(|_, since| now.duration_since(*since) < LIFE);
    }

    async fn is_known(&self, name: &str) -> bool {
        self.by_user.read().await.contains_key(name)
    }
}

/// Begins a session. The name may have been taken since it was looked up.
pub async fn login(State(app): State<App>, Json(user): Json<User>) -> StatusCode {
    if app.sessions.is_known(&user.name).await {
        return StatusCode::CONFLICT;
    }
    app.sessions.by_user.write().await.insert(user.name, Instant::now());
    StatusCode::OK
}

/// Ends a session.
pub async fn logout(State(app): State<App>, Json(user): Json<User>) -> StatusCode {
    match app.sessions.by_user.write().await.remove(&user.name) {
        Some(_) => StatusCode::OK,
        None => StatusCode::NOT_FOUND,
    }
}
