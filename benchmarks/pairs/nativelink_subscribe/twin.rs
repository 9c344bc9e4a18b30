// Source: TraceMachina/nativelink issue #1960, pull request #1970 (Fix Redis subscribe race)
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use anyhow::{anyhow, Context, Result};
use parking_lot::Mutex;
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionStage {
    Queued,
    Executing,
    Completed,
}

#[derive(Clone, Debug)]
pub struct AwaitedAction {
    pub operation_id: String,
    pub stage: ActionStage,
}

/// The subscriptions to the keys of a store.
#[derive(Default)]
pub struct SubscriptionManager {
    subscribed_keys: Mutex<HashMap<String, watch::Sender<()>>>,
}

impl SubscriptionManager {
    fn subscribe(&self, key: &str) -> watch::Receiver<()> {
        let mut subscribed_keys = self.subscribed_keys.lock();
        subscribed_keys
            .entry(key.to_string())
            .or_insert_with(|| watch::channel(()).0)
            .subscribe()
    }

    fn publish(&self, key: &str) {
        if let Some(publisher) = self.subscribed_keys.lock().get(key) {
            // Nobody hears it when there is no subscription yet.
            let _ = publisher.send(());
        }
    }
}

#[derive(Default)]
pub struct SchedulerStore {
    actions: tokio::sync::Mutex<HashMap<String, AwaitedAction>>,
    subscription_manager: SubscriptionManager,
}

impl SchedulerStore {
    pub async fn get_and_decode(&self, key: &str) -> Option<AwaitedAction> {
        self.actions.lock().await.get(key).cloned()
    }

    pub async fn update_awaited_action(&self, action: AwaitedAction) {
        let key = action.operation_id.clone();
        self.actions.lock().await.insert(key.clone(), action);
        self.subscription_manager.publish(&key);
    }

    pub async fn len(&self) -> usize {
        self.actions.lock().await.len()
    }
}

enum OperationSubscriberState {
    Unsubscribed,
    Subscribed(watch::Receiver<()>),
}

pub struct OperationSubscriber {
    subscription_key: String,
    weak_store: Weak<SchedulerStore>,
    state: OperationSubscriberState,
}

impl OperationSubscriber {
    pub fn new(store: &Arc<SchedulerStore>, subscription_key: String) -> Self {
        Self {
            subscription_key,
            weak_store: Arc::downgrade(store),
            state: OperationSubscriberState::Unsubscribed,
        }
    }

    async fn inner_get_awaited_action(store: &SchedulerStore, key: &str) -> Result<AwaitedAction> {
        store
            .get_and_decode(key)
            .await
            .ok_or_else(|| anyhow!("Could not find AwaitedAction for the given operation id {key}"))
    }

    /// Waits for a change of the action.
    pub async fn changed(&mut self) -> Result<AwaitedAction> {
        let store = self
            .weak_store
            .upgrade()
            .context("Store gone in OperationSubscriber::changed")?;
        let subscription = match &mut self.state {
            OperationSubscriberState::Unsubscribed => {
                let subscription = store.subscription_manager.subscribe(&self.subscription_key);
                self.state = OperationSubscriberState::Subscribed(subscription);
                // When we've just subscribed, there may have been changes before now.
                let action =
                    Self::inner_get_awaited_action(&store, &self.subscription_key).await?;
                // Existing changes are only interesting if the state is past queued.
                if action.stage != ActionStage::Queued {
                    return Ok(action);
                }
                let OperationSubscriberState::Subscribed(subscription) = &mut self.state else {
                    unreachable!("Subscription should be in Subscribed state");
                };
                subscription
            }
            OperationSubscriberState::Subscribed(subscription) => subscription,
        };
        subscription.changed().await?;
        Self::inner_get_awaited_action(&store, &self.subscription_key).await
    }

    pub async fn borrow(&self) -> Result<AwaitedAction> {
        let store = self
            .weak_store
            .upgrade()
            .context("Store gone in OperationSubscriber::borrow")?;
        Self::inner_get_awaited_action(&store, &self.subscription_key).await
    }
}

/// Adds an action and waits until it is done.
pub async fn execute(store: &Arc<SchedulerStore>, operation_id: String) -> Result<AwaitedAction> {
    store
        .update_awaited_action(AwaitedAction {
            operation_id: operation_id.clone(),
            stage: ActionStage::Queued,
        })
        .await;
    let mut subscriber = OperationSubscriber::new(store, operation_id);
    loop {
        let action = subscriber.changed().await?;
        if action.stage == ActionStage::Completed {
            return Ok(action);
        }
    }
}
