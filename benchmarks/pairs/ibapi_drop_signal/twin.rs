// wboayue/rust-ibapi, PR #782: the cleanup removes a registration only if its channel has no receivers, which it asks under the write lock under which a newer subscription registers with its receiver; a drop detaches the receiver before it signals, and a dead registration of the stream is replaced instead of refused.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{broadcast, mpsc, oneshot, RwLock};
use tracing::{debug, warn};

#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    ConnectionReset,
    AlreadySubscribed,
    Shutdown,
}

#[derive(Debug, Clone)]
pub struct ResponseMessage {
    pub order_id: i32,
    pub fields: Arc<[String]>,
}

#[derive(Debug)]
enum CleanupSignal {
    Order(i32),
    OrderUpdateStream,
}

type Channel = broadcast::Sender<ResponseMessage>;

#[derive(Default)]
struct Channels {
    orders: RwLock<HashMap<i32, Channel>>,
    order_update_stream: RwLock<Option<Channel>>,
}

const CHANNEL_CAPACITY: usize = 1024;

/// Routes what the gateway sends to the subscriptions that asked for it.
pub struct AsyncMessageBus {
    channels: Arc<Channels>,
    cleanup_sender: mpsc::UnboundedSender<CleanupSignal>,
    requests: mpsc::Sender<(Vec<u8>, oneshot::Sender<()>)>,
}

pub struct AsyncInternalSubscription {
    receiver: Option<broadcast::Receiver<ResponseMessage>>,
    cleanup_sender: mpsc::UnboundedSender<CleanupSignal>,
    signal: Option<CleanupSignal>,
}

impl AsyncMessageBus {
    pub fn new(requests: mpsc::Sender<(Vec<u8>, oneshot::Sender<()>)>) -> Self {
        let channels = Arc::new(Channels::default());
        let (cleanup_sender, cleanup_receiver) = mpsc::unbounded_channel();
        tokio::spawn(Self::cleanup(channels.clone(), cleanup_receiver));
        Self { channels, cleanup_sender, requests }
    }

    async fn cleanup(channels: Arc<Channels>, mut signals: mpsc::UnboundedReceiver<CleanupSignal>) {
        while let Some(signal) = signals.recv().await {
            debug!(?signal, "cleaning up");
            match signal {
                CleanupSignal::Order(order_id) => {
                    let mut orders = channels.orders.write().await;
                    if orders.get(&order_id).is_some_and(|channel| channel.receiver_count() == 0) {
                        orders.remove(&order_id);
                    }
                }
                CleanupSignal::OrderUpdateStream => {
                    let mut stream = channels.order_update_stream.write().await;
                    if stream.as_ref().is_some_and(|channel| channel.receiver_count() == 0) {
                        *stream = None;
                    }
                }
            }
        }
    }

    async fn write_message(&self, message: Vec<u8>) -> Result<(), Error> {
        let (written_tx, written_rx) = oneshot::channel();
        self.requests.send((message, written_tx)).await.map_err(|_| Error::Shutdown)?;
        written_rx.await.map_err(|_| Error::ConnectionReset)
    }

    fn subscription(&self, receiver: broadcast::Receiver<ResponseMessage>, signal: CleanupSignal) -> AsyncInternalSubscription {
        AsyncInternalSubscription {
            receiver: Some(receiver),
            cleanup_sender: self.cleanup_sender.clone(),
            signal: Some(signal),
        }
    }

    /// Sends an order request (place, cancel); the answers to it come through the subscription.
    pub async fn send_order_request(&self, order_id: i32, message: Vec<u8>) -> Result<AsyncInternalSubscription, Error> {
        let (sender, receiver) = broadcast::channel(CHANNEL_CAPACITY);
        self.channels.orders.write().await.insert(order_id, sender);
        let subscription = self.subscription(receiver, CleanupSignal::Order(order_id));
        self.write_message(message).await?;
        Ok(subscription)
    }

    pub async fn create_order_update_subscription(&self) -> Result<AsyncInternalSubscription, Error> {
        let mut stream = self.channels.order_update_stream.write().await;
        if stream.as_ref().is_some_and(|channel| channel.receiver_count() > 0) {
            return Err(Error::AlreadySubscribed);
        }
        let (sender, receiver) = broadcast::channel(CHANNEL_CAPACITY);
        *stream = Some(sender);
        Ok(self.subscription(receiver, CleanupSignal::OrderUpdateStream))
    }

    /// Called by the task that reads the socket.
    pub async fn route_order_message(&self, message: ResponseMessage) {
        if let Some(stream) = &*self.channels.order_update_stream.read().await {
            let _ = stream.send(message.clone());
        }
        match self.channels.orders.read().await.get(&message.order_id) {
            Some(channel) => {
                let _ = channel.send(message);
            }
            None => warn!(order_id = message.order_id, "no subscription for this order"),
        }
    }
}

impl AsyncInternalSubscription {
    pub async fn next(&mut self) -> Option<ResponseMessage> {
        let receiver = self.receiver.as_mut()?;
        loop {
            match receiver.recv().await {
                Ok(message) => return Some(message),
                Err(broadcast::error::RecvError::Lagged(skipped)) => warn!(skipped, "subscription lags behind"),
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

impl Drop for AsyncInternalSubscription {
    fn drop(&mut self) {
        drop(self.receiver.take());
        if let Some(signal) = self.signal.take() {
            let _ = self.cleanup_sender.send(signal);
        }
    }
}
