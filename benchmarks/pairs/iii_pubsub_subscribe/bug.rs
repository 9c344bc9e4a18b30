// iii-hq/workers, review of PR #394 (pubsub worker): subscribe() asks under a read lock whether the topic has a listener, connects and spawns one, and inserts it under a later write lock; two that subscribe to a topic at once both spawn a listener, each message is handled twice, and the first listener can never be stopped.
use async_trait::async_trait;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::{mpsc, RwLock};
use tokio::task::JoinHandle;
use tracing::{debug, info, warn};

#[derive(Debug)]
pub enum PubSubError {
    Connect(String),
    AlreadySubscribed { topic: String, id: String },
    NotSubscribed(String),
}

/// The server that the messages come through.
#[async_trait]
pub trait Broker: Send + Sync + 'static {
    async fn open(&self, topic: &str) -> Result<mpsc::Receiver<Bytes>, PubSubError>;
    async fn publish(&self, topic: &str, payload: Bytes) -> Result<usize, PubSubError>;
}

/// The functions of the engine that are invoked for messages.
#[async_trait]
pub trait Invoker: Send + Sync + 'static {
    async fn invoke(&self, function: &str, topic: &str, payload: Bytes) -> Result<(), String>;
}

struct SubscriptionInfo {
    id: String,
    task_handle: JoinHandle<()>,
}

pub struct RedisAdapter<B, I> {
    broker: Arc<B>,
    invoker: Arc<I>,
    /// The listeners; there is one for each topic.
    subscriptions: RwLock<HashMap<String, SubscriptionInfo>>,
    delivered: Arc<AtomicU64>,
}

impl<B: Broker, I: Invoker> RedisAdapter<B, I> {
    pub fn new(broker: Arc<B>, invoker: Arc<I>) -> Self {
        Self { broker, invoker, subscriptions: RwLock::default(), delivered: Arc::default() }
    }

    pub async fn publish(&self, topic: &str, payload: Bytes) -> Result<usize, PubSubError> {
        self.broker.publish(topic, payload).await
    }

    fn spawn_listener(&self, topic: &str, function: &str, mut messages: mpsc::Receiver<Bytes>) -> JoinHandle<()> {
        let (topic, function) = (topic.to_owned(), function.to_owned());
        let (invoker, delivered) = (self.invoker.clone(), self.delivered.clone());
        tokio::spawn(async move {
            while let Some(payload) = messages.recv().await {
                match invoker.invoke(&function, &topic, payload).await {
                    Ok(()) => {
                        delivered.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(err) => warn!(%topic, %function, "function failed: {err}"),
                }
            }
            debug!(%topic, "subscription task ended");
        })
    }

    /// Invokes the function for each message of the topic from now on.
    pub async fn subscribe(&self, topic: &str, id: &str, function: &str) -> Result<(), PubSubError> {
        if let Some(existing) = self.subscriptions.read().await.get(topic) { //~
            return Err(PubSubError::AlreadySubscribed { topic: topic.to_owned(), id: existing.id.clone() });
        }

        let messages = self.broker.open(topic).await?;
        let task_handle = self.spawn_listener(topic, function, messages);
        let mut subscriptions = self.subscriptions.write().await;
        subscriptions.insert(topic.to_owned(), SubscriptionInfo { id: id.to_owned(), task_handle }); //~
        info!(%topic, %id, "subscribed");
        Ok(())
    }

    /// Once this returns, no message of the topic is handled any more.
    pub async fn unsubscribe(&self, topic: &str) -> Result<(), PubSubError> {
        let mut subscriptions = self.subscriptions.write().await;
        let Some(info) = subscriptions.remove(topic) else {
            return Err(PubSubError::NotSubscribed(topic.to_owned()));
        };
        info.task_handle.abort();
        let _ = info.task_handle.await;
        Ok(())
    }

    pub fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }
}
