// An executable with axum: a short link is looked for, the page is fetched, the link is entered.
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::Router;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::RwLock;

#[derive(Clone, Default)]
struct App { links: Arc<RwLock<HashMap<String, String>>> }

async fn reachable(url: &str) -> bool { tokio::net::lookup_host((url, 80)).await.is_ok() }

async fn create(State(app): State<App>, Path((name, host)): Path<(String, String)>) -> StatusCode {
    if app.links.read().await.contains_key(&name) { //~
        return StatusCode::CONFLICT;
    }
    if !reachable(&host).await {
        return StatusCode::BAD_REQUEST;
    }
    app.links.write().await.insert(name, host); //~
    StatusCode::CREATED
}

async fn follow(State(app): State<App>, Path(name): Path<String>) -> Result<String, StatusCode> {
    app.links.read().await.get(&name).cloned().ok_or(StatusCode::NOT_FOUND)
}

#[tokio::main]
async fn main() {
    let router = Router::new().route("/{name}/{host}", post(create)).route("/{name}", get(follow)).with_state(App::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
