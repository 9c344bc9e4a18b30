// lychee (link checker), issue #2073: `handle` looks into the cache, awaits the request and puts the result into the cache; with several requests at once the same link from different files passes the look before the first answer is in, and is requested again and again.
use dashmap::DashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[derive(Clone, Debug, PartialEq)]
enum Status {
    Ok(u16),
    Error(String),
    Excluded,
}

#[derive(Clone)]
struct Request {
    uri: String,
    source: String,
}

struct Response {
    source: String,
    uri: String,
    status: Status,
}

type Cache = DashMap<String, Status>;

struct Client {
    sent: AtomicUsize,
    exclude: Vec<String>,
}

impl Client {
    async fn check(&self, uri: &str) -> Status {
        if self.exclude.iter().any(|prefix| uri.starts_with(prefix.as_str())) {
            return Status::Excluded;
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(80)).await;
        if uri.contains("broken") {
            Status::Error("404 Not Found".to_string())
        } else {
            Status::Ok(200)
        }
    }
}

async fn handle(client: &Client, cache: &Cache, request: Request) -> Response {
    if let Some(cached) = cache.get(&request.uri) { //~
        return Response { source: request.source, status: cached.clone(), uri: request.uri };
    }
    let status = client.check(&request.uri).await;
    cache.insert(request.uri.clone(), status.clone()); //~
    Response { source: request.source, status, uri: request.uri }
}

fn collect_links(inputs: &[String]) -> Vec<Request> {
    let theme = ["https://example.org/", "https://example.org/about", "https://example.org/broken"];
    inputs
        .iter()
        .flat_map(|input| theme.iter().map(|uri| Request { uri: uri.to_string(), source: input.clone() }))
        .collect()
}

#[tokio::main]
async fn main() {
    let inputs: Vec<String> = std::env::args().skip(1).collect();
    let client = Arc::new(Client { sent: AtomicUsize::new(0), exclude: vec!["mailto:".to_string()] });
    let cache = Arc::new(Cache::new());
    let concurrency = Arc::new(Semaphore::new(128));
    let mut checks = JoinSet::new();
    for request in collect_links(&inputs) {
        let (client, cache) = (Arc::clone(&client), Arc::clone(&cache));
        let permit = Arc::clone(&concurrency).acquire_owned().await.expect("never closed");
        checks.spawn(async move {
            let _permit = permit;
            handle(&client, &cache, request).await
        });
    }
    let mut errors = 0;
    while let Some(response) = checks.join_next().await {
        match response {
            Ok(Response { source, uri, status: Status::Error(reason) }) => {
                errors += 1;
                println!("[{}] {} | {}", source, uri, reason);
            }
            Ok(_) => {}
            Err(err) => eprintln!("a check failed: {}", err),
        }
    }
    println!("{} errors, {} requests sent, {} links", errors, client.sent.load(Ordering::Relaxed), cache.len());
    std::process::exit(if errors > 0 { 2 } else { 0 });
}
