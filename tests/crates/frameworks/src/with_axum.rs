//! Handlers are found through the routes, the state is one object.
use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Extension, Router};
use tokio::sync::Mutex;
use tokio::task::yield_now;

#[derive(Default)]
pub struct Counters {
    hits: Mutex<u64>,
    fine: Mutex<u64>,
}

async fn hit(State(counters): State<Arc<Counters>>) -> String {
    let seen = *counters.hits.lock().await; //~
    yield_now().await;
    *counters.hits.lock().await = seen * 2; //~
    String::new()
}

async fn hit_well(State(counters): State<Arc<Counters>>) -> String {
    let mut fine = counters.fine.lock().await;
    let seen = *fine;
    yield_now().await;
    *fine = seen * 2;
    String::new()
}

#[derive(Default)]
pub struct Names {
    last: std::sync::Mutex<String>,
}

async fn rename(Extension(names): Extension<Arc<Names>>, name: String) -> String {
    let long = names.last.lock().unwrap().len() > 3; //~
    yield_now().await;
    if !long {
        *names.last.lock().unwrap() = name; //~
    }
    String::new()
}

#[derive(Clone, Default)]
pub struct App {
    open: Arc<std::sync::Mutex<Vec<u64>>>,
}

async fn open(State(app): State<App>) {
    if app.open.lock().unwrap().is_empty() { //~
        app.open.lock().unwrap().insert(0, 1); //~
    }
}

static MOTTO: std::sync::OnceLock<std::sync::Mutex<String>> = std::sync::OnceLock::new();

async fn motto() -> String {
    let mut motto = MOTTO.get().unwrap().lock().unwrap();
    motto.push('!');
    motto.clone()
}

pub async fn serve() {
    // No handler runs before this: it is not registered yet.
    MOTTO.get_or_init(|| std::sync::Mutex::new("on time".to_owned()));
    let router = Router::new()
        .route("/hit", get(hit).post(hit_well))
        .route("/motto", get(motto))
        .with_state(Arc::new(Counters::default()))
        .merge(Router::new().route("/name", post(rename)).layer(Extension(Arc::new(Names::default()))))
        .merge(Router::new().route("/open", post(open)).with_state(App::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
