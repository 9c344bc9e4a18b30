//! Handlers that wait, through helpers, closures, iterators and trait objects; and those that let others wait for them.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request as Asked, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response as Answer};
use axum::routing::get;
use tokio::task;
use tonic::{Request, Response, Status};

/// Where pages come from.
trait Store: Send + Sync {
    fn page(&self, name: &str) -> Option<String>;
}

struct Disk {
    folder: PathBuf,
}

impl Store for Disk {
    fn page(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok() //~ blocking-in-async warn
    }
}

/// Nothing to wait for.
struct Fixed;

impl Store for Fixed {
    fn page(&self, name: &str) -> Option<String> {
        Some(format!("nothing about {name}"))
    }
}

async fn show(State(store): State<Arc<dyn Store>>) -> String {
    store.page("index").unwrap_or_default()
}

/// Tries again after a while.
fn retry<T>(mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    for _ in 0..3 {
        if let Some(found) = attempt() {
            return Some(found);
        }
        std::thread::sleep(Duration::from_millis(50)); //~ blocking-in-async
    }
    None
}

async fn quote() -> String {
    retry(|| option_env!("QUOTE").map(str::to_owned)).unwrap_or_default()
}

async fn version() -> String {
    let told = std::process::Command::new("git").arg("describe").output(); //~ blocking-in-async
    told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default()
}

fn lines(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count()) //~ blocking-in-async warn
}

async fn count() -> String {
    let files = ["a.txt", "b.txt"];
    files.iter().map(|file| lines(Path::new(file))).sum::<usize>().to_string()
}

async fn all() -> String {
    let texts: Vec<_> = ["a.txt", "b.txt"].into_iter().map(std::fs::read_to_string).collect(); //~ blocking-in-async warn
    texts.into_iter().flatten().collect()
}

// ---- what comes before handlers and behind them ----

/// Who asks.
struct User(String);

impl<S: Send + Sync> FromRequestParts<S> for User {
    type Rejection = ();

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, ()> {
        Ok(User(std::fs::read_to_string("user").unwrap_or_default())) //~ blocking-in-async warn
    }
}

/// The same, without keeping anybody waiting.
struct Guest(String);

impl<S: Send + Sync> FromRequestParts<S> for Guest {
    type Rejection = ();

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, ()> {
        Ok(Guest(tokio::time::timeout(Duration::from_millis(1), slow()).await.unwrap_or_default()))
    }
}

/// An answer that takes its time.
struct Page(String);

impl IntoResponse for Page {
    fn into_response(self) -> Answer {
        std::thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        self.0.into_response()
    }
}

async fn greet(User(user): User, Guest(guest): Guest) -> Page {
    Page(user + &guest)
}

async fn raw(_: Asked) -> Result<Answer, std::convert::Infallible> {
    std::thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
    Ok(Answer::new(Body::empty()))
}

async fn raw_elsewhere(_: Asked) -> Result<Answer, std::convert::Infallible> {
    let _ = task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(1))).await;
    Ok(Answer::new(Body::empty()))
}

/// A service of one's own.
#[derive(Clone)]
struct Pages;

impl tower::Service<Asked> for Pages {
    type Response = Answer;
    type Error = std::convert::Infallible;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Answer, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, asked: Asked) -> Self::Future {
        let path = asked.uri().path().to_owned();
        Box::pin(async move {
            Ok(std::fs::read_to_string(path).unwrap_or_default().into_response()) //~ blocking-in-async warn
        })
    }
}

/// What a layer makes of others.
#[derive(Clone)]
struct Patient<S>(S);

impl<S: tower::Service<Asked>> tower::Service<Asked> for Patient<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, asked: Asked) -> S::Future {
        std::thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        self.0.call(asked)
    }
}

#[derive(Clone)]
struct Patience;

impl<S> tower::Layer<S> for Patience {
    type Service = Patient<S>;

    fn layer(&self, inner: S) -> Patient<S> {
        Patient(inner)
    }
}

// ---- the same where it may ----

/// A service that lets others read.
#[derive(Clone)]
struct PagesElsewhere;

impl tower::Service<Asked> for PagesElsewhere {
    type Response = Answer;
    type Error = std::convert::Infallible;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Answer, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, asked: Asked) -> Self::Future {
        let path = asked.uri().path().to_owned();
        Box::pin(async move {
            let read = task::spawn_blocking(move || std::fs::read_to_string(path).unwrap_or_default());
            Ok(read.await.unwrap_or_default().into_response())
        })
    }
}

fn lines_elsewhere(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

async fn count_elsewhere() -> String {
    let counted = task::spawn_blocking(|| lines_elsewhere(Path::new("a.txt")));
    counted.await.unwrap_or_default().to_string()
}

async fn version_in_place() -> String {
    let told = task::block_in_place(|| std::process::Command::new("git").arg("describe").output());
    told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default()
}

async fn slow() -> String {
    tokio::time::sleep(Duration::from_millis(50)).await;
    String::new()
}

async fn on_a_thread() -> String {
    let (done, waiting) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        let _ = done.send("rested".to_owned());
    });
    waiting.await.unwrap_or_default()
}

// ---- other frameworks ----

async fn export() -> String {
    let (send, receive) = std::sync::mpsc::channel::<String>();
    std::thread::spawn(move || send.send("exported".into()));
    receive.recv().unwrap_or_default() //~ blocking-in-async
}

#[derive(Default)]
struct Tally {
    count: std::sync::Mutex<u32>,
    sum: std::sync::Mutex<u32>,
}

/// Two requests on one worker: the second waits for what the first holds, on the thread that would go on with it.
async fn tally(tally: actix_web::web::Data<Tally>) -> String {
    let mut count = tally.count.lock().unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await; //~ lock-across-await
    *count += 1;
    count.to_string()
}

async fn add_up(tally: actix_web::web::Data<Tally>) -> String {
    let sum = {
        let mut sum = tally.sum.lock().unwrap();
        *sum += 1;
        *sum
    };
    tokio::time::sleep(Duration::from_millis(1)).await;
    sum.to_string()
}

fn with_actix() {
    use actix_web::{App, HttpServer, web};
    let all = web::Data::new(Tally::default());
    let _ = HttpServer::new(move || {
        App::new()
            .app_data(all.clone())
            .route("/export", web::get().to(export))
            .route("/tally", web::get().to(tally))
            .route("/add-up", web::get().to(add_up))
    });
}

pub trait Clock {
    fn wait(&self, request: Request<u64>) -> impl Future<Output = Result<Response<()>, Status>>;
    fn tick(&self, request: Request<u64>) -> impl Future<Output = Result<Response<()>, Status>>;
}

pub struct Wall;

impl Clock for Wall {
    async fn wait(&self, request: Request<u64>) -> Result<Response<()>, Status> {
        pause(request.into_inner());
        Ok(Response(()))
    }

    async fn tick(&self, request: Request<u64>) -> Result<Response<()>, Status> {
        tokio::time::sleep(Duration::from_secs(request.into_inner())).await;
        Ok(Response(()))
    }
}

fn pause(seconds: u64) {
    std::thread::sleep(Duration::from_secs(seconds)); //~ blocking-in-async
}

/// Before anybody is served, files may be read.
fn settings() -> Option<String> {
    std::thread::sleep(Duration::from_millis(1));
    std::fs::read_to_string("settings.toml").ok()
}

#[tokio::main]
async fn main() {
    let folder = settings().unwrap_or_default();
    let store: Arc<dyn Store> =
        if folder.is_empty() { Arc::new(Fixed) } else { Arc::new(Disk { folder: folder.into() }) };
    with_actix();
    let _ = Wall;
    let app = Router::new()
        .route("/", get(show))
        .route("/quote", get(quote))
        .route("/version", get(version))
        .route("/count", get(count))
        .route("/all", get(all))
        .route("/count-elsewhere", get(count_elsewhere))
        .route("/version-in-place", get(version_in_place))
        .route("/slow", get(slow))
        .route("/on-a-thread", get(on_a_thread))
        .route("/greet", get(greet))
        .route_service("/raw", tower::service_fn(raw))
        .route_service("/raw-elsewhere", tower::service_fn(raw_elsewhere))
        .route_service("/pages", Pages)
        .fallback_service(PagesElsewhere)
        .layer(Patience)
        .with_state(store);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    axum::serve(listener, app).await.unwrap();
}
