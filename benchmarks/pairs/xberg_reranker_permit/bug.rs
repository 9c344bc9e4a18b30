// Modelled on xberg-io/xberg issue #1641 ("retain concurrency permit after caller cancellation").
// The permit is owned by the async caller and not by the blocking task: a caller that times out gives the
// permit back while its inference goes on, so more of them run at once than the limit allows.

use std::sync::Arc;
use std::time::Duration;

use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

#[derive(Debug, Error)]
pub enum RerankError {
    #[error("the reranker is shut down")]
    Closed,
    #[error("inference panicked")]
    Panicked,
    #[error("model: {0}")]
    Model(String),
    #[error("no answer within {0:?}")]
    Timeout(Duration),
}

pub trait CrossEncoder: Send + Sync + 'static {
    fn load(name: &str) -> Result<Self, String>
    where
        Self: Sized;
    fn score(&self, query: &str, document: &str) -> Result<f32, String>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub index: usize,
    pub score: f32,
}

#[derive(Debug, Clone)]
pub struct RerankConfig {
    pub model: String,
    pub max_concurrent: usize,
    pub deadline: Duration,
    pub top_k: Option<usize>,
}

struct Engine<C> {
    model: OnceCell<C>,
    load_lock: Mutex<()>,
    config: RerankConfig,
}

impl<C: CrossEncoder> Engine<C> {
    fn model(&self) -> Result<&C, RerankError> {
        let _loading = self.load_lock.lock();
        self.model
            .get_or_try_init(|| C::load(&self.config.model).map_err(RerankError::Model))
    }

    fn rerank(&self, query: &str, documents: &[String]) -> Result<Vec<Ranked>, RerankError> {
        let model = self.model()?;
        let mut ranked = Vec::with_capacity(documents.len());
        for (index, document) in documents.iter().enumerate() {
            let score = model.score(query, document).map_err(RerankError::Model)?;
            ranked.push(Ranked { index, score });
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        if let Some(k) = self.config.top_k {
            ranked.truncate(k);
        }
        Ok(ranked)
    }
}

pub struct Reranker<C> {
    engine: Arc<Engine<C>>,
    permits: Arc<Semaphore>,
}

impl<C: CrossEncoder> Reranker<C> {
    pub fn new(config: RerankConfig) -> Self {
        let permits = Arc::new(Semaphore::new(config.max_concurrent.max(1)));
        let engine = Engine { model: OnceCell::new(), load_lock: Mutex::new(()), config };
        Self { engine: Arc::new(engine), permits }
    }

    pub async fn rerank_async(
        &self,
        query: String,
        documents: Vec<String>,
    ) -> Result<Vec<Ranked>, RerankError> {
        let _permit = self.permits.acquire().await.map_err(|_| RerankError::Closed)?; //~
        let engine = self.engine.clone();
        spawn_blocking(move || engine.rerank(&query, &documents)) //~
            .await
            .map_err(|_| RerankError::Panicked)?
    }

    pub async fn rerank_with_deadline(
        &self,
        query: String,
        documents: Vec<String>,
    ) -> Result<Vec<Ranked>, RerankError> {
        let deadline = self.engine.config.deadline;
        timeout(deadline, self.rerank_async(query, documents)) //~
            .await
            .unwrap_or(Err(RerankError::Timeout(deadline)))
    }

    pub fn close(&self) {
        self.permits.close();
    }
}
