// Repaired: `impl Drop` aborts the poller.
//! Streams stock quotes to browsers; every open page has a feed that asks the exchange.
use std::convert::Infallible;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::routing::get;
use bytes::Bytes;
use futures::stream;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep};

#[derive(Clone, Copy)]
pub struct Quote {
    pub bid: u64,
    pub ask: u64,
}

#[async_trait]
pub trait Exchange: Send + Sync {
    async fn quote(&self, symbol: &str) -> Result<Quote>;
}

/// Keeps the latest quote of one symbol.
pub struct QuoteFeed {
    latest: Arc<RwLock<Option<Quote>>>,
    poller: JoinHandle<()>,
}

impl QuoteFeed {
    pub fn open(exchange: Arc<dyn Exchange>, symbol: String, every: Duration) -> QuoteFeed {
        let latest = Arc::new(RwLock::new(None));
        let slot = latest.clone();
        let poller = tokio::spawn(async move {
            let mut ticks = interval(every);
            loop {
                ticks.tick().await;
                match exchange.quote(&symbol).await {
                    Ok(quote) => *slot.write().unwrap() = Some(quote),
                    Err(error) => tracing::warn!("{symbol}: {error:#}"),
                }
            }
        });
        QuoteFeed { latest, poller }
    }

    pub fn latest(&self) -> Option<Quote> {
        *self.latest.read().unwrap()
    }

    pub fn is_alive(&self) -> bool {
        !self.poller.is_finished()
    }
}

impl Drop for QuoteFeed {
    fn drop(&mut self) {
        self.poller.abort();
    }
}

async fn next_line(feed: QuoteFeed) -> Option<(Result<Bytes, Infallible>, QuoteFeed)> {
    sleep(Duration::from_millis(500)).await;
    let line = match feed.latest() {
        Some(quote) => format!("data: {} {}\n\n", quote.bid, quote.ask),
        None if feed.is_alive() => ": waiting\n\n".to_string(),
        None => return None,
    };
    Some((Ok(Bytes::from(line)), feed))
}

/// The body goes, with its feed, when the page is closed.
async fn follow(State(exchange): State<Arc<dyn Exchange>>, Path(symbol): Path<String>) -> Body {
    let feed = QuoteFeed::open(exchange, symbol, Duration::from_secs(1));
    Body::from_stream(stream::unfold(feed, next_line))
}

pub fn routes(exchange: Arc<dyn Exchange>) -> Router {
    Router::new().route("/quotes/{symbol}", get(follow)).with_state(exchange)
}
