// Modelled on reown-com/notify-server PR #418 ("fix: worker count going above limit").
// The publisher compares the number of workers with the limit and spawns one, which counts itself when it is first
// run: until then the loop sees too low a number and goes on spawning.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use tokio::select;
use tokio::time::{interval, MissedTickBehavior};
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

const MAX_WORKERS: usize = 50;
const START_WORKERS: usize = 10;
const QUEUE_POLL_INTERVAL: Duration = Duration::from_secs(60);

#[async_trait]
pub trait Queue: Send + Sync + 'static {
    type Message: Send;
    async fn pick_message(&self) -> Result<Option<Self::Message>>;
    /// What cannot be published goes back into the queue.
    async fn publish(&self, message: Self::Message) -> Result<()>;
}

#[async_trait]
pub trait QueueListener: Send {
    /// Waits until a message is put into the queue; nothing is lost if the future is dropped.
    async fn recv(&mut self) -> Result<()>;
}

struct Worker {
    spawned_tasks_counter: Arc<AtomicUsize>,
}

impl Worker {
    fn begin(spawned_tasks_counter: Arc<AtomicUsize>) -> Self {
        let previous = spawned_tasks_counter.fetch_add(1, Ordering::AcqRel); //~
        info!(workers = previous + 1, "worker begins");
        Self { spawned_tasks_counter }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let previous = self.spawned_tasks_counter.fetch_sub(1, Ordering::AcqRel);
        info!(workers = previous - 1, "worker ends");
    }
}

fn spawn_worker<Q: Queue>(tasks: &TaskTracker, queue: &Arc<Q>, counter: &Arc<AtomicUsize>) {
    let queue = queue.clone();
    let counter = counter.clone();
    tasks.spawn(async move {
        let _worker = Worker::begin(counter);
        process_and_handle(queue.as_ref()).await;
    });
}

async fn process_and_handle<Q: Queue>(queue: &Q) {
    if let Err(e) = process_queued_messages(queue).await {
        warn!("Error on processing queued messages by the worker: {e:?}");
    }
}

async fn process_queued_messages<Q: Queue>(queue: &Q) -> Result<()> {
    while let Some(message) = queue.pick_message().await? {
        queue.publish(message).await?;
    }
    Ok(())
}

async fn listen<Q: Queue, L: QueueListener>(tasks: &TaskTracker, queue: Arc<Q>, mut listener: L) -> Result<()> {
    let spawned_tasks_counter = Arc::new(AtomicUsize::new(0));
    for _ in 0..START_WORKERS {
        spawn_worker(tasks, &queue, &spawned_tasks_counter);
    }

    // What was put in while all workers were about to end is found by the next tick.
    let mut poll = interval(QUEUE_POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        select! {
            received = listener.recv() => received?,
            _ = poll.tick() => {}
        }
        if spawned_tasks_counter.load(Ordering::Acquire) < MAX_WORKERS { //~
            spawn_worker(tasks, &queue, &spawned_tasks_counter);
        } else {
            info!("no more workers");
        }
    }
}

pub async fn start<Q: Queue, L: QueueListener>(queue: Arc<Q>, listener: L) -> Result<()> {
    let tasks = TaskTracker::new();
    let result = listen(&tasks, queue, listener).await;
    tasks.close();
    tasks.wait().await;
    result
}
