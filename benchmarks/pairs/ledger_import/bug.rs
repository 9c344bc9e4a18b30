// `runtime-in-runtime`: root future of `block_on` → `import_all` → `map(Import::wait)` → `oneshot::Receiver::blocking_recv`.
//! Imports yesterday's booking files of a bank at start, then answers balance queries.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;

#[derive(Default)]
struct Ledger {
    balances: Mutex<HashMap<String, i64>>,
}

struct Summary {
    file: String,
    bookings: usize,
}

/// An import that is under way.
struct Import {
    done: oneshot::Receiver<Result<Summary>>,
}

impl Import {
    fn wait(self) -> Result<Summary> {
        self.done.blocking_recv().context("the import was given up")? //~
    }
}

struct Importer {
    runtime: Handle,
    ledger: Arc<Ledger>,
}

impl Importer {
    fn begin(&self, file: &str) -> Import {
        let (finished, done) = oneshot::channel();
        let (ledger, file) = (self.ledger.clone(), file.to_string());
        self.runtime.spawn(async move {
            let summary = import(&ledger, file).await;
            let _ = finished.send(summary);
        });
        Import { done }
    }
}

async fn import(ledger: &Ledger, file: String) -> Result<Summary> {
    let text = tokio::fs::read_to_string(&file).await.with_context(|| file.clone())?;
    let mut bookings = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (account, cents) = line.split_once(';').context("no amount")?;
        *ledger.balances.lock().unwrap().entry(account.to_string()).or_default() += cents.parse::<i64>()?;
        bookings += 1;
    }
    Ok(Summary { file, bookings })
}

fn import_all(importer: &Importer, files: &[String]) -> Result<usize> {
    let running: Vec<Import> = files.iter().map(|file| importer.begin(file)).collect();
    let mut total = 0;
    for summary in running.into_iter().map(Import::wait) {
        let summary = summary?;
        println!("{}: {} bookings", summary.file, summary.bookings);
        total += summary.bookings;
    }
    Ok(total)
}

async fn balance(State(ledger): State<Arc<Ledger>>, Path(account): Path<String>) -> String {
    ledger.balances.lock().unwrap().get(&account).copied().unwrap_or(0).to_string()
}

async fn serve(ledger: Arc<Ledger>) -> Result<()> {
    let app = Router::new().route("/balance/{account}", get(balance)).with_state(ledger);
    axum::serve(TcpListener::bind("127.0.0.1:8070").await?, app).await?;
    Ok(())
}

fn main() -> Result<()> {
    let runtime = Runtime::new()?;
    let ledger = Arc::new(Ledger::default());
    let importer = Importer { runtime: runtime.handle().clone(), ledger: ledger.clone() };
    let files: Vec<String> = std::env::args().skip(1).collect();
    runtime.block_on(async {
        let total = import_all(&importer, &files)?;
        println!("{total} bookings");
        serve(ledger).await
    })
}
