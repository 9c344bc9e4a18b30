// oscmcompany/fund PR 1077 (review), repaired: generation.
//! Per-day cache of the closing prices that the portfolio handlers read, and the nightly sync
//! that writes new bars.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, Error, Result};
use tokio::sync::{Mutex, RwLock};

/// A date of the exchange's calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EasternDate(pub i32);

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub ticker: String,
    pub date: EasternDate,
    pub close: f64,
}

pub type CloseHistory = BTreeMap<String, Vec<(EasternDate, f64)>>;

struct Cached<T> {
    /// Goes up with each invalidation.
    generation: u64,
    entry: Option<(EasternDate, T)>,
}

/// A value that is rebuilt at most once a day, unless it is invalidated.
pub struct DailyCache<T> {
    inner: Mutex<Cached<T>>,
}

impl<T: Clone> DailyCache<T> {
    pub fn new() -> Self {
        Self { inner: Mutex::new(Cached { generation: 0, entry: None }) }
    }

    /// The value of today, or else the generation that a rebuild starts from.
    async fn get_if_fresh(&self, today: EasternDate) -> Result<T, u64> {
        let inner = self.inner.lock().await;
        match &inner.entry {
            Some((date, value)) if *date == today => Ok(value.clone()),
            _ => Err(inner.generation),
        }
    }

    pub async fn get<Rebuild, Rebuilding>(
        &self,
        today: EasternDate,
        rebuild: Rebuild,
        worth_caching: impl Fn(&T) -> bool,
    ) -> Result<T>
    where
        Rebuild: FnOnce() -> Rebuilding,
        Rebuilding: Future<Output = Result<T, Error>>,
    {
        let generation = match self.get_if_fresh(today).await {
            Ok(fresh) => return Ok(fresh),
            Err(generation) => generation,
        };

        let value = rebuild().await?;
        if worth_caching(&value) {
            let mut inner = self.inner.lock().await;
            if inner.generation == generation {
                inner.entry = Some((today, value.clone()));
            }
        }
        Ok(value)
    }

    pub async fn invalidate(&self) {
        let mut inner = self.inner.lock().await;
        inner.generation += 1;
        inner.entry = None;
    }
}

/// The bars in object storage.
#[derive(Default)]
pub struct BarStore {
    bars: RwLock<Vec<Bar>>,
}

impl BarStore {
    pub async fn store_bars(&self, new: Vec<Bar>) -> Result<usize> {
        let stored = new.len();
        self.bars.write().await.extend(new);
        Ok(stored)
    }

    pub async fn read_closes(&self) -> Result<CloseHistory> {
        let bars = self.bars.read().await.clone();
        tokio::time::sleep(Duration::from_millis(20)).await;
        let mut history = CloseHistory::new();
        for bar in bars {
            history.entry(bar.ticker).or_default().push((bar.date, bar.close));
        }
        Ok(history)
    }
}

pub struct AppState {
    store: BarStore,
    close_history_cache: DailyCache<Arc<CloseHistory>>,
}

impl AppState {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { store: BarStore::default(), close_history_cache: DailyCache::new() })
    }

    /// `POST /market-data/sync`
    pub async fn handle_market_data_sync(&self, fetched: Vec<Bar>) -> Result<usize> {
        let stored = self.store.store_bars(fetched).await?;
        self.close_history_cache.invalidate().await;
        tracing::info!(stored, "market data synced");
        Ok(stored)
    }

    /// `GET /closes/{ticker}`
    pub async fn handle_last_close(&self, today: EasternDate, ticker: &str) -> Result<f64> {
        let history = self
            .close_history_cache
            .get(
                today,
                || async { Ok(Arc::new(self.store.read_closes().await?)) },
                |history| !history.is_empty(),
            )
            .await?;
        let closes = history.get(ticker).ok_or_else(|| anyhow!("unknown ticker {ticker}"))?;
        closes
            .iter()
            .max_by_key(|(date, _)| *date)
            .map(|(_, close)| *close)
            .ok_or_else(|| anyhow!("no closes for {ticker}"))
    }
}
